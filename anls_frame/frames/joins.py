"""Joins of tables by slices and ids, which may be NaN."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import polars as pl

_SECOND = "__anls_frame_second_key"


def joined(
    left: pl.DataFrame,
    right: pl.DataFrame,
    keys: Sequence[str],
    how: Literal["left", "inner", "anti"] = "left",
    suffix: str = "_right",
) -> pl.DataFrame:
    """
    Join two frames in the order of the left one; nulls are equal, and so is NaN.

    Polars finds no NaN by a single key that it knows to be sorted, so a second one is added.
    """
    own, other = (frame.lazy().with_columns(pl.lit(0).alias(_SECOND)) for frame in (left, right))
    on = [*keys, _SECOND]
    found = own.join(other, on=on, how=how, nulls_equal=True, maintain_order="left", suffix=suffix)
    return found.drop(_SECOND).collect(engine="in-memory")
