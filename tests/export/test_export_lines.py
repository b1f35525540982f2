"""Lines of CSV and JSON, against what the standard library reads in them."""

from __future__ import annotations

import csv
import datetime as dt
import io
import itertools
import json
import math
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS

from anls_frame.export.csv_files import fields
from anls_frame.export.values import json_lines, plain_frame

FORMULA_STARTS = {*"=+-@\t\r\n＝＋－＠"}  # noqa: RUF001 - meant
SPACES = [chr(code) for code in range(0x3100) if chr(code).isspace()]
TEXTS = [
    *HOSTILE_TEXTS,
    *map(chr, range(0x100)),
    *(f"{before}a b{after}" for space in SPACES for before, after in ((space, ""), ("", space))),
    *(f"{start}1" for start in "=+-@\t\r\n＝＋－＠"),  # noqa: RUF001 - meant
    *('"', '""', "a,b", "a\tb", "\ufeffa", "a\ufeff", "\n", "a\n", "null", "\\u0041", "\\"),
]
VALUES: list[tuple[Any, list[Any]]] = [
    (pl.String, [*TEXTS, None]),
    (pl.List(pl.String), [[], None, [None], ["a", None, ""], *([text, text] for text in TEXTS)]),
    (pl.List(pl.List(pl.String)), [[TEXTS[:9], None, []], None, [], [[None]]]),
    (pl.Array(pl.String, 2), [["a", '"'], None, [None, "b"]]),
    (pl.Struct({"a": pl.String, 'b"': pl.Int8}), [{"a": '"', 'b"': 1}, None, {"a": None, 'b"': None}]),
    (pl.Struct({"a": pl.Float64}), [{"a": 0.1}, {"a": math.nan}]),
    (pl.List(pl.Struct({"a": pl.Int8})), [[{"a": 1}, None], [], None]),
    (pl.Float64, [0.0, -0.0, 0.1, 1e-5, 1e-300, 1e15, 1e16, 1e22, 0.1 + 0.2, None]),
    (pl.Float64, [math.nan, math.inf, -math.inf, None]),
    (pl.Float32, [0.1, 1e-5, 1e30, None]),
    (pl.List(pl.Float64), [[0.1, math.nan, None, 1e16], None]),
    (pl.Int128, [2**127 - 1, -(2**127), None]),
    (pl.UInt64, [2**64 - 1, 0, None]),
    (pl.List(pl.Int8), [[-1, None], [], None]),
    (pl.Boolean, [True, False, None]),
    (pl.Null, [None]),
    (pl.Date, [dt.date(2026, 2, 28), None]),
    (pl.List(pl.Datetime("ns")), [[dt.datetime(2026, 2, 28, 1), None], None]),  # noqa: DTZ001 - has none
    (pl.Duration("us"), [dt.timedelta(days=-1, microseconds=1), None]),
    (pl.Decimal(10, 2), [Decimal("-1.50"), None]),
    (pl.Categorical, ['a,"', "=1", "", None]),
    (pl.Enum(["b", " "]), ["b", " ", None]),
]  # fmt: skip


def frame() -> pl.DataFrame:
    height = max(len(values) for _, values in VALUES)
    return pl.DataFrame(
        [
            pl.Series(f'column {number} "ü"', list(itertools.islice(itertools.cycle(values), height)), dtype)
            for number, (dtype, values) in enumerate(VALUES)
        ]
    )


def strict(value: Any) -> Any:
    """Return what JSON holds of a value."""
    if isinstance(value, list):
        return [strict(entry) for entry in value]
    if isinstance(value, dict):
        return {name: strict(entry) for name, entry in value.items()}
    return None if isinstance(value, float) and not math.isfinite(value) else value


def test_json_is_that_of_each_row() -> None:
    rows = frame()
    expected = [strict(row) for row in plain_frame(rows, "rows").iter_rows(named=True)]
    assert [json.loads(line) for line in json_lines(rows, "rows")] == expected


def read_back(field: str, value: Any) -> Any:
    """Return a field as a value like the one that was written."""
    if isinstance(value, str):
        return field
    if isinstance(value, bool):
        return {"true": True, "false": False}[field]
    if isinstance(value, int | float):
        return type(value)(field)
    return json.loads(field) if value is not None else field or None


@pytest.mark.parametrize("escape", [False, True])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_fields_are_those_of_each_row(delimiter: str, *, escape: bool) -> None:
    rows = frame()
    text = fields(rows, "rows", escape_formulas=escape).write_csv(separator=delimiter, include_header=False)
    lines = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter))
    assert len(lines) == rows.height
    for line, values in zip(lines, plain_frame(rows, "rows").iter_rows(), strict=True):
        for field, value in zip(line, values, strict=True):
            runs = escape and isinstance(value, str) and value[:1] in FORMULA_STARTS
            found = read_back(field.removeprefix("'") if runs else field, value)
            assert repr(found) == repr(value if isinstance(value, float) else strict(value))
            assert field.startswith("'") == (runs or str(value).startswith("'"))


def test_an_empty_text_differs_from_null() -> None:
    table = pl.DataFrame({"text": ["", None, " "], "list": [[], None, [""]]})
    assert fields(table, "rows", escape_formulas=True).write_csv() == 'text,list\n"",[]\n,\n ,"[""""]"\n'


@pytest.mark.parametrize("rows", [pl.DataFrame(), pl.DataFrame({"a": []}, schema={"a": pl.List(pl.String)})])
def test_no_rows_are_no_lines(rows: pl.DataFrame) -> None:
    assert json_lines(rows, "rows") == []
    assert fields(rows, "rows", escape_formulas=True).is_empty()
