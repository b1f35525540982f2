"""Tests of the difference between two systems on plain numbers: sign-flip test, Holm's correction."""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from anls_frame._arguments import count
from anls_frame.statistics.arrays import FloatArray, IntArray

TIE = 1e-10
"""Sums of differences are equal up to rounding if they differ by less than this times Σ|difference|."""

_DIGITS = 12
"""Digits to which differences are rounded, relative to the largest one."""

MOST_DRAWS = 10_000_000
"""Maximum number of draws, whose sums fit into memory for any number of units."""

BINOMIAL_FROM = 64
"""From this many equal values on, one binomial draw is faster than single signs."""


def sign_flip(sums: npt.ArrayLike, *, draws: int = 10_000, seed: int = 0) -> float:
    """
    Two-sided p-value of the sign-flip test on the differences of independent units.

    If two systems are equal, both signs of a unit's difference are equally likely. The test draws random
    signs and counts how often the sum is at least as far from 0 as the observed sum.

    Parameters
    ----------
    sums
        One sum of differences per unit (cluster or row), one-dimensional.
    draws
        Number of random draws of all signs, at most 10 million. If there are no more combinations of signs
        than draws, all combinations are enumerated instead.
    seed
        Seed of the draws.

    Returns
    -------
    float
        (1 + number of draws at least as far from 0) / (1 + draws), or the exact share of combinations; never
        0. The value is 1 if all sums are 0, and nan if there are no sums or a sum is not finite.

    Raises
    ------
    ValueError
        If `draws` is not from 1 to 10 million, or the sums are not one-dimensional.

    See Also
    --------
    sign_flip_counts : the test for few distinct differences that occur many times.

    Notes
    -----
    Fisher's (1935) randomization test for pairs, with the estimate of Phipson and Smyth (2010), which keeps
    P(p ≤ a) ≤ a for any number of draws. The result does not depend on the order of the units or of the two
    systems. Sums that differ only by rounding (1e-10 of Σ|sums|) count as equal. Memory does not grow with
    units times draws. The same seed gives the same bits with the same version of numpy.

    Examples
    --------
    >>> from anls_frame.statistics import sign_flip
    >>> sign_flip([0.5, 1.0, 0.25, 0.75])  # 2 of 16 combinations
    0.125
    """
    sums = np.asarray(sums, np.float64)
    return sign_flip_counts(sums, np.ones(sums.shape), draws=draws, seed=seed)


def sign_flip_counts(
    values: npt.ArrayLike, counts: npt.ArrayLike, *, draws: int = 10_000, seed: int = 0
) -> float:
    """
    Two-sided p-value of the sign-flip test, from distinct differences with their counts.

    Parameters
    ----------
    values
        Signed differences, one-dimensional.
    counts
        Number of units with each difference.
    draws, seed
        As for `sign_flip`.

    Returns
    -------
    float
        The p-value of `sign_flip`, bit for bit.

    Raises
    ------
    ValueError
        If `draws` is not from 1 to 10 million, or values and counts are not one-dimensional and of equal
        length.

    Notes
    -----
    A drawn sum changes by v (2 Binomial(k, 1/2) - k) for k units of size v, so millions of rows with few
    distinct differences take no longer than few rows.

    Examples
    --------
    >>> from anls_frame.statistics import sign_flip_counts
    >>> sign_flip_counts([-0.5, 0.0, 0.5], [2_000_000, 5_000_000, 2_000_100])
    0.9607039296070393
    """
    values, counts = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    if values.ndim != 1 or values.shape != counts.shape:
        raise ValueError(
            f"values and counts must be one-dimensional and of equal length, got shapes {values.shape} "
            f"and {counts.shape}"
        )
    check_draws(draws)
    if counts.sum() == 0 or not np.isfinite(values).all():
        return math.nan
    # Equal differences can differ in their last digits, depending on the order of a sum; rounding to a grid
    # makes them equal.
    values = on_grid(values, np.abs(values).max())
    sizes, index = np.unique(np.abs(values), return_inverse=True)
    size_counts = np.bincount(index.ravel(), weights=counts)
    # Summed in ascending order, so that the order of the units does not change the result.
    observed = abs(float(np.bincount(index.ravel(), weights=counts * np.sign(values)) @ sizes))
    sizes, size_counts = sizes[sizes > 0], size_counts[sizes > 0]
    least = observed - TIE * float(sizes @ size_counts)
    if size_counts.sum() <= math.log2(draws):
        every = _all_sums(np.repeat(sizes, size_counts.astype(np.int64)))
        return float(np.mean(np.abs(every) >= least))
    drawn = random_sums(sizes, size_counts.astype(np.int64), draws, np.random.default_rng(seed))
    return float((1 + np.count_nonzero(np.abs(drawn) >= least)) / (1 + draws))


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """
    Adjust p-values for multiple testing, controlling the family-wise error rate.

    Parameters
    ----------
    p_values
        One p-value per hypothesis.

    Returns
    -------
    FloatArray
        The adjusted p-values, at most 1, in the same shape and order. nan stays nan and does not count as a
        test.

    Notes
    -----
    The step-down method of Holm (1979): the i-th smallest of k values is multiplied by k - i + 1, and values
    are then made non-decreasing. The method is valid under any dependence, including overlapping groups.

    Examples
    --------
    >>> from anls_frame.statistics import holm
    >>> holm([0.01, 0.04, 0.03, float("nan")])
    array([0.03, 0.06, 0.06,  nan])
    """
    p_values = np.asarray(p_values, np.float64)
    flat = p_values.ravel()
    order = np.argsort(flat, kind="stable")  # nan last
    tested = order[: np.count_nonzero(~np.isnan(flat))]
    factors = np.arange(len(tested), 0, -1)
    adjusted = np.full(flat.shape, np.nan)
    adjusted[tested] = np.minimum(np.maximum.accumulate(flat[tested] * factors), 1.0)
    return adjusted.reshape(p_values.shape)


def significance_level(confidence: float) -> float:
    """Return the largest significant p-value; 1 - 0.8 alone is less than 0.2."""
    return round(1 - confidence, 12)


def check_draws(draws: int) -> int:
    """Return the number of draws; raise an error unless it is within its bounds."""
    return count("draws", draws, 1, MOST_DRAWS)


def on_grid(values: FloatArray, largest: npt.ArrayLike) -> FloatArray:
    """Scale by a power of two, so that the largest absolute value is in [1, 2), and round to 12 digits."""
    return np.asarray(np.round(np.ldexp(values, 1 - np.frexp(largest)[1]), _DIGITS))


def _all_sums(sizes: FloatArray) -> FloatArray:
    """Return the sum under each combination of signs."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate((sums - size, sums + size))
    return sums


def random_sums(sizes: FloatArray, counts: IntArray, draws: int, random: np.random.Generator) -> FloatArray:
    """Return `draws` sums under random signs."""
    sums = np.zeros(draws)
    frequent = counts >= BINOMIAL_FROM
    for size, n in zip(sizes[frequent], counts[frequent], strict=True):
        sums += size * (2 * random.binomial(n, 0.5, draws) - n)
    single = np.repeat(sizes[~frequent], counts[~frequent])
    # A random byte gives eight signs, and a table gives their sum.
    for start in range(0, len(single), 8):
        table = _all_sums(single[start : start + 8])
        sums += table[random.integers(0, len(table), draws, dtype=np.uint8)]
    return sums
