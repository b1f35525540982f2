"""What a score is: its names, where it can lie and which way is better, and the sums that it is made of."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import polars as pl

from anls_frame._arguments import flag
from anls_frame.summary import fixed_point
from anls_frame.summary.fixed_point import FINE_BITS, SCALED_BITS, SCORE_BITS

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Metric"]

Interval = Literal["bounded", "rate", "mean"]
"""Intervals of scores in [0, 1]; of figures from 0 on, better the lower; of scores of any size."""

LOWER_IS_BETTER = frozenset(("cer", "wer", "mer", "wil", "ter"))
"""Error rates: of scores with such a word in their name lower is better, unless the caller says otherwise."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """
    What a score is: its names, where it can lie and which way is better.

    It is a ratio of two sums over rows: a mean score, a share of rows, or a corpus rate. A report has those of
    its columns in `measures`.

    Parameters
    ----------
    name
        Its column in reports.
    label
        What people call it, in headings and beside axes.
    numerator, denominator
        What is added up of each row and then divided, under the names of `anls_frame.score` where it has them;
        a mean has no denominator and is divided by the number of rows.
    bounds
        The lowest and the highest value that it can have, `None` for an open end; `None` if both are open.
    higher_is_better
        Its direction.
    format
        Kind of its column in exported tables.

    Notes
    -----
    What else it has is for the package itself and may change.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["lnvoice"], "answer": ["Invoice"]})
    >>> metrics = {metric.name: metric for metric in af.report(df, "prediction", "answer").measures}
    >>> metrics["cer_corpus"].label, metrics["cer_corpus"].bounds, metrics["cer_corpus"].higher_is_better
    ('CER (corpus)', (0, None), False)
    >>> metrics["anls"]
    Metric(name='anls', label='ANLS', numerator='anls', denominator=None, bounds=(0, 1), higher_is_better=True, format='score')
    """  # noqa: E501 - printed output

    name: str
    label: str
    numerator: str
    denominator: str | None = None
    bounds: tuple[float | None, float | None] | None = None
    higher_is_better: bool = True
    format: Literal["score", "rate"] = "score"
    row: str | None = field(default=None, repr=False)
    """Column of `anls_frame.score` with the score of a row; `None` for what no row has by itself."""
    in_text: Literal["interval", "figure", "nothing"] = field(default="interval", repr=False)
    """What the narrow tables of terminals and notebooks show."""
    bits: int = field(default=0, repr=False)
    """Sums of the numerator are in units of 2**-bits; those of the denominator are whole numbers."""
    square_bits: int = field(default=0, repr=False)
    """Sums of its squares are in units of 2**-square_bits."""
    has_scales: bool = field(default=False, repr=False)
    """Whether units are those of the cell's scale: so it is with scores that existed already."""

    @property
    def interval(self) -> Interval:
        """Which interval it gets."""
        if self.bounds == (0, 1):
            return "bounded"
        return "rate" if self.bounds == (0, None) and not self.higher_is_better else "mean"

    @property
    def is_share(self) -> bool:
        """Whether it is the share of some of the rows, each 0 or 1."""
        return self.denominator is None and not self.bits

    @property
    def ends(self) -> tuple[str, str, str]:
        """Its columns in reports: the figure, and both ends of its interval."""
        return self.name, f"{self.name}_low", f"{self.name}_high"

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of cells with the sums of x and y, and those of rows that `moments` names."""
        x = f"{self.numerator}_{'units' if self.bits else 'sum'}"
        if self.denominator is not None:
            y, xx = f"{self.denominator}_sum", f"{self.numerator}_squares"
            return x, y, xx, f"{self.numerator}_by_length", f"{self.denominator}_squares", xx
        # The square of 0 or 1 is itself.
        xx = x if self.is_share else f"{self.numerator}_square_units"
        return x, "n", xx, x, "n", xx

    def moments(self) -> list[str]:
        """Names of the columns that `roll_up` gives for the metric: sums over units, and over rows."""
        return [f"{self.name}:{moment}" for moment in ("x", "y", "xx", "xy", "yy", "squares")]

    @property
    def rest(self) -> str:
        """Name of the column with what rounding took off xx."""
        return f"{self.name}:xx_rest"

    @property
    def bracket(self) -> str:
        """Name of the column with Σ(x - ry)², r the ratio."""
        return f"{self.name}:bracket"

    def floats(self, columns: Sequence[str], scales: Sequence[int]) -> list[pl.Expr]:
        """Return sums of x, y, xx, xy, yy and the squares of rows, or the first of these, as floats."""
        units = (self.bits, 0, self.square_bits, self.bits, 0, self.square_bits)
        powers = (1, 0, 2, 1, 0, 2) if self.has_scales else (0,) * 6
        return [
            fixed_point.scaled_floats(column, scales, bits, power).alias(column)
            if power
            else fixed_point.floats(pl.col(column).sum(), bits).alias(column)
            for column, bits, power in zip(columns, units, powers, strict=False)
        ]


def _score(name: str, label: str, **others: Any) -> Metric:
    return Metric(name=name, label=label, **{"numerator": name, "row": name, "bounds": (0, 1), **others})


def _error_rate(name: str, label: str, **others: Any) -> Metric:
    return _score(name, label, row="cer", bounds=(0, None), higher_is_better=False, format="rate", **others)


_ZEROS = _score("zeros", "share of rows with ANLS 0", row=None, higher_is_better=False, in_text="figure")

TEXT_METRICS = (
    _score("anls", "ANLS", bits=SCORE_BITS, square_bits=FINE_BITS),
    _score("nls", "NLS", bits=SCORE_BITS, square_bits=FINE_BITS, in_text="figure"),
    _score("exact_match", "exact match"),
    _ZEROS,
    _error_rate(
        "cer_mean",
        "CER (mean)",
        numerator="cer",
        bits=FINE_BITS,
        square_bits=FINE_BITS,
        in_text="nothing",
    ),
    _error_rate("cer_corpus", "CER (corpus)", numerator="char_errors", denominator="reference_length"),
)
"""What reports have of texts, in the order of their columns."""

COMPARED = {
    metric.row if metric.denominator is None else metric.name: metric
    for metric in TEXT_METRICS
    if metric.row is not None
}
"""What two systems can be compared by: means by the name of the rows' score, rates by their own."""


def reported(
    score: str | None, *, higher_is_better: bool = True, from_zero: bool = False, to_one: bool = False
) -> tuple[Metric, ...]:
    """Return what is reported of texts or, by the name of their column, of scores that exist already."""
    if score is None:
        return TEXT_METRICS
    bounds = (0 if from_zero else None, 1 if to_one else None)
    own = _score(
        "score",
        score,
        bounds=None if bounds == (None, None) else bounds,
        higher_is_better=higher_is_better,
        bits=SCALED_BITS,
        square_bits=SCALED_BITS,
        has_scales=True,
    )
    # Where lower is better, rows with 0 are those without errors.
    return own, dataclasses.replace(_ZEROS, higher_is_better=not higher_is_better)


def compared(metric: str, score: str | None, *, higher_is_better: bool = True) -> Metric:
    """Return what two systems are compared by: a score of their texts, or one that exists already."""
    return COMPARED[metric] if score is None else reported(score, higher_is_better=higher_is_better)[0]


def resolve_direction(score: str | None, higher_is_better: bool | None) -> bool:  # noqa: FBT001 - as callers have it
    """Return whether higher is better: the caller's word for scores that exist, otherwise by their name."""
    if higher_is_better is None:
        # "tesseract_cer", "CER (corpus)", but neither "transfer" nor "certainty".
        return LOWER_IS_BETTER.isdisjoint(re.findall(r"[^\W_]+", str(score).lower()))
    if score is None:
        raise ValueError(
            "higher_is_better is the direction of scores that exist already, not of those made here of texts"
        )
    return flag("higher_is_better", higher_is_better)
