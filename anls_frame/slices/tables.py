"""Contingency tables: counts and sums for the values of each combination of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb, prod

import numpy as np

from anls_frame._text import listed
from anls_frame.statistics.arrays import FloatArray, IndexArray
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.losses import added


def combinations(columns: Sequence[Codes], depth: int) -> Iterator[tuple[tuple[int, ...], Codes]]:
    """Yield each combination of up to `depth` columns with the codes of its cells."""

    def extended(combination: tuple[int, ...], codes: Codes) -> Iterator[tuple[tuple[int, ...], Codes]]:
        yield combination, codes
        if len(combination) < depth:
            for column in range(combination[-1] + 1, len(columns)):
                yield from extended((*combination, column), codes.crossed(columns[column]))

    for column, codes in enumerate(columns):
        yield from extended((column,), codes)


def counted(codes: Codes, weights: Sequence[FloatArray]) -> tuple[IndexArray, list[FloatArray]]:
    """Return the number of rows of each cell, and for each weight its sums over these rows."""
    taken = weights if codes.rows is None else [weight[codes.rows] for weight in weights]
    counts = np.bincount(codes.codes, minlength=codes.size)
    return counts, [added(codes.codes, weight, codes.size) for weight in taken]


def cells(sizes: Sequence[int], depth: int) -> int:
    """Return the number of cells of all tables."""
    by_depth = [1, *[0] * depth]
    for size in sizes:
        for level in range(depth, 0, -1):
            by_depth[level] += by_depth[level - 1] * size
    return sum(by_depth[1:])


_MOST_OF_TABLE = 1 << 26
"""Maximum number of combinations of values of a few columns, which one table holds."""
_MOST = 1 << 30
"""Maximum number of combinations of values of all columns."""
_MOST_SUMS = 10**11
"""Maximum number of losses to add up, by rows, combinations of columns and draws; they take some minutes."""

_NAMED = 10
"""Number of columns to name."""


def check_work(values: Mapping[str, int], *, rows: int, depth: int, draws: int) -> None:
    """
    Raise an error that says what to leave out if a search would take more than a few minutes.

    Parameters
    ----------
    values
        Number of values of each column.
    rows
        Number of rows.
    depth
        Maximum number of conditions of a slice.
    draws
        Number of draws that consider all slices, for all metrics and systems together.
    """

    def is_feasible(sizes: list[int], depth: int) -> bool:
        combinations = sum(comb(len(sizes), count) for count in range(1, depth + 1))
        return (
            prod(sorted(sizes)[-depth:]) <= _MOST_OF_TABLE
            and cells(sizes, depth) <= _MOST
            and combinations * rows * max(draws, 1) <= _MOST_SUMS
        )

    every = list(values.values())
    if is_feasible(every, depth):
        return
    advice = [f"pass depth={less}" for less in range(depth - 1, 0, -1) if is_feasible(every, less)][:1]
    by_size = sorted(values, key=lambda name: -values[name])
    for count in range(1, len(by_size)):
        if is_feasible([values[name] for name in by_size[count:]], depth):
            advice.append(
                f"leave out {listed(map(repr, by_size[:count]), _NAMED)}, which have the most values"
            )
            break
    raise ValueError(
        f"columns have {cells(every, depth):,} combinations of up to {depth} values in {rows:,} rows, which "
        f"would take too long to test; {', or '.join(advice) or 'pass fewer rows, metrics, systems or draws'}"
    )
