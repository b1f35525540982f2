"""What the property tests draw."""

from __future__ import annotations

import itertools
from collections.abc import Callable

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


# To make a strategy for each text takes longer than to draw from it, so these draw functions of a text.
Change = Callable[[str], str]


def with_edits(edits: list[tuple[int, int, str]]) -> Change:
    """Insert, replace or remove a character at each place; beyond the text's end, counting starts again."""

    def edited(text: str) -> str:
        characters = list(text)
        for place, removed, letter in edits:
            position = place % (len(characters) + 1)
            characters[position : position + removed] = letter
        return "".join(characters)

    return edited


PLACE = st.integers(0, 1_000)
EDIT = st.tuples(PLACE, st.integers(0, 1), LETTER) | st.tuples(PLACE, st.just(1), st.just(""))
FEW_EDITS = st.lists(EDIT, max_size=4).map(with_edits)
# The text itself, another case of it, an edited form, or any text at all.
CHANGE = (
    st.just(str)
    | st.sampled_from([str.upper, str.lower, " {}".format])
    | FEW_EDITS
    | TEXT.map(lambda other: lambda _: other)
)


def nearby_texts(count: int) -> st.SearchStrategy[tuple[str, ...]]:
    """So many texts that are often near to each other."""
    changes = st.tuples(*[CHANGE] * count)
    return st.builds(lambda text, chosen: tuple(change(text) for change in chosen), TEXT, changes)


def columns_of_texts(count: int) -> st.SearchStrategy[list[tuple[str, ...]]]:
    """Rows of such texts."""
    return st.lists(nearby_texts(count), min_size=1, max_size=8)


ROW_OF_ANSWERS = st.builds(
    lambda text, first, others: (first(text), [change(text) for change in others]),
    TEXT,
    CHANGE,
    st.lists(CHANGE, min_size=1, max_size=6),
)
ROWS = st.lists(ROW_OF_ANSWERS, min_size=1, max_size=8)

PROTOCOLS = st.sampled_from(list(af.PROTOCOLS.values())) | st.builds(
    af.ScoreProtocol,
    ignore_case=st.booleans(),
    ignore_punctuation=st.booleans(),
    whitespace=st.sampled_from(["keep", "strip", "squeeze"]),
    unicode_form=st.sampled_from([None, "NFC", "NFKC"]),
    length=st.sampled_from(["prepared", "prepared_upper", "raw_upper"]),
    cut=st.sampled_from(["distance", "similarity"]),
    threshold=st.none() | st.floats(0, 1),
)
THRESHOLDS = st.sampled_from([k / 10 for k in range(11)]) | st.floats(0, 1)
