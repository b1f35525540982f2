"""What comes back from each format of data: floats to the last bit, every dtype, hostile texts and names."""

from __future__ import annotations

import csv
import json
import re
import zipfile
from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import fastexcel
import openpyxl
import polars as pl
import pytest
from export_cases import parsed_strictly, single, strict_json
from hostile_texts import HOSTILE_NAMES, HOSTILE_TEXTS, hostile_document, hostile_names
from hypothesis import given, settings
from hypothesis import strategies as st

from anls_frame.export import SUFFIXES, Document, Table, write

TEXT_FORMATS = tuple(suffix for suffix in SUFFIXES if suffix != ".parquet")
CELL_LIMIT = 32_767
FORMULA_STARTS = tuple("=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")


def delimited_rows(path: Path) -> list[list[str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.reader(file, delimiter="\t" if path.suffix == ".tsv" else ",", strict=True))


# Figures, to the last bit


def read_csv_floats(path: Path) -> list[float]:
    _, *rows = delimited_rows(path)
    return [float(row[0]) for row in rows]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("figures")


@settings(max_examples=60, deadline=None)
@given(values=st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=30))
def test_floats_come_back_to_the_last_bit(folder: Path, values: list[float]) -> None:
    document = single(values, "score", pl.Float64)
    bits = [value.hex() for value in values]

    def path(suffix: str) -> Path:
        return write(document, folder / f"figures{suffix}")

    assert [value.hex() for value in read_csv_floats(path(".csv"))] == bits
    assert [value.hex() for value in read_csv_floats(path(".tsv"))] == bits
    assert [row["value"].hex() for row in strict_json(path(".json"))["tables"]["Values"]] == bits
    lines = path(".jsonl").read_text().splitlines()
    assert [json.loads(line)["value"].hex() for line in lines] == bits
    assert [value.hex() for value in pl.read_parquet(path(".parquet"))["value"]] == bits
    with zipfile.ZipFile(path(".xlsx")) as archive:
        cells = re.findall("<v>([^<]*)</v></c></row>", archive.read("xl/worksheets/sheet1.xml").decode())[1:]
    assert [float(cell).hex() for cell in cells] == bits


# Dtypes

DTYPES: dict[str, tuple[Any, Any, Any]] = {
    "Null": ([None, None], pl.Null, [None, None]),
    "Boolean": ([True, None], pl.Boolean, [True, None]),
    "Int8": ([-5, None], pl.Int8, [-5, None]),
    "UInt64": ([2**64 - 1], pl.UInt64, [2**64 - 1]),
    "Int128": ([2**100], pl.Int128, [2**100]),
    "Float32": ([0.1], pl.Float32, [0.10000000149011612]),
    "Float64": ([0.1], pl.Float64, [0.1]),
    "Decimal": ([Decimal("1.10"), None], pl.Decimal(10, 2), ["1.10", None]),
    "String": (["a", None], pl.String, ["a", None]),
    "Categorical": (["a", None], pl.Categorical, ["a", None]),
    "Enum": (["a", None], pl.Enum(["a"]), ["a", None]),
    "Date": ([date(2026, 1, 2)], pl.Date, ["2026-01-02"]),
    "Time": ([time(1, 2, 3, 4)], pl.Time, ["01:02:03.000004"]),
    "Datetime": ([datetime(2026, 1, 2, 3, 4, 5)], pl.Datetime("us"), ["2026-01-02T03:04:05.000000"]),  # noqa: DTZ001
    "Datetime with zone": (
        [datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)],
        pl.Datetime("ms", "UTC"),
        ["2026-01-02T03:04:05.000+00:00"],
    ),
    "Duration": ([timedelta(days=1, microseconds=3)], pl.Duration("us"), ["P1DT0.000003S"]),
    "List": ([["a", None], [], None], pl.List(pl.String), [["a", None], [], None]),
    "List of dates": ([[date(2026, 1, 2), None], None], pl.List(pl.Date), [["2026-01-02", None], None]),
    "List of lists": ([[["a"], None], [[]]], pl.List(pl.List(pl.String)), [[["a"], None], [[]]]),
    "Array": ([["a", "b"], None], pl.Array(pl.String, 2), [["a", "b"], None]),
    "Array of dates": ([[date(2026, 1, 2)]], pl.Array(pl.Date, 1), [["2026-01-02"]]),
    "Array of arrays": ([[[1, 2], [3, 4]]], pl.Array(pl.Int64, (2, 2)), [[[1, 2], [3, 4]]]),
    "Struct": (
        [{"a": 1, "d": date(2026, 1, 2)}, None],
        pl.Struct({"a": pl.Int64, "d": pl.Date}),
        [{"a": 1, "d": "2026-01-02"}, None],
    ),
    "List of structs": ([[{"a": 1}], [None]], pl.List(pl.Struct({"a": pl.Int64})), [[{"a": 1}], [None]]),
}
if hasattr(pl, "Map"):  # as Spark and DuckDB write them; older versions of Polars read lists of pairs
    DTYPES["Map"] = (
        [{"a": date(2026, 1, 2)}, {}, None],
        pl.Map(pl.String, pl.Date),
        [[{"key": "a", "value": "2026-01-02"}], [], None],
    )


@pytest.mark.parametrize("name", DTYPES)
def test_keys_of_any_dtype_are_written(tmp_path: Path, name: str) -> None:
    values, dtype, expected = DTYPES[name]
    document = single(values, "key", dtype)
    for suffix in SUFFIXES:
        write(document, tmp_path / f"report{suffix}")
    rows = strict_json(tmp_path / "report.json")["tables"]["Values"]
    assert [row["value"] for row in rows] == expected
    assert pl.read_parquet(tmp_path / "report.parquet")["value"].to_list() == values or name == "Float32"
    with (tmp_path / "report.csv").open(newline="") as file:
        texts = [row["value"] for row in csv.DictReader(file)]
    for text, value in zip(texts, expected, strict=True):
        if isinstance(value, list | dict):
            assert json.loads(text) == value
        else:
            assert text == {None: "", True: "true"}.get(value, str(value))


def test_nanoseconds_are_kept(tmp_path: Path) -> None:
    moment = pl.Series([1_767_323_045_123_456_789]).cast(pl.Datetime("ns"))
    frame = pl.DataFrame(
        {"m": moment, "l": moment.implode(), "d": moment.cast(pl.Int64).cast(pl.Duration("ns"))}
    )
    document = Document("t", [Table("T", frame)], {}, "")
    (row,) = strict_json(write(document, tmp_path / "report.json"))["tables"]["T"]
    assert row["m"] == "2026-01-02T03:04:05.123456789"
    assert row["l"] == [row["m"]]
    assert row["d"].endswith("5.123456789S")


@pytest.mark.parametrize("suffix", TEXT_FORMATS)
@pytest.mark.parametrize(
    "values",
    [
        pl.Series([b"\x00\xff"]),
        pl.Series([[b"x"]]),
        pl.Series([{"a": b"x"}]),
        pl.Series([object()], dtype=pl.Object),
    ],
    ids=["Binary", "List of Binary", "Struct of Binary", "Object"],
)
def test_data_that_is_no_text_is_refused_by_name(tmp_path: Path, suffix: str, values: pl.Series) -> None:
    document = Document("t", [Table("Some table", pl.DataFrame({"ok": [1], "data": values}))], {}, "")
    with pytest.raises(TypeError, match=r"'Some table'.*column 'data' \(dtype .*leave it out"):
        write(document, tmp_path / f"report{suffix}")


# Parquet


def test_parquet_refuses_what_it_has_no_form_for(tmp_path: Path) -> None:
    frame = pl.DataFrame({"a": pl.Series([object()], dtype=pl.Object)})
    with pytest.raises(TypeError, match=r"table 'Things' does not fit Parquet: .*Object"):
        write(Document("t", [Table("Things", frame)], {}, ""), tmp_path / "report.parquet")
    assert not list(tmp_path.iterdir())


# Small and large reports


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize(
    "frame", [pl.DataFrame(), pl.DataFrame({"a": []}), pl.DataFrame({"slice": [], "b": []})]
)
def test_empty_tables_are_written(tmp_path: Path, suffix: str, frame: pl.DataFrame) -> None:
    path = write(Document("", [Table("Empty", frame)], {}, ""), tmp_path / f"report{suffix}")
    if suffix == ".parquet":
        assert pl.read_parquet(path).columns == frame.columns
    if suffix == ".xlsx":
        assert fastexcel.read_excel(path).sheet_names == ["Empty", "Settings"]


# Hostile texts, through the writers of data and back


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the hostile report in every format."""
    folder = tmp_path_factory.mktemp("hostile")
    return {suffix: write(hostile_document(), folder / f"report{suffix}") for suffix in SUFFIXES}


# CSV and TSV


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


def test_json_texts_come_back(files: Mapping[str, Path]) -> None:
    report = strict_json(files[".json"])
    assert list(report) == ["title", "signature", "settings", "tables", "notes"]
    assert [row["key"] for row in report["tables"]["By key"]] == [None, None, *HOSTILE_TEXTS]
    assert [row["keys"] for row in report["tables"]["Lists"]] == [[text, None] for text in HOSTILE_TEXTS]
    assert report["settings"] == {text: text for text in HOSTILE_TEXTS}
    assert report["notes"] == list(HOSTILE_TEXTS)


def test_json_lines_come_back(files: Mapping[str, Path]) -> None:
    # Split as bytes: no text may hold an end of line.
    rows = [parsed_strictly(line) for line in files[".jsonl"].read_bytes().split(b"\n")[:-1]]
    assert [row["key"] for row in rows] == [None, None, *HOSTILE_TEXTS]
    assert pl.read_ndjson(files[".jsonl"])["key"].to_list() == [None, None, *HOSTILE_TEXTS]


# Parquet


def test_parquet_texts_come_back(files: Mapping[str, Path]) -> None:
    assert pl.read_parquet(files[".parquet"]).equals(hostile_document().main.frame)
    metadata = pl.read_parquet_metadata(files[".parquet"])
    assert metadata["anls_frame.title"] == "Hostile texts"
    assert metadata["anls_frame.signature"] == "anls|protocol:anls"
    assert parsed_strictly(metadata["anls_frame.settings"]) == {text: text for text in HOSTILE_TEXTS}
    assert parsed_strictly(metadata["anls_frame.notes"]) == list(HOSTILE_TEXTS)


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
            assert strict_json(path) == {**expected, "notes": [text]}
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
    for text in HOSTILE_NAMES:
        document = hostile_names(text)
        write(document, path)
        checked_names(document, path)


def test_sheets_of_all_names_have_different_ones(tmp_path: Path) -> None:
    tables = [Table(text, pl.DataFrame({"n": [1]})) for text in HOSTILE_TEXTS]
    path = write(Document("Sheets", tables, {}, ""), tmp_path / "report.xlsx")
    names = fastexcel.read_excel(path).sheet_names
    assert len({name.lower() for name in names}) == len(names) == len(HOSTILE_TEXTS) + 2
