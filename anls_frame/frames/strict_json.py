"""Strict parsing of JSON values: numbers stay as written, duplicate keys and lone surrogates are errors."""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from anls_frame._text import quoted

_MOST_LEVELS = 100
"""Maximum nesting: far more than results have, and less than Python can handle."""
_BLANKS = " \t\n\r"
_HALF = re.compile(r"\\u[dD][89a-fA-F]")


class Number(str):
    """A number as written in the file: 12.50 stays 12.50."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)


def members_of(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the members of an object; raise an error if a key occurs twice."""
    members = dict(pairs)
    if len(members) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        doubled = next(key for key, count in counts.items() if count > 1)
        raise ValueError(f"duplicate key {quoted(doubled)}")
    return members


_DECODER = json.JSONDecoder(
    object_pairs_hook=members_of, parse_float=Number, parse_int=Number, parse_constant=Number
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
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(_BLANKS)))
        if end < len(text):  # whitespace may surround the value
            value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        at = f" at line {error.lineno}" if error.lineno > 1 else ""
        raise ValueError(f"invalid JSON: {error.msg}{at}, column {error.colno}") from None
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None
    if isinstance(value, list | dict) and text.count("[") + text.count("{") > _MOST_LEVELS:
        _check_levels(value)
    if _HALF.search(text):
        _check_halves(value)
    return value


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
        entries = (container.values() if isinstance(container, dict) else container for container in level)
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
