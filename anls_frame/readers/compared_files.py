"""Comparisons of the files of systems: of texts, of means over repeated answers, or of columns of scores."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anls_frame.frames import origins
from anls_frame.readers._problems import Advice, Option
from anls_frame.readers.any_file import are_pages
from anls_frame.readers.repeated_answers import are_read, averaged, check_scored, resolved
from anls_frame.readers.score_columns import columns_of, with_numbers
from anls_frame.readers.system_files import (
    are_repeated,
    logged,
    scores_in_columns,
    side_by_side,
    texts_in_columns,
)
from anls_frame.reports.comparisons import baseline_first, compare
from anls_frame.reports.long_frames import side_by_side as in_columns
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

    from anls_frame._typing import Missing
    from anls_frame.protocol import ScoreProtocol
    from anls_frame.readers.system_files import SystemFiles
    from anls_frame.reports.comparisons import Comparison
    from anls_frame.summary.settings import Unanswerable


def usual_metric(given: SystemFiles) -> str:
    """Return the metric of texts that is compared if none is named."""
    return "cer_corpus" if are_pages(given.files[0], given.how) else "anls"


def compare_texts(
    given: SystemFiles,
    metrics: Sequence[str | Metric],
    *,
    by: Sequence[Sequence[str]] | None,
    cluster: str | None,
    baseline: str | None,
    details: bool,
    confidence: float,
    seed: int,
    protocol: ScoreProtocol,
    missing: Missing,
    unanswerable: Unanswerable,
) -> Comparison:
    """Compare the texts of systems; of repeated answers, the means."""
    rows, labels = logged(given) if given.are_logged else (None, {})
    found = [] if rows is None else resolved(metrics, rows, protocol)
    comparison: Comparison
    if rows is not None and (are_repeated(rows) or are_read(found)):
        if details:
            raise ValueError(
                Advice(
                    Option("details", value=None),
                    " counts the error types of texts, not of means over epochs or columns of scores: choose "
                    "one epoch with ",
                    *(Option("epoch", None), ", and metrics of texts"),
                )
            )
        means, asked = averaged(
            rows,
            found,
            keep=[*(name for table in by or () for name in table), *optional(cluster)],
            protocol=protocol,
            missing=missing,
            unanswerable=unanswerable,
        )
        check_scored(means, asked, labels)
        order = baseline_first(labels, baseline)
        wide = in_columns(means, system="system", id="question_id", systems=order, metrics=asked)
        comparison = compare(wide, by=by, cluster=cluster, confidence=confidence, seed=seed)
    else:
        frame, systems = texts_in_columns(given) if rows is None else side_by_side(rows, [*labels])
        comparison = compare(
            _with_scores(frame, metrics),
            {name: systems[name] for name in baseline_first(systems, baseline)},
            "answers",
            by=by,
            cluster=cluster,
            metrics=metrics,
            protocol=protocol,
            missing=missing,
            unanswerable=unanswerable,
            details=details,
            confidence=confidence,
            seed=seed,
        )
    return _not_empty(comparison, "no row has an answer to score against")


def compare_scores(
    given: SystemFiles,
    name: str,
    *,
    lower_is_better: bool,
    by: Sequence[Sequence[str]] | None,
    cluster: str | None,
    baseline: str | None,
    details: bool,
    confidence: float,
    seed: int,
) -> Comparison:
    """Compare columns of scores."""
    frame, systems = scores_in_columns(given)
    comparison: Comparison = compare(
        frame,
        {name: systems[name] for name in baseline_first(systems, baseline)},
        None,
        by=by,
        cluster=cluster,
        metrics=metric_of_scores(systems, name, lower_is_better=lower_is_better),
        details=details,
        confidence=confidence,
        seed=seed,
    )
    return _not_empty(comparison, "no row has the scores of all systems")


def metric_of_scores(systems: dict[str, str], name: str, *, lower_is_better: bool) -> Metric:
    """Return the metric of the columns of systems."""
    return Metric(systems, name=name, higher_is_better=False if lower_is_better else None)


def _with_scores(frame: pl.DataFrame, metrics: Sequence[str | Metric]) -> pl.DataFrame:
    return origins.like(with_numbers(frame.lazy(), columns_of(metrics)).collect(), frame)


def _not_empty(comparison: Comparison, message: str) -> Comparison:
    if not comparison.overall["n"].max():
        raise ValueError(message)
    return comparison
