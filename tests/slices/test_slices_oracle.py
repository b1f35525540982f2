"""Candidates, statistics and p-values equal those of a program that takes each slice by itself."""

from __future__ import annotations

import numpy as np
import pytest
import slices_cases
import slices_oracle as oracle

from anls_frame.slices import search
from anls_frame.slices.columns import coded
from anls_frame.slices.tables import tables

FRAMES = 50


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_tables_hold_what_counting_each_slice_finds(depth: int) -> None:
    random = np.random.default_rng(depth)
    for _ in range(FRAMES):
        data = slices_cases.frame(random)
        rows = data.to_dicts()
        columns, left_out = coded(data, slices_cases.COLUMNS, bins=4, most=50)
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
    assert sum(slices_cases.compared(random) for _ in range(FRAMES)) > FRAMES // 2


@pytest.mark.parametrize("units", [1, 7, 112])
def test_the_first_draws_do_not_depend_on_the_number_of_draws(units: int) -> None:
    # slices_gate.py stops early where they decide.
    assert (search.signs(units, 199, 3) == search.signs(units, 999, 3)[:199]).all()
