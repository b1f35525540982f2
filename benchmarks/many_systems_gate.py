"""
Level, coverage and power of the tests of many systems, by simulation.

The gate of `statistics.pairwise` and `statistics.rank_sets`.

    python benchmarks/many_systems_gate.py            # all of it, writes RANKS.md
    python benchmarks/many_systems_gate.py --quick    # a tenth of the comparisons, prints the tables
    python benchmarks/many_systems_gate.py --kinds    # only the table of what rank_kinds.py counted
    python benchmarks/many_systems_gate.py --metrics  # only the table of several_metrics.py

Ends with 1 if systems that are equal are called different too often, or if sets of ranks miss true ranks too
often. The same seed gives the same figures.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gates
import numpy as np
import numpy.typing as npt
import polars as pl
import rank_kinds
import several_metrics
from populations import Array, Random, heavy_tail
from significance_gate import ALPHA, ERRORS_ALLOWED, error

import anls_frame as af
from anls_frame import statistics

PAGE = Path(__file__).parent / "RANKS.md"
DRAWS = 999
FEWEST = 20
"""From this many documents on, a figure is gated."""

DOCUMENTS = (12, 20, 50, 112)

Sample = tuple[statistics.SystemSums, Array]
"""Sums of a sample, and the true scores by line and system."""


@dataclass(frozen=True)
class Population:
    """Documents to draw samples of."""

    name: str
    draw: Callable[[Random, int], Sample]
    gated: bool = True
    documents: tuple[int, ...] = DOCUMENTS


def one_line(x: Array, y: Array) -> statistics.SystemSums:
    """Return the sums of documents in a single line."""
    unit = np.arange(len(x))
    return statistics.SystemSums(unit, np.zeros_like(unit), x, y, np.ones_like(unit), 1)


# Populations made up.

SIZES: dict[str, Callable[[int, Random], npt.NDArray[np.int64]]] = {
    "ten rows each": lambda documents, _: np.full(documents, 10),
    "1 to 20 rows": lambda documents, random: random.integers(1, 21, documents),
    "1 to 200 rows, heavy tail": lambda documents, random: heavy_tail((1, documents), random)[0],
}


def right_answers(sizes: str, effects: tuple[float, ...]) -> Callable[[Random, int], Sample]:
    """Shares of right answers: documents are more or less difficult, for all systems and for each."""

    def draw(random: Random, documents: int) -> Sample:
        n = SIZES[sizes](documents, random)
        which = np.repeat(np.arange(documents), n)
        difficulty = random.normal(0.9, 0.5, documents) + random.normal(0, 0.4, (len(effects), documents))
        quality = difficulty[:, which] + np.array(effects)[:, None]
        right = random.normal(size=quality.shape) < quality
        x = np.stack([np.bincount(which, row, documents) for row in right], axis=1).astype(np.float64)
        return one_line(x, n[:, None].astype(np.float64)), np.array([effects])

    return draw


def error_rates(sizes: str) -> Callable[[Random, int], Sample]:
    """Errors by length of three exchangeable systems, each with its own lengths."""

    def draw(random: Random, documents: int) -> Sample:
        n = SIZES[sizes](documents, random)[:, None]
        length = n * random.lognormal(2.5, 0.3, (documents, 1)) * random.lognormal(0, 0.1, (documents, 3))
        rate = random.beta(1, 6, (documents, 1)) * random.uniform(0.6, 1.4, (documents, 3))
        return one_line(np.round(rate * length), np.round(length) + 1), np.zeros((1, 3))

    return draw


def lopsided(random: Random, documents: int) -> Sample:
    """Nine documents of ten are a little better with the second system, one is much worse."""
    means = np.full((documents, 3), 0.85)
    means[:, 1] = np.where(random.random(documents) < 0.1, 0.4, 0.9)
    return one_line(
        10 * means + random.normal(0, 0.15, means.shape), np.full((documents, 1), 10.0)
    ), np.zeros((1, 3))


def worse_on_long(random: Random, documents: int) -> Sample:
    """The second system is better on documents of up to ten rows, and worse on longer ones."""
    n = heavy_tail((1, documents), random)[0][:, None].astype(np.float64)
    rows = np.arange(1, 201) ** -0.5
    share = rows[:10].sum() / rows.sum()
    means = np.full((documents, 3), 0.8)
    means[:, 1:2] += np.where(n <= 10, 0.1 * (1 - share), -0.1 * share)
    return one_line(n * means + np.sqrt(n) * random.normal(0, 0.2, means.shape), n), np.zeros((1, 3))


# The sample data.


class Documents:
    """Documents of the sample, with six systems: both engines, two mixtures, two with answers left out."""

    def __init__(self) -> None:
        rows = af.sample().filter(pl.col("answers").list.len() > 0)
        engines = [
            rows.select(af.anls(pl.col(name).fill_null(""), "answers")).to_series().to_numpy()
            for name in ("tesseract", "rapidocr")
        ]
        random = np.random.default_rng(1)
        mixed = [np.where(random.random(rows.height) < share, *engines) for share in (0.5, 0.75)]
        corrupted = [np.where(random.random(rows.height) < share, 0.0, engines[1]) for share in (0.05, 0.15)]
        self.document = rows["doc_id"].rank("dense").to_numpy().astype(np.int64) - 1
        self.scores = np.stack([*engines, *mixed, *corrupted], axis=1)
        types = rows["question_types"]
        self.types = [
            types.list.contains(value).to_numpy() for value in types.explode().drop_nulls().unique().sort()
        ]
        self.x, self.y = self.by_document(np.ones(rows.height, bool))

    def by_document(self, rows: npt.NDArray[np.bool_]) -> tuple[Array, Array]:
        """Return sums of scores and numbers of the chosen rows."""
        documents = int(self.document.max()) + 1
        columns = [np.bincount(self.document, rows * column, documents) for column in self.scores.T]
        number = np.bincount(self.document, rows, documents).astype(np.float64)
        return np.stack(columns, axis=1).astype(np.float64), number[:, None]

    def plain(self, random: Random, documents: int) -> Sample:
        """Documents as they are."""
        drawn = random.integers(0, len(self.x), documents)
        return one_line(self.x[drawn], self.y[drawn]), self.x.sum(axis=0)[None] / self.y.sum()

    def tied(self, random: Random, documents: int) -> Sample:
        """Both engines, and a mixture and a corrupted system, are swapped at random in each document."""
        drawn = random.integers(0, len(self.x), documents)
        x, truth = self.x[drawn], self.x.sum(axis=0)[None] / self.y.sum()
        for pair in ([0, 1], [3, 4]):
            swap = random.random((documents, 1)) < 0.5
            x[:, pair] = np.where(swap, x[:, pair[::-1]], x[:, pair])
            truth[:, pair] = truth[:, pair].mean()
        return one_line(x, self.y[drawn]), truth

    def shuffled(self, random: Random, documents: int) -> Sample:
        """Return sums by question type of systems that are shuffled in each document."""
        drawn = random.integers(0, len(self.x), documents)
        order = random.permuted(np.tile(np.arange(6), (documents, 1)), axis=1)
        parts = [self.by_document(rows) for rows in self.types]
        x = np.concatenate([np.take_along_axis(x[drawn], order, axis=1) for x, _ in parts])
        y = np.concatenate([y[drawn] for _, y in parts])
        kept = y[:, 0] > 0
        unit = np.tile(np.arange(documents), len(parts))[kept]
        line = np.repeat(np.arange(len(parts)), documents)[kept]
        sums = statistics.SystemSums(unit, line, x[kept], y[kept], np.ones(documents, np.int64), len(parts))
        return sums, np.zeros((len(parts), 6))


def populations() -> Iterator[Population]:
    """All populations."""
    equal, one_differs, two_groups = (0.0,) * 6, (0.0, 0.0, -0.4), (0.0, 0.0, 0.0, -0.6, -0.6, -0.6)
    for sizes in SIZES:
        yield Population(f"six equal, {sizes}", right_answers(sizes, equal))
        yield Population(f"A = B ≠ C, {sizes}", right_answers(sizes, one_differs))
        yield Population(f"A = B = C ≠ D = E = F, {sizes}", right_answers(sizes, two_groups))
        yield Population(f"three equal error rates, {sizes}", error_rates(sizes))
    sample = Documents()
    yield Population("sample", sample.plain)
    yield Population("sample, two ties", sample.tied)
    yield Population("sample, six shuffled, by question type", sample.shuffled)
    yield Population("a tenth lose much", lopsided, gated=False)
    yield Population("worse on long documents", worse_on_long, gated=False)


@dataclass
class Found:
    """What was found in one population: shares of samples, or means over samples."""

    wrong_pairs: float
    covered: float
    width: float
    found: dict[str, float]


def simulate(population: Population, documents: int, replications: int, seed: int) -> Found:
    """Draw samples, test all pairs and rank the systems."""
    random = np.random.default_rng((seed, documents, *population.name.encode()))
    wrong, covered, width = 0, [], []
    found: dict[str, list[float]] = {"Bonferroni": [], "Holm": [], "max-T": []}
    for index in range(replications):
        sums, truth = population.draw(random, documents)
        systems = truth.shape[1]
        pairs = np.array(list(itertools.combinations(range(systems), 2)))
        result = statistics.pairwise(sums, pairs, draws=DRAWS, seed=index)
        equal = np.abs(truth[:, pairs[:, 0]] - truth[:, pairs[:, 1]]) < 1e-12
        wrong += bool((result.p_adjusted[equal] <= ALPHA).any())
        if not equal.all():
            each = {
                "Bonferroni": result.p_value * result.p_value.size,
                "Holm": statistics.holm(result.p_value),
                "max-T": result.p_adjusted,
            }
            for name, p_values in each.items():
                found[name].append(float(np.mean(p_values[~equal] <= ALPHA)))
        ranks = statistics.rank_sets(sums, True, draws=DRAWS, seed=index)  # noqa: FBT003
        # All ranks that equal systems share must be in their sets.
        best = 1 + (truth[:, None, :] > truth[:, :, None] + 1e-12).sum(axis=2)
        worst = systems - (truth[:, None, :] < truth[:, :, None] - 1e-12).sum(axis=2)
        inside = (ranks.rank_low <= best) & (ranks.rank_high >= worst)
        covered.append((inside | np.isnan(ranks.rank)).all(axis=1).mean())
        width.append(np.nanmean(ranks.rank_high - ranks.rank_low + 1))
    return Found(
        wrong / replications,
        float(np.mean(covered)),
        float(np.mean(width)),
        {name: float(np.mean(shares)) for name, shares in found.items() if shares},
    )


HEAD = """- *Equal called different*: share of comparisons in which `pairwise` calls any two equal systems
  different (any `p_adjusted` ≤ 0.05).
- *Ranks covered*: share in which the sets of `rank_sets` contain the true ranks of all systems, with all
  ranks that equal systems share.
- *Set*: mean number of ranks in a set.
- *Bonferroni*, *Holm*, *max-T*: share of pairs of unequal systems that are found at 0.05. The first two
  adjust `p_value`; max-T is `p_adjusted`.

In the first populations, equal systems are exchangeable and documents differ in difficulty. *Sample* is
af.sample(), with documents drawn with replacement. Its systems are both engines, two mixtures of
their answers, and RapidOCR with 5 and 15 % of the answers left out. With *two ties*, two pairs of systems are
swapped at random in each document. With *six shuffled*, all six are, and the seven question types form one
family of 105 hypotheses. The last two populations are not checked: their systems have equal means but are not
exchangeable. Lines with fewer than 20 documents are not checked either.

| population | documents | equal called different | ranks covered | set | Bonferroni | Holm | max-T |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"""


def table(replications: int, seed: int) -> tuple[str, list[str]]:
    """Return the table as Markdown, and what is outside its bounds."""
    room = ERRORS_ALLOWED * error(ALPHA, replications)
    head = f"""{replications:,} comparisons per line, {DRAWS} draws, seed {seed}. Checked figures may miss
0.05 and 0.95 by {ERRORS_ALLOWED} standard errors of the simulation, {room:.3f}.

{HEAD}"""
    lines = [head]
    missed: list[str] = []
    for population, documents in ((one, documents) for one in populations() for documents in one.documents):
        found = simulate(population, documents, replications, seed)
        shares = " | ".join(f"{100 * share:.0f} %" for share in found.found.values()) or "| |"
        lines.append(
            f"| {population.name} | {documents} | {found.wrong_pairs:.3f} | {found.covered:.3f} | "
            f"{found.width:.2f} | {shares} |"
        )
        gates.say(lines[-1])
        if population.gated and documents >= FEWEST:
            where = f"{population.name}, {documents} documents"
            if found.wrong_pairs > ALPHA + room:
                missed.append(f"equal systems called different in {found.wrong_pairs:.3f}: {where}")
            if found.covered < 1 - ALPHA - room:
                missed.append(f"ranks covered in {found.covered:.3f}: {where}")
    return "\n".join(lines), missed


TITLE = "# Level, coverage and power of the tests of many systems\n\n"
OTHERS = "## Level and power\n\n"
METRICS = "## Several metrics\n\n"


def equal_kinds() -> tuple[str, list[str]]:
    """Return the table of rank_kinds.py, and what is outside its bounds."""
    text, missed = rank_kinds.table()
    return f"## Equal systems of one kind and of two\n\n{text}", missed


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    kinds, too_rare = equal_kinds()
    text, missed = table(200 if quick else 2_000, seed)
    metrics, too_often = several_metrics.table(100 if quick else 1_000, seed)
    page = f"{TITLE}{kinds}\n\n{OTHERS}{text}\n\n{METRICS}{metrics}\n"
    return page, missed + too_rare + too_often


def main() -> int:
    """Print or write the page, or write one of its tables; 1 if a gated figure misses its bound."""
    parser = gates.parser(__doc__, 20261122)
    parser.add_argument("--kinds", action="store_true", help="write only the table of rank_kinds.py")
    parser.add_argument("--metrics", action="store_true", help="write only the table of several_metrics.py")
    arguments = parser.parse_args()
    only_kinds, only_metrics = (vars(arguments).pop(name) for name in ("kinds", "metrics"))
    if not (only_kinds or only_metrics):
        return gates.run(page, arguments, PAGE)
    written = PAGE.read_text(encoding="utf-8")
    if only_kinds:
        kinds, missed = equal_kinds()
        _, _, others = written.partition(OTHERS)
        written = f"{TITLE}{kinds}\n\n{OTHERS}{others}"
    else:
        metrics, missed = several_metrics.table(1_000, arguments.seed)
        others, _, _ = written.partition(f"\n{METRICS}")
        written = f"{others}\n{METRICS}{metrics}\n"
    PAGE.write_text(written, encoding="utf-8")
    return gates.failed(missed)


if __name__ == "__main__":
    sys.exit(main())
