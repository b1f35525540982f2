"""What by= takes: expressions, several tables, orders, and what it refuses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import polars.selectors as cs
import pytest

import anls_frame as af

SIZES = pl.Enum(["small", "mid", "big"])
FRAME = pl.DataFrame(
    {
        "p": ["a", "b", "c", None, "e", "f"],
        "a": ["a", "x", "c", "d", "e", "y"],
        "lang": ["en", "de", "en", None, "null", "de"],
        "size": pl.Series(["big", "small", "mid", "small", "big", "mid"], dtype=SIZES),
        "types": [["t", "u"], ["u"], ["t"], [], None, ["u"]],
        "day": ["2024-05-01", "2025-01-01", "2025-02-01", "2024-05-02", None, "2026-01-01"],
    }
).with_columns(pl.col("day").str.to_date())
TEXTS = ("p", "a")
YEAR = pl.col("day").dt.year().alias("year")


def means(frame: pl.DataFrame, key: str) -> dict[Any, float]:
    """Exact match by slice, from pandas."""
    rows = frame.with_columns(right=(pl.col("p").fill_null("") == pl.col("a")).cast(pl.Float64)).to_pandas()
    found = rows.groupby(key, dropna=False)["right"].mean()
    return {None if pd.isna(value) else value: mean for value, mean in found.items()}


def exact(table: pl.DataFrame, key: str) -> dict[Any, float]:
    return dict(table.select(pl.col(key), "exact_match").iter_rows())


def test_expressions_slice_as_the_column_that_they_make() -> None:
    made = af.report(FRAME, *TEXTS, by=YEAR)
    column = af.report(FRAME.with_columns(YEAR), *TEXTS, by="year")

    assert made.by_group.equals(column.by_group)
    assert exact(made.by_group, "year") == means(FRAME.with_columns(YEAR), "year")
    compared = af.compare(FRAME, {"old": "p", "new": "a"}, "a", by=[YEAR, "lang"])
    assert compared.by_group.columns[:2] == ["year", "lang"]


def test_an_expression_may_have_the_name_of_its_column() -> None:
    made = af.report(FRAME, *TEXTS, by=pl.col("lang").str.to_uppercase(), cluster="lang")
    assert set(made.by_group["lang"]) == {"EN", "DE", "NULL", None}


@pytest.mark.parametrize("lazy", [False, True])
def test_several_tables_are_those_of_several_reports(lazy: bool) -> None:  # noqa: FBT001
    frame = FRAME.lazy() if lazy else FRAME
    made = af.report(frame, *TEXTS, by=[[YEAR], ["size", YEAR], ["types"]])

    assert list(made.tables) == ["year", "size,year", "types"]
    for by, table in (([YEAR], "year"), (["size", YEAR], "size,year"), (["types"], "types")):
        alone = af.report(FRAME, *TEXTS, by=by)
        assert made.tables[table].equals(alone.by_group)
    assert made.by_group.columns[:4] == ["table", "year", "size", "types"]
    assert made.by_group["table"].unique(maintain_order=True).to_list() == list(made.tables)
    assert made.to_polars().height == 1 + sum(table.height for table in made.tables.values())
    assert repr(made).count("│ all rows") == 3
    assert repr(made).startswith("Scores by year, by size and year, by types\n")
    assert "By size and year" in repr(made)


def test_tables_of_comparisons_are_families_of_their_own() -> None:
    systems = {"old": "p", "new": "a"}
    made = af.compare(FRAME, systems, "a", by=[["lang"], ["size"]])
    for table in ("lang", "size"):
        assert made.tables[table].equals(af.compare(FRAME, systems, "a", by=table).by_group)


def test_parts_keep_the_tables() -> None:
    by = [["lang"], ["size"]]
    whole = af.report(FRAME, *TEXTS, by=by)
    parts = [
        af.Summary.from_bytes(af.summarize(half, *TEXTS, by=by).to_bytes()) for half in (FRAME[:2], FRAME[2:])
    ]
    merged = af.Report(af.merge(parts))
    assert merged.by_group.equals(whole.by_group)


def test_the_order_of_an_enum_is_kept() -> None:
    made = af.report(FRAME, *TEXTS, by="size")
    assert made.by_group["size"].to_list() == ["small", "mid", "big"]
    assert made.by_group.schema["size"] == SIZES
    by_count = af.report(FRAME[:4], *TEXTS, by="size").to_document(sort="n")
    assert by_count.main.frame["size"].to_list() == [None, "small", "mid", "big"]
    crossed = af.report(FRAME, *TEXTS, by=["size", "lang"]).to_document(sort="size")
    assert crossed.main.frame["size"].to_list() == [None, "small", "small", "mid", "mid", "big", "big"]


def test_the_order_of_an_ordered_categorical_is_kept() -> None:
    sizes = pd.Categorical(["x", "s", "m", "s", "x", "m"], categories=["s", "m", "x"], ordered=True)
    table = FRAME.select("p", "a").to_pandas().assign(size=sizes)
    assert list(af.report(table, *TEXTS, by="size").by_group["size"]) == ["s", "m", "x"]


def test_parts_of_another_dtype_add_up_without_the_order() -> None:
    parts = [FRAME[:3], FRAME[3:].with_columns(pl.col("size").cast(pl.String))]
    merged = af.merge(af.summarize(part, *TEXTS, by="size") for part in parts)
    assert af.Report(merged).by_group.schema["size"] == pl.String


def test_null_is_told_from_a_text_that_reads_like_it() -> None:
    lines = repr(af.report(FRAME, *TEXTS, by="lang")).splitlines()
    assert sum(line.startswith("│ null ") for line in lines) == 1
    assert sum(line.startswith('│ "null" ') for line in lines) == 1


MEASURED = pl.DataFrame({
    "p": ["a", "b"] * 30, "a": ["a"] * 60, "x": [n / 7 for n in range(60)], "score": [0.0, 1.0] * 30,
    "truth": [0.0, 1.0] * 30, "sure": [n / 60 for n in range(60)], "id": [n // 2 for n in range(60)],
})  # fmt: skip


@pytest.mark.parametrize(
    "call",
    [
        lambda: af.report(MEASURED, *TEXTS, by="x"),
        lambda: af.compare(MEASURED, {"old": "p", "new": "a"}, "a", by="x"),
        lambda: af.selective(MEASURED, *TEXTS, "sure", by="x"),
        lambda: af.corrected(MEASURED, "score", "truth", by="x"),
        lambda: af.format_tax(MEASURED, *TEXTS, by="x"),
        lambda: af.confusions(MEASURED, *TEXTS, by="x"),
        lambda: af.length_scores(MEASURED, *TEXTS, by="x"),
        lambda: af.worst(MEASURED, *TEXTS, by="x"),
        lambda: af.audit_sample(MEASURED, 20, by="x"),
        lambda: af.repeats.variance_components(MEASURED, *TEXTS, id="id", by="x"),
    ],
)
def test_measurements_are_refused(call: Callable[[], object]) -> None:
    advice = r"df.with_columns\(pl.col\('x'\).round\(1\)\)"
    with pytest.raises(ValueError, match=rf"'x' has \d\d different numbers.*{advice}"):
        call()


def test_whole_and_rounded_numbers_slice() -> None:
    frame = MEASURED
    whole = frame.with_columns(pl.col("x").rank("ordinal").cast(pl.Float64))
    assert af.report(whole, *TEXTS, by="x").by_group.height == 60
    assert af.report(frame, *TEXTS, by=pl.col("x").round()).by_group.height == 9


@pytest.mark.parametrize(
    ("by", "error", "message"),
    [
        (["lang", ["size"]], TypeError, "by must be columns, which are crossed, or lists of columns"),
        ([["lang"], ["lang"]], ValueError, "by must not ask for a table twice"),
        ([["lang", "lang"]], ValueError, "by must not name a column twice"),
        ([pl.col("lang"), "lang"], ValueError, "by must not name a column twice"),
        ([pl.col("lang", "size")], ValueError, "by must hold expressions of one column each"),
        (
            cs.string().alias("x"),
            ValueError,
            r"by must hold .* got cs\.string.*`frame\.select\(\.\.\.\)\.columns`",
        ),
        (cs.by_name("lang"), ValueError, "by must hold expressions of one column each"),
        (pl.nth(0).alias("x"), ValueError, "by must hold expressions of one column each"),
        (pl.element(), ValueError, "by must name each expression"),
        ([[3]], TypeError, "by must be a column name, an expression or a list of them"),
        ([["lang"], ["size", pl.col("lang").str.to_uppercase()]], ValueError, "the name 'lang' to two"),
        ([[YEAR], ["lang", YEAR + 1]], ValueError, "the name 'year' to two different keys"),
    ],
    ids=[
        *("mixed", "twice", "column", "expression", "several", "selector", "single", "place", "unnamed"),
        *("number", "meanings", "expressions"),
    ],
)
def test_what_slices_nothing_is_refused(by: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        af.report(FRAME, *TEXTS, by=by)


def test_the_columns_of_a_selector_slice_by_their_names() -> None:
    chosen = FRAME.select(cs.by_name("lang", "size")).columns

    assert af.report(FRAME, *TEXTS, by=chosen).by_group.equals(
        af.report(FRAME, *TEXTS, by=["lang", "size"]).by_group
    )


@pytest.mark.parametrize("by", [3, ["lang", 3]], ids=["number", "list"])
def test_functions_of_rows_slice_by_columns(by: Any) -> None:
    with pytest.raises(TypeError, match="by must be a column name, an expression or a list of them"):
        af.worst(FRAME, *TEXTS, by=by)
    with pytest.raises(TypeError, match="by must be a column name or a list of them"):
        af.confusions(FRAME, *TEXTS, by=by)


def test_the_column_of_tables_has_its_name_alone() -> None:
    frame = FRAME.rename({"lang": "table"}).with_columns(q="a", scores=0.5)
    two = [["table"], ["size"]]
    with pytest.raises(ValueError, match=r"columns \['table'\] would collide"):
        af.report(frame, *TEXTS, by=two)
    with pytest.raises(ValueError, match=r"columns \['table'\] would collide"):
        af.report(frame, *TEXTS, metrics=af.Metric("scores", name="table"), by=[["types"], ["size"]])
    with pytest.raises(ValueError, match=r"columns \['table'\] would collide"):
        af.compare(frame, {"old": "p", "new": "a"}, "a", by=two)
    made = af.compare(frame, {"old": "p", "table": "a"}, "a", by=[["types"], ["size"]])
    assert made.to_polars()["system"].unique().to_list() == ["table"]
    assert af.report(frame, *TEXTS, by="table").by_group.height == 4
