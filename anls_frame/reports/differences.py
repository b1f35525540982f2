"""Differences between two systems: rows are summed by cell, and cells by slice, with tests."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames.conversion import to_lazy
from anls_frame.reports.estimates import are_few
from anls_frame.reports.signs import of_clusters, of_rows, sizes
from anls_frame.summary import fixed_point, own_metrics
from anls_frame.summary.cells import add_up, digest_text
from anls_frame.summary.fixed_point import SCALE
from anls_frame.summary.keys import CLUSTER, canonical, explode_lists, key_names, optional, sliced_keys
from anls_frame.summary.moments import SIZES
from anls_frame.summary.rows import digest_sums, predicted, score_details
from anls_frame.summary.slicing import check_values
from anls_frame.summary.systems import of_system

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy as np
    import numpy.typing as npt

    from anls_frame.statistics.step_down import Units
    from anls_frame.statistics.student import FloatArray
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.rows import Live
    from anls_frame.summary.settings import Settings

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

COUNTS = ("n", "wins", "ties", "losses")
_SIDES = ("first", "second")
_SCORES = ("first", "second", "difference")

_ROUNDING = 1e-12

_BITS = 64
"""Scores of a row are integer multiples of 2**-64 of the larger one's scale; sums of 2**46 rows fit."""


@dataclass(frozen=True, kw_only=True)
class Differences:
    """
    Sums of the scores by cell, exact as described in `anls_frame.summary.fixed_point`.

    A cell is a combination of `by` values and a unit: the cluster or, without clusters, the difference second
    minus first, so that rows with equal differences are counted together. The scale is that of the score with
    the larger absolute value. Scores are bounded if all lie in [0, 1].

    For corpus rates, a cell holds the errors and lengths of both systems: the sums of a cluster or, without
    clusters, the values that `n` rows share. Wins and losses compare the rates of rows.
    """

    cells: pl.DataFrame
    has_clusters: bool
    is_bounded: bool
    is_corpus: bool
    counts: dict[str, int]
    digests: tuple[str, str]
    orders: dict[str, list[str]]
    """The values of keys that have an order."""
    ends: tuple[float | None, float | None]
    """The lowest and the highest score."""


def collect(
    frame: Any,
    systems: Mapping[str, str],
    answers: str | None,
    live: Live,
    settings: Settings,
) -> Differences:
    """Score both systems and sum their differences, in one pass on the streaming engine."""
    (metric,) = live.metrics
    rows, orders = _both_scored(frame, systems, answers, live, settings)
    if settings.missing == "drop":
        scored_columns = ["difference", "first_digest", "second_digest"]
        rows = rows.with_columns(pl.when(~pl.col("missing")).then(pl.col(scored_columns)))
    is_corpus = metric.is_ratio
    units = list(RATE_PARTS) if is_corpus and settings.cluster is None else ["unit"]
    keys = [*key_names(settings.by, None), *units]
    unit = pl.col("difference" if settings.cluster is None else CLUSTER).alias("unit")
    larger = pl.max_horizontal(pl.col("first").abs(), pl.col("second").abs())
    scored = rows.filter(pl.col("difference").is_not_null()).with_columns(unit, fixed_point.scale_of(larger))
    if is_corpus:
        parts = [pl.col(name).sum() for name in RATE_PARTS if name not in units]
        sums = scored.group_by(keys).agg(*_counts(settings), *parts)
    else:
        sums = scored.group_by(*keys, SCALE).agg(*_counts(settings), *_sums())
    counts = rows.select(*_totals(), wrong=_is_wrong(metric).sum())
    cells, totals = pl.collect_all([sums, counts], engine="streaming")
    total = totals.row(0, named=True)
    if total["wrong"]:
        raise ValueError(_first_wrong(rows, metric, total["wrong"]))
    names = dict(zip(key_names(settings.by, None), settings.by, strict=True))
    added = add_up([canonical(cells)], keys)
    check_values(added, names)
    return Differences(
        cells=added,
        has_clusters=settings.cluster is not None,
        is_bounded=metric.bounds in (None, (0, 1))
        and (total["n"] == 0 or 0 <= total["least"] <= total["most"] <= 1),
        is_corpus=is_corpus,
        counts={
            name: int(total[name])
            for name in ("rows", "n", "n_missing", "n_unanswerable", "n_empty_reference")
        },
        digests=(digest_text(totals, "first_digest"), digest_text(totals, "second_digest")),
        orders=orders,
        ends=(total["least"], total["most"]),
    )


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
    if differences.is_bounded:
        low, high = np.clip(low, -1, 1), np.clip(high, -1, 1)
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
    few = are_few(powers[0], powers[1], statistics.effective_units(*powers), carrying)
    return grouped.select(
        *keys,
        "n",
        **{name: pl.Series(values, nan_to_null=True) for name, values in figures.items()},
        wins="wins",
        ties="ties",
        losses="losses",
        few_rows=pl.Series(few),
        n_clusters=pl.col("units") if has_clusters else pl.lit(None, pl.UInt64),
    )


def _adjusted(units: Units, p_values: FloatArray, draws: int, seed: int) -> FloatArray:
    """Adjust the p-values for their number; slices without one are not part of the family."""
    import numpy as np  # noqa: PLC0415 - only to compare

    from anls_frame.statistics import step_down  # noqa: PLC0415 - imports numpy

    tested = ~np.isnan(p_values)
    adjusted = np.full(len(p_values), np.nan)
    adjusted[tested] = step_down.of_means(units.of_columns(tested), p_values[tested], draws=draws, seed=seed)
    return adjusted


def _both_scored(
    frame: Any,
    systems: Mapping[str, str],
    answers: str | None,
    live: Live,
    settings: Settings,
) -> tuple[pl.LazyFrame, dict[str, list[str]]]:
    """Return the rows with the scores of both systems, and the order of keys that have one."""
    (metric,) = live.metrics
    columns = list(systems.values()) if answers is not None else []
    metrics = [of_system(metric, system) for system in systems]
    others = [*live.slicing.columns, *optional(settings.cluster), *own_metrics.needed(metrics)]
    source = to_lazy(frame, [*columns, *optional(answers)], others, answers=answers)
    schema = source.collect_schema()
    keys, orders = sliced_keys(source, live.slicing, settings.cluster)
    scores = {}
    if answers is not None:
        for side, column in zip(_SIDES, columns, strict=True):
            scores[f"{side}_details"] = score_details(schema, column, answers, settings)
    if not metric.is_built_in:
        for place, (side, own) in enumerate(zip(_SIDES, metrics, strict=True)):
            texts = [] if answers is None else [predicted(columns[place]), cs.by_name(answers)]
            values = own_metrics.values(source, [own], texts)
            scores |= {f"{side}_{value.meta.output_name()}": value for value in values}
    missing = pl.any_horizontal(cs.by_name(*dict.fromkeys(columns)).is_null()) if columns else None
    rows = source.select(*keys, **scores, **({} if missing is None else {"missing": missing}))
    rows = rows.with_columns(*(part for side in _SIDES for part in _parts(side, metric, answers)))
    if answers is None:
        lacking = pl.any_horizontal(pl.col(_SIDES).is_null())
        rows = rows.with_columns(missing=lacking, answerable=pl.lit(value=True))
    else:
        rows = rows.with_columns(answerable=pl.col("first_digest").is_not_null())
        if metric.is_function:
            rows = rows.with_columns(pl.when("answerable").then(pl.col(_SIDES)))
    return rows.with_columns(difference=pl.col("second") - pl.col("first")), orders


def _parts(side: str, metric: Metric, answers: str | None) -> list[pl.Expr]:
    """Return the score of a system's rows, its digest and what its rate is divided from."""
    details = pl.col(f"{side}_details").struct
    own = [pl.col(f"{side}_{name}") for name in own_metrics.names(0, metric)]
    if metric.is_built_in:
        own = [details.field(name) for name in (str(metric.row), "char_errors", "reference_length")]
    parts = dict(zip((side, f"{side}_errors", f"{side}_length"), own, strict=False))
    length = details.field("reference_length") if answers is not None else pl.lit(1)
    if f"{side}_length" not in parts:
        parts[f"{side}_length"] = length
    return [
        # Counts that are no whole numbers raise an error of their own.
        *(
            value.cast(pl.Float64 if name == side else pl.Int64, strict=False).alias(name)
            for name, value in parts.items()
        ),
        (own_metrics.digest_of(own[0]) if answers is None else details.field("row_digest")).alias(
            f"{side}_digest"
        ),
    ]


def _is_wrong(metric: Metric) -> pl.Expr:
    """Return which rows hold a value that the metric cannot have."""
    if metric.is_built_in:
        return pl.lit(value=False)
    return pl.any_horizontal(own_metrics.is_wrong(metric, names) for names in _value_columns(metric))


def _value_columns(metric: Metric) -> list[list[str]]:
    """Return the columns with the values of an own metric, for both systems."""
    names = own_metrics.names(0, metric)
    return [[f"{side}_{name}" for name in (names[1:] or names)] for side in _SIDES]


def _first_wrong(rows: pl.LazyFrame, metric: Metric, count: int) -> str:
    for names in _value_columns(metric):
        wrong = rows.with_row_index("row").filter(own_metrics.is_wrong(metric, names)).head(1)
        found = wrong.select("row", *names).collect()
        if found.height:
            row, *values = found.row(0)
            return own_metrics.message(metric, count, row, values)
    raise AssertionError  # the caller has counted some


def _counts(settings: Settings) -> list[pl.Expr]:
    difference = pl.col("difference")
    better = settings.metrics[0].higher_is_better
    rises, falls = ("wins", "losses") if better else ("losses", "wins")
    counts = {rises: difference > 0, "ties": difference == 0, falls: difference < 0}
    return [
        pl.len().cast(pl.UInt64).alias("n"),
        *(condition.sum().cast(pl.UInt64).alias(name) for name, condition in counts.items()),
    ]


def _sums() -> list[pl.Expr]:
    first, second = (
        fixed_point.units(fixed_point.scaled(pl.col(name), pl.col(SCALE)), _BITS)
        for name in ("first", "second")
    )
    return [
        first.sum().alias("first"),
        second.sum().alias("second"),
        (second - first).sum().alias("difference"),
    ]


def _totals() -> list[pl.Expr]:
    scored = pl.col("difference").is_not_null()
    return [
        pl.len().alias("rows"),
        pl.col("difference").count().alias("n"),
        (pl.col("missing") & pl.col("answerable")).sum().alias("n_missing"),
        (~pl.col("answerable")).sum().alias("n_unanswerable"),
        (scored & (pl.min_horizontal("first_length", "second_length") == 0)).sum().alias("n_empty_reference"),
        pl.min_horizontal("first", "second").filter(scored).min().alias("least"),
        pl.max_horizontal("first", "second").filter(scored).max().alias("most"),
        *digest_sums("first_digest"),
        *digest_sums("second_digest"),
    ]


def _rolled_up(differences: Differences, keys: Sequence[str]) -> tuple[pl.DataFrame, Units]:
    """
    Return counts, sums and moments of each slice, in key order, and the differences of its units.

    A unit is a cluster, or a row with the difference of its cell.
    """
    cells = explode_lists(differences.cells, keys)
    present = fixed_point.scales(cells)
    sums = [
        pl.col(COUNTS).sum(),
        *(fixed_point.scaled_floats(name, present, _BITS).alias(name) for name in _SCORES),
    ]
    whole = cells.group_by(keys).agg(sums).sort(keys) if keys else cells.select(sums)
    units = cells.group_by(*keys, "unit").agg(sums).sort(*keys, "unit")
    n, x = pl.col("n").cast(pl.Float64), pl.col("difference" if differences.has_clusters else "unit")
    products = {"xx": x * x, "xy": x * n, "yy": n * n} if differences.has_clusters else {"xx": x * x * n}
    moments = fixed_point.float_sums(units.with_columns(**products), keys, list(products))
    if not differences.has_clusters:
        moments = moments.with_columns(xy=whole["difference"], yy=whole["n"])
    if differences.has_clusters:
        count, values, weights = pl.len().cast(pl.UInt64), "difference", "difference"
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
    grouped = whole.hstack(moments).hstack(by_slice.drop(keys))
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
