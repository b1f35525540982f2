"""What every edit distance must satisfy, whatever the texts."""

from __future__ import annotations

import pytest
from cases import column
from hypothesis import given
from hypothesis import strategies as st
from strategies import FEW_EDITS, PROTOCOLS, TEXT, Change, columns_of_texts

import anls_frame as af

COSTS = (0, 1, 2, 3)
Texts = list[tuple[str, ...]]


def distances(rows: list[tuple[str, str]], cost: int = 1) -> list[int]:
    return column(rows, af.levenshtein, substitution_cost=cost).to_list()


@given(columns_of_texts(2))
def test_only_equal_texts_have_distance_zero(rows: Texts) -> None:
    for cost in (1, 2, 3):
        assert [d == 0 for d in distances([(a, b) for a, b in rows], cost)] == [a == b for a, b in rows]


@given(columns_of_texts(2))
def test_distance_is_symmetric(rows: Texts) -> None:
    for cost in COSTS:
        assert distances([(a, b) for a, b in rows], cost) == distances([(b, a) for a, b in rows], cost)


@given(columns_of_texts(3))
def test_a_detour_is_never_shorter(rows: Texts) -> None:
    for cost in COSTS:
        direct = distances([(a, c) for a, _, c in rows], cost)
        first = distances([(a, b) for a, b, _ in rows], cost)
        second = distances([(b, c) for _, b, c in rows], cost)
        assert all(d <= one + two for d, one, two in zip(direct, first, second, strict=True))


@given(columns_of_texts(2))
def test_lengths_bound_the_distance(rows: Texts) -> None:
    cases = [(a, b) for a, b in rows]
    for (a, b), free, one, indel in zip(cases, *(distances(cases, cost) for cost in (0, 1, 2)), strict=True):
        assert free == abs(len(a) - len(b))
        assert free <= one <= max(len(a), len(b))
        assert one <= indel <= min(2 * one, len(a) + len(b))
        assert (len(a) + len(b) - indel) % 2 == 0


@given(columns_of_texts(2))
def test_a_substitution_never_costs_more_than_a_deletion_and_an_insertion(rows: Texts) -> None:
    cases = [(a, b) for a, b in rows]
    assert distances(cases, 2) == distances(cases, 3) == distances(cases, 10**30)


@given(columns_of_texts(2))
def test_hamming_is_an_upper_bound_and_needs_equal_lengths(rows: Texts) -> None:
    cases = [(a, b) for a, b in rows] + [(a[: len(b)], b[: len(a)]) for a, b in rows]
    differing = column(cases, af.hamming).to_list()
    for (a, b), positions, edits in zip(cases, differing, distances(cases), strict=True):
        assert (positions is None) == (len(a) != len(b))
        assert positions is None or edits <= positions <= len(a)
    assert differing == column([(b, a) for a, b in cases], af.hamming).to_list()


@given(columns_of_texts(4))
def test_common_ends_do_not_count(rows: Texts) -> None:
    for cost in COSTS:
        bare = distances([(a, b) for _, a, b, _ in rows], cost)
        assert bare == distances([(p + a + s, p + b + s) for p, a, b, s in rows], cost)


@given(columns_of_texts(2))
def test_direction_does_not_count(rows: Texts) -> None:
    backwards = [(a[::-1], b[::-1]) for a, b in rows]
    for cost in COSTS:
        assert distances([(a, b) for a, b in rows], cost) == distances(backwards, cost)


@given(columns_of_texts(4))
def test_two_pairs_side_by_side_cost_at_most_their_sum(rows: Texts) -> None:
    for cost in COSTS:
        whole = distances([(a + c, b + d) for a, b, c, d in rows], cost)
        left = distances([(a, b) for a, b, _, _ in rows], cost)
        right = distances([(c, d) for _, _, c, d in rows], cost)
        assert all(d <= one + two for d, one, two in zip(whole, left, right, strict=True))


@given(TEXT, st.lists(FEW_EDITS, min_size=5, max_size=5))
def test_distance_is_at_most_the_number_of_edits_made(text: str, changes: list[Change]) -> None:
    cases = [(change(text), text) for change in changes]
    assert max(distances(cases)) <= 4


@given(st.lists(st.tuples(*[st.text("abc", max_size=150)] * 2), min_size=1, max_size=8))
@pytest.mark.parametrize("shift", [0x80, 0x4E00, 0x1D400])
def test_the_script_does_not_count(shift: int, rows: list[tuple[str, str]]) -> None:
    other = [(shifted(a, shift), shifted(b, shift)) for a, b in rows]
    # One letter from another script takes a pair of ASCII texts off its path.
    mixed = [(f"{a}{chr(shift)}", f"{b}{chr(shift)}") for a, b in rows]
    for cost in COSTS:
        assert distances(rows, cost) == distances(other, cost) == distances(mixed, cost)
    cut = [(a[: len(b)], b[: len(a)]) for a, b in rows]
    moved = [(shifted(a, shift), shifted(b, shift)) for a, b in cut]
    assert column(cut, af.hamming).to_list() == column(moved, af.hamming).to_list()


def shifted(text: str, shift: int) -> str:
    return "".join(chr(ord(letter) + shift) for letter in text)


@given(columns_of_texts(2), PROTOCOLS)
def test_preparation_keeps_symmetry_and_identity(rows: Texts, protocol: af.ScoreProtocol) -> None:
    cases = [(a, b) for a, b in rows]
    forth = column(cases, af.levenshtein, protocol=protocol)
    back = column([(b, a) for a, b in rows], af.levenshtein, protocol=protocol)
    assert forth.equals(back)
    assert (forth == 0).to_list() == column(cases, af.exact_match, protocol=protocol).to_list()
