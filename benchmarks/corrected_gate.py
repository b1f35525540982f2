"""
Coverage of corrected scores: verdicts on drawn rows, an automatic score of all rows.

    python benchmarks/corrected_gate.py              # writes CORRECTED.md beside this file
    python benchmarks/corrected_gate.py --quick       # prints the page of a tenth of the samples

Each sample draws documents, the truth of their rows (0 or 1, correlated within a document), and the score
that a metric gives them, which is wrong in some rows. Rows are then drawn to be judged by the code of
`anls_frame.audit_sample`, and the score is corrected by that of `anls_frame.corrected`. A line counts how
often the 95 % interval contains the true mean, and compares its width with that of the judged rows alone.
The last table counts it for the agreement of a judge with people, as `anls_frame.corrected` has it, and the
one before it compares the share of the variance that more verdicts remove with that of the samples.
The script ends with an error if an interval covers less than 93 % (minus three standard errors; a correction
that is carried over to a slice does, which the docs warn of), if the scores make an interval wider by more
than 2 % where the tuning is estimated, or if verdicts on differing rows alone do not make that of a
difference narrow.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

import gates
import numpy as np
import numpy.typing as npt
from scipy import special

from anls_frame.reports.corrected_scores import AGREEMENT, FEW_DOCUMENTS
from anls_frame.statistics.audit_draws import allotted, probabilities, systematic
from anls_frame.statistics.carriers import carried_by_few
from anls_frame.statistics.corrected_means import Audit, CorrectedMean, agreement

Array = npt.NDArray[np.float64]

PAGE = Path(__file__).with_name("CORRECTED.md")
LEAST = 0.93
NOT_HELD = "carried over"
"""What is tabulated to warn of it."""
WIDER = 1.02
FEWEST_DOCUMENTS = 10
CORRELATION = 0.2


class Wrong(NamedTuple):
    """Where a metric is wrong: in a share of the rows of a share of documents."""

    name: str
    rows: float
    documents: float = 1.0


WRONG = (
    Wrong("0.5 % of rows", 0.005),
    Wrong("2 % of rows", 0.02),
    Wrong("12 % of rows", 0.12),
    Wrong("50 % of rows", 0.5),
    Wrong("60 % of rows in 5 % of documents", 0.6, 0.05),
)
SIZES = ("14 rows", "1 to 200 rows")
MEANS = (0.8, 0.97)
VERDICTS = (60, 200)

INTRODUCTION = """\
# Coverage of corrected scores

Written by `corrected_gate.py`: seed {seed}, {samples:,} samples per line. The standard error of a coverage of
95 % is {error:.1f} points. The truth is 0 or 1, with a correlation of 0.2 within documents. The metric gives
graded scores and is wrong in the share of rows that the first column states. Each cell has the coverage of
the 95 % interval, in %, and its mean width in parentheses, relative to an interval from the same verdicts
alone (λ = 0).

- *Uniform*: rows drawn with equal probability, the default of `audit_sample`; the estimated λ.
- *λ = 1*: the same rows, with `tuning=1`.
- *By score*: rows drawn with `lean="score"`.
- *By a column*: rows drawn with the name of a column as `lean`, here the points that each row lost.
- *Whole documents*: the same number of rows in documents drawn at random, if these are ten documents or more.
- *These rows*: the interval from `audit_low` to `audit_high`, for the mean truth of the rows at hand; rows
  drawn uniformly.
- *These, by score*: the same interval; rows drawn by score.
- *Bias*: the interval of `bias`.

## One system
"""
TWO = """
## Two systems

The second system differs from the first in a share of the rows and is better by 0.02 there. Widths are
relative to the same number of verdicts on uniformly drawn rows, without scores. *Only differing rows*:
`lean="differing"`.
"""
SLICED = """
## Slices

The slice is a quarter of the rows or of the documents. In it, the metric is wrong four times as often (at
most half of the time). The λ is that of all rows. *Drawn by slice*: `by=` and `per_slice=20`. *Carried over*:
the correction of all rows applied to the slice, which the package does not do.
"""
PLANNED = """
## Plans

Width of an interval from the number of verdicts that `verdicts_needed` asked for, relative to the requested
width (three quarters of a pilot's). Pilots for which it named no number are left out.
"""
SHARED = """
## What more verdicts can remove

`audit_share` of uniform draws: the part of the variance that judging every row removes. *True*: one minus the
variance of the mean truth of all rows divided by that of the corrected score, both over the samples. What is
said includes the row that is added to the judged ones, so it is higher where the metric is seldom wrong. It
is also higher if few documents are large, because many samples lack the largest.
"""
JUDGED = """
## Agreement of a judge with people

{samples:,} samples per line; the standard error of a coverage of 95 % is {error:.1f} points. The judge
says 0 or 1, and so do people, who judged five of fourteen rows per document. A share of the rows is right
(*right*); the judge passes a share of these (*passed*) and catches a share of the wrong ones (*caught*), each
with a correlation of 0.2 within documents. Each cell has the coverage of the 95 % interval in all samples
that have one, in %, and in parentheses the share of samples whose figure is marked because few documents
carry it.
"""
JUDGES = ((0.95, 0.9), (0.95, 0.6), (0.8, 0.8))
"""The shares of right rows that a judge passes, and of wrong ones that it catches."""


class Case(NamedTuple):
    """A population, and how many verdicts are given."""

    wrong: Wrong
    mean: float
    sizes: str
    documents: int
    verdicts: int


HEADS = ("metric is wrong in", "mean", "rows per document", "documents", "verdicts")
"""The columns that describe a case."""


class Rows(NamedTuple):
    """The rows of a sample of documents."""

    document: npt.NDArray[np.int64]
    score: Array
    truth: Array


def cases() -> list[Case]:
    """Return all populations."""
    return [
        Case(wrong, mean, sizes, documents, verdicts)
        for wrong, mean, sizes, documents, verdicts in itertools.product(
            WRONG, MEANS, SIZES, (20, 50, 112), VERDICTS
        )
        if (sizes == SIZES[0] and verdicts <= documents * 7) or sizes == SIZES[1]
    ]


def sliced() -> list[Case]:
    """Return the populations of all tables but the first, which has the others too."""
    return [case for case in cases() if case.verdicts == VERDICTS[-1] and case.mean == MEANS[0]]


def documents_of(case: Case, random: np.random.Generator) -> npt.NDArray[np.int64]:
    """Return the document of each row."""
    if case.sizes == SIZES[0]:
        rows = np.full(case.documents, 14)
    else:
        rows = np.clip(np.exp(random.normal(2.2, 1.2, case.documents)), 1, 200).astype(int)
        # There are enough rows to be judged.
        while rows.sum() < 2 * case.verdicts:
            rows = np.minimum(rows * 2, 200)
    return np.repeat(np.arange(case.documents), rows)


def truths(mean: Array | float, document: npt.NDArray[np.int64], random: np.random.Generator) -> Array:
    """Return 0 or 1 for each row, correlated within documents."""
    shared = random.normal(size=document.max() + 1)[document]
    latent = np.sqrt(LATENT) * shared + np.sqrt(1 - LATENT) * random.normal(size=len(document))
    return np.asarray(latent < special.ndtri(mean), np.float64)


LATENT = np.sin(np.pi / 2 * CORRELATION)
"""Correlation of normal variables whose signs have the wanted one, for a mean of one half."""


def scores(wrong: Wrong, document: npt.NDArray[np.int64], truth: Array, random: np.random.Generator) -> Array:
    """Return the graded scores of a metric that takes some right rows for wrong ones and the reverse."""
    n = len(document)
    near = random.uniform(0.5, 1, n)
    of_right = np.where(random.random(n) < 0.8, 1.0, near)
    of_wrong = np.where(random.random(n) < 0.8, 0.0, near - 0.25)
    is_bad = (random.random(document.max() + 1) < wrong.documents)[document]
    is_taken = (random.random(n) < wrong.rows) & is_bad
    return np.where((truth == 1) != is_taken, of_right, of_wrong)


class Drawn(NamedTuple):
    """Rows, which of them are judged, and how these were drawn."""

    rows: Rows
    judged: npt.NDArray[np.bool_]
    probability: Array
    stratum: npt.NDArray[np.int64]
    known: Sequence[bool] = (False,)

    def audit(self, where: npt.NDArray[np.bool_] | None = None) -> Audit:
        """Return the audit of all rows, or of those of a slice."""
        where = np.ones(len(self.judged), bool) if where is None else where
        judged = self.judged[where]
        document = np.unique(self.rows.document[where], return_inverse=True)[1]
        stratum, score, truth = self.stratum[where], self.rows.score[where], self.rows.truth[where]
        return Audit(
            document=document,
            stratum=stratum,
            n=np.ones(len(judged)),
            total=score,
            known=np.array(self.known),
            judged_document=document[judged],
            judged_stratum=stratum[judged],
            probability=self.probability[where][judged],
            score=score[judged],
            truth=truth[judged],
        )


def one_stratum(rows: Rows) -> npt.NDArray[np.int64]:
    """Return the stratum of rows that are all in the same."""
    return np.zeros(len(rows.score), np.int64)


def uniform(rows: Rows, n: int, random: np.random.Generator) -> Drawn:
    """Draw rows with the same probability."""
    return suspected(rows, n, np.zeros(len(rows.score)), random)


def suspected(rows: Rows, n: int, suspicion: Array, random: np.random.Generator) -> Drawn:
    """Draw rows with probabilities of their own."""
    probability = probabilities(n, suspicion)
    return Drawn(rows, systematic(n, probability, rows.document, random), probability, one_stratum(rows))


def in_strata(
    rows: Rows,
    n: int,
    random: np.random.Generator,
    *,
    stratum: npt.NDArray[np.int64],
    weights: Sequence[float],
    least: int,
) -> Drawn:
    """Draw rows of each stratum."""
    values, stratum = np.unique(stratum, return_inverse=True)
    sizes = np.bincount(stratum)
    counts = allotted(n, sizes, np.asarray(weights)[values], np.full(len(sizes), least))
    judged, probability = np.zeros(len(stratum), bool), np.zeros(len(stratum))
    for place, count in enumerate(counts):
        own = np.flatnonzero(stratum == place)
        probability[own] = count / len(own)
        judged[own] = systematic(int(count), probability[own], rows.document[own], random)
    return Drawn(rows, judged, probability, stratum, [False] * len(sizes))


def by_score(rows: Rows, n: int, random: np.random.Generator) -> Drawn:
    """Draw rows of the lowest score, the highest, and those between."""
    stratum = np.where(rows.score == 0, 0, np.where(rows.score == 1, 2, 1))
    return in_strata(rows, n, random, stratum=stratum, weights=(0.3, 0.5, 0.3), least=10)


def whole_documents(rows: Rows, n: int, random: np.random.Generator) -> Drawn | None:
    """Draw whole documents, of about as many rows."""
    documents = rows.document.max() + 1
    number = round(n / len(rows.document) * documents)
    if number < FEWEST_DOCUMENTS:
        return None
    judged = np.isin(rows.document, random.choice(documents, number, replace=False))
    return Drawn(rows, judged, np.full(len(judged), number / documents), one_stratum(rows))


class Count:
    """How often intervals hold the truth, and how wide they are."""

    def __init__(self) -> None:
        self.n = self.held = 0
        self.widths: list[float] = []

    def add(self, ends: tuple[float, float], truth: float, width: float = np.nan) -> None:
        self.n += 1
        self.held += ends[0] <= truth <= ends[1]
        self.widths.append((ends[1] - ends[0]) / width)

    @property
    def coverage(self) -> float:
        return self.held / self.n if self.n else np.nan

    @property
    def width(self) -> float:
        return float(np.mean(self.widths)) if self.widths else np.nan

    @property
    def is_low(self) -> bool:
        return bool(self.coverage < LEAST - 3 * np.sqrt(LEAST * (1 - LEAST) / max(self.n, 1)))


COLUMNS = (
    "uniform",
    "λ = 1",
    "by score",
    "by a column",
    "whole documents",
    "these rows",
    "these, by score",
    "bias",
)


def of_scores(case: Case, samples: int, random: np.random.Generator) -> dict[str, Count]:
    """Return the counts of one system in a population, by draw."""
    counts = {name: Count() for name in COLUMNS}
    for _ in range(samples):
        rows = population(case, random)
        draws = {
            "uniform": uniform(rows, case.verdicts, random),
            "by score": by_score(rows, case.verdicts, random),
            "by a column": suspected(rows, case.verdicts, np.maximum(0.1, 1 - rows.score), random),
            "whole documents": whole_documents(rows, case.verdicts, random),
        }
        for name, drawn in draws.items():
            if drawn is None or len(np.unique(rows.document[drawn.judged])) < FEWEST_DOCUMENTS:
                continue
            audit = drawn.audit()
            mean = CorrectedMean(audit)
            low, high = CorrectedMean(audit, tuning=0).share_interval()
            counts[name].add(mean.share_interval(), case.mean, high - low)
            if name == "by score":
                counts["these, by score"].add(mean.drawn_interval(), rows.truth.mean(), high - low)
            if name == "uniform":
                counts["λ = 1"].add(CorrectedMean(audit, tuning=1).share_interval(), case.mean, high - low)
                counts["these rows"].add(mean.drawn_interval(), rows.truth.mean(), high - low)
                counts["bias"].add(mean.bias_interval(), expected_score(case) - case.mean, high - low)
    return counts


def population(case: Case, random: np.random.Generator) -> Rows:
    """Return the rows of a sample of documents."""
    document = documents_of(case, random)
    truth = truths(case.mean, document, random)
    return Rows(document, scores(case.wrong, document, truth, random), truth)


def expected_score(case: Case) -> float:
    """Return the mean score of the metric in a population."""
    taken = case.wrong.rows * case.wrong.documents
    right = case.mean * (1 - taken) + (1 - case.mean) * taken
    # Near scores are 0.75 on average where rows are taken for right, and 0.5 elsewhere.
    return right * (0.8 + 0.2 * 0.75) + (1 - right) * 0.2 * 0.5


SLICES = ("of rows", "of rows, drawn by slice", "of documents", "carried over")


def of_slices(case: Case, samples: int, random: np.random.Generator) -> dict[str, Count]:
    """Return the counts of a slice of a quarter, in which the metric is wrong four times as often."""
    counts = {name: Count() for name in SLICES}
    for _ in range(samples):
        rows = population(case, random)
        worse = Wrong("", min(4 * case.wrong.rows, 0.5))
        score = scores(worse, rows.document, rows.truth, random)
        for name in ("of rows", "of documents"):
            units = rows.document if name == "of documents" else np.arange(len(score))
            where = (random.random(units.max() + 1) < 0.25)[units]
            sliced = rows._replace(score=np.where(where, score, rows.score))
            drawn = uniform(sliced, case.verdicts, random)
            whole = add_slice(counts[name], drawn, where, case.mean)
            if where.any():
                carried = sliced.score[where].mean() - whole.bias
                half = (whole.share_interval()[1] - whole.share_interval()[0]) / 2
                counts["carried over"].add((carried - half, carried + half), case.mean)
            if name == "of rows":
                by_slice = in_strata(
                    sliced, case.verdicts, random, stratum=where.astype(int), weights=(1, 1), least=20
                )
                add_slice(counts["of rows, drawn by slice"], by_slice, where, case.mean)
    return counts


def add_slice(count: Count, drawn: Drawn, where: npt.NDArray[np.bool_], truth: float) -> CorrectedMean:
    """Count the interval of a slice, if it has enough verdicts; return the figures of all rows."""
    whole = CorrectedMean(drawn.audit())
    judged = drawn.rows.document[where & drawn.judged]
    if len(judged) >= 10 and len(np.unique(judged)) >= 5:
        count.add(CorrectedMean(drawn.audit(where), tuning=whole.tuning).share_interval(), truth)
    return whole


SYSTEMS = ("uniform", "only differing rows")


def of_two(case: Case, differing: float, samples: int, random: np.random.Generator) -> dict[str, Count]:
    """Return the counts of the difference of two systems that say the same in most rows."""
    counts = {name: Count() for name in SYSTEMS}
    for _ in range(samples):
        first = population(case, random)
        second = truths(case.mean + BETTER, first.document, random)
        is_same = random.random(len(second)) >= differing
        score = scores(case.wrong, first.document, second, random)
        rows = Rows(
            first.document,
            np.where(is_same, 0.0, score - first.score),
            np.where(is_same, 0.0, second - first.truth),
        )
        truth = differing * BETTER
        drawn = uniform(rows, case.verdicts, random)
        low, high = CorrectedMean(drawn.audit(), tuning=0).difference_interval()
        counts["uniform"].add(CorrectedMean(drawn.audit()).difference_interval(), truth, high - low)
        others = np.flatnonzero(~is_same)
        n = min(case.verdicts, len(others))
        judged, probability = np.zeros(len(second), bool), np.ones(len(second))
        probability[others] = n / len(others)
        judged[others] = systematic(n, probability[others], rows.document[others], random)
        drawn = Drawn(rows, judged, probability, is_same.astype(int), (False, True))
        counts["only differing rows"].add(
            CorrectedMean(drawn.audit()).difference_interval(), truth, high - low
        )
    return counts


BETTER = 0.02
"""How much the second system is better where the systems differ."""
DIFFERING = (0.1, 0.3)
NARROWER, NARROW_IN = 0.6, 0.1
"""Largest width from differing rows alone, relative to uniform verdicts, where this share differs."""
FROM_DOCUMENTS = 50
NEAR = 0.1
"""How far the median share may be from the true one."""


def of_plans(case: Case, samples: int, random: np.random.Generator) -> list[float]:
    """Return widths relative to those that were asked for, of as many verdicts as a pilot said."""
    found = []
    for _ in range(samples):
        rows = population(case, random)
        pilot = CorrectedMean(uniform(rows, case.verdicts, random).audit())
        low, high = pilot.share_interval()
        width = 0.75 * (high - low)
        needed = pilot.verdicts_needed(width)
        if needed is not None:
            low, high = CorrectedMean(uniform(rows, needed, random).audit()).share_interval()
            found.append((high - low) / width)
    return found


def of_shares(case: Case, samples: int, random: np.random.Generator) -> tuple[float, Array]:
    """Return the share of the variance that judging every row removes, and what is said of it."""
    found = np.zeros((3, samples))
    for place in range(samples):
        rows = population(case, random)
        mean = CorrectedMean(uniform(rows, case.verdicts, random).audit())
        found[:, place] = rows.truth.mean(), mean.estimate, mean.removable_variance / mean.variance
    full, estimates, said = found
    return 1 - float(full.var() / estimates.var()), said


def text(count: Count) -> str:
    """Return coverage and width."""
    if not count.n:
        return ""
    width = "" if np.isnan(count.width) else f" ({count.width:.2f})"
    return f"{100 * count.coverage:.1f}{width}"


def described(case: Case) -> list[str]:
    """Return the cells that say which population it is."""
    return [case.wrong.name, f"{case.mean:g}", case.sizes, str(case.documents), str(case.verdicts)]


def spread(values: Sequence[float] | Array) -> list[str]:
    """Return the median, between the quantiles at 10 and 90 %."""
    return [f"{end:.2f}" for end in np.quantile(values, (0.1, 0.5, 0.9))]


def row(cells: Sequence[str]) -> str:
    """Return a line of a table."""
    return f"| {' | '.join(cells)} |"


def table(lines: Sequence[tuple[list[str], dict[str, Count]]], heads: Sequence[str]) -> Iterator[str]:
    """Yield a table of counts."""
    names = list(lines[0][1])
    yield row([*heads, *names])
    yield row([*(["---"] * len(heads)), *(["---:"] * len(names))])
    for texts, counts in lines:
        yield row([*texts, *(text(counts[name]) for name in names)])


class Results(NamedTuple):
    """The lines of the tables, and what is wrong with them."""

    one: list[tuple[list[str], dict[str, Count]]]
    two: list[tuple[list[str], dict[str, Count]]]
    slices: list[tuple[list[str], dict[str, Count]]]
    problems: list[str]

    def check(self, texts: Sequence[str], counts: dict[str, Count]) -> None:
        """Note intervals that cover too little."""
        self.problems.extend(
            f"{', '.join(texts)}: {name} covers {100 * count.coverage:.1f} %"
            for name, count in counts.items()
            if count.n and name != NOT_HELD and count.is_low
        )


def add(case: Case, samples: int, random: np.random.Generator, results: Results) -> None:
    """Add the lines of a population."""
    counts = of_scores(case, samples, random)
    results.one.append((described(case), counts))
    results.check(described(case), counts)
    if counts["uniform"].width > WIDER:
        results.problems.append(f"{', '.join(described(case))}: wider than without scores")
    if case not in sliced():
        return
    counts = of_slices(case, samples, random)
    results.slices.append((described(case), counts))
    results.check(described(case), counts)
    for differing in DIFFERING:
        texts, counts = [*described(case), f"{differing:.0%}"], of_two(case, differing, samples, random)
        results.two.append((texts, counts))
        results.check(texts, counts)
        width = counts["only differing rows"].width
        if case.documents >= FROM_DOCUMENTS and differing == NARROW_IN and width > NARROWER:
            results.problems.append(f"{', '.join(texts)}: {width:.2f} of the width")


def of_plans_and_shares(samples: int, seed: int, problems: list[str]) -> Iterator[str]:
    """Yield the tables of plans, and of what more verdicts remove."""
    random = np.random.default_rng([seed, 2])
    plans, shares = [], []
    for case in sliced():
        pilot = case._replace(verdicts=VERDICTS[0])
        found = of_plans(pilot, samples, random)
        plans.append([*described(pilot), str(len(found)), *spread(found)])
        share, said = of_shares(case, samples, random)
        shares.append([*described(case), f"{share:.2f}", *spread(said)])
        median = float(np.median(said))
        if case.sizes == SIZES[0] and abs(median - share) > NEAR:
            problems.append(f"{', '.join(described(case))}: {median:.2f} said for {share:.2f}")
    for text_of, first, lines in ((PLANNED, "plans", plans), (SHARED, "true", shares)):
        yield text_of
        yield row([*HEADS, first, "10 %", "median", "90 %"])
        yield row([*(["---"] * len(HEADS)), *(["---:"] * 4)])
        yield from map(row, lines)


def of_judges(samples: int, seed: int, problems: list[str]) -> list[str]:
    """Return the table of the coverage of agreement, kappa, sensitivity and specificity."""
    random = np.random.default_rng([seed, 1])
    heads = ["passed", "caught", "right", "documents", "draw"]
    lines = [row([*heads, *AGREEMENT]), row(["---"] * len(heads) + ["---:"] * len(AGREEMENT))]
    for (passed, caught), right, documents in itertools.product(JUDGES, (0.5, 0.8, 0.95), (20, 50, 100, 200)):
        observed = right * passed + (1 - right) * caught
        scored = right * passed + (1 - right) * (1 - caught)
        chance = right * scored + (1 - right) * (1 - scored)
        true = dict(
            zip(AGREEMENT, (observed, passed, caught, (observed - chance) / (1 - chance)), strict=True)
        )
        for draw in (uniform, by_score):
            counts = {name: Count() for name in AGREEMENT}
            marked = dict.fromkeys(AGREEMENT, 0)
            for _ in range(samples):
                document = np.repeat(np.arange(documents), 14)
                truth = truths(right, document, random)
                says = np.where(
                    truth == 1, truths(passed, document, random), 1 - truths(caught, document, random)
                )
                found = agreement(draw(Rows(document, says, truth), 5 * documents, random).audit())
                for name, measure in found.items():
                    if measure is not None and measure.low is not None and measure.high is not None:
                        counts[name].add((measure.low, measure.high), true[name])
                        few = measure.documents < FEW_DOCUMENTS or carried_by_few(measure.carrying)
                        marked[name] += bool(few)
            case = [
                f"{passed:g}",
                f"{caught:g}",
                f"{right:g}",
                str(documents),
                draw.__name__.replace("_", " "),
            ]
            lines.append(
                row(
                    [
                        *case,
                        *(
                            f"{100 * count.coverage:.1f} ({100 * marked[name] / max(count.n, 1):.0f})"
                            for name, count in counts.items()
                        ),
                    ]
                )
            )
            problems += [f"{case}: {name} covers too rarely" for name in AGREEMENT if counts[name].is_low]
    return lines


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    samples = 100 if quick else 1_000
    random = np.random.default_rng(seed)
    results = Results([], [], [], [])
    for place, case in enumerate(cases()):
        add(case, samples, random, results)
        sys.stderr.write(f"{place + 1} of {len(cases())}\r")
    error = 100 * np.sqrt(0.95 * 0.05 / samples)
    lines = [
        INTRODUCTION.format(samples=samples, seed=seed, error=error),
        *table(results.one, HEADS),
        TWO,
        *table(results.two, [*HEADS, "rows that differ"]),
        SLICED,
        *table(results.slices, HEADS),
        *of_plans_and_shares(samples, seed, results.problems),
        JUDGED.format(samples=samples, error=error),
        *of_judges(samples, seed, results.problems),
    ]
    return "\n".join(lines) + "\n", results.problems


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261126).parse_args(), PAGE))
