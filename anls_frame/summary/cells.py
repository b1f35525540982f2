"""The addition of cells with equal keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from anls_frame.summary import quantiles
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.own_metrics import merged_spread

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_SQUARES = ("char_errors_squares", "char_errors_by_length", "reference_length_squares")


def add_up(cells: Iterable[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    """
    Add up cells with equal keys (for quantiles, also with equal scores), and keep their order.

    Sums of squared lengths get 128 bits, which is enough for any number of parts. For clusters, which are
    many and small, 64 bits are enough.
    """
    whole = pl.concat(cells, how="vertical_relaxed")
    if CLUSTER not in keys:
        whole = widened(whole)
    keys = list(dict.fromkeys([*keys, *(name for name in quantiles.COLUMNS if name in whole.columns)]))
    values = [column for column in whole.columns if column not in keys]
    sums = [
        pl.col(column).min() if column.endswith("_min")
        else pl.col(column).max() if column.endswith("_max")
        else merged_spread() if column == "score_spread"
        else pl.col(column).sum()
        for column in values
    ]  # fmt: skip
    # The order of the columns is kept, because parts must agree in it when they are added up again.
    return grouped(whole.lazy(), keys, sums, in_order=True).select(whole.columns).collect()


def rounded(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells for saving, with rounded scores of quantiles; other frames stay unchanged."""
    if quantiles.SCORE not in cells.columns:
        return cells
    keys = [name for name in cells.columns if name not in (*COUNTS, quantiles.SCORE)]
    return add_up([quantiles.rounded(cells)], keys)


def widened(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells with sums of squared lengths of 128 bits."""
    return cells.with_columns(cs.by_name(_SQUARES, require_all=False).cast(pl.Int128))


def grouped(
    frame: pl.LazyFrame, keys: Sequence[str], sums: list[pl.Expr], *, in_order: bool = False
) -> pl.LazyFrame:
    """Return sums over rows with equal keys; without keys, over all rows."""
    return frame.group_by(keys, maintain_order=in_order).agg(sums) if keys else frame.select(sums)
