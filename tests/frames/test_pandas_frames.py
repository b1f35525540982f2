"""pandas frames in, pandas frames out: index, columns, collisions."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pandas as pd
import pytest

import anls_frame as af

FRAME = pd.DataFrame({"prediction": ["CocaCola", None, "x"], "answers": [["Coca Cola"], ["a"], ["y", "x"]]})
NLS = [0.8888888888888888, None, 1.0]


def values(column: pd.Series[Any]) -> list[Any]:
    return [None if pd.isna(value) else value for value in column]


INDEXES: dict[str, Callable[[], pd.Index[Any]]] = {
    "range": lambda: pd.RangeIndex(10, 16, 2),
    "texts": lambda: pd.Index(["q1", "q2", "q3"], name="question"),
    "doubled": lambda: pd.Index([7, 7, 7]),
    "unsorted": lambda: pd.Index([3, 1, 2]),
    "missing": lambda: pd.Index(["a", None, "a"], dtype=object),
    "dates": lambda: pd.date_range("2026-01-01", periods=3, freq="D", tz="Europe/Berlin"),
    "levels": lambda: pd.MultiIndex.from_tuples([("d1", 1), ("d1", 2), ("d2", 1)], names=["doc", "page"]),
    "categories": lambda: pd.CategoricalIndex(["b", "a", "b"]),
}


@pytest.mark.parametrize("index", INDEXES)
def test_the_index_is_kept_and_rows_stay_in_order(index: str) -> None:
    frame = FRAME.set_axis(INDEXES[index]())

    result = af.add_scores(frame, "prediction", "answers")

    pd.testing.assert_index_equal(result.index, frame.index)
    pd.testing.assert_frame_equal(result[["prediction", "answers"]], frame)
    assert values(result["nls"]) == NLS


def test_the_given_frame_stays_as_it_is() -> None:
    before = FRAME.copy(deep=True)

    result = af.add_scores(FRAME, "prediction", "answers")
    result.loc[0, "nls"] = 0.0
    result.loc[0, "exact_match"] = True
    result.loc[0, "answer_index"] = 5

    pd.testing.assert_frame_equal(FRAME, before)


def test_a_column_with_a_number_for_its_name_is_no_text() -> None:
    frame = pd.DataFrame([["a", "a"]])

    with pytest.raises(TypeError, match="prediction must be the name of a column, got int"):
        af.add_scores(frame, 0, 1)
    with pytest.raises(
        af.exceptions.ColumnNotFoundError, match=r"did you mean 0\?.*`\.rename\(columns=str\)`"
    ):
        af.add_scores(frame, "0", "1")
    assert values(af.add_scores(frame.rename(columns=str), "0", "1")["nls"]) == [1.0]


def test_a_name_that_stands_twice_is_refused_where_it_is_asked_for() -> None:
    doubled = pd.DataFrame([["a", "b", "b", "c"]], columns=["x", "x", "prediction", "answer"])

    with pytest.raises(af.exceptions.ColumnNotFoundError, match="'x' occurs 2 times"):
        af.add_scores(doubled, "x", "answer")
    result = af.add_scores(doubled, "prediction", "answer", columns=["nls"])
    assert list(result.columns) == ["x", "x", "prediction", "answer", "nls"]
    assert values(result["nls"]) == [0.0]


def test_several_levels_of_column_names_are_refused() -> None:
    columns = pd.MultiIndex.from_tuples([("model", "prediction"), ("gold", "answer"), ("doc", "")])
    frame = pd.DataFrame([["a", "a", "d1"]], columns=columns)

    prediction, answer = columns[:2]
    for function in (
        *(partial(made, frame, prediction, answer) for made in (af.add_scores, af.browse, af.report)),
        *(partial(made, frame, "prediction", "answer") for made in (af.find_slices, af.overview)),
        partial(frame.anls.cer, "prediction", "answer"),
        partial(af.write_results, frame, "results.csv"),
    ):
        with pytest.raises(TypeError, match="several levels of column names; flatten them first") as raised:
            function()
    code = str(raised.value).partition("`")[2].partition("`")[0]
    flat = eval(code, {"frame": frame})  # noqa: S307 - as a user would
    assert values(af.add_scores(flat, "model_prediction", "gold_answer")["nls"]) == [1.0]
    assert list(flat.columns)[-1] == "doc"


@pytest.mark.parametrize("name", [0, None, ("a", "b")])
def test_a_column_whose_name_is_not_a_text_is_left_out_or_refused_and_said(name: Any) -> None:
    frame = pd.DataFrame({"prediction": ["a", "b"] * 9, "answer": ["a", "c"] * 9, "lang": ["x", "y"] * 9})
    frame = pd.concat([frame, pd.Series([1, 2] * 9, name=name)], axis=1)

    assert list(af.find_slices(frame, "prediction", "answer").left_out.values()) == [
        "its name is not a string"
    ]
    assert af.report(frame, "prediction", "answer").overall["anls"] == 0.5
    with pytest.raises(TypeError, match=r"their names must be strings, got .*\.rename\(columns=str\)"):
        af.overview(frame)
    assert af.overview(frame.rename(columns=str)).report.overall["anls"] == 0.5


def test_only_the_columns_that_are_needed_are_converted() -> None:
    class Stubborn:
        def __arrow_array__(self, *_: object, **__: object) -> object:
            raise AssertionError("converted")

    frame = FRAME.assign(image=pd.Series([Stubborn()] * 3, dtype=object), number=1j)

    assert values(af.add_scores(frame, "prediction", "answers")["nls"]) == NLS


def test_attributes_and_subclasses_are_kept() -> None:
    class Tagged(pd.DataFrame):
        @property
        def _constructor(self) -> type[Tagged]:
            return Tagged

    frame = Tagged(FRAME)
    frame.attrs["source"] = "hand"

    result = af.add_scores(frame, "prediction", "answers")

    assert type(result) is Tagged
    assert result.attrs == {"source": "hand"}
