"""Which rows are drawn to be judged: how many of each stratum, with which probabilities, and which ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.statistics.student import FloatArray


def allotted(
    n: int, sizes: npt.NDArray[np.int64], weights: FloatArray, least: npt.NDArray[np.int64]
) -> npt.NDArray[np.int64]:
    """
    Return how many of n rows are drawn from each stratum: in proportion to its size times its weight.

    Each stratum has at least `least` of them, or all of its rows, which may not come to more than n.
    """
    least = np.minimum(least, sizes)
    shares = _filled(n, sizes * weights, least.astype(float), sizes.astype(float))
    whole = np.floor(shares + 1e-9).astype(np.int64)
    # The largest fractions are rounded up.
    rest = np.argsort(whole - shares, kind="stable")[: n - whole.sum()]
    whole[rest] += 1
    return whole


def probabilities(n: int, suspicion: FloatArray) -> FloatArray:
    """
    Return with which probability each row is drawn, of which n are: half of it is the same for all.

    The other half is in proportion to a number of each row, at least 0. So no row has less than half of the
    probability that it has where all numbers are equal.
    """
    total = suspicion.sum()
    even = np.full(len(suspicion), 1 / len(suspicion))
    shares = even if total == 0 else (even + suspicion / total) / 2
    return _filled(n, shares, np.zeros(len(shares)), np.ones(len(shares)))


def systematic(
    n: int, probability: FloatArray, document: npt.NDArray[np.int64], random: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """
    Return which rows are drawn: exactly n, each with its probability, spread over documents.

    The probabilities, which add up to n, are laid in a line, in a random order of documents and of the rows
    in each; rows are taken where the line passes a whole number from a random start (Madow 1949).
    """
    position = random.permutation(document.max(initial=-1) + 1)[document]
    order = np.lexsort((random.random(len(document)), position))
    line = np.cumsum(probability[order])
    passed = np.floor(line * (n / line[-1]) + random.random())
    drawn = np.zeros(len(document), bool)
    drawn[order] = np.diff(passed, prepend=0) > 0
    return drawn


def _filled(total: float, shares: FloatArray, least: FloatArray, most: FloatArray) -> FloatArray:
    """Return numbers in proportion to shares that add up to a total, each within its bounds."""
    low, high = 0.0, 1.0
    while np.clip(high * shares, least, most).sum() < total and high < np.inf:
        high *= 2
    while low < (middle := (low + high) / 2) < high:
        is_less = np.clip(middle * shares, least, most).sum() < total
        low, high = (middle, high) if is_less else (low, middle)
    return np.asarray(np.clip(high * shares, least, most), np.float64)
