"""Frames of rows as files, each as the readers read it again."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, BinaryIO

from anls_frame.export.atomic import replacing
from anls_frame.export.delimited import field
from anls_frame.export.document import Table
from anls_frame.export.excel_text import CELL_LIMIT, units
from anls_frame.export.values import as_text, json_text, plain_frame

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import polars as pl

SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx")
_MOST_ROWS = 1_048_576
_BATCH = 50_000


def write(frame: pl.LazyFrame, path: Path, *, escape_formulas: bool) -> None:
    """
    Write a frame in the format of the file's suffix; lists are JSON where the format has none.

    Batch by batch, so that the rows may be more than memory holds, except for a workbook. In CSV null is an
    empty field and the empty text a pair of quotes; in a workbook the one is no cell and the other a cell
    without letters, which Excel shows alike.
    """
    suffix = path.suffix.lower()
    with replacing(path) as file:
        if suffix == ".parquet":
            _write_parquet(frame, file)
        elif suffix == ".jsonl":
            file.writelines(f"{line}\n".encode() for line in _json_rows(frame))
        elif suffix == ".json":
            file.write(b"[")
            for index, line in enumerate(_json_rows(frame)):
                file.write(f"{',' if index else ''}\n{line}".encode())
            file.write(b"\n]\n")
        elif suffix == ".xlsx":
            _write_workbook(frame.collect(engine="streaming"), file)
        else:
            _write_delimited(frame, file, "\t" if suffix == ".tsv" else ",", escape_formulas=escape_formulas)


class _Remembering:
    """A file that keeps the error of a write; Polars says it as it likes."""

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
    """Return the rows in order, as many at once as are scored together."""
    return (plain_frame(Table("rows", batch)) for batch in frame.collect_batches(chunk_size=_BATCH))


def _json_rows(frame: pl.LazyFrame) -> Iterator[str]:
    rows = (row for batch in _batches(frame) for row in batch.iter_rows(named=True))
    for index, row in enumerate(rows):
        yield json_text(row, f"row {index + 1}")


def _write_delimited(frame: pl.LazyFrame, file: BinaryIO, delimiter: str, *, escape_formulas: bool) -> None:
    def line(values: Any) -> bytes:
        fields = [field(value, delimiter, escape_formulas=escape_formulas) for value in values]
        return (delimiter.join(fields) + "\n").encode()

    file.write(line(frame.collect_schema().names()))
    for batch in _batches(frame):
        file.writelines(line(row) for row in batch.iter_rows())


def _write_workbook(frame: pl.DataFrame, file: BinaryIO) -> None:
    import xlsxwriter

    if frame.height >= _MOST_ROWS:
        raise ValueError(f"a sheet holds {_MOST_ROWS - 1:,} rows, not {frame.height:,}; write CSV or Parquet")
    content = io.BytesIO()
    options = {
        "in_memory": True,
        "strings_to_formulas": False,
        "strings_to_urls": False,
        "strings_to_numbers": False,
    }
    book = xlsxwriter.Workbook(content, options)
    sheet = book.add_worksheet("rows")
    for column, name in enumerate(frame.columns):
        sheet.write_string(0, column, name)
    for row, values in enumerate(plain_frame(Table("rows", frame)).iter_rows(), start=1):
        for column, value in enumerate(values):
            if isinstance(value, bool):
                sheet.write_boolean(row, column, value)
            elif isinstance(value, int | float) and abs(value) < 10**15:  # NaN is not
                sheet.write_number(row, column, value)
            elif value is not None:
                text = as_text(value)
                if units(text) > CELL_LIMIT:
                    raise ValueError(
                        f"row {row} holds a text of {len(text):,} characters in column "
                        f"{frame.columns[column]!r}, and a cell {CELL_LIMIT:,}; write CSV or Parquet"
                    )
                sheet.write_string(row, column, text)
    book.close()
    file.write(content.getbuffer())
