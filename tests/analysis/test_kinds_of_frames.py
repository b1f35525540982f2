"""Tables of rows and of errors are of the kind of the frame that they are made of, and equal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import polars.selectors as cs
import pyarrow as pa
import pytest
from cases import frame_of_parts
from polars.testing import assert_frame_equal

import anls_frame as af

CALLS: dict[str, Callable[[Any], Any]] = {
    "worst": lambda frame: af.worst(frame, "p", "a", 5),
    "worst by slice": lambda frame: af.worst(frame, "p", "a", 2, by="tags"),
    "changes": lambda frame: af.changes(frame, ["p", "q"], "a", kind="all", keep=["id", "part"], n=40),
    "audit_sample": lambda frame: af.audit_sample(frame, 25, cluster="part", seed=3),
    "confusions": lambda frame: af.confusions(frame, "p", "a"),
    "confusions by slice": lambda frame: af.confusions(frame, "p", "a", by=["part", "tags"]),
    "length_scores": lambda frame: af.length_scores(frame, "p", "a", by="tags", missing="drop"),
}


@pytest.mark.parametrize("name", CALLS)
def test_every_kind_of_frame_gives_its_own_kind(name: str) -> None:
    frame = frame_of_parts().with_columns(q=pl.col("a").list.first())
    expected = CALLS[name](frame)
    parts = pl.concat([frame.head(10), frame.slice(10, 700), frame.slice(710)], rechunk=False)
    for other in (parts, frame.lazy(), parts.lazy()):
        assert_frame_equal(CALLS[name](other), expected)
    of_arrow = CALLS[name](frame.to_arrow())
    assert isinstance(of_arrow, pa.Table)
    assert_frame_equal(pl.DataFrame(of_arrow), expected)
    of_pandas = CALLS[name](frame.to_pandas().set_index("id", drop=False).rename_axis("index"))
    assert isinstance(of_pandas, pd.DataFrame)
    plain = expected.select(~cs.by_dtype(pl.List(pl.String)))
    found = pl.from_pandas(of_pandas[plain.columns].reset_index(drop=True))
    assert_frame_equal(found, plain, check_dtypes=False)
    assert "id" not in plain.columns or of_pandas.index.to_list() == plain["id"].to_list()
