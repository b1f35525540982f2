"""Every row expression gives the values of its definition in every context in which Polars evaluates it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import polars as pl
import pytest
from registry import (
    ENGINES,
    LIST_EXAMPLES,
    TEXT_EXAMPLES,
    Example,
    RowExpression,
    each_row,
    each_row_with_lists,
)

LIST = pl.List(pl.String)
BRAND_NAMES = pl.Enum(["", "Coca Cola", "Coca cola", "CocaCola", "Cola"])
# The rows whose texts stand in the Enum.
ENUM_EXAMPLES = tuple(
    row for row in TEXT_EXAMPLES if {row.prediction, row.answers} <= {*BRAND_NAMES.categories, None}
)


@dataclass(frozen=True)
class Case:
    """A frame with two inputs, and the rows that they stand for."""

    frame: pl.DataFrame
    prediction: pl.Expr
    answers: pl.Expr
    rows: tuple[Example, ...]


# Each evaluates an expression on a frame with the columns "row" and "group", in row order.
CONTEXTS: dict[str, Callable[[pl.LazyFrame, pl.Expr], pl.LazyFrame]] = {
    "select": lambda frame, expression: frame.select(expression),
    "with_columns": lambda frame, expression: frame.with_columns(expression),
    "over": lambda frame, expression: frame.select(expression.over("group")),
    "group_by": lambda frame, expression: (
        frame.group_by("group")
        .agg("row", expression)
        .explode("row", expression.meta.output_name(), empty_as_null=False)
        .sort("row")
    ),
}


# Inputs: each is a frame with the rows of `Example`s, stored in one of the ways that Polars has.


def predictions(rows: Iterable[Example], dtype: pl.DataType | None = None) -> pl.Series:
    return pl.Series("prediction", [row.prediction for row in rows], dtype=dtype or pl.String())


def answers(rows: Iterable[Example], dtype: pl.DataType) -> pl.Series:
    return pl.Series("answers", [row.answers for row in rows], dtype=dtype)


def framed(
    rows: Sequence[Example],
    prediction: pl.Series | None,
    answer: pl.Series | None,
    *,
    literal: pl.Expr | None = None,
) -> Case:
    """Put the columns that are given beside a group and a row number; a literal stands for the other."""
    columns = [column for column in (prediction, answer) if column is not None]
    numbers = range(len(rows))
    frame = pl.DataFrame(
        [
            *columns,
            pl.Series("row", numbers, dtype=pl.Int64),
            pl.Series("group", [number * number % 5 for number in numbers], dtype=pl.Int64),
        ]
    )
    inputs = [pl.col("prediction"), pl.col("answers")]
    if literal is not None:
        inputs[0 if prediction is None else 1] = literal
    return Case(frame, inputs[0], inputs[1], tuple(rows))


def cut(column: pl.Series, *lengths: int) -> pl.Series:
    """Return the same column in chunks of these lengths, the last one taking the rest."""
    wanted = [*lengths, len(column) - sum(lengths)]
    starts = [sum(lengths[:index]) for index in range(len(wanted))]
    # Concatenation drops empty chunks, a filter leaves them: they hold one row until then.
    parts = [column.slice(start, length or 1) for start, length in zip(starts, wanted, strict=True)]
    keep = pl.Series([length > 0 for length in wanted for _ in range(length or 1)], dtype=pl.Boolean)
    chunks = pl.concat(parts, rechunk=False).filter(keep)
    assert chunks.chunk_lengths() == wanted
    return chunks


def padded(rows: Sequence[Example]) -> pl.Series:
    """Return the lists as arrays of width 3, filled up with nulls."""
    lists = (row.answers for row in rows)
    arrays = [[*entries, None, None, None][:3] if isinstance(entries, list) else None for entries in lists]
    return pl.Series("answers", arrays, dtype=pl.Array(pl.String, 3))


def of(rows: Iterable[Example], *, answer: object) -> tuple[Example, ...]:
    return tuple(row for row in rows if row.answers == answer)


def nulls(rows: Sequence[Example]) -> tuple[Example, ...]:
    return tuple(Example(None, None) for _ in rows)


def missing(rows: Sequence[Example]) -> tuple[Example, ...]:
    """Return the rows without their predictions."""
    return tuple(Example(None, row.answers) for row in rows)


T, L = TEXT_EXAMPLES, LIST_EXAMPLES
COKE = of(T, answer="Coca Cola")
BRANDS = of(L, answer=["Coca Cola", None, "Pepsi"])
# A literal on the left: rows that have the prediction "Cola".
COLA, COLA_LISTS = (tuple(row for row in rows if row.prediction == "Cola") for rows in (T, L))
TEXT, CATEGORICAL = pl.String(), pl.Categorical()
BRANDS_LITERAL = pl.lit(pl.Series([["Coca Cola", None, "Pepsi"]]))

TEXT_CASES: dict[str, Callable[[], Case]] = {
    "texts": lambda: framed(T, predictions(T), answers(T, TEXT)),
    "zero_rows": lambda: framed((), predictions(()), answers((), TEXT)),
    "sliced": lambda: framed(T[2:9], predictions(T).slice(2, 7), answers(T, TEXT).slice(2, 7)),
    "chunks": lambda: framed(T, cut(predictions(T), 3, 1, 5), cut(answers(T, TEXT), 1, 1, 7, 2)),
    "empty_chunks": lambda: framed(T, cut(predictions(T), 0, 4, 0, 0, 3), cut(answers(T, TEXT), 4, 0, 8, 0)),
    "categorical": lambda: framed(T, predictions(T, CATEGORICAL), answers(T, CATEGORICAL)),
    "enum": lambda: framed(
        ENUM_EXAMPLES, predictions(ENUM_EXAMPLES, BRAND_NAMES), answers(ENUM_EXAMPLES, BRAND_NAMES)
    ),
    "null_predictions": lambda: framed(missing(T), predictions(nulls(T), pl.Null()), answers(T, TEXT)),
    "null_answers": lambda: framed(nulls(T), predictions(T), answers(nulls(T), pl.Null())),
    "literal_answer": lambda: framed(COKE, predictions(COKE), None, literal=pl.lit("Coca Cola")),
    "literal_prediction": lambda: framed(COLA, None, answers(COLA, TEXT), literal=pl.lit("Cola")),
    "null_literal_answer": lambda: framed(nulls(T), predictions(T), None, literal=pl.lit(None)),
    "null_literal_prediction": lambda: framed(missing(T), None, answers(T, TEXT), literal=pl.lit(None)),
    "literal_against_zero_rows": lambda: framed((), predictions(()), None, literal=pl.lit("Coca Cola")),
    "zero_rows_against_literal": lambda: framed((), None, answers((), TEXT), literal=pl.lit("Cola")),
}

LIST_CASES: dict[str, Callable[[], Case]] = {
    "lists": lambda: framed(L, predictions(L), answers(L, LIST)),
    "zero_rows": lambda: framed((), predictions(()), answers((), LIST)),
    "sliced": lambda: framed(L[3:12], predictions(L).slice(3, 9), answers(L, LIST).slice(3, 9)),
    "chunks": lambda: framed(L, cut(predictions(L), 3, 1, 5), cut(answers(L, LIST), 1, 1, 9, 2)),
    "empty_chunks": lambda: framed(L, cut(predictions(L), 0, 4, 0, 0, 3), cut(answers(L, LIST), 4, 0, 9, 0)),
    "arrays": lambda: framed(L, predictions(L), padded(L)),
    "arrays_of_width_zero": lambda: framed(
        nulls(L),
        predictions(L),
        pl.Series("answers", [[], None] * 7 + [[]], dtype=pl.Array(pl.String, 0)),
    ),
    "lists_of_categories": lambda: framed(L, predictions(L), answers(L, pl.List(CATEGORICAL))),
    "lists_of_nothing": lambda: framed(
        nulls(L),
        predictions(L),
        pl.Series("answers", [[], [None], None] * (len(L) // 3), dtype=pl.List(pl.Null)),
    ),
    "null_predictions": lambda: framed(missing(L), predictions(nulls(L), pl.Null()), answers(L, LIST)),
    "literal_answers": lambda: framed(BRANDS, predictions(BRANDS), None, literal=BRANDS_LITERAL),
    "literal_prediction": lambda: framed(COLA_LISTS, None, answers(COLA_LISTS, LIST), literal=pl.lit("Cola")),
    "null_literal_prediction": lambda: framed(missing(L), None, answers(L, LIST), literal=pl.lit(None)),
    "null_literal_answers": lambda: framed(nulls(L), predictions(L), None, literal=pl.lit(None, LIST)),
}


@cache
def text_case(name: str) -> Case:
    return TEXT_CASES[name]()


@cache
def list_case(name: str) -> Case:
    return LIST_CASES[name]()


def check(row: RowExpression, case: Case) -> None:
    expression = row.function(case.prediction, case.answers)
    expected = [example.expected(row.name) for example in case.rows]

    assert case.frame.lazy().select(expression).collect_schema() == {row.name: row.dtype}
    # A test for each context would take longer than what it tests.
    for (context, evaluate), engine in itertools.product(CONTEXTS.items(), ENGINES):
        result = evaluate(case.frame.lazy(), expression).collect(engine=engine)[row.name]
        assert result.dtype == row.dtype, (context, engine)
        assert result.to_list() == expected, (context, engine)


@pytest.mark.every_combination
@pytest.mark.parametrize("case", TEXT_CASES)
@each_row
def test_texts_give_the_defined_values(row: RowExpression, case: str) -> None:
    check(row, text_case(case))


@pytest.mark.every_combination
@pytest.mark.parametrize("case", LIST_CASES)
@each_row_with_lists
def test_lists_of_answers_give_the_defined_values(row: RowExpression, case: str) -> None:
    check(row, list_case(case))


@pytest.mark.parametrize("case", [case for case in TEXT_CASES if "chunks" in case])
def test_the_cases_with_chunks_keep_them_in_the_frame(case: str) -> None:
    frame = text_case(case).frame

    chunks = [frame[name].n_chunks() for name in ("prediction", "answers") if name in frame.columns]

    assert min(chunks) > 1
