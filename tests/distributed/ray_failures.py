"""
Workers of a Ray cluster that die while a report is made: the right one or an error comes of it.

Run by `.ci/heavy ray`, with the plugin `ray_cluster`; not part of `make test`, which has no Ray.
"""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path
from typing import Any

import daft
import polars as pl
import pytest
import ray
from ray.cluster_utils import Cluster
from summary_checks import check_equal

import anls_frame as af
from anls_frame.distributed import Batches
from anls_frame.distributed import frames as workers

ROWS = 200_000
FRAME = pl.DataFrame({"p": ["cat", "cart", None, "dog"] * (ROWS // 4), "i": range(ROWS)}).select(
    "p", "i", a=pl.lit("cat"), k=pl.col("i") % 7, doc=pl.col("i") % 1000
)


def written(folder: Path, files: int) -> daft.DataFrame:
    """Return the rows as Daft reads them from so many files."""
    for index in range(files):
        part = FRAME.filter(pl.col("i") % files == index)
        part.write_parquet(folder / f"{index}.parquet", row_group_size=5_000)
    return daft.read_parquet(str(folder / "*.parquet"))


def dying(frame: daft.DataFrame, log: Path, times: int) -> daft.DataFrame:
    """Return a frame that kills a worker at one of its rows, so many times, and counts them in a file."""

    def pass_on(rows: daft.Series) -> daft.Series:
        if ROWS // 2 in rows.to_pylist() and (not log.exists() or log.stat().st_size < times):
            with log.open("ab") as file:
                file.write(b"x")
                file.flush()
            os.kill(os.getpid(), signal.SIGKILL)
        return rows

    call = daft.func.batch(return_dtype=daft.DataType.int64(), use_process=False)(pass_on)
    return frame.with_column("i", call(frame["i"])).where(daft.col("i") >= 0)


def test_batches_are_summarized_by_both_workers(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    class Telling(workers.PartialSummary):
        def aggregate(self, *columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> bytes:
            (tmp_path / str(os.getpid())).touch()
            return super().aggregate(*columns, names=names, options=options)

    monkeypatch.setattr("anls_frame.distributed.frames.PartialSummary", Telling)
    frame = daft.from_arrow([FRAME.to_arrow()] * 4)
    assert af.summarize(Batches(frame, 10_000), "p", "a").rows == 4 * ROWS
    processes = {int(path.name) for path in tmp_path.iterdir()}
    assert len(processes) == 2
    assert os.getpid() not in processes


@pytest.mark.parametrize("times", [1, 3])
def test_after_a_worker_died_the_report_is_right(times: int, tmp_path: Path) -> None:
    frame = dying(written(tmp_path, 8), tmp_path / "log", times)
    found = af.summarize(Batches(frame, 10_000), "p", "a", by="k", cluster="doc")
    assert (tmp_path / "log").stat().st_size == times
    check_equal(found, af.summarize(FRAME, "p", "a", by="k", cluster="doc"))


def test_after_a_machine_went_away_there_is_no_wrong_report(cluster: Cluster, tmp_path: Path) -> None:
    begun, gone = tmp_path / "begun", tmp_path / "gone"

    def wait(rows: daft.Series) -> daft.Series:
        if ROWS // 2 in rows.to_pylist():
            begun.touch()
            while not gone.exists():
                time.sleep(0.05)
        return rows

    def remove() -> None:
        while not begun.exists():
            time.sleep(0.05)
        cluster.remove_node(worker, allow_graceful=False)
        gone.touch()

    worker = next(iter(cluster.worker_nodes))
    removal = threading.Thread(target=remove)
    removal.start()
    frame = written(tmp_path, 8)
    call = daft.func.batch(return_dtype=daft.DataType.int64(), use_process=False)(wait)
    frame = frame.with_column("i", call(frame["i"])).where(daft.col("i") >= 0)
    try:
        found = af.summarize(Batches(frame, 10_000), "p", "a", by="k")
    except ray.exceptions.RayError as error:
        # Batches that lay on that machine are gone, and Ray does not compute them anew.
        assert "ObjectReconstructionFailed" in str(error)  # noqa: PT017 - there may be none
    else:
        check_equal(found, af.summarize(FRAME, "p", "a", by="k"))
    removal.join()
