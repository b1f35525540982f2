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

from anls_frame.statistics.arrays import BoolArray, FloatArray, IndexArray, divided
from anls_frame.statistics.carriers import are_few, carriers, carriers_of_sums
from anls_frame.statistics.design import USUAL_CORRELATION
from anls_frame.statistics.intervals import (
    effective_units,
    ratio_variance,
    wilson_ends,
    wilson_interval,
)
from anls_frame.statistics.student import t_quantile, t_two_sided

FEWEST_DOCUMENTS = 20.0
"""Areas and their differences have no interval with fewer effective documents."""

STEPS = 50
"""Number of thresholds that are tried for a certificate."""

_EQUAL = 1e-12
"""A smaller difference of two areas or risks, or of what a document adds to them, is rounding error."""

_EARLY_START, _START = 0.1, 0.3
_EARLY_TENTHS, _TENTHS = 1, 10
_LEAST_WORTH = 50.0
"""
Where tests start: at these shares of the effective number of answered rows.

If the first share is at least 50 rows, it has a tenth of 1 - confidence, and the second what is left.
Otherwise, the second has all of it: fewer rows could prove nothing with a tenth. benchmarks/selective_gate.py
simulates what they accept.
"""

_SIZES = 16
"""Larger documents count as ones of this size: almost all of those that can lose rows have lost one."""

_HALVINGS = 50
"""Steps of the search for a bound, each of which halves the interval that it is in."""

_MOST_DOCUMENTS = 2.0**40
"""Where this many documents do not show a risk, no number is named."""

Area: TypeAlias = Literal["augrc", "aurc"]

Status = Literal["certified", "too_few_documents", "risk_too_high"]


class Accepted(NamedTuple):
    """
    Sums over the documents of the rows at or above each of several thresholds.

    `documents` and `n` are the numbers of documents with an accepted row and of accepted rows, `loss_squares`
    and `products` the sums of the squared losses of documents and of their losses times their numbers of
    rows, and `row_squares` those of the squared losses of rows. `sizes` has an axis more: the numbers of
    documents with 1, 2, ... accepted rows, the last with that number or more.
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
    sizes: FloatArray

    @property
    def risk(self) -> FloatArray:
        """Mean loss of the accepted rows; nan without accepted rows."""
        return divided(self.loss, self.n)

    @property
    def few_rows(self) -> BoolArray:
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
        """Return the effective number of accepted rows if those of a document correlate."""
        alike = np.asarray(correlation, np.float64)
        weight = (1 - alike) * self.n + alike * self.n_squares
        return divided(self.n**2, weight, 1.0)

    def upper_bound(self, confidence: float, correlation: npt.ArrayLike = 0.0) -> FloatArray:
        """
        Return an upper bound of the risk, at most 1, with this one-sided confidence above one half.

        It is the upper end of the Wilson interval, but at least

        - the largest risk at which no loss has a probability of 1 - confidence, see `no_loss`;
        - where the rows of a document have more than the usual correlation, the upper end for their
          effective number: if documents fail as a whole, and no large one has failed yet, the accepted losses
          show too little.
        """
        least, most = np.zeros_like(self.n), np.ones_like(self.n)
        for _ in range(_HALVINGS):
            risk = (least + most) / 2
            is_possible = self.no_loss(risk, correlation) > 1 - confidence
            least, most = np.where(is_possible, risk, least), np.where(is_possible, most, risk)
        return np.maximum(self._upper_end(confidence, correlation), most)

    def is_below(
        self, risk: FloatArray | float, confidence: float, correlation: npt.ArrayLike = 0.0
    ) -> BoolArray:
        """Return whether `upper_bound` is at most a risk."""
        return np.asarray(
            (self._upper_end(confidence, correlation) <= risk)
            & (self.no_loss(risk, correlation) <= 1 - confidence)
        )

    def no_loss(self, risk: npt.ArrayLike, correlation: npt.ArrayLike = 0.0) -> FloatArray:
        """
        Return the largest probability that none of the accepted rows is wrong if this is their risk.

        The losses of a document correlate by c, what is given or the usual correlation if that is higher. A
        document of n rows that loses each with probability x loses none with probability (1 - x)^n. Given the
        mean r of x over documents, and its variance, c r(1 - r), the mean of (1 - x)^n is largest if x is
        either 0 or q = r + c(1 - r): the parabola through its values there, with its slope at q, is nowhere
        below it. So a share r/q of the documents can lose rows, and n rows show it with probability
        1 - (1 - q)^n. Single rows, and documents that fail as a whole (c = 1), have the binomial probability.
        """
        mean = np.asarray(risk, np.float64)[..., np.newaxis]
        alike = np.maximum(correlation, USUAL_CORRELATION)[..., np.newaxis]
        lost = mean + alike * (1 - mean)
        shows = 1 - (1 - lost) ** np.arange(1, _SIZES + 1)
        # Of rows that are all lost, none is kept: log 0.
        with np.errstate(divide="ignore", invalid="ignore"):
            logarithms = np.where(self.sizes > 0, self.sizes * np.log1p(-mean / lost * shows), 0.0)
        return np.asarray(np.exp(logarithms.sum(axis=-1)))

    def _upper_end(self, confidence: float, correlation: npt.ArrayLike) -> FloatArray:
        """Return the upper end of the Wilson interval, or of independent rows where many are as one."""
        high = np.nan_to_num(self.interval(2 * confidence - 1, correlation)[1], nan=1.0)
        worth = self.worth(np.maximum(correlation, USUAL_CORRELATION))
        t = t_quantile(confidence, np.maximum(self.n - 1, 1.0))
        independent = wilson_ends(np.nan_to_num(self.risk, nan=1.0), t * t / worth)[1]
        of_alike = np.where(np.asarray(correlation) > USUAL_CORRELATION, independent, 0.0)
        return np.asarray(np.maximum(high, of_alike))

    def certified(
        self, risk: FloatArray | float, confidence: float, correlation: npt.ArrayLike = 0.0
    ) -> tuple[IndexArray, FloatArray]:
        """
        Return the place of the last certified threshold, -1 if there is none, and the confidence of its test.

        The last axis of the sums is that of the thresholds. `RiskCoverage.certified` describes the tests.
        """
        worth = self.worth()
        most = worth.max(axis=-1, keepdims=True)
        is_early = _EARLY_START * most[..., 0] >= _LEAST_WORTH
        early, start = (np.argmax(worth >= share * most, axis=-1) for share in (_EARLY_START, _START))
        left = np.where(is_early, _TENTHS - _EARLY_TENTHS, _TENTHS)
        # Tenths of 1 - confidence that the next test has.
        tenths, last = np.zeros(worth.shape[:-1], np.intp), np.full(worth.shape[:-1], -1)
        confidences = np.full(worth.shape[:-1], np.nan)
        passing: dict[int, BoolArray] = {}
        for place in range(worth.shape[-1]):
            tenths = tenths + _EARLY_TENTHS * (is_early & (early == place)) + left * (start == place)
            for each in np.unique(tenths[tenths > 0]).tolist():
                of_test = 1 - (1 - confidence) * each / _TENTHS
                if each not in passing:
                    passing[each] = self.is_below(risk, of_test, correlation)
                passed = (tenths == each) & passing[each][..., place]
                last, confidences = np.where(passed, place, last), np.where(passed, of_test, confidences)
            # A set without a loss that does not pass is too small: no such set could.
            tenths = np.where((last == place) | (self.loss[..., place] == 0), tenths, 0)
        return last, confidences

    def of(self, threshold: int) -> Accepted:
        """Return the sums of one of the thresholds."""
        return Accepted(*(values[threshold : threshold + 1] for values in self))

    def times(self, factor: float) -> Accepted:
        """Return the sums of `factor` times as many documents like these."""
        return Accepted(*(values * factor for values in self))


def fewest_documents(passes: Callable[[float], bool]) -> float:
    """Return the smallest number of documents that passes a test; nan if even `_MOST_DOCUMENTS` do not."""
    # First, because it is often so, and each test takes milliseconds.
    if not passes(_MOST_DOCUMENTS):
        return math.nan
    low, high = 1.0, 2.0
    while not passes(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = math.floor((low + high) / 2)
        low, high = (low, middle) if passes(middle) else (middle, high)
    return high


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


@dataclass(frozen=True, eq=False)
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
    document: IndexArray

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
    def _starts(self) -> IndexArray:
        """The number of the first row of each group of equal confidence."""
        return np.flatnonzero(np.append(True, self.confidence[1:] != self.confidence[:-1]))

    @cached_property
    def _ties(self) -> _Ties:
        starts, loss = self._starts, self.loss
        sizes = np.diff(starts, append=len(loss))
        total = np.add.reduceat(loss, starts)
        harmonic = np.add.reduceat(1 / np.arange(1.0, len(loss) + 1), starts)
        above = starts.astype(np.float64)
        return _Ties(sizes, sizes.astype(np.float64), total, above, np.cumsum(total) - total, harmonic)

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
        return RiskCoverage.of(-self.loss, self.loss).aurc

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

        If all rows lose the same, their area shows no spread, whatever their order: the ends are those of the
        mean loss, half of them for AUGRC. Without any loss, the upper end is the whole bound of the mean
        loss, because few losses may all rank first. Both ends are nan with fewer than `FEWEST_DOCUMENTS`
        effective documents.
        """
        if self.documents < FEWEST_DOCUMENTS - 1e-9:
            return math.nan, math.nan
        value, influence = getattr(self, area), getattr(self, f"{area}_influence")
        most = 0.5 if area == "augrc" else 1.0
        if self.loss.min() == self.loss.max():
            low, high = (float(end[0]) for end in self.all_rows().interval(confidence))
            return (0.0, min(high, most)) if value == 0 else (most * low, most * high)
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

        def of_sizes(rows: IndexArray) -> IndexArray:
            """Count documents with this number of rows by step."""
            is_document = rows > 0
            place = step[is_document] * _SIZES + np.minimum(rows[is_document], _SIZES) - 1
            return np.bincount(place, minlength=len(ends) * _SIZES).reshape(len(ends), _SIZES)

        sizes = (of_sizes(n) - of_sizes(n - new)).cumsum(axis=0) * 1.0
        return Accepted(*[*sums, squares[ends], sizes])

    def all_rows(self) -> Accepted:
        """Return the sums of all rows, including those with -inf."""
        return self.accepted([-np.inf])

    def thresholds(self, steps: int = STEPS) -> FloatArray:
        """Return quantiles of the confidences above -inf, at equal steps of all rows, the strictest first."""
        # More steps than rows have the same quantiles.
        steps = min(steps, self.n)
        ranks = np.ceil(self.n * np.arange(1, steps + 1) / steps).astype(np.intp) - 1
        known = np.unique(self.confidence[ranks[ranks < self.n_known]])
        lowest = self.confidence[self.n_known - 1 : self.n_known]
        return np.union1d(known, lowest)[::-1]

    def bins(self, number: int) -> IndexArray:
        """
        Return the ends of bins with about equally many rows, from 0, without rows of -inf.

        A bin ends at the first change of confidence at or after its share.
        """
        number = min(number, self.n_known)
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

        It is 1 if no two losses differ, because documents may then fail as a whole (Donner and Koval 1980
        have the estimate for documents of unequal size), and 0 if each row is a document.
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
        Learn then Test (Angelopoulos et al. 2021) with fixed sequences: `thresholds`, chosen without the
        losses, are tested from strict to lax until the upper bound of a risk exceeds the target. The first
        threshold accepts three tenths of the effective number of answered rows (with a correlation of 0.3).
        If a tenth of this number is at least 50, another sequence starts there, with a tenth of
        1 - confidence, which it adds to that of the next start if it gets there (the fallback procedure of
        Wiens and Dmitrienko 2005). While no accepted row is wrong, a sequence passes over sets that are too
        small to prove anything. So the starts depend neither on the target nor on a loss, and a higher
        target never accepts less.

        The bound is that of `Accepted.upper_bound`, with `correlation`. Without a certificate, the risk is
        too high if its lower bound in the strictest tenth exceeds the target; otherwise, there are too few
        documents.

        Examples
        --------
        >>> from anls_frame.statistics import RiskCoverage
        >>> ranked = RiskCoverage.of(range(120, 0, -1), [0] * 100 + [1] * 20)  # the 100 surest are right
        >>> [ranked.certified(risk, 0.95).status for risk in (0.02, 0.04, 0.05, 0.06)]
        ['too_few_documents', 'certified', 'certified', 'certified']
        """
        thresholds = self.thresholds()
        accepted = self.accepted(thresholds)
        naive_share = float(accepted.n[accepted.risk <= risk + _EQUAL].max(initial=0)) / self.n
        unknown = Certificate(math.nan, math.nan, "too_few_documents", math.nan, naive_share)
        if not len(thresholds):
            return unknown
        places, confidences = accepted.certified(risk, confidence, self.correlation)
        last = int(places)
        if last >= 0:
            bound = float(accepted.of(last).upper_bound(float(confidences), self.correlation)[0])
            return unknown._replace(threshold=float(thresholds[last]), bound=bound, status="certified")
        surest = accepted.of(int(np.argmax(accepted.worth() >= _EARLY_START * accepted.worth().max())))
        if surest.interval(2 * confidence - 1, self.correlation)[0][0] > risk:
            return unknown._replace(status="risk_too_high")

        documents = float(self.all_rows().documents[0])

        def passes(number: float) -> bool:
            more = accepted.times(number / documents)
            return int(more.certified(risk, confidence, self.correlation)[0]) >= 0

        return unknown._replace(documents_needed=fewest_documents(passes))


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

    sizes: IndexArray
    size: FloatArray
    loss: FloatArray
    above: FloatArray
    """Number of rows above."""
    loss_above: FloatArray
    harmonic: FloatArray
    """Σ 1/k over the ranks k of the group."""

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
