"""The errors of a page of blocks of different words, by trying every choice of blocks that stay."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations


def block_errors(blocks: Sequence[str], read: Sequence[int], invented: Sequence[str] = ()) -> dict[str, int]:
    """
    Return the characters of each kind of error, of those that there are.

    The heaviest blocks that can stay do so, each once. Of the other ones, a block is moved where it is read
    for the first time and stays nowhere, and repeated else; blocks that were not read are omitted.
    """
    weights = [len(block) + 1 for block in blocks]
    every = (kept for size in range(len(read) + 1) for kept in combinations(read, size))
    stay = max(sum(weights[block] for block in kept) for kept in every if list(kept) == sorted({*kept}))
    present = sum(weights[block] for block in {*read})
    errors = {
        "omitted": sum(weights) - present,
        "fabricated": sum(len(block) + 1 for block in invented),
        "repeated": sum(weights[block] for block in read) - present,
        "moved": present - stay,
    }
    return {kind: count for kind, count in errors.items() if count}
