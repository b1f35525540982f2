"""
Comparisons of many systems: `python benchmarks/many_systems.py [TASK FILE]`.

Each task runs in a process of its own, as peak memory is that of a process. The rows are drawn; clusters
cross all slices, so that there are as many cells as there can be. Without arguments, all tasks run, and the
lines of the table are printed that `bench.py` writes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
from large import peak_mib

import anls_frame as af


class Task(NamedTuple):
    """A comparison, and what it may take."""

    rows: int
    systems: int
    clusters: int
    has_texts: bool
    is_sliced: bool
    seconds: float | None
    """Goal for the comparison with its ranking and all differences."""
    mib: int | None


TASKS = {
    "200": Task(5_000, 200, 250, has_texts=False, is_sliced=False, seconds=2, mib=None),
    "50": Task(1_000_000, 50, 50_000, has_texts=False, is_sliced=True, seconds=None, mib=1024),
    "texts": Task(200_000, 50, 50_000, has_texts=True, is_sliced=True, seconds=None, mib=1024),
}
SLICES = 20
WORDS = ("invoice", "total", "12 EUR", "Jackson and Sons", "2023-05-01", "yes", "no", "Berlin", "42")


def write(path: Path, task: Task) -> None:
    """Write a table with a column for each system, in groups of rows."""
    dice = np.random.default_rng(0)
    columns: dict[str, npt.NDArray[Any]] = {
        "k": dice.integers(0, SLICES, task.rows),
        "doc": dice.integers(0, task.clusters, task.rows),
    }
    if task.has_texts:
        answers = dice.choice(WORDS, task.rows)
        columns["answer"] = answers
        for system in range(task.systems):
            is_wrong = dice.random(task.rows) < 0.1 + system * 0.002
            columns[f"s{system}"] = np.where(is_wrong, dice.choice(WORDS, task.rows), answers)
    else:
        base = dice.random(task.rows)
        for system in range(task.systems):
            scores = base + dice.normal(0, 0.1, task.rows) - system * 0.001
            columns[f"s{system}"] = np.clip(scores, 0, 1).round(3)
    pl.DataFrame(columns).write_parquet(path, row_group_size=50_000)


def run(task: Task, path: Path) -> list[float]:
    """Return the seconds until the sums, ranking and differences are there, CPU seconds, peak MiB."""
    systems = [f"s{system}" for system in range(task.systems)]
    start, cpu = time.perf_counter(), time.process_time()
    answers = "answer" if task.has_texts else None
    by = "k" if task.is_sliced else None
    made = af.compare(pl.scan_parquet(path), systems, answers, by=by, cluster="doc", metrics="anls")
    times = [time.perf_counter() - start]
    _ = made.ranking
    times.append(time.perf_counter() - start)
    made.differences()
    times.append(time.perf_counter() - start)
    return [*times, time.process_time() - cpu, peak_mib()]


def line(name: str, task: Task) -> str:
    """Run a task in a process of its own, twice, and return the line of the faster run."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(path, task)
        command = [sys.executable, __file__, name, str(path)]
        runs = [
            json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603 - this script
            for _ in range(2)
        ]
    made, ranked, whole, cpu, _ = min(runs, key=lambda seconds: seconds[2])
    peak = max(seconds[4] for seconds in runs)
    goals = [f"≤ {task.seconds:g} s"] if task.seconds else []
    goals += [f"≤ {task.mib:,} MiB"] if task.mib else []
    met = (not task.seconds or whole <= task.seconds) and (not task.mib or peak <= task.mib)
    slices = f"{SLICES} slices, " if task.is_sliced else ""
    what = "texts" if task.has_texts else "scores"
    return (
        f"| {task.systems} systems, {task.rows:,} rows of {what}, {slices}{task.clusters:,} clusters "
        f"| {made:.1f} | {ranked - made:.1f} | {whole - ranked:.1f} | {cpu:.1f} | {peak:,.0f} "
        f"| {', '.join(goals)} | {'met' if met else '**missed**'} |"
    )


def lines() -> list[str]:
    """Return the lines of the table."""
    return [
        "| comparison, from Parquet | sums, s | ranking, s | differences, s | CPU s | peak MiB | goal | |",
        "|---|---:|---:|---:|---:|---:|---|---|",
        *(line(name, task) for name, task in TASKS.items()),
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(run(TASKS[sys.argv[1]], Path(sys.argv[2]))))
    else:
        sys.stdout.write("\n".join(lines()) + "\n")
