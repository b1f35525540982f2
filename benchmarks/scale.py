"""
Measure reports over many rows: `python benchmarks/scale.py [--rows 1,10,50,100] [--output FILE]`.

Each way in processes of its own: all rows in memory, streaming, eight files as parts and their merge (two at
a time), Daft on its own runner, and Daft on a Ray cluster of two workers, these two where `--daft-python` has
them. With clusters also files of five million rows of whole documents, whose parts are folded, one after the
other. The reports are compared figure by figure. The tables go into SCALE.md beside this file and into
docs/scale.md. The whole takes about 25 minutes, 9 GB of disk and 10 GB of memory. `--add --rows 100` measures
these rows alone, `--add --ways folded` this way alone, and both put their lines into the tables of the last
whole run.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import polars as pl
from machine import machine
from processes import Run, run
from scale_plan import PAGE, plan, quote
from scale_rows import ROW_GROUP

HERE = Path(__file__).parent
WAYS = str(HERE / "scale_ways.py")
RESULTS = HERE / "SCALE.md"
COMMAND = str(Path(sys.executable).parent / "anls-frame")
PARTS = 8
AT_ONCE = 2
FOLDED_ROWS = 5_000_000
NAMES = {
    "memory": "in memory",
    "streaming": "streaming",
    "parts": f"{PARTS} parts and their merge, {AT_ONCE} at a time",
    "folded": f"parts of {FOLDED_ROWS / 1e6:g} M rows, clusters folded, and their merge",
    "daft": "Daft, native runner",
    "ray": "Daft on Ray, 2 workers",
}
FEW = ("streaming", "parts")
FEW_CLUSTERED = ("streaming", "folded")
PLAIN = "Reports by a list column, without clusters:"
CLUSTERED = "The same reports with clusters of 20 rows:"
FILES = "Scores of all rows, streamed from Parquet to Parquet:"
HEADER = (
    "| rows | way | seconds | CPU seconds | M rows/s per core | peak MiB | same report |\n"
    "|---:|---|---:|---:|---:|---:|---|"
)


def say(text: str) -> None:
    """Tell who waits how far it is."""
    sys.stderr.write(f"{time.strftime('%H:%M:%S')} {text}\n")


def has(python: str, module: str) -> bool:
    """Whether an interpreter can import a module."""
    found = subprocess.run([python, "-c", f"import {module}"], capture_output=True, check=False)  # noqa: S603 - given
    return found.returncode == 0


def in_parts(path: Path, options: Sequence[str], rows: int, at_once: int, limit: float) -> Run:
    """Report files of so many rows by processes of the shell's command, as an array job does."""
    with tempfile.TemporaryDirectory(dir=path.parent) as folder:
        total = pl.scan_parquet(path).select(pl.len()).collect().item()
        files = []
        for start in range(0, total, rows):
            files.append(Path(folder) / f"rows-{start}.parquet")
            pl.scan_parquet(path).slice(start, rows).sink_parquet(files[-1], row_group_size=ROW_GROUP)
        parts = [str(file.with_suffix(".summary.parquet")) for file in files]
        reported = run(
            [
                [COMMAND, "report", str(file), "-b", "types", *options, "--summary", part]
                for file, part in zip(files, parts, strict=True)
            ],
            at_once=at_once,
            limit=limit,
            environment={"POLARS_MAX_THREADS": str(max(1, (os.cpu_count() or 1) // at_once))},
        )
        if reported.failure:
            return reported
        merged = run([[COMMAND, "merge", *parts, "--json"]], limit=limit)
    return Run(
        reported.seconds + merged.seconds,
        reported.cpu_seconds + merged.cpu_seconds,
        max(reported.peak_mib, merged.peak_mib),
        merged.outputs,
        merged.failure,
    )


def measured(way: str, path: Path, rows: int, *, cluster: bool, python: str, limit: float) -> Run:
    """Run one way."""
    clusters = ["-c", "doc_id"] if cluster else []
    if way == "parts":
        return in_parts(path, clusters, -(-rows // PARTS), AT_ONCE, limit)
    if way == "folded":
        return in_parts(path, [*clusters, "--fold-clusters"], FOLDED_ROWS, 1, limit)
    return run([[python, WAYS, way, str(path), *(["--cluster"] if cluster else [])]], limit=limit)


def figures(document: Any, place: str = "") -> dict[str, Any]:
    """Return all values of a report by their places, without what is meant to differ."""
    if isinstance(document, dict):
        pairs = document.items()
    elif isinstance(document, list):
        pairs = ((str(index), value) for index, value in enumerate(document))  # type: ignore[assignment]
    else:
        return {place: document}
    return {key: value for name, inner in pairs for key, value in figures(inner, f"{place}/{name}").items()}


def is_of_documents(place: str) -> bool:
    """Whether a figure depends on which documents count as one: an end of an interval, or their number."""
    return place.endswith(("_low", "_high", "n_clusters"))


def farthest(figures_apart: Sequence[tuple[Any, Any]]) -> float:
    """Return the largest relative distance of figures, infinite where one of the two is no number."""
    return max(
        abs(value - due) / max(abs(due), math.ulp(0))
        if isinstance(value, float) and isinstance(due, float)
        else math.inf
        for value, due in figures_apart
    )


def likeness(text: str, reference: str, *, folded: bool) -> str:
    """Say how alike two reports are: to the last bit, or by how much they differ."""
    values, due = (
        figures({key: document[key] for key in ("tables", "settings")})
        for document in map(json.loads, (text, reference))
    )
    if values.keys() != due.keys():
        return "**other places**"
    differing = {place for place in due if values[place] != due[place]}
    # Groups of documents have intervals of their own; scores and counts of rows may not differ.
    ends = {place for place in differing if folded and is_of_documents(place)}
    exact = differing - ends
    if exact:
        apart = farthest([(values[place], due[place]) for place in exact])
        if apart > 1e-12:
            return f"**{min(exact)} differs**"
        scores = f"counts and digest; figures to {apart:.0e}"
    else:
        scores = "to the last bit"
    numbers = [(values[place], due[place]) for place in ends if not place.endswith("n_clusters")]
    return f"{scores}; ends of intervals within {100 * farthest(numbers):.1g} %" if numbers else scores


def lines(
    path: Path, rows: int, ways: Sequence[str], python: dict[str, str], *, cluster: bool
) -> tuple[list[str], float | None]:
    """Run the ways over a file: their lines of the table, and the CPU seconds a row of streaming."""
    table = []
    cpu_a_row = None
    reference = None
    for way in ways:
        result = measured(way, path, rows, cluster=cluster, python=python[way], limit=1800)
        if result.failure:
            table.append(
                f"| {rows / 1e6:g} M | {NAMES[way]} | {result.failure} | | | {result.peak_mib:,.0f} | |"
            )
        else:
            text = result.outputs[0]
            cpu_a_row = result.cpu_seconds / rows if way == "streaming" else cpu_a_row
            # Workers of Ray are nobody's children in the end, so their time is not known.
            known = way != "ray"
            cpu = f"{result.cpu_seconds:.1f}" if known else ""
            speed = f"{rows / 1e6 / result.cpu_seconds:.2f}" if known else ""
            first = "the reference" if len(ways) > 1 else "not compared"
            same = first if reference is None else likeness(text, reference, folded=way == "folded")
            reference = reference or text
            table.append(
                f"| {rows / 1e6:g} M | {NAMES[way]} | {result.seconds:.1f} | {cpu} | {speed} "
                f"| {result.peak_mib:,.0f} | {same} |"
            )
        say(table[-1])
    return table, cpu_a_row


def scored(path: Path, rows: int) -> str:
    """Write the rows with their scores and return the line of the table."""
    result = run([[sys.executable, WAYS, "score", str(path)]])
    size = path.with_suffix(".scored")
    mib = size.stat().st_size / 2**20 if size.exists() else 0
    size.unlink(missing_ok=True)
    line = (
        f"| {rows / 1e6:g} M | {result.failure or f'{result.seconds:.1f}'} | {result.peak_mib:,.0f} "
        f"| {path.stat().st_size / 2**20:,.0f} | {mib:,.0f} |"
    )
    say(line)
    return line


def add(pages: Sequence[Path], about: str, tables: Mapping[str, Sequence[str]]) -> None:
    """Put lines at the end of the tables below these headings, and above the first one what they are of."""
    for page in pages:
        text = page.read_text(encoding="utf-8").replace(f"{PLAIN}\n", f"{about}\n\n{PLAIN}\n", 1)
        for head, new in tables.items():
            before, _, rest = text.partition(f"{head}\n\n")
            table, _, after = rest.partition("\n\n")
            text = "\n".join([f"{before}{head}\n", table, *new, f"\n{after}"])
        page.write_text(text, encoding="utf-8")


def number(value: float) -> str:
    """Return a number with as many digits as are meant."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def costs_of(path: Path) -> dict[str, float]:
    """Measure what rows and summaries take."""
    result = run([[sys.executable, WAYS, "costs", str(path)]])
    if result.failure:
        raise SystemExit(result.failure)
    found: dict[str, float] = json.loads(result.outputs[0])
    return found


def parsed() -> argparse.Namespace:
    """Return the arguments of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[1])
    parser.add_argument("--rows", default="1,10,50,100", help="millions of rows of each table")
    parser.add_argument("--all-up-to", type=float, default=50, help="all ways; above streaming and parts")
    parser.add_argument(
        "--clusters-up-to", type=float, default=10, help="all ways; above streaming and folded parts"
    )
    parser.add_argument("--ways", help=f"only these of {', '.join(NAMES)}")
    parser.add_argument("--add", action="store_true", help="add lines to the tables that are there")
    default = HERE.parent / ".venv-daft" / "bin" / "python"
    parser.add_argument(
        "--daft-python",
        default=str(default) if default.exists() else sys.executable,
        help="interpreter that has Daft and Ray",
    )
    parser.add_argument("--folder", type=Path, help="where the tables go; a temporary one by default")
    parser.add_argument("--output", type=Path, default=RESULTS, help="the file to write")
    return parser.parse_args()


def main() -> None:
    """Run the benchmark from the command line."""
    arguments = parsed()
    ways = ["memory", "streaming", "parts", "folded"]
    if has(arguments.daft_python, "anls_frame.distributed"):
        ways += ["daft", *(["ray"] if has(arguments.daft_python, "ray") else [])]
    missing = [NAMES[way] for way in NAMES if way not in ways]
    ways = [way for way in ways if arguments.ways is None or way in arguments.ways.split(",")]
    python = dict.fromkeys(NAMES, sys.executable) | dict.fromkeys(("daft", "ray"), arguments.daft_python)
    about = machine(("anls-frame", "polars", "pyarrow", "numpy"))
    plain, clustered, files = [], [], []
    costs: dict[str, float] = {}
    cpu_a_row = 0.0
    measured_rows = 0
    with tempfile.TemporaryDirectory(dir=arguments.folder) as folder:
        for millions in map(float, arguments.rows.split(",")):
            rows = round(millions * 1_000_000)
            path = Path(folder) / f"{rows}.parquet"
            say(f"writing {rows:,} rows")
            made = run([[sys.executable, str(HERE / "scale_rows.py"), str(rows), str(path)]])
            if made.failure:
                raise SystemExit(made.failure)
            few = [way for way in ways if way != "folded" and (millions <= arguments.all_up_to or way in FEW)]
            table, cpu = lines(path, rows, few, python, cluster=False)
            plain += table
            cpu_a_row = cpu or cpu_a_row  # of most rows, where the start of the process counts least
            some = [way for way in ways if millions <= arguments.clusters_up_to or way in FEW_CLUSTERED]
            clustered += lines(path, rows, some, python, cluster=True)[0]
            if arguments.ways is None:
                files.append(scored(path, rows))
            if not costs and not arguments.add:
                costs, measured_rows = costs_of(path), rows
            path.unlink()
    if arguments.add:
        pages = [arguments.output, *([PAGE] if arguments.output == RESULTS else [])]
        add(pages, f"{arguments.rows} M rows: {about}", {PLAIN: plain, CLUSTERED: clustered, FILES: files})
        return
    versions = [
        f"{name} {version}" for name, version in daft_versions(arguments.daft_python) if "daft" in ways
    ]
    tables = [
        "Times are of whole processes, from their start. Memory is the peak of all processes together; what",
        "they share counts once. Each figure is from one run.",
        "",
        " ".join([about, *([f"Daft's environment: {', '.join(versions)}."] if versions else [])]),
        *([f"Not measured: {', '.join(missing)}."] if missing else []),
        "",
        PLAIN,
        "",
        HEADER,
        *plain,
        "",
        CLUSTERED,
        "",
        HEADER,
        *clustered,
        "",
        FILES,
        "",
        "| rows | seconds | peak MiB | MiB read | MiB written |",
        "|---:|---:|---:|---:|---:|",
        *files,
        "",
    ]
    expected = [
        f"Estimates for more rows, from the CPU time to stream {rows / 1e6:g} M and the costs of summaries:",
        "",
        *plan(costs, measured_rows, cpu_a_row),
    ]
    text = "\n".join(
        [
            "# Scale",
            "",
            "Written by `make bench-scale`.",
            "",
            *tables,
            f"Costs of rows and summaries, measured on {measured_rows:,} rows:",
            "",
            "| | |",
            "|---|---:|",
            *(f"| {name} | {number(value)} |" for name, value in costs.items()),
            "",
            *expected,
            "",
        ]
    )
    arguments.output.write_text(text, encoding="utf-8")
    if arguments.output == RESULTS:
        quote([*tables, *expected])
    sys.stdout.write(text)


def daft_versions(python: str) -> list[tuple[str, str]]:
    """Return the versions that matter in an interpreter of its own."""
    code = (
        "import importlib.metadata as m\n"
        "for name in ('daft', 'ray', 'polars', 'pyarrow'):\n"
        "    try: print(name, m.version(name))\n"
        "    except m.PackageNotFoundError: pass"
    )
    found = subprocess.run([python, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603 - given
    return [(name, version) for name, version in map(str.split, found.stdout.splitlines())]


if __name__ == "__main__":
    main()
