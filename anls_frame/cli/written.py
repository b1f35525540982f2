"""Checks that a command does not overwrite files that it reads, or the file of another option."""

from __future__ import annotations

import glob
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any


def check_distinct(written: Mapping[str, Path | None], read: Mapping[str, Any]) -> None:
    """
    Raise an error, before any work is done, if a written file is also read or named by another option.

    Parameters
    ----------
    written
        The files to write, by option.
    read
        The values of all other options, among which paths and lists of paths are files to read.
    """
    files = [(name, path) for name, path in written.items() if path is not None]
    for index, (name, path) in enumerate(files):
        for other, other_path in files[:index]:
            if _are_same(path, other_path):
                raise ValueError(
                    f"{other} and {name} name the same file, {_both(other_path, path)}: one result would "
                    "replace the other; name two files"
                )
        for other, values in read.items():
            for other_path in _paths(values):
                if _are_same(path, other_path):
                    raise ValueError(
                        f"{name} and {other} name the same file, {_both(path, other_path)}: the result would "
                        f"replace what is read; name another file with {name}"
                    )


def _paths(values: Any) -> Iterator[Path]:
    """Yield the files named by a value: a path, several paths, or a pattern not expanded by the shell."""
    for path in values if isinstance(values, list | tuple) else [values]:
        if isinstance(path, Path):
            is_pattern = not path.exists() and glob.has_magic(str(path))
            yield from map(Path, _matches(path)) if is_pattern else [path]


def _matches(pattern: Path) -> Sequence[str]:
    return glob.glob(str(pattern), recursive=True)  # noqa: PTH207 - as patterns are read


def _are_same(path: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file, by links of any kind; terminals and pipes never do."""
    if path.exists() and other.exists():
        return path.is_file() and path.samefile(other)
    return _resolved(path) == _resolved(other)


def _resolved(path: Path) -> str:
    return os.path.normcase(os.path.realpath(path))


def _both(*paths: Path) -> str:
    return " or ".join(dict.fromkeys(map(str, paths)))
