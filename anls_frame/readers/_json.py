"""Objects of JSON and JSON Lines, with their places."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from anls_frame._text import quoted
from anls_frame.frames.strict_json import kind, parse
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
