"""
Macro averages: means of the figures of slices, with equal or given weights.

A document may have rows in several slices, so the slices are not independent. The interval comes from the
contribution of each document to the average: the sum, over its slices, of the slice's weight times the
document's influence on the figure of the slice (the delta method for a linear combination of ratios).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from numbers import Real
from typing import NamedTuple

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame import statistics
from anls_frame.export.columns import interval
from anls_frame.frames.documents import numbers
from anls_frame.reports.estimates import Estimate, Sums, estimate, squares_of_rows
from anls_frame.reports.lines import Line, cells_in_slices, lines
from anls_frame.reports.pairwise import NO_SPREAD, spread_of
from anls_frame.statistics.step_down import IntArray
from anls_frame.statistics.student import FloatArray
from anls_frame.statistics.system_sums import by_line
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
    def number(self) -> int:
        """Number of slices with a score and a weight."""
        return int((self.weight > 0).sum())

    @property
    def share(self) -> FloatArray:
        """The weight in the average of a row, or of a unit of length, of each slice."""
        return np.nan_to_num(_divided(self.weight[:, None], self.y))

    @property
    def figure(self) -> FloatArray:
        """The figure of each slice."""
        return _divided(self.x, self.y)

    @property
    def rows(self) -> float:
        """Effective number of rows: the number of equally weighted rows with the same information."""
        return float(_divided(np.ones(()), np.asarray(np.nansum(_divided(self.weight**2, self.n)))))

    @property
    def length(self) -> FloatArray:
        """Effective denominator of each system: rows or, for ratios, units of length or fields."""
        return _divided(np.ones(()), np.nansum(_divided(self.weight[:, None] ** 2, self.y), axis=0))

    def squares(self, squares: FloatArray) -> FloatArray:
        """
        Return Σx² for the effective number of rows, from Σx² of each slice, by system.

        The variance is that within slices, because differences between slices do not add to the variance of
        the average; each slice is weighted by its part in this variance.
        """
        variance = np.maximum(np.nan_to_num(_divided(squares, self.y) - self.figure**2), 0)
        part = np.nan_to_num(_divided(self.weight[:, None] ** 2, self.y))
        within = _divided((part * variance).sum(axis=0), part.sum(axis=0))
        average = (self.weight[:, None] * np.nan_to_num(self.figure)).sum(axis=0)
        return np.asarray(self.length * (average**2 + within))


class Contributions(NamedTuple):
    """The contribution of each unit to the macro average, as units by systems; `size` is in weighted rows."""

    counts: FloatArray
    size: FloatArray
    x: FloatArray
    y: FloatArray
    influence: FloatArray

    @classmethod
    def of(cls, slices: WeightedSlices, slice_of: IntArray, line: Line) -> Contributions:
        """Return the contributions of units from their sums in each slice."""
        _, first, unit = np.unique(line.unit, return_index=True, return_inverse=True)
        share, figure = slices.share[slice_of], slices.figure[slice_of]
        row = np.nan_to_num(_divided(slices.weight, slices.n))[slice_of]

        def added(values: FloatArray) -> FloatArray:
            return by_line(unit, np.broadcast_to(values, (len(unit), values.shape[1])), len(first))

        return cls(
            np.asarray(line.counts, np.float64)[first],
            added((row * line.n)[:, None])[:, 0],
            added(share * line.x),
            added(share * line.y),
            added(share * (line.x - np.nan_to_num(figure) * line.y)),
        )

    def sums(self, slices: WeightedSlices, squares: FloatArray) -> Sums:
        """Return the sums of systems' averages for the effective number of rows, from Σx² of each slice."""
        rows, length = slices.rows, slices.length
        x, y, residual = length * self.x, length * self.y, length * self.influence
        parts = (x, y, x * x, x * y, y * y, residual * residual, y**3, y**4)
        x, y, xx, xy, yy, bracket, *powers = (self.counts @ part for part in parts)
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
    n_clusters = None
    if CLUSTER in cells.columns:
        unit = numbers(cells[CLUSTER], cells.height)[cell].astype(np.int64)
        counts = np.ones(len(unit), np.int64)
        line = Line(unit, counts, own.n[cell], own.x[cell, None], own.y[cell, None])
        average = Contributions.of(slices, slice_of, line).sums(slices, row_squares)
        n_clusters = len(np.unique(unit[line.n > 0]))
    else:
        average = _sums_of_rows(slices, (cell, slice_of), own, row_squares)
    n = whole.n.sum()
    score, low, high, _, few = _estimate(metric, average, n, level)
    return {
        "metric": metric.name,
        "n": int(n),
        "n_slices": slices.number,
        **interval("score", score[0], low[0], high[0]),
        "few_rows": bool(few[0]),
        "n_clusters": n_clusters,
    }


def _sums_of_rows(
    slices: WeightedSlices,
    entries: tuple[IntArray, IntArray],
    sums: Sums,
    row_squares: FloatArray,
) -> Sums:
    """Return the sums of a report with rows as units, from those of each cell."""
    (cell, slice_of), rows, length = entries, slices.rows, float(slices.length[0])
    x, y, xx, xy, yy, _, own_bracket, n, *_, cubes, fourths = sums

    def added(values: FloatArray) -> FloatArray:
        return np.bincount(cell, np.nan_to_num(values[slice_of]), len(n)).astype(np.float64)

    share, size = length * added(slices.share[:, 0]), rows * added(_divided(slices.weight, slices.n))
    expected = length * added(slices.share[:, 0] * np.nan_to_num(slices.figure[:, 0]))
    # A row adds share * x - expected * y, that is share * (x - own * y) + off * y.
    own = np.nan_to_num(_divided(x, y))
    off = share * own - expected
    bracket = share**2 * own_bracket + 2 * share * off * (xy - own * yy) + off**2 * yy
    sizes = [np.array([n @ size**power]) for power in (1, 2, 3, 4)]
    parts = [share @ x, share @ y, share**2 @ xx, share**2 @ xy, share**2 @ yy]
    parts += [share**3 @ cubes, share**4 @ fourths] if cubes.size else []
    x, y, xx, xy, yy, *powers = (np.array([part]) for part in parts)
    spread = np.array([np.maximum(bracket, 0).sum()])
    return Sums(x, y, xx, xy, yy, slices.squares(row_squares), spread, *sizes, *powers)


def _estimate(metric: Metric, sums: Sums, n: float, level: float) -> Estimate:
    """Return the averages of systems with their intervals."""
    squares = sums.squares if metric.counts_fields else None
    return estimate(metric, sums, np.full(len(sums.x), n), level, squares=squares)


def comparison_lines(
    summary: Summary,
    keys: Sequence[str],
    pairs: Sequence[tuple[int, int]],
    weights: Mapping[object, float] | None,
    level: float,
) -> pl.DataFrame:
    """Return a line for each metric and pair, with both macro averages, their difference and its interval."""
    names, made = list(summary.systems), []
    for metric_lines in lines(summary, keys):
        metric = metric_lines.metric
        x, y = metric_lines.totals
        n = metric_lines.slices["n"].cast(pl.Float64).to_numpy()
        slices = WeightedSlices.of(weights_of(metric_lines.slices.select(keys), weights), x, y, n)
        each = Contributions.of(slices, metric_lines.slice_of, metric_lines.units)
        squares = np.zeros_like(x)
        if metric.interval == "bounded":
            # For a ratio, the fields are rows, each with the score 0 or 1.
            least, width = metric.span or (0, 1)
            in_unit = squares_of_rows(summary, metric_lines)
            squares = x if metric.has_parts_of_one else width**2 * in_unit + least * (2 * x - least * y)
        sums = each.sums(slices, squares)
        score, low, high, _, few = _estimate(metric, sums, n.sum(), level)
        every_effective, variances = spread_of(each.influence, each.counts, each.y * slices.length, pairs)
        for (first, second), effective, variance in zip(pairs, every_effective, variances, strict=True):
            difference = score[second] - score[first]
            ends = statistics.t_interval(difference, variance, effective, level)
            low_end, high_end = np.clip(ends, -metric.largest_difference, metric.largest_difference)
            # Equal systems have no spread.
            p_value = 1.0 if np.abs(difference) < NO_SPREAD else np.nan
            if variance > 0:
                t = difference / np.sqrt(variance)
                p_value = float(statistics.t_two_sided(t, np.maximum(effective - 1, 1)))
            made.append({
                "metric": metric.name,
                "baseline": names[first],
                "system": names[second],
                "n": int(n.sum()),
                "n_slices": slices.number,
                **interval("score", score[second], low[second], high[second]),
                "baseline_score": score[first],
                **interval("difference", difference, low_end, high_end),
                "p_value": p_value,
                "few_rows": bool(few[first] or few[second]),
                "n_clusters": int(each.counts.sum()) if summary.settings.cluster is not None else None,
            })  # fmt: skip
    return table(made)


def table(lines: Sequence[Mapping[str, object]]) -> pl.DataFrame:
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
        raise ValueError(
            f"weights must name each slice once; {f'{unknown[0]!r} is no slice' if unknown else ''}"
            f"{f'the slice {without[0]!r} has none' if without and not unknown else ''} among {values}"
        )
    are_numbers = all(_is_number(weights[value]) for value in values)
    given = np.array([weights[value] for value in values], np.float64) if are_numbers else np.zeros(0)
    if not (np.isfinite(given).all() and (given >= 0).all() and given.any()):
        raise ValueError(f"weights must be numbers of at least 0, and not all 0, got {dict(weights)}")
    return given


def _is_number(weight: object) -> bool:
    """Return whether a weight is a number; texts that read like one, and true and false, are not."""
    return isinstance(weight, Real) and not isinstance(weight, bool | np.bool_)


def _divided(x: FloatArray, y: FloatArray) -> FloatArray:
    """Return the quotients; nan for a denominator of 0."""
    shape = np.broadcast_shapes(np.shape(x), np.shape(y))
    quotient = np.divide(x, y, out=np.full(shape, np.nan), where=np.broadcast_to(y, shape) > 0)
    return np.asarray(quotient, np.float64)
