"""Columns that slice a report: every dtype, with values that are easily taken for each other."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import polars as pl

NAN = float("nan")
DAY, OTHER_DAY = dt.date(2026, 2, 28), dt.date(2026, 3, 1)
NOON = dt.datetime(2026, 2, 28, 12)  # noqa: DTZ001 - the dtype without a zone
TEXTS: dict[str, Any] = {"p": ["a", "x", "a", "x", None, "a"], "a": ["a", "a", "a", "a", "a", None]}

KEYS = {
    "integers": pl.Series([1, 1, 2, None, 2, None]),
    "small integers": pl.Series([1, 1, 2, None, 2, None], dtype=pl.Int8),
    "large integers": pl.Series([2**63, 2**64 - 1, 2**63, None, 0, 0], dtype=pl.UInt64),
    "huge integers": pl.Series([2**100, 2**100, -1, None, -1, 0], dtype=pl.Int128),
    "floats": pl.Series([0.0, -0.0, NAN, NAN, None, 1.5]),
    "single floats": pl.Series([0.0, -0.0, NAN, -NAN, None, 1.5], dtype=pl.Float32),
    "booleans": pl.Series([True, False, None, True, False, None]),
    "texts": pl.Series(["a", "A", "", None, "a", " a"]),
    "dates": pl.Series([DAY, DAY, None, OTHER_DAY, DAY, None]),
    "datetimes": pl.Series([NOON, NOON, None, None, NOON, None]),
    "datetimes of a zone": pl.Series([NOON, NOON, None, None, NOON, None]).dt.replace_time_zone("Asia/Tokyo"),
    "times": pl.Series([dt.time(1), dt.time(2), None, dt.time(1), None, None]),
    "durations": pl.Series([dt.timedelta(1), dt.timedelta(2), None, dt.timedelta(1), None, None]),
    "decimals": pl.Series([Decimal("1.10"), Decimal("1.1"), None, Decimal(2), None, None]),
    "bytes": pl.Series([b"a", b"\xff", None, b"a", b"", None]),
    "categories": pl.Series(["b", "a", "b", None, "z", None], dtype=pl.Categorical),
    "enumeration": pl.Series(["b", "a", "b", None, "z", None], dtype=pl.Enum(["z", "b", "a", "unused"])),
    "nulls": pl.Series([None] * 6),
    "structs": pl.Series([{"x": 1, "y": "a"}, {"x": 1, "y": "a"}, {"x": 1, "y": None}, None, None, None]),
    "structs of floats": pl.Series([{"x": 0.0}, {"x": -0.0}, {"x": NAN}, {"x": NAN}, None, {"x": None}]),
    "structs of lists": pl.Series([{"x": [1]}, {"x": [1]}, {"x": []}, {"x": None}, {"x": []}, {"x": [2]}]),
    "lists of texts": pl.Series([["a", "b"], ["b", "a", "b"], [], None, [None], [None, "a"]]),
    "lists of integers": pl.Series([[1, 2], [2, 1], [], None, [None], [3]]),
    "lists of floats": pl.Series([[0.0, -0.0], [-0.0], [NAN, NAN], [NAN, 0.0], None, [1.0, None]]),
    "lists of booleans": pl.Series([[True, False], [False, True], [], None, [None], [True, True]]),
    "lists of categories": pl.Series(
        [["b", "a"], ["a", "b"], [], None, [None], ["a"]], dtype=pl.List(pl.Categorical)
    ),
    "lists of an enumeration": pl.Series(
        [["b", "a"], ["a", "b"], [], None, [None], ["a"]], dtype=pl.List(pl.Enum(["b", "a"]))
    ),
    "lists of dates": pl.Series([[DAY, OTHER_DAY], [DAY, DAY], None, [OTHER_DAY], [], [None]]),
    "lists of structs": pl.Series([[{"x": 1}, {"x": 1}], [{"x": 1}], [], None, [None], [{"x": 2}]]),
    "lists of nulls": pl.Series([[], [None], [None, None], None, [], []]),
    "empty lists": pl.Series([[], [], [], [], [], []]),
    "arrays": pl.Series(
        [["a", "b"], ["b", "a"], ["a", "a"], None, [None, None], ["a", None]], dtype=pl.Array(pl.String, 2)
    ),
    "arrays of categories": pl.Series(
        [["a", "b"], ["b", "a"], ["a", "a"], None, [None, None], ["a", None]], dtype=pl.Array(pl.String, 2)
    ).cast(pl.Array(pl.Categorical, 2)),
    "empty arrays": pl.Series([[], [], None, [], [], []], dtype=pl.Array(pl.String, 0)),
}  # fmt: skip
