"""
Coverage of intervals that few documents carry, and how often these are marked.

    python benchmarks/carried_gate.py            # writes CARRIED.md beside this file, in minutes
    python benchmarks/carried_gate.py --quick    # a tenth of the samples, prints the page

Corrected scores of a judge that errs in few documents, areas under risk-coverage curves where few documents
fail with high confidence, error rates that grow with the length of a page, and quantiles of values that grow
with the size of a document. The true values come from a large population. Ends with 1 if an interval of a
line of which few samples are marked covers less than its bound.

Samples are arrays; the first of each population go through the public functions too, which must agree.
"""

from __future__ import annotations

import functools
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import gates
import numpy as np
import numpy.typing as npt
import polars as pl
from losing import log_normal
from populations import added, as_sums, heavy_tail, summed

import anls_frame as af
from anls_frame.reports import confidences, corrected_scores, estimates
from anls_frame.statistics import RiskCoverage, difference_of_augrc
from anls_frame.statistics.carriers import are_few, carried_by_few
from anls_frame.statistics.corrected_means import Audit, CorrectedMean

Array: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]
Random: TypeAlias = np.random.Generator

PAGE = Path(__file__).with_name("CARRIED.md")
LEAST = {"corrected": 0.93, "bias": 0.92, "AUGRC": 0.92, "AURC": 0.92, "difference": 0.92}
"""Coverage that intervals of cells without marks must reach; other figures are tabulated only."""
MOSTLY = 0.5
ERRORS_ALLOWED = 3
CHECKED = 3
MANY = 40_000
"""Documents of the population from which true values are taken."""


class Found(NamedTuple):
    """The ends of an interval of a sample, and whether it is marked; nan without an interval."""

    low: float
    high: float
    few: bool


Figures: TypeAlias = dict[str, Found]


@dataclass(frozen=True)
class Cell:
    """
    A population, with the numbers of documents that are drawn.

    Parameters
    ----------
    name
        What it is called.
    documents
        Numbers of documents (or rows) of samples.
    figures
        Takes a number of documents and the random numbers of samples, and gives the intervals of each.
    truth
        The true values of the figures.
    check
        The same for one sample, by the public functions.
    """

    name: str
    documents: tuple[int, ...]
    figures: Callable[[int, Sequence[Random]], list[Figures]]
    truth: Callable[[], dict[str, float]]
    check: Callable[[int, Random], Figures] | None = field(default=None)


def one_by_one(figures: Callable[..., Figures], *arguments: Any) -> Callable[..., list[Figures]]:
    """Return a function that draws the samples one after the other."""
    return lambda documents, randoms: [figures(*arguments, documents, random) for random in randoms]


def rows_of(sizes: Callable[[tuple[int, int], Random], Ints] | int, documents: int, random: Random) -> Ints:
    """Return the document of each row."""
    n = np.full(documents, sizes) if isinstance(sizes, int) else sizes((1, documents), random)[0]
    return np.repeat(np.arange(documents), n)


# Corrected scores.

VERDICTS = 100


class Judged(NamedTuple):
    """Rows with the truth and the score of a judge."""

    document: Ints
    truth: Array
    score: Array


def judged_rows(kind: str, sizes: Any, documents: int, random: Random) -> Judged:
    """Return rows of which a tenth is wrong, in 4 % of the documents all, and what a judge says."""
    document = rows_of(sizes, documents, random)
    fails = random.random(documents) < 0.04
    if kind == "large documents fail":
        # Documents of 15 rows or more, about a quarter.
        fails = (random.random(documents) < 0.16) & (np.bincount(document) >= 15)
    of_row = fails[document]
    truth = np.where(of_row, 0.0, random.random(len(document)) < 0.9)
    wrong = random.random(len(document)) < 0.02
    if kind == "errs in 6 % of documents":
        wrong = (random.random(documents) < 0.06)[document]
    elif kind == "errs in 12 % of rows":
        wrong = random.random(len(document)) < 0.12
    score = np.where(wrong, 1 - truth, truth)
    if kind in {"blind to failed documents", "large documents fail"}:
        score = np.where(of_row, 1.0, score)
    return Judged(document, truth, score)


def drawn(rows: Judged, random: Random) -> Ints:
    """Return the rows that are judged, drawn at random."""
    number = min(VERDICTS, len(rows.truth))
    return np.sort(random.choice(len(rows.truth), number, replace=False))


def corrected(kind: str, sizes: Any, documents: int, random: Random) -> Figures:
    rows = judged_rows(kind, sizes, documents, random)
    judged = drawn(rows, random)
    mean = CorrectedMean(
        Audit(
            document=rows.document,
            stratum=np.zeros(len(rows.truth), np.int64),
            n=np.ones(len(rows.truth)),
            total=rows.score,
            known=np.array([False]),
            judged_document=rows.document[judged],
            judged_stratum=np.zeros(len(judged), np.int64),
            probability=np.ones(len(judged)),
            score=rows.score[judged],
            truth=rows.truth[judged],
        )
    )
    few = mean.documents < corrected_scores.FEW_DOCUMENTS
    return {
        "corrected": Found(*mean.share_interval(), few or bool(carried_by_few(mean.carrying))),
        "bias": Found(*mean.bias_interval(), few or bool(carried_by_few(mean.carrying_bias))),
    }


def corrected_by_frame(kind: str, sizes: Any, documents: int, random: Random) -> Figures:
    rows = judged_rows(kind, sizes, documents, random)
    truth = np.full(len(rows.truth), np.nan)
    judged = drawn(rows, random)
    truth[judged] = rows.truth[judged]
    frame = pl.DataFrame({"doc": rows.document, "score": rows.score, "truth": truth})
    frame = frame.with_columns(pl.col("truth").fill_nan(None))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        line = af.corrected(frame, "score", "truth", cluster="doc").overall.row(0, named=True)
    return {
        "corrected": Found(line["corrected_low"], line["corrected_high"], line["few_rows"]),
        "bias": Found(line["bias_low"], line["bias_high"], line["bias_few_rows"]),
    }


def true_means(kind: str, sizes: Any) -> dict[str, float]:
    rows = judged_rows(kind, sizes, 10 * MANY, np.random.default_rng(1))
    return {"corrected": float(rows.truth.mean()), "bias": float((rows.score - rows.truth).mean())}


def of_judges() -> Iterator[Cell]:
    sizes: dict[str, Any] = {"14 rows": 14, "log-normal sizes": log_normal}
    kinds = ("errs in 12 % of rows", "errs in 6 % of documents", "blind to failed documents")
    pairs = [(kind, name) for kind in kinds for name in sizes]
    for kind, name in [*pairs, ("large documents fail", "log-normal sizes")]:
        shown = f"{kind}, blind to them" if kind == "large documents fail" else kind
        arguments = (kind, sizes[name])
        yield Cell(
            f"judge: {shown}; {name}",
            (50, 112),
            one_by_one(corrected, *arguments),
            functools.partial(true_means, *arguments),
            functools.partial(corrected_by_frame, *arguments),
        )


# Areas under risk-coverage curves.


class Ranked(NamedTuple):
    """Rows with a loss and two confidences."""

    document: Ints
    loss: Array
    first: Array
    second: Array


def ranked_rows(kind: str, sizes: Any, documents: int, random: Random) -> Ranked:
    document = rows_of(sizes, documents, random)
    n = len(document)
    hardness, noise = random.random((2, n))
    loss = (random.random(n) < 0.48 * hardness**3).astype(np.float64)
    sure = 1 - hardness
    noisy = 0.7 * sure + 0.3 * random.random(n)
    if kind == "2 % of documents lost with high confidence":
        fails = (random.random(documents) < 0.02)[document]
        loss, sure = np.where(fails, 1.0, loss), np.where(fails, 0.9 + 0.1 * noise, sure)
    elif kind == "rare graded losses":
        loss = np.where(random.random(n) < 0.06, random.random(n) ** 3, 0.0)
    elif kind == "the most confident tenth is worst":
        loss = np.where(sure > 0.9, random.random(n) < 0.3, random.random(n) < 0.02).astype(np.float64)
    return Ranked(document, loss, sure, noisy)


def areas(kind: str, sizes: Any, documents: int, random: Random) -> Figures:
    rows = ranked_rows(kind, sizes, documents, random)
    first, second = (RiskCoverage.of(sure, rows.loss, rows.document) for sure in (rows.first, rows.second))
    change = difference_of_augrc(first, second, 0.95)
    both = confidences.has_few(first, min(first.carrying("augrc"), first.carrying("aurc")))
    return {
        "AUGRC": Found(*first.interval("augrc", 0.95), both),
        "AURC": Found(*first.interval("aurc", 0.95), both),
        "difference": Found(change.low, change.high, confidences.has_few(first, change.carrying)),
    }


def areas_by_frame(kind: str, sizes: Any, documents: int, random: Random) -> Figures:
    rows = ranked_rows(kind, sizes, documents, random)
    frame = pl.DataFrame(rows._asdict()).with_columns(right=1 - pl.col("loss"))
    made = af.selective(frame, metrics="right", model_confidence=["first", "second"], cluster="document")
    line, change = made.overall.row(0, named=True), made.differences.row(0, named=True)
    ends = (line[f"{area}_{end}"] for area in ("augrc", "aurc") for end in ("low", "high"))
    low, high, aurc_low, aurc_high = ends
    return {
        "AUGRC": Found(low, high, line["few_rows"]),
        "AURC": Found(aurc_low, aurc_high, line["few_rows"]),
        "difference": Found(change["difference_low"], change["difference_high"], change["few_rows"]),
    }


def true_areas(kind: str, sizes: Any) -> dict[str, float]:
    rows = ranked_rows(kind, sizes, MANY if sizes != 1 else 10 * MANY, np.random.default_rng(2))
    first, second = (RiskCoverage.of(sure, rows.loss) for sure in (rows.first, rows.second))
    return {"AUGRC": first.augrc, "AURC": first.aurc, "difference": second.augrc - first.augrc}


def of_areas() -> Iterator[Cell]:
    lost = "2 % of documents lost with high confidence"
    cells: list[tuple[str, str, Any, tuple[int, ...]]] = [
        ("hard rows are lost", "ten rows", 10, (112, 400)),
        (lost, "ten rows", 10, (30, 112, 400)),
        (lost, "log-normal sizes", log_normal, (112, 400)),
        (lost, "1 to 200 rows", heavy_tail, (400,)),
        ("rare graded losses", "single rows", 1, (112, 400)),
        ("the most confident tenth is worst", "single rows", 1, (112, 400)),
    ]
    for kind, name, sizes, documents in cells:
        yield Cell(
            f"confidence: {kind}; {name}",
            documents,
            one_by_one(areas, kind, sizes),
            functools.partial(true_areas, kind, sizes),
            functools.partial(areas_by_frame, kind, sizes),
        )


# Error rates of pages.


def pages(kind: str, documents: int, random: Random) -> tuple[Array, Array]:
    """Return the errors and the lengths of pages."""
    length = np.ceil(1000 * random.lognormal(0, 1, documents))
    rate = 0.03 * random.lognormal(0, 0.5, documents)
    if kind == "rates grow with the length of a page":
        rate *= (length / 1000) ** 0.7
    else:
        rate = np.where(random.random(documents) < 0.03, 1.0, rate)
    return rate * length, length


def rates(kind: str, documents: int, random: Random) -> Figures:
    errors, length = pages(kind, documents, random)
    sums = as_sums(summed(added(np.arange(documents), errors, length, documents)[None]))
    low, high = estimates.interval("rate", sums, 0.95)
    few = are_few(sums.n, estimates.units(sums), estimates.carried_by("rate", sums))
    return {"corpus CER": Found(float(low[0]), float(high[0]), bool(few[0]))}


def true_rate(kind: str) -> dict[str, float]:
    errors, length = pages(kind, 100 * MANY, np.random.default_rng(3))
    return {"corpus CER": float(errors.sum() / length.sum())}


def of_pages() -> Iterator[Cell]:
    for kind in ("rates grow with the length of a page", "3 % of pages cannot be read"):
        yield Cell(
            f"pages: {kind}",
            (12, 40, 112, 400),
            one_by_one(rates, kind),
            functools.partial(true_rate, kind),
        )


# Quantiles.

QUANTILES = (0.5, 0.9, 0.95)


def values(documents: int, random: Random) -> tuple[Ints, Array]:
    """Return the document of each row, and values that grow with its size."""
    document = rows_of(log_normal, documents, random)
    size = np.bincount(document)[document]
    return document, size * random.lognormal(0, 0.5, len(document))


def quantiles(documents: int, randoms: Sequence[Random]) -> list[Figures]:
    """Return the intervals of a report by sample."""
    drawn = [values(documents, random) for random in randoms]
    frame = pl.DataFrame(
        {
            "sample": np.repeat(np.arange(len(drawn)), [len(value) for _, value in drawn]),
            "doc": np.concatenate([place * documents + of for place, (of, _) in enumerate(drawn)]),
            "value": np.concatenate([value for _, value in drawn]),
        }
    )
    own = af.Metric("value", bounds=(0, None))
    metrics = {f"quantile {share}": af.Metric.quantile(own, share) for share in QUANTILES}
    report: af.Report[pl.DataFrame] = af.report(
        frame, metrics=[*metrics.values()], by="sample", cluster="doc"
    )
    found = []
    for line in report.by_group.sort("sample").iter_rows(named=True):
        ends = {name: [line[end] for end in metric.ends[1:]] for name, metric in metrics.items()}
        found.append(
            {
                name: Found(
                    -np.inf if low is None else low, np.inf if high is None else high, line["few_rows"]
                )
                for name, (low, high) in ends.items()
            }
        )
    return found


def true_quantiles() -> dict[str, float]:
    _, value = values(10 * MANY, np.random.default_rng(4))
    return {f"quantile {share}": float(np.quantile(value, share)) for share in QUANTILES}


def of_quantiles() -> Iterator[Cell]:
    yield Cell(
        "values grow with the size of a document; log-normal sizes", (30, 112), quantiles, true_quantiles
    )


# Tables.

HEAD = """# Intervals that few documents carry

Written by `carried_gate.py`: seed {seed}, {samples:,} samples per line. The standard error of a coverage of
95 % is {error:.1f} points.

- *Coverage*: share of samples whose 95 % interval contains the true value, of those with an interval.
- *Marked*: share of samples that are marked `few_rows`, for a bias `bias_few_rows`: fewer than ten documents
  (or rows) carry the figure, on the side where there are fewer, or there are too few of them.
- *Missed unmarked*: share of samples that are not marked and whose interval misses the true value.

A line of which less than half of the samples are marked must reach 93 % for a corrected score, and 92 % for a
bias, an area or a difference of areas, less three standard errors. No mark can show documents of a kind that
a sample lacks: of samples of 112 documents, 10 % have none of the 2 % that are lost with high confidence.
Error rates and quantiles are not checked. Log-normal sizes are exp N(2, 1);
the probability of n of 1 to 200 rows falls as n^-1.5. Judges see 100 rows drawn at random; 10 % of the rows
are wrong, and 4 % of the documents fail whole, unless large ones do.

| population | documents | figure | coverage, % | marked | missed unmarked, % |
| --- | ---: | --- | ---: | ---: | ---: |
"""


def lines_of(cell: Cell, samples: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Yield the lines of a population, with what is outside its bounds."""
    truth = cell.truth()
    for documents in cell.documents:
        seeds = [seed, *cell.name.encode(), documents]
        every = cell.figures(documents, [np.random.default_rng([*seeds, place]) for place in range(samples)])
        for place in range(CHECKED if cell.check else 0):
            assert cell.check is not None
            public = cell.check(documents, np.random.default_rng([*seeds, place]))
            for name, own in every[place].items():
                ours, theirs = np.array([own[:2], public[name][:2]], np.float64)
                agree = np.allclose(ours, theirs, rtol=1e-9, equal_nan=True)
                if not agree or own.few != public[name].few:
                    raise AssertionError(f"{cell.name}: {name} {own} is not {public[name]}")
        for name, value in truth.items():
            low, high, few = (np.array(ends) for ends in zip(*(one[name] for one in every), strict=True))
            covers, has = (low <= value) & (value <= high), ~np.isnan(low)
            coverage, missed = covers.sum() / max(has.sum(), 1), (~covers & ~few & has).mean()
            line = (
                f"| {cell.name} | {documents} | {name} | {100 * coverage:.1f} | {100 * few.mean():.0f} % "
                f"| {100 * missed:.1f} |"
            )
            failures = []
            least = LEAST.get(name, 0.0)
            slack = ERRORS_ALLOWED * np.sqrt(least * (1 - least) / samples)
            if few.mean() < MOSTLY and coverage < least - slack:
                failures.append(f"coverage {coverage:.3f}: {line}")
            yield line, failures


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    samples = 100 if quick else 1_000
    lines, missed = [], []
    for cell in (*of_judges(), *of_areas(), *of_pages(), *of_quantiles()):
        for line, failures in lines_of(cell, samples, seed):
            gates.say(line)
            lines.append(line)
            missed += failures
    head = HEAD.format(seed=seed, samples=samples, error=100 * np.sqrt(0.05 * 0.95 / samples))
    return head + "\n".join(lines) + "\n", missed


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261128).parse_args(), PAGE))
