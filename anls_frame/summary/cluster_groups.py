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

    The group of a cluster follows from its name alone, so that its rows in several parts come together.
    """
    names = cells.select(CLUSTER).unique()
    # The digest of texts, which is the same in all versions of Polars.
    options = {"protocol": plugin_options("raw"), "threshold": 0.0}
    text = pl.col(CLUSTER).cast(pl.String).fill_null("")
    digest = _plugin.call("score_details", text, pl.lit(""), **options).struct.field("row_digest")
    groups = names.with_columns(group=(mixed(digest) % GROUPS).cast(pl.UInt16))
    place = cells.select(CLUSTER).join(
        groups, on=CLUSTER, how="left", nulls_equal=True, maintain_order="left"
    )
    return cells.with_columns(place["group"].alias(CLUSTER))
