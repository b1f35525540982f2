"""`report`: the scores of all rows and by slice."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import anls_frame as af
from anls_frame.cli import options
from anls_frame.cli.output import check_rows, say, working
from anls_frame.files.file import File

_PAGES = 1_000
"""Pages that a report lists by default."""


@options.command(
    "anls-frame report results.csv -b doc_type -c doc_id -o report.html",
    "anls-frame report results.csv -b doc_type --details --rows 1000 -o report_rows.html",
    "anls-frame report submission.json --gold gold.json -b question_types",
    "anls-frame report ocr/ --gold truth/ --worst 10 --details -o pages.html",
    "anls-frame report new.csv -b doc_type --summary part_3.parquet",
)
def report(
    files: list[Path],
    *,
    target: options.SummaryTarget,
    slicing: options.SlicingOptions,
    scoring: options.Reporting,
    metric: list[str] | None = None,
    worst: int | None = None,
    keep: list[str] | None = None,
    rows: int | None = None,
    details: bool = False,
    arranging: options.Arranging,
    confidence: float = 0.95,
    fold_clusters: bool = False,
    allow_repeated_ids: bool = False,
    repeats: bool = False,
    runs: options.Runs = "error",
    source: options.SourceOptions,
) -> None:
    """
    Report the scores of all rows and by slice, with intervals.

    A question with several epochs counts once, with the mean of its scores.

    Parameters
    ----------
    files
        One file of results, several of the same kind, or a folder of these.
    metric
        Score to report, such as anls or cer_corpus (`anls-frame names metrics` lists them); a set: qa (the
        default), ocr (of pages), speech or fields (of documents); a column of scores, such as
        bounds:0:1:judge; a quantile, such as median:cer or quantile:0.9:cer; or your own function, as
        FILE.py:NAME. May be repeated.
    worst
        How many of the worst rows to show, by the first metric; by default none, for pages 1,000.
    details
        Also count error types, character confusions and lengths.
    summary
        Save the summary, as Parquet, for `merge`.
    fold_clusters
        Save documents in 4,096 groups, each counted as one document, so that the file stays small.
    allow_repeated_ids
        Report files as one system even if they have ids in common.
    repeats
        Average the answers if files have questions in common.
    """
    from anls_frame.cli.metrics import parse
    from anls_frame.runs.reading import are_pages, columns, reading
    from anls_frame.runs.reported_files import report_files, single_answers
    from anls_frame.runs.score_columns import every_column, score_columns_of
    from anls_frame.runs.system_files import SystemFiles

    given = SystemFiles(files=list(map(File, files)), how=source.how(runs=runs), repeats=repeats)
    metrics = parse(metric, lambda: columns(given.every_file[0], replace(given.how, needs_texts=False)))
    given = replace(given, how=source.how(None if rows else metrics, runs=runs))
    by = every_column(slicing.by)
    given = given.naming(*by, slicing.cluster, *(keep or ()), *score_columns_of(metrics))
    if worst is None:
        worst = _PAGES if are_pages(given.how) else 0
    check_rows(rows, target.output)
    if fold_clusters and (target.summary is None or slicing.cluster is None):
        raise ValueError("--fold-clusters is for a summary with clusters: it needs --summary and --cluster")
    how: Any = vars(scoring)

    try:
        with af.progress():
            made = report_files(
                given,
                metrics=metrics,
                by=slicing.by,
                cluster=slicing.cluster,
                worst=worst,
                keep=keep or (),
                details=details,
                shared_ids="rows" if allow_repeated_ids else "error",
                confidence=confidence,
                **how,
            )
    except af.InputError as error:
        if any(map(Path.is_dir, files)) and all(one.file.endswith(".json") for one in error.problems):
            say("for a folder with a JSON document in each file, use `anls-frame fields`")
        raise
    page = None
    if rows is not None:
        from anls_frame.cli import row_pages

        scores = [
            score for score in metrics or () if not isinstance(score, af.Metric) or score.probability is None
        ] or (["ocr"] if are_pages(given.how) else ["qa"])
        with working("Writing rows"), reading(given.every_file[0], given.how):
            page = row_pages.page(
                single_answers(given, scores),
                "prediction",
                metrics=scores,
                by=by,
                keep=keep or (["question_id"] if are_pages(given.how) else ()),
                n=rows,
                **how,
            )
    target.put_report(
        made,
        arranging.options,
        saved=made.summary.fold_clusters() if fold_clusters else None,
        rows=page,
        source=list(map(str, given.every_file)),
    )
