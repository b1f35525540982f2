"""What makes a report, and how a table is laid out for reading."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from export_cases import DASH, report
from shell import RunPython

from anls_frame._text import level_text
from anls_frame.export import SUFFIXES, Document, Kind, Table, write
from anls_frame.export.columns import of_kinds
from anls_frame.export.display import display_table, spelled

# Documents


def table(name: Any = "T") -> Table:
    return Table(name, pl.DataFrame({"a": [1]}))


def document(title: Any = "t", settings: Any = None, signature: Any = "", notes: Any = ()) -> Document:
    return Document(title, [table()], settings or {}, signature, notes)


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: Document("t", [], {}, ""), ValueError, "at least one table"),
        (
            lambda: Document("t", [table(), table()], {}, ""),
            ValueError,
            r"distinct names, these occur more than once: \['T'\]",
        ),
        (
            lambda: Table("T", pl.DataFrame({"a": [1]}), shown=["b"]),
            ValueError,
            r"shows the columns \['b'\]",
        ),
        (lambda: table(3), TypeError, "name of a table must be a string, got int"),
        (lambda: document(None), TypeError, "title must be a string, got NoneType"),
        (lambda: document(signature=b"s"), TypeError, "signature must be a string, got bytes"),
        (lambda: document(notes=[1]), TypeError, "note must be a string, got int"),
        (
            lambda: document(settings={"a": {"b": b"x"}}),
            TypeError,
            r"settings\['a'\]\['b'\] is a bytes",
        ),
        (lambda: document(settings={"a": [{1}]}), TypeError, r"settings\['a'\]\[0\] is a set"),
        (lambda: document(settings={1: "x"}), TypeError, "settings has the key 1"),
        (lambda: document("\ud800"), ValueError, r"title holds half of a surrogate pair"),
        (
            lambda: document(settings={"a": "\udfff"}),
            ValueError,
            "settings holds half of a surrogate",
        ),
    ],
)
def test_documents_are_checked(build: Callable[[], object], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        build()


# How tables are laid out


def cells(table: Table) -> list[list[str]]:
    return [[cell.text for cell in row.cells] for row in display_table(table)[1]]


def test_intervals_need_both_ends_and_numbers() -> None:
    frame = pl.DataFrame(
        {"a": [0.5], "a_low": [0.4], "b": [0.5], "b_low": ["x"], "b_high": ["y"], "c_low": [1.0]}
    )
    columns, _ = display_table(Table("T", frame))
    assert [column.heading for column in columns] == frame.columns


@pytest.mark.parametrize(
    ("low", "high", "shown"),
    [
        (0.4, 0.6, "0.5 [0.4, 0.6]"),
        (None, 0.6, f"0.5 [{DASH}, 0.6]"),
        (None, None, f"0.5 [{DASH}]"),
        (math.nan, math.inf, "0.5 [NaN, inf]"),
        (0.41, 0.62364, "0.5000 [0.4100, 0.6236]"),  # as many decimals as the longest
        (-3.25, 4.25, "0.50 [-3.25, 4.25]"),
    ],
)
def test_ends_of_intervals_may_be_missing(low: float | None, high: float | None, shown: str) -> None:
    frame = pl.DataFrame(
        {"a": [0.5], "a_low": [low], "a_high": [high]},
        schema=dict.fromkeys(["a", "a_low", "a_high"], pl.Float64),
    )
    assert cells(Table("T", frame)) == [[shown]]


@pytest.mark.parametrize(
    ("level", "text"),
    [
        (0.95, "95 %"),
        (0.975, "97.5 %"),
        (0.999194, "99.92 %"),
        (0.999874, "99.99 %"),
        (0.999951, "99.995 %"),
        (0.9999996, "99.99996 %"),
        (1.0, "100 %"),
    ],
)
def test_confidence_levels_are_never_rounded_to_certainty(level: float, text: str) -> None:
    assert level_text(level) == text


def test_only_the_column_of_slices_is_left_out() -> None:
    own = pl.DataFrame({"slice": ["overall", "group"], "n": [2, 1]})
    assert cells(Table("T", own, of_kinds({"slice": "key"}))) == [["overall", "2"], ["group", "1"]]
    other = pl.DataFrame({"slice": ["overall", "other"], "type": ["a", "b"]})
    assert cells(Table("T", other, of_kinds({"type": "key"}))) == [["overall", "a"], ["other", "b"]]
    keyless = pl.DataFrame({"slice": ["overall", "group"], "n": [2, 1]})
    assert cells(Table("T", keyless)) == [["all rows", "2"], ["group", "1"]]


def test_several_keys_are_null_in_the_overall_row() -> None:
    frame = pl.DataFrame({"slice": ["overall", "group"], "a": [None, None], "b": [None, "x"], "n": [2, 1]})
    table = Table("T", frame, of_kinds({"a": "key", "b": "key"}))
    assert cells(table) == [["all rows", "", "2"], ["null", "x", "1"]]


@pytest.mark.parametrize(
    ("value", "kind", "shown"),
    [
        (0.68, "score", "0.680"),
        (1, "score", "1.000"),
        (-0.0004, "score", "0.000"),
        (-0.0, "rate", "0.000"),
        (-0.25, "rate", "-0.250"),
        (12.34567, "rate", "12.346"),
        (1_234_567, "count", "1,234,567"),
        (1_234_567.0, "count", "1,234,567"),
        (12, "number", "12"),
        (0.000012345, "number", "1.2e-05"),
        (0.123456, "number", "0.1235"),
        (2023.0, "number", "2023"),
        (12345.6, "number", "12,346"),
        (math.nan, "score", "NaN"),
        (-math.inf, "count", "-inf"),
        (0.0004, "p_value", "<0.001"),
        (0.0076, "p_value", "0.008"),
        (0.99999, "p_value", "1.000"),
        (0.116, "percent", "11.6 %"),
        (0.0123, "points", "+1.2 pp"),
        (-0.0001, "points", "-0.01 pp"),
        (0.004, "share", "<1 %"),
        (0.126, "share", "13 %"),
    ],
)
def test_figures_are_rounded_for_reading(value: float, kind: Kind, shown: str) -> None:
    assert spelled(value, (), kind) == shown


# Formats by suffix


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_equal_reports_are_equal_files(tmp_path: Path, suffix: str) -> None:
    first = write(report(), tmp_path / f"first{suffix}")
    second = write(report(), tmp_path / f"second{suffix}")
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("name", ["report", ".csv", "report.doc", "report.csv.gz", "report.", "report.csv."])
def test_an_unknown_suffix_is_an_error_that_lists_the_known(tmp_path: Path, name: str) -> None:
    with pytest.raises(ValueError, match=re.escape(", ".join(SUFFIXES))):
        write(report(), tmp_path / name if name else "")
    assert [entry.name for entry in tmp_path.iterdir()] == []


def test_the_libraries_of_formats_are_imported_when_they_are_used(run_python: RunPython) -> None:
    program = (
        "import sys, anls_frame.export;"
        "print([name for name in ('xlsxwriter', 'pyarrow', 'fastexcel', 'pandas') if name in sys.modules])"
    )
    result = run_python("-c", program)
    assert (result.stdout, result.stderr) == ("[]\n", "")


def test_thousands_have_commas_where_figures_are_read(tmp_path: Path) -> None:
    frame = pl.DataFrame({"slice": ["overall", "group"], "key": [None, "1,234"], "n": [12_345_678, 999]})
    table = Table("T", frame, of_kinds({"key": "key", "n": "count"}))
    document = Document("t", [table], {}, "", ["5,465 characters of [0.1, 0.2], 1,2 and 1,2345"])
    written = {
        suffix: write(document, tmp_path / f"d{suffix}").read_text("utf-8")
        for suffix in (".html", ".tex", ".md", ".csv")
    }
    assert '<td class="n" data-v="12345678">12,345,678</td>' in written[".html"]
    assert "5,465 characters of [0.1, 0.2], 1,2 and 1,2345" in re.sub("<[^>]*>", "", written[".html"])
    assert r"\textbf{12,345,678}" in written[".tex"]
    assert "12,345,678" in written[".md"]
    assert "12345678" in written[".csv"]
    # What the data says stays as it is.
    assert all("1,234" in text for text in written.values())
