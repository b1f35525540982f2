"""Reports on files and on summaries of parts, for `report` and `merge`."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli.comparing import put
from anls_frame.cli.output import (
    check_target,
    plain,
    print_document,
    print_table,
    with_spaces,
)
from anls_frame.export import SUFFIXES

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from anls_frame.analysis.browsing import RowsPage
    from anls_frame.cli.options import Arranging, Target
    from anls_frame.export import Document
    from anls_frame.reports.reports import Arrangement


@dataclass(frozen=True, kw_only=True)
class Delivery:
    """The output of a report, to files and to the terminal."""

    output: Path | None
    summary: Path | None
    arranging: Arranging
    confidence: float
    fold_clusters: bool = False
    """Whether the clusters of the summary that is saved are put into groups."""
    target: Target
    page: Callable[[], RowsPage] | None = None
    """Makes the page of the rows behind the figures."""
    source: Sequence[Path] = ()
    """The files that a page names."""
    most: int | None = None
    """How many rows of a table beside the slices are printed."""

    def check(self) -> None:
        """Raise an error, before any work is done, if the files cannot be written."""
        check_target(self.output, self.target.force, SUFFIXES)
        check_target(self.summary, self.target.force, (".parquet",))

    def put(self, summary: af.Summary) -> None:
        """Write and print the report of a summary."""
        report = af.Report.from_summary(summary, confidence=self.confidence)
        if not report.overall["n"]:
            raise ValueError("no row has an answer to score against")
        shown = cast("Arrangement", self.arranging.options)
        # A wrong option leaves no file behind.
        document = report.to_document(**shown)
        if self.summary is not None:
            (summary.fold_clusters() if self.fold_clusters else summary).save(self.summary)
        if self.output is not None:
            page = None if self.page is None else self.page()
            report.write(self.output, **shown, escape_formulas=True, rows=page, source=self.source)
        if self.target.json:
            print_document(document)
        elif self.output is None:
            print(plain(report.to_text(**shown)))
            self._print_rest(document)
        else:
            scored = numbered(report.overall["n"], summary.settings.names.row)
            first = report.measures[0]
            print(plain(f"{scored}, {first.label} {report.overall[first.name]:.4f}: {self.output}"))

    def put_comparison(self, summary: af.Summary) -> None:
        """Write and print the comparison of a summary of several systems."""
        shown = self.arranging.options
        if shown.pop("min_n"):
            raise ValueError("--min-n: only for reports; these are summaries of several systems")
        comparison = af.Comparison.from_summary(summary, confidence=self.confidence)
        if self.summary is not None:
            summary.save(self.summary)
        put(comparison, self.output, self.target, shown)

    def _print_rest(self, document: Document) -> None:
        """Print the tables beside the slices: the worst rows, error types and confusions."""
        for table in document.tables:
            if not table.has_slices:
                print(f"\n{plain(table.name)}")
                print_table(replace(table, frame=with_spaces(table.frame)), most=self.most)
