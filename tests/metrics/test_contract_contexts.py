"""Every row expression gives the written-out values in every context in which Polars evaluates it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import polars as pl
import pytest
from registry import (
    LIST_EXAMPLES,
    TEXT_EXAMPLES,
    Engine,
    Example,
    RowExpression,
    each_row,
    each_row_with_lists,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

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


# Contexts: each evaluates an expression on a frame with the columns "row" and "group", in row order.


def select(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    return frame.select(expression).to_series()


def with_columns(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    return frame.with_columns(expression)[expression.meta.output_name()]


def over(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    return frame.select(expression.over("group")).to_series()


def group_by(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
    name = expression.meta.output_name()
    return (
        frame.group_by("group")
        .agg("row", expression)
        .explode("row", name, empty_as_null=False)
        .sort("row")[name]
    )


def lazy_select(engine: Engine) -> Callable[[pl.DataFrame, pl.Expr], pl.Series]:
    return lambda frame, expression: frame.lazy().select(expression).collect(engine=engine).to_series()


def lazy_with_columns(engine: Engine) -> Callable[[pl.DataFrame, pl.Expr], pl.Series]:
    return lambda frame, expression: (
        frame.lazy().with_columns(expression).collect(engine=engine)[expression.meta.output_name()]
    )


def lazy_over(engine: Engine) -> Callable[[pl.DataFrame, pl.Expr], pl.Series]:
    return lambda frame, expression: (
        frame.lazy().select(expression.over("group")).collect(engine=engine).to_series()
    )


def lazy_group_by(engine: Engine) -> Callable[[pl.DataFrame, pl.Expr], pl.Series]:
    def evaluate(frame: pl.DataFrame, expression: pl.Expr) -> pl.Series:
        name = expression.meta.output_name()
        groups = frame.lazy().group_by("group").agg("row", expression)
        return groups.explode("row", name, empty_as_null=False).sort("row").collect(engine=engine)[name]

    return evaluate


CONTEXTS: dict[str, Callable[[pl.DataFrame, pl.Expr], pl.Series]] = {
    "select": select,
    "with_columns": with_columns,
    "over": over,
    "group_by": group_by,
    "in_memory_select": lazy_select("in-memory"),
    "in_memory_with_columns": lazy_with_columns("in-memory"),
    "in_memory_over": lazy_over("in-memory"),
    "in_memory_group_by": lazy_group_by("in-memory"),
    "streaming_select": lazy_select("streaming"),
    "streaming_with_columns": lazy_with_columns("streaming"),
    "streaming_over": lazy_over("streaming"),
    "streaming_group_by": lazy_group_by("streaming"),
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


def many(rows: Sequence[Example]) -> tuple[Example, ...]:
    """Return the rows again and again, about 3,000 of them."""
    return tuple(rows) * (3_000 // len(rows))


def in_many_chunks(column: pl.Series, first: int) -> pl.Series:
    """Return the same column in 1,000 chunks of about 3 rows, the first one of another length."""
    return cut(column, first, *(2 + index % 3 for index in range(900)), *[1] * 98)


def nulls(rows: Sequence[Example]) -> tuple[Example, ...]:
    return tuple(Example(None, None) for _ in rows)


def missing(rows: Sequence[Example]) -> tuple[Example, ...]:
    """Return the rows without their predictions: the error type is the one result that is not null then."""
    given = [row.answers if isinstance(row.answers, list) else [row.answers] for row in rows]
    types = ["missing" if any(one is not None for one in answers) else None for answers in given]
    return tuple(Example(None, None, error_type=error_type) for error_type in types)


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
    "one_row": lambda: framed(T[:1], predictions(T[:1]), answers(T[:1], TEXT)),
    "sliced": lambda: framed(T[2:9], predictions(T).slice(2, 7), answers(T, TEXT).slice(2, 7)),
    "sliced_to_nothing": lambda: framed((), predictions(T).slice(5, 0), answers(T, TEXT).slice(4, 0)),
    "chunks": lambda: framed(T, cut(predictions(T), 3, 1, 5), cut(answers(T, TEXT), 1, 1, 7, 2)),
    "empty_chunks": lambda: framed(T, cut(predictions(T), 0, 4, 0, 0, 3), cut(answers(T, TEXT), 4, 0, 8, 0)),
    "thousand_chunks": lambda: framed(
        many(T), in_many_chunks(predictions(many(T)), 7), in_many_chunks(answers(many(T), TEXT), 1)
    ),
    "categorical": lambda: framed(T, predictions(T, CATEGORICAL), answers(T, CATEGORICAL)),
    "categorical_chunks": lambda: framed(
        T, cut(predictions(T, CATEGORICAL), 3, 4), cut(answers(T, CATEGORICAL), 1, 8)
    ),
    "enum": lambda: framed(
        ENUM_EXAMPLES, predictions(ENUM_EXAMPLES, BRAND_NAMES), answers(ENUM_EXAMPLES, BRAND_NAMES)
    ),
    "null_predictions": lambda: framed(missing(T), predictions(nulls(T), pl.Null()), answers(T, TEXT)),
    "null_answers": lambda: framed(nulls(T), predictions(T), answers(nulls(T), pl.Null())),
    "literal_answer": lambda: framed(COKE, predictions(COKE), None, literal=pl.lit("Coca Cola")),
    "literal_prediction": lambda: framed(COLA, None, answers(COLA, TEXT), literal=pl.lit("Cola")),
    "null_literal_answer": lambda: framed(nulls(T), predictions(T), None, literal=pl.lit(None)),
    "null_literal_prediction": lambda: framed(missing(T), None, answers(T, TEXT), literal=pl.lit(None)),
    "typed_null_literal": lambda: framed(nulls(T), predictions(T), None, literal=pl.lit(None, pl.String)),
    "literal_against_zero_rows": lambda: framed((), predictions(()), None, literal=pl.lit("Coca Cola")),
    "zero_rows_against_literal": lambda: framed((), None, answers((), TEXT), literal=pl.lit("Cola")),
    "literal_against_one_row": lambda: framed(
        COKE[:1], predictions(COKE[:1]), None, literal=pl.lit("Coca Cola")
    ),
    "literal_against_chunks": lambda: framed(
        COKE, cut(predictions(COKE), 1, 0, 2), None, literal=pl.lit("Coca Cola")
    ),
}

LIST_CASES: dict[str, Callable[[], Case]] = {
    "lists": lambda: framed(L, predictions(L), answers(L, LIST)),
    "zero_rows": lambda: framed((), predictions(()), answers((), LIST)),
    "sliced": lambda: framed(L[3:12], predictions(L).slice(3, 9), answers(L, LIST).slice(3, 9)),
    "sliced_to_nothing": lambda: framed((), predictions(L).slice(5, 0), answers(L, LIST).slice(4, 0)),
    "chunks": lambda: framed(L, cut(predictions(L), 3, 1, 5), cut(answers(L, LIST), 1, 1, 9, 2)),
    "empty_chunks": lambda: framed(L, cut(predictions(L), 0, 4, 0, 0, 3), cut(answers(L, LIST), 4, 0, 9, 0)),
    "thousand_chunks": lambda: framed(
        many(L), in_many_chunks(predictions(many(L)), 7), in_many_chunks(answers(many(L), LIST), 1)
    ),
    "arrays": lambda: framed(L, predictions(L), padded(L)),
    "arrays_sliced": lambda: framed(L[3:12], predictions(L[3:12]), padded(L).slice(3, 9)),
    "arrays_in_chunks": lambda: framed(L, cut(predictions(L), 3, 5), cut(padded(L), 1, 0, 7)),
    "arrays_zero_rows": lambda: framed((), predictions(()), padded(())),
    "arrays_of_width_zero": lambda: framed(
        nulls(L),
        predictions(L),
        pl.Series("answers", [[], None] * 7 + [[]], dtype=pl.Array(pl.String, 0)),
    ),
    "arrays_of_nulls": lambda: framed(
        nulls(L), predictions(L), pl.Series("answers", [[None, None]] * len(L), dtype=pl.Array(pl.Null, 2))
    ),
    "lists_of_categories": lambda: framed(L, predictions(L), answers(L, pl.List(CATEGORICAL))),
    "arrays_of_categories": lambda: framed(L, predictions(L), padded(L).cast(pl.Array(CATEGORICAL, 3))),
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
    "literal_against_zero_rows": lambda: framed((), predictions(()), None, literal=BRANDS_LITERAL),
    "zero_rows_against_literal": lambda: framed((), None, answers((), LIST), literal=pl.lit("Cola")),
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
    for context, evaluate in CONTEXTS.items():
        result = evaluate(case.frame, expression)
        assert (result.name, result.dtype) == (row.name, row.dtype), context
        assert result.to_list() == expected, context


@pytest.mark.every_combination
@pytest.mark.parametrize("case", TEXT_CASES)
@each_row
def test_texts_give_the_written_values(row: RowExpression, case: str) -> None:
    check(row, text_case(case))


@pytest.mark.every_combination
@pytest.mark.parametrize("case", LIST_CASES)
@each_row_with_lists
def test_lists_of_answers_give_the_written_values(row: RowExpression, case: str) -> None:
    check(row, list_case(case))


@pytest.mark.parametrize("case", [case for case in TEXT_CASES if "chunks" in case])
def test_the_cases_with_chunks_keep_them_in_the_frame(case: str) -> None:
    frame = text_case(case).frame

    chunks = [frame[name].n_chunks() for name in ("prediction", "answers") if name in frame.columns]

    assert min(chunks) > 1
