"""The account of rows: how many were given, used, left out and changed, and why."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Generic, cast

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame._text import listed, numbered
from anls_frame._typing import Table_co
from anls_frame.frames.conversion import to_pandas
from anls_frame.summary.catalogue import is_described
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.notes import by_system
from anls_frame.summary.rows import is_missing
from anls_frame.summary.settings import Settings
from anls_frame.summary.system_rows import SystemRows, each

_MOST_LOST = 0.01
"""Share of rows left out, above which a decision says so."""


@dataclass(frozen=True, kw_only=True)
class Account(Generic[Table_co]):
    """
    How many rows were given to a result, how many it used, and why others were left out or changed.

    Every result has one in `account`. It prints as a sentence, which goes with the figures unless all rows
    were used as they are. Rows are given once they are read: questions that a reader left out because not
    all files have them are counted apart, and those of other epochs are not among them.

    Parameters
    ----------
    systems
        The names of the systems.
    settings
        How rows were scored.
    given, used
        Number of rows that were read, and of those that count in the figures of the first metric.
    unanswerable
        Rows left out because they have no answer.
    dropped
        Rows left out because a system has no prediction or, where scores are given, no score.
    missing, invented
        For each system, missing predictions in rows with an answer, and texts predicted in rows without one.
    empty_answers
        Rows without an answer that are scored against the empty text.
    scored
        The numbers of rows with a score, by name, of metrics that have scores in other rows than the first.
    unsure
        The numbers of used rows without a confidence, by the system and the column of its confidences.
    unnamed
        The number of used rows without a document, which count together as one.
    advice
        The options with which a caller can have more rows scored.
    from_pandas
        Whether `frame` is a pandas frame.
    noun
        What a row is called, by default as the settings call it.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", None, None], "answer": ["a", None, "c"]})
    >>> account = af.report(df, "prediction", "answer").account
    >>> for part in str(account).split("; "):
    ...     print(part)
    2 of 3 rows were used
    1 has no accepted answer and was left out: unanswerable="empty" scores it
    missing predictions are scored as the empty text (1).
    >>> account.frame.select("rows", "reason", "n").rows()
    [('given', None, 3), ('used', None, 2), ('left out', 'no accepted answer', 1), \
('changed', 'missing prediction, scored as the empty text', 1)]
    """

    systems: Sequence[str]
    settings: Settings
    given: int
    used: int
    unanswerable: int = 0
    dropped: int = 0
    missing: Sequence[int] = ()
    invented: Sequence[int] = ()
    empty_answers: int = 0
    scored: Mapping[str, int] = field(default_factory=dict)
    unsure: Mapping[tuple[str, str], int] = field(default_factory=dict)
    unnamed: int = 0
    advice: Sequence[str] = ("missing", "unanswerable")
    from_pandas: bool = False
    noun: str | None = None

    def __post_init__(self) -> None:
        # Without texts, there are no numbers of them.
        for name in ("missing", "invented"):
            object.__setattr__(self, name, getattr(self, name) or [0] * len(self.systems))
        if self._unscored < 0 or not all(0 <= n <= self.given for n in self.scored.values()):
            raise RuntimeError(
                f"the rows do not add up: {self.given:,} read, but {self.used:,} scored, "
                f"{self.unanswerable:,} without an answer, {self.dropped:,} without a {self._what}"
            )

    @property
    def _unscored(self) -> int:
        """Rows left out for no other reason than that the metric has no score there."""
        return self.given - self.used - self.unanswerable - self.dropped

    @property
    def _what(self) -> str:
        return "prediction" if self.settings.has_texts else "score"

    @property
    def _no_answer(self) -> str:
        return "neither gold nor prediction" if self.settings.has_fields else "no accepted answer"

    @property
    def _in_one_document(self) -> int:
        """Used rows that count together as a document; one row alone is one anyway."""
        return self.unnamed if self.unnamed > 1 else 0

    @property
    def _emptied(self) -> Sequence[int]:
        """For each system, missing predictions that are scored as the empty text."""
        are_scored = self.settings.missing == "empty" and self._scores_texts
        return self.missing if are_scored else [0] * len(self.systems)

    @property
    def _scores_texts(self) -> bool:
        """Whether a metric is computed from texts, rather than all read from columns."""
        of_texts = (
            metric.is_built_in or is_described(metric) or metric.sources[0].endswith("()")
            for metric in self.settings.metrics
        )
        return self.settings.has_texts and (self.settings.has_fields or any(of_texts))

    @property
    def frame(self) -> Table_co:
        """
        The numbers of rows: `n` for each `system`, and for each reason.

        `rows` is "not given" (left out while files were read or tables joined), "given", "used", "left out"
        or "changed", and `reason` says why. Used rows and those left out add up to the given ones; changed
        rows are among the used ones. A metric that has scores in other rows than the first one has lines of
        its own, with its name in `metric`.
        """
        lines = [(name, *line) for index, name in enumerate(self.systems) for line in self._lines(index)]
        names = ("system", "metric", "rows", "reason")
        table = pl.DataFrame(lines, {**dict.fromkeys(names, pl.String), "n": pl.Int64}, orient="row")
        return cast("Table_co", to_pandas(table) if self.from_pandas else table)

    def _lines(self, system: int) -> Iterator[tuple[str | None, str, str | None, int]]:
        """Yield the metric, kind, reason and number of rows of a system, by its number."""
        lacking = self.missing[system] if self.dropped else 0
        others = 0
        if self.settings.has_fields and len(self.systems) > 1:
            # What another system invented is no field of this one, and may have no score either.
            others = min(max(self.empty_answers - self.invented[system], 0), self.used)
        emptied = self.empty_answers - others
        unsure = {column: n for (name, column), n in self.unsure.items() if name == self.systems[system]}
        reasons = {
            "left out": {
                self._no_answer: self.unanswerable + others,
                f"no {self._what}": lacking,
                f"no {self._what} of another system": self.dropped - lacking,
                "no score in the metric": self._unscored,
            },
            "changed": {
                "missing prediction, scored as the empty text": self._emptied[system],
                "no accepted answer, scored against the empty text": emptied,
                **{f"no confidence ({column}), ranked below all others": n for column, n in unsure.items()},
                f"no value in {self.settings.cluster}, one document together": self._in_one_document,
            },
        }
        yield from ((None, "not given", what, n) for what, n in self.settings.left_out.items())
        yield None, "given", None, self.given
        yield None, "used", None, self.used - others
        for rows, numbers in reasons.items():
            yield from ((None, rows, reason, n) for reason, n in numbers.items() if n)
        for metric, n in self.scored.items():
            yield metric, "given", None, self.given
            yield metric, "used", None, n
            yield metric, "left out", "no score in the metric", self.given - n

    @property
    def sentence(self) -> str:
        """The account in words."""
        row = self.noun or self.settings.names["row"]
        rows, were = numbered(self.given, row), "was" if 1 in (self.used, self.given) else "were"
        used = f"{self.used:,} of {rows}" if self.used < self.given else f"All {rows}"
        used = f"The only {row}" if self.used == self.given == 1 else used
        invented = ""
        if self.settings.unanswerable == "drop" and any(self.invented):
            invented = f" (predicted texts: {self._by_system(self.invented)})"
        lacking = f"no {self._what}"
        if len(self.systems) > 1:
            lacking += f" of a system ({self._by_system(self.missing)})"
        labels = {metric.name: metric.label for metric in self.settings.metrics}
        before = [f"{what} ({n:,})" for what, n in self.settings.left_out.items()]
        parts = [
            f"{used} {were} used" if self.given else f"{rows} were given",
            *self._left_out(self.unanswerable, self._no_answer, "unanswerable", invented),
            *self._left_out(self.dropped, lacking, "missing"),
            *self._left_out(self._unscored, "no score in the metric"),
            *([f"left out before scoring: {listed(before)}"] if before else []),
            *(f"{labels[name]} has a score in {numbered(n, row)}" for name, n in self.scored.items()),
        ]
        if any(self._emptied):
            emptied = self._by_system(self._emptied)
            parts.append(f"missing predictions are scored as the empty text ({emptied})")
        if self.empty_answers:
            wrong = f", and texts predicted there are wrong ({self._by_system(self.invented)})"
            parts.append(
                f"rows without an accepted answer are scored against the empty text ({self.empty_answers:,})"
                f"{wrong if any(self.invented) else ''}"
            )
        # Systems may have a column in common.
        for column, n in {column: n for (_, column), n in self.unsure.items() if n}.items():
            has, ranks = ("has", "ranks") if n == 1 else ("have", "rank")
            parts.append(f"{n:,} {has} no confidence ({column}) and {ranks} below all others")
        if self._in_one_document:
            parts.append(
                f"{self.unnamed:,} without a value in {self.settings.cluster} count together as one document"
                ", which can widen intervals: give each of them the document that it belongs to"
            )
        if self.settings.answers_format is not None:
            whole = Option("answers_format", "text"), " reads each text as one answer"
            parts.append(Message(f"answers were split at {self.settings.answers_format!r}: ", *whole))
        return Message(Message.joined("; ", parts), ".")

    def check_scored(self, n: int) -> None:
        """Raise an error with the reasons if no row has a score."""
        if not n:
            if self.settings.where and not self.given:
                raise ValueError(f"no row fulfils {self.settings.where}")
            raise ValueError(Message("there is nothing to score. ", self.sentence))

    def _left_out(self, n: int, what: str, option: str = "", although: str = "") -> list[str]:
        """Return why this number of rows was left out, and the option with which they count."""
        if not n:
            return []
        has, was, them = ("has", "was", "it") if n == 1 else ("have", "were", "them")
        # An option that has this value already changes nothing.
        helps = option in self.advice and getattr(self.settings, option) == "drop" and self._scores_texts
        left_out = f"{n:,} {has} {what} and {was} left out{although}"
        return [Message(left_out, ": ", Option(option, "empty"), f" scores {them}") if helps else left_out]

    def _by_system(self, numbers: Sequence[int]) -> str:
        if len(self.systems) == 1:
            return f"{numbers[0]:,}"
        return by_system(dict(zip(self.systems, numbers, strict=True)))

    def __repr__(self) -> str:
        return self.sentence

    @property
    def notes(self) -> list[str]:
        """The sentence, unless all rows were used as they are."""
        is_changed = (
            any(self._emptied) or self.empty_answers or any(self.unsure.values()) or self._in_one_document
        )
        is_told = self.settings.answers_format is not None or self.settings.left_out
        is_plain = self.used == self.given and not (self.scored or is_changed or is_told)
        return [] if is_plain and self.given else [self.sentence]

    @property
    def caveats(self) -> list[str]:
        """The sentence, if a decision must not pass over the rows that were left out."""
        # A row without gold and prediction is no field, so nothing is lost.
        known = self.unanswerable if self.settings.has_fields else 0
        lost = self.given - self.used - known + sum(self.settings.left_out.values())
        return [self.sentence] if lost > _MOST_LOST * self.given else []


def account_sums(rows: SystemRows, is_used: pl.Expr) -> dict[str, pl.Expr]:
    """Return the numbers of an account of rows, in one line, from their cluster and `system_rows.marks`."""
    is_left_out, is_answerable = ~is_used, pl.col("answerable")
    lacks = [is_missing(name) for name in each("missing", rows.systems)]
    is_dropped = rows.settings.missing == "drop"
    has_cluster = rows.settings.cluster is not None
    has_no_document = (is_used & pl.col(CLUSTER).is_null()).sum() if has_cluster else pl.lit(0)
    counted = is_left_out if is_dropped else is_used
    dropped = (is_left_out & pl.any_horizontal(lacks)).sum() if is_dropped else pl.lit(0)
    return {
        "given": pl.len(),
        "used": is_used.sum(),
        "unanswerable": (is_left_out & ~is_answerable).sum(),
        "dropped": dropped,
        "missing": pl.concat_list([(counted & lack).sum() for lack in lacks]),
        "invented": pl.concat_list([pl.sum(name) for name in each("invented", rows.systems)]),
        "empty_answers": (is_used & pl.col("unanswerable")).sum(),
        "unnamed": has_no_document,
    }


def account_of(rows: SystemRows, sums: pl.DataFrame) -> Account[Any]:
    """Return the account of rows from the line with their `account_sums`."""
    how: dict[str, Any] = {"settings": rows.settings, "from_pandas": rows.from_pandas}
    return Account(systems=rows.names, **how, **sums.row(0, named=True))
