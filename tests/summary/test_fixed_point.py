"""Sums of whole numbers in two halves, against those of Python's numbers of any size."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import polars as pl
import pytest

from anls_frame.summary import fixed_point


@pytest.mark.parametrize("bits", [38, 40, 62, 64])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("kind", ["any", "largest", "shares"])
def test_sum_of_units_is_that_of_truncated_numbers(kind: str, bits: int, *, weighted: bool) -> None:
    dice = np.random.default_rng(bits)
    values = {
        "any": dice.normal(size=2_000) * 2.0 ** dice.integers(-60, 13, 2_000),
        "largest": np.full(2_000, math.nextafter(2.0**16, 0) * -1),
        "shares": np.append(dice.random(1_998), [0.0, 1.0]),
    }[kind]
    times = dice.integers(1, 500, len(values)) if weighted else np.ones(len(values), np.int64)
    frame = pl.DataFrame({"value": values, "n": times})
    column = pl.col("n") if weighted else None
    found = frame.select(fixed_point.sum_of_units(pl.col("value"), bits, column)).item()
    exact = sum(
        int(Fraction(value) * 2**bits) * int(n) for value, n in zip(values.tolist(), times, strict=True)
    )
    assert found == exact
