"""
What `coverage.py` simulates: scores in clusters, corpus rates, comparisons of equal systems.

Each experiment takes a scenario, a number of replications and a random generator, and returns shares.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
import numpy.typing as npt
from scipy import special

from anls_frame import statistics

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

Array: TypeAlias = npt.NDArray[np.float64]
Interval: TypeAlias = tuple[Array, Array]

LEVELS = (0.01, 0.05, 0.1)
"""Levels at which p-values are checked."""

GATED_KINDS = ("ANLS", "0/1", "NLS")

# Scores: each kind is the quantile function of a distribution with the given mean.


def zero_one(mean: float) -> Callable[[Array], Array]:
    """Right or wrong."""
    return lambda u: (u >= 1 - mean).astype(np.float64)


def anls_like(mean: float) -> Callable[[Array], Array]:
    """Mass at 0 and at 1, the rest in [0.5, 1]: what a cut at 0.5 leaves."""
    between = min(0.15, 0.6 * (1 - mean))
    ones = mean - 0.8 * between
    zeros = 1 - ones - between

    def quantile(u: Array) -> Array:
        inner = 0.5 + 0.5 * np.clip((u - zeros) / between, 0, 1) ** (2 / 3)
        return np.where(u < zeros, 0.0, np.where(u >= 1 - ones, 1.0, inner))

    return quantile


def nls_like(mean: float) -> Callable[[Array], Array]:
    """Mass at 1, the rest spread over [0, 1] around 0.4."""
    ones = (mean - 0.4) / 0.6
    return lambda u: np.where(u >= 1 - ones, 1.0, np.clip(u / (1 - ones), 0, 1) ** 1.5)


def inside(mean: float) -> Callable[[Array], Array]:
    """No mass anywhere: a foreign score between 0 and 1."""
    return lambda u: u ** ((1 - mean) / mean)


KINDS = {"ANLS": anls_like, "0/1": zero_one, "NLS": nls_like, "inside": inside}


@functools.cache
def latent_correlation(kind: str, mean: float, icc: float) -> float:
    """Correlation of the normal copula that gives scores of one cluster the intraclass correlation."""
    if icc == 0:
        return 0.0
    quantile = KINDS[kind](mean)
    fine = quantile((np.arange(20_000) + 0.5) / 20_000)
    z = special.ndtri((np.arange(400) + 0.5) / 400)
    low, high = 0.0, 0.999
    for _ in range(25):
        rho = (low + high) / 2
        expected = quantile(special.ndtr(math.sqrt(rho) * z[:, None] + math.sqrt(1 - rho) * z)).mean(axis=1)
        low, high = (rho, high) if expected.var() < icc * fine.var() else (low, rho)
    return rho


@dataclass(frozen=True)
class Scenario:
    """Scores of one kind in clusters; `rows` = 1 means no clusters."""

    kind: str
    mean: float
    units: int
    rows: int = 1
    equal: bool = True
    icc: float = 0.0

    def sizes(self) -> npt.NDArray[np.int64]:
        """Rows of each cluster; unequal: log-normal with sigma 1, the largest of 20 a fifth of all."""
        weights = np.exp((0 if self.equal else 1) * special.ndtri((np.arange(self.units) + 0.5) / self.units))
        sizes = np.maximum(1, np.round(self.rows * self.units * weights / weights.sum()))
        return np.asarray(sizes, np.int64)

    def is_gated(self) -> bool:
        """Whether the interval has to keep its coverage here."""
        enough = self.units >= (30 if self.rows == 1 else 10) and self.units * self.rows >= 30
        return self.kind in GATED_KINDS and enough and self.equal and self.icc <= 0.3

    def draw(self, replications: int, random: np.random.Generator) -> Array:
        """Scores, one replication a row."""
        quantile, sizes = KINDS[self.kind](self.mean), self.sizes()
        if self.icc == 0:
            return quantile(random.random((replications, sizes.sum())))
        rho = latent_correlation(self.kind, self.mean, self.icc)
        common = np.repeat(random.standard_normal((replications, self.units)), sizes, axis=1)
        own = random.standard_normal((replications, sizes.sum()))
        return quantile(special.ndtr(math.sqrt(rho) * common + math.sqrt(1 - rho) * own))


@dataclass(frozen=True)
class Sums:
    """What a report knows of a slice, for each replication."""

    units: float
    n: float
    x: Array
    xx: Array
    xy: Array
    yy: float
    squares: Array

    def moments(self) -> dict[str, Array | float]:
        """Arguments of `ratio_variance`, but for the units."""
        return {"sum_x": self.x, "sum_y": self.n, "sum_xx": self.xx, "sum_xy": self.xy, "sum_yy": self.yy}


def add_up(scenario: Scenario, replications: int, random: np.random.Generator) -> Sums:
    sizes = scenario.sizes()
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    parts = []
    for count in batches(replications, int(sizes.sum())):
        scores = scenario.draw(count, random)
        totals = np.add.reduceat(scores, starts, axis=1)
        parts.append((totals.sum(1), (totals**2).sum(1), (totals * sizes).sum(1), (scores**2).sum(1)))
    x, xx, xy, squares = (np.concatenate(part) for part in zip(*parts, strict=True))
    return Sums(scenario.units, float(sizes.sum()), x, xx, xy, float((sizes**2).sum()), squares)


def batches(total: int, width: int) -> Iterable[int]:
    """Numbers that add up to the total, so that none has more than two million rows to draw."""
    step = max(1, 2_000_000 // width)
    return (min(step, total - start) for start in range(0, total, step))


# Intervals: what the reports use, and what was tried beside it.


def in_reports(sums: Sums) -> Interval:
    units = statistics.effective_units(sums.n, sums.yy)
    variance = statistics.ratio_variance(units, **sums.moments())
    return statistics.wilson_interval(sums.x / sums.n, variance, sums.n, units, sum_squares=sums.squares)


def plain_wilson(sums: Sums) -> Interval:
    """Wilson for min(n, m(1 - m)/v) rows and t(G - 1), the number of units where v = 0."""
    mean = np.clip(sums.x / sums.n, 0, 1)
    variance = statistics.ratio_variance(sums.units, **sums.moments())
    spread = variance > 0
    size = np.where(
        spread, np.minimum(sums.n, mean * (1 - mean) / np.where(spread, variance, 1.0)), sums.units
    )
    inverse = statistics.t_quantile(0.975, sums.units - 1) ** 2 / size
    half = np.sqrt(inverse * (mean * (1 - mean) + inverse / 4))
    return (mean + inverse / 2 - half) / (1 + inverse), (mean + inverse / 2 + half) / (1 + inverse)


def student(sums: Sums) -> Interval:
    variance = statistics.ratio_variance(sums.units, **sums.moments())
    return statistics.t_interval(sums.x / sums.n, variance, sums.units)


def bounded_student(sums: Sums) -> Interval:
    """Student's t with a pseudo-row at 0 and one at 1."""
    mean = (sums.x + 1) / (sums.n + 2)
    variance = statistics.ratio_variance(
        sums.units + 2, sums.x + 1, sums.n + 2, sums.xx + 1, sums.xy + 1, sums.yy + 2
    )
    half = statistics.t_quantile(0.975, sums.units - 1) * np.sqrt(variance)
    return mean - half, mean + half


INTERVALS = {
    "in the reports": in_reports,
    "plain Wilson": plain_wilson,
    "bounded t": bounded_student,
    "t": student,
}


@dataclass(frozen=True)
class Coverage:
    """Share of intervals that cover, and their mean width within [0, 1], by kind of interval."""

    scenario: Scenario
    covered: dict[str, float]
    width: dict[str, float]


def cover(scenario: Scenario, replications: int, random: np.random.Generator) -> Coverage:
    sums = add_up(scenario, replications, random)
    covered, width = {}, {}
    for name, interval in INTERVALS.items():
        low, high = interval(sums)
        covered[name] = share((low <= scenario.mean + 1e-12) & (high >= scenario.mean - 1e-12))
        width[name] = float((np.clip(high, 0, 1) - np.clip(low, 0, 1)).mean())
    return Coverage(scenario, covered, width)


def share(hits: npt.NDArray[np.bool_]) -> float:
    return float(hits.mean())


# Corpus rates: errors by length.


@dataclass(frozen=True)
class Corpus:
    """Rows with lengths and errors; a cluster multiplies the rates of its rows."""

    rate: float
    clean: float
    units: int
    rows: int = 1
    variation: float = 0.0


def cover_rate(corpus: Corpus, replications: int, random: np.random.Generator) -> tuple[Corpus, float]:
    """Coverage of `ratio_interval`."""
    hits = []
    for count in batches(replications, corpus.units * corpus.rows):
        shape = (count, corpus.units, corpus.rows)
        length = np.maximum(1, np.round(random.lognormal(3.0, 0.8, shape)))
        rate = random.gamma(1.5, corpus.rate / (1 - corpus.clean) / 1.5, shape)
        rate *= random.random(shape) >= corpus.clean
        if corpus.variation:
            form = 1 / corpus.variation**2
            rate *= random.gamma(form, 1 / form, (count, corpus.units, 1))
        x, y = random.poisson(length * rate).sum(axis=2).astype(np.float64), length.sum(axis=2)
        errors, total = x.sum(1), y.sum(1)
        units = statistics.effective_units(total, (y * y).sum(1))
        variance = statistics.ratio_variance(
            units, errors, total, (x * x).sum(1), (x * y).sum(1), (y * y).sum(1)
        )
        low, high = statistics.ratio_interval(errors, total, variance, units)
        hits.append((low <= corpus.rate) & (corpus.rate <= high))
    return corpus, share(np.concatenate(hits))


# Tests: two systems of equal quality on the same rows.


def draw_differences(scenario: Scenario, count: int, random: np.random.Generator) -> Array:
    """Differences by row of two equal systems: documents and rows are hard for both, or for one of them."""
    quantile, sizes = KINDS[scenario.kind](scenario.mean), scenario.sizes()
    shared = math.sqrt(0.2) * np.repeat(random.standard_normal((count, scenario.units)), sizes, axis=1)
    shared += math.sqrt(0.2) * random.standard_normal(shared.shape)

    def system() -> Array:
        on_document = np.repeat(random.standard_normal((count, scenario.units)), sizes, axis=1)
        own = math.sqrt(0.3) * on_document + math.sqrt(0.3) * random.standard_normal(shared.shape)
        return quantile(special.ndtr(shared + own))

    return system() - system()


@dataclass(frozen=True)
class Validity:
    """Shares of p-values at most as large as each level."""

    scenario: Scenario
    shares: dict[str, list[float]]


def validate(scenario: Scenario, replications: int, random: np.random.Generator) -> Validity:
    sizes = scenario.sizes()
    starts = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    flips, tests = [], []
    units = statistics.effective_units(sizes.sum(), (sizes**2).sum())
    for count in batches(replications, int(sizes.sum())):
        sums = np.add.reduceat(draw_differences(scenario, count, random), starts, axis=1)
        flips += [statistics.sign_flip(row, seed=int(random.integers(2**32))) for row in sums]
        x, n = sums.sum(axis=1), sizes.sum()
        variance = statistics.ratio_variance(
            units, x, n, (sums**2).sum(axis=1), (sums * sizes).sum(axis=1), (sizes**2).sum()
        )
        tests.append(statistics.t_test(x / n, variance, units))
    found = {"sign-flip": np.array(flips), "t": np.concatenate(tests)}
    return Validity(scenario, {name: [share(p <= level) for level in LEVELS] for name, p in found.items()})


def family_wise(replications: int, random: np.random.Generator) -> dict[str, list[float]]:
    """Shares of comparisons with any of 20 overlapping slices at most each level after Holm's correction."""
    scenario, slices = Scenario("ANLS", 0.85, 30, 20), 20
    least: dict[str, list[float]] = {"sign-flip": [], "t": []}
    for _ in range(replications):
        differences = draw_differences(scenario, 1, random)[0].reshape(scenario.units, scenario.rows)
        members = random.random((slices, *differences.shape)) < 0.15
        sums, sizes = (members * differences).sum(axis=2), members.sum(axis=2)
        n, yy = sizes.sum(axis=1), (sizes**2).sum(axis=1)
        units = statistics.effective_units(n, yy)
        variance = statistics.ratio_variance(
            units, sums.sum(axis=1), n, (sums**2).sum(axis=1), (sums * sizes).sum(axis=1), yy
        )
        seed = int(random.integers(2**32))
        p_values: dict[str, npt.ArrayLike] = {
            "sign-flip": [statistics.sign_flip(row, seed=seed) for row in sums],
            "t": statistics.t_test(sums.sum(axis=1) / n, variance, units),
        }
        for name, values in p_values.items():
            least[name].append(float(statistics.holm(values).min()))
    return {name: [share(np.array(p) <= level) for level in LEVELS] for name, p in least.items()}
