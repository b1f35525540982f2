"""`add_scores` on frames of every kind: what is named, chosen, replaced and refused."""

from __future__ import annotations

from typing import Any, get_args

import polars as pl
import pytest
from registry import LIST_EXAMPLES, LISTS, SCORE_DTYPE, TEXT_EXAMPLES, Example

import anls_frame as af
from anls_frame._typing import ScoreColumn

AddScores = Any
FIELDS: tuple[ScoreColumn, ...] = get_args(ScoreColumn)
FRAME = LISTS.select(pl.int_range(pl.len()).alias("id"), "prediction", "answers")
SMALL = pl.DataFrame({"prediction": ["CocaCola", None], "answer": ["Coca Cola", "a"]})


def eager(frame: pl.DataFrame, *names: Any, **options: Any) -> pl.DataFrame:
    return af.add_scores(frame, *names, **options)


def lazy(frame: pl.DataFrame, *names: Any, **options: Any) -> pl.DataFrame:
    return af.add_scores(frame.lazy(), *names, **options).collect(engine="streaming")


def pandas(frame: pl.DataFrame, *names: Any, **options: Any) -> pl.DataFrame:
    return pl.from_pandas(af.add_scores(frame.to_pandas(), *names, **options))


def arrow(frame: pl.DataFrame, *names: Any, **options: Any) -> Any:
    return pl.from_arrow(af.add_scores(frame.to_arrow(), *names, **options))


# Ways in, which take the same arguments and give a Polars frame back.
each_way = pytest.mark.parametrize("add_scores", [eager, lazy, pandas, arrow])
in_polars = pytest.mark.parametrize("add_scores", [eager, lazy])


def written_out(rows: tuple[Example, ...]) -> dict[str, list[Any]]:
    return {field: [row.expected(field) for row in rows] for field in FIELDS}


@in_polars
@pytest.mark.parametrize("rows", [TEXT_EXAMPLES, LIST_EXAMPLES], ids=["texts", "lists"])
def test_all_scores_are_added_behind_the_frames_own_columns(
    add_scores: AddScores, rows: tuple[Example, ...]
) -> None:
    frame = pl.DataFrame(
        {
            "prediction": [row.prediction for row in rows],
            "answers": [row.answers for row in rows],
            "other": [str(number) for number in range(len(rows))],
        }
    )

    result = add_scores(frame, "prediction", "answers")

    assert result.columns == [*frame.columns, *FIELDS]
    assert result.select(frame.columns).equals(frame)
    assert result.select(FIELDS).to_dict(as_series=False) == written_out(rows)
    assert result.schema == {**frame.schema, **SCORE_DTYPE.to_schema()}


@in_polars
def test_the_options_reach_the_scores(add_scores: AddScores) -> None:
    protocol = af.PROTOCOLS["rrc"].replace(threshold=0.3, errors="anls")

    result = add_scores(FRAME, "prediction", "answers", protocol=protocol)

    expected = FRAME.with_columns(
        af.nls("prediction", "answers", protocol="rrc"),
        af.anls("prediction", "answers", protocol="rrc", threshold=0.3),
        af.cer("prediction", "answers", protocol="anls"),
        af.exact_match("prediction", "answers", protocol="rrc"),
    )
    assert result.select(expected.columns).equals(expected)
    assert not result.equals(add_scores(FRAME, "prediction", "answers"))


@each_way
def test_columns_chooses_fields_and_their_order(add_scores: AddScores) -> None:
    everything = add_scores(SMALL, "prediction", "answer")
    for columns in (["cer", "nls"], (name for name in ("cer", "nls")), {"cer": 1, "nls": 2}):
        result = add_scores(SMALL, "prediction", "answer", columns=columns)
        assert result.equals(everything.select(*SMALL.columns, "cer", "nls"))
    assert add_scores(SMALL, "prediction", "answer", columns=[]).equals(SMALL)


@in_polars
@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ("nls", TypeError, "columns must be a list of names, got 'nls'; pass it in brackets"),
        (["nls", "wer"], ValueError, r"unknown score columns \['wer'\].*'nls', 'anls', 'cer'"),
        ([None], ValueError, "unknown score columns"),
        ([["nls"]], ValueError, "unknown score columns"),
        (3, TypeError, "columns must be a list of names, got 3"),
    ],
)
def test_columns_that_are_no_fields_are_refused(
    add_scores: AddScores, columns: object, error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        add_scores(FRAME, "prediction", "answers", columns=columns)


@each_way
def test_prefix_and_suffix_name_the_new_columns(add_scores: AddScores) -> None:
    result = add_scores(SMALL, "prediction", "answer", prefix="gpt ", suffix="^2$", columns=["nls", "cer"])

    assert result.columns == ["prediction", "answer", "gpt nls^2$", "gpt cer^2$"]


@in_polars
@pytest.mark.parametrize("option", ["prefix", "suffix"])
def test_a_prefix_is_text(add_scores: AddScores, option: str) -> None:
    for value in (None, 1, ["a"]):
        with pytest.raises(TypeError, match=f"{option} must be a string"):
            add_scores(SMALL, "prediction", "answer", **{option: value})


@each_way
def test_scoring_twice_is_an_error_that_names_the_columns_and_the_ways_out(add_scores: AddScores) -> None:
    once = add_scores(SMALL, "prediction", "answer", columns=["nls", "cer"])

    with pytest.raises(af.DuplicateColumnError) as caught:
        add_scores(once, "prediction", "answer")

    message = str(caught.value)
    assert "['nls', 'cer']" in message
    assert all(way in message for way in ("overwrite=True", "prefix=", "suffix=", "columns="))


@each_way
def test_overwriting_replaces_columns_where_they_stand(add_scores: AddScores) -> None:
    frame = SMALL.select(pl.lit("old").alias("nls"), "prediction", pl.lit(1).alias("cer"), "answer")

    result = add_scores(frame, "prediction", "answer", columns=["cer", "nls", "anls"], overwrite=True)

    assert result.columns == ["nls", "prediction", "cer", "answer", "anls"]
    assert result["nls"].to_list() == [0.8888888888888888, None]
    assert result["cer"].to_list() == [0.1111111111111111, None]


@each_way
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (("predicton", "answer"), r"no column 'predicton'.*did you mean 'prediction'\?"),
        (("prediction", "Answer"), r"no column 'Answer'.*did you mean 'answer'\?"),
        (("prediction", "answers"), r"no column 'answers'.*did you mean 'answer'\?"),
        (("prediction", "zzz"), r"no column 'zzz' among 'prediction', 'answer'$"),
        (("", "answer"), r"no column '' among 'prediction', 'answer'$"),
    ],
)
def test_a_misspelt_column_is_answered_with_the_nearest_name(
    add_scores: AddScores, names: tuple[str, str], message: str
) -> None:
    with pytest.raises(af.exceptions.ColumnNotFoundError, match=message):
        add_scores(SMALL, *names)


@in_polars
@pytest.mark.parametrize("name", [None, 0, ["prediction"], pl.col("prediction"), SMALL["prediction"]])
def test_columns_are_given_by_name(add_scores: AddScores, name: object) -> None:
    with pytest.raises(TypeError, match=r"prediction .* names? of .*column.*, got"):
        add_scores(SMALL, name, "answer")
    with pytest.raises(TypeError, match=r"answers .* names? of .*column.*, got"):
        add_scores(SMALL, "prediction", name)


@in_polars
@pytest.mark.parametrize("name", ["^prediction$", "^.*$", "*", "", "a\nb", "a\0b", "__anls_frame_score"])
def test_a_name_is_a_name_and_no_pattern(add_scores: AddScores, name: str) -> None:
    frame = SMALL.with_columns(pl.lit("wrong").alias("prediction_2")).rename({"prediction": name})

    result = add_scores(frame, name, "answer", columns=["nls"])

    assert result.columns == [*frame.columns, "nls"]
    assert result["nls"].to_list() == [0.8888888888888888, None]


@in_polars
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ("id", "answers"),
            r"`score` needs one string per row.*column 'id' has dtype Int64\. Read the file with",
        ),
        (
            ("prediction", "id"),
            r"`score` needs a string or a list of strings.*column 'id' has dtype Int64\. Read",
        ),
        (
            ("answers", "answers"),
            r"`score` needs one string per row.*column 'answers' has dtype List\(String\)",
        ),
    ],
)
def test_a_dtype_that_does_not_fit_is_a_type_error_that_names_it(
    add_scores: AddScores, names: tuple[str, str], message: str
) -> None:
    with pytest.raises(af.DTypeError, match=message) as caught:
        add_scores(FRAME, *names)

    assert isinstance(caught.value, TypeError)
    assert "\n" not in str(caught.value)
    assert "plugin" not in str(caught.value)


@pytest.mark.parametrize(
    "frame",
    [
        None,
        3,
        "frame.parquet",
        {"prediction": ["a"]},
        [("a", "a")],
        SMALL["answer"],
        SMALL.group_by("answer"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_anything_but_a_frame_is_a_type_error_that_names_its_type(frame: object) -> None:
    with pytest.raises(TypeError, match=f"frame .*{type(frame).__name__}"):
        af.add_scores(frame, "prediction", "answer")


@in_polars
@pytest.mark.parametrize("dtype", [pl.String(), pl.List(pl.String), pl.Array(pl.String, 3), pl.Null()])
def test_zero_rows_give_zero_rows_with_the_same_dtypes(add_scores: AddScores, dtype: pl.DataType) -> None:
    frame = pl.DataFrame(schema={"prediction": pl.String(), "answers": dtype})

    result = add_scores(frame, "prediction", "answers")

    assert result.height == 0
    assert result.schema == {**frame.schema, **SCORE_DTYPE.to_schema()}
