"""Tables of results, whose columns have the same kinds and headings in all results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

import polars as pl

from anls_frame.export.columns import COLUMNS, MARKS, Column, by_name
from anls_frame.export.document import Table


def result_table(
    name: str,
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    own: Mapping[str, Column] = MappingProxyType({}),
    *,
    known: Mapping[str, Column] = COLUMNS,
    **options: Any,
) -> Table:
    """
    Return a table of a result, with the keys `by`.

    Parameters
    ----------
    own
        Columns that this table alone has, or that say something else in it. Their headings are kept even if
        another column has the same.
    known
        The columns of the result.
    options
        Other attributes of the table.
    """
    keys = by_name(Column(column, kind="key", heading=column) for column in by)
    # Marks are shown on other columns.
    options.setdefault("shown", [column for column in frame.columns if column not in MARKS])
    return Table(name, frame, {**known, **own, **keys}, **options)
