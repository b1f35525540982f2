"""Which files are meant by arguments: names, folders, and patterns that the shell left as they are."""

from __future__ import annotations

import glob
from pathlib import Path
from typing import TYPE_CHECKING

from anls_frame._text import path_text
from anls_frame.exceptions import warn
from anls_frame.readers import _log_files, _runs
from anls_frame.readers._compressed import FORMATS as COMPRESSIONS

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from anls_frame.readers._runs import Runs


def is_many(path: Path) -> bool:
    """Whether an argument names a folder or a pattern."""
    return path.is_dir() or (not path.exists() and glob.has_magic(str(path)))


def by_system(
    arguments: Sequence[Path], without: Collection[Path], runs: Runs, *, of_one: bool = False
) -> dict[Path, list[Path]]:
    """
    Return the files of each system, by the argument, file or folder that they come from.

    One folder or pattern holds the systems, unless it is `of_one`: each file or folder in it is one. Several
    arguments are a system each, and `without` are files beside them that are none, such as the data set.
    """
    holds_systems = len(arguments) == 1 and is_many(arguments[0]) and not of_one
    given = _in(arguments[0], without) if holds_systems else list(arguments)
    kept = [path for path in given if len(given) == 1 or not _is_aggregated(path)]
    return {path: files(path, without, runs) for path in kept}


def files(argument: Path, without: Collection[Path], runs: Runs) -> list[Path]:
    """Return the file, or the files of a folder or pattern that may hold rows."""
    if not is_many(argument):
        return [argument]
    try:
        found = [path for path in _log_files.matching(argument) if not _is_one_of(path, without)]
    except FileNotFoundError:
        if not argument.is_dir():
            raise
        found = []
    if not found:
        advice = "for pages of OCR, name the ground truth with --gold"
        raise ValueError(f"{argument}: this folder contains no logs; {advice}")
    found = found if argument.is_dir() else [path for path in found if not _is_aggregated(path)]
    return _runs.chosen(found, runs)


def name_of(path: Path) -> str:
    """Return a name for the system: that of the folder, or of the file without its format."""
    if is_many(path):
        return path_text(path.resolve().name if path.is_dir() else path)
    if _runs.of(path) is not None:  # the file's name has the task and the time, and the folder's the model
        return path_text(path.resolve().parent.name)
    # A name such as model-1.5.jsonl has other dots too.
    named = Path(path.stem) if path.suffix.lower() in COMPRESSIONS else path
    return path_text(named.stem or path.name)


def _in(argument: Path, without: Collection[Path]) -> list[Path]:
    """Return the files and folders of a folder or pattern that may hold rows."""
    if not argument.is_dir():
        matches = map(Path, glob.glob(str(argument), recursive=True))  # noqa: PTH207 - as in `matching`
        found = sorted(path for path in matches if not _is_one_of(path, without))
        logs = [path for path in found if path.is_dir() or _log_files.is_log(path, path.parent)]
        return logs or found or _log_files.matching(argument)
    names = (path.relative_to(argument).parts[0] for path in files(argument, without, "all"))
    found = [argument / name for name in dict.fromkeys(names)]
    # A folder whose logs all lie in one folder, such as that of a date.
    return _in(found[0], without) if len(found) == 1 and found[0].is_dir() else found


def _is_aggregated(path: Path) -> bool:
    """Whether a file holds a harness's figures and no rows; a note says that it is passed over."""
    if path.suffix.lower() != ".json" or not path.is_file() or _log_files.is_log(path, path.parent):
        return False
    warn(f"passed over: {path}: holds figures of a harness, and no rows")
    return True


def _is_one_of(path: Path, others: Collection[Path]) -> bool:
    return any(path.exists() and other.exists() and path.samefile(other) for other in others)
