"""
A self-contained HTML file with tables, figures, remarks and settings.

The file loads nothing, and its content security policy enforces this: it allows only its style sheet and the
script that sorts columns, by digest. The templates in `page/` escape every text and make invisible characters
visible. The size is limited by omitting rows at the end of tables and the ends of very long texts; the page
states such omissions.
"""

from __future__ import annotations

import base64
import dataclasses
import functools
import hashlib
import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import resources
from itertools import chain, islice, takewhile
from typing import BinaryIO, NamedTuple

import jinja2
from markupsafe import Markup, escape

from anls_frame._text import numbered, shortened, spelled_space, visible, whole_label
from anls_frame.export.charts import (
    Alignments,
    Axis,
    Curves,
    Figure,
    HistogramChart,
    OfTable,
    Stacked,
    bar,
)
from anls_frame.export.columns import FEW
from anls_frame.export.display import Cell, ShownColumn, ShownRow, display_table, truncated
from anls_frame.export.document import BEST, Document, Table
from anls_frame.export.html_links import Links
from anls_frame.export.row_names import every
from anls_frame.export.rows_content import EmbeddedRows
from anls_frame.export.values import is_number
from anls_frame.pairs.line_alignments import style_sheet

LARGEST = 12_000_000
"""Bytes that the rows of all tables may take together."""

LONGEST_TEXT = 2_000
"""Characters of a cell, a remark or a setting that are shown."""

_SMALLEST_CELL = 6
"""Bytes of a row that a column takes at least: three share a cell where two are ends of an interval."""

_BATCH = 20
"""Rows that are written at once: few, so that what they are made of is gone before it is collected."""

_ADDRESS = re.compile(r"https?://[^\s\"'<>]+")
_LONG_WORD = re.compile(r"\S{13,}")
_JOINT = re.compile(r"(?<=\w)[_./:@()\[\]]+(?=[^\W\d])")
"""What joins the parts of a name. A name may break after it, rather than within a part."""
_INTERVAL = re.compile(r"[-+\d.]+(?: %| pp)? \[[-+\d.]+, [-+\d.]+\]|\d+ %")
_LONGEST_NAME = 200
_FOREST_ROWS = 40
_DIFFERENCE = "difference"
_LAST = ("notes.html", "settings.html")
_LEAST_DRAWN = 4
"""With at least this many slices, intervals are drawn as a picture, and no longer in the table."""
_LONGEST_LINK = 40


class _Section(NamedTuple):
    name: str
    template: str
    content: object
    link: str = ""
    """What a link to it says, if that is not its name."""


def write(document: Document, file: BinaryIO, rows: EmbeddedRows | None = None) -> None:
    """Write the page, with an embedded page of the rows of its figures."""
    page = templates().get_template("page.html")
    systems = document.settings.get("systems")
    # The first system whose error types changed.
    baseline = next(iter(systems), "") if isinstance(systems, Mapping) else ""
    sections = _sections(document, Links(None if rows is None else rows.content, baseline))
    if rows is not None:
        end = len(sections) - sum(section.template in _LAST for section in sections)
        sections.insert(end, _Section("Rows", "rows_page.html", {"html": Markup(escape(rows.html))}))  # noqa: S704
    file.write(page.render(document=document, sections=sections, rows=rows, largest=LARGEST).encode())


@functools.cache
def templates() -> jinja2.Environment:
    """Return the template environment, which escapes texts and makes invisible characters visible."""
    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(source),
        auto_reload=False,
        autoescape=True,
        finalize=_seen,
        keep_trailing_newline=True,
        lstrip_blocks=True,
        trim_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.globals |= {
        "lines_style": style_sheet(),
        "nbsp": Markup("&nbsp;"),
        "source": source,
    }
    environment.filters |= {
        "digest": lambda text: base64.b64encode(hashlib.sha256(text.encode()).digest()).decode(),
        "spelled": spelled_space,
        "breakable": _breakable,
        "numbered": numbered,
        "whole_intervals": _whole_intervals,
        "name": functools.partial(truncated, longest=_LONGEST_NAME),
        "text": functools.partial(truncated, longest=LONGEST_TEXT),
        "exact": _exact,
        "address": lambda text: _ADDRESS.fullmatch(text) and text.partition("://")[2].rstrip("/"),
        "link": functools.partial(shortened, most=_LONGEST_LINK),
    }
    return environment


def source(name: str) -> str:
    """Return the text of a file of `page/`."""
    return (resources.files(__package__) / "page" / name).read_text("utf-8")


def _seen(value: object) -> object:
    # Most texts are printable, and this check takes a tenth of the time.
    if not isinstance(value, str) or value.isprintable() or isinstance(value, Markup):
        return value
    return visible(value)


def _breakable(text: str) -> str | Markup:
    """Let long names break between their parts, such as after an underscore."""
    if not _LONG_WORD.search(text):
        return text
    shown = str(escape(_seen(text)))
    return Markup(_LONG_WORD.sub(lambda word: _JOINT.sub(r"\g<0><wbr>", word[0]), shown))  # noqa: S704 - it is escaped


def _whole_intervals(text: str) -> Markup:
    """Keep a line from breaking within an interval."""
    # Markup would escape inserted text.
    shown = str(escape(_seen(text)))
    return Markup(_INTERVAL.sub(r'<span class="whole">\g<0></span>', shown))  # noqa: S704 - it is escaped


def _sections(document: Document, links: Links) -> list[_Section]:
    matrices = {figure.table: figure for figure in document.figures if isinstance(figure, OfTable)}
    charts = [figure for figure in document.figures if isinstance(figure, HistogramChart | Curves | Stacked)]
    # A figure that shows a whole table replaces it.
    drawn = {figure.table for figure in charts if isinstance(figure, Stacked)}
    tables = [document.main, *(table for table in document.tables[1:] if table.name not in drawn)]
    whole = {name for name, figure in matrices.items() if figure.is_whole}
    written = _tables([table for table in tables if table.name not in whole], links)
    # Tables below a table with a figure, which explains them.
    below = {*chain.from_iterable(figure.more for figure in matrices.values())}
    sections = []
    for table in tables:
        figure = matrices.get(table.name)
        above = None if figure is None else _section(figure, table, links)
        if above is not None and table.name in whole:
            sections.append(above)
        elif table.name not in below:
            more = [] if figure is None else [written[name] for name in figure.more if name in written]
            content = {**written[table.name], "above": above, "more": more}
            name = table.name if figure is None else figure.name
            sections.append(_Section(name, "table.html", content, table.link))
    # The document may have a main table without slices.
    n_first = max(1, sum(1 for _ in takewhile(lambda table: table.has_slices, tables)))
    shown = [_section(figure, document.main, links) for figure in charts]
    # Alignments explain rows of a preceding table.
    alignments = [figure for figure in document.figures if isinstance(figure, Alignments)]
    last = [_section(figure, document.main, links) for figure in alignments]
    # What the definitions below a table say is not said again.
    said = any(FEW in table.definitions for table in document.tables)
    notes = [
        note
        for note in document.notes
        if note != (document.head or None) and not (said and note.startswith(f"{FEW} few rows"))
    ]
    if notes:
        last.append(_Section("How to read this", "notes.html", notes))
    if document.settings or document.signature:
        last.append(_Section("Settings", "settings.html", document.settings_as_text))
    return [*sections[:n_first], *shown, *sections[n_first:], *last]


def _section(figure: Figure, table: Table, links: Links) -> _Section:
    # A figure marks cells in place of the column.
    terms = {BEST if term == "best" else term: said for term, said in table.definitions.items()}
    content = {
        "figure": figure,
        "definitions": terms,
        **figure.content(),
        **links.of_figure(figure, table),
    }
    return _Section(figure.name, f"{type(figure).__name__.lower()}.html", content)


def _tables(tables: Sequence[Table], links: Links) -> dict[str, dict[str, object]]:
    """Write all tables; tables that need less than their share of bytes leave the rest to longer tables."""
    room, written = LARGEST, {}
    for done, table in enumerate(sorted(tables, key=lambda table: table.frame.height)):
        written[table.name], used = _table(table, room // (len(tables) - done), links)
        room -= used
    return written


def _table(table: Table, room: int, links: Links) -> tuple[dict[str, object], int]:
    """Return the rows of a table that fit, and the bytes that they take."""
    # More rows cannot fit, and laying out a million would take gigabytes.
    least = _SMALLEST_CELL * max(table.frame.width, 1)
    first = dataclasses.replace(table, frame=table.frame.head(room // least + 1))
    columns, rows = display_table(first)
    drawn = _drawn(columns)
    forest = None if drawn is None else _forest(table, columns, rows, drawn)
    bars = [index for index, column in enumerate(columns) if column.name in table.bars]
    lengths = [_numbers(row.cells[index])[0] or 0.0 for row in rows for index in bars]
    longest = max(lengths, default=0.0)
    drawings = dict.fromkeys(bars, lambda cell: bar(_numbers(cell)[0], longest))
    # An interval is drawn once.
    drawn = drawn if forest is None else None
    axis = None if drawn is None else _axis(columns[drawn], drawn, rows)
    if drawn is not None and axis is not None:
        drawings[drawn] = lambda cell: axis.interval(*_numbers(cell))
    views = links.row_views(first)
    lines, used = _lines(zip(rows, views, strict=True), room, columns, drawings)
    content: dict[str, object] = {
        "axis": axis,
        "bars": bars,
        "forest": forest,
        "columns": columns,
        "definitions": table.definitions,
        "drawn": drawn,
        "is_folded": table.is_folded,
        "keys": [column.heading for column in columns if column.kind == "key"],
        "n_rows": table.frame.height,
        "n_written": len(lines),
        "rows": Markup("".join(lines)),  # noqa: S704 - of a template
        "views": views,
    }
    return content, used


def _lines(
    rows: Iterator[tuple[ShownRow, str | None]],
    room: int,
    columns: Sequence[ShownColumn],
    drawings: Mapping[int, Callable[[Cell], Markup]],
) -> tuple[list[str], int]:
    """Return the rows that fit, and the bytes that they take."""
    template = templates().get_template("rows.html")
    used, lines = 0, list[str]()
    while batch := list(islice(rows, _BATCH)):
        # Each line is a row, because line feeds in texts are shown as symbols.
        for line in template.render(rows=batch, columns=columns, drawings=drawings).splitlines(keepends=True):
            size = len(line.encode())
            if used + size > room:
                return lines, used
            used += size
            lines.append(line)
    return lines, used


def _forest(
    table: Table, columns: Sequence[ShownColumn], rows: Sequence[ShownRow], drawn: int
) -> Mapping[str, object] | None:
    """Lay out a column with intervals, for all rows and for the first groups."""
    rows, n_groups = rows[: _FOREST_ROWS + 1], table.frame.height - 1
    if not table.has_slices or sum(row.is_overall for row in rows) != 1 or n_groups < _LEAST_DRAWN:
        return None
    axis = _axis(columns[drawn], drawn, rows)
    keys = [index for index, column in enumerate(columns) if column.kind == "key"]
    labels = [" / ".join(filter(None, (_key_label(row.cells[key]) for key in keys))) for row in rows]
    more = f", the first {_FOREST_ROWS} of {n_groups:,}" if n_groups > _FOREST_ROWS else ""
    cells = [row.cells[drawn] for row in rows]
    return {
        "axis": axis,
        "caption": f"{columns[drawn].heading} with intervals{more}",
        "rows": [
            (truncated(label, _LONGEST_NAME) or every(table.names), axis.interval(*_numbers(cell)), cell.text)
            for label, cell in zip(labels, cells, strict=True)
        ],
    }


def _key_label(cell: Cell) -> str:
    # Without the style by which a table tells the word for null from the same text.
    return whole_label(cell.text) if cell.role == "data" else cell.text


def _axis(column: ShownColumn, index: int, rows: Sequence[ShownRow]) -> Axis:
    """Return the axis of a column, with a line at no difference, or at the figure of all rows."""
    is_difference = column.name == _DIFFERENCE
    numbers = (number for row in rows for number in _numbers(row.cells[index]))
    overall = (_numbers(row.cells[index])[0] for row in rows if row.is_overall)
    line = 0.0 if is_difference else next(overall, None)
    # Of several metrics, only some may be in per cent.
    figures = [row.cells[index].figure for row in rows if _numbers(row.cells[index])[0] is not None]
    in_percent = bool(figures) and all(figure.endswith(("%", "pp")) for figure in figures)
    return Axis(numbers, line=line, zero=is_difference, in_percent=in_percent)


def _drawn(columns: Sequence[ShownColumn]) -> int | None:
    """Return the number of the first column with intervals."""
    return next(
        (index for index, column in enumerate(columns) if column.interval and column.kind != "rank"), None
    )


def _exact(number: object) -> str:
    """Return a number by which a column is sorted."""
    if _finite(number) is None:
        return ""
    return f"{number:.9g}" if isinstance(number, float) else str(number)


def _numbers(cell: Cell) -> tuple[float | None, float | None, float | None]:
    value, low, high = (_finite(number) for number in (*cell.numbers, None, None, None)[:3])
    return value, low, high


def _finite(number: object) -> float | None:
    return float(number) if is_number(number) and math.isfinite(number) else None
