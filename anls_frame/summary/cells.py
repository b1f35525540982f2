"""The addition of cells with equal keys, and groups of clusters, which keep summaries small."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

import polars as pl

from anls_frame import _plugin
from anls_frame.frames.joins import joined
from anls_frame.protocol import plugin_options
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.own_metrics import merged_spread, mixed

GROUPS = 4096
"""Number of groups, and the largest number of units drawn when systems are tested."""

SCORE = "score"
"""
Column of a quantile's cells with the score of their rows, null for rows without one.

A quantile cannot be computed from sums. Its cells have a line for each score that occurs, and lines with
equal scores add up. Scores are exact in memory; saved or sent cells have rounded scores, so that there are
few lines.
"""

ROUNDED = "score_rounded"
"""The same, rounded to three significant digits."""

_DIGITS = 3

_Frame = TypeVar("_Frame", pl.DataFrame, pl.LazyFrame)


def add_up(cells: Iterable[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    """Add up cells with equal keys (for quantiles, also with equal scores), and keep their order."""
    whole = pl.concat(cells, how="vertical_relaxed")
    keys = list(dict.fromkeys([*keys, *(name for name in (SCORE, ROUNDED) if name in whole.columns)]))
    values = [column for column in whole.columns if column not in keys]
    sums = [
        pl.col(column).min() if column.endswith("_min")
        else pl.col(column).max() if column.endswith("_max")
        else merged_spread() if column == "score_spread"
        else pl.col(column).sum()
        for column in values
    ]  # fmt: skip
    # The order of the columns is kept, because parts must agree in it when they are added up again. The
    # streaming engine adds up floats in another order each time.
    added = grouped(whole.lazy(), keys, sums, in_order=True).select(whole.columns)
    return added.collect(engine="in-memory")


def rounded(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells for saving, with rounded scores of quantiles; other frames stay unchanged."""
    if SCORE not in cells.columns:
        return cells
    keys = [name for name in cells.columns if name not in (*COUNTS, SCORE)]
    score = pl.col(SCORE).round_sig_figs(_DIGITS)
    return add_up([cells.with_columns(score).rename({SCORE: ROUNDED})], keys)


def score_of(cells: pl.DataFrame) -> str:
    """Return the column with the scores of a quantile."""
    return SCORE if SCORE in cells.columns else ROUNDED


def grouped(frame: _Frame, keys: Sequence[str], sums: Sequence[pl.Expr], *, in_order: bool = False) -> _Frame:
    """Return sums over rows with equal keys; without keys, over all rows."""
    return frame.group_by(keys, maintain_order=in_order).agg(sums) if keys else frame.select(sums)


def in_groups(cells: pl.DataFrame) -> pl.DataFrame:
    """
    Return cells with groups in place of clusters, not yet added up.

    The group of a cluster depends only on its name, so that its rows in several parts fall into the same
    group. Rows without a cluster stay so.
    """
    groups = (hashes(cells[CLUSTER]) % GROUPS).cast(pl.UInt16)
    return cells.with_columns(groups.set(cells[CLUSTER].is_null(), None).alias(CLUSTER))


def hashes(names: pl.Series) -> pl.Series:
    """Return the hash of each name, of any dtype, which is the same in all versions of Polars."""
    name, table = pl.col("name"), names.alias("name").to_frame()
    text = (name.dt.to_string() if names.dtype == pl.Duration else name.cast(pl.String)).fill_null("")
    if names.dtype.is_nested():
        text = pl.struct(name).struct.json_encode()
    # That of texts as rows have it.
    options = {"protocol": plugin_options("raw"), "threshold": 0.0}
    digest = _plugin.call("score_details", text, pl.lit(""), **options).struct.field("row_digest")
    hashed = table.unique().with_columns(hash=mixed(digest))
    return joined(table, hashed, ["name"])["hash"]
