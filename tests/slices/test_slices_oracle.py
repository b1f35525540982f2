"""Candidates, statistics and p-values equal those of a program that takes each slice by itself."""

from __future__ import annotations

import numpy as np
import polars as pl
import pytest
import slices_oracle as oracle

import anls_frame as af
from anls_frame.slices import search
from anls_frame.slices.columns import coded
from anls_frame.slices.listing import Rows
from anls_frame.slices.scores import Scores
from anls_frame.slices.tables import tables

FRAMES = 30


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


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_tables_hold_what_counting_each_slice_finds(depth: int) -> None:
    random = np.random.default_rng(depth)
    for _ in range(FRAMES):
        data = frame(random)
        rows = data.to_dicts()
        columns, left_out = coded(data, ["text", "number", "list"], bins=4, most=50)
        assert len(columns) == 3 - len(left_out)
        names = [one.name for one in columns]
        score = data["score"].to_numpy()
        found = {}
        for table in tables([one.codes for one in columns], depth, [score, score**2]):
            sizes = [columns[place].codes.size for place in table.columns]
            for code in np.flatnonzero(table.counts):
                parts = zip(table.columns, np.unravel_index(code, sizes), strict=True)
                conditions = tuple(
                    (names[place], columns[place].conditions[part].value) for place, part in parts
                )
                found[conditions] = (table.counts[code], *(one[code] for one in table.sums))
        expected = oracle.slices(rows, names, depth)
        assert found.keys() == expected.keys()
        for conditions, places in expected.items():
            values = [rows[place]["score"] for place in places]
            assert found[conditions] == pytest.approx((len(values), sum(values), sum(v * v for v in values)))


def test_p_values_are_those_of_step_down_max_t() -> None:
    random = np.random.default_rng(7)
    compared = 0
    for _ in range(FRAMES):
        data = frame(random)
        columns, _ = coded(data, ["text", "number", "list"], bins=4, most=50)
        score = data["score"].to_numpy()
        document = np.unique(data["doc"].to_numpy(), return_inverse=True)[1]
        rows = Rows(
            [one.codes for one in columns],
            [Scores(af.Metric("score"), score, np.ones(len(score)), None)],
            document,
        )
        found = search.search(
            rows.columns,
            [rows.residuals(0)],
            height=data.height,
            depth=2,
            least=search.Least(4, 2),
            draws=19,
            seed=3,
            alpha=0.05,
        )
        test = oracle.Test(score.tolist(), document.tolist())
        every = oracle.slices(data.to_dicts(), [one.name for one in columns], 2)
        tested = {
            conditions: places for conditions, places in every.items() if test.is_testable(places, 4, 2)
        }
        assert found.slices == found.tests == len(tested)
        if not tested:
            continue
        signs = search.signs(document.max() + 1, 19, 3)
        p_values = dict(
            zip(tested, oracle.adjusted(test, list(tested.values()), signs.tolist()), strict=True)
        )
        for one in found.found:
            parts = [(columns[place], code) for place, code in one.conditions]
            conditions = tuple((column.name, column.conditions[code].value) for column, code in parts)
            assert one.value == pytest.approx(test.statistic(tested[conditions]), abs=1e-9)
            if one.value >= search.WORTH:
                assert one.p_adjusted == pytest.approx(p_values[conditions])
                compared += 1
            else:
                # In one step, which is never smaller.
                assert one.p_adjusted >= p_values[conditions] - 1e-12
    assert compared > FRAMES
