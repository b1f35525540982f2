"""An expression equals the same expression made a column first, whatever is read or scored otherwise."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal
from report_oracle import FEWER_EACH

import anls_frame as af

ROWS = pl.DataFrame(
    {
        "p": ["x", None, "y", "a", "b"] * 20,
        "q": ["x", "z", None, "a", None] * 20,
        "a": [None, None, "y", "a", "b"] * 20,
        "doc": [row // 4 for row in range(100)],
        "side": ["left", "right"] * 50,
        # As a file of CSV has it.
        "judge": ["" if row % 7 == 0 else f"{row / 100}" for row in range(100)],
    }
)
LISTS = ROWS.with_columns(a=pl.concat_list("a"))

KEYS = {
    "none": pl.col("a").is_null(),
    "silent": pl.col("p").is_null(),
    "length": pl.col("p").str.len_chars().cast(pl.Float64),
    "differ": pl.col("p").ne_missing(pl.col("q")),
    "judged": pl.col("judge") == "",
}
VALUES = {
    "invented": (pl.col("p").is_not_null() & pl.col("a").is_null()).cast(pl.Float64),
    "silence": pl.col("p").is_null().cast(pl.Float64),
    "unjudged": (pl.col("judge") == "").cast(pl.Float64),
}
OPTIONS = {
    "unanswerable": st.sampled_from(["drop", "empty"]),
    "missing": st.sampled_from(["empty", "drop"]),
    "cluster": st.sampled_from([None, "doc"]),
    "protocol": st.sampled_from(["anls", "rrc"]),
}
FRAMES = {"eager": pl.DataFrame, "lazy": pl.LazyFrame, "pandas": pl.DataFrame.to_pandas}


def same(left: Any, right: Any) -> None:
    assert_frame_equal(pl.DataFrame(left), pl.DataFrame(right), check_row_order=False)


def test_rows_without_an_answer_are_a_slice() -> None:
    scored = {"metrics": "anls", "unanswerable": "empty"}
    found = af.report(ROWS, "p", "a", by=KEYS["none"].alias("none"), **scored).by_group
    assert found.select("none", "n", "anls").rows() == [(False, 60, 1.0), (True, 40, 0.5)]
    compared = af.compare(ROWS, ["p", "q"], "a", by=KEYS["none"].alias("none"), **scored).by_group
    assert compared.select("none", "n", "baseline_score").rows() == [(False, 60, 1.0), (True, 40, 0.5)]


@pytest.mark.parametrize("unanswerable", ["drop", "empty"])
def test_a_metric_of_columns_sees_what_the_user_sees(unanswerable: Any) -> None:
    made = af.Metric(VALUES["invented"], name="fabricated", bounds=(0, 1))
    assert af.report(ROWS, "p", "a", metrics=made, unanswerable=unanswerable).overall["fabricated"] == 0.2


def test_a_metric_of_texts_sees_them_as_they_are_scored() -> None:
    said = af.Metric(lambda text, _: text.str.len_chars(), name="said", bounds=(0, None))
    silent = ROWS.filter(pl.col("a").is_null())
    assert af.report(silent, "p", "a", metrics=said, unanswerable="empty").overall["said"] == 0.5


@FEWER_EACH
@given(
    options=st.fixed_dictionaries(OPTIONS),
    key=st.sampled_from(list(KEYS)),
    value=st.sampled_from(list(VALUES)),
    with_lists=st.booleans(),
    kind=st.sampled_from(list(FRAMES)),
)
def test_expressions_equal_columns(
    options: dict[str, Any], key: str, value: str, *, with_lists: bool, kind: str
) -> None:
    rows = ROWS
    if with_lists:
        rows = LISTS
    expression = KEYS[key].alias("key")
    if with_lists and key == "none":
        expression = (pl.col("a").list.drop_nulls().list.len() == 0).alias("key")
    own, parts = VALUES[value], {"numerator": VALUES[value] * 2, "denominator": VALUES[value] + 1}
    if with_lists and value == "invented":
        own = (pl.col("p").is_not_null() & pl.col("q").is_null()).cast(pl.Float64)
    before = rows.with_columns(expression, own.alias("own"), **parts)
    frame, with_columns = FRAMES[kind](rows), FRAMES[kind](before)
    mean = {"name": "own", "bounds": (0, 1)}
    ratio = {"name": "rate", "bounds": (0, None), "higher_is_better": False}
    expressions = [
        af.Metric(own, **mean),
        af.Metric(parts["numerator"], denominator=parts["denominator"], **ratio),
    ]
    columns = [af.Metric("own", **mean), af.Metric("numerator", denominator="denominator", **ratio)]
    # "judge" is read as numbers, which an expression of this column must not see.
    scores: Any
    named: Any
    found: Any
    scores, named = ["anls", *expressions, "judge"], ["anls", *columns, "judge"]
    found = af.report(frame, "p", "a", by=expression, metrics=scores, **options)
    same(found.to_polars(), af.report(with_columns, "p", "a", by="key", metrics=named, **options).to_polars())
    pair, how = (["p", "q"], "a"), {"metrics": "anls", "draws": 19, **options}
    found = af.compare(frame, *pair, by=expression, **how)
    same(found.to_polars(), af.compare(with_columns, *pair, by="key", **how).to_polars())
    how = {"search": af.SliceSearch(draws=9), **options}
    found = af.find_slices(frame, "p", "a", [expression, "side"], metrics=scores[:2], **how)
    searched = af.find_slices(with_columns, "p", "a", ["key", "side"], metrics=named[:2], **how)
    same(found.to_polars(), searched.to_polars())
    if options["protocol"] == "anls":
        sure = {"model_confidence": "judge", "metrics": "anls", **options}
        found = af.selective(frame, "p", "a", by=expression, **sure)
        same(found.to_polars(), af.selective(with_columns, "p", "a", by="key", **sure).to_polars())


def test_expressions_of_judged_columns_equal_columns() -> None:
    rows = pl.DataFrame({"judge": ["1", "0.0"] * 100, "truth": (["1", "0"] * 20 + [""] * 160)})
    key = (pl.col("judge") == "0.0").alias("key")
    found = af.corrected(rows, "judge", "truth", by=key)
    same(found.to_polars(), af.corrected(rows.with_columns(key), "judge", "truth", by="key").to_polars())


@pytest.mark.parametrize("kind", FRAMES)
@pytest.mark.parametrize("key", KEYS)
def test_rows_by_an_expression_are_those_by_its_column(key: str, kind: str) -> None:
    expression = KEYS[key].alias("key")
    frame, with_columns = FRAMES[kind](ROWS), FRAMES[kind](ROWS.with_columns(expression))
    found, expected = (
        af.worst(rows, "p", "a", n=3, by=by, unanswerable="empty")
        for rows, by in ((frame, expression), (with_columns, "key"))
    )
    shown = ["key", "q", "doc", "anls", "error_type", "alignment"]
    same(found[shown], expected[shown])
    for prediction in ("p", ["p", "q"]):
        page = af.browse(frame, prediction, "a", by=[expression, "side"])
        of_columns = af.browse(with_columns, prediction, "a", by=["key", "side"])
        assert page._repr_html_() == of_columns._repr_html_()


@pytest.mark.parametrize("kind", FRAMES)
def test_expressions_of_systems_are_compared_as_their_columns(kind: str) -> None:
    of_systems = {"p": VALUES["silence"], "q": pl.col("q").is_null().cast(pl.Float64)}
    before = ROWS.with_columns(own.alias(f"{system}_own") for system, own in of_systems.items())
    found = af.compare(FRAMES[kind](ROWS), ["p", "q"], "a", metrics=af.Metric(of_systems, name="own"))
    named = af.Metric({"p": "p_own", "q": "q_own"}, name="own")
    of_columns = af.compare(FRAMES[kind](before), ["p", "q"], "a", metrics=named)
    same(found.to_polars(), of_columns.to_polars())
    # Nothing is predicted in 20 rows of p, and in 40 of q.
    assert found.to_polars().select("baseline_score", "score").row(0) == (0.2, 0.4)


@pytest.mark.parametrize("function", [af.worst, af.browse])
def test_rows_are_of_one_table_of_slices(function: Any) -> None:
    with pytest.raises(ValueError, match="by must be columns or expressions, which are crossed, not lists"):
        function(ROWS, "p", "a", by=[["side"], ["doc"]])
