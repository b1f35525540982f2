"""
Joint test of all slices by the permutation distribution of their largest statistic, and those to list.

Slices are tested on the rows on which they are found, or on others; listed slices must add to those before
them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from itertools import combinations as subsets
from math import prod

import numpy as np

from anls_frame._messages import about
from anls_frame.frames.progress import Advance
from anls_frame.slices.plan import Plan
from anls_frame.slices.slice_scores import Scores
from anls_frame.slices.tables import combinations
from anls_frame.statistics.arrays import BoolArray, FloatArray, IndexArray
from anls_frame.statistics.codes import Codes, joint_codes
from anls_frame.statistics.dealt import SliceBlock, block_of, critical, largest_by_draw, p_adjusted
from anls_frame.statistics.losses import Least, Losses, added

Slice = tuple[tuple[int, int], ...]
"""The conditions of a slice: number of the column and code, by ascending number."""

WORTH = 1.5
"""Slices with a smaller statistic are not kept where many are screened."""
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


def search(
    rows: ListedRows, plan: Plan, advance: Advance = None
) -> tuple[list[MetricSlice], int, int, float]:
    """
    Test each combination of values of as many columns as planned in each metric, and adjust for all tests.

    Return the slices with the largest statistics, largest first; the numbers of slices and of tests, as each
    slice is tested in each metric; and the smallest statistic that is significant. `advance` is called with
    the number of completed draws.
    """
    largest, tests = np.zeros(plan.search.draws), []
    for metric, lost in enumerate(rows.losses):
        row_columns = [column.taken(lost.line) for column in rows.columns]
        tested = list(blocks(row_columns, lost, plan.depth, plan.least))
        if tested:
            np.maximum(largest, _drawn(lost, tested, plan, advance), out=largest)
        tests += [(metric, block.names, block.statistic) for block in tested]
    if not tests:
        return [], 0, 0, float("inf")
    best = _largest(tests, rows.columns, plan, _MOST)
    p_values = p_adjusted(np.array([slice_.value for slice_ in best]), largest)
    slices = [replace(slice_, p_adjusted=p) for slice_, p in zip(best, p_values.tolist(), strict=True)]
    names = np.concatenate([names for _, names, _ in tests])
    return slices, len(np.unique(names)), len(names), critical(largest, 1 - plan.confidence)


def _largest(
    tests: Sequence[tuple[int, IndexArray, FloatArray]], columns: Sequence[Codes], plan: Plan, most: int
) -> list[MetricSlice]:
    """Return the slices with the largest statistics, from the numbers of slices in metrics."""
    metric = np.concatenate([np.full(len(names), number) for number, names, _ in tests])
    name, statistic = (np.concatenate(parts) for parts in zip(*(own[1:] for own in tests), strict=True))
    conditions = numbered([column.size for column in columns], plan.depth)
    return [
        MetricSlice(int(metric[index]), conditions(int(name[index])), float(statistic[index]))
        for index in np.argsort(-statistic, kind="stable")[:most]
    ]


def _drawn(losses: Losses, blocks: Sequence[SliceBlock], plan: Plan, advance: Advance) -> FloatArray:
    """Return the largest statistic of all slices in each draw."""
    parts = []
    for part in largest_by_draw(losses, blocks, plan.search.draws, plan.search.seed):
        parts.append(part)
        if advance is not None:
            advance(len(part))
    return np.concatenate(parts)


def adjusted(
    slices: Sequence[MetricSlice], rows: ListedRows, most: Sequence[float], plan: Plan, advance: Advance
) -> FloatArray:
    """
    Return p-values of slices in these rows, adjusted for all slices; nan for slices that cannot be tested.

    The statistic of a slice is at most the number in `most`, which is -inf if it cannot be tested.
    """
    largest, statistics = np.zeros(plan.search.draws), np.full(len(slices), np.nan)
    for metric, lost in enumerate(rows.losses):
        indices = [index for index, slice_ in enumerate(slices) if slice_.metric == metric]
        if not indices:
            continue
        block = rows.block(slices, indices, plan.least)
        np.maximum(largest, _drawn(lost, [block], plan, advance), out=largest)
        own = np.minimum(block.statistic, np.asarray(most)[block.names])
        statistics[block.names] = np.where(block.opposed | np.isneginf(own), np.nan, own)
    return np.where(np.isnan(statistics), np.nan, p_adjusted(statistics, largest))


def blocks(columns: Sequence[Codes], losses: Losses, depth: int, least: Least) -> Iterator[SliceBlock]:
    """Yield the slices of each combination of columns that are large enough to be tested."""
    first = 0
    for codes in combinations(columns, depth):
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


def screened(rows: ListedRows, plan: Plan, *, most: int) -> tuple[list[MetricSlice], int]:
    """
    Return the most promising slices, by a statistic for independent rows, and the number of all slices.

    The screening needs one pass over the rows for each combination of columns, whatever the number of
    documents.
    """
    tests: list[tuple[int, IndexArray, FloatArray]] = []
    looked: list[IndexArray] = []
    least = plan.least
    for metric, lost in enumerate(rows.losses):
        row_columns = [column.taken(lost.line) for column in rows.columns]
        variance = float(lost.values @ lost.values) / lost.rows if lost.rows else 0.0
        first = 0
        weights, total = [lost.values, lost.values**2, lost.sizes], float(lost.sizes.sum())
        for codes in combinations(row_columns, plan.depth):
            of_entries = slice(None) if codes.rows is None else codes.rows
            counts = np.bincount(codes.codes, minlength=codes.size)
            values, squares, sizes = (added(codes.codes, each[of_entries], codes.size) for each in weights)
            kept = (counts >= least.rows) & (lost.rows - counts >= least.rows)
            looked.append(first + np.flatnonzero(kept))
            with np.errstate(divide="ignore", invalid="ignore"):
                own, rest = 1 / sizes, 1 / (total - sizes)
                shown = squares * own**2 + (variance * total - squares) * rest**2
                error = np.sqrt(np.maximum(shown, variance * (own + rest)))
                statistic = np.where(kept & (error > 0), values * (own + rest) / error, -np.inf)
            worth = np.flatnonzero(statistic > WORTH)
            tests.append((metric, first + worth, statistic[worth]))
            first += codes.size
    slices = _largest(tests, rows.columns, plan, most) if tests else []
    return slices, len(np.unique(np.concatenate(looked))) if looked else 0


_MOST_OPEN = 400
"""Number of slices that are followed at a time, those with the largest statistics."""
_NEARLY = 0.95
_PROMISING = 2.0
"""The smallest statistic of a slice that is worth a test on other rows."""
_BEYOND = 2.0
"""The smallest statistic of a slice among the rows of a parent."""
_SCREENED = 1000


@dataclass(frozen=True)
class ListedRows:
    """
    The rows that are searched.

    Parameters
    ----------
    columns
        The codes of each column.
    scores
        Their scores in each metric and system.
    document
        The number of the document of each row.
    """

    columns: Sequence[Codes]
    scores: Sequence[Scores]
    document: IndexArray

    @property
    def height(self) -> int:
        """Number of rows, or of lines that represent several rows."""
        return len(self.document)

    @cached_property
    def losses(self) -> list[Losses]:
        """The losses of the rows in each metric."""
        order = joint_codes(self.columns, self.height)
        return [
            Losses.of(*scored.single_rows(), self.document, order, is_change=scored.is_change)
            for scored in self.scores
        ]

    def system(self, metric_slice: MetricSlice) -> str:
        """Return the system in whose scores, or changes, a slice is worse."""
        return self.scores[metric_slice.metric].system

    def of(self, chosen: BoolArray) -> ListedRows:
        """Return the chosen rows."""
        return ListedRows(
            [column.taken(np.flatnonzero(chosen)) for column in self.columns],
            [scored.filtered(chosen) for scored in self.scores],
            self.document[chosen],
        )

    def mask(self, conditions: Slice) -> BoolArray:
        """Return the rows of a slice."""
        chosen = np.ones(self.height, bool)
        for column, code in conditions:
            chosen &= self.columns[column].mask(code, self.height)
        return chosen

    def remaining(self) -> dict[str, BoolArray]:
        """Return all rows for each system, from which those of listed slices are left out one by one."""
        return {scored.system: np.ones(self.height, bool) for scored in self.scores}

    def block(self, slices: Sequence[MetricSlice], chosen: Sequence[int], least: Least) -> SliceBlock:
        """Test some of the slices, all in the same metric, in these rows."""
        losses = self.losses[slices[chosen[0]].metric]
        members = np.stack([self.mask(slices[index].conditions)[losses.line] for index in chosen], axis=1)
        row, code = np.nonzero(members)
        return block_of(Codes(code, len(chosen), row), np.array(chosen), losses, least)

    def values(self, slices: Sequence[MetricSlice], least: Least) -> list[float]:
        """Return the statistics of slices in these rows; -inf where they cannot be tested."""
        values = [float("-inf")] * len(slices)
        for metric in range(len(self.scores)):
            indices = [index for index, slice_ in enumerate(slices) if slice_.metric == metric]
            # A few at a time: their masks have a row for each line.
            for start in range(0, len(indices), 64):
                block = self.block(slices, indices[start : start + 64], least)
                for index, value in zip(block.names.tolist(), block.statistic.tolist(), strict=True):
                    values[index] = value
        return values

    def valued(self, slices: Sequence[MetricSlice], least: Least) -> list[MetricSlice]:
        """Return slices with their statistics in these rows."""
        values = self.values(slices, least)
        return [replace(slice_, value=value) for slice_, value in zip(slices, values, strict=True)]


def listed(
    slices: Sequence[MetricSlice], rows: ListedRows, plan: Plan, *, critical: float
) -> list[MetricSlice]:
    """
    Return the slices to list, the largest statistic first.

    The rows of each listed slice are set aside for its system. The next slice has the largest statistic in
    the remaining rows, if this is at least `critical`. A slice and its parent are both listed only if each is
    worse outside the other.

    Parameters
    ----------
    slices
        Significant slices, the largest statistic first.
    rows
        The rows that were searched.
    plan
        How slices are searched, and how many are listed.
    critical
        The smallest statistic that is significant.
    """
    still = rows.valued(slices[:_MOST_OPEN], plan.least)
    remaining = rows.remaining()
    result: list[MetricSlice] = []

    def is_beyond_parents(candidate: MetricSlice) -> bool:
        """
        Return whether a slice is worse than the rest of each parent that is also found.

        If the parent is worse without the slice, too, both would be listed, and each must be significant
        outside the other. Otherwise, the parent only repeats the slice.
        """
        inside, others = rows.mask(candidate.conditions), remaining[rows.system(candidate)]
        for parent in still:
            if parent.metric != candidate.metric or not set(parent.conditions) < set(candidate.conditions):
                continue
            (value,) = rows.of(others & rows.mask(parent.conditions)).values([candidate], plan.least)
            if value < _BEYOND:
                return False
            if value < critical and rows.of(others & ~inside).values([parent], plan.least)[0] >= critical:
                return False
        return True

    while still and len(result) < plan.n:
        best = next(filter(is_beyond_parents, _in_order(still)))
        system = rows.system(best)
        remaining[system] &= ~rows.mask(best.conditions)
        others = [other for other in still if other is not best]
        same = [other for other in others if rows.system(other) == system]
        outside = iter(rows.of(remaining[system]).valued(same, plan.least))
        others = [next(outside) if rows.system(other) == system else other for other in others]
        overlapping = tuple(other for other in others if other.value < critical)
        result.append(replace(best, overlapping=overlapping))
        still = [other for other in others if other.value >= critical]
    return result


def _in_order(slices: Sequence[MetricSlice]) -> list[MetricSlice]:
    """
    Return slices in the order in which they are listed.

    Among slices with nearly the largest statistic, the one with the fewest conditions comes first.
    """
    nearly = _NEARLY * max(slice_.value for slice_ in slices)

    def key(slice_: MetricSlice) -> tuple[float, ...]:
        is_near = slice_.value >= nearly
        return (0, len(slice_.conditions), -slice_.value) if is_near else (1, 0, -slice_.value)

    return sorted(slices, key=key)


def searched(rows: ListedRows, plan: Plan, advance: Advance = None) -> tuple[list[MetricSlice], int, int]:
    """Return the slices to list, searched and tested on all rows, and the numbers of slices and tests."""
    best, slices, tests, critical = search(rows, plan, advance)
    significant = [slice_ for slice_ in best if slice_.p_adjusted <= 1 - plan.confidence]
    return listed(significant, rows, plan, critical=critical), slices, tests


def honest(
    rows: ListedRows, held_out: BoolArray, plan: Plan, advance: Advance = None
) -> tuple[list[MetricSlice], int, int]:
    """Return the slices to list, found on some rows and tested on the others, and the numbers of both."""
    before, after = rows.of(~held_out), rows.of(held_out)
    if not before.height or not after.height:
        raise ValueError(about("holdout", "must leave documents on both sides; there are too few documents"))
    promising, looked = screened(before, plan, most=_SCREENED)
    ordered = sorted(before.valued(promising, plan.least), key=lambda slice_: -slice_.value)
    worth = [slice_ for slice_ in ordered if slice_.value >= _PROMISING]
    chosen = listed(worth, before, plan, critical=_PROMISING)
    # The statistic of each slice is at most that in the rows outside all slices before it.
    remaining, beyond_others = after.remaining(), []
    for slice_ in chosen:
        system = after.system(slice_)
        beyond_others += after.of(remaining[system]).values([slice_], plan.least)
        remaining[system] &= ~after.mask(slice_.conditions)
    p_values = adjusted(chosen, after, beyond_others, plan, advance)
    confirmed = [replace(slice_, p_adjusted=float(p)) for slice_, p in zip(chosen, p_values, strict=True)]
    confirmed.sort(key=lambda slice_: (np.isnan(slice_.p_adjusted), slice_.p_adjusted))
    return confirmed, looked, len(chosen)
