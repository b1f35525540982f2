"""
Fixed-point summation of scores as integer multiples of a unit, added as Python integers without rounding.

A sum of floats depends on the order of addition, a sum of integers does not, so any batches, merged in any
order, give the same bits. `anls_frame.summary.fixed_point` does the same for columns.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# Every score is an integer multiple of the unit 2**-128. A similarity is a multiple of 2**-53: it is 1 - x in
# double precision, where x is such a multiple if x >= 0.5, and otherwise the result is rounded to one. An
# error rate is a multiple of 2**-85, because it is 0 or, as lengths are UInt32, at least 2**-32.
UNIT_BITS = 128
_UNITS = 2.0**UNIT_BITS
_MANTISSA_BITS = 53
_HALF_BITS = 27


def of_list(scores: Iterable[float]) -> int:
    """Return the sum in units."""
    # Scaling by a power of two is exact, and the result is an integer.
    return sum([int(score * _UNITS) for score in scores])


def of_array(scores: Any) -> int:
    """Return the sum of a numpy array in units, without a Python integer for each score."""
    import numpy as np  # noqa: PLC0415 - only for those who use it

    mantissas, exponents = np.frexp(scores)
    digits = np.ldexp(mantissas, _MANTISSA_BITS).astype(np.int64)
    # In two halves, so that 64 bits can hold the sums of 2**36 scores.
    high, low = digits >> _HALF_BITS, digits & ((1 << _HALF_BITS) - 1)
    total = 0
    for exponent in np.unique(exponents).tolist():
        these = exponents == exponent
        whole = (int(high[these].sum()) << _HALF_BITS) + int(low[these].sum())
        shift = exponent - _MANTISSA_BITS + UNIT_BITS
        # A right shift only removes trailing zeros, because every score is an integer number of units.
        total += whole << shift if shift >= 0 else whole >> -shift
    return total


def to_float(units: int, count: int = 1) -> float:
    """Return the sum divided by the count, rounded once."""
    # Python rounds the quotient of two integers of any size to the nearest double.
    return units / (count << UNIT_BITS)
