"""
Check that the figures of simulations that the guides quote are in the tables that they cite.

A paragraph, list or table of ``docs/`` that links to a page of ``benchmarks/``, or to a section of
``docs/evidence*.md``, quotes its percentages from there: each must be a number of that page, rounded as it is
quoted; shares of pages, such as 0.41, are percentages, too. In ``docs/evidence*.md``, what has no link of its
own takes the pages that its section has named before. A paragraph about coverage, level or power that quotes
percentages without any link is reported, too.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS, BENCHMARKS = ROOT / "docs", ROOT / "benchmarks"
EVIDENCE = "evidence*.md"

NOMINAL = {"0", "5", "90", "95", "100"}
"""Levels and bounds, which are no results."""
KINDS = "samples|plans|pilots|comparisons|series|projects|populations"
SIMULATED = re.compile(rf"\b(simulat|coverage|power|errs?\b|wrongly|false alarm|of ({KINDS}))", re.IGNORECASE)
PAGE = re.compile(r"benchmarks/(\w+\.md)")
SECTION = re.compile(r"(?:evidence\w*\.md|\()#([\w-]+)\)")
NUMBER = re.compile(r"(?<![\w.^-])\d+(?:,\d{3})*(?:\.\d+)?(?![\w^])")
BETWEEN = r"(?:,| to| and| or|;|\s|%)+"
PERCENTAGES = re.compile(rf"(?<![\w.])\d[\d,.]*(?:{BETWEEN}\d[\d,.]*)*\s?%")
LINK = re.compile(r"\]\([^)]*\)")


def main() -> int:
    """Report the figures that are not where they are said to be; 1 if there are any."""
    missing = [
        f"{path}:{line}: {said}" for path in sorted(DOCS.glob("*.md")) for line, said in unfounded(path)
    ]
    sys.stdout.writelines(f"{each}\n" for each in missing)
    return int(bool(missing))


def unfounded(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the lines of a page with what is wrong in them."""
    in_evidence, cited = path.match(EVIDENCE), set[str]()
    for start, block in blocks(path.read_text(encoding="utf-8")):
        if block.startswith("#"):
            cited = set()
            continue
        own = pages_of(block, in_evidence=in_evidence)
        cited = cited | own if in_evidence else own
        for number, line in enumerate(block.splitlines(), start):
            # A row of a table may cite a page of its own.
            here = pages_of(line, in_evidence=in_evidence) or cited
            figures = [figure for figure in quoted(line, block) if figure not in NOMINAL]
            if not here:
                if figures and SIMULATED.search(block) and not block.startswith("|"):
                    yield number, f"{', '.join(figures)} %: no link to a table of benchmarks/"
                continue
            found = [figure for figure in figures if not any(has(page, figure) for page in here)]
            if found:
                yield number, f"{', '.join(found)} %: not in {', '.join(sorted(here))}"


def blocks(text: str) -> Iterator[tuple[int, str]]:
    """Yield paragraphs, items of lists and tables with their first lines; code is left out."""
    kept: list[str] = []
    in_code = False
    for number, line in enumerate([*text.splitlines(), ""], 1):
        in_code ^= line.startswith("```")
        is_new = not line.strip() or line.startswith(("#", "- ", "```")) or in_code
        if is_new and kept:
            yield number - len(kept), "\n".join(kept)
            kept = []
        if line.strip() and not in_code and not line.startswith("```"):
            kept.append(line)
        if line.startswith("#") and kept:
            yield number, line
            kept = []


def pages_of(text: str, *, in_evidence: bool) -> set[str]:
    """Return the pages of benchmarks that a text cites, itself or by a section of the pages on evidence."""
    pages = set(PAGE.findall(text))
    for name in SECTION.findall(text):
        if in_evidence or "](evidence" in text:
            pages |= sections().get(name, set())
    return pages


@cache
def sections() -> dict[str, set[str]]:
    """Return the pages that each section of the pages on evidence cites."""
    found: dict[str, set[str]] = {}
    name = ""
    lines = "\n".join(path.read_text(encoding="utf-8") for path in sorted(DOCS.glob(EVIDENCE)))
    for line in lines.splitlines():
        if line.startswith("#"):
            name = re.sub(r"[^\w\- ]", "", line.lstrip("# ").lower()).replace(" ", "-")
        found.setdefault(name, set()).update(PAGE.findall(line))
    return found


def quoted(line: str, block: str) -> list[str]:
    """Return the percentages of a line; in a table, also the numbers of columns with % in their heads."""
    if not line.startswith("|"):
        # Lists of figures may begin in one line and end, with the sign, in the next.
        text = LINK.sub("]", block)
        own = set(NUMBER.findall(LINK.sub("]", line)))
        every = [number for part in PERCENTAGES.findall(text) for number in NUMBER.findall(part)]
        return [number for number in dict.fromkeys(every) if number in own]
    heads = block.splitlines()[0].split("|")
    found: list[str] = []
    for head, cell in zip(heads, line.split("|"), strict=False):
        text = LINK.sub("]", cell)
        if "%" in head and set(cell.strip()) - {"-", ":"}:
            found += NUMBER.findall(text)
        else:
            found += [number for part in PERCENTAGES.findall(text) for number in NUMBER.findall(part)]
    return found


@cache
def numbers_of(page: str) -> frozenset[float]:
    """Return all numbers of a page of benchmarks."""
    text = (BENCHMARKS / page).read_text(encoding="utf-8")
    return frozenset(float(number.replace(",", "")) for number in NUMBER.findall(text))


def has(page: str, figure: str) -> bool:
    """Return whether a page has a number that is quoted as this figure."""
    plain = figure.replace(",", "").rstrip(".")
    decimals = len(plain.partition(".")[2])
    half = 0.5 * 10**-decimals + 1e-9
    value = float(plain)
    return any(min(abs(n - value), abs(100 * n - value)) <= half for n in numbers_of(page))


if __name__ == "__main__":
    sys.exit(main())
