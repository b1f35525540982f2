"""Sets of rows with a planted slice or with none, and what is found in each: what `slices_gate.py` counts."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

import anls_frame as af
from anls_frame.slices import search
from anls_frame.slices.plan import Plan, SliceSearch
from anls_frame.slices.search import ListedRows, honest, searched
from anls_frame.slices.slice_scores import Scores
from anls_frame.slices.slices_document import confidence_of_chosen
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.dealt import largest_by_draw
from anls_frame.summary.cells import hashes

Random = np.random.Generator
Array = np.ndarray[Any, np.dtype[Any]]

SEED = 20261124
LEVEL = 0.05
WIDE_LEVEL = 0.07
"""In which share of the sets a slice may be found where documents have 1 to 200 rows."""
METRIC = af.Metric("score", bounds=(0, 1))
PLAN = Plan(search=SliceSearch(), depth=2, n=20, confidence=1 - LEVEL)
VALUES = (0.4, 0.34, 0.2, 0.06)
"""Shares of the values of a column; half of the columns are of documents, half of rows."""
COLUMNS = 4

Errors = list[tuple[float, float]]
"""Errors of effects, and their standard errors."""


@dataclass(frozen=True)
class Line:
    """A line of the page: what its cells say, and what is found in a set."""

    cells: tuple[str, ...]
    found: Callable[[int], tuple[dict[str, bool], Errors]]
    most: float = LEVEL
    """In which share of the sets something may be found."""
    least: float = 0.0
    """In which share of the sets the planted slice must be found."""
    mode: str = ""

    @property
    def key(self) -> str:
        return ", ".join(filter(None, (*self.cells, self.mode)))


@dataclass(frozen=True)
class Population:
    """
    Documents with rows that are right or wrong, unless `scores` says otherwise.

    Parameters
    ----------
    sizes
        Number of rows of documents: "ten", "log-normal", or "1 to 200".
    scores
        What differs between documents.
    columns
        What differs between columns.
    """

    sizes: str
    documents: int
    scores: str = "alike"
    mean: float = 0.8
    correlation: float = 0.2
    columns: str = "4 values"

    def drawn(self, random: Random) -> tuple[Array, Array]:
        """Return scores and documents of rows."""
        count = self.documents
        if self.scores in SYSTEMS:
            every = sample_scores(self.scores)
            chosen = [every[place] for place in random.integers(0, len(every), count)]
            return np.concatenate(chosen), np.repeat(np.arange(count), [len(one) for one in chosen])
        drawn_sizes: dict[str, Callable[[], npt.NDArray[np.int64]]] = {
            "ten": lambda: np.full(count, 10),
            "log-normal": lambda: 1 + np.floor(random.lognormal(2.2, 0.8, count)).astype(int),
            "1 to 200": lambda: np.floor(np.exp(random.uniform(0, np.log(201), count))).astype(int),
        }
        sizes = drawn_sizes[self.sizes]()
        document = np.repeat(np.arange(count), sizes)
        mean = np.full(count, self.mean)
        if self.scores == "large ones harder":
            mean -= np.where(sizes > np.median(sizes), 0.25, 0)
        share = mean
        if self.correlation:
            a, b = (one * (1 / self.correlation - 1) for one in (mean, 1 - mean))
            share = random.beta(a, b)
        if self.scores == "rare bad documents":
            share = np.where(random.random(count) < 0.07, 0.05, 0.92)
        if self.scores == "unequal spread":
            wide = np.where(random.random(count) < 0.3, 0.3, 0.05)
            of_rows = np.where(random.random(count) < 0.5, 0.2, 0.03)[document]
            values = 0.7 + (random.normal(0, wide))[document] + random.normal(0, of_rows)
            return np.clip(values, 0, 1), document
        right = (random.random(len(document)) < share[document]).astype(float)
        if self.scores == "changes":
            # Both systems have documents of their own in which they fail.
            other = random.beta(a, b)
            second = (random.random(len(document)) < other[document]).astype(float)
            keeps = random.random(len(document)) < 0.7
            return np.where(keeps, 0.0, second - right), document
        return right, document

    def sliced(self, document: Array, random: Random) -> list[Codes]:
        """Return columns whose values are drawn by chance."""
        count, rows = int(document[-1]) + 1, len(document)
        values = len(VALUES)
        drawn = [random.choice(values, count, p=VALUES)[document] for _ in range(COLUMNS // 2)]
        drawn += [random.choice(values, rows, p=VALUES) for _ in range(COLUMNS // 2)]
        codes = [Codes(one.astype(np.intp), values) for one in drawn]
        if self.columns == "go with size":
            sizes = np.bincount(document)
            for place in (0, 1):
                rank = np.argsort(np.argsort(sizes + random.random(count))) / count
                of_size = np.clip(4 * (rank + random.normal(0, 0.1, count)), 0, 3.9).astype(np.intp)
                codes[place] = Codes(of_size[document], values)
        if self.columns == "40 values":
            codes[0] = Codes(random.integers(0, 40, count)[document], 40)
            codes[-1] = Codes(random.integers(0, 40, rows), 40)
        if self.columns == "lists":
            for place, of_row in ((0, document), (-1, np.arange(rows))):
                members = (random.random((int(of_row[-1]) + 1, 5)) < 0.3)[of_row]
                members[:, 4] = ~members[:, :4].any(axis=1)
                row, code = np.nonzero(members)
                codes[place] = Codes(code, 5, row)
        return codes

    def generator(self, number: int) -> Random:
        """Return the generator of a set, which is the same in each run."""
        words = f"{self.sizes}{self.scores}{self.columns}"
        keys = (self.documents, int(100 * self.mean), int(100 * self.correlation))
        return np.random.default_rng([SEED, *keys, *words.encode(), number])

    def rows(self, number: int, fault: Fault | None = None) -> tuple[ListedRows, Array]:
        """Return a set of rows, with their documents."""
        random = self.generator(number)
        values, document = self.drawn(random)
        sliced = self.sliced(document, random)
        if fault is not None:
            values = fault.corrupted(values, sliced, random)
        y = np.ones(len(values))
        if self.scores == "characters":
            # Lengths of answers, and characters that are wrong.
            y = 1 + np.floor(random.lognormal(2, 1, len(values)))
            wrong = random.binomial(y.astype(int), np.where(values > 0, 0.02, 0.3))
            values = y - wrong
        if self.scores == "characters, blank pages":
            is_blank = random.random(len(values)) < 0.15
            y = np.where(is_blank, 0, 1 + np.floor(random.lognormal(2, 1, len(values))))
            wrong = random.binomial(y.astype(int), np.where(values > 0, 0.02, 0.3))
            is_invented = is_blank & (random.random(len(values)) < 0.3)
            values = y - np.where(is_invented, 1 + np.floor(random.lognormal(2, 1, len(values))), wrong)
        if self.scores == "cost of right answers":
            y, values = np.where(values > 0, 1.0, 0.0), -random.gamma(2, 1, len(values))
        lost, scored = y - values, np.ones(len(values))
        scores = Scores(METRIC, "system", values, y, lost, scored, is_change=self.scores == "changes")
        return ListedRows(sliced, [scores], document), document


SYSTEMS = ("tesseract", "rapidocr")
"""Systems of the sample data."""
_SAMPLE: dict[str, list[Array]] = {}


def sample_scores(system: str) -> list[Array]:
    """Return the scores of each document of the sample data."""
    if system not in _SAMPLE:
        sample = af.sample()
        scored = sample.select("doc_id", score=af.anls(pl.col(system).fill_null(""), "answers")).drop_nulls()
        parts = scored.partition_by("doc_id", maintain_order=True)
        _SAMPLE[system] = [one["score"].to_numpy() for one in parts]
    return _SAMPLE[system]


def halves(document: Array, number: int) -> Array:
    """Return the rows that are held out; each set has documents of other names."""
    names = pl.Series(np.arange(document[-1] + 1)).cast(pl.String) + f" of set {number}"
    return np.asarray((hashes(names) % (1 << 20) < 1 << 19).to_numpy()[document])


def is_found(rows: ListedRows) -> bool:
    """Return whether a search finds anything; it stops as soon as too many draws reach what is observed."""
    losses = rows.losses[0]
    columns = [column.taken(losses.line) for column in rows.columns]
    blocks = list(search.blocks(columns, losses, PLAN.depth, PLAN.least))
    if not blocks:
        return False
    observed = max(block.statistic.max() for block in blocks)
    draws = largest_by_draw(losses, blocks, PLAN.search.draws, PLAN.search.seed)
    most, reached = round(LEVEL * (1 + PLAN.search.draws)) - 1, 0
    for largest in draws:
        reached += int(np.count_nonzero(largest >= observed - 1e-5))
        if reached > most:
            return False
    return True


def false_alarms(population: Population, number: int) -> tuple[dict[str, bool], Errors]:
    """Return whether a slice is found where none is worse."""
    return {"search": is_found(population.rows(number)[0])}, []


def errors_of(rows: ListedRows, listed: list[Any], held_out: Array, truth: float) -> Errors:
    """Return the errors of effects on the held-out rows, and their standard errors."""
    tested = rows.of(held_out)
    masks = [tested.mask(one.conditions) for one in listed if not np.isnan(one.p_adjusted)]
    if not masks:
        return []
    losses = tested.losses[0]
    row, code = np.nonzero(np.stack(masks, axis=1)[losses.line])
    lost, inside = losses.sums(Codes(code, len(masks) + 1, row))
    statistic, _ = losses.tested(lost, inside, least_units=1)
    # All documents count the same for a slice that goes with their size.
    sizes = losses.unit_sizes[:, None]
    weights = np.where(losses.goes_with_size(inside), 1 / sizes, 1.0)
    sides = ((lost, inside), (losses.null.unit_values - lost, sizes - inside))
    own, rest = ((weights * values).sum(axis=0) / (weights * size).sum(axis=0) for values, size in sides)
    return list(zip((own - rest - truth).tolist(), ((own - rest) / statistic).tolist(), strict=True))


def honest_alarms(population: Population, number: int) -> tuple[dict[str, bool], Errors]:
    """Return whether a slice is found on half of the documents, and again on the others."""
    rows, document = population.rows(number)
    held_out = halves(document, number)
    if not held_out.any() or held_out.all():
        return {"honest": False}, []
    tested, _, _ = honest(rows, held_out, PLAN)
    again = [one for one in tested if one.p_adjusted <= LEVEL]
    return {"honest": bool(again)}, errors_of(rows, tested, held_out, 0.0)


def nulls() -> Iterator[Line]:
    """Yield lines of populations in which no slice is worse."""
    wide = [
        Population("1 to 200", 40, "large ones harder"),
        Population("1 to 200", 100),
        Population("1 to 200", 40, "rare bad documents"),
        Population("1 to 200", 100, columns="go with size"),
        Population("1 to 200", 40, "changes"),
    ]
    usual = [
        Population("log-normal", 40),
        Population("log-normal", 100, correlation=0.0),
        Population("log-normal", 100, correlation=0.5),
        Population("log-normal", 100, mean=0.97),
        Population("log-normal", 100, "rare bad documents"),
        Population("log-normal", 100, "unequal spread"),
        Population("log-normal", 100, "changes"),
        Population("log-normal", 100, columns="40 values"),
        Population("log-normal", 100, columns="lists"),
        Population("log-normal", 100, "characters"),
        Population("log-normal", 100, "characters, blank pages"),
        Population("log-normal", 100, "cost of right answers"),
        Population("1 to 200", 100, "cost of right answers", columns="go with size"),
        Population("as they are", 112, "rapidocr"),
    ]
    for most, populations in ((WIDE_LEVEL, wide), (LEVEL, usual)):
        for one in populations:
            yield Line(_cells(one), partial(false_alarms, one), most=most)


def honest_nulls() -> Iterator[Line]:
    """Yield lines of populations for slices that are tested on other documents."""
    for one in (
        Population("log-normal", 100),
        Population("log-normal", 100, "rare bad documents"),
        Population("1 to 200", 100),
    ):
        yield Line(_cells(one), partial(honest_alarms, one), mode="honest")


def _cells(one: Population) -> tuple[str, ...]:
    is_made = one.scores not in ("rare bad documents", "unequal spread", *SYSTEMS)
    of_made = (f"{one.mean:g}", f"{one.correlation:g}") if is_made else ("", "")
    return (one.sizes, str(one.documents), one.scores, *of_made, one.columns)


@dataclass(frozen=True)
class Fault:
    """A slice in which scores are lowered."""

    conditions: search.Slice
    by: float

    def corrupted(self, values: Array, sliced: list[Codes], random: Random) -> Array:
        """Return the scores with the fault: right answers become wrong until the mean is lower."""
        columns = [sliced[column].mask(code, len(values)) for column, code in self.conditions]
        is_in = np.all(columns, axis=0)
        mean = values[is_in].mean() if is_in.any() else 1.0
        share = min(self.by / max(mean, 1e-9), 1.0)
        return np.where(is_in & (random.random(len(values)) < share), 0.0, values)


def faults() -> Iterator[Line]:
    """Yield lines of populations in which a slice is worse."""
    planted = [
        ("20 % of documents", Fault(((0, 2),), 0.3), 40, 0.55),
        ("20 % of documents", Fault(((0, 2),), 0.15), 150, 0.65),
        ("6 % of documents", Fault(((0, 3),), 0.4), 100, 0.61),
        ("20 % of rows", Fault(((3, 2),), 0.15), 60, 0.44),
        ("8 % of rows, two conditions", Fault(((0, 0), (3, 2)), 0.3), 150, 0.86),
        ("20 % of documents", Fault(((0, 2),), 0.15), 60, 0.0),
        ("20 % of rows", Fault(((3, 2),), 0.08), 60, 0.0),
    ]
    for name, fault, documents, least in planted:
        population = Population("ten", documents, correlation=0.1)
        cells = (name, f"{fault.by:g}", str(documents))
        yield Line(cells, partial(power, population, fault), least=least)


def covers(rows: ListedRows, document: Array, fault: Fault, truth: float, confidence: float) -> bool:
    """Return whether the interval of a report of the slice's rows contains its mean."""
    is_in = rows.mask(fault.conditions)
    frame = pl.DataFrame({"score": rows.scores[0].x[is_in], "document": document[is_in]})
    report = af.report(frame, metrics=METRIC, cluster="document", confidence=confidence).overall
    return bool(report["score_low"] <= truth <= report["score_high"])


def power(population: Population, fault: Fault, number: int) -> tuple[dict[str, bool], Errors]:
    """Return whether a planted fault is found, whether something else is, and whether intervals hold."""
    rows, document = population.rows(number, fault)
    listed, tests = [], 0
    if is_found(rows):
        found, _, tests = searched(rows, PLAN)
        listed = [one.conditions for one in found]
    held_out = halves(document, number)
    tested, _, _ = honest(rows, held_out, PLAN)
    again = [one.conditions for one in tested if one.p_adjusted <= LEVEL]
    is_listed = fault.conditions in listed
    truth = population.mean - fault.by
    wide = confidence_of_chosen(1 - LEVEL, len(listed), tests)
    counted = {
        "search": is_listed,
        "search, else": any(one != fault.conditions for one in listed),
        "honest": fault.conditions in again,
        "honest, else": any(one != fault.conditions for one in again),
        "holds": is_listed and covers(rows, document, fault, truth, wide),
        "holds at 95 %": is_listed and covers(rows, document, fault, truth, 1 - LEVEL),
    }
    planted = [one for one in tested if one.conditions == fault.conditions]
    return counted, errors_of(rows, planted, held_out, fault.by)
