"""`audit` draws rows and makes their page; `verdicts` corrects the score by what was said of them."""

from __future__ import annotations

import json
from pathlib import Path

import jiwer
import polars as pl
import pytest
import shell
from rows_pages import ReadPage
from sample import QUESTIONS_FILE

import anls_frame as af
from anls_frame.export.page_verdicts import digest

DRAW = (
    "audit",
    QUESTIONS_FILE,
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
    *_, warned, named, corrected = done.stdout.splitlines()
    assert warned.startswith(
        "Only the drawn rows were judged, so the score without some of them is no estimate"
    )
    assert named == "ANLS, corrected by the drawn rows:"
    assert corrected.startswith(f"drawn: {line['corrected']:.3f} [{line['corrected_low']:.3f}, ")
    assert f"{100 * line['audit_share']:.0f} % of the remaining variance" in corrected

    done = shell.run(tmp_path, "verdicts", "verdicts.jsonl", "drawn.parquet", "--json")
    found = json.loads(done.stdout)
    assert found["corrected"][0]["bias_low"] == pytest.approx(line["bias_low"])
    assert found["differences"] == []


def test_error_rates_count_the_errors_of_judged_rows(tmp_path: Path) -> None:
    rows = [("cat", "cut"), ("abcd", "xyzd"), ("dog", "dog"), ("x", "y")]
    pl.DataFrame(
        {
            "question_id": ["a", "b", "c", "d"],
            "prediction": [read for read, _ in rows],
            "answer": [right for _, right in rows],
        }
    ).write_csv(tmp_path / "rows.csv")
    judged = [(0, "answer_wrong"), (1, "score_right")]
    lines = [
        {"id": "ab"[row], "row": row, "verdict": verdict, "digest": digest([rows[row][0]], [rows[row][1]])}
        for row, verdict in judged
    ]
    (tmp_path / "verdicts.jsonl").write_text("\n".join(map(json.dumps, lines)))
    done = shell.run(tmp_path, "verdicts", "verdicts.jsonl", "rows.csv", "-m", "wer")
    assert done.returncode == 0, done.stderr
    said = "2 of 4 rows judged, with 4 of 5 character errors, and 1 (25 %) of these are not the model's"
    assert said in done.stdout
    assert "CER 45.5 %, without these rows 50.0 % (3 rows)" in done.stdout  # 5 / 11, and 4 / 8


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
    questions = af.sample()
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
        (["-o", "rows.csv"], "the format of 'rows.csv' from its suffix; it must end in one of .html, .htm"),
        (
            ["--sample", "drawn.csv"],
            "the format of 'drawn.csv' from its suffix; it must end in one of .parquet",
        ),
    ],
)
def test_refusals(tmp_path: Path, options: list[str], message: str) -> None:
    flag, value = options
    place = DRAW.index(flag) if flag in DRAW else len(DRAW)
    done = shell.run(tmp_path, *DRAW[:place], *DRAW[place + 2 :], "-p", "rapidocr", flag, value)
    assert done.returncode != 0
    assert message in done.stderr
    assert not [*tmp_path.iterdir()]


@pytest.fixture
def scans(tmp_path: Path) -> pl.DataFrame:
    """English pages in folders, of which every fifth has a wrong reference; `is_wrong` tells which."""
    pages = af.sample("pages").filter(lang="en").sort("doc_id")
    pages = pages.select("doc_id", "reference", "tesseract", "rapidocr").with_row_index("page")
    for folder, suffix in (("reference", ".gt.txt"), ("tesseract", ".txt"), ("rapidocr", ".txt")):
        (tmp_path / folder).mkdir()
        for page, text in pages.select("doc_id", folder).iter_rows():
            (tmp_path / folder / f"{page}{suffix}").write_text(text, encoding="utf-8")
    return pages.with_columns(is_wrong=pl.col("page") % 5 == 0)


def judge_pages(folder: Path, scans: pl.DataFrame, texts: list[str]) -> None:
    """Find the references of the drawn pages wrong that are."""
    drawn = pl.read_parquet(folder / "drawn.parquet").with_row_index("row").filter("audit")
    wrong = set(scans.filter("is_wrong")["doc_id"])
    lines = [
        {
            "id": page,
            "row": row,
            "verdict": "answer_wrong" if page in wrong else _said(read, reference),
            "digest": digest(read, [reference]),
        }
        for row, page, reference, *read in drawn.select("row", "question_id", "answers", *texts).iter_rows()
    ]
    (folder / "verdicts.jsonl").write_text("\n".join(map(json.dumps, lines)))


def _said(read: list[str], reference: str) -> str:
    """Return the verdict on a page whose reference is right."""
    return "score_right" if all(text == reference for text in read) else "our_error"


def rates_of_jiwer(scans: pl.DataFrame, engine: str) -> dict[str, tuple[float, float]]:
    """Return CER and WER of all pages, and the same if pages with a wrong reference had no errors."""
    rates = {}
    for metric, process in (("cer", jiwer.process_characters), ("wer", jiwer.process_words)):
        errors, right, length = 0, 0, 0
        for *texts, is_wrong in scans.select("reference", engine, "is_wrong").iter_rows():
            # Words of jiwer are separated by spaces.
            found = process(*(" ".join(text.split()) if metric == "wer" else text for text in texts))
            own = found.substitutions + found.deletions + found.insertions
            errors, right = errors + own, right + (0 if is_wrong else own)
            length += found.hits + found.substitutions + found.deletions
        rates[metric] = (errors / length, right / length)
    return rates


PAGES = ("-n", 40, "-o", "pages.html", "--sample", "drawn.parquet", "--gold", "reference")


def test_pages_are_corrected_in_the_rates_of_jiwer(tmp_path: Path, scans: pl.DataFrame) -> None:
    done = shell.run(tmp_path, "audit", "tesseract", *PAGES)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[0] == "40 of 40 pages drawn: pages.html"
    page = ReadPage((tmp_path / "pages.html").read_text(encoding="utf-8"))
    assert [metric["label"] for metric in page.meta["metrics"]] == ["CER"]
    judge_pages(tmp_path, scans, ["prediction"])

    command = done.stdout.splitlines()[1].partition("then: anls-frame ")[2].split()
    done = shell.run(tmp_path, *command, "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    expected = rates_of_jiwer(scans, "tesseract")
    assert [line["metric"] for line in found["corrected"]] == ["cer", "wer"]
    for line in found["corrected"]:
        assert (line["score"], line["corrected"]) == pytest.approx(expected[line["metric"]])
    # Without pages whose reference is wrong, the rate is that of the others.
    assert found["systems"][0]["score"] == pytest.approx(expected["cer"][0])

    said = shell.run(tmp_path, *command).stdout
    assert "ANLS" not in said
    for name, metric in (("CER", "cer"), ("WER", "wer")):
        *_, after = said.partition(f"{name}, corrected by the drawn pages:\n")
        assert after.startswith(f"drawn: {100 * expected[metric][1]:.1f} % [")


def test_rows_without_ids_are_found_again_though_their_texts_repeat(tmp_path: Path) -> None:
    """Half of the rows are judged right; every row has the texts of a hundred others."""
    rows = [(answer, "yes", float(answer == "yes")) for answer in ("yes", "no")] * 100
    pl.DataFrame(rows, ["prediction", "answer", "judge"], orient="row").write_csv(tmp_path / "r.csv")
    draw = ("audit", "r.csv", "-n", 80, "-m", "judge", "-o", "rows.html", "--sample", "drawn.parquet")
    assert shell.run(tmp_path, *draw).returncode == 0
    sample = judge(tmp_path, ["prediction"])
    assert sample["question_id"].to_list() == list(range(200))
    saved = (tmp_path / "verdicts.jsonl").read_text()
    saved = saved.replace("answer_wrong", "wrong").replace("score_right", "right")
    (tmp_path / "verdicts.jsonl").write_text(saved)
    sample.sample(fraction=1, shuffle=True, seed=1).write_parquet(tmp_path / "drawn.parquet")
    done = shell.run(tmp_path, "verdicts", "verdicts.jsonl", "drawn.parquet", "-m", "judge", "-o", "j.csv")
    assert done.returncode == 0, done.stderr
    judged = pl.read_csv(tmp_path / "j.csv").select("question_id", pl.col("verdict") == "wrong")
    assert judged.filter("verdict")["question_id"].to_list() == [
        row for row in judged["question_id"] if row % 5 == 0
    ]
    assert judged.height == 80
