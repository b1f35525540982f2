"""What plots are given: axes or none, columns of any frame, summaries; checked before anything is drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import polars as pl
import polars.selectors as cs

from anls_frame.exceptions import DTypeError
from anls_frame.frames.conversion import to_lazy
from anls_frame.results import SlicedResult
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the given axes, or new ones of a size in inches."""
    from matplotlib.axes import Axes as AnyAxes  # noqa: PLC0415 - only for those who plot

    from anls_frame.plot._axes import new_axes  # noqa: PLC0415

    if ax is None:
        return new_axes(width, height)
    if not isinstance(ax, AnyAxes):
        raise TypeError(f"ax must be an Axes of matplotlib, got {type(ax).__name__}")
    return ax


def check_rows(frame: Any) -> None:
    """Raise an error for what is made from rows."""
    if isinstance(frame, Summary | SlicedResult):
        raise TypeError(f"this plot takes a frame of rows, got a {type(frame).__name__}")


def sliced(result: Any, noun: Literal["report", "comparison"]) -> SlicedResult:
    """Return the result, if it is one of this kind."""
    if not isinstance(result, SlicedResult) or result.noun != noun:
        made_by = "report" if noun == "report" else "compare"
        raise TypeError(f"this plot takes a {noun}, as `{made_by}` makes it, got {type(result).__name__}")
    return result


def numbers(frame: Any, columns: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """Return columns of numbers as floats, and others as they are; NaN is null."""
    check_rows(frame)
    lazy = to_lazy(frame, [], [*columns, *others])
    schema = lazy.collect_schema()
    for name in columns:
        if not (schema[name].is_numeric() or schema[name] in (pl.Boolean, pl.Null)):
            raise DTypeError(f"column {name!r} has dtype {schema[name]}; this plot needs numbers there")
    values = [cs.by_name(name).cast(pl.Float64).fill_nan(None) for name in columns]
    rest = [cs.by_name(name) for name in dict.fromkeys(others) if name not in columns]
    return lazy.select(*values, *rest).collect()


def named(columns: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return columns by the names that they have in the plot."""
    if isinstance(columns, str):
        return {columns: columns}
    pairs = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    if not pairs or not all(isinstance(text, str) for pair in pairs.items() for text in pair):
        raise ValueError(f"name a column, several, or several by their systems' names; got {columns!r}")
    return pairs


def summary_of_texts(summary: Any) -> Summary:
    """Return the summary, if it has what is known of texts only."""
    if not isinstance(summary, Summary):
        raise TypeError(
            f"this plot takes a summary, as `summarize` returns it and reports have in `.summary`; "
            f"got {type(summary).__name__}"
        )
    if summary.settings.score is not None:
        raise ValueError("a summary of existing scores holds no histogram; plot the rows with `ecdf`")
    return summary
