"""
Student's t distribution on numpy arrays: two-sided tails and quantiles.

The two-sided tail beyond t with f degrees of freedom is the regularised incomplete beta function
I_x(f/2, 1/2) at x = f / (f + t²). Both sides of the split are computed without a difference of large numbers,
so that the relative error stays near 1e-14 from f = 1 up to the normal distribution (f = inf).
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

__all__ = ["FloatArray", "t_quantile", "t_two_sided"]

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""Numbers, one a group; of shape () where only scalars were given."""

_INFINITE_DF = 1e30
"""From here on the distribution is the normal one to the last bit."""

_LOG_GAMMA_RATIO = (1 / 64, -5 / 2048, 61 / 49152, -1385 / 1048576, 50521 / 20971520)
"""-2 E_k / (k 4^(k + 1)) for k = 2, 4, ..., E_k the Euler numbers: see `_gamma_ratio`."""

_SERIES_TO = 6
"""The series up to this t² (f + 2) / f, the fraction beyond: there they converge fast and lose no digits."""

_MAX_TERMS = 400
_MAX_STEPS = 60


def t_two_sided(t: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """
    Probability that Student's t is at least as far from 0 as given: the two-sided p-value.

    Parameters
    ----------
    t
        The statistic.
    df
        Degrees of freedom, above 0; infinity means the normal distribution.

    Returns
    -------
    FloatArray
        In [0, 1], with the shape of `t` and `df` broadcast; nan where either is nan or `df` is not above 0.

    Examples
    --------
    >>> from anls_frame.statistics import t_two_sided
    >>> t_two_sided([0.0, 1.0, 12.706], 1).round(4)
    array([1.  , 0.5 , 0.05])
    """
    return _inside_outside(*_broadcast(t, df))[1]


def t_quantile(probability: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """
    Quantile of Student's t: the value below which it falls with the given probability.

    Parameters
    ----------
    probability
        From 0 to 1.
    df
        Degrees of freedom, above 0; infinity means the normal distribution.

    Returns
    -------
    FloatArray
        With the shape of `probability` and `df` broadcast; -inf and inf at 0 and 1; nan where either is nan,
        the probability outside [0, 1], or `df` not above 0.

    Notes
    -----
    Newton's method, on the inner share where more than half lies outside, else on the logarithm of the tail
    from Wallace's approximation. Made for tails from 1e-100 up.

    Examples
    --------
    >>> from anls_frame.statistics import t_quantile
    >>> t_quantile(0.975, [1, 10, 100, float("inf")]).round(4)
    array([12.7062,  2.2281,  1.984 ,  1.96  ])
    """
    probability, df = _broadcast(probability, df)
    outside = 2 * np.minimum(probability, 1 - probability)
    inside = np.abs(2 * probability - 1)
    solvable = (outside > 0) & (inside > 0) & (df > 0)
    df = np.minimum(df, _INFINITE_DF)
    t = _solve(np.where(solvable, inside, 0.5), np.where(solvable, outside, 0.5), np.where(solvable, df, 1.0))
    t = np.where(outside == 0, np.inf, np.where(inside == 0, 0.0, t))
    invalid = ~((outside >= 0) & (df > 0))
    return np.asarray(np.where(invalid, np.nan, np.copysign(t, probability - 0.5)))


def _broadcast(first: npt.ArrayLike, second: npt.ArrayLike) -> tuple[FloatArray, FloatArray]:
    left, right = np.broadcast_arrays(np.asarray(first, np.float64), np.asarray(second, np.float64))
    return left, right


def _solve(inside: FloatArray, outside: FloatArray, df: FloatArray) -> FloatArray:
    near = outside > 0.5  # noqa: PLR2004 - half of the probability on each side
    # The inner share is concave in t: a start on the left of the solution stays there and cannot run away.
    t = np.where(near, inside / (2 * _density(np.zeros_like(df), df)), _approximate_quantile(outside, df))
    for _ in range(_MAX_STEPS):
        found_inside, found_outside = _inside_outside(t, df)
        slope = 2 * _density(t, df)
        # The logarithm of the tail is concave in log t.
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):  # the side that is not taken
            linear = t + (inside - found_inside) / slope
            exponent = np.log(found_outside / outside) * found_outside / (t * slope)
            logarithmic = t * np.exp(np.minimum(exponent, 50.0))
        following = np.where(near, linear, logarithmic)
        settled = np.abs(following - t) <= 1e-8 * following  # and the step taken squares that
        t = following
        if settled.all():
            break
    return t


def _approximate_quantile(outside: FloatArray, df: FloatArray) -> FloatArray:
    """Wallace (1959) over Abramowitz and Stegun (1964), 26.2.23: good to a few percent."""
    root = np.sqrt(-2 * np.log(outside / 2))
    z = root - np.polyval((0.010328, 0.802853, 2.515517), root) / np.polyval(
        (0.001308, 0.189269, 1.432788, 1.0), root
    )
    return np.asarray(np.sqrt(df * np.expm1(np.minimum(z * z / np.maximum(df - 0.5, 0.5 * df), 600.0))))


def _inside_outside(t: FloatArray, df: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Probability of |T| < |t| and of |T| >= |t|, each accurate where it is small."""
    valid = (df > 0) & ~np.isnan(t)
    df = np.where(valid, np.minimum(df, _INFINITE_DF), 1.0)
    with np.errstate(over="ignore"):
        square = np.where(valid, t * t, 0.0)
    near = square * (df + 2) <= _SERIES_TO * df
    inside, outside = np.empty(square.shape), np.empty(square.shape)
    inside[near] = _series(square[near], df[near])
    outside[near] = 1 - inside[near]
    outside[~near] = _fraction(square[~near], df[~near])
    inside[~near] = 1 - outside[~near]
    return np.where(valid, inside, np.nan), np.where(valid, outside, np.nan)


def _series(square: FloatArray, df: FloatArray) -> FloatArray:
    """I_y(1/2, df/2) at y = t²/(df + t²), by its power series (all terms positive)."""
    a, y = df / 2, square / (df + square)
    term = np.ones_like(y)
    total = np.ones_like(y)
    for k in range(_MAX_TERMS):
        term = term * y * ((a + 0.5 + k) / (1.5 + k))
        total = total + term
        if (term <= 1e-17 * total).all():
            break
    return np.asarray(2 * _beta_factor(square, df) * total)


def _fraction(square: FloatArray, df: FloatArray) -> FloatArray:
    """
    I_x(df/2, 1/2) at x = df/(df + t²), by a continued fraction.

    The form of Didonato and Morris (1992), TOMS 708, `BFRAC`, which works with 1 - x where x is near 1.
    """
    with np.errstate(invalid="ignore"):
        y = np.where(np.isinf(square), 1.0, square / (df + square))
    a, b, x = df / 2, 0.5, df / (df + square)
    c = 1 + (a + b) * y - b
    first = 1 + 1 / a
    before_a, before_b = np.zeros_like(y), np.ones_like(y)
    last_a, last_b = np.ones_like(y), c / first
    ratio = first / c
    for n in range(1, _MAX_TERMS):
        w = n * (b - n) * x
        s = a + 2 * n - 1
        p = 1 + (n - 1) / a
        alpha = p * (p + b / a) * (a / s) ** 2 * (w * x)
        beta = n + w / s + (1 + n / a) / (first + 2 * n / a) * (c + n * (1 + y))
        before_a, last_a = last_a, alpha * before_a + beta * last_a
        before_b, last_b = last_b, alpha * before_b + beta * last_b
        previous, ratio = ratio, last_a / last_b
        if (np.abs(ratio - previous) <= 3e-16 * ratio).all():
            break
        # Rescaled, or numerator and denominator overflow.
        before_a, before_b, last_a, last_b = before_a / last_b, before_b / last_b, ratio, np.ones_like(y)
    return np.asarray(np.clip(_beta_factor(square, df) * ratio, 0, 1))


def _beta_factor(square: FloatArray, df: FloatArray) -> FloatArray:
    """x^(df/2) (1 - x)^(1/2) / B(df/2, 1/2)."""
    with np.errstate(under="ignore", invalid="ignore"):
        power = np.exp(-df / 2 * np.log1p(square / df))
        root = np.sqrt(np.where(np.isinf(square), 1.0, square / (df + square)))
    return np.asarray(power * root * _gamma_ratio(df / 2) / np.sqrt(np.pi))


def _density(t: FloatArray, df: FloatArray) -> FloatArray:
    power = np.exp(-(df + 1) / 2 * np.log1p(t * t / df))
    return np.asarray(power * _gamma_ratio(df / 2) / np.sqrt(np.pi * df))


def _gamma_ratio(a: FloatArray) -> FloatArray:
    """
    Gamma(a + 1/2) / Gamma(a), without the cancellation of a difference of logarithms.

    Stirling's expansion of both around a - 1/4 has only even powers; the recurrence carries small arguments
    to where five terms are enough.
    """
    product = np.ones_like(a)
    shift = 16
    for k in range(shift):
        product = product * ((a + k) / (a + k + 0.5))
    w = a + shift - 0.25
    squared = 1 / (w * w)
    exponent = squared * np.polyval(_LOG_GAMMA_RATIO[::-1], squared)
    return np.asarray(product * np.sqrt(w) * np.exp(exponent))
