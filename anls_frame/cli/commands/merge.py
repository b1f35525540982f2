"""`merge`: a report, or a comparison of systems, from the summaries of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import working


@options.command(
    "anls-frame merge part_*.parquet -o merged.html",
)
def merge(
    files: Annotated[list[Path], {"metavar": "SUMMARY..."}],
    *,
    target: options.SummaryTarget,
    arranging: options.Arranging,
    confidence: float = 0.95,
) -> None:
    """
    Merge the summaries of parts, and report all rows.

    Summaries of several systems are compared.

    Parameters
    ----------
    files
        Summaries of parts.
    summary
        Save the merged summary.
    """
    with working("Merging"):
        merged = af.merge(af.Summary.load(path) for path in files)
    shown = arranging.options
    if merged.kind == "report":
        target.put_report(af.Report.from_summary(merged, confidence=confidence), shown)
        return
    if shown.pop("min_n"):
        raise ValueError("--min-n: only for reports; these are summaries of several systems")
    target.put_comparison(af.Comparison.from_summary(merged, confidence=confidence), shown)
