"""
Level of the swap test of `gec.compare`, and coverage of its intervals.

    python benchmarks/gec_gate.py    # writes GEC.md

Documents, or sentences, are drawn with replacement from many made ones, whose scores are the true ones. For
the level, the systems are exchanged in each document by a coin. Essays that one system spoils whole are
counted as arrays; the first samples are counted by `gec.compare` as well, which must agree. Ends with 1 if
p ≤ 0.05 is found too often, or if intervals of spoilt essays miss too often without a mark.
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

from anls_frame import gec, statistics
from anls_frame.gec._corpus_measures import MeasureName, measure_of
from anls_frame.gec._m2_files import SCHEMA
from anls_frame.statistics import swaps
from anls_frame.statistics.carriers import are_few, carriers
from anls_frame.statistics.differences import difference_interval

REPLICATIONS = 1_000
DRAWS = 199
SEED = 20261122
MOST = 0.05 + 3 * (0.05 * 0.95 / REPLICATIONS) ** 0.5
"""Nominal level, and three standard errors of the simulation."""
POOL = 2000
SPOILT = 0.05
"""Share of essays that the new system spoils whole."""
ESSAYS = (40, 112, 400)
MISSED = 0.08
"""Intervals may miss without a mark in so many samples, and three standard errors."""
CHECKED = 3

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
WHOLE = f"""
## Essays that one system spoils whole

In {100 * SPOILT:.0f} % of the essays of 1 to 11 sentences, the new system replaces every word; in the others,
both are alike. *Marked*: share of samples marked `few_rows`. *Missed unmarked*: share of samples that are not
marked and whose interval misses the true difference.

| measure | essays | coverage, % | marked | missed unmarked, % |
| --- | ---: | ---: | ---: | ---: |
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


def essays() -> tuple[pl.DataFrame, list[np.ndarray]]:
    """Return many essays, and the rows of each, of which the new system spoils some."""
    rng = random.Random(SEED)
    sentences, places = pool((System(0.6, 0.03), System(0.6, 0.03)), of_documents=True)
    sentences = sentences.drop("annotators")
    spoilt = np.concatenate([np.full(len(place), rng.random() < SPOILT) for place in places])
    words = pl.col("source").str.split(" ")
    worse = words.list.eval(pl.lit("spoilt")).list.join(" ")
    sentences = sentences.with_columns(
        new=pl.when(pl.lit(pl.Series(spoilt))).then(worse).otherwise("new"),
        edits=pl.col("edits").list.filter(pl.element().struct.field("annotator") == 0),
    )
    for name in ("old", "new"):
        pairs = zip(sentences["source"].str.split(" "), sentences[name].str.split(" "), strict=True)
        edits = [
            [_edit(place, pair) for place, pair in enumerate(zip(*texts, strict=True))] for texts in pairs
        ]
        edits = [[edit for edit in own if edit is not None] for own in edits]
        sentences = sentences.with_columns(pl.Series(f"{name}_edits", edits, dtype=SCHEMA["edits"]))
    return sentences, places


def _edit(place: int, words: tuple[str, str]) -> dict[str, Any] | None:
    """Return the edit that replaces the first of two words by the second, if they differ."""
    if words[0] == words[1]:
        return None
    return {"start": place, "end": place + 1, "type": "R", "corrections": [words[1]], "annotator": 0}


def spoilt_line(measure: MeasureName, count: int) -> tuple[str, float]:
    """Return the line of essays of which some are spoilt, and how often it misses without a mark."""
    sentences, places = essays()
    systems = ["old_edits", "new_edits"] if measure == "errant" else ["old", "new"]
    options: dict[str, Any] = {"choose": "best_sentence"} if measure == "m2" else {}
    scorer = measure_of(measure, options)
    columns = sentences.columns
    added = []
    for name in systems:
        counts = scorer.added(sentences.select(scorer.rows(name, columns)).to_series())
        added.append(np.stack([counts[place].sum(axis=0) for place in places]))
    rows = np.array([len(place) for place in places])
    truth = float(np.subtract(*(scorer.score(one.sum(axis=0)[:, None])[0] for one in reversed(added))))
    random_ = np.random.default_rng([SEED, count])
    covers, marked = np.zeros((2, REPLICATIONS), bool)
    for replication in range(REPLICATIONS):
        chosen = random_.integers(0, POOL, count)
        first, second = (one[chosen] for one in added)
        difference = float(
            np.subtract(*(scorer.score(one.sum(axis=0)[:, None])[0] for one in (second, first)))
        )
        size = scorer.size(first + second)
        units = statistics.effective_units(size.sum(), (size * size).sum())
        influence = swaps.jackknife(first, second, scorer.score)
        variance = swaps.jackknife_variance(influence)
        changed = np.count_nonzero((first != second).any(axis=1))
        ends = difference_interval(difference, variance, units, changed, 0.95, unseen=1.0)
        low, high = np.clip(ends, -1, 1)
        covers[replication] = low <= truth <= high
        marked[replication] = are_few(rows[chosen].sum(), units, carriers(influence))
        if replication < CHECKED:
            documents = np.repeat(np.arange(count), rows[chosen])
            drawn = sentences[np.concatenate([places[index] for index in chosen])]
            public = gec.compare(
                systems, drawn.with_columns(document=documents), measure=measure, cluster="document", draws=1,
                **options,
            ).row(1, named=True)  # fmt: skip
            found = [public["difference"], public["difference_low"], public["difference_high"]]
            agree = np.allclose(found, [difference, low, high], rtol=1e-9, atol=1e-12)
            if not agree or public["few_rows"] != marked[replication]:
                raise AssertionError(f"{measure}, {count}: {public}")
    missed = (~covers & ~marked).mean()
    shares = f"{100 * covers.mean():.1f} | {100 * marked.mean():.0f} % | {100 * missed:.1f}"
    return f"| {measure} | {count} | {shares} |", missed


def main() -> int:
    whole = []
    measures: tuple[MeasureName, ...] = ("m2", "errant")
    for measure, count in product(measures, ESSAYS):
        whole.append(spoilt_line(measure, count))
        sys.stdout.write(whole[-1][0] + "\n")
    lines = []
    for name, pair, drawn in product(("m2", "i_measure"), PAIRS, DRAWN):
        lines.append(line(name, pair, *drawn))
        sys.stdout.write(lines[-1][0] + "\n")
    tables = HEAD + "\n".join(text for text, _ in lines) + "\n" + WHOLE
    PAGE.write_text(tables + "\n".join(text for text, _ in whole) + "\n")
    slack = 3 * (MISSED * (1 - MISSED) / REPLICATIONS) ** 0.5
    too_many = max(missed for _, missed in whole) > MISSED + slack
    return int(max(level for _, level in lines) > MOST or too_many)


if __name__ == "__main__":
    sys.exit(main())
