"""Conversion of cells to types of all text formats: null, booleans, numbers, text, lists and objects."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeVar

import polars as pl
import polars.selectors as cs

Frame = TypeVar("Frame", pl.DataFrame, pl.LazyFrame)


def plain_frame(frame: Frame, name: str) -> Frame:
    """
    Convert dates and other dtypes that text formats lack.

    Dates and times become ISO 8601 strings with every digit (Python's own types end at microseconds),
    decimals become strings with all their digits, and categories become their names.

    Parameters
    ----------
    frame
        The frame.
    name
        Name of the table, for error messages.

    Raises
    ------
    TypeError
        If a column has a dtype without a text form, such as binary data.
    """
    schema = frame.collect_schema()
    try:
        converted = {
            name: _plain(cs.by_name(name).as_expr(), dtype)
            for name, dtype in _needing_conversion(schema).items()
        }
    except _NoTextError as error:
        raise TypeError(
            f"table {name!r} has binary or other data without a text form in column {error.args[0]!r} "
            f"(dtype {schema[error.args[0]]}); cast it to String first, or leave it out"
        ) from None
    return frame.with_columns(**converted)


def json_lines(frame: pl.DataFrame, name: str) -> list[str]:
    """Return each row as a JSON object, with null for NaN and infinity."""
    return plain_frame(frame, name).write_ndjson().split("\n")[:-1]


def as_json(value: object, where: str) -> Any:
    """
    Copy a value for strict JSON, with null for NaN and infinity.

    Parameters
    ----------
    value
        The value.
    where
        A description of the value, for error messages.

    Raises
    ------
    TypeError
        If the value, or a value within it, cannot be represented in JSON.
    """
    if value is None or isinstance(value, bool | str):
        return value
    # Subclasses, such as numpy's floats, become plain numbers.
    if isinstance(value, int):
        return int(value)
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise TypeError(f"{where} has the key {key!r}, but keys of JSON objects must be strings")
        return {key: as_json(entry, f"{where}[{key!r}]") for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(entry, f"{where}[{index}]") for index, entry in enumerate(value)]
    raise TypeError(f"{where} is a {type(value).__name__}, which JSON cannot represent")


def json_text(value: object, where: str = "the value") -> str:
    """Return a value as strict JSON on one line."""
    return json.dumps(as_json(value, where), ensure_ascii=False, allow_nan=False)


def as_text(value: object) -> str:
    """
    Return a non-null value of a plain frame as text.

    Floats have the fewest digits that read back as the same float; lists are JSON.
    """
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return "NaN" if math.isnan(value) else repr(value)
    return str(value) if isinstance(value, int) else json_text(value)


class _NoTextError(Exception):
    """A dtype that has no text form."""


def _needing_conversion(schema: pl.Schema) -> dict[str, pl.DataType]:
    converted = {}
    for name, dtype in schema.items():
        try:
            if not _is_plain(dtype):
                converted[name] = dtype
        except _NoTextError:
            raise _NoTextError(name) from None
    return converted


def _is_plain(dtype: pl.DataType) -> bool:
    """Return whether values of a dtype need no conversion; raise an error if they cannot be converted."""
    if isinstance(dtype, pl.List | pl.Array):
        inner = _is_plain(_inner(dtype))
        return inner and isinstance(dtype, pl.List)
    if isinstance(dtype, pl.Struct):
        # Every field is checked, because one may raise.
        fields = [_is_plain(_dtype(entry.dtype)) for entry in dtype.fields]
        return all(fields)
    if isinstance(dtype, pl.Categorical | pl.Enum | pl.Decimal | pl.Float32) or dtype.is_temporal():
        return False
    if isinstance(dtype, pl.Null | pl.Boolean | pl.String) or dtype.is_integer() or dtype.is_float():
        return True
    raise _NoTextError


def _plain(values: pl.Expr, dtype: pl.DataType) -> pl.Expr:
    if _is_plain(dtype):
        return values
    if isinstance(dtype, pl.List | pl.Array):
        inner = _inner(dtype)
        as_list = values.cast(pl.List(inner)) if isinstance(dtype, pl.Array) else values
        return as_list if _is_plain(inner) else as_list.list.eval(_plain(pl.element(), inner))
    if isinstance(dtype, pl.Struct):
        fields = [
            _plain(values.struct.field(entry.name), _dtype(entry.dtype)).alias(entry.name)
            for entry in dtype.fields
        ]
        return pl.when(values.is_not_null()).then(pl.struct(fields))
    if dtype.is_temporal():
        return values.dt.to_string("iso:strict")
    # All digits of a number of 32 bits are those of the same number in 64 bits.
    return values.cast(pl.Float64 if dtype == pl.Float32 else pl.String)


def _inner(dtype: pl.List | pl.Array) -> pl.DataType:
    return _dtype(dtype.inner)


def _dtype(dtype: Any) -> pl.DataType:
    instance: pl.DataType = dtype() if isinstance(dtype, type) else dtype
    return instance
