"""Folded summaries give the reports of unfolded ones whose clusters are the groups."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
import report_oracle

import anls_frame as af
from anls_frame.summary.cells import hashes

FRAME = pl.DataFrame(
    {
        "prediction": ["a", "x", None, "abc", "b", "cd", "ce", "f"],
        "answers": [["a"], ["b", "c"], ["a"], [], ["b"], ["ce"], ["ce"], ["f"]],
        "types": [["t"], ["u", "t"], None, ["t"], [], ["u"], ["t"], ["u", "t"]],
        "lang": ["en", "de", None, "en", "de", "en", "en", "de"],
        "doc": [1, 2, 1, None, 1, 3, 3, 2],
    },
    schema_overrides={"types": pl.List(pl.String)},
)
BY = ["types", "lang"]
ROLL_UPS = [(), ("types",), ("lang",), ("types", "lang"), ("lang", "types")]


def summary_of(frame: pl.DataFrame, part: str | None = None) -> af.Summary:
    return af.summarize(frame, "prediction", "answers", by=BY, cluster="doc", worst=2, part=part)


def check_alike(found: af.Summary, expected: af.Summary) -> None:
    one, other = af.Report.from_summary(found), af.Report.from_summary(expected)
    for columns in ROLL_UPS:
        report_oracle.check_alike(one.by(*columns), other.by(*columns))
    assert repr(one) == repr(other)
    assert one.settings == other.settings


def test_report_stays_the_same() -> None:
    summary = summary_of(FRAME)
    folded = summary.fold_clusters()
    assert folded.report_sums.cells[None]["cluster"].dtype == pl.UInt16
    check_alike(folded, summary)
    assert folded.fold_clusters() is folded


def test_size_depends_on_slices_alone() -> None:
    rows = pl.DataFrame({"doc": range(60_000)}).with_columns(p=pl.lit("a"), lang=pl.col("doc") % 2)
    cells = [
        af.summarize(rows.head(height), "p", "p", by="lang", cluster="doc")
        .fold_clusters()
        .report_sums.cells[None]
        for height in (30_000, 60_000)
    ]
    assert 0.95 * 2 * 4096 < cells[0].height < cells[1].height <= 2 * 4096


def test_groups_are_clusters() -> None:
    """Where several documents are in a group, it counts as one."""
    frame = pl.DataFrame({"doc": range(3000)}).with_columns(
        p=pl.format("a{}", pl.col("doc") % 7), a=pl.format("a{}", pl.col("doc") % 5), lang=pl.col("doc") % 3
    )
    by_document = (
        af.summarize(frame, "p", "a", by="doc", cluster="doc").fold_clusters().report_sums.cells[None]
    )
    group = dict(by_document.select("key_0", "cluster").iter_rows())
    grouped = frame.with_columns(group=pl.col("doc").replace_strict(group))
    assert 2000 < grouped["group"].n_unique() < 2500
    folded = af.Report.from_summary(
        af.merge(
            af.summarize(part, "p", "a", by="lang", cluster="doc").fold_clusters()
            for part in (grouped[::2], grouped[1::2])
        )
    )
    expected = af.report(grouped, "p", "a", by="lang", cluster="group")
    report_oracle.check_alike(folded.to_polars(), expected.to_polars())
    report_oracle.check_alike(folded.against_rest(), expected.against_rest())


def test_folded_summary_is_saved_and_loaded(tmp_path: Path) -> None:
    folded = summary_of(FRAME).fold_clusters()
    folded.save(tmp_path / "summary.parquet")
    loaded = af.Summary.load(tmp_path / "summary.parquet")
    assert loaded.is_folded
    check_alike(loaded, folded)
    check_alike(af.merge([loaded, summary_of(FRAME.clear()).fold_clusters()]), folded)


def test_folded_and_unfolded_summaries_do_not_merge() -> None:
    first, second = (summary_of(frame) for frame in (FRAME[:4], FRAME[4:]))
    with pytest.raises(ValueError, match=r"fold those of all: .* --fold-clusters, .* fold_clusters\(\)"):
        af.merge([first.fold_clusters(), second])


def test_without_clusters_there_is_nothing_to_fold() -> None:
    with pytest.raises(ValueError, match="no clusters to fold"):
        af.summarize(FRAME, "prediction", "answers").fold_clusters()


def test_documents_that_are_durations_are_folded() -> None:
    frame = FRAME.with_columns(doc=pl.duration(hours="doc"))
    check_alike(summary_of(frame).fold_clusters(), summary_of(frame))


def test_the_group_of_nan_does_not_depend_on_the_order_of_rows() -> None:
    numbers = pl.Series([2.0, float("nan"), 1.0])

    in_order = dict(zip(map(str, numbers.sort()), hashes(numbers.sort()), strict=True))

    assert in_order == dict(zip(map(str, numbers), hashes(numbers), strict=True))
    assert None not in in_order.values()
