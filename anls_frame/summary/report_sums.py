"""Counts and sums of rows with the scores of one system, from which reports are computed."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from anls_frame.summary import own_metrics, quantiles
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.cell_sums import ALL, GRID_STEP, CellSums
from anls_frame.summary.cells import add_up, grouped
from anls_frame.summary.details import KEYS, length_sums_of, plans
from anls_frame.summary.keys import canonical, key_names, plain
from anls_frame.summary.measures import COUNTS, Metric
from anls_frame.summary.predictions import Predictions, digest_of
from anls_frame.summary.rows import (
    KEPT,
    ROW_SCORES,
    digest_sums,
    kept_names,
    own_and_kept,
    sums_of_anls,
    sums_of_texts,
    totals,
)
from anls_frame.summary.selection import first_score, worst_rows
from anls_frame.summary.settings import Settings
from anls_frame.summary.system_rows import SystemRows, columns, single

_BIN_SUMS = ("n", "nls_units")
_DIGESTS = ("row_digest_low", "row_digest_high")

_ROWS_OF_A_BATCH = 1 << 18
"""So many rows of a batch are grouped faster than more at once, because they fit into the caches."""


def collect(rows: SystemRows, settings: Settings, *, part: str | None) -> tuple[CellSums, list[Predictions]]:
    """
    Run the queries, one after the other, on the streaming engine.

    If the queries ran together, they would share the rows, and the engine would buffer rows for the slower
    query. The result includes the `Predictions` of the system.
    """
    frame, by_keys = single(rows, settings), key_names(settings.by, None)
    own = {
        metric.name: _own_cells(frame, index, metric, settings) for index, metric in enumerate(rows.metrics)
    }
    for cells in own.values():
        if cells[own_metrics.WRONG].sum():
            rows.raise_wrong(part)
    own = {name: cells.drop(own_metrics.WRONG) for name, cells in own.items()}
    details = {}
    if settings.has_texts:
        cells, bins, lengths, counted = _cells_of_texts(frame, by_keys, settings)
        if lengths is not None:
            texts = rows.inputs.rename({"text_0": "prediction"})
            for name, plan in plans(texts, by_keys, settings).items():
                counts = plan.collect(engine="streaming")
                # Lists of the same entries are the same slice.
                details[name] = add_up([canonical(counts)], (*by_keys, *KEYS[name])) if by_keys else counts
            details["lengths"] = lengths
    else:
        # Rows count as scored by the first metric, whose values have been read with their digests.
        first = next(iter(own.values()))
        counted, bins = first.select(_DIGESTS), pl.DataFrame()
        cells = add_up([first.select(*rows.keys, *COUNTS)], rows.keys)
        own[rows.metrics[0].name] = first.drop(*_DIGESTS)
    candidates = plain(
        frame.filter(pl.col(first_score(settings)).is_not_null()), (*rows.keys, *kept_names(settings))
    )
    worst = worst_rows(candidates, settings) if settings.worst else candidates.head(0)
    shown = ("prediction", "answers", *ROW_SCORES) if settings.has_texts else ()
    worst = worst.select(*rows.keys, *shown, *own_and_kept(settings), "row_digest")
    sums = CellSums(
        cells={ALL: cells, **own}, bins=bins, worst_rows=worst.collect(engine="streaming"), details=details
    )
    total = counted.sum().row(0, named=True)
    low, high = (total.pop(name) for name in _DIGESTS)
    n_missing = int(cells["n_missing"].sum())
    return sums, [Predictions(digest=digest_of(low, high), n_missing=n_missing, **total)]


_Texts = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame | None, pl.DataFrame]
"""Cells, bins, sums by length if there are details, and the `totals`."""


def _cells_of_texts(frame: pl.LazyFrame, by_keys: Sequence[str], settings: Settings) -> _Texts:
    if settings.cluster is not None:
        return _cells_of_clusters(frame, by_keys, settings)
    by_length = ["bits"] if settings.details else []
    keys = (*by_keys, GRID_STEP, KEPT, *by_length)
    whole_sums = totals()
    names = [total.meta.output_name() for total in whole_sums]
    whole = grouped(frame, keys, [*sums_of_texts(), *whole_sums]).collect(engine="streaming")
    parts = _with_anls(canonical(whole.drop(names)))
    on_grid = parts.filter(pl.col("n") > 0).select(*by_keys, GRID_STEP, *_BIN_SUMS)
    return (
        add_up([parts.drop(GRID_STEP, *by_length)], by_keys),
        add_up([on_grid], (*by_keys, GRID_STEP)),
        add_up([length_sums_of(parts, by_keys)], (*by_keys, "bits")) if by_length else None,
        whole.select(names),
    )


def _cells_of_clusters(frame: pl.LazyFrame, by_keys: Sequence[str], settings: Settings) -> _Texts:
    """
    Return the cells of clusters, batch by batch, so that only cells are in memory.

    Each batch is grouped again for the grid, because by clusters and grid at once there would be nearly as
    many groups as rows.
    """
    sums, whole_sums = [*sums_of_texts(), *sums_of_anls()], totals()
    keys = key_names(settings.by, settings.cluster)
    bin_sums = [expr for expr in sums if expr.meta.output_name() in _BIN_SUMS]
    used = {name for expr in (*sums, *whole_sums) for name in expr.meta.root_names()}
    source = frame.select(*keys, GRID_STEP, "bits", *sorted(used))
    cells = _buckets(keys)
    bins, lengths = _buckets((*by_keys, GRID_STEP)), _buckets((*by_keys, "bits"))
    counted = []
    for batch in _batches(source):
        scored = batch.lazy().filter(pl.col("row_digest").is_not_null())
        cells.add(_cells_of_batch(keys, sums, batch.lazy()))
        bins.add(_cells_of_batch((*by_keys, GRID_STEP), bin_sums, scored))
        if settings.details:
            lengths.add(length_sums_of(_cells_of_batch((*by_keys, "bits"), sums, scored), by_keys))
        counted.append(batch.select(whole_sums))
    return cells.whole(), bins.whole(), lengths.whole() if settings.details else None, pl.concat(counted)


def _cells_of_batch(keys: Sequence[str], sums: list[pl.Expr], batch: pl.LazyFrame) -> pl.DataFrame:
    return canonical(grouped(batch, keys, sums).collect(engine="streaming"))


def _buckets(keys: Sequence[str]) -> Buckets:
    return Buckets(keys, lambda parts: add_up(parts, keys))


def _own_cells(frame: pl.LazyFrame, index: int, metric: Metric, settings: Settings) -> pl.DataFrame:
    """Count rows and add up the values of a custom metric, and the digests of rows without texts."""
    with_digest = index == 0 and not settings.has_texts
    others = ["row_digest"] if with_digest else []
    keys = key_names(settings.by, settings.cluster)
    parts = dict(zip(("numerator", "denominator"), columns(index, metric, 0)[1:], strict=False))
    values = frame.select(*keys, *others, score=f"own_{index}", **parts)
    sums = [*own_metrics.sums(metric), *(digest_sums("row_digest") if with_digest else [])]
    cell_keys = keys if metric.probability is None else (*keys, quantiles.SCORE)
    cells = _buckets(cell_keys)
    for batch in _batches(values):
        added = grouped(batch.lazy(), cell_keys, sums, in_order=True)
        cells.add(canonical(added.collect(engine="in-memory")))
    return cells.whole()


def _batches(rows: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """
    Yield the rows batch by batch, in order; the first batch is empty.

    The same rows therefore give the same sums of floats. Without an order, Polars would also read much
    further ahead.
    """
    yield rows.head(0).collect()
    yield from rows.collect_batches(chunk_size=_ROWS_OF_A_BATCH, maintain_order=True, engine="streaming")


def _with_anls(parts: pl.DataFrame) -> pl.DataFrame:
    """Return the parts with the sums of ANLS, which is NLS in rows that the cut keeps and 0 in others."""
    none = pl.lit(0, dtype=pl.Int128)
    sums = {
        f"anls_{name}": pl.when(KEPT).then(f"nls_{name}").otherwise(none)
        for name in ("units", "square_units")
    }
    zeros = pl.when(KEPT).then(pl.lit(0, dtype=pl.Int64)).otherwise("n")
    return parts.with_columns(**sums, zeros_sum=zeros).drop(KEPT)
