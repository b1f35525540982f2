"""What stands for a column: names, expressions, Series, literals, in a frame, a list or on their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import polars as pl
import pytest
from registry import (
    LIST_EXAMPLES,
    TEXT_EXAMPLES,
    TEXTS,
    Engine,
    Example,
    RowExpression,
    each_engine,
    each_row,
    each_row_with_lists,
    namespace,
)

BRAND = tuple(row for row in TEXT_EXAMPLES if row.answers == "Coca Cola")

# Ways to pass the two columns of a frame.
STYLES: dict[str, Callable[[RowExpression, pl.DataFrame], pl.Expr]] = {
    "names": lambda row, _: row.function("prediction", "answers"),
    "keywords": lambda row, _: row.function(
        **dict(zip((name for name, _ in row.inputs), ("prediction", "answers"), strict=True))
    ),
    "expressions": lambda row, _: row.function(pl.col("prediction"), pl.col("answers")),
    "series": lambda row, frame: row.function(frame["prediction"], frame["answers"]),
    "series_on_the_left": lambda row, frame: row.function(frame["prediction"], "answers"),
    "series_on_the_right": lambda row, frame: row.function("prediction", frame["answers"]),
    "unnamed_series": lambda row, frame: row.function("prediction", frame["answers"].alias("")),
    "namespace_and_name": lambda row, _: getattr(namespace(pl.col("prediction")), row.name)("answers"),
    "namespace_and_expression": lambda row, _: getattr(namespace(pl.col("prediction")), row.name)(
        pl.col("answers")
    ),
    "namespace_and_series": lambda row, frame: getattr(namespace(pl.col("prediction")), row.name)(
        frame["answers"]
    ),
}


def values(row: RowExpression, examples: tuple[Example, ...]) -> list[Any]:
    return [example.expected(row.name) for example in examples]


@pytest.mark.parametrize("style", STYLES)
@each_row
def test_every_way_to_pass_texts_gives_the_same(row: RowExpression, style: str) -> None:
    result = TEXTS.select(STYLES[style](row, TEXTS))

    assert result.to_dict(as_series=False) == {row.name: values(row, TEXT_EXAMPLES)}


@each_row
def test_two_literals_give_one_row_or_one_for_each_row_of_the_frame(row: RowExpression) -> None:
    both = row.function(pl.lit("Coca cola"), pl.lit("Coca Cola"))
    expected = next(example for example in BRAND if example.prediction == "Coca cola").expected(row.name)

    assert pl.select(both).to_series().to_list() == [expected]
    assert TEXTS.with_columns(both)[row.name].to_list() == [expected] * TEXTS.height
    assert TEXTS.head(0).with_columns(both)[row.name].to_list() == []


@each_engine
@each_row
def test_predictions_inside_a_list_are_scored_by_list_eval(row: RowExpression, engine: Engine) -> None:
    candidates = [[example.prediction for example in BRAND], [], None, [None], ["Coca cola"]]
    frame = pl.LazyFrame({"candidates": candidates}, schema={"candidates": pl.List(pl.String)})
    each = pl.col("candidates").list.eval(row.function(pl.element(), pl.lit("Coca Cola")))
    expected = values(row, BRAND)
    nothing = "missing" if row.name == "error_type" else None

    result = frame.select(each).collect(engine=engine).to_series()

    assert result.to_list() == [expected, [], None, [nothing], [expected[1]]]
    assert result.dtype == pl.List(row.dtype)


@each_row_with_lists
def test_a_list_of_answers_is_constant_inside_list_eval(row: RowExpression) -> None:
    examples = tuple(row for row in LIST_EXAMPLES if row.answers == ["Coca Cola", None, "Pepsi"])
    frame = pl.DataFrame({"candidates": [[example.prediction for example in examples], None]})
    answers = pl.lit(pl.Series([["Coca Cola", None, "Pepsi"]]))

    result = frame.select(pl.col("candidates").list.eval(row.function(pl.element(), answers)))

    assert result.to_series().to_list() == [values(row, examples), None]


@pytest.mark.parametrize("name", ["", "a b", "é😀", "nls", "a'b", "a\nb"])
@each_row
def test_any_column_name_will_do(row: RowExpression, name: str) -> None:
    frame = TEXTS.rename({"prediction": name})

    result = frame.select(row.function(name, "answers"))

    assert result.to_dict(as_series=False) == {row.name: values(row, TEXT_EXAMPLES)}


@each_row
def test_a_column_may_be_compared_with_itself(row: RowExpression) -> None:
    equal = next(example for example in TEXT_EXAMPLES if example.prediction == example.answers == "Cola")

    result = pl.DataFrame({"text": ["Cola", None]}).select(row.function("text", "text"))

    assert result.to_series().to_list() == [equal.expected(row.name), None]


@each_row
def test_an_expression_aggregates_by_group(row: RowExpression) -> None:
    frame = TEXTS.with_columns(group=pl.int_range(pl.len()) % 3)

    result = frame.group_by("group", maintain_order=True).agg(
        row.function("prediction", "answers").count().alias("n"),
        row.function(pl.col("prediction").first(), "answers").alias("against_first"),
    )

    expected = values(row, TEXT_EXAMPLES)
    assert result["n"].to_list() == [
        sum(value is not None for value in expected[start::3]) for start in range(3)
    ]
    assert [group[0] for group in result["against_first"].to_list()] == expected[:3]
