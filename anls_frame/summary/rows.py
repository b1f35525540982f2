"""Queries that score rows, not executed yet, and the sums over these rows."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame import _plugin
from anls_frame.exceptions import DTypeError
from anls_frame.frames.checks import check_dtypes
from anls_frame.frames.conversion import to_lazy
from anls_frame.frames.progress import counted
from anls_frame.protocol import plugin_options
from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import FINE_BITS, REST_BITS, SCALE, SCALED_BITS, SCORE_BITS
from anls_frame.summary.keys import key_columns, key_names, optional

if TYPE_CHECKING:
    from collections.abc import Mapping

    from anls_frame.frames.progress import Advance
    from anls_frame.summary.settings import Settings

KEPT = "kept"
"""Name of the column that says whether the cut keeps a row."""


@dataclass(frozen=True, kw_only=True)
class Rows:
    """Scored rows, not computed yet: keys `key_0`, ..., the cluster, the scores, and the sums over them."""

    frame: pl.LazyFrame
    keys: tuple[str, ...]
    sums: list[pl.Expr]
    worst_order: tuple[str, ...]
    highest_first: bool
    worst_columns: tuple[str, ...]
    has_grid: bool
    details: Mapping[str, tuple[pl.LazyFrame, tuple[str, ...]]] = field(default_factory=dict)
    """Queries for what else is counted, with the columns that identify their rows within a slice."""


def scored_texts(
    frame: Any, prediction: str, answers: str, settings: Settings, advance: Advance = None
) -> Rows:
    """Return the scored rows of texts."""
    columns = [*settings.by, *optional(settings.cluster)]
    source = counted(to_lazy(frame, [prediction, answers], columns, answers=answers), advance)
    schema = source.collect_schema()
    rows = source.select(
        *key_columns(schema, settings.by, settings.cluster),
        cs.by_name(prediction).alias("prediction"),
        cs.by_name(answers).alias("answers"),
        cs.by_name(prediction).is_null().alias("missing"),
        score_details(schema, prediction, answers, settings).alias("scores"),
    ).unnest("scores")
    rows = rows.with_columns(pl.col("nls").is_not_null().alias("answerable"))
    if settings.missing == "drop":
        scores = ["nls", "anls", "cer", "exact_match", "char_errors", "reference_length", "row_digest"]
        rows = rows.with_columns(pl.when(~pl.col("missing")).then(pl.col(scores)))
    names = key_names(settings.by, settings.cluster)
    return Rows(
        frame=rows.with_columns((pl.col("anls") > 0).alias(KEPT)),
        keys=names,
        sums=_sums_of_texts(),
        worst_order=worst_order(settings),
        highest_first=not settings.higher_is_better,
        worst_columns=(*names, "prediction", "answers", "nls", "anls", "cer", "exact_match"),
        has_grid=True,
    )


def existing_scores(frame: Any, score: str, settings: Settings, advance: Advance = None) -> Rows:
    """Return rows with an existing score."""
    source = counted(to_lazy(frame, [], [score, *settings.by, *optional(settings.cluster)]), advance)
    schema = source.collect_schema()
    value = score_value(schema, score)
    rows = source.select(
        *key_columns(schema, settings.by, settings.cluster),
        value.alias("score"),
        score_digest(value).alias("row_digest"),
    ).with_columns(fixed_point.scale_of(pl.col("score")))
    names = key_names(settings.by, settings.cluster)
    return Rows(
        frame=rows,
        keys=names,
        sums=_sums_of_scores(),
        worst_order=worst_order(settings),
        highest_first=not settings.higher_is_better,
        worst_columns=(*names, "score"),
        has_grid=False,
    )


def score_details(schema: pl.Schema, prediction: str, answers: str, settings: Settings) -> pl.Expr:
    """Return the scores and the digest of each row; a missing prediction is scored as the empty string."""
    options = {
        "protocol": plugin_options(settings.protocol),
        "threshold": settings.threshold,
        "cer_protocol": plugin_options(settings.cer_protocol),
    }
    texts = pl.Schema({name: schema[name] for name in (prediction, answers)})
    # `score` has the same rule, and users know its name from the error.
    check_dtypes(texts, _plugin.call("score", cs.by_name(prediction), cs.by_name(answers), **options))
    # Without null predictions, a score is null only if there is no answer.
    predicted = cs.by_name(prediction).cast(pl.String).fill_null("")
    return _plugin.call("score_details", predicted, cs.by_name(answers), **options)


def score_value(schema: pl.Schema, score: str) -> pl.Expr:
    """Return a column of existing scores as floats."""
    if not (schema[score].is_numeric() or schema[score] in (pl.Boolean, pl.Null)):
        raise DTypeError(f"column {score!r} has dtype {schema[score]}; scores must be numbers")
    return cs.by_name(score).cast(pl.Float64)


def score_digest(value: pl.Expr) -> pl.Expr:
    """Return the digest of an existing score, null for null."""
    raw = {"protocol": plugin_options("raw"), "threshold": 0.0}
    return _plugin.call("score_details", value.cast(pl.String), pl.lit(""), **raw).struct.field("row_digest")


def worst_order(settings: Settings) -> tuple[str, ...]:
    """
    Return the columns by which the worst rows are chosen, each in ascending order with nulls last.

    If lower is better, the first column is in descending order.

    Ties between equal scores are broken by the content of the rows, so that every engine and every order of
    rows or parts gives the same ones. List keys are compared unsorted: sorting each costs more than scoring.
    """
    names = key_names(settings.by, settings.cluster)
    if settings.score is not None:
        return ("score", "row_digest", *names)
    # Rows with equal digests differ only in nulls.
    return ("anls", "nls", "row_digest", *names, "prediction", "answers")


def _sums_of_texts() -> list[pl.Expr]:
    errors, length = (pl.col(name).cast(pl.UInt64) for name in ("char_errors", "reference_length"))
    nls, cer = pl.col("nls"), pl.col("cer")
    return [
        pl.len().cast(pl.UInt64).alias("rows"),
        _count(pl.col("row_digest").is_not_null(), "n"),
        _count(pl.col("missing") & pl.col("answerable"), "n_missing"),
        _count(~pl.col("answerable"), "n_unanswerable"),
        _count(pl.col("reference_length") == 0, "n_empty_reference"),
        sum_of_scores("nls"),
        fixed_point.sum_of_shares(nls * nls, FINE_BITS).alias("nls_square_units"),
        sum_of_scores("cer"),
        fixed_point.sum_of_rates(cer * cer).alias("cer_square_units"),
        _count(pl.col("exact_match"), "exact_match_sum"),
        errors.sum().alias("char_errors_sum"),
        length.sum().alias("reference_length_sum"),
        (errors * errors).sum().alias("char_errors_squares"),
        (errors * length).sum().alias("char_errors_by_length"),
        (length * length).sum().alias("reference_length_squares"),
        *digest_sums("row_digest"),
    ]


def sum_of_scores(name: str) -> pl.Expr:
    """Return the sum of a score of texts over rows, in the units of its metric."""
    score = pl.col(name)
    units = fixed_point.sum_of_rates(score) if name == "cer" else fixed_point.sum_of_shares(score, SCORE_BITS)
    return units.alias(f"{name}_units")


def _sums_of_scores() -> list[pl.Expr]:
    zero = pl.lit(0, dtype=pl.UInt64)
    value = fixed_point.scaled(pl.col("score"), pl.col(SCALE))
    return [
        pl.len().cast(pl.UInt64).alias("rows"),
        _count(pl.col("score").is_not_null(), "n"),
        _count(pl.col("score").is_null(), "n_missing"),
        zero.alias("n_unanswerable"),
        zero.alias("n_empty_reference"),
        fixed_point.units(value, SCALED_BITS).sum().alias("score_units"),
        fixed_point.units(value * value, SCALED_BITS).sum().alias("score_square_units"),
        fixed_point.units(fixed_point.rest_of_square(value), REST_BITS).sum().alias("score_square_rest"),
        _count(pl.col("score") == 0, "zeros_sum"),
        _count(~pl.col("score").is_finite(), "not_finite_sum"),
        pl.col("score").min().alias("score_min"),
        pl.col("score").max().alias("score_max"),
        *digest_sums("row_digest"),
    ]


def _count(condition: pl.Expr, name: str) -> pl.Expr:
    return condition.sum().cast(pl.UInt64).alias(name)


def digest_sums(name: str) -> list[pl.Expr]:
    """Return the sums of the low and high halves of a column of digests, so that no sum overflows."""
    digest = pl.col(name)
    return [
        (digest & 0xFFFF_FFFF).sum().alias(f"{name}_low"),
        (digest // (1 << 32)).sum().alias(f"{name}_high"),
    ]
