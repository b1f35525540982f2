"""Headings for people, in place of column names, which data formats keep."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from anls_frame._text import distinct
from anls_frame.export.columns import COLUMNS, Column, figure_of, heading_of


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
        Headings of columns, where they differ from those of `COLUMNS`.
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
        return self.columns.get(column) or heading_of(column)


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


def headings(
    names: Iterable[str], own: Mapping[str, str], columns: Mapping[str, Column] = COLUMNS
) -> dict[str, str]:
    """
    Return the headings of columns.

    Parameters
    ----------
    names
        The shown columns, in order.
    own
        Names of metrics, and headings that are specific to this table, such as those of keys, which keep
        their names.
    columns
        What is known of columns.
    """
    known = {name: column.heading for name, column in columns.items() if column.heading} | dict(own)
    # The ends of an interval are headed by its figure.
    named = {
        name: known.get(name)
        or known.get(figure_of(name), figure_of(name)) + name.removeprefix(figure_of(name)).replace("_", ", ")
        for name in names
    }
    taken = [*named.values()]
    # Two columns with the same heading keep their names, unless the caller gave the heading.
    unlike = (
        heading if name in own or taken.count(heading) == 1 else name for name, heading in named.items()
    )
    return dict(zip(named, distinct(unlike), strict=True))
