"""Verdicts beside the rows that they were given on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import polars as pl

import anls_frame as af
from anls_frame.summary.rows import with_unanswerable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from anls_frame.cli.options import Reporting

__all__ = ["judged", "lost_points"]


def judged(
    verdicts: pl.DataFrame, frame: Any, systems: Mapping[str, str], path: Path, *, id_column: str | None
) -> pl.DataFrame:
    """Return the rows that have a verdict; messages name the file of the verdicts and the shell's option."""
    columns = frame.lazy().collect_schema().names()
    if id_column is None and "question_id" in columns and verdicts["id"].count():
        id_column = "question_id"
    prediction = systems if len(systems) > 1 else next(iter(systems.values()))
    try:
        rows: pl.DataFrame = af.judged(frame, verdicts, prediction, "answers", id=id_column)
    except ValueError as error:
        raise ValueError(f"{path}: {str(error).replace('id=', '--id')}") from None
    return rows


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
    unanswerable: Any = scoring.unanswerable
    missing: Any = scoring.missing
    texts = [*systems.values()], "answers", unanswerable
    judged = with_unanswerable(judged.lazy(), *texts).collect()
    frame = with_unanswerable(frame, *texts)
    for name, column in systems.items():
        lost = 1 - af.anls(
            *(column, "answers"),
            protocol=scoring.protocol,
            missing=missing,
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
