"""What the metrics of a report say of themselves, held against its figures."""

from __future__ import annotations

import polars as pl
import pytest

import anls_frame as af

ANSWERS = ["Invoice 42", "Total", "Paris", "rain"]
WRONG = ["lnvoice 4Z and more than that", "T", "", "rain"]


def test_right_answers_move_every_figure_to_its_better_side() -> None:
    frame = pl.DataFrame({"wrong": WRONG, "answer": ANSWERS})
    before = af.report(frame, "wrong", "answer")
    after = af.report(frame, "answer", "answer")

    rises = {one.name: after.overall[one.name] > before.overall[one.name] for one in before.measures}

    assert rises == {one.name: one.higher_is_better for one in before.measures}


def test_every_figure_and_its_interval_lie_within_the_bounds() -> None:
    frame = pl.DataFrame({"wrong": WRONG, "answer": ANSWERS, "page": [1, 2, 3, 4]})
    report = af.report(frame, "wrong", "answer", by="page")

    for metric in report.measures:
        lowest, highest = metric.bounds or (None, None)
        values = report.to_polars().select(pl.col(f"^{metric.name}(_low|_high)?$")).unpivot()["value"]
        assert lowest is None or values.min() >= lowest  # type: ignore[operator]
        assert highest is None or values.max() <= highest  # type: ignore[operator]


def test_every_figure_is_the_ratio_of_the_columns_that_score_gives() -> None:
    frame = pl.DataFrame({"wrong": WRONG, "answer": ANSWERS})
    report = af.report(frame, "wrong", "answer")
    rows = frame.select(af.score("wrong", "answer").struct.unnest()).with_columns(zeros=pl.col("anls") == 0)

    totals = {
        one.name: pl.col(one.denominator).sum() if one.denominator else pl.len() for one in report.measures
    }
    sums = {one.name: pl.col(one.numerator).cast(pl.Float64).sum() for one in report.measures}
    ratios = rows.select(**{name: sums[name] / totals[name] for name in sums}).row(0, named=True)

    assert {name: report.overall[name] for name in ratios} == pytest.approx(ratios, rel=1e-12)
