"""
Coverage of the areas under risk-coverage curves, and how often the guarantee of certified thresholds fails.

    python benchmarks/selective_gate.py           # writes SELECTIVE.md beside this file
    python benchmarks/selective_gate.py --quick       # prints the page of a tenth of the samples

The loss of a row has the mean c h³, where h is its hardness, uniform on [0, 1]. The confidence is 1 - h, or a
coarser, useless or reversed form of it, so the true risk at each threshold is known. Hardness and losses are
correlated within documents. In other populations, some documents fail whole. The script ends with an error if

- a guarantee fails more often than 1 minus its confidence plus three standard errors, or, where whole
  failures are the surest documents, in more than 12 %;
- `holds` errs more often than `HELD` allows, with or without a mark;
- an interval in documents of 20 rows covers less than 93 % (minus three standard errors);
- a plain population accepts three points less than `ACCEPTED` says.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Literal, NamedTuple, Protocol

import gates
import numpy as np
from scipy.special import ndtr, ndtri

from anls_frame.statistics import RiskCoverage, difference_of_augrc
from anls_frame.statistics.risk_coverage import STEPS, Accepted

PAGE = Path(__file__).with_name("SELECTIVE.md")
SEED = 20261126
SLOPE = 0.48
"""c: the mean loss is a quarter of it."""
TARGETS = (0.01, 0.02, 0.05, 0.1)
DOCUMENTS = (20, 50, 112, 400)
CERTIFIED_DOCUMENTS = (20, 112, 400)
SIZES = {"1 row": (1, 1), "4 rows": (4, 4), "20 rows": (20, 20), "1 to 200 rows, few of them large": (1, 200)}
KINDS = ("fine", "two decimals", "40 % say 1.0", "useless", "reversed")
CERTIFIED_KINDS = {
    0.6: (*((kind, False) for kind in KINDS), ("fine", True)),
    0.3: (("fine", False), ("useless", False)),
}
"""Kinds of confidence, and whether losses are graded, by the correlation within documents."""
NOISE = 0.3
GUARANTEED = (0.9, 0.95)
SUREST_FAIL = 0.12
"""How often a guarantee may fail where the documents that fail whole are the most confident ones."""
SAMPLES = 1_000
"""Samples of a population, a tenth of them in a quick run."""
HELD = {0.9: (0.15, 0.4), 0.95: (0.1, 0.3)}
"""
How often `holds` may err at a confidence: without a mark, and at all.

More than 1 minus the confidence, because the bounds are those of Wilson intervals: they err as often as they
should over many risks, but more often at some of them. Large documents that fail whole are marked.
"""
ACCEPTED: dict[tuple[int, int, float], tuple[float, ...]] = {
    (14, 20, 0.9): (0.0, 0.0, 0.28, 0.73),
    (14, 50, 0.9): (0.0, 0.11, 0.61, 0.85),
    (14, 60, 0.9): (0.0, 0.19, 0.64, 0.86),
    (14, 60, 0.95): (0.0, 0.0, 0.55, 0.84),
    (14, 112, 0.9): (0.08, 0.36, 0.68, 0.88),
    (14, 112, 0.95): (0.0, 0.2, 0.65, 0.87),
    (14, 150, 0.9): (0.15, 0.45, 0.69, 0.89),
    (14, 150, 0.95): (0.0, 0.31, 0.67, 0.88),
    (14, 400, 0.9): (0.38, 0.51, 0.71, 0.91),
    (1, 60, 0.9): (0.0, 0.0, 0.1, 0.6),
    (1, 60, 0.95): (0.0, 0.0, 0.0, 0.05),
    (1, 112, 0.9): (0.0, 0.0, 0.31, 0.74),
    (1, 112, 0.95): (0.0, 0.0, 0.0, 0.58),
    (1, 150, 0.9): (0.0, 0.01, 0.5, 0.79),
    (1, 150, 0.95): (0.0, 0.0, 0.04, 0.71),
}
"""
Shares that were accepted at each target when the target said where tests start.

By rows of a document, number of documents and confidence.

Those tests accepted less at some higher targets than at lower ones, and failed where documents fail whole. At
90 %, their bounds of single rows without a loss were too small.
"""
LEAST = 0.93
ROWS_OF_GATE = 10
"""Rows of a document from which on intervals must cover as much."""
WITH_INTERVAL = 20.0
PLAIN_DOCUMENTS = (20, 50, 60, 112, 150, 400)


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

    def risk_at(self, thresholds: np.ndarray) -> np.ndarray:
        """Return the true risk of thresholds; 0 where nothing is accepted."""
        confidence, risk = self.curve()
        accepted = np.searchsorted(confidence, -thresholds, side="right")
        return np.where(accepted > 0, risk[np.maximum(accepted - 1, 0)], 0.0)

    def curve(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the confidences of the population, ascending with the sign changed, and the risk at each."""
        rows = self.truth()
        return -rows.confidence, np.cumsum(rows.loss) / np.arange(1, rows.n + 1)

    def possible(self, target: float) -> float:
        """Return the largest coverage with this risk."""
        _, risk = self.curve()
        return float(np.flatnonzero(risk <= target)[-1:].sum() + 1) / len(risk)


class Failing(NamedTuple):
    """Documents of which some are lost whole; the losses of the others depend on their hardness."""

    rows: int | Literal["heavy", "bimodal"]
    """Rows of a document: a number, 1 to 200 with few large ones, or 60 in a tenth and 3 in the others."""
    share: float
    """How many documents are lost whole."""
    are_surest: bool = False
    """Whether these have a confidence of 0.9 or more; otherwise, the confidence is useless."""

    @property
    def slope(self) -> float:
        """c of the other documents."""
        return 0.35 if self.are_surest else 0.0

    def sample(self, documents: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Draw documents: confidence, loss and document of each row."""
        rows = (
            np.full(documents, self.rows) if isinstance(self.rows, int) else self._unlike(documents, random)
        )
        document = np.repeat(np.arange(documents), rows)
        is_lost = (random.random(documents) < self.share)[document]

        def uniform() -> np.ndarray:
            shared, own = random.normal(size=documents)[document], random.normal(size=len(document))
            return np.asarray(ndtr(np.sqrt(0.3) * shared + np.sqrt(0.7) * own))

        hardness, luck = uniform(), uniform()
        loss = np.where(is_lost, 1.0, luck < self.slope * hardness**3)
        if self.are_surest:
            hardness = np.where(is_lost, 0.1 * random.random(len(document)), hardness)
        return 1 - hardness, loss, document

    def _unlike(self, documents: int, random: np.random.Generator) -> np.ndarray:
        if self.rows == "bimodal":
            return np.where(random.random(documents) < 0.1, 60, 3)
        weight = np.arange(1, 201.0) ** -1.5
        return random.choice(np.arange(1, 201), documents, p=weight / weight.sum())

    def risk_at(self, thresholds: np.ndarray) -> np.ndarray:
        """Return the true risk of thresholds."""
        hardness = np.maximum(1 - thresholds, 1e-12)
        lost = np.minimum(hardness / 0.1, 1.0) if self.are_surest else hardness
        others = (1 - self.share) * hardness
        loss = others * self.slope * hardness**3 / 4 + self.share * lost
        return np.asarray(loss / (others + self.share * lost))


class Source(Protocol):
    """Where samples come from."""

    def sample(self, documents: int, random: np.random.Generator) -> tuple[np.ndarray, ...]:
        """Draw documents."""

    def risk_at(self, thresholds: np.ndarray) -> np.ndarray:
        """Return the true risk of thresholds."""


class Drawn(NamedTuple):
    """Samples of a population: a line for each, with a column for each threshold, the strictest first."""

    accepted: Accepted
    correlation: np.ndarray
    """A column."""
    risk: np.ndarray
    """The true risk."""
    share: np.ndarray
    """The share of the rows that is accepted."""

    @classmethod
    def of(cls, population: Source, documents: int, samples: int) -> Drawn:
        """Draw samples. Thresholds that a sample lacks are its laxest one, which changes no certificate."""
        random = generator(population, documents)
        sums: list[Accepted] = []
        thresholds, share = np.zeros((2, samples, STEPS))
        correlation = np.zeros((samples, 1))
        for place in range(samples):
            ranked = RiskCoverage.of(*population.sample(documents, random)[:3])
            own = ranked.thresholds()
            columns = np.minimum(np.arange(STEPS), len(own) - 1)
            sums.append(Accepted(*(values[columns] for values in ranked.accepted(own))))
            thresholds[place] = own[columns]
            share[place] = sums[place].n / ranked.n
            correlation[place] = ranked.correlation
        accepted = Accepted(*map(np.array, zip(*sums, strict=True)))
        return cls(accepted, correlation, population.risk_at(thresholds), share)

    def certified(self, targets: tuple[float, ...], confidence: float) -> np.ndarray:
        """Return the place of the certified threshold for each target (line) and sample; -1 without one."""
        risks = np.array(targets)[:, np.newaxis, np.newaxis]
        return self.accepted.certified(risks, confidence, self.correlation)[0]

    def outcome(self, places: np.ndarray, target: float) -> Failures:
        """Return what becomes of the thresholds at the places of a target."""
        samples, is_certified = np.arange(len(places)), places >= 0
        risk, share = self.risk[samples, places], self.share[samples, places]
        is_naive = self.accepted.risk <= target
        naive = np.where(is_naive.any(axis=1), is_naive.shape[1] - 1 - is_naive[:, ::-1].argmax(axis=1), -1)
        is_marked = self.accepted.few_rows[samples, places]
        is_above = risk > target * (1 + 1e-3)
        return Failures(
            (is_certified & is_above).mean(),
            ((naive >= 0) & (self.risk[samples, naive] > target * (1 + 1e-3))).mean(),
            np.where(is_certified, share, 0.0).mean(),
            is_marked[is_certified].mean() if is_certified.any() else np.nan,
        )

    def held(self, confidence: float) -> Held:
        """Return how often `holds` errs if the target is the true risk, of half of the rows or of all."""
        places = np.array([STEPS // 2 - 1, STEPS - 1])
        accepted, truth = Accepted(*(values[:, places] for values in self.accepted)), self.risk[:, places]
        is_fine = accepted.is_below(truth, confidence, self.correlation)
        has_regressed = accepted.interval(2 * confidence - 1, self.correlation)[0] > truth
        errs = (is_fine, has_regressed, *(each & ~accepted.few_rows for each in (is_fine, has_regressed)))
        return Held(*(float(each.mean(axis=0).max()) for each in errs))


class Held(NamedTuple):
    """Shares of samples in which `holds` errs, and in which it does so without a mark."""

    fine: float
    regressed: float
    fine_unmarked: float
    regressed_unmarked: float


class Failures(NamedTuple):
    """Shares of samples, the mean share of accepted rows, and the share of certificates that are marked."""

    failed: float
    naive_failed: float
    accepted: float
    marked: float


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


def generator(population: Source, documents: int) -> np.random.Generator:
    """Return the generator of a cell, which no other cell changes."""
    return np.random.default_rng([SEED, *repr(population).encode(), documents])


def error_of(share: float, samples: int) -> float:
    """Return the standard error of a guaranteed share."""
    return float(np.sqrt(share * (1 - share) / samples))


def gated(sizes: tuple[int, int]) -> list[tuple[str, Population, tuple[float, ...]]]:
    """Return populations with documents of these sizes, with their names and the targets to certify."""
    found: list[tuple[str, Population, tuple[float, ...]]] = []
    populations = [(correlation, *each) for correlation, every in CERTIFIED_KINDS.items() for each in every]
    if sizes[1] == 1:
        # A single row has nothing to be correlated with.
        populations = [(0.0, *each) for each in CERTIFIED_KINDS[0.6]]
    for correlation, kind, is_graded in populations:
        name = f"{kind}, {'graded' if is_graded else 'right or wrong'}, {correlation:g}"
        population = Population(sizes, correlation, kind, is_graded)
        if kind == "useless":
            # Every threshold has the same risk, a little above the target.
            found += [(name, population._replace(slope=4 * 1.1 * target), (target,)) for target in TARGETS]
        else:
            found.append((name, population, TARGETS))
    return found


def certified_lines(
    samples: int, failures: list[str], sizes_of: Mapping[str, tuple[int, int]] = SIZES
) -> tuple[dict[float, list[str]], list[str]]:
    """Return the worst population for each size, number of documents and target, and the worst of `holds`."""
    lines: dict[float, list[str]] = {confidence: [] for confidence in GUARANTEED}
    held_lines = []
    for (size, sizes), documents in itertools.product(sizes_of.items(), CERTIFIED_DOCUMENTS):
        cells: dict[tuple[float, float], list[tuple[Failures, str]]] = {
            (confidence, target): [] for confidence in GUARANTEED for target in TARGETS
        }
        held: dict[float, list[tuple[Held, str]]] = {confidence: [] for confidence in GUARANTEED}
        for name, population, targets in gated(sizes):
            drawn = Drawn.of(population, documents, samples)
            for confidence in GUARANTEED:
                held[confidence].append((drawn.held(confidence), name))
                failures += misheld(
                    held[confidence][-1][0], confidence, f"{size}, {documents}, {name}", samples
                )
                found = drawn.certified(targets, confidence)
                for target, places in zip(targets, found, strict=True):
                    cells[confidence, target].append((drawn.outcome(places, target), name))
        possible = Population(sizes, 0.0, "fine", is_graded=False).possible
        for (confidence, target), of_target in cells.items():
            worst, where = max(of_target, key=lambda one: one[0].failed)
            naive = max(one.naive_failed for one, _ in of_target)
            fine = next(one for one, _ in of_target)
            lines[confidence].append(
                f"| {size} | {documents} | {percent(target)} | {100 * worst.failed:.1f} | "
                f"{where if worst.failed else 'none'} | {100 * naive:.0f} | {fine.accepted:.2f} | "
                f"{possible(target):.2f} |"
            )
            gates.say(f"{confidence} {lines[confidence][-1]}")
            failures += [
                f"{size}, {documents}, {target}, {at}: {confidence} fails in {one.failed:.3f}"
                for one, at in of_target
                if one.failed > limit(confidence, samples)
            ]
        held_cells = []
        for answers in held.values():
            for place in range(2):
                share, where = max((one[place], name) for one, name in answers)
                unmarked = max(one[place + 2] for one, _ in answers)
                held_cells.append(f"{100 * share:.1f}, {100 * unmarked:.1f} ({where})")
        held_lines.append(f"| {size} | {documents} | {' | '.join(held_cells)} |")
        gates.say(held_lines[-1])
    return lines, held_lines


def misheld(held: Held, confidence: float, where: str, samples: int) -> list[str]:
    """Return what to report of answers of `holds` that err too often."""
    fewer = 3 * (error_of(confidence, samples) - error_of(confidence, SAMPLES))
    unmarked, every = (most + fewer for most in HELD[confidence])
    limits = (every, every, unmarked, unmarked)
    return [
        f"{where}: holds errs at {confidence} in {share:.3f} ({name})"
        for name, share, most in zip(Held._fields, held, limits, strict=True)
        if share > most
    ]


def limit(confidence: float, samples: int) -> float:
    """Return how often a guarantee may fail in these samples."""
    return 1 - confidence + 3 * error_of(confidence, samples)


FAILING: tuple[tuple[Failing, int, tuple[float, ...]], ...] = (
    *((Failing(rows, 0.03), documents, (0.02,)) for documents, rows in ((46, 20), (59, 5))),
    (Failing(20, 0.015), 92, (0.01,)),
    (Failing(20, 0.07), 19, (0.05,)),
    *((Failing(rows, 0.021), documents, (0.02,)) for documents, rows in ((46, 20), (112, 14), (400, 14))),
    *((Failing(10, 0.05), documents, (0.049, 0.03)) for documents in (40, 112, 400)),
    *((Failing(rows, 0.05), 400, (0.049, 0.03)) for rows in ("heavy", "bimodal")),
    *((Failing(10, 0.02, are_surest=True), documents, (0.104, 0.063)) for documents in (112, 400)),
    *((Failing("heavy", 0.02, are_surest=True), documents, (0.104, 0.063)) for documents in (112, 400)),
)
"""Populations, numbers of documents and targets; the risk is 10.6 % where the surest documents fail."""


def failing_lines(samples: int, failures: list[str]) -> list[str]:
    """Return how often the guarantee fails if documents fail whole."""
    lines = []
    for population, documents, targets in FAILING:
        drawn = Drawn.of(population, documents, samples)
        held = [drawn.held(confidence) for confidence in GUARANTEED]
        for confidence, errs in zip(GUARANTEED, held, strict=True):
            failures += misheld(errs, confidence, f"{population}, {documents}", samples)
        found = [drawn.certified(targets, confidence) for confidence in GUARANTEED]
        for row, target in enumerate(targets):
            every = [drawn.outcome(places[row], target) for places in found]
            rows = f"{population.rows}"
            lost = f"{percent(population.share)}{', confident' if population.are_surest else ''}"
            marked = ["–" if np.isnan(one.marked) else f"{100 * one.marked:.0f}" for one in every]  # noqa: RUF001
            lines.append(
                f"| {documents} x {rows} | {lost} | {percent(target)} | "
                + " | ".join(
                    f"{100 * one.failed:.1f} | {one.accepted:.2f} | {mark} | "
                    f"{100 * answers.fine:.1f}, {100 * answers.regressed:.1f}; "
                    f"{100 * answers.fine_unmarked:.1f}, {100 * answers.regressed_unmarked:.1f}"
                    for one, mark, answers in zip(every, marked, held, strict=True)
                )
                + " |"
            )
            gates.say(lines[-1])
            for confidence, one in zip(GUARANTEED, every, strict=True):
                may_fail = SUREST_FAIL if population.are_surest else limit(confidence, samples)
                if one.failed > may_fail:
                    failures.append(
                        f"{population}, {documents}, {target}: {confidence} fails in {one.failed:.3f}"
                    )
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
        gates.say(lines[-1])
        floor = LEAST - 3 * error_of(0.95, samples)
        failures += [
            f"{name}, {kind}, {documents}: {area} covers {found[area]:.3f}"
            for area in ("augrc", "aurc")
            if not few and sizes[0] >= ROWS_OF_GATE and found[area] < floor
        ]
    return lines


def plain_lines(samples: int, failures: list[str]) -> list[str]:
    """Return what is accepted in the plain populations, and was before."""
    lines = []
    for rows, documents in itertools.product((14, 1), PLAIN_DOCUMENTS):
        population = Population((rows, rows), 0.3 if rows > 1 else 0.0, "fine", is_graded=False)
        drawn = Drawn.of(population, documents, samples)
        for confidence in GUARANTEED:
            found = drawn.certified(TARGETS, confidence)
            accepted = [
                drawn.outcome(each, target).accepted for each, target in zip(found, TARGETS, strict=True)
            ]
            before = ACCEPTED.get((rows, documents, confidence), ())
            cells = [
                f"{share:.2f}{f' ({was:.2f})' if before else ''} of {population.possible(target):.2f}"
                for share, was, target in zip(accepted, before or accepted, TARGETS, strict=True)
            ]
            lines.append(f"| {rows} | {documents} | {percent(confidence)} | {' | '.join(cells)} |")
            gates.say(lines[-1])
            failures += [
                f"plain, {documents} documents, target {target}, {confidence}: accepts {share:.3f}"
                for share, was, target in zip(accepted, before, TARGETS, strict=bool(before))
                if rows > 1 and share < was - 0.03 * np.sqrt(SAMPLES / samples)
            ]
    return lines


def percent(share: float) -> str:
    """Return a share in percent."""
    return f"{100 * share:g} %"


def page(*, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    samples = SAMPLES // 10 if quick else SAMPLES
    failures: list[str] = []
    failing = failing_lines(samples, failures)
    plain = plain_lines(samples, failures)
    certified, held = certified_lines(samples, failures)
    intervals = coverage_lines(samples, failures)
    return text(samples, failing, plain, certified, held, intervals), failures


def text(  # noqa: PLR0917 - the tables in their order
    samples: int,
    failing: list[str],
    plain: list[str],
    certified: dict[float, list[str]],
    held: list[str],
    intervals: list[str],
) -> str:
    """Return the page."""
    of_interval = 100 * error_of(0.95, samples)
    errors = " and ".join(f"{100 * error_of(confidence, samples):.1f}" for confidence in GUARANTEED)
    targets = " | ".join(f"target {percent(target)}" for target in TARGETS)
    tables = "\n\n".join(
        f"""With {percent(confidence)} confidence, the guarantee may fail in {percent(round(1 - confidence, 9))}:

| rows per document | documents | target | guarantee of {percent(confidence)} failed, % | worst population | naive failed, % | accepted | possible |
| --- | ---: | ---: | ---: | --- | ---: | ---: | ---: |
{chr(10).join(lines)}"""  # noqa: E501 - a line of a table
        for confidence, lines in certified.items()
    )
    return f"""# Confidence: intervals and certified thresholds

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

A certified threshold guarantees, with 90 or 95 % confidence, that the true risk is at most the target. The
guarantee may therefore fail in 10 or 5 % of the samples; the standard errors of these shares are {errors}
points.

- *Guarantee failed*: share of samples whose true risk is above the target, in the worst population of the
  line.
- *Worst population*: its kind of confidence, its losses (0 or 1, or graded if the confidence is fine) and its
  correlation within documents (0.6, or 0.3 with fine and useless confidence). With useless confidence, the risk of every threshold is 1.1
  times the target.
- *Naive failed*: the same share for the laxest threshold whose observed risk meets the target, in the
  population that is worst for it.
- *Accepted*: mean share of rows that the certified threshold accepts, with fine confidence, losses of 0 or 1
  and the strongest correlation.
- *Possible*: the largest share of these rows that can be accepted at the target.

{tables}

Accepted and possible shares with fine confidence, in documents of 14 rows with a correlation of 0.3 and in
single rows. In parentheses: what tests accepted that started where the target said. They accepted less at some
higher targets than at lower ones, failed where documents fail whole, and had smaller bounds at 90 % if no row
was lost: 1.6 / n for n single rows, of which the exact one is 2.3 / n. So single rows accept up to five points
less than they did at 90 %. No other share is more than a point lower, and shares are higher where a target is
close to what the documents can prove.

| rows per document | documents | confidence | {targets} |
| ---: | ---: | ---: | {" | ".join("---:" for _ in TARGETS)} |
{chr(10).join(plain)}

## Documents that fail whole

Some documents are lost whole, in all rows. Mostly, no other row is lost, and the confidence says nothing. Where
these documents are the *confident* ones (0.9 or more), other rows have a mean loss of 0.35 h³ and a fine
confidence, so the risk of all rows is 10.6 %. "Heavy" documents have 1 to 200 rows, few of them many;
"bimodal" ones 60 rows in a tenth of the documents and 3 in the others.

- *Failed*: share of samples whose true risk is above the target, in %.
- *Accepted*: mean share of accepted rows.
- *Marked*: share of certificates, in %, with `few_rows`: fewer than 100 accepted rows or 20 effective
  documents, or fewer than ten documents that carry their losses.
- *`holds`*: how often it says "fine" and "regressed", in %, if the target is the true risk (of half of the
  rows or of all, whichever is worse); then how often it does so without a mark.

Each stands for 90 and for 95 % confidence.

No mark can show documents that a sample lacks: of samples of 112 documents, 10 % have none of the 2 % that fail
whole. Almost all certificates of the *confident* lines of 112 documents of ten rows come from these samples.

| documents x rows | lost whole | target | failed, 90 % | accepted | marked | `holds` | failed, 95 % | accepted | marked | `holds` |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
{chr(10).join(failing)}

## A threshold on new documents

How often `holds` says "fine" and "regressed", in %, if the target is the true risk of half of the rows or of all,
whichever is worse. Either answer should be given in 10 or 5 % of samples at most. The second number of a cell is
that of answers without a mark, in the population that is worst for these; the name is that of the population that
is worst for all answers.

| rows per document | documents | "fine", 90 % | "regressed", 90 % | "fine", 95 % | "regressed", 95 % |
| --- | ---: | --- | --- | --- | --- |
{chr(10).join(held)}

## Intervals

Share of samples, in %, whose 95 % interval contains the area of the population. *Difference*: the same for
the true difference in AUGRC from fine confidence with noise. The standard error is {of_interval:.1f} points.
Losses are 0 or 1, with a correlation of 0.3. Samples worth fewer than {WITH_INTERVAL:g} equal documents have
no interval. *With interval*: share of samples that have one; where fewer than half do, the line has no
figures.

| rows per document | confidence | documents | AUGRC | AURC | difference | with interval |
| --- | --- | ---: | ---: | ---: | ---: | ---: |
{chr(10).join(intervals)}
"""  # noqa: E501 - lines of tables


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__).parse_args(), PAGE))
