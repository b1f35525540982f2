"""Small comparisons of the sample data: nothing is shown or written that a figure cannot be."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
import report_oracle
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sample import DATA

from anls_frame.reports.comparisons import Comparison, compare

if TYPE_CHECKING:
    from pathlib import Path

SAMPLE = pl.read_parquet(DATA / "ocr_qa.parquet")
DOCUMENTS = SAMPLE["doc_id"].unique().sort().to_list()
SYSTEMS = {"old": "tesseract", "new": "rapidocr"}
RATES = ("cer", "cer_corpus")
FIGURE = re.compile(r"[-+]\d+\.\d{3}(?!\d)")
"""A difference, or an end of its interval, as it is shown."""

CASES = st.fixed_dictionaries(
    {
        "documents": st.lists(st.sampled_from(DOCUMENTS), min_size=1, max_size=12, unique=True),
        "rows": st.sampled_from([0.2, 0.5, 1.0]),
        "seed": st.integers(0, 999),
        "by": st.sampled_from([None, "question_types", ["doc_type"], ["question_types", "lang"]]),
        "cluster": st.sampled_from([None, "doc_id"]),
        "metrics": st.sampled_from(["anls", "nls", "exact_match", *RATES]),
        "missing": st.sampled_from(["empty", "drop"]),
        "confidence": st.sampled_from([0.5, 0.95, 0.9999]),
    }
)


def made(case: dict[str, Any]) -> Comparison:
    options = {name: case[name] for name in ("by", "cluster", "metrics", "missing", "confidence")}
    rows = SAMPLE.filter(pl.col("doc_id").is_in(case["documents"]))
    rows = rows.sample(fraction=case["rows"], seed=case["seed"])
    return compare(rows, SYSTEMS, "answers", draws=200, **options)


def check_row(row: dict[str, Any], *, is_rate: bool, has_clusters: bool) -> None:
    assert row["n"] == row["wins"] + row["ties"] + row["losses"]
    scores = [row[name] for name in ("baseline_score", "score_low", "score", "score_high")]
    assert all(0 <= score <= (math.inf if is_rate else 1) for score in scores if score is not None)
    if row["score_low"] is not None:
        assert row["score_low"] <= row["score"] <= row["score_high"]
    assert all(math.isfinite(value) for value in row.values() if isinstance(value, float))
    difference, low, high = (row[f"difference{end}"] for end in ("", "_low", "_high"))
    units = row["n_clusters"] if has_clusters else row["n"]
    if difference is None:
        assert (low, high, row["p_value"], row["p_adjusted"]) == (None, None, None, None)
        return
    assert difference == pytest.approx(row["score"] - row["baseline_score"], abs=1e-9)
    if units < 2:
        assert (low, high, row["p_value"]) == (None, None, None)
    if low is not None:
        assert low <= difference <= high
        assert is_rate or -1 <= low <= high <= 1
    if row["p_value"] is not None:
        assert 0 < row["p_value"] <= 1
        assert row["p_value"] <= row["p_adjusted"] <= 1
    assert (row["p_value"] is None) == (row["p_adjusted"] is None)


def check_text(text: str, *, is_rate: bool) -> None:
    assert not re.search(r"-0\.000(?!\d)", text)
    assert not re.search(r"\b(nan|inf|NaN|Infinity)\b", text)
    if not is_rate:
        assert all(abs(float(figure)) <= 1 for figure in FIGURE.findall(text))


@settings(
    report_oracle.FEWER, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
@given(case=CASES)
def test_figures_are_what_they_can_be(case: dict[str, Any], tmp_path: Path) -> None:
    one = made(case)
    is_rate = case["metrics"] in RATES
    for row in one.to_polars().iter_rows(named=True):
        check_row(row, is_rate=is_rate, has_clusters=case["cluster"] is not None)
    written = [one.write(tmp_path / f"c{suffix}") for suffix in (".md", ".csv", ".html")]
    check_text(repr(one), is_rate=is_rate)
    check_text(written[0].read_text("utf-8"), is_rate=is_rate)
    page = re.sub(r'<style>.*?</style>|<script>.*?</script>|="[^"]*"', "", written[2].read_text("utf-8"))
    check_text(re.sub(r"<[^>]*>", " ", page), is_rate=is_rate)
    columns = one.to_polars().drop(*([] if case["by"] is None else one.settings["by"])).columns
    again = pl.read_csv(written[1], columns=columns)
    for row in again.iter_rows(named=True):
        check_row(row, is_rate=is_rate, has_clusters=case["cluster"] is not None)
