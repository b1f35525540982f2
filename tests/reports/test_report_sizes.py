"""Reports of many keys, of counts that 32 bits do not hold, and of sums of many addends."""

from __future__ import annotations

import polars as pl
import pytest

from anls_frame.reports.reports import report


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


def test_counts_of_characters_beyond_32_bits() -> None:
    # The same megabyte in each row: views, not copies.
    rows, length = 4_300, 1_000_000
    answers = pl.Series(["x" * length]).gather([0] * rows)
    frame = pl.DataFrame({"p": [None, ""] * (rows // 2), "a": answers}, schema_overrides={"p": pl.String})
    assert rows * length > 1 << 32
    # With sums that wrap alike, the rate of these rows alone would still be 1.
    right = pl.DataFrame({"p": ["x" * length], "a": ["x" * length]})
    made = report(frame.vstack(right), "p", "a")
    assert (made.overall["n"], made.overall["n_missing"]) == (rows + 1, rows // 2)
    assert made.overall["cer_corpus"] == rows / (rows + 1)


@pytest.mark.parametrize("by", [None, "k"])
def test_sums_of_ten_million_addends_keep_ten_digits(by: str | None) -> None:
    # By group, Polars 1.44 adds one after the other: half of them then come to 500,000.00002.
    rows = 10_000_000
    frame = pl.select(s=pl.repeat(0.1, rows), k=pl.int_range(rows) % 2)
    made = report(frame, metrics="s", by=by)
    assert made.overall["s"] == pytest.approx(0.1, rel=1e-10)
    assert made.by_group["s"].to_list() == pytest.approx([0.1] * made.by_group.height, rel=1e-10)
