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
    "whole": "All rows",
    "judged": "anls",
}
"""
Of questions, or of anything else: words for a row, its answer, its prediction and what predicts, the name
of the table of all rows, and the score that people judge.
"""

PAGES: Names = {
    **ROWS,
    "row": "page",
    "answer": "reference",
    "prediction": "read",
    "model": "engine",
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


def named_rows(noun: str) -> Names:
    """Return the words for rows that are called by a plural, such as "utterances"."""
    if not (isinstance(noun, str) and noun.endswith("s") and len(noun) > 1):
        raise ValueError(f"noun must be a plural that ends in s, such as 'utterances', got {noun!r}")
    row = noun.removesuffix("s")
    return PAGES if row == PAGES["row"] else {**ROWS, "row": row, "whole": f"All {noun}", "question_id": row}
