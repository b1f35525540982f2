"""Errors of pages by kind: pages that were spoilt on purpose, the edit distance, several answers."""

from __future__ import annotations

import random
from string import ascii_lowercase, ascii_uppercase
from typing import Any

import pandas as pd
import polars as pl
import pytest
from campaign import amount
from page_oracle import block_errors
from rapidfuzz.distance import Levenshtein

import anls_frame as af
from anls_frame.metrics.page_errors import KINDS

LEFT = "Invoice of 3 May 2024 to Ms Ada King"
RIGHT = "Total 42.00 EUR due within thirty days net"
LOWER = "All prices include the value added tax of 19 per cent"
PAGE = f"{LEFT}\n{RIGHT}\n{LOWER}"


def spoilt(count: int, seed: int) -> list[tuple[str, str]]:
    """Pairs of a prediction and a reference that share most of their words."""
    choose = random.Random(seed)
    words = ("a", "b", "ab", "é", "e\u0301", "漢字", "abcdefghijklmnopqrs", "don't", "of", "the", "42")
    pairs = []
    for _ in range(count):
        reference = [choose.choice(words) + choose.choice("   \n\t") for _ in range(choose.randrange(40))]
        read = list("".join(reference))
        for _ in range(choose.randrange(8) if read else 0):
            read[choose.randrange(len(read))] = choose.choice((*words, " ", "\n", ""))
        start, length = choose.randrange(len(read) + 1), choose.randrange(0, 60, 20)
        pairs.append(("".join([*read[:start], *read[start + length :]]), "".join(reference)))
    return pairs


def errors(prediction: str, answers: Any, **options: Any) -> dict[str, int]:
    """Return the counts that are not 0."""
    frame = pl.DataFrame({"p": [prediction], "a": [answers]})
    counts: dict[str, int] = frame.select(af.page_errors("p", "a", **options)).item()
    return {kind: counts[kind] for kind in KINDS if counts[kind]}


@pytest.mark.parametrize(
    ("read", "expected"),
    [
        (PAGE, {}),
        (PAGE.replace("Invoice", "lnvoce").replace("thirty", "thlrty"), {"misread": 3}),
        (f"{LEFT}\n{LOWER}", {"omitted": len(RIGHT) + 1}),
        (PAGE.replace("value added ", ""), {"omitted": len("value added ")}),
        (PAGE.replace("value", "very low value"), {"added": len("very low ")}),
        (f"{LEFT}\nnothing of this was ever printed\n{RIGHT}\n{LOWER}", {"fabricated": 33}),
        (f"{RIGHT}\n{LEFT}\n{LOWER}", {"moved": len(LEFT) + 1}),
        (f"{LOWER}\n{LEFT}\n{RIGHT}", {"moved": len(LOWER) + 1}),
        (f"{PAGE}\n{PAGE}", {"repeated": len(PAGE) + 1}),
        (PAGE.replace("due within", "due within" + " due within" * 9), {"repeated": 99}),
        # Letters that are misread in a block that stands elsewhere are still misread.
        (f"{RIGHT.replace('due', 'dne')}\n{LEFT}\n{LOWER}", {"moved": len(RIGHT), "misread": 1}),
        (f"{LOWER}\n{LEFT.replace('May', 'Moy')}\n{RIGHT}", {"moved": len(LOWER) + 1, "misread": 1}),
    ],
)
def test_each_kind_is_told_from_the_others(read: str, expected: dict[str, int]) -> None:
    assert errors(read, PAGE) == expected


def test_in_order_the_kinds_add_up_to_the_edit_distance() -> None:
    pairs = spoilt(amount(1_500, 100_000), seed=5)
    frame = pl.DataFrame(pairs, schema=["p", "a"], orient="row")
    for protocol in ("raw", af.ScoreProtocol(words="uax29"), "dinglehopper"):
        found = frame.select(
            af.page_errors("p", "a", protocol=protocol), distance=af.levenshtein("p", "a", protocol=protocol)
        ).unnest("page_errors")
        in_order = found.filter(moved=0, repeated=0)
        assert in_order.height > len(pairs) / 2
        assert in_order.select(pl.sum_horizontal(KINDS).alias("distance")).equals(in_order.select("distance"))


def blocks_of(choose: random.Random, letters: str, count: int) -> list[str]:
    """Return blocks of words that have little in common: no block seems to go on as another one."""
    return [
        " ".join("".join(choose.choices(letters, k=8)) for _ in range(choose.randrange(8, 60)))
        for _ in range(count)
    ]


def test_the_lightest_blocks_move() -> None:
    choose = random.Random(3)
    for _ in range(amount(30, 2_000)):
        blocks = blocks_of(choose, ascii_lowercase, choose.randrange(2, 7))
        read = choose.sample(range(len(blocks)), choose.randrange(1, len(blocks) + 1))
        found = errors(" ".join(blocks[block] for block in read), " ".join(blocks))
        assert found == block_errors(blocks, read)


def test_blocks_that_are_read_again_and_invented_ones_have_their_kinds() -> None:
    choose = random.Random(6)
    for _ in range(amount(30, 2_000)):
        blocks = blocks_of(choose, ascii_lowercase, choose.randrange(2, 6))
        invented = blocks_of(choose, ascii_uppercase, choose.randrange(3))
        again = choose.choices(range(len(blocks)), k=choose.randrange(1, 4))
        read = choose.sample([*range(len(blocks)), *again], len(blocks) + len(again))
        words = [blocks[block] for block in read]
        for block in invented:
            words.insert(choose.randrange(len(words) + 1), block)
        assert errors(" ".join(words), " ".join(blocks)) == block_errors(blocks, read, invented)


def test_what_is_read_twice_with_other_errors_is_repeated() -> None:
    choose = random.Random(7)
    found, made, length = dict.fromkeys(KINDS, 0), 0, 0
    for _ in range(amount(50, 1_000)):
        words = ["".join(choose.choices("etaoinshrdlu", k=choose.randrange(2, 10))) for _ in range(300)]
        first, last = sorted(choose.sample(range(len(words)), 2))
        place = choose.randrange(len(words) + 1)
        parts = [" ".join(part) for part in (words[:place], words[first:last], words[place:])]
        read = " ".join(misread(part, len(part) // 20, choose)[0] for part in parts)
        for kind, count in errors(read, " ".join(words)).items():
            found[kind] += count
        made += len(parts[1]) + 1
        length += len(" ".join(words))
    assert abs(found["repeated"] - made) < 0.02 * length
    assert found["fabricated"] + found["omitted"] + found["moved"] < 0.02 * length


def test_a_misread_word_that_is_read_once_is_not_repeated() -> None:
    page = af.sample("pages").filter(doc_id="letter_de_05")
    # Of "Hochachtungsvoll", "Hochai htung voll" was read behind four marks that are no letters.
    counts = page.select(af.page_errors("tesseract", "reference")).unnest("page_errors").row(0, named=True)
    assert counts["repeated"] == counts["moved"] == 0
    assert sum(counts[kind] for kind in KINDS) == Levenshtein.distance(
        page["tesseract"][0], page["reference"][0]
    )


def test_of_several_answers_the_one_with_the_lowest_rate_counts() -> None:
    pairs = spoilt(amount(500, 20_000), seed=4)
    answers = [[None, truth, read[2:], f"{truth} a"] for read, truth in pairs]
    frame = pl.DataFrame({"p": [read for read, _ in pairs], "a": answers})
    frame = frame.with_columns(af.page_errors("p", "a"), af.reading_order_free_cer("p", "a")).unnest(
        "page_errors"
    )
    for prediction, given, *counts, length, free in frame.iter_rows():
        accepted = [answer for answer in given if answer is not None]
        rates = [Levenshtein.distance(answer, prediction) / max(len(answer), 1) for answer in accepted]
        nearest = accepted[rates.index(min(rates))]
        assert length == len(nearest)
        assert dict(zip(KINDS, counts, strict=True)) == dict.fromkeys(KINDS, 0) | errors(prediction, nearest)
        assert free == (sum(counts) - counts[KINDS.index("moved")]) / max(length, 1)


def test_what_a_page_says_twice_is_not_repeated() -> None:
    lines = "Tel 030 1234 5678 home and Tel 030 1234 5679 work"
    assert errors(lines.replace("5679", "5678"), lines) == {"misread": 1}
    items = "Item A 5.00 EUR " * 3
    assert errors(items.replace("It", "lt"), items) == {"misread": 3}


def test_a_protocol_says_what_words_and_characters_are() -> None:
    truth = "東京都千代田区丸の内一丁目。大阪府大阪市北区梅田二丁目。"
    swapped = "大阪府大阪市北区梅田二丁目。東京都千代田区丸の内一丁目。"
    assert "moved" not in errors(swapped, truth)
    assert errors(swapped, truth, protocol=af.ScoreProtocol(words="uax29")).keys() == {"moved"}
    accents = "a\u0323\u0302 b"
    assert errors("x b", accents) != {"misread": 1}
    assert errors("x b", accents, protocol=af.ScoreProtocol(unit="grapheme")) == {"misread": 1}
    assert errors("ONE\ntwo", "one two", protocol="anls") == {}


def test_blocks_have_as_many_words_as_wanted() -> None:
    reference = "one two three four five six seven eight nine ten"
    moved = "eight nine ten one two three four five six seven"
    assert "moved" not in errors(moved, reference)
    assert errors(moved, reference, min_words=3) == {"moved": len("eight nine ten ")}


@pytest.mark.parametrize(
    ("prediction", "answer", "expected"),
    [
        ("a " * 100_000, "a", {"misread": 1, "repeated": 199_998}),
        ("a", "a " * 100_000, {"omitted": 199_999}),
        ("a " * 100_000, "a " * 100_000, {}),
        ("ab" * 100_000, "ab" * 100_000 + "c", {"misread": 1}),
        ("word " * 50_000 + "end", "word " * 6 + "end", {"added": 5, "repeated": 5 * 49_993}),
    ],
)
def test_hostile_pages_take_little(prediction: str, answer: str, expected: dict[str, int]) -> None:
    # What takes the square of the words ends with the time limit of a test.
    assert errors(prediction, answer) == expected


LONG = amount(60_000, 10_000_000)
"""Characters of a long text: more than can be aligned at once."""


def long_text(choose: random.Random, separator: str) -> str:
    vocabulary = ["".join(choose.choices("etaoinshrdlu", k=choose.randrange(2, 10))) for _ in range(5_000)]
    return separator.join(choose.choices(vocabulary, k=LONG // 5))[:LONG]


def misread(text: str, letters: int, choose: random.Random) -> tuple[str, int]:
    """Return a text of which so many letters were substituted, dropped or doubled, and how many could be."""
    read = list(text)
    places = [place for place in choose.sample(range(len(text)), letters) if text[place] not in " \n"]
    for place in places:
        read[place] = choose.choice(("X", "X", "X", "", 2 * text[place]))
    return "".join(read), len(places)


@pytest.mark.parametrize("separator", [" ", "\n", ""])
def test_long_texts_are_aligned_in_bounded_time(separator: str) -> None:
    choose = random.Random(8)
    truth = long_text(choose, separator)
    read, made = misread(truth, LONG // 100, choose)
    found = errors(read, truth)
    # Letters that were doubled or dropped beside each other can make up for each other.
    assert 0.99 * made <= sum(found.values()) <= made
    assert found["misread"] >= 0.99 * sum(found.values())


@pytest.mark.parametrize("separator", [" ", ""])
def test_long_texts_whose_halves_were_swapped_dropped_or_have_nothing_in_common(separator: str) -> None:
    choose = random.Random(9)
    truth = long_text(choose, separator)
    read, made = misread(truth, LONG // 100, choose)
    half = read.index(separator, LONG // 2) + len(separator)
    omitted = errors(read[half:], truth)
    assert abs(omitted["omitted"] - LONG / 2) < 0.001 * LONG
    assert abs(omitted["misread"] - made / 2) < 0.1 * made
    swapped = errors(f"{read[half:]}{separator}{read[:half]}", truth)
    if separator:
        # Words of which several are misread one after the other have no place of their own.
        assert abs(swapped["moved"] - LONG / 2) < 0.02 * LONG
    other = long_text(choose, separator).upper()
    # No letter is right, but perhaps what separates words.
    assert LONG - truth.count(separator) * len(separator) <= sum(errors(other, truth).values()) <= LONG


def test_pages_in_pandas_and_in_lazy_frames() -> None:
    read, truth = [f"{RIGHT}\n{LEFT}\n{LOWER}", None], [PAGE, PAGE]
    found = af.page_errors(pd.Series(read, dtype="str"), pd.Series(truth, dtype="str"))
    assert found["moved"].tolist() == [len(LEFT) + 1, pd.NA]
    lazy = pl.LazyFrame({"p": read, "a": truth}).select(af.reading_order_free_cer("p", "a", missing="empty"))
    assert lazy.collect(engine="streaming")["reading_order_free_cer"].to_list() == [0.0, 1.0]
