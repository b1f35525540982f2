"""Tests of more than two systems on the same units: sign flips of all pairs, adjusted for their number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.statistics.significance import TIE, check_draws
from anls_frame.statistics.step_down import drawn_sums, is_enumerated, share_of_draws
from anls_frame.statistics.system_sums import Lines, SystemSums

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.statistics.step_down import Units
    from anls_frame.statistics.student import FloatArray
    from anls_frame.statistics.system_sums import Swaps

__all__ = ["Pairwise", "SystemSums", "draws_for", "p_values", "pairwise"]

_MOST_WORK = 1 << 24
"""Number of hypotheses times draws above which fewer draws are made, ..."""

_LEAST_DRAWS = 1_000
"""... but not fewer than this."""

_ROOM = 1 << 18
"""Maximum number of statistics (hypotheses times draws) in memory at a time: what fits into a cache."""


@dataclass(frozen=True)
class Pairwise:
    """
    P-values of pairs of systems, one row per line and one column per pair.

    Parameters
    ----------
    p_value
        Of each pair alone.
    p_adjusted
        Adjusted for the number of lines and pairs; never below `p_value`.
    """

    p_value: FloatArray
    p_adjusted: FloatArray


def pairwise(sums: SystemSums, pairs: npt.ArrayLike, *, draws: int = 10_000, seed: int = 0) -> Pairwise:
    """
    P-values of the differences between pairs of systems, alone and adjusted for multiple testing.

    Parameters
    ----------
    sums
        Sums of the systems by unit and line.
    pairs
        The pairs to test, as two columns of numbers of systems.
    draws
        Number of random draws of all signs, at most 10 million. If there are at most as many combinations of
        signs, all combinations are enumerated instead. With more than about 1,700 lines times pairs, fewer
        are made, at least 1,000 (or `draws`).
    seed
        Seed of the draws.

    Returns
    -------
    Pairwise
        The p-values; nan where a line has fewer than two units, or a system has no denominator.

    Raises
    ------
    ValueError
        If `draws` is not from 1 to 10 million, or a pair names a system that does not exist.

    See Also
    --------
    max_t : the same for two systems in several slices.
    rank_sets : the ranks that the systems can have.

    Notes
    -----
    `p_value` is that of the sign-flip test. A unit's sign swaps the two systems in this unit, numerator and
    denominator together, and the ratios are computed again. The test is exact if the two are exchangeable.
    For equal denominators it is `sign_flip` on the differences of the sums.

    `p_adjusted` is the step-down method of Westfall and Young (1993) and Romano and Wolf (2005) on joint
    signs: a unit has one sign for all lines and pairs. The statistic is studentised again in every draw. With
    d a unit's difference under its sign, D = Σd, and w the unit's share of the denominator, the variance is
    V = Σ(d - Dw)², and the statistic D / √(V + D²Σw²). It grows with D / √V, and is bounded by 1 / √Σw², so
    that lines of few units cost the others no power. For units of equal size, it is that of `max_t`. A single
    pair has an exact test if the two are exchangeable. Several pairs have an asymptotic one, because one sign
    for all pairs is no permutation of the systems.

    If there are more than 4,096 units, they go to 4,096 groups in turn, and a group has one sign. Rows with
    equal scores that are more than a 4,096th of all units stay by themselves.

    Memory does not grow with units times draws or pairs times draws. The result does not depend on the order
    of the entries. It is reproducible with the same seed and version of numpy.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics import SystemSums, pairwise
    >>> scores = np.array([[9, 8, 2], [7, 8, 1], [10, 9, 6], [8, 7, 3], [6, 7, 2], [9, 9, 5.0]])
    >>> documents, once = np.arange(6), np.ones(6, np.int64)
    >>> sums = SystemSums(documents, 0 * documents, scores, np.full((6, 1), 10.0), once, 1)
    >>> found = pairwise(sums, [(0, 1), (0, 2)])
    >>> found.p_value
    array([[1.     , 0.03125]])
    >>> found.p_adjusted
    array([[1.     , 0.03125]])
    """
    chosen = np.asarray(pairs, np.int64).reshape(-1, 2)
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < sums.systems):
        raise ValueError(f"pairs must name systems from 0 to {sums.systems - 1}, got {chosen.tolist()}")
    lines = Lines.of(sums)
    draws = draws_for(draws, sums.lines * len(chosen))
    swaps, units, differing = lines.swaps(chosen), lines.units(), lines.differing()
    p_value, p_adjusted = p_values(units, swaps, draws, seed)
    shape = sums.lines, len(chosen)
    p_value, p_adjusted = p_value.reshape(shape), p_adjusted.reshape(shape)
    if not is_enumerated(units, draws):
        for place, one in enumerate(lines.each()):
            # Lines of few units are enumerated by themselves.
            if differing[place] <= math.log2(draws):
                p_value[place] = p_values(one.units(), one.swaps(chosen), draws, seed)[0]
    tested = lines.tested(chosen)
    p_value = np.where(tested, p_value, np.nan)
    return Pairwise(p_value, np.where(tested, np.maximum(p_adjusted, p_value), np.nan))


def draws_for(draws: int, hypotheses: int) -> int:
    """Return how many draws are made for so many hypotheses."""
    return min(check_draws(draws), max(_LEAST_DRAWS, _MOST_WORK // max(hypotheses, 1)))


def p_values(
    units: Units, swaps: Swaps, draws: int, seed: int, *, ordered: bool = False
) -> tuple[FloatArray, FloatArray]:
    """
    Return the p-value of each hypothesis alone, and adjusted by step-down.

    If `ordered`, a hypothesis is that the system which scores higher is not better than the other, and its
    reverse is tested too. The reverse is never rejected, so its statistic remains in each maximum.
    """
    difference, observed = (values[:, 0] for values in swaps(units.observed()[:, None]))
    least_difference = (np.abs(difference) - TIE * swaps.sizes)[:, None]
    side = np.where(observed < 0, -1.0, 1.0)[:, None]
    order = np.argsort(np.abs(observed), kind="stable")
    least = (np.abs(observed) - TIE * swaps.relative_sizes())[order, None]
    alone, as_far = np.zeros((2, len(order)), np.int64)
    step = max(1, _ROOM // max(len(order), 1))
    for sums in drawn_sums(units, draws, seed):
        for start in range(0, sums.shape[1], step):
            difference, drawn = swaps(sums[:, start : start + step])
            alone += np.count_nonzero(np.abs(difference) >= least_difference, axis=1)
            if ordered:
                drawn *= side
                reverse = np.where(np.isinf(drawn), np.inf, -drawn).max(axis=0, initial=-np.inf)
            else:
                np.abs(drawn, out=drawn)
            largest = drawn[order]
            np.maximum.accumulate(largest, axis=0, out=largest)
            if ordered:
                np.maximum(largest, reverse, out=largest)
            as_far += np.count_nonzero(largest >= least, axis=1)
    adjusted = np.empty(len(order))
    adjusted[order] = np.maximum.accumulate(share_of_draws(units, as_far, draws)[::-1])[::-1]
    return share_of_draws(units, alone, draws), adjusted
