"""
The cells of a sheet, read from its XML, with each value as stored in the file.

Libraries for workbooks round numbers to nine digits when they return strings, do not distinguish dates from
durations, and need memory for the whole rectangle up to a distant cell.
"""

from __future__ import annotations

import datetime as dt
import re
from dataclasses import dataclass, field
from typing import IO, TYPE_CHECKING, Any, TypeAlias
from xml.parsers import expat

from anls_frame._text import quoted
from anls_frame.readers._problems import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from pathlib import Path

    from anls_frame.readers._problems import Problems

Element: TypeAlias = tuple[str, dict[str, str]]
"""The local name and the attributes of an element."""

MOST_CELLS = 40_000_000
"""Maximum size of the rectangle around all cells, including empty ones: each takes a place in a column."""
MOST_CHARACTERS = 2 << 30
"""Maximum for all cells together: a string that is in the file once can be in a million cells."""
_CHUNK = 1 << 20
_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
_EXACT = 10**15
_BUILT_IN_DATES = {
    **dict.fromkeys((14, 15, 16, 17, *range(27, 37), *range(50, 59)), "date"),
    22: "datetime",
    **dict.fromkeys((18, 19, 20, 21, 45, 47), "time"),
    46: "duration",
}
# Parts of a number format that are not codes: quotes, escapes, conditions and colours.
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hmsHMS]+\])[^\]]*\]')
_TEXTS = frozenset({"v", "t"})
_DAY = 86_400_000
_LAST_DAY = 2_958_466


@dataclass
class Cells:
    """The content of a sheet: columns by number, each ending at its last value."""

    columns: dict[int, list[str | None]] = field(default_factory=dict)
    kinds: dict[int, set[str]] = field(default_factory=dict)
    """Kinds of the values below the first row: text, number, bool, date."""
    dates: dict[int, list[tuple[int, str]]] = field(default_factory=dict)
    """Rows of dates and times, with the name of the cell."""
    first_row: int = 0
    """The first row with a value."""


@dataclass(frozen=True)
class Book:
    """The parts of a workbook that cells refer to: shared strings, date formats, and the origin of dates."""

    strings: Sequence[str]
    formats: Sequence[str | None]
    since_1904: bool


def date_formats(styles: Iterable[Element]) -> list[str | None]:
    """Return for each style whether it shows numbers as dates, times or durations, or None."""
    codes: dict[int, str] = {}
    formats: list[str | None] = []
    part = ""
    for name, attributes in styles:
        if name == "numFmt":
            codes[int(attributes.get("numFmtId", -1))] = attributes.get("formatCode", "")
        elif name == "xf" and part == "cellXfs":
            number = int(attributes.get("numFmtId", 0))
            formats.append(_kind_of_format(codes[number]) if number in codes else _BUILT_IN_DATES.get(number))
        elif name in {"cellStyleXfs", "cellXfs", "cellStyles"}:
            part = name
    return formats


def _kind_of_format(code: str) -> str | None:
    letters = set(_LITERAL.sub("", code.partition(";")[0]).casefold())
    if "general" in code.casefold() or not letters & set("ymdhs"):
        return None
    if re.search(r"\[[hms]+\]", code, re.IGNORECASE):
        return "duration"
    if letters & set("yd"):
        return "datetime" if letters & set("hs") else "date"
    return "time" if letters & set("hs") else "date"


def elements(path: Path, file: IO[bytes]) -> list[Element]:
    """Return the names and attributes of all elements."""
    every: list[Element] = []
    _parse(path, file, lambda name, attributes: every.append((name, attributes)))
    return every


def strings(path: Path, file: IO[bytes]) -> list[str]:
    """Return the shared strings of the cells."""
    texts: list[str] = []
    _parse(path, file, text_of=("si", lambda text: texts.append(_decoded(text))))
    return texts


def read(path: Path, sheet: str, file: IO[bytes], book: Book, problems: Problems) -> Cells:
    """Return the cells of a sheet; report those whose values would be lost."""
    reader = _Reader(path, sheet, book, problems)
    _parse(path, file, reader.start, text_of=("c", reader.take))
    reader.note_merged()
    return reader.cells


class _Reader:
    """Handles the XML of a sheet, tag by tag."""

    def __init__(self, path: Path, sheet: str, book: Book, problems: Problems) -> None:
        self.cells = Cells()
        self._path = path
        self._sheet = sheet
        self._book = book
        self._problems = problems
        self._letters: dict[str, int] = {}
        self._row = self._column = 0
        self._digits, self._digits_row = "", 0
        # The rectangle around all cells, including those without a value.
        self._left = self._right = self._top = self._bottom = 0
        self._attributes: dict[str, str] = {}
        self._has_formula = False
        self._merged: list[str] = []
        self._characters = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            self._attributes = attributes
            self._has_formula = False
            self._move(attributes.get("r"))
        elif name == "f":
            self._has_formula = True
        elif name == "row":
            self._row, self._column = self._number(attributes.get("r"), self._row + 1), 0
        elif name == "mergeCell":
            self._merged.append(attributes.get("ref", ""))

    def note_merged(self) -> None:
        """Report merged cells, of which all but the first have no value."""
        for reference in self._merged:
            first, _, last = reference.partition(":")
            (left, top), (right, bottom) = self._place(first), self._place(last or first)
            if bottom > self.cells.first_row and (bottom > top or right > left):
                several = "rows" if bottom > top else "columns"
                self._problems.add(
                    f"merged cells hold one value for several {several}; unmerge and fill them",
                    f"{self._sheet}!{first}",
                )

    def _move(self, reference: str | None) -> None:
        """Go to the named cell, or without a name to the next cell."""
        if reference is None:
            self._column += 1
        else:
            self._column, self._row = self._place(reference)
        if self._left <= self._column <= self._right and self._top <= self._row <= self._bottom:
            return
        self._left = min(self._left or self._column, self._column)
        self._right = max(self._right, self._column)
        self._top = min(self._top or self._row, self._row)
        self._bottom = max(self._bottom, self._row)
        count = (self._bottom - self._top + 1) * (self._right - self._left + 1)
        if count > MOST_CELLS:
            cell = f"{column_name(self._column)}{self._row}"
            raise problem(
                self._path,
                f"sheet {quoted(self._sheet)} reaches to row {self._bottom} (cell {cell}) and to column "
                f"{column_name(self._right)}: {count:,} cells are too many to read; delete cells far from "
                "the table, or save the sheet as CSV",
            )

    def _place(self, reference: str) -> tuple[int, int]:
        letters = reference.rstrip("0123456789")
        column = self._letters.get(letters)
        if column is None:
            if not re.fullmatch("[A-Za-z]{1,4}", letters):
                raise problem(self._path, f"a cell has the invalid reference {quoted(reference)}")
            column = 0
            for letter in letters.upper():
                column = column * 26 + ord(letter) - 64
            self._letters[letters] = column
        digits = reference[len(letters) :]
        if digits != self._digits:  # usually the same row as before
            self._digits, self._digits_row = digits, self._number(digits, 0)
        return column, self._digits_row

    def _number(self, digits: str | None, otherwise: int) -> int:
        if digits is None:
            return otherwise
        if not re.fullmatch("0*[1-9][0-9]{0,7}", digits):
            raise problem(self._path, f"a row has the invalid number {quoted(digits)}")
        return int(digits)

    def take(self, text: str) -> None:
        """Take the value of a cell, if it has one."""
        form = self._attributes.get("t", "n")
        if not text and form not in {"s", "str", "inlineStr"}:
            if self._has_formula:
                self._note("a formula without a stored value; open the workbook in Excel and save it")
            return
        if form == "e":
            self._note("an error value (such as #N/A)")
            return
        value, kind = self._value(form, self._attributes.get("s"), text)
        self._characters += len(value)
        if self._characters > MOST_CHARACTERS:
            raise problem(
                self._path,
                f"sheet {quoted(self._sheet)} holds more than {MOST_CHARACTERS:,} characters; save it as CSV",
            )
        cells = self.cells
        cells.first_row = cells.first_row or self._row
        index = self._row - cells.first_row
        column = cells.columns.setdefault(self._column, [])
        if index < len(column):
            raise problem(self._path, "cells are out of order or duplicated", self._name())
        column.extend([None] * (index - len(column)))
        column.append(value)
        if index:
            cells.kinds.setdefault(self._column, set()).add(kind)
        if kind == "date":
            cells.dates.setdefault(self._column, []).append((index, self._name()))

    def _value(self, form: str, style: str | None, text: str) -> tuple[str, str]:
        """Return a value as text, and its kind."""
        if form == "s":
            index = int(text) if text.isdigit() else -1
            if not 0 <= index < len(self._book.strings):
                raise problem(self._path, "a string that is not in the table of shared strings", self._name())
            return self._book.strings[index], "text"
        if form in {"str", "inlineStr"}:
            return _decoded(text), "text"
        if form == "b":
            return ("TRUE" if text.strip() in {"1", "true"} else "FALSE"), "bool"
        if form == "d":
            return text, "date"
        try:
            number = float(text)
        except ValueError:
            raise problem(self._path, f"{quoted(text)} is not a number", self._name()) from None
        index = int(style) if style is not None and style.isdigit() else 0
        shows = self._book.formats[index] if index < len(self._book.formats) else None
        if shows is not None and 0 <= number < _LAST_DAY:
            return _date(number, shows, since_1904=self._book.since_1904), "date"
        return _digits(number), "number"

    def _note(self, message: str) -> None:
        self._problems.add(message, self._name())

    def _name(self) -> str:
        return f"{self._sheet}!{column_name(self._column)}{self._row}"


def column_name(column: int) -> str:
    """Return the letters of a column, counted from 1."""
    letters = ""
    while column:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


def _digits(number: float) -> str:
    """Return a number with the fewest digits that identify it; Excel stores up to 17."""
    return str(int(number)) if number.is_integer() and abs(number) < _EXACT else repr(number)


def _date(number: float, shows: str, *, since_1904: bool) -> str:
    """Return a number of days as an ISO 8601 date, time or duration."""
    days, milliseconds = divmod(round(number * _DAY), _DAY)
    if shows == "duration" or (shows == "time" and not days):
        hours = days * 24 + milliseconds // 3_600_000
        return f"{hours:02}{_clock(milliseconds)}"
    # Excel counts 29 February 1900, which did not exist.
    first = dt.date(1904, 1, 1) if since_1904 else dt.date(1899, 12, 31 if days < 60 else 30)  # noqa: PLR2004
    date = (first + dt.timedelta(days=days)).isoformat()
    if shows == "date" and not milliseconds:
        return date
    return f"{date} {milliseconds // 3_600_000:02}{_clock(milliseconds)}"


def _clock(milliseconds: int) -> str:
    """Return minutes and seconds, with fractions of seconds if there are any."""
    seconds, rest = divmod(milliseconds % 3_600_000, 1000)
    fraction = f".{rest:03}".rstrip("0") if rest else ""
    return f":{seconds // 60:02}:{seconds % 60:02}{fraction}"


def _decoded(text: str) -> str:
    """Return a string with Excel's codes for characters missing from XML decoded."""
    return _CODE.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


def _parse(
    path: Path,
    file: IO[bytes],
    start: Callable[[str, dict[str, str]], object] = lambda *_: None,
    text_of: tuple[str, Callable[[str], object]] = ("", str),
) -> None:
    """
    Parse XML, and call `start` with the local name and the attributes of each element.

    `text_of` is the name of elements, and a function to call with the text in each, without phonetic guides.
    """
    container, take = text_of
    parts: list[str] = []
    phonetic = 0

    def begin(tag: str, attributes: dict[str, str]) -> None:
        nonlocal phonetic
        name = tag.rpartition(":")[2]
        phonetic += name == "rPh"
        if name == container:
            parts.clear()
        elif name in _TEXTS and not phonetic:
            parser.CharacterDataHandler = parts.append
        start(name, attributes)

    def end(tag: str) -> None:
        nonlocal phonetic
        name = tag.rpartition(":")[2]
        phonetic -= name == "rPh"
        if name == container:
            take("".join(parts))
        elif name in _TEXTS:
            parser.CharacterDataHandler = None

    def refuse(*_: Any) -> None:
        raise problem(path, "must not declare entities, which no workbook needs")

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    # Entities can make XML parsers use unlimited memory; workbooks have none.
    parser.StartDoctypeDeclHandler = refuse
    parser.EntityDeclHandler = refuse
    while chunk := file.read(_CHUNK):
        parser.Parse(chunk, False)  # noqa: FBT003 - takes no keywords
    parser.Parse(b"", True)  # noqa: FBT003
