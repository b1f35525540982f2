"""The meaning of `by=`: the keys of slices, as columns or expressions, and the tables that show them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any, Union

import polars as pl
import polars.selectors as cs

from anls_frame._messages import about, wrong

By = Union["str | pl.Expr", "Sequence[str | pl.Expr]", "Sequence[Sequence[str | pl.Expr]]"]
"""Columns or expressions: one, several that are crossed, or several lists, each for a table of its own."""

MOST_VALUES = 50
"""Number of different fractions that may slice rows; more are most likely a measurement to be cut."""


@dataclass(frozen=True)
class Slicing:
    """
    The keys of slices.

    Parameters
    ----------
    names
        Distinct names of all keys.
    tables
        The keys of each table; empty for a single table of all keys.
    expressions
        The keys that are not columns, by name.
    """

    names: tuple[str, ...] = ()
    tables: tuple[tuple[str, ...], ...] = ()
    expressions: Mapping[str, pl.Expr] = field(default_factory=dict)

    @property
    def columns(self) -> list[str]:
        """Names of the columns that the keys require."""
        return columns_of([*self.plain, *self.expressions.values()])

    def expression(self, name: str) -> pl.Expr:
        """Return a key as an expression."""
        return self.expressions.get(name, cs.by_name(name).as_expr())

    @property
    def plain(self) -> list[str]:
        """Names of the keys that are columns."""
        return [name for name in self.names if name not in self.expressions]


def columns_of(keys: Iterable[str | pl.Expr]) -> list[str]:
    """Return the columns that columns and expressions require."""
    return [name for key in keys for name in ([key] if isinstance(key, str) else key.meta.root_names())]


def resolve(by: By | None, role: str = "by") -> Slicing:
    """Return the slicing for `by=`, or another role; raise an error if it names a key twice."""
    if by is None:
        return Slicing()
    is_single = isinstance(by, str | pl.Expr) or not isinstance(by, Iterable)
    given: list[Any] = [by] if is_single else list(by)  # type: ignore[arg-type] # it is iterable
    are_lists = [isinstance(entry, Iterable) and not isinstance(entry, str | pl.Expr) for entry in given]
    if any(are_lists) and not all(are_lists):
        raise TypeError(
            about(
                role,
                f"must be columns, which are crossed, or lists of columns, one for each table; got "
                f"both: {_shown(by)}",
            )
        )
    lists: list[list[Any]] = [list(table) for table in given] if any(are_lists) else [given]
    keys: dict[str, pl.Expr | None] = {}
    tables = tuple(tuple(_names(table, role, keys)) for table in lists)
    expressions = {name: expr for name, expr in keys.items() if expr is not None}
    names = tuple(dict.fromkeys(chain(*tables)))
    if len({frozenset(table) for table in tables}) < len(tables):
        raise wrong(role, f"must not ask for a table twice, got {_shown(by)}")
    return Slicing(names, tables if len(tables) > 1 else (), expressions)


def crossed_keys(by: By | None) -> Slicing:
    """Return the slicing for `by=` of a single table, where lists of columns have no meaning."""
    slicing = resolve(by)
    if slicing.tables:
        raise wrong("by", f"must be columns or expressions, which are crossed, not lists of them; got {by!r}")
    return slicing


def enum_orders(schema: pl.Schema) -> dict[str, list[str]]:
    """Return the order of values for each key of an Enum dtype, or of lists of an Enum."""
    inner = {
        name: dtype.inner if isinstance(dtype, pl.List | pl.Array) else dtype
        for name, dtype in schema.items()
    }
    return {name: dtype.categories.to_list() for name, dtype in inner.items() if isinstance(dtype, pl.Enum)}


def check_values(cells: pl.DataFrame, names: Mapping[str, str]) -> None:
    """Raise an error if a key of floats is probably a measurement; `names` maps keys to their names."""
    for key, name in names.items():
        if not cells.schema[key].is_float():
            continue
        values = cells[key].alias("values").unique()
        if values.len() > MOST_VALUES and (values.drop_nulls().floor() != values.drop_nulls()).any():
            raise ValueError(
                f"by column {name!r} has {values.len():,} different numbers, each of which would be a slice; "
                f"round it, as with df.with_columns(pl.col({name!r}).round(1)), or cut it into ranges"
            )


def _names(given: Sequence[Any], role: str, keys: dict[str, pl.Expr | None]) -> Iterator[str]:
    """Yield the names of a table's keys; `keys` receives the expression of each, or None for a column."""
    seen = set()
    for entry in given:
        key = entry if isinstance(entry, pl.Expr) else None
        if key is not None:
            # A selector would choose among the columns that are read.
            if key.meta.has_multiple_outputs():
                several = "must hold expressions of one column each, not of several or of selectors"
                advice = "pass the names of the columns, as `frame.select(...).columns` gives them"
                raise wrong(role, f"{several}, got {_shown(entry)}; {advice}")
            name = key.meta.output_name(raise_if_undetermined=False)
            if name is None:
                raise wrong(role, f"must name each expression with .alias(...), got {_shown(entry)}")
        elif isinstance(entry, str):
            name = entry
        else:
            raise TypeError(
                about(role, f"must be a column name, an expression or a list of them, got {entry!r}")
            )
        if name in seen:
            raise wrong(role, f"must not name a column twice, got {_shown(given)}")
        # `==` would make an expression of two.
        known = keys.setdefault(name, key)
        if known is not key and (known is None or key is None or not known.meta.eq(key)):
            raise wrong(role, f"must not give the name {name!r} to two different keys; rename one of them")
        seen.add(name)
        yield name


def _shown(by: object) -> str:
    return str(by) if isinstance(by, pl.Expr) else repr(by)
