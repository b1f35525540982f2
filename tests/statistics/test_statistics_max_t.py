"""Step-down max-T against a loop over all signs, against a single slice, and in what may not change it."""

from __future__ import annotations

import math
import tracemalloc
from fractions import Fraction
from random import Random

import max_t_oracle
import numpy as np
import pytest
import strategies  # noqa: F401 - sets how many examples are drawn
from hypothesis import given
from hypothesis import strategies as st

from anls_frame.statistics import holm, max_t, sign_flip, sign_flip_counts

TABLES = st.integers(1, 4).flatmap(
    lambda width: st.lists(
        st.lists(st.integers(-4, 4), min_size=width, max_size=width), min_size=1, max_size=6
    )
)


def exact(table: list[list[int]]) -> list[float]:
    return [float(p) for p in max_t_oracle.adjusted([[Fraction(x) for x in row] for row in table])]


@given(TABLES)
def test_few_units_are_those_of_the_loop(table: list[list[int]]) -> None:
    assert max_t(table).tolist() == exact(table)


@given(TABLES, st.integers(2, 30), st.integers(0, 3))
def test_neither_rounding_nor_the_scale_of_a_slice_matters(
    table: list[list[int]], divisor: int, scaled: int
) -> None:
    expected = exact(table)
    assert max_t([[x / divisor for x in row] for row in table]).tolist() == expected
    rows = [[x * 1e200 / 7 if place == scaled else x * 0.1 for place, x in enumerate(row)] for row in table]
    assert max_t(rows).tolist() == expected


@given(TABLES, st.randoms(use_true_random=False))
def test_neither_the_order_of_units_and_slices_nor_the_direction_matters(
    table: list[list[int]], random: Random
) -> None:
    found = max_t(table)
    rows = [[-x for x in row] for row in table]
    random.shuffle(rows)
    order = list(range(len(table[0])))
    random.shuffle(order)
    assert max_t([[row[place] for place in order] for row in rows]).tolist() == found[order].tolist()


@given(TABLES, st.lists(st.integers(0, 3), min_size=6, max_size=6))
def test_counts_are_repeated_units(table: list[list[int]], counts: list[int]) -> None:
    used = counts[: len(table)]
    repeated = [row for row, count in zip(table, used, strict=True) for _ in range(count)]
    if 0 < len(repeated) <= 11:
        assert max_t(table, used).tolist() == exact(repeated)


def test_draws_are_those_of_a_loop() -> None:
    random = np.random.default_rng(2)
    table = random.normal(0.1, 1, (60, 5)) * (random.random((60, 5)) < 0.5)
    norm = np.sqrt((table**2).sum(axis=0))
    observed = np.abs(table.sum(axis=0)) / norm
    drawn = np.abs(random.choice([-1, 1], (40_000, 60)) @ table) / norm
    expected, before, left = np.empty(5), 0.0, list(np.argsort(-observed))
    while left:
        before = max(before, float(np.mean(drawn[:, left].max(axis=1) >= observed[left[0]])))
        expected[left.pop(0)] = before
    assert max_t(table, draws=40_000) == pytest.approx(expected, abs=0.02)


def test_many_equal_units_are_drawn_as_binomials() -> None:
    # The same units counted and written out: other draws, the same law.
    values = np.array([[1.0, 0.5], [-1.0, -0.5], [0.0, 1.0], [0.25, 0.0]])
    counts = [230, 180, 70, 30]
    found = max_t(values, counts, draws=50_000)
    single = max_t(np.repeat(values, counts, axis=0), draws=50_000, seed=1)
    assert found == pytest.approx(single, abs=0.01)
    first = sign_flip_counts(values[:, 0], counts, draws=50_000)
    assert first <= found[0] < 2 * first + 0.01


def test_slices_that_show_nothing_cost_the_others_nothing() -> None:
    # One slice that all ten documents have, and forty that lie in one document each.
    sums = np.concatenate([np.full((10, 1), 0.3), np.eye(10)[:, np.arange(40) % 10]], axis=1)
    found = max_t(sums)
    assert found[0] == sign_flip([0.3] * 10) == 2 / 1024
    assert found[1:].tolist() == [1.0] * 40
    assert holm([2 / 1024, *[1.0] * 40])[0] > 0.05


def test_memory_stays_bounded() -> None:
    table = np.random.default_rng(4).normal(size=(20_000, 4))
    tracemalloc.start()
    max_t(table, draws=2_000)  # a matrix of the signs alone would take 320 MB
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60e6


def test_same_seed_gives_the_same_bits() -> None:
    table = np.random.default_rng(5).normal(0.1, 1, (100, 8))
    found = [max_t(table, draws=500, seed=seed).tolist() for seed in (0, 0, 1)]
    assert found[0] == found[1]
    assert found[0] != found[2]


@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0)])
def test_nothing_to_test(shape: tuple[int, int]) -> None:
    assert max_t(np.zeros(shape)).tolist() == [1.0] * shape[1]


def test_wrong_arguments() -> None:
    with pytest.raises(ValueError, match="draws must be an integer from 1 to 10,000,000, got 0"):
        max_t([[0.1]], draws=0)
    with pytest.raises(ValueError, match="draws must be an integer"):
        max_t(np.zeros((0, 2)), draws=0)
    with pytest.raises(ValueError, match="sums must be a table"):
        max_t([0.1, 0.2])
    with pytest.raises(ValueError, match="counts must have one number per unit"):
        max_t([[0.1], [0.2]], [1])
    with pytest.raises(ValueError, match="sums must be finite"):
        max_t([[0.1, math.nan]])
