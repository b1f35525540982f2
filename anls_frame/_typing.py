"""Types of the public functions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Concatenate, Literal, ParamSpec, Protocol, TypeAlias, overload

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Callable

    import pandas as pd
    from typing_extensions import TypeVar

    # A report annotated without this parameter may be of either kind.
    Table = TypeVar("Table", default=Any)
    Table_co = TypeVar("Table_co", covariant=True, default=Any)
else:
    from typing import TypeVar

    Table = TypeVar("Table")
    Table_co = TypeVar("Table_co", covariant=True)

Options = ParamSpec("Options")
OfPandas_co = TypeVar("OfPandas_co", covariant=True)
OfPolars_co = TypeVar("OfPolars_co", covariant=True)


class OnFrames(Protocol[Options, OfPandas_co, OfPolars_co]):
    """A function whose result has one type for pandas frames and another type for all other frames."""

    @overload
    def __call__(
        self, frame: pd.DataFrame, *arguments: Options.args, **options: Options.kwargs
    ) -> OfPandas_co: ...
    @overload
    def __call__(
        self, frame: pl.DataFrame | pl.LazyFrame, *arguments: Options.args, **options: Options.kwargs
    ) -> OfPolars_co: ...
    @overload
    def __call__(self, frame: Any, *arguments: Options.args, **options: Options.kwargs) -> Any: ...


class ByFrame(Protocol[OfPandas_co, OfPolars_co]):
    """A decorator that declares for type checkers what a function returns for which frames."""

    def __call__(
        self, function: Callable[Concatenate[Any, Options], Any], /
    ) -> OnFrames[Options, OfPandas_co, OfPolars_co]: ...


def _unchanged(function: Any) -> Any:
    return function


declared: Any = _unchanged
"""
Returns the function, as each `ByFrame` does when it runs.

It is `Any` because Pyright would take any other type for that of the decorators declared with it.
"""


table_of_frame: ByFrame[pd.DataFrame, pl.DataFrame] = declared
"""Declares that a function of a frame returns a table of the same kind."""


IntoExprColumn: TypeAlias = pl.Expr | str | pl.Series
"""A column: an expression, a column's name, or a Series."""

IntoColumn: TypeAlias = "IntoExprColumn | pd.Series[Any]"
"""A column used with predictions, which are a pandas Series if it is one."""

Missing: TypeAlias = Literal["empty", "drop"]
"""How a null prediction is scored: as an empty string, or not at all, so that means leave it out."""

ScoreColumn: TypeAlias = Literal[
    "nls",
    "anls",
    "cer",
    "exact_match",
    "char_errors",
    "reference_length",
    "answer_index",
]
"""A field of `score`."""

ErrorType: TypeAlias = Literal[
    "missing",
    "empty",
    "invented",
    "exact",
    "case",
    "whitespace",
    "punctuation",
    "diacritics",
    "number_format",
    "extra_text",
    "truncated",
    "near",
    "wrong",
]
"""Error types, in the order in which they are tried."""
