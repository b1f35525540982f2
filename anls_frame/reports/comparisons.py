"""Comparison of two systems on the same rows: differences by slice, with intervals and tests."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import TYPE_CHECKING, Any, Concatenate, cast

import polars as pl

from anls_frame._arguments import count, flag, number, share
from anls_frame._typing import Options, Table_co
from anls_frame.export.document import TABLE
from anls_frame.frames.conversion import is_pandas
from anls_frame.protocol import resolve_protocol, resolve_threshold
from anls_frame.reports import differences as of_means
from anls_frame.reports import rates
from anls_frame.reports.differences import RESULT_COLUMNS, Differences, collect, untestable
from anls_frame.reports.pairing import Paired, pair
from anls_frame.results import SlicedResult
from anls_frame.summary.keys import chosen_keys, in_order
from anls_frame.summary.rows import Live
from anls_frame.summary.settings import Missing, Settings, resolve_missing
from anls_frame.summary.slicing import resolve as slicing_of
from anls_frame.summary.systems import resolve_for

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import pandas as pd
    from matplotlib.axes import Axes

    from anls_frame._typing import OnFrames
    from anls_frame.export import Document
    from anls_frame.export.display import Glance
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.reports.decisions import Decision
    from anls_frame.reports.documents import ComparisonView
    from anls_frame.reports.planning import Planner
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.slicing import By

__all__ = ["Comparison", "Paired", "compare", "pair"]


class Comparison(SlicedResult[Table_co]):
    """
    The difference between two systems, second minus first, over all rows and for each slice.

    Returned by `compare`.

    Parameters
    ----------
    differences
        Sums of the differences by cell.
    systems
        The names and columns of the systems, in order.
    metric
        The compared metric.
    settings
        How the texts were scored.
    confidence
        Confidence level of the intervals.
    draws, seed
        Number of draws and seed of the sign-flip test.
    from_pandas
        Whether the tables are pandas frames.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame(
    ...     {
    ...         "old": ["a", "b", "x"],
    ...         "new": ["a", "c", "c"],
    ...         "answer": ["a", "c", "c"],
    ...         "lang": ["en", "en", "de"],
    ...     }
    ... )
    >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer", by="lang")
    >>> comparison.by_group.select("lang", "n", "old", "new", "difference", "wins")
    shape: (2, 6)
    ┌──────┬─────┬─────┬─────┬────────────┬──────┐
    │ lang ┆ n   ┆ old ┆ new ┆ difference ┆ wins │
    │ ---  ┆ --- ┆ --- ┆ --- ┆ ---        ┆ ---  │
    │ str  ┆ u64 ┆ f64 ┆ f64 ┆ f64        ┆ u64  │
    ╞══════╪═════╪═════╪═════╪════════════╪══════╡
    │ en   ┆ 2   ┆ 0.5 ┆ 1.0 ┆ 0.5        ┆ 1    │
    │ de   ┆ 1   ┆ 0.0 ┆ 1.0 ┆ 1.0        ┆ 1    │
    └──────┴─────┴─────┴─────┴────────────┴──────┘
    """

    noun = "comparison"
    _of_families = ("p_adjusted",)

    def __init__(
        self,
        differences: Differences,
        systems: Mapping[str, str],
        *,
        metric: Metric,
        settings: Settings,
        confidence: float,
        draws: int,
        seed: int,
        from_pandas: bool = False,
    ) -> None:
        super().__init__(settings, confidence, from_pandas=from_pandas)
        self.systems = dict(systems)
        self.metric = metric
        self.draws = draws
        self.seed = seed
        self._differences = differences
        self._settings = settings

    @property
    def signature(self) -> str:
        """The settings in one line; figures with equal signatures are comparable."""
        systems = "-".join(reversed(self.systems))
        return f"{self.metric.name}:{systems}|{self._settings.signature}"

    @property
    def measures(self) -> tuple[Metric, ...]:
        """The compared metric."""
        return (self.metric,)

    @cached_property
    def settings(self) -> dict[str, Any]:
        """All settings that the figures depend on, with digests of the scored rows."""
        return {
            **self._settings.to_dict(),
            "systems": self.systems,
            "metric": self.metric.name,
            "confidence": self.confidence,
            "draws": self.draws,
            "seed": self.seed,
            **self._differences.counts,
            "digests": dict(zip(self.systems, self._differences.digests, strict=True)),
        }

    def by(self, *columns: str) -> Table_co:
        """
        Means, differences and counts, grouped by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the comparison's `by` columns.

        Returns
        -------
        DataFrame
            One row per slice, largest first: the keys, `n` (rows scored for both), the mean of each system
            under its name, `difference` with its interval in `difference_low` and `difference_high`,
            `p_value`, `p_adjusted` (adjusted for all slices of the table together), the numbers of rows on
            which the second system is better (`wins`), the same (`ties`) and worse (`losses`), `few_rows`,
            and `n_clusters` (null without clusters). `few_rows` is true below 100 rows, 20 effective units
            or 10 clusters that carry one side of the difference; intervals are then only approximate.
            Intervals are not adjusted. With fewer than two clusters (or rows, if there are no clusters),
            p-values and interval are null.

        Raises
        ------
        ValueError
            If a column is not one of the comparison's `by` columns.
        """
        return self._as_given(self._slices(columns))

    def _slices(self, columns: Sequence[str]) -> pl.DataFrame:
        keys = chosen_keys(columns, self._by, self.noun)
        table = rates.slices if self._differences.is_corpus else of_means.slices
        slices = table(self._differences, keys, confidence=self.confidence, draws=self.draws, seed=self.seed)
        slices = in_order(slices, keys, columns, self._settings.orders)
        names = dict(zip((*keys, "first", "second"), (*columns, *self.systems), strict=True))
        is_ordered = len(columns) == 1 and columns[0] in self._settings.orders
        order = keys if is_ordered else ["n", *keys]
        return slices.sort(
            *order, descending=[name == "n" for name in order] or False, nulls_last=True
        ).rename(names)

    def regressed(self, drop: float = 0.01, alpha: float = 0.05) -> bool:
        """
        Whether the second system is significantly worse, by at least `drop`, overall or in a slice.

        Parameters
        ----------
        drop
            Smallest loss that counts, in units of the score; if lower is better, a rise is a loss.
        alpha
            Largest p-value that counts; for slices, the largest `p_adjusted`.

        Notes
        -----
        A slice counts if its observed loss is at least `drop` *and* significantly different from 0. `True`
        does not mean that the true loss is at least `drop`, and `False` does not mean that there is no loss.
        Slices that `untestable` returns never count.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"] * 20, "new": ["x"] * 20, "answer": ["a"] * 20})
        >>> af.compare(df, {"old": "old", "new": "new"}, "answer").regressed()
        True
        """
        alpha, drop = share("alpha", alpha), number("drop", drop, 0)
        sign = 1 if self.metric.higher_is_better else -1
        loss = -sign * pl.col("difference")
        overall = self._overall.filter((loss >= drop) & (pl.col("p_value") <= alpha))
        groups = self._groups.filter((loss >= drop) & (pl.col("p_adjusted") <= alpha))
        return not (overall.is_empty() and groups.is_empty())

    def untestable(self, alpha: float = 0.05) -> Table_co:
        """
        Slices with too few clusters (or rows, if there are no clusters) to reach a p-value of `alpha`.

        If all G clusters point the same way, 2 of the 2^G sign combinations are as extreme: with five
        clusters, p is at least 0.0625, whatever the difference.

        Parameters
        ----------
        alpha
            Largest p-value that counts.

        Returns
        -------
        DataFrame
            The rows of `to_polars` that cannot be tested.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"] * 7, "new": ["x"] * 7, "t": ["a"] * 7, "k": [*"uuuuuuv"]})
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "t", by="k")
        >>> comparison.untestable()["k"].to_list()
        ['v']
        """
        alpha = share("alpha", alpha)
        return self._as_given(untestable(self.to_polars(), alpha, self.draws))

    def plot(self, ax: Axes | None = None) -> Axes:
        """
        Draw both systems by slice as a dumbbell plot; see `anls_frame.plot.comparison`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
        >>> af.compare(df, {"old": "old", "new": "new"}, "answer").plot().get_xlabel()
        'ANLS'
        """
        from anls_frame.plot import comparison  # noqa: PLC0415 - only to plot

        return comparison(self, ax=ax)

    def to_document(self) -> Document:
        """Return the tables, settings and notes that `write` writes."""
        from anls_frame.reports.documents import comparison_document  # noqa: PLC0415 - only to write

        return comparison_document(self._view)

    @cached_property
    def _view(self) -> ComparisonView:
        from anls_frame.reports.documents import ComparisonView  # noqa: PLC0415 - only to write or show it

        return ComparisonView(
            tables=self.sliced_tables(),
            flat=self.to_polars(),
            settings=self.settings,
            signature=self.signature,
            metric=self.metric,
        )

    def _glances(self, most: int | None) -> list[Glance]:
        from anls_frame.reports.documents import comparison_glances  # noqa: PLC0415 - only to show it

        return comparison_glances(self._view, most)

    def detectable_difference(self, power: float = 0.8, alpha: float = 0.05) -> Table_co:
        """
        Return the smallest true difference that these rows and documents would show.

        Parameters
        ----------
        power
            How often such a difference is to be significant.
        alpha
            Largest p-value that counts, of a two-sided test.

        Returns
        -------
        DataFrame
            The overall row and each slice, as in `to_polars`, with the number of rows (`n`), of clusters
            (`n_clusters`), and `detectable`; null where no difference can be shown.

        Notes
        -----
        A difference of δ needs more rows that win or lose than a difference of 0, and these add variance. So
        the variance is that under δ: the observed wins and losses that cancel out, and those that make δ.
        Slices are tested by themselves, without an adjustment for their number.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame(
        ...     {"old": [*"aaaaaaaaab"] * 40, "new": [*"aaaaaaaaba"] * 40, "answer": ["a"] * 400}
        ... )
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer")
        >>> comparison.detectable_difference().select("n", pl.col("detectable").round(3)).rows()
        [(400, 0.073)]
        """
        power, alpha = _power_and_level(power, alpha)
        return self._as_given(
            self._flat(lambda columns: self._planner.detectable(columns, power=power, alpha=alpha))
        )

    def sample_size(self, effect: float, power: float = 0.8, alpha: float = 0.05) -> Table_co:
        """
        Return how many rows and documents it takes to show a true difference, if they are like these.

        Parameters
        ----------
        effect
            Size of the true difference, in units of the score, in either direction.
        power, alpha
            As for `detectable_difference`.

        Returns
        -------
        DataFrame
            The overall row and each slice, as in `to_polars`, with the numbers of rows and clusters now (`n`,
            `n_clusters`) and those that it takes (`n_needed`, `n_clusters_needed`); null if unknown.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame(
        ...     {"old": [*"aaaaaaaaab"] * 40, "new": [*"aaaaaaaaba"] * 40, "answer": ["a"] * 400}
        ... )
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer")
        >>> comparison.sample_size(0.02)["n_needed"].item()
        4322
        """
        power, alpha = _power_and_level(power, alpha)
        effect = number("effect", effect, 0, ends=False)
        return self._as_given(
            self._flat(lambda columns: self._planner.sample_size(columns, effect, power=power, alpha=alpha))
        )

    def decide(
        self, within: float = 0.01, alpha: float = 0.05, *, slices: bool = False
    ) -> Decision[Table_co]:
        """
        Decide whether the second system is worse than the first by more than a margin.

        Parameters
        ----------
        within
            The margin, in units of the score; if lower is better, a rise is a loss.
        alpha
            Largest probability of "fine", and of "regressed", if the true loss is the margin.
        slices
            Also decide about each slice. Those that can be tested share `alpha`.

        Returns
        -------
        Decision
            Its `answer` is "fine" if the upper bound of the loss lies below the margin, "regressed" if the
            lower bound lies above it, otherwise "undecided". With `slices`, it is "regressed" if all rows or
            any slice are, and "fine" only if all of them are. Printed, it is one sentence.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame(
        ...     {"old": [*"aaaaaaaaab"] * 40, "new": [*"aaaaaaaaba"] * 40, "answer": ["a"] * 400}
        ... )
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer")
        >>> comparison.decide(within=0.1).answer
        'fine'
        >>> str(comparison.decide(within=0.02)).partition("; ")[2]
        '400 rows can show 0.064; about 3,500 are needed'
        """
        from anls_frame.reports.decisions import decide  # noqa: PLC0415 - only to decide

        within, alpha = number("within", within, 0, ends=False), number("alpha", alpha, 0, 0.5, ends=False)
        together = self._below_each_other if flag("slices", slices) and self._by else None
        decision = decide(self._planner, together, [*self.systems], within=within, alpha=alpha)
        table = None if decision.slices is None else self._as_given(decision.slices)
        return dataclasses.replace(cast("Decision[Table_co]", decision), slices=table)

    @property
    def _planner(self) -> Planner:
        from anls_frame.reports.planning import Planner  # noqa: PLC0415 - only to plan

        return Planner(self._differences, self.metric, self.draws, self._by, self._settings.orders)


def _power_and_level(power: float, alpha: float) -> tuple[float, float]:
    power, alpha = share("power", power, ends=False), share("alpha", alpha, ends=False)
    if power <= alpha:
        raise ValueError(f"power must be larger than alpha, got {power} and {alpha}")
    return power, alpha


def _on_frames(
    function: Callable[Concatenate[Any, Options], Comparison],
) -> OnFrames[Options, Comparison[pd.DataFrame], Comparison[pl.DataFrame]]:
    return cast("OnFrames[Options, Comparison[pd.DataFrame], Comparison[pl.DataFrame]]", function)


@_on_frames
def compare(
    frame: Any,
    systems: Mapping[str, str],
    answers: str | None,
    *,
    by: By | None = None,
    cluster: str | None = None,
    metrics: str | Metric | None = None,
    protocol: ScoreProtocol | str = "anls",
    threshold: float | None = None,
    cer_protocol: ScoreProtocol | str = "raw",
    missing: Missing | None = None,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """
    Compare two systems on the same rows.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, or any object with the Arrow PyCapsule
        interface, with a column of predictions for each system (`pair` makes one from two frames).
    systems
        Exactly two entries, from name to prediction column. The first system is the baseline.
    answers
        Name of the column with the accepted answer or answers; `None` if the systems' columns already hold
        scores.
    by
        Columns that define the slices, as for `report`; in pandas, levels of the index too.
    cluster
        Column that identifies the document of each row; differences within a document are not independent.
    metrics
        The score to compare. For texts it is `"anls"` (the default), `"nls"`, `"exact_match"`, `"cer_mean"`
        (the mean of the rows' error rates), `"cer_corpus"` (total edits divided by total reference length, as
        OCR projects quote it), or a `Metric`: a function of predictions and answers, or a mapping from the
        systems to columns of scores. For existing scores it is their name, which also says the direction, or
        a `Metric` with such a mapping.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`. Derive your own `cer_protocol` from "raw", which
        prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves out rows in which
        either prediction is null. Rows in which an existing score is null are always left out.
    confidence
        Confidence level of the intervals.
    draws, seed
        Number of draws of the sign-flip test, at most 10 million, and the seed of these draws.

    Returns
    -------
    Comparison
        The differences, second minus first, with `overall`, `by_group`, `regressed()` and `write(path)`.
        Its tables are pandas frames if `frame` is one, otherwise Polars frames.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If there are not exactly two systems, their names collide with other columns of the result, or an
        option has an invalid value.

    Notes
    -----
    The p-value is that of a sign-flip test on the sums of clusters (on rows, if there are no clusters), see
    `anls_frame.statistics.sign_flip`. The p-values of slices are adjusted together by step-down max-T on
    joint sign flips, see `anls_frame.statistics.max_t`; the overall p-value is not among them. Each interval
    is a Student's t interval on its own. Interval and p-value are different methods and can disagree
    slightly.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> af.compare(df, {"old": "old", "new": "new"}, "answer").overall["difference"]
    0.5
    """
    from anls_frame.statistics.significance import MOST_DRAWS  # noqa: PLC0415 - imports numpy

    _check_systems(systems)
    slicing = slicing_of(by)
    columns = slicing.names
    (metric,) = resolve_for(metrics, systems, has_texts=answers is not None, is_one=True)
    missing = resolve_missing(missing, has_scores=answers is None)
    confidence = share("confidence", confidence, ends=False)
    draws, seed = count("draws", draws, 1, MOST_DRAWS), count("seed", seed)
    of_result = (*RESULT_COLUMNS, *([TABLE] if slicing.tables else []))
    taken = {*columns, *of_result} & set(systems)
    if taken:
        raise ValueError(f"systems {sorted(taken)} would collide with columns of the result; rename them")
    reserved = [column for column in columns if column in of_result]
    if reserved:
        raise ValueError(f"by columns {reserved} would collide with columns of the result; rename them")
    scoring: dict[str, Any] = {"threshold": None}
    if answers is not None:
        scoring = {
            "protocol": resolve_protocol(protocol),
            "threshold": resolve_threshold(protocol, threshold),
            "cer_protocol": resolve_protocol(cer_protocol),
        }
    settings = Settings(
        by=columns,
        tables=slicing.tables,
        cluster=cluster,
        metrics=(metric.described(),),
        has_texts=answers is not None,
        missing=missing,
        **scoring,
    )
    differences = collect(frame, dict(systems), answers, Live(slicing=slicing, metrics=(metric,)), settings)
    settings = dataclasses.replace(settings, orders=differences.orders)
    return Comparison(
        differences,
        systems,
        metric=metric.described().within(*differences.ends),
        settings=settings,
        confidence=confidence,
        draws=draws,
        seed=seed,
        from_pandas=is_pandas(frame),
    )


def _check_systems(systems: Mapping[str, str]) -> None:
    pairs = list(systems.items()) if hasattr(systems, "items") else []
    if len(pairs) != 2 or not all(isinstance(text, str) for entry in pairs for text in entry):  # noqa: PLR2004
        raise ValueError(
            f"systems must name two prediction columns, such as {{'old': 'a', 'new': 'b'}}, got {systems!r}"
        )
