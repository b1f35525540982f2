"""Saved summaries: they merge with fresh ones, and what contradicts itself or is foreign is refused."""

from __future__ import annotations

import io
import json
from typing import TYPE_CHECKING, Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from sample import DATA

import anls_frame as af

if TYPE_CHECKING:
    from collections.abc import Callable

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


OPTIONS: list[dict[str, Any]] = [{}, {"cluster": "doc"}, {"metrics": ["anls", af.Metric("s", name="s")]}]


@pytest.mark.parametrize("options", OPTIONS, ids=["plain", "clusters", "own"])
def test_a_loaded_summary_merges_with_a_fresh_one(options: dict[str, Any]) -> None:
    first, second = (
        af.summarize(half, "old", "t", by="kind", details=True, worst=3, part=str(half.height), **options)
        for half in (ROWS[:13], ROWS[13:])
    )
    whole = af.Report.from_summary(af.merge([first, second]))
    for parts in ([loaded(first), second], [first, loaded(second)], [loaded(loaded(first)), loaded(second)]):
        merged = af.merge(parts)
        report = af.Report.from_summary(merged)
        assert_frame_equal(report.to_polars(), whole.to_polars(), check_exact=True)
        assert_frame_equal(report.worst, whole.worst)
        assert_frame_equal(report.lengths(), whole.lengths())
        assert merged.report_sums.worst_rows.schema == first.report_sums.worst_rows.schema


def test_a_loaded_summary_of_systems_merges_with_a_fresh_one() -> None:
    first, second = (
        af.summarize(half, SYSTEMS, "t", by="kind", details=True, part=str(half.height))
        for half in (ROWS[:13], ROWS[13:])
    )
    whole = af.Comparison.from_summary(af.merge([first, second])).to_polars()
    mixed = af.Comparison.from_summary(af.merge([loaded(first), second])).to_polars()
    assert_frame_equal(mixed, whole, check_exact=True)


@pytest.mark.parametrize("cluster", [None, "doc"])
@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("systems", [["old", "new"], ["old", "new", "third"]], ids=len)
def test_what_is_saved_is_not_refused(systems: list[str], missing: str, cluster: str | None) -> None:
    """With lists of which several are one slice, and rows that one system leaves out."""
    lists = pl.Series([["x"], ["y", "x"], [], None, ["x", "y"], [None]] * 5)
    third = pl.Series([None, None, "cow", "dog", "bird", "x"] * 5)
    frame = ROWS.with_columns(kind=lists, third=third)
    options: Any = {"by": "kind", "cluster": cluster, "details": True, "missing": missing}
    for height in (0, 1, 2, 30):
        summary = af.summarize(frame.head(height), systems, "t", metrics=["anls", "wer_corpus"], **options)
        other = af.summarize(frame, systems, "t", metrics=["anls", "wer_corpus"], **options)
        for made in (summary, af.merge([summary, loaded(other)])):
            assert loaded(made).rows == made.rows
            if cluster is not None:
                assert loaded(made.fold_clusters()).is_folded
    assert loaded(af.summarize(frame, "third", "t", worst=3, **options)).rows == 30


@pytest.mark.parametrize("cluster", [None, "doc_id"])
@pytest.mark.parametrize("by", [None, "question_types"])
def test_sums_beyond_the_integers_of_a_cell_are_not_refused(by: str | None, cluster: str | None) -> None:
    """A thousand right answers are more units than a cell has room for."""
    questions = pl.read_parquet(DATA / "ocr_qa.parquet").with_columns(right=pl.col("answers").list.first())
    systems = ["tesseract", "rapidocr", "right"]
    for chosen in (systems[:2], systems):
        summary = af.summarize(
            questions, chosen, "answers", by=by, cluster=cluster, metrics=["anls", "cer_corpus"]
        )
        assert loaded(summary).predictions == summary.predictions


def changed(
    summary: Any,
    frame: Callable[[pl.DataFrame], pl.DataFrame] = lambda frame: frame,
    header: Callable[[dict[str, Any]], Any] = lambda header: header,
) -> bytes:
    """Return the file of a summary with other values, each of the dtype that it had."""
    content = io.BytesIO(summary.to_bytes())
    metadata = json.loads(pl.read_parquet_metadata(content)["anls_frame"])
    content.seek(0)
    file = io.BytesIO()
    table = pl.read_parquet(content)
    frame(table).cast(dict(table.schema)).write_parquet(
        file, metadata={"anls_frame": json.dumps(header(metadata))}
    )
    return file.getvalue()


def multiplied(column: str, kind: str, times: int = 2) -> Callable[[pl.DataFrame], pl.DataFrame]:
    return lambda frame: frame.with_columns(
        pl.when(pl.col("kind").str.starts_with(kind)).then(pl.col(column) * times).otherwise(column)
    )


def all_doubled(frame: pl.DataFrame) -> pl.DataFrame:
    sums = pl.col("^(n|wins|losses|ties|x_.*|lost|squares|sum_.*|square_.*)$")
    return frame.with_columns(sums * 2)


@pytest.mark.parametrize("options", [{}, {"cluster": None}, {"details": True}], ids=str)
def test_cells_that_contradict_the_number_of_rows_are_refused(options: dict[str, Any]) -> None:
    summary = several(**options)
    with pytest.raises(ValueError, match="do not add up: 25 and 50"):
        af.Summary.from_bytes(changed(summary, all_doubled))


CELLS_OF_ONE = [
    "rows",
    "n",
    "n_missing",
    "n_unanswerable",
    "anls_units",
    "nls_units",
    "exact_match_sum",
    "zeros_sum",
]


@pytest.mark.parametrize("column", CELLS_OF_ONE)
def test_a_larger_sum_of_one_system_is_refused(column: str) -> None:
    content = changed(one(), multiplied(column, "cell", 9))
    with pytest.raises(ValueError, match=r"add up|contradict|so many scores"):
        af.Summary.from_bytes(content)


def test_missing_predictions_that_are_not_those_of_the_cells_are_refused() -> None:
    def header(values: dict[str, Any]) -> dict[str, Any]:
        values["predictions"]["old"]["n_missing"] += 1
        return values

    with pytest.raises(ValueError, match="of missing predictions do not add up: 6 and 5"):
        af.Summary.from_bytes(changed(one(), header=header))


@pytest.mark.parametrize("made", [one, several], ids=["one", "systems"])
@pytest.mark.parametrize("count", ["n_missing", "n_invented", "n_placeholders"])
def test_more_predictions_than_rows_are_refused(made: Callable[[], Any], count: str) -> None:
    def header(values: dict[str, Any]) -> dict[str, Any]:
        values["predictions"]["old"][count] = 31
        return values

    with pytest.raises(ValueError, match=f"'{count}' must be a number of at most 30"):
        af.Summary.from_bytes(changed(made(), header=header))


@pytest.mark.parametrize("cluster", ["doc", None])
@pytest.mark.parametrize(
    ("column", "kind"),
    [("n", "cells"), ("x_0", "cells"), ("wins", "votes"), ("ties", "votes"), ("sum_1", "slices")],
)
def test_a_doubled_sum_of_systems_is_refused(column: str, kind: str, cluster: str | None) -> None:
    if cluster is None and column == "x_0":
        column = "score_0_0"
    with pytest.raises(ValueError, match=r"add up|contradict|differ|so many scores"):
        af.Summary.from_bytes(changed(several(cluster=cluster), multiplied(column, kind)))


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
def test_an_unknown_way_to_count_rows_without_an_answer_is_refused(made: Callable[[], Any]) -> None:
    def header(values: dict[str, Any]) -> dict[str, Any]:
        return {**values, "settings": {**values["settings"], "unanswerable": "wrong"}}

    summary = made()
    with pytest.raises(ValueError, match="unanswerable must be"):
        type(summary).from_bytes(changed(summary, header=header))


@pytest.mark.parametrize("made", [one, several], ids=["one", "systems"])
def test_foreign_values_anywhere_in_the_header_are_a_clear_error_or_harmless(
    made: Callable[..., Any],
) -> None:
    errors = af.PROTOCOLS["raw"].replace(ignore_case=True)
    summary = made(protocol=af.PROTOCOLS["anls"].replace(errors=errors))
    content = summary.to_bytes()
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(content))["anls_frame"])
    table = pl.read_parquet(io.BytesIO(content))
    ways = places(header)
    assert len(ways) > 100
    messages = {}
    for number, way in enumerate(ways):
        new = FOREIGN[number % len(FOREIGN)]
        file = io.BytesIO()
        table.write_parquet(file, metadata={"anls_frame": json.dumps(replaced(header, way, new))})
        try:
            found = type(summary).from_bytes(file.getvalue())
        except ValueError as error:
            messages[way, str(new)] = str(error)
        else:
            of = af.Report if len(found.systems) == 1 else af.Comparison
            of.from_summary(found).to_polars()  # type: ignore[attr-defined]
    assert len(messages) > len(ways) / 2
    for where, message in messages.items():
        assert message.startswith("the content is "), where
        assert len(message) < 2_000


def test_a_header_nested_without_end_is_refused() -> None:
    file = io.BytesIO()
    pl.DataFrame({"kind": ["cell"]}).write_parquet(file, metadata={"anls_frame": "[" * 200_000})
    with pytest.raises(ValueError, match="is not a summary of anls_frame"):
        af.Summary.from_bytes(file.getvalue())


def test_a_small_file_of_many_values_is_refused() -> None:
    table = pl.DataFrame({"kind": ["cell"]})
    large = pl.concat([table.select(pl.col("kind").repeat_by(60_000_000).explode())])
    header = json.loads(pl.read_parquet_metadata(io.BytesIO(one().to_bytes()))["anls_frame"])
    file = io.BytesIO()
    large.write_parquet(file, metadata={"anls_frame": json.dumps(header)})
    assert len(file.getvalue()) < 1 << 20
    with pytest.raises(ValueError, match="bytes hold 60,000,000 values, more than 33,554,432"):
        af.Summary.from_bytes(file.getvalue())
