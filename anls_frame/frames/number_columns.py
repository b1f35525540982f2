"""Columns of numbers that were read as text, as from CSV."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import polars as pl
import polars.selectors as cs

from anls_frame._messages import Either, Message
from anls_frame._text import quoted
from anls_frame.exceptions import DTypeError
from anls_frame.frames import origins

_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


def with_numbers(frame: pl.DataFrame | pl.LazyFrame, names: Iterable[str]) -> pl.LazyFrame:
    """
    Return a query in which columns of numbers, or of true and false or yes and no, are no text.

    An empty text is a missing value. Columns that are no text stay as they are.

    Raises
    ------
    DTypeError
        If a column has other texts, or numbers among true and false.
    """
    rows = frame.lazy()
    numbers = [number.alias(name) for name, number in numbers_of(rows, names).items()]
    return origins.like(rows.with_columns(numbers), frame)


def check_confidences(dtypes: Mapping[str, pl.DataType]) -> None:
    """Raise an error if a column of confidences, by its name, holds no numbers."""
    for name, dtype in dtypes.items():
        if not (dtype.is_numeric() or dtype == pl.Null):
            raise DTypeError(f"model_confidence: column {name!r} has dtype {dtype}; a confidence is a number")


def numbers_of(
    frame: pl.LazyFrame, names: Iterable[str], *, lack_answers: bool = False
) -> dict[str, pl.Expr]:
    """Return the numbers of the columns that hold them as texts, as `with_numbers` reads them."""
    schema = frame.collect_schema()
    texts = [name for name in dict.fromkeys(names) if schema.get(name) == pl.String]
    more = "; if it holds predictions, pass the column of their answers too" if lack_answers else ""
    return {name: _read(frame, name, more) for name in texts}


def _read(frame: pl.LazyFrame, name: str, more: str) -> pl.Expr:
    text = cs.by_name(name).as_expr().str.strip_chars().replace("", None)
    lower = text.str.to_lowercase()
    number = text.cast(pl.Float64, strict=False)
    truth = lower.replace_strict(_TRUTHS, default=None, return_dtype=pl.Boolean).alias(name)
    # An error in an expression would become one of Polars, which says where in the query it was raised.
    wrong = []
    for value in (number, truth):
        first = (
            frame.select(pl.row_index("__row"), text.alias("__text"), value.alias("__value"))
            .filter(pl.col("__text").is_not_null() & pl.col("__value").is_null())
            .head(1)
            .collect(engine="streaming")
        )
        if first.is_empty():
            return value
        wrong.append(first.row(0))
    row, written, _ = max(wrong)
    raise DTypeError(
        Message(
            f"column {name!r} must hold numbers, got {quoted(written)} in row {row:,} (counted from 0); "
            "write 78.5% and 0,785 as 0.785, leave cells without a value empty, and replace other words",
            Either(', with replace_strict({"right": 1, "wrong": 0}) or, in pandas, map', " in the file"),
            more,
        )
    )
