"""Preparation is that of Python's own string methods, for every code point that Python knows."""

from __future__ import annotations

import itertools
import random
import unicodedata
from typing import Any, Literal

import pytest
from campaign import amount
from cases import SCRIPTS, assert_same_bits, assigned_characters, column, random_text

import anls_frame as af


def is_plain(character: str) -> bool:
    """Whether it is an ideograph or the like: a letter without case and with one form, or for private use."""
    alone = unicodedata.normalize("NFKD", character) == character == character.swapcase()
    return alone and unicodedata.category(character) in ("Lo", "Co")


# Nine of ten are plain; most of these come in a campaign only.
CHARACTERS = amount(
    tuple(c for c in assigned_characters() if not is_plain(c) or ord(c) % 10 == 0), assigned_characters()
)
LOWER = af.ScoreProtocol(whitespace="keep")
STRIP = af.ScoreProtocol(ignore_case=False, whitespace="strip")
SQUEEZE = af.ScoreProtocol(ignore_case=False, whitespace="squeeze")
WORDS = af.ScoreProtocol(ignore_case=False, ignore_punctuation=True, whitespace="keep")
FORMS = {
    form: af.ScoreProtocol(ignore_case=False, whitespace="keep", unicode_form=form)
    for form in ("NFC", "NFKC")
}


# Unicode 14 counts the first as a cased letter and the second as a mark that casing ignores, later versions
# do not: what a capital sigma beside them becomes depends on the version, in Python too.
RECLASSIFIED = "\u0295\U0001171e"
# The kernel's punctuation is that of Unicode 14. Python 3.12 and later know that of Unicode 15, too.
LATER_PUNCTUATION = {chr(code) for code in (*range(0x11B00, 0x11B0A), *range(0x11F43, 0x11F50))}


def relatives(character: str) -> set[str]:
    """Texts that case mapping might take for the same."""
    cases = {
        character.upper(),
        character.lower(),
        character.title(),
        character.casefold(),
        character.swapcase(),
    }
    return cases | {unicodedata.normalize("NFKD", character)[:1], chr(min(ord(character) + 1, 0xD7FF))}


def test_all_of_unicode_is_there() -> None:
    assert len(CHARACTERS) > amount(50_000, 280_000)


def test_lower_case_of_every_code_point() -> None:
    cases = [(c, c.lower()) for c in CHARACTERS]
    assert_same_bits(column(cases, af.exact_match, protocol=LOWER), [True] * len(cases), cases)
    lengths = column([(c, "") for c in CHARACTERS], af.levenshtein, protocol=LOWER)
    assert_same_bits(lengths, [len(c.lower()) for c in CHARACTERS], CHARACTERS)


def test_lower_case_takes_no_two_code_points_for_one() -> None:
    cases = [(c, other) for c in CHARACTERS for other in sorted(relatives(c))]
    expected = [c.lower() == other.lower() for c, other in cases]
    assert_same_bits(column(cases, af.exact_match, protocol=LOWER), expected, cases)


@pytest.mark.parametrize("ignore_case", [True, False])
@pytest.mark.parametrize("length", ["prepared_upper", "raw_upper"])
def test_upper_case_length_of_every_code_point(
    length: Literal["prepared_upper", "raw_upper"], *, ignore_case: bool
) -> None:
    # Against an empty answer the distance is the prepared length, and the similarity 1 - d / L shows L.
    protocol = af.ScoreProtocol(ignore_case=ignore_case, whitespace="keep", length=length)
    prepared = [c.lower() if ignore_case else c for c in CHARACTERS]
    counted = prepared if length == "prepared_upper" else CHARACTERS
    expected = [1 - len(p) / len(c.upper()) for p, c in zip(prepared, counted, strict=True)]
    actual = column([(c, "") for c in CHARACTERS], af.nls, protocol=protocol)
    assert_same_bits(actual, expected, CHARACTERS)


@pytest.mark.parametrize("text", ["{}", "{0}x{0}{0}x {0}x{0} "])
def test_whitespace_among_all_code_points(text: str) -> None:
    texts = [text.format(c) for c in CHARACTERS]
    for protocol, prepared in [
        (STRIP, map(str.strip, texts)),
        (SQUEEZE, (" ".join(t.split()) for t in texts)),
    ]:
        lengths = column([(t, "") for t in texts], af.levenshtein, protocol=protocol)
        expected = list(prepared)
        assert_same_bits(lengths, map(len, expected), CHARACTERS)
        cases = list(zip(texts, expected, strict=True))
        assert_same_bits(column(cases, af.exact_match, protocol=protocol), [True] * len(cases), cases)


@pytest.mark.parametrize("text", ["{}", "a{0}b{0}", " {0} x {0}\t{0} "])
@pytest.mark.parametrize("whitespace", ["keep", "strip", "squeeze"])
@pytest.mark.parametrize("ignore_case", [True, False])
def test_punctuation_among_all_code_points(
    text: str, whitespace: Literal["keep", "strip", "squeeze"], *, ignore_case: bool
) -> None:
    def prepared(text: str) -> str:
        text = text.lower() if ignore_case else text
        text = "".join(c for c in text if unicodedata.category(c)[0] != "P")
        text = text if whitespace == "keep" else text.strip()
        return " ".join(text.split()) if whitespace == "squeeze" else text

    protocol = WORDS.replace(ignore_case=ignore_case, whitespace=whitespace)
    texts = [text.format(c) for c in CHARACTERS if c not in RECLASSIFIED and c not in LATER_PUNCTUATION]
    expected = [*map(prepared, texts)]
    cases = list(zip(texts, expected, strict=True))
    # What is left of the other text is looked at, too.
    plain = WORDS.replace(ignore_punctuation=False)
    assert_same_bits(column(cases, af.exact_match, protocol=protocol), [True] * len(cases), cases)
    lengths = column([(t, "") for t in texts], af.levenshtein, protocol=protocol)
    assert_same_bits(lengths, column([(t, "") for t in expected], af.levenshtein, protocol=plain), texts)


@pytest.mark.parametrize(
    ("text", "protocol", "expected"),
    [
        ("Well-known, isn't it?", {}, "Wellknown isnt it"),
        # Symbols stay.
        ("$1+1 = <2>! #%&*", {}, "$1+1 = <2> "),
        ("«Où ?» – „da“、۔", {"whitespace": "squeeze"}, "Où da"),  # noqa: RUF001 - as it is
        # A sigma is lowered within the text as it is written, and marks join what they then follow.
        ("ΟΔΟΣ-ΟΔΟΣ", {"ignore_case": True}, "οδοςοδος"),
        ("e-\u0301.", {"unicode_form": "NFC"}, "é"),
        ("…a\uff01", {"unicode_form": "NFKC"}, "a"),
        ("a · b", {"equivalences": {"·": "-", "a": "(ä)"}, "whitespace": "squeeze"}, "ä b"),
    ],
)
def test_punctuation_is_left_out_after_case_and_before_whitespace(
    text: str, protocol: dict[str, Any], expected: str
) -> None:
    assert column([(text, expected)], af.levenshtein, protocol=WORDS.replace(**protocol)).to_list() == [0]
    exact = column(
        [(text, expected), (text, expected + "x")], af.exact_match, protocol=WORDS.replace(**protocol)
    )
    assert exact.to_list() == [True, False]


@pytest.mark.parametrize("form", FORMS)
def test_normal_form_of_every_code_point(form: str) -> None:
    normal = [unicodedata.normalize(form, c) for c in CHARACTERS]  # type: ignore[arg-type]
    cases = list(zip(CHARACTERS, normal, strict=True))
    assert_same_bits(column(cases, af.exact_match, protocol=FORMS[form]), [True] * len(cases), cases)
    lengths = column([(c, "") for c in CHARACTERS], af.levenshtein, protocol=FORMS[form])
    assert_same_bits(lengths, map(len, normal), CHARACTERS)


@pytest.mark.parametrize("form", FORMS)
def test_normal_form_of_sequences(form: str) -> None:
    # Marks in any order behind any base: composition, blocking and the canonical order.
    rng = random.Random(71)
    marks = [c for c in CHARACTERS if unicodedata.combining(c)]
    composing = [c for c in CHARACTERS if len(unicodedata.normalize("NFD", c)) > 1]
    texts = [
        unicodedata.normalize("NFD", rng.choice(composing)) + random_text(rng, marks, rng.randrange(4))
        for _ in range(10_000)
    ]
    texts += [random_text(rng, letters, 6) for letters in SCRIPTS.values() for _ in range(100)]
    normal = [unicodedata.normalize(form, t) for t in texts]  # type: ignore[arg-type]
    cases = list(zip(texts, normal, strict=True))
    assert_same_bits(column(cases, af.exact_match, protocol=FORMS[form]), [True] * len(cases), cases)
    lengths = column([(t, "") for t in texts], af.levenshtein, protocol=FORMS[form])
    assert_same_bits(lengths, map(len, normal), texts)
    decomposed = [(t, unicodedata.normalize("NFD", t)) for t in texts]
    expected = [unicodedata.normalize(form, a) == unicodedata.normalize(form, b) for a, b in decomposed]  # type: ignore[arg-type]
    assert_same_bits(column(decomposed, af.exact_match, protocol=FORMS[form]), expected, decomposed)


def lower_cases_agree(texts: list[str]) -> None:
    lower = list(zip(texts, map(str.lower, texts), strict=True))
    assert_same_bits(column(lower, af.exact_match, protocol=LOWER), [True] * len(texts), lower)
    # The other sigma must not match.
    other = [(t, low.translate({0x3C2: 0x3C3, 0x3C3: 0x3C2})) for t, low in lower]
    expected = [t.lower() == o.lower() for t, o in other]
    assert_same_bits(column(other, af.exact_match, protocol=LOWER), expected, other)


@pytest.mark.parametrize("context", ["{}\u03a3", "\u03b1\u03a3{}", "\u03b1\u03a3{}\u03b1", "\u03b1{}\u03a3"])
def test_sigma_beside_every_code_point(context: str) -> None:
    lower_cases_agree([context.format(c) for c in CHARACTERS if c not in RECLASSIFIED])


@pytest.mark.parametrize(
    ("capital", "lower"),
    [
        ("\u0295\u03a3", "\u0295\u03c2"),
        ("\u03b1\u03a3\u0295", "\u03b1\u03c3\u0295"),
        ("\u03b1\U0001171e\u03a3", "\u03b1\U0001171e\u03c2"),
        ("\u03b1\u03a3\U0001171e\u03b1", "\u03b1\u03c3\U0001171e\u03b1"),
        ("\u03b1\u03a3\U0001171e", "\u03b1\u03c2\U0001171e"),
    ],
)
def test_sigma_beside_reclassified_code_points_follows_unicode_14(capital: str, lower: str) -> None:
    assert column([(capital, lower)], af.exact_match, protocol=LOWER).to_list() == [True]


def test_sigma_in_every_short_context() -> None:
    # Cased, case-ignorable, both, and neither, before and behind the sigma.
    neighbours = "\u03b1A\u01c5\u02b0\u0345\u00ad\u0301:.' 1\u03a3\u65e5"
    contexts = ["".join(c) for n in range(4) for c in itertools.product(neighbours, repeat=n)]
    lower_cases_agree([f"{before}\u03a3" for before in contexts])
    lower_cases_agree([f"\u03b1\u03a3{behind}" for behind in contexts])
    lower_cases_agree([f"{c[:1]}\u03a3{c[1:]}\u03a3" for c in contexts])
