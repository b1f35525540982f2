"""Checks of column names and dtypes, whose errors say what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable
from typing import Any

import polars as pl
from polars.exceptions import ComputeError

from anls_frame._messages import Either, Message, Nearest
from anls_frame._text import listed, nearest, quoted
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError
from anls_frame.frames.usual_names import ROLES, suggests

_RENAMED = Either("rename them", "rename them in the file")
COLLIDE = Message(" would collide with columns of the result; ", _RENAMED)
"""The end of messages about columns of users."""


def text_advice(name: str, dtype: Any) -> str:
    """Return advice about a column of this dtype that should hold texts or lists of texts."""
    in_lists = isinstance(dtype, _LISTS)
    dtype = _entry(dtype)
    if dtype == pl.Binary:
        cast = "`.cast(pl.List(pl.String))`" if in_lists else "`.cast(pl.String)`"
        decode = "" if in_lists else ", in pandas with `.str.decode('utf-8')`"
        return f"decode it if it holds text, in Polars with {cast}{decode}"
    if isinstance(dtype, pl.Struct):
        field = _text_field(dtype)
        polars, pandas = f"`.struct.field({field})`", f"`.str.get({field})`"
        if in_lists:
            polars = f"`.list.eval(pl.element().struct.field({field}))`"
            pandas = f"`.map(lambda entries: [entry[{field}] for entry in entries], na_action='ignore')`"
        one = f"take the field with the text, in Polars with {polars}, in pandas with {pandas}"
        return one if in_lists else f"{one}, or score every field of documents with `anls_frame.fields`"
    if str(dtype).startswith("Map"):  # a dtype of Polars 2
        return "take its values, in Polars with `.map.values()`"
    if dtype.is_nested():
        return "flatten its lists"
    if dtype.is_object():
        sets, others = (f"`frame[{name!r}].map({kind}, na_action='ignore')`" for kind in ("sorted", "str"))
        return f"{object_advice(name)}, in pandas with {sets} if they are sets, and {others} if ids or paths"
    polars, pandas = f"schema_overrides={{{name!r}: pl.String}}", f"dtype={{{name!r}: str}}"
    at_once = "" if in_lists else f"`{polars}` in Polars or `{pandas}` in pandas, or with "
    cast, function = "pl.String", "str"
    if in_lists:
        cast, function = "pl.List(pl.String)", "lambda entries: [str(entry) for entry in entries]"
    return (
        f"read the file with {at_once}`anls_frame.read_results`, which keeps numbers as they are written "
        f"(42, 42.0, 042), or make texts of whole numbers, in Polars with `.cast({cast})`, in pandas with "
        f"`.map({function}, na_action='ignore')`"
    )


def object_advice(name: str) -> str:
    """Return advice about a column of Python's objects."""
    plain = f"`pl.Series(frame[{name!r}].to_list())`"
    sets = f"`pl.Series([None if value is None else sorted(value) for value in frame[{name!r}]])`"
    return f"convert its values, in Polars with {plain}, and sets with {sets}"


def _text_field(dtype: pl.Struct) -> str:
    """Return the first field that holds texts or lists of texts, as it is written in code."""
    # The keys of maps, as Polars 1 reads them, are no answers.
    dtypes = {field.name: field.dtype for field in dtype.fields if field.name != "key"}
    return next((repr(name) for name, own in dtypes.items() if _entry(own) == pl.String), "...")


def _entry(dtype: Any) -> Any:
    return dtype.inner if isinstance(dtype, _LISTS) else dtype


_LISTS = (pl.List, pl.Array)
_SHOWN_NAMES = 40


def check_columns(available: Iterable[Any], names: Iterable[str], named: Iterable[str] = ()) -> None:
    """
    Raise an error that suggests the nearest name, unless each column occurs exactly once.

    Columns that are `named` for another role are not suggested.
    """
    counts = Counter(iter(available))  # a schema is a mapping, and a Counter would take its values
    for name in names:
        if counts[name] > 1:
            raise ColumnNotFoundError(f"column {name!r} occurs {counts[name]} times; rename the duplicates")
        if not counts[name]:
            raise ColumnNotFoundError(no_column(name, counts, named))


def no_column(name: str, available: Iterable[Any], named: Iterable[str] = ()) -> Message:
    """
    Return the message about a missing column, with the columns of the table and the nearest name.

    Columns that are `named` for another role are not suggested.
    """
    columns, others = list(available), set(named)
    if not columns:
        return Message(f"no column {quoted(name)}: there are no columns")
    free = [column for column in columns if column not in others]
    among = f"no column {quoted(name)} among {listed(map(quoted, columns), _SHOWN_NAMES)}"
    # Without a similar name, what a reader calls a column with this name.
    role = next((role for role in ROLES if role in free and suggests(name, role)), name)
    return Message(among, Nearest(name, tuple(free), nearest(name, free) or nearest(role, free)))


def free_name(name: str, taken: Container[Any]) -> str:
    """Return a name that is not taken: this one, or this one with underscores appended."""
    while name in taken:
        name += "_"
    return name


def check_new_names(
    available: Iterable[Any], new: Iterable[str], advice: str = Message("leave them out, or ", _RENAMED)
) -> None:
    """Raise an error that names the columns that already exist, and says what to do."""
    existing = set(available)
    taken = [name for name in new if name in existing]
    if taken:
        raise DuplicateColumnError(
            Message(Either("the frame", "the file"), f" already has the columns {taken}; ", advice)
        )


def first_value(column: pl.Series, before: str) -> str:
    """Return the first value of a column that is not null, with its row, for a message; "" without rows."""
    column = column.alias("values")  # Series methods take some names for patterns
    rows = column.is_not_null().arg_true()
    if column.is_empty():
        return ""  # only the schema is known, as for Daft
    if not len(rows):
        return f"{before}all values are null"
    value = column[int(rows[0])]
    shown = quoted(value.to_list() if isinstance(value, pl.Series) else value)
    return f"{before}row {int(rows[0]):,} (counted from 0) holds {shown}"


def check_texts(columns: Iterable[pl.Series]) -> None:
    """Raise an error that names a column, a row and its value, unless columns hold texts or lists."""
    for column in columns:
        if _entry(column.dtype) not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise DTypeError(
                f"column {column.name!r} has dtype {column.dtype} and must hold strings or lists of strings"
                f"{first_value(column, ', but ')}; {text_advice(column.name, column.dtype)}"
            )


def plugin_message(text: str) -> str:
    """Return a message of Polars without the expressions in which the plugin failed; others unchanged."""
    return text.partition("the plugin failed with message: ")[2].partition("\n\n")[0] or text


def check_dtypes(schema: pl.Schema, expression: pl.Expr) -> None:
    """Raise a DTypeError if the expression does not accept the dtypes of the columns, prediction first."""
    # The plugin checks dtypes from the schema alone, so an empty frame is enough.
    try:
        pl.LazyFrame(schema=schema).select(expression).collect_schema()
    except ComputeError as error:
        text = plugin_message(str(error))
        (prediction, first), *others = schema.items()
        if isinstance(first, _LISTS) and others and not any(isinstance(other, _LISTS) for _, other in others):
            text += (
                f" If {prediction!r} holds the accepted answers, exchange the two columns: the prediction "
                "comes first."
            )
        raise DTypeError(text) from None
