"""
GitHub-flavoured Markdown with tables, settings and notes, in which no data is rendered as markup.

Data is plain text with its markup escaped. Texts in which GitHub would still link a mention, an issue number
or an address, or replace the name of an emoji, are put into code spans. Control characters are shown as
symbols, such as ␊ for a line feed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import BinaryIO

from anls_frame._text import visible
from anls_frame.export.display import Cell, ShownColumn, display_table
from anls_frame.export.document import Document, Table

# Entities, not backslashes, for characters that would end a cell, a code span or the escape itself.
_ESCAPES: dict[str, str | int | None] = {
    **{letter: f"&#{ord(letter)};" for letter in "\\|`@#"},
    "&": "&amp;",
    "<": "&lt;",
    ">": "&gt;",
    **{letter: f"\\{letter}" for letter in "*[]~$"},
}
# Within a word an underscore is plain text.
_UNDERSCORE = re.compile(r"(?<![^\W_])_|_(?![^\W_])")
_ADDRESS = re.compile(r":(?=//)|(?<=mailto):|(?<=xmpp):|(?<=www)\.", re.IGNORECASE)
# A match starts only at the first space of a run; otherwise a long run within a text takes quadratic time.
_OUTER_SPACE = re.compile(r"^\s+|(?<!\s)\s+$")
_HIDDEN_FORMAT = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]")
_BLOCK_START = re.compile(r"^(\d{0,9})([-+=.)])")
_LINKED_BY_GITHUB = re.compile(r"[@#]\w|\bGH-\d|://|\bwww\.|\b(?:mailto|xmpp):|:[\w+-]+:", re.IGNORECASE)
_PADDED_UP_TO = 40


def write(document: Document, file: BinaryIO) -> None:
    """Write all tables, the notes, the signature and the settings."""
    blocks = [f"# {_text(document.title)}"]
    for table in document.tables:
        blocks += [f"## {_text(table.name)}", _table(table)]
    notes = [*document.notes]
    if document.left_out:
        notes.append(f"Further tables, which tables= adds: {', '.join(document.left_out)}.")
    if notes:
        blocks.append("\n".join(f"- {_block(note)}" for note in notes))
    if document.signature:
        blocks.append(f"Signature: {_code(document.signature)}")
    if document.settings:
        blocks.append("## Settings")
        entries = [(name, _code(text) if text else "*empty*") for name, text in document.settings_as_text]
        blocks.append("\n".join(f"- {_block(name)}: {shown}" for name, shown in entries))
    file.write(("\n\n".join(blocks) + "\n").encode())


def _table(table: Table) -> str:
    columns, rows = display_table(table)
    lines = [[_in_cell(column.heading) for column in columns]]
    lines += [
        [_cell(cell, is_bold=bold) for cell, bold in zip(row.cells, row.bold, strict=True)] for row in rows
    ]
    widths = [_width([line[index] for line in lines]) for index in range(len(columns))]
    header, *body = (_line(cells, columns, widths) for cells in lines)
    rule = [
        f"{'-' * (max(width, 3) - 1)}{':' if column.is_numeric else '-'}"
        for column, width in zip(columns, widths, strict=True)
    ]
    return "\n".join([header, f"| {' | '.join(rule)} |", *body])


def _cell(cell: Cell, *, is_bold: bool) -> str:
    text = cell.text if cell.role == "plain" else _in_cell(cell.text)
    if cell.role == "mark":
        text = f"*{cell.text}*" if cell.text else ""
    return f"**{text}**" if text and is_bold else text


def _in_cell(text: str) -> str:
    # A bar ends a cell even in a code span.
    return _text(text).replace("|", "\\|")


def _text(text: str) -> str:
    return _code(text) if _LINKED_BY_GITHUB.search(text) else _escaped(text)


def _block(text: str) -> str:
    """Return a text for the start of a block, where a dash or a number would start a list."""
    return _BLOCK_START.sub(r"\1\\\2", _text(text))


def _escaped(text: str) -> str:
    text = visible(text, marks=False).translate(str.maketrans(_ESCAPES))
    text = _ADDRESS.sub(_entities, _UNDERSCORE.sub(r"\\_", text))
    return _OUTER_SPACE.sub(_entities, _HIDDEN_FORMAT.sub(_entities, text))


def _entities(match: re.Match[str]) -> str:
    return "".join(f"&#{ord(letter)};" for letter in match[0])


def _code(text: str) -> str:
    """Return a code span, fenced by more backticks than the text has in a row."""
    text = visible(text)
    longest = max(map(len, re.findall("`+", text)), default=0)
    # Markdown strips one space on each side.
    space = " " if text[:1] in ("`", " ") or text[-1:] in ("`", " ") else ""
    if not text.strip(" "):
        space = ""
    fence = "`" * (longest + 1)
    return f"{fence}{space}{text}{space}{fence}"


def _width(cells: Sequence[str]) -> int:
    """Return the width to pad cells to in the source; 0 if a cell is very long."""
    longest = max(map(len, cells))
    return longest if longest <= _PADDED_UP_TO else 0


def _line(cells: Sequence[str], columns: Sequence[ShownColumn], widths: Sequence[int]) -> str:
    padded = [
        cell.rjust(width) if column.is_numeric else cell.ljust(width)
        for cell, column, width in zip(cells, columns, widths, strict=True)
    ]
    return f"| {' | '.join(padded)} |"
