"""Swaps of counts against sign flips where both are the same, and the jackknife."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import strategies  # noqa: F401 - sets how many examples are drawn
from hypothesis import given
from hypothesis import strategies as st

from anls_frame.statistics import sign_flip
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.swaps import jackknife, jackknife_variance, p_value

ROWS = st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=1, max_size=9)


def ratio(totals: FloatArray) -> FloatArray:
    return np.divide(totals[0], totals[1], out=np.ones(totals.shape[1:]), where=totals[1] != 0)


def with_size(matched: npt.ArrayLike, size: npt.ArrayLike) -> FloatArray:
    return np.stack(np.broadcast_arrays(matched, size), axis=1).astype(float)


@given(ROWS)
def test_with_equal_sizes_a_swap_is_a_sign_flip(rows: list[tuple[int, int]]) -> None:
    first, second = np.array(rows).T

    found = p_value(with_size(first, 5), with_size(second, 5), ratio, draws=10_000, seed=0)

    assert found == sign_flip(second - first)


@given(st.lists(st.tuples(*[st.integers(0, 4)] * 4), min_size=1, max_size=40), st.randoms())
def test_neither_the_order_of_units_nor_that_of_systems_matters(rows: list[Any], rng: Any) -> None:
    shuffled = rng.sample(rows, len(rows))
    first, second = np.array(rows, float)[:, :2], np.array(rows, float)[:, 2:]
    other, another = np.array(shuffled, float)[:, :2], np.array(shuffled, float)[:, 2:]

    found = p_value(first, second, ratio, draws=99, seed=1)

    assert p_value(another, other, ratio, draws=99, seed=1) == found
    # A sum of at most 40 numbers, rounded in another order.
    assert jackknife_variance(jackknife(another, other, ratio)) == pytest.approx(
        jackknife_variance(jackknife(first, second, ratio)), rel=1e-14, abs=1e-15
    )


def test_a_swap_without_a_score_is_as_extreme_as_possible() -> None:
    def undefined(totals: FloatArray) -> FloatArray:
        return np.where(totals[1] == 0, np.nan, ratio(totals))

    first, second = with_size([1, 0], [2, 0]), with_size([0, 1], [0, 1])

    # As observed, or all swapped: 1/2 and 1. One swap leaves a system with nothing, the other one with 2/3.
    assert p_value(first, second, undefined, draws=99, seed=0) == 1
    assert p_value(first, second, ratio, draws=99, seed=0) == 0.5


def test_means_have_their_usual_variance() -> None:
    first, second = np.array([1.0, 0, 2, 1]), np.array([2.0, 2, 1, 3])

    gain = second - first
    influence = jackknife(with_size(first, 1), with_size(second, 1), ratio)

    # A mean moves by a fourth of what a row is above it.
    assert influence == pytest.approx((gain - gain.mean()) / 4)
    assert jackknife_variance(influence) == pytest.approx(np.var(gain, ddof=1) / 4)
    empty = np.empty((0, 2))
    assert np.isnan(jackknife_variance(jackknife(empty, empty, ratio)))
