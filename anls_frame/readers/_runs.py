"""Runs of lmms-eval and the LM evaluation harness: task and time from file names, and the model."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from anls_frame._text import listed, numbered, quoted
from anls_frame.readers._problems import Problems

Runs: TypeAlias = Literal["error", "newest", "all"]

_SAMPLES = (
    re.compile(r"samples_(?P<task>.+)_(?P<time>\d{4}-\d\d-\d\d(?:T[\d.-]+)?)\.(?:jsonl|ndjson)"),
    re.compile(r"(?P<time>\d{8}(?:_\d{4,6})?)_samples_(?P<task>.+?)\.(?:jsonl|ndjson)"),
)


class Run(NamedTuple):
    """The task of a file of samples and the time of its run, as written in the file name."""

    task: str
    time: str


def run_of(path: Path) -> Run | None:
    """Return the run of a file of samples: `samples_TASK_TIME.jsonl` or `TIME_samples_TASK.jsonl`."""
    for pattern in _SAMPLES:
        match = pattern.match(path.name)
        if match is not None:
            return Run(match["task"], match["time"])
    return None


def model(path: Path, run: Run) -> str | None:
    """Return the model's name from the results of the run, written by the harness beside the samples."""
    for name in (f"results_{run.time}.json", f"{run.time}_results.json"):
        try:
            results = json.loads((path.parent / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        model_name = member(results, "model_name") or member(member(results, "config"), "model")
        if isinstance(model_name, str) and model_name:
            return model_name
    return None


def repeated(files: Iterable[Path]) -> dict[tuple[Path, str], list[Path]]:
    """Return the files of repeatedly run tasks, by folder and task, oldest first."""
    runs: dict[tuple[Path, str], list[tuple[str, Path]]] = defaultdict(list)
    for file in files:
        run = run_of(file)
        if run is not None:
            runs[file.parent, run.task].append((run.time, file))
    return {key: [file for _, file in sorted(several)] for key, several in runs.items() if len(several) > 1}


def chosen(files: Sequence[Path], runs: Runs) -> list[Path]:
    """
    Return the files to read of a folder or a pattern.

    Raises
    ------
    InputError
        If a task was run several times, unless `runs` says which runs to read.
    """
    several = {} if runs == "all" else repeated(files)
    problems = Problems()
    older: set[Path] = set()
    for (folder, task), files_of_task in several.items():
        older.update(files_of_task[:-1])
        if runs == "error":
            times = listed([run.time for run in map(run_of, files_of_task) if run is not None])
            problems.add(
                f"holds {numbered(len(files_of_task), 'run')} of task {quoted(task)} ({times}); to read the "
                "newest, pass runs='newest'; to read all, as repeats, runs='all'",
                path=folder,
            )
    problems.raise_any()
    return [file for file in files if file not in older]


def member(value: Any, key: str) -> Any:
    """Return the value of a key, null if this is no object."""
    return value.get(key) if isinstance(value, dict) else None
