"""Plots of scores by slice: reports as a forest plot, two systems as a dumbbell plot."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _palette
from anls_frame._arguments import count
from anls_frame.plot import _inputs, _style

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

    from anls_frame.summary.measures import Metric

__all__ = ["comparison", "group_scores"]

_ROW = 0.31
_LARGE_MARKERS = 2
"""Number of reports for whose markers a row has room in full size."""
_SPREAD = 0.62
"""Share of a row's height over which several reports spread."""
_FOREST = "_anls_frame_forest"
"""Attribute of axes with the reports that are drawn on them."""
_REPORT = _inputs.Input("group_scores", "a report, or the frame of its `to_polars()`, `by_group` or `by()`")
_COMPARISON = _inputs.Input(
    "comparison", "a comparison, or the frame of its `to_polars()`, `by_group` or `by()`"
)


def group_scores(
    report: Any,
    measure: str | None = None,
    *,
    label: str | None = None,
    color: str | None = None,
    title: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the score of all rows and of each slice, with intervals, as a forest plot.

    Reports of several systems can share axes: call the function for each of them with the same `ax`, and a
    `label` for the legend. Slices are matched by their keys.

    Parameters
    ----------
    report
        A report, or the frame of its `to_polars()`, `by_group` or `by()`; not a frame of rows. Slices are
        drawn in its order, from top to bottom.
    measure
        Name of one of the report's `measures`, such as `"exact_match"` or `"cer_corpus"`; by default, the
        first.
    label
        Name of the system for the title or, if reports share the axes, for the legend; the system has the
        same colour in other plots.
    color
        Colour, in place of the default colour.
    title
        Title, in place of the default title; `""` for none.
    max_groups
        Maximum number of slices to draw, the first of the report; the axis label states the number of omitted
        slices.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the slices.

    Returns
    -------
    Axes
        Axes with a point and a line for each slice, all rows at the top; a hollow point marks a slice with
        few rows, whose interval is only rough. The axis ends at the bounds of the measure; where these are
        open, at the data.

    Raises
    ------
    TypeError
        If `report` has another type, or `ax` is not an Axes.
    ValueError
        If the report has no such measure, or reports that share axes lack distinct labels, are sliced by
        different columns, or show different measures.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "x"], "answer": ["a", "x"], "lang": ["en", "de"]})
    >>> reports = {system: af.report(df, system, "answer", by="lang") for system in ("old", "new")}
    >>> ax = af.plot.group_scores(reports["old"], label="old")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    >>> ax = af.plot.group_scores(reports["new"], label="new", ax=ax)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['old', 'new']
    """
    most = count("max_groups", max_groups, 1)
    slices = _inputs.slices(report, "report", _REPORT, "few_rows")
    is_frame = not _inputs.is_report(report)
    metrics = _inputs.metrics_of_table(slices.frame) if is_frame else report.measures
    if not metrics:
        raise _REPORT.error(report, " without a measure that has an interval")
    metric = _inputs.measured(measure, metrics)
    added = _Series(slices, label, color, None if is_frame else report.confidence)
    forest = _Forest(metric, most, title)
    if ax is not None:
        forest = _forest_on(ax, forest)
    forest.check(added, metric)
    shown = min(slices.frame.height, most + 1)
    ax = _inputs.axes(ax, 7, 1.2 + _ROW * shown)
    forest.series.append(added)
    forest.title = forest.title if title is None else title
    forest.draw(ax)
    setattr(ax, _FOREST, forest)
    return ax


@dataclass
class _Series:
    """A report in a forest plot."""

    slices: _inputs.DrawnSlices
    label: str | None
    color: str | None
    confidence: float | None


@dataclass
class _Forest:
    """The reports on the same axes, which are redrawn when a report is added."""

    metric: Metric
    most: int
    title: str | None
    series: list[_Series] = field(default_factory=list)
    artists: list[Artist] = field(default_factory=list)
    own_title: str = ""

    def check(self, added: _Series, metric: Metric) -> None:
        """Raise an error for a report that cannot share the axes."""
        if not self.series:
            return
        labels = [series.label for series in (*self.series, added)]
        if None in labels or len({*labels}) < len(labels):
            raise ValueError(f"label must be given and differ for reports that share axes, got {labels}")
        by, first = added.slices.by, self.series[0].slices.by
        if by != first:
            raise ValueError(
                f"reports that share axes must be sliced by the same columns, got {list(first)} and "
                f"{list(by)}"
            )
        if metric.name != self.metric.name:
            raise ValueError(
                f"reports that share axes must show the same measure, got {self.metric.name!r} and "
                f"{metric.name!r}"
            )

    def draw(self, ax: Axes) -> None:
        """Draw all reports, replacing earlier drawings."""
        for artist in self.artists:
            artist.remove()
        # In the order of the first report, followed by slices found only in others.
        labels = {key: text for series in self.series for key, text in series.slices.labels.items()}
        hidden = max(len(labels) - (_inputs.WHOLE in labels) - self.most, 0)
        keys = list(labels)[: len(labels) - hidden]
        tables = [dict(zip(series.slices.labels, self._rows(series), strict=True)) for series in self.series]
        handles = []
        self.artists = []
        for index, (table, shade) in enumerate(zip(tables, self._colors(), strict=True)):
            offset = (index - (len(tables) - 1) / 2) * _SPREAD / len(tables)
            handles.append(self._draw_series(ax, {key: table.get(key) for key in keys}, shade, offset))
        is_bold = [row for row, key in enumerate(keys) if key == _inputs.WHOLE]
        _style.group_axis(ax, [labels[key] for key in keys], bold=is_bold)
        drawn = [table[key] for table in tables for key in keys if key in table]
        ax.set_xlim(*_inputs.limits([value for row in drawn for value in row[:3]], self.metric.bounds))
        levels = {series.confidence for series in self.series}
        level = "".join(f"{100 * share:g} % " for share in levels if share is not None and len(levels) == 1)
        xlabel = f"{_inputs.axis_name(self.metric)}, {level}interval{_style.not_shown(hidden)}"
        self.artists += _style.side(ax, [_counts([table.get(key) for table in tables]) for key in keys])
        _style.xlabel(ax, xlabel)
        _style.tidy(ax, grid="x")
        if len(self.series) > 1:
            names = [str(series.label) for series in self.series]
            self.artists.append(_style.legend_above(ax, handles, names))
        self._set_title(ax)

    def _rows(self, series: _Series) -> list[tuple[Any, ...]]:
        frame = series.slices.frame
        values = [frame[name].alias("value").cast(pl.Float64).fill_nan(None) for name in self.metric.ends]
        return list(zip(*values, frame["few_rows"], frame["n"], strict=True))

    def _colors(self) -> list[str]:
        if len(self.series) == 1:
            return [_palette.system_color(self.series[0].label, self.series[0].color)]
        given = {str(series.label): series.color for series in self.series if series.color is not None}
        return list(_palette.system_colors([str(series.label) for series in self.series], given).values())

    def _draw_series(
        self, ax: Axes, rows: dict[str, tuple[Any, ...] | None], shade: str, offset: float
    ) -> Artist:
        """Draw the points of a report; return its legend handle."""
        from matplotlib.lines import Line2D  # noqa: PLC0415 - only to plot

        several = len(self.series) > 1
        scale = _style.marker_scale()
        size = 6.5 if len(self.series) <= _LARGE_MARKERS else 4.5
        for row, (key, figures) in enumerate(rows.items()):
            if figures is None or figures[0] is None:
                continue
            is_whole = key == _inputs.WHOLE
            if is_whole:
                line = ax.axvline(figures[0], color=shade if several else _style.ink(ax, 0.75), zorder=1)
                line.set(linewidth=scale, linestyle=(0, (4, 3)), alpha=0.7 if several else 1)
                self.artists.append(line)
            width = (3 if is_whole else 2.2) / (1.4 if several else 1)
            marker = "D" if is_whole else "o"
            self.artists += _style.score_in_row(
                ax, row + offset, figures[:4], shade, marker=marker, size=size, width=width
            )
        return Line2D([], [], color=shade, marker="o", markersize=scale * size, linewidth=2)

    def _set_title(self, ax: Axes) -> None:
        if self.own_title and ax.get_title() == self.own_title:
            ax.set_title("")
        label = self.series[0].label if len(self.series) == 1 else None
        details = f" of {_style.name(label)}" if label else ""
        by = self.series[0].slices.by
        details += f" by {_style.name(' and '.join(by))}" if by else ""
        before = ax.get_title()
        _style.title(ax, f"{_style.name(self.metric.label)}{details}", self.title)
        self.own_title = ax.get_title() if ax.get_title() != before else ""


def _forest_on(ax: Axes, new: _Forest) -> _Forest:
    """Return the forest already on the axes, or the new forest."""
    earlier = getattr(ax, _FOREST, None)
    # Cleared axes have none of its artists.
    children = set(map(id, ax.get_children())) if earlier else ()
    return earlier if earlier and all(id(artist) in children for artist in earlier.artists) else new


def _counts(rows: Sequence[tuple[Any, ...] | None]) -> str:
    """Return the number of rows of a slice, or a number for each report if they differ."""
    numbers = ["0" if row is None else f"{row[-1]:,}" for row in rows]
    return f"n = {' / '.join(numbers if len(set(numbers)) > 1 else numbers[:1])}"


def comparison(
    comparison: Any,
    metric: str | None = None,
    *,
    colors: dict[str, str] | None = None,
    title: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw two systems by slice as a dumbbell plot, with their differences.

    Parameters
    ----------
    comparison
        A comparison, or the frame of its `to_polars()`, `by_group` or `by()`; not a frame of rows. Slices are
        drawn in its order, from top to bottom. For more than two systems, use `ranking` and `heat_map`.
    metric
        Name of one of the comparison's `measures`; by default, the first.
    colors
        Colours by names of systems, in place of the default colours.
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
        Axes with two points for each slice, all rows at the top. The difference at the right is bold if its
        p-value, adjusted for all slices together, is at most 0.05. The axis ends at the bounds of the
        measure; where these are open, at the data.

    Raises
    ------
    TypeError
        If `comparison` has another type, or `ax` is not an Axes.
    ValueError
        If the comparison has no such metric, or `max_groups` is not an integer of at least 1.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> ax = af.plot.comparison(af.compare(df, {"old": "old", "new": "new"}, "answer"))
    >>> ax.get_legend().get_texts()[1].get_text()
    'new'
    """
    most = count("max_groups", max_groups, 1)
    every = _inputs.slices(comparison, "comparison", _COMPARISON, "baseline_score")
    metrics = _inputs.compared_metrics(comparison, every.frame["metric"].unique(maintain_order=True))
    drawn = _inputs.measured(metric, metrics, "metric")
    systems = _both_systems(comparison, every.frame)
    metric_slices = replace(every, frame=every.frame.filter(pl.col("metric") == drawn.name))
    slices, hidden = metric_slices.first(most)
    frame, labels = slices.frame, list(slices.labels.values())
    shades = _palette.system_colors(systems, colors)
    ax = _inputs.axes(ax, 7.6, 1.4 + _ROW * len(labels))
    scores = (frame[name].cast(pl.Float64).fill_nan(None) for name in ("baseline_score", "score"))
    values = [column.to_list() for column in scores]
    scale = _style.marker_scale()
    for row, (before, after) in enumerate(zip(*values, strict=True)):
        if before is not None and after is not None:
            ax.hlines(row, before, after, color=_style.ink(ax, 0.35), linewidth=2.5 * scale, zorder=1)
    rows = range(len(labels))
    handles = []
    # Markers differ too, because the colours may look alike in greyscale.
    for name, marker, numbers in zip(systems, ("s", "o"), values, strict=True):
        points = [(value, row) for row, value in zip(rows, numbers, strict=True) if value is not None]
        x, y = ([point[side] for point in points] for side in (0, 1))
        handles += ax.plot(x, y, marker, color=shades[name], markersize=7 * scale, linestyle="none", zorder=2)
    _style.group_axis(ax, labels, bold=[row for row in rows if labels[row].is_whole])
    ax.set_xlim(*_inputs.limits([*values[0], *values[1]], drawn.bounds))
    _style.side(ax, _differences(frame), bold=_surely_different(frame))
    _style.xlabel(ax, f"{_inputs.axis_name(drawn)}{_style.not_shown(hidden)}")
    _style.tidy(ax, grid="x")
    _style.legend_above(ax, handles, systems)
    _style.title(ax, "", title)
    return ax


def _both_systems(given: Any, frame: pl.DataFrame) -> tuple[str, str]:
    """Return the names of both systems; without rows, "first" and "second"."""
    pairs = frame.select("baseline", "system").unique().rows()
    if len(pairs) > 1:
        raise _COMPARISON.error(given, f" with {len(pairs)} pairs of systems; use ranking or heat_map")
    return pairs[0] if pairs else ("first", "second")


def _differences(frame: pl.DataFrame) -> list[str]:
    lines = frame.select("difference", "difference_low", "difference_high").iter_rows()
    return [_inputs.spelled_figure(value, ends, "difference") for value, *ends in lines]


def _surely_different(frame: pl.DataFrame) -> list[int]:
    is_different = pl.col("p_adjusted") <= 0.05  # noqa: PLR2004 - as in `Comparison.regressed`
    return frame.with_row_index("row").filter(is_different)["row"].to_list()
