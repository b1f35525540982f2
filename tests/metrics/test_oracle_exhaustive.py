"""Every pair of short texts over a small alphabet, in each metric and each preset."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import oracle
import pytest
from campaign import amount
from cases import assert_same_bits, column, every_text, scoring

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Sequence

Pairs = list[tuple[str, str]]
TWO_LETTERS: Pairs = list(itertools.product(every_text("ab", amount(5, 7)), repeat=2))
CASE_AND_SPACE: Pairs = list(itertools.product(every_text("aB ", amount(3, 4)), repeat=2))
ALPHABETS = {"two letters": TWO_LETTERS, "case and space": CASE_AND_SPACE}


# Preparation leaves two letters as they are: without it, with it, and with the other cut.
TWO_LETTERS_DIFFER = amount(["raw", "anls", "anls_star"], list(af.PROTOCOLS))
every_pair = pytest.mark.parametrize(
    ("alphabet", "preset"),
    [
        *(("two letters", preset) for preset in TWO_LETTERS_DIFFER),
        *(("case and space", preset) for preset in af.PROTOCOLS),
    ],
)


def test_the_alphabets_are_exhausted() -> None:
    assert len(set(TWO_LETTERS)) == amount(3_969, 65_025)
    assert len(set(CASE_AND_SPACE)) == amount(1_600, 14_641)


@every_pair
def test_scores(alphabet: str, preset: str) -> None:
    cases, protocol = ALPHABETS[alphabet], af.PROTOCOLS[preset]
    scores = column(cases, af.score, protocol=scoring(preset, 0.5, preset)).struct.unnest()
    expected: dict[str, Sequence[object]] = {
        "nls": [oracle.nls(*pair, protocol) for pair in cases],
        "anls": [oracle.anls(*pair, protocol, 0.5) for pair in cases],
        "exact_match": [oracle.exact_match(*pair, protocol) for pair in cases],
        "answer_index": [0] * len(cases),
    }
    edits = [oracle.char_errors(*pair, protocol) or () for pair in cases]
    expected |= zip(("cer", "char_errors", "reference_length"), zip(*edits, strict=True), strict=True)
    assert set(scores.columns) == set(expected)
    for field, values in expected.items():
        assert_same_bits(scores[field], values, cases)
    for metric in (af.nls, af.cer, af.exact_match):
        assert column(cases, metric, protocol=preset).equals(scores[metric.__name__])
    assert column(cases, af.anls, protocol=preset, threshold=0.5).equals(scores["anls"])
    nearest = column(cases, af.nearest_answer, protocol=preset)
    assert_same_bits(nearest, [answer for _, answer in cases], cases)


@every_pair
def test_distances(alphabet: str, preset: str) -> None:
    cases, protocol = ALPHABETS[alphabet], af.PROTOCOLS[preset]
    prepared = [(oracle.prepare(left, protocol), oracle.prepare(right, protocol)) for left, right in cases]
    for cost in (0, 1, 2, 3):
        expected = [oracle.edit_distance(*pair, cost) for pair in prepared]
        actual = column(cases, af.levenshtein, protocol=preset, substitution_cost=cost)
        assert_same_bits(actual, expected, cases)
    differing = [oracle.hamming(*pair) for pair in prepared]
    assert_same_bits(column(cases, af.hamming, protocol=preset), differing, cases)


@pytest.mark.parametrize("preset", af.PROTOCOLS)
def test_two_answers_in_either_order(preset: str) -> None:
    protocol = af.PROTOCOLS[preset]
    texts = every_text("ab", 3)
    cases = [(p, [a, b]) for p, a, b in itertools.product(texts, repeat=3)]
    expected = [oracle.score(*case, protocol, 0.5, protocol) for case in cases]
    actual = column(cases, af.score, protocol=scoring(preset, 0.5, preset))
    assert_same_bits(actual, expected, cases)
