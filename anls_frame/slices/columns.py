"""Columns encoded as small integers for values, entries of lists and bins of numbers, with conditions."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Literal

import numpy as np
import polars as pl

from anls_frame._text import visible
from anls_frame.slices.plan import SliceSearch
from anls_frame.slices.slices_document import ONE_VALUE
from anls_frame.statistics.arrays import FloatArray, IndexArray
from anls_frame.statistics.codes import Codes

_TEXTS = {f"length of the {text}": text for text in ("prediction", "question")}
"""Features that are missing where their text is."""

FEW_NUMBERS = 10
"""A column with at most this number of different numbers has a slice for each; others are cut into bins."""


@dataclass(frozen=True)
class Condition:
    """A condition on one column."""

    column: str
    kind: Literal["equals", "contains", "is missing", "between"]
    value: Any = None
    low: Any = None
    """Values are above `low`; None for an open end."""
    high: Any = None
    """Values are at most `high`; None for an open end."""
    is_list: bool = False

    def __str__(self) -> str:
        name = visible(self.column)
        if self.kind == "is missing":
            return f"{_TEXTS.get(name, name)} is missing"
        if self.kind != "between":
            return f"{name} {'has' if self.kind == 'contains' else '='} {_shown(self.value)}"
        if self.low is None:
            return f"{name} ≤ {_shown(self.high)}"
        if self.high is None:
            return f"{name} > {_shown(self.low)}"
        return f"{_shown(self.low)} < {name} ≤ {_shown(self.high)}"

    def expression(self, column: pl.Expr, dtype: pl.DataType) -> pl.Expr:
        """Return which rows meet the condition, never null, for a column of this dtype."""
        if isinstance(dtype, pl.Array):
            column = column.arr.to_list()
        if self.kind == "is missing":
            if self.is_list:
                return column.list.drop_nulls().list.len().fill_null(0) == 0
            return (column.is_null() | column.is_nan()) if dtype.is_float() else column.is_null()
        if self.kind == "contains":
            inner = getattr(dtype, "inner", None)
            entries = column.cast(pl.List(pl.String)) if isinstance(inner, _CATEGORIES) else column
            return entries.list.contains(pl.lit(self.value)).fill_null(value=False)
        if isinstance(dtype, _CATEGORIES):
            column = column.cast(pl.String)
        if dtype.is_float():
            column = column.fill_nan(None)
        if self.kind == "equals":
            return (column == pl.lit(self.value)).fill_null(value=False)
        bounds = [] if self.low is None else [column > pl.lit(self.low)]
        bounds += [] if self.high is None else [column <= pl.lit(self.high)]
        return pl.all_horizontal(bounds).fill_null(value=False)


_CATEGORIES = (pl.Categorical, pl.Enum)
_ORDERED = (pl.Date, pl.Datetime, pl.Time, pl.Duration)


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dt.timedelta):
        # As reports write it, without the comma of "1 day, 0:00:00".
        return str(pl.Series([value]).dt.to_string("iso")[0])
    text = visible(str(value))
    # A text that reads like a word of the description is in quotes.
    return f'"{text}"' if text in ("", "missing", "true", "false") and isinstance(value, str) else text


@dataclass(frozen=True)
class SliceColumn:
    """An encoded column: a code for each row, and the condition that each code represents."""

    name: str
    dtype: pl.DataType
    codes: Codes
    conditions: Sequence[Condition]


def coded(
    frame: pl.DataFrame,
    names: Sequence[str],
    search: SliceSearch,
    counts: FloatArray | None = None,
) -> tuple[list[SliceColumn], dict[str, str]]:
    """
    Return the encoded columns, and the reasons for columns that cannot slice rows.

    Parameters
    ----------
    frame
        The rows.
    names
        Names of the columns.
    search
        The settings for bins and for the maximum number of values.
    counts
        Number of rows that each line represents; by default one.
    """
    columns, left_out = [], {}
    for name in names:
        # Polars takes some names for patterns.
        column = _coded(name, frame[name].alias("value"), search, counts)
        if isinstance(column, SliceColumn):
            columns.append(column)
        else:
            left_out[name] = column
    return columns, left_out


def _coded(name: str, values: pl.Series, search: SliceSearch, counts: FloatArray | None) -> SliceColumn | str:
    dtype = values.dtype
    is_list = isinstance(dtype, pl.List | pl.Array)
    if isinstance(dtype, pl.Array):
        values = values.arr.to_list()
    inner = getattr(dtype, "inner", dtype) if is_list else dtype
    if inner.is_nested() or inner in (pl.Binary, pl.Object, pl.Null, pl.Unknown):
        return f"its dtype {dtype} has no values to slice by"
    rows = None
    if is_list:
        entries = pl.DataFrame(
            {"row": np.arange(len(values)), "value": values.list.unique(maintain_order=True)}
        )
        entries = entries.explode("value", empty_as_null=True, keep_nulls=True)
        # Null, an empty list and a list of nulls are missing; a null among other entries is ignored.
        is_alone = pl.col("value").is_not_null() | ~pl.col("value").is_not_null().any().over("row")
        entries = entries.filter(is_alone).unique(maintain_order=True)
        rows, values = entries["row"].to_numpy().astype(np.intp), entries["value"]
    if isinstance(inner, _CATEGORIES):
        values = values.cast(pl.String)
    if inner.is_float():
        values = values.fill_nan(None)
    distinct = values.drop_nulls().unique().sort()
    is_number = (inner.is_numeric() or isinstance(inner, _ORDERED)) and not is_list
    if is_number and len(distinct) > FEW_NUMBERS:
        codes, conditions = _binned(name, values, search.bins, counts)
    elif len(distinct) > search.max_values:
        return f"it has {len(distinct):,} values, more than {search.max_values:,}"
    else:
        codes_of = pl.DataFrame({"value": distinct, "code": np.arange(len(distinct))})
        joined = values.to_frame().join(codes_of, on="value", how="left", maintain_order="left")
        codes = joined["code"].fill_null(len(distinct)).to_numpy().astype(np.intp)
        kind: Literal["contains", "equals"] = "contains" if is_list else "equals"
        conditions = [Condition(name, kind, value) for value in distinct.to_list()]
    if values.null_count():
        conditions.append(Condition(name, "is missing", is_list=is_list))
    if len(conditions) < 2 and not is_list:  # noqa: PLR2004
        return ONE_VALUE
    return SliceColumn(name, dtype, Codes(codes, len(conditions), rows), conditions)


def _binned(
    name: str, values: pl.Series, bins: int, counts: FloatArray | None
) -> tuple[IndexArray, list[Condition]]:
    """Cut numbers at their quantiles, which are values of the column; nulls get the code after the last."""
    table = pl.DataFrame({"value": values, "rows": np.ones(len(values)) if counts is None else counts})
    table = table.drop_nulls("value").sort("value")
    known, ends_of_lines = table["value"], table["rows"].cum_sum().to_numpy()
    positions = np.searchsorted(ends_of_lines, np.ceil(np.arange(1, bins) * ends_of_lines[-1] / bins))
    # No bin above the largest value.
    ends = known.gather(positions).unique().sort()
    ends = ends.filter(ends < known[-1])
    codes = np.full(len(values), len(ends) + 1, np.intp)
    has_value = values.is_not_null().to_numpy()
    codes[has_value] = ends.search_sorted(values.drop_nulls(), side="left").to_numpy()
    bounds = [None, *ends.to_list(), None]
    pairs = pairwise(bounds)
    return codes, [Condition(name, "between", low=low, high=high) for low, high in pairs]
