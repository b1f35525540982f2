"""The statistic of a slice: by how many standard errors it is worse than the rows outside it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anls_frame.slices.columns import Codes
    from anls_frame.slices.scores import Scores
    from anls_frame.slices.search import Least

    FloatArray = npt.NDArray[np.float64]
    SingleArray = npt.NDArray[np.float32]
    IntArray = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]


class Tested(NamedTuple):
    """Statistics of slices, by how much each is worse than the rest, and the standard errors."""

    value: FloatArray
    effect: FloatArray
    error: FloatArray


class Null(NamedTuple):
    """
    What rows have in common that do not depend on slices, as numbers or with one entry for each draw.

    Parameters
    ----------
    unit_values
        The sum of the losses of each document, one column for each draw.
    variance, correlation
        Variance of the loss of a row, and correlation of the rows of a document.
    """

    unit_values: FloatArray
    variance: FloatArray
    correlation: FloatArray

    def chosen(self, draws: IntArray) -> Null:
        """Return that of some draws."""
        return Null(self.unit_values[:, draws], self.variance[draws], self.correlation[draws])


class Sizes(NamedTuple):
    """
    How large slices and their rests are, and how the variance of an effect depends on it.

    Parameters
    ----------
    inside, outside
        Size of each slice, and of the rest.
    rows, documents
        The variance of the effect if the rows, or the documents, are independent and have a variance of 1.
    alone
        The latter of the mean of the slice alone.
    """

    inside: FloatArray
    outside: FloatArray
    rows: FloatArray
    documents: FloatArray
    alone: FloatArray

    @classmethod
    def of(cls, sizes: FloatArray, unit_sizes: FloatArray) -> Sizes:
        """Return the sizes of slices whose sizes by document are the columns of a table."""
        inside = sizes.sum(axis=0)
        outside = unit_sizes.sum() - inside
        with np.errstate(divide="ignore", invalid="ignore"):
            share = sizes / inside
            of_rest = (unit_sizes[:, None] - sizes) / outside
            documents = ((share - of_rest) ** 2).sum(axis=0)
            return cls(inside, outside, 1 / inside + 1 / outside, documents, (share**2).sum(axis=0))

    def chosen(self, places: IntArray | Mask) -> Sizes:
        """Return those of some slices."""
        return Sizes(*(one[places] for one in self))

    def expected(self, null: Null) -> FloatArray:
        """Return the variance of effects that is expected from that of all rows."""
        return null.variance * ((1 - null.correlation) * self.rows + null.correlation * self.documents)

    def expected_alone(self, null: Null) -> FloatArray:
        """Return the expected variance of the mean of a slice."""
        return null.variance * ((1 - null.correlation) / self.inside + null.correlation * self.alone)


@dataclass(frozen=True)
class Tables:
    """
    The sums of slices by document.

    Parameters
    ----------
    values, sizes
        Sum of the losses in each document (line) and slice or draw (column), and its size there.
    unit_sizes
        Size of each document.
    of
        The sizes of the slices.
    """

    values: FloatArray
    sizes: FloatArray
    unit_sizes: FloatArray
    of: Sizes

    def tested(self, null: Null, mean: float | None) -> Tested:
        """
        Test the slices.

        The statistic is the difference of the mean losses inside and outside a slice, divided by its standard
        error: the one observed around these two means, or the one expected from all rows, if that is larger.
        Of two systems, `mean` is the mean loss of all rows, because a slice must also have lost by itself.
        """
        of = self.of
        total = self.values.sum(axis=0)
        inside = total / of.inside
        outside = (null.unit_values.sum(axis=0) - total) / of.outside
        around = (self.values - inside * self.sizes) / of.inside
        rest = null.unit_values - self.values - outside * (self.unit_sizes[:, None] - self.sizes)
        shown = ((around - rest / of.outside) ** 2).sum(axis=0)
        effect = inside - outside
        error = np.sqrt(np.maximum(shown, of.expected(null)))
        value = _divided(effect, error)
        if mean is not None:
            shown = (around**2).sum(axis=0)
            lost = _divided(inside + mean, np.sqrt(np.maximum(shown, of.expected_alone(null))))
            value = np.minimum(value, lost)
        return Tested(value, effect, error)


def limits(sums: FloatArray, null: Null, of: Sizes, mean: float | None) -> FloatArray:
    """Return upper limits of positive statistics from the sums of slices alone, one column for each draw."""
    sizes = Sizes(*(one[:, None] for one in of))
    inside = sums / sizes.inside
    outside = (null.unit_values.sum(axis=0) - sums) / sizes.outside
    limit = _divided(inside - outside, np.sqrt(sizes.expected(null)))
    if mean is not None:
        limit = np.minimum(limit, _divided(inside + mean, np.sqrt(sizes.expected_alone(null))))
    return limit


def _divided(effect: FloatArray, error: FloatArray) -> FloatArray:
    return np.divide(effect, error, out=np.zeros(np.broadcast(effect, error).shape), where=error > 0)


@dataclass(frozen=True)
class Losses:
    """
    What rows lose against the figure of all rows, document by document; rows without a score are left out.

    Parameters
    ----------
    values, sizes
        Loss of each row, positive where it is worse, and its denominator in rows of mean size.
    unit
        Number of the document of each row, from 0 without gaps, in ascending order.
    line
        The line of the frame of each row.
    height
        Number of lines of the frame.
    mean
        Of two systems the mean change of all rows, positive where the second is worse; else None.
    """

    values: FloatArray
    sizes: FloatArray
    unit: IntArray
    line: IntArray
    height: int
    mean: float | None

    @classmethod
    def of(cls, scores: Scores, document: IntArray, order: IntArray) -> Losses:
        """
        Return the losses of scores.

        Parameters
        ----------
        scores
            The scores of lines.
        document
            The number of the document of each line.
        order
            Numbers that are equal for lines with equal values in all columns: they and the losses order the
            rows of a document, so that draws do not depend on the order of lines.
        """
        line, x, y = scores.single_rows()
        total = float(y.sum())
        scale = len(line) / total if total else 0.0
        rate = float(x.sum()) / total if total else 0.0
        values, sizes = scale * (rate * y - x), scale * y
        sorted_rows = np.lexsort((sizes, values, order[line], document[line]))
        line = line[sorted_rows]
        _, unit = np.unique(document[line], return_inverse=True)
        mean = -rate if scores.is_change else None
        return cls(values[sorted_rows], sizes[sorted_rows], unit, line, len(document), mean)

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

    def null(self, values: FloatArray | SingleArray) -> Null:
        """Return what rows have in common that have these losses, one column for each draw."""
        unit_sizes = self.unit_sizes
        total = float(unit_sizes.sum())
        starts = np.flatnonzero(np.diff(self.unit, prepend=-1))
        if not total:
            return Null(np.zeros((0, values.shape[1])), *np.zeros((2, values.shape[1])))
        unit_values = np.add.reduceat(values, starts, axis=0, dtype=np.float64)
        rate = unit_values.sum(axis=0) / total
        squares = np.einsum("rd,rd->d", values, values, dtype=np.float64)
        squares += rate**2 * float(self.sizes @ self.sizes) - 2 * rate * (self.sizes @ values)
        of_units = ((unit_values - rate * unit_sizes[:, None]) ** 2).sum(axis=0)
        more = float(unit_sizes @ unit_sizes) / total - 1
        design = np.divide(of_units, squares, out=np.ones_like(squares), where=squares > 0)
        correlation = np.clip((design - 1) / more, 0, 1) if more > 0 else np.zeros_like(design)
        return Null(unit_values, np.maximum(squares, 0) / total, correlation)

    def sums(self, codes: Codes) -> tuple[FloatArray, FloatArray]:
        """Return sums of losses and sizes by document and code, as tables without a column for the last."""
        unit, values, sizes = self.unit, self.values, self.sizes
        if codes.rows is not None:
            unit, values, sizes = unit[codes.rows], values[codes.rows], sizes[codes.rows]
        cell = unit * codes.size + codes.codes
        shape = (self.units, codes.size)
        found, inside = (
            added(cell, one, shape[0] * shape[1]).reshape(shape)[:, :-1] for one in (values, sizes)
        )
        return found, inside

    def of_masks(self, masks: Sequence[Mask], least: Least) -> Tested:
        """Test slices by their lines; nan for those that have, or leave, too few rows or documents."""
        null, unit_sizes = self.null(self.values[:, None]), self.unit_sizes
        values, sizes = np.zeros((2, len(unit_sizes), len(masks)))
        rows = np.zeros(len(masks))
        for place, mask in enumerate(masks):
            inside = mask[self.line]
            rows[place] = np.count_nonzero(inside)
            values[:, place] = np.bincount(self.unit[inside], self.values[inside], len(unit_sizes))
            sizes[:, place] = np.bincount(self.unit[inside], self.sizes[inside], len(unit_sizes))
        found, _ = self.tested(values, sizes, null, least.units)
        is_large = (rows >= least.rows) & (self.rows - rows >= least.rows)
        return Tested(*(np.where(is_large, one, np.nan) for one in found))

    def tested(
        self, values: FloatArray, sizes: FloatArray, null: Null, least_units: int
    ) -> tuple[Tested, Sizes]:
        """Test the slices whose sums by document are the columns of these tables."""
        unit_sizes = self.unit_sizes
        of = Sizes.of(sizes, unit_sizes)
        units = np.count_nonzero(sizes, axis=0)
        rest = np.count_nonzero(unit_sizes[:, None] - sizes > _ROUNDING * unit_sizes.sum(), axis=0)
        is_testable = (units >= max(least_units, 1)) & (rest >= max(least_units, 1))
        with np.errstate(divide="ignore", invalid="ignore"):
            found = Tables(values, sizes, unit_sizes, of).tested(null, self.mean)
        return Tested(*(np.where(is_testable, one, np.nan) for one in found)), of


_ROUNDING = 1e-12


def added(place: IntArray, values: FloatArray, count: int) -> FloatArray:
    """Return the sums of values by place."""
    # Without entries bincount counts in integers.
    return np.bincount(place, values, count).astype(np.float64, copy=False)
