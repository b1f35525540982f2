"""Reports over any rows are what plain loops make of them, and account for every row."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
import report_oracle
from hypothesis import given
from hypothesis import strategies as st
from report_oracle import Options
from summary_checks import with_cells

from anls_frame import Summary, summarize
from anls_frame.reports.reports import Report, report

pytestmark = pytest.mark.usefixtures("each_default_engine")

SCHEMA: dict[str, Any] = {
    "prediction": pl.String,
    "answers": pl.List(pl.String),
    "types": pl.List(pl.String),
    "lang": pl.String,
    "doc": pl.Int64,
}


def frame_of(rows: list[dict[str, Any]]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=SCHEMA)


@report_oracle.FEWER
@given(rows=report_oracle.rows_of(), options=report_oracle.OPTIONS)
def test_report_is_that_of_plain_loops(rows: list[dict[str, Any]], options: Options) -> None:
    made = report(frame_of(rows), "prediction", "answers", **options.arguments())
    report_oracle.check_report(made, rows, options)


@report_oracle.FEWER
@given(
    scores=st.lists(st.none() | st.sampled_from([0.0, 1.0, 0.25, 0.5, -0.0]) | st.floats(-3, 3), max_size=12),
    data=st.data(),
)
def test_report_of_existing_scores_is_that_of_plain_loops(
    scores: list[float | None], data: st.DataObject
) -> None:
    row = st.fixed_dictionaries({"types": report_oracle.KEYS, "doc": st.none() | st.integers(0, 3)})
    rows = [{"score": score, **data.draw(row)} for score in scores]
    frame = pl.DataFrame(rows, schema={"score": pl.Float64, "types": pl.List(pl.String), "doc": pl.Int64})
    options = report_oracle.Options(by=("types",), cluster=data.draw(st.sampled_from([None, "doc"])))
    made = report(frame, metrics="score", by="types", cluster=options.cluster)
    report_oracle.check_slices(made.by_group, ["types"], report_oracle.expected_scores(rows, options))


def more_in_cells(summary: Summary, column: str) -> Summary:
    return with_cells(summary, summary.report_sums.cells[None].with_columns(pl.col(column) + 1))


@pytest.mark.parametrize(
    "damage",
    [
        lambda summary: more_in_cells(summary, "n"),
        lambda summary: more_in_cells(summary, "rows"),
        lambda summary: more_in_cells(summary, "n_unanswerable"),
        lambda summary: with_cells(summary, summary.report_sums.cells[None].head(1)),
        lambda summary: with_cells(summary, summary.report_sums.cells[None].clear()),
        lambda summary: dataclasses.replace(summary, parts={"a": 1}),
        lambda summary: dataclasses.replace(summary, parts={}),
    ],
    ids=["n", "rows", "unanswerable", "a cell lost", "all cells lost", "rows read", "no parts"],
)
def test_damaged_summary_is_refused(damage: Callable[[Summary], Summary]) -> None:
    frame = pl.DataFrame({"p": ["a", "b", None], "a": ["a", None, "x"], "k": [1, 2, 3]})
    summary = summarize(frame, "p", "a", by="k")
    with pytest.raises(RuntimeError, match=r"the rows do not add up: .* damaged"):
        Report.from_summary(damage(summary))


def test_damage_among_dropped_rows_is_noticed() -> None:
    summary = summarize(pl.DataFrame({"p": ["a", None], "a": ["a", "b"]}), "p", "a", missing="drop")
    assert Report.from_summary(summary).overall["n_missing"] == 1
    with pytest.raises(RuntimeError, match="the rows do not add up"):
        Report.from_summary(more_in_cells(summary, "n_missing"))
