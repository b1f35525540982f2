"""Gates: margins that nothing can reach, and errors that must not pass for a failed gate."""

from __future__ import annotations

import json
from pathlib import Path

import polars as pl
import pytest
from shell import refused, run

OF_ONE_SCALE = ("rows.csv", "--systems", "old,new", "-a", "t")


@pytest.mark.parametrize("option", ["--require-within", "--fail-if-drop"])
@pytest.mark.parametrize(
    "value",
    ["5", "1"],
)
def test_a_gate_that_nothing_can_fail_is_wrong_usage(tmp_path: Path, option: str, value: str) -> None:
    rows = pl.DataFrame({"question_id": range(40), "old": ["a"] * 40, "new": ["x"] * 40, "t": ["a"] * 40})
    rows.write_csv(tmp_path / "rows.csv")
    assert run(tmp_path, "compare", *OF_ONE_SCALE, option, "0.01").returncode == 1
    done = run(tmp_path, "compare", *OF_ONE_SCALE, option, value, "-o", "out.html")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{option} must be less than 1, because ANLS lies between 0 and 1" in done.stderr
    assert done.stderr.endswith(f"got {value}; 1 percentage point is 0.01\n")
    assert not (tmp_path / "out.html").exists()


def test_planned_runs_share_alpha(tmp_path: Path) -> None:
    # Nine rows of 200 are lost: p is 2 / 2^9 = 0.004, below 0.05 and above 0.05 / 50.
    lost = {"old": ["a"] * 200, "new": ["x"] * 9 + ["a"] * 191, "t": ["a"] * 200}
    pl.DataFrame({"question_id": range(200), **lost}).write_csv(tmp_path / "rows.csv")
    gate = ("compare", *OF_ONE_SCALE, "--fail-if-drop", "0.01")
    assert run(tmp_path, *gate).returncode == 1
    assert run(tmp_path, *gate, "--planned-runs", "50").returncode == 0
    within = ("compare", *OF_ONE_SCALE, "--require-within", "0.09")
    assert run(tmp_path, *within).returncode == 0
    assert run(tmp_path, *within, "--planned-runs", "50").returncode == 3


def rows_of(folder: Path, **lost: int) -> None:
    """Write a file for each system, which has lost so many of 2,000 rows, and one with all of them."""
    systems = {name: ["x"] * rows + ["a"] * (2000 - rows) for name, rows in lost.items()}
    frame = pl.DataFrame({"question_id": range(2000), "t": ["a"] * 2000, **systems})
    for name in systems:
        frame.select("question_id", "t", prediction=name).write_ndjson(folder / f"{name}.jsonl")
    frame.write_csv(folder / "rows.csv")


@pytest.mark.parametrize("door", ["files", "columns"])
@pytest.mark.parametrize(
    ("lost", "code", "answers"),
    [
        ((20, 20, 25), 0, ["fine: new is not worse than last", "fine: new is not worse than first"]),
        ((0, 90, 95), 1, ["regressed: new is worse than first", "fine: new is not worse than last"]),
        ((0, 30, 40), 3, ["undecided: new could be worse than first", "fine: new is not worse than last"]),
        ((90, 0, 95), 1, ["regressed: new is worse than last", "fine: new is not worse than first"]),
    ],
)
def test_an_anchor_must_hold_beside_the_last_run(
    tmp_path: Path, lost: tuple[int, int, int], code: int, answers: list[str], door: str
) -> None:
    first, last, new = lost
    rows_of(tmp_path, last=last, new=new, first=first)
    compared = {
        "files": ("last.jsonl", "new.jsonl", "--anchor", "first.jsonl"),
        "columns": ("rows.csv", "--systems", "last,new,first", "--anchor", "first"),
    }
    done = run(tmp_path, "compare", *compared[door], "--require-within", "0.02", "-a", "t", "--json")
    assert done.returncode == code
    assert done.stderr.startswith(f"anls-frame: {answers[0]} by")
    assert f"\nanls-frame: {answers[1]} by" in done.stderr
    assert [*json.loads(done.stdout)["settings"]["systems"]] == ["last", "new", "first"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--anchor", "first.jsonl"), "--require-within-slices and --anchor need --require-within"),
        (
            ("--anchor", "first.jsonl", "--require-within", "0.1", "--fail-if-drop", "0.1"),
            "--fail-if-drop would count a loss of the anchor too",
        ),
        (
            ("--anchor", "other", "--require-within", "0.1"),
            "--anchor must be another system than the baseline",
        ),
    ],
)
def test_an_anchor_that_cannot_hold_is_wrong_usage(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    rows_of(tmp_path, last=1, new=1, first=1)
    refused(
        run(tmp_path, "compare", "last.jsonl", "new.jsonl", "-a", "t", *arguments, "-o", "out.html"), message
    )
    assert not (tmp_path / "out.html").exists()


METRICS = """
import sys
import polars as pl

def missing_key(prediction, answers):
    return {}["no such key"]

def fails_the_gate(prediction, answers):
    sys.exit(1)

def end_of_file(prediction, answers):
    raise EOFError

def of_a_row(prediction, answer):
    raise ZeroDivisionError

import anls_frame as af
of_rows = af.Metric.of_texts(of_a_row, name="of_rows")
"""


@pytest.mark.parametrize(
    ("metric", "error"),
    [
        ("missing_key", "KeyError"),
        ("fails_the_gate", "SystemExit(1)"),
        ("end_of_file", "EOFError"),
        ("of_rows", "ZeroDivisionError"),
    ],
)
def test_an_error_in_a_metric_is_no_failed_gate(tmp_path: Path, metric: str, error: str) -> None:
    (tmp_path / "own.py").write_text(METRICS)
    pl.DataFrame({"question_id": [1, 2], "old": ["a", "b"], "new": ["a", "c"], "t": ["a", "b"]}).write_csv(
        tmp_path / "rows.csv"
    )
    done = run(tmp_path, "compare", *OF_ONE_SCALE, "-m", f"own.py:{metric}", "--fail-if-drop", "0.01")
    assert done.returncode == 2, done.stderr
    assert error in done.stderr


def test_the_account_of_rows_is_printed_once(tmp_path: Path) -> None:
    texts = {"question_id": range(100), "old": ["a"] * 100, "new": ["a"] * 100, "t": ["a"] * 90 + [None] * 10}
    sure = pl.Series([row / 100 for row in range(100)])
    pl.DataFrame(texts).with_columns(sure=sure).write_csv(tmp_path / "rows.csv")
    account = "90 of 100 rows were used"
    gates = [
        ("compare", *OF_ONE_SCALE, "--require-within", "0.5"),
        ("compare", *OF_ONE_SCALE, "--fail-if-drop", "0.1"),
        ("selective", "rows.csv", "-p", "new", "-a", "t", "--model-confidence", "sure", "--threshold", "0.5"),
    ]
    for gate in gates:
        for output in ((), ("-o", f"{gate[0]}.html", "--force"), ("--json",)):
            done = run(tmp_path, *gate, *output)
            assert (done.stdout + done.stderr).count(account) == 1, (gate, output)
