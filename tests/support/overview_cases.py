"""Tables of predictions with one planted fault, and without any."""

from __future__ import annotations

import random
import string
from functools import cache
from typing import Any

import polars as pl

ROWS, DOCUMENTS = 900, 150


@cache
def drawn(seed: int, rows: int = ROWS) -> pl.DataFrame:
    """Return answers with errors at random: 70 % right, others misread in a letter, or another answer."""
    draw = random.Random(seed)
    texts, predictions = [], []
    for _ in range(rows):
        text = " ".join(word(draw) for _ in range(draw.randint(1, 3)))
        chance = draw.random()
        if chance < 0.7:
            predicted = text
        elif chance < 0.85:
            at = draw.randrange(len(text))
            predicted = text[:at] + draw.choice(string.ascii_lowercase) + text[at + 1 :]
        else:
            predicted = word(draw)
        texts.append(text)
        predictions.append(predicted)
    return pl.DataFrame(
        {
            "question_id": range(rows),
            "doc_id": [f"document {row * DOCUMENTS // rows}" for row in range(rows)],
            "prediction": predictions,
            "answers": [[text] for text in texts],
            "lang": draw.choices(["en", "de", "fr"], k=rows),
            "type": draw.choices(["form", "table", "letter", "figure"], k=rows),
            "scanned": draw.choices([True, False], k=rows),
        }
    )


@cache
def pages(fault: str, seed: int) -> pl.DataFrame:
    """Return 120 pages of 30 books with 3 % of the letters misread at random, and a planted fault."""
    draw = random.Random(seed)
    truth, read = [], []
    hit = draw.sample(range(120), 15)
    for page in range(120):
        lines = [" ".join(word(draw) for _ in range(6)) for _ in range(12)]
        truth.append("\n".join(lines))
        is_hit = page in hit
        if fault == "confusion":
            lines = [line.replace("l", "1") for line in lines]
        elif is_hit and fault == "omitted":
            lines = lines[:8]
        elif is_hit and fault == "fabricated":
            lines += [" ".join(word(draw) for _ in range(6)) for _ in range(4)]
        elif is_hit and fault == "repeated":
            lines = [*lines, *lines[:4]]
        elif is_hit and fault == "moved":
            lines = lines[6:] + lines[:6]
        share = 0.03
        if is_hit and fault == "unreadable":
            share = 0.8
        elif page % 4 == 0 and fault == "slice":
            share = 0.3
        read.append("\n".join(misread(line, share, draw) for line in lines))
    return pl.DataFrame(
        {
            "book": [f"book {page // 4}" for page in range(120)],
            "ocr": read,
            "gt": truth,
            "script": ["old" if page % 4 == 0 else draw.choice(["new", "newer"]) for page in range(120)],
        }
    )


def misread(text: str, share: float, draw: random.Random) -> str:
    """Return a text with a share of its letters replaced by others."""
    return "".join(
        draw.choice(string.ascii_letters) if char != " " and draw.random() < share else char for char in text
    )


def word(draw: random.Random) -> str:
    """Return a word."""
    return "".join(draw.choice("bcdfghklmnprst") + draw.choice("aeiou") for _ in range(draw.randint(2, 5)))


@cache
def planted(fault: str, seed: int) -> tuple[pl.DataFrame, dict[str, Any]]:
    """Return a table with a fault, and options of `overview`."""
    frame, draw = drawn(seed), random.Random(1_000 + seed)
    rows = frame.height
    options: dict[str, Any] = {}
    text = pl.col("prediction")
    gold = pl.col("answers").list.first()
    if fault == "unwrap":
        wrapped = pl.Series([draw.random() < 0.15 for _ in range(rows)])
        wrapping = pl.concat_str(pl.lit("The answer is **"), text, pl.lit("**."))
        frame = frame.with_columns(prediction=pl.when(wrapped).then(wrapping).otherwise(text))
    elif fault == "slice":
        bad = (pl.col("type") == "figure") & pl.Series([draw.random() < 0.5 for _ in range(rows)])
        frame = frame.with_columns(prediction=pl.when(bad).then(pl.lit("zzzzzz")).otherwise(text))
    elif fault == "confusion":
        # The engine reads every letter l of the answers as 1.
        misread = pl.when(text == gold).then(gold.str.replace_all("l", "1")).otherwise(text)
        frame = frame.with_columns(prediction=misread)
    elif fault == "missing":
        missing = pl.Series([draw.random() < 0.1 for _ in range(rows)])
        frame = frame.with_columns(prediction=pl.when(missing).then(None).otherwise(text))
    elif fault == "gold":
        # Gold that is wrong: every system that reads rightly gives another answer.
        wrong = pl.Series([draw.random() < 0.12 for _ in range(rows)])
        other = pl.Series([[word(draw) + "x"] for _ in range(rows)])
        frame = frame.with_columns(
            second=pl.when(pl.Series([draw.random() < 0.7 for _ in range(rows)]))
            .then(gold)
            .otherwise(pl.lit("zzzz")),
        )
        frame = frame.with_columns(answers=pl.when(wrong).then(other).otherwise(pl.col("answers")))
        options = {"prediction": ["prediction", "second"]}
    elif fault == "extra_text":
        # A model that answers in sentences.
        is_sentence = pl.Series([draw.random() < 0.15 for _ in range(rows)])
        sentence = pl.concat_str(pl.lit("It was "), text, pl.lit(" that people came to see"))
        frame = frame.with_columns(prediction=pl.when(is_sentence).then(sentence).otherwise(text))
    elif fault in ("confidence", "useless"):
        is_right = (frame["prediction"] == frame["answers"].list.first()).to_list()
        useful = fault == "confidence"
        sure = [
            draw.uniform(0.9, 1) if right and useful else draw.uniform(0, 0.85) if useful else draw.random()
            for right in is_right
        ]
        frame = frame.with_columns(confidence=pl.Series(sure))
    elif fault == "invented":
        none = pl.Series([draw.random() < 0.1 for _ in range(rows)])
        frame = frame.with_columns(answers=pl.when(none).then(None).otherwise(pl.col("answers")))
    return frame, options
