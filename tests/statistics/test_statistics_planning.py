"""Planning against textbook formulas and scipy, bounds against their definition."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
import scipy.optimize
import scipy.stats

from anls_frame.statistics import planning

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.statistics.planning import Changes


def seen(documents: Sequence[Sequence[float]], unseen: float = 1.0) -> Changes:
    """What changed in one group of documents, from the differences of their rows."""
    rows = [np.array(document, np.float64) for document in documents]
    sums = [[len(x), x.sum(), (x > 0).sum(), (x < 0).sum()] for x in rows]
    added = planning.changes_of_units(np.ones(len(rows)), *np.array(sums, np.float64).T)
    return planning.changes(
        {name: values.sum(keepdims=True) for name, values in added.items()}, unseen=unseen
    )


def of_rows(wins: int, losses: int, n: int) -> Changes:
    return seen([[1.0]] * wins + [[-1.0]] * losses + [[0.0]] * (n - wins - losses))


@pytest.mark.parametrize(("changed", "n"), [(20, 400), (100, 1000), (4, 2000)])
@pytest.mark.parametrize("power", [0.5, 0.8, 0.95])
@pytest.mark.parametrize("alpha", [0.01, 0.05])
def test_wrong_and_right_answers_are_planned_as_mcnemar_tests_are(
    changed: int, n: int, power: float, alpha: float
) -> None:
    # Connor 1987: discordant pairs are as many as cancel out, and those that make the effect.
    changes = of_rows(changed // 2, changed // 2, n)
    found = float(planning.detectable_difference(changes, power, alpha).item())

    def too_small(effect: float) -> float:
        discordant = changed / n + effect
        error = math.sqrt((discordant - effect**2) / (n - 1))
        t = scipy.stats.t(n - 1)
        return effect - (t.ppf(1 - alpha / 2) + t.ppf(power)) * error

    assert found == pytest.approx(scipy.optimize.brentq(too_small, 1e-6, 1), rel=1e-6)


@pytest.mark.parametrize("effect", [0.005, 0.02, 0.3])
def test_needed_units_show_the_effect(effect: float) -> None:
    changes = of_rows(15, 15, 500)
    factor = float(planning.needed_units(changes, effect, 0.8, 0.05).item())
    more = planning.Changes(
        changes.n * factor, changes.units * factor, changes.difference, changes.variance / factor,
        changes.changed * factor, changes.size, changes.square, changes.unseen,
    )  # fmt: skip
    assert planning.detectable_difference(more, 0.8, 0.05).item() == pytest.approx(effect, rel=1e-9)


def test_an_observed_effect_stands_for_the_rows_that_make_it() -> None:
    # 60 of 1,000 rows are lost, none won: to lose 30, half as many must change.
    changes = of_rows(0, 60, 1000)
    factor = float(planning.needed_units(changes, 0.03, 0.8, 0.05).item())
    units = factor * 1000
    t = scipy.stats.t(units - 1)
    quantiles = t.ppf(0.975) + t.ppf(0.8)
    assert units == pytest.approx(quantiles**2 * (0.03 - 0.03**2) / 0.03**2, rel=1e-3)


def test_documents_whose_rows_change_together_count_as_rows() -> None:
    alone = seen([[1.0]] * 20 + [[-1.0]] * 20 + [[0.0]] * 160)
    together = seen([[1.0] * 7] * 20 + [[-1.0] * 7] * 20 + [[0.0] * 7] * 160)
    for figure in (
        lambda changes: planning.detectable_difference(changes, 0.8, 0.05).item(),
        lambda changes: planning.needed_units(changes, 0.01, 0.8, 0.05).item(),
    ):
        assert figure(together) == pytest.approx(figure(alone), rel=1e-9)


def test_sizes_of_rows_are_found_from_sums_of_documents() -> None:
    random = np.random.default_rng(1)
    x = random.choice([0.0, 0.4, 1.0, -0.4, -1.0], (4000, 14), p=[0.9, 0.03, 0.03, 0.02, 0.02])
    changes = seen(x.tolist())
    changed = x[x != 0]
    assert changes.size.item() == pytest.approx(np.abs(changed).mean(), rel=0.02)
    assert changes.square.item() == pytest.approx((changed**2).mean(), rel=0.02)
    assert changes.design().item() == pytest.approx(1, abs=0.08)


@pytest.mark.parametrize("factor", [1e-6, 100.0])
def test_scores_can_have_any_unit(factor: float) -> None:
    documents = [[0.5, 0.0], [-1.0, 0.0], [0.0, 0.0], [0.25, -0.25]] * 10
    one, other = seen(documents), seen([[factor * x for x in row] for row in documents], factor)
    for figure in (
        lambda changes: [planning.detectable_difference(changes, 0.8, 0.05)],
        lambda changes: planning.difference_bounds(changes, 0.05),
    ):
        assert [factor * value.item() for value in figure(one)] == pytest.approx(
            [value.item() for value in figure(other)], rel=1e-9
        )


def test_bounds_are_those_of_tango_for_many_rows() -> None:
    wins, losses, n = 220, 260, 20_000

    def score(delta: float) -> float:
        # Tango 1998: the likeliest share of the rarer side if the difference is delta.
        likeliest = scipy.optimize.minimize_scalar(
            lambda q: (
                -(
                    wins * math.log(q + max(delta, 0))
                    + losses * math.log(q + max(-delta, 0))
                    + (n - wins - losses) * math.log(1 - 2 * q - abs(delta))
                )
            ),
            bounds=(1e-9, 0.1),
            method="bounded",
            options={"xatol": 1e-12},
        ).x
        return (wins - losses - n * delta) / math.sqrt(n * (2 * likeliest + abs(delta) - delta**2))

    low, high = planning.difference_bounds(of_rows(wins, losses, n), 0.05)
    t = scipy.stats.t(n - 1).ppf(0.95)
    assert low.item() == pytest.approx(scipy.optimize.brentq(lambda d: score(d) - t, -0.02, -0.002), abs=2e-5)
    assert high.item() == pytest.approx(scipy.optimize.brentq(lambda d: score(d) + t, -0.002, 0.02), abs=2e-5)


def test_rows_without_a_change_bound_the_loss() -> None:
    # As in the rule of three, 3 / n; a normal test has the square of its quantile in place of 3.
    low, high = planning.difference_bounds(of_rows(0, 0, 1000), 0.05)
    t = scipy.stats.t(999).ppf(0.95)
    assert -low.item() == high.item() == pytest.approx(t**2 / (1000 + t**2), rel=1e-9)


def test_changes_that_cancel_out_in_each_document_count_as_the_largest() -> None:
    hidden = seen([[0.5, -0.5]] * 3 + [[0.0, 0.0]] * 40)
    assert hidden.size.item() == hidden.square.item() == 1
    assert 0.1 < planning.detectable_difference(hidden, 0.8, 0.05).item() < 0.3


def test_a_single_document_shows_nothing() -> None:
    one = seen([[1.0, 0.0, -1.0]])
    assert all(np.isnan(bound).all() for bound in planning.difference_bounds(one, 0.05))


def test_scores_without_bounds_and_changes_show_nothing() -> None:
    same = seen([[0.0]] * 50, unseen=0)
    assert np.isnan(planning.detectable_difference(same, 0.8, 0.05)).all()
    assert all(np.isnan(bound).all() for bound in planning.difference_bounds(same, 0.05))
