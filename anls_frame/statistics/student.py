"""Student's t distribution: two-sided tails and quantiles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import FloatArray

# scipy.special takes as long as numpy to import, for these two functions. If t = √df · sinh(s), the density
# of s is cosh(s) ** -df, up to a factor: a tail is an integral of exponential decay. The double exponential
# rule of Takahasi and Mori (1974) has these nodes and weights for it.
_STEPS = np.arange(-30, 34) / 8
_NODES = np.exp(_STEPS - np.exp(-_STEPS))
_WEIGHTS = _NODES * (1 + np.exp(-_STEPS)) / 8
_STEPS_TO_ALL_DIGITS = 3
"""Steps of Halley's method; `test_quantiles_have_their_tails` tries them."""
_NORMAL = 1e20
"""From this number of degrees of freedom, the distribution is the normal one, to all digits."""


def t_two_sided(t: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """
    Two-sided p-value: the probability that Student's t is at least as far from 0 as given.

    Parameters
    ----------
    t
        The statistic.
    df
        Degrees of freedom, above 0; infinity means the normal distribution.

    Returns
    -------
    FloatArray
        In [0, 1], with the broadcast shape of `t` and `df`; nan where either is nan or `df` is not above 0.

    Examples
    --------
    >>> from anls_frame.statistics import t_two_sided
    >>> t_two_sided([0.0, 1.0, 12.706], 1).round(4)
    array([1.  , 0.5 , 0.05])
    """
    t, df = np.broadcast_arrays(np.asarray(t, np.float64), _degrees(df))
    s = np.arcsinh(np.abs(t) / np.sqrt(df))
    return np.asarray(np.exp(-df * _growth(s)) * _beyond(s, df) / _beyond(0 * df, df))


def t_quantile(probability: npt.ArrayLike, df: npt.ArrayLike) -> FloatArray:
    """
    Quantile of Student's t distribution.

    Parameters
    ----------
    probability
        From 0 to 1.
    df
        Degrees of freedom, above 0; infinity means the normal distribution.

    Returns
    -------
    FloatArray
        With the broadcast shape of `probability` and `df`; -inf and inf at 0 and 1; nan where either is nan,
        the probability is outside [0, 1], or `df` is not above 0.

    Examples
    --------
    >>> from anls_frame.statistics import t_quantile
    >>> t_quantile(0.975, [1, 10, 100, float("inf")]).round(4)
    array([12.7062,  2.2281,  1.984 ,  1.96  ])
    """
    probability, df = np.broadcast_arrays(np.asarray(probability, np.float64), _degrees(df))
    tails = 2 * np.minimum(probability, 1 - probability)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        # A tail is at most cosh(s) ** -df. The slope of its logarithm is -1 / beyond, and the slope of
        # `beyond` is df · tanh(s) · beyond - 1: both that Halley's method needs.
        bound = -np.log(tails) / df
        s = bound + np.log1p(np.sqrt(-np.expm1(-2 * bound)))
        half = _beyond(0 * df, df)
        for _ in range(_STEPS_TO_ALL_DIGITS):
            beyond = _beyond(s, df)
            step = beyond * (df * (bound - _growth(s)) + np.log(beyond / half))
            s = s + step / (1 - step * (df * np.tanh(s) - 1 / beyond) / 2)
        t = np.where(tails == 0, np.abs(df) * np.inf, np.sqrt(df) * np.sinh(s))
    return np.asarray(np.copysign(t, probability - 0.5))


def _degrees(df: npt.ArrayLike) -> FloatArray:
    df = np.asarray(df, np.float64)
    return np.where(df > 0, np.minimum(df, _NORMAL), np.nan)


def _growth(x: FloatArray, slope: FloatArray | float = 0.0) -> FloatArray:
    """Return log(cosh x + slope · sinh x), exact for small x and finite for large x."""
    near = np.minimum(x, 300.0)
    grown = np.expm1(near)
    return np.asarray(np.log1p(grown * (grown * (1 + slope) + 2 * slope) / (2 * (1 + grown))) + (x - near))


def _beyond(s: FloatArray, df: FloatArray) -> FloatArray:
    """Return the integral of (cosh(s + x) / cosh(s)) ** -df over all x above 0."""
    slope = np.tanh(s)
    decay = df * slope + np.minimum(df, np.sqrt(df))
    x = _NODES / decay[..., None]
    return np.asarray(np.exp(-df[..., None] * _growth(x, slope[..., None])) @ _WEIGHTS / decay)
