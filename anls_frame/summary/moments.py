"""
From cells to slices: the sums of each slice and the moments that its intervals need.

All sums are integers, which are converted to floats at the end: see `fixed_point`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.summary import brackets, fixed_point
from anls_frame.summary.buckets import BUCKETS, bucket_of
from anls_frame.summary.fixed_point import REST_BITS, SCALE, SCALED_BITS
from anls_frame.summary.keys import CLUSTER, explode_lists
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.own_metrics import LARGEST_SIZE

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.summary.measures import Metric

SIZES = ("n_squares", "n_cubes", "n_fourths")
"""Sums of powers of the units' row counts."""

_LARGEST = 1 << 29
"""Row counts are capped at this before cubes and fourth powers are added, so that 128 bits are enough."""

_CELLS_OF_A_PART = 1 << 15
"""Number of cells above which those of clusters are added up in parts."""


def roll_up(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """
    Add up cells to slices: one row each, with the keys, counts, `units`, sizes, and moments of the metrics.

    A cell counts in each entry of a list key. The units are clusters if there are any, otherwise rows. Cells
    with scales hold a single metric.
    """
    return _slices(_exact_moments(cells, keys, metrics), keys, metrics)


def _exact_moments(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return the integer sums that `roll_up` needs."""
    if CLUSTER not in cells.columns or cells.height <= _CELLS_OF_A_PART:
        return _moments_of_part(cells, keys, metrics)
    # Parts of whole clusters fit into the caches, and only one at a time is in memory with its products.
    count = min(-(-cells.height // _CELLS_OF_A_PART), BUCKETS)
    place = bucket_of(cells[CLUSTER]) * count // BUCKETS
    order = None
    if place.rle_id()[-1] >= count:  # they are in order if `summarize` has just made them
        order = place.arg_sort()
        place = place.gather(order)
    parts, start = [], 0
    for length in place.rle().struct.field("len"):
        rows = slice(start, start + length)
        parts.append(_moments_of_part(cells[rows] if order is None else cells[order[rows]], keys, metrics))
        start += length
    whole = pl.concat(parts)
    lines = [column for column in whole.columns if column in keys or column == SCALE]
    return _sums(whole, lines, [column for column in whole.columns if column not in lines])


def _moments_of_part(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    cells = explode_lists(cells, keys)
    lines = [*keys, *(name for name in (SCALE,) if name in cells.columns)]
    values = [c for c in cells.columns if c not in (CLUSTER, SCALE) and not c.startswith("key_")]
    if CLUSTER not in cells.columns:
        return _sums(cells, lines, values).select(*lines, *_of_rows(tuple(metrics)))
    # A cluster can have several cells in a slice, so they are added up before they are squared.
    if SCALE in cells.columns:
        squares = _sums(cells, lines, ["score_square_units"])
        squares = squares.rename({"score_square_units": metrics[0].moments()[5]})
        clusters = _clusters_in_one_scale(cells, [*keys, CLUSTER])
    else:
        squares = None
        clusters = _sums(cells, [*keys, CLUSTER], values)
    columns = _of_clusters(tuple(metrics))
    moments_of = clusters.group_by(lines).agg(columns) if lines else clusters.select(columns)
    if squares is None:
        return moments_of
    # The squares of rows are in the scales of rows.
    whole = pl.concat([moments_of, squares], how="diagonal")
    return _sums(whole, lines, [column for column in whole.columns if column not in lines])


def _slices(moments: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return the slices from their integer sums, in the order of their keys."""
    columns = _as_floats(
        tuple(metrics), tuple(fixed_point.scales(moments) if SCALE in moments.columns else ())
    )
    result = moments.group_by(keys).agg(columns).sort(keys) if keys else moments.select(columns)
    if not metrics:
        return result
    squares = [name for metric in metrics for name in metric.moments()[2::3]]
    if not result.select((pl.col(squares) >= 0).all()).to_numpy().all():
        raise OverflowError("the sum of the squared scores is too large to be added up exactly")
    return result.with_columns(brackets.columns(result, moments, keys, metrics))


def _sums(cells: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    sums = [pl.col(value).sum() for value in values]
    return cells.group_by(keys).agg(sums) if keys else cells.select(sums)


# Polars takes longer to build these expressions than to evaluate them on the few cells of a small report.
_kept = lru_cache(maxsize=16)


@_kept
def _of_rows(metrics: tuple[Metric, ...]) -> list[pl.Expr]:
    """Return the counts and moments of slices, with rows as the units, from the sums of their cells."""
    return [
        pl.col(*COUNTS),
        pl.col("n").alias("units"),
        *(pl.col("n").cast(pl.Int128).alias(size) for size in SIZES),
        *(
            pl.col(column).cast(pl.Int128).alias(name)
            for metric in metrics
            for column, name in zip(metric.columns, metric.moments(), strict=True)
        ),
        *(pl.col("score_square_rest").alias(metric.rest) for metric in metrics if metric.has_scales),
    ]


@_kept
def _of_clusters(metrics: tuple[Metric, ...]) -> list[pl.Expr]:
    """Return the counts and moments of slices, with clusters as the units, from the sums of the clusters."""
    n, capped = pl.col("n").cast(pl.Int128), pl.col("n").clip(upper_bound=_LARGEST).cast(pl.Int128)
    sizes = [n * n, capped * capped * capped, capped * capped * capped * capped]
    return [
        pl.col(*COUNTS).sum(),
        (pl.col("n") > 0).sum().cast(pl.Int64).alias("units"),
        *(power.sum().alias(size) for size, power in zip(SIZES, sizes, strict=True)),
        *(moment.sum() for metric in metrics for moment in _cluster_moments(metric)),
    ]


@_kept
def _as_floats(metrics: tuple[Metric, ...], present: tuple[int, ...]) -> list[pl.Expr]:
    """Return the counts of slices, and their moments as floats, from integer sums in these scales."""
    return [
        pl.col(*COUNTS, "units").sum(),
        *(fixed_point.floats(pl.col(size).sum(), 0).alias(size) for size in SIZES),
        *(sums for metric in metrics for sums in metric.floats(metric.moments(), present)),
    ]


def _cluster_moments(metric: Metric) -> list[pl.Expr]:
    """Return the moments of a cluster, in the same units as those of a row."""
    x, y, squares = (pl.col(column).cast(pl.Int128) for column in metric.columns[:3])
    size = y.clip(upper_bound=LARGEST_SIZE)
    if metric.has_scales:
        squares = pl.lit(0, pl.Int128)
    value = fixed_point.floats(x, metric.bits)
    xx = fixed_point.units(value * value, metric.square_bits) if metric.bits else x * x
    moments = (x, y, xx, x * y, y * y, squares, size * size * size, size * size * size * size)
    # Only own ratios have the last two.
    named = [moment.alias(name) for moment, name in zip(moments, metric.moments(), strict=False)]
    if not metric.has_scales:
        return named
    return [*named, fixed_point.units(fixed_point.rest_of_square(value), REST_BITS).alias(metric.rest)]


def _clusters_in_one_scale(cells: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return cells of existing scores added up by cluster, each in the scale of its sum."""
    total = fixed_point.scaled_floats("score_units", fixed_point.scales(cells))
    clusters = cells.group_by(keys).agg(pl.col(COUNTS).sum(), total.alias("total"))
    value = pl.col("total")
    return clusters.with_columns(fixed_point.scale_of(value)).with_columns(
        score_units=fixed_point.units(fixed_point.scaled(value, pl.col(SCALE)), SCALED_BITS)
    )
