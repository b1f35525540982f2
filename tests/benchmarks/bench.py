"""
Measure the speed goals: `python tests/benchmarks/bench.py [--quick] [--output FILE]`.

All contenders of a goal run in one process, round by round in turn; their answers are compared before
anything is timed. The goals per core run in a second process with one thread. The table goes into
RESULTS.md beside this file.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import json
import os
import platform
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from goals import Goal

HERE = Path(__file__).parent
PACKAGES = ("anls-frame", "polars", "polars-ds", "polars-distance", "polars-strsim", "rapidfuzz", "numpy")
FLAGS = ("sse2", "sse4_2", "avx", "avx2", "bmi2", "avx512f", "neon", "asimd")
HEADER = (
    "| work | against | ms | rival ms | ratio of medians | of fastest rounds | goal | |\n"
    "|---|---|---:|---:|---:|---:|---:|---|"
)


def measured(goal: Goal, *, rounds: int, budget: float) -> str:
    """Check and time one goal and return its line of the table."""
    from goals import OWN, check  # noqa: PLC0415 - not before POLARS_MAX_THREADS is settled
    from timing import interleaved  # noqa: PLC0415 - as above

    check(goal)
    timings = interleaved(goal.contenders, rounds=rounds, budget=budget)
    own = timings.pop(OWN)
    rivals = {name: (timing.median, timing.fastest) for name, timing in timings.items()}
    rivals |= {name: (seconds, seconds) for name, seconds in goal.known.items()}
    if not rivals:
        return f"| {goal.work} | {goal.rival} | {own.median * 1e3:.2f} | not run | | | {goal.target:.3g} | |"
    name, (median, _) = min(rivals.items(), key=lambda rival: rival[1][0])
    fastest = min(fastest for _, fastest in rivals.values()) / own.fastest
    ratio = median / own.median
    met = "met" if ratio >= goal.target else "**missed**"
    return (
        f"| {goal.work} | {goal.rival} ({name}) | {own.median * 1e3:.2f} | {median * 1e3:.2f} "
        f"| {ratio:.3g} | {fastest:.3g} | {goal.target:.3g} | {met} |"
    )


def lines(*, per_core: bool, quick: bool) -> dict[str, list[str]]:
    """Measure the goals of this process, and how cost grows."""
    from goals import goals_on_all_cores, goals_per_core, import_seconds  # noqa: PLC0415 - as above
    from growth import sections  # noqa: PLC0415 - as below

    rounds, budget = (7, 3.0) if quick else (15, 8.0)
    goals = goals_per_core(0.25 if quick else 1.0) if per_core else goals_on_all_cores(1_000_000)
    table = []
    for goal in goals:
        table.append(measured(goal, rounds=rounds, budget=budget))
        sys.stderr.write(table[-1] + "\n")
    if not per_core:
        extra = (import_seconds("anls_frame") - import_seconds("polars")) * 1e3
        met = "met" if extra <= 50 else "**missed**"
        table.append(
            f"| `import anls_frame` beyond `import polars` | | {extra:.0f} | | | | ≤ 50 ms | {met} |"
        )
    return {"goals": table, "growth": sections(per_core=per_core, quick=quick)}


def machine(packages: Sequence[str] = PACKAGES) -> str:
    """Return what a reader needs to know about the machine, and nothing that names it."""
    model, flags = platform.processor() or platform.machine(), ""
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        fields = dict(line.split(":", 1) for line in cpuinfo.read_text().splitlines() if ":" in line)
        named = {key.strip(): value.strip() for key, value in fields.items()}
        model = named.get("model name", model)
        present = named.get("flags", named.get("Features", "")).split()
        flags = ", ".join(flag for flag in FLAGS if flag in present)
    versions = ", ".join(f"{name} {importlib.metadata.version(name)}" for name in packages)
    load = f", load average {os.getloadavg()[0]:.1f} at the start" if hasattr(os, "getloadavg") else ""
    return (
        f"{os.cpu_count()} cores, {model} ({flags}), {platform.system()}{load}; "
        f"Python {platform.python_version()}, {versions}."
    )


def main() -> None:
    """Run the benchmark from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument(
        "--quick", action="store_true", help="fewer rounds, smaller long-text inputs: minutes"
    )
    parser.add_argument("--output", type=Path, default=HERE / "RESULTS.md", help="the file to write")
    parser.add_argument("--per-core", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.per_core:
        sys.stdout.write(json.dumps(lines(per_core=True, quick=arguments.quick)))
        return
    about = machine()
    table = lines(per_core=False, quick=arguments.quick)
    command = [sys.executable, __file__, "--per-core", *(["--quick"] if arguments.quick else [])]
    environment = os.environ | {"POLARS_MAX_THREADS": "1"}
    child = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)  # noqa: S603 - this script
    single = json.loads(child.stdout)
    from build import lines as build_lines  # noqa: PLC0415 - as above
    from large import lines as large_lines  # noqa: PLC0415 - as above
    from many_systems import lines as many_lines  # noqa: PLC0415 - as above

    command = [sys.executable, str(HERE / "gec_goals.py")]
    grammar = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment).stdout  # noqa: S603 - our own
    text = "\n".join(
        [
            "# Speed",
            "",
            "Written by `make bench`. Ratio: the rival's time by ours; goals are minima.",
            "",
            about,
            "",
            "## All cores",
            "",
            HEADER,
            *table["goals"],
            "",
            *large_lines(2_000_000 if arguments.quick else 20_000_000),
            "",
            *([] if arguments.quick else [*many_lines(), "", *build_lines(), ""]),
            *table["growth"],
            "## One core",
            "",
            HEADER,
            *single["goals"],
            "",
            *single["growth"],
            "## Grammatical error correction, CPU time of one core",
            "",
            *grammar.splitlines(),
            "",
        ]
    )
    arguments.output.write_text(text, encoding="utf-8")
    sys.stdout.write(text)


if __name__ == "__main__":
    main()
