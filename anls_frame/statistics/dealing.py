"""Random permutations of rows among documents of about the same size: the null distribution for slices."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy.typing as npt

    IntArray = npt.NDArray[np.intp]

CLASS = 10
"""Least number of documents that are dealt among each other."""


def deals(document: IntArray, draws: int, seed: int) -> Iterator[IntArray]:
    """
    Yield for each draw the row whose value each row gets.

    Each document gets the shuffled values of a document of its size class, each of these documents once. From
    a longer document, it gets a random part; the values of a shorter document are repeated.

    Parameters
    ----------
    document
        The number of the document of each row, from 0 without gaps, in ascending order.
    draws
        Number of draws.
    seed
        Seed of the draws.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics.dealing import deals
    >>> document = np.array([0, 0, 0, 1, 1, 1])
    >>> [rows.tolist() for rows in deals(document, 2, seed=1)]
    [[2, 1, 0, 4, 3, 5], [0, 1, 2, 3, 4, 5]]
    """
    random = np.random.default_rng(seed)
    sizes = np.bincount(document)
    starts = np.cumsum(sizes) - sizes
    position = np.arange(len(document)) - starts[document]
    size_class = size_classes(sizes)
    receivers = np.argsort(size_class, kind="stable")
    donors = np.empty(len(sizes), np.intp)
    rows = np.empty(len(document), np.intp)
    for _ in range(draws):
        donors[receivers] = _shuffled_in_groups(size_class, random)
        donor = donors[document]
        given = _shuffled_in_groups(document, random)[starts[donor] + position % sizes[donor]]
        rows[_shuffled_in_groups(document, random)] = given
        yield rows.copy()


def size_classes(sizes: IntArray) -> IntArray:
    """
    Return the size class of each document: documents of equal or neighbouring sizes, at least ten.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics.dealing import size_classes
    >>> size_classes(np.array([7] * 12 + [1] * 9 + [2] * 2 + [8])).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    distinct, size_of, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    size_class = np.zeros(len(distinct), np.intp)
    current, members, left = 0, 0, int(counts.sum())
    for index, count in enumerate(counts.tolist()):
        if members >= CLASS and left >= CLASS:
            current, members = current + 1, 0
        size_class[index] = current
        members, left = members + count, left - count
    return size_class[size_of]


def _shuffled_in_groups(group: IntArray, random: np.random.Generator) -> IntArray:
    """Return the numbers of all members, ordered by group and at random within groups."""
    order = random.permutation(len(group))
    # Numpy sorts numbers of 16 bits by counting.
    most = int(group.max(initial=0))
    keys = group[order].astype(np.uint16 if most < 1 << 16 else np.uint32)
    return order[np.argsort(keys, kind="stable")]
