"""
Level of `Report.against_rest` where the slices are drawn by chance, so that none differs; with its power.

    python benchmarks/rest_gate.py            # writes REST.md
    python benchmarks/rest_gate.py --quick    # prints the page of a tenth of the samples

Documents, or rows, get a label at random. Ends with 1 if p ≤ 0.05 is found too often. Power: in 30 % of the
labelled rows nothing is right.
"""

from __future__ import annotations

import sys
from pathlib import Path

import gates
import numpy as np
import numpy.typing as npt
from slices_sets import METRIC, Array, Population

from anls_frame.slices.slice_scores import Scores
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.dealt import two_sided
from anls_frame.statistics.losses import Losses

LEVEL = 0.05
LABELS = {"15 % of documents": (True, 0.15), "half of documents": (True, 0.5), "5 % of rows": (False, 0.05)}
LINES = [
    *((Population("as they are", count, "rapidocr"), label) for label in LABELS for count in (20, 112)),
    *(
        (Population("1 to 200", count, scores), "15 % of documents")
        for scores in ("alike", "rare bad documents")
        for count in (40, 100)
    ),
]
PAGE = Path(__file__).parent / "REST.md"
HEAD = """# Slices against the rest

Written by `rest_gate.py`: 199 draws. The populations are those of [SLICES.md](SLICES.md), which also has
the slices that are told by the size of their documents, tested in both ways.

- *p ≤ 0.05*: share of {level:,} samples with such a p-value if labels are random, so that there is no
  difference. At most {most:.1f} % are allowed: 5 % plus 3 standard errors.
- *Power*: share of {power:,} samples with p ≤ 0.05 if 30 % of the labelled rows have nothing right.

| rows per document | documents | scores | labels | p ≤ 0.05, % | power, % |
| --- | --- | --- | --- | --- | --- |
"""


def is_found(score: Array, document: npt.NDArray[np.int64], is_in: npt.NDArray[np.bool_]) -> bool | None:
    """Return whether p ≤ 0.05; None if all rows, or none, have the label."""
    if is_in.all() or not is_in.any():
        return None
    scores = Scores(METRIC, "system", score, np.ones(len(score)), None, np.ones(len(score)))
    losses = Losses.of(*scores.single_rows(), document, np.zeros(len(score), np.int64))
    # What `Report.against_rest` calls.
    p, _ = two_sided(losses, Codes(is_in[losses.line].astype(np.intp), 2), 199, 0)
    return bool(p[1] <= LEVEL)


def share(population: Population, label: str, samples: int, *, is_corrupted: bool) -> float:
    """Return the share of p ≤ 0.05."""
    whole, of_all = LABELS[label]
    found: list[bool] = []
    number = 0
    while len(found) < samples:
        random = population.generator(number)
        number += 1
        score, document = population.drawn(random)
        places = document if whole else np.arange(len(document))
        is_in = (random.random(int(places.max()) + 1) < of_all)[places]
        if is_corrupted:
            score = np.where(is_in & (random.random(len(score)) < 0.3), 0.0, score)
        one = is_found(score, document, is_in)
        if one is not None:
            found.append(one)
    return float(np.mean(found))


def page(*, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and which levels are too high."""
    samples, corrupted = (100, 15) if quick else (1_000, 150)
    most = LEVEL + 3 * (LEVEL * (1 - LEVEL) / samples) ** 0.5
    lines, missed = [HEAD.format(level=samples, power=corrupted, most=100 * most).rstrip("\n")], []
    for population, label in LINES:
        level = share(population, label, samples, is_corrupted=False)
        power = share(population, label, corrupted, is_corrupted=True)
        cells = (population.sizes, population.documents, population.scores, label)
        lines.append(f"| {' | '.join(map(str, cells))} | {100 * level:.1f} | {100 * power:.0f} |")
        gates.say(lines[-1])
        missed += [lines[-1]] if level > most else []
    return "\n".join(lines) + "\n", missed


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__).parse_args(), PAGE))
