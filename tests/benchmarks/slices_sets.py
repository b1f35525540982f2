"""Sets of rows with a planted slice or with none, and what is found in each: what `slices_gate.py` counts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
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

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Random = np.random.Generator
    Array = np.ndarray[Any, np.dtype[Any]]

SEED = 20261123
LEVEL = 0.05
METRIC = af.Metric("score", bounds=(0, 1))
SAMPLE = Path(__file__).parents[2] / "data" / "ocr_qa.parquet"
TEST = outcome.Test(depth=2, least=search.Least(20, 5), top=20, draws=999, seed=0, alpha=LEVEL)
FEW_DRAWS = 199
VALUES = (0.4, 0.34, 0.2, 0.06)
"""Shares of the values of a column; half of the columns are of documents, half of rows."""
COLUMNS = 8
DIFFERENT = 0.2
"""Two systems differ in at most this share of the rows."""

Errors = list[tuple[float, float]]
"""Errors of effects, and their standard errors."""


@dataclass(frozen=True)
class Line:
    """A line of the page: what its cells say, and what is found in a set."""

    cells: tuple[str, ...]
    found: Callable[[int], tuple[dict[str, bool], Errors]]
    is_gated: bool = True

    @property
    def key(self) -> str:
        return ", ".join(filter(None, self.cells))


@dataclass(frozen=True)
class Population:
    """Where documents are drawn from."""

    name: str
    documents: int
    mean: float = 0.0
    correlation: float = 0.0
    scores: tuple[Array, ...] = ()
    """Scores of the documents to draw from, with replacement."""

    def drawn(self, random: Random) -> tuple[Array, Array]:
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

    def generator(self, number: int) -> Random:
        """Return the generator of a set, which is the same in each run."""
        keys = (self.documents, int(100 * self.mean), int(100 * self.correlation), sum(map(ord, self.name)))
        return np.random.default_rng([SEED, *keys, number])


def columns(document: Array, random: Random) -> list[Codes]:
    """Return columns whose values are drawn by chance."""
    count = int(document[-1]) + 1
    drawn = [random.choice(len(VALUES), count, p=VALUES)[document] for _ in range(COLUMNS // 2)]
    drawn += [random.choice(len(VALUES), len(document), p=VALUES) for _ in range(COLUMNS // 2)]
    return [Codes(one.astype(np.intp), len(VALUES)) for one in drawn]


def rows_of(values: Array, document: Array, sliced: list[Codes], **options: Any) -> Rows:
    return Rows(sliced, [Scores(METRIC, values, np.ones(len(values)), 1 - values, **options)], document)


def halves(document: Array, number: int) -> Array:
    """Return the rows that are held out; each set has documents of other names."""
    names = pl.Series(np.arange(document[-1] + 1)).cast(pl.String) + f" of set {number}"
    return np.asarray(is_held_out(names, 0.5)[document])


def other_system(scores: Array, random: Random) -> Array:
    """Return scores that differ by chance in some of the rows."""
    return np.where(random.random(len(scores)) < DIFFERENT, random.permutation(scores), scores)


def searched(rows: Rows) -> list[search.Slice]:
    """Return the slices that a search lists."""
    few = outcome.tested(rows, replace(TEST, draws=FEW_DRAWS)).found
    # Draws that reach the largest statistic so often already are too many, whatever the others do.
    if not few or round(few[0].p_adjusted * (1 + FEW_DRAWS)) > LEVEL * (1 + TEST.draws):
        return []
    return [one.found.conditions for one in outcome.searched(rows, TEST).listed]


def errors_of(rows: Rows, listed: list[Any], held_out: Array, truth: float) -> Errors:
    """Return the errors of effects on the held-out rows, and their standard errors."""
    tested = rows.of(held_out)
    masks = [tested.mask(one.found.conditions) for one in listed if not np.isnan(one.found.p_adjusted)]
    if not masks:
        return []
    found, *_ = tested.residuals(0).of_masks(masks, 1)
    return list(zip((found.effect - truth).tolist(), found.error.tolist(), strict=True))


def honest(rows: Rows, held_out: Array) -> tuple[list[Any], list[search.Slice]]:
    """Return the slices that are tested on the held-out rows, and the conditions of those found again."""
    if not held_out.any() or held_out.all():
        return [], []
    tested = outcome.honest(rows, held_out, TEST).listed
    return tested, [one.found.conditions for one in tested if one.found.p_adjusted <= LEVEL]


def nulls() -> Iterator[Line]:
    """Yield lines of populations in which no slice is worse."""
    for documents in (12, 30, 100):
        for mean in (0.1, 0.5, 0.9, 0.97):
            for correlation in (0.0, 0.5):
                yield _null(Population("right or wrong", documents, mean, correlation))
        yield _null(Population("partly right", documents, 0.7, 0.2))
    sample = pl.read_parquet(SAMPLE)
    for system in ("tesseract", "rapidocr"):
        scored = sample.select("doc_id", score=af.anls(pl.col(system).fill_null(""), "answers")).drop_nulls()
        scores = tuple(one["score"].to_numpy() for one in scored.partition_by("doc_id", maintain_order=True))
        for documents in (12, 30, 112):
            yield _null(Population(system, documents, scores=scores))


def _null(population: Population) -> Line:
    of_made = ("", "")
    if not population.scores:
        of_made = (f"{population.mean:g}", f"{population.correlation:g}")
    cells = (population.name, str(population.documents), *of_made)
    return Line(cells, partial(false_alarms, population))


def false_alarms(population: Population, number: int) -> tuple[dict[str, bool], Errors]:
    """Return whether there is a false alarm: in a system, in a change, on other documents."""
    random = population.generator(number)
    scores, document = population.drawn(random)
    sliced = columns(document, random)
    rows = rows_of(scores, document, sliced)
    # In each document either system may be the second.
    signs = random.choice([-1.0, 1.0], int(document[-1]) + 1)[document]
    change = rows_of((scores - other_system(scores, random)) * signs, document, sliced, is_change=True)
    held_out = halves(document, number)
    tested, again = honest(rows, held_out)
    found = {
        "search": bool(searched(rows)),
        "search, two systems": bool(searched(change)),
        "honest": bool(again),
    }
    return found, errors_of(rows, tested, held_out, 0.0)


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
FAINT = 0.15
GATED_ROWS = 6000


def faults() -> Iterator[Line]:
    """Yield lines of populations in which a slice is worse."""
    for systems in (1, 2):
        for rows in (1500, 3000, GATED_ROWS):
            population = Population("right or wrong", rows // 13, 0.85, 0.1)
            for fault in FAULTS:
                for spoilt in (FAINT, 0.5):
                    yield Line(
                        (str(systems), f"{rows:,}", fault.name, f"{100 * spoilt:.0f}"),
                        partial(power, population, fault, spoilt, is_change=systems == 2),
                        is_gated=rows == GATED_ROWS and spoilt == FAINT and fault.is_gated,
                    )


def power(
    population: Population, fault: Fault, spoilt: float, number: int, *, is_change: bool
) -> tuple[dict[str, bool], Errors]:
    """Return whether a planted fault is found, and whether something else is."""
    random = population.generator(number)
    scores, document = population.drawn(random)
    sliced = columns(document, random)
    is_hit = search.mask(sliced, fault.conditions, len(scores)) & (random.random(len(scores)) < spoilt)
    # The fault is one of the second system, which differs from the first in other rows too.
    first = other_system(scores, random) if is_change else 0.0
    rows = rows_of(np.where(is_hit, 0.0, scores) - first, document, sliced, is_change=is_change)
    held_out = halves(document, number)
    tested, again = honest(rows, held_out)
    found = {}
    for name, listed in (("search", searched(rows)), ("honest", again)):
        found[name] = fault.conditions in listed
        found[f"{name}, else"] = any(one != fault.conditions for one in listed)
    planted = [one for one in tested if one.found.conditions == fault.conditions]
    return found, errors_of(rows, planted, held_out, spoilt * population.mean)
