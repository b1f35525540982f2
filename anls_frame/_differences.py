"""Differences of two systems: from rows to sums by cell, and from those to slices with tests."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame import _cells, _exact, _keys
from anls_frame._exact import SCALE
from anls_frame._ingest import to_lazy
from anls_frame._keys import CLUSTER
from anls_frame._rollup import explode_lists

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.settings import Settings

RESULT_COLUMNS = (
    "n",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "p_holm",
    "wins",
    "ties",
    "losses",
    "n_clusters",
    "slice",
)

LOWER_IS_BETTER = ("cer",)

_COUNTS = ("n", "wins", "ties", "losses")
_SCORES = ("first", "second", "difference")

_BITS = 64
"""Scores of a row are in units of 2**-64 of the larger one's scale: 2**46 rows have room."""


@dataclass(frozen=True, kw_only=True)
class Differences:
    """
    Sums of the scores by cell, exact as `_exact` says.

    A cell is a combination of `by` values and a unit: the cluster or, where there are none, the difference
    second minus first, so that rows with equal differences are counted together. The scale is that of the
    larger score in size.
    """

    cells: pl.DataFrame
    has_clusters: bool
    counts: dict[str, int]
    digests: tuple[str, str]


def collect(
    frame: Any,
    columns: tuple[str, str],
    answers: str | None,
    metric: str,
    settings: Settings,
) -> Differences:
    """Score both systems and sum their differences, in one pass on the streaming engine."""
    rows = _both_scored(frame, columns, answers, metric, settings)
    if settings.missing == "drop":
        scored_columns = ["difference", "first_digest", "second_digest"]
        rows = rows.with_columns(pl.when(~pl.col("missing")).then(pl.col(scored_columns)))
    keys = [*_keys.key_names(settings.by, None), "unit"]
    unit = pl.col("difference" if settings.cluster is None else CLUSTER).alias("unit")
    larger = pl.max_horizontal(pl.col("first").abs(), pl.col("second").abs())
    scored = rows.filter(pl.col("difference").is_not_null()).with_columns(unit, _exact.scale_of(larger))
    cells, totals = pl.collect_all(
        [scored.group_by(*keys, SCALE).agg(_sums(metric)), rows.select(_totals())], engine="streaming"
    )
    total = totals.row(0, named=True)
    if total["not_finite"]:
        raise ValueError(f"the scores hold NaN or infinity in {total['not_finite']} rows; drop or fill them")
    return Differences(
        cells=_cells.add_up([_keys.canonical(cells)], keys),
        has_clusters=settings.cluster is not None,
        counts={name: int(total[name]) for name in ("rows", "n", "n_missing", "n_unanswerable")},
        digests=(_cells.digest_text(totals, "first_digest"), _cells.digest_text(totals, "second_digest")),
    )


def slices(
    differences: Differences,
    keys: Sequence[str],
    *,
    confidence: float,
    draws: int,
    seed: int,
    many_groups: int,
) -> pl.DataFrame:
    """One row a slice: means, difference with interval and p-values, counts."""
    import numpy as np  # noqa: PLC0415 - imported by those who compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    grouped = _rolled_up(differences, keys)
    n, x, xx, xy, yy = (
        grouped[name].cast(pl.Float64).to_numpy() for name in ("n", "difference", "xx", "xy", "yy")
    )
    count = statistics.effective_units(n, yy)
    mean = np.divide(x, n, out=np.full_like(x, np.nan), where=n > 0)
    variance = statistics.ratio_variance(count, x, n, xx, xy, yy)
    low, high = statistics.t_interval(mean, variance, count, confidence)
    if grouped.height > many_groups:
        p_values = statistics.t_test(mean, variance, count)
    else:
        test = _sign_flip if differences.has_clusters else _sign_flip_rows
        p_values = np.array([test(row, draws, seed) for row in grouped.iter_rows(named=True)], np.float64)
    return grouped.select(
        *keys,
        "n",
        first=(pl.col("first") / pl.col("n")).fill_nan(None),
        second=(pl.col("second") / pl.col("n")).fill_nan(None),
        difference=pl.Series(mean).fill_nan(None),
        difference_low=pl.Series(low).fill_nan(None),
        difference_high=pl.Series(high).fill_nan(None),
        p_value=pl.Series(p_values).fill_nan(None),
        p_holm=pl.Series(statistics.holm(p_values)).fill_nan(None),
        wins="wins",
        ties="ties",
        losses="losses",
        n_clusters=pl.col("units") if differences.has_clusters else pl.lit(None, pl.UInt64),
    )


def _both_scored(
    frame: Any, columns: tuple[str, str], answers: str | None, metric: str, settings: Settings
) -> pl.LazyFrame:
    named = [*settings.by, *([settings.cluster] if settings.cluster is not None else [])]
    texts, others = ([], [*columns, *named]) if answers is None else ([*columns, answers], named)
    source = to_lazy(frame, texts, others)
    schema = source.collect_schema()
    keys = _keys.key_columns(schema, settings.by, settings.cluster)
    missing = pl.any_horizontal(cs.by_name(*set(columns)).is_null()).alias("missing")
    if answers is None:
        first, second = (_cells.score_value(schema, column) for column in columns)
        digests = [_cells.score_digest(value) for value in (first, second)]
        rows = source.select(
            *keys,
            missing,
            first=first,
            second=second,
            first_digest=digests[0],
            second_digest=digests[1],
        ).with_columns(answerable=pl.lit(value=True))
    else:
        details = [_cells.score_details(schema, column, answers, settings) for column in columns]
        rows = (
            source.select(*keys, missing, first=details[0], second=details[1])
            .with_columns(
                pl.col("first").struct.field("row_digest").alias("first_digest"),
                pl.col("second").struct.field("row_digest").alias("second_digest"),
                *(
                    pl.col(name).struct.field(metric).cast(pl.Float64).alias(name)
                    for name in ("first", "second")
                ),
            )
            .with_columns(answerable=pl.col("first").is_not_null())
        )
    return rows.with_columns(difference=pl.col("second") - pl.col("first"))


def _sums(metric: str) -> list[pl.Expr]:
    difference = pl.col("difference")
    rises, falls = ("losses", "wins") if metric in LOWER_IS_BETTER else ("wins", "losses")
    counts = {rises: difference > 0, "ties": difference == 0, falls: difference < 0}
    first, second = (
        _exact.units(_exact.scaled(pl.col(name), pl.col(SCALE)), _BITS) for name in ("first", "second")
    )
    return [
        pl.len().cast(pl.UInt64).alias("n"),
        first.sum().alias("first"),
        second.sum().alias("second"),
        (second - first).sum().alias("difference"),
        *(condition.sum().cast(pl.UInt64).alias(name) for name, condition in counts.items()),
    ]


def _totals() -> list[pl.Expr]:
    return [
        pl.len().alias("rows"),
        pl.col("difference").count().alias("n"),
        (pl.col("missing") & pl.col("answerable")).sum().alias("n_missing"),
        (~pl.col("answerable")).sum().alias("n_unanswerable"),
        (~pl.col("difference").is_finite()).sum().alias("not_finite"),
        *_cells.digest_sums("first_digest"),
        *_cells.digest_sums("second_digest"),
    ]


def _rolled_up(differences: Differences, keys: Sequence[str]) -> pl.DataFrame:
    """
    Counts, sums and moments of each slice, in the order of the keys.

    A unit is a cluster, or a row with the difference of its cell.
    """
    cells = explode_lists(differences.cells, keys)
    present = _exact.scales(cells)
    sums = [
        pl.col(_COUNTS).sum(),
        *(_exact.scaled_floats(name, present, _BITS).alias(name) for name in _SCORES),
    ]
    whole = cells.group_by(keys).agg(sums).sort(keys) if keys else cells.select(sums)
    units = cells.group_by(*keys, "unit").agg(sums).sort(*keys, "unit")
    n, x = pl.col("n").cast(pl.Float64), pl.col("difference" if differences.has_clusters else "unit")
    products = {"xx": x * x, "xy": x * n, "yy": n * n} if differences.has_clusters else {"xx": x * x * n}
    moments = _exact.float_sums(units.with_columns(**products), keys, list(products))
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
    ]
    by_slice = units.group_by(keys, maintain_order=True).agg(lists) if keys else units.select(lists)
    return whole.hstack(moments).hstack(by_slice.drop(keys))


def _sign_flip(row: dict[str, Any], draws: int, seed: int) -> float:
    import numpy as np  # noqa: PLC0415 - imported by those who compare

    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    # 0.1 + 0.2 and 0.3 differ in the last digit. Such sums have to be equal, or the draws would fall on other
    # clusters.
    sums = np.asarray(row["weights"], np.float64)
    scale = 2.0 ** math.frexp(np.abs(sums).max(initial=0.0))[1]
    return statistics.sign_flip(np.round(sums / scale, 12), draws=draws, seed=seed)


def _sign_flip_rows(row: dict[str, Any], draws: int, seed: int) -> float:
    from anls_frame import statistics  # noqa: PLC0415 - imports numpy

    return statistics.sign_flip_counts(row["values"], row["weights"], draws=draws, seed=seed)
