"""A Series, or the accessor of a frame, where the name of a column is meant: the error says what to pass."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hugging_face import Dataset, DatasetDict

import anls_frame as af
from anls_frame import plot
from anls_frame._arguments import COLUMNS

FRAME = pl.DataFrame(
    {"prediction": ["a", "b"], "answer": ["a", "c"], "lang": ["en", "de"], "score": [1.0, 19.0]}
)
FRAMES = {"pandas": FRAME.to_pandas(), "Polars": FRAME, "LazyFrame": FRAME.lazy()}


def parameters() -> list[Any]:
    """Return every parameter of a public function of frames that names columns."""
    functions = {name: getattr(module, name) for module in (af, plot) for name in module.__all__}
    return [
        pytest.param(function, parameter, id=f"{name}-{parameter}")
        for name, function in functions.items()
        if inspect.isfunction(function)
        and next(iter(inspect.signature(function).parameters)) in ("frame", "frame_a")
        for parameter in inspect.signature(function).parameters
        if parameter in COLUMNS
    ]


@pytest.mark.parametrize("series", [pd.Series(["en"] * 99, name="lang"), pl.Series("lang", ["en"] * 99)])
@pytest.mark.parametrize(("function", "parameter"), parameters())
def test_a_series_is_refused_with_its_name(
    function: Callable[..., Any], parameter: str, series: pd.Series[Any] | pl.Series
) -> None:
    kind = type(series).__module__.partition(".")[0]
    advice = f"{parameter} takes names of columns, got a {kind}.Series; pass its name: "

    with pytest.raises(TypeError) as alone:
        function(FRAME, **{parameter: series})
    with pytest.raises(TypeError) as listed:
        function(FRAME, **{parameter: ["answer", [series]]})

    added = "`frame.assign(group=...)`" if kind == "pandas" else "`with_columns(group=...)`"
    of_slices = f' if the frame has it; otherwise add it, as with {added}, and pass by="group"'
    more = of_slices if parameter == "by" else ""
    assert str(alone.value) == f"{advice}{parameter}='lang'{more}"
    assert str(listed.value) == f"{advice}'lang'{more}"


@pytest.mark.parametrize("kind", [pd.Index, np.array], ids=["index", "array"])
def test_names_may_be_the_index_that_a_pandas_frame_has_of_them(kind: Callable[[list[str]], Any]) -> None:
    frame = FRAME.with_columns(other=pl.lit("a")).to_pandas()
    systems = ["prediction", "other"]
    compared = af.compare(frame, kind(systems), "answer")
    assert compared.systems == {name: name for name in systems}
    assert str(compared) == str(af.compare(frame, systems, "answer"))
    assert str(af.browse(frame, kind(systems), "answer")) == str(af.browse(frame, systems, "answer"))
    kept = af.report(frame, "prediction", "answer", worst=1, keep=kind(["lang", "score"])).worst
    assert kept[["lang", "score"]].to_numpy().tolist() == [["de", 19.0]]
    with pytest.raises(ValueError, match=r"two or more prediction columns, .*, got \['prediction'\]"):
        af.compare(frame, kind(["prediction"]), "answer")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_a_second_frame_is_refused_with_the_way_to_join_it(frame: Any) -> None:
    message = "systems takes names of columns, got a .*Frame; join the frames first, with `anls_frame.pair`"
    for systems in (frame, [frame, frame], {"old": frame, "new": frame}):
        with pytest.raises(TypeError, match=message):
            af.compare(frame, systems, "answer")


def test_every_question_is_among_the_functions() -> None:
    names = {param.id.partition("-")[0] for param in parameters()}

    assert {"report", "compare", "find_slices", "browse", "worst", "pair", "add_scores", "ecdf"} <= names


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_the_accessor_is_refused_where_a_name_is_meant(frame: Any) -> None:
    with pytest.raises(TypeError, match=r"got the accessor `df\.anls`; pass its name: metrics='anls'"):
        af.report(frame, "prediction", "answer", metrics=frame.anls)


@pytest.mark.parametrize("place", ["numerator", "denominator"])
def test_a_metric_refuses_a_series(place: str) -> None:
    values: dict[str, Any] = {"numerator": "score", "denominator": "score", place: FRAMES["pandas"]["score"]}

    with pytest.raises(
        TypeError, match=r"a metric takes names of columns, got a pandas\.Series; .* 'score'$"
    ):
        af.Metric(values["numerator"], denominator=values["denominator"])


@pytest.mark.skipif(not hasattr(pd, "col"), reason="new in pandas 3")
@pytest.mark.parametrize("parameter", ["prediction", "answers", "by", "cluster", "keep", "metrics"])
def test_an_expression_of_pandas_is_refused(parameter: str) -> None:
    expression = pd.col("lang")
    given: dict[str, Any] = {"prediction": "prediction", "answers": "answer", parameter: expression}

    with pytest.raises(
        TypeError, match=rf"{parameter} takes names of columns, got a pandas\.Expression; pass"
    ):
        af.report(FRAMES["pandas"], **given)
    with pytest.raises(TypeError, match=r"a metric takes names of columns, got a pandas\.Expression"):
        af.Metric(expression)


@pytest.mark.parametrize("function", [af.repeats.mean_over_epochs, af.repeats.variance_components])
def test_ids_that_are_no_names_are_refused(function: Any) -> None:
    for wrong in (pl.col("lang"), 3, ["lang", None]):
        with pytest.raises(
            TypeError, match=r"id (must be a column name or a list of them|takes names of columns), got"
        ):
            function(FRAME, "prediction", "answer", id=wrong)


def test_texts_in_the_index_of_pandas_are_refused_with_advice() -> None:
    frame = FRAMES["pandas"].set_index("prediction")

    for function in (af.report, af.add_scores, af.browse, type(frame.anls).cer):
        owner = frame.anls if function.__name__ == "cer" else frame
        with pytest.raises(
            af.exceptions.ColumnNotFoundError, match=r"is a level of the index.*`frame\.reset_"
        ):
            function(owner, "prediction", "answer")
    assert af.report(frame.reset_index("prediction"), "prediction", "answer").overall["n"] == len(frame)


def test_a_series_without_a_name_is_refused() -> None:
    with pytest.raises(
        TypeError, match=r"by takes names of columns, got a pandas\.Series; pass its name if the"
    ):
        af.report(FRAME, "prediction", "answer", by=pd.Series(["en", "de"]))  # type: ignore[arg-type]
    with pytest.raises(
        TypeError, match=r"systems takes names of columns, got a polars\.Series; pass its name$"
    ):
        af.compare(FRAME, pl.Series(["prediction", "lang"]), "answer")  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_slicing_that_the_frame_lacks_is_added_as_the_message_says(kind: str) -> None:
    frame: Any = pd.DataFrame({"p": [*"abcd"], "a": [*"abcx"], "sure": [0.1, 0.2, 0.8, 0.9]})
    cut = pd.cut(frame["sure"], [0, 0.5, 1])
    if kind == "polars":
        frame, cut = pl.from_pandas(frame), pl.from_pandas(frame)["sure"] > 0.5
    with pytest.raises(
        TypeError, match=r"if the frame has it; otherwise add it, as with .*\(group=\.\.\.\)`"
    ):
        af.report(frame, "p", "a", by=cut)

    frame = frame.assign(group=cut) if kind == "pandas" else frame.with_columns(group=cut)
    by_group = af.report(frame, "p", "a", metrics="exact_match", by="group").by_group
    assert sorted(by_group["exact_match"].to_list() if kind == "polars" else by_group["exact_match"]) == [
        0.5,
        1.0,
    ]


@pytest.mark.parametrize("path", ["results.csv", Path("results.csv")])
@pytest.mark.parametrize("function", [af.report, af.summarize, af.add_scores, af.worst, af.confusions])
def test_the_name_of_a_file_in_place_of_a_frame_names_the_reader(function: Any, path: Any) -> None:
    with pytest.raises(
        TypeError, match=r"got .*; read the file first, with `anls_frame\.read_results\('results\.csv'\)`"
    ):
        function(path, "p", "a")


@pytest.mark.parametrize("function", [af.report, af.overview, af.add_scores, af.browse])
def test_rows_and_groups_in_place_of_a_frame_get_advice(function: Any) -> None:
    rows = [{"p": "a", "a": "a", "lang": "en"}, {"p": "b", "a": "c", "lang": "de"}]

    for value in (rows, {"p": ["a"], "a": ["a"]}):
        with pytest.raises(TypeError, match=r"got (list|dict); make one of it, with `polars\.DataFrame"):
            function(value, "p", "a")
    rows_of_dataset = Dataset(pl.DataFrame(rows).to_arrow())
    for other in (pl.DataFrame(rows).group_by("lang"), DatasetDict(test=rows_of_dataset)):
        with pytest.raises(TypeError, match=r"must be a Polars .* got [\w.]+\.(GroupBy|DatasetDict)$"):
            function(other, "p", "a")
