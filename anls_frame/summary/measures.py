"""Descriptions of scores: their names, bounds and direction, and the sums from which they are computed."""

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
"""Intervals for scores in [0, 1]; for rates of at least 0, where lower is better; for all other scores."""

LOWER_IS_BETTER = frozenset(("cer", "wer", "mer", "wil", "ter"))
"""Error rates: if a score's name contains one of these words, lower is better by default."""


@dataclass(frozen=True, kw_only=True)
class Metric:
    """
    Description of a score: its names, its bounds and its direction.

    A score is a ratio of two sums over rows: a mean score, a share of rows, or a corpus rate. The attribute
    `measures` of a report has the descriptions of its columns.

    Parameters
    ----------
    name
        Name of its column in reports.
    label
        Its name in headings and on axes.
    numerator, denominator
        The values of a row that are summed and then divided, under the names of `anls_frame.score` where they
        have one. A mean has no denominator: it is divided by the number of rows.
    bounds
        The lowest and the highest possible value, `None` for an open end; `None` if both are open.
    higher_is_better
        Its direction.
    format
        Kind of its column in exported tables.

    Notes
    -----
    All other attributes are internal and may change.

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
    """Column of `anls_frame.score` with the score of a row; `None` if a single row has no such score."""
    in_text: Literal["interval", "figure", "nothing"] = field(default="interval", repr=False)
    """What the narrow tables of terminals and notebooks show."""
    bits: int = field(default=0, repr=False)
    """Sums of the numerator are in units of 2**-bits; those of the denominator are integers."""
    square_bits: int = field(default=0, repr=False)
    """Sums of its squares are in units of 2**-square_bits."""
    has_scales: bool = field(default=False, repr=False)
    """Whether units are relative to the cell's scale, as they are for existing scores."""

    @property
    def interval(self) -> Interval:
        """The kind of its interval."""
        if self.bounds == (0, 1):
            return "bounded"
        return "rate" if self.bounds == (0, None) and not self.higher_is_better else "mean"

    @property
    def is_share(self) -> bool:
        """Whether it is a share of rows: the score of each row is 0 or 1."""
        return self.denominator is None and not self.bits

    @property
    def ends(self) -> tuple[str, str, str]:
        """Its columns in reports: the value and both ends of its interval."""
        return self.name, f"{self.name}_low", f"{self.name}_high"

    @property
    def columns(self) -> tuple[str, ...]:
        """Columns of cells with the sums of x and y, and with the sums over rows, as in `moments`."""
        x = f"{self.numerator}_{'units' if self.bits else 'sum'}"
        if self.denominator is not None:
            y, xx = f"{self.denominator}_sum", f"{self.numerator}_squares"
            return x, y, xx, f"{self.numerator}_by_length", f"{self.denominator}_squares", xx
        # The square of 0 or 1 is itself.
        xx = x if self.is_share else f"{self.numerator}_square_units"
        return x, "n", xx, x, "n", xx

    def moments(self) -> list[str]:
        """Names of the columns that `roll_up` returns for the metric: sums over units, and over rows."""
        return [f"{self.name}:{moment}" for moment in ("x", "y", "xx", "xy", "yy", "squares")]

    @property
    def rest(self) -> str:
        """Name of the column with the rounding error of xx."""
        return f"{self.name}:xx_rest"

    @property
    def bracket(self) -> str:
        """Name of the column with Σ(x - ry)², where r is the ratio."""
        return f"{self.name}:bracket"

    def floats(self, columns: Sequence[str], scales: Sequence[int]) -> list[pl.Expr]:
        """Return the sums of x, y, xx, xy, yy and the squares of rows, or the first of them, as floats."""
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
"""The scores in reports of texts, in the order of their columns."""

COMPARED = {
    metric.row if metric.denominator is None else metric.name: metric
    for metric in TEXT_METRICS
    if metric.row is not None
}
"""The scores by which two systems can be compared: means under the name of the row score, rates their own."""


def reported(
    score: str | None, *, higher_is_better: bool = True, from_zero: bool = False, to_one: bool = False
) -> tuple[Metric, ...]:
    """Return the scores in a report of texts or, if the name of a column is given, of existing scores."""
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
    # If lower is better, rows with 0 are rows without errors.
    return own, dataclasses.replace(_ZEROS, higher_is_better=not higher_is_better)


def compared(metric: str, score: str | None, *, higher_is_better: bool = True) -> Metric:
    """Return the score by which two systems are compared: one computed from texts, or an existing one."""
    return COMPARED[metric] if score is None else reported(score, higher_is_better=higher_is_better)[0]


def resolve_direction(score: str | None, higher_is_better: bool | None) -> bool:  # noqa: FBT001 - as callers have it
    """Return whether higher is better: as the caller says for existing scores, otherwise by their name."""
    if higher_is_better is None:
        # "tesseract_cer", "CER (corpus)", but neither "transfer" nor "certainty".
        return LOWER_IS_BETTER.isdisjoint(re.findall(r"[^\W_]+", str(score).lower()))
    if score is None:
        raise ValueError(
            "higher_is_better applies only to existing scores; scores of texts have their own direction"
        )
    return flag("higher_is_better", higher_is_better)
