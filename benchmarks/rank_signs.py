"""
Rank sets from documents that are drawn, and from random weights of documents, by simulation.

    python benchmarks/rank_signs.py            # writes RANK_SIGNS.md; four minutes
    python benchmarks/rank_signs.py --quick    # a tenth of the samples, prints the page

`rank_sets` draws documents with replacement. The alternative multiplies each document's deviations by a
random weight of mean 0 and variance 1 (wild cluster bootstrap). This script counts what it would change.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import gates
import many_systems_gate
import numpy as np
import rank_kinds
from many_systems_gate import Population, one_line, right_answers
from populations import Array, Random
from significance_gate import ALPHA

from anls_frame import statistics

PAGE = Path(__file__).parent / "RANK_SIGNS.md"
SAMPLES = 1000
DRAWS = 499
FEWEST_DIFFERING = 6
"""Systems that differ in fewer documents are never called different, as in `pairwise`."""


def signs(random: Random, shape: tuple[int, int]) -> Array:
    """Rademacher's weights."""
    return np.asarray(np.where(random.random(shape) < 0.5, -1.0, 1.0))


def six_points(random: Random, shape: tuple[int, int]) -> Array:
    """Webb's weights."""
    return np.asarray(np.sqrt(random.choice([0.5, 1.0, 1.5], shape)) * signs(random, shape))


def skewed(random: Random, shape: tuple[int, int]) -> Array:
    """Mammen's weights, whose third moment is 1."""
    root = np.sqrt(5)
    is_low = random.random(shape) < (root + 1) / (2 * root)
    return np.asarray(np.where(is_low, (1 - root) / 2, (1 + root) / 2))


WEIGHTS = {"signs": signs, "Webb's weights": six_points, "Mammen's weights": skewed}


def adjusted(sums: statistics.SystemSums, weights: Callable[..., Array], seed: int) -> Array:
    """Return the p-values of all pairs by step-down, from random weights of documents."""
    kept = sums.y[:, 0] > 0
    x, share = sums.x[kept] / sums.y.sum(), sums.y[kept] / sums.y.sum()
    first, second = np.triu_indices(sums.systems, 1)
    apart = x[:, first] - x[:, second]
    difference, squares = apart.sum(axis=0), (share**2).sum()
    is_decidable = (apart != 0).sum(axis=0) >= FEWEST_DIFFERING
    deviation = apart - difference * share
    observed = statistic(difference, (deviation**2).sum(axis=0), squares)
    drawn = weights(np.random.default_rng(seed), (DRAWS, len(x)))
    moved, spread = drawn @ deviation, drawn**2 @ deviation**2
    variance = spread - 2 * moved * (drawn @ (deviation * share)) + moved**2 * squares
    order = np.flatnonzero(is_decidable)[np.argsort(observed[is_decidable], kind="stable")]
    largest = np.maximum.accumulate(statistic(moved, variance, squares)[:, order], axis=1)
    as_large = (1 + (largest >= observed[order] * (1 - 1e-9)).sum(axis=0)) / (1 + DRAWS)
    p_values = np.ones(len(difference))
    p_values[order] = np.maximum.accumulate(as_large[::-1])[::-1]
    return p_values


def statistic(difference: Array, variance: Array, squares: float) -> Array:
    """Return the statistic of `pairwise`: Student's t, bounded by 1 / √Σw²."""
    bounded = np.maximum(variance, 0) + difference**2 * squares
    return np.abs(difference) / np.sqrt(bounded + np.finfo(np.float64).tiny)


def sets(scores: Array, p_values: Array) -> tuple[Array, Array]:
    """Return the best and the worst rank of each system."""
    first, second = np.triu_indices(len(scores), 1)
    shown = p_values <= ALPHA
    is_first = scores[first] > scores[second]
    better = np.zeros((len(scores), len(scores)), bool)
    better[np.where(is_first, first, second)[shown], np.where(is_first, second, first)[shown]] = True
    return 1 + better.sum(axis=0), len(scores) - better.sum(axis=1)


def unlike(systems: int, documents: int, sizes: str) -> Population:
    """Equal systems, half of which fail on whole documents."""
    cell = rank_kinds.Cell(systems, "unlike", documents, sizes)

    def draw(random: Random, _: int) -> many_systems_gate.Sample:
        x, n = cell.sample(random)
        return one_line(x, n), np.zeros((1, systems))

    return Population(f"{systems} unlike, {sizes}", draw, documents=(documents,))


def populations() -> Iterator[Population]:
    """Systems that fail alike, then those that do not."""
    two_groups = (0.0, 0.0, 0.0, -0.6, -0.6, -0.6)
    heavy = "1 to 200 rows, heavy tail"
    for sizes, documents in (("1 to 20 rows", (20,)), ("ten rows each", (50,)), (heavy, (50, 112))):
        name = f"A = B = C ≠ D = E = F, {sizes}"
        yield Population(name, right_answers(sizes, two_groups), documents=documents)
    yield Population("sample", many_systems_gate.Documents().plain, documents=(20,))
    yield Population(f"six equal, {heavy}", right_answers(heavy, (0.0,) * 6), documents=(50,))
    yield Population("a tenth lose much", many_systems_gate.lopsided, documents=(50, 112))
    for many in (50, 100, 300):
        yield unlike(10, many, "ten rows")
    yield unlike(10, 100, "1 to 200 rows")
    yield unlike(40, 100, "ten rows")


def simulate(population: Population, documents: int, samples: int, seed: int) -> Array:
    """Return the share of samples in which all sets hold and their mean size, a line for each method."""
    random = np.random.default_rng((seed, documents, *population.name.encode()))
    figures = []
    for number in range(samples):
        sums, (truth,) = population.draw(random, documents)
        scores = sums.x.sum(axis=0) / sums.y.sum()
        best = 1 + (truth > truth[:, None] + 1e-12).sum(axis=1)
        worst = len(truth) - (truth < truth[:, None] - 1e-12).sum(axis=1)
        pairs = np.stack(np.triu_indices(sums.systems, 1), axis=1)
        drawn = statistics.pairwise(sums, pairs, draws=DRAWS, seed=number).p_adjusted[0]
        weighted = [adjusted(sums, weights, number) for weights in WEIGHTS.values()]
        low, high = np.stack([sets(scores, p_values) for p_values in (drawn, *weighted)], axis=1)
        is_held = ((low <= best) & (high >= worst)).all(axis=1)
        figures.append(np.stack([is_held, (high - low + 1).mean(axis=1)], axis=1))
    return np.asarray(np.mean(figures, axis=0))


HEAD = """# Rank sets: documents drawn, or weighted at random

Written by `rank_signs.py`: {samples:,} samples per line, {draws} draws, seed {seed}. The populations are
those of [RANKS.md](RANKS.md). *Held*: share of samples, in %, in which the sets of all systems contain all
true ranks; the nominal value is 95 %. *Size*: mean number of ranks in a set.

*Drawn* is the method of `rank_sets`: it draws documents with replacement. The other methods multiply each
document's deviations from the observed differences by a random weight, the same for all systems: a sign, one
of Webb's six weights, or one of Mammen's two, which keep the skewness. The statistic and the step-down method
are the same.

| population | documents | drawn: held | size | {columns} |
| --- | ---: | ---: | ---: | {ruler} |
"""


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page; nothing is gated."""
    samples = SAMPLES // 10 if quick else SAMPLES
    columns = " | ".join(f"{name}: held | size" for name in WEIGHTS)
    ruler = " | ".join(["---:"] * 2 * len(WEIGHTS))
    text = HEAD.format(samples=samples, draws=DRAWS, seed=seed, columns=columns, ruler=ruler)
    for population in populations():
        for documents in population.documents:
            methods = simulate(population, documents, samples, seed)
            cells = " | ".join(f"{100 * held:.1f} | {size:.2f}" for held, size in methods)
            text += f"| {population.name} | {documents} | {cells} |\n"
            gates.say(text.splitlines()[-1])
    return text, []


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261126).parse_args(), PAGE))
