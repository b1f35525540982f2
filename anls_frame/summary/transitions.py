"""Transitions between error types: rows counted by the types of two systems, added up by slice."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames.conversion import to_lazy
from anls_frame.summary.cells import add_up
from anls_frame.summary.keys import canonical, key_names, sliced_keys
from anls_frame.summary.rows import scored_type, with_unanswerable
from anls_frame.summary.settings import Settings
from anls_frame.summary.slicing import Slicing

PAIR = ("baseline_error_type", "error_type")
"""Columns of counts: the error types of the first system and of the second."""


def type_of(prediction: str, answers: str, settings: Settings) -> pl.Expr:
    """Return the error type of each row; null without an answer, and for dropped predictions."""
    kind = scored_type(cs.by_name(prediction), answers, settings)
    if settings.missing == "empty":
        return kind
    return pl.when(cs.by_name(prediction).is_not_null()).then(kind)


def counted(
    frame: Any, systems: Mapping[str, str], answers: str, slicing: Slicing, settings: Settings
) -> dict[str, pl.DataFrame]:
    """
    Count the rows by the error types of the first system and of each other one, by the name of the latter.

    Rows without a type are left out.
    """
    columns = list(systems.values())
    source = to_lazy(frame, [*columns, answers], slicing.columns)
    source = with_unanswerable(source, columns, answers, settings.unanswerable)
    keys, _ = sliced_keys(source, slicing, None)
    names = key_names(slicing.names, None)
    old, *others = (type_of(column, answers, settings).cast(pl.String) for column in columns)
    found = {}
    for name, new in zip(list(systems)[1:], others, strict=True):
        typed = source.select(*keys, old.alias(PAIR[0]), new.alias(PAIR[1])).drop_nulls(PAIR)
        counts = typed.group_by(*names, *PAIR).agg(pl.len().cast(pl.Int64).alias("n"))
        found[name] = add_up([canonical(counts.collect(engine="streaming"))], [*names, *PAIR])
    return found
