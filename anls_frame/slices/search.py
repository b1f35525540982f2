"""Joint test of all slices by the permutation distribution of their largest statistic."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from itertools import combinations as subsets
from math import prod
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from anls_frame.frames.progress import Advance
from anls_frame.slices.plan import Plan
from anls_frame.slices.tables import combinations, tables
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.dealt import SliceBlock, block_of, critical, largest_by_draw, p_adjusted
from anls_frame.statistics.losses import Least, Losses

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

Slice = tuple[tuple[int, int], ...]
"""The conditions of a slice: number of the column and code, by ascending number."""

_AT_ONCE = 10
"""Number of draws after which progress is told."""
WORTH = 1.5
"""Slices with a smaller statistic are not worth to be kept where many are screened."""
_MOST = 4096
"""Maximum number of slices to return, those with the largest statistics."""


@dataclass(frozen=True)
class MetricSlice:
    """A slice in one metric, with its statistic."""

    metric: int
    conditions: Slice
    value: float
    p_adjusted: float = float("nan")
    overlapping: tuple[MetricSlice, ...] = ()
    """Other slices that are not worse outside this slice, once it is listed."""


class Searched(NamedTuple):
    """The result of a search."""

    best: list[MetricSlice]
    """The slices with the largest statistics, largest first."""
    slices: int
    """Number of tested slices."""
    tests: int
    """Number of tests: each slice is tested in each metric."""
    critical: float
    """The smallest statistic that is significant."""


def search(
    columns: Sequence[Codes],
    losses: Sequence[Losses],
    plan: Plan,
    advance: Advance = None,
) -> Searched:
    """
    Test each combination of values of as many columns as planned in each metric, and adjust for all tests.

    `advance` is called with the number of completed draws.
    """
    largest = np.zeros(plan.search.draws)
    names, metrics, statistics = [], [], []
    for metric, lost in enumerate(losses):
        row_columns = [column.taken(lost.line) for column in columns]
        tested = list(blocks(row_columns, lost, plan.depth, plan.least))
        if tested:
            np.maximum(largest, _drawn(lost, tested, plan, advance), out=largest)
        for block in tested:
            names.append(block.names)
            metrics.append(np.full(len(block.names), metric))
            statistics.append(block.statistic)
    if not names:
        return Searched([], 0, 0, float("inf"))
    name, metric_of, statistic = (np.concatenate(parts) for parts in (names, metrics, statistics))
    conditions = numbered([column.size for column in columns], plan.depth)
    best = np.lexsort((name, metric_of, -statistic))[:_MOST]
    p_values = p_adjusted(statistic[best], largest)
    slices = [
        MetricSlice(int(metric_of[index]), conditions(int(name[index])), float(statistic[index]), p)
        for index, p in zip(best.tolist(), p_values.tolist(), strict=True)
    ]
    return Searched(slices, len(np.unique(name)), len(name), critical(largest, 1 - plan.confidence))


def _drawn(losses: Losses, blocks: Sequence[SliceBlock], plan: Plan, advance: Advance) -> FloatArray:
    """Return the largest statistic of all slices in each draw."""
    draws, seed, at_once = plan.search.draws, plan.search.seed, 256 if advance is None else _AT_ONCE
    parts = []
    for part in largest_by_draw(losses, blocks, draws, seed, at_once=at_once):
        parts.append(part)
        if advance is not None:
            advance(len(part))
    return np.concatenate(parts)


def adjusted(
    slices: Sequence[MetricSlice],
    losses: Sequence[Losses],
    masks: Sequence[Mask],
    most: Sequence[float],
    plan: Plan,
    *,
    advance: Advance = None,
) -> FloatArray:
    """
    Return p-values of slices with these lines, adjusted for all slices; nan for slices that are too small.

    The statistic of a slice is at most the number in `most`.
    """
    largest, statistics = np.zeros(plan.search.draws), np.full(len(slices), np.nan)
    for metric, lost in enumerate(losses):
        indices = np.array([index for index, slice_ in enumerate(slices) if slice_.metric == metric], np.intp)
        if not len(indices):
            continue
        members = np.stack([masks[index][lost.line] for index in indices], axis=1)
        row, code = np.nonzero(members)
        block = block_of(Codes(code, len(indices), row), indices, lost, plan.least)
        np.maximum(largest, _drawn(lost, [block], plan, advance), out=largest)
        statistics[block.names] = np.minimum(block.statistic, np.asarray(most)[block.names])
    return np.where(np.isnan(statistics), np.nan, p_adjusted(statistics, largest))


def blocks(columns: Sequence[Codes], losses: Losses, depth: int, least: Least) -> Iterator[SliceBlock]:
    """Yield the slices of each combination of columns that are large enough to be tested."""
    first = 0
    for _, codes in combinations(columns, depth):
        block = block_of(codes, np.arange(first, first + codes.size), losses, least)
        if len(block.names):
            yield block
        first += codes.size


def numbered(sizes: Sequence[int], depth: int) -> Callable[[int], Slice]:
    """Return a function for the conditions of the slice with a number, in the order of `combinations`."""
    columns = range(len(sizes))
    every = sorted(chain.from_iterable(subsets(columns, count) for count in range(1, depth + 1)))
    shapes = [[sizes[column] for column in combination] for combination in every]
    ends = np.cumsum([prod(shape) for shape in shapes])

    def conditions(number: int) -> Slice:
        which = int(np.searchsorted(ends, number, side="right"))
        codes = np.unravel_index(number - (ends[which] - prod(shapes[which])), shapes[which])
        return tuple(zip(every[which], map(int, codes), strict=True))

    return conditions


def screened(
    columns: Sequence[Codes], losses: Sequence[Losses], plan: Plan, *, most: int
) -> tuple[list[MetricSlice], int]:
    """
    Return the most promising slices, by a statistic for independent rows, and the number of all slices.

    The screening needs one pass over the rows for each combination of columns, whatever the number of
    documents.
    """
    heap: list[tuple[float, int, MetricSlice]] = []
    looked: list[IntArray] = []
    named = numbered([column.size for column in columns], plan.depth)
    least, seen = plan.least, 0
    for metric, lost in enumerate(losses):
        row_columns = [column.taken(lost.line) for column in columns]
        variance = float(lost.values @ lost.values) / lost.rows if lost.rows else 0.0
        first = 0
        for table in tables(row_columns, plan.depth, [lost.values, lost.values**2, lost.sizes]):
            values, squares, sizes = table.sums
            kept = (table.counts >= least.rows) & (lost.rows - table.counts >= least.rows)
            looked.append(first + np.flatnonzero(kept))
            total = float(lost.sizes.sum())
            with np.errstate(divide="ignore", invalid="ignore"):
                own, rest = 1 / sizes, 1 / (total - sizes)
                shown = squares * own**2 + (variance * total - squares) * rest**2
                error = np.sqrt(np.maximum(shown, variance * (own + rest)))
                statistic = np.where(kept & (error > 0), values * (own + rest) / error, -np.inf)
            limit = heap[0][0] if len(heap) >= most else WORTH
            for code in np.flatnonzero(statistic > limit):
                value = float(statistic[code])
                entry = (value, -seen, MetricSlice(metric, named(first + int(code)), value))
                seen += 1
                if len(heap) < most:
                    heapq.heappush(heap, entry)
                else:
                    heapq.heappushpop(heap, entry)
            first += len(table.counts)
    slices = [slice_ for *_, slice_ in sorted(heap, key=lambda entry: entry[:2], reverse=True)]
    return slices, len(np.unique(np.concatenate(looked))) if looked else 0
