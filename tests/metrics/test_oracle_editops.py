"""Edits are those of rapidfuzz, in short and in long texts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import polars as pl
import pytest
import strategies
from campaign import amount
from cases import FAMILIES, edited, family, pairs, random_text
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

import anls_frame as af

Edit = tuple[str, int, int, str | None, str | None]


def oracle(prediction: str, reference: str) -> list[Edit]:
    return [
        (
            edit.tag,
            edit.src_pos,
            edit.dest_pos,
            None if edit.tag == "insert" else reference[edit.src_pos],
            None if edit.tag == "delete" else prediction[edit.dest_pos],
        )
        for edit in Levenshtein.editops(reference, prediction)
    ]


def edits(cases: Sequence[tuple[str, str]], **options: Any) -> list[list[Edit] | None]:
    schema = {"prediction": pl.String, "reference": pl.String}
    frame = pl.DataFrame(cases, schema=schema, orient="row")
    column = frame.select(af.edit_ops("prediction", "reference", **options))["edit_ops"]
    return [None if row is None else [tuple(edit.values()) for edit in row] for row in column.to_list()]


def assert_edits(cases: Sequence[tuple[str, str]]) -> None:
    for case, found in zip(cases, edits(cases), strict=True):
        assert found == oracle(*case), case


@pytest.mark.parametrize("name", FAMILIES)
def test_edits_are_those_of_rapidfuzz(name: str) -> None:
    assert_edits(list(pairs(family(name))))


@given(st.lists(strategies.nearby_texts(2), min_size=1, max_size=20))
def test_edits_of_any_texts_are_those_of_rapidfuzz(cases: list[tuple[str, str]]) -> None:
    assert_edits(cases)


LETTERS = ("ab", "abcdefgh", "abcdefghijklmnopqrstuvwxyz ", "漢字かな交じり文", "aé漢😀")


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("length", [60, 65, 130, 700, 2_880, 2_900, 3_000, 6_000])
def test_edits_of_long_texts_are_those_of_rapidfuzz(length: int, letters: str) -> None:
    generator = random.Random(f"{letters}{length}")
    cases = []
    for share in (0.0, 0.01, 0.05, 0.3, 1.0):
        text = random_text(generator, letters, length)
        other = edited(generator, text, letters, int(share * length))
        # Shifted by a block, with text before and behind: no longer along the diagonal.
        shifted = other[length // 3 :] + other[: length // 3]
        cases += [(text, other), (other, text), (text, shifted), (text, letters[0] * 20 + other)]
    assert_edits(cases)


@pytest.mark.parametrize("seed", range(amount(1, 3)))
def test_edits_of_very_long_texts_are_those_of_rapidfuzz(seed: int) -> None:
    generator = random.Random(seed)
    text = random_text(generator, "abcdefghijklmnopqrstuvwxyz ", 40_000)
    cases = [
        (edited(generator, text, "abc", 40), text),
        (edited(generator, text, "abc", 2_000), text),
        (text[5_000:] + text[:100], text),
        (text[:9], text),
        (text, text[:9]),
        (text, text[100:160]),
    ]
    assert_edits(cases)


def test_edits_where_half_of_a_long_text_is_new() -> None:
    # All of the first half of the prediction is inserted, so that the texts are split at an end.
    for reference, prediction in [
        ("b" * 300, "a" * 8_000 + "b" * 299),
        ("b" * 300, "b" * 299 + "a" * 8_000),
        ("ab" * 200, "cd" * 5_000 + "ab" * 199 + "d"),
        ("xb" * 200, "ax" * 5_000 + "ab" * 199 + "d"),
        ("ab" * 3_000, "ba" * 3_000),
        ("abc" * 3_000, "bca" * 1_000),
    ]:
        assert_edits([(prediction, reference), (reference, prediction)])


@given(strategies.columns_of_texts(2), strategies.PROTOCOLS)
def test_edits_are_as_many_as_the_distance_says(
    rows: list[tuple[str, str]], protocol: af.ScoreProtocol
) -> None:
    frame = pl.DataFrame(rows, schema=["prediction", "reference"], orient="row")
    counted = frame.select(
        af.edit_ops("prediction", "reference", protocol=protocol).list.len(),
        af.levenshtein("prediction", "reference", protocol=protocol),
    )
    assert counted["edit_ops"].to_list() == counted["levenshtein"].to_list()


def test_a_null_text_has_no_edits_and_an_equal_one_none() -> None:
    frame = pl.DataFrame({"p": ["a", None, "a"], "r": ["a", "a", None]})
    assert frame.select(af.edit_ops("p", "r"))["edit_ops"].to_list() == [[], None, None]
