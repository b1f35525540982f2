"""
Causes of the loss: each part of what a row lacks to the best score has exactly one cause.

Texts are unwrapped first, and what that wins back has the cause `wrapped`; a row that scores less without its
wrapping keeps its text. The cause of the rest is the error type of the text that is left. Reports, pages of
rows and overviews take their shares from here, so that no two of them contradict each other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import polars as pl

from anls_frame.metrics.errors import ERROR_TYPES, error_type
from anls_frame.metrics.scores import fields_of_score
from anls_frame.metrics.wrapping import unwrap
from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import SCORE_BITS
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.rows import predicted, scored_type
from anls_frame.summary.settings import Settings

WRAPPED = "wrapped"
_CUT = 0.5
FORM = ("case", "whitespace", "punctuation", "diacritics", "number_format")
"""Error types of answers that are right except for their form."""
_OF_TYPE = {kind: "form" if kind in FORM else str(kind) for kind in ERROR_TYPES}

CAUSES: Mapping[str, str] = {
    "missing": "no prediction (null)",
    "empty": "an empty prediction, or only whitespace",
    "invented": "a prediction where the accepted answer is empty",
    WRAPPED: "what would be right without the phrases, quotes or code fences around it",
    "form": "right except for case, spaces, punctuation, accents or the format of a number",
    "extra_text": "the prediction contains the answer",
    "truncated": "the answer contains the prediction",
    "near": "a few characters differ",
    "wrong": "another answer",
    "exact": "a lower score although the texts are equal",
}
"""
The causes, with their meanings: error types, with `wrapped`, and `form` in place of all that differ in form.

Only scores that are not those of texts are lost to `exact`.
"""

SUMS = ("rows", "n", "n_wrapped", "units", "wrapped_units")
SCORES = ("anls", "nls", "exact_match")
"""The scores of texts whose loss has causes."""

_TEXT, _BEFORE, _AFTER = "anls_frame:text", "anls_frame:before", "anls_frame:after"
"""Columns that are computed once: Polars would unwrap and score texts again for each expression of them."""


def with_losses(
    rows: pl.LazyFrame,
    prediction: str,
    settings: Settings,
    *,
    score: str = "anls",
    given: pl.Expr | None = None,
) -> pl.LazyFrame:
    """
    Return rows with what each lacks to the score 1, by cause; null in rows without a score.

    Parameters
    ----------
    rows
        The rows, with a column `answers`, as they are scored.
    prediction
        The column of predictions, as they are scored.
    settings
        How rows are scored.
    score
        One of `SCORES`.
    given
        Another score of the rows with the best value 1, which unwrapping cannot change.

    Returns
    -------
    LazyFrame
        The rows with these columns: the `error_type` of the text; `cause` and `lost`, the loss that
        has this cause; `wrapped`, what unwrapping wins back.
    """
    column, text, before, after = map(pl.col, (prediction, _TEXT, _BEFORE, _AFTER))
    if settings.protocol.threshold is None:
        # Only types need a cut, between near and other answers.
        settings = replace(settings, protocol=settings.protocol.replace(threshold=_CUT))

    protocol = settings.protocol

    def scored(text: pl.Expr) -> pl.Expr:
        fields = fields_of_score(text, pl.col("answers"), protocol=protocol)
        return fields.struct.field(score).cast(pl.Float64)

    own_score = scored(predicted(column) if settings.missing == "empty" else column)
    rows = rows.with_columns(
        (own_score if given is None else given).alias(_BEFORE),
        error_type=scored_type(column, settings).cast(pl.String),
    )
    # A text without a loss can win nothing.
    losing = pl.when(before < 1).then(column.cast(pl.String)) if given is None else pl.lit(None, pl.String)
    rows = rows.with_columns(unwrap(losing).struct.field("text").alias(_TEXT))
    # Few texts are wrapped, so few are scored and typed twice: null texts are not.
    rows = rows.with_columns(pl.when(text != losing).then(text).alias(_TEXT))
    rows = rows.with_columns(scored(text).fill_null(before).alias(_AFTER))
    kind = error_type(pl.when(after >= before).then(text), pl.col("answers"), protocol=protocol)
    kind = pl.when(text.is_not_null() & (after >= before)).then(kind.cast(pl.String)).otherwise("error_type")
    return rows.with_columns(
        cause=kind.replace_strict(_OF_TYPE, return_dtype=pl.String),
        lost=1 - pl.max_horizontal(before, after),
        wrapped=(after - before).clip(lower_bound=0),
    ).drop(_TEXT, _BEFORE, _AFTER)


def summed(rows: pl.LazyFrame, keys: Sequence[str]) -> pl.LazyFrame:
    """Return the query for the sums of losses by cause; what wrapping costs is counted separately."""
    counts = {"n": "lost", "n_wrapped": WRAPPED}
    units = {"units": "lost", "wrapped_units": WRAPPED}
    return rows.group_by(*keys, "cause").agg(
        pl.count("lost").cast(pl.Int64).alias("rows"),
        *((pl.col(column) > 0).sum().cast(pl.Int64).alias(name) for name, column in counts.items()),
        *(fixed_point.sum_of_shares(pl.col(own), SCORE_BITS).alias(name) for name, own in units.items()),
    )


def losses_by_cause(counted: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """
    Return the causes of each slice, the largest loss first.

    A row counts in the slice of each entry of a list key, and in two causes if its wrapping explains a part.
    """
    rows = explode_lists(counted, [key for key in keys if key in counted.columns])
    sums = rows.group_by([*keys, "cause"]).agg(pl.col(SUMS).sum()).with_columns(all=0)
    of_slice = [*keys, "all"]
    sums = sums.with_columns(pl.sum("rows").over(of_slice))
    wrapped = sums.group_by(*of_slice, "rows").agg(n=pl.sum("n_wrapped"), units=pl.sum("wrapped_units"))
    names = [*of_slice, "cause", "n", "units", "rows"]
    every = pl.concat([sums.select(names), wrapped.with_columns(cause=pl.lit(WRAPPED)).select(names)])
    total = pl.col("units").sum().over(of_slice)
    joined = every.filter(pl.col("n") > 0).with_columns(
        cause=pl.col("cause").cast(pl.Enum(list(CAUSES))),
        lost=fixed_point.floats(pl.col("units"), SCORE_BITS),
        total=fixed_point.floats(total, SCORE_BITS),
    )
    order = [*keys, "units", "cause"]
    # Series are divided, because an expression divides less exactly by a column known to be constant.
    return (
        joined.with_columns(
            loss=joined["lost"] / joined["rows"], share_of_loss=joined["lost"] / joined["total"]
        )
        .sort(order, descending=[name == "units" for name in order], nulls_last=True)
        .select(*keys, "cause", "n", "loss", "share_of_loss")
    )


def shares(counted: pl.DataFrame) -> dict[str, float]:
    """Return the share of each cause in the loss of all rows."""
    return dict(losses_by_cause(counted, []).select("cause", "share_of_loss").iter_rows())
