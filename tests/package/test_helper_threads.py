"""
Calls take helper threads by the work that their texts are, not by rows.

Seen in a process of its own, which allows sixteen threads on any machine, by a thread that lists them.
"""

from __future__ import annotations

import json
import random
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from shell import RunPython

import anls_frame as af

TASKS = Path("/proc/self/task")

pytestmark = pytest.mark.skipif(not TASKS.is_dir(), reason="threads are not listed on this system")

HELPER = "anls_frame"
"""The name of helper threads."""


def pages() -> pl.DataFrame:
    """Return 200 pages of 3,000 characters, a fifth of them wrong."""
    letters = random.Random(200)
    answers = ["".join(letters.choices("abcdefghijklmnopqrstuvwxyz ", k=3_000)) for _ in range(200)]
    wrong = [text.translate(dict.fromkeys(map(ord, "aeiou"), "#")) for text in answers]
    return pl.DataFrame({"prediction": wrong, "answer": answers})


def helpers() -> int:
    """Count the helper threads of this process."""
    names = []
    for task in TASKS.iterdir():
        # A thread may end meanwhile.
        with suppress(FileNotFoundError, ProcessLookupError):
            names.append((task / "comm").read_text().strip())
    return names.count(HELPER)


def most_helpers(query: Callable[[], pl.DataFrame], rounds: int) -> int:
    """Return how many helpers a query was seen to take at once, over several runs if none was seen."""
    seen, done = [0], threading.Event()

    def look() -> None:
        while not done.is_set():
            seen[0] = max(seen[0], helpers())

    watcher = threading.Thread(target=look)
    watcher.start()
    for _ in range(rounds):
        query()
        if seen[0]:
            break
    done.set()
    watcher.join()
    return seen[0]


def main(rounds: int) -> dict[str, Any]:
    frame = pages()
    errors = af.cer("prediction", "answer")
    three = [errors, af.nls("prediction", "answer"), af.levenshtein("prediction", "answer")]
    return {
        "one": most_helpers(lambda: frame.select(errors), rounds),
        "three": most_helpers(lambda: frame.select(three), rounds),
        "scores": frame.select(three).rows(),
    }


def test_two_hundred_pages_are_scored_by_several_threads(run_python: RunPython) -> None:
    def run(threads: int, rounds: int) -> Any:
        process = run_python(__file__, str(rounds), POLARS_MAX_THREADS=str(threads))
        assert process.returncode == 0, process.stderr
        return json.loads(process.stdout)

    # By its rows alone a call on 200 pages would take none. A busy machine may not show them at first.
    many, alone = run(16, 100), run(1, 2)

    assert many["one"] > 0
    assert many["three"] > 0
    assert alone["one"] == alone["three"] == 0
    assert many["scores"] == alone["scores"]


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(int(sys.argv[1]))))
