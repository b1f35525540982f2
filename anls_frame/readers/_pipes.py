"""Files that can be read only once, such as pipes, kept in memory so that they can be inspected first."""

from __future__ import annotations

import io
from pathlib import Path
from typing import BinaryIO

from anls_frame.readers._problems import problem

_kept: dict[str, bytes] = {}


def keep(path: Path) -> None:
    """Read a file that can be read only once, and keep its content until the process ends."""
    if str(path) not in _kept and is_stream(path):
        _kept[str(path)] = path.read_bytes()


def check_regular(path: Path) -> None:
    """Raise an error if a file in a folder is a pipe, which may have no writer, or a device."""
    if is_stream(path):
        raise problem(path, "this is a pipe or a device; take it out of the folder, or name it alone")


def is_stream(path: Path) -> bool:
    """Return whether this is a pipe or a device rather than a regular file."""
    return path.exists() and not path.is_file() and not path.is_dir()


def opened(path: Path) -> BinaryIO:
    """Open a file for reading, or its kept content."""
    kept = _kept.get(str(path))
    return path.open("rb") if kept is None else io.BytesIO(kept)


def size(path: Path) -> int:
    """Return the size of a file in bytes; 0 for a stream that was not kept."""
    kept = _kept.get(str(path))
    return path.stat().st_size if kept is None else len(kept)


def seekable(path: Path) -> Path | io.BytesIO:
    """Return a seekable file for Polars: a path, or the content of a stream."""
    # A name on POSIX can be any bytes, but Polars requires Unicode.
    is_unicode = not any("\ud800" <= letter <= "\udfff" for letter in str(path))
    if not is_stream(path) and is_unicode:
        return path
    with opened(path) as file:
        return io.BytesIO(file.read())
