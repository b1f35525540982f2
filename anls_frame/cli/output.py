"""Output of commands: data as plain text, and files, which are replaced only with --force."""

from __future__ import annotations

import dataclasses
import glob
import os
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import MappingProxyType
from typing import Any

import polars as pl

from anls_frame._arguments import count
from anls_frame._messages import Message
from anls_frame._paths import known_suffix
from anls_frame.export import Kind, Table
from anls_frame.export.columns import CHARACTERS, COLUMNS, Column, by_name, heading_of, kind_of
from anls_frame.export.display import display_table, spelled
from anls_frame.export.document import result_table, with_scripts, with_spaces
from anls_frame.export.json_files import write_json
from anls_frame.export.row_names import ROWS, Names, named_rows
from anls_frame.export.terminal import plain, table_text, width
from anls_frame.export.values import json_text
from anls_frame.files.file import File


def show(*lines: str) -> None:
    """Print lines of text."""
    for line in lines:
        print(plain(line))


def print_account(result: Any, noun: str | None = None) -> None:
    """Print how many rows a result used, unless it used all of them as they are."""
    account = result.account
    if noun is not None:
        account = dataclasses.replace(account, noun=named_rows(noun)["row"])
    show(*account.notes)


def score_text(score: float | None, kind: Kind = "score") -> str:
    """Return a score as tables show it, or a dash where there is none, as without any text to divide by."""
    return spelled(score, (), kind)


def say(text: str, program: str = "anls-frame") -> None:
    """Print a note or an error to standard error."""
    print(plain(Message(f"{program}: ", text)), file=sys.stderr)


def check_target(path: Path | None, force: bool, suffixes: Sequence[str]) -> None:
    """Raise an error, before any work is done, if the file exists or its format is unknown."""
    if path is None:
        return
    known_suffix(path, suffixes)
    if path.exists() and not force:
        raise ValueError(f"{path}: the file already exists; pass --force to replace it")
    if not path.parent.is_dir():
        raise ValueError(f"{path}: there is no folder {str(path.parent)!r}")


def check_distinct(given: Mapping[str, Any], written: Collection[str | None]) -> None:
    """Raise an error, before any work is done, if a written file is also named by another option."""
    files = [(option, path) for option, value in given.items() for path in _paths(value)]
    for option, path in files:
        for other, other_path in files if option in written else ():
            if option != other and _are_same(path, other_path):
                both = " or ".join(dict.fromkeys(map(str, (path, other_path))))
                raise ValueError(
                    f"{option} and {other} name the same file, {both}: the result would replace it; name "
                    f"another file with {option}"
                )


def _paths(values: Any) -> Iterator[Path]:
    """Yield the files named by a value: a path, several paths, or a pattern not expanded by the shell."""
    for value in values if isinstance(values, list | tuple) else [values]:
        if isinstance(value, Path | File):
            path = Path(value)
            is_pattern = not path.exists() and glob.has_magic(str(path))
            yield from map(Path, glob.glob(str(path), recursive=True)) if is_pattern else [path]  # noqa: PTH207


def _are_same(path: Path, other: Path) -> bool:
    """Return whether two paths lead to the same file, by links of any kind; terminals and pipes never do."""
    if path.exists() and other.exists():
        return path.is_file() and path.samefile(other)
    first, second = (os.path.normcase(os.path.realpath(name)) for name in (path, other))
    return first == second


def check_rows(rows: int | None, output: Path | None) -> None:
    """Raise an error, before any work is done, if this many rows cannot be added to a report."""
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


def print_table(
    table: pl.DataFrame | Table,
    *,
    most: int | None = None,
    height: int | None = None,
    labels: Mapping[str, str] = MappingProxyType({}),
    names: Names = ROWS,
    percent: bool = False,
) -> None:
    """Print a table or a frame, possibly with other column names, or its first rows of `height`."""
    if not isinstance(table, Table):
        columns = [
            dataclasses.replace(
                # A column of texts is one of the user's, whatever its name.
                COLUMNS.get(name, Column(name)) if dtype.is_numeric() else Column(name),
                kind=kind_of(name),
                heading=labels.get(name) or heading_of(name, names),
            )
            for name, dtype in table.schema.items()
        ]
        table = result_table("", table, own=by_name(columns), percent=percent)
    height = table.frame.height if height is None else height
    if most is not None:
        table = dataclasses.replace(table, frame=table.frame.head(most))
    # Headings without rows say nothing.
    if table.frame.height:
        print(table_text(*display_table(table), width()))
    if most is not None and height > most:
        print(f"... and {height - most:,} more rows")


def edits_table(edits: pl.DataFrame) -> Table:
    """Return a table of edits with ␣ for a space, and empty cells for missing or surplus characters."""
    shown = with_spaces(edits)
    if {*CHARACTERS} <= {*shown.columns}:
        shown = with_scripts(shown)
    known = {name: COLUMNS.get(name) or Column(name, heading=heading_of(name)) for name in shown.columns}
    return Table("", shown, known | {"op": Column("op", heading="edit")})


def print_json(value: Any) -> None:
    """Print strict JSON on one line."""
    sys.stdout.write(json_text(value) + "\n")


def print_document(document: Any) -> None:
    """Print a report as JSON, exactly as in a file."""
    sys.stdout.flush()
    write_json(document, sys.stdout.buffer)
