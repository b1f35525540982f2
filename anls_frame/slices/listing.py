"""Choose the slices to list: each is worse beyond its parents, and beyond those that are listed before it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.slices.search import Found, Slice, mask
from anls_frame.statistics.codes import ordered
from anls_frame.statistics.losses import Losses

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anls_frame.slices.plan import Plan
    from anls_frame.slices.slice_scores import Scores
    from anls_frame.statistics.codes import Codes
    from anls_frame.statistics.losses import Least

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]

_MOST_OPEN = 400
"""Number of slices that are followed at a time, those with the largest statistics."""
_NEARLY = 0.95


@dataclass(frozen=True)
class ListedRows:
    """
    The rows that are searched.

    Parameters
    ----------
    columns
        The codes of each column.
    scores
        Their scores in each metric.
    document
        The number of the document of each row.
    """

    columns: Sequence[Codes]
    scores: Sequence[Scores]
    document: IntArray

    @property
    def height(self) -> int:
        """Number of rows, or of lines that stand for several."""
        return len(self.document)

    @property
    def size(self) -> int:
        """Number of rows."""
        counts = self.scores[0].counts
        return self.height if counts is None else int(counts.sum())

    @cached_property
    def losses(self) -> list[Losses]:
        """What the rows lose in each metric."""
        order = ordered(self.columns, self.height)
        return [
            Losses.of(*one.single_rows(), self.document, order, is_change=one.is_change)
            for one in self.scores
        ]

    def of(self, chosen: Mask) -> ListedRows:
        """Return the chosen rows."""
        return ListedRows(
            [one.taken(np.flatnonzero(chosen)) for one in self.columns],
            [one.of_rows(chosen) for one in self.scores],
            self.document[chosen],
        )

    def mask(self, conditions: Slice) -> Mask:
        """Return the rows of a slice."""
        return mask(self.columns, conditions, self.height)

    def values(self, found: Sequence[Found], least: Least, chosen: Mask | None = None) -> list[float]:
        """Return the statistics of slices in all or the chosen rows; -inf where they cannot be tested."""
        rows = self if chosen is None else self.of(chosen)
        values = [float("-inf")] * len(found)
        for metric, losses in enumerate(rows.losses):
            of_metric = [place for place, one in enumerate(found) if one.metric == metric]
            # A few at a time: each takes a table of documents.
            for start in range(0, len(of_metric), 64):
                places = of_metric[start : start + 64]
                tested = losses.of_masks([rows.mask(found[place].conditions) for place in places], least)
                for place, value in zip(places, tested.value.tolist(), strict=True):
                    values[place] = float("-inf") if np.isnan(value) else value
        return values


@dataclass(frozen=True)
class Listed:
    """A slice that is listed, with those that overlap with it and are not worse beyond it."""

    found: Found
    overlapping: tuple[Found, ...] = ()


def listed(
    found: Sequence[Found], rows: ListedRows, plan: Plan, *, critical: float, beyond: float
) -> list[Listed]:
    """
    Return the slices to list, the one with the largest statistic first.

    After each of them its rows are set aside. The next is the slice with the largest statistic in the other
    rows, if it is still as large as `critical`. A slice and a parent are both listed only if each of them is
    worse beyond the other.

    Parameters
    ----------
    found
        Significant slices, the one with the largest statistic first.
    rows
        The rows that were searched.
    plan
        How slices are searched, and how many are listed.
    critical
        The smallest statistic that is significant.
    beyond
        The smallest statistic of a slice among the rows of a parent.
    """
    least, still = plan.least, list(found[:_MOST_OPEN])
    values = rows.values(still, least)
    remaining = np.ones(rows.height, bool)
    result: list[Listed] = []
    while still and len(result) < plan.n:
        chosen = next(
            place
            for place in _in_order(still, values)
            if _is_beyond_parents(
                still[place], still, rows, remaining, least=least, critical=critical, beyond=beyond
            )
        )
        best = still.pop(chosen)
        remaining &= ~rows.mask(best.conditions)
        values = rows.values(still, least, remaining) if remaining.any() else [-np.inf] * len(still)
        is_open = [value >= critical for value in values]
        result.append(Listed(best, tuple(compress(still, (not one for one in is_open)))))
        still, values = list(compress(still, is_open)), list(compress(values, is_open))
    return result


def _in_order(found: Sequence[Found], values: Sequence[float]) -> list[int]:
    """
    Return the places of slices, the one to list first at the start.

    Of those whose statistics are nearly the largest it is the one with the fewest conditions.
    """
    nearly = _NEARLY * max(values)

    def key(place: int) -> tuple[float, ...]:
        value = values[place]
        return (0, len(found[place].conditions), -value) if value >= nearly else (1, 0, -value)

    return sorted(range(len(found)), key=key)


def _is_beyond_parents(
    one: Found,
    others: Sequence[Found],
    rows: ListedRows,
    remaining: Mask,
    *,
    least: Least,
    critical: float,
    beyond: float,
) -> bool:
    """
    Whether a slice is worse than the rest of each parent that is found too.

    If the parent is worse without it as well, both would be listed, and each must be significant beyond the
    other; else the parent says it all.
    """
    parents = [
        other
        for other in others
        if other.metric == one.metric and set(other.conditions) < set(one.conditions)
    ]
    inside = rows.mask(one.conditions)
    for parent in parents:
        (value,) = rows.values([one], least, remaining & rows.mask(parent.conditions))
        if value < beyond:
            return False
        if value < critical and rows.values([parent], least, remaining & ~inside)[0] >= critical:
            return False
    return True
