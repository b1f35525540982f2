"""
Aggregation of cells to slices: the sums of each slice, and the moments that its intervals need.

Sums are integers, converted to floats at the end (see `fixed_point`); sums of custom scores are floats.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import chain

import numpy as np
import numpy.typing as npt
import polars as pl

from anls_frame.statistics.arrays import divided
from anls_frame.summary import fixed_point
from anls_frame.summary.buckets import BUCKETS, bucket_of
from anls_frame.summary.cells import add_up, grouped
from anls_frame.summary.keys import CLUSTER, explode_lists
from anls_frame.summary.measures import COUNTS, Metric
from anls_frame.summary.own_metrics import LARGEST_SIZE

SIZES = ("n_squares", "n_cubes", "n_fourths")
"""Sums of powers of the units' row counts."""

_LARGEST = 1 << 29
"""Row counts are capped at this before cubes and fourth powers are added, so that 128 bits are enough."""

_LARGEST_SUM = 2.0**63
"""Sums of both parts of a custom ratio must be smaller, so that their squares fit into 128 bits."""

_CELLS_OF_A_PART = 1 << 15
"""Number of cells above which those of clusters are added up in parts."""


def roll_up(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """
    Add up cells to slices: one row each, with the keys, counts, `units`, sizes, and moments of the metrics.

    A cell counts in the slice of each entry of a list key. The units are clusters if there are any, otherwise
    rows. Cells of custom scores hold a single metric.
    """
    if any(metric.is_own_mean for metric in metrics):
        return _own_mean_slices(explode_lists(cells, keys), keys, metrics[0])
    return _slices(_exact_moments(cells, keys, metrics), keys, metrics)


def _exact_moments(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return the integer sums that `roll_up` needs."""
    if CLUSTER not in cells.columns or cells.height <= _CELLS_OF_A_PART:
        return _moments_of_part(cells, keys, metrics)
    # Parts of whole clusters fit into the caches, and only one at a time is in memory with its products.
    count = min(-(-cells.height // _CELLS_OF_A_PART), BUCKETS)
    part = bucket_of(cells[CLUSTER]) * count // BUCKETS
    every = (cells.filter(part == number) for number in range(count))
    whole = pl.concat([_moments_of_part(own, keys, metrics) for own in every])
    return grouped(whole, keys, [pl.all().sum()])


def _moments_of_part(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    cells = explode_lists(cells, keys)
    values = [name for name in cells.columns if name != CLUSTER and not name.startswith("key_")]
    if CLUSTER not in cells.columns:
        return grouped(cells, keys, [pl.col(values).sum()]).select(*keys, *_row_columns(metrics))
    # A cluster can have several cells in a slice, so they are added up before they are squared.
    clusters = grouped(cells.lazy(), [*keys, CLUSTER], [pl.col(values).sum()])
    return grouped(clusters, keys, _cluster_columns(metrics)).collect(engine="in-memory")


def sums_of_rows(metric: Metric) -> tuple[pl.Expr, pl.Expr, pl.Expr]:
    """Return Σx, n and Σ(x - mean)² of the rows of each cell, for a mean."""
    x, n, squares = (pl.col(name) for name in metric.columns[:3])
    if metric.is_own_mean:
        return x, n.cast(pl.Float64), squares
    x, squares = fixed_point.floats(x, metric.bits), fixed_point.floats(squares, metric.square_bits)
    return x, n.cast(pl.Float64), pl.when(n > 0).then(squares - x * x / n).otherwise(0.0)


def _own_mean_slices(cells: pl.DataFrame, keys: Sequence[str], metric: Metric) -> pl.DataFrame:
    """Return the slices of custom scores, from deviations in place of differences of squares."""
    x, n, spread = sums_of_rows(metric)
    squares = pl.when(n > 0).then(spread + x * x / n).otherwise(0.0)
    names = metric.moments()
    values = [name for name in cells.columns if name != CLUSTER and not name.startswith("key_")]
    # By their values, so that equal cells give equal sums of floats in any order and of any keys.
    cells = cells.sort(values)
    rows = add_up([cells.select(*keys, *values)], keys).sort(keys)
    row_sums = (x.alias(names[0]), n.alias(names[1]), squares.alias(names[5]))
    if CLUSTER not in cells.columns:
        moments = zip(("units", *SIZES, *names[2:5]), (pl.col("n"), n, n, n, squares, x, n), strict=True)
        columns = [column.alias(name) for name, column in moments]
        return rows.select(*keys, *COUNTS, *row_sums, *columns, spread.alias(metric.bracket))
    # A cluster can have several cells in a slice, so they are added up before they are squared.
    sums = pl.col("n", "score_sum").sum()
    by_cluster = grouped(cells.lazy(), [*keys, CLUSTER], [sums], in_order=True)
    clusters = by_cluster.collect(engine="in-memory").sort("n", "score_sum")
    off = x - x.sum() / n.sum() * n
    powers = zip(
        (*SIZES, *names[2:5], metric.bracket), (n**2, n**3, n**4, x * x, x * n, n * n, off * off), strict=True
    )
    columns = [
        (pl.col("n") > 0).sum().cast(pl.Int64).alias("units"),
        *(power.sum().alias(name) for name, power in powers),
    ]
    of_slices = grouped(clusters.lazy(), keys, columns, in_order=True).sort(keys).drop(keys)
    units = of_slices.collect(engine="in-memory")
    # Equal scores have no spread, however their sums are rounded.
    bracket = pl.when(spread > 0).then(metric.bracket).otherwise(0.0).alias(metric.bracket)
    return rows.hstack(units).select(*keys, *COUNTS, *row_sums, *units.drop(metric.bracket).columns, bracket)


def _slices(moments: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return the slices from their integer sums, in the order of their keys."""
    result = grouped(moments.lazy(), keys, _as_floats(metrics)).sort(keys).collect(engine="in-memory")
    if not metrics:
        return result
    squares = [*chain.from_iterable(metric.moments()[2::3] for metric in metrics)]
    fits = [pl.col(squares) >= 0]
    fits += [pl.col(metric.moments()[:2]) < _LARGEST_SUM for metric in metrics if metric.fractions]
    if not result.select(pl.all_horizontal(fits).all()).item():
        raise OverflowError(
            "the sums of the squared scores are too large to be added up exactly; divide the scores by a "
            "power of ten"
        )
    return result.hstack(_brackets(result, moments, keys, metrics))


def _row_columns(metrics: Sequence[Metric]) -> list[pl.Expr]:
    """Return the counts and moments of slices, with rows as the units, from the sums of their cells."""
    return [
        pl.col(*COUNTS),
        pl.col("n").alias("units"),
        *(pl.col("n").cast(pl.Int128).alias(size) for size in SIZES),
        *(
            pl.col(column).cast(pl.Int128).alias(name)
            for metric in metrics
            for column, name in zip(metric.columns, metric.integers(), strict=True)
        ),
    ]


def _cluster_columns(metrics: Sequence[Metric]) -> list[pl.Expr]:
    """Return the counts and moments of slices, with clusters as the units, from the sums of the clusters."""
    n, capped = pl.col("n").cast(pl.Int128), pl.col("n").clip(upper_bound=_LARGEST).cast(pl.Int128)
    sizes = [n * n, capped * capped * capped, capped * capped * capped * capped]
    return [
        pl.col(*COUNTS).sum(),
        (pl.col("n") > 0).sum().cast(pl.Int64).alias("units"),
        *(power.sum().alias(size) for size, power in zip(SIZES, sizes, strict=True)),
        *(moment.sum() for moment in chain.from_iterable(map(_cluster_moments, metrics))),
    ]


def _as_floats(metrics: Sequence[Metric]) -> list[pl.Expr]:
    """Return the counts of slices, and their moments as floats, from integer sums."""
    bits = dict.fromkeys(SIZES, 0)
    for metric in metrics:
        bits |= metric.integers()
    sums = {name: fixed_point.floats(pl.col(name).sum(), unit) for name, unit in bits.items()}
    for metric in metrics:
        for name, fraction in metric.fractions.items():
            sums[name] += sums.pop(fraction)
    return [pl.col(*COUNTS, "units").sum(), *(value.alias(name) for name, value in sums.items())]


def _cluster_moments(metric: Metric) -> list[pl.Expr]:
    """Return the moments of a cluster, in the same units as those of a row."""
    x, y, squares = (pl.col(column).cast(pl.Int128) for column in metric.columns[:3])
    size = y.clip(upper_bound=LARGEST_SIZE)
    value = fixed_point.floats(x, metric.bits)
    xx = fixed_point.in_units(value * value, metric.square_bits) if metric.bits else x * x
    moments = [x, y, xx, x * y, y * y, squares]
    if metric.fractions:
        own, of_rows = pl.col("numerator_fraction"), pl.col("numerator_square_fraction")
        xx, xx_fraction, xy, xy_fraction = fixed_point.products(x, own, y)
        moments[2:4] = xx, xy
        moments += [size * size * size, size * size * size * size, own, xx_fraction, xy_fraction, of_rows]
    return [moment.alias(name) for moment, name in zip(moments, metric.integers(), strict=True)]


_CANCELLED = 1e-3
"""Ratio of the bracket to its terms below which floats have lost digits."""

_EXACT = 2.0**51
"""Products of integers below this are exact, and so are their sums."""

_ROUNDED = 2.0**-50
"""Squares of shares and rates are rounded, so a spread below this fraction of them counts as 0 ..."""

_CUT = 4.0
"""... and so does a spread below this, in units of squares for each row or cluster: squares are truncated."""


def _brackets(
    slices: pl.DataFrame, moments: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]
) -> list[pl.Series]:
    """
    Return the brackets of each metric, from the sums in `slices` (floats) and `moments` (integers).

    The bracket is the spread of units about the ratio of their sums, Σ(x - ry)² with r = Σx / Σy. It equals
    Σx² - 2rΣxy + r²Σy². If scores are large relative to their spread, such as time stamps, these terms cancel
    and leave only rounding errors; the bracket is then computed from integer sums.
    """
    # Arrays of metrics by slices.
    x, y, xx, xy, yy = np.array(
        [[slices[name].to_numpy() for name in metric.moments()[:5]] for metric in metrics]
    ).swapaxes(0, 1)
    ratio = divided(x, y, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        terms = np.stack((xx, -2 * ratio * xy, ratio * ratio * yy))
        bracket = terms.sum(axis=0)
        # In most slices without spread, all rows are right or all are wrong, so the sums are small integers.
        whole = np.stack((xx * y * y, x * y * xy, x * x * yy))
        exact = (np.abs(whole) < _EXACT).all(axis=0)
        exact &= np.logical_and.reduce([values == np.floor(values) for values in (x, y, xx, xy, yy)])
        exactly = (whole[0] - 2 * whole[1] + whole[2]) / np.where(exact & (y > 0), y * y, 1.0)
        bracket = np.where(exact, exactly, bracket)
        cancelled = ~(bracket > _CANCELLED * np.abs(terms).sum(axis=0)) & ~exact & (y > 0)
    # One unit has no variance.
    cancelled &= slices["units"].to_numpy() > 1
    for metric, values, chosen in zip(metrics, bracket, cancelled, strict=True):
        if chosen.any():
            values[chosen] = list(_exact_brackets(chosen, moments, keys, metric))
    return [pl.Series(metric.bracket, values) for metric, values in zip(metrics, bracket, strict=True)]


def _exact_brackets(
    chosen: npt.NDArray[np.bool_], moments: pl.DataFrame, keys: Sequence[str], metric: Metric
) -> Iterable[float]:
    names = metric.moments()[:5]
    fractions = [fraction for name, fraction in metric.fractions.items() if name in names]
    # Sorted like the slices, by the keys.
    lines = grouped(moments, keys, [pl.col("units", *names, *fractions).sum()]).sort(keys)
    for units, x, y, xx, xy, yy, *rest in lines.filter(pl.Series(chosen)).drop(keys).iter_rows():
        bits, square_bits = metric.bits, metric.square_bits
        if any(rest):
            bits = square_bits = fixed_point.FRACTION_BITS
            x, xx, xy = ((value << bits) + part for value, part in zip((x, xx, xy), rest, strict=True))  # noqa: PLW2901
        whole = (xx << (2 * bits - square_bits)) * y * y - 2 * x * y * xy + x * x * yy
        bracket = whole / ((y * y) << (2 * bits))
        squares = math.ldexp(xx, -square_bits)
        noise = _ROUNDED * squares + math.ldexp(_CUT * units, -square_bits) if bits else 0.0
        yield bracket if bracket > noise else 0.0
