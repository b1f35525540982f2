"""
Level of `Report.against_rest` where the slices are drawn by chance, so that none differs; with its power.

    python tests/benchmarks/rest_gate.py    # writes REST.md

Documents of the sample data are drawn with replacement; then documents, or rows, get a label at random. Ends
with 1 if p ≤ 0.05 is found too often. Power: in 30 % of the slice's rows nothing is right.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polars as pl

import anls_frame as af
from anls_frame.reports import rest

METRIC = af.Metric("score", bounds=(0, 1))
REPLICATIONS = 500
SEED = 20261122
MOST = 0.05 + 3 * (0.05 * 0.95 / REPLICATIONS) ** 0.5
"""Nominal level, and three standard errors of the simulation."""

PAGE = Path(__file__).parent / "REST.md"
HEAD = f"""# Slices against the rest

Written by `rest_gate.py`: {REPLICATIONS:,} samples a line, of which p ≤ 0.05 where labels are drawn by
chance, and where 30 % of the labelled rows have nothing right. By chance at most {100 * MOST:.1f} % may be
found: 5 %, and 3 standard errors.

| system | labels | documents | p ≤ 0.05, % | power, % |
| --- | --- | --- | --- | --- |
"""
SAMPLE = Path(__file__).parents[2] / "data" / "ocr_qa.parquet"
LABELS = {"15 % of documents": (True, 0.15), "half of documents": (True, 0.5), "5 % of rows": (False, 0.05)}


def drawn(scores: list[np.ndarray], documents: int, random: np.random.Generator) -> pl.DataFrame:
    """Scores of documents drawn with replacement."""
    chosen = [scores[index] for index in random.integers(0, len(scores), documents)]
    return pl.DataFrame(
        {
            "document": np.repeat(np.arange(documents), [len(one) for one in chosen]),
            "score": np.concatenate(chosen),
        }
    )


def labelled(rows: pl.DataFrame, random: np.random.Generator, share: float, *, whole: bool) -> pl.DataFrame:
    """Give a share of the documents, or of the rows, a label."""
    places = rows["document"].to_numpy() if whole else np.arange(rows.height)
    return rows.with_columns(label=pl.Series(random.random(int(places.max()) + 1)[places] < share))


def p_value(rows: pl.DataFrame) -> float | None:
    # What `Report.against_rest` calls, without the intervals of a report.
    summary = af.summarize(rows, metrics=METRIC, by="label", cluster="document")
    tested = rest.against_rest(summary.own["score"], ["key_0"], METRIC)
    return tested.filter(pl.col("key_0"))["p_value"].first()


def shares(scores: list[np.ndarray], documents: int, share: float, *, whole: bool) -> tuple[float, float]:
    """Share of p ≤ 0.05 without and with a difference."""
    random = np.random.default_rng([SEED, documents, int(100 * share), whole])
    found: list[list[bool]] = [[], []]
    while len(found[0]) < REPLICATIONS:
        rows = labelled(drawn(scores, documents, random), random, share, whole=whole)
        spoilt = pl.col("label") & pl.Series(random.random(rows.height) < 0.3)
        for place, table in enumerate((rows, rows.with_columns(pl.when(~spoilt).then("score").otherwise(0)))):
            p = p_value(table)
            if p is not None:
                found[place].append(p <= 0.05)
    return float(np.mean(found[0])), float(np.mean(found[1]))


def main() -> int:
    sample = pl.read_parquet(SAMPLE)
    lines, worst = [], 0.0
    for system in ("tesseract", "rapidocr"):
        scored = sample.select("doc_id", score=af.anls(pl.col(system).fill_null(""), "answers")).drop_nulls()
        scores = [one["score"].to_numpy() for one in scored.partition_by("doc_id", maintain_order=True)]
        for name, (whole, share) in LABELS.items():
            for documents in (8, 20, 60, 112):
                level, power = shares(scores, documents, share, whole=whole)
                worst = max(worst, level)
                lines.append(f"| {system} | {name} | {documents} | {100 * level:.1f} | {100 * power:.0f} |")
    PAGE.write_text(HEAD + "\n".join(lines) + "\n", encoding="utf-8")
    return int(worst > MOST)


if __name__ == "__main__":
    sys.exit(main())
