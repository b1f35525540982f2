"""Tables as plain text that fits a terminal of any width."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from anls_frame._messages import SPELLING
from anls_frame._text import shortened, shortened_apart, spelled_space, text_width, visible
from anls_frame.export.columns import LEAST
from anls_frame.export.display import Cell, ShownColumn, ShownRow, display_table
from anls_frame.export.document import Table

ROWS = 50
"""Largest number of rows to print."""

LONGEST_CELL = 60
"""The largest width of a text."""
_WHOLE = "<+-0123456789,"
"""What precedes the points of figures."""
_ALWAYS = ("best", "answer")
"""Columns that say what follows from the others."""
_ASCII = str.maketrans("┌┬┐╞╪╡└┴┘│┆─═–", "+++++++++||-=-")  # noqa: RUF001 - what tables are drawn with
_SHORT_TEXTS, _SHORTEST_TEXT = (24, 14), 8
"""Widths to which texts are cut: when the least important columns and others are left out, and last."""


def width() -> int | None:
    """Return the width of the terminal, or the value of COLUMNS; None for a pipe or a file."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() or "COLUMNS" in os.environ else None


def plain(text: str) -> str:
    """Return a text as it is printed: with the options of this place, visible controls, and broken lines."""
    most = width()
    return "\n".join(wrapped(visible(line), most) for line in SPELLING.get()(text).split("\n"))


def rendered(tables: Sequence[Table]) -> str:
    """Return the name, the content and the notes of each table as text."""
    lines, most = list[str](), width()
    for table in tables:
        hidden = [f"... and {table.hidden:,} more rows"] if table.hidden else []
        # Control characters, also in column names, are shown as symbols.
        title, *notes = map(plain, (table.name, *hidden, *table.below))
        # Headings without rows say nothing.
        content = [table_text(*display_table(table), most)] if table.frame.height else []
        lines += [title, *content, *notes]
    return "\n".join(lines)


def wrapped(text: str, most: int | None) -> str:
    """Break lines that are wider than a terminal, between words or after a bar where that is possible."""
    if most is None or text_width(text) <= most:
        return text
    indent = len(text) - len(text.lstrip(" "))
    if 0 < indent < most:
        return textwrap.indent(wrapped(text[indent:], most - indent), " " * indent)
    lines, line = list[str](), ""
    for word in text.split(" "):
        joined = f"{line} {word}" if line else word
        if text_width(joined) <= most:
            line = joined
            continue
        if line:
            lines.append(line)
        line = word
        while text_width(line) > most:
            # Letters have up to two columns, so a line of one column still takes one letter.
            piece = line[:most] if line[:most].isascii() else line[: max(most // 2, 1)]
            # The parts of a signature stay whole.
            end = piece.rfind("|") + 1 or len(piece)
            lines.append(line[:end])
            line = line[end:]
    return "\n".join([*lines, line])


def table_text(columns: Sequence[ShownColumn], rows: Sequence[ShownRow], most: int | None) -> str:
    """Return a table that fits the terminal, followed by the names of omitted columns."""
    laid = [_laid(column, [row.cells[index] for row in rows]) for index, column in enumerate(columns)]
    shown, left_out = _fitting(laid, most)
    if left_out and len(rows) == 1:
        shown, left_out = _fitting(_turned(laid), most)
    lines = _framed(shown)
    if left_out:
        lines.append(wrapped(f"No room for: {', '.join(left_out)}.", most))
    return "\n".join(lines)


@dataclass(frozen=True)
class _Column:
    """A column of texts: the aligned figure or text of each cell, with the interval after or below it."""

    shown: ShownColumn
    heading: str
    figures: Sequence[str]
    intervals: Sequence[str]
    whole: Sequence[str] = ()
    """The texts before they were cut."""
    is_broken: bool = False
    """Whether the heading is broken between words."""
    is_below: bool = False
    """Whether intervals have lines of their own."""

    def cut(self, most: int, *, apart: bool = True) -> _Column:
        """Return the column with texts cut to a width, or as it is if they would then look the same."""
        if self.shown.is_numeric:
            return self
        figures = shortened_apart(self.whole, most)
        if apart and len({*figures}) < len({*self.figures}):
            return self
        return replace(self, heading=shortened(self.heading, most), figures=figures)

    @cached_property
    def cells(self) -> list[list[str]]:
        """The lines of each cell."""
        pairs = [[*filter(None, pair)] or [""] for pair in zip(self.figures, self.intervals, strict=True)]
        longest = max(map(text_width, (*self.figures, *self.intervals)), default=0)
        joined = [" ".join(pair) for pair in pairs]
        return [
            # An empty interval fits next to its figure.
            pair if self.is_below and text_width(text) > longest else [text]
            for pair, text in zip(pairs, joined, strict=True)
        ]

    @cached_property
    def head(self) -> list[str]:
        """The lines of the heading."""
        if not self.is_broken:
            return [self.heading]
        longest_word = max(map(text_width, self.heading.split(" ")))
        return wrapped(self.heading, max(self._content, longest_word)).split("\n")

    @cached_property
    def is_right(self) -> bool:
        """Whether its texts are right-aligned."""
        return self.shown.is_numeric and not any(self.intervals)

    @cached_property
    def width(self) -> int:
        """Its width in columns of the terminal."""
        return max([self._content, *map(text_width, self.head)])

    @cached_property
    def _content(self) -> int:
        return max(map(text_width, chain.from_iterable(self.cells)), default=0)

    def padded(self, text: str) -> str:
        """Return a text with spaces up to the width of the column."""
        room = " " * (self.width - text_width(text))
        return f"{room}{text}" if self.is_right else f"{text}{room}"


def _fitting(columns: list[_Column], most: int | None) -> tuple[list[_Column], list[str]]:
    """Return the form that omits least among those that are narrow enough, and the omitted headings."""
    for shown in _forms(columns):
        # Columns have a border and two spaces each.
        if most is None or 1 + sum(3 + column.width for column in shown) <= most:
            break
    names = [column.shown.name for column in shown]
    return shown, [column.heading for column in columns if column.shown.name not in names]


def _turned(columns: list[_Column]) -> list[_Column]:
    """Return a table of one row with a row for each of its columns: there is room below, not to the side."""
    first, *others = columns
    headings, values = [column.heading for column in others], [column.cells[0][0] for column in others]
    none = [""] * len(others)
    return [
        _Column(first.shown._replace(kind="key"), first.heading, headings, none, headings),
        _Column(first.shown._replace(name="", kind="key"), first.cells[0][0], values, none, values),
    ]


def _laid(column: ShownColumn, cells: Sequence[Cell]) -> _Column:
    whole = [cell_text(cell._replace(interval="")) for cell in cells]
    figures = _aligned(whole) if column.is_numeric else shortened_apart(whole, LONGEST_CELL)
    return _Column(column, visible(column.heading), figures, [cell.interval for cell in cells], whole)


def cell_text(cell: Cell) -> str:
    """Return the text of a cell; quotes distinguish a text from a null that is shown in the same way."""
    if cell.role == "data":
        return f'"{cell.figure}"' if cell.figure == "null" else spelled_space(visible(cell.figure))
    return '""' if cell.role == "mark" and cell.figure == "empty" else _drawn(cell.text)


def _aligned(figures: Sequence[str]) -> list[str]:
    """Put the decimal points of figures below one another."""
    # A figure up to its last digit before the point, and the rest.
    rests = [text.lstrip(_WHOLE) for text in figures]
    parts = [(text.removesuffix(rest), rest) for text, rest in zip(figures, rests, strict=True)]
    if not any("." in rest for _, rest in parts):
        # A dash is below whole numbers, not where their point would be.
        parts = [(whole, rest) if whole else (rest, "") for whole, rest in parts]
    left, right = (max((text_width(part[side]) for part in parts), default=0) for side in (0, 1))
    return [
        f"{' ' * (left - text_width(whole))}{whole}{rest}{' ' * (right - text_width(rest))}"
        for whole, rest in parts
    ]


def _forms(columns: list[_Column]) -> Iterator[list[_Column]]:
    """Yield the forms of a table, each narrower than the one before."""
    yield columns
    columns = [replace(column, is_broken=True) for column in columns]
    yield columns
    columns = [replace(column, is_below=True) for column in columns]
    yield columns
    # The first two columns, keys, and what the others lead to always stay.
    is_kept = {
        column.shown.name: column.shown.kind == "key" or column.shown.name in _ALWAYS for column in columns
    }
    names = [name for name in [*is_kept][2:] if not is_kept[name]]
    least = [name for name in LEAST if name in names]
    others = [name for name in names[::-1] if name not in least]
    # Names stay whole while there are columns that matter less.
    for left_out, most in zip((least, others), _SHORT_TEXTS, strict=True):
        for name in left_out:
            columns = [column for column in columns if column.shown.name != name]
            yield columns
        columns = [column.cut(most) for column in columns]
        yield columns
        # Figures say more than the middle of texts, but which row it is says most.
        columns = [
            replace(column.cut(_SHORT_TEXTS[-1]), heading=column.heading)
            if column.shown.kind == "text" and column is not columns[0]
            else column
            for column in columns
        ]
        yield columns
    yield [column.cut(_SHORTEST_TEXT, apart=False) for column in columns]


def _drawn(text: str) -> str:
    """Return a text that holds no data as it is, or in ASCII if the encoding of the output lacks it."""
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return text.translate(_ASCII)
    return text


def _framed(columns: Sequence[_Column]) -> list[str]:
    widths = [column.width for column in columns]
    rule = ["─" * (width + 2) for width in widths]
    cells = [column.cells for column in columns]
    return [
        _drawn(f"┌{'┬'.join(rule)}┐"),
        *_lines([column.head for column in columns], columns),
        _drawn(f"╞{'╪'.join(['═' * (width + 2) for width in widths])}╡"),
        *chain.from_iterable(_lines(row, columns) for row in zip(*cells, strict=True)),
        _drawn(f"└{'┴'.join(rule)}┘"),
    ]


def _lines(cells: Sequence[Sequence[str]], columns: Sequence[_Column]) -> Iterator[str]:
    """Yield the lines of a row of cells; figures without intervals are right-aligned."""
    for index in range(max(map(len, cells), default=0)):
        texts = [cell[index] if index < len(cell) else "" for cell in cells]
        padded = [column.padded(text) for text, column in zip(texts, columns, strict=True)]
        yield f"{_drawn('│')} {_drawn(' ┆ ').join(padded)} {_drawn('│')}"
