"""Facts about systems, and published figures of systems without rows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import polars as pl

from anls_frame._arguments import number
from anls_frame._messages import wrong
from anls_frame.export.columns import SCORE, ends_of
from anls_frame.export.values import plain_frame
from anls_frame.frames.conversion import in_polars
from anls_frame.summary.measures import Metric

Published: TypeAlias = "Mapping[str, float | Mapping[str, float]]"
"""Names of systems with their figure in the first metric, or with a figure for each of several metrics."""


def checked_figures(
    published: Published, systems: Sequence[str], metrics: Sequence[Metric]
) -> dict[str, dict[str, float]]:
    """Return the figures of each metric by its name; raise an error for unknown metrics and names in use."""
    if not isinstance(published, Mapping):
        raise wrong("published", f"must map names of systems to figures, got {published!r}")
    by_name = {metric.name: metric for metric in metrics}
    figures: dict[str, dict[str, float]] = {name: {} for name in by_name}
    for system, given in published.items():
        if system in systems:
            raise wrong("published", f"names {system!r}, which is a system with rows: name it differently")
        each = given if isinstance(given, Mapping) else {metrics[0].name: given}
        for name, value in each.items():
            if name not in by_name:
                raise ValueError(f"published has a figure in {name!r}, which is not compared: {[*by_name]}")
            least, most = by_name[name].bounds or (None, None)
            figures[name][system] = number(
                f"published[{system!r}]",
                value,
                -math.inf if least is None else least,
                math.inf if most is None else most,
            )
    return figures


def beside_figures(
    ranking: pl.DataFrame, figures: Mapping[str, Mapping[str, float]], metrics: Sequence[Metric]
) -> pl.DataFrame:
    """
    Return the comparison of each system's interval with each published figure.

    A figure is treated as exact: if the interval contains it, the answer is open.
    """
    lines = []
    for metric in metrics:
        for name, published in figures[metric.name].items():
            lines.append((metric.name, name, published, bool(metric.higher_is_better)))
    schema = {"metric": pl.String, "published": pl.String, "figure": pl.Float64, "higher": pl.Boolean}
    each = pl.DataFrame(lines, schema=schema, orient="row")
    figure, low, high = (pl.col(name) for name in ("figure", *ends_of("score")))
    answer = (
        pl.when(low.is_null() | high.is_null())
        .then(None)
        .when(figure.is_between(low, high))
        .then(pl.lit("open"))
        .when((low > figure) == pl.col("higher"))
        .then(pl.lit("better"))
        .otherwise(pl.lit("worse"))
    )
    compared = each.join(ranking, on="metric", maintain_order="left_right").with_columns(answer=answer)
    return compared.select("metric", "published", "figure", "system", "n", *SCORE, "answer", "few_rows")


def facts_of_systems(facts: Any, systems: Sequence[str]) -> pl.DataFrame:
    """Return the facts about systems, with a row for each; raise an error if a system is unknown."""
    frame = in_polars(facts).lazy().collect()
    if "system" not in frame.columns:
        raise wrong("facts", f"must have a column 'system' with the names of systems, got {frame.columns}")
    frame = frame.with_columns(pl.col("system").cast(pl.String))
    names = frame["system"].to_list()
    if not set(names) <= set(systems) or len(set(names)) < len(names):
        raise wrong(
            "facts",
            f"must have at most one row for each of the systems {list(systems)}, and no others, got {names}",
        )
    return plain_frame(frame, "facts")
