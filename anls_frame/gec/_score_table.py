"""Tables of scores, for frames of any kind."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import takes_names
from anls_frame._typing import table_of_frame
from anls_frame.exceptions import DuplicateColumnError
from anls_frame.frames.checks import check_columns
from anls_frame.frames.conversion import as_kind_of, in_polars
from anls_frame.summary.labels import check_slices


@table_of_frame
@takes_names
def scores(frame: Any, expression: pl.Expr, *, by: str | Sequence[str] | None = None) -> Any:
    """
    Return a table of scores of a frame, over all rows, by group, or by row.

    For a Polars frame, this is the same as ``select`` and ``group_by``; pandas frames have no expressions.

    Parameters
    ----------
    frame
        Polars, pandas or Arrow frame with the columns that the expression names.
    expression
        One of `m2_corpus`, `i_measure_corpus`, `errant_corpus`, `m2`, `m2_edits`, `i_measure`, `align3` and
        `errant`. The first three leave out rows without counts.
    by
        Column or columns to group by; the table has one row per group, in order of first appearance.

    Returns
    -------
    DataFrame
        A frame of the same kind as the input, in memory, with the columns of `by` and of the scores: one
        column per field of the result, or the result itself if it is a list. A pandas frame keeps the index
        if there is one result per row.

    Raises
    ------
    ColumnNotFoundError
        If a column of `by` is missing.
    DuplicateColumnError
        If a column of `by` has the name of a score field.
    ValueError
        If a column of `by` holds measurements, which would be a group each.
    TypeError
        If an argument has the wrong type.

    Warns
    -----
    InputWarning
        If a column of `by` holds texts with several labels, such as ``"essay;exam"``.

    Examples
    --------
    >>> import pandas as pd
    >>> from anls_frame import gec
    >>> edit = {"start": 1, "end": 2, "type": "SVA", "corrections": ["goes"], "annotator": 0}
    >>> df = pd.DataFrame(
    ...     {
    ...         "system": ["one", "two"],
    ...         "prediction": ["He goes .", "He gone ."],
    ...         "source": ["He go .", "He go ."],
    ...         "edits": [[edit], [edit]],
    ...     }
    ... )
    >>> corpus = gec.m2_corpus(gec.m2("prediction", "source", "edits"))
    >>> gec.scores(df, corpus, by="system")[["system", "tp", "fp", "f"]]
      system  tp  fp    f
    0    one   1   0  1.0
    1    two   0   1  0.0
    """
    if not isinstance(expression, pl.Expr):
        raise TypeError(f"`scores` takes an expression, as from `m2_corpus`, got {type(expression).__name__}")
    groups = list(dict.fromkeys([by] if isinstance(by, str) else by or ()))
    if any(not isinstance(group, str) for group in groups):
        raise TypeError(f"by must be the names of columns, got {groups}")
    source = in_polars(frame, [*groups, *expression.meta.root_names()])
    rows = source.lazy()
    names = rows.collect_schema().names()
    for group in groups:
        check_columns(names, [group])
    if groups:
        table = rows.group_by(cs.by_name(groups), maintain_order=True).agg(expression).collect()
        check_slices(table, groups, groups)
    else:
        table = rows.select(expression).collect()
    result = table.schema[table.columns[-1]]
    if isinstance(result, pl.Struct):
        clashing = [field.name for field in result.fields if field.name in groups]
        if clashing:
            raise DuplicateColumnError(f"the scores have a field {clashing[0]!r}; rename this column of by=")
        table = table.unnest(cs.last())
    if source is frame:
        return table
    is_of_rows = not groups and rows.head(0).select(expression).collect().is_empty()
    return as_kind_of(frame, table, index=is_of_rows)
