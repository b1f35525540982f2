"""
A report over many rows from Parquet, by a list column, on the streaming engine.

    python benchmarks/large.py report FILE      # seconds and peak memory of a report
    python benchmarks/large.py plugin FILE      # of the same plan with polars-ds as its only metric
    python benchmarks/large.py clusters FILE    # of a report with clusters, from scale_rows.py

Each in a process of its own, as peak memory is that of a process.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import polars as pl
from inputs import short_pairs

import anls_frame as af  # both processes import it

BATCH = 1_000_000


def write(path: Path, rows: int) -> None:
    """Write a table of short pairs with overlapping types, in groups of rows."""
    types = [["form"], ["table", "form"], ["layout"], ["free_text"], ["handwritten", "form"], ["others"]]
    batch = short_pairs(BATCH).with_columns(types=pl.Series(types * (BATCH // 6 + 1))[:BATCH])
    pl.concat([batch.lazy()] * (rows // BATCH)).sink_parquet(path, row_group_size=250_000)


def plugin(path: Path) -> None:
    """Compute the mean similarity by types with polars-ds."""
    import polars_ds  # noqa: PLC0415 - not in the process of the report

    score = polars_ds.str_leven("prediction", "answer", return_sim=True)
    plan = pl.scan_parquet(path).with_columns(score=score)
    plan.group_by("types").agg(pl.len(), pl.col("score").mean()).collect(engine="streaming")


def peak_mib() -> float:
    """Return the peak memory of this process; `getrusage` would count that of the process it came from."""
    status = Path("/proc/self/status").read_text(encoding="ascii").splitlines()
    return next(int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:"))


def measured(name: str, path: Path) -> tuple[float, float]:
    """Run one of the two in a fresh process; seconds and MiB."""
    command = [sys.executable, __file__, name, str(path)]
    answer = subprocess.run(command, capture_output=True, text=True, check=True)  # noqa: S603 - this script
    seconds, peak = json.loads(answer.stdout)
    return seconds, peak


def lines(rows: int) -> list[str]:
    """Return the lines of the table."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        write(path, rows)
        # Interleaved; the fastest of three.
        runs = [(measured("report", path), measured("plugin", path)) for _ in range(3)]
    own, peak = min(run[0] for run in runs)
    rival, rival_peak = min(run[1] for run in runs)
    ratio = own / rival
    met = "met" if ratio <= 1.5 and peak <= 600 else "**missed**"
    return [
        "| report by a list column, streaming | seconds | peak MiB | against polars-ds alone | goal | |",
        "|---|---:|---:|---:|---|---|",
        " | ".join(
            [
                f"| {rows / 1e6:g} M rows, all scores and their intervals",
                f"{own:.2f}",
                f"{peak:.0f}",
                f"{ratio:.2f}x its time ({rival:.2f} s, {rival_peak:.0f} MiB)",
                "≤ 1.5x, ≤ 600 MiB",
                f"{met} |",
            ]
        ),
    ]


def cluster_lines(rows: int) -> list[str]:
    """Return the lines of the table of clusters, of which each has 20 rows in slices of several types."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows.parquet"
        script = str(Path(__file__).with_name("scale_rows.py"))
        subprocess.run([sys.executable, script, str(rows), str(path)], check=True)  # noqa: S603 - ours
        runs = [measured("clusters", path) for _ in range(3)]
    seconds, peak = min(run[0] for run in runs), max(run[1] for run in runs)
    met = "met" if seconds <= rows / 2e6 and peak <= 1_200e6 / 2**20 else "**missed**"
    taken = f"{seconds:.1f} | {peak:,.0f} | ≤ {rows / 2e6:g} s, ≤ 1.2 GB | {met}"
    return [
        "| report by a list column with clusters of 20 rows, streaming | seconds | peak MiB | goal | |",
        "|---|---:|---:|---|---|",
        f"| {rows / 1e6:g} M rows in {rows // 20:,} clusters | {taken} |",
    ]


if __name__ == "__main__":
    task, file = sys.argv[1], Path(sys.argv[2])
    start = time.perf_counter()
    if task == "plugin":
        plugin(file)
    elif task == "clusters":
        report = af.report(pl.scan_parquet(file), "prediction", "answers", by="types", cluster="doc_id")
        report.overall, report.by_group  # noqa: B018 - computes them
    else:
        af.report(pl.scan_parquet(file), "prediction", "answer", by="types").by_group  # noqa: B018 - computes it
    taken = time.perf_counter() - start
    sys.stdout.write(json.dumps([taken, peak_mib()]))
