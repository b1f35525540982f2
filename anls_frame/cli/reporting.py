"""Writing and printing of reports and comparisons, for `report`, `compare` and `merge`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import say
from anls_frame.export.document import OVERALL


def put_report(
    report: af.Report, target: options.SummaryTarget, shown: Mapping[str, Any], **written: Any
) -> None:
    """Write and print a report; other options are those of `SummaryTarget.put`."""
    if not report.overall["n"]:
        raise ValueError("no row has an answer to score against")
    target.put(report, shown, **written)


def put_comparison(
    comparison: af.Comparison, target: options.SummaryTarget, shown: Mapping[str, Any], **written: Any
) -> None:
    """Write and print a comparison; other options are those of `SummaryTarget.put`."""
    from anls_frame.reports.comparison_documents import untestable_note

    target.put(comparison, shown, **written)
    if target.output is not None and not target.json:
        # The printed line names a best or a difference.
        overall = comparison.to_polars().filter(slice=OVERALL)
        note = untestable_note(overall, comparison.settings, comparison.row_names)
        if note is not None:
            say(note)
