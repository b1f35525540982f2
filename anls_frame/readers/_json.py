"""Parse JSON strictly: numbers stay as written, duplicate keys and lone surrogates are errors."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

from anls_frame.readers._problems import Advice, Option, problem, shown

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from anls_frame.readers._problems import Problems

_MOST_LEVELS = 100
"""Maximum nesting: far more than results have, and less than Python can handle."""
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class Number(str):
    """A number as written in the file: 12.50 stays 12.50."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


class _Invalid(Exception):  # noqa: N818 - never leaves this module
    pass


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        keys = [key for key, _ in pairs]
        doubled = next(key for key in keys if keys.count(key) > 1)
        raise _Invalid(f"duplicate key {shown(doubled)}")
    return found


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=Number, parse_int=Number, parse_constant=Number
)


def parse(text: str) -> Any:
    """
    Return a JSON value, with numbers as `Number`.

    Raises
    ------
    ValueError
        If it is not valid JSON; the message says why.
    """
    try:
        value, end = _DECODER.raw_decode(text)
        if end < len(text):  # whitespace may surround the value
            value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at = f" at line {error.lineno}" if error.lineno > 1 else ""
        raise ValueError(f"invalid JSON: {error.msg}{at}, column {error.colno}") from None
    except _Invalid as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None
    if isinstance(value, list | dict) and text.count("[") + text.count("{") > _MOST_LEVELS:
        _check_levels(value)
    if _HALF.search(text):
        _check_halves(value)
    return value


def with_newlines(text: str) -> str:
    """Return lines that may end as on an old Macintosh with the usual ends."""
    return text if "\n" in text else text.replace("\r", "\n")


def read_lines(path: Path, text: str, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    Yield the objects of JSON Lines with their places; other values become problems.

    Most files are read by `_json_columns`; these lines are what it must agree with, and say what is wrong.
    """
    # Not `splitlines`, which also splits at characters that JSON strings may contain unescaped.
    for number, line in enumerate(with_newlines(text).split("\n"), 1):
        if not line or line.isspace():
            continue
        try:
            value = parse(line)
        except ValueError as error:
            problems.add(str(error), f"line {number}")
            continue
        if isinstance(value, dict):
            yield f"line {number}", value
        elif isinstance(value, list) and number == 1:
            advice = Advice(
                "holds one JSON array instead of JSON Lines; name it .json or pass ", Option("format", "json")
            )
            raise problem(path, advice)
        else:
            problems.add(f"must be a JSON object, got {kind(value)}", f"line {number}")


def read_whole(path: Path, text: str) -> Any:
    """Return the JSON value in a file."""
    try:
        return parse(text)
    except ValueError as error:
        first = text.lstrip().partition("\n")[0]
        advice = str(error)
        if "Extra data" in str(error) and first.startswith("{") and first.rstrip().endswith("}"):
            advice = Advice(
                f"{error}; if these are JSON Lines, name it .jsonl or pass ", Option("format", "jsonl")
            )
        raise problem(path, advice) from None


def records(path: Path, value: Any, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects, with their places, of a JSON array or of the only array of objects in an object."""
    if isinstance(value, dict):
        lists = [
            key
            for key, entry in value.items()
            if isinstance(entry, list) and entry and all(isinstance(one, dict) for one in entry)
        ]
        if len(lists) != 1:
            raise problem(
                path, f"holds an object without exactly one list of rows (keys: {shown(list(value)[:10])})"
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


def kind(value: object) -> str:
    """Describe a JSON value for messages."""
    if value is None:
        return "null"
    if isinstance(value, bool | Number):
        return f"the value {value}"
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    return "a string" if isinstance(value, str) else type(value).__name__


def _check_levels(value: Any) -> None:
    """Raise an error if lists and objects are nested too deeply to be written again."""
    level = [value]
    for _ in range(_MOST_LEVELS):
        entries = (one.values() if isinstance(one, dict) else one for one in level)
        level = [entry for some in entries for entry in some if isinstance(entry, list | dict)]
        if not level:
            return
    raise ValueError(f"brackets are nested more than {_MOST_LEVELS} deep")


def _check_halves(value: Any) -> None:
    """Raise an error for lone surrogates, which JSON can write but which are not valid Unicode."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("holds half of a surrogate pair (such as \\ud800), which is invalid") from None
