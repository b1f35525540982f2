"""
The only table of a workbook, read from its XML, with each value as stored in the file.

Libraries for workbooks round numbers to nine digits when they return strings, do not distinguish dates from
durations, and need memory for the whole rectangle up to a distant cell.
"""

from __future__ import annotations

import datetime as dt
import math
import posixpath
import re
import zipfile
from collections.abc import Iterator, Sequence
from decimal import Decimal
from itertools import groupby, islice
from operator import itemgetter
from typing import Any, NamedTuple

import polars as pl

from anls_frame._messages import Message, Option
from anls_frame._text import listed, numbered, quoted
from anls_frame.exceptions import warn
from anls_frame.files.archives import opened_archive
from anls_frame.files.file import File
from anls_frame.files.problems import Problems, problem
from anls_frame.files.raw_tables import Raw, by_name, numbers
from anls_frame.files.standard_frames import MOST_ABOVE, rows_above_header, warn_of_title

MOST_CELLS = 40_000_000
"""Maximum size of the rectangle around all values, including empty cells: each takes a place in a column."""
MOST_CHARACTERS = 2 << 30
"""Maximum for all cells together: a string that is in the file once can be in a million cells."""
_PLACE = re.compile("([A-Za-z]{1,4})(0*[1-9][0-9]{0,7})")
_CODE = re.compile("_x([0-9A-Fa-f]{4})_")
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_WHOLE_TO = 2**63
# Numbers with more digits are rounded when a workbook is written, by Excel to 15, by libraries to 16.
_ROUNDED_DIGITS = 15
_BUILT_IN_DATES = {
    **dict.fromkeys((14, 15, 16, 17, *range(27, 37), *range(50, 59)), "date"),
    22: "datetime",
    **dict.fromkeys((18, 19, 20, 21, 45, 47), "time"),
    46: "duration",
}
_BUILT_IN_NUMBERS = {
    0: "General",
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    49: "@",
}
_UNFORMATTED = ("General", "@")
_FIXED = re.compile(r"0(?:\.(0+))?")
# Parts of a number format that are not codes: quotes, escapes, conditions and colours.
_LITERAL = re.compile(r'"[^"]*"|\\.|_.|\*.|\[(?![hmsHMS]+\])[^\]]*\]')
_DAY = 86_400_000
_LAST_DAY = 2_958_466
_LOST = "lost"
# Parts that a workbook may lack.
_STRINGS, _STYLES = "xl/sharedStrings.xml", "xl/styles.xml"
_NUMBERS = {"number", "rounded"}
_SCHEMA = {"row": pl.Int64, "column": pl.Int64, "value": pl.String, "kind": pl.String, "format": pl.String}


class _Format(NamedTuple):
    """How a style shows numbers."""

    dates: str | None
    """Whether as dates, times or durations."""
    code: str


class _Value(NamedTuple):
    """The value of a cell."""

    text: str
    kind: str
    """Text, bool, date, number, a number that was rounded before it was stored, or why the value is lost."""
    format: str | None = None
    """The format of a number that shows another text than this one."""


class _Book(NamedTuple):
    """The parts of a workbook that cells refer to: shared strings, formats, and the origin of dates."""

    strings: Sequence[str]
    formats: Sequence[_Format]
    since_1904: bool


def read(file: File, problems: Problems, sheet: str | None) -> Raw:
    """
    Return the cells of a sheet as strings; the first row holds the names.

    Without a name, the only visible sheet that is not empty is read. Cells with an error, formulas without a
    stored value and merged cells are problems: their values would become null. Columns without a role that
    hold only numbers or only Booleans are kept as such; dates and times are ISO 8601.
    """
    with opened_archive(file, "a workbook (.xlsx)") as archive:
        parts, since_1904 = _sheets(file, archive, sheet)
        strings = [_text(string) for _, string in _elements(file, archive, _STRINGS, "si")]
        book = _Book(strings, _formats(file, archive), since_1904)
        filled = {name: cells for name, part in parts if (cells := _cells(file, archive, part, book)).height}
    for name, cells in filled.items():
        lost = cells.filter(kind=_LOST).sort("row", "column")
        for row, column, message in lost.select("row", "column", "value").rows():
            problems.add(message, f"{name}!{_cell(column, row)}")
    problems.raise_any()
    if not filled:
        raise problem(file, "the sheet is empty" if sheet else "all visible sheets are empty")
    if len(filled) > 1:
        among = listed(list(map(quoted, filled)))
        message = Message(f"several sheets are not empty: {among}; choose one with ", Option("sheet", ...))
        raise problem(file, message)
    [(name, cells)] = filled.items()
    return _table(file, name, cells, problems)


def _sheets(file: File, archive: zipfile.ZipFile, name: str | None) -> tuple[list[tuple[str, str]], bool]:
    """Return the names and the parts of the named sheet or of all visible ones, and the origin of dates."""
    relations = _elements(file, archive, "xl/_rels/workbook.xml.rels", "Relationship")
    targets = {relation.get("Id"): relation.get("Target", "") for _, relation in relations}
    names: list[str] = []
    chosen = []
    origin = None
    for element_name, element in _elements(file, archive, "xl/workbook.xml", "sheet", "workbookPr"):
        if element_name == "workbookPr":
            origin = element.get("date1904")
            continue
        own = element.get("name", "")
        names.append(own)
        # The namespace of the id differs between kinds of workbooks.
        ids = (value for key, value in element.items() if key.endswith("}id"))
        part = posixpath.join("/xl", targets.get(next(ids, None), ""))
        if own == name or (name is None and element.get("state") in (None, "visible")):
            chosen.append((own, posixpath.normpath(part).lstrip("/")))
    if name is not None and not chosen:
        raise problem(file, f"no sheet {quoted(name)} among {listed(map(quoted, names))}")
    return chosen, origin in ("1", "true")


def _formats(file: File, archive: zipfile.ZipFile) -> list[_Format]:
    """Return the format of each style."""
    known = {number: _Format(dates, dates) for number, dates in _BUILT_IN_DATES.items()}
    known |= {number: _Format(None, code) for number, code in _BUILT_IN_NUMBERS.items()}
    formats: list[_Format] = []
    for name, element in _elements(file, archive, _STYLES, "numFmt", "cellXfs"):
        if name == "numFmt":
            code = element.get("formatCode", "")
            known[int(element.get("numFmtId", -1))] = _Format(_kind_of_format(code), code)
            continue
        numbers = [int(style.get("numFmtId", 0)) for style in element.iterfind("{*}xf")]
        formats = [known.get(number, _Format(None, f"with the number {number}")) for number in numbers]
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


def _cells(file: File, archive: zipfile.ZipFile, part: str, book: _Book) -> pl.DataFrame:
    """Return the place, the value and the kind of each cell of a sheet; lost values are messages."""
    cells: list[tuple[int, int, str, str, str | None]] = []
    merged: list[str] = []
    row = 0
    for name, element in _elements(file, archive, part, "row", "mergeCell"):
        if name == "mergeCell":
            merged.append(element.get("ref", ""))
            continue
        row, column = _place(file, f"A{element.get('r', row + 1)}")[1], 0
        for cell in element.iterchildren("{*}c"):
            # A cell without a place is next to the cell before it.
            place = cell.get("r")
            column, row = (column + 1, row) if place is None else _place(file, place)
            value = _value(cell, book)
            if value is not None:
                cells.append((row, column, *value))
    if sum(len(text) for _, _, text, *_ in cells) > MOST_CHARACTERS:
        raise problem(file, f"a sheet holds more than {MOST_CHARACTERS:,} characters; save it as CSV")
    first = [[text for _, _, text, *_ in row] for _, row in islice(groupby(cells, itemgetter(0)), MOST_ABOVE)]
    above = rows_above_header(first)
    warn_of_title(file, first[:above])
    below = cells[sum(map(len, first[:above])) :]
    header = min((row for row, *_ in below), default=0)
    return pl.DataFrame([*below, *_merged(file, merged, header)], schema=_SCHEMA, orient="row")


def _merged(file: File, references: Sequence[str], header: int) -> Iterator[tuple[int, int, str, str, None]]:
    """Yield the merged cells below the header; all but the first have no value."""
    for reference in references:
        first, _, last = reference.partition(":")
        (left, top), (right, bottom) = _place(file, first), _place(file, last or first)
        if bottom > header and (bottom > top or right > left):
            several = "rows" if bottom > top else "columns"
            yield (
                top,
                left,
                f"merged cells hold one value for several {several}; unmerge and fill them",
                _LOST,
                None,
            )


def _place(file: File, reference: str) -> tuple[int, int]:
    """Return the numbers of the column and the row of a cell."""
    match = _PLACE.fullmatch(reference)
    if match is None:
        raise problem(file, f"a cell has the invalid reference {quoted(reference)}")
    column = 0
    for letter in match[1].upper():
        column = column * 26 + ord(letter) - 64
    return column, int(match[2])


def _cell(column: int, row: int) -> str:
    """Return the name of a cell, whose column is counted from 1."""
    from xlsxwriter.utility import xl_rowcol_to_cell  # noqa: PLC0415 - only for messages

    return str(xl_rowcol_to_cell(row - 1, column - 1))


def _table(file: File, sheet: str, cells: pl.DataFrame, problems: Problems) -> Raw:
    """Return cells as columns."""
    doubled = cells.filter(pl.struct("row", "column").is_duplicated())
    if doubled.height:
        row, column = doubled.select("row", "column").row(0)
        raise problem(file, "a cell occurs twice", f"{sheet}!{_cell(column, row)}")
    top, bottom, left, right = (
        int(cells.select(getattr(pl.col(name), side)()).item())
        for name in ("row", "column")
        for side in ("min", "max")
    )
    count = (bottom - top + 1) * (right - left + 1)
    if count > MOST_CELLS:
        raise problem(
            file,
            f"sheet {quoted(sheet)} reaches to cell {_cell(right, bottom)}: {count:,} cells are too many to "
            "read; delete cells far from the table, or save the sheet as CSV",
        )
    names: list[str] = []
    columns: list[pl.Series] = []
    others: dict[str, pl.Series] = {}
    formatted: dict[str, list[tuple[str, str, str | None]]] = {}
    for (position,), column in sorted(cells.partition_by("column", as_dict=True).items()):
        values = pl.repeat(None, bottom - top + 1, dtype=pl.String, eager=True)
        values = values.scatter(column["row"] - top, column["value"])
        name = (values[0] or "").strip() or f"column_{position - left + 1}"
        values = values.slice(1)
        below = column.filter(pl.col("row") > top)
        kinds = set(below["kind"])
        if kinds and kinds <= _NUMBERS:
            # In a column with fractions, whole numbers are measurements, not ids, whose every digit counts.
            is_measured = values.str.contains("[.e]").any()
            others[name] = values.cast(pl.Float64) if is_measured else numbers(values)
        elif kinds == {"bool"}:
            others[name] = values == "TRUE"
        _warn_of_rounded(file, sheet, below)
        shown = below.filter((pl.col("kind") == "date") | pl.col("format").is_not_null())
        told = shown.select("row", "value", "format").rows()
        formatted[name] = [(f"{sheet}!{_cell(position, row)}", text, code) for row, text, code in told]
        names.append(name)
        columns.append(values)
    height, place = bottom - top, lambda row: f"row {top + row + 1}"
    named = by_name(names, columns, problems)
    return Raw(named, height, place, typed=False, others=others, formatted=formatted)


def _warn_of_rounded(file: File, sheet: str, cells: pl.DataFrame) -> None:
    """Warn if the whole numbers of a column lost their last digits before they were stored."""
    rounded = cells.filter(kind="rounded")
    # Of measured values nobody needs these digits.
    if rounded.is_empty() or cells.filter(kind="number")["value"].str.contains("[.e]").any():
        return
    row, column, text = rounded.select("row", "column", "value").row(0)
    warn(
        f"{file}: {numbered(rounded.height, 'whole number')} had more digits than a workbook stores, as in "
        f"{sheet}!{_cell(column, row)}, and the digits that it lacks are read as 0 ({text}); if these are "
        "ids, write them as text when you make the workbook"
    )


def _value(cell: Any, book: _Book) -> _Value | None:
    """Return the value of a cell."""
    text = _text(cell)
    form = cell.get("t", "n")
    if form == "e":
        return _Value("an error value (such as #N/A)", _LOST)
    if form == "s":
        is_known = text.isdigit() and int(text) < len(book.strings)
        unknown = "a string that is not in the table of shared strings"
        return _Value(book.strings[int(text)], "text") if is_known else _Value(unknown, _LOST)
    if form in {"str", "inlineStr"}:
        return _Value(text, "text")
    if not text:
        lost = "a formula without a stored value; open the workbook in Excel and save it"
        return None if cell.find("{*}f") is None else _Value(lost, _LOST)
    if form == "b":
        return _Value("TRUE" if text.strip() in {"1", "true"} else "FALSE", "bool")
    return _Value(text, "date") if form == "d" else _number(cell.get("s", ""), text.strip(), book)


def _number(style: str, stored: str, book: _Book) -> _Value:
    """Return a number as text, or the date that its style makes of it."""
    number = float(stored) if _NUMBER.fullmatch(stored) else math.inf
    if math.isinf(number):
        return _Value(f"{quoted(stored)} is not a number", _LOST)
    index = int(style) if style.isdigit() else 0
    format = book.formats[index] if index < len(book.formats) else _Format(None, "General")  # noqa: A001
    if format.dates is not None and 0 <= number < _LAST_DAY:
        return _Value(_date(number, format.dates, since_1904=book.since_1904), "date")
    kind = "number"
    # The digits as stored may be more than a float holds.
    if abs(exact := Decimal(stored)) <= _WHOLE_TO and exact == exact.to_integral_value():
        text = str(int(exact))
        if "e" in stored.lower() and _ROUNDED_DIGITS <= len(exact.as_tuple().digits) < len(text):
            kind = "rounded"
    else:
        # The fewest digits that identify the number; Excel stores up to 17.
        text = repr(number)
    return _Value(text, kind, format.code if _shows_another(format, text) else None)


def _shows_another(format: _Format, text: str) -> bool:  # noqa: A002 - what it is
    """Return whether a format shows a number as another text than this one."""
    if format.code in _UNFORMATTED or format.dates is not None:
        return False
    fixed = _FIXED.fullmatch(format.code)
    return fixed is None or f"{Decimal(text):.{len(fixed[1] or '')}f}" != text


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


def _text(element: Any) -> str:
    """Return the text of a cell or a shared string."""
    text = "".join([part.text or "" for part in element.iter("{*}v", "{*}t")])
    # Excel has codes for characters that XML lacks.
    return _CODE.sub(lambda code: chr(int(code[1], 16)), text) if "_x" in text else text


def _elements(file: File, archive: zipfile.ZipFile, part: str, *names: str) -> Iterator[tuple[str, Any]]:
    """Yield the elements with these names, without phonetic guides, and free them afterwards."""
    from lxml import etree  # noqa: PLC0415 - only for those who read workbooks

    if part in (_STRINGS, _STYLES) and part not in archive.namelist():
        return
    tags = [f"{{*}}{name}" for name in names]
    options: dict[str, Any] = {"resolve_entities": False, "no_network": True, "remove_comments": True}
    with archive.open(part) as xml:
        parsed = etree.iterparse(xml, tag=tags, remove_pis=True, **options)
        for _, element in parsed:
            etree.strip_elements(element, "{*}rPh", with_tail=False)
            yield element.tag.rpartition("}")[2], element
            element.clear()
    if parsed.root.getroottree().docinfo.internalDTD is not None:
        raise problem(file, "must not declare entities, which no workbook needs")
