"""
Intervals and tests, on plain numbers: sums of a group in, numpy arrays out.

Every function takes one number a group, as arrays that broadcast against each other; scalars give arrays of
shape (). *Units* are what is independent: the clusters (documents) of a group, or its rows where there are no
clusters. A statistic that the data cannot give is nan, never an error: no rows, a single unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anls_frame._significance import holm, sign_flip, sign_flip_counts, t_test
from anls_frame._student import FloatArray, t_cdf, t_quantile, t_two_sided

if TYPE_CHECKING:
    import numpy.typing as npt

__all__ = [
    "bounded_t_interval",
    "effective_units",
    "holm",
    "ratio_interval",
    "ratio_variance",
    "sign_flip",
    "sign_flip_counts",
    "t_cdf",
    "t_interval",
    "t_quantile",
    "t_test",
    "t_two_sided",
    "wilson_interval",
]

_NO_SPREAD = 1e-12
"""A sum of squares below this share of its terms is their rounding, and taken for 0."""

_FEW_UNITS = 4.0
"""Independent rows on the rarer side from which their spread is trusted more than experience."""

_USUAL_CORRELATION = 0.2
"""Intraclass correlation that is assumed where the data say too little."""


def ratio_variance(  # noqa: PLR0917 - the sums in their usual order
    units: npt.ArrayLike,
    sum_x: npt.ArrayLike,
    sum_y: npt.ArrayLike,
    sum_xx: npt.ArrayLike,
    sum_xy: npt.ArrayLike,
    sum_yy: npt.ArrayLike,
) -> FloatArray:
    """
    Variance of the ratio r = Σx / Σy over independent units.

    One formula for three uses. A mean over rows: a unit is a row, x its score, y = 1. A mean over rows that
    come in clusters: a unit is a cluster, x the sum of its scores, y its number of rows. A corpus rate: x the
    errors of a unit, y its length.

    Parameters
    ----------
    units
        Number of units G, or better their effective number: see `effective_units`.
    sum_x, sum_y
        Σx and Σy over the units.
    sum_xx, sum_xy, sum_yy
        Sums of their squares and products, squared after x and y have been added up within each unit.

    Returns
    -------
    FloatArray
        At least 0; nan for a single unit or none and for Σy = 0.

    See Also
    --------
    effective_units : for units of unequal size.

    Notes
    -----
    G / (G - 1) · (Σx² - 2rΣxy + r²Σy²) / (Σy)²: linearisation of a ratio (Cochran 1977, *Sampling
    Techniques*, 6.4). For means it is the cluster-robust variance CR1 of a regression on the constant alone,
    and with y = 1 the square of the usual standard error.

    The bracket is a difference of sums: its absolute error is about 1e-16 of the sums, so a spread of a
    millionth of the scores' size is the least it can tell from none. A bracket below 1e-12 of its terms is
    set to 0: constant scores give exactly 0, however their sums were rounded.

    Examples
    --------
    >>> from anls_frame.statistics import ratio_variance
    >>> float(ratio_variance(4, 2.0, 4, 2.0, 2.0, 4).round(4))  # scores 0, 0, 1, 1
    0.0833
    """
    units, sum_x, sum_y, sum_xx, sum_xy, sum_yy = _floats(units, sum_x, sum_y, sum_xx, sum_xy, sum_yy)
    defined = (units > 1) & (sum_y != 0)
    ratio = sum_x / np.where(defined, sum_y, np.nan)
    terms = np.stack((sum_xx, -2 * ratio * sum_xy, ratio * ratio * sum_yy))
    bracket = terms.sum(axis=0)
    bracket = np.where(bracket <= _NO_SPREAD * np.abs(terms).sum(axis=0), 0.0, bracket)
    correction = units / np.where(defined, units - 1, np.nan)
    return np.asarray(correction * bracket / np.where(defined, sum_y, np.nan) ** 2)


def effective_units(sum_y: npt.ArrayLike, sum_yy: npt.ArrayLike) -> FloatArray:
    """
    Number of equal units that carry as much as the given ones of unequal size.

    Made to stand for the number of units in every other function here: a few large clusters then count for
    what they are, and the intervals keep their coverage. It may be fractional.

    Parameters
    ----------
    sum_y, sum_yy
        Σy and Σy² over the units, y the size of a unit: its rows, or its length.

    Returns
    -------
    FloatArray
        (Σy)² / Σy²: the number of units where all have one size, and less otherwise; nan where Σy = 0.

    Notes
    -----
    Kish (1965), *Survey Sampling*, 11.7; for clusters Carter, Schnepel and Steigerwald (2017).

    Examples
    --------
    >>> from anls_frame.statistics import effective_units
    >>> effective_units([30, 30], [300, 1 + 1 + 28**2]).round(2)  # three clusters of 10, and 1, 1, 28
    array([3.  , 1.15])
    """
    sum_y, sum_yy = _floats(sum_y, sum_yy)
    return np.asarray(sum_y * sum_y / np.where(sum_yy > 0, sum_yy, np.nan))


def wilson_interval(
    mean: npt.ArrayLike,
    variance: npt.ArrayLike,
    n: npt.ArrayLike,
    units: npt.ArrayLike,
    confidence: float = 0.95,
    *,
    sum_squares: npt.ArrayLike | None = None,
) -> tuple[FloatArray, FloatArray]:
    """
    Wilson's interval for the mean of scores in [0, 1], with an effective number of rows.

    Parameters
    ----------
    mean
        Mean of the scores, m.
    variance
        Variance of that mean, v, as from `ratio_variance`.
    n
        Number of rows.
    units
        Number of independent units G (clusters, or rows where there are none), or their effective number.
    confidence
        Nominal coverage, between 0 and 1.
    sum_squares
        Sum of the squared scores of the rows. Without it scores are taken for 0 and 1: the same interval
        where they are, a wider one else.

    Returns
    -------
    low, high
        Within [0, 1], and with the mean between them. Both nan for a single unit or none: it
        says nothing about the spread between units.

    Raises
    ------
    ValueError
        If the confidence is not between 0 and 1.

    Notes
    -----
    The interval of Wilson (1927) with t² / n_eff in place of z² / n. Without clusters and for scores 0 and 1
    that is t(n - 1)² / n. In general

    - the rows are worth n₀ = n · m(1 - m) / s² rows of 0 and 1, s² the variance of a score; for this quotient
      one row of 0 and one of 1 are added, so that scores that happen to be alike prove little;
    - v is d = v · n / s² times what it were for independent rows, at least once (the design effect; Kish
      1965), and n_eff = n₀ / d;
    - d is poorly known, and too small just where the mean is too far out, if few independent rows lie on the
      rarer side, I = min(G - 1, n_eff · min(m, 1 - m)). So it is drawn to 1 + 0.2(n/G - 1), an intraclass
      correlation of 0.2, with weight 1 / (1 + (I/4)⁴);
    - t has the degrees of freedom of Satterthwaite (1946), I - 1/2 for the share (d - 1)/d of the variance
      that is due to clusters and n - 1 for the rest;
    - no interval is wider than if each unit were one row. Where all scores are equal, units are taken for
      rows, d = n/G: nothing shows how alike the rows of a unit are.

    The constants were chosen by simulation: see the page on statistics.

    Examples
    --------
    >>> from anls_frame.statistics import ratio_variance, wilson_interval
    >>> variance = ratio_variance(100, 90, 100, 90, 90, 100)  # 90 of 100 rows are right
    >>> low, high = wilson_interval(0.9, variance, 100, 100)
    >>> float(low.round(3)), float(high.round(3))
    (0.825, 0.945)
    """
    mean, variance, n, units = _floats(mean, variance, n, units)
    mean = np.clip(mean, 0, 1)
    squares = n * mean if sum_squares is None else np.asarray(sum_squares, np.float64)
    defined = (units > 1) & (n > 1) & (variance >= 0)
    # What is not defined is computed on a sound stand-in and struck out at the end.
    inverse = _inverse_size(
        np.where(defined, mean, 0.5),
        np.where(defined, variance, 0.25),
        np.where(defined, n, 2.0),
        np.where(defined, units, 2.0),
        squares=np.where(defined, squares, 1.0),
        confidence=confidence,
    )
    centre = mean + inverse / 2
    half = np.sqrt(inverse * (mean * (1 - mean) + inverse / 4))
    low = np.where(defined, np.clip((centre - half) / (1 + inverse), 0, mean), np.nan)
    high = np.where(defined, np.clip((centre + half) / (1 + inverse), mean, 1), np.nan)
    return np.asarray(low), np.asarray(high)


def _inverse_size(
    mean: FloatArray,
    variance: FloatArray,
    n: FloatArray,
    units: FloatArray,
    *,
    squares: FloatArray,
    confidence: float,
) -> FloatArray:
    """t² / n_eff of `wilson_interval`."""
    padded = (n * mean + 1) / (n + 2)
    binary_rows = n * padded * (1 - padded) / ((squares + 1) / (n + 2) - padded * padded)
    spread = squares - n * mean * mean
    known = spread > _NO_SPREAD * squares
    rows_a_unit = n / units
    observed = variance * n * (n - 1) / np.where(known, spread, 1.0)
    design = np.maximum(np.where(known, observed, rows_a_unit), 1.0)

    alike = binary_rows / design
    information = np.minimum(units - 1, alike * np.minimum(mean, 1 - mean))
    trust = information**4 / (information**4 + _FEW_UNITS**4)
    design = 1 + trust * (design - 1) + (1 - trust) * _USUAL_CORRELATION * np.maximum(rows_a_unit - 1, 0)
    share = (design - 1) / design
    df = 1 / (share**2 / np.maximum(information - 0.5, 1) + (1 - share) ** 2 / (n - 1))
    estimate = _t_of(df, confidence) ** 2 * design / binary_rows
    ceiling = _t_of(units - 1, confidence) ** 2 / np.minimum(units / n * binary_rows, alike)
    return np.asarray(np.minimum(estimate, ceiling))


def t_interval(
    mean: npt.ArrayLike, variance: npt.ArrayLike, units: npt.ArrayLike, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """
    Interval of Student's t around a mean without bounds, or around a difference of means.

    Parameters
    ----------
    mean
        The mean.
    variance
        Variance of that mean, as from `ratio_variance`.
    units
        Number of independent units G (clusters, or rows where there are none), or their effective number.
    confidence
        Nominal coverage, between 0 and 1.

    Returns
    -------
    low, high
        mean ± t √variance, with G - 1 degrees of freedom. Both nan for a single unit or none, both the mean
        where the variance is 0: values that are all equal give no scale for an error.

    Raises
    ------
    ValueError
        If the confidence is not between 0 and 1.

    Examples
    --------
    >>> from anls_frame.statistics import t_interval
    >>> low, high = t_interval(0.02, 0.0001, [5, 50])
    >>> low.round(4), high.round(4)
    (array([-0.0078, -0.0001]), array([0.0478, 0.0401]))
    """
    mean, variance, units = _floats(mean, variance, units)
    half = _t_of(units - 1, confidence) * np.sqrt(variance)
    return np.asarray(mean - half), np.asarray(mean + half)


def bounded_t_interval(  # noqa: PLR0917 - as ratio_variance
    units: npt.ArrayLike,
    sum_x: npt.ArrayLike,
    sum_y: npt.ArrayLike,
    sum_xx: npt.ArrayLike,
    sum_xy: npt.ArrayLike,
    sum_yy: npt.ArrayLike,
    confidence: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """
    Interval for a mean of scores spread inside [0, 1]: t, with a pseudo-row at 0 and one at 1.

    Parameters
    ----------
    units, sum_x, sum_y, sum_xx, sum_xy, sum_yy
        As for `ratio_variance`: y counts rows.
    confidence
        Nominal coverage, between 0 and 1.

    Returns
    -------
    low, high
        Within [0, 1]. Both nan for a single unit or none.

    Raises
    ------
    ValueError
        If the confidence is not between 0 and 1.

    Notes
    -----
    The interval of Agresti and Caffo (2000), two rows added, with the scores' own variance in place of
    m(1 - m), so that it gets narrow where the scores lie close together.

    Examples
    --------
    >>> from anls_frame.statistics import bounded_t_interval
    >>> low, high = bounded_t_interval(3, 2.1, 3, 1.55, 2.1, 3)  # scores 0.5, 0.6, 1.0
    >>> float(low.round(3)), float(high.round(3))
    (0.0, 1.0)
    """
    units, sum_x, sum_y, sum_xx, sum_xy, sum_yy = _floats(units, sum_x, sum_y, sum_xx, sum_xy, sum_yy)
    mean = (sum_x + 1) / (sum_y + 2)
    variance = ratio_variance(units + 2, sum_x + 1, sum_y + 2, sum_xx + 1, sum_xy + 1, sum_yy + 2)
    half = _t_of(units - 1, confidence) * np.sqrt(variance)
    return np.asarray(np.clip(mean - half, 0, 1)), np.asarray(np.clip(mean + half, 0, 1))


def ratio_interval(
    errors: npt.ArrayLike,
    length: npt.ArrayLike,
    variance: npt.ArrayLike,
    units: npt.ArrayLike,
    confidence: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """
    Interval for a corpus rate Σe / ΣL, errors by length, on the logarithmic scale.

    Parameters
    ----------
    errors, length
        Σe and ΣL.
    variance
        Variance of their ratio, as from `ratio_variance`.
    units
        Number of independent units G (clusters, or rows where there are none), or their effective number.
    confidence
        Nominal coverage, between 0 and 1.

    Returns
    -------
    low, high
        At least 0, the rate between them. Without a single error 0 and t² / (G + t²), Wilson's bound for the
        share of units that have an error at all: it bounds the rate as long as units with an error are not
        worse than wrong throughout. Both nan for a single unit or none and for ΣL = 0, both the rate where it
        is the same in all units.

    Raises
    ------
    ValueError
        If the confidence is not between 0 and 1.

    Notes
    -----
    r · exp(± t √v / r) with G - 1 degrees of freedom: the delta method for log r, whose distribution is
    nearer to symmetric than that of r, and which cannot fall below 0.

    Examples
    --------
    >>> from anls_frame.statistics import ratio_interval
    >>> low, high = ratio_interval([30, 0], 1000, [0.0001, 0.0], 20)
    >>> low.round(4), high.round(4)
    (array([0.0149, 0.    ]), array([0.0603, 0.1797]))
    """
    errors, length, variance, units = _floats(errors, length, variance, units)
    quantile = _t_of(units - 1, confidence)
    rate = errors / np.where(length > 0, length, np.nan)
    some = errors > 0
    with np.errstate(over="ignore"):
        factor = np.exp(quantile * np.sqrt(variance) / np.where(some, rate, 1.0))
    none_high = quantile**2 / (units + quantile**2) + 0 * rate
    low = np.where(some, rate / factor, 0 * none_high)
    return np.asarray(low), np.asarray(np.where(some, rate * factor, none_high))


def _floats(*values: npt.ArrayLike) -> tuple[FloatArray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values)))


def _t_of(df: FloatArray, confidence: float) -> FloatArray:
    if not 0 < confidence < 1:
        raise ValueError(f"confidence must be between 0 and 1, not {confidence!r}")
    # Groups share few sizes, and a quantile costs more than looking it up.
    distinct, place = np.unique(df, return_inverse=True)
    # Far below one degree of freedom t overflows. A million says as well that nothing is known.
    distinct = np.where(distinct > 0, np.maximum(distinct, 0.05), np.nan)
    quantile = np.minimum(t_quantile(0.5 + confidence / 2, distinct), 1e6)
    return np.asarray(quantile[place].reshape(df.shape))
