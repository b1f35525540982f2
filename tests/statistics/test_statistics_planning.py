"""Planning and the bounds of gates against textbook formulas, loops over units, and scipy."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import scipy.stats

from anls_frame.statistics import sample_sizes
from anls_frame.statistics.sample_sizes import Changes


def seen(documents: Sequence[Sequence[float]], unseen: float = 1.0) -> Changes:
    """What changed in one group of documents, from the differences of their rows."""
    n, x = ([measure(document) for document in documents] for measure in (len, math.fsum))
    group = np.zeros(len(documents), np.int64)
    return sample_sizes.group_changes(group, 1, np.ones(len(documents)), n, x, unseen=unseen)


def of_rows(wins: int, losses: int, n: int) -> Changes:
    x = [1.0, -1.0, 0.0]
    count = [wins, losses, n - wins - losses]
    return sample_sizes.group_changes(np.zeros(3, np.int64), 1, count, np.ones(3), x, unseen=1.0)


def documents(seed: int, number: int = 40) -> list[list[float]]:
    """Differences of rows that are alike in documents of unequal size."""
    random = np.random.default_rng(seed)
    rates = random.beta(0.5, 4, number)
    return [
        random.choice([0.0, -1.0, 0.5], size, p=[1 - rate, 0.7 * rate, 0.3 * rate]).tolist()
        for size, rate in zip(random.integers(1, 15, number), rates, strict=True)
    ]


@pytest.mark.parametrize(("changed", "n"), [(20, 400), (100, 1000), (4, 2000)])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_wrong_and_right_answers_are_planned_as_mcnemar_tests_are(
    changed: int, n: int, power: float, alpha: float
) -> None:
    # Miettinen 1968, first order: discordant pairs ψ, of which (ψ + δ) / 2 on one side; n = z² ψ / δ².
    changes = of_rows(changed // 2, changed // 2, n)
    t = scipy.stats.t(n - 1)
    effect = float(sample_sizes.detectable_difference(changes, power, alpha).item())
    discordant = changed / n + 2 / n + effect
    expected = (t.ppf(1 - alpha / 2) + t.ppf(power)) * math.sqrt(discordant / n)
    assert effect == pytest.approx(expected, rel=0.005)


def estimated(needed: sample_sizes.Needed) -> tuple[float, float]:
    """Return the logarithm of the estimated factor and its standard error, from a range."""
    low, high = (math.log(end.item()) for end in needed)
    # The ends are 90 % quantiles of a log-normal distribution with the estimate as its mean.
    error = (high - low) / (2 * scipy.stats.norm.ppf(0.9))
    return (low + high - error**2) / 2, error


@pytest.mark.parametrize("effect", [0.005, 0.02, 0.3])
def test_needed_units_are_guenthers(effect: float) -> None:
    changes = of_rows(15, 15, 500)
    found, _ = estimated(sample_sizes.needed_units(changes, effect, 0.8, 0.05))
    z = scipy.stats.norm.ppf([0.975, 0.8])
    expected = z.sum() ** 2 * (32 / 500 + effect) / effect**2 + z[0] ** 2 / 2
    assert 500 * math.exp(found) == pytest.approx(expected, rel=0.003)


def test_an_observed_effect_stands_for_the_changes_that_make_it() -> None:
    # 60 of 1,000 rows are lost, none won: to lose 30, half as many must change.
    changes = of_rows(0, 60, 1000)
    half, whole = (
        math.exp(estimated(sample_sizes.needed_units(changes, effect, 0.8, 0.05))[0])
        for effect in (0.03, 0.06)
    )
    assert half / whole == pytest.approx(2, rel=0.03)


def log_needed(documents: Sequence[Sequence[float]], effect: float) -> float:
    """Logarithm of the estimated number."""
    return (
        math.log(len(documents)) + estimated(sample_sizes.needed_units(seen(documents), effect, 0.8, 0.05))[0]
    )


def test_the_range_is_that_of_the_jackknife_over_documents() -> None:
    pilot = documents(2)
    left = [log_needed([*pilot[:i], *pilot[i + 1 :]], 0.05) for i in range(len(pilot))]
    error = math.sqrt((len(pilot) - 1) / len(pilot) * np.square(np.subtract(left, np.mean(left))).sum())
    found = estimated(sample_sizes.needed_units(seen(pilot), 0.05, 0.8, 0.05))[1]
    # The mean is kept when a document is left out, hence the tolerance.
    assert found == pytest.approx(error, rel=0.1)


def test_unevenness_is_that_of_the_rates_of_documents() -> None:
    random = np.random.default_rng(5)
    for correlation in (0.0, 0.05, 0.1):
        rates = np.full(20_000, 0.02)
        if correlation:
            pairs = 1 / correlation - 1
            rates = random.beta(0.02 * pairs, 0.98 * pairs, 20_000)
        x = np.array([random.choice([-1.0, 1.0], count).sum() for count in random.binomial(40, rates)])
        changes = sample_sizes.group_changes(
            np.zeros(20_000, np.int64), 1, np.ones(20_000), np.full(20_000, 40.0), x, unseen=1.0
        )
        squared_variation = correlation * 0.98 / 0.02
        found = changes.sums.unevenness(1.0).item()
        assert found == pytest.approx(squared_variation, rel=0.1, abs=0.1)


def test_a_pilot_without_a_change_plans_nothing() -> None:
    nothing = seen([[0.0] * 10] * 80)
    assert all(np.isnan(end).all() for end in sample_sizes.needed_units(nothing, 0.01, 0.8, 0.05))
    assert np.isnan(sample_sizes.detectable_difference(nothing, 0.8, 0.05)).all()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("level", [0.05, 0.001])
def test_bounds_are_those_of_the_formulas(seed: int, level: float) -> None:
    pilot = documents(seed)
    n = np.array([len(document) for document in pilot], np.float64)
    x = np.array([sum(document) for document in pilot])
    rows, mean = n.sum(), x.sum() / n.sum()
    residual = x - mean * n
    units = rows**2 / (n**2).sum()
    variance = units / (units - 1) * (residual**2).sum()
    # A row that wins and one that loses, with a correlation of 0.3 in documents of the usual size.
    added = 2 * (1 + 0.3 * (rows / units - 1))
    # Or documents that are as large as those that change, if these add more.
    variance = (variance + max(added, 2 * variance / np.count_nonzero(x))) / rows**2
    spread = (residual**4).sum() / (residual**2).sum() ** 2 - 1 / len(n)
    t = scipy.stats.t(min(2 / spread, units - 1)).ppf(1 - level)
    skewness = (residual**3).sum() / rows**3 * (1 + 2 * t**2) / (6 * variance)
    half = t * math.sqrt(variance)
    expected = (mean - half + min(skewness, 0), mean + half + max(skewness, 0))
    low, high = sample_sizes.difference_bounds(seen(pilot), level)
    assert (low.item(), high.item()) == pytest.approx(expected, rel=1e-9)


def test_bounds_of_many_rows_are_those_of_bonett_and_price() -> None:
    wins, losses, n = 220, 260, 20_000
    low, high = sample_sizes.difference_bounds(of_rows(wins, losses, n), 0.05)
    p, q = (wins + 1) / (n + 2), (losses + 1) / (n + 2)
    half = scipy.stats.norm.ppf(0.95) * math.sqrt((p + q - (p - q) ** 2) / (n + 2))
    assert (low.item(), high.item()) == pytest.approx((p - q - half, p - q + half), abs=1e-5)


@pytest.mark.parametrize(("size", "number"), [(1, 1000), (10, 100), (40, 60)])
def test_without_a_change_the_bound_is_the_largest_share_of_documents_that_were_missed(
    size: int, number: int
) -> None:
    changes = seen([[0.0] * size] * number)
    low, high = (end.item() for end in sample_sizes.difference_bounds(changes, 0.05))
    assert -low == high == pytest.approx(-math.log(0.05) / number)
    # A sample of so many documents has none of this share with a probability of less than 5 %.
    assert 0.05 * math.exp(-5 / number) < (1 - high) ** number < 0.05
    assert sample_sizes.decidable_margin(changes, 0.8, 0.05).item() == pytest.approx(high)
    low, high = (end.item() * number for end in sample_sizes.deciding_units(changes, 0.01, 0.8, 0.05))
    assert math.isnan(low)
    assert high == pytest.approx(-math.log(0.05) / 0.01)


@pytest.mark.parametrize("margin", [0.01, 0.02])
def test_deciding_units_decide_if_the_systems_are_equal(margin: float) -> None:
    changes = of_rows(400, 400, 10_000)
    ends = sample_sizes.deciding_units(changes, margin, 0.8, 0.05)
    z = scipy.stats.norm.ppf([0.95, 0.8])
    expected = z.sum() ** 2 * 0.08 / margin**2 + z[0] ** 2 / 2
    assert math.sqrt(math.prod(end.item() for end in ends)) * 10_000 == pytest.approx(expected, rel=0.01)
    needed = round(expected)
    there = of_rows(round(0.04 * needed), round(0.04 * needed), needed)
    assert sample_sizes.decidable_margin(there, 0.8, 0.05).item() == pytest.approx(margin, rel=0.05)


def test_a_single_document_shows_nothing() -> None:
    one = seen([[1.0, 0.0, -1.0]])
    assert all(np.isnan(bound).all() for bound in sample_sizes.difference_bounds(one, 0.05))
    assert all(np.isnan(end).all() for end in sample_sizes.needed_units(one, 0.1, 0.8, 0.05))


def test_scores_without_bounds_and_changes_show_nothing() -> None:
    same = seen([[0.0]] * 50, unseen=0)
    assert np.isnan(sample_sizes.detectable_difference(same, 0.8, 0.05)).all()
    assert all(np.isnan(bound).all() for bound in sample_sizes.difference_bounds(same, 0.05))
    assert all(np.isnan(end).all() for end in sample_sizes.needed_units(same, 0.1, 0.8, 0.05))
