"""Found slices as text and as documents: sentences, a table, and notes on the search."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl

from anls_frame._text import level_text, listed, numbered
from anls_frame.export.columns import COLUMNS, FOUND, by_name, headed, heading_of
from anls_frame.export.display import spelled, spelled_in
from anls_frame.export.document import Table, result_table
from anls_frame.export.kinds import difference_kind, shown_as
from anls_frame.frames import documents
from anls_frame.reports.report_documents import few_note
from anls_frame.results import FoundSlices, View

ONE_VALUE = "all its values are equal"
"""The reason for which a column is left out that nobody would miss."""
_NAMED = 10
"""Number of columns and overlapping slices to name."""
_NAMED_SYSTEMS = 3
_KNOWN = COLUMNS | by_name(FOUND)
_PAIR = 2
"""With this number of systems, the title names the only one that can have lost."""


def confidence_of_chosen(confidence: float, chosen: int, looked_at: int) -> float:
    """
    Return the confidence level of the intervals of slices selected for being bad.

    At this level, the expected share of selected intervals that miss the true value is at most 1 minus
    `confidence` (Benjamini and Yekutieli 2005).
    """
    return 1 - (1 - confidence) * min(chosen / looked_at, 1.0) if looked_at else confidence


def sentence(line: Mapping[str, Any], slices: FoundSlices, *, percent: bool = False) -> str:
    """Return a line of the table as a sentence."""
    metric = next(metric for metric in slices.metrics if metric.name == line["metric"])
    kind = shown_as(metric.format, percent=percent)
    is_change = bool(slices.systems)
    told = [line["system"]] if len(slices.systems) > _PAIR else []
    told += [metric.label] if len(slices.metrics) > 1 else []
    label = f" ({', '.join(told)})" if told else ""
    name = "change" if is_change else "score"
    shown = spelled_in(line, name, difference_kind(kind) if is_change else kind)
    parts = [f"{line['description']}{label}: {shown}"]
    difference = line["difference"]
    if difference is not None and line["rest"] is not None:
        if is_change:
            parts.append(f"the rest {spelled(line['rest'], (), difference_kind(kind))}")
        else:
            side = "below" if difference < 0 else "above"
            shown = spelled(abs(difference), (), difference_kind(kind)).removeprefix("+")
            parts.append(f"{shown} {side} the rest")
    names = slices.row_names
    shares = [
        f"{spelled(line[column], (), 'share')} {heading_of(column, names, _KNOWN)}"
        for column in ("share_of_rows", "share_of_loss")
        if line[column] is not None
    ]
    return f"{', '.join(parts)}; {', '.join(shares)}"


def left_out_columns(slices: Any, what: str = "Left out") -> list[str]:
    """Return which columns were not searched for slices, and why, if there are any."""
    left_out = {name: reason for name, reason in slices.left_out.items() if reason != ONE_VALUE}
    names = [f"{name} ({reason})" for name, reason in list(left_out.items())[:_NAMED]]
    more = len(left_out) - len(names)
    return [f"{what}: {'; '.join(names)}{f'; and {more:,} more' if more else ''}."] if names else []


def sentences(slices: FoundSlices, *, percent: bool = False) -> list[str]:
    """Return a sentence for each slice."""
    return [sentence(line, slices, percent=percent) for line in slices.table.iter_rows(named=True)]


class SlicesView(View):
    """Found slices, with the conditions that select the rows of each."""

    def frame(self) -> pl.DataFrame:
        """Return the slices, one row each, with the names of those that they overlap with as text."""
        slices: pl.DataFrame = self.result.table
        return slices.with_columns(pl.col("overlapping").list.join("; "))

    @property
    def title(self) -> str:
        """What the slices are."""
        slices = self.result
        metrics = ", ".join(metric.label for metric in slices.metrics)
        if slices.systems:
            baseline, *others = slices.systems
            what = f"Where {listed(others, _NAMED_SYSTEMS)} lost against {baseline}"
        else:
            what = "Slices that are worse than the rest"
        none = "" if slices.table.height else ": none found"
        return f"{what} ({metrics}){none}"

    def document_tables(self) -> list[Table]:
        """Return the slices, and those that they overlap with."""
        conditions = [{part.column: part.expression for part in every} for every in self.result.conditions]
        table = replace(self._table(), selections=conditions)
        pairs = self.result.table.select(
            "description", pl.col("overlapping").list.head(_NAMED), more=pl.col("overlapping").list.len()
        ).explode("overlapping", empty_as_null=False)
        pairs = pairs.with_columns((pl.col("more").cast(pl.Int64) - _NAMED).clip(0))
        if pairs.is_empty():
            return [table]
        return [table, result_table("Overlapping slices", pairs, known=_KNOWN, names=self.names)]

    def screen_tables(self) -> list[Table]:
        """Return the slices."""
        return [self._table().on_screen()]

    def notes(self) -> list[str]:
        """Return notes on the extent and method of the search, and on the meaning of the figures."""
        slices, row = self.result, self.names["row"]
        depth = numbered(slices.settings["depth"], "condition")
        looked = f"{numbered(slices.n_slices, 'slice')} of up to {depth}"
        metrics = f" in {numbered(len(slices.metrics), 'metric')}" if len(slices.metrics) > 1 else ""
        metrics += f" for {len(slices.systems) - 1:,} systems" if len(slices.systems) > _PAIR else ""
        cluster = slices.settings["cluster"]
        document = documents.noun(cluster)
        units = f"{row}s" if cluster is None else f"{document}s"
        level = f"{100 * (1 - slices.confidence):.3g} %"
        alpha = f"{1 - slices.confidence:.3g}"
        if not slices.n_slices:
            rows, least = (slices.settings[name] for name in ("min_rows", "min_clusters"))
            of = "" if cluster is None else f" in {numbered(least, document)}"
            said = [f"No slice was searched: none has at least {numbered(rows, row)}{of}."]
        elif slices.holdout:
            share = f"{100 * (1 - slices.holdout):.3g} % of the {units}"
            tested = numbered(slices.n_tests, "slice")
            searched = f"Searched {looked}{metrics} on {share}."
            none = f"if none is worse than the rest, p ≤ {alpha} in at most {level}."
            said = [
                f"{searched} Tested {tested} on the others, which give the figures.",
                f"p is adjusted for these tests: {none}",
            ]
            if without := slices.table["p_adjusted"].null_count():
                said.append(
                    f"No p for {numbered(without, 'slice')}: there, too few {units} are in the slice, in its "
                    f"rest or outside the slices found before it; or its {row}s differ in one direction, and "
                    f"its {document}s, each counted once, in the other."
                )
        else:
            said = [f"Searched {looked}{metrics}; p is adjusted for all of them."]
            if slices.table.height:
                chosen, confidence = slices.table.height, slices.confidence
                each = confidence_of_chosen(confidence, chosen, slices.n_tests)
                said.append(f"If nothing were wrong, such a list would appear in about {level} of cases.")
                said.append(
                    "These slices were selected for looking bad, so their figures are too bad on average; "
                    f"a holdout of 0.5 estimates them on other {units}."
                )
                said.append(
                    f"Each interval has {level_text(each)} confidence, so that {level_text(confidence)} of "
                    "the intervals of selected slices contain the true value."
                )
        said += left_out_columns(slices)
        said += documents.note(slices.settings["forgotten_documents"], row)
        return [*said, *few_note(slices.table, f"{row}s")] if slices.table.height else said

    def head(self) -> str:
        """Return the number of slices, and the worst of them."""
        lines = sentences(self.result, percent=self.percent)
        searched = f"{len(lines)} of {self.result.n_slices:,} slices searched"
        return f"{searched}. The worst: {lines[0]}." if lines else ""

    def _table(self) -> Table:
        """Return the table of the slices, without columns that say nothing of them."""
        slices = self.result
        frame = slices.table.drop("overlapping")
        is_single = len(self.metrics) == 1
        hidden = {"few_rows", *(["system"] if len(slices.systems) <= _PAIR else [])}
        hidden |= {"share_of_loss"} if not frame["share_of_loss"].count() else set()
        known = headed(_KNOWN, {"score": self.metrics[0].label} if is_single else {})
        own = {"rest": replace(known["rest"], kind="difference")} if slices.systems else {}
        return result_table(
            "Slices",
            frame,
            (),
            own,
            known=known,
            shown=[name for name in frame.columns if name not in hidden],
            names=self.names,
            percent=self.percent,
            bold=(),
            metrics=self.terms,
        )
