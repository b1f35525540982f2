"""The edits between two texts, and runs of characters with the same operation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, cast

if TYPE_CHECKING:
    from collections.abc import Iterator

Operation = Literal["equal", "replace", "insert", "delete"]


class Edit(NamedTuple):
    """
    One of the edits that turn the reference into the prediction.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.alignment("cat", "cafe").edits[1]
    Edit(op='delete', reference_pos=3, prediction_pos=3, reference_char='e', predicted_char=None)
    """

    op: Operation
    reference_pos: int
    prediction_pos: int
    reference_char: str | None
    predicted_char: str | None


class Segment(NamedTuple):
    """Consecutive characters with the same operation."""

    op: Operation
    reference: str
    prediction: str


def edits_between(prediction: str, reference: str) -> Iterator[Edit]:
    """Yield the edits of a shortest sequence, from the start of the texts to their ends."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only for single pairs

    for edit in Levenshtein.editops(reference, prediction):
        op = cast("Operation", edit.tag)
        expected = None if op == "insert" else reference[edit.src_pos]
        found = None if op == "delete" else prediction[edit.dest_pos]
        yield Edit(op, edit.src_pos, edit.dest_pos, expected, found)
