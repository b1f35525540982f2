"""Counts and sums of rows with the scores of one system, from which reports are computed."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from anls_frame.summary import own_metrics
from anls_frame.summary.buckets import Buckets, batches
from anls_frame.summary.cell_sums import GRID_STEP, CellSums
from anls_frame.summary.cells import SCORE, add_up, grouped
from anls_frame.summary.details import KEYS, length_sums_of, plans
from anls_frame.summary.keys import canonical, key_names, with_plain_keys
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.rows import (
    kept_names,
    own_and_kept,
    prediction_counts,
    row_scores,
    sums_of_texts,
)
from anls_frame.summary.selection import first_score, worst_rows
from anls_frame.summary.settings import Settings
from anls_frame.summary.slicing import columns_of
from anls_frame.summary.system_rows import SystemRows, metric_columns, single

_BIN_SUMS = ("n", "nls_units")

_ROWS_OF_A_BATCH = 1 << 18
"""Rows per batch: these are grouped faster than more at once, because they fit into the caches."""


def collect(rows: SystemRows, *, part: str | None) -> CellSums:
    """
    Run the queries, one after the other, on the streaming engine.

    If the queries ran together, they would share the rows, and the engine would buffer rows for the slower
    query.
    """
    settings, frame = rows.settings, single(rows)
    by_keys = key_names(settings.by, None)
    needs_batches = bool(rows.metrics) or settings.cluster is not None
    frames = _in_batches(frame, rows, part) if needs_batches else {}
    if not settings.has_texts:
        # Rows count as scored by the first metric.
        first = frames[f"cells {rows.metrics[0].name}"]
        frames = {"cells": add_up([first.select(*rows.keys, *COUNTS)], rows.keys), **frames}
    elif settings.cluster is None:
        frames = _in_one_query(frame, by_keys, settings) | frames
    if settings.details:
        for name, plan in plans(rows.inputs.rename({"text_0": "prediction"}), by_keys, settings).items():
            counts = plan.collect(engine="streaming")
            # Lists of the same entries are the same slice.
            counts = add_up([canonical(counts)], (*by_keys, *KEYS[name])) if by_keys else counts
            frames[f"details {name}"] = counts
    candidates = with_plain_keys(
        frame.filter(pl.col(first_score(settings)).is_not_null()), (*rows.keys, *kept_names(settings))
    )
    worst = worst_rows(candidates, settings) if settings.worst else candidates.head(0)
    shown = ("prediction", "answers", *row_scores(settings)) if settings.has_texts else ()
    worst = worst.select(*rows.keys, *shown, *own_and_kept(settings), "row_digest")
    frames["worst"] = worst.collect(engine="streaming")
    n_missing = pl.lit(frames["cells"]["n_missing"].sum(), pl.Int64)
    total = frames["predictions"].sum()
    frames["predictions"] = total.select(pl.lit(rows.names[0]).alias("system"), pl.all(), n_missing=n_missing)
    return CellSums(frames)


def _in_one_query(frame: pl.LazyFrame, by_keys: Sequence[str], settings: Settings) -> dict[str, pl.DataFrame]:
    """Return the sums of texts without clusters, by name."""
    by_length = ["bits"] if settings.details else []
    keys = (*by_keys, GRID_STEP, *by_length)
    whole_sums = prediction_counts(0)
    names = [total.meta.output_name() for total in whole_sums]
    whole = grouped(frame, keys, [*sums_of_texts(), *whole_sums]).collect(engine="streaming")
    parts = canonical(whole.drop(names))
    on_grid = parts.filter(pl.col("n") > 0).select(*by_keys, GRID_STEP, *_BIN_SUMS)
    frames = {
        "cells": add_up([parts.drop(GRID_STEP, *by_length)], by_keys),
        "bins": add_up([on_grid], (*by_keys, GRID_STEP)),
        "predictions": whole.select(names),
    }
    if by_length:
        frames["details lengths"] = add_up([length_sums_of(parts, by_keys)], (*by_keys, "bits"))
    return frames


def _in_batches(frame: pl.LazyFrame, rows: SystemRows, part: str | None) -> dict[str, pl.DataFrame]:
    """
    Return the cells of custom metrics, and those of texts by cluster, so that only cells are in memory.

    Each batch is grouped again for the grid, because by clusters and grid at once there would be nearly as
    many groups as rows.
    """
    settings = rows.settings
    by_keys, has_clusters = key_names(settings.by, None), settings.cluster is not None
    text_sums = sums_of_texts() if settings.has_texts and has_clusters else []
    bin_sums = [expr for expr in text_sums if expr.meta.output_name() in _BIN_SUMS]
    whole_sums = [] if settings.has_texts and not has_clusters else prediction_counts(0)
    used = {*columns_of([*text_sums, *whole_sums])}
    used |= {GRID_STEP, "bits"} if text_sums else set()
    buckets: dict[str, Buckets] = {}

    def add(name: str, keys: Sequence[str], cells: pl.DataFrame) -> None:
        buckets.setdefault(name, Buckets(keys)).add(canonical(cells))

    def add_texts(name: str, keys: Sequence[str], batch: pl.LazyFrame, sums: list[pl.Expr]) -> None:
        cells = grouped(batch, keys, sums).collect(engine="streaming")
        add(name, keys, length_sums_of(cells, by_keys) if name == "details lengths" else cells)

    for batch in batches(frame.select(*rows.keys, *rows.values, *sorted(used)), _ROWS_OF_A_BATCH):
        rows.check(batch, part)
        if whole_sums:
            add("predictions", (), batch.select(whole_sums))
        if text_sums:
            scored = batch.lazy().filter(pl.col("row_digest").is_not_null())
            add_texts("cells", rows.keys, batch.lazy(), text_sums)
            add_texts("bins", (*by_keys, GRID_STEP), scored, bin_sums)
            if settings.details:
                add_texts("details lengths", (*by_keys, "bits"), scored, text_sums)
        for index, metric in enumerate(rows.metrics):
            names = metric_columns(index, metric, 0)
            keys = rows.keys if metric.probability is None else (*rows.keys, SCORE)
            scores = batch.lazy().with_columns(pl.col(names[0]).alias(SCORE))
            cells = grouped(scores, keys, own_metrics.score_sums(metric, names), in_order=True)
            # The streaming engine adds up floats in another order.
            add(f"cells {metric.name}", keys, cells.collect(engine="in-memory"))
    return {name: bucket.whole() for name, bucket in buckets.items()}
