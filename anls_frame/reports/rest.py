"""
Test whether a slice scores differently from the other rows.

The statistic is the difference d between the mean (or rate) of a slice and that of all other rows. Under the
null hypothesis both equal the mean r of all rows, so residuals are taken from r. A slice whose few rows
happen to be equal is then not treated as having no spread.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import polars as pl

from anls_frame.summary import fixed_point, folding, moments
from anls_frame.summary.keys import CLUSTER, explode_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.summary.measures import Metric

    Array = npt.NDArray[np.float64]


class _Null(NamedTuple):
    """What all rows share under the null hypothesis."""

    ratio: float
    """Mean score or rate."""
    unit: float
    """Rows divided by their total length, which expresses lengths in rows of mean length; 1 for means."""


class _Sums(NamedTuple):
    """Sums over the rows of each slice: x (scores or errors), y (rows or lengths), y², squared residuals."""

    x: Array
    y: Array
    yy: Array
    squares: Array


class _Variances(NamedTuple):
    """Two variances of the difference, and the degrees of freedom of the second."""

    shown: Array
    expected: Array
    df: Array


def against_rest(cells: pl.DataFrame, keys: Sequence[str], metric: Metric) -> pl.DataFrame:
    """
    Compare each slice with all rows outside it: keys, `n`, both means, their difference and p-values.

    t is d / √V, where V is the larger of two variances of d: the observed one, Σe² over the clusters, with
    e = u_S / Y_S - u_R / Y_R for the residuals u inside and outside the slice; and the one expected from the
    common variance and intraclass correlation of rows. The first alone is too small for slices of few rows
    that are all right. With w, the contribution of each cluster to the second, t has (Σw)² / Σw² - 1 degrees
    of freedom.
    """
    import numpy as np  # noqa: PLC0415 - a third of the package's import time

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    has_clusters = CLUSTER in cells.columns
    all_keys = [column for column in cells.columns if column.startswith("key_")]
    rows = folding.without_clusters(cells, all_keys) if has_clusters else cells
    counted = moments.roll_up(rows, keys, [metric])
    whole = moments.roll_up(rows, [], [metric])
    x, y, n = (float(whole[name][0]) for name in (*metric.moments()[:2], "n"))
    null = _Null(x / y, n / y) if y else _Null(np.nan, np.nan)
    inside, everything = _sums(counted, metric, null), _sums(whole, metric, null)
    outside = _Sums(*(total - part for part, total in zip(inside, everything, strict=True)))
    testable = (inside.y > 0) & (outside.y > 0)
    inside, outside = (part._replace(y=np.where(testable, part.y, np.nan)) for part in (inside, outside))
    difference = inside.x / inside.y - outside.x / outside.y
    if has_clusters:
        of_cluster = _clusters(cells, keys, metric, null), _clusters(cells, [], metric, null)
        variances = _by_cluster(*of_cluster, (inside, outside, everything))
    else:
        variances = _by_row(inside, outside, everything)
    variance = np.maximum(variances.shown, variances.expected)
    spread = variance > 0
    t = difference / np.sqrt(np.where(spread, variance, 1.0))
    p = np.where(spread, statistics.t_two_sided(t, np.maximum(variances.df, 1)), 1.0)
    p = np.where(testable, p, np.nan)
    return counted.select(
        *keys,
        "n",
        pl.Series(metric.name, inside.x / inside.y, nan_to_null=True),
        pl.Series("rest", outside.x / outside.y, nan_to_null=True),
        pl.Series("difference", difference, nan_to_null=True),
        pl.Series("p_value", p, nan_to_null=True),
        pl.Series("p_adjusted", statistics.holm(p), nan_to_null=True),
    )


def _sums(counted: pl.DataFrame, metric: Metric, null: _Null) -> _Sums:
    """Return the sums of slices over their rows, regardless of clusters."""
    import numpy as np  # noqa: PLC0415 - a third of the package's import time

    x, y, xy, yy, bracket = (
        counted[name].cast(pl.Float64).to_numpy()
        for name in (*metric.moments()[:2], *metric.moments()[3:5], metric.bracket)
    )
    # From the spread around the slice's own figure, which is exact even for scores far larger than it.
    own = np.divide(x, y, out=np.zeros_like(x), where=y > 0)
    off = own - null.ratio
    squares = np.maximum(bracket + 2 * off * (xy - own * yy) + off * off * yy, 0.0)
    return _Sums(null.unit * x, null.unit * y, null.unit**2 * yy, null.unit**2 * squares)


def _by_row(inside: _Sums, outside: _Sums, everything: _Sums) -> _Variances:
    """Return the variances with rows as the units."""
    shown = inside.squares / inside.y**2 + outside.squares / outside.y**2
    weight = 1 / inside.y + 1 / outside.y
    squared_weights = inside.yy / inside.y**4 + outside.yy / outside.y**4
    return _Variances(shown, everything.squares / everything.y * weight, weight**2 / squared_weights - 1)


def _clusters(cells: pl.DataFrame, keys: Sequence[str], metric: Metric, null: _Null) -> pl.DataFrame:
    """Return the size and residual of each cluster in each slice, in key order."""
    cells = explode_lists(cells, keys)
    x, y = metric.floats(metric.columns[:2], fixed_point.scales(cells) if metric.has_scales else [])
    sums = [(null.unit * y).alias("size"), (null.unit * (x - null.ratio * y)).alias("residual")]
    return cells.group_by(*keys, CLUSTER).agg(sums).sort(*keys, CLUSTER)


def _by_cluster(sliced: pl.DataFrame, whole: pl.DataFrame, sums: tuple[_Sums, _Sums, _Sums]) -> _Variances:
    """Return the variances with clusters as the units, for the intraclass correlation of all rows."""
    import numpy as np  # noqa: PLC0415 - a third of the package's import time

    inside, outside, everything = sums
    keys = [column for column in sliced.columns if column.startswith("key_")]
    place = sliced.select(pl.struct(keys).rle_id()).to_series().to_numpy()
    paired = sliced.join(whole, on=CLUSTER, how="left", nulls_equal=True, maintain_order="left")
    size, u, whole_size, whole_u = (
        paired[name].to_numpy() for name in ("size", "residual", "size_right", "residual_right")
    )
    sizes, residuals = whole["size"].to_numpy(), whole["residual"].to_numpy()
    squares = float(everything.squares[0])
    alike = _correlation(sizes, float(residuals @ residuals) / squares if squares > 0 else 1.0)
    slice_y, rest_y = inside.y[place], outside.y[place]

    def weight(size: Array) -> Array:
        outside_size = whole_size - size
        independent = size / slice_y**2 + outside_size / rest_y**2
        common = (size / slice_y - outside_size / rest_y) ** 2
        return np.asarray((1 - alike) * independent + alike * common)

    def over_clusters(of_pair: Array, without: Array, of_all: float, power: int) -> Array:
        # The sum over all clusters as if no row were inside, corrected for those that reach into the slice.
        return np.asarray(of_all / outside.y**power + np.bincount(place, of_pair - without, len(inside.y)))

    effect, without = u / slice_y - (whole_u - u) / rest_y, whole_u / rest_y
    shown = over_clusters(effect**2, without**2, float(residuals @ residuals), 2)
    weights, without = weight(size), weight(np.zeros_like(size))
    unit = (1 - alike) * sizes + alike * sizes**2
    total = over_clusters(weights, without, float(unit.sum()), 2)
    squared = over_clusters(weights**2, without**2, float(unit @ unit), 4)
    return _Variances(shown, squares / everything.y * total, total**2 / squared - 1)


def _correlation(sizes: Array, design: float) -> float:
    """Return the intraclass correlation of rows in clusters of these sizes, from their design effect."""
    more = float(sizes @ sizes) / float(sizes.sum()) - 1
    return min(max((design - 1) / more, 0.0), 1.0) if more > 0 else 0.0
