"""Repeated ids, which in two files suggest two systems rather than one system with twice the rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl

from anls_frame._text import listed, numbered, quoted

if TYPE_CHECKING:
    from pathlib import Path

MOST_ROWS = 5_000_000
"""The ids of more rows would take too much memory, so they are not checked."""
_SHOWN = 3


class Ids:
    """The ids of several files."""

    def __init__(self) -> None:
        self._frames: dict[str, pl.LazyFrame] = {}
        self._hashes: list[pl.DataFrame] = []
        self._rows = 0

    def add(self, path: Path, frame: pl.LazyFrame) -> None:
        """
        Add the ids of one more file.

        Raises
        ------
        ValueError
            If an id is also in another file. Not every call checks this, so call `check` at the end.
        """
        if "question_id" not in frame.collect_schema() or self._rows > MOST_ROWS:
            return
        own = pl.lit(len(self._frames), pl.UInt32).alias("file")
        hashes = frame.select(pl.col("question_id").hash().alias("id"), own, pl.col("question_id").is_null())
        known = hashes.filter(~pl.col("question_id")).drop("question_id").collect(engine="streaming")
        self._frames[str(path)] = frame
        self._hashes.append(known)
        self._rows += known.height
        if len(self._frames).bit_count() == 1:  # rare enough to cost little, early enough to save work
            self.check()

    def check(self) -> None:
        """Raise an error if an id is in several files."""
        if len(self._hashes) < 2:  # noqa: PLR2004 - two make a pair
            return
        owners = pl.concat(self._hashes).group_by("id").agg(pl.col("file").unique().sort())
        shared = owners.filter(pl.col("file").list.len() > 1)
        if not shared.height:
            return
        files = pl.col("file").list
        pairs = shared.select(first=files.get(0), second=files.get(1)).unique()
        pair = [list(self._frames)[index] for index in pairs.sort("first", "second").row(0)]
        ids = self._common(*pair)
        if ids:
            shared_ids = listed([quoted(shared_id) for shared_id in ids], _SHOWN)
            raise ValueError(
                f"{pair[0]} and {pair[1]} have ids in common ({shared_ids}); "
                "their rows would count as those of one system. To compare two systems: anls-frame compare "
                f"{pair[0]} {pair[1]}. For repeated answers to the same questions, pass "
                "--repeats; for different questions, --allow-repeated-ids"
            )

    def _common(self, first: str, second: str) -> list[str]:
        """Return the ids themselves, because hashes may be equal by chance."""
        ids = [self._frames[name].select("question_id") for name in (first, second)]
        common = ids[0].join(ids[1], on="question_id", how="semi", maintain_order="left")
        return common.unique(maintain_order=True).collect(engine="streaming")["question_id"].to_list()


def note_of_repeated(frame: pl.LazyFrame, rows: int) -> str | None:
    """
    Return a note on rows that repeat an id, because they are not independent observations.

    The note ends before the option to pass.
    """
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
        "independent, so the intervals are too narrow: name a column that they share with "
    )
