"""Tables made from a frame, given back as the kind that the frame is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame.frames.conversion import is_pandas

if TYPE_CHECKING:
    import pandas as pd


def as_kind_of(frame: Any, table: pl.DataFrame) -> Any:
    """Return a Polars table as Polars, pandas or, for other Arrow frames, a pyarrow Table."""
    if isinstance(frame, pl.DataFrame | pl.LazyFrame):
        return table
    return to_pandas(table) if is_pandas(frame) else table.to_arrow()


def to_pandas(table: pl.DataFrame) -> pd.DataFrame:
    """Return a table as a pandas frame, whatever its columns are called: Polars panics over NUL in a name."""
    names = [f"column {index}" for index in range(table.width)]
    frame = table.rename(dict(zip(table.columns, names, strict=True))).to_pandas()
    frame.columns = table.columns
    return frame
