"""`missing`: a null prediction scores null, or exactly as an empty text; a null answer is null either way."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, get_args

import pandas as pd
import polars as pl
import pytest
from registry import (
    LISTS,
    TEXTS,
    Engine,
    RowExpression,
    each_engine,
    each_row,
)

import anls_frame as af
from anls_frame._typing import ScoreColumn

FILLED = pl.col("prediction").fill_null("")


def frames(row: RowExpression) -> list[pl.DataFrame]:
    return [TEXTS, LISTS] if row.takes_lists else [TEXTS]


@each_engine
@each_row
def test_empty_is_what_filled_predictions_give(row: RowExpression, engine: Engine) -> None:
    for frame in frames(row):
        scores = {
            "missing": row.function("prediction", "answers", missing="empty"),
            "filled": row.function(FILLED, "answers"),
        }
        found = frame.lazy().select(one.alias(name) for name, one in scores.items()).collect(engine=engine)

        assert found.schema == {"missing": row.dtype, "filled": row.dtype}
        assert found["missing"].equals(found["filled"])


@each_row
def test_without_an_answer_there_is_no_score(row: RowExpression) -> None:
    frame = pl.DataFrame({"prediction": [None, "", "a"], "answers": pl.Series([None] * 3, dtype=pl.String)})

    assert (
        frame.select(row.function("prediction", "answers", missing="empty")).to_series().to_list()
        == [None] * 3
    )


PREDICTIONS: dict[str, Callable[[], Any]] = {
    "null": lambda: pl.lit(None),
    "null text": lambda: pl.lit(None, dtype=pl.String),
    "text": lambda: pl.lit("Cola"),
    "Series": lambda: TEXTS["prediction"],
    "Categorical": lambda: TEXTS["prediction"].cast(pl.Categorical),
    "Enum": lambda: TEXTS["prediction"].cast(pl.Enum(TEXTS["prediction"].drop_nulls().unique().sort())),
    "Null": lambda: pl.Series("prediction", [None] * TEXTS.height),
    "expression": lambda: pl.col("prediction").str.replace("o", "0"),
}


@pytest.mark.parametrize("kind", PREDICTIONS)
@each_row
def test_predictions_of_every_kind_can_be_missing(row: RowExpression, kind: str) -> None:
    prediction = PREDICTIONS[kind]()
    texts = pl.select(prediction).to_series() if kind == "Enum" else prediction
    filled = texts.cast(pl.String).fill_null("")

    found = TEXTS.select(row.function(prediction, "answers", missing="empty"))

    assert found.equals(TEXTS.select(row.function(filled, "answers")))
    assert found.columns == [row.name]


def test_explain_scores_the_empty_text_at_each_step() -> None:
    found = LISTS.select(af.explain("prediction", "answers", missing="empty"))

    assert found.equals(LISTS.select(af.explain(FILLED, "answers")))


FRAMES: dict[str, Callable[[pl.DataFrame], Any]] = {
    "Polars": lambda frame: frame,
    "lazy": pl.DataFrame.lazy,
    "pandas": lambda frame: pd.DataFrame(frame.to_dict(as_series=False)),
    "pyarrow": pl.DataFrame.to_arrow,
}


@pytest.mark.parametrize(
    "columns", [None, *([name] for name in get_args(ScoreColumn)), ["cer", "nls"]], ids=repr
)
@pytest.mark.parametrize("kind", FRAMES)
def test_frames_are_scored_alike(kind: str, columns: list[ScoreColumn] | None) -> None:
    filled = LISTS.with_columns(FILLED)
    for frame, options in ((LISTS, {"missing": "empty"}), (filled, {}), (LISTS, {})):
        expected = (filled if options else frame).select(af.score("prediction", "answers")).unnest("score")

        found = af.add_scores(FRAMES[kind](frame), "prediction", "answers", columns=columns, **options)  # type: ignore[call-overload]

        scores = plain(found)
        for name in columns or get_args(ScoreColumn):
            assert scores[name] == expected[name].to_list()


def plain(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pd.DataFrame):
        names = [name for name in frame.columns if name not in {"prediction", "answers"}]
        return {name: [None if pd.isna(value) else value for value in frame[name]] for name in names}
    frame = frame.collect() if isinstance(frame, pl.LazyFrame) else frame
    return frame.to_pydict() if hasattr(frame, "to_pydict") else frame.to_dict(as_series=False)


@each_row
def test_groups_and_windows_know_missing_predictions(row: RowExpression) -> None:
    frame = TEXTS.with_row_index("row").with_columns(group=pl.col("row") % 3)
    scores = row.function("prediction", "answers", missing="empty")
    expected = frame.select(scores).to_series()

    grouped = (
        frame.group_by("group").agg("row", scores).explode("row", row.name, empty_as_null=False).sort("row")
    )

    assert grouped[row.name].equals(expected)
    assert frame.select(scores.over("group")).to_series().equals(expected)
