"""Notes of results name options as the command line does in a terminal, and as Python does in files."""

from __future__ import annotations

import json
import pickle
import re
from pathlib import Path

import polars as pl
import pytest
from shell import fine, run

import anls_frame as af
from anls_frame._messages import Message

ROWS = pl.DataFrame({
    "id": [f"q{row}" for row in range(40)],
    "doc_id": [f"d{row // 4}" for row in range(40)],
    "prediction": ["a", "b", "c", None] * 10,
    "other": ["a", "b", "d", "d"] * 10,
    "third": ["a", "e", "e", "e"] * 10,
    "usd": [0.01, 0.02, 0.03, 0.04] * 10,
    "confidence": [0.9, 0.8, 0.7, 0.6] * 10,
    "answers": ["a", "b", None, "d"] * 10,
})  # fmt: skip
"""In one of four rows there is no answer, in another no prediction."""
CHINESE = "天地玄黃宇宙洪荒日月盈昃辰宿列張" * 3


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    ROWS.write_csv(tmp_path / "r.csv")
    ROWS.drop("doc_id").with_columns(other_id="id").write_csv(tmp_path / "alone.csv")
    for name in ("ocr", "truth"):
        (tmp_path / name).mkdir()
        for page in range(2):
            (tmp_path / name / f"p{page}.txt").write_text(CHINESE, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("command", "in_terminal", "in_python"),
    [
        (
            "report r.csv",
            "left out (predicted texts: 10): --unanswerable empty scores",
            'unanswerable="empty"',
        ),
        (
            "report r.csv --missing drop",
            "left out: --missing empty scores them",
            'missing="empty" scores them',
        ),
        (
            "report r.csv",
            "too small. Pass -c doc_id.",
            'Pass cluster="doc_id" (on the command line, -c doc_id).',
        ),
        (
            "report alone.csv -b other_id",
            "each row as -c.",
            "each row as cluster= (on the command line, -c).",
        ),
        (
            "report r.csv -m usd",
            "amounts, pass -m bounds:0::NAME for narrower",
            "pass Metric(..., bounds=(0, None)) (on the command line, -m bounds:0::NAME) for narrower",
        ),
        (
            "report ocr --gold truth",
            "means little. --protocol anls,errors.words=uax29 splits",
            'A protocol whose errors have words="uax29" (on the command line, --protocol anls,',
        ),
        (
            "compare r.csv --systems prediction,other,third",
            "p-values; in Python, differences(simultaneous=True) has",
            "p-values; differences(simultaneous=True) has",
        ),
        ("overview r.csv", "--unanswerable empty scores them", None),
        ("overview r.csv -o o.html --force", "--unanswerable empty scores them", None),
        (
            "selective r.csv --model-confidence confidence -m exact_match -c doc_id -o s.html --force",
            "--unanswerable empty scores them",
            None,
        ),
        ("score r.csv", "--unanswerable empty of `anls-frame report` scores them", None),
        ("browse r.csv -o page.html --force", "--unanswerable empty scores them", None),
    ],
)
def test_options_are_those_of_the_place(
    folder: Path, command: str, in_terminal: str, in_python: str | None
) -> None:
    printed = run(folder, *command.split(), COLUMNS="200")
    assert printed.returncode == 0, printed.stderr
    assert in_terminal in " ".join(printed.stdout.split())
    assert '="' not in printed.stdout
    assert printed.stdout.count("rows were used") <= 1
    if in_python is not None:
        notes = json.loads(run(folder, *command.split(), "--json").stdout)["notes"]
        assert [note for note in notes if in_python in note] != []
        assert [note for note in notes if in_terminal in note] == []


def test_gates_and_warnings_name_options_of_the_command_line(folder: Path) -> None:
    bound = ("--systems", "prediction,other", "-c", "doc_id", "--require-within", "0.9")
    compared = " ".join(run(folder, "compare", "r.csv", *bound).stdout.split())
    assert "--unanswerable empty scores them" in compared
    confidence = ("--model-confidence", "confidence", "-m", "exact_match", "-c", "doc_id")
    decided = run(folder, "selective", "r.csv", *confidence, "--threshold", "0.5")
    assert ": --unanswerable empty scores them" in decided.stdout


def test_an_option_that_a_command_lacks_is_named_with_its_command(folder: Path) -> None:
    fine(run(folder, "report", "r.csv", "-c", "doc_id", "--summary", "part.parquet", "-o", "part.html"))
    merged = fine(run(folder, "merge", "part.parquet"))
    assert "--unanswerable empty of `anls-frame report` scores them" in " ".join(merged.split())
    # Followed, the advice scores all rows: half are right, and those without an answer or prediction wrong.
    asked = ("--unanswerable", "empty", "--json")
    rows = json.loads(fine(run(folder, "report", "r.csv", *asked)))["tables"]["All rows"]
    assert (rows[0]["n"], rows[0]["anls"]) == (40, 0.5)


def test_repeated_answers_name_options_of_the_command_line(folder: Path) -> None:
    rounds = pl.concat([ROWS.with_columns(epoch=pl.lit(epoch)) for epoch in (1, 2)])
    rounds.select("id", "epoch", "prediction", "answers").write_ndjson(folder / "rounds.jsonl")
    printed = fine(run(folder, "epochs", "rounds.jsonl"))
    assert "\n  60 of 80 rows were used" in printed
    assert "): --unanswerable empty scores them" in printed


def test_a_note_in_python_is_a_plain_text_with_options_of_python() -> None:
    report = af.report(ROWS, "prediction", "answers")
    sentence = (
        "30 of 40 rows were used; 10 have no accepted answer and were left out (predicted texts: 10): "
        'unanswerable="empty" scores them; missing predictions are scored as the empty text (10).'
    )
    assert str(report.account) == sentence
    assert sentence in report.to_text()
    notes = report.to_document().notes
    assert sentence in notes
    assert not any(isinstance(note, Message) for note in notes)
    assert pickle.loads(pickle.dumps(report.account)).sentence == sentence  # noqa: S301 - of this process
    assert pl.Series([report.account.sentence]).dtype == pl.String


def test_the_line_about_a_file_calls_rows_as_the_file_does(tmp_path: Path) -> None:
    lines = [f"{row},a b,{'a b' if row % 2 else ''}\n" for row in range(8)]
    (tmp_path / "m.csv").write_text("".join(["id,answer,prediction\n", *lines]), encoding="utf-8")
    named = ("--noun", "utterances", "-o")
    done = fine(run(tmp_path, "report", "m.csv", "-m", "speech", *named, "m.html"))
    first, account = done.splitlines()
    assert re.fullmatch(r"m\.html: WER \(corpus\) 50\.0 % \[\S+, \S+\] over 8 utterances\.", first)
    assert account.startswith("All 8 utterances were used")
    systems = ("--systems", "id,prediction", "-a", "answer")
    assert "All 8 utterances were used" in fine(run(tmp_path, "compare", "m.csv", *systems, *named, "c.html"))
