"""The statistic of a slice: by how many standard errors it is worse than the rows outside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.slices.scores import Scores

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]

GROUPS = 4096
"""Number of documents beyond which random groups of documents are drawn instead, each with one sign."""


@dataclass(frozen=True)
class Tested:
    """
    Statistics of slices, as arrays, with what turns sums under random signs into statistics.

    Parameters
    ----------
    value
        The observed statistic; nan for slices that cannot be tested.
    effect, error
        By how much a slice is worse than the rest, and the standard error.
    expected
        The squared error that is expected from the variance and correlation of all rows.
    own, all_rows
        Factors of the sums of a slice and of all rows, so that the difference of both is a statistic.
    """

    value: FloatArray
    effect: FloatArray
    error: FloatArray
    expected: FloatArray
    own: FloatArray
    all_rows: FloatArray


@dataclass(frozen=True)
class Residuals:
    """
    Residuals of rows from the figure of all rows, positive where a row is worse, and their units.

    Parameters
    ----------
    values, sizes
        Residual of each row, and its denominator in rows of mean size; 0 for rows without a score.
    unit, count
        Number of the unit of each row, from 0, and how many units there are.
    unit_values, unit_sizes
        Their sums over the rows of each unit.
    variance, correlation
        Variance of the residual of a row, and correlation of the rows of a document.
    rate
        The figure of all rows; higher is better.
    is_change
        As for `Scores`.
    scored, squares
        Of lines that stand for several rows: how many have a score, and the sum of their squared residuals.
    """

    values: FloatArray
    sizes: FloatArray
    unit: IntArray
    count: int
    unit_values: FloatArray
    unit_sizes: FloatArray
    variance: float
    correlation: float
    rate: float
    is_change: bool
    scored: FloatArray | None = None
    squares: FloatArray | None = None

    @classmethod
    def of(cls, scores: Scores, document: IntArray, seed: int = 0) -> Residuals:
        """Return the residuals of scores, whose rows are of these documents."""
        total = float(scores.y.sum())
        scored = np.count_nonzero(scores.y) if scores.counts is None else float(scores.counts.sum())
        scale = scored / total if total else 0.0
        sizes = scores.y * scale
        rate = float(scores.x.sum()) / total if total else 0.0
        values = rate * sizes - scores.x * scale
        _, unit = np.unique(document, return_inverse=True)
        count = int(unit.max()) + 1 if len(unit) else 0
        unit_values, unit_sizes = _added(unit, values, count), _added(unit, sizes, count)
        of_lines = scores.residual_squares(rate)
        squares = float(values @ values) if of_lines is None else float(of_lines.sum())
        more = float(unit_sizes @ unit_sizes) / float(unit_sizes.sum()) - 1 if total else 0.0
        design = float(unit_values @ unit_values) / squares if squares > 0 else 1.0
        correlation = min(max((design - 1) / more, 0.0), 1.0) if more > 0 else 0.0
        if count > GROUPS:
            unit = np.random.default_rng(seed).integers(0, GROUPS, count)[unit]
            count = GROUPS
            unit_values, unit_sizes = _added(unit, values, count), _added(unit, sizes, count)
        variance = squares / float(sizes.sum()) if total else 0.0
        return cls(
            values,
            sizes,
            unit,
            count,
            unit_values,
            unit_sizes,
            variance,
            correlation,
            rate,
            scores.is_change,
            scores.counts,
            of_lines,
        )

    @property
    def row_squares(self) -> FloatArray:
        """The squared residual of each row, or of each line their sum."""
        return self.values**2 if self.squares is None else self.squares

    def rows_in(self, mask: Mask | None = None) -> int:
        """Return how many rows with a score there are, in all or the chosen lines."""
        if self.scored is not None:
            return int(self.scored.sum() if mask is None else self.scored[mask].sum())
        return int(np.count_nonzero(self.sizes > 0 if mask is None else mask & (self.sizes > 0)))

    def sums(self, codes: IntArray, size: int, rows: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """
        Return the sums of residuals and sizes by unit and code, as tables of units and codes.

        Rows whose code is `size` are left out.
        """
        unit, values, sizes = self.unit, self.values, self.sizes
        if rows is not None:
            unit, values, sizes = unit[rows], values[rows], sizes[rows]
        cell = unit * (size + 1)
        cell += codes
        shape = (self.count, size + 1)
        found, inside = (
            _added(cell, one, shape[0] * shape[1]).reshape(shape)[:, :size] for one in (values, sizes)
        )
        return found, inside

    def tested(self, values: FloatArray, sizes: FloatArray, least_units: int) -> Tested:
        """Test the slices whose sums by unit are the columns of these tables."""
        total = float(self.unit_sizes.sum())
        inside, x = sizes.sum(axis=0), values.sum(axis=0)
        outside = total - inside
        units = np.count_nonzero(sizes, axis=0)
        whole = np.count_nonzero(self.unit_sizes[:, None] - sizes > _ROUNDING * total, axis=0)
        is_testable = (units >= least_units) & (whole >= least_units) & (outside > _ROUNDING * total)
        with np.errstate(divide="ignore", invalid="ignore"):
            own = np.where(is_testable, 1 / inside + 1 / outside, np.nan)
            rest = np.where(is_testable, 1 / outside, np.nan)

        def spread(table: FloatArray, of_all: FloatArray) -> FloatArray:
            squares = np.einsum("us,us->s", table, table)
            return np.asarray(
                own**2 * squares - 2 * own * rest * (of_all @ table) + rest**2 * float(of_all @ of_all)
            )

        shown = np.maximum(spread(values, self.unit_values), 0.0)
        alike = self.correlation
        expected = self.variance * ((1 - alike) * own + alike * spread(sizes, self.unit_sizes))
        error = np.sqrt(np.maximum(shown, expected))
        effect = own * x
        with np.errstate(divide="ignore", invalid="ignore"):
            statistic = np.where(error > 0, effect / error, 0.0)
            if self.is_change:
                statistic = np.minimum(statistic, self._lost(values, sizes))
            scale = np.where(shown > 0, 1 / np.sqrt(shown), 0.0)
        statistic = np.where(is_testable, statistic, np.nan)
        return Tested(statistic, effect, error, expected, own * scale, rest * scale)

    def _lost(self, values: FloatArray, sizes: FloatArray) -> FloatArray:
        """Return by how many standard errors the second system lost in each slice."""
        lost = values - self.rate * sizes
        alike = self.correlation
        squares = np.einsum("us,us->s", sizes, sizes)
        expected = self.variance * ((1 - alike) * sizes.sum(axis=0) + alike * squares)
        shown = np.einsum("us,us->s", lost, lost)
        variance = np.maximum(shown, expected)
        return np.asarray(np.where(variance > 0, lost.sum(axis=0) / np.sqrt(variance), 0.0))

    def strengths(self, values: FloatArray, sizes: FloatArray, tested: Tested) -> FloatArray:
        """
        Return effects in standard errors of residuals from the means inside and outside each slice.

        The statistic cannot tell a slice from a larger one with all of its losses and no others. Here the
        larger one has the larger standard error.
        """
        inside, total = sizes.sum(axis=0), float(self.unit_sizes.sum())
        outside = total - inside
        with np.errstate(divide="ignore", invalid="ignore"):
            mean = values.sum(axis=0) / inside
            of_rest = (float(self.unit_values.sum()) - values.sum(axis=0)) / outside
            off = (values - mean * sizes) / inside
            rest = self.unit_values[:, None] - values, self.unit_sizes[:, None] - sizes
            off -= (rest[0] - of_rest * rest[1]) / outside
            variance = np.maximum(np.einsum("us,us->s", off, off), tested.expected)
            return np.asarray(np.where(variance > 0, tested.effect / np.sqrt(variance), 0.0))

    def of_masks(self, masks: list[Mask], least_units: int) -> tuple[Tested, FloatArray, FloatArray]:
        """Test slices by their rows; also return the tables of residuals and of sizes by unit."""
        values, sizes = np.zeros((2, self.count, len(masks)))
        for place, mask in enumerate(masks):
            unit = self.unit[mask]
            values[:, place] = np.bincount(unit, self.values[mask], self.count)
            sizes[:, place] = np.bincount(unit, self.sizes[mask], self.count)
        return self.tested(values, sizes, least_units), values, sizes


_ROUNDING = 1e-12


def _added(place: IntArray, values: FloatArray, count: int) -> FloatArray:
    # Without entries bincount counts in integers.
    return np.bincount(place, values, count).astype(np.float64, copy=False)
