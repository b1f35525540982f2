"""
The namespace ``.anls`` of frames and expressions, whose methods are the functions of the same names.

`anls_frame._accessors` registers it with Polars.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable
from importlib import import_module
from types import MethodType
from typing import Any, Concatenate, NoReturn, ParamSpec, TypeVar

import polars as pl

from anls_frame import words
from anls_frame._arguments import type_name
from anls_frame.metrics import accuracies, distances, errors, page_errors, scores, vectors, wrapping

__all__ = ["AnlsExprNamespace", "AnlsFrameNamespace"]

Options = ParamSpec("Options")
Result = TypeVar("Result")

ROW_FUNCTIONS: list[Callable[..., Any]] = [
    getattr(module, name)
    for module in (scores, accuracies, wrapping, words, page_errors, distances, vectors, errors)
    for name in module.__all__
]
"""The row functions: methods of expressions, and of pandas frames."""

_FRAME_FUNCTIONS = {
    "anls_frame": (
        "add_scores audit_sample browse changes compare confusions corrected find_slices format_tax "
        "length_scores overview report selective summarize worst"
    ),
    "anls_frame.repeats": "mean_over_epochs pass_at_k variance_components",
}
"""The functions of frames by module: methods of frames."""


def forward(
    function: Callable[Concatenate[Any, Options], Result],
) -> Callable[Concatenate[Any, Options], Result]:
    """Return the function as a method, with its docstring, that passes the owner of the namespace."""

    @functools.wraps(function)
    def method(self: Any, /, *arguments: Options.args, **options: Options.kwargs) -> Result:
        return function(self._owner, *arguments, **options)

    return method


class _Forwarded:
    """The method for a function, which is imported on first use."""

    def __init__(self, module: str, name: str) -> None:
        self._module, self._name = module, name

    def __get__(self, namespace: object, owner: type) -> Callable[..., Any]:
        method = forward(getattr(import_module(self._module), self._name))
        return method if namespace is None else MethodType(method, namespace)


def described(namespace: object, owner: str) -> str:
    """Return the methods of a namespace, for its repr."""
    names = [name for name in dir(namespace) if not name.startswith("_")]
    return textwrap.fill(f".anls of {owner}: {', '.join(names)}", 100, subsequent_indent="  ")


_OPERATIONS = ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "and", "or", "xor", "matmul")
_DATA = (
    *("len", "iter", "next", "getitem", "setitem", "contains", "call", "array", "arrow_c_stream"),
    *("bool", "int", "float", "round", "neg", "pos", "abs", "invert", "eq", "ne", "lt", "le", "gt", "ge"),
    *(f"{side}{operation}" for operation in _OPERATIONS for side in ("", "r")),
)
"""What Python, NumPy and pandas ask of data, without the underscores around the names."""


class AnlsFrameNamespace:
    """
    The functions of this package as methods of a Polars frame, ``df.anls``; a LazyFrame stays lazy.

    A column of this name is ``df["anls"]``; using the namespace as data raises an error that says so.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame
    >>> lf = pl.LazyFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]})
    >>> lf.anls.add_scores("prediction", "answer", columns=["char_errors"]).collect()
    shape: (1, 3)
    ┌────────────┬───────────┬─────────────┐
    │ prediction ┆ answer    ┆ char_errors │
    │ ---        ┆ ---       ┆ ---         │
    │ str        ┆ str       ┆ i64         │
    ╞════════════╪═══════════╪═════════════╡
    │ CocaCola   ┆ Coca Cola ┆ 1           │
    └────────────┴───────────┴─────────────┘
    """

    def __init__(self, frame: Any) -> None:
        self._owner = frame

    def __repr__(self) -> str:
        return described(self, f"a {type_name(self._owner)}")

    def __getattr__(self, name: str) -> Any:
        is_expression = any(function.__name__ == name for function in ROW_FUNCTIONS)
        call = f"`{name}` is an expression, as in `df.with_columns(anls_frame.{name}(...))`"
        advice = call if is_expression else _not_the_column(self)
        raise AttributeError(
            f"{type(self).__name__!r} object has no attribute {name!r}; {advice}", name=name, obj=self
        )


for module, names in _FRAME_FUNCTIONS.items():
    for name in names.split():
        setattr(AnlsFrameNamespace, name, _Forwarded(module, name))


def _not_the_column(namespace: AnlsFrameNamespace) -> str:
    """Return a hint at the column that the caller may have meant."""
    is_lazy = type_name(vars(namespace).get("_owner")) == "polars.LazyFrame"
    column = 'pl.col("anls")' if is_lazy else 'df["anls"]'
    return f"`df.anls` is the accessor of anls_frame, the column of this name is `{column}`"


def _refuse_use_as_data(self: AnlsFrameNamespace, *_: object, **__: object) -> NoReturn:
    # A TypeError would mark a single value, from which Polars makes a column of objects.
    raise ValueError(_not_the_column(self))


for use in _DATA:
    setattr(AnlsFrameNamespace, f"__{use}__", _refuse_use_as_data)


class AnlsExprNamespace:
    """
    Row functions as methods of an expression of predictions, as in ``pl.col("prediction").anls``.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame
    >>> df = pl.DataFrame({"prediction": ["CocaCola"], "answer": ["Coca Cola"]})
    >>> df.select(pl.col("prediction").anls.levenshtein("answer")).item()
    1
    """

    def __init__(self, expr: pl.Expr) -> None:
        self._owner = expr

    def __repr__(self) -> str:
        return described(self, "a Polars expression")


for row_function in ROW_FUNCTIONS:
    setattr(AnlsExprNamespace, row_function.__name__, forward(row_function))
