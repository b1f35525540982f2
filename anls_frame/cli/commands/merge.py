"""`merge`: a report, or a comparison of systems, from the summaries of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import anls_frame as af
from anls_frame.cli.options import Arranging, Confidence, Output, Target, command
from anls_frame.cli.written import WRITTEN


@command(
    "anls-frame merge part_*.parquet -o merged.html",
)
def merge(
    files: Annotated[list[Path], typer.Argument(help="Summaries of parts.", metavar="SUMMARY...")],
    *,
    output: Output = None,
    arranging: Arranging,
    confidence: Confidence = 0.95,
    summary: Annotated[Path | None, typer.Option(help="Save the merged summary."), WRITTEN] = None,
    target: Target,
) -> None:
    """
    Merge the summaries of parts, and report all rows.

    Summaries of several systems are compared.
    """
    from anls_frame.cli.output import working
    from anls_frame.cli.reporting import Delivery

    delivery = Delivery(
        output=output, summary=summary, arranging=arranging, confidence=confidence, target=target
    )
    delivery.check()
    with working("Merging"):
        merged = af.merge(af.Summary.load(path) for path in files)
    put = {"report": delivery.put, "comparison": delivery.put_comparison}[merged.kind]
    put(merged)
