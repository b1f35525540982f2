"""Scores of the rows of files: means over repeated answers, what varies between them, pass@k."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message, Option
from anls_frame._text import listed, nearest, numbered, quoted
from anls_frame.exceptions import InputError, Problem
from anls_frame.frames import origins
from anls_frame.frames.number_columns import with_numbers
from anls_frame.protocol import ScoreProtocol
from anls_frame.repeats.question_scores import (
    VarianceComponents,
    mean_over_epochs,
    pass_at_k,
    variance_components,
)
from anls_frame.runs.score_columns import score_columns_of, text_columns
from anls_frame.runs.system_files import (
    QUESTION,
    are_repeated,
)
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import NAMED, SETS, check_names, resolve
from anls_frame.summary.measures import Metric


def are_read(metrics: Sequence[Metric]) -> bool:
    """Return whether a metric reads scores from the rows, rather than computes them from texts."""
    return any(not metric.is_built_in and isinstance(metric.numerator, str | pl.Expr) for metric in metrics)


def resolved(chosen: Sequence[str | Metric], rows: pl.DataFrame, protocol: ScoreProtocol) -> list[Metric]:
    """Return the metrics; of a set, those with a mean over epochs, which ratios of two sums lack, if any."""
    named = score_columns_of([metric for metric in chosen if isinstance(metric, str)])
    unknown = [name for name in named if name not in rows.columns]
    if unknown:
        numbers = [name for name, dtype in rows.schema.items() if dtype.is_numeric() and name != "epoch"]
        also = f"; they have numbers in {listed(list(map(quoted, numbers)))}" if numbers else ""
        scores = ", ".join((*SETS, *NAMED))
        what = f": neither a score ({scores}) nor a column of the files{also}"
        what += nearest(unknown[0], [*SETS, *NAMED, *numbers])
        raise ValueError(Message(Option("metric", unknown[0]), what))
    groups = [resolve(metric, rows.columns, has_texts=True, protocol=protocol) for metric in chosen]
    metrics = [
        metric for group in groups for metric in [metric for metric in group if not metric.is_ratio] or group
    ]
    check_names(metrics)
    return metrics


def averaged(
    rows: pl.DataFrame,
    metrics: Sequence[Metric],
    *,
    id: Sequence[str] = QUESTION,  # noqa: A002 - as in `mean_over_epochs`
    keep: Sequence[str],
    **scoring: Any,
) -> tuple[pl.DataFrame, list[Metric]]:
    """Return the mean scores of each question of a system, and the metrics for these means."""
    table = with_scores(rows, metrics)
    # The sums of ratios cannot be averaged; those of single answers are kept.
    ratios = [] if are_repeated(rows) else [metric for metric in metrics if _divides_columns(metric)]
    asked = [metric for metric in metrics if metric not in ratios]
    named = {metric.name for metric in asked if metric.numerator == metric.name}
    asked += [Metric(name) for name in dict.fromkeys(own_metrics.needed_columns(ratios)) if name not in named]
    means = mean_over_epochs(table, *text_columns(table), id=id, keep=keep, metrics=asked, **scoring)
    return means, [metric if metric in ratios else _as_mean(metric) for metric in metrics]


def _divides_columns(metric: Metric) -> bool:
    """Return whether a metric divides the sums of two columns."""
    return (
        isinstance(metric.numerator, str) and isinstance(metric.denominator, str) and not metric.is_built_in
    )


def with_scores(rows: pl.DataFrame, metrics: Sequence[str | Metric]) -> pl.DataFrame:
    """Return the rows, with numbers in the columns of scores that metrics read."""
    own = [metric for metric in metrics if isinstance(metric, str) or not metric.is_built_in]
    return origins.like(with_numbers(rows, score_columns_of(own)).collect(), rows)


def _as_mean(metric: Metric) -> Metric:
    """Return the metric of a column of means."""
    return Metric(
        metric.name,
        label=metric.label,
        bounds=metric.bounds,
        higher_is_better=metric.higher_is_better,
        format=metric.format,
        in_text="figure" if metric.in_text == "figure" else "interval",
    )


def check_scored(means: pl.DataFrame, metrics: Sequence[Metric]) -> None:
    """Raise an error if a system has no scores at all, for example without a column of scores."""
    for metric in metrics:
        column = str(metric.numerator) if metric.is_ratio else metric.name
        counts = means.group_by("system", maintain_order=True).agg(cs.by_name(column).count())
        scored = counts.filter(counts[column] > 0)
        if 0 < scored.height < counts.height:
            without = [name for name in counts["system"] if name not in scored["system"].to_list()]
            raise InputError(
                [Problem("", "", f"{name!r} has no scores in {quoted(metric.name)}") for name in without]
            )


def check_repeated(rows: pl.DataFrame) -> None:
    """Raise an error if a system answered every question only once."""
    systems = rows.group_by("system", maintain_order=True)
    once = [quoted(name) for (name,), own in systems if not are_repeated(own)]
    if once:
        message = Message(
            f"{listed(once)}: one answer to each question, so nothing is known about epochs; for several "
            "runs of a system, each in a file, name their folder and pass ",
            Option("repeats", value=True),
        )
        raise ValueError(message)


def components_of_systems(
    rows: pl.DataFrame, metric: str | Metric, **options: Any
) -> dict[str, VarianceComponents[pl.DataFrame]]:
    """Return the variance components of each system, with options of `variance_components`."""
    table, chosen = _with_metric(rows, metric, options["protocol"])
    given = {"id": "question_id", "metrics": chosen, **options}
    return {
        str(system): variance_components(origins.like(own, table), "prediction", "answers", **given)
        for (system,), own in table.group_by("system", maintain_order=True)
    }


def pass_at_k_of_systems(
    rows: pl.DataFrame, k: Sequence[int], metric: str | Metric, **scoring: Any
) -> pl.DataFrame:
    """Return pass@k of each system, averaged over its questions."""
    least = rows.group_by(QUESTION).len()["len"].to_list()
    if max(k) > min(least):
        fewest = numbered(min(least), "epoch")
        raise ValueError(Message(Option("pass_at", max(k)), f": there are questions with {fewest}"))
    table, chosen = _with_metric(rows, metric, scoring["protocol"])
    questions = pass_at_k(table, k, "prediction", "answers", id=QUESTION, metrics=chosen, **scoring)
    counted = pl.col("n_epochs").filter(pl.col("n_epochs") > 0).len().alias("questions")
    names = [f"pass_at_{size}" for size in k]
    means: pl.DataFrame = questions.group_by("system", maintain_order=True).agg(counted, pl.col(names).mean())
    return means


def _with_metric(
    rows: pl.DataFrame, metric: str | Metric, protocol: ScoreProtocol
) -> tuple[pl.DataFrame, Metric]:
    """Return the rows, with numbers in the column that the metric reads, and the metric."""
    chosen = resolved([metric], rows, protocol)
    if len(chosen) != 1:
        raise ValueError(f"metric {metric!r} must be one score")
    return with_scores(rows, chosen), chosen[0]
