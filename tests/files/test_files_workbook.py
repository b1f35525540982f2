"""Workbooks: cells as they are, faults with their cells, and files that would fill the memory."""

from __future__ import annotations

import datetime as dt
import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import openpyxl
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.export import row_files

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
        [3, None, True],
        [4, "=not a formula", 1 / 3],
    ]
    path = workbook([HEADER, *rows], lambda _, sheet: setattr(sheet["B5"], "data_type", "s"))

    frame = af.read_results(path, answers_format="list")

    assert frame["question_id"].to_list() == ["1", "2", "3", "4"]
    assert frame["prediction"].to_list() == ["007", "2013", None, "=not a formula"]
    assert frame["answers"].to_list() == [["a", "b"], ["12.5"], ["TRUE"], ["0.3333333333333333"]]


def test_a_table_may_start_anywhere_and_places_are_those_of_the_sheet(workbook: Workbook) -> None:
    path = workbook([[], [None, *HEADER], [None, 1, "a", "b"], [None, 1, "c", "d"]])

    assert problems(path) == [("row 4", "duplicate id '1', first seen at row 3")]


@pytest.mark.parametrize("title", [[["Results"]], [["Results"], []], [["Project", "Invoices"], ["Date"], []]])
def test_a_title_above_the_header_is_left_out_and_told(workbook: Workbook, title: list[list[str]]) -> None:
    rows = [*title, HEADER, [1, "a", "b"], [1, "c", "d"]]
    path = workbook(rows, lambda _, sheet: sheet.merge_cells("C1:D1"))

    with pytest.warns(af.InputWarning, match=f"above the header left out: '{title[0][0]}'"):
        frame = af.scan_results(path).collect()
    assert frame.columns == ["question_id", "prediction", "answers"]
    assert frame["answers"].to_list() == [["b"], ["d"]]
    with pytest.warns(af.InputWarning, match="above the header"):
        assert problems(path)[0][0] == f"row {len(rows)}"


def test_cells_that_would_come_out_empty_are_named(workbook: Workbook) -> None:
    def spoil(_: Any, sheet: Any) -> None:
        sheet["B2"] = "=1+1"
        sheet["B3"] = "#N/A"
        sheet["B3"].data_type = "e"
        sheet.merge_cells("C3:C4")
        sheet.merge_cells("B5:C5")

    found = problems(workbook([HEADER, [1, "a", "b"], [2, "c", "d"], [3, "e", None], [4, "f"]], spoil))

    assert found == [
        ("Sheet!B2", "a formula without a stored value; open the workbook in Excel and save it"),
        ("Sheet!B3", "an error value (such as #N/A)"),
        ("Sheet!C3", "merged cells hold one value for several rows; unmerge and fill them"),
        ("Sheet!B5", "merged cells hold one value for several columns; unmerge and fill them"),
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
    assert problems(path) == [
        ("", "several sheets are not empty: 'Sheet', 'other'; choose one with sheet=...")
    ]
    assert af.read_results(path, sheet="Sheet").height == 1
    assert problems(path, sheet="none") == [("", "no sheet 'none' among 'Sheet', 'other'")]


def test_an_empty_workbook_is_an_error(workbook: Workbook) -> None:
    assert problems(workbook([])) == [("", "all visible sheets are empty")]


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
    assert "reaches to cell XFD200000: 3,276,800,000 cells" in run.stdout


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 and no more", b"one text\n", b"\x01\x02\x03"])
def test_what_is_no_workbook_is_an_error(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "book.xlsx"
    path.write_bytes(content)

    [(place, message)] = problems(path)

    assert place == ""
    assert "cannot be read as a workbook" in message or "the file is empty" in message


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
        changed = rewritten(path, part, lambda xml: entities + xml.rpartition(b"?>")[2])

        assert "must not declare entities" in problems(changed)[0][1]


# Values


def test_dates_and_times_are_iso_texts_and_no_answers(workbook: Workbook) -> None:
    values = [
        (dt.date(2020, 1, 5), "2020-01-05"),
        (dt.datetime(2020, 1, 5, 13, 4, 5), "2020-01-05 13:04:05"),  # noqa: DTZ001 - Excel knows no zones
        (dt.datetime(2020, 1, 5), "2020-01-05 00:00:00"),  # noqa: DTZ001
        (dt.time(3, 4), "03:04:00"),
        (dt.time(23, 59, 59, 500_000), "23:59:59.5"),
        (dt.timedelta(hours=30, minutes=5), "30:05:00"),
        (dt.timedelta(seconds=1.25), "00:00:01.25"),
    ]
    rows = [[index, "a", "b", value] for index, (value, _) in enumerate(values)]
    path = workbook([[*HEADER, "when"], *rows])

    assert af.read_results(path)["when"].to_list() == [text for _, text in values]
    found = problems(path, answers="when")
    assert [place for place, _ in found] == [f"Sheet!D{row}" for row in range(2, 9)]
    assert all(
        f"'answers' must be text, got a date or time ({text}), which" in message
        for (_, text), (_, message) in zip(values, found, strict=True)
    )


def test_formats_say_what_is_a_date(workbook: Workbook) -> None:
    formats = {
        "General": "43835.5",
        "0.00": "43835.5",
        '"day" 0': "43835.5",
        "[Red]0": "43835.5",
        "0.00E+00": "43835.5",
        "dd.mm.yyyy": "2020-01-05 12:00:00",
        "yyyy-mm-dd hh:mm": "2020-01-05 12:00:00",
        "mmm": "2020-01-05 12:00:00",
        "[h]:mm": "1052052:00:00",
        "[$-409]d-mmm-yy;@": "2020-01-05 12:00:00",
    }

    def shape(_: Any, sheet: Any) -> None:
        for row, code in enumerate(formats, start=2):
            sheet.cell(row, 4).number_format = code

    rows = [[index, "a", "b", 43835.5] for index in range(len(formats))]
    path = workbook([[*HEADER, "when"], *rows, [99, "a", "b", "text"]], shape)

    assert af.read_results(path)["when"].to_list() == [*formats.values(), "text"]


def test_dates_may_be_counted_from_1904(workbook: Workbook) -> None:
    def shape(book: Any, sheet: Any) -> None:
        book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
        sheet["D2"].number_format = "yyyy-mm-dd"

    path = workbook([[*HEADER, "when"], [1, "a", "b", 42373]], shape)

    assert af.read_results(path)["when"].item() == "2020-01-05"


def test_numbers_and_truth_values_are_such_where_no_text_is_due(workbook: Workbook) -> None:
    rows = [
        [1, 7, 12.5, 1 / 3, 7, True, "007", 1, 1e300],
        [2, 8, 13.0, 1e-300, None, False, 7, "x", 2**53],
        [3, 8, 13.0, -0.5, 9, None, None, None, -1],
    ]
    frame = af.read_results(workbook([[*HEADER, "f", "i", "b", "m", "n", "e"], *rows]))

    assert frame["question_id"].to_list() == ["1", "2", "3"]
    assert frame["prediction"].to_list() == ["7", "8", "8"]
    assert frame["answers"].to_list() == [["12.5"], ["13"], ["13"]]
    assert frame["f"].to_list() == [1 / 3, 1e-300, -0.5]
    assert frame["i"].to_list() == [7, None, 9]
    assert frame["b"].to_list() == [True, False, None]
    assert frame["m"].to_list() == ["007", "7", None]
    assert frame["n"].to_list() == ["1", "x", None]
    assert frame["e"].to_list() == [1e300, float(2**53), -1.0]
    assert [str(frame.schema[name]) for name in "fib"] == ["Float64", "Int64", "Boolean"]


@pytest.mark.parametrize("engine", ["openpyxl", "xlsxwriter"])
def test_whole_numbers_keep_the_digits_that_the_cell_stores(tmp_path: Path, engine: Any) -> None:
    numbers = [999_999_999_999_999, 4_111_111_111_111_111, 10**16, -(10**18), 0]
    path = tmp_path / "book.xlsx"
    columns = {"id": numbers, "prediction": numbers, "answers": map(str, numbers), "note": numbers}
    pd.DataFrame(columns).to_excel(path, index=False, engine=engine)

    frame = af.read_results(path)

    assert frame["question_id"].to_list() == frame["prediction"].to_list() == [str(one) for one in numbers]
    assert frame["note"].to_list() == numbers
    assert frame.select(af.exact_match("prediction", "answers")).to_series().to_list() == [1.0] * 5


def stored(path: Path, number: str) -> Path:
    return rewritten(
        path, "xl/worksheets/sheet1.xml", lambda xml: xml.replace(b"<v>5</v>", f"<v>{number}</v>".encode())
    )


@pytest.mark.parametrize(
    ("number", "text"),
    [
        ("9223372036854775807", "9223372036854775807"),
        ("-9223372036854775807", "-9223372036854775807"),
        ("4611686018427387905", "4611686018427387905"),
        ("1e+16", "10000000000000000"),
        ("12.5E1", "125"),
        ("00042.0", "42"),
        ("-0", "0"),
        ("1.5e300", "1.5e+300"),
        (" 7 ", "7"),
    ],
)
def test_a_number_is_read_as_the_digits_of_its_value(workbook: Workbook, number: str, text: str) -> None:
    path = stored(workbook([HEADER, [1, 5, "a"]]), number)

    assert af.read_results(path)["prediction"].to_list() == [text]


@pytest.mark.parametrize("number", ["nan", "inf", "1_000", "0x1f", "1,5", "1e400"])
def test_what_is_no_number_is_none(workbook: Workbook, number: str) -> None:
    found = problems(stored(workbook([HEADER, [1, 5, "a"]]), number))

    assert found == [("Sheet!B2", f"{number!r} is not a number")]


@pytest.mark.parametrize("engine", ["openpyxl", "xlsxwriter"])
def test_digits_that_were_lost_before_are_counted(tmp_path: Path, engine: Any) -> None:
    path = tmp_path / "book.xlsx"
    ids = [123_456_789_012_345_678, 123_456_789_012_345_699, 7]
    values = [1.234567890123457e17, 0.5, 1.0]
    columns = {"id": ids, "prediction": "a", "answers": "a", "value": values}
    pd.DataFrame(columns).to_excel(path, index=False, engine=engine)

    with pytest.warns(af.InputWarning) as caught:
        frame = af.scan_results(path).collect()

    assert frame["question_id"].to_list() == ["123456789012345700", "123456789012345700", "7"]
    [warning] = caught
    assert "2 whole numbers had more digits than a workbook stores, as in Sheet1!A2" in str(warning.message)


@pytest.mark.parametrize(
    ("number", "code"),
    [
        (0.7, "0%"),
        (0.705, "0.00%"),
        (975, '"$"#,##0.00'),
        (975, "#,##0.00"),
        (-975, "#,##0_);(#,##0)"),
        (1975, "#,##0"),
        (42, "00000"),
        (12, "0.00"),
        (12.345, "0.00"),
        (-5, "0.00_);(0.00)"),
        (0.5, "# ?/?"),
        (5, '0" kg"'),
        (5, 'General" kg"'),
        (1234.5, "0.00E+00"),
        (5, '_("$"* #,##0.00_)'),
    ],
)
def test_a_format_that_hides_another_text_is_named(workbook: Workbook, number: float, code: str) -> None:
    def shape(_: Any, sheet: Any) -> None:
        sheet["C3"].number_format = code

    path = workbook([[*HEADER, "other"], [1, "a", 5], [2, "a", number], [3, "a", 5]], shape)

    with pytest.warns(af.InputWarning) as caught:
        frame = af.read_results(path)

    assert frame["answers"].to_list() == [["5"], [str(number)], ["5"]]
    [warning] = caught
    assert (
        f"column 'answer' has 1 number that the workbook shows as another text, as in Sheet!C3 ({number} in "
        in (str(warning.message))
    )
    # Rare formats of Excel's own have numbers and no names here.
    number_of_format = {"#,##0_);(#,##0)": 37, "# ?/?": 12, "0.00E+00": 11}.get(code)
    told = code if number_of_format is None else f"in the format with the number {number_of_format}"
    assert told in str(warning.message)


def test_a_format_that_shows_the_text_that_is_read_is_none_of_these(workbook: Workbook) -> None:
    shown = [(5, "0"), (0.25, "0.00"), (7, "@"), (7, "General"), ("70%", "0%"), (None, "0%")]

    def shape(_: Any, sheet: Any) -> None:
        for row, (_number, code) in enumerate(shown, start=2):
            sheet.cell(row, 2).number_format = sheet.cell(row, 3).number_format = code
            sheet.cell(row, 4).number_format = "0%"

    path = workbook(
        [[*HEADER, "share"], *([row, one, one, 0.5] for row, (one, _) in enumerate(shown))], shape
    )

    frame = af.read_results(path)

    assert frame["prediction"].to_list() == ["5", "0.25", "7", "7", "70%", None]
    assert frame["share"].to_list() == [0.5] * 6


def test_predictions_of_several_systems_are_looked_at_for_formats(workbook: Workbook) -> None:
    rows = [["id", "answer", "one", "two"], [1, "70%", "70%", 0.7]]
    path = workbook(rows, lambda _, sheet: setattr(sheet["D2"], "number_format", "0%"))

    with pytest.warns(
        af.InputWarning, match=r"column 'two' has 1 number .* Sheet!D2 \(0.7 in the format 0%\)"
    ):
        af.readers.read_systems([path], systems=["one", "two"])


@pytest.mark.filterwarnings("ignore:.*had more digits than a workbook stores")
@given(st.lists(st.none() | st.floats(allow_nan=False, allow_infinity=False), min_size=1))
def test_floats_come_back_to_the_last_bit(
    tmp_path_factory: pytest.TempPathFactory, values: list[float | None]
) -> None:
    path = tmp_path_factory.mktemp("floats") / "book.xlsx"
    row_files.write(
        pl.LazyFrame({"prediction": "a", "answers": "a", "value": pl.Series(values, dtype=pl.Float64)}),
        path,
        escape_formulas=False,
    )
    found = af.read_results(path)["value"].cast(pl.Float64).to_list()
    assert [repr(one) if one else one for one in found] == [repr(one) if one else one for one in values]


# Hostile files


@pytest.mark.parametrize(
    "cell",
    [
        '<c r="&#88;FD200000"><v>1</v></c>',
        '<x.y-z:c xmlns:x.y-z="urn:x" r="xfd200000"><x.y-z:v>1</x.y-z:v></x.y-z:c>',
    ],
)
def test_a_far_cell_is_seen_however_it_is_written(workbook: Workbook, cell: str) -> None:
    path = rewritten(
        workbook([HEADER, [1, "a", "b"]]),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b"</sheetData>", f'<row r="200000">{cell}</row></sheetData>'.encode()),
    )

    assert "3,276,800,000 cells are too many to read" in problems(path)[0][1]


def test_cells_without_a_place_stand_one_behind_the_other(workbook: Workbook) -> None:
    path = rewritten(
        workbook([HEADER, [1, "a", "b"], [2, "c", "d"]]),
        "xl/worksheets/sheet1.xml",
        lambda xml: re.sub(rb' r="[A-Z]*[0-9]+"', b"", xml),
    )

    assert af.read_results(path)["prediction"].to_list() == ["a", "c"]


def shared(path: Path, texts: list[str]) -> Path:
    """Save a workbook whose cells refer to a table of texts; openpyxl writes each into its cell."""
    pl.DataFrame({"prediction": texts, "answers": texts}).write_excel(path)
    return path


@pytest.mark.parametrize("part", ["xl/sharedStrings.xml", "xl/worksheets/sheet1.xml"])
def test_what_unpacks_to_far_more_than_it_could_hold_is_refused(
    tmp_path: Path, monkeypatch: Any, part: str
) -> None:
    monkeypatch.setattr("anls_frame.files.archives.FREE_BYTES", 16 << 20)
    path = rewritten(
        shared(tmp_path / "book.xlsx", ["a"]),
        part,
        lambda xml: xml.replace(b"?>", b"?>" + b" " * (20 << 20), 1),
    )
    assert path.stat().st_size < 1 << 17

    assert "unpacks to 20,9" in problems(path)[0][1]


def test_a_text_that_many_cells_share_counts_in_each(tmp_path: Path, monkeypatch: Any) -> None:
    path = shared(tmp_path / "book.xlsx", ["x" * 30_000] * 40)
    assert af.read_results(path).height == 40
    monkeypatch.setattr("anls_frame.files.workbooks.MOST_CHARACTERS", 1_000_000)

    assert "holds more than 1,000,000 characters" in problems(path)[0][1]


def test_texts_with_marks_and_pronunciation_are_the_texts_themselves(tmp_path: Path) -> None:
    path = rewritten(
        shared(tmp_path / "book.xlsx", ["a", "b"]),
        "xl/sharedStrings.xml",
        lambda xml: xml.replace(
            b"<si><t>b</t></si>",
            "<si><r><rPr><b/></rPr><t xml:space='preserve'>\u6771 </t></r>"
            "<r><t>_x005F_x0041_\u4eac&amp;</t></r>"
            "<rPh sb='0' eb='1'><t>\u30c8\u30a6</t></rPh><phoneticPr fontId='1'/></si>".encode(),
        ),
    )

    assert af.read_results(path)["prediction"].to_list() == ["a", "\u6771 _x0041_\u4eac&"]


def test_a_text_that_the_table_of_texts_lacks_is_an_error(tmp_path: Path) -> None:
    path = rewritten(
        shared(tmp_path / "book.xlsx", ["a"]),
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace(b"<v>2</v>", b"<v>300</v>"),
    )

    assert [place for place, message in problems(path) if "not in the table of shared" in message] == [
        "Sheet1!A2",
        "Sheet1!B2",
    ]


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'r="B2"', b'r="2B"', "'2B'"),
        (b'r="B2"', b'r="B0"', "'B0'"),
        (b'r="B2"', b'r="B' + b"9" * 5_000 + b'"', "a cell has the invalid reference"),
        (b'r="B2"', b'r="A2"', "a cell occurs twice"),
        (b't="n"><v>1</v>', b't="n"><v>one</v>', "'one' is not a number"),
        (b"</sheetData>", b"", "cannot be read as a workbook"),
    ],
)
def test_a_damaged_sheet_is_an_error(workbook: Workbook, old: bytes, new: bytes, message: str) -> None:
    def change(xml: bytes) -> bytes:
        assert old in xml, xml
        return xml.replace(old, new)

    path = rewritten(workbook([HEADER, [1, "a", "b"]]), "xl/worksheets/sheet1.xml", change)

    assert message in problems(path)[0][1]
