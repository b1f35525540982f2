"""Hostile texts through the writers of data and back: csv, json, Polars, openpyxl, fastexcel."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import fastexcel
import openpyxl
import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS, hostile_document, hostile_names

from anls_frame.export import SUFFIXES, Document, Table, write

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

CELL_LIMIT = 32_767
FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the hostile report in every format."""
    folder = tmp_path_factory.mktemp("hostile")
    return {suffix: write(hostile_document(), folder / f"report{suffix}") for suffix in SUFFIXES}


def test_the_texts_are_what_they_are_said_to_be() -> None:
    assert len(set(HOSTILE_TEXTS)) == len(HOSTILE_TEXTS) > 250
    assert all(text.encode().decode() == text for text in HOSTILE_TEXTS)
    assert max(map(len, HOSTILE_TEXTS)) >= 40_000


# CSV and TSV


def delimited_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True))


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_delimited_texts_come_back(files: Mapping[str, Path], suffix: str) -> None:
    header, *rows = delimited_rows(files[suffix])
    assert header == ["slice", "key", "n", "anls", "signature", "digest"]
    assert [row[1] for row in rows] == ["", "", *HOSTILE_TEXTS]
    assert {tuple(row[3:]) for row in rows} == {("0.5", "anls|protocol:anls", "")}


@pytest.mark.parametrize(("suffix", "separator"), [(".csv", ","), (".tsv", "\t")])
def test_polars_tells_null_from_the_empty_text(
    files: Mapping[str, Path], suffix: str, separator: str
) -> None:
    frame = pl.read_csv(files[suffix], separator=separator, infer_schema=False)
    assert frame["key"].to_list() == [None, None, *HOSTILE_TEXTS]
    assert frame["digest"].null_count() == frame.height


@pytest.mark.parametrize("suffix", [".csv", ".tsv"])
def test_formulas_are_escaped_on_demand(tmp_path: Path, suffix: str) -> None:
    path = write(hostile_document(), tmp_path / f"report{suffix}", escape_formulas=True)
    _, *rows = delimited_rows(path)
    keys = [row[1] for row in rows][2:]
    assert keys == [f"'{text}" if text.startswith(FORMULA_STARTS) else text for text in HOSTILE_TEXTS]
    assert sum(key.startswith("'") for key in keys) > 20


# JSON and JSON Lines


def refuse(constant: str) -> None:
    raise AssertionError(f"{constant} is no JSON")


def strict_json(text: str) -> Any:
    return json.loads(text, parse_constant=refuse)


def test_json_texts_come_back(files: Mapping[str, Path]) -> None:
    report = strict_json(files[".json"].read_text(encoding="utf-8"))
    assert list(report) == ["title", "signature", "settings", "tables", "notes"]
    assert [row["key"] for row in report["tables"]["By key"]] == [None, None, *HOSTILE_TEXTS]
    assert [row["keys"] for row in report["tables"]["Lists"]] == [[text, None] for text in HOSTILE_TEXTS]
    assert report["settings"] == {text: text for text in HOSTILE_TEXTS}
    assert report["notes"] == list(HOSTILE_TEXTS)


def test_json_lines_come_back(files: Mapping[str, Path]) -> None:
    # Split as bytes: no text may hold an end of line.
    rows = [strict_json(line.decode()) for line in files[".jsonl"].read_bytes().split(b"\n")[:-1]]
    assert [row["key"] for row in rows] == [None, None, *HOSTILE_TEXTS]
    assert pl.read_ndjson(files[".jsonl"])["key"].to_list() == [None, None, *HOSTILE_TEXTS]


# Parquet


def test_parquet_texts_come_back(files: Mapping[str, Path]) -> None:
    assert pl.read_parquet(files[".parquet"]).equals(hostile_document().main.frame)
    metadata = pl.read_parquet_metadata(files[".parquet"])
    assert metadata["anls_frame.title"] == "Hostile texts"
    assert metadata["anls_frame.signature"] == "anls|protocol:anls"
    assert strict_json(metadata["anls_frame.settings"]) == {text: text for text in HOSTILE_TEXTS}
    assert strict_json(metadata["anls_frame.notes"]) == list(HOSTILE_TEXTS)


# Excel, read by openpyxl, by fastexcel, and as the XML that the standard describes


SPACE = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def excel_texts(path: Path) -> Iterator[str]:
    """All texts of the workbook, in the order of their first use."""
    with zipfile.ZipFile(path) as archive:
        strings = ET.fromstring(archive.read("xl/sharedStrings.xml"))  # noqa: S314 - our own file
    for entry in strings:
        # No rich text: each is one plain element.
        assert [child.tag for child in entry] == [f"{SPACE}t"]
        yield re.sub("_x([0-9A-Fa-f]{4})_", lambda code: chr(int(code[1], 16)), entry[0].text or "")


def in_a_cell(text: str) -> str:
    """What a cell is to hold: XML lacks two characters, Excel a large number of them."""
    text = text.replace("\ufffe", "\u27e8U+FFFE\u27e9").replace("\uffff", "\u27e8U+FFFF\u27e9")
    length = len(text.encode("utf-16-le")) // 2
    if length <= CELL_LIMIT:
        return text
    mark = f" [... cut: {length:,} characters]"
    return text.encode("utf-16-le")[: 2 * (CELL_LIMIT - len(mark))].decode("utf-16-le", "ignore") + mark


def test_excel_texts_come_back_in_fastexcel(files: Mapping[str, Path]) -> None:
    reader = fastexcel.read_excel(files[".xlsx"])
    assert reader.sheet_names == ["By key", "Lists", "Settings", "Notes"]
    keys = reader.load_sheet("By key", dtypes={"key": "string"}).to_polars()["key"].to_list()
    assert keys == [None, None, *map(in_a_cell, HOSTILE_TEXTS)]
    settings = reader.load_sheet("Settings", dtypes={0: "string", 1: "string"}).to_polars()
    expected = ["Hostile texts", "anls|protocol:anls", *map(in_a_cell, HOSTILE_TEXTS)]
    assert settings["value"].to_list() == expected
    notes = (
        reader.load_sheet("Notes", header_row=None, dtypes={0: "string"}).to_polars().to_series().to_list()
    )
    assert notes[: len(HOSTILE_TEXTS)] == list(map(in_a_cell, HOSTILE_TEXTS))


def test_excel_texts_come_back_by_the_standard(files: Mapping[str, Path]) -> None:
    texts = set(excel_texts(files[".xlsx"]))
    assert texts >= set(map(in_a_cell, HOSTILE_TEXTS))
    lists = [json.dumps([text, None], ensure_ascii=False) for text in HOSTILE_TEXTS]
    assert texts >= set(map(in_a_cell, lists))


def test_excel_texts_are_texts_in_openpyxl(files: Mapping[str, Path]) -> None:
    book = openpyxl.load_workbook(files[".xlsx"])
    keys = [row[1] for row in book["By key"].iter_rows(min_row=4)]
    for cell, text in zip(keys, HOSTILE_TEXTS, strict=True):
        assert cell.data_type == "s"
        assert cell.hyperlink is None
        # Texts that are like formulas stay texts when somebody edits the cell.
        assert cell.quotePrefix is bool(text[:1] and text[0] in "=+-@")
        # It does not read the standard's codes of characters.
        if not re.search("[\x00-\x1f]|_x[0-9A-F]{4}_x", text):
            assert cell.value == in_a_cell(text)


def test_excel_holds_no_formulas_links_or_rich_text(files: Mapping[str, Path]) -> None:
    with zipfile.ZipFile(files[".xlsx"]) as archive:
        for name in archive.namelist():
            content = archive.read(name).decode()
            if name.endswith((".xml", ".rels")):
                ET.fromstring(content)  # noqa: S314 - our own file
            if name.startswith("xl/worksheets/sheet"):
                assert not re.search("<(f|hyperlink)[ >]", content)
            assert "externalLink" not in content
            assert 'TargetMode="External"' not in content
    assert not [
        text
        for text in excel_texts(files[".xlsx"])
        if "\ue001" in text and text not in HOSTILE_TEXTS and not text.startswith("[")
    ]


def test_excel_says_what_is_cut_or_changed(files: Mapping[str, Path]) -> None:
    book = openpyxl.load_workbook(files[".xlsx"])
    notes = [str(row[0]) for row in book["Notes"].values]
    changed = 0
    for row, text in enumerate(HOSTILE_TEXTS, start=4):
        cell = book["By key"].cell(row, 2)
        is_cut = len(text.encode("utf-16-le")) // 2 > CELL_LIMIT
        assert (cell.comment is not None) is is_cut
        assert any(note.startswith(f"By key!{cell.coordinate}: ") for note in notes) is (
            in_a_cell(text) != text
        )
        changed += in_a_cell(text) != text
    assert changed >= 5


# Names: of the report, its tables, columns, settings


def checked_names(document: Document, path: Path) -> None:
    """Read back what has names, by format."""
    text, column = document.title, document.main.frame.columns[1]
    match path.suffix:
        case ".csv" | ".tsv":
            header, _, second = delimited_rows(path)
            assert header == ["slice", column, "anls", "signature", "digest"]
            assert second == ["group", text, "0.25", text, ""]
        case ".json":
            rows = [
                {"slice": "overall", column: None, "anls": 0.5},
                {"slice": "group", column: text, "anls": 0.25},
            ]
            expected = {"title": text, "signature": text, "settings": {text: text}, "tables": {text: rows}}
            assert strict_json(path.read_bytes().decode()) == {**expected, "notes": [text]}
        case ".jsonl":
            assert pl.read_ndjson(path).columns == ["slice", column, "anls"]
        case ".parquet":
            assert pl.read_parquet(path).equals(document.main.frame)
            assert pl.read_parquet_metadata(path)["anls_frame.title"] == text
        case _:
            check_excel_names(path, text, column)


def check_excel_names(path: Path, text: str, column: str) -> None:
    sheet, *others = fastexcel.read_excel(path).sheet_names
    assert others[0] == "Settings"
    assert others[1:] == ["Notes"]
    assert 0 < len(sheet.encode("utf-16-le")) // 2 <= 31
    assert not set(sheet) & set("[]:*?/\\")
    assert not re.search("[\x00-\x1f\x7f-\x9f\ufffe\uffff]", sheet)
    assert sheet.strip("'") == sheet
    assert sheet.lower() not in ("history", "settings", "notes")
    texts = list(excel_texts(path))
    assert in_a_cell(column) in texts
    assert in_a_cell(text) in texts
    if sheet != text:
        assert in_a_cell(f"the sheet {sheet!r} holds the table {text!r}") in texts


@pytest.mark.parametrize("suffix", [suffix for suffix in SUFFIXES if suffix not in (".md", ".tex", ".html")])
def test_names_of_all_kinds_come_back(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"report{suffix}"
    for text in HOSTILE_TEXTS:
        document = hostile_names(text)
        write(document, path)
        checked_names(document, path)


def test_sheets_of_all_names_have_different_ones(tmp_path: Path) -> None:
    tables = [Table(text, pl.DataFrame({"n": [1]})) for text in HOSTILE_TEXTS]
    path = write(Document("Sheets", tables, {}, ""), tmp_path / "report.xlsx")
    names = fastexcel.read_excel(path).sheet_names
    assert len({name.lower() for name in names}) == len(names) == len(HOSTILE_TEXTS) + 2
