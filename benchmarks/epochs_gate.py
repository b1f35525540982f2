"""
Coverage with one and several epochs of questions about documents, and standard errors predicted for others.

    python benchmarks/epochs_gate.py    # writes EPOCHS.md beside this file

Scores come from a normal copula with a part for the document, one for the question and one for the epoch, so
their mean is known. Ends with 1 if the means of questions miss a bound. The same seed gives the same figures.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
from coverage import percent, table
from distributions import KINDS
from populations import (
    Array,
    Random,
    added,
    as_sums,
    heavy_tail,
    interval_of_difference,
    summed,
    ten_each,
)
from scipy import special

from anls_frame import statistics
from anls_frame.repeats import question_scores as components
from anls_frame.reports import estimates

PAGE = Path(__file__).with_name("EPOCHS.md")
SEED = 20261122
REPLICATIONS = 4_000
MOST_ROWS = 4_000_000
MOST = 8
"""Epochs that are drawn; plans take some of them."""
PREDICTED = (1.0, 4.0, 8.0)
"""Epochs for which the standard error is predicted."""

FEWEST = 20
"""Documents of equal size from which the bounds must be kept."""
BOUNDS = {"score": 0.93, "difference": 0.92}

SIZES = {"ten questions": ten_each, "heavy tail": heavy_tail}
DOCUMENTS = (10, 20, 50, 112)
PARTS = ((0.0, 0.6), (0.1, 0.5), (0.3, 0.6))
"""Shares of documents and questions in the variance behind a score; the rest is the epoch's."""
SCORES = (("ANLS", 0.9), ("0/1", 0.7))
PLANS = ("1", "4", "1 to 8", "8 if hard, else 1")

COVERAGE = """\
# Repeated answers

Written by `epochs_gate.py`: seed {seed}, {replications:,} samples per cell (standard error of a coverage of
95 %: {error:.1f} points). Scores come from a normal copula and are ANLS with a mean of 0.9, or 0 and 1 with a
mean of 0.7. Documents have ten questions each, or 1 to 200 with a heavy tail. The shares of documents and of
questions in the variance behind a score are {parts}; the rest varies between epochs. A cell combines these
with a number of documents and a plan of epochs.

## Coverage in %

- *Rows*: a report of all rows, with documents as clusters.
- *Means*: a report of the rows of `mean_over_epochs`, with documents as clusters.
- *Difference*: two systems with equal means that answer the same questions about the same documents.

With equal numbers of epochs, rows and means have nearly the same coverage. If hard questions have more
epochs, intervals from rows miss the system's score and intervals from means do not. Samples without an
interval are left out. With {fewest} or more documents of ten questions, means must reach {score:.0f} % and
differences {difference:.0f} %. **The lowest are {lowest:.1f} and {lowest_difference:.1f} %.**

{table}

## Standard errors for other numbers of epochs

From samples with two epochs of each question, or with 1 to 8, `variance_components` predicts the standard
error of a mean over other numbers of epochs. The table has the prediction divided by the true standard error
(the standard deviation of {replications:,} means): the median and the 5th to 95th percentile of the samples.
*Gain*: how many times as many documents one epoch would need for the same standard error. Scores are 0 or 1,
and documents have ten questions.

{predicted}
"""


def drawn(
    document: npt.NDArray[np.int64], kind: str, mean: float, parts: tuple[float, float], random: Random
) -> tuple[Array, Array, Array]:
    """Draw scores of two systems, a line a question and a column an epoch, and how easy questions are."""
    of_document, of_question = parts
    shared = math.sqrt(of_document) * random.standard_normal(int(document.max()) + 1)[document]
    shared += math.sqrt(of_question) * random.standard_normal(len(document))
    own = math.sqrt(1 - of_document - of_question) * random.standard_normal((2, len(document), MOST))
    first, second = KINDS[kind](mean)(special.ndtr(shared[:, None] + own))
    return first, second, shared


def taken(plan: str, easy: Array, random: Random) -> npt.NDArray[np.bool_]:
    """Return which epochs each question has."""
    numbers: dict[str, Callable[[], npt.NDArray[np.int64]]] = {
        "1": lambda: np.ones(len(easy), np.int64),
        "2": lambda: np.full(len(easy), 2),
        "4": lambda: np.full(len(easy), 4),
        "1 to 8": lambda: random.integers(1, MOST + 1, len(easy)),
        "8 if hard, else 1": lambda: np.where(easy < 0, MOST, 1),
    }
    return np.asarray(np.arange(MOST) < numbers[plan]()[:, None])


def samples(
    documents: int, sizes: str, kind: str, mean: float, parts: tuple[float, float]
) -> Iterator[tuple[int, npt.NDArray[np.int64], tuple[Array, Array, Array], Random]]:
    """Draw all samples of a population, some at a time: how many, the documents of questions, the scores."""
    seed = (documents, [*SIZES].index(sizes), [*KINDS].index(kind), int(100 * parts[0]), int(100 * parts[1]))
    random = np.random.default_rng([SEED, *seed])
    step = max(1, MOST_ROWS // (2 * MOST * documents * (10 if sizes == "ten questions" else 30)))
    for start in range(0, REPLICATIONS, step):
        count = min(step, REPLICATIONS - start)
        document = np.repeat(np.arange(count * documents), SIZES[sizes]((count, documents), random).ravel())
        yield count, document, drawn(document, kind, mean, parts, random), random


def covered(documents: int, sizes: str, kind: str, mean: float, parts: tuple[float, float]) -> Array:
    """Return the coverage: a line for each plan, columns for rows, means and the difference of means."""
    hits, known = np.zeros((2, len(PLANS), 3))
    for count, document, (first, second, easy), random in samples(documents, sizes, kind, mean, parts):
        for line, plan in enumerate(PLANS):
            has = taken(plan, easy, random)
            of_row = np.broadcast_to(document[:, None], has.shape)[has]
            one, other = (
                np.where(has, scores, 0).sum(axis=1) / has.sum(axis=1) for scores in (first, second)
            )
            found = ((of_row, first[has], mean), (document, one, mean), (document, other - one, 0.0))
            for column, (of, x, truth) in enumerate(found):
                of_documents = added(of, x, np.ones(len(x)), count * documents)
                totals = summed(of_documents.reshape(count, documents, -1))
                if column == 2:
                    low, high = interval_of_difference(totals)
                else:
                    low, high = estimates.interval("bounded", as_sums(totals), 0.95)
                known[line, column] += (~np.isnan(low)).sum()
                hits[line, column] += ((low <= truth + 1e-12) & (high >= truth - 1e-12)).sum()
    return np.asarray(hits / known)


def predictions(documents: int, parts: tuple[float, float]) -> Iterator[list[str]]:
    """Return how well the standard errors with other numbers of epochs are predicted."""
    means: list[Array] = []
    predicted: dict[str, list[Array]] = {"2": [], "1 to 8": []}
    for count, _, (scores, _, easy), random in samples(documents, "ten questions", "0/1", 0.7, parts):
        means.append(
            np.stack(
                [scores[:, : int(k)].mean(axis=1).reshape(count, -1).mean(axis=1) for k in PREDICTED], axis=1
            )
        )
        for plan in predicted:
            has = taken(plan, easy, random).reshape(count, -1, MOST)
            predicted[plan] += map(errors, scores.reshape(has.shape), has, itertools.repeat(documents))
    true = np.concatenate(means).std(axis=0, ddof=1)
    for plan, found in predicted.items():
        ratios = np.array(found) / true
        gains = (ratios[:, :1] * true[0] / (ratios * true)) ** 2
        for place, k in enumerate(PREDICTED[1:], 1):
            shown = []
            for values in (ratios, gains):
                low, median, high = np.quantile(values[:, place], (0.05, 0.5, 0.95))
                shown += [f"{median:.2f}", f"{low:.2f} to {high:.2f}"]
            gain = f"{(true[0] / true[place]) ** 2:.2f}"
            yield [f"{parts[0]:g}, {parts[1]:g}", str(documents), plan, f"{k:g}", *shown, gain]


def errors(scores: Array, has: npt.NDArray[np.bool_], documents: int) -> Array:
    """Return the predicted standard errors of a sample whose documents have ten questions each."""
    n = has.sum(axis=1)
    mean = np.where(has, scores, 0).sum(axis=1) / n
    squares = (np.where(has, scores - mean[:, None], 0) ** 2).sum(axis=1)
    document = np.repeat(np.arange(documents), 10)
    epoch = max(statistics.nested_anova(n, mean, squares, document).epoch, 0.0)
    # What `variance_components` calls, without the scoring of rows.
    table = components.standard_errors(pl.DataFrame({"n": n, "mean": mean, "cluster": document}), epoch)
    return table.filter(pl.col("epochs").is_in(PREDICTED))["standard_error"].to_numpy()


def main() -> int:
    lines, least = [], [1.0, 1.0]
    for sizes, documents in itertools.product(SIZES, DOCUMENTS):
        cells = np.array([covered(documents, sizes, *score, parts) for score in SCORES for parts in PARTS])
        for place, plan in enumerate(PLANS):
            found = cells[:, place]
            lines.append([sizes, str(documents), plan])
            for column in range(3):
                low, median = found[:, column].min(), np.median(found[:, column])
                lines[-1] += [percent(low), percent(median)]
            if sizes == "ten questions" and documents >= FEWEST:
                least = [min(old, found[:, column].min()) for old, column in zip(least, (1, 2), strict=True)]
    header = ["questions", "documents", "epochs", "rows: lowest", "median", "means: lowest", "median"]
    page = COVERAGE.format(
        seed=SEED,
        replications=REPLICATIONS,
        error=100 * math.sqrt(0.95 * 0.05 / REPLICATIONS),
        parts="; ".join(f"{document:g} and {question:g}" for document, question in PARTS),
        fewest=FEWEST,
        **{name: 100 * bound for name, bound in BOUNDS.items()},
        lowest=100 * least[0],
        lowest_difference=100 * least[1],
        table=table([*header, "difference: lowest", "median"], lines),
        predicted=table(
            [
                "shares",
                "documents",
                "sample",
                "epochs",
                "median",
                "5 to 95 %",
                "gain",
                "5 to 95 %",
                "true gain",
            ],
            [
                line
                for parts in PARTS[1:3]
                for documents in (20, 112)
                for line in predictions(documents, parts)
            ],
        ),
    )
    PAGE.write_text(page, encoding="utf-8")
    missed = [name for name, found in zip(BOUNDS, least, strict=True) if found < BOUNDS[name]]
    sys.stderr.write(f"below the bound: {missed}\n" if missed else "the gate is passed\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
