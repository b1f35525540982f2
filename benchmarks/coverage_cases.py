"""
Coverage of intervals in cases of their own: heavy tails, scores in a narrow range, sizes of documents.

    python benchmarks/coverage_cases.py            # writes COVERAGE_CASES.md beside this file
    python benchmarks/coverage_cases.py --samples 200 --page /tmp/cases.md

`coverage.py` has the gate. Here are cases in which intervals miss more often than they say, and how often
they are then marked `few_rows`. The same seed gives the same figures.
"""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from populations import Array, Random, RowDocuments, added, as_sums, heavy_tail, summed

from anls_frame import statistics
from anls_frame.reports import estimates
from anls_frame.statistics.carriers import are_few
from anls_frame.summary.measures import Interval

PAGE = Path(__file__).with_name("COVERAGE_CASES.md")
SEED = 20261124
ROWS_AT_ONCE = 400_000


@dataclass(frozen=True)
class Case:
    """Samples of so many documents: their sizes, what is drawn for each row, and its mean."""

    section: str
    name: str
    kind: Interval
    documents: int
    sizes: Callable[[tuple[int, int], Random], npt.NDArray[np.int64]]
    rows: Callable[[RowDocuments, Random], Array]
    mean: float
    is_difference: bool = False


def alone(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:  # noqa: ARG001
    """Rows without documents."""
    return np.ones(shape, np.int64)


def ten(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:  # noqa: ARG001
    """Ten rows each."""
    return np.full(shape, 10)


def to_20(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:
    """1 to 20 rows, all sizes as frequent."""
    return np.asarray(random.integers(1, 21, shape))


def to_200(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:
    """1 to 200 rows, all sizes as frequent."""
    return np.asarray(random.integers(1, 201, shape))


SIZES = {
    "ten rows": ten,
    "1 to 20 rows, evenly": to_20,
    "1 to 200 rows, evenly": to_200,
    "1 to 200 rows, n^-1.5": heavy_tail,
}


def log_normal(
    sigma: float, share: float = 1.0, scale: float = -3.0
) -> Callable[[RowDocuments, Random], Array]:
    """Rates of which a share is log-normal, the others 0."""

    def rows(document: RowDocuments, random: Random) -> Array:
        if share == 1:
            return random.lognormal(scale, sigma, len(document))
        has_errors = random.random(len(document)) < share
        return np.where(has_errors, random.lognormal(scale, sigma, len(document)), 0.0)

    return rows


def pareto(power: float) -> Callable[[RowDocuments, Random], Array]:
    """Rates with a tail of this exponent."""
    return lambda document, random: 0.02 * (1 + random.pareto(power, len(document)))


def graded(a: int, b: int) -> Callable[[RowDocuments, Random], Array]:
    """Scores that differ between documents, and hardly inside."""

    def rows(document: RowDocuments, random: Random) -> Array:
        shared = random.beta(a, b, int(document.max()) + 1)[document]
        return np.asarray(np.clip(shared + random.normal(0, 0.01, len(document)), 0, 1))

    return rows


def narrow(document: RowDocuments, random: Random) -> Array:
    """Scores between 0.9 and 1, such as similarities of embeddings."""
    return 0.9 + 0.1 * random.beta(5, 5, len(document))


def differences(document: RowDocuments, random: Random) -> Array:
    """Differences of rows, whose documents differ with an intraclass correlation of 0.2."""
    shared = random.normal(0, 0.15, int(document.max()) + 1)[document]
    return np.asarray(shared + random.normal(0, 0.3, len(document)))


def differences_of_rows(document: RowDocuments, random: Random) -> Array:
    """Differences of rows that have nothing in common in a document."""
    return random.normal(0, 0.3, len(document))


def cases() -> Iterator[Case]:
    """All cases."""
    section = "Error rates of single pages"
    rates = [
        *(
            (f"log-normal, σ = {sigma}", log_normal(sigma), np.exp(sigma**2 / 2 - 3))  # noqa: RUF001
            for sigma in (1.0, 1.5, 2.0)
        ),
        *(
            (
                f"errors on {share:.0%} of the pages, log-normal, σ = 1",  # noqa: RUF001
                log_normal(1, share, -1),
                share * np.exp(-0.5),
            )
            for share in (0.05, 0.1, 0.3)
        ),
        *((f"Pareto, exponent {power}", pareto(power), 0.02 * power / (power - 1)) for power in (2, 3)),
    ]
    for (name, rows, mean), pages in itertools.product(rates, (100, 200, 400)):
        yield Case(section, name, "rate", pages, alone, rows, float(mean))
    section = "Graded scores, nearly equal inside documents"
    for (a, b), documents in itertools.product(((8, 2), (18, 2), (2, 2)), (5, 10, 20, 50, 100)):
        name = f"beta({a}, {b}) a document, rows ± 0.01"
        yield Case(section, name, "bounded", documents, ten, graded(a, b), a / (a + b))
    section = "Scores between 0.9 and 1, in single rows"
    for rows in (30, 100, 300, 1_000, 3_000):
        name = "0.9 + 0.1 beta(5, 5)"
        yield Case(section, name, "bounded", rows, alone, narrow, 0.95)
    section = "Differences of two systems, by sizes of documents"
    kinds = {"documents differ (ICC 0.2)": differences, "rows differ": differences_of_rows}
    for documents, (sizes, size), (kind, rows) in itertools.product(
        (15, 30, 100), SIZES.items(), kinds.items()
    ):
        yield Case(section, f"{sizes}; {kind}", "mean", documents, size, rows, 0.0, is_difference=True)


def samples_of(case: Case, samples: int) -> Array:
    """Return the totals of samples."""
    random = np.random.default_rng([SEED, case.documents, *case.name.encode()])
    step = max(1, ROWS_AT_ONCE // (40 * case.documents))
    parts = []
    for start in range(0, samples, step):
        count = min(step, samples - start)
        of_documents = case.sizes((count, case.documents), random).ravel()
        document = np.repeat(np.arange(len(of_documents)), of_documents)
        found = added(document, case.rows(document, random), np.ones(len(document)), len(of_documents))
        parts.append(summed(found.reshape(count, case.documents, -1)))
    return np.concatenate(parts)


def lines(samples: int) -> Iterator[tuple[Case, str]]:
    """Yield each case with its line of the table."""
    for case in cases():
        totals = samples_of(case, samples)
        sums = as_sums(totals)
        spread = sums.xx - 2 * (sums.x / sums.y) * sums.xy + (sums.x / sums.y) ** 2 * sums.yy
        low, high = estimates.interval(case.kind, sums._replace(bracket=spread), 0.95)
        if case.is_difference:
            units = statistics.effective_units(sums.n, sums.n_squares, sums.n_cubes, sums.n_fourths)
            carrying = estimates.where_several(sums.n, sums.n_squares, totals[:, -1])
        else:
            units, carrying = estimates.units(sums), estimates.carried_by(case.kind, sums)
        few = are_few(sums.n, units, carrying)
        hits = (low <= case.mean) & (case.mean <= high)
        covered = hits.mean()
        error = np.sqrt(covered * (1 - covered) / samples)
        width = np.nanmedian(high - low) / (2 * 1.96 * np.std(sums.x / sums.y))
        yield (
            case,
            (
                f"| {case.name} | {case.documents} | {100 * covered:.1f} ± {100 * error:.1f} | {width:.2f} | "
                f"{100 * few.mean():.0f} % | {100 * (~few & ~hits).mean():.1f} |"
            ),
        )


HEAD = """# Coverage in difficult cases

Written by `coverage_cases.py`: seed {seed}, {samples:,} samples per line.

- *Coverage*: share of samples whose 95 % interval contains the mean of the population, with its standard
  error.
- *Width*: median width of the intervals, divided by that of an ideal one.
- *Marked*: share of samples marked `few_rows`.
- *Missed unmarked*: share of samples that are not marked and whose interval misses the mean."""

TABLE = """| {first} | {second} | coverage, % | width | marked | missed unmarked, % |
| --- | ---: | ---: | ---: | ---: | ---: |"""


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--samples", type=int, default=4_000, help="samples of each line (4,000)")
    parser.add_argument("--page", type=Path, default=PAGE, help="the page to write")
    arguments = parser.parse_args()
    written, section = [HEAD.format(seed=SEED, samples=arguments.samples)], ""
    for case, line in lines(arguments.samples):
        if case.section != section:
            section = case.section
            second = section.split()[-1] if "single" in section else "documents"
            written += [f"\n## {section}\n", TABLE.format(first="population", second=second)]
        written.append(line)
        sys.stderr.write(f"{line}\n")
    arguments.page.write_text("\n".join(written) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
