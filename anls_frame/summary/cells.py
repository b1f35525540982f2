"""From rows to cells: the queries that count and sum rows, and the addition of cells."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl
import polars.selectors as cs

from anls_frame.summary import own_metrics
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.details import KEYS, length_sums_of
from anls_frame.summary.fixed_point import SCALE
from anls_frame.summary.keys import CLUSTER, canonical, plain
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.rows import KEPT, digest_sums, sums_of_anls
from anls_frame.summary.selection import first_score, worst_rows

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anls_frame.summary.rows import Rows
    from anls_frame.summary.settings import Settings

_GRID = "grid_threshold"
_BIN_SUMS = ("n", "nls_units")
_SQUARES = ("char_errors_squares", "char_errors_by_length", "reference_length_squares")
_DIGESTS = ("row_digest_low", "row_digest_high")
_UINT64 = 1 << 64

_ROWS_OF_A_BATCH = 1 << 18
"""So many rows of a batch are grouped faster than more at once, because they fit into the caches."""


@dataclass(frozen=True, kw_only=True)
class Collected:
    """The results of the queries over the rows."""

    cells: pl.DataFrame
    own: dict[str, pl.DataFrame]
    bins: pl.DataFrame
    worst: pl.DataFrame
    details: dict[str, pl.DataFrame]
    digest: str


def collect(rows: Rows, settings: Settings) -> Collected:
    """
    Run the queries, one after the other, on the streaming engine.

    If they ran together, they would share the rows, and the engine would buffer rows for the slower query.
    """
    by_keys = [key for key in rows.keys if key != CLUSTER]
    own = {metric.name: _own_cells(rows, place) for place, metric in enumerate(rows.own)}
    if rows.has_texts:
        cells, bins, lengths, digest = _cells_of_texts(rows, by_keys)
    else:
        # Rows count as scored by the first metric, whose values have been read with their digests.
        first = next(iter(own.values()))
        digest, bins, lengths = digest_text(first, "row_digest"), pl.DataFrame(), None
        cells = add_up([first.select(*rows.keys, *COUNTS)], rows.keys)
        own[rows.own[0].name] = first.drop(*_DIGESTS)
    kept = [column for column in rows.worst_columns if column.startswith("keep_")]
    candidates = plain(rows.frame.filter(pl.col(first_score(settings)).is_not_null()), (*rows.keys, *kept))
    worst = worst_rows(candidates, settings) if settings.worst else candidates.head(0)
    details = {
        name: _canonical_cells(plan.collect(engine="streaming"), by_keys, KEYS[name])
        for name, plan in rows.details.items()
    }
    if lengths is not None:
        details["lengths"] = lengths
    return Collected(
        cells=cells,
        own=own,
        bins=bins,
        worst=worst.select(*rows.worst_columns, "row_digest").collect(engine="streaming"),
        details=details,
        digest=digest,
    )


_Texts = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame | None, str]
"""Cells, bins, sums by length if there are details, and the digest."""


def _cells_of_texts(rows: Rows, by_keys: Sequence[str]) -> _Texts:
    if CLUSTER in rows.keys:
        return _cells_of_clusters(rows, by_keys)
    by_length = ["bits"] if rows.details else []
    keys = (*by_keys, _GRID, KEPT, *by_length)
    grouped = _grouped(rows.frame, keys, rows.sums).collect(engine="streaming")
    parts = _with_anls(canonical(grouped.drop(*_DIGESTS)))
    on_grid = parts.filter(pl.col("n") > 0).select(*by_keys, _GRID, *_BIN_SUMS)
    return (
        add_up([parts.drop(_GRID, *by_length)], by_keys),
        add_up([on_grid], (*by_keys, _GRID)),
        add_up([length_sums_of(parts, by_keys)], (*by_keys, "bits")) if by_length else None,
        digest_text(grouped, "row_digest"),
    )


def _cells_of_clusters(rows: Rows, by_keys: Sequence[str]) -> _Texts:
    """
    Return the same, batch by batch, so that no more than the cells is in memory.

    Each batch is grouped again for the grid, because by clusters and grid at once there would be nearly as
    many groups as rows.
    """
    # The digests are needed of all rows only.
    sums = [one for one in (*rows.sums, *sums_of_anls()) if one.meta.output_name() not in _DIGESTS]
    of_bins = [one for one in sums if one.meta.output_name() in _BIN_SUMS]
    used = {name for one in (*rows.sums, *sums) for name in one.meta.root_names()}
    source = rows.frame.select(*rows.keys, _GRID, "bits", *sorted(used))
    cells = _buckets(rows.keys)
    bins, lengths = _buckets((*by_keys, _GRID)), _buckets((*by_keys, "bits"))
    digests = []
    # The sums do not depend on the order of the batches, but without it Polars reads much further ahead.
    found = source.collect_batches(chunk_size=_ROWS_OF_A_BATCH, maintain_order=True, engine="streaming")
    for batch in itertools.chain([source.head(0).collect()], found):
        scored = batch.lazy().filter(pl.col("row_digest").is_not_null())
        cells.add(_cells_of_batch(rows.keys, sums, batch.lazy()))
        bins.add(_cells_of_batch((*by_keys, _GRID), of_bins, scored))
        if rows.details:
            lengths.add(length_sums_of(_cells_of_batch((*by_keys, "bits"), sums, scored), by_keys))
        digests.append(batch.select(digest_sums("row_digest")))
    digest = digest_text(pl.concat(digests), "row_digest")
    return cells.whole(), bins.whole(), lengths.whole() if rows.details else None, digest


def _cells_of_batch(keys: Sequence[str], sums: list[pl.Expr], batch: pl.LazyFrame) -> pl.DataFrame:
    return canonical(_grouped(batch, keys, sums).collect(engine="streaming"))


def _buckets(keys: Sequence[str]) -> Buckets:
    return Buckets(keys, lambda parts: add_up(parts, keys))


def _own_cells(rows: Rows, place: int) -> pl.DataFrame:
    """Count rows and add up the values of an own metric, and the digests of rows without texts."""
    metric = rows.own[place]
    with_digest = place == 0 and not rows.has_texts
    others = ["row_digest"] if with_digest else []
    values = own_metrics.prepared(rows.frame, [*rows.keys, *others], place, metric)
    keys = (*rows.keys, *own_metrics.group_keys(metric))
    sums = [*own_metrics.sums(metric), *(digest_sums("row_digest") if with_digest else [])]
    cells = _grouped(values, keys, sums).collect(engine="streaming")
    return _canonical_cells(own_metrics.checked(cells, values, metric, rows.part), rows.keys)


def add_up(cells: Iterable[pl.DataFrame], keys: Sequence[str]) -> pl.DataFrame:
    """
    Add cells with equal keys, separately for each scale, and keep their order.

    Sums of squared lengths then have 128 bits, which is enough for any number of parts. For clusters, which
    are many and small, 64 bits are enough.
    """
    whole = pl.concat(cells, how="vertical_relaxed")
    if CLUSTER not in keys:
        whole = widened(whole)
    keys = [*keys, *(name for name in (SCALE,) if name in whole.columns)]
    values = [column for column in whole.columns if column not in keys]
    sums = [
        pl.col(column).min() if column.endswith("_min")
        else pl.col(column).max() if column.endswith("_max")
        else pl.col(column).sum()
        for column in values
    ]  # fmt: skip
    # The order of the columns is kept, because parts must agree in it when they are added up again.
    return _grouped(whole.lazy(), keys, sums, in_order=True).select(whole.columns).collect()


def widened(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells with sums of squared lengths of 128 bits."""
    return cells.with_columns(cs.by_name(_SQUARES, require_all=False).cast(pl.Int128))


def _grouped(
    frame: pl.LazyFrame, keys: Sequence[str], sums: list[pl.Expr], *, in_order: bool = False
) -> pl.LazyFrame:
    return frame.group_by(keys, maintain_order=in_order).agg(sums) if keys else frame.select(sums)


def _with_anls(parts: pl.DataFrame) -> pl.DataFrame:
    """Return the parts with the sums of ANLS, which is NLS in rows that the cut keeps and 0 in others."""
    none = pl.lit(0, dtype=pl.Int128)
    sums = {
        f"anls_{name}": pl.when(KEPT).then(f"nls_{name}").otherwise(none)
        for name in ("units", "square_units")
    }
    zeros = pl.when(KEPT).then(pl.lit(0, dtype=pl.Int64)).otherwise("n")
    return parts.with_columns(**sums, zeros_sum=zeros).drop(KEPT)


def digest_text(sums: pl.DataFrame, name: str) -> str:
    """Return the total of the sums from `digest_sums` as 16 hexadecimal digits."""
    low, high = (int(sums[f"{name}_{half}"].sum()) for half in ("low", "high"))
    return f"{(low + (high << 32)) % _UINT64:016x}"


def _canonical_cells(cells: pl.DataFrame, keys: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """
    Return cells with canonical keys; cells whose keys have become equal are added up.

    Cells have these keys and others, which stay as they are.
    """
    result = canonical(cells)
    lists = [key for key in keys if isinstance(cells.schema[key], pl.List | pl.Array)]
    # There are few distinct lists, but with clusters there can be as many cells as rows.
    are_as_many = all(_n_distinct(cells, key) == _n_distinct(result, key) for key in lists)
    return result if are_as_many else add_up([result], (*keys, *others))


def _n_distinct(cells: pl.DataFrame, key: str) -> int:
    return cells.select(key).n_unique()
