"""Summaries without their clusters: every slice that a report can show, with the sums for its intervals."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import polars as pl

from anls_frame.summary import cells as unfolded
from anls_frame.summary import moments
from anls_frame.summary.keys import CLUSTER

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from anls_frame.summary.measures import Metric

_KEYS = "keys"
"""Column with the keys of a slice: their numbers, separated by commas."""


def fold(cells: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """Roll cells up by each combination of keys; only sums of powers remain of the clusters."""
    frames = [
        moments.exact_moments(cells, chosen, metrics)
        .rename({key: _slice_key(key) for key in chosen})
        .select(pl.lit(_label(chosen)).alias(_KEYS), pl.all())
        for count in range(len(keys) + 1)
        for chosen in combinations(keys, count)
    ]
    return pl.concat(frames, how="diagonal_relaxed")


def without_clusters(cells: pl.DataFrame, keys: Sequence[str]) -> pl.DataFrame:
    """Return cells added up over their clusters."""
    return unfolded.add_up([cells.drop(CLUSTER)], keys)


def add_up(folded: Iterable[pl.DataFrame]) -> pl.DataFrame:
    """Add up the slices of parts that share no cluster."""
    frames = list(folded)
    keys = [c for c in frames[0].columns if c == _KEYS or c.startswith("slice_key_")]
    return unfolded.add_up(frames, keys)


def slices(folded: pl.DataFrame, keys: Sequence[str], metrics: Sequence[Metric]) -> pl.DataFrame:
    """Return the slices that `roll_up` returns for these keys."""
    others = [c for c in folded.columns if c.startswith("slice_key_") and c not in map(_slice_key, keys)]
    ordered = sorted(keys, key=_number)
    found = folded.filter(pl.col(_KEYS) == _label(ordered)).drop(_KEYS, *others)
    return moments.slices(found.rename({_slice_key(key): key for key in keys}), keys, metrics)


def _slice_key(key: str) -> str:
    # The name differs from that in cells, where a list key holds lists.
    return f"slice_{key}"


def _number(key: str) -> int:
    return int(key.removeprefix("key_"))


def _label(keys: Sequence[str]) -> str:
    return ",".join(str(_number(key)) for key in keys)
