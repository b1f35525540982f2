"""
Coverage of the intervals of reports and comparisons, by simulation; the gate of `anls_frame.statistics`.

    python benchmarks/coverage.py            # all of it, writes COVERAGE.md beside this file
    python benchmarks/coverage.py --quick    # a tenth of the samples, prints the page

Ends with 1 if the gate is not passed. The populations had no part in the choice of the constants: that is
choose_constants.py. The same seed gives the same figures.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import gates
import numpy as np
import numpy.typing as npt
from populations import (
    Array,
    Population,
    Random,
    Truth,
    as_sums,
    copula_populations,
    interval_of_difference,
    marks_of_differences,
    sample_populations,
    two_kinds_of_documents,
)

from anls_frame import statistics
from anls_frame.reports import estimates
from anls_frame.statistics.carriers import are_few
from anls_frame.summary.catalogue import TEXT_METRICS

PAGE = Path(__file__).with_name("COVERAGE.md")
DATE = "2026-11-28"

SHARES = [metric.name for metric in TEXT_METRICS if metric.is_share]
KINDS = {metric.name: metric.interval for metric in TEXT_METRICS} | {"difference": "mean"}
BOUNDS = {"bounded": 0.93, "rate": 0.92, "mean": 0.92}
"""Least coverage of a gated cell, but for one in twenty ..."""
LEAST = 0.90
"""... and of each."""
SHARE_ALLOWED = 0.05
FEWEST_UNITS = 10
FEWEST_RARER = 10
REPLICATIONS = 3_000
"""Samples of each cell."""
REPETITION = 4
"""How many times more samples decide on a gated cell that misses a bound at first."""

RIGHT = (300, 10, 0.8)
"""Rows that are all right, their documents, and the least that the lower end may be."""


@dataclass(frozen=True)
class Cell:
    """One column of samples of one size from one population."""

    population: Population
    column: str
    documents: int
    covered: float
    width: float
    """Median width by that of the ideal interval, 2 · 1.96 standard deviations of the figure."""
    none: float
    """Share of samples without an interval."""
    few: float
    """Share of samples that are marked `few_rows`, for any column of their report."""
    units: float
    """Median of Carter's G*, with the correlation of the population."""
    truth: Truth

    @property
    def is_large(self) -> bool:
        return self.units >= FEWEST_UNITS

    @property
    def is_gated(self) -> bool:
        return self.is_large and self.documents * self.truth.rarer >= FEWEST_RARER

    @property
    def bound(self) -> float:
        return BOUNDS[KINDS[self.column]]

    def __str__(self) -> str:
        return f"{self.population.group}, {self.population.name}, {self.documents} documents, {self.column}"


def plan() -> Iterator[tuple[Population, int]]:
    """Return the populations, and how many documents are drawn from each."""
    yield from itertools.product(sample_populations(), (5, 12, 30, 112))
    for population in copula_populations():
        alone = "alone" in population.group
        for documents in (30, 100, 1000) if alone else (10, 30, 100):
            yield population, documents
    yield from itertools.product(two_kinds_of_documents(), (12, 50, 200, 400))


def cells(population: Population, documents: int, replications: int, random: Random) -> Iterator[Cell]:
    """Return what the intervals of all columns do in samples from a population."""
    samples, truths = population.samples(documents, replications, random)
    few = marks(samples)
    for column, totals in samples.items():
        truth = truths[column]
        is_constant = KINDS[column] == "bounded" and not 0 < truth.value < 1
        if is_constant or (KINDS[column] == "rate" and truth.value == 0):
            continue
        yield cell(population, column, documents, totals, truth, few=few[column])


def marks(samples: Mapping[str, Array]) -> dict[str, npt.NDArray[np.bool_]]:
    """Return by column which samples are marked, reports for any of their columns."""
    found = {}
    for column, totals in samples.items():
        if column == "difference":
            found[column] = marks_of_differences(totals)
            continue
        sums = as_sums(totals)
        carrying = estimates.carried_by("mean" if column in SHARES else KINDS[column], sums)
        found[column] = are_few(sums.n, estimates.units(sums), carrying)
    of_report = np.logical_or.reduce([few for column, few in found.items() if column != "difference"])
    return {column: few if column == "difference" else of_report for column, few in found.items()}


def cell(
    population: Population,
    column: str,
    documents: int,
    totals: Array,
    truth: Truth,
    *,
    few: npt.NDArray[np.bool_],
) -> Cell:
    sums = as_sums(totals)
    if column == "difference":
        low, high = interval_of_difference(totals)
    else:
        low, high = estimates.interval(KINDS[column], sums, 0.95)
    known = ~np.isnan(low)
    hits = (low <= truth.value + 1e-12) & (high >= truth.value - 1e-12)
    ideal = 2 * 1.96 * np.std(sums.x / sums.y)
    powers = (sums.n, sums.n_squares, sums.n_cubes, sums.n_fourths)
    units = statistics.effective_units(*powers, correlation=truth.correlation)
    return Cell(
        population=population,
        column=column,
        documents=documents,
        covered=float(hits[known].mean()) if known.any() else math.nan,
        width=float(np.median((high - low)[known]) / ideal) if known.any() and ideal > 0 else math.nan,
        none=float(1 - known.mean()),
        few=float(few.mean()),
        units=float(np.median(units)),
        truth=truth,
    )


def simulate(replications: int, seed: int) -> list[Cell]:
    """Simulate everything; gated cells that miss their bound a second time, with more samples."""
    found: list[Cell] = []
    for number, (population, documents) in enumerate(plan()):
        random = np.random.default_rng([seed, number])
        of_population = list(cells(population, documents, replications, random))
        if any(one.is_gated and one.covered < one.bound for one in of_population):
            random = np.random.default_rng([seed, number, 1])
            again = {
                one.column: one for one in cells(population, documents, REPETITION * replications, random)
            }
            of_population = [
                again[one.column] if one.is_gated and one.covered < one.bound else one
                for one in of_population
            ]
        found += of_population
    return found


def faults(found: Sequence[Cell]) -> list[str]:
    """Return in which ways the gate is missed."""
    messages = []
    gated = [one for one in found if one.is_gated]
    below = [one for one in gated if one.covered < one.bound]
    if len(below) > SHARE_ALLOWED * len(gated):
        messages.append(f"{len(below)} of {len(gated)} gated cells are below their bound")
    messages += [f"{percent(one.covered)} %: {one}" for one in gated if one.covered < LEAST]
    if all_right() < RIGHT[2]:
        messages.append(f"{RIGHT[0]} of {RIGHT[0]} right in {RIGHT[1]} documents: low is {all_right():.3f}")
    return messages


def all_right() -> float:
    """Return the lower end of the interval where all rows are right."""
    rows, documents, _ = RIGHT
    each = rows // documents
    low, _ = statistics.wilson_interval(
        1.0, 0.0, rows, documents, cubes=documents * each**3, fourths=documents * each**4
    )
    return float(low)


def markdown(found: Sequence[Cell], replications: int, seed: int) -> str:
    rows, documents, least = RIGHT
    gated = [one for one in found if one.is_gated]
    below = sorted((one for one in gated if one.covered < one.bound), key=lambda one: one.covered)
    loosely = [one for one in found if one.is_large and one.documents * one.truth.counted >= FEWEST_RARER]
    intro = INTRODUCTION.format(
        seed=seed,
        numpy=np.__version__,
        date=DATE,
        replications=replications,
        error=100 * math.sqrt(0.95 * 0.05 / replications),
        repetition=REPETITION,
        units=FEWEST_UNITS,
        rarer=FEWEST_RARER,
        gated=len(gated),
        below=len(below),
        lowest=percent(min(one.covered for one in gated)),
        loosely=len(loosely),
        loosely_below=sum(one.covered < one.bound for one in loosely),
        loosely_deep=sum(one.covered < LEAST for one in loosely),
        loosely_lowest=percent(min(one.covered for one in loosely)),
        rows=rows,
        documents=documents,
        all_right=all_right(),
        least=least,
    )
    by_documents = summary(found, lambda one: (one.population.group, str(one.documents), one.column))
    missed = [
        [str(one), f"{one.units:.0f}", f"{one.documents * one.truth.rarer:.0f}", percent(one.covered)]
        for one in below
    ]
    sections = {
        "By column": table(HEADER[1:], summary(found, lambda one: (one.column,))),
        "By population": table(HEADER, summary(found, lambda one: (one.population.group, one.column))),
        "By number of documents": table([HEADER[0], "documents", *HEADER[1:]], by_documents),
        "Checked cells below their bound": table(
            ["cell", "G*", "documents of the rarer kind", "coverage"], missed
        ),
    }
    return "\n\n".join([intro, *(f"## {title}\n\n{content}" for title, content in sections.items())])


INTRODUCTION = """\
# Coverage of the intervals

Written by `coverage.py`: seed {seed}, numpy {numpy}, {date}, {replications:,} samples per cell (standard
error of a coverage of 95 %: {error:.1f} points; checked cells below their bound were simulated again,
{repetition} times as often). The nominal coverage is 95 %. A cell is one score, estimated from samples of a
given number of documents from one population. The populations are every slice of the sample data, with
documents drawn with replacement; scores from a normal copula, with means up to 0.995 and intraclass
correlations up to 0.5; and documents of which 6 % are bad.

A cell is **checked** if Carter's G* is at least {units} and at least {rarer} documents of the rarer kind are
expected. These are the documents on the side of the true value where fewer lie. Each counts by its share in
the deviations of that side: together they count as (Σ|u|)² / Σu², where u are the residuals. Checked cells
must reach a coverage of 93 % (92 % for both CERs and for differences), with one exception in twenty, and 90 %
without exception. If all documents of a side counted alike, {loosely:,} cells would be checked instead of
{gated:,}. Of those, {loosely_below} miss their bound and {loosely_deep} are below 90 %, the lowest at
{loosely_lowest} %: samples that lack the one document far from the mean cannot show it.

**{below} of the {gated:,} checked cells miss their bound; the lowest coverage is {lowest} %.** If all {rows}
rows in {documents} documents are right, the interval begins at {all_right:.3f} (at least {least}).

- *cells*: which cells the line counts; *count*: how many
- *below*: cells below their bound
- *lowest*, *median*: coverage of these cells, in %
- *over 98.5*: cells with a coverage above 98.5 %
- *wide*: median width of the intervals, divided by that of an ideal one (1.96 standard deviations to each
  side)
- *none*: share of samples without an interval, in %
- *few*: share of samples marked `few_rows`, in %, in a report of all columns or in a comparison"""

HEADER = [
    "population",
    "column",
    "cells",
    "count",
    "below",
    "lowest",
    "median",
    "over 98.5",
    "wide",
    "none",
    "few",
]


def summary(found: Sequence[Cell], key: object) -> Iterator[list[str]]:
    """Return lines for the cells of each key: gated ones, large ones that are not, small ones."""
    assert callable(key)
    groups: dict[tuple[str, ...], list[Cell]] = {}
    for one in found:
        groups.setdefault(key(one), []).append(one)
    for names, of_group in groups.items():
        for what, chosen in (
            ("checked", [one for one in of_group if one.is_gated]),
            ("other, G* ≥ 10", [one for one in of_group if one.is_large and not one.is_gated]),
            ("other, G* < 10", [one for one in of_group if not one.is_large]),
        ):
            covered = np.array([one.covered for one in chosen if not math.isnan(one.covered)])
            if not covered.size:
                continue
            yield [
                *names,
                what,
                str(len(chosen)),
                str(sum(one.covered < one.bound for one in chosen)),
                percent(float(covered.min())),
                percent(float(np.median(covered))),
                str(int((covered > 0.985).sum())),
                f"{np.nanmedian([one.width for one in chosen]):.2f}",
                percent(float(np.mean([one.none for one in chosen]))),
                percent(float(np.mean([one.few for one in chosen]))),
            ]


def table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *lines))


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and in which ways the gate is missed."""
    replications = REPLICATIONS // (10 if quick else 1)
    found = simulate(replications, seed)
    return f"{markdown(found, replications, seed)}\n", faults(found)


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261122).parse_args(), PAGE))
