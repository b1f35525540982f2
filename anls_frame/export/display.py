"""Tables laid out for people: rounded figures with their intervals, one heading per column."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

import polars as pl
import polars.selectors as cs

from anls_frame._text import label, visible
from anls_frame._text import shortened as shortened_label
from anls_frame.export.document import ALL_ROWS, OVERALL, SLICE
from anls_frame.export.values import as_text, plain_frame

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from anls_frame.export.document import Document, Kind, Table

__all__ = [
    "Cell",
    "Glance",
    "ShownColumn",
    "ShownRow",
    "display_table",
    "figure",
    "glance",
    "glances",
    "shortened",
    "slice_labels",
    "spelled",
]

FEW = "*"
"""Mark on the number of rows of a slice with few rows."""

NUMERIC: tuple[Kind, ...] = ("count", "score", "rate", "difference", "p_value", "number")


class Cell(NamedTuple):
    """Content of a cell: data, plain text made here (figures), or a word that marks something (null)."""

    text: str
    role: Literal["data", "plain", "mark"]
    numbers: tuple[object, ...] = ()
    """The unrounded figure, followed by the ends of its interval, if it has one."""


class ShownColumn(NamedTuple):
    """A column of the table as shown."""

    heading: str
    is_numeric: bool
    kind: Kind = "text"
    has_interval: bool = False


class ShownRow(NamedTuple):
    """A row of the table as shown."""

    cells: list[Cell]
    is_overall: bool


class Glance(NamedTuple):
    """A table for a screen: title, cells as texts, notes, the number of rows left out, and the bold rows."""

    title: str
    rows: pl.DataFrame
    notes: Sequence[str]
    hidden: int
    bold: Sequence[int] = (0,)


@dataclass(frozen=True)
class _ColumnSource:
    """The source of a displayed column."""

    name: str
    kind: Kind
    interval: tuple[str, str] | None = None


def display_table(table: Table) -> tuple[list[ShownColumn], list[ShownRow]]:
    """
    Lay out a table for people.

    The ends of an interval go into the cell of their figure. The overall row is labelled "all rows"; if the
    table has keys, the label replaces them, since they are null there, and the column `slice` is dropped.

    Parameters
    ----------
    table
        The table.
    """
    sources = _sources(table)
    slices = table.has_slices and SLICE in (table.headings or (SLICE,))
    first_key = next((source.name for source in sources if source.kind == "key"), None)
    if slices and first_key is not None:
        sources = sources[1:]
    named = {source.name for source in sources if source.kind == "key"} if first_key else {SLICE}
    rows = []
    for values in plain_frame(table.frame, table.name).iter_rows(named=True):
        overall = slices and values["slice"] == OVERALL
        if overall:
            cells = [
                _all_rows(source.name == (first_key or SLICE))
                if source.name in named
                else _cell(values, source)
                for source in sources
            ]
        else:
            cells = [_cell(values, source) for source in sources]
        rows.append(ShownRow(cells, overall))
    columns = [
        ShownColumn(
            table.headings.get(source.name, source.name),
            source.kind in NUMERIC,
            source.kind,
            source.interval is not None,
        )
        for source in sources
    ]
    return columns, rows


def glances(
    document: Document, headings: Mapping[str, str], with_interval: Collection[str], most: int | None
) -> list[Glance]:
    """Lay out the tables of a document for a screen; the notes stand below the last one."""
    *others, last = [glance(table, headings, with_interval, most) for table in document.tables]
    ends = [*document.notes, document.signature]
    shown = [*others, last._replace(notes=ends)]
    title = document.title
    return [one._replace(title=title if place == 0 else one.title) for place, one in enumerate(shown)]


def glance(
    table: Table, headings: Mapping[str, str], with_interval: Collection[str], most: int | None
) -> Glance:
    """
    Lay out the slices of a table for a screen, at most `most` of them.

    Only columns with headings are shown; a heading that is the name of another column is replaced by the
    column's own name. Hidden slices, perhaps a million, are never laid out.
    """
    frame = table.frame if most is None else table.frame.head(most)
    keys = [name for name in frame.columns if table.kind(name) == "key"]
    sources = [
        _ColumnSource(
            name, table.kind(name), (f"{name}_low", f"{name}_high") if name in with_interval else None
        )
        for name in (*keys, *headings)
    ]
    names = [*keys, *(name if text in (*keys, *headings) else text for name, text in headings.items())]
    rows = [[_glimpse(values, source) for source in sources] for values in frame.iter_rows(named=True)]
    if keys:
        rows[0][0] = ALL_ROWS
    else:
        names, rows = ["", *names], [[ALL_ROWS, *row] for row in rows]
    texts = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.String), orient="row").rename(visible)
    return Glance(table.name, texts, [], table.frame.height - frame.height)


def slice_labels(slices: pl.DataFrame, by: Sequence[str]) -> list[str]:
    """Return a label for each row of a frame of slices, short enough for an axis."""
    keys = slices.select(cs.by_name(*by)).rows() if by else [()] * slices.height
    return [
        ALL_ROWS if kind == OVERALL else shortened_label(" / ".join(map(label, row)))
        for kind, row in zip(slices[SLICE], keys, strict=True)
    ]


SMALL = 1e-3
"""Smaller numbers are shown with two significant digits."""

# The z option writes -0.000 as 0.000.
_DECIMALS: dict[Kind, str] = {"score": "z.3f", "rate": "z.3f", "difference": "+z.3f", "p_value": ".4f"}

_LEAST_P = 0.00005
"""Smaller p-values would round to 0."""


def figure(value: float, kind: Kind) -> str:
    """
    Round a number for reading.

    Parameters
    ----------
    value
        The number.
    kind
        Kind of its column: counts have thousands separators, scores and rates three decimals, differences a
        sign as well, p-values four decimals, and other numbers four significant digits, or two if they are
        small.
    """
    if isinstance(value, float) and not math.isfinite(value):
        return as_text(value)
    if kind == "count":
        return f"{value:,}" if isinstance(value, int) else f"{value:,.15g}"
    if kind in _DECIMALS:
        return f"{value:{_DECIMALS[kind]}}" if kind != "p_value" or value >= _LEAST_P else "<0.0001"
    if isinstance(value, int):
        return str(value)
    return f"{value:.2g}" if abs(value) < SMALL else f"{value:.4g}"


def spelled(value: object, ends: Sequence[object], kind: Kind) -> str:
    """Return a figure as text, with the ends of its interval if it has one; a dash stands for null."""
    shown = _figure_or_dash(value, kind)
    if not ends:
        return shown
    if all(end is None for end in ends):
        return shown if value is None else f"{shown} [{_figure_or_dash(None, kind)}]"
    low, high = (_figure_or_dash(end, kind) for end in ends)
    return f"{shown} [{low}, {high}]"


def shortened(text: str, longest: int) -> str:
    """Truncate a longer text, and note at its end how much is missing."""
    if len(text) <= longest:
        return text
    return f"{text[:longest]} [... and {len(text) - longest:,} more characters]"


def _sources(table: Table) -> list[_ColumnSource]:
    names = list(table.headings or table.frame.columns)
    sources, ends = [], set()
    for name in names:
        if _is_repeated_count(table, name):
            continue
        low, high = f"{name}_low", f"{name}_high"
        kinds = [table.kind(column) for column in (name, low, high) if column in names]
        has_interval = len(kinds) == len((name, low, high)) and all(kind in NUMERIC for kind in kinds)
        if has_interval:
            ends |= {low, high}
        sources.append(_ColumnSource(name, table.kind(name), (low, high) if has_interval else None))
    return [source for source in sources if source.name not in ends]


def _is_repeated_count(table: Table, name: str) -> bool:
    """Whether this is the number of rows of a metric, which is the number of rows of each slice."""
    metric = name.removesuffix("_n")
    names = table.frame.columns
    return name != metric and f"{metric}_low" in names and table.frame[name].equals(table.frame["n"])


def _all_rows(is_first: bool) -> Cell:  # noqa: FBT001 - private
    return Cell(ALL_ROWS if is_first else "", "plain")


def _cell(values: Mapping[str, object], source: _ColumnSource) -> Cell:
    value = values[source.name]
    if source.kind in NUMERIC and (value is None or _is_number(value)):
        ends = [values[end] for end in source.interval or ()]
        return Cell(spelled(value, ends, source.kind), "plain", (value, *ends))
    if value is None:
        return Cell("" if source.kind == "note" else "null", "mark")
    # The JSON text of a list is data too.
    return Cell("empty", "mark") if value == "" else Cell(as_text(value), "data")


def _glimpse(values: Mapping[str, object], source: _ColumnSource) -> str:
    if source.kind == "key":
        return "" if values[SLICE] == OVERALL else _key_text(values[source.name])
    return visible(_cell(values, source).text) + (FEW if source.name == "n" and values["few_rows"] else "")


def _key_text(value: object) -> str:
    """Return the value of a key; null is told from a text that reads like it by quotes around the text."""
    if value is None:
        return "null"
    return f'"{value}"' if value in ("", "null") else visible(str(value))


def _figure_or_dash(value: object, kind: Kind) -> str:
    if value is None:
        return "–"  # noqa: RUF001 - the dash that stands for "none" in tables
    return figure(value, kind) if isinstance(value, int | float) else as_text(value)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
