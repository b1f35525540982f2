"""Points of preparation are differences of scores, by definition."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Sequence

import oracle
import polars as pl
import pytest
import strategies
from cases import scoring
from hypothesis import given

import anls_frame as af

STEPS = {
    "unicode_form": "unicode_form",
    "case": "ignore_case",
    "punctuation": "ignore_punctuation",
    "whitespace": "whitespace",
}
FIELDS = ["raw", *STEPS, "score", "step"]


def slow(prediction: str | None, answers: oracle.Answers, protocol: af.ScoreProtocol) -> dict[str, object]:
    def score(part: af.ScoreProtocol) -> float | None:
        if protocol.threshold is None:
            return oracle.nls(prediction, answers, part)
        return oracle.anls(prediction, answers, part)

    part = dataclasses.replace(
        protocol, ignore_case=False, ignore_punctuation=False, whitespace="keep", unicode_form=None
    )
    scores = [score(part)]
    for option in STEPS.values():
        part = dataclasses.replace(part, **{option: getattr(protocol, option)})
        scores.append(score(part))
    if scores[0] is None:
        return dict.fromkeys(FIELDS)
    known = [one for one in scores if one is not None]
    points = dict(zip(STEPS, (b - a for a, b in itertools.pairwise(known)), strict=True))
    largest = max(map(abs, points.values()))
    step = next((name for name, one in points.items() if abs(one) == largest > 0), None)
    return {"raw": known[0], **points, "score": known[-1], "step": step}


@given(strategies.ROWS, strategies.PROTOCOLS)
def test_points_are_those_of_the_definition(
    rows: Sequence[tuple[str, list[str]]], protocol: af.ScoreProtocol
) -> None:
    frame = pl.DataFrame(rows, schema={"p": pl.String, "a": pl.List(pl.String)}, orient="row")
    explained = frame.select(af.explain("p", "a", protocol=protocol))["explain"]
    assert explained.to_list() == [slow(*row, protocol) for row in rows]
    assert (
        frame.lazy()
        .select(pl.col("p").anls.explain("a", protocol=protocol))
        .collect(  # type: ignore[attr-defined]
            engine="streaming"
        )["explain"]
        .to_list()
        == explained.to_list()
    )


def test_a_row_without_a_score_has_no_points() -> None:
    frame = pl.DataFrame({"p": [None, "a"], "a": ["a", None]})
    explained = frame.select(af.explain("p", "a")).unnest("explain")
    assert explained.columns == FIELDS
    assert explained.null_count().row(0) == (2,) * 7
    assert explained.schema == {**dict.fromkeys(FIELDS[:-1], pl.Float64), "step": pl.String}


def test_the_cut_is_at_the_threshold_of_the_protocol() -> None:
    frame = pl.DataFrame({"p": ["Cola"], "a": ["cola drinks"]})
    for protocol, score in [("anls", 0.0), (scoring("anls", 1.0), 4 / 11), ("raw", 3 / 11)]:
        found = frame.select(af.explain("p", "a", protocol=protocol)).unnest("explain")
        assert found["score"].item() == pytest.approx(score)
