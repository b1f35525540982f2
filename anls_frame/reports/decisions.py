"""Decisions ("fine", "regressed" or "undecided") about a margin of loss and about a target risk."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, Generic, Literal, TypeAlias

from anls_frame._messages import Message
from anls_frame._text import exact, numbered, visible
from anls_frame._typing import Table_co
from anls_frame.summary.account import Account

Answer: TypeAlias = Literal["regressed", "undecided", "fine"]


class _Decided:
    """A decision, which equals its `answer` "fine", "regressed" or "undecided", and prints as sentences."""

    def _repr_html_(self) -> str:
        """Return the decision as HTML for notebooks."""
        return f"<p>{escape(visible(str(self)))}</p>"

    def __eq__(self: Any, other: object) -> bool:
        return self.answer == other if isinstance(other, str) else self is other

    def __hash__(self: Any) -> int:
        return hash(self.answer)

    def __bool__(self) -> bool:
        raise TypeError("a decision can also be undecided; compare its `answer` with 'fine' or 'regressed'")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Decision(_Decided, Generic[Table_co]):
    """
    A decision whether systems are worse than the baseline by more than a margin.

    Returned by `Comparison.decide`. It prints as a sentence for each metric and pair of systems.

    Parameters
    ----------
    within
        The margin.
    alpha
        Approximate upper bound on the probability of "fine", and of "regressed", in this run, if the true
        loss equals the margin. Several planned runs share alpha, and so do the metrics and systems of a run.
    answer
        "fine", "regressed" or "undecided": "regressed" if all rows or a slice regressed in a metric of a
        system, against the baseline or the anchor; "fine" only if every part is fine.
    sentences
        A sentence for each metric, system and baseline or anchor, the decisive one first.
    frame
        The figures of all rows, with a row for each `metric`, `baseline` (or anchor) and `system`:

        - `n` and `n_clusters`, the number of rows and of clusters (null without clusters);
        - `difference` of the means, system minus baseline, with its one-sided bounds `difference_low` and
          `difference_high`, null if unknown;
        - `detectable`, the smallest margin that this number of documents (rows without clusters) decides in
          80 % of samples if the systems have equal means; null if there is none;
        - `n_needed` and `n_clusters_needed`, the number of rows and of clusters that decide about the margin
          in 80 % of samples if the systems have equal means: the upper ends of ranges, for planning; the
          lower ends are `n_needed_low` and `n_clusters_needed_low`, as in `Comparison.sample_size`. Where
          nothing differs, they are the fewest that can decide, and the lower ends are null;
        - `answer` for all rows alone.
    slices
        The slices, with a row for each slice, metric, baseline and system: their bounds and answers, which
        are null for slices that cannot be tested. None if slices were not requested.
    account
        How many rows were given and used. The decision prints it if more than a hundredth were left out.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a"] * 400, "new": [*"aaab"] * 100, "answer": ["a"] * 400})
    >>> decision = af.compare(df, ["old", "new"], "answer").decide(within=0.1)
    >>> decision.answer, decision.frame["difference"].item()
    ('regressed', -0.25)
    >>> print(decision)
    regressed: new is worse than old by more than 0.1 (difference -0.250)
    """

    within: float
    alpha: float
    answer: Answer
    sentences: Sequence[str]
    frame: Table_co
    slices: Table_co | None
    account: Account[Table_co]

    def __repr__(self) -> str:
        return Message.joined(". ", ["; ".join(self.sentences), *self.account.caveats])


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class RiskDecision(_Decided):
    """
    A decision whether the risk of accepted answers is at most a target.

    Returned by `Selective.holds`.

    Parameters
    ----------
    threshold
        The lowest accepted confidence.
    target
        The largest risk.
    confidence
        Confidence level of each bound.
    risk, risk_low, risk_high
        The mean loss of accepted answers and its one-sided bounds; None if no answer is accepted, or if they
        come from fewer than two documents.
    correlation
        The correlation of a document's losses that the bounds assume where few are wrong; None without
        clusters.
    few_rows
        Whether accepted answers are few, or fewer than ten documents carry their losses, so that the bounds
        rest on this assumption.
    documents
        Number of documents with an accepted answer, or of accepted rows if there are no clusters.
    has_clusters
        Whether documents, rather than rows, are counted.
    needed
        Number of such documents that would decide if the true risk is as observed; None if unknown.
    are_partial
        Whether some answers are neither right nor wrong, so that the risk is their mean loss.
    account
        How many rows were given and used. The decision prints it if more than a hundredth were left out.

    Attributes
    ----------
    answer
        "fine" if the upper bound is at most the target, "regressed" if the lower bound is above it, otherwise
        "undecided".
    sentence
        The answer in words, without the account.
    """

    threshold: float
    target: float
    confidence: float
    risk: float | None
    risk_low: float | None
    risk_high: float | None
    correlation: float | None
    few_rows: bool
    documents: int
    has_clusters: bool
    needed: int | None
    are_partial: bool
    account: Account[Any]

    @property
    def answer(self) -> Answer:
        """The answer that follows from the bounds and the target."""
        if self.risk_low is None or self.risk_high is None:
            return "undecided"
        if self.risk_high <= self.target:
            return "fine"
        return "regressed" if self.risk_low > self.target else "undecided"

    def __repr__(self) -> str:
        return Message.joined(". ", [self.sentence, *self.account.caveats])

    @property
    def sentence(self) -> str:
        """The answer in words, without the account."""
        if self.risk is None:
            return f"undecided: no answer is accepted at a threshold of {exact(self.threshold)}"
        risk, target = in_percent(self.risk), in_percent(self.target)
        accepted = f"of the answers accepted at a threshold of {exact(self.threshold)}"
        before, after = "", f" {accepted} are wrong"
        if self.are_partial:
            before, after = f"the mean loss {accepted} is ", ""
        rough = f"; {resting_on(self.correlation)}" if self.few_rows else ""
        if self.answer == "fine":
            return f"fine: {before}at most {target}{after}{rough}"
        if self.answer == "regressed":
            return f"regressed: {before}more than {target}{after} ({risk}){rough}"
        line = f"undecided: {before}{risk}{after}, {target} are allowed"
        if self.needed is None:
            return line
        documents = numbered(self.documents, "document" if self.has_clusters else "row")
        return f"{line}; {documents} cannot tell, about {rounded_up(self.needed):,} could"


def in_percent(share: float) -> str:
    """Return a share of answers as sentences about a risk have it."""
    return f"{100 * share:.3g} %"


def resting_on(correlation: float | None) -> str:
    """Return what a bound rests on that few documents with a loss carry."""
    if correlation is None:
        return "this rests on few rows"
    if correlation >= 1:
        return "this rests on few documents or losses, and allows for documents that fail as a whole"
    return (
        "this rests on few documents or losses, and assumes that the losses of a document correlate by at "
        f"most {correlation:.2g}"
    )


def size_in_words(size: float, form: str = "g", *, percent: bool = False) -> str:
    """Return a margin or a difference, of error rates in percentage points as in tables."""
    return f"{100 * size:{form}} pp" if percent else f"{size:{form}}"


def difference_in_words(difference: float | None, *, percent: bool = False) -> str:
    """Return the difference after a decided answer: "not worse" may be much better, "worse" much worse."""
    if difference is None:
        return ""
    return f" (difference {size_in_words(difference, '+.1f' if percent else '+.3f', percent=percent)})"


def in_words(answer: Answer, old: str, new: str, margin: str) -> str:
    """Return the sentence for an answer about a new system and an old one."""
    if answer == "fine":
        return f"fine: {new} is not worse than {old} by {margin} or more"
    verb = "is" if answer == "regressed" else "could be"
    return f"{answer}: {new} {verb} worse than {old} by more than {margin}"


def needed_in_words(low: int | None, high: int) -> str:
    """Return a range of needed units, or its only number."""
    if low is None:
        return f"at least {rounded_up(high):,}"
    ends = rounded_up(low), rounded_up(high)
    return f"{ends[0]:,} to {ends[1]:,}" if ends[0] < ends[1] else f"about {ends[1]:,}"


def rounded_up(number: int) -> int:
    """Round an estimate up to two digits."""
    unit: int = 10 ** max(len(str(number)) - 2, 0)
    return math.ceil(number / unit) * unit
