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
from anls_frame.statistics.design import USUAL_CORRELATION
from anls_frame.statistics.intervals import (
    effective_units,
    ratio_variance,
    wilson_ends,
    wilson_interval,
)
from anls_frame.statistics.student import FloatArray, t_quantile, t_two_sided

IntArray = npt.NDArray[np.intp]

FEWEST_DOCUMENTS = 20.0
"""Areas and their differences have no interval with fewer effective documents."""

STEPS = 50
"""Number of thresholds that are tried for a certificate."""

_EQUAL = 1e-12
"""A smaller difference of two areas, or of what a document adds to them, is rounding error."""

_EARLY_STARTS = ((0.1, 0.05), (0.25, 0.1))
_LAST_START = (0.5, 0.75)
_LEAST_WORTH, _ENOUGH_WORTH = 50.0, 60.0
"""
Where sequences of tests start, in independent rows that the accepted rows are worth.

Early starts are shares of what all answered rows are worth, each with its part of 1 - confidence, if they are
worth at least 50 rows: fewer could prove nothing with such a part. The last start has what is left. It is
worth 60 rows, which prove a risk of 5 % if none is lost, but at least half and at most three quarters of all.
benchmarks/selective_gate.py simulates what they accept.
"""

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

    def interval(self, confidence: float, correlation: npt.ArrayLike = 0.0) -> tuple[FloatArray, FloatArray]:
        """
        Return the Wilson interval of the risk, with documents as units; nan with fewer than two.

        Where few losses are accepted, the rows of a document are assumed to have the correlation that is
        given, of other rows like these, but at least the usual one.
        """
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
            correlation=np.maximum(correlation, USUAL_CORRELATION),
        )

    def worth(self, correlation: npt.ArrayLike = USUAL_CORRELATION) -> FloatArray:
        """Return how many independent rows the accepted rows are worth if those of a document correlate."""
        alike = np.asarray(correlation, np.float64)
        weight = (1 - alike) * self.n + alike * self.n_squares
        return np.divide(self.n**2, weight, out=np.ones_like(self.n), where=self.n > 0)

    def upper_bound(self, confidence: float, correlation: npt.ArrayLike = 0.0) -> FloatArray:
        """
        Return an upper bound of the risk, at most 1, with this one-sided confidence above one half.

        It is the upper end of the Wilson interval, but at least

        - the exact bound of as many independent rows without a loss, 1 - (1 - confidence)^(1/n);
        - where the rows of a document have more than the usual correlation, that of as many independent rows:
          if documents fail whole, and no large one has failed yet, the accepted losses show too little.
        """
        high = np.nan_to_num(self.interval(2 * confidence - 1, correlation)[1], nan=1.0)
        worth = self.worth(np.maximum(correlation, USUAL_CORRELATION))
        without_loss = 1 - (1 - confidence) ** (1 / worth)
        t = t_quantile(confidence, np.maximum(self.n - 1, 1.0))
        independent = wilson_ends(np.nan_to_num(self.risk, nan=1.0), t * t / worth)[1]
        of_alike = np.where(np.asarray(correlation) > USUAL_CORRELATION, independent, 0.0)
        return np.asarray(np.maximum(np.maximum(high, without_loss), of_alike))

    def of(self, threshold: int) -> Accepted:
        """Return the sums of one of the thresholds."""
        return Accepted(*(values[threshold : threshold + 1] for values in self))

    def times(self, factor: float) -> Accepted:
        """Return the sums of so many times as many documents like these."""
        return Accepted(*(values * factor for values in self))


def fewest_documents(passes: Callable[[float], bool]) -> float:
    """Return the smallest number of documents that passes a test; nan if even `_MOST_DOCUMENTS` do not."""
    low, high = 1.0, 2.0
    while not passes(high):
        low, high = high, 2 * high
        if high > _MOST_DOCUMENTS:
            return math.nan
    while high - low > 1:
        middle = math.floor((low + high) / 2)
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


def start_parts(worth: FloatArray) -> FloatArray:
    """
    Return the part of 1 - confidence with which a sequence of tests starts at each threshold, mostly 0.

    Parameters
    ----------
    worth
        How many independent rows the accepted rows of each threshold are worth, the strictest first.
    """
    most = float(worth.max())
    least, largest = _LAST_START
    starts = [(share * most, part) for share, part in _EARLY_STARTS if share * most >= _LEAST_WORTH]
    last = min(max(least * most, _ENOUGH_WORTH), largest * most)
    starts.append((last, 1 - sum(part for _, part in starts)))
    places = [int(np.argmax(worth >= start)) for start, _ in starts]
    return np.bincount(places, [part for _, part in starts], len(worth)).astype(np.float64)


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
        With too few documents: how many would do if their losses are as frequent and as correlated as here;
        nan if none would, and otherwise.
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

    @cached_property
    def correlation(self) -> float:
        """
        Correlation of the losses of a document's rows, from 0 to 1, by an analysis of variance.

        It is 1 if no two losses differ, because documents may then fail whole (Donner and Koval 1980 have the
        estimate for documents of unequal size), and 0 if each row is a document.
        """
        sizes = np.bincount(self.document).astype(np.float64)
        means = self.by_document(self.loss) / np.maximum(sizes, 1)
        documents = float(np.count_nonzero(sizes))
        if self.n == documents:
            return 0.0
        mean = float(self.loss.mean())
        if documents < 2 or np.ptp(self.loss) == 0:  # noqa: PLR2004 - nothing to compare
            return 1.0
        between = float(sizes @ (means - mean) ** 2) / (documents - 1)
        within = float(((self.loss - means[self.document]) ** 2).sum()) / (self.n - documents)
        size = (self.n - float(sizes @ sizes) / self.n) / (documents - 1)
        observed = (between - within) / (between + (size - 1) * within)
        return min(max(observed, 0.0), 1.0)

    def certified(self, risk: float, confidence: float) -> Certificate:
        """
        Return the lowest threshold that sequences of tests certify.

        Parameters
        ----------
        risk
            The target: the largest mean loss of the accepted rows, in (0, 1).
        confidence
            Probability that the true risk is below the target, above one half.

        Notes
        -----
        Learn then Test (Angelopoulos et al. 2021) with several fixed sequences: `thresholds`, chosen without
        the losses, are tested from strict to lax. Sequences start where the accepted rows are worth a tenth
        and a quarter of the independent rows that all answered rows are worth (with a correlation of 0.3), if
        these are 50 or more, with 5 and 10 % of 1 - confidence, and where they are worth 60, but at least
        half and at most three quarters of all, with the rest. Each goes on until the upper bound of a risk
        exceeds the target; one that reaches the next start adds its part to that of the next (the fallback
        procedure of Wiens and Dmitrienko 2005). No start depends on the target or on a loss, so a higher
        target never accepts less.

        The bound is that of `Accepted.upper_bound`, with `correlation`. Without a certificate, the risk is
        too high if its lower bound in the first start exceeds the target; otherwise, there are too few
        documents.

        Examples
        --------
        >>> from anls_frame.statistics import RiskCoverage
        >>> ranked = RiskCoverage.of(range(120, 0, -1), [0] * 100 + [1] * 20)  # the 100 surest are right
        >>> [ranked.certified(risk, 0.95).status for risk in (0.04, 0.05, 0.06)]
        ['too_few_documents', 'certified', 'certified']
        """
        thresholds = self.thresholds()
        accepted = self.accepted(thresholds)
        naive_share = float(accepted.n[accepted.risk <= risk].max(initial=0)) / self.n
        if not len(thresholds):
            return Certificate(math.nan, math.nan, "too_few_documents", math.nan, naive_share)
        parts = (1 - confidence) * start_parts(accepted.worth())
        last, level, bounds = -1, 0.0, np.ones(len(thresholds))
        bound = math.nan
        for place, part in enumerate(parts):
            if part:
                level += part
                bounds = accepted.upper_bound(1 - level, self.correlation)
            if not level:
                continue
            if bounds[place] <= risk:
                last, bound = place, float(bounds[place])
            else:
                level = 0.0
        if last >= 0:
            return Certificate(float(thresholds[last]), bound, "certified", math.nan, naive_share)
        tenth = _EARLY_STARTS[0][0] * accepted.worth().max()
        surest = accepted.of(int(np.argmax(accepted.worth() >= tenth)))
        if surest.interval(2 * confidence - 1, self.correlation)[0][0] > risk:
            return Certificate(math.nan, math.nan, "risk_too_high", math.nan, naive_share)

        documents = float(self.all_rows().documents[0])

        def passes(number: float) -> bool:
            more = accepted.times(number / documents)
            starts = (1 - confidence) * start_parts(more.worth())
            return any(
                more.of(int(place)).upper_bound(1 - starts[place], self.correlation)[0] <= risk
                for place in np.flatnonzero(starts)
            )

        return Certificate(math.nan, math.nan, "too_few_documents", fewest_documents(passes), naive_share)


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
