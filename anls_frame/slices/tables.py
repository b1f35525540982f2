"""Contingency tables: counts and sums for all values of each combination of columns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from anls_frame.slices.columns import Codes

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Table:
    """
    Counts and sums of the cells of a contingency table.

    Parameters
    ----------
    columns
        Places of the columns, in ascending order.
    codes
        The cell of each row, or of each entry of list columns.
    counts
        Number of rows in each cell.
    sums
        Sums over the rows of each cell, one array for each weight.
    """

    columns: tuple[int, ...]
    codes: Codes
    counts: IntArray
    sums: tuple[FloatArray, ...]


def combinations(columns: Sequence[Codes], depth: int) -> Iterator[tuple[tuple[int, ...], Codes]]:
    """Yield each combination of up to `depth` columns with the codes of its cells."""

    def extended(places: tuple[int, ...], codes: Codes) -> Iterator[tuple[tuple[int, ...], Codes]]:
        yield places, codes
        if len(places) < depth:
            for place in range(places[-1] + 1, len(columns)):
                yield from extended((*places, place), codes.crossed(columns[place]))

    for place, codes in enumerate(columns):
        yield from extended((place,), codes)


def tables(columns: Sequence[Codes], depth: int, weights: Sequence[FloatArray]) -> Iterator[Table]:
    """
    Yield the contingency tables of all combinations of up to `depth` columns.

    Parameters
    ----------
    columns
        The codes of each column.
    depth
        Largest number of columns of a table.
    weights
        What is added up, one number for each row.
    """
    for places, codes in combinations(columns, depth):
        of_rows = weights if codes.rows is None else [weight[codes.rows] for weight in weights]
        counts = np.bincount(codes.codes, minlength=codes.size)
        sums = tuple(
            np.bincount(codes.codes, weight, codes.size).astype(np.float64, copy=False) for weight in of_rows
        )
        yield Table(places, codes, counts, sums)
