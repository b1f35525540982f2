"""
Level of the swap test of `gec.compare`, and coverage of its intervals.

    python benchmarks/gec_gate.py    # writes GEC.md

Documents, or sentences, are drawn with replacement from many made ones, whose scores are the true ones. For
the level, the systems are exchanged in each document by a coin. Samples are arrays of counts; the first ones
are counted by `gec.compare` as well, which must agree. Ends with 1 if p ≤ 0.05 is found too often, or if
intervals of corrupted essays miss too often without a mark.
"""

from __future__ import annotations

import random
import sys
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl

from anls_frame import gec, statistics
from anls_frame.gec._corpus_measures import Measure, MeasureName, measure_of
from anls_frame.gec._m2_files import SCHEMA
from anls_frame.statistics import swaps
from anls_frame.statistics.arrays import FloatArray
from anls_frame.statistics.carriers import are_few, carriers
from anls_frame.statistics.differences import difference_interval

Ints: TypeAlias = npt.NDArray[np.int64]

REPLICATIONS = 1_000
DRAWS = 199
SEED = 20261122
MOST = 0.05 + 3 * (0.05 * 0.95 / REPLICATIONS) ** 0.5
"""Nominal level, and three standard errors of the simulation."""
POOL = 2000
BROKEN = 0.05
"""Share of essays that the new system corrupts as a whole."""
ESSAYS = (40, 112, 400)
MISSED = 0.08
"""Largest share of samples in which intervals miss without a mark, plus three standard errors."""
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
## Essays that one system corrupts as a whole

In {100 * BROKEN:.0f} % of the essays of 1 to 11 sentences, the new system replaces every word; in the others,
both are alike. *Marked*: share of samples marked `few_rows`. *Missed unmarked*: share of samples that are not
marked and whose interval misses the true difference.

| measure | essays | coverage, % | marked | missed unmarked, % |
| --- | ---: | ---: | ---: | ---: |
"""


@dataclass(frozen=True)
class System:
    """How often a system corrects an error, and replaces a word that is right."""

    corrects: float
    replaces: float


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
            elif place % 2 and rng.random() < system.replaces * hard:
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


class Made(NamedTuple):
    """What a comparison says of two systems, from the counts of their documents."""

    difference: float
    low: float
    high: float
    few: bool


def compared(scorer: Measure, both: list[FloatArray], rows: int) -> Made:
    """Return the line of `gec.compare` from the counts of documents of both systems."""
    first, second = both
    difference = float(np.subtract(*(scorer.score(one.sum(axis=0)[:, None])[0] for one in (second, first))))
    size = scorer.size(first + second)
    units = statistics.effective_units(size.sum(), (size * size).sum())
    influence = swaps.jackknife(first, second, scorer.score)
    changed = np.count_nonzero((first != second).any(axis=1))
    widest = scorer.bounds[1] - scorer.bounds[0]
    variance = swaps.jackknife_variance(influence)
    ends = difference_interval(difference, variance, units, changed, 0.95, unseen=widest)
    low, high = np.clip(ends, -widest, widest)
    return Made(difference, float(low), float(high), bool(are_few(rows, units, carriers(influence))))


def agrees(made: Made, row: dict[str, Any]) -> bool:
    """Return whether a line of `gec.compare` says the same."""
    public = [row["difference"], row["difference_low"], row["difference_high"]]
    return np.allclose(public, made[:3], rtol=1e-9, atol=1e-12) and made.few is row["few_rows"]


def line(measure: MeasureName, pair: str, count: int, unit: str) -> tuple[str, float]:
    """Return the line of two systems, and how often they are called different where they are exchanged."""
    sentences, places = pool(PAIRS[pair], of_documents=unit == "documents")
    options: dict[str, Any] = {"measure": measure, "draws": DRAWS}
    true = gec.compare(["old", "new"], sentences, **options | {"draws": 1})
    difference = true["difference"][1]
    old, new = true["i_measure" if measure == "i_measure" else "f"]
    scorer = measure_of(measure, {})
    # Sentences are scored once; which annotator counts is chosen anew in each sample.
    counts = [sentences.select(scorer.rows(name, sentences.columns)).to_series() for name in ("old", "new")]
    rng = np.random.default_rng(SEED)
    found = covered = 0
    for seed in range(REPLICATIONS):
        chosen = [places[index] for index in rng.integers(0, POOL, count)]
        document = np.repeat(np.arange(count), [len(one) for one in chosen])
        rows = np.concatenate(chosen)
        exchanged = rng.random(count) < 0.5

        def of_documents(gathered: pl.Series, document: Ints = document) -> FloatArray:
            added = scorer.added(gathered)
            return np.stack([np.bincount(document, column, count) for column in added.T], axis=1)

        own = [one.gather(rows) for one in counts]
        made = compared(scorer, [of_documents(one) for one in own], len(rows))
        covered += made.low <= difference <= made.high
        swapped = pl.Series(exchanged[document])
        first, second = (of_documents(b.zip_with(swapped, a)) for a, b in (own, own[::-1]))
        p_value = swaps.p_value(first, second, scorer.score, draws=DRAWS, seed=seed)
        found += p_value <= 0.05
        if seed < CHECKED:
            drawn = sentences[rows].with_columns(document=document)
            row = gec.compare(["old", "new"], drawn, cluster="document", **options).row(1, named=True)
            a, b = (pl.when(swapped).then(x).otherwise(y) for x, y in (("new", "old"), ("old", "new")))
            public = gec.compare({"old": a, "new": b}, drawn, cluster="document", seed=seed, **options)
            if not agrees(made, row) or public["p_value"][1] != p_value:
                raise AssertionError(f"{measure}, {pair}, {count} {unit}: {made}, {row}, {public}")
    shown = f"| {measure} | {old:.3f} | {new:.3f} | {count} {unit} |"
    return (
        f"{shown} {100 * found / REPLICATIONS:.1f} | {100 * covered / REPLICATIONS:.1f} |",
        found / REPLICATIONS,
    )


def essays() -> tuple[pl.DataFrame, list[np.ndarray]]:
    """Return many essays, and the rows of each, of which the new system corrupts some."""
    rng = random.Random(SEED)
    sentences, places = pool((System(0.6, 0.03), System(0.6, 0.03)), of_documents=True)
    sentences = sentences.drop("annotators")
    corrupted = np.concatenate([np.full(len(place), rng.random() < BROKEN) for place in places])
    words = pl.col("source").str.split(" ")
    worse = words.list.eval(pl.lit("spoilt")).list.join(" ")
    sentences = sentences.with_columns(
        new=pl.when(pl.lit(pl.Series(corrupted))).then(worse).otherwise("new"),
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


def corrupted_line(measure: MeasureName, count: int) -> tuple[str, float]:
    """Return the line of essays of which some are corrupted, and how often it misses without a mark."""
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
        made = compared(scorer, [one[chosen] for one in added], rows[chosen].sum())
        covers[replication] = made.low <= truth <= made.high
        marked[replication] = made.few
        if replication < CHECKED:
            documents = np.repeat(np.arange(count), rows[chosen])
            drawn = sentences[np.concatenate([places[index] for index in chosen])]
            public = gec.compare(
                systems, drawn.with_columns(document=documents), measure=measure, cluster="document", draws=1,
                **options,
            ).row(1, named=True)  # fmt: skip
            if not agrees(made, public):
                raise AssertionError(f"{measure}, {count}: {public}")
    missed = (~covers & ~marked).mean()
    shares = f"{100 * covers.mean():.1f} | {100 * marked.mean():.0f} % | {100 * missed:.1f}"
    return f"| {measure} | {count} | {shares} |", missed


def main() -> int:
    whole = []
    measures: tuple[MeasureName, ...] = ("m2", "errant")
    for measure, count in product(measures, ESSAYS):
        whole.append(corrupted_line(measure, count))
        sys.stdout.write(whole[-1][0] + "\n")
    lines = []
    tested: tuple[MeasureName, ...] = ("m2", "i_measure")
    for measure, pair, drawn in product(tested, PAIRS, DRAWN):
        lines.append(line(measure, pair, *drawn))
        sys.stdout.write(lines[-1][0] + "\n")
    tables = HEAD + "\n".join(text for text, _ in lines) + "\n" + WHOLE
    PAGE.write_text(tables + "\n".join(text for text, _ in whole) + "\n")
    slack = 3 * (MISSED * (1 - MISSED) / REPLICATIONS) ** 0.5
    too_many = max(missed for _, missed in whole) > MISSED + slack
    return int(max(level for _, level in lines) > MOST or too_many)


if __name__ == "__main__":
    sys.exit(main())
