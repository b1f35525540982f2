"""The preset `rrc` is the rule of the Robust Reading Competition's script, row by row, to the last bit."""

from __future__ import annotations

import pytest
from cases import FAMILIES, THRESHOLDS, Row, assert_same_bits, column, family, mixed_rows, threshold_rows
from rapidfuzz.distance import Levenshtein

import anls_frame as af


def script_distance(prediction: str, answer: str) -> float:
    """Distance of the normalised texts by the upper-cased length of the raw ones."""
    pair = [" ".join(text.strip().lower().split()) for text in (answer, prediction)]
    length = max(len(answer.upper()), len(prediction.upper()))
    return 0.0 if length == 0 else float(Levenshtein.distance(*pair)) / float(length)


def script_score(row: Row, threshold: float) -> float:
    similarity = 1 - min(script_distance(row.prediction, answer) for answer in row.answers)
    return 0.0 if similarity < threshold else similarity


@pytest.mark.parametrize("name", FAMILIES)
def test_anls_follows_the_rule(name: str) -> None:
    rows = family(name)
    expected = [script_score(row, 0.5) for row in rows]
    assert_same_bits(column(rows, af.anls, protocol="rrc"), expected, rows)


@pytest.mark.parametrize("threshold", THRESHOLDS)
def test_anls_follows_the_rule_at_every_threshold(threshold: float) -> None:
    rows = mixed_rows(1_000, seed=31) + threshold_rows().get(threshold, [])
    expected = [script_score(row, threshold) for row in rows]
    assert_same_bits(column(rows, af.anls, protocol="rrc", threshold=threshold), expected, rows)


def test_the_float_comparison_of_the_script_is_kept() -> None:
    # 1 - 9 / 10 is 0.09999999999999998, less than 0.1.
    row = Row("a", ["a" + "b" * 9])
    assert column([row], af.anls, protocol="rrc", threshold=0.1).to_list() == [0.0]
    assert column([row], af.nls, protocol="rrc").to_list() == [0.09999999999999998]


def test_similarity_is_negative_where_lower_case_is_longer_than_the_raw_text() -> None:
    # The lower case of U+0130 has two code points, its upper case one: distance 2 by length 1.
    rows = [Row("\u0130", [""]), Row("", ["\u0130"]), Row("\u0130\u0130", ["\u0130", ""])]
    assert column(rows, af.nls, protocol="rrc").to_list() == [-1.0, -1.0, 0.0]
    assert column(rows, af.anls, protocol="rrc", threshold=0.0).to_list() == [0.0, 0.0, 0.0]
