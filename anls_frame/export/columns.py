"""Every column of every result: its name in data formats, its heading and format, and what it means."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Literal, TypeAlias, TypeVar

import polars as pl

from anls_frame.export.kinds import Kind, difference_kind
from anls_frame.export.row_names import ROWS, Names, of_rows

Value = TypeVar("Value")

OnScreen: TypeAlias = Literal["interval", "figure", "nothing"]
"""What the narrow tables of terminals and notebooks show of a figure."""

FEW = "*"
"""Mark on the number of rows of a slice with few rows."""
POSSIBLY_BEST = "●"
"""Mark on the ranks of a system that is possibly the best one."""


@dataclass(frozen=True)
class Column:
    """
    A column of a result.

    Attributes
    ----------
    name
        Its name in data formats. The ends of its intervals are in `ends_of` it.
    meaning
        What it says, as a phrase; `{row}` is the word for a row, here and in `heading`.
    kind
        Its format, by default that of its dtype.
    heading
        What people read above it, by default its name.
    on_screen
        What a narrow table shows of it.
    mark
        Of truth values, the column on whose figures people see them, and the mark.
    may_lack
        Whether tables do without it where it is null or 0 in all rows.
    """

    name: str
    meaning: str = ""
    kind: Kind | None = None
    heading: str = ""
    on_screen: OnScreen = "interval"
    mark: tuple[str, str] | None = None
    may_lack: bool = False


def ends_of(name: str) -> tuple[str, str]:
    """Return the columns with the ends of the intervals of a figure."""
    return f"{name}_low", f"{name}_high"


def with_ends(*figures: str) -> tuple[str, ...]:
    """Return the columns of figures, each followed by the ends of its intervals."""
    return tuple(chain.from_iterable((figure, *ends_of(figure)) for figure in figures))


def interval(name: str, figure: Value, low: Value, high: Value) -> dict[str, Value]:
    """Return a figure and the ends of its interval by the names of their columns."""
    return dict(zip(with_ends(name), (figure, low, high), strict=True))


def figure_of(name: str) -> str:
    """Return the column of the figure whose intervals a column ends, if it does, or the column."""
    return name.removesuffix("_low").removesuffix("_high")


def by_name(columns: Iterable[Column]) -> dict[str, Column]:
    """Return columns by their names."""
    return {column.name: column for column in columns}


SCORE, RANK, DIFFERENCE = with_ends("score"), with_ends("rank"), with_ends("difference")
TESTED = (*DIFFERENCE, "p_value", "p_adjusted")
"""A difference, and the tests of it."""
VOTES = ("wins", "ties", "losses")
CHARACTERS = ("reference_char", "predicted_char")
"""Columns of edits."""

COUNTS = (
    Column("slice", "overall for all {row}s together, group for a slice"),
    Column("n", "scored {row}s", "count", "{row}s"),
    Column(
        "few_rows",
        "few {row}s or documents, or a figure that rests on few of them: treat the interval as rough",
        heading="few rows",
        mark=("n", FEW),
    ),
    Column("n_missing", "{row}s without a prediction", "count", "no prediction", "nothing", may_lack=True),
    Column(
        "n_unanswerable", "{row}s without an accepted answer", "count", "no answer", "nothing", may_lack=True
    ),
    Column(
        "n_empty_reference",
        "scored {row}s whose reference has no text",
        "count",
        "empty reference",
        "nothing",
        may_lack=True,
    ),
    Column(
        "n_clusters", "documents that the {row}s come from", "count", "documents", "nothing", may_lack=True
    ),
)
"""Columns of reports that are no scores."""

LENGTHS = (
    Column("words", "words of the references", "count"),
    Column("characters", "characters of the references", "count"),
)
"""Columns of reports of pages with the lengths of the references."""

FIGURES = (
    Column("table", "the columns that this table of slices crosses"),
    Column("metric", "name of the score"),
    Column("system", "name of what is scored"),
    Column("baseline", "name of the system with which it is compared"),
    Column("n_slices", "slices that the average is taken over", "count", "slices"),
    Column("score", "the score of the system", "score"),
    Column("baseline_score", "the score of the baseline", "score", "baseline score"),
    Column("difference", "the score of the system minus that of the baseline", "difference"),
    Column("rest", "the score of all other {row}s"),
    Column(
        "p_value",
        "probability of a difference at least as large if there were none",
        "p_value",
        "p",
    ),
    Column(
        "p_adjusted",
        "p, corrected for the number of tests",
        "p_value",
        "p, adjusted",
    ),
    Column("wins", "{row}s on which the system is better than the baseline", "count"),
    Column("ties", "{row}s on which both are equal", "count"),
    Column("losses", "{row}s on which the system is worse than the baseline", "count"),
    Column("rank", "the observed rank, and the range of ranks that the data allow", "rank"),
    Column(
        "possibly_best",
        "no other system is significantly better",
        heading="possibly best",
        mark=("rank", f" {POSSIBLY_BEST}"),
    ),
    Column("best", "the systems with the best score of each slice", "note"),
)
"""Columns of comparisons, and of figures of any result."""

_WORDS = "edits of words of the {row} divided by the words of its reference"

ROW_TABLES = (
    # Names and texts speak for themselves.
    Column("question_id", heading="question"),
    Column("doc_id"),
    Column("answers"),
    Column("prediction"),
    Column("anls", "the {row}'s similarity to its nearest answer, 0 below the threshold", "score", "ANLS"),
    Column("nls", "the {row}'s similarity to its nearest answer, without a threshold", "score", "NLS"),
    Column("exact_match", "whether the prediction of the {row} equals an answer", "score", "exact match"),
    Column("cer", "edits of the {row} divided by the characters of its reference", "rate", "CER"),
    Column("wer", _WORDS, "rate", "WER"),
    Column("wer_corpus", _WORDS, "rate", "WER"),
    Column("wer_mean", _WORDS, "rate", "WER"),
    Column("nearest_answer", "the accepted answer that is most similar", heading="nearest answer"),
    Column("verdict", "what a person says of the {row}"),
    Column("rows", "{row}s with this verdict", "count", "{row}s"),
    Column("lost_points", "what these {row}s lack to the best score", heading="loss"),
    Column("share_of_lost", "their share of the loss of all {row}s", "percent", "of the total loss"),
)
"""Columns of tables of rows, and of verdicts on them."""

ERRORS = (
    Column(
        "error_type", "how the predictions of these {row}s differ from their answers", heading="error type"
    ),
    Column("cause", "why the {row}s score less than 1; every loss has one cause"),
    Column("loss", "by how much this lowers the score of all {row}s", "score"),
    Column("share", "share of all {row}s", "percent"),
    Column("reference_char", "a character of the reference", "note", "reference"),
    Column("predicted_char", "what was read in its place", "note", "read as"),
    Column("scripts", "scripts of both letters, which may look the same", "note"),
    Column("count", "how often it was read so", "count"),
    Column("n_distant", "{row}s whose NLS is too low for a misread answer", "count", "lower NLS", "nothing"),
    Column("share_of_errors", "share of all substitutions", "percent", "of all errors"),
    Column(
        "share_of_reference",
        "share of the times that the character occurs in the references",
        "percent",
        "of the reference",
    ),
)
"""Columns of error types, causes and substitutions."""


def _of_agreement(name: str, meaning: str) -> tuple[Column, Column]:
    """Return the columns of a figure of agreement, and of the mark on figures of few documents."""
    few = "few documents carry the figure: treat its interval as rough"
    return (
        Column(name, meaning, "score", "", "nothing"),
        Column(f"{name}_few_rows", few, heading=f"few rows for {name}", mark=(name, FEW)),
    )


CORRECTED = (
    Column("n_audited", "{row}s with a verdict", "count", "judged"),
    Column("n_clusters_audited", "documents with a judged {row}", "count", "documents judged", "nothing"),
    Column("score", "the mean of the given scores", "score"),
    Column("corrected", "the mean verdict, estimated for all {row}s", "score"),
    Column("bias", "the given score minus the corrected one", "difference"),
    Column(
        "bias_few_rows",
        "the bias rests on few documents in which score and verdict differ: treat its interval as rough",
        heading="few rows for the bias",
        mark=("bias", FEW),
    ),
    Column(
        "audit",
        "the interval of the mean verdict of precisely these {row}s, rather than of {row}s like them",
        "score",
        "these {row}s alone",
        "nothing",
    ),
    Column(
        "audit_share",
        "share of the variance that verdicts on all {row}s would remove; the rest needs more documents",
        "score",
        "removable variance",
        "nothing",
    ),
    Column("right_share", "share of judged {row}s that are right", "score", "judged right", "nothing"),
    *_of_agreement("agreement", "share of judged {row}s whose score is the verdict, if all are 0 or 1"),
    *_of_agreement("sensitivity", "right answers passed: share of {row}s judged right that are scored 1"),
    *_of_agreement("specificity", "wrong answers caught: share of {row}s judged wrong that are scored 0"),
    *_of_agreement(
        "kappa", "Cohen's kappa: agreement beyond chance; it falls if nearly all {row}s are right"
    ),
    Column("tuning", "λ, the weight of the given scores in the estimate", "number", "", "nothing"),
    Column(
        "equivalent_verdicts",
        "number of verdicts that alone would give an interval of this width",
        "count",
        "equivalent verdicts",
        "nothing",
    ),
    Column(
        "given_difference",
        "the difference of the given scores",
        "difference",
        "given difference",
    ),
    Column("difference", "the corrected score of the system minus that of the baseline", "difference"),
    Column("p_value", "p of the corrected difference", "p_value", "p", "nothing"),
)
"""Columns of corrected scores, where they are not those of other results."""

STEPS = (
    Column("rule", "what the step is about"),
    Column("step", "what to do", "note"),
    Column("gain", "by how much the score could rise, with the interval", "points"),
    Column("call", "the call that does it", "note"),
    Column("example", "a {row} that loses by this cause, with its accepted answer", "note", "", "nothing"),
    Column("role", "what the column was taken for"),
    Column("column", "the column, and how it was chosen"),
    Column("option", "the option that changes it", "note"),
)
"""Columns of overviews."""

SELECTIVE = (
    Column("signal", "the confidence by which {row}s are ordered", heading="confidence"),
    Column("n_no_confidence", "{row}s without confidence, not accepted", "count", "no confidence", "nothing"),
    Column("n_distinct", "different confidences", "count", "distinct confidences", "nothing"),
    Column("score", "the mean score of all {row}s", "score"),
    Column(
        "augrc",
        "loss of accepted {row}s as a share of all, averaged over all thresholds (lower is better)",
        "score",
        "AUGRC",
    ),
    Column("baseline_augrc", "AUGRC of the first confidence", "score", "baseline AUGRC"),
    Column(
        "aurc",
        "mean loss of accepted {row}s, averaged over all thresholds (lower is better)",
        "score",
        "AURC",
        "nothing",
    ),
    Column("eaurc", "AURC minus that of the best order", "score", "excess AURC", "nothing"),
    Column(
        "auroc",
        "probability that a right {row} has a higher confidence than a wrong one",
        "score",
        "AUROC",
        may_lack=True,
    ),
    Column("bias", "mean confidence minus mean score", "difference", "", "nothing"),
    Column(
        "ece",
        "mean distance between confidence and score, in bins of equal size",
        "score",
        "calibration error",
        "nothing",
    ),
    Column("difference", "AUGRC minus the baseline AUGRC (negative is better)", "difference"),
    Column("threshold", "the lowest confidence to accept"),
    Column("n_accepted", "{row}s with at least this confidence", "count", "accepted"),
    Column("n_clusters_accepted", "documents with an accepted {row}", "count", "documents accepted"),
    Column("accepted", "share of all {row}s that are accepted", "percent", "share accepted"),
    Column(
        "naive_accepted",
        "share accepted by the lowest threshold with an observed risk of at most the target",
        "percent",
        "accepted without guarantee",
    ),
    Column("risk", "mean loss of the accepted {row}s", "percent"),
    Column(
        "risk_bound",
        "one-sided upper bound of the risk, which is compared with the target; it allows for all slices "
        "together and for correlated losses that these rows may not show, so it can lie above the interval",
        "percent",
        "bound of the risk",
    ),
    Column(
        "correlation",
        "assumed correlation of a document's losses: that of all {row}s, at least 0.3; 1 if none is wrong",
        "score",
        "correlation of losses",
        "nothing",
    ),
    Column("status", "certified, or why there is no threshold"),
    Column(
        "documents_needed",
        "documents that would certify the target if losses are as frequent and as correlated as here",
        "count",
        "documents needed",
    ),
)
"""Columns of confidences, where they are not those of other results."""

FOUND = (
    Column("description", "the conditions that its {row}s meet", "text", "slice"),
    Column("n_clusters", "documents with such a {row}", "count", "documents", may_lack=True),
    Column("score", "the score of the slice", "score"),
    Column("baseline_score", "the score of the baseline in the slice", "score", "baseline score", "nothing"),
    Column("change", "the score minus that of the baseline, in the slice", "difference"),
    Column("rest", "the same figure of all other {row}s", "score"),
    Column("difference", "the figure of the slice minus that of the rest", "difference", "", "nothing"),
    Column("share_of_rows", "share of all scored {row}s", "share", "of the {row}s"),
    Column("share_of_loss", "share of what all {row}s lack to the best score", "share", "of the total loss"),
    Column(
        "overlapping",
        "other slices that are worse, but not outside this one",
        "note",
        "overlaps with",
    ),
)
"""Columns of found slices, where they are not those of other results."""

OVERLAPS = (Column("more", "further slices that it overlaps with", "count", may_lack=True),)
"""Columns of the table of slices that overlap."""

DOCUMENTS = (
    Column("n_fields", "fields of the document", "count", "fields"),
    Column("n_wrong", "fields that are not right", "count", "wrong fields"),
    Column("all_right", "whether every field is right", heading="wholly right"),
)
"""Columns of whole documents."""

RESULTS = {
    "Rows and documents": COUNTS,
    "Lengths of pages": LENGTHS,
    "Scores and comparisons": FIGURES,
    "Tables of rows": ROW_TABLES,
    "Error types and substitutions": ERRORS,
    "Whole documents": DOCUMENTS,
    "Corrected scores": CORRECTED,
    "Confidences": SELECTIVE,
    "Overviews": STEPS,
    "Found slices": (*FOUND, *OVERLAPS),
}
"""All columns, by the results that have them."""

_EVERY = list(chain.from_iterable(RESULTS.values()))

COLUMNS = by_name(reversed(_EVERY))
"""All columns by name; where results differ, as the first of them has it."""

_HEADINGS = {(column.name, column.heading) for column in _EVERY}

MARKS = {column.name: column.mark for column in _EVERY if column.mark is not None}
"""Columns of truth values that people see as a mark on the figures of another column."""

LEAST = (
    *("losses", "ties", "wins", "substitutions", "deletions", "insertions", "cer_mean", "wer_mean"),
    *("zeros", "nls", "p_value", "n_clusters", "share_of_rows", "bag_of_words", "reading_order_free_cer"),
    *("words", "characters", "wrong_share", "field_precision", "field_recall", "precision", "recall"),
    "share_of_loss",
)
"""What narrow terminals, pages and workbooks leave out first, in this order."""


def schema_of(*names: str, of: Iterable[Column] = ()) -> dict[str, pl.DataType]:
    """Return the dtypes of columns of a result, which follow from their kinds."""
    columns, dtypes = COLUMNS | by_name(of), dict[str, pl.DataType]()
    kinds: dict[Kind | None, pl.DataType] = {"count": pl.Int64(), "text": pl.String(), None: pl.String()}
    for name in names:
        column = columns[figure_of(name)]
        dtypes[name] = pl.Boolean() if column.mark else kinds.get(column.kind, pl.Float64())
    return dtypes


def listing(*names: str, of: Iterable[Column] = ()) -> Callable[[Value], Value]:
    """Write what columns of a result say into a docstring, in place of `{columns}`."""
    columns = COLUMNS | by_name(of)

    def listed(function: Value) -> Value:
        lines = []
        for figure in dict.fromkeys(map(figure_of, names)):
            named = ", ".join(f"`{name}`" for name in with_ends(figure) if name in names)
            lines.append(f"- {named}: {of_rows(columns[figure].meaning)}")
        before, _, after = (function.__doc__ or "").partition("{columns}")
        indent = before[before.rfind("\n") :]
        function.__doc__ = before + f";{indent}".join(lines) + "." + after
        return function

    return listed


def of_kinds(kinds: Mapping[str, Kind]) -> dict[str, Column]:
    """Return columns with known kinds and nothing else."""
    return by_name(Column(name, kind=kind) for name, kind in kinds.items())


def headed(columns: Mapping[str, Column], headings: Mapping[str, str]) -> dict[str, Column]:
    """Return columns with the given headings in place of their own."""
    own = (replace(columns.get(name, Column(name)), heading=text) for name, text in headings.items())
    return {**columns, **by_name(own)}


def heading_of(name: str, names: Names = ROWS, columns: Mapping[str, Column] = COLUMNS) -> str:
    """Return what people read above a column; the ends of an interval are headed by its figure."""
    figure = name if name in columns else figure_of(name)
    if figure not in columns:
        return name
    # A heading that a table alone has is not a word for rows.
    word = names.get(figure) if has_usual_heading(figure, columns) else None
    heading = of_rows(word or columns[figure].heading or figure, names)
    return heading + name.removeprefix(figure).replace("_", ", ")


def kind_of(name: str) -> Kind | None:
    """Return the kind of a column; a figure of the baseline, and a difference, follow from the figure."""
    if name in COLUMNS:
        return COLUMNS[name].kind
    is_difference = name.endswith("_difference")
    figure = COLUMNS.get(name.removeprefix("baseline_").removesuffix("_difference"))
    kind = figure.kind if figure else None
    return difference_kind(kind) if kind and is_difference else kind


def has_usual_heading(name: str, columns: Mapping[str, Column]) -> bool:
    """Return whether a column has a heading of results, rather than one of this table alone."""
    return name in columns and (name, columns[name].heading) in _HEADINGS
