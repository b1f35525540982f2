"""The content of a page of rows, independent of its form."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import polars as pl

from anls_frame._text import spelled_space
from anls_frame.export.page_verdicts import OF_TEXTS
from anls_frame.export.row_names import ROWS, Names

LARGEST = 12_000_000
"""Bytes of the largest page."""

MOST_ROWS = 100_000
"""Rows of the largest page."""


def substitution(reference: str, predicted: str) -> str:
    """Return the name of a substitution, by which rows are selected."""
    return f"{spelled_space(reference)} → {spelled_space(predicted)}"


@dataclass(frozen=True, kw_only=True)
class RowsContent:
    """
    The content of a page of rows.

    Attributes
    ----------
    title
        Title of the page.
    notes
        Sentences below the title.
    signature
        The settings that make scores comparable, in one line.
    table
        The rows. `row` is the number of a row in the frame, `answers` a list of texts. For each system, by
        number: `prediction_0`; `nearest_0`, the position of the nearest answer; `type_0`, the error type;
        `similarity_0`, computed from `edits_0` and `length_0`; `raw_0`, the score of unprepared texts, and
        the gain from each step of preparation, if any: `unicode_form_0`, `case_0`, `punctuation_0` and
        `whitespace_0`.
        `score_0_1` is the score of system 1 in metric 0. Optional columns are `id`, `system` and `epoch`
        (which distinguish rows with the same id), `image`, `right` (which systems are right), `same` (whether
        they predicted the same text), `read_as` (the most frequent substitutions of a row), `change_1`, ...
        (the first score of a system minus that of the first system), `change` (the worst of these), `by_0`,
        ... and `keep_0`, ...
    systems
        Names of the systems.
    metrics
        The name of each score, its display name, whether higher is better, and whether it is in per cent.
    by, keep
        Names of the columns that slice rows, and of other columns.
    orders
        Values of ordered columns, by the name of the column.
    settings
        How texts were scored, and how `read_as` was counted, as in the settings of reports.
    source
        Names of the files that the page was made from.
    sort
        The column by which rows are initially sorted, with a leading hyphen for descending order.
    is_audit
        Whether all rows are to be judged, in order.
    verdicts
        The verdicts that can be given.
    names
        The names for rows and their texts.
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
    settings: Mapping[str, Any]
    source: Sequence[str] = ()
    sort: str
    is_audit: bool = False
    verdicts: Sequence[str] = OF_TEXTS
    names: Names = field(default_factory=lambda: ROWS)


@dataclass(frozen=True)
class EmbeddedRows:
    """
    A page of rows to be embedded in another page.

    Attributes
    ----------
    content
        The content of the page.
    html
        The page.
    script, image_sources
        Its script and the sources of its images, which the policy of the enclosing page must allow.
    """

    content: RowsContent
    html: str
    script: str
    image_sources: str
