"""Text columns of Arrow data into Polars."""

from __future__ import annotations

from typing import Any

import polars as pl
import pyarrow as pa

from anls_frame.exceptions import DTypeError


def to_series(name: str, column: Any, *, advice: str) -> pl.Series:
    """Return an Arrow column of texts or lists of texts as a Series; an error for any other type."""
    # Decided here and not after the conversion, which some types end with a panic.
    if not _is_text(column.type) and not _is_list_of_texts(column.type):
        raise DTypeError(f"column {name!r} holds {column.type}, neither texts nor lists of texts; {advice}")
    if pa.types.is_fixed_size_list(column.type) and column.type.list_size == 0:
        return pl.Series(name, [None] * len(column), dtype=pl.Null)
    return pl.Series(name, pl.from_arrow(column))


def _is_text(dtype: Any) -> bool:
    types = pa.types
    if types.is_dictionary(dtype):
        return _is_text(dtype.value_type)
    tests = (types.is_string, types.is_large_string, types.is_string_view, types.is_null)
    return any(test(dtype) for test in tests)


def _is_list_of_texts(dtype: Any) -> bool:
    types = pa.types
    tests = (types.is_list, types.is_large_list, types.is_fixed_size_list)
    return any(test(dtype) for test in tests) and _is_text(dtype.value_type)
