"""Corrected scores as sentences, as documents to export, and in the short form that a screen shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import polars as pl

from anls_frame._text import numbered
from anls_frame.export import Document, Table
from anls_frame.export.display import FEW, figure, glance, spelled
from anls_frame.export.document import OVERALL, SLICE

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from anls_frame.export import Kind
    from anls_frame.export.display import Glance

_COUNTS = ("n", "n_clusters", "n_audited", "n_clusters_audited", "verdicts_worth")
_SCORES = ("score", "corrected", "corrected_low", "corrected_high", "audit_low", "audit_high")
_DIFFERENCES = ("bias", "given_difference", "difference")
_SHOWN = {
    "n": "n",
    "n_audited": "judged",
    "score": "score",
    "corrected": "corrected",
    "bias": "bias",
    "given_difference": "given difference",
    "difference": "difference",
    "p_adjusted": "p (adjusted)",
}
"""The columns that people read, and their headings."""
_WITH_INTERVAL = ("corrected", "bias", "difference")


class CorrectedView(NamedTuple):
    """What corrected scores show; each table has the lines of all rows first."""

    scores: Sequence[tuple[tuple[str, ...], pl.DataFrame]]
    differences: Sequence[tuple[tuple[str, ...], pl.DataFrame]]
    flat: pl.DataFrame
    settings: Mapping[str, Any]
    signature: str


def corrected_document(view: CorrectedView) -> Document:
    """Return corrected scores as a document to export."""
    flat = Table("Corrected scores", view.flat, _kinds(view.flat, view.settings["by"]))
    return Document("Corrected scores", _tables(view), view.settings, view.signature, notes(view), flat=flat)


def corrected_glances(view: CorrectedView, most: int | None) -> list[Glance]:
    """Return the tables in their form for a screen, with at most `most` rows."""
    shown = []
    for table in _tables(view):
        headings = {name: text for name, text in _SHOWN.items() if name in table.frame.columns}
        shown.append(glance(table, headings, _WITH_INTERVAL, most))
    *others, last = shown
    return [*others, last._replace(notes=[*notes(view), view.signature])]


def _tables(view: CorrectedView) -> list[Table]:
    """Return a table for each system, and for each difference to the baseline, by the keys of slices."""
    tables = []
    for columns, frame in (*view.scores, *view.differences):
        for name in frame["system"].unique(maintain_order=True):
            own = frame.filter(pl.col("system") == name)
            against = f" against {own['baseline'][0]}" if "baseline" in own.columns else ""
            by = f" by {' and '.join(columns)}" if columns else ""
            headings = {column: column for column in (SLICE, *columns)} | _headings(own)
            tables.append(Table(f"{name}{against}{by}", own, _kinds(own, columns), headings=headings))
    return tables


def _headings(frame: pl.DataFrame) -> dict[str, str]:
    """Return the columns that people read on pages: those of a screen, with the ends of intervals."""
    shown = {name: text for name, text in _SHOWN.items() if name in frame.columns}
    ends = {f"{name}{end}": f"{name}{end}" for name in _WITH_INTERVAL for end in ("_low", "_high")}
    ends = {name: text for name, text in ends.items() if name in frame.columns}
    return {**shown, **ends, "verdicts_worth": "verdicts worth", "few_rows": "few_rows"}


def _kinds(frame: pl.DataFrame, by: Sequence[str]) -> dict[str, Kind]:
    differences = [f"{name}{end}" for name in _DIFFERENCES for end in ("", "_low", "_high")]
    kinds: dict[str, Kind] = {
        **dict.fromkeys(_COUNTS, "count"),
        **dict.fromkeys(_SCORES, "score"),
        **dict.fromkeys(differences, "difference"),
        **dict.fromkeys(("p_value", "p_adjusted"), "p_value"),
        **dict.fromkeys(by, "key"),
    }
    return {name: kind for name, kind in kinds.items() if name in frame.columns}


def notes(view: CorrectedView) -> list[str]:
    """Return the result of all rows in sentences, and notes on the figures."""
    tables = [frame for _, frame in (*view.scores, *view.differences)]
    lines = [line for frame in (view.scores[0][1], view.differences[0][1]) for line in overall(frame)]
    found = [sentence(line) for line in lines]
    figures = [frame.get_column(name, default=None) for frame in tables for name in _DIFFERENCES]
    if any(values is not None and values.null_count() for values in figures):
        found.append(
            "No figure is given below 30 verdicts or 10 documents with verdicts, of a slice below 10 or 5, "
            "nor where a stratum of the draw has no verdict."
        )
    if any(frame["few_rows"].any() for frame in tables):
        found.append(f"few_rows ({FEW}): verdicts rest on few documents; treat the interval as rough.")
    if view.settings["cluster"] is None:
        found.append(
            "Without cluster=, rows are taken as independent; name their documents if they have any."
        )
    return found


def overall(frame: pl.DataFrame) -> Iterator[dict[str, Any]]:
    """Return the lines of all rows."""
    return frame.filter(pl.col(SLICE) == OVERALL).iter_rows(named=True)


def sentence(line: Mapping[str, Any]) -> str:
    """Return the result of a line in a sentence."""
    is_difference = "difference" in line
    name, given = ("difference", "given_difference") if is_difference else ("corrected", "score")
    kind: Kind = "difference" if is_difference else "score"
    what = f"{line['system']} against {line['baseline']}" if is_difference else line["system"]
    verdicts, rows = numbered(line["n_audited"], "verdict"), numbered(line["n"], "row")
    if line[name] is None:
        return f"{what}: no figure from {verdicts} (the scores of {rows} alone: {figure(line[given], kind)})"
    found = spelled(line[name], [line[f"{name}_low"], line[f"{name}_high"]], kind)
    bias = "" if is_difference else _bias(line)
    return (
        f"{what}: {found} by {verdicts} and the scores of {rows} (the scores alone: "
        f"{figure(line[given], kind)}{bias}); as good as {line['verdicts_worth']:,} verdicts alone"
        f"{'' if is_difference else _share(line)}"
    )


def _share(line: Mapping[str, Any]) -> str:
    """Return how much of the uncertainty is that of the draw."""
    return f"; {100 * line['audit_share']:.0f} % of the variance could be removed by more of them"


def _bias(line: Mapping[str, Any]) -> str:
    """Return how far a score is from the corrected one."""
    side, sign = ("low", -1) if line["bias"] < 0 else ("high", 1)
    low, high = sorted((sign * line["bias_low"], sign * line["bias_high"]))
    ends = ", ".join(figure(end, "score") for end in (low, high))
    return f"; {figure(abs(line['bias']), 'score')} too {side} [{ends}]"
