"""
Error rates, power and bias of `find_slices`, by simulation.

    python tests/benchmarks/slices_gate.py               # writes SLICES.md
    python tests/benchmarks/slices_gate.py --sets 200 --page /tmp/slices.md

Ends with 1 if slices are found too often where there are none, too rarely where there is one, if the effects
of slices that are tested on other documents are biased, or if p-values differ from those of plain loops.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import polars as pl

import anls_frame as af
from anls_frame.slices import outcome, search
from anls_frame.slices.columns import Codes
from anls_frame.slices.halves import is_held_out
from anls_frame.slices.listing import Rows
from anls_frame.slices.scores import Scores

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import slices_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 20261123
LEVEL = 0.05
POWER = {"search": 0.75, "honest": 0.6}
BIAS = 0.1
FAINT = 0.15
GATED_ROWS = 6000
FRAMES = 1000
METRIC = af.Metric("score", bounds=(0, 1))
PAGE = Path(__file__).parent / "SLICES.md"
SAMPLE = Path(__file__).parents[2] / "data" / "ocr_qa.parquet"
TEST = outcome.Test(depth=2, least=search.Least(20, 5), top=20, draws=999, seed=0, alpha=LEVEL)
VALUES = (0.4, 0.34, 0.2, 0.06)
"""Shares of the values of a column; half of the columns are of documents, half of rows."""
COLUMNS = 8


@dataclass(frozen=True)
class Population:
    """Where documents are drawn from."""

    name: str
    documents: int
    mean: float = 0.0
    correlation: float = 0.0
    scores: tuple[np.ndarray, ...] = ()
    """Scores of the documents to draw from, with replacement."""

    def drawn(self, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Return scores and documents of rows."""
        if self.scores:
            chosen = [self.scores[place] for place in random.integers(0, len(self.scores), self.documents)]
            return np.concatenate(chosen), np.repeat(np.arange(self.documents), [len(one) for one in chosen])
        sizes = 1 + np.floor(random.lognormal(2.2, 0.8, self.documents)).astype(int)
        document = np.repeat(np.arange(self.documents), sizes)
        share = np.full(self.documents, self.mean)
        if self.correlation:
            a, b = (one * (1 / self.correlation - 1) for one in (self.mean, 1 - self.mean))
            share = random.beta(a, b, self.documents)
        scores = (random.random(len(document)) < share[document]).astype(float)
        if self.name == "partly right":
            near = (scores == 0) & (random.random(len(document)) < 0.5)
            scores[near] = random.uniform(0.5, 1, near.sum())
        return scores, document

    def generator(self) -> np.random.Generator:
        keys = (self.documents, int(100 * self.mean), int(100 * self.correlation), sum(map(ord, self.name)))
        return np.random.default_rng([SEED, *keys])


def columns(document: np.ndarray, random: np.random.Generator) -> list[Codes]:
    """Return columns whose values are drawn by chance."""
    count = int(document[-1]) + 1
    drawn = [random.choice(len(VALUES), count, p=VALUES)[document] for _ in range(COLUMNS // 2)]
    drawn += [random.choice(len(VALUES), len(document), p=VALUES) for _ in range(COLUMNS // 2)]
    return [Codes(one.astype(np.intp), len(VALUES)) for one in drawn]


def rows_of(values: list[np.ndarray], document: np.ndarray, sliced: list[Codes], **options: Any) -> Rows:
    scores = [Scores(METRIC, one, np.ones(len(one)), 1 - one, **options) for one in values]
    return Rows(sliced, scores, document)


def halves(document: np.ndarray, number: int) -> np.ndarray:
    """Return the documents that are held out; each set has documents of other names."""
    return is_held_out(pl.Series(document).cast(pl.String) + f" of set {number}", 0.5)


def errors_of(rows: Rows, listed: list[Any], held_out: np.ndarray, truth: float) -> list[tuple[float, float]]:
    """Return the errors of effects on the held-out rows, and their standard errors."""
    tested = rows.of(held_out)
    masks = [tested.mask(one.found.conditions) for one in listed if not np.isnan(one.found.p_adjusted)]
    if not masks:
        return []
    found, *_ = tested.residuals(0).of_masks(masks, 1)
    return list(zip((found.effect - truth).tolist(), found.error.tolist(), strict=True))


def bias(errors: list[tuple[float, float]]) -> tuple[float, float]:
    """Return the bias in standard errors, and what it may be by chance (3 standard errors)."""
    off, size = np.array(errors).reshape(-1, 2).T
    scale = size.mean()
    return float(off.mean() / scale), float(3 * off.std() / len(off) ** 0.5 / scale)


def nulls() -> Iterator[Population]:
    for documents in (12, 30, 100):
        for mean in (0.1, 0.5, 0.9, 0.97):
            for correlation in (0.0, 0.5):
                yield Population("right or wrong", documents, mean, correlation)
        yield Population("partly right", documents, 0.7, 0.2)
    sample = pl.read_parquet(SAMPLE)
    for system in ("tesseract", "rapidocr"):
        scored = sample.select("doc_id", score=af.anls(pl.col(system).fill_null(""), "answers")).drop_nulls()
        scores = tuple(one["score"].to_numpy() for one in scored.partition_by("doc_id", maintain_order=True))
        for documents in (12, 30, 112):
            yield Population(system, documents, scores=scores)


def false_alarms(population: Population, sets: int) -> tuple[list[float], list[tuple[float, float]]]:
    """Return the shares of sets with a false alarm: in a system, in a change, on other documents."""
    random = population.generator()
    found = np.zeros(3)
    errors: list[tuple[float, float]] = []
    for number in range(sets):
        scores, document = population.drawn(random)
        sliced = columns(document, random)
        rows = rows_of([scores], document, sliced)
        found[0] += bool(outcome.searched(rows, TEST).listed)
        # Two systems that differ in a fifth of the rows; in each document either may be the second.
        other = np.where(random.random(len(scores)) < 0.2, random.permutation(scores), scores)
        signs = random.choice([-1.0, 1.0], int(document[-1]) + 1)[document]
        change = rows_of([(scores - other) * signs], document, sliced, is_change=True)
        found[1] += bool(outcome.searched(change, TEST).listed)
        held_out = halves(document, number)
        if held_out.any() and not held_out.all():
            listed = outcome.honest(rows, held_out, TEST).listed
            found[2] += any(one.found.p_adjusted <= LEVEL for one in listed)
            errors += errors_of(rows, listed, held_out, 0.0)
    return (found / sets).tolist(), errors


@dataclass(frozen=True)
class Fault:
    """A slice in which answers are spoilt."""

    name: str
    conditions: search.Slice
    is_gated: bool = True


FAULTS = (
    Fault("6 % of rows", ((7, 3),)),
    Fault("6 % of documents", ((0, 3),), is_gated=False),
    Fault("6 % of rows, a conjunction", ((4, 1), (5, 2))),
    Fault("7 % of rows, values of documents and rows", ((1, 1), (6, 2))),
)


def power(population: Population, fault: Fault, spoilt: float, sets: int) -> dict[str, Any]:
    """Return how often a planted fault is found, and how often something else."""
    random = population.generator()
    counts = dict.fromkeys(("search", "search, else", "honest", "honest, else"), 0)
    errors: list[tuple[float, float]] = []
    for number in range(sets):
        scores, document = population.drawn(random)
        sliced = columns(document, random)
        mask = search.mask(sliced, fault.conditions, len(scores))
        scores = np.where(mask & (random.random(len(scores)) < spoilt), 0.0, scores)
        rows = rows_of([scores], document, sliced)
        listed = [one.found.conditions for one in outcome.searched(rows, TEST).listed]
        counts["search"] += fault.conditions in listed
        counts["search, else"] += any(one != fault.conditions for one in listed)
        held_out = halves(document, number)
        every = outcome.honest(rows, held_out, TEST).listed
        listed = [one.found.conditions for one in every if one.found.p_adjusted <= LEVEL]
        counts["honest"] += fault.conditions in listed
        counts["honest, else"] += any(one != fault.conditions for one in listed)
        planted = [one for one in every if one.found.conditions == fault.conditions]
        errors += errors_of(rows, planted, held_out, spoilt * population.mean)
    return {**{name: count / sets for name, count in counts.items()}, "errors": errors}


HEAD = """# Slices found

Written by `slices_gate.py`: {sets:,} sets a line, {columns} columns of 4 values (half of them of documents,
half of rows), slices of up to 2 conditions, 999 draws. *search*: a slice is found where p ≤ 0.05, adjusted
for all that were looked at. *honest*: it is found on half of the documents, and p ≤ 0.05 on the others.
p-values of {frames:,} small frames equal those of plain loops over slices, draws and documents.

## Where no slice is worse

Values of columns are drawn by chance, documents from the sample data with replacement, or with log-normal
sizes. In at most {most:.1f} % of the sets a slice may be found: 5 %, and 3 standard errors.

| scores | documents | mean | ICC | search, % | search, two systems, % | honest, % |
| --- | --- | --- | --- | --- | --- | --- |
"""
POWER_HEAD = """
## Where one slice is worse

15 or 50 % of its answers are spoilt; 85 % of the others are right, with an ICC of 0.1. *else*: another slice
is listed too, or in its place. With {rows:,} rows a slice of rows that is spoilt by 15 % must be found in
{search:.0%} (search) and {honest:.0%} (honest). Slices of whole documents are harder, because documents
differ. The bias of effects on other documents is in standard errors, ± 3 standard errors of the simulation.

| rows | slice | spoilt, % | search, % | else, % | honest, % | else, % | bias |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""


def null_lines(sets: int) -> tuple[list[str], bool]:
    most = LEVEL + 3 * (LEVEL * (1 - LEVEL) / sets) ** 0.5
    lines, errors, is_right = [], [], True
    for one in nulls():
        shares, found = false_alarms(one, sets)
        errors += found
        is_right &= max(shares) <= most
        of_made = (f"{one.mean:g}", f"{one.correlation:g}") if not one.scores else ("", "")
        cells = [one.name, str(one.documents), *of_made, *(f"{100 * share:.1f}" for share in shares)]
        lines.append(f"| {' | '.join(cells)} |")
    off, chance = bias(errors)
    lines.append(
        f"\nBias of the effects of all {len(errors):,} slices tested on other documents: {off:+.3f} "
        f"standard errors (by chance up to ±{chance:.3f})."
    )
    return lines, is_right and abs(off) <= BIAS


def power_lines(sets: int) -> tuple[list[str], bool]:
    lines, is_right, every = [], True, []
    for rows in (1500, 3000, GATED_ROWS):
        population = Population("right or wrong", rows // 13, 0.85, 0.1)
        for fault in FAULTS:
            for spoilt in (0.15, 0.5):
                found = power(population, fault, spoilt, sets)
                off, chance = bias(found["errors"]) if len(found["errors"]) >= sets / 20 else (None, None)
                if rows == GATED_ROWS and spoilt == FAINT and fault.is_gated:
                    is_right &= all(found[name] >= least for name, least in POWER.items())
                every += found["errors"]
                shares = [f"{100 * share:.0f}" for name, share in found.items() if name != "errors"]
                shown = "" if off is None else f"{off:+.2f} ± {chance:.2f}"
                cells = [f"{rows:,}", fault.name, f"{100 * spoilt:.0f}", *shares, shown]
                lines.append(f"| {' | '.join(cells)} |")
    off, chance = bias(every)
    lines.append(f"\nBias of all lines together: {off:+.3f} standard errors (by chance up to ±{chance:.3f}).")
    return lines, is_right and abs(off) <= BIAS


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=2000)
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    random = np.random.default_rng(SEED)
    for _ in range(FRAMES):
        slices_cases.compared(random)
    most = 100 * (LEVEL + 3 * (LEVEL * (1 - LEVEL) / given.sets) ** 0.5)
    head = HEAD.format(sets=given.sets, columns=COLUMNS, frames=FRAMES, most=most)
    of_nulls, nulls_right = null_lines(given.sets)
    of_power, power_right = power_lines(given.sets)
    page = [head + "\n".join(of_nulls), POWER_HEAD.format(rows=GATED_ROWS, **POWER) + "\n".join(of_power)]
    given.page.write_text("\n".join(page) + "\n", encoding="utf-8")
    return int(not (nulls_right and power_right))


if __name__ == "__main__":
    sys.exit(main())
