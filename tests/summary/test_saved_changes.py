"""Saved summaries: they merge with fresh ones, and what was changed or is foreign is refused."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import polars as pl
import pytest

import anls_frame as af
from anls_frame.summary import files

ROWS = pl.DataFrame({
    "old": ["cat", "dog", "a cow", None, "bird", "x"] * 5,
    "new": ["cat", "fog", "cow", "dog", "bird", "y"] * 5,
    "t": ["cat", "dog", "cow", "dog", None, "cat"] * 5,
    "kind": ["a", "b", "b"] * 10,
    "doc": [*range(10)] * 3,
    "s": [0.25, 0.5, 1.0] * 10,
})  # fmt: skip
SYSTEMS = ["old", "new"]


def one(**options: Any) -> Any:
    return af.summarize(ROWS, "old", "t", **{"by": "kind", "details": True, "worst": 2} | options)


def several(**options: Any) -> Any:
    return af.summarize(ROWS, SYSTEMS, "t", **{"by": "kind", "cluster": "doc"} | options)


def loaded(summary: Any) -> Any:
    return type(summary).from_bytes(summary.to_bytes())


def changed(summary: Any, frame: pl.DataFrame | None = None, header: Any = None) -> bytes:
    """Return the file of a summary with another table or header."""
    content = io.BytesIO(summary.to_bytes())
    metadata = pl.read_parquet_metadata(content)["anls_frame"]
    content.seek(0)
    file = io.BytesIO()
    table = pl.read_parquet(content) if frame is None else frame
    table.write_parquet(file, metadata={"anls_frame": metadata if header is None else json.dumps(header)})
    return file.getvalue()


@pytest.mark.parametrize("made", [one, several], ids=["one", "systems"])
def test_any_changed_value_of_a_table_is_refused(made: Callable[[], Any]) -> None:
    summary = made()
    table = pl.read_parquet(io.BytesIO(summary.to_bytes()))
    assert loaded(summary).rows == summary.rows
    fields = [(frame, column) for frame in table.columns for column in table[frame].struct.fields]
    for frame, column in fields:
        given = pl.col(frame).struct.field(column)
        for values in (given.shift(1), pl.when(given.is_first_distinct()).then(given), given.reverse()):
            other = table.with_columns(pl.col(frame).struct.with_fields(values.alias(column)))
            if not other.equals(table):
                with pytest.raises(ValueError, match="it was changed or damaged after it was saved"):
                    af.Summary.from_bytes(changed(summary, other))


@pytest.mark.parametrize("text", ["0" * 64, "checksum", '"checksum": "0"'])
def test_texts_like_a_checksum_are_kept(text: str) -> None:
    """In the header, in the cells and in the rows."""
    frame = ROWS.with_columns(pl.lit(text).alias(text), old=pl.lit(text))
    summary = af.summarize(frame, "old", "t", by=text, worst=3, part=text)
    assert loaded(loaded(summary)).report_sums.frames["worst"].equals(summary.report_sums.frames["worst"])


def nested(levels: int) -> Any:
    value: Any = 1
    for _ in range(levels):
        value = [value]
    return value


FOREIGN: list[Any] = [None, True, -1, 1.5, 1e308, "x", [], {}, [1], {"a": 1}, [[]], {"a": {}}, nested(300)]


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return the ways to all values of a header."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(way for key, one in inner for way in places(one, (*path, key)))]


def replaced(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    copy = value.copy()
    copy[path[0]] = replaced(value[path[0]], path[1:], new)
    return copy


@pytest.mark.parametrize("made", [one, several], ids=["one", "systems"])
def test_foreign_values_anywhere_in_the_header_are_a_clear_error(made: Callable[..., Any]) -> None:
    errors = af.PROTOCOLS["raw"].replace(ignore_case=True)
    summary = made(protocol=af.PROTOCOLS["anls"].replace(errors=errors))
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(summary.to_bytes()))["anls_frame"])
    table = pl.read_parquet(io.BytesIO(summary.to_bytes()))
    ways = places(header)[1:]
    assert len(ways) > 70
    for number, way in enumerate(ways):
        foreign = replaced(header, way, FOREIGN[number % len(FOREIGN)])
        if foreign == header:
            continue
        with pytest.raises(ValueError, match=r"^the content is ") as caught:
            af.Summary.from_bytes(changed(summary, table, foreign))
        assert len(str(caught.value)) < 2_000


def test_a_header_nested_without_end_is_refused() -> None:
    file = io.BytesIO()
    pl.DataFrame({"kind": ["cell"]}).write_parquet(file, metadata={"anls_frame": "[" * 200_000})
    with pytest.raises(ValueError, match="is not a summary of anls_frame"):
        af.Summary.from_bytes(file.getvalue())


def test_a_small_file_of_many_values_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "_FREE_VALUES", 1 << 20)
    table = pl.DataFrame({"kind": ["cell"]})
    large = table.select(pl.col("kind").repeat_by(1_100_000).explode(empty_as_null=True))
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(one().to_bytes()))["anls_frame"])
    file = io.BytesIO()
    large.write_parquet(file, metadata={"anls_frame": json.dumps(header)})
    assert len(file.getvalue()) < 10_000
    with pytest.raises(ValueError, match="bytes hold 1,100,000 values, more than 1,048,576"):
        af.Summary.from_bytes(file.getvalue())
