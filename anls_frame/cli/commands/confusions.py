"""`confusions`: which characters are read as which."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal

import polars as pl
import polars.selectors as cs

import anls_frame as af
from anls_frame._arguments import count
from anls_frame._text import numbered
from anls_frame.cli import named, options
from anls_frame.cli.output import edits_table, print_table, show
from anls_frame.protocol import PROTOCOLS, ScoreProtocol
from anls_frame.summary.settings import READ

_ROWS = ("n", "n_missing", "n_unanswerable", "n_distant")
_LEFT_OUT = ("without a prediction", "without an answer", "with a lower NLS (--min-nls 0 counts them)")


@options.command(
    "anls-frame confusions results.csv --max-length 2",
    "anls-frame confusions ocr/ --gold truth/ --op replace -o confusions.csv",
)
def confusions(
    file: Path,
    *,
    target: options.RowsTarget,
    by: options.By = None,
    protocol: Annotated[
        ScoreProtocol,
        {"type": named.preparation, "metavar": "NAME[,OPTION=VALUE]...", "show_default": "raw"},
    ] = PROTOCOLS["raw"],
    max_length: int = 1,
    min_nls: float = READ,
    op: Literal["replace", "insert", "delete"] | None = None,
    n: int = 30,
    source: options.SourceOptions,
) -> None:
    """
    Count which characters are read as which.

    Parameters
    ----------
    protocol
        How texts are prepared, such as raw,unit=grapheme or, as for a report, anls,errors.unit=grapheme.
    max_length
        Longest run of characters that counts as one confusion.
    min_nls
        Leave out rows with a lower NLS: other answers, not misread ones. 0 counts all rows.
    op
        Count only edits of this kind.
    n
        How many confusions to print for each slice.
    """
    from anls_frame.runs.reading import names_of_rows
    from anls_frame.summary.settings import MOST_ROWS

    count("--n", n, most=MOST_ROWS - 1)
    columns = options.one_table(by)
    with source.rows_of(file, columns or ()) as rows:
        counted: pl.DataFrame = af.confusions(
            rows,
            *("prediction", "answers"),
            by=columns,
            protocol=protocol,
            max_length=max_length,
            min_nls=min_nls,
            op=op,
        )
    target.put_rows(counted)
    if target.json:
        return
    row = names_of_rows(source.how())["row"]
    least = f" with NLS of at least {min_nls:g}" if min_nls else ""
    said = f"{row.capitalize()}s{least} compared"
    if target.is_terminal and columns:
        print_table(edits_table(counted.group_by(cs.by_name(*columns), maintain_order=True).head(n)))
    elif target.is_terminal:
        print_table(edits_table(counted.drop(_ROWS).head(n)), most=n, height=counted.height)
    if counted.is_empty():
        said = f"No character differs in {row}s{least}{' (--min-nls 0 counts the others)' if min_nls else ''}"
    elif not columns:
        compared, *left_out = counted.select(_ROWS).row(0)
        parts = [f"{rows:,} {why}" for rows, why in zip(left_out, _LEFT_OUT, strict=True) if rows]
        said = ", ".join([f"{numbered(compared, row)}{least} compared", *parts])
    show(f"{said}." if target.is_terminal else f"{said}: {target.output}")
