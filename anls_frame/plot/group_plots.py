"""Plots of scores by slice: reports as a forest plot, two systems as a dumbbell plot."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl
from matplotlib.lines import Line2D

from anls_frame import _palette
from anls_frame._arguments import count
from anls_frame.plot import _inputs, _style
from anls_frame.summary.measures import Metric

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

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
    columns = slices.frame.columns
    names = [name for name in columns if {f"{name}_low", f"{name}_high"} <= {*columns}]
    metrics = _inputs.metrics_of(report, names)
    if not metrics:
        raise _REPORT.error(report, " without a measure that has an interval")
    metric = _inputs.measured(measure, metrics)
    added = _Series(slices, label, color, None if is_frame else report.confidence)
    forest = _forest_on(ax) or _Forest(metric, most)
    forest.add(added, metric)
    forest.title = forest.title if title is None else title
    ax = _inputs.axes(ax, 7, 1.2 + _ROW * min(slices.frame.height, most + 1))
    forest.draw(ax)
    setattr(ax, _FOREST, forest)
    return ax


class _Series(NamedTuple):
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
    title: str | None = None
    series: list[_Series] = field(default_factory=list)
    artists: list[Artist] = field(default_factory=list)
    own_title: str = ""

    def add(self, added: _Series, metric: Metric) -> None:
        """Add a report; raise an error if it cannot share the axes."""
        series = [*self.series, added]
        labels = [one.label for one in series]
        if len(series) > 1 and (None in labels or len({*labels}) < len(labels)):
            raise ValueError(f"label must be given and differ for reports that share axes, got {labels}")
        for what, first, other in (
            ("be sliced by the same columns", list(series[0].slices.by), list(added.slices.by)),
            ("show the same measure", self.metric.name, metric.name),
        ):
            if first != other:
                raise ValueError(f"reports that share axes must {what}, got {first!r} and {other!r}")
        self.series = series

    def draw(self, ax: Axes) -> None:
        """Draw all reports, replacing earlier drawings."""
        for artist in self.artists:
            artist.remove()
        others = set(ax.get_children())
        # In the order of the first report, followed by slices found only in others.
        labels = {key: text for series in self.series for key, text in series.slices.labels.items()}
        hidden = max(len(labels) - (_inputs.WHOLE in labels) - self.most, 0)
        keys = list(labels)[: len(labels) - hidden]
        tables = [dict(zip(series.slices.labels, self._rows(series), strict=True)) for series in self.series]
        names = [str(series.label) for series in self.series] if len(self.series) > 1 else []
        shades, size = self._colors(names), 6.5 if len(tables) <= _LARGE_MARKERS else 4.5
        for index, (table, shade) in enumerate(zip(tables, shades, strict=True)):
            offset = (index - (len(tables) - 1) / 2) * _SPREAD / len(tables)
            for row, key in enumerate(keys):
                if (figures := table.get(key)) and figures[0] is not None:
                    is_whole = key == _inputs.WHOLE
                    self._draw_row(ax, row + offset, figures, shade, size=size, is_whole=is_whole)
        _style.group_axis(ax, [labels[key] for key in keys])
        drawn = [table[key] for table in tables for key in keys if key in table]
        ax.set_xlim(*_inputs.limits([value for row in drawn for value in row[:3]], self.metric.bounds))
        levels = {series.confidence for series in self.series}
        level = "".join(f"{100 * share:g} % " for share in levels if share is not None and len(levels) == 1)
        _style.side(ax, [_counts([table.get(key) for table in tables]) for key in keys])
        if self.own_title and ax.get_title() == self.own_title:
            ax.set_title("")
        before = ax.get_title()
        label = f"{_inputs.axis_name(self.metric)}, {level}interval{_style.not_shown(hidden)}"
        look: dict[str, Any] = {"marker": "o", "markersize": _style.marker_scale() * size, "linewidth": 2}
        handles = [Line2D([], [], color=shade, **look) for shade in shades]
        first = self.series[0]
        of_label = f" of {_style.name(first.label)}" if first.label and not names else ""
        own_title = f"{_style.name(self.metric.label)}{of_label}{_style.sliced_by(first.slices.by)}"
        _style.finish(ax, self.title, label, own_title=own_title, handles=handles, names=names)
        self.own_title = ax.get_title() if ax.get_title() != before else ""
        self.artists = [artist for artist in ax.get_children() if artist not in others]

    def _rows(self, series: _Series) -> list[tuple[Any, ...]]:
        frame = series.slices.frame
        values = [frame[name].alias("value").cast(pl.Float64).fill_nan(None) for name in self.metric.ends]
        return list(zip(*values, frame["few_rows"], frame["n"], strict=True))

    def _colors(self, names: Sequence[str]) -> list[str]:
        if not names:
            return [_palette.system_color(self.series[0].label, self.series[0].color)]
        given = {str(series.label): series.color for series in self.series if series.color is not None}
        return list(_palette.system_colors(names, given).values())

    def _draw_row(
        self, ax: Axes, row: float, figures: tuple[Any, ...], shade: str, *, size: float, is_whole: bool
    ) -> None:
        """Draw the score of a slice, and a line at that of all rows."""
        several = len(self.series) > 1
        if is_whole:
            line = ax.axvline(figures[0], color=shade if several else _style.ink(ax, 0.75), zorder=1)
            line.set(linewidth=_style.marker_scale(), linestyle=_style.DASHED)
            line.set_alpha(0.7 if several else 1)
        width = (3 if is_whole else 2.2) / (1.4 if several else 1)
        marker = "D" if is_whole else "o"
        _style.score_in_row(ax, row, figures[:4], shade, marker=marker, size=size, width=width)


def _forest_on(ax: Axes | None) -> _Forest | None:
    """Return the forest that is on the axes; cleared axes have none of its artists."""
    forest: _Forest | None = getattr(ax, _FOREST, None)
    is_there = ax is not None and forest is not None and {*forest.artists} <= {*ax.get_children()}
    return forest if is_there else None


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
    metrics = _inputs.metrics_of(comparison, every.frame["metric"].unique(maintain_order=True))
    drawn = _inputs.measured(metric, metrics, "metric")
    pairs = every.frame.select("baseline", "system").unique().rows()
    if len(pairs) > 1:
        raise _COMPARISON.error(comparison, f" with {len(pairs)} pairs of systems; use ranking or heat_map")
    # Without rows, the names are unknown.
    systems = pairs[0] if pairs else ("first", "second")
    slices, hidden = replace(every, frame=every.frame.filter(pl.col("metric") == drawn.name)).first(most)
    frame, labels = slices.frame, list(slices.labels.values())
    shades = _palette.system_colors(systems, colors)
    ax = _inputs.axes(ax, 7.6, 1.4 + _ROW * len(labels))
    scores = frame.select(pl.col("baseline_score", "score").cast(pl.Float64).fill_nan(None))
    scale = _style.marker_scale()
    for row, (before, after) in enumerate(scores.iter_rows()):
        if before is not None and after is not None:
            ax.hlines(row, before, after, color=_style.ink(ax, 0.35), linewidth=2.5 * scale, zorder=1)
    handles = []
    # Markers differ too, because the colours may look alike in greyscale.
    for name, marker, numbers in zip(systems, ("s", "o"), scores, strict=True):
        rows = numbers.is_not_null().arg_true()
        look: dict[str, Any] = {"color": shades[name], "markersize": 7 * scale, "linestyle": "none"}
        handles += ax.plot(numbers.drop_nulls().to_numpy(), rows.to_numpy(), marker, zorder=2, **look)
    _style.group_axis(ax, labels)
    ax.set_xlim(*_inputs.limits([value for numbers in scores for value in numbers], drawn.bounds))
    lines = frame.select("difference", "difference_low", "difference_high").iter_rows()
    differences = [_inputs.spelled_figure(value, ends, "difference") for value, *ends in lines]
    _style.side(ax, differences, bold=_style.significant(frame))
    label = f"{_inputs.axis_name(drawn)}{_style.not_shown(hidden)}"
    return _style.finish(ax, title, label, handles=handles, names=systems)
