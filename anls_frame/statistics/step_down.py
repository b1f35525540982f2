"""Step-down max-T on joint sign flips: p-values of many slices, adjusted for multiple testing."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import FloatArray, IntArray
from anls_frame.statistics.significance import BINOMIAL_FROM, TIE, on_grid, random_sums, sign_flip_counts

_ROOM = 1 << 21
"""Maximum number of sums (slices times draws) in memory at a time."""

_SIGNS = 1 << 21
"""Maximum number of signs in memory at a time."""

_WIDE = 512
"""Maximum number of signs per draw in memory at a time: a table of more units would be mostly empty."""

_MOST = 10_000
"""Maximum number of draws at a time."""


@dataclass(frozen=True)
class Units:
    """
    The differences of the units, as the entries of a sparse matrix.

    Parameters
    ----------
    unit, column, value
        Row, column and value of each entry.
    counts
        Number of units that share each row of the matrix.
    net
        Number of these units with the row's sign, minus the number with the opposite sign.
    columns
        Number of columns.
    """

    unit: IntArray
    column: IntArray
    value: FloatArray
    counts: IntArray
    net: IntArray
    columns: int

    def tidied(self) -> Units:
        """Drop entries of 0 and units without other entries; sort units with the same columns together."""
        kept = (self.value != 0) & (self.counts[self.unit] > 0)
        unit, column, value = self.unit[kept], self.column[kept], self.value[kept]
        first = np.full(len(self.counts), self.columns)
        last = np.zeros(len(self.counts), np.int64)
        np.minimum.at(first, unit, column)
        np.maximum.at(last, unit, column)
        order = np.lexsort((last, first))
        order = order[first[order] < self.columns]
        position = np.zeros(len(self.counts), np.int64)
        position[order] = np.arange(len(order))
        by_unit = np.lexsort((column, position[unit]))
        return Units(
            position[unit][by_unit],
            column[by_unit],
            value[by_unit],
            self.counts[order],
            self.net[order],
            self.columns,
        )

    def pooled(self) -> Units:
        """
        Combine units with equal or opposite values, because both signs are equally likely.

        Neither the order of units nor the sign of all values affects the draws.
        """
        tidy = self.tidied()
        bounds = np.searchsorted(tidy.unit, np.arange(len(tidy.counts) + 1))
        signs = np.sign(tidy.value[bounds[:-1]]).astype(np.int64)
        value = tidy.value * signs[tidy.unit]
        alike: dict[tuple[bytes, bytes], list[int]] = {}
        for unit, (start, end) in enumerate(itertools.pairwise(bounds)):
            content = tidy.column[start:end].tobytes(), value[start:end].tobytes()
            alike.setdefault(content, []).append(unit)
        pools = [alike[content] for content in sorted(alike)]
        entries = [np.arange(bounds[first], bounds[first + 1]) for first, *_ in pools]
        kept = np.concatenate([np.zeros(0, np.int64), *entries])
        return Units(
            np.repeat(np.arange(len(pools)), [len(members) for members in entries]),
            tidy.column[kept],
            value[kept],
            np.array([tidy.counts[units].sum() for units in pools], np.int64),
            np.array([(tidy.net * signs)[units].sum() for units in pools], np.int64),
            self.columns,
        ).tidied()

    def observed(self) -> FloatArray:
        """Return the sum of each column under the observed signs."""
        return self.sums(self.value * self.net[self.unit])

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values in each column, one value per entry."""
        return np.asarray(np.bincount(self.column, weights=values, minlength=self.columns), np.float64)


Statistic: TypeAlias = "Callable[[FloatArray], FloatArray]"
"""Turns sums under random signs, one column per draw, into the statistic of each slice."""


def max_t(
    sums: npt.ArrayLike, counts: npt.ArrayLike | None = None, *, draws: int = 10_000, seed: int = 0
) -> FloatArray:
    """
    P-values of sign-flip tests in several slices, adjusted for multiple testing by step-down max-T.

    Signs are drawn jointly for all slices, so that a unit has the same sign in each of its slices. The
    adjustment controls the family-wise error rate: among the slices in which the systems are exchangeable,
    the smallest p-value is at most a with a probability of at most a. Slices with too few differing units to
    be significant do not reduce the power in other slices.

    Parameters
    ----------
    sums
        One row per unit (cluster or row), one column per slice: the unit's sum of differences in the slice, 0
        if it has no rows there.
    counts
        Number of units with each row of `sums`; by default, one each.
    draws
        Number of random draws of all signs, at most 10 million. If the differing units have no more
        combinations of signs than draws, all combinations are enumerated instead.
    seed
        Seed of the draws.

    Returns
    -------
    FloatArray
        One p-value per slice, never below that of `sign_flip` for the slice alone, and equal to it for a
        single slice. The value is 1 where all sums are 0.

    Raises
    ------
    ValueError
        If `draws` is not from 1 to 10 million, the sums are not two-dimensional or not finite, or the number
        of counts differs from the number of units.

    See Also
    --------
    sign_flip : the test of a single slice.
    holm : adjusted p-values if only the p-values are known.

    Notes
    -----
    The step-down method of Westfall and Young (1993), as in Romano and Wolf (2005), with T = abs(Σx) / √Σx²,
    whose denominator does not change with the signs. The slices are sorted by T in descending order. The
    p-value of a slice is the share of draws in which the largest T of this and all following slices reaches
    the observed T; p-values are then made non-decreasing. Memory does not grow with units times draws. The
    result does not depend on the order of the slices or of the two systems, and is reproducible with the same
    seed and version of numpy.

    Examples
    --------
    >>> from anls_frame.statistics import holm, max_t, sign_flip
    >>> in_all = [0.5, 1.0, 0.25, 0.75, 0.5, 0.3, 0.2]  # seven documents, all better
    >>> in_one = [0.5, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]  # the slice is in one document alone
    >>> max_t(list(zip(in_all, in_one)))
    array([0.015625, 1.      ])
    >>> holm([sign_flip(in_all), sign_flip(in_one)])
    array([0.03125, 1.     ])
    """
    table = np.asarray(sums, np.float64)
    number = np.ones(table.shape[:1], np.int64) if counts is None else np.asarray(counts, np.int64)
    if table.ndim != 2 or number.shape != table.shape[:1]:  # noqa: PLR2004
        raise ValueError(
            "sums must be a table with one row per unit, and counts must have one number per unit, got "
            f"shapes {table.shape} and {number.shape}"
        )
    if not np.isfinite(table).all():
        raise ValueError("sums must be finite; a unit without rows in a slice must be 0 there")
    unit, column = np.nonzero(table)
    p_values = np.array([sign_flip_counts(values, number, draws=draws, seed=seed) for values in table.T])
    p_values[np.isnan(p_values)] = 1.0  # without units
    # Rounded to a grid per column, as for a single slice, so that sums of equal size compare equal.
    value = on_grid(table, np.abs(table).max(axis=0, initial=0.0))[unit, column]
    units = Units(unit, column, value, number, number, table.shape[1]).tidied()
    norm = np.sqrt(units.sums(units.value**2 * units.counts[units.unit]))
    norm[norm == 0] = 1.0
    ties = TIE * units.sums(np.abs(units.value) * units.counts[units.unit]) / norm
    return step_down(units, lambda sums: np.abs(sums) / norm[:, None], ties, p_values, draws=draws, seed=seed)


def step_down(
    units: Units, statistic: Statistic, ties: FloatArray, p_values: FloatArray, *, draws: int, seed: int
) -> FloatArray:
    """Adjust p-values of slices by the largest remaining statistic, in descending order of the statistic."""
    if len(p_values) < 2:  # noqa: PLR2004 - a family of one is not adjusted
        return p_values.copy()
    observed = statistic(units.observed()[:, None])[:, 0]
    order = np.argsort(observed, kind="stable")
    least = (observed - ties)[order, None]
    as_far = np.zeros(len(order), np.int64)
    for sums in drawn_sums(units, draws, seed):
        largest = statistic(sums)[order]
        np.maximum.accumulate(largest, axis=0, out=largest)
        as_far += np.count_nonzero(largest >= least, axis=1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(share_of_draws(units, as_far, draws)[::-1])[::-1]
    # Other draws give slightly different p-values, and slices of few units are enumerated on their own.
    return np.maximum(adjusted, p_values)


def unadjusted(units: Units, statistic: Statistic, ties: FloatArray, *, draws: int, seed: int) -> FloatArray:
    """Return the unadjusted p-value of each slice."""
    least = statistic(units.observed()[:, None])[:, 0] - ties
    as_far = np.zeros(len(least), np.int64)
    for sums in drawn_sums(units, draws, seed):
        as_far += np.count_nonzero(statistic(sums) >= least[:, None], axis=1)
    return share_of_draws(units, as_far, draws)


def share_of_draws(units: Units, as_far: IntArray, draws: int) -> FloatArray:
    """Return p-values from the numbers of draws that reach the observed statistic."""
    if is_enumerated(units, draws):
        return as_far / 2.0 ** int(units.counts.sum())
    return (1 + as_far) / (1 + draws)


def is_enumerated(units: Units, draws: int) -> bool:
    """Return whether there are no more combinations of signs than draws."""
    return bool(units.counts.sum() <= math.log2(draws))


def drawn_sums(units: Units, draws: int, seed: int) -> Iterator[FloatArray]:
    """Yield column sums under random signs, one column per draw, or under all signs if there are fewer."""
    random = None if is_enumerated(units, draws) else np.random.default_rng(seed)
    total = draws if random is not None else 2 ** int(units.counts.sum())
    step = max(1, min(_MOST, _ROOM // max(units.columns, 1)))
    blocks = list(_blocks(units, min(_SIGNS // step, _WIDE)))
    for start in range(0, total, step):
        numbers = np.arange(start, min(start + step, total))
        sums = np.zeros((units.columns, len(numbers)))
        for block in blocks:
            if random is not None and len(block.columns) == 1:
                # The units of a single column need no table.
                sums[block.columns[0]] += random_sums(block.value, block.counts, len(numbers), random)
                continue
            table = block.table()
            # k equal units, h of them positive, sum to (2h - k) times their difference.
            drawn = 2 * (table.T @ block.heads(numbers, random).T) - (block.counts @ table)[:, None]
            sums[block.columns] += drawn
        yield sums


@dataclass(frozen=True)
class _SignBlock:
    """Units whose signs are drawn together, with the columns in which they have entries."""

    counts: IntArray
    unit: IntArray
    columns: IntArray
    column: IntArray
    value: FloatArray

    def table(self) -> FloatArray:
        """Return the entries as a dense matrix, built on each call because memory may not hold all."""
        table = np.zeros((len(self.counts), len(self.columns)))
        table[self.unit, self.column] = self.value
        return table

    def heads(self, numbers: IntArray, random: np.random.Generator | None) -> FloatArray:
        """Return the number of positive signs of each unit: random, or the bits of the draw's number."""
        few = self.counts < BINOMIAL_FROM
        signs = int(self.counts[few].sum())
        if random is None:
            bits = (numbers[:, None] >> np.arange(signs) & 1).astype(np.uint8)
        else:
            width = (signs + 7) // 8
            drawn = np.frombuffer(random.bytes(len(numbers) * width), np.uint8)
            bits = np.unpackbits(drawn.reshape(len(numbers), width), axis=1, count=signs)
        if signs == len(self.counts):
            return bits.astype(np.float64)
        heads = np.empty((len(numbers), len(self.counts)))
        if signs:
            starts = np.cumsum(self.counts[few]) - self.counts[few]
            heads[:, few] = np.add.reduceat(bits, starts, axis=1, dtype=np.uint8)
        if random is not None:
            for unit in np.nonzero(~few)[0]:
                heads[:, unit] = random.binomial(self.counts[unit], 0.5, len(numbers))
        return heads


def _blocks(units: Units, signs: int) -> Iterator[_SignBlock]:
    """Split tidied units into runs of at most `signs` signs, with at least one unit each."""
    needed = np.cumsum(np.where(units.counts < BINOMIAL_FROM, units.counts, 1))
    start = 0
    while start < len(units.counts):
        before = needed[start - 1] if start else 0
        end = max(int(np.searchsorted(needed, before + signs, side="right")), start + 1)
        first, last = np.searchsorted(units.unit, (start, end))
        columns, column = np.unique(units.column[first:last], return_inverse=True)
        yield _SignBlock(
            units.counts[start:end],
            units.unit[first:last] - start,
            columns,
            column,
            units.value[first:last],
        )
        start = end
