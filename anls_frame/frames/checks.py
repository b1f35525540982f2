"""Checks of column names and dtypes, whose errors say what to do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Sequence
from typing import Any

import polars as pl
from polars.exceptions import ComputeError

from anls_frame._messages import Message, Nearest
from anls_frame._text import listed, quoted
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError


def text_advice(name: str) -> str:
    """Return advice about a column that should hold texts."""
    return (
        f"read it as text where the file is read, in pandas with `dtype={{{name!r}: str}}`, or read the file "
        "with `anls_frame.read_results`: values that were converted no longer say how they were written (42, "
        "42.0, 042)"
    )


_LISTS = (pl.List, pl.Array)
_SHOWN_NAMES = 40


def check_column(available: Iterable[Any], name: str, named: Iterable[str] = ()) -> None:
    """
    Raise an error that suggests the nearest name, unless the column occurs exactly once.

    Columns that are `named` for another role are not suggested.
    """
    check_columns(available, [name], named)


def check_columns(available: Iterable[Any], names: Iterable[str], named: Iterable[str] = ()) -> None:
    """Check each of several columns, of a table that may have many, as `check_column` does."""
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
    return Message(among, Nearest(name, tuple(free), nearest(name, free)))


def nearest(name: str, known: Sequence[Any]) -> str:
    """Return the end of a message, which suggests the nearest of the known names, if one is near."""
    from rapidfuzz import process  # noqa: PLC0415 - only for the message

    found = process.extractOne(name, [str(other) for other in known], scorer=_likeness, score_cutoff=65)
    if found is None:
        return ""
    other = known[found[2]]
    hint = f"; did you mean {quoted(other)}?"
    if not isinstance(other, str):
        hint += " Column names must be strings: rename them, in pandas with `.rename(columns=str)`"
    return hint


def _likeness(name: Any, other: Any, /, *, score_cutoff: float | None = None) -> float:  # noqa: ARG001
    """Return how similar two names are, in per cent; that both end in _id does not count."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - only for the message

    stems = fuzz.WRatio(name.removesuffix("_id"), other.removesuffix("_id"))
    both = name.endswith("_id") and other.endswith("_id")
    return stems if both else max(stems, fuzz.WRatio(name, other))


def free_name(name: str, taken: Container[Any]) -> str:
    """Return a name that is not taken: this one, or this one with underscores appended."""
    while name in taken:
        name += "_"
    return name


def check_new_names(
    available: Iterable[Any], new: Iterable[str], advice: str = "leave them out, or rename them"
) -> None:
    """Raise an error that names the columns that already exist, and says what to do."""
    existing = set(available)
    taken = [name for name in new if name in existing]
    if taken:
        raise DuplicateColumnError(f"the frame already has the columns {taken}; {advice}")


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
        inner = column.dtype.inner if isinstance(column.dtype, _LISTS) else column.dtype
        if inner not in (pl.String, pl.Categorical, pl.Enum, pl.Null):
            raise DTypeError(
                f"column {column.name!r} has dtype {column.dtype} and must hold strings or lists of strings"
                f"{first_value(column, ', but ')}. {_way_to_texts(column.name, inner)}"
            )


def _way_to_texts(name: str, dtype: Any) -> str:
    """Return advice about a column of Polars with values of this dtype."""
    if dtype == pl.Binary:
        return "Cast it with `.cast(pl.String)` if it holds text."
    if isinstance(dtype, pl.Struct):
        return "Take the field with the text, as with `.struct.field(...)`."
    if dtype.is_nested():
        return "Flatten its lists."
    if dtype.is_object():
        return "Make a column of its texts, as with `pl.Series(frame[...].to_list(), dtype=pl.String)`."
    return (
        "Read it as text where the file is read, as with "
        f"`schema_overrides={{{name!r}: pl.String}}`, or read "
        "the file with `anls_frame.read_results`: its values no longer say how they were written (42, 42.0, "
        "042)."
    )


def check_dtypes(schema: pl.Schema, expression: pl.Expr) -> None:
    """Raise a DTypeError if the expression does not accept the dtypes of the columns, prediction first."""
    # The plugin checks dtypes from the schema alone, so an empty frame is enough.
    try:
        pl.LazyFrame(schema=schema).select(expression).collect_schema()
    except ComputeError as error:
        message = str(error).partition("the plugin failed with message: ")[2] or str(error)
        text = message.partition("\n\n")[0]
        (prediction, first), *others = schema.items()
        if isinstance(first, _LISTS) and others and not any(isinstance(other, _LISTS) for _, other in others):
            text += (
                f" If {prediction!r} holds the accepted answers, exchange the two columns: the prediction "
                "comes first."
            )
        raise DTypeError(text) from None
