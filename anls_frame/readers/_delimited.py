"""CSV and TSV, with every field as a string."""

from __future__ import annotations

import csv
import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.readers._problems import Problems, problem
from anls_frame.readers._raw import Raw, by_name

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = (",", ";", "\t", "|")
# Arrow reads in blocks, and each row must fit into one.
_BLOCK = 256 << 20
_limit_lock = threading.Lock()


def read(path: Path, text: str, problems: Problems, delimiter: str | None) -> Raw:
    """
    Return the fields of a delimited text; an empty field is null, an empty field in quotes an empty string.

    Rows with too few or too many fields are problems, and left out. Quotes that do not enclose whole fields
    are an error, because readers drop such quotes, or read everything after them as one field.
    """
    with _fields_of_any_length():
        delimiter = delimiter or _detected(text)
        header, lines = _checked(text, delimiter, problems)
    table = _arrow_table(path, text, delimiter, len(header))
    columns = [pl.Series(pl.from_arrow(column), dtype=pl.String).slice(1) for column in table.columns]
    names = [name.strip() or f"column_{index}" for index, name in enumerate(header, start=1)]
    named = by_name(names, columns, problems)
    return Raw(named, table.num_rows - 1, lambda row: f"line {lines[row]}", typed=False)


@contextmanager
def _fields_of_any_length() -> Iterator[None]:
    """Lift the limit of the length of a field, which all threads share."""
    with _limit_lock:
        limit = csv.field_size_limit(sys.maxsize)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def _detected(text: str) -> str:
    """Return the delimiter of the header."""
    rows = csv.reader(io.StringIO(text, newline=""))
    header = next(filter(None, rows), [""])
    return "," if len(header) > 1 else max(_DELIMITERS, key=header[0].count)


def _checked(text: str, delimiter: str, problems: Problems) -> tuple[list[str], list[int]]:
    """Return the header, and the line on which each row of its width starts; report all other rows."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header: list[str] = []
    lines: list[int] = []
    are_quoted = True
    while True:
        line = reader.line_num + 1
        try:
            fields = next(reader)
        except StopIteration:
            break
        except csv.Error as error:
            unclosed = "unexpected end of data" in str(error)
            what = "a quote is opened and never closed" if unclosed else "text after a closing quote"
            problems.add(what, f"line {line}")
            are_quoted = False
            continue
        if not fields:  # an empty line
            continue
        header = header or fields
        if len(fields) == len(header):
            lines.append(line)
        else:
            problems.add(f"{len(fields)} fields instead of {len(header)}", f"line {line}")
    if not are_quoted:
        problems.raise_any()
    return header, lines[1:]


def _arrow_table(path: Path, text: str, delimiter: str, width: int) -> pa.Table:
    """Return the header and the rows of its width, with strings in all fields."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it
    from pyarrow import csv as arrow_csv  # noqa: PLC0415

    data = _arrow_memory(text.encode())
    try:
        return arrow_csv.read_csv(
            pa.BufferReader(data),
            read_options=arrow_csv.ReadOptions(
                autogenerate_column_names=True,
                block_size=min(max(data.size, 1), _BLOCK),
                # A thread could release the handler below, which is a Python object, at any time.
                use_threads=False,
            ),
            parse_options=arrow_csv.ParseOptions(
                delimiter=delimiter, newlines_in_values=True, invalid_row_handler=lambda _: "skip"
            ),
            convert_options=arrow_csv.ConvertOptions(
                column_types={f"f{index}": pa.large_string() for index in range(width)},
                strings_can_be_null=True,
                quoted_strings_can_be_null=False,
                null_values=[""],
            ),
        )
    except pa.ArrowException as error:
        raise problem(path, f"cannot be read: {error}") from None


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
