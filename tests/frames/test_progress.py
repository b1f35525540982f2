"""`progress`: every row that is read is counted once a pass, and nothing else changes."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from campaign import amount
from shell import RunPython

import anls_frame as af
from anls_frame.runs import reported_files

ROWS = amount(40_000, 250_000)
FRAME = pl.DataFrame({"row": range(ROWS)}).select(
    prediction=pl.format("answer {}", pl.col("row") % 101),
    answers=pl.concat_list(pl.format("answer {}", pl.col("row") % 103)),
    lang=pl.format("l{}", pl.col("row") % 3),
    score=pl.col("row") % 2,
)
TEXTS = ("prediction", "answers")

KINDS: dict[str, Callable[[Path], Any]] = {
    "eager": lambda _: FRAME,
    "lazy": lambda _: FRAME.lazy().filter(pl.col("score") >= 0),
    "pandas": lambda _: FRAME.to_pandas(),
    "Arrow": lambda _: FRAME.to_arrow(),
    "Parquet": pl.scan_parquet,
}


@pytest.mark.parametrize("kind", KINDS)
def test_each_row_is_counted_once_a_pass(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    FRAME.write_parquet(path, row_group_size=12_000)
    frame = KINDS[kind](path)
    seen: list[int] = []

    with af.progress(seen.append):
        summary = af.summarize(frame, *TEXTS, by="lang")

    assert sum(seen) == summary.rows == ROWS
    assert summary.digest == af.summarize(frame, *TEXTS, by="lang").digest
    seen.clear()
    with af.progress(seen.append):
        af.summarize(frame, *TEXTS, worst=3, details=True)
    assert sum(seen) == 4 * ROWS
    seen.clear()
    with af.progress(seen.append):
        af.summarize(frame, *TEXTS, cluster="lang")
    assert sum(seen) == ROWS
    seen.clear()
    with af.progress(seen.append):
        af.summarize(frame, metrics="score")
    assert sum(seen) == ROWS
    seen.clear()
    with af.progress(seen.append):
        af.summarize(frame, *TEXTS, metrics=["anls", "score", pl.col("score").alias("b")])
    assert sum(seen) == 2 * ROWS


def test_progress_comes_while_rows_are_read(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "rows.parquet", row_group_size=4_000)
    seen: list[int] = []

    with af.progress(seen.append):
        pl.scan_parquet(tmp_path / "rows.parquet").anls.report(*TEXTS)  # type: ignore[attr-defined]

    assert len(seen) > 5


def test_a_frame_without_rows_is_done_at_once() -> None:
    seen: list[int] = []
    with af.progress(seen.append):
        assert af.report(FRAME.head(0), *TEXTS).overall["n"] == 0
    assert sum(seen) == 0


def test_a_function_that_fails_ends_the_query() -> None:
    def fail(_: int) -> None:
        raise RuntimeError("enough")

    error = pytest.raises((RuntimeError, pl.exceptions.ComputeError), match="enough")
    with error, af.progress(fail):
        af.summarize(FRAME, *TEXTS)
    # Nothing is told to a function after its block, or where another one is asked.
    seen: list[int] = []
    with af.progress(fail), af.progress(seen.append):
        af.summarize(FRAME, *TEXTS)
    af.summarize(FRAME, *TEXTS)
    assert sum(seen) == ROWS


@pytest.mark.parametrize("callback", [1, "yes", True])
def test_what_is_no_function_is_a_type_error(callback: Any) -> None:
    error = pytest.raises(TypeError, match="callback must be a function of a number of rows or draws")
    with error, af.progress(callback):
        pass


SCRIPT = """
import polars as pl
import anls_frame as af
frame = pl.DataFrame({"p": ["a"] * 300_000})
with af.progress():
    print(af.report(frame, "p", "p").overall["n"])
"""


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(run_python: RunPython, tmp_path: Path) -> None:
    done = run_python("-c", SCRIPT)
    assert (done.stdout, done.stderr) == ("300000\n", "")

    printed, shown = shell.on_a_terminal([sys.executable, "-c", SCRIPT], tmp_path)

    assert printed == "300000\n"
    assert b"100%" in shown
    assert b"300,000 rows" in shown


@pytest.mark.parametrize(
    ("options", "passes"),
    [
        ({}, 1),
        ({"worst": 3, "details": True}, 4),
        ({"metrics": ["anls", "score"]}, 2),
        ({"metrics": ["anls", "score"], "cluster": "lang"}, 1),
    ],
)
def test_the_bar_of_files_ends_where_their_passes_end(
    options: dict[str, Any], passes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for part in (0, 1):
        rows = FRAME.head(500).filter(pl.col("score") == part)
        rows.with_columns(question_id=pl.format(f"{part} {{}}", pl.row_index())).write_parquet(
            tmp_path / f"{part}.parquet"
        )
    together, totals, seen = reported_files.following_together, list[int | None](), list[int]()

    def followed(total: int | None, what: str) -> Any:
        totals.append(total)
        return together(total, what)

    monkeypatch.setattr(reported_files, "following_together", followed)
    with af.progress(seen.append):
        report = af.readers.report_files(sorted(tmp_path.iterdir()), **options)

    assert report.overall["n"] == 500
    assert totals == [sum(seen)] == [500 * passes]
