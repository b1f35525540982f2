"""
Cases for the tests that compare scores with an oracle: seeded, so that every run sees the same ones.

A row is a prediction with its accepted answers. No text holds a lone surrogate, which is no character of
any column of text, and none a code point that the running Python's Unicode tables do not know.
"""

from __future__ import annotations

import functools
import itertools
import random
import sys
import unicodedata
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import polars as pl
from campaign import amount

import anls_frame as af


class Row(NamedTuple):
    """A prediction and its accepted answers."""

    prediction: str
    answers: list[str]


class NullableRow(NamedTuple):
    """A row in which anything may be missing."""

    prediction: str | None
    answers: list[str | None] | None


THRESHOLDS = tuple(k / 10 for k in range(11))

# Letters of one script each; some are sequences of several code points.
SCRIPTS: dict[str, tuple[str, ...]] = {
    "ascii": tuple("abcdeABC 0123-.,'"),
    "two letters": tuple("ab"),
    "latin": tuple("eéEÉèaåÅñcçoøØœ -"),
    "german": ("ß", "\N{LATIN CAPITAL LETTER SHARP S}", "ss", "SS", "s", "ü", "Ü", "u", "a", " "),
    "turkish": ("I", "i", "\u0130", "\u0131", "i\u0307", "s", "\u015f", "\u015e", " "),
    # Capital, middle and final sigma among cased, case-ignorable and other neighbours.
    "greek": (*"\u03a3\u03c3\u03c2\u03b1\u0391\u03b9\u0399\u0345\u0390\u1fb3\u1fbc", *"'.:-1 \u00ad\u0301"),
    "cyrillic": tuple("\u0434\u0414\u043c\u041c\u0451\u0401\u0435\u0415\u0456 "),
    "ligatures": (*"\ufb00\ufb01\ufb03\ufb05\ufb13\u0149\u01f0\u0587\u1e96\u1f50", "fi", "FF", "n", "j"),
    "titlecase": tuple("\u01c4\u01c5\u01c6\u1f88\u1f80\u13a0\uab70\u10d0\u1c90\u212a\u212bkK\u017fS"),
    "cjk": (*"日本語漢字仮名交", "\u304b\u3099", "\u304c", *"\uff21\uff41\uff11\uff71\uff9e\u3000"),
    "hangul": ("\uac00", "\u1100\u1161", "\uac01", "\u1100\u1161\u11a8", "\u1100", " "),
    "combining": ("e\u0301", "é", "e", "\u0301", "a\u0323\u0302", "\u1ead", "q\u0307\u0323", "\u0328", " "),
    "emoji": (
        "\U0001f44d",
        "\U0001f44d\U0001f3fd",
        "\U0001f44d\U0001f3ff",
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\U0001f468",
        "\U0001f1e9\U0001f1ea",
        "\u2764\ufe0f",
        "\u2764",
        "a",
        " ",
    ),
    "astral": tuple("\U0001d400\U0001d41a\U00010400\U00010428\U0001e900\U0001e922\U00020000aA"),
    "right to left": tuple("\u05d0\u05d1\u05b0\u0627\u0628\u0651\u200e\u200f\u202b\u2067 1"),
    "indic": tuple("\u0915\u094d\u0937\u093e\u0964\u0e01\u0e33\u0e49 "),
    "controls": tuple("\0\x01\x1c\x1d\x1e\x1f\x7f\x85\t\n\r\x0b\x0c ab"),
    "spaces": tuple("\u0020\u00a0\u1680\u180e\u2003\u2028\u2029\u202f\u205f\u2060\u3000\u200b\ufeffaA"),
}

# Short texts at which scorers stumble; every one meets a seventh of the others, and all in a campaign.
HOSTILE: tuple[str, ...] = (
    *("", " ", "  ", "\0", "\n", "\t", "\r\n", "\x1c", "\x1d", "\x1e", "\x1f", "\x85", "\xa0", "\u3000"),
    *("\u200b", "\u200d", "\ufeff", "\u180e", "\u200e", "\u200f", "\u202a", "\u2066", "\u00ad", "\u2028"),
    *("a", "A", "b", "ab", "ba", "aa", "a b", "a  b", " a b ", "\ta\x1cb\n", "a\0", "\0a", "a\u200bb"),
    *("ß", "ss", "SS", "\u1e9e", "ßa", "ßb", "straße", "STRASSE", "\u0130", "\u0131", "I", "i", "i\u0307"),
    *("\u03a3", "\u03c3", "\u03c2", "\u03b1\u03a3", "\u03b1\u03a3\u03b1", "\u03a3\u03a3", "\u03b1\u03a3."),
    *("\u03b1\u03c3", "\u03b1\u03c2", "\ufb00", "ff", "\ufb03", "\u0149", "\u02bcn", "\u01f0", "\u0390"),
    *("\u0587", "\u1fb3", "é", "É", "e\u0301", "\u212a", "k", "\u017f", "s", "\u00b5", "\u03bc", "\uff21"),
    *("none", "None", "nan", "日本", "日本語", "\U0001f44d", "\U0001f44d\U0001f3fd", "\U0001d400", "\ufdfa"),
)


@functools.cache
def assigned_characters() -> tuple[str, ...]:
    """Every code point with a meaning, private ones included; no surrogates."""
    characters = map(chr, range(sys.maxunicode + 1))
    return tuple(c for c in characters if unicodedata.category(c) not in {"Cn", "Cs"})


def random_text(rng: random.Random, letters: Sequence[str], length: int) -> str:
    return "".join(rng.choices(letters, k=length))


def edited(rng: random.Random, text: str, letters: Sequence[str], edits: int) -> str:
    characters = list(text)
    for _ in range(edits):
        position = rng.randrange(len(characters) + 1)
        kind = rng.randrange(3)
        # Put something in, take something out, or both.
        characters[position : position + (kind > 0)] = [rng.choice(letters)] * (kind != 1)
    return "".join(characters)


def disguised(rng: random.Random, text: str) -> str:
    """Text that differs in case and whitespace."""
    spaces = ["", "", " ", "  ", "\n", "\x1f", "\u3000"]
    text = rng.choice([text, text.upper(), text.lower(), text.swapcase()])
    text = text.replace(" ", rng.choice([" ", "  ", "\t", "\u00a0 "]))
    return rng.choice(spaces) + text + rng.choice(spaces)


@functools.cache
def mixed_rows(count: int = amount(500, 2_500), seed: int = 1) -> list[Row]:
    """Predictions near to and far from 1 to 10 answers, in every script and in several at once."""
    rng = random.Random(seed)
    scripts = list(SCRIPTS.values())
    everything = tuple(itertools.chain.from_iterable(scripts))
    rows = []
    for number in range(count):
        letters = everything if number % 5 == 0 else scripts[number % len(scripts)]
        base = random_text(rng, letters, rng.choice([0, 1, 2, 3, 5, 8, 13, 21]))
        answers = [edited(rng, base, letters, rng.randrange(4)) for _ in range(rng.randint(1, 10))]
        if rng.random() < 0.3:
            answers[0] = random_text(rng, letters, rng.randrange(12))
        rng.shuffle(answers)
        rows.append(Row(disguised(rng, edited(rng, base, letters, rng.randrange(6))), answers))
    return rows


def hostile_rows() -> list[Row]:
    return [Row(left, [right]) for left, right in itertools.product(HOSTILE, repeat=2)][:: amount(7, 1)]


def unicode_rows(count: int = amount(400, 2_000), seed: int = 2) -> list[Row]:
    """Texts of any code points at all, next to their own edits and cases."""
    rng = random.Random(seed)
    rows = []
    for _ in range(count):
        letters = rng.choices(assigned_characters(), k=12)
        base = random_text(rng, letters, rng.randrange(1, 16))
        answers = [edited(rng, base, letters, rng.randrange(3)), rng.choice([base.upper(), base.casefold()])]
        rows.append(Row(disguised(rng, base), answers))
    return rows


def word_border_rows(seed: int = 3) -> list[Row]:
    """Lengths about the multiples of 64, in scripts of one to four bytes a letter."""
    rng = random.Random(seed)
    lengths = (0, 1, 2, 3, 63, 64, 65, 127, 128, 129, 191, 192, 193)
    rows = []
    for letters, left, right in itertools.product(
        ("abc", "aéß", "日本語", "\U00010400\U00010428a"), lengths, lengths
    ):
        base = random_text(rng, letters, left)
        # Either an unrelated text or one with a few edits, cut or filled up to the other length.
        related = edited(rng, base, letters, 5) if rng.random() < 0.5 else ""
        rows.append(Row(base, [(related + random_text(rng, letters, right))[:right]]))
    return rows


def overlapping_rows() -> list[Row]:
    """Texts that are prefixes, suffixes and repetitions of each other, or shifted against each other."""
    texts = ["a", "ab", "aba", "abab", "ababa", "aab", "baa", "abcabc", "日ab日", "éa", "aé"]
    rows = [
        Row(left * m, [right * n])
        for left, right in itertools.product(texts, repeat=2)
        for m, n in [(1, 2), (3, 3), (9, 8)]
    ]
    for period, length in itertools.product(
        ["ab", "abc", "aab", "日本", "abcdefgh"], [7, 32, 63, 64, 65, 128, 150]
    ):
        text = (period * length)[: length + 1]
        rows += [Row(text[1:], [text[:-1]]), Row(text, [text[1:]]), Row("x" + text, [text + "y"])]
    for common in ["a", "ab", "日", "é" * 70, "a" * 64, "a" * 130]:
        rows += [
            Row(f"{common}{left}{common}", [f"{common}{right}{common}"])
            for left, right in itertools.product(["", "x", common, "xyx"], repeat=2)
        ]
    return rows


def many_letter_rows(seed: int = 4) -> list[Row]:
    """More than 256 distinct letters, over 64 of them at a time."""
    rng = random.Random(seed)
    rows = []
    for first, size in itertools.product([0x21, 0x100, 0x4E00, 0x1D400], [65, 130, 257, 300]):
        letters = [chr(first + i) for i in range(size) if chr(first + i) in assigned_set()]
        text = "".join(rng.sample(letters, len(letters)))
        moved = text[len(text) // 3 :] + text[: len(text) // 3]
        rows += [Row(edited(rng, text, letters, 9), [text]), Row(moved, [text]), Row(text[::-1], [text])]
    return rows


@functools.cache
def assigned_set() -> frozenset[str]:
    return frozenset(assigned_characters())


FAMILIES: dict[str, Callable[[], list[Row]]] = {
    "mixed": mixed_rows,
    "hostile": hostile_rows,
    "unicode": unicode_rows,
    "word borders": word_border_rows,
    "overlapping": overlapping_rows,
    "many letters": many_letter_rows,
}


@functools.cache
def family(name: str) -> tuple[Row, ...]:
    return tuple(FAMILIES[name]())


def frame_of_parts() -> pl.DataFrame:
    """Return mixed rows with gaps in `p` and `a`; a list of `tags` may be null, and name a tag twice."""
    cases = [(row.prediction, row.answers) for row in family("mixed")]
    frame = pl.DataFrame(cases, schema={"p": pl.String, "a": pl.List(pl.String)}, orient="row")
    number = pl.int_range(pl.len())
    return frame.with_columns(
        id=number,
        p=pl.when(number % 17 > 0).then("p"),
        a=pl.when(number % 19 > 0).then("a"),
        part=number % 3,
        tags=pl.when(number % 4 == 0).then(pl.lit(["x"])).when(number % 4 < 3).then(pl.lit(["x", "y", "x"])),
    )


def threshold_rows() -> dict[float, list[Row]]:
    """By threshold: rows whose d / L is exactly the threshold or its complement, and just beside it."""
    rows: dict[float, list[Row]] = {}
    for tenths in range(1, 10):
        here = rows.setdefault(tenths / 10, [])
        for length, share in itertools.product(
            range(1, 41), {Fraction(tenths, 10), Fraction(10 - tenths, 10)}
        ):
            distances = {int(share * length) + step for step in (-1, 0, 1, 2)}
            for distance in sorted(d for d in distances if 0 <= d <= length):
                kept = length - distance
                here += [
                    Row("a" * kept + "b" * distance, ["a" * length]),
                    Row("é" * kept, ["é" * length]),
                    # Upper case doubles this length, blanks lengthen only the raw text.
                    Row("ß" * kept + "s" * distance, ["ß" * length]),
                    Row("a" * kept, ["c" * (length + 1), "a" * kept + " " * distance + "B"]),
                ]
    return rows


def long_row(length: int = 5_000, seed: int = 5) -> Row:
    """One pair of long texts with an edit in every twenty characters; preparation leaves them alone."""
    rng = random.Random(seed)
    text = random_text(rng, "abcdefgh", length)
    return Row(edited(rng, text, "abcdefgh", length // 20), [text])


@functools.cache
def nullable_rows(count: int = amount(400, 1_500), seed: int = 6) -> list[NullableRow]:
    """Mixed rows with nulls in every place where one can be."""
    rng = random.Random(seed)
    rows = []
    for prediction, answers in mixed_rows(count, seed):
        entries: list[str | None] = list(answers)
        for _ in range(rng.randrange(4)):
            entries.insert(rng.randrange(len(entries) + 1), None)
        choices: list[list[str | None] | None] = [entries, None, [], [None], [None, None]]
        kept = rng.choices(choices, weights=[20, 1, 1, 1, 1])[0]
        rows.append(NullableRow(prediction if rng.random() < 0.95 else None, kept))
    return rows


def pairs(rows: Iterable[Row]) -> Iterator[tuple[str, str]]:
    """Each prediction with each of its answers."""
    return ((row.prediction, answer) for row in rows for answer in row.answers)


def as_frame(rows: Iterable[tuple[str | None, object]]) -> pl.LazyFrame:
    """Columns `prediction` and `answers`; answers are texts or lists as the rows have them."""
    predictions, answers = zip(*rows, strict=True)
    is_text = all(answer is None or isinstance(answer, str) for answer in answers)
    dtype = pl.String() if is_text else pl.List(pl.String)
    return pl.LazyFrame(
        {"prediction": pl.Series(predictions, dtype=pl.String), "answers": pl.Series(answers, dtype=dtype)}
    )


def column(
    rows: Iterable[tuple[str | None, object]], metric: Callable[..., pl.Expr], **options: Any
) -> pl.Series:
    """Score all rows in one column, which must be the same on both engines."""
    query = as_frame(rows).select(metric("prediction", "answers", **options))
    in_memory, streamed = (query.collect(engine=name).to_series() for name in ("in-memory", "streaming"))
    assert streamed.equals(in_memory, null_equal=True)
    return in_memory


def scoring(
    protocol: af.ScoreProtocol | str, threshold: float = 0.5, errors: af.ScoreProtocol | str = "raw"
) -> af.ScoreProtocol:
    """The protocol with a cut, and with one that prepares texts for error rates."""
    named = af.PROTOCOLS[protocol] if isinstance(protocol, str) else protocol
    return named.replace(threshold=threshold, errors=errors)


def assert_same_bits(actual: Iterable[object], expected: Iterable[object], cases: Iterable[object]) -> None:
    """Compare two columns value by value, floats by their bits, and show the first rows that differ."""
    found = actual.to_list() if isinstance(actual, pl.Series) else list(actual)
    wanted = list(expected)
    assert found, "no cases"
    kinds = {*map(type, found), *map(type, wanted)}
    if kinds == {float} and array("d", found).tobytes() == array("d", wanted).tobytes():
        return
    got, want = (found, wanted) if kinds <= PLAIN else ([*map(bits, found)], [*map(bits, wanted)])
    if got == want:
        return
    rows = list(zip(cases, got, want, strict=True))
    wrong = [f"{case!a}: got {value}, expected {right}" for case, value, right in rows if value != right]
    message = [f"{len(wrong)} of {len(rows)} rows differ:", *wrong[:10]]
    raise AssertionError("\n".join(message))


PLAIN = {bool, int, str, type(None)}
"""Types of values that are equal only if their bits are."""


def bits(value: object) -> object:
    """Floats as their hexadecimal form, inside a struct too."""
    if isinstance(value, float):
        return value.hex()
    return {name: bits(field) for name, field in value.items()} if isinstance(value, dict) else value
