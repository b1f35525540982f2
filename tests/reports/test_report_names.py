"""Columns of any name and dtype slice a report, or are refused by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

ODD_NAMES = ["", "^.*$", "^", "*", "{{x}}"]
KINDS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.LazyFrame,
    "pandas": pd.DataFrame,
    "arrow": pa.table,
}
DATA = {"p": ["a", "b", "c"], "a": ["a", "x", "c"], "by": ["u", "v", "v"], "doc": ["1", "1", "2"]}


CASES = [(name, kind) for name in ODD_NAMES for kind in KINDS]
# No Arrow table that Polars makes can have a NUL in a name.
CASES += [("\0", kind) for kind in ("polars", "lazy", "pandas")]


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.parametrize("role", DATA)
def test_a_column_may_have_any_name(role: str, name: str, kind: str, tmp_path: Path) -> None:
    names = {key: name if key == role else key for key in DATA}
    frame = KINDS[kind]({names[key]: values for key, values in DATA.items()})
    plain = af.report(pl.DataFrame(DATA), "p", "a", by="by", cluster="doc")

    made = af.report(
        frame, names["p"], names["a"], by=names["by"], cluster=names["doc"], worst=2, details=True
    )

    expected = plain.to_polars().rename({"by": names["by"]})
    assert_frame_equal(made.to_polars(), expected)
    assert made.to_pandas().columns.to_list() == expected.columns
    for ending in ("html", "csv", "md"):
        assert made.write(tmp_path / f"report.{ending}").stat().st_size
    worst = af.worst(frame, names["p"], names["a"], 1, by=names["by"])
    assert len(worst) == 2
    assert len(af.confusions(frame, names["p"], names["a"], by=names["by"])) == 1


def test_structs_slice_reports_and_their_pages(tmp_path: Path) -> None:
    frame = pl.DataFrame(DATA).with_columns(by=pl.struct("by", "doc"))

    made = af.report(frame, "p", "a", by="by", details=True)

    page = made.write(tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("n = 1<") == 3
    assert made.by_group["n"].to_list() == [1, 1, 1]


@pytest.mark.parametrize(
    "dtype",
    [pl.Struct([]), pl.List(pl.Struct([])), pl.Struct({"x": pl.Struct([])})],
    ids=str,
)
@pytest.mark.parametrize("role", ["by", "cluster"])
def test_structs_without_fields_are_refused_by_name(role: str, dtype: pl.DataType) -> None:
    frame = pl.DataFrame(DATA).with_columns(empty=pl.lit(None, dtype=dtype))

    with pytest.raises(af.DTypeError, match=r"column 'empty' has dtype .* a struct without fields"):
        af.report(frame, "p", "a", **{role: "empty"})
