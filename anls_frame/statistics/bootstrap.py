"""Tests of three or more systems on the same units: a symmetric bootstrap-t, joint over pairs and groups."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np

from anls_frame.statistics.arrays import ROUNDING, FloatArray, IntArray
from anls_frame.statistics.significance import TIE
from anls_frame.statistics.student import t_quantile
from anls_frame.statistics.system_sums import SortedSums

FEWEST_DIFFERING = 6
"""Pairs that differ in fewer units are never called different, and are left out of the largest statistic."""

_MOST_WORK = 1 << 32
"""Number of draws times units times columns that are added up, above which fewer draws are made, ..."""

_LEAST_DRAWS = 1_000
"""... but not fewer than this."""

_ROOM = 1 << 17
"""Maximum number of weights, and of statistics, of draws that are added up at once: it fits into a cache."""

_ROOM_OF_ALL = 1 << 22
"""Maximum number of weights, and of statistics of all groups, in memory at a time."""


def p_values(sums: SortedSums, pairs: IntArray, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return the p-value of each pair, unadjusted and adjusted by step-down, as groups by pairs."""
    every = [_PairedGroup(group, pairs) for group in sums.each()]
    if not every:
        return np.empty((0, len(pairs))), np.empty((0, len(pairs)))
    work = sum(group.table.size + len(group.unit) * len(pairs) for group in every)
    draws = min(draws, max(_LEAST_DRAWS, _MOST_WORK // max(work, 1)))
    shape = (sums.groups, len(pairs))
    observed = np.concatenate([group.observed() for group in every])
    decidable = np.concatenate([group.is_decidable for group in every])
    least = observed * (1 - TIE)
    alone, as_large = np.zeros((2, observed.size), np.int64)
    units = int(sums.counts.sum())
    step = max(_ROOM // max(units, len(pairs), 1), 1)
    blocks = max(_ROOM_OF_ALL // max(observed.size, units, 1) // step, 1)
    weights = _drawn_weights(sums.counts, draws, seed, step)
    _, metrics = np.unique(np.broadcast_to(sums.metric, sums.groups), return_inverse=True)
    scale = None
    while drawn_together := list(itertools.islice(weights, blocks)):
        drawn_by_group = [group.drawn(drawn_together) for group in every]
        if scale is None:  # the same for all draws
            scale = np.repeat(_scales(every, drawn_by_group, metrics), len(pairs))
            # From the least to the most significant.
            order = np.flatnonzero(decidable)[np.argsort((observed / scale)[decidable], kind="stable")]
        for statistics in zip(*drawn_by_group, strict=True):
            drawn = np.concatenate(statistics)
            alone += np.count_nonzero(drawn >= least[:, None], axis=1)
            largest = drawn[order]
            largest /= scale[order, None]
            np.maximum.accumulate(largest, axis=0, out=largest)
            as_large[order] += np.count_nonzero(largest >= (least / scale)[order, None], axis=1)
    fewest = np.exp2(1 - np.concatenate([group.differing for group in every]))
    p_value = np.clip((1 + alone) / (1 + draws), fewest, 1)
    adjusted = np.ones(observed.size)
    stepped = (1 + as_large[order]) / (1 + draws)
    adjusted[order] = np.maximum.accumulate(stepped[::-1])[::-1]
    return p_value.reshape(shape), np.maximum(adjusted, p_value).reshape(shape)


def _scales(
    groups: Sequence[_PairedGroup], drawn: Sequence[Sequence[FloatArray]], metrics: IntArray
) -> FloatArray:
    """Return what the statistics of each group are divided by, from those of some blocks of draws."""
    count = metrics.max() + 1
    largest = np.zeros((count, sum(block.shape[1] for block in drawn[0])))
    pairs = np.zeros(count)
    for metric, group, blocks in zip(metrics, groups, drawn, strict=True):
        statistics = np.concatenate(blocks, axis=1)[group.is_decidable]
        np.maximum(largest[metric], statistics.max(axis=0, initial=0), out=largest[metric])
        pairs[metric] += np.count_nonzero(group.is_decidable)
    level = 0.05 / count
    normal = t_quantile(1 - level / 2 / np.maximum(pairs, 1), np.inf)
    return np.asarray(np.maximum(np.quantile(largest, 1 - level, axis=1), normal)[metrics])


def _drawn_weights(counts: IntArray, draws: int, seed: int, step: int) -> Iterator[FloatArray]:
    """Yield the number of times that each unit is drawn with replacement, for `step` draws at a time."""
    random = np.random.default_rng(seed)
    unit = np.repeat(np.arange(len(counts)), counts)
    for start in range(0, draws, step):
        size = min(step, draws - start)
        drawn = unit[random.integers(max(len(unit), 1), size=(size, len(unit)))]
        drawn += len(counts) * np.arange(size)[:, None]
        times = np.bincount(drawn.ravel(), minlength=size * len(counts))
        yield times.reshape(size, len(counts)).astype(np.float64)


class _PairedGroup:
    """The data for the statistics of the pairs of a group."""

    def __init__(self, group: SortedSums, pairs: IntArray) -> None:
        self.unit = group.unit
        self.counts = group.counts[group.unit].astype(np.float64)
        self.first, self.second = pairs.T
        total = self.counts @ group.y
        total = np.where(total > 0, total, 1.0)
        x, y = group.x / total, group.y / total
        self.denominators = y.shape[1]
        self.ratio = self.counts @ x
        # The influence of each unit on each ratio, and the size of the subtracted numbers.
        self.influence = x - self.ratio * y
        self.scale = (x + self.ratio * y).max(axis=1, keepdims=True)
        rounding = ROUNDING * group.x.max(axis=1, keepdims=True)
        differs = np.abs(group.x[:, self.first] - group.x[:, self.second]) > rounding
        if group.has_own_denominators:
            differs |= group.y[:, self.first] != group.y[:, self.second]
        self.differing = self.counts @ differs
        self.is_decidable = group.tested(pairs)[0] & (self.differing >= FEWEST_DIFFERING)
        weight = group.weights()[:, None]
        self.squares = float(self.counts @ weight[:, 0] ** 2)
        # The values to add up: denominators, a unit's share w and w², its influences and these times w.
        self.table = np.concatenate([y, weight, weight**2, self.influence, self.influence * weight], axis=1)

    def observed(self) -> FloatArray:
        """Return the statistic of each pair."""
        return np.asarray(self._statistics(self.counts[None], self.ratio, self._apart())[:, 0])

    def drawn(self, blocks: Sequence[FloatArray]) -> list[FloatArray]:
        """Return the statistics of each block of draws, from the number of times that units are drawn."""
        # Squares of all groups together may fill the memory, and recomputing them for each block takes long.
        apart = self._apart()
        return [self._statistics(weights[:, self.unit], 0 * self.ratio, apart) for weights in blocks]

    def _apart(self) -> FloatArray:
        """Return the square of each unit's influence on each difference, units by pairs."""
        apart = self.influence[:, self.first]
        apart -= self.influence[:, self.second]
        apart[np.abs(apart) <= ROUNDING * self.scale] = 0
        return np.asarray(np.square(apart, out=apart))

    def _statistics(self, weights: FloatArray, ratio: FloatArray, apart: FloatArray) -> FloatArray:
        systems = len(self.ratio)
        ends = np.cumsum([self.denominators, 1, 1, systems, systems])
        size, weight, squares, shift, products = np.split((weights @ self.table).T, ends[:-1])
        variance = apart.T @ weights.T
        moved = shift / np.where(size > 0, size, np.nan)
        difference = self._between(moved)
        # Σ(a - dw)² of the influences a and the shares w: Σa² + d(dΣw² - 2Σaw).
        change = difference * squares
        change -= self._between(2 * products)
        change *= difference
        # If all influences are dw, the terms are as large as Σa².
        rounding = ROUNDING * variance
        variance += change
        variance[variance <= rounding] = 0
        difference += (ratio[self.first] - ratio[self.second])[:, None]
        np.square(difference, out=difference)
        largest = np.fmax.reduce(np.abs(moved) + self.ratio[:, None], axis=0)
        difference[difference <= (ROUNDING * largest) ** 2] = 0
        variance /= weight**2
        np.multiply(difference, self.squares, out=change)
        variance += change
        variance += np.finfo(np.float64).tiny  # 0 / 0 is no difference
        difference /= variance
        # A draw without any denominator is as extreme as possible.
        difference[np.isnan(difference)] = 1 / self.squares if self.squares > 0 else 0
        return np.asarray(np.sqrt(difference, out=difference))

    def _between(self, systems: FloatArray) -> FloatArray:
        """Return the differences of the pairs, from the figures of the systems."""
        difference = systems[self.first]
        difference -= systems[self.second]
        return np.asarray(difference)
