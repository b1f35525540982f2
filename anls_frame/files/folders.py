"""The files that a name, a pattern or a folder means, and checks of them."""

from __future__ import annotations

import errno
import os
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from pathlib import Path

from anls_frame._messages import Message, Option
from anls_frame._paths import as_path, files_at
from anls_frame._text import path_text
from anls_frame.exceptions import warn
from anls_frame.files.file import check_regular


def is_one_of(path: Path, others: Collection[Path]) -> bool:
    """Return whether a file is one of these, under any name."""
    return any(path.exists() and other.exists() and path.samefile(other) for other in others)


def files_named(
    name: str | os.PathLike[str],
    is_wanted: Callable[[Path], bool],
    what: str,
    advice: str | None = None,
) -> list[Path]:
    """
    Return the file, or the files that match a pattern, or the wanted files of a folder, sorted by name.

    Files of a folder must not be pipes or devices. If a folder has none, the error says what it lacks and
    what to do: by default, to name pages as such.
    """
    path = as_path(name)
    files = files_at(path, is_wanted)
    if path.is_dir():
        for file in files:
            check_regular(file)
    if not files:
        ways = [advice or Message("for pages, name the ground truth with ", Option("gold", ...))]
        if any(file.suffix.lower() == ".json" for file in path.rglob("*")):
            of_fields = "for documents of fields in JSON, use `anls-frame fields`"
            ways.insert(0, f"{of_fields} or, to compare systems, anls_frame.fields; ")
        message = Message(f"this folder contains no {what}; ", *ways)
        raise FileNotFoundError(errno.ENOENT, message, str(path))
    return files


def name_below(file: Path, folder: Path) -> str:
    """Return the path of a file below a folder, with composed accents: macOS stores decomposed ones."""
    return unicodedata.normalize("NFC", path_text(file.relative_to(folder)).replace(os.sep, "/"))


def checked_name(name: object, what: str) -> str:
    """Return the name of a system or a page; raise an error unless it is a text."""
    if not isinstance(name, str) or not name:
        raise TypeError(f"the name of {what} must be a string that is not empty, got {name!r}")
    return name


_PART = re.compile(r"(.*-)\d+(-of-0*(\d+)\D.*)")


def check_different(files: Sequence[os.PathLike[str]]) -> None:
    """Raise an error if a file is named twice; warn of missing ones, such as train-00001-of-00003."""
    parts = Counter(found.groups() for file in files if (found := _PART.fullmatch(os.fspath(file))))
    for (before, after, number), given in parts.items():
        if 1 < given < int(number):
            warn(f"{before}*{after}: only {given} of {number} files given; are the others missing?")
    first: dict[str, os.PathLike[str]] = {}
    for file in files:
        same = first.setdefault(os.path.realpath(file), file)
        if same is not file:
            raise ValueError(f"{file} occurs twice; each file must belong to one system, and only once")


_SPLIT = re.compile(r"(?i)(?<![a-z])(train|test|dev|val)(?:id|idation)?(?![a-z])")


def warn_of_splits(files: Sequence[os.PathLike[str]]) -> None:
    """Warn if the names of files that are read as one table have several splits, such as train and test."""
    found = (_SPLIT.search(Path(file).name) for file in files)
    splits = sorted({name[1].lower() for name in found if name is not None})
    if len(splits) > 1:
        warn(
            f"files of {' and '.join(splits)} are read together, as one table; name those of one split alone"
        )
