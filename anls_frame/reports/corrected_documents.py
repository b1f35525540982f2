"""Corrected scores as sentences, as documents for export, and as short tables for a screen."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from anls_frame._text import numbered
from anls_frame.export import Document, Table
from anls_frame.export.column_headings import headings
from anls_frame.export.display import figure, glances, shown_as, spelled
from anls_frame.export.document import FEW, OVERALL, SLICE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anls_frame.export import Kind
    from anls_frame.export.display import Glance

_COUNTS = ("n", "n_clusters", "n_audited", "n_clusters_audited", "verdicts_worth")
_SCORES = ("score", "corrected", "corrected_low", "corrected_high", "audit_low", "audit_high")
_DIFFERENCES = ("bias", "given_difference", "difference")
_SHOWN = ("n", "n_audited", "score", "corrected", "bias", "given_difference", "difference", "p_adjusted")
"""The columns that people read on a screen; of the last ones, with their intervals."""
_WITH_INTERVAL = ("corrected", "bias", "difference")
_NAMES = {
    "n_audited": "judged",
    "n_clusters_audited": "documents judged",
    "verdicts_worth": "worth verdicts",
    "audit_low": "verdicts alone, low",
    "audit_high": "verdicts alone, high",
    "audit_share": "share of verdicts",
    "given_difference": "given difference",
}
"""Names of columns that only corrected scores have."""


class CorrectedView(NamedTuple):
    """The tables of corrected scores, each with the lines of all rows first."""

    scores: Sequence[tuple[tuple[str, ...], pl.DataFrame]]
    differences: Sequence[tuple[tuple[str, ...], pl.DataFrame]]
    flat: pl.DataFrame
    settings: Mapping[str, Any]
    signature: str
    percent: bool

    def kind(self, kind: Kind) -> Kind:
        """Return the display format of a kind of figure."""
        return shown_as(kind, percent=self.percent)


def corrected_document(view: CorrectedView) -> Document:
    """Return corrected scores as a document for export."""
    flat = Table("Corrected scores", view.flat, _kinds(view, view.flat, view.settings["by"]))
    said = notes(view)
    title, head = "Corrected scores", f"{said[0]}."
    return Document(title, _tables(view), view.settings, view.signature, said, flat=flat, head=head)


def corrected_glances(view: CorrectedView, most: int | None) -> list[Glance]:
    """Return the tables for a screen, with at most `most` rows."""
    tables = []
    for table in _tables(view):
        keys = [name for name in table.frame.columns if table.kind(name) == "key"]
        figures = [
            name
            for shown in _SHOWN
            for name in (shown, *((f"{shown}_low", f"{shown}_high") if shown in _WITH_INTERVAL else ()))
        ]
        columns = [name for name in (SLICE, *keys, *figures) if name in table.headings]
        tables.append(replace(table, headings={name: table.headings[name] for name in columns}))
    document = Document(tables[0].name, tables, {}, view.signature, notes(view))
    return glances(document, tables, most)


def _tables(view: CorrectedView) -> list[Table]:
    """Return a table for each system, and for each difference to the baseline, by the keys of slices."""
    tables = []
    for columns, frame in (*view.scores, *view.differences):
        for name in frame["system"].unique(maintain_order=True):
            own = frame.filter(pl.col("system") == name)
            against = f" against {own['baseline'][0]}" if "baseline" in own.columns else ""
            by = f" by {' and '.join(columns)}" if columns else ""
            # The name of the table has the systems.
            shown = [name for name in own.columns if name not in ("system", "baseline", "few_rows")]
            labels = _NAMES | {column: column for column in columns}
            kinds = _kinds(view, own, columns)
            tables.append(Table(f"{name}{against}{by}", own, kinds, headings=headings(shown, labels)))
    return tables


def _kinds(view: CorrectedView, frame: pl.DataFrame, by: Sequence[str]) -> dict[str, Kind]:
    differences = [f"{name}{end}" for name in _DIFFERENCES for end in ("", "_low", "_high")]
    kinds: dict[str, Kind] = {
        **dict.fromkeys(_COUNTS, "count"),
        **dict.fromkeys(_SCORES, "score"),
        **dict.fromkeys(differences, "difference"),
        **dict.fromkeys(("p_value", "p_adjusted"), "p_value"),
        **dict.fromkeys(by, "key"),
    }
    return {name: view.kind(kind) for name, kind in kinds.items() if name in frame.columns}


def notes(view: CorrectedView) -> list[str]:
    """Return the result of all rows in sentences, and notes on the figures."""
    tables = [frame for _, frame in (*view.scores, *view.differences)]
    lines = [line for frame in (view.scores[0][1], view.differences[0][1]) for line in overall(frame)]
    said = [sentence(line, percent=view.percent) for line in lines]
    figures = [frame.get_column(name, default=None) for frame in tables for name in _DIFFERENCES]
    if any(values is not None and values.null_count() for values in figures):
        said.append(
            "No figure is given below 30 verdicts or 10 documents with verdicts (in a slice, 10 or 5), or "
            "where a stratum of the draw has no verdict."
        )
    if any(frame["few_rows"].any() for frame in tables):
        said.append(f"{FEW} few rows: verdicts rest on few documents; treat the interval as rough.")
    if view.settings["cluster"] is None:
        said.append(
            "Without cluster=, rows are treated as independent; name their documents if they have any."
        )
    return said


def overall(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Return the lines of all rows."""
    return frame.filter(pl.col(SLICE) == OVERALL).iter_rows(named=True)


def sentence(line: Mapping[str, Any], *, percent: bool = False) -> str:
    """Return the result of a line in a sentence."""
    is_difference = "difference" in line
    name, given = ("difference", "given_difference") if is_difference else ("corrected", "score")
    kind = shown_as("difference" if is_difference else "score", percent=percent)
    what = f"{line['system']} against {line['baseline']}" if is_difference else line["system"]
    verdicts, rows = numbered(line["n_audited"], "verdict"), numbered(line["n"], "row")
    if line[name] is None:
        alone = spelled(line[given], (), kind)
        return f"{what}: no figure from {verdicts} (the scores of {rows} alone: {alone})"
    text = spelled(line[name], [line[f"{name}_low"], line[f"{name}_high"]], kind)
    bias = "" if is_difference else _bias(line, kind)
    return (
        f"{what}: {text} by {verdicts} and the scores of {rows} (the scores alone: "
        f"{spelled(line[given], (), kind)}{bias}); as good as {line['verdicts_worth']:,} verdicts alone"
        f"{'' if is_difference else _share(line)}"
    )


def _share(line: Mapping[str, Any]) -> str:
    """Return the share of the uncertainty due to the draw."""
    return f"; {100 * line['audit_share']:.0f} % of the variance could be removed by more verdicts"


def _bias(line: Mapping[str, Any], kind: Kind) -> str:
    """Return the distance of a score from the corrected score."""
    side, sign = ("low", -1) if line["bias"] < 0 else ("high", 1)
    low, high = sorted((sign * line["bias_low"], sign * line["bias_high"]))
    ends = ", ".join(figure(end, kind) for end in (low, high))
    return f"; {spelled(abs(line['bias']), (), kind)} too {side} [{ends}]"
