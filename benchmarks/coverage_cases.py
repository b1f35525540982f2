"""
Coverage of intervals in cases of their own: heavy tails, scores in a narrow range, sizes of documents.

    python benchmarks/coverage_cases.py            # writes COVERAGE_CASES.md beside this file
    python benchmarks/coverage_cases.py --quick    # a tenth of the samples, prints the page

`coverage.py` has the gate. Here are cases in which intervals miss more often than they say, and how often
they are then marked `few_rows`. The same seed gives the same figures.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import gates
import numpy as np
import numpy.typing as npt
import polars as pl
from populations import (
    Array,
    Random,
    RowDocuments,
    added,
    as_sums,
    heavy_tail,
    interval_of_difference,
    marks_of_differences,
    summed,
)

import anls_frame as af
from anls_frame.reports import estimates
from anls_frame.statistics.carriers import are_few
from anls_frame.summary.measures import Interval

PAGE = Path(__file__).with_name("COVERAGE_CASES.md")
SEED, SAMPLES = 20261124, 4_000
ROWS_AT_ONCE = 400_000


@dataclass(frozen=True)
class Case:
    """
    Samples of so many documents: their sizes, what is drawn for each row, and its mean.

    Of a rate of all text, each row has its errors and its length, and the mean is that of all text.
    """

    section: str
    name: str
    kind: Interval
    documents: int
    sizes: Callable[[tuple[int, int], Random], npt.NDArray[np.int64]]
    rows: Callable[[RowDocuments, Random], Array | tuple[Array, Array]]
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


def changed(lost: float, won: float) -> Callable[[RowDocuments, Random], Array]:
    """Differences of documents, of which a share is lost whole and a share is won; all others are equal."""

    def rows(document: RowDocuments, random: Random) -> Array:
        drawn = random.random(int(document.max()) + 1)[document]
        return np.asarray((drawn > 1 - won) * 1.0 - (drawn < lost))

    return rows


def right(mean: float, icc: float) -> Callable[[RowDocuments, Random], Array]:
    """Rows that are right or wrong, in documents of levels from a beta distribution; whole ones for 1."""

    def rows(document: RowDocuments, random: Random) -> Array:
        documents = int(document.max()) + 1
        size = 1 / icc - 1
        level = (random.random(documents) < mean) * 1.0
        if size > 0:
            level = random.beta(mean * size, (1 - mean) * size, documents)
        return np.asarray(random.random(len(document)) < level[document], np.float64)

    return rows


def failing(document: RowDocuments, random: Random) -> Array:
    """Rows of which 98 % are right, but none in 4 % of the documents."""
    fails = random.random(int(document.max()) + 1) < 0.04
    return np.asarray((random.random(len(document)) < 0.98) & ~fails[document], np.float64)


UNREAD = 0.03
"""Share of pages that an engine cannot read at all."""
CHARACTERS = 1_000
"""Median length of a page."""


def unread(document: RowDocuments, random: Random) -> tuple[Array, Array]:
    """Errors of pages that are well read but for a few, of which nothing is right."""
    length = random.lognormal(math.log(CHARACTERS), 0.5, len(document))
    rate = np.where(random.random(len(document)) < UNREAD, 1.0, _well_read(document, random))
    return rate * length, length


def unread_by_one(document: RowDocuments, random: Random) -> tuple[Array, Array]:
    """Errors of an engine that cannot read some pages, minus those of one that can."""
    errors, length = unread(document, random)
    return errors - _well_read(document, random) * length, length


def of_two_engines(document: RowDocuments, random: Random) -> tuple[Array, Array]:
    """Errors of an engine minus those of another, whose page rates are log-normal and alike."""
    length = random.lognormal(math.log(CHARACTERS), 0.5, len(document))
    shared, *own = 0.7 * random.standard_normal((3, len(document)))
    first, second = (np.exp(-3.5 + shared + one) for one in own)
    return (second - first) * length, length


def longer_worse(power: float) -> Callable[[RowDocuments, Random], tuple[Array, Array]]:
    """Errors of pages of log-normal lengths, whose rate grows with this power of the length."""

    def rows(document: RowDocuments, random: Random) -> tuple[Array, Array]:
        length = random.lognormal(math.log(CHARACTERS), 1.0, len(document))
        rate = 0.02 * (length / CHARACTERS) ** power * random.lognormal(-0.125, 0.5, len(document))
        return rate * length, length

    return rows


def _well_read(document: RowDocuments, random: Random) -> Array:
    return random.lognormal(-4, 0.7, len(document))


WELL_READ = math.exp(-4 + 0.7**2 / 2)
LONGER_WORSE = {power: 0.02 * math.exp(((1 + power) ** 2 - 1) / 2) for power in (0.7, 0.3, 0.0)}
"""The rates of all text by power: E(L^(1 + power)) / E(L) for lengths of a log-normal distribution."""


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
    section = "Differences of two systems, in single rows"
    for (lost, won), rows_ in itertools.product(
        ((0.01, 0), (0.03, 0), (0.02, 0.01), (0, 0.02), (0, 0.1), (0.1, 0.05), (0.2, 0.2)), (112, 300, 1_000)
    ):
        name = " and ".join(f"{share:.0%} {what}" for share, what in ((lost, "lost"), (won, "won")) if share)
        yield Case(section, name, "mean", rows_, alone, changed(lost, won), won - lost, is_difference=True)
    section = "Differences of two systems, in documents of ten rows that change whole"
    for lost, documents in itertools.product((0.02, 0.05), (30, 60, 112, 400)):
        name = f"{lost:.0%} lost"
        yield Case(section, name, "mean", documents, ten, changed(lost, 0), -lost, is_difference=True)
    section = "Differences of two engines, in the error rate of all text of single pages"
    of_pages = {
        f"one cannot read {UNREAD:.0%} of the pages": (unread_by_one, UNREAD * (1 - WELL_READ)),
        "log-normal, σ = 1, no difference": (of_two_engines, 0.0),  # noqa: RUF001
    }
    for (name, (rows, mean)), pages in itertools.product(of_pages.items(), (40, 112, 400, 1_000)):
        yield Case(section, name, "mean", pages, alone, rows, mean, is_difference=True)
    section = "Error rates of all text of single pages"
    of_text = {
        **{
            f"rates that grow with the length, L^{power}"
            if power
            else "rates that do not depend on the length": (longer_worse(power), mean)
            for power, mean in LONGER_WORSE.items()
        },
        f"{UNREAD:.0%} of the pages cannot be read": (unread, WELL_READ + UNREAD * (1 - WELL_READ)),
    }
    for (name, (rows, mean)), pages in itertools.product(of_text.items(), (12, 40, 112, 400)):
        yield Case(section, name, "rate", pages, alone, rows, mean)
    section = "Documents of ten rows that are right or wrong"
    of_right = {
        "85 % right, whole documents": (right(0.85, 1.0), 0.85),
        **{f"85 % right, ICC {icc}": (right(0.85, icc), 0.85) for icc in (0.5, 0.3, 0.1)},
        "4 % of the documents fail whole": (failing, 0.96 * 0.98),
    }
    for (name, (rows, mean)), documents in itertools.product(of_right.items(), (12, 30, 60, 150)):
        yield Case(section, name, "bounded", documents, ten, rows, mean)


def parts_of(case: Case, document: RowDocuments, random: Random) -> tuple[Array, Array]:
    """Return what is drawn for each row, and what it is divided by."""
    drawn = case.rows(document, random)
    return drawn if isinstance(drawn, tuple) else (drawn, np.ones(len(document)))


def samples_of(case: Case, samples: int) -> Array:
    """Return the totals of samples."""
    random = np.random.default_rng([SEED, case.documents, *case.name.encode()])
    step = max(1, ROWS_AT_ONCE // (40 * case.documents))
    parts = []
    for start in range(0, samples, step):
        count = min(step, samples - start)
        of_documents = case.sizes((count, case.documents), random).ravel()
        document = np.repeat(np.arange(len(of_documents)), of_documents)
        found = added(document, *parts_of(case, document, random), len(of_documents))
        parts.append(summed(found.reshape(count, case.documents, -1)))
    return np.concatenate(parts)


def printed(case: Case, totals: Array) -> tuple[Array, Array, npt.NDArray[np.bool_]]:
    """Return the ends of the intervals of samples, and which are marked `few_rows`."""
    if case.is_difference:
        return *interval_of_difference(totals), marks_of_differences(totals)
    sums = as_sums(totals)
    few = are_few(sums.n, estimates.units(sums), estimates.carried_by(case.kind, sums))
    return *estimates.interval(case.kind, sums, 0.95), few


def check_public(case: Case) -> None:
    """Assert that a report or a comparison prints the interval of these arrays, for one sample."""
    random = np.random.default_rng(SEED)
    sizes = case.sizes((1, case.documents), random).ravel()
    document = np.repeat(np.arange(len(sizes)), sizes)
    x, y = parts_of(case, document, random)
    is_rate = bool((y != 1).any())
    # Rates are made of counts.
    x, y = (np.round(x), np.round(y)) if is_rate else (x, y)
    low, high, few = printed(case, summed(added(document, x, y, len(sizes))[None]))
    bounds = None if case.is_difference and not is_rate else (0, 1 if case.kind == "bounded" else None)
    options: dict[str, Any] = {
        "denominator": "y" if is_rate else None,
        "bounds": bounds,
        "higher_is_better": case.kind == "bounded",
    }
    frame = pl.DataFrame({"x": x, "y": y, "d": document})
    cluster = None if case.sizes is alone else "d"
    if case.is_difference:
        frame = frame.select("y", "d", a=(-pl.col("x")).clip(0), b=pl.col("x").clip(0))
        if is_rate:
            options["denominator"] = {"a": "y", "b": "y"}
        metric = af.Metric({"a": "a", "b": "b"}, name="m", **options)
        made = af.compare(frame, ["a", "b"], metrics=metric, cluster=cluster, draws=1).overall
        found = made.select("difference_low", "difference_high", "few_rows").row(0)
    else:
        report = af.report(frame, metrics=af.Metric("x", name="m", **options), cluster=cluster).overall
        found = report["m_low"], report["m_high"], report["few_rows"]
    assert np.allclose(found[:2], (low[0], high[0]), rtol=1e-9, atol=1e-12), (case, found, low, high)
    assert found[2] == few[0], (case, found)


def lines(samples: int) -> Iterator[tuple[Case, str]]:
    """Yield each case with its line of the table."""
    for case in cases():
        check_public(case)
        totals = samples_of(case, samples)
        sums = as_sums(totals)
        low, high, few = printed(case, totals)
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


def page(*, quick: bool) -> tuple[str, list[str]]:
    """Return the page; it has no bounds."""
    samples = SAMPLES // (10 if quick else 1)
    written, section = [HEAD.format(seed=SEED, samples=samples)], ""
    for case, line in lines(samples):
        if case.section != section:
            section = case.section
            second = section.split()[-1] if "single" in section else "documents"
            written += [f"\n## {section}\n", TABLE.format(first="population", second=second)]
        written.append(line)
        gates.say(line)
    return "\n".join(written) + "\n", []


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__).parse_args(), PAGE))
