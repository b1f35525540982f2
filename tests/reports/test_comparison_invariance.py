"""What may not change a comparison, and what only turns its sign."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from anls_frame import Metric, corrected, selective
from anls_frame.reports.comparisons import compare
from anls_frame.reports.reports import report

TEXTS = {
    "a": ["ab", "x", None, "cd", "abcd", "", "zz", "ab"],
    "b": ["ab", "ab", "ab", None, "abce", "x", "ab", "b"],
    "t": ["ab", "ab", "ab", "cd", "abcd", "", None, "ab"],
    "k": [["s"], ["s", "r"], ["r"], [], None, ["s"], ["r"], ["r", "s"]],
    "d": [1, 1, 2, 2, 3, 3, 4, None],
}
FRAME = pl.DataFrame(TEXTS)


def test_dropped_rows_are_in_no_digest() -> None:
    made = compare(FRAME, {"x": "a", "y": "b"}, "t", missing="drop")
    both = FRAME.filter(pl.col("a").is_not_null() & pl.col("b").is_not_null())
    assert made.settings["digests"] == compare(both, {"x": "a", "y": "b"}, "t").settings["digests"]
    of_all = compare(FRAME, {"x": "a", "y": "b"}, "t").settings["digests"]
    assert of_all == {
        name: report(FRAME, column, "t").summary.digest for name, column in made.systems.items()
    }
    assert (made.settings["n"], made.settings["n_dropped"], made.settings["n_unanswerable"]) == (5, 2, 1)
    for name, column in made.systems.items():
        assert made.settings["n_missing"][name] == report(FRAME, column, "t").overall["n_missing"]


def test_a_missing_score_leaves_the_row_out_of_its_metric_alone() -> None:
    scores = pl.DataFrame(
        {
            "a": [0.5, None, 1.0, 0.0],
            "b": [0.5, 1.0, None, 1.0],
            "other a": [0.125, 0.25, 0.375, None],
            "other b": [1.0, 0.5, 0.0, 0.5],
            "k": ["s", "r", "s", "r"],
            "d": [1, 1, 2, 3],
        }
    )
    systems = {"x": "a", "y": "b"}
    metrics = {"first": systems, "second": {"x": "other a", "y": "other b"}}
    several = [Metric(columns, name=name) for name, columns in metrics.items()]
    figures = ["metric", "n", "score", "baseline_score", "difference", "wins", "ties", "losses"]
    for options in ({}, {"by": "k"}, {"cluster": "d"}):
        together = compare(scores, systems, metrics=several, **options)
        for name, columns in metrics.items():
            complete = scores.drop_nulls(list(columns.values()))
            alone = compare(complete, columns, metrics=name, **options)
            # Slices stand in the order of their sizes, which other metrics may change.
            order = [options.get("by", "metric")]
            own = together.by_group.filter(pl.col("metric") == name).sort(order)
            assert own.select(figures).equals(alone.by_group.sort(order).select(figures))
    of_reports = {name: report(scores, metrics=column).summary.digest for name, column in systems.items()}
    assert compare(scores, systems).settings["digests"] == of_reports


def test_roll_up_is_the_comparison_by_that_column() -> None:
    crossed = compare(FRAME, {"x": "a", "y": "b"}, "t", by=["k", "d"], cluster="d")
    for by in ([], ["k"], ["d"], ["d", "k"]):
        alone = compare(FRAME, {"x": "a", "y": "b"}, "t", by=by, cluster="d")
        assert crossed.by(*by).equals(alone.by_group)


@pytest.mark.parametrize("dtype", [pl.String, pl.Categorical])
def test_documents_have_the_same_figures_as_integers_and_as_texts(dtype: Any) -> None:
    draw = random.Random(1)
    kinds = {"a": "uvw", "b": "uvw", "t": "uv", "lang": "xy"}
    columns = {name: [draw.choice(letters) for _ in range(900)] for name, letters in kinds.items()}
    columns |= {name: [draw.random() for _ in range(900)] for name in ("s", "sure")}
    integers = pl.DataFrame({**columns, "doc": [draw.randrange(120) for _ in range(900)]})
    texts = integers.with_columns(pl.col("doc").cast(pl.String).cast(dtype))

    def figures(frame: pl.DataFrame) -> list[pl.DataFrame]:
        options: Any = {"by": "lang", "cluster": "doc"}
        compared = compare(frame, ["a", "b"], "t", **options)
        chosen = selective(frame, "a", "t", "sure", **options)
        truth = pl.when(pl.int_range(pl.len()) % 3 == 0).then("s")
        audited = corrected(frame.with_columns(truth=truth), "sure", "truth", cluster="doc")
        return [
            *(compared.to_polars(), compared.ranking, compared.decide(0.1).frame),
            *(chosen.overall, chosen.curve(), audited.overall),
        ]

    for own, other in zip(figures(integers), figures(texts), strict=True):
        assert_frame_equal(own, other, check_exact=True)
