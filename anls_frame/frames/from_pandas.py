"""Conversion of pandas columns to Polars, and of scores and tables back."""

from __future__ import annotations

import datetime as dt
import numbers
import re
import reprlib
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import polars.selectors as cs
import pyarrow as pa

from anls_frame._arguments import type_name
from anls_frame._text import quoted
from anls_frame.exceptions import DTypeError
from anls_frame.frames import from_arrow
from anls_frame.frames.answer_texts import warn_of_answers
from anls_frame.frames.checks import check_columns, check_dtypes, text_advice
from anls_frame.frames.missing_values import is_missing
from anls_frame.protocol import ScoreProtocol

_LEVELS = 3
_LISTS = (list, tuple, np.ndarray)
_LABELLED = (str, numbers.Number, np.bool_, dt.date, dt.time, dt.timedelta, pd.Interval, pd.Period)
"""Types of categories that one reads as they are printed."""
_WRITTEN = (numbers.Number, np.generic, dt.date, dt.time, dt.timedelta)
"""Types of values that were texts in a file."""
_FLAT = frozenset({str, bool, int, float, type(None), type(pd.NA), type(pd.NaT)})
"""Types of values that hold no others, and with which Arrow never crashes."""
_SURROGATE = re.compile("[\ud800-\udfff]")


def to_polars(frame: pd.DataFrame, texts: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """Return columns of strings or lists of strings, and others of any type; nothing else is converted."""
    check_columns(frame.columns, texts, (*texts, *others))
    check_columns(frame.columns, [name for name in others if name in frame.columns])
    columns = {name: _text_column(name, frame[name]) for name in texts}
    return pl.DataFrame(columns | {name: _any_column(name, _column_or_level(frame, name)) for name in others})


def _column_or_level(frame: pd.DataFrame, name: str) -> pd.Series[Any]:
    if name in frame.columns:
        return frame[name]
    check_columns([*frame.columns, *(level for level in frame.index.names if level is not None)], [name])
    return frame.index.get_level_values(name).to_series(index=frame.index)


def with_columns(frame: pd.DataFrame, scores: pl.DataFrame) -> pd.DataFrame:
    """Return the frame with new score columns, whose dtypes do not depend on the data."""
    return frame.assign(**{column.name: _to_array(column) for column in scores})


def check_index(names: str, first: Any, second: Any) -> None:
    """Raise an error unless the Series of these names have the same index, as pandas compares them."""
    if not first.equals(second):
        raise ValueError(
            f"{names} must have the same index; align them first, by label with `first.align(second)` or by "
            "position with `second.set_axis(first.index)`"
        )


def score_rows(
    function: Callable[..., pl.Expr],
    inputs: Mapping[str, Any],
    *,
    texts: bool,
    protocol: ScoreProtocol | None = None,
) -> Any:
    """
    Return the result of a row function for pandas Series, as a Series with their index.

    `inputs` names the function's parameters; `texts` tells whether they hold texts, which a protocol scores.
    If the result is a struct, its fields become columns of a frame.
    """
    columns = list(inputs.values())
    index = next(value.index for value in columns if isinstance(value, pd.Series))
    for value in columns:
        if not isinstance(value, pd.Series):
            raise TypeError(
                f"{' and '.join(inputs)} must both be pandas Series if one is, got "
                f"{' and '.join(map(type_name, columns))}; take the columns from the frame, as in "
                "`df['answer']`, or pass their names to the method of `df.anls`"
            )
        check_index(" and ".join(inputs), index, value.index)
    names = [value.name for value in columns]
    if not all(isinstance(name, str) for name in names) or len({*names}) < len(names):
        names = list(inputs)
    convert = _text_column if texts else _any_column
    frame = pl.DataFrame([convert(name, column) for name, column in zip(names, columns, strict=True)])
    expression = function(*map(cs.by_name, names))
    check_dtypes(frame.schema, expression)
    if "answers" in inputs:
        warn_of_answers(frame[names[1]], protocol)
    scores = frame.select(expression).to_series()
    if isinstance(scores.dtype, pl.Struct):
        fields = {field.name: _to_array(field) for field in scores.struct.unnest()}
        return pd.DataFrame(fields, index=index)
    return pd.Series(_to_array(scores), index=index, name=scores.name)


def parse_answers(column: pd.Series[Any], parse: Callable[[pl.Series], pl.Series]) -> pd.Series[Any]:
    """Return a column with its texts parsed as lists; other cells may already be lists."""
    name = column.name if isinstance(column.name, str) else "answers"
    is_list = column.map(lambda value: isinstance(value, _LISTS)).to_numpy(dtype=bool)
    # Separately, because no column can hold both texts and lists.
    texts, lists = (_text_column(name, column.mask(hidden, None)) for hidden in (is_list, ~is_list))
    both = pl.DataFrame([parse(texts).alias("texts"), parse(lists).alias("lists")])
    entries = both.select(pl.coalesce("lists", "texts")).to_series()
    return pd.Series(_to_array(entries), index=column.index, name=column.name)


def to_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """
    Return a table as a pandas frame with the dtypes that a pandas user expects.

    Counts are `int64`, or `Int64` if some are null; Booleans with nulls are `boolean`; nested values are
    Python's lists and dictionaries. Everything else is converted as Polars does.
    """
    # Converted under other names, because Polars panics if a name contains NUL, and takes some for patterns.
    names = [f"column {index}" for index in range(table.width)]
    renamed = table.rename(dict(zip(table.columns, names, strict=True)))
    frame = renamed.to_pandas()
    for name, column in zip(names, renamed, strict=True):
        dtype, has_nulls = column.dtype, bool(column.null_count())
        if dtype.is_nested():
            frame[name] = _to_array(column)
        elif dtype.is_unsigned_integer() or (has_nulls and (dtype.is_integer() or dtype == pl.Boolean)):
            whole = _signed(column) if dtype.is_unsigned_integer() else column
            frame[name] = _to_array(whole) if has_nulls else whole.to_numpy()
    frame.columns = table.columns
    return frame


def _signed(column: pl.Series) -> pl.Series:
    """Return unsigned integers as `Int64`, unless a value is too large, as keys of the given frame can be."""
    signed = column.cast(pl.Int64, strict=False)
    return signed if signed.null_count() == column.null_count() else column


def _to_array(column: pl.Series) -> Any:
    """Return a column as an array whose dtype does not depend on the data."""
    column = column.alias("column")  # Polars may take its own name for a pattern
    if column.dtype == pl.Float64:
        return column.fill_null(float("nan")).to_numpy()
    if column.dtype.is_nested():
        return pd.Series(column.to_list(), dtype=object).array
    if not (column.dtype.is_integer() or column.dtype == pl.Boolean):
        return column.to_pandas().array
    mask = column.is_null().to_numpy(writable=True)
    if column.dtype == pl.Boolean:
        return pd.arrays.BooleanArray(column.fill_null(value=False).to_numpy(writable=True), mask)
    return pd.arrays.IntegerArray(column.fill_null(0).to_numpy(writable=True), mask)


def _text_column(name: str, column: pd.Series[Any]) -> pl.Series:
    # In pandas, a column without values is categorical or float64.
    untyped = isinstance(column.dtype, pd.CategoricalDtype) or column.dtype == np.float64
    if untyped and column.isna().all():
        return pl.Series(name, [None] * len(column), dtype=pl.Null)
    try:
        return from_arrow.text_column(name, _array(name, column, lists=1, objects=0))
    except DTypeError:
        if column.dtype != object:
            raise
        if (fault := _diagnose(column, name)) is not None:
            raise fault from None
        return from_arrow.text_column(name, _array(name, _known_nulls(column), lists=1, objects=0))


def _known_nulls(column: pd.Series[Any]) -> pd.Series[Any]:
    """Return objects with None in place of all missing values, because Arrow does not know every one."""
    return pd.Series([_with_nulls(value) for value in column], index=column.index, dtype=object)


def _with_nulls(value: Any) -> Any:
    if isinstance(value, _LISTS) and any(map(is_missing, value)):
        return [None if is_missing(entry) else entry for entry in value]
    return None if is_missing(value) else value


def _any_column(name: str, column: pd.Series[Any]) -> pl.Series:
    labels = _labels(name, column)
    if labels is not None:
        return labels
    try:
        return from_arrow.any_column(name, _array(name, column))
    except DTypeError:
        if column.dtype != object:
            raise
        return from_arrow.any_column(name, _array(name, _known_nulls(column)))


def _array(name: str, column: pd.Series[Any], lists: int = _LEVELS, objects: int = _LEVELS) -> Any:
    """Return a column in Arrow, in which NaN, None, NaT and NA are null, as pandas intends."""
    if isinstance(column.dtype, pd.SparseDtype):
        # Arrow reads a sparse column value by value.
        column = pd.Series(column.to_numpy(), index=column.index)
    values: Any = column
    if column.dtype == object and not _FLAT.issuperset(map(type, column)):
        # Arrow recurses into values within themselves until the process crashes.
        for label, value in column.items():
            if _is_deep(value, lists, objects):
                raise DTypeError(
                    f"column {name!r}, row {label!r}: lists or dictionaries nested more than {lists} deep; "
                    "flatten them"
                )
        values = map(_with_timestamps, column)
    try:
        array = pa.array(values, from_pandas=True)
    except UnicodeEncodeError:
        raise DTypeError(_half_of_pair(column, name)) from None
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise DTypeError(_no_arrow(name, column, error)) from None
    if isinstance(column.dtype, pd.ArrowDtype):
        from_arrow.check_content(name, array)
    return array


def _with_timestamps(value: Any) -> Any:
    """Return a value with timestamps of pandas: Arrow crashes on NumPy's before a number of NumPy."""
    if isinstance(value, np.datetime64):
        return pd.Timestamp(value)
    if isinstance(value, dict):
        return {key: _with_timestamps(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.dtype.kind in "OM"):
        return [_with_timestamps(entry) for entry in value]
    return value


def _no_arrow(name: str, column: pd.Series[Any], error: Exception) -> str:
    """Return the message about a column that Arrow cannot hold, with the first values of two types."""
    first: dict[type, str] = {}
    for label, value in column.items():
        if type(value) not in first and not is_missing(value):
            first[type(value)] = f"row {label!r} holds {quoted(value)} of type {type_name(value)}"
    shown = list(first.values())[:2]
    text = f"`frame[{name!r}].astype('string')` makes texts of them"
    if all(kind is np.ndarray for kind in first):
        text = f"`frame[{name!r}].map(list, na_action='ignore')` makes lists of them"
    if len(shown) > 1:
        return f"column {name!r} must hold values of one type: {' and '.join(shown)}; {text}"
    return f"column {name!r} cannot be converted to Arrow: {', '.join([*shown, str(error)])}; {text}"


def _labels(name: str, column: pd.Series[Any]) -> pl.Series | None:
    """Return intervals, periods and ordered categories as their labels, in their order; None for others."""
    ranges = (pd.IntervalDtype, pd.PeriodDtype)
    if isinstance(column.dtype, ranges):
        column = column.astype("category")  # sorted
    dtype = column.dtype
    if not isinstance(dtype, pd.CategoricalDtype):
        return None
    if not dtype.ordered and not isinstance(dtype.categories.dtype, ranges):
        return None
    labels = [_label(name, category) for category in dtype.categories]
    if len(set(labels)) < len(labels):
        raise DTypeError(f"column {name!r} has different categories with the same text; rename them")
    codes = column.cat.codes.to_numpy()
    values = [None if code < 0 else labels[code] for code in codes.tolist()]
    return pl.Series(name, values, dtype=pl.Enum(labels))


def _label(name: str, category: Any) -> str:
    """Return the text of a category; raise an error for values that have none."""
    if not isinstance(category, _LABELLED):
        raise DTypeError(
            f"column {name!r} has the category {reprlib.repr(category)} of type {type_name(category)}, which "
            "has no text; rename the categories"
        )
    return str(category)


def _is_deep(value: Any, lists: int, objects: int) -> bool:
    """Whether lists are nested deeper than allowed, or dictionaries and sets, which have no order."""
    if isinstance(value, (dict, set, frozenset)):
        entries = value.values() if isinstance(value, dict) else value
        return objects == 0 or any(_is_deep(entry, lists, objects - 1) for entry in entries)
    if isinstance(value, _LISTS):
        return lists == 0 or any(_is_deep(entry, lists - 1, objects) for entry in value)
    return False


def _diagnose(column: pd.Series[Any], name: str) -> Exception | None:
    """Return an error about the first row that does not fit a column of strings or lists of strings."""
    first: tuple[Hashable, str] | None = None
    for label, value in column.items():
        entries = value if isinstance(value, _LISTS) else [value]
        others = [entry for entry in entries if not (isinstance(entry, str) or is_missing(entry))]
        kind = "list" if isinstance(value, _LISTS) else "string"
        if others:
            dtype, where = _dtype(others[0]), ""
            if kind == "list":
                dtype, where = pl.List(dtype), "an entry of the list: "
            return DTypeError(
                f"column {name!r}, row {label!r}: {where}{reprlib.repr(others[0])} is of type "
                f"{type(others[0]).__name__}; it must be a string or list of strings: "
                f"{text_advice(name, dtype)}"
            )
        if kind == "string" and is_missing(value):
            continue
        if first is None:
            first = label, kind
        elif kind != first[1]:
            return DTypeError(
                f"column {name!r} mixes strings and lists: row {label!r} holds a {kind} ({value!r}), "
                f"row {first[0]!r} a {first[1]}; put each single string into a list"
            )
    return None


def _dtype(value: object) -> pl.DataType:
    """Return the dtype of a value that is no text, as far as `text_advice` depends on it."""
    if isinstance(value, bytes):
        return pl.Binary()
    if isinstance(value, dict):
        texts = [key for key, entry in value.items() if isinstance(key, str) and _is_text(entry)]
        return pl.Struct(dict.fromkeys(texts, pl.String()))
    if isinstance(value, _LISTS):
        return pl.List(pl.String())
    return pl.Int64() if isinstance(value, _WRITTEN) else pl.Object()


def _is_text(value: object) -> bool:
    return all(isinstance(entry, str) for entry in (value if isinstance(value, _LISTS) else [value]))


def _half_of_pair(column: pd.Series[Any], name: str) -> str:
    """Return the message about the first text with half of a surrogate pair, which is no character."""
    values = ((label, value if isinstance(value, _LISTS) else [value]) for label, value in column.items())
    texts = ((label, text) for label, entries in values for text in entries if isinstance(text, str))
    found = next((f", row {label!r}: {quoted(text)}" for label, text in texts if _SURROGATE.search(text)), "")
    return (
        f"column {name!r}{found} contains a lone surrogate, which is no character; replace it by U+FFFD, as "
        "`text.encode('utf-16', 'surrogatepass').decode('utf-16', 'replace')` does"
    )
