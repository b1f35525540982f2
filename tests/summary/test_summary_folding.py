"""Folded summaries give the reports of unfolded ones, and refuse what they cannot know any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
import report_oracle

import anls_frame as af

if TYPE_CHECKING:
    from pathlib import Path

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


def by_clusters(frame: pl.DataFrame, part_of: dict[int | None, int]) -> list[pl.DataFrame]:
    """Rows in parts that share no cluster."""
    part = frame["doc"].map_elements(part_of.get, return_dtype=pl.Int64, skip_nulls=False)
    return [frame.filter(part == number) for number in set(part_of.values())]


def check_alike(found: af.Summary, expected: af.Summary) -> None:
    one, other = af.Report.from_summary(found), af.Report.from_summary(expected)
    for columns in ROLL_UPS:
        report_oracle.check_alike(one.by(*columns), other.by(*columns))
    assert repr(one) == repr(other)
    assert one.settings == other.settings


def test_report_stays_the_same() -> None:
    summary = summary_of(FRAME)
    folded = summary.fold_clusters()
    assert "cluster" not in folded.cells.columns
    check_alike(folded, summary)
    assert folded.fold_clusters() is folded


def test_size_depends_on_slices_alone() -> None:
    rows = pl.concat([FRAME.with_columns(pl.col("doc") + 10 * part) for part in range(50)])
    many, few = (summary_of(frame).fold_clusters() for frame in (rows, FRAME))
    assert many.folded is not None
    assert few.folded is not None
    assert many.cells.height == few.cells.height
    heights = [{name: cells.height for name, cells in one.items()} for one in (many.folded, few.folded)]
    assert heights[0] == heights[1]


# Up to the order of the parts, all ways to put four clusters into at most three.
@pytest.mark.parametrize(
    "parts", [f"0{b}{c}{d}" for b in range(2) for c in range(b + 2) for d in range(min(max(b, c) + 2, 3))]
)
def test_parts_without_shared_clusters_add_up(parts: str) -> None:
    part_of = dict(zip((1, 2, 3, None), map(int, parts), strict=True))
    folded = [summary_of(frame).fold_clusters() for frame in by_clusters(FRAME, part_of)]
    check_alike(af.merge(folded), summary_of(FRAME))


def test_existing_scores_fold() -> None:
    scored = FRAME.with_columns(score=pl.Series([0.0, 2.5, 1.0, None, 0.25, 1.0, 0.5, -1.0]))
    summary = af.summarize(scored, metrics="score", by=BY, cluster="doc")
    check_alike(summary.fold_clusters(), summary)


def test_folded_summary_is_saved_and_loaded(tmp_path: Path) -> None:
    folded = summary_of(FRAME).fold_clusters()
    folded.save(tmp_path / "summary.parquet")
    loaded = af.Summary.load(tmp_path / "summary.parquet")
    assert loaded.folded is not None
    check_alike(loaded, folded)
    check_alike(af.merge([loaded, summary_of(FRAME.clear()).fold_clusters()]), folded)


def test_folded_and_unfolded_summaries_do_not_merge() -> None:
    first, second = (summary_of(frame) for frame in by_clusters(FRAME, {1: 0, 2: 1, 3: 1, None: 0}))
    with pytest.raises(ValueError, match=r"some summaries are folded; call fold_clusters\(\) on all"):
        af.merge([first.fold_clusters(), second])


def test_without_clusters_there_is_nothing_to_fold() -> None:
    with pytest.raises(ValueError, match="no clusters to fold"):
        af.summarize(FRAME, "prediction", "answers").fold_clusters()
