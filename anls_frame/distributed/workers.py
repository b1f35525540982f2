"""Functions that Daft calls on its workers, which import the package and rebuild expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from anls_frame.metrics.scoring import add_scores
from anls_frame.reports.wrapping_costs import STEPS, UNWRAPPED, with_unwrapped
from anls_frame.summary.merging import merge
from anls_frame.summary.summarizing import summarize
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    import daft

_MERGED_AT_ONCE = 16


def scores(*columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> pa.Array:
    """Score a batch of rows: a struct of the requested fields."""
    scored = add_scores(_table(columns, names), **options).select(options["columns"])
    return scored.to_struct_array().combine_chunks()


def unwrapped(*columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> pa.Array:
    """Return the answers inside a batch of predictions and the removal steps, as a struct."""
    rows = with_unwrapped(_table(columns, names), **options)
    return rows.select([UNWRAPPED, STEPS]).to_struct_array().combine_chunks()


class PartialSummary:
    """
    The steps of Daft's aggregation, from batches to summaries (as bytes) to a single summary.

    The class has no state, because Daft may use an instance for several queries.
    """

    def aggregate(self, *columns: daft.Series, names: tuple[str, ...], options: dict[str, Any]) -> bytes:
        """Summarize a batch of rows; without rows, return no bytes."""
        table = _table(columns, names)
        return summarize(table, **options).to_bytes() if table.num_rows else b""

    def combine(self, states: daft.Series) -> bytes:
        """Add up summaries."""
        contents = [content for content in states.to_pylist() if content]
        if len(contents) <= 1:
            return contents[0] if contents else b""
        # Some at a time, then their sums, because with clusters, all at once need too much memory.
        starts = range(0, len(contents), _MERGED_AT_ONCE)
        some = (map(Summary.from_bytes, contents[start : start + _MERGED_AT_ONCE]) for start in starts)
        return merge(map(merge, some)).to_bytes()

    def finalize(self, state: bytes) -> bytes:
        """Return the sum."""
        return state


def _table(columns: Sequence[daft.Series], names: tuple[str, ...]) -> pa.Table:
    return pa.table({name: column.to_arrow() for name, column in zip(names, columns, strict=True)})
