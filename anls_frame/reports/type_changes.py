"""Changes of error types from one system to another, as tables and matrices of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

import polars as pl

from anls_frame._text import shortened_apart
from anls_frame.export import Table
from anls_frame.export.charts import Crossed, Figure
from anls_frame.export.columns import COLUMNS, by_name
from anls_frame.export.document import OVERALL, SLICE, result_table
from anls_frame.metrics.errors import ERROR_TYPES
from anls_frame.summary.details import PAIR

Transitions: TypeAlias = "Sequence[tuple[Sequence[str], pl.DataFrame]]"
"""Tables of `Comparison.transitions`, each with its keys, the first with all rows; none if not counted."""

ROW = "anls_frame:row"
"""Column with the numbers of rows in their table."""

_NAME = "Error types, old and new"
_MATRICES = 12


def changed(transitions: Transitions, systems: Sequence[str]) -> list[Table]:
    """Return how many of all rows changed from each error type to another, the most frequent change first."""
    made = []
    for _, frame in transitions[:1]:
        changes = frame.filter(pl.col(SLICE) == OVERALL, pl.col(PAIR[0]) != pl.col(PAIR[1]))
        largest = changes.sort("n", descending=True, maintain_order=True)
        made.append(_table(_NAME, largest.select("system", *PAIR, "n", "share"), (), systems))
    return made


def _table(name: str, frame: pl.DataFrame, keys: Sequence[str], systems: Sequence[str]) -> Table:
    """Return counts of rows by old and new error type as a table, with the names of the systems."""
    first, *others = shortened_apart(systems)
    other = "its error type" if len(others) > 1 else f"error type of {others[0]}"
    headings = zip(PAIR, (f"error type of {first}", other), strict=True)
    own = by_name(replace(COLUMNS["error_type"], name=name, heading=heading) for name, heading in headings)
    # The name of a single other system would be the same in all rows.
    columns = [column for column in frame.columns if column != "system" or len(others) > 1]
    return result_table(name, frame, keys, own, shown=columns)


def tables(transitions: Transitions, systems: Sequence[str]) -> list[Table]:
    """Return the counts of rows by old and new error type, as tables; the first of all has a fixed name."""
    made: list[Table] = []
    for keys, frame in transitions:
        by = f", by {' and '.join(keys)}" if made else ""
        made.append(_table(f"{_NAME}{by}", frame, keys, systems))
    return made


def matrices(tables: Sequence[Table], baseline: str) -> list[Figure]:
    """Return the counts for all rows, of the first table, as a matrix for each system but the first."""
    if not tables:
        return []
    name, *more = [table.name for table in tables]
    counts = tables[0].frame
    overall = counts.with_row_index(ROW).filter(pl.col(SLICE) == OVERALL)
    systems = overall["system"].unique(maintain_order=True).to_list()
    first, *short = shortened_apart([baseline, *systems])
    matrices = [
        ((first, name), *matrix_categories(overall.filter(system=system), PAIR, "n", ERROR_TYPES))
        for name, system in zip(short, systems, strict=True)
    ]
    others = [above for (_, above), *_ in matrices]
    other = others[0] if len(others) == 1 else "each other system"
    caption = f"Rows by error type of {first} (side) and {other} (top); on the diagonal, both are the same"
    is_whole = not more and overall.height == counts.height and len(matrices) <= _MATRICES
    heading = f"Error types of {first} and {other}"
    return [Crossed(heading, name, matrices[:_MATRICES], caption, is_whole, more)]


def matrix_categories(
    rows: pl.DataFrame, names: tuple[str, str], count: str, order: Sequence[str] | None
) -> tuple[list[str], list[str], dict[tuple[str, str], tuple[int, int]]]:
    """Return the row and column categories of a matrix, and its numbers with their lines."""
    cells = {(old, new): (n, line) for old, new, n, line in rows.select(*names, count, ROW).iter_rows()}
    side, above = ([*dict.fromkeys(pair[at] for pair in cells)] for at in (0, 1))
    if order is None:
        return side, above, cells
    return [name for name in order if name in side], [name for name in order if name in above], cells
