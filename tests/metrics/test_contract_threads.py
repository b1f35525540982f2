"""Calls from many threads at once: each gets its own result, and its own error."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import polars as pl
import pytest
from campaign import amount
from polars.exceptions import ComputeError
from registry import ROW_EXPRESSIONS, RowExpression

import anls_frame as af


def message_of(row: RowExpression, number: int) -> str:
    """Return the first line of the error over a column that has a name of its own."""
    prediction = pl.Series(f"prediction {number}", ["a"] * (number + 2))
    other = pl.Series(f"other {number}", ["b"] * (number + 3))
    with pytest.raises(ComputeError) as caught:
        pl.select(row.function(prediction, other))
    return str(caught.value).partition("\n")[0]


@pytest.mark.parametrize("row", ROW_EXPRESSIONS[:: amount(3, 1)], ids=lambda row: row.name)
def test_results_and_errors_do_not_mix(row: RowExpression) -> None:
    frame = pl.DataFrame({"prediction": ["Cola", None], "answer": ["Cola", "a"]})
    expected = frame.select(row.function("prediction", "answer"))

    def one(number: int) -> Any:
        if number % 2:
            return message_of(row, number)
        return frame.select(row.function("prediction", "answer"))

    with ThreadPoolExecutor(8) as pool:
        results = list(pool.map(one, range(200)))

    assert all(result.equals(expected) for result in results[::2])
    assert results[1::2] == [
        "the plugin failed with message: columns of different lengths: "
        f"'prediction {number}' has {number + 2} rows, 'other {number}' has {number + 3}"
        for number in range(1, 200, 2)
    ]


@pytest.mark.parametrize("engine", ["in-memory", "streaming"])
def test_a_large_frame_is_scored_row_by_row_on_every_engine(engine: Any) -> None:
    # Enough rows for several threads, in an order that a mistake at any seam would show.
    rows = 200_000
    frame = pl.LazyFrame({"row": range(rows)}).select(
        "row",
        prediction=pl.format("row {}", "row"),
        answers=pl.concat_list(pl.format("row {}", pl.col("row") + pl.col("row") % 2), pl.lit("none")),
    )

    result = af.add_scores(frame, "prediction", "answers").collect(engine=engine)

    even = pl.int_range(rows, eager=True) % 2 == 0
    assert result["row"].equals(pl.Series("row", range(rows)))
    assert result["exact_match"].equals(even.alias("exact_match"))
    assert result["answer_index"].sum() == 0
    assert result["reference_length"].equals(
        pl.select((pl.int_range(rows) + pl.int_range(rows) % 2).cast(pl.String).str.len_chars() + 4)
        .to_series()
        .alias("reference_length")
    )
