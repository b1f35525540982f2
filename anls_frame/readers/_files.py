"""Files that can be read but once, as pipes are: kept, so that they can be looked at before they are read."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, BinaryIO

if TYPE_CHECKING:
    from pathlib import Path

_kept: dict[str, bytes] = {}


def keep(path: Path) -> None:
    """Read what can be read but once, and keep it until the process ends."""
    if str(path) not in _kept and is_stream(path):
        _kept[str(path)] = path.read_bytes()


def is_stream(path: Path) -> bool:
    """Whether it is no file with a place on a disk, but a pipe or a device."""
    return path.exists() and not path.is_file() and not path.is_dir()


def opened(path: Path) -> BinaryIO:
    """Open a file to be read, or what was kept of it."""
    kept = _kept.get(str(path))
    return path.open("rb") if kept is None else io.BytesIO(kept)


def size(path: Path) -> int:
    """Return how many bytes a file has; 0 of a stream that was not kept."""
    kept = _kept.get(str(path))
    return path.stat().st_size if kept is None else len(kept)


def seekable(path: Path) -> Path | io.BytesIO:
    """Return a file that Polars can open and go back in: a path, or the content of a stream."""
    if not is_stream(path) and _is_unicode(path):
        return path
    with opened(path) as file:
        return io.BytesIO(file.read())


def _is_unicode(path: Path) -> bool:
    """Whether a file's name is a text, as Polars wants it; on POSIX it may be any bytes."""
    try:
        str(path).encode()
    except UnicodeEncodeError:
        return False
    return True
