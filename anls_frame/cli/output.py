"""What commands print and write: data as plain text, files only where none is, or with --force."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anls_frame._text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

_LONGEST_CELL = 80


def plain(text: str) -> str:
    """Return a text that a terminal shows and does not obey, line by line."""
    return "\n".join(visible(line, directions=True) for line in text.split("\n"))


def say(text: str) -> None:
    """Print a remark to standard error."""
    print(plain(text), file=sys.stderr)


def check_target(path: Path | None, force: bool, suffixes: Sequence[str] | None = None) -> None:
    """Raise an error if the file is there already, or its format is unknown, before any work is done."""
    if path is None:
        return
    if suffixes is not None and path.suffix.lower() not in suffixes:
        raise ValueError(f"{path}: the name has to end in one of {', '.join(suffixes)}")
    if path.exists() and not force:
        raise ValueError(f"{path}: there is such a file already; pass --force to replace it")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {str(path.parent)!r}")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show on a terminal that something is going on; say nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(plain(what))):
        yield


@contextmanager
def counting(what: str, total: int | None) -> Iterator[Callable[[int], object] | None]:
    """Show on a terminal how many rows are done, if it is known of how many; say nothing elsewhere."""
    if total is None or not sys.stderr.isatty():
        with working(what):
            yield None
        return
    from anls_frame.frames.progress import bar

    with bar(plain(what), total) as advance:
        yield advance


def print_table(frame: pl.DataFrame, *, most: int | None = None, height: int | None = None) -> None:
    """Print a frame, or the beginning of one that is so high, as a table, cells as the texts they are."""
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from anls_frame.export.values import as_text

    table = Table()
    for name, dtype in frame.schema.items():
        table.add_column(Text(plain(name)), justify="right" if dtype.is_numeric() else "left")
    for row in frame.head(most if most is not None else frame.height).iter_rows():
        cells = [
            "" if value is None else f"{value:.4g}" if isinstance(value, float) else as_text(value)
            for value in row
        ]
        table.add_row(*(Text(_short(visible(cell, directions=True))) for cell in cells))
    # Without colours and markup of any kind; as wide as it needs where nobody looks at it.
    console = Console(highlight=False, color_system=None, width=None if sys.stdout.isatty() else 10_000)
    console.print(table)
    height = frame.height if height is None else height
    if most is not None and height > most:
        console.print(Text(f"... and {height - most:,} more rows"))


def print_json(value: Any) -> None:
    """Print strict JSON on one line."""
    from anls_frame.export.values import json_text

    sys.stdout.write(json_text(value) + "\n")


def print_document(document: Any) -> None:
    """Print a report as the JSON that it is written as."""
    from anls_frame.export.json import write_json

    sys.stdout.flush()
    write_json(document, sys.stdout.buffer)


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[: _LONGEST_CELL - 1]}…"
