"""
Time and memory of slices: `python benchmarks/many_slices.py [TASK]`.

Each task runs in a process of its own, as peak memory is that of a process: with Python, the libraries and
the rows. Without arguments, all tasks run, and the lines of the table are printed that `bench.py` writes.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from typing import NamedTuple

import numpy as np
import polars as pl
from inputs import values_and_losses
from large import peak_mib

import anls_frame as af
from anls_frame.slices.tables import combinations
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.losses import added


class Task(NamedTuple):
    """Rows and their columns, and what may be taken for their slices."""

    rows: int
    columns: int
    levels: int
    depth: int
    seconds: float
    mib: int | None = None
    documents: int | None = None
    """How many there are; None for tables without a search."""

    def __str__(self) -> str:
        what = f"{self.rows:,} rows, {self.columns} columns of {self.levels} values, depth {self.depth}"
        if self.documents is None:
            return f"tables, {what}"
        return f"`find_slices`, 199 draws, {self.documents:,} documents, {what}"


TASKS = {
    "tables": Task(50_000, 20, 3, 3, seconds=0.5, mib=200),
    "long tables": Task(1_000_000, 10, 3, 3, seconds=1.5),
    "search": Task(50_000, 20, 4, 2, seconds=5, documents=1_000),
    "deep search": Task(50_000, 20, 4, 3, seconds=40, documents=1_000),
    "long search": Task(50_000, 20, 10, 2, seconds=40, documents=5_000),
}


def run(task: Task) -> tuple[int, float, float, float]:
    """Return the number of slices, seconds, CPU seconds and peak MiB."""
    values, losses = values_and_losses(task.rows, task.columns, task.levels)
    if task.documents is None:
        columns = [Codes(one, task.levels) for one in np.ascontiguousarray(values.T)]
        start, cpu = time.perf_counter(), time.process_time()
        count = 0
        for codes in combinations(columns, task.depth):
            added(codes.codes, losses, codes.size)
            count += int(np.count_nonzero(np.bincount(codes.codes, minlength=codes.size)))
    else:
        frame = pl.DataFrame(values, schema=[f"column {place}" for place in range(task.columns)])
        frame = frame.with_columns(loss=losses, document=np.arange(task.rows) % task.documents)
        metric = af.Metric("loss", higher_is_better=False, bounds=(0, 1))
        start, cpu = time.perf_counter(), time.process_time()
        count = af.find_slices(
            frame, cluster="document", metrics=metric, depth=task.depth, search=af.SliceSearch(holdout=0)
        ).n_slices
    return count, time.perf_counter() - start, time.process_time() - cpu, peak_mib()


def line(name: str, task: Task) -> str:
    """Run a task in a process of its own, three times, and return the line of the fastest run."""
    command = [sys.executable, __file__, name]
    runs = [
        json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)  # noqa: S603 - this script
        for _ in range(3)
    ]
    count, seconds, cpu, _ = min(runs, key=lambda one: one[1])
    peak = max(one[3] for one in runs)
    goals = [f"≤ {task.seconds:g} s", *([f"≤ {task.mib} MiB"] if task.mib else [])]
    met = seconds <= task.seconds and (not task.mib or peak <= task.mib)
    return (
        f"| {task} | {count:,} | {seconds:.2f} | {cpu:.2f} | {peak:,.0f} | {', '.join(goals)} "
        f"| {'met' if met else '**missed**'} |"
    )


def lines() -> list[str]:
    """Return the lines of the table."""
    return [
        "| slices, each in a new process | slices | seconds | CPU s | peak MiB | goal | |",
        "|---|---:|---:|---:|---:|---|---|",
        *(line(name, task) for name, task in TASKS.items()),
    ]


if __name__ == "__main__":
    if len(sys.argv) > 1:
        sys.stdout.write(json.dumps(run(TASKS[sys.argv[1]])))
    else:
        sys.stdout.write("\n".join(lines()) + "\n")
