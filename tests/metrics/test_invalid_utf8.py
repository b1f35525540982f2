"""Bytes that are no UTF-8 are an error that names column and row, wherever they come in and are read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from shell import RunPython

# In a process of its own: what reads such text carelessly ends the interpreter.
SCRIPT = """
import json
import sys

import polars as pl
import pyarrow as pa

import anls_frame as af


def text(rows):
    array = pa.array(rows, pa.large_binary())
    return pa.Array.from_buffers(pa.large_string(), len(array), array.buffers(), array.null_count)


def frame(bad):
    good = ["a", "b", "c", "d"]
    texts = text([b"fine", None, bad, b"fine"])
    offsets = pa.array([0, 1, 3, 3, 4], pa.int64())
    lists = pa.LargeListArray.from_arrays(offsets, texts)
    table = pa.table({"good": good, "bad": texts, "bad_list": lists})
    return pl.from_arrow(table)


BAD = {
    "inline": b"\\xff",
    "inline_cut": b"twelve byte\\xc3",
    "long": b"a text of more than twelve bytes, \\xfe inside",
    "long_cut": b"a text of more than twelve bytes, cut \\xe6\\xbc",
    "surrogate": b"half of a pair \\xed\\xa0\\x80",
    "overlong": b"\\xc0\\x80",
}
CALLS = {
    "prediction": lambda f: f.select(af.levenshtein("bad", "good")),
    "answer": lambda f: f.select(af.nls("good", "bad")),
    "answers": lambda f: f.select(af.score("good", "bad_list")),
    "add_scores": lambda f: f.anls.add_scores("bad", "good"),
    "lazy": lambda f: f.lazy().select(af.cer("bad", "good")).collect(engine="in-memory"),
    "streaming": lambda f: f.lazy().select(af.anls("good", "bad_list")).collect(engine="streaming"),
}
outcomes = {}
for kind, bad in BAD.items():
    for name, call in CALLS.items():
        try:
            outcomes[f"{kind} {name}"] = ["value", str(call(frame(bad)))]
        except Exception as error:
            outcomes[f"{kind} {name}"] = [type(error).__name__, str(error)]
# A null over such bytes, and rows that a slice leaves out, are not read.
outcomes["sliced"] = frame(b"\\xff").head(2).select(af.levenshtein("bad", "good")).to_series().to_list()
json.dump(outcomes, sys.stdout)
"""


@pytest.fixture(scope="module")
def outcomes(run_python: RunPython) -> dict[str, Any]:
    done = run_python("-c", SCRIPT)
    assert done.returncode == 0, done.stderr
    result: dict[str, Any] = json.loads(done.stdout)
    return result


KINDS = ("inline", "inline_cut", "long", "long_cut", "surrogate", "overlong")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["prediction", "answer", "add_scores", "lazy"])
def test_a_text_that_is_no_utf8_is_refused_by_column_and_row(
    outcomes: dict[str, Any], kind: str, name: str
) -> None:
    error, message = outcomes[f"{kind} {name}"]

    assert error == "ComputeError"
    assert "column 'bad', row 2 " in message
    assert "not valid UTF-8" in message


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["answers", "streaming"])
def test_an_answer_that_is_no_utf8_is_refused_by_the_row_of_its_list(
    outcomes: dict[str, Any], kind: str, name: str
) -> None:
    error, message = outcomes[f"{kind} {name}"]

    assert error == "ComputeError"
    assert "column 'bad_list', row 1 " in message
    assert "not valid UTF-8" in message


def test_rows_that_are_not_asked_for_are_not_read(outcomes: dict[str, Any]) -> None:
    assert outcomes["sliced"] == [4, None]
