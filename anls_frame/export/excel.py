"""
Excel workbooks: sheets for tables, columns, settings, and notes on content that Excel cannot hold.

Rows of data form a single sheet, and a value that it cannot hold raises an error. Every text is written as
text, so nothing in the data becomes a formula or a link. So are NaN and infinity, and numbers longer than the
15 digits of Excel.
"""

from __future__ import annotations

import datetime as dt
import functools
import io
import math
import re
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, BinaryIO, TypeAlias, TypeGuard

import polars as pl
import xlsxwriter
from xlsxwriter.utility import xl_rowcol_to_cell

from anls_frame._text import distinct, quoted, text_width, visible
from anls_frame.export.columns import MARKS, heading_of, of_kinds
from anls_frame.export.display import NUMERIC, figure, is_shown
from anls_frame.export.document import BEST, OVERALL, SLICE, Document, Table
from anls_frame.export.kinds import Kind
from anls_frame.export.row_names import every
from anls_frame.export.values import as_text, plain_frame

if TYPE_CHECKING:
    from xlsxwriter.format import Format
    from xlsxwriter.worksheet import Worksheet

_Style: TypeAlias = Mapping[str, object]
"""Properties of a cell's format, as XlsxWriter takes them."""

_MOST_ROWS = 1_048_576
_MOST_COLUMNS = 16_384
# Excel keeps 15 digits; longer numbers are identifiers, in which every digit matters.
_LONGEST_NUMBER = 10**15
_NUMBER_FORMATS: dict[Kind, str] = {
    "count": "#,##0",
    "score": "0.000",
    "rate": "0.000",
    "percent": "0.0%",
    "share": "0%",
    "difference": "+0.000;-0.000;0.000",
    "points": "+0.0%;-0.0%;0.0%",
    "p_value": "0.000",
}
_FORMULA_STARTS = ("=", "+", "-", "@")
# XML cannot represent these characters.
_IMPOSSIBLE = re.compile("[\ufffe\uffff]")
_CELL_LIMIT = 32_767
_NAME_LIMIT = 31
# Excel reserves the first name; the others are sheets of every workbook.
_RESERVED = ("history", "columns", "settings", "notes")

_CHARACTER_CODE = re.compile("_(?=x[0-9A-Fa-f]{4}_)")
_CONTROL = re.compile("[\x00-\x08\x0b-\x1f]")
_STAND_IN = re.compile("\ue000([0-9]+)\ue001")
_STRINGS = "xl/sharedStrings.xml"
_NARROWEST, _WIDEST = 6, 60
_MEASURED_ROWS = 1_000
# A fixed date makes files of equal reports equal.
_CREATED = dt.datetime(2000, 1, 1)  # noqa: DTZ001 - Excel has no time zones
_HEADING = {"bold": True, "bottom": 1}
_WRAPPED = {"align": "left", "text_wrap": True, "valign": "top"}
# Letters of a column for reading, those that certainly fit a line, and points of the highest row.
_BROAD, _LINE, _HIGHEST = 120, 100, 390


class _ExactFloat(float):
    """A float that formats itself with all 17 digits; XlsxWriter asks for 16."""

    __slots__ = ()

    def __format__(self, _specification: str) -> str:
        return repr(float(self))


def write(document: Document, file: BinaryIO) -> None:
    """Write all tables, what their columns mean, the settings and, if there are any, notes."""
    names = _sheet_names(table.name for table in document.tables)
    # The best system of a slice is named in a column, without its mark.
    notes = [note for note in document.notes if getattr(note, "mark", None) != BEST]
    book = _XlsxFile(document.title, notes)
    meanings = dict[tuple[str, str], None]()
    for table, name in zip(document.tables, names, strict=True):
        if name != table.name:
            book.notes.append(f"the sheet {name!r} holds the table {table.name!r}")
        book.add_table(table, name)
        # Tables of the same columns define them in the same words.
        meanings |= dict.fromkeys(table.definitions.items())
    if meanings:
        book.add_texts("Columns", meanings, ("column", "meaning"))
    settings = {"title": document.title, "signature": document.signature, **document.settings}
    book.add_texts("Settings", settings.items(), ("setting", "value"))
    if book.notes:
        # The list can grow while it is written: a note that is truncated adds another note.
        book.add_texts("Notes", ([note] for note in book.notes))
    file.write(book.content())


def write_rows(frame: pl.DataFrame, file: BinaryIO) -> None:
    """
    Write rows of data as the only sheet, with every value unchanged.

    Null is a missing cell, an empty string an empty cell.

    Raises
    ------
    ValueError
        If the rows do not fit into a sheet, or a text does not fit into a cell.
    """
    # Values of keys are written unchanged.
    table = Table("rows", frame, of_kinds(dict.fromkeys(frame.columns, "key")))
    book = _XlsxFile()
    book.add_table(table, table.name)
    file.write(book.content())


class _XlsxFile:
    """A workbook with its cell formats and notes; without a title, of data, which must stay complete."""

    def __init__(self, title: str | None = None, notes: Sequence[str] = ()) -> None:
        self.notes = list(notes)
        self._texts = _ExactTexts()
        self._content = io.BytesIO()
        self._workbook = xlsxwriter.Workbook(self._content, {"in_memory": True})
        self._workbook.set_properties({"title": visible(title or "")[:255], "created": _CREATED})
        self._is_data = title is None
        # One format for equal properties, because Excel limits the number of formats.
        self._made = functools.cache(lambda properties: self._workbook.add_format(dict(properties)))

    def content(self) -> bytes:
        """Return the finished workbook."""
        self._workbook.close()
        return self._texts.restore(self._content.getvalue())

    def add_table(self, table: Table, name: str) -> None:
        height, width = table.frame.shape
        if height + 1 > _MOST_ROWS or width > _MOST_COLUMNS:
            raise ValueError(
                f"table {table.name!r} has {height:,} rows and {width:,} columns, but an Excel sheet holds "
                f"at most {_MOST_ROWS:,} rows with the header, and {_MOST_COLUMNS:,} columns; write "
                ".parquet, .csv or .jsonl instead"
            )
        sheet = self._add_sheet(name)
        frame = plain_frame(table.frame, table.name)
        overall = (frame[SLICE] == OVERALL).to_list() if table.has_slices else [False] * frame.height
        rows = frame.rows(named=True)
        titles = _headings(table)
        self._titles = list(titles.values())
        for index, (column, title) in enumerate(titles.items()):
            kind, values = table.kind(column), _values(table, column, frame[column])
            side = {"align": "right"} if kind in NUMERIC else {}
            self._write_text(sheet, 0, index, title, {**_HEADING, **side})
            shown = [is_shown(row, column, table) for row in rows]
            bolds = [bold if one is None else one for bold, one in zip(overall, shown, strict=True)]
            for row, (value, bold) in enumerate(zip(values, bolds, strict=True), start=1):
                own = table.cell_kind(kind, frame["metric"][row - 1]) if table.has_metrics else kind
                self._write_cell(sheet, row, index, value, kind=own, style={"bold": True} if bold else {})
            sheet.set_column(index, index, _width(title, values[:_MEASURED_ROWS], kind))
        sheet.freeze_panes(1, 0)
        sheet.repeat_rows(0)  # on each printed page
        if titles:
            sheet.autofilter(0, 0, frame.height, len(titles) - 1)

    def add_texts(self, name: str, lines: Iterable[Sequence[object]], titles: Sequence[str] = ()) -> None:
        """Add a sheet for reading, whose last column breaks long texts."""
        sheet, last = self._add_sheet(name), max(len(titles), 1) - 1
        sheet.set_column(0, 0, 24)
        sheet.set_column(last, last, _BROAD)
        for index, title in enumerate(titles):
            self._write_text(sheet, 0, index, title, _HEADING)
        for row, values in enumerate(lines, start=1 if titles else 0):
            for index, value in enumerate(values):
                self._write_cell(sheet, row, index, value, kind="number", style=_WRAPPED)
            # LibreOffice breaks texts, but does not make rows higher.
            lines_needed = 1 + text_width(as_text(values[last])) // _LINE
            sheet.set_row(row, min(15 * lines_needed, _HIGHEST))
        if titles:
            sheet.freeze_panes(1, 0)

    def _add_sheet(self, name: str) -> Worksheet:
        """Add a sheet that is printed at the width of the page."""
        sheet = self._workbook.add_worksheet(name)
        sheet.set_landscape()
        sheet.fit_to_pages(1, 0)
        return sheet

    def _write_cell(
        self, sheet: Worksheet, row: int, column: int, value: object, *, kind: Kind, style: _Style
    ) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            sheet.write_boolean(row, column, value, self._format(style))
        elif _is_number(value):
            number_format = {"num_format": _NUMBER_FORMATS[kind]} if kind in _NUMBER_FORMATS else {}
            number = _ExactFloat(value) if isinstance(value, float) else value
            sheet.write_number(row, column, number, self._format({**style, **number_format}))
        else:
            self._write_text(sheet, row, column, as_text(value), style)

    def _write_text(self, sheet: Worksheet, row: int, column: int, text: str, style: _Style) -> None:
        kept = self._held(sheet, row, column, text)
        # The cell stays text even when it is edited.
        prefix = {"quote_prefix": True} if kept.startswith(_FORMULA_STARTS) else {}
        sheet.write_string(row, column, self._texts.stand_in(kept), self._format({**style, **prefix}))

    def _held(self, sheet: Worksheet, row: int, column: int, text: str) -> str:
        """Return the part of a text that a cell can hold, and note omissions, which are errors in data."""
        cell = f"{sheet.get_name()}!{xl_rowcol_to_cell(row, column)}"
        possible = _IMPOSSIBLE.sub(lambda match: visible(match[0]), text)
        kept = _truncated(possible)
        if self._is_data and kept != text:
            raise ValueError(
                f"row {row} of column {quoted(self._titles[column])} holds {quoted(text)}, which does not "
                f"fit a cell: it has more than {_CELL_LIMIT:,} characters, or U+FFFE or U+FFFF; write CSV or "
                "Parquet"
            )
        if possible != text:
            self.notes.append(
                f"{cell}: U+FFFE and U+FFFF are written as codes, because a workbook cannot hold them"
            )
        if kept != possible:
            self.notes.append(
                f"{cell}: cut to the {_CELL_LIMIT:,} characters that a cell holds; other formats have it all"
            )
        return kept

    def _format(self, properties: _Style) -> Format | None:
        return self._made(tuple(sorted(properties.items()))) if properties else None


def _headings(table: Table) -> dict[str, str]:
    """Return the columns of a sheet: those for people, and marks that occur in a row."""
    marks = [name for name in table.marks if table.frame[name].any() and name not in table.headings]
    return table.headings | {name: heading_of(name) for name in marks}


def _values(table: Table, name: str, column: pl.Series) -> list[object]:
    """Return the values of a column for a sheet."""
    if name in table.marks:
        return [MARKS[name][1].strip() if value else None for value in column]
    if name == SLICE and table.has_slices and table.shown is not None:
        return [every(table.names) if value == OVERALL else "slice" for value in column]
    if name == "metric" and table.has_metrics:
        return [table.metrics[value].heading for value in column]
    return column.to_list()


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, float):
        return math.isfinite(value)
    return isinstance(value, int) and abs(value) < _LONGEST_NUMBER


def _width(title: str, values: Sequence[object], kind: Kind) -> int:
    shown = [
        figure(value, kind) if kind in NUMERIC and _is_number(value) else as_text(value)
        for value in values
        if value is not None
    ]
    # The heading leaves room for the filter button.
    widest = max([text_width(title[:_WIDEST]) + 3, *(text_width(text[:_WIDEST]) for text in shown)])
    return min(max(widest + 1, _NARROWEST), _WIDEST)


def _utf16_length(text: str) -> int:
    """Return the length of a text in UTF-16 code units, as Excel counts it."""
    return len(text.encode("utf-16-le")) // 2


def _truncated(text: str) -> str:
    """
    Truncate a text that is too long for a cell, and mark its end.

    Parameters
    ----------
    text
        The text.
    """
    length = _utf16_length(text)
    if length <= _CELL_LIMIT:
        return text
    mark = f" [... cut: {length:,} characters]"
    return _cut(text, _CELL_LIMIT - _utf16_length(mark)) + mark


def _sheet_names(names: Iterable[str]) -> list[str]:
    """
    Make names valid for sheets: at most 31 characters, no forbidden characters, no duplicates.

    Parameters
    ----------
    names
        The desired names.
    """
    plain = (_CHARACTER_CODE.sub("-", re.sub(r"[\[\]:*?/\\]", "-", visible(name))) for name in names)
    cut = (_cut_between_words(name).strip("' ") or "Table" for name in plain)

    def numbered(name: str, number: int) -> str:
        ending = f" ({number})"
        return _cut(name, _NAME_LIMIT - len(ending)) + ending

    return distinct(cut, _RESERVED, numbered, key=str.lower)


def _cut_between_words(name: str) -> str:
    """Cut the name of a sheet after a word, where there is one, so that no number is cut."""
    cut = _cut(name, _NAME_LIMIT)
    return cut if cut == name or name[len(cut)] == " " else cut.rpartition(" ")[0] or cut


def _cut(text: str, limit: int) -> str:
    return text.encode("utf-16-le")[: 2 * limit].decode("utf-16-le", errors="ignore")


class _ExactTexts:
    """
    Texts that XlsxWriter 3.3 would change, and their placeholders.

    XlsxWriter treats `<r>...</r>` as rich-text markup, and escapes only the first of several codes that share
    an underscore (`_x005F_x0041_`). Placeholders are written instead, and replaced in the shared strings of
    the finished workbook.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []

    def stand_in(self, text: str) -> str:
        """Return the text to write: a placeholder or, in most cases, the text itself."""
        if not (text.startswith("<r>") or _CHARACTER_CODE.search(text) or _STAND_IN.search(text)):
            return text
        self._texts.append(text)
        return f"\ue000{len(self._texts) - 1}\ue001"

    def restore(self, workbook: bytes) -> bytes:
        """
        Replace the placeholders by the texts.

        Parameters
        ----------
        workbook
            The file with the placeholders.
        """
        if not self._texts:
            return workbook
        restored = io.BytesIO()
        with (
            zipfile.ZipFile(io.BytesIO(workbook)) as old,
            zipfile.ZipFile(restored, "w", zipfile.ZIP_DEFLATED) as new,
        ):
            for member in old.infolist():
                content = old.read(member)
                if member.filename == _STRINGS:
                    content = re.sub(f"<t>{_STAND_IN.pattern}</t>", self._element, content.decode()).encode()
                # The member keeps its date, so that equal reports are equal files.
                new.writestr(member, content)
        return restored.getvalue()

    def _element(self, match: re.Match[str]) -> str:
        text = _CHARACTER_CODE.sub("_x005F_", self._texts[int(match[1])])
        text = _CONTROL.sub(lambda control: f"_x{ord(control[0]):04X}_", text)
        text = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        return f'<t xml:space="preserve">{text}</t>'
