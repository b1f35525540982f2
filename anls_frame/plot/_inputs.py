"""Checks of the inputs of plots (axes, frames, results) before anything is drawn."""

from __future__ import annotations

import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, cast

import polars as pl
import polars.selectors as cs
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from anls_frame._arguments import choice, type_name
from anls_frame.exceptions import DTypeError
from anls_frame.export.display import spelled
from anls_frame.export.document import GROUP, OVERALL, SLICE, TABLE
from anls_frame.export.kinds import Kind, shown_as
from anls_frame.export.row_names import ROWS, Names, every
from anls_frame.frames.conversion import at_hand, column_names, in_polars, to_lazy, way_to_frame
from anls_frame.plot import _style
from anls_frame.results import FoundSlices, SlicedResult
from anls_frame.summary.catalogue import NAMED, is_in_percent
from anls_frame.summary.details import detail_table
from anls_frame.summary.keys import check_objects
from anls_frame.summary.measures import Metric, is_higher_better
from anls_frame.summary.summary import Summary
from anls_frame.summary.systems import resolve_systems

_DPI = 144

WHOLE = ""
"""What identifies all rows among slices."""


def _png(figure: Figure) -> tuple[bytes, dict[str, int]]:
    """Return a figure as an image for notebooks, and its size there."""
    file = io.BytesIO()
    figure.savefig(file, format="png", dpi=_DPI)
    width, height = figure.get_size_inches()
    # At twice the displayed resolution, for high-density screens.
    return file.getvalue(), {"width": round(width * 72), "height": round(height * 72)}


def axes(ax: Axes | None, width: float, height: float) -> Axes:
    """Return the given axes, or new axes; the size is in inches, for fonts of the usual size."""
    if ax is None:
        scale = _style.scale()
        figure = Figure(figsize=(width * scale, height * scale), layout="constrained")
        FigureCanvasAgg(figure)  # measures texts without drawing
        made = figure.add_subplot()
        # Not a class of its own, because programs such as W&B know pictures by the name of their class. Nor
        # pyplot, which keeps figures alive.
        cast("Any", made)._repr_png_ = partial(_png, figure)
        return made
    if not isinstance(ax, Axes):
        raise TypeError(f"ax must be a matplotlib Axes, got {type_name(ax)}")
    whole = ax.figure.figure
    # Room for all texts, if the figure holds nothing else and has no layout yet.
    if whole.get_layout_engine() is None and whole.axes == [ax] and ax.get_subplotspec() is not None:
        whole.set_layout_engine("constrained")
    return ax


class Input(NamedTuple):
    """The accepted input of a plot, for error messages."""

    plot: str
    takes: str

    def error(self, given: Any, more: str = "") -> TypeError:
        """Return the error for anything else."""
        return TypeError(f"{self.plot} takes {self.takes}; got {type(given).__name__}{more}")

    def frame(self, given: Any) -> Any:
        """
        Return a Polars, pandas or Arrow frame, which can then be read more than once.

        What is given can be a stream, which only the first call can read.
        """
        if isinstance(given, Summary | SlicedResult):
            raise self.error(given)
        try:
            return at_hand(given)
        except TypeError:
            raise self.error(given, way_to_frame(given)) from None

    def table(self, given: Any, columns: Sequence[str]) -> pl.DataFrame:
        """Return the frame of a result in Polars; raise an error if it lacks a column."""
        frame = self.frame(given)
        self.check(frame, columns)
        return in_polars(frame).lazy().collect()

    def check(self, frame: Any, columns: Iterable[str], more: str = "") -> None:
        """Raise an error that says what the plot takes if a frame lacks a column."""
        names = column_names(frame)
        for column in columns:
            if column not in names:
                raise self.error(frame, f" without the column {column!r}{more}")

    def numbers(self, given: Any, columns: Sequence[str], others: Sequence[str] = ()) -> pl.DataFrame:
        """Return numeric columns as floats, with NaN as null, and the other columns unchanged."""
        lazy = to_lazy(self.frame(given), [], [*columns, *others])
        schema = lazy.collect_schema()
        check_objects([(name, schema[name]) for name in others], "group rows")
        for name in columns:
            if not (schema[name].is_numeric() or schema[name] in (pl.Boolean, pl.Null)):
                raise DTypeError(
                    f"column {name!r} has dtype {schema[name]}; this plot needs a numeric column"
                )
        values = [cs.by_name(name).cast(pl.Float64).fill_nan(None) for name in columns]
        rest = [cs.by_name(name) for name in dict.fromkeys(others) if name not in columns]
        return lazy.select(*values, *rest).collect()

    def summary(self, given: Any) -> Summary:
        """Return a summary, or the summary of a report."""
        if not is_result(given):
            raise self.error(given)
        summary: Summary = given.summary if is_a("report", given) else given
        return summary

    def summary_of_texts(self, given: Any) -> Summary:
        """Return a summary, or the summary of a report; raise an error unless texts were scored."""
        summary = self.summary(given)
        if not summary.settings.has_texts:
            raise ValueError("a summary of existing scores has no histogram; plot the rows with `ecdf`")
        return summary

    def detail(self, given: Any, name: str, by: Sequence[str]) -> pl.DataFrame:
        """Return the details of a report or summary: errors, confusions or lengths."""
        summary, noun = self.summary(given), "report" if is_a("report", given) else "summary"
        return detail_table(summary.report_sums.of("details"), summary.settings, name, by, noun)

    def counts(
        self, given: Any, name: str, by: Sequence[str], columns: Sequence[str]
    ) -> tuple[list[str], pl.DataFrame] | None:
        """Return the keys and the table of details of a result or of their frame; None for rows."""
        if is_result(given):
            return list(by), self.detail(given, name, by)
        names = column_names(given)
        if not set(columns) <= set(names):
            return None
        keys = names[: names.index(columns[0])]
        if by and list(by) != keys:
            raise ValueError(f"by must be {keys}, by which the {name} are counted, got {list(by)}")
        return keys, in_polars(given).lazy().collect()


def is_a(noun: str, given: Any) -> bool:
    """Return whether an object is a report or a comparison, whose classes cannot be imported here."""
    return isinstance(given, SlicedResult) and given.noun == noun


def is_result(given: Any) -> bool:
    """Return whether an object is a report or a summary."""
    return is_a("report", given) or isinstance(given, Summary)


def whole(names: Names = ROWS) -> _style.Label:
    """Return the label of all rows."""
    return _style.Label(every(names), is_bold=True)


def names_in(given: Any) -> Names:
    """Return the names for the rows of a result, or of a frame returned by it."""
    return given.row_names if isinstance(given, SlicedResult) else ROWS


@dataclass
class DrawnSlices:
    """The slices of a report or comparison, in its order, with all rows first if present."""

    by: tuple[str, ...]
    frame: pl.DataFrame
    names: Names = field(default_factory=lambda: ROWS)

    @property
    def labels(self) -> dict[str, _style.Label]:
        """The label of each slice, by the values of its `by` columns."""
        groups = self.frame.select(cs.by_name(*self.by)).rows() if self.by else [()] * self.frame.height
        # As text, because NaN differs from itself and structs cannot be keys.
        return {
            WHOLE if kind == OVERALL else repr(key): whole(self.names)
            if kind == OVERALL
            else _style.label(key)
            for kind, key in zip(self.frame[SLICE], groups, strict=True)
        }

    def first(self, most: int) -> tuple[DrawnSlices, int]:
        """Return the first slices (besides all rows), and the number of omitted slices."""
        kept = self.frame.head(most + (OVERALL in self.frame[SLICE].head(1)))
        return replace(self, frame=kept), self.frame.height - kept.height


def slices(given: Any, noun: str, source: Input, needed: str) -> DrawnSlices:
    """Return the slices of a result, or of a frame returned by it, which must have the column `needed`."""
    if is_a(noun, given):
        by, frame = given.sliced_tables()[0]
        return DrawnSlices(by, frame, names_in(given))
    pair_columns = ("metric", "baseline", "system") if noun == "comparison" else ()
    return DrawnSlices(*with_slices(source.table(given, [*pair_columns, "n", needed])))


def with_slices(frame: pl.DataFrame) -> tuple[tuple[str, ...], pl.DataFrame]:
    """Return the keys of a table of slices, and the table with the column `slice`."""
    no_keys = (SLICE, TABLE, "metric", "baseline", "system")
    by = tuple(name for name in frame.columns[: frame.columns.index("n")] if name not in no_keys)
    if SLICE not in frame.columns:
        frame = frame.select(pl.lit(GROUP if by else OVERALL).alias(SLICE), pl.all())
    return by, frame


def metrics_of(given: Any, names: Iterable[str]) -> tuple[Metric, ...]:
    """Return the metrics of a result, or those with these names; of a user's own, only the name is known."""
    if isinstance(given, SlicedResult | FoundSlices):
        return given.measures
    return tuple(NAMED.get(name) or Metric(name) for name in names)


def measured(measure: str | None, metrics: Sequence[Metric], what: str = "measure") -> Metric:
    """Return the metric of this name, by default the first; an empty frame has none."""
    metrics = metrics or (Metric("score"),)
    by_name = {metric.name: metric for metric in metrics}
    return metrics[0] if measure is None else by_name[choice(what, measure, by_name)]


def kind_of(metric: Metric, beside: Sequence[Metric]) -> Kind:
    """Return how tables show the figures of a metric, next to the other metrics of a result."""
    return shown_as(metric.format, percent=is_in_percent(metric, beside))


def show_on(axis: Axis, metric: Metric, beside: Sequence[Metric]) -> str:
    """Write the ticks of an axis as tables show the metric, and return its name for the axis."""
    if kind_of(metric, beside) == "percent":
        _style.percent_ticks(axis)
    return axis_name(metric)


def axis_name(metric: Metric) -> str:
    """Return the metric's name for an axis, and its direction unless higher is better."""
    return directed(metric.label, higher_is_better=bool(metric.higher_is_better))


def directed(name: str, *, higher_is_better: bool) -> str:
    """Return a name for an axis, and its direction unless higher is better."""
    return f"{_style.name(name)}{'' if higher_is_better else ', lower is better'}"


def spelled_figure(value: float | None, ends: Sequence[float | None], kind: Kind) -> str:
    """Return the note on a figure with its interval, if it has both ends."""
    return "no rows" if value is None else spelled(value, () if None in ends else ends, kind)


def limits(
    values: Sequence[float | None], bounds: tuple[float | None, float | None] | None
) -> tuple[float, float]:
    """Return the ends of an axis: the bounds of its metric, or of the values where these are open."""
    known = [value for value in values if value is not None and value - value == 0]
    least, most = bounds or (None, None)
    ends = [*known, *(end for end in (least, most) if end is not None)] or [0.0]
    low, high = min(ends), max(ends)
    if low == high:
        high = low + 1 if least is not None else high
    span = high - low or abs(low) or 1.0
    # A little beyond a bound, so that points on it are not clipped.
    return (
        low - span * (0.06 if least is None else 0.015),
        high + span * (0.06 if most is None else 0.015),
    )


def columns_of(option: str, columns: str | Sequence[str] | Mapping[str, str]) -> dict[str, str]:
    """Return a dictionary from names in the plot to columns."""
    given = [columns] if isinstance(columns, str) else columns
    return resolve_systems(given, 1, option=option, what="columns of scores")


def name_of_columns(columns: Mapping[str, str]) -> str:
    """Return the name of an axis for score columns: the name of a single column, and a common direction."""
    names = list(columns.values())
    higher = any(map(is_higher_better, names))
    return directed(names[0] if len(names) == 1 else "score", higher_is_better=higher)
