"""Keys that gold names with null: their rows, and the share of them for which something was predicted."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

GOLD = [
    {"total": "5", "vat": None, "seller": None, "items": [{"n": "x", "p": None}, {"n": "y", "p": None}]},
    {"total": "7", "vat": "1", "seller": None, "items": []},
    {"total": "9", "vat": "", "seller": {"name": "Q", "city": None}, "items": None},
]
MODEL = [
    # Of the null keys, "vat" and the price of "y" are fabricated, and both fields of the seller.
    {
        "total": "5",
        "vat": "1",
        "seller": {"name": "Q", "city": "R"},
        "items": [{"n": "y", "p": "3"}, {"n": "x", "p": None}],
        "po": "1",
    },
    # Nothing for the seller, and no VAT where there is some.
    {"total": "7", "vat": None, "seller": None, "items": []},
    # "vat" is empty, which is null; the list is fabricated, with a field in each of its items.
    {"total": "8", "vat": None, "seller": {"name": "Q", "city": None}, "items": [{"n": "a"}, {"n": "b"}]},
]
OTHER = [{"vat": "2"}, {}, {"seller": {"city": "S"}, "items": []}]
IDS = ["a", "b", "c"]
ABSENCE: Any = ["fabrication_rate", "abstention_rate"]
KEEP: Any = {"id": "id", "nulls": "keep"}


def as_json(documents: list[Any]) -> list[str]:
    return [json.dumps(document) for document in documents]


def rows_of(model: Any = "m", **options: Any) -> pl.DataFrame:
    frame = {"id": IDS, "gold": as_json(GOLD), "m": as_json(MODEL), "o": as_json(OTHER)}
    read = [model] if isinstance(model, str) else model.values()
    documents = pl.DataFrame(frame).select("id", "gold", *read)
    rows: pl.DataFrame = af.fields(documents, model, "gold", **{**KEEP, **options})
    return rows


def rates(rows: Any, **options: Any) -> list[float | None]:
    overall = af.report(rows, "prediction", "answers", metrics=ABSENCE, **options).overall
    return [overall[name] for name in ABSENCE]


def test_a_key_with_null_has_a_row_and_a_mark() -> None:
    rows = rows_of()
    marked = rows.filter("null_in_gold").select("id", "field", "item", "prediction", "status")
    assert rows.filter("null_in_gold")["answers"].null_count() == marked.height
    assert marked.rows() == [
        ("a", "vat", None, "1", "invented"),
        ("a", "seller.name", None, "Q", "invented"),
        ("a", "seller.city", None, "R", "invented"),
        ("a", "items[].p", 2, "3", "invented"),
        ("a", "items[].p", 1, None, None),
        ("b", "seller", None, None, None),
        ("c", "items[].n", 1, "a", "invented"),
        ("c", "items[].n", 2, "b", "invented"),
        ("c", "vat", None, None, None),
        ("c", "seller.city", None, None, None),
    ]
    # The other rows are those without the option.
    plain = rows_of(nulls="drop")
    assert rows.filter(pl.col("status").is_not_null()).drop("null_in_gold").equals(plain)


def test_other_lists_and_broken_documents() -> None:
    frame = pl.DataFrame({"id": ["a", "b"], "gold": ['{"x": [null, "1"], "y": null}', '{"y": null}']})
    with pytest.warns(af.InputWarning, match="cannot be read"):
        rows = af.fields(frame.with_columns(m=pl.lit("no JSON")), "m", "gold", **KEEP)
    # An entry of a list has no key; a document that cannot be read predicts nothing.
    assert rows.select("id", "field", "null_in_gold", "status").rows() == [
        ("a", "x[]", False, "broken"),
        ("a", "y", True, None),
        ("b", None, False, "broken"),
        ("b", "y", True, None),
    ]
    assert rates(rows) == [0, 1]
    answers = af.fields(frame.with_columns(m=pl.lit('{"y": "2"}')), "m", "gold", lists="answers", **KEEP)
    assert answers["answers"].to_list() == [["1"], None, None]
    assert rates(answers) == [1, 1]


def test_every_kind_of_frame_with_the_same_keys_gives_the_same_rows() -> None:
    texts = rows_of(absent=())
    frame = {"id": IDS, "gold": GOLD, "m": MODEL}
    structs, written = pl.DataFrame(frame), io.BytesIO()
    structs.write_parquet(written)
    for table in (structs, pd.DataFrame(frame), pd.read_parquet(written)):
        rows = pl.DataFrame(af.fields(table, "m", "gold", absent=(), **KEEP))
        assert rows.cast({"status": pl.String}).equals(texts.cast({"status": pl.String}))


def through_csv(rows: pl.DataFrame) -> pl.DataFrame:
    return pl.read_csv(io.StringIO(rows.write_csv()), infer_schema=False)


KINDS: dict[str, Callable[[pl.DataFrame], Any]] = {
    "polars": pl.DataFrame,
    "lazy": pl.DataFrame.lazy,
    "pandas": pl.DataFrame.to_pandas,
    "texts": through_csv,
    "texts in pandas": lambda rows: pd.read_csv(io.StringIO(rows.write_csv()), dtype=str),
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_fabrications_are_divided_by_the_keys_with_null(kind: str, missing: Any) -> None:
    rows = KINDS[kind](rows_of())
    # Of ten null keys, six are fabricated; "po" is no key of gold. Of seven values, "vat" of b is missing.
    assert rates(rows, missing=missing) == [6 / 10, 1 / 7 if missing == "empty" else 0]
    assert rates(rows, missing=missing, unanswerable="empty") == [6 / 10, 1 / 7 if missing == "empty" else 0]
    by = af.report(rows, "prediction", "answers", metrics=ABSENCE, by="field", missing=missing).by_group
    found = dict(pl.DataFrame(by).select("field", "fabrication_rate").rows())
    assert (found["vat"], found["items[].p"], found["po"], found["total"]) == (1 / 2, 1 / 2, None, None)


def test_no_other_score_counts_the_rows_of_null_keys() -> None:
    metrics: Any = ["fields", "cer_corpus", "wer_mean"]
    kept, dropped = (
        af.report(rows_of(nulls=nulls), "prediction", "answers", metrics=metrics, cluster="id").overall
        for nulls in ("keep", "drop")
    )
    assert kept | {"n_unanswerable": 0} == dropped
    assert kept["n_unanswerable"] == 4
    documents = [
        af.documents(rows_of(nulls=one), "prediction", "answers", id="id") for one in ("keep", "drop")
    ]
    assert documents[0].equals(documents[1])


@pytest.mark.parametrize("metrics", [ABSENCE, ["field_f1", *ABSENCE]])
@pytest.mark.parametrize("cluster", [None, "id"])
def test_the_rates_of_a_system_are_the_same_alone_and_among_others(metrics: Any, cluster: Any) -> None:
    systems = {"m": "m", "o": "o"}
    compared = af.compare(rows_of(systems), [*systems], "answers", metrics=metrics, cluster=cluster)
    found = {(line["system"], line["metric"]): line["score"] for line in compared.ranking.rows(named=True)}
    # The other fabricates "vat" of a and the city of c, and nothing where the first has a seller or items.
    assert found["m", "fabrication_rate"] == 6 / 10
    assert found["o", "fabrication_rate"] == 2 / 10
    assert found["m", "abstention_rate"] == 1 / 7
    assert found["o", "abstention_rate"] == 1


def test_parts_add_up_and_slices_are_found() -> None:
    rows = rows_of()
    parts = [af.summarize(rows.filter(pl.col("id") == one), *TEXTS, metrics=ABSENCE) for one in IDS]
    merged = af.Report.from_summary(af.merge(parts)).overall
    assert [merged[name] for name in ABSENCE] == [6 / 10, 1 / 7]
    many = pl.concat([rows.with_columns(pl.col("id") + str(number)) for number in range(40)])
    slices = af.find_slices(many, *TEXTS, ["id", "field"], metrics="fabrication_rate")
    assert {"field = items[].n"} <= {*slices.table["description"]}
    default = af.find_slices(many.with_columns(lang=pl.lit("en")), *TEXTS, metrics="fabrication_rate")
    assert not any("null_in_gold" in text for text in default.table["description"])


TEXTS = ("prediction", "answers")


@pytest.mark.parametrize("metrics", [ABSENCE, ["field_f1", *ABSENCE]])
def test_without_such_keys_the_rate_is_null_with_the_reason(metrics: Any) -> None:
    report = af.report(rows_of(nulls="drop"), *TEXTS, metrics=metrics)
    assert report.overall["fabrication_rate"] is None
    assert report.overall["abstention_rate"] == 1 / 7
    why = 'because no row is a key with null in gold, which `fields` marks with nulls="keep".'
    assert str(report).count("because") == str(report).count(f"fabrication rate is null, {why}") == 1
    # Followed, the advice gives the figure.
    assert "because" not in str(af.report(rows_of(), *TEXTS, metrics=metrics))


def test_nulls_is_one_of_two_words() -> None:
    with pytest.raises(ValueError, match="nulls must be one of 'drop', 'keep', got 'all'"):
        rows_of(nulls="all")
