"""Means of slices with their intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame._rollup import Measure


def check_confidence(confidence: float) -> float:
    """Return the confidence level; an error unless it lies between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, int | float) or not 0 < confidence < 1:
        raise ValueError(f"confidence lies between 0 and 1, got {confidence!r}")
    return float(confidence)


def estimates(sums: pl.DataFrame, measures: Sequence[Measure], confidence: float) -> list[pl.Series]:
    """Mean and interval of each measure, as columns beside the slices."""
    import numpy as np  # noqa: PLC0415 - a third of the package's import time

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    # Stacked, measures by slices: a quantile for many values at once costs hardly more than for one.
    x, y, xx, xy, yy, squares = np.array(
        [[sums[name].to_numpy() for name in measure.moments()] for measure in measures]
    ).swapaxes(0, 1)
    n = np.broadcast_to(sums["n"].to_numpy(), x.shape)
    units = statistics.effective_units(y, yy)
    variance = statistics.ratio_variance(units, x, y, xx, xy, yy)
    mean = np.divide(x, y, out=np.full_like(x, np.nan), where=y > 0)
    low, high = np.empty_like(x), np.empty_like(x)
    for kind in {measure.kind for measure in measures}:
        at = [measure.kind == kind for measure in measures]
        match kind:
            case "bounded":
                low[at], high[at] = statistics.wilson_interval(
                    mean[at], variance[at], n[at], units[at], confidence, sum_squares=squares[at]
                )
            case "mean":
                low[at], high[at] = statistics.t_interval(mean[at], variance[at], units[at], confidence)
            case "corpus":
                low[at], high[at] = statistics.ratio_interval(
                    x[at], y[at], variance[at], units[at], confidence
                )
    return [
        pl.Series(f"{measure.name}{suffix}", values[row]).fill_nan(None)
        for row, measure in enumerate(measures)
        for suffix, values in (("", mean), ("_low", low), ("_high", high))
    ]
