"""What holds for any column and rows: conditions select the rows of their codes, statistics have no unit."""

from __future__ import annotations

import datetime as dt
import math
from typing import Any

import numpy as np
import polars as pl
import polars.selectors as cs
import pytest
import slices_cases
from hypothesis import given, settings
from hypothesis import strategies as st

from anls_frame import SliceSearch
from anls_frame.slices.columns import coded
from anls_frame.slices.slice_scores import ordered_sum
from anls_frame.statistics.codes import Codes
from anls_frame.statistics.dealt import block_of
from anls_frame.statistics.losses import Least, Losses

TEXTS = st.sampled_from(["", "a", "A", "missing", "null", "^a$", "ä", "a b", "\x00"])
NUMBERS = st.integers(-40, 40)
KINDS: dict[str, tuple[Any, Any]] = {
    "text": (TEXTS, pl.String),
    "category": (TEXTS, pl.Categorical),
    "enum": (st.sampled_from("xyz"), pl.Enum(list("xyz"))),
    "flag": (st.booleans(), pl.Boolean),
    "integer": (NUMBERS, pl.Int16),
    "float": (st.floats(allow_nan=True, width=32), pl.Float32),
    "date": (st.dates(dt.date(2020, 1, 1), dt.date(2021, 1, 1)), pl.Date),
    "time": (st.datetimes(dt.datetime(2020, 1, 1), dt.datetime(2021, 1, 1)), pl.Datetime("us")),  # noqa: DTZ001
    "span": (st.timedeltas(dt.timedelta(0), dt.timedelta(9)), pl.Duration("us")),
    "list": (st.lists(st.none() | TEXTS, max_size=3), pl.List(pl.String)),
    "numbers": (st.lists(st.none() | NUMBERS, max_size=3), pl.List(pl.Int64)),
    "categories": (st.lists(st.none() | TEXTS, max_size=3), pl.List(pl.Categorical)),
    "array": (st.lists(st.none() | TEXTS, min_size=2, max_size=2), pl.Array(pl.String, 2)),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=15, deadline=None)
@given(data=st.data(), bins=st.integers(2, 6), name=st.sampled_from(["k", "^k.*$", "*", "a b"]))
def test_conditions_select_the_rows_of_their_codes(kind: str, data: Any, bins: int, name: str) -> None:
    values, dtype = KINDS[kind]
    column = pl.Series("value", data.draw(st.lists(st.none() | values, min_size=1, max_size=40)), dtype=dtype)
    frame = pl.DataFrame({name: column, "k0": [0] * len(column)})
    columns, left_out = coded(frame, [name], SliceSearch(bins=bins))
    if left_out:
        assert left_out == {name: "all its values are equal"}
        assert column.fill_nan(None).n_unique() == 1 if column.dtype.is_float() else column.n_unique() == 1
        return
    (found,) = columns
    chosen = frame.select(
        condition.expression(cs.by_name(name).as_expr(), column.dtype).alias(str(place))
        for place, condition in enumerate(found.conditions)
    )
    assert chosen.null_count().row(0) == (0,) * chosen.width
    for place in range(chosen.width):
        assert chosen[str(place)].to_list() == found.codes.mask(place, frame.height).tolist()
    # Every row has a condition, and without lists only one of them.
    counts = chosen.select(pl.sum_horizontal(pl.all().cast(pl.Int64))).to_series()
    assert counts.min() >= 1
    assert found.codes.rows is not None or counts.max() == 1
    assert len(set(map(str, found.conditions))) == len(found.conditions)


def test_bins_have_about_as_many_rows_each_and_bounds_that_are_values() -> None:
    values = pl.Series("x", np.random.default_rng(0).normal(size=1000))
    (found,), _ = coded(values.to_frame(), ["x"], slices_cases.SEARCH)
    counts = np.bincount(found.codes.codes)
    assert counts.tolist() == [250] * 4
    bounds = [condition.high for condition in found.conditions[:-1]]
    assert bounds == values.sort().gather([249, 499, 749]).to_list()
    assert [condition.low for condition in found.conditions] == [None, *bounds]


@settings(max_examples=25, deadline=None)
@given(
    seed=st.integers(0, 10_000), factor=st.sampled_from([0.001, 3.0, 1e6]), added=st.sampled_from([-2, 0, 50])
)
def test_statistics_do_not_depend_on_the_unit_of_scores_or_the_names_of_documents(
    seed: int, factor: float, added: float
) -> None:
    random = np.random.default_rng(seed)
    n = int(random.integers(10, 80))
    x, y, document = random.normal(size=n), random.integers(1, 5, n).astype(float), random.integers(0, 9, n)
    mask = random.random(n) < 0.4

    def values(x: Any, document: Any) -> dict[int, float]:
        losses = Losses.of(np.arange(n), x, y, document, np.zeros(n))
        block = block_of(Codes((~mask)[losses.line] * 1, 2), np.arange(2), losses, Least(1, 1))
        return dict(zip(block.names.tolist(), block.statistic.tolist(), strict=True))

    expected = values(x, document)
    assert values(factor * x + added * y, document) == pytest.approx(expected, abs=1e-6)
    assert values(x, 100 - 7 * document) == pytest.approx(expected, abs=1e-9)
    # What makes a slice worse makes the rest better.
    assert expected.keys() in ({0, 1}, set())
    assert sum(expected.values()) == pytest.approx(0, abs=1e-9)


@given(st.lists(st.floats(-1e200, 1e200)), st.randoms())
def test_sums_do_not_depend_on_the_order_of_rows(values: list[float], random: Any) -> None:
    found = ordered_sum(np.array(values, float))
    assert found == pytest.approx(math.fsum(values), rel=1e-12, abs=1e-12 * math.fsum(map(abs, values)))
    random.shuffle(values)
    assert ordered_sum(np.array(values, float)) == found
