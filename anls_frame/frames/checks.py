"""Checks of names and dtypes of columns, with errors that say what to do."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from polars.exceptions import ComputeError

from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError

if TYPE_CHECKING:
    from collections.abc import Iterable

ARROW_ADVICE = "cast it to string, or to a list of strings, if it holds texts"


def check_column(available: Iterable[Any], name: str) -> None:
    """Raise an error with the nearest name unless the column is there, once."""
    available = list(available)
    if available.count(name) == 1:
        return
    if name in available:
        raise ColumnNotFoundError(
            f"column {name!r} is there {available.count(name)} times; rename the others"
        )
    from rapidfuzz import process  # noqa: PLC0415 - only for the message

    nearest = process.extractOne(name, [str(column) for column in available], score_cutoff=60)
    hint = f"; did you mean {available[nearest[2]]!r}?" if nearest else ""
    if nearest and not isinstance(available[nearest[2]], str):
        hint += " Columns are found by strings: rename them, in pandas with `.rename(columns=str)`"
    raise ColumnNotFoundError(f"no column {name!r} among {available}{hint}")


def check_new_names(available: Iterable[Any], new: Iterable[str], *, overwrite: bool) -> None:
    """Raise an error that names the columns which are there already, and the ways out."""
    existing = set(available)
    taken = [name for name in new if name in existing]
    if taken and not overwrite:
        raise DuplicateColumnError(
            f"the frame already has the columns {taken}; pass overwrite=True to replace them, prefix= or "
            "suffix= to name the new ones otherwise, or columns= to add only some of them"
        )


def check_dtypes(schema: pl.Schema, expression: pl.Expr) -> None:
    """Raise a DTypeError where the expression does not fit the columns' dtypes."""
    # The plugin knows the rule and answers from the schema alone: an empty frame asks it.
    try:
        pl.LazyFrame(schema=schema).select(expression).collect_schema()
    except ComputeError as error:
        message = str(error).partition("the plugin failed with message: ")[2] or str(error)
        raise DTypeError(message.partition("\n\n")[0]) from None
