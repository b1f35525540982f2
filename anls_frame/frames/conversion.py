"""Conversion of frames to Polars and back; the only module that tells Polars, pandas and Arrow apart."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import polars.selectors as cs

from anls_frame._arguments import check_names, type_name
from anls_frame.exceptions import ColumnNotFoundError
from anls_frame.frames import origins
from anls_frame.frames.answer_texts import warn_of_answers, watched
from anls_frame.frames.checks import check_columns, check_texts
from anls_frame.protocol import ScoreProtocol

if TYPE_CHECKING:
    import pandas as pd

_ROW = "__anls_frame_row"


def at_hand(frame: Any) -> Any:
    """Return a Polars or pandas frame unchanged, any other frame (even a stream) and a Dataset as a Table."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame
    if is_pandas(frame):
        if not hasattr(frame.columns, "levels"):
            return frame
    elif type_name(frame) == "datasets.Dataset":  # of Hugging Face, mapped into memory
        return frame.with_format("arrow")[:]
    elif hasattr(frame, "__arrow_c_stream__"):
        from anls_frame.frames import from_arrow  # noqa: PLC0415 - imports pyarrow

        table = from_arrow.to_table(frame)
        if table is not None:
            return table
    raise TypeError(
        "frame must be a Polars DataFrame or LazyFrame, a pandas DataFrame or an object with the Arrow "
        f"PyCapsule interface, got {type_name(frame)}{way_to_frame(frame)}"
    )


def way_to_frame(value: Any) -> str:
    """Return the end of a message: how to make a frame of what people pass in its place."""
    if is_pandas(value):
        return (
            " with several levels of column names; flatten them first, as with "
            "`frame.set_axis(['_'.join(filter(None, map(str, name))) for name in frame.columns], axis=1)`"
        )
    if isinstance(value, str | os.PathLike):
        return f"; read the file first, with `anls_frame.read_results({str(value)!r})`"
    if isinstance(value, list | dict) and not type_name(value).startswith("datasets."):
        return "; make one of it, with `polars.DataFrame(...)` or `pandas.DataFrame(...)`"
    return ""


def to_lazy(
    frame: Any,
    texts: Sequence[str],
    others: Sequence[str],
    *,
    answers: str | None = None,
    protocol: ScoreProtocol | None = None,
) -> pl.LazyFrame:
    """
    Return columns of a Polars, pandas or Arrow frame; nothing else is converted.

    `texts` must hold strings or lists of strings; this function checks what Polars cannot check afterwards.
    `others` (keys, clusters, scores) may have any type; in pandas, they may be levels of the index. A warning
    is given if texts in the column `answers`, one of `texts`, look like several answers each, or like objects
    that the protocol scores as texts. For a query, the warning comes while it runs.
    """
    frame = at_hand(frame)
    check_names((*texts, *others))
    texts = list(dict.fromkeys(texts))
    others = [name for name in dict.fromkeys(others) if name not in texts]
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        names = (*texts, *others)
        schema = frame.collect_schema()
        check_columns(schema, names, names)
        # A query is not run for a message.
        rows = frame if isinstance(frame, pl.DataFrame) else schema.to_frame()
        check_texts(rows.get_column(name) for name in texts)
    else:
        _check_levels(frame, others)
        frame = to_polars(frame, texts, others)
    lazy: pl.LazyFrame = frame.lazy().select(cs.by_name(*texts, *others))
    if answers is None:
        return lazy
    if isinstance(frame, pl.LazyFrame):
        return watched(lazy, answers, protocol)
    warn_of_answers(frame.get_column(answers), protocol)
    return lazy


def to_polars(frame: Any, texts: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """Return columns of a pandas frame or an Arrow table, as `to_lazy` does."""
    check_text_levels(frame, texts)
    columns: pl.DataFrame = _side(frame).to_polars(frame, texts, others)
    return columns


def in_polars(frame: Any, wanted: Iterable[str] | None = None) -> pl.DataFrame | pl.LazyFrame:
    """
    Return a Polars frame unchanged, or the requested columns of any other frame.

    If a requested column is missing, it may be a pattern, so all columns are returned.
    """
    frame = at_hand(frame)
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return frame
    names = [name for name in column_names(frame) if isinstance(name, str)]
    if is_pandas(frame) and wanted is not None:
        _check_levels(frame, wanted)
        names += [name for name in frame.index.names if name in set(wanted) - set(names)]
    if wanted is not None and set(wanted) <= set(names):
        names = list(dict.fromkeys(wanted))
    return to_polars(frame, (), names)


def column_names(frame: Any) -> list[Any]:
    """Return the names of a frame's columns."""
    if isinstance(frame, pl.LazyFrame):
        return frame.collect_schema().names()
    return list(frame.columns if isinstance(frame, pl.DataFrame) or is_pandas(frame) else frame.column_names)


def in_memory(frame: Any) -> Any:
    """Return a pandas frame unchanged, and others collected in Polars, as queries may change their order."""
    frame = at_hand(frame)
    return frame if is_pandas(frame) else in_polars(frame).lazy().collect()


def with_columns(frame: Any, columns: pl.DataFrame) -> Any:
    """Return a pandas frame or an Arrow table with new columns, which replace those of the same names."""
    return origins.remember(_side(frame).with_columns(frame, columns), **origins.of_rows(frame))


def with_columns_like(given: Any, frame: Any, columns: pl.DataFrame) -> Any:
    """Return a frame that `in_memory` made of a given one, with new columns, as a frame of the same kind."""
    if is_pandas(frame):
        return with_columns(frame, columns)
    return origins.remember(as_kind_of(given, frame.with_columns(columns)), **origins.of_rows(given))


def attach(frame: Any, rows: pl.Series, columns: pl.DataFrame) -> Any:
    """Return rows of a frame by number, with new columns, which replace those of the same names."""
    picked = rows_at(frame, rows)
    if not is_pandas(frame):
        return as_kind_of(frame, picked.with_columns(columns))
    for name, column in to_pandas(columns).items():
        # A slice by an index level is there already.
        if name not in picked.index.names:
            picked[name] = column.array
    return picked


def rows_at(frame: Any, rows: pl.Series) -> Any:
    """Return rows of a frame by number; rows of an Arrow frame become a Polars frame."""
    if is_pandas(frame):
        return frame.iloc[rows.to_numpy()].copy()
    if not isinstance(frame, pl.LazyFrame):
        return in_memory(frame)[rows]
    # Only the requested rows are loaded into memory.
    kept = frame.with_row_index(_ROW).filter(pl.col(_ROW).is_in(rows.unique().sort().implode()))
    wanted = kept.collect(engine="streaming")
    return rows.alias(_ROW).to_frame().join(wanted, on=_ROW, how="left", maintain_order="left").drop(_ROW)


def side_by_side(first: Any, second: Any, column: str, names: Sequence[str], matched: pl.DataFrame) -> Any:
    """
    Return rows of the first frame, with a column of the second frame next to its own, under two names.

    `matched` has the row numbers in both frames, `row` and `row_second`, and the column `prediction_second`.
    """
    rows = rows_at(first, matched["row"])
    index = list(rows.columns).index(column) + 1
    if not is_pandas(first):
        return rows.rename({column: names[0]}).insert_column(
            index, matched["prediction_second"].alias(names[1])
        )
    # A pandas frame keeps its index and dtypes.
    values = to_pandas(matched.select("prediction_second"))["prediction_second"]
    if is_pandas(second):
        values = second[column].iloc[matched["row_second"].to_numpy()]
    rows = rows.rename(columns={column: names[0]})
    rows.insert(index, names[1], values.array)
    return rows


def as_kind_of(frame: Any, table: pl.DataFrame, *, index: bool = False) -> Any:
    """Return a table as a frame of the same kind; `index` keeps the index of a pandas frame."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return table
    if not is_pandas(frame):
        return table.to_arrow()
    return to_pandas(table).set_axis(frame.index) if index else to_pandas(table)


def to_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """Return a table as a pandas frame with the dtypes that a pandas user expects."""
    from anls_frame.frames import from_pandas  # noqa: PLC0415 - imports pandas

    return from_pandas.to_pandas(table)


def check_text_levels(frame: Any, texts: Sequence[str]) -> None:
    """Raise an error if a name of texts refers to a level of the index of pandas alone."""
    for name in texts if is_pandas(frame) else ():
        if name in frame.index.names and name not in frame.columns:
            raise ColumnNotFoundError(
                f"{name!r} is a level of the index, and texts must be columns; pass "
                f"`frame.reset_index({name!r})`"
            )


def _check_levels(frame: Any, names: Iterable[str]) -> None:
    """Raise an error if a name refers to both a column and an index level of pandas, as pandas does."""
    for name in names if is_pandas(frame) else ():
        if name in frame.columns and name in frame.index.names:
            raise ValueError(
                f"{name!r} is both an index level and a column, which is ambiguous; rename one of them, as "
                f"with `.rename_axis(index={{{name!r}: 'other'}})`"
            )


def is_pandas(value: Any, kind: Literal["DataFrame", "Series"] = "DataFrame") -> bool:
    """Whether the value is a pandas DataFrame or Series; pandas is not imported for this check."""
    if sys.modules.get("pandas") is None:
        return False
    import pandas as pd  # noqa: PLC0415 - already loaded here, but not for every user

    return isinstance(value, getattr(pd, kind))


def _side(frame: Any) -> Any:
    """Return the module for pandas frames or Arrow tables; both have `to_polars` and `with_columns`."""
    if is_pandas(frame):
        from anls_frame.frames import from_pandas  # noqa: PLC0415 - imports pandas

        return from_pandas
    from anls_frame.frames import from_arrow  # noqa: PLC0415 - imports pyarrow

    return from_arrow
