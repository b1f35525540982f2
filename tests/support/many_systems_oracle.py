"""Tests and rank sets of several systems in plain loops: every swap of two, drawn units of more."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from statistics import NormalDist
from typing import Any

import max_t_oracle
import numpy as np

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
    """Return the square of D / √Σd², which swaps do not change, with the sign of D."""
    apart = difference(units, signs, i, j)
    if apart is None:
        return float("inf")
    pooled = Fraction(sum(x[i] + x[j] for x, _ in units), sum(y[i] + y[j] for _, y in units))
    whole = apart * sum(y[i] + y[j] for _, y in units) / 2
    squares = sum(((x[i] - x[j] - pooled * (y[i] - y[j])) ** 2 for x, y in units), Fraction(0))
    return (whole * whole if whole > 0 else -whole * whole) / squares if squares else Fraction(0)


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


def ratio(units: Sequence[Unit], drawn: Sequence[int], system: int) -> Fraction | None:
    """Return the ratio of a system in the drawn units; None without a denominator."""
    y = sum(units[unit][1][system] for unit in drawn)
    return Fraction(sum(units[unit][0][system] for unit in drawn), y) if y else None


def shares(units: Sequence[Unit]) -> list[Fraction]:
    """Return the share of each unit in all denominators."""
    total = sum(sum(y) for _, y in units)
    return [Fraction(sum(y), total) for _, y in units]


class Resampled:
    """The difference of two systems in drawn units."""

    def __init__(self, units: Sequence[Unit], i: int, j: int) -> None:
        everything = range(len(units))
        self.units, self.pair = units, (i, j)
        self.weight = shares(units)
        self.h = sum(one * one for one in self.weight)
        of_i, of_j = (ratio(units, everything, system) for system in (i, j))
        assert of_i is not None
        assert of_j is not None
        self.observed = of_i - of_j
        self.influence = [
            (x[i] - of_i * y[i]) / sum(y[i] for _, y in units)
            - (x[j] - of_j * y[j]) / sum(y[j] for _, y in units)
            for x, y in units
        ]

    def squared(self, drawn: Sequence[int], centre: Fraction) -> Fraction:
        """Return the square of T = (d - centre) / √(v + (d - centre)²h)."""
        of_i, of_j = (ratio(self.units, drawn, system) for system in self.pair)
        if of_i is None or of_j is None:
            return 1 / self.h
        moved = of_i - of_j - self.observed
        size = sum(self.weight[unit] for unit in drawn)
        variance = sum((self.influence[unit] - moved * self.weight[unit]) ** 2 for unit in drawn) / size**2
        apart = of_i - of_j - centre
        return apart**2 / (variance + apart**2 * self.h) if apart else Fraction(0)


def scaled(values: Sequence[Sequence[Fraction]], metrics: Sequence[int]) -> list[list[float]]:
    """Return T divided by the scale of its metric, from T² as observed and in each draw, by place."""
    every = [[math.sqrt(one) for one in line] for line in values]
    scale = {}
    for metric in sorted(set(metrics)):
        places = [place for place, of in enumerate(metrics) if of == metric]
        share = 0.05 / len(set(metrics))
        largest = [max(line[place] for place in places) for line in every[1:]]
        normal = NormalDist().inv_cdf(1 - share / 2 / len(places))
        scale[metric] = max(float(np.quantile(largest, 1 - share)), normal)
    # Rounded, so that what is equal stays equal.
    return [[round(t / scale[metric], 9) for t, metric in zip(line, metrics, strict=True)] for line in every]


def bootstrapped(
    lines: Sequence[Sequence[Unit]],
    pairs: Sequence[tuple[int, int]],
    draws: Sequence[Sequence[int]],
    metrics: Sequence[int] | None = None,
) -> tuple[list[Fraction], list[Fraction]]:
    """Return the p-values of all lines and pairs, alone and adjusted, from the units of each draw."""
    hypotheses = [Resampled(units, i, j) for units in lines for i, j in pairs]
    observed = [one.squared(range(len(one.units)), Fraction(0)) for one in hypotheses]
    drawn = [[one.squared(draw, one.observed) for one in hypotheses] for draw in draws]
    differing = [sum((x[i], y[i]) != (x[j], y[j]) for x, y in units) for units in lines for i, j in pairs]
    decided = [place for place, number in enumerate(differing) if number >= 6]
    # What is observed counts as a draw.
    columns: list[list[Any]] = [[values[place] for place in decided] for values in [observed, *drawn]]
    if metrics is not None:
        columns = scaled(columns, [metrics[place // len(pairs)] for place in decided])
    together = dict(zip(decided, max_t_oracle.stepped_down(columns[0], columns), strict=True))
    alone, joint = [], []
    for place, (value, count) in enumerate(zip(observed, differing, strict=True)):
        as_far = sum(values[place] >= value for values in drawn)
        p = min(max(Fraction(1 + as_far, 1 + len(draws)), Fraction(2, 2**count)), Fraction(1))
        alone.append(p)
        joint.append(max(together.get(place, Fraction(1)), p))
    return alone, joint


def rank_sets(
    p_values: Sequence[Fraction], scores: Sequence[Fraction], level: Fraction
) -> list[tuple[int, int]]:
    """Return the best and the worst rank of each system if higher is better, from p-values of all pairs."""
    systems = range(len(scores))
    pairs = list(itertools.combinations(systems, 2))
    shown = [pair for pair, p in zip(pairs, p_values, strict=True) if p <= level]
    better = [pair if scores[pair[0]] > scores[pair[1]] else pair[::-1] for pair in shown]
    return [
        (1 + sum(worse == of for _, worse in better), len(scores) - sum(first == of for first, _ in better))
        for of in systems
    ]
