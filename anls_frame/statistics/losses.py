"""
Losses of rows, and the statistic of a slice: its difference from the rest in standard errors.

Deviations are taken around the means of the slice and of the rest. Around the mean of all rows, the loss of a
slice of few documents would inflate the standard error so much that no such slice is ever found.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import ROUNDING, BoolArray, FloatArray, IndexArray, divided
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.size_classes import size_classes

SingleArray = npt.NDArray[np.float32]

LEAST_DEALT, NARROW = 2 / 3, 5
"""
Share of a difference that dealing rows within classes of this number of documents must take away at least.

Otherwise, rows are dealt in wider classes, which show better whether a slice depends on size.
"""
EXPECTED_OF_ALIKE = 0.5
"""
Share of the expected variance that counts for a slice that goes with size.

The variance of all documents is that of short and long ones, and contains the difference of slices itself. In
full, it hides slices of few documents; without it, a few documents that are equal by chance have no spread.
With 1, 0.75 and 0.5, a fifth of 30 documents is found in 84, 88 and 93 % of samples; with 1, 0.5 and 0.25,
false alarms are 5.4, 5.7 and 6.8 % if few documents are bad (benchmarks/sized_sets.py).
"""


@dataclass(frozen=True)
class Least:
    """Minimum sizes of a slice and its rest for a test."""

    rows: int
    units: int


_PAIR = 2


class Null(NamedTuple):
    """
    Quantities of rows that do not depend on slices.

    Parameters
    ----------
    unit_values, unit_sizes
        The weighted sum of the losses of each document (line) in each draw (column), and its weighted size,
        with a single column if no draw changes it.
    weights
        The weight of the rows of each document, with as many columns as the sizes.
    variance, correlation
        Variance of the loss of a row, and correlation of the rows of a document, before any draw.
    """

    unit_values: FloatArray
    unit_sizes: FloatArray
    weights: FloatArray
    variance: float
    correlation: float

    def chosen(self, draws: IndexArray) -> Null:
        """Return the quantities for some of the draws."""
        sizes, weights = (
            table if table.shape[1] == 1 else table[:, draws] for table in (self.unit_sizes, self.weights)
        )
        return self._replace(unit_values=self.unit_values[:, draws], unit_sizes=sizes, weights=weights)

    def of_documents_alike(self, correlation: float) -> Null:
        """Return the quantities if rows are weighted so that all documents count the same."""
        weights = divided(1, self.unit_sizes, 1.0)
        unit_values, variance = weights * self.unit_values, EXPECTED_OF_ALIKE * self.variance
        return Null(unit_values, np.where(self.unit_sizes > 0, 1.0, 0.0), weights, variance, correlation)

    def expected(self, rows: FloatArray, documents: FloatArray) -> FloatArray:
        """Return a variance from those if rows, or documents, are independent with a variance of 1."""
        return self.variance * ((1 - self.correlation) * rows + self.correlation * documents)


class Sizes(NamedTuple):
    """
    Sizes of slices (lines) and their rests, and the variances that follow from them and from all rows.

    Parameters
    ----------
    inside, outside
        Weighted size of each slice, and of the rest; with a single column if no draw changes it.
    expected, expected_alone
        The expected variance of the difference from the rest, and that of the mean of the slice alone.
    """

    inside: FloatArray
    outside: FloatArray
    expected: FloatArray
    expected_alone: FloatArray

    @classmethod
    def of(cls, sizes: FloatArray, null: Null) -> Sizes:
        """Return the sizes from those of each document in each slice and draw."""
        rest, weights = null.unit_sizes[:, None] - sizes, null.weights[:, None]
        inside, outside = sizes.sum(axis=0), rest.sum(axis=0)
        with np.errstate(divide="ignore", invalid="ignore"):
            share, rest_share = sizes / inside, rest / outside
            rows_alone = (weights * share).sum(axis=0) / inside
            rows = rows_alone + (weights * rest_share).sum(axis=0) / outside
            documents = ((share - rest_share) ** 2).sum(axis=0)
            alone = null.expected(rows_alone, (share**2).sum(axis=0))
            return cls(inside, outside, null.expected(rows, documents), alone)

    def chosen(self, slices: IndexArray | BoolArray) -> Sizes:
        """Return the sizes of some slices."""
        return Sizes(*(values[slices] for values in self))


def tested(
    values: FloatArray, sizes: FloatArray, slices: Sizes, null: Null, mean: float | None
) -> FloatArray:
    """
    Return the statistic of each slice (line) in each draw (column).

    It is the difference of the mean losses inside and outside a slice, divided by its standard
    error: the larger of the one observed around these two means and the one expected from all rows.

    Parameters
    ----------
    values, sizes
        Sum of the losses, and size, in each document, slice and draw.
    slices
        The sizes of the slices.
    null
        The quantities that do not depend on slices.
    mean
        For two systems, the mean loss of all rows, because a slice must also have lost by itself; otherwise
        None.
    """
    total = values.sum(axis=0)
    # A draw may give a slice, or its rest, no row with a denominator; it has no difference then.
    with np.errstate(divide="ignore", invalid="ignore"):
        inside = total / slices.inside
        outside = (null.unit_values.sum(axis=0) - total) / slices.outside
        around = (values - inside * sizes) / slices.inside
        rest = null.unit_values[:, None] - values - outside * (null.unit_sizes[:, None] - sizes)
        shown = ((around - rest / slices.outside) ** 2).sum(axis=0)
        value = divided(inside - outside, np.sqrt(np.maximum(shown, slices.expected)), 0.0)
        if mean is not None:
            shown = (around**2).sum(axis=0)
            lost = divided(inside + mean, np.sqrt(np.maximum(shown, slices.expected_alone)), 0.0)
            value = np.minimum(value, lost)
    return value


def limits(sums: FloatArray, slices: Sizes, null: Null, mean: float | None) -> FloatArray:
    """Return upper limits of positive statistics from the sums of slices (lines) in each draw (column)."""
    inside = sums / slices.inside
    outside = (null.unit_values.sum(axis=0) - sums) / slices.outside
    limit = divided(inside - outside, np.sqrt(slices.expected), 0.0)
    if mean is not None:
        limit = np.minimum(limit, divided(inside + mean, np.sqrt(slices.expected_alone), 0.0))
    return limit


@dataclass(frozen=True)
class Losses:
    """
    Losses of rows against the figure of all rows, by document; rows without a score are left out.

    Parameters
    ----------
    values, sizes
        Loss of each row, positive where it is worse, and its denominator in rows of mean size.
    unit
        Number of the document of each row, from 0 without gaps, in ascending order.
    line
        The line of the frame of each row.
    mean
        For two systems, the mean change of all rows, positive where the second is worse; otherwise None.
    """

    values: FloatArray
    sizes: FloatArray
    unit: IndexArray
    line: IndexArray
    mean: float | None

    @classmethod
    def of(
        cls,
        line: IndexArray,
        x: FloatArray,
        y: FloatArray,
        document: IndexArray,
        order: IndexArray,
        *,
        is_change: bool = False,
    ) -> Losses:
        """
        Return the losses of rows with a score.

        Parameters
        ----------
        line
            The line of the frame of each row.
        x, y
            Numerator and denominator of its score.
        document
            The number of the document of each line.
        order
            Numbers that are equal for lines with equal values in all columns. These numbers and the losses
            order the rows of a document, so that draws do not depend on the order of lines.
        is_change
            Whether scores are changes from one system to another.
        """
        total = float(y.sum())
        scale = len(line) / total if total else 0.0
        rate = float(x.sum()) / total if total else 0.0
        values, sizes = scale * (rate * y - x), scale * y
        sorted_rows = np.lexsort((sizes, values, order[line], document[line]))
        line = line[sorted_rows]
        _, unit = np.unique(document[line], return_inverse=True)
        mean = -rate if is_change else None
        return cls(values[sorted_rows], sizes[sorted_rows], unit, line, mean)

    @property
    def rows(self) -> int:
        """Number of rows with a score."""
        return len(self.unit)

    @property
    def units(self) -> int:
        """Number of documents."""
        return len(self.unit_sizes)

    @cached_property
    def unit_sizes(self) -> FloatArray:
        """Size of each document."""
        return added(self.unit, self.sizes, int(self.unit[-1]) + 1 if self.rows else 0)

    @cached_property
    def null(self) -> Null:
        """What the rows have in common."""
        unit_sizes, total = self.unit_sizes, float(self.sizes.sum())
        unit_values = added(self.unit, self.values, len(unit_sizes))
        squares = float(self.values @ self.values)
        more = float(unit_sizes @ unit_sizes) / total - 1 if total else 0.0
        design = float(unit_values @ unit_values) / squares if squares > 0 else 1.0
        correlation = min(max((design - 1) / more, 0.0), 1.0) if more > ROUNDING else 0.0
        variance = squares / total if total else 0.0
        weights = np.ones((self.units, 1))
        return Null(unit_values[:, None], unit_sizes[:, None], weights, variance, correlation)

    def null_of(self, values: SingleArray, sizes: SingleArray) -> Null:
        """
        Return the quantities for given losses and sizes of rows, one column per draw.

        Variance and correlation stay those of the data. With documents of unequal sizes, draws in which long
        documents get the rows of short documents would increase both, and slices would be found too often.
        """
        starts = np.flatnonzero(np.diff(self.unit, prepend=-1))
        unit_values, unit_sizes = (
            np.add.reduceat(table, starts, axis=0, dtype=np.float64) for table in (values, sizes)
        )
        return self.null._replace(unit_values=unit_values, unit_sizes=unit_sizes)

    @cached_property
    def largest_correlation(self) -> float:
        """
        Correlation of the rows of a document, for deals among documents of all sizes.

        That of `null` is mostly one of long documents, and too small for the others if few of the long ones
        happen to fail. So all documents of at least two rows have the same weight here, if this gives more.
        """
        squares, own = (added(self.unit, table**2, self.units) for table in (self.values, self.sizes))
        pairs = self.unit_sizes**2 - own
        several = pairs > ROUNDING
        variance = float((squares * divided(1, self.unit_sizes, 1.0)).mean()) if self.rows else 0.0
        least = float(self.null.correlation)
        if variance <= 0 or not several.any():
            return least
        common = (self.null.unit_values[several, 0] ** 2 - squares[several]) / pairs[several]
        return min(max(float(common.mean()) / variance, least), 1.0)

    def sums(self, codes: Codes) -> tuple[FloatArray, FloatArray]:
        """Return sums of losses and sizes by document and code, as tables without the last code."""
        unit, values, sizes = self.unit, self.values, self.sizes
        if codes.rows is not None:
            unit, values, sizes = unit[codes.rows], values[codes.rows], sizes[codes.rows]
        cell = unit * codes.size + codes.codes
        shape = (self.units, codes.size)
        lost, inside = (
            added(cell, table, shape[0] * shape[1]).reshape(shape)[:, :-1] for table in (values, sizes)
        )
        return lost, inside

    def tested(self, values: FloatArray, sizes: FloatArray, least_units: int) -> tuple[FloatArray, Sizes]:
        """Return the statistics of slices whose sums by document are columns; nan for those too small."""
        units = np.count_nonzero(sizes, axis=0)
        rest = self.unit_sizes[:, None] - sizes > ROUNDING * self.unit_sizes.sum()
        others = np.count_nonzero(rest, axis=0)
        is_testable = (units >= max(least_units, 1)) & (others >= max(least_units, 1))
        # Of two documents, each of one side, nothing tells whether the slice or the document is worse.
        is_testable &= (units + others > _PAIR) | (self.units < _PAIR)
        statistic, of_slices = np.empty(len(units)), np.empty((4, len(units), 1))
        for null, chosen in self._nulls(sizes):
            own, own_sizes = ((null.weights * table[:, chosen])[:, :, None] for table in (values, sizes))
            slice_sizes = Sizes.of(own_sizes, null)
            of_slices[:, chosen] = slice_sizes
            statistic[chosen] = tested(own, own_sizes, slice_sizes, null, self.mean)[:, 0]
        # Rows must differ in the direction of the documents.
        statistic[np.sign(self._of_rows(values, sizes)) * statistic <= ROUNDING] = 0.0
        return np.where(is_testable, statistic, np.nan), Sizes(*of_slices)

    @cached_property
    def size_class(self) -> IndexArray:
        """Narrow size class of each document."""
        return size_classes(np.bincount(self.unit), NARROW)

    def goes_with_size(self, sizes: FloatArray) -> BoolArray:
        """
        Return which slices depend on the size of documents, from their sizes by document.

        Dealing rows within size classes leaves the part of a difference that lies between classes. If it can
        take away less than `LEAST_DEALT` of the difference, it does not test the slice.
        """
        if not self.size_class.any():
            return np.zeros(sizes.shape[1], bool)
        order = np.argsort(self.size_class, kind="stable")
        starts = np.flatnonzero(np.diff(self.size_class[order], prepend=-1))
        inside = np.add.reduceat(sizes[order], starts, axis=0)
        whole = np.add.reduceat(self.unit_sizes[order], starts)[:, None]
        between = inside * (whole - inside)
        within = divided(between, whole, 0.0).sum(axis=0)
        total = inside.sum(axis=0)
        return np.asarray(within < LEAST_DEALT * total * (whole.sum() - total) / whole.sum())

    def _nulls(self, sizes: FloatArray) -> list[tuple[Null, BoolArray]]:
        """
        Return two nulls, each with the slices that it is for, from their sizes by document.

        All documents have the same weight for slices that go with size, because all sizes are exchanged.
        The few longest ones would otherwise outweigh the others.
        """
        by_size = self.goes_with_size(sizes)
        alike = self.null.of_documents_alike(self.largest_correlation)
        return [(self.null, ~by_size), (alike, by_size)]

    def are_opposed(self, statistic: FloatArray, values: FloatArray, sizes: FloatArray) -> BoolArray:
        """
        Return which slices have no statistic because rows and documents disagree, from sums by document.

        Their rows differ from the rest, but documents of equal weight do not, or in the other direction.
        """
        return np.asarray((statistic == 0) & (self._of_rows(values, sizes) != 0))

    def _of_rows(self, values: FloatArray, sizes: FloatArray) -> FloatArray:
        """Return numbers with the signs of the differences of rows; 0 for rounding errors."""
        # All losses add up to 0, so those of a slice have the sign of its difference from the rest.
        of_rows = values.sum(axis=0)
        if self.mean is not None:
            of_rows = np.minimum(of_rows, of_rows + self.mean * sizes.sum(axis=0))
        return np.where(np.abs(of_rows) > ROUNDING * np.abs(self.values).sum(), of_rows, 0.0)

    def degrees_of_freedom(self, sizes: FloatArray) -> FloatArray:
        """
        Return the degrees of freedom of the expected variance, for slices with these sizes by document.

        They are (Σw)² / Σw² - 1, where w is the contribution of a document to the variance (Satterthwaite
        1946).
        """
        result = np.empty(sizes.shape[1])
        for null, chosen in self._nulls(sizes):
            own = null.weights * sizes[:, chosen]
            rest = null.unit_sizes - own
            share, rest_share = own / own.sum(axis=0), rest / rest.sum(axis=0)
            of_rows = null.weights * (share / own.sum(axis=0) + rest_share / rest.sum(axis=0))
            weights = (1 - null.correlation) * of_rows + null.correlation * (share - rest_share) ** 2
            result[chosen] = weights.sum(axis=0) ** 2 / (weights**2).sum(axis=0) - 1
        return result


def rows_of_sums(
    counts: FloatArray,
    mean: FloatArray,
    variance: FloatArray,
    bounds: tuple[float | None, float | None] | None,
) -> tuple[IndexArray, FloatArray]:
    """
    Return rows that lines of several rows may represent, with their lines and deviations from the mean.

    The rows of a line have two values, with the variance of the line. For scores of 0 and 1, and for two
    rows, these are the rows themselves.

    Parameters
    ----------
    counts, mean, variance
        Number of rows of each line, their mean, and the mean square of their deviations.
    bounds
        Bounds of the rows. With both, the share of rows with the larger value is that of rows at the upper
        bound, otherwise one half.
    """
    low, high = bounds or (None, None)
    share = np.full(len(counts), 0.5)
    if low is not None and high is not None:
        share = (mean - low) / (high - low)
    line = np.repeat(np.arange(len(counts)), counts.astype(np.intp))
    ends = np.cumsum(counts.astype(np.intp))
    position = np.arange(len(line)) - (ends - counts.astype(np.intp))[line]
    n, spread = np.maximum(counts, 1), np.sqrt(variance)
    larger = np.clip(np.rint(n * share), 1, np.maximum(n - 1, 1))
    up, down = (np.sqrt(divided(a, b, 0.0)) for a, b in ((n - larger, larger), (larger, n - larger)))
    return line, np.where(position < larger[line], (spread * up)[line], -(spread * down)[line])


def added(cell: IndexArray, values: FloatArray, count: int) -> FloatArray:
    """Return the sums of values by cell."""
    # Without entries bincount counts in integers.
    return np.bincount(cell, values, count).astype(np.float64, copy=False)
