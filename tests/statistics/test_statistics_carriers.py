"""The number of units that carry an estimate, and the design effect, against plain loops."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from anls_frame.statistics.carriers import carried_by_few, carriers, carriers_of_sums
from anls_frame.statistics.design import design_effect, usual_design


def by_hand(influence: Sequence[float]) -> float:
    sides = [[abs(a) for a in influence if a * sign > 0] for sign in (1, -1)]
    return min(sum(side) ** 2 / sum(a * a for a in side) if side else 0.0 for side in sides)


@pytest.mark.parametrize(
    ("influence", "expected"),
    [
        ([1, 1, 1, 1, -2, -2], 2),
        ([1] * 10 + [-1] * 10, 10),
        ([9] + [1] * 9 + [-1] * 18, 3.6),  # 18² / (81 + 9)
        ([1, 1, 1], 0),
        ([0, 0, 0], 0),
        ([], 0),
    ],
)
def test_carriers_are_those_of_the_side_where_there_are_fewer(
    influence: list[float], expected: float
) -> None:
    assert carriers(influence) == pytest.approx(expected)
    assert carriers([-a for a in influence]) == pytest.approx(expected)


def test_alike_units_may_be_counted_and_no_scale_is_too_small() -> None:
    random = np.random.default_rng(1)
    values, counts = random.normal(0, 1, (7, 3)), random.integers(1, 5, 7)
    every = np.repeat(values, counts, axis=0)
    expected = [by_hand(column) for column in every.T]
    for scale in (1.0, 1e-200, 1e200):
        np.testing.assert_allclose(carriers(scale * values, counts), expected)
        np.testing.assert_allclose(carriers(scale * every), expected)
    positive = np.abs(values)
    np.testing.assert_allclose(
        carriers_of_sums(positive.sum(axis=0), (positive**2).sum(axis=0)),
        [by_hand([*column, -1, -1, -1, -1, -1, -1, -1]) for column in positive.T],
    )


def test_ten_equal_units_are_enough_and_no_figure_is_not_few() -> None:
    thirds = np.full(10, 1 / 3)
    ten = float(carriers_of_sums(thirds.sum(), thirds @ thirds))
    assert carried_by_few([9.9, 10, ten, np.nan, np.inf]).tolist() == [True, *[False] * 4]


def test_design_effect_is_the_observed_one_raised_towards_the_usual_one() -> None:
    assert usual_design([1, 11]).tolist() == [1.0, 4.0]
    assert usual_design(11, 1.0) == 11
    # Whole documents that are right or wrong vary as if each were one row.
    assert design_effect(11.0, 11.0, [0.0, 6.0, 1e9])[0].tolist() == [11.0, 11.0, 11.0]
    design, trust = design_effect(2.0, 11.0, [0.0, 6.0, 1e9])
    np.testing.assert_allclose(trust, [0, 0.5, 1])
    np.testing.assert_allclose(design, [4, 3, 2])
