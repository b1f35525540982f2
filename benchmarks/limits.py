"""
Measure what docs/speed.md and docs/pages.md say about limits: `python benchmarks/limits.py`.

What a core reads from memory, a query around few pages with cold caches, calls for single pairs, two
unrelated texts of a million characters, and errors by kind of pages of ten million. One thread.
"""

from __future__ import annotations

import os

os.environ["POLARS_MAX_THREADS"] = "1"

import random
import resource
import sys
import time
import timeit

import numpy as np
import polars as pl
from contenders import PAIR, column, rapidfuzz_rates
from inputs import LATIN, SEED, pages, short_pairs, text
from timing import interleaved

import anls_frame as af

PAGES = 200
UNRELATED = 1_000_000
LONG = 10_000_000
CALLS = 20_000


def gigabytes_a_second() -> float:
    """Return what one core reads, far beyond its caches."""
    numbers = np.ones(1 << 23, dtype=np.uint64)
    return numbers.nbytes / min(timeit.repeat(numbers.sum, number=1, repeat=15)) / 1e9


def few_pages() -> str:
    """Return the time of a query over few pages, between rounds of rapidfuzz that empty the caches."""
    frame = pages(PAGES, 3_000, 0.01)
    short = short_pairs(PAGES)
    pairs = list(frame.iter_rows())
    equality = pl.col(PAIR[0]) == pl.col(PAIR[1])
    contenders = {"`cer` of pages": column(frame, af.cer(*PAIR))}
    # Each between two rounds of the rival, so that none finds the caches as another has left them.
    contenders["rapidfuzz"] = lambda: rapidfuzz_rates(pairs)
    contenders["`cer` of short texts"] = column(short, af.cer(*PAIR))
    contenders["rapidfuzz again"] = contenders["rapidfuzz"]
    contenders["`==` of short texts"] = column(short, equality)
    contenders["rapidfuzz once more"] = contenders["rapidfuzz"]
    times = {name: timing.median for name, timing in interleaved(contenders, rounds=25, budget=20).items()}
    shown = ", ".join(f"{name} {times[name] * 1e3:.2f} ms" for name in contenders if "rapidfuzz" not in name)
    return (
        f"{PAGES} rows: {shown}; rapidfuzz {times['rapidfuzz'] / times['`cer` of pages']:.0f}x `cer` of pages"
    )


def single_pairs() -> str:
    """Return the time of a call for one pair."""
    calls = {
        "edit_distance": lambda: af.pairs.edit_distance("Coca Cola", "CocaCola"),
        "get_cer": lambda: af.pairs.get_cer("Coca Cola", "CocaCola"),
        "anls_score": lambda: af.anls_score("CocaCola", ["Coca Cola", "Coca Cola Company"]),
    }
    seconds = {name: min(timeit.repeat(call, number=CALLS, repeat=5)) / CALLS for name, call in calls.items()}
    return ", ".join(f"{name} {each * 1e6:.1f} µs" for name, each in seconds.items())


def unrelated() -> str:
    """Return what two long texts without likeness take."""
    rng = random.Random(SEED)
    frame = pl.DataFrame({name: [text(rng, LATIN, UNRELATED)] for name in PAIR})
    start = time.perf_counter()
    frame.select(af.cer(*PAIR))
    seconds = time.perf_counter() - start
    return f"{UNRELATED:,} x {UNRELATED:,} unrelated characters: {seconds:.1f} s"


def long_pages() -> str:
    """Return what errors by kind take of pages that nobody should have."""
    rng = random.Random(SEED)
    vocabulary = [text(rng, LATIN.replace(" ", ""), rng.randint(2, 9)) for _ in range(20_000)]
    page = " ".join(rng.choices(vocabulary, k=2 * LONG // 10))[:LONG]
    other = " ".join(rng.choices(vocabulary, k=2 * LONG // 10))[:LONG]
    misread = "".join("#" if rng.random() < 0.01 and letter != " " else letter for letter in page)
    pairs = {
        "1 % misread": (misread, page),
        "1 % misread, no spaces": (misread.replace(" ", ""), page.replace(" ", "")),
        "halves swapped": (page[LONG // 2 :] + page[: LONG // 2], page),
        "another text": (other, page),
    }
    seconds = {}
    for name, texts in pairs.items():
        frame = pl.DataFrame(dict(zip(PAIR, ([given] for given in texts), strict=True)))
        start = time.perf_counter()
        frame.select(af.page_errors(*PAIR))
        seconds[name] = time.perf_counter() - start
    shown = ", ".join(f"{name} {each:.1f} s" for name, each in seconds.items())
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return f"errors by kind of {LONG:,} characters: {shown}; peak memory {memory:.1f} GiB"


if __name__ == "__main__":
    lines = [f"one core reads {gigabytes_a_second():.0f} GB/s", few_pages(), single_pairs(), unrelated()]
    lines.append(long_pages())
    sys.stdout.write("\n".join(lines) + "\n")
