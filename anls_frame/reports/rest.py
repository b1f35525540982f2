"""
Tests of slices against all other rows.

The statistic is the difference between the mean (or rate) of a slice and that of all other rows, divided by
its standard error. This is the standard error observed around these two figures, or the one expected from the
variance and the intraclass correlation of all rows, if larger. The observed one alone is too small for slices
of few rows that are all right; around the figure of all rows, a slice of few documents would mask its own
loss.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from anls_frame import statistics
from anls_frame._text import listed, quoted
from anls_frame.exceptions import warn
from anls_frame.frames.documents import numbers
from anls_frame.reports.estimates import Sums
from anls_frame.reports.slice_units import cells_in_slices
from anls_frame.statistics.arrays import FloatArray, divided
from anls_frame.statistics.codes import Codes, joint_codes
from anls_frame.statistics.losses import Losses, rows_of_sums
from anls_frame.summary import moments
from anls_frame.summary.cells import add_up
from anls_frame.summary.keys import CLUSTER
from anls_frame.summary.measures import Metric

MOST_DEALT, MOST_DOCUMENTS = 50_000, 4096
"""Maximum number of rows, and of documents, for rows to be dealt to documents again."""
MOST_DRAWS = 20_000
"""Maximum number of draws."""
_PAIR = 2


def against_rest(
    cells: pl.DataFrame, keys: Sequence[str], metric: Metric, *, draws: int, seed: int
) -> pl.DataFrame:
    """
    Return the keys, `n`, both figures, the difference and the p-values of each slice against its rest.

    Up to `MOST_DEALT` rows are permuted among documents. With more rows, and without documents, the statistic
    is compared with Student's t. Slices that cannot be tested have no p-value, and a warning says why.
    """
    has_clusters = CLUSTER in cells.columns
    all_keys = [column for column in cells.columns if column.startswith("key_")]
    rows = add_up([cells.drop(CLUSTER)], all_keys) if has_clusters else cells
    counted = moments.roll_up(rows, keys, [metric])
    whole = Sums.of(moments.roll_up(rows, [], [metric]), metric)
    inside = Sums.of(counted, metric)
    outside = Sums(*(total - part for part, total in zip(inside, whole, strict=True)))
    testable = (inside.y > 0) & (outside.y > 0)
    own, rest = (np.where(testable, divided(part.x, part.y), np.nan) for part in (inside, outside))
    adjusted = None
    if has_clusters:
        from anls_frame.statistics import dealt  # noqa: PLC0415 - scipy.sparse takes long to import

        losses, codes = losses_of(cells, counted.select(keys), metric)
        if losses.rows <= MOST_DEALT and losses.units <= MOST_DOCUMENTS:
            p, adjusted = dealt.two_sided(losses, codes, draws, seed)
        else:
            p = _by_document(losses, codes)
        if (untested := np.isnan(p) & testable).any():
            warn(_why_null(counted.select(keys).filter(pl.Series(untested)), losses))
    else:
        p = _by_row(inside, outside, whole)
    p = np.where(testable, p, np.nan)
    adjusted = by_holm(p, inside.y, whole.y) if adjusted is None else np.where(testable, adjusted, np.nan)
    return counted.select(
        *keys,
        "n",
        pl.Series(metric.name, divided(inside.x, inside.y), nan_to_null=True),
        pl.Series("rest", rest, nan_to_null=True),
        pl.Series("difference", own - rest, nan_to_null=True),
        pl.Series("p_value", p, nan_to_null=True),
        pl.Series("p_adjusted", adjusted, nan_to_null=True),
    )


def by_holm(p: FloatArray, sizes: FloatArray, whole: FloatArray) -> FloatArray:
    """Adjust p-values for the number of tests; two slices that are each other's rest are one test."""
    tested = ~np.isnan(p)
    # Slices of labels may have the size of each other's rest and other rows.
    are_rests = np.count_nonzero(tested) == _PAIR and sizes[tested].sum() == whole.sum()
    return p if are_rests and np.allclose(p[tested], p[tested][0], atol=0) else statistics.holm(p)


def _squares(sums: Sums, ratio: FloatArray | float) -> FloatArray:
    """Return Σ(x - ratio y)² of each line."""
    # From the spread around the line's own figure, which is exact even for scores far larger than the spread.
    own = divided(sums.x, sums.y, 0.0)
    off = own - ratio
    squares = sums.bracket + 2 * off * (sums.xy - own * sums.yy) + off * off * sums.yy
    return np.asarray(np.maximum(squares, 0.0))


def _by_row(inside: Sums, outside: Sums, whole: Sums) -> FloatArray:
    """Return p-values of slices with rows as the units."""
    with np.errstate(divide="ignore", invalid="ignore"):
        own, rest = inside.x / inside.y, outside.x / outside.y
        around_rest = np.maximum(_squares(whole, rest) - _squares(inside, rest), 0)
        shown = _squares(inside, own) / inside.y**2 + around_rest / outside.y**2
        weight = 1 / inside.y + 1 / outside.y
        expected = _squares(whole, whole.x / whole.y) / whole.y * weight
        df = weight**2 / (inside.yy / inside.y**4 + outside.yy / outside.y**4) - 1
        variance = np.maximum(shown, expected)
        spread = variance > 0
        t = (own - rest) / np.sqrt(np.where(spread, variance, 1.0))
        return np.where(spread, statistics.t_two_sided(t, np.maximum(df, 1)), 1.0)


def _by_document(losses: Losses, codes: Codes) -> FloatArray:
    """Return p-values of slices with documents as the units."""
    p = np.full(codes.size, np.nan)
    for code in range(codes.size):
        sums = losses.sums(codes.renumbered(np.array([code])))
        statistic, _ = losses.tested(*sums, least_units=1)
        df = losses.degrees_of_freedom(sums[1])
        if not losses.are_opposed(statistic, *sums)[0]:
            p[code] = statistics.t_two_sided(statistic, np.maximum(df, 1))[0]
    return p


def _why_null(slices: pl.DataFrame, losses: Losses) -> str:
    """Return why slices, given by their keys, cannot be tested."""
    if losses.units == _PAIR:
        return (
            "p_value is null, because a slice and its rest are a document each: whatever differs between "
            "slices also differs between these documents. Score more documents"
        )
    named = listed(quoted(key[0] if len(key) == 1 else key) for key in slices.iter_rows())
    return (
        f"p_value is null for {named}, because rows and documents disagree: a few long documents decide the "
        "difference of rows, and means in which all documents count the same differ in the other direction "
        "or not at all. Report the scores by document to see which they are"
    )


def losses_of(cells: pl.DataFrame, slices: pl.DataFrame, metric: Metric) -> tuple[Losses, Codes]:
    """Return the losses of the rows of cells, and their slices."""
    lines = cells.drop(CLUSTER).with_row_index("key_line")
    sums = Sums.of(moments.roll_up(lines, ["key_line"], [metric]), metric)
    n = np.maximum(sums.n, 1)
    rate = sums.x.sum() / sums.y.sum() if sums.y.sum() else 0.0
    variance = np.maximum(_squares(sums, rate) / n - ((sums.x - rate * sums.y) / n) ** 2, 0)
    row, deviation = rows_of_sums(sums.n, sums.x / n, variance, None if metric.is_ratio else metric.bounds)
    cell, slice_of = cells_in_slices(cells, slices, slices.columns)
    codes = Codes(slice_of, slices.height, cell)
    document = numbers(cells[CLUSTER], cells.height)
    x, y = (sums.x / n)[row] + deviation, (sums.y / n)[row]
    losses = Losses.of(row, x, y, document, joint_codes([codes], cells.height))
    return losses, codes.taken(losses.line)
