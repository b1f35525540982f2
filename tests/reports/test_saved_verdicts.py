"""Verdicts of a page of rows, as its script saved them in Chromium 148."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

import anls_frame as af

QUESTIONS = af.sample()
SAVED = """\
{"id":10110,"row":9,"verdict":"our_error","digest":"5c7dd6816c31c222"}
{"id":10114,"row":13,"verdict":"answer_wrong","digest":"1bcb3e09dd949cd9"}
{"id":10208,"row":22,"verdict":"answer_incomplete","digest":"b5e9af5ae93fed86"}
"""


def test_saved_verdicts_are_joined_by_id(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(SAVED)
    page = af.browse(QUESTIONS, "tesseract", "answers", id="question_id")
    changed = QUESTIONS.with_columns(tesseract=pl.when(pl.col("question_id") != 10114).then("tesseract"))

    verdicts = af.readers.read_verdicts(path, page)

    assert verdicts.drop("system", "epoch", "score").rows() == [
        (10110, 9, "our_error", "5c7dd6816c31c222"),
        (10114, 13, "answer_wrong", "1bcb3e09dd949cd9"),
        (10208, 22, "answer_incomplete", "b5e9af5ae93fed86"),
    ]
    with pytest.raises(af.InputError, match="line 2: the texts of row 13 have changed since the verdict"):
        af.readers.read_verdicts(path, af.browse(changed, "tesseract", "answers"))
    with pytest.raises(af.InputError, match="line 1: the texts of row 9 have changed"):
        af.readers.read_verdicts(path, af.browse(QUESTIONS.head(5), "tesseract", "answers"))


def test_ids_are_texts_unless_all_are_numbers(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    for ids, expected in (
        (["1", "null"], pl.Series([1, None])),
        (['"a"', "2"], pl.Series(["a", "2"])),
        (["null", "null"], pl.Series([None, None], dtype=pl.String)),
        ([], pl.Series([], dtype=pl.String)),
    ):
        lines = (
            f'{{"id": {one}, "row": {row}, "verdict": "format", "digest": ""}}' for row, one in enumerate(ids)
        )
        path.write_text("\n".join(lines))

        found = af.readers.read_verdicts(path)

        assert found["id"].equals(expected)
        of_texts = ["our_error", "answer_wrong", "answer_incomplete", "ambiguous_question", "format"]
        assert found.schema["verdict"] == pl.Enum([*of_texts, "score_right", "right", "wrong"])


@pytest.mark.parametrize("page", [QUESTIONS, "page.html", 3])
def test_what_is_no_page_is_refused(tmp_path: Path, page: Any) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(SAVED)

    with pytest.raises(TypeError, match=r"^page must be a page of rows, as anls_frame\.browse returns, got "):
        af.readers.read_verdicts(path, page=page)


def test_all_problems_of_a_file_are_named(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(
        '{"row": 1, "verdict": "format", "digest": ""}\n\n'
        '{"row": 1, "verdict": "format", "digest": ""}\n'
        '{"row": -1, "verdict": "format", "digest": ""}\n'
        '{"row": 2, "verdict": "fine", "digest": ""}\n'
        '{"row": 2, "verdict": ["format"], "digest": ""}\n'
        '{"row": 2, "verdict": "format"}\n'
        '{"id": [], "row": 2, "verdict": "format", "digest": ""}\n'
        "[1]\n"
        "{"
    )

    with pytest.raises(af.InputError) as error:
        af.readers.read_verdicts(path)

    found = [(one.place, one.message.partition(",")[0]) for one in error.value.problems]
    assert [place for place, _ in found] == [f"line {number}" for number in range(3, 11)]
    assert found[0][1] == "row 1 has a verdict in line 1"
    assert found[2][1] == "verdict must be one of our_error"
    path.write_bytes(b"\xff")
    with pytest.raises(af.InputError, match="line 1: byte 0xff is not valid UTF-8"):
        af.readers.read_verdicts(path)


def test_epochs_and_systems_are_read(tmp_path: Path) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text(
        '\ufeff{"id": 1, "system": "a", "epoch": 2, "row": 0, "verdict": "format", '
        '"score": "nls", "digest": ""}\n'
        '{"id": 12345678901234567890, "row": 1, "verdict": "format", "digest": ""}\n',
        encoding="utf-8",
    )

    assert af.readers.read_verdicts(path).rows() == [
        ("1", 0, "format", "", "a", "2", "nls"),
        ("12345678901234567890", 1, "format", "", None, None, None),
    ]


HOSTILE = [
    '{"id": 1e400, "row": 1, "verdict": "format", "digest": ""}',
    '{"id": NaN, "row": 1, "verdict": "format", "digest": ""}',
    '{"id": true, "row": 1, "verdict": "format", "digest": ""}',
    '{"row": 1e3, "verdict": "format", "digest": ""}',
    '{"row": 1' + "0" * 5000 + ', "verdict": "format", "digest": ""}',
    '{"row": 1, "verdict": {"a": 1}, "digest": ""}',
    '{"row": 1, "verdict": "format", "digest": 5}',
    '{"row": 1, "verdict": "format", "digest": "", "epoch": [1]}',
    '{"row": 1, "verdict": "format", "digest": "", "system": -1e999}',
]


@pytest.mark.parametrize("line", HOSTILE, ids=range(len(HOSTILE)))
def test_hand_made_lines_are_errors_that_name_the_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "verdicts.jsonl"
    path.write_text('{"row": 0, "verdict": "format", "digest": ""}\n' + line + "\n")

    with pytest.raises(af.InputError) as error:
        af.readers.read_verdicts(path)

    assert [(one.file, one.place) for one in error.value.problems] == [(str(path), "line 2")]
    assert len(str(error.value)) < 1000
