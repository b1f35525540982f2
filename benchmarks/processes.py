"""Processes and all that they start: how long they took, how much memory they held at most."""

from __future__ import annotations

import os
import resource
import subprocess
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

_INTERVAL = 0.05


@dataclass(frozen=True)
class Run:
    """What became of commands that ran together."""

    seconds: float
    cpu_seconds: float
    peak_mib: float
    outputs: list[str]
    failure: str | None = None


def run(
    commands: Sequence[Sequence[str]],
    *,
    at_once: int = 1,
    limit: float = 900,
    environment: Mapping[str, str] | None = None,
) -> Run:
    """
    Run commands, some at once, and watch the memory of their trees.

    Memory is what belongs to each process alone, and the most that one of them maps of what can be shared
    (libraries, files, a store of objects). Proportional sizes would be exacter, but asking for them stops a
    process of some gigabytes for longer than the interval.
    """
    waiting = list(commands)
    running: dict[int, subprocess.Popen[str]] = {}
    done: dict[int, tuple[str, str, int]] = {}
    peak = 0.0
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    failure = None
    while (waiting or running) and failure is None:
        while waiting and len(running) < at_once:
            number = len(commands) - len(waiting)
            running[number] = subprocess.Popen(  # noqa: S603 - our own scripts
                waiting.pop(0),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                env={**os.environ, **(environment or {})},
                start_new_session=True,
            )
        peak = max(peak, held([pid for process in running.values() for pid in tree(process.pid)]))
        for number, process in list(running.items()):
            try:
                out, errors = process.communicate(timeout=_INTERVAL / len(running))
            except subprocess.TimeoutExpired:
                continue
            del running[number]
            done[number] = (out, errors, process.returncode)
            if process.returncode:
                said = errors.strip().splitlines()
                failure = f"ended with {process.returncode}: {said[-1] if said else 'nothing said'}"
        if time.perf_counter() - start > limit:
            failure = f"not done after {limit:.0f} s"
    seconds = time.perf_counter() - start
    for process in running.values():
        for pid in reversed(tree(process.pid)):
            try:
                os.kill(pid, 9)
            except ProcessLookupError:
                continue
        process.communicate()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    outputs = [done[number][0] for number in sorted(done)]
    return Run(seconds, cpu, peak / 1024, outputs, failure)


def tree(pid: int) -> list[int]:
    """Return a process and those that it started, and so on."""
    found = [pid]
    for parent in found:
        for children in Path(f"/proc/{parent}/task").glob("*/children"):
            try:
                found += map(int, children.read_text(encoding="ascii").split())
            except OSError:  # it has ended
                continue
    return found


def held(pids: Sequence[int]) -> float:
    """Return the KiB of memory that processes hold together, or that one of them has held at some time."""
    own, shared, most = 0, 0, 0
    for pid in pids:
        try:
            lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace").splitlines()
        except OSError:  # it has ended
            continue
        sizes = {line.split(":")[0]: line.split()[1] for line in lines if line.startswith(("Rss", "VmHWM"))}
        own += int(sizes.get("RssAnon", 0))
        shared = max(shared, int(sizes.get("RssFile", 0)) + int(sizes.get("RssShmem", 0)))
        most = max(most, int(sizes.get("VmHWM", 0)))
    return max(own + shared, most)
