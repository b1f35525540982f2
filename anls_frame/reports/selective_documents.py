"""Figures of confidences as documents for export and as tables for a screen."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import exact, label, level_text, numbered
from anls_frame.export import Document, Kind, Table
from anls_frame.export.columns import COLUMNS, SELECTIVE, by_name
from anls_frame.export.display import spelled, spelled_in
from anls_frame.export.document import SLICE, result_table
from anls_frame.export.kinds import shown_as
from anls_frame.frames import documents as documents_of_rows
from anls_frame.reports.decisions import in_percent, resting_on, rounded_up
from anls_frame.reports.report_documents import adjusted_together, few_note
from anls_frame.results import View
from anls_frame.summary.catalogue import column_of

if TYPE_CHECKING:
    from anls_frame.export.charts import Figure

_AUGRC = (
    "AUGRC: the loss of accepted answers as a share of all answers, averaged over all thresholds; lower "
    "is better; a random order gives half the mean loss."
)
_KNOWN = COLUMNS | by_name(SELECTIVE)
_POINTS = 200
"""Points of a curve."""


class SelectiveView(View):
    """The tables of confidences, with the lines of all rows first."""

    def __post_init__(self) -> None:
        super().__post_init__()
        n_signals = len(self.settings["signals"])
        # A single confidence has no difference, and to look for it takes as long as its other figures.
        self.differences = pl.DataFrame() if n_signals == 1 else self.result.flat(self.result.differences_by)
        self.alone: set[str] = set()
        if n_signals > 2:  # noqa: PLR2004 - two confidences have one difference
            parts = map(adjusted_together, self.differences.partition_by(SLICE, maintain_order=True))
            frames, (self.alone, *_) = zip(*parts, strict=True)
            self.differences = pl.concat(frames)

    def table(self, name: str, frame: pl.DataFrame, by: Sequence[str]) -> Table:
        """Return a table with display names."""
        (metric,) = self.metrics
        own = {"score": column_of(metric, metric.label)}
        table = result_table(name, frame, by, own, known=_KNOWN, percent=self.percent)
        # A single confidence is in the title.
        hidden = {"signal"} if len(self.settings["signals"]) == 1 else set()
        return table.showing(name for name in table.headings if name not in hidden)

    @property
    def title(self) -> str:
        """The confidences, the metric and the slices."""
        by = ", by ".join(" and ".join(keys) for keys, _ in self.result.sliced_tables() if keys)
        signals = self.settings["signals"]
        what = f"Risk by {signals[0]}" if len(signals) == 1 else f"Risk by {len(signals)} confidences"
        return f"{what} ({self.metrics[0].label}){f', by {by}' if by else ''}"

    @property
    def slices(self) -> list[Table]:
        """The figures of slices."""
        return [
            self.table(f"By {' and '.join(keys)}" if keys else "All rows", table, keys)
            for keys, table in self.result.sliced_tables()
        ]

    def document_tables(self) -> list[Table]:
        """Return the slices, and differences between confidences."""
        if self.differences.is_empty():
            return self.slices
        table = self.table("Differences in AUGRC", self.differences, self.settings["by"])
        return [*self.slices, table.showing(name for name in table.headings if name not in self.alone)]

    def drawn(self) -> list[Figure]:
        """Return the risk over the share of accepted answers, in all rows."""
        from anls_frame.export.charts import Curves  # noqa: PLC0415 - not for a screen

        curve = self.result.curve_by([], _POINTS).group_by("signal", maintain_order=True)
        lines = {name: part.select("coverage", "risk").rows() for (name,), part in curve}
        caption = "Mean loss of the accepted answers (side) over their share of all, the most confident first"
        return [Curves("Risk and coverage", lines, caption)]

    def screen_tables(self) -> list[Table]:
        """Return the slices."""
        return [table.on_screen() for table in self.slices]

    def notes(self) -> list[str]:
        """Return notes on what the figures mean and on the rows they come from."""
        notes = [_AUGRC]
        for line in self.differences.head(len(self.settings["signals"]) - 1).iter_rows(named=True):
            kind: Kind = "points" if self.percent else "difference"
            change = f"AUGRC of {line['signal']} minus {line['baseline']}: "
            if self.alone:
                p_value = spelled(line["p_adjusted"], [], "p_value")
                notes.append(f"{change}{spelled(line['difference'], [], kind)}, p, adjusted {p_value}.")
            else:
                p_value = spelled(line["p_value"], [], "p_value")
                notes.append(f"{change}{spelled_in(line, 'difference', kind)}, p {p_value}.")
        if self.settings["cluster"] is not None:
            n_documents = self.whole["n_clusters"][0]
            counted = documents_of_rows.counted(n_documents, self.settings["cluster"])
            notes.append(f"Intervals allow for {counted}.")
        notes += documents_of_rows.note(self.settings["forgotten_documents"])
        return notes + few_note(self.whole)

    def head(self) -> str:
        """Return the AUGRC of each confidence in all rows."""
        kind = shown_as("score", percent=self.percent)
        heads = [
            f"{line['signal']}: AUGRC {spelled_in(line, 'augrc', kind)}"
            for line in self.whole.head(len(self.settings["signals"])).iter_rows(named=True)
        ]
        return f"{'; '.join(heads)} on {numbered(self.whole['n'][0], 'row')}"


def with_thresholds(
    document: Document,
    by: Sequence[Sequence[str]],
    tables: Sequence[pl.DataFrame],
    said: Sequence[str],
    risk: float,
) -> Document:
    """Return a document with certified thresholds, as tables, sentences and marks in the curve."""
    from anls_frame.export.charts import Curves  # noqa: PLC0415 - not for a screen

    name = f"Thresholds for a risk of {in_percent(risk)}"
    names = (f"{name} by {' and '.join(keys)}" if keys else name for keys in by)
    added = [
        result_table(name, table, keys, known=_KNOWN)
        for name, table, keys in zip(names, tables, by, strict=True)
    ]
    marks = tables[0].filter(status="certified").select("accepted", "risk").rows()
    figures = [
        replace(figure, target=risk, marks=marks) if isinstance(figure, Curves) else figure
        for figure in document.figures
    ]
    shown, notes = [*document.tables, *added], [*said, *document.notes]
    return replace(document, tables=shown, figures=figures, notes=notes, head=said[0])


def statements(
    thresholds: pl.DataFrame, risk: float, confidence: float, bound: str, *, are_partial: bool
) -> list[str]:
    """
    Return a sentence for each row of `Selective.threshold`; scores that `are_partial` have a mean loss.

    `bound` is "at least" or "at most", whichever confidences the thresholds accept.
    """
    keys = thresholds.columns[: thresholds.columns.index("threshold")]
    named = [name for name in keys if name != "signal" or thresholds["signal"].n_unique() > 1]
    return [
        "".join(f"{label(line[name])}: " for name in named)
        + _statement(line, risk, confidence, bound, are_partial=are_partial)
        for line in thresholds.iter_rows(named=True)
    ]


def _statement(
    line: Mapping[str, Any], risk: float, confidence: float, bound: str, *, are_partial: bool
) -> str:
    target = in_percent(risk)
    alike = line["correlation"]
    units = "rows" if alike is None else "documents"
    if line["status"] == "too_few_documents" and line["documents_needed"] is None:
        return (
            f"Too few {units} for a risk of {target}: the most confident answers have a higher one here, "
            "but their true risk may be lower."
        )
    if line["status"] == "too_few_documents":
        needed = f"{rounded_up(line['documents_needed']):,} {units}"
        assumed = "" if alike is None else f", and the losses of a document correlate by {alike:.2g}"
        return (
            f"Too few {units} for a risk of {target}; about {needed} would do if confident answers are as "
            f"good as here{assumed}."
        )
    if line["status"] == "risk_too_high":
        return f"No threshold can be certified for a risk of {target}: the most confident have a higher one."
    rough = f" T{resting_on(alike)[1:]}." if line["few_rows"] else ""
    found = in_percent(line["risk"])
    claim, here = f"at most {target} of these answers are wrong", f"{found} of them were wrong here"
    if are_partial:
        claim = f"the mean loss of these answers is at most {target}"
        here = f"their mean loss was {found} here"
    return (
        f"Accept a confidence of {bound} {exact(line['threshold'])}: {claim}, with {level_text(confidence)} "
        f"confidence. They are {in_percent(line['accepted'])} of all answers; {here}.{rough} The lowest "
        f"threshold whose observed risk is at most {target} would accept "
        f"{in_percent(line['naive_accepted'])}, without a guarantee."
    )
