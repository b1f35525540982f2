"""Overviews as pages, documents and text of a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message, for_readers
from anls_frame._palette import ERROR_COLORS, PAGE_COLORS, PALETTE
from anls_frame._text import level_text, numbered, shortened, visible
from anls_frame.export import Table, terminal
from anls_frame.export.charts import Alignments, Figure, Sentences, Shares
from anls_frame.export.columns import COLUMNS, MARKS, Column, ends_of
from anls_frame.export.display import spelled, spelled_in
from anls_frame.export.document import Document, Selection, result_table
from anls_frame.frames import documents
from anls_frame.frames.checks import free_name
from anls_frame.protocol import PROTOCOLS
from anls_frame.results import View
from anls_frame.slices.slices_document import left_out_columns, sentences
from anls_frame.summary.causes import CAUSES

_CAUSES, _SLICES, _STEPS, _ROLES = (
    "What lowers the score",
    "Where it fails",
    "What to do first",
    "What was taken for what",
)
"""The names of the tables."""
TOLD = {_SLICES, _STEPS, _ROLES}
"""Those whose content a terminal has in sentences."""
_COLORS = {**ERROR_COLORS, "wrapped": PALETTE[4], "form": ERROR_COLORS["whitespace"], **PAGE_COLORS}
_NO_SLICE = "no slice is worse than the rest beyond chance"
_SELECTED = (
    "The intervals of found slices are wider than others, because the slices were selected for looking bad."
)
_ONE_COLUMN = "There are too many rows for slices of two columns: those of one were searched."
_LABELS = Message(
    "The answers are labels, some of them similar, so each prediction is scored as right or wrong. Pass ",
    for_readers('metrics="exact_match"', "--metric exact_match"),
    " to `report` and `compare` for the same score: their ANLS gives partial credit for similar labels.",
)
_NOT_SEARCHED = f"Under “{_SLICES}”, not searched"
_NO_STEP = "Nothing stands out: the data support no single step that would gain much."
_LONGEST = 32
"""Characters of an example."""
_FOLDED = 4
"""With at least this many rows, a table has a picture of its intervals above it."""
_NAMED = 3
"""Columns and slices that a line names."""


def _holds(cause: str) -> Selection:
    return lambda column, _: column.list.contains(cause)


class OverviewView(View):
    """An overview with the options of `write`."""

    def __post_init__(self) -> None:
        super().__post_init__()
        result, metric = self.result, self.metrics[0]
        self.causes: pl.DataFrame = result.cause_frame
        self.are_pages = not metric.higher_is_better and bool(self.causes.width)
        self.cause_name = "Kinds of errors" if self.are_pages else _CAUSES
        # Steps are looked for, for error rates without causes by few rules.
        self.has_steps = bool(self.causes.width or result.step_frame.height)
        self.report_view: Any = result.report.view(result=result.report, percent=self.percent)
        self.report_view.told = [*result.step_frame["rule"]] if result.step_frame.width else []
        self.found: Any = result.found
        self.slices: list[str] = []
        """A sentence for each found slice, or that there is none."""
        are_labels = "metrics" in result.roles.found and metric.name == "exact_match"
        self.own_notes: list[str] = [_LABELS] if are_labels else []
        """Notes that a terminal shows, too."""
        if self.found is not None:
            self.slices = sentences(self.found, percent=self.percent) or [_NO_SLICE]
            self.own_notes += left_out_columns(self.found, _NOT_SEARCHED)
            self.own_notes += [_SELECTED] if self.found.table.height else []
            self.own_notes += [_ONE_COLUMN] if self.found.settings["depth"] == 1 else []

    @property
    def title(self) -> str:
        """Which systems it is about."""
        systems = list(self.result.roles.systems)[:_NAMED]
        return f"Overview of {' and '.join(systems)}" if systems else "Overview"

    def frame(self) -> pl.DataFrame:
        """Return the causes, or the report of a score without causes."""
        return self.causes if self.causes.width else self.report_view.frame()

    def head(self) -> str:
        """Return the score, with its interval, rows and documents, and that of other systems."""
        result, metric = self.result, self.metrics[0]
        overall = result.report.overall
        said = f"{metric.label} {spelled_in(overall, metric.name, self.kind(metric))}"
        said += f" over {numbered(overall['n'], self.names['row'])}"
        if overall["n_clusters"] is not None:
            said += f" of {numbered(overall['n_clusters'], documents.noun(result.roles.cluster))}"
        said = self.report_view.head() if self.are_pages else f"{said}."
        if result.comparison is None:
            return said
        best = result.comparison.ranked["system"][0]
        compared = result.comparison.to_document(percent=self.percent).head
        return f"{compared} Below, the best one, {best}: {said}"

    def lines(self) -> tuple[str, str]:
        """Return what became of the rows, and what the columns were taken for."""
        told = "; ".join(f"{role}: {column}" for role, column, _ in self._roles())
        return self.result.account.sentence, f"{told[0].upper()}{told[1:]}."

    def _roles(self) -> list[tuple[str, str, str]]:
        """Return the roles, their columns, and the options that change them."""
        roles, none = self.result.roles, "none"
        by = f"{len(roles.by)} columns" if len(roles.by) > _NAMED else ", ".join(roles.by) or none
        score = roles.metrics if isinstance(roles.metrics, str) else None
        columns = (
            ("prediction", "prediction", ", ".join(roles.systems.values())),
            ("answers", "answers", roles.answers),
            ("score", "metrics", score),
            (f"{documents.noun(roles.cluster)}s", "cluster", roles.cluster or none),
            ("confidence", "model_confidence", roles.model_confidence),
            ("slices", "by", by),
        )
        told = []
        for role, option, column in columns:
            found = (" found" if column == none else ", found") if option in roles.found else ""
            told += [(role, f"{column}{found}", f"{option}=")] if column else []
        return told

    def document_tables(self) -> list[Table]:
        """Return the causes, slices and steps, the slices of each column, and the roles."""
        result = self.result
        tables = [self._causes()] if self.causes.width else []
        if self.found is not None:
            found = self.found.view(result=self.found, percent=self.percent).document_tables()[0]
            tables.append(replace(found, name=_SLICES))
        if self.has_steps:
            shown = ("step", "gain", *ends_of("gain"), "n", "call")
            tables.append(result_table(_STEPS, result.step_frame, shown=shown))
        for table in self.report_view.document_tables():
            if table.has_slices:
                shown_table = table.showing(["n", *self.metrics[0].ends])
                tables.append(replace(shown_table, is_folded=table.frame.height > _FOLDED))
        roles = pl.DataFrame(self._roles(), ["role", "column", "option"], orient="row")
        return [*tables, result_table(_ROLES, roles)]

    def _causes(self) -> Table:
        """Return the causes with examples or, of several systems, their losses side by side."""
        table = self.causes
        columns: dict[str, Column] = {}
        losses: dict[str, pl.Expr] = {}
        if "system" in table.columns:
            for system in self.result.roles.systems:
                # A column with the name of a mark is never shown.
                name = free_name(system, {"cause", *MARKS, *losses})
                losses[name] = pl.col("loss").filter(pl.col("system") == system).sum().alias(name)
                columns[name] = Column(name, "by how much it loses by the cause", "score", system)
            table = table.group_by("cause", maintain_order=True).agg(losses.values())
            lost = pl.sum_horizontal(cs.by_name(*losses))
            table = table.sort(lost, descending=True, maintain_order=True)
        elif not self.are_pages and (examples := self._examples()):
            example = pl.col("cause").cast(pl.String).replace_strict(examples, default="")
            table = table.with_columns(example=example)
        heading, effect = "lowers the score by", COLUMNS["loss"].meaning
        if self.are_pages:
            heading, effect = "adds to the rate", "by how much this raises the error rate of all pages"
        told = [f"{cause}, {CAUSES[cause]}" for cause in table["cause"] if cause in CAUSES]
        meaning = f"why the rows score less than 1: {'; '.join(told)}" if told else "the kind of error"
        columns["cause"] = Column("cause", meaning)
        if not losses:
            columns["loss"] = replace(COLUMNS["loss"], meaning=effect, heading=heading, kind="score")
        options: dict[str, Any] = {"names": self.names, "bars": [*losses], "percent": self.percent}
        made = result_table(
            self.cause_name, table.with_columns(pl.col("cause").cast(pl.String)), (), columns, **options
        )
        # On a page of rows, a cause is a label of each row.
        label = self.result.row_causes.name
        return replace(made, selections=[{label: _holds(cause)} for cause in table["cause"]])

    def _examples(self) -> dict[str, str]:
        """Return two rows of each cause in a few words."""
        found: dict[str, list[str]] = {}
        for row in self.result.worst_rows.iter_rows(named=True):
            texts = row["prediction"], row["nearest"]
            said = ("nothing" if one is None else f"“{shortened(visible(one), _LONGEST)}”" for one in texts)
            found.setdefault(row["cause"], []).append(" for ".join(said))
        examples = {cause: "; ".join(list(dict.fromkeys(rows))[:2]) for cause, rows in found.items()}
        misread = [
            f"{row['reference_char']!r} as {row['predicted_char']!r} {numbered(row['count'], 'time')}"
            for row in self.result.confusions.iter_rows(named=True)
        ]
        if "near" in examples and misread:
            examples["near"] += f" (most often: {', '.join(misread)})"
        return examples

    def notes(self) -> list[str]:
        """Return notes on rows, and on what the figures mean."""
        level = level_text(self.result.report.confidence)
        told = f"Figures in brackets are {level} confidence intervals, the range of plausible true figures."
        notes = [told, *self.own_notes, *self.report_view.notes()]
        if self.causes.width and not self.are_pages:
            notes.append(
                "Every loss has one cause: texts are unwrapped first, and the rest has the type of the "
                f"unwrapped text. All causes add up to 1 minus the {self.metrics[0].label}."
            )
        return [*notes, f"The call with all columns: {self.result.code}"]

    def drawn(self) -> list[Figure]:
        """Return the bar of causes, the sentences, and the worst rows of each cause."""
        result, name, kind = self.result, self.cause_name, self.kind(self.metrics[0])
        figures: list[Figure] = []
        if self.causes.height and "system" not in self.causes.columns:
            rows = self.causes.select("cause", "share_of_loss").iter_rows()
            parts = [(cause, share, _COLORS[cause]) for cause, share in rows]
            whole = "that are wrong" if self.are_pages else "that the score lacks"
            caption = f"Per cent of the {spelled(self.causes['loss'].sum(), (), kind)} {whole}"
            figures.append(Shares(name, name, parts, caption))
        if self.slices:
            lines = [(line, "") for line in self.slices]
            figures.append(Sentences(_SLICES, _SLICES, lines, is_whole=self.slices == [_NO_SLICE]))
        if self.has_steps:
            lines = result.step_frame.select("step", "call").rows() or [(_NO_STEP, "")]
            figures.append(Sentences(_STEPS, _STEPS, lines, is_numbered=len(lines) > 1))
        return [*figures, *([self._alignments()] if result.worst_rows.height else [])]

    def _alignments(self) -> Alignments:
        pairs = []
        kind = self.kind(self.metrics[0])
        for row in self.result.worst_rows.drop_nulls(["prediction", "nearest"]).iter_rows(named=True):
            named = f", {self.names['row']} {row['id']}" if row.get("id") is not None else ""
            title = f"{row['cause']}{named}: loses {spelled(row['lost'], (), kind)}"
            pairs.append((title, row["prediction"], row["nearest"]))
        name = f"{self.names['row'].capitalize()}s: the worst of each cause"
        unit = self.result.report.summary.settings.protocol.unit
        return Alignments(name, pairs, PROTOCOLS["raw"].by(unit), self.cause_name)

    def document(self) -> Document:
        """Return the document for export, with the rows and the columns below its head."""
        made = super().document()
        return replace(made, head=Message.joined("\n", (made.head, *self.lines())))

    def text(self, title: str, tables: Sequence[Table]) -> str:
        """Return what a terminal shows: score, columns, tables, slices and steps."""
        account, roles = self.lines()
        lines = [title, Message(self.head(), " ", account), roles]
        notes = [f"{_SLICES}:"] if self.slices else []
        notes += [f"- {line}." for line in self.slices[:_NAMED]]
        if len(self.slices) > _NAMED:
            notes.append(f"- and {len(self.slices) - _NAMED} more in a file")
        notes += self.own_notes + self.report_view.notes_on_zeros()
        if "cluster" in self.result.roles.found:
            notes += documents.note(self.result.report.summary.forgotten_documents)
        if self.has_steps:
            steps = [f"{index}. {step}" for index, step in enumerate(self.result.step_frame["step"], 1)]
            notes += [f"{_STEPS}:", *(steps or [_NO_STEP])]
        notes.append(self.result.signature)
        above, below = map(terminal.plain, lines), map(terminal.plain, notes)
        filled = [table for table in tables if table.frame.height]
        return "\n".join([*above, *([terminal.rendered(filled)] if filled else []), *below])
