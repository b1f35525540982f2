"""Columns whose values can define slices: columns of the frame, expressions, and features of texts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Union

import polars as pl
import polars.selectors as cs

from anls_frame.exceptions import DTypeError
from anls_frame.frames.conversion import column_names, to_lazy
from anls_frame.frames.field_rows import outcomes
from anls_frame.frames.reserved_columns import QUESTION
from anls_frame.frames.usual_names import is_outcome
from anls_frame.summary.slicing import Slicing, resolve

Columns = Union["str | pl.Expr", "Sequence[str | pl.Expr]"]
"""Columns or expressions, one or several."""

_SCRIPTS = {
    "Kana": r"\p{Hiragana}|\p{Katakana}",
    "Hangul": r"\p{Hangul}",
    "Han": r"\p{Han}",
    "Arabic": r"\p{Arabic}",
    "Hebrew": r"\p{Hebrew}",
    "Cyrillic": r"\p{Cyrillic}",
    "Greek": r"\p{Greek}",
    "Devanagari": r"\p{Devanagari}",
    "Thai": r"\p{Thai}",
    "Latin": r"\p{Latin}",
}
"""The first of these that a text has is its script."""

_DIGITS = {"some": r"(?s)\p{N}.*\p{L}|\p{L}.*\p{N}", "all": r"\p{N}"}
"""The same for digits, among letters or alone."""


def candidates(frame: Any, columns: Columns | None, others: Iterable[str]) -> tuple[Slicing, dict[str, str]]:
    """
    Return the keys for `columns=`, and the reasons for columns that cannot be used.

    By default, all columns without another role are candidates, except those whose names say how a system
    did, the outcomes in rows of `fields` and harnesses, and columns of pandas with values of several types.
    """
    if columns is not None:
        return resolve(columns, "columns"), {}
    roles = set(others)
    every = [name for name in column_names(frame) if name not in roles]
    left_out = {str(name): "its name is not a string" for name in every if not isinstance(name, str)}
    names = [name for name in every if isinstance(name, str)]
    made = outcomes(frame) | {*filter(is_outcome, names)}
    left_out |= {name: "it says how a system did" for name in names if name in made}
    names = [name for name in names if name not in left_out]
    for name in () if isinstance(frame, pl.DataFrame | pl.LazyFrame) else names:
        try:
            to_lazy(frame, [], [name])
        except DTypeError as error:
            left_out[name] = str(error).partition(f"{name!r} ")[2].partition(":")[0] or str(error)
    # A file and a frame of the same rows have their columns in different orders.
    return Slicing(tuple(sorted(name for name in names if name not in left_out))), left_out


def features(prediction: str | None, answers: str, schema: Mapping[str, pl.DataType]) -> dict[str, pl.Expr]:
    """
    Return features of texts, as expressions by name.

    Features never depend on whether the answer is right, as error types would.
    """
    accepted = cs.by_name(answers).as_expr()
    made: dict[str, pl.Expr] = {}
    if schema.get(QUESTION) == pl.String:
        made["length of the question"] = pl.col(QUESTION).str.len_chars()
    if isinstance(schema[answers], pl.List | pl.Array):
        entries = accepted.arr.to_list() if isinstance(schema[answers], pl.Array) else accepted
        accepted = entries.list.drop_nulls().list.first()
        made["number of answers"] = entries.list.drop_nulls().list.len()
    accepted = accepted.cast(pl.String)
    made["length of the answer"] = accepted.str.len_chars()
    made["digits in the answer"] = _first_kind(accepted, _DIGITS)
    made["script of the answer"] = _first_kind(accepted, _SCRIPTS)
    if prediction is not None:
        made["length of the prediction"] = cs.by_name(prediction).as_expr().cast(pl.String).str.len_chars()
    return {name: expr.alias(name) for name, expr in made.items()}


def _first_kind(text: pl.Expr, kinds: Mapping[str, str]) -> pl.Expr:
    """Return the first kind whose pattern a text has."""
    kind: Any = pl.when(text.is_null()).then(None)
    for name, pattern in kinds.items():
        kind = kind.when(text.str.contains(pattern)).then(pl.lit(name))
    found: pl.Expr = kind.otherwise(pl.lit("none"))
    return found
