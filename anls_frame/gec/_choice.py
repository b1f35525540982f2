"""Choose the annotator whose counts a row adds, as the official scorers do."""

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


def greedy(counts: Iterator[list[Counts]], key: Key) -> tuple[list[Counts], list[int]]:
    """Choose in each row by the totals so far, the first one on ties; return the counts and their places."""
    totals, chosen, choices = (0, 0, 0), [], []
    for row in counts:
        best, index = key(totals, row[0]), 0
        for other in range(1, len(row)):
            value = key(totals, row[other])
            if value > best:
                best, index = value, other
        a, b, c = row[index]
        totals = (totals[0] + a, totals[1] + b, totals[2] + c)
        chosen.append(row[index])
        choices.append(index)
    return chosen, choices


def each_row(counts: Iterator[list[Counts]], key: Key) -> list[Counts]:
    """Choose in each row by its own counts alone."""
    return [max(row, key=lambda one: key((0, 0, 0), one)) for row in counts]


def total(chosen: Iterable[Counts]) -> Counts:
    """Return the sums over the rows."""
    first, second, third = (sum(column) for column in zip((0, 0, 0), *chosen, strict=True))
    return first, second, third
