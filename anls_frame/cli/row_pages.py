"""Rows of the files of systems, their scores, and pages of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame._text import nearest
from anls_frame.cli import options
from anls_frame.files.raw_tables import with_numbers_where_all_are
from anls_frame.frames import origins
from anls_frame.frames.number_columns import with_numbers
from anls_frame.metrics.scores import score
from anls_frame.protocol import PROTOCOLS, resolve_errors
from anls_frame.runs.log_files import name_of
from anls_frame.runs.reading import scan
from anls_frame.runs.system_files import SystemFiles, texts_of
from anls_frame.summary.rows import with_unanswerable
from anls_frame.summary.settings import unanswerable_in

if TYPE_CHECKING:
    from anls_frame.analysis.browsing import RowsPage


def texts(given: SystemFiles) -> tuple[pl.LazyFrame | pl.DataFrame, dict[str, str]]:
    """Return the rows of one system, as a query, or of several side by side, and their columns by name."""
    file = given.files[0]
    if given.how.systems is None and not given.are_logged:
        names = [*(given.how.names or [name_of(file.path)])]
        if len(names) > 1:
            raise ValueError(f"--name must be given once for one system, got {len(names)}")
        return scan(file, given.how), {names[0]: "prediction"}
    frame, systems, *_ = texts_of(given)
    if len(systems) > 1:
        return frame, dict(systems)
    renamed = frame.rename(dict.fromkeys(systems.values(), "prediction"))
    return origins.like(renamed, frame), dict.fromkeys(systems, "prediction")


def table(given: SystemFiles, *texts_too: str | None) -> tuple[pl.DataFrame, dict[str, str]]:
    """
    Return the rows of `texts` in memory, and the columns of the systems.

    Columns of text files hold text. All of numbers are numeric here, except texts, ids and `texts_too`.
    """
    rows, systems = texts(given)
    frame = rows.lazy().collect()
    as_read = {*systems.values(), "answers", "question_id", *texts_too}
    others = [name for name in frame.columns if name not in as_read]
    return origins.like(with_numbers_where_all_are(frame, others), rows), systems


SCORES = ("anls", "cer", "wer")
"""The scores of texts that verdicts correct."""


def with_row_scores(
    frame: pl.LazyFrame | pl.DataFrame, systems: Mapping[str, str], scoring: options.Reporting, metric: str
) -> tuple[pl.LazyFrame, dict[str, str]]:
    """
    Return rows with the score of each system, and the columns of these scores by system.

    The score is `"anls"` or, of pages, `"cer"` or `"wer"`: the errors of a page, divided by the mean length
    of the references, so that the mean of all pages is the corpus rate. Any other score is a column, and the
    frame has only one system.
    """
    if metric not in SCORES:
        if len(systems) > 1:
            raise ValueError(
                f"--metric {metric}: a column has the scores of one system, not of {len(systems)}"
            )
        columns = frame.collect_schema().names()
        if metric not in columns:
            raise ValueError(
                f"--metric must be one of {', '.join(SCORES)}, or a column with scores, got {metric}"
                f"{nearest(metric, [*SCORES, *columns])}"
            )
        return with_numbers(frame, [metric]), dict.fromkeys(systems, metric)
    scores = {name: f"__anls_frame_score_{name}" for name in systems}
    unanswerable: Any = scoring.unanswerable
    unanswerable = unanswerable_in(unanswerable, frame)
    answered = with_unanswerable(frame.lazy(), systems.values(), "answers", unanswerable)
    values = [_score(metric, column, scoring).alias(scores[name]) for name, column in systems.items()]
    return pl.concat([frame.lazy(), answered.select(values)], how="horizontal"), scores


def _score(metric: str, prediction: str, scoring: options.Reporting) -> Any:
    """Return the score of each row."""
    missing: Any = scoring.missing
    if metric == "anls":
        return af.anls(prediction, "answers", protocol=scoring.protocol, missing=missing)
    errors = resolve_errors(scoring.protocol)
    protocol = PROTOCOLS["anls"].replace(errors=errors.by("word") if metric == "wer" else errors)
    counts = score(prediction, "answers", protocol=protocol, missing=missing).struct
    length = counts.field("reference_length")
    return counts.field("char_errors") * length.count() / length.sum().clip(lower_bound=1)


def page(
    frame: Any, prediction: str | Mapping[str, str], *, metrics: Sequence[str | af.Metric], **options: Any
) -> RowsPage:
    """Return a page of rows, identified by ids if they have any."""
    has_ids = "question_id" in frame.collect_schema().names()
    options["id"] = "question_id" if has_ids else None
    return af.browse(frame, prediction, "answers", metrics=metrics, **options)
