"""
The ways to a report that `scale.py` measures, each in a process of its own.

    python benchmarks/scale_ways.py WAY FILE [--cluster]

Prints the report as JSON. WAY is memory, streaming, daft, ray, score (write the rows with their scores) or
costs (of summaries, which prints figures).
"""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

TEXTS = ("prediction", "answers")
BY = "types"
CLUSTER = "doc_id"
WORKERS = 2
OBJECT_STORE = 1 << 30
PARTS = 8
MANY = 200


def memory(path: Path, cluster: str | None) -> Any:
    """Report a frame that was read whole."""
    import polars as pl  # noqa: PLC0415 - each way imports its own

    import anls_frame as af  # noqa: PLC0415

    frame = pl.read_parquet(path, columns=[*TEXTS, BY, *([cluster] if cluster else [])])
    return af.report(frame, *TEXTS, by=BY, cluster=cluster)


def streaming(path: Path, cluster: str | None) -> Any:
    """Report a file while it is read."""
    import polars as pl  # noqa: PLC0415

    import anls_frame as af  # noqa: PLC0415

    return af.report(pl.scan_parquet(path), *TEXTS, by=BY, cluster=cluster)


def on_daft(path: Path, cluster: str | None) -> Any:
    """Report on Daft's own runner."""
    os.environ["DO_NOT_TRACK"] = "1"
    import daft  # noqa: PLC0415

    import anls_frame as af  # noqa: PLC0415

    daft.set_runner_native()
    return af.report(daft.read_parquet(str(path)), *TEXTS, by=BY, cluster=cluster)


def on_ray(path: Path, cluster: str | None) -> Any:
    """Report on Daft over a Ray cluster: two workers with one CPU each, and a driver that does no work."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "DAFT_PROGRESS_BAR": "0", "DO_NOT_TRACK": "1"}
    import daft  # noqa: PLC0415
    import ray  # noqa: PLC0415
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    import anls_frame as af  # noqa: PLC0415

    nodes = Cluster()
    nodes.add_node(num_cpus=0, object_store_memory=OBJECT_STORE, include_dashboard=False)
    for _ in range(WORKERS):
        nodes.add_node(num_cpus=1, object_store_memory=OBJECT_STORE)
    ray.init(address=nodes.address, logging_level="error", log_to_driver=False)
    daft.set_runner_ray(noop_if_initialized=True)
    start = time.perf_counter()
    report = af.report(daft.read_parquet(str(path)), *TEXTS, by=BY, cluster=cluster)
    sys.stderr.write(f"without the start of the cluster {time.perf_counter() - start:.1f} s\n")
    ray.shutdown()
    nodes.shutdown()
    return report


def score(path: Path, _: str | None) -> None:
    """Write the rows with their scores."""
    import polars as pl  # noqa: PLC0415

    import anls_frame  # noqa: F401, PLC0415 - the namespace

    pl.scan_parquet(path).anls.add_scores(*TEXTS).sink_parquet(path.with_suffix(".scored"))  # type: ignore[attr-defined]


WAYS: dict[str, Callable[[Path, str | None], Any]] = {
    "memory": memory,
    "streaming": streaming,
    "daft": on_daft,
    "ray": on_ray,
    "score": score,
}


def seconds(work: Callable[[], Any]) -> float:
    """Return how long it takes, the fastest of three."""
    taken = []
    for _ in range(3):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


def costs(path: Path) -> dict[str, float]:
    """Return what rows and summaries take, of a file."""
    import polars as pl  # noqa: PLC0415

    rows = pl.scan_parquet(path).select(pl.len()).collect().item()
    read = pl.read_parquet(path)
    return {
        "bytes per row in Parquet": path.stat().st_size / rows,
        "bytes per row in memory": read.estimated_size() / rows,
        **costs_of_parts(read, path.with_suffix(".summary")),
        **costs_of_clusters(read, path.with_suffix(".summary")),
    }


def costs_of_parts(read: Any, saved: Path) -> dict[str, float]:
    """Return what a summary without clusters takes, which depends on the slices alone."""
    import anls_frame as af  # noqa: PLC0415

    parts = [af.summarize(read[part * 1000 : (part + 1) * 1000], *TEXTS, by=BY) for part in range(MANY)]
    whole = af.merge(parts)
    whole.save(saved)
    found = {
        "cells without clusters": whole.report_sums.cells[None].height,
        "bytes of the summary": saved.stat().st_size,
        "milliseconds to save it": seconds(lambda: whole.save(saved)) * 1e3,
        "milliseconds to load it": seconds(lambda: af.Summary.load(saved)) * 1e3,
        "milliseconds to merge a part": seconds(lambda: af.merge(parts)) / MANY * 1e3,
        "milliseconds for the report": seconds(lambda: af.Report(whole).by_group) * 1e3,
    }
    saved.unlink()
    return found


def costs_of_clusters(read: Any, saved: Path) -> dict[str, float]:
    """Return what a summary with clusters takes, for a million cells."""
    import anls_frame as af  # noqa: PLC0415

    size = read.height // PARTS
    parts = [
        af.summarize(read[part * size : (part + 1) * size], *TEXTS, by=BY, cluster=CLUSTER)
        for part in range(PARTS)
    ]
    whole = af.merge(parts)
    whole.save(saved)
    millions = whole.report_sums.cells[None].height / 1e6
    found = {
        "cells with clusters": whole.report_sums.cells[None].height,
        "bytes per cell in the file": saved.stat().st_size / whole.report_sums.cells[None].height,
        "bytes per cell in memory": whole.report_sums.cells[None].estimated_size()
        / whole.report_sums.cells[None].height,
        "seconds to save a million cells": seconds(lambda: whole.save(saved)) / millions,
        "seconds to load a million cells": seconds(lambda: af.Summary.load(saved)) / millions,
        f"seconds to merge a million cells, {PARTS} parts": seconds(lambda: af.merge(parts)) / millions,
        "seconds to report a million cells": seconds(lambda: af.Report(whole).by_group) / millions,
        "seconds to fold a million cells": seconds(whole.fold_clusters) / millions,
    }
    whole.fold_clusters().save(saved)
    found["bytes of the summary, clusters folded"] = saved.stat().st_size
    saved.unlink()
    return found


def main() -> None:
    """Run one way."""
    way, path = sys.argv[1], Path(sys.argv[2])
    if way == "costs":
        sys.stdout.write(json.dumps(costs(path)))
        return
    report = WAYS[way](path, CLUSTER if "--cluster" in sys.argv else None)
    if report is not None:
        from anls_frame.export.json_files import write_json  # noqa: PLC0415

        write_json(report.to_document(), sys.stdout.buffer)


if __name__ == "__main__":
    main()
