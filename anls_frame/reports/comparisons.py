"""Comparison of two systems on the same rows: differences by slice, with intervals and tests."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._arguments import count, number, share
from anls_frame.protocol import resolve_protocol, resolve_threshold
from anls_frame.reports import differences as of_means
from anls_frame.reports import rates
from anls_frame.reports.differences import RESULT_COLUMNS, Differences, collect, untestable
from anls_frame.reports.pairing import Paired, pair
from anls_frame.results import SlicedResult
from anls_frame.summary.keys import chosen_keys
from anls_frame.summary.measures import COMPARED, compared, resolve_direction
from anls_frame.summary.settings import Missing, Settings, check_by, resolve_missing

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from matplotlib.axes import Axes

    from anls_frame.export import Document
    from anls_frame.export.display import Glance
    from anls_frame.protocol import ScoreProtocol

__all__ = ["Comparison", "Paired", "compare", "pair"]


class Comparison(SlicedResult):
    """
    Difference of two systems, second minus first, of all rows and of each slice.

    Made by `compare`.

    Parameters
    ----------
    differences
        Sums of the differences by cell.
    systems
        The systems' names and columns, in order.
    metric
        What is compared.
    settings
        How the texts were scored.
    confidence
        Confidence level of the intervals.
    draws, seed
        Of the sign-flip test.

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
        metric: str,
        settings: Settings,
        confidence: float,
        draws: int,
        seed: int,
    ) -> None:
        super().__init__(settings.by, confidence)
        self.systems = dict(systems)
        self.metric = metric
        self.draws = draws
        self.seed = seed
        self._differences = differences
        self._settings = settings

    @property
    def signature(self) -> str:
        """One line that says which numbers can be compared with these."""
        return f"{self.metric}:{'-'.join(reversed(self.systems))}|{self._settings.signature}"

    @cached_property
    def settings(self) -> dict[str, Any]:
        """Everything the numbers depend on, with digests of the rows that were scored."""
        return {
            **self._settings.to_dict(),
            "systems": self.systems,
            "metric": self.metric,
            "confidence": self.confidence,
            "draws": self.draws,
            "seed": self.seed,
            **self._differences.counts,
            "digests": dict(zip(self.systems, self._differences.digests, strict=True)),
        }

    def by(self, *columns: str) -> pl.DataFrame:
        """
        Means, differences and counts by some of the `by` columns.

        Parameters
        ----------
        columns
            Any of the `by` columns the comparison was made with.

        Returns
        -------
        DataFrame
            One row a slice, the largest first: the keys, `n` (rows scored for both), the mean of each
            system under its name, `difference` with its interval in `difference_low` and
            `difference_high`, `p_value`, `p_adjusted` (adjusted for all slices of the table together), the
            numbers of rows on which the second system is better (`wins`), the same (`ties`) and worse
            (`losses`), `few_rows`, true below 100 rows, 20 effective units or 10 clusters that carry one
            side of the difference, where intervals are only roughly right, and `n_clusters`, null without
            clusters. Intervals are not adjusted. With less than two clusters (or rows, where there are none)
            there is neither p-value nor interval.

        Raises
        ------
        ValueError
            If the comparison was not made by such a column.
        """
        keys = chosen_keys(columns, self._by, self.noun)
        table = rates.slices if self._differences.is_corpus else of_means.slices
        slices = table(self._differences, keys, confidence=self.confidence, draws=self.draws, seed=self.seed)
        names = dict(zip((*keys, "first", "second"), (*columns, *self.systems), strict=True))
        return slices.sort("n", *keys, descending=[True, *(False for _ in keys)], nulls_last=True).rename(
            names
        )

    def regressed(self, drop: float = 0.01, alpha: float = 0.05) -> bool:
        """
        Whether the second system is worse by at least `drop`, overall or in a slice, and not by chance.

        Parameters
        ----------
        drop
            Smallest loss that counts, in points of the score; where lower is better, a rise.
        alpha
            Largest p-value that counts; those of slices are adjusted for their number.

        Notes
        -----
        Worse is what is worse by at least `drop` as observed *and* different from 0 by more than chance: not
        that the true loss is at least `drop`, and `False` does not say that there is none. Slices that
        `untestable` returns never count.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a"] * 20, "new": ["x"] * 20, "answer": ["a"] * 20})
        >>> af.compare(df, {"old": "old", "new": "new"}, "answer").regressed()
        True
        """
        alpha, drop = share("alpha", alpha), number("drop", drop, 0)
        sign = 1 if self._settings.higher_is_better else -1
        loss = -sign * pl.col("difference")
        overall = self._overall.filter((loss >= drop) & (pl.col("p_value") <= alpha))
        groups = self.by_group.filter((loss >= drop) & (pl.col("p_adjusted") <= alpha))
        return not (overall.is_empty() and groups.is_empty())

    def untestable(self, alpha: float = 0.05) -> pl.DataFrame:
        """
        Slices of too few clusters (or rows, where there are none) for any p-value of at most `alpha`.

        If all of G clusters point the same way, 2 of the 2^G combinations of signs get as far: with five,
        p is at least 0.0625, whatever the difference.

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
        return untestable(self.to_polars(), alpha, self.draws)

    def plot(self, ax: Axes | None = None) -> Axes:
        """
        Draw both systems by slice, as a dumbbell plot; see `anls_frame.plot.comparison`.

        Examples
        --------
        >>> import polars as pl
        >>> import anls_frame as af
        >>> df = pl.DataFrame({"old": ["a", "b"], "new": ["a", "c"], "answer": ["a", "c"]})
        >>> af.compare(df, {"old": "old", "new": "new"}, "answer").plot().get_xlabel()
        'ANLS'
        """
        from anls_frame.plot import comparison  # noqa: PLC0415 - only for those who plot

        return comparison(self, ax=ax)

    def to_document(self) -> Document:
        """Return the tables, settings and notes that `write` writes."""
        from anls_frame.reports.documents import comparison_document  # noqa: PLC0415 - only for those who write

        return comparison_document(self.to_polars(), self.settings, self.signature)

    def _glance(self, most: int | None) -> Glance:
        from anls_frame.reports.documents import comparison_glance  # noqa: PLC0415 - only for those who look

        return comparison_glance(self.to_polars(), self.settings, self.signature, most)


def compare(
    frame: Any,
    systems: Mapping[str, str],
    answers: str | None,
    *,
    by: str | Sequence[str] | None = None,
    cluster: str | None = None,
    metric: str | None = None,
    higher_is_better: bool | None = None,
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
        Exactly two: name and prediction column, the one to compare with first.
    answers
        Name of the column with the accepted answer or answers; `None` if the systems' columns hold scores
        that exist already.
    by
        Columns that slice the rows, as for `report`.
    cluster
        Column of the document that a row belongs to; differences within one are not independent.
    metric
        Of texts, which score is compared: `"anls"` (the default), `"nls"`, `"exact_match"`, `"cer"` (the mean
        of the rows' error rates) or `"cer_corpus"` (all edits by all characters, as OCR projects quote it).
        Of scores that exist already, any name for them.
    higher_is_better
        Direction of scores that exist already; by default `False` if `metric` has the word cer, wer, mer, wil
        or ter, as error rates have, and `True` for all others.
    protocol, threshold, cer_protocol
        How texts are scored, as for `anls_frame.score`; a `cer_protocol` of your own is best made from "raw",
        which prepares nothing: ``PROTOCOLS["raw"].replace(unicode_form="NFC")``.
    missing
        `"empty"`, the default, scores a null prediction as the empty text, `"drop"` leaves out rows where
        either is null. Rows without a score that exists already are always left out.
    confidence
        Confidence level of the intervals.
    draws, seed
        Number of draws of the sign-flip test, at most 10 million, and the seed that makes them the same each
        time.

    Returns
    -------
    Comparison
        The differences second minus first: `overall`, `by_group`, `regressed()`, `write(path)`.

    Raises
    ------
    ColumnNotFoundError
        If the frame has no such column.
    DTypeError
        If a column does not fit its role.
    ValueError
        If there are not two systems, their names collide with other columns of the result, or an option is
        outside its choices.

    Notes
    -----
    The p-value is that of the sign-flip test on the sums of clusters (of rows where there are none), see
    `anls_frame.statistics.sign_flip`. Slices are adjusted for each other by step-down max-T on joint sign
    flips, see `anls_frame.statistics.max_t`; the overall value is not one of them. Intervals are those of
    Student's t, each by itself. They and the p-value are two methods, which may disagree by a hair.

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
    first, second = systems.values()
    columns = check_by(by)
    metric = _resolve_metric(metric, has_scores=answers is None)
    # For texts a direction of the caller's is an error, and the metric has its own.
    score = metric if answers is None else None
    better = resolve_direction(score, higher_is_better)
    described = compared(metric, score, higher_is_better=better)
    missing = resolve_missing(missing, has_scores=answers is None)
    confidence = share("confidence", confidence, ends=False)
    draws, seed = count("draws", draws, 1, MOST_DRAWS), count("seed", seed)
    taken = {*columns, *RESULT_COLUMNS} & set(systems)
    if taken:
        raise ValueError(
            f"systems cannot be called {sorted(taken)}, as columns of the result are; rename them"
        )
    reserved = [column for column in columns if column in RESULT_COLUMNS]
    if reserved:
        raise ValueError(f"slices by {reserved} would collide with columns of the result; rename them")
    scoring: dict[str, Any] = {"score": score, "threshold": None}
    if answers is not None:
        scoring = {
            "protocol": resolve_protocol(protocol),
            "threshold": resolve_threshold(protocol, threshold),
            "cer_protocol": resolve_protocol(cer_protocol),
        }
    settings = Settings(
        by=columns,
        cluster=cluster,
        higher_is_better=described.higher_is_better,
        missing=missing,
        **scoring,
    )
    differences = collect(frame, (first, second), answers, described, settings)
    return Comparison(
        differences,
        systems,
        metric=metric,
        settings=settings,
        confidence=confidence,
        draws=draws,
        seed=seed,
    )


def _resolve_metric(metric: str | None, *, has_scores: bool) -> str:
    if has_scores:
        if metric is not None and not (isinstance(metric, str) and metric):
            raise ValueError(f"metric must be a name for the scores, got {metric!r}")
        return "score" if metric is None else metric
    if metric is not None and metric not in COMPARED:
        raise ValueError(
            f"metric must be one of {', '.join(map(repr, COMPARED))}, got {metric!r}; scores of another kind "
            "are compared as columns of their own, with answers=None"
        )
    return metric or "anls"


def _check_systems(systems: Mapping[str, str]) -> None:
    pairs = list(systems.items()) if hasattr(systems, "items") else []
    if len(pairs) != 2 or not all(isinstance(text, str) for entry in pairs for text in entry):  # noqa: PLR2004
        raise ValueError(
            f"systems names two prediction columns, as {{'old': 'a', 'new': 'b'}}; got {systems!r}"
        )
