"""
Nothing holds on to a frame: not a namespace, not an expression, not a call that failed.

Measured in a process of its own, with the garbage collector off: a cycle then stays for ever.
"""

from __future__ import annotations

import gc
import json
import os
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
from campaign import amount
from polars.exceptions import ComputeError
from registry import ROW_EXPRESSIONS, RowExpression, namespace
from shell import RunPython

import anls_frame as af

MIB = 1 << 20
CALLS = amount(300, 1_000)


@pytest.fixture
def no_collector() -> Iterator[None]:
    """Switch the garbage collector off, so that only reference counts free."""
    gc.disable()
    yield
    gc.enable()


# Frames of 32 MiB, one after the other.

ROWS = 1 << 14
BALLAST = 250


def large_frame(number: int) -> pl.DataFrame:
    """Return a frame of about 32 MiB: two columns of text and 250 of integers."""
    prediction = pl.format("prediction {}", pl.int_range(ROWS) % 97)
    answer = pl.format("prediction {}", pl.int_range(ROWS) % 89)
    integers = (pl.int_range(number, number + ROWS).alias(f"ballast {column}") for column in range(BALLAST))
    return pl.select(prediction.alias("prediction"), answer.alias("answer"), *integers)


def score_eagerly(frame: pl.DataFrame) -> object:
    return namespace(frame).add_scores("prediction", "answer")


def score_lazily(frame: pl.DataFrame) -> object:
    return namespace(frame.lazy()).add_scores("prediction", "answer").select("nls").collect()


def score_by_expression(frame: pl.DataFrame) -> object:
    return frame.select(namespace(pl.col("prediction")).nls("answer"))


def look_only(frame: pl.DataFrame) -> object:
    return namespace(frame), namespace(frame.lazy()), frame.lazy().collect_schema()


def fail(frame: pl.DataFrame) -> object:
    try:
        return namespace(frame).add_scores("ballast 0", "answer")
    except af.DTypeError:
        return None


def score_in_pandas(frame: pl.DataFrame) -> object:
    columns = {name: frame[name].to_numpy() for name in frame.columns}
    return namespace(pd.DataFrame(columns)).add_scores("prediction", "answer")


LOOPS: dict[str, Callable[[pl.DataFrame], object]] = {
    "eager": score_eagerly,
    "lazy": score_lazily,
    "expression": score_by_expression,
    "look": look_only,
    "failure": fail,
    "pandas": score_in_pandas,
}


def resident() -> int:
    """Return the bytes of memory that this process holds."""
    pages = Path("/proc/self/statm")
    if pages.exists():
        return int(pages.read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
    command = ["ps", "-o", "rss=", "-p", str(os.getpid())]
    return int(subprocess.check_output(command)) * 1024  # noqa: S603 - our own process id


def loops() -> dict[str, list[int]]:
    """Return the memory after each of several frames in each of the loops."""
    held: dict[str, list[int]] = {}
    for name, use in LOOPS.items():
        held[name] = []
        for number in range(amount(8, 12)):
            use(large_frame(number))
            held[name].append(resident())
    return held


# Small frames, many times. Each has texts of its own, which a leaked column would keep.


def small_frame(number: int) -> pl.DataFrame:
    texts = [f"a text that does not fit into its view, number {number} {row}" for row in range(100)]
    return pl.DataFrame({"prediction": texts, "answer": texts[::-1], "number": range(100)})


def call(row: RowExpression, frame: pl.DataFrame) -> None:
    frame.select(row.function("prediction", "answer"))


def call_on_lists(row: RowExpression, frame: pl.DataFrame) -> None:
    answers = pl.concat_list("answer", "prediction") if row.takes_lists else pl.col("answer")
    frame.select(row.function("prediction", answers))


def call_with_a_wrong_dtype(row: RowExpression, frame: pl.DataFrame) -> None:
    try:
        frame.select(row.function("number", "answer"))
    except ComputeError:
        return
    raise AssertionError("no error")


def call_with_wrong_lengths(row: RowExpression, frame: pl.DataFrame) -> None:
    try:
        pl.select(row.function(frame["prediction"], frame["answer"].head(99)))
    except ComputeError:
        return
    raise AssertionError("no error")


WAYS: dict[str, Callable[[RowExpression, pl.DataFrame], None]] = {
    "texts": call,
    "lists": call_on_lists,
    "wrong dtype": call_with_a_wrong_dtype,
    "wrong lengths": call_with_wrong_lengths,
}


def growth() -> dict[str, int]:
    """Return by how many bytes the process grows over many calls of each expression in each way."""
    grown = {}
    for way, function in WAYS.items():
        # What is refused is refused in one place for all; scores are numbers, texts, lists or structs.
        scored = ROW_EXPRESSIONS[amount(2, 0) :: amount(5, 1)]
        for row in ROW_EXPRESSIONS[::9] if "wrong" in way else scored:
            for number in range(CALLS // 5):
                function(row, small_frame(number))
            before = resident()
            for number in range(CALLS):
                function(row, small_frame(number))
            grown[f"{row.name} {way}"] = resident() - before
    return grown


# The tests.


@pytest.mark.usefixtures("no_collector")
@pytest.mark.parametrize("use", LOOPS)
def test_a_frame_is_freed_with_its_last_name(use: str) -> None:
    frame = pl.DataFrame({"prediction": ["a"], "answer": ["b"], "ballast 0": [1]})
    lazy = frame.lazy()
    alive: list[weakref.ref[Any]] = [weakref.ref(frame), weakref.ref(lazy)]

    LOOPS[use](frame)
    namespace(lazy).add_scores("prediction", "answer")
    del frame, lazy

    assert [one() for one in alive] == [None, None]


@pytest.mark.usefixtures("no_collector")
def test_a_pandas_frame_is_freed_with_its_last_name() -> None:
    frame = pd.DataFrame({"prediction": ["a"], "answer": ["b"]})
    alive = weakref.ref(frame)

    namespace(frame).add_scores("prediction", "answer")
    del frame

    assert alive() is None


@pytest.mark.usefixtures("no_collector")
def test_an_expression_is_freed_with_its_last_name() -> None:
    column = pl.col("prediction")
    alive = weakref.ref(column)

    namespace(column).nls("answer")
    del column

    assert alive() is None


def run(run_python: RunPython, *arguments: str) -> Any:
    process = run_python(__file__, *arguments)
    assert process.stderr == ""
    return json.loads(process.stdout)


def test_a_loop_over_large_frames_stays_flat(run_python: RunPython) -> None:
    for name, held in run(run_python, "loops").items():
        # The allocator may hold a frame more at one time than at another; a leak would hold four or more.
        assert max(held[4:]) - max(held[:4]) < 2 * 32 * MIB, name


def test_many_calls_leave_nothing_behind(run_python: RunPython) -> None:
    grown = run(run_python, "growth")

    # Three hundred frames are 4 MiB.
    assert {name: by for name, by in grown.items() if by > 3 * MIB} == {}


if __name__ == "__main__":
    gc.disable()
    measured: object = growth() if sys.argv[1] == "growth" else loops()
    sys.stdout.write(json.dumps(measured))
