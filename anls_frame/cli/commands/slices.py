"""`slices`: where a system is worse than in the rest, or on what the second of two systems lost."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.cli.options import Confidence, Output, Reporting, Source, Target, command
from anls_frame.summary.catalogue import NAMES

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl


@command
def slices(
    first: Annotated[
        Path, typer.Argument(help="Results of a system, or of the first of two.", metavar="FILE")
    ],
    second: Annotated[
        Path | None, typer.Argument(help="Results of the second system.", metavar="[SECOND]")
    ] = None,
    *,
    systems: Annotated[
        str | None, typer.Option(help="Two prediction columns of one file, as OLD,NEW.")
    ] = None,
    output: Output = None,
    column: Annotated[
        list[str] | None,
        typer.Option("--column", help="Column whose values may make up a slice, by default all; repeated."),
    ] = None,
    features: Annotated[
        bool,
        typer.Option("--features", help="Also look at lengths, digits and scripts of texts."),
    ] = False,
    cluster: Annotated[
        str | None, typer.Option("--cluster", "-c", help="Column of the document that rows belong to.")
    ] = None,
    metric: Annotated[
        list[str] | None,
        typer.Option(
            "--metric",
            "-m",
            help=f"{', '.join(name for name in NAMES if name != 'zeros')} or a function of your own as "
            "FILE.py:NAME; may be repeated.",
        ),
    ] = None,
    depth: Annotated[int, typer.Option(help="Largest number of conditions of a slice, from 1 to 3.")] = 2,
    min_rows: Annotated[int, typer.Option(help="Leave out slices with fewer scored rows.")] = 20,
    min_clusters: Annotated[int, typer.Option(help="Leave out slices with fewer documents.")] = 5,
    top: Annotated[int, typer.Option(help="Largest number of slices to list.")] = 20,
    holdout: Annotated[
        float | None,
        typer.Option(
            help="Share of documents on which the slices are tested and estimated that were found on the "
            "others; 0 tests all slices on all documents. By default 0, and 0.5 with --depth 3."
        ),
    ] = None,
    scoring: Reporting,
    confidence: Confidence = 0.95,
    seed: Annotated[int, typer.Option(help="Seed of the test.")] = 0,
    target: Target,
    source: Source,
) -> None:
    """
    Find the slices in which a system is worse than in the rest.

    Of two systems, find the slices in which the second one lost. All values of all columns are looked at, and
    combinations of them; p-values are adjusted for this.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.cli.output import check_target, plain, print_document, working
    from anls_frame.cli.source import are_pages, load
    from anls_frame.cli.systems import Systems, texts_of
    from anls_frame.export import SUFFIXES

    check_target(output, target.force, SUFFIXES)
    chosen: list[Any] | None = parse(metric) or (["cer_corpus"] if are_pages(first, source) else None)
    with working("Looking for slices"):
        if second is None and systems is None:
            frame, prediction = load(first, source), {"prediction": "prediction"}
        else:
            given = Systems(
                files=[first] if second is None else [first, second],
                columns=systems,
                source=source,
                number="two",
            )
            frame, prediction = texts_of(given, lower_is_better=False)
        roles = {*prediction.values(), "answers", "question_id", cluster}
        candidates = column or [name for name in frame.columns if name not in roles]
        found: af.Slices = af.find_slices(
            _with_numbers(frame, candidates),
            prediction if len(prediction) > 1 else "prediction",
            "answers",
            candidates,
            features=features,
            cluster=cluster,
            metrics=chosen[0] if chosen is not None and len(chosen) == 1 else chosen,
            depth=depth,
            min_rows=min_rows,
            min_clusters=min_clusters,
            top=top,
            holdout=holdout,
            confidence=confidence,
            seed=seed,
            **vars(scoring),
        )
    if output is not None:
        found.write(output, escape_formulas=target.escape_formulas)
    if target.json:
        print_document(found.to_document())
    elif output is not None:
        print(plain(f"{numbered(found.table.height, 'slice')}: {output}"))
    else:
        print(plain(repr(found)))


def _with_numbers(frame: pl.DataFrame, names: Sequence[str]) -> pl.DataFrame:
    """Return columns of numbers as such: in text files they are strings, and "" is missing."""
    import polars as pl

    from anls_frame.readers._raw import numbers

    columns = []
    for column in frame.select(name for name in names if frame.schema.get(name) == pl.String):
        filled = column.set(column == "", None)
        written = filled.drop_nulls()
        if len(written) and numbers(written).dtype.is_numeric():
            filled = filled.cast(pl.Float64)
        columns.append(filled)
    return frame.with_columns(columns)
