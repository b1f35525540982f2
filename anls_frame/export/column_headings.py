"""Headings for people, in place of column names, which data formats keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from anls_frame._text import distinct


@dataclass(frozen=True)
class RowNames:
    """
    The names for rows and their texts, by default of questions or of anything else.

    Attributes
    ----------
    row, answer, prediction
        A row, its answer and its prediction.
    system
        What predicts.
    scores
        What a title calls several scores.
    whole
        Name of the table of all rows.
    losses
        What judged rows lost, of what all of them lost.
    metric
        The score that rows lose in.
    corrected
        The scores that verdicts on a sample correct.
    flatters
        Why a score without judged rows is not the corrected one.
    columns
        Names of columns, where they differ from `NAMES`.
    """

    row: str = "row"
    answer: str = "answer"
    prediction: str = "prediction"
    system: str = "model"
    scores: str = "Scores"
    whole: str = "All rows"
    losses: str = "they lost {of_judged} of {of_all} points"
    metric: Literal["anls", "cer"] = "anls"
    corrected: tuple[str, ...] = ("anls",)
    flatters: str = "A score without rows flatters: it leaves out lost points alone."
    columns: dict[str, str] = field(default_factory=dict)

    @property
    def every(self) -> str:
        """The label of all rows."""
        return f"all {self.row}s"

    def heading(self, column: str) -> str:
        """Return the heading of a column for people."""
        return self.columns.get(column) or NAMES.get(column, column)


ROWS = RowNames()
"""Of questions, or of anything else."""

PAGES = RowNames(
    row="page",
    answer="reference",
    prediction="read",
    system="engine",
    scores="Error rates",
    whole="All pages together",
    losses="they have {of_judged} of {of_all} character errors",
    metric="cer",
    corrected=("cer", "wer"),
    flatters="A rate without pages flatters: it leaves out errors alone.",
    columns={
        "n": "pages",
        "question_id": "page",
        "doc_id": "collection",
        "answers": "reference",
        "prediction": "read",
        "share_of_rows": "of the pages",
        "share_of_loss": "of the errors",
        "rows": "pages",
        "lost_points": "character errors",
        "share_of_lost": "of all character errors",
    },
)
"""Of pages, whose errors are counted."""

NAMES = {
    "n": "rows",
    "n_missing": "no prediction",
    "n_unanswerable": "no answer",
    "n_empty_reference": "empty reference",
    "n_clusters": "documents",
    "n_slices": "slices",
    "few_rows": "few rows",
    "possibly_best": "possibly best",
    "baseline_score": "baseline score",
    "p_value": "p",
    "p_adjusted": "p, adjusted",
    "anls": "ANLS",
    "nls": "NLS",
    "cer": "CER",
    "wer": "WER",
    "wer_corpus": "WER",
    "wer_mean": "WER",
    "exact_match": "exact match",
    "nearest_answer": "nearest answer",
    "error_type": "error type",
    "reference_char": "reference",
    "predicted_char": "read as",
    "share_of_errors": "of all errors",
    "share_of_reference": "of the reference",
    "description": "slice",
    "share_of_rows": "of the rows",
    "share_of_loss": "of the lost points",
    "lost_points": "lost points",
    "share_of_lost": "of all lost points",
    "question_id": "question",
}
"""Names of columns that results have, where they differ from the columns' own."""

_ENDS = {"_low": ", low", "_high": ", high"}


def headings(columns: Iterable[str], labels: Mapping[str, str]) -> dict[str, str]:
    """
    Return the headings of columns.

    Parameters
    ----------
    columns
        The shown columns, in order.
    labels
        Names of metrics, and headings that are specific to this table, such as those of keys, which keep
        their names.
    """
    named = {column: _heading(column, labels) for column in columns}
    taken = [*named.values()]
    # Two columns with the same heading keep their names, unless the caller gave the heading.
    unlike = (
        heading if column in labels or taken.count(heading) == 1 else column
        for column, heading in named.items()
    )
    return dict(zip(named, distinct(unlike), strict=True))


def _heading(column: str, labels: Mapping[str, str]) -> str:
    names = NAMES | dict(labels)
    if column in names:
        return names[column]
    for ending, spoken in _ENDS.items():
        if column.endswith(ending):
            return names.get(column.removesuffix(ending), column.removesuffix(ending)) + spoken
    return column
