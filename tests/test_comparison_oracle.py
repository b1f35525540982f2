"""Comparisons against plain loops, scipy's permutation test and statsmodels' correction."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import oracle
import polars as pl
import pytest
import report_oracle
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from statsmodels.stats.multitest import multipletests

import anls_frame as af
from anls_frame.comparison import Comparison, compare

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable

METRICS = ["anls", "nls", "exact_match", "cer"]
SYSTEMS = {"old": "first", "new": "second"}
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
    low, high = report_oracle.student(parts, confidence)
    return {
        "n": len(pairs),
        "old": math.fsum(one for _, one, _ in pairs) / len(pairs),
        "new": math.fsum(two for _, _, two in pairs) / len(pairs),
        "difference": report_oracle.ratio(units),
        "difference_low": low,
        "difference_high": high,
        "p_value": exact_p([x for x, _ in units]),
        "wins": falls if lower_is_better else rises,
        "ties": len(pairs) - rises - falls,
        "losses": rises if lower_is_better else falls,
    }


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        near = pytest.approx(value, rel=1e-6, abs=1e-9) if isinstance(value, float) else value
        assert found[name] == near, name


@report_oracle.FEWER
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
    made = compare(frame, SYSTEMS, "answers", by="types", cluster=cluster, metric=metric, missing=missing)
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
        check(made.overall, expected_slice([pair_ for _, pair_ in pairs], lower_is_better=lower))
        check_holm(made.by_group)
    settings = made.settings
    dropped = settings["n_missing"] if missing == "drop" else 0
    assert settings["rows"] == len(rows) == settings["n"] + settings["n_unanswerable"] + dropped
    assert settings["n"] == len(pairs)


def check_holm(slices: pl.DataFrame) -> None:
    tested = slices.filter(pl.col("p_value").is_not_null())
    expected = multipletests(tested["p_value"].to_numpy(), method="holm")[1]
    assert tested["p_holm"].to_list() == pytest.approx(list(expected))


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


def cluster_sums(frame: pl.DataFrame, unit: str) -> list[float]:
    sums: dict[Any, float] = {}
    for row in frame.iter_rows(named=True):
        sums[row[unit]] = sums.get(row[unit], 0.0) + row["b"] - row["a"]
    return list(sums.values())


@pytest.mark.parametrize("clusters", [2, 3, 5, 9, 12])
def test_p_value_of_few_clusters_is_the_exact_one_of_scipy(clusters: int) -> None:
    frame = scores(clusters, 60, clusters, 1)
    found = compare(frame, {"a": "a", "b": "b"}, None, cluster="doc").overall["p_value"]
    sums = np.array(cluster_sums(frame, "doc"))

    def total(x: Any, axis: int) -> Any:
        # Rounded, so that sums are equal that differ by rounding alone.
        return np.abs(np.round(x.sum(axis=axis), 9))

    exact = stats.permutation_test(
        (sums,), total, permutation_type="samples", n_resamples=np.inf, vectorized=True, alternative="greater"
    )
    assert found == pytest.approx(exact.pvalue)
    assert found == pytest.approx(exact_p(list(sums)))


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("cluster", [None, "doc"])
def test_p_value_of_many_units_is_near_that_of_t(cluster: str | None, seed: int) -> None:
    frame = scores(seed, 1000, 200, 1)
    overall = compare(frame, {"a": "a", "b": "b"}, None, cluster=cluster).overall
    sums = cluster_sums(frame.with_row_index("row"), cluster or "row")
    near = stats.ttest_1samp(sums, 0).pvalue
    assert overall["p_value"] == pytest.approx(near, abs=4 * math.sqrt(near * (1 - near) / 10_000) + 0.01)


def test_interval_and_p_value_agree_with_the_t_test_of_pairs() -> None:
    frame = scores(5, 400, 1, 60)
    made = compare(frame, {"a": "a", "b": "b"}, None, by="k", confidence=0.9)
    test = stats.ttest_rel(frame["b"].to_numpy(), frame["a"].to_numpy())
    interval = test.confidence_interval(0.9)
    found = made.overall["difference_low"], made.overall["difference_high"]
    assert found == pytest.approx((interval.low, interval.high), abs=1e-12)
    # More than 50 slices: Student's t.
    assert made.by_group.height == 60
    for row in made.by_group.iter_rows(named=True):
        of_slice = frame.filter(pl.col("k") == row["k"])
        if (of_slice["b"] - of_slice["a"]).n_unique() > 1:
            expected = stats.ttest_rel(of_slice["b"].to_numpy(), of_slice["a"].to_numpy()).pvalue
            assert row["p_value"] == pytest.approx(expected)
    check_holm(made.by_group)


@pytest.mark.parametrize(("groups", "is_t"), [(50, False), (51, True)])
def test_more_than_fifty_slices_are_tested_by_t(groups: int, *, is_t: bool) -> None:
    frame = scores(1, 6 * groups, 4, 1).with_columns(k=pl.int_range(pl.len()) % groups)
    made = compare(frame, {"a": "a", "b": "b"}, None, by="k")
    assert made.by_group.height == groups
    exact, student = (agreeing(made, frame, method) for method in (exact_p, t_of))
    assert (exact, student) == ((False, True) if is_t else (True, False))
    # Overall is one value and keeps the sign-flip test, whatever the number of slices.
    alone = compare(frame, {"a": "a", "b": "b"}, None)
    assert made.overall["p_value"] == alone.overall["p_value"]


def t_of(differences: list[float]) -> float:
    if len(set(differences)) > 1:
        return float(stats.ttest_1samp(differences, 0).pvalue)
    return 1.0 if differences[0] == 0 else 2.0 ** (1 - len(differences))


def agreeing(made: Comparison, frame: pl.DataFrame, method: Callable[[list[float]], float]) -> bool:
    """Whether all p-values of slices are those of a method."""
    differences = frame.group_by("k").agg((pl.col("b") - pl.col("a")).alias("difference"))
    expected = {key: method(values) for key, values in differences.iter_rows()}
    rows = made.by_group.iter_rows(named=True)
    return all(row["p_value"] == pytest.approx(expected[row["k"]]) for row in rows)


def test_cluster_in_several_cells_is_flipped_as_a_whole() -> None:
    # Document 1 lies in both slices and in three cells; each slice flips what it has of it.
    frame = pl.DataFrame(
        {
            "a": [0.0] * 6,
            "b": [1.0, 0.5, 0.25, -0.5, 1.0, 0.75],
            "k": [["t"], ["t", "u"], ["u"], ["t"], ["u"], ["t"]],
            "doc": [1, 1, 1, 2, 2, 3],
        }
    )
    made = compare(frame, {"a": "a", "b": "b"}, None, by="k", cluster="doc")
    found = {row["k"]: row["p_value"] for row in made.by_group.iter_rows(named=True)}
    assert found == {"t": pytest.approx(exact_p([1.5, -0.5, 0.75])), "u": pytest.approx(exact_p([0.75, 1.0]))}
    assert made.overall["p_value"] == pytest.approx(exact_p([1.75, 0.5, 0.75]))
