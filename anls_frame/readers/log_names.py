"""Which files of a folder are logs, and what the names of logs say: task, time and model of a run."""

from __future__ import annotations

import errno
import json
import os
import re
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from anls_frame._paths import is_many
from anls_frame.exceptions import warn
from anls_frame.files.file import SUFFIXES, File, check_regular, without_compression
from anls_frame.files.folders import files_named, is_one_of
from anls_frame.readers.descriptions import READERS

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
    """Return the model's name from the results of the run, written by the harness next to the samples."""
    for name in (f"results_{run.time}.json", f"{run.time}_results.json"):
        try:
            results = json.loads((path.parent / name).read_bytes())
        except (OSError, ValueError, RecursionError):
            continue
        model_name = member(results, "model_name") or member(member(results, "config"), "model")
        if isinstance(model_name, str) and model_name:
            return model_name
    return None


def member(value: Any, key: str) -> Any:
    """Return the value of a key, null if this is no object."""
    return value.get(key) if isinstance(value, dict) else None


_SUFFIXES = {*SUFFIXES, *(suffix for kind in READERS.values() for suffix in kind.suffixes)}


# Harnesses write a file of aggregated results next to the samples.
_AGGREGATED = re.compile(r'\{\s*"results"\s*:\s*\{')


def matching(name: str | os.PathLike[str], without: Collection[Path] = ()) -> list[File]:
    """Return the file, or the files that match a pattern or that a folder contains, sorted by name."""
    named = File.of(name)
    if not is_many(named.path):
        named.check()
        return [named]
    files: dict[Path, File] = {}

    def is_wanted(path: Path) -> bool:
        return is_log(files.setdefault(path, File(path)))

    found = [path for path in files_named(named, is_wanted, "logs") if not is_one_of(path, without)]
    found = _without_shards(found)
    logs = [files.get(path) or File(path) for path in found]
    if not named.path.is_dir():
        logs = [file for file in logs if not is_aggregated(file)]
    if not logs:
        raise FileNotFoundError(errno.ENOENT, "nothing but gold is here", str(named))
    return logs


def _without_shards(logs: Sequence[Path]) -> list[Path]:
    """Return logs without those of Inspect's shards that one of them merges; warn that they are skipped."""
    merged = {log.with_suffix(".shards"): log for log in logs if log.suffix == ".eval"}
    shards = [log for log in logs if log.parent.parent in merged and log.parent.name.isdigit()]
    for folder in dict.fromkeys(log.parent.parent for log in shards):
        warn(f"skipped {folder}: its samples are in {merged[folder].name}")
    return [log for log in logs if log not in shards]


def is_aggregated(file: File) -> bool:
    """Return whether a file holds aggregated results without rows; a note says that it is skipped."""
    path = file.path
    if path.suffix.lower() != ".json" or not path.is_file() or is_log(file):
        return False
    warn(f"skipped {path}: it has aggregated results, not rows")
    return True


def is_log(file: File) -> bool:
    """Return whether a file may hold rows: not hidden, in a known format, and not aggregated results."""
    path = file.path
    if path.name.startswith(".") or not format_suffix(path):
        return False
    check_regular(path)
    if path.suffix.lower() != ".json" or not path.stat().st_size:
        return True
    return not _AGGREGATED.match(file.beginning.lstrip())


def format_suffix(file: Path) -> str:
    """Return the suffix of the format and compression, such as `.jsonl.gz` for `model-1.5.jsonl.gz`."""
    plain = without_compression(file)
    return file.name.removeprefix(plain.stem) if plain.suffix.lower() in _SUFFIXES else ""
