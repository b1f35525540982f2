"""The only table of a workbook, as columns."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.parsers import expat

import polars as pl

from anls_frame._text import listed, quoted
from anls_frame.readers import _raw, _sheet, _zip
from anls_frame.readers._problems import Advice, Option, problem

if TYPE_CHECKING:
    import zipfile
    from collections.abc import Sequence
    from pathlib import Path

    from anls_frame.readers._problems import Problems

MOST_BYTES = 2 << 30
_SMALL_PART = 16 << 20
_DAMAGE = (KeyError, expat.ExpatError, OverflowError)


class _Sheet(NamedTuple):
    name: str
    state: str
    part: str


def read(path: Path, problems: Problems, sheet: str | None) -> _raw.Raw:
    """
    Return the cells of a sheet as strings; the first row holds the names.

    Without a name, the only visible sheet that is not empty is read. Cells with an error, formulas without a
    stored value and merged cells are problems: their values would become null. Columns without a role that
    hold only numbers or only Booleans are kept as such; dates and times are ISO 8601.
    """
    limits: dict[str, Any] = {"most": MOST_BYTES, "advice": "save it as CSV", "damage": _DAMAGE}
    with _zip.opened(path, "a workbook (.xlsx)", **limits) as archive:
        cells = _choose(path, archive, sheet, problems)
    problems.raise_any()
    return _table(cells)


def _table(cells: _sheet.Cells) -> _raw.Raw:
    height = max(map(len, cells.columns.values()))
    names, columns, others, dates = [], [], {}, {}
    for position in range(min(cells.columns), max(cells.columns) + 1):
        values = cells.columns.get(position)
        if values is None:
            continue
        header = values[0] or ""
        name = header.strip() or f"column_{position - min(cells.columns) + 1}"
        column = pl.Series(name, [*values[1:], *[None] * (height - len(values))], dtype=pl.String)
        names.append(name)
        columns.append(column)
        kinds = cells.kinds.get(position)
        if kinds == {"number"}:
            others[name] = _raw.numbers(column)
        elif kinds == {"bool"}:
            others[name] = column == "TRUE"
        if position in cells.dates:
            dates[name] = [(place, column[row - 1]) for row, place in cells.dates[position] if row]
    return _raw.Raw(
        names=names,
        columns=columns,
        height=height - 1,
        place=lambda row: f"row {cells.first_row + row + 1}",
        typed=False,
        others=others,
        dates=dates,
    )


def _sheets(path: Path, archive: zipfile.ZipFile, elements: Sequence[_sheet.Element]) -> list[_Sheet]:
    parts = {
        attributes.get("Id"): attributes.get("Target", "")
        for name, attributes in _elements(path, archive, "xl/_rels/workbook.xml.rels")
        if name == "Relationship"
    }
    sheets = []
    for name, attributes in elements:
        if name == "sheet":
            # The prefix of the namespace is for the writer to choose.
            ids = (value for key, value in attributes.items() if key.endswith(":id"))
            part = parts.get(next(ids, None), "")
            part = part.lstrip("/") if part.startswith("/") else posixpath.normpath(f"xl/{part}")
            sheets.append(_Sheet(attributes.get("name", ""), attributes.get("state", "visible"), part))
    if not sheets:
        raise problem(path, "the workbook has no sheets")
    return sheets


def _elements(path: Path, archive: zipfile.ZipFile, part: str) -> list[_sheet.Element]:
    if archive.getinfo(part).file_size > _SMALL_PART:
        raise problem(path, f"{part} is too large for its purpose")
    with archive.open(part) as file:
        return _sheet.elements(path, file)


def _choose(path: Path, archive: zipfile.ZipFile, name: str | None, problems: Problems) -> _sheet.Cells:
    elements = _elements(path, archive, "xl/workbook.xml")
    sheets = _sheets(path, archive, elements)
    names = listed([quoted(sheet.name) for sheet in sheets])
    chosen = [sheet for sheet in sheets if (sheet.state == "visible" if name is None else sheet.name == name)]
    if name is not None and not chosen:
        raise problem(path, f"no sheet {quoted(name)} among {names}")
    book = _book(path, archive, elements)
    filled = []
    for sheet in chosen if name is None else chosen[:1]:
        with archive.open(sheet.part) as file:
            cells = _sheet.read(path, sheet.name, file, book, problems)
        if cells.columns:
            filled.append((sheet.name, cells))
    if not filled:
        problems.raise_any()
        raise problem(path, "the sheet is empty" if name else "all visible sheets are empty")
    if len(filled) > 1:
        among = listed([quoted(sheet) for sheet, _ in filled])
        raise problem(
            path, Advice(f"several sheets are not empty: {among}; choose one with ", Option("sheet"))
        )
    return filled[0][1]


def _book(path: Path, archive: zipfile.ZipFile, elements: Sequence[_sheet.Element]) -> _sheet.Book:
    parts = archive.namelist()
    strings: list[str] = []
    if "xl/sharedStrings.xml" in parts:
        with archive.open("xl/sharedStrings.xml") as file:
            strings = _sheet.strings(path, file)
    styles = _elements(path, archive, "xl/styles.xml") if "xl/styles.xml" in parts else []
    dates = [attributes.get("date1904") for name, attributes in elements if name == "workbookPr"]
    return _sheet.Book(strings, _sheet.date_formats(styles), since_1904=dates in (["1"], ["true"]))
