"""Sums are exact: any batches, merged in any order, give the same bits, also after 100 million pairs."""

from __future__ import annotations

import functools
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity, exact_sum

MAKERS: dict[str, Any] = {
    "nls": NormalizedLevenshteinSimilarity,
    "indel": functools.partial(NormalizedLevenshteinSimilarity, 2, protocol="anls"),
    "anls": functools.partial(ANLS, threshold=0.01),
    "anls sum": functools.partial(ANLS, reduction="sum"),
    "cer": CharErrorRate,
    "cer mean": functools.partial(CharErrorRate, reduction="mean"),
}
# What a score can be: 1 - d / L, with costs and lengths that take it below 0, or d / L.
SCORES = st.builds(
    lambda d, length: 1 - d / length, st.integers(0, 10**6), st.integers(1, 10**6)
) | st.builds(lambda d, length: d / length, st.integers(0, 2**32 - 1), st.integers(1, 2**32 - 1))


@pytest.mark.parametrize("name", MAKERS)
@given(
    rows=st.lists(strategies.ROW_OF_ANSWERS, max_size=30),
    places=st.lists(st.integers(0, 5), min_size=30, max_size=30),
    order=st.randoms(use_true_random=False),
)
def test_batches_and_merges_give_the_bits_of_one_pass(
    name: str, rows: list[tuple[str, list[str]]], places: list[int], order: random.Random
) -> None:
    make = MAKERS[name]
    whole = make()
    whole.update([row[0] for row in rows], [row[1] for row in rows])
    singles = make()
    for prediction, answers in rows:
        singles.update(prediction, answers)
    parts = [make() for _ in range(6)]
    for (prediction, answers), place in zip(rows, places, strict=False):
        parts[place].update([prediction], [answers])
    column = make()
    column.update(
        pl.Series([row[0] for row in rows], dtype=pl.String),
        pl.Series([row[1] for row in rows], dtype=pl.List(pl.String)),
    )
    order.shuffle(parts)
    merged = functools.reduce(type(whole).merge, parts, make())
    tree = parts[5].merge(parts[4]).merge(parts[3].merge(parts[0])).merge(parts[2].merge(parts[1]))

    for other in (singles, column, merged, tree):
        assert other.state() == whole.state()
        assert math.copysign(1, other.compute()) == math.copysign(1, whole.compute())
        assert other.compute() == whole.compute()


@given(scores=st.lists(SCORES, max_size=50))
@example(scores=[1.0, 2**-53, 1 - 2**-53, 0.0, 1 / (2**32 - 1), float(2**32 - 1), -1.0, -17.0])
@example(scores=[0.1] * 50)
def test_sums_are_those_of_fractions(scores: list[float]) -> None:
    exact = sum(map(Fraction, scores), Fraction())
    units = exact_sum.of_list(scores)
    assert Fraction(units, 2**exact_sum.UNIT_BITS) == exact
    assert exact_sum.of_array(np.array(scores, dtype=np.float64)) == units
    assert exact_sum.to_float(units) == float(exact) == math.fsum(scores)
    if scores:
        assert exact_sum.to_float(units, len(scores)) == float(exact / len(scores))


def test_a_long_array_does_not_overflow() -> None:
    # 2**21 scores with all 53 bits set: sums of 2**74, beyond 64 bits.
    array = np.full(2**21, 1 - 2**-53)
    assert exact_sum.of_array(array) == 2**21 * exact_sum.of_list([1 - 2**-53])
    assert exact_sum.of_array(-array) == -exact_sum.of_array(array)
