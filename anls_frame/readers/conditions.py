"""Selection of rows by an SQL expression."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TypeVar

import polars as pl
import polars.selectors as cs

from anls_frame.frames import origins
from anls_frame.frames.checks import no_column

Rows = TypeVar("Rows", pl.DataFrame, pl.LazyFrame)

_TEXT = "__anls_frame_text"


def condition(where: str) -> pl.Expr:
    """Return the condition as an expression; raise an error if it is invalid."""
    try:
        return pl.sql_expr(where)
    except pl.exceptions.PolarsError as error:
        raise ValueError(f"where must be an expression of SQL, such as \"lang = 'de'\": {error}") from None


def chosen(frame: Rows, where: str | None) -> Rows:
    """Return the rows for which the expression is true; all rows without an expression."""
    if where is None:
        return frame
    meant = condition(where)
    empty = frame.lazy().head(0).collect()
    unknown = [name for name in meant.meta.root_names() if name not in empty.columns]
    if unknown:
        raise ValueError(f"where names {no_column(unknown[0], empty.columns)}")
    # In text files, numbers are strings. As few columns as possible are read as numbers for the expression to
    # be valid.
    texts = [name for name in dict.fromkeys(meant.meta.root_names()) if empty.schema[name] == pl.String]
    for count in range(len(texts) + 1):
        for numbers in combinations(texts, count):
            if _makes_sense(empty.with_columns(cs.by_name(*numbers).cast(pl.Float64)), meant):
                return origins.like(_by_numbers(frame, meant, numbers, empty.columns), frame)
    return origins.like(frame.filter(meant), frame)


def _makes_sense(empty: pl.DataFrame, meant: pl.Expr) -> bool:
    try:
        empty.filter(meant)
    except pl.exceptions.PolarsError:
        return False
    return True


def _by_numbers(frame: Rows, meant: pl.Expr, texts: Sequence[str], columns: Sequence[str]) -> Rows:
    """Return the rows for which an expression is true, with numbers read from columns of text."""
    copies = {name: f"{_TEXT}{index}" for index, name in enumerate(texts)}
    filled = {name: cs.by_name(name).as_expr().replace("", None) for name in texts}
    numbers = frame.with_columns(
        *(cs.by_name(name).as_expr().alias(copy) for name, copy in copies.items()),
        *(value.cast(pl.Float64).alias(name) for name, value in filled.items()),
    )
    kept = numbers.filter(meant).with_columns(
        cs.by_name(copy).as_expr().alias(name) for name, copy in copies.items()
    )
    return kept.select(cs.by_name(*columns))
