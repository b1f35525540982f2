"""The preset `anls_star` is PyPI anls-star 1.0.1, row by row, to the last bit."""

from __future__ import annotations

import pytest
import scorers
from anls_star.anls_star import ANLSTree
from campaign import amount
from cases import (
    FAMILIES,
    THRESHOLDS,
    assert_same_bits,
    column,
    family,
    mixed_rows,
    threshold_rows,
)

import anls_frame as af


@pytest.mark.parametrize("name", FAMILIES)
def test_anls_is_that_of_the_package(name: str) -> None:
    rows = family(name)[:: amount(3, 1)]
    expected = scorers.anls_star_scores(rows)
    assert_same_bits(column(rows, af.anls, protocol="anls_star"), expected, rows)


def test_anls_is_that_of_the_package_next_to_its_threshold() -> None:
    rows = threshold_rows()[0.5]
    expected = scorers.anls_star_scores(rows)
    assert_same_bits(column(rows, af.anls, protocol="anls_star"), expected, rows)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_anls_is_that_of_the_package_with_another_threshold(
    threshold: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The package has one threshold for all, a constant of its class.
    monkeypatch.setattr(ANLSTree, "THRESHOLD", threshold)
    rows = mixed_rows(300, seed=21) + threshold_rows().get(threshold, [])[::3]
    expected = scorers.anls_star_scores(rows)
    assert_same_bits(column(rows, af.anls, protocol="anls_star", threshold=threshold), expected, rows)
