"""Positions and texts of the parts of figures; the templates in `page/` contain the elements."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from anls_frame.export.charts import (
    Alignments,
    Crossed,
    Dumbbell,
    HeatMap,
    HistogramChart,
    RankChart,
    Stacked,
)
from anls_frame.export.display import thin
from anls_frame.pairs.alignments import alignment
from anls_frame.pairs.marks import TAGS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from anls_frame.export.charts import Figure
    from anls_frame.pairs.edits import Operation

_BARS_HEIGHT = 150
_WIDE_ENOUGH = 0.06
_MOST_TICKS = 6
_MOST_ALIGNMENTS = 50
_LONGEST_ALIGNED = 2_000
_LONGEST_PAGE = 10_000
_CONTEXT = 60
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
_MOST_RANKS = 12
"""Ranks that have a number below the axis."""
_STRONGEST = 0.5
"""Opacity of the best cells: texts are legible on it, light or dark."""


class Axis:
    """A range of numbers with round ticks, mapped to the width of a track."""

    def __init__(
        self, values: Iterable[float | None], *, zero: bool = False, in_percent: bool = False
    ) -> None:
        known = [value for value in values if value is not None and math.isfinite(value)]
        if zero:
            known.append(0.0)
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        self.in_percent = in_percent
        margin = 0.05 * (high - low) or 0.05
        # No margin beyond a natural bound: an axis of non-negative numbers, or of numbers up to 1, ends
        # there.
        self.low = max(low - margin, 0.0) if low >= 0 else low - margin
        self.high = min(high + margin, 1.0) if high <= 1 else high + margin

    def position(self, value: float) -> float:
        """Return the position of a number in percent."""
        return 100 * (value - self.low) / (self.high - self.low)

    def interval(
        self, value: float | None, low: float | None, high: float | None, line: float | None
    ) -> Markup:
        """Draw a point with its interval and a reference line, in few bytes, because a page has thousands."""
        parts = ""
        if line is not None:
            at = self.position(line)
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
        """Both ends of the range, as shown above a column."""
        if self.in_percent:
            return f"{100 * self.low:.0f} %", f"{100 * self.high:.0f} %"
        return f"{self.low:z.2f}", f"{self.high:z.2f}"

    def _written(self, tick: float) -> str:
        return f"{round(100 * tick, 7):g} %" if self.in_percent else f"{round(tick, 9) + 0.0:g}"


def bar(value: float | None, longest: float) -> Markup:
    """Draw a non-negative number as a bar."""
    if value is None or not math.isfinite(value) or value < 0 or longest <= 0:
        return Markup('<svg class="track" aria-hidden="true"></svg>')
    width = f"{100 * min(value / longest, 1):.1f}%"
    drawn = f'<rect class="len" width="{width}" height="12" y="4"/>'
    return Markup(f'<svg class="track" aria-hidden="true">{drawn}</svg>')  # noqa: S704 - numbers only


def content(figure: Figure) -> Mapping[str, object]:
    """Return the values for the template of a figure."""
    if isinstance(figure, HistogramChart):
        return _histogram(figure)
    if isinstance(figure, Stacked):
        return _stacked(figure)
    if isinstance(figure, RankChart):
        return _ranks(figure)
    if isinstance(figure, HeatMap):
        return _heat_map(figure)
    if isinstance(figure, Crossed):
        return _crossed(figure)
    return _dumbbell(figure) if isinstance(figure, Dumbbell) else _alignments(figure)


def _histogram(figure: HistogramChart) -> Mapping[str, object]:
    most = max(*figure.bars, 1)
    width = 100 / len(figure.bars)
    bars = []
    for index, count in enumerate(figure.bars):
        height = (_BARS_HEIGHT - 14) * count / most
        low, high = index / len(figure.bars), (index + 1) / len(figure.bars)
        bars.append(
            {
                "color": figure.parts[1 if (index + 0.5) / len(figure.bars) < figure.cut else 2][2],
                "left": f"{index * width + width * 0.04:.3f}%",
                "top": f"{_BARS_HEIGHT - height:.1f}",
                "width": f"{width * 0.92:.3f}%",
                "height": f"{height:.1f}",
                "title": f"{low:.3f} to {high:.3f}: {thin(f'{count:,}')}",
            }
        )
    total = sum(count for _, count, _ in figure.parts)
    return {
        "axis": figure.axis,
        "bars": bars,
        "cut": f"{100 * figure.cut:.2f}%",
        "height": _BARS_HEIGHT,
        "key": [_key_entry(name, count, total, color) for name, count, color in figure.parts],
        "scale": thin(f"{most:,} rows") if any(figure.bars) else "",
        "strip": list(_strip((name, count / max(total, 1), color) for name, count, color in figure.parts)),
    }


def _stacked(figure: Stacked) -> Mapping[str, object]:
    if figure.whole:
        return _parts(figure)
    kinds = [kind for kind in figure.colors if any(counts.get(kind) for _, counts in figure.rows)]
    rows = []
    for label, counts in figure.rows:
        total = sum(counts.values())
        shares = ((kind, counts.get(kind, 0) / max(total, 1), figure.colors[kind]) for kind in kinds)
        rows.append((label, list(_strip(shares, numbers=True)), thin(f"n = {total:,}")))
    counts = figure.rows[0][1] if figure.rows else {}
    total = int(sum(counts.values()))
    return {
        "caption": "Per cent of the rows; the legend counts all rows",
        "key": [_key_entry(kind, int(counts.get(kind, 0)), total, figure.colors[kind]) for kind in kinds],
        "rows": rows,
    }


def _parts(figure: Stacked) -> Mapping[str, object]:
    """Lay out shares of another whole, with the longest bar at full width."""
    longest = max((sum(shares.values()) for _, shares in figure.rows), default=0.0) or 1.0
    rows = []
    for label, shares in figure.rows:
        parts = ((kind, shares.get(kind, 0.0), color) for kind, color in figure.colors.items())
        sums = f"{100 * sum(shares.values()):.1f} %"
        rows.append((label, list(_strip(parts, numbers=True, longest=longest)), sums))
    first = figure.rows[0][1] if figure.rows else {}
    return {
        "caption": f"Per cent of {figure.whole}",
        "key": [
            (f"{kind} {100 * first.get(kind, 0.0):.1f}", f"background:{color}")
            for kind, color in figure.colors.items()
        ],
        "rows": rows,
    }


def _key_entry(name: str, count: int, total: int, color: str) -> tuple[str, str]:
    percent = f"{100 * count / total:.1f} %" if total else "none"
    return f"{name.replace('_', ' ')}: {thin(f'{count:,}')} ({percent})", f"background:{color}"


def _dumbbell(figure: Dumbbell) -> Mapping[str, object]:
    axis = Axis(value for _, first, second, _ in figure.rows for value in (first, second))
    names, (first, second) = list(figure.systems), figure.systems.values()
    # Distinguished by form, too: a hollow and a filled point.
    points = (first, "var(--page)"), (second, second)
    rows = [
        (
            label,
            [
                {"position": f"{axis.position(value):.2f}%", "color": color, "fill": fill}
                for value, (color, fill) in zip(values, points, strict=True)
                if value is not None
            ],
            note,
        )
        for label, *values, note in figure.rows
    ]
    marks = f"border:3px solid {first};background:none", f"background:{second}"
    return {"axis": axis, "key": zip(names, marks, strict=True), "rows": rows}


def _ranks(figure: RankChart) -> Mapping[str, object]:
    """Lay out a bar from the best to the worst rank of each system, with ranks of equal width."""
    step = 100 / max(figure.n_systems, 1)
    rows = []
    for name, is_best, (rank, low, high), note in figure.rows:
        bar = None
        if rank is not None and low is not None and high is not None:
            bar = {
                "left": f"{(low - 1) * step:.2f}%",
                "width": f"{(high - low + 1) * step:.2f}%",
                "position": f"{(rank - 0.5) * step:.2f}%",
                "is_best": is_best,
                "title": f"{low}" if low == high else f"{low} to {high}",
            }
        # In narrow cells, lines break before the interval, not within it.
        rows.append((name, bar, note.replace(", ", ",\xa0")))
    every = -(-figure.n_systems // _MOST_RANKS)
    ticks = [
        (f"{(rank - 0.5) * step:.2f}%", f"{rank}")
        for rank in (1, *range(max(every, 2), figure.n_systems + 1, every))
    ]
    hidden = figure.n_systems - len(rows)
    more = thin(f"; the first {len(rows)} of {figure.n_systems:,} systems") if hidden else ""
    caption = f"Range of ranks that the data allow; coloured: possibly the best{more}"
    return {"axis": {"ticks": ticks}, "caption": caption, "rows": rows}


def _heat_map(figure: HeatMap) -> Mapping[str, object]:
    scores = [score for _, _, cells in figure.rows for score, _, _ in cells]
    known = [score for score in scores if score is not None and math.isfinite(score)]
    low, high = (min(known), max(known)) if known else (0.0, 0.0)
    best, worst = (high, low) if figure.higher_is_better else (low, high)

    def cell(score: float | None, text: str, is_best: bool) -> Mapping[str, object]:  # noqa: FBT001 - private
        has_color = score is not None and math.isfinite(score) and best != worst
        strength = _STRONGEST * (score - worst) / (best - worst) if score is not None and has_color else 0.0
        number = "" if score is None else f"{score:.9g}"
        return {"text": text, "number": number, "strength": f"{strength:z.3f}", "is_best": is_best}

    rows = [
        (label, thin(count), [cell(*content) for content in cells]) for label, count, cells in figure.rows
    ]
    slices, systems = figure.hidden
    left_out = [thin(f"{slices:,} more slices")] if slices else []
    left_out += [thin(f"{systems:,} more systems")] if systems else []
    more = f"; {' and '.join(left_out)} in the table below" if left_out else ""
    return {
        "caption": f"A stronger colour is better; the best of each line is bold{more}",
        "counted": figure.counted,
        "heading": figure.heading,
        "rows": rows,
        "systems": figure.systems,
    }


def _crossed(figure: Crossed) -> Mapping[str, object]:
    """Lay out matrices whose cells are stronger, the more rows changed from one category to another."""
    numbers = (cells for *_, cells in figure.matrices)
    most = max((n for cells in numbers for (old, new), (n, _) in cells.items() if old != new), default=1)

    def cell(old: str, new: str, pair: tuple[int, int] | None) -> Mapping[str, object]:
        if pair is None:
            return {"text": "", "line": None, "strength": "0", "is_same": old == new}
        number, line = pair
        # By square roots, so that few rows are visible beside many.
        strength = 0.0 if old == new else _STRONGEST * math.sqrt(number / most)
        return {
            "text": thin(f"{number:,}"),
            "line": line,
            "strength": f"{strength:.3f}",
            "is_same": old == new,
        }

    matrices = [
        (headings, above, [(old, [cell(old, new, cells.get((old, new))) for new in above]) for old in side])
        for headings, side, above, cells in figure.matrices
    ]
    return {"caption": figure.caption, "matrices": matrices}


def _alignments(figure: Alignments) -> Mapping[str, object]:
    rows = []
    for number, (caption, *texts) in enumerate(figure.rows[:_MOST_ALIGNMENTS], 1):
        # A page is shown line by line, so that places can be found in it.
        is_page = "\n" in texts[1].strip()
        longest = _LONGEST_PAGE if is_page else _LONGEST_ALIGNED
        prediction, reference = (text[:longest] for text in texts)
        cut = max(map(len, texts)) > longest
        more = thin(f" (the first {longest:,} characters)") if cut else ""
        pair = alignment(prediction, reference, protocol=figure.protocol)
        shown = (
            pair.by_line(only_errors=True, min_words=_MIN_WORDS).to_html(element_id=f"a{number}", style=False)
            if is_page
            else pair.to_html(context=_CONTEXT)
        )
        rows.append((caption + more, Markup(shown), f"pair{number}"))  # noqa: S704 - its texts are escaped
    legend = [(TAGS[op], meaning) for op, meaning in _MEANINGS.items()]
    blocks = _BLOCKS if any("\n" in reference.strip() for *_, reference in figure.rows) else {}
    return {"legend": legend, "blocks": blocks, "rows": rows, "rest": len(figure.rows) - len(rows)}


def _strip(
    shares: Iterable[tuple[str, float, str]], *, numbers: bool = False, longest: float = 1.0
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
                "number": f"{100 * share:.0f}" if numbers and width >= _WIDE_ENOUGH else "",
            }
        left += width


def _ink(color: str) -> str:
    """Return black or white, whichever is more legible on a colour."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 127 else "#fff"  # noqa: PLR2004
