"""What may not change a comparison, and what only turns its sign."""

from __future__ import annotations

import random
from typing import Any

import polars as pl
import pytest
import report_oracle

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
METRICS = ["anls", "nls", "exact_match", "cer"]


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("cluster", [None, "d"])
@pytest.mark.parametrize("metric", METRICS)
def test_system_against_itself_differs_nowhere(metric: Any, cluster: str | None, missing: Any) -> None:
    made = compare(FRAME, {"x": "a", "y": "a"}, "t", by="k", cluster=cluster, metrics=metric, missing=missing)
    for row in made.to_polars().iter_rows(named=True):
        assert (row["difference"], row["p_value"], row["wins"], row["losses"]) == (0, 1, 0, 0)
        assert row["ties"] == row["n"]
        assert row["score"] == row["baseline_score"]
        assert row["p_adjusted"] in (1, None)
        assert row["difference_low"] in (0, None)
        assert row["difference_high"] == row["difference_low"]
    assert not made.regressed()


def drawn(rows: int = 3000) -> pl.DataFrame:
    """Scores of which each document has equal ones in another order: their sums differ by rounding alone."""
    dice = random.Random(1)
    steps = [0.1, 0.2, 0.3, 0.7]
    table = []
    for doc in range(rows // 4):
        sign = 1 if doc % 2 or doc % 5 == 0 else -1
        dice.shuffle(steps)
        table += [(f"slice {doc % 7}", doc, 0.0, sign * step) for step in steps]
    return pl.DataFrame(table, schema=["k", "d", "a", "b"], orient="row")


@pytest.mark.parametrize("cluster", [None, "d"])
def test_same_seed_gives_the_same_in_any_order_of_rows(cluster: str | None) -> None:
    frame = drawn()
    options: dict[str, Any] = {"by": "k", "cluster": cluster, "seed": 3, "draws": 2000}
    expected = compare(frame, {"a": "a", "b": "b"}, None, **options).to_polars()
    orders = [frame.reverse(), *(frame.sample(fraction=1, shuffle=True, seed=seed) for seed in range(3))]
    for other in (*orders, frame.lazy(), pl.concat([frame[1000:], frame[:1000]], rechunk=False)):
        found = compare(other, {"a": "a", "b": "b"}, None, **options).to_polars()
        report_oracle.check_close(found, expected)


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
    with_nulls = pl.DataFrame({"a": [0.5, None, 1.0], "b": [0.5, 1.0, None]})
    scores = compare(with_nulls, {"x": "a", "y": "b"}, None)
    assert scores.settings["digests"]["x"] == scores.settings["digests"]["y"]


def test_roll_up_is_the_comparison_by_that_column() -> None:
    crossed = compare(FRAME, {"x": "a", "y": "b"}, "t", by=["k", "d"], cluster="d")
    for by in ([], ["k"], ["d"], ["d", "k"]):
        alone = compare(FRAME, {"x": "a", "y": "b"}, "t", by=by, cluster="d")
        assert crossed.by(*by).equals(alone.by_group)
