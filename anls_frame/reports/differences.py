"""Differences between two systems by slice: means with intervals and tests."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.reports.estimates import are_few, where_several
from anls_frame.reports.signs import of_clusters, of_rows, sizes
from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import SCALE
from anls_frame.summary.keys import CLUSTER, explode_lists, key_names
from anls_frame.summary.moments import SIZES
from anls_frame.summary.system_rows import columns, scores
from anls_frame.summary.system_sums import ROWS, bits, pairs

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.statistics.step_down import Units
    from anls_frame.statistics.student import FloatArray
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.systems_summary import SystemsSummary

RESULT_COLUMNS = (
    "n",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "p_adjusted",
    "wins",
    "ties",
    "losses",
    "few_rows",
    "n_clusters",
    "slice",
)

RATE_PARTS = ("first_errors", "first_length", "second_errors", "second_length")
"""The sums from which the corpus rates of both systems are computed."""

LEAST_UNITS = 2
"""Smallest number of units for a p-value; a single unit shows no spread."""

VOTES = ("wins", "ties", "losses")
_SCORES = ("first", "second", "difference")

_ROUNDING = 1e-12


@dataclass(frozen=True, kw_only=True)
class Differences:
    """
    Sums of the scores of two systems by cell, exact as described in `anls_frame.summary.fixed_point`.

    A cell is a combination of `by` values and a unit: the cluster or, without clusters, the difference second
    minus first, so that rows with equal differences are counted together. For corpus rates, a cell holds the
    errors and lengths of both systems: the sums of a cluster or, without clusters, the values that `n` rows
    share. `votes` compare the scores of rows. No difference is larger than `largest`.
    """

    cells: pl.DataFrame
    votes: pl.DataFrame
    has_clusters: bool
    largest: float
    is_corpus: bool
    bits: int

    def voted(self, keys: Sequence[str]) -> pl.DataFrame:
        """Return the counts of wins, ties and losses of each slice, in the order of the keys."""
        votes = explode_lists(self.votes, keys)
        sums = pl.col(VOTES).sum()
        return votes.group_by(keys).agg(sums).sort(keys).drop(keys) if keys else votes.select(sums)


def between(summary: SystemsSummary, metric: Metric, first: int, second: int) -> Differences:
    """Return the differences in one metric between two of the systems, by their places."""
    settings, sums = summary.settings, summary.sums
    keys = key_names(settings.by, None)
    has_clusters = settings.cluster is not None
    exponent = bits(metric, len(summary.systems))
    number = pairs(len(summary.systems)).index((min(first, second), max(first, second)))
    votes = sums.votes[metric.name].filter(pl.col("pair") == number).drop("pair")
    if first > second:
        votes = votes.rename({"wins": "losses", "losses": "wins"})
    if has_clusters:
        cells = _of_clusters(sums.cells[metric.name], keys, metric, (first, second))
    else:
        place = [one.name for one in settings.metrics].index(metric.name)
        everybody = scores(place, len(summary.systems))
        rows = sums.cells[ROWS].filter(pl.all_horizontal(pl.col(everybody).is_not_null()))
        cells = _of_rows(rows, keys, place, metric, (first, second), exponent)
    return Differences(
        cells=cells,
        votes=votes,
        has_clusters=has_clusters,
        largest=metric.span[1] if metric.span else math.inf,
        is_corpus=metric.is_ratio,
        bits=exponent,
    )


def _of_clusters(
    cells: pl.DataFrame, keys: Sequence[str], metric: Metric, pair: tuple[int, int]
) -> pl.DataFrame:
    unit = pl.col(CLUSTER).alias("unit")
    if metric.is_ratio:
        parts = [f"{which}_{system}" for system in pair for which in "xy"]
        named = [pl.col(name).alias(part) for name, part in zip(parts, RATE_PARTS, strict=True)]
        return cells.select(*keys, "n", unit, *named)
    first, second = (pl.col(f"x_{system}").cast(pl.Int128) for system in pair)
    return cells.select(*keys, SCALE, "n", unit, first=first, second=second, difference=second - first)


def _of_rows(  # noqa: PLR0917 - of one call
    rows: pl.DataFrame,
    keys: Sequence[str],
    place: int,
    metric: Metric,
    pair: tuple[int, int],
    exponent: int,
) -> pl.DataFrame:
    names = [columns(place, metric, system) for system in pair]
    if metric.is_ratio:
        parts = zip((name for one in names for name in one[1:]), RATE_PARTS, strict=True)
        named = [pl.col(name).cast(pl.Int64).alias(part) for name, part in parts]
        return rows.select(*keys, "n", *named).group_by(*keys, *RATE_PARTS).agg(pl.col("n").sum())
    (first, *_), (second, *_) = names
    scored = rows.select(*keys, "n", unit=pl.col(second) - pl.col(first), first=first, second=second)
    scored = scored.with_columns(fixed_point.scale_of(pl.max_horizontal(pl.col("first", "second").abs())))
    number = pl.col("n").cast(pl.Int128)
    units = {
        name: fixed_point.units(fixed_point.scaled(pl.col(name), pl.col(SCALE)), exponent) * number
        for name in ("first", "second")
    }
    scored = scored.with_columns(**units).with_columns(difference=pl.col("second") - pl.col("first"))
    return scored.group_by(*keys, "unit", SCALE).agg(pl.col("n", *_SCORES).sum())


def slices(
    differences: Differences, keys: Sequence[str], *, confidence: float, draws: int, seed: int
) -> pl.DataFrame:
    """Return one row per slice: means, difference with interval and p-values, counts."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    grouped, units = _rolled_up(differences, keys)
    n, x, xx, xy, yy = (
        grouped[name].cast(pl.Float64).to_numpy() for name in ("n", "difference", "xx", "xy", "yy")
    )
    count = statistics.effective_units(n, yy)
    mean = np.divide(x, n, out=np.full_like(x, np.nan), where=n > 0)
    variance = statistics.ratio_variance(count, x, n, xx, xy, yy)
    low, high = statistics.t_interval(mean, variance, count, confidence)
    low, high = (np.clip(end, -differences.largest, differences.largest) for end in (low, high))
    test = _sign_flip if differences.has_clusters else _sign_flip_rows
    p_values = np.array([test(row, draws, seed) for row in grouped.iter_rows(named=True)], np.float64)
    figures = {
        **{
            name: np.divide(grouped[name].to_numpy(), n, out=np.full_like(n, np.nan), where=n > 0)
            for name in ("first", "second")
        },
        "difference": mean,
        "difference_low": low,
        "difference_high": high,
        "p_value": p_values,
        "p_adjusted": _adjusted(units, p_values, draws, seed),
    }
    return named_columns(
        grouped, keys, figures, grouped["carrying"].to_numpy(), has_clusters=differences.has_clusters
    )


def carriers(
    deviations: FloatArray, scale: FloatArray, slice_of: npt.NDArray[np.int64], slices: int
) -> FloatArray:
    """
    Return the effective number of units that carry a slice's deviations, above or below, whichever is fewer.

    Parameters
    ----------
    deviations
        Deviation of each unit from the figure of its slice.
    scale
        Size of the numbers that were subtracted; a deviation that is tiny in comparison is rounding.
    slice_of
        Index of each unit's slice.
    slices
        Number of slices.
    """
    import numpy as np  # noqa: PLC0415 - only to compare

    far = np.where(np.abs(deviations) > _ROUNDING * scale, deviations, 0.0)
    far /= np.abs(far).max(initial=0.0) or 1.0  # so that squares stay in range

    def carried(side: FloatArray) -> FloatArray:
        total, squares = (np.bincount(slice_of, values, slices) for values in (side, side * side))
        return np.divide(total**2, squares, out=np.zeros(slices), where=squares > 0)

    return np.minimum(carried(np.maximum(far, 0.0)), carried(np.maximum(-far, 0.0)))


def carriers_of_columns(deviations: FloatArray, scale: FloatArray) -> FloatArray:
    """Return the same for a table with a line for each unit of a slice and a column for each difference."""
    import numpy as np  # noqa: PLC0415 - only to compare

    far = np.where(np.abs(deviations) > _ROUNDING * scale, deviations, 0.0)
    far /= np.abs(far).max(axis=0, initial=np.finfo(np.float64).tiny)

    def carried(side: FloatArray) -> FloatArray:
        total, squares = side.sum(axis=0), np.einsum("ij,ij->j", side, side)
        return np.asarray(
            np.divide(total**2, squares, out=np.zeros(len(total)), where=squares > 0), np.float64
        )

    return np.asarray(np.minimum(*(carried(np.maximum(side, 0.0)) for side in (far, -far))), np.float64)


def size_powers(*, has_clusters: bool) -> list[pl.Expr]:
    """Return sums of powers of the units' sizes; without clusters, each of the `n` rows is a unit."""
    n = pl.col("n").cast(pl.Float64)
    return [(n**power if has_clusters else n).sum().alias(name) for power, name in enumerate(SIZES, start=2)]


def named_columns(
    grouped: pl.DataFrame,
    keys: Sequence[str],
    figures: Mapping[str, FloatArray],
    carrying: FloatArray,
    *,
    has_clusters: bool,
) -> pl.DataFrame:
    """Return the columns of a comparison in order; undefined values are null."""
    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    powers = [grouped[name].cast(pl.Float64).to_numpy() for name in ("n", *SIZES)]
    several = where_several(powers[0], powers[1], carrying)
    few = are_few(powers[0], statistics.effective_units(*powers), several)
    return grouped.select(
        *keys,
        "n",
        **{name: pl.Series(values, nan_to_null=True) for name, values in figures.items()},
        wins="wins",
        ties="ties",
        losses="losses",
        few_rows=pl.Series(few),
        n_clusters=pl.col("units") if has_clusters else pl.lit(None, pl.Int64),
    )


def _adjusted(units: Units, p_values: FloatArray, draws: int, seed: int) -> FloatArray:
    """Adjust the p-values for their number; slices without one are not part of the family."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame.statistics import step_down  # noqa: PLC0415 - imports numpy

    tested = ~np.isnan(p_values)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[tested] = step_down.of_means(units.of_columns(tested), p_values[tested], draws=draws, seed=seed)
    return adjusted


def _rolled_up(differences: Differences, keys: Sequence[str]) -> tuple[pl.DataFrame, Units]:
    """
    Return counts, sums and moments of each slice, in key order, and the differences of its units.

    A unit is a cluster, or a row with the difference of its cell.
    """
    cells = explode_lists(differences.cells, keys)
    present = fixed_point.scales(cells)
    sums = [
        pl.col("n").sum(),
        *(fixed_point.scaled_floats(name, present, differences.bits).alias(name) for name in _SCORES),
    ]
    whole = cells.group_by(keys).agg(sums).sort(keys) if keys else cells.select(sums)
    units = cells.group_by(*keys, "unit").agg(sums).sort(*keys, "unit")
    n, x = pl.col("n").cast(pl.Float64), pl.col("difference" if differences.has_clusters else "unit")
    products = {"xx": x * x, "xy": x * n, "yy": n * n} if differences.has_clusters else {"xx": x * x * n}
    moments = fixed_point.float_sums(units.with_columns(**products), keys, list(products))
    if not differences.has_clusters:
        moments = moments.with_columns(xy=whole["difference"], yy=whole["n"])
    if differences.has_clusters:
        count, values, weights = pl.len().cast(pl.Int64), "difference", "difference"
    else:
        count, values, weights = pl.col("n").sum(), "unit", "n"
    lists = [
        count.alias("units"),
        pl.col(values).implode().alias("values"),
        pl.col(weights).implode().alias("weights"),
        *size_powers(has_clusters=differences.has_clusters),
    ]
    by_slice = units.group_by(keys, maintain_order=True).agg(lists) if keys else units.select(lists)
    if differences.has_clusters:
        signs = of_clusters(units, keys, ["difference"])
    else:
        signs = of_rows(differences.cells.rename({"unit": "value"}), keys, ["value"])
    carrying = _carriers_of_mean(whole, units, keys) if differences.has_clusters else pl.lit(math.inf)
    grouped = whole.hstack(differences.voted(keys)).hstack(moments).hstack(by_slice.drop(keys))
    return grouped.with_columns(carrying.alias("carrying")), signs


def _carriers_of_mean(whole: pl.DataFrame, units: pl.DataFrame, keys: Sequence[str]) -> pl.Series:
    import numpy as np  # noqa: PLC0415 - only to compare

    # Units are sorted by slice.
    slice_of = np.repeat(np.arange(whole.height), sizes(units, keys))
    mean = (whole["difference"] / whole["n"]).to_numpy()[slice_of]
    x, expected = units["difference"].to_numpy(), mean * units["n"].to_numpy()
    return pl.Series(carriers(x - expected, np.abs(x) + np.abs(expected), slice_of, whole.height))


def least_units(alpha: float, draws: int) -> int:
    """Return the smallest number of units G whose smallest possible p-value, 2 / 2^G, is at most alpha."""
    if alpha * (1 + draws) < 1:  # p is at least 1 / (1 + draws) too
        return sys.maxsize
    return max(LEAST_UNITS, 1 + math.ceil(-math.log2(alpha) - 1e-12))


def untestable(slices: pl.DataFrame, alpha: float, draws: int) -> pl.DataFrame:
    """Return the slices with too few units to reach a p-value of alpha."""
    return slices.filter(pl.coalesce("n_clusters", "n") < least_units(alpha, draws))


def _sign_flip(row: dict[str, Any], draws: int, seed: int) -> float:
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    # 0.1 + 0.2 and 0.3 differ in the last digit. Such sums must be equal, or the draws would be assigned to
    # other clusters.
    sums = np.asarray(row["weights"], np.float64)
    if len(sums) < LEAST_UNITS:
        return math.nan
    scale = 2.0 ** math.frexp(np.abs(sums).max(initial=0.0))[1]
    return statistics.sign_flip(np.round(sums / scale, 12), draws=draws, seed=seed)


def _sign_flip_rows(row: dict[str, Any], draws: int, seed: int) -> float:
    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    if row["units"] < LEAST_UNITS:
        return math.nan
    return statistics.sign_flip_counts(row["values"], row["weights"], draws=draws, seed=seed)
