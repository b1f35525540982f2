"""Variances and intervals of means and rates, from the sums of a group."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from anls_frame._arguments import share
from anls_frame.statistics.arrays import ROUNDING, FloatArray
from anls_frame.statistics.design import USUAL_CORRELATION, design_effect, usual_design
from anls_frame.statistics.student import t_quantile

FEWEST_UNITS = 2.0
"""With fewer effective units there is no interval: they leave less than one degree of freedom."""

_LARGEST_RATE = 0.3
_MOST_TIMES = 10.0
"""There is no interval if its upper end exceeds ten times the rate, or ten times 0.3 if that is larger."""


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

    One formula covers three cases. A mean over rows: a unit is a row, x its score, y = 1. A mean over rows in
    clusters: a unit is a cluster, x the sum of its scores, y its number of rows. A corpus rate: x is the
    number of errors in a unit, y its length.

    Parameters
    ----------
    units
        Number of units G, or preferably their effective number: see `effective_units`.
    sum_x, sum_y
        Σx and Σy over the units.
    sum_xx, sum_xy, sum_yy
        Sums of squares and products, computed after x and y have been summed within each unit.
    bracket
        Σ(x - ry)², if known more accurately than from these sums.

    Returns
    -------
    FloatArray
        At least 0; nan with fewer than two units and for Σy = 0.

    See Also
    --------
    effective_units : for units of unequal size.

    Notes
    -----
    G / (G - 1) · (Σx² - 2rΣxy + r²Σy²) / (Σy)², where the bracket is Σ(x - ry)²: the linearized variance of a
    ratio (Cochran 1977, *Sampling Techniques*, 6.4). For means, it is the cluster-robust variance CR1 of a
    regression on a constant; with y = 1, it is the square of the usual standard error.

    The bracket is a difference of sums, with an absolute error of about 1e-16 of these sums, so it cannot
    resolve a spread below a millionth of the size of the scores. A bracket below 1e-12 of its terms is set to
    0, so that constant scores give exactly 0, however their sums were rounded. Reports keep sums as integers,
    and pass the exact bracket.

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
        spread = np.where(spread <= ROUNDING * np.abs(terms).sum(axis=0), 0.0, spread)
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
    Effective number of units: the number of equal units with the same information as the given units.

    Pass this number as `units` to the other functions of this module; otherwise, a few large clusters count
    as much as many equal clusters, and intervals lose coverage. The number can be fractional.

    Parameters
    ----------
    sum_y, sum_yy
        Σy and Σy² over the units, where y is the size of a unit: its number of rows, or its length.
    sum_yyy, sum_yyyy
        Σy³ and Σy⁴. If they are given, the rows of a unit are assumed to be correlated.
    correlation
        Intraclass correlation of the rows, from 0 to 1.

    Returns
    -------
    FloatArray
        (Σw)² / Σw²: the number of units if all have the same size, otherwise less; nan where Σy = 0.

    Notes
    -----
    w is the contribution of a unit to the variance: y if its rows are independent (Kish 1965, *Survey
    Sampling*, 11.7), y(1 - c) + cy² if their correlation is c (Carter, Schnepel and Steigerwald 2017).

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
    degrees: npt.ArrayLike = np.inf,
    correlation: npt.ArrayLike = USUAL_CORRELATION,
) -> tuple[FloatArray, FloatArray]:
    """
    Wilson interval for the mean of scores in [0, 1], with an effective number of rows.

    Parameters
    ----------
    mean
        Mean of the scores, m.
    variance
        Variance of that mean, v, from `ratio_variance`.
    n
        Number of rows.
    units
        Number of independent units G (clusters, or rows if there are no clusters), or their effective number
        for independent rows: see `effective_units`.
    confidence
        Nominal coverage, between 0 and 1.
    sum_squares
        Sum of the squared scores of the rows. Without it, all scores are assumed to be 0 or 1, which makes
        the interval of other scores wider than necessary.
    cubes, fourths
        Sums over the units of the third and fourth power of their numbers of rows. Without them, all units
        are assumed to have the same size.
    degrees
        Degrees of freedom of the variance, if it has fewer than G - 1, such as that of a mean of slices of
        few documents.
    correlation
        Intraclass correlation of the rows of a unit that is assumed where few scores tell it.

    Returns
    -------
    low, high
        Within [0, 1], with the mean between them. Both are nan with fewer than two units.

    Raises
    ------
    ValueError
        If the confidence is not between 0 and 1.

    Notes
    -----
    The interval of Wilson (1927) with t² / n_eff in place of z² / n. Without clusters and with scores 0 and
    1, that is t(n - 1)² / n. In general:

    - The rows count as n₀ = n · m(1 - m) / s² rows with scores 0 and 1, where s² is the variance of a score.
      For this quotient, one row of 0 and one of 1 are added, because a few equal scores prove little.
    - The design effect d = v · n / s² (Kish 1965) compares v with its value for independent rows. It is at
      least 1, and n_eff = n₀ / d.
    - With few independent rows on the rarer side, I = min(G - 1, n_eff · min(m, 1 - m)), d is poorly known,
      and too small exactly when the mean is too extreme. So a smaller d is raised towards 1 + 0.3(n/G - 1),
      for the usual `correlation` of 0.3, with weight 1 - w = 1 / (1 + (I/6)⁴). If all scores are equal, d
      is that.
    - This d implies a correlation of the rows, which gives the effective number of units, G*: see
      `effective_units`. The factor G / (G - 1) in v is replaced by G* / (G* - 1).
    - t has the degrees of freedom of Satterthwaite (1946): n - 1 for the share 1/d of the variance; for the
      rest, which is due to clusters, w · (I - 1/2) + (1 - w) · (G* - 1), at least 1, with I at most G* - 1.
      Fewer `degrees` take the place of G - 1 and G* - 1 there and in I.
    - No interval is wider than if each unit were one row.

    The constants were chosen by simulation: see the page on statistics.

    Examples
    --------
    >>> from anls_frame.statistics import ratio_variance, wilson_interval
    >>> variance = ratio_variance(100, 90, 100, 90, 90, 100)  # 90 of 100 rows are right
    >>> low, high = wilson_interval(0.9, variance, 100, 100)
    >>> float(low.round(3)), float(high.round(3))
    (0.825, 0.945)
    """
    mean = np.clip(np.asarray(mean, np.float64), 0, 1)
    squares = n * mean if sum_squares is None else sum_squares
    mean, variance, n, units, squares = _floats(mean, variance, n, units, squares)
    defined = (units >= FEWEST_UNITS) & (n > 1) & (variance >= 0)
    estimate = mean

    def stood_in(value: npt.ArrayLike, replacement: float) -> FloatArray:
        """Replace undefined values, so that the formulas can be computed; their results become nan later."""
        return np.asarray(np.where(defined, np.asarray(value, np.float64), replacement))

    mean, variance, squares = stood_in(mean, 0.5), stood_in(variance, 0.25), stood_in(squares, 1.0)
    n, units = stood_in(n, 2.0), stood_in(units, 2.0)
    padded = (n * mean + 1) / (n + 2)
    binary_rows = n * padded * (1 - padded) / ((squares + 1) / (n + 2) - padded * padded)
    spread = squares - n * mean * mean
    known = spread > ROUNDING * squares
    rows = np.maximum(n / units, 1)
    observed = variance * n * (n - 1) / np.where(known, spread, 1.0)
    observed = np.where(known, np.maximum(observed, 1), usual_design(rows, correlation))

    alike = binary_rows / observed
    degrees = np.asarray(degrees, np.float64)
    information = np.minimum(np.minimum(units - 1, degrees), alike * np.minimum(mean, 1 - mean))
    design, trust = design_effect(observed, rows, information, correlation)
    carried = units
    if cubes is not None and fourths is not None:
        alike_rows = np.clip((design - 1) / np.where(rows - 1 > ROUNDING, rows - 1, 1.0), 0, 1)
        powers = stood_in(cubes, 2.0), stood_in(fourths, 2.0)
        carried = effective_units(n, n * n / units, *powers, correlation=alike_rows)
        carried = np.clip(carried, FEWEST_UNITS, units)
        design *= carried / (carried - 1) * (units - 1) / units
    share = (design - 1) / design
    most = np.minimum(carried - 1, degrees)
    carried_df = trust * (np.minimum(most, information) - 0.5) + (1 - trust) * most
    df = 1 / (share**2 / np.maximum(carried_df, 1) + (1 - share) ** 2 / (n - 1))
    inverse = _t_of(df, confidence) ** 2 * design / binary_rows
    ceiling = _t_of(most, confidence) ** 2 / np.minimum(carried / n * binary_rows, alike)
    low, high = wilson_ends(estimate, np.minimum(inverse, ceiling))
    return np.where(defined, low, np.nan), np.where(defined, high, np.nan)


def wilson_ends(
    mean: npt.ArrayLike, inverse: npt.ArrayLike, added: npt.ArrayLike = 0.0
) -> tuple[FloatArray, FloatArray]:
    """
    Return the ends of the Wilson interval of a mean, from t² divided by the effective number of rows.

    The ends p solve (mean - p)² = inverse · p (1 - p) + added: `added` is t² times a variance that is the
    same for every mean.
    """
    mean, inverse, added = _floats(mean, inverse, added)
    centre = mean + inverse / 2
    half = np.sqrt(inverse * (mean * (1 - mean) + inverse / 4) + (1 + inverse) * added)
    low, high = (centre - half) / (1 + inverse), (centre + half) / (1 + inverse)
    return np.clip(low, 0, mean), np.clip(high, mean, 1)


def t_interval(
    mean: npt.ArrayLike, variance: npt.ArrayLike, units: npt.ArrayLike, confidence: float = 0.95
) -> tuple[FloatArray, FloatArray]:
    """
    Student's t interval for an unbounded mean, or for a difference of means.

    Parameters
    ----------
    mean
        The mean.
    variance
        Variance of that mean, from `ratio_variance`.
    units
        Number of independent units G (clusters, or rows if there are no clusters), or their effective number.
    confidence
        Nominal coverage, between 0 and 1.

    Returns
    -------
    low, high
        mean ± t √variance, with G - 1 degrees of freedom. Both are nan with fewer than two units. Both equal
        the mean if the variance is 0, because equal values have no scale for an error.

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
    Interval for a rate on the log scale: total errors divided by total length, or the mean of row rates.

    Parameters
    ----------
    errors, length
        Σe and ΣL; for a mean, the sum of the rates and the number of rows.
    variance
        Variance of their ratio, from `ratio_variance`.
    units
        Number of independent units G (clusters, or rows if there are no clusters), or their effective number.
    confidence
        Nominal coverage, between 0 and 1.

    Returns
    -------
    low, high
        At least 0, with the rate between them. Without errors, 0 and t² / (G + t²), Wilson's bound for the
        share of units with any error; it bounds the rate as long as the rate of a unit does not exceed 1.
        Both equal the rate if it is the same in all units. Both are nan with fewer than two units, for
        ΣL = 0, and where `high` exceeds both ten times the rate and 3, because it then says nothing.

    Raises
    ------
    ValueError
        If the confidence is not between 0 and 1.

    Notes
    -----
    r · exp(± t √v / r) with G - 1 degrees of freedom: the delta method for log r. The distribution of log r
    is closer to symmetric than that of r, and the interval cannot fall below 0.

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
    has_errors = rate > 0  # and not errors > 0, since the rate of very small errors rounds to 0
    with np.errstate(over="ignore"):
        factor = np.exp(quantile * np.sqrt(variance) / np.where(has_errors, rate, 1.0))
    none_high = quantile**2 / (units + quantile**2) + 0 * rate
    low = np.where(has_errors, rate / factor, 0 * none_high)
    high = np.where(has_errors, rate * factor, none_high)
    says_nothing = high > _MOST_TIMES * np.maximum(rate, _LARGEST_RATE)
    return np.where(says_nothing, np.nan, low), np.where(says_nothing, np.nan, high)


def _floats(*values: npt.ArrayLike) -> tuple[FloatArray, ...]:
    return tuple(np.broadcast_arrays(*(np.asarray(value, np.float64) for value in values)))


def _degrees(units: FloatArray) -> FloatArray:
    """Return the degrees of freedom: at least 1, or nan."""
    return np.where(units >= FEWEST_UNITS, units - 1, np.nan)


def _t_of(df: FloatArray, confidence: float) -> FloatArray:
    confidence = share("confidence", confidence, ends=False)
    # Groups have few distinct sizes, and computing a quantile costs more than looking it up.
    distinct, index = np.unique(df, return_inverse=True)
    return np.asarray(_quantiles(0.5 + confidence / 2, distinct.tobytes())[index].reshape(df.shape))


@lru_cache(maxsize=16)
def _quantiles(probability: float, degrees: bytes) -> FloatArray:
    """Return quantiles of Student's t; most scores of a report share the degrees of freedom."""
    return t_quantile(probability, np.frombuffer(degrees))
