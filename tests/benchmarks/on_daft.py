"""
A report over many rows from Parquet, by a list column, on Daft.

    .venv-daft/bin/python tests/benchmarks/on_daft.py native FILE
    target/ray/bin/python tests/benchmarks/on_daft.py ray FILE     # after `.ci/heavy ray`

Writes seconds, and MiB that this process and the largest worker took at most. On Ray: two workers of one core
each, which run already, on this machine. `large.py` writes such a file.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from anls_frame import distributed

import daft  # isort: skip - after the module that switches its telemetry off

if TYPE_CHECKING:
    from collections.abc import Iterator

WORKERS = 2
OBJECT_STORE = 1 << 30


@contextlib.contextmanager
def ray_cluster() -> Iterator[None]:
    """Start a cluster whose driver has no CPUs, so that the workers do everything."""
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "DAFT_PROGRESS_BAR": "0"}
    import ray  # noqa: PLC0415 - not where Daft runs alone
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    cluster = Cluster()
    cluster.add_node(num_cpus=0, object_store_memory=OBJECT_STORE, include_dashboard=False)
    for _ in range(WORKERS):
        cluster.add_node(num_cpus=1, object_store_memory=OBJECT_STORE)
    ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
    daft.set_runner_ray(noop_if_initialized=True)
    # The first query starts the workers.
    _ = distributed.report(daft.from_pydict({"p": ["a"] * 4, "a": ["a"] * 4}), "p", "a", batch_rows=1)
    yield
    ray.shutdown()
    cluster.shutdown()


def report(path: Path) -> float:
    """Report a file; seconds."""
    start = time.perf_counter()
    _ = distributed.report(daft.read_parquet(str(path)), "prediction", "answer", by="types").by_group
    return time.perf_counter() - start


def peak_mib(process: str = "self") -> float:
    """Return the peak memory of a process, 0 if it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM:")), 0)


def workers() -> list[str]:
    """Return the numbers of the processes in which Daft works on Ray."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if (folder / "cmdline").read_bytes().startswith(b"ray::RaySwordfishActor"):
                found.append(folder.name)
    return found


if __name__ == "__main__":
    runner, file = sys.argv[1], Path(sys.argv[2])
    with ray_cluster() if runner == "ray" else contextlib.nullcontext():
        taken = report(file)
        peaks = [peak_mib(), max(map(peak_mib, workers()), default=0)]
    sys.stdout.write(json.dumps([taken, *peaks]))
