from __future__ import annotations

import itertools

import numpy as np
import pytest

from anls_frame.statistics.audit_draws import allotted, probabilities, systematic


@pytest.mark.parametrize(
    ("n", "sizes", "weights", "least", "expected"),
    [
        (10, [50, 50], [1, 1], [0, 0], [5, 5]),
        (10, [90, 10], [1, 1], [3, 3], [7, 3]),
        (10, [2, 98], [9, 1], [0, 0], [2, 8]),
        (7, [4, 3], [1, 1], [0, 0], [4, 3]),
        (5, [10, 10, 10], [1, 1, 1], [0, 0, 0], [2, 2, 1]),
        (4, [3, 100], [1, 1], [10, 1], [3, 1]),
    ],
)
def test_allotted(
    n: int, sizes: list[int], weights: list[float], least: list[int], expected: list[int]
) -> None:
    found = allotted(n, np.array(sizes), np.array(weights, float), np.array(least))
    assert found.tolist() == expected


def test_systematic_draws_are_exact() -> None:
    for seed, n in itertools.product(range(50), (1, 7, 39, 40)):
        random = np.random.default_rng(seed)
        probability = probabilities(n, random.uniform(0, 1, 40) ** 4)
        drawn = systematic(n, probability, random.integers(0, 5, 40), random)
        assert drawn.sum() == n
        assert drawn[probability == 1].all()
