"""
Measure the speed goals: `python benchmarks/bench.py [--quick] [--output FILE]`.

All contenders of a goal run in one process, round by round in turn; their answers are compared before
anything is timed. The goals per core run in a second process with one thread. The tables replace the section
of this processor in RESULTS.md beside this file, of which README.md quotes the processor with the lowest
ratios; with `--quick` they are only printed.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from goals import Goal
from machine import machine, processor
from results import publish, update

HERE = Path(__file__).parent
PACKAGES = (
    "anls-frame",
    "polars",
    "polars-ds",
    "polars-distance",
    "polars-strsim",
    "duckdb",
    "sliceline",
    "pysubgroup",
    "rapidfuzz",
    "numpy",
)
HEADER = (
    "| work | against | ms | rival ms | ratio of medians | of fastest rounds | goal | |\n"
    "|---|---|---:|---:|---:|---:|---:|---|"
)


SPEED_UP = 1.8
"""Goal for two cores ..."""
LONG = 5e-3
"""... of what takes one core longer than these seconds."""


def measured(goal: Goal, *, rounds: int, budget: float) -> str:
    """Check and time one goal; return its line of the table."""
    from goals import OWN, check  # noqa: PLC0415 - not before POLARS_MAX_THREADS is settled
    from timing import interleaved  # noqa: PLC0415 - as above

    check(goal)
    timings = interleaved(goal.contenders, rounds=rounds, budget=budget)
    own = timings.pop(OWN)
    rivals = {name: (timing.median, timing.fastest) for name, timing in timings.items()}
    rivals |= {name: (seconds, seconds) for name, seconds in goal.known.items()}
    target = "" if goal.target is None else f"{goal.target:.3g}"
    if not rivals:
        return f"| {goal.work} | {goal.rival} | {own.median * 1e3:.2f} | | | | {target} | |"
    name, (median, _) = min(rivals.items(), key=lambda rival: rival[1][0])
    fastest = min(fastest for _, fastest in rivals.values()) / own.fastest
    ratio = median / own.median
    met = "" if goal.target is None else "met" if ratio >= goal.target else "**missed**"
    return (
        f"| {goal.work} | {goal.rival} ({name}) | {own.median * 1e3:.2f} | {median * 1e3:.2f} "
        f"| {ratio:.3g} | {fastest:.3g} | {target} | {met} |"
    )


def lines(*, per_core: bool, quick: bool) -> dict[str, Any]:
    """Measure the goals and costs of this process, how cost grows, and the package alone on all works."""
    import alone  # noqa: PLC0415 - not before POLARS_MAX_THREADS is settled
    import costs  # noqa: PLC0415 - as above
    from goals import goals_of_slices, goals_on_all_cores, goals_per_core, import_seconds  # noqa: PLC0415 - as above
    from growth import sections  # noqa: PLC0415 - as below

    rounds, budget = (7, 3.0) if quick else (15, 8.0)
    scale = 0.25 if quick else 1.0
    on_all_cores, of_one_core = goals_on_all_cores(1_000_000), goals_per_core(scale)
    table = []
    medians: dict[str, float] = {}
    for goal in of_one_core if per_core else on_all_cores:
        table.append(said(measured(goal, rounds=rounds, budget=budget)))
        if goal.work not in medians:
            medians[goal.work] = alone.median(goal)
    if per_core:
        # Not in the table of what two cores gain, because one core makes the tables.
        table += [said(measured(goal, rounds=rounds, budget=budget)) for goal in goals_of_slices()]
    chosen = costs.costs_per_core(scale) if per_core else costs.costs_on_all_cores(quick=quick)
    cost_table = [said(costs.measured(cost, rounds=rounds, budget=budget)) for cost in chosen]
    for goal in on_all_cores if per_core else of_one_core:
        if goal.work not in medians:
            medians[goal.work] = alone.median(goal)
    if not per_core:
        extra = (import_seconds("anls_frame") - import_seconds("polars")) * 1e3
        met = "met" if extra <= 50 else "**missed**"
        table.append(
            f"| `import anls_frame` beyond `import polars` | | {extra:.0f} | | | | ≤ 50 ms | {met} |"
        )
    growth = sections(per_core=per_core, quick=quick)
    return {"goals": table, "costs": [costs.HEADER, *cost_table], "medians": medians, "growth": growth}


def said(line: str) -> str:
    """Tell who waits how far it is."""
    sys.stderr.write(line + "\n")
    return line


def speed_ups(one: dict[str, float], several: dict[str, float], together: dict[str, float]) -> list[str]:
    """Return the table of what all cores gain, and what two processes gain that do the same at once."""
    table = [
        "| work | one core, ms | all cores, ms | speed-up | two processes | goal | |",
        "|---|---:|---:|---:|---:|---:|---|",
    ]
    for work, seconds in one.items():
        if work in several and seconds > LONG:
            gain = seconds / several[work]
            met = "met" if gain >= SPEED_UP else "**missed**"
            both = f"{seconds * 1e3:.2f} | {several[work] * 1e3:.2f}"
            most = 2 * seconds / together[work]
            table.append(f"| {work} | {both} | {gain:.3g} | {most:.3g} | {SPEED_UP} | {met} |")
    return table


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds, smaller long-text inputs: minutes"
    )
    parser.add_argument("--output", type=Path, help="a file for this run alone, in place of RESULTS.md")
    parser.add_argument("--per-core", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.per_core:
        sys.stdout.write(json.dumps(lines(per_core=True, quick=arguments.quick)))
        return
    about = machine(PACKAGES)
    table = lines(per_core=False, quick=arguments.quick)
    command = [sys.executable, __file__, "--per-core", *(["--quick"] if arguments.quick else [])]
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)  # noqa: S603 - this script
    single = json.loads(child.stdout)
    from alone import together  # noqa: PLC0415 - as above
    from build import lines as build_lines  # noqa: PLC0415 - as above
    from large import cluster_lines  # noqa: PLC0415 - as above
    from large import lines as large_lines  # noqa: PLC0415 - as above
    from many_slices import lines as slices_lines  # noqa: PLC0415 - as above
    from many_systems import lines as many_lines  # noqa: PLC0415 - as above

    command = [sys.executable, str(HERE / "gec_goals.py")]
    grammar = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout  # noqa: S603 - our own
    clones = os.environ.get("ANLS_ORIGINALS")
    command = [sys.executable, str(HERE / "scorer_goals.py"), *([clones] if clones else [])]
    scorers = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout  # noqa: S603 - our own
    quick = arguments.quick
    section = [
        about,
        "",
        "### All cores",
        "",
        HEADER,
        *table["goals"],
        "",
        *table["costs"],
        "",
        *large_lines(2_000_000 if quick else 20_000_000),
        "",
        *cluster_lines(1_000_000 if quick else 10_000_000),
        "",
        *slices_lines(),
        "",
        *([] if quick else [*many_lines(), "", *build_lines(), ""]),
        *table["growth"],
        "### One core",
        "",
        HEADER,
        *single["goals"],
        "",
        *single["costs"],
        "",
        "#### Speed-up from all cores, for work that takes more than 5 ms on one",
        "",
        *speed_ups(single["medians"], table["medians"], together(0.25 if arguments.quick else 1.0)),
        "",
        *single["growth"],
        "### Grammatical error correction, CPU time of one core",
        "",
        *grammar.splitlines(),
        "",
        "### Scorers of benchmarks, CPU time of one core",
        "",
        *scorers.splitlines(),
        "",
    ]
    if arguments.output is not None:
        update(arguments.output, processor(), section)
    elif not quick:
        publish(processor(), section)
    sys.stdout.write("\n".join(section))


if __name__ == "__main__":
    main()
