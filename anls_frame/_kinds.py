"""Tables made from a frame, given back as the kind that the frame is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._ingest import is_pandas

if TYPE_CHECKING:
    from collections.abc import Sequence

from anls_frame.exceptions import DuplicateColumnError


def as_kind_of(frame: Any, table: pl.DataFrame) -> Any:
    """Return a Polars table as Polars, pandas or, for other Arrow frames, a pyarrow Table."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return table
    return table.to_pandas() if is_pandas(frame) else table.to_arrow()


def check_by_names(by: Sequence[str], columns: Sequence[str]) -> None:
    """Raise an error where a slicing column is called like a column of the result."""
    taken = [name for name in by if name in columns]
    if taken:
        raise DuplicateColumnError(
            f"the result has columns of its own called {taken}; rename those by which it is sliced"
        )
