"""Scores that are described only: their means are those of their definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import polars as pl
import pytest
from rapidfuzz.distance import Levenshtein

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable

PREDICTIONS = ["lnvoice", "12 EUR", None, "", "x"]
ANSWERS = [["Invoice", "Bill"], ["12 EUR"], ["abc", "ab"], ["d"], None]


def _edits(prediction: str | None, answers: list[str]) -> int:
    """Return the edits to the answer with the lowest error rate."""
    texts = [(Levenshtein.distance(prediction or "", answer), len(answer)) for answer in answers]
    return min(texts, key=lambda pair: pair[0] / pair[1])[0]


@pytest.mark.parametrize("by", [None, "lang"])
def test_char_errors_is_the_mean_number_of_edits(by: str | None) -> None:
    frame = pl.DataFrame({"p": PREDICTIONS, "a": ANSWERS, "lang": ["en", "en", "de", "de", "de"]})
    edits = [_edits(p, a) for p, a in zip(PREDICTIONS, ANSWERS, strict=True) if a is not None]

    report = af.report(frame, "p", "a", by=by, metrics="char_errors")

    assert report.overall["char_errors"] == sum(edits) / len(edits)
    if by is not None:
        means = dict(report.by_group.select("lang", "char_errors").iter_rows())
        assert means == {"en": sum(edits[:2]) / 2, "de": sum(edits[2:]) / 2}
    assert not report.measures[0].higher_is_better


def _summarized(frame: pl.DataFrame) -> float:
    return af.Report(af.summarize(frame, "p", "a", metrics="char_errors", cer_protocol="anls")).overall[
        "char_errors"
    ]


def _compared(frame: pl.DataFrame) -> float:
    systems = {"none": "nothing", "read": "p"}
    return af.compare(frame, systems, "a", metrics="char_errors", cer_protocol="anls").overall["read"]


def _worst(frame: pl.DataFrame) -> float:
    rows = af.worst(frame, "p", "a", 3, metrics="char_errors", cer_protocol="anls")
    return rows["char_errors"].mean()


@pytest.mark.parametrize("mean_of", [_summarized, _compared, _worst])
def test_char_errors_counts_edits_of_texts_that_cer_protocol_prepares(
    mean_of: Callable[[pl.DataFrame], float],
) -> None:
    # The protocol "anls" compares lower case.
    frame = pl.DataFrame({"p": ["LNVOICE", "12 EUR", "X"], "a": ["Invoice", "12 eur", "yz"], "nothing": ""})
    edits = [Levenshtein.distance(p.lower(), a.lower()) for p, a in frame.select("p", "a").iter_rows()]
    assert edits == [1, 0, 2]

    assert mean_of(frame) == sum(edits) / len(edits)
