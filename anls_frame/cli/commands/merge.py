"""`merge`: a report from the summaries of parts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import anls_frame as af
from anls_frame.cli.options import Output, Table, Target, command


@command
def merge(
    files: Annotated[list[Path], typer.Argument(help="Summaries of parts.", metavar="SUMMARY...")],
    *,
    output: Output = None,
    table: Table,
    summary: Annotated[Path | None, typer.Option(help="Save the merged summary.")] = None,
    allow_missing: Annotated[
        bool, typer.Option("--allow-missing", help="Merge even if shards are missing.")
    ] = False,
    target: Target,
) -> None:
    """Add up the summaries of parts and report the whole."""
    from anls_frame.cli.output import working
    from anls_frame.cli.reporting import Delivery
    from anls_frame.cli.shards import check_inputs, missing_shards

    delivery = Delivery(output=output, summary=summary, table=table, target=target)
    delivery.check()
    with working("Merging"):
        merged = af.merge(af.Summary.load(path) for path in files)
        check_inputs(files)
    missing = missing_shards(merged.parts)
    if missing and not allow_missing:
        raise ValueError(
            f"shards are missing: {'; '.join(missing)}. Pass --allow-missing to merge the others"
        )
    delivery.put(merged)
