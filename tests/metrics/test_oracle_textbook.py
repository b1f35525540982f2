"""Every metric in every protocol equals the textbook definition, to the last bit."""

from __future__ import annotations

import inspect
import itertools
import math
import random
from typing import Literal

import oracle
import pytest
from campaign import amount
from cases import (
    FAMILIES,
    NullableRow,
    assert_same_bits,
    column,
    edited,
    family,
    nullable_rows,
    random_text,
    scoring,
    threshold_rows,
)
from hypothesis import given
from hypothesis import strategies as st
from registry import LIST_EXPRESSIONS, RowExpression
from strategies import PROTOCOLS, ROWS, THRESHOLDS

import anls_frame as af

WHITESPACE: tuple[Literal["keep", "strip", "squeeze"], ...] = ("keep", "strip", "squeeze")
FORMS: tuple[Literal["NFC", "NFKC"] | None, ...] = (None, "NFC", "NFKC")
LENGTHS: tuple[Literal["prepared", "prepared_upper", "raw_upper"], ...] = (
    "prepared",
    "prepared_upper",
    "raw_upper",
)
COMBINATIONS = [
    af.ScoreProtocol(ignore_case=case, whitespace=whitespace, unicode_form=form, length=length)
    for case, whitespace, form, length in itertools.product((True, False), WHITESPACE, FORMS, LENGTHS)
]


@pytest.mark.parametrize("preset", af.PROTOCOLS)
def test_scores_of_rows_with_nulls(preset: str) -> None:
    rows, protocol = nullable_rows(), af.PROTOCOLS[preset]
    expected = [oracle.score(*row, protocol, 0.5, af.PROTOCOLS["raw"]) for row in rows]
    assert_same_bits(column(rows, af.score, protocol=scoring(preset)), expected, rows)


def has_definition(name: str) -> bool:
    """Return whether the oracle defines an expression by a protocol; `score` takes two."""
    definition = getattr(oracle, name, None)
    return definition is not None and [*inspect.signature(definition).parameters][2:3] == ["protocol"]


DEFINED = [
    pytest.param(row, preset, id=f"{row.name} {preset}")
    for row in LIST_EXPRESSIONS
    if has_definition(row.name) and row.name != "score"
    for option in row.options
    if option.name == "protocol"
    for preset in af.PROTOCOLS
    if preset in option.valid
]


@pytest.mark.parametrize(("row", "preset"), DEFINED)
def test_every_expression_equals_its_definition(row: RowExpression, preset: str) -> None:
    rows, definition = nullable_rows(amount(150, 300), seed=65), getattr(oracle, row.name)
    expected = [definition(*texts, af.PROTOCOLS[preset]) for texts in rows]
    assert_same_bits(column(rows, row.function, protocol=preset), expected, rows)


@pytest.mark.parametrize("preset", af.PROTOCOLS)
@pytest.mark.parametrize("name", FAMILIES)
def test_scores_of_every_family(name: str, preset: str) -> None:
    rows, protocol = family(name), af.PROTOCOLS[preset]
    if name == "many letters":
        rows = rows[:12]
    if protocol.unit == "grapheme":  # which the textbook cuts slowly
        rows = rows[:: amount(5, 1)]
    expected = [oracle.score(*row, protocol, 0.5, protocol) for row in rows]
    actual = column(rows, af.score, protocol=scoring(preset, 0.5, preset))
    assert_same_bits(actual, expected, rows)


@pytest.mark.parametrize("protocol", COMBINATIONS, ids=str)
def test_scores_of_every_combination_of_options(protocol: af.ScoreProtocol) -> None:
    rows = nullable_rows(amount(100, 150), seed=61)
    expected = [oracle.score(*row, protocol, 0.5, protocol) for row in rows]
    actual = column(rows, af.score, protocol=scoring(protocol, 0.5, protocol))
    assert_same_bits(actual, expected, rows)


@pytest.mark.parametrize("preset", af.PROTOCOLS)
def test_distances_of_prepared_text(preset: str) -> None:
    protocol = af.PROTOCOLS[preset]
    cases = [(p, a[0] if a else None) for p, a in nullable_rows(amount(300, 800), seed=62)]
    prepared = [
        (p, a) if p is None or a is None else (oracle.prepare(p, protocol), oracle.prepare(a, protocol))
        for p, a in cases
    ]
    for cost in (0, 1, 2, 3):
        expected = [None if p is None or a is None else oracle.edit_distance(p, a, cost) for p, a in prepared]
        actual = column(cases, af.levenshtein, protocol=preset, substitution_cost=cost)
        assert_same_bits(actual, expected, cases)
    expected = [None if p is None or a is None else oracle.edit_distance(p, a, 2) for p, a in prepared]
    assert_same_bits(column(cases, af.lcs_distance, protocol=preset), expected, cases)
    expected = [None if p is None or a is None else oracle.hamming(p, a) for p, a in prepared]
    assert_same_bits(column(cases, af.hamming, protocol=preset), expected, cases)


@pytest.mark.parametrize("cost", [0, 2, 3])
@pytest.mark.parametrize("preset", af.PROTOCOLS)
def test_best_similarity_with_a_substitution_cost(preset: str, cost: int) -> None:
    rows, protocol = nullable_rows(amount(250, 500), seed=63), af.PROTOCOLS[preset]
    expected = [oracle.nls(*row, protocol, cost) for row in rows]
    assert_same_bits(column(rows, af.nls, protocol=preset, substitution_cost=cost), expected, rows)


@given(ROWS, PROTOCOLS, PROTOCOLS, THRESHOLDS, st.integers(0, 3))
def test_scores_of_any_texts(
    rows: list[tuple[str, list[str]]],
    protocol: af.ScoreProtocol,
    errors: af.ScoreProtocol,
    threshold: float,
    cost: int,
) -> None:
    texts = [(prediction, answers[0]) for prediction, answers in rows]
    for drawn in (rows, texts):
        expected = [oracle.score(*row, protocol, threshold, errors) for row in drawn]
        scores = column(drawn, af.score, protocol=scoring(protocol, threshold, errors))
        assert_same_bits(scores, expected, drawn)
        fields = scores.struct.unnest()
        assert fields["nls"].equals(column(drawn, af.nls, protocol=protocol))
        assert fields["anls"].equals(column(drawn, af.anls, protocol=protocol, threshold=threshold))
        assert fields["cer"].equals(column(drawn, af.cer, protocol=errors))
        assert fields["exact_match"].equals(column(drawn, af.exact_match, protocol=protocol))
        nearest = [oracle.nearest_answer(*row, protocol) for row in drawn]
        assert_same_bits(column(drawn, af.nearest_answer, protocol=protocol), nearest, drawn)
    prepared = [(oracle.prepare(p, protocol), oracle.prepare(a, protocol)) for p, a in texts]
    distances = [oracle.edit_distance(*pair, cost) for pair in prepared]
    found = column(texts, af.levenshtein, protocol=protocol, substitution_cost=cost)
    assert_same_bits(found, distances, texts)
    differing = [oracle.hamming(*pair) for pair in prepared]
    assert_same_bits(column(texts, af.hamming, protocol=protocol), differing, texts)


@pytest.mark.parametrize("preset", ["anls", "rrc", "anls_star"])
def test_the_cut_at_the_threshold_and_at_its_neighbouring_floats(preset: str) -> None:
    protocol = af.PROTOCOLS[preset]
    for threshold, rows in threshold_rows().items():
        for limit in (math.nextafter(threshold, 0), threshold, math.nextafter(threshold, 1)):
            expected = [oracle.anls(*row, protocol, limit) for row in rows[::2]]
            actual = column(rows[::2], af.anls, protocol=preset, threshold=limit)
            assert_same_bits(actual, expected, rows[::2])


@pytest.mark.parametrize("preset", amount(["anls"], [*af.PROTOCOLS]))
def test_thousands_of_answers_of_one_row(preset: str) -> None:
    rng, protocol = random.Random(64), af.PROTOCOLS[preset]
    base = "Total amount due"
    answers: list[str | None] = [random_text(rng, "aT mé ", rng.randrange(12)) for _ in range(5_000)]
    answers[1_000] = None
    answers[3_000] = answers[4_000] = edited(rng, base, "xy", 2)
    answers[4_999] = base.upper()
    rows = [NullableRow(base, answers), NullableRow("am", answers), NullableRow("", answers)]
    expected = [oracle.score(*row, protocol, 0.5, af.PROTOCOLS["raw"]) for row in rows]
    assert_same_bits(column(rows, af.score, protocol=scoring(preset)), expected, range(3))


def test_replace_changes_what_is_named() -> None:
    raw = af.PROTOCOLS["raw"]
    assert raw.replace() == raw
    assert raw.replace(unicode_form="NFC", threshold=0.3) == af.ScoreProtocol(
        ignore_case=False,
        whitespace="keep",
        unicode_form="NFC",
        threshold=0.3,
        # The rules for error rates stay those of the protocol that had no threshold.
        errors=raw.replace(unicode_form="NFC"),
    )
    assert raw.unicode_form is None
    with pytest.raises(TypeError, match="has no option 'unicode'; its options are ignore_case, ignore_"):
        raw.replace(unicode="NFC")
    with pytest.raises(ValueError, match="unicode_form"):
        raw.replace(unicode_form="NFD")
