"""The page of results: a section for each processor, and what README.md quotes of the least kind of them."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scale_plan import quote

PAGE = Path(__file__).with_name("RESULTS.md")
README = Path(__file__).parents[1] / "README.md"
HEAD = """# Speed

Written by `make bench`, which replaces the section of the processor that it runs on.

- Tables with *rival*: the ratio is the rival's time divided by ours, and the goal is a minimum.
- Tables with *over*: the ratio is our time divided by the time of the work named under *over*, and the goal
  is a maximum.
"""
_SHORT = "`nls(protocol='raw')`, 1 M short pairs, 60 % equal"
_PAGES = [f"`cer`, pages of 3,000 characters, {rate} errors" for rate in ("1%", "5%", "20%")]


class Row(NamedTuple):
    """A line of a table of goals."""

    milliseconds: float
    ratio: float


def update(path: Path, processor: str, lines: Sequence[str]) -> dict[str, list[str]]:
    """Write the section of a processor in place of the one that was there, and return all sections."""
    found = sections(path.read_text(encoding="utf-8")) if path.exists() else {}
    found[processor] = list(lines)
    texts = ["\n".join([f"## {name}", "", *found[name]]).rstrip() for name in sorted(found)]
    path.write_text("\n\n".join([HEAD.rstrip(), *texts]) + "\n", encoding="utf-8")
    return found


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines below each processor's heading."""
    parts = re.split(r"^## (.*)\n\n?", text, flags=re.MULTILINE)[1:]
    return {name: lines.split("\n") for name, lines in zip(parts[::2], parts[1::2], strict=True)}


def rows(lines: Sequence[str]) -> dict[tuple[str, str], Row]:
    """Return the lines of the tables of goals, by the work and the kind of rival."""
    found = {}
    for line in lines:
        cells = [cell.strip() for cell in line.split(" | ")]
        if len(cells) == 8 and re.fullmatch(r"[0-9.]+", cells[2]) and re.fullmatch(r"[0-9.e+-]+", cells[4]):
            rival = re.sub(r" \([^()]*\)$", "", cells[1])
            found[cells[0].removeprefix("| "), rival] = Row(float(cells[2]), float(cells[4]))
    return found


def quoted(found: Mapping[str, Sequence[str]]) -> list[str]:
    """Return the table of README.md, of the processor on which the ratios are lowest."""
    tables = {name: rows(lines) for name, lines in found.items()}
    common = set.intersection(*(set(table) for table in tables.values()))
    least = min(
        tables, key=lambda name: math.fsum(math.log(tables[name][key].ratio) for key in sorted(common))
    )
    table = tables[least]

    def line(shown: str, work: str, rivals: Mapping[str, str]) -> str:
        compared = ", ".join(
            f"{figure(table[work, rival].ratio)} times as fast as {name}" for rival, name in rivals.items()
        )
        return f"| {shown} | {figure(table[work, next(iter(rivals))].milliseconds)} ms | {compared} |"

    plugins = {"fastest string plugin": "the fastest string plugin"}
    short = {**plugins, "rapidfuzz `cpdist`, 2 workers": "rapidfuzz", "Polars' `==`": "`==`"}
    score = table["`score`, same pairs", "`nls` alone"]
    pages = [table[work, "rapidfuzz"] for work in _PAGES]
    each = " / ".join(figure(page.milliseconds) for page in pages)  # the milliseconds of 1,000 pages
    ratios = " / ".join(figure(page.ratio) for page in pages) + " times as fast as rapidfuzz"
    columns = "`score`, all columns of the default protocol, the same pairs"
    of_nls = f"{figure(1 / score.ratio)} times the time of `nls` with this protocol"
    by_hand = {"explode, prepare, plugin, group_by": "explode, a plugin and group_by"}
    loop = {"a loop over edits": "a loop over rapidfuzz's editops"}
    _, seconds, peak, *_ = next(one for one in found[least] if one.startswith("| 20 M rows")).split(" | ")
    report = f"{float(seconds):.2g} s | peak memory {peak} MiB"
    return [
        f"{least}, two cores:",
        "",
        "| work | time | comparison |",
        "|---|---:|---|",
        line("`nls(protocol='raw')`, 1 M short pairs", _SHORT, short),
        f"| {columns} | {figure(score.milliseconds)} ms | {of_nls} |",
        line("`anls`, 1 M rows, 1 to 4 answers", "`anls`, 1 M rows, 1-4 answers", by_hand),
        line(
            "`anls`, 100,000 rows, 1 to 4 answers",
            "`anls`, 100,000 rows, 1-4 answers",
            {"PyPI anls": "PyPI anls"},
        ),
        f"| `cer`, page of 3,000 characters, 1 / 5 / 20 % errors, one core | {each} µs | {ratios} |",
        line("`confusions`, 1 M short pairs", "`confusions`, same pairs", loop),
        f"| report on 20 M rows from Parquet, streaming | {report} |",
    ]


def figure(value: float) -> str:
    """Return a number with two digits, or three if it is near 1."""
    digits = 3 if 1 <= value < 2 else 2
    rounded = float(f"{value:.{digits}g}")
    return f"{rounded:,.0f}" if rounded >= 10 else f"{rounded:g}"


def publish(processor: str, lines: Sequence[str]) -> None:
    """Write a processor's section of the page, and the table of README.md."""
    quote(quoted(update(PAGE, processor, lines)), README)
