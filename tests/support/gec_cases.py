"""Random sentences with edits, as the tests of `anls_frame.gec` take them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import polars as pl

from anls_frame.gec._m2_files import SCHEMA

Gold = tuple[int, int, list[str]]


@dataclass(frozen=True)
class Case:
    """A row: two sentences, and gold edits by annotator in the order of the file."""

    source: str
    hypothesis: str
    annotated: dict[int, list[Gold]]


def edit(annotator: int, start: int, end: int, corrections: list[str], kind: str = "X") -> dict[str, Any]:
    return {
        "start": start,
        "end": end,
        "type": kind,
        "corrections": corrections,
        "required": "REQUIRED",
        "comment": "-NONE-",
        "annotator": annotator,
    }


def frame(cases: list[Case]) -> pl.DataFrame:
    """Return the cases as a frame with the columns prediction, source, edits and annotators."""
    rows = [
        {
            "source": case.source,
            "edits": [edit(who, *gold) for who, golds in case.annotated.items() for gold in golds],
            "annotators": sorted(case.annotated),
        }
        for case in cases
    ]
    predictions = pl.Series("prediction", [case.hypothesis for case in cases], dtype=pl.String)
    return pl.DataFrame(rows, schema=SCHEMA).insert_column(0, predictions)


def tiny(rng: random.Random, words: str = "abc", length: int = 6) -> Case:
    """Short sentences over few words: every tie there is, with unsorted, overlapping and doubled edits."""
    source = rng.choices(words, k=rng.randint(0, length))
    hypothesis = rng.choices(words, k=rng.randint(0, length))
    annotated = {who: [] for who in range(rng.randint(1, 3))}
    for golds in annotated.values():
        for _ in range(rng.randint(0, 3)):
            start = rng.randint(0, len(source))
            end = (
                start
                if rng.random() < 0.35
                else min(len(source) + (rng.random() < 0.02), start + rng.randint(0, 3))
            )
            corrections = [
                " ".join(rng.choices(words, k=rng.randint(0, 2))) for _ in range(rng.randint(1, 2))
            ]
            golds.append((start, end, corrections))
        if rng.random() < 0.1 and golds:
            golds.append(golds[0])
        if rng.random() < 0.7:
            golds.sort(key=lambda gold: gold[:2])
    return Case(" ".join(source), " ".join(hypothesis), annotated)


def noised(rng: random.Random, length: int = 16) -> Case:
    """A sentence with a few edits, some of which an annotator makes as well."""
    vocabulary = [f"w{number}" for number in range(30)]
    source = rng.choices(vocabulary, k=rng.randint(3, length))

    def edits(count: int) -> list[Gold]:
        spans, place = [], 0
        while len(spans) < count and place < len(source):
            start = place + rng.randint(0, 4)
            end = start + rng.choice((0, 1, 1, 1, 2))
            if end > len(source):
                break
            texts = [
                " ".join(rng.choices(vocabulary, k=rng.choice((0, 1, 1, 2))))
                for _ in range(rng.choice((1, 1, 2)))
            ]
            spans.append((start, end, texts))
            place = end + 1
        return spans

    made = edits(rng.randint(0, 5))
    hypothesis = list(source)
    for start, end, texts in reversed(made):
        hypothesis[start:end] = texts[0].split()
    annotated = {
        who: sorted(rng.sample(made, rng.randint(0, len(made))) + edits(1))
        for who in range(rng.randint(1, 3))
    }
    return Case(" ".join(source), " ".join(hypothesis), annotated)
