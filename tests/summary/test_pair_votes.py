"""Votes for pairs of systems, against counting row by row."""

from __future__ import annotations

import itertools
from collections import Counter
from typing import Any

import numpy as np
import polars as pl
import pytest

from anls_frame.summary.comparison_sums import pair_votes

NAMES = ["a", "b", "c", "d"]


def counted(rows: pl.DataFrame, keys: list[str], *, better: bool) -> dict[tuple[Any, ...], list[int]]:
    found: dict[tuple[Any, ...], Counter[str]] = {}
    for row in rows.iter_rows(named=True):
        for number, (first, second) in enumerate(itertools.combinations(NAMES, 2)):
            change = row[second] - row[first] if better else row[first] - row[second]
            vote = "wins" if change > 0 else "losses" if change < 0 else "ties"
            place = (*(row[key] for key in keys), number)
            found.setdefault(place, Counter())[vote] += row.get("n", 1)
    return {place: [votes[vote] for vote in ("wins", "ties", "losses")] for place, votes in found.items()}


@pytest.mark.parametrize("better", [True, False])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("keys", [[], ["key_0"], ["key_0", "key_1"]], ids=str)
@pytest.mark.parametrize("rows", [0, 1, 300])
def test_votes_are_those_of_rows(rows: int, keys: list[str], *, weighted: bool, better: bool) -> None:
    dice = np.random.default_rng(rows)
    # Slices from one row to most rows.
    frame = pl.DataFrame(
        {
            "key_0": pl.Series(np.minimum(dice.geometric(0.5, rows), 9)),
            "key_1": pl.Series(dice.choice(["x", "y"], rows), dtype=pl.String),
            **{name: np.round(dice.normal(size=rows), 1) for name in NAMES},
        }
    )
    if weighted:
        frame = frame.with_columns(n=pl.Series(dice.integers(1, 1000, rows), dtype=pl.Int64))
    made = pair_votes(frame, keys, NAMES, better=better)
    found = {tuple(row[:-3]): list(row[-3:]) for row in made.rows()}
    assert found == counted(frame, keys, better=better)
