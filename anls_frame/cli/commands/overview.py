"""`overview`: how good, where, why, and what to do first, on one page."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame._text import listed
from anls_frame.cli import options
from anls_frame.cli.output import check_rows, working


@options.command(
    "anls-frame overview results.csv -o overview.html",
    "anls-frame overview old.jsonl new.jsonl -o overview.html",
    "anls-frame overview ocr/ --gold truth/ -o overview.html",
    "anls-frame overview submission.json --gold gold.json",
)
def overview(
    files: list[Path],
    *,
    target: options.Target,
    slicing: options.SlicingOptions,
    model_confidence: str | None = None,
    metric: str | None = None,
    rows: int | None = None,
    risk: float = 0.05,
    scoring: options.Reporting,
    confidence: float = 0.95,
    runs: options.Runs = "error",
    source: options.SystemColumns,
) -> None:
    """
    Show how good a system is, where it fails, and why.

    The page ends with what to do first. Columns are found by name, type and content; the result says
    which, and options change them. An error shows the candidates if several columns could be meant.

    Parameters
    ----------
    files
        Results of one system, or a file or folder for each of several.
    by
        Column whose values can define slices; may be repeated. [default: all with few values]
    cluster
        Column with the document of each row; none if there is none. [default: found]
    model_confidence
        Column of the model's confidence in each answer; none if there is none. [default: found]
    metric
        Score, such as anls (`anls-frame names metrics` lists them), the set ocr or speech, or a column of
        scores. [default: anls, of pages ocr]
    risk
        Largest allowed loss of answers that are accepted unread because of their confidence.
    """
    import polars.selectors as cs

    from anls_frame.cli import row_pages
    from anls_frame.cli.metrics import parse
    from anls_frame.frames import origins
    from anls_frame.runs.reading import are_pages, warn_of_transcripts
    from anls_frame.runs.score_columns import every_column, score_columns_of

    check_rows(rows, target.output)
    metrics: Any = parse(None if metric is None else [metric])
    warn_of_transcripts(metrics, source.how())
    columns = every_column(slicing.by)
    given = source.in_files(files, runs, least=1)
    # Which columns are meant is found below, with more than their names.
    given = replace(given, how=replace(given.how, needs_texts=given.are_logged))
    with working("Reading"):
        entries = [*columns, slicing.cluster, model_confidence, *score_columns_of(metrics)]
        frame, systems = row_pages.table(given.naming(*entries))
    # Columns have the names that people know: those of the file, or those of the systems.
    own = dict(origins.of(frame).columns)
    if len(systems) > 1:
        own = {column: name for name, column in systems.items() if name not in frame.columns}
    if given.how.systems is not None and given.how.system_column is None:
        # Texts take the place of the columns that they were read from.
        own = dict(zip(systems.values(), given.how.systems, strict=True))
        others = cs.by_name(*({*own.values()} - {*own}), require_all=False)
        frame = origins.like(frame.drop(others), frame)
    frame = origins.like(frame.rename(own, strict=False), frame)
    systems = {name: own.get(column, column) for name, column in systems.items()}
    scores = {*score_columns_of(metrics)} & {*frame.columns}
    has_texts = {*systems.values()} <= {*frame.columns} and not scores
    # A column that --answers names may have any name.
    answers = own.get("answers", "answers") if not scores and source.answers is not None else None
    with af.progress():
        result: Any = af.overview(
            frame,
            systems if has_texts else None,
            answers,
            metrics=metrics[0] if metrics else "ocr" if are_pages(given.how) else None,
            by=columns or None,
            cluster=_column(slicing.cluster),
            model_confidence=_column(model_confidence),
            risk=risk,
            confidence=confidence,
            **vars(scoring),
        )
    page = None
    if rows is not None:
        with working("Writing rows"):
            roles = result.roles
            by = {*roles.by, roles.cluster} - {None}
            labels = [] if result.row_causes is None else [result.row_causes]
            page = af.browse(
                origins.like(frame.with_columns(labels), frame),
                roles.systems,
                roles.answers,
                metrics=[result.measures[0].name],
                id=roles.id,
                by=[name for name in frame.columns if name in by] + [label.name for label in labels],
                n=rows,
                **vars(scoring),
            )
    title = f"Overview of {listed([path.name for path in files], _NAMED)}"
    shown = {} if target.output is None else {"title": title}
    target.put(result, shown, source=files, rows=page)


_NAMED = 3
"""Number of files that a title names."""


def _column(name: str | None) -> Any:
    """Return the option of a column: False says that there is none."""
    return False if name == "none" else name
