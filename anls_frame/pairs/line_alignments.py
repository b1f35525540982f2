"""Alignment by line: each line of the reference with the part of the prediction aligned with it."""

from __future__ import annotations

import itertools
import zlib
from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cache
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import anls_frame._native as native
from anls_frame._arguments import count
from anls_frame._text import numbered
from anls_frame.pairs.edits import (
    LEFT_OUT,
    MOVED_AWAY,
    EditRun,
    Move,
    Segment,
    Starts,
    is_expected,
    is_read,
    runs,
    segments,
    starts_of,
)
from anls_frame.pairs.marks import BLOCKS, STYLES, TAGS, blocks, cells, marked_in_line
from anls_frame.pairs.units import SplitText, options
from anls_frame.protocol import PROTOCOLS, ScoreProtocol, Unit

if TYPE_CHECKING:
    import polars as pl


_NARROWEST = 30
_LONG_INSERTION = 20
"""Characters of an insertion that a link leads to."""
_ELSEWHERE = {"moved": "at another place", "repeated": "only once"}
"""Notes in place of a missing text, by the block that the other text has there."""
_LABELS = (" REF: ", " HYP: ")


@cache
def style_sheet() -> str:
    """Return the style sheet of `to_html`; a page with several needs it once."""
    marks = "".join(f".anls-lines {TAGS[op]}{{color:inherit;{style}}}" for op, style in STYLES.items())
    parts = "".join(f".anls-lines .{name}{{{style}}}" for name, style in BLOCKS.items())
    sheet = Path(__file__).with_suffix(".css").read_text("utf-8")
    return sheet.replace("/* Marks of edits and blocks */", f"{marks}\n{parts}")


class AlignedLine(NamedTuple):
    r"""
    A line of the reference with the predicted text aligned with it, or a line of the prediction only.

    `reference_line` and `prediction_line` are line numbers from 1, or None if the line is missing there.
    `edits` is the number of edits. `segments` are the runs of equal and of different characters; they do not
    split grapheme clusters. With `min_words`, the operation of a run can also be `"repeated"` or
    `"fabricated"`, `"moved from line 2 to line 7"`, or in the reference `"moved away from line 2 to line 7"`.

    Examples
    --------
    >>> import anls_frame as af
    >>> next(iter(af.pairs.alignment("one\ntvvo", "one\ntwo").by_line(only_errors=True)))[:5]
    (2, 2, 'two', 'tvvo', 2)
    """

    reference_line: int | None
    prediction_line: int | None
    reference: str
    prediction: str
    edits: int
    segments: tuple[Segment, ...]


@dataclass(frozen=True)
class LineAlignment:
    r"""The lines of an alignment, which print as text and display as a table in a notebook.

    Use `Alignment.by_line` to create this sequence of `AlignedLine`.

    Attributes
    ----------
    lines
        All lines, or only lines with errors.
    n_lines
        Total number of lines.

    Examples
    --------
    >>> import anls_frame as af
    >>> lines = af.pairs.alignment("The\nhous\nis red", "The\nhouse\nis red").by_line()
    >>> print(lines)
    1   =  The
    <BLANKLINE>
    2 REF: house
    2 HYP: hous*
               D
    <BLANKLINE>
    3   =  is red
    >>> lines.to_polars()
    shape: (3, 5)
    ┌────────────────┬─────────────────┬───────────┬────────────┬───────┐
    │ reference_line ┆ prediction_line ┆ reference ┆ prediction ┆ edits │
    │ ---            ┆ ---             ┆ ---       ┆ ---        ┆ ---   │
    │ i64            ┆ i64             ┆ str       ┆ str        ┆ i64   │
    ╞════════════════╪═════════════════╪═══════════╪════════════╪═══════╡
    │ 1              ┆ 1               ┆ The       ┆ The        ┆ 0     │
    │ 2              ┆ 2               ┆ house     ┆ hous       ┆ 1     │
    │ 3              ┆ 3               ┆ is red    ┆ is red     ┆ 0     │
    └────────────────┴─────────────────┴───────────┴────────────┴───────┘
    """

    lines: tuple[AlignedLine, ...]
    n_lines: int
    _unit: Unit = field(default="codepoint", repr=False, compare=False)

    def __iter__(self) -> Iterator[AlignedLine]:
        return iter(self.lines)

    def __len__(self) -> int:
        return len(self.lines)

    def __getitem__(self, index: int) -> AlignedLine:
        return self.lines[index]

    def to_polars(self) -> pl.DataFrame:
        """Return a frame with a row for each line: both line numbers, both texts, and the number of edits."""
        import polars as pl  # noqa: PLC0415 - single pairs do without

        names = AlignedLine._fields[:5]
        dtypes = (pl.Int64, pl.Int64, pl.String, pl.String, pl.Int64)
        schema = dict(zip(names, dtypes, strict=True))
        return pl.DataFrame([line[:5] for line in self.lines], schema=schema, orient="row")

    def to_text(self, width: int = 80) -> str:
        """
        Return the lines as text, at most `width` columns wide; see `Alignment.to_text`.

        Equal lines are shown once, with a `=`; words are not broken.

        Raises
        ------
        ValueError
            If the width leaves no room for text.
        """
        count("width", width, _NARROWEST)
        texts = []
        numbers = [number for line in self.lines for number in line[:2] if number is not None]
        digits = len(str(max(numbers, default=1)))
        for line in self.lines:
            first, second = (f"{'-' if number is None else number:>{digits}}" for number in line[:2])
            if line.edits:
                labels = (first + _LABELS[0], second + _LABELS[1], " " * (digits + len(_LABELS[0])))
                texts.append(blocks(cells(line.segments, self._unit), width, labels))
            else:
                block = blocks(cells(line.segments, self._unit), width, (f"{first}   =  ", "", ""))
                texts.append("\n".join(part.split("\n")[0].rstrip() for part in block.split("\n\n")))
        return "\n\n".join(texts)

    def to_html(self, *, element_id: str | None = None, style: bool = True) -> str:
        r"""Return the lines as an HTML table, with the reference on the left and the prediction on the right.

        Parameters
        ----------
        element_id
            Id of the element, for links from one error to the next, which work without a script. By default,
            the id is derived from the texts.
        style
            Whether to include the style sheet. A page with several elements needs it once.

        Returns
        -------
        str
            One `div` without scripts or external references. The texts are escaped, and each runs in the
            direction of its script. On narrow screens, the prediction is shown below the reference.

        Examples
        --------
        >>> import anls_frame as af
        >>> 'href="#p7-1"' in af.pairs.alignment("a<b\nc", "a>b\nc").by_line().to_html(element_id="p7")
        True
        """
        name = escape(
            f"anls-{zlib.crc32(repr(self.lines).encode(errors='replace')):08x}"
            if element_id is None
            else element_id
        )
        errors = sum(line.edits > 0 for line in self.lines)
        # A moved block is in two lines.
        away = sum(
            len(segment.reference)
            for line in self.lines
            for segment in line.segments
            if segment.op.startswith(MOVED_AWAY)
        )
        edits = sum(line.edits for line in self.lines) - away
        said = f"{numbered(edits, 'edit')} in {errors:,} of {numbered(self.n_lines, 'line')}."
        link = f' <a href="#{name}-1">First error ↓</a>' if errors and len(self.lines) > 1 else ""
        if longest := self._longest_insertion():
            link += f' <a href="#{name}-{longest}">Longest insertion ↓</a>'
        head = (
            '<th class="no">Line</th><th class="text">Reference</th><th class="no">Line</th>'
            '<th class="text">Read</th><th class="go"></th>'
        )
        numbers = itertools.count(1)
        seen: set[str] = set()
        rows = "".join(
            _html_row(line, name, next(numbers) if line.edits else 0, errors, seen) for line in self.lines
        )
        sheet = f"<style>{style_sheet()}</style>" if style else ""
        table = f"<table><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table>" if rows else ""
        return f'<div class="anls-lines" id="{name}">{sheet}<div>{said}{link}</div>{table}</div>'

    def _longest_insertion(self) -> int:
        """Return the number of the line with the longest insertion; 0 if all insertions are short."""
        wrong = (line for line in self.lines if line.edits)
        inserted = [
            max((len(part.prediction) for part in line.segments if not is_expected(part.op)), default=0)
            for line in wrong
        ]
        longest = max(inserted, default=0)
        return inserted.index(longest) + 1 if longest >= _LONG_INSERTION and len(inserted) > 1 else 0

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        errors = sum(line.edits > 0 for line in self.lines)
        return f"<LineAlignment of {numbered(self.n_lines, 'line')}, {errors:,} with errors>"

    def _repr_html_(self) -> str:
        return self.to_html()


def _html_row(line: AlignedLine, name: str, number: int, errors: int, seen: set[str]) -> str:
    sides = []
    kinds = (segment.op.partition(" ")[0] for segment in line.segments)
    elsewhere = next((_ELSEWHERE[kind] for kind in kinds if kind in _ELSEWHERE), None)
    for where, side, nothing in (
        (line.reference_line, 1, "not in the reference"),
        (line.prediction_line, 2, "not read"),
    ):
        text = "".join(marked_in_line(segment.op, segment[side], name, seen) for segment in line.segments)
        shown = text if text or where is not None else f"<i>{elsewhere or nothing}</i>"
        sides.append(
            f'<td class="no">{"" if where is None else where}</td><td class="text" dir="auto">{shown}</td>'
        )
    if not number:
        return f'<tr>{"".join(sides)}<td class="go"></td></tr>'
    to, arrow, title = (number + 1, "↓", "next error") if number < errors else (1, "↑", "first error")
    go = f'<a href="#{name}-{to}" title="{title}" aria-label="{title}">{arrow}</a>' if errors > 1 else ""
    return f'<tr id="{name}-{number}" class="differs">{"".join(sides)}<td class="go">{go}</td></tr>'


def page_edits(
    prediction: str,
    reference: str,
    protocol: ScoreProtocol,
    min_words: int,
    sides: tuple[SplitText, SplitText],
) -> Iterator[EditRun]:
    """Yield the differences of two prepared texts, with each block of at least `min_words` as a whole."""
    compared = replace(PROTOCOLS["raw"].by(protocol.unit), words=protocol.words)
    given = options(compared, min_words=min(min_words, 2**32))
    ends = _Ends.of(sides[0]), _Ends.of(sides[1])
    for mark, at, at_read, length, counterpart in native.page_marks(prediction, reference, given):
        op = mark.replace("_", " ")
        if counterpart is not None:
            # A moved block is named after the lines of its first word.
            is_away = is_expected(op)
            side, first = (sides[0], at) if is_away else (sides[1], at_read)
            while side.units[first].isspace():
                first += 1
            start, end = (first, counterpart) if is_away else (counterpart, first)
            lines = ends[0].line(start), ends[1].line(end)
            op = Move(f"{op} from line {lines[0]} to line {lines[1]}")
            op.lines = lines
        yield EditRun(op, at, at_read, length)


def aligned_lines(edits: Iterable[EditRun], sides: tuple[SplitText, SplitText]) -> Iterator[AlignedLine]:
    """Yield the lines of the reference with their predicted text, and lines found only in the prediction."""
    length = len(sides[0].units)
    ends = _Ends.of(sides[0]), _Ends.of(sides[1])
    starts = starts_of(sides)
    row: list[EditRun] = []
    for run in runs(_to_lines(edits, sides), length):
        # Whole lines that only the prediction has, and all text after the end, are separate lines.
        is_added = not is_expected(run.op)
        is_cut = not is_added or run.reference == length or not any(is_expected(part.op) for part in row)
        for part, is_end in ends[is_added].cut(run) if is_cut else [(run, False)]:
            row.append(part)
            if is_end:
                yield _line(row, sides, ends, starts)
                row = []
    if row:
        yield _line(row, sides, ends, starts)


class _Ends(NamedTuple):
    """The units of a text that end lines, and the numbers of lines: the first, and the one after each end."""

    units: list[int]
    numbers: list[int]

    @classmethod
    def of(cls, side: SplitText) -> _Ends:
        behind = side.units if side.after is None else side.after
        feeds = [(unit, text.count("\n")) for unit, text in enumerate(behind) if "\n" in text]
        first = 1 + (side.before[0].count("\n") if side.before else 0)
        return cls(
            [unit for unit, _ in feeds],
            list(itertools.accumulate((count for _, count in feeds), initial=first)),
        )

    def line(self, unit: int) -> int:
        """Return the number of the line of a unit."""
        return self.numbers[bisect_left(self.units, unit)]

    def cut(self, run: EditRun) -> Iterator[tuple[EditRun, bool]]:
        """Cut a run at the ends of lines, and tell for each part whether it is the end of a line."""
        start, length = run.reference if is_expected(run.op) else run.prediction, run.length
        done = 0
        for unit in self.units[bisect_left(self.units, start) : bisect_left(self.units, start + length)]:
            until = unit - start + 1
            yield run.part(done, until), True
            done = until
        if done < length:
            yield run.part(done, length), False


def _line(
    row: list[EditRun], sides: tuple[SplitText, SplitText], ends: tuple[_Ends, _Ends], starts: Starts
) -> AlignedLine:
    edits = sum(run.length for run in row if run.op != "equal")
    spans = (
        [(run.reference, run.reference + run.length) for run in row if is_expected(run.op)],
        [(run.prediction, run.prediction + run.length) for run in row if is_read(run.op)],
    )
    reference, prediction = (
        _text(side, own[0][0], own[-1][1]) if own else "" for side, own in zip(sides, spans, strict=True)
    )
    line, read = (of.line(own[0][0]) if own else None for of, own in zip(ends, spans, strict=True))
    by_words = sides[0].after is not None
    last = row[-1]
    if not by_words and last.op == "equal" and sides[0].closes(last.reference + last.length - 1):
        # The line feed at the end is shown only if it differs.
        row = [*row[:-1], *([last.part(0, last.length - 1)] if last.length > 1 else [])]
    parts = list(segments(row, sides, starts))
    if by_words:
        parts[:1] = [Segment(op, *(text.lstrip("\n") for text in texts)) for op, *texts in parts[:1]]
        parts[-1:] = [Segment(op, *(text.rstrip("\n") for text in texts)) for op, *texts in parts[-1:]]
    parts = [part for part in parts if part.reference or part.prediction]
    return AlignedLine(line, read, reference, prediction, edits, tuple(parts))


def _text(side: SplitText, start: int, end: int) -> str:
    """Return the text of units, without the line feed at their end."""
    if side.after is not None:
        return "".join(map(side.whole, range(start, end))).strip("\n")
    return "".join(side.units[start : end - side.closes(end - 1)])


def _to_lines(edits: Iterable[EditRun], sides: tuple[SplitText, SplitText]) -> Iterator[tuple[str, int, int]]:
    """Yield edits in runs, with lines found in only one text as whole lines."""
    runs: list[EditRun] = []
    for edit in edits:
        last = runs[-1] if runs else LEFT_OUT
        if edit.part(0, 0) == last.part(last.length, last.length):
            runs[-1] = last._replace(length=last.length + edit.length)
        else:
            runs.append(edit)
    end = 0
    for run, following in itertools.zip_longest(runs, runs[1:]):
        until = following.reference if following else len(sides[0].units)
        room = until - run.reference - run.length * is_expected(run.op)
        is_added = not is_expected(run.op)
        side, start = sides[is_added], run.prediction if is_added else run.reference
        lowest, highest = start - (run.reference - end), start + run.length + room
        shift = 0 if run.op == "replace" else _to_whole_lines(side, start, run.length, lowest, highest)
        yield run.op, run.reference + shift, run.length
        end = run.reference + shift + run.length * is_expected(run.op)


def _to_whole_lines(side: SplitText, start: int, length: int, first: int, last: int) -> int:
    r"""Return how far a run can be shifted so that it covers whole lines with their ends; 0 if impossible.

    In "a\nb\nc", leaving out "\nb" has the same effect as leaving out "b\n".
    """
    if not any(map(side.closes, range(start, start + length))):
        return 0
    for step in (-1, 1):
        moved = 0
        while True:
            begin, end = start + moved, start + moved + length
            if (begin == 0 or side.closes(begin - 1)) and side.closes(end - 1):
                return moved
            here, there = (begin - 1, end - 1) if step < 0 else (begin, end)
            if here < first or there >= last or side.whole(here) != side.whole(there):
                break
            moved += step
    return 0
