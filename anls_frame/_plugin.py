"""Expressions that call the compiled plugin; no other module registers them."""

from __future__ import annotations

import os
from typing import Any, get_args

import polars as pl
from polars.plugins import register_plugin_function

import anls_frame._native as native
from anls_frame._arguments import choice, type_name
from anls_frame._typing import Missing
from anls_frame.exceptions import warn
from anls_frame.protocol import ScoreProtocol, plugin_options

# The file itself, because in a folder, Polars takes the first library it finds, even a stale one.
_LIBRARY = native.__file__

_WITHOUT_THREADS = (
    "this process was forked after Polars had started its threads. They do not exist in the forked process, "
    "so an expression may wait for them forever; start processes with 'spawn' or 'forkserver', or fork "
    "before anything is scored"
)

BLANK, PLACEHOLDER, LIST_BEGINNING = 1, 2, 3
"""Kinds of texts that `text_kind` tells apart; other texts have 0."""

_lacks_threads = False
"""Whether this process was forked after Polars had started its threads."""


def _after_fork() -> None:
    global _lacks_threads  # noqa: PLW0603 - of the process
    _lacks_threads = native.after_fork()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


def score(
    name: str,
    prediction: object,
    answers: object,
    missing: Missing,
    /,
    *protocol: ScoreProtocol | str,
    **options: Any,
) -> pl.Expr:
    """Return an expression that scores each row, with null predictions treated according to `missing`."""
    if protocol:
        options["protocol"] = plugin_options(*protocol)
    scores = call(name, prediction, answers, **options)
    if choice("missing", missing, get_args(Missing)) == "drop":
        return scores
    texts = expression(name, prediction).cast(pl.String).fill_null("")
    # The cast accepts any dtype, so the plugin must see the column itself too: Polars checks the dtypes of
    # the second branch, and then drops it because the condition is constant.
    scores_of_texts = call(name, texts, answers, **options)
    return pl.when(pl.lit(value=True)).then(scores_of_texts).otherwise(scores).alias(name)


def call(name: str, *columns: object, **options: Any) -> pl.Expr:
    """Return an expression that calls a plugin function; the result has the function's name."""
    if _lacks_threads:
        warn(_WITHOUT_THREADS, category=RuntimeWarning)
    scores = register_plugin_function(
        plugin_path=_LIBRARY,
        function_name=name,
        args=[_without_nul(expression(name.removeprefix("gec_"), column)) for column in columns],
        kwargs=options,
        is_elementwise=True,
        use_abs_path=True,
    )
    return scores.alias(name)


def expression(name: str, column: object) -> pl.Expr:
    """Return a column as an expression; raise an error that names the function if it is not a column."""
    if isinstance(column, str):
        return pl.col(column)
    if isinstance(column, pl.Series):
        return pl.lit(column)
    if isinstance(column, pl.Expr):
        return column
    raise TypeError(
        f"`{name}` takes a column name, an expression or a Series, got {type_name(column)}; "
        f"wrap values in `pl.Series`, a constant in `pl.lit`; `pl.select({name}(...))` has the scores"
    )


def _without_nul(column: pl.Expr) -> pl.Expr:
    # Polars passes a column's name to plugins as a C string, and panics if it contains a NUL.
    name = column.meta.output_name(raise_if_undetermined=False)
    return column.alias(name.replace("\0", "\\0")) if name and "\0" in name else column
