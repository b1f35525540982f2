"""Decisions ("fine", "regressed" or "undecided") about a margin of loss and about a target risk."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

import polars as pl

from anls_frame._arguments import margin, number, string
from anls_frame._text import numbered, visible
from anls_frame._typing import Table_co

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anls_frame.reports.planning import Planner
    from anls_frame.statistics.risk_coverage import Accepted
    from anls_frame.summary.measures import Metric

__all__ = ["Decision"]

Answer: TypeAlias = Literal["regressed", "undecided", "fine"]

_ORDER: tuple[Answer, ...] = ("regressed", "undecided", "fine")
"""The first that is given by all rows or a slice counts."""

POWER = 0.8
"""The power for which a decision says what its documents can show, and how many are needed."""


@dataclass(frozen=True, kw_only=True)
class Decision(Generic[Table_co]):
    """
    A decision whether a second system is worse than a first by more than a margin.

    Returned by `Comparison.decide`. The numbers are those of all rows.

    Parameters
    ----------
    within
        The margin.
    alpha
        Approximate upper bound on the probability of "fine", and of "regressed", in this run, if the true
        loss equals the margin. Several planned runs share alpha.
    systems
        Names of the first and the second system.
    difference, difference_low, difference_high
        Difference of the means, second minus first, and its one-sided bounds; None if unknown.
    documents
        Number of documents, or of rows if there are no clusters.
    has_clusters
        Whether documents, rather than rows, are counted.
    detectable
        The smallest margin that this number of documents decides in 80 % of samples if the systems have equal
        means; None if there is none.
    needed, needed_low
        Number of documents that decide about the margin in 80 % of samples if the systems have equal means:
        the upper end of a range, for planning, and its lower end, as in `Comparison.sample_size`. None if
        unknown.
    slices
        The slices with their bounds and answers, which are null for slices that cannot be tested. None if
        slices were not requested.
    untested
        Number of slices that cannot be tested.
    of_rows
        The answer for all rows alone.
    answers
        Number of tested slices with each answer.
    fewest
        Number of documents in the smallest undecided slice.
    anchor
        The decision about the second system and the anchor, a fixed earlier system; None without an anchor.

    Attributes
    ----------
    answer
        "fine", "regressed" or "undecided": "regressed" if all rows or a slice regressed against the first
        system or the anchor; "fine" only if every part is fine.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a"] * 400, "new": [*"aaab"] * 100, "answer": ["a"] * 400})
    >>> decision = af.compare(df, ["old", "new"], "answer").decide(within=0.1)
    >>> decision.answer, decision.difference
    ('regressed', -0.25)
    >>> print(decision)
    regressed: new is worse than old by more than 0.1
    """

    within: float
    alpha: float
    systems: tuple[str, str]
    difference: float | None
    difference_low: float | None
    difference_high: float | None
    documents: int
    has_clusters: bool
    detectable: float | None
    needed: int | None
    needed_low: int | None
    slices: Table_co | None
    untested: int
    of_rows: Answer
    answers: dict[Answer, int]
    fewest: int | None
    anchor: Decision[Table_co] | None = None

    @property
    def answer(self) -> Answer:
        """The least favourable answer among all rows, the slices and the anchor."""
        given = {self._own_answer} if self.anchor is None else {self._own_answer, self.anchor.answer}
        return _worst(given)

    @property
    def _own_answer(self) -> Answer:
        return _worst({self.of_rows, *self.answers})

    def __str__(self) -> str:
        """Return the decision in one line, with the decisive part first if there is an anchor."""
        if self.anchor is None:
            return self._sentence()
        sentences = [self._sentence(), str(self.anchor)]
        return "; ".join(sentences if self.answer == self._own_answer else reversed(sentences))

    def _repr_html_(self) -> str:
        """Return the decision as HTML for notebooks."""
        return f"<p>{escape(visible(str(self)))}</p>"

    def _sentence(self) -> str:
        old, new = self.systems
        where, answer = self._where(), self._own_answer
        if answer == "fine":
            return f"fine: {new} is not worse than {old} by {self.within:g} or more{where}"
        verb = "is" if answer == "regressed" else "could be"
        line = f"{answer}: {new} {verb} worse than {old} by more than {self.within:g}{where}"
        return line if answer == "regressed" else f"{line}; {self._advice()}"

    def _where(self) -> str:
        if self.slices is None:
            return ""
        number, tested = self.answers.get(self._own_answer, 0), sum(self.answers.values())
        in_slices = f"in {number:,} of {numbered(tested, 'slice')}"
        if self.of_rows == self._own_answer:
            return f", on all rows and {in_slices}" if number else ", on all rows"
        return f", {in_slices}"

    def _advice(self) -> str:
        unit = "document" if self.has_clusters else "row"
        if self.of_rows != "undecided":
            return f"the smallest of them has {numbered(self.fewest or 0, unit)}"
        counted = numbered(self.documents, unit)
        if self.detectable is None:
            return f"{counted} can show nothing"
        can = f"{counted} can show {self.detectable:.2g}"
        if self.needed is None or self.needed_low is None:
            return can
        if self.needed > self.documents:
            low, high = _rounded(self.needed_low), _rounded(self.needed)
            return f"{can}; {low:,} to {high:,} are needed to decide, if the systems are equal"
        return f"{can}, but the difference is close to the margin"


@dataclass(frozen=True, kw_only=True)
class RiskDecision:
    """
    A decision whether the risk of accepted answers is at most a target.

    Returned by `Selective.holds`.

    Parameters
    ----------
    threshold
        The least confidence that is accepted.
    target
        The largest risk.
    confidence
        Confidence level of each bound.
    risk, risk_low, risk_high
        The mean loss of accepted answers and its one-sided bounds; None if no answer is accepted, or if they
        come from fewer than two documents.
    documents
        Number of documents with an accepted answer, or of accepted rows if there are no clusters.
    has_clusters
        Whether documents, rather than rows, are counted.
    needed
        Number of such documents that would decide if the true risk is as observed; None if unknown.

    Attributes
    ----------
    answer
        "fine" if the upper bound is at most the target, "regressed" if the lower bound is above it, otherwise
        "undecided".
    """

    threshold: float
    target: float
    confidence: float
    risk: float | None
    risk_low: float | None
    risk_high: float | None
    documents: int
    has_clusters: bool
    needed: int | None

    @classmethod
    def of(
        cls, accepted: Accepted, *, threshold: float, risk: float, confidence: float, has_clusters: bool
    ) -> RiskDecision:
        """Return the decision from the sums of accepted rows."""

        def decides(sums: Accepted) -> Any:
            low, high = sums.interval(2 * confidence - 1)
            return (high <= risk) | (low > risk)

        observed, *ends = (float(end[0]) for end in (accepted.risk, *accepted.interval(2 * confidence - 1)))
        needed = accepted.documents_that(decides) if accepted.n[0] else math.nan
        figures = (None if math.isnan(figure) else figure for figure in (observed, *ends, needed))
        observed_risk, low, high, documents_needed = figures
        return cls(
            threshold=threshold,
            target=risk,
            confidence=confidence,
            risk=observed_risk,
            risk_low=low,
            risk_high=high,
            documents=int(accepted.documents[0]),
            has_clusters=has_clusters,
            needed=None if documents_needed is None else int(documents_needed),
        )

    @property
    def answer(self) -> Answer:
        """The answer that follows from the bounds and the target."""
        if self.risk_low is None or self.risk_high is None:
            return "undecided"
        return (
            "fine"
            if self.risk_high <= self.target
            else "regressed"
            if self.risk_low > self.target
            else "undecided"
        )

    def __str__(self) -> str:
        """Return the decision in one line."""
        if self.risk is None:
            return f"undecided: no answer is accepted from {self.threshold:g} on"
        accepted = f"of the answers accepted from {self.threshold:g} on are lost"
        if self.answer == "fine":
            return f"fine: at most {self.target:.3g} {accepted}"
        if self.answer == "regressed":
            return f"regressed: more than {self.target:.3g} {accepted} ({self.risk:.3g})"
        line = f"undecided: {self.risk:.3g} {accepted}, {self.target:.3g} is allowed"
        if self.needed is None:
            return line
        documents = numbered(self.documents, "document" if self.has_clusters else "row")
        return f"{line}; {documents} cannot tell, about {_rounded(self.needed):,} could"


def checked_margin(name: str, value: Any, metrics: Sequence[Metric], *, zero: bool = False) -> float:
    """Return a margin as a float; raise an error unless a loss in each metric can be smaller and larger."""
    points = number(name, value, 0, ends=zero)
    for metric in metrics:
        bounds = metric.bounds or (None, None)
        margin(name, value, bounds, metric.label, zero=zero, in_points=metric.format == "rate")
    return points


def beside(
    systems: Iterable[str], metrics: Sequence[Metric], anchor: str, name: str = "anchor"
) -> tuple[str, str]:
    """Return the two systems besides the anchor, the baseline first; raise an error if there are not two."""
    systems = list(systems)
    others = [system for system in systems if system != string(name, anchor)]
    if len(systems) != 3 or len(others) != 2 or anchor == systems[0]:  # noqa: PLR2004
        raise ValueError(
            f"{name} must be the third of three systems, beside the baseline and the new one, got {anchor!r} "
            f"of {systems}"
        )
    if len(metrics) > 1:
        raise ValueError(f"{name} decides in one metric, got {len(metrics)}; compare each separately")
    return others[0], others[1]


def decide(
    planner: Planner,
    slices: Callable[[Callable[[tuple[str, ...]], pl.DataFrame]], pl.DataFrame] | None,
    systems: Sequence[str],
    *,
    within: float,
    alpha: float,
) -> Decision[pl.DataFrame]:
    """
    Decide about all rows and, if a function returns the table of all slices, about each slice.

    Testable slices share `alpha` (Bonferroni).
    """
    level = {"alpha": alpha, "level": alpha}
    whole = _answered(planner.bounds((), **level), planner.metric, within).row(0, named=True)
    answer: Answer = whole["answer"] or "undecided"
    table, untested = None, 0
    counts: dict[Answer, int] = {}
    fewest = None
    if slices is not None:
        table = slices(lambda keys: planner.bounds(keys, **level))
        untested = table["difference_low"].null_count()
        level["level"] = alpha / max(table.height - untested, 1)
        table = slices(lambda keys: planner.bounds(keys, **level))
        table = _answered(table, planner.metric, within)
        counts = dict(table.drop_nulls("answer").group_by("answer").len().iter_rows())
        fewest = table.filter(answer="undecided").select(pl.coalesce("n_clusters", "n").min()).item()
    if_equal = planner.decidable(within, power=POWER, level=alpha)
    unit = "n" if whole["n_clusters"] is None else "n_clusters"
    return Decision(
        within=within,
        alpha=alpha,
        systems=(systems[0], systems[1]),
        **{name: whole[name] for name in ("difference", "difference_low", "difference_high")},
        documents=whole[unit],
        has_clusters=unit == "n_clusters",
        detectable=if_equal["detectable"],
        needed=if_equal[f"{unit}_needed"],
        needed_low=if_equal[f"{unit}_needed_low"],
        slices=table,
        untested=untested,
        of_rows=answer,
        answers=counts,
        fewest=fewest,
    )


def _worst(answers: set[Answer]) -> Answer:
    return next(answer for answer in _ORDER if answer in answers)


def _answered(bounds: pl.DataFrame, metric: Metric, within: float) -> pl.DataFrame:
    """Add the answers, which are null without bounds."""
    low, high = pl.col("difference_low"), pl.col("difference_high")
    worst, best = (low, high) if metric.higher_is_better else (-high, -low)
    answer = pl.when(worst > -within).then(pl.lit("fine")).when(best < -within).then(pl.lit("regressed"))
    return bounds.with_columns(answer=answer.when(low.is_not_null()).then(pl.lit("undecided")))


def _rounded(number: int) -> int:
    """Round an estimate up to two digits."""
    unit: int = 10 ** max(len(str(number)) - 2, 0)
    return math.ceil(number / unit) * unit
