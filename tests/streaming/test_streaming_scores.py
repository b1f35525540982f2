"""The metric objects give the scores of rapidfuzz, jiwer, the textbook and the expressions."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import jiwer
import numpy as np
import oracle
import polars as pl
import pytest
import strategies
from cases import FAMILIES, Row, family, mixed_rows
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity


def columns(rows: Sequence[Row]) -> tuple[list[str], list[list[str]]]:
    return [row.prediction for row in rows], [row.answers for row in rows]


def exact_mean(scores: Sequence[float]) -> float:
    return float(sum(map(Fraction, scores)) / len(scores))


@pytest.mark.parametrize("name", FAMILIES)
def test_the_rate_of_the_corpus_is_that_of_jiwer(name: str) -> None:
    rows = family(name)
    predictions, references = [row.prediction for row in rows], [row.answers[0] for row in rows]
    metric = CharErrorRate(protocol="jiwer")
    value = metric(predictions, references)
    counts = jiwer.process_characters(references, predictions)

    assert value == jiwer.cer(references, predictions) == metric.compute()
    assert metric.char_errors == counts.substitutions + counts.deletions + counts.insertions
    assert metric.reference_length == counts.hits + counts.substitutions + counts.deletions


@pytest.mark.parametrize(
    ("predictions", "references", "rate"),
    [(["abc", "d"], ["", ""], 4.0), (["", ""], ["", ""], 0.0), (["abc", "a"], ["", "a"], 3.0)],
)
def test_empty_references_count_as_in_jiwer(
    predictions: list[str], references: list[str], rate: float
) -> None:
    assert jiwer.cer(references, predictions) == rate
    assert CharErrorRate()(predictions, references) == rate


def test_the_rates_of_the_pairs_are_reduced_apart_from_the_rate_of_the_corpus() -> None:
    rows = [Row(row.prediction, row.answers[:1]) for row in mixed_rows(200, seed=3)]
    pairs = columns(rows)
    rates = [float(jiwer.cer(row.answers[0], row.prediction)) for row in rows]

    assert CharErrorRate(protocol="jiwer", reduction="none")(*pairs).tolist() == rates
    assert CharErrorRate(protocol="jiwer", reduction="mean")(*pairs) == exact_mean(rates)
    assert CharErrorRate(protocol="jiwer", reduction="sum")(*pairs) == float(sum(map(Fraction, rates)))
    assert CharErrorRate(protocol="jiwer")(*pairs) != pytest.approx(statistics.mean(rates))


@given(
    rows=strategies.ROWS,
    protocol=strategies.PROTOCOLS,
    cost=st.integers(0, 3),
    threshold=strategies.THRESHOLDS,
)
def test_similarities_are_the_textbook_s(
    rows: list[tuple[str, list[str]]], protocol: af.ScoreProtocol, cost: int, threshold: float
) -> None:
    nls = [oracle.nls(*row, protocol, cost) for row in rows]
    anls = [oracle.anls(*row, protocol, threshold) for row in rows]
    predictions, answers = [row[0] for row in rows], [row[1] for row in rows]
    similarity = NormalizedLevenshteinSimilarity(cost, "none", protocol=protocol)
    assert similarity(predictions, answers).tolist() == nls
    metric = ANLS(protocol=protocol, threshold=threshold, reduction=None)
    assert metric(predictions, answers).tolist() == anls


@given(rows=strategies.ROWS, protocol=strategies.PROTOCOLS)
def test_rates_are_the_textbook_s_and_the_expression_s(
    rows: list[tuple[str, list[str]]], protocol: af.ScoreProtocol
) -> None:
    predictions, answers = [row[0] for row in rows], [row[1] for row in rows]
    expected = [oracle.char_errors(*row, protocol) for row in rows]
    frame = pl.DataFrame({"p": predictions, "a": answers})
    expression = frame.select(af.cer("p", "a", protocol=protocol)).to_series()
    metric = CharErrorRate(protocol=protocol, reduction="none")
    scores = metric(predictions, answers).tolist()
    assert scores == [edits[0] for edits in expected if edits] == expression.to_list()
    assert metric.char_errors == sum(edits[1] for edits in expected if edits)
    assert metric.reference_length == sum(edits[2] for edits in expected if edits)


def test_the_names_of_the_arguments_come_in_the_order_that_people_know() -> None:
    indel = NormalizedLevenshteinSimilarity(2, "sum")
    assert indel(["cat"], ["cut"]) == 1 - 2 / 3
    assert indel(["abc"], ["xyz"]) == -1.0
    assert indel.compute() == float(Fraction(1 - 2 / 3) - 1)
    assert (
        repr(indel) == "NormalizedLevenshteinSimilarity(substitution_cost=2, protocol='raw', reduction='sum')"
    )


@pytest.mark.parametrize("none", ["none", None])
def test_without_reduction_the_scores_are_kept_in_order(none: Any) -> None:
    metric = ANLS(reduction=none)
    assert metric.compute().shape == (0,)
    first = metric(["a", "b"], ["a", "x"])
    assert metric("c", "c").tolist() == [1.0]
    assert metric.update(pl.Series(["d", "e"]), pl.Series(["x", "e"])) is None  # type: ignore[func-returns-value]
    everything = metric.compute()

    assert first.tolist() == [1.0, 0.0]
    assert everything.dtype == np.float64
    assert everything.tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]
    everything[:] = 7
    assert metric.compute().tolist() == [1.0, 0.0, 1.0, 0.0, 1.0]


@pytest.mark.parametrize("reduction", ["mean", "sum"])
@pytest.mark.parametrize("metric", [ANLS, NormalizedLevenshteinSimilarity, CharErrorRate])
def test_a_value_is_a_float_and_that_of_nothing_is_zero(metric: Any, reduction: str) -> None:
    one = metric(reduction=reduction)
    with pytest.warns(
        af.InputWarning, match=f"{metric.__name__} has no pairs, so its value 0.0 is not a score"
    ):
        value = one.compute()
    assert (value, type(value)) == (0.0, float)
    assert one([], []) == 0.0
    assert type(one(["a"], ["b"])) is float
    one.compute()  # of a pair, without a warning
    assert metric(reduction="none").compute().tolist() == []
