"""`progress`: every row that is read is counted once a pass, and nothing else changes."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from campaign import amount

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ROWS = amount(100_000, 250_000)
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
    FRAME.write_parquet(path, row_group_size=30_000)
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
    assert sum(seen) == 3 * ROWS


def test_progress_comes_while_rows_are_read(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "rows.parquet", row_group_size=10_000)
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


def test_a_bar_is_drawn_on_a_terminal_and_nowhere_else(
    run_python: Callable[..., subprocess.CompletedProcess[str]],
) -> None:
    import pty  # noqa: PLC0415 - of POSIX alone

    done = run_python("-c", SCRIPT)
    assert (done.stdout, done.stderr) == ("300000\n", "")

    leader, follower = pty.openpty()
    with subprocess.Popen(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", SCRIPT],
        stdout=subprocess.PIPE,
        stderr=follower,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"},
    ) as process:
        os.close(follower)
        shown = b""
        while True:
            try:
                more = os.read(leader, 1000)
            except OSError:  # the other side has gone
                break
            shown += more
            if not more:
                break
        assert process.stdout is not None
        assert process.stdout.read() == b"300000\n"
    os.close(leader)
    assert process.returncode == 0
    assert b"100%" in shown
    assert b"300,000 rows" in shown


@pytest.mark.parametrize("are_lists", [True, False])
@pytest.mark.parametrize("kind", ["eager", "lazy"])
def test_details_of_documents_are_those_without_progress(kind: str, *, are_lists: bool) -> None:
    questions = pl.read_parquet("data/ocr_qa.parquet").head(200)
    if not are_lists:
        questions = questions.with_columns(answers=pl.col("answers").list.first())

    def made(frame: pl.DataFrame | pl.LazyFrame) -> af.Report:
        asked = {"by": "lang", "cluster": "doc_id", "details": True, "worst": 2}
        return af.report(frame, "tesseract", "answers", **asked)  # type: ignore[call-overload,no-any-return]

    expected = made(questions)
    with af.progress(lambda _: None):
        followed = made(questions.lazy() if kind == "lazy" else questions)
    unfollowed = made(questions.lazy())
    for found in (followed, unfollowed):
        assert found.errors("lang").equals(expected.errors("lang"))
        assert found.confusions().equals(expected.confusions())
        assert found.worst.equals(expected.worst)
        assert found.to_polars().equals(expected.to_polars())
