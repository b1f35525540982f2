"""Texts split into units of comparison: code points, grapheme clusters, words or tokens."""

from __future__ import annotations

import functools
import pickle
import re
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import anls_frame._native as native
from anls_frame._arguments import string
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, plugin_options

# Characters that Python strings may hold but UTF-8 cannot encode.
_SURROGATES = re.compile("[\ud800-\udfff]")
_BY_CLUSTERS = PROTOCOLS["raw"].by("grapheme")


class SplitText(NamedTuple):
    """
    A text split into units.

    Attributes
    ----------
    units
        The units that are compared. A string is a sequence of code points.
    before, after
        Text around each unit that belongs to no unit, such as spaces between words; line feeds belong to the
        unit before them. None if units follow each other directly.
    """

    units: Sequence[str]
    before: Sequence[str] | None = None
    after: Sequence[str] | None = None

    def closes(self, index: int) -> bool:
        """Whether a line ends with a unit."""
        return "\n" in (self.units if self.after is None else self.after)[index]

    def parts(self, index: int) -> tuple[str, str, str]:
        """Return a unit with the text before and after it, as three parts."""
        if self.before is None or self.after is None:
            return "", self.units[index], ""
        return self.before[index], self.units[index], self.after[index]

    def whole(self, index: int) -> str:
        """Return a unit with the text before and after it, as one string."""
        return "".join(self.parts(index))


def clusters(text: str) -> list[str]:
    """Split a text into grapheme clusters: letters with their marks, joined emoji, syllables of jamo."""
    if text.isascii() and "\r" not in text:
        return list(text)
    known = _SURROGATES.sub("\ufffd", text)
    parts = native.units(known, options(_BY_CLUSTERS))
    if parts is None:
        return list(text)
    texts, end = [], 0
    for cluster in parts[1::2]:
        texts.append(text[end : end + len(cluster)])
        end += len(cluster)
    return texts


def split_text(name: str, value: object, protocol: ScoreProtocol) -> tuple[str | tuple[str, ...], SplitText]:
    """
    Return a text prepared by the protocol, or a sequence of tokens, and the same split into units.

    Raises
    ------
    TypeError
        If the text is neither a string nor a sequence of strings.
    """
    if not isinstance(value, str):
        units = tokens(name, value)
        return units, SplitText(units, [""] * len(units), [" "] * (len(units) - 1) + [""] * bool(units))
    text = value
    if protocol.by("codepoint") != PROTOCOLS["raw"]:
        text = native.prepared(value, options(protocol))
    if protocol.unit == "codepoint":
        return text, SplitText(text)
    if protocol.unit == "grapheme":
        return text, SplitText(clusters(text))
    parts = native.units(text, options(protocol)) or [text]
    return text, _words(parts[::2], parts[1::2])


def _words(between: Sequence[str], words: Sequence[str]) -> SplitText:
    """Return words with the text between them; text after a line feed belongs to the next word."""
    if not words:
        return SplitText(words, [], [])
    first, *inner, last = between
    parts = [text.rpartition("\n") for text in inner]
    before = [first, *(rest if feed else "" for _, feed, rest in parts)]
    after = [*(start + feed if feed else rest for start, feed, rest in parts), last]
    return SplitText(words, before, after)


def tokens(name: str, value: object) -> tuple[str, ...]:
    """
    Return a sequence of strings; arrays and Series are accepted.

    Raises
    ------
    TypeError
        If the argument is not a sequence of strings.
    """
    entries = in_python(value)
    if not isinstance(entries, Iterable) or isinstance(entries, bytes | set | frozenset | dict):
        raise TypeError(f"{name} must be a string or a sequence of strings, got {type(value).__name__}")
    return tuple(string(f"each token of {name}", token) for token in entries)


def in_python(values: object) -> object:
    """Return the values of an array or a Series as Python values, and anything else unchanged."""
    method = getattr(values, "to_list", None) or getattr(values, "tolist", None)
    return values if method is None else method()


@functools.lru_cache(maxsize=16)
def options(protocol: ScoreProtocol | str, **others: float) -> bytes:
    """Return checked options as Polars passes them to expressions; the cache would take True for 1."""
    return pickle.dumps({"protocol": plugin_options(protocol), **others})
