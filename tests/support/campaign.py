"""How much is tried: enough for every change, or all of it in a campaign (`.ci/heavy campaigns`)."""

from __future__ import annotations

import itertools
import os
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable

T = TypeVar("T")


def amount(usual: T, campaign: T) -> T:
    """Return the second in a campaign."""
    return campaign if os.environ.get("ANLS_FRAME_CAMPAIGN") else usual


def crossed(*lists: Iterable[Any]) -> list[tuple[Any, ...]]:
    """Return every combination in a campaign; otherwise the values of the last list take turns."""
    first, last = [list(values) for values in lists[:-1]], list(lists[-1])
    places = itertools.product(*(range(len(values)) for values in first))
    turns = [
        (*(values[place] for values, place in zip(first, chosen, strict=True)), last[sum(chosen) % len(last)])
        for chosen in places
    ]
    return amount(turns, list(itertools.product(*first, last)))
