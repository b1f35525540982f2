"""Sums of cells by unit, column by column, because a copy of all columns can be very large."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import SCALE

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anls_frame.statistics.student import FloatArray

    IntArray = npt.NDArray[np.int64]

_LARGEST = (1 << 63) - 1
_LOW_BITS = 32


@dataclass(frozen=True)
class UnitSums:
    """
    Sums over the cells of units.

    Parameters
    ----------
    cells
        The cells.
    row
        Places of the cells that are added up, unit by unit.
    starts
        Where each unit begins in `row`.
    bits
        The exponent of the sums, relative to their scale, if the cells have one.
    """

    cells: pl.DataFrame
    row: IntArray
    starts: IntArray
    bits: int

    def of(self, name: str) -> FloatArray:
        """Return the sum of a column for each unit, rounded once."""
        return self._sums(self.cells[name])

    def table(self, names: Sequence[str]) -> FloatArray:
        """Return the sums of columns, with one line for each unit."""
        table = np.zeros((len(names), len(self.starts)))
        if SCALE not in self.cells.columns:
            for place, name in enumerate(names):
                table[place] = self.of(name)
            return table.T
        scales = self.cells[SCALE].to_numpy()[self.row]
        present = np.unique(scales)[::-1].tolist()
        for scale in present:
            chosen = scales == scale if len(present) > 1 else None
            for place, name in enumerate(names):
                exact = self._sums(self.cells[name], chosen)
                table[place] += exact * 2.0**-self.bits * fixed_point.size(scale)
        return table.T

    def _sums(self, column: pl.Series, chosen: npt.NDArray[np.bool_] | None = None) -> FloatArray:
        """Return the sums of a column, or of the chosen cells among those that are added up."""
        if column.dtype == pl.Int128:
            lengths = np.diff(self.starts, append=len(self.row))
            unit = np.repeat(np.arange(len(self.starts)), lengths)
            values = pl.DataFrame({"unit": unit, "value": column.gather(self.row)})
            if chosen is not None:
                values = values.with_columns(pl.when(pl.Series(chosen)).then("value"))
            added = values.group_by("unit", maintain_order=True).agg(pl.col("value").sum())
            return added["value"].cast(pl.Float64).to_numpy()
        values_of = column.to_numpy()[self.row]
        if chosen is not None:
            values_of = np.where(chosen, values_of, 0)
        if column.dtype == pl.Int64:
            largest = max(int(values_of.max(initial=0)), -int(values_of.min(initial=0)))
            longest = int(np.diff(self.starts, append=len(self.row)).max(initial=0))
            if largest * longest > _LARGEST:
                high = np.add.reduceat(values_of >> _LOW_BITS, self.starts)
                low = np.add.reduceat(values_of & ((1 << _LOW_BITS) - 1), self.starts)
                factor = pl.Series([1 << _LOW_BITS], dtype=pl.Int128)
                exact = pl.Series(high).cast(pl.Int128) * factor + pl.Series(low).cast(pl.Int128)
                return exact.cast(pl.Float64).to_numpy()
        return np.add.reduceat(values_of, self.starts).astype(np.float64)
