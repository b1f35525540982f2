"""Any frame as a lazy Polars frame of the columns that are needed."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame.exceptions import DTypeError
from anls_frame.frames.printed_lists import warn_of_printed
from anls_frame.frames.scoring import ARROW_ADVICE, check_column

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_NO_FRAME = (
    "frame must be a Polars DataFrame or LazyFrame, a pandas DataFrame or an object with the Arrow PyCapsule "
    "interface, got {}"
)

_LEVELS = 3


def to_lazy(
    frame: Any, texts: Sequence[str], others: Sequence[str], *, answers: str | None = None
) -> pl.LazyFrame:
    """
    Return columns of a Polars, pandas or Arrow frame; nothing else is converted.

    `texts` hold texts or lists of texts, which is checked here as far as Polars cannot tell afterwards;
    `others` (keys, clusters, scores) are of any type. The column of the `answers`, one of the texts, is
    looked at for lists that were printed as text, except where that would run a query.
    """
    for name in (*texts, *others):
        if not isinstance(name, str):
            raise TypeError(f"a column is named by a string, got {name!r}")
    texts = list(dict.fromkeys(texts))
    others = [name for name in dict.fromkeys(others) if name not in texts]
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        schema = frame.collect_schema()
        for name in (*texts, *others):
            check_column(schema, name)
        return _looked_at(frame, answers).lazy().select(cs.by_name(*texts, *others))
    if is_pandas(frame):
        from anls_frame.frames.from_pandas import to_polars  # noqa: PLC0415 - imports pandas

        columns = to_polars(frame, *texts).get_columns()
        converted = by_name([*columns, *(_pandas_column(frame, name) for name in others)])
        return _looked_at(converted, answers).lazy()
    if hasattr(frame, "__arrow_c_stream__"):
        from anls_frame.frames import from_arrow  # noqa: PLC0415 - imports pyarrow

        table = _table(frame)
        for name in (*texts, *others):
            check_column(table.column_names, name)
        columns = [from_arrow.to_series(name, table[name], advice=ARROW_ADVICE) for name in texts]
        converted = by_name([*columns, *(_arrow_column(name, table[name]) for name in others)])
        return _looked_at(converted, answers).lazy()
    raise TypeError(_NO_FRAME.format(type(frame).__name__))


def by_name(columns: Iterable[pl.Series]) -> pl.DataFrame:
    """Return columns as a frame, each under its name: of a list of them Polars renames those called ""."""
    return pl.DataFrame({column.name: column for column in columns})


def _looked_at(frame: pl.DataFrame | pl.LazyFrame, answers: str | None) -> pl.DataFrame | pl.LazyFrame:
    """Return the frame; warn of answers that are printed lists, if there is no query to run for them."""
    if answers is not None and isinstance(frame, pl.DataFrame):
        warn_of_printed(frame[answers])
    return frame


def is_pandas(frame: Any) -> bool:
    """Whether it is a pandas DataFrame; pandas is not imported to find out."""
    if sys.modules.get("pandas") is None:
        return False
    import pandas as pd  # noqa: PLC0415 - loaded already, but not by everyone

    return isinstance(frame, pd.DataFrame)


def whole(frame: Any) -> pl.DataFrame:
    """Return all columns of a Polars or Arrow frame."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame.lazy().collect()
    if hasattr(frame, "__arrow_c_stream__"):
        table = _table(frame)
        for name in table.column_names:
            check_column(table.column_names, name)
        return by_name(_arrow_column(name, table[name]) for name in table.column_names)
    raise TypeError(_NO_FRAME.format(type(frame).__name__))


def _table(frame: Any) -> Any:
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    try:
        return frame if isinstance(frame, pa.Table) else pa.table(frame)
    except pa.ArrowInvalid as error:
        raise TypeError(f"frame holds no table, but is a {type(frame).__name__}: {error}") from None


def _pandas_column(frame: Any, name: str) -> pl.Series:
    import pyarrow as pa  # noqa: PLC0415 - a dependency of the pandas side

    check_column(frame.columns, name)
    column = frame[name]
    # Arrow follows a list that holds itself until the process ends.
    if column.dtype == object and any(_is_deep(value, _LEVELS) for value in column):
        raise DTypeError(f"column {name!r} holds lists within lists, more than {_LEVELS} deep; flatten them")
    try:
        # NaN, None, NaT and NA become null, as pandas means them.
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise DTypeError(f"column {name!r} holds values that are not of one type: {error}") from None
    return _arrow_column(name, array)


def _is_deep(value: Any, levels: int) -> bool:
    """Whether lists and dictionaries lie in each other more than so many levels deep."""
    import numpy as np  # noqa: PLC0415 - a dependency of the pandas side

    if not isinstance(value, (list, tuple, dict, np.ndarray)):
        return False
    entries = value.values() if isinstance(value, dict) else value
    return levels == 0 or any(_is_deep(entry, levels - 1) for entry in entries)


def _arrow_column(name: str, column: Any) -> pl.Series:
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    if pa.types.is_fixed_size_list(column.type) and column.type.list_size == 0:
        return pl.Series(name, [None] * len(column), dtype=pl.Null)
    # Decided here and not after the conversion, which some types end with a panic.
    if not _is_known(column.type):
        raise DTypeError(f"column {name!r} holds {column.type}, which Polars has no dtype for; cast it")
    try:
        return pl.Series(name, pl.from_arrow(column))
    except pl.exceptions.PolarsError as error:
        raise DTypeError(f"column {name!r} holds {column.type}: {error}") from None


def _is_known(dtype: Any) -> bool:
    """Whether Polars has a dtype for an Arrow type."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

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
