"""
How many units carry an estimate: the one place that says whether an interval is only rough.

An estimate from a thousand documents can still depend on three of them: the three that are wrong, or the
three in which two systems differ. Its interval is then as uncertain as one from three documents, because
another sample has two of them, or six. The number of units that carry an estimate says so, and every printed
interval is marked `few_rows` where this number is below `FEW_CARRIERS`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from anls_frame.statistics.arrays import BoolArray, FloatArray

FEW_CARRIERS = 10
"""An estimate that fewer units carry has only a rough interval."""

FEW_ROWS = 100
FEW_UNITS = 20.0
"""Fewer rows, or effective units, give only a rough interval, too."""

FEW_IN_SLICE = 15.0
"""A slice of fewer effective units makes the interval of a macro average rough."""


def carriers(influence: npt.ArrayLike, counts: npt.ArrayLike | None = None) -> FloatArray:
    """
    Effective number of units that carry an estimate, on the side where there are fewer.

    Parameters
    ----------
    influence
        What each unit (document, page or row) adds to the estimate, in any scale: its residual x - ry for a
        mean or a rate, its gain or loss for a difference. Units are along the first axis. Set to 0 what is
        only due to rounding.
    counts
        Number of equal units, for each entry of `influence`; 1 by default.

    Returns
    -------
    FloatArray
        The smaller of (Σa)² / Σa² over the units above 0 and over those below 0: ten units that add the same
        are ten, and one that adds much more than the others is little more than one. 0 if no unit is on a
        side, because what such a unit would add is then unknown.

    See Also
    --------
    carriers_of_sums : from the sums of one side.
    carried_by_few : which numbers are too low.

    Examples
    --------
    >>> from anls_frame.statistics.carriers import carriers
    >>> float(carriers([1, 1, 1, 1, -2, -2]))  # four units gain, and two lose
    2.0
    >>> carriers([[3.0, 0.0], [-1.0, -1.0]], [20, 60])  # 20 and 60 rows, in two columns
    array([20.,  0.])
    """
    values = np.asarray(influence, np.float64)
    times = np.ones(len(values)) if counts is None else np.asarray(counts, np.float64)
    # Squares of tiny values must not vanish.
    scaled = values / np.abs(values).max(axis=0, initial=np.finfo(np.float64).tiny)
    sides = (np.maximum(scaled, 0.0), np.maximum(-scaled, 0.0))
    return np.minimum(*(carriers_of_sums(times @ side, times @ side**2) for side in sides))


def carriers_of_sums(total: npt.ArrayLike, squares: npt.ArrayLike) -> FloatArray:
    """
    Effective number of units on one side, (Σa)² / Σa², from both sums.

    Parameters
    ----------
    total, squares
        Σa and Σa² over the units of a side, where a is at least 0.
    """
    total, squares = np.broadcast_arrays(np.asarray(total, np.float64), np.asarray(squares, np.float64))
    known = (total > 0) & (squares > 0)
    return np.asarray(total * np.divide(total, squares, out=np.zeros_like(total), where=known))


def carried_by_few(carrying: npt.ArrayLike, least: float = FEW_CARRIERS) -> BoolArray:
    """Return which estimates are carried by fewer than `least` units; not where the number is nan."""
    # Ten units that add the same count as ten, despite rounding.
    return np.asarray(np.asarray(carrying, np.float64) < least - 1e-6)


def are_few(n: npt.ArrayLike, effective: npt.ArrayLike, carrying: npt.ArrayLike) -> BoolArray:
    """Return which estimates have too few rows, effective units, or units that carry them."""
    few_rows = np.asarray(n, np.float64) < FEW_ROWS
    return np.asarray(few_rows | (np.asarray(effective, np.float64) < FEW_UNITS) | carried_by_few(carrying))
