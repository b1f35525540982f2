"""What a reader says."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from data.build.canvas import Box


@dataclass(frozen=True)
class Answer:
    """
    What a reader says, and the boxes it took that from.

    Attributes
    ----------
    text
        None if the reader found no place to look at, "" if there was nothing of use at that place.
    """

    text: str | None
    boxes: tuple[Box, ...] = ()

    @property
    def confidence(self) -> float | None:
        """Mean confidence of the engine over the boxes."""
        if not self.boxes:
            return None
        return round(sum(box.confidence for box in self.boxes) / len(self.boxes), 4)


NOTHING = Answer(None)
