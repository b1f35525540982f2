"""Rows written by `write_results` and read again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

FRAME = pl.DataFrame(
    {
        "question_id": ["007", "8", "9"],
        "prediction": ["=1+1", None, 'line\nbreak, "quoted" <r>'],
        "answers": [["1,10", "x"], ["y"], ["[z]"]],
        "n": [1, 2, 3],
    }
)
KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "eager": lambda frame: frame,
    "lazy": lambda frame: frame.lazy(),
    "pandas": lambda frame: frame.to_pandas(),
    "arrow": lambda frame: frame.to_arrow(),
}
SUFFIXES = (".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx")


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_written_is_read_again(tmp_path: Path, kind: str, suffix: str) -> None:
    path = af.write_results(KINDS[kind](FRAME), tmp_path / f"rows{suffix}")

    read = af.read_results(path)

    # Delimited files have no numbers.
    written = FRAME.with_columns(pl.col("n").cast(pl.String)) if suffix in {".csv", ".tsv"} else FRAME
    assert read.select(FRAME.columns).equals(written)


def test_formulas_are_escaped_on_request(tmp_path: Path) -> None:
    path = af.write_results(FRAME, tmp_path / "rows.csv", escape_formulas=True)

    assert "'=1+1" in path.read_text(encoding="utf-8")


def test_an_unknown_suffix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"rows\.doc.* must end in one of \.csv, \.tsv"):
        af.write_results(FRAME, tmp_path / "rows.doc")


def test_a_column_that_has_no_string_as_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="a column name must be a string, got 0"):
        af.write_results(pd.DataFrame({0: ["a"]}), tmp_path / "rows.csv")
    assert list(tmp_path.iterdir()) == []


def test_what_is_no_frame_is_refused(tmp_path: Path) -> None:
    with pytest.raises(TypeError, match="frame must be a Polars DataFrame"):
        af.write_results([1], tmp_path / "rows.csv")
