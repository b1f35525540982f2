"""Drawing of rows to be judged: numbers by stratum, probabilities, and the random draw."""

from __future__ import annotations

import numpy as np

from anls_frame.statistics.arrays import BoolArray, FloatArray, IntArray


def allotted(n: int, sizes: IntArray, weights: FloatArray, least: IntArray) -> IntArray:
    """
    Return the number of rows to draw from each stratum, of n in all, proportional to size times weight.

    Each stratum gets at least `least` rows, or all of its rows; these minimums must not add up to more than
    n.
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
    Return the probability of each row of being among the n drawn rows; half of it is uniform.

    The other half is proportional to a number of the row, at least 0. No row therefore has less than half of
    the probability of a uniform draw.
    """
    total = suspicion.sum()
    even = np.full(len(suspicion), 1 / len(suspicion))
    shares = even if total == 0 else (even + suspicion / total) / 2
    return _filled(n, shares, np.zeros(len(shares)), np.ones(len(shares)))


def systematic(n: int, probability: FloatArray, document: IntArray, random: np.random.Generator) -> BoolArray:
    """
    Return the drawn rows: exactly n, each drawn with its probability, spread over documents.

    The probabilities, which add up to n, are cumulated in a random order of documents and of the rows in
    each. From a random start, a row is drawn wherever the cumulative sum passes an integer (Madow 1949).
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
