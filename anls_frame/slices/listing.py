"""Choose the slices to list: each is worse beyond its parents, and beyond those that are listed before it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
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

    IntArray = npt.NDArray[np.intp]
    Mask = npt.NDArray[np.bool_]

_MOST_OPEN = 400
"""Number of slices that are followed at a time, those with the largest statistics."""


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
        """Number of rows."""
        return len(self.document)

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
        values = [float("-inf")] * len(found)
        for metric in {one.metric for one in found}:
            residuals = self.residuals(metric, chosen)
            of_metric = [place for place, one in enumerate(found) if one.metric == metric]
            # A few at a time: each takes a table of units.
            for start in range(0, len(of_metric), 64):
                places = of_metric[start : start + 64]
                masks = [self.mask(found[place].conditions) for place in places]
                masks = masks if chosen is None else [one[chosen] for one in masks]
                tested, _ = residuals.of_masks(masks, least.units)
                for place, one, value in zip(places, masks, tested.value, strict=True):
                    counted = np.count_nonzero(one & (residuals.sizes > 0))
                    is_large = least.rows <= counted
                    values[place] = float(value) if is_large and not np.isnan(value) else float("-inf")
        return values


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
    rows, if it is still as large as `critical`.

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
    values = [one.value for one in still]
    remaining = np.ones(rows.height, bool)
    result: list[Listed] = []
    while still and len(result) < top:
        order = sorted(range(len(still)), key=lambda place: (-values[place], len(still[place].conditions)))
        chosen = next(
            place
            for place in order
            if _is_beyond_parents(still[place], still, rows, remaining, least=least, beyond=beyond)
        )
        best = still.pop(chosen)
        remaining &= ~rows.mask(best.conditions)
        values = rows.values(still, least, remaining) if remaining.any() else [float("-inf")] * len(still)
        folded = [one for one, value in zip(still, values, strict=True) if value < critical]
        kept = [place for place, value in enumerate(values) if value >= critical]
        still, values = [still[place] for place in kept], [values[place] for place in kept]
        result.append(Listed(best, tuple(folded)))
    return result


def _is_beyond_parents(
    one: Found, others: Sequence[Found], rows: Rows, remaining: Mask, *, least: Least, beyond: float
) -> bool:
    """Whether a slice is worse than the rest of each parent that is found too."""
    parents = [
        parent
        for size in range(1, len(one.conditions))
        for parent in combinations(one.conditions, size)
        if any(other.metric == one.metric and other.conditions == parent for other in others)
    ]
    for parent in parents:
        inside = rows.mask(parent) & remaining
        if rows.values([one], least, inside)[0] < beyond:
            return False
    return True
