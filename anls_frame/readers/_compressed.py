"""Decompression up to a limit, because a few kilobytes can decompress to terabytes."""

from __future__ import annotations

import io
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from anls_frame.readers import _pipes
from anls_frame.readers._problems import problem

if TYPE_CHECKING:
    from collections.abc import Iterator
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


def without_suffix(path: Path) -> Path:
    """Return the path without the suffix of a compression."""
    return path.with_suffix("") if is_compressed(path) else path


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
    import pyarrow as pa  # noqa: PLC0415 - only for those who use it

    kind = FORMATS[path.suffix.lower()]
    with _pipes.opened(path) as packed:
        try:
            with pa.CompressedInputStream(packed, kind) as file:
                yield file
        except (OSError, pa.ArrowException) as error:
            raise problem(path, f"not a complete {kind} file, despite its suffix: {error}") from None
