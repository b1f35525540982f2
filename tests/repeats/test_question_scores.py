"""Questions that were answered several times: mean scores of questions, and pass@k."""

from __future__ import annotations

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame import statistics

pytestmark = pytest.mark.usefixtures("each_default_engine")

ROWS = pl.DataFrame(
    {
        "system": ["old"] * 5 + ["new"] * 5,
        "epoch": [1, 2, 1, 2, 3] * 2,
        "id": [1, 1, 2, 2, 2] * 2,
        "doc": ["a", "a", "b", "b", "b"] * 2,
        "types": [["x", "y"]] * 2 + [[]] * 3 + [["x", "y"]] * 2 + [[]] * 3,
        "prediction": ["cat", "dog", "cow", None, "bee", "cat", "cat", "cow", "cow", "bee"],
        "answers": [["cat"], ["cat"], ["cow"], ["cow"], ["cow"]] * 2,
    }
)
QUESTION = ["system", "id"]
TEXTS = ("prediction", "answers")
SCORES = st.lists(
    st.tuples(st.integers(0, 3), st.floats(0, 1), st.floats(-1, 1) | st.none()), min_size=1, max_size=30
)


def test_a_question_counts_once_however_often_it_was_answered() -> None:
    means = af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION, keep="doc")

    assert means.columns == ["system", "id", "doc", "n_epochs", "anls"]
    assert means.rows() == [
        ("old", 1, "a", 2, 1 / 2),
        ("old", 2, "b", 3, 1 / 3),
        ("new", 1, "a", 2, 1.0),
        ("new", 2, "b", 3, 2 / 3),
    ]
    of_old = af.report(means.filter(system="old"), metrics="anls", cluster="doc").overall
    assert of_old["anls"] == pytest.approx((1 / 2 + 1 / 3) / 2)
    assert of_old["n_clusters"] == 2


def test_all_metrics_of_a_row_have_a_mean() -> None:
    same_length = af.Metric(lambda p, a: p.str.len_chars() == a.list.first().str.len_chars(), name="same")
    metrics = ["nls", "exact_match", "cer_mean", "zeros", "char_errors", same_length]

    means = af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION, metrics=metrics)

    # Of cow, nothing, and bee: 0, 3 and 3 of 3 characters are wrong.
    expected = {"nls": 1 / 3, "exact_match": 1 / 3, "cer_mean": 2 / 3, "zeros": 2 / 3, "char_errors": 2.0}
    expected["same"] = 2 / 3
    assert means.drop(*QUESTION, "n_epochs").row(1, named=True) == pytest.approx(expected)


def test_a_missing_answer_is_wrong_or_left_out() -> None:
    assert af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION)["n_epochs"][1] == 3

    left = af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION, missing="drop")

    assert left.row(1) == ("old", 2, 2, 1 / 2)


def test_null_scores_are_left_out_and_a_question_without_a_score_stays() -> None:
    rows = pl.DataFrame({"id": ["a", "a", "b"], "own": [0.5, None, None]})

    means = af.repeats.mean_over_epochs(rows, id="id", metrics="own")

    assert means.rows() == [("a", 1, 0.5), ("b", 0, None)]


@given(SCORES, st.randoms())
def test_the_order_of_rows_does_not_matter_to_the_last_bit(rows: list[Any], random: Any) -> None:
    def means(rows: list[Any]) -> pl.DataFrame:
        schema = {"id": pl.Int64, "first": pl.Float64, "second": pl.Float64}
        frame = pl.DataFrame(rows, schema=schema, orient="row")
        return af.repeats.mean_over_epochs(frame, id="id", metrics=["first", "second"]).sort("id")

    assert_frame_equal(means(random.sample(rows, len(rows))), means(rows), check_exact=True)


@given(SCORES)
def test_means_are_those_of_a_loop_over_the_rows(rows: list[Any]) -> None:
    frame = pl.DataFrame(rows, schema=["id", "first", "second"], orient="row")

    means = af.repeats.mean_over_epochs(frame, id="id", metrics="first")

    exact: dict[int, list[Fraction]] = {}
    for question, score, _ in rows:
        exact.setdefault(question, []).append(Fraction(score))
    assert means["id"].to_list() == list(exact)
    assert means["first"].to_list() == pytest.approx([float(sum(one) / len(one)) for one in exact.values()])


def test_the_columns_that_are_kept_stay_as_they_are() -> None:
    rows = ROWS.with_columns(pl.col("doc").cast(pl.Enum(["b", "a"])))

    means = af.repeats.mean_over_epochs(rows, *TEXTS, id=QUESTION, keep=["doc", "types"])

    assert means["doc"].dtype == pl.Enum(["b", "a"])
    assert means["types"].to_list() == [["x", "y"], [], ["x", "y"], []]


def test_a_frame_of_any_kind_gives_one_of_its_kind() -> None:
    expected = af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION)

    assert_frame_equal(af.repeats.mean_over_epochs(ROWS.lazy(), *TEXTS, id=QUESTION), expected)
    of_pandas = af.repeats.mean_over_epochs(ROWS.to_pandas(), *TEXTS, id=QUESTION)
    pd.testing.assert_frame_equal(of_pandas, expected.to_pandas(), check_dtype=False)
    of_arrow = af.repeats.mean_over_epochs(ROWS.to_arrow(), *TEXTS, id=QUESTION)
    assert isinstance(of_arrow, pa.Table)
    assert of_arrow.num_rows == 4


def test_several_scores_of_rows_by_system_are_compared_at_once() -> None:
    metrics = ["anls", "cer_mean"]
    means = af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION, keep="doc", metrics=metrics).with_columns(
        errors=pl.Series([1, 2, 0, 1]), words=pl.Series([4, 5, 4, 5])
    )
    rate = af.Metric("errors", denominator="words", name="wer")

    wide = af.side_by_side(means, system="system", id="id", metrics=[*metrics, rate])
    comparison = af.compare(wide, cluster="doc")

    found = comparison.overall.select("metric", "baseline_score", "score").rows()
    # Cat and dog; cow, nothing and bee: all characters of dog, nothing and bee are wrong.
    expected = [
        ("anls", (1 / 2 + 1 / 3) / 2, (1 + 2 / 3) / 2),
        ("cer_mean", (1 / 2 + 2 / 3) / 2, (0 + 1 / 3) / 2),
        ("wer", 3 / 9, 1 / 9),
    ]
    assert [row[0] for row in found] == [row[0] for row in expected]
    assert [row[1:] for row in found] == [pytest.approx(row[1:]) for row in expected]
    assert [metric.higher_is_better for metric in comparison.measures] == [True, False, False]
    of_one = af.compare(af.side_by_side(means, system="system", id="id", metrics="anls"), cluster="doc")
    assert of_one.overall["difference"].item() == pytest.approx(expected[0][2] - expected[0][1])


def test_scores_that_exist_say_nothing_of_rows_without_an_answer() -> None:
    with pytest.raises(ValueError, match="the scores exist already; fill their nulls"):
        af.repeats.mean_over_epochs(ROWS, id=QUESTION, metrics="epoch", unanswerable="empty")


@pytest.mark.parametrize("metrics", [None, pl.col("anls"), []])
def test_without_predictions_the_scores_must_be_columns(metrics: Any) -> None:
    means = af.repeats.mean_over_epochs(ROWS, *TEXTS, id=QUESTION)

    with pytest.raises(ValueError, match="of scores, metrics with the names of their columns"):
        af.side_by_side(means, system="system", id="id", metrics=metrics)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id": "id", "keep": "system"}, "must have the same 'system', but those of 2 questions differ"),
        ({"id": "epoch"}, "must have the same 'answers', but those of 2 questions differ .epoch.: 1, 2"),
        ({"id": QUESTION, "metrics": "cer_corpus"}, "'cer_corpus' divides two sums"),
        ({"id": "prediction"}, "'prediction' must not be null, but is in 1 row"),
        ({"id": QUESTION, "keep": "n"}, "n"),
        ({"id": []}, r"id must name at least one column, got \[\]"),
    ],
)
def test_rows_that_are_no_epochs_of_a_question_are_an_error(options: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, af.exceptions.ColumnNotFoundError), match=message):
        af.repeats.mean_over_epochs(ROWS, *TEXTS, **options)


def test_scores_that_cannot_be_are_named_with_their_row() -> None:
    rows = pl.DataFrame({"id": [1, 1], "anls": [0.5, float("inf")]})

    with pytest.raises(ValueError, match="metric 'anls' must be finite, got inf in row 1"):
        af.repeats.mean_over_epochs(rows, id="id", metrics="anls")


def test_a_column_of_the_result_is_not_taken_twice() -> None:
    rows = pl.DataFrame({"id": [1, 1], "n_epochs": [2, 2], "anls": [0.5, 1.0]})

    for options in ({"keep": "n_epochs", "metrics": "anls"}, {"metrics": "n_epochs"}):
        with pytest.raises(af.DuplicateColumnError, match="n_epochs"):
            af.repeats.mean_over_epochs(rows, id="id", **options)


@pytest.mark.parametrize("n", [1, 2, 5, 6])
def test_pass_at_k_is_the_share_of_all_choices_of_k_answers_with_a_right_one(n: int) -> None:
    for correct, k in itertools.product(range(n + 1), range(1, n + 1)):
        answers = [1] * correct + [0] * (n - correct)
        choices = list(itertools.combinations(answers, k))
        share = Fraction(sum(max(chosen) for chosen in choices), len(choices))

        assert float(statistics.pass_at_k(n, correct, k)) == pytest.approx(float(share), abs=1e-15)


def test_pass_at_k_of_too_few_answers_is_nan() -> None:
    assert np.isnan(statistics.pass_at_k([0, 1, 2], [0, 1, 2], 2)).tolist() == [True, True, False]
    assert np.isnan(statistics.pass_at_k([2, 3], [1, 3], 2**62)).all()


def test_pass_at_k_of_rows_feeds_a_report() -> None:
    rows = pl.DataFrame({"id": [1] * 4 + [2] * 4, "prediction": [*"abbbaabb"], "answer": ["a"] * 8})

    table = af.repeats.pass_at_k(rows, [1, 2, 4, 1], "prediction", "answer", id="id")

    assert table.rows() == [(1, 4, 0.25, 0.5, 1.0), (2, 4, 0.5, pytest.approx(5 / 6), 1.0)]
    assert af.report(table, metrics="pass_at_2").overall["pass_at_2"] == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        ((3, *TEXTS), {}, r"number of epochs with a score, got 3; fewer in 2 questions: \("),
        ((0, *TEXTS), {}, "k must be an integer of at least 1, got 0"),
        ((1,), {"metrics": "half"}, "must be 0 or 1 .* metric 'half' is 0.5 in row 0"),
        ((1, *TEXTS), {"metrics": ["anls", "nls"]}, "metrics must be one metric"),
    ],
)
def test_pass_at_k_needs_enough_answers_that_are_right_or_wrong(
    arguments: tuple[Any, ...], options: dict[str, Any], message: str
) -> None:
    rows = ROWS.with_columns(half=0.5)

    with pytest.raises(ValueError, match=message):
        af.repeats.pass_at_k(rows, *arguments, id=QUESTION, **options)


# Answers in lists and in columns

SAMPLES = pl.DataFrame(
    {
        "id": [1, 2, 3],
        "answers": ["a", "b", "c"],
        "s1": ["a", "x", "c"],
        "s2": ["a", "b", None],
        "s3": ["x", "x", "c"],
        "r1": [1.0, 0.0, 1.0],
        "r2": [1.0, 1.0, 0.0],
        "r3": [0.0, 0.0, 1.0],
    }
).with_columns(texts=pl.concat_list("s1", "s2", "s3"), scores=pl.concat_list("r1", "r2", "r3"))
# By hand: 2, 1 and 2 of three answers are right, so pass@2 is 1 - C(wrong, 2) / C(3, 2).
PASSED = [(1, 3, 2 / 3, 1.0), (2, 3, 1 / 3, 2 / 3), (3, 3, 2 / 3, 1.0)]


@pytest.mark.parametrize("kind", ["polars", "lazy", "pandas", "arrow"])
@pytest.mark.parametrize("prediction", ["texts", ["s1", "s2", "s3"], ("s3", "s1", "s2")])
def test_pass_at_k_takes_answers_in_a_list_or_in_columns(kind: str, prediction: Any) -> None:
    kinds = {
        "lazy": SAMPLES.lazy(),
        "pandas": SAMPLES.to_pandas(),
        "arrow": SAMPLES.to_arrow(),
        "polars": SAMPLES,
    }

    table = af.repeats.pass_at_k(kinds[kind], [1, 2], prediction, "answers", id="id")

    assert type(table) is (pl.DataFrame if kind == "lazy" else type(kinds[kind]))
    rows = list(table.itertuples(index=False, name=None)) if kind == "pandas" else pl.DataFrame(table).rows()
    assert rows == [pytest.approx(row) for row in PASSED]


@pytest.mark.parametrize("metrics", ["scores", ["r1", "r2", "r3"]])
def test_pass_at_k_takes_scores_in_a_list_or_in_columns(metrics: Any) -> None:
    table = af.repeats.pass_at_k(SAMPLES, [1, 2], metrics=metrics, id="id")

    assert table.rows() == [pytest.approx(row) for row in PASSED]


def test_lists_of_other_lengths_and_columns_that_are_none() -> None:
    frame = SAMPLES.with_columns(texts=pl.Series([["a", "a"], ["x"], []]))
    table = af.repeats.pass_at_k(frame, 1, "texts", "answers", id="id")
    # A question without an answer counts as one that is missing.
    assert table.rows() == [(1, 2, 1.0), (2, 1, 0.0), (3, 1, 0.0)]
    with pytest.raises(
        ValueError, match="the number of epochs with a score, got 2; fewer in 2 questions: 2, 3"
    ):
        af.repeats.pass_at_k(frame, 2, "texts", "answers", id="id")
    with pytest.raises(pl.exceptions.ColumnNotFoundError, match="did you mean"):
        af.repeats.pass_at_k(SAMPLES, 1, ["s11", "s2"], "answers", id="id")
    with pytest.raises(ValueError, match="the columns of answers must be different names"):
        af.repeats.pass_at_k(SAMPLES, 1, ["s1", "s1"], "answers", id="id")
