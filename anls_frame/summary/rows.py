"""Expressions for rows of texts: what is scored, and sums over rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl
import polars.selectors as cs

from anls_frame import _plugin
from anls_frame.frames.checks import check_dtypes
from anls_frame.frames.reserved_columns import NULL_IN_GOLD
from anls_frame.metrics.errors import ERROR_TYPES, error_type
from anls_frame.protocol import plugin_scoring
from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import FINE_BITS, SCORE_BITS
from anls_frame.summary.settings import INVENTED, Settings, Unanswerable

UNANSWERABLE = "__anls_frame_unanswerable"
"""Name of the column that says which rows have no answer, where these are scored."""

STYLES = {"other_case": (1, "ignore_case"), "other_marks": (2, "ignore_punctuation")}
"""
How a wrong prediction can differ from its answer.

The values are a bit of `style` in the details, and the option of protocols that ignores the difference.
"""

_TEXTS = (pl.String, pl.Null, pl.Categorical, pl.Enum)


def with_unanswerable(
    source: pl.LazyFrame, predictions: Iterable[str], answers: str, unanswerable: Unanswerable
) -> pl.LazyFrame:
    """Return rows with their texts as they are scored, in place of the texts themselves."""
    source, texts = scored_texts(source, predictions, answers, unanswerable)
    return source.with_columns(text.alias(name) for name, text in texts.items())


def scored_texts(
    source: pl.LazyFrame,
    predictions: Iterable[str],
    answers: str,
    unanswerable: Unanswerable,
    *,
    of_fields: bool = False,
) -> tuple[pl.LazyFrame, dict[str, pl.Expr]]:
    """
    Return rows, and the texts of each column as they are scored.

    With "empty", the answer of rows without an answer, and a null prediction there, are the empty text, and
    the column `UNANSWERABLE` marks these rows; with `INVENTED`, and for scores of fields, only those in which
    something is predicted, because a row without either is no field of these systems.
    The columns of texts themselves never change: what slices rows, and metrics of columns, are to see what
    the user sees.
    """
    schema = source.collect_schema()
    names = [answers, *dict.fromkeys(predictions)]
    if unanswerable == "drop" or not all(_holds_texts(schema[name]) for name in names):
        return source, {name: cs.by_name(name) for name in names}  # other dtypes are refused when scored
    accepted, *predicted_texts = (cs.by_name(name).cast(pl.String) for name in names)
    empty, has_none = pl.lit(""), accepted.is_null()
    if isinstance(schema[answers], pl.List | pl.Array):
        accepted = cs.by_name(answers).cast(pl.List(pl.String))
        empty = pl.lit([""], dtype=pl.List(pl.String))
        has_none = accepted.list.drop_nulls().list.len().fill_null(0) == 0
    if of_fields or unanswerable == INVENTED:
        has_none &= pl.any_horizontal(text.fill_null("") != "" for text in predicted_texts)
    scored = {answers: pl.when(UNANSWERABLE).then(empty).otherwise(accepted)}
    scored |= {
        name: pl.when(UNANSWERABLE).then(text.fill_null("")).otherwise(text)
        for name, text in zip(names[1:], predicted_texts, strict=True)
    }
    return source.with_columns(has_none.alias(UNANSWERABLE)), scored


def are_named_nulls(source: pl.LazyFrame) -> pl.Expr:
    """Return which rows of fields are keys that gold names with null, as far as `fields` marked them."""
    if NULL_IN_GOLD not in source.collect_schema():
        return pl.lit(value=False)
    # Text in a file of texts.
    return pl.col(NULL_IN_GOLD).cast(pl.String).str.to_lowercase() == "true"


def _holds_texts(dtype: pl.DataType) -> bool:
    if isinstance(dtype, pl.List | pl.Array):
        return dtype.inner is not None and dtype.inner in _TEXTS
    return dtype in _TEXTS


def is_unanswerable(source: pl.LazyFrame) -> pl.Expr:
    """Return which rows of `scored_texts` have no answer, as far as known."""
    known = UNANSWERABLE in source.collect_schema()
    return pl.col(UNANSWERABLE) if known else pl.lit(None, dtype=pl.Boolean)


def predicted(text: pl.Expr) -> pl.Expr:
    """Return predictions with the empty text for missing ones, as they are scored."""
    return text.cast(pl.String).fill_null("")


def scored_type(prediction: pl.Expr, settings: Settings) -> pl.Expr:
    """
    Return the error type of each row, as scored against its `answers`.

    A missing prediction that is scored as the empty text is not `missing` if the empty text is an answer.
    """
    protocol = settings.protocol
    if settings.missing == "drop":
        return error_type(prediction, pl.col("answers"), protocol=protocol)
    kind = error_type(prediction, pl.col("answers"), missing="empty", protocol=protocol)
    missing = pl.lit("missing", dtype=pl.Enum(ERROR_TYPES))
    return pl.when(prediction.is_null() & (kind == "empty")).then(missing).otherwise(kind).alias("error_type")


def type_of(prediction: str, settings: Settings) -> pl.Expr:
    """Return the error type of each row; null without an answer, and for dropped predictions."""
    kind = scored_type(cs.by_name(prediction), settings).cast(pl.String)
    return kind if settings.missing == "empty" else pl.when(cs.by_name(prediction).is_not_null()).then(kind)


def is_missing(null: str) -> pl.Expr:
    """
    Return which rows lack a prediction, from the column that marks null predictions.

    Rows without an answer need no prediction.
    """
    return pl.col(null) & pl.col("answerable")


def kept(settings: Settings, numbers: Mapping[str, pl.Expr]) -> list[pl.Expr]:
    """Return the kept columns of rows; `numbers` are those that hold numbers as texts."""
    return [
        numbers.get(name, cs.by_name(name).as_expr()).alias(column)
        for name, column in zip(settings.keep, kept_names(settings), strict=True)
    ]


def kept_names(settings: Settings) -> list[str]:
    """Return the names of the kept columns in rows."""
    return [f"keep_{index}" for index, _ in enumerate(settings.keep)]


def row_scores(settings: Settings) -> list[str]:
    """Return the scores of texts that the worst rows show; there is no ANLS without a threshold."""
    cut = [] if settings.protocol.threshold is None else ["anls"]
    return ["nls", *cut, "cer", "exact_match"]


def own_and_kept(settings: Settings) -> list[str]:
    """Return the columns of rows with the scores of custom metrics, and the kept columns."""
    own = [f"score_{index}_0" for index, _ in enumerate(settings.own)]
    return [*own, *kept_names(settings)]


def score_details(schema: pl.Schema, prediction: str, answers: str, settings: Settings) -> pl.Expr:
    """Return the scores and the digest of each row; a missing prediction is scored as the empty string."""
    options = plugin_scoring(settings.protocol)
    texts = pl.Schema({name: schema[name] for name in (prediction, answers)})
    # `score` has the same rule, and users know its name from the error.
    check_dtypes(texts, _plugin.call("score", cs.by_name(prediction), cs.by_name(answers), **options))
    # Without null predictions, a score is null only if there is no answer.
    options["styles"] = settings.are_error_rates
    return _plugin.call("score_details", predicted(cs.by_name(prediction)), cs.by_name(answers), **options)


def sums_of_texts() -> list[pl.Expr]:
    """Return the sums over texts by cell; those of squared lengths have room for any number of parts."""
    # The square of a length is too large for a sign.
    errors, length = (pl.col(name).reinterpret(signed=False) for name in ("char_errors", "reference_length"))
    nls, anls, cer = pl.col("nls"), pl.col("anls"), pl.col("cer")
    return [
        pl.len().cast(pl.Int64).alias("rows"),
        _count(pl.col("row_digest").is_not_null(), "n"),
        _count(is_missing("missing_0"), "n_missing"),
        _count(~pl.col("answerable"), "n_unanswerable"),
        _count(pl.col("reference_length") == 0, "n_empty_reference"),
        fixed_point.sum_of_shares(nls, SCORE_BITS).alias("nls_units"),
        fixed_point.sum_of_shares(nls * nls, FINE_BITS).alias("nls_square_units"),
        fixed_point.sum_of_rates(cer).alias("cer_units"),
        fixed_point.sum_of_rates(cer * cer).alias("cer_square_units"),
        _count(pl.col("exact_match"), "exact_match_sum"),
        pl.col("char_errors").sum().alias("char_errors_sum"),
        pl.col("reference_length").sum().alias("reference_length_sum"),
        (errors * errors).sum().cast(pl.Int128).alias("char_errors_squares"),
        (errors * length).sum().cast(pl.Int128).alias("char_errors_by_length"),
        (length * length).sum().cast(pl.Int128).alias("reference_length_squares"),
        fixed_point.sum_of_shares(anls, SCORE_BITS).alias("anls_units"),
        fixed_point.sum_of_shares(anls * anls, FINE_BITS).alias("anls_square_units"),
        _count(anls == 0, "zeros_sum"),
    ]


def prediction_counts(system: int) -> list[pl.Expr]:
    """Return the digest of the rows of a system, by number, and counts of its predictions."""
    return [
        pl.sum(f"digest_{system}").alias("digest"),
        _count(pl.col(f"invented_{system}"), "n_invented"),
        _count(pl.col(f"placeholder_{system}"), "n_placeholders"),
        _count(pl.col(f"other_case_{system}"), "n_other_case"),
        _count(pl.col(f"other_marks_{system}"), "n_other_marks"),
        _count(pl.col("unanswerable"), "n_empty_answers"),
    ]


def _count(condition: pl.Expr, name: str) -> pl.Expr:
    return condition.sum().cast(pl.Int64).alias(name)
