"""Chunks, slices, engines and the size of a column do not change a bit of any score."""

from __future__ import annotations

import itertools

import polars as pl
import pytest
from cases import NullableRow, as_frame, assert_same_bits, mixed_rows, nullable_rows
from hypothesis import given
from hypothesis import strategies as st
from registry import Engine, each_engine

import anls_frame as af

FRAME = as_frame(nullable_rows(400, seed=81)).collect()
ALL = (
    af.levenshtein("prediction", pl.col("answers").list.first()),
    af.hamming("prediction", pl.col("answers").list.first()),
    af.nls("prediction", "answers"),
    af.anls("prediction", "answers", protocol="rrc"),
    af.cer("prediction", "answers"),
    af.exact_match("prediction", "answers"),
    af.nearest_answer("prediction", "answers"),
    af.score("prediction", "answers", protocol="anls_star"),
)
SCORED = FRAME.select(ALL)
CUTS = st.lists(st.integers(0, FRAME.height), max_size=8).map(sorted)


def pieces(values: pl.Series, cuts: list[int]) -> pl.Series:
    """The same values in chunks, empty ones included."""
    bounds = itertools.pairwise([0, *cuts, len(values)])
    return pl.concat([values.slice(start, end - start) for start, end in bounds], rechunk=False)


@given(CUTS, CUTS)
def test_chunks_that_differ_between_the_columns(left: list[int], right: list[int]) -> None:
    frame = pl.DataFrame([pieces(FRAME["prediction"], left), pieces(FRAME["answers"], right)])
    assert frame.select(ALL).equals(SCORED)


@given(st.integers(0, FRAME.height), st.integers(0, FRAME.height), CUTS)
def test_slices(offset: int, length: int, cuts: list[int]) -> None:
    frame = pl.DataFrame([pieces(FRAME["prediction"], cuts), FRAME["answers"]])
    assert frame.slice(offset, length).select(ALL).equals(SCORED.slice(offset, length))


@given(st.lists(st.integers(0, FRAME.height - 1), max_size=60))
def test_any_selection_of_rows(indices: list[int]) -> None:
    assert FRAME[indices].select(ALL).equals(SCORED[indices])


@each_engine
def test_engines(engine: Engine) -> None:
    assert FRAME.lazy().select(ALL).collect(engine=engine).equals(SCORED)
    parts = pl.concat([FRAME.slice(start, 7).lazy() for start in range(0, FRAME.height, 7)])
    assert parts.select(ALL).collect(engine=engine).equals(SCORED)


@each_engine
def test_large_columns(engine: Engine) -> None:
    times = 100
    frame = pl.concat([FRAME.lazy()] * times).collect().rechunk()
    assert frame.height == 40_000
    scored = frame.lazy().select(ALL).collect(engine=engine)
    assert scored.equals(pl.concat([SCORED] * times))


@pytest.mark.parametrize("row", [NullableRow("Coca Cola", ["Coca Cola", None]), NullableRow(None, ["a"])])
def test_a_constant_side_is_scored_as_a_column_of_it(row: NullableRow) -> None:
    prediction = pl.lit(row.prediction, dtype=pl.String)
    answers = pl.lit(pl.Series([row.answers], dtype=pl.List(pl.String)))
    height = FRAME.height
    for metric in (af.nls, af.anls, af.cer, af.exact_match, af.nearest_answer, af.score):
        filled = FRAME.with_columns(prediction=pl.Series([row.prediction] * height, dtype=pl.String))
        constant = FRAME.select(metric(prediction, "answers"))
        assert constant.equals(filled.select(metric("prediction", "answers")))
        filled = FRAME.with_columns(answers=pl.Series([row.answers] * height, dtype=pl.List(pl.String)))
        constant = FRAME.select(metric("prediction", answers))
        assert constant.equals(filled.select(metric("prediction", "answers")))


def test_rows_do_not_depend_on_their_neighbours() -> None:
    # Working memory is reused from row to row: long, short and foreign texts in turn.
    rows = mixed_rows(400, seed=82)
    alone = [as_frame([row]).select(af.nls("prediction", "answers")).collect().item() for row in rows]
    together = as_frame(rows).select(af.nls("prediction", "answers")).collect().to_series()
    assert_same_bits(together, alone, rows)
    backwards = as_frame(rows[::-1]).select(af.nls("prediction", "answers")).collect().to_series()
    assert_same_bits(backwards, alone[::-1], rows[::-1])
