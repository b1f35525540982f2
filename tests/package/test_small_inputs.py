"""Inputs that nobody means to give, each of which passed as something else."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
from traitlets import TraitError

import anls_frame as af
from anls_frame.summary import files

SURE = pl.DataFrame({"right": [1.0, 0.0] * 50, "sure": [row / 100 for row in range(100)]})


@pytest.mark.parametrize("higher", [True, False])
def test_no_threshold_is_no_number(*, higher: bool) -> None:
    chosen = af.selective(SURE, metrics="right", model_confidence="sure", higher_is_more_confident=higher)
    for threshold in (math.nan, math.inf, -math.inf):
        with pytest.raises(ValueError, match="threshold must be a number"):
            chosen.holds(threshold, 0.5)
    assert chosen.holds(0.5, 0.9).answer == "fine"


@pytest.mark.parametrize("weight", ["2", True, np.True_, None, math.nan, math.inf, -1])
def test_weights_are_numbers(weight: Any) -> None:
    rows = pl.DataFrame({"p": ["a", "b"] * 20, "a": "a", "k": ["x", "y"] * 20})
    report = af.report(rows, "p", "a", by="k")
    with pytest.raises(ValueError, match=r"weights\['y'\] must be a number of at least 0, got"):
        report.macro(weights={"x": 1, "y": weight})
    found = report.macro(weights={"x": np.float32(1), "y": 3})
    assert found["score"][0] == 0.25


@pytest.mark.parametrize("verdict", ["answer_wrong", "our_error", "score_right"])
def test_a_missing_score_is_not_zero(verdict: str) -> None:
    rows = pl.DataFrame({"id": [7, 8], "prediction": ["4", "c0w"], "answers": ["four", "cow"]})
    digest = af.browse(rows, "prediction", "answers").digests([0])
    verdicts = pl.DataFrame({"id": [7], "row": [0], "verdict": [verdict], "digest": digest})
    scored = rows.with_columns(judge=pl.Series([None, 1.0]))
    assert af.audited_scores(scored, verdicts, "judge", id="id")["audited_score"].to_list() == [None, None]


@pytest.mark.parametrize(
    "slices",
    [
        [("a / b", "c"), ("a", "b / c")],
        [(None, "c"), ("null", "c")],
        [('"null"', "c"), ("null", "c")],
        [('"a', "c"), ("a", "c")],
    ],
)
def test_slices_with_equal_texts_are_drawn_apart(slices: list[tuple[Any, Any]]) -> None:
    rows = pl.DataFrame({"one": [one for one, _ in slices] * 50, "two": [two for _, two in slices] * 50})
    drawn = af.audit_sample(rows, 20, by=["one", "two"], per_slice=10)
    assert drawn["audit_stratum"].n_unique() == 2
    assert drawn.filter("audit").group_by("one", "two").len()["len"].to_list() == [10, 10]


def test_a_browser_cannot_send_nothing() -> None:
    rows = pd.DataFrame({"prediction": ["cat", "c0w"], "answer": ["cat", "cow"]}, index=["x", "y"])
    widget = af.browse(rows, "prediction", "answer").widget()
    with pytest.raises(TraitError, match="verdicts must be by"):
        widget.set_trait("_verdicts", None)
    assert len(widget.verdicts) == 0


@pytest.mark.filterwarnings("ignore:The inplace keyword")
def test_the_selection_is_that_of_the_page() -> None:
    rows = pd.DataFrame({"prediction": ["b", "a"], "answer": ["b", "x"], "n": [2, 1]}, index=["x", "y"])
    widget = af.browse(rows, "prediction", "answer").widget()
    widget.set_trait("_selected", [0])
    rows.sort_index(ascending=False, inplace=True)  # noqa: PD002 - what is tested
    assert widget.selected["n"].to_list() == [2]


@pytest.mark.parametrize("parts", [{}, {"a": "2"}, {"a": -1}, {"a": True}, []])
def test_a_summary_names_its_parts(parts: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    summary = af.summarize(pl.DataFrame({"p": ["a", "b"], "a": ["a", "c"]}), "p", "a", part="a")
    written = files.content
    header = {"parts": parts}
    monkeypatch.setattr(files, "content", lambda frames, given: written(frames, {**given, **header}))
    path = tmp_path / "part.parquet"
    try:
        path.write_bytes(summary.to_bytes())
    except (TypeError, ValueError):
        pytest.skip("cannot be written")
    with pytest.raises(ValueError, match=r"is not a summary.*: its parts must be"):
        af.Summary.load(path)


HALF = "a\ud800"
TEXTS = pl.DataFrame({"p": ["a"], "a": ["b"]})


@pytest.mark.parametrize(
    "call",
    [
        lambda: af.PROTOCOLS["anls"].replace(equivalences={HALF: "b"}),
        lambda: af.add_scores(TEXTS, "p", "a", prefix=HALF),
        lambda: af.Metric(pl.lit(1.0), name=HALF),
        lambda: af.anls_score(HALF, ["a"]),
        lambda: af.pairs.get_cer("a", HALF),
    ],
)
def test_half_of_a_surrogate_pair_is_named_as_such(call: Any) -> None:
    with pytest.raises(ValueError, match=r"holds half of a surrogate pair, which is not text: 'a\\ud800'"):
        call()
