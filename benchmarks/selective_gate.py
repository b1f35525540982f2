"""
Coverage of the areas under risk-coverage curves, and how often the guarantee of certified thresholds fails.

    python benchmarks/selective_gate.py           # writes SELECTIVE.md beside this file
    python benchmarks/selective_gate.py --samples 100 --page /tmp/selective.md

The loss of a row has the mean c h³, where h is its hardness, uniform on [0, 1]. The confidence is 1 - h, or a
coarser, useless or reversed form of it, so the true risk at each threshold is known. Hardness and losses are
correlated within documents. The script ends with an error if a guarantee fails more often than 1 minus its
confidence plus three standard errors, if an interval in documents of 20 rows covers less than 93 %
(minus three), or if less is accepted in the plain population than 0.8 of what is possible.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np
from scipy.special import ndtr, ndtri

from anls_frame.statistics import RiskCoverage, difference_of_augrc

PAGE = Path(__file__).with_name("SELECTIVE.md")
SEED = 20261126
SLOPE = 0.48
"""c: the mean loss is a quarter of it."""
TARGETS = (0.01, 0.02, 0.05, 0.1)
DOCUMENTS = (20, 50, 112, 400)
CERTIFIED_DOCUMENTS = (20, 112, 400)
SIZES = {"1 row": (1, 1), "4 rows": (4, 4), "20 rows": (20, 20), "1 to 200 rows, few of them large": (1, 200)}
CORRELATIONS = (0.6, 0.3, 0.0)
KINDS = ("fine", "two decimals", "40 % say 1.0", "useless", "reversed")
NOISE = 0.3
GUARANTEED = 0.9
LEAST = 0.93
ROWS_OF_GATE = 10
"""Rows of a document from which on intervals must cover as much."""
WITH_INTERVAL = 20.0
PLAIN = ("plain: fine, 14 rows, correlation 0.3", (14, 14), 0.3, "fine", False)


class Population(NamedTuple):
    """Where samples of documents come from."""

    sizes: tuple[int, int]
    correlation: float
    kind: str
    is_graded: bool
    slope: float = SLOPE
    """c; the mean loss of all rows is a quarter."""

    def confidence(self, hardness: np.ndarray, other: np.ndarray) -> np.ndarray:
        """Return the confidence; a useless one knows only the other number."""
        sure = 1 - hardness
        if self.kind == "two decimals":
            return sure.round(2)
        if self.kind == "40 % say 1.0":
            return np.where(sure >= 0.6, 1.0, np.floor(10 * sure) / 10)
        return {"fine": sure, "useless": other, "reversed": hardness}[self.kind]

    def loss(self, hardness: np.ndarray) -> np.ndarray:
        """Return the mean loss of rows; the same for all of them if the confidence is useless."""
        return self.slope * (hardness**3 if self.kind != "useless" else np.full_like(hardness, 0.25))

    def truth(self) -> RiskCoverage:
        """Return rows that stand for the whole population, with their mean losses."""
        hardness = (np.arange(200_000) + 0.5) / 200_000
        return RiskCoverage.of(self.confidence(hardness, hardness), self.loss(hardness))

    def truth_with_noise(self) -> RiskCoverage:
        """Return the same with a fine confidence that has the noise of `sample`."""
        hardness = np.repeat((np.arange(2000) + 0.5) / 2000, 200)
        noise = np.tile(NOISE * ndtri((np.arange(200) + 0.5) / 200), 2000)
        return RiskCoverage.of(1 - hardness + noise, self.loss(hardness))

    def sample(self, documents: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Draw documents: confidence, loss and document of each row, and a noisy confidence."""
        low, high = self.sizes
        rows = np.full(documents, low)
        if high > low:
            # Few of them are large: n^-1.5.
            weight = np.arange(low, high + 1.0) ** -1.5
            rows = random.choice(np.arange(low, high + 1), documents, p=weight / weight.sum())
        document = np.repeat(np.arange(documents), rows)

        def uniform() -> np.ndarray:
            shared, own = random.normal(size=documents)[document], random.normal(size=len(document))
            mixed = np.sqrt(self.correlation) * shared + np.sqrt(1 - self.correlation) * own
            return np.asarray(ndtr(mixed))

        hardness, luck, other = uniform(), uniform(), uniform()
        mean = self.loss(hardness)
        loss = (luck < mean).astype(float)
        if self.is_graded:
            loss = (luck < 2 * mean) * random.random(len(mean))
        noise = random.normal(0, NOISE, len(mean))
        return self.confidence(hardness, other), loss, document, 1 - hardness + noise


class Truth(NamedTuple):
    """The true risk at each coverage."""

    confidence: np.ndarray
    """Ascending, with the sign changed."""
    risk: np.ndarray

    @classmethod
    def of(cls, population: Population) -> Truth:
        rows = population.truth()
        return cls(-rows.confidence, np.cumsum(rows.loss) / np.arange(1, rows.n + 1))

    def at(self, threshold: float) -> float:
        """Return the risk of a threshold; 0 if nothing is accepted."""
        accepted = np.searchsorted(self.confidence, -threshold, side="right")
        return float(self.risk[accepted - 1]) if accepted else 0.0

    def possible(self, target: float) -> float:
        """Return the largest coverage with this risk."""
        return float(np.flatnonzero(self.risk <= target)[-1:].sum() + 1) / len(self.risk)


class Failures(NamedTuple):
    """Shares of samples, and the mean share of accepted rows."""

    failed: float
    naive_failed: float
    accepted: float
    possible: float


def guarantee_failures(
    population: Population, documents: int, targets: tuple[float, ...], samples: int
) -> list[Failures]:
    """Return what becomes of the certified and of the naive threshold at each target."""
    random = generator(population, documents)
    truth = Truth.of(population)
    failed, naive_failed, accepted = np.zeros((3, len(targets), samples))
    for place in range(samples):
        confidence, loss, document, _ = population.sample(documents, random)
        ranked = RiskCoverage.of(confidence, loss, document)
        thresholds = ranked.thresholds()
        observed = ranked.accepted(thresholds).risk
        for row, target in enumerate(targets):
            found = ranked.certified(target, GUARANTEED)
            if found.status == "certified":
                failed[row, place] = truth.at(found.threshold) > target * (1 + 1e-3)
                accepted[row, place] = (confidence >= found.threshold).mean()
            naive = thresholds[observed <= target]
            if len(naive):
                naive_failed[row, place] = truth.at(naive[-1]) > target * (1 + 1e-3)
    return [
        Failures(
            failed[row].mean(),
            naive_failed[row].mean(),
            accepted[row].mean(),
            truth.possible(target),
        )
        for row, target in enumerate(targets)
    ]


def coverage(population: Population, documents: int, samples: int) -> dict[str, float]:
    """Return the coverage of both areas and of a difference, and the share of samples with intervals."""
    random = generator(population, documents)
    truth = population.truth()
    noisy = population.truth_with_noise().augrc
    areas: dict[Literal["augrc", "aurc"], float] = {"augrc": truth.augrc, "aurc": truth.aurc}
    covers: dict[str, list[bool]] = {name: [] for name in (*areas, "difference")}
    for _ in range(samples):
        confidence, loss, document, second = population.sample(documents, random)
        ranked = RiskCoverage.of(confidence, loss, document)
        if ranked.documents < WITH_INTERVAL - 1e-9:
            continue
        for name, value in areas.items():
            low, high = ranked.interval(name, 0.95)
            covers[name].append(low <= value <= high)
        change = difference_of_augrc(ranked, RiskCoverage.of(second, loss, document), 0.95)
        covers["difference"].append(change.low <= noisy - truth.augrc <= change.high)
    count = len(covers["augrc"])
    of_names = {name: float(np.mean(values)) if count else np.nan for name, values in covers.items()}
    return {**of_names, "with_interval": count / samples, "count": count}


def generator(population: Population, documents: int) -> np.random.Generator:
    """Return the generator of a cell, which no other cell changes."""
    return np.random.default_rng([SEED, *repr(population).encode(), documents])


def error_of(share: float, samples: int) -> float:
    """Return the standard error of a guaranteed share."""
    return float(np.sqrt(share * (1 - share) / samples))


def certified_lines(
    samples: int, failures: list[str], sizes_of: Mapping[str, tuple[int, int]] = SIZES
) -> list[str]:
    """Return the worst population for each size, number of documents and target."""
    lines = []
    limit = 1 - GUARANTEED + 3 * error_of(GUARANTEED, samples)
    for (name, sizes), documents in itertools.product(sizes_of.items(), CERTIFIED_DOCUMENTS):
        cells: dict[float, list[tuple[Failures, str]]] = {target: [] for target in TARGETS}
        # A single row has nothing to be correlated with.
        correlations = CORRELATIONS if sizes[1] > 1 else (0.0,)
        kinds = [*((kind, False) for kind in KINDS), ("fine", True)]
        for correlation, (kind, is_graded) in itertools.product(correlations, kinds):
            where = f"{kind}, {'graded' if is_graded else 'right or wrong'}, {correlation:g}"
            population = Population(sizes, correlation, kind, is_graded)
            if kind == "useless":
                # Every threshold has the same risk, a little above the target.
                for target in TARGETS:
                    near = population._replace(slope=4 * 1.1 * target)
                    cells[target].append((guarantee_failures(near, documents, (target,), samples)[0], where))
                continue
            found = guarantee_failures(population, documents, TARGETS, samples)
            for target, one in zip(TARGETS, found, strict=True):
                cells[target].append((one, where))
        for target, of_target in cells.items():
            worst, where = max(of_target, key=lambda one: one[0].failed)
            naive = max(one.naive_failed for one, _ in of_target)
            fine = next(one for one, _ in of_target)
            lines.append(
                f"| {name} | {documents} | {percent(target)} | {100 * worst.failed:.1f} | "
                f"{where if worst.failed else 'none'} | {100 * naive:.0f} | {fine.accepted:.2f} | "
                f"{fine.possible:.2f} |"
            )
            say(lines[-1])
            failures += [
                f"{name}, {documents}, {target}, {at}: the guarantee fails in {one.failed:.3f}"
                for one, at in of_target
                if one.failed > limit
            ]
    return lines


def coverage_lines(samples: int, failures: list[str]) -> list[str]:
    """Return the coverage of intervals for each size, number of documents and kind of confidence."""
    lines = []
    for (name, sizes), kind, documents in itertools.product(SIZES.items(), KINDS, DOCUMENTS):
        found = coverage(Population(sizes, 0.3, kind, is_graded=False), documents, samples)
        cells = [f"{100 * found[area]:.1f}" for area in ("augrc", "aurc", "difference")]
        few = found["count"] < samples / 2
        shown = ["–"] * 3 if few else cells  # noqa: RUF001 - the dash that stands for "none"
        lines.append(
            f"| {name} | {kind} | {documents} | {' | '.join(shown)} | {100 * found['with_interval']:.0f} % |"
        )
        say(lines[-1])
        floor = LEAST - 3 * error_of(0.95, samples)
        failures += [
            f"{name}, {kind}, {documents}: {area} covers {found[area]:.3f}"
            for area in ("augrc", "aurc")
            if not few and sizes[0] >= ROWS_OF_GATE and found[area] < floor
        ]
    return lines


def plain_lines(samples: int, failures: list[str]) -> list[str]:
    """Return what is accepted in the plain population."""
    lines = []
    for documents in DOCUMENTS:
        every = guarantee_failures(Population(*PLAIN[1:]), documents, TARGETS, samples)
        cells = [f"{one.accepted:.2f} of {one.possible:.2f}" for one in every]
        lines.append(f"| {documents} | {' | '.join(cells)} |")
        say(lines[-1])
        share = every[2].accepted / every[2].possible
        if documents == 112 and share < 0.8:
            failures.append(f"plain, 112 documents, target 5 %: accepts {share:.2f} of what is possible")
    return lines


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:g} %"


def listed(values: tuple[float, ...]) -> str:
    """Return numbers as an enumeration."""
    *first, last = (f"{value:g}" for value in values)
    return f"{', '.join(first)} and {last}"


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def main() -> None:
    """Count all cells and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=300)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    samples: int = options.samples
    failures: list[str] = []
    plain = plain_lines(samples, failures)
    intervals = coverage_lines(samples, failures)
    certified = certified_lines(samples, failures)
    of_guarantee, of_interval = 100 * error_of(GUARANTEED, samples), 100 * error_of(0.95, samples)
    may_fail = percent(round(1 - GUARANTEED, 9))
    targets = " | ".join(f"target {percent(target)}" for target in TARGETS)
    text = f"""# Confidence: intervals and certified thresholds

Written by `selective_gate.py`: seed {SEED}, {samples:,} samples per population. Each row has a hardness h,
uniform on [0, 1], and a mean loss of {SLOPE:g} h³. There are five kinds of confidence:

- *fine*: 1 - h
- *two decimals*: 1 - h, rounded
- *40 % say 1.0*: 1.0 in 40 % of the rows, rounded down to tenths in the others
- *useless*: independent of the loss
- *reversed*: h

Hardness and losses are correlated within documents, through a normal copula. If few documents
are large, the probability of n rows falls as n^-1.5.

## Certified thresholds

A certified threshold guarantees, with {percent(GUARANTEED)} confidence, that the true risk is at most the
target. The guarantee may therefore fail in {may_fail} of the samples; the standard error of this share is
{of_guarantee:.1f} points.

- *Guarantee failed*: share of samples whose true risk is above the target, in the worst population of the
  line.
- *Worst population*: its kind of confidence, its losses (0 or 1, or graded) and its correlation within
  documents, one of {listed(CORRELATIONS)}. With useless confidence, the risk of every threshold is 1.1 times
  the target.
- *Naive failed*: the same share for the laxest threshold whose observed risk meets the target, in the
  population that is worst for it.
- *Accepted*: mean share of rows that the certified threshold accepts, with fine confidence, losses of 0 or 1
  and the strongest correlation.
- *Possible*: the largest share of these rows that can be accepted at the target.

| rows per document | documents | target | guarantee failed, % | worst population | naive failed, % | accepted | possible |
| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |
{chr(10).join(certified)}

Accepted and possible shares with fine confidence, in documents of 14 rows with a correlation of 0.3:

| documents | {targets} |
| ---: | {" | ".join("---:" for _ in TARGETS)} |
{chr(10).join(plain)}

## Intervals

Share of samples, in %, whose 95 % interval contains the area of the population. *Difference*: the same for
the true difference in AUGRC from fine confidence with noise. The standard error is {of_interval:.1f} points.
Losses are 0 or 1, with a correlation of 0.3. Samples worth fewer than {WITH_INTERVAL:g} equal documents have
no interval. *With interval*: share of samples that have one; where fewer than half do, the line has no
figures.

| rows per document | confidence | documents | AUGRC | AURC | difference | with interval |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
{chr(10).join(intervals)}
"""  # noqa: E501 - a line of a table
    options.page.write_text(text, encoding="utf-8")
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
