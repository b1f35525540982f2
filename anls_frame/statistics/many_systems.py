"""Tests of several systems on the same units: sign flips for two systems, a bootstrap-t for more."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from anls_frame._arguments import share
from anls_frame.statistics import bootstrap
from anls_frame.statistics.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from anls_frame.statistics.significance import TIE, check_draws, sign_flip_counts, significance_level
from anls_frame.statistics.step_down import step_down, unadjusted
from anls_frame.statistics.system_sums import SortedSums, SystemSums

_EXCHANGED = 2
"""Number of systems that a sign swaps. One sign for several pairs would be no permutation of the systems."""


@dataclass(frozen=True, eq=False)
class Pairwise:
    """
    P-values of pairs of systems, one row per group and one column per pair.

    Parameters
    ----------
    p_value
        Unadjusted p-value of each pair.
    p_adjusted
        Adjusted for the number of groups and pairs; never below `p_value`.
    """

    p_value: FloatArray
    p_adjusted: FloatArray


def pairwise(sums: SystemSums, pairs: npt.ArrayLike, *, draws: int = 10_000, seed: int = 0) -> Pairwise:
    """
    P-values of the differences between pairs of systems, unadjusted and adjusted for multiple testing.

    Parameters
    ----------
    sums
        Sums of the systems by unit and group.
    pairs
        The pairs to test, as two columns of numbers of systems.
    draws
        Number of random draws, at most 10 million. For two systems, all combinations of signs are enumerated
        instead if there are no more of them. For many systems in many units, fewer draws are made, at least
        1,000 (or `draws`, if fewer).
    seed
        Seed of the draws.

    Returns
    -------
    Pairwise
        The p-values; nan where a group has fewer than two units, or a system has no denominator.

    Raises
    ------
    ValueError
        If `draws` is not from 1 to 10 million, or a pair names a system that does not exist.

    See Also
    --------
    max_t : adjusted p-values for two systems in several slices.
    rank_sets : the ranks that the data allow.

    Notes
    -----
    *Two systems*: sign flips. A unit's sign swaps the two systems in this unit, numerator and denominator
    together, and the ratios are computed again. The test is exact if the two are exchangeable. For equal
    denominators it is `sign_flip` on the differences of the sums, and `p_adjusted` is `max_t`: the step-down
    method of Westfall and Young (1993) on joint signs, as a unit has one sign in all groups. `p_value` does
    not depend on other tests.

    *More systems*: a bootstrap-t, because systems can be equal in the mean and fail in different ways, on
    single rows or on whole documents, and one sign for all pairs is not a permutation of the systems. In each
    draw, units are drawn with replacement, as many as there are, and every difference d is computed again
    with its variance v. The statistic of the draw is T = abs(d - D) / √(v + (d - D)²h), with the observed
    difference D and h = Σw² of the units' shares of the denominator: Student's t, bounded by 1 / √h, so that
    groups of few units cost the others no power. `p_value` is the share of draws in which T of the pair
    reaches the observed D / √(V + D²h). `p_adjusted` is the step-down method of Romano and Wolf (2005): the
    hypotheses of all groups and pairs are sorted by the observed statistic, divided by the scale of its
    metric, in descending order. The p-value of a hypothesis is the share of draws in which the largest T of
    this and all following hypotheses, each divided by its scale, reaches its observed statistic; p-values are
    then made non-decreasing.

    The scale of one of m metrics is the quantile at 1 - 0.05 / m of the largest T of its pairs in all groups,
    over all draws, or the first of them if there are many units or hypotheses. It is at least that of normal
    statistics (Bonferroni). So each metric has about the same chance to contain the largest statistic
    (balance: Beran 1988, Romano and Wolf 2010), and a metric in which one unit outweighs all others costs the
    other metrics little power. With a single metric, the scale changes nothing.

    Pairs that differ in fewer than six units have a `p_adjusted` of 1 and are not part of the largest T,
    because five units cannot show a difference at 0.05, and resampling would often leave out all of them.
    `p_value` is at least 2^(1 - k) if the systems differ in k units, as in a sign-flip test.

    If there are more than 4,096 units, they are merged at random into 4,096. Memory does not grow with
    units times draws or pairs times draws. The result does not depend on the order of the entries. It is
    reproducible with the same seed and version of numpy.

    References
    ----------
    P. Hall (1988), "On symmetric bootstrap confidence intervals", *JRSS B* 50. R. Beran (1988), "Balanced
    simultaneous confidence sets", *JASA* 83. J. P. Romano and M. Wolf (2005), "Exact and approximate stepdown
    methods for multiple hypothesis testing", *JASA* 100, and (2010), "Balanced control of generalized error
    rates", *Annals of Statistics* 38.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics import SystemSums, pairwise
    >>> scores = np.array([[9, 8, 2], [7, 8, 1], [10, 9, 6], [8, 7, 3], [6, 7, 2], [9, 9, 5.0]])
    >>> documents, once = np.arange(6), np.ones(6, np.int64)
    >>> sums = SystemSums(documents, 0 * documents, scores, np.full((6, 1), 10.0), once, 1)
    >>> found = pairwise(sums, [(0, 1), (0, 2)])
    >>> found.p_value.round(3)
    array([[0.642, 0.031]])
    >>> found.p_adjusted.round(3)  # the first two differ in fewer than six documents
    array([[1.   , 0.031]])
    """
    chosen = np.asarray(pairs, np.int64).reshape(-1, 2)
    if chosen.size and not (chosen.min() >= 0 and chosen.max() < sums.systems):
        raise ValueError(f"pairs must name systems from 0 to {sums.systems - 1}, got {chosen.tolist()}")
    ordered = SortedSums.of(sums, seed)
    p_value, p_adjusted = p_values(ordered, chosen, check_draws(draws), seed)
    tested = ordered.tested(chosen)
    p_value = np.where(tested, p_value, np.nan)
    return Pairwise(p_value, np.where(tested, np.maximum(p_adjusted, p_value), np.nan))


def p_values(sums: SortedSums, pairs: IntArray, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Choose the test, and return the unadjusted and adjusted p-values of pairs, as groups by pairs."""
    test = _by_signs if sums.x.shape[1] == _EXCHANGED else bootstrap.p_values
    return test(sums, pairs, draws, seed)


def _by_signs(sums: SortedSums, pairs: IntArray, draws: int, seed: int) -> tuple[FloatArray, FloatArray]:
    """Return p-values of sign flips, adjusted by step-down over the groups; both systems are in each pair."""
    p_value = np.array([_p_value(group, draws, seed) for group in sums.each()])
    swapped = sums.swapped()
    p_adjusted = step_down(sums.units(), swapped.statistic, swapped.ties(), p_value, draws=draws, seed=seed)
    return np.tile(p_value[:, None], len(pairs)), np.tile(p_adjusted[:, None], len(pairs))


def _p_value(group: SortedSums, draws: int, seed: int) -> float:
    """Return the p-value of a group, which does not depend on other tests."""
    more, *longer = group.differences().T
    counts = group.counts[group.unit]
    if not counts.sum():
        return 1.0
    if not any(difference.any() for difference in longer):
        return sign_flip_counts(more, counts, draws=draws, seed=seed)
    swapped = group.swapped()
    ties = TIE * swapped.sizes
    return float(unadjusted(group.units(), swapped.difference, ties, draws=draws, seed=seed)[0])


@dataclass(frozen=True, eq=False)
class Ranks:
    """
    Ranks of systems, one row per group and one column per system, 1 for the best; nan without a denominator.

    Parameters
    ----------
    rank
        Rank of the score: 1 plus the number of systems with a better score. Equal scores share a rank, and
        the next rank is skipped (competition ranking: 1, 2, 2, 4).
    rank_low, rank_high
        The best and the worst rank that the data allow; all ranks between them are in the set.
    better
        Whether the first system is significantly better than the second, as groups by first by second
        systems.
    """

    rank: FloatArray
    rank_low: FloatArray
    rank_high: FloatArray
    better: BoolArray

    @property
    def possibly_best(self) -> BoolArray:
        """Whether no other system is significantly better, so that the set contains rank 1."""
        return np.asarray(self.rank_low == 1)


def rank_sets(
    sums: SystemSums,
    higher_is_better: npt.ArrayLike,
    *,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> Ranks:
    """
    Sets of ranks that simultaneously contain the true ranks of all systems, with a given confidence.

    Parameters
    ----------
    sums
        Sums of the systems by unit and group.
    higher_is_better
        Whether higher scores are better, for each group or for all.
    confidence
        Probability that the sets of all systems of a group contain their true ranks, for each group
        separately.
    draws, seed
        As for `pairwise`, with the pairs of all systems.

    Returns
    -------
    Ranks
        Ranks of the scores, and the best and worst rank of each system. If true scores are equal, the sets
        contain every rank that these systems share.

    Raises
    ------
    ValueError
        If `draws` is not from 1 to 10 million, or the confidence is not between 0 and 1.

    See Also
    --------
    pairwise : p-values of the differences.

    Notes
    -----
    The method of Mogstad, Romano, Shaikh and Wilhelm (2024): each pair of systems is tested, and the p-values
    are adjusted for all pairs of the group, as in `pairwise`. A system's best rank is 1 plus the number of
    systems that are significantly better; its worst rank is the number of systems minus the number that are
    significantly worse. With few documents, some of which are lost as a whole or are much larger than others,
    the sets of a few systems have less than the stated confidence: see benchmarks/RANKS.md.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics import SystemSums, rank_sets
    >>> scores = np.array([[9, 8, 2], [7, 8, 1], [10, 9, 6], [8, 7, 3], [6, 7, 2], [9, 9, 5.0]])
    >>> documents, once = np.arange(6), np.ones(6, np.int64)
    >>> sums = SystemSums(documents, 0 * documents, scores, np.full((6, 1), 10.0), once, 1)
    >>> found = rank_sets(sums, higher_is_better=True)
    >>> found.rank, found.rank_low, found.rank_high
    (array([[1., 2., 3.]]), array([[1., 1., 3.]]), array([[2., 2., 3.]]))
    >>> found.possibly_best
    array([[ True,  True, False]])
    """
    level = significance_level(share("confidence", confidence, ends=False))
    draws, ordered = check_draws(draws), SortedSums.of(sums, seed)
    scores = np.where(np.broadcast_to(higher_is_better, (sums.groups,)), 1.0, -1.0)[:, None] * ordered.ratios
    pairs = np.stack(np.triu_indices(sums.systems, 1), axis=1)
    rank, low, high = np.full((3, *scores.shape), np.nan)
    better = np.zeros((*scores.shape, sums.systems), bool)
    for index, group in enumerate(ordered.each()):
        score = scores[index]
        defined = ~np.isnan(score)
        apart = ROUNDING * np.abs(score[defined]).max(initial=0)
        rank[index, defined] = 1 + (score > score[defined, None] + apart).sum(axis=1)
        _, adjusted = p_values(group, pairs, draws, seed)
        shown = pairs[(adjusted[0] <= level) & group.tested(pairs)[0]]
        ahead = np.where(score[shown[:, 0]] > score[shown[:, 1]], *shown.T)
        better[index, ahead, shown.sum(axis=1) - ahead] = True
        low[index, defined] = 1 + better[index][:, defined].sum(axis=0)
        high[index, defined] = defined.sum() - better[index, defined].sum(axis=1)
    return Ranks(rank, low, high, better)
