"""The rows that tests of summaries take, and when two summaries are equal."""

from __future__ import annotations

import dataclasses
from typing import Any

import polars as pl
import report_oracle
from polars.testing import assert_frame_equal

from anls_frame import Summary
from anls_frame.reports.reports import Report
from anls_frame.summary.cell_sums import CellSums

SCHEMA: dict[str, Any] = {
    "prediction": pl.String,
    "answers": pl.List(pl.String),
    "types": pl.List(pl.String),
    "lang": pl.String,
    "doc": pl.Int64,
}


def ordered(frame: pl.DataFrame) -> pl.DataFrame:
    """Return the rows in an order of their own, lists compared by their entries."""
    keys = [column for column in frame.columns if column.startswith("key_") or column == "cluster"]
    keys += [column for column in ("grid_threshold",) if column in frame.columns]
    return frame.sort(keys, nulls_last=True) if keys else frame


def with_cells(summary: Summary, cells: pl.DataFrame) -> Summary:
    """Return the summary of one system with other cells."""
    return dataclasses.replace(summary, sums=CellSums({**summary.report_sums.frames, "cells": cells}))


def check_cells(found: pl.DataFrame, expected: pl.DataFrame) -> None:
    """Assert that cells are equal to the last bit."""
    assert_frame_equal(ordered(found), ordered(expected), check_exact=True)


def check_equal(found: Summary, expected: Summary) -> None:
    assert found.settings == expected.settings
    assert found.digest == expected.digest
    assert found.rows == expected.rows
    check_cells(found.report_sums.cells[None], expected.report_sums.cells[None])
    assert found.sums.frames.keys() == expected.sums.frames.keys()
    for name in found.sums.of("bins"):
        check_cells(found.sums.of("bins")[name], expected.sums.of("bins")[name])
    assert_frame_equal(
        found.report_sums.frames["worst"],
        expected.report_sums.frames["worst"],
        check_exact=True,
        check_dtypes=False,
    )
    # Own scores are added as floats.
    check = report_oracle.check_close if expected.settings.own else report_oracle.check_alike
    check(Report.from_summary(found).to_polars(), Report.from_summary(expected).to_polars())
