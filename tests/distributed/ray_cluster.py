"""A plugin of pytest that runs Daft on a Ray cluster of two workers on this machine, `-p ray_cluster`."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from ray.cluster_utils import Cluster

# Before Ray is imported, and for the processes that it starts.
os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "DAFT_PROGRESS_BAR": "0", "DO_NOT_TRACK": "1"}
MEMORY = 512 << 20


@pytest.fixture(scope="session", autouse=True)
def cluster() -> Iterator[Cluster]:
    """Start a cluster whose driver has no CPUs, so that all work is done by two workers with one each."""
    import daft  # noqa: PLC0415 - after the variables above, as are these
    import ray  # noqa: PLC0415
    from ray.cluster_utils import Cluster  # noqa: PLC0415

    cluster = Cluster()
    cluster.add_node(num_cpus=0, object_store_memory=MEMORY, include_dashboard=False)
    for _ in range(2):
        cluster.add_node(num_cpus=1, object_store_memory=MEMORY)
    ray.init(address=cluster.address, logging_level="error", log_to_driver=False)
    daft.set_runner_ray(noop_if_initialized=True)
    yield cluster
    ray.shutdown()
    cluster.shutdown()
