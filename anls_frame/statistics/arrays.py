"""Types of the arrays that all statistics share, and what counts as rounding error."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

FloatArray: TypeAlias = npt.NDArray[np.float64]
"""Numbers, one per group; of shape () if only scalars were given."""

IntArray: TypeAlias = npt.NDArray[np.int64]
"""Counts, and numbers of units and groups."""

IndexArray: TypeAlias = npt.NDArray[np.intp]
"""Positions in another array, and codes, which are positions in a list of values."""

BoolArray: TypeAlias = npt.NDArray[np.bool_]
"""Which rows, units or slices are meant."""

ROUNDING = 1e-12
"""Less than this fraction of the numbers that it was computed from is rounding error, and counts as 0."""


def divided(above: npt.ArrayLike, below: npt.ArrayLike, otherwise: float = np.nan) -> FloatArray:
    """Return quotients, and another value where the denominator is not above 0."""
    x, y = np.broadcast_arrays(np.asarray(above, np.float64), np.asarray(below, np.float64))
    return np.asarray(np.divide(x, y, out=np.full(x.shape, otherwise), where=y > 0))
