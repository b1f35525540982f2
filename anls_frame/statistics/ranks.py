"""Sets of ranks that the data allow for each of several systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anls_frame._arguments import share
from anls_frame.statistics.many_systems import p_values
from anls_frame.statistics.significance import check_draws
from anls_frame.statistics.system_sums import LineSums

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.statistics.student import FloatArray
    from anls_frame.statistics.system_sums import SystemSums

_EQUAL = 1e-12
"""Scores that differ by less than this fraction of the largest are equal."""


@dataclass(frozen=True)
class Ranks:
    """
    Ranks of systems, one row per line and one column per system, 1 for the best; nan without a denominator.

    Parameters
    ----------
    rank
        Rank of the score: 1 plus the number of systems with a better score. Equal scores share a rank, and
        the next rank is skipped (competition ranking: 1, 2, 2, 4).
    rank_low, rank_high
        The best and the worst rank that the data allow; all ranks between them are in the set.
    better
        Whether the first system is significantly better than the second, as lines by first by second systems.
    """

    rank: FloatArray
    rank_low: FloatArray
    rank_high: FloatArray
    better: npt.NDArray[np.bool_]

    @property
    def possibly_best(self) -> npt.NDArray[np.bool_]:
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
        Sums of the systems by unit and line.
    higher_is_better
        Whether higher scores are better, for each line or for all.
    confidence
        Probability that the sets of all systems of a line contain their true ranks, for each line separately.
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
    are adjusted for all pairs of the line, as in `pairwise`. A system's best rank is 1 plus the number of
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
    level = 1 - share("confidence", confidence, ends=False)
    draws, lines = check_draws(draws), LineSums.of(sums, seed)
    scores = np.where(np.broadcast_to(higher_is_better, (sums.lines,)), 1.0, -1.0)[:, None] * lines.ratios
    pairs = np.stack(np.triu_indices(sums.systems, 1), axis=1)
    rank, low, high = np.full((3, *scores.shape), np.nan)
    better = np.zeros((*scores.shape, sums.systems), bool)
    for index, line in enumerate(lines.each()):
        score = scores[index]
        defined = ~np.isnan(score)
        apart = _EQUAL * np.abs(score[defined]).max(initial=0)
        rank[index] = 1 + (score > score[:, None] + apart).sum(axis=1)
        _, adjusted = p_values(line, pairs, draws, seed)
        shown = pairs[(adjusted[0] <= level) & line.tested(pairs)[0]]
        ahead = np.where(score[shown[:, 0]] > score[shown[:, 1]], *shown.T)
        better[index, ahead, shown.sum(axis=1) - ahead] = True
        low[index] = 1 + better[index].sum(axis=0)
        high[index] = defined.sum() - better[index].sum(axis=1)
    undefined = np.isnan(scores)
    for figures in (rank, low, high):
        figures[undefined] = np.nan
    return Ranks(rank, low, high, better)
