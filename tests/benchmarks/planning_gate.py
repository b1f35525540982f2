"""
Power that planning predicts, and wrong answers of the gate, by simulation.

    python tests/benchmarks/planning_gate.py            # all of it, writes PLANNING.md
    python tests/benchmarks/planning_gate.py --quick    # a tenth of the comparisons, prints the tables

Ends with 1 if a predicted power of 80 % is not between 75 and 85 %, or if the gate gives a wrong answer in
more than 5 % of comparisons whose true loss is the margin. The same seed gives the same figures.
"""

from __future__ import annotations

import argparse
import itertools
import math
import sys
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from populations import DATA, copula_populations, heavy_tail, ten_each

import anls_frame as af
from anls_frame import statistics
from anls_frame.statistics import planning

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from anls_frame.statistics.planning import Changes

Array: TypeAlias = npt.NDArray[np.float64]
Random: TypeAlias = np.random.Generator

PAGE = Path(__file__).parent / "PLANNING.md"
POWER, BETWEEN = 0.8, (0.75, 0.85)
ALPHA = 0.05
DOCUMENTS = (30, 112, 500)
CHURN = (0.02, 0.05, 0.1)
DRAWS = 499
ERRORS_ALLOWED = 3
"""Standard errors of the simulation by which a gated figure may miss its bound."""

ROWS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Documents:
    """A population: scores of a system and of another one by row, with the document of each row."""

    name: str
    document: npt.NDArray[np.int64]
    score: Array
    other: Array
    is_gated: bool = True

    def drawn(self, samples: int, documents: int, random: Random) -> Rows:
        """Draw documents with replacement."""
        order = np.argsort(self.document, kind="stable")
        sizes = np.bincount(self.document)
        first = np.cumsum(sizes) - sizes
        chosen = random.integers(0, len(sizes), samples * documents)
        n = sizes[chosen]
        unit = np.repeat(np.arange(len(chosen)), n)
        row = order[np.arange(len(unit)) + np.repeat(first[chosen] - np.cumsum(n) + n, n)]
        return Rows(unit, n.astype(np.float64), self.score[row], self.other[row], samples, documents)


@dataclass(frozen=True)
class Rows:
    """Rows of samples of documents, which are numbered through all samples."""

    unit: npt.NDArray[np.int64]
    n: Array
    score: Array
    other: Array
    samples: int
    documents: int

    @property
    def sample(self) -> npt.NDArray[np.int64]:
        return self.unit // self.documents

    def sums(self, x: Array) -> Array:
        """Return the sums of documents, a line for each sample."""
        return np.bincount(self.unit, x, self.samples * self.documents).reshape(self.samples, -1)

    def changes(self, x: Array) -> Changes:
        """Return what changed in the rows of each sample."""
        counts = [np.bincount(self.unit, which, len(self.n)) for which in (x > 0, x < 0)]
        added = planning.changes_of_units(np.ones(len(self.n)), self.n, self.sums(x).ravel(), *counts)
        sums = {name: values.reshape(self.samples, -1).sum(axis=1) for name, values in added.items()}
        return planning.changes(sums, unseen=1.0)


@dataclass(frozen=True)
class Change:
    """
    A second system: some rows of the first have the other system's score, or score 0.

    The true difference is made larger by rows that score 1 or 0, smaller by fewer rows that make it.

    Parameters
    ----------
    population
        The documents.
    spoils
        Whether rows score 0, not as the other system.
    churn
        Share of rows whose score changes.
    """

    population: Documents
    spoils: bool
    churn: float

    def full(self, score: Array, other: Array) -> Array:
        """Return the differences if all rows changed."""
        return -score if self.spoils else other - score

    def rate(self) -> tuple[float, Array]:
        """Return how many of all rows must change for the churn, and their differences."""
        full = self.full(self.population.score, self.population.other)
        return self.churn / float((full != 0).mean()), full

    @property
    def difference(self) -> float:
        rate, full = self.rate()
        return rate * float(full.mean())

    def differences(self, rows: Rows, random: Random, wanted: Array | None = None) -> Array:
        """Return the differences of rows; their true mean is what is wanted, for each sample."""
        rate, full = self.rate()
        x = np.where(random.random(len(rows.unit)) < rate, self.full(rows.score, rows.other), 0.0)
        if wanted is None:
            return x
        mean, score = rate * float(full.mean()), float(self.population.score.mean())
        sign = np.sign(wanted)
        more = sign * wanted >= sign * mean
        making = [rate * float(np.maximum(one * full, 0).mean()) for one in (-1, 1)]
        with np.errstate(invalid="ignore", divide="ignore"):
            dropped = (mean - wanted) / (sign * np.where(sign > 0, making[1], making[0]))
            added = (wanted - mean) / (np.where(sign > 0, 1.0, 0.0) - score - mean)
        sample = rows.sample
        drop = np.where(more, 0.0, dropped)[sample]
        x = np.where((sign[sample] * x > 0) & (random.random(len(x)) < drop), 0.0, x)
        to = np.where(sign > 0, 1.0, 0.0)[sample] - rows.score
        return np.where(random.random(len(x)) < np.where(more, added, 0.0)[sample], to, x)


def populations(seed: int) -> Iterator[Documents]:
    """Return the sample data, both ways round, and made documents with sizes alike and unequal."""
    rows = pl.read_parquet(DATA / "ocr_qa.parquet").filter(pl.col("answers").list.len() > 0)
    document = rows["doc_id"].rank("dense").to_numpy().astype(np.int64) - 1
    of_system = {
        name: rows.select(af.anls(pl.col(name).fill_null(""), "answers")).to_series().to_numpy()
        for name in ("tesseract", "rapidocr")
    }
    for first, second in itertools.permutations(of_system):
        yield Documents(f"sample data, {first}", document, of_system[first], of_system[second])
    for made in copula_populations():
        if made.name == "mean 0.7, ICC 0.3" and made.sizes in (ten_each, heavy_tail):
            random = np.random.default_rng(seed)
            document = np.repeat(np.arange(2_000), made.sizes((1, 2_000), random).ravel())
            columns = made.rows(document, random)
            score, difference = columns["anls"][0], columns["difference"][0]
            yield Documents(made.group, document, score, score + difference, made.sizes is ten_each)


def changes_of(population: Documents) -> Iterator[Change]:
    for spoils, churn in itertools.product((False, True), CHURN):
        yield Change(population, spoils, churn)


def in_parts(replications: int, documents: int) -> Iterator[int]:
    """Return how many samples to draw at once."""
    step = max(1, ROWS_AT_ONCE // (14 * documents))
    for start in range(0, replications, step):
        yield min(step, replications - start)


def error(share: float, replications: int) -> float:
    """Return the standard error of a share."""
    return math.sqrt(share * (1 - share) / replications)


# Planning.


def significant(sums: Array, seed: int) -> npt.NDArray[np.bool_]:
    p_values = [
        statistics.sign_flip(np.round(of_sample, 12), draws=DRAWS, seed=seed + index)
        for index, of_sample in enumerate(sums)
    ]
    return np.array(p_values) <= ALPHA


def power(change: Change, documents: int, replications: int, seed: int) -> tuple[float, float]:
    """Return the median predicted difference, and how often such a one is significant: one each by pilot."""
    random = np.random.default_rng((seed, documents))
    predicted, found = [], []
    sign = math.copysign(1, change.difference)
    for samples in in_parts(replications, documents):
        pilot = change.population.drawn(samples, documents, random)
        changes = pilot.changes(change.differences(pilot, random))
        effect = planning.detectable_difference(changes, POWER, ALPHA)
        rows = change.population.drawn(samples, documents, random)
        x = change.differences(rows, random, sign * effect)
        predicted.append(effect)
        found.append(significant(rows.sums(x), seed))
    return float(np.median(np.concatenate(predicted))), float(np.concatenate(found).mean())


def powers(population: Documents, replications: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Lines of the first table, with what is outside its bounds."""
    for change in changes_of(population):
        cells, missed = [], []
        for documents in DOCUMENTS:
            effect, share = power(change, documents, replications, seed)
            cells.append(f"{effect:.4f} | {100 * share:.0f}")
            low, high = (
                bound - sign * ERRORS_ALLOWED * error(bound, replications)
                for bound, sign in zip(BETWEEN, (1, -1), strict=True)
            )
            if population.is_gated and not low <= share <= high:
                missed.append(f"power {share:.3f}: {population.name}, churn {change.churn}, {documents}")
        what = "spoilt" if change.spoils else "other's"
        yield f"| {population.name} | {what} | {100 * change.churn:.0f} % | {' | '.join(cells)} |", missed


def sizes(population: Documents, replications: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Lines of the second table, with what is outside its bounds."""
    for churn, effect in itertools.product((0.02, 0.1), (0.01, 0.02)):
        change = Change(population, spoils=False, churn=churn)
        random = np.random.default_rng((seed, 1))
        pilot = population.drawn(min(replications, 500), 112, random)
        changes = pilot.changes(change.differences(pilot, random))
        balanced = replace(changes, difference=0 * changes.difference)
        needed, deciding = (
            math.ceil(112 * float(np.median(planning.needed_units(one, effect, POWER, alpha))))
            for one, alpha in ((changes, ALPHA), (balanced, 2 * ALPHA))
        )
        found, passed = [], []
        for samples in in_parts(replications, needed):
            rows = population.drawn(samples, needed, random)
            wanted = np.full(samples, math.copysign(effect, change.difference))
            found.append(significant(rows.sums(change.differences(rows, random, wanted)), seed))
        for samples in in_parts(replications, deciding):
            rows = population.drawn(samples, deciding, random)
            equal = np.full(samples, math.copysign(1e-9, change.difference))
            low, _ = planning.difference_bounds(rows.changes(change.differences(rows, random, equal)), ALPHA)
            passed.append(low > -effect)
        share = float(np.concatenate(found).mean())
        slack = ERRORS_ALLOWED * error(0.8, replications)
        is_missed = population.is_gated and not BETWEEN[0] - slack <= share <= BETWEEN[1] + slack
        line = (
            f"| {population.name} | {100 * churn:.0f} % | {effect} | {needed:,} | {100 * share:.0f} | "
            f"{deciding:,} | {100 * float(np.concatenate(passed).mean()):.0f} |"
        )
        yield line, [f"power {share:.3f}: {line}"] if is_missed else []


# The gate.


def wrong(
    draw: Callable[[int, Random], Changes], margin: float, documents: int, replications: int, seed: int
) -> list[float]:
    """Shares of "fine" and "regressed", and the same with a plain t bound, if the true loss is the margin."""
    random = np.random.default_rng((seed, documents))
    answers = []
    for samples in in_parts(replications, documents):
        changes = draw(samples, random)
        low, high = planning.difference_bounds(changes, ALPHA)
        half = statistics.t_quantile(1 - ALPHA, changes.units - 1) * np.sqrt(changes.variance)
        middle = changes.difference
        answers.append([low > -margin, high < -margin, middle - half > -margin, middle + half < -margin])
    return [float(share) for share in np.concatenate(answers, axis=1).mean(axis=1)]


def cells_of(shares: list[float]) -> str:
    return " | ".join(f"{100 * share:.1f}" for share in shares)


def levels(
    population: Documents, margin: float, replications: int, seed: int
) -> Iterator[tuple[str, list[str]]]:
    """Lines of the third table, with what is outside its bounds."""
    alone = Change(population, spoils=True, churn=margin / float(population.score.mean()) / 2)
    changes = [Change(population, spoils=False, churn=churn) for churn in CHURN]
    for change, documents in itertools.product((*changes, alone), DOCUMENTS):

        def draw(
            samples: int, random: Random, change: Change = change, documents: int = documents
        ) -> Changes:
            rows = population.drawn(samples, documents, random)
            return rows.changes(change.differences(rows, random, np.full(samples, -margin)))

        shares = wrong(draw, margin, documents, replications, seed)
        too_often = max(shares[:2]) > ALPHA + ERRORS_ALLOWED * error(ALPHA, replications)
        what = "losses only" if change.spoils else f"{100 * change.churn:.0f} %"
        line = f"| {population.name} | {margin} | {what} | {documents} | {cells_of(shares)} |"
        yield line, [f"wrong answers: {line}"] if population.is_gated and too_often else []


def of_document(loses: float, in_row: float, gains: float) -> Callable[[float], tuple[float, float, float]]:
    """Return the share of documents that lose, their rate of lost rows, and the others' rate of won ones."""
    return lambda margin: (loses or margin / in_row, in_row or (margin + (1 - loses) * gains) / loses, gains)


LOPSIDED = {
    "whole documents lost": of_document(0, 1, 0),
    "half of the rows of some documents lost": of_document(0, 0.5, 0),
    "10 % of documents lose, the others gain 5 %": of_document(0.1, 0, 0.05),
}


def lopsided(margin: float, replications: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Lines of the fourth table: ten rows a document."""
    for (what, rates), documents in itertools.product(LOPSIDED.items(), DOCUMENTS):
        share, losses, gains = rates(margin)

        def draw(
            samples: int,
            random: Random,
            documents: int = documents,
            rates: tuple[float, float, float] = (share, losses, gains),
        ) -> Changes:
            size = samples * documents
            unit = np.repeat(np.arange(size), 10)
            loses = (random.random(size) < rates[0])[unit]
            hit = random.random(len(unit)) < np.where(loses, rates[1], rates[2])
            zero = np.zeros(len(unit))
            rows = Rows(unit, np.full(size, 10.0), zero, zero, samples, documents)
            return rows.changes(np.where(hit, np.where(loses, -1.0, 1.0), 0.0))

        shares = wrong(draw, margin, documents, replications, seed)
        yield f"| {what} | {margin} | {documents} | {cells_of(shares)} |", []


# Tables.

PLANNED = """## Predicted differences

A pilot of so many documents predicts the difference δ that as many would show with a power of 80 %. A second
sample, in which the true difference is δ, shows it in so many (%) of the comparisons: the p-value of sign
flips is at most 0.05. The second system has the other system's answers in some rows, or these are spoilt
(score 0). Then rows that score 0 or 1 are added, or some of those that make the difference left out, until
it is δ. Gated: 75 to 85 %. Not gated: sizes of a heavy tail, of which 30 documents are worth about ten.

| population | rows | churn | 30 documents: δ | power | 112: δ | power | 500: δ | power |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""

NEEDED = """
## Needed documents

Pilots of 112 documents say how many show an effect, and how many decide about a margin of this size if the
systems are equal in the mean. Power (%) with the median of these numbers, gated as above, and share (%) of
the answer "fine", not gated.

| population | churn | effect | documents | power | to decide | fine |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""

WRONG = """
## Wrong answers of the gate

Share (%) of "fine" and of "regressed" where the true loss is the margin, at a level of 5 %, and what a plain
t bound would give. "Losses only": nothing is won. Gated: at most 5 %.

| population | margin | churn | documents | fine | regressed | t: fine | t: regressed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""

LOP = """
## Lopsided documents

The same where a few documents, of ten rows, have all the losses; not gated. No method sees what the sample
does not show: of 30 documents, none is lost in 74 % of samples if 1 % are.

| documents | margin | number | fine | regressed | t: fine | t: regressed |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def tables(seed: int, *, quick: bool) -> tuple[str, list[str]]:
    """Return the tables as Markdown, and what is outside its bounds."""
    replications = 200 if quick else 2_000
    every = list(populations(seed))
    margins = (0.01, 0.03)
    sections = (
        (PLANNED, (powers(one, replications, seed) for one in every)),
        (NEEDED, (sizes(one, replications, seed) for one in every if one.is_gated)),
        (WRONG, (levels(one, margin, 2 * replications, seed) for margin in margins for one in every)),
        (LOP, (lopsided(margin, 2 * replications, seed) for margin in margins)),
    )
    lines = [
        f"""{replications:,} comparisons a cell of the first two tables, {2 * replications:,} of the others,
seed {seed}. Gated shares may miss their bounds by {ERRORS_ALLOWED} standard errors of the simulation.
"""
    ]
    missed: list[str] = []
    for head, bodies in sections:
        lines.append(head)
        for line, failures in itertools.chain.from_iterable(bodies):
            lines.append(line)
            missed += failures
    return "\n".join(lines), missed


def main() -> int:
    """Print or write the tables; 1 if a gated figure misses its bound."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n\n")[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="a tenth of the comparisons; prints the tables")
    parser.add_argument("--seed", type=int, default=20261122)
    arguments = parser.parse_args()
    start = time.monotonic()
    text, missed = tables(arguments.seed, quick=arguments.quick)
    page = f"# Planning and the gate of comparisons\n\n{text}\n"
    if arguments.quick:
        sys.stdout.write(page)
    else:
        PAGE.write_text(page, encoding="utf-8")
    sys.stderr.write(f"{time.monotonic() - start:.0f} s\n")
    sys.stderr.writelines(f"gate: {failure}\n" for failure in missed)
    return bool(missed)


if __name__ == "__main__":
    sys.exit(main())
