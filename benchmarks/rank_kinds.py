"""
Coverage of rank sets of equal systems that fail in the same way, or in different ones, by simulation.

    python benchmarks/rank_kinds.py                     # all cells, into rank_kinds.json
    python benchmarks/rank_kinds.py --counts FILE       # the same, into another file

`many_systems_gate.py` writes the table. What was counted in each cell is kept: a run that was stopped goes on
where it was. After a change of what is found, delete the file.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from populations import Array, Random, heavy_tail

from anls_frame import statistics
from anls_frame.reports import estimates, pairwise
from anls_frame.statistics.carriers import are_few

COUNTS = Path(__file__).with_name("rank_kinds.json")
SAMPLES = 1_000
DRAWS = (199, 999)
"""Fewer draws first: the rest is made only if they leave open whether p is at most 0.05."""
SEED = 20261124
ERRORS = 0.1
LEVEL = 0.05


@dataclass(frozen=True)
class Cell:
    """Samples of so many documents, and equal systems of one kind or of two."""

    systems: int
    kind: str
    documents: int
    sizes: str

    @property
    def key(self) -> str:
        return f"{self.systems} {self.kind}, {self.documents} documents of {self.sizes}"

    def sample(self, random: Random) -> tuple[Array, Array]:
        """Return the right answers of the systems by document, and the numbers of rows."""
        n = heavy_tail((1, self.documents), random)[0] if "200" in self.sizes else np.full(self.documents, 10)
        shape = self.documents, self.systems
        on_rows = random.binomial(n[:, None], 1 - ERRORS, shape)
        whole = n[:, None] * (random.random(shape) >= ERRORS)
        fails_whole = (np.arange(self.systems) % 2 == 1) & (self.kind == "unlike")
        x = np.where(fails_whole, whole, on_rows)
        return x.astype(np.float64), n[:, None].astype(np.float64)


def cells() -> Iterator[Cell]:
    """All cells; those that take longest come last."""
    for systems, kind, sizes, documents in itertools.product(
        (3, 6, 10, 40), ("unlike", "like"), ("ten rows", "1 to 200 rows"), (20, 50, 100, 300)
    ):
        yield Cell(systems, kind, documents, sizes)


def simulate(cell: Cell, samples: int) -> dict[str, float]:
    """Return counts: samples, those in which all sets hold, those in which all unmarked do; sizes, marks."""
    random = np.random.default_rng([SEED, *cell.key.encode()])
    held = unmarked_held = 0
    size = marks = 0.0
    pairs = list(itertools.combinations(range(cell.systems), 2))
    unit = np.arange(cell.documents)
    for number in range(samples):
        x, n = cell.sample(random)
        sums = statistics.SystemSums(unit, np.zeros_like(unit), x, n, np.ones_like(unit), 1)
        marked = few_scores(x, n)
        better = np.zeros((cell.systems, cell.systems), bool)
        if has_difference(sums, pairs, number):
            ranks = statistics.rank_sets(sums, True, draws=DRAWS[-1], seed=number)  # noqa: FBT003
            size += float((ranks.rank_high - ranks.rank_low + 1).mean())
            better = ranks.better[0]
            score, units = x.sum(axis=0) / n.sum(), estimates.units(sums_of(x, n))
            marked = pairwise.with_ranks_on_few(marked[None], better[None], score[None], units[None])[0]
        else:
            size += cell.systems
        wrong = better.any(axis=0) | better.any(axis=1)
        held += not wrong.any()
        unmarked_held += not (wrong & ~marked).any()
        marks += float(marked.mean())
    return {"samples": samples, "held": held, "unmarked": unmarked_held, "size": size, "marks": marks}


def has_difference(sums: statistics.SystemSums, pairs: list[tuple[int, int]], seed: int) -> bool:
    """Whether any adjusted p-value is at most 0.05 with all draws."""
    p_value = np.nanmin(statistics.pairwise(sums, pairs, draws=DRAWS[0], seed=seed).p_adjusted)
    # Draws in which the largest statistic was as far, of which more than this let no p-value be 0.05.
    as_far = p_value * (DRAWS[0] + 1) - 1
    if as_far > LEVEL * (DRAWS[1] + 1) - 1:
        return False
    return bool(np.nanmin(statistics.pairwise(sums, pairs, draws=DRAWS[1], seed=seed).p_adjusted) <= LEVEL)


def few_scores(x: Array, n: Array) -> npt.NDArray[np.bool_]:
    """Whether scores are marked, by themselves."""
    sums = sums_of(x, n)
    return are_few(sums.n, estimates.units(sums), estimates.carried_by("bounded", sums))


def sums_of(x: Array, n: Array) -> estimates.Sums:
    """Return what reports know of the scores, by system."""
    y = np.broadcast_to(n, x.shape)
    total, squares, cubes, fourths = ((y**power).sum(axis=0) for power in (1, 2, 3, 4))
    none = np.zeros(x.shape[1])
    return estimates.Sums(
        x=x.sum(axis=0), y=total, xx=(x * x).sum(axis=0), xy=(x * y).sum(axis=0), yy=squares, squares=none,
        bracket=none, n=total, n_squares=squares, n_cubes=cubes, n_fourths=fourths,
    )  # fmt: skip


def table() -> tuple[str, list[str]]:
    """Return the table as Markdown, and the cells of unmarked sets that hold too rarely."""
    counts = json.loads(COUNTS.read_text())
    lines, missed = [HEAD], []
    for cell in cells():
        if cell.key not in counts:
            continue
        found = counts[cell.key]
        samples = found["samples"]
        held, unmarked, size, marks = (
            found[name] / samples for name in ("held", "unmarked", "size", "marks")
        )
        error = 100 * math.sqrt(held * (1 - held) / samples)
        figures = f"{100 * held:.1f} ± {error:.1f} | {size:.2f} | {100 * marks:.0f} % | {100 * unmarked:.1f}"
        lines.append(f"| {cell.systems} | {cell.kind} | {cell.sizes} | {cell.documents} | {figures} |")
        if unmarked < LEAST:
            missed.append(f"unmarked rank sets hold in {unmarked:.3f}: {cell.key}")
    return "\n".join(lines), missed


LEAST = 0.93
HEAD = f"""All systems are equal: each is wrong in {100 * ERRORS:.0f} % of the rows. {SAMPLES:,} samples per
cell, {DRAWS[-1]} draws, seed {SEED}.

- *Like*: rows are wrong independently of each other.
- *Unlike*: with every second system, either all rows of a document are wrong or none.
- *1 to 200 rows*: the probability of n rows in a document falls as n^-1.5.
- *Held*: share of samples in which the sets of all systems contain all true ranks, with its standard error.
  The nominal value is 95 %.
- *Size*: mean number of ranks in a set.
- *Marked*: share of systems marked `few_rows`.
- *Unmarked held*: share of samples in which all unmarked sets contain all true ranks; at least
  {100 * LEAST:.0f} % is required.

| systems | kind | rows per document | documents | held, % | size | marked | unmarked held, % |
| ---: | --- | --- | ---: | ---: | ---: | ---: | ---: |"""


def main() -> int:
    """Count what is found in cells that are not in the file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--counts", type=Path, default=COUNTS, help="file of counts (rank_kinds.json)")
    parser.add_argument("--samples", type=int, default=SAMPLES, help="samples of each cell (1,000)")
    parser.add_argument("--systems", type=int, default=40, help="most systems of a cell (40)")
    arguments = parser.parse_args()
    counts = json.loads(arguments.counts.read_text()) if arguments.counts.exists() else {}
    for cell in cells():
        if cell.key in counts or cell.systems > arguments.systems:
            continue
        counts[cell.key] = simulate(cell, arguments.samples)
        arguments.counts.write_text(json.dumps(counts, indent=1) + "\n", encoding="utf-8")
        sys.stderr.write(f"{cell.key}: {counts[cell.key]}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
