"""What may be added up: settings and dtypes of the parts of a merge have to agree."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.summary import keys
from anls_frame.summary.settings import Settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.summary.summary import Summary


def check_settings(first: Settings, other: Settings) -> None:
    """Raise an error that names what differs."""
    differing = [
        f"{field.name} ({getattr(first, field.name)!r} and {getattr(other, field.name)!r})"
        for field in dataclasses.fields(Settings)
        if getattr(first, field.name) != getattr(other, field.name)
    ]
    if differing:
        raise ValueError(f"summaries with different settings cannot be merged: {', '.join(differing)}")


def check_dtypes(summaries: Sequence[Summary], settings: Settings) -> None:
    """Raise an error where parts differ in a column's dtype: added up as texts, 1 would be "1"."""
    names = dict(zip(keys.key_names(settings.by, None), settings.by, strict=True)) | {
        keys.CLUSTER: settings.cluster
    }
    for frame in ("cells", "bins", "worst_rows"):
        known: dict[str, pl.DataType] = {}
        for summary in summaries:
            for column, dtype in getattr(summary, frame).schema.items():
                common = _common_dtype(known.get(column, dtype), dtype)
                if common is None:
                    raise ValueError(
                        f"column {names.get(column, column)!r} has dtype {known[column]} in one part and "
                        f"{dtype} in another; cast it before summarizing"
                    )
                known[column] = common


def _common_dtype(first: pl.DataType, other: pl.DataType) -> pl.DataType | None:
    if other in (first, pl.Null):
        return first
    if first == pl.Null:
        return other
    if isinstance(first, pl.List) and isinstance(other, pl.List):
        inner = _common_dtype(first.inner, other.inner)  # type: ignore[arg-type] # of a schema: instances
        return None if inner is None else pl.List(inner)
    both_signed = first.is_signed_integer() and other.is_signed_integer()
    both_unsigned = first.is_unsigned_integer() and other.is_unsigned_integer()
    return first if both_signed or both_unsigned else None
