"""Power analysis for the difference of two systems: planning, and bounds for decisions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import ROUNDING, BoolArray, FloatArray, IntArray, divided
from anls_frame.statistics.carriers import carriers_of_sums
from anls_frame.statistics.design import USUAL_CORRELATION, usual_design
from anls_frame.statistics.differences import unseen_share, with_unseen_changes
from anls_frame.statistics.intervals import FEWEST_UNITS, effective_units
from anls_frame.statistics.student import t_quantile

_ADDED_ROWS = 2
"""A row that wins and a row that loses are added to what was observed."""

_PLANNED_CORRELATION = 0.1
"""Correlation of the added rows within a document in plans; bounds take the usual one, which is safer."""

_UPPER_END = 0.9
"""Share of the estimates' distribution below the upper end of a plan's range."""


@dataclass(frozen=True)
class Changes:
    """
    Differences between two systems by unit (a document, or a row if there are no clusters) in groups.

    Parameters
    ----------
    group
        Group of each unit, as a number from 0.
    groups
        Number of groups.
    count
        Number of identical units.
    n, x
        Number of rows of a unit, and the sum of their differences.
    residual
        Deviation of `x` from the sum expected from the mean of its group.
    weight
        Size of a unit, by which the effective number of units is computed: rows, or lengths for rates.
    unseen
        Size of a difference that may occur although no row shows it: the largest possible difference. 0 if
        unknown.
    """

    group: IntArray
    groups: int
    count: FloatArray
    n: FloatArray
    x: FloatArray
    residual: FloatArray
    weight: FloatArray
    unseen: float

    def total(self, values: FloatArray) -> FloatArray:
        """Return the sum of a value of units by group."""
        return np.asarray(np.bincount(self.group, self.count * values, self.groups), np.float64)

    @cached_property
    def own(self) -> GroupSums:
        """The contribution of each unit to the sums of its group."""
        squares = self.residual**2
        return GroupSums(
            self.n, self.x, np.abs(self.x), squares, self.weight, self.weight**2, self.n**2, squares**2
        )

    @cached_property
    def sums(self) -> GroupSums:
        """Sums by group, with nan rows where there are none, so that no mean divides by 0."""
        sums = GroupSums(*(self.total(values) for values in self.own))
        return sums._replace(n=positive(sums.n))

    @property
    def difference(self) -> FloatArray:
        """Mean difference of the rows by group."""
        return self.sums.x / self.sums.n

    @property
    def nothing_changed(self) -> BoolArray:
        """Groups without a unit that shows a difference."""
        return np.asarray(self.sums.absolute == 0)

    @property
    def nothing_differs(self) -> BoolArray:
        """Groups whose units all have the same difference, mostly none."""
        return np.asarray(self.sums.squares == 0)

    @property
    def carrying(self) -> FloatArray:
        """Effective number of units that carry the spread of the differences, by group."""
        return carriers_of_sums(self.sums.squares, self.sums.fourths)

    @property
    def changed(self) -> FloatArray:
        """Number of units that change by more than rounding, by group."""
        return self.total(np.asarray(np.abs(self.x) > ROUNDING * self.unseen * self.n, np.float64))


class GroupSums(NamedTuple):
    """Sums over all units of a group, or over all units but one."""

    n: FloatArray
    x: FloatArray
    absolute: FloatArray
    squares: FloatArray
    weight: FloatArray
    weight_squares: FloatArray
    n_squares: FloatArray
    fourths: FloatArray

    @property
    def units(self) -> FloatArray:
        """Effective number of units."""
        return effective_units(self.weight, self.weight_squares)

    def unevenness(self, unseen: float) -> FloatArray:
        """
        Return how unevenly the changes are spread over units: the squared coefficient of variation of rates.

        Changes that are as likely in each row have a fourth moment of 3v² + u²v, with the variance v of a
        unit and the size u of a change. The excess is that of the mean square of rates over the squared mean.
        """
        expected = 3 * (self.squares / self.n) ** 2 * self.n_squares
        observed = self.fourths - unseen**2 * self.squares
        ratio = divided(observed, expected, 1.0)
        return np.asarray(np.maximum(ratio - 1, 0))

    def variance(self, unseen: float, correlation: float) -> FloatArray:
        """Return the variance of the mean difference, with the added rows."""
        added = _ADDED_ROWS * unseen**2 * usual_design(self.n / self.units, correlation)
        return (self.units / positive(self.units - 1) * self.squares + added) / self.n**2

    def variance_under(self, effect: FloatArray | float, unseen: float) -> FloatArray:
        """
        Return the variance of the mean difference, for a true difference of this size.

        The variance is proportional to the changes, the added rows among them. The changes that cancel out,
        a - |d| of the mean change a, stay; the changes that make up the difference grow or shrink. They lie
        in the units in which most rows change: the variance of their rates between units is added.
        """
        change = (self.absolute + _ADDED_ROWS * unseen) / self.n
        cancelling = change - np.abs(self.x / self.n)
        scaled = self.variance(unseen, _PLANNED_CORRELATION) * (cancelling + effect) / positive(change)
        return scaled + effect**2 * self.between(unseen)

    def between(self, unseen: float) -> FloatArray:
        """Return the variance between units of the mean of changes, divided by their squared mean."""
        return self.unevenness(unseen) * self.n_squares / self.n**2


class Needed(NamedTuple):
    """
    Factors by which the units of each group must grow: a range, whose upper end is planned.

    Where the pilot cannot tell, the lower end, or both, are nan.
    """

    low: FloatArray
    high: FloatArray


def group_changes(
    group: IntArray,
    groups: int,
    count: npt.ArrayLike,
    n: npt.ArrayLike,
    x: npt.ArrayLike,
    *,
    unseen: float,
) -> Changes:
    """Return the changes of mean scores; see `Changes` for the parameters."""
    count, n, x = (np.asarray(values, np.float64) for values in (count, n, x))
    grouped = Changes(group, groups, count, n, x, x, n, unseen)
    expected = (grouped.total(x) / positive(grouped.total(n)))[group] * n
    is_rounding = np.abs(x - expected) <= ROUNDING * (np.abs(x) + np.abs(expected))
    return replace(grouped, residual=np.where(is_rounding, 0.0, x - expected))


def difference_bounds(changes: Changes, level: float) -> tuple[FloatArray, FloatArray]:
    """
    Return one-sided bounds of the difference, each exceeded with a probability of about `level`.

    Bounds are nan with fewer than two effective units, or if nothing has changed and `unseen` is unknown.
    Every gate of the package decides by these bounds.

    Notes
    -----
    d - t √v + min(s, 0) and d + t √v + max(s, 0). The variance v of the mean is that of the observed units,
    with one more row that wins and one that loses (Bonett and Price 2012, *Journal of Educational and
    Behavioral Statistics* 37): without a loss in the sample, v would be 0. It is at least the variance of the
    interval of the difference, so a gate never answers "fine" where the interval has a larger loss. t has the
    degrees of freedom of the sum of squared residuals, at most G - 1 (Satterthwaite 1946, *Biometrics
    Bulletin* 2). With the third moment κ of the mean, s = κ (1 + 2t²) / 6v corrects for skewness (Johnson
    1978, *JASA* 73); it only moves bounds away from d.

    If all units have the same difference, mostly none, the rows that are added may still be too few, because
    whole documents can fail. Then the bounds are those of a share of documents when none was drawn,
    -ln(a) / G for G documents (Hanley and Lippman-Hand 1983, *JAMA* 249), whose rows all win, or all lose.
    """
    quantile, error, skewness = _interval(changes, level)
    difference = changes.difference
    low = difference - quantile * error + np.minimum(skewness, 0)
    high = difference + quantile * error + np.maximum(skewness, 0)
    return low, high


def decidable_margin(changes: Changes, power: float, level: float) -> FloatArray:
    """Return the smallest margin that `difference_bounds` decides with this power for equal systems."""
    quantile, error, skewness = _interval(changes, level)
    beyond = t_quantile(power, np.maximum(changes.sums.units - 1, 1))
    # As often as nothing differs, the bound is the same.
    beyond = np.where(changes.nothing_differs, 0.0, beyond)
    return np.asarray((quantile + beyond) * error + np.abs(skewness))


def deciding_units(changes: Changes, margin: float, power: float, level: float) -> Needed:
    """
    Return the multiple of these units that decides about a margin with this power if systems are equal.

    Where nothing differs, only the smallest number is known, with which all units may still be equal.
    """
    needed = _needed(
        changes, lambda sums: sums.variance(changes.unseen, USUAL_CORRELATION), margin, power, level
    )
    least = positive(changes.unseen * unseen_share(changes.sums.units, level) / margin)
    unknown = np.where(changes.nothing_differs, np.nan, needed.low)
    return Needed(unknown, np.where(changes.nothing_differs, least, needed.high))


def detectable_difference(changes: Changes, power: float, alpha: float) -> FloatArray:
    """
    Return the smallest true difference that a two-sided test at level alpha detects with this power.

    It is nan where nothing changed, because such units do not say how rows change.

    δ = (t(1 - alpha/2) + t(power)) √v(δ), with the variance of `GroupSums.variance_under`.
    """
    df = np.maximum(changes.sums.units - 1, 1)
    quantiles = t_quantile(1 - alpha / 2, df) + t_quantile(power, df)
    # v(δ) is a quadratic function of δ, so that this is a quadratic equation.
    start = changes.sums.variance_under(0.0, changes.unseen)
    between = changes.sums.between(changes.unseen)
    slope = changes.sums.variance_under(1.0, changes.unseen) - start - between
    half = quantiles**2 * slope / 2
    left = positive(1 - quantiles**2 * between)
    found = positive((half + np.sqrt(half**2 + left * quantiles**2 * start)) / left)
    return np.where(changes.nothing_changed, np.nan, found)


def needed_units(changes: Changes, effect: float, power: float, alpha: float) -> Needed:
    """
    Return the multiple of these units that detects a difference of this size in a two-sided test.

    Notes
    -----
    G = (z(1 - alpha/2) + z(power))² σ² / δ² + z(1 - alpha/2)² / 2 (Guenther 1981, *The American Statistician*
    35), where σ² is the variance of a unit, from `GroupSums.variance_under`; nan where nothing changed.
    """
    needed = _needed(
        changes, lambda sums: sums.variance_under(effect, changes.unseen), effect, power, alpha / 2
    )
    # A pilot without a change does not say how rows change.
    return Needed(*(np.where(changes.nothing_changed, np.nan, end) for end in needed))


def _needed(
    changes: Changes, variance: Callable[[GroupSums], FloatArray], effect: float, power: float, tail: float
) -> Needed:
    """Return the range of a factor, from the jackknife over units of the logarithm of the needed number."""
    quantile, beyond = (float(t_quantile(share, np.inf)) for share in (1 - tail, power))

    def factor(sums: GroupSums) -> FloatArray:
        return ((quantile + beyond) / effect) ** 2 * variance(sums) + quantile**2 / 2 / sums.units

    number = changes.total(np.ones_like(changes.n))
    others = GroupSums(
        *(total[changes.group] - own for total, own in zip(changes.sums, changes.own, strict=True))
    )
    others = others._replace(squares=np.maximum(others.squares, 0), fourths=np.maximum(others.fourths, 0))
    with np.errstate(divide="ignore", invalid="ignore"):
        estimate = np.log(factor(changes.sums) * number)
        left = np.log(factor(others) * (number[changes.group] - 1))
        away = left - (changes.total(left) / number)[changes.group]
        error = np.sqrt((number - 1) / number * changes.total(away**2))
        # The logarithm of a variance is on average too small by half of its own variance.
        estimate += error**2 / 2
        half = float(t_quantile(_UPPER_END, np.inf)) * error
        return Needed(np.exp(estimate - half) / number, np.exp(estimate + half) / number)


def _interval(changes: Changes, level: float) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the quantile, the standard error and the skewness correction of `difference_bounds`."""
    sums, units = changes.sums, changes.sums.units
    observed = units / positive(units - 1) * sums.squares / sums.n**2
    # Never less than an interval, whose added units are as large as the observed changes.
    least = with_unseen_changes(observed, changes.changed)
    variance = np.fmax(positive(sums.variance(changes.unseen, USUAL_CORRELATION)), positive(least))
    fourth = changes.total(changes.residual**4) / positive(sums.squares) ** 2
    spread = fourth - 1 / positive(changes.total(np.ones_like(changes.n)))
    with np.errstate(divide="ignore"):
        df = np.fmin(2 / np.maximum(spread, 0), units - 1)
    known = np.where(units >= FEWEST_UNITS, np.maximum(df, 1), np.nan)
    quantile = t_quantile(1 - level, known)
    third = changes.total(changes.residual**3) / sums.n**3
    error = np.sqrt(variance)
    missed = changes.unseen * unseen_share(units, level) / quantile
    error = np.where(changes.nothing_differs, np.maximum(error, missed), error)
    return quantile, error, third * (1 + 2 * quantile**2) / (6 * variance)


def positive(values: FloatArray) -> FloatArray:
    """Return the values, or nan for those that are not above 0."""
    return np.where(values > 0, values, np.nan)
