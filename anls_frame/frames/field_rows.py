"""Rows of `fields`, which other functions recognise by the column `status` that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames.conversion import column_names, in_polars

STATUSES = ("matched", "missing", "invented", "broken")
"""The values of `status`."""

STATUS, FIELD = "status", "field"


def are_fields(frame: Any) -> bool:
    """
    Return whether the rows of a frame come from `fields`.

    Its columns `status`, or those that end in ``_status``, are of an Enum of their own. Where a file or
    another library has made them texts, they are recognised by their values, all of `STATUSES`, beside a
    column `field`. Any other column of such a name is the user's own.
    """
    names = status_columns(column_names(frame))
    if not names:
        return False
    rows = in_polars(frame, names).lazy().select(cs.by_name(*names))
    schema = rows.collect_schema()
    if any(
        isinstance(dtype, pl.Enum) and dtype.categories.to_list() == [*STATUSES] for dtype in schema.values()
    ):
        return True
    texts = [name for name, dtype in schema.items() if dtype in (pl.String, pl.Categorical, pl.Enum)]
    if FIELD not in column_names(frame) or not texts:
        return False
    distinct = rows.select(cs.by_name(name).cast(pl.String).unique().implode() for name in texts)
    values = distinct.collect(engine="streaming").row(0)
    return any(hold_statuses(column) for column in values)


def status_columns(names: Sequence[Any]) -> list[str]:
    """Return the columns that may be those of `fields` with the status of each system."""
    return [
        name for name in names if name == STATUS or (isinstance(name, str) and name.endswith(f"_{STATUS}"))
    ]


def hold_statuses(values: Sequence[str | None]) -> bool:
    """Return whether the distinct values of a column of texts are statuses."""
    known = {value for value in values if value}
    return bool(known) and known <= {*STATUSES}
