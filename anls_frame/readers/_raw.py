"""A table as its file has it, before its columns get their roles."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from anls_frame.readers._json import Number, kind
from anls_frame.readers._problems import listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from anls_frame.readers._problems import Problems

Column: TypeAlias = "pl.Series | list[Any]"
"""A column of a table, or the values that JSON has for it."""

_INT64 = 1 << 63
_INT64_LETTERS = len(str(-_INT64))


@dataclass
class Raw:
    """Columns with their names, and where each row stands in the file."""

    names: list[str]
    columns: Sequence[Column]
    height: int
    place: Callable[[int], str]

    def check_names(self, problems: Problems) -> None:
        """Note names that are there twice."""
        doubled = sorted({name for name in self.names if self.names.count(name) > 1})
        if doubled:
            problems.add(f"columns are there twice: {listed([shown(name) for name in doubled])}", "header")

    def column(self, name: str) -> Column:
        """Return the column of a name."""
        return self.columns[self.names.index(name)]


def from_objects(objects: Iterable[tuple[str, dict[str, Any]]]) -> Raw:
    """Return JSON objects as columns; a key that is missing is null, whenever it first appears."""
    columns: dict[str, list[Any]] = {}
    places = []
    for index, (place, row) in enumerate(objects):
        places.append(place)
        for key, value in row.items():
            column = columns.get(key)
            if column is None:
                column = columns[key] = [None] * index
            column.append(value)
        if len(row) < len(columns):
            for column in columns.values():
                if len(column) <= index:
                    column.append(None)
    return Raw(list(columns), list(columns.values()), len(places), places.__getitem__)


def texts(name: str, column: Column, problems: Problems, place: Callable[[int], str]) -> pl.Series:
    """Return a column as texts; a number is the text that it is written as, anything else is a problem."""
    if isinstance(column, pl.Series):
        return _series_texts(name, column, problems)
    found: list[str | None] = []
    for index, value in enumerate(column):
        if value is None or (value == "NaN" and isinstance(value, Number)):
            found.append(None)
        elif isinstance(value, str):
            found.append(str(value))
        else:
            problems.add(f"{name!r} is no text, but {kind(value)}", place(index))
            found.append(None)
    return pl.Series(name, found, dtype=pl.String)


def kept(name: str, column: Column) -> pl.Series:
    """
    Return a column that has no role.

    JSON numbers become Int64 or Float64, truth values Boolean, lists of texts lists; whatever else JSON
    holds, and numbers that fit neither, the text they are written as.
    """
    if isinstance(column, pl.Series):
        return column.alias(name)
    values = [value for value in column if value is not None]
    if all(isinstance(value, bool) for value in values):
        return pl.Series(name, column, dtype=pl.Boolean if values else pl.String)
    if all(isinstance(value, Number) for value in values):
        return pl.Series(name, column, dtype=pl.String).cast(_number_dtype(values))
    if all(isinstance(value, list) and all(type(entry) is str for entry in value) for value in values):
        return pl.Series(name, column, dtype=pl.List(pl.String))
    written = [value if value is None or isinstance(value, str) else to_json(value) for value in column]
    return pl.Series(name, [None if text is None else str(text) for text in written], dtype=pl.String)


def to_json(value: Any) -> str:
    """Return a value as JSON text, numbers as they were written."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(to_json, value))}]"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(key)}: {to_json(entry)}" for key, entry in value.items()) + "}"
    return json.dumps(value, ensure_ascii=False)


def _number_dtype(values: list[Number]) -> type[pl.DataType]:
    if all(value.lstrip("-").isdigit() for value in values):
        # Python refuses to read numbers of some thousand digits, so the long ones are not even tried.
        longest = max(len(value) for value in values)
        fits = longest <= _INT64_LETTERS and all(-_INT64 <= int(value) < _INT64 for value in values)
        return pl.Int64 if fits else pl.String
    return pl.Float64


def _series_texts(name: str, column: pl.Series, problems: Problems) -> pl.Series:
    dtype = column.dtype
    if dtype == pl.String:
        return column.alias(name)
    if dtype.is_integer() or dtype in (pl.Null, pl.Categorical, pl.Enum):
        return column.cast(pl.String).alias(name)
    problems.add(f"column {name!r} holds {dtype} and no text; cast it to String where it is written")
    return pl.Series(name, [None] * len(column), dtype=pl.String)
