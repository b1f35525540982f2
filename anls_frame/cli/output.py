"""What commands print and write: data as plain text, and files, which are replaced only with --force."""

from __future__ import annotations

import sys
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anls_frame._arguments import count
from anls_frame._text import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import polars as pl

_LONGEST_CELL = 80


def plain(text: str) -> str:
    """Return text whose control characters are visible, so that a terminal does not obey them."""
    return "\n".join(visible(line) for line in text.split("\n"))


def say(text: str) -> None:
    """Print a note to standard error."""
    print(plain(text), file=sys.stderr)


def check_target(path: Path | None, force: bool, suffixes: Sequence[str] | None = None) -> None:
    """Raise an error, before any work is done, if the file exists or its format is unknown."""
    if path is None:
        return
    if suffixes is not None and path.suffix.lower() not in suffixes:
        raise ValueError(f"{path}: the name must end in one of {', '.join(suffixes)}")
    if path.exists() and not force:
        raise ValueError(f"{path}: the file already exists; pass --force to replace it")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {str(path.parent)!r}")


def check_rows(rows: int | None, output: Path | None) -> None:
    """Raise an error, before any work is done, if there is no report that this many rows can be added to."""
    if rows is None:
        return
    count("--rows", rows, least=1, most=2**32 - 1)
    if output is None or output.suffix.lower() != ".html":
        raise ValueError("--rows adds rows to a report in HTML: name one that ends in .html with --output")


@contextmanager
def working(what: str) -> Iterator[None]:
    """Show in a terminal that work is in progress; print nothing elsewhere."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.text import Text

    with Console(stderr=True).status(Text(plain(what))):
        yield


@contextmanager
def counting(what: str, total: int | None) -> Iterator[Callable[[int], object] | None]:
    """Show in a terminal how many rows are done, if the total is known; print nothing elsewhere."""
    if total is None or not sys.stderr.isatty():
        with working(what):
            yield None
        return
    from anls_frame.frames.progress import bar, progress

    with bar(plain(what), total) as advance, progress(advance):
        yield advance


def print_table(
    frame: pl.DataFrame,
    *,
    most: int | None = None,
    height: int | None = None,
    headings: Mapping[str, str] | None = None,
) -> None:
    """
    Print a frame, or its first rows if it has `height` rows, as a table; markup is not interpreted.

    Of `headings`, only these columns are printed, under their headings.
    """
    import polars.selectors as cs
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from anls_frame.export.values import as_text

    headings = headings or {name: name for name in frame.columns}
    frame = frame.select(cs.by_name(*headings))
    table = Table()
    for name, dtype in frame.schema.items():
        table.add_column(Text(plain(headings[name])), justify="right" if dtype.is_numeric() else "left")
    for row in frame.head(most if most is not None else frame.height).iter_rows():
        cells = [
            "" if value is None else f"{value:.4g}" if isinstance(value, float) else as_text(value)
            for value in row
        ]
        table.add_row(*(Text(_short(visible(cell))) for cell in cells))
    # No colours and no markup; outside a terminal, the table is as wide as it needs to be.
    console = Console(highlight=False, color_system=None, width=None if sys.stdout.isatty() else 10_000)
    console.print(table)
    height = frame.height if height is None else height
    if most is not None and height > most:
        console.print(Text(f"... and {height - most:,} more rows"))


def with_spaces(edits: pl.DataFrame) -> pl.DataFrame:
    """Return a table of edits with ␣ for a space, and combining marks on a circle."""
    from anls_frame.pairs.marks import SPACE

    characters = [name for name in ("reference_char", "predicted_char") if name in edits.columns]
    return edits.with_columns(
        edits[name].str.replace_all(" ", SPACE, literal=True).str.replace(r"^(\p{M})", "◌${1}")
        for name in characters
    )


def print_json(value: Any) -> None:
    """Print strict JSON on one line."""
    from anls_frame.export.values import json_text

    sys.stdout.write(json_text(value) + "\n")


def print_document(document: Any) -> None:
    """Print a report as JSON, exactly as it is written to a file."""
    from anls_frame.export.json_files import write_json

    sys.stdout.flush()
    write_json(document, sys.stdout.buffer)


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[: _LONGEST_CELL - 1]}…"
