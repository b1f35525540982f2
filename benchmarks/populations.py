"""
Populations of documents whose means are known, and the sums of samples drawn from them.

A sample is a number of documents. What intervals need of it are sums over its documents, so a thousand
samples are the counts with which documents occur times what each of them adds.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
import numpy.typing as npt
import polars as pl
from distributions import KINDS, latent_correlation
from scipy import special

import anls_frame as af
from anls_frame import statistics
from anls_frame.reports import estimates
from anls_frame.statistics.carriers import are_few
from anls_frame.statistics.differences import difference_interval

Array: TypeAlias = npt.NDArray[np.float64]
Random: TypeAlias = np.random.Generator
RowDocuments: TypeAlias = npt.NDArray[np.int64]
"""The document of each row, as numbers from 0 on."""

DATA = Path(__file__).parents[1] / "data"
MEANS = ("anls", "nls", "exact_match", "zeros", "cer_mean")
SYSTEMS = ("tesseract", "rapidocr")
ROWS_AT_ONCE = 1_000_000


SUMS = ("x", "y", "xx", "xy", "yy", "row_xx", "row_xy", "row_yy", "n", "nn", "nnn", "nnnn", "changed")
"""
What a document adds to the sums of a sample: its sums, their products, products by row, powers of n.

The last is 1 if its sum x is not 0: if two systems differ in it, for differences.
"""


def added(document: npt.NDArray[np.int64], x: Array, y: Array, documents: int) -> Array:
    """Return what each document adds, from its rows: a line a document, a column each of `SUMS`."""
    of_x, of_y, n = (np.bincount(document, weights, documents) for weights in (x, y, None))
    rows = [np.bincount(document, product, documents) for product in (x * x, x * y, y * y)]
    products = (of_x * of_x, of_x * of_y, of_y * of_y)
    n = n.astype(np.float64)
    # What is left of sums that cancel out is rounding error.
    changed = np.abs(of_x) > 1e-9 * of_y
    return np.stack((of_x, of_y, *products, *rows, n, n**2, n**3, n**4, changed), axis=-1)


def summed(documents: Array, counts: Array | None = None) -> Array:
    """
    Return the totals of samples: the sums of what their documents add, and how many carry their rarer side.

    Parameters
    ----------
    documents
        What documents add: of all samples, or a line of documents for each.
    counts
        How often each document is in each sample; once without it.
    """
    totals = documents.sum(axis=1) if counts is None else counts @ documents
    mean = totals[:, :1] / totals[:, 1:2]
    x, y = documents[..., 0], documents[..., 1]
    residual = x - mean * y
    residual = np.where(np.abs(residual) > 1e-9 * y, residual, 0.0)
    weights = np.ones_like(residual) if counts is None else counts
    sides = [_carriers_of_samples(np.maximum(side * residual, 0.0), weights) for side in (-1, 1)]
    return np.concatenate((totals, np.minimum(*sides)[:, None]), axis=1)


def _carriers_of_samples(far: Array, weights: Array) -> Array:
    total: Array = np.einsum("ij,ij->i", far, weights)
    squares: Array = np.einsum("ij,ij->i", far * far, weights)
    return np.divide(total**2, squares, out=np.zeros_like(total), where=squares > 0)


def as_sums(totals: Array) -> estimates.Sums:
    """Return what a report knows of samples, from their totals."""
    of = dict(zip((*SUMS, "carriers"), np.moveaxis(totals, -1, 0), strict=True))
    moments = (of[name] for name in ("x", "y", "xx", "xy", "yy"))
    # With two units, the variance of the ratio is twice Σ(x - ry)² / (Σy)².
    residuals = statistics.ratio_variance(2, *moments) * of["y"] ** 2 / 2
    return estimates.Sums(
        x=of["x"], y=of["y"], xx=of["xx"], xy=of["xy"], yy=of["yy"], squares=of["row_xx"], bracket=residuals,
        n=of["n"], n_squares=of["nn"], n_cubes=of["nnn"], n_fourths=of["nnnn"],
    )  # fmt: skip


def interval_of_difference(totals: Array) -> tuple[Array, Array]:
    """Return the 95 % intervals of differences of two systems, as comparisons compute them."""
    sums = as_sums(totals)
    units = statistics.effective_units(sums.y, sums.yy)
    moments = (sums.x, sums.y, sums.xx, sums.xy, sums.yy)
    variance = statistics.ratio_variance(units, *moments, bracket=sums.bracket)
    changed = totals[:, SUMS.index("changed")]
    return difference_interval(sums.x / sums.y, variance, units, changed, 0.95, unseen=1.0)


def marks_of_differences(totals: Array) -> npt.NDArray[np.bool_]:
    """Return which differences comparisons mark `few_rows`."""
    sums = as_sums(totals)
    units = statistics.effective_units(sums.n, sums.n_squares, sums.n_cubes, sums.n_fourths)
    return are_few(sums.n, units, totals[:, -1])


@dataclass(frozen=True)
class Truth:
    """What there is to know of a figure in its population."""

    value: float
    correlation: float
    """Intraclass correlation of the residuals x - value · y of rows."""
    rarer: float
    """
    Share of documents of the rarer kind: on the side of the value where fewer lie.

    A document counts as much as it carries, (Σ|u|)² / Σu² of the residuals u of a side: all alike count in
    full, of one far out and many near it little more than the one counts.
    """
    counted: float
    """The same with all documents of a side counted alike."""


def truth_of(documents: Array, value: float | None = None) -> Truth:
    """Return the truth of a population whose documents add this; the value, if it is known exactly."""
    x, y, xx, xy, yy, row_xx, row_xy, row_yy, n, nn, *_ = documents.mean(axis=0)
    value = x / y if value is None else value
    of_documents = xx - 2 * value * xy + value**2 * yy
    of_rows = row_xx - 2 * value * row_xy + value**2 * row_yy
    pairs = nn / n - 1
    correlation = (of_documents / of_rows - 1) / pairs if pairs > 0 and of_rows > 0 else 0.0
    residual = documents[:, 0] - value * documents[:, 1]
    residual = np.where(np.abs(residual) > 1e-9 * documents[:, 1], residual, 0.0)
    sides = [np.maximum(side * residual, 0.0) for side in (-1, 1)]
    return Truth(
        float(value),
        float(np.clip(correlation, 0, 1)),
        min(map(_carriers, sides)),
        float(min((side > 0).mean() for side in sides)),
    )


def _carriers(far: Array) -> float:
    squares = (far * far).mean()
    return float(far.mean() ** 2 / squares) if squares > 0 else 0.0


class Population(Protocol):
    """Documents that samples are drawn from."""

    @property
    def group(self) -> str:
        """Return the section of the table."""
        ...

    @property
    def name(self) -> str:
        """Return what the population is called in its section."""
        ...

    def samples(
        self, documents: int, replications: int, random: Random
    ) -> tuple[dict[str, Array], dict[str, Truth]]:
        """Return the totals of samples of documents by column, and the truth of each column."""
        ...


@dataclass(frozen=True)
class Finite:
    """Documents by what they add to the sums of each column, drawn with replacement."""

    group: str
    name: str
    columns: dict[str, Array]

    @functools.cached_property
    def truths(self) -> dict[str, Truth]:
        return {name: truth_of(documents) for name, documents in self.columns.items()}

    def samples(
        self, documents: int, replications: int, random: Random
    ) -> tuple[dict[str, Array], dict[str, Truth]]:
        size = len(next(iter(self.columns.values())))
        counts = random.multinomial(documents, np.full(size, 1 / size), replications).astype(np.float64)
        return {name: summed(one, counts) for name, one in self.columns.items()}, self.truths


# The sample data.


def sample_populations() -> Iterator[Finite]:
    """All rows and every slice of the sample data, answers to questions and texts of pages, both systems."""
    questions = af.sample().filter(pl.col("answers").list.len() > 0)
    pages = af.sample("pages").with_columns(answers=pl.concat_list("reference"))
    keys = ("lang", "doc_type", "difficulty", "profile")
    for what, frame, by in (("questions", questions, ("question_types", *keys)), ("pages", pages, keys)):
        group = f"sample data, {what}"
        scored = [_scored(frame, system) for system in SYSTEMS]
        for name, rows in _slices(frame, by):
            document = frame["doc_id"][rows].rank("dense").to_numpy().astype(np.int64) - 1
            documents = int(document.max()) + 1
            for system, scores in zip(SYSTEMS, scored, strict=True):
                columns = {
                    column: added(document, *_figure(scores[rows], column), documents)
                    for column in (*MEANS, "cer_corpus")
                }
                yield Finite(group, f"{name}, {system}", columns)
            first, second = (scores["anls"].to_numpy()[rows] for scores in scored)
            difference = added(document, second - first, np.ones(len(rows)), documents)
            yield Finite(group, name, {"difference": difference})


def _scored(frame: pl.DataFrame, system: str) -> pl.DataFrame:
    scores = af.score(pl.col(system).fill_null(""), "answers", protocol="anls")
    return (
        frame.select(scores.alias("scores"))
        .unnest("scores")
        .select(
            "anls", "nls", "exact_match", (pl.col("anls") == 0).alias("zeros"),
            pl.col("cer").alias("cer_mean"), "char_errors", "reference_length",
        )
        .cast(pl.Float64)
    )  # fmt: skip


def _figure(scores: pl.DataFrame, column: str) -> tuple[Array, Array]:
    if column == "cer_corpus":
        return scores["char_errors"].to_numpy(), scores["reference_length"].to_numpy()
    return scores[column].to_numpy(), np.ones(scores.height)


def _slices(frame: pl.DataFrame, by: tuple[str, ...]) -> Iterator[tuple[str, list[int]]]:
    numbered = frame.with_row_index("row")
    yield "all", list(range(frame.height))
    for key in by:
        rows = numbered.explode(key) if isinstance(frame.schema[key], pl.List) else numbered
        for (value,), group in rows.group_by(key, maintain_order=True):
            yield f"{key} {value}", group["row"].to_list()


# Populations made up, whose means are known.


@dataclass(frozen=True, kw_only=True)
class Made:
    """Documents whose rows are drawn by a function, with sizes drawn by another."""

    group: str
    name: str
    rows: Callable[[RowDocuments, Random], dict[str, tuple[Array, Array | float]]]
    """Takes the documents of rows, as numbers from 0 on, and gives x and y of each column."""
    sizes: Callable[[tuple[int, int], Random], npt.NDArray[np.int64]]
    values: dict[str, float]

    def samples(
        self, documents: int, replications: int, random: Random
    ) -> tuple[dict[str, Array], dict[str, Truth]]:
        parts: dict[str, list[Array]] = {name: [] for name in self.values}
        pooled: dict[str, Array] = {}
        step = max(1, ROWS_AT_ONCE // (10 * documents))
        for start in range(0, replications, step):
            count = min(step, replications - start)
            document = np.repeat(np.arange(count * documents), self.sizes((count, documents), random).ravel())
            for name, (x, y) in self.rows(document, random).items():
                lengths = np.broadcast_to(y, x.shape)
                found = added(document, x, lengths, count * documents)
                pooled.setdefault(name, found)
                parts[name].append(summed(found.reshape(count, documents, -1)))
        truths = {name: truth_of(found, self.values[name]) for name, found in pooled.items()}
        return {name: np.concatenate(part) for name, part in parts.items()}, truths


def alone(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:  # noqa: ARG001
    """Rows without clusters."""
    return np.ones(shape, np.int64)


def ten_each(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:  # noqa: ARG001
    """Documents of ten rows."""
    return np.full(shape, 10)


def heavy_tail(shape: tuple[int, int], random: Random) -> npt.NDArray[np.int64]:
    """Documents of 1 to 200 rows, the number n with a probability that falls as n^-1.5."""
    numbers = np.arange(1, 201)
    shares = np.cumsum(numbers**-1.5)
    return np.asarray(1 + np.searchsorted(shares / shares[-1], random.random(shape)))


SIZES = {"rows alone": alone, "documents of ten rows": ten_each, "sizes of a heavy tail": heavy_tail}


def copula_populations() -> Iterator[Made]:
    """Scores whose correlation within documents is that of a normal copula."""
    for (what, sizes), mean in itertools.product(SIZES.items(), (0.7, 0.9, 0.97, 0.995)):
        for icc in (0.0,) if sizes is alone else (0.0, 0.1, 0.3, 0.5):
            name = f"mean {mean}" + ("" if sizes is alone else f", ICC {icc}")
            yield _copula(f"made, {what}", name, mean, icc, sizes)


def _copula(
    group: str, name: str, mean: float, icc: float, sizes: Callable[..., npt.NDArray[np.int64]]
) -> Made:
    kinds = {"anls": "ANLS", "nls": "NLS", "exact_match": "0/1"}
    rho = latent_correlation("ANLS", mean, icc)
    worse = mean - 0.03

    def rows(document: RowDocuments, random: Random) -> dict[str, tuple[Array, Array | float]]:
        shared = math.sqrt(rho) * random.standard_normal(int(document.max()) + 1)[document]
        own = random.standard_normal((2, len(document)))
        first, second = special.ndtr(shared + math.sqrt(1 - rho) * own)
        scores = {column: KINDS[kind](mean)(first) for column, kind in kinds.items()}
        cer, length = 1 - scores["nls"], random.lognormal(2.5, 0.8, len(document))
        return {
            **{column: (score, 1.0) for column, score in scores.items()},
            "zeros": ((scores["anls"] == 0).astype(np.float64), 1.0),
            "cer_mean": (cer, 1.0),
            "cer_corpus": (cer * length, length),
            "difference": (KINDS["ANLS"](worse)(second) - scores["anls"], 1.0),
        }

    between = min(0.15, 0.6 * (1 - mean))
    values = {
        **dict.fromkeys(kinds, mean),
        "zeros": 1 - mean - 0.2 * between,
        "cer_mean": 1 - mean,
        "cer_corpus": 1 - mean,
        "difference": -0.03,
    }
    return Made(group=group, name=name, rows=rows, sizes=sizes, values=values)


def two_kinds_of_documents() -> Iterator[Made]:
    """Six in a hundred documents are bad: nearly all of their answers are wrong."""
    bad, right = 0.06, (0.99, 0.05)
    mean = (1 - bad) * right[0] + bad * right[1]

    def rows(document: RowDocuments, random: Random) -> dict[str, tuple[Array, Array | float]]:
        is_bad = (random.random(int(document.max()) + 1) < bad)[document]
        is_right = random.random(len(document)) < np.where(is_bad, right[1], right[0])
        nls = np.where(is_right, 1.0, random.uniform(0, 0.6, len(document)))
        anls = np.where(nls < 0.5, 0.0, nls)
        length = random.lognormal(2.5, 0.8, len(document))
        other = (random.random(len(document)) < 0.9).astype(np.float64)
        return {
            "anls": (anls, 1.0),
            "nls": (nls, 1.0),
            "exact_match": (is_right.astype(np.float64), 1.0),
            "zeros": ((anls == 0).astype(np.float64), 1.0),
            "cer_mean": (1 - nls, 1.0),
            "cer_corpus": ((1 - nls) * length, length),
            "difference": (other - anls, 1.0),
        }

    wrong = 1 - mean
    anls = mean + wrong * (0.6**2 - 0.5**2) / (2 * 0.6)
    values = {
        "anls": anls,
        "nls": mean + 0.3 * wrong,
        "exact_match": mean,
        "zeros": wrong * 0.5 / 0.6,
        "cer_mean": 0.7 * wrong,
        "cer_corpus": 0.7 * wrong,
        "difference": 0.9 - anls,
    }
    for what, sizes in list(SIZES.items())[1:]:
        yield Made(group="made, 6 % of documents bad", name=what, rows=rows, sizes=sizes, values=values)
