"""JSON Lines as columns are what Python's `json` reads line by line, or an error that names the lines."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from campaign import amount
from hypothesis import example, given, settings
from hypothesis import strategies as st
from polars.testing import assert_series_equal

import anls_frame as af
from anls_frame.exceptions import Problem
from anls_frame.files import raw_tables, standard_frames
from anls_frame.files.problems import Problems

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
    """Compare the columns of a text, if they can be read, with its lines."""
    lines, wrong = outcome(lambda: python_lines(text))
    table, problems = outcome(lambda: raw_tables.from_lines(PATH, text))
    assert problems == wrong
    if wrong:
        return False
    read = raw_tables.from_objects(PATH, lines)
    columns = read.columns
    assert table.height == read.height
    assert list(map(table.place, range(table.height))) == [place for place, _ in lines]
    assert [*table.columns] == [*columns]
    rows = [row for _, row in lines]
    for key, column in table.columns.items():
        check_column(column, columns[key], first_with(key, rows))
    return True


def python_lines(text: str) -> list[tuple[str, dict[str, Any]]]:
    problems = Problems(PATH)
    lines = list(raw_tables.read_lines(text, problems))
    problems.raise_any()
    return lines


def outcome(read: Callable[[], Any]) -> tuple[Any, Sequence[Problem]]:
    """Return what is read, or what is wrong."""
    try:
        return read(), ()
    except af.InputError as error:
        return None, error.problems


def first_with(key: str, rows: list[dict[str, Any]]) -> int:
    return next(index for index, row in enumerate(rows) if key in row)


def check_column(column: raw_tables.JsonColumn, values: list[Any], first: int) -> None:
    assert typed(column.values) == typed(values)
    assert column.kinds == set(map(type, values))
    assert column.first == first
    assert column.first_value == next((row for row, value in enumerate(values) if value is not None), None)
    in_table = raw_tables.Raw({"x": column}, len(values), str).column("x")
    assert_series_equal(raw_tables.kept("x", in_table), raw_tables.kept("x", values))
    for read in (raw_tables.texts, standard_frames.as_text_lists):
        found, expected = Problems(PATH), Problems(PATH)
        assert_series_equal(read("x", in_table, found, str), read("x", values, expected, str))
        assert vars(found) == vars(expected)
    assert typed(column.out_of_lists().values) == typed(list(map(out_of_lists, values)))
    assert typed(column.only_objects().values) == typed(list(map(only_object, values)))
    objects = [value if isinstance(value, dict) else {} for value in values]
    entries = raw_tables.from_objects(PATH, (("", value) for value in objects)).columns
    members = {member.key: member for member in column.members()}
    assert [*members] == [*entries]
    for key, entry in entries.items():
        check_column(members[key], entry, first_with(key, objects))


def out_of_lists(value: Any) -> Any:
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return value


def only_object(value: Any) -> Any:
    is_only = isinstance(value, list) and len(value) == 1 and isinstance(value[0], dict | None)
    return value[0] if is_only else value


@settings(deadline=None)
@example(rows=[{"id": [[None]]}, {"id": [[{}]]}, {"id": [None]}], write=json.dumps, end="\n")
@given(rows=ROWS, write=WRITERS, end=st.sampled_from(["\n", "\r\n", " \n\n", "\n\t\n"]))
def test_columns_are_what_the_lines_hold(rows: list[dict[str, Any]], write: Write, end: str) -> None:
    assert check_columns("".join(write(row) + end for row in rows))


@settings(deadline=None, max_examples=amount(100, 10_000))
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


def test_what_only_looks_like_json_is_a_problem_of_its_line() -> None:
    many = ", ".join(f'"{key}": 1' for key in [*range(50), 7])
    doubled = ['{"a": 1, "a": 1}', r'{"a": 1, "\u0061": 1}', f"{{{many}}}"]
    for value in (
        *("00", "01", "1.", ".5", "1.e5", "1e", "1e+", "-", "--", "+1", "-.5", "0x1", "1_0", "\u0661"),
        *("NAN", "nan", "-NaN", "Infinit", "-inf", "tru", "True", "nul", "None", "undefined"),
        *(r'"\x"', r'"\u12"', r'"\u12g4"', r'"\u+123"'),
        *('"\t"', '"', "'a'", "[1,]", "[,]", "[1 2]", "[", "]", "[}", ""),
        *("{1: 2}", '{"a"}', '{"a":}', '{"a": 1,}', nested(100), *doubled),
    ):
        assert problem_lines(f'{{"a": {value}}}') == ["line 1"], value
    for line in (
        *("1", '"a"', "null", "\u2028{}", "\v", "{}{}", "{} {}", "{}\v", "{}\ufeff", "{}\0"),
        *(nested(101), *doubled),
    ):
        assert problem_lines(f'{{"a": 1}}\n{line}\n\n{{}}x\n') == ["line 2", "line 4"], line


def problem_lines(text: str) -> list[str]:
    """Return the lines that an error names."""
    check_columns(text)
    return [problem.place for problem in outcome(lambda: raw_tables.from_lines(PATH, text))[1]]


def test_what_is_unusual_and_valid_has_columns() -> None:
    many = ", ".join(f'"{key}": {key}' for key in range(50))
    for value in (
        *("-0", "-0.0", "1E5", "1e-5", "0e0", "12.50", str(10**30), "NaN", "Infinity", "-Infinity"),
        *(r'"\ud83d\ude00"', r'"\/\u0000\uFfFf"', '"\u2028\x7f"', "[ ]", "{ }"),
        *(nested(99), f"{{{many}}}", r'{"\u0061": 1, "b": 2}'),
    ):
        assert check_columns(f'{{"a": {value}}}'), value
    assert check_columns("\n\r\n{}\r\n\t\n { }")
