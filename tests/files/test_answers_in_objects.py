"""Answers as data sets print them: objects of SQuAD and VQA, tuples and sets are read, or told."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import shell
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af

SQUAD = {"text": ["Saint Bernadette", "Bernadette"], "answer_start": [515, 520]}
VQA = [{"answer": "net", "answer_confidence": "yes", "answer_id": 1}, {"answer": "a net", "answer_id": 2}]
SHAPES: dict[str, tuple[Any, list[str]]] = {
    "squad": (SQUAD, ["Saint Bernadette", "Bernadette"]),
    "squad_of_arrays": (
        {"text": np.array(["it's", 'a "b"'], dtype=object), "answer_start": np.array([3, 12], dtype="int32")},
        ["it's", 'a "b"'],
    ),
    "labelled": ({"choices": ["a", "b"]}, ["a", "b"]),
    "labelled_texts": ({"text": ["a, b", "c"]}, ["a, b", "c"]),
    "one": ({"answer_start": 3, "text": "a, b"}, ["a, b"]),
    "unanswerable": ({"text": [], "answer_start": []}, []),
    "vqa": (VQA, ["net", "a net"]),
    "entries": ([{"answer": "a"}, {"answer": "b"}], ["a", "b"]),
    "lists": ([{"text": ["a", "b"]}, {"text": ["c"]}], ["a", "b", "c"]),
    "tuple": (("a", "x"), ["a", "x"]),
    "tuple_of_one": (("a",), ["a"]),
    "set": ({"a"}, ["a"]),
}


def printed(shape: str) -> list[str]:
    value, _ = SHAPES[shape]
    texts = [str(value)]
    if isinstance(value, dict | list) and shape != "squad_of_arrays":
        texts.append(json.dumps(value))
    return texts


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("suffix", ["csv", "tsv", "xlsx"])
def test_a_column_of_printed_answers_is_read_as_lists(tmp_path: Path, shape: str, suffix: str) -> None:
    for text in printed(shape):
        path = tmp_path / f"o.{suffix}"
        af.write_results(pl.DataFrame({"id": ["1", "2"], "prediction": "a", "answers": [text, None]}), path)
        assert af.read_results(path)["answers"].to_list() == [SHAPES[shape][1], None]
        assert af.parse_answers(pl.Series([text, "a"])).to_list() == [SHAPES[shape][1], ["a"]]


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "unanswerable"])
def test_among_other_texts_they_are_told_and_the_advice_reads_them(
    tmp_path: Path, shape: str, suffix: str
) -> None:
    path = tmp_path / f"o.{suffix}"
    for text in printed(shape):
        af.write_results(pl.DataFrame({"prediction": "a", "answers": ["plain", text]}), path)
        for read in (af.read_results, lambda path: af.scan_results(path).collect()):
            with pytest.warns(af.InputWarning, match="look like lists, as .*matching one of them is enough"):
                frame = read(path)
        assert frame["answers"].to_list() == [["plain"], [text]]
        assert af.read_results(path, answers_format="list")["answers"].to_list() == [
            ["plain"],
            SHAPES[shape][1],
        ]


@pytest.mark.parametrize(
    "shape", ["squad", "labelled", "labelled_texts", "one", "unanswerable", "vqa", "entries", "lists"]
)
def test_formats_with_objects_of_their_own_read_them_too(tmp_path: Path, shape: str) -> None:
    value, answers = SHAPES[shape]
    row = {"prediction": "a", "answers": value}
    (tmp_path / "o.json").write_text(json.dumps([row]), encoding="utf-8")
    (tmp_path / "o.jsonl").write_text(json.dumps(row), encoding="utf-8")
    schema = {"answers": pl.Struct({"text": pl.List(pl.String), "answer_start": pl.List(pl.Int64)})}
    overrides = schema if shape == "unanswerable" else {}
    pl.DataFrame([row], schema_overrides=overrides).write_parquet(tmp_path / "o.parquet")

    for suffix in ("json", "jsonl", "parquet"):
        assert af.read_results(tmp_path / f"o.{suffix}")["answers"].to_list() == [answers]
        assert af.scan_results(tmp_path / f"o.{suffix}").collect()["answers"].to_list() == [answers]


def test_targets_of_lmms_eval_are_read(tmp_path: Path) -> None:
    samples = [
        {"doc_id": index, "target": text, "filtered_resps": "a"}
        for index, text in enumerate([str(SQUAD), str(VQA), "('a', 'x')", "plain", "(555) 12"])
    ]
    path = tmp_path / "20261121_samples_squad.jsonl"
    path.write_text("".join(f"{json.dumps(sample)}\n" for sample in samples), encoding="utf-8")

    answers = af.readers.read_lmms_eval(path)["answers"].to_list()

    assert answers == [SQUAD["text"], ["net", "a net"], ["a", "x"], ["plain"], ["(555) 12"]]


@pytest.mark.parametrize(
    "text",
    [
        '{"total": "12"}',
        '{"text": "a"}',  # a document may have this field
        '{"choices": "a"}',
        '{"choices": ["a"], "taxonomy": ["b"]}',
        '{"words": ["a", "b"]}',
        '{"text": "a", "answer": "b", "answer_start": 1}',
        "{'text': ['a'], 'answer_start': [1]",
        "('a')",
        '("Hello") world',
        "('a' + 'b')",
        "f('a', 'b')",
        "{'a': 1, 'b'}",
        "{'a' 'b': 1}",
        "(555) 1234",
        "{x | x > 0}",
        "{'text': [b'a'], 'answer_start': [1]}",
        "{'text': {'a': 'b'}, 'answer_start': [1]}",
        "{None: 'a', 'answer_start': 1}",
    ],
)
def test_other_texts_stay_texts(tmp_path: Path, text: str) -> None:
    assert af.parse_answers(pl.Series([text, "a"])).to_list() == [[text], ["a"]]
    path = tmp_path / "o.csv"
    af.write_results(pl.DataFrame({"prediction": "a", "answers": [text]}), path)
    assert af.read_results(path, answers_format="list")["answers"].to_list() == [[text]]


TEXTS = st.text(st.characters(exclude_categories=("Cs",), exclude_characters="\0"), max_size=6)


@given(st.lists(TEXTS, min_size=1, max_size=3))
def test_whatever_python_prints_around_texts_they_come_back(texts: list[str]) -> None:
    shapes: list[Any] = [
        tuple(texts),
        {"text": texts, "answer_start": [1.5, -2, None]},
        {"answer_end": {"a": [(1, 2)]}, "text": tuple(texts)},
        [{"answer": text, "answer_id": index} for index, text in enumerate(texts)],
        {"text": np.array(texts, dtype=object), "answer_start": np.arange(len(texts))},
        {"text": [np.str_(text) for text in texts], "answer_start": [np.int64(3)]},
    ]
    column = pl.Series([str(shape) for shape in shapes])

    assert af.parse_answers(column).to_list() == [texts] * len(shapes)
    alone = pl.Series([str({text}) for text in texts])
    assert af.parse_answers(alone).to_list() == [[text] for text in texts]


SCORED: dict[str, Callable[[dict[str, Any]], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": lambda data: pl.DataFrame(data).to_arrow(),
}


@pytest.mark.parametrize("kind", SCORED)
@pytest.mark.parametrize("shape", [shape for shape in SHAPES if shape != "unanswerable"])
def test_a_frame_that_is_scored_is_told_of_them(kind: str, shape: str) -> None:
    for text in printed(shape):
        answers = ["b"] * 20 + [text]
        frame = SCORED[kind]({"prediction": ["b"] * 21, "answers": answers})
        with pytest.warns(
            af.InputWarning, match=r"lists that were printed as text.*needs to match only one of them"
        ):
            af.report(frame, "prediction", "answers", metrics="exact_match")


@pytest.mark.parametrize("text", ['{"total": "3", "items": []}', "{'total': '3'}"])
def test_most_answers_that_are_other_objects_are_told(text: str) -> None:
    frame = pl.DataFrame({"prediction": ["b"] * 3, "answers": [text, text, "b"]})
    with pytest.warns(
        af.InputWarning, match=r"most texts in column 'answers' are objects .*anls_frame\.fields"
    ):
        af.report(frame, "prediction", "answers", metrics="exact_match")

    made = frame.with_columns(
        af.parse_answers(frame["answers"], answers_format="text")
    )  # as the message says
    assert af.report(made, "prediction", "answers", metrics="exact_match").overall["exact_match"] == 1 / 3
    few = pl.DataFrame({"prediction": ["b"] * 3, "answers": [text, "b", "b"]})
    assert af.report(few, "prediction", "answers", metrics="exact_match").overall["exact_match"] == 2 / 3


def test_the_command_line_reads_them(tmp_path: Path) -> None:
    pl.DataFrame(
        {"id": [1], "prediction": ["a"], "answers": [str({"text": ["a"], "answer_start": [3]})]}
    ).write_csv(tmp_path / "o.csv")

    done = shell.run(tmp_path, "score", "o.csv", "--json")

    assert json.loads(done.stdout)["nls"] == 1.0


@pytest.mark.parametrize("suffix", ["json", "jsonl", "parquet"])
@pytest.mark.parametrize("shape", ["squad", "labelled", "one", "vqa"])
def test_the_overview_finds_them(tmp_path: Path, shape: str, suffix: str) -> None:
    """`report` read them before, but `overview` compared them as texts, and no prediction was right."""
    value, answers = SHAPES[shape]
    rows = [{"prediction": answers[0] if index % 4 else "?", "answer": value} for index in range(20)]
    af.write_results(pl.DataFrame(rows), tmp_path / f"o.{suffix}")
    done = shell.run(tmp_path, "overview", f"o.{suffix}", "--metric", "exact_match", "--json")
    [overall] = json.loads(shell.fine(done))["tables"]["All rows"]
    assert overall["exact_match"] == 0.75


@pytest.mark.parametrize("value", [{"total": "3"}, [{"total": "3"}]])
def test_columns_of_other_objects_are_errors_with_a_way_out(tmp_path: Path, value: Any) -> None:
    path = tmp_path / "o.parquet"
    pl.DataFrame({"prediction": ["3"], "answers": [value]}).write_parquet(path)
    way = "struct.field" if isinstance(value, list) else "named with dots: answers.total"
    with pytest.raises(af.InputError, match=rf"(?s)column 'answers' must hold strings .*{re.escape(way)}"):
        af.read_results(path)
    path = tmp_path / "o.json"
    path.write_text(json.dumps([{"prediction": "3", "answers": value}]), encoding="utf-8")
    with pytest.raises(af.InputError, match=r"index 0: 'answers' must .*got an object"):
        af.read_results(path)
