"""
Fixed-point summation: sums of floats that do not depend on the order of the rows.

A sum of floats is rounded at each step, so its last bits depend on the number of threads, the engine and the
way a table was split into parts. A sum of integers does not. Here floats are converted to integer multiples
of a small unit, a power of two, as `Int128`. These are added, and the sum is converted back to a float at the
end, where it is rounded once. `anls_frame.streaming.metric_objects` does the same for Python numbers. Custom
scores, and scores of several systems, are added as floats in order, so their last digits depend on parts and
engines.

The unit depends on the numbers:

- NLS and ANLS are 1 - q with q in [0, 1], so they are multiples of 2**-53: no digit is lost, and there is
  room for 2**74 rows.
- Squares and error rates are truncated below 2**-62, so rates of at least 0.001 lose no digit. Sums must stay
  below 2**65; the squared rates of 8 billion rows with 65,536 errors per character reach that.
- Numerators of custom ratios may be microseconds or dollars, and their squares span 180 bits. So whole
  numbers and fractions are added up apart; fractions are truncated below 2**-90, with room for 2**37 rows.
"""

from __future__ import annotations

import polars as pl

SCORE_BITS = 53
"""Sums of NLS and ANLS are in units of 2**-53."""

FINE_BITS = 62
"""Sums of squares and of rates are in units of 2**-62."""

FRACTION_BITS = 90
"""Sums of fractions that go with sums of whole numbers are in units of 2**-90."""


def in_units(value: pl.Expr, bits: int) -> pl.Expr:
    """Return floats as integer multiples of 2**-bits, truncated."""
    # Checked casts take three times as long; values that do not fit are noticed after `floats`.
    return (value * 2.0**bits).cast(pl.Int128, wrap_numerical=True)


def floats(sums: pl.Expr, bits: int) -> pl.Expr:
    """Return sums of units as floats, rounded once."""
    return sums.cast(pl.Float64) * 2.0**-bits


def sum_of_shares(value: pl.Expr, bits: int) -> pl.Expr:
    """Sum of numbers in [0, 1], in units of 2**-bits."""
    # Casting directly to 128 bits takes four times as long.
    return (value * 2.0**bits).cast(pl.Int64, wrap_numerical=True).cast(pl.Int128).sum()


def sum_of_rates(value: pl.Expr) -> pl.Expr:
    """Return the sum of numbers from 0 to 2**64, in units of 2**-62."""
    whole = value.floor()
    wholes = whole.cast(pl.UInt64, wrap_numerical=True).cast(pl.Int128).sum()
    return wholes * pl.lit(1 << FINE_BITS, dtype=pl.Int128) + sum_of_shares(value - whole, FINE_BITS)


def whole_and_fraction(value: pl.Expr) -> tuple[pl.Expr, pl.Expr]:
    """Return the whole number below each float, and the rest in units of 2**-90."""
    whole = value.floor()
    # Values that do not fit are noticed elsewhere, and must not raise an error here.
    return whole.cast(pl.Int128, strict=False, wrap_numerical=True), in_units(value - whole, FRACTION_BITS)


def products(whole: pl.Expr, fraction: pl.Expr, length: pl.Expr) -> tuple[pl.Expr, pl.Expr, pl.Expr, pl.Expr]:
    """Return x² and x · length of such numbers x, each as a whole number and a fraction; all are `Int128`."""
    rest = floats(fraction, FRACTION_BITS)
    # Products of whole numbers stay exact.
    more, more_by_length = (2 * floats(whole, 0) + rest) * rest, floats(length, 0) * rest
    squares, square_fraction = whole_and_fraction(more)
    by_length, fraction_by_length = whole_and_fraction(more_by_length)
    return whole * whole + squares, square_fraction, whole * length + by_length, fraction_by_length
