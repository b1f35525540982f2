"""Character substitutions of each row, as reports count them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl

from anls_frame.export.rows_content import substitution
from anls_frame.protocol import plugin_options, protocol_from_dict, resolve_errors
from anls_frame.summary.details import edit_counts

_MOST = 100
"""Substitutions by which rows are selected, the most frequent ones."""


def with_substitutions(table: pl.DataFrame, counting: Mapping[str, Any]) -> pl.DataFrame:
    """
    Return the rows of a page with a column `read_as`, the list of the substitutions of any system.

    Parameters
    ----------
    table
        The rows, as in `anls_frame.export.rows_content.RowsContent`.
    counting
        How confusions are counted: `protocol`, `max_length` and `min_nls`, as in settings.
    """
    options = {
        "protocol": plugin_options(resolve_errors(protocol_from_dict(counting["protocol"]))),
        "max_length": counting["max_length"],
        "min_nls": counting["min_nls"],
    }
    predictions = [name for name in table.columns if name.startswith("prediction_")]
    rows = pl.concat([table.lazy().select("row", "answers", prediction=name) for name in predictions])
    counted = (
        edit_counts(rows, ["row"], options).filter(pl.col("op") == "replace").collect(engine="streaming")
    )
    pair = "reference_char", "predicted_char"
    frequent = (
        counted.group_by(pair)
        .agg(pl.col("count").sum())
        .sort("count", *pair, descending=[True, False, False])
    )
    named = frequent.head(_MOST).with_row_index("rank")
    names = [substitution(*characters) for characters in named.select(pair).iter_rows()]
    shown = counted.join(named.with_columns(pl.Series("name", names, pl.String)).drop("count"), on=pair)
    lists = shown.sort("row", "rank").group_by("row").agg(pl.col("name").unique(maintain_order=True))
    joined = table.drop("read_as", strict=False).join(lists, on="row", how="left", maintain_order="left")
    return joined.rename({"name": "read_as"})
