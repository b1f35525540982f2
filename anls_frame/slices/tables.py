"""Contingency tables: counts and sums for the values of each combination of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from anls_frame.statistics.codes import Codes

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True)
class SearchedTable:
    """
    Counts and sums of the cells of a contingency table.

    Parameters
    ----------
    columns
        Positions of the columns, in ascending order.
    counts
        Number of rows in each cell.
    sums
        Sums over the rows of each cell, one array for each weight.
    """

    columns: tuple[int, ...]
    counts: IntArray
    sums: tuple[FloatArray, ...]


def combinations(columns: Sequence[Codes], depth: int) -> Iterator[tuple[tuple[int, ...], Codes]]:
    """Yield each combination of up to `depth` columns with the codes of its cells."""

    def extended(combination: tuple[int, ...], codes: Codes) -> Iterator[tuple[tuple[int, ...], Codes]]:
        yield combination, codes
        if len(combination) < depth:
            for column in range(combination[-1] + 1, len(columns)):
                yield from extended((*combination, column), codes.crossed(columns[column]))

    for column, codes in enumerate(columns):
        yield from extended((column,), codes)


def shapes(sizes: Sequence[int], depth: int) -> Iterator[tuple[tuple[int, ...], int]]:
    """Yield each combination of columns of these sizes with its number of cells, in the same order."""

    def extended(combination: tuple[int, ...], size: int) -> Iterator[tuple[tuple[int, ...], int]]:
        yield combination, size
        if len(combination) < depth:
            for column in range(combination[-1] + 1, len(sizes)):
                yield from extended((*combination, column), size * sizes[column])

    for column, size in enumerate(sizes):
        yield from extended((column,), size)


def tables(columns: Sequence[Codes], depth: int, weights: Sequence[FloatArray]) -> Iterator[SearchedTable]:
    """
    Yield the contingency tables of all combinations of up to `depth` columns.

    Parameters
    ----------
    columns
        The codes of each column.
    depth
        Maximum number of columns of a table.
    weights
        Numbers to add up, one for each line.
    """
    height = len(weights[0])
    if height <= _CHUNK or cells([column.size for column in columns], depth) > _MOST_CELLS:
        yield from _counted(columns, depth, weights)
        return
    # Parts that stay in the cache, for every table in turn, take half the time.
    whole: dict[tuple[int, ...], SearchedTable] = {}
    for start in range(0, height, _CHUNK):
        end = min(start + _CHUNK, height)
        part = [column.between(start, end) for column in columns]
        for table in _counted(part, depth, [weight[start:end] for weight in weights]):
            before = whole.setdefault(table.columns, table)
            if before is not table:
                np.add(before.counts, table.counts, out=before.counts)
                for total, sums in zip(before.sums, table.sums, strict=True):
                    np.add(total, sums, out=total)
    yield from whole.values()


_CHUNK = 1 << 15
_MOST_CELLS = 1 << 22
"""Maximum number of cells of all tables together that are kept while parts of the rows are added."""


def _counted(columns: Sequence[Codes], depth: int, weights: Sequence[FloatArray]) -> Iterator[SearchedTable]:
    for combination, codes in combinations(columns, depth):
        taken = weights if codes.rows is None else [weight[codes.rows] for weight in weights]
        counts = np.bincount(codes.codes, minlength=codes.size)
        sums = tuple(
            np.bincount(codes.codes, weight, codes.size).astype(np.float64, copy=False) for weight in taken
        )
        yield SearchedTable(combination, counts, sums)


def cells(sizes: Sequence[int], depth: int) -> int:
    """Return the number of cells of all tables."""
    by_depth = [1, *[0] * depth]
    for size in sizes:
        for level in range(depth, 0, -1):
            by_depth[level] += by_depth[level - 1] * size
    return sum(by_depth[1:])
