"""What rows and documents can show about the difference of two systems: planning, and bounds for gates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.statistics.intervals import effective_units, ratio_variance
from anls_frame.statistics.student import FloatArray, t_quantile

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy.typing as npt

_FEWEST_UNITS = 2.0
"""With fewer effective units there are no bounds: they leave less than one degree of freedom."""

_HALVINGS = 60
_DOUBLINGS = 60

_CORRELATION = 0.1
"""Intraclass correlation of changes in a document, of which nothing is known before one is seen."""


@dataclass(frozen=True)
class Changes:
    """
    The rows whose scores differ between two systems, as arrays with a value for each group.

    An effect of δ needs rows that win or lose, and these add variance: the variance of a difference that is
    not the observed one follows from the number of changed rows that it would take.

    Parameters
    ----------
    n
        Number of rows.
    units
        Effective number of units: documents, or rows if there are no clusters.
    difference, variance
        Mean difference of the rows, and the variance of that mean, from `ratio_variance`.
    changed
        Number of rows that differ.
    size, square
        Means of the absolute difference of a changed row, and of its square.
    unseen
        Size of a difference that may occur, although no row shows it: the largest possible one. 0 if unknown.
    """

    n: FloatArray
    units: FloatArray
    difference: FloatArray
    variance: FloatArray
    changed: FloatArray
    size: FloatArray
    square: FloatArray
    unseen: float

    @property
    def total(self) -> FloatArray:
        """Mean absolute difference of all rows: expected wins plus losses, by size."""
        return self.changed * self.size / self.n

    def squares(self, rows: FloatArray | float = 0) -> FloatArray:
        """
        Return what a difference adds to the mean square for each unit of size: Σx² / Σ|x|.

        So many rows of the largest possible difference are added.
        """
        added = rows * self.unseen
        absolute = self.changed * self.size + added
        return _divided(self.changed * self.square + added * self.unseen, absolute)

    def design(self, rows: FloatArray | float = 0) -> FloatArray:
        """
        Return by how much the variance exceeds that of independent rows (Kish's design effect).

        So many changed rows with the usual correlation of changes are added.
        """
        usual = 1 + _CORRELATION * (self.n / self.units - 1)
        spread = np.maximum(self.changed * self.square - self.n * self.difference**2, 0)
        added = np.where(spread > 0, rows * self.unseen**2, 1.0)
        observed = self.variance * self.n**2
        return np.asarray((observed + added * usual) / (spread + added))


def changes_of_units(
    count: npt.ArrayLike, n: npt.ArrayLike, x: npt.ArrayLike, ups: npt.ArrayLike, downs: npt.ArrayLike
) -> dict[str, FloatArray]:
    """
    Return what each unit adds to the sums of `changes`.

    Parameters
    ----------
    count
        How many units are alike.
    n, x
        Number of rows of a unit, and the sum of their differences.
    ups, downs
        Number of its rows with a difference above 0, and below.
    """
    count, n, x, ups, downs = (np.asarray(value, np.float64) for value in (count, n, x, ups, downs))
    changed = ups + downs
    weight = _divided(count, changed)
    net = ups - downs
    return {
        "n": count * n, "x": count * x, "xx": count * x * x, "xn": count * x * n, "nn": count * n * n,
        "changed": count * changed, "touched": count * (changed > 0),
        "of_net": weight * x * net, "net": weight * net * net, "squares": weight * x * x,
    }  # fmt: skip


def changes(
    sums: dict[str, FloatArray],
    *,
    unseen: float,
    units: FloatArray | None = None,
    variance: FloatArray | None = None,
) -> Changes:
    """
    Return the changed rows of groups, from sums over their units.

    The sizes of single rows need not be known. In a unit of k changed rows, of which u - d more are above 0
    than below, the sum of differences is about s(u - d), with a variance that grows as k: s follows by least
    squares with weights 1/k, and the variance of a row's size from what remains.

    Parameters
    ----------
    sums
        Sums by group of what `changes_of_units` returns.
    unseen
        See `Changes`.
    units, variance
        Effective number of units, and variance of the mean difference; by default from the sums.
    """
    n, x = sums["n"], sums["x"]
    units = effective_units(n, sums["nn"]) if units is None else units
    if variance is None:
        variance = ratio_variance(units, x, n, sums["xx"], sums["xn"], sums["nn"])
    n = np.where(n > 0, n, np.nan)
    difference, changed = x / n, sums["changed"]
    # No mean is larger than the mean of absolute values.
    size = np.maximum(_divided(sums["of_net"], sums["net"]), _divided(np.abs(x), changed))
    rest = sums["squares"] - 2 * size * sums["of_net"] + size * size * sums["net"]
    square = size * size + _divided(np.maximum(rest, 0), sums["touched"])
    if unseen > 0:
        # Where as many rows rise as fall in each unit, their sums do not show the sizes.
        size = np.where((changed > 0) & (sums["net"] == 0), unseen, size)
        size = np.minimum(size, np.maximum(unseen, _divided(np.abs(x), changed)))
        square = np.clip(np.maximum(square, size * size), 0, size * np.maximum(unseen, size))
    return Changes(n, units, difference, variance, changed, size, square, unseen)


def detectable_difference(changes: Changes, power: float, alpha: float) -> FloatArray:
    """
    Return the smallest true difference that a two-sided test at alpha shows with this power.

    δ = (t(1 - alpha/2) + t(power)) √v(δ), with the variance under the alternative; nan if there is none.
    """
    quantiles = _quantiles(changes.units, power, alpha)
    start = quantiles * np.sqrt(_expected_variance(changes, np.zeros_like(changes.n)))
    start = np.maximum(start, quantiles * quantiles * changes.squares(_none(changes)) / changes.n / 8)
    return _smallest(lambda delta: delta >= quantiles * np.sqrt(_expected_variance(changes, delta)), start)


def needed_units(changes: Changes, effect: float, power: float, alpha: float) -> FloatArray:
    """Return how many times these units it takes to show a true difference of this size: see above."""
    variance = _expected_variance(changes, np.full_like(changes.n, effect))

    def enough(factor: FloatArray) -> npt.NDArray[np.bool_]:
        quantiles = _quantiles(np.maximum(factor * changes.units, _FEWEST_UNITS), power, alpha)
        return effect * np.sqrt(factor) >= quantiles * np.sqrt(variance)

    unlimited = _quantiles(np.full_like(changes.n, np.inf), power, alpha)
    return _smallest(enough, unlimited**2 * variance / effect**2 / 2)


def difference_bounds(changes: Changes, level: float) -> tuple[FloatArray, FloatArray]:
    """
    Return one-sided bounds of the difference, each of which is passed with a probability of at most `level`.

    A bound is the difference δ of which the observed one is t standard errors away. The standard error is the
    larger of the observed one and of that under δ: where nothing was lost, the observed one would be 0.

    Notes
    -----
    The mean absolute difference under δ is the most likely one for Poisson numbers of wins and losses whose
    difference is δ: (a + √(a² + 4δ(δ - d))) / 2, with the observed a and d (for proportions: Tango 1998,
    *Statistics in Medicine* 17). A row of the largest possible difference is added to the sizes, and one with
    the usual correlation to the design effect, because a few rows prove little.
    """
    quantile = t_quantile(1 - level, np.maximum(changes.units - 1, 1))
    size, design, total = changes.squares(1), np.maximum(changes.design(1), 1), changes.total
    observed = np.sqrt(changes.variance)

    def error(delta: FloatArray) -> FloatArray:
        absolute = (total + np.sqrt(total**2 + 4 * np.maximum(delta * (delta - changes.difference), 0))) / 2
        mean_square = absolute * np.maximum(size, np.abs(delta)) - delta**2
        expected = np.sqrt(design * np.maximum(mean_square, 0) / changes.n)
        return np.asarray(np.maximum(observed, expected))

    start = quantile * np.maximum(observed, quantile * size / changes.n / 8)
    below = _smallest(lambda away: away >= quantile * error(changes.difference - away), start)
    above = _smallest(lambda away: away >= quantile * error(changes.difference + away), start)
    known = np.where(changes.units >= _FEWEST_UNITS, changes.difference, np.nan)
    return known - below, known + above


def _expected_variance(changes: Changes, effect: FloatArray) -> FloatArray:
    """
    Return the variance of the mean difference if its true size is `effect`.

    The wins and losses that cancel out stay; those that make the difference are more or fewer. A difference
    within one standard error is taken as none. How much more the changes of a document vary than its rows do
    falls with the squares of their numbers.
    """
    rows = _none(changes)
    known = changes.difference**2 > changes.variance
    lead = np.where(known, np.minimum(np.abs(changes.difference), changes.total), 0)
    fewer = (changes.total - lead) / 2
    more, absolute = fewer + effect, 2 * fewer + effect
    together = _divided(more**2 + fewer**2, (fewer + lead) ** 2 + fewer**2, otherwise=1.0)
    together = np.minimum(together * _divided(changes.total, absolute, otherwise=1.0), 1)
    design = 1 + np.maximum(changes.design(rows) - 1, 0) * together
    size = np.maximum(changes.squares(rows), effect)
    mean_square = np.maximum(absolute * size - effect * effect, 0)
    return np.asarray(design * mean_square / changes.n)


def _none(changes: Changes) -> FloatArray:
    """Return 1 for groups in which no row has changed, 0 for others."""
    return np.where(changes.changed == 0, 1.0, 0.0)


def _quantiles(units: FloatArray, power: float, alpha: float) -> FloatArray:
    df = np.maximum(units - 1, 1)
    return np.asarray(t_quantile(1 - alpha / 2, df) + t_quantile(power, df))


def _smallest(holds: Callable[[FloatArray], npt.NDArray[np.bool_]], start: FloatArray) -> FloatArray:
    """Return the smallest positive values that hold, by doubling and halving; nan where none does."""
    high = np.where(start > 0, start, np.nan)
    for _ in range(_DOUBLINGS):
        high = np.where(holds(high), high, 2 * high)
    low, high = np.zeros_like(high), np.where(holds(high), high, np.nan)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        does = holds(middle)
        low, high = np.where(does, low, middle), np.where(does, middle, high)
    return high


def _divided(values: FloatArray, by: FloatArray, otherwise: float = 0.0) -> FloatArray:
    return np.divide(values, by, out=np.full_like(values, otherwise), where=by > 0)
