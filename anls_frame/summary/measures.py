"""What a score is: its sums, its units, and where it lies."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import polars as pl

from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import FINE_BITS, SCALED_BITS, SCORE_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

Kind = Literal["bounded", "rate", "mean"]
"""Scores in [0, 1]; figures from 0 on, better the lower; scores of any size."""


@dataclass(frozen=True)
class Measure:
    """
    A ratio of two sums over rows: a mean score, a share, or a corpus rate.

    `x` and `y` are columns of a cell; `xx`, `xy` and `yy` the columns with the sums over rows of their
    squares and product, where a row is a unit of its own. Sums of x are in units of 2**-bits, those of its
    squares in units of 2**-square_bits; y is a whole number. With `has_scales` the units are those of the
    cell's scale.
    """

    name: str
    x: str
    y: str
    xx: str
    xy: str
    yy: str
    kind: Kind
    bits: int = 0
    square_bits: int = 0
    has_scales: bool = False

    def moments(self) -> list[str]:
        """Names of the columns that `roll_up` gives for the measure: sums over units, and over rows."""
        return [f"{self.name}:{moment}" for moment in ("x", "y", "xx", "xy", "yy", "squares")]

    @property
    def rest(self) -> str:
        """Name of the column with what rounding took off xx."""
        return f"{self.name}:xx_rest"

    @property
    def bracket(self) -> str:
        """Name of the column with Σ(x - ry)², r the ratio."""
        return f"{self.name}:bracket"

    def floats(self, scales: Sequence[int]) -> list[pl.Expr]:
        """Return the moments of a slice, from its lines in `exact_moments`."""
        units = (self.bits, 0, self.square_bits, self.bits, 0, self.square_bits)
        # Of x, y, xx, xy, yy and the squares of rows.
        powers = (1, 0, 2, 1, 0, 2) if self.has_scales else (0,) * 6
        return [
            (
                fixed_point.scaled_floats(name, scales, bits, power)
                if power
                else fixed_point.floats(pl.col(name).sum(), bits)
            ).alias(name)
            for name, bits, power in zip(self.moments(), units, powers, strict=True)
        ]


def _mean(name: str, x: str, squares: str, bits: tuple[int, int] = (0, 0), *, kind: Kind) -> Measure:
    return Measure(name, x, "n", squares, x, "n", kind, *bits)


_SCORE = (SCORE_BITS, FINE_BITS)


TEXT_MEASURES = (
    _mean("anls", "anls_units", "anls_square_units", _SCORE, kind="bounded"),
    _mean("nls", "nls_units", "nls_square_units", _SCORE, kind="bounded"),
    # The square of 0 or 1 is itself.
    _mean("exact_match", "exact_match_sum", "exact_match_sum", kind="bounded"),
    _mean("zeros", "zeros_sum", "zeros_sum", kind="bounded"),
    _mean("cer_mean", "cer_units", "cer_square_units", (FINE_BITS, FINE_BITS), kind="rate"),
    Measure(
        "cer_corpus",
        "char_errors_sum",
        "reference_length_sum",
        "char_errors_squares",
        "char_errors_by_length",
        "reference_length_squares",
        "rate",
    ),
)


def score_measures(
    *, from_zero: bool = True, to_one: bool = True, higher_is_better: bool = True
) -> tuple[Measure, ...]:
    """Return the measures of a column of existing scores, by where they lie and which are better."""
    columns = ("score_units", "n", "score_square_units", "score_units", "n")
    kind: Kind = "mean"
    if from_zero and to_one:
        kind = "bounded"
    elif from_zero and not higher_is_better:
        kind = "rate"
    score = Measure("score", *columns, kind, SCALED_BITS, SCALED_BITS, has_scales=True)
    return score, _mean("zeros", "zeros_sum", "zeros_sum", kind="bounded")
