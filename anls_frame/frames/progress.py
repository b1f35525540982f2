"""Progress of a query, whose rows are counted as it reads them, and of other long work."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    import polars as pl

    Progress = bool | Callable[[int], object]
    Advance = Callable[[int], object] | None


def counted(frame: pl.LazyFrame, advance: Advance) -> pl.LazyFrame:
    """Report the height of each batch; the query stays lazy and streaming, and reads all columns it has."""
    if advance is None:
        return frame

    def count(batch: pl.DataFrame) -> pl.DataFrame:
        advance(batch.height)
        return batch

    return frame.map_batches(
        count,
        schema=frame.collect_schema(),
        validate_output_schema=False,
        # Polars loses columns when it pushes some of these projections through a function.
        projection_pushdown=False,
        slice_pushdown=True,
        streamable=True,
    )


@contextmanager
def following(
    progress: Progress, total: int | None, what: str = "Scoring", unit: str = "rows"
) -> Iterator[Advance]:
    """Yield the function to call with numbers of rows or others: the one given, that of a bar, or None."""
    if not isinstance(progress, bool) and not callable(progress):
        raise TypeError(f"progress must be True, False or a function of a number of {unit}, got {progress!r}")
    if progress is True:
        with bar(what, total, unit) as advance:
            yield advance
    else:
        yield progress or None


@contextmanager
def bar(what: str, total: int | None, unit: str = "rows") -> Iterator[Advance]:
    """Draw a progress bar on standard error, only in a terminal or a notebook."""
    from rich.console import Console  # noqa: PLC0415 - only for callers who want a bar
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        Progress,
        TaskProgressColumn,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield None
        return
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TaskProgressColumn(),
        TextColumn(f"{{task.completed:,.0f}} {unit}", markup=False),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as shown:
        task = shown.add_task(what, total=total)
        yield lambda rows: shown.advance(task, rows)
