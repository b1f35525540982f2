"""Compare two systems by a score of their totals in plain loops: every swap, and each unit left out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import TypeAlias

from scipy import stats

Numbers: TypeAlias = tuple["Fraction | int", ...]
Score: TypeAlias = "Callable[[Numbers], Fraction]"


def total(units: Sequence[Numbers]) -> Numbers:
    return tuple(sum(column) for column in zip(*units, strict=True))


def difference(first: Sequence[Numbers], second: Sequence[Numbers], score: Score) -> Fraction:
    return score(total(second)) - score(total(first))


def p_value(first: Sequence[Numbers], second: Sequence[Numbers], score: Score) -> float:
    observed = abs(difference(first, second, score))
    as_far = 0
    for swapped in itertools.product((False, True), repeat=len(first)):
        units = [(b, a) if swap else (a, b) for a, b, swap in zip(first, second, swapped, strict=True)]
        as_far += abs(difference([a for a, _ in units], [b for _, b in units], score)) >= observed
    return as_far / 2 ** len(first)


def interval(
    first: Sequence[Numbers],
    second: Sequence[Numbers],
    score: Score,
    sizes: Sequence[Fraction | int],
    confidence: float,
    *,
    unseen: float,
) -> tuple[float, float] | None:
    """
    Return the jackknife's interval, or None below two effective units.

    One unit that wins and one that loses are added to those that differ. If all add the same, the share of
    units that differ by `unseen` may have been missed.
    """
    squares = sum(size * size for size in sizes)
    units = float(sum(sizes) ** 2 / squares) if squares else 0.0
    if units < 2:
        return None
    n = len(first)
    left_out = [
        difference([*first[:k], *first[k + 1 :]], [*second[:k], *second[k + 1 :]], score) for k in range(n)
    ]
    mean = sum(left_out) / n
    variance = sum((one - mean) ** 2 for one in left_out) * (n - 1) / n
    changed = sum(one != other for one, other in zip(first, second, strict=True))
    if variance:
        half = stats.t.ppf((1 + confidence) / 2, units - 1) * math.sqrt(variance + 2 * variance / changed)
    else:
        half = -math.log((1 - confidence) / 2) / units * unseen
    middle = float(difference(first, second, score))
    return middle - half, middle + half
