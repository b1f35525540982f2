"""Workbooks: cells as texts, faults with their cells, and a look at the extent before anything is read."""

from __future__ import annotations

import datetime as dt
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING, Any

import openpyxl
import polars as pl
import pytest

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    Workbook = Callable[..., Path]

HEADER = ["index", "prediction", "answer"]


@pytest.fixture
def workbook(tmp_path: Path) -> Workbook:
    def file(rows: Iterable[Iterable[Any]], change: Callable[[Any, Any], None] | None = None) -> Path:
        book = openpyxl.Workbook()
        sheet = book.active
        for row in rows:
            sheet.append(list(row))
        if change is not None:
            change(book, sheet)
        path = tmp_path / "book.xlsx"
        book.save(path)
        return path

    return file


def problems(path: Path, **options: Any) -> list[tuple[str, str]]:
    with pytest.raises(af.InputError) as raised:
        af.read_results(path, **options)
    return [(problem.place, problem.message) for problem in raised.value.problems]


def test_cells_are_the_texts_that_a_reader_sees(workbook: Workbook) -> None:
    rows = [
        [1, "007", "['a', 'b']"],
        [2, 2013, 12.5],
        [3, None, dt.date(2020, 1, 5)],
        [4, "=not a formula", "x"],
    ]
    path = workbook([HEADER, *rows], lambda _, sheet: setattr(sheet["B5"], "data_type", "s"))

    frame = af.read_results(path)

    assert frame["question_id"].to_list() == ["1", "2", "3", "4"]
    assert frame["prediction"].to_list() == ["007", "2013", None, "=not a formula"]
    assert frame["answers"].to_list() == [["a", "b"], ["12.5"], ["2020-01-05 00:00:00"], ["x"]]


def test_a_workbook_that_polars_writes_comes_back(tmp_path: Path) -> None:
    frame = pl.DataFrame({"prediction": ["a", None], "answers": [["x"], ["y"]], "note": ["007", "é 日本"]})
    path = tmp_path / "polars.xlsx"
    frame.with_columns(pl.col("answers").list.first()).write_excel(path)

    assert af.read_results(path).equals(frame)


def test_a_table_may_start_anywhere_and_places_are_those_of_the_sheet(workbook: Workbook) -> None:
    path = workbook([[], [None, *HEADER], [None, 1, "a", "b"], [None, 1, "c", "d"]])

    assert problems(path) == [("row 4", "id '1' is there before, at row 3")]


def test_cells_that_would_come_out_empty_are_named(workbook: Workbook) -> None:
    def spoil(_: Any, sheet: Any) -> None:
        sheet["B2"] = "=1+1"
        sheet["B3"] = "#N/A"
        sheet["B3"].data_type = "e"
        sheet.merge_cells("C3:C4")

    found = problems(workbook([HEADER, [1, "a", "b"], [2, "c", "d"], [3, "e", None]], spoil))

    assert sorted(found) == [
        ("Sheet!B2", "a formula without a stored value; open and save it"),
        ("Sheet!B3", "an error value (as #N/A)"),
        ("Sheet!C3", "merged cells hold one value for several rows; unmerge and fill them"),
    ]


def test_hidden_sheets_are_left_out_and_of_several_one_is_named(workbook: Workbook) -> None:
    def second(book: Any, _: Any) -> None:
        book.create_sheet("other").append(["x"])

    def hidden(book: Any, sheet: Any) -> None:
        second(book, sheet)
        book["other"].sheet_state = "hidden"

    table = [HEADER, [1, "a", "b"]]

    assert af.read_results(workbook(table, hidden)).height == 1
    path = workbook(table, second)
    assert problems(path) == [("", "several sheets hold something: 'Sheet', 'other'; name one: sheet=...")]
    assert af.read_results(path, sheet="Sheet").height == 1
    assert problems(path, sheet="none") == [("", "no sheet 'none' among 'Sheet', 'other'")]


def test_an_empty_workbook_is_an_error(workbook: Workbook) -> None:
    assert problems(workbook([])) == [("", "no visible sheet holds anything")]


def test_a_far_cell_is_an_error_before_the_reader_asks_for_its_memory(workbook: Workbook) -> None:
    path = workbook([HEADER, [1, "a", "b"]], lambda _, sheet: sheet.cell(200_000, 16_384, "x"))
    script = (
        "import resource, sys, anls_frame as af\n"
        "import fastexcel, pyarrow\n"
        "resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))\n"
        "try:\n    af.read_results(sys.argv[1])\nexcept af.InputError as error:\n    print(error)"
    )

    # In a process of its own: without the check it is aborted.
    run = subprocess.run(  # noqa: S603 - our own interpreter
        [sys.executable, "-c", script, str(path)], capture_output=True, text=True, check=False
    )

    assert run.returncode == 0, run.stderr
    assert "reaches to row 200000 (cell XFD200000) and to column XFD: 3,276,800,000 cells" in run.stdout


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"a,b\n1,2\n", b"\xd0\xcf\x11\xe0old"])
def test_what_is_no_workbook_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(content)

    [(place, message)] = problems(path)

    assert place == ""
    assert "no workbook" in message or "the file is empty" in message


def rewritten(path: Path, part: str, change: Callable[[bytes], bytes]) -> Path:
    target = path.with_name("changed.xlsx")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            content = old.read(name)
            new.writestr(name, change(content) if name == part else content)
    return target


def test_entities_that_grow_without_end_are_refused(workbook: Workbook) -> None:
    entities = b'<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>'
    path = workbook([HEADER, [1, "a", "b"]])

    for part in ("xl/workbook.xml", "xl/worksheets/sheet1.xml"):
        changed = rewritten(path, part, lambda xml: entities + xml.partition(b"?>")[2])

        assert "declares entities" in problems(changed)[0][1]


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(workbook: Workbook, monkeypatch: Any) -> None:
    path = workbook([HEADER, [1, "a", "b"]])
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/media/bomb", bytes(64 << 20))
    assert path.stat().st_size < 1 << 20
    assert af.read_results(path).height == 1

    # The limit is looked at with a smaller bomb, which takes less time to build.
    monkeypatch.setattr("anls_frame.readers._workbook.MOST_BYTES", 64 << 20)

    assert "unpacks to" in problems(path)[0][1]


def test_places_are_looked_at_across_the_borders_of_blocks(workbook: Workbook, monkeypatch: Any) -> None:
    monkeypatch.setattr("anls_frame.readers._workbook._CHUNK", 7)
    path = workbook([HEADER, *([row, "a", "b"] for row in range(50)), [3, "#N/A", "x"]])

    assert problems(path) == [("Sheet!B52", "an error value (as #N/A)")]
