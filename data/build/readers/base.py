"""Rules that both readers share; what they find depends on the boxes that the engine gives them."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from data.build.canvas import Box
from data.build.lines import Line, build_lines, is_cjk, joined
from rapidfuzz import fuzz

from . import page_rules, table_rules
from .answer import NOTHING, Answer
from .shapes import first_match

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from data.build.documents import Query

LEXICON = Path(__file__).parent / "lexicon.toml"
EDGES = " :：;.,-–_|*#"


@dataclass(frozen=True)
class Found:
    """A label in a line: where it begins and where the text after it begins."""

    line: Line
    start: int
    end: int


@cache
def lexicon(lang: str) -> dict[str, Any]:
    """Return the words that the readers know in a language."""
    words: dict[str, Any] = tomllib.loads(LEXICON.read_text(encoding="utf-8"))[lang]
    return words


class Reader:
    """
    Answers questions about one page by rules.

    Parameters
    ----------
    boxes
        What the OCR engine read.
    lang
        Language of the page.
    doc_type
        Type of the document.
    """

    label_threshold: float

    def __init__(self, boxes: Sequence[Box], lang: str, doc_type: str) -> None:
        self.lines = build_lines(boxes)
        self.lang = lang
        self.doc_type = doc_type
        self.words = lexicon(lang)

    def answer(self, query: Query) -> Answer:
        """Answer a question."""
        return self.field(query) if query.rule == "field" else RULES[query.rule](self, query)

    def labels(self, name: str) -> list[str]:
        """Return the labels known for a field; a column that the question quotes is its own label."""
        known: list[str] = self.words["labels"].get(name, [])
        return known

    def field(self, query: Query) -> Answer:
        """Return the value beside or below a label."""
        raise NotImplementedError

    def find(self, labels: Sequence[str]) -> Found | None:
        """Return the best place of the labels: head of a box first, then the longest, then the best match."""
        best: tuple[bool, int, float] = (False, 0, 0.0)
        found = None
        for line in self.lines:
            for label in labels:
                place = self._match(label.lower(), line)
                if place is None:
                    continue
                rank = (_heads(line, place[1], place[2]), len(label), place[0])
                if rank > best:
                    best, found = rank, Found(line, place[1], place[2])
        return found

    def _match(self, label: str, line: Line) -> tuple[float, int, int] | None:
        if len(line.plain) < 0.7 * len(label):
            return None
        match = fuzz.partial_ratio_alignment(label, line.plain, score_cutoff=self.label_threshold)
        if match is None or not self.accepts(line, match.dest_start, match.dest_end):
            return None
        return match.score, match.dest_start, match.dest_end

    def accepts(self, line: Line, start: int, end: int) -> bool:
        """Tell whether a match begins and ends at the border of a word, where the script has such borders."""
        before, after = line.plain[max(0, start - 1) : start], line.plain[end : end + 1]
        return not (_is_letter(before) or _is_letter(after))

    def after(self, found: Found) -> list[Box]:
        """Return what stands right of a label, the first box without its part of the label."""
        rest = [
            index for index in range(found.end, len(found.line.plain)) if found.line.plain[index] not in EDGES
        ]
        if not rest:
            return []
        place = found.line.places[rest[0]]
        first = found.line.boxes[place.box]
        cut = Box(first.x0, first.y0, first.x1, first.y1, first.text[place.position :], first.confidence)
        return [cut, *found.line.boxes[place.box + 1 :]]

    def below(self, found: Found, count: int = 1) -> list[tuple[Box, ...]]:
        """Return the pieces of the next lines that stand under a label."""
        box = found.line.boxes[found.line.places[found.start].box]
        pieces = []
        for line in self.lines[self.lines.index(found.line) + 1 :]:
            for piece in line.segments():
                if piece[0].x0 < box.x0 + 4 * box.height and piece[-1].x1 > box.x0:
                    pieces.append(piece)
                    break
            if len(pieces) == count:
                break
        return pieces

    def first_shape(self, shape: str) -> Answer:
        """Return the first thing on the page that has the shape."""
        for line in self.lines:
            for piece in line.segments():
                text = first_match(shape, joined(piece))
                if text:
                    return Answer(text, piece)
        return NOTHING


def _is_letter(char: str) -> bool:
    return char.isalpha() and not is_cjk(char)


def _heads(line: Line, start: int, end: int) -> bool:
    """Tell whether a label opens its line or is followed by a colon, unlike a word in running text."""
    return start <= 1 or line.plain[end : end + 1] in (":", "：")


RULES: dict[str, Callable[[Reader, Query], Answer]] = {**page_rules.RULES, **table_rules.RULES}
