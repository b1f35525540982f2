"""Choice of the annotator whose counts a row adds, as in the official scorers."""

from __future__ import annotations

from collections.abc import Callable  # noqa: TC003 - part of an alias
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    import polars as pl

Counts: TypeAlias = tuple[int, int, int]
"""Three counts of one annotator in one row, which are summed over rows."""

Key: TypeAlias = "Callable[[Counts, Counts], tuple[float, ...]]"
"""The key that the chosen annotator maximises, given the totals so far and the annotator's own counts."""


def rows(counts: pl.Series, fields: Sequence[str]) -> Iterator[list[Counts]]:
    """Yield the counts of each row's annotators; rows without annotators are left out."""
    counts = counts.filter(counts.list.len() > 0)
    flat = counts.explode(empty_as_null=False, keep_nulls=False)
    columns = [flat.struct.field(field).to_list() for field in fields]
    entries = zip(*columns, strict=True)
    for length in counts.list.len().to_list():
        yield [next(entries) for _ in range(length)]


def greedy(counts: Iterator[list[Counts]], key: Key) -> tuple[Counts, list[int]]:
    """Choose in each row by the totals so far (the first on ties); return the totals and the choices."""
    totals, choices = (0, 0, 0), []
    for row in counts:
        best, index = key(totals, row[0]), 0
        for other in range(1, len(row)):
            value = key(totals, row[other])
            if value > best:
                best, index = value, other
        a, b, c = row[index]
        totals = (totals[0] + a, totals[1] + b, totals[2] + c)
        choices.append(index)
    return totals, choices


def chosen(counts: Iterator[list[Counts]], choices: list[int]) -> list[Counts]:
    """Return the counts of the chosen annotators in the rows."""
    return [row[index] for row, index in zip(counts, choices, strict=True)]


def each_row(counts: Iterator[list[Counts]], key: Key) -> Iterator[Counts]:
    """Choose in each row by its own counts alone."""
    for row in counts:
        yield max(row, key=lambda own: key((0, 0, 0), own))


def total(counts: Iterable[Counts]) -> Counts:
    """Return the sums over the rows."""
    totals = (0, 0, 0)
    for a, b, c in counts:
        totals = (totals[0] + a, totals[1] + b, totals[2] + c)
    return totals
