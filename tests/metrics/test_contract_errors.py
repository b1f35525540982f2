"""What is refused, when, and in which words."""

from __future__ import annotations

import dataclasses
import re
from typing import Any, Literal

import pandas as pd
import polars as pl
import pytest
from polars.exceptions import ComputeError, PolarsError
from registry import (
    CUTTING_PROTOCOL,
    ROW_EXPRESSIONS,
    THRESHOLD,
    Engine,
    Option,
    RowExpression,
    each_engine,
    each_row,
    namespace,
)

import anls_frame as af

FRAME = pl.DataFrame(
    {
        "prediction": ["Cola", "", None],
        "answer": ["Coca Cola", "", "a"],
        "number": [1, 2, 3],
        "list": [["a"], ["b", None], []],
        "group": [1, 1, 2],
    }
)
NO_COLUMNS: dict[str, object] = {
    "list": ["Cola"],
    "tuple": ("Cola",),
    "none": None,
    "integer": 3,
    "float": 0.5,
    "boolean": True,
    "bytes": b"prediction",
    "dict": {"prediction": "Cola"},
    "frame": FRAME,
    "dtype": pl.String,
}


def with_values(which: Literal["valid", "invalid"]) -> list[Any]:
    """Return a test parameter for each expression, option and value of it."""
    return [
        pytest.param(row, option, value, id=f"{row.name}-{option.name}-{value!r:.40}")
        for row in ROW_EXPRESSIONS
        for option in row.options
        for value in getattr(option, which)
    ]


def test_the_advice_about_plain_values_gives_scores() -> None:
    with pytest.raises(
        TypeError, match=r"got list; wrap values in `pl\.Series`.*; `pl\.select\(cer\(\.\.\.\)\)`"
    ):
        af.cer(["ab", "cd"], ["ab", "ce"])  # type: ignore[call-overload]
    scores = pl.select(af.cer(pl.Series(["ab", "cd"]), pl.Series(["ab", "ce"])))
    assert scores.to_series().to_list() == [0.0, 0.5]


@pytest.mark.parametrize("value", NO_COLUMNS.values(), ids=NO_COLUMNS)
@each_row
def test_a_value_is_no_column(row: RowExpression, value: object) -> None:
    for arguments in ((value, "answer"), ("prediction", value)):
        with pytest.raises(TypeError, match=rf"`{row.name}` takes a column name.*got .*wrap values in"):
            row.function(*arguments)
    with pytest.raises(TypeError, match=f"`{row.name}` takes a column name"):
        getattr(namespace(pl.col("prediction")), row.name)(value)


@each_row
def test_options_are_passed_by_keyword_only(row: RowExpression) -> None:
    with pytest.raises(TypeError, match="positional argument"):
        row.function("prediction", "answer", row.options[0].default)


@pytest.mark.parametrize(("row", "option", "value"), with_values("invalid"))
def test_an_option_outside_its_choices_is_refused_at_call_time(
    row: RowExpression, option: Option, value: tuple[object, type[Exception]]
) -> None:
    refused, error = value

    with pytest.raises(error, match=f"{option.name.removeprefix('cer_')}|ANLS needs a threshold"):
        row.function("prediction", "answer", **{option.name: refused})


@pytest.mark.parametrize(("row", "option", "value"), with_values("valid"))
def test_an_option_changes_neither_the_dtype_nor_the_rows_that_are_null(
    row: RowExpression, option: Option, value: object
) -> None:
    result = FRAME.select(row.function("prediction", "answer", **{option.name: value})).to_series()

    assert result.dtype == row.dtype
    # Of a prediction that is null, the error type alone says something. As empty text, it differs in length.
    is_null = row.name == "hamming" or (row.name != "error_type" and value != "empty")
    assert result.is_null().to_list()[1:] == [False, is_null]


@pytest.mark.parametrize(("value", "error"), CUTTING_PROTOCOL.invalid, ids=repr)
def test_add_scores_refuses_the_same_protocols(value: Any, error: type[Exception]) -> None:
    with pytest.raises(error, match="protocol"):
        af.add_scores(FRAME, "prediction", "answer", protocol=value)


def test_an_unknown_protocol_is_answered_with_the_presets() -> None:
    presets = ", ".join(map(repr, af.PROTOCOLS))
    with pytest.raises(ValueError, match=f"'docvqa'.*{presets}"):
        af.nls("prediction", "answer", protocol="docvqa")


def test_anls_without_a_threshold_says_how_to_give_one() -> None:
    with pytest.raises(ValueError, match=r"'raw' has none; pass threshold=0\.5"):
        af.anls("prediction", "answer", protocol="raw")
    with pytest.raises(ValueError, match=r"this protocol has none; pass threshold=0\.5"):
        af.anls("prediction", "answer", protocol=af.ScoreProtocol())
    with pytest.raises(ValueError, match=r"raw has none; give it one, such as threshold=0\.5"):
        af.score("prediction", "answer", protocol="raw")


@pytest.mark.parametrize(
    ("option", "value", "error"),
    [
        ("ignore_case", 1, TypeError),
        ("ignore_case", None, TypeError),
        ("ignore_punctuation", "P", TypeError),
        ("whitespace", "trim", ValueError),
        ("whitespace", None, ValueError),
        ("whitespace", ["keep"], ValueError),
        ("unicode_form", "NFD", ValueError),
        ("unicode_form", "nfc", ValueError),
        ("unicode_form", True, ValueError),
        ("length", "raw", ValueError),
        ("length", None, ValueError),
        ("cut", ">=", ValueError),
        ("cut", None, ValueError),
        *(("threshold", value, error) for value, error in THRESHOLD.invalid),
        ("errors", "docvqa", ValueError),
        ("errors", {"ignore_case": True}, TypeError),
    ],
)
def test_a_protocol_refuses_options_outside_their_choices(
    option: str, value: object, error: type[Exception]
) -> None:
    options: dict[str, Any] = {option: value}

    with pytest.raises(error, match=option):
        af.ScoreProtocol(**options)


def test_a_protocol_takes_no_unknown_and_no_positional_options() -> None:
    wrong: dict[str, Any] = {"treshold": 0.5}

    with pytest.raises(TypeError, match="treshold"):
        af.ScoreProtocol(**wrong)
    with pytest.raises(TypeError, match="positional"):
        af.ScoreProtocol(*[True])


def test_a_protocol_cannot_be_changed_but_copied_with_changes() -> None:
    protocol = af.PROTOCOLS["anls"]

    with pytest.raises(dataclasses.FrozenInstanceError):
        protocol.threshold = 0.7  # type: ignore[misc]
    assert dataclasses.replace(protocol, threshold=0.7).threshold == 0.7
    with pytest.raises(ValueError, match="threshold"):
        dataclasses.replace(protocol, threshold=7)


@each_engine
@each_row
def test_a_prediction_that_is_a_list_is_refused_by_name(row: RowExpression, engine: Engine) -> None:
    wrong = FRAME.lazy().select(row.function("list", "answer"))

    message = rf"`{row.name}` needs one string per row.*'list' has dtype List\(String\)"
    with pytest.raises(ComputeError, match=message):
        wrong.collect_schema()
    with pytest.raises(ComputeError, match=message):
        wrong.collect(engine=engine)


@pytest.mark.parametrize(
    "row", [row for row in ROW_EXPRESSIONS if not row.takes_lists], ids=lambda row: row.name
)
def test_a_reference_that_is_a_list_is_refused_with_the_way_out(row: RowExpression) -> None:
    with pytest.raises(ComputeError, match=r"column 'list' has dtype List\(String\).*explode.*`nls`"):
        FRAME.select(row.function("prediction", "list"))


def test_a_reference_that_is_an_array_is_told_how_to_take_one_entry() -> None:
    frame = FRAME.with_columns(array=pl.concat_arr("prediction", "answer"))

    with pytest.raises(ComputeError, match=r"`\.arr\.get\(0\)`"):
        frame.select(af.levenshtein("prediction", "array"))


@each_row
def test_lengths_that_do_not_match_are_an_error_that_names_both(row: RowExpression) -> None:
    other = pl.Series("other", ["a", "b"])
    message = "'prediction' has 3 rows, 'other' has 2"

    with pytest.raises(ComputeError, match=message):
        FRAME.select(row.function("prediction", other))
    with pytest.raises(ComputeError, match=message):
        FRAME.lazy().select(row.function("prediction", other)).collect(engine="in-memory")
    with pytest.raises(ComputeError, match=message):
        pl.select(row.function(FRAME["prediction"], other))
    with pytest.raises(ComputeError, match="'other' has 2 rows, 'answer' has 3"):
        FRAME.select(row.function(other, "answer"))
    with pytest.raises(ComputeError, match="'prediction' has 3 rows, 'other' has 0"):
        FRAME.select(row.function("prediction", other.clear()))


def test_our_errors_are_caught_as_polars_errors_and_as_pythons() -> None:
    assert issubclass(af.DTypeError, TypeError)
    assert issubclass(af.DTypeError, PolarsError)
    assert issubclass(af.DuplicateColumnError, ValueError)
    assert issubclass(af.DuplicateColumnError, PolarsError)
    assert issubclass(af.exceptions.ColumnNotFoundError, PolarsError)


@each_row
def test_types_of_other_libraries_are_called_by_their_full_names(row: RowExpression) -> None:
    # Several libraries have a `DataFrame`.
    for value, name in ((FRAME, "polars.DataFrame"), (FRAME.to_pandas(), "pandas.DataFrame")):
        with pytest.raises(TypeError, match=f"a column name, an expression or a Series, got {name}; wrap"):
            row.function("prediction", value)
    with pytest.raises(TypeError, match=r"got pandas\.Series and str; take the columns from the frame"):
        row.function(pd.Series(["a"]), "answer")
    with pytest.raises(TypeError, match=r"got str and pandas\.Series; take the columns from the frame"):
        row.function("prediction", pd.Series(["a"]))


@each_engine
@each_row
def test_a_number_where_text_is_due_is_refused_by_name(row: RowExpression, engine: Engine) -> None:
    for column in ("prediction", "number"):
        arguments = ("number", "answer") if column == "number" else ("prediction", "number")
        wrong = FRAME.lazy().select(row.function(*arguments))

        with pytest.raises(
            ComputeError, match=rf"`{row.name}` needs .*'number' has dtype Int64.*Read the file with"
        ):
            wrong.collect_schema()
        with pytest.raises(
            ComputeError, match=rf"`{row.name}` needs .*'number' has dtype Int64.*Read the file with"
        ):
            wrong.collect(engine=engine)


@pytest.mark.parametrize(
    ("answers", "advice", "followed"),
    [
        ({"text": "Cola"}, ".struct.field(...)", pl.col("a").struct.field("text")),
        (
            [{"text": "Cola"}],
            ".list.eval(pl.element().struct.field(...))",
            pl.col("a").list.eval(pl.element().struct.field("text")),
        ),
    ],
)
def test_structs_are_answered_with_a_way_to_their_texts(answers: Any, advice: str, followed: pl.Expr) -> None:
    frame = pl.DataFrame({"p": ["Cola"], "a": [answers]})

    with pytest.raises(PolarsError, match=re.escape(f"with `{advice}`")):
        frame.select(af.anls("p", "a"))
    assert frame.select(af.anls("p", followed)).item() == 1
