"""Classes of documents of about the same size, among which rows are dealt."""

from __future__ import annotations

import numpy as np

from anls_frame.statistics.arrays import IndexArray

CLASS = 10
"""Least number of documents that are dealt among each other."""


def size_classes(sizes: IndexArray, least: int = CLASS) -> IndexArray:
    """
    Return the size class of each document: documents of equal or neighbouring sizes.

    Parameters
    ----------
    sizes
        Number of rows of each document.
    least
        Least number of documents of a class.

    Examples
    --------
    >>> import numpy as np
    >>> from anls_frame.statistics.size_classes import size_classes
    >>> size_classes(np.array([7] * 12 + [1] * 9 + [2] * 2 + [8])).tolist()
    [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
    """
    distinct, size_of, counts = np.unique(sizes, return_inverse=True, return_counts=True)
    size_class = np.zeros(len(distinct), np.intp)
    current, members, left = 0, 0, int(counts.sum())
    for index, count in enumerate(counts.tolist()):
        if members >= least and left >= least:
            current, members = current + 1, 0
        size_class[index] = current
        members, left = members + count, left - count
    return size_class[size_of]
