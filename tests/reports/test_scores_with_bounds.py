"""Own metrics with any two bounds: intervals are those of the scores in [0, 1], on another scale."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

import anls_frame as af

SCALES = {"percent": (0, 100), "cosine": (-1, 1), "small": (0, 1e-6), "far": (50, 55), "odd": (-0.3, 0.4)}
"""Bounds that scores in [0, 1] are brought to."""


def frame(rows: int = 300, seed: int = 5) -> pl.DataFrame:
    """Scores of three systems near 1, in documents of very different sizes, and fields that are right."""
    random = np.random.default_rng(seed)
    document = np.sort(random.integers(0, 25, rows) ** 2 // 25)
    shared = random.beta(8, 1, 25)[document]
    table: dict[str, Any] = {"doc": document, "k": random.choice(["x", "y"], rows)}
    for place, name in enumerate("abc"):
        table[name] = np.clip(shared - 0.02 * place + random.normal(0, 0.05, rows), 0, 1).round(3)
        table[f"{name}_right"] = random.integers(0, 4, rows)
    return pl.DataFrame(table).with_columns(
        pl.when(pl.col("k") == "y").then(1.0).otherwise(pl.col("a")).alias("a"), asked=pl.lit(4)
    )


FRAME = frame()


def brought(least: float, most: float, name: str) -> pl.Expr:
    return (least + (most - least) * pl.col(name)).alias(name)


def figures(table: pl.DataFrame, columns: list[str]) -> np.ndarray[Any, Any]:
    return table.select(columns).to_numpy().astype(float)


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("better", [True, False])
def test_intervals_of_a_report_move_with_the_scale(scale: str, cluster: str | None, *, better: bool) -> None:
    least, most = SCALES[scale]
    columns = ["m", "m_low", "m_high"]
    made = [
        af.report(
            rows,
            metrics=af.Metric("a", name="m", bounds=bounds, higher_is_better=better),
            by="k",
            cluster=cluster,
        ).by_group
        for rows, bounds in (
            (FRAME, (0, 1)),
            (FRAME.with_columns(brought(least, most, "a")), (least, most)),
        )
    ]
    plain, scaled = (figures(table, columns) for table in made)
    assert (plain[:, 1] < plain[:, 2]).all()
    assert (scaled - least) / (most - least) == pytest.approx(plain, abs=1e-9)
    assert made[0]["few_rows"].to_list() == made[1]["few_rows"].to_list()


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("scale", SCALES)
@pytest.mark.parametrize("systems", [["a", "b"], ["a", "b", "c"]])
def test_comparisons_move_with_the_scale(scale: str, cluster: str | None, systems: list[str]) -> None:
    least, most = SCALES[scale]
    width = most - least
    tables = []
    for rows, bounds in (
        (FRAME, (0, 1)),
        (FRAME.with_columns(brought(least, most, name) for name in systems), (least, most)),
    ):
        metric = af.Metric(dict(zip(systems, systems, strict=True)), name="m", bounds=bounds)
        made = af.compare(rows, systems, metrics=metric, by="k", cluster=cluster, draws=199)
        tables.append((made.ranking, made.by_group))
    (plain, plain_slices), (scaled, scaled_slices) = tables
    ends = ["score", "score_low", "score_high"]
    assert (figures(scaled, ends) - least) / width == pytest.approx(figures(plain, ends), abs=1e-9)
    ranks = ["rank", "rank_low", "rank_high", "few_rows"]
    assert scaled.select(ranks).equals(plain.select(ranks))
    ends = ["difference", "difference_low", "difference_high"]
    assert figures(scaled_slices, ends) / width == pytest.approx(figures(plain_slices, ends), abs=1e-9)


@pytest.mark.parametrize("cluster", [None, "doc"])
def test_fields_in_percent_have_the_interval_of_their_share(cluster: str | None) -> None:
    ends = []
    for numerator, most in (("a_right", 1), ("percent", 100)):
        metric = af.Metric(numerator, denominator="asked", name="m", bounds=(0, most))
        rows = FRAME.with_columns(percent=100 * pl.col("a_right"))
        overall = af.report(rows, metrics=metric, cluster=cluster).overall
        ends.append([overall[name] / most for name in ("m", "m_low", "m_high")])
    assert ends[1] == pytest.approx(ends[0], abs=1e-9)


@pytest.mark.parametrize(
    "convert",
    [lambda rows: rows, lambda rows: rows.lazy(), lambda rows: rows.to_pandas()],
    ids=["eager", "lazy", "pandas"],
)
def test_equal_scores_at_a_bound_leave_room_for_others(convert: Callable[[pl.DataFrame], Any]) -> None:
    rows = pl.DataFrame({"s": [100.0] * 60, "d": [place // 3 for place in range(60)]})
    overall = af.report(convert(rows), metrics=af.Metric("s", bounds=(-100, 100)), cluster="d").overall
    assert overall["s"] == overall["s_high"] == 100
    assert 50 < overall["s_low"] < 99
    assert overall["few_rows"]


def test_one_bound_cuts_a_t_interval() -> None:
    rows = pl.DataFrame({"s": [0.0] * 20 + [3.0], "d": range(21)})
    overall = af.report(rows, metrics=af.Metric("s", bounds=(0, None)), cluster="d").overall
    assert overall["s_low"] == 0
    unbounded = af.report(rows, metrics=af.Metric("s", bounds=(None, None)), cluster="d").overall
    assert unbounded["s_low"] < 0
    assert unbounded["s_high"] == pytest.approx(overall["s_high"], rel=1e-14)
