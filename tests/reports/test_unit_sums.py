"""Sums of cells by unit, against sums of whole numbers of any size."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest

from anls_frame.reports.unit_sums import UnitSums

BITS = 40


@pytest.mark.parametrize("dtype", [pl.Int64, pl.Int128])
@pytest.mark.parametrize("size", [1 << 20, 1 << 62])
@pytest.mark.parametrize("scales", [[63], [63, 64, 2]], ids=str)
def test_sums_are_exact_and_rounded_once_for_each_scale(
    dtype: type[pl.DataType], size: int, scales: list[int]
) -> None:
    dice = np.random.default_rng(3)
    units = np.sort(dice.integers(0, 20, 400))
    units = np.unique(units, return_inverse=True)[1]
    cells = pl.DataFrame(
        {
            "x_0": pl.Series(dice.integers(-size, size, 400, dtype=np.int64)).cast(dtype),
            "scale": pl.Series(dice.choice(scales, 400), dtype=pl.UInt8),
            "n": pl.Series(dice.integers(1, 9, 400), dtype=pl.Int64),
        }
    )
    row = dice.permutation(400)
    starts = np.searchsorted(units, np.arange(units.max() + 1))
    sums = UnitSums(cells, row, starts, BITS)
    table, n = sums.table(["x_0"])[:, 0], sums.of("n")
    values, found = cells["x_0"].to_list(), cells["scale"].to_list()
    for unit in range(len(starts)):
        members = row[units == unit].tolist()
        assert n[unit] == sum(cells["n"][place] for place in members)
        expected = 0.0
        for scale in sorted(set(scales), reverse=True):
            exact = sum(values[place] for place in members if found[place] == scale)
            expected += float(exact) * 2.0**-BITS * 2.0 ** (16 * scale - 1023)
        assert table[unit] == expected


def test_no_cells_have_no_units() -> None:
    cells = pl.DataFrame(schema={"x_0": pl.Int64, "scale": pl.UInt8, "n": pl.Int64})
    none = np.zeros(0, np.int64)
    assert UnitSums(cells, none, none, BITS).table(["x_0"]).shape == (0, 1)
