"""The cost of wrapping: predictions as given, compared with the answers inside them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import string, takes_names
from anls_frame._engines import on_engines
from anls_frame._typing import Missing, Table_co
from anls_frame.export.columns import DIFFERENCE, ends_of
from anls_frame.frames import conversion, origins
from anls_frame.frames.checks import check_dtypes, check_new_names
from anls_frame.metrics.wrapping import unwrap
from anls_frame.protocol import ScoreProtocol
from anls_frame.reports.comparisons import Comparison, compare
from anls_frame.summary import slicing
from anls_frame.summary.catalogue import Metrics
from anls_frame.summary.slicing import By
from anls_frame.summary.summary import Summary

STEPS = "unwrap_steps"
"""The column by which rows are sliced: what was taken off, or `none`."""
UNWRAPPED = "unwrapped"
"""The column with the answers without what is around them, and the name of their system."""
_NOTHING = "none"
_INFERRED = (*ends_of("difference"), *ends_of("simultaneous"), "p_value", "p_adjusted")
"""What differences need that would vary from sample to sample."""


class FormatTax(Comparison[Table_co]):
    """
    A comparison of predictions as given with the answers inside them.

    Returned by `format_tax`.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["The answer is 42.", "7"], "answer": ["42", "7"]})
    >>> af.format_tax(df, "prediction", "answer").steps.select("unwrap_steps", "n", "difference", "share")
    shape: (2, 4)
    ┌──────────────────────────┬─────┬────────────┬───────┐
    │ unwrap_steps             ┆ n   ┆ difference ┆ share │
    │ ---                      ┆ --- ┆ ---        ┆ ---   │
    │ str                      ┆ i64 ┆ f64        ┆ f64   │
    ╞══════════════════════════╪═════╪════════════╪═══════╡
    │ marker+final_punctuation ┆ 1   ┆ 1.0        ┆ 1.0   │
    │ none                     ┆ 1   ┆ 0.0        ┆ 0.0   │
    └──────────────────────────┴─────┴────────────┴───────┘
    """

    def __init__(self, summary: Summary[Table_co], **how: Any) -> None:
        super().__init__(summary, **how)
        # Rows without an answer have no option of their own.
        self.account = replace(self.account, advice=("missing",))

    @property
    def steps(self) -> Table_co:
        """
        The cost of each kind of wrapping: a frame with a row for each combination of steps and metric.

        The columns are `unwrap_steps` (`none` where the text stayed unchanged, so that the difference is 0
        in any sample and has no interval), `metric`, `n`, `n_clusters`, `given` and `unwrapped` (mean
        scores), `difference` with its interval, `share`, the part of the total difference due to these rows
        (null if the total is 0), and `few_rows`, which marks rough intervals. The sum of `n` times
        `difference` is the total.
        """
        return self._as_given(self._steps)

    @cached_property
    def _steps(self) -> pl.DataFrame:
        slices = self.figures_by([STEPS])
        points = pl.col("difference") * pl.col("n")
        total = points.sum().over("metric")
        table = slices.select(
            *(STEPS, "metric", "n", "n_clusters"),
            *(pl.col("baseline_score").alias("given"), pl.col("score").alias("unwrapped")),
            *DIFFERENCE,
            pl.when(total != 0).then(points / total).alias("share"),
            "few_rows",
        )
        return table.sort("metric", pl.col("share").abs(), "n", descending=[False, True, True])

    def _presented(self, slices: pl.DataFrame, columns: Sequence[str]) -> pl.DataFrame:
        """Return slices without intervals and tests where unwrapping changed nothing."""
        made = super()._presented(slices, columns)
        if STEPS not in made.columns:
            return made
        inferred = [name for name in made.columns if name in _INFERRED]
        return made.with_columns(pl.when(pl.col(STEPS) != _NOTHING).then(pl.col(inferred)).name.keep())


@takes_names
def format_tax(
    frame: Any,
    prediction: str,
    answers: str,
    *,
    metrics: Metrics | None = None,
    by: By | None = None,
    cluster: str | None = None,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    steps: Sequence[str] | None = None,
    markers: Sequence[str] | None = None,
    reasoning_tags: Sequence[str] | None = None,
    confidence: float = 0.95,
) -> FormatTax:
    """
    Compare predictions as given with the answers inside them, to find how much wrapping lowers the score.

    Parameters
    ----------
    frame
        A Polars DataFrame or LazyFrame, a pandas DataFrame, any object with the Arrow PyCapsule interface, or
        a Daft DataFrame (whose rows are unwrapped and scored where they are stored).
    prediction, answers
        Names of the columns with the prediction and with the accepted answer or answers.
    metrics, by, cluster, protocol, missing
        As for `compare`. Use the protocol of the benchmark, because the cost of wrapping depends on it.
    steps, markers, reasoning_tags
        As for `unwrap`.
    confidence
        Confidence level of the intervals.

    Returns
    -------
    FormatTax
        The comparison of the systems `given` and `unwrapped`, also sliced by `unwrap_steps`; its `steps` give
        the cost of each kind of wrapping.

    Raises
    ------
    ColumnNotFoundError
        If a column is not in the frame.
    DuplicateColumnError
        If the frame has a column `unwrapped` or `unwrap_steps`.
    ValueError
        If an option has an invalid value.

    See Also
    --------
    unwrap : the answers without wrapping, as a column.
    Report.causes : all that lowers a score, with wrapping as one cause.

    Notes
    -----
    The difference is what `unwrap` does to the score if it is applied to every row. The cause `wrapped` of
    `Report.causes` counts only rows that score more without their wrapping; it is larger by what the others
    lose.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> predictions = ["The answer is 42.", "```7```", "x"]
    >>> df = pl.DataFrame({"prediction": predictions, "answer": ["42", "7", "y"]})
    >>> tax = af.format_tax(df, "prediction", "answer", metrics="exact_match")
    >>> tax.overall.select("baseline_score", "score").row(0)
    (0.0, 0.6666666666666666)
    """
    string("prediction", prediction, "the name of a column")
    removed = {"steps": steps, "markers": markers, "reasoning_tags": reasoning_tags}
    both = with_unwrapped(frame, prediction, removed)
    keys = slicing.resolve(by)
    tables: list[list[Any]] = [
        [keys.expressions.get(name, name) for name in table] for table in keys.tables or [keys.names] if table
    ]
    comparison = compare(
        both,
        {"given": prediction, UNWRAPPED: UNWRAPPED},
        answers,
        metrics=metrics,
        by=[*tables, [STEPS]],
        cluster=cluster,
        protocol=protocol,
        missing=missing,
        confidence=confidence,
    )
    return FormatTax(comparison.summary, confidence=confidence)


@on_engines
def with_unwrapped(frame: Any, prediction: str, removed: Mapping[str, Sequence[str] | None]) -> Any:
    """
    Return the frame with the answers inside predictions, and with the steps that took off the rest.

    `removed` are the options of `unwrap`.
    """
    given = conversion.at_hand(frame)
    answer = unwrap(cs.by_name(prediction), **removed)
    texts = conversion.to_lazy(given, [prediction], [])
    check_dtypes(texts.collect_schema(), answer)
    added = [
        answer.struct.field("text").alias(UNWRAPPED),
        answer.struct.field("steps").fill_null(_NOTHING).alias(STEPS),
    ]
    check_new_names(conversion.column_names(given), (UNWRAPPED, STEPS))
    if isinstance(given, pl.DataFrame | pl.LazyFrame):
        return origins.like(given.with_columns(added), given)
    return conversion.with_columns(given, texts.select(added).collect())
