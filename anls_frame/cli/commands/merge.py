"""`merge`: a report, or a comparison of systems, from the summaries of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import anls_frame as af
from anls_frame.cli.options import Arranging, Target, command
from anls_frame.cli.output import check_target, working


@command(
    "anls-frame merge part_*.parquet -o merged.html",
)
def merge(
    files: Annotated[list[Path], typer.Argument(metavar="SUMMARY...")],
    *,
    target: Target,
    arranging: Arranging,
    confidence: float = 0.95,
    summary: Path | None = None,
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
    from anls_frame.cli.reporting import put_comparison, put_report
    from anls_frame.export import SUFFIXES

    target.check(SUFFIXES)
    check_target(summary, target.force, (".parquet",))
    with working("Merging"):
        merged = af.merge(af.Summary.load(path) for path in files)
    shown = arranging.options
    if merged.kind == "report":
        report = af.Report.from_summary(merged, confidence=confidence)
        put_report(report, target, shown, save=lambda: merged.save(summary) if summary else None)
        return
    if shown.pop("min_n"):
        raise ValueError("--min-n: only for reports; these are summaries of several systems")
    comparison = af.Comparison.from_summary(merged, confidence=confidence)
    if summary is not None:
        merged.save(summary)
    put_comparison(comparison, target, shown)
