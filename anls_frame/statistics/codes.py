"""Slices of rows as small integers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from anls_frame.statistics.arrays import BoolArray, IndexArray, IntArray


@dataclass(frozen=True)
class Codes:
    """
    A code for each row, or for each entry of the rows of a list column.

    Parameters
    ----------
    codes
        Integers from 0 to `size` - 1.
    size
        Number of codes.
    rows
        The row of each entry, in ascending order; None for one code in each row.
    """

    codes: IndexArray
    size: int
    rows: IndexArray | None = None

    def crossed(self, other: Codes) -> Codes:
        """Return the pairs (a, b) of codes of each row, with the code a times the other's size plus b."""
        size = self.size * other.size
        if self.rows is None and other.rows is None:
            return Codes(self.codes * other.size + other.codes, size)
        rows = np.arange(len(self.codes)) if self.rows is None else self.rows
        entry, counts = other.entries(rows)
        codes = np.repeat(self.codes, counts) * other.size + other.codes[entry]
        return Codes(codes, size, np.repeat(rows, counts))

    def entries(self, rows: IndexArray) -> tuple[IndexArray, IndexArray]:
        """Return the numbers of the entries of given rows, and the number of entries of each row."""
        if self.rows is None:
            return rows, np.ones(len(rows), np.intp)
        starts = np.searchsorted(self.rows, rows, side="left")
        counts = np.searchsorted(self.rows, rows, side="right") - starts
        first = np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(starts, counts) + np.arange(len(first)) - first, counts

    def mask(self, code: int, height: int) -> BoolArray:
        """Return which of the rows have the code."""
        if self.rows is None:
            return np.equal(self.codes, code)
        mask = np.zeros(height, bool)
        mask[self.rows[self.codes == code]] = True
        return mask

    def taken(self, rows: IndexArray) -> Codes:
        """Return the codes of given rows, each as often as it is named."""
        if self.rows is None:
            return Codes(self.codes[rows], self.size)
        entry, counts = self.entries(rows)
        return Codes(self.codes[entry], self.size, np.repeat(np.arange(len(rows)), counts))

    def renumbered(self, kept: IndexArray) -> Codes:
        """Return new codes for the kept codes, in order; all others get the code after the last."""
        code = np.full(self.size, len(kept), np.intp)
        code[kept] = np.arange(len(kept))
        return Codes(code[self.codes], len(kept) + 1, self.rows)


def joint_codes(columns: Sequence[Codes], rows: int) -> IntArray:
    """Return numbers that are equal for rows with equal codes in all columns, whatever the order of rows."""
    random = np.random.default_rng(0)
    numbers = np.zeros(rows, np.int64)
    for column in columns:
        # Sums of random whole numbers wrap around, so the order of the entries of a list has no effect.
        drawn = random.integers(-(1 << 62), 1 << 62, column.size)[column.codes]
        np.add.at(numbers, np.arange(rows) if column.rows is None else column.rows, drawn)
    return numbers
