"""The content of an exported report, independent of the file format."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias

import polars as pl

from anls_frame._arguments import string
from anls_frame._messages import wrong
from anls_frame._text import distinct, numbered, scripts, seen_characters
from anls_frame.export.columns import (
    CHARACTERS,
    COLUMNS,
    LEAST,
    MARKS,
    Column,
    by_name,
    ends_of,
    figure_of,
    has_usual_heading,
    heading_of,
    with_ends,
)
from anls_frame.export.kinds import Kind, difference_kind, shown_as
from anls_frame.export.row_names import ROWS, Names, of_rows
from anls_frame.export.values import json_text

if TYPE_CHECKING:
    from anls_frame.export.charts import Figure


Selection: TypeAlias = "Callable[[pl.Expr, pl.DataType], pl.Expr]"
"""Returns which values of a column are meant, from the column and its dtype."""

OVERALL = "overall"
GROUP = "group"
BEST = "◂"
"""Mark on the best score of a row."""
SLICE = "slice"
TABLE = "table"
"""Column with the name of a table, in a file that has several below each other."""


MANY_COLUMNS = 15
"""The largest number of columns of a table in a workbook or in LaTeX, unless columns are chosen."""
PAGE_COLUMNS = 14
"""Number of columns with intervals that fit on a page; further ones have to be important."""

_NAMES_OF_ROWS = (SLICE, TABLE, "metric", "baseline", "system")
_WHAT_ROWS_ARE = (*_NAMES_OF_ROWS, "rank", "description", "cause", "step", "role")


def crossed(columns: Sequence[str]) -> str:
    """Return the name of a table by its columns."""
    return ",".join(columns)


class MarkNote(str):
    """A note on a mark in tables, which begins with the mark."""

    __slots__ = ()

    @property
    def mark(self) -> str:
        """The mark, which is the first word."""
        return self.partition(" ")[0]


@dataclass(frozen=True, eq=False)
class Table:
    """
    One table of a report.

    Attributes
    ----------
    name
        Heading of the table and name of its sheet, such as "By question_types".
    frame
        The rows: scalars, or lists of scalars in keys; any value may be null. A first column `slice` that is
        not a key distinguishes the overall row ("overall") from the rows of groups ("group"), because null is
        a valid key.
    columns
        What is known of columns, by name. A column without a kind is a number or text, by its dtype.
    shown
        The columns that people see, in order; by default, all. Data formats have all columns.
    metrics
        The metrics of its figures, by name, whose kinds its scores have. If there are several, the column
        `metric` names that of each row.
    selections
        For each row of a table without slices, the conditions that select the rows that it counts, by column.
    best
        For each row, the columns with the best figures, which tables for a screen mark.
    alpha
        The largest significant adjusted p-value. Differences are bold if their intervals agree.
    link
        Text of links to the table, if its name is long.
    is_folded
        Whether pages fold the table, because it is long and less important than others.
    bars
        Columns of non-negative numbers that pages also draw as bars, all on the same scale.
    bold, hidden, below
        The rows that screens emphasize, the number of further rows, and notes below the table.
    names
        The words for rows, and the headings that differ with them.
    percent
        Whether scores, rates and differences are shown in per cent.
    """

    name: str
    frame: pl.DataFrame
    columns: Mapping[str, Column] = field(default_factory=dict)
    shown: Sequence[str] | None = None
    metrics: Mapping[str, Column] = field(default_factory=dict)
    selections: Sequence[Mapping[str, Selection]] = ()
    best: Sequence[Collection[str]] = ()
    alpha: float | None = None
    link: str = ""
    is_folded: bool = False
    bars: Sequence[str] = ()
    bold: Sequence[int] = (0,)
    hidden: int = 0
    below: Sequence[str] = ()
    names: Names = field(default_factory=lambda: ROWS)
    percent: bool = False

    def __post_init__(self) -> None:
        string("the name of a table", self.name)
        unknown = [column for column in self.shown or () if column not in self.frame.columns]
        if unknown:
            raise ValueError(f"table {self.name!r} shows the columns {unknown}, which it does not have")

    def column(self, name: str) -> Column:
        """Return what is known of a column, or of the figure whose intervals it ends."""
        return self.columns.get(name) or self.columns.get(figure_of(name)) or Column(name)

    def kind(self, name: str) -> Kind:
        """Return the kind of a column, derived from its dtype if none is given."""
        kind = self.column(name).kind or ("number" if self.frame.schema[name].is_numeric() else "text")
        if len(self.metrics) == 1:
            return self.cell_kind(kind, *self.metrics)
        return kind if self.metrics else shown_as(kind, percent=self.percent)

    def cell_kind(self, kind: Kind, metric: str) -> Kind:
        """Return the kind of the cells of a column in the rows of a metric."""
        score = shown_as(self.metrics[metric].kind, percent=self.percent)
        kinds: dict[Kind, Kind] = {"score": score, "difference": difference_kind(score)}
        return kinds.get(kind, kind)

    @property
    def has_metrics(self) -> bool:
        """Whether the column `metric` names the metric of each row."""
        return len(self.metrics) > 1

    @cached_property
    def headings(self) -> dict[str, str]:
        """The columns that people see, in order, with their headings."""
        shown = self.frame.columns if self.shown is None else self.shown
        headings = [heading_of(name, self.names, self.columns) for name in shown]
        # Of two columns with the same heading, one that has it in all tables keeps its name.
        unlike = [
            name if headings.count(heading) > 1 and has_usual_heading(name, self.columns) else heading
            for name, heading in zip(shown, headings, strict=True)
        ]
        return dict(zip(shown, distinct(unlike), strict=True))

    def showing(self, columns: Iterable[str]) -> Table:
        """Return the table with only its keys and these of its columns for people, in this order."""
        keys = [name for name in self.headings if name == SLICE or self.kind(name) == "key"]
        shown = [name for name in dict.fromkeys((*keys, *columns)) if name in self.headings]
        return replace(self, shown=shown)

    @property
    def slices(self) -> str:
        """The columns of its slices, joined as in the name of a table; rows alone have none."""
        has_slices = SLICE in self.frame.columns
        return crossed([name for name in self.headings if has_slices and self.kind(name) == "key"])

    def without_intervals(self) -> Table:
        """Return the table without the columns of the ends of intervals for people."""
        shown = [name for name in self.headings if figure_of(name) == name]
        return replace(self, shown=shown)

    @property
    def marks(self) -> dict[str, tuple[str, str]]:
        """The columns of truth values that people see as marks, with the marked column and the mark."""
        return {
            name: (column, mark)
            for name, (column, mark) in MARKS.items()
            if {name, column} <= {*self.frame.columns}
            and self.frame.schema[name] == pl.Boolean
            and self.kind(name) != "key"
        }

    def on_screen(self) -> Table:
        """Return the table with what narrow screens show of its columns."""
        columns = {name: self.column(name) for name in self.headings}
        # An interval is headed by its figure, so the names of its ends are not that of the column.
        shown = {"interval": True, "nothing": False}
        return self.showing(
            name for name, column in columns.items() if shown.get(column.on_screen, name == column.name)
        )

    def of_few_columns(self) -> Table:
        """Return the table, or if it has many columns, what narrow screens show of the most important."""
        marks = [name for name in self.marks if self.frame[name].any() and name not in self.headings]
        if len(self.headings) + len(marks) <= MANY_COLUMNS:
            return self
        few = self.on_screen()
        for name in (name for name in LEAST if name in few.headings):
            if len(few.headings) + len(marks) <= MANY_COLUMNS:
                break
            few = few.without(name)
        return few

    def of_page_width(self) -> Table:
        """Return the table without the least important of the columns that a page has no room for."""
        columns = [
            name
            for name in self.headings
            if figure_of(name) == name and name not in self.marks and not self.is_repeated_count(name)
        ]
        least = [name for name in columns[::-1] if self.column(name).on_screen == "nothing"]
        least += [name for name in LEAST if name in columns and name not in least]
        return self.without(*least[: max(len(columns) - PAGE_COLUMNS, 0)])

    def without(self, *figures: str) -> Table:
        """Return the table without figures and their intervals for people."""
        return replace(self, shown=[name for name in self.headings if figure_of(name) not in figures])

    def is_repeated_count(self, name: str) -> bool:
        """Return whether a column repeats, for a metric, the number of rows of each slice."""
        metric = name.removesuffix("_n")
        names = self.frame.columns
        return name != metric and f"{metric}_low" in names and self.frame[name].equals(self.frame["n"])

    def is_alone(self, end: str) -> bool:
        """Return whether a column is an end of an interval without a figure."""
        figure = figure_of(end)
        return figure != end and figure not in self.frame.columns and {*ends_of(figure)} <= {*self.headings}

    def heading(self, name: str) -> str:
        """Return what people read above a column; an interval without a figure is headed as the figure."""
        is_alone = self.is_alone(name)
        return heading_of(figure_of(name), self.names, self.columns) if is_alone else self.headings[name]

    def meaning(self, name: str) -> str:
        """Return what a column says, if that is known and more than what a row is."""
        is_name = name in _NAMES_OF_ROWS or self.kind(name) == "key"
        return "" if is_name else of_rows(self.column(name).meaning, self.names)

    @property
    def definitions(self) -> dict[str, str]:
        """The meanings of words and headings that people see, and of marks that occur."""
        found = {metric.heading: of_rows(metric.meaning, self.names) for metric in self.metrics.values()}
        for name in self.headings:
            # An interval is explained once, with its figure, and a mark only where it occurs.
            is_end = figure_of(name) != name and figure_of(name) in self.headings
            if not is_end and name not in MARKS:
                found.setdefault(self.heading(name), self.meaning(name))
        for name, (column, mark) in self.marks.items():
            if column in self.headings and self.frame[name].any():
                found.setdefault(mark.strip(), self.meaning(name))
        return {term: meaning for term, meaning in found.items() if meaning}

    @property
    def has_slices(self) -> bool:
        """Whether the first column distinguishes the overall row from the rows of groups."""
        if self.frame.columns[:1] != [SLICE] or self.kind(SLICE) == "key":
            return False
        values = self.frame[SLICE]
        return values.dtype == pl.String and set(values.to_list()) <= {OVERALL, GROUP}


@dataclass(frozen=True, eq=False)
class Document:
    """
    A report: tables, with all information on how they were computed.

    Attributes
    ----------
    title
        Title of the document.
    tables
        The tables, the main one first. Formats for a single table contain the main table.
    settings
        How the figures were computed: protocol, threshold, digest of the inputs, versions; JSON values only.
    signature
        The settings that make figures comparable, in one line.
    notes
        Notes, shown below the tables.
    figures
        Figures for formats that can draw them.
    flat
        The first tables combined, for formats for a single table; by default, the main table.
    head
        A sentence about the main figures, for formats with a headline.
    source
        Names of the files that the document was made from, for the same formats.
    left_out
        Names of further tables of the result, which the document does not have.
    """

    title: str
    tables: Sequence[Table]
    settings: Mapping[str, object]
    signature: str
    notes: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    flat: Table | None = None
    head: str = ""
    source: Sequence[str] = ()
    left_out: Sequence[str] = ()

    def __post_init__(self) -> None:
        string("the title", self.title)
        string("the signature", self.signature)
        string("the head", self.head)
        for note in self.notes:
            string("a note", note)
        # Options in files are those of Python.
        notes = [note if isinstance(note, MarkNote) else str(note) for note in self.notes]
        object.__setattr__(self, "notes", notes)
        for name in self.source:
            string("the name of a file", name)
        string("settings", json_text(self.settings, "settings"))
        names = [table.name for table in self.tables]
        if not names:
            raise ValueError("a document must have at least one table")
        doubled = sorted({name for name in names if names.count(name) > 1})
        if doubled:
            raise ValueError(f"tables must have distinct names, these occur more than once: {doubled}")

    def of_tables(self, tables: Sequence[Table], **others: Any) -> Document:
        """Return the document with some of its tables, without the notes on marks of the others."""
        marked = {*chain.from_iterable(table.definitions for table in tables)}
        marked |= {BEST for table in tables if any(table.best)}
        notes = [note for note in self.notes if not isinstance(note, MarkNote) or note.mark in marked]
        return replace(self, tables=tables, notes=notes, **others)

    def narrowed(self, narrow: Callable[[Table], Table]) -> Document:
        """Return the document with some columns of its tables, and a note on the others."""
        tables, notes = list[Table](), list(self.notes)
        for table in self.tables:
            few = narrow(table)
            tables.append(few)
            left_out = [name for name in table.headings if name not in few.headings]
            if left_out:
                more = numbered(len(left_out), "more column")
                notes.append(
                    f"{table.name} has {more} in .csv, .parquet and .json, and here if they are asked for "
                    f"(columns): {', '.join(left_out)}"
                )
        return replace(self, tables=tables, notes=notes)

    @property
    def settings_as_text(self) -> list[tuple[str, str]]:
        """The settings by name, as JSON unless they are texts."""
        return [
            (name, value if isinstance(value, str) else json_text(value, f"settings[{name!r}]"))
            for name, value in self.settings.items()
        ]

    @property
    def main(self) -> Table:
        """The first table."""
        return self.tables[0]

    @property
    def single(self) -> Table:
        """The table for formats that hold a single table."""
        return self.main if self.flat is None else self.flat


def result_table(
    name: str,
    frame: pl.DataFrame,
    by: Sequence[str] = (),
    own: Mapping[str, Column] = MappingProxyType({}),
    *,
    known: Mapping[str, Column] = COLUMNS,
    **options: Any,
) -> Table:
    """
    Return a table of a result, with the keys `by`.

    Parameters
    ----------
    own
        Columns that this table alone has, or that say something else in it. Their headings are kept even if
        another column has the same.
    known
        The columns of the result.
    options
        Other attributes of the table.
    """
    keys = by_name(Column(column, kind="key", heading=column) for column in by)
    table = Table(name, frame, {**known, **own, **keys}, **options)
    # Marks are shown on other columns, and a single metric is in the title.
    hidden = {name for name in frame.columns if table.column(name).may_lack and not frame[name].sum()}
    hidden |= {"metric"} if len(table.metrics) == 1 else set()
    shown = [name for name in frame.columns if name not in MARKS] if table.shown is None else table.shown
    return replace(table, shown=[name for name in shown if name not in hidden])


def with_scripts(pairs: pl.DataFrame) -> pl.DataFrame:
    """Return pairs of characters, followed by the scripts of both if some pairs are of two scripts."""
    found = [scripts(*pair) or None for pair in pairs.select(CHARACTERS).iter_rows()]
    place = pairs.columns.index(CHARACTERS[1]) + 1
    return pairs.clone().insert_column(place, pl.Series("scripts", found)) if any(found) else pairs


def with_spaces(edits: pl.DataFrame) -> pl.DataFrame:
    """Return a table of edits whose characters can be seen and told apart."""
    characters = [name for name in CHARACTERS if name in edits.columns]
    return edits.with_columns(
        edits[name].map_elements(seen_characters, return_dtype=pl.String) for name in characters
    )


def named_tables(tables: Sequence[Table], names: Sequence[str]) -> list[Table]:
    """Return the tables with these names, or with slices by these columns."""
    if isinstance(names, str):
        raise wrong("tables", f"must be a sequence of names, as [{names!r}], got a text")
    chosen: dict[str, Table] = {}
    for name in names:
        found = [table for table in tables if name in (table.name, table.slices)]
        if not found:
            known = [*dict.fromkeys(text for table in tables for text in (table.slices, table.name) if text)]
            raise wrong("tables", f"must be among {known}, got {name!r}")
        chosen |= {table.name: table for table in found}
    if not chosen:
        raise wrong("tables", "must name at least one table")
    return [*chosen.values()]


def with_columns(tables: Sequence[Table], columns: Sequence[str]) -> list[Table]:
    """Return tables with only these figures after their keys; tables without such figures stay unchanged."""
    known = {*chain.from_iterable(table.frame.columns for table in tables)}
    unknown = [name for name in columns if name not in known]
    if unknown:
        raise wrong("columns", f"must be among {sorted(known)}, got {unknown}")
    chosen = []
    for table in tables:
        first = [name for name in table.headings if name in _WHAT_ROWS_ARE or table.kind(name) == "key"]
        own = table.frame.columns
        shown = [name for name in dict.fromkeys(with_ends(*first, *columns)) if name in own]
        chosen.append(replace(table, shown=shown) if {*columns} & {*own} else table)
    return chosen
