"""Choice of the annotator whose counts a row adds, as in the official scorers, and the scores of totals."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Iterator,
    Sequence,
)
from typing import TypeAlias

import polars as pl

Counts: TypeAlias = tuple[int, int, int]
"""Three counts of one annotator in one row, which are summed over rows."""

Key: TypeAlias = "Callable[[Counts, Counts], tuple[float, ...]]"
"""The key that the chosen annotator maximises, given the totals so far and the annotator's own counts."""

RESULT = pl.Struct(
    {
        **dict.fromkeys(("tp", "fp", "fn"), pl.Int64),
        **dict.fromkeys(("precision", "recall", "f", "beta"), pl.Float64),
    }
)
"""The dtype of `result`."""


def chosen(
    counts: pl.Series, fields: Sequence[str], key: Key, *, by_totals: bool = True
) -> tuple[list[int], list[Counts]]:
    """Return the number and the counts of the annotator chosen in each row, the first on ties."""
    totals, choices, own = (0, 0, 0), list[int](), list[Counts]()
    for row in _rows(counts, fields):
        index = max(range(len(row)), key=lambda annotator: key(totals, row[annotator]))
        choices.append(index)
        own.append(row[index])
        if by_totals:
            a, b, c = row[index]
            totals = (totals[0] + a, totals[1] + b, totals[2] + c)
    return choices, own


def _rows(counts: pl.Series, fields: Sequence[str]) -> Iterator[list[Counts]]:
    """Yield the counts of each row's annotators; rows without annotators are left out."""
    counts = counts.filter(counts.list.len() > 0)
    flat = counts.explode(empty_as_null=False, keep_nulls=False)
    columns = [flat.struct.field(field).to_list() for field in fields]
    entries = zip(*columns, strict=True)
    for length in counts.list.len().to_list():
        yield [next(entries) for _ in range(length)]


def total(counts: Sequence[Counts]) -> Counts:
    """Return the sums over the rows."""
    a, b, c = map(sum, zip(*counts, strict=True)) if counts else (0, 0, 0)
    return a, b, c


def scores(counts: Counts, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F of true positives, false positives and false negatives."""
    tp, fp, fn = counts
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    both = precision + recall
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if both else 0.0
    return precision, recall, f


def result(counts: Counts, figures: Sequence[float], beta: float) -> dict[str, float]:
    """Return what the functions of corpora return."""
    return dict(zip(RESULT.to_schema(), (*counts, *figures, beta), strict=True))
