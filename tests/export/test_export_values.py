"""Values that come back from each format: floats to the last bit, nulls, NaN, every dtype."""

from __future__ import annotations

import csv
import json
import math
import re
import zipfile
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import fastexcel
import openpyxl
import polars as pl
import pytest
from export_cases import DASH, NOT_NUMBERS, SUM, single, strict_json
from hypothesis import given, settings
from hypothesis import strategies as st

from anls_frame.export import SUFFIXES, Document, Table, write

if TYPE_CHECKING:
    from pathlib import Path

TEXT_FORMATS = tuple(suffix for suffix in SUFFIXES if suffix != ".parquet")


# Figures, to the last bit


def read_csv_floats(path: Path) -> list[float]:
    delimiter = "\t" if path.suffix == ".tsv" else ","
    with path.open(newline="") as file:
        return [float(row[0]) for row in list(csv.reader(file, delimiter=delimiter))[1:]]


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


def test_excel_figures_come_back_in_its_readers(tmp_path: Path) -> None:
    values = [SUM, 0.1, 2 / 3, 1e-300, 1.7976931348623157e308, 5e-324, 0.0, 123456789.12345679]
    path = write(single(values, "score"), tmp_path / "report.xlsx")
    assert [row[0] for row in openpyxl.load_workbook(path)["Values"].values][1:] == values
    assert fastexcel.read_excel(path).load_sheet("Values").to_polars()["value"].to_list() == values


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_what_is_no_number_breaks_no_format(tmp_path: Path, suffix: str) -> None:
    path = write(single([*NOT_NUMBERS, None, 0.5], "score"), tmp_path / f"report{suffix}")
    match suffix:
        case ".csv" | ".tsv":
            texts = [line[:-2].rstrip(",\t") for line in path.read_text().splitlines()[1:]]
            assert texts == ["NaN", "inf", "-inf", "", "0.5"]
        case ".json":
            values = [row["value"] for row in strict_json(path)["tables"]["Values"]]
            assert values == [None, None, None, None, 0.5]
        case ".jsonl":
            assert path.read_text().count('{"value": null}\n') == 4
        case ".parquet":
            assert pl.read_parquet(path)["value"].to_list()[1:] == [math.inf, -math.inf, None, 0.5]
        case ".xlsx":
            book = openpyxl.load_workbook(path)
            assert [row[0] for row in book["Values"].values] == ["value", None, None, None, None, 0.5]
            assert [row[0] for row in book["Notes"].values] == [
                "table 'Values', column 'value': 3 NaN or infinite, left empty"
            ]
        case ".md":
            assert re.findall(r"^\| +(\S+) \|$", path.read_text(), re.MULTILINE)[2:] == [
                "NaN",
                "inf",
                "-inf",
                DASH,
                "0.500",
            ]
        case ".html":
            cells = re.findall(r'<td class="n"( data-v="[^"]*")?>([^<]*)</td>', path.read_text())
            assert [shown for _, shown in cells] == ["NaN", "inf", "-inf", DASH, "0.500"]
            assert [exact for exact, _ in cells] == ["", "", "", "", ' data-v="0.5"']
        case _:
            assert path.read_text().count("$-$inf") == 1


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
