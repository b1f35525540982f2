"""Arguments of every kind of function: numbers of numpy are numbers, and what is wrong reads alike."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import polars as pl
import pytest

import anls_frame as af
from anls_frame import gec, plot

FRAME = pl.DataFrame(
    {
        "p": ["a", "b"] * 3,
        "q": ["a", "c"] * 3,
        "t": ["a", "c"] * 3,
        "cer": [0.0, 0.5, 1.0] * 2,
        "k": ["x"] * 6,
    }
)
TEXTS = (FRAME, "p", "t")
COUNTS = pl.DataFrame({"counts": [[{"annotator": 0, "tp": 3, "fp": 1, "fn": 2, "proposed": 4, "gold": 5}]]})


def compared() -> af.Comparison:
    return af.compare(FRAME, {"old": "p", "new": "q"}, "t")


def pilot() -> af.Comparison:
    return af.compare(pl.concat([FRAME] * 20), {"old": "p", "new": "q"}, "t")


INTEGERS: dict[str, Callable[[Any], Any]] = {
    "worst": lambda value: af.summarize(*TEXTS, worst=value).report_sums.worst_rows,
    "n": lambda value: (
        af.worst(*TEXTS, n=value).height + af.changes(FRAME, {"old": "p", "new": "q"}, "t", n=value).height
    ),
    "depth": lambda value: af.find_slices(FRAME, "p", "t", depth=value).n_slices,
    "max_length": lambda value: af.confusions(*TEXTS, max_length=value),
    "substitution_cost": lambda value: FRAME.select(af.nls("p", "t", substitution_cost=value)),
    "draws": lambda value: af.compare(FRAME, {"old": "p", "new": "q"}, "t", draws=value).overall,
    "seed": lambda value: af.compare(FRAME, {"old": "p", "new": "q"}, "t", seed=value).overall,
    "context": lambda value: af.pairs.alignment("a" * 99 + "b", "a" * 99).to_text(context=value),
    "max_groups": lambda value: len(
        plot.group_scores(af.report(*TEXTS, by="k"), max_groups=value).get_yticks()
    ),
    "max_unchanged": lambda value: str(gec.m2("p", "q", "t", max_unchanged=value).meta.root_names()),
}
REALS: dict[str, Callable[[Any], Any]] = {
    "threshold": lambda value: FRAME.select(af.anls("p", "t", threshold=value)),
    "min_nls": lambda value: af.confusions(*TEXTS, min_nls=value),
    "confidence": lambda value: af.report(*TEXTS, confidence=value).overall,
    "holdout": lambda value: (
        af.find_slices(FRAME, "p", "t", search=af.SliceSearch(min_rows=1, holdout=value)).table
    ),
    "alpha": lambda value: compared().regressed(alpha=value),
    "drop": lambda value: compared().regressed(drop=value),
    "within": lambda value: str(compared().decide(within=value)),
    "effect": lambda value: pilot().sample_size(value),
    "power": lambda value: compared().detectable_difference(power=value),
    "upper": lambda value: len(plot.cer_distribution(FRAME, upper=value).patches),
    "beta": lambda value: COUNTS.select(gec.m2_corpus("counts", beta=value)),
}


def same(one: Any, other: Any) -> bool:
    return bool(one.equals(other)) if isinstance(one, pl.DataFrame) else bool(one == other)


BOUNDS = r"in [\[(]0, 1[\])]|of at least 0|above 0"


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("kind", [np.int8, np.uint32, np.int64])
def test_integers_of_numpy_are_integers(name: str, kind: type) -> None:
    assert same(INTEGERS[name](kind(2)), INTEGERS[name](2))


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, Fraction])
def test_numbers_of_numpy_are_numbers(name: str, kind: type) -> None:
    assert same(REALS[name](kind(0.5)), REALS[name](0.5))


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [1.0, "2", None, True, np.float64(2), np.True_, [1]], ids=repr)
def test_what_is_no_integer_is_refused_by_name(name: str, value: Any) -> None:
    if name in {"context", "n"} and value is None:
        return
    with pytest.raises(
        TypeError, match=rf"^{name} must be an integer (from \d+ to \d|of at least \d).*, got "
    ):
        INTEGERS[name](value)
    with pytest.raises(ValueError, match=rf"^{name} must be an integer"):
        INTEGERS[name](value)


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("value", ["0.5", True, np.True_, Decimal("0.5"), 1j, [0.5]], ids=repr)
def test_what_is_no_number_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(TypeError, match=rf"^{name} must be a number ({BOUNDS}), got "):
        REALS[name](value)
    with pytest.raises(ValueError, match=rf"^{name} must be a number"):
        REALS[name](value)


@pytest.mark.parametrize("name", REALS)
@pytest.mark.parametrize("value", [-1, -0.001, float("nan"), np.float32("nan"), float("inf"), 10**400])
def test_a_number_outside_its_bounds_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=rf"^{name} must be a number ({BOUNDS}), got "):
        REALS[name](value)


@pytest.mark.parametrize("name", INTEGERS)
@pytest.mark.parametrize("value", [-1, np.int64(-1), -(10**30)])
def test_an_integer_below_its_bounds_is_refused_by_name(name: str, value: Any) -> None:
    with pytest.raises(
        ValueError, match=rf"^{name} must be an integer (from \d+ to \d|of at least \d).*, got "
    ):
        INTEGERS[name](value)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda value: af.ScoreProtocol(cut=value), "cut must be one of 'distance', 'similarity', got 'x'"),
        (lambda value: af.report(*TEXTS, missing=value), "missing must be one of 'empty', 'drop', got 'x'"),
        (
            lambda value: gec.errant("p", "q", mode=value),
            "mode must be one of 'cs', 'cse', 'ds', 'dt', got 'x'",
        ),
        (
            lambda value: af.ANLS(reduction=value),
            "reduction must be one of 'mean', 'sum', 'none', None, got 'x'",
        ),
    ],
)
def test_what_is_none_of_the_choices_is_refused_with_them(call: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(ValueError, match="must be one of") as caught:
        call("x")
    assert str(caught.value) == message
    with pytest.raises(ValueError, match=r"must be one of .*, got 3"):
        call(3)
