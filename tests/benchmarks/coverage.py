"""
Coverage of the intervals and validity of the p-values, by simulation; the gate of `anls_frame.statistics`.

    python tests/benchmarks/coverage.py --quick                       # a couple of minutes, prints the tables
    python tests/benchmarks/coverage.py --write docs/statistics.md    # all of it, replaces the tables there

Ends with 1 if a gated figure is outside its bounds. The same seed gives the same figures, whatever the number
of processes.
"""

from __future__ import annotations

import argparse
import itertools
import math
import os
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import stats
from simulation import (
    GATED_KINDS,
    INTERVALS,
    KINDS,
    LEVELS,
    Corpus,
    Coverage,
    Scenario,
    Validity,
    cover,
    cover_rate,
    family_wise,
    validate,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

DATE = "2026-11-21"
MEANS = (0.5, 0.7, 0.85, 0.9, 0.95, 0.97)
NOMINAL, LOWEST, HIGHEST = 0.95, 0.93, 0.985
ERRORS_ALLOWED = 3
"""Standard errors of the simulation by which a figure may miss its bound."""

REPETITION = 10
"""How many times more often a gated figure that misses its bound is simulated again. Of a thousand figures
one is beyond three standard errors by chance; the second, with its smaller errors, decides and is shown."""

MARKS = ("<!-- simulation: begin -->", "<!-- simulation: end -->")
FAMILY_JOBS = 8


@dataclass(frozen=True)
class Plan:
    """What is simulated, and how often."""

    intervals: list[Scenario]
    corpora: list[Corpus]
    comparisons: list[Scenario]
    replications: int
    comparison_replications: int


@dataclass(frozen=True)
class Results:
    """What came out, in the order of the plan."""

    coverage: list[Coverage]
    rates: list[tuple[Corpus, float]]
    validity: list[Validity]
    families: dict[str, list[float]]
    repeated: int = 0


def full_plan(replications: int) -> Plan:
    alone = itertools.product(KINDS, MEANS, (10, 30, 100, 300, 1000))
    together = itertools.product(
        KINDS, MEANS, (5, 10, 20, 50), (3, 10, 30), (True, False), (0.0, 0.1, 0.3, 0.5)
    )
    return Plan(
        [*itertools.starmap(Scenario, alone), *itertools.starmap(Scenario, together)],
        corpora(),
        comparisons((5, 10, 20, 50, 200), (30, 100, 1000)),
        replications,
        replications // 4,
    )


def quick_plan(replications: int) -> Plan:
    alone = itertools.product(KINDS, (0.5, 0.9, 0.97), (30, 100))
    together = itertools.product(KINDS, (0.5, 0.9, 0.97), (10, 20), (3, 10, 30), (True,), (0.0, 0.1, 0.3))
    return Plan(
        [*itertools.starmap(Scenario, alone), *itertools.starmap(Scenario, together)],
        corpora(),
        comparisons((10, 20), (100,)),
        replications,
        replications // 4,
    )


def corpora() -> list[Corpus]:
    """Few errors (most rows have none) and many, without clusters and in documents of ten rows."""
    models = ((0.03, 0.7), (0.2, 0.0))
    return [
        *(Corpus(*model, n) for model in models for n in (10, 30, 100, 300, 1000)),
        *(
            Corpus(*model, units, 10, variation)
            for model in models
            for units in (5, 10, 20, 50)
            for variation in (0.0, 0.5, 1.0)
        ),
    ]


def comparisons(clusters: Sequence[int], alone: Sequence[int]) -> list[Scenario]:
    kinds = (("0/1", 0.7), ("ANLS", 0.7), ("ANLS", 0.95))
    return [
        *(Scenario(*kind, n) for kind in kinds for n in alone),
        *(
            Scenario(*kind, units, 10, equal)
            for kind in kinds
            for units in clusters
            for equal in (True, False)
        ),
    ]


def run(job: tuple[Callable[..., Any], tuple[Any, ...], int, int]) -> Any:
    function, arguments, seed, number = job
    return function(*arguments, np.random.default_rng([seed, number]))


def simulate(plan: Plan, seed: int, processes: int) -> Results:
    # The long ones first, so that no process ends up alone with them.
    tasks: list[tuple[Callable[..., Any], tuple[Any, ...]]] = [
        *((family_wise, (plan.comparison_replications // FAMILY_JOBS,)) for _ in range(FAMILY_JOBS)),
        *((validate, (scenario, plan.comparison_replications)) for scenario in plan.comparisons),
        *((cover_rate, (corpus, plan.replications)) for corpus in plan.corpora),
        *((cover, (scenario, plan.replications)) for scenario in plan.intervals),
    ]
    jobs = [(*task, seed, number) for number, task in enumerate(tasks)]
    found = []
    start = time.monotonic()
    with ProcessPoolExecutor(processes) as executor:
        for number, result in enumerate(executor.map(run, jobs), start=1):
            found.append(result)
            if number % 200 == 0 or number == len(jobs):
                sys.stderr.write(f"{number} of {len(jobs)} after {time.monotonic() - start:.0f} s\n")
    ends = np.cumsum([FAMILY_JOBS, len(plan.comparisons), len(plan.corpora)])
    families = found[: ends[0]]
    means = {name: np.mean([family[name] for family in families], axis=0).tolist() for name in families[0]}
    return Results(found[ends[2] :], found[ends[1] : ends[2]], found[ends[0] : ends[1]], means)


def allowance(share: float, replications: int) -> float:
    """How far a share may be beyond its bound."""
    return ERRORS_ALLOWED * math.sqrt(share * (1 - share) / replications)


def decide(plan: Plan, results: Results, seed: int) -> tuple[Results, list[str]]:
    """Simulate again what misses its bounds, and list what still does."""
    faults, repeated = [], 0
    coverage, validity = list(results.coverage), list(results.validity)
    for number, result in enumerate(coverage):
        if coverage_faults(result, plan.replications):
            repeated, replications = repeated + 1, REPETITION * plan.replications
            random = np.random.default_rng([seed, number, 1])
            coverage[number] = cover(result.scenario, replications, random)
            faults += coverage_faults(coverage[number], replications)
    for number, tested in enumerate(validity):
        if validity_faults(tested, plan.comparison_replications):
            repeated, replications = repeated + 1, REPETITION * plan.comparison_replications
            random = np.random.default_rng([seed, number, 2])
            validity[number] = validate(tested.scenario, replications, random)
            faults += validity_faults(validity[number], replications)
    for name, shares in results.families.items():
        faults += above_levels(f"family of slices, {name}", shares, plan.comparison_replications)
    return replace(results, coverage=coverage, validity=validity, repeated=repeated), faults


def coverage_faults(result: Coverage, replications: int) -> list[str]:
    covered, most = result.covered["in the reports"], highest(result.scenario)
    low, high = LOWEST - allowance(LOWEST, replications), most + allowance(most, replications)
    if not result.scenario.is_gated() or low <= covered <= high:
        return []
    return [f"coverage {covered:.4f}: {result.scenario}"]


def validity_faults(result: Validity, replications: int) -> list[str]:
    names = ["sign-flip", "t"] if is_gated_test(result.scenario) else ["sign-flip"]
    return [
        fault
        for name in names
        for fault in above_levels(f"{result.scenario}, {name}", result.shares[name], replications)
    ]


def above_levels(what: str, shares: Sequence[float], replications: int) -> list[str]:
    return [
        f"{what} test at {level}: {share:.4f}"
        for level, share in zip(LEVELS, shares, strict=True)
        if share > level + allowance(level, replications)
    ]


def highest(scenario: Scenario) -> float:
    """
    Highest coverage allowed: 98.5 %, or the lowest above 95 % that there can be.

    Of 30 independent rows with a mean of 0.97 at most two are wrong in 94.0 % of samples, at most three in
    98.8 %: an interval that reaches 95 % here covers in 98.8 %.
    """
    if scenario.kind != "0/1" or scenario.icc > 0:
        return HIGHEST
    n = int(scenario.sizes().sum())
    below = np.concatenate(([0.0], stats.binom.cdf(np.arange(n + 1), n, scenario.mean)))
    shares = below[None, :] - below[:, None]
    return max(HIGHEST, float(shares[shares >= NOMINAL].min()))


def is_gated_test(scenario: Scenario) -> bool:
    """Whether the t test has to keep its level: it does so for large numbers only."""
    return scenario.equal and scenario.units >= (30 if scenario.rows == 1 else 10)


def markdown(plan: Plan, results: Results, seed: int) -> str:
    coverage = results.coverage
    in_reports = "Coverage of the intervals in the reports"
    sections = {
        "Intervals for means of scores in [0, 1], compared": comparison_table(coverage),
        f"{in_reports}, rows without clusters": rows_table(coverage),
        **{f"{in_reports}, clusters, {kind} scores": cluster_table(coverage, kind) for kind in KINDS},
        "Coverage of the interval for corpus rates": rates_table(results.rates),
        "P-values of two equal systems": validity_table(results.validity),
        "Any of 20 overlapping slices, after Holm's correction": table(
            ["test", *(f"p ≤ {level}" for level in LEVELS)],
            [[name, *map(percent, shares)] for name, shares in results.families.items()],
        ),
    }
    return "\n\n".join([
        facts(plan, results, seed),
        *(f"### {title}\n\n{content}" for title, content in sections.items()),
    ])  # fmt: skip


def facts(plan: Plan, results: Results, seed: int) -> str:
    gated = [r.covered["in the reports"] for r in results.coverage if r.scenario.is_gated()]
    error = math.sqrt(0.95 * 0.05 / plan.replications)
    return (
        f"Seed {seed}, numpy {np.__version__}, {DATE}. {plan.replications:,} replications of each interval "
        f"(standard error of a coverage of 95 %: {100 * error:.2f} points), {plan.comparison_replications:,} "
        f"of each comparison. Nominal coverage 95 %. The {len(gated)} gated figures lie between "
        f"{100 * min(gated):.2f} and {100 * max(gated):.2f} %; they have to lie between "
        f"{percent(LOWEST)} and {percent(HIGHEST)} %, give or take {ERRORS_ALLOWED} standard errors. "
        f"Scenarios that missed theirs at first ({results.repeated}) were simulated {REPETITION} times as "
        f"often, and these figures are shown. Figures outside these bounds are bold."
    )


def comparison_table(coverage: Sequence[Coverage]) -> str:
    lines = []
    for kind, (name, has_clusters) in itertools.product(
        (*GATED_KINDS, "inside"), (("no", False), ("yes", True))
    ):
        of_kind = [
            r
            for r in coverage
            if r.scenario.kind == kind and (r.scenario.rows > 1) == has_clusters and is_like_gated(r.scenario)
        ]
        for interval in INTERVALS:
            shares = [r.covered[interval] for r in of_kind]
            width = sum(r.width[interval] for r in of_kind) / len(of_kind)
            lines.append([kind, name, interval, marked(min(shares)), marked(max(shares)), f"{width:.3f}"])
    return table(["scores", "clusters", "interval", "lowest", "highest", "mean width"], lines)


def is_like_gated(scenario: Scenario) -> bool:
    """Whether the scenario is gated, or would be were it of a gated kind."""
    gated_kind = Scenario("ANLS", scenario.mean, scenario.units, scenario.rows, scenario.equal, scenario.icc)
    return gated_kind.is_gated()


def rows_table(coverage: Sequence[Coverage]) -> str:
    alone = [r for r in coverage if r.scenario.rows == 1]
    return by_mean(alone, ["scores", "rows"], lambda s: (s.kind, str(s.units)))


def cluster_table(coverage: Sequence[Coverage], kind: str) -> str:
    together = [r for r in coverage if r.scenario.rows > 1 and r.scenario.kind == kind]
    return by_mean(
        together,
        ["clusters", "rows each", "sizes", "ICC"],
        lambda s: (str(s.units), str(s.rows), "equal" if s.equal else "unequal", str(s.icc)),
    )


def by_mean(
    coverage: Sequence[Coverage], keys: Sequence[str], key: Callable[[Scenario], tuple[str, ...]]
) -> str:
    """Table with a column for each mean."""
    means = sorted({r.scenario.mean for r in coverage})
    lines: dict[tuple[str, ...], list[str]] = {}
    for result in coverage:
        lines.setdefault(key(result.scenario), []).append(marked(result.covered["in the reports"]))
    return table(
        [*keys, *(f"mean {mean}" for mean in means)], [[*head, *cells] for head, cells in lines.items()]
    )


def rates_table(rates: Sequence[tuple[Corpus, float]]) -> str:
    lines = [
        [
            f"{100 * corpus.rate:.0f} %",
            str(corpus.units if corpus.rows > 1 else "none"),
            str(corpus.units * corpus.rows),
            str(corpus.variation) if corpus.rows > 1 else "",
            marked(share),
        ]
        for corpus, share in rates
    ]
    return table(["rate", "clusters", "rows", "variation between clusters", "coverage"], lines)


def validity_table(validity: Sequence[Validity]) -> str:
    lines = []
    for result in validity:
        scenario = result.scenario
        clusters = str(scenario.units) if scenario.rows > 1 else "none"
        sizes = "" if scenario.rows == 1 else "equal" if scenario.equal else "unequal"
        cells = [percent(share) for name in ("sign-flip", "t") for share in result.shares[name]]
        rows = str(scenario.units * scenario.rows)
        lines.append([scenario.kind, str(scenario.mean), clusters, rows, sizes, *cells])
    levels = [f"{name}, p ≤ {level}" for name in ("sign-flip", "t") for level in LEVELS]
    return table(["scores", "mean", "clusters", "rows", "sizes", *levels], lines)


def table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    rule = ["---"] * len(header)
    return "\n".join(f"| {' | '.join(line)} |" for line in (header, rule, *lines))


def percent(share: float) -> str:
    return f"{100 * share:.1f}"


def marked(share: float) -> str:
    return percent(share) if LOWEST <= share <= HIGHEST else f"**{percent(share)}**"


def replace_tables(page: Path, tables: str) -> None:
    text = page.read_text(encoding="utf-8")
    begin, end = (text.index(mark) for mark in MARKS)
    page.write_text(text[: begin + len(MARKS[0])] + f"\n\n{tables}\n\n" + text[end:], encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="a part of the scenarios, less often")
    parser.add_argument("--replications", type=int, help="of each interval (20,000; quick: 4,000)")
    parser.add_argument("--seed", type=int, default=20261121)
    parser.add_argument("--processes", type=int, default=min(2, os.cpu_count() or 1))
    parser.add_argument("--write", type=Path, metavar="PAGE", help="replace the tables between the marks")
    arguments = parser.parse_args()
    make = quick_plan if arguments.quick else full_plan
    plan = make(arguments.replications or (4_000 if arguments.quick else 20_000))
    results, faults = decide(plan, simulate(plan, arguments.seed, arguments.processes), arguments.seed)
    tables = markdown(plan, results, arguments.seed)
    if arguments.write:
        replace_tables(arguments.write, tables)
    else:
        sys.stdout.write(f"{tables}\n")
    sys.stderr.write("".join(f"outside its bounds: {fault}\n" for fault in faults) or "the gate is passed\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
