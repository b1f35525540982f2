"""Documents of every kind of frame give the same rows, and a system's figures are its own."""

from __future__ import annotations

import ast
import datetime as dt
import decimal
import io
import json
import math
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import anls_frame as af

MISSING = (
    None,
    math.nan,
    pd.NaT,
    pd.NA,
    np.float32("nan"),
    np.datetime64("NaT", "ns"),
    decimal.Decimal("NaN"),
    decimal.Decimal("sNaN"),
)


def rows_of(gold: list[Any], predicted: list[Any], kind: str = "pandas", **options: Any) -> Any:
    """Return the rows of documents in a frame of a kind, with the ids p0, p1, ..."""
    ids = [f"p{number}" for number in range(len(gold))]
    columns = {"id": ids, "gold": gold, "model": predicted}
    if kind == "pandas":
        columns = {name: pd.Series(values, dtype=object) for name, values in columns.items()}
        return af.fields(pd.DataFrame(columns), "model", "gold", id="id", **options)
    return af.fields(pl.DataFrame(columns), "model", "gold", id="id", **options)


def test_nan_is_no_value_as_null_is() -> None:
    gold = pd.DataFrame([{"total": "12.50"}, {"total": "7.00", "vat": "0.45"}]).to_dict("records")
    model = [{"total": "12.50"}, {"total": "7.00", "vat": "0.45"}]
    for documents in (gold, list(map(json.dumps, gold))):
        rows = rows_of(documents, model)
        # Two values in the first document would be an invention.
        assert rows["field"].tolist() == ["total", "total", "vat"]
        assert af.report(rows, "prediction", "answers", metrics="fields").overall["field_recall"] == 1.0
        assert af.documents(rows, "prediction", "answers", id="id")["all_right"].tolist() == [True, True]


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_list_of_one_text_of_a_document_is_the_document(kind: str) -> None:
    """Tables with lists of answers hold such lists, in CSV files as JSON text."""
    documents = ['{"total": "5", "items": [{"a": "1"}]}', ' [ {"total": "7"} ]', '["x", "{y"]', "{}"]
    model = ['{"total": "6"}', '[{"total": "7"}, {"total": "8"}]', '["x"]', '{"total": "6"}']
    expected = pl.DataFrame(rows_of(documents, model, kind))
    lists = [[document] for document in documents[:2]] + [["x", "{y"], ["{}"]]
    for gold in (lists, [json.dumps(texts) for texts in lists]):
        assert pl.DataFrame(rows_of(gold, model, kind)).equals(expected)
    predicted = pl.DataFrame(rows_of(model, documents, kind))
    assert pl.DataFrame(rows_of(model, lists, kind)).equals(predicted)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
@pytest.mark.parametrize(
    ("texts", "reason"),
    [
        (['{"a": "1"}', '{"a": "2"}'], "a list of 2 texts of documents; keep one of them"),
        (['{"a": "1"'], "invalid JSON"),
        (["{'a': '1'}"], "Python printed this text"),
    ],
)
def test_a_list_of_other_texts_of_documents_is_an_error(kind: str, texts: list[str], reason: str) -> None:
    with pytest.raises(ValueError, match=f"column 'gold', document 'p0': .*{reason}"):
        rows_of([texts], ['{"a": "1"}'], kind)
    with pytest.warns(af.InputWarning, match=f"1 document of 'prediction' cannot be read.* 'p0': .*{reason}"):
        assert pl.DataFrame(rows_of(['{"a": "1"}'], [texts], kind))["status"].to_list() == ["broken"]


@pytest.mark.parametrize("missing", MISSING, ids=repr)
def test_what_is_missing_is_no_value_on_either_side(missing: Any) -> None:
    assert pl.DataFrame(rows_of([{"a": 1, "b": missing}], [{"a": missing, "b": 2}])).rows() == [
        ("p0", "a", None, "1", None, "missing"),
        ("p0", "b", None, None, "2", "invented"),
    ]
    # A whole document, too.
    with pytest.warns(af.InputWarning, match=r"1 document without gold \(null\) left out"):
        assert len(rows_of([{"a": 1}, missing], [missing, {"a": 1}])) == 1


def test_documents_of_parquet_are_the_same_in_pandas_and_in_polars(tmp_path: Path) -> None:
    gold = [{"sum": "9", "vat": None, "lines": [{"what": "rope"}, {"what": "tar"}]}, {"vat": "1"}] * 2
    model = [{"sum": "9", "vat": None, "lines": [{"what": "tar"}, {"what": "rope"}]}, {"vat": "2"}] * 2
    path = tmp_path / "d.parquet"
    pl.DataFrame({"id": range(4), "gold": gold, "model": model}).write_parquet(path)
    frames = (pl.read_parquet(path), pd.read_parquet(path), pd.read_parquet(path, dtype_backend="pyarrow"))
    tables = [pl.DataFrame(af.fields(frame, "model", "gold", id="id")) for frame in frames]
    for rows in tables:
        assert rows.select("id", "field", "answers", "prediction").rows() == [
            (0, "sum", "9", "9"),
            (0, "lines[].what", "rope", "rope"),
            (0, "lines[].what", "tar", "tar"),
            (1, "vat", "1", "2"),
            (2, "sum", "9", "9"),
            (2, "lines[].what", "rope", "rope"),
            (2, "lines[].what", "tar", "tar"),
            (3, "vat", "1", "2"),
        ]


def test_a_column_of_lists_in_pandas_and_in_polars() -> None:
    for kind, make in (("pandas", np.array), ("polars", list)):
        rows = pl.DataFrame(rows_of([make(["a", "b"])], [make(["b", "c"])], kind))
        assert rows.select("field", "answers", "prediction").rows() == [
            ("[]", "a", None),
            ("[]", "b", "b"),
            ("[]", None, "c"),
        ]


def test_categories_of_texts_and_columns_without_values() -> None:
    texts = ['{"a": "1"}', '{"a": "2"}']
    frame = pd.DataFrame(
        {"id": [1, 2], "gold": pd.Categorical(texts), "model": texts, "sure": [float("nan")] * 2}
    )
    for table in (frame, pl.DataFrame(frame.drop(columns="sure")).with_columns(sure=None)):
        rows = pl.DataFrame(af.fields(table, "model", "gold", id="id", model_confidence="sure"))
        assert rows.select("answers", "prediction", "confidence").rows() == [
            ("1", "1", None),
            ("2", "2", None),
        ]
    missing = pl.DataFrame(af.fields(frame.assign(model=float("nan")), "model", "gold", id="id"))
    assert missing["status"].to_list() == ["missing"] * 2


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (("a",), None),
        (np.int64(7), "7"),
        (np.bool_(True), "true"),  # noqa: FBT003 - a scalar
        (np.float32(0.1), "0.1"),
        (np.array(2.5), "2.5"),
        (1e22, "1e+22"),
        (decimal.Decimal("12.50"), "12.50"),
        (decimal.Decimal("1E+3"), "1000"),
        (dt.date(2024, 5, 3), "2024-05-03"),
        (pd.Timestamp("2024-05-03 10:00"), "2024-05-03 10:00:00"),
        (np.datetime64("2024-05-03"), "2024-05-03"),
        (np.datetime64("2024-05-03T10:00", "ns"), "2024-05-03 10:00:00"),
        (dt.time(9, 30), "09:30:00"),
        (10**30, "1" + "0" * 30),
    ],
    ids=repr,
)
def test_values_of_python_and_numpy_have_one_text(value: Any, text: str | None) -> None:
    rows = rows_of([{"a": value}], [{"a": value}])
    assert rows["answers"].tolist() == [text or "a"]
    assert rows["field"].tolist() == ["a" if text else "a[]"]


@pytest.mark.parametrize(
    "value",
    [
        b"x",
        {"x"},
        frozenset("x"),
        dt.timedelta(1),
        1j,
        object(),
        np.datetime64("2024-05-03T10:00:00.000000001"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_value_without_a_text_is_an_error_that_names_its_place(value: Any) -> None:
    for gold, model, column in (
        ([{"l": [{"x": value}]}], [{}], "gold"),
        ([{}], [{"l": [{"x": value}]}], "model"),
    ):
        with pytest.raises(af.DTypeError, match=rf"column '{column}', document 'p0', key 'l\[\]\.x' holds "):
            rows_of(gold, model)


def test_bytes_are_the_same_error_in_every_frame(tmp_path: Path) -> None:
    structs = pl.DataFrame({"id": ["p0"], "gold": [{"l": [{"a": b"x"}]}], "model": [{"l": [{"a": b"x"}]}]})
    structs.write_parquet(tmp_path / "d.parquet")
    backends = (pd.api.extensions.no_default, "pyarrow")
    frames = [structs, *(pd.read_parquet(tmp_path / "d.parquet", dtype_backend=one) for one in backends)]
    for frame in frames:
        with pytest.raises(af.DTypeError, match=r"column 'gold', document 'p0', key 'l\[\]\.a' holds b'x'"):
            af.fields(frame, "model", "gold", id="id")


WRAPPED = {
    "fence": '```json\n{"total": "5"}\n```',
    "words": 'Here is the JSON:\n{"total": "5"}\nAnything else?',
    "plain": '{"total": "5"}',
    "list": '[{"total": "5"}]',
    "refusal": "I cannot read this.",
    "broken": '{"total": "5",}',
}
IN_FRAMES: dict[str, Any] = {"Polars": pl.DataFrame, "pandas": pd.DataFrame}


@pytest.mark.parametrize("library", IN_FRAMES)
def test_the_advice_about_json_within_text_reads_it(library: str) -> None:
    gold = ['{"total": "5"}'] * len(WRAPPED)
    frame = IN_FRAMES[library]({"id": [*WRAPPED], "gold": gold, "model": [*WRAPPED.values()]})

    with pytest.warns(af.InputWarning) as warned:
        before = af.fields(frame, "model", "gold", id="id")
    broken, wrapped, _ = (str(warning.message) for warning in warned)
    assert broken.startswith("4 documents of 'prediction' cannot be read")
    assert wrapped.startswith("2 documents of 'prediction' may be JSON within other text")
    code = wrapped.partition(f"in {library} with `")[2].partition("`")[0]
    column = {"Polars": "pl.col('model')", "pandas": "frame['model']"}[library]
    taken = eval(f"{column}{code}", {"frame": frame, "pl": pl})  # noqa: S307 - as a user would
    after = frame.with_columns(model=taken) if library == "Polars" else frame.assign(model=taken)
    with pytest.warns(af.InputWarning) as warned:
        rows = af.fields(after, "model", "gold", id="id")
    broken, in_list = (str(warning.message) for warning in warned)
    assert broken.startswith("1 document of 'prediction' cannot be read")
    assert "such as 'list': '[].total' was predicted; gold has 'total'" in in_list
    statuses = dict(zip(rows["id"], rows["status"], strict=True))
    expected = {"fence": "matched", "words": "matched", "plain": "matched"}
    assert statuses == {**expected, "list": "invented", "refusal": "missing", "broken": "broken"}
    assert dict(zip(before["id"], before["status"], strict=True))["fence"] == "broken"


def test_the_advice_about_documents_that_python_printed_reads_them() -> None:
    printed = str({"total": "it's 5", "paid": True, "vat": None})
    frame = pl.DataFrame({"id": ["p0"], "gold": [printed], "model": [printed]})

    with pytest.raises(
        ValueError, match=r"column 'gold', document 'p0': .*; Python printed this text"
    ) as raised:
        af.fields(frame, "model", "gold", id="id")
    code = str(raised.value).rpartition(": `")[2].partition("`")[0]
    written = eval(code, {"json": json, "ast": ast, "text": printed})  # noqa: S307 - as a user would
    rows = af.fields(
        frame.with_columns(gold=pl.lit(written), model=pl.lit(written)), "model", "gold", id="id"
    )
    assert rows.select("field", "answers", "status").rows() == [
        ("total", "it's 5", "matched"),
        ("paid", "true", "matched"),
    ]


def test_floats_of_32_bits_have_their_own_digits() -> None:
    narrow = pl.DataFrame({"a": [0.1]}, schema={"a": pl.Float32}).to_struct("gold")
    rows = af.fields(
        pl.DataFrame([pl.Series("id", [1]), narrow, narrow.alias("model")]), "model", "gold", id="id"
    )
    assert rows["answers"].to_list() == ["0.1"]


def test_keys_that_are_numbers_are_their_digits_and_others_an_error() -> None:
    assert rows_of([{1: "a", np.int64(2): "b"}], [{"1": "a", "2": "b"}])["field"].tolist() == ["1", "2"]
    with pytest.raises(af.DTypeError, match=r"column 'model', document 'p0', key 'x' has the key \(1, 2\)"):
        rows_of([{}], [{"x": {(1, 2): "a"}}])
    with pytest.raises(ValueError, match="column 'gold', document 'p0': duplicate key '1'"):
        rows_of([{1: "a", "1": "b"}], [{}])


def test_infinity_is_no_number_of_a_document() -> None:
    for value in ({"a": math.inf}, '{"a": Infinity}'):
        with pytest.raises(ValueError, match="column 'gold', document 'p0': field 'a' is Infinity"):
            rows_of([value], [{}])
        with pytest.warns(af.InputWarning, match="'p0': field 'a' is Infinity"):
            assert rows_of([{"a": 1}], [value])["status"].tolist() == ["broken"]


def test_half_of_a_surrogate_pair_becomes_the_replacement_character() -> None:
    with pytest.warns(
        af.InputWarning, match="1 document in column 'model' with lone surrogates .* such as 'p0'"
    ):
        rows = rows_of([{"a": "x"}, {"a": "y"}], [{"a": "x\ud83d", "\ud83d\ude00": "1"}, {"a": "y"}])
    assert rows["prediction"].tolist() == ["x\ufffd", "1", "y"]
    assert rows["field"].tolist() == ["a", "\U0001f600", "a"]


def test_half_of_a_pair_in_json_text_is_the_same() -> None:
    with pytest.warns(
        af.InputWarning, match="1 document in column 'model' with lone surrogates .* such as 'p0'"
    ):
        rows = rows_of(
            ['{"a": "x"}', '{"a": "y"}'], ['{"a": "x\\ud83d"}', '{"a": "\\ud83d\\ude00"}'], "polars"
        )
    assert rows["prediction"].to_list() == ["x\ufffd", "\U0001f600"]


def test_a_document_within_itself_is_too_deep() -> None:
    inner: dict[str, Any] = {}
    inner["a"] = inner
    with pytest.raises(ValueError, match=r"column 'gold', document 'p0': .*nested more than 100 deep"):
        rows_of([inner], [{}])
    with pytest.warns(af.InputWarning, match="'p0': .*nested more than 100 deep"):
        assert rows_of([{"a": "1"}], [inner])["status"].tolist() == ["broken"]


SCALARS = st.one_of(
    st.sampled_from(MISSING),
    st.booleans(),
    st.integers(-(2**40), 2**40),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text("ab ü\U0001f600", max_size=4),
    st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1)),
    st.decimals(-1000, 1000, places=2),
)
KEYS = ("a", "b", "c.d", 7)


def lists_of(entry: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.lists(entry, max_size=3)


# Lists hold one type of value, as Parquet requires. pandas reads whole numbers beside null as floats.
LISTS = st.one_of(
    *(lists_of(st.sampled_from(values)) for values in (("x", "yy", None), (1, 2), (0.5, None))),
    lists_of(st.fixed_dictionaries({"n": st.sampled_from(("x", None)), "p": st.sampled_from((1.5, None))})),
    lists_of(st.lists(st.sampled_from(("x", "yy")), max_size=2)),
)
DOCUMENTS = st.recursive(
    st.dictionaries(st.sampled_from(KEYS), SCALARS | LISTS, max_size=4),
    lambda inner: st.dictionaries(st.sampled_from(KEYS), SCALARS | LISTS | inner, max_size=3),
    max_leaves=6,
)


def as_json(value: Any) -> Any:
    """Return what JSON can write: dates as texts, missing values as null or NaN, and marked decimals."""
    if isinstance(value, dict):
        return {str(key): as_json(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [as_json(entry) for entry in value]
    if isinstance(value, dt.date) and value is not pd.NaT:
        return value.isoformat()
    is_missing = any(value is one for one in MISSING)
    if isinstance(value, decimal.Decimal) and not is_missing:
        return f"<{value}>"
    return (math.nan if isinstance(value, float) else None) if is_missing else value


def json_of(document: Any) -> str:
    """Return a document as JSON text, in which decimals are numbers with all their digits."""
    return re.sub(r'"<(-?[0-9.]+)>"', r"\1", json.dumps(as_json(document)))


def in_numpy(value: Any) -> Any:
    """Return the same document in types of NumPy, tuples and integers as keys."""
    if isinstance(value, dict):
        return {key: in_numpy(entry) for key, entry in value.items()}
    if isinstance(value, list):
        entries = np.empty(len(value), dtype=object)
        entries[:] = [in_numpy(entry) for entry in value]
        return entries if len(value) % 2 else tuple(entries)
    scalars = {bool: np.bool_, int: np.int64, float: np.float64, str: np.str_}
    return scalars[type(value)](value) if type(value) in scalars else value


def plain(value: Any) -> Any:
    """Return a document of Python's types, with None for missing values, as Polars reads it."""
    if isinstance(value, dict):
        return {str(key): plain(entry) for key, entry in value.items()}
    if isinstance(value, list):
        return [plain(entry) for entry in value]
    return None if any(value is one for one in MISSING) else value


@pytest.mark.filterwarnings("ignore:.* names in another way")
@pytest.mark.filterwarnings("ignore:gold has none of the fields")
@given(DOCUMENTS, DOCUMENTS)
@settings(deadline=None)
def test_every_kind_of_frame_gives_the_same_rows(gold: dict[str, Any], model: dict[str, Any]) -> None:
    expected = pl.DataFrame(rows_of([json_of(gold)], [json_of(model)]))
    structs = pl.DataFrame({"id": ["p0"], "gold": [plain(gold)], "model": [plain(model)]}, strict=False)
    file = io.BytesIO()
    frames: list[Any] = [
        pd.DataFrame(
            {"id": ["p0"], **{n: pd.Series([d], dtype=object) for n, d in (("gold", gold), ("model", model))}}
        ),
        pd.DataFrame({"id": ["p0"], "gold": [in_numpy(gold)], "model": [in_numpy(model)]}),
    ]
    # A Struct without fields cannot be written.
    if gold and model and all(_can_be_written(document) for document in (gold, model)):
        structs.write_parquet(file)
        frames += [
            structs,
            structs.to_arrow(),
            *(
                pd.read_parquet(io.BytesIO(file.getvalue()), dtype_backend=backend)
                for backend in (pd.api.extensions.no_default, "pyarrow")
            ),
        ]
    for frame in frames:
        rows = pl.DataFrame(af.fields(frame, "model", "gold", id="id"))
        # A Struct has the keys of its first entry first.
        assert sorted(rows.rows(), key=repr) == sorted(expected.rows(), key=repr), type(frame)


def _can_be_written(value: Any) -> bool:
    if isinstance(value, dict):
        return bool(value) and all(map(_can_be_written, value.values()))
    return True
