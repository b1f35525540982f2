"""The preset `anls` is PyPI anls 0.0.2, row by row, to the last bit."""

from __future__ import annotations

import pytest
import scorers
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


def test_anls_is_that_of_the_package() -> None:
    groups = [(0.5, family(name)[:: amount(3, 1)]) for name in FAMILIES]
    for (_, rows), expected in zip(groups, scorers.anls_scores(groups), strict=True):
        assert_same_bits(column(rows, af.anls), expected, rows)


def test_anls_is_that_of_the_package_at_every_threshold() -> None:
    rows = mixed_rows(500, seed=11)
    expected = scorers.anls_scores((threshold, rows) for threshold in THRESHOLDS)
    for threshold, scores in zip(THRESHOLDS, expected, strict=True):
        assert_same_bits(column(rows, af.anls, threshold=threshold), scores, rows)


def test_anls_is_that_of_the_package_next_to_the_threshold() -> None:
    groups = threshold_rows()
    expected = scorers.anls_scores(groups.items())
    for (threshold, rows), scores in zip(groups.items(), expected, strict=True):
        assert_same_bits(column(rows, af.anls, threshold=threshold), scores, rows)


def test_anls_score_of_one_pair_is_that_of_the_package() -> None:
    rows = mixed_rows(150, seed=12)
    groups = [(threshold, rows) for threshold in (0.3, 0.5)]
    for (threshold, _), scores in zip(groups, scorers.anls_scores(groups), strict=True):
        actual = [af.anls_score(row.prediction, row.answers, threshold) for row in rows]
        assert_same_bits(actual, scores, rows)


def test_a_missing_environment_is_an_error_that_says_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(scorers.INTERPRETER, raising=False)
    with pytest.raises(RuntimeError, match=r"tests/peers/requirements\.txt"):
        scorers.anls_scores([])
