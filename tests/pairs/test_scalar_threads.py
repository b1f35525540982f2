"""Calls on single pairs of long texts let other threads of Python run."""

from __future__ import annotations

import random
import sys
import threading
from collections.abc import Callable, Iterator

import pytest

import anls_frame as af

LONG = ["".join(random.Random(seed).choices("abcdefghij", k=30_000)) for seed in range(2)]

CALLS: dict[str, Callable[[], object]] = {
    "edit_distance": lambda: af.pairs.edit_distance(*LONG),
    "get_cer": lambda: af.pairs.get_cer(*LONG),
    "anls_score": lambda: af.anls_score(LONG[0], [LONG[1]]),
}


@pytest.fixture
def no_switches() -> Iterator[None]:
    """Let a thread run until it gives way itself."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1000)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("no_switches")
@pytest.mark.parametrize("name", CALLS)
def test_another_thread_runs_during_a_call_on_long_texts(name: str) -> None:
    waiting, go, has_run = threading.Event(), threading.Event(), threading.Event()

    def other() -> None:
        waiting.set()
        go.wait()
        has_run.set()

    thread = threading.Thread(target=other)
    thread.start()
    waiting.wait()
    go.set()
    # The other thread can run now, but only while this one gives way; a busy machine may take a few calls.
    ran = any(CALLS[name]() is not None and has_run.is_set() for _ in range(20))
    thread.join()

    assert ran
