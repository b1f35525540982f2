"""Words: the rates and counts of jiwer 4 and torchmetrics, and the bag of words by its definition."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from typing import Any

import jiwer
import polars as pl
import pytest
from campaign import amount
from cases import scoring
from rapidfuzz.distance import Levenshtein

import anls_frame as af

WORDS = ("a", "b", "ab", "é", "e\u0301", "漢字", "abcdefghijklmnopqrs", "abcdefghijklmnopqrt", "don't", "\0")
GAPS = (" ", " ", " ", " ", "  ", "\t", "\n", " \n", "\u00a0", "\x1c", "\u3000", "\r\n", "\u2003 ")


def texts(count: int, seed: int = 7) -> list[tuple[str, str]]:
    """Pairs of texts that share most of their words, with every kind of whitespace."""
    choose = random.Random(seed)

    def text() -> str:
        words = [choose.choice(WORDS) + choose.choice(GAPS) for _ in range(choose.randrange(40))]
        return choose.choice(("", " ", "\n")) + "".join(words) + choose.choice(("", "a"))

    pairs = []
    for _ in range(count):
        letters = list(reference := text())
        for _ in range(choose.randrange(8)):
            if letters:
                letters[choose.randrange(len(letters))] = choose.choice((*WORDS, *GAPS, ""))
        pairs.append((reference, "".join(letters) if choose.random() < 0.9 else text()))
    return pairs


def frame(pairs: list[tuple[str, str]]) -> pl.DataFrame:
    references, predictions = zip(*pairs, strict=True)
    return pl.DataFrame({"prediction": predictions, "reference": references})


def test_rates_and_counts_are_those_of_jiwer() -> None:
    pairs = texts(amount(1_500, 100_000))
    columns: Any = ("prediction", "reference")
    functions = (af.wer, af.words.mer, af.words.wil, af.words.word_errors)
    found = frame(pairs).select(function(*columns, protocol="jiwer") for function in functions)
    for (reference, prediction), (wer, mer, wil, counts) in zip(pairs, found.iter_rows(), strict=True):
        one = jiwer.process_words(reference, prediction)
        assert (wer, mer, wil) == (float(one.wer), float(one.mer), float(one.wil)), (reference, prediction)
        assert counts == {name: getattr(one, name) for name in counts}, (reference, prediction)


def lists(count: int, seed: int) -> list[tuple[list[str | None], str]]:
    """Predictions, each with up to four references, one of them null here and there."""
    choose = random.Random(seed)
    rows = []
    for reference, prediction in texts(count, seed):
        others = [None, "", "a b", prediction[:-2], reference[2:], reference + " a"]
        answers = [reference, *choose.choices(others, k=choose.randrange(4))]
        choose.shuffle(answers)
        rows.append((answers, prediction))
    return rows


def test_of_several_answers_the_first_with_the_lowest_rate_counts() -> None:
    rows = lists(amount(1_000, 50_000), seed=11)
    columns: Any = ("prediction", "answers")
    df = pl.DataFrame({"prediction": [text for _, text in rows], "answers": [answers for answers, _ in rows]})
    of_words = (af.wer, af.words.mer, af.words.wil, af.words.word_errors, af.words.bag_of_words_error)
    found = df.select(
        *(function(*columns, protocol="jiwer") for function in of_words),
        af.words.edit_counts(*columns),
        af.score(*columns, protocol=scoring("raw")).struct.field("char_errors"),
    )
    for (answers, prediction), values in zip(rows, found.iter_rows(), strict=True):
        wer, mer, wil, words, bag, characters, char_errors = values
        accepted = [answer for answer in answers if answer is not None]
        # Python's `min` returns the first of equals.
        nearest = min(
            (jiwer.process_words(answer, prediction) for answer in accepted), key=lambda one: one.wer
        )
        assert (wer, mer, wil) == (float(nearest.wer), float(nearest.mer), float(nearest.wil))
        assert words == {name: getattr(nearest, name) for name in words}
        assert bag <= wer
        edits = [Levenshtein.editops(answer, prediction) for answer in accepted]
        rates = [len(ops) / max(len(answer), 1) for ops, answer in zip(edits, accepted, strict=True)]
        tags = [op.tag for op in edits[rates.index(min(rates))]]
        counts = [characters[name] for name in ("substitutions", "deletions", "insertions")]
        assert counts == [tags.count("replace"), tags.count("delete"), tags.count("insert")]
        assert sum(counts) == char_errors


def test_by_default_words_stand_between_whitespace() -> None:
    pairs = texts(amount(1_500, 100_000), seed=8)
    found = frame(pairs).select(
        af.wer("prediction", "reference"),
        af.words.bag_of_words_error("prediction", "reference").alias("bag"),
        shared=af.wer("prediction", "reference", protocol="torchmetrics"),
    )
    for (reference, prediction), (wer, bag, torchmetrics) in zip(pairs, found.iter_rows(), strict=True):
        words = [text.split() for text in (reference, prediction)]
        divisor = max(len(words[0]), 1)
        assert wer == torchmetrics == Levenshtein.distance(*words) / divisor
        counts = [Counter(side) for side in words]
        differences = sum(abs(counts[0][word] - counts[1][word]) for word in counts[0] | counts[1])
        assert bag == (abs(len(words[0]) - len(words[1])) + differences) / 2 / divisor
        assert bag <= wer


@pytest.mark.parametrize("unit", ["word", "grapheme"])
def test_edits_hold_the_units(unit: Any) -> None:
    protocol = af.PROTOCOLS["raw"].by(unit)
    units = {"word": ["the", "cafe\u0301", "is", "open"], "grapheme": ["c", "a", "f", "e\u0301"]}[unit]
    joined = " " if unit == "word" else ""
    changed = [*units[:1], units[-1], "x"]
    df = frame([(joined.join(units), joined.join(changed))])
    found = df.select(af.edit_ops("prediction", "reference", protocol=protocol)).item().to_list()
    expected = [
        {
            "op": edit.tag,
            "reference_pos": edit.src_pos,
            "prediction_pos": edit.dest_pos,
            "reference_char": None if edit.tag == "insert" else units[edit.src_pos],
            "predicted_char": None if edit.tag == "delete" else changed[edit.dest_pos],
        }
        for edit in Levenshtein.editops(units, changed)
    ]
    assert found == expected


def test_rates_of_nulls_and_of_texts_without_words() -> None:
    df = pl.DataFrame(
        {"prediction": ["a b", None, "a", None, "", "x"], "reference": ["a c", "a", None, None, "", " "]}
    )
    columns: Any = ("prediction", "reference")
    functions = (af.words.mer, af.words.wil, af.words.bag_of_words_error)
    nulls: list[float | None] = [None, None, None]
    expected = {
        "drop": [[0.5, 0.75, 0.5], nulls, nulls, nulls, [0.0] * 3, [1.0] * 3],
        "empty": [[0.5, 0.75, 0.5], [1.0] * 3, nulls, nulls, [0.0] * 3, [1.0] * 3],
    }
    for missing, rates in expected.items():
        found = df.select(function(*columns, missing=missing) for function in functions)
        assert [list(row) for row in found.iter_rows()] == rates


def test_scores_count_units() -> None:
    # Two flags, a letter with two marks and a family, which are five, and twelve code points.
    df = frame([("🇩🇪🇫🇷a\u0301\u0323👩‍👦x", "🇩🇪🇫🇷á👩‍👧x")])
    by = af.PROTOCOLS["raw"].by
    columns: Any = ("prediction", "reference")
    assert df.select(af.cer(*columns, protocol=by("grapheme"))).item() == 2 / 5
    assert df.select(af.levenshtein(*columns, protocol=by("grapheme"))).item() == 2
    assert df.select(af.nls(*columns, protocol=by("grapheme"))).item() == 1 - 2 / 5
    assert df.select(af.cer(*columns, protocol=by("word"))).item() == 1.0
    whole = scoring("anls", errors=by("grapheme"))
    assert df.select(af.score(*columns, protocol=whole)).item()["reference_length"] == 5


def test_equivalences_follow_each_other_after_the_form() -> None:
    protocol = af.PROTOCOLS["raw"].replace(
        equivalences={"\u017f\u017f": "ss", "ss": "ß", "é": "e"}, unicode_form="NFC"
    )
    df = frame([("da\u017f\u017f cafe\u0301 ss", "daß cafe ß")])
    assert df.select(af.cer("prediction", "reference", protocol=protocol)).item() == 0
    assert df.select(af.cer("prediction", "reference")).item() > 0
    short = frame([("a==b", "a\u2013b")])
    protocol = af.PROTOCOLS["raw"].replace(equivalences=[("==", "\u2013")])
    assert short.select(af.levenshtein("prediction", "reference", protocol=protocol)).item() == 0


@pytest.mark.parametrize(
    ("equivalences", "error"),
    [
        ({"": "a"}, ValueError),
        ({"a": 1}, TypeError),
        ("ab", TypeError),
        ([("a",)], TypeError),
        (3, TypeError),
    ],
)
def test_equivalences_are_checked(equivalences: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="equivalences"):
        af.ScoreProtocol(equivalences=equivalences)


def test_upper_case_has_no_length_in_other_units() -> None:
    with pytest.raises(ValueError, match="length must be \"prepared\" for the unit 'word'"):
        af.ScoreProtocol(unit="word", length="raw_upper")
    assert af.PROTOCOLS["rrc"].by("word").length == "prepared"


@pytest.mark.parametrize("start", ["", "x" * 40 + "\n"])
@pytest.mark.parametrize("text", [" a \r\n\tb\n", "a\r\rb", "a\n\n", "", "\u00a0a\n \n"])
def test_lines_are_those_of_a_file(text: str, start: str, tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_bytes((start + text).encode())
    with path.open(encoding="utf-8") as file:
        lines = "\n".join(line.strip() for line in file.readlines())
    protocol = af.PROTOCOLS["raw"].replace(whitespace="lines")
    # The line break at the end of the reference is dropped.
    df = frame([(f"{lines}\n", start + text)])
    assert df.select(af.levenshtein("prediction", "reference", protocol=protocol)).item() == 0
