"""Worked examples, each number written out, and the pairs on which known scorers disagree."""

from __future__ import annotations

from typing import Any

import oracle
import polars as pl
import pytest
from cases import Row, column, scoring

import anls_frame as af

COCA_COLA = ["Coca Cola", "Coca Cola Company"]


def one(metric: Any, prediction: str, answers: list[str], **options: Any) -> Any:
    return column([Row(prediction, answers)], metric, **options).item()


def test_two_rows_and_their_mean() -> None:
    scores = column([Row("rain", ["shine"]), Row("lnaguaeg", ["language"])], af.nls)
    assert scores.to_list() == [0.4, 0.5]
    assert scores.mean() == 0.45


@pytest.mark.parametrize(
    ("prediction", "each", "best", "cut"),
    [
        ("The Coca", [1 - 5 / 9, 1 - 12 / 17], 1 - 5 / 9, 0.0),
        ("CocaCola", [1 - 1 / 9, 1 - 9 / 17], 1 - 1 / 9, 1 - 1 / 9),
        ("Coca cola", [1.0, 1 - 8 / 17], 1.0, 1.0),
        ("Cola", [1 - 5 / 9, 1 - 13 / 17], 1 - 5 / 9, 0.0),
        ("Cat", [1 - 7 / 9, 1 - 15 / 17], 1 - 7 / 9, 0.0),
    ],
)
def test_coca_cola(prediction: str, each: list[float], best: float, cut: float) -> None:
    assert [one(af.nls, prediction, [answer]) for answer in COCA_COLA] == each
    assert one(af.nls, prediction, COCA_COLA) == best
    assert one(af.anls, prediction, COCA_COLA) == cut
    assert af.anls_score(prediction, COCA_COLA) == cut


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


@pytest.mark.parametrize(("preset", "score"), [("anls", 0.0), ("rrc", 1 - 3 / 7), ("anls_star", 1 - 3 / 7)])
def test_a_threshold_of_a_distance_and_of_a_similarity(preset: str, score: float) -> None:
    assert one(af.anls, "kitten", ["sitting"], protocol=preset, threshold=0.3) == score


@pytest.mark.parametrize(
    ("preset", "scores"), [("anls", [0.0, 1.0, 1 - 3 / 7]), ("rrc", [1.0, 1.0, 1 - 3 / 7])]
)
def test_the_ends_of_the_threshold(preset: str, scores: list[float]) -> None:
    # A distance is never below 0, so that even a perfect answer is cut; below 1 it is plain similarity.
    assert one(af.anls, "cat", ["Cat"], protocol=preset, threshold=0.0) == scores[0]
    assert one(af.anls, "cat", ["Cat"], protocol=preset, threshold=1.0) == scores[1]
    end = 1.0 if preset == "anls" else 0.0
    assert one(af.anls, "kitten", ["sitting"], protocol=preset, threshold=end) == scores[2]


def test_the_mean_of_rates_and_the_corpus_rate() -> None:
    scores = column([Row("b", ["a"]), Row("abcdefghij", ["abcdefghij"])], af.score).struct.unnest()
    assert scores["cer"].mean() == 0.5
    errors, length = scores.select(pl.sum("char_errors", "reference_length")).row(0)
    assert errors / length == 1 / 11


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


def test_text_moved_far_is_counted_exactly() -> None:
    # An alignment that looks only near the diagonal finds more edits than there are.
    text = "".join(chr(0x4E00 + i) for i in range(118))
    preamble = "The answer, as printed on the page, is: "
    letters, others = "abcdefghijklmnopqrstuvwxyz", "".join(chr(0x4E00 + i) for i in range(60))
    cases = [
        (preamble + text, text),
        (preamble * 2 + text, text),
        (text[30:] + text[:30], text),
        (others + letters, letters + others),
    ]
    assert column(cases, af.levenshtein).to_list() == [40, 80, 60, 52]
    assert column(cases[3:], af.nls, protocol="raw").to_list() == [1 - 52 / 86]


def test_the_textbook_agrees_with_itself_written_out() -> None:
    assert oracle.edit_distance("kitten", "sitting") == 3
    assert oracle.edit_distance("kitten", "sitting", 2) == 5
    assert oracle.edit_distance("kitten", "sitting", 0) == 1
    assert oracle.hamming("karolin", "kathrin") == 3
    assert oracle.hamming("a", "") is None
    assert oracle.prepare(" \x1cCoca\u3000 COLA\n", af.PROTOCOLS["anls"]) == "coca cola"
    assert oracle.nls("rain", ["shine", None], af.PROTOCOLS["anls"]) == 0.4
