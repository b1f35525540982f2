"""
Level of the swap test of `gec.compare`, and coverage of its intervals.

    python benchmarks/gec_gate.py    # writes GEC.md

Documents, or sentences, are drawn with replacement from many made ones, whose scores are the true ones. For
the level, the systems are exchanged in each document by a coin. Ends with 1 if p ≤ 0.05 is found too often.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from anls_frame import gec
from anls_frame.gec._m2_files import SCHEMA

REPLICATIONS = 1_000
DRAWS = 199
SEED = 20261122
MOST = 0.05 + 3 * (0.05 * 0.95 / REPLICATIONS) ** 0.5
"""Nominal level, and three standard errors of the simulation."""
POOL = 2000

PAGE = Path(__file__).parent / "GEC.md"
HEAD = f"""# Comparing systems of grammatical error correction

Written by `gec_gate.py`: {REPLICATIONS:,} samples per line.

- *Old*, *new*: the true scores of the two systems.
- *p ≤ 0.05*: share of samples with such a p-value if the systems are exchanged at random in each document, so
  that there is no difference. At most {100 * MOST:.1f} % are allowed: 5 % plus 3 standard errors.
- *Coverage*: share of samples whose 95 % interval contains the true difference.

The I-measure has a kink at 0, where a system is as good as no correction; intervals near it can cover less.

| measure | old | new | drawn | p ≤ 0.05, % | coverage, % |
| --- | --- | --- | --- | --- | --- |
"""


@dataclass(frozen=True)
class System:
    """How often a system corrects an error, and spoils a word that is right."""

    corrects: float
    spoils: float


PAIRS = {
    "good": (System(0.7, 0.03), System(0.6, 0.01)),
    "bad": (System(0.3, 0.2), System(0.3, 0.25)),
    "as good as none": (System(0.5, 0.07), System(0.4, 0.03)),
}
DRAWN = ((60, "sentences"), (300, "sentences"), (12, "documents"), (40, "documents"))


def sentence(rng: random.Random, hard: float, systems: tuple[System, ...]) -> list[Any]:
    """Return source, edits of two annotators who disagree now and then, and what the systems make of it."""
    source = [f"w{rng.randrange(40)}" for _ in range(rng.randint(6, 14))]
    errors = [place for place in range(0, len(source), 2) if rng.random() < 0.35]
    edits = [
        {
            "start": place,
            "end": place + 1,
            "type": "R",
            "corrections": ["right" if rng.random() < 0.75 else f"other{annotator}"],
            "annotator": annotator,
        }
        for place, annotator in product(errors, (0, 1))
        if rng.random() < 0.8
    ]
    texts = []
    for system in systems:
        words = list(source)
        for place in range(len(source)):
            if place in errors:
                if rng.random() < system.corrects * (1.3 - 0.6 * hard):
                    words[place] = "right"
                elif rng.random() < 0.15:
                    words[place] = "wrong"
            elif place % 2 and rng.random() < system.spoils * hard:
                words[place] = "spoilt"
        texts.append(" ".join(words))
    return [" ".join(source), edits, [0, 1], *texts]


def pool(systems: tuple[System, ...], *, of_documents: bool) -> tuple[pl.DataFrame, list[np.ndarray]]:
    """Return many documents, and the rows of each; without documents, each is one sentence."""
    rng = random.Random(SEED)
    rows: list[list[Any]] = []
    places = []
    for _ in range(POOL):
        hard = 2 * rng.random()
        count = rng.randint(1, 11) if of_documents else 1
        places.append(np.arange(len(rows), len(rows) + count))
        rows += [sentence(rng, hard, systems) for _ in range(count)]
    schema = {**SCHEMA, "old": pl.String(), "new": pl.String()}
    return pl.DataFrame(rows, schema=schema, orient="row"), places


def line(measure: str, pair: str, count: int, unit: str) -> tuple[str, float]:
    sentences, places = pool(PAIRS[pair], of_documents=unit == "documents")
    options: dict[str, Any] = {"measure": measure, "draws": DRAWS}
    true = gec.compare(["old", "new"], sentences, **options)
    difference = true["difference"][1]
    old, new = true["i_measure" if measure == "i_measure" else "f"]
    rng = np.random.default_rng(SEED)
    found = covered = 0
    options["cluster"] = "document"
    for seed in range(REPLICATIONS):
        chosen = [places[index] for index in rng.integers(0, POOL, count)]
        documents = np.repeat(np.arange(count), [len(one) for one in chosen])
        rows = sentences[np.concatenate(chosen)].with_columns(document=documents)
        row = gec.compare(["old", "new"], rows, **options | {"draws": 1}).row(1, named=True)
        covered += row["difference_low"] <= difference <= row["difference_high"]
        exchanged = pl.lit(pl.Series(rng.random(count) < 0.5).gather(documents))
        first, second = (pl.when(exchanged).then(a).otherwise(b) for a, b in (("new", "old"), ("old", "new")))
        equal = gec.compare({"old": first, "new": second}, rows, seed=seed, **options)
        found += equal["p_value"][1] <= 0.05
    shown = f"| {measure} | {old:.3f} | {new:.3f} | {count} {unit} |"
    return (
        f"{shown} {100 * found / REPLICATIONS:.1f} | {100 * covered / REPLICATIONS:.1f} |",
        found / REPLICATIONS,
    )


def main() -> int:
    lines = []
    for measure, pair, drawn in product(("m2", "i_measure"), PAIRS, DRAWN):
        lines.append(line(measure, pair, *drawn))
        sys.stdout.write(lines[-1][0] + "\n")
    PAGE.write_text(HEAD + "\n".join(text for text, _ in lines) + "\n")
    return int(max(level for _, level in lines) > MOST)


if __name__ == "__main__":
    sys.exit(main())
