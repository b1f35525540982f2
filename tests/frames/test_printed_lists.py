"""Answers that look like printed lists: who scores a frame of them is told."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable


def warned(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(entry.category is af.InputWarning and entry.filename == __file__ for entry in caught)
    return [str(entry.message) for entry in caught]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame, lambda data: pl.DataFrame(data).to_arrow()])
def test_answers_of_a_frame_that_look_printed_are_told(make: Callable[[dict[str, Any]], Any]) -> None:
    def frame(printed: int) -> Any:
        answers = ["['Coke', 'Coca Cola']"] * printed + ["Coke"] * (4 - printed) + [None]
        return make({"prediction": ["Coke"] * 5, "other": ["Coke"] * 5, "answers": answers})

    calls: list[Callable[[Any], object]] = [
        lambda data: af.report(data, "prediction", "answers"),
        lambda data: af.summarize(data, "prediction", "answers"),
        lambda data: af.compare(data, {"a": "prediction", "b": "other"}, "answers"),
        lambda data: af.add_scores(data, "prediction", "answers"),
    ]
    for call in calls:
        [message] = warned(lambda call=call: call(frame(3)))  # type: ignore[misc]
        assert "column 'answers' holds lists that were printed as text, such as" in message
        assert warned(lambda call=call: call(frame(2))) == []  # type: ignore[misc]


def test_a_query_is_not_run_to_look_at_its_answers() -> None:
    looked: list[int] = []

    def look(frame: pl.DataFrame) -> pl.DataFrame:
        looked.append(frame.height)
        return frame

    lazy = pl.LazyFrame({"prediction": ["a"], "answers": ["['a']"]})
    lazy = lazy.map_batches(look, schema=lazy.collect_schema())
    assert warned(lambda: af.add_scores(lazy, "prediction", "answers")) == []
    assert looked == []
