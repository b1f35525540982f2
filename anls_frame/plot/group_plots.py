"""Plots by slice: scores of a report or of two systems, error types, and slices that were found."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import polars as pl
import polars.selectors as cs
from matplotlib.lines import Line2D

from anls_frame import _palette
from anls_frame._arguments import choice, count, takes_names
from anls_frame._text import level_text, numbered
from anls_frame.exceptions import DTypeError
from anls_frame.export.columns import DIFFERENCE, ends_of, with_ends
from anls_frame.export.display import figure, spelled
from anls_frame.export.kinds import difference_kind
from anls_frame.frames.conversion import to_lazy
from anls_frame.plot import _inputs, _style
from anls_frame.results import FoundSlices
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.labels import check_slices
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import MOST_ROWS, check_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["comparison", "error_types", "group_scores", "worse_slices"]


_ROW = 0.31
_REPORT_ROW = 0.09
"""The least height of the point of one of several reports."""
_LARGE_MARKERS = 2
"""Number of reports for whose markers a row has room in full size."""
_SPREAD = 0.62
"""Share of a row's height over which several reports spread."""
_REPORT = _inputs.Input("group_scores", "a report, or the frame of its `to_polars()`, `by_group` or `by()`")
_COMPARISON = _inputs.Input(
    "comparison", "a comparison, or the frame of its `to_polars()`, `by_group` or `by()`"
)
_LABELLED = 0.05
_COUNTED = ("error_type", "n", "share")
_ERRORS = _inputs.Input(
    "error_types",
    "a frame of rows with error types, a report or summary made with details=True, or the frame of its "
    "`errors()`",
)
_FOUND_ROW = 0.36
_HEIGHT = 0.34
"""Height of a bar, as a share of the row."""
_LONGEST = 60
"""Number of columns to which descriptions are cut."""
_FOUND_COLUMNS = ("description", "metric", "score", "rest", "share_of_rows", "share_of_loss", "few_rows")
_FOUND = _inputs.Input("worse_slices", "a result of `find_slices`, or its `frame`")


def group_scores(
    reports: Any,
    measure: str | None = None,
    *,
    colors: Mapping[str, str] | None = None,
    title: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the score of all rows and of each slice, with intervals, as a forest plot.

    Parameters
    ----------
    reports
        A report, or the frame of its `to_polars()`, `by_group` or `by()`; not a frame of rows. Or a
        dictionary from system names to these, whose slices are matched by their keys. Slices are drawn in
        the order of the first report, from top to bottom.
    measure
        Name of one of the `measures` of the reports, such as `"exact_match"` or `"cer_corpus"`; by default,
        the first.
    colors
        Colours by names of systems, in place of the default colours.
    title
        Title, in place of the default title; `""` for none.
    max_groups
        Maximum number of slices to draw, the first in order; the axis label states the number of omitted
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
        If a report has another type, or `ax` is not an Axes.
    ValueError
        If a report has no such measure, there is no report, or several are sliced by different columns.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "x"], "answer": ["a", "x"], "lang": ["en", "de"]})
    >>> reports = {system: af.report(df, system, "answer", by="lang") for system in ("old", "new")}
    >>> ax = af.plot.group_scores(reports)
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['old', 'new']
    """
    most = count("max_groups", max_groups, 1, MOST_ROWS - 1)
    given = dict(reports) if isinstance(reports, Mapping) else {"": reports}
    if not given:
        raise ValueError("reports must hold at least one report, got none")
    every = {name: _inputs.slices(report, "report", _REPORT, "few_rows") for name, report in given.items()}
    measures = [_measures(given[name], slices) for name, slices in every.items()]
    metric = _inputs.measured(measure, measures[0])
    first, *others = every.values()
    for other, known in zip(others, measures[1:], strict=True):
        _inputs.measured(metric.name, known)
        if list(other.by) != list(first.by):
            raise ValueError(
                f"the reports must be sliced by the same columns, got {list(first.by)} and {list(other.by)}"
            )
    # In the order of the first report, followed by slices found only in others.
    labels = dict[str, _style.Label]()
    for slices in every.values():
        labels |= slices.labels
    hidden = max(len(labels) - (_inputs.WHOLE in labels) - most, 0)
    keys = list(labels)[: len(labels) - hidden]
    row = max(_ROW, _REPORT_ROW * len(given))
    ax = _inputs.axes(ax, 7, 1.2 + row * len(keys) + _style.legend_height(given))
    several, size = len(given) > 1, 6.5 if len(given) <= _LARGE_MARKERS else 4.5
    looks = _style.line_looks(given, colors, is_nameless=[*given] == [""])
    tables = {name: _figures(slices, metric) for name, slices in every.items()}
    ends: list[float | None] = []
    for index, (name, table) in enumerate(tables.items()):
        offset = (index - (len(tables) - 1) / 2) * _SPREAD / len(tables)
        for row, key in enumerate(keys):
            if (figures := table.get(key)) and figures[0] is not None:
                ends += figures[:3]
                is_whole = key == _inputs.WHOLE
                if is_whole:
                    color = looks[name]["color"] if several else _style.ink(ax, 0.75)
                    line = ax.axvline(figures[0], color=color)
                    line.set(linewidth=_style.marker_scale(), linestyle=_style.DASHED, zorder=1)
                    line.set_alpha(0.7 if several else 1)
                width, marker = (3, "D") if is_whole else (2.2, "o")
                own: dict[str, Any] = {"marker": marker, "size": size}
                own["width"] = width / (1.4 if several else 1)
                _style.score_in_row(ax, row + offset, figures[:4], **looks[name], **own)
    _style.group_axis(ax, [labels[key] for key in keys])
    ax.set_xlim(*_inputs.limits(ends, metric.bounds))
    levels = {report.confidence if _inputs.is_a("report", report) else None for report in given.values()}
    level = "".join(f"{level_text(share)} " for share in levels if share is not None and len(levels) == 1)
    _style.side(ax, [_counts([table.get(key) for table in tables.values()]) for key in keys])
    label = f"{_inputs.show_on(ax.xaxis, metric, measures[0])}, {level}interval{_style.not_shown(hidden)}"
    line_look: dict[str, Any] = {"marker": "o", "markersize": _style.marker_scale() * size, "linewidth": 2}
    handles = [Line2D([], [], **looks[name], **line_look) for name in given]
    whose = "" if several else "".join(f" of {_style.name(name)}" for name in given if name)
    own_title = f"{_style.name(metric.label)}{whose}{_style.sliced_by(first.by)}"
    names = list(given) if several else []
    return _style.finish(ax, title, label, own_title=own_title, handles=handles, names=names)


def _measures(report: Any, slices: _inputs.DrawnSlices) -> tuple[Metric, ...]:
    columns = slices.frame.columns
    metrics = _inputs.metrics_of(report, [name for name in columns if {*ends_of(name)} <= {*columns}])
    if not metrics:
        raise _REPORT.error(report, " without a measure that has an interval")
    return metrics


def _figures(slices: _inputs.DrawnSlices, metric: Metric) -> dict[str, tuple[Any, ...]]:
    """Return the score of each slice, with its ends, whether it has few rows, and its number of rows."""
    frame = slices.frame
    values = [frame[name].alias("value").cast(pl.Float64).fill_nan(None) for name in metric.ends]
    return dict(zip(slices.labels, zip(*values, frame["few_rows"], frame["n"], strict=True), strict=True))


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
    most = count("max_groups", max_groups, 1, MOST_ROWS - 1)
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
    # Markers differ too, because the colours may look the same in greyscale.
    for name, marker, numbers in zip(systems, ("s", "o"), scores, strict=True):
        rows = numbers.is_not_null().arg_true()
        look: dict[str, Any] = {"color": shades[name], "markersize": 7 * scale, "linestyle": "none"}
        handles += ax.plot(numbers.drop_nulls().to_numpy(), rows.to_numpy(), marker, zorder=2, **look)
    _style.group_axis(ax, labels)
    ax.set_xlim(*_inputs.limits([*itertools.chain(*scores)], drawn.bounds))
    lines = frame.select(DIFFERENCE).iter_rows()
    kind = difference_kind(_inputs.kind_of(drawn, metrics))
    differences = [_inputs.spelled_figure(value, ends, kind) for value, *ends in lines]
    _style.side(ax, differences, bold=_style.significant(frame))
    label = f"{_inputs.show_on(ax.xaxis, drawn, metrics)}{_style.not_shown(hidden)}"
    return _style.finish(ax, title, label, handles=handles, names=systems)


@takes_names
def error_types(
    frame: Any,
    by: str | Sequence[str] | None = None,
    *,
    error_type: str = "error_type",
    title: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the error types of each group as stacked shares.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows, with a column from `error_type`; a report or a summary made
        with ``details=True``; or the frame of `Report.errors`, not a frame of other counts.
    by
        Columns that group the rows. By default, a report or a summary uses its own columns, and the frame of
        `Report.errors` uses its keys. A row counts in the group of each entry of a list; null and the empty
        list form one group.
    error_type
        Name of the column of rows with the error types; nulls (rows without an answer) are left out.
    title
        Title; none by default.
    max_groups
        Maximum number of groups to draw; the axis label states the number of omitted groups. Groups of
        rows are drawn by size, those of a report, a summary or the frame of `Report.errors` in their order.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the groups.

    Returns
    -------
    Axes
        Axes with a bar for each group, all rows at the top, with one segment for each error type that occurs.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    TypeError
        If `frame` has another type, or `ax` is not an Axes.
    ValueError
        If the column holds values that are not error types, or the report has no error types.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"error_type": ["exact", "wrong", "exact"], "lang": ["en", "de", "de"]})
    >>> ax = af.plot.error_types(df, "lang")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    """
    most = count("max_groups", max_groups, 1, MOST_ROWS - 1)
    whole, groups = _counted(frame, by, error_type)
    shown = [*whole.values(), *groups.values()][: len(whole) + most]
    ax = _inputs.axes(ax, 7.6, 1.7 + _ROW * len(shown))
    hidden = max(len(groups) - most, 0)
    handles, kinds = _stack(ax, shown)
    label = f"share of the rows{_style.not_shown(hidden)}"
    names = [kind.replace("_", " ") for kind in kinds]
    return _style.finish(ax, title, label, handles=handles, names=names)


_Groups = dict[str, tuple[_style.Label, dict[str, int]]]
"""The label and the counts of each group, by its keys as text."""


def _counted(given: Any, by: str | Sequence[str] | None, error_type: str) -> tuple[_Groups, _Groups]:
    """Return the counts of all rows, if known, and those of the groups in drawing order."""
    columns = check_by(by)
    if _inputs.is_result(given):
        columns = tuple(_ERRORS.summary(given).settings.by) if by is None else columns
        whole, groups = (_grouped(_ERRORS.detail(given, "errors", keys), keys) for keys in ((), columns))
        if columns and _inputs.is_a("report", given):
            # A report may have its own order, and leave out small slices.
            slices = map(repr, given.slices_by(columns).select(*map(cs.by_name, columns)).rows())
            groups = {keys: groups[keys] for keys in slices if keys in groups}
        return whole, groups if columns else {}
    given = _ERRORS.frame(given)
    counted = _ERRORS.counts(given, "errors", columns, _COUNTED)
    if counted is not None:
        keys, counts = counted
        return ({}, _grouped(counts, keys)) if keys else (_grouped(counts, []), {})
    if error_type == "error_type":
        _ERRORS.check(given, [error_type], "; add it with `anls_frame.error_type`")
    whole, groups = (_grouped(_counts_of_rows(given, keys, error_type), keys) for keys in ((), columns))
    return whole, groups if columns else {}


def _counts_of_rows(frame: Any, by: Sequence[str], column: str) -> pl.DataFrame:
    """Count the rows of each error type in each group, the largest group first."""
    keys = [f"key_{index}" for index in range(len(by))]
    given = to_lazy(frame, [], [column, *by])
    dtype = given.collect_schema()[column]
    if dtype.is_nested():
        raise DTypeError(f"column {column!r} has dtype {dtype}; this plot needs one error type in each row")
    rows = given.select(
        cs.by_name(column).cast(pl.String).alias("error_type"),
        *(cs.by_name(name).alias(key) for name, key in zip(by, keys, strict=True)),
    )
    counts = rows.drop_nulls("error_type").group_by(*keys, "error_type").agg(pl.len().alias("n")).collect()
    unknown = sorted(set(counts["error_type"]) - set(_palette.ERROR_COLORS))
    if unknown:
        raise ValueError(
            f"column {column!r} holds {unknown[:3]}, but error types must be among "
            f"{list(_palette.ERROR_COLORS)}"
        )
    # Repeated entries of a list count once.
    lists = [key for key in keys if isinstance(counts.schema[key], pl.List)]
    counts = explode_lists(counts.with_columns(pl.col(lists).list.unique()), keys)
    counts = counts.group_by(*keys, "error_type").agg(pl.col("n").sum())
    if by:
        check_slices(counts, keys, by)
        sizes = pl.col("n").sum().over(keys)
        counts = counts.sort(sizes, *keys, descending=[True, *(False for _ in by)])
    return counts.rename(dict(zip(keys, by, strict=True)))


def _grouped(counts: pl.DataFrame, by: Sequence[str]) -> _Groups:
    """Return the counts of each group, in the order of the table."""
    groups: _Groups = {} if by else {"()": (_inputs.whole(), {})}
    for *keys, kind, n in counts.select(*map(cs.by_name, by), "error_type", "n").iter_rows():
        # As text, because NaN differs from itself and structs cannot be keys.
        _, numbers = groups.setdefault(repr(tuple(keys)), (_style.label(keys), {}))
        numbers[kind] = n
    return groups


def _stack(ax: Axes, groups: Sequence[tuple[_style.Label, dict[str, int]]]) -> tuple[list[Any], list[str]]:
    """Draw stacked shares, with one bar for each group; return the segments of each error type."""
    labels, counts = [label for label, _ in groups], [numbers for _, numbers in groups]
    kinds = [kind for kind in _palette.ERROR_COLORS if any(count.get(kind) for count in counts)]
    left = np.zeros(len(labels))
    handles = []
    for kind in kinds:
        shares = np.array([count.get(kind, 0) / max(sum(count.values()), 1) for count in counts])
        look: dict[str, Any] = {"edgecolor": _style.background(ax), "linewidth": 0.7}
        color = _palette.ERROR_COLORS[kind]
        handles.append(ax.barh(range(len(labels)), shares, 0.78, left=left, color=color, **look))
        left = left + shares
    _style.group_axis(ax, labels)
    ax.set_xlim(0, 1)
    _style.side(ax, [f"n = {sum(count.values()):,}" for count in counts])
    _style.percent_ticks(ax.xaxis)
    if not kinds:
        _style.nothing(ax)
    width = _style.widths(ax).axes
    for bars, kind in zip(handles, kinds, strict=True):
        color = _style.on(_palette.ERROR_COLORS[kind])
        for bar in bars:
            share = bar.get_width()
            x, y = bar.get_center()
            text = ax.text(x, y, f"{100 * share:.0f}", fontsize="x-small", color=color)
            text.set(ha="center", va="center")
            if share < _LABELLED or 1.15 * _style.measured(text).width > share * width:
                text.remove()
    return handles, kinds


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
    Draw found slices: scores with intervals next to the rest, or shares of rows and of the loss.

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
        the score of the rest. `"shares"` draws the slice's share of all rows and of the total loss.
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
        Axes with a row for each slice. A hollow point marks few rows. P-values are next to the points, in
        bold if at most 0.05.

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
    most = count("max_groups", max_groups, 1, MOST_ROWS - 1)
    choice("kind", kind, ("effects", "shares"))
    table = slices.table if isinstance(slices, FoundSlices) else _FOUND.table(slices, _FOUND_COLUMNS)
    metrics = _inputs.metrics_of(slices, table["metric"].unique(maintain_order=True))
    first = table["metric"].first()
    drawn = _inputs.measured(metric or (str(first) if first is not None else None), metrics, "metric")
    in_metric = table.filter(pl.col("metric") == drawn.name)
    lines, compared = _losses_of(in_metric, system)
    frame = lines.head(most)
    ax = _inputs.axes(ax, 9.6, 1.3 + _FOUND_ROW * max(frame.height, 2))
    _style.group_axis(ax, [_style.Label(_style.drawable(text)) for text in frame["description"]], _LONGEST)
    draw = _effects if kind == "effects" else _shares
    handles, names, label = draw(ax, frame, drawn)
    if kind == "effects":
        _inputs.show_on(ax.xaxis, drawn, metrics)
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
            raise ValueError(f'system="{system}" is for slices in which systems lost; these are of scores')
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
    figures = frame.select(pl.col(*with_ends(name), "rest").cast(pl.Float64).fill_nan(None))
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
    values = [*itertools.chain(*figures)]
    ax.set_xlim(*_inputs.limits([*values, 0.0] if is_change else values, bounds))
    p_values = frame["p_adjusted"] if "p_adjusted" in frame.columns else [None] * frame.height
    notes = ["" if p is None else f"p = {figure(p, 'p_value')}" for p in p_values]
    _style.side(ax, notes, bold=_style.significant(frame))
    change = "change in " if is_change else ""
    return handles, ["slice", "all other rows"], f"{change}{_inputs.axis_name(metric)}, with interval"


def _shares(ax: Axes, frame: pl.DataFrame, metric: Metric) -> tuple[list[Any], list[str], str]:
    """Draw shares of rows and of the total loss; return the legend and the label of the axis."""
    colors = {"share_of_rows": _style.ink(ax, 0.45), "share_of_loss": _palette.BLUE}
    notes, handles, drawn = [], [], [0.01]
    for index, (name, color) in enumerate(colors.items()):
        values = frame[name].fill_null(0).to_list()
        drawn += values
        rows = [row + (index - 0.5) * _HEIGHT for row in range(frame.height)]
        handles.append(ax.barh(rows, values, _HEIGHT, color=color))
    for rows_share, loss in frame.select("share_of_rows", "share_of_loss").iter_rows():
        notes.append(" → ".join(spelled(share, (), "share") for share in (rows_share, loss)))
    ax.set_xlim(0, 1.03 * max(drawn))
    _style.percent_ticks(ax.xaxis)
    _style.side(ax, notes)
    return handles, ["rows", "total loss"], f"share of all ({_style.name(metric.label)})"
