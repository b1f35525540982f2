"""The preset `jiwer` gives the character error rate of jiwer 4, pair by pair, to the last bit."""

from __future__ import annotations

import importlib.metadata
import random

import jiwer
import polars as pl
import pytest
import scorers
from cases import FAMILIES, Row, assert_same_bits, column, family, mixed_rows, scoring

import anls_frame as af


@pytest.mark.parametrize("name", FAMILIES)
def test_cer_is_that_of_the_package(name: str) -> None:
    rows = family(name)
    expected = scorers.jiwer_rates(rows)
    assert_same_bits(column(rows, af.cer, protocol="jiwer"), expected, rows)


@pytest.mark.parametrize(
    ("prediction", "reference", "rate"),
    [
        ("abc", "", 3.0),
        ("", "", 0.0),
        (" \x1c", "\n", 0.0),
        ("", "abc", 1.0),
        ("abc", " ", 3.0),
        ("abcd", "x", 4.0),
    ],
)
def test_an_empty_reference_counts_the_insertions(prediction: str, reference: str, rate: float) -> None:
    row = Row(prediction, [reference])
    assert float(jiwer.cer(reference, prediction)) == rate
    assert column([row], af.cer, protocol="jiwer").to_list() == [rate]


def test_the_corpus_rate_follows_from_the_sums() -> None:
    rows = mixed_rows(1_000, seed=41)
    rows = [Row(row.prediction, row.answers[:1]) for row in rows]
    expected = jiwer.cer([row.answers[0] for row in rows], [row.prediction for row in rows])
    scores = column(rows, af.score, protocol=scoring("anls", errors="jiwer")).struct.unnest()
    errors, length = scores.select(pl.sum("char_errors", "reference_length")).row(0)
    assert errors / length == expected


@pytest.mark.parametrize("seed", [53, 59])
def test_rates_without_case_and_punctuation_are_those_of_its_transformations(seed: int) -> None:
    dice = random.Random(seed)
    words = [
        "Well-known",
        "isn't",
        "No.",
        "«Où?»",
        "naïve…",
        "$5",
        "a+b",
        "ΟΔΟΣ-ΟΔΟΣ",
        "दिल्ली।",
        "the",
        "-",
        "(x)",
    ]
    texts = [" ".join(dice.choices(words, k=dice.randrange(1, 9))) + " end" for _ in range(400)]
    pairs = list(zip(texts[::2], texts[1::2], strict=True))
    protocol = af.PROTOCOLS["jiwer"].replace(ignore_case=True, ignore_punctuation=True, whitespace="squeeze")
    steps = [jiwer.ToLowerCase(), jiwer.RemovePunctuation(), jiwer.RemoveMultipleSpaces(), jiwer.Strip()]
    for rate, peer, split in (
        (af.wer, jiwer.wer, jiwer.ReduceToListOfListOfWords()),
        (af.cer, jiwer.cer, jiwer.ReduceToListOfListOfChars()),
    ):
        whole = jiwer.Compose([*steps, split])
        expected = [
            float(peer(answer, text, reference_transform=whole, hypothesis_transform=whole))
            for text, answer in pairs
        ]
        assert_same_bits(column(pairs, rate, protocol=protocol), expected, pairs)


def test_the_package_is_the_version_that_defines_empty_references() -> None:
    assert importlib.metadata.version("jiwer").split(".")[0] == "4"


def test_get_cer_of_one_pair_is_that_of_the_package() -> None:
    # Without outer whitespace, which jiwer strips and this function keeps.
    pairs = [(row.prediction.strip(), row.answers[0].strip()) for row in mixed_rows(150, seed=43)]
    expected = [float(jiwer.cer(reference, prediction)) for prediction, reference in pairs]
    assert_same_bits([af.pairs.get_cer(*pair) for pair in pairs], expected, pairs)
