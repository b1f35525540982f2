"""A table as it is in its file, before its columns get their roles."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from itertools import accumulate
from json.encoder import encode_basestring, encode_basestring_ascii
from types import NoneType
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

import polars as pl

from anls_frame.readers._json import Number, kind
from anls_frame.readers._problems import listed, shown

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from anls_frame.readers._problems import Problems

_Key = TypeVar("_Key")

Column: TypeAlias = "pl.Series | list[Any]"
"""A column of a table, or its values in JSON."""

# No table of results has more empty cells than this and less than one filled cell in this many.
_MOST_GAPS = 20_000_000
_SPARSE = 20
_EXACT_DIGITS = 15
_LONGEST = 300


class TooManyKeysError(ValueError):
    """Objects whose keys are data: as columns, they would fill the memory."""


@dataclass
class Raw:
    """Columns with their names, and the place of each row in the file."""

    names: list[str]
    columns: Sequence[Column]
    height: int
    place: Callable[[int], str]
    typed: bool = True
    """Whether the format has its own numbers and lists, as JSON does and CSV does not."""
    others: Mapping[str, pl.Series] = field(default_factory=dict)
    """Typed columns of numbers and Booleans, for columns that need not be strings."""
    dates: Mapping[str, Sequence[tuple[str, str | None]]] = field(default_factory=dict)
    """For each column, the cells that hold a date or a time, and the string read from each."""

    def check_names(self, problems: Problems) -> None:
        """Report names that occur twice."""
        doubled = sorted(name for name, count in Counter(self.names).items() if count > 1)
        if doubled:
            problems.add(f"duplicate columns: {listed([shown(name) for name in doubled])}", "header")

    def column(self, name: str) -> Column:
        """Return the column with a name."""
        return self.columns[self._positions[name]]

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {name: position for position, name in enumerate(self.names)}


def from_objects(objects: Iterable[tuple[str, dict[str, Any]]]) -> Raw:
    """Return JSON objects as columns; a missing key is null, wherever it first appears."""
    columns, places = gathered(objects)
    return Raw(list(columns), list(columns.values()), len(places), places.__getitem__)


def gathered(objects: Iterable[tuple[str, dict[_Key, Any]]]) -> tuple[dict[_Key, list[Any]], list[str]]:
    """
    Return the values of objects by key, null where a key is missing, and the objects' places.

    Raises
    ------
    TooManyKeysError
        If most keys are missing from most objects: such keys are data, and as columns would fill the memory.
    """
    columns: dict[_Key, list[Any]] = {}
    starts: dict[_Key, int] = {}
    places: list[str] = []
    filled = gaps = 0
    for index, (place, row) in enumerate(objects):
        places.append(place)
        filled += len(row)
        for key, value in row.items():
            column = columns.get(key)
            if column is None:
                columns[key], starts[key] = [value], index
                continue
            # A gap is filled when the column continues, so that a missing key costs nothing in its row.
            missing = index - starts[key] - len(column)
            if missing:
                gaps += missing
                _check_filled(gaps, filled, columns)
                column.extend([None] * missing)
            column.append(value)
    _check_filled(len(columns) * len(places) - filled, filled, columns)
    for key, column in columns.items():
        before = starts[key]
        column[:0] = [None] * before
        column.extend([None] * (len(places) - len(column)))
    return columns, places


def _check_filled(gaps: int, filled: int, columns: Mapping[Any, object]) -> None:
    if gaps > _MOST_GAPS and filled * _SPARSE < gaps:
        last = listed([shown(key if isinstance(key, str) else key[-1]) for key in list(columns)[-3:]])
        raise TooManyKeysError(
            f"the objects have {len(columns):,} different keys, most of them in few objects ({last}); "
            "move keys that are data into values"
        )


def texts(name: str, column: Column, problems: Problems, place: Callable[[int], str]) -> pl.Series:
    """Return a column as strings; a number becomes the string in the file, anything else is a problem."""
    if isinstance(column, pl.Series):
        return _series_texts(name, column, problems)
    if set(map(type, column)) <= {str, NoneType}:
        return pl.Series(name, column, dtype=pl.String)
    found: list[str | None] = []
    for index, value in enumerate(column):
        if value is None or (value == "NaN" and isinstance(value, Number)):
            found.append(None)
        elif isinstance(value, str):
            found.append(str(value))
        else:
            problems.add(f"{name!r} must be a string, got {kind(value)}", place(index))
            found.append(None)
    return pl.Series(name, found, dtype=pl.String)


def kept(name: str, column: Column) -> pl.Series:
    """
    Return a column that has no role.

    JSON numbers become Int64 or Float64, true and false Boolean, and lists of strings lists; all other
    values, and numbers that fit neither type, become their JSON text.
    """
    if isinstance(column, pl.Series):
        return column.alias(name)
    kinds = set(map(type, column)) - {NoneType}
    if kinds <= {bool}:
        return pl.Series(name, column, dtype=pl.Boolean if kinds else pl.String)
    if kinds == {str}:
        return pl.Series(name, column, dtype=pl.String)
    if kinds == {Number}:
        return numbers(pl.Series(name, column, dtype=pl.String))
    if kinds == {list} and all(type(entry) is str for value in column if value for entry in value):
        return as_lists(name, column)
    written = [value if value is None or isinstance(value, str) else to_json(value) for value in column]
    return pl.Series(name, [None if text is None else str(text) for text in written], dtype=pl.String)


def to_json(value: Any) -> str:
    """Return a value as JSON text, with numbers as written in the file."""
    if isinstance(value, Number):
        return str(value)
    if isinstance(value, str):
        return encode_basestring(value)
    if isinstance(value, list):
        return f"[{', '.join(map(to_json, value))}]"
    if isinstance(value, dict):
        entries = (f"{encode_basestring_ascii(key)}: {to_json(entry)}" for key, entry in value.items())
        return "{" + ", ".join(entries) + "}"
    return json.dumps(value)


def as_lists(name: str, found: Sequence[Sequence[str | None] | None]) -> pl.Series:
    """Return lists of strings as a column; Polars itself is slower, because it inspects each list."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    ends = accumulate((0 if one is None else len(one) for one in found), initial=0)
    entries = pa.array([entry for one in found if one for entry in one], pa.large_string())
    column = pa.LargeListArray.from_arrays(
        pa.array(ends, pa.int64()), entries, mask=pa.array([one is None for one in found], pa.bool_())
    )
    return pl.Series(name, pl.from_arrow(column), dtype=pl.List(pl.String))


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
    if is_lost or not all(len(one) <= _LONGEST and int(float(one)) == int(one) for one in long):
        return written
    return floats


def _series_texts(name: str, column: pl.Series, problems: Problems) -> pl.Series:
    dtype = column.dtype
    if dtype == pl.String:
        return column.alias(name)
    if dtype.is_integer() or dtype in (pl.Null, pl.Categorical, pl.Enum):
        return column.cast(pl.String).alias(name)
    problems.add(f"column {name!r} must hold strings, got {dtype}; cast it to String before writing the file")
    return pl.Series(name, [None] * len(column), dtype=pl.String)
