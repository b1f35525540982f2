"""Choose the slices to list: each is worse beyond its parents, and beyond those that are listed before it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import compress
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.slices.search import Found, Slice, mask
from anls_frame.slices.statistic import Residuals

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy.typing as npt

    from anls_frame.slices.columns import Codes
    from anls_frame.slices.scores import Scores
    from anls_frame.slices.search import Least

    FloatArray = npt.NDArray[np.float64]
    IntArray = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]

_MOST_OPEN = 400
"""Number of slices that are followed at a time, those with the largest statistics."""
_NEARLY = 0.95


@dataclass(frozen=True)
class Rows:
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
    seed: int = 0

    @property
    def height(self) -> int:
        """Number of rows, or of lines that stand for several."""
        return len(self.document)

    @property
    def counts(self) -> FloatArray | None:
        """How many rows each line stands for; None for one."""
        return self.scores[0].counts

    @property
    def size(self) -> int:
        """Number of rows."""
        return self.height if self.counts is None else int(self.counts.sum())

    def of(self, chosen: Mask) -> Rows:
        """Return the chosen rows."""
        return Rows(
            [one.of_rows(chosen) for one in self.columns],
            [one.of_rows(chosen) for one in self.scores],
            self.document[chosen],
            self.seed,
        )

    def residuals(self, metric: int, chosen: Mask | None = None) -> Residuals:
        """Return the residuals of all or the chosen rows in a metric."""
        scores, document = self.scores[metric], self.document
        if chosen is not None:
            scores, document = scores.of_rows(chosen), document[chosen]
        return Residuals.of(scores, document, self.seed)

    def mask(self, conditions: Slice) -> Mask:
        """Return the rows of a slice."""
        return mask(self.columns, conditions, self.height)

    def values(self, found: Sequence[Found], least: Least, chosen: Mask | None = None) -> list[float]:
        """Return the statistics of slices in all or the chosen rows; -inf where they cannot be tested."""
        return [value for value, _ in self.measured(found, least, chosen)]

    def measured(
        self, found: Sequence[Found], least: Least, chosen: Mask | None = None
    ) -> list[tuple[float, float]]:
        """Return statistics and strengths of slices, in all or the chosen rows."""
        measured = [(float("-inf"), float("-inf"))] * len(found)
        for metric in {one.metric for one in found}:
            residuals = self.residuals(metric, chosen)
            of_metric = [place for place, one in enumerate(found) if one.metric == metric]
            # A few at a time: each takes a table of units.
            for start in range(0, len(of_metric), 64):
                places = of_metric[start : start + 64]
                masks = [self.mask(found[place].conditions) for place in places]
                masks = masks if chosen is None else [one[chosen] for one in masks]
                tested, values, sizes = residuals.of_masks(masks, least.units)
                strengths = residuals.strengths(values, sizes, tested)
                both = zip(tested.value, strengths, strict=True)
                for place, one, (value, strength) in zip(places, masks, both, strict=True):
                    if least.rows <= residuals.rows_in(one) and not np.isnan(value):
                        measured[place] = float(value), float(strength)
        return measured


@dataclass(frozen=True)
class Listed:
    """A slice that is listed, with those that overlap with it and are not worse beyond it."""

    found: Found
    overlapping: tuple[Found, ...] = ()


def listed(
    found: Sequence[Found], rows: Rows, *, least: Least, critical: float, beyond: float, top: int
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
    least
        The smallest slices that are tested.
    critical
        The smallest statistic that is significant.
    beyond
        The smallest statistic of a slice among the rows of a parent.
    top
        Number of slices to list.
    """
    still = list(found[:_MOST_OPEN])
    measured = rows.measured(still, least)
    remaining = np.ones(rows.height, bool)
    result: list[Listed] = []
    while still and len(result) < top:
        chosen = next(
            place
            for place in _in_order(still, measured)
            if _is_beyond_parents(
                still[place], still, rows, remaining, least=least, critical=critical, beyond=beyond
            )
        )
        best = still.pop(chosen)
        remaining &= ~rows.mask(best.conditions)
        measured = [(-np.inf, -np.inf)] * len(still)
        if remaining.any():
            measured = rows.measured(still, least, remaining)
        is_open = [value >= critical for value, _ in measured]
        result.append(Listed(best, tuple(compress(still, (not one for one in is_open)))))
        still, measured = list(compress(still, is_open)), list(compress(measured, is_open))
    return result


def _in_order(found: Sequence[Found], measured: Sequence[tuple[float, float]]) -> list[int]:
    """
    Return the places of slices, the one to list first at the start.

    Of those whose statistics are nearly the largest it is the strongest, as `Residuals.strengths` has it.
    """
    nearly = _NEARLY * max(value for value, _ in measured)

    def key(place: int) -> tuple[float, ...]:
        value, strength = measured[place]
        return (0, -strength, len(found[place].conditions)) if value >= nearly else (1, -value, 0)

    return sorted(range(len(found)), key=key)


def _is_beyond_parents(
    one: Found,
    others: Sequence[Found],
    rows: Rows,
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
