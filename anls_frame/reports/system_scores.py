"""Scores of several systems by slice, with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from anls_frame.reports.estimates import Estimate, Sums, estimate
from anls_frame.summary.keys import explode_lists

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.reports.lines import Lines
    from anls_frame.statistics.student import FloatArray
    from anls_frame.summary.summary import Summary


class SystemScores(NamedTuple):
    """The figures of a report of each system, as arrays of slices by systems."""

    figures: Estimate
    powers: FloatArray
    """Sums of the powers 1 to 4 of the units' numbers of rows, of each slice."""
    clusters: npt.NDArray[np.int64]
    """Number of clusters, or of rows without clusters, of each slice."""


def system_scores(summary: Summary, lines: Lines, confidence: float) -> SystemScores:
    """Return the scores and intervals of a metric, as in reports of the systems."""
    metric = lines.metric
    x, y = lines.totals
    shape = x.shape
    y = np.broadcast_to(y, shape)
    score = np.divide(x, y, out=np.full(shape, np.nan), where=y > 0)
    xx, xy, yy, bracket, cubes, fourths = np.zeros((6, *shape))
    powers = np.zeros((4, shape[0]))
    clusters = np.zeros(shape[0], np.int64)
    for index, line in enumerate(lines):
        residual = line.x - np.nan_to_num(score[index]) * line.y
        moments = (
            *((xx, line.x**2), (xy, line.x * line.y), (yy, line.y**2), (bracket, residual**2)),
            *((cubes, line.y**3), (fourths, line.y**4)),
        )
        for into, values in moments:
            into[index] = line.counts @ np.broadcast_to(values, residual.shape)
        powers[:, index] = [(line.counts * line.n**power).sum() for power in (1, 2, 3, 4)]
        clusters[index] = line.counts.sum()
    sizes = (np.repeat(power[:, None], shape[1], 1) for power in powers)
    sums = Sums(x, np.array(y), xx, xy, yy, xx, bracket, *sizes)
    squares = None
    if metric.interval == "bounded" and not metric.counts_fields:
        squares = squares_of_rows(summary, lines)
    figures = estimate(metric, sums, powers[0][:, None], confidence, (cubes, fourths), squares=squares)
    return SystemScores(figures, powers, clusters)


def squares_of_rows(summary: Summary, lines: Lines) -> FloatArray:
    """Return the sums of squared scores in [0, 1] over rows, lines by systems; nan if unknown."""
    keys, known = lines.keys, summary.comparison_sums.squares.get(lines.metric.name)
    # Cells of two systems, used to find slices, have only the squares of changes.
    if known is None:
        return np.full((lines.slices.height, lines.systems), np.nan)
    sums = pl.col([f"square_{system}" for system in range(lines.systems)]).sum()
    squares = explode_lists(known, keys)
    added = squares.group_by(keys).agg(sums).sort(keys) if keys else squares.select(sums)
    return added.drop(keys).to_numpy()
