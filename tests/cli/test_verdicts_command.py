"""`verdicts`: what the rows of each verdict lost, on verdicts that Chromium saved."""

from __future__ import annotations

import json
import re
from pathlib import Path

import polars as pl
import pytest
import shell
from rapidfuzz.distance import Levenshtein
from sample import QUESTIONS_FILE
from shell import fine, refused

import anls_frame as af
from anls_frame.export.page_verdicts import digest
from anls_frame.samples import write_pages

QUESTIONS = af.sample()
# Of these rows of tesseract, the first two score 0.
SAVED = """\
{"id":10110,"row":9,"verdict":"our_error","digest":"5c7dd6816c31c222"}
{"id":10114,"row":13,"verdict":"answer_wrong","digest":"1bcb3e09dd949cd9"}
{"id":10208,"row":22,"verdict":"answer_incomplete","digest":"b5e9af5ae93fed86"}
"""
# Of a page of tesseract and rapidocr; both score 0 in these rows.
OF_BOTH = """\
{"id":10110,"row":9,"verdict":"answer_wrong","digest":"45901ead0c0ff9f1"}
{"id":10208,"row":22,"verdict":"answer_wrong","digest":"9e241025d2f43ea2"}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "verdicts.jsonl").write_text(SAVED)
    return tmp_path


def test_lost_points_are_told_apart_by_verdict(folder: Path) -> None:
    printed = fine(
        shell.run(
            folder,
            "verdicts",
            "verdicts.jsonl",
            QUESTIONS_FILE,
            "-p",
            "tesseract",
            "-o",
            "judged.csv",
        )
    )
    assert printed.splitlines()[0] == "3 rows with verdicts: judged.csv"
    # From the oracle's scores: 1,568 rows with a mean ANLS of 0.659509 lose 533.9 points.
    assert printed.splitlines()[-1] == (
        "3 of 1,568 rows judged, with a loss of 3 out of 533.9, "
        "and 2 (67 %) of it is not the model's error; ANLS 0.660, without these rows 0.660 (1,566 rows)"
    )
    assert "answer_wrong" in printed
    judged = pl.read_csv(folder / "judged.csv")
    assert judged["question_id"].to_list() == [10110, 10114, 10208]
    assert judged["verdict"].to_list() == ["our_error", "answer_wrong", "answer_incomplete"]
    assert set(judged.columns) >= {"prediction", "answers", "question", "doc_id"}


def test_without_rows_to_leave_out_there_is_one_score(folder: Path) -> None:
    ours = next(line for line in (folder / "verdicts.jsonl").read_text().splitlines() if "our_error" in line)
    (folder / "ours.jsonl").write_text(ours)
    printed = fine(shell.run(folder, "verdicts", "ours.jsonl", QUESTIONS_FILE, "-p", "tesseract"))
    assert printed.endswith("of it is not the model's error; ANLS 0.660\n")


def test_verdicts_on_other_texts_are_an_error(folder: Path) -> None:
    other = pl.when(pl.col("question_id") != 10114).then("tesseract")
    QUESTIONS.with_columns(prediction=other).write_parquet(folder / "new.parquet")
    refused(
        shell.run(folder, "verdicts", "verdicts.jsonl", "new.parquet"),
        "verdicts.jsonl: 1 verdict of 3 (id '10114'): no row has their id and their texts",
    )
    (folder / "none.jsonl").write_text("")
    done = shell.run(folder, "verdicts", "none.jsonl", "new.parquet")
    assert (done.returncode, "none.jsonl: there are no verdicts" in done.stderr) == (2, True)


def test_verdicts_on_pages_of_several_systems(folder: Path) -> None:
    (folder / "both.jsonl").write_text(OF_BOTH)
    systems = ["tesseract", "rapidocr"]
    command = ["verdicts", "both.jsonl", QUESTIONS_FILE, "--systems", ",".join(systems)]
    printed = fine(shell.run(folder, *command, "-o", "judged.parquet", "--json"))
    found = json.loads(printed)
    assert found["judged"] == 2
    rows = pl.read_parquet(folder / "judged.parquet").cast({"question_id": pl.Int64})
    judged = QUESTIONS.filter(
        pl.col("question_id").is_in([json.loads(line)["id"] for line in OF_BOTH.split()])
    )
    assert rows["question_id"].equals(judged["question_id"])
    for name, line, of_verdict in zip(systems, found["systems"], found["verdicts"], strict=True):
        overall = af.report(QUESTIONS, name, "answers").overall
        assert (line["system"], line["n"]) == (name, 1568)
        assert line["lost_points"] == pytest.approx(1568 * (1 - overall["anls"]))
        assert (line["lost_points_of_judged"], line["not_the_models"]) == (2, 2)
        left = QUESTIONS.filter(~pl.col("question_id").is_in(judged["question_id"].to_list()))
        without = af.report(left, name, "answers").overall
        assert (line["score"], line["n_without"]) == (pytest.approx(overall["anls"]), without["n"])
        assert line["score_without"] == pytest.approx(without["anls"])
        assert (of_verdict["verdict"], of_verdict["rows"]) == ("answer_wrong", 2)
        assert of_verdict["share_of_lost"] == pytest.approx(2 / line["lost_points"])
        assert rows[f"prediction of {name}"].equals(judged[name])
    alone = shell.run(folder, *command[:3], "-p", "tesseract")
    assert (alone.returncode, "or the page had other systems" in alone.stderr) == (2, True)
    printed = shell.run(folder, *command).stdout
    assert [line.partition(":")[0] for line in printed.splitlines()[-2:]] == systems


def test_verdicts_on_pages_of_ocr_count_character_errors(tmp_path: Path) -> None:
    write_pages(tmp_path / "pages")
    folders = {name: tmp_path / "pages" / name for name in ("truth", "tesseract", "rapidocr")}
    pages = af.read_pages(folders["truth"], {name: folders[name] for name in ("tesseract", "rapidocr")})
    row, (page, truth, read) = next(
        (row, texts)
        for row, texts in enumerate(pages.select("page", "reference", "tesseract").rows())
        if texts[0] == "form_06"
    )
    saved = {"id": page, "row": row, "verdict": "answer_wrong", "digest": digest([read], [truth])}
    (tmp_path / "saved.jsonl").write_text(json.dumps(saved))
    edits = [Levenshtein.distance(*texts) for texts in pages.select("reference", "tesseract").rows()]
    length = pages["reference"].str.len_chars().sum()
    of_page, rest = edits[row], (sum(edits) - edits[row]) / (length - len(truth))

    printed = fine(
        shell.run(tmp_path, "verdicts", "saved.jsonl", folders["tesseract"], "--gold", folders["truth"])
    )

    *table, sentence = printed.splitlines()
    assert sentence == (
        f"1 of 12 pages judged, with {of_page:,} of {sum(edits):,} character errors, "
        f"and {of_page:,} (100 %) of these are not the engine's errors; "
        f"CER {100 * sum(edits) / length:.1f} %, without these pages {100 * rest:.1f} % (11 pages)"
    )
    assert [heading.strip() for heading in re.split("[│┆]", table[1])[1:-1]] == [
        *("verdict", "pages", "character errors", "of all character errors")
    ]
    assert "ANLS" not in printed
    assert "points" not in printed
