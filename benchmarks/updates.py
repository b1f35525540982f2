"""
What an update of a metric object costs: `python benchmarks/updates.py`.

Prints microseconds of `ANLS.update`, medians, by the number of pairs; docs/streaming.md quotes two of them.
"""

from __future__ import annotations

import random
import statistics
import sys
import time
from typing import Any

from inputs import LATIN, SEED, text

import anls_frame as af

PAIRS = (1, 32, 1_000)
ROUNDS = 200


def microseconds(predictions: Any, answers: Any) -> float:
    """Return the median time of an update."""
    metric = af.ANLS()
    taken = []
    for _ in range(ROUNDS):
        start = time.perf_counter()
        metric.update(predictions, answers)
        taken.append(time.perf_counter() - start)
    return statistics.median(taken) * 1e6


def shown(value: float) -> str:
    """Write a number to three digits."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def main() -> None:
    """Measure short texts with one or two answers."""
    rng = random.Random(SEED + 5)
    lines = ["| pairs in the batch | time |", "|---:|---:|"]
    for pairs in PAIRS:
        answers = [[text(rng, LATIN, 10) for _ in range(1 + row % 2)] for row in range(pairs)]
        predictions = [one[0] if row % 3 else text(rng, LATIN, 10) for row, one in enumerate(answers)]
        lines.append(f"| {pairs:,} | {shown(microseconds(predictions, answers))} µs |")
    sys.stdout.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
