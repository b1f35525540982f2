"""
Error rates, power and bias of `find_slices`, by simulation.

    python benchmarks/slices_gate.py            # writes SLICES.md
    python benchmarks/slices_gate.py --quick    # prints the page of a tenth of the sets

What is found in each set is counted in slices_counts.json, line by line. A run that was stopped goes on
where it was. After a change of what is found, delete the file. A quick run keeps no counts.

Ends with 1 if slices are found too often where there are none, too rarely where there is one, if the effects
of slices that are tested on other documents are biased, or if p-values differ from those of plain loops.
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from typing import Any

import gates
import numpy as np
from slices_sets import COLUMNS, LEVEL, PLAN, SEED, WIDE_LEVEL, faults, honest_nulls, nulls

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from collections.abc import Sequence

import sized_sets
import slices_cases
from slices_sets import Line

BIAS = 0.1
HOLDS = 0.95
FRAMES = 200
AT_ONCE = 50
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
    """Draw sets until each line has enough, some of each at a time."""
    while missing := [line for line in lines if counts.sets(line) < sets]:
        line = min(missing, key=lambda one: counts.sets(one) // AT_ONCE)
        counts.add(line, min(AT_ONCE, sets - counts.sets(line)))
        gates.say(f"{line.key}: {counts.sets(line):,} sets, {counts.shares(line)}")


def bias(errors: Any) -> tuple[float, float]:
    """Return the bias in standard errors, and what it may be by chance (3 standard errors)."""
    count, off, squares, size = errors
    mean, scale = off / count, size / count
    return float(mean / scale), float(3 * ((squares / count - mean**2) / count) ** 0.5 / scale)


def most(line: Line, sets: int) -> float:
    """Return in which share of the sets a slice may be found."""
    chance = 3 * (LEVEL * (1 - LEVEL) / sets) ** 0.5
    return WIDE_LEVEL if line.most > LEVEL else LEVEL + chance


HEAD = """# Search for slices

Written by `slices_gate.py`: {columns} columns of 4 values (half of them vary by document, half by row),
slices of up to 2 conditions, {draws} draws. The p-values of {frames:,} small frames equal those of plain
loops over slices, draws and documents.

- *Search*: share of sets in which a slice is listed, with p ≤ 0.05 after adjustment for all slices searched.
- *Honest*: share of sets in which a slice is found on half of the documents and has p ≤ 0.05 on the other
  half.

## Where no slice is worse

The values of all columns are random, so no slice is worse than the rest.

- *Rows per document*: numbers from a log-normal distribution with a median of 10; 1 to 200, with an equal
  share for each order of magnitude; or *as they are*, those of the sample data, with documents drawn with
  replacement.
- *Scores*: right or wrong, with the mean and the intraclass correlation (ICC) of the line (*alike*); 7 % of
  the documents nearly all wrong (*rare bad documents*); graded, with a large spread in 30 % of the
  documents and half of the rows (*unequal spread*); large documents worse by 0.25 (*large ones harder*);
  changes from one system to another (*changes*); a character error rate (*characters*), also with 15 % pages
  without text, a third of them read as some text (*blank pages*); the cost of all rows divided by the
  number of right ones (*cost of right answers*); or those of a system in the sample data.
- *Columns*: 4 values each; two columns with 40 values; two columns of lists, with up to 4 of 5 values; or two
  columns of documents whose values depend on their size (*go with size*).
- *At most*: the largest share of sets in which a slice may be listed. It is 5 % plus 3 standard errors, or
  {wide} % if documents have 1 to 200 rows.

| rows per document | documents | scores | mean | ICC | columns | sets | search, % | at most, % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
HONEST_HEAD = """
With `SliceSearch(holdout=0.5)`, which tests slices on the half that was not used to find them:

| rows per document | documents | scores | mean | ICC | columns | sets | honest, % | at most, % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""
POWER_HEAD = """
## Where one slice is worse

Documents have ten rows each, of which 80 % are right, with an ICC of 0.1.

- *Fault*: by how much the mean is lower in the slice.
- *Search*, *honest*: share of sets in which the slice is found, in either way.
- *Else*: share of sets in which another slice is listed, beside this one or in its place.
- *At least*: share of sets in which the search must find the slice.
- *Bias*: of effects estimated on other documents, in standard errors, ± 3 standard errors of the simulation.
- *Intervals hold*: of the sets in which the search lists the slice, the share whose interval from `find_slices`
  contains the mean of the slice. *Of a report*: the same for the 95 % interval from a report of the slice's rows.

| slice | fault | documents | sets | search, % | at least, % | else, % | honest, % | else, % | bias | intervals hold, % | of a report, % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""  # noqa: E501 - a line of a table

SIZED_HEAD = """
## Slices told by the size of their documents

The slices are A and B, whose documents have the given numbers of rows (*Poisson*: on average), or fifths of
documents by size, with sizes exp N(2, 1). Rows are independent, correlated within documents (0.2), or 7 %
of the documents are nearly all wrong (*rare bad documents*). `Report.against_rest` counts at p ≤ 0.05.

Where the slices do not differ (mean 0.9; `against_rest` of B, or of the fifth of the largest documents):

| rows of A, B | documents | scores | sets | search, % | honest, % | against_rest, % | at most, % |
| --- | --- | --- | --- | --- | --- | --- | --- |
"""
SIZED_POWER_HEAD = """
Where they differ: means of 0.9 and 0.6, or from 0.97 for the smallest fifth to 0.55 for the largest; any
slice counts. *t test*: Welch's, of the means of documents, two-sided and without adjustment for several
slices, as `against_rest`; *one-sided*, adjusted for the number of slices (Bonferroni), as the search; and the
same *on the half* of the documents on which honest tests slices.

| rows of A, B | documents | sets | against_rest, % | t test, % | search, % | at least, % | one-sided, % | honest, % | on the half, % |
| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""  # noqa: E501 - a line of a table
SIZED_LEAST = 0.85
"""What must be found where a t test finds all, but for two standard errors."""


def sized_lines(counts: Counts) -> tuple[list[str], bool]:
    """Return the section of slices that are told by the size of their documents."""
    written, is_right = [SIZED_HEAD.rstrip("\n")], True
    for line in counts.drawn(list(sized_sets.lines(differs=False))):
        sets, shares = counts.sets(line), counts.shares(line)
        limit = WIDE_LEVEL + 2 * (WIDE_LEVEL * (1 - WIDE_LEVEL) / sets) ** 0.5
        is_right &= max(shares.values()) <= limit
        found = [f"{100 * shares[name]:.1f}" for name in ("search", "honest", "against_rest")]
        written.append(f"| {' | '.join([*line.cells, f'{sets:,}', *found, f'{100 * limit:.1f}'])} |")
    written.append(SIZED_POWER_HEAD.rstrip("\n"))
    for line in counts.drawn(list(sized_sets.lines(differs=True))):
        sets, shares = counts.sets(line), counts.shares(line)
        chance = 2 * (SIZED_LEAST * (1 - SIZED_LEAST) / sets) ** 0.5
        is_right &= min(shares["search"], shares["against_rest"]) >= SIZED_LEAST - chance
        columns = ("against_rest", "t", "search", "t, adjusted", "honest", "t, half")
        of_rest, t, search, *others = (f"{100 * shares[name]:.0f}" for name in columns)
        cells = (*line.cells[:2], f"{sets:,}", of_rest, t, search, f"{100 * SIZED_LEAST:.0f}", *others)
        written.append(f"| {' | '.join(cells)} |")
    return written, is_right


def null_lines(counts: Counts, lines: Sequence[Line]) -> tuple[list[str], bool]:
    written, is_right = [], True
    for line in lines:
        sets, (share,) = counts.sets(line), counts.shares(line).values()
        limit = most(line, sets)
        is_right &= share <= limit
        cells = [*line.cells, f"{sets:,}", f"{100 * share:.1f}", f"{100 * limit:.1f}"]
        written.append(f"| {' | '.join(cells)} |")
    return written, is_right


def bias_line(counts: Counts, lines: Sequence[Line]) -> tuple[str, bool]:
    errors = counts.errors(lines)
    off, chance = bias(errors)
    return (
        f"\nThe effects of all {errors[0]:,.0f} slices tested on other documents have a bias of {off:+.3f} "
        f"standard errors (up to ±{chance:.3f} by chance)."
    ), abs(off) <= BIAS


def power_lines(counts: Counts, lines: Sequence[Line]) -> tuple[list[str], bool]:
    written, is_right = [], True
    found = held = 0.0
    for line in lines:
        shares, sets = counts.shares(line), counts.sets(line)
        is_right &= shares["search"] >= line.least
        found, held = found + sets * shares["search"], held + sets * shares["holds"]
        errors = counts.errors([line])
        columns = ("search", "search, else", "honest", "honest, else")
        search, *others = (f"{100 * shares[name]:.0f}" for name in columns)
        least = f"{100 * line.least:.0f}" if line.least else ""
        shown = "{:+.2f} ± {:.2f}".format(*bias(errors)) if errors[0] >= FEWEST_ERRORS else ""
        of_found = [
            f"{100 * shares[name] / shares['search']:.0f}" if shares["search"] else ""
            for name in ("holds", "holds at 95 %")
        ]
        cells = (*line.cells, f"{sets:,}", search, least, *others, shown, *of_found)
        written.append(f"| {' | '.join(cells)} |")
    off, is_unbiased = bias_line(counts, lines)
    return [*written, off], is_right and is_unbiased and held >= HOLDS * found


def page(*, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and which of its sections are outside their bounds."""
    if not quick:
        return made_of(Counts(COUNTS), 1_000, 400)
    with tempfile.TemporaryDirectory() as folder:
        return made_of(Counts(Path(folder, COUNTS.name)), 100, 40)


def made_of(counts: Counts, sets: int, corrupted: int) -> tuple[str, list[str]]:
    """Count sets until each line has this number; return the page, and the sections outside their bounds."""
    of_nulls, of_honest, of_faults = list(nulls()), list(honest_nulls()), list(faults())
    run(counts, of_nulls, sets)
    run(counts, of_faults, corrupted)
    run(counts, of_honest, sets)
    run(counts, list(sized_sets.lines(differs=False)), sets)
    run(counts, list(sized_sets.lines(differs=True)), corrupted // 4)
    random = np.random.default_rng(SEED)
    for _ in range(FRAMES):
        slices_cases.compared(random)
    without, nulls_right = null_lines(counts, counts.drawn(of_nulls))
    honest, honest_right = null_lines(counts, counts.drawn(of_honest))
    off, is_unbiased = bias_line(counts, counts.drawn(of_honest))
    with_one, power_right = power_lines(counts, counts.drawn(of_faults))
    of_sizes, sizes_right = sized_lines(counts)
    head = HEAD.format(columns=COLUMNS, draws=PLAN.search.draws, frames=FRAMES, wide=round(100 * WIDE_LEVEL))
    parts = [
        head + "\n".join(without),
        HONEST_HEAD + "\n".join([*honest, off]),
        POWER_HEAD + "\n".join(with_one),
        "\n".join(of_sizes),
    ]
    right = {
        "where no slice is worse": nulls_right,
        "the same with a holdout": honest_right and is_unbiased,
        "where one is": power_right,
        "told by size": sizes_right,
    }
    return "\n".join(parts) + "\n", [f"slices {name}" for name, is_right in right.items() if not is_right]


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__).parse_args(), PAGE))
