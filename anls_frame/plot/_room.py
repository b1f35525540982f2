"""Layout outside the axes: labels, notes beside rows, legends and strips above."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any, NamedTuple

from matplotlib.transforms import Bbox

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_SMALLEST = 0.2
"""Share of their width that the axes keep, however long the labels are."""


def lay_out(ax: Axes) -> None:
    """Ask matplotlib to make room for all texts, if the figure holds nothing else and has no layout yet."""
    figure = ax.figure.figure
    if figure.get_layout_engine() is None and figure.axes == [ax] and ax.get_subplotspec() is not None:
        figure.set_layout_engine("constrained")


def band_above(ax: Axes, height: float, gap: float = 0.0) -> Axes:
    """
    Reserve a band above the axes, whose size is in points.

    Titles, even if set later, go above the band, because matplotlib puts titles above inset axes but not
    above legends.
    """
    band = ax.inset_axes((0, 1, 1, 0.1))
    band.set_axis_off()
    band.set_axes_locator(functools.partial(_above, ax, height, gap))
    return band


def _above(ax: Axes, height: float, gap: float, *_: object) -> Bbox:
    """Return the place of a band as wide as the axes, whose height stays when the axes change theirs."""
    figure, box = ax.figure, ax.get_position()
    point = figure.dpi / 72 / figure.bbox.height
    return Bbox.from_bounds(box.x0, box.y1 + gap * point, box.width, height * point)


def measured(artist: Any) -> Bbox:
    """Return the box of an artist or of axes with all their texts, in pixels."""
    box: Bbox = artist.get_tightbbox()
    return box


def given_width(ax: Axes) -> float:
    """Return the width that a layout gives to the axes with all their texts, in pixels."""
    spec = ax.get_subplotspec()
    if spec is None:
        return float(ax.get_window_extent().width)
    return float(ax.figure.bbox.width * len(spec.colspan) / spec.get_gridspec().ncols)


class Widths(NamedTuple):
    """Widths of the laid-out axes, and of the texts beside them, in pixels."""

    left: float
    axes: float
    right: float


def widths(ax: Axes) -> Widths:
    """Return the widths of the axes and of the texts beside them."""
    inside, box = ax.get_window_extent(), measured(ax)
    left, right = max(inside.x0 - box.x0, 0.0), max(box.x1 - inside.x1, 0.0)
    if ax.figure.get_layout_engine() is None:
        return Widths(left, inside.width, right)
    # Layouts keep a little space at the edges.
    inner = 0.97 * given_width(ax) - left - right
    return Widths(left, max(inner, _SMALLEST * inside.width), right)
