"""Worked examples, each number written out, and the pairs on which known scorers disagree."""

from __future__ import annotations

from typing import Any

import oracle
import pytest
from cases import Row, column, scoring

import anls_frame as af


def one(metric: Any, prediction: str, answers: list[str], **options: Any) -> Any:
    return column([Row(prediction, answers)], metric, **options).item()


@pytest.mark.parametrize(
    ("prediction", "answers", "anls", "anls_star", "rrc", "raw"),
    [
        ("ab", ["abcd"], 0.0, 0.5, 0.5, 0.5),
        ("cat      ", ["cot"], 1 - 1 / 3, 1 - 1 / 3, 1 - 1 / 9, 1 - 7 / 9),
        ("c", ["a         "], 0.0, 0.0, 0.9, 0.0),
        ("coca  cola", ["coca cola"], 1.0, 1.0, 1.0, 0.9),
        ("yes\n", ["yes"], 1.0, 1.0, 1.0, 0.75),
        ("ß", ["a"], 0.0, 0.0, 0.5, 0.0),
        ("ßa", ["ßb"], 1 - 1 / 3, 0.5, 1 - 1 / 3, 0.5),
        ("straße", ["STRASSE"], 1 - 2 / 7, 1 - 2 / 7, 1 - 2 / 7, 0.0),
        ("é", ["e\u0301"], 0.0, 0.0, 0.0, 0.0),
        ("\x1cab", ["ab"], 1.0, 1.0, 1.0, 1 - 1 / 3),
        ("", [""], 1.0, 1.0, 1.0, 1.0),
        ("", ["a"], 0.0, 0.0, 0.0, 0.0),
        (" ", [""], 1.0, 1.0, 1.0, 0.0),
        ("none", ["none"], 1.0, 1.0, 1.0, 1.0),
        ("Unlikely", ["Likely"], 0.75, 0.75, 0.75, 1 - 3 / 8),
        ("\U0001f44d\U0001f3fd", ["\U0001f44d"], 0.0, 0.5, 0.5, 0.5),
        ("a", ["b", "ac"], 0.0, 0.5, 0.5, 0.5),
    ],
)
def test_where_scorers_disagree(  # noqa: PLR0917 - the columns of a table
    prediction: str, answers: list[str], anls: float, anls_star: float, rrc: float, raw: float
) -> None:
    assert one(af.anls, prediction, answers, protocol="anls") == anls
    assert one(af.anls, prediction, answers, protocol="anls_star") == anls_star
    assert one(af.anls, prediction, answers, protocol="rrc") == rrc
    assert one(af.nls, prediction, answers, protocol="raw") == raw


def test_the_answer_of_the_best_similarity_and_that_of_the_lowest_rate_differ() -> None:
    # "abcd": similarity 0.5, rate 1 by a reference of two; against "abcdefgh" 0.5 again, rate 4 / 8.
    assert one(af.score, "abcd", ["ab", "abcdefgh"], protocol=scoring("raw")) == {
        "nls": 0.5,
        "anls": 0.5,
        "cer": 0.5,
        "exact_match": False,
        "char_errors": 4,
        "reference_length": 8,
        "answer_index": 0,
    }


def test_the_textbook_agrees_with_itself_written_out() -> None:
    assert oracle.edit_distance("kitten", "sitting") == 3
    assert oracle.edit_distance("kitten", "sitting", 2) == 5
    assert oracle.edit_distance("kitten", "sitting", 0) == 1
    assert oracle.hamming("karolin", "kathrin") == 3
    assert oracle.hamming("a", "") is None
    assert oracle.prepare(" \x1cCoca\u3000 COLA\n", af.PROTOCOLS["anls"]) == "coca cola"
    assert oracle.nls("rain", ["shine", None], af.PROTOCOLS["anls"]) == 0.4
