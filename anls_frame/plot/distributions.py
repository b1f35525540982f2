"""How scores spread: exact ones apart from those between, and the curve of all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _palette, _text
from anls_frame._arguments import number
from anls_frame.analysis.curves import BARS, Histogram, cut_between, score_histogram
from anls_frame.plot import _inputs, _style

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from anls_frame.summary.summary import Summary

__all__ = ["cer_distribution", "ecdf", "score_distribution"]

_MOST_STEPS = 2_000
_LETTER = 0.0135
"""Width of a small letter, as a share of the strip."""


def score_distribution(
    summary: Summary, *, label: str | None = None, color: str | None = None, ax: Axes | None = None
) -> Axes:
    """
    Draw how the NLS of the rows spreads, and what the cut takes.

    The strip above has the shares of all rows: NLS 0, below the cut, kept by it, and 1. The histogram below
    has the rows between 0 and 1 only, which the others would dwarf.

    Parameters
    ----------
    summary
        A summary of texts, as `summarize` returns it and a report has in `.summary`; no frame.
    label
        Name of the system, for the title; it also gives the colour that the system has in other plots.
    color
        Another colour for what is kept.
    ax
        Where to draw; new axes, on a figure of their own, by default.

    Returns
    -------
    Axes
        With the histogram as bars, in numbers of rows.

    Raises
    ------
    TypeError
        If it is no summary, or `ax` are no axes.
    ValueError
        If it is a summary of existing scores, which has no histogram: see `ecdf`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "abc", "x"], "answer": ["a", "abd", "y"]})
    >>> ax = af.plot.score_distribution(af.summarize(df, "prediction", "answer"))
    >>> ax.get_ylabel()
    'rows'
    """
    histogram = score_histogram(_inputs.summary_of_texts(summary))
    threshold = summary.settings.threshold or 0.0
    kept = _palette.system_color(label, color)
    middles = [(index + 0.5) / len(histogram.bins) for index in range(len(histogram.bins))]
    colors = [_palette.LIGHT if middle < threshold else kept for middle in middles]
    ax = _bars(ax, histogram, colors, "NLS")
    if 0 < threshold < 1:
        ax.axvline(threshold, color="#404040", linewidth=1, linestyle=(0, (4, 3)))
    below = cut_between(summary, histogram)
    parts = [
        ("0", histogram.low, _palette.GREY),
        (f"below {threshold:g}", below, _palette.LIGHT),
        ("kept", sum(histogram.bins) - below, kept),
        ("1", histogram.high, _style.darker(kept)),
    ]
    _strip(ax, parts)
    _heading(ax, "NLS", label, histogram.n)
    return ax


def cer_distribution(
    frame: Any,
    cer: str = "cer",
    *,
    upper: float = 1.0,
    label: str | None = None,
    color: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw how the character error rates of the rows spread.

    The strip above has the shares of all rows: no error, some, and `upper` or more (1 where nothing was
    predicted). The histogram below has the rows between, so that neither the many without an error nor a
    long tail flattens it.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows, with a column of rates as `cer` gives them; no summary.
    cer
        Name of the column; nulls are left out.
    upper
        Rates from there on are counted together.
    label
        Name of the system, for the title; it also gives the colour that the system has in other plots.
    color
        Another colour.
    ax
        Where to draw; new axes, on a figure of their own, by default.

    Returns
    -------
    Axes
        With the histogram as bars, in numbers of rows.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If the column holds no numbers.
    TypeError
        If it is no frame, or `ax` are no axes.
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
    rates = _inputs.numbers(frame, [cer])[cer].drop_nulls()
    histogram = rate_histogram(rates, upper)
    shade = _palette.system_color(label, color)
    ax = _bars(ax, histogram, shade, "CER", upper)
    most = float(str(rates.max())) if histogram.high else upper
    tail = f"{upper:g} to {most:.3g}" if most > upper else f"{upper:g}"
    parts = [
        ("0", histogram.low, _palette.LIGHT),
        ("between", sum(histogram.bins), shade),
        (tail, histogram.high, _style.darker(shade)),
    ]
    _strip(ax, parts)
    _heading(ax, "CER", label, histogram.n)
    return ax


def rate_histogram(rates: pl.Series, upper: float, bars: int = BARS) -> Histogram:
    """Count rates: at 0, in bins between 0 and `upper`, and from there on."""
    between = rates.filter((rates > 0) & (rates < upper))
    place = (between / upper * bars).floor().cast(pl.Int64).clip(0, bars - 1)
    counts = dict(place.value_counts().iter_rows())
    low, high = int((rates <= 0).sum()), int((rates >= upper).sum())
    return Histogram(low, [counts.get(index, 0) for index in range(bars)], high)


def ecdf(
    frame: Any,
    scores: str | Sequence[str] | Mapping[str, str],
    *,
    colors: Mapping[str, str] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the share of rows that score at most x, for one system or several.

    A curve further to the right is better (for error rates: worse); a jump is a share of equal scores.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows with columns of scores; no summary.
    scores
        Name of the column, of several, or columns by the names of their systems. Nulls are left out.
    colors
        Colours by the names of systems, in place of the ones that go with the names.
    ax
        Where to draw; new axes, on a figure of their own, by default.

    Returns
    -------
    Axes
        With one stepped line for each column, of at most 2,000 steps.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column holds no numbers.
    TypeError
        If it is no frame, or `ax` are no axes.
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
    systems = _inputs.named(scores)
    rows = _inputs.numbers(frame, list(dict.fromkeys(systems.values())))
    # A column alone has no system's name.
    shades = _palette.system_colors(
        systems, colors if colors or not isinstance(scores, str) else {scores: _palette.BLUE}
    )
    ax = _inputs.axes(ax, 6.4, 4)
    curves = {name: steps(rows[column]) for name, column in systems.items()}
    ends = [0.0, 1.0, *(x for places, _ in curves.values() for x in (*places[:1], *places[-1:]))]
    margin = 0.02 * (max(ends) - min(ends))
    left, right = min(ends) - margin, max(ends) + margin
    drawn = {name: curve for name, curve in curves.items() if curve[0]}
    # From edge to edge of the axes: below the lowest score nothing, above the highest all.
    handles = [
        ax.step([left, *x, right], [0.0, *y, 1.0], where="post", color=shades[name], lw=1.8)[0]
        for name, (x, y) in drawn.items()
    ]
    names = [f"{name} (n = {rows[systems[name]].count():,})" for name in drawn]
    ax.set_xlim(left, right)
    ax.set_ylim(0, 1.02)
    ax.set_yticks([0, 0.25, 0.5, 0.75, 1], ["0 %", "25 %", "50 %", "75 %", "100 %"])
    ax.set_ylabel("rows that score at most x")
    _style.as_data(ax.set_xlabel(_text.label(next(iter(systems.values()))) if len(systems) == 1 else "score"))
    _style.tidy(ax, grid="both")
    if handles:
        _style.legend(ax, handles, names, loc="best")
    else:
        _style.nothing(ax)
    return ax


def steps(scores: pl.Series) -> tuple[list[float], list[float]]:
    """Return the places at which the share of rows rises, and the share from there on."""
    counts = scores.drop_nulls().alias("x").value_counts().sort("x")
    if counts.is_empty():
        return [], []
    counts = counts.select("x", (pl.col("count").cum_sum() / pl.col("count").sum()).alias("share"))
    if counts.height > _MOST_STEPS:
        # Of rows with almost the same share the last one: no line shows the difference.
        places = (pl.col("share") * (_MOST_STEPS - 1)).ceil().alias("place")
        counts = counts.group_by(places).agg(pl.col("x", "share").max()).sort("x")
    return counts["x"].to_list(), counts["share"].to_list()


def _bars(
    ax: Axes | None, histogram: Histogram, colors: str | Sequence[str], metric: str, upper: float = 1
) -> Axes:
    """Draw the rows between."""
    from matplotlib.ticker import MaxNLocator  # noqa: PLC0415 - only for those who plot

    ax = _inputs.axes(ax, 7, 3.6)
    width = upper / len(histogram.bins)
    edges = [index * width for index in range(len(histogram.bins))]
    ax.bar(edges, histogram.bins, width, align="edge", color=colors, edgecolor="white", linewidth=0.5)
    ax.set_xlim(0, upper)
    if not any(histogram.bins):
        _style.nothing(ax)
    ax.set_ylim(0, max(*histogram.bins, 1) * 1.08)
    ax.yaxis.set_major_locator(MaxNLocator(5, integer=True))
    ax.set_xlabel(f"{metric} of the rows between 0 and {upper:g}")
    ax.set_ylabel("rows")
    _style.tidy(ax)
    return ax


def _strip(ax: Axes, parts: Sequence[tuple[str, int, Any]]) -> None:
    """Draw the shares of all rows as a strip above the axes."""
    total = sum(count for _, count, _ in parts)
    strip = ax.inset_axes((0, 1.05, 1, 0.09))
    strip.set_axis_off()
    strip.set_xlim(0, 1)
    strip.set_ylim(0, 1)
    left = 0.0
    for name, count, color in parts:
        share = count / total if total else 0.0
        if share:
            strip.barh(0.5, share, 1, left=left, color=color, edgecolor="white", linewidth=1)
        words = f"{name}: {_style.percent(share)}"
        if share > _LETTER * len(words):
            text = strip.text(left + share / 2, 0.5, words)
            text.set(ha="center", va="center", fontsize="small", color=_style.on(color))
        left += share


def _heading(ax: Axes, metric: str, label: str | None, n: int) -> None:
    name = f"{metric} of {_text.label(label)}" if label else metric
    rows = _text.numbered(n, "row")
    if not (ax.get_title() or ax.get_title(loc="left")):
        # Above the strip.
        text = ax.set_title(f"{name}, {rows}", loc="left", fontsize="medium", y=1.17)
        _style.as_data(text)
