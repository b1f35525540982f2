"""Decompression up to a limit, because a few kilobytes can decompress to terabytes."""

from __future__ import annotations

import io
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, BinaryIO

from anls_frame.readers import _pipes
from anls_frame.readers._problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

FORMATS = {".gz": "gzip", ".gzip": "gzip", ".zst": "zstd", ".zstd": "zstd"}
"""Compressions by suffix."""

# Only files that exceed both are rejected. Results compress to between a fifth and a fiftieth, malicious
# files to far less.
MOST_BYTES = 1 << 30
MOST_TIMES = 100

_CHUNK = 1 << 20


def is_compressed(path: Path) -> bool:
    """Whether the suffix names a compression."""
    return path.suffix.lower() in FORMATS


def unpacked(path: Path) -> bytes:
    """Return the content of a compressed file; raise an error if it is implausibly large."""
    size = _pipes.size(path)
    most = max(MOST_BYTES, MOST_TIMES * size)
    content = io.BytesIO()
    with _opened(path) as file:
        while chunk := file.read(_CHUNK):
            content.write(chunk)
            if content.tell() > most:
                raise problem(
                    path,
                    f"its {size:,} bytes unpack to more than {most:,}; if that is intended, unpack it first",
                )
    return content.getvalue()


def beginning(path: Path, size: int) -> bytes:
    """Return the first `size` bytes of a compressed file's content."""
    with _opened(path) as file:
        content: bytes = file.read(size)
    return content


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Open the content of a compressed file for the block; errors name the file."""
    kind = FORMATS[path.suffix.lower()]
    damage: tuple[type[Exception], ...]
    opened: Callable[[BinaryIO], Any]
    # Each library is imported on use.
    if kind == "gzip":
        import gzip  # noqa: PLC0415
        import zlib  # noqa: PLC0415

        opened, damage = gzip.open, (gzip.BadGzipFile, EOFError, zlib.error)
    else:
        import pyarrow as pa  # noqa: PLC0415

        opened, damage = partial(pa.CompressedInputStream, compression=kind), (OSError, pa.ArrowException)
    with _pipes.opened(path) as packed:
        try:
            with opened(packed) as file:
                yield file
        except damage as error:
            raise problem(path, f"not a complete {kind} file, despite its suffix: {error}") from None
