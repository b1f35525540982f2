"""What building takes: seconds from a clean checkout to a wheel, and the wheel's size. See `bench.py`."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
SECONDS = 120
MEGABYTES = 2


def build(folder: Path) -> tuple[float, float]:
    """Build the last commit's wheel in a folder of its own; seconds, downloads included, and megabytes."""
    source, wheels = folder / "source", folder / "wheels"
    clone = ["git", "clone", "--quiet", "--depth", "1", ROOT.as_uri(), str(source)]
    subprocess.run(clone, check=True)  # noqa: S603 - our own repository
    wheel = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), "."]
    environment = os.environ | {"CARGO_TARGET_DIR": str(folder / "target")}
    start = time.perf_counter()
    subprocess.run(wheel, cwd=source, env=environment, check=True)  # noqa: S603 - our own source
    seconds = time.perf_counter() - start
    (built,) = wheels.glob("*.whl")
    return seconds, built.stat().st_size / 1e6


def lines() -> list[str]:
    """Return the lines of the table."""
    with tempfile.TemporaryDirectory() as folder:
        seconds, megabytes = build(Path(folder))
    met = "met" if seconds <= SECONDS and megabytes <= MEGABYTES else "**missed**"
    work = "the wheel from a clean checkout, downloads included"
    goal = f"≤ {SECONDS} s, ≤ {MEGABYTES} MB"
    return [
        "| build | seconds | wheel, MB | goal | |",
        "|---|---:|---:|---|---|",
        f"| {work} | {seconds:.0f} | {megabytes:.2f} | {goal} | {met} |",
    ]
