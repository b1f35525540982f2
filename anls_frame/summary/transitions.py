"""Transitions between error types: rows counted by the types of two systems, added up by slice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame.frames.conversion import to_lazy
from anls_frame.summary.keys import sliced_keys
from anls_frame.summary.rows import scored_type, with_unanswerable

if TYPE_CHECKING:
    from collections.abc import Sequence

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


def typed_rows(
    frame: Any, systems: Sequence[str], answers: str, slicing: Slicing, settings: Settings
) -> pl.LazyFrame:
    """
    Return a query for the keys of rows, `key_0`, ..., and the error types of systems, `type_0`, ...

    Parameters
    ----------
    frame
        A frame of any kind.
    systems, answers
        The columns of predictions, and that of the accepted answers.
    slicing
        The keys.
    settings
        The protocol, and whether null predictions are dropped.
    """
    source = to_lazy(frame, [*systems, answers], slicing.columns)
    source = with_unanswerable(source, systems, answers, settings.unanswerable)
    keys, _ = sliced_keys(source, slicing, None)
    types = [type_of(name, answers, settings).alias(f"type_{number}") for number, name in enumerate(systems)]
    return source.select(*keys, *types)


def counts(rows: pl.LazyFrame, first: int = 0, second: int = 1) -> pl.LazyFrame:
    """Count `typed_rows` by the types of two systems, given by number; rows without a type are left out."""
    keys = [name for name in rows.collect_schema().names() if name.startswith("key_")]
    old, new = (
        pl.col(f"type_{number}").cast(pl.String).alias(name)
        for number, name in zip((first, second), PAIR, strict=True)
    )
    typed = rows.select(*keys, old, new).filter(pl.all_horizontal(pl.col(PAIR).is_not_null()))
    return typed.group_by(*keys, *PAIR).agg(pl.len().cast(pl.Int64).alias("n"))
