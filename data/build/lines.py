"""Boxes to lines, and lines to the text of a page: the same way for drawn runs and for both engines."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from .canvas import Box

SAME_LINE = 0.5
WIDE_GAP = 1.9


@dataclass(frozen=True)
class Place:
    """Where a character of a line comes from: which box, which position in its text; no box for a space."""

    box: int
    position: int


class Line:
    """
    Boxes side by side.

    Parameters
    ----------
    boxes
        Boxes from left to right.
    """

    def __init__(self, boxes: Sequence[Box]) -> None:
        self.boxes = tuple(boxes)
        self.text = " ".join(box.text for box in boxes)
        self.height = median(box.height for box in boxes)
        self.y0 = min(box.y0 for box in boxes)
        self.y1 = max(box.y1 for box in boxes)
        self._make_plain()

    def _make_plain(self) -> None:
        """Keep a lower-case text for matching, where no space stands between CJK characters."""
        chars: list[str] = []
        places: list[Place] = []
        for index, box in enumerate(self.boxes):
            if chars and not (is_cjk(chars[-1]) and is_cjk(box.text[0])):
                chars.append(" ")
                places.append(Place(index, 0))
            for position, char in enumerate(box.text):
                lowered = char.lower()
                chars.extend(lowered)
                places.extend([Place(index, position)] * len(lowered))
        self.plain = "".join(chars)
        self.places = places

    def segments(self, gap: float = WIDE_GAP) -> list[tuple[Box, ...]]:
        """Return the boxes, parted where the white space is wider than `gap` line heights."""
        parts: list[list[Box]] = []
        for box in self.boxes:
            if parts and box.x0 - parts[-1][-1].x1 <= gap * self.height:
                parts[-1].append(box)
            else:
                parts.append([box])
        return [tuple(part) for part in parts]


def is_cjk(char: str) -> bool:
    """Tell whether a character is a kana, a Han character or their punctuation."""
    return unicodedata.east_asian_width(char) in "WF"


def joined(boxes: Sequence[Box]) -> str:
    """Return the text of boxes as the engine gave it, one space between two boxes."""
    return " ".join(box.text for box in boxes)


def build_lines(boxes: Sequence[Box]) -> list[Line]:
    """
    Chain boxes to lines, from top to bottom.

    A box continues the line whose last box it overlaps vertically by more than half of the smaller
    height. On a skewed page this follows the slope, and where columns are far apart it can fail, as
    it does in simple real pipelines.
    """
    chains: list[list[Box]] = []
    for box in sorted(boxes, key=lambda item: (item.x0, item.y0)):
        best, best_overlap = None, SAME_LINE
        for chain in chains:
            last = chain[-1]
            overlap = min(last.y1, box.y1) - max(last.y0, box.y0)
            share = overlap / max(1.0, min(last.height, box.height))
            if share > best_overlap:
                best, best_overlap = chain, share
        if best is None:
            chains.append([box])
        else:
            best.append(box)
    lines = [Line(chain) for chain in chains]
    return sorted(lines, key=lambda line: (line.boxes[0].y0 + line.boxes[0].y1) / 2)


def page_text(boxes: Sequence[Box]) -> str:
    """Return the text of a page, one line of boxes a line."""
    return "\n".join(line.text for line in build_lines(boxes))
