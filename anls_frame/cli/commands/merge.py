"""`merge`: a report, or a comparison of systems, from the summaries of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import anls_frame as af
from anls_frame.cli.options import Arranging, Confidence, Output, Target, command
from anls_frame.cli.written import WRITTEN


@command
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
    Add up the summaries of parts and report the whole.

    Summaries of several systems, as `summarize_systems` makes them, are compared.
    """
    from anls_frame.cli.output import working
    from anls_frame.cli.reporting import Delivery

    delivery = Delivery(
        output=output, summary=summary, arranging=arranging, confidence=confidence, target=target
    )
    delivery.check()
    with working("Merging"):
        merged = _merged(files)
    if isinstance(merged, af.Summary):
        delivery.put(merged)
    else:
        delivery.put_comparison(merged)


def _merged(files: list[Path]) -> af.Summary | af.SystemsSummary:
    from anls_frame.summary.files import is_of_systems

    of_systems = [path for path in files if is_of_systems(path)]
    if not of_systems:
        return af.merge(af.Summary.load(path) for path in files)
    others = [path for path in files if path not in of_systems]
    if others:
        raise ValueError(
            f"{of_systems[0]} is a summary of several systems, and {others[0]} is not: merge them apart"
        )
    return af.merge(af.SystemsSummary.load(path) for path in files)
