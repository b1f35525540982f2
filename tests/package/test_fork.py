"""
Processes that are forked, without Polars' threads.

Polars itself waits for them in the child, in every expression of two columns, so none is computed there.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from shell import RunPython

import anls_frame as af

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")

FRAME = pl.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]})


def run_in_child(body: Callable[[], Any]) -> Any:
    """Return what a function gives in a forked process, which ends after a minute if it hangs."""
    import signal  # noqa: PLC0415 - only where there is fork

    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        signal.alarm(60)
        os.write(writing, json.dumps(body()).encode())
        os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    assert status == 0
    with os.fdopen(reading, "rb") as result:
        return json.loads(result.read())


def single_pairs() -> list[float]:
    metric = af.ANLS()
    metric.update(["CocaCola", "Paris"], ["Coca Cola", "paris"])
    long = "ab" * 5_000, "abb" * 5_000
    return [
        metric.compute(),
        af.pairs.edit_distance("cat", "cafe"),
        af.pairs.edit_distance(*long),
        af.anls_score("CocaCola", ["Coca Cola"]),
        af.pairs.get_cer("lnvoice", "Invoice"),
    ]


def warnings_of_an_expression() -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        af.nls("prediction", "answer")
    return [f"{warning.category.__name__} {warning.filename}: {warning.message}" for warning in caught]


def score() -> float:
    return float(FRAME.select(af.nls("prediction", "answer")).item())


def after_scoring() -> Any:
    score()
    return [
        [single_pairs(), run_in_child(single_pairs)],
        [warnings_of_an_expression(), run_in_child(warnings_of_an_expression)],
    ]


def before_scoring() -> Any:
    af.nls("prediction", "answer")
    return [run_in_child(warnings_of_an_expression), run_in_child(score), score()]


def run(run_python: RunPython, name: str) -> Any:
    process = run_python(__file__, name)
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def test_after_scoring_pairs_are_scored_and_an_expression_warns(run_python: RunPython) -> None:
    (parent, child), (parents_warnings, childs_warnings) = run(run_python, "after_scoring")

    assert child == parent
    assert parents_warnings == []
    assert len(childs_warnings) == 1
    assert childs_warnings[0].startswith(
        f"RuntimeWarning {__file__}: this process was forked after Polars had started its threads"
    )


def test_before_scoring_a_forked_process_is_as_any_other(run_python: RunPython) -> None:
    caught, child, parent = run(run_python, "before_scoring")

    assert caught == []
    assert child == parent


if __name__ == "__main__":
    warnings.filterwarnings("ignore", message=".*use of fork", category=DeprecationWarning)
    sys.stdout.write(
        json.dumps({"after_scoring": after_scoring, "before_scoring": before_scoring}[sys.argv[1]]())
    )
