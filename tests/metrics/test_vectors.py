"""Hamming distances of lists are scipy's, and Python's where scipy has none."""

from __future__ import annotations

from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry import Engine, each_engine, namespace
from scipy.spatial.distance import hamming as scipy_hamming

import anls_frame as af

Rows = list[tuple[list[Any] | None, list[Any] | None]]

ENTRIES = {
    pl.Boolean: st.booleans(),
    pl.UInt8: st.integers(0, 1),
    # Two that are one as floats.
    pl.Int64: st.sampled_from([0, 1, -1, 2**62, 2**62 + 1]),
    pl.Float64: st.sampled_from([0.0, -0.0, 0.1, float("inf"), float("-inf")]),
    pl.String: st.sampled_from(["the", "cat", "", "The"]),
}


def rows_of(entries: st.SearchStrategy[Any]) -> st.SearchStrategy[Rows]:
    vectors = st.none() | st.lists(st.none() | entries, max_size=4)
    return st.lists(st.tuples(vectors, vectors), max_size=12)


def expected(rows: Rows) -> list[int | None]:
    return [
        None
        if a is None or b is None or len(a) != len(b)
        else sum(one != other for one, other in zip(a, b, strict=True))
        for a, b in rows
    ]


def frame_of(rows: Rows, dtype: Any, chunk: int = 0) -> pl.DataFrame:
    frame = pl.DataFrame(rows, schema={"a": pl.List(dtype), "b": pl.List(dtype)}, orient="row")
    if not chunk:
        return frame
    return pl.concat([frame[at : at + chunk] for at in range(0, frame.height, chunk)] or [frame])


@each_engine
@pytest.mark.parametrize("dtype", ENTRIES, ids=str)
@given(data=st.data())
def test_each_row_is_counted_by_itself(dtype: Any, engine: Engine, data: st.DataObject) -> None:
    rows = data.draw(rows_of(ENTRIES[dtype]))
    frame = frame_of(rows, dtype, chunk=data.draw(st.integers(0, 3)))

    result = frame.lazy().select(af.hamming_vectors("a", "b")).collect(engine=engine)

    assert result.schema == {"hamming_vectors": pl.Int64}
    assert result["hamming_vectors"].to_list() == expected(rows)


@given(st.lists(st.tuples(st.integers(0, 1), st.integers(0, 1)), min_size=1, max_size=40))
def test_the_share_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    left, right = (list(side) for side in zip(*pairs, strict=True))
    share = scipy_hamming(left, right)
    frame = pl.DataFrame({"a": [left], "b": [right]})

    assert af.pairs.hamming_distance(left, right) / len(left) == share
    assert af.pairs.hamming_distance(np.array(left), np.array(right)) / len(left) == share
    assert frame.select(af.hamming_vectors("a", "b") / pl.col("b").list.len()).item() == share


def test_arrays_literals_series_and_the_namespace_are_taken() -> None:
    frame = frame_of([([0, 1], [1, 1]), ([1, 1], [1, 1]), (None, [0, 0])], pl.Int64)
    arrays = frame.cast(pl.Array(pl.Int64, 2))
    one = pl.lit(pl.Series([[1, 0]]))

    for distances in (
        frame.select(af.hamming_vectors("a", "b")),
        arrays.select(af.hamming_vectors("a", "b")),
        frame.select(af.hamming_vectors(frame["a"], arrays["b"])),
        frame.select(namespace(pl.col("a")).hamming_vectors("b")),
        frame.with_columns(pl.col("a").cast(pl.List(pl.Boolean))).select(af.hamming_vectors("a", "b")),
    ):
        assert distances.to_dict(as_series=False) == {"hamming_vectors": [1, 0, None]}
    assert frame.select(af.hamming_vectors("a", one))["hamming_vectors"].to_list() == [2, 1, None]
    assert frame.select(af.hamming_vectors(one, "b"))["hamming_vectors"].to_list() == [1, 1, 1]
    assert pl.select(af.hamming_vectors(pl.lit(None), one)).item() is None
    assert frame.head(0).select(af.hamming_vectors("a", "b")).height == 0


def test_groups_and_windows_are_scored_row_by_row() -> None:
    rows = [([0, 1], [1, 1]), ([1], [1, 1]), ([0, 0, 0], [1, 1, 1]), ([], [])]
    frame = frame_of(rows, pl.Int64).with_columns(group=pl.Series(["x", "y", "x", "y"]))

    grouped = frame.group_by("group").agg(af.hamming_vectors("a", "b")).sort("group")

    assert grouped["hamming_vectors"].to_list() == [[1, 3], [None, 0]]
    assert frame.select(af.hamming_vectors("a", "b").sum().over("group")).to_series().to_list() == [
        4,
        0,
        4,
        0,
    ]


@each_engine
def test_what_is_no_list_is_refused_by_name(engine: Engine) -> None:
    frame = pl.LazyFrame({"text": ["a"], "list": [[1]], "words": [["a"]]})

    with pytest.raises(af.DTypeError, match=r"needs one list.*'text' has dtype String.*use `hamming`"):
        frame.select(af.hamming_vectors("text", "list")).collect(engine=engine)
    with pytest.raises(af.DTypeError, match=r"cannot compare.*'list' \(List\(Int64\)\).*'words'"):
        frame.select(af.hamming_vectors("list", "words")).collect(engine=engine)
    with pytest.raises(TypeError, match="`hamming_vectors` takes a column name"):
        af.hamming_vectors([1], "list")  # type: ignore[arg-type]
