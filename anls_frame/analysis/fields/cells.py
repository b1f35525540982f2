"""The cells of a column of documents, as JSON values."""

from __future__ import annotations

import datetime as dt
import functools
import json
import re
from collections.abc import Callable, Mapping
from decimal import Decimal
from typing import Any

import numpy as np
import polars as pl

from anls_frame._text import quoted
from anls_frame.exceptions import DTypeError
from anls_frame.frames import strict_json
from anls_frame.frames.conversion import in_polars, is_pandas
from anls_frame.frames.missing_values import is_missing
from anls_frame.frames.strict_json import Number

_MOST_LEVELS = 100
"""Maximum nesting, as in JSON text."""

_LISTS = (list, tuple, np.ndarray, pl.Series)
_NARROW = (pl.Float16, pl.Float32)
_HALF = re.compile("[\ud800-\udfff]")
_OBJECT = re.compile(r"""\s*(\[\s*)*\{\s*["'}]""")
"""Beginning of a text of one or several objects, as JSON or Python prints them."""


@functools.lru_cache(1 << 14)
def name_of(parent: str, key: str) -> str:
    """
    Return the name of a key within a named value; `[]` is appended to the name of a list.

    The names of fields are the keys from the root of a document, joined by dots.
    """
    is_plain = key and not set(key) & set('.[]"')
    key = key if is_plain else json.dumps(key, ensure_ascii=False)
    return f"{parent}.{key}" if parent else key


def _cells(frame: Any, column: str) -> list[Any]:
    """Return the cells of a column: JSON texts, and the objects and lists of Structs and of Python."""
    if is_pandas(frame):
        in_polars(frame.iloc[:0], [column])  # an error names a missing column
        # A column without values has any dtype in pandas.
        if frame[column].dtype == object or frame[column].isna().all():
            return list(frame[column])
    documents = in_polars(frame, [column]).lazy().select(pl.col(column)).collect().get_column(column)
    dtype = documents.dtype
    if not isinstance(dtype, pl.String | pl.Categorical | pl.Enum | pl.Struct | pl.List | pl.Array | pl.Null):
        raise DTypeError(
            f"fields are read from documents as JSON text, Struct or List, but column {column!r} has dtype "
            f"{dtype}; `[json.dumps(document) for document in documents]` makes JSON text of objects"
        )
    written = _written(dtype)
    return documents.to_list() if written is None else [*map(written, documents.to_list())]


def _written(dtype: Any) -> Callable[[Any], Any] | None:
    """Return a function that gives floats of 32 bits their own digits, in place of those of 64 bits."""
    if isinstance(dtype, _NARROW):
        return lambda value: None if value is None else np.float32(value)
    if isinstance(dtype, pl.List | pl.Array):
        inner = _written(dtype.inner)
        return inner and (lambda values: None if values is None else [*map(inner, values)])
    if isinstance(dtype, pl.Struct):
        functions = {field.name: _written(field.dtype) for field in dtype.fields}
        changed = {key: function for key, function in functions.items() if function is not None}
        if changed:
            return lambda value: value and {**value, **{key: one(value[key]) for key, one in changed.items()}}
    return None


class Reader:
    """
    Reads the cells of a column of documents, and counts what it replaced.

    Parameters
    ----------
    frame, column
        The frame, and the column with its documents.
    """

    def __init__(self, frame: Any, column: str) -> None:
        self.column = column
        self.cells = _cells(frame, column)
        self.halves: list[Any] = []
        """The documents with half of a surrogate pair, which became the replacement character."""
        self._document: Any = None

    def read(self, row: int, document: object) -> Any:
        """
        Return the document of a row as objects, lists, strings, `Number`, Booleans and null without fields.

        Raises
        ------
        ValueError
            If it is not a JSON object or list; the message says why.
        DTypeError
            If a value has a type that no document can have; the message names column, document and key.
        """
        self._document = document
        value = self._value(self.cells[row])
        if not isinstance(value, dict | list | None):
            raise ValueError(f"a document must be a JSON object or list, not {strict_json.kind(value)}")  # noqa: TRY004 - a wrong value
        return value

    def _value(self, cell: Any) -> Any:
        if isinstance(cell, str):
            text, cut = strict_json.without_halves(self._whole(cell))
            self._note_halves(cut)
            cell = _parsed(text)
        value = self._plain(cell, "", 0)
        texts = value if isinstance(value, list) else []
        if not any(isinstance(text, str) and _OBJECT.match(text) for text in texts):
            return value
        if len(texts) > 1:
            raise ValueError(f"a list of {len(texts)} texts of documents; keep one of them")
        # As tables with lists of answers hold the text of a document.
        return self._value(*texts)

    def error(self, reason: ValueError) -> ValueError:
        """Return the error of the document that was read last, with its place."""
        return ValueError(f"{self._where('')}: {reason}")

    def _plain(self, value: Any, name: str, level: int) -> Any:
        if isinstance(value, np.ndarray) and not value.shape:
            value = value[()]
        if is_missing(value):
            return None
        if isinstance(value, str):
            return _finite(value, name) if isinstance(value, Number) else self._whole(value)
        if level > _MOST_LEVELS:
            raise ValueError(f"brackets are nested more than {_MOST_LEVELS} deep")
        if isinstance(value, Mapping):
            return self._object(value, name, level)
        if isinstance(value, _LISTS):
            return [self._plain(entry, f"{name}[]", level + 1) for entry in value]
        return self._scalar(value, name)

    def _scalar(self, value: Any, name: str) -> bool | str:
        own = _of_python(value) if isinstance(value, np.generic) else value
        if isinstance(own, bool):
            return own
        if isinstance(own, dt.date | dt.time):  # a time with its date is a date, too
            return str(own)
        if isinstance(own, int | float | Decimal):
            return _finite(_written_number(own), name)
        raise self._unknown(value, name)

    def _object(self, value: Mapping[Any, Any], name: str, level: int) -> dict[str, Any]:
        plain: dict[str, Any] = {}
        for key, entry in value.items():
            if not isinstance(key, str | int | np.integer) or isinstance(key, bool):
                raise DTypeError(
                    f"{self._where(name)} has the key {quoted(key)}; the keys of a document are texts, so "
                    "convert this key to a text"
                )
            text = self._whole(key if isinstance(key, str) else str(int(key)))
            if text in plain:
                raise ValueError(f"duplicate key {quoted(text)}")
            plain[text] = self._plain(entry, name_of(name, text), level + 1)
        return plain

    def _unknown(self, value: object, name: str) -> DTypeError:
        kind = type(value)
        return DTypeError(
            f"{self._where(name)} holds {quoted(value)}, of type {kind.__module__}.{kind.__qualname__}; a "
            "document holds texts, numbers, Booleans, dates, objects and lists, so convert this value to one "
            "of them"
        )

    def _where(self, name: str) -> str:
        key = f", key {quoted(name)}" if name else ""
        return f"column {self.column!r}, document {self._document!r}{key}"

    def _whole(self, text: str) -> str:
        """Return a text in which halves of surrogate pairs, which are no characters, are replaced."""
        text = str.__str__(text)  # also of a subclass, such as an enumeration
        if not _HALF.search(text):
            return text
        whole = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        self._note_halves("\ufffd" in whole)
        return whole

    def _note_halves(self, halves: object) -> None:
        if halves and self.halves[-1:] != [self._document]:
            self.halves.append(self._document)


def _parsed(text: str) -> Any:
    try:
        return strict_json.parse(text)
    except ValueError as error:
        if strict_json.is_of_python(text):
            raise ValueError(
                f"{error}; Python printed this text: `json.dumps(ast.literal_eval(text))` makes JSON of it"
            ) from None
        raise


def _of_python(value: np.generic) -> Any:
    """Return a scalar of NumPy as one of Python, with the digits that it has."""
    if isinstance(value, np.floating):
        return float(str(value))
    if isinstance(value, np.datetime64) and np.datetime_data(value)[0] != "D":
        seconds = value.astype("datetime64[us]")
        return seconds.item() if seconds == value else value
    return value.item()


def _written_number(value: float | Decimal) -> str:
    if isinstance(value, Decimal):
        return format(value, "f")
    return json.dumps(float(value)) if isinstance(value, float) else str(int(value))


def _finite(number: str, name: str) -> Number:
    if number.lstrip("-") == "Infinity":
        raise ValueError(f"field {quoted(name)} is {number}, which is not a JSON number; write null")
    return Number(number)
