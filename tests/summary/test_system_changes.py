"""Sums of the changes from the first system to each other one, against those of fractions."""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af

ROWS = 3000
SYSTEMS = {"old": "old", "new": "new", "third": "third"}


def floats(magnitude: int) -> pl.DataFrame:
    """Return scores of several magnitudes, of a large document and of small ones."""
    random = np.random.default_rng(200 + magnitude)
    scores = random.normal(size=(3, ROWS)) * 2.0 ** random.integers(-20, 20, (3, ROWS)) * 10.0**magnitude
    documents = np.where(random.random(ROWS) < 0.7, 0, random.integers(1, 50, ROWS))
    return pl.DataFrame({**dict(zip(SYSTEMS, scores, strict=True)), "doc": documents})


def check(summary: af.Summary, scores: pl.DataFrame) -> None:
    """Compare the sums of each document with those of its scores."""
    (metric,) = summary.metrics
    cells = summary.sums.cells[metric.name]
    assert set(cells["cluster"]) == set(scores["doc"])
    sign = 1 if metric.higher_is_better else -1
    for document, (number, system) in product((0, 1, 2), enumerate(["new", "third"], 1)):
        lost = squares = size = Fraction(0)
        for old, new in scores.filter(doc=document).select("old", system).iter_rows():
            change = (Fraction(new) - Fraction(old)) * sign
            lost += max(-change, Fraction(0))
            squares += change * change
            size += abs(Fraction(new)) + abs(Fraction(old))
        cell = cells.row(by_predicate=pl.col("cluster") == document, named=True)
        assert abs(Fraction(cell[f"lost_{number}"]) - lost) <= size / 10**12
        assert abs(Fraction(cell[f"squares_{number}"]) - squares) <= squares / 10**12 + size**2 / 10**24


@pytest.mark.parametrize("magnitude", [-100, 0, 60])
@pytest.mark.parametrize("name", ["score", "error_cer"])
def test_scores_of_any_size(magnitude: int, name: str) -> None:
    frame = floats(magnitude)
    check(af.summarize(frame, SYSTEMS, None, cluster="doc", metrics=name), frame)


def test_parts_add_up_in_any_order() -> None:
    frame, bounds = floats(0), [0, 10, 700, 2_900, ROWS]
    whole = af.summarize(frame, SYSTEMS, cluster="doc")
    parts = [af.summarize(frame[start:end], SYSTEMS, cluster="doc") for start, end in pairwise(bounds)]
    first = af.merge(parts[2:])
    for merged in (af.merge(parts[::-1]), af.merge([first, af.merge(parts[:2])])):
        for name, cells in whole.sums.cells.items():
            found = merged.sums.cells[name].select(cells.columns)
            assert_frame_equal(found.sort("cluster"), cells.sort("cluster"), rel_tol=1e-12, abs_tol=1e-12)
