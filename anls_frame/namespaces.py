"""
The namespace ``.anls`` of frames and expressions, whose methods are the functions of the same names.

`anls_frame._accessors` registers it with Polars.
"""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Callable, Sequence
from types import MethodType, ModuleType
from typing import TYPE_CHECKING, Any, Concatenate, Generic, NoReturn, ParamSpec, TypeVar

import polars as pl

from anls_frame import repeats, words
from anls_frame._arguments import type_name
from anls_frame._names import imported
from anls_frame._typing import Missing, ScoreColumn
from anls_frame.metrics import accuracies, distances, errors, page_errors, scores, scoring, vectors, wrapping
from anls_frame.protocol import ScoreProtocol

__all__ = ["AnlsExprNamespace", "AnlsFrameNamespace"]

FrameT = TypeVar("FrameT")
Options = ParamSpec("Options")
Result = TypeVar("Result")

ROW_FUNCTIONS: list[Callable[..., Any]] = [
    getattr(module, name)
    for module in (scores, accuracies, wrapping, words, page_errors, distances, vectors, errors)
    for name in module.__all__
]
"""The row functions: methods of expressions, and of pandas frames."""


def forward(
    function: Callable[Concatenate[Any, Options], Result],
) -> Callable[Concatenate[Any, Options], Result]:
    """Return the function as a method, with its docstring, that passes the owner of the namespace."""

    @functools.wraps(function)
    def method(self: Any, /, *arguments: Options.args, **options: Options.kwargs) -> Result:
        return function(self._owner, *arguments, **options)

    return method


class _Forwarded:
    """The method for the function with the same name, which is imported on first use."""

    def __init__(self, room: ModuleType | None = None) -> None:
        self._room = room

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, namespace: object, owner: type) -> Callable[..., Any]:
        function = imported(self._name) if self._room is None else getattr(self._room, self._name)
        method = forward(function)
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


class AnlsFrameNamespace(Generic[FrameT]):
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

    def __init__(self, frame: FrameT) -> None:
        self._owner = frame

    # Written out, because its return type is the type of the frame.
    def add_scores(
        self,
        prediction: str,
        answers: str,
        *,
        protocol: ScoreProtocol | str = "anls",
        missing: Missing = "drop",
        columns: Sequence[ScoreColumn] | None = None,
        prefix: str = "",
        suffix: str = "",
        overwrite: bool = False,
    ) -> FrameT:
        """Add all scores of a prediction column; see `anls_frame.add_scores`."""
        return scoring.add_scores(
            self._owner,
            prediction,
            answers,
            protocol=protocol,
            missing=missing,
            columns=columns,
            prefix=prefix,
            suffix=suffix,
            overwrite=overwrite,
        )

    def __repr__(self) -> str:
        return described(self, f"a {type_name(self._owner)}")

    # Hidden from type checkers, which would accept every name as an attribute.
    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            message = f"{type(self).__name__!r} object has no attribute {name!r}; {_not_the_column(self)}"
            raise AttributeError(message, name=name, obj=self)

    summarize = _Forwarded()
    report = _Forwarded()
    compare = _Forwarded()
    audit_sample = _Forwarded()
    corrected = _Forwarded()
    mean_over_epochs = _Forwarded(repeats)
    pass_at_k = _Forwarded(repeats)
    variance_components = _Forwarded(repeats)
    browse = _Forwarded()
    find_slices = _Forwarded()
    format_tax = _Forwarded()
    changes = _Forwarded()
    confusions = _Forwarded()
    length_scores = _Forwarded()
    selective = _Forwarded()
    worst = _Forwarded()


def _not_the_column(namespace: AnlsFrameNamespace[Any]) -> str:
    """Return a hint at the column that the caller may have meant."""
    is_lazy = type_name(vars(namespace).get("_owner")) == "polars.LazyFrame"
    column = 'pl.col("anls")' if is_lazy else 'df["anls"]'
    return f"`df.anls` is the accessor of anls_frame, the column of this name is `{column}`"


def _refuse_use_as_data(self: AnlsFrameNamespace[Any], *_: object, **__: object) -> NoReturn:
    # A TypeError would mark a single value, of which Polars makes a column of objects.
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
