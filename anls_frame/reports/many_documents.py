"""Comparisons of several systems or in several metrics as documents, and in the form that a screen shows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from anls_frame.export import Document, Table
from anls_frame.export.display import glances

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

    from anls_frame.export import Kind
    from anls_frame.export.display import Glance
    from anls_frame.summary.measures import Metric


@dataclass(frozen=True, kw_only=True)
class ManyView:
    """What a comparison of several systems or in several metrics shows."""

    ranking: pl.DataFrame
    differences: pl.DataFrame
    by: Sequence[str]
    settings: Mapping[str, Any]
    signature: str
    metrics: Sequence[Metric]


def many_document(view: ManyView) -> Document:
    """Return a comparison as a document to export."""
    return replace(_document(view), settings=view.settings)


def many_glances(view: ManyView, most: int | None) -> list[Glance]:
    """Return the tables of a comparison in their form for a screen, with at most `most` rows."""
    document = _document(view)
    headings = {"metric": "metric", "system": "system", "n": "n", "score": "score", "rank": "rank"}
    return glances(replace(document, tables=document.tables[:1]), headings, (), most)


def _document(view: ManyView) -> Document:
    systems = ", ".join(view.settings["systems"])
    metrics = ", ".join(metric.label for metric in view.metrics)
    kinds: dict[str, Kind] = dict.fromkeys(view.by, "key")
    score: dict[str, Kind] = dict.fromkeys(("score", "low", "high", "first_score", "second_score"), "score")
    p_values: dict[str, Kind] = dict.fromkeys(("p_value", "p_adjusted"), "p_value")
    change: dict[str, Kind] = dict.fromkeys(("difference", "difference_low", "difference_high"), "difference")

    def table(name: str, frame: pl.DataFrame) -> Table:
        known = {**kinds, **score, **p_values, **change}
        return Table(name, frame, {column: kind for column, kind in known.items() if column in frame.columns})

    tables = [table("Ranking", view.ranking), table("Differences", view.differences)]
    return Document(f"{metrics} of {systems}", tables, {}, view.signature)
