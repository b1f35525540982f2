"""Workbooks: formats of cells, sheets of settings and notes, limits."""

from __future__ import annotations

import math
from pathlib import Path

import openpyxl
from export_cases import SUM, report, single

from anls_frame.export import write

# Excel


def test_excel_formats(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write(report(), tmp_path / "report.xlsx"))
    assert book.sheetnames == ["By type", "Worst rows", "Settings", "Notes"]
    sheet = book["By type"]
    assert [cell.value for cell in sheet[1]] == report().main.frame.columns
    assert [cell.number_format for cell in sheet[2]] == [
        *("General", "General", "#,##0", "0.000", "0.000", "0.000", "0.000", "General", "General")
    ]
    assert [cell.value for cell in sheet[3]] == [
        "group",
        "form",
        12_000,
        SUM,
        0.2,
        0.4,
        "NaN",
        0.000012345,
        None,
    ]
    assert [row[0].font.bold for row in sheet.iter_rows()] == [True, True, False, False, False]
    assert (sheet.freeze_panes, sheet.auto_filter.ref) == ("A2", "A1:I5")
    widths = [sheet.column_dimensions[letter].width for letter in "ABCDEFGHI"]
    assert all(6 <= width <= 61 for width in widths)
    # Null stays apart from the empty text.
    assert [sheet.cell(row, 2).value for row in (4, 5)] == [None, ""]


def test_excel_settings_and_notes(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write(report(), tmp_path / "report.xlsx"))
    assert list(book["Settings"].values) == [
        ("setting", "value"),
        ("title", "Scores of tesseract"),
        ("signature", "anls|protocol:anls|threshold:0.5"),
        ("protocol", "anls"),
        ("threshold", 0.5),
        ("digest", "0123"),
        ("cluster", None),
        ("versions", '{"polars": "2"}'),
    ]
    assert [row[0] for row in book["Notes"].values] == ["Intervals: 95 %."]


def test_excel_holds_truth_values_and_odd_keys(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write(single([True, None, False], "key"), tmp_path / "a.xlsx"))
    assert [row[0] for row in book["Values"].values] == ["value", True, None, False]
    book = openpyxl.load_workbook(write(single([math.nan, math.inf, 0.5], "key"), tmp_path / "b.xlsx"))
    assert [row[0] for row in book["Values"].values] == ["value", "NaN", "inf", 0.5]
    assert "Notes" not in book.sheetnames
