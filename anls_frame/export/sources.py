"""The files that a page was made from, with their modification dates."""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TypeAlias

from anls_frame._text import numbered, path_text

Source: TypeAlias = "str | os.PathLike[str]"

_MOST = 12
"""Files that are named; of a hundred, the first ones tell which these are."""


def source_names(files: Source | Sequence[Source]) -> list[str]:
    """
    Return the name of each file or folder with its modification date, in UTC.

    A page has no other date, so that the same files give the same page. Sources other than files have no
    date.
    """
    paths = [Path(file) for file in ([files] if isinstance(files, str | os.PathLike) else files)]
    names = [_named(path) for path in paths[:_MOST]]
    return [*names, *([f"{numbered(len(paths) - _MOST, 'more file')}"] if len(paths) > _MOST else [])]


def _named(path: Path) -> str:
    name = path_text(path.name or path.resolve().name)
    # The date of a folder is the latest date of its content.
    files = [file for file in path.rglob("*") if file.is_file()] if path.is_dir() else [path]
    dates = [file.stat().st_mtime for file in files if file.exists()]
    return f"{name} ({datetime.fromtimestamp(max(dates), UTC).date().isoformat()})" if dates else name
