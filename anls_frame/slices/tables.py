"""Contingency tables: counts and sums for the values of each combination of columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from math import comb, prod

from anls_frame._text import listed
from anls_frame.statistics.codes import Codes


def combinations(columns: Sequence[Codes], depth: int, of: Codes | None = None) -> Iterator[Codes]:
    """Yield the codes of the cells of each combination of up to `depth` columns, crossed with others."""
    for number, column in enumerate(columns, 1):
        codes = column if of is None else of.crossed(column)
        yield codes
        if depth > 1:
            yield from combinations(columns[number:], depth - 1, codes)


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
    sizes = list(values.values())
    combinations = sum(comb(len(sizes), count) for count in range(1, depth + 1))
    if (
        prod(sorted(sizes)[-depth:]) <= _MOST_OF_TABLE
        and cells(sizes, depth) <= _MOST
        and combinations * rows * max(draws, 1) <= _MOST_SUMS
    ):
        return
    by_size = sorted(values, key=lambda name: -values[name])
    raise ValueError(
        f"columns have {cells(sizes, depth):,} combinations of up to {depth} values in {rows:,} rows, which "
        f"would take too long to test; leave out columns, those with most values first "
        f"({listed(map(repr, by_size), _NAMED)}), or pass a smaller depth=, fewer rows, metrics or systems"
    )
