"""
The content of a file as text, decompressed and decoded; errors name the line.

Files are decompressed up to a limit, because a few kilobytes can decompress to terabytes.
"""

from __future__ import annotations

import codecs
import errno
import io
import lzma
import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from pathlib import Path
from typing import Any, BinaryIO

from anls_frame._arguments import choice
from anls_frame._text import numbered
from anls_frame.exceptions import InputError, warn
from anls_frame.files.problems import problem
from anls_frame.frames import strict_json

_kept: ContextVar[dict[str, bytes] | None] = ContextVar("kept", default=None)


@contextmanager
def keeping() -> Iterator[None]:
    """
    Let files that can be read only once be read several times in the block, which is a call or a command.

    The next call reads a pipe again, into which something else may have been written.
    """
    if _kept.get() is not None:
        yield
        return
    outside = _kept.set({})
    try:
        yield
    finally:
        _kept.reset(outside)


def keep(path: Path) -> None:
    """Read a file that can be read only once, and keep its content until the end of the block."""
    kept = _kept.get()
    if kept is None:
        raise RuntimeError("files are read in a block of keeping()")
    if str(path) not in kept and is_stream(path):
        kept[str(path)] = path.read_bytes()


def _content_of_stream(path: Path) -> bytes | None:
    """Return the kept content; None for other files."""
    return (_kept.get() or {}).get(str(path))


def check_regular(path: Path) -> None:
    """Raise an error if a file in a folder is a pipe, which may have no writer, or a device."""
    if is_stream(path):
        raise problem(path, "this is a pipe or a device; take it out of the folder, or name it alone")


def is_stream(path: Path) -> bool:
    """Return whether this is a pipe or a device rather than a regular file."""
    return path.exists() and not path.is_file() and not path.is_dir()


def opened(path: Path) -> BinaryIO:
    """Open a file for reading, or its kept content."""
    kept = _content_of_stream(path)
    return path.open("rb") if kept is None else io.BytesIO(kept)


def seekable(path: Path) -> Path | io.BytesIO:
    """Return a seekable file for Polars: a path, or the content of a stream."""
    # A name on POSIX can be any bytes, but Polars requires Unicode.
    is_unicode = not any("\ud800" <= letter <= "\udfff" for letter in str(path))
    if not is_stream(path) and is_unicode:
        return path
    with opened(path) as file:
        return io.BytesIO(file.read())


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
    if suffix in {".pkl", ".pickle", ".xls", ".xlsb", ".xlsm", ".ods"}:
        raise problem(path, f"{suffix} files are not read; save it as CSV, JSON Lines, Parquet or .xlsx")
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
    kept = _content_of_stream(path)
    packed = path.stat().st_size if kept is None else len(kept)
    most = max(MOST_BYTES, MOST_TIMES * packed)
    content = io.BytesIO()
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            content.write(chunk)
            if content.tell() > most and path != without_compression(path):
                too_large = f"its {packed:,} bytes unpack to more than {most:,}"
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
    with opened(path) as file:
        kind = _COMPRESSIONS.get(path.suffix.lower())
        if kind is None:
            yield file
            return
        decompressing, damage = _decompressing(file, kind)
        try:
            with decompressing as content:
                yield content
        except damage as error:
            raise problem(path, f"not a complete {kind} file, despite its suffix: {error}") from None


def _decompressing(file: BinaryIO, kind: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the decompressed file, and the errors that it raises if it is damaged."""
    if kind == "gzip":
        import gzip  # noqa: PLC0415 - only for those who use it

        # Tapes and block devices put zeros behind the content, with which Arrow cannot deal.
        return gzip.GzipFile(fileobj=file), (OSError, EOFError, zlib.error)
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    return pa.CompressedInputStream(file, kind), (OSError, pa.ArrowException)


def read_text(path: Path, encoding: str | None = None) -> str:
    """Return the content as text, which must not be empty."""
    text = decoded(path, read_bytes(path), encoding)
    if not text or text.isspace():
        raise problem(path, "the file is empty")
    return text


def read_json(path: Path, encoding: str | None = None) -> str:
    """Return the content as the text of JSON or JSON Lines, which must not be empty."""
    return without_halves(path, read_text(path, encoding))


def without_halves(path: Path, text: str, part: str = "") -> str:
    """Return JSON with U+FFFD in place of half of a surrogate pair, and warn of these halves."""
    whole, halves = strict_json.without_halves(text)
    if halves:
        first = halves[0]
        newline = "\n" if "\n" in text else "\r"
        place = part or f"line {text.count(newline, 0, first) + 1}"
        warn(
            f"{path}: {numbered(len(halves), 'lone surrogate')} read as U+FFFD, because half of a character "
            f"is none, such as {text[first : first + 6]} ({place}); was a text cut within a character?"
        )
    return whole


def decoded(path: Path, data: bytes, encoding: str | None = None) -> str:
    """Return the content of a file as text, by default as UTF-8, UTF-16 or, with its mark, UTF-32."""
    data = data.removeprefix(codecs.BOM_UTF8)
    encoding = encoding or _encoding(data)
    try:
        return data.decode(encoding).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        message = (
            f"byte 0x{data[error.start]:02x} is not valid {encoding.upper()}; if this is a text file, pass "
            "its encoding, such as encoding='latin-1'"
        )
        line = data.count(b"\n", 0, error.start) + 1
        raise problem(path, message, f"line {line}") from None
    except LookupError:
        raise problem(path, f"unknown encoding {encoding!r}; pass one that Python supports") from None


def _encoding(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # In UTF-16, each Latin letter has a zero byte.
    if data[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if data[:1] == b"\0" else "utf-8"


ARCHIVE_BYTES = 4 << 30
"""Maximum unpacked size that an archive may declare."""

# Only archives that unpack to more than both are refused. Logs and sheets compress to between a fifth and a
# fiftieth, malicious files to far less.
FREE_BYTES = 256 << 20
ARCHIVE_TIMES = 100

_ZSTD = 93
# The errors of zipfile, zlib, pyarrow and lxml for damaged archives: a RuntimeError for encryption and for
# unknown compressions, a ValueError or OSError if a damaged directory points outside the file, a KeyError for
# a part that is missing.
_DAMAGE = (
    *(zipfile.BadZipFile, zlib.error, lzma.LZMAError, struct.error, SyntaxError),
    *(EOFError, OSError, ValueError, RuntimeError, KeyError, OverflowError),
)


@contextmanager
def opened_archive(path: Path, kind: str) -> Iterator[zipfile.ZipFile]:
    """
    Open an archive; errors name the file, even those raised while a part of the archive is read.

    Raises
    ------
    InputError
        If the archive is damaged, encrypted, compressed with an unsupported method, or far too large; `kind`
        names the expected kind of file.
    """
    check_file(path)
    source = seekable(path)
    with path.open("rb") if source is path else source as file:
        try:
            with zipfile.ZipFile(file) as archive:
                sizes = [(entry.file_size, entry.compress_size) for entry in archive.infolist()]
                total, packed = (sum(size[index] for size in sizes) for index in (0, 1))
                if total > (most := min(ARCHIVE_BYTES, max(FREE_BYTES, ARCHIVE_TIMES * packed))):
                    too_large = f"unpacks to {total:,} bytes, more than {most:,}"
                    raise problem(path, f"{too_large}; if that is intended, save it as JSON or CSV")
                yield archive
        except InputError:
            raise
        except _DAMAGE as error:
            if isinstance(error, OSError) and error.errno not in {None, errno.EINVAL}:
                raise  # an error of the disk, not of the file
            raise problem(path, f"cannot be read as {kind}: {error}") from None


def unpacked_member(archive: zipfile.ZipFile, name: str) -> bytes:
    """Return the content of a member."""
    import pyarrow as pa  # noqa: PLC0415 - only for those who read such an archive

    entry = archive.getinfo(name)
    if entry.compress_type != _ZSTD:
        return archive.read(entry)
    packed = copy(entry)
    packed.compress_type, packed.file_size = zipfile.ZIP_STORED, entry.compress_size
    del packed.CRC  # that of the unpacked content
    with pa.CompressedInputStream(io.BytesIO(archive.read(packed)), "zstd") as stream:
        unpacked: bytes = stream.read(entry.file_size + 1)
    if len(unpacked) != entry.file_size:
        raise zipfile.BadZipFile(f"{name} does not have the size that the directory gives")
    if zlib.crc32(unpacked) != entry.CRC:
        raise zipfile.BadZipFile(f"the checksum of {name} is wrong")
    return unpacked
