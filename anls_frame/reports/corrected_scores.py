"""Scores corrected by people's verdicts on some of the rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import polars as pl

from anls_frame import statistics
from anls_frame._arguments import choice, number, share, string, takes_names
from anls_frame._typing import Table_co
from anls_frame.export.columns import CORRECTED, TESTED, ends_of, interval, listing, schema_of, with_ends
from anls_frame.export.document import SLICE
from anls_frame.frames.conversion import at_hand, column_names, is_pandas, to_lazy
from anls_frame.frames.reserved_columns import AUDIT, AUDIT_CLUSTER, AUDIT_PROBABILITY, AUDIT_STRATUM
from anls_frame.reports.audited_rows import PROBABILITY, STRATUM, AuditedRows, System, audited
from anls_frame.reports.corrected_documents import CorrectedView
from anls_frame.results import SlicedResult
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.carriers import carried_by_few
from anls_frame.statistics.corrected_means import Audit, CorrectedMean, agreement
from anls_frame.summary import slicing as slicings
from anls_frame.summary.account import Account
from anls_frame.summary.keys import (
    CLUSTER,
    check_own_names,
    chosen_keys,
    key_names,
    largest_first,
    optional,
    sliced_keys,
)
from anls_frame.summary.labels import check_slices
from anls_frame.summary.settings import Settings, scoring
from anls_frame.summary.slicing import By

FEWEST, FEWEST_OF_SLICE = (30, 10), (10, 5)
"""Judged rows, and documents with judged rows, below which there are no figures: of all, and of a slice."""
FEW_DOCUMENTS = 20
"""Effective documents with judged rows, below which a figure rests on few of them."""

AGREEMENT = ("agreement", "sensitivity", "specificity", "kappa")
"""Measures of agreement between scores and truths of 0 and 1."""

_COUNTS = ("n", "n_clusters", "n_audited", "n_clusters_audited")
_SCORES = (
    *("system", *_COUNTS, "score", *with_ends("corrected", "bias"), *ends_of("audit")),
    *("audit_share", "right_share", *with_ends(*AGREEMENT), "tuning", "equivalent_verdicts", "few_rows"),
    *("bias_few_rows", *(f"{measure}_few_rows" for measure in AGREEMENT)),
)
_DIFFERENCES = (
    *("system", "baseline", *_COUNTS, "given_difference", *TESTED, "tuning"),
    *("equivalent_verdicts", "few_rows"),
)


_Pair: TypeAlias = "tuple[str, str | None]"
"""A system, or a system and the baseline with which it is compared."""


class Corrected(SlicedResult[Table_co]):
    """
    Scores of all rows and of each slice, corrected by verdicts on some rows.

    Returned by `corrected`.

    Parameters
    ----------
    rows
        Sums of the rows.
    systems
        The columns of each system.
    described
        Names of the columns of the draw.
    bounds
        The lowest and the highest score.
    tuning
        As for `corrected`.
    baseline
        The system with which others are compared.
    confidence
        Confidence level of the intervals.
    account
        How rows are sliced and clustered, and how many were given and used.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "doc": [row // 4 for row in range(400)],
    ...         "judge": [1.0, 1.0, 0.0, 1.0] * 100,
    ...         "people": [1.0, None, None, None, None, None, 0.0, None, 0.0, None, None, None] * 33
    ...         + [None] * 4,
    ...     }
    ... )
    >>> af.corrected(df, "judge", "people", cluster="doc").overall.select("n", "n_audited", "score")
    shape: (1, 3)
    ┌─────┬───────────┬───────┐
    │ n   ┆ n_audited ┆ score │
    │ --- ┆ ---       ┆ ---   │
    │ i64 ┆ i64       ┆ f64   │
    ╞═════╪═══════════╪═══════╡
    │ 400 ┆ 99        ┆ 0.75  │
    └─────┴───────────┴───────┘
    """

    noun = "correction"
    view = CorrectedView

    def __init__(
        self,
        rows: AuditedRows,
        systems: Mapping[str, System],
        *,
        described: Mapping[str, str],
        bounds: tuple[float, float],
        tuning: float | None,
        baseline: str,
        confidence: float,
        account: Account[Table_co],
    ) -> None:
        super().__init__(confidence, (), account)
        self.systems = dict(systems)
        self.baseline = baseline
        self._rows = rows
        self._described = described
        self._least, self._width = bounds[0], bounds[1] - bounds[0]
        self._bounds = bounds
        self._given_tuning = tuning

    @property
    def signature(self) -> str:
        """The settings as a single line; figures with equal signatures are comparable."""
        tuning = "estimated" if self._given_tuning is None else f"{self._given_tuning:g}"
        draw = [f"{role}:{self._described.get(role, 'none')}" for role in (PROBABILITY, STRATUM)]
        return "|".join(["corrected", f"tuning:{tuning}", *draw, self._settings.signature])

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the figures."""
        return {
            **self._settings.to_dict(),
            "systems": {name: list(system) for name, system in self.systems.items()},
            "probability": self._described.get(PROBABILITY),
            "stratum": self._described.get(STRATUM),
            "bounds": list(self._bounds),
            "tuning": self._given_tuning,
            "baseline": self.baseline,
            "confidence": self.confidence,
        }

    @property
    def overall(self) -> Table_co:
        """Figures of all rows, as in `by`: one row for each system."""
        return self._as_given(self._overall)

    @listing(*_SCORES, of=CORRECTED)
    def by(self, *columns: str) -> Table_co:
        """
        Corrected scores, grouped by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the `by` columns; without columns, the result covers all rows together.

        Returns
        -------
        DataFrame
            One row for each slice and system, the largest slices first: the keys, and

            {columns}

            Numbers of documents are null without clusters, and the bias if verdicts are 0 or 1 and scores
            have another scale, such as grades from 1 to 5. `right_share` and figures of agreement are null
            unless scores and truths are all 0 or 1, and where they divide by 0. `few_rows` is true below 20
            effective documents with verdicts, or if fewer than 10 documents carry the corrected score; the
            other marks are the same for their figures, which other documents carry.

            Figures that need truths are null below 30 verdicts or 10 documents with verdicts (in a slice, 10
            verdicts or 5 documents), and if a stratum has no verdict.

        Raises
        ------
        ValueError
            If a column is not one of the `by` columns.
        """
        return self._as_given(self.slices_by(columns))

    @cached_property
    @listing(*_DIFFERENCES, of=CORRECTED)
    def differences(self) -> Table_co:
        """
        Differences of systems from the baseline, for all rows and for all slices, as in `to_polars`.

        The columns are the keys, and

        {columns}

        P-values are two-sided, of Student's t, and adjusted (Holm) for all lines of a table. The intervals of
        several systems are simultaneous (Bonferroni). The frame is empty without a second system.
        """
        return self._as_given(self.flat(self.differences_by))

    def verdicts_needed(self, width: float) -> Table_co:
        """
        Return the total number of verdicts that would give intervals of about this width.

        Parameters
        ----------
        width
            Width of an interval, from its lower to its upper end.

        Returns
        -------
        DataFrame
            One row for each system and, with `baseline`, for each difference: `n_audited`, and
            `verdicts_needed`, for rows drawn as these were; null if no number of verdicts suffices because
            documents vary too much, so that more documents are needed.

        Raises
        ------
        ValueError
            If the width is not positive.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame(
        ...     {"judge": [1.0, 1.0, 0.0, 1.0] * 500, "people": [1.0, 0.0] * 60 + [None] * 1880}
        ... )
        >>> corrected = af.corrected(df, "judge", "people")
        >>> corrected.verdicts_needed(0.1)["verdicts_needed"].item() > 200
        True
        """
        width = number("width", width, 0, ends=False) / self._width
        whole, lines = self._whole, []
        for system, baseline in self._factors:
            _, mean = self._corrected(whole, (system, baseline), FEWEST)
            needed = None if mean is None else mean.verdicts_needed(width, self.confidence)
            lines.append((system, baseline, len(whole.probability), needed))
        known = schema_of("system", "baseline", "n_audited", of=CORRECTED)
        schema = known | {"verdicts_needed": pl.Int64()}
        return self._as_given(pl.DataFrame(lines, schema=schema, orient="row"))

    def slices_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """The frame of `by` in Polars."""
        return self._table(columns, compared=False)

    def differences_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the rows of `differences` by some of the `by` columns, in Polars."""
        table = self._table(columns, compared=True)
        adjusted = statistics.holm(table["p_value"].to_numpy())
        return table.with_columns(pl.Series("p_adjusted", adjusted).fill_nan(None))

    def _table(self, columns: Sequence[str], *, compared: bool) -> pl.DataFrame:
        """Return lines of systems, or of their differences from the baseline, as `largest_first` does."""
        keys = chosen_keys(columns, self._by, self.noun)
        slices, parts = self._rows.slices(keys)
        pairs = [pair for pair in self._factors if (pair[1] is not None) == compared]
        lines = []
        for part in parts:
            for pair in pairs:
                audit, mean = self._corrected(part, pair, FEWEST_OF_SLICE if keys else FEWEST)
                given = self._width * float(audit.total.sum()) / round(audit.n.sum())
                line: dict[str, Any] = {"score": self._least + given, "given_difference": given}
                line |= {"n": round(audit.n.sum()), "n_audited": len(audit.truth)}
                if self._settings.cluster is not None:
                    line["n_clusters"] = audit.documents
                    line["n_clusters_audited"] = len(np.unique(audit.judged_document))
                if mean is not None:
                    line |= self._difference_of(mean) if compared else self._score_of(mean)
                    line |= {"equivalent_verdicts": round(mean.equivalent_verdicts), "tuning": mean.tuning}
                    has_few = mean.documents < FEW_DOCUMENTS
                    line["few_rows"] = has_few or bool(carried_by_few(mean.carrying))
                    if not compared and pair[0] in self._on_other_scales:
                        line |= interval("bias", None, None, None)
                    elif not compared:
                        line["bias_few_rows"] = has_few or bool(carried_by_few(mean.carrying_bias))
                    if pair in self._right_or_wrong:
                        line |= self._agreement_of(audit)
                lines.append({"system": pair[0], "baseline": pair[1], **line})
        schema = schema_of(*(_DIFFERENCES if compared else _SCORES), of=CORRECTED)
        table = pl.DataFrame(lines, schema=schema)
        if keys:
            slice_of = np.repeat(np.arange(slices.height), len(pairs))
            table = slices[slice_of].hstack(table)
        return largest_first(table, keys, columns, self._settings.orders)

    @cached_property
    def _factors(self) -> dict[_Pair, FloatArray]:
        """Factors of the systems' scores that give each score, and each difference from the baseline."""
        own = dict(zip(self.systems, np.eye(len(self.systems)), strict=True))
        others = [name for name in own if name != self.baseline]
        return {
            **{(name, None): factors for name, factors in own.items()},
            **{(name, self.baseline): own[name] - own[self.baseline] for name in others},
        }

    @cached_property
    def _tunings(self) -> dict[_Pair, float | None]:
        """The tunings of all rows, which slices share; None if a stratum has no verdicts."""
        if self._given_tuning is not None:
            return dict.fromkeys(self._factors, self._given_tuning)
        audits = {pair: self._whole.weighted(factors) for pair, factors in self._factors.items()}
        return {
            pair: CorrectedMean(audit).tuning if audit.is_covered else None for pair, audit in audits.items()
        }

    def _corrected(
        self, part: Audit, pair: _Pair, fewest: tuple[int, int]
    ) -> tuple[Audit, CorrectedMean | None]:
        """Return the audit of a score or a difference, and its mean if there are enough verdicts."""
        audit, tuning, (judged, documents) = part.weighted(self._factors[pair]), self._tunings[pair], fewest
        has_enough = len(audit.truth) >= judged and len(np.unique(audit.judged_document)) >= documents
        if not (has_enough and audit.is_covered) or tuning is None:
            return audit, None
        return audit, CorrectedMean(audit, tuning=tuning)

    @cached_property
    def _right_or_wrong(self) -> set[_Pair]:
        """The systems whose scores and truths are all 0 or 1, so that both can agree."""
        whole = self._whole
        return {
            (system, None)
            for system, *values in zip(self.systems, whole.score, whole.truth, strict=True)
            if np.isin(values, (0, 1)).all()
        }

    @cached_property
    def _on_other_scales(self) -> set[str]:
        """The systems whose verdicts are right or wrong, 1 or 0, and whose scores are not, such as grades."""
        scores, truths = (self._least + self._width * each for each in (self._whole.score, self._whole.truth))
        return {
            system
            for system, given, true in zip(self.systems, scores, truths, strict=True)
            if np.any((given < 0) | (given > 1)) and np.all(np.isin(true.round(9), (0.0, 1.0)))
        }

    @cached_property
    def _whole(self) -> Audit:
        """All rows as one slice."""
        (whole,) = self._rows.slices(())[1]
        return whole

    def _score_of(self, mean: CorrectedMean) -> dict[str, Any]:
        """Return the figures of a system."""
        least, width = self._least, self._width
        ends = [*mean.share_interval(self.confidence), *mean.drawn_interval(self.confidence)]
        low, high, *audit_ends = (least + width * end for end in ends)
        bias_ends = [width * end for end in mean.bias_interval(self.confidence)]
        return {
            **interval("corrected", least + width * min(max(mean.estimate, 0.0), 1.0), low, high),
            **interval("bias", width * mean.bias, *bias_ends),
            **dict(zip(ends_of("audit"), audit_ends, strict=True)),
            "audit_share": mean.removable_variance / mean.variance,
        }

    def _agreement_of(self, audit: Audit) -> dict[str, Any]:
        """Return how well scores and truths of 0 and 1 agree."""
        figures: dict[str, Any] = {"right_share": float(audit.weight @ audit.truth / audit.weight.sum())}
        for name, found in agreement(audit, self.confidence).items():
            if found is not None:
                few = found.documents < FEW_DOCUMENTS or bool(carried_by_few(found.carrying))
                figures |= {**interval(name, found.value, found.low, found.high), f"{name}_few_rows": few}
        return figures

    def _difference_of(self, mean: CorrectedMean) -> dict[str, Any]:
        """Return the figures of the difference of a system from the baseline."""
        # Of several systems, the intervals apply together (Bonferroni), as their p-values are adjusted.
        level = 1 - (1 - self.confidence) / (len(self.systems) - 1)
        ends = [self._width * end for end in mean.difference_interval(level)]
        difference = interval("difference", self._width * mean.estimate, *ends)
        return {**difference, "p_value": mean.p_value}


@takes_names
def corrected(
    frame: Any,
    score: str | None = None,
    truth: str | None = None,
    *,
    systems: Mapping[str, tuple[str, str]] | None = None,
    by: By | None = None,
    cluster: str | None = None,
    probability: str | None = AUDIT_PROBABILITY,
    stratum: str | None = AUDIT_STRATUM,
    bounds: tuple[float, float] = (0.0, 1.0),
    tuning: float | None = None,
    baseline: str | None = None,
    confidence: float = 0.95,
) -> Corrected[Any]:
    """
    Correct the score of all rows by the truth of the rows that people judged.

    The given scores may come from reference answers with errors, or from an LLM judge. `audit_sample`
    draws the rows to be judged, and `audited_scores` turns verdicts into scores.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine), a pandas DataFrame, or any object with
        the Arrow PyCapsule interface: all rows, judged or not.
    score, truth
        Columns with the given score of each row, and with its true score, null for rows without a verdict:
        numbers, true and false, or the texts yes and no; numbers also as text, as from CSV.
    systems
        For several systems, in place of `score` and `truth`: a mapping from the names of systems to these two
        columns. The same rows must be judged for all systems.
    by
        Columns that define the slices, as for `report`.
    cluster
        Column that identifies the document of each row; nulls form one document. By default `audit_cluster`,
        if the frame has it. Without this column, rows are treated as independent.
    probability
        Column with the probability that each row was drawn; null in strata whose rows need no verdict because
        all systems agree. The default column is used if the frame has it. None means that judged rows were
        drawn uniformly at random.
    stratum
        Column with the group of rows within which each row was drawn. The default column is used if the frame
        has it.
    bounds
        The lowest and the highest possible value of scores and truths.
    tuning
        λ, the weight of the scores, at least 0: 0 uses only the truths of judged rows, 1 adds the full
        difference between the mean scores of all rows and of judged rows. By default, the value that
        minimizes the variance.
    baseline
        The system with which others are compared; by default, the first.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Corrected
        The corrected scores, overall and by slice, with the `differences` between systems.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If a column of scores or truths does not hold numbers, or a column cannot define slices.
    ValueError
        If a row has no score, a value is outside the bounds, drawn rows were not judged or undrawn rows were,
        a probability is not in (0, 1], or all judged rows have one kind or belong to one document.
    TypeError
        If the frame is not one of the accepted kinds.

    Warns
    -----
    InputWarning
        If judged rows without a random draw differ from the others, or the number of judged rows is far from
        that of the draw.

    See Also
    --------
    anls_frame.audit_sample : the rows to be judged.
    anls_frame.audited_scores : the truths, from the verdicts of a page of rows.

    Notes
    -----
    The corrected score is the mean truth of judged rows, weighted by stratum, plus λ times the difference
    between the mean scores of all rows and of judged rows. Intervals account for documents, which may be
    judged only in part, and for errors of the score too rare to have been drawn. Slices use the λ of all rows
    and their own judged rows. Verdicts are treated as the truth. See the guide to corrected scores, and the
    page on evidence for the coverage of the intervals.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"doc": [row // 5 for row in range(1000)], "judge": [1.0, 1.0, 0.0, 1.0] * 250})
    >>> sample = af.audit_sample(df, 200, cluster="doc")
    >>> people = pl.when("audit").then(pl.when(pl.col("doc") % 8 < 2).then(0.0).otherwise("judge"))
    >>> corrected = af.corrected(sample.with_columns(people=people), "judge", "people")
    >>> corrected.overall.select(pl.col("score", "corrected", "corrected_low", "corrected_high").round(2))
    shape: (1, 4)
    ┌───────┬───────────┬───────────────┬────────────────┐
    │ score ┆ corrected ┆ corrected_low ┆ corrected_high │
    │ ---   ┆ ---       ┆ ---           ┆ ---            │
    │ f64   ┆ f64       ┆ f64           ┆ f64            │
    ╞═══════╪═══════════╪═══════════════╪════════════════╡
    │ 0.75  ┆ 0.55      ┆ 0.49          ┆ 0.6            │
    └───────┴───────────┴───────────────┴────────────────┘
    """
    confidence = share("confidence", confidence, ends=False)
    tuning = None if tuning is None else number("tuning", tuning, 0)
    bounds = _checked_bounds(bounds)
    columns = _systems(score, truth, systems)
    baseline = next(iter(columns)) if baseline is None else choice("baseline", baseline, columns)
    frame = at_hand(frame)
    names = column_names(frame)
    if cluster is None and AUDIT_CLUSTER in names:
        cluster = AUDIT_CLUSTER
    draw = {PROBABILITY: probability, STRATUM: stratum}
    defaults = {AUDIT_PROBABILITY, AUDIT_STRATUM, AUDIT}
    # A column `audit` that no sample has made is the user's own.
    if probability in names:
        draw[AUDIT] = AUDIT
    described = {
        role: name
        for role, name in draw.items()
        if name is not None and (name in names or name not in defaults)
    }
    slicing = slicings.resolve(by)
    check_own_names(slicing.names, [SLICE, *_SCORES, *(_DIFFERENCES if len(columns) > 1 else ())])
    needed: list[str] = []
    for system in columns.values():
        needed += system
    needed += [*described.values(), *slicing.columns, *optional(cluster)]
    source = to_lazy(frame, [], list(dict.fromkeys(needed)))
    keys, orders = sliced_keys(source, slicing, cluster)
    rows = audited(source, keys, columns, described, bounds)
    check_slices(rows.cells, key_names(slicing.names, None), slicing.names)
    settings = Settings(
        by=slicing.names, tables=slicing.tables, orders=orders, cluster=cluster, metrics=(),
        **scoring("anls", frame, has_texts=False),
    )  # fmt: skip
    # A row without a score is an error.
    n_rows = round(rows.cells["n"].sum())
    # Documents have numbers, and 0 is that of rows without a value.
    unnamed = 0 if cluster is None else round(rows.cells.filter(pl.col(CLUSTER) == 0)["n"].sum())
    account = Account(
        systems=list(columns), settings=settings, given=n_rows, used=n_rows, unnamed=unnamed,
        from_pandas=is_pandas(frame),
    )  # fmt: skip
    return Corrected(
        rows,
        columns,
        described=described,
        bounds=bounds,
        tuning=tuning,
        baseline=baseline,
        confidence=confidence,
        account=account,
    )


def _checked_bounds(bounds: Any) -> tuple[float, float]:
    """Return the lowest and the highest score."""
    if not (isinstance(bounds, tuple | list) and len(bounds) == 2):  # noqa: PLR2004 - a pair
        raise TypeError(f"bounds must be a pair, the lowest and the highest score, got {bounds!r}")
    least, most = (number("bounds", end, -math.inf) for end in bounds)
    if least >= most:
        raise ValueError(f"bounds must be the lowest and then the highest score, got {bounds!r}")
    return least, most


def _systems(score: Any, truth: Any, systems: Any) -> dict[str, System]:
    """Return the columns of each system; a single system is named after its column."""
    if (score is None) != (truth is None) or (score is None) == (systems is None):
        raise ValueError("pass two columns, score and truth, or those of several systems in systems=")
    if systems is None:
        what = "the name of a column"
        return {string("score", score, what): System(score, string("truth", truth, what))}
    pairs = list(systems.values()) if isinstance(systems, Mapping) else []
    if not pairs or not all(map(_are_two_names, pairs)):
        raise TypeError(f"systems must map names to the columns of scores and truths, got {systems!r}")
    return {name: System(*pair) for name, pair in systems.items()}


def _are_two_names(pair: Any) -> bool:
    is_pair = isinstance(pair, tuple | list) and len(pair) == 2  # noqa: PLR2004
    return is_pair and all(isinstance(name, str) for name in pair)
