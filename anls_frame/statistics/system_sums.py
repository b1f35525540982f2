"""Sums of several systems by unit and line, and how their differences change if systems are swapped."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.statistics.step_down import Units

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    from anls_frame.statistics.step_down import IntArray
    from anls_frame.statistics.student import FloatArray

__all__ = ["MOST_UNITS", "Groups", "Lines", "Swaps", "SystemSums"]

MOST_UNITS = 4_096
"""More units are added up into this many groups."""

_LEAST_UNITS = 2

_NO_DIFFERENCE = 1e-12
"""A sum of squared differences below this fraction of its terms is rounding error and set to 0."""


@dataclass(frozen=True)
class SystemSums:
    """
    Sums of the scores of several systems, by unit and line.

    A line is a slice of the rows for one metric. A unit (a document, or rows with equal scores) has an entry
    for each line in which it has rows.

    Parameters
    ----------
    unit, line
        Unit and line of each entry, as numbers from 0; no two entries have the same unit and line.
    x
        Numerators, one row per entry and one column per system: sums of scores, or of errors.
    y
        Denominators (numbers of rows, or lengths): one column if all systems have the same, otherwise one
        per system.
    counts
        How many units have these sums, for each unit: 1 for documents.
    lines
        Number of lines.
    """

    unit: IntArray
    line: IntArray
    x: FloatArray
    y: FloatArray
    counts: IntArray
    lines: int

    def __post_init__(self) -> None:
        """
        Check that the arrays fit together.

        Raises
        ------
        ValueError
            If they do not, or if a sum is not finite.
        """
        entries, systems = self.x.shape if self.x.ndim == 2 else (-1, -1)  # noqa: PLR2004
        fits = self.unit.shape == self.line.shape == (entries,)
        if not fits or self.y.shape not in {(entries, 1), (entries, systems)}:
            raise ValueError(
                "x must have one row per entry and one column per system, and y the same or a single column, "
                f"got {len(self.unit)} entries and shapes {self.x.shape} and {self.y.shape}"
            )
        if not (np.isfinite(self.x).all() and np.isfinite(self.y).all()):
            raise ValueError("sums must be finite")

    @property
    def systems(self) -> int:
        """Number of systems."""
        return int(self.x.shape[1])


@dataclass(frozen=True)
class Groups:
    """
    Units, or random groups of units if there are too many.

    A group is a unit with the sums of its own. They are random because the order of units is that of their
    names or scores.

    Parameters
    ----------
    counts
        How many units each unit or group stands for in tests.
    starts
        Place of each unit's first member in `group`; None if units are not grouped.
    members
        How many members each unit has.
    group
        Group of each member.
    """

    counts: IntArray
    starts: IntArray | None = None
    members: IntArray | None = None
    group: IntArray | None = None

    @classmethod
    def of(cls, counts: IntArray, seed: int) -> Groups:
        """Return the units, of which so many are alike, or their groups."""
        total = int(counts.sum())
        if total <= MOST_UNITS:
            return cls(counts)
        group = np.random.default_rng(seed).permutation(total) % MOST_UNITS
        return cls(np.ones(MOST_UNITS, np.int64), np.cumsum(counts) - counts, counts, group)

    def added(self, unit: IntArray, x: FloatArray, y: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
        """Return the groups of a line with the sums of their units."""
        if self.group is None or self.starts is None or self.members is None:
            return unit, x, y
        members = self.members[unit]
        entry = np.repeat(np.arange(len(unit)), members)
        within = np.arange(len(entry)) - np.repeat(np.cumsum(members) - members, members)
        present, place = np.unique(self.group[self.starts[unit][entry] + within], return_inverse=True)
        return present, by_line(place, x[entry], len(present)), by_line(place, y[entry], len(present))


@dataclass(frozen=True)
class Lines:
    """
    Sums of some lines, sorted by line, with few enough units.

    Parameters
    ----------
    unit, line, y, counts, lines
        As in `SystemSums`.
    x
        Numerators; if all systems have the same denominators, the smallest of each entry is subtracted.
    total
        Numerator and denominator of each system by line.
    """

    unit: IntArray
    line: IntArray
    x: FloatArray
    y: FloatArray
    counts: IntArray
    lines: int
    total: tuple[FloatArray, FloatArray]

    @classmethod
    def of(cls, sums: SystemSums, seed: int) -> Lines:
        """Add up random groups of units if there are too many; sort."""
        groups = Groups.of(np.asarray(sums.counts, np.int64), seed)
        # Sorted, so that sums do not depend on the order of the entries.
        order = np.lexsort((sums.unit, sums.line))
        bounds = np.searchsorted(sums.line[order], np.arange(sums.lines + 1))
        parts = [
            groups.added(sums.unit[entries], sums.x[entries], sums.y[entries])
            for entries in (order[start:end] for start, end in itertools.pairwise(bounds))
        ]
        line = np.repeat(np.arange(sums.lines), [len(unit) for unit, _, _ in parts])
        none = np.zeros(0, np.int64), sums.x[:0], sums.y[:0]
        unit, x, y = (np.concatenate(arrays) for arrays in zip(none, *parts, strict=True))
        numbers = groups.counts[unit, None]
        total = by_line(line, x * numbers, sums.lines), by_line(line, y * numbers, sums.lines)
        if y.shape[1] == 1:
            x = x - x.min(axis=1, keepdims=True)
        return cls(unit, line, x, y, groups.counts, sums.lines, total)

    def each(self) -> Iterator[Lines]:
        """Yield each line by itself."""
        for place, part in enumerate(self._parts()):
            total = self.total[0][[place]], self.total[1][[place]]
            first = np.zeros_like(self.line[part])
            yield Lines(self.unit[part], first, self.x[part], self.y[part], self.counts, 1, total)

    def _parts(self) -> list[slice]:
        """Return where the entries of each line are."""
        bounds = np.searchsorted(self.line, np.arange(self.lines + 1))
        return list(itertools.starmap(slice, itertools.pairwise(bounds)))

    @property
    def ratios(self) -> FloatArray:
        """Σx / Σy by line and system; nan without a denominator."""
        x, y = self.total
        return np.asarray(x / np.where(y > 0, y, np.nan))

    @property
    def has_own_denominators(self) -> bool:
        """Whether the denominators are those of single systems."""
        return bool(self.y.shape[1] > 1)

    def tested(self, pairs: IntArray) -> npt.NDArray[np.bool_]:
        """Whether there are two units and two ratios, by line and pair."""
        has_rows = (self.y > 0).any(axis=1)
        units = by_line(self.line, np.where(has_rows, self.counts[self.unit], 0.0)[:, None], self.lines)
        of_pairs = self.ratios[:, pairs].sum(axis=-1)
        return np.asarray((units >= _LEAST_UNITS) & np.isfinite(of_pairs))

    def weights(self) -> FloatArray:
        """Share of each entry in the denominators of its line."""
        size = self.y.sum(axis=1)
        total = self.total[1].sum(axis=1)[self.line]
        return np.asarray(np.divide(size, total, out=np.zeros_like(size), where=total > 0))

    def table(self) -> FloatArray:
        """Return what is added up under signs: numerators, denominators, and both times their weights."""
        both = np.concatenate([self.x, self.y], axis=1) if self.has_own_denominators else self.x
        return np.concatenate([both, both * self.weights()[:, None]], axis=1)

    def units(self) -> Units:
        """Return the units that differ: a column for each line and column of `table`."""
        table = self.table()
        columns = self.table_columns
        # Sorting whole entries is faster than sorting all values; the numbers of the entries stand for them.
        numbers = np.where(self._differs(), np.arange(1, len(table) + 1), 0).astype(np.float64)
        tidy = Units(self.unit, self.line, numbers, self.counts, self.counts, self.lines).tidied()
        rows = table[tidy.value.astype(np.int64) - 1]
        return Units(
            np.repeat(tidy.unit, columns),
            (tidy.column[:, None] * columns + np.arange(columns)).ravel(),
            rows.ravel(),
            tidy.counts,
            tidy.net,
            self.lines * columns,
        )

    def _differs(self) -> npt.NDArray[np.bool_]:
        """Whether systems differ in an entry."""
        differs = self.x.min(axis=1) < self.x.max(axis=1)
        if self.has_own_denominators:
            differs |= self.y.min(axis=1) < self.y.max(axis=1)
        return np.asarray(differs)

    def differing(self) -> FloatArray:
        """Return the number of units that differ, by line."""
        units = np.where(self._differs(), self.counts[self.unit], 0.0)
        return by_line(self.line, units[:, None], self.lines)[:, 0]

    def swaps(self, pairs: IntArray) -> Swaps:
        """Return the statistics of pairs, one hypothesis for each line and pair."""
        i, j = pairs.T
        systems = self.x.shape[1]
        tested = self.tested(pairs)
        x, y = (
            np.where(tested, total[:, i] + total[:, j], 1.0)
            for total in (np.broadcast_to(total, (self.lines, systems)) for total in self.total)
        )
        rate = x / y
        squares, scale, sizes = np.zeros((3, *tested.shape))
        for place, part in enumerate(self._parts()):
            parts = [(self.x[part], np.ones(len(pairs)))]
            if self.has_own_denominators:
                smallest = self.y[part].min(axis=1, keepdims=True)
                parts.append((self.y[part] - smallest, -rate[place]))
            counts = self.counts[self.unit[part], None]
            for of_one, times in parts:
                size = (counts * np.abs(of_one)).sum(axis=0)
                sizes[place] += np.abs(times) * (size[i] + size[j])
                for of_other, other_times in parts:
                    products = (counts * of_one).T @ of_other
                    whole = products[i, i] + products[j, j]
                    squares[place] += times * other_times * (whole - products[i, j] - products[j, i])
                    scale[place] += np.abs(times * other_times * whole)
        squares[~tested | (squares <= _NO_DIFFERENCE * scale)] = 0
        weights = by_line(self.line, (self.counts[self.unit] * self.weights() ** 2)[:, None], self.lines)
        columns = self.table_columns
        start = np.arange(self.lines)[:, None] * columns
        return Swaps(
            first=(start + i).ravel(),
            second=(start + j).ravel(),
            weighted=columns // 2,
            denominators=systems if self.has_own_denominators else 0,
            x=x.ravel(),
            y=y.ravel(),
            squares=squares.ravel(),
            sizes=sizes.ravel(),
            weights=np.repeat(weights[:, 0], len(pairs)),
        )

    @property
    def table_columns(self) -> int:
        """Number of columns of `table`."""
        return 2 * int(self.x.shape[1] + (self.y.shape[1] if self.has_own_denominators else 0))


@dataclass(frozen=True)
class Swaps:
    """
    Differences and statistics of hypotheses under signs, each of which swaps two systems in a unit.

    Parameters
    ----------
    first, second
        Columns of the numerators of the two systems. If the denominators are those of single systems, they
        are `denominators` columns further, otherwise that is 0. The weighted ones are `weighted` columns
        further.
    x, y
        Numerator and denominator of both systems together.
    squares, sizes
        Σd² and an upper bound of Σ|d|. d is the difference of a unit's numerators, minus the ratio of both
        systems times the difference of its denominators.
    weights
        Σw² of the units' shares of the denominator.
    """

    first: IntArray
    second: IntArray
    weighted: int
    denominators: int
    x: FloatArray
    y: FloatArray
    squares: FloatArray
    sizes: FloatArray
    weights: FloatArray

    def __call__(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """
        Return the difference and the studentised statistic, by hypothesis and draw.

        The difference is that of the ratios, times half of the common denominator: Σd to first order, and
        exactly for equal denominators.
        """
        difference, product = self._difference(sums, 0), self._difference(sums, self.weighted)
        if self.denominators:
            x, y = self.x[:, None], self.y[:, None]
            longer = self._difference(sums, self.denominators)
            product -= x / y * self._difference(sums, self.denominators + self.weighted)
            with np.errstate(divide="ignore", invalid="ignore"):
                difference = y / 2 * ((x + difference) / (y + longer) - (x - difference) / (y - longer))
            # A swap that leaves one system without any denominator is as extreme as possible.
            difference[~np.isfinite(difference)] = np.inf
        # Σ(d - Dw)² + D²Σw², at least half of Σd².
        below = difference * self.weights[:, None]
        below -= product
        with np.errstate(invalid="ignore"):
            below *= 2 * difference
            below += np.where(self.squares > 0, self.squares, 1.0)[:, None]
            statistic = difference / np.sqrt(below)
        if self.denominators:
            statistic[np.isinf(difference)] = np.inf
        statistic[self.squares == 0] = 0
        return difference, statistic

    def _difference(self, sums: FloatArray, further: int) -> FloatArray:
        return np.asarray(sums[self.first + further] - sums[self.second + further])

    def relative_sizes(self) -> FloatArray:
        """Return sizes in terms of the statistic."""
        return np.divide(
            2 * self.sizes, np.sqrt(self.squares), out=np.zeros_like(self.sizes), where=self.squares > 0
        )


def by_line(line: IntArray, values: FloatArray, lines: int) -> FloatArray:
    """Add up the entries of each line, by column."""
    # Without entries bincount counts in integers.
    return np.stack([np.bincount(line, column, lines) for column in values.T], axis=1, dtype=np.float64)
