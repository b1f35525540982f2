"""Interleaved timing of contenders that do the same work."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Timing:
    """Seconds of each round of one contender."""

    seconds: list[float]

    @property
    def median(self) -> float:
        """The middle round."""
        return statistics.median(self.seconds)

    @property
    def fastest(self) -> float:
        """The round least disturbed by other work on the machine."""
        return min(self.seconds)


def interleaved(
    contenders: Mapping[str, Callable[[], Any]],
    *,
    rounds: int,
    budget: float,
    clock: Callable[[], float] = time.perf_counter,
) -> dict[str, Timing]:
    """Time all contenders in turn, round by round, until the rounds or the seconds are used up."""
    seconds: dict[str, list[float]] = {name: [] for name in contenders}
    begin = time.perf_counter()
    for done in range(rounds):
        for name, contender in contenders.items():
            # Collected before, not during: garbage of one contender is not another's time.
            gc.collect()
            start = clock()
            contender()
            seconds[name].append(clock() - start)
        enough = done >= 2
        if enough and time.perf_counter() - begin > budget:
            break
    return {name: Timing(values) for name, values in seconds.items()}


def cpu_seconds(work: Callable[[], object], rounds: int) -> float:
    """Return the CPU time of the fastest round."""
    times = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        times.append(time.process_time() - start)
    return min(times)
