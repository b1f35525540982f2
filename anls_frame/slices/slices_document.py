"""Found slices as text and as documents: a sentence for each, a table, and notes on what was looked at."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame._text import numbered
from anls_frame.export.display import FEW, Glance, figure, spelled
from anls_frame.export.document import Document, Table
from anls_frame.frames import documents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from anls_frame.export.document import Kind, Selection
    from anls_frame.results import FoundSlices

ONE_VALUE = "all its values are equal"
"""The reason for which a column is left out that nobody would miss."""
_NAMED = 10
"""Number of columns and overlapping slices to name."""


def confidence_of_chosen(confidence: float, chosen: int, looked_at: int) -> float:
    """
    Return the confidence level of intervals of which so many were chosen because they are bad.

    At this level of each, intervals of those that are chosen miss what they estimate in a share of at most 1
    minus `confidence` on average (Benjamini and Yekutieli 2005).
    """
    return 1 - (1 - confidence) * min(chosen / looked_at, 1.0) if looked_at else confidence


def sentence(line: Mapping[str, Any], found: FoundSlices) -> str:
    """Return a line of the table as a sentence."""
    metric = next(one for one in found.metrics if one.name == line["metric"])
    kind = metric.format or "number"
    is_change = bool(found.systems)
    of_metric = f" ({metric.label})" if len(found.metrics) > 1 else ""
    name = "change" if is_change else "score"
    ends = [line[f"{name}_low"], line[f"{name}_high"]]
    shown = spelled(line[name], ends, "difference" if is_change else kind)
    parts = [f"{line['description']}{of_metric}: {shown}"]
    difference = line["difference"]
    if difference is not None and line["rest"] is not None:
        if is_change:
            parts.append(f"the rest {figure(line['rest'], 'difference')}")
        else:
            side = "below" if difference < 0 else "above"
            parts.append(f"{figure(abs(difference), kind)} {side} the rest")
    shares = [f"{_percent(line['share_of_rows'])} of the rows"]
    if line["share_of_loss"] is not None:
        shares.append(f"{_percent(line['share_of_loss'])} of the lost points")
    return f"{', '.join(parts)}; {', '.join(shares)}"


def sentences(found: FoundSlices) -> list[str]:
    """Return a sentence for each slice."""
    return [sentence(line, found) for line in found.table.iter_rows(named=True)]


def document(found: FoundSlices, conditions: Sequence[Mapping[str, Selection]]) -> Document:
    """Return the document that `write` writes, with what selects the rows of each slice."""
    kinds = _kinds(found)
    whole = Table("Slices", found.table.with_columns(pl.col("overlapping").list.join("; ")), kinds)
    kinds.pop("overlapping")
    pairs = found.table.select(
        "description", pl.col("overlapping").list.head(_NAMED), more=pl.col("overlapping").list.len()
    ).explode("overlapping", empty_as_null=False)
    pairs = pairs.with_columns((pl.col("more").cast(pl.Int64) - _NAMED).clip(0))
    tables = [Table("Slices", found.table.drop("overlapping"), kinds, conditions)]
    if pairs.height:
        tables.append(Table("Overlapping slices", pairs, {"more": "count"}))
    return Document(
        title=_title(found),
        tables=tables,
        flat=whole,
        settings=found.settings,
        signature=found.signature,
        notes=[*sentences(found), *notes(found)],
    )


def glances(found: FoundSlices, most: int | None) -> list[Glance]:
    """Return the table for a screen, with at most `most` slices."""
    name, kinds = "change" if found.systems else "score", _kinds(found)
    rows = []
    for line in found.table[:most].iter_rows(named=True):
        metric = next(one for one in found.metrics if one.name == line["metric"])
        kind: Kind = "difference" if found.systems else (metric.format or "number")
        row = {"slice": line["description"]}
        if len(found.metrics) > 1:
            row["metric"] = line["metric"]
        row |= {
            "n": f"{line['n']:,}{FEW if line['few_rows'] else ''}",
            **({"documents": f"{line['n_clusters']:,}"} if line["n_clusters"] is not None else {}),
            name: spelled(line[name], [line[f"{name}_low"], line[f"{name}_high"]], kind),
            "rest": spelled(line["rest"], [], kind),
            "rows": _percent(line["share_of_rows"]),
            "loss": "–" if line["share_of_loss"] is None else _percent(line["share_of_loss"]),  # noqa: RUF001
            "p (adjusted)": spelled(line["p_adjusted"], [], kinds["p_adjusted"]),
        }
        rows.append(row)
    shown = pl.DataFrame(rows) if rows else pl.DataFrame(schema={"slice": pl.String, "n": pl.String})
    hidden = found.table.height - len(rows)
    return [Glance(_title(found), shown, [*notes(found), found.signature], hidden, ())]


def notes(found: FoundSlices) -> list[str]:
    """Return what was looked at and how, and what the figures mean."""
    looked = f"{numbered(found.n_slices, 'slice')} of up to {numbered(found.settings['depth'], 'condition')}"
    metrics = f" in {numbered(len(found.metrics), 'metric')}" if len(found.metrics) > 1 else ""
    units = "rows" if found.settings["cluster"] is None else "documents"
    level = f"{100 * (1 - found.confidence):.3g} %"
    alpha = f"{1 - found.confidence:.3g}"
    if found.holdout:
        share = f"{100 * (1 - found.holdout):.3g} % of the {units}"
        tested = numbered(found.n_tests, "slice")
        said = [
            f"Looked at {looked}{metrics} on {share}. Tested {tested} on the others; figures are of these.",
            f"p is adjusted for these tests: if none is worse than the rest, p ≤ {alpha} in at most {level}.",
        ]
    else:
        said = [
            f"Looked at {looked}{metrics}; p is adjusted for all of them.",
            f"Where no slice is worse than the rest, one is found with a probability of about {level}.",
        ]
        if found.table.height:
            of_each = 100 * confidence_of_chosen(found.confidence, found.table.height, found.n_tests)
            said.append(
                "Slices were chosen because they are bad here, so their figures are too bad on average; "
                f"a holdout of 0.5 estimates them on other {units}."
            )
            said.append(
                f"Intervals have a confidence of {of_each:.6g} % each, so that "
                f"{100 * found.confidence:.3g} % of those of chosen slices hold."
            )
    left_out = {name: reason for name, reason in found.left_out.items() if reason != ONE_VALUE}
    if left_out:
        names = [f"{name} ({reason})" for name, reason in list(left_out.items())[:_NAMED]]
        more = len(left_out) - len(names)
        said.append(f"Left out: {'; '.join(names)}{f'; and {more:,} more' if more else ''}.")
    said += documents.note(found.settings["forgotten_documents"])
    if found.table.height and found.table["few_rows"].any():
        said.append(f"{FEW} few rows: intervals are only roughly right.")
    return said


def _title(found: FoundSlices) -> str:
    metrics = ", ".join(metric.label for metric in found.metrics)
    if found.systems:
        first, second = found.systems
        what = f"Where {second} lost against {first}"
    else:
        what = "Slices that are worse than the rest"
    none = "" if found.table.height else ": none found"
    return f"{what} ({metrics}){none}"


def _kinds(found: FoundSlices) -> dict[str, Kind]:
    formats = {metric.format or "number" for metric in found.metrics}
    score: Kind = formats.pop() if len(formats) == 1 else "number"
    kinds: dict[str, Kind] = {"description": "text", "metric": "text", "n": "count", "n_clusters": "count"}
    kinds |= dict.fromkeys(("baseline_score", "score", "score_low", "score_high"), score)
    kinds |= dict.fromkeys(("change", "change_low", "change_high"), "difference")
    kinds |= {
        "rest": "difference" if found.systems else score,
        "difference": "difference",
        "share_of_rows": "score",
        "share_of_loss": "score",
    }
    kinds |= {"p_adjusted": "p_value", "overlapping": "note", "few_rows": "text"}
    return {name: kind for name, kind in kinds.items() if name in found.table.columns}


def _percent(share: float) -> str:
    if 0 < share < 0.005:  # noqa: PLR2004 - half a percent rounds to 0
        return "<1 %"
    return f"{100 * share:.0f} %"
