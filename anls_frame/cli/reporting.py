"""Writing and printing of reports and comparisons, for `report`, `compare` and `merge`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import plain, print_table, say, score_text, with_spaces
from anls_frame.export.document import OVERALL

if TYPE_CHECKING:
    from anls_frame.analysis.browsing import RowsPage


_SHOWN_TRANSITIONS = 30
_ALPHA = 0.05


def put_report(
    report: af.Report,
    target: options.SummaryTarget,
    shown: Mapping[str, Any],
    *,
    page: Callable[[], RowsPage] | None = None,
    most: int | None = None,
    **written: Any,
) -> None:
    """
    Write and print a report.

    `page` makes the page of the report's rows, `most` is the number of printed rows of each table after
    the slices, and other options are those of `SummaryTarget.put`.
    """
    if not report.overall["n"]:
        raise ValueError("no row has an answer to score against")
    scored = numbered(report.overall["n"], report.row_names["row"])
    first = report.measures[0]
    said = f"{scored}, {first.label} {score_text(report.overall[first.name])}"
    rows = None if page is None or target.output is None else page()
    target.put(report, said, shown, rows=rows, **written)
    if target.is_terminal:
        for table in report.to_document(**shown).tables:
            if not table.has_slices:
                print(f"\n{plain(table.name)}")
                print_table(replace(table, frame=with_spaces(table.frame)), most=most)


def put_comparison(
    comparison: af.Comparison, target: options.SummaryTarget, shown: Mapping[str, Any], **written: Any
) -> None:
    """Write and print a comparison; other options are those of `SummaryTarget.put`."""
    from anls_frame.reports.comparison_documents import in_short, untestable_note
    from anls_frame.reports.type_changes import table
    from anls_frame.summary.details import PAIR

    target.put(comparison, in_short(comparison), shown, **written)
    if target.is_terminal and comparison.summary.settings.details:
        print(f"\nError types that differ from those of {plain(comparison.baseline)}")
        old, new = PAIR
        changed = comparison.transitions.filter(pl.col(old) != pl.col(new))
        largest = changed.sort("n", descending=True, maintain_order=True)
        print_table(table("", largest, (), [*comparison.systems]), most=_SHOWN_TRANSITIONS)
    if target.output is not None and not target.json:
        # The printed line names a best or a difference.
        overall = comparison.to_polars().filter(slice=OVERALL)
        note = untestable_note(overall, comparison.settings, comparison.row_names, _ALPHA)
        if note is not None:
            say(note)
