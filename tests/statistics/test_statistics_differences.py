"""Intervals of differences against formulas of textbooks, written out."""

from __future__ import annotations

import math

import numpy as np
import polars as pl
import pytest
from scipy import stats

import anls_frame as af
from anls_frame.statistics.differences import difference_interval, unseen_share


def compared(
    changes: list[int], documents: list[int] | None = None, confidence: float = 0.95
) -> af.Comparison[pl.DataFrame]:
    """Compare two systems that have so many rows with a change of 1, -1 or 0 as the list says."""
    frame = pl.DataFrame({"a": [1.0 if one < 0 else 0.0 for one in changes]})
    document = pl.Series(documents or range(len(changes)))
    frame = frame.with_columns(b=pl.col("a") + pl.Series(changes), d=document)
    cluster = None if documents is None else "d"
    bounded = af.Metric({"a": "a", "b": "b"}, name="s", bounds=(0, 1))
    return af.compare(frame, ["a", "b"], metrics=bounded, cluster=cluster, confidence=confidence)


@pytest.mark.parametrize(("wins", "losses", "n"), [(0, 1, 112), (1, 3, 300), (5, 12, 112), (40, 40, 200)])
def test_rows_that_change_have_about_the_interval_of_bonett_and_price(wins: int, losses: int, n: int) -> None:
    made = compared([1] * wins + [-1] * losses + [0] * (n - wins - losses)).overall
    low, high = made.select("difference_low", "difference_high").row(0)
    # Bonett and Price (2012): d = (w - l) / (n + 2), s² = ((w + l + 2) / (n + 2) - d²) / (n + 2).
    d = (wins - losses) / (n + 2)
    error = math.sqrt(((wins + losses + 2) / (n + 2) - d * d) / (n + 2))
    half = stats.t.ppf(0.975, n - 1) * error
    assert (high - low) / 2 == pytest.approx(half, rel=4 / n)
    assert (high + low) / 2 == pytest.approx((wins - losses) / n, abs=1e-12)


@pytest.mark.parametrize("rows", [1, 10])
@pytest.mark.parametrize("level", [0.9, 0.95])
def test_documents_without_a_change_leave_room_for_one_that_was_not_drawn(rows: int, level: float) -> None:
    documents = list(range(150)) * rows
    made = compared([0] * len(documents), documents, confidence=level).overall
    # So large a share of failing documents is missed by 150 documents in half of 1 - level of all samples.
    share = made["difference_high"].item()
    assert made["difference_low"].item() == -share
    assert (1 - share) ** 150 == pytest.approx((1 - level) / 2, rel=0.05)
    assert made["few_rows"].item()


def test_interval_is_unknown_where_the_size_of_a_change_is() -> None:
    scores = pl.DataFrame({"a": [3.5] * 50, "b": [3.5] * 50})
    for metric, expected in (
        (af.Metric({"a": "a", "b": "b"}, name="s"), None),
        # A rate can be as far off as a page that cannot be read.
        (af.Metric({"a": "a", "b": "b"}, name="s", bounds=(0, 10)), -10 * math.log(0.025) / 50),
    ):
        made = af.compare(scores, ["a", "b"], metrics=metric).overall.row(0, named=True)
        assert (made["difference"], made["few_rows"]) == (0.0, True)
        assert made["difference_high"] == (expected and pytest.approx(expected))
        assert made["difference_low"] == (expected and pytest.approx(-expected))
    pages = pl.DataFrame({"p": ["abcx"] * 50, "q": ["xbcd"] * 50, "t": ["abcd"] * 50})
    rates = af.compare(pages, ["p", "q"], "t", metrics="cer_corpus").overall
    assert rates["difference_high"].item() == pytest.approx(-math.log(0.025) / 50)


def test_units_that_all_change_alike_are_not_certain() -> None:
    made = compared([-1] * 60).overall.row(0, named=True)
    assert (made["difference_low"], made["difference"], made["few_rows"]) == (-1.0, -1.0, True)
    # A share p of rows that do not lose is missed by 60 rows in 2.5 % of samples.
    assert (-made["difference_high"]) ** 60 == pytest.approx(0.025, rel=0.15)


def test_arrays_are_those_of_single_values() -> None:
    random = np.random.default_rng(3)
    difference, variance = random.normal(0, 1, 20), random.choice([0, 0.1, 0.4], 20)
    units, changed = random.integers(1, 40, 20), random.integers(0, 9, 20)
    low, high = difference_interval(difference, variance, units, changed, 0.9, unseen=0.5)
    for index in range(20):
        d, v, g, c = difference[index], variance[index], units[index], changed[index]
        half = math.nan
        if g >= 2:
            half = (
                stats.t.ppf(0.95, g - 1) * math.sqrt(v + 2 * v / max(c, 1)) if v else -math.log(0.05) / g / 2
            )
        assert (low[index], high[index]) == pytest.approx((d - half, d + half), nan_ok=True)
    assert unseen_share(100, 0.05) == pytest.approx(0.03, abs=1e-4)


@pytest.mark.parametrize("kind", ["rows", "documents", "whole documents"])
def test_gates_are_never_surer_than_intervals(kind: str) -> None:
    random = np.random.default_rng(4)
    rows = 1 if kind == "rows" else 10
    for _ in range(20):
        share = random.choice([0.0, 0.02, 0.1, 0.3], 2) / 2
        chosen = random.choice([-1, 0, 1], 60 * rows, p=[share[0], 1 - share.sum(), share[1]])
        documents = np.repeat(np.arange(60), rows)
        changes = (chosen[::rows][documents] if "whole" in kind else chosen).tolist()
        # The gate has one bound at 5 %, and the interval one at each end.
        made = compared(changes, None if kind == "rows" else documents.tolist(), confidence=0.9)
        low, high = made.overall.select("difference_low", "difference_high").row(0)
        gate = made.decide(0.1, alpha=0.05).frame.select("difference_low", "difference_high").row(0)
        assert gate[0] <= low + 1e-12
        assert gate[1] >= high - 1e-12
        if not any(changes):
            assert gate == pytest.approx((low, high))
            assert low == pytest.approx(math.log(0.05) / 60)
