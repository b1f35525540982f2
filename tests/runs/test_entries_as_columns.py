"""Entries of objects wherever a column of a file is named, as for slices, documents, scores and systems."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
import shell
from shell import fine, refused

import anls_frame as af

# Right are the rows of German, all of even number.
ROWS = [
    {
        "id": f"q{number}",
        "outputs": [{"output": "x" if number % 2 == 0 else "wrong"}],
        "answers": ["x"],
        "meta": {
            "lang": "de" if number % 2 == 0 else "en",
            "doc": {"id": f"d{number // 2 % 2}"},
            "score": number / 8,
            "right": number % 2 == 0,
            "model": "A" if number < 4 else "B",
        },
    }
    for number in range(8)
]
ENTRY = ("--prediction", "outputs.0.output")


def lines(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def in_texts(printed: Callable[[Any], str]) -> list[dict[str, Any]]:
    """Return the rows with objects printed as text."""
    return [row | {name: printed(row[name]) for name in ("outputs", "meta")} for row in ROWS]


def cells(printed: Callable[[Any], str]) -> pl.DataFrame:
    return pl.DataFrame([row | {"answers": "x"} for row in in_texts(printed)])


WRITERS: dict[str, Callable[[Path], Any]] = {
    "objects.jsonl": lambda path: lines(path, ROWS),
    "objects.json": lambda path: path.write_text(json.dumps(ROWS)),
    "objects.parquet": lambda path: pl.DataFrame(ROWS).write_parquet(path),
    "texts.jsonl": lambda path: lines(path, in_texts(json.dumps)),
    "texts.json": lambda path: path.write_text(json.dumps(in_texts(str))),
    "texts.parquet": lambda path: pl.DataFrame(in_texts(json.dumps)).write_parquet(path),
    "python.parquet": lambda path: pl.DataFrame(in_texts(str)).write_parquet(path),
    "texts.csv": lambda path: cells(str).write_csv(path),
    "texts.xlsx": lambda path: cells(json.dumps).write_excel(path),
}


@pytest.fixture(params=WRITERS)
def file(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / request.param
    WRITERS[request.param](path)
    return path


def test_files_of_any_kind_have_the_same_entries(file: Path) -> None:
    reading = af.readers.Reading(
        where="meta.score >= 0.25 AND question_id <> 'meta.lang'", options={"prediction": "outputs.0.output"}
    )
    report = af.readers.report_files(
        file,
        reading,
        metrics=["exact_match", "meta.score", "meta.right"],
        by="meta.lang",
        cluster="meta.doc.id",
    )
    # Six of eight rows: 2/8 to 7/8, of both documents.
    assert report.overall["n"] == 6
    assert report.overall["n_clusters"] == 2
    assert report.overall["meta.score"] == pytest.approx(27 / 48)
    assert report.overall["meta.right"] == report.overall["exact_match"] == 0.5
    slices = report.by_group.sort("meta.lang").select("meta.lang", "n", "exact_match", "meta.score")
    assert slices.rows() == [("de", 3, 1.0, 0.5), ("en", 3, 0.0, 0.625)]


def test_predictions_and_ids_are_entries_in_files_of_any_kind(file: Path) -> None:
    named = {"prediction": "outputs.0.output", "question_id": ["meta.model", "meta.doc.id", "meta.lang"]}
    for frame in (af.read_results(file, **named), af.scan_results(file, **named).collect()):
        assert frame["prediction"].to_list() == ["x", "wrong"] * 4
        assert frame["question_id"].to_list()[:3] == ["A | d0 | de", "A | d0 | en", "A | d1 | de"]


def test_an_unknown_entry_names_those_that_there_are(file: Path) -> None:
    known = "'meta.lang', 'meta.doc.id', 'meta.score', 'meta.right', 'meta.model'"
    told = f"no column 'meta.lnag' among {known}; "
    for options in (["-b", "meta.lnag"], ["--where", "meta.lnag = 'de'"], ["-c", "meta.lnag"]):
        done = shell.run(file.parent, "report", file.name, *ENTRY, *options)
        refused(done, told + "did you mean 'meta.lang'?")


COMMANDS = {
    "slices": "--column meta.lang -c meta.doc.id --min-rows 2 --min-clusters 2",
    "overview": "-b meta.lang -c meta.doc.id",
    "browse": "-b meta.lang --keep meta.doc.id -m meta.score -o rows.html",
    "audit": "-n 3 -c meta.doc.id --keep meta.lang --lean meta.score -o page.html --sample sample.parquet",
    "selective": "--model-confidence meta.score -b meta.lang -c meta.doc.id",
    "confusions": "-b meta.lang --min-nls 0",
    "format-tax": "-b meta.lang -c meta.doc.id",
    "plot errors": "-b meta.lang -o errors.svg",
    "plot groups": "-b meta.lang -c meta.doc.id -m meta.score -o groups.svg",
    "report": "-b meta.lang -c meta.doc.id --keep meta.model --worst 3 --rows 4 -o report.html",
}


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_take_entries_wherever_they_take_columns(tmp_path: Path, command: str) -> None:
    lines(tmp_path / "m.jsonl", ROWS)
    done = shell.run(tmp_path, *command.split(), "m.jsonl", *ENTRY, *COMMANDS[command].split())
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("kind", ["objects.jsonl", "objects.parquet", "texts.parquet", "texts.csv"])
def test_an_entry_names_the_system_of_a_row(tmp_path: Path, kind: str) -> None:
    WRITERS[kind](tmp_path / kind)
    named = ("--system-column", "meta.model", "--id", "meta.doc.id,meta.lang", "--where", "meta.lang = 'de'")
    done = shell.run(
        tmp_path, "compare", kind, *ENTRY, *named, "-m", "meta.score", "-c", "meta.doc.id", "--json"
    )
    (compared,) = json.loads(fine(done))["tables"]["All rows"]
    # German are 0/8 and 2/8 of A, 4/8 and 6/8 of B.
    assert [compared[name] for name in ("n", "n_clusters", "difference")] == [2, 2, 0.5]

    done = shell.run(tmp_path, "changes", kind, *ENTRY, *named, "--keep", "meta.doc.id", "--kind", "all")
    assert fine(done).endswith("0 rows in which B has another score than A\n")


def test_columns_of_scores_are_entries(tmp_path: Path) -> None:
    lines(tmp_path / "m.jsonl", [{"of": {"a": 1, "b": 0}, "kept": {"n": 7}}, {"of": {"a": 1, "b": 1}}])
    named = ("--systems", "of.a,of.b", "--scores")
    compared = json.loads(fine(shell.run(tmp_path, "compare", "m.jsonl", *named, "--json")))
    (row,) = compared["tables"]["All rows"]
    assert [row[name] for name in ("n", "difference")] == [2, -0.5]
    changed = fine(shell.run(tmp_path, "changes", "m.jsonl", *named, "--keep", "kept.n", "--json"))
    assert [row["kept.n"] for row in json.loads(changed)] == [7]


def test_epochs_of_entries_are_told_apart(tmp_path: Path) -> None:
    rows = [row | {"epoch": epoch} for row in ROWS for epoch in (1, 2)]
    lines(tmp_path / "m.jsonl", rows)
    options = ("-m", "bounds:0:1:meta.score", "-b", "meta.lang", "-c", "meta.doc.id", "--json")
    found = json.loads(fine(shell.run(tmp_path, "epochs", "m.jsonl", *ENTRY, *options)))
    assert {row["meta.lang"] for row in found["components"]} == {"de", "en"}


def test_entries_of_fixed_size_lists_are_read_by_number(tmp_path: Path) -> None:
    inner = pl.Array(pl.Struct({"text": pl.String}), 1)
    rows = {"outputs": [[{"text": "x"}], [{"text": None}]], "answers": ["x", "y"]}
    path = tmp_path / "arrays.parquet"
    pl.DataFrame(rows, schema={"outputs": inner, "answers": pl.String}).write_parquet(path)

    for read in (
        af.read_results(path, prediction="outputs.0.text"),
        af.scan_results(path, prediction="outputs.0.text"),
    ):
        assert read.lazy().select("prediction").collect().rows() == [("x",), (None,)]
    with pytest.raises(af.InputError, match=r"named with dots: outputs\.0"):
        af.read_results(path)


QUESTIONS = [
    {"query": "?", "choices": ["a", "b", "c"], "gold_index": [1]},
    {"query": "?", "choices": ["a", "b"], "gold_index": [0, 1]},
    {"query": "?", "choices": ["a", "b"], "gold_index": [2]},
]


@pytest.mark.parametrize("suffix", ["parquet", "jsonl", "csv"])
@pytest.mark.parametrize("is_single", [False, True])
def test_of_the_choices_of_lighteval_the_right_ones_are_answers(
    tmp_path: Path,
    suffix: str,
    is_single: bool,  # noqa: FBT001 - a case
) -> None:
    first = [question | {"gold_index": question["gold_index"][0]} for question in QUESTIONS]
    documents = first if is_single else QUESTIONS
    rows = [{"__doc__": document, "response": "b"} for document in documents]
    path = tmp_path / f"details.{suffix}"
    if suffix == "parquet":
        pl.DataFrame(rows).write_parquet(path)
    elif suffix == "jsonl":
        lines(path, rows)
    else:
        pl.DataFrame([row | {"__doc__": str(row["__doc__"])} for row in rows]).write_csv(path)

    frame = af.read_results(path, answers="__doc__.choices")
    lazy = af.scan_results(path, answers="__doc__.choices").collect()

    answers = frame["answers"].list.drop_nulls().fill_null([]).to_list()
    assert answers == [["b"], ["a"] if is_single else ["a", "b"], []]
    assert lazy.equals(frame)
    # Choices of other programs have no such index.
    others = [row | {"__doc__": {"choices": row["__doc__"]["choices"]}} for row in rows]
    pl.DataFrame(others).write_parquet(tmp_path / "others.parquet")
    read = af.read_results(tmp_path / "others.parquet", answers="__doc__.choices")
    assert read["answers"].to_list() == [question["choices"] for question in QUESTIONS]
