"""What the metric objects take in: texts, lists and columns of every library; what they refuse, and how."""

from __future__ import annotations

import copy
from collections import UserList
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import anls_frame as af
from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

METRICS: dict[str, Any] = {
    "nls": NormalizedLevenshteinSimilarity,
    "anls": ANLS,
    "cer": CharErrorRate,
}
EACH_METRIC = pytest.mark.parametrize("make", METRICS.values(), ids=METRICS)

PREDICTIONS = ["CocaCola", "rain", "", "Paris"]
ANSWERS = [["Coca Cola", "Coca Cola Company"], ["shine"], ["", "x"], ["paris", "Paris"]]
FIRST = [answers[0] for answers in ANSWERS]


def kind_of(value: object) -> str:
    """Return what stands in a test's name: what is printed of some objects differs between processes."""
    return type(value).__name__


class ArrowStream:
    """An object that has the Arrow PyCapsule interface of a column and nothing else."""

    def __init__(self, values: pa.ChunkedArray) -> None:
        self.values = values

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self.values.__arrow_c_stream__(requested_schema)


class ArrowArray:
    """The same with the interface of one array."""

    def __init__(self, values: pa.Array) -> None:
        self.values = values

    def __arrow_c_array__(self, requested_schema: object = None) -> object:
        return self.values.__arrow_c_array__(requested_schema)


class ArrayLike:
    """What has the texts and the dtype of an array, and none of its other attributes."""

    dtype = object

    def __init__(self, values: list[str]) -> None:
        self.values = values

    def tolist(self) -> list[str]:
        return self.values


TEXT_KINDS: dict[str, Any] = {
    "list": list,
    "tuple": tuple,
    "sequence": UserList,
    "polars": pl.Series,
    "polars categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars enum": lambda values: pl.Series(values, dtype=pl.Enum(sorted(set(values)))),
    "pandas": pd.Series,
    "pandas objects": lambda values: pd.Series(values, dtype=object),
    "pandas arrow": lambda values: pd.Series(values, dtype="string[pyarrow]"),
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas index": pd.Index,
    "numpy": np.array,
    "numpy objects": lambda values: np.array(values, dtype=object),
    "array-like": lambda values: ArrayLike(list(values)),
    "arrow": pa.array,
    "arrow views": lambda values: pa.array(values, type=pa.string_view()),
    "arrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "arrow chunks": lambda values: pa.chunked_array([values[:1], values[1:]]),
    "arrow stream": lambda values: ArrowStream(pa.chunked_array([values])),
    "arrow interface": lambda values: ArrowArray(pa.array(values)),
}
LIST_KINDS: dict[str, Any] = {
    "lists": list,
    "tuples": lambda values: tuple(tuple(value) for value in values),
    "arrays": lambda values: [np.array(value) for value in values],
    "series": lambda values: [pl.Series(value) for value in values],
    "polars": lambda values: pl.Series(values, dtype=pl.List(pl.String)),
    "pandas": pd.Series,
    "numpy objects": lambda values: np.array([*values, None], dtype=object)[:-1],
    "arrow": pa.array,
    "arrow chunks": lambda values: pa.chunked_array([values[:3], values[3:]]),
    "arrow stream": lambda values: ArrowStream(pa.chunked_array([values])),
}


@EACH_METRIC
@pytest.mark.parametrize("predictions", TEXT_KINDS)
def test_texts_of_every_kind(make: Any, predictions: str) -> None:
    expected = make(reduction=None)(PREDICTIONS, FIRST).tolist()
    for answers, kind in TEXT_KINDS.items():
        found = make(reduction=None)(TEXT_KINDS[predictions](PREDICTIONS), kind(FIRST))
        assert found.tolist() == expected, answers


@EACH_METRIC
def test_series_with_different_indexes_are_no_pairs(make: Any) -> None:
    """As in `anls` of two Series; the advice gives the figures of the pairs by label or by position."""
    first, second = pd.Series(["a", "b"], index=[0, 1]), pd.Series(["b", "a"], index=[1, 0])
    metric = make(reduction=None)
    with pytest.raises(ValueError, match="predictions and answers must have the same index; align"):
        metric.update(first, second)
    assert metric.n == 0
    assert metric(*first.align(second)).tolist() == metric(["a", "b"], ["a", "b"]).tolist()
    assert metric(first, second.set_axis(first.index)).tolist() == metric(["a", "b"], ["b", "a"]).tolist()
    assert metric(first, second.tolist()).tolist() == metric(["a", "b"], ["b", "a"]).tolist()
    assert metric(first.set_axis([7, 7]), second.set_axis([7, 7])).tolist() == metric("b", "a").tolist() * 2


@EACH_METRIC
@pytest.mark.parametrize("predictions", ["list", "polars", "pandas", "numpy", "arrow"])
def test_lists_of_answers_of_every_kind(make: Any, predictions: str) -> None:
    expected = make(reduction=None)(PREDICTIONS, ANSWERS).tolist()
    for answers, kind in LIST_KINDS.items():
        found = make(reduction=None)(TEXT_KINDS[predictions](PREDICTIONS), kind(ANSWERS))
        assert found.tolist() == expected, answers


@EACH_METRIC
def test_arrays_of_two_dimensions_hold_the_answers_of_a_prediction_in_a_row(make: Any) -> None:
    table = [["a", "b"], ["c", "d"]]
    expected = make(reduction=None)(["a", "dd"], table).tolist()
    for kind in (np.array(table), pl.Series(table, dtype=pl.Array(pl.String, 2))):
        assert make(reduction=None)(["a", "dd"], kind).tolist() == expected


@EACH_METRIC
@pytest.mark.parametrize(
    "answers", ["Coca Cola", ["Coca Cola"], np.array(["Coca Cola"]), ("x", None, "Coca Cola")]
)
def test_one_text_has_one_answer_or_a_list_of_them(make: Any, answers: Any) -> None:
    assert make()("CocaCola", answers) == make()(["CocaCola"], [["Coca Cola"]])


def test_texts_and_lists_of_answers_may_stand_side_by_side() -> None:
    assert ANLS()(["a", "b"], ["a", ["x", "b"]]) == 1.0
    assert ANLS()(["a"], "a") == 1.0
    assert ANLS()(pl.Series(["a", "b"]), ["a", ["x", "b"]]) == 1.0


MISSING: dict[str, Any] = {
    "list": ["a", None, None],
    "polars": pl.Series(["a", None, None]),
    "polars categorical": pl.Series(["a", None, None], dtype=pl.Categorical),
    "pandas": pd.Series(["a", None, float("nan")]),
    "pandas objects": pd.Series(["a", pd.NA, float("nan")], dtype=object),
    "numpy": np.array(["a", None, float("nan")], dtype=object),
    "arrow": pa.array(["a", None, None]),
}


@EACH_METRIC
@pytest.mark.parametrize("kind", MISSING)
def test_a_missing_prediction_counts_as_the_empty_text(make: Any, kind: str) -> None:
    answers: Any = [["a"], ["bc"], [None, "", "x"]]
    metric = make(reduction=None)
    found = metric(MISSING[kind], answers)

    assert found.tolist() == make(reduction=None)(["a", "", ""], answers).tolist()
    assert (metric.n, metric.n_missing) == (3, 2)


@EACH_METRIC
@pytest.mark.parametrize(
    "answers",
    [
        ["a", None, "c"],
        ["a", [], "c"],
        [["a"], [None], ["c"]],
        np.array(["a", float("nan"), "c"], dtype=object),
        pl.Series(["a", None, "c"]),
        pl.Series([["a"], [], ["c"]]),
        pd.Series(["a", None, "c"]),
        pa.array([["a"], None, ["c"]]),
    ],
    ids=kind_of,
)
@pytest.mark.parametrize(
    "predictions", [["a", "b", "c"], ["a", None, "c"], pl.Series(["a", "b", None])], ids=kind_of
)
def test_a_pair_without_an_answer_is_an_error_with_its_index(
    make: Any, predictions: Any, answers: Any
) -> None:
    with pytest.raises(ValueError, match=r"^answers\[1\] must have at least one answer"):
        make().update(predictions, answers)


@EACH_METRIC
@pytest.mark.parametrize(
    ("predictions", "answers", "numbers"),
    [
        (["a"], ["a", "b"], (1, 2)),
        (["a", "b"], ["a"], (2, 1)),
        (["a", "b"], "ab", (2, 1)),
        ([], ["a"], (0, 1)),
        (pl.Series(["a", "b", "c"]), pa.array(["a"]), (3, 1)),
        (np.array(["a"]), pd.Series(["a", "b"]), (1, 2)),
    ],
    ids=kind_of,
)
def test_lengths_that_differ_are_an_error_with_both(
    make: Any, predictions: Any, answers: Any, numbers: tuple[int, int]
) -> None:
    # torchmetrics' character error rate cuts off what is longer, without a word.
    with pytest.raises(ValueError, match=f"^there are {numbers[0]} predictions and {numbers[1]} answers"):
        make().update(predictions, answers)


@EACH_METRIC
@pytest.mark.parametrize(
    ("predictions", "answers", "place"),
    [
        (["a", 3], ["a", "b"], r"predictions\[1\].*3 of type int"),
        ([["a"]], ["a"], r"predictions\[0\].*of type list"),
        (["a", "b"], ["a", 3], r"answers\[1\].*3 of type int"),
        (["a", "b"], ["a", ["b", 4.5]], r"answers\[1\].*4.5 of type float"),
        (None, "a", "predictions and preds=; it is missing"),
        (["a"], b"a", "answers must be a string, a list.* got bytes"),
        ({"a"}, ["a"], "predictions must be a string, a list.* got set"),
        (iter(["a"]), ["a"], "predictions must be a string, a list.* got list_iterator"),
        (["a"], pl.col("a"), "answers must be a string, a list.* got Expr"),
        (np.array([1.5]), ["a"], r"predictions\[0\].*1.5 of type float"),
        (pl.Series([1, 2]), ["a", "b"], r"predictions\[0\].*1 of type int"),
        (["a", "b"], pl.Series([1.5, 2.5]), r"answers\[0\].*1.5 of type float"),
        (pd.Series([1, 2]), ["a", "b"], "'predictions'"),
        (["a", "b"], pd.Series(["a", {"b"}]), "'answers', row 1"),
        (
            pa.array([1]),
            ["a"],
            "'predictions' has dtype Int64 and must hold strings or lists of strings, but row 0",
        ),
        (
            pl.DataFrame({"a": ["a"]}),
            ["a"],
            r"'predictions' has dtype Struct.* and must hold strings or lists of strings, but row 0",
        ),
    ],
    ids=kind_of,
)
def test_what_is_no_text_is_an_error_with_its_place(
    make: Any, predictions: Any, answers: Any, place: str
) -> None:
    metric = make()
    with pytest.raises(TypeError, match=place):
        metric.update(predictions, answers)
    assert metric.n == 0


@EACH_METRIC
def test_text_that_is_not_unicode_is_an_error_with_its_place(make: Any) -> None:
    with pytest.raises(ValueError, match=r"^predictions\[1\].*ud800.*surrogate pair"):
        make().update(["a", "\ud800"], ["a", "b"])
    with pytest.raises(ValueError, match=r"^answers\[1\].*surrogate pair"):
        make().update(pl.Series(["a", "b"]), ["a", ["b", "x\udfff"]])


def test_wrong_options_are_errors() -> None:
    with pytest.raises(ValueError, match="substitution_cost"):
        NormalizedLevenshteinSimilarity(-1)
    with pytest.raises(TypeError, match="substitution_cost"):
        NormalizedLevenshteinSimilarity(1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="'corpus'"):
        CharErrorRate(reduction="micro")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="needs a threshold"):
        ANLS(protocol="raw")
    with pytest.raises(ValueError, match="threshold"):
        ANLS(threshold=1.5)
    with pytest.raises(TypeError, match="threshold"):
        ANLS(threshold=True)
    assert ANLS(protocol="raw", threshold=0.5)("ab", "abcd") == 0.5
    assert issubclass(af.DTypeError, TypeError)


@EACH_METRIC
def test_predictions_and_answers_may_be_named_as_torchmetrics_names_them(make: Any) -> None:
    expected = make()
    value = expected(PREDICTIONS, FIRST)

    for names in ({"preds", "target"}, {"preds", "answers"}, {"predictions", "target"}):
        batch = {"preds": PREDICTIONS, "predictions": PREDICTIONS, "target": FIRST, "answers": FIRST}
        batch = {name: batch[name] for name in names}
        called, updated = make(), make()
        assert called(**batch) == value
        updated.update(**batch)
        assert called.state() == updated.state() == expected.state()
    mixed = make()
    mixed.update(PREDICTIONS, target=FIRST)
    assert mixed.state() == expected.state()


@pytest.mark.parametrize(
    ("arguments", "keywords", "message"),
    [
        ([], {}, r"exactly one of predictions and preds=; it is missing"),
        (["a"], {}, r"exactly one of answers and target=; it is missing"),
        ([], {"target": "a"}, r"exactly one of predictions and preds=; it is missing"),
        (["a", "a"], {"preds": "a"}, r"exactly one of predictions and preds=; got both"),
        (["a"], {"answers": "a", "target": "a"}, r"exactly one of answers and target=; got both"),
    ],
)
@EACH_METRIC
def test_each_of_the_two_is_given_once(
    make: Any, arguments: list[str], keywords: dict[str, str], message: str
) -> None:
    metric = make()
    for method in (metric, metric.update):
        with pytest.raises(TypeError, match=message):
            method(*arguments, **keywords)
    assert metric.n == 0


# The keyword arguments of torchmetrics.Metric 1.0 to 1.9, with values that mean what happens here anyway.
MEANT: dict[str, list[object]] = {
    "compute_on_cpu": [True, False],
    "compute_with_cache": [True, False],
    "dist_sync_on_step": [False],
    "sync_on_compute": [False],
    "process_group": [None],
    "dist_sync_fn": [None],
    "distributed_available_fn": [None],
    "compute_on_step": [True, None],
}


@EACH_METRIC
def test_torchmetrics_options_are_taken_where_they_hold(make: Any) -> None:
    plain = make()
    plain.update(PREDICTIONS, ANSWERS)
    for name, values in MEANT.items():
        for value in values:
            metric = make(**{name: value})
            metric.update(PREDICTIONS, ANSWERS)
            assert metric.state() == plain.state()
            assert copy.deepcopy(metric).state() == plain.state()


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"dist_sync_on_step": True}, ValueError, "dist_sync_on_step must be False.*`merge`"),
        ({"process_group": object()}, ValueError, "process_group must be None.*`merge`"),
        ({"compute_on_step": False}, ValueError, "compute_on_step must be True or None, got False"),
        ({"compute_on_cpu": 1}, ValueError, "compute_on_cpu must be True or False, got 1"),
        ({"compute_with_cache": np.ones(2)}, ValueError, "compute_with_cache must be True or False"),
        ({"nan_strategy": "warn"}, TypeError, "has no argument 'nan_strategy'"),
    ],
)
@EACH_METRIC
def test_torchmetrics_options_that_do_not_hold_are_refused_by_name(
    make: Any, options: dict[str, object], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        make(**options)
