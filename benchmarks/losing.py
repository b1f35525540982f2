"""Documents in which rows win and lose between two systems, whose true loss is known."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from populations import Array, Random, heavy_tail, ten_each

import anls_frame as af
from anls_frame.statistics import sample_sizes
from anls_frame.statistics.sample_sizes import Changes


def log_normal(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:
    """Documents whose sizes are log-normal, exp N(2, 1)."""
    return np.asarray(np.ceil(random.lognormal(2, 1, shape)), np.int64)


SIZES = {"ten rows": ten_each, "1 to 200 rows": heavy_tail, "log-normal": log_normal}


class Sample(NamedTuple):
    """Rows, and sums of differences, of documents: a line for each sample."""

    n: Array
    x: Array

    def changes(self) -> Changes:
        samples, documents = self.n.shape
        group = np.repeat(np.arange(samples), documents)
        count = np.ones(group.shape)
        return sample_sizes.group_changes(group, samples, count, self.n.ravel(), self.x.ravel(), unseen=1.0)


@dataclass(frozen=True)
class Population:
    """
    Documents with the rows that differ between two systems.

    Parameters
    ----------
    name, sizes
        What changes, and the law of the documents' sizes.
    loss
        The true loss.
    drawn
        Takes a shape and random numbers, and gives rows and differences of documents.
    gated
        Whether its figures must keep their bounds.
    """

    name: str
    sizes: str
    loss: float
    drawn: Callable[[tuple[int, int], Random], Sample]
    gated: bool = True


Rates: TypeAlias = "Callable[[Array, Random], tuple[Array, Array]]"
"""Takes the sizes of documents, and gives the shares of their rows that lose and that win."""


def made(name: str, sizes: str, loss: float, rates: Rates, *, gated: bool = True) -> Population:
    """Return documents whose rows score 0 or 1."""

    def drawn(shape: tuple[int, int], random: Random) -> Sample:
        n = SIZES[sizes](shape, random)
        lose, win = rates(n.astype(np.float64), random)
        lost = random.binomial(n, np.clip(lose, 0, 1))
        won = random.binomial(n - lost, np.clip(win / np.maximum(1 - lose, 1e-9), 0, 1))
        return Sample(n.astype(np.float64), (won - lost).astype(np.float64))

    return Population(name, sizes, loss, drawn, gated)


def spread(loss: float, churn: float) -> Rates:
    """Any row may lose or win."""
    lose, win = (churn + loss) / 2, (churn - loss) / 2
    return lambda n, _: (np.full(n.shape, lose), np.full(n.shape, win))


def in_some(loss: float, churn: float, share: float = 0.5) -> Rates:
    """So large a share of the rows change in some documents, and none in others."""

    def rates(n: Array, random: Random) -> tuple[Array, Array]:
        changes = random.random(n.shape) < churn / share
        lose, win = share * (churn + loss) / 2 / churn, share * (churn - loss) / 2 / churn
        return np.where(changes, lose, 0.0), np.where(changes, win, 0.0)

    return rates


def one_way(loss: float, churn: float, share: float) -> Rates:
    """In some documents so large a share of the rows lose, in others they win."""

    def rates(n: Array, random: Random) -> tuple[Array, Array]:
        u = random.random(n.shape)
        lose, win = (churn + loss) / 2 / share, (churn - loss) / 2 / share
        return np.where(u < lose, share, 0.0), np.where((u >= lose) & (u < lose + win), share, 0.0)

    return rates


def graded(loss: float, correlation: float) -> Rates:
    """Rows only lose, in each document at a rate of its own."""
    pairs = 1 / correlation - 1
    return lambda n, random: (random.beta(loss * pairs, (1 - loss) * pairs, n.shape), np.zeros(n.shape))


def by_document(loss: float, churn: float, correlation: float = 0.15) -> Rates:
    """Rows lose and win, in each document at two rates of its own."""
    pairs = 1 / correlation - 1
    lose, win = (churn + loss) / 2, (churn - loss) / 2

    def rates(n: Array, random: Random) -> tuple[Array, Array]:
        lost = random.beta(lose * pairs, (1 - lose) * pairs, n.shape)
        # Independent of the other rate, except that no row does both.
        return lost, (1 - lost) * random.beta(win * pairs, (1 - win) * pairs, n.shape) / (1 - lose)

    return rates


def far_tails(name: str, sizes: str, loss: float, churn: float, *, gated: bool = True) -> Population:
    """Return documents of which any rows change, by as much as a t distribution with 3 degrees of freedom."""

    def drawn(shape: tuple[int, int], random: Random) -> Sample:
        n = SIZES[sizes](shape, random)
        document = np.repeat(np.arange(n.size), n.ravel())
        document = document[random.random(len(document)) < churn]
        change = 0.4 * random.standard_t(3, len(document)) - loss / churn
        sums = np.bincount(document, change, n.size).astype(np.float64)
        return Sample(n.astype(np.float64), sums.reshape(shape))

    return Population(name, sizes, loss, drawn, gated)


def few_lose(loss: float, share: float, gain: float) -> Rates:
    """A share of documents lose much, and the others gain a little."""

    def rates(n: Array, random: Random) -> tuple[Array, Array]:
        loses = random.random(n.shape) < share
        lose = (loss + (1 - share) * gain) / share
        return np.where(loses, lose, 0.0), np.where(loses, 0.0, gain)

    return rates


@functools.cache
def _share_of_large(least: int) -> float:
    sizes = np.arange(1, 201)
    rows = sizes * sizes**-1.5
    return float(rows[sizes >= least].sum() / rows.sum())


def large_lose(loss: float, least: int, gain: float) -> Rates:
    """Documents of at least so many rows lose, and the smaller ones gain."""
    share = _share_of_large(least)
    lose = (loss + (1 - share) * gain) / share
    return lambda n, _: (np.where(n >= least, lose, 0.0), np.where(n >= least, 0.0, gain))


# The sample data: the second system has the other engine's answers in some rows, or in some documents.


@functools.cache
def _sample_differences() -> tuple[Array, Array]:
    """Rows of documents, and the differences of their rows, filled up with 0."""
    rows = af.sample().filter(pl.col("answers").list.len() > 0)
    first, second = (af.anls(pl.col(name).fill_null(""), "answers") for name in ("rapidocr", "tesseract"))
    rows = rows.select("doc_id", x=second - first)
    documents = [part["x"].to_numpy() for _, part in rows.group_by("doc_id", maintain_order=True)]
    n = np.array([len(document) for document in documents])
    x = np.zeros((len(n), n.max()))
    for line, document in zip(x, documents, strict=True):
        line[: len(document)] = document
    return n.astype(np.float64), x


def sampled(loss: float, *, whole: bool) -> Population:
    """Return documents of the sample data with this loss, in any rows or in whole documents."""
    n, x = _sample_differences()
    rate = -loss * n.sum() / x.sum()

    def drawn(shape: tuple[int, int], random: Random) -> Sample:
        chosen = random.integers(0, len(n), shape)
        of = (*shape, 1) if whole else (*shape, x.shape[1])
        return Sample(n[chosen], (x[chosen] * (random.random(of) < rate)).sum(axis=2))

    where = "some documents" if whole else "some rows"
    return Population(
        f"sample data, the other engine's answers in {where}", "14 rows", loss, drawn, gated=not whole
    )
