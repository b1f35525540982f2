"""However a column came about, its rows are scored as those of a column built from the same values."""

from __future__ import annotations

import polars as pl
import pyarrow as pa
from campaign import amount
from registry import (
    LIST_EXPRESSIONS,
    ROW_EXPRESSIONS,
    Engine,
    RowExpression,
    each_engine,
    each_row,
    each_row_with_lists,
)

LONG = "a text too long to stand in its view"
WORDS = ["Coca Cola", "cola", None, "", LONG, f"{LONG} x", "é", "𝄞 clef", "Cola", "x", LONG.upper(), "b b"]
LISTS = [
    ["cola", None, LONG],
    [],
    None,
    [None],
    ["", "é"],
    [LONG, "x", "y", "z"],
    ["𝄞"],
    ["b", "b"],
    [None, None, "Cola"],
    ["x"],
    ["q", ""],
    [LONG.title()],
]
FRAME = pl.DataFrame(
    {
        "text": WORDS,
        "other": [*WORDS[3:], *WORDS[:3]],
        "list": LISTS,
        "order": [5, 3, 8, 1, 11, 0, 7, 2, 10, 6, 4, 9],
        "group": [number % 3 for number in range(12)],
    },
    schema_overrides={"list": pl.List(pl.String)},
)

TEXT_LAYOUTS: dict[str, pl.Expr] = {
    "reversed": pl.col("text").reverse(),
    "shifted": pl.col("text").shift(2),
    "gathered": pl.col("text").gather([11, 3, 3, 0, 2, 5, 7, 1, 9, 4, 10, 6]),
    "gathered_nulls": pl.col("text").gather(pl.Series([None, 3, 3, None, 2, 5, 7, 1, 9, 4, 10, 6])),
    "sorted": pl.col("text").sort_by("order"),
    "coalesced": pl.coalesce(pl.col("text"), "other"),
    "branched": pl.when(pl.col("order") > 5).then("text").otherwise("other"),
    "half_null": pl.when(pl.col("order") > 5).then("text"),
    "repeated": pl.col("text").first(),
    "prefix": pl.col("text").str.head(3),
    "middle": pl.col("text").str.slice(2, 20),
    "upper": pl.col("text").str.to_uppercase(),
    "joined": pl.concat_str("text", "other", ignore_nulls=True),
    "from_a_list": pl.col("list").list.first(),
    "last_of_a_list": pl.col("list").list.get(-1, null_on_oob=True),
    "from_a_struct": pl.struct("text", "other").struct.field("other"),
    "struct_sliced": pl.struct("text", "other").reverse().struct.field("other"),
    "from_an_array": pl.concat_arr("text", "other").arr.get(1),
    "categorical": pl.col("text").cast(pl.Categorical),
    "categorical_gathered": pl.col("text").cast(pl.Categorical).reverse(),
    "from_numbers": pl.col("order").cast(pl.String),
    "window": pl.col("text").max().over("group"),
    "all_null": pl.lit(None, pl.String).repeat_by(1).list.first(),
}
LIST_LAYOUTS: dict[str, pl.Expr] = {
    "reversed": pl.col("list").reverse(),
    "shifted": pl.col("list").shift(-3),
    "gathered": pl.col("list").gather([11, 3, 3, 0, 2, 5, 7, 1, 9, 4, 10, 6]),
    "sorted_rows": pl.col("list").sort_by("order"),
    "branched": pl.when(pl.col("order") > 5).then("list"),
    "branched_lists": pl.when(pl.col("order") > 5).then("list").otherwise(pl.concat_list("text")),
    "list_head": pl.col("list").list.head(1),
    "list_tail": pl.col("list").list.tail(2),
    "list_slice": pl.col("list").list.slice(1, 2),
    "list_reversed": pl.col("list").list.reverse(),
    "list_sorted": pl.col("list").list.sort(),
    "list_without_nulls": pl.col("list").list.drop_nulls(),
    "list_filtered": pl.col("list").list.filter(pl.element() != "x"),
    "list_evaluated": pl.col("list").list.eval(pl.element().str.to_uppercase()),
    "list_gathered": pl.col("list").list.gather([0, 0], null_on_oob=True),
    "lists_joined": pl.concat_list("list", "text"),
    "split": pl.col("text").str.split(" "),
    "repeated_text": pl.col("text").repeat_by(pl.col("order") % 3),
    "whole_column": pl.col("text").implode(),
    "as_array": pl.concat_arr("text", "other"),
    "array_gathered": pl.concat_arr("text", "other").gather([11, 3, 3, 0, 2, 5, 7, 1, 9, 4, 10, 6]),
    "array_branched": pl.when(pl.col("order") > 5).then(pl.concat_arr("text", "other")),
    "array_to_list": pl.concat_arr("text", "other").arr.to_list(),
    "list_to_array": pl.concat_list("text", "other").list.to_array(2),
    "categories": pl.col("list").cast(pl.List(pl.Categorical)),
    "categories_reversed": pl.col("list").cast(pl.List(pl.Categorical)).reverse(),
    "from_a_struct": pl.struct("list").reverse().struct.field("list"),
    "inner": pl.concat_list(pl.col("list").implode()).list.first(),
}


def rebuilt(frame: pl.DataFrame, column: pl.Expr) -> pl.Series:
    """Return the column's values in the plainest layout there is."""
    values = frame.with_columns(column.alias("column"))["column"].to_list()
    nested = any(isinstance(value, list) for value in values)
    return pl.Series("column", values, dtype=pl.List(pl.String) if nested else pl.String())


def holds(row: RowExpression, frame: pl.DataFrame, inputs: tuple[pl.Expr, pl.Expr], engine: Engine) -> bool:
    plain = [rebuilt(frame, one).alias(name) for one, name in zip(inputs, "pa", strict=True)]
    expected = pl.DataFrame(plain).select(row.function("p", "a")).to_series()
    lazy = frame.lazy().with_columns(row.function(*inputs))
    return lazy.collect(engine=engine)[row.name].equals(expected, null_equal=True)


def due(layouts: dict[str, pl.Expr], row: RowExpression) -> list[tuple[str, pl.Expr]]:
    """Return every third layout, from another one on for each expression: the same code reads all."""
    step = amount(3, 1)
    return list(layouts.items())[ROW_EXPRESSIONS.index(row) % step :: step]


@each_engine
@each_row
def test_texts_of_any_layout(row: RowExpression, engine: Engine) -> None:
    for layout, texts in due(TEXT_LAYOUTS, row):
        for frame in (FRAME, FRAME.slice(3, 7)) if "gather" not in layout else (FRAME,):
            assert holds(row, frame, (texts, pl.col("other")), engine), layout
            assert holds(row, frame, (pl.col("other"), texts), engine), layout


@each_engine
@each_row_with_lists
def test_lists_of_any_layout(row: RowExpression, engine: Engine) -> None:
    for layout, lists in due(LIST_LAYOUTS, row):
        for frame in (FRAME, FRAME.slice(3, 7)) if layout not in {"gathered", "array_gathered"} else (FRAME,):
            assert holds(row, frame, (pl.col("text"), lists), engine), layout


def test_entries_under_a_null_row_are_no_answers() -> None:
    # Arrow allows a null list to span entries; Polars hands them on as they are.
    entries = pa.array(["a", "b", "c", "c"])
    spanning = pa.ListArray.from_arrays(
        pa.array([0, 1, 3, 4], pa.int32()), entries, mask=pa.array([False, True, False])
    )
    arrays = pa.FixedSizeListArray.from_arrays(
        pa.array(["a", None, "b", "b", "c", "x"]), 2, mask=pa.array([False, True, False])
    )
    frame = pl.DataFrame({"text": ["a", "b", "c"], "list": pl.Series(spanning), "array": pl.Series(arrays)})

    for row in LIST_EXPRESSIONS:
        for column in ("list", "array"):
            assert holds(row, frame, (pl.col("text"), pl.col(column)), "in-memory")
            assert holds(row, frame.slice(1), (pl.col("text"), pl.col(column)), "in-memory")


def test_bytes_under_a_null_text_are_no_text() -> None:
    offsets, data = pa.array([0, 1, 3, 4], pa.int32()).buffers()[1], pa.py_buffer(b"a\xff\xfec")
    texts = pa.StringArray.from_buffers(3, offsets, data, pa.py_buffer(b"\x05"), 1)
    frame = pl.DataFrame({"text": pl.Series(texts), "other": ["a", "b", "c"]})

    for row in ROW_EXPRESSIONS:
        result = frame.select(row.function("text", "other")).to_series()
        assert result.to_list()[1] == ("missing" if row.name == "error_type" else None)
        assert holds(row, frame, (pl.col("other"), pl.col("text")), "in-memory")
