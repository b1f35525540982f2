"""Logs of several systems as one long frame: files, names, epochs, and what does not fit together."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hugging_face import Dataset
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.frames import origins

RRC = Path("data/rrc")
GOLD = RRC / "gold_label.json"
ENGINES = ("rapidocr", "tesseract")


def write(path: Path, rows: Sequence[Mapping[str, Any]]) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(
    question: int, prediction: str | None, answers: Sequence[str] = ("a",), **others: Any
) -> dict[str, Any]:
    return {"question_id": f"q{question}", "prediction": prediction, "answers": list(answers), **others}


def problems(*arguments: Any, **options: Any) -> list[tuple[str, str, str]]:
    with pytest.raises(af.InputError) as raised:
        af.read_logs(*arguments, **options)
    return [(Path(one.file).name, one.place, one.message) for one in raised.value.problems]


# Files and names


@pytest.mark.parametrize(
    "given",
    [
        {name: RRC / f"submission_{name}.json" for name in ENGINES},
        {name: [str(RRC / f"submission_{name}.json")] for name in ENGINES},
        {name: f"data/rrc/*_{name}.json" for name in ENGINES},
    ],
)
def test_each_system_has_the_rows_of_its_reader(given: Any) -> None:
    frame = af.read_logs(given, gold=GOLD)

    assert frame.columns[:3] == ["system", "epoch", "question_id"]
    assert frame.columns[-1] == "log_file"
    assert frame["system"].unique(maintain_order=True).to_list() == list(ENGINES)
    for name in ENGINES:
        path = RRC / f"submission_{name}.json"
        own = frame.filter(system=name)
        assert set(own["epoch"]) == {1}
        assert set(own["log_file"]) == {str(path)}
        assert_frame_equal(own.drop("system", "epoch", "log_file"), af.read_rrc(GOLD, path))


def test_the_protocol_of_the_harness_is_remembered_where_all_files_have_it(tmp_path: Path) -> None:
    paths = {name: RRC / f"submission_{name}.json" for name in ENGINES}
    frame = af.read_logs(paths, gold=GOLD)

    assert origins.of(frame).protocol == "rrc"
    assert "harness uses protocol rrc" in str(af.report(frame, "prediction", "answers", by="system"))

    table = tmp_path / "table.parquet"
    af.write_results(af.read_rrc(GOLD, paths["tesseract"]), table)
    assert origins.of(af.read_logs({**paths, "table": table}, gold=GOLD)).protocol is None


def test_files_without_names_are_named_by_what_differs(tmp_path: Path) -> None:
    rows = [row(1, "x")]
    for name in ("one/model-1.5/samples.jsonl", "one/model-1.5/other.jsonl", "two/samples.jsonl"):
        write(tmp_path / name, rows)
    for name in ("one/.hidden.jsonl", "one/.cache/samples.jsonl", "notes.txt"):
        write(tmp_path / name, rows)
    results = {"results": {"docvqa": {"anls": 0.5}}, "configs": {}}
    (tmp_path / "one" / "results_2026.json").write_text(json.dumps(results, indent=2), encoding="utf-8")

    def systems(given: Any) -> list[str]:
        return af.read_logs(given, unmatched="keep")["system"].to_list()

    assert systems(tmp_path) == ["one", "one", "two"]
    assert systems(str(tmp_path / "**" / "samples.jsonl")) == ["one/model-1.5/samples", "two/samples"]
    assert systems([tmp_path / "one/model-1.5", tmp_path / "two"]) == ["model-1.5", "model-1.5", "two"]
    patterns = [str(tmp_path / folder / "**" / "samples.jsonl") for folder in ("one", "two")]
    assert systems(patterns) == ["one/**/samples", "two/**/samples"]
    assert systems(tmp_path / "one") == ["other", "samples"]
    assert systems({"a": tmp_path / "two"}) == ["a"]

    af.write_results(af.read_results(tmp_path / "two/samples.jsonl"), tmp_path / "two/samples.parquet")
    assert systems(tmp_path / "two") == ["samples.jsonl", "samples.parquet"]


def test_a_name_with_brackets_is_a_file_if_there_is_one(tmp_path: Path) -> None:
    path = write(tmp_path / "run[1].jsonl", [row(1, "x")])

    assert af.read_logs({"a": path})["prediction"].to_list() == ["x"]


def test_what_does_not_name_files_is_an_error(tmp_path: Path) -> None:
    path = write(tmp_path / "a.jsonl", [row(1, "x")])

    for logs, error, message in (
        ({}, ValueError, "logs must name at least one file"),
        ([], ValueError, "at least one file"),
        ({"a": []}, ValueError, "a system must name at least one file"),
        ({"": path}, TypeError, "must be a string that is not empty, got ''"),
        ({1: path}, TypeError, "must be a string that is not empty, got 1"),
        (7, TypeError, "logs must be names of files, patterns or folders, got int"),
        ({"a": path, "b": [tmp_path / "." / "a.jsonl"]}, ValueError, "a.jsonl occurs twice"),
        ({"a": tmp_path / "b.jsonl"}, FileNotFoundError, "there is no such file"),
        ({"a": tmp_path / "*.csv"}, FileNotFoundError, "no file matches this pattern"),
        ({"a": tmp_path / "empty"}, FileNotFoundError, "this folder contains no logs"),
    ):
        (tmp_path / "empty").mkdir(exist_ok=True)
        with pytest.raises(error, match=message):
            af.read_logs(logs)
    with pytest.raises(ValueError, match="reader must be one of 'table'"):
        af.read_logs(path, reader="csv")
    with pytest.raises(ValueError, match="unmatched must be one of 'error', 'null', 'drop', 'keep'"):
        af.read_logs(path, unmatched="all")  # type: ignore[arg-type]


def test_options_go_to_the_readers_that_have_them(tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    table.write_text("key;prediction;answers\n0;x;a\n", encoding="utf-8")
    sample = {"doc_id": 0, "target": "a", "filtered_resps": ["first", "last"], "input": "Q?"}
    samples = write(tmp_path / "samples.jsonl", [sample])
    logs = {"table": table, "lmms": samples}

    frame = af.read_logs(logs, question_id="key", delimiter=";", response=-1)

    assert frame["prediction"].to_list() == ["x", "last"]
    for option in ("scorer", "unique_ids"):
        with pytest.raises(ValueError, match=f"{option}= does not apply to 'lmms-eval' and 'table' files"):
            af.read_logs(logs, **{option: False})


# Columns


def test_columns_of_the_files_are_all_there(tmp_path: Path) -> None:
    big = 2**53 + 1
    files = {
        "a": row(1, "x", system="gpt", log_file="f", file="p", count=1, exact=big, hit=True, note="x", only=1)
        | {"tags": ["t"]},
        "b": row(1, "y", epoch="Edo", count=0.5, exact=0.5, hit=0.5, note=7, tags={"k": "ü"}, score=None),
        "c": row(1, "z", count=None, hit=None, note=None, tags=None, score=0.5),
    }
    frame = af.read_logs({name: write(tmp_path / f"{name}.jsonl", [one]) for name, one in files.items()})

    assert frame["prediction"].to_list() == ["x", "y", "z"]
    assert frame["epoch"].to_list() == [1, 1, 1]
    assert frame["system_"].to_list() == ["gpt", None, None]
    assert frame["log_file_"].to_list() == ["f", None, None]
    # Documents often have a field of this name.
    assert frame["file"].to_list() == ["p", None, None]
    assert frame["epoch_"].to_list() == [None, "Edo", None]
    assert frame["count"].to_list() == [1.0, 0.5, None]
    assert frame["exact"].to_list() == [str(big), "0.5", None]
    assert frame["hit"].to_list() == [1.0, 0.5, None]
    assert frame["note"].to_list() == ["x", "7", None]
    assert frame["only"].to_list() == [1, None, None]
    assert frame["tags"].to_list() == ['["t"]', '{"k": "ü"}', None]
    assert frame["score"].to_list() == [None, None, 0.5]


# Epochs


def test_files_of_one_system_with_the_same_questions_are_repeats(tmp_path: Path) -> None:
    runs = [write(tmp_path / f"run-{run}.jsonl", [row(1, f"x{run}"), row(2, f"y{run}")]) for run in (1, 2, 3)]

    frame = af.read_logs({"a": runs[:2], "b": runs[2]})

    assert frame.select("system", "epoch", "question_id", "prediction").rows() == [
        ("a", 1, "q1", "x1"),
        ("a", 1, "q2", "y1"),
        ("a", 2, "q1", "x2"),
        ("a", 2, "q2", "y2"),
        ("b", 1, "q1", "x3"),
        ("b", 1, "q2", "y3"),
    ]


def test_files_of_one_system_with_other_questions_are_parts(tmp_path: Path) -> None:
    parts = [write(tmp_path / f"part-{part}.jsonl", [row(part, "x")]) for part in (1, 2)]
    whole = write(tmp_path / "whole.jsonl", [row(1, "x"), row(2, "x")])

    frame = af.read_logs({"a": parts, "b": whole})

    assert frame["epoch"].to_list() == [1] * 4


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_epochs_of_a_table_are_kept_and_counted_on(tmp_path: Path, suffix: str) -> None:
    rows = [row(question, f"{question}.{epoch}", epoch=epoch) for epoch in (1, 2) for question in (1, 2)]
    for name in ("first", "second"):
        af.write_results(pl.DataFrame(rows), tmp_path / f"{name}.{suffix}")

    frame = af.read_logs({"a": tmp_path})

    assert frame.select("epoch", "prediction").rows() == [
        (epoch + offset, f"{question}.{epoch}")
        for offset in (0, 2)
        for epoch in (1, 2)
        for question in (1, 2)
    ]


def test_epochs_that_files_of_a_system_number_themselves_stay(tmp_path: Path) -> None:
    runs = [write(tmp_path / f"run-{run}.jsonl", [row(1, f"x{run}", epoch=run)]) for run in (1, 2, 4)]

    assert af.read_logs({"a": runs})["epoch"].to_list() == [1, 2, 4]


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere, names of files are texts")
def test_the_name_of_a_file_may_be_no_text(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", [row(1, "x")])
    other = write(tmp_path / os.fsdecode(b"b\xff.jsonl"), [row(1, "y", ["other"])])

    with pytest.raises(af.InputError, match="accepts other answers than"):
        af.read_logs(tmp_path)
    write(other, [row(1, "y")])
    frame = af.read_logs(tmp_path)
    assert frame["system"].to_list() == ["a", r"b\xff"]
    assert frame["log_file"].to_list() == [str(tmp_path / name) for name in ("a.jsonl", r"b\xff.jsonl")]


def test_an_id_occurs_once_in_an_epoch(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("id,prediction,answers\n1,x,a\n\n1,y,a\n,z,a\n", encoding="utf-8")
    assert problems(table) == [
        ("a.csv", "line 4", "duplicate id '1', first seen at line 2"),
        ("a.csv", "line 5", "the id is missing"),
    ]
    twice = write(tmp_path / "b.jsonl", [row(1, "x", epoch=1), row(1, "y", epoch=2), row(1, "z", epoch=2)])
    assert problems(twice) == [("b.jsonl", "line 3", "duplicate id 'q1', first seen at line 2")]


# What does not fit together


def test_problems_of_all_files_are_listed_together(tmp_path: Path) -> None:
    table = tmp_path / "a.csv"
    table.write_text("id,prediction,answers\n1,x\n2\n", encoding="utf-8")
    lines = tmp_path / "b.jsonl"
    lines.write_text('{"prediction": "x"\n', encoding="utf-8")
    fine = write(tmp_path / "c.jsonl", [row(1, "x")])
    unnamed = tmp_path / "d.csv"
    unnamed.write_text("prediction,answers\nx,a\n", encoding="utf-8")

    found = problems([table, lines, fine, unnamed, RRC / "submission_tesseract.json"])

    assert [one[:2] for one in found] == [
        ("a.csv", "line 2"),
        ("a.csv", "line 3"),
        ("b.jsonl", "line 1"),
        ("d.csv", ""),
        ("submission_tesseract.json", ""),
    ]
    assert found[3][2] == (
        "has no ids; name their column with question_id=...; if all systems have the same rows in the same "
        "order, add a column id that numbers them"
    )
    assert found[4][2] == "this is a submission: name the file of gold labels with gold=..."


def test_answers_that_disagree_are_listed_with_both_files(tmp_path: Path) -> None:
    first = write(tmp_path / "a.jsonl", [row(1, "x", ["p", "q"]), row(2, "x", ["r"]), row(3, "x", ["s"])])
    second = write(tmp_path / "b.jsonl", [row(1, "x", ["q", "p"]), row(2, "x", ["R"]), row(3, "x", ["t"])])

    message = f"accepts other answers than {first} for 2 questions: 'q2', 'q3'; are these files of one task?"
    for unmatched in ("error", "null", "drop", "keep"):
        found = problems({"a": first, "b": second}, unmatched=unmatched)
        assert found == [("b.jsonl", "", message)]
    # Files of one system as well: tasks whose questions have the same numbers are no repeats.
    assert problems({"a": [first, second]})[0][0] == "b.jsonl"
    with pytest.raises(af.InputError, match="take the answers out of the files, and join those of one table"):
        af.read_logs({"a": first, "b": second})
    without = [tmp_path / f"{name}_without.jsonl" for name in "ab"]
    for path, one in zip((first, second), without, strict=True):
        pl.read_ndjson(path).drop("answers").write_ndjson(one)
    rows = af.read_logs(without, gold=first)
    assert rows.filter(question_id="q3")["answers"].to_list() == [["s"], ["s"]]


@pytest.fixture
def lacking(tmp_path: Path) -> dict[str, list[Path]]:
    """Two systems, of which one lacks a question, and the other another one and an epoch of a third."""
    return {
        "a": [
            write(tmp_path / "a1.jsonl", [row(1, "a", ["p"], lang="en"), row(2, "b", ["q"], lang="de")]),
            write(tmp_path / "a2.jsonl", [row(1, "c", ["p"], lang="en")]),
        ],
        "b": [write(tmp_path / "b.jsonl", [row(3, "d", ["r"]), row(1, None, ["p"])])],
    }


LACKING = [
    "'a' lacks 1 question: 'q3'",
    "'b' lacks 1 question: 'q2'",
    "'a' has 2 epochs, but not all of them for 1 question: 'q2'",
]


def test_questions_that_are_missing_are_listed(lacking: dict[str, list[Path]]) -> None:
    advice = (
        'to count questions that a system lacks as missing predictions, pass unmatched="null"; to leave out '
        'questions that some systems lack, and keep questions with fewer epochs, unmatched="drop"'
    )
    with pytest.raises(af.InputError) as raised:
        af.read_logs(lacking)
    assert [problem.message for problem in raised.value.problems] == LACKING
    assert raised.value.hints == (advice,)
    assert str(raised.value) == "\n".join(["3 problems:", *LACKING, advice])
    assert str(pickle.loads(pickle.dumps(raised.value))) == str(raised.value)  # noqa: S301 - our own


def test_what_is_missing_is_filled_left_out_or_kept(lacking: dict[str, list[Path]]) -> None:
    kept = af.read_logs(lacking, unmatched="keep")
    assert kept.select("system", "epoch", "question_id", "prediction").rows() == [
        ("a", 1, "q1", "a"),
        ("a", 1, "q2", "b"),
        ("a", 2, "q1", "c"),
        ("b", 1, "q3", "d"),
        ("b", 1, "q1", None),
    ]

    with pytest.warns(af.InputWarning) as caught:
        filled = af.read_logs(lacking, unmatched="null")
    assert str(caught[0].message) == (f"4 rows added without a prediction, because {'; '.join(LACKING)}")
    assert caught[0].filename == __file__
    assert_frame_equal(filled.join(kept, on=["system", "epoch", "question_id"], how="semi"), kept)
    added = filled.join(kept, on=["system", "epoch", "question_id"], how="anti")
    assert added.select("system", "epoch", "question_id", "prediction", "answers").rows() == [
        ("a", 1, "q3", None, ["r"]),
        ("a", 2, "q2", None, ["q"]),
        ("a", 2, "q3", None, ["r"]),
        ("b", 1, "q2", None, ["q"]),
    ]
    assert filled["system"].to_list() == ["a"] * 6 + ["b"] * 3

    with pytest.warns(
        af.InputWarning, match=r"^2 questions \(2 rows\) left out, because 'a' lacks 1 question: 'q3'; "
    ):
        left = af.read_logs(lacking, unmatched="drop")
    assert left["question_id"].to_list() == ["q1"] * 3


# Documents

QUESTIONS = pl.DataFrame(
    {
        "questionId": [70, 71, 72],
        "question": ["Brand?", "Year?", "Where?"],
        "answers": [["Coke"], ["1999", "99"], ["Rome"]],
        "question_types": [["form"], ["layout", "date"], None],
        "docId": [5, 5, 6],
        "image": [{"bytes": b"\x89PNG", "path": "a.png"}] * 3,
        "anls": ["of", "its", "own"],
    }
)
JOINED = {
    "question_id": ["0", "2"] * 2,
    "question_types": [["form"], None] * 2,
    "doc_id": ["5", "6"] * 2,
    "anls": [0.5] * 4,
    "gold_anls": ["of", "own"] * 2,
    "gold_question": ["Brand?", "Where?"] * 2,
    "questionId": [70, 72] * 2,
}


@pytest.fixture
def limited(tmp_path: Path) -> dict[str, Path]:
    """Two runs on two of three questions, which lmms-eval knows by their numbers."""
    answers = {0: "['Coke']", 2: "['Rome']"}
    samples = [
        {"doc_id": number, "target": answers[number], "filtered_resps": "x", "input": "Prompt", "anls": 0.5}
        for number in answers
    ]
    return {name: write(tmp_path / "runs" / f"{name}.jsonl", samples) for name in ("a", "b")}


@pytest.mark.parametrize("kind", ["parts", "dataset"])
def test_the_fields_of_the_documents_are_joined_by_number(
    tmp_path: Path, limited: dict[str, Path], kind: str
) -> None:
    docs: Any = Dataset(QUESTIONS.with_columns(pages=pl.concat_list("image")).to_arrow())
    if kind == "parts":
        for part in (0, 1):
            QUESTIONS[part * 2 : part * 2 + 2].write_parquet(tmp_path / f"data-{part}.parquet")
        docs = str(tmp_path / "data-*.parquet")

    frame = af.read_logs(limited, gold=docs)

    assert frame.select(JOINED.keys()).to_dict(as_series=False) == JOINED
    assert frame["question"].to_list() == ["Prompt"] * 4
    # The answers there are those of the files.
    assert not {"image", "pages", "doc_id_", "gold_answers"} & set(frame.columns)
    assert frame.columns[-1] == "log_file"


def test_documents_that_do_not_fit_are_reported(limited: dict[str, Path]) -> None:
    shifted = pl.concat([QUESTIONS[1:], QUESTIONS[:1]])
    message = (
        "all answers to 2 questions of 2 differ from those in gold: '0', '2'; are their ids the same there? "
        "Otherwise name the column of the ids with gold_id=..."
    )
    assert problems(limited, gold=shifted) == [("gold", "", message)]
    # Harnesses may prepare answers: a few that differ are not the wrong rows.
    other = QUESTIONS.with_columns(answers=pl.Series(["coke", "x", "Rome"]))
    with pytest.warns(
        af.InputWarning, match=r"^all answers to 1 question of 2 differ from those in gold: '0'$"
    ):
        assert af.read_logs(limited, gold=other)["gold_answers"].to_list() == [["coke"], ["Rome"]] * 2

    for options, error, message in (
        ({"gold_id": "docId"}, ValueError, "gold_id= needs gold="),
        ({"gold": 7}, TypeError, "got int"),
    ):
        with pytest.raises(error, match=message):
            af.read_logs(limited, **options)


# Whatever the files


VALUES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**70), 2**70),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=3),
    st.lists(st.sampled_from(["x", "ü", ""]), max_size=2),
)
ROWS = st.dictionaries(
    st.tuples(st.sampled_from("abc"), st.integers(1, 3), st.integers(1, 3)),
    st.tuples(st.integers(1, 3), VALUES),
    min_size=1,
)


def same(found: Any, written: Any) -> bool:
    """Whether a value is what was written, as itself, as a number, or as text."""
    if isinstance(found, str) and not isinstance(written, str):
        try:
            return json.loads(found) == written
        except ValueError:
            return False
    return found == written


@given(rows=ROWS)
@settings(deadline=None)
def test_every_row_and_value_of_any_files_is_there(
    tmp_path_factory: pytest.TempPathFactory, rows: dict[tuple[str, int, int], tuple[int, Any]]
) -> None:
    folder = tmp_path_factory.mktemp("any")
    parts: dict[str, dict[int, list[Any]]] = {}
    for (system, epoch, question), (part, value) in rows.items():
        written = row(question, f"{system}{epoch}{question}", epoch=epoch, note=value)
        parts.setdefault(system, {}).setdefault(part, []).append(written)
    files = {
        system: [write(folder / f"{system}-{part}.jsonl", found) for part, found in of_system.items()]
        for system, of_system in parts.items()
    }

    frame = af.read_logs(files, unmatched="keep")

    assert frame.height == len(rows)
    for found in frame.iter_rows(named=True):
        key = found["system"], found["epoch"], int(found["question_id"].removeprefix("q"))
        part, value = rows.pop(key)
        assert found["prediction"] == "".join(map(str, key))
        assert found["log_file"] == str(folder / f"{key[0]}-{part}.jsonl")
        assert same(found["note"], value), (found["note"], value)
