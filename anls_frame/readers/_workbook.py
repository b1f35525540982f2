"""Workbooks: looked at before they are read, because one far cell makes a reader ask for 100 GB."""

from __future__ import annotations

import posixpath
import re
import zipfile
from typing import IO, TYPE_CHECKING, NamedTuple
from xml.etree import ElementTree as ET

import polars as pl

from anls_frame.readers._content import check_file
from anls_frame.readers._problems import listed, problem, shown
from anls_frame.readers._raw import Raw

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from anls_frame.readers._problems import Problems

MOST_CELLS = 40_000_000
"""A reader takes some 30 bytes for each cell of the rectangle, empty or not."""
MOST_BYTES = 2 << 30
MOST_BYTES_A_ROW = 256 << 20
_CHUNK = 4 << 20
_SMALL_PART = 16 << 20
_CELL = re.compile(rb'<(?:\w+:)?c [^>]*?\br="([A-Z]{1,4})([0-9]{1,8})"([^>]*)>')
_NO_VALUE = re.compile(
    rb'<(?:\w+:)?c [^>]*?\br="([A-Z]+[0-9]+)"[^>]*>\s*<(?:\w+:)?f\b[^<]*(?:/>|</(?:\w+:)?f>)\s*'
    rb"(?:<(?:\w+:)?v\s*/>|<(?:\w+:)?v></(?:\w+:)?v>)?\s*</"
)
_MERGED = re.compile(rb'<(?:\w+:)?mergeCell [^>]*?ref="([A-Z]+)([0-9]+):([A-Z]+)([0-9]+)"')
_RELATION = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"


class _Sheet(NamedTuple):
    name: str
    state: str
    part: str


class _Extent(NamedTuple):
    first_row: int
    rows: int


def read(path: Path, problems: Problems, sheet: str | None) -> Raw:
    """
    Return the cells of a sheet as texts; the first row holds the names.

    Without a name the only visible sheet that holds anything is read. Cells with an error, formulas without
    a stored value and merged cells are problems: their rows would come out as null.
    """
    check_file(path)
    try:
        with zipfile.ZipFile(path) as archive:
            total = sum(entry.file_size for entry in archive.infolist())
            if total > MOST_BYTES:
                raise problem(path, f"unpacks to {total:,} bytes, more than {MOST_BYTES:,}; write it as CSV")
            index, chosen, extent = _choose(path, archive, _sheets(path, archive), sheet, problems)
    except (
        zipfile.BadZipFile,
        KeyError,
        EOFError,
        ET.ParseError,
        NotImplementedError,
        RuntimeError,
    ) as error:
        raise problem(path, f"no workbook (.xlsx) that can be read: {error}") from None
    problems.raise_any()

    import fastexcel  # noqa: PLC0415 - only for those who use it

    try:
        loaded = fastexcel.read_excel(path).load_sheet(index, header_row=None, dtypes="string")
        cells = loaded.to_polars()
    except fastexcel.FastExcelError as error:
        raise problem(path, f"sheet {chosen.name!r} cannot be read: {error}") from None
    header = cells.row(0)
    frame = cells.slice(1)
    # Behind the table there may be columns that were formatted and never filled.
    used = [
        position
        for position, name in enumerate(header)
        if name is not None or frame.to_series(position).null_count() < frame.height
    ]
    return Raw(
        names=[str(header[position] or "").strip() or f"column_{position + 1}" for position in used],
        columns=[frame.to_series(position).cast(pl.String) for position in used],
        height=frame.height,
        place=lambda row: f"row {extent.first_row + row + 1}",
    )


def _sheets(path: Path, archive: zipfile.ZipFile) -> list[_Sheet]:
    parts = {
        one.attrib["Id"]: one.attrib["Target"]
        for one in _xml(path, archive, "xl/_rels/workbook.xml.rels")
        if "Id" in one.attrib and "Target" in one.attrib
    }
    found = []
    for one in _xml(path, archive, "xl/workbook.xml").iter():
        if one.tag.rpartition("}")[2] == "sheet":
            relation = one.attrib.get(_RELATION) or one.attrib.get(_STRICT) or ""
            part = parts.get(relation, "")
            part = part.lstrip("/") if part.startswith("/") else posixpath.normpath(f"xl/{part}")
            found.append(_Sheet(one.attrib.get("name", ""), one.attrib.get("state", "visible"), part))
    if not found:
        raise problem(path, "a workbook without sheets")
    return found


def _xml(path: Path, archive: zipfile.ZipFile, part: str) -> ET.Element:
    if archive.getinfo(part).file_size > _SMALL_PART:
        raise problem(path, f"{part} is too large for what it should hold")
    content = archive.read(part)
    # Entities are what makes XML parsers grow without end; workbooks have none.
    if b"<!DOCTYPE" in content or b"<!ENTITY" in content:
        raise problem(path, f"{part} declares entities, which no workbook needs")
    return ET.fromstring(content)  # noqa: S314 - without entities


def _choose(
    path: Path, archive: zipfile.ZipFile, sheets: list[_Sheet], name: str | None, problems: Problems
) -> tuple[int, _Sheet, _Extent]:
    names = listed([shown(one.name) for one in sheets])
    if name is not None:
        matching = [index for index, one in enumerate(sheets) if one.name == name]
        if not matching:
            raise problem(path, f"no sheet {shown(name)} among {names}")
        found = [(matching[0], _extent(path, archive, sheets[matching[0]], problems))]
    else:
        visible = [index for index, one in enumerate(sheets) if one.state == "visible"]
        extents = [(index, _extent(path, archive, sheets[index], problems)) for index in visible]
        found = [(index, extent) for index, extent in extents if extent.rows]
    filled = [(index, extent) for index, extent in found if extent.rows]
    if not filled:
        raise problem(path, "the sheet is empty" if name else "no visible sheet holds anything")
    if len(filled) > 1:
        among = listed([shown(sheets[index].name) for index, _ in filled])
        raise problem(path, f"several sheets hold something: {among}; name one: sheet=...")
    index, extent = filled[0]
    return index, sheets[index], extent


def _extent(path: Path, archive: zipfile.ZipFile, sheet: _Sheet, problems: Problems) -> _Extent:
    """Look at every cell's place; note cells whose values would be lost."""
    first, last, low = 0, 0, b""
    columns: set[bytes] = set()
    with archive.open(sheet.part) as file:
        for part in _parts(path, sheet, file):
            for letters, digits, attributes in _CELL.findall(part):
                row = int(digits)
                first = min(first or row, row)
                if row > last:
                    last, low = row, letters
                columns.add(letters)
                if b't="e"' in attributes:
                    problems.add("an error value (as #N/A)", _cell(sheet, letters + digits))
            for place in _NO_VALUE.findall(part):
                problems.add("a formula without a stored value; open and save it", _cell(sheet, place))
            for left, top, _right, bottom in _MERGED.findall(part):
                if int(bottom) > max(int(top), first):
                    problems.add(
                        "merged cells hold one value for several rows; unmerge and fill them",
                        _cell(sheet, left + top),
                    )
    if not columns:
        return _Extent(0, 0)
    numbers = sorted((_number(letters), letters) for letters in columns)
    cells = (last - first + 1) * (numbers[-1][0] - numbers[0][0] + 1)
    if cells > MOST_CELLS:
        raise problem(
            path,
            f"sheet {shown(sheet.name)} reaches to row {last} (cell {low.decode()}{last}) and to column "
            f"{numbers[-1][1].decode()}: {cells:,} cells are too many to read; delete the cells far away "
            "from the table, or write it as CSV",
        )
    return _Extent(first, last - first + 1)


def _parts(path: Path, sheet: _Sheet, file: IO[bytes]) -> Iterator[bytes]:
    """The sheet's XML in parts that end where a row does."""
    rest = b""
    while chunk := file.read(_CHUNK):
        rest += chunk
        end = rest.rfind(b"</row>")
        if b"<!DOCTYPE" in rest or b"<!ENTITY" in rest:
            raise problem(path, f"{sheet.part} declares entities, which no workbook needs")
        if end >= 0:
            yield rest[:end]
            rest = rest[end:]
        elif len(rest) > MOST_BYTES_A_ROW:
            raise problem(
                path, f"sheet {shown(sheet.name)} has a row of more than {MOST_BYTES_A_ROW:,} bytes"
            )
    yield rest


def _cell(sheet: _Sheet, place: bytes) -> str:
    return f"{sheet.name}!{place.decode()}"


def _number(letters: bytes) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + letter - 64
    return number
