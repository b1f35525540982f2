"""`anls-frame corrected` prints and writes the corrected scores of a file, and how well a judge agrees."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import polars as pl
import pytest
from shell import fine, refused, run

import anls_frame as af

COMMAND = ["corrected", "judged.csv", "--score", "judge", "--truth", "human"]
DRAW = random.Random(0)
ROWS = pl.DataFrame(
    {
        "doc": [f"d{row // 5}" for row in range(300)],
        "lang": ["de" if row % 3 else "en" for row in range(300)],
        "judge": [int(DRAW.random() < 0.8) for _ in range(300)],
        "human": [None if row % 3 == 1 else DRAW.random() < 0.7 for row in range(300)],
    }
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ROWS.write_csv(tmp_path / "judged.csv")
    return tmp_path


def test_figures_are_those_of_the_function(folder: Path) -> None:
    result = af.corrected(ROWS, "judge", "human", cluster="doc", by="lang")
    printed = fine(run(folder, *COMMAND, "-c", "doc", "-b", "lang"))
    assert printed == result.to_text() + "\n"
    for part in ("agreement 0.", "kappa", "wrong answers caught"):
        assert part in printed
    of_json = json.loads(fine(run(folder, *COMMAND, "-c", "doc", "-b", "lang", "--json")))
    written = result.write(folder / "judge.json").read_text(encoding="utf-8")
    assert of_json == json.loads(written)


def test_a_page_is_written_and_its_name_is_printed(folder: Path) -> None:
    printed = fine(run(folder, *COMMAND, "-o", "judge.html", "--title", "Our judge"))
    assert re.fullmatch(r"judge\.html: .* from \d+ verdicts and \d+ scores\..*\n", printed)
    assert "<title>Our judge</title>" in (folder / "judge.html").read_text(encoding="utf-8")


def test_rows_of_a_condition_and_entries_of_objects(folder: Path) -> None:
    lines = ROWS.select("lang", meta=pl.struct("judge", "human", "doc"))
    lines.write_ndjson(folder / "nested.jsonl")
    result = af.corrected(ROWS.filter(pl.col("lang") == "de"), "judge", "human", cluster="doc")
    command = ["corrected", "nested.jsonl", "--score", "meta.judge", "--truth", "meta.human"]
    printed = fine(run(folder, *command, "-c", "meta.doc", "--where", "lang = 'de'", "--json"))
    read = json.loads(printed)
    assert "where:lang = 'de'" in read["signature"].split("|")
    (row,) = read["tables"]["meta.judge"]
    assert row["corrected"] == result.overall["corrected"].item()
    assert row["n"] == 200


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--score", "judge", "--truth", "humn"], "did you mean 'human'?"),
        (["--score", "judge"], "--truth"),
        (["--score", "lang", "--truth", "human"], "column 'lang' must hold numbers"),
    ],
)
def test_wrong_columns_are_named(folder: Path, options: list[str], message: str) -> None:
    refused(run(folder, "corrected", "judged.csv", *options), message)
