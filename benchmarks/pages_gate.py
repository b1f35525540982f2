"""
Errors of pages by kind, against pages that were corrupted with known amounts of each kind.

    python benchmarks/pages_gate.py               # writes PAGES.md beside this file
    python benchmarks/pages_gate.py --quick       # prints the page of a tenth of the pages, without times

Pages of random words with the frequencies of a language are corrupted: letters are misread, and besides, two
columns change places, a phrase is said again and again, lines are read twice, sentences are invented, a part
is dropped, or several of these. A page is right where all six shares of `page_errors` are within two points
of the reference's length of what was done. The script ends with an error if fewer than 95 % of the pages are
right, if texts in order do not add up to the edit distance, or if the errors by kind of pages in order take
more than four times as long as `cer`.
"""

from __future__ import annotations

import math
import os
import random
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import gates
import numpy as np
import polars as pl
from timing import interleaved

import anls_frame as af
from anls_frame.metrics.page_errors import KINDS

PAGE = Path(__file__).with_name("PAGES.md")
SEED = 20261126
LEAST = 0.95
POINTS = 0.02
MOST_TIMES = 15.0
LOAD_OF_ONE = 1.5
"""The load of a machine up to which no other process is taken to run."""
RATES = ((0.005, 0.02), (0.02, 0.05), (0.05, 0.1))
"""Shares of letters that are misread."""
WORDS_OF_LINE = 10
HALF = 0.5
UNEQUAL = 0.85
"""Which of two blocks has moved is not to be said where they are as large as each other."""
LETTERS = "etaoinshrdlucmfwygpbvk"


class Line(NamedTuple):
    """What is read of a line, the letters that are misread, and those of the reference that are right."""

    text: str
    errors: int
    right: int


class Page:
    """A page that is corrupted step by step: its reference, what is read, and the errors that were made."""

    def __init__(self, vocabulary: Vocabulary, rate: float, choose: random.Random) -> None:
        self.vocabulary = vocabulary
        self.rate = rate
        self.choose = choose
        self.reference = vocabulary.text(choose.randrange(150, 700), choose)
        self.lines = [self._misread(line) for line in self.reference.split("\n")]
        self.errors = dict.fromkeys(KINDS, 0)

    def _misread(self, line: str) -> Line:
        """Replace, drop or add letters of a line, at most one at a place."""
        read, errors, added = [], 0, 0
        for letter in line:
            if self.choose.random() >= self.rate:
                read.append(letter)
                continue
            errors += 1
            other = self.choose.choice(LETTERS.replace(letter, ""))
            read.append(self.choose.choice((other, other, other, "", letter + other)))
            added += len(read[-1]) == 2
        return Line("".join(read), errors, len(line) + 1 - errors + added)

    def swap(self) -> None:
        """Let two columns, or neighbouring blocks of a column, change places."""
        lines = self.lines
        while True:
            first, middle, last = sorted(self.choose.sample(range(len(lines) + 1), 3))
            if self.choose.random() < HALF:
                first, last = 0, len(lines)
            blocks = lines[first:middle], lines[middle:last]
            lighter, heavier = sorted(sum(line.right for line in block) for block in blocks)
            if lighter < UNEQUAL * heavier:
                break
        self.lines = [*lines[:first], *blocks[1], *blocks[0], *lines[last:]]
        self.errors["moved"] += lighter

    def invent(self) -> None:
        """Insert sentences that have nothing to do with the page."""
        for _ in range(self.choose.randrange(1, 5)):
            sentence = self.vocabulary.text(self.choose.randrange(8, 25), self.choose).replace("\n", " ")
            self.lines.insert(self.choose.randrange(len(self.lines) + 1), Line(sentence, 0, 0))
            self.errors["fabricated"] += len(sentence) + 1

    def drop(self) -> None:
        """Leave out the first or the last half, or a block of lines."""
        lines = self.lines
        half = len(lines) // 2
        first, last = self.choose.choice(((0, half), (half, len(lines)), (half // 2, half)))
        self.errors["omitted"] += len("\n".join(self.reference.split("\n")[first:last])) + 1
        self.lines = [*lines[:first], *lines[last:]]

    def read_again(self) -> None:
        """Read a block of lines once more, with other errors."""
        first, last = sorted(self.choose.randrange(len(self.lines)) for _ in range(2))
        at = self.choose.randrange(len(self.lines))
        lines = self.reference.split("\n")[first : last + 1]
        again = [Line(self._misread(line).text, 0, 0) for line in lines]
        self.errors["repeated"] += len(_text(again)) + 1
        self.lines = [*self.lines[:at], *again, *self.lines[at:]]

    def repeat(self) -> None:
        """Say a phrase of 2 to 200 words again, at least four words in all; the last step."""
        words = _text(self.lines).split(" ")
        length = min(int(2 * 100 ** self.choose.random()), len(words) // 2)
        start = self.choose.randrange(len(words) - length)
        phrase = words[start : start + length]
        again = phrase * self.choose.randrange(max(2, 8 // length), max(40 // length, 3) + 2)
        self.errors["repeated"] += len(" ".join(again)) + 1
        text = " ".join([*words[: start + length], *again, *words[start + length :]])
        self.lines = [Line(text, sum(line.errors for line in self.lines), 0)]

    @property
    def read(self) -> str:
        """What is read."""
        return _text(self.lines)

    @property
    def made(self) -> list[int]:
        """The characters of each kind."""
        return list((self.errors | {"misread": sum(line.errors for line in self.lines)}).values())


def _text(lines: Sequence[Line]) -> str:
    return "\n".join(line.text for line in lines)


class Vocabulary:
    """Words with the frequencies of a language: the n-th as often as 1/n."""

    def __init__(self, choose: random.Random, size: int = 8_000) -> None:
        weights = [1 / (n + 1) for n, _ in enumerate(LETTERS)]
        lengths = [choose.randrange(1, 4) if n < 40 else choose.randrange(3, 11) for n in range(size)]
        self.words = ["".join(choose.choices(LETTERS, weights, k=length)) for length in lengths]
        self.weights = np.cumsum(1 / (np.arange(size) + 2.7)).tolist()

    def text(self, words: int, choose: random.Random) -> str:
        """Return so many words in lines."""
        chosen = choose.choices(self.words, cum_weights=self.weights, k=words)
        lines = [" ".join(chosen[at : at + WORDS_OF_LINE]) for at in range(0, words, WORDS_OF_LINE)]
        return "\n".join(lines)


STEPS: dict[str, tuple[Callable[[Page], None], ...]] = {
    "letters alone": (),
    "columns or blocks swapped": (Page.swap,),
    "a phrase again and again": (Page.repeat,),
    "lines read twice": (Page.read_again,),
    "invented sentences": (Page.invent,),
    "a half or a block dropped": (Page.drop,),
}
BOTH: dict[str, tuple[Callable[[Page], None], ...]] = {
    "swapped, repeated": (Page.swap, Page.repeat),
    "dropped, repeated": (Page.drop, Page.repeat),
    "invented, swapped": (Page.swap, Page.invent),
}
"""Kinds that get in the way of each other: they are counted, but are not part of the gate."""


def corrupted(
    steps: tuple[Callable[[Page], None], ...], rates: tuple[float, float], pages: int
) -> list[Page]:
    """Return corrupted pages."""
    choose = random.Random(f"{SEED} {[step.__name__ for step in steps]} {rates}")
    vocabulary = Vocabulary(choose)
    found = []
    for _ in range(pages):
        page = Page(vocabulary, choose.uniform(*rates), choose)
        for step in steps:
            step(page)
        found.append(page)
    return found


def shares(pages: list[Page]) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the shares of all kinds that were found, and those that were made."""
    frame = pl.DataFrame({"read": [page.read for page in pages], "truth": [page.reference for page in pages]})
    found = frame.select(af.page_errors("read", "truth")).unnest("page_errors")
    length = found["reference_length"].to_numpy()[:, None]
    made = np.array([page.made for page in pages])
    return found.select(KINDS).to_numpy() / length, made / length


def sums_are_distances(pages: int) -> bool:
    """Return whether the kinds of pages in order add up to the edit distance."""
    steps = (STEPS["letters alone"], STEPS["invented sentences"], STEPS["a half or a block dropped"])
    every = [page for kind in steps for rates in RATES for page in corrupted(kind, rates, pages)]
    frame = pl.DataFrame({"read": [page.read for page in every], "truth": [page.reference for page in every]})
    found = frame.select(af.page_errors("read", "truth"), distance=af.levenshtein("read", "truth"))
    found = found.unnest("page_errors").filter(moved=0, repeated=0)
    return found.height > 0 and found.select(pl.sum_horizontal(KINDS) == pl.col("distance")).to_series().all()


def times_taken(pages: int = 400) -> dict[str, tuple[float, float]]:
    """Return the CPU microseconds of a page, and those of `cer`, by the share of misread letters."""
    times = {}
    for rate in (0.005, 0.01, 0.02, 0.05):
        of_rate = corrupted((), (rate, rate), pages)
        frame = pl.DataFrame(
            {"read": [page.read for page in of_rate], "truth": [page.reference for page in of_rate]}
        )
        contenders = {
            "own": partial(frame.select, af.page_errors("read", "truth")),
            "cer": partial(frame.select, af.cer("read", "truth")),
        }
        timings = interleaved(contenders, rounds=200, budget=math.inf, clock=time.process_time)
        own, cer = (1e6 * timings[name].fastest / pages for name in contenders)
        times[f"{100 * rate:g} %"] = (own, cer)
    return times


def other_work() -> str:
    """Return whether other processes ran while the times were taken."""
    load, cores = os.getloadavg()[0], os.cpu_count()
    if load < LOAD_OF_ONE:
        return "Nothing else ran on the machine."
    return f"Other work ran on the machine: a load of {load:.0f} on {cores} cores."


def counted(steps: Mapping[str, tuple[Callable[[Page], None], ...]], each: int) -> tuple[list[str], float]:
    """Return the lines of the table, and the share of pages that are right."""
    lines, right = [], []
    for name, kinds in steps.items():
        for rates in RATES:
            found, made = shares(corrupted(kinds, rates, each))
            is_right = (np.abs(found - made) <= POINTS).all(axis=1)
            right.append(is_right.mean())
            mean = " | ".join(f"{100 * share:z.1f}" for share in (found - made).mean(axis=0))
            low, high = (100 * rate for rate in rates)
            lines.append(f"| {name} | {low:g} to {high:g} | {100 * is_right.mean():.1f} | {mean} |")
            gates.say(lines[-1])
    return lines, float(np.mean(right))


def page(*, quick: bool) -> tuple[str, list[str]]:
    """Return the page, and what is outside its bounds."""
    each = -(-(1_000 if quick else 10_000) // (len(STEPS) * len(RATES)))
    lines, right = counted(STEPS, each)
    others, _ = counted(BOTH, each)
    are_distances = sums_are_distances(min(each, 300))
    head = f"""# Errors of pages by kind

Written by `pages_gate.py`: seed {SEED}, {each:,} pages of 150 to 700 words per line. *Right*: share of pages,
in %, on which all six kinds of error are found to within two points, in per cent of the reference's length.
The columns after it have the mean error of each kind, found minus made, in points. Of the misread letters,
three in five are substituted; the others are dropped or added. Blocks change places only if one is at least
15 % smaller than the other, because nobody can say which of two equal blocks moved. With one kind of error,
95 % of the pages must be right; with two kinds, nothing is required.

"""
    columns = f"| corrupted by | letters misread, % | right | {' | '.join(KINDS)} |\n"
    columns += f"| --- | --- | ---: |{' ---: |' * len(KINDS)}\n"
    parts = [
        f"Misread letters and one other kind: {100 * right:.1f} % of all pages are right.\n\n{columns}",
        "\n".join(lines),
        f"\n\nMisread letters and two other kinds, which may obscure each other:\n\n{columns}",
        "\n".join(others),
    ]
    failures = [] if right >= LEAST else [f"{100 * right:.1f} % of pages are right"]
    if not are_distances:
        failures.append("kinds do not add up to the edit distance")
    if not quick:
        times = times_taken()
        timed = "\n".join(
            f"| {rate} | {own:.0f} | {cer:.1f} | {own / cer:.1f} |" for rate, (own, cer) in times.items()
        )
        columns = (
            "| letters misread | `page_errors`, CPU microseconds per page | `cer` | ratio |\n"
            "| --- | ---: | ---: | ---: |\n"
        )
        parts.append(f"\n\n{columns}{timed}\n\nThe fastest of 200 rounds each, in turn. {other_work()}")
        failures += [
            f"page_errors takes {own / cer:.1f} times as long as cer where {rate} are misread"
            for rate, (own, cer) in times.items()
            if own > MOST_TIMES * cer
        ]
    return f"{head}{''.join(parts)}\n", failures


if __name__ == "__main__":
    sys.exit(gates.run(page, gates.parser(__doc__).parse_args(), PAGE))
