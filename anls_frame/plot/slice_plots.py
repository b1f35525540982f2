"""Plots of found slices: scores beside the rest, and shares of rows and of loss."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from anls_frame import _palette
from anls_frame._arguments import choice, count
from anls_frame._text import numbered, shortened
from anls_frame.export.display import figure, spelled
from anls_frame.plot import _inputs, _style
from anls_frame.results import FoundSlices
from anls_frame.summary.measures import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["worse_slices"]


_ROW = 0.36
_HEIGHT = 0.34
"""Height of a bar, as a share of the row."""
_LONGEST = 60
"""Number of columns to which descriptions are cut."""
_COLUMNS = ("description", "metric", "score", "rest", "share_of_rows", "share_of_loss", "few_rows")
_INPUT = _inputs.Input("worse_slices", "a result of `find_slices`, or its `frame`")


def worse_slices(
    slices: Any,
    metric: str | None = None,
    system: str | None = None,
    *,
    kind: Literal["effects", "shares"] = "effects",
    title: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw found slices: scores with intervals beside the rest, or shares of rows and of the loss.

    Parameters
    ----------
    slices
        The result of `find_slices`, or its `frame`; not a frame of rows. Slices are drawn in its order, from
        top to bottom.
    metric
        Name of a metric, by default that of the first slice; slices in other metrics are not drawn.
    system
        For slices in which systems lost, the system to draw, by default that of the first slice; those of
        others are not drawn.
    kind
        `"effects"` draws the score of each slice (for compared systems, the change) with its interval, and
        the score of the rest. `"shares"` draws the slice's share of all rows and of all lost points.
    title
        Title; none by default.
    max_groups
        Maximum number of slices to draw, the first in order; the axis label states the number of omitted
        slices.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the slices.

    Returns
    -------
    Axes
        Axes with a row for each slice. A hollow point marks few rows. P-values are beside the points, in bold
        if at most 0.05.

    Raises
    ------
    TypeError
        If `slices` has another type, or `ax` is not an Axes.
    ValueError
        If no slice was found in this metric, or an option has an invalid value.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"score": [0.0] * 20 + [1.0] * 40, "lang": ["ja"] * 20 + ["en"] * 40})
    >>> ax = af.plot.worse_slices(af.find_slices(df, metrics="score"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['lang = ja']
    """
    most = count("max_groups", max_groups, 1)
    choice("kind", kind, ("effects", "shares"))
    is_result = isinstance(slices, FoundSlices)
    table = slices.table if is_result else _INPUT.table(slices, _COLUMNS)
    names = table["metric"].unique(maintain_order=True)
    metrics = slices.metrics if is_result else _inputs.metrics_of(slices, names)
    first = table["metric"].first()
    drawn = _inputs.measured(metric or (str(first) if first is not None else None), metrics, "metric")
    in_metric = table.filter(pl.col("metric") == drawn.name)
    lines, compared = _losses_of(in_metric, system)
    frame = lines.head(most)
    ax = _inputs.axes(ax, 9.6, 1.3 + _ROW * max(frame.height, 2))
    _style.group_axis(
        ax, [_style.Label(shortened(_style.drawable(text), _LONGEST)) for text in frame["description"]]
    )
    draw = _effects if kind == "effects" else _shares
    handles, names, label = draw(ax, frame, drawn)
    hidden = [numbered(lines.height - frame.height, "more slice")] if lines.height > most else []
    others = {"in other metrics": table.height - in_metric.height}
    others["of other systems"] = in_metric.height - lines.height
    hidden += [f"{numbered(number, 'slice')} {which}" for which, number in others.items() if number]
    more = f" ({' and '.join(hidden)} not shown)" if hidden else ""
    whose = f"{_style.name(compared)}: " if compared and others["of other systems"] else ""
    if frame.is_empty():
        names = []
        _style.nothing(ax, "no slice was found")
    return _style.finish(ax, title, f"{whose}{label}{more}", handles=handles, names=names)


def _losses_of(slices: pl.DataFrame, system: str | None) -> tuple[pl.DataFrame, str | None]:
    """Return the slices in which a system (by default that of the first slice) lost, and its name."""
    if "system" not in slices.columns:
        if system is not None:
            raise ValueError(f"system={system!r} is for slices in which systems lost; these are of scores")
        return slices, None
    names = slices["system"].unique(maintain_order=True).to_list()
    if not names:
        return slices, None
    chosen = names[0] if system is None else choice("system", system, names)
    return slices.filter(pl.col("system") == chosen), chosen


def _effects(ax: Axes, frame: pl.DataFrame, metric: Metric) -> tuple[list[Any], list[str], str]:
    """Draw scores with intervals and the rest; return the legend and the label of the axis."""
    is_change = "change" in frame.columns
    name = "change" if is_change else "score"
    figures = frame.select(
        pl.col(name, f"{name}_low", f"{name}_high", "rest").cast(pl.Float64).fill_nan(None)
    )
    scale = _style.marker_scale()
    grey = _style.ink(ax, 0.55)
    if is_change:
        ax.axvline(0, color=grey, linewidth=scale, linestyle=_style.DASHED, zorder=0)
    for row, (*score, rest, is_few) in enumerate(figures.with_columns(frame["few_rows"]).iter_rows()):
        if rest is not None:
            # Below the interval.
            ax.plot(rest, row, "D", color=grey, markersize=5.5 * scale, zorder=0.5)
        _style.score_in_row(ax, row, (*score, is_few), _palette.BLUE, size=7, width=2.4)
    handles = [
        *ax.plot([], [], "o", color=_palette.BLUE, markersize=7 * scale),
        *ax.plot([], [], "D", color=grey, markersize=5.5 * scale),
    ]
    bounds = metric.bounds if not is_change else None
    values = [value for column in figures.iter_columns() for value in column]
    ax.set_xlim(*_inputs.limits([*values, 0.0] if is_change else values, bounds))
    p_values = frame["p_adjusted"] if "p_adjusted" in frame.columns else [None] * frame.height
    notes = ["" if p is None else f"p = {figure(p, 'p_value')}" for p in p_values]
    _style.side(ax, notes, bold=_style.significant(frame))
    change = "change in " if is_change else ""
    return handles, ["slice", "all other rows"], f"{change}{_inputs.axis_name(metric)}, with interval"


def _shares(ax: Axes, frame: pl.DataFrame, metric: Metric) -> tuple[list[Any], list[str], str]:
    """Draw shares of rows and of lost points; return the legend and the label of the axis."""
    colors = {"share_of_rows": _style.ink(ax, 0.45), "share_of_loss": _palette.BLUE}
    notes, handles = [], []
    for index, (name, color) in enumerate(colors.items()):
        values = [100 * (share or 0.0) for share in frame[name]]
        rows = [row + (index - 0.5) * _HEIGHT for row in range(frame.height)]
        handles.append(ax.barh(rows, values, _HEIGHT, color=color))
    for rows_share, loss in frame.select("share_of_rows", "share_of_loss").iter_rows():
        notes.append(" → ".join(spelled(share, (), "share") for share in (rows_share, loss)))
    ax.set_xlim(0, 100 * max([0.01, *(share or 0.0 for name in colors for share in frame[name])]) * 1.03)
    _style.side(ax, notes)
    return handles, ["rows", "lost points"], f"share of all, % ({_style.name(metric.label)})"
