"""Candidates, statistics and p-values equal those of a program that takes each slice by itself."""

from __future__ import annotations

import numpy as np
import pytest
import slices_cases
import slices_oracle as oracle
from campaign import amount

from anls_frame.slices.columns import coded
from anls_frame.slices.tables import tables
from anls_frame.statistics.dealt import deals, size_classes

FRAMES = amount(20, 50)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_tables_hold_what_counting_each_slice_finds(depth: int) -> None:
    random = np.random.default_rng(depth)
    for _ in range(FRAMES):
        data = slices_cases.frame(random)
        rows = data.to_dicts()
        columns, left_out = coded(data, slices_cases.COLUMNS, slices_cases.SEARCH)
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


@pytest.mark.parametrize("is_ratio", [False, True])
@pytest.mark.parametrize("is_change", [False, True])
def test_p_values_are_those_of_documents_dealt_anew(*, is_change: bool, is_ratio: bool) -> None:
    random = np.random.default_rng(7)
    count = sum(
        slices_cases.compared(random, is_change=is_change, is_ratio=is_ratio) for _ in range(FRAMES // 2)
    )
    assert count > FRAMES // 4


@pytest.mark.parametrize("sizes", [[7] * 12, [1, 2, 3] * 20, list(range(1, 60))])
def test_rows_are_dealt_among_documents_of_neighbouring_sizes(sizes: list[int]) -> None:
    document = np.repeat(np.arange(len(sizes)), sizes)
    size_class = size_classes(np.array(sizes))
    # Classes have at least ten documents, and no document of a class is larger than one of the next.
    assert np.bincount(size_class).min() >= 10
    largest = [np.array(sizes)[size_class == one].max() for one in range(size_class.max())]
    smallest = [np.array(sizes)[size_class == one].min() for one in range(1, size_class.max() + 1)]
    assert all(a < b for a, b in zip(largest, smallest, strict=True))
    seen = np.zeros((len(sizes), len(sizes)), int)
    draws = list(deals(document, 200, 1))
    for rows in draws:
        donors = [set(document[rows[document == place]].tolist()) for place in range(len(sizes))]
        # Each document gets the rows of one, and each gives its rows to one.
        assert all(len(one) == 1 for one in donors)
        given = [one.pop() for one in donors]
        assert sorted(given) == list(range(len(sizes)))
        assert (size_class[given] == size_class).all()
        for place, donor in enumerate(given):
            counts = np.unique(rows[document == place], return_counts=True)[1]
            # A longer document gives each of its rows at most once, a shorter one about equally often.
            assert counts.max() - counts.min() <= 1 if sizes[donor] <= sizes[place] else counts.max() == 1
            seen[place, donor] += 1
    for one in np.unique(size_class):
        of_class = seen[np.ix_(size_class == one, size_class == one)]
        expected = 200 / len(of_class)
        assert abs(of_class - expected).max() < 6 * expected**0.5
    assert all((a == b).all() for a, b in zip(draws, deals(document, 100, 1), strict=False))
