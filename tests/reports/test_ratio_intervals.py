"""Intervals of ratios, such as correct fields divided by fields, against a bootstrap and single fields."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest

import anls_frame as af

RATIO = af.Metric("right", denominator="asked", name="fields", bounds=(0, 1))
ENDS = ["fields", "fields_low", "fields_high"]
_DRAWS = 4000

ASKED: dict[str, Any] = {
    "none or one": lambda dice, n: dice.integers(0, 2, n),
    "one": lambda _, n: np.ones(n, int),
    "alike": lambda _, n: np.full(n, 12),
    "few": lambda dice, n: dice.integers(0, 6, n),
    "unequal": lambda dice, n: dice.integers(1, 300, n),
    "large": lambda dice, n: dice.integers(200_000, 900_000, n),
    "skewed": lambda dice, n: np.ceil(dice.lognormal(2, 1, n)).astype(int),
    "many empty": lambda dice, n: dice.integers(1, 30, n) * (dice.random(n) < 0.5),
    "two sizes": lambda dice, n: dice.choice([2, 40], n, p=[0.5, 0.5]),
    "powers": lambda dice, n: 10 ** dice.integers(2, 4, n),
}


def population(asked: str, *, clustered: bool, seed: int = 0) -> pl.DataFrame:
    """Return rows with fields of which a share is right that differs from document to document."""
    dice = np.random.default_rng([seed, [*ASKED].index(asked), clustered])
    rows = 1200 if clustered else 300
    document = dice.integers(0, 150, rows) if clustered else np.arange(rows)
    y = ASKED[asked](dice, rows)
    share = dice.beta(6, 2, document.max() + 1)[document]
    return pl.DataFrame({"document": document, "right": dice.binomial(y, share), "asked": y})


def bootstrap(rows: pl.DataFrame) -> tuple[float, float]:
    """Return the 95 % percentile interval of the ratio, from documents drawn with replacement."""
    sums = rows.group_by("document", maintain_order=True).agg(pl.col("right", "asked").sum())
    x, y = sums["right"].to_numpy(), sums["asked"].to_numpy()
    dice = np.random.default_rng(7)
    drawn = [dice.integers(0, len(x), len(x)) for _ in range(_DRAWS)]
    low, high = np.quantile([x[one].sum() / y[one].sum() for one in drawn], [0.025, 0.975])
    return float(low), float(high)


def single_fields(rows: pl.DataFrame) -> dict[str, Any]:
    """Return the figures of the same fields, each in a row of its own with 1 or 0, by documents."""
    right = [pl.lit(value).repeat_by(name) for value, name in ((1, "right"), (0, "wrong"))]
    fields = rows.with_columns(wrong=pl.col("asked") - pl.col("right"))
    laid_out = fields.select("document", score=pl.concat_list(right)).explode("score", empty_as_null=False)
    metric = af.Metric("score", name="fields", bounds=(0, 1))
    return af.report(laid_out, metrics=metric, cluster="document").overall


def ends(figures: dict[str, Any]) -> list[float | None]:
    return [figures[end] for end in ENDS]


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("asked", ASKED)
def test_interval_of_a_ratio_is_that_of_a_bootstrap_of_documents(asked: str, *, clustered: bool) -> None:
    rows = population(asked, clustered=clustered)
    low, high = bootstrap(rows)
    found = af.report(rows, metrics=RATIO, cluster="document" if clustered else None).overall
    assert found["fields"] == rows["right"].sum() / rows["asked"].sum()
    width = high - low
    assert found["fields_low"] == pytest.approx(low, abs=0.15 * width)
    assert found["fields_high"] == pytest.approx(high, abs=0.15 * width)
    assert found["n"] == (rows["asked"] > 0).sum()


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("asked", [name for name in ASKED if name != "large"])
def test_interval_of_a_ratio_is_that_of_its_fields_as_rows(asked: str, *, clustered: bool) -> None:
    rows = population(asked, clustered=clustered, seed=1)[:200]
    found = af.report(rows, metrics=RATIO, cluster="document" if clustered else None).overall
    assert ends(found) == pytest.approx(ends(single_fields(rows)), rel=1e-9)


NO_WIDTH = {
    "all right": ([9] * 60, [9] * 60, range(60)),
    "all wrong": ([0] * 60, [9] * 60, range(60)),
    "all right, none or one": ([0, 1] * 40, [0, 1] * 40, range(80)),
    "the same share": ([6] * 50, [7] * 50, range(50)),
    "two rows": ([6, 6], [7, 7], range(2)),
    "one row": ([6], [7], range(1)),
    "one document": ([6, 3, 0], [7, 5, 1], [0, 0, 0]),
    "one document with fields": ([6, 0, 0], [7, 0, 0], range(3)),
    "nothing": ([0, 0], [0, 0], range(2)),
}


@pytest.mark.parametrize("case", NO_WIDTH)
def test_without_any_spread_the_interval_is_that_of_the_fields(case: str) -> None:
    right, asked, document = NO_WIDTH[case]
    rows = pl.DataFrame({"right": right, "asked": asked, "document": list(document)})
    found = af.report(rows, metrics=RATIO, cluster="document").overall
    if case == "nothing":
        assert ends(found) == [None] * 3
        return
    expected = ends(single_fields(rows))
    assert ends(found) == (expected if None in expected else pytest.approx(expected, rel=1e-9))
    if None not in expected:
        assert found["fields_low"] < found["fields_high"]


def test_units_of_the_fields_do_not_matter() -> None:
    found = [
        ends(
            af.report(
                pl.DataFrame({"right": [times] * 160 + [0] * 40, "asked": [times] * 200}), metrics=RATIO
            ).overall
        )
        for times in (1, 2, 10, 1000)
    ]
    for other in found[1:]:
        assert other == pytest.approx(found[0], abs=2e-4)


@pytest.mark.parametrize("better", [True, False])
def test_bounds_follow_from_the_ratios_of_rows(*, better: bool) -> None:
    rows = population("few", clustered=False)
    metric = af.Metric("right", denominator="asked", name="fields", higher_is_better=better)
    assert ends(af.report(rows, metrics=metric).overall) == ends(af.report(rows, metrics=RATIO).overall)
    above, beside = (
        pl.concat([rows, pl.DataFrame([[0], [right], [asked]], schema=rows.schema)])
        for right, asked in ((3, 2), (1, 0))
    )
    for other in (above, beside):
        assert af.report(other, metrics=metric).measures[0].bounds == (0, None)
    halves = [af.summarize(part, metrics=metric) for part in (rows[:100], above[100:])]
    assert af.Report.from_summary(halves[0]).measures[0].bounds == (0, 1)
    assert af.Report.from_summary(af.merge(halves)).measures[0].bounds == (0, None)


def test_rows_without_fields_count_nowhere() -> None:
    rows = pl.DataFrame(
        {"right": [0, 0, 1, 3], "asked": [0, 2, 2, 3], "other": [1.0] * 4, "k": ["a", "a", "a", "b"]}
    )
    made = af.report(rows, metrics=["other", RATIO], by="k")
    assert made.overall["n"] == 4
    assert made.overall["fields_n"] == 3
    assert made.by_group["fields_n"].to_list() == [2, 1]
    assert "All 4 rows were used; fields has a score in 3 rows." in str(made)
    worst = af.report(rows, metrics=RATIO, worst=4).worst
    assert worst["fields"].to_list() == [0, 0.5, 1]
    errors = af.Metric("right", denominator="asked", name="errors", bounds=(0, None), higher_is_better=False)
    assert af.report(rows, metrics=errors).overall["n"] == 4


def test_a_system_without_fields_loses_to_one_with_some() -> None:
    """Precision divides by what a system has predicted, which may be nothing in some rows."""
    rows = pl.DataFrame(
        {"a": [2, 0, 0, 1], "of_a": [2, 0, 0, 1], "b": [1, 0, 3, 1], "of_b": [2, 0, 4, 1], "k": [1, 2, 3, 4]}
    )
    precision = af.Metric(
        {"a": "a", "b": "b"}, denominator={"a": "of_a", "b": "of_b"}, name="precision", bounds=(0, 1)
    )
    made = af.compare(rows, ["a", "b"], None, metrics=precision)
    assert made.overall.select("n", "wins", "ties", "losses").row(0, named=True) == {
        "n": 3, "wins": 1, "ties": 1, "losses": 1
    }  # fmt: skip
    assert made.overall.select("baseline_score", "score").row(0) == (1.0, 5 / 7)
    assert af.changes(rows, ["a", "b"], None, metrics=precision, kind="all", keep="k")[
        "k"
    ].sort().to_list() == [1, 3]


def test_found_slices_and_slices_have_the_intervals_of_their_fields() -> None:
    rows = population("unequal", clustered=True).with_columns(
        kind=pl.when(pl.col("document") % 4 == 0).then(pl.lit("form")).otherwise(pl.lit("letter"))
    )
    rows = rows.with_columns(right=pl.when(kind="form").then(pl.col("right") // 3).otherwise("right"))
    form = ends(single_fields(rows.filter(kind="form")))
    # Of two slices that are looked at one is listed, so that the interval has a confidence of 95 %.
    found = af.find_slices(rows, columns=["kind"], metrics=RATIO, cluster="document", confidence=0.9)
    line = found.frame.row(0, named=True)
    assert [line[name] for name in ("score", "score_low", "score_high")] == pytest.approx(form, rel=1e-9)
    sliced = af.report(rows, metrics=RATIO, by="kind", cluster="document")
    assert ends(sliced.by_group.row(by_predicate=pl.col("kind") == "form", named=True)) == pytest.approx(
        form, rel=1e-9
    )
    drawn = sliced.plot()
    bars = [segment for lines in drawn.collections for segment in getattr(lines, "get_segments", list)()]
    assert any([start[0], end[0]] == pytest.approx(form[1:], rel=1e-9) for start, end in bars if len(bars))


def test_no_calculation_warns() -> None:
    """A row with something right of nothing made the root of a negative number."""
    rows = pl.DataFrame({"right": [1, 0, 1, 0] * 20, "asked": [1, 1, 1, 0] * 20, "k": ["a", "b"] * 40})
    with np.errstate(all="raise"):
        made = af.report(rows, metrics=RATIO, by="k")
        assert None not in ends(made.overall)
        af.report(rows, metrics=af.Metric("right", denominator="asked", name="fields"), by="k")


@pytest.mark.parametrize("clustered", [False, True])
def test_ranking_has_the_interval_of_the_report(*, clustered: bool) -> None:
    rows = population("skewed", clustered=clustered).with_columns(k=pl.col("document") % 3, no=0)
    columns = {"one": "right", "two": "right", "none": "no"}
    metric = af.Metric(columns, denominator=dict.fromkeys(columns, "asked"), name="fields", bounds=(0, 1))
    options: dict[str, Any] = {"by": "k", "cluster": "document" if clustered else None}
    made = af.compare(rows, columns, None, metrics=metric, **options)
    for system, column in columns.items():
        numerator = af.Metric(column, denominator="asked", name="fields", bounds=(0, 1))
        expected = af.report(rows, metrics=numerator, **options).to_polars()
        expected = expected.sort("slice", "k", descending=[True, False])
        ranked = made.ranking.filter(system=system).sort("slice", "k", descending=[True, False])
        assert ranked["n"].to_list() == expected["n"].to_list()
        assert ranked["few_rows"].to_list() == expected["few_rows"].to_list()
        for end, name in zip(("score", "score_low", "score_high"), ENDS, strict=True):
            assert ranked[end].to_list() == pytest.approx(expected[name].to_list(), rel=1e-9)
