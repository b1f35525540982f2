"""Cells that arrive in batches and are added up incrementally, so that few cells are in memory twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import polars as pl
import polars.selectors as cs

from anls_frame.summary.cells import add_up
from anls_frame.summary.keys import CLUSTER

Hashed = TypeVar("Hashed", pl.Series, pl.Expr)

BUCKETS = 16
"""Into how many parts cells are split while they are added up; only one is in memory twice at a time."""

_LOOSE_VALUES = 1 << 22
"""Number of values in cells up to which they are neither split nor added up yet."""

_GROWTH = 1.5
"""Cells are added up whenever they have grown to this multiple of their number ..."""

_GROWTH_OF_DISTINCT = 4
"""... or to this one if hardly any were equal, as in batches of whole clusters."""


def bucket_of(clusters: Hashed) -> Hashed:
    """Return the number of each cluster's bucket."""
    return clusters.hash() % BUCKETS


@dataclass
class _Bucket:
    parts: list[pl.DataFrame] = field(default_factory=list)
    size: int = 0
    most: float = 0
    """Number of cells up to which they are not added up."""


class Buckets:
    """
    Cells by their keys, of any number of batches.

    Parameters
    ----------
    keys
        The columns that identify a cell; without keys, there is only one cell.
    """

    def __init__(self, keys: Sequence[str]) -> None:
        self._keys = keys
        self._hash = pl.struct(keys).hash() if keys else pl.zeros(pl.len(), dtype=pl.UInt64)
        # All cells of a cluster are in one bucket, so that no search is needed later. Integers are in that of
        # the equal float, so that sums of floats do not depend on the dtype of keys.
        named = cs.by_name(CLUSTER if CLUSTER in keys else keys)
        numbers = (named & cs.numeric()).cast(pl.Float64)
        self._bucket_of = bucket_of(pl.struct(numbers, named - cs.numeric()) if keys else self._hash)
        self._buckets = [_Bucket() for _ in range(BUCKETS)]
        self._loose: list[pl.DataFrame] = []
        self._schema = pl.Schema()

    def add(self, cells: pl.DataFrame) -> None:
        """Add the cells of a batch; some may have equal keys, such as lists in a different order."""
        self._schema = self._schema or cells.schema
        if cells.schema != self._schema:
            self._schema = pl.concat([self._schema.to_frame(), cells.head(0)], how="vertical_relaxed").schema
        self._loose.append(cells)
        if sum(part.height for part in self._loose) * cells.width > _LOOSE_VALUES:
            self._split()

    def _split(self) -> None:
        """Put the loose cells into buckets."""
        for cells in self._loose:
            numbered = self._narrow(cells).with_columns(self._bucket_of.alias("bucket"))
            for (number,), own in numbered.partition_by("bucket", as_dict=True, include_key=False).items():
                bucket = self._buckets[number]
                bucket.parts.append(own)
                bucket.size += own.height
                if bucket.size > max(bucket.most, _LOOSE_VALUES // (BUCKETS * own.width)):
                    self._settle(bucket)
        self._loose.clear()

    def whole(self) -> pl.DataFrame:
        """Return all cells, and forget them."""
        if any(bucket.parts for bucket in self._buckets):
            self._split()
        else:
            # So few are added up at once: sixteen small queries would take longer than to count the rows.
            self._buckets, self._loose = [_Bucket(self._loose)], []
        for bucket in self._buckets:
            if bucket.parts:
                self._settle(bucket)
        parts = [bucket.parts.pop() for bucket in self._buckets if bucket.parts]
        # Column by column, so that there are never two copies of all cells.
        columns = [dict(zip(part.columns, part.get_columns(), strict=True)) for part in parts]
        parts.clear()
        return pl.DataFrame([
            pl.concat([part.pop(column).cast(dtype) for part in columns], rechunk=True)
            for column, dtype in self._schema.items()
        ])  # fmt: skip

    def _settle(self, bucket: _Bucket) -> None:
        """Put the cells of a bucket together, and add up those with equal keys."""
        whole = pl.concat(bucket.parts, how="vertical_relaxed", rechunk=True)
        # Equal keys have equal hashes, so all other cells are left as they are.
        repeated = whole.select(self._hash.is_duplicated()).to_series()
        bucket.parts = [whole]
        if repeated.any():
            added = self._narrow(add_up([whole.filter(repeated).cast(self._schema)], self._keys))
            bucket.parts = [pl.concat([whole.filter(~repeated), added], how="vertical_relaxed", rechunk=True)]
        before, bucket.size = whole.height, bucket.parts[0].height
        few = bucket.size > before * 3 / 4
        bucket.most = bucket.size * (_GROWTH_OF_DISTINCT if few else _GROWTH)

    def _narrow(self, cells: pl.DataFrame) -> pl.DataFrame:
        """Return cells with sums of 128 bits as 64 bits where all fit; the schema keeps their own dtypes."""
        wide = cs.by_dtype(pl.Int128) - cs.by_name(*self._keys, require_all=False)
        fits = cells.select(wide.is_between(pl.Int64.min(), pl.Int64.max()).all())
        return cells.cast({name: pl.Int64 for name in fits.columns if fits[name].item()})


def batches(rows: pl.LazyFrame, size: int) -> Iterator[pl.DataFrame]:
    """
    Yield the rows batch by batch, in order; without rows, a batch without rows.

    The same rows therefore give the same sums of floats. Without an order, Polars would also read much
    further ahead.
    """
    is_empty = True
    for batch in rows.collect_batches(chunk_size=size, maintain_order=True, engine="streaming"):
        is_empty = False
        yield batch
    if is_empty:
        yield rows.head(0).collect()
