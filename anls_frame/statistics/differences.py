"""Intervals of differences between two systems, which allow for changes that no unit of the sample shows."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.intervals import t_interval

_ADDED_UNITS = 2
"""A unit that wins and a unit that loses are added to what was observed."""


def unseen_share(units: npt.ArrayLike, level: npt.ArrayLike) -> FloatArray:
    """
    Return the largest share of units of a kind that a sample may miss altogether.

    A sample of G units has none of a kind whose share is -ln(level) / G with a probability of at most
    `level`: the "rule of three" for a level of 5 % (Hanley and Lippman-Hand 1983, *JAMA* 249).
    """
    units = np.asarray(units, np.float64)
    return np.asarray(-np.log(level) / np.where(units > 0, units, np.nan))


def with_unseen_changes(variance: npt.ArrayLike, changed: npt.ArrayLike) -> FloatArray:
    """
    Return the variance of a difference with one more unit that wins, and one more that loses.

    `changed` is the number of units in which the systems differ, to which the variance is proportional.
    """
    return np.asarray(np.asarray(variance, np.float64) * (1 + _ADDED_UNITS / np.maximum(changed, 1)))


def difference_interval(
    difference: npt.ArrayLike,
    variance: npt.ArrayLike,
    units: npt.ArrayLike,
    changed: npt.ArrayLike,
    confidence: float,
    *,
    unseen: float,
) -> tuple[FloatArray, FloatArray]:
    """
    Interval of a difference between two systems, from the changes of units (documents, pages or rows).

    Parameters
    ----------
    difference, variance
        The difference, and its variance from the observed units.
    units
        Effective number of units G.
    changed
        Number of units C in which the systems differ.
    confidence
        Nominal coverage, between 0 and 1.
    unseen
        How much a unit can change at most, which is the size of a change that no unit shows; 0 if unknown.

    Returns
    -------
    low, high
        nan with fewer than two units, and if all units change by the same amount and `unseen` is unknown.

    Notes
    -----
    d ± t √(v (C + 2) / C) with G - 1 degrees of freedom: v is proportional to the number of units that
    change, to which one that wins and one that loses are added. Without them, the interval is too short where
    few units change, because another sample has more of them, or none. For rows with differences of -1, 0 and
    1, these are the two rows of Bonett and Price (2012).

    If all units change by the same amount, mostly not at all, the ends are d ± `unseen` ·
    `unseen_share`: another sample may have units that change.
    """
    difference, variance = np.asarray(difference, np.float64), np.asarray(variance, np.float64)
    _, half = t_interval(0.0, with_unseen_changes(variance, changed), units, confidence)
    missed = np.where(unseen > 0, unseen, np.nan) * unseen_share(units, (1 - confidence) / 2)
    half = np.where((variance > 0) | np.isnan(half), half, missed)
    return difference - half, difference + half
