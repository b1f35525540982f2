"""Figures of chosen slices, computed as in reports and comparisons."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import polars as pl

from anls_frame.export.columns import DIFFERENCE, FOUND, schema_of, with_ends
from anls_frame.reports import pairwise
from anls_frame.reports.reports import Report
from anls_frame.reports.slice_units import slice_units
from anls_frame.slices.slice_scores import Scores
from anls_frame.statistics.arrays import BoolArray
from anls_frame.summary.keys import key_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.summary import Summary

SLICE = "__anls_frame_slice"


def figures(
    reported: Callable[[pl.Series], pl.DataFrame],
    *,
    chosen: Sequence[tuple[int, BoolArray]],
    scores: Sequence[Scores],
) -> pl.DataFrame:
    """
    Return the figures of slices, a row for each.

    Parameters
    ----------
    reported
        Returns a row for each slice, metric and system, from the list of slices of each row.
    chosen
        For each slice, the number of its scores (a metric of a system) and its rows.
    scores
        The scores of the rows in each metric and system.
    """
    is_change = scores[0].is_change
    if not chosen:
        columns = ("metric", "system", "n", "n_clusters", "few_rows", *all_figures(is_change=is_change))
        return pl.DataFrame(schema=schema_of(*columns, of=FOUND))
    members = np.stack([mask for _, mask in chosen], axis=1)
    row, slice_ = np.nonzero(members)
    lists = pl.DataFrame({"row": row, "slice": slice_}).group_by("row").agg("slice")
    rows = pl.DataFrame({"row": np.arange(len(members))})
    table = reported(rows.join(lists, on="row", how="left", maintain_order="left")["slice"])
    wanted = pl.DataFrame(
        {
            SLICE: np.arange(len(chosen)),
            "metric": [scores[number].metric.name for number, _ in chosen],
            "system": [scores[number].system for number, _ in chosen],
        }
    )
    keys = [SLICE, "metric", "system"]
    listed = wanted.join(table, on=keys, how="left", maintain_order="left").drop(SLICE)
    others = [
        (scores[number].rate(~mask), scores[number].share_of_rows(mask), scores[number].share_of_loss(mask))
        for number, mask in chosen
    ]
    schema = dict.fromkeys(("rest", "share_of_rows", "share_of_loss"), pl.Float64)
    rest = pl.DataFrame(others, schema=schema, orient="row")
    figure = pl.col("change" if is_change else "score")
    return listed.hstack(rest).with_columns(difference=figure - pl.col("rest"))


def figures_of_summary(summary: Summary, metrics: Sequence[Metric], confidence: float) -> pl.DataFrame:
    """Return the figures of slices from a summary that is sliced by them, for each metric and system."""
    if summary.kind == "comparison":
        return _figures_of_comparison(summary, metrics, confidence)
    table, (system,) = Report(summary, confidence=confidence).by_group, summary.systems
    parts = []
    for metric in metrics:
        own = f"{metric.name}_n"
        # Columns are taken from the frame, because a name that reads like a pattern would select others.
        sources = {SLICE: SLICE, "n": own if own in table.columns else "n"}
        sources |= {"n_clusters": "n_clusters", "few_rows": "few_rows"}
        sources |= dict(zip(with_ends("score"), metric.ends, strict=True))
        part = pl.DataFrame([table.get_column(column).alias(name) for name, column in sources.items()])
        parts.append(part.with_columns(metric=pl.lit(metric.name), system=pl.lit(system)))
    return pl.concat(parts).with_columns(pl.col(SLICE).cast(pl.Int64))


def _figures_of_comparison(summary: Summary, metrics: Sequence[Metric], confidence: float) -> pl.DataFrame:
    """Return the changes of slices from the first system to each other one."""
    test = pairwise.Test(confidence=confidence, draws=1, seed=0)
    pairs = [(0, number) for number in range(1, len(summary.systems))]
    made = pairwise.differences(
        summary, slice_units(summary, key_names(summary.settings.by, None)), pairs, test
    )
    names = dict(zip(DIFFERENCE, with_ends("change"), strict=True))
    made = made.filter(pl.col("metric").is_in([metric.name for metric in metrics]))
    return made.rename({"key_0": SLICE, **names}).with_columns(pl.col(SLICE).cast(pl.Int64))


def all_figures(*, is_change: bool) -> list[str]:
    """Return all columns with figures of a slice, in their order."""
    own = ["baseline_score", "score", *with_ends("change")] if is_change else with_ends("score")
    return [*own, "rest", "difference", "share_of_rows", "share_of_loss"]
