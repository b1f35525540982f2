"""Scores against the length of the text, and against the threshold of the cut."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _palette, _text
from anls_frame._arguments import count
from anls_frame.analysis.curves import threshold_curve as threshold_anls
from anls_frame.plot import _inputs, _style
from anls_frame.summary.keys import explode_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes

    from anls_frame.summary.summary import Summary

__all__ = ["length_effect", "threshold_curve"]

_WIDE = 30
_BANDS = 3
_GROUPS = 6
_MARKERS = "osD^vPX"


def length_effect(
    frame: Any,
    scores: str | Sequence[str] | Mapping[str, str],
    length: str,
    *,
    by: str | None = None,
    bins: int = 8,
    colors: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the mean score against the length of the text, for systems or for groups.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows; no summary.
    scores
        Name of a column of scores, of several, or columns by the names of their systems.
    length
        Column with a length of each row, as `reference_length` of `add_scores` or a number of words.
    by
        Column of groups to draw a line each for, the six largest; then one column of scores only. A row
        counts in each entry of a list.
    bins
        Number of bins of about equal numbers of rows, the same for all lines.
    colors
        Colours by the names of systems or groups, in place of the ones that go with the names.
    ax
        Where to draw; new axes, on a figure of their own, by default.

    Returns
    -------
    Axes
        With a line for each system or group: the mean of each bin over the mean length in it, and up to
        three lines also have a 95 % interval (Student's t, rows taken for independent). The lengths are on
        a logarithmic axis where the longest is more than 30 times the shortest.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column holds no numbers.
    TypeError
        If it is no frame, or `ax` are no axes.
    ValueError
        If several scores and groups are asked for, or there is no bin.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"anls": [1.0, 0.9, 0.5, 0.0], "reference_length": [3, 4, 20, 30]})
    >>> ax = af.plot.length_effect(df, "anls", "reference_length", bins=2)
    >>> ax.lines[0].get_ydata().tolist()
    [0.95, 0.25]
    """
    systems = _inputs.named(scores)
    bins = count("bins", bins, 1)
    if by is not None and len(systems) > 1:
        raise ValueError("draw several systems or several groups, not both")
    columns = list(dict.fromkeys((*systems.values(), length)))
    rows = _inputs.numbers(frame, columns, [] if by is None else [by]).drop_nulls(length)
    edges = _edges(rows[length], bins)
    if by is None:
        hidden, lines = 0, [(name, rows.select(length, score=column)) for name, column in systems.items()]
    else:
        hidden, lines = _groups(rows.select(length, score=next(iter(systems.values())), key=by))
    names = [name for name, _ in lines]
    # A column alone has no system's name.
    alone = {names[0]: _palette.BLUE} if by is None and isinstance(scores, str) else None
    shades = _palette.system_colors(names, colors or alone)
    ax = _inputs.axes(ax, 6.4, 4)
    handles = []
    for (name, line), marker in zip(lines, itertools.cycle(_MARKERS)):
        means = _means(line["score"], line[length], edges)
        x, y, low, high = (means[column].to_numpy() for column in ("length", "score", "low", "high"))
        handles += ax.plot(x, y, marker=marker, markersize=5, lw=1.8, color=shades[name])
        if len(lines) <= _BANDS:
            ax.fill_between(x, low, high, color=shades[name], alpha=0.15, linewidth=0)
    if rows.is_empty():
        _style.nothing(ax)
    shortest, longest = rows[length].min(), rows[length].max()
    if isinstance(shortest, float) and isinstance(longest, float) and longest > _WIDE * max(shortest, 1):
        ax.set_xscale("log" if shortest > 0 else "symlog")
        _plain_ticks(ax)
    name = next(iter(systems.values())) if len(systems) == 1 else "score"
    _style.as_data(ax.set_ylabel(f"mean {_text.label(name)}"))
    of = f" (the {len(lines)} largest of {len(lines) + hidden} groups)" if hidden else ""
    _style.as_data(ax.set_xlabel(f"{_text.label(length)}{of}"))
    _style.tidy(ax, grid="both")
    if len(lines) > 1:
        _style.legend(ax, handles, names, loc="best")
    return ax


def threshold_curve(
    summaries: Summary | Mapping[str, Summary],
    *,
    colors: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw ANLS against the threshold of its cut.

    The steeper the curve at the threshold in use, the more the score owes to where the cut is; where two
    curves cross, the threshold decides which system is ahead.

    Parameters
    ----------
    summaries
        A summary of texts, as `summarize` returns it and a report has in `.summary`, or several by the names
        of their systems; no frame.
    colors
        Colours by the names of systems, in place of the ones that go with the names.
    ax
        Where to draw; new axes, on a figure of their own, by default.

    Returns
    -------
    Axes
        With a line for each summary over the thresholds 0, 1/200, ..., 1, and a dashed line at the threshold
        that the first one was made with.

    Raises
    ------
    TypeError
        If it is no summary, or `ax` are no axes.
    ValueError
        If it is a summary of existing scores, if there is none, or if their protocols cut differently.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "abx"], "answer": ["a", "abc"]})
    >>> ax = af.plot.threshold_curve(af.summarize(df, "prediction", "answer"))
    >>> ax.get_xlabel()
    'threshold t, kept where d / L < t'
    """
    several = isinstance(summaries, Mapping)
    given = dict(summaries) if isinstance(summaries, Mapping) else {"ANLS": summaries}
    if not given:
        raise ValueError("there is no summary to draw")
    curves = {name: threshold_anls(_inputs.summary_of_texts(summary)) for name, summary in given.items()}
    cuts = {summary.settings.protocol.cut for summary in given.values()}
    if len(cuts) > 1:
        raise ValueError("the summaries' protocols cut differently, by distance and by similarity")
    rule = "d / L < t" if cuts == {"distance"} else "NLS ≥ t"
    shades = _palette.system_colors(curves, colors) if several else {"ANLS": _palette.BLUE}
    ax = _inputs.axes(ax, 6.4, 4)
    threshold = next(iter(given.values())).settings.threshold or 0.0
    ax.axvline(threshold, color="#404040", linewidth=1, linestyle=(0, (4, 3)), zorder=1)
    handles = [
        ax.plot(curve["threshold"].to_numpy(), curve["anls"].to_numpy(), lw=1.8, color=shades[name])[0]
        for name, curve in curves.items()
    ]
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    ax.set_xlabel(f"threshold t, kept where {rule}")
    ax.set_ylabel("ANLS")
    _style.tidy(ax, grid="both")
    if several:
        _style.legend(ax, handles, list(curves), loc="lower left")
    if not any(summary.cells["n"].sum() for summary in given.values()):
        _style.nothing(ax)
    return ax


def _edges(lengths: pl.Series, bins: int) -> list[float]:
    """Return the upper edges of bins of about equal numbers of rows."""
    edges = {lengths.quantile((index + 1) / bins, "lower") for index in range(bins)}
    return sorted(edge for edge in edges if edge is not None)


def _groups(rows: pl.DataFrame) -> tuple[int, list[tuple[str, pl.DataFrame]]]:
    """Return the largest groups, and how many others there are."""
    if isinstance(rows.schema["key"], pl.List):
        rows = explode_lists(rows.with_columns(pl.col("key").list.unique()), ["key"])
    keys = rows["key"].value_counts().sort("count", "key", descending=[True, False])["key"]
    largest = keys.head(_GROUPS).to_list()
    return max(len(keys) - _GROUPS, 0), [
        (_text.label(key), rows.filter(pl.col("key").eq_missing(pl.lit(key)))) for key in largest
    ]


def _means(scores: pl.Series, lengths: pl.Series, edges: Sequence[float]) -> pl.DataFrame:
    """Mean score and length of the rows in each bin, with an interval where there are two or more."""
    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    rows = pl.DataFrame({"length": lengths, "score": scores}).drop_nulls()
    # An edge belongs to the bin below it.
    place = pl.lit(pl.Series(edges, dtype=pl.Float64)).search_sorted(pl.col("length"), side="left")
    means = (
        rows.with_columns(place.alias("bin"))
        .group_by("bin")
        .agg(pl.len().alias("n"), pl.col("length", "score").mean(), pl.col("score").var().alias("variance"))
        .sort("bin")
    )
    n = means["n"].to_numpy()
    low, high = statistics.t_interval(
        means["score"].to_numpy(), means["variance"].cast(pl.Float64).to_numpy() / n, n
    )
    return means.with_columns(low=low, high=high)


def _plain_ticks(ax: Axes) -> None:
    from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: PLC0415 - only for those who plot

    if ax.get_xscale() == "log":
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        ax.xaxis.set_minor_locator(LogLocator(subs=()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
