"""Columns that slice and cluster: every dtype, and every name."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest
import report_oracle
from key_columns import KEYS, TEXTS
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.exceptions import ColumnNotFoundError, DTypeError, DuplicateColumnError
from anls_frame.reports.reports import report


def counted(column: pl.Series) -> dict[Any, int]:
    """Rows without an answer count in no slice: the last one has none."""
    counts: dict[Any, int] = {}
    for index, value in enumerate(column.to_list()):
        for entry in report_oracle.entries(value):
            counts[entry] = counts.get(entry, 0) + (index < 5)
    return counts


@pytest.mark.parametrize("clustered", [False, True], ids=["alone", "and clusters"])
@pytest.mark.parametrize("name", KEYS)
def test_slices_by_any_dtype(name: str, *, clustered: bool) -> None:
    frame = pl.DataFrame(TEXTS).with_columns(KEYS[name].alias("k"))
    made = report(frame, "p", "a", by="k", cluster="k" if clustered else None)
    found = {report_oracle.key_of(key): n for key, n in made.by_group.select("k", "n").iter_rows()}
    assert found == counted(KEYS[name])
    assert len(found) == made.by_group.height
    n, clusters = made.by_group["n"], made.by_group["n_clusters"]
    assert ((clusters > 0) == (n > 0)).all() if clustered else clusters.is_null().all()


def test_objects_cannot_slice() -> None:
    frame = pl.DataFrame(TEXTS).with_columns(pl.Series("k", [object()] * 6, dtype=pl.Object))
    with pytest.raises(DTypeError, match="column 'k' has dtype Object"):
        report(frame, "p", "a", by="k")
    with pytest.raises(DTypeError, match="column 'k' has dtype Object"):
        report(frame, "p", "a", cluster="k")


# Names that queries inside give to columns, that Polars takes for patterns, or that look like neither.
NAMES = [
    "key_0", "cluster", "unit", "prediction", "answers", "missing", "scores", "score", "row_digest",
    "grid_threshold", "anls:x", "char_errors_sum", "worst", "digest", "ANLS", "exact match",
    "^.*$", "*", "", " ", "k\nk", "{{x}}", "literal", "len", "名前",
]  # fmt: skip


@pytest.mark.parametrize("clustered", [False, True])
@pytest.mark.parametrize("name", NAMES)
def test_column_of_any_name_slices(name: str, *, clustered: bool) -> None:
    types = ["u", "u", "v", "v", None, "v"]
    frame = pl.DataFrame({**TEXTS, name: types})
    made = report(frame, "p", "a", by=name, cluster=name if clustered else None)
    assert made.by_group.columns == [name, *report_oracle.TEXT_COLUMNS]
    assert dict(zip(made.by_group[name], made.by_group["n"], strict=True)) == {"u": 2, "v": 2, None: 1}
    assert made.to_polars().columns == ["slice", name, *report_oracle.TEXT_COLUMNS]
    assert made.to_polars()[name].to_list() == [None, *made.by_group[name]]
    assert made.by(name).equals(made.by_group)
    assert made.to_pandas().shape == made.to_polars().shape
    # The name stands as the first column's heading, with its line ends as they are.
    assert f"│ {name.partition(chr(10))[0]}" in repr(made)
    assert "exact match" in repr(made)


@pytest.mark.parametrize("name", ["slice", *report_oracle.TEXT_COLUMNS])
def test_columns_of_the_report_cannot_slice(name: str) -> None:
    frame = pl.DataFrame({**TEXTS, name: ["u"] * 6})
    with pytest.raises(ValueError, match=f"'{name}'.* would collide with columns of the result; rename"):
        report(frame, "p", "a", by=name)


@pytest.mark.parametrize("name", ["prediction", "answers", "nls", "anls", "cer", "exact_match"])
def test_columns_of_the_worst_rows_cannot_slice_those(name: str) -> None:
    frame = pl.DataFrame({**TEXTS, name: ["u"] * 6})
    with pytest.raises(ValueError, match=f"'{name}'.* would collide with columns of the result; rename"):
        report(frame, "p", "a", worst=2, by=name)
    with pytest.raises(ValueError, match=f"'{name}'.* would collide with columns of the result; rename"):
        report(frame, "p", "a", worst=2, cluster=name)


def test_misspelt_columns_are_named_with_the_nearest() -> None:
    frame = pl.DataFrame({**TEXTS, "question_types": ["u"] * 6})
    message = r"no column 'question_type' .* did you mean 'question_types'"
    with pytest.raises(ColumnNotFoundError, match=message):
        report(frame, "p", "a", by="question_type")
    with pytest.raises(ColumnNotFoundError, match=message):
        report(frame, "p", "a", cluster="question_type")


@pytest.mark.parametrize(
    "frame", [pl.DataFrame(), pl.DataFrame(height=3), pl.LazyFrame()], ids=["", "rows", "lazy"]
)
def test_frame_without_columns_has_none_to_report(frame: Any) -> None:
    with pytest.raises(ColumnNotFoundError, match="no column 'p'"):
        report(frame, "p", "a")


# Every kind of frame

FRAME = {"p": ["a", "b", "c"], "a": ["a", "x", "c"], "by": ["u", "v", "v"], "doc": ["1", "1", "2"]}


def test_structs_slice_reports_and_their_pages(tmp_path: Path) -> None:
    frame = pl.DataFrame(FRAME).with_columns(by=pl.struct("by", "doc"))

    made = report(frame, "p", "a", by="by", details=True)

    page = made.write(tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("n = 1<") == 3
    assert made.by_group["n"].to_list() == [1, 1, 1]


@pytest.mark.parametrize(
    "dtype",
    [pl.Struct([]), pl.List(pl.Struct([])), pl.Struct({"x": pl.Struct([])})],
    ids=str,
)
@pytest.mark.parametrize("role", ["by", "cluster"])
def test_structs_without_fields_are_refused_by_name(role: str, dtype: pl.DataType) -> None:
    frame = pl.DataFrame(FRAME).with_columns(empty=pl.lit(None, dtype=dtype))

    with pytest.raises(DTypeError, match=r"column 'empty' has dtype .* a struct without fields"):
        report(frame, "p", "a", **{role: "empty"})


@pytest.mark.parametrize("keys", [[1.0, 1.0, math.nan, math.nan], [math.nan] * 4], ids=["some", "all"])
def test_nan_is_a_slice_in_sorted_rows_as_any_text_is(keys: list[float]) -> None:
    # Polars finds no NaN when it joins columns that it knows to be sorted.
    rows = pl.DataFrame({"k": keys * 10}).with_row_index("doc").sort("k", maintain_order=True)
    rows = rows.with_columns(
        p=pl.lit("a"),
        t=pl.when(pl.col("doc") % 3 == 0).then(pl.lit("a")).otherwise(pl.lit("b")),
        judge=(pl.col("doc") % 3 == 0).cast(pl.Float64),
        truth=pl.when(pl.col("doc") % 2 == 0).then((pl.col("doc") % 5 == 0).cast(pl.Float64)),
    )
    texts = rows.with_columns(pl.col("k").cast(pl.String))
    options: dict[str, Any] = {"by": "k", "cluster": "doc"}
    audit: dict[str, Any] = {"probability": None, "stratum": None, **options}

    assert rows["k"].flags["SORTED_ASC"]
    for result in (
        lambda frame: af.report(frame, "p", "t", **options).by("k"),
        lambda frame: af.report(frame, "p", "t", **options).macro("k"),
        lambda frame: af.compare(frame, {"A": "p", "B": "t"}, "t", draws=99, **options).by("k"),
        lambda frame: af.corrected(frame, "judge", "truth", **audit).by("k"),
    ):
        made = result(rows).with_columns(pl.col("^k$").cast(pl.String))
        assert_frame_equal(made, result(texts))


def test_nan_is_an_id_in_sorted_rows_too() -> None:
    rows = pl.DataFrame({"id": [1.0, 2.0, math.nan], "prediction": ["a"] * 3, "answers": ["a"] * 3}).sort(
        "id"
    )
    long = pl.concat([rows.with_columns(system=pl.lit(name)) for name in "AB"]).sort("id")

    assert rows["id"].flags["SORTED_ASC"]
    assert af.pair(rows, rows, on="id", prediction="prediction", answers="answers").frame.height == 3
    wide = af.side_by_side(long, "prediction", "answers", system="system", id="id")
    assert wide.frame.select("^prediction of .*$").null_count().row(0) == (0, 0)


@pytest.mark.parametrize("name", ["slice", "system", "corrected_low", "n"])
def test_slices_of_corrected_scores_have_names_of_their_own(name: str) -> None:
    rows = pl.DataFrame({name: ["a", "b"] * 20, "judge": [1.0, 0.0] * 20, "truth": [1.0] * 40})
    with pytest.raises(DuplicateColumnError, match=rf"columns \['{name}'\] would collide .*; rename them"):
        af.corrected(rows, "judge", "truth", by=name, probability=None, stratum=None)


def test_whole_numbers_and_days_of_pandas_are_shown_as_such_and_stay_what_they_are(tmp_path: Path) -> None:
    rows = pd.DataFrame({"prediction": ["a", "b"] * 60, "answer": "a"})
    rows["page"], rows["zoom"] = [1.0, 2.0, None] * 40, [1.0, 2.5, None] * 40
    rows["day"] = pd.to_datetime(["2024-02-01", "2024-03-01", None] * 40)
    rows["hour"] = rows["day"] + pd.Timedelta(hours=1)
    for name, shown, stored in (
        ("page", {"1", "2", "null"}, "1.0"),
        ("zoom", {"1.0", "2.5", "null"}, "1.0"),
        ("day", {"2024-02-01", "2024-03-01", "null"}, "2024-02-01T00:00:00.000000"),
        ("hour", {"2024-02-01T01:00:00.000000", "2024-03-01T01:00:00.000000", "null"}, "2024-02-01T01:00:00"),
    ):
        made = af.report(rows, "prediction", "answer", by=name, metrics="anls")
        cells = [line.split("┆")[0].strip("│ ") for line in made.to_text().splitlines() if "40*" in line]
        assert {*cells} == shown
        assert f"\ngroup,{stored}" in made.write(tmp_path / "keys.csv").read_text(encoding="utf-8")
        assert made.by_group[name].dtype == rows[name].dtype


@pytest.mark.parametrize("name", ["self", "^a$", "^.*$", "exprs"])
def test_columns_of_any_name_are_shown_and_read_as_numbers(name: str, tmp_path: Path) -> None:
    days = pl.Series([1, 2] * 60) * 86_400_000_000
    rows = pl.DataFrame({"prediction": ["a", "b"] * 60, "answer": "a"})
    for dtype, shown in (
        (pl.String, ("86400000000", "172800000000")),
        (pl.Float64, ("86400000000", "172800000000")),
        (pl.Datetime, ("1970-01-02", "1970-01-03")),
    ):
        own = rows.with_columns(days.cast(dtype).alias(name))
        made = af.report(own, "prediction", "answer", by=name, metrics="anls")
        assert all(f"│ {label} " in made.to_text() for label in shown)
        made.write(tmp_path / "report.html")
        made.write(tmp_path / "report.xlsx")
    scores = rows.with_columns(pl.Series(name, ["1", "0"] * 60))
    assert af.report(scores, metrics=name).overall[name] == 0.5
