"""Base classes of results: display and writing, figures of all rows and of slices, found slices."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, TypedDict, Unpack, cast

import polars as pl
import polars.selectors as cs

from anls_frame import export
from anls_frame._arguments import flag, string
from anls_frame._typing import Table_co
from anls_frame.export import Document, Kind, Table, notebook, sources, terminal
from anls_frame.export.columns import Column, OnScreen, by_name
from anls_frame.export.document import (
    GROUP,
    OVERALL,
    SLICE,
    TABLE,
    crossed,
    named_tables,
    with_columns,
)
from anls_frame.export.kinds import shown_as
from anls_frame.export.notebook import ROWS
from anls_frame.export.row_names import ROWS as ROW_NAMES
from anls_frame.export.row_names import Names, every, named_rows
from anls_frame.export.sources import Source
from anls_frame.frames.conversion import to_pandas
from anls_frame.summary.account import Account
from anls_frame.summary.catalogue import TEXT_METRICS, are_error_rates, column_of, short_label
from anls_frame.summary.keys import chosen_keys
from anls_frame.summary.measures import Metric

if TYPE_CHECKING:
    import pandas as pd
    from great_tables import GT

    from anls_frame.analysis.browsing import RowsPage
    from anls_frame.export.charts import Figure


class Shown(TypedDict, total=False):
    """Display options of results, which are options of `Written.write`; each result has some of them."""

    title: str | None
    percent: bool
    noun: str | None
    remarks: Sequence[str]
    columns: Sequence[str] | None
    tables: Sequence[str] | None
    intervals: bool
    name: str | None
    sort: str | None
    min_n: int
    macro: bool
    significant: bool
    pairs: bool | None
    facts: Any
    published: Mapping[str, float | Mapping[str, float]] | None


@dataclass(frozen=True, kw_only=True)
class _General:
    """The display options of every result: which of its tables, and what of them."""

    title: str | None = None
    columns: Sequence[str] | None = None
    tables: Sequence[str] | None = None
    intervals: bool = True

    def __post_init__(self) -> None:
        if self.title is not None:
            string("title", self.title)
        flag("intervals", self.intervals)

    def of(self, tables: Sequence[Table]) -> Sequence[Table]:
        """Return what of these tables is shown."""
        if self.tables is not None:
            tables = named_tables(tables, self.tables)
        if self.columns is not None:
            tables = with_columns(tables, self.columns)
        return tables if self.intervals else [table.without_intervals() for table in tables]

    def drawn(self, figures: Sequence[Figure], tables: Sequence[Table]) -> list[Figure]:
        """Return the figures of the chosen tables, or all, as they are shown."""
        names = {table.name for table in tables}
        shown = [figure for figure in figures if self.tables is None or figure.table in names]
        if self.intervals:
            return shown
        from anls_frame.export.charts import HeatMap  # noqa: PLC0415 - not for a screen

        return [replace(one, has_intervals=False) if isinstance(one, HeatMap) else one for one in shown]


class Written(ABC, Generic[Table_co]):
    """A result that can be printed, shown in notebooks and written to files."""

    noun: ClassVar[str]
    """What messages call this result."""
    view: ClassVar[type[View]]
    """What shows the result."""
    is_page: ClassVar[bool] = False
    """Whether its tables are one page, which .md and .tex hold whole."""
    account: Account[Table_co]
    """How many rows were given and used, and why others were left out or changed."""

    def _as_given(self, table: pl.DataFrame) -> Table_co:
        """Return a table as the kind of frame that the result was made from, which callers may change."""
        return cast("Table_co", to_pandas(table) if self.account.from_pandas else table.clone())

    @property
    def display_options(self) -> Sequence[str]:
        """The options of `write` that say how the result is shown, besides its title and columns."""
        return [option.name for option in fields(self.view) if option.name not in ("result", "most")]

    def write(
        self,
        path: str | os.PathLike[str],
        *,
        escape_formulas: bool = False,
        rows: RowsPage | None = None,
        source: Source | Sequence[Source] = (),
        **shown: Unpack[Shown],
    ) -> Path:
        """
        Write the result to a file, in the format of the path's suffix.

        Data formats that hold a single table contain, of a comparison, the differences from the baseline,
        whatever the number of systems. All tables are in .json, .xlsx and the formats for people.

        Parameters
        ----------
        path
            Path that ends in one of `anls_frame.export.SUFFIXES`, such as .html or .csv. An existing file is
            replaced as a whole or, on an error, left unchanged.
        title
            Title, in place of the default title.
        percent
            Whether to show scores and rates in per cent with one decimal, as error rates of texts always are.
            Data formats always hold the unscaled numbers.
        noun
            What rows are called, as a plural with an s, such as `"utterances"`: "pages" by default for
            frames of `read_pages` and the metrics `"ocr"`, otherwise "rows".
        remarks
            Notes of your own, such as the decision of a gate; they come first.
        columns
            The figures that tables for people show, in order, by their column names in data formats. Tables
            without any of these figures, and data formats, stay unchanged. By default all; where a table
            is too wide, those of a terminal (.xlsx and .tex, more than 15 columns) or all but the least
            important (.html and .md, more than 14), and a note names the others.
        tables
            The tables, in order, by their names or by the columns of their slices, as in
            ``tables=["doc_type"]`` or ``["doc_type,lang"]``. By default all, and in .md and .tex, which go
            into other texts, the first; formats for a single table hold the first of them.
        intervals
            Whether tables for people show intervals. Data formats always have them.
        name
            Of a report: the name of the system, for use in headings.
        sort
            Column by which slices are sorted. Of a report: a count (largest first), a score (worst first), a
            rate (highest first) or a key; by default in the order of `by`. Of a comparison: `n` (largest
            first), a column of `by`, or a figure, such as `score` or `difference`, of the second system in
            the first metric (worst first); by default, the largest slices come first.
        min_n
            Of a report: the minimum number of scored rows of a slice. Smaller slices are left out, and a note
            states their number.
        macro
            Of a report or a comparison: whether to add the macro averages of each table of slices; see
            `macro`.
        significant
            Of a comparison: whether to show only significant results: differences with an adjusted p of at
            most 1 minus the confidence level, and a best system of a slice only if no other system can be the
            best.
        pairs
            Of a comparison: whether to add the differences between all pairs of systems. By default,
            comparisons of up to 12 systems include them, also for slices. For more systems, ``pairs=True``
            adds the pairs for all rows only.
        facts
            Of a comparison: facts about systems, such as size, date and link: a frame with a row for each
            system, its name in the column `system`. The other columns are added to the ranking, which two
            systems then have, too; HTML pages link web addresses.
        published
            Of a comparison: published figures of systems without rows, as for `Comparison.beside`. The
            ranking lists them without rank and interval, and notes name the systems that are better or worse.
        escape_formulas
            In .csv and .tsv, whether to put an apostrophe before text that a spreadsheet would run as a
            formula.
        rows
            In .html, a page of the same rows from `anls_frame.browse`, which becomes part of the file.
            Slices, error types and transitions link to their rows if `by` of the page includes their columns.
        source
            In .html, the files or folders that the rows come from. The page shows their names and
            modification dates at the top.

        Returns
        -------
        Path
            The path of the file.
        """
        document = export.shortened(
            self.to_document(**shown),
            path,
            tables=not self.is_page and shown.get("tables") is None,
            columns=shown.get("columns") is None,
        )
        embedded = None if rows is None else rows.embedded(document.settings)
        document = replace(document, source=sources.source_names(source))
        return export.write(document, path, escape_formulas=escape_formulas, rows=embedded)

    def to_document(self, **shown: Unpack[Shown]) -> Document:
        """Return the tables, settings and notes that `write` would write with these options."""
        general, own = self._taken_apart(shown)
        document = self.view(result=self, **own).document()
        flat = document.flat if general.tables is None else None
        title = document.title if general.title is None else general.title
        tables = general.of(document.tables)
        figures = general.drawn(document.figures, tables)
        return document.of_tables(tables, figures=figures, flat=flat, title=title)

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Export the table of data formats to readers of Arrow: DuckDB, pyarrow, Ibis, other frames."""
        return self.view(result=self).frame().__arrow_c_stream__(requested_schema)

    def to_text(self, **shown: Unpack[Shown]) -> str:
        """Return the tables as printed text; the options are those of `write`."""
        return terminal.rendered(self._shown(terminal.ROWS, **shown))

    def to_gt(self, table: int = 0, **shown: Unpack[Shown]) -> GT:
        """Return a table, by default the first, as a great_tables object; see `write` for options."""
        return self._notebook_tables(self._shown(None, **shown))[table]

    def _repr_html_(self) -> str:
        return "\n".join(map(notebook.in_page, self._notebook_tables(self._shown(ROWS))))

    def __repr__(self) -> str:
        return self.to_text()

    def _shown(self, most: int | None, **shown: Unpack[Shown]) -> list[Table]:
        """Return the tables for a screen with their title and the chosen columns."""
        general, own = self._taken_apart(shown)
        tables = self.view(result=self, most=most, **own).on_screen(general.of)
        return tables if general.title is None else [replace(tables[0], name=general.title), *tables[1:]]

    def _taken_apart(self, shown: Mapping[str, Any]) -> tuple[_General, dict[str, Any]]:
        """Return the options of every result, and those that depend on its kind."""
        of_all = [option.name for option in fields(_General)]
        known = (*of_all, *self.display_options)
        for name in shown:
            if name not in known:
                raise TypeError(f"no option {name!r} to show a {self.noun}; there are {', '.join(known)}")
        own = {name: value for name, value in shown.items() if name not in of_all}
        return _General(**{name: shown[name] for name in of_all if name in shown}), own

    def _notebook_tables(self, tables: Sequence[Table]) -> list[GT]:
        ids = (f"anls-{self.noun}{index or ''}" for index in range(len(tables)))
        return list(map(notebook.rendered, tables, ids))


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class FoundSlices:
    """
    The content of a result of found slices, for its view and the plot, which may not import `slices`.

    Parameters
    ----------
    table
        The frame of `frame`, in Polars.
    metrics
        One or several metrics.
    systems
        The names of the compared systems, the baseline first; empty if a single system is searched.
    n_slices, n_tests
        Number of slices that were searched, and number of tests: each slice is tested in each metric and
        each compared system.
    left_out
        Columns that were left out, with reasons.
    settings, signature
        The settings of the search; scores with equal signatures are comparable.
    row_names
        Words for rows.
    holdout
        Share of documents on which slices were tested; 0 if they were tested on the documents in which they
        were found.
    confidence
        Confidence level of the intervals; a slice is listed if its adjusted p is at most 1 minus this
        level.
    account
        How many rows were given and used, and why others were left out or changed.
    """

    table: pl.DataFrame
    metrics: Sequence[Metric]
    systems: Sequence[str] = ()
    n_slices: int
    n_tests: int
    left_out: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, Any]
    signature: str
    row_names: Names = field(default_factory=lambda: ROW_NAMES)
    holdout: float
    confidence: float
    account: Account[Any]

    def __bool__(self) -> bool:
        raise TypeError("there may be no slices; compare the number of rows of `frame` with 0")

    @property
    def measures(self) -> tuple[Metric, ...]:
        """The metrics, by the name that other results have for them."""
        return tuple(self.metrics)


@dataclass(kw_only=True)
class View(ABC):
    """A result with the options of `write` that say how its document shows it."""

    result: Any
    percent: bool = False
    noun: str | None = None
    remarks: Sequence[str] = ()
    most: int | None = None
    """Number of rows that a screen shows; by default, all."""
    flat_name: ClassVar[str] = "Slices"
    """Name of the table of formats that hold a single one, where several tables are one."""

    def __post_init__(self) -> None:
        flag("percent", self.percent)
        # Error rates of texts are usually told in per cent.
        self.percent = self.percent or are_error_rates(self.metrics)

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """All settings of the result."""
        return dict(self.result.settings)

    @property
    def metrics(self) -> tuple[Metric, ...]:
        """The metrics of the result."""
        return tuple(self.result.measures)

    @property
    def names(self) -> Names:
        """The names for rows."""
        names = cast("Names", self.result.row_names)
        return names if self.noun is None else named_rows(self.noun)

    @cached_property
    def whole(self) -> pl.DataFrame:
        """The figures of all rows and of slices, or the found slices."""
        return cast("pl.DataFrame", self.result.to_polars())

    def frame(self) -> pl.DataFrame:
        """Return the table of data formats."""
        return self.whole

    @property
    @abstractmethod
    def title(self) -> str:
        """The default title."""

    @abstractmethod
    def document_tables(self) -> list[Table]:
        """Return the tables of the document, the main one first."""

    def screen_tables(self) -> list[Table]:
        """Return the tables for a screen, by default those of the document."""
        return [table.on_screen() for table in self.document_tables()]

    @abstractmethod
    def notes(self) -> list[str]:
        """Return notes on what the figures mean."""

    def document_notes(self) -> list[str]:
        """Return the notes of the document, by default those of a screen."""
        return self.all_notes()

    def drawn(self) -> list[Figure]:
        """Return the figures of the document."""
        return []

    def head(self) -> str:
        """Return a sentence about the main figures."""
        return ""

    def all_notes(self) -> list[str]:
        """Return the remarks, the account of rows (unless all were used as they are), and the other notes."""
        account = replace(self.result.account, noun=self.names["row"])
        return [*self.remarks, *account.notes, *self.notes()]

    def document(self) -> Document:
        """Return the document for export."""
        tables, frame = self.document_tables(), self.frame()
        # The main table has a heading and formats, if it holds everything.
        flat = None if tables[0].frame.equals(frame) else Table(self.flat_name, frame)
        notes = self.document_notes()
        parts = (self.title, tables, self.settings, self.result.signature, notes, self.drawn())
        return Document(*parts, flat, self.head())

    def on_screen(self, chosen: Callable[[Sequence[Table]], Sequence[Table]]) -> list[Table]:
        """Return the chosen tables for a screen; the first has the title, the last the notes."""
        shown = []
        tables = self.screen_tables()
        for table in chosen(tables):
            rows = table.frame.height if self.most is None else self.most
            # Files refuse bytes, which are no text; a screen shows them as Python writes them.
            frame = table.frame.head(rows).with_columns(cs.binary().map_elements(repr, pl.String))
            bold, hidden = [row for row in table.bold if row < rows], table.frame.height - frame.height
            shown.append(replace(table, frame=frame, best=table.best[:rows], bold=bold, hidden=hidden))
        if shown[0].name == tables[0].name:
            shown[0] = replace(shown[0], name=self.title)
        shown[-1] = replace(shown[-1], below=[*shown[-1].below, *self.all_notes(), self.result.signature])
        return shown

    def kind(self, metric: Metric) -> Kind:
        """Return the display format of a metric."""
        return shown_as(metric.format, percent=self.percent)

    @property
    def named(self) -> list[tuple[Metric, str]]:
        """The metrics with distinct names, for headings."""
        labels = [metric.label for metric in self.metrics]
        return [
            (metric, label if labels.count(label) == 1 else f"{label} ({metric.name})")
            for metric, label in zip(self.metrics, labels, strict=True)
        ]

    @property
    def metric_columns(self) -> dict[str, Column]:
        """The columns of the metrics in tables with a column for each, and of the numbers of their rows."""
        columns = []
        # Explicitly chosen metrics are all shown.
        least: OnScreen = "nothing" if self.metrics == TEXT_METRICS else "figure"
        for metric in self.metrics:
            shown = least if metric.in_text == "nothing" else metric.in_text
            # The first score has its interval, whatever it is.
            shown = "interval" if metric == self.metrics[0] else shown
            heading = short_label(metric)
            number = f"{self.names['row']}s with {heading}"
            columns.append(replace(column_of(metric, heading), on_screen=shown))
            columns.append(Column(f"{metric.name}_n", "", "count", number, "nothing"))
        return by_name(columns)

    @property
    def terms(self) -> dict[str, Column]:
        """The metrics as columns, by name, for tables with a row for each."""
        return by_name(column_of(metric, label) for metric, label in self.named)


class SlicedResult(Written[Table_co]):
    """
    Figures over all rows and by slice, with intervals.

    A subclass provides the figures (`by`), the `settings` that determine them, and the document for export.
    """

    noun: ClassVar[Literal["report", "comparison", "correction", "result"]]

    def __init__(self, confidence: float, measures: Sequence[Metric], account: Account[Table_co]) -> None:
        self.confidence = confidence
        self.account = account
        self._settings = settings = account.settings
        self._measures = tuple(measures)
        self._by = settings.by
        self._tables = settings.tables or (settings.by,)
        self.row_names = settings.names

    @property
    def signature(self) -> str:
        """The settings as a single line; figures with equal signatures are comparable."""
        return self._settings.signature

    @property
    def measures(self) -> tuple[Metric, ...]:
        """The metrics of the result; none where scores are given that people correct."""
        return self._measures

    @property
    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """All settings that determine the figures."""

    @property
    def by_group(self) -> Table_co:
        """
        Counts and figures of each slice; several `by` columns are crossed.

        Several tables are concatenated, with their names in the column `table`. The result is a pandas frame
        if the input was a pandas frame, otherwise a Polars frame.
        """
        return self._as_given(self._groups)

    def _sliced_by(self, columns: Sequence[str]) -> list[str]:
        """Return the keys of the named `by` columns, or of all if none is named."""
        keys = chosen_keys(columns or self._by, self._by, self.noun)
        if not keys:
            raise ValueError(f"the {self.noun} has no slices; name columns in by= when making it")
        return keys

    @abstractmethod
    def by(self, *columns: str) -> Table_co:
        """Return counts and figures by some of the `by` columns; without columns, those of all rows."""

    @abstractmethod
    def slices_by(self, columns: Sequence[str]) -> pl.DataFrame:
        """Return the table of `by`, in Polars."""

    def to_polars(self) -> pl.DataFrame:
        """
        Return the figures of all rows and of all slices in one frame, with a column `slice`.

        `slice` is "overall" in the first rows, whose keys are null, and "group" in the others.
        """
        return self._with_overall(self._groups, self._overall)

    def flat(self, slices: Callable[[Sequence[str]], pl.DataFrame]) -> pl.DataFrame:
        """Return other tables of the same slices, in the form of `to_polars`."""
        overall = slices(())
        made = {columns: slices(columns) if columns else overall for columns in self._tables}
        return self._with_overall(self._below_each_other(made), overall)

    def _with_overall(self, groups: pl.DataFrame, overall: pl.DataFrame) -> pl.DataFrame:
        """Return the figures of all rows above those of slices."""
        first = overall.lazy().select(pl.lit(OVERALL).alias(SLICE), pl.all())
        if not self._by:
            return first.collect()
        others = groups.lazy().select(pl.lit(GROUP).alias(SLICE), pl.all())
        whole = pl.concat([first, others], how="diagonal_relaxed")
        return whole.select(cs.by_name(SLICE, *groups.columns)).collect()

    def sliced_tables(
        self, slices: Callable[[Sequence[str]], pl.DataFrame] | None = None
    ) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
        """Return each table with its keys and the overall row first, by default those of `by`."""
        overall = self._overall if slices is None else slices(())
        made = self._slices if slices is None else {columns: slices(columns) for columns in self._tables}
        return [(columns, self._with_overall(table, overall)) for columns, table in made.items()]

    def to_pandas(self) -> pd.DataFrame:
        """Return the frame of `to_polars` as a pandas frame; counts are `int64`, or `Int64` with nulls."""
        return to_pandas(self.to_polars())

    @cached_property
    def _overall(self) -> pl.DataFrame:
        return self.slices_by(())

    @property
    def tables(self) -> dict[str, Table_co]:
        """The slices of each table by its name, such as "lang" or, for crossed columns, "lang,type"."""
        return {
            crossed(columns) if columns else every(): self._as_given(table)
            for columns, table in self._slices.items()
        }

    @cached_property
    def _slices(self) -> dict[tuple[str, ...], pl.DataFrame]:
        """The slices of each table, by its columns."""
        return {columns: self.slices_by(columns) if columns else self._overall for columns in self._tables}

    @cached_property
    def _groups(self) -> pl.DataFrame:
        return self._below_each_other(self._slices)

    def _below_each_other(self, made: Mapping[tuple[str, ...], pl.DataFrame]) -> pl.DataFrame:
        if len(made) == 1:
            return made[self._tables[0]]
        dtypes = {name: dtype for slices in made.values() for name, dtype in slices.schema.items()}
        tables = []
        for columns, slices in made.items():
            # With their dtypes, because Polars reads names such as "^.*$" as patterns when it looks for a
            # common dtype.
            nothing = [pl.lit(None, dtypes[name]).alias(name) for name in self._by if name not in columns]
            whole = slices.with_columns(nothing)
            figures = [name for name in slices.columns if name not in columns]
            name = pl.lit(crossed(columns)).alias(TABLE)
            tables.append(whole.select(name, cs.by_name(*self._by, *figures)))
        return pl.concat(tables, how="diagonal_relaxed")
