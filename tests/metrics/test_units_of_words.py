"""Rates of words refuse a protocol that asks for characters; every other protocol is read in words."""

from __future__ import annotations

import pickle
from typing import Any

import polars as pl
import pytest

import anls_frame as af
from anls_frame.protocol import protocol_from_dict, protocol_to_dict

ROWS = pl.DataFrame({"p": ["a quick red fox"], "a": ["the quick fox"]})
RATES = [af.wer, af.words.word_errors, af.words.mer, af.words.wil, af.words.bag_of_words_error]
RAW = af.PROTOCOLS["raw"]
ASKED = [RAW.replace(unit="codepoint"), RAW.by("codepoint"), af.ScoreProtocol(unit="codepoint")]


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize(
    "protocol", [*ASKED, af.PROTOCOLS["dinglehopper"].by("codepoint").replace(ignore_case=True)]
)
def test_characters_are_refused_where_words_are_counted(rate: Any, protocol: Any) -> None:
    with pytest.raises(
        ValueError, match=r'counts words, but unit="codepoint" .* 1 - nls\(\.\.\., protocol="raw"\)'
    ):
        rate("p", "a", protocol=protocol)


@pytest.mark.parametrize("rate", RATES)
def test_all_other_protocols_are_read_in_words(rate: Any) -> None:
    expected = ROWS.select(rate("p", "a"))
    again = pickle.loads(pickle.dumps(RAW))  # noqa: S301 - our own
    saved = protocol_from_dict(protocol_to_dict(RAW))
    for protocol in ("raw", RAW.replace(whitespace="keep"), RAW.by("word"), RAW.by("grapheme"), again, saved):
        assert ROWS.select(rate("p", "a", protocol=protocol)).equals(expected)


def test_characters_may_be_counted_beside_words() -> None:
    asked = af.PROTOCOLS["anls"].replace(errors=ASKED[1])
    plain, found = (
        af.report(ROWS, "p", "a", metrics="ocr", protocol=protocol).overall for protocol in ("anls", asked)
    )
    assert found == plain
    assert ASKED[0] == RAW
    assert ROWS.select(af.words.edit_counts("p", "a", protocol=ASKED[0])).equals(
        ROWS.select(af.words.edit_counts("p", "a"))
    )


def test_the_bounded_rate_of_characters_is_that_of_nls() -> None:
    # Of fifteen characters of the longer text, seven are edited: "the" in place of "a" is three, " red" four.
    assert ROWS.select(1 - af.nls("p", "a", protocol="raw")).item() == pytest.approx(7 / 15)
