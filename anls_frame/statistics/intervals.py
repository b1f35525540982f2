"""Variances and intervals of means and rates, from the sums of a group."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from anls_frame._arguments import share
from anls_frame.statistics.student import FloatArray, t_quantile

if TYPE_CHECKING:
    import numpy.typing as npt

_NO_SPREAD = 1e-12
"""A sum of squares below this share of its terms is their rounding, and taken for 0."""

_FEW_UNITS = 6.0
"""Independent rows on the rarer side from which their spread is trusted more than experience."""

USUAL_CORRELATION = 0.3
"""
Intraclass correlation that is assumed where the data say too little.

This constant and the one above are chosen by tests/benchmarks/choose_constants.py.
"""

_FEWEST_UNITS = 2.0
"""Effective units below which there is no interval: they leave less than one degree of freedom."""

_LARGEST_RATE = 0.3
_MOST_TIMES = 10.0
"""A rate whose upper end is more than ten times it, or than 0.3 if that is larger, has no interval."""


def ratio_variance(  # noqa: PLR0917 - the sums in their usual order
    units: npt.ArrayLike,
    sum_x: npt.ArrayLike,
    sum_y: npt.ArrayLike,
    sum_xx: npt.ArrayLike,
    sum_xy: npt.ArrayLike,
    sum_yy: npt.ArrayLike,
    *,
    bracket: npt.ArrayLike | None = None,
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
    bracket
        Σ(x - ry)², if it is known better than these sums give it.

    Returns
    -------
    FloatArray
        At least 0; nan for a single unit or none and for Σy = 0.

    See Also
    --------
    effective_units : for units of unequal size.

    Notes
    -----
    G / (G - 1) · (Σx² - 2rΣxy + r²Σy²) / (Σy)², the bracket being Σ(x - ry)²: linearisation of a ratio
    (Cochran 1977, *Sampling Techniques*, 6.4). For means it is the cluster-robust variance CR1 of a
    regression on the constant alone, and with y = 1 the square of the usual standard error.

    The bracket is a difference of sums: its absolute error is about 1e-16 of the sums, so a spread of a
    millionth of the scores' size is the least it can tell from none. A bracket below 1e-12 of its terms is
    set to 0: constant scores give exactly 0, however their sums were rounded. Reports have their sums as
    whole numbers, and pass the bracket that is exact.

    Examples
    --------
    >>> from anls_frame.statistics import ratio_variance
    >>> float(ratio_variance(4, 2.0, 4, 2.0, 2.0, 4).round(4))  # scores 0, 0, 1, 1
    0.0833
    """
    units, sum_x, sum_y, sum_xx, sum_xy, sum_yy = _floats(units, sum_x, sum_y, sum_xx, sum_xy, sum_yy)
    defined = (units > 1) & (sum_y != 0)
    ratio = sum_x / np.where(defined, sum_y, np.nan)
    if bracket is None:
        terms = np.stack((sum_xx, -2 * ratio * sum_xy, ratio * ratio * sum_yy))
        spread = terms.sum(axis=0)
        spread = np.where(spread <= _NO_SPREAD * np.abs(terms).sum(axis=0), 0.0, spread)
    else:
        spread = np.asarray(bracket, np.float64)
    correction = units / np.where(defined, units - 1, np.nan)
    return np.asarray(correction * spread / np.where(defined, sum_y, np.nan) ** 2)


def effective_units(
    sum_y: npt.ArrayLike,
    sum_yy: npt.ArrayLike,
    sum_yyy: npt.ArrayLike | None = None,
    sum_yyyy: npt.ArrayLike | None = None,
    *,
    correlation: npt.ArrayLike = USUAL_CORRELATION,
) -> FloatArray:
    """
    Number of equal units that carry as much as the given ones of unequal size.

    Made to stand for the number of units in every other function here: a few large clusters then count for
    what they are, and the intervals keep their coverage. It may be fractional.

    Parameters
    ----------
    sum_y, sum_yy
        Σy and Σy² over the units, y the size of a unit: its rows, or its length.
    sum_yyy, sum_yyyy
        Σy³ and Σy⁴. With them the rows of a unit are taken to be correlated.
    correlation
        Intraclass correlation of the rows, from 0 to 1.

    Returns
    -------
    FloatArray
        (Σw)² / Σw²: the number of units where all have one size, and less otherwise; nan where Σy = 0.

    Notes
    -----
    w is what a unit adds to the variance: y if its rows are independent (Kish 1965, *Survey Sampling*, 11.7),
    y(1 - c) + cy² if their correlation is c (Carter, Schnepel and Steigerwald 2017).

    Examples
    --------
    >>> from anls_frame.statistics import effective_units
    >>> effective_units([30, 30], [300, 1 + 1 + 28**2]).round(2)  # three clusters of 10, and 1, 1, 28
    array([3.  , 1.15])
    >>> float(effective_units(60, 1400, 36_000, 980_000).round(2))  # 10, 20 and 30, correlated
    2.05
    """
    sum_y, sum_yy = _floats(sum_y, sum_yy)
    if sum_yyy is None or sum_yyyy is None:
        return np.asarray(sum_y * sum_y / np.where(sum_yy > 0, sum_yy, np.nan))
    sum_y, sum_yy, sum_yyy, sum_yyyy, rho = _floats(sum_y, sum_yy, sum_yyy, sum_yyyy, correlation)
    weights = (1 - rho) * sum_y + rho * sum_yy
    squares = (1 - rho) ** 2 * sum_yy + 2 * rho * (1 - rho) * sum_yyy + rho * rho * sum_yyyy
    return np.asarray(weights * weights / np.where(squares > 0, squares, np.nan))


def wilson_interval(
    mean: npt.ArrayLike,
    variance: npt.ArrayLike,
    n: npt.ArrayLike,
    units: npt.ArrayLike,
    confidence: float = 0.95,
    *,
    sum_squares: npt.ArrayLike | None = None,
    cubes: npt.ArrayLike | None = None,
    fourths: npt.ArrayLike | None = None,
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
        Number of independent units G (clusters, or rows where there are none), or their effective number for
        independent rows: see `effective_units`.
    confidence
        Nominal coverage, between 0 and 1.
    sum_squares
        Sum of the squared scores of the rows. Without it scores are taken for 0 and 1: the same interval
        where they are, a wider one else.
    cubes, fourths
        Sums over the units of the third and the fourth power of their numbers of rows. Without them the units
        are taken to be of one size.

    Returns
    -------
    low, high
        Within [0, 1], and with the mean between them. Both nan below two units.

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
      rarer side, I = min(G - 1, n_eff · min(m, 1 - m)). So it is drawn to 1 + 0.3(n/G - 1), an intraclass
      correlation of 0.3, with weight 1 - w = 1 / (1 + (I/6)⁴); where all scores are equal it is that;
    - the d drawn says how correlated rows are, and this how many units G* of one size the units of unequal
      size are worth: see `effective_units`. v, corrected by G / (G - 1), is corrected by G* / (G* - 1);
    - t has the degrees of freedom of Satterthwaite (1946): n - 1 for the share 1/d of the variance; for the
      rest, due to clusters, w · (I - 1/2) + (1 - w) · (G* - 1), at least 1, I at most G* - 1;
    - no interval is wider than if each unit were one row.

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
    defined = (units >= _FEWEST_UNITS) & (n > 1) & (variance >= 0)

    def stood_in(value: npt.ArrayLike, replacement: float) -> FloatArray:
        """Let what is not defined be computed on something sound; it is struck out at the end."""
        return np.asarray(np.where(defined, np.asarray(value, np.float64), replacement))

    sizes = None
    if cubes is not None and fourths is not None:
        sizes = stood_in(cubes, 2.0), stood_in(fourths, 2.0)
    inverse = _inverse_size(
        stood_in(mean, 0.5),
        stood_in(variance, 0.25),
        stood_in(n, 2.0),
        stood_in(units, 2.0),
        squares=stood_in(n * mean if sum_squares is None else sum_squares, 1.0),
        sizes=sizes,
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
    sizes: tuple[FloatArray, FloatArray] | None,
    confidence: float,
) -> FloatArray:
    """t² / n_eff of `wilson_interval`."""
    padded = (n * mean + 1) / (n + 2)
    binary_rows = n * padded * (1 - padded) / ((squares + 1) / (n + 2) - padded * padded)
    spread = squares - n * mean * mean
    known = spread > _NO_SPREAD * squares
    more_rows = np.maximum(n / units - 1, 0)
    observed = variance * n * (n - 1) / np.where(known, spread, 1.0)
    design = np.where(known, np.maximum(observed, 1), 1 + USUAL_CORRELATION * more_rows)

    alike = binary_rows / design
    information = np.minimum(units - 1, alike * np.minimum(mean, 1 - mean))
    trust = information**4 / (information**4 + _FEW_UNITS**4)
    design = 1 + trust * (design - 1) + (1 - trust) * USUAL_CORRELATION * more_rows
    carried = units
    if sizes is not None:
        correlation = np.clip((design - 1) / np.where(more_rows > 0, more_rows, 1.0), 0, 1)
        carried = effective_units(n, n * n / units, *sizes, correlation=correlation)
        carried = np.clip(carried, _FEWEST_UNITS, units)
        design *= carried / (carried - 1) * (units - 1) / units
    share = (design - 1) / design
    of_units = trust * (np.minimum(carried - 1, information) - 0.5) + (1 - trust) * (carried - 1)
    df = 1 / (share**2 / np.maximum(of_units, 1) + (1 - share) ** 2 / (n - 1))
    estimate = _t_of(df, confidence) ** 2 * design / binary_rows
    ceiling = _t_of(carried - 1, confidence) ** 2 / np.minimum(carried / n * binary_rows, alike)
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
        mean ± t √variance, with G - 1 degrees of freedom. Both nan below two units, both the mean where the
        variance is 0: values that are all equal give no scale for an error.

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
    half = _t_of(_degrees(units), confidence) * np.sqrt(variance)
    return np.asarray(mean - half), np.asarray(mean + half)


def ratio_interval(
    errors: npt.ArrayLike,
    length: npt.ArrayLike,
    variance: npt.ArrayLike,
    units: npt.ArrayLike,
    confidence: float = 0.95,
) -> tuple[FloatArray, FloatArray]:
    """
    Interval for a rate on the logarithmic scale: errors divided by length, or a mean of rates of rows.

    Parameters
    ----------
    errors, length
        Σe and ΣL; of a mean the sum of the rates and the number of rows.
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
        worse than wrong throughout. Both the rate where it is the same in all units. Both nan below two
        units, for ΣL = 0, and where `high` is above ten times the rate and above 3: then nothing is known.

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
    quantile = _t_of(_degrees(units), confidence)
    rate = errors / np.where(length > 0, length, np.nan)
    some = errors > 0
    with np.errstate(over="ignore"):
        factor = np.exp(quantile * np.sqrt(variance) / np.where(some, rate, 1.0))
    none_high = quantile**2 / (units + quantile**2) + 0 * rate
    low = np.where(some, rate / factor, 0 * none_high)
    high = np.where(some, rate * factor, none_high)
    says_nothing = high > _MOST_TIMES * np.maximum(rate, _LARGEST_RATE)
    return np.where(says_nothing, np.nan, low), np.where(says_nothing, np.nan, high)


def _floats(*values: npt.ArrayLike) -> tuple[FloatArray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values)))


def _degrees(units: FloatArray) -> FloatArray:
    """Degrees of freedom: at least 1, or nan."""
    return np.where(units >= _FEWEST_UNITS, units - 1, np.nan)


def _t_of(df: FloatArray, confidence: float) -> FloatArray:
    confidence = share("confidence", confidence, ends=False)
    # Groups share few sizes, and a quantile costs more than looking it up.
    distinct, place = np.unique(df, return_inverse=True)
    return np.asarray(t_quantile(0.5 + confidence / 2, distinct)[place].reshape(df.shape))
