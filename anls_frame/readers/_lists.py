"""Lists in table cells: a list, JSON, what Python or numpy print for one, or one text."""

from __future__ import annotations

import ast
import io
import re
import tokenize
import warnings
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.readers import _json
from anls_frame.readers._json import Number, kind
from anls_frame.readers._problems import shown

if TYPE_CHECKING:
    from collections.abc import Callable

    from anls_frame.readers._problems import Problems
    from anls_frame.readers._raw import Column

_LIST = pl.List(pl.String)
_ARRAY = re.compile(r"^array\((?P<list>\[.*\])(,\s*dtype=[\w'<>=]+)?\)$", re.DOTALL)
_NEIGHBOURS = re.compile(r"""['"]\s+[rbuRBU]?['"]""")
_DEEPEST = 50


class _NoListError(ValueError):
    pass


def lists(name: str, column: Column, problems: Problems, place: Callable[[int], str]) -> pl.Series:
    """
    Return a column as lists of texts.

    A text that starts and ends as a list does is read as JSON, as Python's or as numpy's way to print one.
    What only looks like one (`[illegible]`) is one text; a list that is cut or damaged is a problem.
    """
    if isinstance(column, pl.Series):
        dtype = column.dtype
        if isinstance(dtype, pl.List | pl.Array):
            inner = dtype.inner
            if inner == pl.String or inner in (pl.Null, pl.Categorical, pl.Enum) or inner.is_integer():
                return column.cast(_LIST).alias(name)
        elif dtype.is_integer() or dtype in (pl.Null, pl.Categorical, pl.Enum):
            column = column.cast(pl.String)
        if column.dtype != pl.String:
            problems.add(f"column {name!r} holds {dtype}; a text or a list of texts is due")
            return pl.Series(name, [None] * len(column), dtype=_LIST)
        # Most columns hold plain texts: only cells that may be lists are looked at one by one.
        trimmed = column.str.strip_chars()
        special = trimmed.str.starts_with("[") | trimmed.str.starts_with("array(")
        if not special.any():
            return column.to_frame(name).select(
                pl.when(pl.col(name).is_not_null()).then(pl.concat_list(name)).alias(name)
            )[name]
        column = column.to_list()
    found: list[list[str | None] | None] = []
    with warnings.catch_warnings():
        # Of escapes in Python texts that will be errors one day.
        warnings.simplefilter("ignore")
        for index, value in enumerate(column):
            try:
                found.append(entries(value))
            except _NoListError as error:
                problems.add(f"{name!r} {error}", place(index))
                found.append(None)
    return pl.Series(name, found, dtype=_LIST)


def entries(value: Any) -> list[str | None] | None:
    """Return the texts of a cell, None for null."""
    if value is None or (isinstance(value, Number) and value == "NaN"):
        return None
    if isinstance(value, Number):
        return [str(value)]
    if isinstance(value, list | tuple):
        return [_entry(one) for one in value]
    if not isinstance(value, str):
        raise _NoListError(f"is no list of texts, but {kind(value)}")
    text = value.strip()
    array = _ARRAY.match(text)
    if array is not None:
        text = array["list"]
    if not text.startswith("["):
        return [value]
    listed = _parsed(text) if text.endswith("]") else None
    if listed is not None:
        return [_entry(one) for one in listed]
    if text[1:].lstrip().startswith(("'", '"')):
        raise _NoListError(f"looks like a list and cannot be read as one: {shown(value)}")
    return [value]


def _parsed(text: str) -> list[Any] | None:
    """Return the list that a text stands for, None if for none."""
    try:
        value = _json.parse(text)
    except ValueError:
        if text[:_DEEPEST] == "[" * _DEEPEST:
            raise _NoListError("holds lists within lists, too many to be read") from None
        if _NEIGHBOURS.search(text):
            strings = _without_commas(text)
            if strings is not None:
                return strings
        try:
            value = ast.literal_eval(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
            return None
    return value if isinstance(value, list) else None


def _without_commas(text: str) -> list[Any] | None:
    """Return the texts that numpy prints, which Python would take for one: `['a' 'b']`."""
    try:
        tokens = list(tokenize.generate_tokens(io.StringIO(text).readline))
    except (tokenize.TokenError, SyntaxError):
        return None
    meant = [token for token in tokens if token.string.strip()]
    inner = meant[1:-1]
    if len(inner) < 2 or any(token.type != tokenize.STRING for token in inner):  # noqa: PLR2004
        return None
    try:
        return [ast.literal_eval(token.string) for token in inner]
    except (ValueError, SyntaxError):
        return None


def _entry(value: Any) -> str | None:
    if value is None or (isinstance(value, Number) and value == "NaN"):
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, int | float) and not isinstance(value, bool):
        return repr(value)
    raise _NoListError(f"holds an entry that is no text, but {kind(value)}")
