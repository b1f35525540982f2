"""pandas columns of every kind that can hold texts or lists of texts, and those that cannot."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any, get_args
from uuid import UUID

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.exceptions import PolarsError
from registry import LIST_EXAMPLES, TEXT_EXAMPLES, namespace

import anls_frame as af
from anls_frame._typing import ScoreColumn

FIELDS: tuple[ScoreColumn, ...] = get_args(ScoreColumn)
DTYPES = {
    "nls": "float64",
    "anls": "float64",
    "cer": "float64",
    "exact_match": "boolean",
    "char_errors": "Int64",
    "reference_length": "Int64",
    "answer_index": "Int64",
}
ARROW_LIST = pd.ArrowDtype(pa.list_(pa.string()))


def arrow(values: Any, kind: Any) -> Any:
    return pd.Series(values, dtype=pd.ArrowDtype(kind))


def scored(prediction: Any, answers: Any, **options: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"prediction": prediction, "answers": answers})
    result = namespace(frame).add_scores("prediction", "answers", **options)
    assert isinstance(result, pd.DataFrame)
    return result


def values(result: pd.DataFrame, field: str) -> list[Any]:
    return [None if pd.isna(value) else value for value in result[field]]


def dtypes(result: pd.DataFrame) -> dict[str, str]:
    return {str(field): str(result[field].dtype) for field in FIELDS}


TEXT_DTYPES: dict[str, Any] = {
    "object": object,
    "str": "str",
    "string_python": "string[python]",
    "string_pyarrow": "string[pyarrow]",
    "category": "category",
    "arrow_string": pd.ArrowDtype(pa.string()),
    "arrow_large_string": pd.ArrowDtype(pa.large_string()),
    "arrow_string_view": pd.ArrowDtype(pa.string_view()),
    "arrow_dictionary": pd.ArrowDtype(pa.dictionary(pa.int32(), pa.string())),
}


@pytest.mark.parametrize("dtype", TEXT_DTYPES)
def test_every_dtype_of_text_gives_the_defined_values(dtype: str) -> None:
    predictions, answers = (
        pd.Series(texts, dtype=TEXT_DTYPES[dtype])
        for texts in ([row.prediction for row in TEXT_EXAMPLES], [row.answers for row in TEXT_EXAMPLES])
    )

    result = scored(predictions, answers)

    for field in FIELDS:
        assert values(result, field) == [row.expected(field) for row in TEXT_EXAMPLES]
    assert dtypes(result) == DTYPES
    assert result["prediction"].dtype == predictions.dtype


LISTS = [row.answers for row in LIST_EXAMPLES]


def object_array(entries: Any) -> Any:
    return np.array(entries, dtype=object)


LIST_COLUMNS: dict[str, Callable[[], Any]] = {
    "lists": lambda: LISTS,
    "tuples": lambda: [None if one is None else tuple(one) for one in LISTS],
    "arrays": lambda: [None if one is None else object_array(one) for one in LISTS],
    "a_mixture_of_those": lambda: [
        None
        if one is None
        else (list, tuple, lambda entries: np.array(entries, dtype=object))[number % 3](one)
        for number, one in enumerate(LISTS)
    ],
    "arrow_lists": lambda: arrow(LISTS, pa.list_(pa.string())),
    "arrow_large_lists": lambda: arrow(LISTS, pa.large_list(pa.large_string())),
    "lists_in_an_object_series": lambda: pd.Series(LISTS, dtype=object),
}


@pytest.mark.parametrize("column", LIST_COLUMNS)
def test_every_column_of_lists_gives_the_defined_values(column: str) -> None:
    result = scored([row.prediction for row in LIST_EXAMPLES], LIST_COLUMNS[column]())

    for field in FIELDS:
        assert values(result, field) == [row.expected(field) for row in LIST_EXAMPLES]
    assert dtypes(result) == DTYPES


def test_numpys_own_strings_are_text() -> None:
    result = scored([np.str_("a"), "b"], [np.array(["a", "x"]), np.array(["b", "bb"])])

    assert values(result, "exact_match") == [True, True]


@pytest.mark.parametrize("missing", [None, np.nan, float("nan"), pd.NA, pd.NaT], ids=repr)
def test_every_way_to_write_missing_is_null(missing: object) -> None:
    texts = scored(pd.Series(["a", missing], dtype=object), pd.Series(["a", "b"], dtype=object))
    answers = scored(["a", "b"], pd.Series(["a", missing], dtype=object))
    lists = scored(["a", "b"], pd.Series([["a"], missing], dtype=object))

    for result in (texts, answers, lists):
        assert values(result, "nls") == [1.0, None]
        assert values(result, "exact_match") == [True, None]
        assert values(result, "answer_index") == [0, None]
        assert dtypes(result) == DTYPES


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA], ids=repr)
def test_missing_entries_of_a_list_are_skipped_and_counted(missing: object) -> None:
    result = scored(["a", "a"], [[missing, "a"], [missing]])

    assert values(result, "answer_index") == [1, None]


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None, None], dtype=object),
        pd.Series([np.nan, np.nan]),
        pd.Series([None, None], dtype="str"),
        pd.Series([pd.NA, pd.NA], dtype="string[python]"),
        pd.Series([np.nan, np.nan], dtype="category"),
        pd.Series([None, None], dtype=ARROW_LIST),
        arrow([None, None], pa.null()),
    ],
    ids=lambda column: str(column.dtype),
)
def test_a_column_without_values_is_all_null_whatever_dtype_pandas_gave_it(column: pd.Series[Any]) -> None:
    for result in (
        scored(["a", "b"], column),
        *([] if column.dtype == ARROW_LIST else [scored(column, ["a", "b"])]),
    ):
        assert all(values(result, field) == [None, None] for field in FIELDS)
        assert dtypes(result) == DTYPES


@pytest.mark.parametrize(
    "empty",
    [[], pd.Series([], dtype=object), pd.Series([], dtype="str"), pd.Series([], dtype="float64")],
    ids=["list", "object", "str", "float64"],
)
def test_zero_rows_have_the_same_dtypes(empty: Any) -> None:
    result = scored(empty, empty)

    assert len(result) == 0
    assert dtypes(result) == DTYPES


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        (
            ["a", ["b"]],
            r"mixes strings and lists: row 'r1' holds a list \(\['b'\]\), row 'r0' a string",
        ),
        ([["a"], "b"], r"mixes strings and lists: row 'r1' holds a string \('b'\), row 'r0' a list"),
        ([None, ["a"], "b"], r"row 'r2' holds a string \('b'\), row 'r1' a list"),
        ([("a",), "b"], r"row 'r1' holds a string \('b'\), row 'r0' a list"),
        (["a", ("b",)], r"row 'r1' holds a list \(\('b',\)\), row 'r0' a string"),
    ],
)
def test_texts_among_lists_are_an_error_that_names_the_first_bad_row(answers: Any, message: str) -> None:
    frame = pd.DataFrame({"prediction": ["a"] * len(answers)})
    frame["answers"] = pd.Series(answers, dtype=object)
    frame.index = pd.Index([f"r{row}" for row in range(len(answers))])

    with pytest.raises(af.DTypeError, match=f"column 'answers' .*{message}"):
        namespace(frame).add_scores("prediction", "answers")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (3, "row 1: 3 is of type int"),
        (3.5, "row 1: 3.5 is of type float"),
        (True, "row 1: True is of type bool"),
        ({"a": 1}, "row 1: .* is of type dict"),
        (Decimal(1), "row 1: .* is of type Decimal"),
        (dt.date(2026, 1, 2), "row 1: .* is of type date"),
        (object(), "row 1: .* is of type object"),
        ("\ud800", "row 1: '.*' contains a lone surrogate"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_among_texts_is_an_error_that_names_its_row(value: object, message: str) -> None:
    column = pd.Series(["a", value], dtype=object)

    with pytest.raises(af.DTypeError, match=f"'prediction', {message}"):
        scored(column, ["a", "b"])
    with pytest.raises(af.DTypeError, match=f"'answers', {message}"):
        scored(["a", "b"], column)


def test_objects_with_a_text_are_scored_as_the_error_says() -> None:
    ids = pd.Series([UUID(int=1), None, UUID(int=3)], dtype=object)
    with pytest.raises(af.DTypeError, match=r"`frame\['prediction'\].map\(str, na_action='ignore'\)` if ids"):
        scored(ids, ["a", "b", "c"])
    texts = ids.map(str, na_action="ignore")
    answers = [f"{UUID(int=1)}", "b", f"{UUID(int=4)}"]
    assert values(scored(texts, answers), "char_errors") == [0, None, 1]


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (3, "an entry of the list: 3 is of type int"),
        (["b"], r"an entry of the list: \['b'\] is of type list"),
        ("\ud800", "'.*' contains a lone surrogate"),
    ],
    ids=["number", "list", "surrogate"],
)
def test_an_entry_that_is_no_text_is_an_error_that_names_its_row(entry: object, message: str) -> None:
    with pytest.raises(af.DTypeError, match=f"'answers', row 1: {message}"):
        scored(["a", "b"], pd.Series([["a"], ["x", entry]], dtype=object))


NO_TEXT: dict[str, Any] = {
    "int64": [1, 2],
    "Int64": pd.array([1, None], dtype="Int64"),
    "float64": [0.5, np.nan],
    "bool": [True, False],
    "boolean": pd.array([True, None], dtype="boolean"),
    "datetime": pd.to_datetime(["2026-01-01", "2026-01-02"]),
    "datetime_with_zone": pd.to_datetime(["2026-01-01", "2026-01-02"], utc=True),
    "timedelta": pd.to_timedelta([1, 2]),
    "period": pd.period_range("2026", periods=2),
    "interval": pd.interval_range(0, 2),
    "sparse": pd.arrays.SparseArray([1, 2]),
    "complex": [1j, 2j],
    "category_of_numbers": pd.Categorical([1, 2]),
    "bytes": [b"a", b"b"],
    "dicts": [{"a": 1}, {"a": 2}],
    "objects": [object(), object()],
    "dates": pd.Series([dt.date(2026, 1, 1), None], dtype=object),
    "arrow_integers": arrow([1, 2], pa.int64()),
    "numbers_as_objects": pd.Series([1, 2], dtype=object),
}


@pytest.mark.parametrize("column", NO_TEXT)
def test_a_column_without_text_is_an_error_that_names_it(column: str) -> None:
    with pytest.raises(af.DTypeError, match="'prediction'"):
        scored(NO_TEXT[column], ["a", "b"])
    with pytest.raises(af.DTypeError, match="'answers'"):
        scored(["a", "b"], NO_TEXT[column])


def test_a_set_of_answers_is_refused_because_it_has_no_order() -> None:
    frame = pd.DataFrame({"prediction": ["a"], "answers": [{"a", "b"}]})

    with pytest.raises(
        af.DTypeError, match=r"'answers', row 0: .* is of type set; it must be a string or list"
    ):
        af.add_scores(frame, "prediction", "answers")


@pytest.mark.parametrize("values", [["42", "7"], ["42", ""], ["1.50", "007"], ["true", "false"]])
def test_the_advice_for_numbers_gives_the_score_of_the_text_in_the_file(
    values: list[str], tmp_path: Path
) -> None:
    path = tmp_path / "results.csv"
    rows = "".join(f"{value},{value}\n" for value in values)
    path.write_text(f"prediction,answer\n{rows}", encoding="utf-8")
    perfect = [float("nan") if value == "" else 1.0 for value in values]

    with pytest.raises(af.DTypeError, match=r"dtype=\{'prediction': str\}.*read_results") as caught:
        af.anls(*(pd.read_csv(path)[name] for name in ("prediction", "answer")))
    assert "astype" not in str(caught.value)
    with pytest.raises(af.DTypeError, match=r"schema_overrides=\{'prediction': pl\.String\}.*read_results"):
        af.add_scores(pl.read_csv(path), "prediction", "answer")

    texts = pd.read_csv(path, dtype={"prediction": str, "answer": str})
    np.testing.assert_array_equal(af.anls(texts["prediction"], texts["answer"]), perfect)
    overrides = {"prediction": pl.String, "answer": pl.String}
    in_polars = pl.read_csv(path, schema_overrides=overrides)
    scores = af.add_scores(in_polars, "prediction", "answer")["anls"].fill_null(float("nan"))
    np.testing.assert_array_equal(scores, perfect)
    read = af.read_results(path)
    scores = af.add_scores(read, "prediction", "answers")["anls"].fill_null(float("nan"))
    np.testing.assert_array_equal(scores, perfect)


@pytest.mark.parametrize(
    "values", [[0, 1, 0], [0.5, np.nan, 0.5], [True, False, True], ["a", np.nan, "a"]], ids=str
)
def test_a_sparse_column_is_read_as_the_same_column_in_full(values: list[Any]) -> None:
    dense = pd.Series(values)
    sparse = dense.astype(pd.SparseDtype(dense.dtype if dense.dtype.kind in "biuf" else object))
    rows = pd.DataFrame({"prediction": ["a", "b", "a"], "answers": ["a", "a", "b"]})

    of_sparse, of_dense = (
        af.report(rows.assign(k=column), "prediction", "answers", by="k") for column in (sparse, dense)
    )
    pd.testing.assert_frame_equal(of_sparse.by_group, of_dense.by_group)


def test_the_advice_of_an_expression_about_whole_numbers_works() -> None:
    rows = pl.DataFrame({"prediction": [7, 42], "answers": ["7", "24"]})
    with pytest.raises(PolarsError, match=r"make texts of whole numbers with `\.cast\(pl\.String\)`\."):
        rows.select(af.anls("prediction", "answers"))
    casts = rows.select(af.anls(pl.col("prediction").cast(pl.String), "answers"))
    assert casts.to_series().to_list() == [1, 0]


def test_the_advice_about_numbers_in_lists_works(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"prediction": "7", "answers": [7, 8]}\n{"prediction": "9", "answers": null}\n')
    in_polars, in_pandas = pl.read_ndjson(path), pd.read_json(path, lines=True, dtype={"prediction": str})
    for frame in (in_polars, in_pandas):
        with pytest.raises(af.DTypeError, match=r"read_results.*pl\.List\(pl\.String\).*str\(entry\)"):
            af.report(frame, "prediction", "answers")
    for column in (pl.col("answers"), pl.col("answers").list.to_array(2)):
        with pytest.raises(
            PolarsError, match=r"read_results.*whole numbers with `\.cast\(pl\.List"
        ) as raised:
            in_polars.select(af.anls("prediction", column))
        assert "schema_overrides" not in str(raised.value)
        followed = in_polars.select(af.anls("prediction", column.cast(pl.List(pl.String))))
        assert followed.to_series()[0] == 1
    texts = in_pandas["answers"].map(lambda entries: [str(entry) for entry in entries], na_action="ignore")
    casts = in_polars.with_columns(pl.col("answers").cast(pl.List(pl.String)))
    for frame in (casts, in_pandas.assign(answers=texts), af.read_results(path)):
        assert af.add_scores(frame, "prediction", "answers")["anls"][0] == 1
