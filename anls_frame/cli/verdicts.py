"""Verdicts beside the rows that they were given on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

import anls_frame as af
from anls_frame._text import numbered
from anls_frame.export.verdicts import digest

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from anls_frame.cli.options import Reporting

__all__ = ["joined", "lost_points"]

_ROW, _KEY, _DIGEST = "__anls_frame_row", "__anls_frame_key", "__anls_frame_digest"


def joined(
    verdicts: pl.DataFrame, frame: pl.LazyFrame, predictions: Sequence[str], path: Path
) -> pl.DataFrame:
    """
    Return the judged rows of a frame with the column `verdict`; the predictions are those of each system.

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
    found = _same(rows.join(given.lazy(), on=_ROW).collect(engine="streaming"), predictions)
    if found.height < given.height and "question_id" in columns:
        # Rows have moved since, or are new.
        known = rows.with_columns(pl.col("question_id").cast(pl.String).alias(_KEY))
        moved = given.join(found, on=_ROW, how="anti").drop(_ROW)
        more = _same(known.join(moved.lazy(), on=_KEY).collect(engine="streaming"), predictions)
        found = pl.concat([found, more.select(found.columns)])
    missing = given.height - found.height
    if missing:
        raise ValueError(
            f"{path}: the texts of {numbered(missing, 'row')} of {given.height:,} have changed since the "
            "verdict, or the page had other systems, or the same in another order"
        )
    return found.sort(_ROW).drop(_ROW)


def lost_points(
    judged: pl.DataFrame,
    frame: pl.LazyFrame,
    systems: Mapping[str, str],
    scoring: Reporting,
    not_the_models: Sequence[str],
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """
    Return what the judged rows of each verdict lost, and what each system lost.

    Of each system these are the number of its scored rows, the points that all of them lost, those of judged
    rows, and of these the ones whose verdicts say that they are not the model's errors; then the score of all
    rows, and number and score of those that are left without the latter.
    """
    tables, totals = [], []
    for name, column in systems.items():
        lost = 1 - af.anls(
            *(column, "answers"),
            protocol=scoring.protocol,
            threshold=scoring.threshold,
            missing="null" if scoring.missing == "drop" else "empty",
        )
        own = judged.select("verdict", lost=lost)
        of_all = frame.select(n=lost.count(), lost=lost.sum()).collect(engine="streaming")
        table = own.group_by("verdict").agg(pl.len().alias("rows"), pl.col("lost").sum().alias("lost_points"))
        shares = table.sort("verdict").with_columns(share_of_lost=pl.col("lost_points") / of_all["lost"][0])
        tables.append(shares.select(pl.lit(name).alias("system"), pl.all()))
        others = own.filter(pl.col("verdict").is_in(not_the_models))["lost"]
        n, total = of_all.row(0)
        n_left = n - others.count()
        left = 1 - (total - others.sum()) / n_left if n_left else None
        score = 1 - total / n if n else None
        totals.append((name, n, total, own["lost"].sum(), others.sum(), score, n_left, left))
    names = [
        *("system", "n", "lost_points", "lost_points_of_judged", "not_the_models"),
        *("score", "n_without", "score_without"),
    ]
    return pl.concat(tables), pl.DataFrame(totals, schema=names, orient="row")


def _same(rows: pl.DataFrame, predictions: Sequence[str]) -> pl.DataFrame:
    """Return the rows whose texts are those of their verdicts."""
    given = rows.select("answers", _DIGEST, *predictions).iter_rows()
    are_same = [
        digest(texts, [answers] if isinstance(answers, str) else answers) == known
        for answers, known, *texts in given
    ]
    return rows.filter(pl.Series(are_same, dtype=pl.Boolean)).drop(_KEY, _DIGEST)
