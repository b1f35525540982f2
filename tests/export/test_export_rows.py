"""Rows as workbooks: every text and number as it is, or an error; read back by openpyxl and fastexcel."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import openpyxl
import polars as pl
import pytest
import shell
from hostile_texts import HOSTILE_TEXTS
from shell import fine

import anls_frame as af
from anls_frame.export import row_files

CELL_LIMIT = 32_767
# The characters that XML has no form for, and what is too long.
IMPOSSIBLE = re.compile("[\ufffe\uffff]")
TEXTS = [
    *(text for text in HOSTILE_TEXTS if not IMPOSSIBLE.search(text) and len(text) < CELL_LIMIT // 2),
    "<r>bold</r>",
    "_x005F_x0041_",
    "x" * CELL_LIMIT,
]


def written(frame: pl.DataFrame, folder: Path) -> Path:
    path = folder / "rows.xlsx"
    row_files.write(frame.lazy(), path, escape_formulas=True)
    return path


def cells(path: Path) -> list[tuple[Any, ...]]:
    (sheet,) = openpyxl.load_workbook(path).worksheets
    return list(sheet.iter_rows(min_row=2, values_only=True))


def test_the_shell_writes_workbooks_without_loss(tmp_path: Path) -> None:
    numbers = [0.1 + 0.2, 1e-300, 1 / 3] + [0.5] * (len(TEXTS) - 3)
    pl.DataFrame(
        {"prediction": TEXTS, "answers": [["Coke", "=1+1"]] * len(TEXTS), "number": numbers}
    ).write_parquet(tmp_path / "in.parquet")

    for command, name in (("score", "score.xlsx"), ("convert", "convert.xlsx")):
        target = [name] if command == "convert" else ["-o", name]
        fine(shell.run(tmp_path, command, "in.parquet", *target))
        frame = af.read_results(tmp_path / name)
        assert frame["prediction"].to_list() == TEXTS
        found = cells(tmp_path / name)
        assert [row[2] for row in found] == numbers
        for row, text in zip(found, TEXTS, strict=True):
            # openpyxl does not read the standard's codes of characters.
            if not re.search("[\x00-\x1f]|_x[0-9A-F]{4}_", text):
                assert row[0] == text


def test_values_that_are_no_numbers_of_excel_are_texts(tmp_path: Path) -> None:
    frame = pl.DataFrame({"value": [math.nan, math.inf, -math.inf, None, 0.30000000000000004]})
    assert [row[0] for row in cells(written(frame, tmp_path))] == [
        *("NaN", "inf", "-inf"),
        None,
        0.30000000000000004,
    ]
    whole = pl.DataFrame({"value": [10**15 - 1, 10**15, None, 2**63 - 1, 0]})
    assert [row[0] for row in cells(written(whole, tmp_path))] == [
        *(10**15 - 1, str(10**15)),
        None,
        str(2**63 - 1),
        0,
    ]


@pytest.mark.parametrize("text", ["a\ufffeb", "\uffff"])
def test_what_a_workbook_cannot_hold_is_an_error(tmp_path: Path, text: str) -> None:
    for frame in (pl.DataFrame({"prediction": ["a", text]}), pl.DataFrame({text: ["a"]})):
        with pytest.raises(ValueError, match=r"of column .*or U\+FFFE or U\+FFFF; write CSV or Parquet"):
            written(frame, tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_what_is_too_long_or_too_much_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"row 2 of column 'prediction' holds .* more than 32,767"):
        written(pl.DataFrame({"prediction": ["a", "\U0001f600" * (CELL_LIMIT // 2 + 1)]}), tmp_path)
    with pytest.raises(ValueError, match="table 'rows' has 1,048,576 rows"):
        written(pl.select(n=pl.int_range(1_048_576)), tmp_path)
    assert list(tmp_path.iterdir()) == []
