"""Corpus rates of two systems against plain loops over all swaps, and against reports."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import max_t_oracle
import oracle
import polars as pl
import pytest
import report_oracle
from hypothesis import given
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.reports.comparisons import compare

pytestmark = pytest.mark.usefixtures("each_default_engine")

SYSTEMS = {"old": "first", "new": "second"}
SCHEMA: dict[str, Any] = {
    "first": pl.String,
    "second": pl.String,
    "answers": pl.List(pl.String),
    "types": pl.List(pl.String),
    "doc": pl.Int64,
}
ROW = st.fixed_dictionaries(
    {
        "first": st.none() | report_oracle.TEXT,
        "second": st.none() | report_oracle.TEXT,
        "answers": report_oracle.ANSWERS,
        "types": report_oracle.KEYS,
        "doc": st.none() | st.integers(0, 3),
    }
)
Part = tuple[Fraction, Fraction, Fraction, Fraction]
"""Errors and length of the first system, errors and length of the second."""


def parts_of(rows: list[dict[str, Any]], cluster: str | None) -> list[tuple[set[Any], Any, Part]]:
    protocol, raw = af.PROTOCOLS["anls"], af.PROTOCOLS["raw"]
    parts = []
    for index, row in enumerate(rows):
        scores = [
            oracle.score(row[name] or "", row["answers"], protocol, 0.5, raw) for name in ("first", "second")
        ]
        if scores[0] is None or scores[1] is None:
            continue
        numbers = (Fraction(int(one[name])) for one in scores for name in ("char_errors", "reference_length"))  # type: ignore[index, literal-required]
        unit = index if cluster is None else row[cluster]
        parts.append((report_oracle.entries(row["types"]), unit, tuple(numbers)))
    return parts  # type: ignore[return-value] # four numbers each


def added(parts: Sequence[Part]) -> Part:
    return tuple(sum(column, Fraction(0)) for column in zip(*parts, strict=True))  # type: ignore[return-value]


def difference(parts: Sequence[Part]) -> Fraction | None:
    errors_1, length_1, errors_2, length_2 = added(parts)
    return errors_2 / length_2 - errors_1 / length_1 if length_1 and length_2 else None


def swapped(parts: Sequence[Part], signs: Sequence[int]) -> list[Part]:
    return [part if sign > 0 else (*part[2:], *part[:2]) for part, sign in zip(parts, signs, strict=True)]


def statistic(parts: Sequence[Part], signs: Sequence[int]) -> Any:
    """Return T²: the difference of the rates, squared, by its size to first order, which no swap changes."""
    drawn = difference(swapped(parts, signs))
    if drawn is None:
        return math.inf
    errors_1, length_1, errors_2, length_2 = added(parts)
    errors, length = errors_1 + errors_2, length_1 + length_2
    residuals = [(e_2 - e_1) - errors / length * (l_2 - l_1) for e_1, l_1, e_2, l_2 in parts]
    scale = 4 * sum((z * z for z in residuals), Fraction(0)) / length**2
    return drawn**2 / scale if scale else drawn**2 * length**2 / 4


@report_oracle.FEWER
@given(rows=st.lists(ROW, max_size=9), cluster=st.sampled_from([None, "doc"]))
def test_corpus_rates_are_those_of_plain_loops(rows: list[dict[str, Any]], cluster: str | None) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    made = compare(frame, SYSTEMS, "answers", by="types", cluster=cluster, metrics="cer_corpus")
    units: dict[Hashable, dict[Hashable, list[Part]]] = {}
    slices: dict[Hashable, list[Part]] = {}
    for keys, unit, part in parts_of(rows, cluster):
        for key in keys:
            units.setdefault(unit, {}).setdefault(key, []).append(part)
            slices.setdefault(key, []).append(part)
    assert set(made.by_group["types"]) == slices.keys()
    nothing: Part = (Fraction(0),) * 4
    table = {
        key: [added(of_unit[key]) if key in of_unit else nothing for of_unit in units.values()]
        for key in slices
    }
    tested = [
        key
        for key, parts in slices.items()
        if difference(parts) is not None and sum(key in of_unit for of_unit in units.values()) > 1
    ]
    vectors = list(itertools.product((1, -1), repeat=len(units)))
    drawn = {key: [statistic(table[key], signs) for signs in vectors] for key in tested}
    observed = {key: statistic(table[key], [1] * len(units)) for key in tested}
    columns = [drawn[key] for key in tested]
    adjusted = dict(
        zip(
            tested,
            max_t_oracle.stepped_down(list(observed.values()), list(zip(*columns, strict=True))),
            strict=True,
        )
    )
    for row in made.by_group.iter_rows(named=True):
        key = row["types"]
        expected = difference(slices[key])
        assert row["difference"] == (None if expected is None else pytest.approx(float(expected)))
        if key in tested:
            share = sum(t >= observed[key] for t in drawn[key]) / len(vectors)
            assert (row["p_value"], row["p_adjusted"]) == (share, float(adjusted[key]))
        else:
            assert (row["p_value"], row["p_adjusted"]) == (None, None)


@report_oracle.FEWER
@given(rows=st.lists(ROW, min_size=4, max_size=12))
def test_interval_of_rates_is_the_linearised_one(rows: list[dict[str, Any]]) -> None:
    frame = pl.DataFrame(rows, schema=SCHEMA)
    made = compare(frame, SYSTEMS, "answers", cluster="doc", metrics="cer_corpus").overall.row(0, named=True)
    clusters: dict[Any, list[Part]] = {}
    for _, unit, part in parts_of(rows, "doc"):
        clusters.setdefault(unit, []).append(part)
    sums = [tuple(map(float, added(parts))) for parts in clusters.values()]
    e_1, l_1, e_2, l_2 = map(sum, zip(*sums, strict=True)) if sums else (0, 0, 0, 0)
    both = [unit[1] + unit[3] for unit in sums]
    units = sum(both) ** 2 / sum(x * x for x in both) if sum(both) else 0.0
    if not l_1 or not l_2 or units < 2:
        assert (made["difference_low"], made["difference_high"]) == (None, None)
        return
    apart = [(b - e_2 / l_2 * m) / l_2 - (a - e_1 / l_1 * k) / l_1 for a, k, b, m in sums]
    apart = [0.0 if abs(one) < 1e-15 else one for one in apart]
    changes = [b / l_2 - a / l_1 for a, _, b, _ in sums]
    expected = report_oracle.of_difference(list(zip(changes, apart, strict=True)), units, 0.95, 1.0)
    found = (made["difference_low"], made["difference_high"])
    assert found == pytest.approx(expected, rel=1e-6, abs=1e-9)


def test_one_blank_page_does_not_decide() -> None:
    # Twenty pages of 1,000 letters, and one without text that one system reads 36 specks on.
    page = "abcdefghij" * 100
    better = page[:-50] + "x" * 50
    worse = page[:-200] + "x" * 200
    frame = pl.DataFrame(
        {"old": [worse] * 20 + [""], "new": [better] * 20 + ["." * 36], "t": [page] * 20 + [""]}
    )
    mean = compare(frame, {"old": "old", "new": "new"}, "t", metrics="cer_mean")
    corpus = compare(frame, {"old": "old", "new": "new"}, "t", metrics="cer_corpus")
    assert mean.overall["difference"].item() > 1
    assert corpus.overall["difference"].item() == pytest.approx((20 * 50 + 36) / 20_000 - 0.2)
    assert corpus.overall["p_value"].item() < 0.01
    for made in (mean, corpus):
        note = "The reference of 1 of 21 rows has no text: all text predicted there counts as errors."
        assert note in repr(made).splitlines()
    assert repr(mean).splitlines()[0].endswith("CER (mean)")
    assert repr(corpus).splitlines()[0].endswith("CER (corpus)")
    assert any(line.startswith("CER (mean) is a mean over rows") for line in repr(mean).splitlines())
    assert corpus.plot().get_xlabel() == "CER (corpus), lower is better"
    assert not corpus.regressed()
    assert compare(frame, {"old": "new", "new": "old"}, "t", metrics="cer_corpus").regressed()


def test_rates_without_any_length_are_null() -> None:
    frame = pl.DataFrame({"a": ["", "x"], "b": ["x", ""], "t": ["", ""]})
    made = compare(frame, {"a": "a", "b": "b"}, "t", metrics="cer_corpus").overall.row(0, named=True)
    assert [
        made[name] for name in ("baseline_score", "score", "difference", "difference_low", "p_value")
    ] == [None] * 5
    assert (made["n"], made["wins"], made["losses"]) == (2, 1, 1)
    assert compare(frame.clear(), {"a": "a", "b": "b"}, "t", metrics="cer_corpus").overall["n"].item() == 0
