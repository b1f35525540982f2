"""
Level and power of the tests of three or more systems in several metrics, by simulation.

`many_systems_gate.py` writes the table. Every sample is tested twice: with the largest statistic of all
metrics as it is, and with that of each metric divided by its scale, as comparisons do.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import gates
import numpy as np
import numpy.typing as npt
from populations import Array, Random, heavy_tail
from scipy import special
from significance_gate import ALPHA, ERRORS_ALLOWED, error

from anls_frame import statistics

DRAWS = 999
FEWEST = 20
"""From this many documents on, a figure is gated."""
DOCUMENTS = (20, 50, 112)

Sums = tuple[Array, Array]
"""Numerators by document and system, and denominators."""


@dataclass(frozen=True)
class Sample:
    """The sums of a sample in each metric, which slice each document is in, and the systems that differ."""

    metrics: list[Sums]
    slice_of: npt.NDArray[np.int64]
    better: tuple[int, ...] = ()
    """The metrics in which the first system is better than the others."""
    worse: tuple[int, ...] = ()
    """The metrics in which the last system is worse than the others; these pairs are not counted."""
    is_of_first: bool = False
    """Whether systems differ in the first slice only."""


@dataclass(frozen=True)
class Population:
    """Documents to draw samples of."""

    name: str
    systems: int
    draw: Callable[[Random, int, int], Sample]
    gated: bool = True
    documents: tuple[int, ...] = DOCUMENTS


def unsliced(metrics: list[Sums], better: tuple[int, ...] = (), worse: tuple[int, ...] = ()) -> Sample:
    """Return a sample without slices."""
    return Sample(metrics, np.zeros(len(metrics[0][0]), np.int64), better, worse)


def right_answers(
    random: Random, n: Array, systems: int, effect: float = 0.0, *, difficulty: Array | None = None
) -> Sums:
    """Draw right answers: documents are more or less difficult, and the first system has an effect."""
    shape = len(n), systems
    if difficulty is None:
        difficulty = random.normal(0.9, 0.5, (len(n), 1)) + random.normal(0, 0.4, shape)
    quality = difficulty.copy()
    quality[:, 0] += effect
    rows = n[:, None].astype(np.int64)
    return random.binomial(rows, special.ndtr(quality)).astype(np.float64), n[:, None]


def accuracies(
    *, is_alike: bool = False, has_tail: bool = False, heavy: int = 0, effect: float = 0.0
) -> Callable[[Random, int, int], Sample]:
    """Five metrics: right answers to the same questions or to others; some have a lognormal tail instead."""

    def draw(random: Random, documents: int, systems: int) -> Sample:
        n = heavy_tail((1, documents), random)[0] if has_tail else np.full(documents, 10)
        n = n.astype(np.float64)
        difficulty = None
        if is_alike:
            difficulty = random.normal(0.9, 0.5, (documents, 1))
            difficulty = difficulty + random.normal(0, 0.4, (documents, systems))
        first = right_answers(random, n, systems, effect, difficulty=difficulty)
        others = [right_answers(random, n, systems, difficulty=difficulty) for _ in range(4 - heavy)]
        once = np.ones((documents, 1))
        tails = [(random.lognormal(0, 2.5, (documents, systems)), once) for _ in range(heavy)]
        return unsliced([first, *others, *tails], better=(0,) if effect else ())

    return draw


def speech(*, invented: float = 0.0, effect: float = 0.0) -> Callable[[Random, int, int], Sample]:
    """
    Errors of words in utterances: substitutions, deletions, insertions, all, and utterances with an error.

    Of all systems, a share of utterances has 100 to 300 inserted words. With an effect, the first system
    substitutes fewer words, and only the last one has such an utterance, a single one.
    """

    def draw(random: Random, documents: int, systems: int) -> Sample:
        words = random.integers(5, 30, (documents, 1))
        hard = random.gamma(2, 0.5, (documents, 1)) * random.lognormal(0, 0.4, (documents, systems))
        better = np.where(np.arange(systems) == 0, 1 - effect, 1.0)
        substituted = random.binomial(words, np.minimum(0.07 * hard * better, 0.9))
        deleted = random.binomial(words, np.minimum(0.02 * hard, 0.5))
        inserted = random.poisson(0.02 * hard * words)
        has_more = random.random((documents, systems)) < invented
        if effect:
            has_more = np.zeros_like(has_more)
            has_more[random.integers(documents), -1] = True
        inserted += has_more * random.integers(100, 301, (documents, systems))
        errors = substituted + deleted + inserted
        counts = (substituted, deleted, inserted, errors)
        rates: list[Sums] = [(count.astype(np.float64), words.astype(np.float64)) for count in counts]
        wrong = ((errors > 0).astype(np.float64), np.ones((documents, 1)))
        if not effect:
            return unsliced([*rates, wrong])
        return unsliced([*rates, wrong], better=(0, 3, 4), worse=(2, 3, 4))

    return draw


def sliced(*, effect: float = 0.0, invented: float = 0.0) -> Callable[[Random, int, int], Sample]:
    """Right answers, and these with invented texts that count 100 to 300, in 20 slices of unequal size."""

    def draw(random: Random, documents: int, systems: int) -> Sample:
        share = 1 / np.arange(1, 21)
        slice_of = random.choice(20, documents, p=share / share.sum())
        n = np.full(documents, 10.0)
        difficulty = random.normal(0.9, 0.5, (documents, 1)) + random.normal(0, 0.4, (documents, systems))
        difficulty[slice_of == 0, 0] += effect
        right, rows = right_answers(random, n, systems, difficulty=difficulty)
        tail = (random.random(right.shape) < invented) * random.integers(100, 301, right.shape)
        metrics = [(right, rows), (np.asarray(np.where(right > 7, right, 0) + tail, np.float64), rows)]
        return Sample(metrics, slice_of, better=(0, 1) if effect else (), is_of_first=True)

    return draw


def whole_documents(*, are_shared: bool, slices: int = 1) -> Callable[[Random, int, int], Sample]:
    """Three metrics: every second system loses one document in ten as a whole, the others single rows."""

    def draw(random: Random, documents: int, systems: int) -> Sample:
        n = np.full((documents, 1), 10)
        lost = []
        for _ in range(1 if are_shared else 3):
            whole = 10 * (random.random((documents, systems)) < 0.1)
            lost.append(np.where(np.arange(systems) % 2, whole, random.binomial(n, 0.1, whole.shape)))
        if are_shared:
            lost += [random.binomial(lost[0], 0.6), random.poisson(2 * lost[0])]
        metrics = [(one.astype(np.float64), n.astype(np.float64)) for one in lost]
        return Sample(metrics, random.integers(0, slices, documents))

    return draw


def populations() -> Iterator[Population]:
    """All populations: equal systems, systems of which one differs, systems that fail differently."""
    for systems, documents in ((3, (12, *DOCUMENTS)), (10, (20, 112))):
        alike = accuracies(is_alike=True)
        yield Population("five metrics of the same answers", systems, alike, documents=documents)
        yield Population("five metrics of other answers", systems, accuracies(), documents=documents)
    tailed = accuracies(has_tail=True)
    yield Population("five of other answers, 1 to 200 rows", 3, tailed)
    yield Population("two of five with a tail", 3, accuracies(heavy=2))
    yield Population("errors of words", 3, speech(), documents=(20, 112))
    for systems in (3, 5):
        yield Population("errors of words, some invented", systems, speech(invented=0.02))
    yield Population("20 slices", 3, sliced(), documents=(112,))
    yield Population("20 slices, some invented", 3, sliced(invented=0.02), documents=(112,))
    differs = "A ≠ B = C in one metric"
    yield Population(differs, 3, accuracies(effect=0.6), documents=(20, 50))
    yield Population(f"{differs}, two with a tail", 3, accuracies(effect=0.6, heavy=2), documents=(20, 50))
    differs = "A ≠ B = C = D in errors of words, one invented"
    yield Population(differs, 4, speech(effect=0.3), documents=(112, 400))
    differs = "A ≠ B = C in one of 20 slices"
    yield Population(differs, 3, sliced(effect=1.0), documents=(112,))
    invented = sliced(effect=1.0, invented=0.02)
    yield Population(f"{differs}, some invented", 3, invented, documents=(112,))
    for systems in (3, 5):
        lost = whole_documents(are_shared=True)
        yield Population("whole documents lost, in all metrics", systems, lost, gated=False)
    lost = whole_documents(are_shared=True, slices=4)
    yield Population("whole documents lost, 4 slices", 3, lost, gated=False, documents=(80, 200))
    lost = whole_documents(are_shared=False)
    yield Population("whole documents lost, others in each metric", 3, lost, gated=False)


def tested(sample: Sample) -> tuple[statistics.SystemSums, npt.NDArray[np.int64], list[bool]]:
    """Return the sums of a sample, the metric of each group, and whether a group's systems differ."""
    parts, is_first = [], []
    metrics: list[int] = []
    for metric, (x, y) in enumerate(sample.metrics):
        for number in range(int(sample.slice_of.max()) + 1):
            unit = np.flatnonzero(sample.slice_of == number)
            parts.append((unit, np.full(len(unit), len(metrics)), x[unit], y[unit]))
            metrics.append(metric)
            is_first.append(number == 0)
    unit, group, x, y = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    once = np.ones(len(sample.slice_of), np.int64)
    sums = statistics.SystemSums(unit, group, x, y, once, len(metrics))
    return sums, np.array(metrics, np.int64), is_first


def simulate(population: Population, documents: int, samples: int, seed: int) -> list[list[float]]:
    """Return how often equal systems are called different, and others are; together and by metric."""
    name = f"{population.name} {population.systems}"
    random = np.random.default_rng((seed, documents, *name.encode()))
    pairs = np.array(list(itertools.combinations(range(population.systems), 2)))
    wrong: list[list[bool]] = [[], []]
    found: list[list[float]] = [[], []]
    for number in range(samples):
        sample = population.draw(random, documents, population.systems)
        sums, metrics, is_first = tested(sample)
        is_better = np.isin(metrics, sample.better) & (np.array(is_first) | (not sample.is_of_first))
        differs = is_better[:, None] & (pairs[:, 0] == 0)
        counted = ~(np.isin(metrics, sample.worse)[:, None] & (pairs[:, 1] == population.systems - 1))
        for way, of_group in enumerate((0 * metrics, metrics)):
            of_way = replace(sums, metric=of_group)
            p = statistics.pairwise(of_way, pairs, draws=DRAWS, seed=number).p_adjusted
            wrong[way].append(bool((p[counted & ~differs] <= ALPHA).any()))
            if differs.any():
                found[way].append(float(np.mean(p[counted & differs] <= ALPHA)))
    return [[float(np.mean(shares)) for shares in ways if shares] for ways in (wrong, found)]


HEAD = """{samples:,} samples per line, {draws} draws, seed {seed}. Checked figures may exceed 0.05 by
{allowed} standard errors of the simulation, {room:.3f}.

- *As one*: the statistics of all metrics are compared as they are, as if all were slices in one metric.
- *By metric*: those of each metric are divided by its scale, as `pairwise` does if it knows the metrics.
- *Equal called different*: share of samples in which any two equal systems have a `p_adjusted` of 0.05 or
  less, in any metric or slice.
- *Found*: share of the pairs of unequal systems with a `p_adjusted` of 0.05 or less.

Metrics *of the same answers* share the difficulty of documents; those *of other answers* are independent. A
*tail* is lognormal: the standard deviation of the logarithm is 2.5. *Errors of words* are substitutions,
deletions, insertions, all of them, and utterances with an error; with *some invented*, 2 % of the utterances
have 100 to 300 inserted words. With *one invented*, the first system substitutes fewer words, and a single
utterance of the last system has inserted words; pairs with the last system are not counted in what these
words change. If *whole documents* are *lost*, every second system loses one document in ten, and the others
as many single rows. Those systems have equal means but are not exchangeable, and are not checked; neither are
lines with fewer than 20 documents.

| population | systems | documents | equal called different: as one | by metric | found: as one | by metric |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |"""


def table(samples: int, seed: int) -> tuple[str, list[str]]:
    """Return the table as Markdown, and what is outside its bounds."""
    room = ERRORS_ALLOWED * error(ALPHA, samples)
    lines = [HEAD.format(samples=samples, draws=DRAWS, seed=seed, allowed=ERRORS_ALLOWED, room=room)]
    missed: list[str] = []
    for population in populations():
        for documents in population.documents:
            wrong, found = simulate(population, documents, samples, seed)
            shares = " | ".join(f"{100 * share:.0f} %" for share in found) or "|"
            called = " | ".join(f"{share:.3f}" for share in wrong)
            lines.append(f"| {population.name} | {population.systems} | {documents} | {called} | {shares} |")
            gates.say(lines[-1])
            if population.gated and documents >= FEWEST and wrong[1] > ALPHA + room:
                missed.append(f"equal systems called different in {wrong[1]:.3f}: {lines[-1]}")
    return "\n".join(lines), missed
