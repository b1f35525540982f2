"""Split documents into those that slices are found on, and those that they are tested on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame import _plugin
from anls_frame.protocol import plugin_options
from anls_frame.summary.own_metrics import mixed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_PARTS = 1 << 20


def is_held_out(documents: pl.Series, share: float) -> npt.NDArray[np.bool_]:
    """Return which rows are held out: the documents whose name has a hash in the first share of all."""
    # The digest of texts, which is the same in all versions of Polars.
    options = {"protocol": plugin_options("raw"), "threshold": 0.0}
    document = pl.col("document")
    is_nested = documents.dtype.is_nested()
    text = pl.struct(document).struct.json_encode() if is_nested else document.cast(pl.String).fill_null("")
    digest = _plugin.call("score_details", text, pl.lit(""), **options).struct.field("row_digest")
    names = documents.alias("document").unique().to_frame()
    chosen = names.with_columns(held_out=mixed(digest) % _PARTS < int(share * _PARTS))
    rows = documents.alias("document").to_frame()
    found = rows.join(chosen, on="document", how="left", nulls_equal=True, maintain_order="left")
    return found["held_out"].to_numpy()
