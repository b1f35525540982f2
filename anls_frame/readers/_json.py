"""Objects of JSON and JSON Lines, with their places."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any, NamedTuple

import polars as pl

import anls_frame._native as native
from anls_frame._text import listed, quoted
from anls_frame.frames.strict_json import Number, kind, parse
from anls_frame.readers._problems import Problems, problem


def with_newlines(text: str) -> str:
    """Return lines with normal line ends in place of those of old Macintoshes."""
    return text if "\n" in text else text.replace("\r", "\n")


def read_lines(text: str, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    Yield the objects of JSON Lines with their places; other values become problems.

    `_json_columns` is faster, but does not locate errors.
    """
    # Not `splitlines`, which also splits at characters that JSON strings may contain unescaped.
    for number, line in enumerate(with_newlines(text).split("\n"), 1):
        if not line.strip(" \t\r"):
            continue
        try:
            value = parse(line)
        except ValueError as error:
            problems.add(str(error), f"line {number}")
            continue
        if isinstance(value, dict):
            yield f"line {number}", value
        else:
            what = f"must be a JSON object, got {kind(value)}; a file that is one list has the suffix .json"
            problems.add(what, f"line {number}")


def read_whole(path: Path, text: str) -> Any:
    """Return the JSON value in a file."""
    try:
        return parse(text)
    except ValueError as error:
        advice = "if these are JSON Lines, name it .jsonl or pass format='jsonl'"
        raise problem(path, f"{error}; {advice}") from None


def records(path: Path, value: Any, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects, with their places, of a JSON array or of the only array of objects in an object."""
    if isinstance(value, dict):
        lists = [
            key
            for key, entry in value.items()
            if isinstance(entry, list) and entry and all(isinstance(record, dict) for record in entry)
        ]
        if len(lists) != 1:
            raise problem(
                path, f"holds an object without exactly one list of rows (keys: {quoted(list(value)[:10])})"
            )
        value = value[lists[0]]
    if not isinstance(value, list):
        raise problem(path, f"must hold a list of rows, got {kind(value)}")
    if not value:
        raise problem(path, "holds no rows")
    for index, row in enumerate(value):
        if isinstance(row, dict):
            yield f"index {index}", row
        else:
            problems.add(f"must be a JSON object, got {kind(row)}", f"index {index}")


# The kinds of values, in the order of their bits. Missing values are null; lists of strings are a separate
# kind.
_KINDS = (NoneType, NoneType, bool, Number, str, list, list, dict)
_TEXT, _TEXTS, _LIST, _OBJECT = (1 << bit for bit in (4, 5, 6, 7))
_NULLS = 0b11


class JsonColumn:
    """The values of a key; null where an object lacks the key."""

    def __init__(self, lines: native.JsonLines, index: int) -> None:
        """Take a column of a table."""
        self._lines = lines
        self._index = index
        self.key, self.first, self.first_value, self.is_everywhere, self._kinds = lines.described(index)
        self.kinds = frozenset(kind for bit, kind in enumerate(_KINDS) if self._kinds >> bit & 1)
        """The types of the values."""

    @property
    def holds_texts(self) -> bool:
        """Whether the values are strings or null."""
        return not self._kinds & ~(_TEXT | _NULLS)

    @property
    def holds_lists(self) -> bool:
        """Whether the values are lists of strings only, or null."""
        return not self._kinds & ~(_TEXTS | _NULLS)

    def texts(self) -> pl.Series:
        """Return strings, and numbers as written; everything else, including NaN, becomes null."""
        return pl.Series(self._lines.texts(self._index), dtype=pl.String)

    def lists(self) -> pl.Series:
        """Return lists of strings; everything else becomes null."""
        return pl.Series(self._lines.lists(self._index), dtype=pl.List(pl.String))

    def json(self) -> pl.Series:
        """
        Return strings unchanged, and all other values as JSON.

        Raises
        ------
        ValueError
            If a value needs Python to be written.
        """
        return pl.Series(self._lines.json(self._index), dtype=pl.String)

    def members(self) -> list[JsonColumn]:
        """
        Return the members of object values as columns.

        Raises
        ------
        ValueError
            If there are too many members.
        """
        return _columns(self._lines.members(self._index))

    def out_of_lists(self) -> JsonColumn:
        """Return lists without enclosing lists that hold nothing else."""
        return self._narrowed(_TEXTS | _LIST)

    def only_texts(self) -> JsonColumn:
        """Return strings in place of lists of one string."""
        return self._narrowed(_TEXT)

    def only_objects(self) -> JsonColumn:
        """Return an object or null in place of a list that holds nothing else."""
        return self._narrowed(_OBJECT | _NULLS)

    def at(self, rows: Sequence[int | None]) -> JsonColumn:
        """Return the values of the objects with these numbers; null for None."""
        return _columns(self._lines.at(self._index, list(rows)))[0]

    def rows_with(self, text: str) -> JsonTable:
        """Return the numbers of the objects whose value is this string."""
        return _table(self._lines.only(self._index, text))

    def _narrowed(self, kinds: int) -> JsonColumn:
        return _columns(self._lines.narrowed(self._index, kinds))[0]

    @cached_property
    def values(self) -> list[Any]:
        """The values as Python objects, with numbers as `Number`."""
        return self._lines.values(self._index, Number)

    def __iter__(self) -> Iterator[Any]:
        """Return the values."""
        return iter(self.values)

    def __len__(self) -> int:
        """Return the number of objects."""
        return self._lines.height


class JsonTable(NamedTuple):
    """The objects of JSON Lines."""

    columns: dict[str, JsonColumn]
    lines: Sequence[int]
    """The number of the line of each object; lines may be empty."""


def from_lines(path: Path, text: str) -> JsonTable:
    """
    Return the objects of JSON Lines.

    Raises
    ------
    InputError
        If lines hold anything else; the error lists all such lines. Python's parser reads them and describes
        the problems.
    """
    try:
        lines = native.json_lines(with_newlines(text))
    except OverflowError:
        raise problem(path, "holds more than 4 GiB; split it into several files") from None
    if lines is not None:
        return _table(lines)
    problems = Problems(path)
    keys = {key: None for _, row in read_lines(text, problems) for key in row}
    problems.raise_any()
    raise problem(path, too_many_keys(keys))


def too_many_keys(keys: Iterable[str]) -> str:
    """Return the message for objects whose keys are data, which would fill the memory as columns."""
    different = list(dict.fromkeys(keys))
    last = listed(list(map(quoted, different[-3:])))
    return (
        f"the objects have {len(different):,} different keys, most of them in few objects ({last}); "
        "move keys that are data into values"
    )


def _table(lines: native.JsonLines) -> JsonTable:
    numbers = lines.lines or range(1, lines.height + 1)
    return JsonTable({column.key: column for column in _columns(lines)}, numbers)


def _columns(lines: native.JsonLines) -> list[JsonColumn]:
    return [JsonColumn(lines, index) for index in range(lines.width)]
