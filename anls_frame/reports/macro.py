"""
Macro averages: means of the figures of slices, with equal or given weights.

A document may have rows in several slices, so the slices are not independent. The interval comes from the
contribution of each document to the average: the sum, over its slices, of the slice's weight times the
document's influence on the figure of the slice (the delta method for a linear combination of ratios).

In a slice of G effective documents, deviations from its own figure are too small by √((G - 1) / G). They are
stretched by as much, and the variance has the degrees of freedom of Satterthwaite (1946) over slices (Cochran
1977, 5.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame import statistics
from anls_frame._arguments import number
from anls_frame._messages import wrong
from anls_frame.export.columns import interval
from anls_frame.frames.documents import numbers
from anls_frame.reports.estimates import (
    Estimate,
    Sums,
    estimate,
    squares_of_rows,
    sums_of_systems,
    units,
    units_of_variance,
)
from anls_frame.reports.pairwise import NO_SPREAD, changed_units, spread_of
from anls_frame.reports.slice_units import SliceUnits, UnitSums, cells_in_slices, slice_units
from anls_frame.statistics.arrays import BoolArray, FloatArray, IntArray, divided
from anls_frame.statistics.carriers import FEW_IN_SLICE, carried_by_few, carriers
from anls_frame.statistics.differences import difference_interval
from anls_frame.statistics.intervals import FEWEST_UNITS
from anls_frame.statistics.system_sums import by_group
from anls_frame.summary import moments
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.measures import Metric
from anls_frame.summary.summary import Summary


class WeightedSlices(NamedTuple):
    """
    The slices of a macro average, with weights and the sums of their figures, with a column for each system.

    Slices without a score of every system are left out.
    """

    weight: FloatArray
    x: FloatArray
    y: FloatArray
    n: FloatArray

    @classmethod
    def of(cls, weight: FloatArray, x: FloatArray, y: FloatArray, n: FloatArray) -> WeightedSlices:
        """Return the slices with weights that add up to 1."""
        y = np.broadcast_to(y, x.shape)
        weight = np.where((y > 0).all(axis=1), weight, 0.0)
        total = weight.sum()
        return cls(weight / total if total > 0 else weight * np.nan, x, y, n)

    @property
    def are_used(self) -> BoolArray:
        """Whether slices have a score and a weight."""
        return self.weight > 0

    @property
    def used_rows(self) -> float:
        """Number of rows of these slices; a row counts in each of its slices."""
        return float(self.n[self.are_used].sum())

    @property
    def share(self) -> FloatArray:
        """The weight in the average of a row, or of a unit of length, of each slice."""
        return np.nan_to_num(divided(self.weight[:, None], self.y))

    @property
    def figure(self) -> FloatArray:
        """The figure of each slice."""
        return divided(self.x, self.y)

    @property
    def rows(self) -> float:
        """Effective number of rows: the number of equally weighted rows with the same information."""
        return float(divided(np.ones(()), np.asarray(np.nansum(divided(self.weight**2, self.n)))))

    @property
    def length(self) -> FloatArray:
        """Effective denominator of each system: rows or, for ratios, units of length or fields."""
        return divided(np.ones(()), np.nansum(divided(self.weight[:, None] ** 2, self.y), axis=0))

    def where_weighted(self, by_slice: FloatArray) -> FloatArray:
        """Return the units of slices, infinite for those without a weight."""
        return np.where(self.are_used[:, None], by_slice, np.inf)

    def squares(self, squares: FloatArray) -> FloatArray:
        """
        Return Σx² for the effective number of rows, from Σx² of each slice, by system.

        The variance is that within slices, because differences between slices do not add to the variance of
        the average; each slice is weighted by its part in this variance.
        """
        variance = np.maximum(np.nan_to_num(divided(squares, self.y) - self.figure**2), 0)
        part = np.nan_to_num(divided(self.weight[:, None] ** 2, self.y))
        within = divided((part * variance).sum(axis=0), part.sum(axis=0))
        average = (self.weight[:, None] * np.nan_to_num(self.figure)).sum(axis=0)
        return np.asarray(self.length * (average**2 + within))


class Spread(NamedTuple):
    """The variance of averages, and its degrees of freedom; nan if a slice has under two effective units."""

    variance: FloatArray
    degrees: FloatArray

    @classmethod
    def of(cls, slice_of: IntArray, variance: FloatArray, slice_units: FloatArray) -> Spread:
        """Add up the parts of a variance by slice, each with the effective number of units of its slice."""
        by_slice = by_group(slice_of, variance, len(slice_units))
        total = np.maximum(by_slice.sum(axis=0), 0)
        parts = (by_slice**2 / np.maximum(slice_units - 1, 1)).sum(axis=0)
        degrees = divided(total**2, parts, np.inf)
        known = (slice_units >= FEWEST_UNITS).all(axis=0)
        return cls(np.where(known, total, np.nan), np.where(known, np.maximum(degrees, 1), np.nan))


def stretch(slice_units: FloatArray) -> FloatArray:
    """Return √(G / (G - 1)), by which deviations from the figure of a slice of G units are too small."""
    return 1 / np.sqrt(1 - 1 / np.maximum(slice_units, FEWEST_UNITS))


class Contributions(NamedTuple):
    """The contribution of each unit to the macro average, as units by systems; `size` is in weighted rows."""

    counts: FloatArray
    size: FloatArray
    x: FloatArray
    y: FloatArray
    influence: FloatArray
    in_slices: FloatArray
    """The parts of `influence` from each slice, and the unit and the slice of each part."""
    unit_of: IntArray
    slice_of: IntArray

    @classmethod
    def of(cls, slices: WeightedSlices, slice_of: IntArray, units: UnitSums) -> Contributions:
        """Return the contributions of units from their sums in each slice."""
        _, first, unit = np.unique(units.unit, return_index=True, return_inverse=True)
        share, figure = slices.share[slice_of], slices.figure[slice_of]
        row = np.nan_to_num(divided(slices.weight, slices.n))[slice_of]

        def added(values: FloatArray) -> FloatArray:
            return by_group(unit, np.broadcast_to(values, (len(unit), values.shape[1])), len(first))

        in_slices = share * (units.x - np.nan_to_num(figure) * units.y)
        return cls(
            np.asarray(units.counts, np.float64)[first],
            added((row * units.n)[:, None])[:, 0],
            added(share * units.x),
            added(share * units.y),
            added(in_slices),
            in_slices,
            unit,
            slice_of,
        )

    def spread(self, in_slices: FloatArray, slice_units: FloatArray) -> Spread:
        """Return the variance of averages or differences, from the parts of their influence in each slice."""
        stretched = stretch(slice_units)[self.slice_of] * in_slices
        whole = by_group(self.unit_of, stretched, len(self.counts))[self.unit_of]
        return Spread.of(self.slice_of, self.counts[self.unit_of, None] * stretched * whole, slice_units)

    def sums(self, slices: WeightedSlices, squares: FloatArray, spread: Spread) -> Sums:
        """Return the sums of systems' averages for the effective number of rows, from Σx² of each slice."""
        rows, length = slices.rows, slices.length
        x, y = length * self.x, length * self.y
        x, y, xx, xy, yy, *powers = (self.counts @ part for part in (x, y, x * x, x * y, y * y, y**3, y**4))
        bracket = length**2 * spread.variance
        sizes = [np.full(len(x), self.counts @ (rows * self.size) ** power) for power in (1, 2, 3, 4)]
        return Sums(x, y, xx, xy, yy, slices.squares(squares), bracket, *sizes, *powers)


def report_line(
    cells: pl.DataFrame,
    keys: Sequence[str],
    metric: Metric,
    weights: Mapping[object, float] | None,
    level: float,
) -> dict[str, object]:
    """Return the line of a metric, its macro average over slices with an interval."""
    # Added up in the same order, averages have the same last digit.
    cells = cells.sort(name for name in cells.columns if name.startswith("key_") or name == CLUSTER)
    counted = moments.roll_up(cells, keys, [metric])
    whole = Sums.of(counted, metric)
    x, y = whole.x[:, None], whole.y[:, None]
    slices = WeightedSlices.of(weights_of(counted.select(keys), weights), x, y, whole.n)
    lined = cells.drop(CLUSTER, strict=False).with_row_index("key_line")
    by_cell = moments.roll_up(lined, ["key_line"], [metric])
    own = Sums.of(by_cell, metric)
    cell, slice_of = cells_in_slices(cells, counted, keys)
    # For a ratio, the fields are rows, each with the score 0 or 1.
    row_squares = x if metric.has_parts_of_one else whole.squares[:, None]
    slice_units = slices.where_weighted(units_of_variance(metric.interval, whole)[:, None])
    n_clusters = None
    if CLUSTER in cells.columns:
        unit = numbers(cells[CLUSTER], cells.height)[cell].astype(np.int64)
        counts = np.ones(len(unit), np.int64)
        units = UnitSums(unit, counts, own.n[cell], own.x[cell, None], own.y[cell, None])
        each = Contributions.of(slices, slice_of, units)
        spread = each.spread(each.in_slices, slice_units)
        average = each.sums(slices, row_squares, spread)
        n_clusters = len(np.unique(unit[(units.n > 0) & slices.are_used[slice_of]]))
    else:
        average, spread = _sums_of_rows(slices, (cell, slice_of), own, row_squares, slice_units)
    score, low, high, _, few = _estimate(metric, average, slices.used_rows, level, spread.degrees)
    few |= _has_small_slice(metric, slices, whole)
    return {
        "metric": metric.name,
        "n": int(slices.used_rows),
        "n_slices": int(slices.are_used.sum()),
        **interval("score", score[0], low[0], high[0]),
        "few_rows": bool(few[0]),
        "n_clusters": n_clusters,
    }


def _sums_of_rows(
    slices: WeightedSlices,
    entries: tuple[IntArray, IntArray],
    sums: Sums,
    row_squares: FloatArray,
    slice_units: FloatArray,
) -> tuple[Sums, Spread]:
    """Return the sums of a report with rows as units, from those of each cell, and their spread."""
    (cell, slice_of), rows, length = entries, slices.rows, float(slices.length[0])
    x, y, xx, xy, yy, _, own_bracket, n, *_, cubes, fourths = sums

    def added(values: FloatArray) -> FloatArray:
        return np.bincount(cell, np.nan_to_num(values[slice_of]), len(n)).astype(np.float64)

    share, size = length * added(slices.share[:, 0]), rows * added(divided(slices.weight, slices.n))
    # In a slice a row adds part * (x - figure * y), that is part * (x - own * y) + off * y.
    own = np.nan_to_num(divided(x, y))
    part = (slices.share * stretch(slice_units))[slice_of, 0]
    off = part * (own[cell] - np.nan_to_num(slices.figure[slice_of, 0]))
    parts_of, offs = (np.bincount(cell, values, len(n))[cell] for values in (part, off))
    variance = part * parts_of * own_bracket[cell] + off * offs * yy[cell]
    variance += (part * offs + parts_of * off) * (xy - own * yy)[cell]
    spread = Spread.of(slice_of, variance[:, None], slice_units)
    sizes = [np.array([n @ size**power]) for power in (1, 2, 3, 4)]
    parts = [share @ x, share @ y, share**2 @ xx, share**2 @ xy, share**2 @ yy]
    parts += [share**3 @ cubes, share**4 @ fourths] if cubes.size else []
    x, y, xx, xy, yy, *powers = (np.array([part]) for part in parts)
    bracket = length**2 * spread.variance
    return Sums(x, y, xx, xy, yy, slices.squares(row_squares), bracket, *sizes, *powers), spread


def _estimate(metric: Metric, sums: Sums, n: float, level: float, degrees: FloatArray) -> Estimate:
    """Return the averages of systems with their intervals."""
    squares = sums.squares if metric.counts_fields else None
    return estimate(metric, sums, np.full(len(sums.x), n), level, squares=squares, degrees=degrees)


def _has_small_slice(metric: Metric, slices: WeightedSlices, sums: Sums) -> BoolArray:
    """Return whether a slice has too few effective units to know its spread, from sums of each."""
    worth = units(sums.with_fields() if metric.counts_fields else sums)
    worth = slices.where_weighted(worth.reshape(slices.figure.shape))
    return carried_by_few(worth.min(axis=0, initial=np.inf), FEW_IN_SLICE)


def comparison_lines(
    summary: Summary,
    keys: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    weights: Mapping[object, float] | None,
    level: float,
) -> pl.DataFrame:
    """Return a row for each metric and pair, with both macro averages, their difference and its interval."""
    names, made = list(summary.systems), []
    for sliced in slice_units(summary, keys):
        weight = weights_of(sliced.slices.select(keys), weights)
        averages = compared(sliced, weight, squares_of_rows(summary, sliced), pairs, level)
        for (first, second), average in zip(pairs, averages, strict=True):
            identity = {"metric": sliced.metric.name, "baseline": names[first], "system": names[second]}
            made.append({**identity, **average})
    return as_frame(made)


def compared(
    sliced: SliceUnits,
    weight: FloatArray,
    rows_in_unit: FloatArray | None,
    pairs: Sequence[tuple[int, int]],
    level: float,
) -> list[dict[str, object]]:
    """Return the averages of each pair; `rows_in_unit` is Σx² over rows, of bounded scores in [0, 1]."""
    metric, (x, y) = sliced.metric, sliced.totals
    n = sliced.slices["n"].cast(pl.Float64).to_numpy()
    slices = WeightedSlices.of(weight, x, y, n)
    each = Contributions.of(slices, sliced.slice_of, sliced.units)
    squares = np.zeros_like(x)
    if metric.interval == "bounded":
        # For a ratio, the fields are rows, each with the score 0 or 1.
        least, width = metric.span or (0, 1)
        squares = x if rows_in_unit is None else width**2 * rows_in_unit + least * (2 * x - least * y)
    by_slice = sums_of_systems(sliced)
    slice_units = slices.where_weighted(units_of_variance(metric.interval, by_slice))
    spread = each.spread(each.in_slices, slice_units)
    sums = each.sums(slices, squares, spread)
    score, low, high, _, few = _estimate(metric, sums, slices.used_rows, level, spread.degrees)
    few |= _has_small_slice(metric, slices, by_slice)
    n_clusters = None
    if not sliced.slices["n_clusters"].is_null().all():
        n_clusters = len(np.unique(sliced.units.unit[slices.are_used[sliced.slice_of]]))
    every_effective, seen = spread_of(each.influence, each.counts, each.y * slices.length, pairs)
    changed = changed_units(each.x, each.counts, pairs)
    made = []
    for index, (first, second) in enumerate(pairs):
        difference = score[second] - score[first]
        both_units = slices.where_weighted(_units_of_difference(sliced, (first, second)))
        apart = each.spread(each.in_slices[:, [second]] - each.in_slices[:, [first]], both_units)
        # `spread_of` knows which systems differ by rounding alone.
        differs = seen[index] > 0
        variance = apart.variance[0] if differs else 0.0 * apart.variance[0]
        gains = differs * (each.influence[:, second] - each.influence[:, first])
        few_differ = carried_by_few(carriers(gains, each.counts))
        effective = np.minimum(every_effective[index], apart.degrees[0] + 1)
        ends = difference_interval(
            difference,
            variance,
            effective,
            changed[index],
            level,
            unseen=metric.unseen_difference,
        )
        low_end, high_end = np.clip(ends, -metric.largest_difference, metric.largest_difference)
        # Equal systems have no spread.
        p_value = 1.0 if np.abs(difference) < NO_SPREAD else np.nan
        if variance > 0:
            t = difference / np.sqrt(variance)
            p_value = float(statistics.t_two_sided(t, np.maximum(effective - 1, 1)))
        made.append(
            {
                "n": int(slices.used_rows),
                "n_slices": int(slices.are_used.sum()),
                **interval("score", score[second], low[second], high[second]),
                "baseline_score": score[first],
                **interval("difference", difference, low_end, high_end),
                "p_value": p_value,
                "few_rows": bool(few[first] or few[second] or few_differ),
                "n_clusters": n_clusters,
            }
        )
    return made


def _units_of_difference(sliced: SliceUnits, pair: tuple[int, int]) -> FloatArray:
    """Return the effective number of units of each slice for a difference; rows count as independent."""
    units, slice_of = sliced.units, sliced.slice_of
    y = np.broadcast_to(units.y, units.x.shape)[:, pair].sum(axis=1, keepdims=True)
    counts, slices = units.counts[:, None], sliced.slices.height
    return statistics.effective_units(
        by_group(slice_of, counts * y, slices), by_group(slice_of, counts * y * y, slices)
    )


def as_frame(lines: Sequence[Mapping[str, object]]) -> pl.DataFrame:
    """Return lines as a table, with null in place of nan."""
    frame = pl.DataFrame(lines, schema_overrides={"n_clusters": pl.Int64})
    return frame.with_columns(cs.float().fill_nan(None))


def weights_of(slices: pl.DataFrame, weights: Mapping[object, float] | None) -> FloatArray:
    """
    Return the weight of each slice; equal weights by default.

    Raises
    ------
    ValueError
        If a slice has no weight, a weight has no slice, or weights are negative or all 0.
    """
    values = [row[0] if len(row) == 1 else row for row in slices.iter_rows()]
    if weights is None:
        return np.ones(len(values))
    unknown = [value for value in weights if value not in values]
    without = [value for value in values if value not in weights]
    if unknown or without:
        lack = f"{unknown[0]!r} is not a slice" if unknown else f"the slice {without[0]!r} has none"
        raise wrong("weights", f"must name each slice once; {lack} among {values}")
    given = np.array([number(f"weights[{value!r}]", weights[value], 0) for value in values])
    if not given.any():
        raise wrong("weights", f"must not all be 0, got {dict(weights)}")
    return given
