"""Lines made column by column, against those made value by value."""

from __future__ import annotations

import datetime as dt
import itertools
import math
from decimal import Decimal
from typing import Any

import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS

from anls_frame.export.csv_files import line
from anls_frame.export.text_lines import delimited_lines, json_lines
from anls_frame.export.values import json_text, plain_frame

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


def test_json_is_that_of_each_row() -> None:
    rows = frame()
    expected = [json_text(row) for row in plain_frame(rows, "rows").iter_rows(named=True)]
    assert json_lines(rows).to_list() == expected


@pytest.mark.parametrize("escape", [False, True])
@pytest.mark.parametrize("delimiter", [",", "\t"])
def test_fields_are_those_of_each_row(delimiter: str, *, escape: bool) -> None:
    rows = frame()
    for column in rows.iter_columns():
        one = column.to_frame()
        expected = [
            line(row, delimiter, escape_formulas=escape).decode()
            for row in plain_frame(one, "rows").iter_rows()
        ]
        found = delimited_lines(one, delimiter, escape_formulas=escape)
        assert [f"{text}\n" for text in found] == expected
    expected = [
        line(row, delimiter, escape_formulas=escape).decode() for row in plain_frame(rows, "rows").iter_rows()
    ]
    assert [f"{text}\n" for text in delimited_lines(rows, delimiter, escape_formulas=escape)] == expected


@pytest.mark.parametrize("rows", [pl.DataFrame(), pl.DataFrame({"a": []}, schema={"a": pl.List(pl.String)})])
def test_no_rows_are_no_lines(rows: pl.DataFrame) -> None:
    assert json_lines(rows).to_list() == delimited_lines(rows, ",", escape_formulas=True).to_list() == []
