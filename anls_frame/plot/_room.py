"""Room for what stands outside the axes: labels, notes beside the rows, legends and strips above."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.backends.backend_agg import RendererAgg
    from matplotlib.figure import Figure
    from matplotlib.transforms import Bbox

__all__ = ["band_above", "cell", "fit", "inner_width", "measured", "width_for_legend", "width_for_text"]

_PAD = 5
"""Space at the edge of the figure, in points."""
_SMALLEST = 0.2
"""Share of its width or height that the axes keep, however long the labels are."""


def band_above(ax: Axes, height: float, gap: float = 0.0) -> Axes:
    """
    Reserve a band above the axes, whose size is in points.

    A title goes above it, also one that is set later, because matplotlib puts titles above inset axes; it
    does not put them above legends.
    """
    band = ax.inset_axes((0, 1, 1, 0.1))
    band.set_axis_off()
    band.set_axes_locator(_Above(ax, height, gap))
    return band


@dataclass
class _Above:
    """Places a band: as wide as the axes, and of the same height when these change theirs."""

    ax: Axes
    height: float
    gap: float

    def __call__(self, _band: object, _renderer: object) -> Bbox:
        from matplotlib.transforms import Bbox  # noqa: PLC0415 - only to plot

        figure, place = self.ax.figure, self.ax.get_position()
        point = figure.dpi / 72 / figure.bbox.height
        return Bbox.from_bounds(place.x0, place.y1 + self.gap * point, place.width, self.height * point)


def measured(artist: Any) -> Bbox:
    """Return the box of an artist or of axes with all their texts, in pixels."""
    box: Bbox = artist.get_tightbbox(_renderer(artist.figure.figure))
    return box


_renderers: WeakKeyDictionary[Figure, RendererAgg] = WeakKeyDictionary()


def _renderer(figure: Figure) -> RendererAgg:
    """
    Return what measures the texts of a figure, without drawing it as its own canvas does.

    It is the same each time, because matplotlib keeps with it how wide texts are.
    """
    from matplotlib.backends.backend_agg import RendererAgg  # noqa: PLC0415 - only to plot

    size = (figure.bbox.width, figure.bbox.height, figure.dpi)
    kept = _renderers.get(figure)
    if kept is None or (kept.width, kept.height, kept.dpi) != size:
        kept = _renderers[figure] = RendererAgg(*size)  # type: ignore[no-untyped-call]
    return kept


def fit(ax: Axes) -> None:
    """
    Shrink axes whose texts would otherwise leave the figure or run into the next axes.

    Layout engines do this themselves, and axes placed by hand stay where they are.
    """
    from matplotlib.gridspec import GridSpec  # noqa: PLC0415 - only to plot
    from matplotlib.transforms import Bbox  # noqa: PLC0415

    spec = ax.get_subplotspec()
    if _has_layout(ax) or spec is None or not isinstance(spec.get_gridspec(), GridSpec):
        return
    limits = cell(ax)
    if ax.child_axes and not ax.get_title():
        # A title that is set later goes above the band, where a figure has no margin for it.
        limits = Bbox([[limits.x0, limits.y0], [limits.x1, limits.y1 - _title_height(ax)]])
    # Twice, because fewer ticks may fit on smaller axes.
    for _ in range(2):
        box, place = measured(ax), ax.get_window_extent()
        x0, y0 = place.x0 + max(limits.x0 - box.x0, 0), place.y0 + max(limits.y0 - box.y0, 0)
        x1, y1 = place.x1 - max(box.x1 - limits.x1, 0), place.y1 - max(box.y1 - limits.y1, 0)
        if (x0, y0, x1, y1) == (place.x0, place.y0, place.x1, place.y1):
            return
        x1, y1 = max(x1, x0 + _SMALLEST * place.width), max(y1, y0 + _SMALLEST * place.height)
        ax.set_position(Bbox([[x0, y0], [x1, y1]]).transformed(ax.figure.transSubfigure.inverted()))
        # `set_position` takes the axes out of a layout that is asked for later.
        ax.set_in_layout(True)


def inner_width(ax: Axes) -> float:
    """Return the width that the axes will have once they are laid out, in pixels."""
    place, left, right = _sides(ax)
    limits = cell(ax)
    if _has_layout(ax):
        return float(max(limits.width - left - right, _SMALLEST * place.width))
    return float(min(place.x1, limits.x1 - right) - max(place.x0, limits.x0 + left))


def width_for_legend(ax: Axes) -> float:
    """Return the width above the axes and above their labels at the left, in pixels."""
    place, _, right = _sides(ax)
    limits = cell(ax)
    end = limits.x1 - right
    return float((end if _has_layout(ax) else min(end, place.x1)) - limits.x0)


def width_for_text(ax: Axes) -> float:
    """Return the width for a text in the middle above or below the axes, in pixels."""
    place, left, right = _sides(ax)
    limits = cell(ax)
    x0, x1 = (limits.x0 + left, limits.x1 - right) if _has_layout(ax) else (place.x0, place.x1)
    middle = (max(x0, limits.x0 + left) + min(x1, limits.x1 - right)) / 2
    return float(2 * min(middle - limits.x0, limits.x1 - middle))


def _sides(ax: Axes) -> tuple[Bbox, float, float]:
    """Return the box of the axes, and the widths of what stands to the left and to the right of it."""
    place, box = ax.get_window_extent(), measured(ax)
    return place, max(place.x0 - box.x0, 0), max(box.x1 - place.x1, 0)


def _title_height(ax: Axes) -> float:
    """Return the height of a title of one line with its distance to what is below, in pixels."""
    import matplotlib as mpl  # noqa: PLC0415 - only to plot
    from matplotlib.font_manager import FontProperties  # noqa: PLC0415

    size = FontProperties(size=mpl.rcParams["axes.titlesize"]).get_size_in_points()
    return float((1.2 * size + mpl.rcParams["axes.titlepad"]) * ax.figure.dpi / 72)


def _has_layout(ax: Axes) -> bool:
    return ax.figure.get_layout_engine() is not None


def cell(ax: Axes) -> Bbox:
    """Return the part of the figure that belongs to the axes, up to the middle between them and others."""
    from matplotlib.gridspec import GridSpec  # noqa: PLC0415 - only to plot
    from matplotlib.transforms import Bbox  # noqa: PLC0415

    left, bottom, right, top = 0.0, 0.0, 1.0, 1.0
    spec = ax.get_subplotspec()
    grid = spec.get_gridspec() if spec is not None else None
    if spec is not None and isinstance(grid, GridSpec):
        bottoms, tops, lefts, rights = grid.get_grid_positions(ax.figure)  # type: ignore[arg-type] # takes both
        rows, columns = spec.rowspan, spec.colspan
        if columns.start > 0:
            left = (rights[columns.start - 1] + lefts[columns.start]) / 2
        if columns.stop < grid.ncols:
            right = (rights[columns.stop - 1] + lefts[columns.stop]) / 2
        if rows.start > 0:
            top = (bottoms[rows.start - 1] + tops[rows.start]) / 2
        if rows.stop < grid.nrows:
            bottom = (bottoms[rows.stop - 1] + tops[rows.stop]) / 2
    whole = Bbox([[left, bottom], [right, top]]).transformed(ax.figure.transSubfigure)
    return whole.padded(-_PAD * ax.figure.dpi / 72)
