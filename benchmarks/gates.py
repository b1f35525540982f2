"""What the gates share: a quick run prints its page, a full one writes it, and figures out of bounds fail."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterable
from pathlib import Path


def parser(doc: str | None, seed: int | None = None) -> argparse.ArgumentParser:
    """Return the parser of a gate, whose help begins as its module's docstring; a seed may be fixed."""
    made = argparse.ArgumentParser(description=(doc or "").partition("\n\n")[0])
    made.add_argument("--quick", action="store_true", help="a tenth of the samples; prints the page")
    if seed is not None:
        made.add_argument("--seed", type=int, default=seed)
    return made


def run(make: Callable[..., tuple[str, list[str]]], arguments: argparse.Namespace, page: Path) -> int:
    """Print or write the page that a function makes of the arguments; 1 if a figure misses its bound."""
    start = time.monotonic()
    text, missed = make(**vars(arguments))
    if arguments.quick:
        sys.stdout.write(text)
    else:
        page.write_text(text, encoding="utf-8")
    sys.stderr.write(f"{time.monotonic() - start:.0f} s\n")
    return failed(missed)


def say(line: str) -> None:
    """Print a line of a page as soon as it is known."""
    sys.stderr.write(f"{line}\n")
    sys.stderr.flush()


def failed(missed: Iterable[str]) -> int:
    """Say which figures miss their bounds; 1 if any does."""
    missed = list(missed)
    sys.stderr.writelines(f"gate: {failure}\n" for failure in missed)
    return int(bool(missed))
