"""Numbers of rows in which the second system of a pair is better or worse, for all pairs of many systems."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from anls_frame.summary.keys import canonical

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

_WORD = 8
_MOST_WORDS = 255
"""Number of bytes of 0 or 1 whose sum fits into a byte."""

_BLOCK = 1 << 18
"""Number of scores that are compared at a time: what fits into a cache."""


def votes(rows: pl.DataFrame, keys: Sequence[str], named: Sequence[str], *, better: bool) -> pl.DataFrame:
    """Return a line for each slice and pair; a line of the input may stand for `n` rows."""
    sizes = np.array([rows.height])
    groups = rows.select([])
    if keys:
        groups = rows.with_row_index("row").group_by(keys).agg("row")
        sizes = groups["row"].list.len().to_numpy().astype(np.int64)
        rows = rows[groups["row"].explode(empty_as_null=False)]
        groups = canonical(groups.drop("row"))
    table = np.ascontiguousarray(rows.select(named).to_numpy().T)
    count = len(named) * (len(named) - 1) // 2
    if "n" not in rows.columns or (rows["n"] == 1).all():
        total = sizes
        higher, lower = _counted(table, sizes)
    else:
        times = rows["n"].to_numpy()
        total = np.zeros(len(sizes), np.int64)
        np.add.at(total, np.repeat(np.arange(len(sizes)), sizes), times)
        higher, lower = _weighted(table, sizes, times)
    wins, losses = (higher, lower) if better else (lower, higher)
    counts = pl.DataFrame(
        {
            "pair": pl.Series(np.tile(np.arange(count), len(sizes)), dtype=pl.UInt32),
            "wins": wins.T.ravel(),
            "ties": (total - wins - losses).T.ravel(),
            "losses": losses.T.ravel(),
        }
    )
    return groups[np.repeat(np.arange(len(sizes)), count)].hstack(counts) if keys else counts


def _counted(
    table: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """
    Return the numbers of rows of each slice in which the second system of each pair is higher, and lower.

    A line of the table is a system; its rows are sorted by slice.
    """
    systems = len(table)
    counts = np.zeros((2, systems * (systems - 1) // 2, len(sizes)), np.int64)
    block = max(_WORD, min(_BLOCK // systems, _WORD * _MOST_WORDS) // _WORD * _WORD)
    filled = np.empty((systems, block))
    holds = np.empty((systems, block), bool)
    for pieces in _blocks(sizes, block):
        # Each slice starts with a new word. The rows that fill its last word are ties.
        starts = []
        used = 0
        for _, start, size in pieces:
            starts.append(used // _WORD)
            filled[:, used : used + size] = table[:, start : start + size]
            used += size
            filled[:, used : _up(used)] = 0
            used = _up(used)
        slices = [slice_ for slice_, _, _ in pieces]
        pair = 0
        for first in range(systems - 1):
            later = pair + systems - 1 - first
            for into, compare in zip(counts, (np.greater, np.less), strict=True):
                compared = holds[first + 1 :, :used]
                compare(filled[first + 1 :, :used], filled[first, :used], out=compared)
                words = np.add.reduceat(compared.view(np.uint64), starts, axis=1)
                sums = words.view(np.uint8).reshape(len(words), len(starts), _WORD)
                into[pair:later, slices] += sums.sum(axis=2, dtype=np.int64)
            pair = later
    return counts[0], counts[1]


def _up(rows: int) -> int:
    return -(-rows // _WORD) * _WORD


def _blocks(sizes: npt.NDArray[np.int64], block: int) -> Iterator[list[tuple[int, int, int]]]:
    """Yield the pieces of slices that fill a block: slice, first row and number of rows."""
    pieces: list[tuple[int, int, int]] = []
    used = row = 0
    for slice_, size in enumerate(sizes.tolist()):
        for start in range(0, size, block):
            rows = min(block, size - start)
            if used + rows > block:
                yield pieces
                pieces, used = [], 0
            pieces.append((slice_, row + start, rows))
            used = _up(used + rows)
        row += size
    if pieces:
        yield pieces


def _weighted(
    table: npt.NDArray[np.float64], sizes: npt.NDArray[np.int64], times: npt.NDArray[np.int64]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the counts for rows that stand for several; a line of the table is a system."""
    starts = np.cumsum(sizes) - sizes
    counts: list[list[npt.NDArray[np.int64]]] = [[], []]
    for first in range(len(table) - 1):
        for into, compare in zip(counts, (np.greater, np.less), strict=True):
            holds = compare(table[first + 1 :], table[first])
            into.append(np.add.reduceat(holds * times, starts, axis=1))
    higher, lower = (np.concatenate(parts, axis=0) for parts in counts)
    return higher, lower
