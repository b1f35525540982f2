"""
Strict parsing of JSON values: numbers stay as written, and duplicate keys are errors.

Half of a surrogate pair is no character. Models that are cut at a limit of tokens leave such halves, which
Python writes as an escape, so that they are read as U+FFFD.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any

from anls_frame._text import quoted

_MOST_LEVELS = 100
"""Maximum nesting: far more than results have, and less than Python can handle."""
_BLANKS = " \t\n\r"
# The escape of half a surrogate pair, and of the other half, if it follows. Beginning with a literal, it is
# found fast.
_HALVES = re.compile(
    r"\\u(?:[dD][89abAB][0-9a-fA-F]{2}(?P<second>\\u[dD][c-fC-F][0-9a-fA-F]{2})?|[dD][c-fC-F][0-9a-fA-F]{2})"
)
_REPLACED = "\\ufffd"


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
    Return a JSON value, with numbers as `Number` and U+FFFD in place of half of a surrogate pair.

    Raises
    ------
    ValueError
        If it is not valid JSON; the message says why.
    """
    text, _ = without_halves(text)
    try:
        value, end = _DECODER.raw_decode(text, len(text) - len(text.lstrip(_BLANKS)))
        if end < len(text):  # whitespace may surround the value
            value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        message = error.msg.removesuffix(" at")
        raise ValueError(f"invalid JSON: {message} at {line}column {error.colno}") from None
    except RecursionError:
        raise ValueError("brackets are nested too deeply") from None
    if isinstance(value, list | dict) and text.count("[") + text.count("{") > _MOST_LEVELS:
        _check_levels(value)
    return value


def without_halves(text: str) -> tuple[str, list[int]]:
    """Return JSON with U+FFFD in place of half of a surrogate pair, and the positions of these halves."""
    positions: list[int] = []

    def replaced(match: re.Match[str]) -> str:
        start = before = match.start()
        while before and text[before - 1] == "\\":
            before -= 1
        # Two backslashes are one, and what follows is no escape.
        if (start - before) % 2:
            if match["second"]:
                positions.append(match.start("second"))
                return match[0].removesuffix(match["second"]) + _REPLACED
            return match[0]
        if match["second"]:
            return match[0]
        positions.append(start)
        return _REPLACED

    return _HALVES.sub(replaced, text), positions


def is_of_python(text: str) -> bool:
    """Return whether a text that is not JSON begins like an object or a list that Python printed."""
    return text.lstrip().startswith(("{'", "['", "[{'"))


def scalar_text(value: str | bool) -> str:  # noqa: FBT001 - a value
    """Return a string, or a number, true or false as written in the file."""
    return str(value) if isinstance(value, str) else json.dumps(value)


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
