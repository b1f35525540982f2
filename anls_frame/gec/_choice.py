"""Choice of the annotator whose counts a row adds, as in the official scorers, and the scores of totals."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TypeAlias

import polars as pl

from anls_frame import _plugin
from anls_frame._typing import IntoExprColumn
from anls_frame.exceptions import DTypeError

Counts: TypeAlias = tuple[int, int, int]
"""True positives, false positives and false negatives of one annotator in one row."""

Key: TypeAlias = "Callable[[Counts, Counts], tuple[float, ...]]"
"""The key that the chosen annotator maximizes, given the totals so far and the annotator's own counts."""

InRows: TypeAlias = "Callable[[pl.Series], Sequence[Counts]]"
Scores: TypeAlias = "Callable[[Counts, float], tuple[float, float, float]]"

FIELDS = ("tp", "fp", "fn")
_FIELD_OF = {"m2": "proposed", "errant": "types", "i_measure": "correction"}
"""A field that only the counts of this function have."""
_RESULT = pl.Struct(
    {**dict.fromkeys(FIELDS, pl.Int64), **dict.fromkeys(("precision", "recall", "f", "beta"), pl.Float64)}
)


def corpus(name: str, counts: IntoExprColumn, beta: float, chosen: InRows, scores: Scores) -> pl.Expr:
    """Return the sums of the counts chosen in each row, with their scores, as a struct."""
    column = _plugin.expression(name, counts)
    total = partial(_total, function=name.removesuffix("_corpus"), beta=beta, chosen=chosen, scores=scores)
    return column.map_batches(total, return_dtype=_RESULT, returns_scalar=True).alias(f"gec_{name}")


def check_counts(dtype: pl.DataType, function: str) -> None:
    """Raise an error unless a column of this dtype holds the counts of a function of rows."""
    inner = dtype.inner if isinstance(dtype, pl.List) else dtype
    fields = inner.to_schema() if isinstance(inner, pl.Struct) else ()
    owner = next((name for name, field in _FIELD_OF.items() if field in fields), None)
    if owner != function:
        found = dtype if owner is None else f"those of `{owner}`, which `{owner}_corpus` takes"
        raise DTypeError(f"counts must be those of `{function}`, got {found}")


def _total(
    counts: pl.Series, *, function: str, beta: float, chosen: InRows, scores: Scores
) -> dict[str, float]:
    rows: Sequence[Counts] = []
    if counts.dtype != pl.Null:
        check_counts(counts.dtype, function)
        rows = chosen(counts)
    tp, fp, fn = map(sum, zip(*rows, strict=True)) if rows else (0, 0, 0)
    figures = scores((tp, fp, fn), beta)
    return dict(zip(_RESULT.to_schema(), (tp, fp, fn, *figures, beta), strict=True))


def chosen(counts: pl.Series, key: Key, *, by_totals: bool = True) -> tuple[list[int], list[Counts]]:
    """Return the number and the counts of the annotator chosen in each row, the first on ties."""
    totals, choices, own = (0, 0, 0), list[int](), list[Counts]()
    for row in _rows(counts):
        index = max(range(len(row)), key=lambda annotator: key(totals, row[annotator]))
        choices.append(index)
        own.append(row[index])
        if by_totals:
            a, b, c = row[index]
            totals = (totals[0] + a, totals[1] + b, totals[2] + c)
    return choices, own


def _rows(counts: pl.Series) -> Iterator[list[Counts]]:
    """Yield the counts of each row's annotators; rows without annotators are left out."""
    counts = counts.filter(counts.list.len() > 0)
    flat = counts.explode(empty_as_null=False, keep_nulls=False)
    columns = [flat.struct.field(field).to_list() for field in FIELDS]
    entries = zip(*columns, strict=True)
    for length in counts.list.len().to_list():
        yield [next(entries) for _ in range(length)]


def scores(counts: Counts, beta: float) -> tuple[float, float, float]:
    """Return precision, recall and F of true positives, false positives and false negatives."""
    tp, fp, fn = counts
    precision = tp / (tp + fp) if fp else 1.0
    recall = tp / (tp + fn) if fn else 1.0
    both = precision + recall
    f = (1 + beta**2) * precision * recall / (beta**2 * precision + recall) if both else 0.0
    return precision, recall, f
