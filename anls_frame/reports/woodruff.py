"""
Quantiles of slices with their intervals, by Woodruff's method.

The share of rows at or below a value is a mean of 0/1 scores, whose interval is computed as in reports, with
clusters. A value belongs to the interval of a quantile if the interval of its share contains the quantile's
probability. The coverage is therefore that of shares, whatever the distribution of the scores, even with many
ties.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from anls_frame.frames.documents import numbers
from anls_frame.reports.estimates import Estimate, Sums, interval, units, where_several
from anls_frame.reports.slice_units import cells_in_slices
from anls_frame.statistics.arrays import BoolArray, FloatArray, IntArray, divided
from anls_frame.statistics.carriers import are_few, carriers_of_sums
from anls_frame.summary.cells import score_of
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.measures import Metric


def quantile_estimate(
    cells: pl.DataFrame, slices: pl.DataFrame, keys: Sequence[str], metric: Metric, confidence: float
) -> Estimate:
    """
    Return a quantile with its interval, as arrays over slices.

    Parameters
    ----------
    cells
        The cells of the quantile.
    slices
        Counts of the slices, in order.
    keys
        The columns that define the slices.
    metric
        The quantile.
    confidence
        Confidence level of the interval.
    """
    rows = _ScoredRows(cells, slices, keys)
    value = rows.quantile(metric.probability or 0.0)
    low, high = rows.interval(metric.probability or 0.0, confidence)
    least, most = metric.bounds or (None, None)
    # Where no score is low or high enough, the end is the bound, if there is one.
    low = np.where(np.isneginf(low), np.nan if least is None else least, np.minimum(low, value))
    high = np.where(np.isposinf(high), np.nan if most is None else most, np.maximum(high, value))
    whole = rows.below(rows.levels)
    effective = np.where(whole.n > 0, units(whole), np.inf)
    few = are_few(whole.n, effective, where_several(whole.n, whole.n_squares, rows.carrying(value)))
    return Estimate(value, low, high, effective, few)


class _ScoredRows:
    """
    The scored rows of slices, as lines of rows with the same slice, score and unit.

    Lines are in the order of the slices, then of the scores. The units are the clusters of a slice or,
    without clusters, single rows.
    """

    def __init__(self, cells: pl.DataFrame, slices: pl.DataFrame, keys: Sequence[str]) -> None:
        scores = cells[score_of(cells)].cast(pl.Float64).to_numpy()
        cell, slice_of = cells_in_slices(cells, slices, keys)
        order = np.lexsort((scores[cell], slice_of))
        order = order[~np.isnan(scores[cell[order]])]
        cell, self.slice_of = cell[order], slice_of[order]
        n = cells["n"].cast(pl.Float64).to_numpy()[cell]
        self.score = scores[cell]
        self.slices = slices.height
        self.ends = np.cumsum(n)
        starts = np.ones(len(n), np.bool_)
        starts[1:] = (np.diff(self.score) != 0) | (np.diff(self.slice_of) != 0)
        # The distinct scores of all slices, from the first level of each, and their numbers by slice.
        self.scores = np.append(self.score[starts], np.nan)
        self.levels = np.bincount(self.slice_of[starts], minlength=self.slices)
        self.first_level = np.cumsum(self.levels) - self.levels
        # The number of lower scores in the slice of each line.
        self.level = np.cumsum(starts) - 1 - self.first_level[self.slice_of]
        clusters, self.unit = CLUSTER in cells.columns, np.arange(len(n))
        if clusters:
            documents = numbers(cells[CLUSTER], cells.height)
            in_slice = self.slice_of * (int(documents.max(initial=0)) + 1) + documents[cell]
            self.unit = np.unique(in_slice, return_inverse=True)[1]
        # The contribution of a line to the size of its unit, and the number of identical units.
        self.weight = n if clusters else np.ones(len(n))
        self.size = np.bincount(self.unit, self.weight).astype(np.float64)
        self.counts = np.ones(len(self.size)) if clusters else n
        self.slice_of_unit = np.zeros(len(self.size), np.int64)
        self.slice_of_unit[self.unit] = self.slice_of

    def quantile(self, probability: float) -> FloatArray:
        """Return the quantile of each slice, interpolated linearly between rows."""
        rows = self.added(self.size)
        position = np.maximum(rows - 1, 0) * probability
        before = np.cumsum(rows) - rows
        lower, upper = (
            np.append(self.score, np.nan)[np.searchsorted(self.ends, before + row, "right")]
            for row in (np.floor(position), np.ceil(position))
        )
        return np.where(rows > 0, lower + (upper - lower) * (position - np.floor(position)), np.nan)

    def interval(self, probability: float, confidence: float) -> tuple[FloatArray, FloatArray]:
        """
        Return the ends of the interval of each slice; nan without an interval.

        Ends are infinite where even the share of no rows, or of all rows, does not rule out the probability.
        """

        def share(levels: IntArray) -> tuple[FloatArray, FloatArray]:
            return interval("bounded", self.below(levels), confidence)

        lowest = self._first_level(lambda levels: share(levels)[1] >= probability)
        highest = self._first_level(lambda levels: share(levels)[0] > probability)
        low, high = (
            self.scores[np.clip(self.first_level + level - 1, 0, len(self.scores) - 1)]
            for level in (lowest, highest)
        )
        is_known = np.isfinite(share(self.levels)[0])
        return (
            np.where(is_known, np.where(lowest == 0, -np.inf, low), np.nan),
            np.where(is_known, np.where(highest > self.levels, np.inf, high), np.nan),
        )

    def below(self, levels: IntArray) -> Sums:
        """Return the sums of the share of rows with one of the lowest scores of their slice."""
        is_below = self.level < levels[self.slice_of]
        x = np.bincount(self.unit, self.weight * is_below, len(self.size)).astype(np.float64)
        y, total, n = self.size, self.added(x), self.added(self.size)
        ratio = divided(total, n, 0.0)
        bracket = self.added((x - ratio[self.slice_of_unit] * y) ** 2)
        powers = [self.added(y**power) for power in (2, 3, 4)]
        return Sums(total, n, self.added(x * x), self.added(x * y), powers[0], total, bracket, n, *powers)

    def carrying(self, value: FloatArray) -> FloatArray:
        """Return how many units have the rows that are at most, or those that are at least, this value."""
        sides = []
        for is_side in (self.score <= value[self.slice_of], self.score >= value[self.slice_of]):
            x = np.bincount(self.unit, self.weight * is_side, len(self.size)).astype(np.float64)
            sides.append(carriers_of_sums(self.added(x), self.added(x * x)))
        return np.minimum(*sides)

    def added(self, values: FloatArray) -> FloatArray:
        """Add up values of units by slice."""
        return np.bincount(self.slice_of_unit, self.counts * values, self.slices).astype(np.float64)

    def _first_level(self, holds: Callable[[IntArray], BoolArray]) -> IntArray:
        """Return for each slice the first number of scores for which a condition holds, by bisection."""
        low, high = np.zeros(self.slices, np.int64), self.levels + 1
        while (low < high).any():
            middle = (low + high) // 2
            is_above = holds(middle)
            high = np.where(is_above, middle, high)
            low = np.where(is_above, low, np.minimum(middle + 1, high))
        return low
