r"""
LaTeX tables in booktabs style, to include in a paper with `\input`.

The file needs `\usepackage{booktabs}`, tables of more than 40 rows also `\usepackage{longtable}`, and LaTeX
2020 or later with any engine. With `\usepackage[T1]{fontenc}`, pdfLaTeX prints European letters in the Latin
script; for other scripts, use LuaLaTeX with a suitable font. Tables that are too wide are shrunk if
`\usepackage{graphicx}` is loaded; long tables are rotated if `\usepackage{pdflscape}` is loaded.
"""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from anls_frame._text import distinct, thin
from anls_frame.export.display import Cell, ShownColumn, ShownRow, display_table
from anls_frame.export.document import Document
from anls_frame.export.latex_text import MACROS, clipped, escaped, printed_width, wrapped
from anls_frame.export.values import as_json

LONGEST_FLOAT = 40
"""Largest number of rows of a table that is not split over pages."""

# LaTeX fails if too many floats wait for a page.
_MOST_FLOATS = 15
_LONGEST_TEXT = 400
_LONGEST_UNWRAPPED = 36
_LONGEST_HEADING = 100
_COMMENT_WIDTH = 100
# Width of a digit by size, and the text area of LaTeX's article class, in points.
_SIZES = (("normalsize", 5.0), ("small", 4.6), ("footnotesize", 4.3), ("scriptsize", 4.0), ("tiny", 3.4))
_TEXT_WIDTH, _TEXT_HEIGHT = 345, 550
_WRAPPED_EMS = 14
# A minus is longer than a hyphen, and thousands stand apart.
_SIGNS = str.maketrans({
    "-": "$-$",
    "<": "$<$",
    "%": r"\%",
    "●": r"$\bullet$",
    "◂": r"$\triangleleft$",
    "\N{NARROW NO-BREAK SPACE}": r"\,",
})  # fmt: skip
_SPACING = r"\setlength{\tabcolsep}{4pt}"
_SPACE = 8


def write(document: Document, file: BinaryIO) -> None:
    """Write all tables, with notes and signature below the first, and the settings as comments."""
    parts = [*_comments(document), MACROS]
    names = (f"{document.title} {table.name}".lower() for table in document.tables)
    plain = (re.sub(r"[^a-z0-9]+", "-", name).strip("-")[:60] or "table" for name in names)
    labels = distinct(plain, numbered="{}-{}".format)
    for number, (table, label) in enumerate(zip(document.tables, labels, strict=True)):
        if number and number % _MOST_FLOATS == 0:
            parts += ["", r"\clearpage"]
        columns, rows = display_table(table)
        caption = escaped(clipped(": ".join(filter(None, (document.title, table.name))), _LONGEST_TEXT))
        below = _below(document) if number == 0 else []
        build = _float if len(rows) <= LONGEST_FLOAT else _longtable
        parts += ["", *build(columns, rows, f"\\caption{{{caption}}}\\label{{tab:{label}}}", below)]
    file.write(("\n".join(parts) + "\n").encode())


def _comments(document: Document) -> Iterator[str]:
    """Yield title, signature and settings as comments in ASCII, so that no character can end a comment."""
    yield r"% Needs \usepackage{booktabs}, for long tables \usepackage{longtable} too, and LaTeX of 2020"
    yield r"% or later. With \usepackage{graphicx} wide tables are made smaller, with \usepackage{pdflscape}"
    yield r"% wide long ones are turned. pdfLaTeX with \usepackage[T1]{fontenc} prints Latin letters, and"
    yield r"% codes such as [U+4E2D] for others; LuaLaTeX prints those with a font that has them."
    entries: dict[str, object] = {"title": document.title, "signature": document.signature}
    entries |= {f"settings: {name}": value for name, value in document.settings.items()}
    for name, value in entries.items():
        line = f"{json.dumps(name)[1:-1]}: {json.dumps(as_json(value, name))}"
        pieces = textwrap.wrap(line, _COMMENT_WIDTH, subsequent_indent="  ", break_on_hyphens=False)
        yield from (f"% {piece}" for piece in pieces)


def _below(document: Document) -> list[str]:
    """Return the notes and the signature as lines below a table."""
    notes = [wrapped(clipped(note, 5 * _LONGEST_TEXT)) for note in document.notes]
    if document.signature:
        signature = wrapped(clipped(document.signature, 5 * _LONGEST_TEXT))
        notes.append(f"Signature: \\texttt{{{signature}}}")
    lines = [r"\par\smallskip{\footnotesize\raggedright", r"\par\nopagebreak ".join(notes), r"\par}"]
    return lines if notes else []


def _float(
    columns: Sequence[ShownColumn], rows: Sequence[ShownRow], caption: str, below: Sequence[str]
) -> list[str]:
    return [
        r"\begin{table}",
        r"\centering",
        rf"{caption}\par\smallskip",
        rf"{_SPACING}\anlsframefit{{%",
        rf"\begin{{tabular}}{{{_alignment(columns, rows)}}}",
        r"\toprule",
        *_header(columns),
        r"\midrule",
        *_body(columns, rows, interval=r"\scriptsize"),
        r"\bottomrule",
        r"\end{tabular}}",
        *below,
        r"\end{table}",
    ]


def _longtable(
    columns: Sequence[ShownColumn], rows: Sequence[ShownRow], caption: str, below: Sequence[str]
) -> list[str]:
    header = [r"\toprule", *_header(columns), r"\midrule"]
    size, turned = _size(columns, rows)
    lines = [
        r"\begingroup",
        rf"\{size}{_SPACING}",
        rf"\begin{{longtable}}{{{_alignment(columns, rows)}}}",
        caption + r"\tabularnewline",
        *header,
        r"\endfirsthead",
        *header,
        r"\endhead",
        r"\bottomrule",
        r"\endfoot",
        *_body(columns, rows),
        r"\end{longtable}",
        r"\endgroup",
        *below,
    ]
    if turned:
        return [
            r"\ifdefined\landscape\begin{landscape}\fi",
            *lines,
            r"\ifdefined\landscape\end{landscape}\fi",
        ]
    return lines


def _header(columns: Sequence[ShownColumn]) -> list[str]:
    return [_line([escaped(clipped(column.heading, _LONGEST_HEADING)) for column in columns])]


def _body(columns: Sequence[ShownColumn], rows: Sequence[ShownRow], interval: str = "") -> Iterator[str]:
    wide = [_is_wide(index, column, rows) for index, column in enumerate(columns)]
    for number, row in enumerate(rows):
        cells = [_cell(*each, interval) for each in zip(row.cells, wide, strict=True)]
        bold = [row.is_overall or cell.is_shown for cell in row.cells]
        yield _line(
            [
                f"\\textbf{{{text}}}" if text and is_bold else text
                for text, is_bold in zip(cells, bold, strict=True)
            ]
        )
        if row.is_overall and number + 1 < len(rows):
            yield r"\midrule"


def _line(cells: Sequence[str]) -> str:
    # Unlike \\, \tabularnewline also ends the row after \raggedright.
    return " & ".join(cells) + r" \tabularnewline"


def _cell(cell: Cell, is_wide: bool, interval: str) -> str:  # noqa: FBT001 - private
    text = clipped(cell.text, _LONGEST_TEXT)
    if cell.role == "plain":
        value, bracket, ends = thin(text).translate(_SIGNS).partition(" [")
        return f"{value} {{{interval}[{ends}}}" if bracket else value
    if cell.role == "mark":
        return f"\\emph{{{text}}}" if text else ""
    return f"\\raggedright {wrapped(text)}" if is_wide else escaped(text)


def _alignment(columns: Sequence[ShownColumn], rows: Sequence[ShownRow]) -> str:
    kinds = []
    for index, column in enumerate(columns):
        narrow = "r" if column.is_numeric else "l"
        kinds.append(rf"p{{{_WRAPPED_EMS}em}}" if _is_wide(index, column, rows) else narrow)
    # No space beyond the rules of booktabs.
    return "@{}" + "".join(kinds) + "@{}"


def _is_wide(index: int, column: ShownColumn, rows: Sequence[ShownRow]) -> bool:
    return not column.is_numeric and any(
        printed_width(row.cells[index].text) > _LONGEST_UNWRAPPED for row in rows
    )


def _size(columns: Sequence[ShownColumn], rows: Sequence[ShownRow]) -> tuple[str, bool]:
    """Return the largest font size at which the columns fit the page, and whether to rotate the page."""
    digits = 0
    for index, column in enumerate(columns):
        widest = max([printed_width(column.heading), *(printed_width(row.cells[index].text) for row in rows)])
        # An em is two digits wide.
        digits += 2 * _WRAPPED_EMS if _is_wide(index, column, rows) else widest
    for available, sizes in ((_TEXT_WIDTH, _SIZES[:3]), (_TEXT_HEIGHT, _SIZES)):
        room = available - len(columns) * _SPACE
        fitting = [size for size, digit in sizes if digits * digit <= room]
        if fitting:
            return fitting[0], available == _TEXT_HEIGHT
    return _SIZES[-1][0], True
