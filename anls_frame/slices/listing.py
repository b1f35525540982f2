"""Search and test of slices on the same rows or on others; listed slices must add to those before them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import compress

import numpy as np
import numpy.typing as npt

from anls_frame.frames.progress import Advance
from anls_frame.slices import search as searching
from anls_frame.slices.plan import Plan
from anls_frame.slices.search import MetricSlice, Slice
from anls_frame.slices.slice_scores import Scores
from anls_frame.statistics.codes import Codes, ordered
from anls_frame.statistics.losses import Least, Losses

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.intp]
Mask = npt.NDArray[np.bool_]

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
    document: IntArray

    @property
    def height(self) -> int:
        """Number of rows, or of lines that stand for several rows."""
        return len(self.document)

    @cached_property
    def losses(self) -> list[Losses]:
        """The losses of the rows in each metric."""
        order = ordered(self.columns, self.height)
        return [
            Losses.of(*scored.single_rows(), self.document, order, is_change=scored.is_change)
            for scored in self.scores
        ]

    def system(self, metric_slice: MetricSlice) -> str:
        """Return the system in whose scores, or changes, a slice is worse."""
        return self.scores[metric_slice.metric].system

    def of(self, chosen: Mask) -> ListedRows:
        """Return the chosen rows."""
        return ListedRows(
            [column.taken(np.flatnonzero(chosen)) for column in self.columns],
            [scored.filtered(chosen) for scored in self.scores],
            self.document[chosen],
        )

    def mask(self, conditions: Slice) -> Mask:
        """Return the rows of a slice."""
        chosen = np.ones(self.height, bool)
        for column, code in conditions:
            chosen &= self.columns[column].mask(code, self.height)
        return chosen

    def remaining(self) -> dict[str, Mask]:
        """Return all rows for each system, from which those of listed slices are left out one by one."""
        return {scored.system: np.ones(self.height, bool) for scored in self.scores}

    def values(self, slices: Sequence[MetricSlice], least: Least, chosen: Mask | None = None) -> list[float]:
        """Return the statistics of slices in all rows or in chosen rows; -inf where they cannot be tested."""
        values = [float("-inf")] * len(slices)
        if chosen is not None and not chosen.any():
            return values
        rows = self if chosen is None else self.of(chosen)
        for metric, losses in enumerate(rows.losses):
            indices = [index for index, slice_ in enumerate(slices) if slice_.metric == metric]
            # A few at a time: each takes a table of documents.
            for start in range(0, len(indices), 64):
                part = indices[start : start + 64]
                tested = losses.tested_masks([rows.mask(slices[index].conditions) for index in part], least)
                for index, value in zip(part, tested.value.tolist(), strict=True):
                    values[index] = float("-inf") if np.isnan(value) else value
        return values


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
    still = list(slices[:_MOST_OPEN])
    values = rows.values(still, plan.least)
    remaining = rows.remaining()
    result: list[MetricSlice] = []
    while still and len(result) < plan.n:
        chosen = next(
            index
            for index in _in_order(still, values)
            if _is_beyond_parents(
                still[index], rows, remaining[rows.system(still[index])], plan, still, critical=critical
            )
        )
        best = still.pop(chosen)
        values.pop(chosen)
        system = rows.system(best)
        remaining[system] &= ~rows.mask(best.conditions)
        same = [index for index, other in enumerate(still) if rows.system(other) == system]
        in_others = rows.values([still[index] for index in same], plan.least, remaining[system])
        for index, value in zip(same, in_others, strict=True):
            values[index] = value
        is_open = [value >= critical for value in values]
        overlapping = tuple(compress(still, (not open_ for open_ in is_open)))
        result.append(replace(best, overlapping=overlapping))
        still, values = list(compress(still, is_open)), list(compress(values, is_open))
    return result


def _in_order(slices: Sequence[MetricSlice], values: Sequence[float]) -> list[int]:
    """
    Return the indices of slices in the order in which they are listed.

    Among slices with nearly the largest statistic, the one with the fewest conditions comes first.
    """
    nearly = _NEARLY * max(values)

    def key(index: int) -> tuple[float, ...]:
        value = values[index]
        return (0, len(slices[index].conditions), -value) if value >= nearly else (1, 0, -value)

    return sorted(range(len(slices)), key=key)


def _is_beyond_parents(
    candidate: MetricSlice,
    rows: ListedRows,
    remaining: Mask,
    plan: Plan,
    others: Sequence[MetricSlice],
    *,
    critical: float,
) -> bool:
    """
    Return whether a slice is worse than the rest of each parent that is also found.

    If the parent is worse without the slice, too, both would be listed, and each must be significant outside
    the other. Otherwise, the parent only repeats the slice.
    """
    parents = [
        other
        for other in others
        if other.metric == candidate.metric and set(other.conditions) < set(candidate.conditions)
    ]
    inside = rows.mask(candidate.conditions)
    for parent in parents:
        (value,) = rows.values([candidate], plan.least, remaining & rows.mask(parent.conditions))
        if value < _BEYOND:
            return False
        if value < critical and rows.values([parent], plan.least, remaining & ~inside)[0] >= critical:
            return False
    return True


def searched(rows: ListedRows, plan: Plan, advance: Advance = None) -> tuple[list[MetricSlice], int, int]:
    """Return the slices to list, searched and tested on all rows, and the numbers of slices and tests."""
    best, slices, tests, critical = searching.search(rows.columns, rows.losses, plan, advance)
    significant = [slice_ for slice_ in best if slice_.p_adjusted <= 1 - plan.confidence]
    return listed(significant, rows, plan, critical=critical), slices, tests


def honest(
    rows: ListedRows, held_out: Mask, plan: Plan, advance: Advance = None
) -> tuple[list[MetricSlice], int, int]:
    """Return the slices to list, found on some rows and tested on the others, and the numbers of both."""
    before, after = rows.of(~held_out), rows.of(held_out)
    if not before.height or not after.height:
        raise ValueError("holdout must leave documents on both sides; there are too few documents")
    promising, looked = searching.screened(before.columns, before.losses, plan, most=_SCREENED)
    values = before.values(promising, plan.least)
    ordered = sorted(
        (replace(slice_, value=value) for slice_, value in zip(promising, values, strict=True)),
        key=lambda slice_: -slice_.value,
    )
    worth = [slice_ for slice_ in ordered if slice_.value >= _PROMISING]
    chosen = listed(worth, before, plan, critical=_PROMISING)
    # The statistic of each slice is at most that in the rows outside all slices before it.
    remaining, beyond_others = after.remaining(), []
    for slice_ in chosen:
        system = after.system(slice_)
        beyond_others += after.values([slice_], plan.least, remaining[system])
        remaining[system] &= ~after.mask(slice_.conditions)
    masks = [after.mask(slice_.conditions) for slice_ in chosen]
    p_values = searching.adjusted(chosen, after.losses, masks, beyond_others, plan, advance=advance)
    confirmed = [replace(slice_, p_adjusted=float(p)) for slice_, p in zip(chosen, p_values, strict=True)]
    confirmed.sort(key=lambda slice_: (np.isnan(slice_.p_adjusted), slice_.p_adjusted))
    return confirmed, looked, len(chosen)
