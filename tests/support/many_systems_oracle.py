"""Tests and rank sets of many systems in plain loops: every way of swapping two systems, whole fractions."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import TYPE_CHECKING

import max_t_oracle

if TYPE_CHECKING:
    from collections.abc import Sequence

Unit = tuple[list[int], list[int]]
"""Numerators and denominators of all systems in a unit."""


def swapped(units: Sequence[Unit], signs: Sequence[int], i: int, j: int) -> list[tuple[Fraction, ...]]:
    """Return x and y of system i and of system j in each unit, swapped where the sign is -1."""
    return [
        tuple(Fraction(part[of]) for of in ((i, j) if sign > 0 else (j, i)) for part in unit)
        for unit, sign in zip(units, signs, strict=True)
    ]


def difference(units: Sequence[Unit], signs: Sequence[int], i: int, j: int) -> Fraction | None:
    """Return the difference of the ratios of two systems; None if one has no denominator."""
    both = swapped(units, signs, i, j)
    x_i, y_i, x_j, y_j = (sum(column, Fraction(0)) for column in zip(*both, strict=True))
    return x_i / y_i - x_j / y_j if y_i and y_j else None


def statistic(units: Sequence[Unit], signs: Sequence[int], i: int, j: int) -> float | Fraction:
    """Return the square of D / √(Σ(d - Dw)² + D²Σw²), with the sign of D."""
    apart = difference(units, signs, i, j)
    if apart is None:
        return float("inf")
    total = sum(sum(y) for _, y in units)
    pooled = Fraction(sum(x[i] + x[j] for x, _ in units), sum(y[i] + y[j] for _, y in units))
    whole = apart * sum(y[i] + y[j] for _, y in units) / 2
    below = Fraction(0)
    for (x_i, y_i, x_j, y_j), (_, y) in zip(swapped(units, signs, i, j), units, strict=True):
        weight = Fraction(sum(y), total)
        below += (x_i - x_j - pooled * (y_i - y_j) - whole * weight) ** 2 + (whole * weight) ** 2
    return (whole * whole if whole > 0 else -whole * whole) / below if below else Fraction(0)


def alone(units: Sequence[Unit], i: int, j: int) -> Fraction:
    """Return the p-value of two systems."""
    every = [difference(units, signs, i, j) for signs in itertools.product((1, -1), repeat=len(units))]
    observed = every[0]
    assert observed is not None
    return Fraction(sum(one is None or abs(one) >= abs(observed) for one in every), len(every))


def adjusted(lines: Sequence[Sequence[Unit]], pairs: Sequence[tuple[int, int]]) -> list[Fraction]:
    """Return the adjusted p-values of all lines and pairs. A unit is at the same place in each line."""
    drawn = [
        [abs(statistic(units, signs, i, j)) for units in lines for i, j in pairs]
        for signs in itertools.product((1, -1), repeat=len(lines[0]))
    ]
    return max_t_oracle.stepped_down(drawn[0], drawn)


def rank_sets(units: Sequence[Unit], level: Fraction) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system if higher is better."""
    systems = len(units[0][0])
    ordered = list(itertools.permutations(range(systems), 2))
    drawn = [
        [statistic(units, signs, i, j) for i, j in ordered]
        for signs in itertools.product((1, -1), repeat=len(units))
    ]
    p_values = max_t_oracle.stepped_down(drawn[0], drawn)
    better = [pair for pair, p in zip(ordered, p_values, strict=True) if p <= level]
    return [
        (1 + sum(worse == of for _, worse in better), systems - sum(first == of for first, _ in better))
        for of in range(systems)
    ]
