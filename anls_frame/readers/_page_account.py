"""The account of a file of pages: which of its words were read, and why others were left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

BELOW_LINES = "words and letters of lines that have text"
ABOVE_LINES = "text of regions whose lines or inner regions have text"
FURTHER_TEXTS = "further TextEquiv elements of a text"
ALTERNATIVES = "alternative readings"
HYPHENS = "repeated hyphens"
OUTSIDE = "text outside of pages"
RULES = (BELOW_LINES, ABOVE_LINES, FURTHER_TEXTS, ALTERNATIVES, HYPHENS, OUTSIDE)
"""The rules by which words of a file are left out."""


class Unknown(NamedTuple):
    """Words that no rule knows, and the element that has them."""

    words: int
    element: str
    line: int


@dataclass
class PageFile:
    """
    The pages of a file, and the account of its words: read, left out by a rule, or unknown to all rules.

    The words are counted when somebody asks.
    """

    pages: list[str] = field(default_factory=list)
    """The text of each page."""
    is_plain: bool = False
    """Whether it is plain text, which may have empty lines."""
    unknown: list[Unknown] = field(default_factory=list)
    _left: list[tuple[str, Callable[[], int]]] = field(default_factory=list)

    def leave(self, rule: str, words: Callable[[], int] | int) -> None:
        """Leave words out by a rule."""
        self._left.append((rule, words if callable(words) else lambda: words))

    @cached_property
    def read(self) -> int:
        """The number of words that were read."""
        return sum(map(n_words, self.pages))

    @cached_property
    def left_out(self) -> Counter[str]:
        """The number of words that were left out by each rule."""
        counts: Counter[str] = Counter()
        for rule, words in self._left:
            counts[rule] += words()
        return +counts

    @property
    def n_unknown(self) -> int:
        """The number of words that no rule knows."""
        return sum(unknown.words for unknown in self.unknown)


def n_words(text: str) -> int:
    """Return the number of words, separated by whitespace."""
    return len(text.split())
