"""
Faults that other string-distance plugins for Polars were seen with, each held against this one.

They were polars-strsim 0.2.5, polars-distance 0.5.3 and polars_ds 0.13.0, on frames of 12 rows.
"""

from __future__ import annotations

import inspect
import json
import re
import sys
from decimal import Decimal
from importlib.metadata import requires
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from polars.exceptions import ComputeError
from registry import ROW_EXPRESSIONS, RowExpression

import anls_frame as af

if TYPE_CHECKING:
    import subprocess
    from collections.abc import Callable

each_row = pytest.mark.parametrize("row", ROW_EXPRESSIONS, ids=lambda row: row.name)
TEXTS = ["Coca Cola", "CocaCola", "Cola", "", "a", "Coca cola", "cat", "COCA COLA", "x", "Pepsi", "b", "c"]
FRAME = pl.DataFrame({"text": TEXTS})
# Of the distances and rates of "Cola" against the texts, those that tell the two sides apart.
CER_OF_COLA = [0.5555555555555556, 0.5, 0.0, 4.0]
CER_AGAINST_COLA = [1.25, 1.0, 0.0, 1.0]


@each_row
def test_a_literal_on_the_left_gives_a_row_for_each_row(row: RowExpression) -> None:
    # polars-strsim: one row back, silently. polars_ds: an error.
    literal = FRAME.select(row.function(pl.lit("Cola"), "text"))
    column = FRAME.select(row.function(pl.Series(["Cola"] * 12), "text"))

    assert literal.height == 12
    assert literal.equals(column)


@each_row
def test_a_literal_on_the_right_gives_a_row_for_each_row(row: RowExpression) -> None:
    literal = FRAME.select(row.function("text", pl.lit("Cola")))
    column = FRAME.select(row.function("text", pl.Series(["Cola"] * 12)))

    assert literal.height == 12
    assert literal.equals(column)


def test_a_literal_keeps_its_side_in_a_metric_that_has_two() -> None:
    # polars-distance swaps the sides.
    of_cola = FRAME.select(af.cer(pl.lit("Cola"), "text")).to_series().head(4)
    against_cola = FRAME.select(af.cer("text", pl.lit("Cola"))).to_series().head(4)

    assert of_cola.to_list() == CER_OF_COLA
    assert against_cola.to_list() == CER_AGAINST_COLA


@each_row
def test_a_null_literal_gives_null_in_every_row(row: RowExpression) -> None:
    # polars-strsim, polars_ds: a panic.
    # The type of error of a null prediction has a name.
    of_missing = "missing" if row.name == "error_type" else None
    for expression, expected in (
        (row.function("text", pl.lit(None)), None),
        (row.function(pl.lit(None), "text"), of_missing),
    ):
        found = FRAME.select(expression).to_series()
        assert found.to_list() == [None if text is None else expected for text in FRAME["text"]]


HOSTILE: dict[str, pl.Series] = {
    "decimal": pl.Series("x", [Decimal(1)] * 12, dtype=pl.Decimal(10, 2)),
    "int128": pl.Series("x", [1] * 12, dtype=pl.Int128),
    "categorical": pl.Series("x", TEXTS, dtype=pl.Categorical),
}


@pytest.fixture(scope="module")
def outcomes(run_python: Callable[..., subprocess.CompletedProcess[str]]) -> dict[str, Any]:
    process = run_python(__file__)
    assert process.returncode == 0
    assert process.stderr == ""
    outcomes: dict[str, Any] = json.loads(process.stdout)
    return outcomes


@pytest.mark.parametrize("side", ["left", "right"])
@pytest.mark.parametrize(("column", "dtype"), [("decimal", "Decimal"), ("int128", "Int128")])
@each_row
def test_a_decimal_or_a_wide_integer_is_an_error_and_not_the_end_of_the_process(
    outcomes: dict[str, Any], row: RowExpression, column: str, dtype: str, side: str
) -> None:
    # polars-strsim, polars-distance: the process aborts. polars_ds: it aborts over Decimal.
    name, message = outcomes[f"{row.name} {column} {side}"]

    assert name == "ComputeError"
    assert f"column 'x' has dtype {dtype}" in message


@pytest.mark.parametrize("side", ["left", "right"])
@each_row
def test_a_categorical_column_is_text(outcomes: dict[str, Any], row: RowExpression, side: str) -> None:
    # polars-strsim: the process aborts. The others: an error.
    inputs = ("text", pl.lit("Cola")) if side == "left" else (pl.lit("Cola"), "text")

    assert (
        outcomes[f"{row.name} categorical {side}"]
        == FRAME.select(row.function(*inputs)).to_series().to_list()
    )


def test_no_polars_to_come_is_ruled_out() -> None:
    # polars-strsim: `<2.0`, so that an installer settles on an old Polars without a word.
    always = [one for one in requires("anls-frame") or [] if "extra" not in one]
    on_polars = [one.removeprefix("polars") for one in always if re.fullmatch(r"polars\b[^-].*", one)]

    assert len(on_polars) == 1
    assert re.fullmatch(r">=[0-9.]+", on_polars[0])


@each_row
def test_no_option_changes_the_dtype_of_the_result(row: RowExpression) -> None:
    # polars-distance, polars_ds: `normalized` and `return_sim` do. `parallel` flips how Polars runs it.
    names = {option.name for option in row.options}

    assert names.isdisjoint({"normalized", "return_sim", "parallel"})
    for option in row.options:
        for value in option.valid:
            expression = row.function("text", pl.lit("Cola"), **{option.name: value})
            assert FRAME.lazy().select(expression).collect_schema() == {row.name: row.dtype}


@each_row
def test_every_function_has_a_docstring_with_an_example(row: RowExpression) -> None:
    # polars-strsim and most of polars-distance: none.
    assert ">>> " in (inspect.getdoc(row.function) or "")


@each_row
def test_every_function_refuses_the_same_dtypes_in_the_same_words(row: RowExpression) -> None:
    # polars_ds and polars-distance paste the check into every function, and differ from paste to paste.
    frame = pl.DataFrame({"number": [1], "text": ["a"]})

    with pytest.raises(ComputeError) as caught:
        frame.select(row.function("number", "text"))

    message = str(caught.value).partition("\n")[0].replace(f"`{row.name}`", "`METRIC`")
    assert message == (
        "the plugin failed with message: `METRIC` needs one string per row (String), but column 'number' has "
        "dtype Int64. Read it as text where the file is read, as with `schema_overrides={'number': "
        "pl.String}`, or read the file with `anls_frame.read_results`: its values no longer say how they "
        "were written (42, 42.0, 042)."
    )


def evaluate(row: RowExpression, series: pl.Series, side: str) -> Any:
    inputs = ("x", pl.lit("Cola")) if side == "left" else (pl.lit("Cola"), "x")
    try:
        return series.to_frame().select(row.function(*inputs)).to_series().to_list()
    except ComputeError as error:
        return [type(error).__name__, str(error)]


if __name__ == "__main__":
    results = {
        f"{row.name} {column} {side}": evaluate(row, series, side)
        for row in ROW_EXPRESSIONS
        for column, series in HOSTILE.items()
        for side in ("left", "right")
    }
    sys.stdout.write(json.dumps(results))
