"""Relaxed accuracy, VQA accuracy and containment equal the codes of the benchmarks to the last bit."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import pandas as pd
import polars as pl
import pytest

import anls_frame as af

RECORDED = json.loads(
    lzma.decompress((Path(__file__).parents[1] / "golden" / "accuracies-2026-08.json.xz").read_bytes())
)
"""Random rows with what `tests/golden/make_accuracies.py` got from the codes."""

EXPRESSIONS = {
    "relaxed": af.relaxed_accuracy("prediction", "answers"),
    "relaxed strip": af.relaxed_accuracy("prediction", "answers", strip=True),
    "contains": af.contains_answer("prediction", "answers"),
    "contains fold": af.contains_answer("prediction", "answers", fold_width=True),
    "contains formulas": af.contains_answer("prediction", "answers", ignore_case=False, spaces="remove"),
    "anls": af.anls("prediction", "answers", protocol="rrc"),
    "anls scene text": af.anls("prediction", "answers", protocol="stvqa"),
    **{
        f"{processing} {mean}": af.vqa_accuracy("prediction", "answers", processing=processing, mean=mean)
        for processing in ("evalai", "vqa", "vqa_always", "vlmevalkit")
        for mean in ("exact", "sum", "numpy")
    },
}


def differences(recorded: list[dict[str, Any]]) -> dict[str, int]:
    """Return how many rows of each score differ from those recorded."""
    frame = pl.DataFrame(
        {
            "prediction": [row["prediction"] for row in recorded],
            "answers": [row["answers"] for row in recorded],
        }
    )
    scored = frame.select(expression.alias(name) for name, expression in EXPRESSIONS.items())
    return {
        name: sum(row[name] not in (None, ours) for ours, row in zip(scored[name], recorded, strict=True))
        for name in EXPRESSIONS
    }


def test_scores_are_those_of_the_codes() -> None:
    assert differences(RECORDED) == dict.fromkeys(EXPRESSIONS, 0)
    for name in EXPRESSIONS:
        assert len({row[name] for row in RECORDED}) > 1, name


def test_rows_without_a_prediction_or_an_answer_have_no_score() -> None:
    frame = pl.DataFrame({"prediction": ["a", "a", None, "a"], "answers": [[], [None], ["a"], ["a", None]]})
    for expression in (af.relaxed_accuracy, af.contains_answer):
        assert frame.select(expression("prediction", "answers")).to_series().to_list() == [
            None,
            None,
            None,
            1.0,
        ]
    empty = af.contains_answer("prediction", "answers", missing="empty")
    assert frame.select(empty).to_series().to_list() == [None, None, 0.0, 1.0]
    assert frame.select(af.vqa_accuracy("prediction", "answers")).to_series().to_list()[3] == 0.0


@pytest.mark.parametrize("name", ["relaxed_accuracy", "vqa_accuracy", "contains_answer"])
def test_reports_comparisons_and_pandas_take_them(name: str) -> None:
    frame = pl.DataFrame(
        {
            "old": ["10", "x", "z"],
            "new": ["10.4", "x", "the x"],
            "answers": [["10"] * 4, ["x"] * 4, ["x"] * 4],
        }
    )
    rows = {
        system: frame.select(getattr(af, name)(system, "answers")).to_series() for system in ("old", "new")
    }
    assert af.report(frame, "new", "answers", metrics=name).overall[name] == pytest.approx(rows["new"].mean())
    compared = af.compare(frame, ["old", "new"], "answers", metrics=name).overall
    assert compared["difference"].item() == pytest.approx((rows["new"] - rows["old"]).mean())
    pandas = getattr(af, name)(pd.Series(["10.4"], index=["q"]), pd.Series([["10"] * 4], index=["q"]))
    assert pandas.to_dict() == {"q": frame.select(getattr(af, name)("new", "answers")).to_series()[0]}


@pytest.mark.parametrize(
    ("options", "message"),
    [({"processing": "evalAI"}, "processing must be one of"), ({"mean": "median"}, "mean must be one of")],
)
def test_unknown_options_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        af.vqa_accuracy("prediction", "answers", **options)
    with pytest.raises(ValueError, match=r"tolerance must be a number in \[0, 1\]"):
        af.relaxed_accuracy("prediction", "answers", tolerance=5)
