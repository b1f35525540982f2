"""Checks of what plots are given (axes, frames, summaries), before anything is drawn."""

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
    """Return the given axes, or new ones; the size is in inches."""
    from matplotlib.axes import Axes as AnyAxes  # noqa: PLC0415 - only to plot

    from anls_frame.plot._axes import new_axes  # noqa: PLC0415

    if ax is None:
        return new_axes(width, height)
    if not isinstance(ax, AnyAxes):
        raise TypeError(f"ax must be a matplotlib Axes, got {type(ax).__name__}")
    return ax


def check_rows(frame: Any) -> None:
    """Raise an error for a summary, report or comparison."""
    if isinstance(frame, Summary | SlicedResult):
        raise TypeError(f"this plot needs a frame of rows, got {type(frame).__name__}")


def sliced(result: Any, noun: Literal["report", "comparison"]) -> SlicedResult:
    """Return the result; an error unless it is of this kind."""
    if not isinstance(result, SlicedResult) or result.noun != noun:
        made_by = "report" if noun == "report" else "compare"
        raise TypeError(f"this plot needs a {noun} from `{made_by}`, got {type(result).__name__}")
    return result


def numbers(frame: Any, columns: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
    """Return numeric columns as floats, with NaN as null, and the other columns unchanged."""
    check_rows(frame)
    lazy = to_lazy(frame, [], [*columns, *others])
    schema = lazy.collect_schema()
    for name in columns:
        if not (schema[name].is_numeric() or schema[name] in (pl.Boolean, pl.Null)):
            raise DTypeError(f"column {name!r} has dtype {schema[name]}; this plot needs a numeric column")
    values = [cs.by_name(name).cast(pl.Float64).fill_nan(None) for name in columns]
    rest = [cs.by_name(name) for name in dict.fromkeys(others) if name not in columns]
    return lazy.select(*values, *rest).collect()


def named(columns: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return a dictionary from names in the plot to columns."""
    if isinstance(columns, str):
        return {columns: columns}
    pairs = dict(columns) if isinstance(columns, Mapping) else {name: name for name in columns}
    if not pairs or not all(isinstance(text, str) for pair in pairs.items() for text in pair):
        raise ValueError(
            "scores must be a column name, several, or a dictionary from system names to column names, "
            f"got {columns!r}"
        )
    return pairs


def summary_of_texts(summary: Any) -> Summary:
    """Return the summary; an error unless it is one of texts."""
    if not isinstance(summary, Summary):
        raise TypeError(
            "this plot needs a summary from `summarize` or from the attribute `.summary` of a report, "
            f"got {type(summary).__name__}"
        )
    if summary.settings.score is not None:
        raise ValueError("a summary of existing scores has no histogram; plot the rows with `ecdf`")
    return summary
