"""Columns that could end the process: each is an error that names the column, in a process of its own."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from shell import RunPython

import anls_frame as af

_RANDOM_TABLES = 300


def nested(levels: int, kind: str) -> Any:
    value: Any = "a"
    for _ in range(levels):
        value = {"key": value} if kind == "dictionary" else [value]
    return value


def within_itself(kind: str) -> Any:
    value: Any = {} if kind == "dictionary" else []
    if kind == "dictionary":
        value["key"] = value
    else:
        value.append({"key": value} if kind == "mixed" else value)
    return value


def offsets(*numbers: int) -> pa.Buffer:
    return pa.py_buffer(np.array(numbers, np.int32).tobytes())


def text(*numbers: int, data: bytes = b"abcdef") -> pa.Array:
    return pa.StringArray.from_buffers(len(numbers) - 1, offsets(*numbers), pa.py_buffer(data))


def malformed() -> dict[str, pa.Array]:
    texts = pa.array(["a", "b"])
    views = np.array([[100, 0, 7, 1 << 20]], np.int32)
    return {
        "offsets that fall": text(0, 5, 2),
        "offsets beyond the text": text(0, 1 << 30, 3),
        "negative offsets": text(0, -(1 << 20), 3),
        "no UTF-8": text(0, 2, 4, data=b"ab\xff\xfe"),
        "list offsets that fall": pa.ListArray.from_buffers(
            pa.list_(pa.string()), 2, [None, offsets(0, 2, 1)], children=[texts]
        ),
        "list offsets beyond the entries": pa.ListArray.from_buffers(
            pa.list_(pa.string()), 2, [None, offsets(0, 1 << 30, 2)], children=[texts]
        ),
        "indices out of range": pa.DictionaryArray.from_arrays(
            pa.array([0, 1 << 30], pa.int32()), texts, safe=False
        ),
        "negative indices": pa.DictionaryArray.from_arrays(pa.array([0, -5], pa.int32()), texts, safe=False),
        "views of no buffer": pa.Array.from_buffers(
            pa.string_view(), 1, [None, pa.py_buffer(views.tobytes())]
        ),
    }


def random_arrow() -> int:
    """Score random tables whose offsets are mostly wrong; count those that are refused."""
    random = np.random.default_rng(1)
    refused = 0
    for _ in range(_RANDOM_TABLES):
        rows = int(random.integers(1, 6))
        wild = random.integers(-(1 << 31), 1 << 31, rows + 1)
        numbers = np.where(random.random(rows + 1) < 0.4, wild, random.integers(0, 7, rows + 1))
        numbers[0], numbers[-1] = 0, 4  # the only ones that pyarrow itself looks at
        column: Any = text(*numbers.tolist())
        kind = random.integers(3)
        if kind == 1:
            buffers = [None, offsets(*numbers.tolist())]
            child = pa.array(["x"] * 4)
            column = pa.ListArray.from_buffers(pa.list_(pa.string()), rows, buffers, children=[child])
        elif kind == 2:
            keys = pa.array(numbers[1:].astype(np.int32))
            column = pa.DictionaryArray.from_arrays(keys, pa.array(["x", "y"]), safe=False)
        table = pa.table({"prediction": pa.array(["x"] * rows), "answers": column, "key": column})
        try:
            af.report(table, "prediction", "answers", by="key")
        except af.DTypeError as error:
            refused += "column 'answers' is malformed" in str(error)
    return refused


def message(column: Any, call: Callable[[Any], object]) -> str:
    try:
        call(column)
    except af.DTypeError as error:
        return str(error)
    return "no error"


def of_arrow() -> dict[str, dict[str, str]]:
    return {name: messages_of_arrow(column) for name, column in malformed().items()}


def messages_of_arrow(column: pa.Array) -> dict[str, str]:
    rows = len(column)
    good = pa.array(["a"] * rows)
    extension = pd.Series(pd.array(column, dtype=pd.ArrowDtype(column.type)))
    calls: dict[str, Callable[[Any], object]] = {
        "answers": lambda odd: af.add_scores(pa.table({"p": good, "odd": odd}), "p", "odd"),
        "by": lambda odd: af.report(pa.table({"p": good, "a": good, "odd": odd}), "p", "a", by="odd"),
        "pandas": lambda _: af.anls(pd.Series(["a"] * rows, name="p"), pd.Series(extension, name="odd")),
    }
    return {where: message(column, call) for where, call in calls.items()}


def endless() -> dict[str, Any]:
    return {
        "deep dictionary": nested(10_000, "dictionary"),
        "deep list": nested(10_000, "list"),
        "dictionary in itself": within_itself("dictionary"),
        "list in itself": within_itself("list"),
        "list in a dictionary in itself": within_itself("mixed"),
    }


def of_pandas() -> dict[str, dict[str, str]]:
    return {kind: messages_of_pandas(value) for kind, value in endless().items()}


def messages_of_pandas(value: object) -> dict[str, str]:
    odd = pd.Series(["a", value], index=["r1", "r2"], dtype=object)
    frame = pd.DataFrame({"p": ["a", "b"], "a": ["a", "b"], "odd": odd.array}, index=["r1", "r2"])
    calls: dict[str, Callable[[Any], object]] = {
        "prediction": lambda data: af.add_scores(data, "odd", "a"),
        "answers": lambda data: af.report(data, "p", "odd"),
        "by": lambda data: af.report(data, "p", "a", by="odd"),
        "Series": lambda data: af.cer(data["p"], data["odd"]),
    }
    return {where: message(frame, call) for where, call in calls.items()}


def alone(run_python: RunPython, part: str) -> Any:
    finished = run_python(__file__, part)
    assert finished.returncode == 0, finished.stderr[-2000:]
    return json.loads(finished.stdout)


def test_a_malformed_arrow_column_is_an_error_that_names_it(run_python: RunPython) -> None:
    found = alone(run_python, "of_arrow")
    assert list(found) == list(malformed())
    for name, messages in found.items():
        for where, error in messages.items():
            assert error.startswith("column 'odd' is malformed: "), (name, where)


def test_random_arrow_columns_never_end_the_process(run_python: RunPython) -> None:
    assert 0 < alone(run_python, "random_arrow") < _RANDOM_TABLES


def test_a_value_in_pandas_that_never_ends_is_an_error_that_names_its_row(run_python: RunPython) -> None:
    found = alone(run_python, "of_pandas")
    assert list(found) == list(endless())
    for kind, messages in found.items():
        for where, error in messages.items():
            assert error.startswith("column 'odd'"), (kind, where)
            assert "'r2'" in error, (kind, where)


if __name__ == "__main__":
    function = {"of_arrow": of_arrow, "of_pandas": of_pandas, "random_arrow": random_arrow}[sys.argv[1]]
    sys.stdout.write(json.dumps(function()))
