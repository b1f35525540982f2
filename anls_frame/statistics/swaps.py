"""Test and variance of the difference between two scores of totals over units, such as F."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from anls_frame.statistics import step_down
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.significance import TIE

Score: TypeAlias = "Callable[[FloatArray], FloatArray]"
"""A function from totals (one row per count, one column per score) to scores; nan where undefined."""


def p_value(first: FloatArray, second: FloatArray, score: Score, *, draws: int, seed: int) -> float:
    """
    Return the two-sided p-value of the difference between the scores of two systems.

    In each draw, every unit is swapped with probability 1/2: a swap exchanges all counts of the two systems.
    Both scores are then computed from the new totals. If there are few units, all combinations are
    enumerated. As in `sign_flip`, the result depends neither on the order of units nor on the order of
    systems.

    Parameters
    ----------
    first, second
        The counts of each system, with one row per unit and one column per count.
    score
        The score of totals, with absolute values of about 1.
    draws, seed
        As for `sign_flip`.
    """
    totals = (first + second).sum(axis=0)[:, None]

    def difference(sums: FloatArray) -> FloatArray:
        # The sums are totals of the second system minus totals of the first one.
        drawn = np.abs(score((totals + sums) / 2) - score((totals - sums) / 2))
        # A swap that leaves a system without a score counts as most extreme.
        return np.where(np.isnan(drawn), np.inf, drawn)[None]

    differences = second - first
    unit, column = np.nonzero(differences)
    once = np.ones(len(differences), np.int64)
    units = step_down.Units(unit, column, differences[unit, column], once, once, differences.shape[1])
    return float(step_down.unadjusted(units.pooled(), difference, np.array([TIE]), draws=draws, seed=seed)[0])


def jackknife(first: FloatArray, second: FloatArray, score: Score) -> FloatArray:
    """Return what each unit adds to the difference between two scores, from leaving out one at a time."""
    left_out = score((second.sum(axis=0) - second).T) - score((first.sum(axis=0) - first).T)
    if len(left_out) == 0:
        return np.zeros(0)
    return np.asarray((left_out.mean() - left_out) * (len(left_out) - 1) / len(left_out))


def jackknife_variance(influence: FloatArray) -> float:
    """Return the jackknife variance of a difference, from what `jackknife` returns."""
    units = len(influence)
    return float((influence**2).sum() * units / max(units - 1, 1)) if units else np.nan
