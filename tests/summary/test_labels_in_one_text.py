"""Labels in one cell (`form;layout`): told wherever rows are sliced, and split where a reader is told to."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import shell

import anls_frame as af

TYPES = ["form;layout", "layout;form", "form", None]
DATA: dict[str, list[Any]] = {
    "p": ["a", "b", "c", "d"],
    "q": ["a", "x", "c", "d"],
    "a": ["a", "x", "c", "d"],
    "t": TYPES,
    "id": [1, 2, 3, 4],
    "error_type": ["exact", "wrong", "exact", "exact"],
    "confidence": [0.1, 0.2, 0.3, 0.4],
}
KINDS: dict[str, Callable[[Any], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": lambda data: pl.DataFrame(data).to_arrow(),
    "categories": lambda data: pl.DataFrame(data, schema_overrides={"t": pl.Categorical}),
    "lists": lambda data: pl.DataFrame(data).with_columns(pl.concat_list("t")),
}
CALLS: dict[str, Callable[[Any], object]] = {
    "report": lambda data: af.report(data, "p", "a", by="t"),
    "summarize": lambda data: af.summarize(data, "p", "a", by=["t", "id"]),
    "compare": lambda data: af.compare(data, {"x": "p", "y": "q"}, "a", by="t"),
    "confusions": lambda data: af.confusions(data, "p", "a", by="t"),
    "length_scores": lambda data: af.length_scores(data, "p", "a", by="t"),
    "worst": lambda data: af.worst(data, "p", "a", by="t"),
    "selective": lambda data: af.selective(data, "p", "a", "confidence", by="t"),
    "find_slices": lambda data: af.find_slices(data, "p", "a", ["t"], search=af.SliceSearch(min_rows=1)),
    "scores": lambda data: af.report(data, metrics="confidence", by="t"),
    "error_types": lambda data: af.plot.error_types(data, "t"),
    "curve": lambda data: af.plot.curve(data, "id", "confidence", by="t"),
}


def warned(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    return [str(entry.message) for entry in caught if "labels" in str(entry.message)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_slices_of_several_labels_are_told_with_their_count(kind: str, name: str) -> None:
    [message] = warned(lambda: CALLS[name](KINDS[kind](DATA)))

    assert message.startswith(
        "by column 't' holds ';' between labels in 2 of 3 values, such as 'form;layout'; each of them is "
    )


@pytest.mark.parametrize("kind", ["polars", "pandas"])
def test_the_advice_puts_a_row_into_the_slice_of_each_label(kind: str) -> None:
    frame = KINDS[kind](DATA)
    [message] = warned(lambda: af.report(frame, "p", "a", by="t"))
    code = message.rpartition("first: `")[2].partition("`")[0]
    lists = eval(code, {"anls_frame": af, "frame": frame})  # noqa: S307 - as a user would
    frame = frame.with_columns(lists) if kind == "polars" else frame.assign(t=lists)

    assert warned(lambda: af.report(frame, "p", "a", by="t")) == []
    report = af.report(frame, "p", "a", metrics="exact_match", by="t").by_group
    table = pl.DataFrame(report) if kind == "pandas" else report
    figures = {row["t"]: (row["n"], row["exact_match"]) for row in table.to_dicts()}
    # By hand: all three rows are forms, of which the second is wrong; the first two are layouts.
    assert figures == {"form": (3, pytest.approx(2 / 3)), "layout": (2, 0.5), None: (1, 1.0)}


@pytest.mark.parametrize(
    "values",
    [
        ["Smith; John", "Doe; Jane", "Roe"],
        ["AT&amp;T", "AT", "T"],
        ["a", "b", ";"],
        ["a;b", "c", "d"],
        ["x\ny;z", "z", "y"],
        ["a;b", *(f"{number}a" for number in range(11)), "b"],
    ],
)
def test_a_separator_between_parts_that_occur_nowhere_else_is_a_letter(values: list[str]) -> None:
    frame = pl.DataFrame({"p": "a", "a": "a", "t": values})

    assert warned(lambda: af.report(frame, "p", "a", by="t")) == []


# As MMLongBench-Doc has the sources of evidence.
PRINTED = ["['form', 'layout']", '["layout"]', "['form']", None]


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow", "categories"])
@pytest.mark.parametrize("name", CALLS)
def test_printed_lists_of_labels_are_told(kind: str, name: str) -> None:
    [message] = warned(lambda: CALLS[name](KINDS[kind](DATA | {"t": PRINTED})))

    assert message.startswith(
        "by column 't' holds printed lists of labels in 1 of 3 values, such as \"['form', 'layout']\"; each "
    )


def test_the_advice_for_printed_lists_gives_the_slices_of_labels(tmp_path: Path) -> None:
    frame = pl.DataFrame(DATA | {"t": PRINTED})
    [message] = warned(lambda: af.report(frame, "p", "a", by="t"))
    code = message.rpartition("first: `")[2].partition("`")[0]
    lists = eval(code, {"anls_frame": af, "frame": frame})  # noqa: S307 - as a user would
    report = af.report(frame.with_columns(lists), "p", "a", metrics="exact_match", by="t").by_group
    figures = {row["t"]: (row["n"], row["exact_match"]) for row in report.to_dicts()}
    # By hand: rows 1 and 3 are forms, rows 1 and 2 layouts; row 2 is wrong.
    assert figures == {"form": (2, 1.0), "layout": (2, 0.5), None: (1, 1.0)}
    frame.select("id", "t", prediction="p", answers="a").write_csv(tmp_path / "r.csv")
    told = shell.run(tmp_path, "report", "r.csv", "-b", "t", "--json").stderr
    reader = "auto,question_types=t,question_types_format=list"
    assert f"--reader {reader} reads lists, for -b question_types" in told
    done = shell.run(tmp_path, "report", "r.csv", "--reader", reader, "-b", "question_types", "--json")
    assert done.stderr == ""
    assert json.loads(done.stdout)["tables"]
    assert "['form'" not in done.stdout


@pytest.mark.parametrize(
    "values",
    [["['a', 'b']", "c", "d"], ["['a']", "['b']", "a"], ["[1871]", "[1872]", "x"], ["['a", "['b'", "a"]],
)
def test_lists_without_shared_labels_and_damaged_ones_are_texts(values: list[str]) -> None:
    assert warned(lambda: af.report(pl.DataFrame({"p": "a", "a": "a", "t": values}), "p", "a", by="t")) == []


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet", "xlsx"])
@pytest.mark.parametrize("separator", [";", "|"])
def test_readers_split_types_as_they_split_answers(tmp_path: Path, suffix: str, separator: str) -> None:
    path = tmp_path / f"r.{suffix}"
    types = ["form; layout".replace(";", separator), "form", None, "['a', 'b']"]
    af.write_results(
        pl.DataFrame({"id": ["1", "2", "3", "4"], "prediction": "a", "answers": "a", "t": types}), path
    )
    lists = [["form", "layout"], ["form"], None, ["a", "b"]]

    for read in (af.read_results, lambda path, **options: af.scan_results(path, **options).collect()):
        assert (
            read(path, question_types="t", question_types_format=separator)["question_types"].to_list()
            == lists
        )
        plain = read(path, question_types="t")["question_types"].to_list()
        assert plain == [[types[0]], ["form"], None, ["a", "b"]]
        as_text = read(path, question_types="t", question_types_format="text")["question_types"].to_list()
        assert as_text[3] == ["['a', 'b']"]
    logs = af.read_logs({"m": path}, question_types="t", question_types_format=separator)
    assert logs["question_types"].to_list() == lists
    with pytest.raises(
        ValueError, match="question_types_format must be one of 'text', 'list' or a separator"
    ):
        af.read_results(path, question_types_format="auto")


def test_types_in_gold_are_split_too(tmp_path: Path) -> None:
    path = tmp_path / "m.jsonl"
    path.write_text(json.dumps({"id": 1, "prediction": "a"}), encoding="utf-8")
    gold = pl.DataFrame({"id": ["1"], "answers": ["a"], "kind": ["form;layout"]})

    frame = af.read_logs({"m": path}, gold=gold, question_types="kind", question_types_format=";")

    assert frame["question_types"].to_list() == [["form", "layout"]]


def test_the_advice_of_the_command_line_gives_the_slices_of_labels(tmp_path: Path) -> None:
    pl.DataFrame(DATA).select("id", "t", prediction="p", answers="a").write_csv(tmp_path / "r.csv")

    told = shell.run(tmp_path, "report", "r.csv", "-b", "t", "--json").stderr
    assert (
        "--reader 'auto,question_types=t,question_types_format=;' reads lists, for -b question_types" in told
    )
    how = ["--reader", "auto,question_types=t,question_types_format=;", "-b", "question_types"]
    done = shell.run(tmp_path, "report", "r.csv", *how, "--json")

    assert done.stderr == ""
    assert '"layout"' in done.stdout
    assert "form;layout" not in done.stdout
