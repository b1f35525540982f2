"""Columns of every type of pandas, Polars and Arrow: texts, null, or an error with column, row and value."""

from __future__ import annotations

import datetime as dt
import io
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.frames.conversion import to_lazy
from anls_frame.frames.missing_values import is_missing

TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=4)
START = dt.datetime(1970, 1, 1)  # noqa: DTZ001 - a time without a zone
VALUES: dict[str, st.SearchStrategy[Any]] = {
    "texts": TEXTS,
    "lists": st.lists(st.none() | TEXTS, max_size=3),
    "whole": st.integers(-(2**62), 2**62),
    "fractions": st.floats(allow_nan=False),
    "truths": st.booleans(),
    "bytes": st.binary(max_size=3),
    "dates": st.dates(dt.date(1970, 1, 1), dt.date(2200, 1, 1)),
    "times": st.times(),
    "datetimes": st.datetimes(START, START + dt.timedelta(80_000)),
    "durations": st.timedeltas(dt.timedelta(0), dt.timedelta(10_000)),
    "decimals": st.decimals(-999, 999, places=2),
    "objects": st.fixed_dictionaries({"text": TEXTS}),
    "lists of numbers": st.lists(st.integers(0, 9), min_size=1, max_size=3),
    "lists of lists": st.lists(st.lists(TEXTS, min_size=1, max_size=2), min_size=1, max_size=2),
}
ARRIVE = ("texts", "lists")


def arrow(values: list[Any]) -> Any:
    return pa.array(values)


def from_parquet(values: list[Any], **options: Any) -> Any:
    file = io.BytesIO()
    pq.write_table(pa.table({"p": arrow(values)}), file)
    file.seek(0)
    return pd.read_parquet(file, **options)


KINDS: dict[str, Callable[[list[Any]], Any]] = {
    "polars": lambda values: pl.DataFrame({"p": pl.from_arrow(arrow(values))}),
    "lazy": lambda values: pl.LazyFrame({"p": pl.from_arrow(arrow(values))}),
    "arrow": lambda values: pa.table({"p": arrow(values)}),
    "arrow chunks": lambda values: pa.table({"p": pa.chunked_array([arrow(values)[:1], arrow(values)[1:]])}),
    "pandas objects": lambda values: pd.DataFrame({"p": pd.Series(values, dtype=object)}),
    "pandas": lambda values: pd.DataFrame({"p": pd.Series(values)}),
    "pandas arrow": lambda values: pd.DataFrame({"p": pd.arrays.ArrowExtensionArray(arrow(values))}),
    "pandas nullable": lambda values: pd.DataFrame({"p": pd.Series(values, dtype=object).convert_dtypes()}),
    "parquet": from_parquet,
    "parquet arrow": lambda values: from_parquet(values, dtype_backend="pyarrow"),
    "parquet nullable": lambda values: from_parquet(values, dtype_backend="numpy_nullable"),
}


# Each example is made into a frame of every kind.
FEWER = settings(max_examples=settings.default.max_examples * 2 // 5)  # type: ignore[union-attr]


def arrived(frame: Any) -> list[Any]:
    return to_lazy(frame, ["p"], []).collect()["p"].to_list()


@pytest.mark.every_combination
@pytest.mark.parametrize("name", VALUES)
@FEWER
@given(data=st.data())
def test_a_column_arrives_the_same_from_each_library(name: str, data: st.DataObject) -> None:
    values = data.draw(st.lists(st.none() | VALUES[name], min_size=2, max_size=4))
    first = next((row for row, value in enumerate(values) if value is not None), None)

    for kind, made in KINDS.items():
        frame = made(values)
        if name in ARRIVE or first is None:
            assert arrived(frame) == values, kind
            continue
        with pytest.raises(af.DTypeError) as raised:
            arrived(frame) if kind != "lazy" else af.report(frame.with_columns(a=pl.lit("a")), "p", "a")
        message = str(raised.value)
        assert "column 'p'" in message, kind
        if kind != "lazy":  # a query is not run for a message
            assert f"row {first}" in message, (kind, message)


MISSING: list[Any] = [
    None,
    float("nan"),
    np.float64("nan"),
    np.float32("nan"),
    pd.NA,
    pd.NaT,
    np.datetime64("NaT", "ns"),
    Decimal("NaN"),
]


@given(st.lists(TEXTS | st.sampled_from(MISSING), min_size=1, max_size=5))
def test_whatever_is_missing_beside_texts_is_null(values: list[Any]) -> None:
    expected = [value if isinstance(value, str) else None for value in values]
    assert [None if is_missing(value) else value for value in values] == expected
    column = pd.Series(values, dtype=object)

    assert arrived(pd.DataFrame({"p": column})) == expected
    metric = af.ANLS()
    for batch in (values, np.array([*values, None], dtype=object)[:-1], column):
        metric.reset()
        metric.update(batch, ["a"] * len(values))
        assert metric.n_missing == expected.count(None)
    lists = pd.Series([[value] for value in values], dtype=object)
    assert arrived(pd.DataFrame({"p": lists})) == [[text] for text in expected]


OTHERS: list[Any] = [
    3,
    2.5,
    True,
    b"a",
    Decimal(1),
    dt.date(2026, 1, 2),
    {"a": 1},
    {"a"},
    object,
    1j,
    np.int64(3),
    Ellipsis,
]


@given(
    st.lists(st.none() | TEXTS, max_size=3), st.sampled_from(OTHERS), st.lists(st.none() | TEXTS, max_size=3)
)
def test_a_value_of_any_other_type_is_named_with_its_row(
    before: list[Any], value: Any, after: list[Any]
) -> None:
    frame = pd.DataFrame({"p": pd.Series([*before, value, *after], dtype=object)})

    with pytest.raises(
        af.DTypeError, match=rf"column 'p', row {len(before)}: .* is of type {type(value).__name__}"
    ):
        arrived(frame)
    metric = af.ANLS()
    with pytest.raises(
        TypeError, match=rf"predictions\[{len(before)}\] must be a text or None, got .* of type"
    ):
        metric.update([*before, value, *after], ["a"] * (len(before) + 1 + len(after)))


DAY = np.datetime64("2026-01-02", "ns")


@pytest.mark.parametrize("other", [np.float32(1), np.int64(1), np.bool_(True)])  # noqa: FBT003 - a value
@pytest.mark.parametrize("day", [DAY, np.datetime64("NaT", "s")])
@pytest.mark.parametrize("in_cell", [lambda value: value, lambda value: [value], lambda value: {"a": value}])
def test_a_scalar_of_numpy_after_a_date_of_numpy_does_not_end_the_process(
    in_cell: Callable[[Any], Any], day: Any, other: Any
) -> None:
    frame = pd.DataFrame({"p": pd.Series([in_cell(day), in_cell(other)], dtype=object)})

    with pytest.raises(af.DTypeError, match="column 'p'"):
        arrived(frame)
    if not np.isnat(day):
        with pytest.raises(af.DTypeError, match="column 'p'"):
            to_lazy(frame, [], ["p"])


def test_an_array_of_dates_before_other_arrays_does_not_end_the_process() -> None:
    cells = [np.array([DAY]), np.array([1.5], np.float32)]
    frame = pd.DataFrame({"p": pd.Series(cells, dtype=object)})

    with pytest.raises(af.DTypeError, match="column 'p'"):
        arrived(frame)


@pytest.mark.parametrize(
    "value", [None, float("nan"), np.float32("nan"), pd.NA, pd.NaT, Decimal("NaN"), Decimal("sNaN")]
)
def test_these_values_are_missing(value: Any) -> None:
    assert is_missing(value)


@pytest.mark.parametrize(
    "value", ["", "nan", "None", "NaT", 0, 0.0, False, [], {}, np.array([np.nan]), (None,), b"", object()]
)
def test_these_values_are_not(value: Any) -> None:
    assert not is_missing(value)


@pytest.mark.parametrize("category", [("a", 1), object(), b"a", frozenset("a")])
def test_a_category_without_a_text_is_named(category: Any) -> None:
    values = pd.Categorical.from_codes(
        [0, 1], pd.Index(["x", category], dtype=object, tupleize_cols=False), ordered=True
    )
    frame = pd.DataFrame({"p": ["a", "b"], "a": ["a", "b"], "group": values})

    with pytest.raises(af.DTypeError, match=r"column 'group' has the category .* which has no text; rename"):
        af.report(frame, "p", "a", by="group")


def followed(message: str, library: str) -> str:
    """Return the code that a message gives for a library, which it quotes."""
    code = message.partition(f"in {library} with `")[2].partition("`")[0]
    assert code, message
    return code


@pytest.mark.parametrize(
    ("values", "texts"),
    [
        ([{"text": ["a", "b"], "answer_start": [0, 1]}, None], [["a", "b"], None]),
        ([{"text": "a", "source": "page"}, None], ["a", None]),
        ([[{"answer": "a"}, {"answer": "b"}], None], [["a", "b"], None]),
        ([b"a", None], ["a", None]),
        ([{"b", "a"}, None], [["a", "b"], None]),
    ],
    ids=["objects of lists", "objects", "lists of objects", "bytes", "sets"],
)
def test_the_advice_about_values_that_are_no_texts_gives_their_texts(
    values: list[Any], texts: list[Any]
) -> None:
    frame = pd.DataFrame({"p": pd.Series(values, dtype=object)})

    with pytest.raises(af.DTypeError) as raised:
        arrived(frame)
    assert ("every field of documents with `anls_frame.fields`" in str(raised.value)) == isinstance(
        values[0], dict
    )
    code = followed(str(raised.value), "pandas")
    converted = eval(code if code.startswith("frame[") else f"frame['p']{code}", {"frame": frame})  # noqa: S307 - as a user would
    assert arrived(pd.DataFrame({"p": converted})) == texts
    if isinstance(values[0], set):
        return
    table = pl.DataFrame({"p": values}, strict=False)
    for same in (table, table.lazy(), table.to_arrow()):
        with pytest.raises(af.DTypeError) as raised:
            arrived(same)
        column = eval(f"pl.col('p'){followed(str(raised.value), 'Polars')}", {"pl": pl})  # noqa: S307 - as a user would
        assert arrived(table.select(column.alias("p"))) == texts


@pytest.mark.parametrize("use", ["by", "cluster", "keep"])
def test_the_advice_about_objects_of_polars_gives_a_column(use: str) -> None:
    texts = {"p": ["a", "b"], "a": ["a", "c"]}
    frame = pl.DataFrame({**texts, "group": pl.Series(["x", "y"], dtype=pl.Object)})

    options: dict[str, Any] = {use: "group", "worst": int(use == "keep")}
    with pytest.raises(af.DTypeError, match="column 'group' has dtype Object") as raised:
        af.report(frame, "p", "a", **options)
    converted = frame.with_columns(
        group=eval(followed(str(raised.value), "Polars"), {"pl": pl, "frame": frame})  # noqa: S307 - as a user would
    )
    report = af.report(converted, "p", "a", by="group")
    assert report.by_group.select("group", "anls").rows() == [("x", 1.0), ("y", 0.0)]


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["a", 1], "must hold values of one type: row 7 holds 'a' of type str and row 9 holds 1 of type int"),
        ([True, 0.5], "must hold values of one type: row 7 holds True of type bool and row 9 holds 0.5"),
        (
            [Path("a"), None],
            r"cannot be converted to Arrow: row 7 holds \w*Path\('a'\) of type pathlib\.\w*Path",
        ),
        ([("a", 1), None], r"cannot be converted to Arrow: row 7 holds \('a', 1\) of type tuple"),
        ([1j, 2j], "cannot be converted to Arrow: row 7 holds 1j of type complex"),
    ],
)
def test_values_that_arrow_does_not_hold_are_named_and_the_advice_makes_slices(
    values: list[Any], told: str
) -> None:
    frame = pd.DataFrame({"p": ["a", "b"], "a": ["a", "c"], "group": values}, index=[7, 9])

    with pytest.raises(af.DTypeError, match=f"column 'group' {told}.*; `frame") as raised:
        af.report(frame, "p", "a", by="group")
    code = str(raised.value).rpartition("; `")[2].partition("`")[0]
    texts = frame.assign(group=eval(code, {"frame": frame}))  # noqa: S307 - as a user would
    assert sum(af.report(texts, "p", "a", by="group").by_group["n"]) == len(values)


def test_the_advice_about_arrays_of_two_types_gives_lists() -> None:
    # An empty array of NumPy holds floats.
    answers = [np.array(["a", "c"]), np.array([]), None]
    frame = pd.DataFrame({"p": ["c", "b", "d"], "a": answers})

    with pytest.raises(af.DTypeError, match=r"column 'a' cannot be converted to Arrow: row 0") as raised:
        af.report(frame, "p", "a")
    code = str(raised.value).rpartition("; `")[2].partition("`")[0]
    lists = frame.assign(a=eval(code, {"frame": frame}))  # noqa: S307 - as a user would
    report = af.report(lists, "p", "a")
    assert (report.overall["anls"], report.overall["n_unanswerable"]) == (1.0, 2)


@pytest.mark.parametrize(
    ("answers", "right"),
    [([42, 7, None], [1, 0]), ([[42, 43], [7], None], [1, 0]), ([42, "8", None], [1, 1])],
    ids=["numbers", "lists", "numbers and texts"],
)
def test_the_advice_about_whole_numbers_gives_their_texts(answers: list[Any], right: list[int]) -> None:
    frame = pd.DataFrame({"p": ["42", "8", "x"], "a": pd.Series(answers, dtype=object)})

    with pytest.raises(af.DTypeError, match="make texts of whole numbers") as raised:
        af.report(frame, "p", "a")
    code = str(raised.value).rpartition("in pandas with `")[2].partition("`")[0]
    texts = frame.assign(a=eval(f"frame['a']{code}", {"frame": frame}))  # noqa: S307 - as a user would
    assert texts.anls.exact_match("p", "a").tolist()[:2] == right
    assert af.report(texts, "p", "a").overall["n_unanswerable"] == 1
    if "8" in answers:
        return  # Polars holds no column of both
    cast = str(raised.value).rpartition("in Polars with `")[2].partition("`")[0]
    column = eval(f"pl.col('a'){cast}", {"pl": pl})  # noqa: S307 - as a user would
    in_polars = pl.DataFrame({"p": frame["p"].to_list(), "a": answers}).with_columns(column)
    assert in_polars.select(af.exact_match("p", "a")).to_series().to_list() == [*map(bool, right), None]


@pytest.mark.parametrize("missing", MISSING[1:])
def test_whatever_is_missing_beside_slices_is_null(missing: Any) -> None:
    frame = pd.DataFrame({"p": ["a", "b"], "a": ["a", "c"]})
    for values in (["x", missing], [Decimal(1), missing]):
        groups = pd.Series(values, dtype=object)
        table = to_lazy(frame.assign(group=groups), [], ["group"]).collect()["group"]
        assert table.is_null().to_list() == [value is missing for value in values]


def test_advice_about_sets_gives_lists() -> None:
    """Polars makes objects of a list of sets again, and of one set among lists."""
    sets = pl.Series([{"b", "a"}, None, set()], dtype=pl.Object)
    frame = pl.DataFrame({"prediction": ["a", "b", "c"], "answers": sets})
    with pytest.raises(af.DTypeError) as raised:
        af.report(frame, "prediction", "answers")
    code = re.search(r"and sets with `([^`]+)`", str(raised.value))
    assert code is not None
    lists = eval(code[1], {"pl": pl, "frame": frame})  # noqa: S307 - our own text
    assert lists.to_list() == [["a", "b"], None, []]
    assert af.report(frame.with_columns(answers=lists), "prediction", "answers").overall["n"] == 1


@pytest.mark.skipif(not hasattr(pl, "Map"), reason="Polars 1 reads maps as lists of objects")
def test_advice_about_answers_in_maps_leads_to_their_values(tmp_path: Path) -> None:
    maps = pa.array([[("a", "Coke"), ("b", "Cola")], [("a", "x")]], pa.map_(pa.string(), pa.string()))
    frame = pl.DataFrame(pa.table({"id": ["1", "2"], "prediction": ["Cola", "y"], "answers": maps}))
    frame.write_parquet(tmp_path / "maps.parquet")
    advice = r"take its values, in Polars with `\.map\.values\(\)`"
    with pytest.raises(af.exceptions.DTypeError, match=advice):
        af.report(frame, "prediction", "answers")
    with pytest.raises(af.InputError, match=advice):
        af.read_results(tmp_path / "maps.parquet")
    followed = frame.with_columns(pl.col("answers").map.values())
    assert af.report(followed, "prediction", "answers").overall["anls"] == 0.5


def test_advice_about_objects_names_the_value_next_to_a_key() -> None:
    pairs = pl.Series([[{"key": "a", "value": "Coke"}], [{"key": "a", "value": "x"}]])
    frame = pl.DataFrame({"prediction": ["Coke", "y"], "answers": pairs})
    with pytest.raises(af.exceptions.DTypeError, match=r"element\(\)\.struct\.field\('value'\)"):
        af.report(frame, "prediction", "answers")
