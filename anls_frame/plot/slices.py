"""Plots of scores by slice, of two systems by slice, and of error types by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _palette, _text
from anls_frame._arguments import count
from anls_frame.export.display import figure, slice_labels
from anls_frame.frames.conversion import to_lazy
from anls_frame.plot import _inputs, _style
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.measures import compared, reported

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from anls_frame.results import SlicedResult
    from anls_frame.summary.measures import Metric

__all__ = ["comparison", "error_types", "group_scores"]

_ROW = 0.31
_LABELLED = 0.05
_NARROWEST = 0.2


def group_scores(
    report: SlicedResult,
    score: str | None = None,
    *,
    label: str | None = None,
    color: str | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the score of all rows and of each slice, with intervals, as a forest plot.

    Parameters
    ----------
    report
        A report from `report`; not a frame.
    score
        Column of the report, such as `"anls"` (the default), `"exact_match"` or `"cer_corpus"`.
    label
        Name of the system for the title; the system has the same colour in other plots.
    color
        Colour in place of the default one.
    max_groups
        Number of slices to draw, the first ones of the report; the axis label gives the number of others.
    ax
        Axes to draw on; by default new axes on their own figure, as high as the slices need.

    Returns
    -------
    Axes
        Axes with a point and a line for each slice, all rows at the top; a hollow point marks a slice with
        few rows, whose interval is only approximate.

    Raises
    ------
    TypeError
        If `report` is not a report, or `ax` is not an Axes.
    ValueError
        If the report has no such score.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"], "lang": ["en", "de"]})
    >>> ax = af.plot.group_scores(af.report(df, "prediction", "answer", by="lang"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    """
    report = _inputs.sliced(report, "report")
    better = report.settings["higher_is_better"]
    metrics = {one.name: one for one in reported(report.settings["score"], higher_is_better=better)}
    score = next(iter(metrics)) if score is None else score
    if score not in metrics:
        raise ValueError(f"score must be one of {', '.join(map(repr, metrics))}, got {score!r}")
    metric = metrics[score]
    frame, labels, hidden = _rows(report, max_groups)
    by = report.settings["by"]
    shade = _palette.system_color(label, color)
    ax = _inputs.axes(ax, 7, 1.2 + _ROW * len(labels))
    values, low, high = (_floats(frame[name]) for name in metric.ends)
    few = frame["few_rows"].to_list()
    if values[0] is not None:
        ax.axvline(values[0], color="#404040", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    for row, (value, start, end) in enumerate(zip(values, low, high, strict=True)):
        if value is None:
            continue
        if start is not None and end is not None:
            ax.hlines(row, start, end, color=shade, linewidth=2.2 if row else 3)
        face = "white" if few[row] else shade
        ax.plot(value, row, "o" if row else "D", color=shade, markerfacecolor=face, markersize=6.5)
    _style.group_axis(ax, labels, bold=[0])
    ax.set_xlim(*_range([*values, *low, *high], bounded=metric.format != "rate" and _are_shares(values)))
    name = _axis_name(metric)
    _style.as_data(ax.set_xlabel(f"{name}, {100 * report.confidence:g} % interval{_not_shown(hidden)}"))
    _style.tidy(ax, grid="x")
    _side(ax, [f"n = {n:,}" for n in frame["n"].to_list()])
    of = f" of {_text.label(label)}" if label else ""
    _style.title(ax, f"{name}{of}" + (f" by {_text.label(' and '.join(by))}" if by else ""))
    return ax


def comparison(
    comparison: SlicedResult,
    *,
    colors: dict[str, str] | None = None,
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw two systems by slice as a dumbbell plot, with the differences beside it.

    Parameters
    ----------
    comparison
        A comparison from `compare`; not a frame.
    colors
        Colours by names of systems, in place of the default ones.
    max_groups
        Number of slices to draw, the largest ones; the axis label gives the number of others.
    ax
        Axes to draw on; by default new axes on their own figure, as high as the slices need.

    Returns
    -------
    Axes
        Axes with two points for each slice, all rows at the top. The difference at the right is bold if its
        p-value, adjusted for all slices together, is at most 0.05.

    Raises
    ------
    TypeError
        If `comparison` is not a comparison, or `ax` is not an Axes.
    ValueError
        If `max_groups` is not an integer of at least 1.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> ax = af.plot.comparison(af.compare(df, {"old": "old", "new": "new"}, "answer"))
    >>> ax.get_legend().get_texts()[1].get_text()
    'new'
    """
    settings = _inputs.sliced(comparison, "comparison").settings
    frame, labels, hidden = _rows(comparison, max_groups)
    first, second = systems = settings["systems"]
    better = settings["higher_is_better"]
    metric = compared(settings["metric"], settings["score"], higher_is_better=better)
    shades = _palette.system_colors(systems, colors)
    ax = _inputs.axes(ax, 7.6, 1.4 + _ROW * len(labels))
    values = [_floats(frame[name]) for name in (first, second)]
    for row, (before, after) in enumerate(zip(*values, strict=True)):
        if before is not None and after is not None:
            ax.hlines(row, before, after, color="#A0A0A0", linewidth=2.5, zorder=1)
    rows = range(len(labels))
    handles = []
    # Markers differ too, because the colours may look alike in greyscale.
    for name, marker, numbers in zip((first, second), ("s", "o"), values, strict=True):
        points = [(value, row) for row, value in zip(rows, numbers, strict=True) if value is not None]
        x, y = ([point[side] for point in points] for side in (0, 1))
        handles += ax.plot(x, y, marker, color=shades[name], markersize=7, linestyle="none", zorder=2)
    _style.group_axis(ax, labels, bold=[0])
    everything = [*values[0], *values[1]]
    ax.set_xlim(*_range(everything, bounded=_are_shares(everything)))
    _style.as_data(ax.set_xlabel(f"{_axis_name(metric)}{_not_shown(hidden)}"))
    _style.tidy(ax, grid="x")
    _side(ax, _differences(frame), bold=_surely_different(frame))
    _style.legend(
        ax, handles, [first, second], loc="lower right", bbox_to_anchor=(1, 1), ncols=2, borderaxespad=0
    )
    return ax


def error_types(
    frame: Any,
    by: str | None = None,
    *,
    error_type: str = "error_type",
    max_groups: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the error types of each group as stacked shares.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows, with a column from `error_type`; not a summary.
    by
        Column that groups the rows. A row counts in the group of each entry of a list; null and the empty
        list form one group.
    error_type
        Name of the column with the error types; nulls (rows without an answer) are left out.
    max_groups
        Number of groups to draw, the largest ones; the axis label gives the number of others.
    ax
        Axes to draw on; by default new axes on their own figure, as high as the groups need.

    Returns
    -------
    Axes
        Axes with a bar for each group, all rows at the top, with one segment for each error type that occurs.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    TypeError
        If `frame` is not a frame, or `ax` is not an Axes.
    ValueError
        If the column holds values that are not error types.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"error_type": ["exact", "wrong", "exact"], "lang": ["en", "de", "de"]})
    >>> ax = af.plot.error_types(df, "lang")
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    """
    _inputs.check_rows(frame)
    most = count("max_groups", max_groups, 1)
    counts = error_counts(frame, by, error_type)
    labels, hidden = ["all rows"], 0
    tables = [counts.group_by("kind").agg(pl.col("n").sum())]
    if by is not None:
        # A row with two keys counts once among all rows.
        tables = [error_counts(frame, None, error_type)]
        sizes = counts.group_by("key").agg(pl.col("n").sum()).sort("n", "key", descending=[True, False])
        hidden = max(sizes.height - most, 0)
        for key in sizes["key"].head(most):
            labels.append(_text.label(key))
            tables.append(counts.filter(pl.col("key").eq_missing(key)))
    ax = _inputs.axes(ax, 7.6, 1.7 + _ROW * len(labels))
    draw_errors(ax, labels, [dict(table.select("kind", "n").iter_rows()) for table in tables])
    ax.set_xlabel(f"share of the rows{_not_shown(hidden)}")
    return ax


def error_counts(frame: Any, by: str | None, error_type: str) -> pl.DataFrame:
    """Count the rows of each error type, `kind`, in each group, `key`."""
    rows = to_lazy(frame, [], [error_type, *([] if by is None else [by])]).select(
        pl.col(error_type).cast(pl.String).alias("kind"),
        *([pl.lit(None).alias("key")] if by is None else [pl.col(by).alias("key")]),
    )
    counts = rows.drop_nulls("kind").group_by("key", "kind").agg(pl.len().alias("n")).collect()
    unknown = sorted(set(counts["kind"]) - set(_palette.ERROR_COLORS))
    if unknown:
        raise ValueError(
            f"column {error_type!r} holds {unknown[:3]}, but error types must be among "
            f"{list(_palette.ERROR_COLORS)}"
        )
    if isinstance(counts.schema["key"], pl.List):
        # Repeated entries count once.
        counts = explode_lists(counts.with_columns(pl.col("key").list.unique()), ["key"])
    return counts.group_by("key", "kind").agg(pl.col("n").sum())


def draw_errors(ax: Axes, labels: Sequence[str], counts: Sequence[dict[str, int]]) -> None:
    """Draw stacked shares, with one bar for each label; the first is for all rows."""
    totals = [sum(count.values()) for count in counts]
    kinds = [kind for kind in _palette.ERROR_COLORS if any(count.get(kind) for count in counts)]
    left = [0.0] * len(labels)
    handles = []
    for kind in kinds:
        shares = [count.get(kind, 0) / max(total, 1) for count, total in zip(counts, totals, strict=True)]
        color = _palette.ERROR_COLORS[kind]
        look: dict[str, Any] = {"color": color, "edgecolor": "white", "linewidth": 0.7}
        handles.append(ax.barh(range(len(labels)), shares, 0.78, left=left, **look))
        for row, share in enumerate(shares):
            if share >= _LABELLED:
                text = ax.text(left[row] + share / 2, row, f"{100 * share:.0f}", fontsize="x-small")
                text.set(ha="center", va="center", color=_style.on(color))
        left = [start + share for start, share in zip(left, shares, strict=True)]
    _style.group_axis(ax, labels, bold=[0])
    ax.set_xlim(0, 1)
    ax.set_xticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    _style.tidy(ax, grid="x")
    _side(ax, [f"n = {total:,}" for total in totals])
    if not kinds:
        _style.nothing(ax)
        return
    names = [kind.replace("_", " ") for kind in kinds]
    layout = {"ncols": 6, "columnspacing": 1.2, "handlelength": 1.0, "borderaxespad": 0.2}
    _style.legend(ax, handles, names, loc="lower right", bbox_to_anchor=(1, 1), fontsize="small", **layout)


def _rows(result: SlicedResult, max_groups: int) -> tuple[pl.DataFrame, list[str], int]:
    """Return the rows to draw, their labels, and the number of rows left out."""
    most = count("max_groups", max_groups, 1)
    frame = result.to_polars()
    shown = frame.head(most + 1)
    return shown, slice_labels(shown, result.settings["by"]), frame.height - shown.height


def _floats(values: pl.Series) -> list[float | None]:
    return values.cast(pl.Float64).fill_nan(None).to_list()


def _are_shares(values: Sequence[float | None]) -> bool:
    return all(value is None or 0 <= value <= 1 for value in values)


def _range(values: Sequence[float | None], *, bounded: bool) -> tuple[float, float]:
    known = [value for value in values if value is not None]
    if not known:
        return 0.0, 1.0
    low, high = min(known), max(known)
    margin = max(0.06 * (high - low), 0.02)
    if not bounded:
        return low - margin, high + margin
    # A little beyond 0 and 1, so that points there are not clipped; wide enough for small
    # differences to look small.
    low, high = max(low - margin, -0.012), min(high + margin, 1.012)
    return (low, max(high, low + _NARROWEST)) if low < 0.5 else (min(low, high - _NARROWEST), high)  # noqa: PLR2004


def _not_shown(hidden: int) -> str:
    return f" ({hidden:,} more groups not shown)" if hidden else ""


def _side(ax: Axes, texts: Sequence[str], bold: Sequence[int] = ()) -> None:
    """Write a text beside each row, to the right of the axes."""
    for row, text in enumerate(texts):
        weight = "bold" if row in bold else "normal"
        ax.annotate(
            text, (1, row), (6, 0), xycoords=ax.get_yaxis_transform(), textcoords="offset points",
            va="center", fontsize="small", color="#404040", weight=weight, annotation_clip=False,
        )  # fmt: skip


def _differences(frame: pl.DataFrame) -> list[str]:
    texts = []
    for numbers in frame.select("difference", "difference_low", "difference_high").iter_rows():
        value, low, high = (None if number is None else figure(number, "difference") for number in numbers)
        interval = "" if low is None or high is None else f" [{low}, {high}]"
        texts.append("no rows" if value is None else f"{value}{interval}")
    return texts


def _surely_different(frame: pl.DataFrame) -> list[int]:
    adjusted = pl.coalesce("p_adjusted", "p_value") <= 0.05  # noqa: PLR2004 - as in `Comparison.regressed`
    return frame.with_row_index().filter(adjusted)["index"].to_list()


def _axis_name(metric: Metric) -> str:
    # For existing scores, the name alone does not say which direction is better.
    unknown = metric.has_scales and not metric.higher_is_better
    return f"{_text.label(metric.label)}{', lower is better' if unknown else ''}"
