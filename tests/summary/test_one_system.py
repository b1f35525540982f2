"""A mapping or a list of one system is that system: programs need no case for the number of their systems."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
import pytest

import anls_frame as af

ROWS = af.sample()
COLUMN = "rapidocr"
WAYS: list[Mapping[str, str] | Sequence[str]] = [[COLUMN], (COLUMN,), {COLUMN: COLUMN}]


@pytest.mark.parametrize("system", WAYS, ids=str)
def test_one_system_is_summarized_as_its_column(system: Any) -> None:
    options: dict[str, Any] = {"by": "question_types", "cluster": "doc_id", "worst": 3, "details": True}
    expected = af.Report.from_summary(af.summarize(ROWS, COLUMN, "answers", **options))
    found = af.Report.from_summary(af.summarize(ROWS, system, "answers", **options))
    assert found.overall == expected.overall
    assert found.by_group.equals(expected.by_group)
    assert found.worst.equals(expected.worst)
    assert found.errors().equals(expected.errors())


def test_a_system_keeps_its_name() -> None:
    summary = af.summarize(ROWS, {"mine": COLUMN}, "answers")
    assert dict(af.Summary.from_bytes(summary.to_bytes()).systems) == {"mine": COLUMN}
    assert repr(af.browse(ROWS, {"mine": COLUMN}, "answers")) == "RowsPage('mine', 1,624 rows)"


@pytest.mark.parametrize("system", [*WAYS, {"mine": COLUMN}], ids=str)
def test_columns_of_scores_are_metrics_of_one_system(system: Any) -> None:
    scored = ROWS.with_columns(own=pl.col("answers").list.len() / 10)
    summary = af.summarize(scored, system, "answers", metrics=["anls", af.Metric("own", bounds=(0, 1))])
    assert af.Report.from_summary(summary).overall["own"] == pytest.approx(scored["own"].mean())


@pytest.mark.parametrize("system", [*WAYS, {"mine": COLUMN}], ids=str)
def test_slices_and_thresholds_of_one_system_are_those_of_its_column(system: Any) -> None:
    by_cluster: dict[str, Any] = {"cluster": "doc_id", "metrics": "anls"}
    search: dict[str, Any] = {"columns": ["question_types"], "search": af.SliceSearch(features=True)}
    expected = af.find_slices(ROWS, COLUMN, "answers", **search, **by_cluster)
    found = af.find_slices(ROWS, system, "answers", **search, **by_cluster)
    assert found.table.equals(expected.table)
    # Of a system by itself, features of its predictions are searched, too.
    assert expected.table["description"].str.starts_with("prediction").any()

    confidence = f"{COLUMN}_confidence"
    by_cluster["unanswerable"] = "empty"
    chosen = af.selective(ROWS, COLUMN, "answers", confidence, **by_cluster).threshold(0.3)
    signals = {next(iter(system)): confidence}
    assert (
        af.selective(ROWS, system, "answers", signals, **by_cluster)
        .threshold(0.3)
        .drop("signal")
        .equals(chosen.drop("signal"))
    )


@pytest.mark.parametrize("system", [[], {}, ()], ids=str)
def test_no_system_is_refused(system: Any) -> None:
    with pytest.raises(ValueError, match="systems must name one or more prediction columns"):
        af.summarize(ROWS, system, "answers")


def test_differing_texts_take_two_systems() -> None:
    with pytest.raises(ValueError, match="the texts of two or more systems"):
        af.audit_sample(ROWS, 10, lean="differing", prediction=[COLUMN])
