"""
Time the package without rivals, for what cores gain. See `bench.py`.

In turn with rivals, which empty the caches and keep cores busy, one number of cores would start from less
than the other. Two processes of one thread each, at once, show what two cores of this machine can gain at
most: they share the memory and the clock, and wait for nothing else.
"""

from __future__ import annotations

import itertools
import json
import os
import statistics
import subprocess
import sys
import time

from goals import Goal

SECONDS = 1.0
"""How long each work is repeated."""
LEAST = 5
"""Rounds at least."""


def median(goal: Goal) -> float:
    """Return the seconds that the package takes, repeated for a while."""
    from goals import OWN  # noqa: PLC0415 - not before POLARS_MAX_THREADS is settled

    own = goal.contenders[OWN]
    seconds: list[float] = []
    begin = time.perf_counter()
    while len(seconds) < LEAST or time.perf_counter() - begin < SECONDS:
        start = time.perf_counter()
        own()
        seconds.append(time.perf_counter() - start)
    return statistics.median(seconds)


def together(scale: float) -> dict[str, float]:
    """Return the seconds of each work in two processes of one thread each that do it at the same time."""
    command = [sys.executable, __file__, str(scale)]
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    both = [
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment)  # noqa: S603 - this script
        for _ in range(2)
    ]
    found: dict[str, float] = {}
    while True:
        works = [one.stdout.readline() for one in both if one.stdout]  # both are ready, or done
        for one in both:
            if one.stdin and all(works):
                one.stdin.write("\n")
                one.stdin.flush()
        if not all(works):
            break
        seconds = [float(one.stdout.readline()) for one in both if one.stdout]
        found[json.loads(works[0])] = statistics.mean(seconds)
    for one in both:
        one.communicate()
    if any(one.returncode for one in both):
        raise SystemExit("one of two processes has failed")
    return found


def main() -> None:
    """Time all works, each as soon as the parent says so."""
    from goals import goals_on_all_cores, goals_per_core  # noqa: PLC0415 - as above

    done = set()
    for goal in itertools.chain(goals_on_all_cores(1_000_000), goals_per_core(float(sys.argv[1]))):
        if goal.work in done:
            continue
        done.add(goal.work)
        sys.stdout.write(json.dumps(goal.work) + "\n")
        sys.stdout.flush()
        sys.stdin.readline()
        sys.stdout.write(f"{median(goal)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
