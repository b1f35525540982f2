"""Plots of several systems: scores with ranges of ranks, a heat map by slice, one score against another."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl
from matplotlib.colors import Normalize

from anls_frame import _palette
from anls_frame._arguments import count
from anls_frame._text import LABEL_WIDTH, left_to_right, level_text, text_width
from anls_frame.export.columns import FEW, RANK, SCORE, ends_of
from anls_frame.export.display import spelled
from anls_frame.export.document import OVERALL, SLICE, TABLE, crossed
from anls_frame.export.score_grids import ScoreGrid, metric_lines, score_grid
from anls_frame.plot import _inputs, _style
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import MOST_ROWS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["heat_map", "ranking", "tradeoff"]


_ROW = 0.31
_COLUMN = 0.62
_LONGEST_NAME = 18
"""Columns of names below the cells, which are turned if they are longer than these have room for."""
_LONGEST_LEVEL, _LETTER = 7, 0.06
_MARGIN = 0.15
"""Share of the range of scores that is left at both ends of the colours, so that no cell looks empty."""
_SMALLEST_FONT = 6.0
"""Points below which figures are not legible; cells that need a smaller font have none."""
_COLUMNS = ("metric", "system", "n", *SCORE, *RANK, "few_rows")
_TAKES = "a comparison, or the frame of its `ranking`"
_RANKING = _inputs.Input("ranking", _TAKES)
_HEAT_MAP = _inputs.Input("heat_map", _TAKES)
_TRADEOFF = _inputs.Input("tradeoff", "a comparison in two metrics")
_WIDE_RANGE = 30
"""Quotient of the highest and the lowest figure above which an axis is logarithmic."""


class _Ranked(NamedTuple):
    """The long table of ranks, the keys of its first table of slices, the metric to draw, and all metrics."""

    frame: pl.DataFrame
    by: tuple[str, ...]
    metric: Metric
    metrics: tuple[Metric, ...]
    confidence: float | None


def ranking(
    comparison: Any,
    metric: str | None = None,
    *,
    colors: dict[str, str] | None = None,
    title: str | None = None,
    max_systems: int = _style.MANY,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the scores of systems, best first, with intervals and the ranks that the data allow.

    Parameters
    ----------
    comparison
        A comparison, or the frame of its `ranking`; not a frame of rows. The scores over all rows are drawn;
        for a frame without these, those of its only slice.
    metric
        Name of one of the comparison's `measures`; by default, the first.
    colors
        Colours by names of systems, in place of the default colours.
    title
        Title, in place of the default title; `""` for none.
    max_systems
        Maximum number of systems to draw, the best first; the axis label states the number of omitted
        systems.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the systems.

    Returns
    -------
    Axes
        Axes with a point and a line for each system. The ranks are in brackets after the name; 2-4 means that
        the data allow any of these ranks. The name is bold if the system is possibly the best; a hollow point
        marks few rows.

    Raises
    ------
    TypeError
        If `comparison` has another type, or `ax` is not an Axes.
    ValueError
        If the comparison has no such metric, or a frame without the scores over all rows has several slices.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"a": ["x"] * 40, "b": ["y"] * 40, "c": ["x", "y"] * 20, "answer": ["x"] * 40})
    >>> ax = af.plot.ranking(af.compare(df, ["a", "b", "c"], "answer"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['a (1)', 'c (2)', 'b (3)']
    """
    most = count("max_systems", max_systems, 1, MOST_ROWS - 1)
    given = _ranked(comparison, _RANKING, metric)
    # All rows or, without these, the only slice.
    overall = given.frame.filter(pl.col(SLICE) == OVERALL)
    every = given.frame if overall.is_empty() else overall
    if every["system"].is_duplicated().any():
        raise ValueError("ranking draws one slice: filter the frame for one")
    frame = every.sort("rank", nulls_last=True, maintain_order=True).head(most)
    systems = frame["system"].to_list()
    # With more systems than colours, unrelated systems would look related.
    alike = dict.fromkeys(systems, _palette.BLUE) if len(systems) > len(_palette.PALETTE) else {}
    shades = _palette.system_colors(systems, {**alike, **_palette.chosen_colors(colors)})
    ax = _inputs.axes(ax, 7.2, 1.2 + _ROW * max(len(systems), 2))
    figures = frame.select(*SCORE, "few_rows")
    for row, (system, line) in enumerate(zip(systems, figures.iter_rows(), strict=True)):
        _style.score_in_row(ax, row, line, shades[system], size=6.5, width=2.2)
    ranks = [
        "" if low is None else f" ({low})" if low == high else f" ({low}–{high})"  # noqa: RUF001 - a range
        for low, high in frame.select(ends_of("rank")).iter_rows()
    ]
    is_best = [low == 1 for low in frame["rank_low"]]
    named = zip(map(left_to_right, _style.names(systems)), ranks, is_best, strict=True)
    labels = [_style.Label(f"{name}{rank}", is_bold=best) for name, rank, best in named]
    _style.group_axis(ax, labels, LABEL_WIDTH + max(map(len, ranks), default=0))
    ax.set_xlim(*_inputs.limits([*itertools.chain(*frame.select(SCORE))], None))
    kind = _inputs.kind_of(given.metric, given.metrics)
    notes = [_inputs.spelled_figure(score, ends, kind) for score, *ends, _ in figures.iter_rows()]
    _style.side(ax, notes, bold=[row for row, best in enumerate(is_best) if best])
    level = "" if given.confidence is None else f"{level_text(given.confidence)} "
    hidden = every.height - frame.height
    more = f"\n{hidden:,} more systems not shown" if hidden else ""
    name = _inputs.show_on(ax.xaxis, given.metric, given.metrics)
    label = f"{name}, {level}interval\nbold: possibly best{more}"
    return _style.finish(ax, title, label, own_title=f"{_style.name(given.metric.label)} and ranks")


def heat_map(
    comparison: Any,
    metric: str | None = None,
    *,
    title: str | None = None,
    max_groups: int = _style.MANY,
    max_systems: int = 20,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw the scores of systems by slice as a heat map, with the figures in its cells.

    Parameters
    ----------
    comparison
        A comparison, or the frame of its `ranking`; not a frame of rows. Slices (of the first table, if there
        are several) are drawn in its order from top to bottom, and systems from left to right, the best over
        all rows first.
    metric
        Name of one of the comparison's `measures`; by default, the first.
    title
        Title, in place of the default title; `""` for none.
    max_groups
        Maximum number of slices to draw, the first in order; the axis label states the number of omitted
        slices.
    max_systems
        Maximum number of systems to draw, the best first; the axis label states the number of omitted
        systems.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the cells.

    Returns
    -------
    Axes
        Axes with a row for each slice, all rows at the top, and a column for each system. Better scores have
        a stronger colour, and the best of each row is bold. A star at the number of rows marks few rows.

    Raises
    ------
    TypeError
        If `comparison` has another type, or `ax` is not an Axes.
    ValueError
        If the comparison has no such metric, or a number is not an integer of at least 1.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {"a": ["x", "y"], "b": ["y", "y"], "c": ["x", "x"], "answer": ["x", "x"], "lang": ["en", "de"]}
    ... )
    >>> ax = af.plot.heat_map(af.compare(df, ["a", "b", "c"], "answer", by="lang"))
    >>> [text.get_text() for text in ax.get_yticklabels()]
    ['all rows', 'de', 'en']
    >>> [text.get_text() for text in ax.get_xticklabels()]
    ['c', 'a', 'b']
    """
    groups = count("max_groups", max_groups, 1, MOST_ROWS - 1)
    columns = count("max_systems", max_systems, 1, MOST_ROWS - 1)
    given = _ranked(comparison, _HEAT_MAP, metric)
    grid = score_grid(metric_lines(given.frame, given.metric.name, given.by), given.by)
    slices, hidden = _inputs.DrawnSlices(given.by, grid.slices, _inputs.names_in(comparison)).first(groups)
    labels, systems = list(slices.labels.values()), grid.systems[:columns]
    width = max(2.4 + _COLUMN * len(systems), 4.5)
    names = _style.names(systems, _LONGEST_NAME)
    longest = max(map(text_width, names), default=0)
    below = _LETTER * longest if longest > _LONGEST_LEVEL else 0.0
    ax = _inputs.axes(ax, width, 1.5 + below + _ROW * max(len(labels), 2))
    counts = slices.frame.select("n", "few_rows").iter_rows()
    ax.set_xticks(range(len(names)), names)
    for text in ax.get_xticklabels():
        _style.as_data(text)
    ax.set_xlim(-0.5, max(len(names), 1) - 0.5)
    _style.group_axis(ax, labels)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    bold = [row for row, label in enumerate(labels) if label.is_bold]
    _style.side(ax, [f"n = {n:,}{FEW if is_few else ''}" for n, is_few in counts], bold=bold)
    _style.turn_crowded(ax)
    has_figures = _draw_cells(ax, grid, len(labels), len(systems), given)
    few = f"; {FEW} few rows" if slices.frame["few_rows"].any() else ""
    left_out = [(hidden, "groups"), (len(grid.systems) - len(systems), "systems")]
    more = " and ".join(f"{number:,} more {what}" for number, what in left_out if number)
    more = f"\n{more} not shown" if more else ""
    best = "bold: best of the row" if has_figures else "cells too narrow for figures"
    _style.xlabel(ax, f"{best}{few}{more}")
    name = f"{given.metric.label}{_style.sliced_by(given.by)}"
    higher = bool(given.metric.higher_is_better)
    _style.title(ax, _inputs.directed(name, higher_is_better=higher), title)
    _style.no_frame(ax)
    return ax


def tradeoff(
    comparison: Any,
    x: str | None = None,
    y: str | None = None,
    *,
    title: str | None = None,
    ax: Axes | None = None,
) -> Axes:
    """
    Draw one score of systems against another, such as quality against cost, with the intervals of both.

    Parameters
    ----------
    comparison
        A comparison in at least two metrics. The scores over all rows are drawn.
    x, y
        Names of two of the comparison's `measures`, from left to right and from bottom to top; by default,
        `y` is the first and `x` the next. An axis is logarithmic if its figures are positive and differ by
        more than a factor of 30.
    title
        Title, in place of the default title; `""` for none.
    ax
        Axes to draw on; by default, new axes on their own figure, sized for the systems.

    Returns
    -------
    Axes
        Axes with a point and two lines for each system. Systems that no other system beats are blue, and
        their names bold: no other is at least as good in both scores and better in one. A hollow point marks
        few rows. Names that would cover others are left out, and the axis label counts them.

    Raises
    ------
    TypeError
        If `comparison` has another type, or `ax` is not an Axes.
    ValueError
        If the comparison has fewer than two metrics, or none of a name.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"a": ["x"] * 40, "b": ["y"] * 40, "answer": ["x"] * 40, "s": [2.0, 3.0] * 20})
    >>> seconds = af.Metric({"a": "s", "b": "s"}, name="seconds", higher_is_better=False)
    >>> ax = af.plot.tradeoff(af.compare(df, ["a", "b"], "answer", metrics=["anls", seconds]))
    >>> [(text.get_text(), text.get_fontweight()) for text in ax.texts]
    [('a', 'bold'), ('b', 'normal')]
    """
    if not _inputs.is_a("comparison", comparison):
        raise _TRADEOFF.error(comparison)
    measures: tuple[Metric, ...] = comparison.measures
    if len(measures) < 2:  # noqa: PLR2004
        raise ValueError(
            f"tradeoff draws two metrics, but the comparison has only {measures[0].name!r}: name both in "
            "compare(..., metrics=[...])"
        )
    up = _inputs.measured(y, measures, "y")
    across = _inputs.measured(x, [metric for metric in measures if metric.name != up.name], "x")
    overall = comparison.ranked.filter(pl.col(SLICE) == OVERALL)
    figures = overall.select("metric", "system", *SCORE, "few_rows").rows_by_key("metric")
    of_x, of_y = ({line[0]: line[1:] for line in figures.get(one.name, ())} for one in (across, up))
    points = {name: (of_x[name], of_y[name]) for name in of_y if None not in {of_x[name][0], of_y[name][0]}}
    scores = np.array([(x[0], y[0]) for x, y in points.values()], np.float64).reshape(-1, 2).T
    gains = scores * [[1 if metric.higher_is_better else -1] for metric in (across, up)]
    as_good = (gains[:, :, None] >= gains[:, None, :]).all(axis=0)
    is_beaten = np.any(as_good & ~as_good.T, axis=0).tolist()
    ax = _inputs.axes(ax, 7.2, 4.4 + 0.05 * len(points))
    look: dict[str, Any] = {"size": 6, "width": 1.2, "alpha": 0.45}
    for (of_row, (row, *ends, is_few)), beaten in zip(points.values(), is_beaten, strict=True):
        color = _palette.GREY if beaten else _palette.BLUE
        figures_of_row = [*of_row[:-1], of_row[-1] or is_few]
        _style.score_in_row(ax, row, figures_of_row, color, column_ends=ends, **look)
    ax.margins(0.06)
    for values, set_scale in zip(scores, (ax.set_xscale, ax.set_yscale), strict=True):
        if 0 < values.min(initial=np.inf) * _WIDE_RANGE < values.max(initial=0):
            set_scale("log")
    level = level_text(comparison.confidence)
    own = f"{_style.name(up.label)} against {_style.name(across.label)}"
    note = f"{_inputs.show_on(ax.xaxis, across, measures)}, {level} intervals\nbold: no other system beats it"
    missing = len(of_y) - len(points)
    note += f"\n{missing:,} systems without a figure not shown" if missing else ""
    _style.finish(ax, title, note, _inputs.show_on(ax.yaxis, up, measures), own_title=own)
    if not points:
        _style.nothing(ax, "no systems")
    names = _style.names(list(points))
    # The unbeaten ones first, which need their names most.
    order = np.lexsort((-gains[1], is_beaten))
    bold = [not is_beaten[row] for row in order]
    unnamed = _style.name_points(ax, [names[row] for row in order], scores.T[order], bold)
    if unnamed:
        _style.xlabel(ax, f"{note}; {unnamed:,} names left out")
    return ax


def _draw_cells(ax: Axes, grid: ScoreGrid, rows: int, columns: int, given: _Ranked) -> bool:
    """Draw scores as cells, in a font that fits them; return whether there is one."""
    if not (rows and columns):
        return True
    scores = np.array([line[:columns] for line in grid.scores[:rows]], np.float64)
    goodness = scores if given.metric.higher_is_better else -scores
    known = goodness[np.isfinite(goodness)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    margin = _MARGIN * (high - low) or 1.0
    kind = _inputs.kind_of(given.metric, given.metrics)
    figures = {
        cell: spelled(None if np.isnan(score) else float(score), (), kind)
        for cell, score in np.ndenumerate(scores)
    }
    norm = Normalize(low - margin, high + margin)
    limits = ax.get_xlim(), ax.get_ylim()
    texts = _style.cells(ax, goodness, figures, norm=norm, aspect="auto", fontsize="small")
    ax.set(xlim=limits[0], ylim=limits[1])
    for text, (row, column) in zip(texts, figures, strict=True):
        text.set_fontweight("bold" if grid.is_best[row][column] else "normal")
    widest = max(_style.measured(text).width for text in texts)
    room = 0.92 * _style.widths(ax).axes / columns
    size = float(texts[0].get_fontsize()) * min(room / widest, 1)
    for text in texts:
        if size < _SMALLEST_FONT:
            text.remove()
        text.set_fontsize(size)
    return size >= _SMALLEST_FONT


def _ranked(given: Any, source: _inputs.Input, metric: str | None) -> _Ranked:
    """Return the ranks in a comparison or its frame, in the metric of this name."""
    is_comparison = _inputs.is_a("comparison", given)
    frame = given.ranked if is_comparison else source.table(given, _COLUMNS)
    metrics = _inputs.metrics_of(given, frame["metric"].unique(maintain_order=True))
    by, frame = _inputs.with_slices(frame)
    chosen = _inputs.measured(metric, metrics, "metric")
    frame = frame.with_columns(pl.col(*SCORE, *RANK).cast(pl.Float64).fill_nan(None))
    frame = frame.with_columns(pl.col(RANK).cast(pl.Int64)).filter(pl.col("metric") == chosen.name)
    tables = frame[TABLE].drop_nulls() if TABLE in frame.columns else pl.Series([])
    if len(tables):
        first = tables[0]
        choices = (itertools.combinations(by, size) for size in range(len(by) + 1))
        chosen_keys = itertools.chain.from_iterable(choices)
        by = next((keys for keys in chosen_keys if crossed(keys) == first), by)
        frame = frame.filter(pl.col(TABLE).is_null() | (pl.col(TABLE) == first)).drop(TABLE)
    return _Ranked(frame, by, chosen, metrics, given.confidence if is_comparison else None)
