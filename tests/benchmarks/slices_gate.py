"""
Error rates, power and bias of `find_slices`, by simulation.

    python tests/benchmarks/slices_gate.py               # writes SLICES.md
    python tests/benchmarks/slices_gate.py --sets 200 --page /tmp/slices.md --counts /tmp/slices.json

What is found in each set is counted in slices_counts.json, line by line. A run that was stopped goes on
where it was; `--sets 0` only writes the page. After a change of what is found, delete the file.

Ends with 1 if slices are found too often where there are none, too rarely where there is one, if the effects
of slices that are tested on other documents are biased, or if p-values differ from those of plain loops.
"""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from slices_sets import COLUMNS, GATED_ROWS, LEVEL, SEED, faults, nulls

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import slices_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from slices_sets import Line

POWER = {"search": 0.75, "honest": 0.6}
BIAS = 0.1
FRAMES = 1000
AT_ONCE = 50
FIRST = 100
"""Number of sets of each line before one line gets more than another."""
FEWEST_ERRORS = 20
PAGE = Path(__file__).parent / "SLICES.md"
COUNTS = Path(__file__).parent / "slices_counts.json"


class Counts:
    """What was found in how many sets, by line, kept in a file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._of: dict[str, dict[str, Any]] = json.loads(path.read_text()) if path.exists() else {}

    def sets(self, line: Line) -> int:
        return int(self._of.get(line.key, {}).get("sets", 0))

    def drawn(self, lines: Sequence[Line]) -> list[Line]:
        """Return the lines of which there are sets."""
        return [line for line in lines if self.sets(line)]

    def shares(self, line: Line) -> dict[str, float]:
        """Return the share of sets in which something is found."""
        counts = self._of[line.key]
        return {name: count / counts["sets"] for name, count in counts["found"].items()}

    def errors(self, lines: Sequence[Line]) -> Any:
        """Return of how many errors there are the number, Σ, Σ² and Σ of their standard errors."""
        return np.sum([self._of[line.key]["errors"] for line in lines], axis=0)

    def add(self, line: Line, sets: int) -> None:
        """Draw more sets of a line."""
        counts = self._of.setdefault(line.key, {"sets": 0, "found": {}, "errors": [0, 0.0, 0.0, 0.0]})
        for number in range(counts["sets"], counts["sets"] + sets):
            found, errors = line.found(number)
            for name, is_found in found.items():
                counts["found"][name] = counts["found"].get(name, 0) + is_found
            off, size = np.array(errors).reshape(-1, 2).T
            sums = (len(off), off.sum(), off @ off, size.sum())
            counts["errors"] = [float(a + b) for a, b in zip(counts["errors"], sums, strict=True)]
        counts["sets"] += sets
        whole = self._path.with_suffix(".new")
        whole.write_text(json.dumps(self._of, indent=1) + "\n")
        whole.replace(self._path)


def run(counts: Counts, lines: Sequence[Line], sets: int) -> None:
    """Draw sets until each line has enough, first of those in which something is found most often."""

    def key(line: Line) -> tuple[bool, float]:
        return counts.sets(line) >= FIRST, -max(counts.shares(line).values()) if counts.sets(line) else -1.0

    while missing := [line for line in lines if counts.sets(line) < sets]:
        line = min(missing, key=key)
        counts.add(line, min(AT_ONCE, sets - counts.sets(line)))
        print(f"{line.key}: {counts.sets(line):,} sets, {counts.shares(line)}", flush=True)  # noqa: T201


def bias(errors: Any) -> tuple[float, float]:
    """Return the bias in standard errors, and what it may be by chance (3 standard errors)."""
    count, off, squares, size = errors
    mean, scale = off / count, size / count
    return float(mean / scale), float(3 * ((squares / count - mean**2) / count) ** 0.5 / scale)


def most(sets: int) -> float:
    """Return in which share of the sets a slice may be found."""
    return LEVEL + 3 * (LEVEL * (1 - LEVEL) / sets) ** 0.5


HEAD = """# Slices found

Written by `slices_gate.py`: {columns} columns of 4 values (half of them of documents, half of rows), slices
of up to 2 conditions, 999 draws. *search*: a slice is found where p ≤ 0.05, adjusted for all that were
looked at. *honest*: it is found on half of the documents, and p ≤ 0.05 on the others. p-values of
{frames:,} small frames equal those of plain loops over slices, draws and documents.

## Where no slice is worse

Values of columns are drawn by chance, documents from the sample data with replacement, or with log-normal
sizes. *at most* is in which share of the sets a slice may be found: in 5 %, and 3 standard errors.

| scores | documents | mean | ICC | sets | search, % | search, two systems, % | honest, % | at most, % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
POWER_HEAD = """
## Where one slice is worse

15 or 50 % of its answers are spoilt; 85 % of the others are right, with an ICC of 0.1. Of two systems the
second is spoilt, and in a fifth of the rows its score is that of another row of the first. *else*: another
slice is listed too, or in its place. With {rows:,} rows a slice of rows that is spoilt by 15 % must be found
in {search:.0%} (search) and {honest:.0%} (honest). Slices of whole documents are harder, because documents
differ. The bias of effects on other documents is in standard errors, ± 3 standard errors of the simulation.

| systems | rows | slice | spoilt, % | sets | search, % | else, % | honest, % | else, % | bias |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def null_lines(counts: Counts, lines: Sequence[Line]) -> tuple[list[str], bool]:
    written, is_right = [], True
    for line in lines:
        sets, shares = counts.sets(line), counts.shares(line).values()
        is_right &= max(shares) <= most(sets)
        cells = [*line.cells, f"{sets:,}", *(f"{100 * share:.1f}" for share in (*shares, most(sets)))]
        written.append(f"| {' | '.join(cells)} |")
    errors = counts.errors(lines)
    off, chance = bias(errors)
    written.append(
        f"\nBias of the effects of all {errors[0]:,.0f} slices tested on other documents: {off:+.3f} "
        f"standard errors (by chance up to ±{chance:.3f})."
    )
    return written, is_right and abs(off) <= BIAS


def power_lines(counts: Counts, lines: Sequence[Line]) -> tuple[list[str], bool]:
    written, is_right = [], True
    for line in lines:
        shares = counts.shares(line)
        if line.is_gated:
            is_right &= all(shares[name] >= least for name, least in POWER.items())
        errors = counts.errors([line])
        shown = "{:+.2f} ± {:.2f}".format(*bias(errors)) if errors[0] >= FEWEST_ERRORS else ""
        of_sets = (f"{counts.sets(line):,}", *(f"{100 * share:.0f}" for share in shares.values()))
        written.append(f"| {' | '.join((*line.cells, *of_sets, shown))} |")
    off, chance = bias(counts.errors(lines))
    by_chance = f"(by chance up to ±{chance:.3f})"
    written.append(f"\nBias of all lines together: {off:+.3f} standard errors {by_chance}.")
    return written, is_right and abs(off) <= BIAS


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sets", type=int, default=2000, help="in which no slice is worse, a line")
    parser.add_argument("--faults", type=int, default=300, help="sets in which a slice is worse, a line")
    parser.add_argument("--counts", type=Path, default=COUNTS)
    parser.add_argument("--page", type=Path, default=PAGE)
    given = parser.parse_args()
    counts, of_nulls, of_faults = Counts(given.counts), list(nulls()), list(faults())
    run(counts, of_nulls, given.sets)
    run(counts, of_faults, given.faults if given.sets else 0)
    random = np.random.default_rng(SEED)
    for _ in range(FRAMES):
        slices_cases.compared(random)
    without, nulls_right = null_lines(counts, counts.drawn(of_nulls))
    with_one, power_right = power_lines(counts, counts.drawn(of_faults))
    page = [
        HEAD.format(columns=COLUMNS, frames=FRAMES) + "\n".join(without),
        POWER_HEAD.format(rows=GATED_ROWS, **POWER) + "\n".join(with_one),
    ]
    given.page.write_text("\n".join(page) + "\n", encoding="utf-8")
    return int(not (nulls_right and power_right))


if __name__ == "__main__":
    sys.exit(main())
