"""Cells of a summary as lines that represent several rows of a document."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import polars as pl
import polars.selectors as cs

from anls_frame._messages import Either, Message, Option, wrong
from anls_frame.frames.joins import joined
from anls_frame.slices.figures import SLICE, figures_of_summary
from anls_frame.slices.slice_scores import Scores, SearchInput, lost, searched_systems
from anls_frame.statistics.arrays import BoolArray, FloatArray
from anls_frame.summary import moments
from anls_frame.summary.catalogue import BUILT_IN
from anls_frame.summary.cell_sums import ALL, CellSums, Frames
from anls_frame.summary.comparison_sums import MOST_WITH_CHANGES, change_columns
from anls_frame.summary.keys import CLUSTER, key_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.settings import Settings
from anls_frame.summary.slicing import By, Slicing, resolve
from anls_frame.summary.summary import Summary


def lines_of(summary: Summary, columns: object, metrics: object) -> SearchInput:
    """
    Return the scored cells of a summary, with the requested columns and metrics.

    Raises
    ------
    ValueError
        If the summary does not support the request.
    """
    settings = summary.settings
    names, chosen = check(summary, columns, metrics)
    lines, cell_lines = _numbered(summary.sums.cells, key_names(settings.by, settings.cluster))
    are_compared, systems = summary.kind == "comparison", list(summary.systems)
    scores = [
        _scores(
            summary.sums.cells[name].with_columns(line=cell_lines[name]), metric, systems, which, lines.height
        )
        for name, metric in chosen
        for which in searched_systems(systems, are_compared=are_compared)
    ]
    if any(not np.array_equal(scored.scored, scores[0].scored) for scored in scores):
        raise ValueError(
            "metrics of a summary must have scores in the same rows, because it does not say how many "
            f"rows have any of {[scored.metric.name for scored in scores]}; pass one of them"
        )
    is_scored = scores[0].scored > 0
    summary.account.check_scored(int(is_scored.sum()))
    kept = lines.filter(pl.Series(is_scored))
    named = zip(key_names(settings.by, None), settings.by, strict=True)
    frame = kept.select(pl.col(key).alias(name) for key, name in named).select(cs.by_name(names))
    by_name = {metric.name: metric for metric in settings.metrics}
    plain: dict[str, Any] = {"by": (), "tables": (), "orders": {}, "worst": 0, "keep": (), "details": False}
    described = tuple(by_name[metric.name] for _, metric in chosen)
    without_slices = dataclasses.replace(settings, metrics=described, **plain)
    with_slices = dataclasses.replace(without_slices, by=(SLICE,))

    def reported(chosen: BoolArray, slices: pl.Series, confidence: float) -> pl.DataFrame:
        # The line of each cell among the chosen ones.
        is_in = is_scored.copy()
        is_in[is_scored] = chosen
        position = pl.Series(np.where(is_in, np.cumsum(is_in) - 1, -1))
        chosen_lines = {name: position.gather(numbers) for name, numbers in cell_lines.items()}
        return _figures(summary, with_slices, slices, chosen_lines, confidence)

    return SearchInput(
        frame=frame,
        expressions={name: cs.by_name(name).as_expr() for name in frame.columns},
        roots=frame.columns,
        documents=kept[CLUSTER],
        scores=[scored.filtered(is_scored) for scored in scores],
        reported=reported,
        settings=without_slices,
        systems=tuple(systems) if are_compared else (),
        account=summary.account,
    )


def _figures(
    summary: Summary,
    settings: Settings,
    slices: pl.Series,
    lines: Mapping[Any, pl.Series],
    confidence: float,
) -> pl.DataFrame:
    """Return the figures of slices from the slices of lines, and the line of each cell."""
    lists = pl.DataFrame({"line": np.arange(len(slices)), "key_0": slices})
    counted = ("predictions", *(f"counts {metric.name}" for metric in settings.metrics))
    frames = {name: summary.sums.frames[name] for name in counted if name in summary.sums.frames}
    names = [ALL, *(metric.name for metric in settings.metrics)]
    for name, cells in summary.sums.cells.items():
        if name not in names:
            continue
        others = [column for column in cells.columns if not column.startswith("key_")]
        joined = cells.select(others).with_columns(line=lines[name])
        joined = joined.join(lists, on="line", how="inner", maintain_order="left")
        frames["cells" if name is ALL else f"cells {name}"] = joined.select("key_0", *others)
    sums = CellSums(frames)
    parts = {"lines": sums.rows}
    sliced = dataclasses.replace(summary, settings=settings, parts=parts, sums=sums, from_pandas=False)
    return figures_of_summary(sliced, sliced.metrics, confidence)


def check(summary: Summary, columns: object, metrics: object) -> tuple[list[str], list[tuple[Any, Metric]]]:
    """
    Return the columns and metrics to search, each metric with the key of its cells.

    Raises
    ------
    ValueError
        If the summary does not support the request.
    """
    if len(summary.systems) > MOST_WITH_CHANGES:
        raise ValueError(
            f"the summary must have at most {MOST_WITH_CHANGES} systems, because a summary of more "
            f"systems stores no sums of changes, got {len(summary.systems)}; summarize fewer, or pass "
            "the rows"
        )
    if summary.settings.cluster is None:
        raise ValueError(
            Message(
                "the summary must have clusters, because slices are tested by documents; name their column ",
                "in ",
                Option("cluster"),
                " when summarizing",
            )
        )
    by = summary.settings.by
    if not by:
        columns_to_search = Either("by=", "-b of the command that saved it")
        raise ValueError(
            Message("the summary must be sliced by the columns to search; name them in ", columns_to_search)
        )
    slicing = Slicing(by) if columns is None else resolve(cast("By", columns), "columns")
    wanted = slicing.names
    unknown = [name for name in wanted if name not in by or name in slicing.expressions]
    if unknown or not wanted:
        raise wrong(
            "columns",
            f"must be names of those that the summary is sliced by, {list(by)}, got {unknown}; pass "
            "them to summarize as by=",
        )
    return list(wanted), _metrics(summary, metrics)


def _metrics(summary: Summary, given: Any) -> list[tuple[Any, Metric]]:
    """Return the metrics, each with the name of its frame of cells."""
    zeros, cells = BUILT_IN["zeros"].name, summary.sums.cells
    every = {one.name: (one.name if one.name in cells else ALL, one) for one in summary.metrics}
    if given is None:
        given = "anls" if "anls" in every else [name for name in every if name != zeros]
    named = [getattr(metric, "name", metric) for metric in ([given] if isinstance(given, str) else given)]
    unknown = [name for name in named if name not in every]
    if unknown or not named:
        raise wrong("metrics", f"must be names of the summary's metrics, {list(every)}, got {unknown}")
    for name in named:
        if not every[name][1].is_mean or name == zeros:
            raise ValueError(
                f"metrics of a summary must be means of scores, but {name!r} is not; pass the rows"
            )
    return [every[name] for name in named]


def _numbered(frames: Frames, keys: Sequence[str]) -> tuple[pl.DataFrame, dict[Any, pl.Series]]:
    """Return the distinct keys of all frames, and the line number of each row of each frame."""
    every = pl.concat([cells.select(keys) for cells in frames.values()], how="vertical_relaxed")
    lines = every.unique(maintain_order=True)
    numbered = lines.with_row_index("line")
    numbers = {
        name: joined(cells.select(keys).cast(lines.schema), numbered, keys)["line"]
        for name, cells in frames.items()
    }
    return lines, numbers


def _scores(
    cells: pl.DataFrame, metric: Metric, systems: Sequence[str], which: tuple[int, int | None], height: int
) -> Scores:
    """Return the sums of each line in a metric of a system, or in its change from the baseline."""
    system, baseline = which
    sign, name = 1.0 if metric.higher_is_better else -1.0, systems[system]
    if baseline is None:
        x, y, spread = _sums(cells, moments.sums_of_rows(metric), height)
        return Scores(metric, name, sign * x, y, lost(metric, x, y), y, spread=spread)
    change = sign * (pl.col(f"x_{system}") - pl.col(f"x_{baseline}"))
    x, y, loss, squares = _sums(cells, [change, pl.col("n"), *map(pl.col, change_columns(system))], height)
    spread = squares - x * x / np.maximum(y, 1)
    return Scores(metric, name, x, y, loss, y, is_change=True, spread=spread)


def _sums(cells: pl.DataFrame, values: Sequence[pl.Expr], height: int) -> FloatArray:
    """Return the sums of values by line."""
    line = cells["line"].to_numpy()
    return np.stack([np.bincount(line, cells.select(expr).to_series().to_numpy(), height) for expr in values])
