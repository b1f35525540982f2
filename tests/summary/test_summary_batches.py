"""Cells of clusters, added up batch by batch, and their slices, part by part, against all at once."""

from __future__ import annotations

import dataclasses
import random
from typing import Any

import numpy as np
import polars as pl
import pytest
import report_oracle
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.summary import buckets, moments, report_sums
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.cell_sums import CellSums

ROWS = 1200


def rows(seed: int) -> pl.DataFrame:
    rng = random.Random(seed)
    answers = ["Paris", "12.50", "an answer", "", "Zürich"]
    tags = [["a"], ["b", "a"], ["a", "b", "a"], [], None, [None], ["c"]]
    return pl.DataFrame(
        {
            "prediction": [rng.choice([*answers, "Pari", "an anser", None]) for _ in range(ROWS)],
            "answers": [rng.choice([[one], [one, "12.5"], []]) for one in rng.choices(answers, k=ROWS)],
            "tags": rng.choices(tags, k=ROWS),
            "doc": [rng.choice([None, f"document {rng.randrange(150)}"]) for _ in range(ROWS)],
        },
        schema_overrides={"tags": pl.List(pl.String)},
    )


def summary(frame: pl.DataFrame) -> af.Summary:
    return af.summarize(frame, "prediction", "answers", by="tags", cluster="doc", part="p")


def in_order(frame: pl.DataFrame) -> pl.DataFrame:
    keys = [name for name in frame.columns if name in {"key_0", "cluster", "grid_threshold"}]
    return frame.sort(keys, nulls_last=True)


@pytest.mark.parametrize("order", ["by document", "shuffled"])
def test_batches_change_nothing(monkeypatch: pytest.MonkeyPatch, order: str) -> None:
    frame = rows(1).sort("doc") if order == "by document" else rows(2)
    whole = summary(frame)
    monkeypatch.setattr(report_sums, "_ROWS_OF_A_BATCH", 70)
    monkeypatch.setattr(buckets, "_LOOSE_VALUES", 200)
    parts = summary(frame)
    assert parts.digest == whole.digest
    assert_frame_equal(
        in_order(parts.report_sums.cells[None]), in_order(whole.report_sums.cells[None]), check_exact=True
    )
    assert_frame_equal(
        in_order(parts.report_sums.frames["bins"]),
        in_order(whole.report_sums.frames["bins"]),
        check_exact=True,
    )


def test_parts_of_clusters_give_the_same_slices(monkeypatch: pytest.MonkeyPatch) -> None:
    made = summary(rows(4))
    scores = rows(5).with_row_index("x").with_columns(pl.col("x") / 7e5 - 1e-3)
    own = af.summarize(scores, metrics="x", by="tags", cluster="doc", part="p")
    shuffled = [dataclasses.replace(one, sums=in_another_order(one)) for one in (made, own)]
    expected = [
        [(overall(one), by_group(one)) for one in (whole, whole.fold_clusters())] for whole in (made, own)
    ]
    monkeypatch.setattr(moments, "_CELLS_OF_A_PART", 40)
    for summaries in ([made, own], shuffled):
        for whole, both in zip(summaries, expected, strict=True):
            for one, (total, groups) in zip((whole, whole.fold_clusters()), both, strict=True):
                check = report_oracle.check_alike if whole.settings.has_texts else report_oracle.check_close
                check(overall(one), total)
                check(by_group(one), groups)


def in_another_order(one: af.Summary) -> CellSums:
    return CellSums({
        name: frame.sample(fraction=1, shuffle=True, seed=1) for name, frame in one.sums.frames.items()
    })  # fmt: skip


def overall(one: af.Summary) -> pl.DataFrame:
    return pl.DataFrame(af.Report(one).overall)


def by_group(one: af.Summary) -> pl.DataFrame:
    return af.Report(one).by_group


def test_sums_that_outgrow_their_dtypes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(buckets, "_LOOSE_VALUES", 1)
    found = Buckets(["key_0"])
    schema = {"key_0": pl.UInt64, "n": pl.UInt64, "units": pl.Int128}
    for _ in range(30):
        found.add(
            pl.DataFrame({"key_0": [0, 1], "n": [1, 2**62], "units": [-(2**62), 2**100]}, schema=schema)[:1]
        )
    found.add(pl.DataFrame({"key_0": [1], "n": [2**62], "units": [2**100]}, schema=schema))
    expected = {"key_0": [0, 1], "n": [30, 2**62], "units": [-30 * 2**62, 2**100]}
    assert_frame_equal(found.whole().sort("key_0"), pl.DataFrame(expected, schema=schema))


def test_orders_of_a_list_are_one_cell_of_several_systems() -> None:
    frame = pl.DataFrame(
        {
            "one": ["a", "b"],
            "two": ["a", "c"],
            "answer": ["a", "b"],
            "tags": [["x", "y"], ["y", "x"]],
            "doc": [1, 1],
        }
    )
    systems = {"one": "one", "two": "two"}
    sums = af.summarize(frame, systems, "answer", by="tags", cluster="doc").sums
    assert [cells["n"].to_list() for cells in sums.cells.values()] == [[2]] * len(sums.cells)


def test_sums_of_floats_are_the_same_each_time() -> None:
    rng = np.random.default_rng(3)
    frame = pl.DataFrame({"a": rng.random(40_000), "b": rng.random(40_000)}).with_columns(
        doc=pl.int_range(40_000) // 3, part=pl.int_range(40_000) % 3
    )
    parts = frame.partition_by("part")

    def sums(systems: dict[str, str] | None, metrics: str | None) -> list[Any]:
        how: dict[str, Any] = {"metrics": metrics, "cluster": "doc"}
        several = [af.summarize(own, systems, **how, part=str(index)) for index, own in enumerate(parts)]
        whole = af.merge(several)
        cells = [whole.sums.cells, whole.fold_clusters().sums.cells, whole.sums.of("squares")]
        figures = [] if systems else [af.Report.from_summary(whole).overall]
        return [*figures, *(frame.to_dict(as_series=False) for frames in cells for frame in frames.values())]

    for asked in (({"a": "a", "b": "b"}, None), (None, "a")):
        first = sums(*asked)
        for _ in range(5):
            assert sums(*asked) == first


@pytest.mark.parametrize("systems", [None, {"a": "a", "b": "b"}], ids=["report", "comparison"])
def test_integers_and_equal_floats_name_the_same_documents(systems: dict[str, str] | None) -> None:
    rng = np.random.default_rng(5)
    table = {"a": rng.random(3_000), "b": rng.random(3_000), "page": rng.integers(0, 7, 3_000)}
    whole = pl.DataFrame(table).with_columns(
        doc=pl.when(pl.int_range(3_000) % 50 > 0).then(pl.int_range(3_000) * 7 % 400)
    )

    def figures(frame: pl.DataFrame) -> list[Any]:
        how: dict[str, Any] = {"by": "page", "cluster": "doc"}
        made: Any = (
            af.report(frame, metrics="a", **how) if systems is None else af.compare(frame, systems, **how)
        )
        return [*made.tables["page"].rows(), *made.macro().rows()]

    assert figures(whole) == figures(whole.cast({"doc": pl.Float64, "page": pl.Float64}))


@pytest.mark.parametrize("dtype", [pl.String, pl.Int16, pl.Float32])
def test_reports_of_scores_do_not_depend_on_the_dtype_of_documents(dtype: Any) -> None:
    rng = np.random.default_rng(6)
    frame = pl.DataFrame({"a": rng.random(3_000), "doc": rng.integers(0, 400, 3_000)})
    whole, other = (
        af.report(given, metrics="a", cluster="doc").overall for given in (frame, frame.cast({"doc": dtype}))
    )
    assert whole == other
