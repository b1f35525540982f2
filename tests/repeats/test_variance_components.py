"""Variance between documents, questions and epochs, and the standard errors that follow from it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame import statistics
from anls_frame.statistics import NestedAnova

pytestmark = pytest.mark.usefixtures("each_default_engine")

DOCUMENTS, QUESTIONS, EPOCHS = 7, 5, 3


def balanced(seed: int = 1) -> npt.NDArray[np.float64]:
    random = np.random.default_rng(seed)
    documents, questions, epochs = (
        random.standard_normal(shape) for shape in ((7, 1, 1), (7, 5, 1), (7, 5, 3))
    )
    return documents + 2 * questions + 0.5 * epochs


def as_rows(scores: npt.NDArray[np.float64]) -> pl.DataFrame:
    documents, questions, epochs = np.indices(scores.shape)
    return pl.DataFrame(
        {
            "doc": documents.ravel(),
            "id": (documents * 1000 + questions).ravel(),
            "epoch": epochs.ravel(),
            "score": scores.ravel(),
        }
    )


def components(frame: pl.DataFrame, **options: Any) -> af.repeats.VarianceComponents[pl.DataFrame]:
    return af.repeats.variance_components(
        frame, **{"id": "id", "cluster": "doc", "metrics": "score", **options}
    )


def of_rows(scores: npt.NDArray[np.float64], question: Any, cluster: Any) -> NestedAnova:
    """Sum up rows by question, in plain numpy."""
    questions = np.unique(question)
    rows = [scores[question == one] for one in questions]
    of = None if cluster is None else [cluster[question == one][0] for one in questions]
    squares = [((one - one.mean()) ** 2).sum() for one in rows]
    return statistics.nested_anova([len(one) for one in rows], [one.mean() for one in rows], squares, of)


def test_balanced_components_are_those_of_the_textbook() -> None:
    scores = balanced()
    of_questions, of_documents = scores.mean(axis=2), scores.mean(axis=(1, 2))
    squares = QUESTIONS * EPOCHS * ((of_documents - scores.mean()) ** 2).sum() / (DOCUMENTS - 1)
    within = EPOCHS * ((of_questions - of_documents[:, None]) ** 2).sum() / (DOCUMENTS * (QUESTIONS - 1))
    error = ((scores - of_questions[..., None]) ** 2).sum() / (DOCUMENTS * QUESTIONS * (EPOCHS - 1))
    expected = [(squares - within) / (QUESTIONS * EPOCHS), (within - error) / EPOCHS, error]

    found = components(as_rows(scores)).components

    assert found["level"].to_list() == ["cluster", "question", "epoch"]
    assert found["n"].to_list() == [7, 35, 105]
    assert found["variance"].to_list() == pytest.approx(expected)
    assert found["share"].to_list() == pytest.approx([one / sum(expected) for one in expected])
    assert not found["truncated"].any()


def test_balanced_standard_errors_are_those_of_the_components() -> None:
    result = components(as_rows(balanced()))
    documents, questions, epochs = result.components["variance"]

    errors = dict(result.standard_errors.select("epochs", "standard_error").iter_rows())

    for k in (1, 2, 3, 4, 8, 16, math.inf):
        assert errors[k] ** 2 == pytest.approx(documents / 7 + questions / 35 + epochs / (35 * k))
    assert result.standard_errors.filter("now")["epochs"].to_list() == [3.0]
    sizes = dict(result.standard_errors.select("epochs", "equivalent_size").iter_rows())
    assert sizes[1.0] == 1
    assert sizes[4.0] == pytest.approx(errors[1.0] ** 2 / errors[4.0] ** 2)


DESIGNS = {
    "unequal": ([0, 0, 0, 0, 0, 1, 1, 2, 2, 2, 2, 3], [0, 0, 0, 1, 1, 2, 3, 4, 4, 5, 6, 7]),
    "one question in each document": ([0, 0, 1, 2, 2, 2], [0, 0, 1, 2, 2, 2]),
    "no documents": (None, [0, 0, 0, 1, 2, 2, 3]),
    "a single document": ([0] * 7, [0, 0, 0, 1, 2, 2, 3]),
}


@pytest.mark.parametrize("design", DESIGNS)
def test_components_are_unbiased_whatever_the_numbers(design: str) -> None:
    documents, questions = (None if one is None else np.array(one) for one in DESIGNS[design])
    assert questions is not None
    size = len(questions)
    # A component is a quadratic form x'Ax, so its expectation is the trace of A times the covariance of x.
    unit = np.eye(size)

    def forms(x: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        return np.array(of_rows(x, questions, documents))

    single = [forms(one) for one in unit]
    matrix = np.array(
        [[(forms(a + b) - x - y) / 2 for b, y in zip(unit, single, strict=True)]
         for a, x in zip(unit, single, strict=True)]
    )  # fmt: skip
    shared = questions[:, None] == questions
    covariances = [shared.astype(float), unit]
    if documents is not None:
        covariances.insert(0, (documents[:, None] == documents).astype(float))
    expected = np.array([[np.sum(matrix[..., form] * one) for one in covariances] for form in range(3)])

    # A line for each estimate, a column for each true variance.
    identity = {
        "unequal": [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
        "one question in each document": [[1, 1, 0], [math.nan] * 3, [0, 0, 1]],
        "no documents": [[math.nan] * 2, [1, 0], [0, 1]],
        "a single document": [[math.nan] * 3, [0, 1, 0], [0, 0, 1]],
    }
    np.testing.assert_allclose(expected, identity[design], atol=1e-12)
    means = [of_rows(np.full(size, 0.1), questions, documents)]
    np.testing.assert_allclose(np.nan_to_num(means), 0, atol=1e-12)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.floats(0, 1)), min_size=2, max_size=30),
    st.randoms(),
)
def test_the_order_of_rows_does_not_matter_to_the_last_bit(rows: list[Any], random: Any) -> None:
    def result(rows: list[Any]) -> af.repeats.VarianceComponents[pl.DataFrame]:
        frame = pl.DataFrame(rows, schema=["doc", "number", "score"], orient="row")
        return components(frame, id=["doc", "number"])

    if len({row[:2] for row in rows}) == len(rows):
        with pytest.raises(ValueError, match="questions with several scored rows"):
            result(rows)
        return
    expected, found = result(rows), result(random.sample(rows, len(rows)))

    assert_frame_equal(found.components, expected.components, check_exact=True)
    assert_frame_equal(found.standard_errors, expected.standard_errors, check_exact=True)
    assert str(found) == str(expected)


def test_the_present_standard_error_is_that_of_the_means_in_clusters() -> None:
    scores = as_rows(balanced(2)).filter(pl.int_range(pl.len()) % 5 != 1)
    means = af.repeats.mean_over_epochs(scores, id="id", keep="doc", metrics="score")

    result = components(scores).standard_errors.filter("now")

    x, y = (means.group_by("doc").agg(x=pl.col("score").sum(), y=pl.len())[name].to_numpy() for name in "xy")
    sizes = y.sum() ** 2 / (y * y).sum()
    residual = x - x.sum() / y.sum() * y
    expected = math.sqrt(sizes / (sizes - 1) * (residual**2).sum()) / y.sum()
    assert result["standard_error"].item() == pytest.approx(expected)
    assert result["epochs"].item() == pytest.approx(35 / (1 / means["n_epochs"]).sum())


def test_an_estimate_below_zero_is_given_as_zero_and_said() -> None:
    # The mean of each question is the same, so the epochs explain more than all there is between questions.
    rows = pl.DataFrame({"id": [1, 1, 2, 2, 3, 3], "score": [0.0, 1.0] * 3})

    result = components(rows, cluster=None)

    assert result.components.select("variance", "share", "truncated").rows() == [
        (0.0, 0.0, True),
        (0.5, 1.0, False),
    ]
    assert str(result).startswith(
        "score: variance 0 % between questions (estimated below 0), 100 % between epochs"
    )
    # If only epochs vary, k answers to each question are worth k times as many questions.
    for epochs, _, error, size in result.standard_errors.filter(pl.col("epochs") < math.inf).iter_rows():
        assert (error, size) == pytest.approx((math.sqrt(0.5 / (3 * epochs)), epochs))


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 1)), min_size=3, max_size=20))
def test_more_epochs_never_make_the_mean_less_certain(rows: list[Any]) -> None:
    frame = pl.DataFrame([(0, 0), (0, 1), *rows], schema=["id", "score"], orient="row")

    errors = components(frame, cluster=None).standard_errors["standard_error"].drop_nulls().to_list()

    assert errors == sorted(errors, reverse=True)


def test_slices_are_those_of_their_rows() -> None:
    rows = as_rows(balanced()).with_columns(
        types=pl.when(pl.col("id") % 2 == 0).then(pl.lit(["even", "all"])).otherwise(pl.lit(["all"]))
    )

    sliced = components(rows, by="types")

    of_all = components(rows)
    even = components(rows.filter(pl.col("id") % 2 == 0))
    for name in ("components", "standard_errors"):
        table = getattr(sliced, name)
        assert_frame_equal(table.filter(types="all").drop("types"), getattr(of_all, name))
        assert_frame_equal(table.filter(types="even").drop("types"), getattr(even, name))
    assert str(sliced).splitlines()[0].startswith("score, types = all: variance ")


def test_a_slice_without_repeats_is_unknown() -> None:
    rows = pl.DataFrame({"id": [1, 1, 2, 2, 3, 4], "lang": [*"aaaabb"], "score": [0.0, 1, 1, 1, 0, 1]})

    result = components(rows, cluster=None, by="lang")

    of_b = result.components.filter(lang="b")
    assert of_b["variance"].to_list() == [None, None]
    assert result.standard_errors.filter("now", lang="b")["standard_error"].item() == pytest.approx(0.5)
    assert "unknown between epochs" in str(result)


def test_texts_are_scored_as_in_reports() -> None:
    rows = pl.DataFrame({"id": [1, 1, 2, 2], "prediction": ["a", "b", "a", None], "answer": ["a"] * 4})

    found = af.repeats.variance_components(
        rows, "prediction", "answer", id="id", metrics="exact_match"
    ).components
    dropped = af.repeats.variance_components(rows, "prediction", "answer", id="id", missing="drop").components

    assert found["variance"].to_list() == [0.0, 0.5]
    assert dropped["n"].to_list() == [2, 3]


@pytest.mark.parametrize("metric", ["cer_mean", "wer_mean"])
def test_standard_errors_of_error_rates_are_in_percentage_points(metric: str) -> None:
    """As differences of such rates are; figures stay fractions."""
    rows = pl.DataFrame({"id": [*range(8)] * 2, "prediction": [*"abababaaabbbaaaa"], "answer": ["a"] * 16})
    result = af.repeats.variance_components(rows, "prediction", "answer", id="id", metrics=metric)
    same = af.repeats.variance_components(rows, "prediction", "answer", id="id", metrics="exact_match")
    now = result.standard_errors.filter("now")["standard_error"].item()
    assert now == pytest.approx(same.standard_errors.filter("now")["standard_error"].item())
    assert f"{100 * now:.1f} pp with 2 (now)" in str(result)
    assert f"{now:.3f} with 2 (now)" in str(same)


@pytest.mark.parametrize("kind", ["polars", "pandas", "lazy"])
def test_nan_and_null_are_one_document(kind: str) -> None:
    """As the account counts them, and as the same document with a number would be."""
    rows = as_rows(balanced())
    documents = pl.col("doc").cast(pl.Float64)
    joined = rows.with_columns(doc=documents.replace(1.0, 0.0))
    nothing = pl.when(documents == 0).then(None).when(documents == 1).then(math.nan).otherwise(documents)
    unnamed = rows.with_columns(doc=nothing)
    made: Any = {"polars": unnamed, "pandas": unnamed.to_pandas(), "lazy": unnamed.lazy()}[kind]
    result = components(made)
    expected = components(joined)
    assert result.components["n"].to_list() == expected.components["n"].to_list() == [6, 35, 105]
    for ours, theirs in (
        (result.components, expected.components),
        (result.standard_errors, expected.standard_errors),
    ):
        assert_frame_equal(pl.DataFrame(ours), theirs)
    assert "30 without a value in doc count together as one document" in str(result)


def test_nan_and_null_are_the_same_in_the_rows_of_a_question() -> None:
    """As missing documents they do not differ, and neither is an id."""
    rows = as_rows(balanced()).with_columns(doc=pl.col("doc").cast(pl.Float64))
    missing = rows.with_columns(doc=pl.when(pl.col("doc") != 0).then("doc"))
    nans = pl.when(pl.col("doc").is_null() & (pl.row_index() % 2 == 0)).then(math.nan).otherwise("doc")
    mixed = missing.with_columns(doc=nans)
    assert 0 < mixed["doc"].is_nan().sum() < missing["doc"].null_count()
    assert_frame_equal(pl.DataFrame(components(mixed).components), components(missing).components)
    means = af.repeats.mean_over_epochs(mixed, metrics="score", id="id", keep="doc")
    assert means["doc"].null_count() == missing.unique("id")["doc"].null_count()
    with pytest.raises(ValueError, match="column 'doc' must not be null"):
        af.repeats.mean_over_epochs(mixed, metrics="score", id=["id", "doc"])


def test_a_frame_of_any_kind_gives_tables_of_its_kind() -> None:
    rows = as_rows(balanced())
    expected = components(rows)

    of_pandas: Any = af.repeats.variance_components(rows.to_pandas(), id="id", cluster="doc", metrics="score")
    of_arrow: Any = af.repeats.variance_components(rows.to_arrow(), id="id", cluster="doc", metrics="score")

    pd.testing.assert_frame_equal(of_pandas.components, expected.components.to_pandas(), check_dtype=False)
    assert isinstance(of_arrow.standard_errors, pa.Table)
    assert_frame_equal(components(rows.lazy()).components, expected.components)  # type: ignore[arg-type]
    assert str(of_pandas) == str(of_arrow) == str(expected)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"id": ["id", "epoch"]}, "questions with several scored rows, but each has one"),
        ({"cluster": "epoch"}, "must have the same 'epoch', but those of 35 questions differ"),
        ({"metrics": ["score", "epoch"]}, "metrics must be one metric"),
        ({"by": "level"}, "level"),
    ],
)
def test_what_is_no_design_of_epochs_is_an_error(options: dict[str, Any], message: str) -> None:
    rows = as_rows(balanced()).with_columns(level=pl.lit("x"))

    with pytest.raises(ValueError, match=message):
        components(rows, **options)


def test_no_scored_row_is_said_to_be_none() -> None:
    rows = as_rows(balanced())
    for none in (rows.head(0), rows.with_columns(score=pl.lit(None, pl.Float64))):
        with pytest.raises(ValueError, match=r"several scored rows, but no row has a score$"):
            components(none)


def test_components_are_unbiased_where_hard_questions_have_more_epochs() -> None:
    random, found = np.random.default_rng(12), []
    for _ in range(400):
        cluster = np.repeat(np.arange(30), 4)
        hard = random.random(120) < 0.3
        # Hard questions vary more between epochs, and have more of them.
        truth = 0.1 * random.normal(size=30)[cluster] + 0.2 * random.normal(size=120)
        n = np.where(hard, 12, 2)
        scores = [
            value + (0.4 if is_hard else 0.1) * random.normal(size=k)
            for value, is_hard, k in zip(truth, hard, n, strict=True)
        ]
        mean = [values.mean() for values in scores]
        squares = [((values - values.mean()) ** 2).sum() for values in scores]
        found.append(statistics.nested_anova(n, mean, squares, cluster))
    expected = (0.01, 0.04, 0.3 * 0.16 + 0.7 * 0.01)
    assert np.mean(found, axis=0) == pytest.approx(expected, rel=0.08)
