"""Search slices and test them, on the same rows or on others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from anls_frame.slices import search as searching
from anls_frame.slices.listing import Listed, ListedRows, listed
from anls_frame.slices.search import Found

if TYPE_CHECKING:
    import numpy.typing as npt

    from anls_frame.frames.progress import Advance
    from anls_frame.slices.plan import Plan
    from anls_frame.statistics.losses import Least

    Mask = npt.NDArray[np.bool_]

_PROMISING = 2.0
"""The smallest statistic of a slice that is worth a test on other rows."""
_BEYOND = 2.0
"""The smallest statistic of a slice among the rows of a parent."""
_SCREENED = 1000


@dataclass(frozen=True)
class Outcome:
    """The slices to list, how many were looked at and tested, and the rows that they are tested on."""

    listed: list[Listed]
    slices: int
    tests: int
    tested_on: Mask | None = None


def searched(rows: ListedRows, plan: Plan, advance: Advance = None) -> Outcome:
    """Choose the slices to list from all, tested on all rows."""
    found = searching.search(rows.columns, rows.losses, plan, advance)
    significant = [one for one in found.found if one.p_adjusted <= plan.alpha]
    chosen = listed(significant, rows, plan, critical=found.critical, beyond=_BEYOND)
    return Outcome(chosen, found.slices, found.tests)


def honest(rows: ListedRows, held_out: Mask, plan: Plan, advance: Advance = None) -> Outcome:
    """Find slices on some rows, and test them on the others."""
    before, after = rows.of(~held_out), rows.of(held_out)
    if not before.height or not after.height:
        raise ValueError("holdout must leave documents on both sides; there are too few documents")
    promising, looked = searching.screened(before.columns, before.losses, plan, most=_SCREENED)
    values = before.values(promising, plan.least)
    ordered = sorted(
        (Found(one.metric, one.conditions, value) for one, value in zip(promising, values, strict=True)),
        key=lambda one: -one.value,
    )
    worth = [one for one in ordered if one.value >= _PROMISING]
    chosen = listed(worth, before, plan, critical=_PROMISING, beyond=_BEYOND)
    p_values = searching.adjusted(
        [one.found for one in chosen],
        after.losses,
        [after.mask(one.found.conditions) for one in chosen],
        _beyond_others([one.found for one in chosen], after, plan.least),
        plan,
        advance=advance,
    )
    confirmed = [
        Listed(Found(one.found.metric, one.found.conditions, one.found.value, float(p)), one.overlapping)
        for one, p in zip(chosen, p_values, strict=True)
    ]
    confirmed.sort(key=lambda one: (np.isnan(one.found.p_adjusted), one.found.p_adjusted))
    return Outcome(confirmed, looked, len(chosen), held_out)


def _beyond_others(found: list[Found], rows: ListedRows, least: Least) -> list[float]:
    """Return the statistic of each slice in the rows that no slice before it has."""
    remaining = np.ones(rows.height, bool)
    values = []
    for one in found:
        values += rows.values([one], least, remaining) if remaining.any() else [float("-inf")]
        remaining &= ~rows.mask(one.conditions)
    return values
