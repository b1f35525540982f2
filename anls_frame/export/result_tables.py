"""Tables of results, whose columns have the same kinds and headings in all results."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import polars as pl

from anls_frame.export.column_headings import headings
from anls_frame.export.columns import COLUMNS, MARKS, Column, kind_of
from anls_frame.export.display import shown_as
from anls_frame.export.document import Table
from anls_frame.export.row_names import ROWS, Names


def result_table(
    name: str,
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    own: Mapping[str, Column] = MappingProxyType({}),
    *,
    known: Mapping[str, Column] = COLUMNS,
    shown: Iterable[str] | None = None,
    names: Names = ROWS,
    percent: bool = False,
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
    shown
        The columns that people see; by default, all but those that are shown as marks.
    names
        The names for rows.
    percent
        Whether scores, rates and differences are shown in per cent.
    options
        Other attributes of the table.
    """
    columns = {**known, **own}
    kinds = {column: "key" if column in by else kind_of(column, columns) for column in frame.columns}
    shown = [column for column in frame.columns if column not in MARKS] if shown is None else shown
    given = {column.name: column.heading for column in own.values() if column.heading}
    return Table(
        name,
        frame,
        {column: shown_as(kind, percent=percent) for column, kind in kinds.items() if kind is not None},
        columns=columns,
        headings=headings(shown, {**given, **{column: column for column in by}}, known, names),
        names=names,
        **options,
    )
