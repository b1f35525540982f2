"""Reports of many keys, of counts that 32 bits do not hold, and of sums of many addends."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

from anls_frame.reports.reports import report
from anls_frame.summary import system_rows
from anls_frame.summary.rows import score_details


@pytest.mark.parametrize("cluster", [None, "k"], ids=["alone", "and clusters"])
def test_a_hundred_thousand_keys(cluster: str | None) -> None:
    keys = 100_000
    rows = pl.int_range(2 * keys, eager=True)
    frame = pl.DataFrame({"p": ["a", "x"] * keys, "a": ["a"] * 2 * keys, "k": rows % keys})
    made = report(frame, "p", "a", by="k", cluster=cluster).by_group.sort("k")
    expected = frame.group_by("k").agg(
        n=pl.len().cast(pl.Int64), anls=(pl.col("p") == "a").mean(), cer_corpus=(pl.col("p") == "x").mean()
    )
    assert made.height == keys
    assert made.select(expected.columns).equals(expected.sort("k"))


@pytest.mark.parametrize("cluster", [None, "k"], ids=["alone", "and clusters"])
def test_counts_of_characters_beyond_32_bits(monkeypatch: pytest.MonkeyPatch, cluster: str | None) -> None:
    # Each character stands for a gigabyte, which would take seconds to read.
    def of_gigabytes(*arguments: Any) -> pl.Expr:
        counts = [pl.field(name) * 2**30 for name in ("char_errors", "reference_length")]
        return score_details(*arguments).struct.with_fields(counts)

    monkeypatch.setattr(system_rows, "score_details", of_gigabytes)
    frame = pl.DataFrame({"p": [None, "", None, "", "x"], "a": ["x"] * 5, "k": [1, 1, 1, 1, 1]})
    made = report(frame, "p", "a", cluster=cluster)
    assert (made.overall["n"], made.overall["n_missing"]) == (5, 2)
    # With sums that wrap alike, the rate of the first four rows alone would still be 1.
    assert made.overall["cer_corpus"] == 4 / 5


@pytest.mark.parametrize("by", [None, "k"])
def test_sums_of_ten_million_addends_keep_ten_digits(by: str | None) -> None:
    # By group, Polars 1.44 adds one after the other: half of them then come to 500,000.00002.
    rows = 10_000_000
    frame = pl.select(s=pl.repeat(0.1, rows), k=pl.int_range(rows) % 2)
    made = report(frame, metrics="s", by=by)
    assert made.overall["s"] == pytest.approx(0.1, rel=1e-10)
    assert made.by_group["s"].to_list() == pytest.approx([0.1] * made.by_group.height, rel=1e-10)
