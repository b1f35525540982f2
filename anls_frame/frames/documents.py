"""Numbers of documents, and detection of documents in a frame for which no cluster is named."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message, Option, for_readers
from anls_frame._text import numbered
from anls_frame.frames import usual_names
from anls_frame.frames.conversion import column_names, in_polars, is_pandas

_TEXTS = (pl.String, pl.Categorical, pl.Enum)
_FEW, _LOOKED_AT = 10, 2_000
"""Rows that are looked at: of more, the note would take more than a hundredth of the report's time."""
_READS_ON = re.compile(r"(?m)^(?! *(\[|$|SLICE:|(DF|EST\w+|PROJECT|SELECT|WITH_COLUMNS|simple|\w+ SCAN)\b))")
"""Line of a plan for the first rows of a query that reads others, too, as a filter, a sort or a join does."""
_UNREADABLE = (ValueError, TypeError, pl.exceptions.PolarsError)
_PAGE_NUMBER = r"\A\d{1,4}(\.0)?\z"
_PLAIN_WORD = re.compile("(?!doc)[a-z]{2,}[a-gi-rt-w]")
"""Names of columns that are a word whose plural ends in s alone, such as speaker."""


def forgotten(frame: Any, cluster: str | None) -> str | None:
    """Return the column that names documents or questions of several rows, if no cluster is named."""
    if cluster is not None:
        return None
    levels = frame.index.names if is_pandas(frame) else ()
    names = [name for name in (*column_names(frame), *levels) if isinstance(name, str)]
    column = named(_first_values(frame, [*filter(usual_names.is_document, names)]))
    ids = _first_values(frame, usual_names.usual_names("question_id", names)) if column is None else {}
    return next(filter(lambda name: repeats(ids[name]), ids), column)


def _first_values(frame: Any, names: Sequence[str]) -> dict[str, pl.Series]:
    """Return the first rows of the columns of texts or numbers among these."""
    few, first = (
        frame.head(most) if is_pandas(frame) else frame.slice(0, most) for most in (_FEW, _LOOKED_AT)
    )
    read = []
    for name in names:
        # Without a cluster nobody asked for this column. Of images in pandas, few are converted.
        with suppress(*_UNREADABLE):
            dtype = in_polars(few, [name]).collect_schema()[name]
            read += [name] if dtype in _TEXTS or dtype.is_numeric() else []
    with suppress(*_UNREADABLE):
        rows = in_polars(first, read) if read else pl.DataFrame()
        if isinstance(rows, pl.LazyFrame):
            rows = rows.select(cs.by_name(*read))
            rows = pl.DataFrame() if _READS_ON.search(rows.explain()) else rows.collect()
        return {name: rows.get_column(name).alias("column") for name in read}
    return {}


def named(columns: Mapping[str, pl.Series]) -> str | None:
    """Return the column whose name and values are those of documents of several rows, if there is one."""
    usual = {name: column for name, column in columns.items() if usual_names.is_document(name)}
    shared = [name for name, column in usual.items() if repeats(column) and not _restarts(name, column)]
    proper = usual_names.usual_names("doc_id", shared) or shared
    # Of pages in books, the books.
    return min(proper, key=lambda name: columns[name].n_unique(), default=None)


def are_values(column: pl.Series) -> bool:
    """Return whether a column holds texts or whole numbers, also as those of a text file are read."""
    if column.dtype.is_float():
        return bool((without_nan(column).drop_nulls() % 1 == 0).all())
    return column.dtype in _TEXTS or column.dtype.is_integer()


def repeats(column: pl.Series) -> bool:
    """Return whether these are texts or whole numbers, at least two, and one is in several rows."""
    values = without_nan(column).drop_nulls()
    return are_values(values) and 1 < values.n_unique() < len(values)


def _restarts(name: str, column: pl.Series) -> bool:
    """Return whether these are numbers of pages, which occur again in the next document."""
    if not usual_names.is_page(name):
        return False
    numbers = column.cast(pl.String).drop_nulls()
    changes = (numbers != numbers.shift()).sum()
    return bool(numbers.str.contains(_PAGE_NUMBER).all() and changes >= numbers.n_unique())


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
    what, end = "Documents", "."
    if usual_names.suggests(column, "question_id"):
        what, end = "Questions", ", or the column of documents if ids start again in each of them."
    text = (
        f"{what} have several {row}s ({column}), but intervals and p-values treat {row}s as "
        "independent, so they are too narrow and too small. Pass "
    )
    return [Message(text, for_readers(str(Option("cluster", column)), f"-c {shlex.quote(column)}"), end)]


def without_nan(documents: pl.Series) -> pl.Series:
    """Return documents with null in place of NaN, which names no document either."""
    return documents.fill_nan(None) if documents.dtype.is_float() else documents


def numbers(documents: pl.Series | None, height: int) -> npt.NDArray[np.intp]:
    """Return the number of the document of each row, 0 without one, or of the row itself."""
    if documents is None:
        return np.arange(height)
    # Methods of a Series may take its own name for a pattern.
    names = without_nan(documents.alias("column"))
    # In the order of their texts, so that sums and draws do not depend on the dtype or on the first rows.
    are_texts = not names.dtype.is_numeric() and not isinstance(names.dtype, pl.Categorical)
    texts = names if are_texts else names.cast(pl.String)
    return texts.rank("dense").fill_null(0).to_numpy().astype(np.intp)
