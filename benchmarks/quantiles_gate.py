"""
Coverage of quantiles.

    python benchmarks/quantiles_gate.py               # writes QUANTILES.md beside this file
    python benchmarks/quantiles_gate.py --quick       # prints the page of a tenth of the samples

Samples are documents with their rows. The rows of a document are correlated by a normal copula, and have
scores that are continuous, have many equal values, or lie at 0 and 1. A report by sample has the intervals of
all samples. It ends with an error if an interval covers less than 93 % (minus three standard errors).
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import gates
import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import special

import anls_frame as af

Floats = npt.NDArray[np.float64]

PAGE = Path(__file__).with_name("QUANTILES.md")
LEAST = 0.93
LARGEST = 200
PROBABILITIES = (0.5, 0.9)


def _error_rates(share: Floats) -> Floats:
    """Return error rates: 0 in 35 % of rows, 1 in 5 %, otherwise log-normal."""
    inside = np.clip((share - 0.35) / 0.6, 1e-12, 1 - 1e-12)
    return np.where(share < 0.35, 0.0, np.where(share > 0.95, 1.0, 0.1 * np.exp(special.ndtri(inside))))


def _similarities(share: Floats) -> Floats:
    """Return similarities: 0 in 20 % of rows, 1 in 48 %, so that the median lies near an end."""
    return np.where(share < 0.2, 0.0, np.where(share > 0.52, 1.0, (share - 0.2) / 0.32))


KINDS: dict[str, Callable[[Floats], Floats]] = {
    "continuous": lambda share: share**0.25,
    "tenths": lambda share: np.round(10 * share) / 10,
    "error rates, 35 % are 0": _error_rates,
    "similarities, 20 % are 0, 48 % are 1": _similarities,
}
"""The score of a row by its share in the population."""

SIZES: dict[str, Floats] = {
    "single rows": np.array([1.0]),
    "ten rows": np.eye(10)[9],
    "1 to 200 rows": np.full(LARGEST, 1 / LARGEST),
    "1 to 200 rows, few of them large": np.arange(1, LARGEST + 1) ** -1.5
    / (np.arange(1, LARGEST + 1) ** -1.5).sum(),
}
"""How often documents have a number of rows."""


class Case(NamedTuple):
    """A population of documents."""

    kind: str
    sizes: str
    correlation: float
    documents: int


def cases() -> list[Case]:
    """Return all populations."""
    every = itertools.product(KINDS, SIZES, (0.0, 0.2, 0.5), (20, 50, 112))
    return [
        case
        for case in map(Case._make, every)
        if (case.correlation == 0 or case.sizes != "single rows")
        and (case.documents < 112 or not case.sizes.startswith("1 to 200"))
    ]


def counted(case: Case, samples: int, seed: int) -> Iterator[tuple[float, float, float, float]]:
    """Yield each probability with the coverage, the share of open intervals, and that of marked samples."""
    name = f"{case.kind} {case.sizes}"
    random = np.random.default_rng([seed, *name.encode(), case.documents, int(10 * case.correlation)])
    sizes = SIZES[case.sizes]
    rows = random.choice(len(sizes), samples * case.documents, p=sizes) + 1
    document = np.repeat(np.arange(len(rows)), rows)
    shared, own = random.normal(size=len(rows))[document], random.normal(size=len(document))
    latent = np.sqrt(case.correlation) * shared + np.sqrt(1 - case.correlation) * own
    score = KINDS[case.kind](special.ndtr(latent))
    frame = pl.DataFrame({"sample": document // case.documents, "document": document, "score": score})
    metrics = [af.Metric.quantile(af.Metric("score", bounds=(0, None)), p) for p in PROBABILITIES]
    found = af.report(frame, metrics=metrics, by="sample", cluster="document").by_group
    for metric, probability in zip(metrics, PROBABILITIES, strict=True):
        truth = float(KINDS[case.kind](np.array([probability]))[0])
        low, high = (found[end].to_numpy() for end in metric.ends[1:])
        covers = (low <= truth) & ~(high < truth)
        marked = found["few_rows"].to_numpy()
        yield probability, float(covers.mean()), float(np.isnan(high).mean()), float(marked.mean())


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    samples = 100 if quick else 1_000
    error = np.sqrt(0.05 * 0.95 / samples)
    lines, failures = [], []
    every = ((case, *found) for case in cases() for found in counted(case, samples, seed))
    for case, probability, coverage, open_, marked in every:
        lines.append(
            f"| {case.kind} | {case.sizes} | {case.correlation:g} | {case.documents} | {probability:g} "
            f"| {100 * coverage:.1f} | {100 * open_:.0f} % | {100 * marked:.0f} % |"
        )
        gates.say(lines[-1])
        failures += [f"{case}, {probability}: {coverage:.3f}"] if coverage < LEAST - 3 * error else []
    head = f"""# Coverage of quantiles

Written by `quantiles_gate.py`: seed {seed}, {samples:,} samples per line. The standard error of a
coverage of 95 % is {100 * error:.1f} points. In documents of "1 to 200 rows", every size is equally likely;
if few of them are large, the probability of n rows falls as n^-1.5.

- *Correlation*: between the rows of a document, in a normal copula.
- *Coverage*: share of samples whose 95 % interval contains the quantile of all rows of the population.
- *Open*: share of samples whose interval has no upper end, because there are too few high scores.
- *Marked*: share of samples marked `few_rows`.

| scores | rows per document | correlation | documents | quantile | coverage, % | open | marked |
| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""
    return head + "\n".join(lines) + "\n", failures


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261126).parse_args(), PAGE))
