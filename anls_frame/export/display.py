"""Layout of tables for people: rounded figures with their intervals, and one heading per column."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from datetime import time
from typing import Any, Literal, NamedTuple, get_args

import polars as pl
import polars.selectors as cs

from anls_frame._text import shortened_apart, whole_label
from anls_frame.export.columns import ends_of, figure_of
from anls_frame.export.document import BEST, OVERALL, SLICE, Table
from anls_frame.export.kinds import Kind
from anls_frame.export.row_names import ROWS, Names, every
from anls_frame.export.values import as_text, is_number, plain_frame

NUMERIC = frozenset(get_args(Kind)) - {"key", "text", "note", "link"}
"""The kinds of columns with figures."""


class Cell(NamedTuple):
    """
    Content of a cell.

    Attributes
    ----------
    figure, role
        Data, plain text made here, or a word that marks a null.
    numbers
        The unrounded figure, followed by the ends of its interval, if it has one.
    interval, mark
        What follows the figure, if anything.
    is_shown
        Whether a difference is shown by its test and its interval; None in other columns.
    """

    figure: str
    role: Literal["data", "plain", "mark"]
    numbers: tuple[object, ...] = ()
    interval: str = ""
    mark: str = ""
    is_shown: bool | None = None

    @property
    def text(self) -> str:
        """The whole text of the cell."""
        return f"{self.figure}{self.mark}{f' {self.interval}' if self.interval else ''}"


class ShownColumn(NamedTuple):
    """
    A column of a displayed table.

    Attributes
    ----------
    name, heading, kind
        Its name in data formats, its heading, and what it holds.
    interval
        The columns with the ends of its intervals, which are shown in its cells.
    mark
        The column of truth values that is shown as a mark after its figures, and the mark.
    meaning
        What it says, if that is known.
    """

    name: str
    heading: str
    kind: Kind
    interval: tuple[str, str] | None = None
    mark: tuple[str, str] | None = None
    meaning: str = ""

    @property
    def is_numeric(self) -> bool:
        """Whether it holds figures."""
        return self.kind in NUMERIC


class ShownRow(NamedTuple):
    """A row of a displayed table."""

    cells: list[Cell]
    is_overall: bool

    @property
    def bold(self) -> list[bool]:
        """Whether each cell is bold: those of all rows are, but differences only if they are shown."""
        return [self.is_overall if cell.is_shown is None else cell.is_shown for cell in self.cells]


def display_table(table: Table) -> tuple[list[ShownColumn], list[ShownRow]]:
    """
    Lay out a table for people.

    Intervals are shown in the cells of their figures, and columns of truth values that have a mark become
    this mark. The overall row is labelled "all rows" or "all pages"; in a table with keys, the label replaces
    its null keys, and the column `slice` is dropped.

    Parameters
    ----------
    table
        The table.
    """
    columns = _columns(table)
    slices = table.has_slices and SLICE in table.headings
    named = [column.name for column in columns if column.kind == "key"] or [SLICE]
    if slices and named != [SLICE]:
        columns = [column for column in columns if column.name != SLICE]
    rows = []
    plain = plain_frame(plain_keys(table.frame, named), table.name)
    for index, values in enumerate(plain.iter_rows(named=True)):
        overall = slices and values["slice"] == OVERALL
        best = table.best[index] if table.best else ()
        cells = [
            Cell(every(table.names) if column.name == named[0] else "", "plain")
            if overall and column.name in named
            else _cell(values, column, table, is_best=column.name in best)
            for column in columns
        ]
        rows.append(ShownRow(cells, overall))
    return columns, rows


def slice_labels(slices: pl.DataFrame, by: Sequence[str], names: Names = ROWS) -> list[str]:
    """Return a label for each row of a frame of slices, short enough for an axis."""
    keys = plain_keys(slices, by).select(cs.by_name(*by)).rows() if by else [()] * slices.height
    labels = [
        every(names) if kind == OVERALL else " / ".join(map(whole_label, row))
        for kind, row in zip(slices[SLICE], keys, strict=True)
    ]
    return shortened_apart(labels)


def plain_keys(frame: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return keys without decimals and times of day that are all zero, as pandas has integers and days."""
    plain = []
    for name in [key for key in keys if key in frame.columns]:
        # Methods of a Series may take its own name for a pattern.
        own = frame.get_column(name).alias("column")
        if own.dtype.is_float() and ((own.abs() < _LARGEST) & (own % 1 == 0)).all():
            plain.append(own.cast(pl.Int64).alias(name))
        elif own.dtype == pl.Datetime and (own.dt.time() == time()).all():
            plain.append(own.dt.date().alias(name))
    return frame.with_columns(plain) if plain else frame


SMALL = 1e-3
"""Smaller numbers are shown with two significant digits."""
_LARGE, _LARGEST = 1e4, 1e15
"""Between these, numbers are shown as whole ones with separators, not as powers of ten."""

# The z option writes -0.000 as 0.000.
_DECIMALS: dict[Kind, str] = {
    "score": "z.3f",
    "rate": "z.3f",
    "percent": "z.1f",
    "share": ".0f",
    "difference": "+.3f",
    "points": "+.1f",
    "p_value": ".3f",
}
_UNITS: dict[Kind, str] = {"percent": " %", "share": " %", "points": " pp"}
"""Units of kinds that are shown times 100."""
_LEAST_P = 0.0005
"""Smaller p-values would round to 0."""
_NO_DIFFERENCE = 1e-9
"""A smaller difference is 0 except for rounding."""


def figure(value: float, kind: Kind) -> str:
    """
    Round a number for reading.

    Parameters
    ----------
    value
        The number.
    kind
        Kind of its column: counts have thousands separators, scores and rates three decimals, differences a
        sign as well, p-values three decimals, and other numbers four significant digits, two if they are
        small, or thousands separators if they are large. Percentages and percentage points have one decimal.
        A difference that would round to 0 shows its first significant digit.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return as_text(value)
    if kind in ("count", "rank"):
        return f"{value:,}" if isinstance(value, int) else f"{value:,.15g}"
    if kind in _DECIMALS:
        return _rounded(value, kind)
    if isinstance(value, int):
        return str(value)
    if _LARGE <= abs(value) < _LARGEST:
        return f"{value:,.0f}"
    return f"{value:.2g}" if abs(value) < SMALL else f"{value:.4g}"


def _rounded(value: float, kind: Kind) -> str:
    """Return a figure with the decimals of its kind, without decimals that carry no information."""
    value = 100 * value if kind in _UNITS else value
    shown = f"{value:{_DECIMALS[kind]}}"
    if kind == "p_value" and value < _LEAST_P:
        return "<0.001"
    if kind == "share" and value > 0 and shown == "0":
        return "<1"
    if kind in ("difference", "points") and not float(shown):
        return shown[1:] if abs(value) < _NO_DIFFERENCE else f"{float(f'{value:.0e}'):+.9f}".rstrip("0")
    return shown


def spelled(value: object, ends: Sequence[object], kind: Kind) -> str:
    """Return a figure as text, with its interval if it has one, or a dash for null."""
    shown, interval = _with_interval(value, ends, kind)
    return f"{shown} {interval}" if interval else shown


def spelled_in(row: Mapping[str, Any], name: str, kind: Kind) -> str:
    """Return a figure of a row as text, with its interval if the row has one."""
    return spelled(row[name], [row[end] for end in ends_of(name) if end in row], kind)


def _with_interval(value: object, ends: Sequence[object], kind: Kind) -> tuple[str, str]:
    """Return a figure and the ends of its interval, as text."""
    decimals = _decimals((value, *ends)) if kind == "number" and ends else None
    shown, *shown_ends = (_figure_or_dash(one, kind, decimals) for one in (value, *ends))
    if kind == "rank":
        low, high = shown_ends or (shown, shown)
        return (shown if low == high else f"{shown} ({low}–{high})"), ""  # noqa: RUF001 - the dash of ranges
    if value is not None:
        shown += _UNITS.get(kind, "")
    if not ends or (value is None and all(end is None for end in ends)):
        return shown, ""
    if all(end is None for end in ends):
        return shown, f"[{_figure_or_dash(None, kind)}]"
    return shown, f"[{', '.join(shown_ends)}]"


def _decimals(values: Sequence[object]) -> int | None:
    """Return the decimals of a number and the ends of its interval; None if each is shown for itself."""
    finite = [value for value in values if isinstance(value, float) and math.isfinite(value)]
    largest = max(map(abs, finite), default=0.0)
    if not SMALL <= largest < _LARGEST:
        return None
    most = max(3 - math.floor(math.log10(largest)), 0)
    rounded = (f"{value:.{most}f}".rstrip("0") for value in finite)
    return max(len(text.partition(".")[2]) for text in rounded)


def truncated(text: str, longest: int) -> str:
    """Truncate a text that is too long, and state at its end how much is missing."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]} [... and {len(text) - longest:,} more characters]"


def _columns(table: Table) -> list[ShownColumn]:
    marks = {column: (flag, mark) for flag, (column, mark) in table.marks.items()}
    names = [name for name in table.headings if name not in table.marks]
    intervals = {
        name: ends
        for name in names
        for ends in [ends_of(name)]
        if {*ends} <= {*names} and all(table.kind(column) in NUMERIC for column in (name, *ends))
    }
    hidden = {end for ends in intervals.values() for end in ends}
    # An interval without a figure is shown at its lower end.
    alone = {ends_of(figure_of(name)) for name in names if table.is_alone(name)}
    hidden |= {high for _, high in alone}
    intervals |= {ends[0]: ends for ends in alone}
    hidden |= {name for name in names if table.is_repeated_count(name)}
    return [
        ShownColumn(
            name,
            table.heading(name),
            table.kind(name),
            intervals.get(name),
            marks.get(name),
            table.meaning(name),
        )
        for name in names
        if name not in hidden
    ]


def _cell(values: Mapping[str, object], column: ShownColumn, table: Table, *, is_best: bool) -> Cell:
    value, kind = values[column.name], column.kind
    if table.has_metrics:
        metric = str(values["metric"])
        if column.name == "metric":
            return Cell(table.metrics[metric].heading, "data")
        kind = table.cell_kind(kind, metric)
    if kind in NUMERIC and (value is None or is_number(value)):
        ends = [values[end] for end in column.interval or ()]
        shown, interval = _with_interval(value, ends, kind)
        if column.name in (column.interval or ()):
            shown, interval = interval or shown, ""
        flag, mark = column.mark or ("", "")
        marks = (mark if flag and values[flag] else "") + (f" {BEST}" if is_best else "")
        return Cell(shown, "plain", (value, *ends), interval, marks, is_shown(values, column.name, table))
    if value is None:
        return Cell("" if kind in ("note", "link") else "null", "mark")
    is_empty = value == "" and kind != "note"
    return Cell("empty", "mark") if is_empty else Cell(_text(value), "data")


def _text(value: object) -> str:
    """Return a value as people read it: of several accepted answers, all with bars between them."""
    if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
        return " | ".join(value)
    return as_text(value)


def is_shown(values: Mapping[str, object], column: str, table: Table) -> bool | None:
    """Return whether a difference is significant by its adjusted p-value and interval; None for others."""
    if table.alpha is None or column != "difference":
        return None
    p, low, high = (values.get(name) for name in ("p_adjusted", *ends_of(column)))
    if not (is_number(p) and is_number(low) and is_number(high)):
        return False
    return p <= table.alpha and (low > 0 or high < 0)


def _figure_or_dash(value: object, kind: Kind, decimals: int | None = None) -> str:
    if value is None:
        return "–"  # noqa: RUF001 - the dash that means "none" in tables
    if decimals is not None and isinstance(value, float) and math.isfinite(value):
        return f"{value:z,.{decimals}f}" if abs(value) >= _LARGE else f"{value:z.{decimals}f}"
    return figure(value, kind) if isinstance(value, int | float) else as_text(value)
