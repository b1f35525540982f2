"""From cells to slices: the sums of each slice and the moments that its intervals need."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from anls_frame._cells import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Sequence

COUNTS = ("rows", "n", "n_missing", "n_unanswerable", "n_empty_reference")
"""Columns that count rows."""


@dataclass(frozen=True)
class Measure:
    """
    A ratio of two sums over rows: a mean score, a share, or a corpus rate.

    `x` and `y` are columns of a cell; `xx`, `xy` and `yy` the columns with the sums over rows of their
    squares and product, where a row is a unit of its own.
    """

    name: str
    x: str
    y: str
    xx: str
    xy: str
    yy: str
    kind: Literal["bounded", "mean", "corpus"]

    def moments(self) -> list[str]:
        """Names of the columns that `roll_up` gives for the measure: sums over units, and over rows."""
        return [f"{self.name}:{moment}" for moment in ("x", "y", "xx", "xy", "yy", "squares")]


def _mean(name: str, kind: Literal["bounded", "mean"], squares: str | None = None) -> Measure:
    total = f"{name}_sum"
    return Measure(name, total, "n", squares or f"{name}_squares", total, "n", kind)


TEXT_MEASURES = (
    _mean("anls", "bounded"),
    _mean("nls", "bounded"),
    # The square of 0 or 1 is itself.
    _mean("exact_match", "bounded", "exact_match_sum"),
    _mean("zeros", "bounded", "zeros_sum"),
    Measure("cer_mean", "cer_sum", "n", "cer_squares", "cer_sum", "n", "mean"),
    Measure(
        "cer_corpus",
        "char_errors_sum",
        "reference_length_sum",
        "char_errors_squares",
        "char_errors_by_length",
        "reference_length_squares",
        "corpus",
    ),
)


def score_measures(*, bounded: bool) -> tuple[Measure, ...]:
    """Return the measures of a column of existing scores; bounded ones lie in [0, 1]."""
    return _mean("score", "bounded" if bounded else "mean"), _mean("zeros", "bounded", "zeros_sum")


def roll_up(cells: pl.DataFrame, keys: Sequence[str], measures: Sequence[Measure]) -> pl.DataFrame:
    """
    Add cells up to slices: one row each, with the keys, the counts, `units`, and moments of the measures.

    A cell counts in each entry of a list key. Units are clusters where there are some, otherwise rows.
    """
    cells = explode_lists(cells, keys)
    values = [column for column in cells.columns if column != CLUSTER and not column.startswith("key_")]
    if CLUSTER not in cells.columns:
        sums = _sums(cells, keys, values)
        return sums.select(
            *keys,
            *COUNTS,
            pl.col("n").alias("units"),
            *(
                pl.col(column).cast(pl.Float64).alias(name)
                for measure in measures
                for column, name in zip(_row_columns(measure), measure.moments(), strict=True)
            ),
        )
    # Within a slice first by cluster, then squared: what a cluster has in several cells belongs together.
    clusters = _sums(cells, [*keys, CLUSTER], values)
    columns = [
        *(pl.col(count).sum() for count in COUNTS),
        (pl.col("n") > 0).sum().cast(pl.UInt64).alias("units"),
        *(moment for measure in measures for moment in _cluster_moments(measure)),
    ]
    return clusters.group_by(keys).agg(columns) if keys else clusters.select(columns)


def explode_lists(cells: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Give each entry of a list key a cell of its own; a key without entries is null, and stays."""
    for key in keys:
        if isinstance(cells.schema[key], pl.List):
            cells = cells.explode(key, empty_as_null=True, keep_nulls=True)
    return cells


def _sums(cells: pl.DataFrame, keys: Sequence[str], values: Sequence[str]) -> pl.DataFrame:
    sums = [pl.col(value).sum() for value in values]
    return cells.group_by(keys).agg(sums) if keys else cells.select(sums)


def _row_columns(measure: Measure) -> tuple[str, ...]:
    return measure.x, measure.y, measure.xx, measure.xy, measure.yy, measure.xx


def _cluster_moments(measure: Measure) -> list[pl.Expr]:
    x, y, squares = (pl.col(column).cast(pl.Float64) for column in (measure.x, measure.y, measure.xx))
    moments = (x, y, x * x, x * y, y * y, squares)
    return [moment.sum().alias(name) for moment, name in zip(moments, measure.moments(), strict=True)]
