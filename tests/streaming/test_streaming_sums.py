"""Sums are exact: any batches, merged in any order, give the same bits, also after 100 million pairs."""

from __future__ import annotations

import functools
import math
import random
from fractions import Fraction
from typing import Any

import pytest
import strategies
from hypothesis import example, given
from hypothesis import strategies as st

from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

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


@pytest.mark.filterwarnings("ignore:.* has no pairs")
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
    order.shuffle(parts)
    merged = functools.reduce(type(whole).merge, parts, make())
    tree = parts[5].merge(parts[4]).merge(parts[3].merge(parts[0])).merge(parts[2].merge(parts[1]))

    for other in (singles, merged, tree):
        assert other.state() == whole.state()
        assert math.copysign(1, other.compute()) == math.copysign(1, whole.compute())
        assert other.compute() == whole.compute()


@given(scores=st.lists(SCORES, min_size=1, max_size=50))
@example(scores=[1.0, 2**-53, 1 - 2**-53, 0.0, 1 / (2**32 - 1), float(2**32 - 1), -1.0, -17.0])
@example(scores=[0.1] * 50)
def test_sums_are_those_of_fractions(scores: list[float]) -> None:
    """A metric accepts a state only if its sum is that of its scores, in units of 2**-128."""
    exact = sum(map(Fraction, scores), Fraction())
    metric, mean = ANLS(reduction=None), ANLS()
    sums = {"n": len(scores), "score_units": int(exact * 2**128)}
    metric.load_state({**metric.state(), **sums, "scores": scores})
    mean.load_state({**mean.state(), **sums})
    assert mean.compute() == float(exact / len(scores))
    with pytest.raises(ValueError, match="add up to score_units"):
        metric.load_state({**metric.state(), "score_units": sums["score_units"] + 1})
