"""Plots of curves: scores by length or step, ANLS by threshold, risks by coverage, scores by confidence."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs
from matplotlib.ticker import LogLocator

from anls_frame import statistics
from anls_frame._arguments import count, takes_names
from anls_frame.analysis.curves import threshold_curve as threshold_anls
from anls_frame.export.columns import SCORE, ends_of, with_ends
from anls_frame.plot import _inputs, _style
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.labels import check_slices
from anls_frame.summary.measures import Metric

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["curve", "reliability", "risk_coverage", "threshold_curve"]


_WIDE = 30
_BANDS = 3
_GROUPS = 6
_MOST_LINES = 8
_MARKERS = "osD^vPX"
_LENGTHS = ("length_from", "length_to", "n")
_ROWS = _inputs.Input(
    "curve",
    "a frame of rows, a report or summary made with details=True, or the frame of `lengths()` or "
    "`length_scores`",
)
_THRESHOLDS = _inputs.Input(
    "threshold_curve",
    "a report or a summary of texts, the frame of `anls_frame.threshold_curve`, or a dictionary of these",
)
_CURVE = _inputs.Input("risk_coverage", "the frame of `Selective.curve`")
_CERTIFIED = _inputs.Input("risk_coverage", "the frame of `Selective.threshold` as `certified`")
_BINS = _inputs.Input("reliability", "the frame of `Selective.reliability`")


@takes_names
def curve(
    frame: Any,
    x: str | None = None,
    y: str | Sequence[str] | Mapping[str, str] | None = None,
    *,
    by: str | None = None,
    bins: int | None = None,
    colors: Mapping[str, str] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw mean scores against a number, such as a length or a training step, for systems or for groups.

    Parameters
    ----------
    frame
        A Polars, pandas or Arrow frame of rows; a report or a summary made with ``details=True``; or the
        frame of `Report.lengths` or `length_scores`, not a frame of other sums.
    x
        Column with the number of each row, such as `reference_length` of `add_scores`, or a training step;
        only for rows. Results are drawn against their lengths.
    y
        Name of a score column, a list of names, or a dictionary from system names to columns. For a report, a
        summary or their frame, the name of a measure; by default, the first.
    by
        Column that groups the rows, with one line for each of the six largest groups; `y` must then be a
        single column. A row counts in the group of each entry of a list. The frame of `Report.lengths`
        already contains its groups.
    bins
        Number of bins with about equal numbers of rows (by default 8), common to all lines. A large number
        gives each value of `x` its own point, as for training steps. The length ranges of a report are fixed.
    colors
        Colours by names of systems or groups, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each system or group: the mean score of each bin against its mean `x`. Up to
        three lines of rows also have a 95 % interval (Student's t for independent rows). The axis of `x` is
        logarithmic if its highest value is more than 30 times the lowest.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column is not numeric.
    TypeError
        If `frame` has another type, or `ax` is not an Axes.
    ValueError
        If several scores are combined with groups, `bins` is below 1, an argument does not apply, or the
        report has no lengths.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"anls": [1.0, 0.9, 0.5, 0.0], "reference_length": [3, 4, 20, 30]})
    >>> ax = af.plot.curve(df, x="reference_length", y="anls", bins=2)
    >>> ax.lines[0].get_ydata().tolist()
    [0.95, 0.25]
    """
    frame = frame if _inputs.is_result(frame) else _ROWS.frame(frame)
    counted = _ROWS.counts(frame, "lengths", () if by is None else (by,), _LENGTHS)
    if counted is None:
        if x is None or y is None:
            more = ', which needs the columns of both axes, such as x="reference_length" and y="anls"'
            raise _ROWS.error(frame, more)
        drawn = _lines_of_rows(frame, x, y, by, 8 if bins is None else count("bins", bins, 1))
    else:
        useless = [name for name, value in (("x", x), ("bins", bins)) if value is not None]
        if useless:
            raise ValueError(f"{useless[0]} must be None for results, whose lengths are counted already")
        if y is not None and not isinstance(y, str):
            raise ValueError(f"y must be the name of a measure for results, got {y!r}")
        drawn = _lines_of_table(frame, *counted, y)
    lines = drawn.lines
    plain = [name.text if isinstance(name, _style.Label) else name for name, _ in lines]
    # A single column is not the name of a system.
    is_nameless = isinstance(y, str | None) and [*map(type, dict(lines))] == [str]
    looks = _style.line_looks(plain, colors, is_nameless=is_nameless)
    names = [name for name, _ in lines] if len(lines) > 1 else []
    ax = _inputs.axes(ax, 6.4, 4 + _style.legend_height(names))
    scale = _style.marker_scale()
    handles = []
    for name, (_, points), marker in zip(plain, lines, itertools.cycle(_MARKERS)):
        at, mean = points["length"].to_numpy(), points["score"].to_numpy()
        handles += ax.plot(at, mean, marker=marker, markersize=5 * scale, lw=1.8 * scale, **looks[name])
        if "low" in points.columns and len(lines) <= _BANDS:
            low, high = points["low"].to_numpy(), points["high"].to_numpy()
            ax.fill_between(at, low, high, color=looks[name]["color"], alpha=0.15, linewidth=0)
    if not any(points.height for _, points in lines):
        _style.nothing(ax)
    drawn.scale(ax)
    more = f" (the {len(lines)} largest of {drawn.n_groups} groups)" if drawn.n_groups > len(lines) else ""
    label = f"{drawn.length}{more}"
    return _style.finish(ax, title, label, drawn.score, handles=handles, names=names, loc="best")


class _Curves(NamedTuple):
    """
    Curves of the largest groups, with the names of both axes.

    A line has a name, and the `length` and `score` of its points, with `low` and `high` for rows.
    """

    lines: Sequence[tuple[str | _style.Label, pl.DataFrame]]
    n_groups: int
    length: str
    score: str
    scale: Callable[[Axes], None]


def _lines_of_table(given: Any, keys: Sequence[str], table: pl.DataFrame, measure: str | None) -> _Curves:
    """Return the lines of a table of scores by ranges of lengths, made from a result or given itself."""
    known = [metric for metric in TEXT_METRICS if metric.name in table.columns]
    metric = _inputs.measured(measure, known)
    beside = _ROWS.summary(given).settings.metrics if _inputs.is_result(given) else known
    # A range of lengths is as wide as all ranges below it, so all have the same width on the axis.
    points = table.select(
        *map(cs.by_name, keys),
        *_LENGTHS,
        length=pl.col("length_to").cast(pl.Float64).add(1).log(2).round(),
        score=pl.col(metric.name),
    )
    groups = points.partition_by(keys, maintain_order=True) if keys else [points]
    groups.sort(key=lambda part: -part["n"].sum())
    shown = groups[:_GROUPS]
    labels: Sequence[str | _style.Label] = [metric.label]
    if keys:
        labels = _style.cut([_style.label(part.select(map(cs.by_name, keys)).row(0)) for part in shown])
    lines = [*zip(labels, shown, strict=True)]
    scale = partial(_scale_ranges, points, metric, [metric, *beside])
    return _Curves(lines, len(groups), "reference length", _inputs.axis_name(metric), scale)


def _lines_of_rows(
    frame: Any, x: str, y: str | Sequence[str] | Mapping[str, str], by: str | None, bins: int
) -> _Curves:
    """Return the lines of rows, with the mean score and number of each bin."""
    systems = _inputs.columns_of("y", y)
    if by is not None and len(systems) > 1:
        raise ValueError("draw several systems or several groups, not both")
    columns = list(dict.fromkeys((*systems.values(), x)))
    rows = _ROWS.numbers(frame, columns, [] if by is None else [by]).drop_nulls(cs.by_name(x))
    lengths = rows[x].alias("length")
    groups: list[tuple[str | _style.Label, pl.DataFrame]] = [
        (name, rows.select(lengths, score=cs.by_name(column))) for name, column in systems.items()
    ]
    n_groups = len(groups)
    if by is not None:
        check_slices(rows, [by], [by])
        n_groups, groups = _groups(groups[0][1].with_columns(rows[by].alias("key")))
    # The upper edges of bins with about equal numbers of rows; as many bins as rows keep all values apart.
    bins = min(bins, lengths.len())
    quantiles = {lengths.quantile((index + 1) / bins, "lower") for index in range(bins)}
    edges = sorted(edge for edge in quantiles if edge is not None)
    lines = [(name, _means(part, edges)) for name, part in groups]
    score = f"mean {_inputs.name_of_columns(systems)}"
    return _Curves(lines, n_groups, _style.name(x), score, partial(_scale_lengths, lengths))


def threshold_curve(
    summaries: Any,
    *,
    colors: Mapping[str, str] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw ANLS against the threshold.

    The steeper the curve at the threshold in use, the more the score depends on the choice of threshold. If
    two curves cross, the threshold decides which system is ahead.

    Parameters
    ----------
    summaries
        A report or a summary of texts, the frame of `anls_frame.threshold_curve` for all rows or one slice,
        or a dictionary from system names to these; not a frame of rows.
    colors
        Colours by names of systems, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each summary over the thresholds 0, 1/200, ..., 1, and a dashed line at the
        threshold of the first summary (frames have no threshold).

    Raises
    ------
    TypeError
        If `summaries` has another type, or `ax` is not an Axes.
    ValueError
        If a summary is of existing scores, there is no summary, a frame holds several slices, or the
        protocols cut differently.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "abx"], "answer": ["a", "abc"]})
    >>> ax = af.plot.threshold_curve(af.report(df, "prediction", "answer"))
    >>> ax.get_xlabel()
    'threshold t, kept where d / L < t'
    """
    several = isinstance(summaries, Mapping)
    given = dict(summaries) if isinstance(summaries, Mapping) else {"ANLS": summaries}
    if not given:
        raise ValueError("summaries must hold at least one summary, got none")
    made = [_THRESHOLDS.summary_of_texts(summary) for summary in given.values() if _inputs.is_result(summary)]
    curves = {name: _threshold_table(summary) for name, summary in given.items()}
    cuts = {summary.settings.protocol.cut for summary in made}
    if len(cuts) > 1:
        raise ValueError(
            "the protocols of the summaries must cut in the same way, got cuts by distance and by similarity"
        )
    rules = {"distance": ", kept where d / L < t", "similarity": ", kept where NLS ≥ t"}
    looks = _style.line_looks(curves, colors, is_nameless=not several)
    names = list(curves) if several else []
    ax = _inputs.axes(ax, 6.4, 4 + _style.legend_height(names))
    if made:
        threshold = made[0].settings.protocol.threshold or 0.0
        ax.axvline(threshold, color=_style.ink(ax, 0.75), linewidth=1, linestyle=_style.DASHED, zorder=1)
    handles = [
        ax.plot(curve["threshold"], curve["anls"], lw=1.8, **looks[name])[0] for name, curve in curves.items()
    ]
    ax.set_xlim(0, 1)
    ax.set_ylim(0, 1.02)
    if all(curve["anls"].drop_nulls().drop_nans().is_empty() for curve in curves.values()):
        _style.nothing(ax)
    label = f"threshold t{''.join(rules[cut] for cut in cuts)}"
    return _style.finish(ax, title, label, "ANLS", handles=handles, names=names, loc="lower left")


def _threshold_table(given: Any) -> pl.DataFrame:
    if _inputs.is_result(given):
        given = threshold_anls(_THRESHOLDS.summary_of_texts(given))
    table = _THRESHOLDS.table(given, ["threshold", "anls"])
    if table["threshold"].is_duplicated().any():
        keys = table.columns[: table.columns.index("threshold")]
        raise ValueError(f"the frame holds the curves of several slices; filter it for one, by {keys}")
    return table.with_columns(pl.col("threshold", "anls").cast(pl.Float64)).sort("threshold")


def _groups(rows: pl.DataFrame) -> tuple[int, list[tuple[str | _style.Label, pl.DataFrame]]]:
    """Return the number of groups, and the largest groups."""
    if isinstance(rows.schema["key"], pl.List):
        rows = explode_lists(rows.with_columns(pl.col("key").list.unique()), ["key"])
    keys = rows["key"].value_counts().sort("count", "key", descending=[True, False])["key"]
    largest = keys.head(_GROUPS).to_list()
    parts = [rows.filter(pl.col("key").eq_missing(pl.lit(key))) for key in largest]
    return len(keys), [*zip(_style.cut([_style.label([key]) for key in largest]), parts, strict=True)]


def _means(rows: pl.DataFrame, edges: Sequence[float]) -> pl.DataFrame:
    """Return the mean score and length of each bin, with an interval if it has two rows or more."""
    # An edge belongs to the bin below it.
    bin_of = pl.lit(pl.Series(edges, dtype=pl.Float64)).search_sorted(pl.col("length"), side="left")
    means = (
        rows.select("length", "score")
        .drop_nulls()
        .group_by(bin_of.alias("bin"))
        .agg(pl.len().alias("n"), pl.col("length", "score").mean(), pl.col("score").var().alias("variance"))
        .sort("bin")
    )
    n = means["n"].to_numpy()
    low, high = statistics.t_interval(
        means["score"].to_numpy(), means["variance"].cast(pl.Float64).to_numpy() / n, n
    )
    return means.with_columns(low=low, high=high)


def _scale_ranges(points: pl.DataFrame, metric: Metric, beside: Sequence[Metric], ax: Axes) -> None:
    """Name the ranges of lengths below their places, and scale the axis of the metric."""
    ranges = points.select("length", "length_from", "length_to").unique().sort("length")
    names = [
        f"{first}" if first == last else f"{first}–{last}"  # noqa: RUF001 - a dash between numbers
        for _, first, last in ranges.iter_rows()
    ]
    ax.set_xticks(ranges["length"].to_list(), names)
    ax.set_ylim(*_inputs.limits(points["score"].to_list(), metric.bounds))
    _inputs.show_on(ax.yaxis, metric, beside)
    _style.turn_crowded(ax)


def _scale_lengths(lengths: pl.Series, ax: Axes) -> None:
    """Scale the axis by logarithms if lengths are of different orders."""
    shortest, longest = (float(str(end)) for end in (lengths.min() or 0.0, lengths.max() or 0.0))
    if longest <= _WIDE * max(shortest, 1):
        return
    ax.set_xscale("log" if shortest > 0 else "symlog")
    if shortest > 0:
        ax.xaxis.set_major_locator(LogLocator(subs=(1, 2, 5), numticks=12))
        ax.xaxis.set_minor_locator(LogLocator(subs=()))
    ax.xaxis.set_major_formatter("{x:g}")


def risk_coverage(
    curve: Any,
    *,
    certified: Any = None,
    colors: Mapping[str, str] | None = None,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw risk-coverage curves: the risk of accepted answers against their share.

    Parameters
    ----------
    curve
        The frame of `Selective.curve`, not a frame of rows; at most eight lines are drawn.
    certified
        The frame of `Selective.threshold` for the same slices, whose certified points are marked.
    colors
        Colours by names of lines, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each slice and confidence; up to three lines have bands for their intervals at
        each threshold. With a single line, a dotted line shows the risk of the best possible order, and a
        dashed line the risk of a random order, which is the mean loss of all rows. A legend names all of
        these.

    Raises
    ------
    TypeError
        If `curve` or `certified` has another type, or `ax` is not an Axes.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"score": [1, 1, 0, 1, 0, 0], "sure": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
    >>> ax = af.plot.risk_coverage(af.selective(df, metrics="score", model_confidence="sure").curve())
    >>> ax.lines[0].get_ydata().round(2).tolist()
    [0.0, 0.0, 0.33, 0.25, 0.4, 0.5]
    """
    table = _CURVE.table(curve, ["signal", "threshold", "coverage", *with_ends("risk"), "best_risk"])
    marks = dict[str, pl.DataFrame]()
    if certified is not None:
        points = _CERTIFIED.table(certified, ["signal", "threshold", "accepted", "risk"])
        marks = {key: part for key, _, part in _parts(points.drop_nulls("threshold"), "threshold")}
    ax = _inputs.axes(ax, 6.4, 4)
    scale = _style.marker_scale()
    lines, names, more = _lines(table, "threshold", colors)
    handles: list[Any] = []
    for line in lines:
        coverage, risk = line.rows["coverage"].to_numpy(), line.rows["risk"].to_numpy()
        handles += ax.plot(coverage, risk, lw=1.8 * scale, **line.look)
    # Apart from the names of lines, which may be the same.
    others = dict[str, Any]()
    for key, rows, own in lines:
        if len(lines) <= _BANDS:
            low, high = (rows[end].fill_null(np.nan).to_numpy() for end in ends_of("risk"))
            look: dict[str, Any] = {"color": own["color"], "alpha": 0.15, "linewidth": 0}
            others["interval"] = ax.fill_between(rows["coverage"].to_numpy(), low, high, **look)
        if key in marks:
            look = {"color": own["color"], "markeredgecolor": _style.ink(ax), "markersize": 7 * scale}
            (others["certified"],) = ax.plot(marks[key]["accepted"], marks[key]["risk"], "o", **look)
    if len(lines) == 1:
        rows, grey = lines[0].rows, _style.ink(ax, 0.7)
        (others["best possible order"],) = ax.plot(
            rows["coverage"], rows["best_risk"], lw=1.2 * scale, ls=":", color=grey
        )
        others["random order"] = ax.axhline(
            rows["risk"][-1], lw=1 * scale, ls=_style.DASHED, color=grey, zorder=1
        )
    if not lines:
        _style.nothing(ax)
    ax.set_xlim(0, 1.015)
    ax.set_ylim(0, None)
    _style.percent_ticks(ax.xaxis)
    _style.percent_ticks(ax.yaxis)
    label, beside = f"coverage: share of answers accepted{more}", "risk: mean loss if accepted"
    of_lines = ["these confidences"] if len(lines) == 1 else names
    handles += others.values()
    return _style.finish(ax, title, label, beside, handles=handles, names=[*of_lines, *others])


def reliability(
    bins: Any, *, colors: Mapping[str, str] | None = None, title: str | None = None, ax: Axes | None = None
) -> Axes:
    """
    Draw a reliability diagram: mean scores against mean confidences.

    Parameters
    ----------
    bins
        The frame of `Selective.reliability`, not a frame of rows; at most eight lines are drawn.
    colors
        Colours by names of lines, in place of the default colours.
    title
        Title; none by default.
    ax
        Axes to draw on; by default, new axes on their own figure.

    Returns
    -------
    Axes
        Axes with a line for each slice and confidence: the mean score of each bin, with its interval, against
        its mean confidence. If confidences lie in [0, 1], a dashed diagonal marks equality.

    Raises
    ------
    TypeError
        If `bins` has another type, or `ax` is not an Axes.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"score": [1, 1, 0, 1, 0, 0], "sure": [0.9, 0.8, 0.7, 0.6, 0.5, 0.4]})
    >>> bins = af.selective(df, metrics="score", model_confidence="sure").reliability(bins=2)
    >>> af.plot.reliability(bins).get_ylabel()
    'mean score'
    """
    table = _BINS.table(bins, ["signal", "bin", "confidence_mean", *SCORE, "gap"])
    ax = _inputs.axes(ax, 5, 5)
    scale = _style.marker_scale()
    lines, names, more = _lines(table, "bin", colors)
    if table["gap"].is_not_null().any():
        ax.plot([0, 1], [0, 1], lw=1 * scale, ls=_style.DASHED, color=_style.ink(ax, 0.7), zorder=1)
        ax.set_xlim(-0.015, 1.015)
    handles = []
    for (_, rows, look), marker in zip(lines, itertools.cycle(_MARKERS)):
        score = rows["score"]
        ends = [(score - rows["score_low"]).fill_null(0), (rows["score_high"] - score).fill_null(0)]
        bars = ax.errorbar(
            rows["confidence_mean"], score, yerr=[end.clip(0) for end in ends], marker=marker, ms=5 * scale,
            lw=1.8 * scale, elinewidth=1 * scale, **look,
        )  # fmt: skip
        handles.append(bars)
    if not lines:
        _style.nothing(ax)
    ax.set_ylim(-0.015, 1.015)
    label, beside = f"mean confidence{more}", "mean score"
    return _style.finish(ax, title, label, beside, handles=handles, names=names, loc="best")


class _Line(NamedTuple):
    """A line: what identifies it in any table, its rows, and how it is drawn."""

    key: str
    rows: pl.DataFrame
    look: Mapping[str, Any]


def _lines(
    table: pl.DataFrame, first: str, colors: Mapping[str, str] | None
) -> tuple[list[_Line], list[_style.Label], str]:
    """Return the first lines of a table, the names of several, and what an axis says of those left out."""
    parts = [*_parts(table, first)]
    more = f" (the first {_MOST_LINES} of {len(parts):,} lines)" if len(parts) > _MOST_LINES else ""
    shown = parts[:_MOST_LINES]
    labels = [label for _, label, _ in shown]
    looks = _style.line_looks([label.text for label in labels], colors, is_nameless=len(shown) == 1)
    lines = [_Line(key, rows, looks[label.text]) for key, label, rows in shown]
    return lines, _style.cut(labels) if len(shown) > 1 else [], more


def _parts(table: pl.DataFrame, first: str) -> Iterator[tuple[str, _style.Label, pl.DataFrame]]:
    """Yield the lines of a table, labelled by their confidence and keys as far as these differ."""
    keys = table.columns[: table.columns.index(first)]
    differing = [name for name in keys if name == "signal" or table[name].n_unique() > 1]
    if len(differing) > 1 and table["signal"].n_unique() == 1:
        differing.remove("signal")
    for part in table.partition_by([cs.by_name(name) for name in keys], maintain_order=True):
        label = _style.label(part.select(cs.by_name(*differing)).row(0))
        # As text, because NaN differs from itself.
        yield repr(part.select(cs.by_name(*keys)).row(0, named=True)), label, part
