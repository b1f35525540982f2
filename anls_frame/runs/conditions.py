"""Rows for which an expression of SQL is true."""

from __future__ import annotations

import re
from collections.abc import Collection
from itertools import chain, combinations

import polars as pl
import polars.selectors as cs

from anls_frame._messages import wrong
from anls_frame.files.standard_frames import Rows
from anls_frame.frames import origins
from anls_frame.frames.checks import no_column

_TEXTS = "__anls_frame_texts"
_NAMES = re.compile(r"""('[^']*'|"[^"]*"|`[^`]*`)|\b([^\W\d]\w*(?:\.\w+)+)""")
"""What is in quotes, or the dotted name of an entry of objects."""


def condition(where: str) -> pl.Expr:
    """Return the condition as an expression; its dotted names are columns. An invalid one is an error."""
    in_quotes = _NAMES.sub(lambda found: found[1] or f'"{found[2]}"', where)
    try:
        return pl.sql_expr(in_quotes)
    except pl.exceptions.PolarsError as error:
        wanted = f"must be an expression of SQL, such as \"lang = 'de'\": {error}"
        raise wrong("where", wanted) from None


def columns_named_in(where: str | None) -> list[str]:
    """Return the columns that a condition names."""
    return [] if where is None else condition(where).meta.root_names()


def only_where(frame: Rows, where: str | None) -> Rows:
    """Return the rows for which the expression is true; all rows without an expression."""
    if where is None:
        return frame
    meant = condition(where)
    columns = frame.lazy().collect_schema().names()
    unknown = [name for name in meant.meta.root_names() if name not in columns]
    if unknown:
        raise wrong("where", "names ", no_column(unknown[0], columns))
    return _only(frame, meant)


def only_parts(frame: Rows, where: str, columns: Collection[str]) -> Rows:
    """Return the rows for which all parts joined by AND are true that name only some of the columns."""
    known = [part for part in _parts(condition(where)) if set(part.meta.root_names()) <= {*columns}]
    for part in known:
        frame = _only(frame, part)
    return frame


def _parts(meant: pl.Expr) -> list[pl.Expr]:
    """Return the conditions that AND joins."""
    inputs: list[pl.Expr] = meant.meta.pop()[::-1]
    if len(inputs) == 2 and inputs[0].and_(inputs[1]).meta.eq(meant):  # noqa: PLR2004 - of AND
        return [*_parts(inputs[0]), *_parts(inputs[1])]
    return [meant]


def _only(frame: Rows, meant: pl.Expr) -> Rows:
    """Return the rows for which the expression is true."""
    empty = frame.lazy().head(0).collect()
    # In text files, numbers are strings. As few columns as possible are read as numbers for the expression to
    # be valid.
    texts = [name for name in dict.fromkeys(meant.meta.root_names()) if empty.schema[name] == pl.String]
    for numbers in chain.from_iterable(combinations(texts, count) for count in range(1, len(texts) + 1)):
        if _fits(empty, meant):
            break
        values = [cs.by_name(name).as_expr().replace("", None).cast(pl.Float64) for name in numbers]
        if _fits(empty.with_columns(values), meant):
            as_numbers = frame.with_columns(pl.struct(cs.by_name(*numbers)).alias(_TEXTS), *values)
            rows = as_numbers.filter(meant).with_columns(pl.col(_TEXTS).struct.unnest()).drop(_TEXTS)
            return origins.like(rows, frame)
    return origins.like(frame.filter(meant), frame)


def _fits(empty: pl.DataFrame, meant: pl.Expr) -> bool:
    """Return whether an expression is valid for columns of these dtypes."""
    try:
        empty.filter(meant)
    except pl.exceptions.PolarsError:
        return False
    return True
