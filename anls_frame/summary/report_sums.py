"""Counts and sums of rows with the scores of one system, from which reports are computed."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.summary import own_metrics, quantiles
from anls_frame.summary.buckets import Buckets
from anls_frame.summary.catalogue import TEXT_METRICS
from anls_frame.summary.cell_sums import ALL, CellSums, frames_of_kind, stored
from anls_frame.summary.cells import add_up, grouped, widened
from anls_frame.summary.cluster_groups import in_groups
from anls_frame.summary.details import KEYS, length_sums_of
from anls_frame.summary.keys import CLUSTER, canonical, key_names, plain
from anls_frame.summary.measures import COUNTS
from anls_frame.summary.predictions import Predictions, digest_of
from anls_frame.summary.rows import KEPT, digest_sums, sums_of_anls, totals
from anls_frame.summary.selection import first_score, worst_rows

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anls_frame.summary.cell_sums import Cells
    from anls_frame.summary.measures import Metric
    from anls_frame.summary.rows import Rows
    from anls_frame.summary.settings import Settings

_GRID = "grid_threshold"
_BIN_SUMS = ("n", "nls_units")
_DIGESTS = ("row_digest_low", "row_digest_high")

_ROWS_OF_A_BATCH = 1 << 18
"""So many rows of a batch are grouped faster than more at once, because they fit into the caches."""


@dataclass(frozen=True, kw_only=True)
class ReportSums(CellSums):
    """
    Counts and sums of scored rows, by cell.

    Parameters
    ----------
    cells
        One row for each combination of `by` values (columns `key_0`, `key_1`, ...) and cluster. Sums of
        scores of texts are integers, so that they do not depend on the order of the rows: `anls_units` and
        `nls_units` are in units of 2**-53, `cer_units` and the sums of squares in units of 2**-62. Sums of
        custom ratios, by name, are integers, too. The sums of custom scores are floats: `score_sum`, and
        `score_spread`, the sum of the squared deviations from the mean of the cell.
    bins
        One row for each combination of `by` values and grid point, with the number of rows and the sum of
        `nls`, as in the cells. The grid point of a score is the strictest threshold k/200 that the score
        passes.
    worst_rows
        The rows with the worst scores, up to the number in the settings; list keys are not exploded.
    details
        With details, the counts of `errors` (error types), `confusions` and `lengths` by cell; see
        `Report.errors`, `Report.confusions` and `Report.lengths`.
    """

    kind = "report"

    cells: Cells
    bins: pl.DataFrame
    worst_rows: pl.DataFrame
    details: Mapping[str, pl.DataFrame]

    @property
    def rows(self) -> int:
        """Number of rows that were read."""
        return int(self.cells[ALL]["rows"].sum())

    def frames(self) -> dict[str, pl.DataFrame]:
        """Return all frames, each by its kind and name."""
        alone = {"bins": self.bins, "worst": self.worst_rows}
        cells = {name: _rounded(own) for name, own in self.cells.items()}
        return {**stored("cells", cells), **alone, **stored("details", self.details)}

    @classmethod
    def from_frames(cls, frames: Mapping[str, pl.DataFrame]) -> ReportSums:
        """Return the sums with these frames."""
        return cls(
            cells=frames_of_kind("cells", frames),
            bins=frames["bins"],
            worst_rows=frames["worst"],
            details=frames_of_kind("details", frames),
        )

    @classmethod
    def added(cls, parts: Sequence[ReportSums], settings: Settings) -> ReportSums:
        """Add up the sums of parts."""
        first, keys = parts[0], key_names(settings.by, None)
        units = key_names(settings.by, settings.cluster)
        bins, worst = ([getattr(part, name) for part in parts] for name in ("bins", "worst_rows"))
        return cls(
            cells={
                name: add_up(quantiles.alike([part.cells[name] for part in parts]), units)
                for name in first.cells
            },
            bins=add_up(bins, (*keys, _GRID)) if settings.has_texts else first.bins,
            worst_rows=worst_rows(pl.concat(worst, how="vertical_relaxed").lazy(), settings).collect(),
            details={
                name: add_up([part.details[name] for part in parts], (*keys, *KEYS[name]))
                for name in first.details
            },
        )

    def folded(self, settings: Settings) -> ReportSums:
        """Return the sums with groups in place of clusters."""
        keys = key_names(settings.by, settings.cluster)
        # Groups are few, and may have more rows than a cluster can.
        cells = {name: add_up([widened(in_groups(own))], keys) for name, own in self.cells.items()}
        return dataclasses.replace(self, cells=cells)

    def sliced(self, cells: Cells) -> ReportSums:
        """Return sums with other cells, without the frames that cannot be computed from them."""
        return dataclasses.replace(self, cells=cells, worst_rows=self.worst_rows.clear(), details={})

    def groups(self, settings: Settings) -> Iterator[tuple[str | None, pl.DataFrame, tuple[Metric, ...]]]:
        """Return the cells of texts, and the cells of each custom metric."""
        yield ALL, self.cells[ALL], TEXT_METRICS if settings.has_texts else ()
        for metric in settings.own:
            cells = self.cells[metric.name]
            is_quantile = metric.probability is not None
            names = [quantiles.column_of(cells)] * 2 if is_quantile else ["score_min", "score_max"]
            ends = cells.select(
                pl.col(names[0]).min().alias("low"), pl.col(names[1]).max().alias("high")
            ).row(0)
            yield metric.name, cells, (metric.within(*ends),)


def collect(rows: Rows, settings: Settings) -> tuple[ReportSums, Predictions]:
    """
    Run the queries, one after the other, on the streaming engine.

    If the queries ran together, they would share the rows, and the engine would buffer rows for the slower
    query.
    """
    by_keys = [key for key in rows.keys if key != CLUSTER]
    own = {metric.name: _own_cells(rows, index) for index, metric in enumerate(rows.own)}
    if rows.has_texts:
        cells, bins, lengths, counted = _cells_of_texts(rows, by_keys)
    else:
        # Rows count as scored by the first metric, whose values have been read with their digests.
        first = next(iter(own.values()))
        counted, bins, lengths = first.select(_DIGESTS), pl.DataFrame(), None
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
    sums = ReportSums(
        cells={ALL: cells, **own},
        bins=bins,
        worst_rows=worst.select(*rows.worst_columns, "row_digest").collect(engine="streaming"),
        details=details,
    )
    total = counted.sum().row(0, named=True)
    low, high = (total.pop(name) for name in _DIGESTS)
    return sums, Predictions(digest=digest_of(low, high), n_missing=int(cells["n_missing"].sum()), **total)


_Texts = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame | None, pl.DataFrame]
"""Cells, bins, sums by length if there are details, and the `totals`."""


def _cells_of_texts(rows: Rows, by_keys: Sequence[str]) -> _Texts:
    if CLUSTER in rows.keys:
        return _cells_of_clusters(rows, by_keys)
    by_length = ["bits"] if rows.details else []
    keys = (*by_keys, _GRID, KEPT, *by_length)
    whole_sums = totals()
    names = [total.meta.output_name() for total in whole_sums]
    whole = grouped(rows.frame, keys, [*rows.sums, *whole_sums]).collect(engine="streaming")
    parts = _with_anls(canonical(whole.drop(names)))
    on_grid = parts.filter(pl.col("n") > 0).select(*by_keys, _GRID, *_BIN_SUMS)
    return (
        add_up([parts.drop(_GRID, *by_length)], by_keys),
        add_up([on_grid], (*by_keys, _GRID)),
        add_up([length_sums_of(parts, by_keys)], (*by_keys, "bits")) if by_length else None,
        whole.select(names),
    )


def _cells_of_clusters(rows: Rows, by_keys: Sequence[str]) -> _Texts:
    """
    Return the cells of clusters, batch by batch, so that only cells are in memory.

    Each batch is grouped again for the grid, because by clusters and grid at once there would be nearly as
    many groups as rows.
    """
    sums, whole_sums = [*rows.sums, *sums_of_anls()], totals()
    bin_sums = [expr for expr in sums if expr.meta.output_name() in _BIN_SUMS]
    used = {name for expr in (*sums, *whole_sums) for name in expr.meta.root_names()}
    source = rows.frame.select(*rows.keys, _GRID, "bits", *sorted(used))
    cells = _buckets(rows.keys)
    bins, lengths = _buckets((*by_keys, _GRID)), _buckets((*by_keys, "bits"))
    counted = []
    for batch in _batches(source):
        scored = batch.lazy().filter(pl.col("row_digest").is_not_null())
        cells.add(_cells_of_batch(rows.keys, sums, batch.lazy()))
        bins.add(_cells_of_batch((*by_keys, _GRID), bin_sums, scored))
        if rows.details:
            lengths.add(length_sums_of(_cells_of_batch((*by_keys, "bits"), sums, scored), by_keys))
        counted.append(batch.select(whole_sums))
    return cells.whole(), bins.whole(), lengths.whole() if rows.details else None, pl.concat(counted)


def _cells_of_batch(keys: Sequence[str], sums: list[pl.Expr], batch: pl.LazyFrame) -> pl.DataFrame:
    return canonical(grouped(batch, keys, sums).collect(engine="streaming"))


def _buckets(keys: Sequence[str]) -> Buckets:
    return Buckets(keys, lambda parts: add_up(parts, keys))


def _own_cells(rows: Rows, index: int) -> pl.DataFrame:
    """Count rows and add up the values of a custom metric, and the digests of rows without texts."""
    metric = rows.own[index]
    with_digest = index == 0 and not rows.has_texts
    others = ["row_digest"] if with_digest else []
    values = own_metrics.prepared(rows.frame, [*rows.keys, *others], index, metric)
    sums = [*own_metrics.sums(metric), *(digest_sums("row_digest") if with_digest else [])]
    keys = rows.keys if metric.probability is None else (*rows.keys, quantiles.SCORE)
    cells = _buckets(keys)
    for batch in _batches(values):
        added = grouped(batch.lazy(), keys, sums, in_order=True)
        cells.add(canonical(added.collect(engine="in-memory")))
    return own_metrics.checked(cells.whole(), values, metric, rows.part)


def _batches(rows: pl.LazyFrame) -> Iterator[pl.DataFrame]:
    """
    Yield the rows batch by batch, in order; the first batch is empty.

    The same rows therefore give the same sums of floats. Without an order, Polars would also read much
    further ahead.
    """
    yield rows.head(0).collect()
    yield from rows.collect_batches(chunk_size=_ROWS_OF_A_BATCH, maintain_order=True, engine="streaming")


def _rounded(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells for saving, with rounded scores of quantiles."""
    if quantiles.SCORE not in cells.columns:
        return cells
    keys = [name for name in cells.columns if name not in (*COUNTS, quantiles.SCORE)]
    return add_up([quantiles.rounded(cells)], keys)


def _with_anls(parts: pl.DataFrame) -> pl.DataFrame:
    """Return the parts with the sums of ANLS, which is NLS in rows that the cut keeps and 0 in others."""
    none = pl.lit(0, dtype=pl.Int128)
    sums = {
        f"anls_{name}": pl.when(KEPT).then(f"nls_{name}").otherwise(none)
        for name in ("units", "square_units")
    }
    zeros = pl.when(KEPT).then(pl.lit(0, dtype=pl.Int64)).otherwise("n")
    return parts.with_columns(**sums, zeros_sum=zeros).drop(KEPT)


def _canonical_cells(cells: pl.DataFrame, keys: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """
    Return cells with canonical keys; cells whose keys have become equal are added up.

    Cells have these keys and others, which stay unchanged.
    """
    result = canonical(cells)
    lists = [key for key in keys if isinstance(cells.schema[key], pl.List | pl.Array)]
    # There are few distinct lists, but with clusters there can be as many cells as rows.
    are_as_many = all(_n_distinct(cells, key) == _n_distinct(result, key) for key in lists)
    return result if are_as_many else add_up([result], (*keys, *others))


def _n_distinct(cells: pl.DataFrame, key: str) -> int:
    return cells.select(key).n_unique()
