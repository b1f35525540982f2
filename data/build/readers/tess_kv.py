"""Reader A, for word boxes: strict about labels, and a value has to have the shape that was asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.build.lines import WIDE_GAP, joined

from .answer import NOTHING, Answer
from .base import EDGES, Reader
from .shapes import SHAPES, first_match

if TYPE_CHECKING:
    from data.build.canvas import Box
    from data.build.documents import Query


class TessKV(Reader):
    """Label, then the words right of it up to a wide gap, else those below; then a pattern."""

    label_threshold = 84

    def field(self, query: Query) -> Answer:
        """Return the value beside or below a label."""
        found = self.find(self.labels(query.key))
        if found is None:
            return self.first_shape(query.answer_type) if query.answer_type in SHAPES else NOTHING
        candidates = [self._until_gap(self.after(found)), *self.below(found)]
        for boxes in candidates:
            text = first_match(query.answer_type, joined(boxes).strip(EDGES)) if boxes else None
            if text:
                return Answer(text, tuple(boxes))
        nearest = next((tuple(boxes) for boxes in candidates if boxes), ())
        raw = joined(nearest).strip(EDGES)
        # A damaged figure is still worth reporting; words in place of a figure are not.
        keep = query.answer_type in SHAPES and any(char.isdigit() or char == "@" for char in raw)
        return Answer(raw if keep else "", nearest)

    def _until_gap(self, boxes: list[Box]) -> list[Box]:
        kept: list[Box] = []
        for box in boxes:
            if kept and box.x0 - kept[-1].x1 > WIDE_GAP * max(box.height, kept[-1].height):
                break
            kept.append(box)
        return kept
