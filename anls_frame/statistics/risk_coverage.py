"""
Risk and coverage: how well a model's confidence separates right answers from wrong answers.

Rows are ranked by confidence. The *coverage* of a threshold is the share of rows at or above it, and its
*risk* is their mean loss. For rows of equal confidence, the curve is the mean over all their orders.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.carriers import are_few, carriers, carriers_of_sums
from anls_frame.statistics.intervals import effective_units, ratio_variance, wilson_interval
from anls_frame.statistics.student import FloatArray, t_quantile, t_two_sided

IntArray = npt.NDArray[np.intp]

FEWEST_DOCUMENTS = 20.0
"""Areas and their differences have no interval with fewer effective documents."""

STEPS = 50
"""Number of thresholds that are tried for a certificate."""

_EQUAL = 1e-12
"""A smaller difference of two areas, or of what a document adds to them, is rounding error."""

_MOST_DOCUMENTS = 2.0**40
"""Where this many documents do not show a risk, no number is named."""

Area: TypeAlias = Literal["augrc", "aurc"]

Status = Literal["certified", "too_few_documents", "risk_too_high"]


class Accepted(NamedTuple):
    """
    Sums over the documents of the rows at or above each of several thresholds.

    `documents` and `n` are the numbers of documents with an accepted row and of accepted rows, `loss_squares`
    and `products` the sums of the squared losses of documents and of their losses times their numbers of
    rows, and `row_squares` those of the squared losses of rows.
    """

    documents: FloatArray
    n: FloatArray
    loss: FloatArray
    loss_squares: FloatArray
    products: FloatArray
    n_squares: FloatArray
    n_cubes: FloatArray
    n_fourths: FloatArray
    row_squares: FloatArray

    @property
    def risk(self) -> FloatArray:
        """Mean loss of the accepted rows; nan without accepted rows."""
        return np.divide(self.loss, self.n, out=np.full_like(self.n, np.nan), where=self.n > 0)

    @property
    def few_rows(self) -> npt.NDArray[np.bool_]:
        """Whether the interval of the risk is only rough, as in reports of these rows."""
        powers = (self.n, self.n_squares, self.n_cubes, self.n_fourths)
        right = self.n_squares - 2 * self.products + self.loss_squares
        sides = carriers_of_sums(self.loss, self.loss_squares), carriers_of_sums(self.n - self.loss, right)
        # Intervals of single rows allow for few losses.
        carrying = np.where(self.n_squares > self.n, np.minimum(*sides), np.inf)
        return are_few(self.n, effective_units(*powers), carrying)

    def interval(self, confidence: float) -> tuple[FloatArray, FloatArray]:
        """Return the Wilson interval of the risk, with documents as units; nan with fewer than two."""
        units = effective_units(self.n, self.n_squares)
        sums = (self.loss, self.n, self.loss_squares, self.products, self.n_squares)
        return wilson_interval(
            self.risk,
            ratio_variance(units, *sums),
            self.n,
            units,
            confidence,
            sum_squares=self.row_squares,
            cubes=self.n_cubes,
            fourths=self.n_fourths,
        )

    def upper_bound(self, confidence: float) -> FloatArray:
        """Return an upper bound of the risk, at most 1, with this one-sided confidence above one half."""
        return np.nan_to_num(self.interval(2 * confidence - 1)[1], nan=1.0)

    def without_loss(self) -> Accepted:
        """Return the sums for the case that no row had a loss."""
        none = np.zeros_like(self.n)
        return self._replace(loss=none, loss_squares=none, products=none, row_squares=none)

    def documents_that(self, pass_: Callable[[Accepted], npt.NDArray[np.bool_]]) -> float:
        """
        Return the smallest number of documents like those of the last threshold that passes the test.

        The number is nan if even `_MOST_DOCUMENTS` do not pass.
        """
        low, numbers = 1.0, _MOST_DOCUMENTS / 2.0 ** np.arange(40)[::-1]
        while True:
            sums = Accepted(*(values[-1] * numbers / self.documents[-1] for values in self))
            passing = np.flatnonzero(pass_(sums))
            if not len(passing):
                return math.nan
            first = passing[0]
            high, low = numbers[first], numbers[first - 1] if first else low
            if high - low <= 1:
                return float(high)
            numbers = np.unique(np.ceil(np.linspace(low, high, 1000)[1:]))


class Certificate(NamedTuple):
    """
    A threshold whose risk is below a target with a given confidence, from `RiskCoverage.certified`.

    Parameters
    ----------
    threshold, bound
        The least confidence to accept, and the upper bound of its risk; nan if no threshold is certified.
    status
        The result.
    documents_needed
        With too few documents: how many would do if they had no loss at all; otherwise nan.
    naive_coverage
        Coverage of the lowest threshold whose observed risk meets the target, without any guarantee.
    """

    threshold: float
    bound: float
    status: Status
    documents_needed: float
    naive_coverage: float


@dataclass(frozen=True)
class RiskCoverage:
    """
    Rows ranked by confidence, highest first, with the areas under their risk-coverage curve.

    Use `RiskCoverage.of` to create one.

    Parameters
    ----------
    confidence, loss
        Confidence and loss of each row, in the order of the ranks.
    document
        Number of its document, from 0.

    Notes
    -----
    AUGRC, the area under the generalized risk-coverage curve, is the share of rows that are both accepted and
    lost, averaged over all coverages (Traub et al. 2024); AURC is the risk averaged over all coverages
    (Geifman, Uziel and El-Yaniv 2019). For each group of m rows of equal confidence with total loss l, and a
    rows with total loss L ranked above it:

    - AUGRC = Σ m (L + l/2) / n²
    - AURC = Σ (l + (L - a l/m) H) / n, where H = 1/(a + 1) + ... + 1/(a + m)

    The influence of a row is the derivative of the area with respect to its weight. The sums of influences by
    document give the variance, by the delta method.

    Examples
    --------
    >>> from anls_frame.statistics import RiskCoverage
    >>> ranked = RiskCoverage.of([0.9, 0.9, 0.9, 0.5, 0.5, 0.1], [0, 1, 0, 0, 1, 1])
    >>> round(ranked.augrc, 4), round(ranked.aurc, 4), round(ranked.best_aurc, 4)
    (0.1944, 0.3792, 0.1917)
    """

    confidence: FloatArray
    loss: FloatArray
    document: IntArray

    @classmethod
    def of(
        cls, confidence: npt.ArrayLike, loss: npt.ArrayLike, document: npt.ArrayLike | None = None
    ) -> RiskCoverage:
        """
        Rank rows by confidence.

        Parameters
        ----------
        confidence
            Any numbers; higher means more confident. Rows with -inf are ranked last, and no threshold accepts
            them.
        loss
            From 0 (right) to 1 (wrong).
        document
            Number of the document of each row, from 0; by default, each row is a document.

        Raises
        ------
        ValueError
            If there are no rows, a confidence is nan, or a loss is outside [0, 1].
        """
        confidence, loss = np.asarray(confidence, np.float64), np.asarray(loss, np.float64)
        if not len(loss):
            raise ValueError("there must be at least one row")
        if np.isnan(confidence).any():
            raise ValueError("confidence must not be nan; pass -inf for unknown ones")
        if not ((loss >= 0) & (loss <= 1)).all():
            raise ValueError("loss must be in [0, 1]")
        order = np.argsort(-confidence)
        rows = np.arange(len(loss)) if document is None else np.asarray(document, np.intp)
        return cls(confidence[order], loss[order], rows[order])

    @property
    def n(self) -> int:
        """Number of rows."""
        return len(self.loss)

    @cached_property
    def _starts(self) -> IntArray:
        """The number of the first row of each group of equal confidence."""
        return np.flatnonzero(np.append(True, self.confidence[1:] != self.confidence[:-1]))

    @cached_property
    def _ties(self) -> _Ties:
        return _Ties.of(self._starts, self.loss)

    @property
    def n_distinct(self) -> int:
        """Number of distinct confidences, without -inf."""
        return len(self._starts) - int(self.confidence[-1] == -np.inf)

    @cached_property
    def n_known(self) -> int:
        """Number of rows whose confidence is not -inf."""
        return int(np.count_nonzero(self.confidence > -np.inf))

    @cached_property
    def augrc(self) -> float:
        """Area under the generalized risk-coverage curve; half the mean loss for a random order."""
        groups = self._ties
        return float(groups.size @ (groups.loss_above + groups.loss / 2)) / self.n**2

    @cached_property
    def aurc(self) -> float:
        """Area under the risk-coverage curve, at most 1; the mean loss for a random order."""
        groups = self._ties
        return float((groups.loss + groups.excess * groups.harmonic).sum()) / self.n

    @cached_property
    def best_aurc(self) -> float:
        """The AURC of a confidence that ranks rows by their loss."""
        loss, size = np.unique(self.loss, return_counts=True)
        starts = np.cumsum(size) - size
        groups = _Ties.of(starts, np.repeat(loss, size))
        return float((groups.loss + groups.excess * groups.harmonic).sum()) / self.n

    @cached_property
    def auroc(self) -> float:
        """
        Probability that a right row has a higher confidence than a wrong row, with ties counted as half.

        The value is nan unless all losses are 0 or 1, and both occur.
        """
        wrong = self.loss.sum()
        if wrong in (0, self.n) or not np.isin(self.loss, (0, 1)).all():
            return math.nan
        groups = self._ties
        right = groups.size - groups.loss
        right_above = groups.above - groups.loss_above
        return float(groups.loss @ (right_above + right / 2)) / float(wrong * (self.n - wrong))

    @cached_property
    def augrc_influence(self) -> FloatArray:
        """Influence of each row, in the order of the ranks, on AUGRC; the sum is 0."""
        groups = self._ties
        below = self.n - groups.above - groups.size
        weight, rest = groups.size / 2 + below, groups.loss_above + groups.loss / 2
        by_row = self.loss * np.repeat(weight, groups.sizes) + np.repeat(rest, groups.sizes)
        return np.asarray((by_row / self.n - 2 * self.augrc) / self.n)

    @cached_property
    def aurc_influence(self) -> FloatArray:
        """Influence of each row, in the order of the ranks, on AURC; the sum is 0."""
        groups = self._ties
        above, size, excess, harmonic = groups.above, groups.size, groups.excess, groups.harmonic
        mean, end = groups.loss / size, above + size
        # The contribution of a row above a group to the group's ranks, and to their harmonic numbers.
        shifted = np.zeros_like(above)
        shifted[1:] = (excess * (1 / end - 1 / np.maximum(above, 1)) - mean * harmonic)[1:]
        weight = 1 - above * harmonic / size + _below(harmonic)
        rest = above * mean * harmonic / size + excess / end + _below(shifted)
        by_row = self.loss * np.repeat(weight, groups.sizes) + np.repeat(rest, groups.sizes)
        return np.asarray((by_row - self.aurc) / self.n)

    @cached_property
    def documents(self) -> float:
        """Effective number of documents, assuming a typical correlation of their rows."""
        size = np.bincount(self.document).astype(np.float64)
        powers = (float((size**power).sum()) for power in (1, 2, 3, 4))
        return max(float(effective_units(*powers)), 2.0)

    def variance(self, influence: FloatArray) -> float:
        """Return the variance of an area from the influence of rows, as G/(G - 1) Σ(Σu)² over documents."""
        return _variance(self.by_document(influence), self.documents)

    def by_document(self, influence: FloatArray) -> FloatArray:
        """Return the influence of each document."""
        return np.bincount(self.document, influence).astype(np.float64)

    def carrying(self, area: Area) -> float:
        """Return the effective number of documents that carry an area, on the side where there are fewer."""
        return float(carriers(self.by_document(getattr(self, f"{area}_influence"))))

    def interval(self, area: Area, confidence: float) -> tuple[float, float]:
        """
        Return the interval of an area on the log scale, A exp(±t √V / A), cut at the largest area.

        Without any loss, the upper end is the bound of the mean loss. Both ends are nan with fewer than
        `FEWEST_DOCUMENTS` effective documents.
        """
        if self.documents < FEWEST_DOCUMENTS - 1e-9:
            return math.nan, math.nan
        value, influence = getattr(self, area), getattr(self, f"{area}_influence")
        most = 0.5 if area == "augrc" else 1.0
        if value == 0:
            return 0.0, min(float(self.all_rows().interval(confidence)[1][0]), most)
        t = float(t_quantile(0.5 + confidence / 2, self.documents - 1))
        half = t * math.sqrt(self.variance(influence)) / value
        return value * math.exp(-half), min(value * math.exp(min(half, 700.0)), most)

    def accepted(self, thresholds: npt.ArrayLike) -> Accepted:
        """Return the sums of the rows at or above each threshold, the strictest first."""
        ends = np.searchsorted(-self.confidence, -np.asarray(thresholds, np.float64), side="right")
        steps = np.repeat(np.arange(len(ends)), np.diff(ends, prepend=0))
        rows = len(steps)
        # Documents by steps: the rows and the loss that each step adds to a document.
        pairs = self.document[:rows] * len(ends) + steps
        order = np.argsort(pairs)
        starts = np.flatnonzero(np.diff(pairs[order], prepend=-1))
        new = np.diff(starts, append=rows)
        lost = np.add.reduceat(self.loss[order], starts) if rows else self.loss[:0]
        document, step = np.divmod(pairs[order[starts]], len(ends))
        first = np.searchsorted(document, document)
        n, loss = (np.cumsum(values) - (np.cumsum(values) - values)[first] for values in (new, lost))
        before_and_after = zip(_moments(n - new, loss - lost), _moments(n, loss), strict=True)
        sums = [np.bincount(step, b - a, len(ends)).cumsum() * 1.0 for a, b in before_and_after]
        squares = np.concatenate(([0.0], np.cumsum(self.loss**2)))
        return Accepted(*[*sums, squares[ends]])

    def all_rows(self) -> Accepted:
        """Return the sums of all rows, including those with -inf."""
        moments = _moments(np.bincount(self.document), self.by_document(self.loss))
        sums = [moment.sum(keepdims=True) for moment in (*moments, self.loss**2)]
        return Accepted(*sums)

    def thresholds(self, steps: int = STEPS) -> FloatArray:
        """Return quantiles of the confidences above -inf, at equal steps of all rows, the strictest first."""
        ranks = np.ceil(self.n * np.arange(1, steps + 1) / steps).astype(np.intp) - 1
        known = np.unique(self.confidence[ranks[ranks < self.n_known]])
        lowest = self.confidence[self.n_known - 1 : self.n_known]
        return np.union1d(known, lowest)[::-1]

    def bins(self, number: int) -> IntArray:
        """
        Return the ends of bins with about equally many rows, from 0, without rows of -inf.

        A bin ends at the first change of confidence at or after its share.
        """
        wanted = self.n_known * np.arange(1, number + 1) / number
        changes = np.append(self._starts[self._starts < self.n_known], self.n_known)
        return np.unique(np.append(0, changes[np.searchsorted(changes, wanted)]))

    def between(self, start: int, end: int) -> RiskCoverage:
        """Return some of the rows, by their ranks."""
        return RiskCoverage(self.confidence[start:end], self.loss[start:end], self.document[start:end])

    def certified(self, risk: float, confidence: float) -> Certificate:
        """
        Return the lowest threshold that a sequence of tests certifies.

        Parameters
        ----------
        risk
            The target: the largest mean loss of the accepted rows, in (0, 1).
        confidence
            Probability that the true risk is below the target, above one half.

        Notes
        -----
        Learn then Test (Angelopoulos et al. 2021) with a fixed sequence: `thresholds`, chosen without the
        losses, are tested from strict to lax until the upper end of the Wilson interval of the risk exceeds
        the target. The first failure ends the sequence, so no correction for multiple tests is needed. The
        sequence starts where the bound without any loss would be at most half of the target, or at 2 ln(1 -
        confidence) / ln(1 - risk) rows if that is earlier, but never where even no loss would fail. With so
        few rows that neither is reached, it starts where that bound is halfway between the target and the
        bound of all answered rows.
        """
        thresholds = self.thresholds()
        accepted = self.accepted(thresholds)
        naive = accepted.n[accepted.risk <= risk]
        naive_share = float(naive.max(initial=0)) / self.n
        bounds = accepted.upper_bound(confidence)
        possible = accepted.without_loss().upper_bound(confidence)
        can_pass = possible <= risk
        if not can_pass.any():
            needed = math.nan
            if len(thresholds):
                needed = accepted.documents_that(
                    lambda sums: sums.without_loss().upper_bound(confidence) <= risk
                )
            return Certificate(math.nan, math.nan, "too_few_documents", needed, naive_share)
        enough_rows = 2 * math.log(1 - confidence) / math.log(1 - risk)
        starts = can_pass & ((possible <= risk / 2) | (accepted.n >= enough_rows))
        if not starts.any():
            starts = possible <= (risk + possible.min()) / 2
        start = int(np.flatnonzero(starts)[0])
        failed = np.flatnonzero(bounds[start:] > risk)
        last = start + (int(failed[0]) if len(failed) else len(bounds) - start) - 1
        if last < start:
            return Certificate(math.nan, math.nan, "risk_too_high", math.nan, naive_share)
        return Certificate(float(thresholds[last]), float(bounds[last]), "certified", math.nan, naive_share)


class Difference(NamedTuple):
    """
    The difference of two areas with its interval and its p-value, from `difference_of_augrc`.

    `carrying` is the effective number of documents that carry it, on the side where there are fewer.
    """

    value: float
    low: float
    high: float
    p_value: float
    carrying: float


def difference_of_augrc(first: RiskCoverage, second: RiskCoverage, confidence: float) -> Difference:
    """
    Return AUGRC of the second ranking minus that of the first, with a t interval over documents.

    The interval and the p-value are nan with fewer than `FEWEST_DOCUMENTS` effective documents.
    """
    value = second.augrc - first.augrc
    influence = second.by_document(second.augrc_influence) - first.by_document(first.augrc_influence)
    carrying = float(carriers(np.where(np.abs(influence) < _EQUAL, 0.0, influence)))
    if first.documents < FEWEST_DOCUMENTS - 1e-9:
        return Difference(value, math.nan, math.nan, math.nan, carrying)
    error = math.sqrt(_variance(influence, first.documents))
    if error < _EQUAL:
        return Difference(value, value, value, 1.0 if abs(value) < _EQUAL else math.nan, carrying)
    half = float(t_quantile(0.5 + confidence / 2, first.documents - 1)) * error
    p_value = float(t_two_sided(value / error, first.documents - 1))
    return Difference(value, max(value - half, -0.5), min(value + half, 0.5), p_value, carrying)


class _Ties(NamedTuple):
    """Groups of rows of equal confidence, the highest first."""

    sizes: IntArray
    size: FloatArray
    loss: FloatArray
    above: FloatArray
    """Number of rows above."""
    loss_above: FloatArray
    harmonic: FloatArray
    """Σ 1/k over the ranks k of the group."""

    @classmethod
    def of(cls, starts: IntArray, loss: FloatArray) -> _Ties:
        sizes = np.diff(starts, append=len(loss))
        total = np.add.reduceat(loss, starts)
        harmonic = np.add.reduceat(1 / np.arange(1.0, len(loss) + 1), starts)
        above = starts.astype(np.float64)
        return cls(sizes, sizes.astype(np.float64), total, above, np.cumsum(total) - total, harmonic)

    @property
    def excess(self) -> FloatArray:
        """The loss of rows above the group, minus that of equally many rows of the group."""
        return self.loss_above - self.above * self.loss / self.size


def _below(values: FloatArray) -> FloatArray:
    """Return the sum of the values of all groups below each group."""
    return np.asarray(np.cumsum(values[::-1])[::-1] - values)


def _moments(n: npt.ArrayLike, loss: FloatArray) -> Iterator[npt.NDArray[Any]]:
    """Yield the contributions of each document to the first eight sums of `Accepted`."""
    n = np.asarray(n, np.float64)
    squares = n * n
    yield from ((n > 0) * 1.0, n, loss, loss * loss, loss * n)
    yield from (squares, squares * n, squares * squares)


def _variance(influence: FloatArray, documents: float) -> float:
    return documents / (documents - 1) * float(influence @ influence)
