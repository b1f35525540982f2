"""
Fixed-point summation: sums of floats that do not depend on the order of the rows.

A sum of floats is rounded at each step, so its last bits depend on the number of threads, the engine and the
way a table was split into parts. A sum of integers does not. Here floats are converted to integer multiples
of a small unit, a power of two, as `Int128`. These are added, and the sum is converted back to a float at the
end, where it is rounded once. `anls_frame.streaming.exact_sum` does the same for Python numbers.

The unit depends on the numbers:

- NLS and ANLS are 1 - q with q in [0, 1], so they are multiples of 2**-53: no digit is lost, and there is
  room for 2**74 rows.
- Squares and error rates are truncated below 2**-62, so rates of at least 0.001 lose no digit. Sums must stay
  below 2**65; the squared rates of 8 billion rows with 65,536 errors per character reach that.
- Existing scores may be up to `LARGEST` in absolute value. Each counts in units of its own `scale`, one of
  128, and scores of one scale are added, again without losing a digit, for up to 2**42 rows. Their squares
  lose nothing either: the rounding errors, `rest_of_square`, are added up separately.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

if TYPE_CHECKING:
    from collections.abc import Sequence

SCALE = "scale"
"""Column with the scale of sums of floats of any size."""

SCORE_BITS = 53
"""Sums of NLS and ANLS are in units of 2**-53."""

FINE_BITS = 62
"""Sums of squares and of rates are in units of 2**-62."""

SCALED_BITS = 52
"""Sums of scaled floats are in units of 2**-52 of their scale, the last digit of the smallest of them."""

REST_BITS = 104
"""Sums of the rounding errors of squares of scaled floats are in units of 2**-104 of the squared scale."""

LARGEST = 1e140
"""Largest absolute score: the square of the sum of 2**42 of them, the largest of all sums, is a float."""

ROWS_OF_A_SUM = 1 << 20
"""How many numbers `sum_of_units` can add."""

_LOW_BITS = 38

_SPLITTER = 2.0**27 + 1
"""Multiplying by this splits a float into two halves of 26 bits each, whose products are exact."""

_EXPONENTS = 16
"""Number of exponents in one scale."""

_BIAS = 1023
_MANTISSA = 1 << 52
_SCALE_OF_ONE = _BIAS // _EXPONENTS


def units(value: pl.Expr, bits: int) -> pl.Expr:
    """Return floats as integer multiples of 2**-bits, truncated."""
    # Checked casts take three times as long; values that do not fit are noticed after `floats`.
    return (value * 2.0**bits).cast(pl.Int128, wrap_numerical=True)


def sum_of_units(value: pl.Expr, bits: int, times: pl.Expr | None = None) -> pl.Expr:
    """
    Return the sum of `units`, faster, for at most `ROWS_OF_A_SUM` numbers below 2**16 in absolute value.

    Each may count several `times`, together at most as often. `bits` are at least 38.
    """
    # Both halves are added as 64-bit integers: 42 and 38 bits of each number, and 20 bits for the rows.
    large = value * 2.0 ** (bits - _LOW_BITS)
    high = large.cast(pl.Int64, wrap_numerical=True)
    low = ((large - high) * 2.0**_LOW_BITS).cast(pl.Int64, wrap_numerical=True)
    if times is not None:
        high, low = high * times, low * times
    return high.sum().cast(pl.Int128) * pl.lit(1 << _LOW_BITS, pl.Int128) + low.sum().cast(pl.Int128)


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


def scale_of(value: pl.Expr) -> pl.Expr:
    """Return the scale of floats of any magnitude, from their exponents."""
    exponent = value.reinterpret(dtype=pl.UInt64) // _MANTISSA & 0x7FF
    scale = (exponent // _EXPONENTS).cast(pl.UInt8)
    # 0 and null get the scale that most scores have, so that they need no cell of their own.
    return pl.when(value != 0).then(scale).otherwise(pl.lit(_SCALE_OF_ONE, dtype=pl.UInt8)).alias(SCALE)


def scaled(value: pl.Expr, scale: pl.Expr) -> pl.Expr:
    """Return floats divided by their scale, exactly: their absolute values are from 1 to 2**16."""
    return value * factor(scale)


def factor(scale: pl.Expr) -> pl.Expr:
    """Return what scaled floats are multiplied by, a power of two, from its bits."""
    exponent = 2 * _BIAS - _EXPONENTS * scale.cast(pl.UInt64)
    return (exponent * _MANTISSA).reinterpret(dtype=pl.Float64)


def rest_of_square(value: pl.Expr) -> pl.Expr:
    """Return the rounding error of the squares of scaled floats, which is exact (Dekker 1971)."""
    large = value * _SPLITTER
    high = large - (large - value)
    low = value - high
    return ((high * high - value * value) + 2 * high * low) + low * low


def unit(scale: int) -> int:
    """Return the exponent e for which sums of this scale are in units of 2**e."""
    return _EXPONENTS * scale - _BIAS - SCALED_BITS


def size(scale: int) -> float:
    """Return what scaled floats were divided by."""
    return float(2.0 ** (_EXPONENTS * scale - _BIAS))


def scales(frame: pl.DataFrame) -> list[int]:
    """Return the scales that occur, largest first."""
    return frame[SCALE].unique().sort(descending=True).to_list()


def scaled_floats(sums: str, present: Sequence[int], bits: int = SCALED_BITS, power: int = 1) -> pl.Expr:
    """Add up sums of units over all scales as floats; for squares, pass a power of 2."""
    # Sums of one scale are added exactly, then the few scales in a fixed order.
    total = pl.lit(0.0)
    for scale in present:
        of_scale = floats(pl.col(sums).filter(pl.col(SCALE) == scale).sum(), bits)
        for _ in range(power):
            of_scale *= size(scale)
        total += of_scale
    return total


def float_sums(frame: pl.DataFrame, keys: Sequence[str], columns: Sequence[str]) -> pl.DataFrame:
    """Add up columns of floats of any magnitude by keys; the sums are in the order of the keys."""
    sums = []
    for column in columns:
        value = pl.col(column)
        of_scale = frame.select(*keys, value, scale_of(value)).with_columns(
            units(scaled(value, pl.col(SCALE)), SCALED_BITS)
        )
        total = scaled_floats(column, scales(of_scale)).alias(column)
        added = of_scale.group_by(keys).agg(total).sort(keys) if keys else of_scale.select(total)
        sums.append(added[column])
    return pl.DataFrame(sums)
