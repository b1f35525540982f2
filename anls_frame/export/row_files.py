"""Writing of frames to files from which the readers restore the same rows."""

from __future__ import annotations

from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

import polars as pl

from anls_frame._atomic import replacing
from anls_frame.export import csv_files
from anls_frame.export.values import json_lines, plain_frame

ROWS = "anls_frame.rows"
"""The key of a Parquet file's metadata that tells what its rows are called."""

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx")
"""The suffixes that `write` accepts."""
_BATCH = 50_000


def write(frame: pl.LazyFrame, path: Path, *, escape_formulas: bool, rows: str = "row") -> None:
    """
    Write a frame in the format of the file's suffix; lists become JSON if the format has no lists.

    Rows are written in batches, so they may exceed memory, except for a workbook. In CSV, null is an empty
    field, and an empty string is a pair of quotes. In a workbook, null is a missing cell, and an empty string
    is an empty cell, which look the same in Excel. What rows are called is stored in Parquet only.
    """
    with replacing(path) as file:
        target: Any = _Remembering(file)
        try:
            _write(frame, path.suffix.lower(), target, escape_formulas=escape_formulas, rows=rows)
        except Exception:
            if target.error is not None:
                raise target.error from None
            raise


class _Remembering:
    """A file that keeps the error of a write, because Polars raises its own error."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self.error: OSError | None = None

    def write(self, data: bytes) -> int:
        try:
            return self._file.write(data)
        except OSError as error:
            self.error = error
            raise

    def flush(self) -> None:
        self._file.flush()


def _write(frame: pl.LazyFrame, suffix: str, file: Any, *, escape_formulas: bool, rows: str) -> None:
    if suffix == ".parquet":
        frame.sink_parquet(file, metadata={ROWS: rows})
    elif suffix == ".jsonl":
        plain_frame(frame, "rows").sink_ndjson(file)
    elif suffix == ".json":
        file.write(b"[")
        batches = frame.collect_batches(chunk_size=_BATCH, maintain_order=True)
        rows_of_batches = (json_lines(batch, "rows") for batch in batches)
        for index, row in enumerate(chain.from_iterable(rows_of_batches)):
            file.write(f"{',' if index else ''}\n{row}".encode())
        file.write(b"\n]\n")
    elif suffix == ".xlsx":
        from anls_frame.export import excel  # noqa: PLC0415 - only to write workbooks

        excel.write_rows(frame.collect(engine="streaming"), file)
    else:
        separator = "\t" if suffix == ".tsv" else ","
        names = frame.collect_schema().names()
        file.write(csv_files.header(names, separator, escape_formulas=escape_formulas))
        lines = csv_files.fields(frame, "rows", escape_formulas=escape_formulas)
        lines.sink_csv(file, separator=separator, include_header=False)
