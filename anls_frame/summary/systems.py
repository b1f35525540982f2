"""Metrics of several systems, with one description for all systems and values for each."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any, TypeGuard

from anls_frame._arguments import check_names
from anls_frame._messages import wrong
from anls_frame.frames.reserved_columns import PREDICTION
from anls_frame.protocol import ScoreProtocol
from anls_frame.summary.catalogue import are_of_fields, of_own_fields, resolve, row_metrics
from anls_frame.summary.measures import Metric


def systems_of(prediction: Any) -> dict[str, str]:
    """Return the systems as a mapping from names to columns; a column alone is a system of its name."""
    if isinstance(prediction, list | tuple | Mapping):
        return resolve_systems(prediction, least=1)
    name = "score" if prediction is None else prediction
    check_names([name])
    return {name: name}


def columns_of_systems(
    prediction: str | Mapping[str, str] | Sequence[str], model_confidence: str | Mapping[str, str] | None
) -> tuple[dict[str, str], dict[str, str], dict[str, str]]:
    """Return for each system its column, the beginning of its new columns, and the column of confidences."""
    systems = {PREDICTION: prediction} if isinstance(prediction, str) else systems_of(prediction)
    given = {PREDICTION: model_confidence} if isinstance(model_confidence, str) else model_confidence or {}
    sure = dict(given) if isinstance(given, Mapping) else {}
    if len(sure) < len(given) or not sure.keys() <= systems.keys():
        raise ValueError(
            "model_confidence must be a column for one system, and a mapping from the names of systems for "
            f"several, here of {list(systems)}, got {model_confidence!r}"
        )
    starts = {system: "" if isinstance(prediction, str) else f"{system}_" for system in systems}
    return systems, starts, sure


def are_several(prediction: Any) -> TypeGuard[Mapping[str, str] | Sequence[str]]:
    """Return whether a caller named several systems, which are compared, rather than one or none."""
    return isinstance(prediction, list | tuple | Mapping) and len(prediction) > 1


def metrics_of(
    given: Any,
    prediction: Any,
    columns: Sequence[Any],
    *,
    has_texts: bool,
    protocol: ScoreProtocol | str,
    are_of_rows: bool = False,
) -> tuple[Metric, ...]:
    """
    Return the metrics for `metrics=`, of one system or of several.

    Those of several systems are scores of rows, for texts `"anls"` by default; so are those of one system, if
    they are to be. Without texts, the columns of several systems hold existing scores, and a string names
    these scores.
    """
    are_compared = are_several(prediction)
    if are_compared and not has_texts:
        every = given if isinstance(given, list | tuple) else [given]
        if given is None or (isinstance(given, str) and given):
            return (Metric(resolve_systems(prediction), name=given or "score"),)
        if not all(isinstance(metric, Metric) for metric in every):
            raise wrong("metrics", f"must be a name for the scores or a Metric, got {given!r}")
    has_default = has_texts and (are_compared or are_of_rows)
    wanted = "anls" if given is None and has_default else given
    known = () if are_compared else columns
    metrics = resolve(wanted, known, has_texts=has_texts, protocol=protocol, are_of_rows=are_of_rows)
    if are_compared or are_of_rows:
        metrics = row_metrics(metrics, wanted)
    if are_compared:
        metrics = of_own_fields(metrics, protocol) if are_of_fields(metrics) else metrics
        for metric in metrics:
            _check(metric, resolve_systems(prediction))
    return metrics


def once(metrics: Sequence[Metric]) -> list[Metric]:
    """Return distinct scores of rows; a mean and a corpus rate may share the score of a row."""
    return list({metric.row or metric.name: metric for metric in reversed(metrics)}.values())[::-1]


def for_system(metric: Metric, system: str) -> Metric:
    """Return the metric with the columns of one system."""

    def own(value: Any) -> Any:
        if not isinstance(value, Mapping):
            return value
        if system not in value:
            raise ValueError(
                f"metric {metric.name!r} is that of the systems {list(value)}; for one, pass its column"
            )
        return value[system]

    return dataclasses.replace(metric, numerator=own(metric.numerator), denominator=own(metric.denominator))


def _check(metric: Metric, systems: Mapping[str, str]) -> None:
    for values in (metric.numerator, metric.denominator):
        if isinstance(values, Mapping) and set(values) != set(systems):
            raise ValueError(f"metric {metric.name!r} must have a column for each of {list(systems)}")
        if not (metric.is_built_in or values is None or callable(values) or isinstance(values, Mapping)):
            raise ValueError(
                f"metric {metric.name!r} is one column, but systems are compared: pass a function of "
                "predictions and answers, or a mapping from the systems to their columns or expressions"
            )


def resolve_systems(
    systems: Any, least: int = 2, *, option: str = "systems", what: str = "prediction columns"
) -> dict[str, str]:
    """Return the systems as a mapping from names to columns; an error if there are too few."""
    if isinstance(systems, list | tuple):
        entries = [(name, name) for name in systems]
    else:
        entries = list(systems.items()) if hasattr(systems, "items") else []
    are_texts = all(isinstance(text, str) for text in chain(*entries))
    if len(entries) < least or not are_texts:
        number = "two or more" if least > 1 else "one or more"
        raise ValueError(
            f"{option} must name {number} {what}, such as {{'old': 'a', 'new': 'b'}}, got {systems!r}"
        )
    named = dict(entries)
    if len(named) < len(entries):
        raise ValueError(f"{option} must have different names, got {systems!r}")
    return named
