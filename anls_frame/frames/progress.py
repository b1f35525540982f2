"""Progress of functions that read many rows or make many draws, shown inside `progress`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Literal

import polars as pl

Advance = Callable[[int], object] | None
Asked = Callable[[int], object] | Literal["bar"] | None

_asked: ContextVar[Asked] = ContextVar("anls_frame_progress", default=None)


@contextmanager
def progress(callback: Callable[[int], object] | None = None) -> Iterator[None]:
    """
    Show the progress of `report`, `summarize` and `find_slices` calls inside a `with` block.

    Parameters
    ----------
    callback
        A function that is called, from any thread, with the number of rows read since its last call (for
        `find_slices`, the number of draws). By default, a bar is drawn in a terminal or a notebook.

    Returns
    -------
    ContextManager
        A context manager for `with`.

    Raises
    ------
    TypeError
        If the callback is not a function.

    Notes
    -----
    A report reads the rows once, again for `worst` and for custom metrics, and twice more for `details`.
    For a Daft frame, Daft shows its own progress.

    Examples
    --------
    >>> import polars as pl
    >>> import anls_frame as af
    >>> df = pl.DataFrame({"prediction": ["a", "b"], "answer": ["a", "x"]})
    >>> seen = []
    >>> with af.progress(seen.append):
    ...     report = af.report(df, "prediction", "answer")
    >>> sum(seen)
    2
    """
    if callback is not None and not callable(callback):
        raise TypeError(f"callback must be a function of a number of rows or draws, got {callback!r}")
    with _asking("bar" if callback is None else callback):
        yield


@contextmanager
def _asking(asked: Asked) -> Iterator[None]:
    before = _asked.set(asked)
    try:
        yield
    finally:
        _asked.reset(before)


@contextmanager
def following(total: int | None, what: str = "Scoring", unit: str = "rows") -> Iterator[Advance]:
    """
    Yield the function to call with numbers: the callback of `progress`, the one of a bar, or None.

    Functions called inside show no progress of their own.
    """
    asked = _asked.get()
    with _asking(None):
        if asked != "bar":
            yield asked
        elif total == 0:
            yield None
        else:
            with bar(what, total, unit) as advance:
                yield advance


@contextmanager
def following_together(total: int | None, what: str) -> Iterator[None]:
    """Show the progress of all functions called inside as a single progress."""
    with following(total, what) as advance, _asking(advance):
        yield


def counted(frame: pl.LazyFrame, advance: Advance) -> pl.LazyFrame:
    """Report the height of each batch of a query, which stays lazy and reads all its columns."""
    if advance is None:
        return frame

    def shown(batch: pl.DataFrame) -> pl.DataFrame:
        advance(batch.height)
        return batch

    return frame.map_batches(
        shown,
        schema=frame.collect_schema(),
        validate_output_schema=False,
        # Polars loses columns when it pushes some of these projections through a function.
        projection_pushdown=False,
        streamable=True,
    )


@contextmanager
def bar(what: str, total: int | None, unit: str = "rows") -> Iterator[Advance]:
    """Draw a progress bar on standard error, only in a terminal or a notebook."""
    if not sys.stderr.isatty() and "IPython" not in sys.modules:  # rich takes a while to import
        yield None
        return
    from rich.console import Console  # noqa: PLC0415 - only for callers who want a bar
    from rich.progress import Progress, TextColumn  # noqa: PLC0415

    console = Console(stderr=True)
    if not (console.is_terminal or console.is_jupyter):
        yield None
        return
    # Names of files may look like markup.
    description, *others = TextColumn("{task.description}", markup=False), *Progress.get_default_columns()[1:]
    count = TextColumn(f"{{task.completed:,.0f}} {unit}", markup=False)
    with Progress(description, *others, count, console=console, transient=True) as shown:
        task = shown.add_task(what, total=total)
        yield lambda rows: shown.advance(task, rows)
