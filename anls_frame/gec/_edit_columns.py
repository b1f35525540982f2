"""Conversion of edits and annotators for the plugin, which accepts only strings and lists of strings."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import polars as pl
from polars._typing import PolarsDataType

from anls_frame import _plugin
from anls_frame._typing import IntoExprColumn
from anls_frame.exceptions import DTypeError

# The fields of an edit are joined with U+001F. A U+001F inside a field is replaced by U+001E: both are
# whitespace, so neither is ever part of a token.
_SEPARATOR = "\x1f"
_NEIGHBOUR = "\x1e"
_NUMBERS = ("start", "end", "annotator")
_STRINGS = (pl.String, pl.Categorical, pl.Enum, pl.Null)


def edit_texts(edits: IntoExprColumn, function: str) -> pl.Expr:
    """Return edits as lists of strings, each with start, end, annotator, type and corrections."""
    return _converted(_plugin.expression(function, edits), partial(_edit_texts, function=function))


def annotator_texts(annotators: IntoExprColumn | None, function: str) -> pl.Expr:
    """Return annotators as lists of strings; without a column, the plugin takes them from the edits."""
    if annotators is None:
        return pl.lit(pl.Series([None], dtype=_TEXTS))
    return _converted(_plugin.expression(function, annotators), partial(_annotator_texts, function=function))


_TEXTS = pl.List(pl.String)


def _converted(column: pl.Expr, convert: Callable[[pl.Series], pl.Series]) -> pl.Expr:
    # A function of the column, because an expression that asks for a missing field fails before the error
    # message can name the column.
    return column.map_batches(convert, return_dtype=_TEXTS, is_elementwise=True)


def _edit_texts(edits: pl.Series, *, function: str) -> pl.Series:
    entry = _entry(edits.dtype)
    if entry == pl.Null:
        return edits.cast(_TEXTS)
    fields = {field.name: field.dtype for field in entry.fields} if isinstance(entry, pl.Struct) else {}
    if not (
        fields.keys() >= {*_NUMBERS, "type", "corrections"}
        and all(fields[name].is_integer() or fields[name] == pl.Null for name in _NUMBERS)
        and fields["type"] in _STRINGS
        and _entry(fields["corrections"]) in _STRINGS
    ):
        advice = ""
        if pl.String in (entry, edits.dtype):
            advice = "; pass reference sentences to `i_measure` as references="
        raise DTypeError(
            f"`{function}` needs edits, one list of structs per row, with integers as start, end and "
            f"annotator, a string as type and a list of strings as corrections, as `read_m2` returns them, "
            f"but column {edits.name!r} has dtype {edits.dtype}{advice}"
        )
    edit = pl.element().struct
    corrections = pl.lit("")
    if fields["corrections"] != pl.Null:
        listed = edit.field("corrections").cast(_listed(fields["corrections"]))
        corrections = listed.list.eval(_clean(pl.element())).list.join(_SEPARATOR).fill_null("")
    text = pl.concat_str(
        # A null number becomes an empty field, which the plugin rejects, naming the row.
        *(edit.field(field).cast(pl.String).fill_null("") for field in _NUMBERS),
        _clean(edit.field("type")),
        corrections,
        separator=_SEPARATOR,
    )
    return _evaluated(edits, pl.when(pl.element().is_not_null()).then(text))


def _annotator_texts(annotators: pl.Series, *, function: str) -> pl.Series:
    entry = _entry(annotators.dtype)
    if entry == pl.Null:
        return annotators.cast(_TEXTS)
    if entry is None or not entry.is_integer():
        raise DTypeError(
            f"`{function}` needs one list of integers per row as annotators, as `read_m2` returns it, but "
            f"column {annotators.name!r} has dtype {annotators.dtype}"
        )
    return _evaluated(annotators, pl.element().cast(pl.String))


def _evaluated(lists: pl.Series, entry: pl.Expr) -> pl.Series:
    # Under a fixed name: Polars may read the column's own name as a pattern.
    frame = lists.alias("lists").to_frame()
    column = pl.col("lists").cast(_listed(lists.dtype))
    return frame.select(column.list.eval(entry)).to_series().alias(lists.name)


def _entry(dtype: PolarsDataType) -> PolarsDataType | None:
    """Return the dtype of a list's entries, or `Null` for a column of nulls, which is valid too."""
    if isinstance(dtype, pl.List | pl.Array):
        return dtype.inner
    return dtype if dtype == pl.Null else None


def _listed(dtype: PolarsDataType) -> pl.List:
    """Return the list dtype that corresponds to a list or array dtype."""
    entry = _entry(dtype)
    return pl.List(pl.Null if entry is None else entry)


def _clean(text: pl.Expr) -> pl.Expr:
    text = text.cast(pl.String).fill_null("")
    return text.str.replace_all(_SEPARATOR, _NEIGHBOUR, literal=True)
