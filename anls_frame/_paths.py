"""Files by a name: that of a file, of a folder, or a pattern."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
"""The beginning of an address such as s3://, whose second slash a Path drops; one letter is a drive."""


def as_path(path: str | os.PathLike[str]) -> Path:
    """Return the path, with ~ as the home folder; raise an error if it is not one of this machine."""
    if not isinstance(path, str | os.PathLike):
        raise TypeError(f"path must be the name of a file, got {type(path).__name__}")
    name = os.fspath(path)
    if not name:
        raise ValueError("path must be the name of a file, got an empty text")
    if _ADDRESS.match(name):
        raise ValueError(f"{name!r} is an address; name a file of this machine, and copy it from or to there")
    return Path(os.path.expanduser(name))  # noqa: PTH111 - a Path raises an error for ~$names of Excel


def known_suffix(path: Path, suffixes: Iterable[str]) -> str:
    """Return the suffix of a file in lower case; raise an error unless it is one of a format."""
    suffix = path.suffix.lower()
    if suffix not in suffixes:
        known = f"it must end in one of {', '.join(suffixes)}"
        raise ValueError(f"cannot tell the format of {str(path)!r} from its suffix; {known}")
    return suffix


def as_names(given: Any, what: str) -> list[str | os.PathLike[str]]:
    """Return one or several names as a list; raise an error for anything else, such as an open file."""
    if isinstance(given, str | os.PathLike):
        return [given]
    if not isinstance(given, Iterable) or isinstance(given, bytes) or hasattr(given, "read"):
        raise TypeError(f"{what} must be names of files, patterns or folders, got {type(given).__name__}")
    names = list(given)
    if not names:
        raise ValueError(f"{what} must name at least one file")
    return names


def is_many(path: Path) -> bool:
    """Return whether this names a folder or a pattern."""
    return path.is_dir() or (not path.exists() and glob.has_magic(str(path)))


def is_hidden(file: Path, folder: Path) -> bool:
    """Return whether a file, or a folder between this folder and the file, is hidden by a leading dot."""
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def below_shared(paths: Sequence[Path]) -> list[Path]:
    """Return the paths below the folder that contains all of them."""
    absolute = [path.absolute() for path in paths]
    folder = os.path.commonpath([path.parent for path in absolute])
    return [path.relative_to(folder) for path in absolute]


def files_at(path: Path, is_wanted: Callable[[Path], bool] = lambda _: True) -> list[Path]:
    """
    Return the file, or the files that match a pattern, or the wanted files of a folder, sorted by name.

    Hidden files of a folder, and files in its hidden folders, are left out.

    Raises
    ------
    FileNotFoundError
        If no file matches a pattern. A folder without wanted files gives an empty list.
    """
    if path.is_dir():
        below = (Path(folder, file) for folder, _, files in os.walk(path) for file in files)
        return sorted(file for file in below if not is_hidden(file, path) and is_wanted(file))
    if not is_many(path):
        return [path]
    matches = glob.glob(str(path), recursive=True)  # noqa: PTH207 - a Path has no absolute patterns
    files = sorted(file for file in map(Path, matches) if file.is_file())
    if not files:
        raise FileNotFoundError(errno.ENOENT, "no file matches this pattern", str(path))
    return files
