"""Errors while reading Parquet files, as distinct from errors in computations with their rows."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import polars as pl

from anls_frame._arguments import check_threads
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError
from anls_frame.readers import _content, _pipes
from anls_frame.readers._problems import problem


def scan(path: Path) -> pl.LazyFrame:
    """Return the rows of a file as a query, whose schema was read."""
    _content.check_file(path)
    with reading_parquet(path):
        lazy = pl.scan_parquet(_pipes.seekable(path), glob=False)
        lazy.collect_schema()
    return lazy


@contextmanager
def reading_parquet(path: Path) -> Iterator[None]:
    """
    Raise an error that names the file if Polars fails or panics in the block because the file is damaged.

    Errors in computations with the rows are raised unchanged.
    """
    try:
        yield
    except (DTypeError, ColumnNotFoundError, DuplicateColumnError):
        raise
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException):
        check_threads()
        fault = _fault_of_parquet(path)
        if fault is None:
            raise
        raise problem(
            path, f"cannot be read as Parquet: {fault}; it is damaged, or was changed while it was read"
        ) from None


def _fault_of_parquet(path: Path) -> str | None:
    """Read the whole file, and return the reason for a failure, or None."""
    try:
        rows = pl.scan_parquet(_pipes.seekable(path), glob=False)
        rows.map_batches(pl.DataFrame.clear, streamable=True, projection_pushdown=False).collect(
            engine="streaming"
        )
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException) as error:
        return str(error).partition("\n")[0]
    return None
