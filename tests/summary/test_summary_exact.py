"""
The same rows give the same figures, whatever order, engine, number of threads or parts they come in.

Reports of texts give the same bits; own scores and comparisons, which add floats, twelve digits.
"""

from __future__ import annotations

import functools
import hashlib
import itertools
import random
import sys
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
import report_oracle
from campaign import amount
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from shell import RunPython
from summary_checks import SCHEMA, with_cells

import anls_frame as af
from anls_frame.summary import fixed_point

# Long enough for scores that are no sums of few powers of two, and for rates above 1.
TEXT = st.text("abc ", max_size=13)
ROWS = st.lists(
    st.fixed_dictionaries(
        {
            "prediction": st.none() | TEXT,
            "answers": st.none() | st.lists(st.none() | TEXT, max_size=2),
            "types": st.none() | st.lists(st.sampled_from("xyz"), max_size=2),
            "lang": st.none() | st.sampled_from(["en", "de"]),
            "doc": st.none() | st.integers(0, 3),
        }
    ),
    max_size=24,
)
SCORE = st.one_of(
    st.sampled_from([0.0, -0.0, 1.0, 0.1, 0.7, 1e50, -1e50, 5e-324]), st.floats(0, 1), st.floats(-1e50, 1e50)
)


def bits(frame: pl.DataFrame) -> list[tuple[Any, ...]]:
    """Return rows with each float as its 64 bits; 0.0 and -0.0 differ."""
    return frame.with_columns(cs.float().reinterpret(dtype=pl.UInt64)).rows()


def bits_of(summary: af.Summary) -> list[Any]:
    """Return all that is made of a summary."""
    made = af.Report.from_summary(summary)
    tables = [made.to_polars(), *(made.by(column) for column in summary.settings.by), made.worst]
    if summary.settings.has_texts:
        tables.append(af.threshold_curve(summary, by=summary.settings.by))
    if summary.settings.details:
        tables += [made.lengths(), made.errors(), made.confusions()]
    return [summary.digest, *map(bits, tables)]


def merged_anyhow(parts: Sequence[af.Summary], dice: random.Random) -> af.Summary:
    """Merge some of the parts at a time until one is left."""
    left = list(parts)
    while len(left) > 1:
        dice.shuffle(left)
        taken = dice.randint(2, len(left))
        left = [af.merge(left[:taken]), *left[taken:]]
    return left[0]


def in_parts(frame: pl.DataFrame, dice: random.Random) -> list[pl.DataFrame]:
    """Return the rows in any order, cut anywhere; parts may be empty or in several chunks."""
    rows = list(range(frame.height))
    dice.shuffle(rows)
    cuts = sorted(dice.choices(range(frame.height + 1), k=dice.randint(0, 4)))
    shuffled = frame[rows]
    parts = [shuffled[start:end] for start, end in zip([0, *cuts], [*cuts, frame.height], strict=True)]
    return [pl.concat([part[:1], part[1:]], rechunk=False) for part in parts]


@pytest.mark.usefixtures("each_default_engine")
@report_oracle.FEWER
@given(
    rows=ROWS,
    options=report_oracle.OPTIONS,
    details=st.booleans(),
    dice=st.randoms(use_true_random=False),
)
def test_texts_in_any_parts(
    rows: list[dict[str, Any]], options: report_oracle.Options, dice: random.Random, *, details: bool
) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    arguments = options.arguments() | {"details": details, "worst": 4}
    del arguments["confidence"]
    expected = bits_of(af.summarize(frame, "prediction", "answers", **arguments))
    parts = [af.summarize(part, "prediction", "answers", **arguments) for part in in_parts(frame, dice)]
    assert bits_of(merged_anyhow(parts, dice)) == expected


@pytest.mark.usefixtures("each_default_engine")
@report_oracle.FEWER
@given(
    scores=st.lists(st.none() | SCORE, max_size=24),
    by=st.sampled_from([[], ["k"], ["k", "l"]]),
    cluster=st.sampled_from([None, "d"]),
    dice=st.randoms(use_true_random=False),
)
def test_existing_scores_in_any_parts(
    scores: list[float | None], by: list[str], cluster: str | None, dice: random.Random
) -> None:
    frame = pl.DataFrame({"s": pl.Series(scores, dtype=pl.Float64)}).with_columns(
        k=pl.Series([[["t"], ["t", "u"], []][n % 3] for n in range(len(scores))], dtype=pl.List(pl.String)),
        l=pl.int_range(pl.len()) % 2,
        d=pl.int_range(pl.len()) % 5,
    )
    expected = af.summarize(frame, metrics="s", by=by, cluster=cluster)
    parts = [af.summarize(part, metrics="s", by=by, cluster=cluster) for part in in_parts(frame, dice)]
    merged = merged_anyhow(parts, dice)
    assert merged.digest == expected.digest
    report_oracle.check_close(
        *(af.Report.from_summary(summary).to_polars() for summary in (merged, expected))
    )


@pytest.mark.usefixtures("each_default_engine")
@pytest.mark.parametrize("metric", ["anls", "nls", "exact_match", "cer_mean"])
@pytest.mark.parametrize("cluster", [None, "doc"])
@report_oracle.FEWER_EACH
@given(rows=ROWS, others=st.lists(st.none() | TEXT, min_size=24, max_size=24), dice=st.randoms())
def test_comparison_in_any_order(
    metric: Any, cluster: str | None, rows: list[dict[str, Any]], others: list[str], dice: random.Random
) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA).with_columns(
        other=pl.Series(others[: len(rows)], dtype=pl.String)
    )
    systems = {"one": "prediction", "two": "other"}
    options: dict[str, Any] = {"by": "types", "cluster": cluster, "metrics": metric, "draws": 50}
    expected = af.compare(frame, systems, "answers", **options)
    shuffled = pl.concat(in_parts(frame, dice), rechunk=False)
    found = af.compare(shuffled.lazy(), systems, "answers", **options)
    report_oracle.check_close(found.to_polars(), expected.to_polars())


@pytest.mark.usefixtures("each_default_engine")
@report_oracle.FEWER
@given(rows=ROWS)
def test_sums_of_texts_are_those_of_fractions(rows: list[dict[str, Any]]) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    cells = af.summarize(frame, "prediction", "answers").report_sums.cells[None]
    scores = af.add_scores(frame.with_columns(pl.col("prediction").fill_null("")), "prediction", "answers")
    for name, least in (("anls", 53), ("nls", 53), ("cer", 62)):
        values = [Fraction(value) for value in scores[name].drop_nulls()]
        found = Fraction(int(cells[f"{name}_units"].sum()), 2**least)
        if name == "cer":
            assert 0 <= sum(values) - found <= Fraction(len(values), 2**62)
        else:
            assert found == sum(values)
        squares = Fraction(int(cells[f"{name}_square_units"].sum()), 2**62)
        rounded = [Fraction(float(value) * float(value)) for value in values]
        assert 0 <= sum(rounded) - squares <= Fraction(len(values), 2**62)


@pytest.mark.usefixtures("each_default_engine")
@given(st.lists(st.none() | SCORE | st.floats(-1e140, 1e140), max_size=24))
def test_sums_of_existing_scores_are_those_of_fractions(scores: list[float | None]) -> None:
    frame = pl.DataFrame({"s": pl.Series(scores, dtype=pl.Float64)})
    (cell,) = af.summarize(frame, metrics="s").report_sums.cells["s"].iter_rows(named=True)
    values = [Fraction(score) for score in scores if score is not None]
    size = sum(map(abs, values))
    assert abs(Fraction(cell["score_sum"]) - sum(values)) <= size / 2**48
    mean = sum(values) / len(values) if values else 0
    spread = sum((value - mean) ** 2 for value in values)
    # Of squares that are smaller than any float nothing is left.
    least = len(values) * Fraction(5e-324)
    assert abs(Fraction(cell["score_spread"]) - spread) <= spread / 2**40 + size**2 / 2**90 + least


@given(st.lists(st.integers(-(2**120), 2**120), min_size=1, max_size=20), st.sampled_from([0, 52, 62]))
def test_sums_become_floats_by_one_rounding(values: list[int], unit: int) -> None:
    frame = pl.DataFrame({"x": pl.Series(values, dtype=pl.Int128)})
    found = frame.select(fixed_point.floats(pl.col("x").sum(), unit)).item()
    assert found == float(Fraction(sum(values), 2**unit))


def test_the_same_rows_give_the_same_bits_again() -> None:
    dice = np.random.default_rng(0)
    columns = {"s": dice.normal(size=2000), "t": dice.random(2000), "d": dice.integers(0, 100, 2000)}
    frame = pl.DataFrame(columns).with_columns(k=pl.int_range(pl.len()) % 5)
    systems, options = {"a": "s", "b": "t"}, {"by": "k", "cluster": "d"}
    made: list[Callable[[], pl.DataFrame]] = [
        lambda: af.report(frame, metrics=["s", "t"], by="k").to_polars(),
        lambda: af.report(frame, metrics=["s", "t"], **options).to_polars(),
        lambda: af.compare(frame, systems, draws=20, **options).to_polars(),
    ]
    for make in made:
        first = bits(make())
        assert all(bits(make()) == first for _ in range(4))


def questions(copies: int) -> pl.DataFrame:
    """Return the sample data several times over, with documents of their own."""
    frame = af.sample()
    return pl.concat(
        frame.with_columns(doc_id=pl.col("doc_id") + f" {copy}", answers=pl.col("answers").list.reverse())
        for copy in range(copies)
    )


BY = ["question_types", "lang"]


@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_of_equal_texts_the_same_rows_are_the_worst(missing: Any) -> None:
    tags = [["b", "a"], ["a", "b", "a"], ["a"], [], [None], None, ["c"]]
    frame = pl.DataFrame(
        {
            "p": [["x", "", None][row % 3] for row in range(210)],
            "a": [[["a", "b"], ["a", "b", None]][row % 2] for row in range(210)],
            "t": [tags[row % 7] for row in range(210)],
            "c": pl.Series([f"c{row % 5}" for row in range(210)], dtype=pl.Categorical),
            "d": [[None, 0.0, -1.5, 1e9][row % 4] for row in range(210)],
        }
    )
    options: dict[str, Any] = {"by": ["t", "c"], "cluster": "d", "missing": missing}
    dice = random.Random(0)
    for worst in (1, 100, 300):
        expected = af.Report.from_summary(af.summarize(frame, "p", "a", **options, worst=worst)).worst
        assert expected.height == min(worst, 140 if missing == "drop" else 210)
        for _ in range(amount(1, 3)):
            parts = [af.summarize(part, "p", "a", **options, worst=worst) for part in in_parts(frame, dice)]
            found = af.Report.from_summary(merged_anyhow(parts, dice)).worst
            assert_frame_equal(found, expected, check_exact=True)


@functools.cache
def fingerprint() -> str:
    """Return a digest of a report, a report of scores and comparisons, over many row groups."""
    frame = questions(amount(3, 30)).lazy()
    scored = af.add_scores(frame, "rapidocr", "answers", columns=["nls"])
    options: dict[str, Any] = {"by": "question_types", "cluster": "doc_id"}
    systems = {"one": "tesseract", "two": "rapidocr"}
    added = [
        af.report(scored, metrics="nls", **options),
        *(
            af.compare(frame, systems, "answers", **options, metrics=metric)
            for metric in ("anls", "cer_mean")
        ),
    ]
    everything = [
        # 3 or 30 rows of the same texts: which of them are shown is part of it.
        bits_of(af.summarize(frame, "tesseract", "answers", **options, details=True, worst=45)),
        *(result.to_polars().with_columns(cs.float().round_sig_figs(10)).rows() for result in added),
    ]
    return hashlib.sha256(repr(everything).encode()).hexdigest()


@pytest.mark.parametrize(
    ("threads", "engine"),
    amount(
        [(7, "streaming")],
        list(itertools.product([1, 2, 7], ["in-memory", "streaming"])),
    ),
)
def test_any_number_of_threads_and_engine(run_python: RunPython, threads: int, engine: str) -> None:
    environment = {"POLARS_MAX_THREADS": str(threads), "POLARS_ENGINE_AFFINITY": engine}
    process = run_python("-W", "error", __file__, **environment)
    assert process.returncode == 0, process.stderr
    assert process.stdout.split() == [str(threads), fingerprint()]


@pytest.mark.parametrize("folded", [False, True])
def test_squares_of_lengths_have_room_for_many_parts(*, folded: bool) -> None:
    # Two rows of 3 characters, one of which is wrong, as if each part had seen 2**58 rows of them.
    frame = pl.DataFrame({"p": ["abx", "abc"], "a": ["abc", "abc"], "d": [1, 1]})
    sums = {"char_errors_squares": 1, "char_errors_by_length": 3, "reference_length_squares": 18}
    many = [(pl.col(name) * (1 << 58)).alias(name) for name in sums]
    parts = []
    for number in range(40):
        part = af.summarize(frame, "p", "a", cluster="d" if folded else None, part=f"{number}")
        part = part.fold_clusters() if folded else part
        assert part.report_sums.cells[None].select(list(sums)).row(0) == tuple(sums.values())
        parts.append(with_cells(part, part.report_sums.cells[None].with_columns(many)))
    merged = af.merge([af.merge(parts[:20]), *parts[20:]])
    assert merged.report_sums.cells[None].select(list(sums)).row(0) == tuple(
        40 * (count << 58) for count in sums.values()
    )
    assert af.Report.from_summary(merged).overall["cer_corpus"] == 1 / 6


def test_too_large_sums_are_an_error() -> None:
    summary = af.summarize(pl.DataFrame({"p": ["a", "b"], "a": ["a", "c"], "k": [1, 2]}), "p", "a", by="k")
    large = pl.lit(2**127 - 1, dtype=pl.Int128)
    cells = summary.report_sums.cells[None]
    damaged = with_cells(summary, cells.with_columns(cer_square_units=large))
    with pytest.raises(OverflowError, match="too large to be added up exactly"):
        _ = af.Report.from_summary(damaged).overall


if __name__ == "__main__":
    sys.stdout.write(f"{pl.thread_pool_size()} {fingerprint()}")
