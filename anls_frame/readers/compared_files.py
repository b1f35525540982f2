"""Comparisons of files of systems by texts, means over repeated answers, or columns of scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl

from anls_frame.frames import origins
from anls_frame.frames.number_columns import with_numbers
from anls_frame.readers._problems import Advice
from anls_frame.readers.any_file import are_pages
from anls_frame.readers.repeated_answers import are_read, averaged, check_scored, resolved
from anls_frame.readers.score_columns import columns_of
from anls_frame.readers.system_files import (
    SystemFiles,
    are_repeated,
    logged,
    scores_in_columns,
    side_by_side,
    systems_of,
    texts_in_columns,
)
from anls_frame.reports.comparisons import Comparison, baseline_first, compare
from anls_frame.reports.long_frames import side_by_side as in_columns
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric


def usual_metric(given: SystemFiles) -> str:
    """Return the default metric of texts for comparisons."""
    return "cer_corpus" if are_pages(given.how) else "anls"


def compare_texts(
    given: SystemFiles,
    metrics: Sequence[str | Metric],
    *,
    baseline: str | None,
    details: bool,
    scoring: Mapping[str, Any],
    **options: Any,
) -> Comparison:
    """Compare the texts of systems, or means over repeated answers; other options are those of `compare`."""
    rows = logged(given) if given.are_logged else None
    asked = [] if rows is None else resolved(metrics, rows, scoring["protocol"])
    if rows is not None and (are_repeated(rows) or are_read(asked)):
        return _compare_means(rows, asked, baseline=baseline, details=details, scoring=scoring, **options)
    frame, systems = texts_in_columns(given) if rows is None else side_by_side(rows)
    comparison: Comparison = compare(
        origins.like(with_numbers(frame.lazy(), columns_of(metrics)).collect(), frame),
        {name: systems[name] for name in baseline_first(systems, baseline)},
        "answers",
        metrics=metrics,
        details=details,
        **scoring,
        **options,
    )
    return _not_empty(comparison, "no row has an answer to score against")


def _compare_means(
    rows: pl.DataFrame,
    metrics: Sequence[Metric],
    *,
    baseline: str | None,
    details: bool,
    scoring: Mapping[str, Any],
    **options: Any,
) -> Comparison:
    """Compare the mean scores of questions that were answered several times."""
    if details:
        counted = "details= counts the error types of texts, not of means or columns of scores"
        raise ValueError(Advice(f"{counted}: choose one epoch with epoch=, and metrics of texts"))
    kept = [*(name for table in options["by"] or () for name in table), *optional(options["cluster"])]
    means, asked = averaged(rows, metrics, keep=kept, **scoring)
    check_scored(means, asked)
    order = baseline_first(systems_of(rows), baseline)
    wide = in_columns(means, system="system", id="question_id", systems=order, metrics=asked)
    return _not_empty(compare(wide, **options), "no row has an answer to score against")


def compare_scores(
    given: SystemFiles, name: str, *, lower_is_better: bool, baseline: str | None, **options: Any
) -> Comparison:
    """Compare columns of scores; other options are those of `compare`."""
    frame, systems = scores_in_columns(given)
    comparison: Comparison = compare(
        frame,
        {name: systems[name] for name in baseline_first(systems, baseline)},
        None,
        metrics=metric_of_scores(systems, name, lower_is_better=lower_is_better),
        **options,
    )
    return _not_empty(comparison, "no row has the scores of all systems")


def metric_of_scores(systems: dict[str, str], name: str, *, lower_is_better: bool) -> Metric:
    """Return the metric of the columns of systems."""
    return Metric(systems, name=name, higher_is_better=False if lower_is_better else None)


def _not_empty(comparison: Comparison, message: str) -> Comparison:
    if not comparison.overall["n"].max():
        raise ValueError(message)
    return comparison
