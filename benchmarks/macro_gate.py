"""
Coverage of macro averages, over slices that share documents and over slices of documents of their own.

    python benchmarks/macro_gate.py               # writes MACRO.md beside this file, in minutes
    python benchmarks/macro_gate.py --quick       # prints the page of a tenth of the samples

In the first populations, every document has rows in several slices, as a document of a leaderboard has
questions of several types. In the others, a document lies in one slice, as it has one language or type, and
the slices have few or many documents. A slice has a mean of its own, a document an offset that its rows
share. Each line draws samples of documents. It counts how often the 95 % interval contains the mean of the
slices' means, and that of a difference the true difference of two systems. It ends with an error if an
interval of a line that is not marked covers less than 93 %, or if intervals miss without a mark in more than
7 % (each by three standard errors).

Samples are arrays of sums; the first of each line are counted by `compare` as well, which must agree.
"""

from __future__ import annotations

import functools
import itertools
import multiprocessing
import sys
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

import gates
import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import stats

import anls_frame as af
from anls_frame.reports import macro
from anls_frame.reports.slice_units import SliceUnits, UnitSums

PAGE = Path(__file__).with_name("MACRO.md")
LEAST = 0.93
MOSTLY = 0.5
"""A line with at least this share of marked samples counts as marked."""
CHECKED = 3
"""Number of samples of each line that `compare` counts as well."""
LATENT = np.linspace(-6, 6, 12_001)
"""Latent values between which graded scores are interpolated."""
MEANS = np.array([0.95, 0.85, 0.7, 0.5, 0.8])
"""Means of the slices; further slices begin anew."""
FREQUENCIES = np.array([0.4, 0.3, 0.15, 0.1, 0.05])
"""Shares of the slices in the rows."""
BETTER = np.array([0.0, 0.03, -0.02, 0.05, 0.1])
"""How much the second system is better in each slice."""
FAIL = 0.04
"""Share of documents in which all answers are wrong, if documents fail."""


class Case(NamedTuple):
    """A population of documents; with documents by slice, each lies in one slice."""

    name: str
    documents: int
    correlation: float
    sizes: str
    is_graded: bool = False
    by_slice: tuple[int, ...] = ()
    fails: bool = False
    """Whether some documents fail whole, of both systems."""
    is_equal: bool = False
    """Whether the systems have equal means."""

    @property
    def means(self) -> npt.NDArray[np.float64]:
        """The means of both systems, systems by slices."""
        slices = len(self.by_slice) or len(MEANS)
        better = 0 * BETTER if self.is_equal else BETTER
        return np.stack([np.resize(MEANS, slices), np.resize(MEANS + better, slices)])


SIZES = {"ten rows": (10, 10), "1 to 40 rows": (1, 40), "one row": (1, 1)}


def cases() -> list[Case]:
    """Return all populations."""
    shared = [
        Case(
            f"{'graded' if is_graded else 'right or wrong'}, {sizes}",
            documents,
            correlation,
            sizes,
            is_graded,
        )
        for is_graded, sizes, correlation, documents in itertools.product(
            (False, True), ("ten rows", "1 to 40 rows"), (0.0, 0.3), (20, 50, 112, 300)
        )
    ]
    unlike = (3, 4, 5, 8, 12, 20, 30, 40)
    numbers = {
        "3 to 40 documents": unlike,
        "9 to 120": tuple(3 * number for number in unlike),
        "15 to 200": tuple(5 * number for number in unlike),
        "3, and 20 of four": (3, *[20] * 4),
        "9, and 60 of four": (9, *[60] * 4),
        "15, and 100 of four": (15, *[100] * 4),
        "2, 2, 3, 3, 50, 50": (2, 2, 3, 3, 50, 50),
        "12 each of five": (12,) * 5,
        "40 each of five": (40,) * 5,
    }
    own = [
        Case(name, sum(by_slice), 0.3, sizes, by_slice=by_slice, is_equal=True)
        for (name, by_slice), sizes in itertools.product(numbers.items(), ("ten rows", "log-normal"))
    ]
    own += [
        Case(name, sum(by_slice), 0.0, "one row", by_slice=by_slice, is_equal=True)
        for name, by_slice in (
            ("30 to 400 rows", tuple(10 * number for number in unlike)),
            ("12 each", (12,) * 5),
        )
    ]
    own += [
        Case(
            f"{name}, 4 % fail whole", sum(by_slice), 0.1, sizes, by_slice=by_slice, fails=True, is_equal=True
        )
        for (name, by_slice), sizes in itertools.product(
            list(numbers.items())[-2:], ("ten rows", "log-normal")
        )
    ]
    return shared + own


class Rows(NamedTuple):
    """The rows of a sample: their documents, their slices, and the scores of two systems, a column each."""

    document: npt.NDArray[np.int64]
    kind: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]


@functools.cache
def beta_scores(mean: float) -> npt.NDArray[np.float64]:
    """Return the scores of latent values: of mean m, a beta distribution with parameters 4m and 4(1 - m)."""
    return np.asarray(stats.beta.ppf(stats.norm.cdf(LATENT), 4 * mean, 4 * (1 - mean)))


def sample(case: Case, random: np.random.Generator) -> Rows:
    """Draw documents with their rows."""
    if case.sizes == "log-normal":
        rows = np.ceil(random.lognormal(2, 1, case.documents)).astype(int)
    else:
        low, high = SIZES[case.sizes]
        rows = random.integers(low, high + 1, case.documents)
    document = np.repeat(np.arange(case.documents), rows)
    if case.by_slice:
        kind = np.repeat(np.arange(len(case.by_slice)), case.by_slice)[document]
    else:
        kind = random.choice(len(MEANS), len(document), p=FREQUENCIES)
    shared = random.normal(size=case.documents)[document]
    fails = (random.random(case.documents) < FAIL * case.fails)[document]
    scores = []
    for means in case.means:
        own = random.normal(size=len(document))
        latent = np.sqrt(case.correlation) * shared + np.sqrt(1 - case.correlation) * own
        if case.is_graded:
            drawn = np.stack([np.interp(latent, LATENT, beta_scores(mean)) for mean in means])
            drawn = drawn[kind, np.arange(len(kind))]
        else:
            drawn = (latent < stats.norm.ppf(means)[kind]).astype(np.float64)
        scores.append(np.where(fails, 0.0, drawn))
    return Rows(document, kind, np.stack(scores, axis=1))


def averages(rows: Rows) -> dict[str, Any]:
    """Return the line of `macro` from sums by document and slice."""
    _, kind = np.unique(rows.kind, return_inverse=True)
    slices, documents = kind.max() + 1, rows.document.max() + 1
    cell, place = np.unique(kind * documents + rows.document, return_inverse=True)
    slice_of = cell // documents

    def added(values: Any, line: Any, count: int) -> Any:
        return np.stack([np.bincount(line, column, count) for column in values.T], axis=1)

    n = np.bincount(place, minlength=len(cell)).astype(np.float64)
    x, of_slices = added(rows.scores, place, len(cell)), added(rows.scores, kind, slices)
    sizes = np.bincount(kind, minlength=slices).astype(np.float64)
    clusters = np.bincount(slice_of, minlength=slices)
    sliced = SliceUnits(
        metric=METRIC,
        keys=["kind"],
        slices=pl.DataFrame({"kind": np.arange(slices), "n": sizes, "n_clusters": clusters}),
        units=UnitSums(cell % documents, np.ones(len(cell), np.int64), n, x, n[:, None]),
        slice_of=slice_of,
        totals=(of_slices, sizes[:, None]),
    )
    squares = added(rows.scores**2, kind, slices)
    return macro.compared(sliced, np.ones(slices), squares, [(0, 1)], 0.95)[0]


METRIC = af.compare(
    pl.DataFrame({"old": [0.0], "new": [1.0]}), ["old", "new"], None, metrics="anls"
).summary.metrics[0]


def by_compare(case: Case, rows: Rows) -> dict[str, Any]:
    """Return the same line of the public function."""
    old, new = rows.scores.T
    frame = pl.DataFrame({"document": rows.document, "kind": rows.kind, "old": old, "new": new})
    cluster = None if case.sizes == "one row" else "document"
    compared = af.compare(frame, ["old", "new"], None, by="kind", cluster=cluster, metrics="anls", draws=9)
    return compared.macro().row(0, named=True)


def counted(case: Case, samples: int, seed: int) -> dict[str, float]:
    """Return the coverage of both intervals, and how often they are marked, and missed without a mark."""
    seeds = [seed, *case.name.encode(), *case.sizes.encode(), case.documents, int(10 * case.correlation)]
    random = np.random.default_rng(seeds)
    covers, covers_difference, marked, none = np.zeros((4, samples), bool)
    for place in range(samples):
        rows = sample(case, random)
        line = averages(rows)
        if place < CHECKED:
            public = by_compare(case, rows)
            own, theirs = (np.array([of[name] for name in FIGURES], np.float64) for of in (line, public))
            if not np.allclose(own, theirs, rtol=1e-9, atol=1e-12, equal_nan=True):
                raise AssertionError(f"{case}: {own} is not {theirs}")
        means = case.means[:, np.unique(rows.kind)].mean(axis=1) * (1 - FAIL * case.fails)
        covers[place] = line["score_low"] <= means[1] <= line["score_high"]
        covers_difference[place] = line["difference_low"] <= means[1] - means[0] <= line["difference_high"]
        marked[place] = line["few_rows"]
        none[place] = np.isnan(line["score_low"])
    some = max(samples - none.sum(), 1)
    return {
        "score": covers.sum() / some,
        "difference": covers_difference.sum() / some,
        "marked": marked.mean(),
        "missed": (~covers & ~marked).mean(),
        "missed difference": (~covers_difference & ~marked).mean(),
        "none": none.mean(),
    }


FIGURES = (
    "score",
    "score_low",
    "score_high",
    "difference",
    "difference_low",
    "difference_high",
    "p_value",
    "few_rows",
)


def outcomes(samples: int, seed: int) -> Iterator[tuple[Case, dict[str, float]]]:
    """Count all cases, on all cores; processes are spawned because Polars must not be forked."""
    with ProcessPoolExecutor(mp_context=multiprocessing.get_context("spawn")) as pool:
        how = itertools.repeat(samples), itertools.repeat(seed)
        yield from zip(cases(), pool.map(counted, cases(), *how), strict=True)


def missed_bounds(case: Case, found: dict[str, float], samples: int) -> Iterator[str]:
    """Yield which figures of a line miss their bounds."""
    slack = 3 * np.sqrt(LEAST * (1 - LEAST) / samples)
    for name, missed in (("score", "missed"), ("difference", "missed difference")):
        if found["marked"] < MOSTLY and found[name] < LEAST - slack:
            yield f"{case}: {name} {found[name]:.3f}"
        if found[missed] > 1 - LEAST + slack:
            yield f"{case}: {missed} without a mark {found[missed]:.3f}"


HEAD = """# Coverage of macro averages

Written by `macro_gate.py`: seed {seed}, {samples:,} samples per line. The standard error of a
coverage of 95 % is {error:.1f} points.

- *Correlation*: between the rows of a document, across its slices and both systems.
- *Coverage*: share of samples whose 95 % interval contains the mean of the slices' means.
- *Difference*: the same for the difference of two systems. The p-value of a difference is at most 0.05
  where its interval excludes 0, so for equal systems the test errs in the other samples.
- *Marked*: share of samples marked `few_rows`.
- *Missed unmarked*: share of samples that are not marked and whose interval misses the true mean, and the
  true difference.
- *None*: share of samples without an interval, because a slice is worth fewer than two documents. They are
  marked, and coverage is that of the others.

Lines of which less than half of the samples are marked must reach 93 %, and no line may miss in more than
7 % without a mark, each less three standard errors.

## Documents with rows in several slices

The five slices have means from 0.5 to 0.95 and hold 5 to 40 % of the rows.

{table}"""

OWN = """
## Documents in one slice each

As documents of one type or language. The two systems have equal means, from 0.5 to 0.95 in each slice. Sizes
of documents are ten rows, log-normal (exp N(2, 1)), or a row each, without documents. Where documents fail
whole, all of their answers are wrong, in both systems.

{table}"""

TABLE = """\
| {what} | correlation | documents | coverage, % | difference, % | marked | missed unmarked, % | none |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
"""


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    samples = 100 if quick else 1_000
    shared: list[str] = []
    own: list[str] = []
    failures: list[str] = []
    for case, found in outcomes(samples, seed):
        score, difference, marked, missed, missed_difference, none = (100 * share for share in found.values())
        name = f"{case.name}; {case.sizes}" if case.by_slice else case.name
        line = (
            f"| {name} | {case.correlation:g} | {case.documents} | {score:.1f} | {difference:.1f} "
            f"| {marked:.0f} % | {missed:.1f}, {missed_difference:.1f} | {none:.0f} % |\n"
        )
        (own if case.by_slice else shared).append(line)
        gates.say(line.rstrip())
        failures += missed_bounds(case, found, samples)
    error = f"{100 * np.sqrt(0.05 * 0.95 / samples):.1f}"
    table = TABLE.format(what="population") + "".join(shared)
    text = HEAD.format(seed=seed, samples=samples, error=float(error), table=table)
    text += OWN.format(table=TABLE.format(what="documents of the slices; rows of a document") + "".join(own))
    return text, failures


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261126).parse_args(), PAGE))
