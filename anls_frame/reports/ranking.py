"""Scores of several systems by slice, with intervals and ranges of ranks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from anls_frame import statistics
from anls_frame.export.columns import RANK, SCORE, interval
from anls_frame.reports.estimates import system_scores
from anls_frame.reports.lines import Lines, lines
from anls_frame.reports.pairwise import Test, long_table, system_sums
from anls_frame.statistics.carriers import FEW_CARRIERS
from anls_frame.statistics.student import FloatArray
from anls_frame.summary.summary import Summary

COLUMNS = ("metric", "system", "n", *SCORE, *RANK, "possibly_best", "few_rows", "n_clusters")


def table(summary: Summary, keys: Sequence[str], test: Test) -> pl.DataFrame:
    """Return a row for each slice, metric and system, in this order."""
    every = lines(summary, keys)
    better = [bool(part.metric.higher_is_better) for part in every for _ in range(part.slices.height)]
    ranks = statistics.rank_sets(
        system_sums(every),
        np.array(better, bool),
        confidence=test.confidence,
        draws=test.draws,
        seed=test.seed,
    )
    ends = np.cumsum([part.slices.height for part in every])
    parts = zip(every, np.split(ranks.better, ends[:-1]), strict=True)
    scored = pl.concat(_scored(summary, part, is_better, test) for part, is_better in parts)
    # A system without a denominator has no rank.
    numbers = [
        pl.Series(name, values.ravel(), nan_to_null=True).cast(pl.Int64)
        for name, values in interval("rank", ranks.rank, ranks.rank_low, ranks.rank_high).items()
    ]
    ranked = scored.with_columns(numbers).with_columns(possibly_best=pl.col("rank_low") == 1)
    return ranked.select(*keys, *COLUMNS)


def observed(summary: Summary, keys: Sequence[str], test: Test) -> pl.DataFrame:
    """Return the rows of `table` with observed ranks only, without ranges from tests."""
    tables = []
    for metric_lines in lines(summary, keys):
        shape = metric_lines.slices.height, len(summary.systems)
        better = np.zeros((*shape, len(summary.systems)), bool)
        scores = _scored(summary, metric_lines, better, test).with_row_index("line")
        rank = pl.col("score").rank("min", descending=bool(metric_lines.metric.higher_is_better))
        rank = rank.over(pl.col("line") // len(summary.systems)).cast(pl.Int64)
        tables.append(scores.select(*keys, "metric", "system", "n", *SCORE, "few_rows", rank=rank))
    return pl.concat(tables)


def _scored(summary: Summary, metric_lines: Lines, better: npt.NDArray[np.bool_], test: Test) -> pl.DataFrame:
    """Return the scores and intervals of a metric; `better` says which differences are significant."""
    (score, low, high, effective, few), _ = system_scores(summary, metric_lines, test.confidence)
    _, width = metric_lines.metric.span or (0, 1)
    marked = with_ranks_on_few(few, better, score / width, effective)
    systems = {"system": list(summary.systems)}
    return long_table(metric_lines, systems, interval("score", score, low, high), marked)


def with_ranks_on_few(
    few: npt.NDArray[np.bool_], better: npt.NDArray[np.bool_], score: FloatArray, effective: FloatArray
) -> npt.NDArray[np.bool_]:
    """
    Return which systems are marked: their scores have too few units, or their ranges of ranks rest on such.

    A range of ranks follows from the significant differences. A difference from a system with too few units
    is doubtful if fewer than ten units lost as a whole would cancel it, because a sample can miss that many.
    Scores are such that a unit can lose 1; all arrays are lines by systems.
    """
    marked = few.copy()
    for line in np.flatnonzero(few.any(axis=1) & ~few.all(axis=1)):
        apart = np.abs(score[line, :, None] - score[line]) * effective[line, :, None]
        shown = better[line] | better[line].T
        marked[line] |= (shown & (apart < FEW_CARRIERS) & few[line]).any(axis=1)
    return marked
