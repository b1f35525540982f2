"""Reports: scores by slice, with intervals."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._arguments import choice, share, string
from anls_frame.reports import rest
from anls_frame.reports.estimates import estimates
from anls_frame.results import SlicedResult
from anls_frame.summary import fixed_point, folding, moments
from anls_frame.summary.details import confusion_table, error_table, length_table
from anls_frame.summary.keys import canonical, chosen_keys, key_names, named
from anls_frame.summary.measures import reported
from anls_frame.summary.summarizing import summarize

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from matplotlib.axes import Axes

    from anls_frame.export import Document
    from anls_frame.export.display import Glance
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.settings import Missing
    from anls_frame.summary.summary import Summary

__all__ = ["Report", "report"]


class Report(SlicedResult):
    """
    Scores of all rows and of each slice, with intervals.

    Made by `report`, or from a summary by `Report.from_summary`.

    Parameters
    ----------
    summary
        What it is made from.
    sort
        Column by which slices are sorted: a count (largest first), a score (the worst first: the lowest, or
        the highest where lower is better), a rate (highest first) or a key.
    confidence
        Confidence level of the intervals.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "prediction": ["a", "b", "cd", "x"],
    ...         "answer": ["a", "b", "ce", "y"],
    ...         "types": [["form"], ["form", "table"], ["table"], None],
    ...     }
    ... )
    >>> report = af.report(df, "prediction", "answer", by="types")
    >>> report.overall["anls"]
    0.5
    >>> report.by_group.select("types", "n", "anls")
    shape: (3, 3)
    ┌───────┬─────┬──────┐
    │ types ┆ n   ┆ anls │
    │ ---   ┆ --- ┆ ---  │
    │ str   ┆ u64 ┆ f64  │
    ╞═══════╪═════╪══════╡
    │ form  ┆ 2   ┆ 1.0  │
    │ table ┆ 2   ┆ 0.5  │
    │ null  ┆ 1   ┆ 0.0  │
    └───────┴─────┴──────┘
    """

    noun = "report"

    def __init__(self, summary: Summary, *, sort: str = "n", confidence: float = 0.95) -> None:
        super().__init__(summary.settings.by, share("confidence", confidence, ends=False))
        self.summary = summary
        self.sort = sort
        self._check_conservation()
        string("sort", sort, "a column of the report")
        self._check_sizes()
        self._check_names()
        if sort not in self.by_group.columns:
            raise ValueError(
                f"sort must be a column of the report, got {sort!r}; there are {self.by_group.columns}"
            )

    @classmethod
    def from_summary(cls, summary: Summary, *, sort: str = "n", confidence: float = 0.95) -> Report:
        """
        Make the report of a summary.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
        >>> parts = [af.summarize(half, "prediction", "answer") for half in (df[:1], df[1:])]
        >>> af.Report.from_summary(af.merge(parts)).overall["anls"]
        0.5
        """
        return cls(summary, sort=sort, confidence=confidence)

    @property
    def signature(self) -> str:
        """One line that says which numbers can be compared with these."""
        return self.summary.settings.signature

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Everything the numbers depend on, with a digest of the rows that were scored."""
        return {
            **self.summary.settings.to_dict(),
            "confidence": self.confidence,
            "rows": self.summary.rows,
            "digest": self.summary.digest,
        }

    @property
    def worst(self) -> pl.DataFrame:
        """
        The rows with the lowest scores, as many as `worst=` asked for; the highest where lower is better.

        Of equal scores the texts decide, then the columns of `by` and the cluster: they are the same rows in
        any order and from any parts.
        """
        if not self.summary.settings.worst:
            return pl.DataFrame()
        rows = canonical(self.summary.worst_rows.drop("row_digest", strict=False))
        names = dict(zip(key_names(self._by, None), self._by, strict=True))
        cluster = self.summary.settings.cluster
        if cluster in self._by:
            rows = rows.drop("cluster", strict=False)
        elif cluster is not None:
            names["cluster"] = cluster
        return rows.rename(names, strict=False)

    def by(self, *columns: str) -> pl.DataFrame:
        """
        Counts and scores by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the `by` columns the report was made with; none gives all rows together.

        Returns
        -------
        DataFrame
            One row a slice. A row counts in each entry of a list column, so the counts of slices may add up
            to more than all rows. Columns: the keys; the counts `n` (scored rows), `n_missing` (null
            predictions), `n_unanswerable` (rows without an answer) and `n_empty_reference`; the means
            `anls`, `nls` and `exact_match`; `zeros`, the share of rows with `anls` 0; `cer_mean`, the mean
            of rates, and `cer_corpus`, all edits by all reference lengths; each with its interval in
            `_low` and `_high`, null where the rows do not allow one; `few_rows`, true where intervals are
            only roughly right: below 100 rows, 20 effective units (clusters, counted less where some are
            much larger than others) or 10 clusters that carry the score, or what it lacks to 1;
            `n_clusters`, null without clusters.

        Raises
        ------
        ValueError
            If the report was not made by such a column.
        """
        keys = chosen_keys(columns, self._by, self.noun)
        folded = self.summary.folded
        if folded is None:
            sums = moments.roll_up(self.summary.cells, keys, self.measures)
        else:
            sums = folding.slices(folded, keys, self.measures)
        figures = estimates(sums, self.measures, self.confidence)
        has_clusters = self.summary.settings.cluster is not None
        counts = [count for count in moments.COUNTS if count != "rows"]
        slices = sums.select(
            *keys,
            *counts,
            *figures,
            n_clusters="units" if has_clusters else pl.lit(None, pl.UInt64),
        )
        return named(self._sorted(slices, keys), keys, columns)

    def against_rest(self, *columns: str, measure: str | None = None) -> pl.DataFrame:
        """
        Test each slice against all rows outside it.

        The interval of a slice cannot tell this: the mean of all rows is an estimate as well, and contains
        the slice.

        Parameters
        ----------
        columns
            Any of the `by` columns that the report was made with; all of them by default.
        measure
            One of the report's scores or rates, as `"anls"` or `"cer_corpus"`; the first one by default.

        Returns
        -------
        DataFrame
            One row a slice, the lowest `p_value` first: the keys, `n` (scored rows), the slice's figure
            under its name, `rest` (that of all other rows), `difference` (slice minus rest), `p_value`
            (two-sided) and `p_adjusted` (after Holm, for the number of slices). The p-values are null for a
            slice that holds all scored rows or none.

        Raises
        ------
        ValueError
            If the report was not made by such a column or has no such score, or if its clusters were folded:
            then nobody knows which of them reach into a slice.

        Notes
        -----
        Student's t for the difference, by clusters where there are some. Its variance is the larger of two:
        the one that the rows of the slice show around the mean of all rows, and the one that rows as
        different and as alike as all rows are would have. So a dozen answers that happen to be all right
        are not yet a better slice. See the page on statistics.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"] * 50, "answer": ["a"] * 20 + ["a", "x"] * 15})
        >>> df = df.with_columns(lang=pl.Series(["en"] * 20 + ["de"] * 30))
        >>> report = af.report(df, "prediction", "answer", by="lang")
        >>> report.against_rest().select("lang", "anls", "rest", pl.col("p_value").round(4))
        shape: (2, 4)
        ┌──────┬──────┬──────┬─────────┐
        │ lang ┆ anls ┆ rest ┆ p_value │
        │ ---  ┆ ---  ┆ ---  ┆ ---     │
        │ str  ┆ f64  ┆ f64  ┆ f64     │
        ╞══════╪══════╪══════╪═════════╡
        │ de   ┆ 0.5  ┆ 1.0  ┆ 0.0005  │
        │ en   ┆ 1.0  ┆ 0.5  ┆ 0.0005  │
        └──────┴──────┴──────┴─────────┘
        """
        columns = columns or self._by
        keys = chosen_keys(columns, self._by, self.noun)
        if not keys:
            raise ValueError("the report has no slices; name columns in by= when making it")
        if self.summary.folded is not None:
            raise ValueError("the clusters of this report are folded; ask before fold_clusters()")
        measures = {one.name: one for one in self.measures}
        chosen = self.measures[0] if measure is None else measures[choice("measure", measure, measures)]
        tested = rest.against_rest(self.summary.cells, keys, chosen).sort("p_value", *keys, nulls_last=True)
        return named(tested, keys, columns)

    def errors(self, *columns: str) -> pl.DataFrame:
        """
        Types of errors by some of the `by` columns: `error_type`, `n` and its `share` of the slice.

        The report has to be made with ``details=True``.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "B", "x"], "answer": ["a", "b", "y"]})
        >>> af.report(df, "prediction", "answer", details=True).errors()["error_type"].to_list()
        ['exact', 'case', 'wrong']
        """
        return self._detail("errors", error_table, columns)

    def confusions(self, *columns: str) -> pl.DataFrame:
        """
        Confusions of characters by some of the `by` columns, see `anls_frame.confusions`.

        Texts are prepared by the `cer_protocol`. The report has to be made with ``details=True``.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["lnvoice"], "answer": ["Invoice"]})
        >>> report = af.report(df, "prediction", "answer", details=True)
        >>> report.confusions().select("reference_char", "predicted_char", "count").row(0)
        ('I', 'l', 1)
        """
        return self._detail("confusions", confusion_table, columns)

    def lengths(self, *columns: str) -> pl.DataFrame:
        """
        Scores by the length of the reference and some of the `by` columns, see `anls_frame.length_scores`.

        The report has to be made with ``details=True``.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["lnvoice"], "answer": ["Invoice"]})
        >>> report = af.report(df, "prediction", "answer", details=True)
        >>> report.lengths().select("length_from", "length_to", "n").row(0)
        (4, 7, 1)
        """
        return self._detail("lengths", length_table, columns)

    def plot(self, ax: Axes | None = None) -> Axes:
        """
        Draw the score of all rows and of each slice with its interval; see `anls_frame.plot.group_scores`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
        >>> af.report(df, "prediction", "answer").plot().get_xlabel()
        'ANLS, 95 % interval'
        """
        from anls_frame.plot import group_scores  # noqa: PLC0415 - only for those who plot

        return group_scores(self, ax=ax)

    def to_document(self) -> Document:
        """Return the tables, settings and notes that `write` writes."""
        from anls_frame.reports.documents import report_document  # noqa: PLC0415 - only for those who write

        return report_document(self.summary, self.to_polars(), self.worst, self.settings)

    def _glance(self, most: int | None) -> Glance:
        from anls_frame.reports.documents import report_glance  # noqa: PLC0415 - only for those who look

        return report_glance(self.summary, self.to_polars(), most)

    def _check_sizes(self) -> None:
        score = self.summary.settings.score
        if score is not None:
            least, most = self.summary.cells.select(pl.col("score_min").min(), pl.col("score_max").max()).row(
                0
            )
            fixed_point.check_size(f"scores in column {score!r}", least, most)

    def _check_names(self) -> None:
        settings = self.summary.settings
        keys = key_names(settings.by, settings.cluster)
        shown = [column for column in self.summary.worst_rows.columns if column not in keys]
        of_rows = shown if settings.worst else []
        taken = [column for column in settings.by if column in ("slice", *self.overall, *of_rows)]
        if settings.cluster in of_rows and settings.cluster not in settings.by:
            taken.append(settings.cluster)
        if taken:
            raise ValueError(f"the columns {taken} would collide with columns of the report; rename them")

    def _check_conservation(self) -> None:
        total = self.summary.cells.sum()
        counts = {name: int(total[name][0] or 0) for name in moments.COUNTS}
        accounted = counts["n"] + counts["n_unanswerable"]
        if self.summary.settings.missing == "drop":
            accounted += counts["n_missing"]
        if not counts["rows"] == self.summary.rows == accounted:
            raise RuntimeError(
                f"the rows do not add up: {self.summary.rows} read, {counts['rows']} in cells, {accounted} "
                "scored, missing or unanswerable; the summary is damaged"
            )

    @cached_property
    def measures(self) -> tuple[Metric, ...]:
        """What is reported of each slice."""
        settings, cells = self.summary.settings, self.summary.cells
        if settings.score is None:
            return reported(None)
        inside = pl.col("score_min").ge(0).all(), pl.col("score_max").le(1).all()
        from_zero, to_one = cells.select(*inside).row(0)
        better = settings.higher_is_better
        return reported(settings.score, higher_is_better=better, from_zero=from_zero, to_one=to_one)

    def _sorted(self, slices: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
        sort = chosen_keys([self.sort], self._by, self.noun)[0] if self.sort in self._by else self.sort
        first = [] if sort not in slices.columns or sort in keys else [sort]
        # The worst first, be it the lowest or the highest.
        worse_if_high = [
            end for metric in self.measures if not metric.higher_is_better for end in metric.ends
        ]
        descending = sort in (*moments.COUNTS, "n_clusters", *worse_if_high)
        order = [*first, *([sort] if sort in keys else []), *(key for key in keys if key != sort)]
        if not order:
            return slices
        flags = [descending and column in first for column in order]
        return slices.sort(order, descending=flags, nulls_last=True)

    def _detail(
        self,
        name: str,
        table: Callable[[pl.DataFrame, Sequence[str]], pl.DataFrame],
        columns: tuple[str, ...],
    ) -> pl.DataFrame:
        if not self.summary.settings.details:
            raise ValueError(f"the report has no {name}; make it with details=True")
        keys = chosen_keys(columns, self._by, self.noun)
        return named(table(self.summary.details[name], keys), keys, columns)


def report(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    score: str | None = None,
    higher_is_better: bool | None = None,
    by: str | Sequence[str] | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    worst: int = 0,
    details: bool = False,
    sort: str = "n",
    confidence: float = 0.95,
    progress: bool | Callable[[int], object] = False,
) -> Report:
    """
    Report the scores of a frame, of all rows and by slice, with intervals.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine, so it may be larger than memory), a
        pandas DataFrame, or any object with the Arrow PyCapsule interface.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers.
    score
        Name of a column with scores that exist already, in place of `prediction` and `answers`.
    higher_is_better
        Direction of these scores; by default `False` if its name has the word cer, wer, mer, wil or
        ter, as error rates have, and `True` for all others.
    by
        Columns that slice the rows. A row counts in each entry of a list column; null, an empty list and a
        list of nulls are one slice, null.
    cluster
        Column of the document that a row belongs to. Rows of one document are alike, and intervals that
        take them for independent are too narrow: name it where there is one.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`; a `cer_protocol` of your own is best made from "raw",
        which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as the empty text, `"drop"` leaves it out. A null
        score is always left out.
    worst
        How many of the rows with the lowest scores to keep; the highest ones where lower is better.
    details
        Count kinds of errors, confusions of characters and lengths as well, for `errors`, `confusions` and
        `lengths`; reads the rows three times more.
    sort
        Column by which slices are sorted.
    confidence
        Confidence level of the intervals.
    progress
        `True` draws a bar on a terminal or in a notebook; a function is told the number of rows of each
        batch that is read, from any thread. `cluster` and `worst` read the rows once more each, `details`
        three times.

    Returns
    -------
    Report
        With `overall`, `by_group`, `by(...)`, `worst` and `write(path)`, and with details `errors(...)`,
        `confusions(...)` and `lengths(...)`.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If an option is outside its choices, or both or none of texts and `score` are given.

    See Also
    --------
    anls_frame.compare : two systems on the same rows.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"], "lang": ["en", "de"]})
    >>> af.report(df, "prediction", "answer", by="lang").by_group["lang"].to_list()
    ['de', 'en']
    """
    summary = summarize(
        frame,
        prediction,
        answers,
        score=score,
        higher_is_better=higher_is_better,
        by=by,
        cluster=cluster,
        protocol=protocol,
        threshold=threshold,
        cer_protocol=cer_protocol,
        missing=missing,
        worst=worst,
        details=details,
        progress=progress,
    )
    return Report(summary, sort=sort, confidence=confidence)
