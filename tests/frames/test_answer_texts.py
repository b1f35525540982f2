"""Answers that look like several: who scores them is told, and the advice gives the right score."""

from __future__ import annotations

import json
import re
import warnings
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

ROWS = 12
KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": lambda data: pl.DataFrame(data).to_arrow(),
}
CALLS: dict[str, Callable[[Any], object]] = {
    "report": lambda data: af.report(data, "prediction", "answers"),
    "summarize": lambda data: af.summarize(data, "prediction", "answers", worst=2, details=True),
    "compare": lambda data: af.compare(data, {"a": "prediction", "b": "other"}, "answers"),
    "changes": lambda data: af.changes(data, {"a": "prediction", "b": "other"}, "answers"),
    "worst": lambda data: af.worst(data, "prediction", "answers"),
    "confusions": lambda data: af.confusions(data, "prediction", "answers"),
    "browse": lambda data: af.browse(data, "prediction", "answers"),
}


def warned(call: Callable[[], object]) -> list[str]:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    assert all(entry.category is af.InputWarning and entry.filename == __file__ for entry in caught)
    return [str(entry.message) for entry in caught]


def frame(kind: str, *special: str) -> Any:
    """Return rows, the last of which have special answers."""
    answers = [*["Coke"] * (ROWS - len(special)), *special, None]
    texts = ["Coke"] * (ROWS + 1)
    return KINDS[kind]({"prediction": texts, "other": ["Coka"] * (ROWS + 1), "answers": answers})


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", CALLS)
def test_the_first_printed_list_is_told(kind: str, name: str) -> None:
    [message] = warned(lambda: CALLS[name](frame(kind, "['Coke', 'Coca Cola']")))
    assert "column 'answers' holds lists that were printed as text, such as" in message
    assert warned(lambda: CALLS[name](frame(kind, "[1871]", "[illegible]", "[]"))) == []


def test_scores_of_pandas_columns_and_of_training_loops_warn_too() -> None:
    data = frame("pandas", "['Coke', 'Coca Cola']")
    [message] = warned(lambda: af.anls(data["prediction"], data["answers"]))
    assert "printed as text" in message
    metric = af.streaming.ANLS()
    [message] = warned(lambda: metric.update(data["prediction"][:ROWS], data["answers"][:ROWS]))
    assert "printed as text" in message


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow"])
@pytest.mark.parametrize("separator", ["|", ";"])
def test_a_frequent_separator_is_told(kind: str, separator: str) -> None:
    special = [f"Coke{separator} Coca Cola"] * 3
    [message] = warned(lambda: CALLS["report"](frame(kind, *special)))
    assert f"column 'answers' holds texts with {separator!r}" in message
    assert warned(lambda: CALLS["report"](frame(kind, *special[:2]))) == []


@pytest.mark.parametrize(
    "text",
    ["| a | b |\n|---|---|", "AT&amp;T", "a; b\nc; d", "Ja;", "|", "x" * 300 + ";" + "y" * 300, "a||b"],
)
def test_other_uses_of_a_separator_are_not_told(text: str) -> None:
    assert warned(lambda: CALLS["report"](frame("polars", *[text] * 6))) == []


def test_a_separator_that_one_text_in_ten_does_not_hold_is_not_told() -> None:
    data = pl.DataFrame({"prediction": ["a"] * 100, "answers": ["a"] * 91 + ["a;b"] * 9})
    assert warned(lambda: CALLS["report"](data)) == []
    assert warned(lambda: CALLS["report"](data.with_columns(answers=pl.lit("a;b")))) != []


@pytest.mark.parametrize("text", ["['a', 'b']", " ['a']\n", "\u3000['a']", "array(['a', 'b'], dtype=object)"])
def test_a_single_list_in_a_long_column_is_told(text: str) -> None:
    data = pl.DataFrame({"prediction": "a", "answers": ["a", None] * 30_000 + [text]})
    [message] = warned(lambda: CALLS["confusions"](data))
    assert "column 'answers' holds lists that were printed as text, such as" in message


def test_a_tenth_of_the_known_answers_of_a_long_column_is_enough() -> None:
    def told(separated: int) -> list[str]:
        answers = ["a;b"] * separated + ["a"] * (20_000 - separated) + [None] * 20_000
        return warned(lambda: CALLS["confusions"](pl.DataFrame({"prediction": "a", "answers": answers})))

    assert told(1_999) == []
    [message] = told(2_000)
    assert "column 'answers' holds texts with ';'" in message


@pytest.mark.parametrize("kind", ["polars", "pandas"])
@pytest.mark.parametrize("special", ["['Coke', 'Coca Cola']", "Coca Cola|Coke"])
def test_the_advice_gives_the_score_of_lists(kind: str, special: str) -> None:
    data = frame(kind, *[special] * 4)
    [message] = warned(lambda: CALLS["report"](data))
    advice = re.findall(r"`anls_frame\.(parse_answers\(.*?\))`", message)[0]
    lists = eval(advice, {"parse_answers": af.parse_answers, "frame": data})  # noqa: S307 - as a user would
    if kind == "polars":
        data = data.with_columns(lists)
    else:
        data["answers"] = lists
    assert warned(lambda: CALLS["report"](data)) == []
    assert af.report(data, "prediction", "answers").overall["anls"] == 1.0


def test_texts_that_are_lists_of_one_are_not_told_again() -> None:
    data = frame("polars", *["black; white"] * 4)
    [message] = warned(lambda: CALLS["report"](data))
    assert message.endswith(
        "`anls_frame.parse_answers(frame['answers'])` makes each text a list of one, without this warning"
    )
    data = data.with_columns(af.parse_answers(data["answers"]))
    assert warned(lambda: CALLS["report"](data)) == []
    assert data["answers"].to_list()[-2:] == [["black; white"], None]


def test_a_query_is_not_run_to_look_at_its_answers() -> None:
    looked: list[int] = []

    def look(frame: pl.DataFrame) -> pl.DataFrame:
        looked.append(frame.height)
        return frame

    lazy = pl.LazyFrame({"prediction": ["a"], "answers": ["['a']"]})
    lazy = lazy.map_batches(look, schema=lazy.collect_schema())
    assert warned(lambda: af.add_scores(lazy, "prediction", "answers")) == []
    assert looked == []
    [message] = warned(lambda: af.report(lazy, "prediction", "answers"))
    assert "printed as text" in message
    assert looked == [1]


PRINTED: list[tuple[str | None, list[str | None] | None]] = [
    ("['Coke', 'Coca Cola']", ["Coke", "Coca Cola"]),
    ('["Coke", null, 1.50]', ["Coke", None, "1.50"]),
    ("array(['a', \"b'c\"], dtype=object)", ["a", "b'c"]),
    ("['a' 'b']", ["a", "b"]),
    (" ['a']\n", ["a"]),
    ("['Coca Cola', \"it's\"]", ["Coca Cola", "it's"]),
    ("['a'\n 'b' 'c']", ["a", "b", "c"]),
    ("[1.10, 2]", ["1.10", "2"]),
    ("['a', 1.50, -2, 1e5, .5, nan, None]", ["a", "1.50", "-2", "1e5", ".5", None, None]),
    ("['\\x41\\u00e9\\101\\'\\\\d\\d']", ["A\xe9A'\\d\\d"]),
    ("['a', ]", ["a"]),
    ("[1] and [2]", ["[1] and [2]"]),
    (" padded ", [" padded "]),
    ("[__import__('os').system('true')]", ["[__import__('os').system('true')]"]),
    ("[]", []),
    ("[illegible]", ["[illegible]"]),
    ("Coke", ["Coke"]),
    ("", [""]),
    ("|", ["|"]),
    (None, None),
]
SEPARATED = [("Coke|Coca Cola", ["Coke", "Coca Cola"]), (" a | |b |", ["a", "b"])]


@pytest.mark.parametrize("order", [1, -1])
def test_mixed_columns_are_parsed(order: int) -> None:
    texts, lists = map(list, zip(*PRINTED[::order], *SEPARATED, strict=True))
    column = pl.Series("answers", texts, dtype=pl.String)
    assert af.parse_answers(column, answers_format="|").to_list() == lists
    alone = [[text] for text, _ in SEPARATED]
    assert af.parse_answers(column).to_list() == [*lists[: -len(SEPARATED)], *alone]
    query = column.to_frame().lazy()
    for asked in ("answers", pl.col("answers")):
        parsed = query.select(af.parse_answers(asked, answers_format="|"))
        assert parsed.collect_schema() == {"answers": pl.List(pl.String)}
        assert parsed.collect(engine="streaming")["answers"].to_list() == lists
    assert af.parse_answers(column.to_arrow(), answers_format="|").to_pylist() == lists
    in_pandas = af.parse_answers(
        pd.Series(texts, index=range(5, 5 + len(texts)), name="x"), answers_format="|"
    )
    assert (in_pandas.tolist(), in_pandas.name, in_pandas.index[0]) == (lists, "x", 5)


def test_lists_beside_texts_of_pandas_stay_as_they_are() -> None:
    mixed = pd.Series([["a", "b"], "['c']", "d", None, np.array(["e"]), ("f",), float("nan")], dtype=object)
    assert af.parse_answers(mixed).tolist() == [["a", "b"], ["c"], ["d"], None, ["e"], ["f"], None]
    lists = pl.Series("answers", [["a|b"], None, []])
    assert af.parse_answers(lists, answers_format="|").to_list() == [["a|b"], None, []]
    assert af.parse_answers(pl.Series("answers", ["a", "b"], dtype=pl.Categorical)).to_list() == [
        ["a"],
        ["b"],
    ]


TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=9)
PRINTABLE = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)


@given(st.lists(st.lists(st.none() | TEXTS, max_size=4), max_size=5))
def test_what_python_and_json_print_comes_back(lists: list[list[str | None]]) -> None:
    for printed in (str, json.dumps):
        texts = pl.Series("answers", [printed(entries) for entries in lists], dtype=pl.String)
        assert af.parse_answers(texts).to_list() == lists


@given(st.lists(PRINTABLE, min_size=1, max_size=6))
def test_what_numpy_prints_comes_back(row: list[str]) -> None:
    array = np.array(row, dtype=object)
    printed = [str(array), repr(array), str([np.str_(text) for text in row])]
    assert af.parse_answers(pl.Series("answers", printed)).to_list() == [row] * 3


def test_bad_columns_are_refused() -> None:
    damaged = pl.Series("gold", ["a", "['b', 'c", "['d'"])
    with pytest.raises(ValueError, match=r"'gold', row 1 .* cannot be read as one: .*; fix it") as caught:
        af.parse_answers(damaged)
    assert "(1 more do)" in str(caught.value)
    with pytest.raises(ValueError, match="cannot be read as one"):
        damaged.to_frame().select(af.parse_answers("gold"))
    with pytest.raises(
        af.DTypeError, match="column 'gold' has dtype Int64 and must hold strings or lists of strings"
    ):
        af.parse_answers(pl.Series("gold", [1]))
    with pytest.raises(af.DTypeError, match="row 0: 1 is of type int"):
        af.parse_answers(pd.Series([1, "a"], dtype=object))
    with pytest.raises(TypeError, match=r"answers must be a Polars or pandas Series.* got list"):
        af.parse_answers(["a"])  # type: ignore[call-overload]
    with pytest.raises(ValueError, match="answers_format must be one of 'list', 'text' or a separator"):
        af.parse_answers("gold", answers_format="")


OBJECTS = ['{"total": "12 EUR"}', ' {"a": {"b": 1}}\n', "{}"]


@pytest.mark.parametrize("kind", KINDS)
def test_objects_that_anls_star_would_match_key_by_key_are_told(kind: str) -> None:
    def data(objects: int, *, lists: bool = False) -> Any:
        answers: list[Any] = [*OBJECTS[:objects], *["plain"] * (3 - objects), None]
        answers = [[answer] for answer in answers] if lists else answers
        return KINDS[kind]({"prediction": ["{}"] * 4, "other": ["{}"] * 4, "answers": answers})

    for lists in (False, True):
        for call in (af.report, af.worst, af.browse):
            [message] = warned(
                lambda call=call, lists=lists: call(  # type: ignore[misc]
                    data(2, lists=lists), "prediction", "answers", protocol="anls_star"
                )
            )
            assert "most texts in column 'answers' are JSON objects, which protocol 'anls_star'" in message
    systems = {"a": "prediction", "b": "other"}
    assert len(warned(lambda: af.compare(data(3), systems, "answers", protocol="anls_star"))) == 1
    assert warned(lambda: af.report(data(1), "prediction", "answers", protocol="anls_star")) == []
    [message] = warned(lambda: af.report(data(3), "prediction", "answers"))
    assert "most texts in column 'answers' are objects that were printed as text" in message
    assert warned(lambda: af.report(data(3, lists=True), "prediction", "answers")) == []


@pytest.mark.parametrize("kind", KINDS)
def test_strings_of_json_are_told_and_the_advice_gives_their_texts(kind: str) -> None:
    """As exports of tracing tools have them, which pandas and Polars read with their quotes."""
    texts = ["Coke", 'say "a"', "1 Main St\nLeeds", None]
    written = [json.dumps(text) for text in texts]
    made = KINDS[kind]({"prediction": texts, "answers": written})
    [message] = warned(lambda: af.report(made, "prediction", "answers"))
    assert """'answers' is a string of JSON, such as '"Coke"', and scored with its quotes""" in message
    assert pl.Series(written).str.json_decode(pl.String).to_list() == texts
    decoded = pd.Series([None, *written]).map(json.loads, na_action="ignore")
    assert decoded.dropna().to_list() == texts[:3]
    for answers in (
        ['"a"', '"a" or "b"', '"c"', None],
        ['"a"', "null", None, None],
        ["null"] * 4,
        # No JSON, which `json.loads` would refuse.
        [r'"\d"', '"a"', '"b"', None],
        [r'"\u00e"', '"a"', '"b"', None],
        ['"a\nb"', '"a"', '"b"', None],
    ):
        data = {"prediction": texts, "answers": answers}
        assert warned(lambda data=data: af.report(KINDS[kind](data), "prediction", "answers")) == []  # type: ignore[misc]


def test_objects_are_told_where_scores_are_added_and_in_the_shell(tmp_path: Path) -> None:
    data = pl.DataFrame({"prediction": OBJECTS, "answers": OBJECTS})
    for given_frame in (data, data.to_pandas(), data.to_arrow()):
        [message] = warned(
            lambda given_frame=given_frame: af.add_scores(  # type: ignore[misc]
                given_frame, "prediction", "answers", protocol="anls_star"
            )
        )
        assert "Make one row of each key" in message
    columns = data.to_pandas()
    [_] = warned(lambda: af.anls(columns["prediction"], columns["answers"], protocol="anls_star"))
    data.write_ndjson(tmp_path / "r.jsonl")
    for command in ("score", "report"):
        done = shell.run(tmp_path, command, "r.jsonl", "--protocol", "anls_star")
        assert "JSON objects, which protocol 'anls_star' compares as texts" in done.stderr
        assert "JSON objects" not in shell.run(tmp_path, command, "r.jsonl").stderr


def test_the_lines_of_a_cell_are_one_answer_unless_they_are_to_be_split(tmp_path: Path) -> None:
    path = tmp_path / "rows.csv"
    path.write_bytes(b'prediction,answer\nCoke,"Coke\nCoca Cola"\nCola,"Pepsi\r\nCola\r\n"\n')
    assert af.read_results(path)["answers"].to_list() == [["Coke\nCoca Cola"], ["Pepsi\r\nCola\r\n"]]
    split = af.read_results(path, answers_format="\n")
    assert split["answers"].to_list() == [["Coke", "Coca Cola"], ["Pepsi", "Cola"]]
    assert af.report(split, "prediction", "answers").overall["anls"] == 1
