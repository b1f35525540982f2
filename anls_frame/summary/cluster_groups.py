"""Groups of clusters, which keep summaries small whatever the number of clusters."""

from __future__ import annotations

import polars as pl

from anls_frame import _plugin
from anls_frame.protocol import plugin_options
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.own_metrics import mixed

GROUPS = 4096
"""Number of groups; so many units are drawn at most when systems are tested."""


def in_groups(cells: pl.DataFrame) -> pl.DataFrame:
    """
    Return cells with groups in place of clusters, not yet added up.

    The group of a cluster depends only on its name, so that its rows in several parts fall into the same
    group.
    """
    return cells.with_columns((hashes(cells[CLUSTER]) % GROUPS).cast(pl.UInt16).alias(CLUSTER))


def hashes(names: pl.Series) -> pl.Series:
    """Return the hash of each name, of any dtype, which is the same in all versions of Polars."""
    name, table = pl.col("name"), names.alias("name").to_frame()
    text = name.cast(pl.String).fill_null("")
    if names.dtype.is_nested():
        text = pl.struct(name).struct.json_encode()
    # That of texts as rows have it.
    options = {"protocol": plugin_options("raw"), "threshold": 0.0}
    digest = _plugin.call("score_details", text, pl.lit(""), **options).struct.field("row_digest")
    hashed = table.unique().with_columns(hash=mixed(digest))
    return table.join(hashed, on="name", how="left", nulls_equal=True, maintain_order="left")["hash"]
