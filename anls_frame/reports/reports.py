"""Reports of scores by slice, with intervals."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._arguments import choice, count, share, takes_names
from anls_frame._engines import checked_first
from anls_frame._messages import Message, wrong
from anls_frame._typing import ByFrame, Missing, Table, Table_co, declared
from anls_frame.export.columns import FOUND, SCORE, listing
from anls_frame.export.document import TABLE
from anls_frame.frames.checks import COLLIDE
from anls_frame.protocol import ScoreProtocol
from anls_frame.reports.estimates import Sums, estimate
from anls_frame.reports.report_documents import ReportView
from anls_frame.results import SlicedResult
from anls_frame.summary import moments
from anls_frame.summary.catalogue import Metrics, refuse_quantiles
from anls_frame.summary.cell_sums import ALL
from anls_frame.summary.details import OPERATIONS, Op, detail_table
from anls_frame.summary.keys import canonical, chosen_keys, in_order, key_names, optional, with_column_names
from anls_frame.summary.measures import COUNTS, Metric
from anls_frame.summary.settings import Unanswerable
from anls_frame.summary.slicing import By
from anls_frame.summary.summarizing import summarize
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class Report(SlicedResult[Table_co]):
    """
    Scores over all rows and by slice, with intervals.

    Returned by `report` and, for summaries, by `Report.from_summary`.

    Parameters
    ----------
    summary
        The summary to report.
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
    │ str   ┆ i64 ┆ f64  │
    ╞═══════╪═════╪══════╡
    │ form  ┆ 2   ┆ 1.0  │
    │ table ┆ 2   ┆ 0.5  │
    │ null  ┆ 1   ┆ 0.0  │
    └───────┴─────┴──────┘
    """

    noun = "report"
    view = ReportView

    def __init__(
        self,
        summary: Summary[Table_co],
        *,
        confidence: float = 0.95,
    ) -> None:
        confidence = share("confidence", confidence, ends=False)
        super().__init__(confidence, summary.metrics, summary.account)
        self.summary = summary
        self._sums = summary.report_sums
        self._lengths = summary.settings.lengths
        self._estimated: dict[tuple[str, ...], pl.DataFrame] = {}
        self._check_names()

    @classmethod
    def from_summary(cls, summary: Summary[Table], *, confidence: float = 0.95) -> Report[Table]:
        """
        Return the report of a summary, with intervals at the given confidence level.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
        >>> parts = [af.summarize(half, "prediction", "answer") for half in (df[:1], df[1:])]
        >>> af.Report.from_summary(af.merge(parts)).overall["anls"]
        0.5
        """
        return Report(summary, confidence=confidence)

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the figures, with a digest of the scored rows."""
        return {
            **self._settings.to_dict(),
            "confidence": self.confidence,
            "rows": self.summary.rows,
            "digest": self.summary.digest,
        }

    @property
    def worst(self) -> Table_co:
        """
        The rows with the worst scores in the first metric, as many as `worst=` asked for.

        Ties are broken by the texts, then by the `by` columns and the cluster, so neither the order of rows
        nor their split into parts matters.
        """
        return self._as_given(self.worst_rows)

    @cached_property
    def worst_rows(self) -> pl.DataFrame:
        """The frame of `worst` in Polars."""
        if not self._settings.worst:
            return pl.DataFrame()
        rows = canonical(self._sums.frames["worst"].drop("row_digest", strict=False))
        names = dict(zip(key_names(self._by, None), self._by, strict=True)) | self._names_in_rows
        cluster = self._settings.cluster
        if cluster in self._by:
            rows = rows.drop("cluster", strict=False)
        elif cluster is not None:
            names["cluster"] = cluster
        return rows.rename(names, strict=False)

    @property
    def overall(self) -> dict[str, Any]:
        """Counts and scores of all rows."""
        return self._overall.row(0, named=True)

    def by(self, *columns: str) -> Table_co:
        """
        Counts and scores, grouped by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the report's `by` columns. Without columns, the result has a single row for all rows.

        Returns
        -------
        DataFrame
            One row per slice. Slices follow the order of an ordered key (an Enum, an ordered categorical of
            pandas); otherwise the largest slice comes first or, with the metrics "ocr", the slice with the
            highest `cer_corpus`. A row with a list counts in the slice of each entry, so the counts of slices
            may add up to more than the number of rows.

            The columns are

            - the keys of the slices;
            - `n` (scored rows), `n_missing` (null predictions), `n_unanswerable` (rows without an answer) and
              `n_empty_reference`; with the metrics "ocr", also `words` and `characters`, the reference totals
              by which `wer_corpus` and `cer_corpus` divide;
            - the metrics, each with its interval in `_low` and `_high` (null where rows do not allow one): by
              default the means `anls`, `nls` and `exact_match`; `zeros`, the share of rows with `anls` 0;
              `cer_mean`, the mean of rates; and `cer_corpus`, total edits divided by total reference length.
              Custom metrics have their number of rows in `_n`;
            - `few_rows`, true where intervals are only rough: below 100 rows, below 20 effective units
              (clusters count less if some are much larger than others), or with fewer than 10 clusters that
              contribute to the score or to its distance from 1 (for error rates without clusters, fewer than
              30 rows with errors; more are needed if long rows have higher rates);
            - `n_clusters`, null without clusters.

        Raises
        ------
        ValueError
            If the report does not have such a `by` column.
        """
        return self._as_given(self.slices_by(columns))

    def slices_by(self, columns: Sequence[str], *, sort: str | None = None, min_n: int = 0) -> pl.DataFrame:
        """The frame of `by` in Polars."""
        keys = (*chosen_keys(columns, self._by, self.noun),)
        if keys not in self._estimated:  # once for all views of the report
            self._estimated[keys] = self._figures(keys)
        slices = in_order(self._estimated[keys], keys, columns, self._settings.orders)
        if keys and min_n:
            slices = slices.filter(pl.col("n") >= min_n)
        return with_column_names(self._sorted(slices, keys, sort), keys, columns)

    def _figures(self, keys: Sequence[str]) -> pl.DataFrame:
        """Return the slices in the order of their keys."""
        figures: dict[str, pl.Series] = {}
        few = []
        wanted = {metric.name for metric in self._settings.metrics}
        for name, cells, every in self.summary.groups():
            metrics = [metric for metric in every if metric.name in wanted]
            means = [metric for metric in metrics if metric.probability is None]
            sums = moments.roll_up(cells, keys, means)
            if name is ALL:
                whole = sums
            for metric in metrics:
                if metric in means:
                    own = Sums.of(sums, metric)
                    estimated = estimate(metric, own, own.n, self.confidence)
                else:
                    from anls_frame.reports.woodruff import quantile_estimate  # noqa: PLC0415 - only for these

                    estimated = quantile_estimate(cells, sums, keys, metric, self.confidence)
                few.append(pl.Series(estimated.few))
                ends = zip(metric.ends, estimated[:3], strict=True)
                figures |= {end: pl.Series(end, values, nan_to_null=True) for end, values in ends}
                figures |= {
                    length: sums[metric.moments()[1]].cast(pl.Int64).alias(length)
                    for length, rate in self._lengths.items()
                    if metric.name == rate
                }
            if name is not ALL:
                figures[f"{name}_n"] = sums["n"].alias(f"{name}_n")
        has_clusters = self._settings.cluster is not None
        return whole.select(
            *keys,
            *COUNTS[1:],  # without the rows that have no score
            *(figures[column] for column in self._names_of_figures),
            few_rows=pl.any_horizontal(few),
            n_clusters="units" if has_clusters else pl.lit(None, pl.Int64),
        )

    @listing("n", "rest", "difference", "p_value", "p_adjusted", of=FOUND)
    def against_rest(
        self, *columns: str, measure: str | None = None, draws: int = 199, seed: int = 0
    ) -> Table_co:
        """
        Test each slice against the rest, all rows outside it.

        The interval of a slice does not answer this question, because the mean of all rows is an estimate,
        too, and includes the slice.

        Parameters
        ----------
        columns
            Any of the report's `by` columns; by default, all.
        measure
            One of the report's scores or rates, such as `"anls"` or `"cer_corpus"`; by default, the first.
        draws, seed
            Number of random draws of the test with documents, from 1 to 20,000, and their seed. The smallest
            possible p-value is 1 / (1 + draws).

        Returns
        -------
        DataFrame
            One row per slice, lowest `p_value` first: the keys, the figure of the slice under its name, and

            {columns}

            P-values are null for a slice with all scored rows or none. They are also null, with a warning,
            for one document against one other, and if rows differ in one direction and documents of unlike
            sizes in the other.

        Raises
        ------
        ValueError
            If a column is not one of the report's `by` columns, or the report does not have the measure.

        Notes
        -----
        The statistic is the difference divided by its standard error, which is the larger of two: the
        standard error observed around the figures of the slice and of the rest, and the one expected from the
        variance and intraclass correlation of all rows. A dozen answers that all happen to be right therefore
        do not make a slice significantly better.

        With clusters, the test permutes the rows of documents among documents of about the same size, `draws`
        times. If a slice depends on the size of documents, such as invoices with more fields than receipts,
        it permutes the rows of documents of all sizes, and all documents have the same weight in the
        statistic. The p-value is the share of draws, the data included, whose statistic is at least as large;
        the adjusted p-value uses the largest statistic of all slices in each draw. With more than 50,000 rows
        or 4,096 documents, and without clusters, the statistic is compared with Student's t, and p-values are
        adjusted by Holm; two slices that are each other's rest are one test. See the guide to statistics.

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
        from anls_frame.reports import rest  # noqa: PLC0415 - only for those who use it

        keys = self._sliced_by(columns)
        measures = {metric.name: metric for metric in self.measures}
        chosen = self.measures[0] if measure is None else measures[choice("measure", measure, measures)]
        refuse_quantiles([chosen])
        options = {"draws": count("draws", draws, 1, rest.MOST_DRAWS), "seed": count("seed", seed)}
        tested = rest.against_rest(self._cells_of(chosen), keys, chosen, **options).sort(
            "p_value", *keys, nulls_last=True
        )
        return self._as_given(with_column_names(tested, keys, columns or self._by))

    @listing("metric", "n", "n_slices", *SCORE, "few_rows", "n_clusters")
    def macro(self, *columns: str, weights: Mapping[Any, float] | None = None) -> Table_co:
        """
        Macro averages: means of the figures of slices, by default with equal weights.

        The figure of all rows, in contrast, weights each slice by its rows.

        Parameters
        ----------
        columns
            Any of the report's `by` columns, whose values define the slices; by default, all.
        weights
            The weights of slices, as a mapping from values (tuples for several columns) to numbers of at
            least 0; by default, all are equal.

        Returns
        -------
        DataFrame
            One row for each metric:

            {columns}

            `n` counts a row in each of its slices. Slices without a score, and quantile metrics, are left
            out.

        Raises
        ------
        ValueError
            If there are no slices, a column is not one of the report's `by` columns, a slice has no weight, a
            weight has no slice, or all weights are 0.

        Notes
        -----
        The interval allows for documents with rows in several slices. It is computed from the contribution of
        each document to the average, by the delta method for a linear combination of ratios, and is otherwise
        of the same type as the metric's interval in a report. The contributions in a slice of G effective
        documents are stretched by √(G / (G - 1)), and the variance has the degrees of freedom of
        Satterthwaite over slices. An average is also marked `few_rows` if a slice has fewer than 15 effective
        documents (or rows, without clusters); it has no interval if a slice has fewer than two. See the page
        on evidence for its coverage.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a"] * 8, "answer": ["a"] * 6 + ["x"] * 2})
        >>> df = df.with_columns(lang=pl.Series(["en"] * 4 + ["de"] * 4))
        >>> report = af.report(df, "prediction", "answer", metrics="anls", by="lang")
        >>> report.macro("lang").select("metric", "n_slices", "score").row(0)
        ('anls', 2, 0.75)
        >>> report.macro("lang", weights={"en": 3, "de": 1})["score"].item()
        0.875
        """
        return self._as_given(self.macro_by(columns, weights))

    def macro_by(self, columns: Sequence[str], weights: Mapping[Any, float] | None = None) -> pl.DataFrame:
        """The frame of `macro` in Polars."""
        from anls_frame.reports import macro  # noqa: PLC0415 - only for those who use it

        keys = self._sliced_by(columns)
        averaged = [metric for metric in self.measures if metric.probability is None]
        if not averaged:
            refuse_quantiles(self.measures)
        return macro.as_frame([
            macro.report_line(self._cells_of(metric), keys, metric, weights, self.confidence)
            for metric in averaged
        ])  # fmt: skip

    def errors(self, *columns: str) -> Table_co:
        """
        Return error types by some of the `by` columns: `error_type`, `n` and its `share` of the slice.

        The report must be made with ``details=True``.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "B", "x"], "answer": ["a", "b", "y"]})
        >>> af.report(df, "prediction", "answer", details=True).errors()["error_type"].to_list()
        ['exact', 'case', 'wrong']
        """
        return self._detail("errors", columns)

    def causes(self, *columns: str) -> Table_co:
        """
        Return what lowers the ANLS, by some of the `by` columns: every loss has exactly one cause.

        The report must be made with ``details=True``.

        Returns
        -------
        DataFrame
            One row for each cause, the largest loss first: `cause`; `n`, the number of its rows; `loss`, by
            how much it lowers the score of the slice; and `share_of_loss`. The losses of a slice add up to 1
            minus its ANLS. The causes are `missing` and `empty` predictions; `invented`, a prediction where
            the answer is empty; `wrapped`, what `unwrap` would gain; and, by the error type of the
            unwrapped text, `form` (case, whitespace, punctuation, diacritics, number format), `extra_text`,
            `truncated`, `near` and `wrong`. A row that scores less without its wrapping keeps its text.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["7", "The answer is 42.", "x"], "answer": ["7", "42", "y"]})
        >>> af.report(df, "prediction", "answer", details=True).causes().select("cause", "n", "share_of_loss")
        shape: (2, 3)
        ┌─────────┬─────┬───────────────┐
        │ cause   ┆ n   ┆ share_of_loss │
        │ ---     ┆ --- ┆ ---           │
        │ enum    ┆ i64 ┆ f64           │
        ╞═════════╪═════╪═══════════════╡
        │ wrapped ┆ 1   ┆ 0.5           │
        │ wrong   ┆ 1   ┆ 0.5           │
        └─────────┴─────┴───────────────┘
        """
        return self._detail("causes", columns)

    def confusions(self, *columns: str, op: Op | None = None) -> Table_co:
        """
        Return character confusions by some of the `by` columns; see `anls_frame.confusions`.

        Texts are prepared by the `errors` of the protocol. The report must be made with ``details=True``,
        which counts rows with an `nls` of at least 0.5, or with options for `details`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["lnvoice"], "answer": ["Invoice"]})
        >>> report = af.report(df, "prediction", "answer", details=True)
        >>> report.confusions().select("reference_char", "predicted_char", "count").row(0)
        ('I', 'l', 1)
        """
        if op is not None:
            choice("op", op, OPERATIONS)
        return self._detail("confusions", columns, op=op)

    def lengths(self, *columns: str) -> Table_co:
        """
        Return scores by reference length and some of the `by` columns; see `anls_frame.length_scores`.

        The report must be made with ``details=True``.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["lnvoice"], "answer": ["Invoice"]})
        >>> report = af.report(df, "prediction", "answer", details=True)
        >>> report.lengths().select("length_from", "length_to", "n").row(0)
        (4, 7, 1)
        """
        return self._detail("lengths", columns)

    def plot(self, measure: str | None = None, **options: Any) -> Axes:
        """
        Draw a score (by default, the first) of all rows and of each slice, with intervals.

        The options are those of `anls_frame.plot.group_scores`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
        >>> af.report(df, "prediction", "answer").plot("exact_match", title="Week 3").get_xlabel()
        'exact match, 95 % interval'
        """
        from anls_frame import plot  # noqa: PLC0415 - imports matplotlib

        return plot.group_scores(self, measure, **options)

    def _cells_of(self, metric: Metric) -> pl.DataFrame:
        """Return the cells with the sums of a metric."""
        return self._sums.cells.get(metric.name, self._sums.cells[ALL])

    def _check_names(self) -> None:
        settings = self._settings
        by, cluster, own = settings.by, settings.cluster, self._names_in_rows
        internal = (*key_names(by, cluster), "row_digest")
        kept = self._sums.frames["worst"].columns if settings.worst else []
        rows = [own.get(name, name) for name in kept if name not in internal]
        figures = (*COUNTS[1:], *self._names_of_figures, "few_rows", "n_clusters")
        slices = ["slice", *([TABLE] if settings.tables else []), *figures]
        taken = [column for column in by if column in (*slices, *rows)]
        rows += optional(cluster) if kept and cluster not in by else []
        for names in (slices, rows):
            taken += {name for name in names if names.count(name) > 1}
        if taken:
            raise ValueError(Message(f"the columns {taken}", COLLIDE))

    @property
    def _names_of_figures(self) -> list[str]:
        """Names of the lengths and scores of a slice, and of the rows of scores that some rows lack."""
        names = [*self._lengths]
        for place, metric in enumerate(self.measures):
            has_own_rows = metric.name in self._sums.cells and (place > 0 or self._settings.has_texts)
            names += [*metric.ends, *([f"{metric.name}_n"] if has_own_rows else [])]
        return names

    @property
    def _names_in_rows(self) -> dict[str, str]:
        """Names of columns of the worst rows: custom metrics and kept columns."""
        settings = self._settings
        own = {f"score_{index}_0": metric.name for index, metric in enumerate(settings.own)}
        return own | {f"keep_{index}": name for index, name in enumerate(settings.keep)}

    def _sorted(self, slices: pl.DataFrame, keys: Sequence[str], sort: str | None) -> pl.DataFrame:
        if sort is not None and sort not in (*self._by, *slices.columns):
            columns = [*self._by, *slices.drop(keys).columns]
            raise wrong("sort", f"must be a column of the report, got {sort!r}; its columns are {columns}")
        if sort is None:
            sort = "cer_corpus" if self._lengths else "n"
            # Values in an order of their own are best read in it.
            if len(self._by) == 1 and self._by[0] in self._settings.orders:
                sort = self._by[0]
        if sort in self._by:
            sort = chosen_keys([sort], self._by, self.noun)[0]
        # Worst first, whether that is the lowest or the highest.
        worse_if_high = [*COUNTS, *self._lengths, "n_clusters"]
        for metric in self.measures:
            worse_if_high += [] if metric.higher_is_better else metric.ends
        largest_first = sort not in keys and sort in worse_if_high
        order = [column for column in dict.fromkeys([sort, *keys]) if column in slices.columns]
        flags = [largest_first and column == sort for column in order]
        return slices.sort(order, descending=flags, nulls_last=True) if keys else slices

    def _detail(self, name: str, columns: Sequence[str], **options: Any) -> Table_co:
        settings, counted = self._settings, self._sums.of("details")
        return self._as_given(detail_table(counted, settings, name, columns, **options))


_on_frames: ByFrame[Report[pd.DataFrame], Report[pl.DataFrame]] = declared


@_on_frames
@checked_first
@takes_names
def report(
    frame: Any,
    prediction: str | None = None,
    answers: str | None = None,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    worst: int = 0,
    keep: Sequence[str] = (),
    details: bool | Mapping[str, float] = False,
    confidence: float = 0.95,
) -> Report:
    """
    Report the scores of a frame, over all rows and by slice, with intervals.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame (read on the streaming engine, so it may be larger than memory), a
        pandas DataFrame, any object with the Arrow PyCapsule interface, or a Daft DataFrame, whose rows are
        scored where they are stored.
    prediction, answers
        Names of the columns with the predicted texts and with the accepted answer or answers; without them,
        `metrics` names the columns of existing scores.
    metrics
        One or several scores to report: names, such as "anls" or "wer_corpus" (the guide to metrics lists
        them), columns of existing scores, expressions of the frame's columns, or a `Metric`. The sets
        "qa" (the default), "ocr", "speech" and "fields" contain the scores of one kind of work. Custom metrics
        read the rows again.
    by
        Columns that define the slices (in pandas, levels of the index too), or expressions such as
        ``pl.col("date").dt.year().alias("year")``. Several columns are crossed; a list of lists, such as
        ``[["lang"], ["doc_type"]]``, gives a table for each inner list. A row with a list counts once in the
        slice of each entry; null, an empty list and a list of nulls all belong to the slice null.
    cluster
        Column that identifies the document of each row. Pass this column if there is one: rows of a document
        are correlated, and intervals that treat them as independent are too narrow.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves such rows out.
        Rows with a null score are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.
    worst
        Number of rows to keep, those with the worst scores in the first metric.
    keep
        Columns to keep for these rows, by default what readers call `question_id` and `question`, or, with
        error rates, `page` and `question_id`, where the frame has them.
    details
        Whether to count error types, causes, character confusions and lengths, for `errors`, `causes`,
        `confusions` and `lengths`; this reads the rows two more times. By default, confusions are counted
        in rows with an `nls` of at least 0.5, which were read at least in part; a mapping changes these
        options, as in ``{"min_nls": 0.8, "max_length": 2}``.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    Report
        The report, with `overall`, `by_group`, `by(...)`, `worst`, `account` and `write(path)` and, with
        `details`, `errors(...)`, `causes(...)`, `confusions(...)` and `lengths(...)`. Its tables are pandas
        frames for a pandas frame, otherwise Polars frames.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If an option has an invalid value, there is nothing to score, or a metric has a value outside its
        bounds.

    See Also
    --------
    anls_frame.compare : two or more systems on the same rows.
    anls_frame.find_slices : a search for slices that score worse than the rest.
    anls_frame.browse : a page for reading the rows.
    anls_frame.worst : the rows with the worst scores.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> questions = af.sample().filter(pl.col("lang").is_in(["de", "en"]))
    >>> scores = ["anls", "exact_match"]
    >>> report = af.report(questions, "tesseract", "answers", metrics=scores, by="lang", cluster="doc_id")
    >>> print(report)
    Scores by lang
    ┌──────────┬───────┬──────────────────────┬──────────────────────┐
    │ lang     ┆  rows ┆ ANLS                 ┆ exact match          │
    ╞══════════╪═══════╪══════════════════════╪══════════════════════╡
    │ all rows ┆ 1,120 ┆ 0.700 [0.641, 0.752] ┆ 0.589 [0.520, 0.655] │
    │ de       ┆   560 ┆ 0.699 [0.624, 0.764] ┆ 0.591 [0.501, 0.676] │
    │ en       ┆   560 ┆ 0.701 [0.606, 0.781] ┆ 0.588 [0.479, 0.688] │
    └──────────┴───────┴──────────────────────┴──────────────────────┘
    1,120 of 1,160 rows were used; 40 have no accepted answer and were left out (predicted texts: 29): unanswerable="empty" scores them; missing predictions are scored as the empty text (104).
    Intervals allow for 80 documents (doc_id).
    anls|protocol:anls|threshold:0.5|errors:raw|missing:empty|cluster:doc_id|v:0.1.0
    """  # noqa: E501 - printed output
    summary = summarize(
        frame,
        prediction,
        answers,
        metrics=metrics,
        by=by,
        cluster=cluster,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
        worst=worst,
        keep=keep,
        details=details,
    )
    return Report(summary, confidence=confidence)
