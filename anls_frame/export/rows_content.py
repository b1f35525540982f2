"""What a page of rows shows, independent of how."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from anls_frame._text import spelled
from anls_frame.export.column_headings import ROWS, RowNames

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import polars as pl

__all__ = ["LARGEST", "MOST_ROWS", "EmbeddedRows", "RowsContent", "substitution"]

LARGEST = 12_000_000
"""Bytes of the largest page."""

MOST_ROWS = 100_000
"""Rows of the largest page."""


def substitution(reference: str, predicted: str) -> str:
    """Return the name of a substitution, by which its rows are selected."""
    return f"{spelled(reference)} → {spelled(predicted)}"


@dataclass(frozen=True, kw_only=True)
class RowsContent:
    """
    What a page of rows shows.

    Attributes
    ----------
    title
        Title of the page.
    notes
        Sentences below it.
    signature
        The settings that make scores comparable, in one line.
    table
        The rows. `row` is the number of a row in the frame, `answers` a list of texts. For each system, by
        its number: `prediction_0`; `nearest_0`, the place of the nearest answer; `type_0`, the error type;
        `similarity_0`, and what it is computed from, `edits_0` and `length_0`; `raw_0`, the score of
        unprepared texts, and what each step of preparation adds, where any does: `unicode_form_0`, `case_0`
        and `whitespace_0`. `score_0_1` is the score of system 1 in metric 0. Optional are `id`, `system`
        and `epoch` (which tell rows with the same id apart), `image`,
        `right` (which systems are right), `same` (whether they predicted the same text), `read_as_0` (the
        most frequent substitutions of a row), `change` (the score of the second of two systems minus that of
        the first), `by_0`, ... and `keep_0`, ...
    systems
        Names of the systems.
    metrics
        Of each score its name, and whether higher is better.
    by, keep
        Names of the columns that slice rows, and of the other ones.
    orders
        Values of columns that have an order of their own, by the name of the column.
    scoring
        How texts were prepared and scored: `protocol`, `missing` and `unanswerable`, as settings have them.
    counting
        How `read_as_0` was counted: `protocol`, `max_length` and `min_nls`.
    source
        Names of the files that it was made of.
    sort
        The column by which rows are sorted at first, after a hyphen if the largest values are first.
    is_audit
        Whether all rows are to be judged, in their order.
    names
        What rows and their texts are called.
    """

    title: str
    notes: Sequence[str]
    signature: str
    table: pl.DataFrame
    systems: Sequence[str]
    metrics: Sequence[Mapping[str, Any]]
    by: Sequence[str] = ()
    keep: Sequence[str] = ()
    orders: Mapping[str, Sequence[str]] = field(default_factory=dict)
    scoring: Mapping[str, Any] = field(default_factory=dict)
    counting: Mapping[str, Any] = field(default_factory=dict)
    source: Sequence[str] = ()
    sort: str
    is_audit: bool = False
    names: RowNames = ROWS


@dataclass(frozen=True)
class EmbeddedRows:
    """
    A page of rows for a page around it.

    Attributes
    ----------
    content
        What it shows.
    html
        The page.
    script, image_sources
        Its script, and where its images come from: the policy of the page around it has to allow both.
    """

    content: RowsContent
    html: str
    script: str
    image_sources: str
