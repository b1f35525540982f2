"""
The speed goals of `anls_frame.gec`: `POLARS_MAX_THREADS=1 python benchmarks/gec_goals.py`.

Prints a table of CPU times. The rates of the reference programs were measured elsewhere, on comparable
sentences: their licences and their Python 2 keep them out of here.
"""

from __future__ import annotations

import random
import sys
from typing import Any

import polars as pl
from timing import cpu_seconds

from anls_frame import gec
from anls_frame.gec._m2_files import SCHEMA

COLUMNS = ("prediction", "source", "edits", "annotators")
HEADER = "| work | CPU ms | per second | goal | reference program | |\n|---|---:|---:|---:|---|---|"


def edit(annotator: int, start: int, end: int, correction: str) -> dict[str, Any]:
    """Return a gold edit."""
    texts = {"type": "X", "required": "REQUIRED", "comment": "-NONE-"}
    return {"start": start, "end": end, "corrections": [correction], "annotator": annotator, **texts}


def sentences(count: int) -> pl.DataFrame:
    """Sentences of 20 to 25 words, 2 annotators with about 3 edits each, about 2.5 edits of the system."""
    rng = random.Random(1)
    vocabulary = [f"word{number}" for number in range(500)]
    rows = []
    for _ in range(count):
        source = rng.choices(vocabulary, k=rng.randint(20, 25))
        places = sorted(rng.sample(range(len(source) - 1), 3))
        edits = [
            edit(annotator, place, place + rng.choice((0, 1, 1)), rng.choice(vocabulary))
            for annotator in (0, 1)
            for place in places
            if annotator == 0 or rng.random() < 0.8
        ]
        hypothesis = list(source)
        for one in reversed(edits[:3]):
            if rng.random() < 0.6:
                hypothesis[one["start"] : one["end"]] = one["corrections"]
        if rng.random() < 0.7:
            hypothesis[rng.randrange(len(hypothesis))] = rng.choice(vocabulary)
        rows.append((" ".join(hypothesis), " ".join(source), edits, [0, 1]))
    return pl.DataFrame(rows, schema={"prediction": pl.String(), **SCHEMA}, orient="row")


def rewrite(words: int, source: int | None = None) -> pl.DataFrame:
    """One sentence of which no word is kept."""
    texts = " ".join(f"b{n}" for n in range(words)), " ".join(f"a{n}" for n in range(source or words))
    row = (*texts, [edit(0, 3, 4, "b3")], [0])
    return pl.DataFrame([row], schema={"prediction": pl.String(), **SCHEMA}, orient="row")


def rate(work: str, data: pl.DataFrame, expression: pl.Expr, goal: int, reference: str) -> str:
    """Return the line of a goal in sentences a second."""
    seconds = cpu_seconds(lambda: data.select(expression), 7)
    found = data.height / seconds
    met = "met" if found >= goal else "**missed**"
    return f"| {work} | {seconds * 1e3:.1f} | {found:,.0f} | ≥ {goal:,} | {reference} | {met} |"


def bound(work: str, data: pl.DataFrame, expression: pl.Expr, goal: int, reference: str) -> str:
    """Return the line of a goal in milliseconds."""
    seconds = cpu_seconds(lambda: data.select(expression), 7)
    met = "met" if seconds * 1e3 <= goal else "**missed**"
    return f"| {work} | {seconds * 1e3:.1f} | | ≤ {goal} ms | {reference} | {met} |"


def lines() -> list[str]:
    """Measure all goals."""
    data = sentences(1_000)
    counts, corpus = gec.m2(*COLUMNS), gec.m2_corpus(gec.m2(*COLUMNS))
    each, mixed = gec.i_measure(*COLUMNS, mix=False), gec.i_measure(*COLUMNS)
    what = "1,000 sentences of 20-25 words, 2 annotators"
    return [
        rate(f"`m2`, {what}", data, counts, 20_000, "m2scorer 110/s, its Python 3 port 150/s"),
        rate("`m2` and `m2_corpus`, same", data, corpus, 20_000, "same"),
        rate("`i_measure(mix=False)`, same", data, each, 3_000, "imeasure 10.7/s"),
        rate("`i_measure`, same, references mixed", data, mixed, 3_000, "imeasure 6.7/s"),
        bound("`m2`, 16 words rewritten, exact", rewrite(16), gec.m2(*COLUMNS, method="exact"), 50, "5.9 s"),
        bound("`m2`, 25 words rewritten", rewrite(25), counts, 200, "not run"),
        bound("`m2`, 100 words rewritten", rewrite(100), counts, 50, "not run"),
        bound("`m2`, 1,000 words for 1,000", rewrite(1_000), counts, 1_000, "not run"),
        bound("`m2`, 1,000 words for 25", rewrite(1_000, 25), counts, 50, "not run"),
        bound("`i_measure`, 1,000 words for 25", rewrite(1_000, 25), each, 200, "not run"),
    ]


if __name__ == "__main__":
    sys.stdout.write("\n".join([HEADER, *lines()]) + "\n")
