"""
The content of a file as text, decompressed and decoded; errors name the line.

Files are decompressed up to a limit, because a few kilobytes can decompress to terabytes.
"""

from __future__ import annotations

import codecs
import errno
import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from anls_frame._arguments import choice
from anls_frame.exceptions import InputError
from anls_frame.readers import _pipes
from anls_frame.readers._problems import problem

_FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".json": "json",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".xlsx": "xlsx",
}
SUFFIXES = frozenset(_FORMATS)
FORMATS = ("csv", "tsv", "jsonl", "json", "parquet", "xlsx")
_COMPRESSIONS = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
# Only files that exceed both are rejected. Results compress to between a fifth and a fiftieth, malicious
# files to far less.
MOST_BYTES = 1 << 30
MOST_TIMES = 100
_CHUNK = 1 << 20
_MAGIC = {
    b"PAR1": "a Parquet file",
    b"PK\x03\x04": "a workbook or another zip archive",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook; save it as .xlsx",
    b"\x1f\x8b": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x80\x04": "a pickle, which could run code; it is not read",
    b"\x80\x05": "a pickle, which could run code; it is not read",
}
# The byte order mark of UTF-32 starts with that of UTF-16.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE = 4096


def without_compression(path: Path) -> Path:
    """Return the path without the suffix of a compression."""
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path


def file_format(path: Path, given: str | None = None) -> str:
    """Return the given format, or the format named by the file's suffix."""
    if given is not None:
        return choice("format", given, FORMATS)
    suffix = without_compression(path).suffix.lower()
    if suffix in _FORMATS:
        return _FORMATS[suffix]
    if suffix in {".pkl", ".pickle"}:
        raise problem(path, "pickles can run code, so they are not read; write CSV, JSON Lines or Parquet")
    if suffix in {".xls", ".xlsb", ".xlsm", ".ods"}:
        raise problem(path, "the only workbook format that can be read is .xlsx; save the file as .xlsx")
    check_file(path)
    raise problem(
        path,
        f"cannot tell the format from the name; pass format= one of {', '.join(map(repr, FORMATS))}",
    )


def check_file(path: Path, *, may_be_empty: bool = False) -> None:
    """Raise an error unless the file exists and is not empty."""
    try:
        status = path.stat()
    except ValueError:
        raise ValueError(f"a file name must not contain a NUL character: {str(path)!r}") from None
    except FileNotFoundError:
        raise FileNotFoundError(errno.ENOENT, "there is no such file", str(path)) from None
    if path.is_dir():
        raise IsADirectoryError(errno.EISDIR, "this is a folder: name a file in it", str(path))
    if not may_be_empty and status.st_size == 0 and path.is_file():
        raise problem(path, "the file is empty")


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return the path; raise an error if it is not one."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the name of a file, got {type(path).__name__}")
    return Path(path)


def read_bytes(path: Path, *, may_be_empty: bool = False) -> bytes:
    """Return the content, decompressed if the suffix names a compression, unless it is implausibly large."""
    check_file(path, may_be_empty=may_be_empty)
    size = _pipes.size(path)
    most = max(MOST_BYTES, MOST_TIMES * size)
    content = io.BytesIO()
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            content.write(chunk)
            if content.tell() > most and path != without_compression(path):
                too_large = f"its {size:,} bytes unpack to more than {most:,}"
                raise problem(path, f"{too_large}; if that is intended, unpack it first")
    return content.getvalue()


def beginning(path: Path, size: int) -> bytes:
    """Return the first `size` bytes of the content."""
    check_file(path)
    with _opened(path) as file:
        content: bytes = file.read(size)
    return content


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open the content of a file for the block, decompressed; errors name the file."""
    with _pipes.opened(path) as file:
        kind = _COMPRESSIONS.get(path.suffix.lower())
        if kind is None:
            yield file
            return
        import pyarrow as pa  # noqa: PLC0415 - only for those who use it

        try:
            with pa.CompressedInputStream(file, kind) as content:
                yield content
        except (OSError, pa.ArrowException) as error:
            raise problem(path, f"not a complete {kind} file, despite its suffix: {error}") from None


def read_text(path: Path, encoding: str | None = None) -> str:
    """Return the content as text, which must not be empty."""
    data = read_bytes(path)
    if encoding is None:
        for start, what in _MAGIC.items():
            if data.startswith(start):
                raise problem(path, f"not a text file, but {what}; give it the right suffix, or pass format=")
    text = decoded(path, data, encoding)
    if not text or text.isspace():
        raise problem(path, "the file is empty")
    return text


def decoded(path: Path, data: bytes, encoding: str | None = None) -> str:
    """
    Return the content of a file as text.

    A given encoding is used. Otherwise, a byte order mark determines the encoding and is removed. Without
    one, the encoding is UTF-16 if every other byte at the beginning is mostly zero, otherwise UTF-8.
    """
    encoding, skipped = (encoding, 0) if encoding is not None else _encoding(data)
    try:
        text = data[skipped:].decode(encoding)
    except UnicodeDecodeError as error:
        advice = "; pass the file's encoding, such as encoding='latin-1'"
        raise undecodable(path, data, skipped + error.start, encoding, advice) from None
    except LookupError:
        raise problem(path, f"unknown encoding {encoding!r}; pass one that Python supports") from None
    return text.removeprefix("\ufeff")


def undecodable(path: Path, data: bytes, position: int, encoding: str, advice: str = "") -> InputError:
    """Return the error for a byte that is not valid in an encoding."""
    line = data.count(b"\n", 0, position) + 1
    return problem(
        path, f"byte 0x{data[position]:02x} is not valid {encoding.upper()}{advice}", f"line {line}"
    )


def _encoding(data: bytes) -> tuple[str, int]:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            return encoding, len(mark)
    sample = data[: min(len(data), _SAMPLE) // 2 * 2]
    # Each Latin letter in UTF-16 has a zero byte, always on the same side; UTF-8 text hardly ever has one.
    for encoding, zeros, others in (
        ("utf-16-le", sample[1::2], sample[::2]),
        ("utf-16-be", sample[::2], sample[1::2]),
    ):
        if zeros.count(0) > len(zeros) // 2 and others.count(0) < len(others) // 10 + 1:
            return encoding, 0
    return "utf-8", 0
