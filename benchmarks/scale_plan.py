"""What more rows than were measured would take, by the measured costs: see `scale.py`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

PAGE = Path(__file__).parents[1] / "docs" / "scale.md"
_BEGIN, _END = "<!-- measured: begin -->\n", "<!-- measured: end -->\n"
ROWS = (10**8, 10**9, 10**12)
PART = 10**7
CORES = 32
MACHINES = (1, 100)


def plan(costs: Mapping[str, float], rows: int, cpu_seconds_a_row: float) -> list[str]:
    """
    Return a table of what numbers of rows would take.

    `costs` are those that `scale_ways.py costs` has measured over so many rows.
    """
    head = [
        "rows",
        "Parquet",
        "CPU hours, without clusters",
        *(f"{count} machine{'s' * (count > 1)} of {CORES} cores" for count in MACHINES),
        f"parts of {PART / 1e6:,.0f} M rows",
        "merging them",
        "summary with clusters, in memory",
        "the same, clusters folded",
    ]
    part = costs["milliseconds to load it"] + costs["milliseconds to merge a part"]
    table = [f"| {' | '.join(head)} |", "|" + "---:|" * len(head)]
    for count in ROWS:
        seconds = count * cpu_seconds_a_row
        cells = count * costs["cells with clusters"] / rows
        parts = count // PART
        line = [
            f"10^{len(str(count)) - 1}",
            size(count * costs["bytes per row in Parquet"]),
            f"{seconds / 3600:,.3g}",
            *(time(seconds / machines / CORES) for machines in MACHINES),
            f"{parts:,}",
            time(parts * part / 1e3),
            size(cells * costs["bytes per cell in memory"]),
            size(costs["bytes of the summary, clusters folded"]),
        ]
        table.append(f"| {' | '.join(line)} |")
    return table


def size(count: float) -> str:
    """Return a number of bytes as people say it."""
    units = ["B", "kB", "MB", "GB", "TB", "PB"]
    while count >= 1000 and len(units) > 1:
        count /= 1000
        units.pop(0)
    return f"{count:,.3g} {units[0]}"


def time(seconds: float) -> str:
    """Return seconds as people say it."""
    if seconds < 1:
        return "< 1 s"
    if seconds < 120:
        return f"{seconds:.2g} s"
    if seconds < 7200:
        return f"{seconds / 60:,.0f} min"
    return f"{seconds / 3600:,.0f} h"


def quote(lines: Sequence[str], page: Path = PAGE) -> None:
    """Put lines into the page, in place of those that were there."""
    text = page.read_text(encoding="utf-8")
    before, _, rest = text.partition(_BEGIN)
    _, _, after = rest.partition(_END)
    page.write_text("".join([before, _BEGIN, "\n", "\n".join(lines), "\n", _END, after]), encoding="utf-8")
