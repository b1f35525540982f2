"""Slices that are told by the size of their documents, for `slices_gate.py` and `rest_gate.py`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Literal

import numpy as np
import polars as pl
from scipy import stats
from slices_sets import METRIC, PLAN, SEED, Array, Errors, Line, Random, halves, is_found

from anls_frame.slices.search import ListedRows, honest
from anls_frame.slices.slice_scores import Scores
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.dealt import two_sided
from anls_frame.statistics.losses import Losses

LEVEL = 0.05
STAGES = (19, 49, 99, 199)
"""Numbers of draws, each of which may show that p is too large."""
MOST_REACHED = LEVEL * (1 + STAGES[-1]) - 1 + 1e-9
"""Largest share of draws in which a statistic is as large as that of a slice that is found."""


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


def is_different(score: Array, document: Array, slice_of: Array, *, differs: bool) -> bool:
    """
    Return whether `Report.against_rest` finds any slice different, or the last one where none differs.

    It stops where no draw can change that.
    """
    scores = Scores(METRIC, "system", score, np.ones(len(score)), None, np.ones(len(score)))
    losses = Losses.of(*scores.single_rows(), document, np.zeros(len(score), np.int64))
    codes = Codes(slice_of[losses.line].astype(np.intp), int(slice_of.max()) + 1)
    # The first draws are those of all draws.
    for draws in STAGES[-1:] if differs else STAGES:
        p, _ = two_sided(losses, codes, draws, 0)
        # A slice that cannot be tested is not found.
        reached = np.nan_to_num(p, nan=1.0) * (1 + draws) - 1
        is_found = bool((reached if differs else reached[-1:]).min() <= MOST_REACHED)
        if not is_found:
            break
    return is_found


def of_documents(means: Array, slice_: Array, side: Literal["two-sided", "less"]) -> Array:
    """Return the p-value of each slice from Welch's t test of the means of documents."""
    return np.array(
        [
            stats.ttest_ind(means[slice_ == one], means[slice_ != one], equal_var=False, alternative=side)[1]
            for one in range(int(slice_.max()) + 1)
        ]
    )


def is_worse(means: Array, slice_: Array) -> bool:
    """Return whether such tests find any slice worse, adjusted for the number of slices."""
    return bool(np.nanmin(of_documents(means, slice_, "less")) * (slice_.max() + 1) <= LEVEL)


def is_confirmed(rows: ListedRows, held_out: Array) -> bool:
    """Return whether a slice is found and holds on the rows held out; it stops as `is_different` does."""
    for draws in STAGES:
        plan = replace(PLAN, search=PLAN.search.replace(draws=draws))
        tested, _, _ = honest(rows, held_out, plan)
        reached = np.array([one.p_adjusted for one in tested]) * (1 + draws) - 1
        is_found = bool((reached <= MOST_REACHED).any())
        if not is_found:
            break
    return is_found


def found(population: Sized, number: int, *, differs: bool) -> tuple[dict[str, bool], Errors]:
    """Return whether a slice is found in either way; for `against_rest` the last one, where none differs."""
    score, document, slice_ = population.drawn(number, differs=differs)
    codes = Codes(slice_[document].astype(np.intp), int(slice_.max()) + 1)
    y = np.ones(len(score))
    rows = ListedRows([codes], [Scores(METRIC, "system", score, y, y - score, np.ones(len(score)))], document)
    held_out = halves(document, number)
    counted = {
        "search": is_found(rows),
        "honest": is_confirmed(rows, held_out),
        "against_rest": is_different(score, document, slice_[document], differs=differs),
    }
    if differs:
        means = np.bincount(document, score) / np.bincount(document)
        is_tested = np.bincount(document, held_out) > 0
        counted["t"] = bool(of_documents(means, slice_, "two-sided").min() <= LEVEL)
        counted["t, adjusted"] = is_worse(means, slice_)
        counted["t, half"] = is_worse(means[is_tested], slice_[is_tested])
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
