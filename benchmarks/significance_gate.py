"""
Level and power of the tests of two systems, by simulation; the gate of `statistics.max_t` and `sign_flip`.

    python benchmarks/significance_gate.py            # all of it, writes SIGNIFICANCE.md
    python benchmarks/significance_gate.py --quick    # a tenth of the comparisons, prints the tables

Ends with 1 if systems that are exchangeable are called different too often, or if max-T finds less than
Holm's adjustment does. The same seed gives the same figures.
"""

from __future__ import annotations

import itertools
import math
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import gates
import numpy as np
import numpy.typing as npt
import polars as pl

import anls_frame as af
from anls_frame import statistics
from anls_frame.statistics import step_down
from anls_frame.statistics.significance import TIE

Array = npt.NDArray[np.float64]

ALPHA = 0.05
ERRORS_ALLOWED = 3
"""Standard errors of the simulation by which a gated figure may miss its bound."""

COLUMNS = ["question_types", "doc_type", "lang", "profile", "difficulty", "answer_type"]
PAGE = Path(__file__).parent / "SIGNIFICANCE.md"
DRAWS = 999


@dataclass(frozen=True)
class Sample:
    """The committed sample: what RapidOCR is better than Tesseract by in each row, and where the row is."""

    differences: Array
    documents: npt.NDArray[np.int64]
    members: dict[str, npt.NDArray[np.bool_]]
    """Rows of each slice, by a name such as "doc_type=fax" or "doc_type=fax, lang=de"."""

    def of(self, names: list[str]) -> npt.NDArray[np.bool_]:
        """Membership of the rows in slices."""
        return np.stack([self.members[name] for name in names], axis=1)


def load() -> Sample:
    rows = af.sample()
    tesseract, rapidocr = (
        af.anls(pl.col(name).fill_null(""), "answers") for name in ("tesseract", "rapidocr")
    )
    scored = rows.select(
        pl.col("doc_id").rank("dense").alias("document"),
        (rapidocr - tesseract).alias("difference"),
        *(pl.col(name).cast(pl.List(pl.String)) if name == "question_types"
          else pl.concat_list(pl.col(name).cast(pl.String)) for name in COLUMNS),
    ).drop_nulls("difference")  # fmt: skip
    single: dict[str, dict[str, npt.NDArray[np.bool_]]] = {}
    for name in COLUMNS:
        values = scored[name].explode().drop_nulls().unique().sort()
        single[name] = {
            f"{name}={value}": scored[name].list.contains(value).fill_null(value=False).to_numpy()
            for value in values
        }
    members = {key: rows_of for of_column in single.values() for key, rows_of in of_column.items()}
    for one, other in itertools.combinations(COLUMNS, 2):
        for first, second in itertools.product(single[one], single[other]):
            both = single[one][first] & single[other][second]
            if both.any():
                members[f"{first}, {second}"] = both
    return Sample(
        scored["difference"].to_numpy(), scored["document"].to_numpy().astype(np.int64) - 1, members
    )


def by_document(sample: Sample, differences: Array, members: npt.NDArray[np.bool_]) -> Array:
    """Sums of differences, one row a document, one column a slice."""
    table = np.zeros((sample.documents.max() + 1, members.shape[1]))
    np.add.at(table, sample.documents, members * differences[:, None])
    return table


def tested(table: Array) -> tuple[step_down.Units, step_down.Statistic, Array]:
    """Return the units of a table, the statistic of `max_t`, and how near it counts as equal."""
    unit, column = np.nonzero(table)
    ones = np.ones(len(table), np.int64)
    units = step_down.Units(unit, column, table[unit, column], ones, ones, table.shape[1]).tidied()
    norm = np.sqrt(units.sums(units.value**2))
    norm[norm == 0] = 1
    ties = TIE * units.sums(np.abs(units.value)) / norm
    return units, lambda sums: np.abs(sums) / norm[:, None], ties


def adjusted(table: Array, draws: int, seed: int) -> Array:
    """Return the p-values of max-T without the floor of each slice's own: the gate is the harder for it."""
    return step_down.step_down(*tested(table), np.zeros(table.shape[1]), draws=draws, seed=seed)


def single(table: Array, draws: int, seed: int) -> Array:
    """Return the p-value of each slice by itself, from the same draws for all."""
    return step_down.unadjusted(*tested(table), draws=draws, seed=seed)


def error(share: float, replications: int) -> float:
    """Return the standard error of a share."""
    return math.sqrt(max(share * (1 - share), 1e-9) / replications)


# Level of one test.


def exchangeable(random: np.random.Generator, documents: int, rows: int) -> Array:
    """Two equally good systems, each better or worse at a document by chance, with all its rows."""
    sizes = random.integers(1, 2 * rows, documents)
    which = np.repeat(np.arange(documents), sizes)
    quality = random.normal(0.9, 0.5, (2, documents))[:, which]
    right = random.normal(0, 1, (2, sizes.sum())) < quality
    difference = right[1].astype(float) - right[0]
    return np.bincount(which, weights=difference, minlength=documents).astype(np.float64)


def lopsided(random: np.random.Generator, documents: int, rows: int) -> Array:
    """Equal means: nine documents of ten gain a little, one loses much."""
    loses = random.random(documents) < 0.1
    level = np.where(loses, -0.45, 0.05) * rows
    return level + random.normal(0, 0.1 * math.sqrt(rows), documents)


def levels(make: Callable[..., Array], documents: int, replications: int, seed: int) -> list[float]:
    """Share of p-values of at most 0.05 and 0.01 where the systems are equal in the mean."""
    random = np.random.default_rng((seed, documents))
    p_values = np.array([
        statistics.sign_flip(make(random, documents, 10), draws=DRAWS, seed=index)
        for index in range(replications)
    ])  # fmt: skip
    return [float(np.mean(p_values <= level)) for level in (0.05, 0.01)]


# Slices of the sample.


def families(sample: Sample) -> list[list[str]]:
    """Families of 7, 51 and 500 slices."""
    types = [name for name in sample.members if name.startswith("question_types=") and "," not in name]
    singles = [name for name in sample.members if "," not in name]
    pairs = [name for name in sample.members if "," in name]
    every = [*singles, *pairs]
    return [types, every[:51], every[:500]]


def family_wise(sample: Sample, names: list[str], replications: int, seed: int) -> float:
    """Share of comparisons of exchangeable systems in which any slice is called different."""
    random = np.random.default_rng((seed, len(names)))
    table = by_document(sample, sample.differences, sample.of(names))
    hits = 0
    for index in range(replications):
        drawn = random.integers(0, len(table), len(table))
        signs = random.choice([-1.0, 1.0], (len(table), 1))
        hits += adjusted(table[drawn] * signs, DRAWS, index).min() <= ALPHA
    return hits / replications


def family_wise_lopsided(slices: int, documents: int, replications: int, seed: int) -> float:
    """Return the same share for lopsided systems, which are equal in the mean alone."""
    random = np.random.default_rng((seed, slices, documents))
    hits = 0
    for index in range(replications):
        sums = lopsided(random, documents, 10)[:, None] * (random.random((documents, slices)) < 0.5)
        hits += adjusted(sums, DRAWS, index).min() <= ALPHA
    return hits / replications


@dataclass(frozen=True)
class Effect:
    """RapidOCR's answers in place of Tesseract's in a share of the rows, of all or of a slice."""

    what: str
    slices: list[str]
    share: float
    where: str | None = None


def effects(sample: Sample) -> list[Effect]:
    types = families(sample)[0]
    singles = [name for name in sample.members if "," not in name]
    crossed = [
        name for name in sample.members if name.startswith("question_types=") and ", doc_type=" in name
    ]
    return [
        Effect("5 % of rows, everywhere", types, 0.05),
        Effect("20 % of handwritten rows", types, 0.2, "question_types=handwritten"),
        Effect("15 % of rows, everywhere", crossed, 0.15),
        Effect("5 % of rows, everywhere", singles, 0.05),
        Effect("5 % of rows, everywhere", list(sample.members), 0.05),
    ]


def power(sample: Sample, effect: Effect, replications: int, seed: int) -> dict[str, tuple[float, float]]:
    """Mean number of slices found, and share of comparisons with any, by adjustment."""
    random = np.random.default_rng((seed, len(effect.slices)))
    members = sample.of(effect.slices)
    allowed = np.ones(len(sample.differences), bool) if effect.where is None else sample.members[effect.where]
    found: dict[str, list[int]] = {"Holm": [], "max-T": []}
    for index in range(replications):
        changed = allowed & (random.random(len(allowed)) < effect.share)
        table = by_document(sample, sample.differences * changed, members)
        table = table[random.integers(0, len(table), len(table))]
        alone = single(table, 9_999, index)
        both = {
            "Holm": statistics.holm(alone),
            "max-T": np.maximum(adjusted(table, 9_999, index), alone),
        }
        for name, p_values in both.items():
            found[name].append(int(np.count_nonzero(p_values <= ALPHA)))
    return {name: (float(np.mean(n)), float(np.mean(np.array(n) > 0))) for name, n in found.items()}


# Tables.

ONE = """## Level of one test

Share of p-values of at most 0.05 and 0.01 for systems with equal means, in documents of ten rows.
*Exchangeable* systems are checked. *Lopsided* ones are not exchangeable, and not checked: nine documents in
ten gain a little and one loses much, and with few documents no test can see a loss that a tenth of them have.

| systems | documents | p ≤ 0.05 | p ≤ 0.01 |
| --- | ---: | ---: | ---: |"""

MANY = """
## Any of many slices

Share of comparisons in which any adjusted p-value is at most 0.05. *Exchangeable*, which is checked:
documents of the sample data, drawn with replacement, with random signs; slices of its columns and of pairs of
columns. *Lopsided*, not checked: as above, with half of the documents in each slice.

| systems | slices | documents | any p ≤ 0.05 |
| --- | ---: | ---: | ---: |"""

POWER = """
## Power: Holm against max-T

Some rows of the sample data have RapidOCR's answers in place of Tesseract's; documents are drawn with
replacement. Each cell has the mean number of slices found at 0.05 and, in parentheses, the share of
comparisons with at least one. Both methods adjust the same p-values of sign flips, with 9,999 draws. max-T
must find something as often as Holm.

| slices | effect | Holm | max-T |
| ---: | --- | ---: | ---: |"""


def levels_of_one(replications: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Lines of the first table, with what is outside its bounds."""
    for name, make, sizes in (
        ("exchangeable", exchangeable, (8, 20, 60)),
        ("lopsided", lopsided, (12, 50, 200)),
    ):
        for documents in sizes:
            found = levels(make, documents, replications, seed)
            missed = [
                f"p ≤ {nominal} in {share:.3f} of comparisons of {documents} documents"
                for share, nominal in zip(found, (0.05, 0.01), strict=True)
                if share > nominal + ERRORS_ALLOWED * error(nominal, replications)
            ]
            line = f"| {name} | {documents} | {found[0]:.3f} | {found[1]:.3f} |"
            yield line, missed if make is exchangeable else []


def levels_of_many(sample: Sample, replications: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Lines of the second table, with what is outside its bounds."""
    for names in families(sample):
        share = family_wise(sample, names, replications, seed)
        too_often = share > ALPHA + ERRORS_ALLOWED * error(ALPHA, replications)
        missed = [f"any of {len(names)} slices in {share:.3f} of comparisons"] if too_often else []
        yield f"| exchangeable | {len(names)} | 112 | {share:.3f} |", missed
    for documents in (20, 50, 200):
        share = family_wise_lopsided(7, documents, replications, seed)
        yield f"| lopsided | 7 | {documents} | {share:.3f} |", []


def powers(sample: Sample, replications: int, seed: int) -> Iterator[tuple[str, list[str]]]:
    """Lines of the third table, with what is outside its bounds."""
    for effect in effects(sample):
        result = power(sample, effect, replications, seed)
        cells = " | ".join(f"{mean:.2f} ({100 * any_:.0f} %)" for mean, any_ in result.values())
        lost = result["Holm"][1] - result["max-T"][1] > ERRORS_ALLOWED * error(
            result["Holm"][1], replications
        )
        missed = [f"max-T finds less than Holm: {effect.what}, {len(effect.slices)} slices"] if lost else []
        yield f"| {len(effect.slices)} | {effect.what} | {cells} |", missed


def tables(seed: int, *, quick: bool) -> tuple[str, list[str]]:
    """Return the tables as Markdown, and what is outside its bounds."""
    replications = 200 if quick else 2_000
    sample = load()
    sections = (
        (ONE, levels_of_one(4 * replications, seed)),
        (MANY, levels_of_many(sample, replications, seed)),
        (POWER, powers(sample, replications // 10, seed)),
    )
    lines = [
        f"""{4 * replications:,} comparisons per line in the first table, {replications:,} in the second,
{replications // 10} in the third; seed {seed}. Checked shares may be above their level by {ERRORS_ALLOWED}
standard errors of the simulation.
"""
    ]
    missed: list[str] = []
    for head, body in sections:
        lines.append(head)
        for line, failures in body:
            lines.append(line)
            missed += failures
    return "\n".join(lines), missed


def page(*, seed: int, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    text, missed = tables(seed, quick=quick)
    return f"# Level and power of the tests of two systems\n\n{text}\n", missed


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__, 20261122).parse_args(), PAGE))
