"""CSV and TSV, with every field as a string."""

from __future__ import annotations

import csv
import io
import sys
import threading
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.readers._problems import problem
from anls_frame.readers._raw import Raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    import pyarrow as pa

    from anls_frame.readers._problems import Problems

_DELIMITERS = (",", ";", "\t", "|")
# Arrow reads in blocks, and each row must fit into one.
_BLOCK = 256 << 20


def read(path: Path, text: str, problems: Problems, delimiter: str | None) -> Raw:
    """
    Return the fields of a delimited text; an empty field is null, an empty field in quotes an empty string.

    Rows with too few or too many fields, and unclosed quotes, are problems.
    """
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    header = _header(text, delimiter or ",")
    if delimiter is None and len(header) == 1:
        delimiter = max(_DELIMITERS, key=header[0].count)
        header = _header(text, delimiter)
    delimiter = delimiter or ","
    columns = [f"f{index}" for index in range(len(header))]
    ragged = 0

    def count(_row: object) -> str:
        nonlocal ragged
        ragged += 1
        return "skip"

    data = _arrow_memory(text.encode())
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                autogenerate_column_names=True,
                block_size=min(max(data.size, 1), _BLOCK),
                # A thread could release the handler below, which is a Python object, at any time.
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=count
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types=dict.fromkeys(columns, pa.large_string()),
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )
    except pa.ArrowException as error:
        damaged = _check_quotes(text, delimiter, problems)
        _check_widths(text, delimiter, len(header), problems, damaged)
        problems.raise_any()
        raise problem(path, f"cannot be read: {error}") from None
    damaged = _check_quotes(text, delimiter, problems)
    if ragged and not _check_widths(text, delimiter, len(header), problems, damaged) and not damaged:
        problems.add(f"{ragged} rows do not have {len(header)} fields")
    frame = pl.DataFrame(
        [pl.Series(name, pl.from_arrow(table[name]), dtype=pl.String) for name in table.column_names]
    ).slice(1)
    return Raw(
        names=[name.strip() or f"column_{index}" for index, name in enumerate(header, start=1)],
        columns=frame.get_columns(),
        height=frame.height,
        place=_TextLines(text, delimiter, len(header)),
        typed=False,
    )


def _arrow_memory(data: bytes) -> pa.Buffer:
    """
    Return the bytes in memory owned by Arrow.

    Arrow reads ahead in a thread. If this thread were the last to release memory of Python while Python
    exits, the process would abort.
    """
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    buffer = pa.allocate_buffer(len(data))
    if data:
        memoryview(buffer).cast("B")[:] = data
    return buffer


class _TextLines:
    """The line on which each complete row starts, computed on first use."""

    def __init__(self, text: str, delimiter: str, width: int) -> None:
        self._text = text
        self._delimiter = delimiter
        self._width = width
        self._starts: list[int] | None = None

    def __call__(self, row: int) -> str:
        if self._starts is None:
            rows = _rows(self._text, self._delimiter)
            self._starts = [start for start, fields in rows if len(fields) == self._width][1:]
        return f"line {self._starts[row]}" if row < len(self._starts) else f"row {row + 1}"


def _header(text: str, delimiter: str) -> list[str]:
    for _, fields in _rows(text, delimiter):
        if fields:
            return fields
    return [""]


def _check_widths(text: str, delimiter: str, width: int, problems: Problems, damaged: int | None) -> int:
    """Report rows that are not as wide as the header, except for a damaged one; return their number."""
    n_wrong = 0
    for start, fields in _rows(text, delimiter):
        if fields and len(fields) != width and start != damaged:
            problems.add(f"{len(fields)} fields instead of {width}", f"line {start}")
            n_wrong += 1
    return n_wrong


def _check_quotes(text: str, delimiter: str, problems: Problems) -> int | None:
    """
    Report the first row whose quotes do not enclose whole fields, and return its line.

    Readers drop such quotes, or read everything after them as one field.
    """
    if '"' not in text:
        return None
    try:
        for _ in _rows(text, delimiter, strict=True):
            pass
    except _QuoteError as error:
        problems.add(error.message, f"line {error.line}")
        return error.line
    return None


class _QuoteError(Exception):
    """The problem with a quote, and the line on which its row starts."""

    def __init__(self, message: str, line: int) -> None:
        super().__init__(message)
        self.message = message
        self.line = line


def _rows(text: str, delimiter: str, *, strict: bool = False) -> Iterator[tuple[int, list[str]]]:
    """Yield records with the lines on which they start; an empty line is a record without fields."""
    with _long_fields:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=strict)
        line = 0
        try:
            for fields in reader:
                yield line + 1, fields
                line = reader.line_num
        except csv.Error as error:
            unclosed = "unexpected end of data" in str(error)
            what = "a quote is opened and never closed" if unclosed else "text after a closing quote"
            raise _QuoteError(what, line + 1) from None


class _LongFields:
    """Allows fields of any length during reading; all threads share one limit."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._readers = 0
        self._limit = 0

    def __enter__(self) -> None:
        with self._lock:
            if not self._readers:
                self._limit = csv.field_size_limit(sys.maxsize)
            self._readers += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._readers -= 1
            if not self._readers:
                csv.field_size_limit(self._limit)


_long_fields = _LongFields()
