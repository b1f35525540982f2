"""
Cells of quantiles, with the number of rows for each score.

A quantile cannot be computed from sums. Its cells have a line for each score that occurs, and lines with
equal scores add up. Scores are exact in memory; saved or sent cells have scores rounded to three significant
digits, so that there are few lines.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

SCORE = "score"
"""Column of cells with the score of their rows, null for rows without one."""

ROUNDED = "score_rounded"
"""The same, rounded."""

COLUMNS = (SCORE, ROUNDED)

_DIGITS = 3


def column_of(cells: pl.DataFrame) -> str:
    """Return the column with the scores."""
    return SCORE if SCORE in cells.columns else ROUNDED


def rounded(cells: pl.DataFrame) -> pl.DataFrame:
    """Return cells with rounded scores, some of which become equal; other cells stay unchanged."""
    if SCORE not in cells.columns:
        return cells
    score = pl.col(SCORE).round_sig_figs(_DIGITS)
    return cells.with_columns(score.alias(SCORE)).rename({SCORE: ROUNDED})


def alike(parts: Sequence[pl.DataFrame]) -> Sequence[pl.DataFrame]:
    """Return cells of parts, with rounded scores if the scores of any part are rounded."""
    return [rounded(part) for part in parts] if any(ROUNDED in part.columns for part in parts) else parts
