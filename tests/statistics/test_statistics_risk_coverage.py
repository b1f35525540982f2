"""Areas under risk-coverage curves and certified thresholds against loops and published code."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction

import numpy as np
import pytest
import scipy.optimize
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from anls_frame.statistics import (
    RiskCoverage,
    difference_of_augrc,
    effective_units,
    ratio_variance,
    wilson_interval,
)
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.carriers import carriers

CONFIDENCE = [0.9, 0.9, 0.9, 0.5, 0.5, 0.1]
ROWS = st.lists(
    st.tuples(
        st.sampled_from([-math.inf, 0.0, 0.25, 0.5, 0.9, math.inf]), st.sampled_from([0.0, 0.25, 0.5, 1.0])
    ),
    min_size=1,
    max_size=7,
)


def documents(seed: int, number: int, sizes: tuple[int, int] = (5, 15)) -> tuple[FloatArray, ...]:
    """Draw confidences in steps of a tenth, losses that are 1 less often for sure rows, and documents."""
    random = np.random.default_rng(seed)
    document = np.repeat(np.arange(number), random.integers(*sizes, number))
    level = random.beta(4, 2, number)[document]
    confidence = np.clip(level + random.normal(0, 0.2, len(level)), 0, 1).round(1)
    return confidence, (random.random(len(level)) > level).astype(float), document


def trapezoid(confidence: FloatArray, loss: FloatArray) -> float:
    """Area of fd-shifts: generalized risk over coverage at each distinct confidence, from no coverage on."""
    points = [(0.0, 0.0)]
    for threshold in sorted(set(confidence.tolist()), reverse=True):
        accepted = confidence >= threshold
        points.append((accepted.mean(), loss[accepted].sum() / len(loss)))
    return float(np.trapezoid(*reversed(list(zip(*points, strict=True)))))


def auarc(loss: FloatArray) -> float:
    """Area of MAPIE's accuracy-rejection curve of rows in the order of their confidence."""
    return float(np.mean(np.cumsum(1 - loss) / np.arange(1, len(loss) + 1)))


@pytest.mark.parametrize(
    ("loss", "areas", "influence", "errors"),
    [
        (
            [0, 1, 0, 0, 1, 1],
            (0.3791666666666667, 0.19444444444444445, 0.19166666666666665),
            (
                [-0.604167, 1.0125, -0.604167, -0.208333, 0.283333, 0.120833],
                [-0.305556, 0.444444, -0.305556, -0.138889, 0.194444, 0.111111],
            ),
            (0.20312589031143913, 0.11368545516489515),
        ),
        ([0, 0.5, 0, 0.25, 1, 1], (0.2649305555555556, 0.14583333333333334, 0.1798611111111111), None, None),
    ],
)
def test_worked_example(
    loss: Sequence[float],
    areas: tuple[float, float, float],
    influence: tuple[list[float], list[float]] | None,
    errors: tuple[float, float] | None,
) -> None:
    ranked = RiskCoverage.of(CONFIDENCE, loss, [0, 0, 1, 1, 2, 2])
    assert (ranked.aurc, ranked.augrc, ranked.best_aurc) == pytest.approx(areas, abs=1e-12)
    if influence is None or errors is None:
        return
    every = (ranked.aurc_influence, ranked.augrc_influence)
    for found, wanted, error in zip(every, influence, errors, strict=True):
        by_row = sorted(zip(ranked.confidence, ranked.loss, 6 * found, strict=True))
        assert [value for *_, value in by_row] == pytest.approx(
            [value for *_, value in sorted(zip(CONFIDENCE, loss, wanted, strict=True))], abs=1e-6
        )
        assert math.sqrt(ranked.variance(found)) == pytest.approx(error, abs=1e-12)


@given(ROWS)
def test_areas_are_means_over_all_orders_of_ties(rows: list[tuple[float, float]]) -> None:
    """In each order that the confidences leave open, AURC is 1 minus MAPIE's area."""
    by_confidence = [
        [loss for confidence, loss in rows if confidence == level]
        for level in sorted({confidence for confidence, _ in rows}, reverse=True)
    ]
    orders = itertools.product(*(itertools.permutations(losses) for losses in by_confidence))
    every = [auarc(np.array(list(itertools.chain(*order)))) for order in orders]
    confidence, loss = np.array(rows).T
    ranked = RiskCoverage.of(confidence, loss)
    assert ranked.aurc == pytest.approx(1 - np.mean(every), abs=1e-12)
    assert ranked.augrc == pytest.approx(trapezoid(confidence, loss), abs=1e-14)
    assert ranked.best_aurc == pytest.approx(1 - auarc(np.sort(loss)), abs=1e-12)
    assert ranked.aurc_influence.sum() == pytest.approx(0, abs=1e-12)
    assert ranked.augrc_influence.sum() == pytest.approx(0, abs=1e-12)


@given(st.integers(0, 10_000))
def test_auroc_is_the_mann_whitney_statistic_and_gives_augrc(seed: int) -> None:
    confidence, loss, _ = documents(seed, 6)
    ranked = RiskCoverage.of(confidence, loss)
    right, wrong = confidence[loss == 0], confidence[loss == 1]
    if not (len(right) and len(wrong)):
        assert math.isnan(ranked.auroc)
        return
    statistic = scipy.stats.mannwhitneyu(right, wrong).statistic
    assert ranked.auroc == pytest.approx(statistic / (len(right) * len(wrong)), abs=1e-12)
    accuracy = 1 - loss.mean()
    expected = (1 - ranked.auroc) * accuracy * (1 - accuracy) + (1 - accuracy) ** 2 / 2
    assert ranked.augrc == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("seed", range(3))
def test_standard_error_is_that_of_the_jackknife_of_documents(seed: int) -> None:
    confidence, loss, document = documents(seed, 60, (10, 20))
    ranked = RiskCoverage.of(confidence, loss, document)
    without = [
        RiskCoverage.of(confidence[document != one], loss[document != one], document[document != one])
        for one in range(60)
    ]
    for area in ("aurc", "augrc"):
        values = np.array([getattr(one, area) for one in without])
        jackknife = math.sqrt(59 / 60 * ((values - values.mean()) ** 2).sum())
        error = math.sqrt(ranked.variance(getattr(ranked, f"{area}_influence")))
        assert error == pytest.approx(jackknife, rel=0.03)


def test_interval_is_that_of_the_logarithm() -> None:
    confidence, loss, document = documents(1, 30)
    ranked = RiskCoverage.of(confidence, loss, document)
    sizes = np.bincount(document).astype(float)
    units = effective_units(*((sizes**power).sum() for power in (1, 2, 3, 4)))
    for area in ("aurc", "augrc"):
        value, influence = getattr(ranked, area), getattr(ranked, f"{area}_influence")
        of_documents = np.bincount(ranked.document, influence)
        error = math.sqrt(units / (units - 1) * (of_documents**2).sum()) / value
        half = scipy.stats.t.ppf(0.95, units - 1) * error
        found = ranked.interval(area, 0.9)
        assert found == pytest.approx((value * math.exp(-half), value * math.exp(half)), rel=1e-12)


def test_interval_without_documents_and_without_loss() -> None:
    confidence, loss, document = documents(1, 19)
    assert np.isnan(RiskCoverage.of(confidence, loss, document).interval("augrc", 0.95)).all()
    right = RiskCoverage.of(np.arange(40.0), np.zeros(40))
    low, high = right.interval("aurc", 0.95)
    assert low == 0
    assert high == pytest.approx(float(wilson_interval(0, 0, 40, 40, sum_squares=0)[1]))


@pytest.mark.parametrize("lost", [0.25, 1.0])
def test_interval_of_rows_that_all_lose_the_same_is_that_of_their_mean_loss(lost: float) -> None:
    """Their area is the mean loss in any order, AUGRC half of it, so its own influence has no spread."""
    same = RiskCoverage.of(np.arange(40.0), np.full(40, lost))
    low, high = (float(end) for end in wilson_interval(lost, 0, 40, 40, sum_squares=40 * lost**2))
    assert low < lost < high or (low, lost, high) == (low, 1.0, 1.0)
    assert same.interval("aurc", 0.95) == pytest.approx((low, high))
    assert same.interval("augrc", 0.95) == pytest.approx((low / 2, high / 2))


def test_difference_of_two_rankings() -> None:
    confidence, loss, document = documents(2, 30)
    first = RiskCoverage.of(confidence, loss, document)
    second = RiskCoverage.of(-confidence, loss, document)
    change = difference_of_augrc(first, second, 0.95)
    by_document = np.zeros(30)
    for sign, one in ((-1, first), (1, second)):
        by_document += sign * np.bincount(one.document, one.augrc_influence)
    units = first.documents
    error = math.sqrt(units / (units - 1) * (by_document**2).sum())
    value = second.augrc - first.augrc
    t = scipy.stats.t(units - 1)
    assert change.value == value
    assert change.low == pytest.approx(value - t.ppf(0.975) * error)
    assert change.high == pytest.approx(value + t.ppf(0.975) * error)
    assert change.p_value == pytest.approx(2 * t.sf(abs(value) / error))
    assert change.carrying == pytest.approx(carriers(by_document))
    # Equal rankings differ in no document.
    assert difference_of_augrc(first, first, 0.95) == (0, 0, 0, 1, 0)
    few = RiskCoverage.of(*documents(2, 10))
    assert np.isnan(difference_of_augrc(few, few, 0.95)[1:4]).all()


def test_sums_of_accepted_rows_are_those_of_a_loop() -> None:
    confidence, loss, document = documents(4, 12)
    loss *= 0.7
    confidence[:9] = -math.inf
    ranked = RiskCoverage.of(confidence, loss, document)
    thresholds = ranked.thresholds(7)
    assert list(thresholds) == sorted(set(thresholds), reverse=True)
    assert thresholds[-1] == confidence[9:].min()
    found = ranked.accepted(thresholds)
    for step, threshold in enumerate(thresholds):
        chosen = confidence >= threshold
        n = np.bincount(document[chosen]).astype(float)
        x = np.bincount(document[chosen], loss[chosen])
        wanted = [(n > 0).sum(), n.sum(), x.sum(), x @ x, x @ n, n @ n, (n**3).sum(), (n**4).sum()]
        wanted.append((loss[chosen] ** 2).sum())
        assert [values[step] for values in found[:-1]] == pytest.approx(wanted, rel=1e-12)
        assert list(found.sizes[step]) == [(n == rows).sum() for rows in range(1, 16)] + [(n >= 16).sum()]
        units = effective_units(n.sum(), n @ n)
        variance = ratio_variance(units, x.sum(), n.sum(), x @ x, x @ n, n @ n)
        powers = {"sum_squares": wanted[8], "cubes": wanted[6], "fourths": wanted[7]}
        low, high = wilson_interval(x.sum() / n.sum(), variance, n.sum(), units, 0.8, **powers)
        assert [one[step] for one in found.interval(0.8)] == pytest.approx([float(low), float(high)])
        assert found.upper_bound(0.9)[step] == pytest.approx(float(high))
    assert ranked.all_rows().n[0] == len(loss)


def certified_by_loop(ranked: RiskCoverage, risk: float, confidence: float) -> float:
    """Walk from strict to lax with the parts of all starts passed so far, until a bound exceeds the risk."""
    steps = [ranked.accepted([threshold]) for threshold in ranked.thresholds()]
    worth = [float(one.n[0] ** 2 / (0.7 * one.n[0] + 0.3 * one.n_squares[0])) for one in steps]
    starts = [(0.1, 0.1), (0.3, 0.9)] if max(worth) >= 500 else [(0.3, 1.0)]
    passed, level = math.nan, 0.0
    for place, (threshold, one) in enumerate(zip(ranked.thresholds(), steps, strict=True)):
        for share, part in starts:
            start = share * max(worth)
            if worth[place] >= start and not any(each >= start for each in worth[:place]):
                level += (1 - confidence) * part
        if level and one.upper_bound(1 - level, ranked.correlation)[0] <= risk:
            passed = float(threshold)
        elif one.loss[0] > 0:
            level = 0.0
    return passed


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("risk", [0.05, 0.1, 0.3])
def test_certified_threshold_is_the_last_that_passes(seed: int, risk: float) -> None:
    random = np.random.default_rng(seed)
    document = np.repeat(np.arange([40, 150, 400][seed % 3]), 8)
    confidence = random.random(len(document)).round(2 + seed % 3)
    loss = (random.random(len(document)) > confidence**0.2).astype(float)
    ranked = RiskCoverage.of(confidence, loss, document)
    found = ranked.certified(risk, 0.9)
    assert found.threshold == pytest.approx(certified_by_loop(ranked, risk, 0.9), nan_ok=True)
    assert (found.status == "certified") == (found.bound <= risk)
    naive = [ranked.accepted([step]) for step in ranked.thresholds()]
    assert found.naive_coverage == max(
        [one.n[0] / ranked.n for one in naive if one.risk[0] <= risk], default=0
    )


@pytest.mark.parametrize("target", [Fraction(1, 20), Fraction(1, 10), Fraction(1, 3)])
def test_an_observed_risk_equal_to_the_target_meets_it(target: Fraction) -> None:
    """By hand: on average, rows lose what the target says, in whole rows, in equal parts or in two parts."""
    n, one = 60, float(target)
    for losses in (
        [0.0] * (n - round(n * target)) + [1.0] * round(n * target),
        [one] * n,
        [0.0, 2 * one] * (n // 2),
    ):
        found = RiskCoverage.of(np.arange(n, 0, -1), losses).certified(one, 0.95)
        assert found.naive_coverage == 1
        assert RiskCoverage.of(np.arange(n, 0, -1), losses).certified(one - 1e-9, 0.95).naive_coverage < 1


@given(st.integers(0, 10_000), st.sampled_from([1, 4, 20]), st.integers(10, 160))
def test_what_is_certified_grows_with_the_risk(seed: int, rows: int, number: int) -> None:
    random = np.random.default_rng(seed)
    document = np.repeat(np.arange(number), rows)
    sure = random.beta(3, 1, number)[document] * random.random(len(document)) ** 0.2
    loss = (random.random(len(document)) > sure ** random.uniform(0.05, 0.5)) * 1.0
    ranked = RiskCoverage.of(sure.round(2), loss, document)
    risks = np.array([0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.15, 0.2, 0.3, 0.5])
    accepted = ranked.accepted(ranked.thresholds())
    places = accepted.certified(risks[:, np.newaxis, np.newaxis], 0.9, ranked.correlation)[0].ravel()
    assert list(places) == sorted(places)
    # All risks at once have the thresholds of each.
    thresholds = np.append(ranked.thresholds(), np.nan)
    one = random.integers(len(risks))
    np.testing.assert_equal(ranked.certified(risks[one], 0.9).threshold, thresholds[places[one]])


def test_the_risk_is_too_high_only_if_the_surest_rows_show_it() -> None:
    """Of 120 rows, the 100 surest are right."""
    ranked = RiskCoverage.of(np.arange(120, 0, -1), np.arange(120) >= 100)
    found = [ranked.certified(risk, 0.95) for risk in (0.01, 0.02, 0.03, 0.04, 0.05, 0.06)]
    assert [one.status for one in found] == ["too_few_documents"] * 2 + ["certified"] * 4
    # A hundred rows without a loss prove 3 %; 99 of each 120 are tried.
    assert 0.02 < 1 - 0.05 ** (1 / 100) <= 0.03
    assert [math.ceil(math.log(0.05, 1 - risk) * 120 / 99) for risk in (0.01, 0.02)] == pytest.approx(
        [one.documents_needed for one in found[:2]], abs=1
    )
    for one in found[2:]:
        assert (np.arange(120, 0, -1) >= one.threshold).sum() >= 99
    # Four fifths of the surest tenth are lost: no number of rows would do.
    wrong = RiskCoverage.of(np.arange(120, 0, -1), (np.arange(120) < 15) & (np.arange(120) % 5 > 0))
    assert wrong.certified(0.05, 0.95).status == "risk_too_high"
    # One of the surest twelve is lost, which is more than 5 % and proves nothing.
    one = RiskCoverage.of(np.arange(12, 0, -1), np.arange(12) == 0).certified(0.05, 0.95)
    assert (one.status, math.isnan(one.documents_needed)) == ("too_few_documents", True)


@pytest.mark.parametrize(
    ("number", "rows", "lost", "target"), [(46, 20, 0.03, 0.02), (59, 5, 0.03, 0.02), (19, 20, 0.07, 0.05)]
)
def test_a_risk_of_whole_documents_is_not_certified(
    number: int, rows: int, lost: float, target: float
) -> None:
    """Nothing is lost in 14 to 30 % of these samples, which a bound for independent rows takes for proof."""
    random = np.random.default_rng(0)
    document = np.repeat(np.arange(number), rows)
    every = [
        RiskCoverage.of(random.random(len(document)), (random.random(number) < lost)[document], document)
        for _ in range(80)
    ]
    assert np.mean([one.loss.sum() == 0 for one in every]) > 0.1
    # Without `RiskCoverage.certified`, which searches for the number of documents that would do.
    tested = [one.accepted(one.thresholds()).certified(target, 0.95, one.correlation) for one in every]
    assert np.mean([place >= 0 for place, _ in tested]) <= 0.05
    bounds = [one.all_rows().upper_bound(0.95, one.correlation)[0] for one in every]
    assert np.mean(np.array(bounds) <= target) <= 0.05


@pytest.mark.parametrize(("risk", "documents"), [(0.05, 59), (0.02, 149), (0.01, 299)])
@pytest.mark.parametrize("rows", [1, 5, 20])
def test_documents_without_a_loss_prove_what_a_binomial_test_does(
    risk: float, documents: int, rows: int
) -> None:
    """With exactly as many documents as Clopper and Pearson need, whatever their size."""
    for number in (documents - 1, documents):
        document = np.repeat(np.arange(number), rows)
        found = RiskCoverage.of(np.ones(len(document)), np.zeros(len(document)), document)
        exact = scipy.stats.binomtest(0, number).proportion_ci(0.9, "exact").high
        assert found.all_rows().upper_bound(0.95, found.correlation)[0] == pytest.approx(exact, rel=1e-9)
        assert (found.certified(risk, 0.95).status == "certified") == (number == documents)
        few = RiskCoverage.of(np.ones(5 * rows), np.zeros(5 * rows), np.repeat(np.arange(5), rows))
        assert few.certified(risk, 0.95).documents_needed == documents


@pytest.mark.parametrize(
    ("risk", "documents"), [(0.01, (119, 92)), (0.02, (59, 46)), (0.05, (24, 19)), (0.1, (12, 10))]
)
def test_documents_that_the_guide_names_for_a_correlation_of_three_tenths(
    risk: float, documents: tuple[int, int]
) -> None:
    for rows, least in zip((5, 20), documents, strict=True):
        bounds = []
        for number in (least - 1, least):
            document = np.repeat(np.arange(number), rows)
            ranked = RiskCoverage.of(np.ones(len(document)), np.zeros(len(document)), document)
            bounds.append(ranked.all_rows().upper_bound(0.95)[0])
        assert bounds[1] <= risk < bounds[0]


@pytest.mark.parametrize("rows", [1, 2, 5, 14])
@pytest.mark.parametrize("risk", [0.01, 0.05, 0.3])
@pytest.mark.parametrize("correlation", [0.3, 0.6, 1.0])
def test_no_loss_is_as_probable_as_any_documents_make_it(rows: int, risk: float, correlation: float) -> None:
    """Of all shares of documents that lose each row with a probability, a linear program finds the worst."""
    lost = np.union1d(np.linspace(0, 1, 2001), risk + correlation * (1 - risk))
    found = scipy.optimize.linprog(
        -((1 - lost) ** rows),
        A_eq=[np.ones(len(lost)), lost, lost**2],
        b_eq=[1, risk, risk**2 + correlation * risk * (1 - risk)],
    )
    one = RiskCoverage.of(np.ones(rows), np.zeros(rows), np.zeros(rows, int)).all_rows()
    assert one.no_loss(risk, correlation)[0] == pytest.approx((1 - lost) ** rows @ found.x, abs=1e-6)
    # Three such documents, and two with a row more.
    document = np.repeat(np.arange(5), [rows] * 3 + [rows + 1] * 2)
    several = RiskCoverage.of(np.ones(len(document)), np.zeros(len(document)), document).all_rows()
    larger = RiskCoverage.of(np.ones(rows + 1), np.zeros(rows + 1), np.zeros(rows + 1, int)).all_rows()
    each = one.no_loss(risk, correlation)[0], larger.no_loss(risk, correlation)[0]
    assert several.no_loss(risk, correlation)[0] == pytest.approx(each[0] ** 3 * each[1] ** 2)


@pytest.mark.parametrize(("number", "risk"), [(20, 0.05), (50, 0.02), (112, 0.01)])
def test_few_documents_without_a_confident_loss_are_enough(number: int, risk: float) -> None:
    """Two fifths of the rows are lost in no document, and the others alike in each: nothing fails whole."""
    document = np.repeat(np.arange(number), 14)
    confidence = np.tile(np.arange(14.0), number)
    loss = (confidence < 7) * 1.0
    found = RiskCoverage.of(confidence, loss, document)
    assert found.correlation == 0
    # Documents that fail in 0.3 + 0.7 risk of their rows, if at all, rarely show no loss in seven rows each.
    lost = 0.3 + 0.7 * risk
    assert (1 - risk / lost * (1 - (1 - lost) ** 7)) ** number <= 0.1
    assert found.certified(risk, 0.9).threshold == 7
    # Where the surest row of all is lost, nothing is passed over.
    first = np.arange(len(loss)) == 13
    assert RiskCoverage.of(confidence, np.maximum(loss, first), document).certified(risk, 0.9).status != (
        "certified"
    )


def test_correlation_is_that_of_an_analysis_of_variance() -> None:
    loss, document = np.array([0, 0, 1, 1, 1, 0.0]), np.array([0, 0, 1, 1, 2, 2])
    # Squares between: 2 (1/4 + 1/4) over 2; within: 1/2 over 3. (1/2 - 1/6) / (1/2 + 1/6) = 1/2.
    assert RiskCoverage.of(np.arange(6), loss, document).correlation == pytest.approx(0.5)
    assert RiskCoverage.of(np.arange(6), document == 1, document).correlation == 1
    assert RiskCoverage.of(np.arange(6), np.zeros(6), document).correlation == 1
    assert RiskCoverage.of(np.arange(6), np.tile([0, 1], 3), document).correlation == 0
    assert RiskCoverage.of(np.arange(6), loss).correlation == 0
    # Documents of 4, 2 and 1 rows: squares between are 4 · 9/16 + 0 + 1 - 16/7.
    unlike = RiskCoverage.of(np.arange(7), [1, 1, 1, 0, 0, 0, 1], [0, 0, 0, 0, 1, 1, 2])
    between, within, size = (12 / 7 - 3 / 4) / 2, (3 / 4) / 4, (7 - 21 / 7) / 2
    assert unlike.correlation == pytest.approx((between - within) / (between + (size - 1) * within))


@pytest.mark.parametrize("rows", [1, 4, 20])
@pytest.mark.parametrize("risk", [0.01, 0.05, 0.1])
def test_documents_that_are_needed_are_as_few_as_can_pass(rows: int, risk: float) -> None:
    def certificate(number: int) -> tuple[str, float]:
        document = np.repeat(np.arange(number), rows)
        found = RiskCoverage.of(np.ones(len(document)), np.zeros(len(document)), document)
        return found.certified(risk, 0.95)[2:4]

    status, needed = certificate(5)
    assert status == "too_few_documents"
    assert certificate(int(needed))[0] == "certified"
    assert certificate(int(needed) - 1) == ("too_few_documents", needed)


def test_nothing_is_certified_by_copies_or_by_a_confidence_without_rows() -> None:
    rows = np.repeat(np.arange(40), 20)
    for loss in (np.zeros(800), (rows % 10 == 0).astype(float)):
        assert math.isnan(RiskCoverage.of(rows / 40, loss, rows).certified(0.02, 0.95).threshold)
    nothing = RiskCoverage.of(np.full(300, -math.inf), np.zeros(300))
    assert nothing.certified(0.02, 0.95)[2:] == ("too_few_documents", pytest.approx(math.nan, nan_ok=True), 0)
    reversed_ = RiskCoverage.of(np.arange(2000) < 500, np.arange(2000) < 500)
    assert reversed_.certified(0.02, 0.95).status == "risk_too_high"


@pytest.mark.parametrize("rows", [80, 100, 116])
def test_two_losses_among_the_least_confident_of_few_rows_do_not_prevent_a_certificate(rows: int) -> None:
    certificate = RiskCoverage.of(-np.arange(rows), np.arange(rows) >= rows - 2).certified(0.05, 0.95)
    right = np.sum(-np.arange(rows - 2) >= certificate.threshold)
    exact_bound = scipy.stats.beta.ppf(0.95, 1, right)
    assert certificate.status == "certified"
    assert exact_bound == pytest.approx(certificate.bound, abs=0.015)
    assert exact_bound <= 0.05


@pytest.mark.parametrize(
    ("confidence", "loss", "words"),
    [
        ([], [], "there must be at least one row"),
        ([math.nan], [0.0], "confidence must not be nan"),
        ([0.5], [1.5], r"loss must be in \[0, 1\]"),
        ([0.5], [math.nan], r"loss must be in \[0, 1\]"),
    ],
)
def test_wrong_rows_are_refused(confidence: list[float], loss: list[float], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        RiskCoverage.of(confidence, loss)


@given(st.integers(0, 10_000))
def test_order_and_scale_of_confidence_do_not_matter(seed: int) -> None:
    confidence, loss, document = documents(seed, 6)
    if seed % 2:
        loss = loss * np.random.default_rng(seed).random(len(loss))
    order = np.random.default_rng(seed).permutation(len(loss))
    first = RiskCoverage.of(confidence, loss, document)
    second = RiskCoverage.of(np.exp(3 * confidence[order]) - 7, loss[order], document[order])
    for name in ("aurc", "augrc", "best_aurc", "auroc", "documents"):
        assert getattr(second, name) == pytest.approx(getattr(first, name), abs=1e-12, nan_ok=True)
    for area in ("aurc_influence", "augrc_influence"):
        values = [one.by_document(getattr(one, area)) for one in (first, second)]
        assert values[1] == pytest.approx(values[0], abs=1e-12)
    sums = (one.accepted(one.thresholds()) for one in (second, first))
    for value, wanted in zip(*sums, strict=True):
        assert value == pytest.approx(wanted, abs=1e-9)
