"""Plots of score distributions: histograms with separate shares for 0 and 1, and cumulative curves."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl
from matplotlib.patches import Patch
from matplotlib.ticker import MaxNLocator

from anls_frame import _palette, _text
from anls_frame._arguments import number, takes_names
from anls_frame.analysis.curves import BARS, Histogram, score_histogram
from anls_frame.export.display import spelled
from anls_frame.plot import _inputs, _style

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["cer_distribution", "ecdf", "score_distribution"]


_MOST_STEPS = 2_000
_SUMMARY = _inputs.Input(
    "score_distribution", "a report or a summary of texts (`ecdf` draws the scores of a frame)"
)
_RATES = _inputs.Input(
    "cer_distribution", "a frame of rows with a column of rates; results keep sums, not rows"
)
_SCORES = _inputs.Input("ecdf", "a frame of rows with score columns; results keep sums, not rows")


def score_distribution(
    summary: Any,
    *,
    label: str | None = None,
    color: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the distribution of NLS over the rows, with the rows that the cut sets to 0.

    The strip at the top shows the shares of all rows, which the legend states: NLS 0, set to 0 by the
    threshold, kept, and NLS 1. The histogram shows only the rows between 0 and 1, which the other rows would
    dwarf.

    Parameters
    ----------
    summary
        A report, or a summary from `summarize`, of texts; not a frame.
    label
        Name of the system for the title; the system has the same colour in other plots.
    color
        Colour of the kept rows, in place of the default colour.
    title
        Title, in place of the default title; `""` for none.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with the histogram as bars, in numbers of rows.

    Raises
    ------
    TypeError
        If `summary` is neither a report nor a summary, or `ax` is not an Axes.
    ValueError
        If the summary is of existing scores, which has no histogram; see `ecdf`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "abc", "x"], "answer": ["a", "abd", "y"]})
    >>> ax = af.plot.score_distribution(af.summarize(df, "prediction", "answer"))
    >>> ax.get_ylabel()
    'rows'
    """
    summary = _SUMMARY.summary_of_texts(summary)
    histogram = score_histogram(summary)
    threshold = summary.settings.protocol.threshold or 0.0
    kept = _palette.system_color(label, color)
    middles = [(index + 0.5) / len(histogram.bins) for index in range(len(histogram.bins))]
    colors = [_palette.LIGHT if middle < threshold else kept for middle in middles]
    parts = [
        ("0", histogram.low, _palette.GREY),
        (f"below {threshold:g}", histogram.cut, _palette.LIGHT),
        ("kept", sum(histogram.bins) - histogram.cut, kept),
        ("1", histogram.high, _style.darker(kept)),
    ]
    ax = _draw(ax, histogram, colors, parts, "NLS", label=label, title=title)
    if 0 < threshold < 1:
        ax.axvline(threshold, color=_style.ink(ax, 0.75), linewidth=1, linestyle=_style.DASHED)
    return ax


@takes_names
def cer_distribution(
    frame: Any,
    cer: str = "cer",
    *,
    upper: float = 1.0,
    label: str | None = None,
    color: str | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the distribution of character error rates over the rows.

    The strip at the top shows the shares of rows, which the legend states: with no errors, with some, and
    with a rate of `upper` or more (the rate is 1 if nothing was predicted). The histogram shows only the rows
    in between, so that neither the many rows without errors nor a long tail flattens it.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows with a column of rates, for example from `cer`; not a summary.
    cer
        Name of the column, which may hold any rates of at least 0; nulls are left out.
    upper
        Rates of `upper` or more are counted together.
    label
        Name of the system for the title; the system has the same colour in other plots.
    color
        Colour, in place of the default colour.
    title
        Title, in place of the default title; `""` for none.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with the histogram as bars, in numbers of rows.

    Raises
    ------
    ColumnNotFoundError
        If the column is not in the frame.
    DTypeError
        If the column is not numeric.
    TypeError
        If `frame` is not a frame, or `ax` is not an Axes.
    ValueError
        If `upper` is not above 0.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> ax = af.plot.cer_distribution(pl.DataFrame({"cer": [0.0, 0.1, 0.12, 3.0]}))
    >>> int(sum(bar.get_height() for bar in ax.patches))
    2
    """
    upper = number("upper", upper, 0, ends=False)
    # Polars takes some names of columns for patterns.
    rates = _RATES.numbers(frame, [cer])[cer].alias("rate").drop_nulls().to_numpy()
    between = rates[(rates > 0) & (rates < upper)]
    # np.histogram puts 0.35 below its edge of 0.35000000000000003.
    bar = np.minimum(between / upper * BARS, BARS - 1).astype(np.int64)
    bars = np.bincount(bar, minlength=BARS)
    histogram = Histogram(int((rates <= 0).sum()), bars.tolist(), int((rates >= upper).sum()))
    shade = _palette.system_color(label, color)
    name = "CER" if cer == "cer" else _style.name(cer)
    least = f"{100 * upper:g} %"
    tail = f"{least} to {spelled(rates.max(), (), 'percent')}" if (rates > upper).any() else least
    parts = [
        ("0 %", histogram.low, _palette.LIGHT),
        ("between", sum(histogram.bins), shade),
        (tail, histogram.high, _style.darker(shade)),
    ]
    ax = _draw(ax, histogram, shade, parts, name, upper=upper, end=least, label=label, title=title)
    _style.percent_ticks(ax.xaxis)
    return ax


@takes_names
def ecdf(
    frame: Any,
    scores: str | Sequence[str] | Mapping[str, str],
    *,
    colors: Mapping[str, str] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the cumulative distribution of scores: the share of rows that score at most x, for several systems.

    A curve further to the right is better (for error rates, worse); the height of a jump is the share of rows
    with that score.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows with score columns; not a summary.
    scores
        Name of a score column, a list of names, or a dictionary from system names to columns. Nulls are left
        out.
    colors
        Colours by names of systems, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with one step curve for each column, of at most 2,000 steps.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column is not numeric.
    TypeError
        If `frame` is not a frame, or `ax` is not an Axes.
    ValueError
        If no column is named.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> ax = af.plot.ecdf(pl.DataFrame({"anls": [0.0, 0.5, 1.0, 1.0]}), "anls")
    >>> ax.lines[0].get_ydata().tolist()
    [0.0, 0.25, 0.5, 1.0, 1.0]
    """
    frame = _SCORES.frame(frame)
    systems = _inputs.columns_of("scores", scores)
    rows = _SCORES.numbers(frame, list(dict.fromkeys(systems.values())))
    for column in rows:
        if column.alias("column").is_infinite().any():
            raise ValueError(f"column {column.name!r} must be finite; drop or fill infinity")
    # A single column is not the name of a system.
    looks = _style.line_looks(systems, colors, is_nameless=isinstance(scores, str))
    ax = _inputs.axes(ax, 6.4, 4 + _style.legend_height(systems))
    curves = {name: steps(rows[column]) for name, column in systems.items()}
    ends = [0.0, 1.0, *itertools.chain.from_iterable(xs for xs, _ in curves.values())]
    margin = 0.02 * (max(ends) - min(ends))
    left, right = min(ends) - margin, max(ends) + margin
    drawn = {name: curve for name, curve in curves.items() if curve[0]}
    # From edge to edge of the axes: 0 below the lowest score, 1 above the highest.
    handles = [
        ax.step([left, *x, right], [0.0, *y, 1.0], where="post", linewidth=1.8, **looks[name])[0]
        for name, (x, y) in drawn.items()
    ]
    names = [
        _style.Label(f"{_text.left_to_right(short)} (n = {rows[systems[name]].count():,})")
        for name, short in zip(drawn, _style.names([*drawn]), strict=True)
    ]
    ax.set_xlim(left, right)
    ax.set_ylim(0, 1.02)
    _style.percent_ticks(ax.yaxis)
    if not handles:
        _style.nothing(ax)
    label, beside = _inputs.name_of_columns(systems), "rows that score at most x"
    return _style.finish(ax, title, label, beside, handles=handles, names=names, loc="best")


def steps(scores: pl.Series) -> tuple[list[float], list[float]]:
    """Return the scores at which the share of rows rises, and the share from each score on."""
    counts = scores.alias("x").drop_nulls().value_counts().sort("x")
    if counts.is_empty():
        return [], []
    counts = counts.select("x", (pl.col("count").cum_sum() / pl.col("count").sum()).alias("share"))
    if counts.height > _MOST_STEPS:
        # Of steps with almost the same share, keep the last one; the drawn line looks the same.
        step = (pl.col("share") * (_MOST_STEPS - 1)).ceil().alias("step")
        counts = counts.group_by(step).agg(pl.col("x", "share").max()).sort("x")
    return counts["x"].to_list(), counts["share"].to_list()


def _draw(
    ax: Axes | None,
    histogram: Histogram,
    colors: str | Sequence[str],
    parts: Sequence[tuple[str, int, Any]],
    metric: str,
    *,
    upper: float = 1,
    end: str = "1",
    label: str | None,
    title: str | None,
) -> Axes:
    """Draw the histogram of the rows between 0 and `upper`, and the shares of all rows as a strip above."""
    ax = _inputs.axes(ax, 7, 3.6)
    width = upper / len(histogram.bins)
    edges = [index * width for index in range(len(histogram.bins))]
    look: dict[str, Any] = {"color": colors, "linewidth": 0.5, "edgecolor": _style.background(ax)}
    ax.bar(edges, histogram.bins, width, align="edge", **look)
    ax.set_xlim(0, upper)
    if not any(histogram.bins):
        _style.nothing(ax)
    ax.set_ylim(0, max(*histogram.bins, 1) * 1.08)
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    _style.xlabel(ax, f"{metric} of the rows between 0 and {end}")
    ax.set_ylabel("rows")
    _style.tidy(ax)
    _strip(ax, parts, histogram.n)
    of_label = f" of {_style.name(label)}" if label else ""
    _style.title(ax, f"{metric}{of_label}, {_text.numbered(histogram.n, 'row')}", title)
    return ax


def _strip(ax: Axes, parts: Sequence[tuple[str, int, Any]], total: int) -> None:
    """Draw shares as a strip above the axes, over a legend with its colours, which are those of the bars."""
    shares = [count / max(total, 1) for _, count, _ in parts]
    handles = [Patch(facecolor=color) for *_, color in parts]
    names = [
        f"{name}: {spelled(share, (), 'share')}" for (name, *_), share in zip(parts, shares, strict=True)
    ]
    height = 10 * _style.scale()
    strip = _style.band_above(ax, height, _style.legend_above(ax, handles, names) + 0.4 * height)
    strip.set(xlim=(0, 1), ylim=(0, 1))
    left = 0.0
    for share, (*_, color) in zip(shares, parts, strict=True):
        if share:
            edge = _style.background(ax)
            strip.barh(0.5, share, 1, left=left, color=color, edgecolor=edge, linewidth=1)
        left += share
