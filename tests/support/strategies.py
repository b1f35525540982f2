"""What the property tests draw."""

from __future__ import annotations

import itertools

from cases import SCRIPTS
from hypothesis import strategies as st

import anls_frame as af

EVERY_SCRIPT = "".join(sorted(set("".join(itertools.chain.from_iterable(SCRIPTS.values())))))
ALPHABETS = (
    "ab",
    "aB \t",
    *("".join(sorted(set("".join(letters)))) for letters in SCRIPTS.values()),
    EVERY_SCRIPT,
)
ANY_CHARACTER = st.characters(exclude_categories=["Cn", "Cs"])
LETTER = st.sampled_from("ab \t") | st.sampled_from(EVERY_SCRIPT) | ANY_CHARACTER
SHORT = st.one_of(st.text(ANY_CHARACTER, max_size=20), *(st.text(a, max_size=20) for a in ALPHABETS))
# Repetition makes texts of more than one machine word, and periodic ones.
TEXT = SHORT | st.builds(lambda text, times: text * times, SHORT, st.integers(2, 12))


@st.composite
def edits_of(draw: st.DrawFn, text: str) -> str:
    """A few edits, at most four."""
    characters = list(text)
    for _ in range(draw(st.integers(0, 4))):
        position = draw(st.integers(0, len(characters)))
        removed = draw(st.integers(0, 1))
        characters[position : position + removed] = draw(st.lists(LETTER, min_size=1 - removed, max_size=1))
    return "".join(characters)


def near(text: str) -> st.SearchStrategy[str]:
    """The text itself, another case of it, an edited form, or any text at all."""
    return st.just(text) | st.sampled_from([text.upper(), text.lower(), f" {text}"]) | edits_of(text) | TEXT


@st.composite
def nearby_texts(draw: st.DrawFn, count: int) -> tuple[str, ...]:
    base = draw(TEXT)
    return tuple(draw(near(base)) for _ in range(count))


def columns_of_texts(count: int) -> st.SearchStrategy[list[tuple[str, ...]]]:
    """Rows of so many texts that are often near to each other."""
    return st.lists(nearby_texts(count), min_size=1, max_size=8)


@st.composite
def row_of_answers(draw: st.DrawFn) -> tuple[str, list[str]]:
    base = draw(TEXT)
    return draw(near(base)), draw(st.lists(near(base), min_size=1, max_size=6))


ROWS = st.lists(row_of_answers(), min_size=1, max_size=8)

PROTOCOLS = st.sampled_from(list(af.PROTOCOLS.values())) | st.builds(
    af.ScoreProtocol,
    ignore_case=st.booleans(),
    whitespace=st.sampled_from(["keep", "strip", "squeeze"]),
    unicode_form=st.sampled_from([None, "NFC", "NFKC"]),
    length=st.sampled_from(["prepared", "prepared_upper", "raw_upper"]),
    cut=st.sampled_from(["distance", "similarity"]),
    threshold=st.none() | st.floats(0, 1),
)
THRESHOLDS = st.sampled_from([k / 10 for k in range(11)]) | st.floats(0, 1)
