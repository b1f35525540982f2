"""`browse`: scored rows as a page for sorting, filtering and reading."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anls_frame._text import numbered
from anls_frame.cli.options import (
    By,
    Files,
    Force,
    Id,
    Keep,
    Reporting,
    Runs,
    SourceOptions,
    SystemColumns,
    command,
)
from anls_frame.cli.output import check_target, plain, working
from anls_frame.cli.written import WRITTEN
from anls_frame.summary.catalogue import NAMES


@command(
    "anls-frame browse results.csv -b doc_type --keep doc_id -o rows.html",
    "anls-frame browse old.jsonl new.jsonl -b doc_type -o systems.html",
    "anls-frame browse ocr/ --gold truth/ -n 100 -o pages_rows.html",
)
def browse(
    files: Files,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="File to write, ending in .html."), WRITTEN],
    named: SystemColumns,
    by: By = None,
    keep: Keep = None,
    image: Annotated[
        str | None,
        typer.Option(
            help="Column with the path or address of an image, or a template such as pages/{doc_id}.png; "
            "paths are relative to the folder of the page."
        ),
    ] = None,
    id: Id = None,  # noqa: A002 - what users call it
    n: Annotated[int | None, typer.Option("--n", "-n", help="Only this many rows, the worst ones.")] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help=f"{', '.join(name for name in NAMES if name != 'zeros')}, a column of scores, or your own "
            "function as FILE.py:NAME; may be repeated. Rows are sorted by the first one.",
        ),
    ] = None,
    scoring: Reporting,
    force: Force = False,
    runs: Runs = "error",
    source: SourceOptions,
) -> None:
    """
    Write a page for sorting, filtering, searching and reading rows.

    The page is a single HTML file that needs no server. Files of several systems are paired by question id,
    as in `compare`; the page then also filters rows by which systems are right.
    """
    from anls_frame.cli.row_pages import columns, page_of_files

    check_target(output, force, (".html", ".htm"))
    given = named.in_files(files, source, runs, least=1)
    with working("Scoring"):
        page, name_of_system = page_of_files(
            given,
            metric,
            scoring,
            by=columns(by),
            keep=keep or (),
            image=image,
            id=id,
            n=n,
        )
        page.write(output, title=name_of_system, source=files)
    print(plain(f"{numbered(page.rows, page.noun)}: {output}"))
