"""Numbers of rows in which the second system of a pair is better or worse, for all pairs of many systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import polars as pl

from anls_frame.summary.keys import canonical


def votes(rows: pl.DataFrame, keys: Sequence[str], named: Sequence[str], *, better: bool) -> pl.DataFrame:
    """Return a line for each slice and pair; a line of the input may stand for `n` rows."""
    groups = rows.with_row_index("row").group_by(keys or pl.col("row").alias("all") * 0).agg("row")
    rows = rows[groups["row"].explode(empty_as_null=False)]
    sizes = groups["row"].list.len().to_numpy().astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    times = rows["n"].to_numpy() if "n" in rows.columns else np.ones(rows.height, np.int64)
    # Many lines stand for one row.
    are_single = bool((times == 1).all())
    table = np.ascontiguousarray(rows.select(named).to_numpy().T)
    counts: list[list[np.ndarray]] = [[], []]
    for first in range(len(named) - 1):
        for into, compare in zip(counts, (np.greater, np.less), strict=True):
            holds = compare(table[first + 1 :], table[first])
            into.append(
                np.add.reduceat(holds if are_single else holds * times, starts, axis=1, dtype=np.int64)
            )
    higher, lower = (np.concatenate(parts) for parts in counts)
    wins, losses = (higher, lower) if better else (lower, higher)
    total = np.add.reduceat(times, starts)
    count = len(wins)
    counted = pl.DataFrame(
        {
            "pair": pl.Series(np.tile(np.arange(count), len(sizes)), dtype=pl.UInt32),
            "wins": wins.T.ravel(),
            "ties": (total - wins - losses).T.ravel(),
            "losses": losses.T.ravel(),
        }
    )
    if not keys:
        return counted
    return canonical(groups.select(keys))[np.repeat(np.arange(len(sizes)), count)].hstack(counted)
