"""Arrow tables from any object, and their columns as Polars Series."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import pyarrow as pa

from anls_frame.exceptions import DTypeError
from anls_frame.frames.checks import check_columns, check_texts


def to_table(frame: Any) -> pa.Table | None:
    """Convert an object with the Arrow PyCapsule interface to a table; None for a single column."""
    try:
        return frame if isinstance(frame, pa.Table) else pa.table(frame)
    except pa.ArrowInvalid:
        return None


def to_polars(table: pa.Table, texts: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """Return columns of strings or lists of strings, and others of any type; nothing else is converted."""
    names = (*texts, *others)
    check_columns(table.column_names, names, names)
    for name in names:
        check_content(name, table[name])
    columns = {name: text_column(name, table[name]) for name in texts}
    return pl.DataFrame(columns | {name: any_column(name, table[name]) for name in others})


def to_series(name: str, values: Any) -> pl.Series:
    """Return an Arrow array (or an object convertible to one) of strings or lists of strings as a Series."""
    if not isinstance(values, (pa.Array, pa.ChunkedArray)):
        is_stream = hasattr(values, "__arrow_c_stream__")
        values = pa.chunked_array(values) if is_stream else pa.array(values)
    check_content(name, values)
    return text_column(name, values)


def with_columns(table: pa.Table, columns: pl.DataFrame) -> pa.Table:
    """Return the table with new columns, which replace those of the same names."""
    for column in columns:
        index = table.schema.get_field_index(column.name)
        if index < 0:
            table = table.append_column(column.name, column.to_arrow())
        else:
            table = table.set_column(index, column.name, column.to_arrow())
    return table


def text_column(name: str, column: Any) -> pl.Series:
    """Return an Arrow column of strings or lists of strings as a Series; raise an error for other types."""
    texts = any_column(name, column)
    check_texts([texts])
    return texts


def check_content(name: str, column: Any) -> None:
    """
    Raise an error if an Arrow column of another library is malformed, such as with decreasing offsets.

    Polars trusts the given offsets and indices, and would read arbitrary memory.
    """
    try:
        column.validate(full=True)
    except pa.ArrowException as error:
        raise DTypeError(f"column {name!r} is malformed: {error}") from None


def any_column(name: str, column: Any) -> pl.Series:
    """Return an Arrow column of any type as a Series; raise an error if Polars has no dtype for it."""
    if pa.types.is_fixed_size_list(column.type) and column.type.list_size == 0:
        return pl.Series(name, [None] * len(column), dtype=pl.Null)
    # Checked before the conversion, because Polars panics on some types.
    if not _is_known(column.type):
        raise DTypeError(
            f"column {name!r} holds {column.type}, for which Polars has no dtype; cast it, for example to "
            "string; where Arrow cannot, `pyarrow.array(column.to_pylist())` makes another column"
        )
    try:
        return pl.Series(name, pl.from_arrow(column))
    except pl.exceptions.PolarsError as error:
        raise DTypeError(f"column {name!r} holds {column.type}: {error}") from None


def _is_known(dtype: Any) -> bool:
    """Whether Polars has a dtype for an Arrow type."""
    types = pa.types
    if isinstance(dtype, pa.BaseExtensionType):
        return False
    if types.is_dictionary(dtype):
        return _is_known(dtype.value_type) and not types.is_nested(dtype.value_type)
    if types.is_fixed_size_list(dtype):
        return dtype.list_size > 0 and _is_known(dtype.value_type)
    if types.is_list(dtype) or types.is_large_list(dtype):
        return _is_known(dtype.value_type)
    if types.is_struct(dtype):
        return all(_is_known(dtype.field(index).type) for index in range(dtype.num_fields))
    unknown = (types.is_nested, types.is_decimal256, types.is_interval, types.is_run_end_encoded)
    return not any(test(dtype) for test in unknown)
