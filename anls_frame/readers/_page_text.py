"""The pages of a file, and its words in places where pages have no text."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import NamedTuple


class Unknown(NamedTuple):
    """Words in a place that the reader does not know, and the element that has them."""

    words: int
    element: str
    line: int


@dataclass
class PageFile:
    """The pages of a file, and what was not read because its place is not known."""

    pages: list[str]
    """The text of each page."""
    unknown: list[Unknown] = field(default_factory=list)
    lowest: Counter[int] = field(default_factory=Counter)
    """How many lines of PAGE XML have each index as the lowest one of their texts."""

    @property
    def has_text(self) -> bool:
        """Whether a page has words."""
        return any(map(str.strip, self.pages))

    @property
    def n_unknown(self) -> int:
        """The number of words that were not read."""
        return sum(unknown.words for unknown in self.unknown)


def n_words(text: str) -> int:
    """Return the number of words, separated by whitespace."""
    return len(text.split())
