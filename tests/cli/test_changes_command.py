"""`changes`: what it prints and writes are the rows of `anls_frame.changes`."""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from sample import DATA, QUESTIONS_FILE
from shell import fine, refused

import anls_frame as af

Run = Callable[..., shell.Done]

TABLE = str(QUESTIONS_FILE)
GOLD = str(DATA / "rrc" / "gold_label.json")
FILES = [str(DATA / "rrc" / f"submission_{name}.json") for name in ("tesseract", "rapidocr")]
COLUMNS = ("changes", TABLE, "--systems", "tesseract,rapidocr")
SYSTEMS = {name: name for name in ("tesseract", "rapidocr")}


def expected(**options: Any) -> pl.DataFrame:
    """Return the rows of the sample data; the command line's ids are texts."""
    frame = pl.read_parquet(TABLE).with_columns(pl.col("question_id").cast(pl.String))
    found: pl.DataFrame = af.changes(frame, SYSTEMS, "answers", **{"keep": "question_id", **options})
    return found


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_the_rows_of_two_columns_are_written(run: Run, tmp_path: Path, suffix: str) -> None:
    options = ("--keep", "question_id", "--keep", "lang", "-m", "anls", "-m", "cer")
    printed = fine(run(*COLUMNS, *options, "-o", f"rows.{suffix}"))

    rows = expected(keep=["question_id", "lang"], metrics=["anls", "cer"])
    assert printed == f"{rows.height} rows in which rapidocr is worse than tesseract: rows.{suffix}\n"
    path = tmp_path / f"rows.{suffix}"
    if suffix == "parquet":
        assert pl.read_parquet(path).equals(rows)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        again = af.read_results(path, prediction="prediction", answers="nearest_answer")
    assert len(warned) == (suffix == "csv")
    if suffix == "csv":  # which a spreadsheet may open
        rows = rows.with_columns(pl.col(pl.String).str.replace("^[=+@-]", "'$0"))
    assert again["question_id"].to_list() == rows["question_id"].to_list()
    assert again["prediction"].to_list() == rows["prediction"].to_list()
    assert again["transition"].to_list() == rows["transition"].to_list()
    assert again["cer_difference"].cast(pl.Float64).to_list() == rows["cer_difference"].to_list()


@pytest.mark.parametrize("kind", ["worse", "better", "all"])
def test_two_files_give_what_two_columns_give(run: Run, kind: str) -> None:
    printed = fine(run("changes", *FILES, "--gold", GOLD, "--kind", kind, "--json"))

    # A submission has no null predictions.
    frame = pl.read_parquet(TABLE).with_columns(
        pl.col("tesseract", "rapidocr").fill_null(""), pl.col("question_id").cast(pl.String)
    )
    systems = {f"submission_{name}": name for name in SYSTEMS}
    rows = af.changes(frame, systems, "answers", kind=kind, keep="question_id")  # type: ignore[arg-type]
    assert json.loads(printed) == rows.to_dicts()


def test_the_largest_losses_are_printed(run: Run) -> None:
    rows = expected()
    for n, shown in ((None, 10), (3, 3), (100, 81)):
        printed = fine(run(*COLUMNS, *([] if n is None else ["--n", str(n)])))
        ids = re.findall(r"^│ (\d+) +┆", printed, re.MULTILINE)
        assert ids == rows["question_id"].head(shown).to_list()
        assert printed.splitlines()[-1] == "81 rows in which rapidocr is worse than tesseract"
        assert (f"... and {81 - shown} more rows" in printed) == (shown < 81)
    written = fine(run(*COLUMNS, "--n", "3", "-o", "rows.csv"))
    assert written == "81 rows in which rapidocr is worse than tesseract, 3 of them in rows.csv\n"
    assert json.loads(fine(run(*COLUMNS, "--n", "3", "--json"))) == rows.head(3).to_dicts()


@pytest.mark.parametrize("metric", ["cer", "cer_mean"])
def test_error_rates_are_printed_in_per_cent_and_written_as_fractions(run: Run, metric: str) -> None:
    first = json.loads(fine(run(*COLUMNS, "-m", metric, "--n", "1", "--json")))[0]
    printed = fine(run(*COLUMNS, "-m", metric, "--n", "1"))
    for value in (f"{100 * first['baseline_cer']:.1f} %", f"{100 * first['cer_difference']:+.1f} pp"):
        assert f" {value} " in printed


def test_scores_that_exist_have_their_name_and_direction(run: Run, tmp_path: Path) -> None:
    pl.DataFrame({"id": ["a", "b", "c"], "x": [0.5, 1.0, None], "y": [0.75, 0.5, 0.5]}).write_csv(
        tmp_path / "scores.csv"
    )
    options = ("changes", "scores.csv", "--systems", "x,y", "--scores", "--json")

    found = json.loads(fine(run(*options, "-m", "f1")))
    figures = {"baseline_f1": 1.0, "f1": 0.5, "f1_difference": -0.5}
    assert found == [{"question_id": "b", "system": "y", **figures}]
    worse = json.loads(fine(run(*options, "-m", "lower:tokens")))
    assert [row["question_id"] for row in worse] == ["a"]
    refused(run(*options, "-m", "a", "-m", "b"), "--metric must be one name with --scores")
    refused(run(*options, "-m", "ratio:x:y"), "--metric must be one name with --scores")
    refused(run(*options, "--protocol", "rrc"), "--scores cannot be combined with --protocol")


def test_what_it_cannot_do_is_said(run: Run, tmp_path: Path) -> None:
    (tmp_path / "none.jsonl").write_text('{"a": "x", "b": "y", "answer": null}', encoding="utf-8")
    (tmp_path / "there.csv").write_text("", encoding="utf-8")
    refused(run("changes", TABLE), "name two or more files, or two or more prediction columns of one file")
    refused(run(*COLUMNS, "--kind", "x"), "'--kind': 'x' is not one of 'worse', 'better', 'all'")
    refused(run(*COLUMNS, "--n", "-1"), "--n must be an integer from 0")
    refused(run(*COLUMNS, "--keep", "nope"), "no column 'nope'")
    refused(run(*COLUMNS, "-m", "zeros"), "'zeros' is not")
    refused(
        run(*COLUMNS, "-o", "rows.html"),
        "the format of 'rows.html' from its suffix; it must end in one of .csv",
    )
    refused(run(*COLUMNS, "-o", "there.csv"), "there.csv: the file already exists; pass --force")
    refused(run("changes", "none.jsonl", "--systems", "a,b"), "no row has an answer to score against")


def test_two_of_the_systems_in_rows_are_compared_under_their_names(run: Run, tmp_path: Path) -> None:
    lines = [{"model": model, "question_id": 1, "prediction": model, "answer": "b"} for model in "abc"]
    (tmp_path / "all.jsonl").write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    options = ("--system-column", "model", "--systems", "b,c", "--name", "old", "--name", "new", "--json")

    (row,) = json.loads(fine(run("changes", "all.jsonl", *options)))

    assert (row["baseline_prediction"], row["prediction"], row["question_id"]) == ("b", "c", "1")


def test_every_system_is_compared_with_the_first(run: Run, tmp_path: Path) -> None:
    answers = [f"answer {number}" for number in range(20)]
    # System k has the first k answers wrong, and the baseline the first two.
    wrong = {"base": 2, "a": 0, "b": 2, "c": 3, "d": 20}
    for name, number in wrong.items():
        texts = ["?"] * number + answers[number:]
        rows = [
            {"question_id": place, "prediction": text, "answer": answer}
            for place, (text, answer) in enumerate(zip(texts, answers, strict=True))
        ]
        (tmp_path / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    files = [f"{name}.jsonl" for name in wrong]

    worse = json.loads(fine(run("changes", *files, "--json")))
    keys = sorted((row["system"], int(row["question_id"])) for row in worse)
    assert keys == [("c", 2), *(("d", place) for place in range(2, 20))]
    better = json.loads(fine(run("changes", *files, "--kind", "better", "--json")))
    assert sorted((row["system"], row["question_id"]) for row in better) == [("a", "0"), ("a", "1")]
    printed = fine(run("changes", *files, "-n", "2"))
    assert "prediction base" in printed
    assert printed.splitlines()[-1] == "19 pairs of a row and a system in which the system is worse than base"
    head = fine(run("changes", "base.jsonl", "c.jsonl")).splitlines()[1]
    names = [name.strip() for name in head.strip("│").split("┆")][:5]
    assert names == ["question", "prediction base", "prediction c", "ANLS base", "ANLS c"]
