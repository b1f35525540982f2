"""What moved on a page of blocks of different words, by trying every choice of blocks that stay."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def moved_and_omitted(blocks: Sequence[str], read: Sequence[int]) -> tuple[int, int]:
    """Return the characters of the lightest blocks that must move, and those of blocks that were not read."""
    weights = [len(block) + 1 for block in blocks]
    every = (kept for size in range(len(read) + 1) for kept in combinations(read, size))
    stay = max(sum(weights[block] for block in kept) for kept in every if list(kept) == sorted(kept))
    present = sum(weights[block] for block in read)
    return present - stay, sum(weights) - present
