"""Confidences in the layouts that extraction engines write."""

from __future__ import annotations

import json
import re
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

GOLD = {"date": "2024-05-03", "seller": {"name": "Acme"}, "items": [{"n": "tea"}, {"n": "milk"}]}
# The items are in another order than those of gold.
MODEL = {"date": "2024-05-08", "seller": {"name": "Acme"}, "items": [{"n": "milk"}, {"n": "tea"}]}
EXPECTED = [
    ("date", "2024-05-08", 0.5),
    ("seller.name", "Acme", 0.9),
    ("items[].n", "tea", 0.4),
    ("items[].n", "milk", 0.8),
]
NAMED = {"date": 0.5, "seller.name": 0.9, "items[0].n": 0.8, "items[1].n": 0.4}


def rows_of(model: Any, sure: Any = None, column: str | None = "sure", gold: Any = GOLD) -> pl.DataFrame:
    """Return field, prediction and confidence of a document."""
    frame = pd.DataFrame({"id": ["p1"], "gold": [gold], "model": [model], "sure": [sure]})
    rows = af.fields(frame, "model", "gold", id="id", model_confidence=column)
    return pl.DataFrame(rows).select("field", "prediction", *(["confidence"] if column else []))


@pytest.mark.parametrize(
    "sure",
    [
        {"date": 0.5, "seller": {"name": 0.9}, "items": [{"n": 0.8}, {"n": 0.4}]},
        NAMED,
        {"date": 0.5, "seller": {"name": 0.9}, "items[0].n": 0.8, "items[1]": 0.4},
        {"date": 0.5, "seller.name": 0.9, "items.0.n": 0.8, "items.1.n": 0.4},
        [{"field": name, "confidence": number, "page": 1} for name, number in NAMED.items()],
        {
            "date": {"value": "2024-05-08", "confidence": 0.5},
            "seller": {"value": {"name": "Acme"}, "confidence": 0.9},
            "items": [{"n": {"confidence": 0.8}}, {"n": {"value": "tea", "confidence": 0.4, "box": [1]}}],
        },
    ],
    ids=["shape", "names", "names within", "numbers as keys", "list", "objects"],
)
def test_every_layout_gives_each_text_its_own_confidence(sure: Any) -> None:
    assert rows_of(MODEL, sure).rows() == EXPECTED
    assert rows_of(json.dumps(MODEL), json.dumps(sure)).rows() == EXPECTED


def test_one_confidence_for_all_items_of_a_name() -> None:
    rows = rows_of(MODEL, {"items[].n": 0.25, "date": None})
    assert rows["confidence"].to_list() == [None, None, 0.25, 0.25]


def test_a_key_with_a_dot_is_found_as_it_is() -> None:
    rows = rows_of({"a.b": "1", "a": {"b": "2"}}, {"a.b": 0.25, "a": {"b": 0.75}}, gold={"a.b": "1"})
    assert rows.rows() == [('"a.b"', "1", 0.25), ("a.b", "2", 0.75)]


def beside(value: Any, name: str = "") -> Any:
    """Return the predicted document with the confidence of each value."""
    numbers = {"date": 0.5, "name": 0.9, "milk": 0.8, "tea": 0.4}
    if isinstance(value, dict):
        return {key: beside(entry, key) for key, entry in value.items()}
    if isinstance(value, list):
        return [beside(entry) for entry in value]
    return {"value": value, "confidence": numbers.get(name, numbers.get(value))}


def test_values_beside_their_confidences_are_read() -> None:
    assert rows_of(beside(MODEL), column="model").rows() == EXPECTED
    with pytest.warns(af.InputWarning, match=r"in 1 document of .*, such as 'p1'; .*=\"model\""):
        rows = rows_of(beside(MODEL), column=None)
    assert rows.rows() == [(field, text) for field, text, _ in EXPECTED]


def test_one_confidence_beside_a_whole_list() -> None:
    whole = {"value": [{"n": "tea"}], "confidence": 0.75}
    assert rows_of(whole, column="model", gold=[{"n": "tea"}]).rows() == [("[].n", "tea", 0.75)]
    single = {"value": "tea", "confidence": 0.75}
    with pytest.warns(af.InputWarning, match="no document of 'prediction' holds a value with its confidence"):
        assert rows_of(single, column="model", gold=["tea"])["field"].to_list() == [
            "[]",
            "value",
            "confidence",
        ]


def test_a_warning_where_documents_hold_no_confidences() -> None:
    with pytest.warns(af.InputWarning, match="no document of 'prediction' holds a value with its confidence"):
        assert rows_of(MODEL, column="model")["confidence"].null_count() == 4


def test_other_keys_beside_a_value_are_left_out_with_a_warning() -> None:
    model = {"date": {"value": "2024-05-08", "confidence": 0.5, "box": [1, 2]}, "seller": {"name": "Acme"}}
    with pytest.warns(af.InputWarning, match="objects with other keys, which are left out: 'box'"):
        rows = rows_of(model, column="model")
    assert rows.rows()[:2] == [("date", "2024-05-08", 0.5), ("seller.name", "Acme", None)]


def test_objects_of_gold_stay_objects() -> None:
    gold = {"vote": {"value": "x", "confidence": 0.75}}
    rows = rows_of(gold, column=None, gold=gold)
    assert rows.rows() == [("vote.value", "x"), ("vote.confidence", "0.75")]


@pytest.mark.parametrize(
    "sure", [{"other": 0.5}, {"fields": {"date": 0.5}}, [0.5, 0.9], [{"name": "date", "score": 0.5}]]
)
def test_a_warning_where_no_confidence_fits(sure: Any) -> None:
    with pytest.warns(
        af.InputWarning, match="column 'sure': no confidence fits a field in 1 document, such as 'p1'"
    ):
        assert rows_of(MODEL, sure)["confidence"].null_count() == 4


def test_no_warning_where_there_are_no_confidences() -> None:
    for sure in (None, {}, {"date": None}, {"date": float("nan"), "seller.name": None}):
        assert rows_of(MODEL, sure)["confidence"].null_count() == 4


def test_a_name_with_two_confidences_is_an_error() -> None:
    sure = [{"field": "items[].n", "confidence": 0.5}, {"field": "items[].n", "confidence": 0.6}]
    with pytest.raises(ValueError, match=r"column 'sure', document 'p1': field 'items\[\]\.n' has two"):
        rows_of(MODEL, sure)


def test_keys_around_the_fields_of_one_side_are_told() -> None:
    plain = {"date": "2024-05-08", "seller": {"name": "Acme"}, "items": [{"n": "1"}]}
    value = {"value": "2024-05-08", "page": "1"}
    for wrapped, other, names in (
        ({"date": value, "seller": {"name": value}}, plain, ("date.value", "date")),
        ({"gt_parse": plain}, plain, ("gt_parse.date", "date")),
        ({"id": "p1", "result": {"data": plain}}, plain, ("result.data.date", "date")),
        ({"items": plain["items"]}, plain["items"], ("items[].n", "[].n")),
    ):
        one, two = json.dumps(wrapped), json.dumps(other)
        for gold, model, (predicted, of_gold) in ((two, one, names), (one, two, names[::-1])):
            frame = pl.DataFrame({"page": ["p1"], "gold": [gold], "model": [model]})
            message = (
                f"fields that 'model' predicts, such as {predicted!r}; it has {of_gold!r}: take the values"
            )
            with pytest.warns(af.InputWarning, match=re.escape(message)):
                af.fields(frame, {"model": "model"}, "gold", id="page")
    # A field that both have, and one of its name elsewhere.
    frame = frame.with_columns(
        gold=pl.lit('{"seller": {"name": "Acme"}, "name": "x"}'), model=pl.lit('{"seller": {"name": "Acme"}}')
    )
    af.fields(frame, "model", "gold", id="page")
    # Gold may have such fields, too.
    rows_of({"seller": {"name": "Acme"}}, column=None)
