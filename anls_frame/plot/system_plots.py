"""Plots of several systems: scores with ranges of ranks, and a heat map by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import polars as pl

from anls_frame import _palette
from anls_frame._arguments import count
from anls_frame._text import text_width
from anls_frame.export.display import figure
from anls_frame.export.document import FEW, GROUP, OVERALL, SLICE, TABLE, crossed
from anls_frame.export.side_by_side import metric_lines, side_by_side
from anls_frame.plot import _inputs, _room, _style
from anls_frame.results import SlicedResult

if TYPE_CHECKING:
    from collections.abc import Sequence

    from matplotlib.axes import Axes
    from matplotlib.text import Text

    from anls_frame.export.side_by_side import SideBySide
    from anls_frame.summary.measures import Metric

__all__ = ["heat_map", "ranking"]

_ROW = 0.31
_COLUMN = 0.62
_LONGEST_NAME = 18
"""Columns of names below the cells, which are turned if they are longer than these have room for."""
_LONGEST_LEVEL, _LETTER = 7, 0.06
_MARGIN = 0.15
"""Share of the range of scores that is left at both ends of the colours, so that no cell looks empty."""
_SMALLEST_FONT = 3.0
_COLUMNS = (
    "metric",
    "system",
    "n",
    "score",
    "score_low",
    "score_high",
    "rank",
    "rank_low",
    "rank_high",
    "few_rows",
)
_TAKES = "a comparison, or the frame of its `ranking`"
_RANKING = _inputs.Input("ranking", _TAKES)
_HEAT_MAP = _inputs.Input("heat_map", _TAKES)


class _Ranked(NamedTuple):
    """The long table of ranks, with the keys of its first table of slices, and the metric to draw."""

    frame: pl.DataFrame
    by: tuple[str, ...]
    metric: Metric
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
    most = count("max_systems", max_systems, 1)
    given = _ranked(comparison, _RANKING, metric)
    every = _only_slice(given)
    frame = every.head(most)
    systems = frame["system"].to_list()
    # With more systems than colours, unrelated systems would look related.
    alike = dict.fromkeys(systems, _palette.BLUE) if len(systems) > len(_palette.PALETTE) else {}
    shades = _palette.system_colors(systems, {**alike, **(colors or {})})
    ax = _inputs.axes(ax, 7.2, 1.2 + _ROW * max(len(systems), 2))
    kind = given.metric.format or "number"
    notes, values = [], []
    for row, line in enumerate(frame.iter_rows(named=True)):
        score, low, high = (line[name] for name in ("score", "score_low", "score_high"))
        values += [score, low, high]
        shade, figures = shades[line["system"]], (score, low, high, line["few_rows"])
        _style.score_in_row(ax, row, figures, shade, size=6.5, width=2.2)
        notes.append(_inputs.spelled_figure(score, (low, high), kind))
    lines = frame.iter_rows(named=True)
    labels = [_label(name, line) for name, line in zip(_style.names(systems), lines, strict=True)]
    bold = [row for row, low in enumerate(frame["rank_low"]) if low == 1]
    _style.group_axis(ax, labels, bold=bold)
    ax.set_xlim(*_inputs.limits(values, given.metric.bounds))
    _style.side(ax, notes, bold=bold)
    level = "" if given.confidence is None else f"{100 * given.confidence:g} % "
    hidden = every.height - frame.height
    more = f"\n{hidden:,} more systems not shown" if hidden else ""
    _style.xlabel(ax, f"{_inputs.axis_name(given.metric)}, {level}interval\nbold: possibly best{more}")
    _style.tidy(ax, grid="x")
    _style.title(ax, f"{_style.name(given.metric.label)} and ranks", title)
    return ax


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
    groups, columns = count("max_groups", max_groups, 1), count("max_systems", max_systems, 1)
    given = _ranked(comparison, _HEAT_MAP, metric)
    grid = side_by_side(metric_lines(given.frame, given.metric.name, given.by), given.by)
    slices, hidden = _inputs.DrawnSlices(given.by, grid.slices, _inputs.names_in(comparison)).first(groups)
    labels, systems = list(slices.labels.values()), grid.systems[:columns]
    width = max(2.4 + _COLUMN * len(systems), 4.5)
    names = _style.names(systems, _LONGEST_NAME)
    longest = max(map(text_width, names), default=0)
    below = _LETTER * longest if longest > _LONGEST_LEVEL else 0.0
    ax = _inputs.axes(ax, width, 1.5 + below + _ROW * max(len(labels), 2))
    counts = slices.frame.select("n", "few_rows").iter_rows()
    bold = [row for row, label in enumerate(labels) if label.is_whole]
    ax.set_xticks(range(len(names)), names)
    for text in ax.get_xticklabels():
        _style.as_data(text)
    ax.set_xlim(-0.5, max(len(names), 1) - 0.5)
    _style.group_axis(ax, labels, bold=bold)
    ax.set_ylim(max(len(labels), 1) - 0.5, -0.5)
    _style.side(ax, [f"n = {n:,}{FEW if is_few else ''}" for n, is_few in counts], bold=bold)
    _style.turn_crowded(ax)
    few = f"; {FEW} few rows" if slices.frame["few_rows"].any() else ""
    left_out = [(hidden, "groups"), (len(grid.systems) - len(systems), "systems")]
    more = " and ".join(f"{number:,} more {what}" for number, what in left_out if number)
    more = f"\n{more} not shown" if more else ""
    _style.xlabel(ax, f"bold: best of the row{few}{more}")
    by = f" by {_style.name(' and '.join(given.by))}" if given.by else ""
    name = _inputs.directed(f"{given.metric.label}{by}", higher_is_better=bool(given.metric.higher_is_better))
    _style.title(ax, name, title)
    ax.tick_params(which="both", length=0)
    ax.spines[:].set_visible(False)
    ax.grid(visible=False)
    texts = _draw_cells(ax, grid, len(labels), len(systems), given.metric)
    _shrink(ax, texts, len(systems))
    return ax


def _draw_cells(ax: Axes, grid: SideBySide, rows: int, columns: int, metric: Metric) -> list[Text]:
    from matplotlib.colors import Normalize  # noqa: PLC0415

    scores = np.array([line[:columns] for line in grid.scores[:rows]], np.float64).reshape(rows, columns)
    if not scores.size:
        return []
    goodness = scores if metric.higher_is_better else -scores
    known = goodness[np.isfinite(goodness)]
    low, high = (known.min(), known.max()) if known.size else (0.0, 1.0)
    margin = _MARGIN * (high - low) or 1.0
    # Few are close to the background, dark or light.
    cmap = "Blues" if _style.on(_style.background(ax)) == "black" else "Blues_r"
    shown = np.where(np.isfinite(goodness), goodness, np.nan)
    norm = Normalize(low - margin, high + margin)
    limits = ax.get_xlim(), ax.get_ylim()
    image = ax.imshow(shown, cmap=cmap, norm=norm, aspect="auto")
    ax.set(xlim=limits[0], ylim=limits[1])
    texts = []
    for row, column in np.ndindex(scores.shape):
        score = grid.scores[row][column]
        is_colored = bool(np.isfinite(goodness[row, column]))
        color = _style.on(image.cmap(norm(goodness[row, column]))[:3]) if is_colored else _style.ink(ax)
        spelled = "–" if score is None else figure(score, metric.format or "number")  # noqa: RUF001 - as in tables
        text = ax.text(column, row, spelled, color=color, ha="center", va="center", fontsize="small")
        text.set_fontweight("bold" if grid.is_best[row][column] else "normal")
        texts.append(text)
    return texts


def _shrink(ax: Axes, texts: Sequence[Text], columns: int) -> None:
    """Shrink figures that are wider than their cells."""
    widest = max((_room.measured(text).width for text in texts), default=0.0)
    room = 0.92 * _room.widths(ax).axes / max(columns, 1)
    if widest > room:
        size = float(texts[0].get_fontsize())
        for text in texts:
            text.set_fontsize(max(size * room / widest, _SMALLEST_FONT))


def _ranked(given: Any, source: _inputs.Input, metric: str | None) -> _Ranked:
    """Return the ranks in a comparison or its frame, with the metric of this name."""
    confidence = None
    if isinstance(given, SlicedResult) and given.noun == "comparison":
        result: Any = given
        frame, metrics, confidence = result.ranked, given.measures, given.confidence
    else:
        frame = source.table(given, _COLUMNS)
        metrics = _inputs.named_metrics(frame["metric"].unique(maintain_order=True))
    by = [name for name in frame.columns[: frame.columns.index("metric")] if name not in (SLICE, TABLE)]
    if SLICE not in frame.columns:
        frame = frame.select(pl.lit(GROUP if by else OVERALL).alias(SLICE), pl.all())
    chosen = _inputs.measured(metric, metrics, "metric")
    floats = [pl.col(name).cast(pl.Float64).fill_nan(None) for name in ("score", "score_low", "score_high")]
    ranks = [pl.col(name).cast(pl.Float64).fill_nan(None) for name in ("rank", "rank_low", "rank_high")]
    frame = frame.with_columns(*floats, *(rank.cast(pl.Int64) for rank in ranks))
    tables = frame[TABLE].drop_nulls() if TABLE in frame.columns else None
    if tables is not None and len(tables):
        first = tables[0]
        by = next((keys for keys in _keys(by) if crossed(keys) == first), by)
        frame = frame.filter(pl.col(TABLE).is_null() | (pl.col(TABLE) == first)).drop(TABLE)
    return _Ranked(frame, tuple(by), chosen, confidence)


def _keys(by: Sequence[str]) -> list[list[str]]:
    """Return all combinations of columns, which are few."""
    choices: list[list[str]] = [[]]
    for name in by:
        choices += [[*choice, name] for choice in choices]
    return choices


def _only_slice(given: _Ranked) -> pl.DataFrame:
    """Return the systems over all rows (or, without these, in the only slice), best first."""
    lines = given.frame.filter(pl.col("metric") == given.metric.name)
    overall = lines.filter(pl.col(SLICE) == OVERALL)
    chosen = lines if overall.is_empty() else overall
    if chosen["system"].is_duplicated().any():
        raise ValueError("ranking draws one slice: filter the frame for one")
    return chosen.sort("rank", nulls_last=True, maintain_order=True)


def _label(name: str, line: dict[str, Any]) -> _style.Label:
    low, high = line["rank_low"], line["rank_high"]
    ranks = "" if low is None else f" ({low})" if low == high else f" ({low}–{high})"  # noqa: RUF001 - a range
    return _style.Label(f"{name}{ranks}")
