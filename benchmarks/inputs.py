"""Inputs of the benchmarks: seeded random text and the sample data."""

from __future__ import annotations

import random

import numpy as np
import polars as pl
from numpy.typing import NDArray

import anls_frame as af

SEED = 20260
LATIN = "etaoinshrdlucmfwypvbgkjqxz    0123456789.,-"
SCRIPTS = {
    "accented": "eéèêaàâiîoôuûcçñäöüß tnrs",
    "Cyrillic": "оеаинтсрвлкмдпуяыьгзбчй ",
    "CJK": "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出",
}
WORDS = {
    "English": (
        "the of and to in a is that for it was on are as with his they be at one have this from "
        "by hot word but what some we can out other were all there when use your how said each "
        "she which their time will way about many then them write would like these long make "
        "thing see him two has look more day could come"
    ),
    "French": (
        "le de un à être et en avoir que pour dans ce il qui ne sur se pas plus par avec tout "
        "faire son mettre autre on mais nous comme ou si leur y dire elle devoir avant deux même "
        "prendre aussi celui donner bien où fois vous encore nouveau aller cela entre premier "
        "vouloir déjà grand mon moins aucun après côté année société marché président pièce été "
        "français intérêt élève théâtre garçon façon forêt"
    ),
    "Cyrillic": (
        "и в не он на я что тот быть с а весь это как она по но они к у ты из мы за вы так же от "  # noqa: RUF001 - meant
        "сказать этот который мочь человек о один ещё бы такой только себя свой какой когда уже "  # noqa: RUF001 - meant
        "для вот кто да говорить год знать мой до или если время рука нет самый ни стать большой "
        "даже другой наш под где дело есть"
    ),
    "Hindi": (
        "और के का में की है से को पर यह इस कि जो कर ने हो था भी एक नहीं तो ही या हैं लिए अपने कुछ साथ बाद गया "
        "दिया किया जा सकता प्रकार क्षेत्र राज्य भारत सरकार मंत्री प्रधान उन्होंने विद्यालय शिक्षा कार्य प्राप्त "
        "राष्ट्रीय संस्कृत विश्व द्वारा वर्ष स्थान मुख्य ग्राम जिला ज्ञान पुस्तक हिन्दी भाषा समय लोग दिन दुनिया "
        "स्वास्थ्य बच्चों अध्यक्ष सम्मेलन श्री कृष्ण"
    ),
    "vowelled Arabic": (
        "فِي مِنْ عَلَى أَنَّ إِلَى الَّذِي كَانَ عَنْ مَا لَا هُوَ قَالَ بَعْدَ كُلُّ يَوْمٍ كِتَابٌ مَدِينَةٌ دَوْلَةٌ "
        "رَئِيسُ حُكُومَةٌ مُحَمَّدٌ جَامِعَةٌ لُغَةٌ عَرَبِيَّةٌ سَنَةٌ مَدْرَسَةٌ طَالِبٌ شَمْسٌ قَمَرٌ"
    ),
    "Japanese": (
        "これは 日本 の 会社 が 新しい 製品 を 発表 した という 記事 です 。 東京 で 開催 される "
        "会議 に 参加 する ため 、 資料 の 準備 が 必要 と なり ます 。 金額 合計 請求書 番号 "
        "住所 電話 ご確認 ください お願い します"
    ),
}
"""Ordinary words, for texts with single spaces; in Japanese there are none."""


def edited(rng: random.Random, text: str, errors: int, letters: str) -> str:
    """Return the text after random replacements, insertions and deletions, a third of each."""
    units = list(text)
    for _ in range(errors):
        place = rng.randrange(len(units) + 1)
        kind = rng.randrange(3)
        if kind == 0 or place == len(units):
            units.insert(place, rng.choice(letters))
        elif kind == 1:
            units[place] = rng.choice(letters)
        else:
            del units[place]
    return "".join(units)


def noisy(rng: random.Random, text: str, rate: float, letters: str) -> str:
    """Return the text with each character replaced, removed or preceded by another one at this rate."""
    units: list[str] = []
    for unit in text:
        kind = rng.randrange(3) if rng.random() < rate else None
        if kind == 0:
            units.append(rng.choice(letters))
        elif kind == 1:
            units += (rng.choice(letters), unit)
        elif kind is None:
            units.append(unit)
    return "".join(units)


def text(rng: random.Random, letters: str, length: int) -> str:
    """Return random text without space at its ends."""
    return "".join(rng.choices(letters.strip(), k=1) + rng.choices(letters, k=max(0, length - 2))) + "z"


def short_pairs(rows: int, *, equal: float = 0.6) -> pl.DataFrame:
    """
    Return predictions and answers of 10.4 characters on average, 37 % above 12.

    Both columns are built alike: a share of the pairs is equal, the others differ by one to four edits. The
    texts repeat after 200,000 rows, so that making them takes no minutes.
    """
    rng = random.Random(SEED)
    predictions, answers = [], []
    for _ in range(min(rows, 200_000)):
        length = rng.randint(2, 10) if rng.random() < 0.55 else rng.randint(11, 20)
        answer = text(rng, LATIN, length)
        answers.append(answer)
        unchanged = rng.random() < equal
        predictions.append(answer if unchanged else edited(rng, answer, rng.randint(1, 4), LATIN))
    frame = pl.DataFrame({"prediction": predictions, "answer": answers})
    return repeated(frame, rows)


def several_answers(rows: int) -> pl.DataFrame:
    """Return rows with one to four answers each, as question-answering sets have them."""
    rng = random.Random(SEED + 1)
    pairs = short_pairs(min(rows, 200_000))
    answers = []
    for answer in pairs["answer"]:
        variants = [answer.upper(), answer + " Ltd", " " + answer + "  ", edited(rng, answer, 2, LATIN)]
        chosen = [answer, *rng.sample(variants, rng.randint(0, 3))]
        rng.shuffle(chosen)
        answers.append(chosen)
    return repeated(pairs.with_columns(answers=pl.Series(answers)), rows)


def pages(rows: int, length: int, error_rate: float, letters: str = LATIN) -> pl.DataFrame:
    """Return long texts, and the same with errors."""
    rng = random.Random(SEED + 2)
    references = [text(rng, letters, length) for _ in range(rows)]
    predictions = [edited(rng, page, round(length * error_rate), letters) for page in references]
    return pl.DataFrame({"prediction": predictions, "answer": references})


def unrelated(rows: int, length: int) -> pl.DataFrame:
    """Return pairs of texts that have nothing in common but their letters."""
    rng = random.Random(SEED + 3)
    columns = {name: [text(rng, LATIN, length) for _ in range(rows)] for name in ("prediction", "answer")}
    return pl.DataFrame(columns)


def natural(rows: int, length: int, language: str, *, error_rate: float = 0.05) -> pl.DataFrame:
    """Return pairs of texts of ordinary words; the predictions have wrong, missing and additional letters."""
    rng = random.Random(SEED + 5)
    words = WORDS[language].split()
    space = "" if language == "Japanese" else " "
    letters = "".join(sorted(set("".join(words))))
    answers, predictions = [], []
    for _ in range(rows):
        # Words have more than one letter on average, so these are enough.
        answer = space.join(rng.choices(words, k=length))[:length].rstrip()
        answers.append(answer)
        predictions.append(edited(rng, answer, max(1, round(length * error_rate)), letters))
    return pl.DataFrame({"prediction": predictions, "answer": answers})


def script_pairs(rows: int, script: str) -> pl.DataFrame:
    """Return unequal pairs of 20 characters in a script other than ASCII."""
    rng = random.Random(SEED + 4)
    letters = SCRIPTS[script]
    answers = [text(rng, letters, 20).replace("z", letters[0]) for _ in range(min(rows, 50_000))]
    predictions = [edited(rng, answer, 3, letters) + letters[1] for answer in answers]
    return repeated(pl.DataFrame({"prediction": predictions, "answer": answers}), rows)


def sample() -> pl.DataFrame:
    """Return the questions of the sample data that one engine answered, one row an accepted answer."""
    frame = af.sample().select(prediction="tesseract", answer="answers")
    return frame.explode("answer", empty_as_null=True, keep_nulls=True).drop_nulls()


def ocr_pages(rows: int, engine: str) -> pl.DataFrame:
    """Return the pages of the sample data as one engine read them, and their true texts."""
    pages = af.sample("pages").select(prediction=engine, answer="reference")
    return repeated(pages.drop_nulls(), rows)


def repeated(frame: pl.DataFrame, rows: int) -> pl.DataFrame:
    """Return the frame so often that it has this many rows, in one chunk."""
    times = -(-rows // frame.height)
    return pl.concat([frame] * times).head(rows).rechunk()


def values_and_losses(
    rows: int, columns: int, levels: int = 3
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return columns of values from 0, and losses of 0 or 1 of which one pair of values has more."""
    random_numbers = np.random.default_rng(0)
    values = random_numbers.integers(0, levels, (rows, columns))
    is_worse = (values[:, 0] == 1) & (values[:, 1] == 2)
    losses = random_numbers.random(rows) < np.where(is_worse, 0.5, 0.1)
    return values, losses.astype(np.float64)
