"""`audit` draws rows and makes their page; `verdicts` corrects the score by what was said of them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import polars as pl
import pytest
import shell
from rows_pages import ReadPage
from sample import DATA

import anls_frame as af
from anls_frame.export.page_verdicts import digest

if TYPE_CHECKING:
    from pathlib import Path

DRAW = (
    "audit",
    DATA / "ocr_qa.parquet",
    "-n",
    80,
    "-c",
    "doc_id",
    "-o",
    "rows.html",
    "--sample",
    "drawn.parquet",
)


def judge(folder: Path, texts: list[str]) -> pl.DataFrame:
    """Find every fifth answer of the drawn rows wrong, and all others right; return the sample."""
    sample = pl.read_parquet(folder / "drawn.parquet")
    drawn = sample.with_row_index("row").filter("audit")
    columns = drawn.select("row", "question_id", "answers", *texts).iter_rows()
    lines = [
        {
            "id": one,
            "row": row,
            "verdict": "answer_wrong" if row % 5 == 0 else "score_right",
            "digest": digest(said, answers),
        }
        for row, one, answers, *said in columns
    ]
    (folder / "verdicts.jsonl").write_text("\n".join(map(json.dumps, lines)))
    return sample


def test_the_loop_of_one_system(tmp_path: Path) -> None:
    done = shell.run(tmp_path, *DRAW, "-p", "rapidocr", "--keep", "question")
    assert done.returncode == 0, done.stderr
    assert (
        done.stdout.splitlines()[0] == "80 of 1,568 rows drawn: rows.html; 56 rows without a score left out"
    )
    sample = judge(tmp_path, ["prediction"])
    page = ReadPage((tmp_path / "rows.html").read_text(encoding="utf-8"))
    assert sorted(page.column("id")) == sorted(sample.filter("audit")["question_id"])
    assert sample.height == 1568

    done = shell.run(tmp_path, "verdicts", "verdicts.jsonl", "drawn.parquet")
    assert done.returncode == 0, done.stderr
    scored = af.add_scores(sample, "prediction", "answers", columns=["anls"], missing="empty")
    verdicts = af.readers.read_verdicts(tmp_path / "verdicts.jsonl")
    truth = af.audited_scores(scored, verdicts, "anls", id="question_id")
    line = af.corrected(truth, "anls", "audited_score", cluster="doc_id").overall.row(0, named=True)
    *_, flatters, corrected = done.stdout.splitlines()
    assert flatters.startswith("A score without rows flatters")
    assert corrected.startswith(f"drawn: {line['corrected']:.3f} [{line['corrected_low']:.3f}, ")
    assert f"{100 * line['audit_share']:.0f} % of the variance" in corrected

    done = shell.run(tmp_path, "verdicts", "verdicts.jsonl", "drawn.parquet", "--json")
    found = json.loads(done.stdout)
    assert found["corrected"][0]["bias_low"] == pytest.approx(line["bias_low"])
    assert found["differences"] == []


def test_the_loop_of_two_systems(tmp_path: Path) -> None:
    done = shell.run(tmp_path, *DRAW, "--systems", "tesseract,rapidocr", "--lean", "differing")
    assert done.returncode == 0, done.stderr
    sample = judge(tmp_path, ["tesseract", "rapidocr"])
    assert sample.filter("audit").select((pl.col("tesseract") == pl.col("rapidocr")).any()).item() in {
        False,
        None,
    }
    command = done.stdout.splitlines()[1].partition("then: anls-frame ")[2].split()
    assert command == ["verdicts", "verdicts.jsonl", "drawn.parquet", "--systems", "tesseract,rapidocr"]

    done = shell.run(tmp_path, *command, "--json")
    (line,) = json.loads(done.stdout)["differences"]
    assert (line["system"], line["baseline"], line["n_audited"]) == ("rapidocr", "tesseract", 80)
    assert line["difference_low"] < line["difference"] < line["difference_high"]


def test_files_of_two_systems_are_named_in_the_sample(tmp_path: Path) -> None:
    questions = pl.read_parquet(DATA / "ocr_qa.parquet")
    for name, column in (("old", "tesseract"), ("new", "rapidocr")):
        questions.select("question_id", "doc_id", "answers", prediction=column).write_parquet(
            tmp_path / f"{name}.parquet"
        )
    done = shell.run(tmp_path, "audit", "old.parquet", "new.parquet", *DRAW[2:])
    assert done.returncode == 0, done.stderr
    judge(tmp_path, ["old", "new"])
    done = shell.run(tmp_path, *done.stdout.partition("then: anls-frame ")[2].split())
    assert done.returncode == 0, done.stderr
    assert "new against old: +" in done.stdout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-n", "2000"], "n must be at most 1,568, the number of rows that need a verdict"),
        (["--lean", "doubt"], "no column 'doubt' among"),
        (["-o", "rows.csv"], "rows.csv: the name must end in one of .html, .htm"),
        (["--sample", "drawn.csv"], "drawn.csv: the name must end in one of .parquet"),
    ],
)
def test_refusals(tmp_path: Path, options: list[str], message: str) -> None:
    done = shell.run(tmp_path, *DRAW, "-p", "rapidocr", *options)
    assert done.returncode != 0
    assert message in done.stderr
    assert not [*tmp_path.iterdir()]


def test_drawn_rows_without_a_verdict_are_an_error(tmp_path: Path) -> None:
    shell.run(tmp_path, *DRAW, "-p", "rapidocr")
    judge(tmp_path, ["prediction"])
    lines = (tmp_path / "verdicts.jsonl").read_text().splitlines()
    (tmp_path / "verdicts.jsonl").write_text("\n".join(lines[:-2]))
    done = shell.run(tmp_path, "verdicts", "verdicts.jsonl", "drawn.parquet")
    assert done.returncode != 0
    assert "2 rows (question_id " in done.stderr
    assert "have no verdict; judge them, too" in done.stderr
