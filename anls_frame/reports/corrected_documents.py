"""Corrected scores as sentences, as documents for export, and as short tables for a screen."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, ClassVar

import polars as pl
import polars.selectors as cs

from anls_frame._messages import Message, Option, for_readers
from anls_frame._text import numbered
from anls_frame.export import Table
from anls_frame.export.columns import COLUMNS, CORRECTED, FEW, by_name, ends_of
from anls_frame.export.display import figure, spelled, spelled_in
from anls_frame.export.document import GROUP, OVERALL, SLICE, MarkNote, result_table
from anls_frame.export.kinds import shown_as
from anls_frame.results import View

_AGREED = {
    "agreement": "agreement",
    "kappa": "kappa",
    "sensitivity": "right answers passed",
    "specificity": "wrong answers caught",
}
"""Measures of agreement, and their names in a sentence."""
_IN_NAME = ("system", "baseline")
_KNOWN = COLUMNS | by_name(CORRECTED)


class CorrectedView(View):
    """The tables of corrected scores, then those of differences, each with the lines of all rows first."""

    title: ClassVar[str] = "Corrected scores"
    flat_name: ClassVar[str] = title

    @cached_property
    def tables(self) -> list[tuple[tuple[str, ...], pl.DataFrame]]:
        """The tables with their keys."""
        return [*self.result.sliced_tables(), *self.result.sliced_tables(self.result.differences_by)]

    @cached_property
    def lines(self) -> pl.DataFrame:
        """The lines of all tables."""
        return pl.concat((frame for _, frame in self.tables), how="diagonal")

    def frame(self) -> pl.DataFrame:
        """Return the corrected scores of a single system, or the differences to the baseline."""
        result, is_single = self.result, len(self.result.systems) == 1
        return pl.DataFrame(result.to_polars() if is_single else result.flat(result.differences_by))

    def document_tables(self) -> list[Table]:
        """Return a table for each system, and for each difference to the baseline, by the keys of slices."""
        tables = []
        for columns, frame in self.tables:
            for name in frame["system"].unique(maintain_order=True):
                own = frame.filter(pl.col("system") == name)
                against = f" against {own['baseline'][0]}" if "baseline" in own.columns else ""
                by = f" by {' and '.join(columns)}" if columns else ""
                table = result_table(f"{name}{against}{by}", own, columns, known=_KNOWN, percent=self.percent)
                # The name of the table has the systems; agreement with graded scores has no figure.
                tables.append(
                    table.showing(
                        name for name in table.headings if name not in _IN_NAME and own[name].count() > 0
                    )
                )
        return tables

    def notes(self) -> list[str]:
        """Return the result of all rows in sentences, and notes on the figures."""
        said = []
        # All tables of a kind begin with the same lines of all rows.
        for frame in (frame for columns, frame in self.tables if columns == self.tables[0][0]):
            for line in frame.filter(pl.col(SLICE) == OVERALL).iter_rows(named=True):
                said += [sentence(line, percent=self.percent), *agreement_of(line, percent=self.percent)]
        figures = cs.by_name("corrected", "difference", require_all=False)
        if self.lines.select(pl.coalesce(figures).null_count()).item():
            said.append(
                "No figure is given below 30 verdicts or 10 documents with verdicts (in a slice, 10 or 5), "
                "or if a stratum of the drawn rows has no verdict."
            )
        if self.settings["cluster"] is None:
            independent = "Rows are treated as independent: if several are about one document, "
            column = for_readers(str(Option("cluster")), "-c of `audit` or `corrected`")
            said.append(Message(independent, "name the documents with ", column, "."))
        # On a screen, agreement is in the sentence on all rows alone.
        return [*said, *_slices_without_verdicts(self), *self._few(pl.col(SLICE) == OVERALL)]

    def document_notes(self) -> list[str]:
        """Return the notes of a screen, and that on marks which only documents show."""
        return list(dict.fromkeys([*self.all_notes(), *self._few(pl.lit(value=True))]))

    def _few(self, of_agreement: pl.Expr) -> list[str]:
        """Return the note on marked figures, if there are any; of agreement, in some lines alone."""
        agreed = pl.any_horizontal(f"{name}_few_rows" for name in _AGREED) & of_agreement
        units = "rows" if self.settings["cluster"] is None else "documents"
        meaning = f"few {units} carry the figure: treat its interval as rough."
        is_marked = self.lines.select(pl.any_horizontal("few_rows", "bias_few_rows", agreed).any()).item()
        return [MarkNote(f"{FEW} {meaning}")] if is_marked else []

    def head(self) -> str:
        """Return the result of all rows, of the first system."""
        return self.notes()[0]

    def on_screen(self, chosen: Callable[[Sequence[Table]], Sequence[Table]]) -> list[Table]:
        """Return the chosen tables for a screen, each with its own name."""
        first, *others = super().on_screen(chosen)
        return [replace(first, name=chosen(self.screen_tables())[0].name), *others]


def _slices_without_verdicts(view: CorrectedView) -> list[str]:
    """Return a note on slices in which nobody judged a row, so that all rows are used for them."""
    said = []
    for columns, frame in view.result.sliced_tables():
        slices = frame.filter(pl.col(SLICE) == GROUP, system=next(iter(view.result.systems)))
        without = slices.filter(pl.col("n_audited") == 0)
        if columns and without.height:
            rows = numbered(int(without["n"].sum()), "row")
            said.append(
                f"No verdict in {without.height:,} of {numbered(slices.height, 'slice')} by "
                f"{' and '.join(columns)}, with {rows}: the figure of all rows takes them to be like others."
            )
    return said


def sentence(line: Mapping[str, Any], *, percent: bool = False) -> str:
    """Return the result of a line in a sentence."""
    is_difference = "difference" in line
    name, given = ("difference", "given_difference") if is_difference else ("corrected", "score")
    kind = shown_as("difference" if is_difference else "score", percent=percent)
    what = f"{line['system']} against {line['baseline']}" if is_difference else line["system"]
    verdicts, scores = numbered(line["n_audited"], "verdict"), numbered(line["n"], "score")
    alone = f"The scores alone give {spelled(line[given], (), kind)}"
    if line[name] is None:
        return f"{what}: no figure from {verdicts} and {scores}. {alone}."
    text = spelled_in(line, name, kind)
    worth = numbered(line["equivalent_verdicts"], "verdict")
    bias = share = ""
    if not is_difference and line["bias"] is None:
        bias = ", on another scale than the verdicts, which are 0 or 1; so they have no bias"
    elif not is_difference:
        side, sign = ("low", -1) if line["bias"] < 0 else ("high", 1)
        low, high = sorted(sign * line[end] for end in ends_of("bias"))
        ends = ", ".join(figure(end, kind) for end in (low, high))
        bias = f", {spelled(abs(line['bias']), (), kind)} too {side} [{ends}]"
        if low <= 0 <= high:
            # An interval with both signs claims no direction.
            shift = spelled_in(line, "bias", shown_as("difference", percent=percent))
            bias = f"; they may be right: bias {shift}"
    if not is_difference:
        removable = round(100 * line["audit_share"])
        share = f" More verdicts can remove {removable} % of the remaining variance"
        if removable < 100:  # noqa: PLR2004 - percent
            unit = "row" if line.get("n_clusters") is None else "document"
            share += f"; the rest needs more {unit}s"
        share += "."
    return (
        f"{what}: {text} from {verdicts} and {scores}. {alone}{bias}. "
        f"The interval is as precise as that of {worth} alone.{share}"
    )


def agreement_of(line: Mapping[str, Any], *, percent: bool = False) -> list[str]:
    """Return how well scores and verdicts of 0 and 1 agree, as a sentence; none for other scores."""
    if line.get("right_share") is None:
        return []
    kind = shown_as("score", percent=percent)
    texts = {}
    for name, words in _AGREED.items():
        mark = FEW if line[f"{name}_few_rows"] else ""
        texts[name] = f"{words} {spelled_in(line, name, kind)}{mark}"
    # Kappa falls with the rarer kind, however good the judge is.
    texts["kappa"] += f" where {spelled(line['right_share'], (), kind)} of the judged are right"
    return [f"{line['system']} and verdicts: {', '.join(texts.values())}."]
