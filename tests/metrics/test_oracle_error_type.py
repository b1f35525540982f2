"""Error types are those of the definition."""

# ruff: noqa: RUF001 - full-width digits are what it is about

from __future__ import annotations

import random

import error_oracle
import polars as pl
import pytest
import strategies
from campaign import amount
from cases import FAMILIES, assigned_characters, family, scoring
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af

Rows = "Sequence[tuple[str | None, Sequence[str | None] | None]]"

SCHEMA = {"prediction": pl.String, "answers": pl.List(pl.String)}
ANLS = af.PROTOCOLS["anls"]


def error_types(rows: Rows, **options: object) -> list[str | None]:
    frame = pl.DataFrame(rows, schema=SCHEMA, orient="row")
    return frame.select(af.error_type("prediction", "answers", **options))["error_type"].to_list()  # type: ignore[arg-type]


def assert_types(rows: Rows, protocol: af.ScoreProtocol = ANLS, threshold: float = 0.5) -> None:
    found = error_types(rows, protocol=scoring(protocol, threshold))
    for row, one in zip(rows, found, strict=True):
        assert one == error_oracle.error_type(*row, protocol, threshold), row


# prediction, answers, type
EXAMPLES: list[tuple[str | None, list[str | None], str | None]] = [
    (None, ["a"], "missing"),
    (None, [None], None),
    (None, [], None),
    ("a", [], None),
    ("", ["a"], "empty"),
    (" \x1c", ["a", "b"], "empty"),
    ("", ["a", ""], "exact"),
    (" ", ["a", ""], "whitespace"),
    ("a", ["b", "a"], "exact"),
    ("PARIS", ["London", "Paris"], "case"),
    ("new york", ["NewYork"], "whitespace"),
    ("St. Louis", ["st louis"], "punctuation"),
    ("1.5", ["15"], "punctuation"),
    ("Zurich", ["Zürich"], "diacritics"),
    ("cafe\u0301", ["café"], "diacritics"),
    ("$1,640.00", ["1640"], "number_format"),
    ("￥１，６４０", ["1640"], "number_format"),
    ("1.640,00 €", ["1,640.00"], "number_format"),
    ("15 %", ["15.0"], "number_format"),
    ("15", ["-15.0"], "truncated"),
    ("1,64", ["1640"], "wrong"),
    ("Paris, France", ["Paris"], "extra_text"),
    ("Parisian", ["Paris"], "near"),
    ("Paris", ["the city of Paris"], "truncated"),
    ("人民币100元", ["100"], "extra_text"),
    ("東京都", ["東京"], "extra_text"),
    ("서울은", ["서울"], "extra_text"),
    ("x a", ["a"], "wrong"),
    ("Coca Co1a", ["Coca Cola"], "near"),
    ("rain", ["shine"], "wrong"),
    ("", [""], "exact"),
    ("a", [""], "invented"),
    (".", [" ", None, ""], "invented"),
    ("a", ["", "b"], "wrong"),
    ("b", ["", "B"], "case"),
    (".", ["!"], "punctuation"),
    # The smallest difference to any answer.
    ("paris", ["Paris, France", "Paris"], "case"),
]


@pytest.mark.parametrize(("prediction", "answers", "expected"), EXAMPLES)
def test_types_of_examples(prediction: str | None, answers: list[str | None], expected: str | None) -> None:
    assert error_types([(prediction, answers)]) == [expected]
    assert error_oracle.error_type(prediction, answers, ANLS) == expected


@pytest.mark.parametrize("name", FAMILIES)
def test_types_are_those_of_the_definition(name: str) -> None:
    assert_types([(row.prediction, row.answers) for row in family(name)[:: amount(2, 1)]])


DIFFERENCES = (
    "",
    " ",
    ".",
    ",",
    "-",
    "$",
    "€",
    "%",
    "é",
    "e",
    "E",
    "\u0301",
    "0",
    "1",
    "00",
    "000",
    "a",
    "東",
    "x ",
)


@st.composite
def disguised(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text and others that differ from it by little that has a name."""
    parts = draw(st.lists(st.sampled_from(DIFFERENCES), min_size=1, max_size=8))
    others = []
    for _ in range(draw(st.integers(1, 3))):
        other = list(parts)
        for _ in range(draw(st.integers(0, 3))):
            position = draw(st.integers(0, len(other)))
            other[position : position + draw(st.integers(0, 1))] = [draw(st.sampled_from(DIFFERENCES))]
        others.append("".join(other))
    return "".join(parts), others


@given(st.lists(disguised(), min_size=1, max_size=20))
def test_types_of_disguised_texts(rows: list[tuple[str, list[str]]]) -> None:
    assert_types(rows)


SIGNS = st.text("0123456789.,.,00 -+%$€", max_size=9)


@given(st.lists(st.tuples(SIGNS, st.lists(SIGNS, min_size=1, max_size=2)), min_size=1, max_size=20))
def test_types_of_numbers(rows: list[tuple[str, list[str]]]) -> None:
    assert_types(rows)


@given(strategies.ROWS, strategies.PROTOCOLS, strategies.THRESHOLDS)
def test_types_under_any_protocol(
    rows: list[tuple[str, list[str]]], protocol: af.ScoreProtocol, threshold: float
) -> None:
    assert_types(rows, protocol, threshold)


def test_each_character_counts_as_what_unicode_says() -> None:
    generator = random.Random(0)
    letters = assigned_characters()
    rows: list[tuple[str, list[str]]] = []
    for letter in (*letters[: amount(1_000, 12_000)], *generator.sample(letters, amount(1_000, 5_000))):
        rows += [(f"ab{letter}", ["ab"]), (f"1{letter}", ["1"]), (f"ab{letter}c", ["ab"])]
    assert_types(rows)


def test_containing_takes_no_longer_in_a_hostile_text() -> None:
    # Every position matches for a long while: trying each would take minutes.
    rows = [("ab " * 200_000, ["ab " * 100_000 + "a"]), ("a" * 400_000, ["a" * 200_000])]
    assert error_types(rows) == ["near", "wrong"]


def test_the_types_are_an_enum_in_the_order_in_which_they_are_tried() -> None:
    dtype = pl.LazyFrame(schema=SCHEMA).select(af.error_type("prediction", "answers")).collect_schema()
    first = "missing empty invented exact case whitespace punctuation diacritics"
    last = "number_format extra_text truncated near wrong"
    assert dtype["error_type"] == pl.Enum(f"{first} {last}".split(" "))
