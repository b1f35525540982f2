"""Rows of `fields`, which other functions recognize by the column `status` that it makes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames import origins
from anls_frame.frames.conversion import column_names, in_polars
from anls_frame.frames.reserved_columns import (
    ALL_RIGHT,
    CONFIDENCE,
    FIELD,
    N_FIELDS,
    N_WRONG,
    NULL_IN_GOLD,
    STATUS,
)

STATUSES = ("matched", "missing", "invented", "broken")
"""The values of `status`."""
*_, BROKEN = STATUSES


def are_fields(frame: Any) -> bool:
    """Return whether the rows of a frame come from `fields`."""
    return bool(statuses_of(frame))


def statuses_of(frame: Any) -> list[str]:
    """
    Return the columns of a frame in which `fields` says how each system did.

    The columns `status`, or those that end in ``_status``, are of an Enum of their own. Where a file or
    another library has made them texts, they are recognized by their values, all of `STATUSES`, in a frame
    with a column `field`. Any other column of such a name is the user's own.
    """
    names = status_columns(column_names(frame))
    if not names:
        return []
    rows = in_polars(frame, names).lazy().select(cs.by_name(*names))
    schema = rows.collect_schema()
    made = [
        name
        for name, dtype in schema.items()
        if isinstance(dtype, pl.Enum) and dtype.categories.to_list() == [*STATUSES]
    ]
    texts = [name for name, dtype in schema.items() if dtype in (pl.String, pl.Categorical, pl.Enum)]
    texts = [name for name in texts if name not in made]
    if FIELD not in column_names(frame) or not texts:
        return made
    distinct = rows.select(cs.by_name(name).cast(pl.String).unique().implode() for name in texts)
    values = distinct.collect(engine="streaming").row(0)
    return [*made, *(name for name, column in zip(texts, values, strict=True) if hold_statuses(column))]


def status_columns(names: Sequence[Any]) -> list[str]:
    """Return the columns that may be those of `fields` with the status of each system."""
    return [
        name for name in names if name == STATUS or (isinstance(name, str) and name.endswith(f"_{STATUS}"))
    ]


def hold_statuses(values: Sequence[str | None]) -> bool:
    """Return whether the distinct values of a column of texts are statuses."""
    known = {value for value in values if value}
    return bool(known) and known <= {*STATUSES}


def outcomes(frame: Any) -> set[str]:
    """Return the columns that say how a system did: those of `fields`, `documents` and harnesses."""
    every = {name for name in column_names(frame) if isinstance(name, str)}
    made = {*origins.of(frame).outcomes}
    for name in statuses_of(frame):
        made |= {name, name.removesuffix(STATUS) + CONFIDENCE, NULL_IN_GOLD}
    for name in every:
        start = name.removesuffix(ALL_RIGHT)
        counts = [start + N_FIELDS, start + N_WRONG]
        if name.endswith(ALL_RIGHT) and every.issuperset(counts):
            dtypes = in_polars(frame, [name, *counts]).lazy().collect_schema()
            if dtypes[name] == pl.Boolean and all(dtypes[count].is_integer() for count in counts):
                made |= {name, *counts, start + CONFIDENCE}
    return made & every
