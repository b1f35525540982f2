"""Reader B, for phrase boxes: generous about labels, takes a box as it is, guesses rather than be silent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from data.build.lines import joined

from .answer import NOTHING, Answer
from .base import EDGES, Reader
from .shapes import SHAPES

if TYPE_CHECKING:
    from data.build.documents import Query


class RapidKV(Reader):
    """Label, then the rest of its box or the next box as it is; no label: the first thing of that shape."""

    label_threshold = 78

    def field(self, query: Query) -> Answer:
        """Return the value beside or below a label."""
        found = self.find(self.labels(query.key))
        if found is None:
            return self.first_shape(query.answer_type) if query.answer_type in SHAPES else NOTHING
        boxes = self.after(found)[:1] or [box for piece in self.below(found) for box in piece[:1]]
        return Answer(joined(boxes).strip(EDGES), tuple(boxes))
