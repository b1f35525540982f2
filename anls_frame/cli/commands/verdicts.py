"""`verdicts`: how many of the lost points are the model's errors, by what was said of rows on a page."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli.options import File, Output, Reporting, Source, Writing, command

_NOT_THE_MODELS = ("answer_wrong", "answer_incomplete", "ambiguous_question")


@command
def verdicts(
    saved: Annotated[
        Path, typer.Argument(help="Verdicts that a page of rows saved, in JSON Lines.", metavar="VERDICTS")
    ],
    file: File,
    *,
    output: Output = None,
    scoring: Reporting,
    writing: Writing,
    source: Source,
) -> None:
    """
    Count what the rows of each verdict lost, and write these rows with their verdicts.

    The page was made of the same file: the texts of a row must be those that were judged. Rows that have
    moved since are found by their ids.
    """
    import polars as pl

    from anls_frame.cli.output import check_target, plain, print_table, working
    from anls_frame.cli.source import reading, scan
    from anls_frame.cli.verdicts import joined
    from anls_frame.export import rows as row_files

    check_target(output, writing.force, row_files.SUFFIXES)
    found = af.read_verdicts(saved)
    with working(f"Scoring {file}"), reading(file, source):
        frame = scan(file, source)
        judged = joined(found, frame, saved)
        score = af.anls(
            *("prediction", "answers"),
            protocol=scoring.protocol,
            threshold=scoring.threshold,
            missing="null" if scoring.missing == "drop" else "empty",
        )
        lost = (1 - score).alias("lost")
        rows, total = frame.select(lost.count().alias("n"), lost.sum()).collect(engine="streaming").row(0)
        own = judged.select("verdict", lost)
        if output is not None:
            row_files.write(judged.lazy(), output, escape_formulas=writing.escape_formulas)
    table = own.group_by("verdict").agg(pl.len().alias("rows"), pl.col("lost").sum().alias("lost_points"))
    print_table(table.sort("verdict").with_columns(share_of_lost=pl.col("lost_points") / total))
    by_model = ~pl.col("verdict").is_in(_NOT_THE_MODELS)
    of_judged, of_model = own.select(pl.col("lost").sum(), model=pl.col("lost").filter(by_model).sum()).row(0)
    share = f" ({100 * (of_judged - of_model) / of_judged:.0f} %)" if of_judged else ""
    print(
        plain(
            f"{own.height:,} of {numbered(rows, 'row')} judged: they lost {of_judged:.1f} of {total:.1f} "
            f"points, of which {of_judged - of_model:.1f}{share} are not the model's errors"
        )
    )
