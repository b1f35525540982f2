"""Plots of scores against text length, and of ANLS against the threshold."""

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
    Draw the mean score against the text length, for systems or for groups.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows, not a summary.
    scores
        Name of one score column or several, or a dictionary from system names to columns.
    length
        Column with the length of each row, such as `reference_length` of `add_scores` or a number of words.
    by
        Column that groups the rows, with one line for each of the six largest groups; `scores` must then be a
        single column. A row counts in the group of each entry of a list.
    bins
        Number of bins, with about equal numbers of rows; the same bins for all lines.
    colors
        Colours by names of systems or groups, in place of the default ones.
    ax
        Axes to draw on; by default new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each system or group: the mean score of each bin against its mean length. Up to
        three lines also have a 95 % interval (Student's t for independent rows). The length axis is
        logarithmic if the longest length is more than 30 times the shortest.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column is not numeric.
    TypeError
        If `frame` is not a frame, or `ax` is not an Axes.
    ValueError
        If several scores are combined with groups, or `bins` is below 1.

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
    # A single column is not the name of a system.
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
    Draw ANLS against its threshold.

    The steeper the curve at the threshold in use, the more the score depends on the choice of threshold. If
    two curves cross, the threshold decides which system is ahead.

    Parameters
    ----------
    summaries
        A summary of texts, from `summarize` or the attribute `.summary` of a report, or a dictionary from
        system names to summaries; not a frame.
    colors
        Colours by names of systems, in place of the default ones.
    ax
        Axes to draw on; by default new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each summary over the thresholds 0, 1/200, ..., 1, and a dashed line at the
        threshold of the first summary.

    Raises
    ------
    TypeError
        If `summaries` holds anything but summaries, or `ax` is not an Axes.
    ValueError
        If a summary is of existing scores, there is no summary, or the protocols cut differently.

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
        raise ValueError("summaries must hold at least one summary, got none")
    curves = {name: threshold_anls(_inputs.summary_of_texts(summary)) for name, summary in given.items()}
    cuts = {summary.settings.protocol.cut for summary in given.values()}
    if len(cuts) > 1:
        raise ValueError(
            "the protocols of the summaries must cut alike, got cuts by distance and by similarity"
        )
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
    """Return the upper edges of bins with about equal numbers of rows."""
    edges = {lengths.quantile((index + 1) / bins, "lower") for index in range(bins)}
    return sorted(edge for edge in edges if edge is not None)


def _groups(rows: pl.DataFrame) -> tuple[int, list[tuple[str, pl.DataFrame]]]:
    """Return the number of groups that are not drawn, and the largest groups."""
    if isinstance(rows.schema["key"], pl.List):
        rows = explode_lists(rows.with_columns(pl.col("key").list.unique()), ["key"])
    keys = rows["key"].value_counts().sort("count", "key", descending=[True, False])["key"]
    largest = keys.head(_GROUPS).to_list()
    return max(len(keys) - _GROUPS, 0), [
        (_text.label(key), rows.filter(pl.col("key").eq_missing(pl.lit(key)))) for key in largest
    ]


def _means(scores: pl.Series, lengths: pl.Series, edges: Sequence[float]) -> pl.DataFrame:
    """Return the mean score and length of each bin, with an interval if it has two rows or more."""
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
    from matplotlib.ticker import FuncFormatter, LogLocator  # noqa: PLC0415 - only to plot

    if ax.get_xscale() == "log":
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        ax.xaxis.set_minor_locator(LogLocator(subs=()))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
