"""`confusions`: which characters are read as which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import polars.selectors as cs
import typer

import anls_frame as af
from anls_frame._arguments import count
from anls_frame._text import numbered
from anls_frame.cli.options import By, File, SourceOptions, Target, command, one_table
from anls_frame.cli.output import edits_table, plain, print_table, working

if TYPE_CHECKING:
    from collections.abc import Sequence

    import polars as pl

_ROWS = ("n", "n_missing", "n_unanswerable", "n_distant")
_LEFT_OUT = ("without a prediction", "without an answer", "below --min-nls")


@command(
    "anls-frame confusions results.csv --max-length 2",
    "anls-frame confusions ocr/ --gold truth/ --op replace -o confusions.csv",
)
def confusions(
    file: File,
    *,
    target: Target,
    by: By = None,
    protocol: Annotated[str, typer.Option(help="How texts are prepared.")] = "raw",
    max_length: Annotated[
        int, typer.Option(help="Longest run of characters that counts as one confusion.")
    ] = 1,
    min_nls: Annotated[
        float, typer.Option(help="Leave out rows with a lower NLS: different answers, not misread ones.")
    ] = 0.0,
    op: Annotated[str | None, typer.Option(help="Only replace, insert or delete.")] = None,
    n: Annotated[int, typer.Option("--n", "-n", help="How many confusions to print for each slice.")] = 30,
    source: SourceOptions,
) -> None:
    """Count which characters are read as which."""
    from anls_frame.export import row_files
    from anls_frame.readers.any_file import load, names_of_rows, reading
    from anls_frame.summary.settings import MOST_ROWS

    target.check(row_files.SUFFIXES)
    count("--n", n, most=MOST_ROWS - 1)
    columns = one_table(by)
    with working(f"Reading {file}"), reading(file, source.how):
        counted: pl.DataFrame = af.confusions(
            load(file, source.how),
            *("prediction", "answers"),
            by=columns,
            protocol=protocol,
            max_length=max_length,
            min_nls=min_nls,
            op=op,  # type: ignore[arg-type] # checked there
        )
    target.put_rows(counted)
    if target.is_terminal:
        _print(counted, columns or [], n, names_of_rows(source.how).row)


def _print(counted: pl.DataFrame, by: Sequence[str], n: int, noun: str) -> None:
    """Print the edits and the row counts: by slice as columns, otherwise as a line."""
    if by:
        print_table(edits_table(counted.group_by(cs.by_name(*by), maintain_order=True).head(n)))
        return
    print_table(edits_table(counted.drop(_ROWS)), most=n)
    if counted.height:
        n, *left_out = counted.select(_ROWS).row(0)
        parts = [f"{count:,} {why}" for count, why in zip(left_out, _LEFT_OUT, strict=True) if count]
        print(plain(", ".join([f"{numbered(n, noun)} compared", *parts]) + "."))
