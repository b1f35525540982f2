"""A file: what its name says of it, and its content, decompressed and decoded; errors name the line."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import zlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any, BinaryIO, Literal

from anls_frame._arguments import choice
from anls_frame._messages import Message, Option
from anls_frame._paths import as_path
from anls_frame._text import numbered
from anls_frame.exceptions import warn
from anls_frame.files import other_formats as kinds
from anls_frame.files.problems import problem
from anls_frame.frames import strict_json

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
_BEGINNING = 1 << 16


def without_compression(path: Path) -> Path:
    """Return the path without the suffix of a compression."""
    return path.with_suffix("") if path.suffix.lower() in _COMPRESSIONS else path


def check_regular(path: Path) -> None:
    """Raise an error if a file in a folder is a pipe, which may have no writer, or a device."""
    if File(path).is_stream:
        raise problem(path, "this is a pipe or a device; take it out of the folder, or name it alone")


class File(os.PathLike[str]):
    """
    A file, whose content is read once.

    A call makes one value for a file that is named, and hands it from the detection of its kind to the
    reader. The content is kept from the first look at its beginning until a reader takes it; that of a pipe
    is kept for as long as the value is.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = as_path(path)
        self._content: bytes | None = None
        self.unique_ids: bool | Literal["in an epoch"] = True
        """Where ids are checked while the file is read; nowhere if rows are chosen first."""
        self.is_part = False
        """Whether this is one of several files of a system, which may hold no rows."""

    @classmethod
    def of(cls, given: str | os.PathLike[str]) -> File:
        """Return a file by its path, or the file itself."""
        return given if isinstance(given, File) else cls(given)

    def __fspath__(self) -> str:
        return str(self.path)

    def __str__(self) -> str:
        return str(self.path)

    @property
    def suffix(self) -> str:
        """The suffix of the format, in lower case."""
        return without_compression(self.path).suffix.lower()

    @cached_property
    def is_stream(self) -> bool:
        """Whether this is a pipe or a device, which can be read only once."""
        return self.path.exists() and not self.path.is_file() and not self.path.is_dir()

    def check(self, *, may_be_empty: bool = False) -> None:
        """Raise an error unless the file exists and is not empty."""
        try:
            status = self.path.stat()
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, "there is no such file", str(self)) from None
        if self.path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "this is a folder: name a file in it", str(self))
        if (found := kinds.folder_to_convert(self.path)) is not None:
            raise problem(*found)
        if not may_be_empty and status.st_size == 0 and self.path.is_file():
            raise problem(self, "the file is empty")

    def check_content(self, data: bytes, own: Iterable[bytes] = ()) -> None:
        """Raise an error if the first bytes of the content are those of a kind that is none of its own."""
        for kind, known in kinds.CONTENTS.items():
            if kind not in own and re.match(kind, data):
                raise problem(self, f"this is {known}")

    def format(self, given: str | None = None) -> str:
        """Return the given format, or the format named by the suffix."""
        if given is not None:
            return choice("format", given, FORMATS)
        if self.suffix in _FORMATS:
            return _FORMATS[self.suffix]
        self.check()
        if self.suffix in kinds.OTHER_SUFFIXES:
            raise problem(self, f"{self.suffix} files are not read; {kinds.OTHER_SUFFIXES[self.suffix]}")
        self.check_content(self._read(), kinds.TEXTS)
        if (known := kinds.not_a_page(self.beginning.lstrip())) is not None:
            raise problem(self, f"this is no table, but {known[0]}; {known[1]}")
        formats = ", ".join(map(repr, FORMATS))
        what = Message("cannot tell the format from the name; for a table, pass ", Option("format"))
        other = (
            "make a table of any other file, with a row for each prediction and its answer, as the guide "
            '"Transcripts in text files" does for speech'
        )
        raise problem(self, Message(what, f" one of {formats}; {other}"))

    @cached_property
    def beginning(self) -> str:
        """The beginning as text, as far as it is known without the encoding."""
        self.check()
        data = self._read()[:_BEGINNING]
        return data.decode(_encoding(data), errors="replace").removeprefix("\ufeff")

    def read_bytes(self, *, may_be_empty: bool = False) -> bytes:
        """Return the content, decompressed as the suffix says; an implausibly large one is an error."""
        self.check(may_be_empty=may_be_empty)
        content = self._read()
        if not self.is_stream:
            self._content = None
        return content

    def read_text(self, encoding: str | None = None, own: bytes = kinds.TABLE) -> str:
        """Return the content as text, which must not be empty."""
        text = self.decoded(self.read_bytes(), encoding, [own])
        if not text or text.isspace():
            raise problem(self, "the file is empty")
        return text

    def read_json(self, encoding: str | None = None) -> str:
        """Return the content as the text of JSON or JSON Lines, which must not be empty."""
        return without_halves(self, self.read_text(encoding, kinds.JSON))

    def decoded(self, data: bytes, encoding: str | None = None, own: Iterable[bytes] = kinds.TEXTS) -> str:
        """Return the content as text, by default as UTF-8, UTF-16 or, with its mark, UTF-32."""
        data = data.removeprefix(codecs.BOM_UTF8)
        self.check_content(data, own)
        given, encoding = encoding, encoding or _encoding(data)
        try:
            text = data.decode(encoding).removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            what = f"byte 0x{data[error.start]:02x} is not valid {encoding.upper()}; if this is a text file, "
            line = data.count(b"\n", 0, error.start) + 1
            raise problem(self, Message(what, *_other_encoding(data, encoding)), f"line {line}") from None
        except LookupError:
            raise problem(self, f"unknown encoding {encoding!r}; pass one that Python supports") from None
        if given is not None and (control := _CONTROLS.search(text)) is not None:
            what = (
                f"U+{ord(control[0]):04X} is a control character, which no text in {encoding.upper()} has; "
            )
            line = text.count("\n", 0, control.start()) + 1
            raise problem(self, Message(what, *_other_encoding(data, encoding)), f"line {line}")
        return text

    def seekable(self) -> Path | io.BytesIO:
        """Return what Polars and archives can seek in: a path, or the content of a stream."""
        # A name on POSIX can be any bytes, but Polars requires Unicode.
        is_unicode = not any("\ud800" <= letter <= "\udfff" for letter in str(self))
        return self.path if is_unicode and not self.is_stream else io.BytesIO(self.read_bytes())

    def _read(self) -> bytes:
        """Return the content, which is read here alone."""
        if self._content is None:
            stored = self.path.read_bytes()
            compression = _COMPRESSIONS.get(self.path.suffix.lower())
            self._content = stored if compression is None else self._decompressed(stored, compression)
        return self._content

    def _decompressed(self, stored: bytes, kind: str) -> bytes:
        """Return the decompressed content; errors name the file."""
        packed, content = len(stored), io.BytesIO()
        most = max(MOST_BYTES, MOST_TIMES * packed)
        decompressing, damage = _decompressing(io.BytesIO(stored), kind)
        try:
            with decompressing as file:
                while chunk := file.read(_CHUNK):
                    content.write(chunk)
                    if content.tell() > most:
                        too_large = f"its {packed:,} bytes unpack to more than {most:,}"
                        raise problem(self, f"{too_large}; if that is intended, unpack it first")
        except damage as error:
            self.check_content(stored, [kinds.PACKED[kind]])
            raise problem(self, f"not a complete {kind} file, despite its suffix: {error}") from None
        return content.getvalue()


def _decompressing(file: BinaryIO, kind: str) -> tuple[Any, tuple[type[Exception], ...]]:
    """Return the decompressed file, and the errors that it raises if it is damaged."""
    if kind == "gzip":
        import gzip  # noqa: PLC0415 - only for those who use it

        # Tapes and block devices put zeros after the content, with which Arrow cannot deal.
        return gzip.GzipFile(fileobj=file), (OSError, EOFError, zlib.error)
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    return pa.CompressedInputStream(file, kind), (OSError, pa.ArrowException)


def without_halves(file: os.PathLike[str], text: str, part: str = "") -> str:
    """Return JSON with U+FFFD in place of half of a surrogate pair, and warn of these halves."""
    whole, halves = strict_json.without_halves(text)
    if halves:
        first = halves[0]
        newline = "\n" if "\n" in text else "\r"
        place = part or f"line {text.count(newline, 0, first) + 1}"
        warn(
            f"{os.fspath(file)}: {numbered(len(halves), 'lone surrogate')} read as U+FFFD, such as "
            f"{text[first : first + 6]} ({place}); was a text cut within a character?"
        )
    return whole


# Latin-1 has these controls where text from Windows has quotes and dashes.
_CONTROLS = re.compile("[\x80-\x84\x86-\x9f]")
# Western texts have no four letters beyond ASCII in a row.
_OTHER_SCRIPT = re.compile(rb"[\x80-\xff]{4}")


def _other_encoding(data: bytes, encoding: str) -> list[str | Option]:
    """Return the advice to name the encoding of a text that another one cannot read."""
    likely, others = "cp1252" if encoding != "cp1252" else "shift_jis", ""
    if b"\0" in data:
        likely = "utf-16-le" if data[1::2].count(0) >= data[::2].count(0) else "utf-16-be"
    elif _OTHER_SCRIPT.search(data):
        likely, others = "shift_jis", " (Japanese), gb18030 (Chinese) or cp1251 (Russian)"
    return ["pass its encoding, such as ", Option("encoding", likely), others]


def _encoding(data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)):
        return "utf-32"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    # In UTF-16, each Latin letter has a zero byte.
    if data[1:2] == b"\0":
        return "utf-16-le"
    return "utf-16-be" if data[:1] == b"\0" else "utf-8"
