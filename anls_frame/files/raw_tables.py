"""A table as stored in its file, before its columns get their roles."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, islice
from types import NoneType
from typing import Any, TypeAlias

import polars as pl

import anls_frame._native as native
from anls_frame._messages import Message, Option
from anls_frame._text import listed, numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.files.other_formats import way_of
from anls_frame.files.problems import Problems, problem
from anls_frame.frames.answer_lists import as_lists, printed_value
from anls_frame.frames.missing_values import is_missing
from anls_frame.frames.strict_json import Number, is_of_python, kind, parse, scalar_text, without_halves


def with_newlines(text: str) -> str:
    """Return lines with normal line ends in place of those of old Macintoshes."""
    return text if "\n" in text else text.replace("\r", "\n")


_OBJECT_PER_LINE = "write each object on a line of its own, as `jq -c . FILE` does"


def read_lines(text: str, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    Yield the objects of JSON Lines with their places; other values become problems.

    `_json_columns` is faster, but does not locate errors.
    """
    # Not `splitlines`, which also splits at characters that JSON strings may contain unescaped.
    for number, line in enumerate(with_newlines(text).split("\n"), 1):
        if not line.strip(" \t\r"):
            continue
        try:
            value = parse(line)
        except ValueError as error:
            problems.add(str(error), f"line {number}")
            if line.strip() == "{" or _is_above_others(line, error):
                problems.hint(_OBJECT_PER_LINE)
            if is_of_python(line):
                problems.hint("Python printed these objects: write them with json.dumps")
            continue
        if isinstance(value, dict):
            yield f"line {number}", value
        else:
            what = f"must be a JSON object, got {kind(value)}; a file that is one list has the suffix .json"
            problems.add(what, f"line {number}")


def _is_above_others(text: str, error: ValueError) -> bool:
    """Return whether the first value of a text is an object, and something comes after it."""
    return "Extra data" in str(error) and text.lstrip().startswith("{")


def are_lines(text: str) -> bool:
    """Return whether a text is JSON Lines: an object in its first line, and more lines."""
    first, _, rest = with_newlines(text.lstrip()).partition("\n")
    if not rest or rest.isspace():
        return False
    try:
        return isinstance(parse(first), dict)
    except ValueError:
        return False


def read_whole(file: os.PathLike[str], text: str) -> Any:
    """Return the JSON value in a file."""
    try:
        return parse(text)
    except ValueError as error:
        lines = Message("if these are JSON Lines, name it .jsonl or pass ", Option("format", "jsonl"))
        # An object that ends above others is none of JSON Lines, which are read as such.
        advice = f"{_OBJECT_PER_LINE}, and name it .jsonl" if _is_above_others(text, error) else lines
        raise problem(file, Message(f"{error}; ", advice)) from None


def records(file: os.PathLike[str], value: Any, problems: Problems) -> Iterator[tuple[str, dict[str, Any]]]:
    """
    Yield the objects, with their places, of a JSON array or of the only array of objects in an object.

    An object may also have a text, the prediction, or an object for each id. Or it has, for each column, a
    list of values or an object of values by id, or the names of columns and a list of values for each row.
    """
    if isinstance(value, dict):
        if _is_split(value):
            rows = [dict(zip(value["columns"], row, strict=True)) for row in value["data"]]
            if "index" in value:
                yield from _with_ids(value["index"], rows, "index")
            else:
                yield from ((f"data[{index}]", row) for index, row in enumerate(rows))
            return
        lists = [key for key, entry in value.items() if _are_objects(entry)]
        if not lists and way_of(value) is None:
            columns = {key: entry for key, entry in value.items() if isinstance(entry, list)}
            lengths = {*map(len, columns.values())}
            # More lists than entries in each are answers by id.
            if len(lengths) == 1 and 1 < len(columns) <= max(lengths):
                for index, row in enumerate(zip(*columns.values(), strict=True)):
                    yield f"index {index}", dict(zip(columns, row, strict=True))
                return
            if _are_columns(value):
                value = {
                    key: {name: column[key] for name, column in value.items() if key in column}
                    for key in dict.fromkeys(chain.from_iterable(value.values()))
                }
            if _are_by_id(value):
                entries = [
                    entry if isinstance(entry, dict) else {"prediction": entry} for entry in value.values()
                ]
                yield from _with_ids(value, entries, "key")
                return
        if len(lists) != 1:
            raise problem(file, _not_rows(value))
        value = value[lists[0]]
    yield from listed_rows(file, value, problems)


def _with_ids(
    ids: Iterable[str], rows: Sequence[dict[str, Any]], where: str
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield rows with their ids, which are called `index` if they are only the numbers of the rows."""
    keys = list(ids)
    name = "index" if keys == [str(row) for row in range(len(rows))] else "question_id"
    for key, row in zip(keys, rows, strict=True):
        yield f"{where} {quoted(key)}", {name: key} | row


def listed_rows(
    file: os.PathLike[str], value: Any, problems: Problems
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the objects of a list with their places; other values become problems."""
    if not isinstance(value, list):
        raise problem(file, f"must hold a list of rows, got {kind(value)}")
    if not value:
        raise problem(file, "holds no rows")
    for index, row in enumerate(value):
        if isinstance(row, dict):
            yield f"index {index}", row
        else:
            problems.add(f"must be a JSON object, got {kind(row)}", f"index {index}")


def _are_objects(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) for row in value)


def _is_split(value: dict[str, Any]) -> bool:
    """Return whether an object has the names of columns, and a list of values for each row."""
    names, rows, ids = value.get("columns"), value.get("data"), value.get("index", [])
    if not (isinstance(names, list) and isinstance(rows, list) and rows and isinstance(ids, list)):
        return False
    if "index" in value and len(ids) != len(rows):
        return False
    are_names = all(type(name) is str for name in names) and len(set(names)) == len(names)
    return are_names and all(isinstance(row, list) and len(row) == len(names) for row in rows)


def _not_rows(value: dict[str, Any]) -> str:
    """Return the message for an object without rows: what is expected, and where it has lists of objects."""
    expected = (
        "must be a list of rows, or an object with one such list, or with a text or an object for each id; "
        f"got an object with the keys {listed(map(quoted, value))}. "
    )
    lists = dict(_lists_in(value))
    for found in (value, *(rows[0] for rows in lists.values())):
        if (way := way_of(found)) is not None:
            return Message(expected, way)
    if not lists:
        return f"{expected}pandas writes a list with to_json(orient='records')"
    counts = listed([f"{'.'.join(path)} ({len(rows):,})" for path, rows in lists.items()])
    return f"{expected}Lists of objects in it: {counts}. Write the rows of one to a file of its own"


def _lists_in(
    value: dict[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], list[Any]]]:
    """Yield the lists of objects in an object, and in objects in it, with the keys that lead there."""
    for key, entry in value.items():
        if _are_objects(entry):
            yield (*path, key), entry
        elif isinstance(entry, dict) and len(path) < _DEEPEST_ROWS:
            yield from _lists_in(entry, (*path, key))


def _are_by_id(value: dict[str, Any]) -> bool:
    """Return whether an object has a text or a row for each id, rather than a column for each name."""
    entries = list(value.values())
    if entries and all(isinstance(entry, str | None) and not isinstance(entry, Number) for entry in entries):
        return True
    if not all(isinstance(entry, dict) for entry in entries):
        return False
    return bool(set(*entries[:1]).intersection(*entries))  # rows of one table


def _are_columns(value: dict[str, Any]) -> bool:
    """Return whether an object has an object for each column: of the numbers of rows, or of very many ids."""
    entries = list(value.values())
    if not entries or not all(isinstance(entry, dict) and entry for entry in entries):
        return False
    if all(key.isdigit() for entry in entries for key in entry):
        return True
    are_alike = all(entry.keys() == entries[0].keys() for entry in entries)
    return are_alike and len(entries[0]) > _MOST_COLUMNS * len(entries)


# The kinds of values, in the order of their bits. Missing values are null; lists of strings are a separate
# kind.
_KINDS = (NoneType, NoneType, bool, Number, str, list, list, dict)
_TEXT, _TEXTS, _LIST, _OBJECT = (1 << bit for bit in (4, 5, 6, 7))
_NULLS = 0b11


class JsonColumn:
    """The values of a key; null where an object lacks the key."""

    def __init__(self, lines: native.JsonLines, index: int) -> None:
        """Take a column of a table."""
        self._lines = lines
        self._index = index
        self.key, self.first, self.first_value, self.is_everywhere, self._kinds = lines.described(index)
        self.kinds = frozenset(kind for bit, kind in enumerate(_KINDS) if self._kinds >> bit & 1)
        """The types of the values."""

    @property
    def holds_texts(self) -> bool:
        """Whether the values are strings or null."""
        return not self._kinds & ~(_TEXT | _NULLS)

    @property
    def holds_lists(self) -> bool:
        """Whether the values are lists of strings only, or null."""
        return not self._kinds & ~(_TEXTS | _NULLS)

    def texts(self) -> pl.Series:
        """Return strings, and numbers as written; everything else, including NaN, becomes null."""
        return pl.Series(self._lines.texts(self._index), dtype=pl.String)

    def lists(self) -> pl.Series:
        """Return lists of strings; everything else becomes null."""
        return pl.Series(self._lines.lists(self._index), dtype=pl.List(pl.String))

    def json(self) -> pl.Series:
        """
        Return strings unchanged, and all other values as JSON.

        Raises
        ------
        ValueError
            If a value needs Python to be written.
        """
        return pl.Series(self._lines.json(self._index), dtype=pl.String)

    def members(self) -> list[JsonColumn]:
        """
        Return the members of object values as columns.

        Raises
        ------
        ValueError
            If there are too many members.
        """
        return _columns(self._lines.members(self._index))

    def out_of_lists(self) -> JsonColumn:
        """Return lists without enclosing lists that hold nothing else."""
        return self._narrowed(_TEXTS | _LIST)

    def only_texts(self) -> JsonColumn:
        """Return strings in place of lists of one string."""
        return self._narrowed(_TEXT)

    def only_objects(self) -> JsonColumn:
        """Return an object or null in place of a list that holds nothing else."""
        return self._narrowed(_OBJECT | _NULLS)

    def at(self, rows: Sequence[int | None]) -> JsonColumn:
        """Return the values of the objects with these numbers; null for None."""
        return _columns(self._lines.at(self._index, list(rows)))[0]

    def rows_with(self, text: str) -> Raw:
        """Return the objects whose value is this string."""
        return _table(self._lines.only(self._index, text))

    def _narrowed(self, kinds: int) -> JsonColumn:
        return _columns(self._lines.narrowed(self._index, kinds))[0]

    @cached_property
    def values(self) -> list[Any]:
        """The values as Python objects, with numbers as `Number`."""
        return self._lines.values(self._index, Number)

    def __iter__(self) -> Iterator[Any]:
        """Return the values."""
        return iter(self.values)


def from_lines(file: os.PathLike[str], text: str) -> Raw:
    """
    Return the objects of JSON Lines, with columns of the type `JsonColumn`.

    Raises
    ------
    InputError
        If lines hold anything else; the error lists all such lines. Python's parser reads them and describes
        the problems.
    """
    try:
        lines = native.json_lines(without_halves(with_newlines(text))[0])
    except OverflowError:
        raise problem(file, "holds more than 4 GiB; split it into several files") from None
    if lines is not None:
        return _table(lines)
    problems = Problems(file)
    keys = {key: None for _, row in read_lines(text, problems) for key in row}
    problems.raise_any()
    raise problem(file, too_many_keys(keys))


def too_many_keys(keys: Iterable[str]) -> str:
    """Return the message for objects whose keys are data, which would fill the memory as columns."""
    different = list(dict.fromkeys(keys))
    last = listed(list(map(quoted, different[-3:])))
    return (
        f"the objects have {len(different):,} different keys, most of them in few objects ({last}); "
        "move keys that are data into values"
    )


def _table(lines: native.JsonLines) -> Raw:
    # Lines may be empty.
    numbers = lines.lines or range(1, lines.height + 1)
    columns = {column.key: column for column in _columns(lines)}
    return Raw(columns, lines.height, lambda row: f"line {numbers[row]}")


def _columns(lines: native.JsonLines) -> list[JsonColumn]:
    return [JsonColumn(lines, index) for index in range(lines.width)]


Column: TypeAlias = "pl.Series | list[Any] | JsonColumn"
"""A column of a table, or its values in JSON."""

# No table of results has more empty cells than this and less than one filled cell in this many.
_MOST_GAPS = 20_000_000
_SPARSE = 20
_EXACT_DIGITS = 15
_DEEPEST_ROWS = 3
"""How many objects around a list of objects are looked into, for the message that says where it is."""
_MOST_COLUMNS = 20
"""More keys than this for each object, the same in all of them, are ids rather than columns."""
_LONGEST = 300
_NAMED_ROWS, _NAMED_ENTRIES = 10_000, 2
"""How many rows, and how many entries of a list, are looked into for the names of entries in messages."""


@dataclass
class Raw:
    """Columns by their names or, before they have names, by their paths, and the place of each row."""

    columns: Mapping[Any, Any]
    height: int
    place: Callable[[int], str]
    typed: bool = True
    """Whether the format has its own numbers and lists, as JSON does and CSV does not."""
    others: Mapping[str, pl.Series] = field(default_factory=dict)
    """Typed columns of numbers and Booleans, for columns that need not be strings."""
    formatted: Mapping[str, Sequence[tuple[str, str, str | None]]] = field(default_factory=dict)
    """
    For each column, the cells that show a date, a time or a number as another text, the string that was read,
    and the format of a number.
    """

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.columns)

    def column(self, name: str) -> Column:
        """Return the column with a name; JSON that holds only strings is a Series."""
        column: Column = self.columns[name]
        if isinstance(column, JsonColumn) and column.holds_texts:
            return column.texts()
        return column


def by_name(names: Sequence[str], columns: Sequence[pl.Series], problems: Problems) -> dict[str, Column]:
    """Return the columns of a table by their names; names that occur twice are a problem."""
    doubled = sorted(name for name, count in Counter(names).items() if count > 1)
    if doubled:
        problems.add(f"duplicate columns: {listed([quoted(name) for name in doubled])}", "header")
        problems.hint("give each column a name of its own in the header")
    return dict(zip(names, columns, strict=True))


def from_frame(frame: pl.DataFrame) -> Raw:
    """Return a frame as a table whose columns have no roles."""
    return Raw(frame.to_dict(), frame.height, lambda row: f"row {row + 1}")


def from_objects(file: os.PathLike[str], objects: Iterable[tuple[str, dict[Any, Any]]]) -> Raw:
    """
    Return objects with their places as columns, with null for missing keys, wherever a key first appears.

    Raises
    ------
    InputError
        If most keys are missing from most objects. Such keys are data, which would fill the memory as
        columns.
    """
    places: list[str] = []
    rows: list[dict[Any, Any]] = []
    for place, row in objects:
        places.append(place)
        rows.append(row)
    keys = dict.fromkeys(chain.from_iterable(rows))
    filled = sum(map(len, rows))
    gaps = len(keys) * len(rows) - filled
    if gaps > _MOST_GAPS and filled * _SPARSE < gaps:
        raise problem(file, too_many_keys(key if isinstance(key, str) else key[-1] for key in keys))
    return Raw({key: [row.get(key) for row in rows] for key in keys}, len(rows), places.__getitem__)


def texts(name: str, column: Column, problems: Problems, place: Callable[[int], str]) -> pl.Series:
    """
    Return a column as strings.

    A number becomes the string in the file, and so do true and false; anything else is a problem.
    """
    if isinstance(column, pl.Series):
        if not is_text(column.dtype):
            advice = "" if column.dtype.is_nested() else f"; {cast_advice(column)}"
            problems.add(f"column {name!r} must hold strings, got {column.dtype}{advice}")
            # Different texts; nothing else is reported of them.
            column = pl.Series(range(len(column)), dtype=pl.Int64)
        return column.cast(pl.String).alias(name)
    if isinstance(column, JsonColumn) and column.kinds <= {str, Number, NoneType}:
        return column.texts().alias(name)
    values: list[str | None] = []
    for index, value in enumerate(column):
        if is_missing(value):
            values.append(None)
        elif isinstance(value, str | bool):
            values.append(scalar_text(value))
        else:
            problems.add(f"{name!r} must be a string, got {kind(value)}", place(index))
            values.append(None)
    return pl.Series(name, values, dtype=pl.String)


def entries(raw: Raw, name: str, keys: Sequence[str], problems: Problems) -> Column | None:
    """
    Return an entry of the objects and lists in a column, at the end of a path of keys and numbers.

    Texts may be objects and lists as JSON or Python prints them. None if no row has the entry.
    """
    column = raw.column(name)
    for depth, key in enumerate(keys):
        path = [name, *keys[:depth]]
        found: Column | None
        if isinstance(column, pl.Series) and column.dtype != pl.String:
            found = _of_typed(raw, column, path, key, problems)
        else:
            found = _of_values(raw, list(map(printed_value, column)), path, key, problems)
        if found is None:
            return None
        column = found
    return column


def _of_typed(
    raw: Raw, column: pl.Series, path: Sequence[str], key: str, problems: Problems
) -> pl.Series | None:
    """Return an entry of Structs or lists of Polars."""
    if isinstance(column.dtype, pl.Array):
        column = column.arr.to_list()
    entry = typed_entry(pl.col("column"), column.dtype, [key])
    if entry is None:
        return None
    if isinstance(column.dtype, pl.List):
        lengths = column.list.len().fill_null(0)
        if len(column) and not (lengths > int(key)).any():
            return None
        _warn_of_further(raw, lengths > 1, path, key, problems)
    return column.alias("column").to_frame().select(entry).to_series()


def _of_values(
    raw: Raw, values: list[Any], path: Sequence[str], key: str, problems: Problems
) -> list[Any] | None:
    """Return an entry of objects and lists of Python; other values are problems."""
    if not any(_has(value, key) for value in values):
        return None
    for index, value in enumerate(values):
        if not (isinstance(value, dict) or _is_in_list(value, key) or is_missing(value)):
            what = f"{'.'.join(path)!r} must be an object with {quoted(key)}, got {kind(value)}"
            problems.add(what, raw.place(index))
    several = pl.Series([isinstance(value, list) and len(value) > 1 for value in values], dtype=pl.Boolean)
    _warn_of_further(raw, several, path, key, problems)
    return [_value(value, key) if _has(value, key) else None for value in values]


def _value(value: Any, key: str) -> Any:
    """Return an entry of a list or an object; of choices, the right ones."""
    if isinstance(value, list):
        return value[int(key)]
    if key != _CHOICES or _RIGHT not in value:
        return value[key]
    right = value[_RIGHT]
    try:
        return [value[key][int(index)] for index in (right if isinstance(right, list) else [right])]
    except (TypeError, ValueError, IndexError):
        return None


def _warn_of_further(raw: Raw, several: pl.Series, path: Sequence[str], key: str, problems: Problems) -> None:
    """Warn of lists with further entries than the named one."""
    rows = several.arg_true()
    if len(rows):
        what = f"{numbered(len(rows), 'list')} in {'.'.join(path)!r} with several entries"
        warn(f"{problems.path}: only entry {key} is read of {what}, such as {raw.place(int(rows[0]))}")


_CHOICES, _RIGHT = "choices", "gold_index"
"""The fields of a question of lighteval with its choices, and with the positions of the right ones."""


def typed_entry(values: pl.Expr, dtype: Any, keys: Sequence[str]) -> pl.Expr | None:
    """Return an entry of Structs and lists; None without one, as in texts. Of choices, the right ones."""
    if not keys:
        return values
    key, *others = keys
    if isinstance(dtype, pl.Struct):
        fields = dtype.to_schema()
        if key not in fields:
            return None
        entry = values.struct.field(key)
        if key == _CHOICES and _RIGHT in fields:
            right = values.struct.field(_RIGHT)
            right = right if fields[_RIGHT].is_nested() else pl.concat_list(right)
            entry = entry.list.gather(right, null_on_oob=True)
        return typed_entry(entry, fields[key], others)
    if isinstance(dtype, pl.Array):
        values, dtype = values.arr.to_list(), pl.List(dtype.inner)
    if isinstance(dtype, pl.List) and key.isdecimal():
        return typed_entry(values.list.get(int(key), null_on_oob=True), dtype.inner, others)
    return None


def _is_in_list(value: Any, key: str) -> bool:
    """Return whether a value is a list, and the key the number of an entry."""
    return isinstance(value, list) and key.isdecimal()


def _has(value: Any, key: str) -> bool:
    return int(key) < len(value) if _is_in_list(value, key) else isinstance(value, dict) and key in value


def entry_names(raw: Raw, name: str) -> list[str]:
    """Return the names of the entries of objects and lists in the first rows, the most frequent first."""
    column = raw.column(name)
    if isinstance(column, pl.Series) and column.dtype != pl.String:
        return _entry_paths(column.dtype)
    values = map(printed_value, islice(column, _NAMED_ROWS))
    return [path for path, _ in Counter(chain.from_iterable(map(_entry_paths, values))).most_common()]


def _entry_paths(value: Any) -> list[str]:
    """Return the names of the innermost entries of a value or a dtype; of lists, those of the first ones."""
    entries: Mapping[Any, Any] = {}
    if isinstance(value, dict):
        entries = value
    elif isinstance(value, list) and any(isinstance(entry, list | dict) for entry in value):
        entries = dict(enumerate(value[:_NAMED_ENTRIES]))
    elif isinstance(value, pl.Struct):
        entries = value.to_schema()
    elif isinstance(value, pl.List | pl.Array) and value.inner.is_nested():
        entries = {0: value.inner}
    paths: list[str] = []
    for key, entry in entries.items():
        paths += [f"{key}.{path}" for path in _entry_paths(entry)] or [f"{key}"]
    return paths


FLOATS_OF_PANDAS = (
    "pandas makes floats of whole numbers if one is missing: cast the column to whole numbers, with "
    ".astype('Int64')"
)


def cast_advice(column: pl.Series) -> str:
    """Return what to do with a column whose values have no notation of their own."""
    values = column.drop_nulls().drop_nans() if column.dtype.is_float() else column
    if column.dtype.is_float() and (values == values.round()).all():
        return FLOATS_OF_PANDAS
    return "cast it to String before writing the file"


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
    if isinstance(column, JsonColumn):
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


def as_frame(raw: Raw) -> pl.DataFrame:
    """Return a table whose columns have no roles as a frame."""
    return pl.DataFrame([kept(name, raw.column(name)) for name in raw.names])


def kinds_of(values: Iterable[Any]) -> frozenset[type]:
    """Return the types of values."""
    return values.kinds if isinstance(values, JsonColumn) else frozenset(map(type, values))


def holds_objects(column: Column) -> bool:
    """Return whether a column has objects among its values."""
    return column.dtype == pl.Struct if isinstance(column, pl.Series) else dict in kinds_of(column)


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


def is_text(dtype: Any) -> bool:
    """Return whether values of a dtype have one notation, in which they are read as strings."""
    return bool(dtype in (pl.String, pl.Null, pl.Categorical, pl.Enum, pl.Boolean) or dtype.is_integer())


def with_numbers_where_all_are(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return a table in which those of the given columns that hold only numbers are numeric."""
    columns = []
    for column in frame.select(name for name in names if frame.schema.get(name) == pl.String):
        filled = column.set(column == "", None)
        written = filled.drop_nulls()
        if len(written) and numbers(written).dtype.is_numeric():
            columns.append(filled.cast(pl.Float64))
    return frame.with_columns(columns)
