"""Tables of many columns: names are looked for with operations in proportion to their number."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import polars as pl
import pytest
from counted import Counted, operations_of

import anls_frame as af
from anls_frame.files import standard_frames
from anls_frame.files.problems import Problems
from anls_frame.files.raw_tables import from_frame
from anls_frame.frames import usual_names
from anls_frame.frames.checks import check_columns


def choose(names: list[str]) -> None:
    """Find the columns of roles by their usual names, the last ones."""
    usual = [Counted("pred"), Counted("answer"), Counted("id")]
    table = from_frame(pl.DataFrame())
    table = dataclasses.replace(table, columns=dict.fromkeys([*names, *usual], pl.Series()))
    chosen = standard_frames.choose(table, {}, usual_names.SCORED, Problems())
    assert chosen == {"question_id": "id", "prediction": "pred", "answers": "answer"}


def check(names: list[str]) -> None:
    check_columns(names, names)


@pytest.mark.parametrize("search", [choose, check])
def test_twice_as_many_columns_need_twice_as_many_operations(search: Callable[[list[str]], None]) -> None:
    names = [Counted(f"column {number}") for number in range(1000)]

    once, twice = (operations_of(lambda some=names[:length]: search(some)) for length in (500, 1000))

    assert 0 < twice <= 2 * once


def test_a_schema_has_each_column_once() -> None:
    frame = pl.DataFrame({"prediction": ["a"], "answers": ["a"], "k": [1]})

    assert af.report(frame, "prediction", "answers", by="k").overall["anls"] == 1
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="no column 'm' among"):
        af.report(frame, "prediction", "answers", by="m")
