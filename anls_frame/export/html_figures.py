"""
Figures as SVG and lists, without a library: they take the colours of the page, light, dark or printed.

Places are given in percent of a track's width, sizes in pixels, so that a figure fits any width and neither
its points nor its letters are distorted.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from anls_frame.export.figures import Dumbbell, Histogram, Stacked
from anls_frame.export.html_text import data

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anls_frame.export.figures import Alignments, Figure

__all__ = ["Axis", "draw", "forest", "interval"]

_BARS_HEIGHT = 150
_ROW_HEIGHT = 20
_WIDE_ENOUGH = 0.06
_MOST_TICKS = 6
_MOST_ALIGNMENTS = 50
_LONGEST_ALIGNED = 2_000
_CONTEXT = 60


class Axis:
    """A range of numbers with round ticks, laid over a track."""

    def __init__(self, values: Iterable[float | None], *, zero: bool = False) -> None:
        known = [value for value in values if value is not None and math.isfinite(value)]
        if zero:
            known.append(0.0)
        low, high = (min(known), max(known)) if known else (0.0, 1.0)
        margin = 0.05 * (high - low) or 0.05
        # No room where there is nothing to be: what lies from 0 on, or up to 1, has its end there.
        self.low = max(low - margin, 0.0) if low >= 0 else low - margin
        self.high = min(high + margin, 1.0) if high <= 1 else high + margin
        self.ticks = _ticks(self.low, self.high)

    def place(self, value: float) -> float:
        """Return the place of a number in percent."""
        return 100 * (value - self.low) / (self.high - self.low)


def _ticks(low: float, high: float) -> list[float]:
    raw = (high - low) / _MOST_TICKS
    size = 10.0 ** math.floor(math.log10(raw))
    step = next(size * factor for factor in (1, 2, 5, 10) if size * factor >= raw)
    return [index * step for index in range(math.ceil(low / step), math.floor(high / step) + 1)]


def interval(
    axis: Axis, value: float | None, low: float | None, high: float | None, *, line: float | None = None
) -> str:
    """Draw a point with its interval on a track, and a line to compare with."""
    parts = []
    if line is not None:
        at = axis.place(line)
        parts.append(f'<line class="ref" x1="{at:.1f}%" x2="{at:.1f}%" y1="0" y2="100%"/>')
    if low is not None and high is not None:
        ends = f'x1="{axis.place(low):.1f}%" x2="{axis.place(high):.1f}%"'
        parts.append(f'<line class="iv" {ends} y1="50%" y2="50%"/>')
    if value is not None:
        parts.append(f'<circle class="pt" cx="{axis.place(value):.1f}%" cy="50%" r="4"/>')
    return f'<svg class="track" aria-hidden="true">{"".join(parts)}</svg>'


def forest(
    rows: Sequence[tuple[str, float | None, float | None, float | None, str]], *, zero: bool, caption: str
) -> str:
    """Draw figures with their intervals below each other, the first one's as a line through all."""
    axis = Axis((number for row in rows for number in row[1:4]), zero=zero)
    line = 0.0 if zero else rows[0][1] if rows else None
    body = "".join(
        _row(label, interval(axis, value, low, high, line=line), note, first=index == 0)
        for index, (label, value, low, high, note) in enumerate(rows)
    )
    return _figure(f'<div class="rows">{body}{_axis_row(axis)}</div>', caption)


def draw(figure: Figure) -> str:
    """Draw a figure."""
    if isinstance(figure, Histogram):
        return _histogram(figure)
    if isinstance(figure, Stacked):
        return _stacked(figure)
    return _dumbbell(figure) if isinstance(figure, Dumbbell) else _alignments(figure)


def _histogram(figure: Histogram) -> str:
    most = max(*figure.bars, 1)
    width = 100 / len(figure.bars)
    bars = []
    for index, count in enumerate(figure.bars):
        height = (_BARS_HEIGHT - 14) * count / most
        color = figure.parts[1 if (index + 0.5) / len(figure.bars) < figure.cut else 2][2]
        size = f'width="{width * 0.92:.3f}%" height="{height:.1f}"'
        low, high = index / len(figure.bars), (index + 1) / len(figure.bars)
        title = f"<title>{low:.3f} to {high:.3f}: {count:,}</title>"
        place = f'x="{index * width + width * 0.04:.3f}%" y="{_BARS_HEIGHT - height:.1f}"'
        bars.append(f'<rect fill="{color}" {place} {size}>{title}</rect>')
    cut = f'<line class="ref" x1="{100 * figure.cut:.2f}%" x2="{100 * figure.cut:.2f}%" y1="0" y2="100%"/>'
    scale = f'<text class="small" x="2" y="11">{most:,} rows</text>' if any(figure.bars) else ""
    picture = (
        f'<svg class="bars" height="{_BARS_HEIGHT}" role="img" aria-label="{data(figure.name)}">'
        f'{"".join(bars)}{cut}<line class="base" x1="0" x2="100%" y1="100%" y2="100%"/>{scale}</svg>'
    )
    ticks = "".join(f'<span style="left:{20 * index}%">{index / 5:g}</span>' for index in range(6))
    total = sum(count for _, count, _ in figure.parts)
    strip = _strip([(name, count / total if total else 0.0, color) for name, count, color in figure.parts])
    key = "".join(_key_entry(name, count, total, color) for name, count, color in figure.parts)
    return _figure(f'{strip}<ul class="key">{key}</ul>{picture}<div class="ticks">{ticks}</div>', figure.axis)


def _stacked(figure: Stacked) -> str:
    kinds = [kind for kind in figure.colors if any(counts.get(kind) for _, counts in figure.rows)]
    rows = []
    for index, (label, counts) in enumerate(figure.rows):
        total = sum(counts.values())
        shares = [(kind, counts.get(kind, 0) / max(total, 1), figure.colors[kind]) for kind in kinds]
        rows.append(_row(label, _strip(shares, numbers=True), f"n = {total:,}", first=index == 0))
    counts = figure.rows[0][1] if figure.rows else {}
    total = sum(counts.values())
    key = "".join(
        _key_entry(kind.replace("_", " "), counts.get(kind, 0), total, figure.colors[kind]) for kind in kinds
    )
    caption = "Percent of the rows; the numbers above are those of all rows"
    return _figure(f'<ul class="key">{key}</ul><div class="rows">{"".join(rows)}</div>', caption)


def _key_entry(name: str, count: int, total: int, color: str) -> str:
    text = f"{name.replace('_', ' ')}: {count:,} ({_percent(count, total)})"
    return f'<li><i style="background:{color}"></i>{data(text)}</li>'


def _dumbbell(figure: Dumbbell) -> str:
    axis = Axis(value for _, first, second, _ in figure.rows for value in (first, second))
    colors = list(figure.systems.values())
    rows = []
    for index, (label, first, second, note) in enumerate(figure.rows):
        parts = []
        if first is not None and second is not None:
            ends = f'x1="{axis.place(first):.2f}%" x2="{axis.place(second):.2f}%"'
            parts.append(f'<line class="bar" {ends} y1="50%" y2="50%"/>')
        # Told apart by form too: a hollow point and a full one.
        for value, color, fill in ((first, colors[0], "var(--page)"), (second, colors[1], colors[1])):
            if value is not None:
                at = f'cx="{axis.place(value):.2f}%" cy="50%" r="5"'
                parts.append(f'<circle {at} fill="{fill}" stroke="{color}" stroke-width="2.5"/>')
        track = f'<svg class="track" aria-hidden="true">{"".join(parts)}</svg>'
        rows.append(_row(label, track, note, first=index == 0))
    marks = [f"border:3px solid {colors[0]};background:none", f"background:{colors[1]}"]
    key = "".join(
        f'<li><i class="dot" style="{mark}"></i>{data(name)}</li>'
        for name, mark in zip(figure.systems, marks, strict=True)
    )
    body = f'<ul class="key">{key}</ul><div class="rows">{"".join(rows)}{_axis_row(axis)}</div>'
    return _figure(body, "")


def _alignments(figure: Alignments) -> str:
    from anls_frame.pairs.alignments import alignment  # noqa: PLC0415 - takes texts from this package

    parts = []
    for caption, *texts in figure.rows[:_MOST_ALIGNMENTS]:
        prediction, reference = (text[:_LONGEST_ALIGNED] for text in texts)
        cut = max(map(len, texts)) > _LONGEST_ALIGNED
        more = f" (the first {_LONGEST_ALIGNED:,} characters)" if cut else ""
        pair = alignment(prediction, reference).to_html(context=_CONTEXT)
        parts.append(f'<p class="cap" dir="auto">{data(caption)}{more}</p>{pair}')
    rest = len(figure.rows) - len(parts)
    note = f'<p class="cap">{rest:,} more are not shown.</p>' if rest > 0 else ""
    return "".join(parts) + note


def _row(label: str, track: str, note: str, *, first: bool) -> str:
    bold = " all" if first else ""
    return (
        f'<div class="lab{bold}" dir="auto">{data(label)}</div><div class="cell">{track}</div>'
        f'<div class="val{bold}">{data(note)}</div>'
    )


def _axis_row(axis: Axis) -> str:
    ticks = "".join(
        f'<span style="left:{axis.place(tick):.2f}%">{round(tick, 9) + 0.0:g}</span>' for tick in axis.ticks
    )
    return f'<div></div><div class="ticks">{ticks}</div><div></div>'


def _strip(shares: Sequence[tuple[str, float, str]], *, numbers: bool = False) -> str:
    parts, left = [], 0.0
    for name, share, color in shares:
        if share:
            title = f"<title>{data(name)}: {100 * share:.1f} %</title>"
            place = f'x="{100 * left:.3f}%" width="{100 * share:.3f}%"'
            parts.append(f'<rect {place} height="100%" fill="{color}" class="seg">{title}</rect>')
            if numbers and share >= _WIDE_ENOUGH:
                at = f'x="{100 * (left + share / 2):.3f}%" y="50%" fill="{_ink(color)}"'
                parts.append(f'<text class="in" {at}>{100 * share:.0f}</text>')
        left += share
    return f'<svg class="strip" height="{_ROW_HEIGHT}" aria-hidden="true">{"".join(parts)}</svg>'


def _figure(body: str, caption: str) -> str:
    below = f"<figcaption>{data(caption)}</figcaption>" if caption else ""
    return f"<figure>{body}{below}</figure>"


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.1f} %" if total else "none"


def _ink(color: str) -> str:
    """Return black or white, whichever is read better on a colour."""
    red, green, blue = (int(color[at : at + 2], 16) for at in (1, 3, 5))
    return "#000" if 0.299 * red + 0.587 * green + 0.114 * blue > 127 else "#fff"  # noqa: PLR2004
