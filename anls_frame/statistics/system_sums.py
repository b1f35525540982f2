"""Sums of several systems by unit and group, and their differences under swaps of systems."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import ROUNDING, BoolArray, FloatArray, IntArray, divided
from anls_frame.statistics.significance import TIE, on_grid
from anls_frame.statistics.step_down import Units

MOST_UNITS = 4_096
"""More units are merged at random into this many."""

_LEAST_UNITS = 2

_BOTH = np.array([[0, 1]])
"""The pair of two systems."""


@dataclass(frozen=True)
class SystemSums:
    """
    Sums of the scores of several systems, by unit and group.

    A group is a slice of the rows for one metric. A unit (a document, or rows with equal scores) has an entry
    for each group in which it has rows.

    Parameters
    ----------
    unit, group
        Unit and group of each entry, as numbers from 0; no two entries have the same unit and group.
    x
        Numerators, one row per entry and one column per system: sums of scores, or of errors.
    y
        Denominators (numbers of rows, or lengths): one column if they are common to all systems, otherwise
        one column per system.
    counts
        Number of units with the same sums, for each unit; 1 for documents.
    groups
        Number of groups.
    metric
        The metric of each group, as a number or name; by default, all groups are slices in the same metric.
    """

    unit: IntArray
    group: IntArray
    x: FloatArray
    y: FloatArray
    counts: IntArray
    groups: int
    metric: npt.ArrayLike = field(default=0, kw_only=True)

    def __post_init__(self) -> None:
        """
        Check that the arrays fit together.

        Raises
        ------
        ValueError
            If the arrays do not fit together, or a sum is not finite.
        """
        entries, systems = self.x.shape if self.x.ndim == 2 else (-1, -1)  # noqa: PLR2004
        fits = self.unit.shape == self.group.shape == (entries,)
        fits = fits and np.shape(self.metric) in {(), (self.groups,)}
        if not fits or self.y.shape not in {(entries, 1), (entries, systems)}:
            raise ValueError(
                "x must have one row per entry and one column per system, y the same or a single column, and "
                f"metric a number per group, got {len(self.unit)} entries in {self.groups} groups and shapes "
                f"{self.x.shape}, {self.y.shape} and {np.shape(self.metric)}"
            )
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise ValueError("sums must be finite")

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.x.shape[1])


@dataclass(frozen=True)
class SortedSums(SystemSums):
    """
    Sums of some groups, sorted by group, with a limited number of units.

    Parameters
    ----------
    unit, group, y, counts, groups, metric
        As in `SystemSums`.
    x
        Numerators; with common denominators, the smallest numerator of each entry is subtracted.
    total
        Numerator and denominator of each system by group.
    """

    total: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, sums: SystemSums, seed: int) -> SortedSums:
        """Return sorted sums, of units merged at random if there are too many."""
        counts = np.asarray(sums.counts, np.int64)
        # Sorted, so that sums do not depend on the order of the entries.
        order = np.lexsort((sums.unit, sums.group))
        unit, group, x, y = sums.unit[order], sums.group[order], sums.x[order], sums.y[order]
        every = int(counts.sum())
        if every > MOST_UNITS:
            merged = np.random.default_rng(seed).permutation(every) % MOST_UNITS
            members = counts[unit]
            entry = np.repeat(np.arange(len(unit)), members)
            within = np.arange(len(entry)) - np.repeat(np.cumsum(members) - members, members)
            starts = (np.cumsum(counts) - counts)[unit]
            into = merged[starts[entry] + within]
            cells, cell = np.unique(group[entry] * MOST_UNITS + into, return_inverse=True)
            x, y = (by_group(cell, values[entry], len(cells)) for values in (x, y))
            group, unit = np.divmod(cells, MOST_UNITS)
            counts = np.ones(MOST_UNITS, np.int64)
        numbers = counts[unit, None]
        total = by_group(group, x * numbers, sums.groups), by_group(group, y * numbers, sums.groups)
        if y.shape[1] == 1:
            x = x - x.min(axis=1, keepdims=True)
        return cls(unit, group, x, y, counts, sums.groups, total, metric=sums.metric)

    def each(self) -> Iterator[SortedSums]:
        """Yield each group by itself."""
        bounds = np.searchsorted(self.group, np.arange(self.groups + 1))
        for index, part in enumerate(itertools.starmap(slice, itertools.pairwise(bounds))):
            total = self.total[0][[index]], self.total[1][[index]]
            first = np.zeros_like(self.group[part])
            yield SortedSums(self.unit[part], first, self.x[part], self.y[part], self.counts, 1, total)

    @property
    def ratios(self) -> FloatArray:
        """Σx / Σy by group and system; nan without a denominator."""
        x, y = self.total
        return np.asarray(x / np.where(y > 0, y, np.nan))

    @property
    def has_own_denominators(self) -> bool:
        """Whether each system has its own denominators."""
        return bool(self.y.shape[1] > 1)

    def tested(self, pairs: IntArray) -> BoolArray:
        """Whether there are two units and two ratios, by group and pair."""
        units = by_group(self.group, self.counts[self.unit, None], self.groups)
        ratios = self.ratios[:, pairs].sum(axis=-1)
        return np.asarray((units >= _LEAST_UNITS) & np.isfinite(ratios))

    def weights(self) -> FloatArray:
        """Share of each entry in the denominators of its group."""
        size = self.y.sum(axis=1)
        total = self.total[1].sum(axis=1)[self.group]
        return divided(size, total, 0.0)

    def differences(self) -> FloatArray:
        """
        Return the second system's numerators (and own denominators) minus those of the first.

        The difference is 0 in groups that cannot be tested.
        """
        is_tested = self.tested(_BOTH)[self.group, 0]
        more = np.where(is_tested, self.x[:, 1] - self.x[:, 0], 0.0)
        if self.has_own_denominators:
            return np.stack([more, np.where(is_tested, self.y[:, 1] - self.y[:, 0], 0.0)], axis=1)
        # On a grid, so that 0.3 - 0.2 and 0.2 - 0.1 are equal.
        largest = np.zeros(self.groups)
        np.maximum.at(largest, self.group, np.abs(more))
        return on_grid(more, largest[self.group])[:, None]

    def units(self) -> Units:
        """Return the differences of the units: a column for each group, of numerators and of denominators."""
        differences = self.differences()
        entry, column = np.nonzero(differences)
        return Units(
            self.unit[entry],
            self.group[entry] + column * self.groups,
            differences[entry, column],
            self.counts,
            self.counts,
            self.groups * differences.shape[1],
        ).pooled()

    def swapped(self) -> Swapped:
        """Return the statistic of each group if the two systems are swapped in units."""
        is_tested = self.tested(_BOTH)[:, 0]
        x, y = (
            np.where(is_tested, np.broadcast_to(total, (self.groups, self.systems)).sum(axis=1), 1.0)
            for total in self.total
        )
        more, *longer = self.differences().T
        residual, size = more, np.asarray(np.abs(more))
        for difference in longer:
            expected = (x / y)[self.group] * difference
            residual, size = residual - expected, size + np.abs(expected)
        residual = np.where(np.abs(residual) > ROUNDING * size, residual, 0.0)
        added = np.stack([residual**2, size], axis=1) * self.counts[self.unit, None]
        squares, sizes = by_group(self.group, added, self.groups).T
        return Swapped(x=x, y=y, norm=np.sqrt(squares), sizes=sizes)


@dataclass(frozen=True, kw_only=True)
class Swapped:
    """
    The difference between two systems and its statistic, by group, if they are swapped in units.

    Parameters
    ----------
    x, y
        Numerator and denominator of both systems together.
    norm, sizes
        √Σd² and an upper bound of Σ|d|, where d is the difference of a unit's numerators minus the ratio of
        both systems times the difference of its denominators. Swaps do not change these values.
    """

    x: FloatArray
    y: FloatArray
    norm: FloatArray
    sizes: FloatArray

    def difference(self, sums: FloatArray) -> FloatArray:
        """
        Return the absolute difference by group and draw, from the sums of the differences of units.

        It is the difference of the ratios times half of the total denominator, which equals Σd to first
        order, and exactly for equal denominators.
        """
        more, *longer = sums.reshape(-1, len(self.x), sums.shape[1])
        if not longer:
            return np.asarray(np.abs(more))
        x, y = self.x[:, None], self.y[:, None]
        with np.errstate(divide="ignore", invalid="ignore"):
            difference = y / 2 * ((x + more) / (y + longer[0]) - (x - more) / (y - longer[0]))
        # A swap that leaves a system without a denominator counts as most extreme.
        return np.where(np.isfinite(difference), np.abs(difference), np.inf)

    def statistic(self, sums: FloatArray) -> FloatArray:
        """Return T, the absolute difference divided by its scale under swaps, by group and draw."""
        difference = self.difference(sums)
        norm = self.norm[:, None]
        # Equal systems differ by rounding, unless a system is left without a denominator.
        same = np.where(np.isinf(difference), np.inf, 0.0)
        return np.divide(difference, norm, out=same, where=norm > 0)

    def ties(self) -> FloatArray:
        """Return the amount by which statistics may differ through rounding."""
        return TIE * divided(self.sizes, self.norm, 0.0)


def by_group(group: IntArray, values: FloatArray | IntArray, groups: int) -> FloatArray:
    """Add up the entries of each group, by column."""
    # Without entries bincount counts in integers.
    return np.stack([np.bincount(group, column, groups) for column in values.T], axis=1, dtype=np.float64)
