"""Tests of differences against full enumeration, scipy and statsmodels."""

from __future__ import annotations

import itertools
import math
import tracemalloc

import numpy as np
import pytest
from campaign import amount
from hypothesis import given, settings
from hypothesis import strategies as st
from statsmodels.stats.multitest import multipletests

from anls_frame.statistics import holm, sign_flip, sign_flip_counts

DIFFERENCES = st.lists(st.integers(-5, 5), min_size=1, max_size=9)
P_VALUES = st.lists(st.one_of(st.floats(0, 1), st.just(math.nan)), max_size=30)


def enumerate_signs(differences: list[int]) -> float:
    """Share of all combinations of signs whose sum is as far from 0, in whole numbers."""
    observed = abs(sum(differences))
    signs = itertools.product((-1, 1), repeat=len(differences))
    sums = [sum(sign * d for sign, d in zip(combination, differences, strict=True)) for combination in signs]
    return sum(abs(total) >= observed for total in sums) / len(sums)


# Sign flips.


@given(DIFFERENCES)
def test_few_units_are_enumerated(differences: list[int]) -> None:
    assert sign_flip(differences) == enumerate_signs(differences)


@given(DIFFERENCES, st.integers(1, 30))
def test_ties_do_not_hang_on_rounding(differences: list[int], divisor: int) -> None:
    assert sign_flip([d / divisor for d in differences]) == enumerate_signs(differences)
    assert sign_flip([d * 0.1 + 0.3 - 0.3 for d in differences]) == enumerate_signs(differences)


def test_draws_are_those_of_a_loop() -> None:
    random = np.random.default_rng(6)
    differences = random.normal(0.1, 1, 50)
    signs = random.choice([-1, 1], (20_000, 50))
    expected = np.mean(np.abs(signs @ differences) >= abs(differences.sum()))
    assert sign_flip(differences, draws=20_000) == pytest.approx(expected, abs=0.015)


@given(
    st.dictionaries(st.integers(-9, 9), st.integers(0, 90), min_size=1, max_size=6),
    st.integers(0, 10**30),
)
def test_counts_are_repeated_values(counts: dict[int, int], seed: int) -> None:
    values = [value / 7 for value in counts]
    repeated = np.repeat(values, list(counts.values()))
    expected = sign_flip(repeated, draws=99, seed=seed)
    found = sign_flip_counts(values, list(counts.values()), draws=99, seed=seed)
    assert np.array_equal(found, expected, equal_nan=True)


def test_memory_stays_bounded() -> None:
    differences = np.random.default_rng(8).normal(size=20_000)
    tracemalloc.start()
    sign_flip(differences)  # a matrix of the signs alone would take 200 MB
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 20e6


def test_no_difference_to_test() -> None:
    assert math.isnan(sign_flip([]))
    assert math.isnan(sign_flip_counts([0.5, 0.1], [0, 0]))
    assert math.isnan(sign_flip([0.1, math.nan]))
    assert math.isnan(sign_flip([0.1, math.inf]))
    assert sign_flip([0.3]) == 1  # one unit: either sign is as far


def test_wrong_arguments_of_sign_flips() -> None:
    for draws in (0, -1, 10**7 + 1, 10**30):
        with pytest.raises(ValueError, match=f"draws must be an integer from 1 to 10,000,000, got {draws}"):
            sign_flip([0.1], draws=draws)
    with pytest.raises(ValueError, match="one-dimensional"):
        sign_flip([[0.1]])
    with pytest.raises(ValueError, match="of equal length"):
        sign_flip_counts([0.1, 0.2], [1])


# Student's t.


# Holm.


@settings(max_examples=amount(10, 30))  # statsmodels takes 60 ms a call
@given(P_VALUES)
def test_holm_is_that_of_statsmodels(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    tested = ~np.isnan(p_values)
    assert np.isnan(adjusted[~tested]).all()
    if tested.any():
        expected = multipletests(np.array(p_values)[tested], method="holm")[1]
        assert adjusted[tested] == pytest.approx(expected, rel=1e-12)


def test_shapes_of_holm() -> None:
    assert holm([]).shape == (0,)
    assert holm(0.03).shape == ()
    assert float(holm(0.03)) == 0.03
    assert holm([[0.01, 0.02], [0.03, math.nan]]).shape == (2, 2)


def test_seeds_give_the_same_bits() -> None:
    differences = np.random.default_rng(7).normal(0.1, 1, 200)
    first = [sign_flip(differences, seed=seed) for seed in (0, 0, 1, 2, 3)]
    assert first[0] == first[1]
    assert len(set(first)) > 2
    assert sign_flip(differences) == first[0]
