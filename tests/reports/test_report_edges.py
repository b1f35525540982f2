"""Reports of nothing, of one row, of equal rows, of many slices; and of scores that exist already."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
import report_oracle
from report_oracle import Options

from anls_frame.overviews.overview import overview
from anls_frame.reports.comparisons import compare
from anls_frame.reports.reports import report

EMPTY = pl.DataFrame(schema={"p": pl.String, "a": pl.List(pl.String), "k": pl.List(pl.String), "d": pl.Int64})
ESTIMATES = report_oracle.TEXT_COLUMNS[4:-2]


@pytest.mark.parametrize("cluster", [None, "d"])
@pytest.mark.parametrize("by", [None, "k", ["k", "d"]], ids=str)
def test_zero_rows(by: Any, cluster: str | None) -> None:
    made = report(EMPTY, "p", "a", by=by, cluster=cluster, worst=3)
    assert [made.overall[name] for name in report_oracle.COUNTS] == [0, 0, 0, 0]
    assert {made.overall[name] for name in ESTIMATES} == {None}
    assert made.overall["n_clusters"] == (None if cluster is None else 0)
    assert made.by_group.height == (1 if by is None else 0)
    assert made.to_polars().height == 1
    assert made.settings["rows"] == 0
    assert made.settings["digest"] == "0" * 16
    assert made.worst.is_empty()
    assert "0 rows were given." in repr(made)
    assert made._repr_html_()


def test_schema_does_not_depend_on_the_data() -> None:
    rows = pl.DataFrame(
        {"p": ["a", "b"], "a": [["a"], []], "k": [["t"], None], "d": [1, 2]}, schema=EMPTY.schema
    )
    for cluster in (None, "d"):
        full, empty = (report(frame, "p", "a", by="k", cluster=cluster) for frame in (rows, EMPTY))
        assert full.by_group.schema == empty.by_group.schema
        assert full.to_polars().schema == empty.to_polars().schema


@pytest.mark.parametrize("column", ["p", "a", "k", "d"])
def test_columns_of_nulls_alone(column: str) -> None:
    frame = pl.DataFrame({"p": ["a", "x"], "a": ["a", "a"], "k": ["t", "u"], "d": [1, 2]})
    made = report(frame.with_columns(pl.lit(None).alias(column)), "p", "a", by="k", cluster="d")
    scored = 0 if column == "a" else 2
    assert made.overall["n"] == scored
    assert made.overall["n_unanswerable"] == 2 - scored
    assert made.overall["n_missing"] == (2 if column == "p" else 0)
    assert made.by_group["k"].to_list() == ([None] if column == "k" else ["t", "u"])
    assert made.overall["n_clusters"] == (1 if column == "d" else scored)


SCORES: dict[str, tuple[Any, float, str]] = {
    "in [0, 1]": (pl.Series([0.0, 0.5, 1.0, None, 0.25, 1.0]), 0.55, "bounded"),
    "at the bounds": (pl.Series([0.0, 1.0, 1.0, None, 0.0, 1.0]), 0.6, "bounded"),
    "above 1": (pl.Series([0.0, 0.5, 1.5, None, 0.25, 1.0]), 0.65, "open"),
    "below 0": (pl.Series([-0.5, 0.5, 1.0, None, 0.25, 1.0]), 0.45, "open"),
    "truth values": (pl.Series([True, False, True, None, True, False]), 0.6, "bounded"),
    "integers": (pl.Series([0, 1, 3, None, 5, 1]), 2.0, "open"),
    "small integers": (pl.Series([0, 1, 0, None, 0, 1], dtype=pl.UInt8), 0.4, "bounded"),
    "single floats": (pl.Series([0.0, 0.5, 1.0, None, 0.25, 1.0], dtype=pl.Float32), 0.55, "bounded"),
    "decimals": (pl.Series([Decimal("0.5")] * 3 + [None] + [Decimal(1)] * 2), 0.7, "bounded"),
    "large": (pl.Series([1e15, 2e15, 1e15, None, 1e15, 5e15]), 2e15, "open"),
    "negative zero": (pl.Series([-0.0, 0.0, 1.0, None, -0.0, 1.0]), 0.4, "bounded"),
}  # fmt: skip
GROUPS = [["t"], ["t", "u"], ["u"], ["t"], None, ["u", "t"]]


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("name", SCORES)
def test_existing_scores_are_summarized_as_they_are(name: str, cluster: str | None) -> None:
    column, mean, kind = SCORES[name]
    frame = pl.DataFrame({"score": column, "types": GROUPS, "doc": [1, 1, 2, 2, 3, 4]})
    options = Options(by=("types",), cluster=cluster)
    made = report(frame, metrics="score", by="types", cluster=cluster)
    rows = [
        {**row, "score": None if row["score"] is None else float(row["score"])} for row in frame.to_dicts()
    ]
    report_oracle.check_slices(made.by_group, ["types"], report_oracle.expected_scores(rows, options))
    assert made.overall["score"] == pytest.approx(mean)
    assert (made.overall["n"], made.overall["n_missing"]) == (5, 1)
    assert made.by_group.columns == ["types", *report_oracle.SCORE_COLUMNS]
    inside = (made.by_group["score_low"].drop_nulls() >= 0) & (made.by_group["score_high"].drop_nulls() <= 1)
    assert inside.all() or kind == "open"


@pytest.mark.parametrize("dtype", [pl.Float64, pl.Int64, pl.Boolean, pl.Null])
def test_existing_scores_of_nulls_alone(dtype: Any) -> None:
    frame = pl.DataFrame({"s": pl.Series([None, None], dtype=dtype), "k": ["t", "u"]})
    made = report(frame, metrics="s", by="k", worst=1)
    assert (made.overall["n"], made.overall["n_missing"], made.overall["s"]) == (0, 2, None)
    assert made.by_group["n_missing"].to_list() == [1, 1]
    assert made.settings["digest"] == "0" * 16


@pytest.mark.parametrize("value", [1e308, -1e308, 1.1e140])
def test_existing_scores_have_to_have_a_sum_of_squares(value: float) -> None:
    frame = pl.DataFrame(
        {"s": [0.5, value, None, value], "t": [0.5, 0.5, 1.0, 1.0], "k": ["t", "u", "u", "v"]}
    )
    for by in (None, "k"):
        for name, make in (
            ("'s'", lambda by=by: report(frame, metrics="s", by=by)),
            (r"'score' \(s\)", lambda by=by: compare(frame, {"s": "s", "t": "t"}, None, by=by)),
        ):
            with pytest.raises(
                ValueError,
                match=rf"metric {name} must be at most 1e\+140 in absolute value, "
                rf"got {re.escape(repr(value))} in row 1 "
                r"\(counted from 0\) and wrong in 1 more",
            ):
                make()


@pytest.mark.parametrize("cluster", [None, "k"])
def test_the_largest_scores_have_finite_figures(cluster: str | None) -> None:
    signs = [1.0, -1.0, 0.5, 1.0, 0.25, 1.0] * 50
    small = pl.DataFrame({"s": signs, "t": signs[::-1], "k": [number // 4 for number in range(300)]})
    large = small.with_columns(pl.col("s", "t") * 1e140)
    both = (small, large)
    reports = [report(frame, metrics="s", cluster=cluster).overall for frame in both]
    systems = {"s": "s", "t": "t"}
    comparisons = [
        compare(frame, systems, None, cluster=cluster).overall.row(0, named=True) for frame in both
    ]
    compared = ("score", "score_low", "score_high", "baseline_score", "difference", "difference_low")
    for (of_small, of_large), names in ((reports, ("s", "s_low", "s_high")), (comparisons, compared)):
        for name in names:
            assert of_large[name] == pytest.approx(of_small[name] * 1e140, rel=1e-6, abs=1e126)


@pytest.mark.parametrize(("n", "right", "is_told"), [(10, 0, True), (9, 0, False), (30, 1, False)])
def test_columns_of_which_no_row_matches_are_told(n: int, right: int, is_told: bool) -> None:  # noqa: FBT001
    """As labels of a Hugging Face data set, whose classes are numbers."""
    names = ["positive"] * n
    frame = pl.DataFrame({"prediction": names, "label": names[:right] + ["1"] * (n - right)})
    told = "No row has an ANLS above 0. Make sure that these are the right columns"
    assert (told in str(report(frame, "prediction", "label"))) == is_told
    assert (told in str(overview(frame, metrics="anls"))) == is_told
    assert told not in str(report(frame, "prediction", "label", metrics="exact_match"))
