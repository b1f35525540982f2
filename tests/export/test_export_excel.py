"""Workbooks: formats of cells, sheets of settings and notes, limits."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path

import openpyxl
import polars as pl
from export_cases import SUM, report, single

import anls_frame as af
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
    assert (sheet.freeze_panes, sheet.auto_filter.ref, sheet.print_title_rows) == ("A2", "A1:I5", "$1:$1")
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
    # On paper no sheet is cut at the side, and long values are broken.
    for sheet in book:
        assert (sheet.page_setup.orientation, sheet.page_setup.fitToHeight) == ("landscape", 0)
        assert sheet.sheet_properties.pageSetUpPr.fitToPage
    assert book["Settings"]["B8"].alignment.wrap_text
    assert book["Notes"]["A1"].alignment.wrap_text


def test_long_settings_and_notes_have_rows_as_high_as_they_need(tmp_path: Path) -> None:
    long = replace(report(), settings={"long": "word " * 100, "short": 1}, notes=["note " * 1_000])
    book = openpyxl.load_workbook(write(long, tmp_path / "report.xlsx"))
    heights = [book["Settings"].row_dimensions[row].height for row in (4, 5)]
    assert heights == [90, None]  # six lines of 100 columns hold 500
    assert book["Notes"].row_dimensions[1].height == 390  # Excel has no row above 409 points


def test_excel_holds_truth_values_and_odd_keys(tmp_path: Path) -> None:
    book = openpyxl.load_workbook(write(single([True, None, False], "key"), tmp_path / "a.xlsx"))
    assert [row[0] for row in book["Values"].values] == ["value", True, None, False]
    book = openpyxl.load_workbook(write(single([math.nan, math.inf, 0.5], "key"), tmp_path / "b.xlsx"))
    assert [row[0] for row in book["Values"].values] == ["value", "NaN", "inf", 0.5]
    assert "Notes" not in book.sheetnames


def test_a_table_of_many_columns_has_those_of_a_screen_unless_others_are_chosen(tmp_path: Path) -> None:
    rows = pl.DataFrame({"field": ["total", "date"] * 30, "a": "1", "p": ["1", "2", None] * 20})
    made = af.report(rows, "p", "a", by="field", metrics="fields")

    few = openpyxl.load_workbook(made.write(tmp_path / "few.xlsx"))
    chosen = openpyxl.load_workbook(made.write(tmp_path / "chosen.xlsx", columns=["n", "field_f1"]))

    assert [cell.value for cell in few["By field"][1]] == [
        *("slice", "field", "rows", "exact match", "exact match, low", "exact match, high"),
        *("ANLS", "ANLS, low", "ANLS, high", "precision", "recall", "F1", "missing", "invented", "few rows"),
    ]
    notes = [row[0].value for row in few["Notes"].iter_rows()]
    left_out = next(note for note in notes if note.startswith("By field has "))
    assert {"field_f1_low", "wrong_share", "wrong_share_high"} <= {*left_out.partition(": ")[2].split(", ")}
    assert "F1, low" in [cell.value for cell in chosen["By field"][1]]


def test_a_workbook_names_best_systems_and_explains_no_mark_of_them(tmp_path: Path) -> None:
    rows = pl.DataFrame({"k": ["u", "v"] * 10, "a": "x", "b": "y", "c": "x", "answer": "x"})
    made = af.compare(rows, ["a", "b", "c"], "answer", by="k")

    book = openpyxl.load_workbook(made.write(tmp_path / "a.xlsx"))

    cells = [str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row]
    assert "best" in cells
    assert not any("◂" in cell for cell in cells)
    assert "◂ best" in repr(made)


def test_the_name_of_a_sheet_is_cut_between_words(tmp_path: Path) -> None:
    name = "The 20 worst of all our 1,234,567 pages"
    document = replace(report(), tables=[replace(report().main, name=name)])

    book = openpyxl.load_workbook(write(document, tmp_path / "a.xlsx"))

    assert book.sheetnames[0] == "The 20 worst of all our"
