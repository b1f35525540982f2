"""The figures of a system do not depend on the systems beside it, and every document has a row."""

from __future__ import annotations

import json
import random
from typing import Any

import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_oracle import FEWER

import anls_frame as af

METRICS = [
    *("fields", "nls", "cer_mean", "cer_corpus", "wer_mean", "wer_corpus", "char_errors", "bag_of_words"),
    *("contains_answer", "relaxed_accuracy", "vqa_accuracy"),
]

TEXTS = st.sampled_from(("tea", "teas", "milk", "12", ""))
DOCUMENTS = st.fixed_dictionaries(
    {},
    optional={
        **dict.fromkeys("abc", TEXTS),
        "items": st.lists(st.fixed_dictionaries({}, optional=dict.fromkeys("np", TEXTS)), max_size=3),
    },
)
CELLS = st.one_of(DOCUMENTS.map(json.dumps), st.sampled_from((None, "oops", "{}")))


def rows_of(columns: dict[str, list[Any]], systems: str) -> pl.DataFrame:
    """Return the rows of fields of some systems."""
    frame = pl.DataFrame(
        {"id": range(len(columns["gold"])), **columns}, schema_overrides=dict.fromkeys(columns, pl.String)
    )
    return af.fields(frame, {name: name for name in systems}, "gold", id="id")


def test_systems_are_named_by_a_list_as_in_comparisons() -> None:
    columns = {
        "id": [1, 2],
        "gold": ['{"a": 1}', '{"a": 2}'],
        "x": ['{"a": 1}', None],
        "y": ['{"a": 3}', "{}"],
    }
    frame = pl.DataFrame(columns)
    rows = af.fields(frame, ["x", "y"], "gold", id="id")
    assert rows.equals(af.fields(frame, {"x": "x", "y": "y"}, "gold", id="id"))
    named = af.documents(rows, {"x": "x", "y": "y"}, "answers", id="id")
    assert af.documents(rows, ["x", "y"], "answers", id="id").equals(named)
    for wrong in ("sure", ["sure"], {"z": "sure"}):
        with pytest.raises(ValueError, match="model_confidence must be a column for one system"):
            af.fields(frame, ["x", "y"], "gold", id="id", model_confidence=wrong)  # type: ignore[arg-type]
    lost = [
        af.readers.lost_points(rows.with_columns(verdict=pl.lit("right")), rows, of, "answers").by_system
        for of in (["x", "y"], {"x": "x", "y": "y"})
    ]
    assert lost[0].equals(lost[1])


@pytest.mark.filterwarnings("ignore:[0-9]+ document")
@given(st.lists(st.tuples(DOCUMENTS.map(json.dumps), CELLS, CELLS), min_size=2, max_size=4))
@FEWER
def test_figures_are_the_same_alone_and_beside_another_system(documents: list[tuple[str, ...]]) -> None:
    columns: dict[str, list[Any]] = {
        name: [*values] for name, values in zip(("gold", "a", "b"), zip(*documents, strict=True), strict=True)
    }
    # Other systems invent fields and items of their own.
    columns["c"] = [
        json.dumps({f"x{number}": "y" for number in range(9)} | {"items": [{"n": "salt"}] * 4})
    ] * len(documents)
    alone, beside = rows_of(columns, "a"), rows_of(columns, "abc")
    reports = [af.report(rows, "a", "answers", metrics=METRICS, cluster="id") for rows in (alone, beside)]
    own, others = (report.overall for report in reports)
    assert {name for name, value in own.items() if value != others[name]} <= {"n_unanswerable"}
    rankings = [
        af.compare(
            rows_of(columns, names), list(names), "answers", metrics=METRICS, cluster="id", draws=19
        ).ranking
        for names in ("ab", "cba")
    ]
    for ranking in rankings:
        for metric, score in ranking.filter(system="a").select("metric", "score").rows():
            assert score == pytest.approx(own[metric], abs=1e-12, nan_ok=True), metric
    figures = ("n_fields", "n_wrong", "all_right")
    single = af.documents(alone, "a", "answers", id="id")
    several = af.documents(beside, {"a": "a", "c": "c"}, "answers", id="id")
    assert single.select(figures).rows() == several.select(f"a_{name}" for name in figures).rows()


def test_what_another_system_invents_is_no_right_answer() -> None:
    gold = {"a": "1", "b": "2", "c": "3", "d": "4"}
    first = {"a": "1", "b": "2", "c": "3"}
    second = gold | {f"x{number}": "z" for number in range(20)}
    columns = {
        name: [json.dumps(document)] for name, document in (("gold", gold), ("a", first), ("b", second))
    }
    rows = rows_of(columns, "ab")
    report = af.report(rows, "a", "answers", metrics="fields").overall
    # Three of four fields are right, one is missing.
    expected = {"n": 4, "exact_match": 0.75, "anls": 0.75, "missing_share": 0.25, "invented_share": 0.0}
    assert {name: report[name] for name in expected} == expected
    ranking = af.compare(rows, ["a", "b"], "answers", metrics="fields").ranking
    scores = {
        (system, metric): score
        for system, metric, score in ranking.select("system", "metric", "score").rows()
    }
    assert [scores["a", name] for name in ("exact_match", "anls", "missing_share")] == [0.75, 0.75, 0.25]
    assert scores["b", "exact_match"] == pytest.approx(4 / 24)
    assert scores["b", "invented_share"] == pytest.approx(20 / 24)


def test_a_comparison_of_fields_can_be_saved_and_read(tmp_path: Any) -> None:
    columns = {"gold": ['{"a": "tea"}', '{"a": "x"}'], "a": ['{"a": "teas"}', '{"b": "x"}'], "b": ["{}"] * 2}
    rows = rows_of(columns, "ab")
    comparison = af.compare(rows, ["a", "b"], "answers", metrics="fields", cluster="id")
    comparison.summary.save(tmp_path / "s.parquet")
    again = af.Comparison.from_summary(af.Summary.load(tmp_path / "s.parquet"))
    assert again.ranking.equals(comparison.ranking)
    repeated = af.compare(rows, ["a", "b"], "answers", metrics=list(comparison.measures), cluster="id")
    assert repeated.ranking.equals(comparison.ranking)


def test_every_document_has_a_row() -> None:
    gold = ["{}", "{}", "{}", '{"a": null}', '{"a": "1"}']
    model = ["{}", "oops", None, '{"a": null}', '{"a": "1"}']
    frame = pl.DataFrame({"id": range(5), "gold": gold, "model": model})
    with pytest.warns(af.InputWarning, match="1 document of 'prediction' cannot be read"):
        rows = af.fields(frame, "model", "gold", id="id")
    assert rows.select("id", "field", "prediction", "status").rows() == [
        (0, None, None, None),
        (1, None, "unreadable document", "broken"),
        (2, None, None, None),
        (3, None, None, None),
        (4, "a", "1", "matched"),
    ]
    for table in (rows, rows.to_pandas()):
        documents = pl.DataFrame(af.documents(table, "prediction", "answers", id="id"))
        assert documents.rows() == [
            *((0, 0, 0, True), (1, 0, 0, False), (2, 0, 0, True), (3, 0, 0, True), (4, 1, 0, True)),
        ]
    # The unreadable document is wrong, and counts as one invented value.
    report = af.report(rows, "prediction", "answers", metrics="fields").overall
    assert (report["n"], report["exact_match"], report["invented_share"]) == (2, 0.5, 0.5)


@pytest.mark.parametrize("name", ["answers", "field", "item", "a_status", "a_confidence"])
def test_a_system_named_like_a_column_of_the_result_is_an_error(name: str) -> None:
    frame = pl.DataFrame({"id": [1], "gold": ['{"a": "1"}'], "a": ['{"a": "2"}'], "s": ["{}"]})
    with pytest.raises(af.DuplicateColumnError, match=f"two columns '{name}': give the systems"):
        af.fields(frame, {"a": "a", name: "a"}, "gold", id="id", model_confidence={"a": "s"})


def test_a_kept_column_named_like_a_figure_is_an_error() -> None:
    frame = pl.DataFrame({"id": [1], "n_wrong": [1], "gold": ['{"a": "1"}'], "m": ['{"a": "2"}']})
    rows = af.fields(frame, "m", "gold", id="id")
    with pytest.raises(af.DuplicateColumnError, match=r"columns \['n_wrong'\]"):
        af.documents(rows, "prediction", "answers", id="id", keep="n_wrong")


def test_outcomes_are_no_slices() -> None:
    dice = random.Random(1)
    gold = [json.dumps({"a": "1", "b": "2"})] * 60
    model = [
        json.dumps({key: value for key, value in (("a", "1"), ("b", "2")) if dice.random() < 0.7})
        for _ in gold
    ]
    sure = [json.dumps({"a": dice.random(), "b": dice.random()}) for _ in gold]
    frame = pl.DataFrame({"id": range(60), "shop": ["x", "y"] * 30, "gold": gold, "m": model, "s": sure})
    options: dict[str, Any] = {"id": "id", "model_confidence": "s"}
    single = af.fields(frame, "m", "gold", **options)
    several = af.fields(frame, {"m": "m"}, "gold", id="id", model_confidence={"m": "s"})
    for rows, column in ((single, "prediction"), (single.to_pandas(), "prediction"), (several, "m")):
        found = af.find_slices(rows, column, "answers", metrics="exact_match", cluster="id")
        start = "m_" if column == "m" else ""
        assert {f"{start}status", f"{start}confidence"} <= found.left_out.keys()
        assert "shop" not in found.left_out
        assert "field" not in found.left_out
    documents = af.documents(
        several, {"m": "m"}, "answers", id="id", keep="shop", model_confidence={"m": "m_confidence"}
    )
    found = af.find_slices(documents, metrics="m_all_right")
    assert found.left_out.keys() == {"m_n_fields", "m_n_wrong", "m_confidence"}
    # By name, any column slices.
    assert af.find_slices(single, "prediction", "answers", "status", metrics="exact_match").n_tests
    # Elsewhere, the name means nothing.
    plain = pl.DataFrame({"p": ["a", "b"] * 20, "a": ["a"] * 40, "status": ["s", "t"] * 20})
    assert "status" not in af.find_slices(plain, "p", "a", metrics="exact_match").left_out


def test_a_document_is_as_sure_as_its_least_sure_field() -> None:
    rows = pl.DataFrame(
        {
            "id": [1, 1, 2, 2, 3, 4, 4],
            "field": ["total", "vat", "total", "vat", "total", "total", "vat"],
            "answers": ["5", "1", "7", "2", "9", "3", "4"],
            "prediction": ["5", "1", None, "2", "9", "3", "4"],
            "confidence": ["0.9", "1e-05", None, "0.99", "0.8", "0.7", "nan"],
        }
    )
    for table in (rows, rows.with_columns(pl.col("confidence").cast(pl.Float64)), rows.to_pandas()):
        options: dict[str, Any] = {"id": "id", "model_confidence": "confidence"}
        documents = pl.DataFrame(af.documents(table, "prediction", "answers", **options))
        # The total of 2 was not found, and NaN is no confidence.
        assert documents["confidence"].to_list() == [1e-05, None, 0.8, None]
        totals = pl.DataFrame(af.documents(table, "prediction", "answers", required=["total"], **options))
        assert totals["confidence"].to_list() == [0.9, None, 0.8, 0.7]
    for wrong in (
        rows.with_columns(confidence=pl.lit("high")),
        rows.with_columns(confidence=pl.lit(value=True)),
    ):
        with pytest.raises(af.DTypeError, match="column 'confidence'"):
            af.documents(wrong, "prediction", "answers", id="id", model_confidence="confidence")


def test_documents_whose_total_was_not_found_are_unsure() -> None:
    # Forty documents are right; in the other forty the total was not found, though the rest is certain.
    gold = [json.dumps({"total": "5", "name": "tea"})] * 80
    model = [gold[0]] * 40 + ['{"name": "tea"}'] * 40
    sure = ['{"total": 0.6, "name": 0.99}'] * 40 + ['{"name": 0.99}'] * 40
    frame = pd.DataFrame({"id": range(80), "gold": gold, "model": model, "sure": sure})
    rows = af.fields(frame, "model", "gold", id="id", model_confidence="sure")
    options: dict[str, Any] = {"id": "id", "model_confidence": "confidence", "required": ["total", "name"]}
    documents = af.documents(rows, "prediction", "answers", **options)
    with pytest.warns(af.InputWarning, match="only 1 different value:"):
        selective = af.selective(documents, metrics="all_right", model_confidence="confidence")
    assert selective.overall["auroc"].tolist() == [1.0]


def test_accounts_of_fields_add_up_where_invented_values_are_blank_or_have_no_score() -> None:
    def of_long_texts(prediction: pl.Expr, answers: pl.Expr) -> pl.Expr:
        return pl.when(prediction.str.len_chars() > 9).then(af.nls(prediction, answers))

    columns = {
        "gold": ['{"a": "x"}'] * 2,
        "a": ['{"a": "x", "b": " "}', "{}"],
        "b": ['{"c": 1, "d": 2}', None],
    }
    rows = rows_of(columns, "a")
    report = af.report(rows, "a", "answers", metrics="field_f1")
    assert report.account.frame.filter(rows="used")["n"].item() == report.overall["n"] == rows.height == 3
    both = rows_of(columns, "ab")
    for missing in ("empty", "drop"):
        metric = af.Metric(of_long_texts, name="long")
        compared = af.compare(both, ["a", "b"], "answers", metrics=metric, missing=missing)
        numbers = compared.account.frame
        assert numbers["n"].min() == 0
        for of_system in numbers.partition_by("system"):
            parts = dict(of_system.group_by("rows").agg(pl.sum("n")).rows())
            assert parts["used"] + parts["left out"] == parts["given"] == both.height
