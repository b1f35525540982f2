"""
Coverage of macro averages over slices that share documents.

    python benchmarks/macro_gate.py               # writes MACRO.md beside this file
    python benchmarks/macro_gate.py --samples 200 --page /tmp/macro.md

Every document has rows in several slices, as a document of a leaderboard has questions of several types. A
slice has a mean of its own, a document an offset that its rows share, so that slices are correlated. Each
line draws samples of documents. It counts how often the 95 % interval contains the mean of the slices' means,
and that of a difference the true difference of two systems. It ends with an error if an interval covers less
than 93 % (minus three standard errors).
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import NamedTuple

import numpy as np
import polars as pl
from scipy import stats

import anls_frame as af

PAGE = Path(__file__).with_name("MACRO.md")
SEED = 20261126
LEAST = 0.93
SLICES = 5
MEANS = np.array([0.95, 0.85, 0.7, 0.5, 0.8])
"""Means of the slices."""
FREQUENCIES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
"""Shares of the slices in the rows."""
BETTER = np.array([0.0, 0.03, -0.02, 0.05, 0.1])
"""How much the second system is better in each slice."""


KINDS = {False: "right or wrong", True: "graded"}


class Case(NamedTuple):
    """A population of documents."""

    name: str
    documents: int
    correlation: float
    sizes: tuple[int, int]
    is_graded: bool


def cases() -> list[Case]:
    """Return all populations."""
    sizes = {"ten rows": (10, 10), "1 to 40 rows": (1, 40)}
    return [
        Case(
            f"{'graded' if is_graded else 'right or wrong'}, {name}", documents, correlation, ends, is_graded
        )
        for is_graded, (name, ends), correlation, documents in itertools.product(
            (False, True), sizes.items(), (0.0, 0.3), (20, 50, 112, 300)
        )
    ]


def sample(case: Case, random: np.random.Generator) -> pl.DataFrame:
    """Draw documents: their rows, the slices of these, and the scores of two systems."""
    rows = random.integers(case.sizes[0], case.sizes[1] + 1, case.documents)
    document = np.repeat(np.arange(case.documents), rows)
    kind = random.choice(SLICES, len(document), p=FREQUENCIES)
    shared = random.normal(size=case.documents)[document]
    scores = {}
    for system, means in (("old", MEANS), ("new", MEANS + BETTER)):
        own = random.normal(size=len(document))
        latent = np.sqrt(case.correlation) * shared + np.sqrt(1 - case.correlation) * own
        if case.is_graded:
            # Of mean m: a beta distribution with parameters 4m and 4(1 - m).
            a, b = 4 * means[kind], 4 * (1 - means[kind])
            scores[system] = stats.beta.ppf(stats.norm.cdf(latent), a, b)
        else:
            scores[system] = (latent < stats.norm.ppf(means)[kind]).astype(np.float64)
    return pl.DataFrame({"document": document, "kind": kind, **scores})


def counted(case: Case, samples: int) -> dict[str, float]:
    """Return the coverage of both intervals, and how often the first is marked, and missed without a mark."""
    random = np.random.default_rng([SEED, *case.name.encode(), case.documents, int(10 * case.correlation)])
    covers, covers_difference, marked, missed = np.zeros((4, samples), bool)
    for place in range(samples):
        frame = sample(case, random)
        present = np.unique(frame["kind"])
        compared = af.compare(
            frame, ["old", "new"], None, by="kind", cluster="document", metrics="anls", draws=9
        )
        line = compared.macro().row(0, named=True)
        truth, change = (MEANS + BETTER)[present].mean(), BETTER[present].mean()
        covers[place] = line["score_low"] <= truth <= line["score_high"]
        covers_difference[place] = line["difference_low"] <= change <= line["difference_high"]
        marked[place] = line["few_rows"]
        missed[place] = not covers[place] and not marked[place]
    return {
        "score": covers.mean(),
        "difference": covers_difference.mean(),
        "marked": marked.mean(),
        "missed": missed.mean(),
    }


def outcomes(samples: int) -> Iterator[tuple[Case, dict[str, float]]]:
    """Count all cases, on all cores; processes are spawned because Polars must not be forked."""
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        yield from zip(cases(), pool.map(counted, cases(), itertools.repeat(samples)), strict=True)


def main() -> None:
    """Count all cases and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--samples", type=int, default=1000)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    lines, failures = [], []
    error = 100 * np.sqrt(0.05 * 0.95 / options.samples)
    floor = LEAST - 3 * error / 100
    for case, found in outcomes(options.samples):
        score, difference, marked, missed = (100 * share for share in found.values())
        lines.append(
            f"| {case.name} | {case.correlation:g} | {case.documents} | {score:.1f} | {difference:.1f} "
            f"| {marked:.0f} % | {missed:.1f} |"
        )
        sys.stdout.write(f"{lines[-1]}\n")
        sys.stdout.flush()
        failures += [
            f"{case}: {name} {found[name]:.3f}" for name in ("score", "difference") if found[name] < floor
        ]
    head = f"""# Coverage of macro averages

Written by `macro_gate.py`: seed {SEED}, {options.samples:,} samples per line. The standard error of a
coverage of 95 % is {error:.1f} points. The five slices have means from 0.5 to 0.95 and hold 5 to 40 % of the
rows. Every document has rows in several of them.

- *Correlation*: between the rows of a document, across its slices and both systems.
- *Coverage*: share of samples whose 95 % interval contains the mean of the slices' means.
- *Of the difference*: the same for the difference of two systems.
- *Marked*: share of samples marked `few_rows`.
- *Missed unmarked*: share of samples that are not marked and whose interval misses the true mean.

| population | correlation | documents | coverage, % | of the difference, % | marked | missed unmarked, % |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
    options.page.write_text(head + "\n".join(lines) + "\n", encoding="utf-8")
    sys.exit("\n".join(failures) or None)


if __name__ == "__main__":
    main()
