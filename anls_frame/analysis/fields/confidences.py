"""Confidences of the values of a document, in the layouts that extraction engines write."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from anls_frame._text import quoted
from anls_frame.analysis.fields.cells import name_of
from anls_frame.frames.strict_json import Number

_VALUE, _CONFIDENCE, _FIELD = "value", "confidence", "field"

_PART = re.compile(r"\[(\d*)\]|([^.\[\]]+)")
_PATH = re.compile(rf"(?:{_PART.pattern})(?:\.(?:[^.\[\]]+)|\[\d*\])*")


class Beside:
    """Takes values out of objects that hold them with a confidence: {"value": "7", "confidence": 0.9}."""

    def __init__(self) -> None:
        self.other_keys: dict[str, None] = {}
        """Other keys of such objects, in their order."""
        self.n = 0
        """Number of such objects."""

    def taken(self, value: Any, kept: set[str], name: str = "", sure: Any = None) -> tuple[Any, Any]:
        """
        Return a document without these objects, and the confidences in its shape.

        The fields `kept` are objects in gold, and stay as they are.
        """
        if isinstance(value, dict):
            if name not in kept and _has_confidence(value, is_root=not name):
                self.n += 1
                self.other_keys |= dict.fromkeys(key for key in value if key not in {_VALUE, _CONFIDENCE})
                return self.taken(value[_VALUE], kept, name, value[_CONFIDENCE])
            pairs = {key: self.taken(entry, kept, name_of(name, key), sure) for key, entry in value.items()}
            return {key: one for key, (one, _) in pairs.items()}, {
                key: one for key, (_, one) in pairs.items()
            }
        if isinstance(value, list):
            entries = [self.taken(entry, kept, f"{name}[]", sure) for entry in value]
            return [one for one, _ in entries], [one for _, one in entries]
        return value, sure


def _has_confidence(value: dict[str, Any], *, is_root: bool) -> bool:
    is_number = value.get(_CONFIDENCE) is None or isinstance(value[_CONFIDENCE], Number)
    is_document = not is_root or isinstance(value.get(_VALUE), dict | list)
    return _VALUE in value and _CONFIDENCE in value and is_number and is_document


def objects(value: Any, name: str = "") -> Iterator[str]:
    """Yield the names of the objects in a document."""
    if isinstance(value, dict):
        yield name
        for key, entry in value.items():
            yield from objects(entry, name_of(name, key))
    elif isinstance(value, list):
        for entry in value:
            yield from objects(entry, f"{name}[]")


def in_shape(given: Any, document: Any) -> Any:
    """
    Return confidences of any layout so that `inside` finds those of a document.

    The layouts are the shape of the document; the names of fields as keys, such as {"seller.name": 0.9} or
    {"items[0].price": 0.9}; and a list of such names, as [{"field": "seller.name", "confidence": 0.9}].
    """
    if isinstance(given, list) and not isinstance(document, list) and all(map(_is_entry, given)):
        named: dict[str, Any] = {}
        for entry in given:
            if entry[_FIELD] in named:
                raise ValueError(
                    f"field {quoted(entry[_FIELD])} has two confidences; number its items, as in items[0]"
                )
            named[str(entry[_FIELD])] = entry[_CONFIDENCE]
        given = named
    return _nested(given)


def _is_entry(entry: Any) -> bool:
    return isinstance(entry, dict) and isinstance(entry.get(_FIELD), str) and _CONFIDENCE in entry


def _nested(given: Any) -> Any:
    """Return confidences in which names such as "seller.name" are also reached key by key."""
    if isinstance(given, list):
        return [_nested(entry) for entry in given]
    if not isinstance(given, dict):
        return given
    nested: dict[Any, Any] = {key: _nested(entry) for key, entry in given.items()}
    for key, entry in given.items():
        path = _path(key)
        if len(path) < 2:  # noqa: PLR2004
            continue
        place = nested
        for part in path[:-1]:
            place = place.setdefault(part, {})
            if not isinstance(place, dict):
                break
        else:
            place.setdefault(path[-1], _nested(entry))
    return nested


def _path(name: str) -> list[str]:
    """Return the keys in the name of a field, and the numbers of items; "" means all items."""
    if not _PATH.fullmatch(name):
        return [name]
    return [key or number for number, key in _PART.findall(name)]


def inside(given: Any, key: str | int) -> Any:
    """Return the confidences under a key or number; a single number applies to all values there."""
    if isinstance(given, dict):
        found = given.get(str(key), given.get("") if isinstance(key, int) else None)
        # The confidence of an object or a list, in addition to those of its values.
        return given.get(_CONFIDENCE) if found is None and _is_whole(given) else found
    if isinstance(given, list):
        return given[key] if isinstance(key, int) and key < len(given) else None
    return given


def _is_whole(given: dict[str, Any]) -> bool:
    return isinstance(given.get(_CONFIDENCE), Number) and (_VALUE in given or len(given) == 1)


def number_of(given: Any, name: str) -> float | None:
    """Return the confidence of a field, null where there is none."""
    if isinstance(given, dict) and _CONFIDENCE in given:
        given = given[_CONFIDENCE]
    if given is None:
        return None
    if not isinstance(given, Number) or not math.isfinite(float(given)):
        shown = given if isinstance(given, bool | Number) else quoted(given)
        raise ValueError(f"the confidence of field {quoted(name)} must be a finite number, got {shown}")
    return float(given)


def has_numbers(given: Any) -> bool:
    """Return whether there is any confidence."""
    if isinstance(given, dict | list):
        return any(map(has_numbers, given.values() if isinstance(given, dict) else given))
    return isinstance(given, Number)
