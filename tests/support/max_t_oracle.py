"""Step-down max-T in plain loops, after Romano and Wolf (2005): every vector of signs, whole fractions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from fractions import Fraction
from typing import Any


def squared_statistic(sums: Sequence[Fraction], signs: Sequence[int]) -> Fraction:
    """Return T² of a slice, (Σx)² / Σx², under signs of its units."""
    squares = sum((x * x for x in sums), Fraction(0))
    total = sum((sign * x for sign, x in zip(signs, sums, strict=True)), Fraction(0))
    return total * total / squares if squares else Fraction(0)


def adjusted(units: Sequence[Sequence[Fraction]]) -> list[Fraction]:
    """Return the adjusted p-values of slices from one line of differences a unit, one entry a slice."""
    slices = [list(column) for column in zip(*units, strict=True)]
    observed = [squared_statistic(sums, [1] * len(units)) for sums in slices]
    return stepped_down(
        observed,
        [
            [squared_statistic(sums, signs) for sums in slices]
            for signs in itertools.product((1, -1), repeat=len(units))
        ],
    )


def stepped_down(observed: Sequence[Any], drawn: Sequence[Sequence[Any]]) -> list[Fraction]:
    """Return the adjusted p-values of slices from their statistics as observed and under all signs."""
    order = sorted(range(len(observed)), key=lambda place: -observed[place])
    p_values = [Fraction(0)] * len(observed)
    before = Fraction(0)
    for step, place in enumerate(order):
        remaining = order[step:]
        as_far = sum(max(row[other] for other in remaining) >= observed[place] for row in drawn)
        before = max(before, Fraction(as_far, len(drawn)))
        p_values[place] = before
    return p_values
