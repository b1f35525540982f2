"""A table as stored in its file, before its columns get their roles."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from types import NoneType
from typing import Any, TypeAlias, TypeVar

import polars as pl

from anls_frame._text import listed, quoted
from anls_frame.frames.answer_lists import as_lists
from anls_frame.frames.strict_json import Number, kind
from anls_frame.readers import _json
from anls_frame.readers._json import too_many_keys
from anls_frame.readers._problems import Problems, problem

_Key = TypeVar("_Key", str, tuple[str, ...])

Column: TypeAlias = "pl.Series | list[Any] | _json.JsonColumn"
"""A column of a table, or its values in JSON."""

Values: TypeAlias = "list[Any] | _json.JsonColumn"
"""The values of a column of JSON."""

# No table of results has more empty cells than this and less than one filled cell in this many.
_MOST_GAPS = 20_000_000
_SPARSE = 20
_EXACT_DIGITS = 15
_LONGEST = 300


@dataclass
class Raw:
    """Named columns, and the place of each row in the file."""

    columns: Mapping[str, Column]
    height: int
    place: Callable[[int], str]
    typed: bool = True
    """Whether the format has its own numbers and lists, as JSON does and CSV does not."""
    others: Mapping[str, pl.Series] = field(default_factory=dict)
    """Typed columns of numbers and Booleans, for columns that need not be strings."""
    dates: Mapping[str, Sequence[tuple[str, str | None]]] = field(default_factory=dict)
    """For each column, the cells that hold a date or a time, and the string read from each."""

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns)

    def column(self, name: str) -> Column:
        """Return the column with a name; JSON that holds only strings is a Series."""
        column = self.columns[name]
        if isinstance(column, _json.JsonColumn) and column.holds_texts:
            return column.texts()
        return column


def by_name(names: Sequence[str], columns: Sequence[pl.Series], problems: Problems) -> dict[str, Column]:
    """Return the columns of a table by their names; names that occur twice are a problem."""
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled:
        problems.add(f"duplicate columns: {listed([quoted(name) for name in doubled])}", "header")
    return dict(zip(names, columns, strict=True))


def from_table(table: _json.JsonTable) -> Raw:
    """Return JSON Lines as a table whose columns have no roles."""
    columns, lines = table
    return Raw(columns, len(lines), lambda row: f"line {lines[row]}")


def from_frame(frame: pl.DataFrame) -> Raw:
    """Return a frame as a table whose columns have no roles."""
    return Raw(frame.to_dict(), frame.height, lambda row: f"row {row + 1}")


def from_objects(path: Path, objects: Iterable[tuple[str, dict[str, Any]]]) -> Raw:
    """Return JSON objects as columns, with null for missing keys, wherever a key first appears."""
    columns, places = gathered(path, objects)
    return Raw(columns, len(places), places.__getitem__)


def gathered(
    path: Path, objects: Iterable[tuple[str, dict[_Key, Any]]]
) -> tuple[dict[_Key, list[Any]], list[str]]:
    """
    Return the values of objects by key, null where a key is missing, and the objects' places.

    Raises
    ------
    InputError
        If most keys are missing from most objects. Such keys are data, which would fill the memory as
        columns.
    """
    places: list[str] = []
    rows: list[dict[_Key, Any]] = []
    for place, row in objects:
        places.append(place)
        rows.append(row)
    keys = dict.fromkeys(chain.from_iterable(rows))
    filled = sum(map(len, rows))
    gaps = len(keys) * len(rows) - filled
    if gaps > _MOST_GAPS and filled * _SPARSE < gaps:
        raise problem(path, too_many_keys(key if isinstance(key, str) else key[-1] for key in keys))
    return {key: [row.get(key) for row in rows] for key in keys}, places


def texts(name: str, column: Column, problems: Problems, place: Callable[[int], str]) -> pl.Series:
    """Return a column as strings; a number becomes the string in the file, anything else is a problem."""
    if isinstance(column, pl.Series):
        return _series_texts(name, column, problems)
    if isinstance(column, _json.JsonColumn) and column.kinds <= {str, Number, NoneType}:
        return column.texts().alias(name)
    values: list[str | None] = []
    for index, value in enumerate(column):
        if value is None or (value == "NaN" and isinstance(value, Number)):
            values.append(None)
        elif isinstance(value, str):
            values.append(str(value))
        else:
            problems.add(f"{name!r} must be a string, got {kind(value)}", place(index))
            values.append(None)
    return pl.Series(name, values, dtype=pl.String)


def kept(name: str, column: Column) -> pl.Series:
    """
    Return a column without a role.

    JSON numbers become Int64 or Float64, true and false Boolean, and lists of strings lists; all other
    values, and numbers that fit neither type, become their JSON text.
    """
    if isinstance(column, pl.Series):
        return column.alias(name)
    kinds = kinds_of(column) - {NoneType}
    if kinds == {bool}:
        return pl.Series(name, list(column), dtype=pl.Boolean)
    written = None
    if isinstance(column, _json.JsonColumn):
        if column.holds_lists and kinds:
            return column.lists().alias(name)
        with suppress(ValueError):
            written = column.json().alias(name)
    elif kinds == {list} and set(map(type, chain.from_iterable(filter(None, column)))) <= {str}:
        return as_lists(name, column)
    if written is None:
        texts = [value if value is None or isinstance(value, str) else to_json(value) for value in column]
        written = pl.Series(name, [None if text is None else str(text) for text in texts], dtype=pl.String)
    return numbers(written) if kinds == {Number} else written


def kinds_of(values: Iterable[Any]) -> frozenset[type]:
    """Return the types of values."""
    return values.kinds if isinstance(values, _json.JsonColumn) else frozenset(map(type, values))


def to_json(value: Any) -> str:
    """Return a value as JSON text, with numbers as written in the file and keys in ASCII."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, list):
        return f"[{', '.join(map(to_json, value))}]"
    if isinstance(value, dict):
        entries = (f"{json.dumps(key)}: {to_json(entry)}" for key, entry in value.items())
        return f"{{{', '.join(entries)}}}"
    return json.dumps(value, ensure_ascii=False)


def numbers(written: pl.Series) -> pl.Series:
    """Return numbers as Int64 or Float64 if the type can hold all of them, otherwise as written."""
    whole = written.str.contains(r"\A-?[0-9]+\z")
    if whole.all():
        integers = written.cast(pl.Int64, strict=False)
        return integers if integers.null_count() == written.null_count() else written
    floats = written.cast(pl.Float64, strict=False)
    too_large = floats.is_infinite() & ~written.str.contains("Infinity", literal=True)
    # A fraction may be rounded, but an integer may be an id, in which every digit counts.
    long = written.filter(whole & (written.str.len_bytes() > _EXACT_DIGITS))
    is_lost = floats.null_count() > written.null_count() or bool(too_large.any())
    if is_lost or not all(len(text) <= _LONGEST and int(float(text)) == int(text) for text in long):
        return written
    return floats


def _series_texts(name: str, column: pl.Series, problems: Problems) -> pl.Series:
    if column.dtype == pl.String:
        return column.alias(name)
    if is_text(column.dtype):
        return column.cast(pl.String).alias(name)
    problems.add(
        f"column {name!r} must hold strings, got {column.dtype}; cast it to String before writing the file"
    )
    return pl.Series(name, [None] * len(column), dtype=pl.String)


def is_text(dtype: Any) -> bool:
    """Return whether values of a dtype have one notation, in which they are read as strings."""
    return bool(dtype in (pl.String, pl.Null, pl.Categorical, pl.Enum) or dtype.is_integer())
