"""JSON Lines as columns are what Python's `json` reads line by line, or nothing at all."""

from __future__ import annotations

import json
from pathlib import Path
from types import NoneType
from typing import TYPE_CHECKING, Any
from unittest import mock

import polars as pl
import pytest
from campaign import amount
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal, assert_series_equal

import anls_frame as af
from anls_frame.readers import _json, _json_columns, _lists, _logged, _raw
from anls_frame.readers._problems import Problems

if TYPE_CHECKING:
    from collections.abc import Callable

    Write = Callable[[Any], str]

PATH = Path("rows.jsonl")

CHARACTERS = st.characters(exclude_categories=("Cs",)) | st.sampled_from(
    '"\\/[{,:\b\f\n\r\t\x1f\x7f\u2028é\U0001d4b3'
)
TEXTS = st.text(CHARACTERS, max_size=12)
KEYS = st.sampled_from(["id", "prediction", "é", "a\x7f", 'q"']) | TEXTS
NUMBERS = st.integers() | st.floats() | st.sampled_from([10**30, -0.0, 1e300])
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3) | st.lists(TEXTS, max_size=2)
    ),
    max_leaves=6,
)
ROWS = st.lists(st.dictionaries(KEYS, VALUES, max_size=4), min_size=1, max_size=5)
MARKS = st.sampled_from('"\\/{}[],:0123456789eE+-. truefalsnNaIity\n\r\tudD8c\v\u2028é')
EDITS = st.tuples(st.integers(0, 10_000), st.integers(0, 3), st.text(MARKS, max_size=3))
WRITERS = st.builds(
    lambda in_ascii, marks: json.JSONEncoder(ensure_ascii=in_ascii, separators=marks).encode,
    st.booleans(),
    st.sampled_from([(", ", ": "), (",", ":"), (" ,\t", "\r: ")]),
)


def typed(value: Any) -> Any:
    """Return a value with the types of all its parts, in their order."""
    if isinstance(value, dict):
        return [(key, typed(entry)) for key, entry in value.items()]
    return [typed(entry) for entry in value] if isinstance(value, list) else (type(value), value)


def check_columns(text: str) -> bool:
    """Compare the columns of a text, if it has any, with its lines."""
    table = _json_columns.of(text)
    if table is None:
        return False
    problems = Problems(PATH)
    columns, places, firsts = _raw.gathered(_json.read_lines(PATH, text, problems))
    problems.raise_any()
    assert list(table.places) == places
    assert [*table.columns] == [*columns]
    for key, column in table.columns.items():
        check_column(column, columns[key], firsts[key])
    return True


def check_column(column: _json_columns.JsonColumn, values: list[Any], first: int) -> None:
    assert typed(column.values) == typed(values)
    assert column.kinds == set(map(type, values))
    assert column.first == first
    assert column.first_value == next((row for row, value in enumerate(values) if value is not None), None)
    assert_series_equal(_raw.kept("x", column), _raw.kept("x", values))
    for read in (_raw.texts, _lists.lists):
        found, expected = Problems(PATH), Problems(PATH)
        assert_series_equal(read("x", column, found, str), read("x", values, expected, str))
        assert vars(found) == vars(expected)
    for narrowed, expected in (
        (column.out_of_lists(), _logged.out_of_lists),
        (column.only_objects(), _logged.only_count),
    ):
        assert typed(narrowed.values) == typed(list(map(expected, values)))
    if column.kinds <= {dict, NoneType}:
        members, _, firsts = _raw.gathered([("", value or {}) for value in values])
        found = {member.key: member for member in column.members()}
        assert [*found] == [*members]
        for key, entries in members.items():
            check_column(found[key], entries, firsts[key])


@settings(deadline=None)
@given(rows=ROWS, write=WRITERS, end=st.sampled_from(["\n", "\r\n", " \n\n", "\n\t\n"]))
def test_columns_are_what_the_lines_hold(rows: list[dict[str, Any]], write: Write, end: str) -> None:
    assert check_columns("".join(write(row) + end for row in rows))


@settings(deadline=None, max_examples=amount(300, 10_000))
@given(
    rows=ROWS,
    write=WRITERS,
    edits=st.lists(EDITS, min_size=1, max_size=3),
)
def test_a_damaged_text_has_no_other_columns_than_its_lines(
    rows: list[dict[str, Any]], write: Write, edits: list[tuple[int, int, str]]
) -> None:
    text = "\n".join(map(write, rows))
    for position, removed, added in edits:
        at = position % (len(text) + 1)
        text = text[:at] + added + text[at + removed :]

    check_columns(text)


def nested(levels: int) -> str:
    return '{"a": ' * (levels - 1) + "{}" + "}" * (levels - 1)


def test_what_only_looks_like_json_has_no_columns() -> None:
    many = ", ".join(f'"{key}": 1' for key in [*range(50), 7])
    doubled = ['{"a": 1, "a": 1}', r'{"a": 1, "\u0061": 1}', f"{{{many}}}"]
    for value in (
        *("00", "01", "1.", ".5", "1.e5", "1e", "1e+", "-", "--", "+1", "-.5", "0x1", "1_0", "\u0661"),
        *("NAN", "nan", "-NaN", "Infinit", "-inf", "tru", "True", "nul", "None", "undefined"),
        *(r'"\x"', r'"\u12"', r'"\u12g4"', r'"\u+123"', r'"\ud800"', r'"\udc00"', r'"\ud800\ud800"'),
        *('"\t"', '"', "'a'", "[1,]", "[,]", "[1 2]", "[", "]", "[}", ""),
        *("{1: 2}", '{"a"}', '{"a":}', '{"a": 1,}', nested(100), *doubled),
    ):
        assert _json_columns.of(f'{{"a": {value}}}') is None, value
    for line in (
        *("", "\n \n", "1", "[]", " {}", "\u2028{}", "{}{}", "{} {}", "{}\v", "{}\ufeff", "{}\0"),
        *(nested(101), *doubled),
    ):
        assert _json_columns.of(line) is None, line
        assert _json_columns.of(f'{{"a": 1}}\n{line}x\n') is None, line


def test_what_is_unusual_and_valid_has_columns() -> None:
    many = ", ".join(f'"{key}": {key}' for key in range(50))
    for value in (
        *("-0", "-0.0", "1E5", "1e-5", "0e0", "12.50", str(10**30), "NaN", "Infinity", "-Infinity"),
        *(r'"\ud83d\ude00"', r'"\/\u0000\uFfFf"', '"\u2028\x7f"', "[ ]", "{ }"),
        *(nested(99), f"{{{many}}}", r'{"\u0061": 1, "b": 2}'),
    ):
        assert check_columns(f'{{"a": {value}}}'), value
    assert check_columns("\n\r\n{}\r\n\t\n{ }")


PRINTED = st.sampled_from(
    ["['a']", "['a', 'b']", '["a"]', "['it\\'s']", "[3]", "None", "a", "\x1c['a']", "array(['a'])"]
)
RESPONSES = st.sampled_from(
    ["a", ["a"], [["a"]], [["a"], ["b"]], ["a", "b"], [], [None], None, 1, [1.5], {"a": 1}]
)
SAMPLES = st.fixed_dictionaries(
    {"doc_id": st.integers(0, 3), "target": PRINTED | VALUES, "filtered_resps": st.just(["a"]) | RESPONSES},
    optional={
        "resps": RESPONSES,
        "doc": st.fixed_dictionaries({}, optional={"question": VALUES, "answers": VALUES, "a": PRINTED})
        | VALUES,
        "filter": st.sampled_from(["none", "strict", None]),
        "input": TEXTS | VALUES,
        "token_counts": st.lists(st.none() | st.dictionaries(KEYS, st.integers()), max_size=2) | VALUES,
        "anls": NUMBERS | st.dictionaries(KEYS, NUMBERS, max_size=2),
        "epoch": st.integers(1, 2),
    },
)
LOGS = st.lists(SAMPLES | st.dictionaries(KEYS, VALUES, max_size=2), min_size=1, max_size=4) | st.lists(
    SAMPLES, min_size=1, max_size=4
)


def outcome(read: Callable[[], pl.DataFrame]) -> Any:
    """Return the frame, or what is wrong."""
    try:
        return read()
    except af.InputError as error:
        return error.problems


@settings(deadline=None, max_examples=amount(150, 5000))
@given(
    rows=LOGS,
    write=WRITERS,
    response=st.sampled_from([None, "all", 1, -1, 2]),
    filter=st.sampled_from([None, None, "none", "strict", "None", "x"]),
)
@pytest.mark.filterwarnings("ignore::anls_frame.InputWarning")
def test_readers_return_the_same_by_columns_and_by_lines(
    tmp_path_factory: pytest.TempPathFactory,
    rows: list[dict[str, Any]],
    write: Write,
    response: Any,
    filter: str | None,  # noqa: A002 - its name there
) -> None:
    path = tmp_path_factory.mktemp("logs") / "samples_task_2026-11-23.jsonl"
    path.write_text("\n".join(map(write, rows)), encoding="utf-8")
    for read in (
        lambda: af.read_results(path, prediction="filtered_resps", unique_ids=False),
        lambda: af.read_results(path, prediction="target", answers="doc", answers_format="list"),
        lambda: af.readers.read_lmms_eval(path, response=response),
        lambda: af.readers.read_lm_eval(path, response=response, filter=filter),
    ):
        by_columns = outcome(read)
        with mock.patch.object(_json_columns, "of", return_value=None):
            by_lines = outcome(read)
        if isinstance(by_lines, pl.DataFrame):
            assert_frame_equal(by_columns, by_lines)
        else:
            assert by_columns == by_lines
