from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy import optimize, stats
from statsmodels.stats.inter_rater import cohens_kappa

from anls_frame.statistics.corrected_means import Audit, CorrectedMean, agreement

DOCUMENTS = np.array([0, 0, 0, 1, 1, 1, 2, 2, 3, 3, 4, 4])
SCORES = np.array([1, 1, 0, 1, 0.5, 0, 1, 1, 0, 1, 0.75, 1])
PROBABILITIES = np.array([0.25, 0.25, 0.5, 0.25, 0.5, 0.5, 0.25, 0.25, 0.5, 0.25, 0.5, 0.25])
JUDGED = np.array([0, 2, 4, 5, 7, 8])
TRUTHS = np.array([1.0, 0, 1, 0, 1, 1])


def audit_of(
    documents: Any,
    scores: Any,
    judged: Any,
    truths: Any,
    *,
    probabilities: Any = None,
    strata: Any = None,
    known: Any = (False,),
) -> Audit:
    """Return an audit of rows, each of which is a cell."""
    documents, scores, judged = map(np.asarray, (documents, scores, judged))
    strata = np.zeros(len(scores), int) if strata is None else np.asarray(strata)
    if probabilities is None:
        shares = np.bincount(strata[judged], minlength=len(known)) / np.bincount(strata, minlength=len(known))
        probabilities = shares[strata]
    return Audit(
        document=documents,
        stratum=strata,
        n=np.ones(len(scores)),
        total=scores.astype(float),
        known=np.array(known),
        judged_document=documents[judged],
        judged_stratum=strata[judged],
        probability=np.asarray(probabilities)[judged],
        score=scores[judged].astype(float),
        truth=np.asarray(truths, float),
    )


def example(tuning: float | None = None) -> CorrectedMean:
    return CorrectedMean(
        audit_of(DOCUMENTS, SCORES, JUDGED, TRUTHS, probabilities=PROBABILITIES), tuning=tuning
    )


def test_published_values() -> None:
    """The values of the estimator's specification, which were computed by another program."""
    mean = example()
    assert mean.tuning == pytest.approx(0.3359253499222396, abs=1e-12)
    assert mean.estimate == pytest.approx(0.7919906687402799, abs=1e-12)
    assert mean.documents == pytest.approx(3.5555555555555554, abs=1e-12)
    assert mean.variance - mean.unseen == pytest.approx(0.012217695584556088, abs=1e-12)
    assert mean.variance == pytest.approx(0.04971769558455609, abs=1e-12)
    assert mean.share_interval() == pytest.approx((0.15692695556397504, 0.987322982263979), abs=1e-12)
    for tuning, estimate, variance in ((1, 0.875, 0.05506868961352657), (0, 0.75, 0.05108695652173913)):
        fixed = example(tuning)
        assert (fixed.estimate, fixed.variance) == pytest.approx((estimate, variance), abs=1e-12)
    assert mean.equivalent_verdicts == pytest.approx(6 * 0.05108695652173913 / 0.04971769558455609, abs=1e-12)


@pytest.mark.parametrize("tuning", [None, 0, 0.5, 2])
def test_given_tuning_adds_a_variance_that_does_not_shrink(tuning: float | None) -> None:
    """The ends are where a test of the mean, with the variance that it would have there, just rejects it."""
    random = np.random.default_rng(3)
    document, truth = np.repeat(np.arange(60), 5), (random.random(300) < 0.9).astype(float)
    score = np.where(random.random(300) < 0.5, truth, random.random(300) < 0.5).astype(float)
    judged = np.sort(random.choice(300, 80, replace=False))
    audit = audit_of(document, score, judged, truth[judged])
    mean, alone = CorrectedMean(audit, tuning=tuning), CorrectedMean(audit, tuning=0)
    added = max(mean.variance - alone.variance, 0)
    shrinks_from = alone.estimate if added else mean.estimate
    padded = (80 * shrinks_from + 1) / 82
    quantile = stats.t.ppf(0.975, mean.degrees)

    def beyond(end: float) -> float:
        shrunk = (mean.variance - added) * end * (1 - end) / (padded * (1 - padded))
        return float((mean.estimate - end) ** 2 - quantile**2 * (shrunk + added))

    assert (added > 0) == bool(tuning)
    low, high = mean.share_interval()
    assert low == pytest.approx(optimize.brentq(beyond, -5, mean.estimate) if beyond(0) > 0 else 0, abs=1e-9)
    assert high == pytest.approx(optimize.brentq(beyond, mean.estimate, 5) if beyond(1) > 0 else 1, abs=1e-9)


def drawn(seed: int, *, strata: int = 1, known: bool = False) -> tuple[Audit, tuple[Any, ...]]:
    """Return an audit of rows drawn by chance, with the rows that it was made of."""
    random = np.random.default_rng(seed)
    document = np.sort(random.integers(0, 25, 150))
    stratum = random.integers(0, strata, 150)
    score, truth = random.random(150).round(2), random.random(150).round(2)
    is_known = np.zeros(strata, bool)
    if known:
        is_known[-1] = True
        truth = np.where(is_known[stratum], score, truth)
    probability = random.uniform(0.2, 0.9, 150)
    judged = np.flatnonzero((random.random(150) < probability) & ~is_known[stratum])
    document = np.unique(document, return_inverse=True)[1]
    audit = audit_of(
        document, score, judged, truth[judged], probabilities=probability, strata=stratum, known=is_known
    )
    return audit, (document, stratum, score, truth, probability, judged, is_known)


def written_out(rows: tuple[Any, ...], tuning: float | None) -> tuple[float, float, float]:
    """The formulas of the specification, row by row, in plain Python."""
    document, stratum, score, truth, probability, judged, is_known = rows
    n, strata = len(score), range(len(is_known))
    size = [sum(stratum == s) for s in strata]
    weight = {i: 1 / probability[i] for i in judged}
    total = [sum(weight[i] for i in judged if stratum[i] == s) for s in strata]
    weight = {i: weight[i] * size[stratum[i]] / total[stratum[i]] for i in judged}
    h = [sum(weight[i] * truth[i] for i in judged if stratum[i] == s) / size[s] for s in strata]
    f = [sum(weight[i] * score[i] for i in judged if stratum[i] == s) / size[s] for s in strata]
    b = [score[i] if is_known[stratum[i]] else h[stratum[i]] for i in range(n)]
    mean = sum(b) / n
    gain = sum(score[i] - f[stratum[i]] for i in range(n) if not is_known[stratum[i]]) / n
    v, z = [np.zeros(document.max() + 1) for _ in range(2)]
    for i in range(n):
        v[document[i]] += (b[i] - mean) / n
        z[document[i]] += ((0 if is_known[stratum[i]] else score[i] - f[stratum[i]]) - gain) / n
    for i in judged:
        v[document[i]] += weight[i] * (truth[i] - h[stratum[i]]) / n
        z[document[i]] -= weight[i] * (score[i] - f[stratum[i]]) / n
    if tuning is None:
        tuning = min(max(-(v @ z) / (z @ z), 0), 1)
    carried = np.bincount(document[judged], [weight[i] for i in judged])
    effective = carried.sum() ** 2 / (carried**2).sum()
    counts = np.bincount(document[judged])
    clustering = 1 + 0.3 * ((counts**2).sum() / counts.sum() - 1)
    labelled = [s for s in strata if any(stratum[judged] == s)]
    unseen = sum(
        sum((weight[i] / n) ** 2 for i in judged if stratum[i] == s) / sum(stratum[judged] == s)
        for s in labelled
    ) * clustering / math.sqrt(len(labelled))  # fmt: skip
    u = v + tuning * z
    return mean + tuning * gain, effective / (effective - 1) * (u @ u) + unseen, u.sum()


@pytest.mark.parametrize(("strata", "known"), [(1, False), (3, False), (2, True), (4, True)])
@pytest.mark.parametrize("tuning", [None, 0, 0.4, 1])
def test_formulas_written_out(strata: int, known: bool, tuning: float | None) -> None:  # noqa: FBT001 - a case
    for seed in range(5):
        audit, rows = drawn(seed, strata=strata, known=known)
        mean = CorrectedMean(audit, tuning=tuning)
        estimate, variance, rest = written_out(rows, tuning)
        assert (mean.estimate, mean.variance) == pytest.approx((estimate, variance), abs=1e-13)
        assert rest == pytest.approx(0, abs=1e-12)
        assert mean.contributions.sum() == pytest.approx(0, abs=1e-12)


def test_prediction_powered_inference() -> None:
    """ppi_py 0.2.3, `ppi_mean_pointestimate`: its rows without a verdict are ours less the judged ones."""
    for seed in range(20):
        random = np.random.default_rng(seed)
        score, judged = random.random(80), random.choice(80, 30, replace=False)
        truth = random.random(30)
        ours = CorrectedMean(audit_of(np.arange(80), score, judged, truth), tuning=0.7)
        theirs = 0.7 * (80 - 30) / 80
        others = np.delete(score, judged)
        point = (theirs * others).mean() + (truth - theirs * score[judged]).mean()
        assert ours.estimate == pytest.approx(point, abs=1e-14)


def test_scores_that_say_nothing() -> None:
    truth = np.random.default_rng(0).random(40)
    constant = CorrectedMean(audit_of(np.arange(200) // 4, np.full(200, 0.7), np.arange(0, 200, 5), truth))
    assert constant.tuning == 0
    assert constant.estimate == pytest.approx(truth.mean())
    assert constant.equivalent_verdicts == pytest.approx(40)


def test_intervals() -> None:
    mean = example()
    quantile = stats.t.ppf(0.95, mean.documents - 1)
    half = quantile * math.sqrt(mean.variance)
    assert mean.difference_interval(0.9) == pytest.approx((mean.estimate - half, 1.0))
    bias = SCORES.mean() - mean.estimate
    spread = np.bincount(DOCUMENTS, SCORES - SCORES.mean()) / 12 - mean.contributions
    g = mean.documents
    half = quantile * math.sqrt(g / (g - 1) * (spread @ spread) + mean.unseen)
    assert mean.bias_interval(0.9) == pytest.approx((bias - half, bias + half))
    ratio = mean.estimate / math.sqrt(mean.variance)
    assert mean.p_value == pytest.approx(2 * stats.t.sf(ratio, g - 1))
    # The draw alone, at the tuning of the plainer estimator: the worked example of the other page.
    plain = example(0.7101669195751138)
    assert plain.estimate == pytest.approx(0.8387708649468892, abs=1e-12)
    assert plain.drawn_variance == pytest.approx(0.006237716766333317, abs=1e-12)
    assert plain.drawn_interval() == pytest.approx((0.5091565278313558, 1.0), abs=1e-12)


def in_documents(seed: int, judged_of: Callable[[Any], Any]) -> CorrectedMean:
    """Return a mean of documents of 12 rows, whose truths have a mean of 1/2 and a correlation of 0.3."""
    random = np.random.default_rng(seed)
    right = np.where(
        random.random(DRAWN_DOCUMENTS) < 0.5, *((1 + sign * math.sqrt(0.3)) / 2 for sign in (-1, 1))
    )
    truth = (random.random((DRAWN_DOCUMENTS, 12)) < right[:, None]).astype(float).ravel()
    judged = np.flatnonzero(judged_of(random))
    document = np.repeat(np.arange(DRAWN_DOCUMENTS), 12)
    return CorrectedMean(audit_of(document, np.zeros(len(truth)), judged, truth[judged]))


DRAWN_DOCUMENTS = 240
FULL = 0.25 * (0.3 + 0.7 / 12) / DRAWN_DOCUMENTS
"""Variance of the mean of all rows, by hand."""
DRAWS: dict[str, tuple[Callable[[Any], Any], float]] = {
    "three rows of each document": (
        lambda random: random.permuted(np.tile(np.arange(12) < 3, (DRAWN_DOCUMENTS, 1)), axis=1).ravel(),
        0.25 * (0.3 + 0.7 / 3) / DRAWN_DOCUMENTS,
    ),
    "rows at random": (
        lambda random: random.permutation(DRAWN_DOCUMENTS * 12) < 720,
        FULL + 0.25 * (1 / 720 - 1 / (DRAWN_DOCUMENTS * 12)),
    ),
    "a quarter of the documents": (
        lambda random: np.repeat(random.permutation(DRAWN_DOCUMENTS) < DRAWN_DOCUMENTS // 4, 12),
        4 * FULL,
    ),
    "every row": (lambda _: np.full(DRAWN_DOCUMENTS * 12, fill_value=True), FULL),
}


@pytest.mark.parametrize("draw", DRAWS)
def test_what_judging_every_row_removes(draw: str) -> None:
    judged, variance = DRAWS[draw]
    means = [in_documents(seed, judged) for seed in range(40)]
    found = np.mean([mean.removable_variance / mean.variance for mean in means])
    assert found == pytest.approx(1 - FULL / variance, abs=0.03)
    if draw == "every row":
        assert all(mean.removable_variance == pytest.approx(0, abs=1e-15) for mean in means)


def test_what_judging_every_row_removes_without_a_judged_pair() -> None:
    """One row of each document says nothing about its others, which get the usual correlation, of 0.3."""
    fifth = np.tile(np.arange(12) == 5, DRAWN_DOCUMENTS)
    means = [in_documents(seed, lambda _: fifth) for seed in range(20)]
    found = np.mean([mean.removable_variance / mean.variance for mean in means])
    assert found == pytest.approx(1 - FULL / (0.25 / DRAWN_DOCUMENTS), abs=0.03)


@pytest.mark.parametrize(("strata", "known"), [(1, False), (3, False), (4, True)])
def test_removable_variance_written_out(strata: int, known: bool) -> None:  # noqa: FBT001 - a case
    audit, (document, stratum, score, _, _, judged, is_known) = drawn(2, strata=strata, known=known)
    mean = CorrectedMean(audit, tuning=0.4)
    left = audit.truth - 0.4 * score[judged]
    places = range(len(judged))
    centre = {
        s: sum(audit.weight[i] * left[i] for i in places if stratum[judged[i]] == s) / sum(stratum == s)
        for s in range(strata)
    }
    left = np.array([left[i] - centre[stratum[judged[i]]] for i in places])
    pairs = [
        (i, j) for i, j in itertools.permutations(places, 2) if document[judged[i]] == document[judged[j]]
    ]
    weights = sum(audit.weight[i] * audit.weight[j] for i, j in pairs)
    products = sum(audit.weight[i] * audit.weight[j] * left[i] * left[j] for i, j in pairs)
    rows = [row for row in range(len(score)) if not is_known[stratum[row]]]
    all_pairs = sum(document[i] == document[j] for i, j in itertools.permutations(rows, 2))
    squares = sum(audit.weight[i] * left[i] ** 2 for i in places)
    usual = 20 * (1 - len(pairs) / all_pairs)
    product = (len(pairs) * products / weights + usual * 0.3 * squares / len(rows)) / (len(pairs) + usual)
    now = sum((audit.weight[i] * left[i]) ** 2 for i in places) + products
    full = squares + all_pairs * product
    g = mean.documents
    expected = g / (g - 1) * (now - full) / len(score) ** 2 + mean.unseen * (1 - len(judged) / len(rows))
    assert mean.removable_variance == pytest.approx(expected, rel=1e-9)


def test_plan() -> None:
    audit, _ = drawn(4)
    mean = CorrectedMean(audit)
    assert mean.verdicts_needed(1e-3) is None
    assert (mean.verdicts_needed(0.4) or 0) <= (mean.verdicts_needed(0.3) or math.inf)
    # Nothing varies between documents: by hand, n = (residual variance) / (wanted variance).
    n = 40_000
    audit = audit_of(np.arange(n), np.zeros(n), np.arange(100), np.tile([0.0, 1.0], 50))
    wanted = (0.05 / stats.t.ppf(0.975, 99)) ** 2
    of_one = 0.25 * 100 / 99 + 1 / 100  # with the added row
    assert CorrectedMean(audit).verdicts_needed(0.1) == math.ceil(of_one / wanted)


def test_plan_of_documents_that_differ() -> None:
    """Six verdicts in each document have, by hand, the variance that the plan from three is asked for."""
    three, _ = DRAWS["three rows of each document"]
    plans, impossible = [], []
    for seed in range(40):
        mean = in_documents(seed, three)
        width, least = (
            2 * stats.t.ppf(0.975, mean.degrees) * math.sqrt(variance)
            for variance in (0.25 * (0.3 + 0.7 / 6) / DRAWN_DOCUMENTS, 0.8 * FULL)
        )
        plans.append(mean.verdicts_needed(width) or math.inf)
        impossible.append(mean.verdicts_needed(least))
    assert np.median(plans) == pytest.approx(6 * DRAWN_DOCUMENTS, rel=0.1)
    assert impossible == [None] * 40


def judged_documents(seed: int, *, right: float = 0.8) -> tuple[Audit, tuple[Any, ...]]:
    """Return an audit of a judge that says 0 or 1, with score, truth, weight and document of judged rows."""
    random = np.random.default_rng(seed)
    document = np.sort(random.integers(0, 40, 300))
    truth = (random.random(300) < right).astype(float)
    score = np.where(random.random(300) < 0.85, truth, 1 - truth)
    probability = random.uniform(0.2, 0.9, 300)
    judged = np.flatnonzero(random.random(300) < probability)
    document = np.unique(document, return_inverse=True)[1]
    audit = audit_of(document, score, judged, truth[judged], probabilities=probability)
    return audit, (score[judged], truth[judged], audit.weight, document[judged])


def measures(score: Any, truth: Any, weight: Any) -> dict[str, float]:
    """The textbook: a table of two by two, each cell a sum of weights."""
    cells = {(s, t): weight[(score == s) & (truth == t)].sum() / weight.sum() for s in (0, 1) for t in (0, 1)}
    observed = cells[1, 1] + cells[0, 0]
    rows, columns = (cells[1, 1] + cells[1, 0]), (cells[1, 1] + cells[0, 1])
    chance = rows * columns + (1 - rows) * (1 - columns)
    return {
        "agreement": observed,
        "sensitivity": cells[1, 1] / (cells[1, 1] + cells[0, 1]),
        "specificity": cells[0, 0] / (cells[0, 0] + cells[1, 0]),
        "kappa": (observed - chance) / (1 - chance),
    }


@pytest.mark.parametrize("seed", range(5))
def test_measures_of_agreement_are_those_of_the_textbook(seed: int) -> None:
    audit, (score, truth, weight, _) = judged_documents(seed)
    found = {name: one.value for name, one in agreement(audit).items() if one is not None}
    assert found == pytest.approx(measures(score, truth, weight), abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_kappa_of_rows_with_equal_weights_is_that_of_statsmodels(seed: int) -> None:
    _, (score, truth, _, _) = judged_documents(seed)
    rows = np.arange(len(score))
    found = agreement(audit_of(rows, score, rows, truth))["kappa"]
    table = np.histogram2d(score, truth, bins=2)[0]
    assert found is not None
    assert found.value == pytest.approx(cohens_kappa(table).kappa, abs=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_the_variance_of_agreement_is_that_of_documents(seed: int) -> None:
    """Derivatives by the weight of each document, as differences, give the variance and thus the ends."""
    audit, (score, truth, weight, document) = judged_documents(seed)
    found = agreement(audit, 0.9)
    derivatives: dict[str, list[float]] = {name: [] for name in found}
    for one in range(document.max() + 1):
        heavier, lighter = (np.where(document == one, weight * (1 + e), weight) for e in (1e-5, -1e-5))
        up, down = measures(score, truth, heavier), measures(score, truth, lighter)
        for name, values in derivatives.items():
            values.append((up[name] - down[name]) / 2e-5)
    differing = 1 - (found_agreement := measures(score, truth, weight))["agreement"]
    spread = differing / (1 - found_agreement["kappa"])
    of = {"agreement": np.ones(len(truth)), "sensitivity": truth, "specificity": 1 - truth}
    for name, made in found.items():
        assert made is not None
        assert made.low is not None
        assert made.high is not None
        # Kappa lies in [-1, 1]; a row in which both differ changes it by 1 / spread.
        width, step = (2, 1 / spread) if name == "kappa" else (1, 1)
        own = weight * of.get(name, np.ones(len(truth)))
        n, sizes = (own > 0).sum(), np.bincount(document, own)
        documents = sizes.sum() ** 2 / (sizes**2).sum()
        counts = np.bincount(document[own > 0])
        clustering = 1 + 0.3 * ((counts**2).sum() / counts.sum() - 1)
        variance = documents / (documents - 1) * np.square(derivatives[name]).sum()
        variance += clustering * (own**2).sum() / own.sum() ** 2 / n * step**2
        mean = (made.value + width - 1) / width
        padded = (n * mean + 1) / (n + 2)
        factor = stats.t.ppf(0.95, documents - 1) ** 2 * variance / width**2 / (padded * (1 - padded))
        for end in ((made.low + width - 1) / width, (made.high + width - 1) / width):
            assert (mean - end) ** 2 == pytest.approx(factor * end * (1 - end), rel=1e-5)


def test_measures_that_divide_by_nothing_are_null() -> None:
    rows = np.arange(40)
    right = np.ones(40)
    found = agreement(audit_of(rows // 2, right, rows, right))
    assert (found["specificity"], found["kappa"]) == (None, None)
    assert found["agreement"] is not None
    assert (found["agreement"].value, found["agreement"].high) == (1, 1)
    assert 0.7 < (found["agreement"].low or 0) < 1
    assert found["agreement"].carrying == 0
    # A single document with wrong rows tells nothing about others.
    one = np.where(rows < 2, 0.0, 1.0)
    single = agreement(audit_of(rows // 2, right, rows, one))["specificity"]
    assert single is not None
    assert (single.value, single.low, single.high) == (0, None, None)
    assert agreement(audit_of(rows // 2, right * 0.5, rows, right)) == {}
