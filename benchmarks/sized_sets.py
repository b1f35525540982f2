"""Slices that are told by the size of their documents, for `slices_gate.py` and `rest_gate.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy import stats
from slices_sets import METRIC, PLAN, SEED, Array, Errors, Line, Random, halves, is_found

from anls_frame.slices.search import ListedRows, honest, searched
from anls_frame.slices.slice_scores import Scores
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.dealt import two_sided
from anls_frame.statistics.losses import Losses

LEVEL = 0.05
STAGES = (19, 49, 99, 199)
"""Numbers of draws, each of which may show that p is too large."""


@dataclass(frozen=True)
class Sized:
    """
    Documents whose slice goes with their size: slices A and B, or fifths of documents by size.

    Parameters
    ----------
    sizes
        Rows of the documents of A and of B; none for fifths, with sizes exp N(2, 1).
    of_b, documents
        Number of documents of B, and of all.
    scores
        "independent" rows, "correlated" ones (0.2), or "rare bad documents".
    is_poisson
        Whether sizes are the means of Poisson numbers.
    """

    sizes: tuple[int, int] | None
    of_b: int
    documents: int
    scores: str = "independent"
    is_poisson: bool = False

    @property
    def cells(self) -> tuple[str, ...]:
        """What the page says of the sizes, documents and scores."""
        if self.sizes is None:
            return "fifths by size", str(self.documents), self.scores
        sizes = f"{self.sizes[0]}, {self.sizes[1]}{', Poisson' if self.is_poisson else ''}"
        return sizes, f"{self.of_b} of {self.documents}", self.scores

    def drawn(self, number: int, *, differs: bool) -> tuple[Array, Array, Array]:
        """Return score and document of rows, and the slice of documents."""
        words = f"{self.cells}{differs}"
        random: Random = np.random.default_rng([SEED, *words.encode(), number])
        count = self.documents
        if self.sizes is None:
            sizes = np.maximum(np.round(np.exp(random.normal(2, 1, count))), 1).astype(np.int64)
            slice_ = 5 * np.argsort(np.lexsort((random.random(count), sizes))) // count
            means = np.linspace(0.97, 0.55, 5)[slice_]
        else:
            slice_ = (np.arange(count) < self.of_b).astype(np.int64)
            sizes = np.array(self.sizes)[slice_]
            sizes = np.maximum(random.poisson(sizes), 1) if self.is_poisson else sizes
            means = np.array([0.9, 0.6])[slice_]
        if not differs:
            means = np.full(count, 0.9)
        if self.scores == "correlated":
            means = random.beta(4 * means, 4 * (1 - means))
        if self.scores == "rare bad documents":
            means = np.where(random.random(count) < 0.07, 0.05, 0.92)
        document = np.repeat(np.arange(count), sizes)
        return (random.random(len(document)) < means[document]).astype(float), document, slice_


def is_different(score: Array, document: Array, slice_of: Array) -> npt.NDArray[np.bool_]:
    """Return which slices `Report.against_rest` finds different; it stops where no draw can change that."""
    scores = Scores(METRIC, "system", score, np.ones(len(score)), None)
    losses = Losses.of(*scores.single_rows(), document, np.zeros(len(score), np.int64))
    codes = Codes(slice_of[losses.line].astype(np.intp), int(slice_of.max()) + 1)
    # The first draws are those of all draws.
    for draws in STAGES:
        p, _ = two_sided(losses, codes, draws, 0)
        reached = p * (1 + draws) - 1
        is_found = np.asarray(reached <= LEVEL * (1 + STAGES[-1]) - 1 + 1e-9)
        if not is_found.any():
            break
    return is_found


def of_documents(score: Array, document: Array, slice_: Array) -> bool:
    """Return whether Welch's t test of the means of documents finds any slice."""
    means = np.bincount(document, score) / np.bincount(document)
    return any(
        stats.ttest_ind(means[slice_ == one], means[slice_ != one], equal_var=False).pvalue <= LEVEL
        for one in range(int(slice_.max()) + 1)
    )


def found(population: Sized, number: int, *, differs: bool) -> tuple[dict[str, bool], Errors]:
    """Return whether a slice is found in either way; for `against_rest` the last one, where none differs."""
    score, document, slice_ = population.drawn(number, differs=differs)
    codes = Codes(slice_[document].astype(np.intp), int(slice_.max()) + 1)
    y = np.ones(len(score))
    rows = ListedRows([codes], [Scores(METRIC, "system", score, y, y - score)], document)
    tested, _, _ = honest(rows, halves(document, number), PLAN)
    of_search = is_found(rows)
    if of_search and differs:
        listed, _, _ = searched(rows, PLAN)
        of_search = bool(listed)
    different = is_different(score, document, slice_[document])
    counted = {
        "search": of_search,
        "honest": any(one.p_adjusted <= LEVEL for one in tested),
        "against_rest": bool(different.any() if differs else different[-1]),
    }
    if differs:
        counted["t"] = of_documents(score, document, slice_)
    return counted, []


def differing() -> Iterator[Sized]:
    """Yield populations whose slices differ."""
    yield Sized((10, 10), 20, 100)
    yield Sized((8, 14), 20, 100, is_poisson=True)
    yield Sized((5, 20), 20, 100)
    yield Sized((3, 60), 20, 100)
    yield Sized((20, 3), 30, 100)
    yield Sized((5, 20), 50, 100)
    yield Sized(None, 0, 30)
    yield Sized(None, 0, 112)


def alike() -> Iterator[Sized]:
    """Yield populations in which no slice differs."""
    yield Sized((5, 20), 20, 100, "correlated")
    yield Sized((5, 20), 20, 100, "rare bad documents")
    yield Sized((3, 60), 20, 100, "correlated")
    yield Sized((20, 3), 30, 100, "correlated")
    yield Sized((5, 20), 50, 100, "independent")
    yield Sized(None, 0, 30, "correlated")
    yield Sized(None, 0, 112, "correlated")
    yield Sized(None, 0, 112, "rare bad documents")


def lines(*, differs: bool) -> Iterator[Line]:
    """Yield the lines of the populations in which slices differ, or do not."""
    for one in differing() if differs else alike():
        mode = "differs" if differs else "alike"
        yield Line(one.cells, partial(found, one, differs=differs), mode=mode)


def frame(population: Sized, number: int, *, differs: bool) -> pl.DataFrame:
    """Return a set as the rows of a table."""
    score, document, slice_ = population.drawn(number, differs=differs)
    return pl.DataFrame({"score": score, "document": document, "kind": slice_[document]})
