"""`browse`: the page that it writes is that of `anls_frame.browse`."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
import shell
from rows_pages import Linked, ReadPage
from sample import DATA, QUESTIONS_FILE
from shell import fine, refused

import anls_frame as af
from anls_frame.analysis import browsing

Run = Callable[..., shell.Done]

TABLE = QUESTIONS_FILE
GOLD = DATA / "rrc" / "gold_label.json"
SYSTEMS = ["tesseract", "rapidocr"]
FILES = [DATA / "rrc" / f"submission_{name}.json" for name in SYSTEMS]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run `anls-frame browse` in a folder of its own."""
    return functools.partial(shell.run, tmp_path, "browse")


def questions(**names: str) -> pl.DataFrame:
    """Return the sample data; the command line's ids are texts."""
    return pl.read_parquet(TABLE).with_columns(pl.col("question_id").cast(pl.String)).rename(names)


def written(path: Path) -> str:
    return path.read_text("utf-8")


def test_a_file_gives_the_page_of_its_rows(run: Run, tmp_path: Path) -> None:
    chosen = ("-p", "tesseract", "-b", "lang,profile", "-b", "lang", "--keep", "question")
    printed = fine(run(TABLE, *chosen, "-m", "anls", "-m", "cer", "-n", "30", "-o", "rows.html"))

    page = af.browse(
        questions(),
        "tesseract",
        "answers",
        by=["lang", "profile"],
        keep="question",
        id="question_id",
        metrics=["anls", "cer"],
        n=30,
    )
    assert printed.startswith("30 rows: rows.html\n1,568 of 1,624 rows were used; ")
    found = ReadPage(written(tmp_path / "rows.html"))
    made = page.write(tmp_path / "expected.html", title="qa", source=TABLE)
    expected = ReadPage(written(made))
    # A system read from a file has the name of the file.
    assert found.html.replace('["qa"]', '["tesseract"]') == expected.html


def test_systems_are_paired_by_ids(run: Run, tmp_path: Path) -> None:
    frame = questions().filter(pl.col("answers").list.len() > 0)
    frame = frame.select("question_id", "answers", *(pl.col(name).fill_null("") for name in SYSTEMS))
    for name, rows in zip(SYSTEMS, (frame, frame.reverse()), strict=True):
        rows.select("question_id", "answers", prediction=name).write_ndjson(tmp_path / f"{name}.jsonl")

    assert fine(run("tesseract.jsonl", "rapidocr.jsonl", "-o", "rows.html")) == "1,568 rows: rows.html\n"

    found = ReadPage(written(tmp_path / "rows.html"))
    named = dict(zip(found.meta["systems"], range(2), strict=True))
    of = {id_: place for place, id_ in enumerate(found.column("id"))}
    places = [of[id_] for id_ in frame["question_id"]]
    assert set(named) == set(SYSTEMS)
    assert len(of) == frame.height
    for name, system in named.items():
        scores = frame.select(af.score(name, "answers").struct.field("anls")).to_series()
        for column, expected in ((f"prediction_{system}", frame[name]), (f"score_0_{system}", scores)):
            values = found.column(column)
            assert [values[place] for place in places] == expected.to_list()


def test_one_folder_may_be_one_system(run: Run, tmp_path: Path) -> None:
    (tmp_path / "runs" / "gpt").mkdir(parents=True)
    for part in range(2):
        frame = questions(tesseract="prediction").select("question_id", "prediction", "answers")
        frame[part * 100 : part * 100 + 100].write_ndjson(tmp_path / "runs" / "gpt" / f"{part}.jsonl")
    assert fine(run("runs/*", "-o", "rows.html")).startswith("200 rows: rows.html\n")
    found = ReadPage(written(tmp_path / "rows.html"))
    assert found.meta["systems"] == ["gpt"]
    assert found.meta["title"] == "gpt"


def test_columns_of_scores_and_images(run: Run, tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("key,prediction,answers,own\na,x,y,0.25\nb,x,x,1\n", encoding="utf-8")
    options = ("-m", "own", "--id", "key", "--image", "scans/{question_id}.png")
    assert fine(run("in.csv", *options, "-o", "rows.html")) == "2 rows: rows.html\n"
    found = ReadPage(written(tmp_path / "rows.html"))
    assert found.column("score_0_0") == [0.25, 1]
    assert found.column("image") == ["scans/a.png", "scans/b.png"]
    assert found.column("id") == ["a", "b"]


def test_the_figures_of_reports_lead_to_their_rows(tmp_path: Path) -> None:
    usual = ("report", TABLE, "-p", "tesseract", "-b", "lang,profile", "-m", "qa", "--details")
    assert fine(shell.run(tmp_path, *usual, "--rows", "2000", "--keep", "question", "-o", "report.html"))

    found = Linked(written(tmp_path / "report.html"))
    report = af.report(questions(), "tesseract", "answers", by=[["lang", "profile"]], details=True)
    counts = [found.count(view) for view in found.views]
    assert found.rows is not None
    assert found.rows.meta["keep"] == ["question"]
    assert found.rows.column("id") == questions()["question_id"].to_list()
    for n in (report.overall["n"], *report.by_group["n"]):
        assert n in counts
    for n in report.errors()["n"]:
        assert n in counts or n == 0

    some = ("report", *FILES[:1], "--gold", GOLD, "--rows", "30", "-o", "some.html")
    assert fine(shell.run(tmp_path, *some))
    rows = Linked(written(tmp_path / "some.html")).rows
    assert rows is not None
    assert rows.meta["rows"] == 30
    assert "These are the 30 rows with the worst scores of 1,568." in rows.text


def test_the_figures_of_comparisons_lead_to_their_rows(tmp_path: Path) -> None:
    usual = ("compare", *FILES, "--gold", GOLD, "-b", "question_types", "-m", "anls", "--details")
    assert fine(shell.run(tmp_path, *usual, "--rows", "2000", "--keep", "question", "-o", "both.html"))

    found = Linked(written(tmp_path / "both.html"))
    counts = [found.count(view) for view in found.views]
    assert found.rows is not None
    assert found.rows.meta["systems"] == [path.stem for path in FILES]
    assert found.rows.meta["keep"] == ["question"]
    frame = questions().with_columns(pl.col(SYSTEMS).fill_null(""))
    comparison = af.compare(frame, SYSTEMS, "answers", by="question_types", details=True)
    for n in (1568, *comparison.by_group["n"], *comparison.transitions["n"]):
        assert n in counts


def test_rows_are_added_to_what_can_have_them(tmp_path: Path) -> None:
    run = functools.partial(shell.run, tmp_path)
    both = ("compare", TABLE, "--systems", "tesseract,rapidocr")
    for usual in (("report", TABLE, "-p", "tesseract"), both):
        refused(run(*usual, "--rows", "9"), "--rows adds rows to a report in HTML")
        refused(run(*usual, "--rows", "9", "-o", "out.csv"), "--rows adds rows to a report in HTML")
        refused(run(*usual, "--rows", "0", "-o", "out.html"), "--rows must be an integer from 1")
    refused(run(*both, "--keep", "question"), "--keep needs --rows")
    refused(run(*both, "--scores", "--rows", "9", "-o", "out.html"), "--scores has none")
    frame = questions(tesseract="prediction").head(20).select("question_id", "prediction", "answers")
    epochs = pl.concat(frame.with_columns(epoch=pl.lit(epoch)) for epoch in (1, 2))
    epochs.write_ndjson(tmp_path / "epochs.jsonl")
    refused(run("report", "epochs.jsonl", "--rows", "9", "-o", "out.html"), "choose an epoch with --epoch")
    assert fine(run("report", "epochs.jsonl", "--epoch", "1", "--rows", "9", "-o", "out.html"))


def test_what_it_cannot_do_is_said(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "there.html").write_text("", encoding="utf-8")
    usual = (TABLE, "-p", "tesseract")
    refused(run(*usual), "--output")
    refused(
        run(*usual, "-o", "rows.csv"), "the format of 'rows.csv' from its suffix; it must end in one of .html"
    )
    refused(run(*usual, "-o", "there.html"), "there.html: the file already exists; pass --force")
    refused(run(*usual, "-o", "rows.html", "-b", "nope"), "no column 'nope'")
    refused(run(*usual, "-o", "rows.html", "-n", "0"), "--n must be an integer")
    refused(run(*usual, "-o", "rows.html", "--name", "a", "--name", "b"), "once for one system, got 2")
    refused(run(TABLE, "--systems", "tesseract", "-o", "rows.html"), "--systems OLD,NEW")
    monkeypatch.setattr(browsing, "LARGEST", 100_000)
    refused(run(*usual, "--keep", "question", "-o", "rows.html"), "pass --n ")
    assert not (tmp_path / "rows.html").exists()
