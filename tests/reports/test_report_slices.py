"""Slices of reports by several columns, and the frame of all rows and slices."""

from __future__ import annotations

import polars as pl
import pytest
import report_oracle

from anls_frame.reports.reports import report

pytestmark = pytest.mark.usefixtures("each_default_engine")

FRAME = pl.DataFrame(
    {"p": ["a", "x"], "a": ["a", "a"], "k": [["a", "b"], ["b"]], "l": [["x", "y", "x"], None]}
)


def test_crossing_of_two_lists_has_every_pair() -> None:
    made = report(FRAME, "p", "a", by=["k", "l"])
    pairs = {("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 1, ("b", "y"): 1, ("b", None): 1}
    assert {(k, l_): n for k, l_, n in made.by_group.select("k", "l", "n").iter_rows()} == pairs
    assert dict(made.by("l").select("l", "n").iter_rows()) == {"x": 1, "y": 1, None: 1}
    assert dict(made.by("k").select("k", "n").iter_rows()) == {"a": 1, "b": 2}


def test_frame_holds_all_rows_first_and_then_each_slice() -> None:
    made = report(FRAME, "p", "a", by=["k", "l"])
    frame = made.to_polars()
    assert frame.columns == ["slice", "k", "l", *report_oracle.TEXT_COLUMNS]
    assert frame["slice"].to_list() == ["overall"] + ["group"] * made.by_group.height
    assert frame.row(0)[1:3] == (None, None)
    assert frame.tail(-1).drop("slice").equals(made.by_group)
    assert {name: frame.row(0, named=True)[name] for name in made.overall} == made.overall
