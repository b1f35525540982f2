"""A report is the same over every kind of frame."""

from __future__ import annotations

import datetime as dt
import functools
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import report_oracle
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.exceptions import DTypeError
from anls_frame.reports.reports import report

DAY, OTHER_DAY = dt.date(2026, 2, 28), dt.date(2026, 3, 1)
NOON = dt.datetime(2026, 2, 28, 12)  # noqa: DTZ001 - DuckDB cannot give out others on its own
COLUMNS: dict[str, list[Any]] = {
    "prediction": ["Coca Cola", None, "12", "x", "", "1O", "Zürich"],
    "answers": [["Coke", "CocaCola"], ["a"], ["12", None], [], [""], ["10"], ["Zurich"]],
    "types": [["form", "table"], ["table"], [], None, [None, "form"], ["table", "table"], ["form"]],
    "integer": [1, 1, 2, 2, 3, 3, 1],
    "float": [0.0, -0.0, None, 1.5, 1.5, None, 0.0],
    "boolean": [True, False, None, True, None, False, True],
    "date": [DAY, DAY, OTHER_DAY, None, None, DAY, DAY],
    "time": [NOON, NOON, None, None, NOON, NOON, NOON],
    "decimal": [Decimal("1.1"), Decimal("1.10"), None, None, Decimal(2), Decimal(2), None],
    "integers": [[1, 2], [2, 1], [], None, [3], [3, 3], [1]],
    "text": ["en", "de", None, "de", "en", "", "en"],
    "score": [0.0, 0.25, None, 1.0, 1.0, 0.5, 0.0],
    "other": ["Coca Cola", "a", None, "y", "", "10", "Zurich"],
}
KEYS = ["types", "integer", "float", "boolean", "date", "time", "decimal", "integers", "text"]
FRAME = pl.DataFrame(COLUMNS)
TABLE = pa.table(COLUMNS)


def to_duckdb(_: pl.DataFrame) -> Any:
    return duckdb.connect().from_arrow(TABLE)


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "lazy": pl.DataFrame.lazy,
    "chunks": lambda frame: pl.concat([frame[:1], frame[1:1], frame[1:5], frame[5:]], rechunk=False),
    "pandas": lambda _: pd.DataFrame(COLUMNS),
    "pandas objects": lambda _: pd.DataFrame(COLUMNS, dtype=object),
    "pandas from Polars": pl.DataFrame.to_pandas,
    "pandas on Arrow": lambda _: TABLE.to_pandas(types_mapper=pd.ArrowDtype),
    "pyarrow": lambda _: TABLE,
    "pyarrow from Polars": pl.DataFrame.to_arrow,
    "pyarrow batch": lambda _: TABLE.combine_chunks().to_batches()[0],
    "pyarrow stream": lambda _: TABLE.to_reader(2),
    "DuckDB": to_duckdb,
}


@pytest.mark.parametrize("kind", KINDS)
def test_report_is_that_of_the_polars_frame(kind: str) -> None:
    options: dict[str, Any] = {"by": "types", "cluster": "integer", "worst": 2}
    expected = report(FRAME, "prediction", "answers", **options)
    found = report(KINDS[kind](FRAME), "prediction", "answers", **options)
    report_oracle.check_alike(found.to_polars(), expected.to_polars())
    assert found.settings == expected.settings
    assert found.summary.report_sums.frames["worst"].equals(expected.summary.report_sums.frames["worst"])


@functools.cache
def sliced(key: str) -> af.Report[pl.DataFrame]:
    return report(FRAME, metrics="score", by=key, cluster=key)


@pytest.mark.parametrize("key", KEYS)
@pytest.mark.parametrize("kind", KINDS)
def test_slices_by_a_column_of_any_type_are_those_of_the_polars_frame(kind: str, key: str) -> None:
    frame = KINDS[kind](FRAME)
    expected = sliced(key)
    found = report(frame, metrics="score", by=key, cluster=key)
    table, wanted = found.to_polars(), expected.to_polars()
    # Cast, because Polars hands dates over to pandas as timestamps.
    assert table[key].cast(wanted.schema[key]).equals(wanted[key])
    report_oracle.check_alike(table.drop(key), wanted.drop(key))
    assert found.summary.digest == expected.summary.digest


# What pandas has in several forms: as column, and as the keys they mean.
PANDAS: dict[str, tuple[Any, list[Any]]] = {
    "nullable integers": (pd.array([1, 1, None], dtype="Int64"), [1, 1, None]),
    "nullable booleans": (pd.array([True, None, False], dtype="boolean"), [True, None, False]),
    "nullable floats": (pd.array([1.5, None, 1.5], dtype="Float64"), [1.5, None, 1.5]),
    "strings": (pd.array(["a", None, ""], dtype="string"), ["a", None, ""]),
    "str": (pd.Series(["a", np.nan, ""], dtype="str"), ["a", None, ""]),
    "objects": (pd.Series(["a", None, np.nan], dtype=object), ["a", None, None]),
    "integers with NaN": ([1, np.nan, 1], [1.0, None, 1.0]),
    "integers as objects": (pd.Series([1, None, 1], dtype=object), [1, None, 1]),
    "categories of texts": (pd.Categorical(["b", "a", None]), ["b", "a", None]),
    "categories of integers": (pd.Categorical([2, 1, 2]), [2, 1, 2]),
    "categories of dates": (pd.Categorical([DAY, OTHER_DAY, DAY]), [DAY, OTHER_DAY, DAY]),
    "categories, none there": (pd.Categorical([None, None, None], categories=["a"]), [None, None, None]),
    "no categories": (pd.Categorical([None, None, None]), [None, None, None]),
    "missing values alone": ([None, np.nan, pd.NA], [None, None, None]),
    "dates": ([DAY, None, DAY], [DAY, None, DAY]),
    "timestamps": (pd.Series([NOON, None, NOON]), [NOON, None, NOON]),
    "time spans": (pd.to_timedelta([1, None, 1], unit="D"), [dt.timedelta(1)] * 2 + [None]),
    "times": ([dt.time(1), None, dt.time(1)], [dt.time(1), None, dt.time(1)]),
    "bytes": ([b"a", None, b"a"], [b"a", None, b"a"]),
    "lists": ([["a", "b"], None, []], [["a", "b"], None, []]),
    "tuples": ([("a", "b"), None, ()], [["a", "b"], None, []]),
    "numpy arrays": ([np.array([1, 2]), np.array([2]), np.array([1])], [[1, 2], [2], [1]]),
    "dictionaries": ([{"x": 1}, {"x": 1}, None], [{"x": 1}, {"x": 1}, None]),
    "small integers": (np.array([1, 2, 1], dtype=np.uint8), [1, 2, 1]),
    "half floats": (np.array([1, 2, 1], dtype=np.float16), [1.0, 2.0, 1.0]),
}  # fmt: skip


@pytest.mark.parametrize("name", PANDAS)
def test_pandas_column_slices_as_what_it_means(name: str) -> None:
    column, meant = PANDAS[name]
    frame = pd.DataFrame({"p": ["a", "b", "c"], "a": ["a", "x", "c"], "k": column}).set_axis([5, 5, 7])
    made = report(frame, "p", "a", by="k", cluster="k")
    counts: dict[Any, int] = {}
    for value in meant:
        for entry in report_oracle.entries(value):
            counts[entry] = counts.get(entry, 0) + 1
    slices = made.to_polars().filter(slice="group").select("k", "n")
    assert {report_oracle.key_of(key): n for key, n in slices.iter_rows()} == counts


ENDLESS: list[Any] = []
ENDLESS.append(ENDLESS)
ROUND: dict[str, Any] = {}
ROUND["x"] = [ROUND]


def series(values: list[Any]) -> Any:
    return pd.Series(values, dtype=object)


@pytest.mark.parametrize(
    "column",
    [
        series(["a", 1, "b"]),
        series([["a"], "a", None]),
        series([["a", 1], None, None]),
        series([object()] * 3),
        series([2**70] * 3),
        series([1j] * 3),
        series(["\ud800", "a", "b"]),
        series([ENDLESS] * 3),
        series([ROUND] * 3),
        series([[[[["a"]]]]] * 3),
    ],
    ids=["texts and numbers", "texts and lists", "mixed lists", "objects", "large numbers", "complex numbers",
         "half a surrogate pair", "endless lists", "endless dicts", "deep lists"],
)  # fmt: skip
def test_pandas_column_without_one_type_is_an_error_that_names_it(column: Any) -> None:
    frame = pd.DataFrame({"p": ["a"] * 3, "a": ["a"] * 3, "the key": column})
    with pytest.raises(DTypeError, match="column 'the key'"):
        report(frame, "p", "a", by="the key")
    with pytest.raises(DTypeError, match="column 'the key'"):
        report(frame, "p", "a", cluster="the key")


# Arrow types that Polars has no dtype for; some of them end its import with a panic.
FOREIGN = {
    "256-bit decimals": pa.array([Decimal("1.1")] * 2, pa.decimal256(50, 2)),
    "run ends": pa.RunEndEncodedArray.from_arrays([2], ["a"]),
    "list views": pa.array([["a"]] * 2, pa.list_view(pa.string())),
    "intervals": pa.array([pa.MonthDayNano([1, 1, 1])] * 2),
    "unions": pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array([1, 2])]),
    "maps": pa.array([[("a", 1)]] * 2, pa.map_(pa.string(), pa.int64())),
    "extensions": pa.array([b"0123456789abcdef"] * 2, pa.uuid()),
    "lists of empty arrays": pa.array([[[]]] * 2, pa.list_(pa.list_(pa.string(), 0))),
    "structs of 256-bit decimals": pa.array([{"x": Decimal(1)}] * 2, pa.struct({"x": pa.decimal256(50, 2)})),
    "unknown zone": pa.array([0, 0], pa.timestamp("s", tz="Nowhere/Else")),
}  # fmt: skip


@pytest.mark.parametrize("name", FOREIGN)
def test_arrow_column_without_a_dtype_in_polars_is_an_error_that_names_it(
    name: str, capfd: pytest.CaptureFixture[str]
) -> None:
    table = pa.table({"p": ["a", "b"], "a": ["a", "b"], "the key": FOREIGN[name]})
    with pytest.raises(DTypeError, match="column 'the key' holds"):
        report(table, "p", "a", by="the key")
    assert "panicked" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("name", "value"), [("run ends", "a"), ("list views", "a"), ("256-bit decimals", Decimal("1.1"))]
)
def test_an_arrow_column_that_cannot_be_cast_is_made_anew_as_the_error_says(name: str, value: object) -> None:
    column = FOREIGN[name]
    table = pa.table({"p": ["a", "b"], "a": ["a", "b"], "the key": column})
    with pytest.raises(
        DTypeError, match=r"where Arrow cannot, `pyarrow.array\(column.to_pylist\(\)\)` makes"
    ):
        report(table, "p", "a", by="the key")
    again = pa.array(column.to_pylist())
    found = report(table.set_column(2, "the key", again), "p", "a", by="the key").by_group
    assert found.select("the key", "n").rows() == [(value, 2)]


def test_readers_of_arrow_get_the_table_of_files(tmp_path: Any) -> None:
    rows = pl.concat([FRAME.drop("time"), FRAME.drop("time")] * 20)
    systems = {"old": "prediction", "new": "other"}
    results = {
        "report": af.report(rows, "prediction", "answers", by=["types", "date"], cluster="integer"),
        "comparison": af.compare(rows.to_pandas(), systems, "answers", by="text"),
        "slices": af.find_slices(rows, "prediction", "answers", ["text", "boolean"]),
    }
    for name, result in results.items():
        written = pl.read_parquet(result.write(tmp_path / f"{name}.parquet"))
        assert_frame_equal(pl.DataFrame(result), written)
        table = pa.table(result)
        assert (table.num_rows, table.column_names) == (written.height, written.columns)
        assert duckdb.connect().sql("FROM result").fetchall() == written.rows()


RESULTS: dict[str, Callable[[Any], Any]] = {
    "report": lambda frame: af.report(
        frame, "tesseract", "answers", by=["doc_type", "lang"], worst=3, details=True
    ),
    "comparison": lambda frame: af.compare(
        frame, ["tesseract", "rapidocr"], "answers", by="lang", draws=99, details=True
    ),
    "selective": lambda frame: af.selective(
        frame, "tesseract", "answers", model_confidence="tesseract_confidence", by="lang"
    ),
    "format tax": lambda frame: af.format_tax(frame, "tesseract", "answers"),
    "slices": lambda frame: af.find_slices(frame, "tesseract", "answers", columns=["lang", "doc_type"]),
}


@pytest.mark.parametrize("kind", ["pandas", "Polars"])
@pytest.mark.parametrize("name", RESULTS)
def test_a_change_of_a_table_does_not_change_the_result(name: str, kind: str) -> None:
    rows = af.sample().head(200)
    result = RESULTS[name](rows.to_pandas() if kind == "pandas" else rows)
    before, seen = repr(result), []
    for attribute in ("overall", "by_group", "tables", "ranking", "steps", "worst", "frame"):
        value = getattr(result, attribute, None)
        for table in value.values() if attribute == "tables" and value else [value]:
            shown = str(table)
            if isinstance(table, pd.DataFrame):
                table.insert(0, "own", 1)
                del table[table.columns[-1]]
            elif isinstance(table, pl.DataFrame):
                table.insert_column(0, pl.Series("own", [1] * table.height))
            elif isinstance(table, dict):
                table.clear()
            else:
                continue
            seen.append((attribute, shown))
    assert seen
    for attribute, shown in seen:
        again = getattr(result, attribute)
        texts = [str(one) for one in again.values()] if attribute == "tables" else [str(again)]
        assert shown in texts, attribute
    assert repr(result) == before
