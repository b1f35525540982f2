"""How reports and comparisons look: as text, as a notebook table, as the document that is exported."""

from __future__ import annotations

import sys
from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl
import polars.selectors as cs

from anls_frame import _palette
from anls_frame._text import numbered, visible
from anls_frame.export import Document, Table
from anls_frame.export.display import figure
from anls_frame.export.document import ALL_ROWS
from anls_frame.export.figures import Alignments, Dumbbell, Histogram, Stacked
from anls_frame.frames import origins
from anls_frame.reports.differences import least_units
from anls_frame.reports.estimates import FEW_CARRIERS, FEW_ROWS, FEW_UNITS
from anls_frame.summary import details
from anls_frame.summary.keys import key_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from great_tables import GT

    from anls_frame.export import Kind
    from anls_frame.export.figures import Figure
    from anls_frame.reports.comparisons import Comparison
    from anls_frame.reports.reports import Report

_COUNTS = ("n", "n_missing", "n_unanswerable", "n_empty_reference", "n_clusters", "wins", "ties", "losses")
_RATES = ("cer_mean", "cer_corpus")
_P_VALUES = ("p_value", "p_adjusted")
_SHOWN_SCORES = ("anls", "score", "nls", "exact_match", "cer_corpus", "zeros")
_WITH_INTERVAL = ("anls", "score", "exact_match", "cer_corpus", "difference")
_TEXT_ROWS = 50
NOTEBOOK_ROWS = 500
"""Rows of the tables that a notebook shows by itself."""
_FIGURE_ROWS = 40
_CONFUSIONS = 30
_ERROR_TYPES = "Error types"
_ALPHA = 0.05
_FEW = "*"
_NONE = "\N{EN DASH}"

# The table takes the colours of the page around it, light or dark.
_CSS = """
#{id} .gt_table, #{id} .gt_heading, #{id} .gt_title, #{id} .gt_subtitle, #{id} .gt_col_heading,
#{id} .gt_col_headings, #{id} .gt_row, #{id} .gt_sourcenote, #{id} .gt_sourcenotes, #{id} .gt_table_body {
  background-color: transparent !important;
  border-color: rgba(128, 128, 128, 0.45) !important;
  color: inherit !important;
}
#{id} .gt_table { margin-left: 0; font-variant-numeric: tabular-nums; }
#{id} .gt_title { text-align: left; font-weight: 600; }
#{id} .gt_sourcenote { opacity: 0.75; font-size: 85%; }
"""


def report_text(report: Report) -> str:
    """Return the report as a table in plain text."""
    notes = [*report_notes(report), report.signature]
    rows = _report_rows(report, _TEXT_ROWS)
    return _text(_report_title(report), rows, _hidden(report.to_polars(), _TEXT_ROWS), notes)


def report_table(report: Report, most: int | None = None) -> GT:
    """Return the report as a notebook table, of the first rows only where a number of them is given."""
    notes = [*_left_out(report.to_polars(), most), *report_notes(report), report.signature]
    return _gt(_report_rows(report, most), _report_title(report), notes, "anls-report")


def report_document(report: Report) -> Document:
    """Return the report as the document that is exported."""
    by = report.summary.settings.by
    tables = [Table(_by_name(by), report.to_polars(), _kinds(report.to_polars().columns, by))]
    if report.summary.settings.details:
        tables += _detail_tables(report)
    if report.worst.height:
        worst = report.worst
        tables.append(Table("Worst rows", worst, _kinds(worst.columns, by)))
    return Document(
        title=_report_title(report),
        tables=tables,
        settings=report.settings,
        signature=report.signature,
        notes=report_notes(report),
        figures=_report_figures(report),
    )


def _detail_tables(report: Report) -> list[Table]:
    """Return the kinds of errors and the most frequent confusions of all rows."""
    errors = report.errors()
    confusions = report.confusions().select(
        "op", "reference_char", "predicted_char", "count", "share_of_errors", "share_of_reference"
    )
    name = "Confusions"
    if confusions.height > _CONFUSIONS:
        name = f"The {_CONFUSIONS} most frequent of {confusions.height:,} confusions"
    shares: dict[str, Kind] = {"share_of_errors": "score", "share_of_reference": "score"}
    return [
        Table(_ERROR_TYPES, errors, {"n": "count", "share": "score"}),
        Table(name, confusions.head(_CONFUSIONS), {"count": "count", **shares}),
    ]


def report_notes(report: Report) -> list[str]:
    """Return what a reader has to know of the rows behind the numbers."""
    overall = report.overall
    settings = report.summary.settings
    notes = [_conservation(report.summary.rows, overall, settings.missing, settings.score)]
    if settings.score is not None:
        notes.append(f"{'Higher' if settings.higher_is_better else 'Lower'} is better.")
    keys = key_names(settings.by, None)
    if any(isinstance(report.summary.cells.schema[key], pl.List) for key in keys):
        notes.append("A row counts in each of its slices, so their counts may add up to more than all rows.")
    if overall.get("n_empty_reference"):
        empty = numbered(overall["n_empty_reference"], "empty reference")
        notes.append(f"{empty}; CER counts the insertions there.")
    if settings.score is None and (other := origins.difference(report.summary.scored_by, settings.protocol)):
        notes.append(other)
    if settings.cluster is not None:
        clusters = numbered(overall["n_clusters"], "cluster")
        notes.append(f"Intervals allow for {clusters} ({settings.cluster}).")
    return [*notes, *_few_note(report.to_polars())]


def comparison_text(comparison: Comparison) -> str:
    """Return the comparison as a table in plain text."""
    notes = [*comparison_notes(comparison), comparison.signature]
    rows = _comparison_rows(comparison, _TEXT_ROWS)
    return _text(_comparison_title(comparison), rows, _hidden(comparison.to_polars(), _TEXT_ROWS), notes)


def comparison_table(comparison: Comparison, most: int | None = None) -> GT:
    """Return the comparison as a notebook table, of the first rows only where a number of them is given."""
    notes = [*_left_out(comparison.to_polars(), most), *comparison_notes(comparison), comparison.signature]
    return _gt(_comparison_rows(comparison, most), _comparison_title(comparison), notes, "anls-comparison")


def comparison_document(comparison: Comparison) -> Document:
    """Return the comparison as the document that is exported."""
    by = comparison.settings["by"]
    frame = comparison.to_polars()
    kinds = _kinds(frame.columns, by) | dict.fromkeys(comparison.systems, "score")
    return Document(
        title=_comparison_title(comparison),
        tables=[Table(_by_name(by), frame, kinds)],
        settings=comparison.settings,
        signature=comparison.signature,
        notes=comparison_notes(comparison),
        figures=[_dumbbell(comparison)],
    )


def _report_figures(report: Report) -> list[Figure]:
    from anls_frame.plot.distributions import score_histogram  # noqa: PLC0415 - only for those who write

    summary = report.summary
    if summary.settings.score is not None:
        return []
    histogram = score_histogram(summary)
    threshold = summary.settings.threshold or 0.0
    between = sum(histogram.bins)
    below = min(max(int(summary.cells["zeros_sum"].sum()) - histogram.low, 0), between)
    parts = [
        ("NLS 0", histogram.low, "#6B7480"),
        (f"below the cut at {threshold:g}", below, "#AAB2BD"),
        ("kept by the cut", between - below, "#56B4E9"),
        ("NLS 1", histogram.high, _palette.BLUE),
    ]
    distribution = Histogram(
        "Distribution", histogram.bins, threshold, parts, "NLS of the rows between 0 and 1"
    )
    errors = [_errors_by_slice(report)] if summary.settings.details else []
    return [distribution, *errors, *_alignments(report)]


def _errors_by_slice(report: Report) -> Stacked:
    from anls_frame.plot.slices import slice_labels  # noqa: PLC0415 - only for those who write

    by = report.summary.settings.by
    keys = list(key_names(by, None))
    # By the keys' own names: a slicing column may be called as one of the table.
    table = details.error_table(report.summary.details["errors"], keys)
    # By what is printed of a key: structs are dictionaries, which cannot be keys themselves.
    counts: dict[str, dict[str, int]] = {}
    for *key, kind, n in table.select(*keys, "error_type", "n").iter_rows():
        counts.setdefault(repr(tuple(key)), {})[kind] = n
    overall = dict(report.errors().select("error_type", "n").iter_rows())
    shown = report.to_polars().head(_FIGURE_ROWS + 1)
    groups = [counts.get(repr(key), {}) for key in shown.select(cs.by_name(*by)).rows()[1:]] if by else []
    rows = list(zip(slice_labels(shown, by), [overall, *groups], strict=True))
    name = f"{_ERROR_TYPES} by slice" if by else _ERROR_TYPES
    return Stacked(name, _palette.ERROR_COLORS, rows, _ERROR_TYPES)


def _alignments(report: Report) -> list[Figure]:
    """Return the worst rows that have a prediction, beside the nearest of their answers."""
    from anls_frame.metrics.scores import nearest_answer  # noqa: PLC0415 - only for those who write

    worst = report.worst
    if worst.is_empty():
        return []
    nearest = nearest_answer("prediction", "answers", protocol=report.summary.settings.protocol)
    rows = worst.with_columns(nearest.alias("anls_frame:nearest")).with_row_index("anls_frame:row", 1)
    pairs = [
        (
            f"Row {row['anls_frame:row']}: ANLS {row['anls']:.3f}, CER {row['cer']:.3f}",
            row["prediction"],
            row["anls_frame:nearest"],
        )
        for row in rows.drop_nulls(["prediction", "anls_frame:nearest"]).iter_rows(named=True)
    ]
    return [Alignments("Worst rows, aligned", pairs)] if pairs else []


def _dumbbell(comparison: Comparison) -> Dumbbell:
    from anls_frame.plot.slices import slice_labels  # noqa: PLC0415 - only for those who write

    frame = comparison.to_polars().head(_FIGURE_ROWS + 1)
    first, second = comparison.systems
    rows = [
        (label, row[first], row[second], _cell(row, "difference").partition(" ")[0])
        for label, row in zip(
            slice_labels(frame, comparison.settings["by"]), frame.iter_rows(named=True), strict=True
        )
    ]
    return Dumbbell("Both systems", _palette.system_colors(comparison.systems), rows)


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return what a reader has to know of the rows behind the numbers."""
    settings = comparison.settings
    first, second = comparison.systems
    notes = [
        _conservation(settings["rows"], settings, settings["missing"], settings["score"]),
        f"Difference: {second} minus {first}; wins and losses are those of {second}.",
    ]
    if not settings["higher_is_better"]:
        notes.append("Lower is better: a rise is a loss.")
    elif settings["score"] is not None:
        notes.append("Higher is better.")
    if settings["score"] is None and comparison.metric == "cer":
        notes.append(
            "Mean CER is a mean of the rows' rates, in which a short reference weighs as much as a page; "
            "corpus CER (cer_corpus) divides all edits by all characters."
        )
    if settings["score"] is None and comparison.metric == "cer_corpus":
        notes.append("Wins, ties and losses are by the CER of each row.")
    if settings["score"] is None and not settings["higher_is_better"] and settings["n_empty_reference"]:
        empty = numbered(settings["n_empty_reference"], "empty reference")
        notes.append(f"{empty}; CER counts the insertions there.")
    if settings["by"]:
        notes += [
            "p (adjusted) allows for all slices of this table together; all rows are not among them.",
            f"Each interval is one of {100 * comparison.confidence:g} % by itself, not adjusted for others.",
        ]
    return [*notes, *_few_note(comparison.to_polars()), *_doubts(comparison)]


def _few_note(frame: pl.DataFrame) -> list[str]:
    """Return what the mark of slices of few rows says, if there are such."""
    if not frame["few_rows"].any():
        return []
    carriers = f"{FEW_CARRIERS} clusters that carry the figure"
    below = f"below {FEW_ROWS} rows, {FEW_UNITS:g} effective units or {carriers}"
    return [f"few_rows ({_FEW}): {below}, where intervals are only roughly right."]


def untestable_note(comparison: Comparison, alpha: float) -> str | None:
    """Return how many slices have too few units for any p-value of at most alpha, if there are such."""
    untestable = comparison.untestable(alpha)
    if untestable.is_empty():
        return None
    slices = untestable.filter(pl.col("slice") == "group").height
    what = [
        *(["all rows together"] if slices < untestable.height else []),
        *([numbered(slices, "slice")] if slices else []),
    ]
    cluster = comparison.settings["cluster"]
    units = "rows" if cluster is None else f"clusters ({cluster})"
    least = least_units(alpha, comparison.draws)
    few_draws = f"with {comparison.draws:,} draws p is larger"
    fewer = few_draws if least == sys.maxsize else f"fewer than {least} {units}"
    return f"{' and '.join(what)} cannot be tested at {alpha:g}: {fewer}."


def _doubts(comparison: Comparison) -> list[str]:
    """Return what p-values and intervals of this comparison cannot say, or say differently."""
    note = untestable_note(comparison, _ALPHA)
    notes = [] if note is None else [f"{note[0].upper()}{note[1:]}"]
    alpha = round(1 - comparison.confidence, 12)
    excludes = (pl.col("difference_low") > 0) | (pl.col("difference_high") < 0)
    disagreeing = comparison.to_polars().filter(excludes != (pl.col("p_value") <= alpha))
    if disagreeing.height:
        notes.append(
            f"p and interval disagree in {numbered(disagreeing.height, 'line')}: the interval is Student's t "
            "on the sums of differences, p counts how often their signs, drawn anew, get as far."
        )
    return notes


def _report_title(report: Report) -> str:
    settings = report.summary.settings
    what = "Scores" if settings.score is None else f"Column {settings.score}"
    return f"{what} by {' and '.join(settings.by)}" if settings.by else f"{what} of all rows"


def _comparison_title(comparison: Comparison) -> str:
    first, second = comparison.systems
    return f"{second} against {first}: {_metric(comparison)}"


def _metric(comparison: Comparison) -> str:
    """Return what is compared; a column of scores keeps the name that the caller gave it."""
    metric: str = comparison.metric
    if comparison.settings["score"] is not None:
        return metric
    return {"exact_match": "exact match", "cer": "mean CER", "cer_corpus": "corpus CER"}.get(metric, metric)


def _by_name(by: Sequence[str]) -> str:
    return f"By {' and '.join(by)}" if by else "All rows"


def _conservation(rows: int, counts: dict[str, Any], missing: str, score: str | None) -> str:
    parts = [f"{counts['n']:,} scored"]
    if counts["n_unanswerable"]:
        parts.append(f"{counts['n_unanswerable']:,} without an answer")
    if counts["n_missing"] and missing == "drop":
        lacking = "a prediction" if score is None else "a score"
        parts.append(f"{counts['n_missing']:,} without {lacking}")
    note = f"{numbered(rows, 'row')}: {', '.join(parts)}."
    if counts["n_missing"] and missing == "empty":
        missing_predictions = numbered(counts["n_missing"], "missing prediction")
        verb = "is" if counts["n_missing"] == 1 else "are"
        note += f" {missing_predictions} {verb} scored as the empty text."
    return note


def _kinds(columns: Sequence[str], by: Sequence[str]) -> dict[str, Kind]:
    kinds: dict[str, Kind] = {}
    for column in columns:
        name = column.removesuffix("_low").removesuffix("_high")
        if column in by:
            kinds[column] = "key"
        elif column in _COUNTS:
            kinds[column] = "count"
        elif name in (*_RATES, "cer"):
            kinds[column] = "rate"
        elif name in _SHOWN_SCORES:
            kinds[column] = "score"
        elif name == "difference":
            kinds[column] = "difference"
        elif name in _P_VALUES:
            kinds[column] = "p_value"
    return kinds


def _hidden(frame: pl.DataFrame, most: int) -> int:
    """Return how many rows stand behind the first ones."""
    return max(frame.height - most, 0)


def _left_out(frame: pl.DataFrame, most: int | None) -> list[str]:
    hidden = 0 if most is None else _hidden(frame, most)
    return [f"... and {hidden:,} more slices; `by_group` has them all."] if hidden else []


def _report_rows(report: Report, most: int | None = None) -> pl.DataFrame:
    # Rows that are not shown are not laid out either: there may be a million.
    frame = report.to_polars().head(most) if most is not None else report.to_polars()
    by = report.summary.settings.by
    shown = [column for column in _SHOWN_SCORES if column in frame.columns and column not in by]
    labels = {"anls": "ANLS", "nls": "NLS", "exact_match": "exact match", "cer_corpus": "CER (corpus)"}
    if report.summary.settings.score is not None:
        labels["score"] = report.summary.settings.score
    return _shown(frame, by, ["n", *shown], labels)


def _comparison_rows(comparison: Comparison, most: int | None = None) -> pl.DataFrame:
    frame = comparison.to_polars().head(most) if most is not None else comparison.to_polars()
    columns = ["n", *comparison.systems, "difference", *_P_VALUES, "wins", "ties", "losses"]
    labels = {"p_value": "p", "p_adjusted": "p (adjusted)"}
    return _shown(frame, comparison.settings["by"], columns, labels)


def _shown(
    frame: pl.DataFrame, by: Sequence[str], columns: Sequence[str], labels: dict[str, str]
) -> pl.DataFrame:
    """Return the rows as texts: keys, counts, and scores with their intervals in brackets."""
    overall = frame["slice"] == "overall"
    keys = {
        key: [
            ALL_ROWS if is_overall and index == 0 else "" if is_overall else visible(str(value))
            for is_overall, value in zip(overall, frame[key].to_list(), strict=True)
        ]
        for index, key in enumerate(by)
    }
    if not by:
        keys = {"": [ALL_ROWS]}
    marks = [_FEW if few else "" for few in frame["few_rows"].to_list()]
    # A label that is the name of another column gives way to the column's own.
    taken = {*by, *columns}
    names = {column: labels.get(column, column) for column in columns}
    cells = {
        column if name in taken else name: [
            _cell(row, column) + (mark if column == "n" else "")
            for row, mark in zip(frame.iter_rows(named=True), marks, strict=True)
        ]
        for column, name in names.items()
    }
    rows = pl.DataFrame({**keys, **cells}, schema=dict.fromkeys([*keys, *cells], pl.String))
    return rows.rename(visible)


def _cell(row: dict[str, Any], column: str) -> str:
    value = row[column]
    if value is None:
        return _NONE
    if isinstance(value, int):
        return f"{value:,}"
    kind: Kind = "p_value" if column in _P_VALUES else "difference" if column == "difference" else "score"
    text = figure(value, kind)
    if column not in _WITH_INTERVAL or f"{column}_low" not in row:
        return text
    low, high = row[f"{column}_low"], row[f"{column}_high"]
    if low is None or high is None:
        return f"{text} [{_NONE}]"
    return f"{text} [{figure(low, kind)}, {figure(high, kind)}]"


def _text(title: str, rows: pl.DataFrame, hidden: int, notes: Sequence[str]) -> str:
    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,
        fmt_str_lengths=60,
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
    ):
        table = str(rows)
    # What a terminal would obey is shown by symbols: names of columns may hold it too.
    title, *notes = (visible(line) for line in (title, *notes))
    lines = [title, table, *([f"... and {hidden:,} more slices"] if hidden else []), *notes]
    return "\n".join(lines)


def _gt(rows: pl.DataFrame, title: str, notes: Sequence[str], table_id: str) -> GT:
    from great_tables import GT, html, loc, style  # noqa: PLC0415 - only in notebooks

    # Names that great_tables would take for patterns or for units come in as labels.
    patterns = {
        name: f"column_{index}"
        for index, name in enumerate(rows.columns)
        if name.startswith("^") or "*" in name or "{{" in name
    }
    rows = rows.rename(patterns)
    table = (
        GT(rows, id=table_id)
        .tab_header(title=visible(title))
        .cols_label({name: html(escape(label).replace("{{", "{&#123;")) for label, name in patterns.items()})
        .cols_align(align="right", columns=rows.columns[rows.columns.index("n") :])
        .tab_style(style=style.text(weight="bold"), locations=loc.body(rows=[0]))
        .opt_css(_CSS.replace("{id}", table_id))
    )
    for note in notes:
        table = table.tab_source_note(visible(note))
    return table
