"""The units of slices, which are clusters or rows, with their sums for all systems in a metric."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import polars as pl

from anls_frame.frames.documents import numbers
from anls_frame.frames.joins import joined
from anls_frame.statistics.arrays import FloatArray, IntArray
from anls_frame.summary.cell_sums import ALL
from anls_frame.summary.cells import grouped
from anls_frame.summary.keys import CLUSTER, explode_lists, key_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.summary import Summary
from anls_frame.summary.system_rows import columns_of_metrics, metric_columns, score_columns


class UnitSums(NamedTuple):
    """
    Sums over the units of a slice, which are clusters, or groups of rows with equal scores.

    Parameters
    ----------
    unit
        Number of each unit, the same in all slices and metrics.
    counts
        How many rows have these scores; 1 for clusters.
    n
        Rows of each unit.
    x
        Sum of the scores or errors, with a column for each system.
    y
        What they are divided by: the rows in a single column, or a length for each system.
    """

    unit: IntArray
    counts: IntArray
    n: FloatArray
    x: FloatArray
    y: FloatArray


@dataclass(frozen=True, kw_only=True)
class SliceUnits:
    """
    The units of the slices of a table, in one metric.

    Parameters
    ----------
    metric
        The metric.
    keys
        Names of the keys.
    slices
        One row for each slice, sorted: the keys, `n` and `n_clusters` (null without clusters).
    units
        The units of all slices, slice by slice.
    slice_of
        The number of the slice of each unit.
    totals
        Sums over whole slices, slices by systems: numerators (scores or errors) and denominators.
    """

    metric: Metric
    keys: Sequence[str]
    slices: pl.DataFrame
    units: UnitSums
    slice_of: IntArray
    totals: tuple[FloatArray, FloatArray]

    def __iter__(self) -> Iterator[UnitSums]:
        """Yield the units of each slice."""
        ends = np.searchsorted(self.slice_of, np.arange(self.slices.height + 1))
        for part in itertools.starmap(slice, itertools.pairwise(ends.tolist())):
            yield UnitSums._make(values[part] for values in self.units)


def slice_units(summary: Summary, keys: Sequence[str]) -> list[SliceUnits]:
    """Return the units of the slices of a table with these keys, for each metric."""
    if summary.settings.cluster is not None:
        # All clusters, sorted, with their numbers.
        every = [cells[[CLUSTER]] for cells in summary.comparison_sums.cells.values()]
        documents = pl.concat(every, how="vertical_relaxed").unique()
        order = np.argsort(numbers(documents[CLUSTER], documents.height))
        units = documents[order].with_row_index("unit")
    else:
        # All combinations of scores, sorted, with their numbers.
        values = columns_of_metrics(summary.metrics, len(summary.systems))
        by = key_names(summary.settings.by, None)
        units = summary.comparison_sums.cells[ALL].sort(*by, *values).with_row_index("unit")
    return [_units_of(summary, index, metric, keys, units) for index, metric in enumerate(summary.metrics)]


def _units_of(
    summary: Summary, index: int, metric: Metric, keys: Sequence[str], units: pl.DataFrame
) -> SliceUnits:
    count = len(summary.systems)
    if summary.settings.cluster is not None:
        cells = summary.comparison_sums.cells[metric.name].with_columns(count=pl.lit(1, pl.Int64))
        number = joined(cells[[CLUSTER]], units, [CLUSTER])["unit"]
    else:
        rows = units.filter(pl.all_horizontal(pl.col(score_columns(index, count)).is_not_null()))
        number = rows["unit"]
        parts = [metric_columns(index, metric, system)[-2:] for system in range(count)]
        named = {f"x_{system}": names[0] for system, names in enumerate(parts)}
        if metric.is_ratio:
            named |= {f"y_{system}": names[1] for system, names in enumerate(parts)}
        cells = rows.select(*key_names(summary.settings.by, None), **named, n=pl.lit(1.0), count="n")
    rows_of = (cells["n"] * cells["count"]).cast(pl.Int64)
    lines = pl.DataFrame([*map(cells.get_column, keys), number.alias("unit"), rows_of.alias("n")])
    members = explode_lists(lines.with_row_index("row"), keys).sort(*keys, "unit")
    slices = grouped(members, keys, [pl.len().alias("size"), pl.col("n").sum()], in_order=True)
    sizes = slices.drop_in_place("size").cast(pl.Int64).to_numpy()
    row, unit = (members[name].cast(pl.Int64).to_numpy() for name in ("row", "unit"))
    slice_of = np.repeat(np.arange(slices.height), sizes)
    counts = cells["count"].to_numpy()[row]

    def added(names: Sequence[str], starts: IntArray, factors: IntArray | int = 1) -> FloatArray:
        """Return sums of columns over the cells from each start on, column by column: copies can be large."""
        table = np.zeros((len(names), len(starts)))
        for sums, name in zip(table, names if len(row) else (), strict=False):
            sums[:] = np.add.reduceat(cells[name].to_numpy()[row] * factors, starts)
        return table.T

    x = [f"x_{system}" for system in range(count)]
    y = [f"y_{system}" for system in range(count)] if metric.is_ratio else ["n"]
    # Clusters are the sums of their cells, which are neighbours; without clusters, a cell is a unit.
    begins = np.ones(len(row), bool)
    begins[1:] = (unit[1:] != unit[:-1]) | (slice_of[1:] != slice_of[:-1])
    starts = np.flatnonzero(begins)
    counted = np.bincount(slice_of[starts], minlength=slices.height).tolist()
    clusters = [None] * slices.height if summary.settings.cluster is None else counted
    of_slices = np.cumsum(sizes) - sizes
    return SliceUnits(
        metric=metric,
        keys=keys,
        slices=slices.hstack([pl.Series("n_clusters", clusters, pl.Int64)]),
        units=UnitSums(
            unit[starts], counts[starts], added(["n"], starts)[:, 0], added(x, starts), added(y, starts)
        ),
        slice_of=slice_of[starts],
        totals=(added(x, of_slices, counts), added(y, of_slices, counts)),
    )


def cells_in_slices(
    cells: pl.DataFrame, slices: pl.DataFrame, keys: Sequence[str]
) -> tuple[IntArray, IntArray]:
    """Return the numbers of cells and of their slices, by cell; one with a list is in several slices."""
    if not keys:
        return np.arange(cells.height), np.zeros(cells.height, np.int64)
    exploded = explode_lists(cells.select(keys).with_row_index("cell"), keys)
    numbered = joined(exploded, slices.select(keys).with_row_index("slice"), keys)
    cell, slice_of = (numbered[name].cast(pl.Int64).to_numpy() for name in ("cell", "slice"))
    return cell, slice_of
