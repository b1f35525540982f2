"""Each file is opened once in a call: to see what it is and to read it, compressed or from a pipe, too."""

from __future__ import annotations

import gzip
import json
import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pyarrow as pa
import pytest
from shell import fine, refused, run

import anls_frame as af
from anls_frame.files.file import File
from anls_frame.runs.reading import kind_of

ROWS = [
    {"question_id": "1", "prediction": "Coke", "answers": ["Coke"], "lang": "de"},
    {"question_id": "2", "prediction": "1998", "answers": ["1999"], "lang": "en"},
]
LOGGED = [
    {"doc_id": number, "target": row["answers"][0], "filtered_resps": [row["prediction"]], "arguments": []}
    for number, row in enumerate(ROWS)
]
INSPECT: dict[str, Any] = {
    "status": "success",
    "eval": {"task": "t"},
    "samples": [
        {"id": row["question_id"], "target": row["answers"], "output": {"completion": row["prediction"]}}
        for row in ROWS
    ],
}

_opened: Counter[str] = Counter()


def _count(event: str, arguments: tuple[Any, ...]) -> None:
    if event == "open" and isinstance(arguments[0], str | os.PathLike):
        _opened[os.path.realpath(arguments[0])] += 1


sys.addaudithook(_count)


@contextmanager
def opened(*paths: Path) -> Iterator[list[int]]:
    """Count how often each file is opened in the block."""
    before = [_opened[os.path.realpath(path)] for path in paths]
    counts: list[int] = []
    yield counts
    counts += [_opened[os.path.realpath(path)] - old for path, old in zip(paths, before, strict=True)]


def lines(rows: list[dict[str, Any]]) -> bytes:
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def write(path: Path) -> Path:
    """Write the rows in the format of the suffix."""
    path.parent.mkdir(exist_ok=True)
    if path.suffix == ".csv":
        path.write_text("question_id,prediction,answers,lang\n1,Coke,Coke,de\n2,1998,1999,en\n")
    elif path.suffix == ".xlsx":
        book = openpyxl.Workbook()
        book.active.append([*ROWS[0]])
        for row in ROWS:
            book.active.append([*row.values()][:2] + row["answers"] + [row["lang"]])
        book.save(path)
    elif path.name.startswith("samples"):
        path.write_bytes(lines(LOGGED))
    elif path.name.startswith("inspect"):
        path.write_text(json.dumps(INSPECT))
    elif path.suffix == ".json":
        path.write_text(json.dumps(ROWS))
    elif path.suffix == ".gz":
        path.write_bytes(gzip.compress(lines(ROWS)))
    elif path.suffix == ".zst":
        path.write_bytes(pa.compress(lines(ROWS), "zstd", asbytes=True))
    else:
        path.write_bytes(lines(ROWS))
    return path


NAMES = [
    *("rows.csv", "rows.jsonl", "rows.json", "rows.xlsx", "rows.jsonl.gz", "rows.jsonl.zst"),
    *("samples_t_2026-01-01.jsonl", "inspect.json"),
]


@pytest.mark.parametrize("name", NAMES)
def test_report_opens_a_file_once(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    by = [] if name.startswith(("samples", "inspect")) else ["-b", "lang"]
    with opened(path) as counts:
        fine(run(tmp_path, "report", name, *by))
    assert counts == [1]


@pytest.mark.parametrize("name", NAMES)
def test_a_report_with_rows_opens_a_file_once(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    with opened(path) as counts:
        fine(run(tmp_path, "report", name, "-o", "report.html", "--rows", "2"))
    assert counts == [1]


@pytest.mark.parametrize("name", NAMES)
def test_an_overview_opens_a_file_once(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name)
    with opened(path) as counts:
        fine(run(tmp_path, "overview", name, "-o", "overview.html"))
    assert counts == [1]


SEPARATED = pl.DataFrame(
    {"question_id": [*"abcd"], "prediction": ["Coke", "x", "7", "y"], "answers": ["Cola | Coke"] * 4}
)


@pytest.mark.parametrize("suffix", ["csv", "xlsx", "csv.gz", "csv.zst"])
def test_an_overview_opens_a_file_with_separated_answers_once(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"rows.{suffix}"
    text = SEPARATED.write_csv()
    match suffix:
        case "csv":
            path.write_text(text)
        case "xlsx":
            SEPARATED.write_excel(path)
        case "csv.gz":
            path.write_bytes(gzip.compress(text.encode()))
        case "csv.zst":
            path.write_bytes(pa.compress(text.encode(), "zstd", asbytes=True))
    with opened(path) as counts:
        done = run(tmp_path, "overview", path.name)
    assert "are split at '|'" in done.stderr
    assert "ANLS 0.25" in done.stdout  # of the second of two accepted answers
    assert counts == [1]


def test_an_overview_opens_files_in_folders_with_separated_answers_once(tmp_path: Path) -> None:
    paths = [tmp_path / "systems" / name / "rows.csv" for name in ("new", "old")]
    for path in paths:
        path.parent.mkdir(parents=True)
        SEPARATED.write_csv(path)
    with opened(*paths) as counts:
        done = run(tmp_path, "overview", "systems")
    assert "are split at '|'" in done.stderr
    assert "0.250" in done.stdout
    assert counts == [1, 1]


def test_an_overview_opens_gold_with_separated_answers_once(tmp_path: Path) -> None:
    gold = tmp_path / "gold.csv"
    SEPARATED.select("question_id", "answers").write_csv(gold)
    SEPARATED.select("question_id", "prediction").write_csv(tmp_path / "rows.csv")
    with opened(gold, tmp_path / "rows.csv") as counts:
        done = run(tmp_path, "overview", "rows.csv", "--gold", "gold.csv")
    assert "ANLS 0.25" in done.stdout
    assert counts == [1, 1]


@pytest.mark.parametrize("name", NAMES)
def test_compare_and_read_logs_open_each_file_once(tmp_path: Path, name: str) -> None:
    paths = [write(tmp_path / system / name) for system in ("old", "new")]
    with opened(*paths) as counts:
        fine(run(tmp_path, "compare", *paths))
    assert counts == [1, 1]
    with opened(*paths) as counts:
        af.read_logs({path.parent.name: path for path in paths})
    assert counts == [1, 1]
    with opened(*paths) as counts:
        af.read_logs([tmp_path / "old", tmp_path / "new"])
    assert counts == [1, 1]


def test_a_log_with_epochs_is_opened_once(tmp_path: Path) -> None:
    samples = [sample | {"epoch": epoch} for epoch in (1, 2) for sample in INSPECT["samples"]]
    path = tmp_path / "log.json"
    path.write_text(json.dumps(INSPECT | {"samples": samples}))
    with opened(path) as counts:
        fine(run(tmp_path, "report", "log.json", "-o", "report.parquet"))
    assert pl.read_parquet(tmp_path / "report.parquet")["n"][0] == len(ROWS)  # questions, of four rows
    assert counts == [1]


def test_questions_and_labels_are_opened_once(tmp_path: Path) -> None:
    rows = [{key: row[key] for key in ("question_id", "prediction")} for row in ROWS]
    (tmp_path / "rows.jsonl").write_bytes(lines(rows))
    gold = write(tmp_path / "gold.json")
    labels = [{"questionId": 1, "answers": ["Coke"]}, {"questionId": 2, "answers": ["1999"]}]
    (tmp_path / "labels.json").write_text(json.dumps({"data": labels}))
    submission = [{"questionId": 1, "answer": "Coke"}, {"questionId": 2, "answer": "1998"}]
    (tmp_path / "submission.json").write_text(json.dumps(submission))
    with opened(gold, tmp_path / "labels.json", tmp_path / "submission.json") as counts:
        fine(run(tmp_path, "report", "rows.jsonl", "--gold", "gold.json"))
        fine(run(tmp_path, "report", "submission.json", "--gold", "labels.json"))
    assert counts == [1, 1, 1]


@pytest.fixture
def pipe(tmp_path: Path) -> Iterator[Path]:
    """A pipe, into which the rows are written once."""
    path = tmp_path / "pipe.jsonl"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(lines(ROWS),), daemon=True)
    before = _opened[os.path.realpath(path)]
    writer.start()
    while _opened[os.path.realpath(path)] == before:  # it opens the pipe, too
        time.sleep(0.001)
    yield path
    writer.join(10)


def test_a_pipe_is_opened_once(pipe: Path) -> None:
    with opened(pipe) as counts:
        out = fine(run(pipe.parent, "report", "pipe.jsonl", "-b", "lang", "-o", "a.html", "--rows", "2"))
    assert "2 rows" in out
    assert counts == [1]


def test_a_pipe_that_is_named_twice_is_an_error(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")  # nobody writes into it: whoever opened it would wait
    twice = run(tmp_path, "compare", "pipe.jsonl", "pipe.jsonl")
    refused(twice, "pipe.jsonl occurs twice")
    refused(run(tmp_path, "report", "pipe.jsonl", "--gold", "pipe.jsonl"), "is also named by --gold")


def test_the_kind_of_a_file_is_found_once(tmp_path: Path) -> None:
    file = File(write(tmp_path / "samples_t_2026-01-01.jsonl"))
    assert kind_of(file) == "lm-eval"
    file.path.unlink()
    assert kind_of(file) == "lm-eval"


def test_columns_of_parquet_are_read_by_polars_alone(tmp_path: Path) -> None:
    path = tmp_path / "rows.parquet"
    pl.DataFrame(ROWS).write_parquet(path)
    with opened(path) as counts:
        fine(run(tmp_path, "report", "rows.parquet", "-b", "lang"))
    assert counts == [0]
