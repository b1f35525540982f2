"""The state of a metric: whole after a failed update, merged with its like alone, sent between processes."""

from __future__ import annotations

import copy
import functools
import json
import pickle
from typing import Any

import polars as pl
import pytest

import anls_frame as af
from anls_frame.streaming import ANLS, CharErrorRate, NormalizedLevenshteinSimilarity

CUSTOM = af.ScoreProtocol(unicode_form="NFKC", cut="distance", threshold=0.3)
METRICS: dict[str, Any] = {
    "nls": NormalizedLevenshteinSimilarity,
    "nls none": functools.partial(NormalizedLevenshteinSimilarity, 2, None),
    "anls": ANLS,
    "anls custom": functools.partial(ANLS, protocol=CUSTOM, threshold=0.4, reduction="sum"),
    "anls none": functools.partial(ANLS, reduction="none"),
    "cer": CharErrorRate,
    "cer none": functools.partial(CharErrorRate, protocol="jiwer", reduction=None),
}
EACH_METRIC = pytest.mark.parametrize("make", METRICS.values(), ids=METRICS)


def values(metric: Any) -> Any:
    found = metric.compute()
    return found if isinstance(found, float) else found.tolist()


@EACH_METRIC
@pytest.mark.parametrize(
    "batch",
    [
        (["a", "b"], ["a"]),
        (["a", "b"], ["a", None]),
        (["a", None, 3], ["a", "b", "c"]),
        (["a", "b"], ["a", ["b", 3]]),
        (["a", "\ud800"], ["a", "b"]),
        (pl.Series(["a", "b"]), pl.Series(["a", None])),
        (pl.Series([None, "b"]), pl.Series([1, 2])),
        (["a"] * 2_000, ["a"] * 1_999 + [None]),
    ],
)
def test_a_batch_that_fails_leaves_the_state_as_it_was(make: Any, batch: tuple[Any, Any]) -> None:
    metric = make()
    metric.update(["x", None, "abc"], ["y", "z", ["abd", "q"]])
    before, value = metric.state(), values(metric)
    for take in (metric.update, metric):
        with pytest.raises((TypeError, ValueError)):
            take(*batch)
        assert metric.state() == before
        assert values(metric) == value
    metric.update("a", "a")
    assert metric.n == 4


@EACH_METRIC
def test_reset_starts_anew(make: Any) -> None:
    metric, fresh = make(), make()
    metric.update(["x", None], ["y", "z"])
    metric.reset()
    assert (metric.n, metric.n_missing) == (0, 0)
    assert metric.state() == fresh.state()
    metric.update("abc", "abd")
    fresh.update("abc", "abd")
    assert metric.state() == fresh.state()


@EACH_METRIC
def test_a_copy_goes_its_own_way(make: Any) -> None:
    metric = make()
    metric.update("abc", "abd")
    before = metric.state()
    for other in (
        copy.copy(metric),
        copy.deepcopy(metric),
        *(pickle.loads(pickle.dumps(metric, protocol)) for protocol in range(2, 6)),  # noqa: S301 - our own
    ):
        assert type(other) is type(metric)
        assert (other.state(), repr(other)) == (before, repr(metric))
        other.update("a", "b")
        assert metric.state() == before
        assert other.n == 2


@EACH_METRIC
def test_the_state_is_plain_and_can_be_written(make: Any) -> None:
    metric, restored = make(), make()
    metric.update(["x", None, "abc"], ["y", "z", ["abd", "q"]])
    restored.update("something", "else")
    restored.load_state(json.loads(json.dumps(metric.state())))
    assert restored.state() == metric.state()
    assert values(restored) == values(metric)
    restored.update("a", "b")
    assert restored.n == 4


def test_a_state_that_does_not_fit_is_refused_and_changes_nothing() -> None:
    metric = ANLS()
    metric.update("a", "a")
    before = metric.state()
    foreign: list[tuple[Any, str]] = [
        (CharErrorRate().state(), "state must be a state of ANLS(: KeyError|, got one of CharErrorRate)"),
        (ANLS(protocol="rrc").state(), r"must have the same settings .*: protocol \('anls' and 'rrc'\)$"),
        (ANLS(threshold=0.25).state(), r"threshold \(0\.5 and 0\.25\)$"),
        ({}, "state must be a state of ANLS"),
        ({**before, "n": 1.5}, "state must be a state of ANLS"),
        ({**before, "scores": "abc"}, "state must be a state of ANLS"),
        ({**before, "settings": {"protocol": {"case": True}}}, "state must be a state of ANLS"),
        ([], "state must be a state of ANLS"),
    ]
    for state, message in foreign:
        with pytest.raises(ValueError, match=message):
            metric.load_state(state)
        assert metric.state() == before


@EACH_METRIC
@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"n": 3, "scores": [1.0]}, "scores must hold . numbers .*, got 1"),
        ({"n": -1}, "cannot be counts of -1 pairs"),
        ({"n": 0}, "cannot be counts of 0 pairs"),
        ({"n_missing": 3}, "cannot be counts of 2 pairs"),
        ({"n_missing": -1}, "cannot be counts of 2 pairs"),
        ({"scores": [1.0]}, "scores must hold . numbers .*, got 1"),
    ],
)
def test_a_state_that_contradicts_itself_is_refused(make: Any, changed: Any, message: str) -> None:
    metric = make()
    metric.update(["x", None], ["y", "z"])
    before = metric.state()
    with pytest.raises(ValueError, match=f"state must be a state of {type(metric).__name__}: .*{message}"):
        metric.load_state({**before, **changed})
    assert metric.state() == before
    with pytest.raises(ValueError, match=message):
        make().__setstate__({**before, **changed})


def test_metrics_with_other_settings_are_refused_by_name() -> None:
    pairs: list[tuple[Any, Any, str]] = [
        (ANLS(), ANLS(reduction="sum"), r"reduction \('mean' and 'sum'\)$"),
        (ANLS(), ANLS(protocol="rrc"), r"protocol \('anls' and 'rrc'\)$"),
        (ANLS(), ANLS(protocol="rrc", threshold=0.2), r"protocol .*, threshold \(0\.5 and 0\.2\)$"),
        (
            NormalizedLevenshteinSimilarity(),
            NormalizedLevenshteinSimilarity(2),
            r"substitution_cost \(1 and 2\)$",
        ),
        (CharErrorRate(), CharErrorRate(protocol="jiwer"), r"protocol \('raw' and 'jiwer'\)$"),
        (CharErrorRate(), CharErrorRate(reduction="mean"), r"reduction \('corpus' and 'mean'\)$"),
    ]
    for one, other, message in pairs:
        other.update("a", "b")
        with pytest.raises(ValueError, match=f"must have the same settings to be added up: {message}"):
            one.merge(other)
        assert one.n == 0


@pytest.mark.parametrize("other", [CharErrorRate(), None, 0.5, {}, "ANLS"])
def test_other_things_are_refused(other: Any) -> None:
    with pytest.raises(TypeError, match="other must be a metric of class ANLS, got"):
        ANLS().merge(other)


@EACH_METRIC
def test_merging_leaves_the_other_as_it_is(make: Any) -> None:
    one, other = make(), make()
    one.update("a", "b")
    other.update(["c", None], ["c", "d"])
    before = other.state()
    assert one.merge(other) is one
    assert (one.n, one.n_missing) == (3, 1)
    assert other.state() == before
    other.update("e", "f")
    assert one.n == 3


def test_scores_are_merged_in_the_order_of_the_merge() -> None:
    one, other = ANLS(reduction=None), ANLS(reduction=None)
    one.update(["a", "b"], ["a", "x"])
    other.update("c", "c")
    assert copy.copy(other).merge(one).compute().tolist() == [1.0, 1.0, 0.0]
    assert one.merge(other).compute().tolist() == [1.0, 0.0, 1.0]
