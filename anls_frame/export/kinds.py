"""Kinds of columns, which decide how formats show them."""

from __future__ import annotations

from typing import Literal, TypeAlias

Kind: TypeAlias = Literal[
    "key",
    "count",
    "rank",
    "score",
    "rate",
    "percent",
    "share",
    "difference",
    "points",
    "p_value",
    "number",
    "text",
    "note",
    "link",
]
"""
What a column holds, which decides how formats show it: keys of a group, counts, ranks (with the range that is
open), scores and rates (three decimals), the same in per cent (one decimal), shares (whole per cents),
differences (three decimals and a sign), the same in percentage points, p-values (three decimals), other
numbers (four significant digits), text, notes, and addresses of the web.
"""


def shown_as(kind: Kind | None, *, percent: bool) -> Kind:
    """
    Return the kind in which figures are shown, by default as numbers.

    In per cent, scores and rates are percentages, and their differences are percentage points.
    """
    given: Kind = kind or "number"
    kinds_in_percent: dict[Kind, Kind] = {"score": "percent", "rate": "percent", "difference": "points"}
    return kinds_in_percent.get(given, given) if percent else given


def difference_kind(kind: Kind) -> Kind:
    """Return the kind of differences between figures of a kind."""
    return "points" if kind == "percent" else "difference"
