"""Columns as stored in a page: sorted distinct values, and a code for each row."""

from __future__ import annotations

import base64
import gzip
import json
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import polars as pl

from anls_frame.export.values import as_text, is_number, plain_frame

_LEVEL = 6
"""Of compression: the highest takes twice as long for one part in a hundred."""

_LARGEST_INTEGER = 2**53
"""Scripts of a page have no whole numbers beyond it."""


@dataclass
class Packed:
    """
    Columns of a page, in parts that its script unpacks: JSON, compressed with gzip, in base64.

    A column is a list of codes, one for each row, and a pool of values, which several columns may share. Code
    0 is null, and code n is the n-th value of the pool. Values are sorted, so that rows can be sorted,
    counted and searched by code.

    Attributes
    ----------
    columns
        For each column, by name: the parts with its codes and its pool, and whether it holds lists.
    parts
        The parts with their numbers, in order. Non-decreasing numbers are stored as differences.
    """

    columns: dict[str, dict[str, Any]] = field(default_factory=dict)
    parts: dict[str, int] = field(default_factory=dict)

    def add(self, columns: pl.DataFrame, order: Sequence[str] | None = None) -> None:
        """Add columns that share a pool; `order` gives its values if they have their own order."""
        plain = plain_frame(columns, "rows")
        held = {column.name: _values(column) for column in plain}
        # A list of a column is a list here; in a list, values that are lists are texts.
        distinct = set[Any]()
        for value in chain.from_iterable(held.values()):
            distinct.update(value if isinstance(value, list) else [value])
        # Numbers come first; texts are sorted regardless of case.
        keys = {
            entry: (1, entry.lower(), entry) if isinstance(entry, str) else (0, entry)
            for entry in distinct - {None}
        }
        ordered = sorted(keys, key=keys.__getitem__) if order is None else list(order)
        codes_of = {value: code for code, value in enumerate(ordered, start=1)}
        codes_of[None] = 0
        pool = self._part(ordered)
        for name, values in held.items():
            is_list = isinstance(plain.schema[name], pl.List)
            codes = [
                [codes_of[entry] for entry in value] if isinstance(value, list) else codes_of[value]
                for value in values
            ]
            self.columns[name] = {"codes": self._part(codes), "pool": pool, "lists": is_list}

    def _part(self, content: list[Any]) -> int:
        """Return the number of the part with this content, which is stored once."""
        # Numbers that rise, such as row numbers, are shorter as differences.
        is_rising = all(type(entry) is int for entry in content) and content == sorted(content)
        held = {"steps": list(map(operator.sub, content, [0, *content]))} if is_rising else content
        text = json.dumps(held, ensure_ascii=False, separators=(",", ":"))
        part = base64.b64encode(gzip.compress(text.encode(), _LEVEL, mtime=0)).decode()
        return self.parts.setdefault(part, len(self.parts))


def _values(column: pl.Series) -> list[Any]:
    values = column.to_list()
    # Most columns are texts, and examining each takes as long as compressing them.
    return values if column.dtype in (pl.String, pl.List(pl.String)) else list(map(plain_value, values))


def plain_value(value: Any) -> Any:
    """Return a value of a plain frame as stored in the page: a text, or a number that scripts can hold."""
    if isinstance(value, list):
        return [None if entry is None else _scalar(entry) for entry in value]
    return None if value is None else _scalar(value)


def _scalar(value: Any) -> Any:
    if isinstance(value, str):
        return value
    if is_number(value) and math.isfinite(value) and abs(value) <= _LARGEST_INTEGER:
        # Equal numbers are one value, and scripts do not distinguish a negative zero of JSON.
        return value or 0
    return as_text(value)
