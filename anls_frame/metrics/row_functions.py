"""Row functions, which return a Polars expression for Polars columns and values for pandas Series."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeAlias, TypeVar, cast, overload

import polars as pl

from anls_frame._arguments import bound
from anls_frame._typing import IntoExprColumn
from anls_frame.frames import conversion
from anls_frame.protocol import resolve_protocol

if TYPE_CHECKING:
    import pandas as pd

Options = ParamSpec("Options")
Pandas_co = TypeVar("Pandas_co", covariant=True)


class _OnColumns(Protocol[Options, Pandas_co]):
    """A function of columns, with the type of its result by the kind of the first one."""

    @overload
    def __call__(
        self, prediction: IntoExprColumn, *_: Options.args, **options: Options.kwargs
    ) -> pl.Expr: ...
    @overload
    def __call__(
        self, prediction: pd.Series[Any], *_: Options.args, **options: Options.kwargs
    ) -> Pandas_co: ...


_RowFunction: TypeAlias = Callable[Concatenate[IntoExprColumn, Options], pl.Expr]


def on_columns(function: _RowFunction[Options]) -> _OnColumns[Options, pd.Series[Any]]:
    """Let a function of columns of texts take pandas Series and return a Series."""
    return cast("_OnColumns[Options, pd.Series[Any]]", _with_pandas(function))


def fields_on_columns(function: _RowFunction[Options]) -> _OnColumns[Options, pd.DataFrame]:
    """Do the same for a function that returns a struct: for pandas, the fields are columns of a frame."""
    return cast("_OnColumns[Options, pd.DataFrame]", _with_pandas(function))


def on_lists(function: _RowFunction[Options]) -> _OnColumns[Options, pd.Series[Any]]:
    """Do the same as `on_columns` for a function of lists that are not texts."""
    return cast("_OnColumns[Options, pd.Series[Any]]", _with_pandas(function, texts=False))


def input_names(function: Callable[..., Any]) -> list[str]:
    """Return the parameters of a row function that are columns: all but its options."""
    parameters = inspect.signature(function).parameters.values()
    return [parameter.name for parameter in parameters if parameter.kind is not parameter.KEYWORD_ONLY]


def _with_pandas(function: Callable[..., pl.Expr], *, texts: bool = True) -> Callable[..., Any]:
    signature = inspect.signature(function)

    @functools.wraps(function)
    def row_function(*columns: Any, **options: Any) -> Any:
        arguments = bound(function, signature.bind, columns, options).arguments
        if not any(conversion.is_pandas(column, "Series") for column in (*columns, *options.values())):
            return function(*columns, **options)
        from anls_frame.frames import from_pandas  # noqa: PLC0415 - imports pandas

        inputs = {name: arguments.pop(name) for name in input_names(function)}
        protocol = resolve_protocol(arguments["protocol"]) if "protocol" in arguments else None
        scores = functools.partial(function, **arguments)
        return from_pandas.score_rows(scores, inputs, texts=texts, protocol=protocol)

    return row_function
