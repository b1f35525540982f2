"""Groups of clusters, which keep summaries of many systems small whatever the number of clusters."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import polars as pl

from anls_frame import _plugin
from anls_frame.protocol import plugin_options
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.own_metrics import mixed
from anls_frame.summary.system_sums import added_cells

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.summary.measures import Metric
    from anls_frame.summary.system_sums import SystemSums

GROUPS = 4096
"""Number of groups; so many units are drawn at most when many systems are tested."""


def in_groups(sums: SystemSums, keys: Sequence[str], metrics: Sequence[Metric]) -> SystemSums:
    """
    Add up the clusters of a group.

    The group of a cluster follows from its name alone, so that its rows in several parts come together.
    """
    systems = len(sums.digests)
    cells = {
        metric.name: added_cells([_grouped(sums.cells[metric.name])], keys, metric, systems)
        for metric in metrics
    }
    return dataclasses.replace(sums, cells=cells)


def _grouped(cells: pl.DataFrame) -> pl.DataFrame:
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
