"""`overview`: how good, where, why, and what to do first, on one page."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anls_frame as af
from anls_frame._messages import Message, Option
from anls_frame._text import numbered
from anls_frame.cli import options
from anls_frame.cli.output import check_rows, four_digits, say, working

if TYPE_CHECKING:
    import polars as pl

    from anls_frame.runs.system_files import SystemFiles


@options.command(
    "anls-frame overview results.csv -o overview.html",
    "anls-frame overview old.jsonl new.jsonl -o overview.html",
    "anls-frame overview ocr/ --gold truth/ -o overview.html",
    "anls-frame overview submission.json --gold gold.json",
)
def overview(
    files: list[Path],
    *,
    named: options.SystemColumns,
    target: options.Target,
    slicing: options.SlicingOptions,
    model_confidence: str | None = None,
    metric: str | None = None,
    rows: int | None = None,
    risk: float = 0.05,
    scoring: options.Reporting,
    confidence: float = 0.95,
    runs: options.Runs = "error",
    source: options.SourceOptions,
) -> None:
    """
    Show how good a system is, where and why it fails, and what to do first, on one page.

    Columns are found by name, type and content; the result says which, and options change them. An error
    shows the candidates if several columns could be meant.

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
        {scores}, the set ocr, or a column of scores. [default: anls, of pages ocr]
    risk
        Largest allowed loss of answers that are accepted unread because of their confidence.
    """
    from anls_frame.cli import row_pages
    from anls_frame.cli.metrics import parse
    from anls_frame.export import SUFFIXES
    from anls_frame.files.raw_tables import with_numbers_where_all_are
    from anls_frame.runs.reading import are_pages
    from anls_frame.runs.score_columns import columns_of

    target.check(SUFFIXES)
    check_rows(rows, target.output)
    metrics: Any = parse(None if metric is None else [metric])
    pages = are_pages(source.how())
    given = named.in_files(files, source, runs, least=1)
    # Which columns are meant is found below, with more than their names.
    given = replace(given, how=replace(given.how, needs_texts=given.are_logged))
    with working("Reading"):
        frame, systems = _read(given)
    texts = [*systems.values(), "answers", "question_id"]
    frame = with_numbers_where_all_are(frame, [name for name in frame.columns if name not in texts])
    has_texts = {*systems.values()} <= {*frame.columns} and columns_of(metrics) == []
    with af.progress():
        result: Any = af.overview(
            frame,
            systems if has_texts else None,
            metrics=metrics[0] if metrics else "ocr" if pages else None,
            by=[name for names in options.tables(slicing.by) or () for name in names] or None,
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
            columns = dict.fromkeys([*roles.by, *([roles.cluster] if roles.cluster else [])])
            page = row_pages.page(
                frame,
                roles.systems,
                metrics=[result.measures[0].name],
                by=list(columns),
                n=rows,
                **vars(scoring),
            )
    overall, first = result.report.overall, result.measures[0]
    said = (
        f"{numbered(overall['n'], result.row_names['row'])}, {first.label} {four_digits(overall[first.name])}"
    )
    shown = (
        {}
        if target.output is None
        else {"title": f"Overview of {', '.join(path.name for path in files[:3])}"}
    )
    written = {} if page is None else {"rows": page}
    target.put(result, said, shown, **written, **({"source": files} if target.output is not None else {}))


def _read(given: SystemFiles) -> tuple[pl.DataFrame, dict[str, str]]:
    """Return the rows and the columns of systems; answers that look separated are split, which is said."""
    from anls_frame.cli.row_pages import texts

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        query, systems = texts(given)
        frame = query.lazy().collect()
    parts = [part for warning in caught for part in _parts(warning.message)]
    separators = [part.value for part in parts if isinstance(part, Option) and part.name == "answers_format"]
    if not separators:
        for warning in caught:
            warnings.warn_explicit(warning.message, warning.category, warning.filename, warning.lineno)
        return frame, systems
    separator = separators[0]  # the other one reads texts
    say(
        f"answers are read as {'lists' if separator == 'list' else f'texts between {separator!r}'}, of which "
        "each is accepted; --reader auto,answers_format=text reads each as one answer"
    )
    split = {**given.how.options, "answers_format": separator}
    return _read(replace(given, how=replace(given.how, options=split)))


def _parts(warning: Warning | str) -> Sequence[object]:
    """Return the texts and options of a warning's message."""
    message = warning.args[0] if isinstance(warning, Warning) else warning
    return message.parts if isinstance(message, Message) else ()


def _column(name: str | None) -> Any:
    """Return the option of a column: False says that there is none."""
    return False if name == "none" else name
