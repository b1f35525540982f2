"""Verdicts beside the rows that they were given on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame._text import numbered
from anls_frame.export.verdicts import digest

if TYPE_CHECKING:
    from pathlib import Path

__all__ = ["joined"]

_ROW, _KEY, _DIGEST = "__anls_frame_row", "__anls_frame_key", "__anls_frame_digest"


def joined(verdicts: pl.DataFrame, frame: pl.LazyFrame, path: Path) -> pl.DataFrame:
    """
    Return the judged rows of a frame with the column `verdict`.

    Raises
    ------
    ValueError
        If the texts of a row are others than those that were judged.
    """
    columns = frame.collect_schema().names()
    if "verdict" in columns:
        raise ValueError("the results have a column 'verdict' already")
    if verdicts.is_empty():
        raise ValueError(f"{path}: there are no verdicts in it")
    given = verdicts.select(
        pl.col("row").alias(_ROW),
        "verdict",
        pl.col("digest").alias(_DIGEST),
        pl.col("id").cast(pl.String).alias(_KEY),
    )
    rows = frame.with_row_index(_ROW)
    found = _same(rows.join(given.lazy(), on=_ROW).collect(engine="streaming"))
    if found.height < given.height and "question_id" in columns:
        # Rows have moved since, or are new.
        known = rows.with_columns(pl.col("question_id").cast(pl.String).alias(_KEY))
        moved = given.join(found, on=_ROW, how="anti").drop(_ROW)
        more = _same(known.join(moved.lazy(), on=_KEY).collect(engine="streaming"))
        found = pl.concat([found, more.select(found.columns)])
    missing = given.height - found.height
    if missing:
        raise ValueError(
            f"{path}: the texts of {numbered(missing, 'row')} of {given.height:,} have changed since the "
            "verdict, or the page was of several systems: `read_verdicts` reads those, too"
        )
    return found.sort(_ROW).drop(_ROW)


def _same(rows: pl.DataFrame) -> pl.DataFrame:
    """Return the rows whose texts are those of their verdicts."""
    texts = rows.select("prediction", "answers", _DIGEST).iter_rows()
    are_same = [
        digest([prediction], [answers] if isinstance(answers, str) else answers) == known
        for prediction, answers, known in texts
    ]
    return rows.filter(pl.Series(are_same, dtype=pl.Boolean)).drop(_KEY, _DIGEST)
