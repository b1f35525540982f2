"""Comparisons against plain loops and scipy's test of pairs."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable
from fractions import Fraction
from typing import Any, Literal

import max_t_oracle
import numpy as np
import oracle
import polars as pl
import pytest
import report_oracle
from hypothesis import example, given
from hypothesis import strategies as st
from scipy import stats

import anls_frame as af
from anls_frame.reports.comparisons import compare

pytestmark = pytest.mark.usefixtures("each_default_engine")

METRICS = ["anls", "nls", "exact_match", "cer"]
SYSTEMS = {"old": "first", "new": "second"}
SCORES = {"a": "a", "b": "b"}
SCHEMA: dict[str, Any] = {
    "first": pl.String,
    "second": pl.String,
    "answers": pl.List(pl.String),
    "types": pl.List(pl.String),
    "doc": pl.Int64,
}
ROW = st.fixed_dictionaries(
    {
        "first": st.none() | report_oracle.TEXT,
        "second": st.none() | report_oracle.TEXT,
        "answers": report_oracle.ANSWERS,
        "types": report_oracle.KEYS,
        "doc": st.none() | st.integers(0, 3),
    }
)

Pair = tuple["Hashable", float, float]


def scored_pairs(rows: list[dict[str, Any]], metric: str, cluster: str | None, missing: str) -> list[Any]:
    """Slices, unit and both scores of each row that has them."""
    protocol, raw = af.PROTOCOLS["anls"], af.PROTOCOLS["raw"]
    pairs = []
    for index, row in enumerate(rows):
        texts = [row["first"], row["second"]]
        if missing == "drop" and None in texts:
            continue
        found = [oracle.score(text or "", row["answers"], protocol, 0.5, raw) for text in texts]
        if found[0] is None or found[1] is None:
            continue
        one, two = (float(scores[metric]) for scores in found)  # type: ignore[index, literal-required]
        unit = index if cluster is None else row[cluster]
        pairs.append((report_oracle.entries(row["types"]), (unit, one, two)))
    return pairs


def exact_p(sums: list[float]) -> float:
    """Share of all combinations of signs whose sum is as far from 0 as the one that was found."""
    observed = abs(sum(sums)) - 1e-9
    every = itertools.product((1, -1), repeat=len(sums))
    totals = [abs(sum(sign * x for sign, x in zip(signs, sums, strict=True))) for signs in every]
    return sum(total >= observed for total in totals) / len(totals)


def expected_slice(pairs: list[Pair], confidence: float = 0.95, *, lower_is_better: bool) -> dict[str, Any]:
    differences = [two - one for _, one, two in pairs]
    parts = [(unit, two - one, 1.0) for unit, one, two in pairs]
    units = report_oracle.summed(parts)
    rises, falls = sum(x > 0 for x in differences), sum(x < 0 for x in differences)
    sizes = [rows for _, rows in units]
    enough = sum(sizes) ** 2 >= 2 * sum(rows**2 for rows in sizes)
    low, high = report_oracle.NO_UNIT
    if enough:
        count, mean = report_oracle.effective_units(sizes), sum(differences) / len(pairs)
        changes = [(x / len(pairs), (x - mean * rows) / len(pairs)) for x, rows in units]
        # Deviations of units that all change alike are due to rounding.
        changes = [(x, 0.0 if abs(apart) < 1e-15 else apart) for x, apart in changes]
        low, high = report_oracle.of_difference(changes, count, confidence, 1.0)
    if not lower_is_better and low is not None and high is not None:
        low, high = max(low, -1.0), min(high, 1.0)
    return {
        "n": len(pairs),
        "baseline_score": math.fsum(one for _, one, _ in pairs) / len(pairs),
        "score": math.fsum(two for _, _, two in pairs) / len(pairs),
        "difference": report_oracle.ratio(units),
        "difference_low": low,
        "difference_high": high,
        "p_value": exact_p([x for x, _ in units]) if len(units) > 1 else None,
        "wins": falls if lower_is_better else rises,
        "ties": len(pairs) - rises - falls,
        "losses": rises if lower_is_better else falls,
    }


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        near = pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else value
        assert found[name] == near, name


# Three documents of unequal size, of whose rows few examples are made.
UNEQUAL = [
    {"first": first, "second": second, "answers": [answer], "types": None, "doc": doc}
    for first, second, answer, doc in [
        ("", "", "", 1),
        ("", "", "", 1),
        ("", "", "", 2),
        (None, "aa", "a", 3),
    ]
]


@report_oracle.FEWER
@example(rows=UNEQUAL, metric="nls", cluster="doc", missing="empty")
@given(
    rows=st.lists(ROW, max_size=10),
    metric=st.sampled_from(METRICS),
    cluster=st.sampled_from([None, "doc"]),
    missing=st.sampled_from(["empty", "drop"]),
)
def test_comparison_is_that_of_plain_loops(
    rows: list[dict[str, Any]], metric: Any, cluster: str | None, missing: Literal["empty", "drop"]
) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    named = "cer_mean" if metric == "cer" else metric
    made = compare(frame, SYSTEMS, "answers", by="types", cluster=cluster, metrics=named, missing=missing)
    pairs = scored_pairs(rows, metric, cluster, missing)
    slices: dict[Any, list[Pair]] = {}
    for keys, pair_ in pairs:
        for key in keys:
            slices.setdefault(key, []).append(pair_)
    assert set(made.by_group["types"]) == slices.keys()
    lower = metric == "cer"
    for row in made.by_group.iter_rows(named=True):
        check(row, expected_slice(slices[row["types"]], lower_is_better=lower))
        clusters = len({unit for unit, _, _ in slices[row["types"]]})
        assert row["n_clusters"] == (None if cluster is None else clusters)
    if pairs:
        check(
            made.overall.row(0, named=True),
            expected_slice([pair_ for _, pair_ in pairs], lower_is_better=lower),
        )
        check_adjusted(made.by_group, slices)
    settings = made.settings
    assert missing == "drop" or not settings["n_dropped"]
    assert (
        settings["rows"] == len(rows) == sum(settings[name] for name in ("n", "n_unanswerable", "n_dropped"))
    )
    for name, column in made.systems.items():
        assert settings["n_missing"][name] == af.report(frame, column, "answers").overall["n_missing"]
    assert settings["n"] == len(pairs)


def check_adjusted(found: pl.DataFrame, slices: dict[Any, list[Pair]]) -> None:
    """Hold adjusted p-values against all signs of all units, each of which has one sign in all slices."""
    tested = [key for key, pairs in slices.items() if len({unit for unit, _, _ in pairs}) > 1]
    units: dict[Hashable, dict[Any, Fraction]] = {}
    for key in tested:
        for unit, one, two in slices[key]:
            of_unit = units.setdefault(unit, {})
            # Fractions that floats stand for, so that equal sums are equal.
            of_unit[key] = of_unit.get(key, Fraction(0)) + Fraction(two - one).limit_denominator(10**6)
    table = [[of_unit.get(key, Fraction(0)) for key in tested] for of_unit in units.values()]
    expected = dict(zip(tested, max_t_oracle.adjusted(table), strict=True)) if table else {}
    for row in found.iter_rows(named=True):
        if row["types"] in expected:
            assert row["p_adjusted"] == float(expected[row["types"]])
        else:
            assert (row["p_value"], row["p_adjusted"]) == (None, None)


def scores(seed: int, rows: int, clusters: int, groups: int) -> pl.DataFrame:
    random = np.random.default_rng(seed)
    one = random.choice([0.0, 0.5, 0.75, 1.0], rows)
    two = np.where(random.random(rows) < 0.4, random.choice([0.0, 0.6, 1.0], rows), one)
    return pl.DataFrame(
        {
            "a": one,
            "b": two,
            "doc": random.integers(0, clusters, rows),
            "k": random.integers(0, groups, rows),
        }
    )


def test_interval_is_that_of_the_t_test_of_pairs_with_two_more_changes() -> None:
    frame = scores(5, 400, 1, 1)
    made = compare(frame, SCORES, None, confidence=0.9)
    change = (frame["b"] - frame["a"]).to_numpy()
    test = stats.ttest_rel(frame["b"].to_numpy(), frame["a"].to_numpy())
    changed = np.count_nonzero(change)
    half = stats.t.ppf(0.95, 399) * math.sqrt(change.var(ddof=1) / 400 * (changed + 2) / changed)
    found = made.overall.select("difference_low", "difference_high").row(0)
    assert found == pytest.approx((change.mean() - half, change.mean() + half), abs=1e-12)
    # So many changes are enough without the two.
    plain = test.confidence_interval(0.9)
    assert 1 < 2 * half / (plain.high - plain.low) < 1.01


@pytest.mark.parametrize("groups", [50, 51, 200])
def test_any_number_of_slices_is_tested_by_sign_flips(groups: int) -> None:
    frame = scores(1, 6 * groups, 4, 1).with_columns(k=pl.int_range(pl.len()) % groups)
    made = compare(frame, {"a": "a", "b": "b"}, None, by="k", draws=2_000)
    differences = dict(frame.group_by("k").agg(pl.col("b") - pl.col("a")).iter_rows())
    assert made.by_group.height == groups
    for row in made.by_group.iter_rows(named=True):
        assert row["p_value"] == exact_p(differences[row["k"]])
        assert row["p_value"] <= row["p_adjusted"] <= 1
    # Overall is one value, whatever the number of slices.
    alone = compare(frame, SCORES, None, draws=2_000).overall
    assert made.overall["p_value"].item() == alone["p_value"].item()


def cluster_sums(frame: pl.DataFrame, unit: str) -> list[float]:
    sums: dict[Any, float] = {}
    for row in frame.iter_rows(named=True):
        sums[row[unit]] = sums.get(row[unit], 0.0) + row["b"] - row["a"]
    return list(sums.values())


@pytest.mark.parametrize("clusters", [2, 3, 5, 9, 12])
def test_p_value_of_few_clusters_is_the_exact_one_of_scipy(clusters: int) -> None:
    frame = scores(clusters, 60, clusters, 1)
    found = compare(frame, {"a": "a", "b": "b"}, None, cluster="doc").overall["p_value"].item()
    sums = np.array(cluster_sums(frame, "doc"))

    def total(x: Any, axis: int) -> Any:
        # Rounded, so that sums are equal that differ by rounding alone.
        return np.abs(np.round(x.sum(axis=axis), 9))

    exact = stats.permutation_test(
        (sums,), total, permutation_type="samples", n_resamples=np.inf, vectorized=True, alternative="greater"
    )
    assert found == pytest.approx(exact.pvalue)
    assert found == pytest.approx(exact_p(list(sums)))
