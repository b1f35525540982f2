"""The namespace `.anls` of Polars: built anew at each access, and nothing but sugar."""

from __future__ import annotations

import copy
import importlib
import pickle
import re
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from registry import NAMESPACES, ROW_EXPRESSIONS, RowExpression, namespace

import anls_frame as af
from anls_frame.namespaces import AnlsExprNamespace, AnlsFrameNamespace

FRAME = pl.DataFrame({"prediction": ["CocaCola", None], "answer": ["Coca Cola", "a"]})
OWNERS: dict[str, tuple[Callable[[], Any], type]] = {
    "DataFrame": (FRAME.clone, AnlsFrameNamespace),
    "LazyFrame": (FRAME.lazy, AnlsFrameNamespace),
    "Expr": (lambda: pl.col("prediction"), AnlsExprNamespace),
}
each_owner = pytest.mark.parametrize("owner", OWNERS)


@each_owner
def test_the_namespace_is_there(owner: str) -> None:
    make, expected = OWNERS[owner]

    assert type(namespace(make())) is expected
    assert namespace(type(make())) is expected


@each_owner
def test_the_namespace_is_not_kept_on_its_owner(owner: str) -> None:
    instance = OWNERS[owner][0]()
    before = dict(vars(instance))

    first, second = namespace(instance), namespace(instance)

    assert first is not second
    assert vars(instance) == before


def test_a_namespace_shows_what_it_offers() -> None:
    shown = {
        "a polars.DataFrame": namespace(FRAME),
        "a polars.LazyFrame": namespace(FRAME.lazy()),
        "a Polars expression": namespace(pl.col("prediction")),
        "a pandas.DataFrame": namespace(FRAME.to_pandas()),
    }

    for owner, one in shown.items():
        text = " ".join(repr(one).split())
        assert text.startswith(f".anls of {owner}: ")
        assert text.partition(": ")[2].split(", ") == sorted(NAMESPACES[type(one)])


def test_an_unknown_method_is_an_attribute_error() -> None:
    for owner, _ in OWNERS.values():
        with pytest.raises(AttributeError, match="add_score_s"):
            _ = namespace(owner()).add_score_s


@pytest.mark.parametrize("row", ROW_EXPRESSIONS, ids=lambda row: row.name)
def test_a_method_of_an_expression_builds_what_its_function_builds(row: RowExpression) -> None:
    method = getattr(namespace(pl.col("prediction")), row.name)
    built = set()

    for options in ({}, *({one.name: value} for one in row.options for value in one.valid)):
        by_method = method("answer", **options).meta.serialize()
        by_function = row.function(pl.col("prediction"), "answer", **options).meta.serialize()
        assert by_method == by_function
        built.add(by_function)

    # So that the comparison above compares something: the options are part of what is built.
    assert len(built) > len(row.options)


def test_loading_the_package_anew_warns_of_nothing() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        importlib.reload(af)

    assert pl.DataFrame({"p": ["a"], "a": ["a"]}).select(pl.col("p").anls.cer("a")).item() == 0.0  # type: ignore[attr-defined]


SCORED = pl.DataFrame({"anls": [0.25, 1.0], "lang": ["en", "de"]})
SCORED_FRAMES: dict[str, Any] = {
    "DataFrame": SCORED,
    "LazyFrame": SCORED.lazy(),
    "pandas": SCORED.to_pandas(),
}
AS_DATA: dict[str, Callable[[Any], Any]] = {
    "len": len,
    "iteration": list,
    "sum": sum,
    "item": lambda scores: scores[0],
    "membership": lambda scores: 1.0 in scores,
    "truth": bool,
    "round": lambda scores: round(scores, 2),
    "arithmetic": lambda scores: 1 - scores,
    "product": lambda scores: scores * 100,
    "numpy": lambda scores: np.array([1.0, 2.0]) + scores,
    "asarray": np.asarray,
    "mean": np.mean,
    "sign": lambda scores: -scores,
    "comparison": lambda scores: scores >= 0.5,
    "equality": lambda scores: scores == 1,
    "difference": lambda scores: scores != 1,
    "pl.Series": pl.Series,
    "pd.Series": pd.Series,
    "pl.DataFrame": lambda scores: pl.DataFrame({"x": scores}),
    "pl.DataFrame of two": lambda scores: pl.DataFrame({"x": scores, "y": [1, 2]}),
    "select": SCORED.select,
    "groupby": lambda scores: pd.DataFrame({"x": [1, 2]}).groupby(scores),
}


@pytest.mark.parametrize("use", AS_DATA.values(), ids=AS_DATA)
@pytest.mark.parametrize("kind", SCORED_FRAMES)
def test_an_accessor_that_is_used_as_data_names_the_column(kind: str, use: Callable[[Any], Any]) -> None:
    column = re.escape('pl.col("anls")' if kind == "LazyFrame" else 'df["anls"]')

    with pytest.raises(ValueError, match=rf"`df\.anls` is the accessor .* is `{column}`"):
        use(SCORED_FRAMES[kind].anls)


@pytest.mark.parametrize("name", ["mean", "round", "values", "to_list", "_s"])
@pytest.mark.parametrize("kind", SCORED_FRAMES)
def test_a_method_of_columns_names_the_column_too(kind: str, name: str) -> None:
    accessor = SCORED_FRAMES[kind].anls

    with pytest.raises(AttributeError, match=rf"no attribute '{name}'; `df\.anls` is the accessor"):
        getattr(accessor, name)

    assert not hasattr(accessor, name)
    assert name not in dir(accessor)


def test_a_row_function_of_a_polars_frame_leads_to_the_expression() -> None:
    with pytest.raises(AttributeError, match=r"`cer` is an expression, as in .*\.cer\("):
        SCORED.anls.cer("prediction", "answer")


def test_a_pandas_frame_is_not_filled_with_accessors() -> None:
    frame = SCORED_FRAMES["pandas"]
    before = frame.copy()
    error = re.escape('`df["anls"]`')

    with pytest.raises(ValueError, match=error):
        frame["x"] = frame.anls
    with pytest.raises(ValueError, match=error):
        frame.assign(x=frame.anls)
    with pytest.raises(ValueError, match=error):
        frame["anls"] - frame.anls

    assert frame.equals(before)


def test_an_accessor_is_still_an_object() -> None:
    accessor = namespace(SCORED)

    assert accessor is not None
    assert len({accessor}) == 1
    assert not hasattr(accessor, "_repr_html_")
    assert repr(copy.copy(accessor)) == repr(pickle.loads(pickle.dumps(accessor))) == repr(accessor)  # noqa: S301 - our own bytes
