"""Writing of frames to files from which the readers restore the same rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO

from anls_frame._atomic import replacing
from anls_frame.export.csv_files import line
from anls_frame.export.text_lines import delimited_lines, json_lines

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx")
"""The suffixes that `write` accepts."""
_BATCH = 50_000


def write(frame: pl.LazyFrame, path: Path, *, escape_formulas: bool) -> None:
    """
    Write a frame in the format of the file's suffix; lists become JSON if the format has no lists.

    Rows are written in batches, so they may exceed memory, except for a workbook. In CSV, null is an empty
    field, and an empty string is a pair of quotes. In a workbook, null is a missing cell, and an empty string
    is an empty cell, which look the same in Excel.
    """
    suffix = path.suffix.lower()
    with replacing(path) as file:
        if suffix == ".parquet":
            _write_parquet(frame, file)
        elif suffix == ".jsonl":
            file.writelines(f"{row}\n".encode() for row in _json_rows(frame))
        elif suffix == ".json":
            file.write(b"[")
            for index, row in enumerate(_json_rows(frame)):
                file.write(f"{',' if index else ''}\n{row}".encode())
            file.write(b"\n]\n")
        elif suffix == ".xlsx":
            from anls_frame.export import excel  # noqa: PLC0415 - only to write workbooks

            excel.write_rows(frame.collect(engine="streaming"), file)
        else:
            _write_delimited(frame, file, "\t" if suffix == ".tsv" else ",", escape_formulas=escape_formulas)


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


def _write_parquet(frame: pl.LazyFrame, file: BinaryIO) -> None:
    target = _Remembering(file)
    try:
        frame.sink_parquet(target)  # type: ignore[call-overload] # only writes
    except Exception:
        if target.error is not None:
            raise target.error from None
        raise


def _batches(frame: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    return frame.collect_batches(chunk_size=_BATCH, maintain_order=True)


def _json_rows(frame: pl.LazyFrame) -> Iterator[str]:
    return (row for batch in _batches(frame) for row in json_lines(batch))


def _write_delimited(frame: pl.LazyFrame, file: BinaryIO, delimiter: str, *, escape_formulas: bool) -> None:
    file.write(line(frame.collect_schema().names(), delimiter, escape_formulas=escape_formulas))
    for batch in _batches(frame):
        rows = delimited_lines(batch, delimiter, escape_formulas=escape_formulas)
        file.writelines(f"{row}\n".encode() for row in rows)
