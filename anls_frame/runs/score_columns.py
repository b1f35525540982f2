"""Columns of scores in files. In text files, they are strings, and an empty string is a missing score."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeAlias

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame.summary import own_metrics
from anls_frame.summary.catalogue import NAMED, NAMES_OF_ROWS, SETS, is_quantile_of_texts
from anls_frame.summary.keys import optional
from anls_frame.summary.measures import Metric
from anls_frame.summary.slicing import columns_of

Scores: TypeAlias = str | Metric | Sequence[str | Metric]
"""One or several scores of files: names, columns of existing scores, or metrics."""
Tables: TypeAlias = str | Sequence[str] | Sequence[Sequence[str]]
"""Columns to slice by, which are crossed, or lists of columns, one for each table."""


def score_columns_of(metrics: Sequence[str | Metric] | None) -> list[str]:
    """Return the columns that hold scores."""
    given = metrics or ()
    built_in = {*SETS, *NAMED, *NAMES_OF_ROWS}
    named = [name for name in given if isinstance(name, str) and name not in built_in]
    own = [metric for metric in given if isinstance(metric, Metric) and not is_quantile_of_texts(metric)]
    values = [value for metric in own for value in (metric.numerator, metric.denominator)]
    of_systems = (value.values() for value in values if isinstance(value, Mapping))
    from_mappings = columns_of(itertools.chain.from_iterable(of_systems))
    return [*named, *from_mappings, *own_metrics.needed_columns(own)]


def are_columns(metrics: Sequence[str | Metric] | None) -> bool:
    """Return whether all metrics are columns of scores, which need no texts."""
    given = metrics or ()
    are_functions = any(isinstance(metric, Metric) and metric.is_function for metric in given)
    return bool(given) and not are_functions and all(score_columns_of([metric]) for metric in given)


def text_columns(frame: pl.DataFrame | pl.LazyFrame) -> tuple[str | None, str | None]:
    """Return the columns of predictions and answers, if a table has both."""
    names = frame.collect_schema().names()
    return ("prediction", "answers") if {"prediction", "answers"} <= {*names} else (None, None)


def metric_of_scores(systems: dict[str, str], metrics: Sequence[str | Metric] | None) -> Metric:
    """Return the metric of the columns of systems, with the name, direction and bounds that it is given."""
    metric, *others = metrics or ["score"]
    if isinstance(metric, str):
        metric = Metric(metric)
    if others or metric.is_ratio or not isinstance(metric.numerator, str):
        raise ValueError(
            Message(Option("metrics"), " must be one name with ", Option("scores"), ", that of the scores")
        )
    return replace(metric, numerator=systems, sources=())


def as_list(metrics: Scores | None) -> list[str | Metric] | None:
    """Return one or several metrics as a list."""
    if metrics is None:
        return None
    return [metrics] if isinstance(metrics, str | Metric) else list(metrics)


def every_column(tables: Sequence[Sequence[str]] | None, cluster: str | None = None) -> list[str]:
    """Return the distinct columns of all tables, and that of the documents."""
    return list(dict.fromkeys([*itertools.chain.from_iterable(tables or ()), *optional(cluster)]))


def tables_of(by: Tables | None) -> list[list[str]] | None:
    """Return the columns of each table: of one with these columns crossed, or of several."""
    if by is None:
        return None
    if isinstance(by, str):
        return [[by]]
    crossed = [name for name in by if isinstance(name, str)]
    return [crossed] if crossed else [list(names) for names in by]
