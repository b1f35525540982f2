"""Which files are meant by names, patterns and folders, and which system each belongs to."""

from __future__ import annotations

import errno
import glob
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

from anls_frame._text import path_text
from anls_frame.exceptions import warn
from anls_frame.readers import _compressed, _content, _pipes, _runs
from anls_frame.readers._problems import Advice, Option
from anls_frame.readers.descriptions import READERS

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.readers._runs import Runs

Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"
"""A file, a pattern or a folder, or several."""

_SUFFIXES = {*_content.SUFFIXES, *(suffix for kind in READERS.values() for suffix in kind.suffixes)}
# Harnesses write a file of aggregated results beside the samples.
_AGGREGATED = re.compile(r'\{\s*"results"\s*:\s*\{')
_PEEK = 4096


def by_system(
    logs: Mapping[str, Paths] | Paths, runs: Runs, without: Collection[Path] = ()
) -> dict[str, list[Path]]:
    """
    Return the files of each system, by name; `without` are files beside them that hold no rows of a system.

    Without names, each file is a system, named after its path below the folder that all files share. The
    files that a harness wrote to one folder, one for each task, are one system, named after the folder.

    Raises
    ------
    InputError
        If a folder or a pattern has several runs of a task, unless `runs` says which of them to read.
    OSError
        If there is no such file, or no file matches a pattern or is in a folder.
    """
    if isinstance(logs, Mapping):
        found = {}
        for name, paths in logs.items():
            if not isinstance(name, str) or not name:
                raise TypeError(f"the name of a system must be a string that is not empty, got {name!r}")
            found[name] = files_of(paths, runs, without)
    else:
        files = files_of(logs, runs, without)
        found = {}
        for name, file in zip(_names(files), files, strict=True):
            found.setdefault(name, []).append(file)
    if not found:
        raise ValueError("logs must name at least one file")
    _check_different([file for files in found.values() for file in files])
    return found


def by_argument(
    arguments: Sequence[Path], runs: Runs, without: Collection[Path], *, of_one: bool = False
) -> dict[str, list[Path]]:
    """
    Return the files of each system, by name, where the arguments of a command are the systems.

    One folder or pattern holds the systems, unless it is `of_one`: each file or folder in it is one.
    """
    holds_systems = len(arguments) == 1 and is_many(arguments[0]) and not of_one
    given = _in(arguments[0], without) if holds_systems else list(arguments)
    systems = [path for path in given if len(given) == 1 or not _is_aggregated(path)]
    files = [files_of(path, runs, without) for path in systems]
    return dict(zip(names_of(systems), files, strict=True))


def names_of(systems: Sequence[Path]) -> list[str]:
    """Return the name of each file or folder, with its folder if names alone do not differ."""
    names = list(map(name_of, systems))
    return names if len(set(names)) == len(names) else list(map(path_text, systems))


def name_of(path: Path) -> str:
    """Return a name for the system: that of the folder, or of the file without its format."""
    if is_many(path):
        return path_text(path.resolve().name if path.is_dir() else path)
    if _runs.of(path) is not None:  # the file's name has the task and the time, and the folder's the model
        return path_text(path.resolve().parent.name)
    # A name such as model-1.5.jsonl has other dots too.
    named = Path(path.stem) if _compressed.is_compressed(path) else path
    return path_text(named.stem or path.name)


def is_many(path: Path) -> bool:
    """Whether this names a folder or a pattern."""
    return path.is_dir() or (not path.exists() and glob.has_magic(str(path)))


def files_of(paths: Paths, runs: Runs, without: Collection[Path] = ()) -> list[Path]:
    """Return the file, those of a folder or a pattern that may hold rows, or those of several of these."""
    if isinstance(paths, str | os.PathLike):
        found = matching(paths, without)
        return found if found == [_content.as_path(paths)] else _runs.chosen(found, runs)
    if not isinstance(paths, Iterable):
        raise TypeError(f"logs must be names of files, patterns or folders, got {type(paths).__name__}")
    files = [file for path in paths for file in files_of(path, runs, without)]
    if not files:
        raise ValueError("each system must have at least one file")
    return files


def matching(name: str | os.PathLike[str], without: Collection[Path] = ()) -> list[Path]:
    """Return the file, or the files that match a pattern or that a folder contains, sorted by name."""
    path = _content.as_path(name)
    if not is_many(path):
        _content.check_file(path)
        return [path]
    found = [file for file in found_by(path, is_log, "logs") if not _is_one_of(file, without)]
    if not path.is_dir():
        found = [file for file in found if not _is_aggregated(file)]
    if not found:
        raise FileNotFoundError(errno.ENOENT, "nothing but gold is here", str(path))
    return found


def _in(argument: Path, without: Collection[Path]) -> list[Path]:
    """Return the files and folders of a folder or pattern that may hold rows."""
    if not argument.is_dir():
        matches = map(Path, glob.glob(str(argument), recursive=True))  # noqa: PTH207 - as in `found_by`
        found = sorted(path for path in matches if not _is_one_of(path, without))
        logs = [path for path in found if path.is_dir() or is_log(path, path.parent)]
        return logs or found or matching(argument)
    names = (path.relative_to(argument).parts[0] for path in matching(argument, without))
    found = [argument / name for name in dict.fromkeys(names)]
    # A folder whose logs all lie in one folder, such as that of a date.
    return _in(found[0], without) if len(found) == 1 and found[0].is_dir() else found


def _is_aggregated(path: Path) -> bool:
    """Whether a file holds a harness's figures and no rows; a note says that it is passed over."""
    if path.suffix.lower() != ".json" or not path.is_file() or is_log(path, path.parent):
        return False
    warn(f"passed over: {path}: holds figures of a harness, and no rows")
    return True


def _is_one_of(path: Path, others: Collection[Path]) -> bool:
    return any(path.exists() and other.exists() and path.samefile(other) for other in others)


def found_by(name: str | os.PathLike[str], is_wanted: Callable[[Path, Path], bool], what: str) -> list[Path]:
    """Return the file, or those that match a pattern or, in a folder, are wanted, sorted by name."""
    path = _content.as_path(name)
    if path.is_dir():
        below = (Path(folder, file) for folder, _, files in os.walk(path) for file in files)
        found = sorted(file for file in below if is_wanted(file, path))
        if not found:
            advice = Advice(
                f"this folder contains no {what}; of pages, name the ground truth with ", Option("gold")
            )
            raise FileNotFoundError(errno.ENOENT, advice, str(path))
        return found
    if not is_many(path):
        return [path]
    matches = glob.glob(str(path), recursive=True)  # noqa: PTH207 - a Path has no absolute patterns
    found = sorted(file for file in map(Path, matches) if file.is_file())
    if not found:
        raise FileNotFoundError(errno.ENOENT, "no file matches this pattern", str(path))
    return found


def is_log(file: Path, folder: Path) -> bool:
    """Whether a file in a folder may hold rows: not hidden, of a known format, and not aggregated results."""
    if is_hidden(file, folder):
        return False
    if not _format_suffix(file):
        return False
    _pipes.check_regular(file)
    if file.suffix.lower() != ".json" or not file.stat().st_size:
        return True
    return not _AGGREGATED.match(_content.beginning(file, _PEEK).decode(errors="replace").lstrip())


def is_hidden(file: Path, folder: Path) -> bool:
    """Whether a file, or a folder below this one that it is in, has a name that begins with a dot."""
    return any(part.startswith(".") for part in file.relative_to(folder).parts)


def _names(files: list[Path]) -> list[str]:
    """Return the shortest names of this kind that differ: without suffixes where they are not needed."""
    absolute = [file.absolute() for file in files]
    shared = os.path.commonpath([file.parent for file in absolute])
    systems = _systems(absolute)
    whole = {
        system: path_text(system.relative_to(shared) if system != Path(shared) else system.name)
        for system in systems
    }
    names = {system: name.replace(os.sep, "/") for system, name in whole.items()}
    plain = {system: name.removesuffix(_format_suffix(Path(name))) for system, name in names.items()}
    counts = Counter(plain.values())
    return [plain[one] if counts[plain[one]] == 1 else names[one] for one in systems]


def _systems(files: list[Path]) -> list[Path]:
    """Return what names the system of each file: the file, or the folder (and time) of a harness' run."""
    several = {folder for folder, _ in _runs.repeated(files)}
    runs = map(_runs.of, files)
    return [
        file if run is None else file.parent / run.time if file.parent in several else file.parent
        for file, run in zip(files, runs, strict=True)
    ]


def _format_suffix(file: Path) -> str:
    """Return the suffix that names the format, compression included; of `model-1.5.jsonl.gz`, `.jsonl.gz`."""
    packed = file.suffix if _compressed.is_compressed(file) else ""
    of_format = Path(file.name.removesuffix(packed)).suffix
    return of_format + packed if of_format.lower() in _SUFFIXES else ""


def _check_different(files: list[Path]) -> None:
    first: dict[str, Path] = {}
    for file in files:
        same = first.setdefault(os.path.realpath(file), file)
        if same is not file:
            raise ValueError(f"{file} occurs twice; each file must belong to one system, and only once")
