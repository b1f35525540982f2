"""The figures of a report, for formats that can draw them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars.selectors as cs

from anls_frame import _palette
from anls_frame.analysis.curves import score_histogram
from anls_frame.export.charts import Alignments, Crossed, Figure, HistogramChart, Stacked
from anls_frame.export.columns import CHARACTERS, heading_of
from anls_frame.export.display import slice_labels, spelled
from anls_frame.export.document import with_spaces
from anls_frame.export.kinds import shown_as
from anls_frame.metrics.scores import nearest_answer
from anls_frame.protocol import PROTOCOLS, resolve_errors
from anls_frame.reports.type_changes import ROW, matrix_categories
from anls_frame.summary import details
from anls_frame.summary.keys import chosen_keys

FIGURE_ROWS = 40


def drawn(view: Any) -> list[Figure]:
    """Return the distribution of scores, errors by kind, substitutions and alignments."""
    summary, settings = view.summary, view.summary.settings
    if not settings.has_texts:
        return []
    letters = [*_substitutions(view), *_alignments(view)]
    if settings.are_error_rates:
        return [*_kinds(view), *letters]
    histogram = score_histogram(summary)
    threshold = settings.protocol.threshold or 0.0
    parts = [
        ("NLS 0", histogram.low, "#6B7480"),
        *([(f"set to 0 by the threshold {threshold:g}", histogram.cut, "#AAB2BD")] if threshold else []),
        ("kept", sum(histogram.bins) - histogram.cut, "#56B4E9"),
        ("NLS 1", histogram.high, _palette.BLUE),
    ]
    distribution = HistogramChart(
        "Distribution", histogram.bins, threshold, parts, "NLS of the rows between 0 and 1"
    )
    errors = [_errors_by_slice(view)] if settings.details else []
    return [distribution, *errors, *letters]


def _kinds(view: Any) -> list[Figure]:
    """Return the errors of pages by kind, of all pages and by slice."""
    by, slices = view.tables[0]
    if not {*_palette.PAGE_COLORS} <= {*slices.columns}:
        return []
    shown = slices.head(FIGURE_ROWS + 1)
    shares = [
        {kind: row[kind] or 0.0 for kind in _palette.PAGE_COLORS} for row in shown.iter_rows(named=True)
    ]
    rows = list(zip(slice_labels(shown, by, view.names), shares, strict=True))
    return [Stacked("Errors by kind", _palette.PAGE_COLORS, rows, "", whole="the reference's characters")]


def _substitutions(view: Any) -> list[Figure]:
    """Return the table of the most frequent substitutions as a matrix."""
    if not view.details:
        return []
    _, table = view.details
    shown = with_spaces(table.frame).with_row_index(ROW)
    side, above, cells = matrix_categories(shown, CHARACTERS, "count", None)
    caption = "Character in the reference and character read; a stronger colour is more frequent"
    matrices = [(("reference", "read as"), side, above, cells)]
    return [Crossed(table.name, table.name, matrices, caption)] if cells else []


def _errors_by_slice(view: Any) -> Stacked:
    """Return the error types of all rows and of the slices of the first table."""
    summary, (by, slices) = view.summary, view.tables[0]
    # By the internal names of the keys: a `by` column may have the name of a column of the table.
    keys = chosen_keys(by, summary.settings.by, "report")
    errors = summary.report_sums.frames["details errors"]
    # Keyed by repr: struct values are dictionaries, which are not hashable.
    counts: dict[str, dict[str, int]] = {}
    for table in (details.error_table(errors, []), details.error_table(errors, keys)):
        for *key, kind, n in table.select(cs.by_name(keys, require_all=False), "error_type", "n").iter_rows():
            counts.setdefault(repr(tuple(key)), {})[kind] = n
    shown = slices.head(FIGURE_ROWS + 1)
    groups = shown.select(cs.by_name(*by)).rows()[1:] if by else []
    every = [counts.get(repr(key), {}) for key in [(), *groups]]
    rows = list(zip(slice_labels(shown, by, view.names), every, strict=True))
    of_all = view.details[0].name
    name = f"{of_all} by slice" if by else of_all
    return Stacked(name, _palette.ERROR_COLORS, rows, of_all)


def _alignments(view: Any) -> list[Figure]:
    """Return the worst rows that have a prediction, each aligned with its nearest answer."""
    worst, settings, noun = view.worst, view.summary.settings, view.names["row"]
    if worst.is_empty():
        return []
    names = [metric.name for metric in settings.metrics]
    word_rates = [name for name in ("wer_corpus", "wer_mean") if name in names]
    # Without a threshold, there is no ANLS.
    similarity = "nls" if settings.protocol.threshold is None else "anls"
    # ANLS says little about pages, which are reported by their error rates.
    scores = [*([] if settings.are_error_rates else [similarity]), "cer", *word_rates[:1]]
    # The texts are shown unprepared, so only the unit is that of the protocol.
    compared = resolve_errors(settings.protocol)
    protocol = replace(PROTOCOLS["raw"].by(compared.unit), words=compared.words)
    nearest = nearest_answer("prediction", "answers", protocol=settings.protocol)
    rows = worst.with_columns(nearest.alias("anls_frame:nearest")).with_row_index("anls_frame:row", 1)
    kind, pairs = shown_as("score", percent=view.percent), []
    for row in rows.drop_nulls(["prediction", "anls_frame:nearest"]).iter_rows(named=True):
        # The name of a page suffices; other rows have at least a number.
        called = [f"{row[name]}" for name in settings.keep if isinstance(row[name], str | int)]
        if not (settings.are_error_rates and called):
            called.insert(0, f"{noun.capitalize()} {row['anls_frame:row']}")
        known = [name for name in scores if row[name] is not None]
        shown = [f"{heading_of(name)} {spelled(row[name], (), kind)}" for name in known]
        title = ": ".join((*called, ", ".join(shown)))
        pairs.append((title, row["prediction"], row["anls_frame:nearest"]))
    return [Alignments(f"Worst {noun}s, aligned", pairs, protocol, view.worst_table.name)] if pairs else []
