"""Decisions against the last system and a fixed earlier one, and alpha that planned runs share."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.reports.decisions import Answer

SYSTEMS = ["last", "new", "first"]


def runs(lost_since_first: int, lost_in_new: int, rows: int = 2000) -> pl.DataFrame:
    """Scores of a first system that is always right, and of two later ones that lost more and more rows."""
    lost = range(rows)
    return pl.DataFrame(
        {
            "doc": [row // 10 for row in lost],
            "kind": ["u" if row % 2 else "v" for row in lost],
            # Spread over the documents.
            "last": [float(row * 7 % rows >= lost_since_first) for row in lost],
            "new": [float(row * 7 % rows >= lost_since_first + lost_in_new) for row in lost],
            "first": [1.0] * rows,
        }
    )


def compared(frame: Any, **options: Any) -> af.Comparison:
    return af.compare(frame, {name: name for name in SYSTEMS}, None, cluster="doc", **options)


@pytest.mark.parametrize(
    ("since_first", "in_new", "answer", "printed"),
    [
        (
            0,
            2,
            "fine",
            "fine: new is not worse than last by 0.02 or more (difference -0.001); fine: new is not worse",
        ),
        (
            90,
            2,
            "regressed",
            "regressed: new is worse than first by more than 0.02 (difference -0.046); ",
        ),
        (34, 2, "undecided", "undecided: new could be worse than first by more than 0.02; "),
        (
            2,
            90,
            "regressed",
            "regressed: new is worse than last by more than 0.02 (difference -0.045); ",
        ),
    ],
)
def test_a_new_system_must_not_be_worse_than_the_last_nor_the_anchor(
    since_first: int, in_new: int, answer: Answer, printed: str
) -> None:
    frame = runs(since_first, in_new)
    decision = compared(frame).decide(0.02, anchor="first")
    assert decision.answer == answer
    assert str(decision).startswith(printed)
    # Each line is the decision about two systems.
    assert decision.frame.select("baseline", "system").rows() == [("last", "new"), ("first", "new")]
    for line, first in zip(decision.frame.iter_slices(1), ("last", "first"), strict=True):
        alone = af.compare(frame, {first: first, "new": "new"}, None, cluster="doc").decide(0.02)
        assert_frame_equal(line, alone.frame, rel_tol=1e-9)


def test_the_anchor_may_stand_before_the_new_system() -> None:
    frame = runs(90, 2)
    named = {name: name for name in ("last", "first", "new")}
    turned = af.compare(frame, named, None, cluster="doc").decide(0.02, anchor="first")
    assert str(turned) == str(compared(frame).decide(0.02, anchor="first"))


def test_slices_are_asked_about_the_anchor_too() -> None:
    frame = runs(2, 2).with_columns(
        first=pl.when(pl.col("kind") == "u").then("first").otherwise("new"),
        last=pl.when(pl.col("kind") == "u").then(0.8).otherwise("last"),
        new=pl.when(pl.col("kind") == "u").then(0.8).otherwise("new"),
    )
    decision = compared(frame, by="kind").decide(0.15, anchor="first", slices=True)
    assert decision.answer == "regressed"
    assert str(decision).startswith(
        "regressed: new is worse than first by more than 0.15, in 1 of 2 slices; fine: new is not worse"
    )
    assert decision.slices is not None
    of = {name: decision.slices.filter(baseline=name).sort("kind") for name in ("first", "last")}
    assert of["first"]["answer"].to_list() == ["regressed", "fine"]
    assert of["last"]["answer"].to_list() == ["fine", "fine"]


@pytest.mark.parametrize(
    ("systems", "anchor", "message"),
    [
        (SYSTEMS, "last", "anchor must be another system than the baseline and a new one, got 'last' of"),
        (SYSTEMS, "other", "got 'other' of"),
        (SYSTEMS[:2], "new", "got 'new' of"),
    ],
)
def test_an_anchor_is_not_the_baseline_nor_the_only_new_system(
    systems: list[str], anchor: str, message: str
) -> None:
    made = af.compare(runs(2, 2), {name: name for name in systems}, None)
    with pytest.raises(ValueError, match=message):
        made.decide(0.02, anchor=anchor)


def test_systems_and_metrics_have_an_anchor_and_share_alpha() -> None:
    texts = {"last": ["a"] * 200, "new": ["x"] * 20 + ["a"] * 180, "first": ["a"] * 200, "t": ["a"] * 200}
    frame = pl.DataFrame({**texts, "same": ["a"] * 200})
    made = af.compare(frame, [*SYSTEMS, "same"], "t", metrics=["anls", "cer_corpus"])
    decision = made.decide(0.02, 0.04, anchor="first")
    lines = [
        (metric, first, new)
        for metric in ("anls", "cer_corpus")
        for new in ("new", "same")
        for first in ("last", "first")
    ]
    assert decision.frame.select("metric", "baseline", "system").rows() == lines
    assert decision.answer == "regressed"
    assert str(decision).startswith(
        "regressed: new is worse than last by more than 0.02 in ANLS (difference -0.100); regressed: new"
    )
    for line, (metric, first, new) in zip(decision.frame.iter_slices(1), lines, strict=True):
        alone = af.compare(frame, [first, new], "t", metrics=metric).decide(0.02, 0.01)
        assert_frame_equal(line, alone.frame, rel_tol=1e-9)


def test_planned_runs_share_alpha_everywhere() -> None:
    # Nine rows of 200 are lost: p is 2 / 2^9 = 0.004, below 0.05 and above 0.05 / 50.
    lost = {"old": ["a"] * 200, "new": ["x"] * 9 + ["a"] * 191, "t": ["a"] * 200}
    made = af.compare(pl.DataFrame(lost), ["old", "new"], "t")
    shared, stricter = made.decide(0.09, planned_runs=50), made.decide(0.09, alpha=0.001)
    assert shared.alpha == stricter.alpha
    assert_frame_equal(shared.frame, stricter.frame)
    assert made.regressed(0.01)
    assert not made.regressed(0.01, planned_runs=50)
    assert made.regressions(0.01).height == 1
    assert made.regressions(0.01, planned_runs=50).is_empty()
    for call in (made.decide, made.regressed, made.regressions):
        with pytest.raises(ValueError, match="planned_runs must be an integer of at least 1, got 0"):
            call(0.01, planned_runs=0)
