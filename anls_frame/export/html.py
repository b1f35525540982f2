"""
One self-contained HTML file: tables, figures, remarks and settings.

It loads nothing, from a network or from elsewhere, and says so to the browser: the page's own policy allows
its style sheet and the one script that sorts columns, by its digest. Every text is escaped. Its size is
capped, by leaving out rows at the end of tables and the ends of very long texts, and where that was done the
page says it.
"""

from __future__ import annotations

import dataclasses
import math
from typing import TYPE_CHECKING, BinaryIO

from anls_frame.export import html_figures
from anls_frame.export.display import display_table, shortened
from anls_frame.export.document import ALL_ROWS
from anls_frame.export.figures import Alignments, Stacked
from anls_frame.export.html_style import SCRIPT, SCRIPT_DIGEST, STYLE
from anls_frame.export.html_text import data, spelled
from anls_frame.export.values import json_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from anls_frame.export.display import Cell, Column, Row
    from anls_frame.export.document import Document, Table

__all__ = ["write"]

LARGEST = 12_000_000
"""Bytes that the rows of all tables may take together."""

LONGEST_TEXT = 2_000
"""Characters of a cell, a remark or a setting that are shown."""

_SMALLEST_CELL = 6
"""Bytes of a row that a column takes at least: three share a cell where two are ends of an interval."""

_LONGEST_NAME = 200
_SHORT_TEXT = 16
_FOREST_ROWS = 40
_DIFFERENCE = "difference"
_POLICY = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{SCRIPT_DIGEST}'; img-src data:"


def write(document: Document, file: BinaryIO) -> None:
    """Write the page."""
    title = data(shortened(document.title, _LONGEST_NAME))
    sections: list[tuple[str, str]] = []
    # A figure that says all that is in a table stands for it.
    drawn_tables = {figure.table for figure in document.figures if isinstance(figure, Stacked)}
    others = [table for table in document.tables[1:] if table.name not in drawn_tables]
    shown_tables = [document.main, *others]
    bodies = _tables(shown_tables)
    main, *rest = [(table.name, body) for table, body in zip(shown_tables, bodies, strict=True)]
    drawn = [
        (isinstance(shown, Alignments), shown.name, html_figures.draw(shown)) for shown in document.figures
    ]
    sections.append((main[0], _forest(document.main) + main[1]))
    # Alignments explain rows of a table before them.
    sections += [(name, body) for is_of_rows, name, body in drawn if not is_of_rows]
    sections += rest
    sections += [(name, body) for is_of_rows, name, body in drawn if is_of_rows]
    if document.settings:
        sections.append(("Settings", _settings(document)))
    file.write(
        "".join((
            '<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n',
            f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n',
            '<meta name="viewport" content="width=device-width, initial-scale=1">\n',
            '<meta name="color-scheme" content="light dark">\n',
            f"<title>{title}</title>\n<style>{STYLE}</style>\n</head>\n<body>\n<main>\n",
            f'<header>\n<h1 dir="auto">{title}</h1>\n{_signature(document)}{_notes(document.notes)}',
            f"{_contents(sections)}</header>\n",
            *(
                f'<section id="s{place}">\n<h2 dir="auto">{_name(name)}</h2>\n{body}\n</section>\n'
                for place, (name, body) in enumerate(sections)
            ),
            f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n",
        )).encode()
    )  # fmt: skip


def _name(name: str) -> str:
    return data(shortened(name, _LONGEST_NAME)) or "&nbsp;"


def _signature(document: Document) -> str:
    signature = data(shortened(document.signature, LONGEST_TEXT))
    return f'<p class="sign"><code dir="auto">{signature}</code></p>\n' if signature else ""


def _notes(notes: Sequence[str]) -> str:
    items = "".join(f'<li dir="auto">{data(shortened(note, LONGEST_TEXT))}</li>' for note in notes)
    return f'<ul class="notes">{items}</ul>\n' if items else ""


def _contents(sections: Sequence[tuple[str, str]]) -> str:
    items = "".join(
        f'<li dir="auto"><a href="#s{place}">{_name(name)}</a></li>'
        for place, (name, _) in enumerate(sections)
    )
    return f'<nav aria-label="Contents"><ul>{items}</ul></nav>\n'


def _settings(document: Document) -> str:
    items = []
    for name, value in document.settings.items():
        text = value if isinstance(value, str) else json_text(value, f"settings[{name!r}]")
        items.append(f'<dt dir="auto">{_name(name)}</dt><dd dir="auto"><code>{_text(text)}</code></dd>')
    return f"<dl>{''.join(items)}</dl>"


def _text(text: str) -> str:
    return data(shortened(text, LONGEST_TEXT)) if text else '<i class="mark">empty</i>'


def _tables(tables: Sequence[Table]) -> list[str]:
    """Write all tables; one that needs less room than its share leaves the rest to the longer ones."""
    room, written = LARGEST, [""] * len(tables)
    by_length = sorted(range(len(tables)), key=lambda place: tables[place].frame.height)
    for done, place in enumerate(by_length):
        written[place], used = _table(tables[place], room // (len(tables) - done))
        room -= used
    return written


def _table(table: Table, room: int) -> tuple[str, int]:
    """Write a table as far as there is room, and say what was left out; with the bytes that it takes."""
    n_rows = table.frame.height
    # More cannot fit, and a million would take gigabytes to lay out.
    least = _SMALLEST_CELL * max(table.frame.width, 1)
    columns, rows = _columns_for_reading(_first(table, room // least + 1))
    drawn = _drawn(columns)
    axis, line = None, None
    if drawn is not None:
        known = (number for row in rows for number in _numbers(row.cells[drawn]))
        is_difference = columns[drawn].heading == _DIFFERENCE
        axis = html_figures.Axis(known, zero=is_difference)
        line = 0.0 if is_difference else next((_numbers(row.cells[drawn])[0] for row in rows), None)
    used, lines = 0, []
    for row in rows:
        written = _row(row, columns, drawn, axis, line)
        if used + len(written.encode()) > room:
            break
        used += len(written.encode())
        lines.append(written)
    heads = []
    for index, column in enumerate(columns):
        kind = ' class="n"' if column.is_numeric else ""
        # Names may break behind an underscore: figures are narrower than what they are called.
        heading = _name(column.heading).replace("_", "_<wbr>")
        heads.append(f'<th scope="col"{kind} dir="auto">{heading}</th>')
        if index == drawn and axis is not None:
            ends = f"<span>{axis.low:z.2f}</span><span>{axis.high:z.2f}</span>"
            heads.append(f'<th scope="col" class="g"><span class="ends">{ends}</span></th>')
    note = ""
    if len(lines) < n_rows:
        note = (
            f'<p class="cap">The first {len(lines):,} of {n_rows:,} rows: a page is kept below '
            f"{LARGEST // 1_000_000} MB. Other formats, such as .parquet and .csv, have all of them.</p>"
        )
    if not rows:
        note = '<p class="cap">No rows.</p>'
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    body = f"<tbody>{''.join(lines)}</tbody>"
    return f'<div class="scroll"><table class="sortable">{head}\n{body}</table></div>{note}', used


def _first(table: Table, rows: int) -> Table:
    return dataclasses.replace(table, frame=table.frame.head(rows))


def _columns_for_reading(table: Table) -> tuple[list[Column], list[Row]]:
    """Lay out a table with the scores beside the number of rows, and the other counts behind them."""
    columns, rows = display_table(table)
    counts = [index for index, column in enumerate(columns) if column.kind == "count"]
    if not table.has_slices or _drawn(columns) is None:
        return columns, rows
    order = [index for index in range(len(columns)) if index not in counts[1:]] + counts[1:]
    return (
        [columns[index] for index in order],
        [row._replace(cells=[row.cells[index] for index in order]) for row in rows],
    )


def _row(
    row: Row,
    columns: Sequence[Column],
    drawn: int | None,
    axis: html_figures.Axis | None,
    line: float | None,
) -> str:
    cells = []
    for index, (cell, column) in enumerate(zip(row.cells, columns, strict=True)):
        cells.append(_cell(cell, column))
        if index == drawn and axis is not None:
            cells.append(f'<td class="g">{html_figures.interval(axis, *_numbers(cell), line=line)}</td>')
    kind = ' class="all"' if row.is_overall else ""
    return f"<tr{kind}>{''.join(cells)}</tr>\n"


def _cell(cell: Cell, column: Column) -> str:
    if cell.numbers:
        value = cell.numbers[0]
        number = f"{value:.9g}" if isinstance(value, float) else value
        exact = f' data-v="{number}"' if _finite(value) is not None else ""
        text, _, ends = cell.text.partition(" [")
        below = f"<small>{data(ends.removesuffix(']').replace(', ', ' to '))}</small>" if ends else ""
        return f'<td class="n"{exact}>{data(text)}{below}</td>'
    kind = "n" if column.is_numeric else "d"
    if cell.role == "mark":
        return f'<td class="{kind}"><i class="mark">{data(cell.text)}</i></td>'
    # Short texts stay in one line and need no more room than they have; long ones may break anywhere.
    short = " s" if kind == "d" and len(cell.text) <= _SHORT_TEXT else ""
    return f'<td class="{kind}{short}" dir="auto">{data(spelled(shortened(cell.text, LONGEST_TEXT)))}</td>'


def _forest(table: Table) -> str:
    """Draw the first column with intervals, of the row over everything and of the first groups."""
    columns, rows = display_table(_first(table, _FOREST_ROWS + 1))
    drawn = _drawn(columns)
    if drawn is None or not table.has_slices:
        return ""
    keys = [index for index, column in enumerate(columns) if column.kind == "key"]
    shown = [
        (
            shortened(" / ".join(row.cells[key].text for key in keys if row.cells[key].text), _LONGEST_NAME)
            or ALL_ROWS,
            *_numbers(row.cells[drawn]),
            row.cells[drawn].text,
        )
        for row in rows
    ]
    n_groups = table.frame.height - 1
    more = f", the first {_FOREST_ROWS} of {n_groups:,}" if n_groups > _FOREST_ROWS else ""
    caption = f"{columns[drawn].heading} with intervals{more}"
    return html_figures.forest(shown, zero=columns[drawn].heading == _DIFFERENCE, caption=caption)


def _drawn(columns: Sequence[Column]) -> int | None:
    """Return the place of the first column with intervals."""
    return next((index for index, column in enumerate(columns) if column.has_interval), None)


def _numbers(cell: Cell) -> tuple[float | None, float | None, float | None]:
    value, low, high = (_finite(number) for number in (*cell.numbers, None, None, None)[:3])
    return value, low, high


def _finite(number: object) -> float | None:
    is_number = isinstance(number, int | float) and not isinstance(number, bool)
    return float(number) if is_number and math.isfinite(number) else None  # type: ignore[arg-type]
