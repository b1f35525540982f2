"""Words for rows: a page says "pages" where other results say "rows"."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Names: TypeAlias = Mapping[str, str]
"""Words for rows and their texts, and headings of columns in place of those of `COLUMNS`."""

ROWS: Names = {
    "row": "row",
    "answer": "answer",
    "prediction": "prediction",
    "model": "model",
    "scores": "Scores",
    "whole": "All rows",
    "judged": "anls",
}
"""
Of questions, or of anything else: words for a row, its answer, its prediction and what predicts, what a title
calls several scores, the name of the table of all rows, and the score that people judge.
"""

PAGES: Names = {
    **ROWS,
    "row": "page",
    "answer": "reference",
    "prediction": "read",
    "model": "engine",
    "scores": "Error rates",
    "whole": "All pages together",
    "judged": "cer",
    "question_id": "page",
    "doc_id": "collection",
    "answers": "reference",
    "share_of_loss": "of the errors",
    "lost_points": "character errors",
    "share_of_lost": "of all character errors",
}
"""Of pages, whose errors are counted."""


def of_rows(text: str, names: Names = ROWS) -> str:
    """Return a heading or a meaning with the word for a row."""
    return text.replace("{row}", names["row"])


def every(names: Names = ROWS) -> str:
    """Return the label of all rows."""
    return f"all {names['row']}s"
