"""Means of slices with their intervals, of one system and of several."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import polars as pl

from anls_frame import statistics
from anls_frame.statistics.arrays import BoolArray, FloatArray, divided
from anls_frame.statistics.carriers import FEW_CARRIERS, are_few, carriers_of_sums
from anls_frame.statistics.design import USUAL_CORRELATION
from anls_frame.summary.cells import grouped
from anls_frame.summary.keys import explode_lists
from anls_frame.summary.measures import Interval, Metric
from anls_frame.summary.moments import SIZES
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    from anls_frame.reports.slice_units import SliceUnits

FEW_ROWS_WITH_ERRORS = 30
"""Fewest rows that a rate may depend on if units are single rows: some can be far worse than others."""


class Sums(NamedTuple):
    """
    Sums over units, as arrays over slices, from which the interval of a figure Σx / Σy is computed.

    `squares` is Σx² over rows, and `bracket` is Σ(x - ry)², which may be known more exactly than from the
    other sums. `cubes` and `fourths` are Σy³ and Σy⁴, which only ratios that count fields need.
    """

    x: FloatArray
    y: FloatArray
    xx: FloatArray
    xy: FloatArray
    yy: FloatArray
    squares: FloatArray
    bracket: FloatArray
    n: FloatArray
    n_squares: FloatArray
    n_cubes: FloatArray
    n_fourths: FloatArray
    cubes: FloatArray = np.zeros(0)
    fourths: FloatArray = np.zeros(0)

    @classmethod
    def of(cls, counted: pl.DataFrame, metric: Metric) -> Sums:
        """Return the sums of a metric from a table of `roll_up`, with a value for each of its lines."""
        moments = metric.moments()
        names = (*moments[:6], metric.bracket, "n", *SIZES, *moments[6:])
        return cls(*(counted[name].cast(pl.Float64).to_numpy() for name in names))

    def with_fields(self) -> Sums:
        """
        Return the sums of a ratio with its fields as rows: x of the y fields of a unit have the score 1.

        The interval is then that of a mean over fields in clusters. Ten times as many fields that are right
        or wrong together form larger clusters, whose interval is about the same, though not exactly for few
        rows.
        """
        sizes = {"n": self.y, "n_squares": self.yy, "n_cubes": self.cubes, "n_fourths": self.fourths}
        return self._replace(squares=self.x, **sizes)

    def in_unit(self, least: float, width: float) -> Sums:
        """Return the sums of scores rescaled to [0, 1] from bounds of this distance."""
        if (least, width) == (0, 1):
            return self
        return self._replace(
            x=(self.x - least * self.y) / width,
            xx=(self.xx - 2 * least * self.xy + least**2 * self.yy) / width**2,
            xy=(self.xy - least * self.yy) / width,
            squares=(self.squares - 2 * least * self.x + least**2 * self.n) / width**2,
            bracket=self.bracket / width**2,
        )


class Estimate(NamedTuple):
    """A figure with its interval, the effective number of units, and whether it is too small, as arrays."""

    score: FloatArray
    low: FloatArray
    high: FloatArray
    effective: FloatArray
    few: BoolArray


def estimate(
    metric: Metric,
    sums: Sums,
    n: FloatArray,
    confidence: float,
    *,
    squares: FloatArray | None = None,
    degrees: FloatArray | None = None,
) -> Estimate:
    """
    Return a figure with its interval, as shown in reports, comparisons and macro averages.

    Parameters
    ----------
    metric, sums
        The metric, and sums over units.
    n
        Number of rows.
    confidence
        Confidence level of the interval.
    squares
        Σx² over rows, of scores rescaled to [0, 1], if it differs from that of `sums`.
    degrees
        Of a macro average: the degrees of freedom of its variance; see `interval`.
    """
    score = divided(sums.x, sums.y)
    whole = sums if metric.span is None else sums.in_unit(*metric.span)
    whole = whole.with_fields() if metric.counts_fields else whole
    whole = whole if squares is None else whole._replace(squares=squares)
    low, high = interval(metric.interval, whole, confidence, degrees)
    least, width = metric.span or (0, 1)
    if (least, width) != (0, 1):
        low, high = np.minimum(least + width * low, score), np.maximum(least + width * high, score)
    if metric.interval != "rate" and metric.bounds not in {None, (None, None)}:
        low, high = np.clip(low, *metric.bounds), np.clip(high, *metric.bounds)
    # A share of rows can truly be 0 (no page is exact), however many units there are.
    carried = np.full(score.shape, np.inf) if metric.is_share else carried_by(metric.interval, whole)
    effective = units(whole)
    return Estimate(score, low, high, effective, are_few(n, effective, carried))


def where_several(n: FloatArray, n_squares: FloatArray, carrying: FloatArray) -> FloatArray:
    """Return the units that contribute to a figure; infinite for single rows, which intervals allow for."""
    return np.where(n_squares > n, carrying, np.inf)


def carried_by(kind: Interval, sums: Sums) -> FloatArray:
    """
    Return the effective number of units that contribute to a figure; `FEW_CARRIERS` are enough.

    For rates, these are the units with errors; for bounded scores, those that contribute to the score or to
    its distance from 1, whichever number is smaller. The number is infinite for unbounded scores, and NaN if
    there is no figure. The interval of a score allows for single rows. The interval of a rate does not, so it
    needs three times as many rows with errors as documents with errors. Without any error, its upper end is a
    bound.

    Where long units have higher rates, fewer units contribute to the rate of all text than a sample shows,
    because most samples lack the longest ones. Their number is therefore divided by the square of how much
    the rate rises if each unit is weighted by its length again.
    """
    if kind == "mean":
        return np.full_like(sums.x, np.inf)
    sides = [(sums.x, sums.xx)]
    if kind == "bounded":
        sides.append((sums.y - sums.x, sums.yy - 2 * sums.xy + sums.xx))
    carried = np.minimum.reduce([carriers_of_sums(*side) for side in sides])
    carrying = np.where(sums.y > 0, carried, np.nan)
    if kind != "rate":
        return where_several(sums.n, sums.n_squares, carrying)
    rise = divided(sums.xy * sums.y, sums.x * sums.yy, 1.0)
    carrying = carrying / np.maximum(rise, 1) ** 2
    rows = np.where(carrying > 0, carrying * FEW_CARRIERS / FEW_ROWS_WITH_ERRORS, np.inf)
    return np.where(sums.n_squares > sums.n, carrying, rows)


def interval(
    kind: Interval, sums: Sums, confidence: float, degrees: FloatArray | None = None
) -> tuple[FloatArray, FloatArray]:
    """
    Return the ends of the interval that reports show for a figure of this kind.

    Without `degrees`, the variance of G units has G - 1 degrees of freedom. With them, `sums.bracket` allows
    for those already, and is not multiplied by G / (G - 1).
    """
    count = units_of_variance(kind, sums)
    moments = (sums.x, sums.y, sums.xx, sums.xy, sums.yy)
    variance = statistics.ratio_variance(count, *moments, bracket=sums.bracket)
    freedom = count
    if degrees is not None:
        variance *= (count - 1) / count
        freedom = np.minimum(count, degrees + 1)
    if kind == "rate":
        return statistics.ratio_interval(sums.x, sums.y, variance, freedom, confidence)
    mean = divided(sums.x, sums.y)
    if kind == "mean":
        return statistics.t_interval(mean, variance, freedom, confidence)
    return statistics.wilson_interval(
        mean,
        variance,
        sums.n,
        count,
        confidence,
        sum_squares=sums.squares,
        cubes=sums.n_cubes,
        fourths=sums.n_fourths,
        degrees=np.inf if degrees is None else degrees,
    )


def units_of_variance(kind: Interval, sums: Sums) -> FloatArray:
    """Return the effective number of units, G; the variance of a figure has G - 1 degrees of freedom."""
    return statistics.effective_units(sums.y, sums.yy) if kind == "bounded" else units(sums)


def units(sums: Sums) -> FloatArray:
    """
    Return the effective number of units, assuming a typical correlation of rows within a unit.

    The number is at least two if it would be two or more with independent rows.
    """
    plain = statistics.effective_units(sums.y, sums.yy)
    by_rows = statistics.effective_units(sums.n, sums.n_squares)
    powers = (sums.n, sums.n_squares, sums.n_cubes, sums.n_fourths)
    correlated = statistics.effective_units(*powers, correlation=USUAL_CORRELATION)
    # Only the squares of lengths are known: assume that correlation reduces both counts by the same factor.
    return np.asarray(np.minimum(plain, np.maximum(plain * np.minimum(correlated / by_rows, 1), 2)))


def system_scores(summary: Summary, sliced: SliceUnits, confidence: float) -> tuple[Estimate, Sums]:
    """Return the scores and intervals of a metric, as in reports of the systems, and their sums."""
    metric, sums = sliced.metric, sums_of_systems(sliced)
    squares = squares_of_rows(summary, sliced)
    return estimate(metric, sums, sums.n, confidence, squares=squares), sums


def sums_of_systems(sliced: SliceUnits) -> Sums:
    """Return the sums over the units of each slice, slices by systems, without Σx² over rows."""
    x, y = sliced.totals
    shape = x.shape
    y = np.broadcast_to(y, shape)
    score = divided(x, y)
    totals, sizes = np.zeros((6, *shape)), np.zeros((4, *shape))
    for index, units in enumerate(sliced):
        residual = units.x - np.nan_to_num(score[index]) * units.y
        moments = (units.x**2, units.x * units.y, units.y**2, residual**2, units.y**3, units.y**4)
        for into, values in zip(totals, moments, strict=True):
            into[index] = units.counts @ np.broadcast_to(values, residual.shape)
        sizes[:, index] = [[(units.counts * units.n**power).sum()] for power in (1, 2, 3, 4)]
    xx, xy, yy, bracket, *powers = totals
    return Sums(x, np.array(y), xx, xy, yy, x, bracket, *sizes, *powers)


def squares_of_rows(summary: Summary, sliced: SliceUnits) -> FloatArray | None:
    """
    Return the sums of squared scores in [0, 1] over rows, slices by systems; nan if unknown.

    None for scores without two bounds, and for ratios, whose rows of 0 and 1 are their own squares.
    """
    if sliced.metric.interval != "bounded" or sliced.metric.has_parts_of_one:
        return None
    keys, known = sliced.keys, summary.comparison_sums.frames.get(f"squares {sliced.metric.name}")
    # Cells of two systems, used to find slices, have only the squares of changes.
    if known is None:
        return np.full(sliced.totals[0].shape, np.nan)
    sums = pl.col([f"square_{system}" for system in range(len(summary.systems))]).sum()
    of_slices = grouped(explode_lists(known, keys).lazy(), keys, [sums]).sort(keys).drop(keys)
    return of_slices.collect(engine="in-memory").to_numpy()
