"""The option `--protocol` says all that a `ScoreProtocol` can say."""

from __future__ import annotations

from typing import Any

import pytest
import strategies
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.cli.named import protocol as parse
from anls_frame.protocol import spelled

RAW, RRC = af.PROTOCOLS["raw"], af.PROTOCOLS["rrc"]
EQUIVALENCES = st.dictionaries(st.text("aß\"'{}:,= ", min_size=1), st.text("aß"), max_size=2)


@pytest.mark.parametrize(
    ("text", "protocol"),
    [
        ("anls", af.PROTOCOLS["anls"]),
        ("raw,ignore_case=true", RAW.replace(ignore_case=True)),
        ("raw,ignore_case=True", RAW.replace(ignore_case=True)),
        (
            "jiwer,ignore_punctuation=true,errors=jiwer",
            af.PROTOCOLS["jiwer"].replace(ignore_punctuation=True, errors="jiwer"),
        ),
        ("rrc,threshold=null,cut=distance", RRC.replace(threshold=None, cut="distance")),
        ("rrc,unicode_form=NFC,errors=jiwer", RRC.replace(unicode_form="NFC", errors="jiwer")),
        (
            "rrc,errors=raw,errors.unicode_form=NFC,threshold=0",
            RRC.replace(errors=RAW.replace(unicode_form="NFC"), threshold=0),
        ),
        (r'raw,equivalences={"\u003d": ",a\u003d"}', RAW.replace(equivalences={"=": ",a="})),
        ('raw,equivalences={"ß": "ss", "æ": "ae"}', RAW.replace(equivalences={"ß": "ss", "æ": "ae"})),
    ],
)
def test_it_is_a_preset_with_other_values_for_its_options(text: str, protocol: af.ScoreProtocol) -> None:
    assert parse(text) == protocol
    assert parse(spelled(protocol)) == protocol


@given(strategies.PROTOCOLS, strategies.PROTOCOLS, EQUIVALENCES)
def test_every_protocol_can_be_written(
    protocol: af.ScoreProtocol, errors: af.ScoreProtocol, equivalences: dict[str, str]
) -> None:
    whole: Any = protocol.replace(errors=errors, equivalences=equivalences)
    assert parse(spelled(whole)) == whole
