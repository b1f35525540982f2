"""Columns of pandas frames to Polars, and scores and tables back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from anls_frame.exceptions import DTypeError
from anls_frame.frames import from_arrow
from anls_frame.frames.checks import check_column

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable

_LEVELS = 3


def to_polars(frame: pd.DataFrame, texts: Iterable[str], others: Iterable[str] = ()) -> pl.DataFrame:
    """Return columns of strings or lists of strings, and others of any type; nothing else is converted."""
    if isinstance(frame.columns, pd.MultiIndex):
        raise TypeError("the frame has several levels of column names; flatten them first")
    for name in (*texts, *others):
        check_column(frame.columns, name)
    columns = {name: _text_column(name, frame[name]) for name in texts}
    return pl.DataFrame(columns | {name: _any_column(name, frame[name]) for name in others})


def with_columns(frame: pd.DataFrame, scores: pl.DataFrame) -> pd.DataFrame:
    """Return the frame with score columns added; their dtypes do not depend on the data."""
    return frame.assign(**{column.name: _to_array(column) for column in scores})


def to_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """
    Return a table as a pandas frame with the dtypes that a pandas user expects.

    Counts are `int64`, or `Int64` if some are null; Booleans with nulls are `boolean`; nested values are
    Python's lists and dictionaries. Everything else is as Polars converts it.
    """
    # Converted under other names, because Polars panics if a name contains NUL.
    names = [f"column {index}" for index in range(table.width)]
    frame = table.rename(dict(zip(table.columns, names, strict=True))).to_pandas()
    for name, column in zip(names, table, strict=True):
        dtype, has_nulls = column.dtype, bool(column.null_count())
        if dtype.is_nested():
            frame[name] = pd.Series(column.to_list(), dtype=object, index=frame.index)
        elif dtype.is_unsigned_integer() or (has_nulls and (dtype.is_integer() or dtype == pl.Boolean)):
            whole = _signed(column) if dtype.is_unsigned_integer() else column
            frame[name] = _to_array(whole) if has_nulls else whole.to_numpy()
    frame.columns = table.columns
    return frame


def _signed(column: pl.Series) -> pl.Series:
    """Return unsigned integers as `Int64`, unless one is too large: a key of the given frame can be."""
    signed = column.cast(pl.Int64, strict=False)
    return signed if signed.null_count() == column.null_count() else column


def _to_array(column: pl.Series) -> Any:
    if column.dtype == pl.Float64:
        return column.fill_null(float("nan")).to_numpy()
    mask = column.is_null().to_numpy(writable=True)
    if column.dtype == pl.Boolean:
        return pd.arrays.BooleanArray(column.fill_null(value=False).to_numpy(writable=True), mask)
    return pd.arrays.IntegerArray(column.fill_null(0).to_numpy(writable=True), mask)


def _text_column(name: str, column: pd.Series[Any]) -> pl.Series:
    # In pandas, a column without values is categorical or float64.
    untyped = isinstance(column.dtype, pd.CategoricalDtype) or column.dtype == np.float64
    if untyped and column.isna().all():
        return pl.Series(name, [None] * len(column), dtype=pl.Null)
    if column.dtype == object and _is_unsafe(column):
        raise _diagnose(column, name) or DTypeError(f"column {name!r} must hold strings or lists of strings")
    try:
        # This also converts pandas' own string dtypes and categories; NaN, None and NA become null.
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise _diagnose(column, name) or DTypeError(f"column {name!r}: {error}") from None
    return from_arrow.text_column(name, array, advice="convert it, as with `.astype(str)`, if it holds text")


def _any_column(name: str, column: pd.Series[Any]) -> pl.Series:
    # Arrow recurses into a list that contains itself until the process crashes.
    if column.dtype == object and any(_is_deep(value) for value in column):
        raise DTypeError(f"column {name!r} holds lists nested more than {_LEVELS} deep; flatten them")
    try:
        # NaN, None, NaT and NA become null, as pandas intends.
        array = pa.array(column, from_pandas=True)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise DTypeError(f"column {name!r} must hold values of one type: {error}") from None
    return from_arrow.any_column(name, array)


def _is_deep(value: Any, lists: int = _LEVELS, objects: int = _LEVELS) -> bool:
    """Whether lists or dictionaries are nested deeper than allowed."""
    if isinstance(value, dict):
        return objects == 0 or any(_is_deep(entry, lists, objects - 1) for entry in value.values())
    if isinstance(value, (list, tuple, np.ndarray)):
        return lists == 0 or any(_is_deep(entry, lists - 1, objects) for entry in value)
    return False


def _is_unsafe(column: pd.Series[Any]) -> bool:
    """Whether a value is a set, which has no order, or a nested list, where Arrow could recurse forever."""
    nested = (list, tuple, np.ndarray, set, frozenset, dict)
    return any(
        isinstance(value, (set, frozenset))
        or (
            isinstance(value, (list, tuple, np.ndarray)) and any(isinstance(entry, nested) for entry in value)
        )
        for value in column
    )


def _diagnose(column: pd.Series[Any], name: str) -> Exception | None:
    """Return an error about the first row that does not fit a column of strings or lists of strings."""
    first: tuple[Hashable, str] | None = None
    for label, value in column.items():
        kind = _kind(value)
        if kind is None:
            continue
        if kind not in ("string", "list"):
            return DTypeError(
                f"column {name!r}, row {label!r}: {kind}; it must be a string or list of strings"
            )
        if first is None:
            first = label, kind
        elif kind != first[1]:
            return DTypeError(
                f"column {name!r} mixes strings and lists: row {label!r} holds a {kind} ({value!r}), "
                f"row {first[0]!r} a {first[1]}; put each single string into a list"
            )
    return None


def _kind(value: object) -> str | None:
    """Return "string", "list", None for a missing value, or a description of what is wrong."""
    if isinstance(value, str):
        return _kind_of_text(value)
    if isinstance(value, (list, tuple, np.ndarray)):
        return _kind_of_list(value)
    if isinstance(value, (set, frozenset)):
        return f"{_shown(value)} is a set, which has no order; make it a list"
    is_nan = isinstance(value, (float, np.floating)) and np.isnan(value)
    if value is None or value is pd.NA or value is pd.NaT or is_nan:
        return None
    return f"{_shown(value)} is of type {type(value).__name__}"


def _shown(value: object) -> str:
    try:
        return repr(value)
    except RecursionError:
        return "a value nested too deeply to be shown"


def _kind_of_text(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        return f"the string {text!r} contains a lone surrogate and is not valid Unicode"
    return "string"


def _kind_of_list(entries: Iterable[object]) -> str:
    for entry in entries:
        is_list = isinstance(entry, (list, tuple, np.ndarray))
        fault = "it is itself a list" if is_list else _kind(entry)
        if fault not in ("string", None):
            return f"an entry of the list: {fault}"
    return "list"
