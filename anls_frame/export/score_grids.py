"""Scores of several systems side by side, with a row for each slice, from the long table of ranks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

import polars as pl
import polars.selectors as cs

from anls_frame._text import distinct
from anls_frame.export.columns import ends_of
from anls_frame.export.document import GROUP, OVERALL, SLICE, TABLE, crossed
from anls_frame.frames.joins import joined

_ORDER = "anls_frame:order"
"""A column that no frame has."""


@dataclass(frozen=True)
class ScoreGrid:
    """
    Scores of systems in a metric.

    Attributes
    ----------
    systems
        The systems, best first.
    slices
        A row for each line, with `slice`, the keys, `n`, and `few_rows` (of any system).
    scores
        The scores of each line, in the order of the systems.
    intervals
        The ends of the interval of each score.
    is_best
        Whether each score is the best of its line; equal scores are all the best.
    """

    systems: list[str]
    slices: pl.DataFrame
    scores: list[list[float | None]]
    intervals: list[list[tuple[float | None, float | None]]]
    is_best: list[list[bool]]


def metric_lines(frame: pl.DataFrame, metric: str, columns: Sequence[str]) -> pl.DataFrame:
    """Return the lines of a metric for all rows and for the slices of a table, with its keys only."""
    is_shown = pl.col(SLICE) == OVERALL
    if columns:
        is_group = pl.col(SLICE) == GROUP
        is_shown |= is_group & (pl.col(TABLE) == crossed(columns)) if TABLE in frame.columns else is_group
    keys = frame.columns[1 : frame.columns.index("metric")]
    kept = frame.lazy().filter((pl.col("metric") == metric) & is_shown)
    return kept.select(SLICE, cs.by_name(*columns), ~cs.by_name(SLICE, *keys)).collect(engine="in-memory")


def ordered(
    frame: pl.DataFrame,
    by: Sequence[str],
    column: str,
    *,
    descending: bool,
    like: pl.DataFrame | None = None,
) -> pl.DataFrame:
    """Return slices in the order of a column, by the first line of each slice in this or a similar frame."""
    is_group = pl.col(SLICE) == GROUP
    key = cs.by_name(*by)
    first = (frame if like is None else like).filter(is_group).unique(key, keep="first", maintain_order=True)
    order = first.sort(column, descending=descending, nulls_last=True, maintain_order=True).select(key)
    in_order = joined(frame, order.with_row_index(_ORDER), by)
    return in_order.sort(_ORDER, nulls_last=False, maintain_order=True).drop(_ORDER)


def score_grid(ranked: pl.DataFrame, by: Sequence[str], *, only_shown: bool = False) -> ScoreGrid:
    """
    Pivot the scores of each slice to one line.

    Parameters
    ----------
    ranked
        A row for each slice and system, in one metric, with `system`, `score` and its interval, `rank`, `n`
        and `few_rows`, and `possibly_best` for `only_shown`. Systems are in the order of the first slice,
        which covers all rows if present.
    by
        The keys of the slices.
    only_shown
        Whether a best score is marked only if no other system can be the best.
    """
    shown = ("score", "rank", *ends_of("score"))
    lines = ranked.group_by(SLICE, cs.by_name(*by), maintain_order=True).agg(
        pl.col("n").first(),
        pl.col("few_rows").any(),
        pl.col("system", *shown),
        (pl.col("possibly_best") if only_shown else pl.lit(0)).sum().alias(_ORDER),
    )
    systems = list(dict.fromkeys(ranked["system"]))
    scores, intervals, is_best = [], [], []
    for names, rivals, *values in lines.select("system", _ORDER, *shown).iter_rows():
        by_system = dict(zip(names, zip(*values, strict=True), strict=True))
        line = [by_system.get(system, (None, None, None, None)) for system in systems]
        scores.append([score for score, *_ in line])
        intervals.append([(low, high) for _, _, low, high in line])
        is_alone = not only_shown or (rivals or 0) < 2  # noqa: PLR2004 - a rival is another one
        is_best.append([rank == 1 and is_alone for _, rank, *_ in line])
    return ScoreGrid(systems, lines.drop("system", _ORDER, *shown), scores, intervals, is_best)


def apart(names: Sequence[str], taken: Sequence[str]) -> list[str]:
    """Return column names that are distinct from each other and from given names."""
    # Columns named like the ends of another column's interval would be shown as such.
    ends = {*chain.from_iterable(map(ends_of, names))}
    return distinct(names, {*taken, *ends.intersection(names)})
