"""
The bracket: the spread of units about the ratio of their sums, Σ(x - ry)² with r = Σx / Σy.

The bracket equals Σx² - 2rΣxy + r²Σy². If scores are large relative to their spread, such as time stamps,
these terms cancel and leave only rounding errors; the bracket is then computed from integer sums.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import polars as pl

from anls_frame.summary.measures import Metric

_CANCELLED = 1e-3
"""Ratio of the bracket to its terms below which floats have lost digits."""

_EXACT = 2.0**51
"""Products of integers below this are exact, and so are their sums."""

_ROUNDED = 2.0**-50
"""Squares of shares and rates are rounded, so a spread below this fraction of them counts as 0 ..."""

_CUT = 2.0**-60
"""... and so does a spread below this per unit, because they are truncated."""


def columns(
    slices: pl.DataFrame, moments: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]
) -> list[pl.Series]:
    """Return the brackets of each metric, from the sums in `slices` (floats) and `moments` (integers)."""
    # Arrays of metrics by slices.
    x, y, xx, xy, yy = np.array(
        [[slices[name].to_numpy() for name in metric.moments()[:5]] for metric in metrics]
    ).swapaxes(0, 1)
    ratio = np.divide(x, y, out=np.zeros_like(x), where=y > 0)
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
    sums = pl.col("units", *metric.moments()[:5]).sum()
    # Sorted like the slices, by the keys.
    lines = moments.group_by(keys).agg(sums).sort(keys) if keys else moments.select(sums)
    bits = 2 * metric.bits
    for units, x, y, xx, xy, yy in lines.filter(pl.Series(chosen)).drop(keys).iter_rows():
        whole = (xx << (bits - metric.square_bits)) * y * y - 2 * x * y * xy + x * x * yy
        bracket = whole / ((y * y) << bits)
        squares = math.ldexp(xx, -metric.square_bits)
        noise = _ROUNDED * squares + _CUT * units if bits else 0.0
        yield bracket if bracket > noise else 0.0
