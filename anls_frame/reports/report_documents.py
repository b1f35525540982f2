"""Reports as documents for export and as short tables for a screen, with functions shared by comparisons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame import statistics
from anls_frame._arguments import count, flag, string
from anls_frame._messages import Message, Option, for_readers
from anls_frame._text import numbered
from anls_frame.export import Kind, Table
from anls_frame.export.columns import CHARACTERS, COLUMNS, COUNTS, FEW, Column, ends_of, headed, heading_of
from anls_frame.export.display import slice_labels, spelled, spelled_in
from anls_frame.export.document import GROUP, SLICE, MarkNote, result_table, with_scripts, with_spaces
from anls_frame.export.heads import Worst, head
from anls_frame.export.row_names import Names, every
from anls_frame.frames import documents, origins
from anls_frame.results import View
from anls_frame.summary import causes, details
from anls_frame.summary.catalogue import BUILT_IN, is_described, short_label
from anls_frame.summary.cell_sums import ALL
from anls_frame.summary.cells import ROUNDED
from anls_frame.summary.keys import key_names
from anls_frame.summary.measures import Metric
from anls_frame.summary.notes import (
    empty_reference_notes,
    line_notes,
    score_notes,
    text_notes,
)
from anls_frame.summary.summary import Summary

if TYPE_CHECKING:
    from anls_frame.export.charts import Figure

_LEAST_FINE = 20
"""Below, a number of slices that is close to that of rows needs no note."""
_CONFUSIONS = 30
# Maximum number of scores in the title of a report.
_NAMED = 3
_ERROR_TYPES = "Error types"
_ENOUGH_ROWS = 10
"""With fewer rows, an ANLS of 0 in each of them is no sign of wrong columns."""
_LONG_WORDS = 12
"""Characters of a word, on average, that no language with spaces has."""
_ANY, _MAY_BE = pl.lit(value=True), "anls_frame:may_be"


@dataclass(kw_only=True)
class ReportView(View):
    """A report with the options of `Report.write`."""

    name: str | None = None
    sort: str | None = None
    min_n: int = 0
    macro: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        flag("macro", self.macro)
        count("min_n", self.min_n)
        if self.name is not None:
            string("name", self.name, "the name of the system")
        self.summary: Summary = self.result.summary
        self.worst: pl.DataFrame = self.result.worst_rows
        self.told: Sequence[str] = ()
        """Rules of an overview whose steps say what a note would."""
        slices = partial(self.result.slices_by, sort=self.sort, min_n=self.min_n)
        self.tables: list[tuple[tuple[str, ...], pl.DataFrame]] = self.result.sliced_tables(slices)
        """The tables, each with the overall row first."""
        self.whole = self.tables[0][1] if len(self.tables) == 1 else self.result.flat(slices)
        self.overall: dict[str, Any] = self.whole.row(0, named=True)
        self.keys = [by for by, _ in self.tables]

    @property
    def title(self) -> str:
        """Return what is scored, the system, and the columns of the slices."""
        settings = self.summary.settings
        is_short = not settings.has_texts and len(settings.metrics) <= _NAMED
        labels = " and ".join(metric.label for metric in settings.metrics)
        what = labels if is_short else "Error rates" if settings.are_error_rates else "Scores"
        whose = f" of {self.name}" if self.name else ""
        by = ", by ".join(map(" and ".join, self.keys))
        if by:
            return f"{what}{whose} by {by}"
        return f"{what}{whose} {'on' if whose else 'of'} {every(self.names)}"

    @cached_property
    def left_out(self) -> int:
        """The number of slices with fewer rows than `min_n`."""
        tables = [(by, table.height - 1) for by, table in self.tables if by and self.min_n]
        return sum(self.result.slices_by(by).height - shown for by, shown in tables)

    @cached_property
    def details(self) -> list[Table]:
        """Error types and frequent substitutions of rows that were read at least in part, if counted."""
        settings, counted = self.summary.settings, self.summary.report_sums.of("details")
        if not settings.details:
            return []
        confusions = details.confusion_table(counted["confusions"], [], "replace").select(
            *CHARACTERS, "count", "share_of_errors", "share_of_reference"
        )
        # Word and line breaks are not confusions of letters.
        confusions = confusions.filter(~pl.any_horizontal(pl.col(CHARACTERS).str.contains(r"^\s+$")))
        name, every_case = "Substitutions", confusions.height
        confusions = details.without_case(confusions, settings)
        if confusions.height > _CONFUSIONS:
            name = f"The {_CONFUSIONS} most frequent of {confusions.height:,} substitutions"
        if settings.min_nls:
            name += f" in {self.names['row']}s with NLS of at least {settings.min_nls:g}"
        if confusions.height < every_case:
            name += ", without changes of case"
        return [
            result_table(_ERROR_TYPES, details.error_table(counted["errors"], [])),
            result_table(name, with_scripts(confusions.head(_CONFUSIONS)), link="Substitutions"),
        ]

    @property
    def worst_table(self) -> Table:
        """Return the table of the worst rows, or of the rates of pages, whose texts are shown aligned."""
        settings = self.summary.settings
        # The name of a row precedes its texts, which may be pages.
        names = (*settings.by, *settings.keep)
        worst = self.worst.select(cs.by_name(*names), ~cs.by_name(*names))
        own = {name: Column(name, heading=name) for name in settings.keep}
        for name, column in self.metric_columns.items():
            # A row has its own rate, where the metric is the rate of all rows together.
            own[name] = replace(column, meaning=COLUMNS[name].meaning) if name in COLUMNS else column
        if not settings.are_error_rates:
            return result_table("Worst rows", worst, settings.by, own)
        # CER and the errors by kind already say how many characters are wrong.
        repeated = ("substitutions", "deletions", "insertions")
        others = [
            metric for metric in settings.own if metric.name in worst.columns and metric.name not in repeated
        ]
        rates = {
            "cer": heading_of("cer"),
            **{metric.name: short_label(metric).partition(" (")[0] for metric in others},
        }
        headings = {name: heading_of(name, self.names) for name in names} | rates
        pages = worst.select(cs.by_name(*headings))
        scored, row = self.overall["n"], self.names["row"]
        name = f"The {pages.height:,} worst of {scored:,} {row}s"
        if pages.height >= scored:
            name = every(self.names).capitalize()
            # Unlike that of pages, the table of all rows together has this name, too.
            name += ", worst first" if name == self.names["whole"] else ""
        bars = [rate for rate in ("cer", "wer_corpus", "wer_mean") if rate in rates]
        table = result_table(name, pages, settings.by, own, bars=bars, names=self.names, percent=self.percent)
        return replace(table, columns=headed(table.columns, headings))

    @property
    def further(self) -> list[Table]:
        """The error types, substitutions and worst rows, as far as they were asked for."""
        worst = [self.worst_table] if self.worst.height else []
        # Error types are those of answers; which pages are worst says more than single letters.
        are_rates = self.summary.settings.are_error_rates
        return [*worst, *self.details[1:]] if are_rates else [*self.details, *worst]

    def document_tables(self) -> list[Table]:
        """Return the slices, macro averages and further tables."""
        return [*_slices(self), *macro_tables(self), *self.further]

    def screen_tables(self) -> list[Table]:
        """Return the slices, macro averages and further tables."""
        tables = [table.on_screen() for table in _slices(self)]
        # Shares of rows without a per-row score come last.
        tables = [table.showing(sorted(table.headings, key="zeros".__eq__)) for table in tables]
        further = [replace(table, frame=with_spaces(table.frame)) for table in self.further]
        return [*tables, *macro_tables(self), *further]

    def notes(self) -> list[str]:
        """Return notes on the figures."""
        overall, summary = self.overall, self.summary
        settings = summary.settings
        (predictions,) = summary.predictions.values()
        notes = [
            *text_notes(predictions._asdict(), overall["n"], settings.protocol, without=self.told),
            *direction_notes(self.metrics, [(one, short_label(one)) for one in settings.own]),
            *score_notes(self.metrics, self.names["row"], of_fields=settings.has_fields),
        ]
        notes += self.notes_on_zeros()
        if any(ROUNDED in cells.columns for cells in summary.report_sums.cells.values()):
            notes.append(
                "Quantiles are those of scores rounded to three significant digits, 0.001 from 0.1 to 1, as "
                "a saved summary has them."
            )
        if self.left_out:
            left_out = numbered(self.left_out, "slice")
            notes.append(f"{left_out} of fewer than {self.min_n:,} {self.names['row']}s left out.")
        keys = key_names(settings.by, None)
        if any(isinstance(summary.report_sums.cells[ALL].schema[key], pl.List) for key in keys):
            row = self.names["row"]
            notes.append(
                f"A {row} in several slices counts once in each, so the counts may add up to more than the "
                "total."
            )
        length = _word_length(summary)
        if length >= _LONG_WORDS:
            little = (
                f"Words have {length:.0f} characters on average: the WER of texts without spaces between "
                "words means little. "
            )
            words = 'A protocol whose errors have words="uax29"'
            protocol = for_readers(words, "--protocol anls,errors.words=uax29")
            notes.append(Message(little, protocol, " splits such texts into words."))
        notes += line_notes(settings.metrics, settings.protocol, from_pages=settings.from_pages)
        notes += _empty_references(self)
        notes += origins.note(summary.scored_by, settings.protocol, has_texts=settings.has_texts)
        if settings.cluster is not None:
            notes.append(f"Intervals allow for {documents.counted(overall['n_clusters'], settings.cluster)}.")
        notes += documents.note(summary.forgotten_documents, self.names["row"])
        slices = {
            by: table.filter(pl.col(SLICE) == GROUP).height + self.left_out for by, table in self.tables
        }
        return [*notes, *fine_note(slices, overall["n"], self.names), *few_note(self.whole)]

    def notes_on_zeros(self) -> list[str]:
        """Return a note if no row has an ANLS above 0."""
        if self.overall["n"] < _ENOUGH_ROWS or self.overall.get("anls") != 0:
            return []
        said = f"No {self.names['row']} has an ANLS above 0. Make sure that these are the right columns"
        return [f"{said}, and that both have the names of classes, or both their numbers."]

    def drawn(self) -> list[Figure]:
        """Return the distribution of scores, errors by kind, substitutions and alignments."""
        from anls_frame.reports import report_figures  # noqa: PLC0415 - not for a screen

        return report_figures.drawn(self)

    def head(self) -> str:
        """Return the first score of all rows, its worst slice, and the causes that lower it most."""
        overall, metric = self.overall, self.metrics[0]
        if overall[metric.name] is None:
            return ""
        kind, name = self.kind(metric), f"{self.name}: " if self.name else ""
        settings = self.summary.settings
        score = f"{metric.label} {spelled_in(overall, metric.name, kind)}"
        if settings.lengths:
            label = metric.label.removesuffix(" (corpus)")
            wer = spelled(overall["wer_corpus"], (), kind)
            score = f"{label} {spelled_in(overall, metric.name, kind)}, WER {wer}"
        lost = {}
        if metric is BUILT_IN["anls"] and settings.details:
            lost = causes.shares(self.summary.report_sums.frames["details causes"])
        sentence = head(
            f"{name}{score}",
            overall.get(f"{metric.name}_n", overall["n"]),
            noun=self.names["row"],
            more=f"{overall['characters']:,} characters" if "characters" in settings.lengths else "",
            worst=worst_slice(self.tables, metric, metric.name, kind),
            lost=lost,
        )
        # A page read where none was printed can make a rate of any size.
        return " ".join([sentence, *(_empty_references(self) if settings.are_error_rates else [])])


def macro_tables(view: Any) -> list[Table]:
    """Return the macro averages over the slices of each table, if the view of a result is to show them."""
    tables = []
    for by in view.keys if view.macro else ():
        averages = view.result.macro_by(by)
        # All differences are from the baseline of the comparison.
        hidden = {"baseline"}
        if "system" in averages.columns and averages["system"].n_unique() > 1:
            averages, alone = adjusted_together(averages)
            hidden |= alone
        name = f"Macro averages by {' and '.join(by)}"
        table = result_table(name, averages, metrics=view.terms, percent=view.percent)
        tables.append(table.showing(name for name in table.headings if name not in hidden))
    return tables


def adjusted_together(differences: pl.DataFrame) -> tuple[pl.DataFrame, set[str]]:
    """Return several differences with p-values that are adjusted together, and what each has alone."""
    adjusted = pl.Series("p_adjusted", statistics.holm(differences["p_value"].to_numpy())).fill_nan(None)
    place = differences.columns.index("p_value") + 1
    return differences.clone().insert_column(place, adjusted), {"p_value", *ends_of("difference")}


def _slices(view: ReportView) -> list[Table]:
    """Return the tables of slices."""
    # Figures before the counts of rows that lack something, and of those that have a figure.
    counts = [column.name for column in COUNTS if column.may_lack]
    counts += [f"{metric.name}_n" for metric in view.metrics]
    tables = []
    for by, slices in view.tables:
        seen = sorted(slices.columns, key=counts.__contains__)
        name = f"By {' and '.join(by)}" if by else view.names["whole"]
        options: dict[str, Any] = {"shown": seen, "names": view.names, "percent": view.percent}
        tables.append(result_table(name, slices, by, view.metric_columns, **options))
    return tables


def _word_length(summary: Summary[Any]) -> float:
    """Return how many characters the words of the references have on average; 0 without a WER."""
    if not any(metric.name == "wer_corpus" and is_described(metric) for metric in summary.settings.metrics):
        return 0.0
    cells = summary.report_sums.cells
    words = int(cells["wer_corpus"]["denominator_sum"].sum())
    return int(cells[ALL]["reference_length_sum"].sum()) / words if words else 0.0


def _empty_references(view: ReportView) -> list[str]:
    n_empty, n = view.overall["n_empty_reference"], view.overall["n"]
    return empty_reference_notes(view.metrics, n_empty, n, view.names["row"])


def worst_slice(
    tables: Sequence[tuple[tuple[str, ...], pl.DataFrame]],
    metric: Metric,
    column: str,
    kind: Kind,
    may_be: pl.Expr = _ANY,
) -> Worst | None:
    """Return the worst slice that is not tiny and may be called the worst, if slices differ at all."""
    scored: list[tuple[float, int, str, str, bool]] = []
    for by, table in tables:
        is_scored = table.get_column(column).is_not_null()
        slices = table.filter((table[SLICE] == GROUP) & is_scored).with_columns(may_be.alias(_MAY_BE))
        for label, row in zip(slice_labels(slices, by), slices.iter_rows(named=True), strict=True):
            scored.append((row[column], row["n"], label, spelled_in(row, column, kind), row[_MAY_BE]))
    return Worst.of(scored, highest_is_worst=not metric.higher_is_better)


def fine_note(slices: Mapping[tuple[str, ...], int], rows: int, names: Names) -> list[str]:
    """Return a note on `by` columns with nearly as many values as rows."""
    row = names["row"]
    fine = [
        f"{numbered(n, 'slice')} by {' and '.join(by)}"
        for by, n in slices.items()
        if by and n >= _LEAST_FINE and n > rows / 2
    ]
    text = (
        f"{numbered(rows, row)} in {', '.join(fine)}: slices of one or two {row}s show nothing. "
        f"Pass a column that names the document of each {row} as "
    )
    return [Message(text, for_readers(str(Option("cluster")), "-c"), ".")] if fine else []


def few_note(frame: pl.DataFrame, units: str = "rows or documents") -> list[str]:
    """Return the note that explains the mark for few rows, if a slice has it."""
    said = f"few {units}, or a figure that rests on few of them: treat the interval as rough"
    figures = [name.removesuffix("_low") for name in frame.columns if name.endswith("_low")]
    lacks = [pl.col(f"{name}_low").is_null() & pl.col(name).is_not_null() for name in figures]
    if frame.select(pl.col("few_rows") & pl.any_horizontal(*lacks, pl.lit(value=False))).to_series().any():
        said += "; where they are too few, there is none"
    return [MarkNote(f"{FEW} {said}.")] if frame["few_rows"].any() else []


def direction_notes(metrics: Sequence[Metric], named: Sequence[tuple[Metric, str]]) -> list[str]:
    """Return which of the named metrics are better if they are higher, and which if they are lower."""
    notes = []
    for better, text in ((True, "Higher is better"), (False, "Lower is better")):
        alike = [label for metric, label in named if metric.higher_is_better is better]
        are_all = all(metric.higher_is_better is better for metric in metrics)
        notes += [f"{text}{'' if are_all else ': ' + ', '.join(alike)}."] if alike else []
    return notes
