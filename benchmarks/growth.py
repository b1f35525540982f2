"""How cost grows: over text length and error rate, answers a row, rows, threads. See `bench.py`."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import polars as pl
from contenders import PAIR, similarity_plugins
from inputs import LATIN, SEED, noisy, several_answers, short_pairs, text
from timing import interleaved

import anls_frame as af

OWN = "anls_frame"
LENGTHS = (10, 30, 100, 300, 1_000, 3_000, 10_000, 30_000, 100_000)
RATES = (0.0, 0.01, 0.05, 0.1, 0.2, 0.5)
ANSWERS = (1, 2, 4, 8, 20)
ROWS = (10_000, 100_000, 1_000_000, 10_000_000, 20_000_000)
CALLS = 100
"""Queries of one round, where one alone is too short to time."""
CHARACTERS = 3_000_000
"""About as many in each input of the table over lengths."""


def seconds(work: Callable[[], Any]) -> float:
    """Return the median of some rounds."""
    return interleaved({OWN: work}, rounds=7, budget=3.0)[OWN].median


def by_length(*, quick: bool) -> list[str]:
    """Microseconds a pair of `cer`, over text length and error rate."""
    lengths = LENGTHS[:6] if quick else LENGTHS
    lines = []
    for length in lengths:
        rng = random.Random(SEED + length)
        count = max(3, min(20_000, CHARACTERS // length))
        references = [text(rng, LATIN, length) for _ in range(count)]
        cells = []
        for rate in RATES:
            predictions = [noisy(rng, reference, rate, LATIN) for reference in references]
            frame = pl.DataFrame({"prediction": predictions, "answer": references})
            cells.append(seconds(functools.partial(frame.select, af.cer(*PAIR))) / count * 1e6)
        lines.append([f"{length:,}", *(f"{cell:,.3g}" for cell in cells)])
    return table("characters", [f"{rate:.0%}" for rate in RATES], lines)


def by_answers() -> list[str]:
    """Nanoseconds a row of `anls`, over the number of answers."""
    cells = []
    rows = 100_000
    variants = several_answers(rows)["answers"].explode(empty_as_null=True, keep_nulls=True)
    for count in ANSWERS:
        answers = variants.gather([i % variants.len() for i in range(rows * count)]).reshape((rows, count))
        frame = short_pairs(rows).select("prediction", answers=answers.cast(pl.List(pl.String)))
        scores = af.anls("prediction", "answers")
        cells.append(seconds(functools.partial(frame.select, scores)) / rows * 1e9)
    return table("answers", list(map(str, ANSWERS)), [["ns per row", *(f"{cell:.0f}" for cell in cells)]])


def by_rows(*, quick: bool) -> list[str]:
    """Nanoseconds a row of `nls`, over the number of rows."""
    counts = ROWS[:3] if quick else ROWS
    cells = []
    for rows in counts:
        frame = short_pairs(rows).rechunk()
        cells.append(seconds(functools.partial(frame.select, af.nls(*PAIR))) / rows * 1e9)
    line = ["ns per row", *(f"{cell:.1f}" for cell in cells)]
    return table("rows", [f"{rows:,}" for rows in counts], [line])


def by_call() -> list[str]:
    """Microseconds of a query on ten rows: what a call costs before it scores anything."""
    frame = short_pairs(10)
    queries = {
        "`nls`": af.nls(*PAIR),
        "`score`": af.score(*PAIR),
        **similarity_plugins(),
        "Polars' `==`": pl.col(PAIR[0]) == pl.col(PAIR[1]),
    }

    def repeated(query: pl.Expr) -> Callable[[], None]:
        # One after the other, as in a loop over small tables: alone, each would pay for a cold cache.
        def run() -> None:
            for _ in range(CALLS):
                frame.select(query)

        return run

    contenders = {name: repeated(query) for name, query in queries.items()}
    timings = interleaved(contenders, rounds=50, budget=3.0)
    cells = [f"{timings[name].median / CALLS * 1e6:.0f}" for name in queries]
    return table("query", list(queries), [["microseconds", *cells]])


def table(corner: str, header: Sequence[str], lines: Iterable[Sequence[str]]) -> list[str]:
    """Return a Markdown table of numbers."""
    head = [corner, *header]
    rule = ["---:"] * len(head)
    return [f"| {' | '.join(line)} |" for line in (head, rule, *lines)]


def sections(*, per_core: bool, quick: bool) -> list[str]:
    """Return the tables of this process."""
    titles = {"`nls`, default protocol, by number of rows": by_rows(quick=quick)}
    if per_core:
        titles["`cer`, microseconds per pair, by text length and share of errors"] = by_length(quick=quick)
        titles["`anls`, by answers per row"] = by_answers()
    else:
        titles["A query on ten rows"] = by_call()
    return [line for title, lines in titles.items() for line in (f"#### {title}", "", *lines, "")]
