"""The edits between two texts, and runs of units with the same operation."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias, cast

from anls_frame.pairs.units import SplitText, clusters

Operation = Literal["equal", "replace", "insert", "delete"]
MOVED_AWAY = "moved away"
"""Beginning of the operation of a moved block at its place in the reference."""
Starts: TypeAlias = tuple[set[int], set[int]] | None


class Move(str):
    """The operation of a moved block, such as "moved from line 2 to line 7"."""

    __slots__ = ("lines",)
    lines: tuple[int, int]
    """The line that the block comes from, and the one that it goes to."""


class Edit(NamedTuple):
    """
    An edit in a sequence that turns the reference into the prediction.

    Examples
    --------
    >>> import anls_frame as af
    >>> af.pairs.alignment("cat", "cafe").edits[1]
    Edit(op='delete', reference_pos=3, prediction_pos=3, reference_char='e', predicted_char=None)
    """

    op: Operation
    reference_pos: int
    prediction_pos: int
    reference_char: str | None
    predicted_char: str | None


class Segment(NamedTuple):
    """Consecutive characters with the same operation, or a word, or the text between two words."""

    op: str
    reference: str
    prediction: str


class EditRun(NamedTuple):
    """Consecutive units with the same operation, with the positions where they begin in both texts."""

    op: str
    reference: int
    prediction: int
    length: int

    def part(self, start: int, end: int) -> EditRun:
        """Return the units from `start` to before `end`."""
        reference, prediction = start * is_expected(self.op), start * is_read(self.op)
        return EditRun(self.op, self.reference + reference, self.prediction + prediction, end - start)


LEFT_OUT = EditRun("equal", -1, -1, 0)
"""Represents equal units that are not shown."""


def edits_between(prediction: Sequence[str], reference: Sequence[str]) -> Iterator[Edit]:
    """Yield the edits of a shortest sequence, from the start of the texts to their ends."""
    from rapidfuzz.distance import Levenshtein  # noqa: PLC0415 - only for single pairs

    compared: Sequence[Sequence[object]] = (reference, prediction)
    if not (isinstance(reference, str) and isinstance(prediction, str)):
        compared = as_numbers(reference, prediction)
    for edit in Levenshtein.editops(*compared):
        op = cast("Operation", edit.tag)
        expected = None if op == "insert" else reference[edit.src_pos]
        predicted = None if op == "delete" else prediction[edit.dest_pos]
        yield Edit(op, edit.src_pos, edit.dest_pos, expected, predicted)


def as_numbers(*sides: Sequence[str]) -> list[list[int]]:
    """Return units as numbers, because different units may have equal hashes."""
    numbers: dict[str, int] = {}
    return [[numbers.setdefault(unit, len(numbers)) for unit in side] for side in sides]


def is_read(op: str) -> bool:
    """Whether the prediction has the units of an operation."""
    return op != "delete" and not op.startswith(MOVED_AWAY)


def is_expected(op: str) -> bool:
    """Whether the reference has the units of an operation."""
    return op in {"equal", "replace", "delete"} or op.startswith(MOVED_AWAY)


def runs(edits: Iterable[tuple[str, int, int]], length: int) -> Iterator[EditRun]:
    """Yield runs of all units in order."""
    reference = prediction = 0
    for op, at, count in (*edits, ("equal", length, 0)):
        if at > reference:
            yield EditRun("equal", reference, prediction, at - reference)
            reference, prediction = at, prediction + at - reference
        if count:
            yield EditRun(op, reference, prediction, count)
        reference += count * is_expected(op)
        prediction += count * is_read(op)


def single(runs: Iterable[EditRun]) -> Iterator[EditRun]:
    """Yield each unit by itself."""
    for run in runs:
        if run.length <= 1:
            yield run
        else:
            yield from (run.part(step, step + 1) for step in range(run.length))


def shortened(runs: Sequence[EditRun], context: int, starts: Starts) -> Iterator[EditRun]:
    """Yield runs, with LEFT_OUT in place of the middle of long equal runs; clusters stay whole."""
    for index, run in enumerate(runs):
        reference, count = run.reference, run.length
        before, after = context * (index > 0), context * (index < len(runs) - 1)
        while starts is not None and 0 < before < count and reference + before not in starts[0]:
            before += 1
        while starts is not None and 0 < after < count and reference + count - after not in starts[0]:
            after += 1
        if run.op != "equal" or count <= before + after + 1:
            yield run
            continue
        if before:
            yield run.part(0, before)
        yield LEFT_OUT
        if after:
            yield run.part(count - after, count)


def segments(
    runs: Iterable[EditRun], sides: tuple[SplitText, SplitText], starts: Starts = None
) -> Iterator[Segment]:
    """
    Return the texts of runs by operation; words form separate segments, and the text between words is equal.

    Parameters
    ----------
    runs
        The runs.
    sides
        The reference and the prediction.
    starts
        Positions where clusters of code points begin in both texts, to mark clusters as a whole.
    """
    by_words = sides[0].after is not None
    parts = _words(runs, sides) if by_words else _characters(runs, sides, starts)
    for kind, group in itertools.groupby(parts, _kind_of_word if by_words else attrgetter("op")):
        run = list(group)
        joined = Segment(run[0].op, *("".join(part[side] for part in run) for side in (1, 2)))
        yield from run if kind is None else [joined]


def starts_of(sides: tuple[SplitText, SplitText]) -> Starts:
    """Return where clusters of code points begin in both texts, and the ends; None for whole units."""
    texts = sides[0].units, sides[1].units
    if not (isinstance(texts[0], str) and isinstance(texts[1], str)):
        return None
    if texts[0].isascii() and texts[1].isascii() and "\r" not in texts[0] + texts[1]:
        return None
    return _starts(texts[0]), _starts(texts[1])


def _starts(text: str) -> set[int]:
    return set(itertools.accumulate(map(len, clusters(text)), initial=0))


def _characters(
    runs: Iterable[EditRun], sides: tuple[SplitText, SplitText], starts: Starts
) -> Iterator[Segment]:
    """Yield a segment for each run, or for consecutive runs that share a cluster."""
    groups = ([run] for run in runs) if starts is None else _whole(runs, starts)
    for group in groups:
        if LEFT_OUT in group:
            yield Segment("equal", "…", "…")
            continue
        ops = {run.op for run in group}
        reference = _text(sides[0], ((run.reference, run.length) for run in group if is_expected(run.op)))
        prediction = _text(sides[1], ((run.prediction, run.length) for run in group if is_read(run.op)))
        yield Segment(ops.pop() if len(ops) == 1 else "replace", reference, prediction)


def _text(side: SplitText, spans: Iterable[tuple[int, int]]) -> str:
    """Return the text of units, from the beginnings of spans and their lengths."""
    return "".join("".join(side.units[start : start + length]) for start, length in spans)


def _whole(runs: Iterable[EditRun], starts: tuple[set[int], set[int]]) -> Iterator[list[EditRun]]:
    """Group runs, and single units where necessary, between the starts of clusters in both texts."""
    group: list[EditRun] = []
    for part in runs:
        for run in [part] if part.op == "equal" and _is_whole(part, starts) else single([part]):
            if group and (
                LEFT_OUT in (run, group[-1]) or (run.reference in starts[0] and run.prediction in starts[1])
            ):
                yield group
                group = []
            group.append(run)
    if group:
        yield group


def _is_whole(run: EditRun, starts: tuple[set[int], set[int]]) -> bool:
    return all(
        start + end in own for start, own in zip(run[1:3], starts, strict=True) for end in (0, run.length)
    )


def _words(runs: Iterable[EditRun], sides: tuple[SplitText, SplitText]) -> Iterator[Segment]:
    """Yield a segment for each word, and for the text before and after it."""
    for run in single(runs):
        if run == LEFT_OUT:
            yield Segment("equal", "… ", "… ")
            continue
        nothing = "", "", ""
        reference = sides[0].parts(run.reference) if is_expected(run.op) else nothing
        prediction = sides[1].parts(run.prediction) if is_read(run.op) else nothing
        ops = "equal", run.op, "equal"
        parts = map(Segment, ops, reference, prediction)
        yield from (part for part in parts if part.reference or part.prediction)


def _kind_of_word(segment: Segment) -> str | None:
    """Return the kind of a segment; equal words and the equal text between them are joined."""
    return "equal" if segment.op == "equal" and segment.reference == segment.prediction else None
