"""Custom metrics: the values of rows, their sums by cell, and checks of both."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence

import polars as pl
import polars.selectors as cs

from anls_frame.exceptions import DTypeError
from anls_frame.summary import fixed_point
from anls_frame.summary.measures import COUNTS, Metric
from anls_frame.summary.slicing import columns_of

_LARGEST_COUNT = 2.0**52
_SMALLEST = 1e-12
"""Smallest numerator of a ratio besides 0: its square keeps three digits."""
_LARGEST = 1e140
"""Largest absolute score: its square is a float, and so are sums of squares."""

LARGEST_SIZE = 1 << 24
"""Denominators are capped at this before cubes and fourth powers are added, so that 128 bits are enough."""

_NULL = 0x7FF8_0000_0000_0000
"""Represents null in digests: no score has the bits of NaN."""


def needed_columns(metrics: Iterable[Metric]) -> list[str]:
    """Return the columns that metrics need besides the texts."""
    own = [metric for metric in metrics if not metric.is_built_in]
    return columns_of(value for value in _values(own) if isinstance(value, str | pl.Expr))


def value_columns(metrics: Iterable[Metric]) -> list[str]:
    """Return the columns that are the values of custom metrics."""
    return [value for value in _values(metrics) if isinstance(value, str)]


def _values(metrics: Iterable[Metric]) -> Iterator[object]:
    for metric in metrics:
        yield from (metric.numerator, metric.denominator)


def values(
    source: pl.LazyFrame, metric: Metric, texts: Sequence[pl.Expr], numbers: Mapping[str, pl.Expr]
) -> list[pl.Expr]:
    """
    Return the values of a custom metric: the score of a row or, for a ratio, numerator and denominator.

    Parameters
    ----------
    source
        The rows.
    metric
        The custom metric.
    texts
        The columns of predictions and answers, for functions of these.
    numbers
        The numbers of columns that hold them as texts, by column.
    """
    parts = [metric.numerator, metric.denominator] if metric.is_ratio else [metric.numerator]
    return [scored(source, metric, part, texts, numbers) for part in parts]


def ratio(metric: Metric, names: Sequence[str]) -> pl.Expr:
    """
    Return the score of a row in a ratio, from the columns of its parts.

    With denominator 0 it is the numerator, or null if the row has no score.
    """
    numerator, denominator = map(pl.col, names)
    score = pl.when(denominator > 0).then(numerator / denominator).when(denominator == 0).then(numerator)
    return pl.when((numerator > 0) | (denominator > 0)).then(score) if metric.skips_empty_rows else score


def scored(
    source: pl.LazyFrame,
    metric: Metric,
    value: object,
    texts: Sequence[pl.Expr],
    numbers: Mapping[str, pl.Expr],
) -> pl.Expr:
    """Return a metric's numerator or denominator as an expression of numbers."""
    if isinstance(value, str):
        expression: pl.Expr = numbers.get(value, cs.by_name(value).as_expr())
    elif isinstance(value, pl.Expr):
        expression = value
    else:
        try:
            expression = value(*texts)  # type: ignore[operator] # the metric has checked it
        except (AttributeError, TypeError) as error:
            raise TypeError(
                f"the function of metric {metric.name!r} does not take two expressions ({error}); for a "
                "function of two strings, use Metric.of_texts"
            ) from error
        if not isinstance(expression, pl.Expr):
            raise TypeError(
                f"the function of metric {metric.name!r} must return an expression, got "
                f"{type(expression).__name__}; for a function of two strings, use Metric.of_texts"
            )
    schema = source.select(expression).collect_schema()
    dtypes = schema.dtypes()
    if len(dtypes) != 1:
        raise ValueError(f"metric {metric.name!r} must be one column, got {len(dtypes)}")
    if not (dtypes[0].is_numeric() or dtypes[0] in (pl.Boolean, pl.Null)):
        what = f"column {value!r}" if isinstance(value, str) else f"metric {metric.name!r}"
        raise DTypeError(f"{what} has dtype {dtypes[0]}; scores must be numbers")
    score = expression.cast(pl.Float64)
    # In a column, NaN is a score that is missing; from a function, a mistake.
    return score.fill_nan(None) if isinstance(value, str) else score


def beside(scores: Sequence[str], score: str, numerator: str, denominator: str) -> pl.Expr:
    """Return the score of a row in a ratio; 0 where only other systems have a positive denominator."""
    has_any = pl.any_horizontal(pl.col(scores).is_not_null())
    return pl.when(has_any & pl.col(denominator).is_not_null()).then(pl.coalesce(score, numerator))


def digest(names: Sequence[str]) -> pl.Expr:
    """Return the digest of the numbers of each row; null if all are null."""
    numbers = [pl.col(name) for name in names]
    # A single expression would grow eightfold with each score.
    return pl.map_batches(numbers, _digest, return_dtype=pl.UInt64, is_elementwise=True)


def _digest(scores: Sequence[pl.Series]) -> pl.Series:
    """Return the digest of rows, score by score."""
    rows = pl.LazyFrame([score.alias(f"score_{index}") for index, score in enumerate(scores)])
    rows = rows.with_columns(digest=pl.lit(0, pl.UInt64))
    for index, _ in enumerate(scores):
        rows = rows.with_columns(digest=_mixed_in(pl.col("digest"), pl.col(f"score_{index}")))
    is_scored = pl.any_horizontal(pl.exclude("digest").is_not_null())
    return rows.select(pl.when(is_scored).then("digest")).collect(engine="in-memory").to_series()


def _mixed_in(digest: pl.Expr, score: pl.Expr) -> pl.Expr:
    return mixed(digest.xor(score.reinterpret(dtype=pl.UInt64).fill_null(_NULL)))


def mixed(value: pl.Expr) -> pl.Expr:
    """Mix 64 bits: SplitMix64 (Steele, Lea and Flood 2014)."""
    value += pl.lit(0x9E37_79B9_7F4A_7C15, pl.UInt64)
    value = value.xor(value // (1 << 30)) * pl.lit(0xBF58_476D_1CE4_E5B9, pl.UInt64)
    value = value.xor(value // (1 << 27)) * pl.lit(0x94D0_49BB_1331_11EB, pl.UInt64)
    return value.xor(value // (1 << 31))


def score_sums(metric: Metric, names: Sequence[str]) -> list[pl.Expr]:
    """Return counts and sums over the columns of a metric: the score and, for a ratio, both parts."""
    zero = pl.lit(0, dtype=pl.Int64)
    score, *parts = map(pl.col, names)
    is_scored = pl.all_horizontal(value.is_not_null() for value in (score, *parts[1:]))
    counts = [pl.len(), is_scored.sum(), (~is_scored).sum(), zero, zero]
    added = _sums_of_parts(is_scored, *parts) if parts else _sums_of_scores(score)
    least, most = score_range(names)
    added += [least.alias("score_min"), most.alias("score_max")]
    return [
        *(count.cast(pl.Int64).alias(name) for count, name in zip(counts, COUNTS, strict=True)),
        *(added if metric.probability is None else ()),
    ]


def is_wrong(metric: Metric, names: Sequence[str]) -> pl.Expr:
    """Return which rows hold an invalid value for the metric: a score, or the parts of a ratio."""
    low, high = metric.bounds or (None, None)
    score, *_ = parts = [pl.col(name) for name in names]
    if metric.is_ratio:
        numerator, denominator = parts
        outside = [~part.is_between(0, _LARGEST_COUNT) for part in parts]
        outside += [(numerator > 0) & (numerator < _SMALLEST), denominator != denominator.floor()]
        score = _rate(*parts)
    else:
        outside = [~score.is_finite(), score.abs() > _LARGEST]
    outside += [score < low] if low is not None else []
    outside += [score > high] if high is not None else []
    return pl.any_horizontal(outside).fill_null(value=False)


def merged_spread() -> pl.Expr:
    """
    Return Σ(x - mean)² over the rows of all cells, from those of each cell (Chan, Golub and LeVeque 1983).

    The result is 0 if all scores are equal, however their mean is rounded.
    """
    n, total = pl.col("n"), pl.col("score_sum")
    off = total / n - total.sum() / n.sum()
    spread = (pl.col("score_spread") + pl.when(n > 0).then(n * off * off).otherwise(0.0)).sum()
    are_equal = pl.col("score_min").min() == pl.col("score_max").max()
    return pl.when(are_equal).then(0.0).otherwise(spread).alias("score_spread")


def _rate(numerator: pl.Expr, denominator: pl.Expr) -> pl.Expr:
    """Return the rate of a row: infinite for a denominator of 0, null for 0 / 0."""
    return pl.when((numerator > 0) | (denominator > 0)).then(numerator / denominator)


def score_range(names: Sequence[str]) -> list[pl.Expr]:
    """Return the lowest and the highest score of rows, from which a metric gets missing bounds."""
    score, *parts = map(pl.col, names)
    if not parts:
        return [score.min(), score.max()]
    rate = _rate(*parts)
    # An amount such as dollars is no share of what it is divided by, however small it is.
    is_amount = parts[0] != parts[0].floor()
    return [rate.min(), pl.when(is_amount).then(math.inf).otherwise(rate).max()]


def _sums_of_scores(score: pl.Expr) -> list[pl.Expr]:
    return [
        score.sum().alias("score_sum"),
        (score.var(ddof=0) * score.count()).fill_null(0.0).alias("score_spread"),
    ]


def _sums_of_parts(is_scored: pl.Expr, numerator: pl.Expr, denominator: pl.Expr) -> list[pl.Expr]:
    (whole, fraction), (y, _) = (
        fixed_point.whole_and_fraction(pl.when(is_scored).then(part)) for part in (numerator, denominator)
    )
    squares, square_fraction, by_length, fraction_by_length = fixed_point.products(whole, fraction, y)
    size = y.clip(upper_bound=LARGEST_SIZE)
    sums = {
        "numerator_sum": whole,
        "numerator_fraction": fraction,
        "denominator_sum": y,
        "numerator_squares": squares,
        "numerator_square_fraction": square_fraction,
        "numerator_by_length": by_length,
        "numerator_fraction_by_length": fraction_by_length,
        "denominator_squares": y * y,
        "denominator_cubes": size * size * size,
        "denominator_fourths": size * size * size * size,
    }
    return [value.sum().alias(name) for name, value in sums.items()]


def message(metric: Metric, count: int, row: int, values: Sequence[object], part: str | None = None) -> str:
    """Return the message for invalid values, with the row of the first in the frame or in a part."""
    where = f"in row {row:,} (counted from 0){'' if part is None else f' of {part}'}"
    where += f" and wrong in {count - 1:,} more" if count > 1 else ""
    low, high = metric.bounds or (None, None)
    left = "(-∞" if low is None else f"[{low:g}"
    interval = f"{left}, {'∞)' if high is None else f'{high:g}]'}"
    value, advice = values[0], ""
    if metric.is_ratio:
        within = "" if metric.bounds is None else f" with a ratio in {interval}"
        must = f"divide finite numbers of at least 0 by whole numbers of at least 0{within}"
        if isinstance(value, float) and (0 < value < _SMALLEST or _LARGEST_COUNT < value < math.inf):
            advice = f"; use a unit in which numerators are 0 or from {_SMALLEST:g} to {_LARGEST_COUNT:.2g}"
    elif isinstance(value, float) and not math.isfinite(value):
        ways = "return null, or None for texts," if metric.is_function else "drop or fill NaN and infinity"
        must, advice = "be finite", f"; {ways} in rows without a score"
    elif isinstance(value, float) and abs(value) > _LARGEST:
        must = f"be at most {_LARGEST:g} in absolute value"
        advice = "; divide by a power of ten"
    else:
        must = f"be in {interval}"
    sources = value_columns([metric])
    are_shown = len(sources) == 1 + metric.is_ratio and sources != [metric.name]
    source = f" ({' / '.join(sources)})" if are_shown else ""
    return (
        f"metric {metric.name!r}{source} must {must}, got {' and '.join(map(repr, values))} {where}{advice}"
    )
