"""Tests of the difference between two systems, on plain numbers: t, sign-flip, and Holm's correction."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from anls_frame._arguments import count
from anls_frame.statistics.student import FloatArray, t_two_sided

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = ["holm", "sign_flip", "sign_flip_counts", "t_test"]

TIE = 1e-10
"""Sums of differences this near, by the sum of their sizes, are equal up to rounding."""

_DIGITS = 12
"""Digits of a difference that count, beside the largest one."""

MOST_DRAWS = 10_000_000
"""Draws of which all sums fit into memory, whatever the number of units."""

BINOMIAL_FROM = 64
"""Equal values from which one binomial draw is faster than single signs."""


def t_test(mean: npt.ArrayLike, variance: npt.ArrayLike, units: npt.ArrayLike) -> FloatArray:
    """
    Two-sided p-value of a mean difference by Student's t.

    Parameters
    ----------
    mean
        Mean difference.
    variance
        Its variance, as from `ratio_variance`.
    units
        Number of independent units G (clusters, or rows where there are none), or their effective number.

    Returns
    -------
    FloatArray
        With G - 1 degrees of freedom. 1 where all differences are 0. Where they are all equal and not 0
        there is no spread to measure by: then 2^(1 - G), what the sign-flip test gives when every unit
        points the same way. nan for a single unit or none.

    Examples
    --------
    >>> from anls_frame.statistics import t_test
    >>> t_test([0.02, 0.0, 0.1], [0.0001, 0.0, 0.0], [30, 30, 5]).round(4)
    array([0.0549, 1.    , 0.0625])
    """
    mean, variance, units = np.broadcast_arrays(
        *(np.asarray(values, np.float64) for values in (mean, variance, units))
    )
    spread = variance > 0
    p = t_two_sided(mean / np.sqrt(np.where(spread, variance, 1.0)), units - 1)
    with np.errstate(under="ignore"):
        p = np.where(spread, p, np.where(mean == 0, 1.0, np.exp2(1 - units)))
    return np.asarray(np.where(np.isnan(variance) | np.isnan(mean) | ~(units > 1), np.nan, p))


def sign_flip(sums: npt.ArrayLike, *, draws: int = 10_000, seed: int = 0) -> float:
    """
    Two-sided p-value of the sign-flip test on the differences of independent units.

    If two systems are equal, either sign of a unit's difference is as likely. The test draws signs anew and
    counts how often the sum gets at least as far from 0 as the observed one.

    Parameters
    ----------
    sums
        One sum of differences a unit (cluster or row), one-dimensional.
    draws
        Number of random draws of all signs, at most 10 million. With at most so many combinations of signs,
        all of them are counted instead.
    seed
        Seed of the draws.

    Returns
    -------
    float
        (1 + draws as far) / (1 + draws), or the exact share of combinations; never 0. 1 if all sums are 0,
        nan if there are none or one is not finite.

    Raises
    ------
    ValueError
        If there are no draws or more than 10 million, or the sums are not one-dimensional.

    See Also
    --------
    sign_flip_counts : the same where few distinct differences occur many times.

    Notes
    -----
    Fisher's (1935) randomisation test for pairs, with the estimate of Phipson and Smyth (2010), which keeps
    P(p ≤ a) ≤ a at any number of draws. The result depends neither on the order of the units nor on which
    system comes first. Sums that differ by rounding only (1e-10 of Σ|sums|) are equal. Memory does not grow
    with units times draws. The same seed gives the same bits with the same version of numpy.

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
    Sign-flip test on differences that are given as distinct values with their counts.

    Parameters
    ----------
    values
        Differences as they are signed, one-dimensional.
    counts
        How many units have each of them.
    draws, seed
        As for `sign_flip`.

    Returns
    -------
    float
        As from `sign_flip`, to the last bit.

    Raises
    ------
    ValueError
        If there are no draws or more than 10 million, or values and counts are not one-dimensional and of
        one length.

    Notes
    -----
    k units of size v add v (2 Binomial(k, 1/2) - k) to a drawn sum, so millions of rows with few distinct
    differences take as long as few rows.

    Examples
    --------
    >>> from anls_frame.statistics import sign_flip_counts
    >>> sign_flip_counts([-0.5, 0.0, 0.5], [2_000_000, 5_000_000, 2_000_100])
    0.9607039296070393
    """
    values, counts = np.asarray(values, np.float64), np.asarray(counts, np.float64)
    if values.ndim != 1 or values.shape != counts.shape:
        raise ValueError(
            f"values and counts must be one-dimensional and of one length, not {values.shape} "
            f"and {counts.shape}"
        )
    check_draws(draws)
    if counts.sum() == 0 or not np.isfinite(values).all():
        return math.nan
    # Equal differences can differ in their last digits, by the order of a sum. On one grid they are equal.
    values = on_grid(values, np.abs(values).max())
    sizes, place = np.unique(np.abs(values), return_inverse=True)
    of_size = np.bincount(place.ravel(), weights=counts)
    # In ascending order, so that the order of the units changes no bit.
    observed = abs(float(np.bincount(place.ravel(), weights=counts * np.sign(values)) @ sizes))
    sizes, of_size = sizes[sizes > 0], of_size[sizes > 0]
    least = observed - TIE * float(sizes @ of_size)
    if of_size.sum() <= math.log2(draws):
        every = _all_sums(np.repeat(sizes, of_size.astype(np.int64)))
        return float(np.mean(np.abs(every) >= least))
    drawn = _random_sums(sizes, of_size.astype(np.int64), draws, np.random.default_rng(seed))
    return float((1 + np.count_nonzero(np.abs(drawn) >= least)) / (1 + draws))


def holm(p_values: npt.ArrayLike) -> FloatArray:
    """
    P-values adjusted for their number: any of them is at most a by chance with probability at most a.

    Parameters
    ----------
    p_values
        One p-value a hypothesis.

    Returns
    -------
    FloatArray
        Of the same shape, at most 1, in the order of the p-values. nan stays nan and is not counted.

    Notes
    -----
    The step-down method of Holm (1979): the i-th smallest of k values is multiplied by k - i + 1, and none
    falls below the one before. It holds whatever the dependence, overlapping groups included.

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


def check_draws(draws: int) -> int:
    """Return the number of draws; an error unless there are some, and not more than there is room for."""
    return count("draws", draws, 1, MOST_DRAWS)


def on_grid(values: FloatArray, largest: npt.ArrayLike) -> FloatArray:
    """Round to 12 digits beside the largest value in size, which becomes 1 to 2."""
    return np.asarray(np.round(np.ldexp(values, 1 - np.frexp(largest)[1]), _DIGITS))


def _all_sums(sizes: FloatArray) -> FloatArray:
    """Sum under each combination of signs."""
    sums = np.zeros(1)
    for size in sizes:
        sums = np.concatenate((sums - size, sums + size))
    return sums


def _random_sums(
    sizes: FloatArray, counts: npt.NDArray[np.int64], draws: int, random: np.random.Generator
) -> FloatArray:
    """Sum under random signs, `draws` times."""
    sums = np.zeros(draws)
    frequent = counts >= BINOMIAL_FROM
    for size, n in zip(sizes[frequent], counts[frequent], strict=True):
        sums += size * (2 * random.binomial(n, 0.5, draws) - n)
    single = np.repeat(sizes[~frequent], counts[~frequent])
    # Eight signs are a random byte, and the byte looks up their sum.
    for start in range(0, len(single), 8):
        table = _all_sums(single[start : start + 8])
        sums += table[random.integers(0, len(table), draws, dtype=np.uint8)]
    return sums
