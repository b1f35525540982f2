"""`add_scores` on what hands over Arrow data: pyarrow tables, DuckDB relations, anything with the capsule."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any, get_args

import duckdb
import polars as pl
import pyarrow as pa
import pytest
from hugging_face import Dataset
from registry import LIST_EXAMPLES

import anls_frame as af
from anls_frame._typing import ScoreColumn

FIELDS: tuple[ScoreColumn, ...] = get_args(ScoreColumn)
TYPES = {
    "nls": pa.float64(),
    "anls": pa.float64(),
    "cer": pa.float64(),
    "exact_match": pa.bool_(),
    "char_errors": pa.int64(),
    "reference_length": pa.int64(),
    "answer_index": pa.int64(),
}
EXPECTED = {field: [row.expected(field) for row in LIST_EXAMPLES] for field in FIELDS}
TABLE = pa.table(
    {
        "id": list(range(len(LIST_EXAMPLES))),
        "prediction": pa.array([row.prediction for row in LIST_EXAMPLES], pa.string()),
        "answers": pa.array([row.answers for row in LIST_EXAMPLES], pa.list_(pa.string())),
    }
)


class Capsule:
    """A table that shows nothing but the Arrow PyCapsule interface."""

    def __init__(self, table: Any) -> None:
        self.table = table

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)


def in_duckdb(table: Any) -> Any:
    return duckdb.connect().from_arrow(table)


KINDS: dict[str, Callable[[Any], Any]] = {
    "table": lambda table: table,
    "batch": lambda table: table.to_batches()[0],
    "reader": lambda table: table.to_reader(),
    "capsule": Capsule,
    "duckdb": in_duckdb,
    "dataset": Dataset,
}
each_kind = pytest.mark.parametrize("kind", KINDS)


def pair(prediction: Any, answers: Any) -> Any:
    return pa.table({"prediction": prediction, "answers": answers})


@each_kind
def test_a_table_comes_back_with_all_scores_behind_its_own_columns(kind: str) -> None:
    result: Any = af.add_scores(KINDS[kind](TABLE), "prediction", "answers")

    assert isinstance(result, pa.Table)
    assert result.column_names == [*TABLE.column_names, *FIELDS]
    assert result.select(TABLE.column_names).to_pydict() == TABLE.to_pydict()
    assert result.select(FIELDS).to_pydict() == EXPECTED
    assert {field: result.schema.field(field).type for field in FIELDS} == TYPES


@each_kind
def test_zero_rows_give_zero_rows_of_the_same_types(kind: str) -> None:
    batch = TABLE.to_batches()[0].slice(0, 0)
    empty = batch if kind == "batch" else KINDS[kind](pa.Table.from_batches([batch]))

    result: Any = af.add_scores(empty, "prediction", "answers")

    assert result.num_rows == 0
    assert {field: result.schema.field(field).type for field in FIELDS} == TYPES


TEXT = ["a", None]
TEXT_ARRAYS = {
    "string": pa.array(TEXT, pa.string()),
    "large_string": pa.array(TEXT, pa.large_string()),
    "string_view": pa.array(TEXT, pa.string_view()),
    "dictionary": pa.array(TEXT, pa.string()).dictionary_encode(),
    "dictionary_int8": pa.array(TEXT, pa.string()).cast(pa.dictionary(pa.int8(), pa.string())),
    "dictionary_int64": pa.array(TEXT, pa.string()).cast(pa.dictionary(pa.int64(), pa.large_string())),
}
LISTS = [["b", "a"], None]
LIST_ARRAYS = {
    "list": pa.array(LISTS, pa.list_(pa.string())),
    "large_list": pa.array(LISTS, pa.large_list(pa.large_string())),
    "list_of_views": pa.array(LISTS, pa.list_(pa.string_view())),
    "fixed_size_list": pa.array(LISTS, pa.list_(pa.string(), 2)),
    "list_of_dictionaries": pa.ListArray.from_arrays(
        pa.array([0, None, 2], pa.int32()), pa.array(["b", "a"]).dictionary_encode()
    ),
}


@pytest.mark.parametrize("layout", TEXT_ARRAYS)
def test_every_layout_of_text_is_text(layout: str) -> None:
    texts = TEXT_ARRAYS[layout]

    as_prediction: Any = af.add_scores(pair(texts, ["a", "a"]), "prediction", "answers")
    as_answers: Any = af.add_scores(pair(["a", "a"], texts), "prediction", "answers")

    assert as_prediction["nls"].to_pylist() == [1.0, None]
    assert as_answers["nls"].to_pylist() == [1.0, None]
    assert as_prediction.schema.field("prediction").type == texts.type


@pytest.mark.parametrize("layout", LIST_ARRAYS)
def test_every_layout_of_lists_is_a_list(layout: str) -> None:
    result: Any = af.add_scores(pair(["a", "a"], LIST_ARRAYS[layout]), "prediction", "answers")

    assert result["answer_index"].to_pylist() == [1, None]
    assert result.schema.field("answers").type == LIST_ARRAYS[layout].type


def test_arrow_nulls_are_null() -> None:
    for nulls in (pa.nulls(2), pa.array([[None], []], pa.list_(pa.null()))):
        result: Any = af.add_scores(pair(["a", "a"], nulls), "prediction", "answers")

        assert result["nls"].to_pylist() == [None, None]


UNFIT = {
    "int64": pa.array([1, 2]),
    "binary": pa.array([b"a", b"b"]),
    "fixed_size_binary": pa.array([b"a", b"b"], pa.binary(1)),
    "decimal128": pa.array([Decimal(1), Decimal(2)]),
    "decimal256": pa.array([Decimal(1), Decimal(2)], pa.decimal256(40, 2)),
    "struct": pa.array([{"a": "a"}, None]),
    "map": pa.array([[("a", "a")], None], pa.map_(pa.string(), pa.string())),
    "list_of_ints": pa.array([[1], None]),
    "list_of_lists": pa.array([[["a"]], None]),
    "date": pa.array([0, 1], pa.date32()),
    "month_interval": pa.array([(1, 2, 3), None], pa.month_day_nano_interval()),
    "extension": pa.ExtensionArray.from_storage(pa.json_(), pa.array(["a", "b"])),
    "union": pa.UnionArray.from_sparse(pa.array([0, 0], pa.int8()), [pa.array(["a", "b"])]),
    "run_end_encoded": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2], pa.int32()), pa.array(["a", "b"])),
}


@pytest.mark.parametrize("layout", UNFIT)
def test_a_type_that_is_no_text_is_an_error_that_names_the_column(layout: str) -> None:
    with pytest.raises(af.DTypeError, match="'prediction'"):
        af.add_scores(pair(UNFIT[layout], ["a", "a"]), "prediction", "answers")
    with pytest.raises(af.DTypeError, match="'answers'"):
        af.add_scores(pair(["a", "a"], UNFIT[layout]), "prediction", "answers")


def test_the_metadata_of_a_table_stays() -> None:
    table = TABLE.replace_schema_metadata({"made by": "hand"})

    result: Any = af.add_scores(table, "prediction", "answers")

    assert result.schema.metadata == {b"made by": b"hand"}


@pytest.mark.parametrize("column", [pa.chunked_array([["a"]]), pl.Series(["a"])], ids=["pyarrow", "polars"])
def test_a_single_column_is_no_table(column: Any) -> None:
    with pytest.raises(TypeError, match=f"got .*{type(column).__name__}$"):
        af.add_scores(column, "prediction", "answers")


def test_a_relation_of_several_batches_keeps_its_order() -> None:
    relation = duckdb.connect().sql(
        "select 'a' || i as p, ['a' || (i + i % 2)] as a, i from range(300000) r(i)"
    )

    result: Any = af.add_scores(relation, "p", "a", columns=["exact_match"])

    numbers, matches = result["i"].to_pylist(), result["exact_match"].to_pylist()
    assert numbers == list(range(300_000))
    assert matches == [number % 2 == 0 for number in numbers]
