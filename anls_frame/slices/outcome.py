"""Search and test of slices, on the same rows or on separate rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.slices import search as searching
from anls_frame.slices.listing import Listed, ListedRows, RemainingRows, listed

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.frames.progress import Advance
    from anls_frame.slices.plan import Plan
    from anls_frame.slices.search import MetricSlice
    from anls_frame.statistics.losses import Least

    Mask = npt.NDArray[np.bool_]

_PROMISING = 2.0
"""The smallest statistic of a slice that is worth a test on other rows."""
_BEYOND = 2.0
"""The smallest statistic of a slice among the rows of a parent."""
_SCREENED = 1000


@dataclass(frozen=True)
class Outcome:
    """The slices to list, the numbers of slices and tests, and the rows of the tests."""

    listed: list[Listed]
    slices: int
    tests: int
    tested_on: Mask | None = None


def searched(rows: ListedRows, plan: Plan, advance: Advance = None) -> Outcome:
    """Return the slices to list, searched and tested on all rows."""
    result = searching.search(rows.columns, rows.losses, plan, advance)
    significant = [slice_ for slice_ in result.best if slice_.p_adjusted <= plan.alpha]
    chosen = listed(significant, rows, plan, critical=result.critical, beyond=_BEYOND)
    return Outcome(chosen, result.slices, result.tests)


def honest(rows: ListedRows, held_out: Mask, plan: Plan, advance: Advance = None) -> Outcome:
    """Return the slices to list, found on some rows and tested on the others."""
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
    chosen = listed(worth, before, plan, critical=_PROMISING, beyond=_BEYOND)
    p_values = searching.adjusted(
        [line.slice for line in chosen],
        after.losses,
        [after.mask(line.slice.conditions) for line in chosen],
        _beyond_others([line.slice for line in chosen], after, plan.least),
        plan,
        advance=advance,
    )
    confirmed = [
        Listed(replace(line.slice, p_adjusted=float(p)), line.overlapping)
        for line, p in zip(chosen, p_values, strict=True)
    ]
    confirmed.sort(key=lambda line: (np.isnan(line.slice.p_adjusted), line.slice.p_adjusted))
    return Outcome(confirmed, looked, len(chosen), held_out)


def _beyond_others(slices: list[MetricSlice], rows: ListedRows, least: Least) -> list[float]:
    """Return the statistic of each slice in the rows outside all slices of the same system before it."""
    remaining = RemainingRows(rows)
    values = []
    for slice_ in slices:
        values += rows.values([slice_], least, remaining.mask_for(slice_))
        remaining.set_aside(slice_)
    return values
