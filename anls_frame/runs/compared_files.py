"""Comparisons of files: by texts, means over repeated answers, or columns of scores."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame._text import numbered, quoted
from anls_frame._typing import Missing
from anls_frame.exceptions import warn
from anls_frame.protocol import ScoreProtocol, resolve_protocol
from anls_frame.reports.comparisons import Comparison, baseline_first, compare
from anls_frame.reports.long_frames import Wide
from anls_frame.reports.long_frames import side_by_side as in_columns
from anls_frame.runs.log_files import Paths
from anls_frame.runs.reading import Reading, usual_metric, warn_of_transcripts
from anls_frame.runs.score_columns import Scores, Tables, as_list, every_column, score_columns_of, tables_of
from anls_frame.runs.scored_files import are_read, averaged, check_scored, resolved, with_scores
from anls_frame.runs.system_files import (
    SystemFiles,
    are_repeated,
    scores_in_columns,
    side_by_side,
    systems_of,
)
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import Unanswerable
from anls_frame.summary.system_rows import warn_of_logged


def compare_files(
    files: Paths | SystemFiles,
    reading: Reading | None = None,
    *,
    baseline: str | None = None,
    by: Tables | None = None,
    cluster: str | None = None,
    metrics: Scores | None = None,
    scores: bool = False,
    details: bool = False,
    confidence: float = 0.95,
    protocol: ScoreProtocol | str = "anls",
    missing: Missing = "empty",
    unanswerable: Unanswerable = "drop",
) -> Comparison:
    """
    Compare the files of systems on the same questions, as `anls-frame compare` does.

    A question with several epochs counts once, with the mean of its scores.

    Parameters
    ----------
    files
        A file or folder for each system, a single folder with a file or folder for each system, or a single
        file with all systems in columns or rows, which `reading` names.
    reading
        How to read the files; by default, everything is detected.
    baseline
        The system with which the others are compared; by default the first.
    by
        Columns to slice by, which are crossed, or lists of columns, one for each table.
    cluster
        Column that identifies the document of each row.
    metrics
        As for `anls_frame.compare`; by default ANLS or, of pages of OCR, "cer_corpus". With `scores`, a name
        for the scores, or a `Metric` of one with a direction or bounds.
    scores
        Whether the columns that ``Reading(systems=...)`` names hold existing scores.
    details, confidence, protocol, missing, unanswerable
        As for `anls_frame.compare`.

    Returns
    -------
    Comparison
        The comparison.

    Raises
    ------
    InputError
        If the files have problems, or do not have the same questions and answers.
    OSError
        If a file cannot be opened, or no file matches a pattern.
    ValueError
        If there are fewer than two systems, no row can be scored, or options do not fit.

    See Also
    --------
    report_files : reports the files of one system.
    anls_frame.compare : compares columns of a frame.

    Examples
    --------
    >>> import anls_frame as af
    >>> df = af.sample()
    >>> df.select("question_id", prediction="tesseract").write_csv("tesseract.csv")
    >>> df.select("question_id", prediction="rapidocr").write_csv("rapidocr.csv")
    >>> comparison = af.readers.compare_files(["tesseract.csv", "rapidocr.csv"], af.readers.Reading(gold=df))
    >>> list(comparison.systems)
    ['tesseract', 'rapidocr']
    """
    chosen = as_list(metrics)
    given = SystemFiles.of(files, reading, chosen)
    tables = tables_of(by)
    given = given.naming(*every_column(tables, cluster), *([] if scores else score_columns_of(chosen)))
    warn_of_transcripts(chosen, given.how)
    options: dict[str, Any] = {
        "by": tables,
        "cluster": cluster,
        "details": details,
        "confidence": confidence,
    }
    scoring = {"protocol": protocol, "missing": missing, "unanswerable": unanswerable}
    if scores:
        comparison: Comparison = compare(_in_order(scores_in_columns(given, chosen), baseline), **options)
    else:
        comparison = _of_texts(given, chosen or [usual_metric(given.how)], baseline, scoring, options)
    comparison.account.check_scored(comparison.overall["n"].max())
    return comparison


def _of_texts(
    given: SystemFiles,
    metrics: Sequence[str | Metric],
    baseline: str | None,
    scoring: dict[str, Any],
    options: dict[str, Any],
) -> Comparison:
    """Compare the texts of systems, or means over repeated answers."""
    rows = given.rows if given.are_logged else None
    kept = every_column(options["by"], options["cluster"])
    asked = [] if rows is None else resolved(metrics, rows, resolve_protocol(scoring["protocol"]))
    if rows is not None and (are_repeated(rows) or are_read(asked)):
        if options["details"]:
            counted = (
                " counts the error types of texts, not of means or columns of scores: choose one epoch with "
            )
            advice = Message(Option("epoch"), ", and metrics of texts")
            raise ValueError(Message(Option("details"), counted, advice))
        means, asked = averaged(rows, asked, keep=kept, **scoring)
        check_scored(means, asked)
        order = baseline_first(systems_of(rows), baseline)
        wide = in_columns(means, system="system", id="question_id", systems=order, metrics=asked)
        of_means: Comparison = compare(wide, **options)
        return of_means
    if rows is None:
        texts = given.texts
    else:
        how = {name: scoring[name] for name in ("protocol", "missing")}
        warn_of_logged(rows, ("prediction", "answers"), asked, **how)
        _warn_of_differing(rows, kept)
        texts = side_by_side(rows)
    texts = texts._replace(frame=with_scores(texts.frame, metrics))
    comparison: Comparison = compare(_in_order(texts, baseline), metrics=metrics, **scoring, **options)
    return comparison


def _warn_of_differing(rows: pl.DataFrame, names: Sequence[str]) -> None:
    """Warn of columns whose values for a question differ between systems."""
    for name in names:
        if name not in rows.columns:
            continue
        values = pl.DataFrame([rows["question_id"], rows[name].alias("value")]).unique(maintain_order=True)
        several = values.filter(values["question_id"].is_duplicated())
        if not several.is_empty():
            number = numbered(several["question_id"].n_unique(), "question")
            question, first = several.row(0)
            other = several.filter(question_id=question)["value"][1]
            warn(
                f"column {name!r} differs between systems for {number}, such as {quoted(question)}: "
                f"{quoted(first)} and {quoted(other)}; the values of {rows['system'][0]!r} are used"
            )


def _in_order(wide: Wide[pl.DataFrame], baseline: str | None) -> Wide[pl.DataFrame]:
    """Return systems side by side with the baseline first."""
    names = baseline_first(wide.systems, baseline)
    return wide._replace(systems={name: wide.systems[name] for name in names})
