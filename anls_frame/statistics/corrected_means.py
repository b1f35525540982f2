"""Means of scores, corrected by verdicts on some of the rows."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from anls_frame.statistics.arrays import ROUNDING, BoolArray, FloatArray, IntArray
from anls_frame.statistics.carriers import carriers
from anls_frame.statistics.design import USUAL_CORRELATION, usual_design
from anls_frame.statistics.intervals import FEWEST_UNITS, wilson_ends
from anls_frame.statistics.sample_sizes import positive
from anls_frame.statistics.student import t_quantile, t_two_sided

_USUAL_PAIRS = 20.0
"""Ordered pairs of rows with the usual correlation that are added to those that were judged in a document."""

_ROUNDING = 1e-24
"""Scores whose contributions have a smaller sum of squares are equal, and their spread is rounding error."""


@dataclass(frozen=True, kw_only=True)
class Audit:
    """
    The scores of all rows, and the truth of judged rows.

    Scores and truths are those of one system or, before `weighted`, have a line for each of several systems.

    Parameters
    ----------
    document, stratum
        Document and stratum of each cell of rows, as numbers from 0.
    n, total
        Number of rows of a cell, and the sum of their scores; a cell may be a single row.
    known
        For each stratum, whether the truth of its rows is certainly their score, so that none needs a
        verdict.
    judged_document, judged_stratum
        Document and stratum of each judged row, numbered as for cells.
    probability
        The probability that a judged row was drawn. A common factor within a stratum does not affect the
        estimate.
    score, truth
        Of each judged row.
    """

    document: IntArray
    stratum: IntArray
    n: FloatArray
    total: FloatArray
    known: BoolArray
    judged_document: IntArray
    judged_stratum: IntArray
    probability: FloatArray
    score: FloatArray
    truth: FloatArray

    def weighted(self, factors: FloatArray) -> Audit:
        """Return the audit of a weighted sum of systems' scores: a single score or a difference."""
        return replace(
            self,
            total=factors @ self.total,
            known=self.known if factors.sum() == 0 else np.zeros_like(self.known),
            score=factors @ self.score,
            truth=factors @ self.truth,
        )

    @cached_property
    def documents(self) -> int:
        """Number of documents."""
        return int(self.document.max(initial=-1)) + 1

    @cached_property
    def sizes(self) -> FloatArray:
        """Number of rows of each stratum."""
        return self.by_stratum(self.stratum, self.n)

    @cached_property
    def judged(self) -> FloatArray:
        """Number of judged rows of each stratum."""
        return self.by_stratum(self.judged_stratum, np.ones(len(self.truth)))

    @cached_property
    def is_covered(self) -> bool:
        """Whether each stratum with rows has judged rows or is known."""
        return bool(((self.sizes == 0) | self.known | (self.judged > 0)).all())

    @cached_property
    def weight(self) -> FloatArray:
        """Number of rows that each judged row represents; these add up to the rows of its stratum."""
        drawn = 1 / self.probability
        factor = self.sizes / positive(self.by_stratum(self.judged_stratum, drawn))
        return np.asarray(drawn * factor[self.judged_stratum])

    def by_stratum(self, stratum: IntArray, values: FloatArray) -> FloatArray:
        """Return the sums of values by stratum."""
        return np.bincount(stratum, values, len(self.known)).astype(np.float64)

    def by_document(self, document: IntArray, values: FloatArray) -> FloatArray:
        """Return the sums of values by document."""
        return np.bincount(document, values, self.documents).astype(np.float64)

    def mean_of_judged(self, values: FloatArray) -> FloatArray:
        """Return the weighted mean of a value of judged rows in each stratum; 0 without judged rows."""
        sums = self.by_stratum(self.judged_stratum, self.weight * values)
        return sums / np.where(self.sizes > 0, self.sizes, 1.0)


class CorrectedMean:
    """
    Estimate of the mean truth of all rows, from the truth of judged rows and the scores of all rows.

    Parameters
    ----------
    audit
        The scores, and the truth of judged rows, in [0, 1] or, for differences of two scores, in [-1, 1].
        Each stratum must have judged rows or be known.
    tuning
        λ, the weight of the scores of all rows: 0 uses only the truth of judged rows, 1 adds the whole
        difference of the mean scores. By default, the value in [0, 1] that minimizes the variance.

    Notes
    -----
    Let H be the mean truth of judged rows, weighted by stratum, and D the mean score of all rows minus that
    of judged rows. The estimate is H + λD. It is unbiased for every fixed λ: the difference estimator
    (Cochran 1977, *Sampling Techniques*, 7.2) for λ = 1; PPI++ (Angelopoulos, Duchi and Zrnic 2023) for one
    stratum and the default λ; StratPPI (Fisch et al. 2024) with strata.

    The variance is G / (G - 1) Σu², where u are the contributions of all documents to the estimate, and G is
    the effective number of documents with judged rows. A second term adds one more row in which score and
    truth differ, in a document with the typical correlation, because a sample may contain no error of a score
    whose errors are rare.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics.corrected_means import Audit, CorrectedMean
    >>> document, judged = np.repeat(np.arange(20), 2), np.arange(0, 40, 2)
    >>> score = np.tile([1.0, 0.5, 1.0, 0.0], 10)
    >>> audit = Audit(
    ...     document=document,
    ...     stratum=np.zeros(40, int),
    ...     n=np.ones(40),
    ...     total=score,
    ...     known=np.array([False]),
    ...     judged_document=document[judged],
    ...     judged_stratum=np.zeros(20, int),
    ...     probability=np.full(20, 0.5),
    ...     score=score[judged],
    ...     truth=np.repeat([1.0, 0.0], 10),
    ... )
    >>> CorrectedMean(audit, tuning=1).estimate, CorrectedMean(audit, tuning=0).estimate
    (0.125, 0.5)
    """

    def __init__(self, audit: Audit, *, tuning: float | None = None) -> None:
        self.audit = audit
        self.rows = float(audit.n.sum())
        self.score = float(audit.total.sum()) / self.rows
        self._truths = audit.mean_of_judged(audit.truth)
        self._scores = audit.mean_of_judged(audit.score)
        is_known = audit.known[audit.stratum]
        truth = np.where(is_known, audit.total, audit.n * self._truths[audit.stratum])
        # Scores above those of judged rows; there are none in known strata.
        beyond = np.where(is_known, 0.0, audit.total - audit.n * self._scores[audit.stratum])
        self._judged_alone = float(truth.sum()) / self.rows
        self._gain = float(beyond.sum()) / self.rows
        # The contribution of each document to the mean of judged rows alone, to the gain, and to the score.
        self._truth_of = self._shares(truth, self._judged_alone) + self._judged_shares(audit.truth)
        self._gain_of = self._shares(beyond, self._gain) - self._judged_shares(audit.score)
        self._score_of = self._shares(audit.total, self.score)
        squares = float(self._gain_of @ self._gain_of)
        best = -float(self._truth_of @ self._gain_of) / squares if squares > _ROUNDING else 0.0
        self.tuning = min(max(best, 0.0), 1.0) if tuning is None else tuning

    def _shares(self, totals: FloatArray, mean: float) -> FloatArray:
        """Return the contributions of documents to a mean over all rows, from the totals of cells."""
        audit = self.audit
        return audit.by_document(audit.document, totals - audit.n * mean) / self.rows

    def _judged_shares(self, values: FloatArray) -> FloatArray:
        """Return the contributions of documents' judged rows to the means of their strata."""
        audit = self.audit
        deviation = values - audit.mean_of_judged(values)[audit.judged_stratum]
        return audit.by_document(audit.judged_document, audit.weight * deviation) / self.rows

    @property
    def estimate(self) -> float:
        """The mean truth of all rows."""
        return self._judged_alone + self.tuning * self._gain

    @property
    def bias(self) -> float:
        """The mean score of all rows minus their mean truth."""
        return self.score - self.estimate

    @cached_property
    def documents(self) -> float:
        """Effective number of documents with judged rows."""
        audit = self.audit
        weights = audit.by_document(audit.judged_document, audit.weight)
        return float(weights.sum() ** 2 / (weights @ weights))

    @property
    def degrees(self) -> float:
        """Degrees of freedom of intervals."""
        return max(self.documents - 1, 1.0)

    @cached_property
    def unseen(self) -> float:
        """Variance due to a row in which score and truth differ, added to the judged rows."""
        audit = self.audit
        squares = audit.by_stratum(audit.judged_stratum, (audit.weight / self.rows) ** 2)
        judged = audit.judged > 0
        clustering = _clustering(audit.judged_document)
        return float(clustering * (squares[judged] / audit.judged[judged]).sum() / math.sqrt(judged.sum()))

    @property
    def contributions(self) -> FloatArray:
        """The contribution of each document to the estimate; the contributions add up to 0."""
        return self._truth_of + self.tuning * self._gain_of

    @property
    def carrying(self) -> float:
        """Effective number of documents that carry the estimate, on the side where there are fewer."""
        return _carriers(self._truth_of, self.tuning * self._gain_of)

    @property
    def carrying_bias(self) -> float:
        """The same for the bias: documents in which score and truth differ more, or less, than on average."""
        return _carriers(self._score_of, -self.contributions)

    def _variance(self, contributions: FloatArray) -> float:
        documents = self.documents
        if documents <= 1:
            return math.nan
        return float(documents / (documents - 1) * (contributions @ contributions)) + self.unseen

    @cached_property
    def variance(self) -> float:
        """Variance of the estimate, for documents and rows as a sample; nan with a single judged document."""
        return self._variance(self.contributions)

    @property
    def equivalent_verdicts(self) -> float:
        """Number of verdicts that would have this variance without the scores of all rows."""
        return len(self.audit.truth) * self._variance(self._truth_of) / self.variance

    @property
    def p_value(self) -> float:
        """Two-sided p-value for the null hypothesis of a mean of 0."""
        return float(t_two_sided(self.estimate / math.sqrt(self.variance), self.degrees))

    def share_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """
        Return the Wilson interval of a mean in [0, 1], with an effective number of rows.

        The variance from judged rows alone shrinks towards 0 and 1, like that of a share. The part added by a
        given `tuning` comes from the scores and does not shrink.
        """
        n, mean = len(self.audit.truth), min(max(self.estimate, 0.0), 1.0)
        variance, added = self.variance, self.variance - self._variance(self._truth_of)
        shrinking = mean
        if added > 0:
            variance, shrinking = variance - added, self._judged_alone
        padded = (n * shrinking + 1) / (n + 2)
        squared = self._quantile(confidence) ** 2
        low, high = wilson_ends(mean, squared * variance / (padded * (1 - padded)), squared * max(added, 0.0))
        return float(low), float(high)

    def difference_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the t interval of a mean of differences, within [-1, 1]."""
        return self._t_interval(self.estimate, self.variance, confidence)

    def bias_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the t interval of the bias, within [-1, 1]."""
        return self._t_interval(self.bias, self._variance(self._score_of - self.contributions), confidence)

    def _t_interval(self, mean: float, variance: float, confidence: float) -> tuple[float, float]:
        half = self._quantile(confidence) * math.sqrt(variance)
        return max(mean - half, -1.0), min(mean + half, 1.0)

    def _quantile(self, confidence: float) -> float:
        return float(t_quantile((1 + confidence) / 2, self.degrees))

    @cached_property
    def _residuals(self) -> FloatArray:
        """Judged truths minus λ times their scores, centred by stratum, for all rows that each represents."""
        audit = self.audit
        residual = audit.truth - self.tuning * audit.score
        return audit.weight * (residual - audit.mean_of_judged(residual)[audit.judged_stratum])

    @cached_property
    def drawn_variance(self) -> float:
        """Variance due to the draw alone, for these rows and documents, without the added row."""
        return float(((1 - self.audit.probability) * (self._residuals / self.rows) ** 2).sum())

    def drawn_interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the interval of the mean truth of precisely these rows, within [0, 1]."""
        audit = self.audit
        judged = audit.judged > 0
        sizes, counts = audit.sizes[judged], audit.judged[judged]
        added = (sizes / self.rows / (counts + 1)) ** 2 * (1 - counts / sizes)
        variance = self.drawn_variance + float(added.sum()) / math.sqrt(judged.sum())
        quantile = float(t_quantile((1 + confidence) / 2, max(len(audit.truth) - 1, 1)))
        half = quantile * math.sqrt(variance)
        return max(self.estimate - half, 0.0), min(self.estimate + half, 1.0)

    @cached_property
    def removable_variance(self) -> float:
        """
        The part of the variance that judging every row would remove; the rest is how documents differ.

        A judged row contributes the residuals of all rows that it represents to its document. If every row
        were judged, each would contribute its own. The square of such a sum consists of squares of residuals
        and of products of two rows of the document. Judged rows estimate the mean of both.
        """
        audit, residuals, documents = self.audit, self._residuals, self.documents
        if documents <= 1:
            return math.nan
        open_rows = audit.by_document(audit.document, np.where(audit.known[audit.stratum], 0.0, audit.n))
        n, pairs = float(open_rows.sum()), float(open_rows @ (open_rows - 1))
        sums, weights = (audit.by_document(audit.judged_document, each) for each in (residuals, audit.weight))
        counts = np.bincount(audit.judged_document)
        judged_pairs = float(counts @ (counts - 1))
        products = float(sums @ sums - residuals @ residuals)
        squares = float(residuals @ (residuals / audit.weight))
        usual_pairs = _USUAL_PAIRS * (1 - judged_pairs / max(pairs, 1.0))
        product = usual_pairs * USUAL_CORRELATION * squares / n
        if judged_pairs:
            product += judged_pairs * products / float(weights @ weights - audit.weight @ audit.weight)
        product /= judged_pairs + usual_pairs
        less = max(float(residuals @ residuals) - squares + products - pairs * product, 0.0)
        unseen = self.unseen * (1 - len(audit.truth) / n)
        return min(documents / (documents - 1) * less / self.rows**2 + unseen, self.variance)

    def verdicts_needed(self, width: float, confidence: float = 0.95) -> int | None:
        """
        Return the total number of verdicts that gives about this width; None if no number does.

        The verdicts are drawn as these were. The variance between documents remains even if every row is
        judged.
        """
        wanted = (width / 2 / self._quantile(confidence)) ** 2
        judged, n = len(self.audit.truth), float(self.audit.sizes[~self.audit.known].sum())
        remaining = self.variance - self.removable_variance
        if not remaining <= wanted:
            return None
        if judged == n:
            return judged
        share = (wanted - remaining) / self.removable_variance
        return math.ceil(1 / (1 / n + share * (1 / judged - 1 / n)))


class Agreed(NamedTuple):
    """A measure of agreement with its interval, and the numbers of documents on which it rests."""

    value: float
    low: float | None
    high: float | None
    documents: float
    """Effective number of documents with such rows."""
    carrying: float
    """Effective number of documents that carry the figure, on the side where there are fewer."""


def agreement(audit: Audit, confidence: float = 0.95) -> dict[str, Agreed | None]:
    """
    Return measures of agreement between scores and truths of 0 and 1; empty for other scores.

    `agreement`, `sensitivity`, `specificity` and `kappa` are of judged rows, each weighted by the number of
    rows that it represents. A measure that divides by 0 is None.

    Notes
    -----
    Each is a ratio of weighted sums, or for kappa a function of such ratios, whose variance follows from
    their derivatives (the delta method), added up within documents. As in `CorrectedMean`, a second term adds
    one more row in which score and truth differ. The intervals are Wilson's; kappa is rescaled from [-1, 1]
    to [0, 1].
    """
    if not (np.isin(audit.score, (0, 1)).all() and np.isin(audit.truth, (0, 1)).all()):
        return {}
    score, truth, weight = audit.score, audit.truth, audit.weight
    equal = np.asarray(score == truth, np.float64)
    found = {
        "agreement": _agreed(audit, equal, weight, confidence),
        "sensitivity": _agreed(audit, score, weight * truth, confidence),
        "specificity": _agreed(audit, 1 - score, weight * (1 - truth), confidence),
        "kappa": None,
    }
    observed, passed, right = (float(weight @ each / weight.sum()) for each in (equal, score, truth))
    differing = passed * (1 - right) + right * (1 - passed)
    if differing > 0:
        slope = (2 * right - 1) * (score - passed) + (2 * passed - 1) * (truth - right)
        kappas = 1 - (1 - equal) / differing - (1 - observed) / differing**2 * slope
        rescaled = _agreed(audit, (1 + kappas) / 2, weight, confidence, step=0.5 / differing)
        if rescaled is not None:
            found["kappa"] = rescaled._replace(
                value=1 - (1 - observed) / differing,
                low=None if rescaled.low is None else 2 * rescaled.low - 1,
                high=None if rescaled.high is None else 2 * rescaled.high - 1,
            )
    return found


def _agreed(
    audit: Audit, values: FloatArray, weight: FloatArray, confidence: float, *, step: float = 1.0
) -> Agreed | None:
    """Return the weighted mean of judged rows, within [0, 1]; `step` is by how much a row may differ."""
    total, n = float(weight.sum()), int((weight > 0).sum())
    if n == 0:
        return None
    mean = min(max(float(weight @ values) / total, 0.0), 1.0)
    document = audit.judged_document
    sums, sizes = (audit.by_document(document, each) / total for each in (weight * values, weight))
    documents, carrying = float(1 / (sizes @ sizes)), _carriers(sums, -mean * sizes)
    if documents < FEWEST_UNITS:
        return Agreed(mean, None, None, documents, carrying)
    unseen = _clustering(document[weight > 0]) * float(weight @ weight) / total**2 / n * step**2
    deviation = sums - mean * sizes
    variance = documents / (documents - 1) * float(deviation @ deviation) + unseen
    padded = (n * mean + 1) / (n + 2)
    squared = float(t_quantile((1 + confidence) / 2, max(documents - 1, 1.0))) ** 2
    low, high = wilson_ends(mean, squared * variance / (padded * (1 - padded)))
    return Agreed(mean, float(low), float(high), documents, carrying)


def _clustering(document: IntArray) -> float:
    """Return the factor by which more verdicts are needed because documents have several."""
    counts = np.bincount(document)
    return float(usual_design((counts**2).sum() / counts.sum()))


def _carriers(first: FloatArray, second: FloatArray) -> float:
    """Return the carriers of a sum of contributions; what is left of equal ones is rounding error."""
    contributions = first + second
    is_rounding = np.abs(contributions) <= ROUNDING * (np.abs(first) + np.abs(second))
    return float(carriers(np.where(is_rounding, 0.0, contributions)))
