"""Figures of a document as data, and how a page lays them out; formats that cannot draw omit them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from markupsafe import Markup

from anls_frame._palette import PALETTE
from anls_frame.pairs.edits import Operation
from anls_frame.pairs.marks import TAGS
from anls_frame.protocol import ScoreProtocol

_BARS_HEIGHT, _CURVES_HEIGHT = 150, 240
_WIDE_ENOUGH = 0.06
_LEAST_SHOWN = 0.005
"""A smaller share would round to 0 %."""
_MOST_TICKS = 6
_MOST_ALIGNMENTS = 50
_LONGEST_ALIGNED = 2_000
_LONGEST_PAGE = 10_000
_MEANINGS: Mapping[Operation, str] = {
    "replace": "replaced",
    "delete": "missing",
    "insert": "not in the reference",
}
"""Meanings of the marks of an alignment."""
_BLOCKS = {
    "moved": "read in another place",
    "repeated": "read more than once",
    "fabricated": "nothing like it in the reference",
}
"""Meanings of the marks of blocks, which occur only on pages."""
_MIN_WORDS = 4
"""Least number of words of a block, the default of `page_errors`."""
_STRONGEST = 0.5
"""Opacity of the best cells: texts are legible on it, light or dark."""


class Axis:
    """A range of numbers with round ticks, mapped to the width of a track."""

    def __init__(
        self,
        values: Iterable[float | None],
        *,
        line: float | None = None,
        zero: bool = False,
        in_percent: bool = False,
    ) -> None:
        known = [value for value in values if value is not None and math.isfinite(value)]
        if zero:
            known.append(0.0)
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        self.line, self.in_percent = line, in_percent
        margin = 0.05 * (high - low) or 0.05
        # No margin beyond a natural bound: an axis of non-negative numbers, or of numbers up to 1, ends
        # there.
        self.low = max(low - margin, 0.0) if low >= 0 else low - margin
        self.high = min(high + margin, 1.0) if high <= 1 else high + margin

    def position(self, value: float) -> float:
        """Return the position of a number in percent."""
        return 100 * (value - self.low) / (self.high - self.low)

    def interval(self, value: float | None, low: float | None, high: float | None) -> Markup:
        """Draw a point with its interval and a reference line, in few bytes, because a page has thousands."""
        parts = ""
        if self.line is not None:
            at = self.position(self.line)
            parts = f'<line class="ref" x1="{at:.1f}%" x2="{at:.1f}%" y1="0" y2="100%"/>'
        if low is not None and high is not None:
            ends = f'x1="{self.position(low):.1f}%" x2="{self.position(high):.1f}%"'
            parts += f'<line class="iv" {ends} y1="50%" y2="50%"/>'
        if value is not None:
            parts += f'<circle class="pt" cx="{self.position(value):.1f}%" cy="50%" r="4"/>'
        return Markup(f'<svg class="track" aria-hidden="true">{parts}</svg>')  # noqa: S704 - numbers only

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Positions of round numbers, and the numbers."""
        raw = (self.high - self.low) / _MOST_TICKS
        size = 10.0 ** math.floor(math.log10(raw))
        step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
        ticks = (
            index * step for index in range(math.ceil(self.low / step), math.floor(self.high / step) + 1)
        )
        return [(f"{self.position(tick):.2f}%", self._written(tick)) for tick in ticks]

    @property
    def ends(self) -> tuple[str, str]:
        """Both ends of the range, as shown above a column, with enough decimals to tell them apart."""
        factor, least, unit = (100, 0, " %") if self.in_percent else (1, 2, "")
        # More than six would tell numbers apart that differ only by rounding.
        decimals = min(max(least, -math.floor(math.log10(factor * (self.high - self.low)))), 6)
        return f"{factor * self.low:z.{decimals}f}{unit}", f"{factor * self.high:z.{decimals}f}{unit}"

    def _written(self, tick: float) -> str:
        return f"{round(100 * tick, 7):g} %" if self.in_percent else f"{round(tick, 9) + 0.0:g}"


def bar(value: float | None, longest: float) -> Markup:
    """Draw a non-negative number as a bar."""
    drawn = ""
    if value is not None and longest > 0:
        drawn = f'<rect class="len" width="{100 * value / longest:.1f}%" height="12" y="4"/>'
    return Markup(f'<svg class="track" aria-hidden="true">{drawn}</svg>')  # noqa: S704 - numbers only


@dataclass(frozen=True)
class HistogramChart:
    """
    Numbers of rows in bins of equal width over [0, 1], with the shares of all rows.

    Attributes
    ----------
    name
        Heading of the figure.
    bars
        Number of rows in each bin.
    cut
        The value below which bars are cut.
    parts
        Label, number and colour of four parts of the rows: at 0, below the cut, kept by the cut, and at 1.
        The bars show the two middle parts.
    axis
        Label of the axis.
    """

    name: str
    bars: Sequence[int]
    cut: float
    parts: Sequence[tuple[str, int, str]]
    axis: str
    table: ClassVar[str] = ""
    """It shows all rows, which are in no table."""

    def content(self) -> dict[str, object]:
        """Return the values for the template."""
        most = max(*self.bars, 1)
        width = 100 / len(self.bars)
        bars = []
        for index, count in enumerate(self.bars):
            height = (_BARS_HEIGHT - 14) * count / most
            low, high = index / len(self.bars), (index + 1) / len(self.bars)
            bars.append(
                {
                    "color": self.parts[1 if (index + 0.5) / len(self.bars) < self.cut else 2][2],
                    "left": f"{index * width + width * 0.04:.3f}%",
                    "top": f"{_BARS_HEIGHT - height:.1f}",
                    "width": f"{width * 0.92:.3f}%",
                    "height": f"{height:.1f}",
                    "title": f"{low:.3f} to {high:.3f}: {count:,}",
                }
            )
        total = sum(count for _, count, _ in self.parts)
        return {
            "bars": bars,
            "cut": f"{100 * self.cut:.2f}%",
            "height": _BARS_HEIGHT,
            "key": [_key_entry(name, count, total, color) for name, count, color in self.parts],
            "scale": f"{most:,} rows" if any(self.bars) else "",
            "strip": list(_strip((name, count / max(total, 1), color) for name, count, color in self.parts)),
        }


@dataclass(frozen=True)
class Curves:
    """
    Lines of shares over shares, such as the risk of accepted answers over their share.

    Attributes
    ----------
    name
        Heading of the figure.
    lines
        The points of each line, from left to right.
    caption
        The caption below the axis.
    target
        The height of a reference line.
    marks
        Points to mark, such as those whose height is certified to be below the target.
    """

    name: str
    lines: Mapping[str, Sequence[tuple[float, float]]]
    caption: str
    target: float | None = None
    marks: Sequence[tuple[float, float]] = ()
    table: ClassVar[str] = ""
    """It shows all rows, which are in no table."""

    def content(self) -> dict[str, object]:
        """Return the values for the template; places are in per cent, from the top left."""
        heights = [y for _, y in itertools.chain.from_iterable(self.lines.values())]
        axis = Axis([*heights, self.target], zero=True, in_percent=True)
        colors = dict(zip(self.lines, itertools.cycle(("var(--accent)", *PALETTE[1:])), strict=False))

        def place(point: tuple[float, float]) -> tuple[str, str]:
            return f"{100 * point[0]:.2f}", f"{100 - axis.position(point[1]):.2f}"

        key = [(name, f"background:{color}") for name, color in colors.items()]
        if self.target is not None:
            key.append((f"target: {100 * self.target:g} %", "height:4px;width:18px;border-top:2px dashed"))
        if self.marks:
            key.append(("certified threshold", "background:var(--ink);border-radius:50%"))
        return {
            "height": _CURVES_HEIGHT,
            "key": key,
            "lines": [
                (colors[name], " ".join(map(",".join, map(place, points))))
                for name, points in self.lines.items()
            ],
            "marks": [(*place(mark), f"{100 * mark[0]:.1f} %, {100 * mark[1]:.1f} %") for mark in self.marks],
            "target": None if self.target is None else place((0, self.target))[1],
            "ticks": [(f"{100 - float(at[:-1]):.2f}%", text) for at, text in axis.ticks],
        }


@dataclass(frozen=True)
class Stacked:
    """
    Shares of categories in groups, relative to their sum or to another whole.

    Attributes
    ----------
    name
        Heading of the figure.
    colors
        Colour of each category, in the order in which they are stacked.
    rows
        Label of each group (all rows first), with the number of rows of each category or its share of the
        whole.
    table
        Name of the table that holds the counts of all rows. The figure shows these counts, so a page can omit
        the table.
    whole
        The whole that shares refer to, if they are not counts of rows. Bars are then as long as their sums,
        which may exceed 1.
    """

    name: str
    colors: Mapping[str, str]
    rows: Sequence[tuple[str, Mapping[str, float]]]
    table: str
    whole: str = ""

    def content(self) -> dict[str, object]:
        """Return the values for the template: of another whole, the longest bar has full width."""
        sums = [sum(counts.values()) for _, counts in self.rows]
        longest = (max(sums, default=0.0) or 1.0) if self.whole else 1.0
        digits = ".1f" if self.whole else ".0f"
        rows = []
        for (label, counts), total in zip(self.rows, sums, strict=True):
            whole, note = (1.0, f"{100 * total:.1f} %") if self.whole else (max(total, 1), f"n = {total:,}")
            shares = ((kind, counts.get(kind, 0) / whole, color) for kind, color in self.shown.items())
            rows.append((label, list(_strip(shares, numbers=digits, longest=longest)), note))
        first, of_all = (self.rows[0][1], sums[0]) if self.rows else ({}, 0)
        key = [
            (f"{kind} {100 * first.get(kind, 0.0):.1f}", f"background:{color}")
            if self.whole
            else _key_entry(kind, int(first.get(kind, 0)), int(of_all), color)
            for kind, color in self.shown.items()
        ]
        caption = f"Per cent of {self.whole or 'the rows; the legend counts all rows'}"
        return {"caption": caption, "key": key, "rows": rows}

    @property
    def shown(self) -> dict[str, str]:
        """The categories that occur, or all those of another whole."""
        counts = [numbers for _, numbers in self.rows]
        shown = [kind for kind in self.colors if self.whole or any(one.get(kind) for one in counts)]
        return {kind: self.colors[kind] for kind in shown}


@dataclass(frozen=True)
class HeatMap:
    """
    Scores of systems in slices.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table with the scores. A complete figure replaces the table; any other figure is above it.
    heading
        Heading of the slices.
    systems
        Names of the systems, best first.
    rows
        Label of each slice (all rows first), its number of rows as text, and the score of each system, as a
        number, as text, and its interval as text, with whether it is the best of the line.
    metric
        Name of the score of a row.
    higher_is_better
        Whether higher scores are better.
    hidden
        Numbers of omitted slices and systems.
    counted
        Heading of the column with numbers of rows.
    has_intervals
        Whether cells show intervals.
    """

    name: str
    table: str
    heading: str
    systems: Sequence[str]
    rows: Sequence[tuple[str, str, Sequence[tuple[float | None, str, str, bool]]]]
    metric: str
    higher_is_better: bool
    hidden: tuple[int, int]
    counted: str
    has_intervals: bool
    more: ClassVar[Sequence[str]] = ()

    @property
    def is_whole(self) -> bool:
        """Whether the figure shows its whole table."""
        return not any(self.hidden)

    def content(self) -> dict[str, object]:
        """Return the values for the template."""
        every = itertools.chain.from_iterable(cells for _, _, cells in self.rows)
        known = [score for score, *_ in every if score is not None and math.isfinite(score)] or [0.0]
        best, worst = (max(known), min(known)) if self.higher_is_better else (min(known), max(known))

        def cell(score: float | None, text: str, interval: str, is_best: bool) -> dict[str, object]:  # noqa: FBT001 - private
            has_color = score is not None and math.isfinite(score) and best != worst
            share = (score - worst) / (best - worst) if score is not None and has_color else 0.0
            return {
                "text": text,
                "interval": interval if self.has_intervals else "",
                "number": "" if score is None else f"{score:.9g}",
                "strength": f"{_STRONGEST * share:z.3f}",
                "is_best": is_best,
            }

        left_out = [
            f"{hidden:,} more {what}"
            for hidden, what in zip(self.hidden, ("slices", "systems"), strict=True)
            if hidden
        ]
        more = f"; {' and '.join(left_out)} in the table below" if left_out else ""
        return {
            "caption": f"A stronger colour is better{more}",
            "rows": [
                (label, count, [cell(*content) for content in cells]) for label, count, cells in self.rows
            ],
        }


Matrix: TypeAlias = (
    "tuple[tuple[str, str], Sequence[str], Sequence[str], Mapping[tuple[str, str], tuple[int, int]]]"
)


@dataclass(frozen=True)
class Crossed:
    """
    Numbers of rows or errors by two categories: the first became the second.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table whose first rows hold these numbers. A complete figure replaces the table; any other
        figure is above it.
    more
        Names of the tables below that table.
    matrices
        Headings of rows and columns, the categories of both, and the numbers, each with its row in the table.
    caption
        The caption below the figure.
    is_whole
        Whether the figure shows the whole table.
    """

    name: str
    table: str
    matrices: Sequence[Matrix]
    caption: str
    is_whole: bool = False
    more: Sequence[str] = ()

    def content(self) -> dict[str, object]:
        """Return the values for the template: cells are stronger, the more rows changed their category."""
        every = itertools.chain.from_iterable(cells.items() for *_, cells in self.matrices)
        most = max((number for (old, new), (number, _) in every if old != new), default=1)

        def cell(old: str, new: str, pair: tuple[int | None, int | None]) -> dict[str, object]:
            number, line = pair
            # By square roots, so that few rows stay visible next to many.
            strength = 0.0 if old == new else _STRONGEST * math.sqrt((number or 0) / most)
            text, shade = ("", "0") if number is None else (f"{number:,}", f"{strength:.3f}")
            return {"text": text, "line": line, "strength": shade, "is_same": old == new}

        empty = None, None
        matrices = [
            (
                headings,
                above,
                [(old, [cell(old, new, cells.get((old, new), empty)) for new in above]) for old in side],
            )
            for headings, side, above, cells in self.matrices
        ]
        return {"matrices": matrices}

    @property
    def n_lines(self) -> int:
        """Number of the first rows of the table that hold the numbers."""
        numbers = itertools.chain.from_iterable(cells.values() for *_, cells in self.matrices)
        return max((line + 1 for _, line in numbers), default=0)


@dataclass(frozen=True)
class Alignments:
    """
    Predictions aligned with their references, with the differences marked.

    Attributes
    ----------
    name
        Heading of the figure.
    rows
        Heading of each pair, the prediction, and the reference.
    protocol
        The protocol whose unit is aligned.
    table
        Name of the table with these rows.
    """

    name: str
    rows: Sequence[tuple[str, str, str]]
    protocol: ScoreProtocol
    table: str

    def content(self) -> dict[str, object]:
        """Return the values for the template."""
        from anls_frame.pairs.alignments import alignment  # noqa: PLC0415 - only for aligned rows

        rows = []
        for number, (caption, *texts) in enumerate(self.rows[:_MOST_ALIGNMENTS], 1):
            # A page is shown line by line, so that places can be found in it.
            is_page = "\n" in texts[1].strip()
            longest = _LONGEST_PAGE if is_page else _LONGEST_ALIGNED
            prediction, reference = (text[:longest] for text in texts)
            cut = max(map(len, texts)) > longest
            more = f" (the first {longest:,} characters)" if cut else ""
            pair = alignment(prediction, reference, protocol=self.protocol)
            lines = pair.by_line(only_errors=is_page, min_words=_MIN_WORDS if is_page else None)
            shown = Markup(lines.to_html(element_id=f"a{number}", style=False))  # noqa: S704 - it is escaped
            rows.append((caption + more, shown, f"pair{number}"))
        legend = [(TAGS[op], meaning) for op, meaning in _MEANINGS.items()]
        blocks = _BLOCKS if any("\n" in reference.strip() for *_, reference in self.rows) else {}
        return {"legend": legend, "blocks": blocks, "rows": rows, "rest": len(self.rows) - len(rows)}


@dataclass(frozen=True)
class Shares:
    """
    The parts of a whole as one bar, above the table of these parts.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table with the parts.
    parts
        Label, share and colour of each part.
    caption
        The caption below the bar.
    """

    name: str
    table: str
    parts: Sequence[tuple[str, float, str]]
    caption: str
    is_whole: ClassVar[bool] = False
    more: ClassVar[Sequence[str]] = ()

    def content(self) -> dict[str, object]:
        """Return the values for the template."""
        key = [
            (f"{name}: {f'{100 * share:.0f}' if share >= _LEAST_SHOWN else '<1'} %", f"background:{color}")
            for name, share, color in self.parts
        ]
        return {"caption": self.caption, "key": key, "strip": list(_strip(self.parts, numbers=".0f"))}


@dataclass(frozen=True)
class Sentences:
    """
    Sentences, each with the code that goes with it, in place of a table or above it.

    Attributes
    ----------
    name
        Heading of the figure.
    table
        Name of the table that says the same.
    lines
        The sentences, each with a line of code, or with none.
    is_whole
        Whether they replace the table.
    is_numbered
        Whether they are in order.
    """

    name: str
    table: str
    lines: Sequence[tuple[str, str]]
    is_whole: bool = True
    is_numbered: bool = False
    more: ClassVar[Sequence[str]] = ()

    def content(self) -> dict[str, object]:
        """Return the values for the template."""
        return {"lines": self.lines, "is_numbered": self.is_numbered}


OfTable: TypeAlias = HeatMap | Crossed | Shares | Sentences
"""A figure above its table, or in place of it."""

Figure: TypeAlias = HistogramChart | Curves | Stacked | Alignments | OfTable
"""Any figure of a document."""


def _key_entry(name: str, count: int, total: int, color: str) -> tuple[str, str]:
    percent = f"{100 * count / total:.1f} %" if total else "none"
    return f"{name.replace('_', ' ')}: {count:,} ({percent})", f"background:{color}"


def _strip(
    shares: Iterable[tuple[str, float, str]], *, numbers: str = "", longest: float = 1.0
) -> Iterator[Mapping[str, str]]:
    left = 0.0
    for name, share, color in shares:
        width = share / longest
        if share:
            yield {
                "name": name,
                "title": f"{name}: {100 * share:.1f} %",
                "left": f"{100 * left:.3f}%",
                "middle": f"{100 * (left + width / 2):.3f}%",
                "width": f"{100 * width:.3f}%",
                "color": color,
                "ink": _ink(color),
                "number": f"{100 * share:{numbers}}" if numbers and width >= _WIDE_ENOUGH else "",
            }
        left += width


def _ink(color: str) -> str:
    """Return black or white, whichever is more legible on a colour."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 127 else "#fff"  # noqa: PLR2004
