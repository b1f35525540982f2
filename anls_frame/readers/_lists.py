"""Lists in table cells: lists, JSON, lists printed by Python or numpy, or single strings."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import polars as pl

from anls_frame._text import quoted
from anls_frame.exceptions import warn
from anls_frame.frames import answer_texts
from anls_frame.frames.answer_lists import (
    NotAListError,
    as_lists,
    check_answers_format,
    entry,
    may_be_lists,
    parsed,
)
from anls_frame.frames.strict_json import Number, kind
from anls_frame.readers import _json, _raw
from anls_frame.readers._problems import Advice, Problems
from anls_frame.readers._raw import Column, Raw

_LIST = pl.List(pl.String)
_NEVER_LISTS = frozenset({"reference", "transcription", "gt", "text"})
"""Names of columns that imply one string per row."""


def check_format(answers_format: str) -> None:
    """Raise an error unless this is a valid `answers_format` of a file."""
    check_answers_format(answers_format, ("auto", "text", "list"))


def answers(raw: Raw, source: str, problems: Problems, answers_format: str) -> pl.Series:
    """
    Return the column of the answers as lists of strings.

    "text" reads each string as a single answer, "list" parses each string that is a printed list, and a
    separator also splits all other strings. "auto" parses printed lists only if the file's format has no
    lists, the column is not called reference, transcription, gt or text, and every non-empty cell is a
    printed list.
    """
    name, column = "answers", raw.column(source)
    if answers_format not in ("auto", "text"):
        return lists(name, column, problems, raw.place, answers_format)
    if answers_format == "auto" and not raw.typed and isinstance(column, pl.Series):
        is_text = source.casefold().strip() in _NEVER_LISTS
        entries = None if is_text else _every(name, column, problems, raw.place)
        if entries is not None:
            return entries
    if answers_format == "auto":
        _warn_of_texts(source, column, problems, raw)
    return lists(name, column, problems, raw.place, "text")


def lists(
    name: str,
    column: Column,
    problems: Problems,
    place: Callable[[int], str],
    answers_format: str = "list",
) -> pl.Series:
    """Return a column as lists of strings, parsed as `parse_answers` does; a damaged list is a problem."""
    if isinstance(column, _json.JsonColumn) and column.holds_lists:
        column = column.lists()
    if isinstance(column, pl.Series):
        column = _typed(name, column, problems)
        if column.dtype == pl.String:
            column = _from_texts(name, column, problems, place, answers_format)
        return column.alias(name)
    texts = pl.Series([value if type(value) is str else None for value in column], dtype=pl.String)
    from_texts = _from_texts(name, texts, problems, place, answers_format).to_list()
    entries: list[Sequence[str | None] | None] = []
    for index, (value, from_text) in enumerate(zip(column, from_texts, strict=True)):
        try:
            entries.append(from_text if type(value) is str else _entries(value))
        except NotAListError as error:
            problems.add(f"{name!r} {error}", place(index))
            entries.append(None)
    return as_lists(name, entries)


def _typed(name: str, column: pl.Series, problems: Problems) -> pl.Series:
    """Return a column as strings or as lists of strings."""
    dtype = column.dtype
    if _raw.is_text(dtype):
        return column.cast(pl.String)
    if isinstance(dtype, pl.List | pl.Array) and _raw.is_text(dtype.inner):
        return column.cast(_LIST)
    problems.add(f"column {name!r} must hold strings or lists of strings, got {dtype}")
    return pl.Series([None] * len(column), dtype=_LIST)


def _from_texts(
    name: str, texts: pl.Series, problems: Problems, place: Callable[[int], str], answers_format: str
) -> pl.Series:
    entries, damaged = parsed(texts, answers_format)
    for index, message in damaged.items():
        problems.add(f"{name!r} {message}", place(index))
    return entries


def _every(name: str, column: pl.Series, problems: Problems, place: Callable[[int], str]) -> pl.Series | None:
    """Return a column of printed lists as lists; None if a cell is not a printed list, or all are empty."""
    filled = column.str.strip_chars()
    shaped = may_be_lists(column)
    if not (shaped | (filled == "")).all() or not shaped.any():
        return None
    entries, damaged = parsed(column, "list")
    read = pl.DataFrame([filled.alias("text"), entries.alias("entries")])
    # A value that is not a list becomes a list of one.
    alone = (pl.col("entries").list.len() == 1) & (pl.col("entries").list.first() == pl.col("text"))
    if read.select((alone & (pl.col("text") != "")).any()).item():
        return None
    for index, message in damaged.items():
        problems.add(f"{name!r} {message}; if it is one string, pass answers_format='text'", place(index))
    return entries.alias(name)


def _warn_of_texts(source: str, column: Column, problems: Problems, raw: Raw) -> None:
    """Warn if strings read as single answers look like several answers."""
    if isinstance(column, _json.JsonColumn) and column.holds_lists:
        return
    if not isinstance(column, pl.Series):
        column = pl.Series([value if type(value) is str else None for value in column], dtype=pl.String)
    several = answer_texts.several_answers(column) if column.dtype == pl.String else None
    if several is None:
        return
    separator, index, other = several
    beside = "" if other is None else f", but not {quoted(column[other])} ({raw.place(other)})"
    what = "look like lists" if separator is None else f"hold {separator!r}"
    warn(
        Advice(
            f"{problems.path}: column {source!r} holds texts that {what}, as {quoted(column[index])} "
            f"({raw.place(index)}){beside}; each counts as one text. Pass "
            f"answers_format={separator or 'list'!r} to read them as lists, or answers_format='text' if they "
            "are texts"
        )
    )


def _entries(value: Any) -> Sequence[str | None] | None:
    """Return the strings of a cell that is not text, None for null."""
    if type(value) is list:
        return [entry(item) for item in value]
    if value is None or (isinstance(value, Number) and value == "NaN"):
        return None
    if isinstance(value, str):  # a number
        return [str(value)]
    raise NotAListError(f"must be a list of strings, got {kind(value)}")
