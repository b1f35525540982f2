"""Two result tables side by side: by id, in the first one's order, with nothing lost in silence."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from anls_frame.exceptions import ColumnNotFoundError, DTypeError
from anls_frame.reports.pairing import pair

OLD = {
    "id": [3, 1, 2, 4],
    "prediction": ["c", "a", None, "d"],
    "answer": ["c", "a", "b", "d"],
    "page": [7, 8, 9, 10],
}
NEW = {"id": [1, 2, 3, 5], "prediction": ["A", "B", "C", None]}
WIDE = {
    "id": [3, 1, 2],
    "prediction_first": ["c", "a", None],
    "prediction_second": ["C", "A", "B"],
    "answer": ["c", "a", "b"],
    "page": [7, 8, 9],
}
KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "Polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "pyarrow": pa.table,
    "stream": lambda columns: pa.table(columns).to_reader(),
    "DuckDB": lambda columns: duckdb.connect().from_arrow(pa.table(columns)),
}


def paired(first: dict[str, Any], second: dict[str, Any], on: Any = "id", **options: Any) -> Any:
    return pair(pl.DataFrame(first), pl.DataFrame(second), on=on, prediction="prediction", **options)


def values_of(frame: Any) -> dict[str, list[Any]]:
    if isinstance(frame, pd.DataFrame):
        return {name: [None if pd.isna(x) else x for x in frame[name]] for name in frame.columns}
    return frame.to_dict(as_series=False)  # type: ignore[no-any-return]


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_frames_of_any_kinds_are_paired_in_the_order_of_the_first(first: str, second: str) -> None:
    found = pair(KINDS[first](OLD), KINDS[second](NEW), on="id", prediction="prediction")
    assert isinstance(found.frame, pd.DataFrame if first == "pandas" else pl.DataFrame)
    assert values_of(found.frame) == WIDE
    assert list(found.frame.columns) == list(WIDE)
    assert [type(one) for one in found] == [type(found.frame)] * 3
    assert values_of(found.only_first) == {"id": [4]}
    assert values_of(found.only_second) == {"id": [5]}


def test_index_and_dtypes_of_pandas_stay() -> None:
    old = pd.DataFrame(
        {
            "id": ["x", "y", "z"],
            "prediction": pd.array(["c", None, "d"], dtype="string"),
            "kind": pd.Categorical(["u", "v", "u"]),
            "mixed": ["text", 1, ["list"]],
            "count": pd.array([1, None, 3], dtype="Int64"),
            5: [0.5, 0.25, 0.125],
        },
        index=pd.Index([30, 10, 20], name="row"),
    )
    new = pd.DataFrame({"id": ["z", "x"], "prediction": pd.array(["Z", None], dtype="string")}, index=[1, 1])
    wide = pair(old, new, on="id", prediction="prediction").frame
    expected = old.loc[[30, 20]].rename(columns={"prediction": "prediction_first"})
    expected.insert(2, "prediction_second", pd.Series([None, "Z"], expected.index, dtype="string"))
    pd.testing.assert_frame_equal(wide, expected)
    # The given frames are as they were.
    assert list(old.columns) == ["id", "prediction", "kind", "mixed", "count", 5]
    assert list(new.columns) == ["id", "prediction"]


def test_dtypes_of_polars_stay() -> None:
    old = pl.DataFrame(OLD).with_columns(
        pl.col("page").cast(pl.UInt8), kind=pl.lit("u", pl.Categorical), list=pl.lit([1, 2], pl.List(pl.Int8))
    )
    wide = pair(old, pl.DataFrame(NEW), on="id", prediction="prediction").frame
    for name in ("id", "page", "kind", "list"):
        assert wide.schema[name] == old.schema[name]


DAY = dt.date(2026, 2, 28)
IDS: dict[str, tuple[list[Any], Any]] = {
    "texts": (["b", "a", ""], pl.String),
    "integers": ([2, 1, -1], pl.Int64),
    "floats": ([0.5, 0.0, float("nan")], pl.Float64),
    "dates": ([DAY, DAY.replace(day=1), DAY.replace(day=2)], pl.Date),
    "truth values": ([True, False], pl.Boolean),
    "categories": (["b", "a", "c"], pl.Categorical),
    "enumeration": (["b", "a", "c"], pl.Enum(["c", "b", "a"])),
    "bytes": ([b"b", b"a", b"\xff"], pl.Binary),
    "structs": ([{"x": 1, "y": "a"}, {"x": 1, "y": "b"}], pl.Struct({"x": pl.Int64, "y": pl.String})),
    "lists": ([[1, 2], [2, 1], []], pl.List(pl.Int64)),
}


@pytest.mark.parametrize("name", IDS)
def test_ids_may_be_of_any_dtype(name: str) -> None:
    values, dtype = IDS[name]
    texts = [f"text {n}" for n in range(len(values))]
    old = pl.DataFrame({"id": pl.Series(values, dtype=dtype), "prediction": texts})
    wide, only_first, only_second = pair(old, old.reverse(), on="id", prediction="prediction")
    assert wide["prediction_first"].to_list() == wide["prediction_second"].to_list() == texts
    assert only_first.is_empty()
    assert only_second.is_empty()
    assert only_first.schema["id"] == dtype


def test_several_columns_identify_a_row_together() -> None:
    old = {"doc": ["d", "d", "e", "e"], "n": [1, 2, 1, 2], "prediction": ["a", "b", "c", "d"]}
    new = {"n": [2, 1, 3], "doc": ["d", "e", "e"], "prediction": ["B", "C", "E"]}
    wide, only_first, only_second = paired(old, new, on=["doc", "n"])
    assert wide.select("doc", "n", "prediction_first", "prediction_second").rows() == [
        ("d", 2, "b", "B"),
        ("e", 1, "c", "C"),
    ]
    assert only_first.rows() == [("d", 1), ("e", 2)]
    assert only_second.rows() == [("e", 3)]
    assert only_second.columns == ["doc", "n"]


@pytest.mark.parametrize("kind", ["Polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("which", ["first", "second"])
def test_doubled_ids_are_refused_by_name(which: str, kind: str) -> None:
    doubled = {"id": [1, 2, 1, 3, 3], "prediction": ["a"] * 5}
    frames = [KINDS[kind](columns) for columns in ((doubled, NEW) if which == "first" else (NEW, doubled))]
    with pytest.raises(ValueError, match=f"the {which} frame has duplicate ids: 1, 3$"):
        pair(*frames, on="id", prediction="prediction")


@pytest.mark.parametrize("kind", ["Polars", "pandas", "pyarrow"])
@pytest.mark.parametrize("which", ["first", "second"])
def test_null_ids_are_refused(which: str, kind: str) -> None:
    lacking = {"id": ["1", None, None], "prediction": ["a"] * 3}
    frames = [
        KINDS[kind](columns)
        for columns in (
            (lacking, lacking) if which == "first" else ({"id": ["1"], "prediction": ["a"]}, lacking)
        )
    ]
    with pytest.raises(ValueError, match=rf"the {which} frame has 2 rows without an id in \['id'\]"):
        pair(*frames, on="id", prediction="prediction")


@pytest.mark.parametrize(
    ("one", "other"),
    [([1], ["1"]), ([1], [1.0]), (["1"], [b"1"]), ([1], [True]), ([DAY], ["2026-02-28"]), ([[1]], [["1"]])],
    ids=str,
)
def test_ids_of_different_dtypes_are_refused_by_name(one: list[Any], other: list[Any]) -> None:
    with pytest.raises(
        DTypeError, match=r"column 'id' has dtype .* in the first frame and .* in the second; cast"
    ):
        paired({"id": one, "prediction": ["a"]}, {"id": other, "prediction": ["a"]})


def test_objects_are_no_ids() -> None:
    frame = pl.DataFrame({"id": pl.Series([object()], dtype=pl.Object), "prediction": ["a"]})
    with pytest.raises(DTypeError, match="column 'id' has dtype Object and cannot identify rows"):
        pair(frame, frame, on="id", prediction="prediction")


@pytest.mark.parametrize("on", [[], ["id", "id"], ["id", "prediction"], "prediction"], ids=str)
def test_ids_are_other_columns_than_the_prediction_each_once(on: Any) -> None:
    with pytest.raises(
        ValueError, match="on must name columns other than 'prediction', at least one and each once"
    ):
        paired(OLD, NEW, on=on)


@pytest.mark.parametrize("names", [("same", "same"), ("x", "second"), ("first", "x")], ids=str)
def test_names_that_are_taken_are_refused(names: tuple[str, str]) -> None:
    old = {**OLD, "prediction_x": OLD["page"]}
    with pytest.raises(
        ValueError, match=r"the prediction columns must have new, distinct names, got \[.*\]; pass names="
    ):
        paired(old, NEW, names=names)


@pytest.mark.parametrize("names", [(), ("one",), ("one", "two", "three")], ids=str)
def test_names_are_two(names: Any) -> None:
    with pytest.raises(ValueError, match="names must have two entries"):
        paired(OLD, NEW, names=names)


@pytest.mark.parametrize(
    "name", ["^id$", "*", "", "key_0", "row", "row_second", "prediction_second", "first"]
)
def test_ids_and_other_columns_may_have_any_name(name: str) -> None:
    old, new = pl.DataFrame(OLD), pl.DataFrame(NEW)
    options: dict[str, Any] = {"prediction": "prediction", "names": ("a", "b")}
    found = pair(old.rename({"id": name}), new.rename({"id": name}), on=name, **options)
    expected = pair(old, new, on="id", **options)
    assert found.frame.equals(expected.frame.rename({"id": name}))
    assert found.only_first.columns == [name]
    found = pair(old.rename({"page": name}), new, on="id", **options)
    assert found.frame.equals(expected.frame.rename({"page": name}))
    old, new = old.rename({"prediction": name}), new.rename({"prediction": name})
    found = pair(old, new, on="id", prediction=name, names=("a", "b"))
    assert found.frame.columns == ["id", f"{name}_a", f"{name}_b", "answer", "page"]


@given(
    first=st.lists(st.integers(0, 8), unique=True, max_size=9),
    second=st.lists(st.integers(0, 8), unique=True, max_size=9),
)
def test_every_row_is_matched_or_listed(first: list[int], second: list[int]) -> None:
    old, new = (
        pl.DataFrame(
            {"id": ids, "prediction": [f"{name}{n}" for n in ids]},
            schema={"id": pl.Int64, "prediction": pl.String},
        )
        for ids, name in ((first, "a"), (second, "b"))
    )
    wide, only_first, only_second = pair(old, new, on="id", prediction="prediction")
    assert wide.rows() == [(n, f"a{n}", f"b{n}") for n in first if n in second]
    assert only_first["id"].to_list() == [n for n in first if n not in second]
    assert only_second["id"].to_list() == [n for n in second if n not in first]


@pytest.mark.parametrize("second", KINDS)
@pytest.mark.parametrize("first", KINDS)
def test_other_answers_are_refused_with_their_ids(first: str, second: str) -> None:
    new = {**NEW, "answer": ["a", "other", None, "x"]}
    with pytest.raises(
        ValueError, match=r"different answers in column 'answer' for 2 ids \(id\): 3, 2\. Pair"
    ):
        pair(KINDS[first](OLD), KINDS[second](new), on="id", prediction="prediction")
    same = {**NEW, "answer": ["a", "b", "c", "x"]}
    found = pair(KINDS[first](OLD), KINDS[second](same), on="id", prediction="prediction").frame
    assert values_of(found) == WIDE


@pytest.mark.parametrize(
    "name",
    [
        "answers",
        "Answer",
        "reference",
        "references",
        "gold",
        "ground_truth",
        "GT",
        "target",
        "expected_output",
    ],
)
def test_usual_names_of_answers_are_compared_and_others_are_not(name: str) -> None:
    old = {"id": [1], "prediction": ["a"], name: ["a"], "note": ["x"]}
    new = {"id": [1], "prediction": ["b"], name: ["b"], "note": ["y"]}
    with pytest.raises(ValueError, match=f"different answers in column '{name}' for 1 id "):
        paired(old, new)
    assert paired(old, new, answers=[]).frame["note"].to_list() == ["x"]
    with pytest.raises(ValueError, match="different answers in column 'note' for 1 id "):
        paired(old, new, answers="note")
    with pytest.raises(ColumnNotFoundError, match="no column 'page'"):
        paired(OLD, NEW, answers="page")


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ([["a", "b"]], [["b", "a", "a"]], True),
        ([["a"]], ["a"], True),
        ([["a", None]], ["a"], True),
        ([[]], [None], True),
        ([[None]], [[]], True),
        (["a"], [None], False),
        (["a"], ["A"], False),
        ([["a", "b"]], ["a"], False),
        ([1], [1.0], True),
        ([1], ["1"], True),
        ([[1871]], [["1871"]], True),
        ([1.5], [2.5], False),
        ([""], [None], False),
    ],
    ids=str,
)
def test_answers_agree_as_sets(one: list[Any], other: list[Any], *, agree: bool) -> None:
    first, second = ({"id": [1], "prediction": ["a"], "answers": column} for column in (one, other))
    for turned in ((first, second), (second, first)):
        if agree:
            assert paired(*turned).frame.height == 1
        else:
            with pytest.raises(ValueError, match="the frames accept different answers"):
                paired(*turned)


def test_answers_that_are_no_texts_are_refused() -> None:
    columns = {"id": [1], "prediction": ["a"], "answers": [{"text": "a"}]}
    with pytest.raises(DTypeError, match="answers must be strings or lists of strings, got dtype Struct"):
        paired(columns, columns)
    assert paired(columns, columns, answers=[]).frame.height == 1
