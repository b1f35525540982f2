"""Comparisons of systems on the same rows: ranks and differences by slice, with intervals and tests."""

from __future__ import annotations

import dataclasses
import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from anls_frame._arguments import choice, count, flag, share, takes_names
from anls_frame._engines import checked_first
from anls_frame._messages import wrong
from anls_frame._typing import ByFrame, Missing, Table_co, declared
from anls_frame.export.columns import listing
from anls_frame.export.document import OVERALL, SLICE, TABLE
from anls_frame.export.values import json_text
from anls_frame.frames import origins
from anls_frame.protocol import ScoreProtocol
from anls_frame.reports import gate, macro, pairwise
from anls_frame.reports.comparison_documents import FEW_SYSTEMS, ComparisonView
from anls_frame.reports.decisions import Decision
from anls_frame.reports.long_frames import Wide
from anls_frame.reports.published import Published, beside_figures, checked_figures
from anls_frame.reports.slice_units import slice_units
from anls_frame.results import SlicedResult
from anls_frame.statistics.significance import check_draws, significance_level
from anls_frame.summary.catalogue import Metrics
from anls_frame.summary.cell_sums import PREDICTION_COUNTS, hexadecimal
from anls_frame.summary.comparison_sums import pairs
from anls_frame.summary.details import PAIR, error_table
from anls_frame.summary.keys import check_own_names, chosen_keys, in_order, largest_first, with_column_names
from anls_frame.summary.settings import Unanswerable
from anls_frame.summary.slicing import By
from anls_frame.summary.summarizing import summarize
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems import resolve_systems

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes


class Comparison(SlicedResult[Table_co]):
    """
    Scores of several systems on the same rows, with their ranks and the differences between them.

    Returned by `compare` and, for rows in several parts, by `from_summary`.

    Parameters
    ----------
    summary
        Sums of the scores by cell.
    confidence
        Confidence level of the intervals and ranks.
    draws, seed
        Number of draws and seed of the tests.

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
    >>> comparison.by_group.select("lang", "system", "n", "score", "baseline_score", "difference", "wins")
    shape: (2, 7)
    ┌──────┬────────┬─────┬───────┬────────────────┬────────────┬──────┐
    │ lang ┆ system ┆ n   ┆ score ┆ baseline_score ┆ difference ┆ wins │
    │ ---  ┆ ---    ┆ --- ┆ ---   ┆ ---            ┆ ---        ┆ ---  │
    │ str  ┆ str    ┆ i64 ┆ f64   ┆ f64            ┆ f64        ┆ i64  │
    ╞══════╪════════╪═════╪═══════╪════════════════╪════════════╪══════╡
    │ en   ┆ new    ┆ 2   ┆ 1.0   ┆ 0.5            ┆ 0.5        ┆ 1    │
    │ de   ┆ new    ┆ 1   ┆ 1.0   ┆ 0.0            ┆ 1.0        ┆ 1    │
    └──────┴────────┴─────┴───────┴────────────────┴────────────┴──────┘
    """

    noun = "comparison"
    view = ComparisonView

    def __init__(
        self,
        summary: Summary,
        *,
        confidence: float = 0.95,
        draws: int = 10_000,
        seed: int = 0,
    ) -> None:
        self._test = _checked_test(confidence, draws, seed)
        super().__init__(self._test.confidence, summary.metrics, summary.account)
        self.summary = summary
        self._sums = summary.comparison_sums
        self.draws, self.seed = self._test.draws, self._test.seed
        taken = [*pairwise.COLUMNS, *pairwise.RANKED, SLICE, *([TABLE] if self._settings.tables else [])]
        check_own_names(self._by, taken)

    @classmethod
    def from_summary(
        cls,
        summary: Summary[Table_co],
        *,
        confidence: float = 0.95,
        draws: int = 10_000,
        seed: int = 0,
    ) -> Comparison[Table_co]:
        """
        Return a comparison from the summary of its rows, which may come from several parts.

        Parameters
        ----------
        summary
            A summary of several systems, from `summarize` or `merge`.
        confidence, draws, seed
            As for `compare`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
        >>> summary = af.summarize(df, {"old": "old", "new": "new"}, "answer")
        >>> af.Comparison.from_summary(summary).overall["difference"].item()
        0.5
        """
        return cls(summary, confidence=confidence, draws=draws, seed=seed)

    @property
    def systems(self) -> dict[str, str]:
        """The columns of the systems by name, the baseline first."""
        return dict(self.summary.systems)

    @property
    def baseline(self) -> str:
        """The first system, with which all others are compared."""
        return next(iter(self.systems))

    @property
    def signature(self) -> str:
        """The settings as a single line; figures with equal signatures are comparable."""
        systems = "-".join(reversed(self.systems))
        if len(self.systems) > FEW_SYSTEMS:
            digest = hashlib.sha256(json_text(list(self.systems)).encode()).hexdigest()[:8]
            systems = f"{len(self.systems)} systems {digest}"
        metrics = "+".join(metric.name for metric in self.measures)
        return f"{metrics}:{systems}|{self._settings.signature}"

    @property
    def settings(self) -> dict[str, Any]:
        """All settings that determine the figures, with digests of the scored rows."""
        predictions = self.summary.predictions
        return {
            **self._settings.to_dict(),
            "systems": self.systems,
            "metric": self.measures[0].name,
            "confidence": self.confidence,
            "draws": self.draws,
            "seed": self.seed,
            **self._sums.frames[f"counts {self.measures[0].name}"]
            .drop("score_min", "score_max")
            .row(0, named=True),
            **{
                count: {name: getattr(own, count) for name, own in predictions.items()}
                for count in PREDICTION_COUNTS
            },
            "scored_by": self.summary.scored_by,
            "forgotten_documents": self.summary.forgotten_documents,
            "digests": {name: hexadecimal(own.digest) for name, own in predictions.items()},
        }

    @property
    def transitions(self) -> Table_co:
        """
        Counts of the compared rows by the error types of the baseline and of another system, for each slice.

        The columns are the keys, `system`, `baseline_error_type`, `error_type`, `n` and its `share` in
        the slice. Error types are those of `anls_frame.error_type`.

        Raises
        ------
        AttributeError
            If the comparison was made without ``details=True``.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", None], "answer": ["a", "b"]})
        >>> af.compare(df, ["old", "new"], "answer", details=True).transitions
        shape: (2, 5)
        ┌────────┬─────────────────────┬────────────┬─────┬───────┐
        │ system ┆ baseline_error_type ┆ error_type ┆ n   ┆ share │
        │ ---    ┆ ---                 ┆ ---        ┆ --- ┆ ---   │
        │ str    ┆ enum                ┆ enum       ┆ i64 ┆ f64   │
        ╞════════╪═════════════════════╪════════════╪═════╪═══════╡
        │ new    ┆ exact               ┆ missing    ┆ 1   ┆ 0.5   │
        │ new    ┆ exact               ┆ exact      ┆ 1   ┆ 0.5   │
        └────────┴─────────────────────┴────────────┴─────┴───────┘
        """
        if not self._sums.of("transitions"):
            # Not a ValueError, so that programs which list the attributes of objects get the others.
            # With a name, so that Python suggests no other attribute.
            raise AttributeError("error types were not counted: pass details=True", name="transitions")
        return self._as_given(self._transitions(self._by))

    def _transitions(self, columns: Sequence[str]) -> pl.DataFrame:
        keys = chosen_keys(columns, self._by, self.noun)
        tables = [
            error_table(counted, keys, PAIR).select(*keys, pl.lit(name).alias("system"), pl.exclude(keys))
            for name, counted in self._sums.of("transitions").items()
        ]
        ordered = in_order(pl.concat(tables), keys, columns, self._settings.orders)
        return with_column_names(ordered, keys, columns)

    @property
    @listing(*pairwise.RANKED)
    def ranking(self) -> Table_co:
        """
        The systems with their scores and ranks, over all rows and in each slice, best first.

        The columns are `slice` ("overall" or "group"), the keys, and

        {columns}

        Of the ranks, 1 is best, and equal scores share the best of theirs. `n` counts the rows in which all
        systems have a score. `few_rows` has the same meaning as in a report of the system. It is also
        true if the range of ranks depends on the difference from a system with few rows, and ten clusters
        lost as a whole would outweigh this difference.

        In each slice and metric, the ranges from `rank_low` to `rank_high` contain the true ranks of all
        systems simultaneously, at the confidence level of the comparison; see
        `anls_frame.statistics.rank_sets`. `possibly_best` is true if the range includes rank 1 and, for all
        rows, no test against the baseline shows another system to be better. The adjusted p of
        `differences(baseline)` is corrected for fewer comparisons than the ranks, so it can find differences
        that the ranks miss.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"a": ["x"] * 40, "b": ["y"] * 40, "c": ["x", "y"] * 20, "answer": ["x"] * 40})
        >>> af.compare(df, ["a", "b", "c"], "answer").ranking.select(
        ...     "system", "score", "rank", "rank_low", "rank_high"
        ... )
        shape: (3, 5)
        ┌────────┬───────┬──────┬──────────┬───────────┐
        │ system ┆ score ┆ rank ┆ rank_low ┆ rank_high │
        │ ---    ┆ ---   ┆ ---  ┆ ---      ┆ ---       │
        │ str    ┆ f64   ┆ i64  ┆ i64      ┆ i64       │
        ╞════════╪═══════╪══════╪══════════╪═══════════╡
        │ a      ┆ 1.0   ┆ 1    ┆ 1        ┆ 1         │
        │ c      ┆ 0.5   ┆ 2    ┆ 2        ┆ 2         │
        │ b      ┆ 0.0   ┆ 3    ┆ 3        ┆ 3         │
        └────────┴───────┴──────┴──────────┴───────────┘
        """
        return self._as_given(self.ranked)

    @cached_property
    def ranked(self) -> pl.DataFrame:
        """The frame of `ranking` in Polars."""
        return self.flat(lambda columns: self._ranking_by(columns) if columns else self.ranked_overall)

    @cached_property
    def observed(self) -> pl.DataFrame:
        """Scores and observed ranks of all rows and of slices, without ranges from tests, which take long."""
        return self.flat(lambda columns: self._ranking_by(columns, pairwise.observed))

    @cached_property
    def ranked_overall(self) -> pl.DataFrame:
        """The ranking of all rows; tests against the baseline can rule out that a system is possibly best."""
        shown = self._overall.filter(pairwise.is_significant(significance_level(self.confidence)))
        loss = gate.loss(self.measures)
        loser = pl.when(loss > 0).then("system").when(loss < 0).then("baseline")
        beaten = shown.select("metric", system=loser).to_struct().implode()
        is_beaten = pl.struct("metric", "system").is_in(beaten)
        return self._ranking_by(()).with_columns(pl.col("possibly_best") & ~is_beaten)

    def differences(self, baseline: str | None = None, *, simultaneous: bool = False) -> Table_co:
        """
        Differences between all pairs of systems, or from a given system, with intervals and tests.

        Parameters
        ----------
        baseline
            The system to compare the others with; by default, all pairs are compared.
        simultaneous
            Whether to add `simultaneous_low` and `simultaneous_high`, intervals that contain all differences
            of a table simultaneously at the confidence level (Bonferroni).

        Returns
        -------
        DataFrame
            One row for each slice, metric and pair: `slice` ("overall" or "group"), then the columns of `by`.
            In pairs without the baseline of the comparison, `baseline` is the system that comes first.

        Raises
        ------
        ValueError
            If no system has that name.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"a": ["x", "y"], "b": ["y", "y"], "c": ["x", "x"], "answer": ["x", "x"]})
        >>> af.compare(df, ["a", "b", "c"], "answer").differences().select("baseline", "system", "difference")
        shape: (3, 3)
        ┌──────────┬────────┬────────────┐
        │ baseline ┆ system ┆ difference │
        │ ---      ┆ ---    ┆ ---        │
        │ str      ┆ str    ┆ f64        │
        ╞══════════╪════════╪════════════╡
        │ a        ┆ b      ┆ -0.5       │
        │ a        ┆ c      ┆ 0.5        │
        │ b        ┆ c      ┆ 1.0        │
        └──────────┴────────┴────────────┘
        """
        simultaneous = flag("simultaneous", simultaneous)
        chosen = pairs(len(self.systems)) if baseline is None else self._against(baseline)
        return self._as_given(
            self.flat(lambda columns: self._differences_by(columns, chosen, simultaneous=simultaneous))
        )

    @property
    def overall(self) -> Table_co:
        """
        Figures of all rows, as in `by`: one row for each metric and system other than the baseline.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
        >>> af.compare(df, ["old", "new"], "answer").overall.select("system", "score", "difference").row(0)
        ('new', 1.0, 0.5)
        """
        return self._as_given(self._overall)

    @listing(*pairwise.COLUMNS)
    def by(self, *columns: str) -> Table_co:
        """
        Scores, differences and counts, grouped by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the comparison's `by` columns.

        Returns
        -------
        DataFrame
            One row for each slice, metric and system other than the baseline, the largest slices first: the
            keys, and

            {columns}

            `n` counts the rows in which all systems have a score; `n_clusters` is null without clusters.

            `few_rows` marks rough intervals: below 100 rows, 20 effective units, or 10 clusters (or rows)
            that contribute gains, or losses, to the difference. Intervals are not adjusted. With fewer than
            two clusters (or rows, if there are no clusters), p-values and intervals of differences are null.

        Raises
        ------
        ValueError
            If a column is not one of the comparison's `by` columns.
        """
        return self._as_given(self.slices_by(columns))

    def slices_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """The frame of `by` in Polars."""
        return self._differences_by(columns, self._against(self.baseline))

    def _differences_by(
        self, columns: Sequence[str], chosen: Sequence[tuple[int, int]], *, simultaneous: bool = False
    ) -> pl.DataFrame:
        """Return the differences between pairs of systems by slice."""
        keys = chosen_keys(columns, self._by, self.noun)
        slices = pairwise.tested_differences(self.summary, keys, chosen, self._test)
        if simultaneous:
            # Bonferroni: all differences of the table at once.
            number = max(int(slices["difference_low"].count()), 1)
            stricter = dataclasses.replace(self._test, confidence=1 - (1 - self.confidence) / number)
            wider = pairwise.differences(self.summary, slice_units(self.summary, keys), chosen, stricter)
            index = slices.columns.index("difference_high") + 1
            for end in ("high", "low"):
                slices.insert_column(index, wider[f"difference_{end}"].alias(f"simultaneous_{end}"))
        return self._presented(slices, columns)

    def figures_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """The frame of `by` in Polars without p-values and counts, which take most of its time."""
        every = slice_units(self.summary, chosen_keys(columns, self._by, self.noun))
        figures = pairwise.differences(self.summary, every, self._against(self.baseline), self._test)
        return self._presented(figures, columns)

    def _ranking_by(
        self, columns: Sequence[str], ranked: Callable[..., pl.DataFrame] = pairwise.ranked
    ) -> pl.DataFrame:
        """Return the scores and ranks of the systems by slice, best first in each."""
        keys = chosen_keys(columns, self._by, self.noun)
        slices = ranked(self.summary, keys, self._test)
        numbers = {metric.name: number for number, metric in enumerate(self.measures)}
        order = pl.col("metric").replace_strict(numbers)
        ordered = slices.sort(order, "rank", maintain_order=True, nulls_last=True)
        return self._presented(ordered, columns)

    def _presented(self, slices: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return slices with the names of their columns, the largest first or in the order of a column."""
        keys = chosen_keys(columns, self._by, self.noun)
        return largest_first(slices, keys, columns, self._settings.orders)

    def _against(self, baseline: str) -> list[tuple[int, int]]:
        """Return the pairs of one system with all others, by their numbers."""
        names = list(self.systems)
        first, *others = (names.index(name) for name in baseline_first(names, baseline))
        return [(first, other) for other in others]

    @listing(*pairwise.COMPARED, "n", "n_slices", *pairwise.RATES, "p_value", "few_rows", "n_clusters")
    def macro(self, *columns: str, weights: Mapping[Any, float] | None = None) -> Table_co:
        """
        Macro averages of the systems over equally weighted slices, and their differences.

        Parameters
        ----------
        columns, weights
            As for `Report.macro`.

        Returns
        -------
        DataFrame
            One row for each metric and system other than the baseline:

            {columns}

        Raises
        ------
        ValueError
            As for `Report.macro`.

        Notes
        -----
        Interval and p-value of a difference come from Student's t on the contribution of each document to the
        difference, and on what slices of few documents leave unknown; see `Report.macro`. A difference is
        also marked if fewer than 10 documents (or rows) carry it. P-values are not adjusted.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"] * 8, "new": ["x"] * 8, "answer": ["a"] * 6 + ["x"] * 2})
        >>> df = df.with_columns(lang=pl.Series(["en"] * 4 + ["de"] * 4))
        >>> comparison = af.compare(df, ["old", "new"], "answer", by="lang")
        >>> comparison.macro("lang").select("baseline_score", "score", "difference").row(0)
        (0.75, 0.25, -0.5)
        """
        return self._as_given(self.macro_by(columns, weights))

    def macro_by(self, columns: Sequence[str], weights: Mapping[Any, float] | None = None) -> pl.DataFrame:
        """The frame of `macro` in Polars."""
        keys, chosen = self._sliced_by(columns), self._against(self.baseline)
        return macro.comparison_lines(self.summary, keys, chosen, weights, self.confidence)

    def beside(self, published: Published) -> Table_co:
        """
        Compare the systems with published figures of other systems, whose rows are not available.

        Parameters
        ----------
        published
            A mapping from the names of these systems to their figure in the first metric, or to a mapping
            from names of metrics to figures.

        Returns
        -------
        DataFrame
            One row for each metric, published figure and system, best first: `metric`, `published`, `figure`,
            `system`, `n`, its `score` with `score_low` and `score_high`, and the `answer`: "better" or
            "worse" if the interval of the system lies on that side of the figure, otherwise "open"; null
            without an interval. `few_rows` marks rough intervals.

        Raises
        ------
        ValueError
            If a name is that of a system with rows, a metric is not compared, or a figure is out of bounds.

        Notes
        -----
        Published figures are treated as exact, because nothing is known about their rows, so a difference may
        also be due to other rows. Each interval has the confidence level of the comparison; they are not
        adjusted for multiple comparisons.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"] * 60, "new": ["a", "x"] * 30, "answer": ["a"] * 60})
        >>> comparison = af.compare(df, ["old", "new"], "answer")
        >>> comparison.beside({"Smith 2024": 0.375, "Ours 2023": 0.5}).select(
        ...     "published", "system", "answer"
        ... ).rows()
        [('Smith 2024', 'old', 'better'), ('Smith 2024', 'new', 'open'), \
('Ours 2023', 'old', 'better'), ('Ours 2023', 'new', 'open')]
        """
        figures = checked_figures(published, list(self.systems), self.measures)
        return self._as_given(beside_figures(self.ranked_overall, figures, self.measures))

    def regressed(self, drop: float = 0.01, alpha: float = 0.05, *, planned_runs: int = 1) -> bool:
        """
        Return whether any system is significantly worse than the baseline, by at least `drop`.

        Parameters
        ----------
        drop
            Smallest loss that counts, in units of the score (a point of ANLS is 0.01). If lower is better, an
            increase is a loss.
        alpha
            Largest adjusted p that counts. All rows and slices are adjusted separately.
        planned_runs
            Number of runs planned on the same documents, as for `decide`; each run is tested at level alpha /
            planned_runs.

        Raises
        ------
        ValueError
            If an option has an invalid value, or `drop` is at least the largest possible loss in a metric.

        Notes
        -----
        All rows and each slice are tested. A slice counts if its observed loss is at least `drop` *and*
        significantly different from 0. `True` does not mean that the true loss is at least `drop`, and
        `False` does not mean that there is no loss. Slices returned by `untestable` never count.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"] * 20, "new": ["x"] * 20, "answer": ["a"] * 20})
        >>> af.compare(df, {"old": "old", "new": "new"}, "answer").regressed()
        True
        """
        return not gate.regressions(self, drop, alpha, planned_runs).is_empty()

    def regressions(self, drop: float = 0.01, alpha: float = 0.05, *, planned_runs: int = 1) -> Table_co:
        """
        Systems and slices that are significantly worse than the baseline, by at least `drop`.

        Parameters
        ----------
        drop, alpha, planned_runs
            As for `regressed`.

        Returns
        -------
        DataFrame
            The rows of `to_polars` with a significant loss of at least `drop`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"a": ["x"] * 20, "b": ["x"] * 20, "c": ["y"] * 20, "answer": ["x"] * 20})
        >>> af.compare(df, ["a", "b", "c"], "answer").regressions().select("system", "difference").rows()
        [('c', -1.0)]
        """
        return self._as_given(gate.regressions(self, drop, alpha, planned_runs))

    def untestable(self, alpha: float = 0.05) -> Table_co:
        """
        Slices with too few clusters (or rows, if there are no clusters) to reach a p-value of `alpha`.

        If the differences of all G clusters have the same sign, 2 of the 2^G sign combinations are as
        extreme. With five clusters, p is therefore at least 0.0625, whatever the difference.

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
        return self._as_given(pairwise.untestable_slices(self.to_polars(), alpha, self.draws))

    def plot(self, *, kind: Literal["slices"] | None = None, **options: Any) -> Axes:
        """
        Draw two systems by slice as a dumbbell plot, or the scores and ranks of more than two systems.

        Parameters
        ----------
        kind
            By default, `anls_frame.plot.comparison` draws two systems, and `anls_frame.plot.ranking` draws
            more. `"slices"` draws any number of systems by slice as a heat map, with
            `anls_frame.plot.heat_map`.
        options
            Options of the plot, such as `metric` for one of several `measures`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer")
        >>> comparison.plot().get_xlabel()
        'ANLS'
        >>> comparison.plot(kind="slices").get_title()
        'ANLS'
        """
        from anls_frame import plot  # noqa: PLC0415 - imports matplotlib

        if choice("kind", kind, (None, "slices")) == "slices":
            return plot.heat_map(self, **options)
        draw = plot.comparison if len(self.systems) == 2 else plot.ranking  # noqa: PLR2004
        return draw(self, **options)

    @property
    def all_transitions(self) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
        """Tables of `transitions` in Polars, by their keys, the first with all rows; none if not counted."""
        if not self._sums.of("transitions"):
            return []
        first, *others = self.sliced_tables(self._transitions)
        return [first, *((columns, table.filter(pl.col(SLICE) != OVERALL)) for columns, table in others)]

    def all_pairs(self, sliced: bool) -> pl.DataFrame:  # noqa: FBT001 - of documents
        """Return the differences of all pairs in Polars, over all rows and, for few systems, in slices."""
        every = pairs(len(self.systems))
        if sliced:
            return self.flat(lambda columns: self._differences_by(columns, every))
        return self._differences_by((), every).select(pl.lit(OVERALL).alias(SLICE), pl.all())

    def detectable_difference(self, power: float = 0.8, alpha: float = 0.05) -> Table_co:
        """
        Return the smallest true difference that these rows and documents can detect.

        Parameters
        ----------
        power
            Probability that such a difference is significant.
        alpha
            Significance level of the two-sided test.

        Returns
        -------
        DataFrame
            The rows of `to_polars`, for all rows and for each slice, with `metric`, `baseline` and `system`,
            the number of rows (`n`), of clusters (`n_clusters`), and `detectable`, null if no difference can
            be detected, or if nothing changed.

        Notes
        -----
        A true difference of δ requires changed rows, which add variance. The variance is therefore computed
        under δ, from the changes that cancel out and the changes that make up δ, which are taken to lie in
        the documents in which most rows change. One winning and one losing row are added to the observed
        rows. Slices, metrics and pairs of systems are considered separately, without adjustment for multiple
        tests.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame(
        ...     {"old": [*"aaaaaaaaab"] * 40, "new": [*"aaaaaaaaba"] * 40, "answer": ["a"] * 400}
        ... )
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer")
        >>> comparison.detectable_difference().select("n", pl.col("detectable").round(3)).rows()
        [(400, 0.074)]
        """
        return self._as_given(gate.detectable_difference(self, power, alpha))

    def sample_size(self, effect: float, power: float = 0.8, alpha: float = 0.05) -> Table_co:
        """
        Return the numbers of rows and documents, similar to these, that detect a true difference.

        The rows of this comparison are the pilot sample, which should have 60 documents or more.

        Parameters
        ----------
        effect
            Size of the true difference, in units of the score, in either direction.
        power, alpha
            As for `detectable_difference`: the probability of a p-value of at most alpha if the true
            difference has this size. `decide` asks another question, whether equal systems can be shown to
            differ by less than a margin, so its number of documents differs.

        Returns
        -------
        DataFrame
            The rows of `to_polars`, for all rows and for each slice, with `metric`, `baseline` and `system`,
            the present numbers of rows and clusters (`n`, `n_clusters`), the numbers to plan with
            (`n_needed`, `n_clusters_needed`), and the lower ends of their ranges (`n_needed_low`,
            `n_clusters_needed_low`); null if unknown, as where nothing changed.

        Warns
        -----
        InputWarning
            If the pilot has fewer than 60 documents (or rows, if there are no clusters), or if its documents
            are so unequal in size that their effective number is below 20. Also if it
            cannot tell: nothing changed, or most of the change lies in one or two documents.

        Notes
        -----
        Another pilot would give another number, so the result is a range of 1.28 jackknife standard errors to
        each side; plan with its upper end. How many plans reach their power depends on where rows change: see
        the page on evidence for the populations that were simulated. The guide to statistics contains the
        formulas.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame(
        ...     {"old": [*"aaaaaaaaab"] * 40, "new": [*"aaaaaaaaba"] * 40, "answer": ["a"] * 400}
        ... )
        >>> comparison = af.compare(df, {"old": "old", "new": "new"}, "answer")
        >>> comparison.sample_size(0.02).select("n_needed", "n_needed_low").row(0)
        (5664, 3575)
        """
        return self._as_given(gate.sample_size(self, effect, power, alpha))

    def decide(
        self,
        within: float = 0.01,
        alpha: float = 0.05,
        *,
        slices: bool = False,
        planned_runs: int = 1,
        anchor: str | None = None,
    ) -> Decision[Table_co]:
        """
        Decide whether systems are worse than the baseline by more than a margin.

        Parameters
        ----------
        within
            The margin, in units of the score (a percentage point of ANLS is 0.01), in each metric; if lower
            is better, an increase is a loss.
        alpha
            Approximate upper bound on the probability of "fine", and of "regressed", if the true loss equals
            the margin; the probability is higher if a few documents have most of the loss. Both tests are
            one-sided (whether the loss is below, and whether it is above the margin), unlike the two-sided
            test of `sample_size`. Metrics and compared systems share it.
        slices
            Whether to decide about each slice, too. Testable slices share the alpha of their metric and
            system.
        planned_runs
            Number of decisions planned on the same documents, such as one for each change of a system. Each
            decision is made at alpha / planned_runs, so that `alpha` applies to all decisions together.
        anchor
            Name of another system of the comparison, a fixed earlier version, which the other systems must
            not be worse than either. It prevents losses within the margin from accumulating unnoticed over
            many runs.

        Returns
        -------
        Decision
            The decision, with a row in `frame` for each metric, system and baseline or anchor; it prints as
            a sentence for each row, the decisive one first. Its `answer` is "fine" if the upper bound of the
            loss is below the margin, "regressed" if the lower bound is above it, and otherwise "undecided".
            With several metrics or systems, `slices` or `anchor`, the answer is "regressed" if any part is
            "regressed", and "fine" only if every part is.

        Raises
        ------
        ValueError
            If an option has an invalid value, `within` is at least the largest possible loss in a metric, or
            there is no system besides the baseline and the anchor.

        Notes
        -----
        With an anchor, a wrong "fine" requires both bounds to be wrong, so its probability stays at most
        `alpha`. A wrong "regressed" can come from either comparison, so its probability can be up to twice
        `alpha`.

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
        >>> for part in str(comparison.decide(within=0.02)).split("; "):
        ...     print(part)
        undecided: new could be worse than old by more than 0.02
        400 rows can decide margins of at least 0.057
        this one needs 2,900 to 3,700 if the systems are equal
        >>> first = df.with_columns(first=pl.lit("a"))
        >>> comparison = af.compare(first, ["old", "new", "first"], "answer")
        >>> for sentence in comparison.decide(within=0.06, anchor="first").sentences:
        ...     print(sentence)
        regressed: new is worse than first by more than 0.06 (difference -0.100)
        fine: new is not worse than old by 0.06 or more (difference +0.000)
        """
        return gate.decision(self, within, alpha, anchor, planned_runs, slices=slices, given=self._as_given)


def baseline_first(systems: Iterable[str], baseline: str | None) -> list[str]:
    """Return the systems, the baseline first."""
    if baseline is None:
        return list(systems)
    if baseline not in systems:
        raise wrong("baseline", f"must be one of the systems {list(systems)}, got {baseline!r}")
    return [baseline, *(name for name in systems if name != baseline)]


_on_frames: ByFrame[Comparison[pd.DataFrame], Comparison[pl.DataFrame]] = declared


@_on_frames
@checked_first
@takes_names
def compare(
    frame: Any,
    systems: Mapping[str, str] | Sequence[str] | None = None,
    answers: str | None = None,
    *,
    by: By | None = None,
    cluster: str | None = None,
    metrics: Metrics | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
    details: bool = False,
    confidence: float = 0.95,
    draws: int = 10_000,
    seed: int = 0,
) -> Comparison:
    """
    Compare two or more systems on the same rows, with ranks, differences, intervals and p-values.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, any object with the Arrow PyCapsule interface or
        a Daft DataFrame (whose rows are scored where they are stored), with a column of predictions for each
        system (`pair` makes one from two frames). Alternatively, the result of `side_by_side` for a frame
        with a row for each system and question, which already names systems, answers and existing scores.
    systems
        The systems, as a mapping from names to prediction columns or a list of prediction columns. The first
        system is the baseline, with which the others are compared.
    answers
        Name of the column with the accepted answer or answers; `None` if the columns of the systems hold
        scores.
    by
        Columns that define the slices, as for `report`; in pandas, levels of the index too.
    cluster
        Column that identifies the document of each row; differences within a document are not independent.
    metrics
        One or several scores to compare. For texts, `"anls"` (the default), other names or a set as for
        `report`, such as `"cer_corpus"` (total edits divided by total reference length, as OCR projects quote
        it), or a `Metric`: a function of predictions and answers, or a mapping from the systems to columns or
        expressions of scores. For existing scores, their name, which also determines which direction is
        better, or a `Metric` with such a mapping.
    protocol
        How texts are scored, as in `anls_frame.score`: the name of a preset or a `ScoreProtocol`, such as
        ``PROTOCOLS["rrc"].replace(threshold=0.3, errors="jiwer")``.
    missing
        `"empty"`, the default, scores a null prediction as an empty string; `"drop"` leaves out rows in which
        any prediction is null. Rows in which an existing score is null are always left out.
    unanswerable
        `"drop"`, the default, leaves out rows without an answer (null, or a list without texts); a row of
        `fields` counts, as wrong, if something was predicted there. `"empty"` treats the empty text as their
        answer: such a row is right if its prediction is null or empty, whatever `missing` says, and wrong
        otherwise.
    details
        Whether to count the error types of each system against those of the first system, for `transitions`.
    confidence
        Confidence level of the intervals and ranks.
    draws, seed
        Number of random draws of the tests, at most 10 million, and their seed.

    Returns
    -------
    Comparison
        The comparison, with `ranking`, `differences()`, `overall`, `by_group`, `regressed()`, `account` and
        `write(path)`. Its tables are pandas frames for a pandas frame, otherwise Polars frames.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DTypeError
        If the dtype of a column does not fit its role.
    ValueError
        If there are fewer than two systems, a name collides with a column of the result, a system is named
        twice, or an option has an invalid value.

    See Also
    --------
    anls_frame.report : one system, over all rows and by slice.
    anls_frame.find_slices : the slices in which systems are worse than the first.
    anls_frame.changes : the rows whose scores differ.
    anls_frame.browse : a page of the rows with the predictions of all systems.

    Notes
    -----
    `anls_frame.statistics.pairwise` computes the p-values, and `rank_sets` computes the ranks. For two
    systems, the p-value is that of a sign-flip test on the sums of clusters (or on rows, if there are no
    clusters); see `anls_frame.statistics.sign_flip`. The p-values of all slices and metrics are adjusted
    together by step-down max-T on joint sign flips (`anls_frame.statistics.max_t`), without the overall
    p-value. Intervals are unadjusted Student's t intervals, so interval and p-value use different methods and
    can disagree slightly.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> questions = af.sample().filter(pl.col("lang").is_in(["de", "en"]))
    >>> print(af.compare(questions, ["tesseract", "rapidocr"], "answers", cluster="doc_id"))
    rapidocr against tesseract: ANLS
    ┌──────────┬───────┬───────────┬──────────┬─────────────────────────┬────────┬──────┬──────┬────────┐
    │ slice    ┆  rows ┆ tesseract ┆ rapidocr ┆ difference              ┆      p ┆ wins ┆ ties ┆ losses │
    ╞══════════╪═══════╪═══════════╪══════════╪═════════════════════════╪════════╪══════╪══════╪════════╡
    │ all rows ┆ 1,120 ┆     0.700 ┆    0.857 ┆ +0.157 [+0.107, +0.208] ┆ <0.001 ┆  324 ┆  739 ┆     57 │
    └──────────┴───────┴───────────┴──────────┴─────────────────────────┴────────┴──────┴──────┴────────┘
    1,120 of 1,160 rows were used; 40 have no accepted answer and were left out (predicted texts: 30 of rapidocr, 29 of tesseract): unanswerable="empty" scores them; missing predictions are scored as the empty text (104 of tesseract, 42 of rapidocr).
    Difference: rapidocr minus tesseract; wins and losses are those of rapidocr.
    Each interval has 95 % confidence and allows for 80 documents (doc_id); intervals are not adjusted for multiple comparisons.
    anls:rapidocr-tesseract|anls|protocol:anls|threshold:0.5|errors:raw|missing:empty|cluster:doc_id|v:0.1.0

    A frame with a row for each system and question:

    >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
    >>> long = df.unpivot(["old", "new"], index="answer", variable_name="model", value_name="output")
    >>> both = af.side_by_side(long, "output", "answer", system="model", id="answer")
    >>> af.compare(both).overall["difference"].item()
    0.5
    """  # noqa: E501 - printed output
    if isinstance(frame, Wide):
        given = {"systems": systems, "answers": answers, "metrics": frame.metrics and metrics}
        twice = [name for name, value in given.items() if value is not None]
        if twice:
            raise ValueError(f"side_by_side has named {' and '.join(twice)}, so leave them out of compare")
        systems, answers, metrics = frame.systems, frame.answers, frame.metrics or metrics
        frame = frame.frame
    if answers is None:
        origins.warn_if_mixed(frame)
    _checked_test(confidence, draws, seed)  # before the rows are scored
    summary = summarize(
        frame,
        resolve_systems(systems),
        answers,
        by=by,
        cluster=cluster,
        metrics=metrics,
        protocol=protocol,
        missing=missing,
        unanswerable=unanswerable,
        details=details,
    )
    return Comparison.from_summary(summary, confidence=confidence, draws=draws, seed=seed)


def _checked_test(confidence: float, draws: int, seed: int) -> pairwise.Test:
    return pairwise.Test(
        confidence=share("confidence", confidence, ends=False),
        draws=check_draws(draws),
        seed=count("seed", seed),
    )
