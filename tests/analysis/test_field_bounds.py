"""Documents that would take minutes are named, and counted as wrong, in bounded work."""

from __future__ import annotations

import json
import random
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

DICE = random.Random(1)


def text(letters: int) -> str:
    """Return a random text."""
    return "".join(DICE.choices("abcdefgh", k=letters))


def rows_of(gold: Any, *predicted: Any) -> pl.DataFrame:
    """Return the rows of a hostile document and of a harmless one."""
    frame = pl.DataFrame({
        "id": ["hostile", "harmless"],
        "gold": [json.dumps(gold), '{"total": "5"}'],
        **{f"m{number}": [json.dumps(one), '{"total": "5"}'] for number, one in enumerate(predicted)},
    })  # fmt: skip
    return af.fields(
        frame, {f"m{number}": f"m{number}" for number, _ in enumerate(predicted)}, "gold", id="id"
    )


def test_a_key_of_its_own_in_each_item() -> None:
    keys = [{f"k{number}": "v"} for number in range(1000)]
    rows = rows_of(
        {"items": keys}, {"items": [{f"q{number}": "v"} for number in range(1000)]}, {"items": keys[::-1]}
    )
    hostile = rows.filter(id="hostile")
    assert hostile["m0_status"].value_counts().rows() in (
        [("missing", 1000), ("invented", 1000)],
        [("invented", 1000), ("missing", 1000)],
    )
    assert (hostile.drop_nulls("answers")["m1"] == "v").all()


def test_long_predicted_items_are_broken_and_the_rest_is_scored() -> None:
    gold = {"items": [{"note": text(100)} for _ in range(40)], "total": "5"}
    loop = {"items": [{"note": text(1_000) * 200} for _ in range(40)], "total": "5"}
    with pytest.warns(
        af.InputWarning,
        match="1 document of 'm0' cannot be read.*'hostile': lists of 40 and 40 items, with 8,000,000 pred",
    ):
        rows = rows_of(gold, loop)
    assert rows.filter(id="hostile")["m0_status"].to_list() == ["broken"] * 41
    assert rows.filter(id="harmless")["m0_status"].to_list() == ["matched"]
    assert af.report(rows, "m0", "answers", metrics="fields").overall["exact_match"] == pytest.approx(1 / 42)


def test_a_long_gold_document_is_an_error_that_names_it() -> None:
    gold = {"items": [{"note": text(25_000)} for _ in range(40)]}
    for model in (gold["items"][::-1], [{"note": text(25_000)} for _ in range(40)]):
        with pytest.raises(ValueError, match="column 'gold', document 'hostile': lists of 40 and 40 items"):
            rows_of(gold, {"items": model})
    frame = pl.DataFrame(
        {"id": ["x"], "gold": [json.dumps(gold)], "m": [json.dumps({"items": gold["items"][::-1]})]}
    )
    # What the error says to do.
    assert len(af.fields(frame, "m", "gold", id="id", match="order")) == 40


def test_the_lists_of_a_document_share_a_bound() -> None:
    short, long = text(3_000), text(30_000)
    gold = {f"l{number}": [short, "b"] for number in range(400)}
    loop = {f"l{number}": [long, "bc", "b"] for number in range(400)}
    # One of them is no more than a page.
    assert len(rows_of({"l0": gold["l0"]}, {"l0": loop["l0"]})) == 4
    with pytest.warns(af.InputWarning, match="'hostile': lists of 2 and 3 items"):
        rows_of(gold, loop)


def test_too_many_predicted_fields_are_a_broken_document() -> None:
    many = {f"k{number}": "v" for number in range(100_001)}
    with pytest.warns(af.InputWarning, match="'hostile': it has 100,001 fields, more than 100,000"):
        rows = rows_of({"total": "5"}, many)
    assert rows["m0_status"].to_list() == ["broken", "matched"]
    with pytest.raises(ValueError, match="column 'gold', document 'hostile': it has 100,001 fields"):
        rows_of(many, {"total": "5"})


def test_equal_keys_of_many_items_are_paired_in_order() -> None:
    same = [{"sku": "1", "n": str(number)} for number in range(20_000)]
    frame = pd.DataFrame({"id": [1], "gold": [{"items": same}], "m": [{"items": same}]})
    rows = af.fields(frame, "m", "gold", id="id", match="sku")
    assert (rows["answers"] == rows["prediction"]).all()
