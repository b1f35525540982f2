"""Student's t distribution from scipy: two-sided tails and quantiles; and what all statistics share."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""Numbers, one per group; of shape () if only scalars were given."""

ROUNDING = 1e-12
"""Less than this fraction of the numbers that it was computed from is rounding error, and counts as 0."""


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
    from scipy.special import stdtr  # noqa: PLC0415 - takes as long as numpy to import

    return np.asarray(2 * stdtr(np.asarray(df, np.float64), -np.abs(np.asarray(t, np.float64))))


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
    from scipy.special import stdtrit  # noqa: PLC0415 - takes as long as numpy to import

    probability = np.asarray(probability, np.float64)
    # scipy returns inf at both ends.
    return np.copysign(stdtrit(np.asarray(df, np.float64), probability), probability - 0.5)
