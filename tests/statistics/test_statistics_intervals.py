"""Variances and intervals against statsmodels, scipy and plain loops over rows."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from statsmodels.regression.linear_model import OLS
from statsmodels.stats.proportion import proportion_confint

from anls_frame.statistics import (
    effective_units,
    ratio_interval,
    ratio_variance,
    t_interval,
    wilson_interval,
)

Clusters: TypeAlias = list[list[float]]
Bounds: TypeAlias = tuple[float, float]

SCORES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(0.5, 1), st.floats(0, 1))
# Of two effective units at least, without which there is no interval.
CLUSTERS = st.lists(st.lists(SCORES, min_size=1, max_size=8), min_size=2, max_size=12).filter(
    lambda clusters: sum(map(len, clusters)) ** 2 >= 2 * sum(len(rows) ** 2 for rows in clusters)
)


def random_clusters(seed: int, units: int) -> Clusters:
    """Clusters of unequal size whose rows are alike."""
    random = np.random.default_rng(seed)
    clusters = []
    for size in random.integers(1, 12, units):
        level = random.beta(4, 1)
        clusters.append(np.where(random.random(size) < level, 1.0, random.random(size)).tolist())
    return clusters


def moments(units: Sequence[tuple[float, float]]) -> dict[str, float]:
    return {
        "units": len(units),
        "sum_x": sum(x for x, _ in units),
        "sum_y": sum(y for _, y in units),
        "sum_xx": sum(x * x for x, _ in units),
        "sum_xy": sum(x * y for x, y in units),
        "sum_yy": sum(y * y for _, y in units),
    }


def summed(clusters: Clusters) -> dict[str, float]:
    return moments([(sum(rows), len(rows)) for rows in clusters])


def report_interval(clusters: Clusters, confidence: float = 0.95) -> Bounds:
    """The interval of a report, from the rows."""
    rows = list(itertools.chain.from_iterable(clusters))
    sums = summed(clusters)
    sums["units"] = float(effective_units(sums["sum_y"], sums["sum_yy"]))
    low, high = wilson_interval(
        sum(rows) / len(rows),
        ratio_variance(**sums),
        len(rows),
        sums["units"],
        confidence,
        sum_squares=sum(score * score for score in rows),
        cubes=sum(len(cluster) ** 3 for cluster in clusters),
        fourths=sum(len(cluster) ** 4 for cluster in clusters),
    )
    return float(low), float(high)


def loop_interval(clusters: Clusters, confidence: float = 0.95) -> Bounds:
    """The same by its definition, with residuals in place of sums."""
    rows = list(itertools.chain.from_iterable(clusters))
    n, squares = len(rows), sum(len(c) ** 2 for c in clusters)
    units = n * n / squares
    mean = sum(rows) / n
    variance = units / (units - 1) * sum((sum(c) - mean * len(c)) ** 2 for c in clusters) / n**2
    spread = sum((score - mean) ** 2 for score in rows)
    padded = [*rows, 0.0, 1.0]
    middle = sum(padded) / len(padded)
    worth = n * middle * (1 - middle) / (sum((score - middle) ** 2 for score in padded) / len(padded))
    usual = 1 + 0.3 * (n / units - 1)
    design = usual
    if spread > 1e-12 * sum(score * score for score in rows):
        design = max(1.0, variance / (spread / (n - 1) / n))
    size = worth / design
    information = min(units - 1, size * min(mean, 1 - mean))
    weight = (information / 6) ** 4 / (1 + (information / 6) ** 4)
    drawn = max(design, weight * design + (1 - weight) * usual)
    correlation = min(1.0, (drawn - 1) / (n / units - 1)) if n > units else 0.0
    adds = [len(c) * (1 - correlation) + correlation * len(c) ** 2 for c in clusters]
    carried = min(units, max(2.0, sum(adds) ** 2 / sum(one * one for one in adds)))
    drawn *= carried / (carried - 1) * (units - 1) / units
    clustered = (drawn - 1) / drawn
    of_units = weight * (min(carried - 1, information) - 0.5) + (1 - weight) * (carried - 1)
    df = 1 / (clustered**2 / max(of_units, 1) + (1 - clustered) ** 2 / (n - 1))
    level = 0.5 + confidence / 2
    inverse = min(
        scipy.stats.t.ppf(level, df) ** 2 * drawn / worth,
        scipy.stats.t.ppf(level, carried - 1) ** 2 / min(carried * worth / n, size),
    )
    root = math.sqrt(inverse * mean * (1 - mean) + inverse**2 / 4)
    return (mean + inverse / 2 - root) / (1 + inverse), (mean + inverse / 2 + root) / (1 + inverse)


# Variance.


@pytest.mark.parametrize("seed", range(5))
def test_variance_of_a_mean_is_the_cluster_robust_one_of_statsmodels(seed: int) -> None:
    clusters = random_clusters(seed, 15)
    groups = np.repeat(np.arange(15), [len(rows) for rows in clusters])
    rows = np.concatenate(clusters)
    model = OLS(rows, np.ones((len(rows), 1)))
    # Its correction is G / (G - 1) · (N - 1) / (N - k), and k = 1.
    corrected = model.fit(cov_type="cluster", cov_kwds={"groups": groups})
    plain = model.fit(cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False})
    variance = float(ratio_variance(**summed(clusters)))
    assert math.isclose(variance, corrected.cov_params()[0, 0], rel_tol=1e-10)
    assert math.isclose(variance, 15 / 14 * plain.cov_params()[0, 0], rel_tol=1e-10)


@given(st.lists(st.tuples(st.integers(0, 40), st.integers(1, 30)), min_size=2, max_size=15))
def test_variance_of_a_ratio_is_that_of_exact_arithmetic(units: list[tuple[int, int]]) -> None:
    ratio = Fraction(sum(x for x, _ in units), sum(y for _, y in units))
    residuals = sum((x - ratio * y) ** 2 for x, y in units)
    exact = Fraction(len(units), len(units) - 1) * residuals / sum(y for _, y in units) ** 2
    assert math.isclose(float(ratio_variance(**moments(units))), float(exact), rel_tol=1e-9)


def test_bracket_that_is_known_better_takes_the_place_of_the_sums() -> None:
    scores = [1e9, 1e9 + 1, 1e9 + 2]
    sums = moments([(score, 1.0) for score in scores])
    assert float(ratio_variance(**sums)) != pytest.approx(1 / 3)
    assert float(ratio_variance(**sums, bracket=2.0)) == pytest.approx(1 / 3, rel=1e-12)


def test_variance_needs_two_units_and_a_denominator() -> None:
    assert np.isnan(ratio_variance([0, 1, 5], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 1, 0])).all()


def test_equal_units_count_in_full_and_unequal_ones_less() -> None:
    assert effective_units(30, 300).shape == ()
    assert effective_units([30, 4, 0], [300, 10, 0]).tolist()[:2] == [3, 1.6]
    assert np.isnan(effective_units(0, 0))


def test_correlated_units_are_those_of_carter_schnepel_and_steigerwald() -> None:
    """G / (1 + the squared coefficient of variation of what units add), from each unit's matrix."""
    sizes = [1, 3, 3, 10, 40]
    for rho in (0.0, 0.05, 0.4, 1.0):
        adds = [float(np.ones(n) @ (np.eye(n) * (1 - rho) + rho) @ np.ones(n)) for n in sizes]
        expected = len(sizes) / (1 + (np.std(adds) / np.mean(adds)) ** 2)
        powers = [sum(n**power for n in sizes) for power in (1, 2, 3, 4)]
        assert float(effective_units(*powers, correlation=rho)) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("sizes", [[1000, 1], [5, 1], [10, 1, 1], [7, 7, 1e6]])
def test_one_large_unit_beside_small_ones_shows_nothing(sizes: list[float]) -> None:
    n = sum(sizes)
    units = float(effective_units(n, sum(size * size for size in sizes)))
    assert 1 < units < 2
    sums = moments([(0.8 * sizes[0], sizes[0]), *((0.0, size) for size in sizes[1:])])
    sums["units"] = units
    variance = ratio_variance(**sums)
    for bounds in (
        wilson_interval(sums["sum_x"] / n, variance, n, units),
        t_interval(0.1, variance, units),
        ratio_interval(sums["sum_x"], n, variance, units),
    ):
        assert np.isnan(bounds).all()


# Wilson.


@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
@pytest.mark.parametrize(("right", "n"), [(0, 5), (2, 5), (5, 5), (0, 30), (1, 30), (27, 30), (600, 1000)])
def test_without_clusters_it_is_the_interval_of_wilson(right: int, n: int, confidence: float) -> None:
    variance = ratio_variance(n, right, n, right, right, n)
    low, high = (float(bound) for bound in wilson_interval(right / n, variance, n, n, confidence))
    # statsmodels takes the normal quantile of alpha: here the alpha whose normal quantile is that of t.
    t = scipy.stats.t.ppf(0.5 + confidence / 2, n - 1)
    expected = proportion_confint(right, n, alpha=2 * scipy.stats.norm.sf(t), method="wilson")
    assert (low, high) == pytest.approx(expected, rel=1e-9, abs=1e-12)
    share = right / n
    root = t * math.sqrt(n * share * (1 - share) + t * t / 4)
    closed = (right + t * t / 2 - root) / (n + t * t), (right + t * t / 2 + root) / (n + t * t)
    assert (low, high) == pytest.approx(closed, rel=1e-9, abs=1e-12)


@given(CLUSTERS, st.floats(0.5, 0.999))
def test_with_clusters_it_is_its_definition(clusters: Clusters, confidence: float) -> None:
    expected = loop_interval(clusters, confidence)
    assert report_interval(clusters, confidence) == pytest.approx(expected, rel=1e-6, abs=1e-7)


@pytest.mark.parametrize("right", [0, 1])
@pytest.mark.parametrize(("units", "rows"), [(2, 1), (10, 1), (10, 30), (50, 200)])
def test_all_wrong_or_all_right_counts_rows_as_correlated(right: int, units: int, rows: int) -> None:
    bounds = report_interval([[float(right)] * rows] * units)
    square = scipy.stats.t.ppf(0.975, units - 1) ** 2
    if rows == 1:
        far = units / (units + square)
        assert bounds == pytest.approx((far, 1) if right else (0, 1 - far), rel=1e-9)
    else:  # no wider than if units were rows, and not as if the rows were independent
        width = bounds[1] - bounds[0]
        assert bounds[right] == right
        assert square / (units * rows + square) < width < square / (units + square)


@pytest.mark.parametrize(
    ("mean", "variance", "n", "units"),
    [
        (math.nan, math.nan, 0, 0),  # no rows
        (0.5, math.nan, 1, 1),  # one row
        (0.5, math.nan, 20, 1),  # one cluster
        (0.5, 0.1, 20, 1),
        (0.5, 0.1, 20, 1.99),
        (0.5, math.nan, 20, 5),
    ],
)
def test_no_interval_without_two_units(mean: float, variance: float, n: int, units: int) -> None:
    assert np.isnan(wilson_interval(mean, variance, n, units)).all()


@pytest.mark.parametrize("confidence", [0, 1, -0.1, 1.5, math.nan, math.inf])
def test_confidence_lies_between_0_and_1(confidence: float) -> None:
    with pytest.raises(ValueError, match=r"confidence must be a number in \(0, 1\)"):
        wilson_interval(0.5, 0.01, 30, 30, confidence)
    with pytest.raises(ValueError, match=r"confidence must be a number in \(0, 1\)"):
        t_interval(0.5, 0.01, 30, confidence)
    with pytest.raises(ValueError, match=r"confidence must be a number in \(0, 1\)"):
        ratio_interval(5, 100, 0.01, 30, confidence)


# The others.


def test_the_last_digit_of_units_of_one_row_does_not_matter() -> None:
    """Rows that count for different shares, as in a macro average, whose number is that of the units."""
    sums = {"cubes": 130, "fourths": 200, "sum_squares": 70}
    ends = [
        wilson_interval(0.7, 0.003, 100, units, **sums)
        for units in (np.nextafter(100, 0), 100, np.nextafter(100, 200))
    ]
    assert np.ptp(ends, axis=0) == pytest.approx(0, abs=1e-12)


def test_t_interval_is_that_of_scipy() -> None:
    scores = np.random.default_rng(4).normal(size=12)
    variance = ratio_variance(**moments([(x, 1.0) for x in scores]))
    low, high = t_interval(scores.mean(), variance, 12, 0.9)
    expected = scipy.stats.t.interval(0.9, 11, loc=scores.mean(), scale=scipy.stats.sem(scores))
    assert (float(low), float(high)) == pytest.approx(expected, rel=1e-10)


def test_t_interval_at_the_edges() -> None:
    assert np.isnan(t_interval([math.nan, 0.5, 0.5], [math.nan, math.nan, 0.1], [0, 1, 1])).all()
    low, high = t_interval(0.5, 0.0, 5)
    assert (float(low), float(high)) == (0.5, 0.5)


def test_interval_of_a_rate_is_that_of_its_logarithm() -> None:
    variance = float(ratio_variance(4, 10, 200, 36, 520, 10_600))
    low, high = ratio_interval(10, 200, variance, 4)
    half = scipy.stats.t.ppf(0.975, 3) * math.sqrt(variance) / 0.05
    expected = math.exp(math.log(0.05) - half), math.exp(math.log(0.05) + half)
    assert (float(low), float(high)) == pytest.approx(expected, rel=1e-10)


@pytest.mark.parametrize(("rate", "most"), [(0.03, 3), (0.3, 3), (1.5, 15)])
def test_rate_of_which_nothing_is_known_has_no_interval(rate: float, most: float) -> None:
    t = scipy.stats.t.ppf(0.975, 1)
    for upper, is_finite in ((most * 0.999, True), (most * 1.001, False)):
        variance = (math.log(upper / rate) / t * rate) ** 2
        bounds = ratio_interval(100 * rate, 100, variance, 2)
        assert np.isfinite(bounds).tolist() == [is_finite, is_finite]


def test_interval_of_a_rate_without_errors_is_the_one_of_units_without_errors() -> None:
    low, high = ratio_interval(0, 500, 0.0, 20)
    assert float(low) == 0
    t = scipy.stats.t.ppf(0.975, 19)
    assert float(high) == pytest.approx(t * t / (20 + t * t))


def test_interval_of_a_rate_at_the_edges() -> None:
    # No rows, one row, one row without errors, no length.
    errors, length, variance = [0, 3, 0, 0], [0, 10, 10, 0], [math.nan, math.nan, math.nan, math.nan]
    assert np.isnan(ratio_interval(errors, length, variance, [0, 1, 1, 5])).all()
    low, high = ratio_interval(10, 10, 0.0, 3)  # everything is wrong, everywhere
    assert (float(low), float(high)) == (1, 1)


def test_intervals_of_many_groups_are_those_of_each() -> None:
    groups = [random_clusters(seed, 5 + seed) for seed in range(8)]
    sums = [summed(clusters) for clusters in groups]
    n = np.array([group["sum_y"] for group in sums])
    mean = np.array([group["sum_x"] for group in sums]) / n
    units = effective_units(n, [group["sum_yy"] for group in sums])
    for group, count in zip(sums, units.tolist(), strict=True):
        group["units"] = count
    variance = ratio_variance(**{name: np.array([group[name] for group in sums]) for name in sums[0]})
    squares = [sum(x * x for rows in clusters for x in rows) for clusters in groups]
    cubes, fourths = ([sum(len(rows) ** power for rows in c) for c in groups] for power in (3, 4))
    low, high = wilson_interval(mean, variance, n, units, sum_squares=squares, cubes=cubes, fourths=fourths)
    assert low.shape == high.shape == (8,)
    for position, clusters in enumerate(groups):
        assert (low[position], high[position]) == pytest.approx(report_interval(clusters), rel=1e-12)
