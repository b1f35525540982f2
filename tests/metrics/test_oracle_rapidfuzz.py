"""Distances are those of rapidfuzz, and the plain similarity is 1 - d / L of them, to the last bit."""

from __future__ import annotations

import random

import pytest
from cases import FAMILIES, assert_same_bits, column, edited, family, long_row, mixed_rows, pairs, random_text
from rapidfuzz.distance import Hamming, Indel, LCSseq, Levenshtein

import anls_frame as af

LONG = [long_row(length, seed=length) for length in (4_095, 4_096, 4_097, 5_000)]


def all_pairs(name: str) -> list[tuple[str, str]]:
    return list(pairs(LONG if name == "long" else family(name)))


@pytest.mark.parametrize("cost", [0, 1, 2, 10**9])
@pytest.mark.parametrize("name", [*FAMILIES, "long"])
def test_levenshtein_with_a_substitution_cost_is_that_of_rapidfuzz(name: str, cost: int) -> None:
    cases = all_pairs(name)
    expected = [Levenshtein.distance(*pair, weights=(1, 1, cost)) for pair in cases]
    assert_same_bits(column(cases, af.levenshtein, substitution_cost=cost), expected, cases)


@pytest.mark.parametrize("name", [*FAMILIES, "long"])
def test_the_lcs_distance_is_what_a_longest_common_subsequence_leaves(name: str) -> None:
    cases = all_pairs(name)
    common = [LCSseq.similarity(*pair) for pair in cases]
    expected = [len(a) + len(b) - 2 * shared for (a, b), shared in zip(cases, common, strict=True)]
    assert_same_bits(column(cases, af.lcs_distance), expected, cases)
    assert expected == [Indel.distance(*pair) for pair in cases]


@pytest.mark.parametrize("name", [*FAMILIES, "long"])
def test_nls_of_raw_text_is_the_similarity_of_rapidfuzz(name: str) -> None:
    cases = all_pairs(name)
    expected = [Levenshtein.normalized_similarity(*pair) for pair in cases]
    assert_same_bits(column(cases, af.nls, protocol="raw"), expected, cases)


@pytest.mark.parametrize("name", FAMILIES)
def test_hamming_is_that_of_rapidfuzz_where_lengths_agree(name: str) -> None:
    cut = [(left[: len(right)], right[: len(left)]) for left, right in all_pairs(name)]
    cases = all_pairs(name) + cut
    expected = [Hamming.distance(*pair) if len(pair[0]) == len(pair[1]) else None for pair in cases]
    assert_same_bits(column(cases, af.hamming), expected, cases)


def test_every_pair_of_scripts_is_decoded_alike() -> None:
    # Both sides of a pair in scripts of one to four bytes a letter, at lengths about the word's.
    rng = random.Random(51)
    scripts = ["abc", "éßü", "日本語", "\U00010400\U0001f44d\U0001d400", "aé日\U0001f44d"]
    cases = [
        (random_text(rng, left, length), edited(rng, random_text(rng, right, length), left, 3))
        for left in scripts
        for right in scripts
        for length in (3, 20, 64, 65, 130)
    ]
    expected = [Levenshtein.distance(*pair) for pair in cases]
    assert_same_bits(column(cases, af.levenshtein), expected, cases)


def test_edit_distance_of_one_pair_is_that_of_rapidfuzz() -> None:
    cases = list(pairs(mixed_rows(40, seed=52)))
    assert_same_bits(
        [af.pairs.edit_distance(*p) for p in cases], [Levenshtein.distance(*p) for p in cases], cases
    )


@pytest.mark.parametrize("unit", ["abcdefghij", "aé日\U0001f44dbcdefg"])
def test_one_edit_in_a_large_text_is_found(unit: str) -> None:
    text = unit * 20_000
    middle = len(text) // 2
    cases = [
        (text[:middle] + "X" + text[middle:], text),
        (text[:middle] + text[middle + 1 :], text),
        (text[:middle] + "X" + text[middle + 1 :], text),
        (text, text),
    ]
    assert column(cases, af.levenshtein).to_list() == [1, 1, 1, 0]
    assert column(cases[:3], af.cer).to_list() == [1 / 200_000] * 3
    assert column(cases[:1], af.nls, protocol="raw").to_list() == [1 - 1 / 200_001]


def test_unrelated_large_texts_are_measured_exactly() -> None:
    # Nothing in common to start from: the whole table is computed, with few letters and with many.
    rng = random.Random(53)
    cases = [
        (random_text(rng, letters, 60_000), random_text(rng, letters, 60_000))
        for letters in ("ab", [chr(0x4E00 + index) for index in range(5_000)])
    ]
    expected = [Levenshtein.distance(*pair) for pair in cases]
    assert min(expected) > 10_000
    assert column(cases, af.levenshtein).to_list() == expected


def test_one_edit_in_twenty_megabytes_is_found() -> None:
    text = "abcdefghij" * 2_000_000
    cases = [(text[:-7] + "X" + text[-6:], text), ("X" + text, text)]
    assert column(cases, af.levenshtein).to_list() == [1, 1]
