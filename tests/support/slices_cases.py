"""Small frames of all kinds of columns, and their p-values beside those of plain loops."""

from __future__ import annotations

import numpy as np
import polars as pl
import slices_oracle as oracle

import anls_frame as af
from anls_frame.slices import search
from anls_frame.slices.columns import coded
from anls_frame.slices.plan import Plan
from anls_frame.slices.search import ListedRows
from anls_frame.slices.slice_scores import Scores
from anls_frame.statistics.dealt import deals

COLUMNS = ("text", "number", "list")
SEARCH = af.SliceSearch(min_rows=4, min_clusters=2, bins=4, draws=19, seed=3)


def frame(random: np.random.Generator) -> pl.DataFrame:
    """A small frame with texts, numbers, lists and missing values."""
    n = int(random.integers(20, 60))
    return pl.DataFrame(
        {
            "score": np.round(random.random(n) ** random.choice([0.2, 1, 3]), 2),
            "doc": random.integers(0, random.integers(4, 12), n),
            "text": [random.choice(["a", "b", None]) for _ in range(n)],
            "number": random.integers(0, 3, n),
            "list": [
                [str(random.choice(["x", "y"])) for _ in range(size)] if size < 3 else None
                for size in random.integers(0, 4, n)
            ],
        }
    )


def compared(random: np.random.Generator, *, is_change: bool = False, is_ratio: bool = False) -> int:
    """Compare a search of a small frame with the oracle; return how many p-values were compared."""
    data = frame(random)
    plan = Plan(search=SEARCH, depth=2, n=20, confidence=0.95)
    columns, _ = coded(data, COLUMNS, SEARCH)
    score = data["score"].to_numpy() - (random.random() if is_change else 0)
    document = np.unique(data["doc"].to_numpy(), return_inverse=True)[1]
    length = random.integers(0, 6, len(score)).astype(float) if is_ratio else np.ones(len(score))
    scores = [Scores(af.Metric("score"), "new", score, length, None, np.ones(len(score)), is_change)]
    rows = ListedRows([one.codes for one in columns], scores, document)
    best, n_slices, n_tests, _ = search.search(rows, plan)
    # Lengths in rows of mean length.
    unit = len(score) / length.sum()
    of_rows = [(unit * one).tolist() for one in (score, length)]
    test = oracle.Test(of_rows[0], document.tolist(), of_rows[1], is_change=is_change)
    every = oracle.slices(data.to_dicts(), [one.name for one in columns], 2)
    tested = {conditions: places for conditions, places in every.items() if test.is_testable(places, 4, 2)}
    assert n_slices == n_tests == len(best) == len(tested)
    if not tested:
        return 0
    # Rows are dealt in the order of the documents, whatever that of the frame.
    line = rows.losses[0].line
    draws = []
    for given in deals(rows.losses[0].unit, 19, 3):
        source = np.empty(len(line), np.intp)
        source[line] = line[given]
        draws.append(source.tolist())
    p_values = dict(zip(tested, oracle.adjusted(test, list(tested.values()), draws), strict=True))
    for one in best:
        parts = [(columns[place], code) for place, code in one.conditions]
        conditions = tuple((column.name, column.conditions[code].value) for column, code in parts)
        assert abs(one.value - test.statistic(tested[conditions])) < 1e-9
        assert abs(one.p_adjusted - p_values[conditions]) < 1e-12
    return len(best)
