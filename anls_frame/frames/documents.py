"""Numbers of documents, and detection of documents in a frame for which no cluster is named."""

from __future__ import annotations

import re
import shlex
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message, Option, for_readers
from anls_frame._text import numbered
from anls_frame.frames.conversion import column_names, is_pandas, to_lazy
from anls_frame.frames.reserved_columns import DOCUMENT, QUESTION_ID

_LOOKED_AT = 100_000
"""Rows that are looked at: of many more, reading a column or starting a query would take too long."""
_PLAIN_WORD = re.compile("(?!doc)[a-z]{2,}[a-gi-rt-w]")
"""Names of columns that are a word whose plural ends in s alone, such as speaker."""


def forgotten(frame: Any, cluster: str | None) -> str | None:
    """Return a column that names documents or questions of several rows, if no cluster is named."""
    levels = frame.index.names if is_pandas(frame) else ()
    names = [name for name in (DOCUMENT, QUESTION_ID) if name in (*column_names(frame), *levels)]
    first = frame.slice(0, _LOOKED_AT) if hasattr(frame, "slice") else frame.head(_LOOKED_AT)
    for name in names if cluster is None else ():
        with suppress(ValueError, TypeError, pl.exceptions.PolarsError):
            # Without a cluster nobody asked for this column.
            rows = to_lazy(first, [], [name]).select(cs.by_name(name)).collect()
            ids = without_nan(rows.to_series()).drop_nulls()
            if ids.n_unique() < len(ids):
                return name
    return None


def counted(count: int, cluster: str) -> str:
    """Return the number of documents and what they are called: 24 speakers, 112 documents (doc_id)."""
    return numbered(count, noun(cluster)) + _column(cluster)


def called(cluster: str) -> str:
    """Return what the documents in a column are called: speakers, or documents (doc_id)."""
    return f"{noun(cluster)}s{_column(cluster)}"


def noun(cluster: str | None) -> str:
    """Return the word for a document in a column: the column if it is a word, such as speaker."""
    return cluster if cluster is not None and _PLAIN_WORD.fullmatch(cluster) else "document"


def _column(cluster: str) -> str:
    """Return what follows the word: the column, unless the column is the word."""
    return "" if noun(cluster) == cluster else f" ({cluster})"


def note(column: str | None, row: str = "row") -> list[str]:
    """Return the note on such a column, if there is one, in which rows are called by their noun."""
    if column is None:
        return []
    what = "Questions" if column == QUESTION_ID else "Documents"
    text = (
        f"{what} have several {row}s ({column}), but intervals and p-values treat {row}s as "
        "independent, so they are too narrow and too small. Pass "
    )
    return [Message(text, for_readers(str(Option("cluster", column)), f"-c {shlex.quote(column)}"), ".")]


def without_nan(documents: pl.Series) -> pl.Series:
    """Return documents with null in place of NaN, which names no document either."""
    return documents.fill_nan(None) if documents.dtype.is_float() else documents


def numbers(documents: pl.Series | None, height: int) -> npt.NDArray[np.intp]:
    """Return the number of the document of each row, or of the row itself."""
    if documents is None:
        return np.arange(height)
    # Polars takes some names for patterns, and categories are sorted by the order of the rows.
    names = without_nan(documents).alias("name")
    if isinstance(names.dtype, pl.Categorical):
        names = names.cast(pl.String)
    numbered = names.drop_nulls().unique().sort().to_frame().with_row_index("number", offset=1)
    joined = names.to_frame().join(numbered, on="name", how="left", maintain_order="left")["number"]
    return joined.fill_null(0).to_numpy().astype(np.intp)
