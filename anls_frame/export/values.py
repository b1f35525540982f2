"""Conversion of cells to types of all text formats: null, booleans, numbers, text, lists and objects."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, TypeGuard, TypeVar

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
    columns = []
    for column, dtype in frame.collect_schema().items():
        if not _has_text(dtype):
            raise TypeError(
                f"table {name!r} has binary or other data without a text form in column {column!r} "
                f"(dtype {dtype}); cast it to String first, or leave it out"
            )
        columns.append(_plain(cs.by_name(column).as_expr(), dtype).alias(column))
    return frame.with_columns(columns)


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
    if value is None or isinstance(value, int | str):
        return value
    # Subclasses, such as numpy's floats, become plain numbers.
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


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a value is a number, which a Boolean is not."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def _has_text(dtype: Any) -> bool:
    """Return whether values of a dtype have a text form."""
    if dtype.is_nested():
        inner = [entry.dtype for entry in dtype.fields] if dtype == pl.Struct else [_entry(dtype)]
        return all(map(_has_text, inner))
    return not (dtype.is_object() or dtype in (pl.Binary, pl.Unknown))


def _entry(dtype: Any) -> Any:
    """Return the dtype of the entries of lists or, as pairs, of a map."""
    is_map = hasattr(dtype, "key")
    return pl.Struct({"key": dtype.key, "value": dtype.value}) if is_map else dtype.inner


def _plain(values: pl.Expr, dtype: Any) -> pl.Expr:
    """Return values in the form of text formats; the same expression if they have this form."""
    if dtype == pl.Struct:
        fields = [(entry, values.struct.field(entry.name)) for entry in dtype.fields]
        plain = [_plain(field, entry.dtype).alias(entry.name) for entry, field in fields]
        return pl.when(values.is_not_null()).then(pl.struct(plain))
    if dtype.is_nested():
        as_list, entry = values.cast(pl.List(_entry(dtype))), pl.element()
        plain_entry = _plain(entry, _entry(dtype))
        return as_list if plain_entry is entry else as_list.list.eval(plain_entry)
    if dtype.is_temporal():
        return values.dt.to_string("iso:strict")
    # All digits of a number of 32 bits are those of the same number in 64 bits.
    if dtype == pl.Float32:
        return values.cast(pl.Float64)
    return values.cast(pl.String) if dtype in (pl.Categorical, pl.Enum) or dtype.is_decimal() else values
