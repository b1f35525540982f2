"""Row functions of pandas Series and frames: the scores of Polars, with pandas' index, name and dtypes."""

from __future__ import annotations

import inspect
from typing import Any

import pandas as pd
import polars as pl
import pytest
from registry import LIST_EXAMPLES, TEXT_EXAMPLES, RowExpression, each_row, namespace

import anls_frame as af

FRAMES = [
    pd.DataFrame(
        {"ocr": [row.prediction for row in rows], "gold": [row.answers for row in rows]},
        index=pd.Index([f"q{number % 5}" for number in range(len(rows))], name="question"),
    )
    for rows in (TEXT_EXAMPLES, LIST_EXAMPLES)
]
TEXTS, LISTS = FRAMES
DTYPES = {
    pl.Float64(): "float64",
    pl.Int64(): "Int64",
    pl.Boolean(): "boolean",
    pl.String(): str(pl.Series(["a"]).to_pandas().dtype),
}


def plain(value: Any) -> Any:
    return value if isinstance(value, list) else None if pd.isna(value) else value


def expected(row: RowExpression, frame: pd.DataFrame, **options: Any) -> pl.Series:
    columns = pl.DataFrame({name: [plain(value) for value in frame[name]] for name in frame.columns})
    return columns.select(row.function("ocr", "gold", **options)).to_series()


def function(row: RowExpression, frame: pd.DataFrame, **options: Any) -> Any:
    return row.function(frame["ocr"], frame["gold"], **options)


def method(row: RowExpression, frame: pd.DataFrame, **options: Any) -> Any:
    return getattr(namespace(frame), row.name)("ocr", "gold", **options)


each_way = pytest.mark.parametrize("score", [function, method])


@each_way
@each_row
def test_scores_are_those_of_polars_with_the_index_of_the_frame(row: RowExpression, score: Any) -> None:
    for frame in FRAMES if row.takes_lists else [TEXTS]:
        for options in ({}, {"missing": "empty"}, {row.options[0].name: row.options[0].valid[-1]}):
            found, wanted = score(row, frame, **options), expected(row, frame, **options)

            pd.testing.assert_index_equal(found.index, frame.index)
            if isinstance(row.dtype, pl.Struct):
                assert list(found.columns) == [field.name for field in wanted.struct.unnest()]
                for field in wanted.struct.unnest():
                    assert [plain(value) for value in found[field.name]] == field.to_list()
                    assert str(found[field.name].dtype) == DTYPES[field.dtype]
            else:
                assert found.name == row.name
                assert [plain(value) for value in found] == wanted.to_list()


@each_way
@each_row
def test_dtypes_do_not_depend_on_the_data(row: RowExpression, score: Any) -> None:
    if isinstance(row.dtype, pl.Struct):
        return
    for frame in (TEXTS, TEXTS.dropna(), TEXTS[:0], TEXTS.assign(ocr=None)):
        found = score(row, frame)

        if isinstance(row.dtype, pl.Enum):
            assert found.cat.categories.tolist() == row.dtype.categories.to_list()
        else:
            assert str(found.dtype) == DTYPES.get(row.dtype, "object")


def test_explain_gives_a_column_for_each_field() -> None:
    found = namespace(LISTS).explain("ocr", "gold")

    assert list(found.columns) == [
        "raw",
        "unicode_form",
        "case",
        "punctuation",
        "whitespace",
        "score",
        "step",
    ]
    pd.testing.assert_series_equal(found["score"], af.anls(LISTS["ocr"], LISTS["gold"]).rename("score"))


def test_vectors_of_numbers_are_compared() -> None:
    frame = pd.DataFrame({"a": [[1, 0], (1,), None], "b": [[1, 1], [1, 0], [2]]}, index=[7, 8, 9])

    found = namespace(frame).hamming_vectors("a", "b")

    assert found.dropna().to_dict() == {7: 1}
    assert found.index.tolist() == [7, 8, 9]
    assert found.name == "hamming_vectors"


def test_series_without_names_or_with_the_same_name() -> None:
    one, other = pd.Series(["a", "b"]), pd.Series(["a", "c"])

    assert af.cer(one, other).tolist() == [0.0, 1.0]
    assert af.cer(one.rename("x"), other.rename("x")).tolist() == [0.0, 1.0]
    assert af.cer(one.rename(3), other.rename(4)).tolist() == [0.0, 1.0]  # type: ignore[arg-type]
    assert af.cer(one, one).tolist() == [0.0, 0.0]


def test_columns_are_named_by_keyword_too() -> None:
    wanted = af.cer(TEXTS["ocr"], TEXTS["gold"])

    pd.testing.assert_series_equal(af.cer(prediction=TEXTS["ocr"], answers=TEXTS["gold"]), wanted)
    pd.testing.assert_series_equal(namespace(TEXTS).cer(prediction="ocr", answers="gold"), wanted)
    pd.testing.assert_series_equal(namespace(TEXTS).cer("ocr", answers=TEXTS["gold"]), wanted)


def test_series_with_other_indexes_are_an_error_that_says_what_to_do() -> None:
    one, other = pd.Series(["a", "b"], index=[1, 2]), pd.Series(["b", "a"], index=[2, 1])

    with pytest.raises(
        ValueError, match=r"prediction and answers must have the same index; align them first"
    ):
        af.cer(one, other)
    with pytest.raises(ValueError, match=r"prediction and reference must have the same index"):
        af.levenshtein(one, other[:1])
    assert af.cer(*one.align(other)).tolist() == [0.0, 0.0]
    assert af.cer(one, other.set_axis(one.index)).tolist() == [1.0, 1.0]


@each_row
def test_wrong_columns_are_answered_as_in_add_scores(row: RowExpression) -> None:
    frame = pd.DataFrame({"ocr": ["a"], "gold": ["a"], "n": [1], "mixed": [object()]}, index=["x"])
    score = getattr(namespace(frame), row.name)

    with pytest.raises(af.exceptions.ColumnNotFoundError, match=r"no column 'ocrr'.*did you mean 'ocr'"):
        score("ocrr", "gold")
    with pytest.raises(af.DTypeError, match="column 'n' has dtype Int64 and must hold strings"):
        score("n", "gold")
    with pytest.raises(af.DTypeError, match="column 'mixed', row 'x'"):
        score("ocr", "mixed")
    with pytest.raises(TypeError, match=f"`{row.name}` takes a column name.*got int"):
        score(0, 1)
    with pytest.raises(TypeError, match="must both be pandas Series"):
        score("ocr", pl.col("gold"))
    with pytest.raises(TypeError, match="missing a required argument"):
        score("ocr")
    with pytest.raises(TypeError, match="unexpected keyword"):
        score("ocr", "gold", no_option=1)


def test_help_shows_both_columns() -> None:
    assert list(inspect.signature(namespace(TEXTS).cer).parameters)[:2] == ["prediction", "answers"]
    shown = inspect.getdoc(namespace(TEXTS).cer) or ""
    assert "pandas Series" in " ".join(shown.split())
