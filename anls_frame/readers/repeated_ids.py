"""Repeated ids, which in two files suggest two systems rather than one system with twice the rows."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import polars as pl

from anls_frame._text import listed, numbered, quoted
from anls_frame.readers._parquet import reading_parquet

MOST_ROWS = 5_000_000
"""The ids of more rows would take too much memory, so they are not checked."""
_SHOWN = 3


def check_disjoint(files: Mapping[str, pl.LazyFrame]) -> None:
    """
    Raise an error if an id is in several files.

    Parameters
    ----------
    files
        The rows of each file, by its name.
    """
    every: list[pl.DataFrame] = []
    for name, frame in files.items():
        if "question_id" not in frame.collect_schema() or sum(ids.height for ids in every) > MOST_ROWS:
            continue
        ids = frame.select("question_id", file=pl.lit(name)).drop_nulls().unique(maintain_order=True)
        with reading_parquet(Path(name)):
            every.append(ids.collect(engine="streaming"))
    if not every:
        return
    owners = pl.concat(every).group_by("question_id", maintain_order=True).agg("file")
    shared = owners.filter(pl.col("file").list.len() > 1)
    if shared.is_empty():
        return
    first, second = min(shared["file"].list.head(2).to_list(), key=lambda pair: [*map([*files].index, pair)])
    both = pl.col("file").list.contains(first) & pl.col("file").list.contains(second)
    shared_ids = listed(map(quoted, shared.filter(both)["question_id"]), _SHOWN)
    raise ValueError(
        f"{first} and {second} have ids in common ({shared_ids}); "
        "their rows would count as those of one system. To compare two systems: anls-frame compare "
        f"{first} {second}. For repeated answers to the same questions, pass "
        "--repeats; for different questions, --allow-repeated-ids"
    )


def note_of_repeated(frame: pl.LazyFrame, rows: int) -> str | None:
    """Return a note on rows that repeat an id, because they are not independent observations."""
    if "question_id" not in frame.collect_schema() or rows > MOST_ROWS:
        return None
    ids = pl.col("question_id")
    counting = frame.select(rows=ids.count(), ids=ids.drop_nulls().hash().n_unique())
    counts = counting.collect(engine="streaming")
    repeated = counts["rows"].item() - counts["ids"].item()
    if not repeated:
        return None
    return (
        f"{numbered(repeated, 'row')} of {rows:,} repeat the id of another row. Rows of one question are not "
        "independent, so the intervals are too narrow: name a column that they share with cluster="
    )
