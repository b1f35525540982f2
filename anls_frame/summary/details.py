"""Optional counts of a summary: error types, causes, confusions and lengths, which add up over parts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, get_args

import polars as pl

from anls_frame import _plugin
from anls_frame.metrics.errors import ERROR_TYPES
from anls_frame.protocol import plugin_options, resolve_errors
from anls_frame.summary import causes, fixed_point
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.keys import chosen_keys, explode_lists, with_column_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import Settings

Op: TypeAlias = Literal["replace", "insert", "delete"]
PAIR = ("baseline_error_type", "error_type")
"""Columns of counts by two error types: those of the first system and of another."""

OPERATIONS: tuple[Op, ...] = get_args(Op)
_EDIT = ("op", "reference_char", "predicted_char")
_ROWS = ("n", "n_missing", "n_unanswerable", "n_distant")
SUMS = (
    *("n", "anls_units", "nls_units", "cer_units"),
    *("exact_match_sum", "reference_length_sum", "char_errors_sum"),
)

KEYS: Mapping[str, tuple[str, ...]] = {
    "errors": ("error_type",),
    "causes": ("cause",),
    "confusions": _EDIT,
    "lengths": ("bits",),
}
"""The details, with the columns that identify their rows within a slice."""


def plans(rows: pl.LazyFrame, keys: Sequence[str], settings: Settings) -> dict[str, pl.LazyFrame]:
    """Return the queries for those details of `Rows` that are not added up together with the scores."""
    options = {
        "protocol": plugin_options(resolve_errors(settings.protocol)),
        "max_length": settings.max_length,
        "min_nls": settings.min_nls,
    }
    losses = causes.with_losses(rows, "prediction", settings)
    # Both are counted at once, because a type and a cause look at the same texts.
    counted = causes.summed(losses, [*keys, "error_type"]).collect(engine="streaming").lazy()
    # Rows without a score are left out: those without an answer, and null predictions that are dropped.
    scored = counted.filter(pl.col("rows") > 0)
    return {
        "errors": scored.group_by(*keys, "error_type").agg(pl.sum("rows").alias("n")),
        "causes": scored.group_by(*keys, "cause").agg(pl.col(causes.SUMS).sum()),
        "confusions": edit_counts(rows, keys, options),
    }


def error_table(
    counted: pl.DataFrame, keys: Sequence[str], columns: Sequence[str] = ("error_type",)
) -> pl.DataFrame:
    """
    Return counts of error types as a table, with the share of each type in its slice.

    Slices are in the order of their keys, error types in the order in which they are tried. A row counts in
    the slice of each entry of a list key. Rows may have several types, such as those of two systems.
    """
    sums = _added(counted, [*keys, *columns], ["n"])
    types = pl.Enum(ERROR_TYPES)
    total = pl.col("n").sum().over(keys or "all")
    table = sums.with_columns(pl.col(columns).cast(types), all=0).with_columns(
        (pl.col("n") / total).alias("share")
    )
    return table.sort(*keys, *columns, nulls_last=True).select(*keys, *columns, "n", "share")


def edit_counts(rows: pl.LazyFrame, keys: Sequence[str], options: dict[str, Any]) -> pl.LazyFrame:
    """Count edits, reference characters and rows by slice; list keys are not exploded."""
    # The first row with the number of a slice collects its counts.
    number = pl.struct(keys).hash() if keys else pl.lit(0, dtype=pl.UInt64)
    counts = _plugin.call("confusion_counts", "prediction", "answers", number.alias("group"), **options)
    lists = rows.select(*keys, counts.alias("counts"))
    parts = (
        lists.filter(pl.col("counts").list.len() > 0)
        .explode("counts", empty_as_null=True, keep_nulls=True)
        .unnest("counts")
    )
    return parts.group_by(*keys, *_EDIT).agg(pl.col("count").sum())


def without_case(confusions: pl.DataFrame, settings: Settings) -> pl.DataFrame:
    """Return confusions without those that change the case alone, if no score counts these."""
    if not settings.protocol.ignore_case or settings.are_error_rates:
        return confusions
    reference, predicted = (pl.col(name).str.to_lowercase() for name in _EDIT[1:])
    return confusions.filter(reference.ne_missing(predicted))


def confusion_table(counted: pl.DataFrame, keys: Sequence[str], op: Op | None = None) -> pl.DataFrame:
    """Return counts of edits (of one operation, if given) as the table of confusions, slice by slice."""
    counted = _added(counted, [*keys, *_EDIT], ["count"])
    counted = counted.with_columns(all=0)  # the only slice if there are no keys
    count, operation = pl.col("count"), pl.col("op")
    is_edit = operation.is_in(OPERATIONS)
    slice_keys = [*keys, "all"]
    edits = count.filter(is_edit).sum().alias("edits")
    rows = (count.filter(operation == name).sum().alias(name) for name in _ROWS)
    totals = counted.group_by(slice_keys).agg(edits, *rows)
    letter_keys = [*slice_keys, "reference_char"]
    references = counted.filter(operation == "reference").select(*letter_keys, count.alias("references"))
    # There may be as many slices as rows, and joins take less memory than window functions.
    joined = (
        counted.filter(is_edit if op is None else operation == op)
        .join(totals, on=slice_keys, nulls_equal=True, how="left")
        .join(references, on=letter_keys, nulls_equal=True, how="left")
    )
    order = [*keys, "count", *_EDIT]
    descending = [column == "count" for column in order]
    # Series are divided, because an expression divides less exactly by a column known to be constant.
    return (
        joined.with_columns(
            share_of_errors=joined["count"] / joined["edits"],
            share_of_reference=joined["count"] / joined["references"],
        )
        .select(*keys, *_EDIT, "count", "share_of_errors", "share_of_reference", *_ROWS)
        .sort(order, descending=descending, nulls_last=True)
    )


def detail_table(
    details: Mapping[str, pl.DataFrame],
    settings: Settings,
    name: str,
    by: Sequence[str],
    noun: str = "report",
    **options: Any,
) -> pl.DataFrame:
    """Return the errors, causes, confusions or lengths of a summary, by some of its `by` columns."""
    if not settings.details:
        raise ValueError(f"the {noun} has no {name}; make it with details=True")
    keys = chosen_keys(by, settings.by, noun)
    tables: dict[str, Callable[..., pl.DataFrame]] = {
        "errors": error_table,
        "causes": causes.losses_by_cause,
        "confusions": confusion_table,
        "lengths": length_table,
    }
    return with_column_names(tables[name](details[name], keys, **options), keys, by)


def length_sums_of(sums: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return the sums by length from the sums of cells, which also have a key `bits`."""
    return sums.filter(pl.col("n") > 0).select(*keys, "bits", *SUMS)


def length_table(sums: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return the means from the sums by length, slice by slice, from short to long references."""
    sums = _added(sums, [*keys, "bits"], SUMS)
    power = pl.lit(2, pl.Int64) ** pl.col("bits").cast(pl.Int64)
    first = pl.when(pl.col("bits") > 0).then(power // 2).otherwise(0)
    return sums.sort(*keys, "bits", nulls_last=True).select(
        *keys,
        first.alias("length_from"),
        (power - 1).alias("length_to"),
        "n",
        *(_ratio(metric) for metric in TEXT_METRICS if metric.row is not None),
    )


def _ratio(metric: Metric) -> pl.Expr:
    x, y = map(pl.col, metric.columns[:2])
    return pl.when(y > 0).then(fixed_point.floats(x, metric.bits) / y).alias(metric.name)


def _added(frame: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    """Add up rows with equal keys; a cell counts in each entry of a list key."""
    frame = explode_lists(frame, [key for key in keys if key in frame.columns])
    return frame.group_by(keys).agg(pl.col(*values).sum())
