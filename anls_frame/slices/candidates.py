"""Columns whose values can define slices: columns of the frame, expressions, and features of texts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Union

import polars as pl
import polars.selectors as cs

from anls_frame.exceptions import DTypeError
from anls_frame.frames.conversion import column_names, to_lazy

if TYPE_CHECKING:
    from collections.abc import Mapping

Columns = Union["str | pl.Expr", "Sequence[str | pl.Expr]"]
"""Columns or expressions, one or several."""

QUESTION = "question"
"""Name of the column with the questions, as readers of files give it."""

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


@dataclass(frozen=True)
class Candidates:
    """
    Columns whose values can define slices.

    Parameters
    ----------
    names
        Columns of the frame.
    made
        Expressions, by name.
    """

    names: list[str]
    made: Mapping[str, pl.Expr]

    @property
    def roots(self) -> list[str]:
        """The columns that the candidates require."""
        return [*self.names, *(name for expr in self.made.values() for name in expr.meta.root_names())]

    def with_features(self, features: Mapping[str, pl.Expr]) -> Candidates:
        """Return the candidates with features of texts, unless a column has the name of one."""
        new = {name: expr for name, expr in features.items() if name not in (*self.names, *self.made)}
        return Candidates(self.names, {**self.made, **new})

    def source(self, name: str) -> pl.Expr:
        """Return a candidate as an expression."""
        return self.made.get(name, cs.by_name(name).as_expr())


def candidates(
    frame: Any, columns: Columns | None, others: Iterable[str]
) -> tuple[Candidates, dict[str, str]]:
    """
    Return the candidates for `columns=`, and the reasons for columns that cannot be used.

    By default, the candidates are all columns without another role.
    """
    if columns is None:
        roles = set(others)
        names = [name for name in column_names(frame) if isinstance(name, str) and name not in roles]
        return _readable(frame, names)
    is_single = isinstance(columns, str | pl.Expr) or not isinstance(columns, Iterable)
    names, made = [], {}
    for column in [columns] if is_single else list(columns):  # type: ignore[arg-type] # not one
        if isinstance(column, pl.Expr):
            name = column.meta.output_name(raise_if_undetermined=False)
            if name is None:
                raise ValueError(f"columns must name each expression with .alias(...), got {column}")
            made[name] = column
        elif isinstance(column, str):
            name = column
            names.append(column)
        else:
            raise TypeError(
                f"columns must be a column name, an expression or a list of them, got {columns!r}"
            )
    if len(names) + len(made) > len({*names, *made}) or len(set(names)) < len(names):
        raise ValueError(f"columns must not name a column twice, got {[*names, *made]}")
    return Candidates(names, made), {}


def _readable(frame: Any, names: list[str]) -> tuple[Candidates, dict[str, str]]:
    """Leave out columns of pandas that hold values of several types."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return Candidates(names, {}), {}
    readable, left_out = [], {}
    for name in names:
        try:
            to_lazy(frame, [], [name])
        except DTypeError as error:
            left_out[name] = str(error).partition(f"{name!r} ")[2].partition(":")[0] or str(error)
        else:
            readable.append(name)
    return Candidates(readable, {}), left_out


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
    has_digits, has_letters = accepted.str.contains(r"\p{N}"), accepted.str.contains(r"\p{L}")
    made["digits in the answer"] = (
        pl.when(accepted.is_null())
        .then(None)
        .when(has_digits & has_letters)
        .then(pl.lit("some"))
        .when(has_digits)
        .then(pl.lit("all"))
        .otherwise(pl.lit("none"))
    )
    script: Any = pl.when(accepted.is_null()).then(None)
    for name, pattern in _SCRIPTS.items():
        script = script.when(accepted.str.contains(pattern)).then(pl.lit(name))
    made["script of the answer"] = script.otherwise(pl.lit("none"))
    if prediction is not None:
        made["length of the prediction"] = cs.by_name(prediction).as_expr().cast(pl.String).str.len_chars()
    return {name: expr.alias(name) for name, expr in made.items()}
