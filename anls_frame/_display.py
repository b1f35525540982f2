"""How reports and comparisons look: as text, as a notebook table, as the document that is exported."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import polars as pl

from anls_frame import _details, _keys
from anls_frame.export import Document, Table
from anls_frame.export.characters import visible
from anls_frame.export.figures import Alignments, Dumbbell, Histogram, Stacked
from anls_frame.export.values import numbered

if TYPE_CHECKING:
    from collections.abc import Sequence

    from great_tables import GT

    from anls_frame.comparison import Comparison
    from anls_frame.export import Kind
    from anls_frame.export.figures import Figure
    from anls_frame.reports import Report

_COUNTS = ("n", "n_missing", "n_unanswerable", "n_empty_reference", "n_clusters", "wins", "ties", "losses")
_RATES = ("cer_mean", "cer_corpus")
_P_VALUES = ("p_value", "p_holm")
_SHOWN_SCORES = ("anls", "score", "nls", "exact_match", "cer_corpus", "zeros")
_WITH_INTERVAL = ("anls", "score", "exact_match", "cer_corpus", "difference")
_TEXT_ROWS = 50
_FIGURE_ROWS = 40
_CONFUSIONS = 30
_ALL_ROWS = "all rows"

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
    return _text(_report_title(report), _report_rows(report), [*report_notes(report), report.signature])


def report_table(report: Report) -> GT:
    """Return the report as a notebook table."""
    notes = [*report_notes(report), report.signature]
    return _gt(_report_rows(report), _report_title(report), notes, "anls-report")


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
        Table("Kinds of errors", errors, {"n": "count", "share": "score"}),
        Table(name, confusions.head(_CONFUSIONS), {"count": "count", **shares}),
    ]


def report_notes(report: Report) -> list[str]:
    """Return what a reader has to know of the rows behind the numbers."""
    overall = report.overall
    notes = [_conservation(report.summary.rows, overall, report.summary.settings.missing)]
    keys = _keys.key_names(report.summary.settings.by, None)
    if any(isinstance(report.summary.cells.schema[key], pl.List) for key in keys):
        notes.append("A row counts in each of its slices, so their counts may add up to more than all rows.")
    if overall.get("n_empty_reference"):
        empty = numbered(overall["n_empty_reference"], "empty reference")
        notes.append(f"{empty}; CER counts the insertions there.")
    if report.summary.settings.cluster is not None:
        notes.append(
            f"Intervals allow for {numbered(overall['n_clusters'], 'cluster')} "
            f"({report.summary.settings.cluster})."
        )
    return notes


def comparison_text(comparison: Comparison) -> str:
    """Return the comparison as a table in plain text."""
    notes = [*comparison_notes(comparison), comparison.signature]
    return _text(_comparison_title(comparison), _comparison_rows(comparison), notes)


def comparison_table(comparison: Comparison) -> GT:
    """Return the comparison as a notebook table."""
    notes = [*comparison_notes(comparison), comparison.signature]
    return _gt(_comparison_rows(comparison), _comparison_title(comparison), notes, "anls-comparison")


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
    from anls_frame.plot import _style  # noqa: PLC0415 - only for those who write
    from anls_frame.plot.distributions import score_histogram  # noqa: PLC0415

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
        ("NLS 1", histogram.high, _style.BLUE),
    ]
    distribution = Histogram(
        "Distribution", histogram.bins, threshold, parts, "NLS of the rows between 0 and 1"
    )
    errors = [_errors_by_slice(report)] if summary.settings.details else []
    return [distribution, *errors, *_alignments(report)]


def _errors_by_slice(report: Report) -> Stacked:
    from anls_frame.plot import _style  # noqa: PLC0415 - only for those who write
    from anls_frame.plot.slices import slice_labels  # noqa: PLC0415

    by = report.summary.settings.by
    keys = list(_keys.key_names(by, None))
    # By the keys' own names: a slicing column may be called as one of the table.
    table = _details.error_table(report.summary.details["errors"], keys)
    counts: dict[tuple[Any, ...], dict[str, int]] = {}
    for *key, kind, n in table.select(*keys, "error_type", "n").iter_rows():
        counts.setdefault(tuple(key), {})[kind] = n
    overall = dict(report.errors().select("error_type", "n").iter_rows())
    shown = report.to_polars().head(_FIGURE_ROWS + 1)
    groups = [counts.get(key, {}) for key in shown.select(by).rows()[1:]] if by else []
    rows = list(zip(slice_labels(shown, by), [overall, *groups], strict=True))
    return Stacked("Kinds of errors by slice", _style.ERROR_COLORS, rows)


def _alignments(report: Report) -> list[Figure]:
    """Return the worst rows that have a prediction, beside the nearest of their answers."""
    from anls_frame.metrics import nearest_answer  # noqa: PLC0415 - only for those who write

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
    from anls_frame.plot import _style  # noqa: PLC0415 - only for those who write
    from anls_frame.plot.slices import slice_labels  # noqa: PLC0415

    frame = comparison.to_polars().head(_FIGURE_ROWS + 1)
    first, second = comparison.systems
    rows = [
        (label, row[first], row[second], _cell(row, "difference").partition(" ")[0])
        for label, row in zip(
            slice_labels(frame, comparison.settings["by"]), frame.iter_rows(named=True), strict=True
        )
    ]
    return Dumbbell("Both systems", _style.system_colors(comparison.systems), rows)


def comparison_notes(comparison: Comparison) -> list[str]:
    """Return what a reader has to know of the rows behind the numbers."""
    settings = comparison.settings
    first, second = comparison.systems
    notes = [
        _conservation(settings["rows"], settings, settings["missing"]),
        f"Difference: {second} minus {first}; wins and losses are those of {second}.",
    ]
    if settings["by"]:
        notes.append(
            "p (Holm) is adjusted for the number of slices; the value of all rows is not among them."
        )
    return notes


def _report_title(report: Report) -> str:
    settings = report.summary.settings
    what = "Scores" if settings.score is None else f"Column {settings.score}"
    return f"{what} by {' and '.join(settings.by)}" if settings.by else f"{what} of all rows"


def _comparison_title(comparison: Comparison) -> str:
    first, second = comparison.systems
    return f"{second} against {first}: {comparison.metric}"


def _by_name(by: Sequence[str]) -> str:
    return f"By {' and '.join(by)}" if by else "All rows"


def _conservation(rows: int, counts: dict[str, Any], missing: str) -> str:
    parts = [f"{counts['n']:,} scored"]
    if counts["n_unanswerable"]:
        parts.append(f"{counts['n_unanswerable']:,} without an answer")
    if counts["n_missing"] and missing == "drop":
        parts.append(f"{counts['n_missing']:,} without a prediction")
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
        elif name in (*_SHOWN_SCORES, "difference"):
            kinds[column] = "score"
        elif name in _P_VALUES:
            kinds[column] = "number"
    return kinds


def _report_rows(report: Report) -> pl.DataFrame:
    frame = report.to_polars()
    by = report.summary.settings.by
    shown = [column for column in _SHOWN_SCORES if column in frame.columns and column not in by]
    labels = {"anls": "ANLS", "nls": "NLS", "exact_match": "exact match", "cer_corpus": "CER (corpus)"}
    if report.summary.settings.score is not None:
        labels["score"] = report.summary.settings.score
    return _shown(frame, by, ["n", *shown], labels)


def _comparison_rows(comparison: Comparison) -> pl.DataFrame:
    columns = ["n", *comparison.systems, "difference", *_P_VALUES, "wins", "ties", "losses"]
    labels = {"p_value": "p", "p_holm": "p (Holm)"}
    return _shown(comparison.to_polars(), comparison.settings["by"], columns, labels)


def _shown(
    frame: pl.DataFrame, by: Sequence[str], columns: Sequence[str], labels: dict[str, str]
) -> pl.DataFrame:
    """Return the rows as texts: keys, counts, and scores with their intervals in brackets."""
    overall = frame["slice"] == "overall"
    keys = {
        key: [
            _ALL_ROWS if is_overall and index == 0 else "" if is_overall else visible(str(value))
            for is_overall, value in zip(overall, frame[key].to_list(), strict=True)
        ]
        for index, key in enumerate(by)
    }
    if not by:
        keys = {"": [_ALL_ROWS]}
    # A label that is the name of another column gives way to the column's own.
    taken = {*by, *columns}
    names = {column: labels.get(column, column) for column in columns}
    cells = {
        column if name in taken else name: [_cell(row, column) for row in frame.iter_rows(named=True)]
        for column, name in names.items()
    }
    rows = pl.DataFrame({**keys, **cells}, schema=dict.fromkeys([*keys, *cells], pl.String))
    return rows.rename(visible)


def _cell(row: dict[str, Any], column: str) -> str:
    value = row[column]
    if value is None:
        return "\N{EN DASH}"
    if isinstance(value, int):
        return f"{value:,}"
    if column in _P_VALUES:
        return f"{value:.4f}" if value >= 0.00005 else "<0.0001"  # noqa: PLR2004 - half of the last digit
    text = f"{value:+.3f}" if column == "difference" else f"{value:.3f}"
    low, high = row.get(f"{column}_low"), row.get(f"{column}_high")
    if column in _WITH_INTERVAL and low is not None and high is not None:
        sign = "+" if column == "difference" else ""
        text += f" [{low:{sign}.3f}, {high:{sign}.3f}]"
    return text


def _text(title: str, rows: pl.DataFrame, notes: Sequence[str]) -> str:
    with pl.Config(
        tbl_rows=-1,
        tbl_cols=-1,
        tbl_width_chars=-1,
        fmt_str_lengths=60,
        tbl_hide_column_data_types=True,
        tbl_hide_dataframe_shape=True,
    ):
        table = str(rows.head(_TEXT_ROWS))
    more = rows.height - _TEXT_ROWS
    # What a terminal would obey is shown by symbols: names of columns may hold it too.
    title, *notes = (visible(line) for line in (title, *notes))
    lines = [title, table, *([f"... and {more:,} more slices"] if more > 0 else []), *notes]
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
