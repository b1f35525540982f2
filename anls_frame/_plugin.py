"""The one place where an expression is tied to the compiled plugin."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
from polars.plugins import register_plugin_function

from anls_frame import _native

if TYPE_CHECKING:
    from anls_frame._typing import InternalPluginName, IntoExprColumn, PluginName

# The file itself: given a folder, Polars would take the first library it finds there, a stale one included.
_LIBRARY = _native.__file__


def call(name: PluginName | InternalPluginName, *columns: IntoExprColumn, **options: Any) -> pl.Expr:
    """Expression that calls the plugin function of this name; the result is named after it."""
    for column in columns:
        if not isinstance(column, pl.Expr | str | pl.Series):
            raise TypeError(_not_a_column(name, column))
    expression = register_plugin_function(
        plugin_path=_LIBRARY,
        function_name=name,
        args=[_without_nul(column) for column in columns],
        kwargs=options,
        is_elementwise=True,
        use_abs_path=True,
    )
    return expression.alias(name)


def _without_nul(column: IntoExprColumn) -> IntoExprColumn:
    # Polars hands a column's name to plugins as a C string, and panics over a NUL in it.
    if isinstance(column, str):
        return column if "\0" not in column else _without_nul(pl.col(column))
    name = (
        column.name if isinstance(column, pl.Series) else column.meta.output_name(raise_if_undetermined=False)
    )
    return column.alias(name.replace("\0", "\\0")) if name and "\0" in name else column


def _not_a_column(name: str, value: object) -> str:
    return (
        f"`{name}` takes a column name, an expression or a Series, got {type(value).__name__}; "
        "wrap values in `pl.Series`, a constant in `pl.lit`"
    )
