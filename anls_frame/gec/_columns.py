"""How edits and annotators reach the plugin, which knows texts and lists of texts only."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Any

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame._typing import IntoExprColumn

# Fields of an edit are joined by U+001F. One inside a field becomes its neighbour: both are whitespace,
# and neither is ever part of a token.
_SEPARATOR = "\x1f"
_NEIGHBOUR = "\x1e"


def expression(column: IntoExprColumn, function: str, name: str) -> pl.Expr:
    """Return the column as an expression."""
    if isinstance(column, pl.Expr):
        return column
    if isinstance(column, str):
        return pl.col(column)
    if isinstance(column, pl.Series):
        return pl.lit(column)
    raise TypeError(
        f"`{function}` takes a column name, an expression or a Series as {name}, "
        f"got {type(column).__name__}; wrap values in `pl.Series`"
    )


def edit_texts(edits: IntoExprColumn, function: str, name: str = "edits") -> pl.Expr:
    """Return edits as lists of texts: start, end, annotator, type and corrections of each."""
    edit = pl.element().struct
    corrections = edit.field("corrections").list.eval(_clean(pl.element())).list.join(_SEPARATOR)
    text = pl.concat_str(
        *(edit.field(field).cast(pl.String) for field in ("start", "end", "annotator")),
        _clean(edit.field("type")),
        corrections.fill_null(""),
        separator=_SEPARATOR,
    )
    return expression(edits, function, name).list.eval(text)


def annotator_texts(annotators: IntoExprColumn | None, function: str, name: str = "annotators") -> pl.Expr:
    """Return annotators as lists of texts; without a column they are those of the edits."""
    if annotators is None:
        return pl.lit(pl.Series(name, [None], dtype=pl.List(pl.String)))
    return expression(annotators, function, name).list.eval(pl.element().cast(pl.String))


def _clean(text: pl.Expr) -> pl.Expr:
    text = text.cast(pl.String).fill_null("")
    return text.str.replace_all(_SEPARATOR, _NEIGHBOUR, literal=True)


def check_choice(name: str, value: object, choices: Sequence[str]) -> str:
    """Return the value if it is one of the choices."""
    if not isinstance(value, str):
        raise TypeError(f"`{name}` must be one of {', '.join(choices)}, got {type(value).__name__}")
    if value not in choices:
        raise ValueError(f"`{name}` must be one of {', '.join(choices)}, got {value!r}")
    return value


def check_count(name: str, value: object, *, least: int = 0, most: int = 2**32 - 1) -> int:
    """Return the whole number if it lies within its bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"`{name}` must be a whole number, got {type(value).__name__}")
    if not least <= value <= most:
        raise ValueError(f"`{name}` must lie between {least} and {most}, got {value}")
    return value


def check_positive(name: str, value: Any) -> float:
    """Return the number if it is positive and finite."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"`{name}` must be a number, got {type(value).__name__}")
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"`{name}` must be a positive number, got {value}")
    return float(value)


def check_flag(name: str, value: object) -> bool:
    """Return the value if it is a truth value."""
    if not isinstance(value, bool):
        raise TypeError(f"`{name}` must be True or False, got {type(value).__name__}")
    return value


def to_polars(frame: Any, function: str) -> tuple[pl.DataFrame | pl.LazyFrame, bool]:
    """Return the frame in Polars, and whether it was one; pandas frames are converted."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame, True
    if sys.modules.get("pandas") is not None:
        import pandas as pd  # noqa: PLC0415 - loaded already, but not by everyone

        if isinstance(frame, pd.DataFrame):
            return pl.from_pandas(frame), False
    raise TypeError(
        f"`{function}` takes a Polars DataFrame or LazyFrame or a pandas DataFrame, "
        f"got {type(frame).__name__}"
    )
