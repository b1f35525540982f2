"""Resolution of names, patterns and folders to files, and of files to systems."""

from __future__ import annotations

import glob
import os
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Literal, TypeAlias

from anls_frame._messages import Message, Option
from anls_frame._paths import as_names, below_shared, is_many
from anls_frame._text import listed, numbered, path_text, quoted
from anls_frame.files.file import File, without_compression
from anls_frame.files.folders import check_different, checked_name, is_one_of, warn_of_splits
from anls_frame.files.problems import Problems
from anls_frame.frames.usual_names import is_system
from anls_frame.readers.log_names import format_suffix, is_aggregated, is_log, matching, run_of

Runs: TypeAlias = Literal["error", "newest", "all"]


NUMBERED = re.compile(r"\d+(?=-of-\d)|^part[-.]\d+(?=[-.])|^data(_\d+)+(?=\.)|(_00\d{4}){2}(?=\.)")
"""The number of a part of a table, in the names that Spark, Dask, DuckDB, Ray and Hugging Face write."""


def repeated(files: Iterable[File]) -> dict[tuple[Path, str], list[tuple[str, File]]]:
    """Return the times and files of repeatedly run tasks, by folder and task, oldest first."""
    runs: dict[tuple[Path, str], list[tuple[str, File]]] = defaultdict(list)
    for file in files:
        run = run_of(file.path)
        if run is not None:
            runs[file.path.parent, run.task].append((run.time, file))
    return {key: sorted(timed, key=itemgetter(0)) for key, timed in runs.items() if len(timed) > 1}


def runs_chosen(files: Sequence[File], runs: Runs) -> list[File]:
    """
    Return the files to read of a folder, a pattern or, for the newest runs, a list.

    Raises
    ------
    InputError
        If a task was run several times, unless `runs` says which runs to read.
    """
    several = {} if runs == "all" else repeated(files)
    problems = Problems()
    older: set[File] = set()
    for (folder, task), timed in several.items():
        older.update(file for _, file in timed[:-1])
        if runs == "error":
            times = listed(time for time, _ in timed)
            what = f"holds {numbered(len(timed), 'run')} of task {quoted(task)} ({times})"
            newest, every = Option("runs", "newest"), Option("runs", "all")
            advice = Message("; to read the newest, pass ", newest, "; to read all, as repeats, ", every)
            problems.add(Message(what, advice), path=folder)
    problems.raise_any()
    return [file for file in files if file not in older]


Paths: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"
"""A file, a pattern or a folder, or several."""


def by_system(
    logs: Mapping[str, Paths] | Paths, runs: Runs, without: Collection[Path] = (), *, repeats: bool = False
) -> dict[str, list[File]]:
    """
    Return the files of each system, by name, except the files in `without`, which hold no rows of a system.

    Without names, each file or folder is a system. A single folder or pattern contains the systems, unless
    its files are `repeats`. Files of several tasks that a harness wrote to one folder form one system.

    Raises
    ------
    InputError
        If a folder or a pattern has several runs of a task, unless `runs` says which to read.
    OSError
        If a file does not exist, no file matches a pattern, or a folder has no files.
    """
    if isinstance(logs, Mapping):
        systems = {
            checked_name(name, "a system"): files_of(paths, runs, without) for name, paths in logs.items()
        }
    else:
        groups = _systems(logs, runs, without, repeats=repeats)
        systems = dict(zip(names_of(list(groups)), groups.values(), strict=True))
    if not systems:
        raise ValueError("logs must name at least one file")
    check_different([*chain.from_iterable(systems.values())])
    return systems


def _systems(logs: Paths, runs: Runs, without: Collection[Path], *, repeats: bool) -> dict[Path, list[File]]:
    """Return the files of each system, by the file, folder or time of a run that names it."""
    entries = list(map(File.of, as_names(logs, "logs")))
    if len(entries) == 1 and is_many(entries[0].path) and not repeats:
        entries = runs_chosen(_in(entries[0].path, without), runs)
    if len(entries) > 1:
        entries = [entry for entry in entries if not is_aggregated(entry)]
    if runs == "newest":
        entries = runs_chosen(entries, runs)
    again = {folder for folder, _ in repeated(entries)}
    systems: dict[Path, list[File]] = {}
    for entry in entries:
        system = entry.path
        run = None if is_many(system) else run_of(system)
        if run is not None:
            system = system.parent / run.time if system.parent in again else system.parent
        systems.setdefault(system, []).extend(files_of(entry, runs, without))
    return systems


def names_of(systems: Sequence[Path]) -> list[str]:
    """
    Return the names of files or folders, if these are distinct.

    Otherwise, return the paths below the common folder, with suffixes where paths are not distinct without
    them.
    """
    names = list(map(name_of, systems))
    if len(set(names)) == len(names):
        return names
    paths = [path_text(path).replace(os.sep, "/") for path in below_shared(systems)]
    plain = [path.removesuffix(format_suffix(Path(path))) for path in paths]
    counts = Counter(plain)
    return [name if counts[name] == 1 else path for name, path in zip(plain, paths, strict=True)]


def name_of(path: Path) -> str:
    """Return a name for the system: the name of the folder, or of the file without its format."""
    if is_many(path):
        return path_text(path.resolve().name)
    if not path.exists():  # the time of a run in a folder
        return path_text(path.name)
    if run_of(path) is not None:  # the file's name has the task and the time, and the folder's the model
        return path_text(path.resolve().parent.name)
    # A name such as model-1.5.jsonl has other dots too.
    return path_text(without_compression(path).stem or path.name)


def files_of(paths: Paths, runs: Runs, without: Collection[Path] = ()) -> list[File]:
    """Return the file, or the files of folders and patterns that may hold rows of a system."""
    files: list[File] = []
    for path in as_names(paths, "a system"):
        files += runs_chosen(matching(path, without), runs)
    warn_of_splits(files)
    return runs_chosen(files, runs) if runs == "newest" else files


def _in(argument: Path, without: Collection[Path]) -> list[File]:
    """Return the files and folders of a folder or pattern that may hold rows."""
    if not argument.is_dir():
        matches = map(Path, glob.glob(str(argument), recursive=True))  # noqa: PTH207 - as in `files_at`
        entries = [File(path) for path in sorted(matches) if not is_one_of(path, without)]
        logs = [entry for entry in entries if entry.path.is_dir() or is_log(entry)]
        return logs or entries or matching(argument)
    below: dict[Path, File] = {}
    for file in matching(argument, without):
        is_here = file.path.parent == argument
        path = file.path if is_here else argument / file.path.relative_to(argument).parts[0]
        below.setdefault(path, file if is_here else File(path))
    entries = list(below.values())
    parts = {path.name.partition("=")[0] for path in below if "=" in path.name and path.is_dir()}
    are_numbered = len({NUMBERED.sub("", path.name) for path in below}) == 1 < len(below)
    if are_numbered or (parts and not any(map(is_system, parts))):
        # Folders of the names `lang=de` are parts of one table, those of `model=a` are systems.
        return [File(argument)]
    # A folder whose logs all lie in one folder, such as that of a date.
    is_single = len(entries) == 1 and entries[0].path.is_dir()
    return _in(entries[0].path, without) if is_single else entries
