"""Ratios of measured amounts, such as dollars per right answer, against sums of fractions."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_oracle import FEWER

import anls_frame as af
from anls_frame.statistics import ratio_interval, ratio_variance

COST = af.Metric("usd", denominator="right", name="cost", higher_is_better=False)
ENDS = ["cost", "cost_low", "cost_high"]


def rows(scale: float = 1.0, n: int = 300, seed: int = 0) -> pl.DataFrame:
    dice = np.random.default_rng(seed)
    return pl.DataFrame(
        {
            "usd": dice.lognormal(0, 1, n) * scale,
            "right": dice.integers(0, 2, n),
            "lang": dice.choice(["de", "en", "ja"], n),
            "document": dice.integers(0, 40, n),
        }
    )


def expected(frame: pl.DataFrame, cluster: str | None) -> list[float]:
    """Return the ratio and its interval, from sums of fractions by document or row."""
    units: dict[Any, list[Fraction]] = {}
    names = frame[cluster].to_list() if cluster else range(frame.height)
    for unit, usd, right in zip(names, frame["usd"], frame["right"], strict=True):
        x, y = units.get(unit, [Fraction(0), Fraction(0)])
        units[unit] = [x + Fraction(usd), y + right]
    x, y = (sum(values, Fraction(0)) for values in zip(*units.values(), strict=True))
    bracket = sum(((own - x / y * size) ** 2 for own, size in units.values()), Fraction(0))
    variance = ratio_variance(len(units), 1, float(y), 1, 1, 1, bracket=float(bracket))
    # No effective number: only the figure and the bracket are compared.
    low, high = ratio_interval(float(x), float(y), variance, len(units))
    return [float(x / y), math.log(high / low)]


@pytest.mark.parametrize("cluster", [None, "document"])
@pytest.mark.parametrize("scale", [1e-9, 1e-4, 1.0, 1e6, 1e12])
def test_ratio_is_that_of_sums_of_fractions(scale: float, cluster: str | None) -> None:
    frame = rows(scale)
    # Documents of one right answer each, so that all of them have the same weight.
    frame = frame.with_columns(right=pl.lit(1))
    frame = frame.sort("document").with_columns(document=pl.int_range(pl.len()) // 6)
    found = af.report(frame, metrics=COST, cluster=cluster).overall
    figure, width = expected(frame, cluster)
    assert found["cost"] == pytest.approx(figure, rel=1e-15)
    assert math.log(found["cost_high"] / found["cost_low"]) == pytest.approx(width, rel=1e-8)


amounts = st.one_of(
    st.just(0.0), st.floats(1e-12, 2.0**40), st.integers(0, 2**40).map(float), st.floats(1e-12, 1e-6)
)


@st.composite
def parts(draw: st.DrawFn) -> list[pl.DataFrame]:
    """Draw a table of costs, in a random order, in parts."""
    table = draw(
        st.lists(st.tuples(amounts, st.integers(0, 3), st.sampled_from("ab"), st.integers(0, 4)), min_size=1)
    )
    ends = [0, *sorted(draw(st.lists(st.integers(0, len(table)), max_size=4))), len(table)]
    shuffled = draw(st.permutations(table))
    frame = pl.DataFrame(
        shuffled,
        schema={"usd": pl.Float64, "right": pl.Int64, "lang": pl.String, "document": pl.Int64},
        orient="row",
    )
    return [frame[start:end] for start, end in itertools.pairwise(ends)]


@pytest.mark.parametrize("cluster", [None, "document"])
@FEWER
@given(pieces=parts(), other=st.randoms(use_true_random=False))
def test_properties_of_parts_in_any_order(
    pieces: list[pl.DataFrame], other: Any, cluster: str | None
) -> None:
    """Reports of saved and merged parts equal that of all rows to the last bit."""
    how: dict[str, Any] = {"metrics": COST, "by": "lang", "cluster": cluster}
    whole = pl.concat(pieces)
    shuffled = whole.sample(whole.height, shuffle=True, seed=other.randrange(1000))
    saved = [af.summarize(piece, **how, part=str(n)).to_bytes() for n, piece in enumerate(pieces)]
    other.shuffle(saved)
    merged = af.Report.from_summary(af.merge([af.Summary.from_bytes(content) for content in saved]))
    for made in (af.report(whole, **how), af.report(shuffled, **how), af.report(shuffled.lazy(), **how)):
        assert made.overall == merged.overall
        assert made.by_group.equals(merged.by_group)
    total, right = sum(map(Fraction, whole["usd"])), sum(whole["right"])
    # Fractions are truncated below 2**-90.
    if right:
        lost = float(whole.height * Fraction(1, 2**90) / right)
        assert merged.overall["cost"] == pytest.approx(float(total / right), rel=1e-15, abs=lost)


def test_constant_amounts_have_no_spread() -> None:
    for usd in (0.1, 1e-9, 1e12 + 0.5):
        frame = rows().with_columns(usd=pl.lit(usd), right=1)
        found = af.report(frame, metrics=COST, cluster="document").overall
        assert [found[end] for end in ENDS] == [usd] * 3


@pytest.mark.parametrize("unit", [2.0**-20, 2.0**-30, 2.0**10])
def test_unit_changes_nothing_but_the_scale(unit: float) -> None:
    """Whole numbers, whose sums are exact without fractions, give the same figures in any unit."""
    counts = rows(1000.0).with_columns(pl.col("usd").round())
    found = [
        af.report(counts.with_columns(usd=pl.col("usd") * factor), metrics=COST, cluster="document").overall
        for factor in (1.0, unit)
    ]
    assert [found[1][end] / unit for end in ENDS] == pytest.approx([found[0][end] for end in ENDS], rel=1e-12)


@pytest.mark.parametrize(
    ("value", "advice"),
    [
        (math.inf, ""),
        (-1.0, ""),
        (1e300, "; use a unit in which numerators are 0 or from 1e-12 to 4.5e+15"),
        (1e-13, "; use a unit in which numerators are 0 or from 1e-12 to 4.5e+15"),
    ],
)
def test_wrong_amounts_name_columns_and_row(value: float, advice: str) -> None:
    frame = pl.DataFrame({"usd": [0.5, value, 0.25], "right": [1, 0, 1]})
    message = (
        "metric 'cost' (usd / right) must divide finite numbers of at least 0 by whole numbers of at least "
        f"0, got {value!r} and 0.0 in row 1 (counted from 0){advice}"
    )
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole message is compared
        af.report(frame, metrics=COST)
    assert str(error.value) == message
    both = frame.with_columns(old_usd=1.0, old_right=1)
    costs = af.Metric(
        {"old": "old_usd", "new": "usd"}, denominator={"new": "right", "old": "old_right"}, name="cost"
    )
    with pytest.raises(ValueError) as error:  # noqa: PT011 - the whole message is compared
        af.compare(both, {"old": "old_usd", "new": "usd"}, metrics=costs)
    assert str(error.value) == message


@pytest.mark.parametrize("value", [None, math.nan])
def test_missing_amounts_are_left_out_and_counted(value: float | None) -> None:
    frame = pl.DataFrame({"usd": [0.5, value, 0.25], "right": [1, 1, 0]})
    made = af.report(frame, metrics=COST)
    assert made.overall["cost"] == 0.75
    assert str(made.account) == "2 of 3 rows were used; 1 has no score and was left out."
    with pytest.raises(ValueError, match=r"metric 'cost' must divide .* got nan and 1.0 in row 1"):
        af.report(
            frame.fill_null(math.nan), metrics=af.Metric(pl.col("usd") + 0, denominator="right", name="cost")
        )


def test_sums_beyond_the_exact_ones_are_an_error() -> None:
    frame = pl.DataFrame({"usd": [2.0**51] * 4096, "right": [1] * 4096})
    assert af.report(frame[:4000], metrics=COST).overall["cost"] == 2.0**51
    with pytest.raises(OverflowError, match="too large to be added up exactly; divide the scores by a power"):
        _ = af.report(frame, metrics=COST).overall


def test_report_of_any_frame_and_file(tmp_path: Path) -> None:
    frame = rows(1e-3)
    frame.write_parquet(tmp_path / "rows.parquet")
    how: dict[str, Any] = {"metrics": COST, "by": "lang", "cluster": "document"}
    made = af.report(frame, **how)
    others = [frame.lazy(), pl.scan_parquet(tmp_path / "rows.parquet"), frame.to_arrow(), frame.to_pandas()]
    for other in others:
        again = af.report(other, **how)
        assert again.overall == made.overall
        by_group = again.by_group
        assert (pl.from_pandas(by_group) if isinstance(by_group, pd.DataFrame) else by_group).equals(
            made.by_group
        )
    of_languages = frame.group_by("lang").agg(pl.col("usd").sum() / pl.col("right").sum())["usd"]
    macro = made.macro("lang")
    assert macro["score"].item() == pytest.approx(of_languages.mean(), rel=1e-12)


def test_comparison_of_costs_is_that_of_single_figures() -> None:
    frame = pl.DataFrame(
        {"old": [0.5, 1.5, 1.0, 0.25] * 20, "new": [0.25, 0.5, 1.0, 0.75] * 20, "a": [1, 0, 1, 1] * 20}
    ).with_columns(b=pl.lit(1), document=pl.int_range(80) // 4)
    costs = af.Metric(
        {"old": "old", "new": "new"},
        denominator={"old": "a", "new": "b"},
        name="cost",
        higher_is_better=False,
    )
    made = af.compare(frame, {"old": "old", "new": "new"}, metrics=costs)
    # 3.25 dollars for 3 right answers, against 2.5 for 4.
    row = made.overall.row(0, named=True)
    assert (row["baseline_score"], row["score"]) == pytest.approx((3.25 / 3, 2.5 / 4), rel=1e-15)
    assert row["difference_low"] < row["difference"] < row["difference_high"] < 0
    single = af.report(frame, metrics=af.Metric("new", denominator="b", name="cost", higher_is_better=False))
    ranked = made.ranking.filter(system="new").row(0, named=True)
    assert [ranked[end] for end in ("score", "score_low", "score_high")] == pytest.approx(
        [single.overall[end] for end in ENDS], rel=1e-9
    )
    assert made.decide(within=0.01).answer == "fine"


@pytest.mark.parametrize("numerator", [[0.5, 1.0], [0, 0]])
@pytest.mark.parametrize("name", ["cost", "cost_error"])
def test_a_note_says_why_a_ratio_is_null(numerator: list[float], name: str) -> None:
    frame = pl.DataFrame({"x": numerator, "none": [0, 0], "some": [0, 2]})
    said = f"{name} is null, because no row has a denominator above 0."
    null = af.report(frame, metrics=af.Metric("x", denominator="none", name=name))
    assert null.overall[name] is None
    assert said in str(null)
    merged = af.Report.from_summary(af.merge([null.summary]))
    assert said in str(merged)
    both = af.Metric({"x": "x", "some": "some"}, denominator={"x": "none", "some": "none"}, name=name)
    assert said in str(af.compare(frame, ["x", "some"], None, metrics=both))
    assert "is null" not in str(af.report(frame, metrics=af.Metric("x", denominator="some", name=name)))


@pytest.mark.parametrize(
    ("name", "nothing"),
    [
        ("fabrication_rate", "rows without an answer"),
        ("abstention_rate", "rows with an answer"),
        ("wer_corpus", "words of the references"),
        ("insertions", "characters of the references"),
        ("field_precision", "predicted values"),
    ],
)
def test_a_note_names_what_a_score_divides_by(name: str, nothing: str) -> None:
    answer, prediction = {"fabrication_rate": ("a", "b"), "field_precision": ("a", "")}.get(name, ("", "b"))
    made = af.report(pl.DataFrame({"p": [prediction], "a": [answer]}), "p", "a", metrics=name)
    assert made.overall[name] is None
    assert f" is null, because there are no {nothing}." in str(made)
