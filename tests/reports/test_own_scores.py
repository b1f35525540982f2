"""Scores that the caller brings along: their name, their direction, and rows without one."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest

import anls_frame as af
import anls_frame.pandas

FRAME = pl.DataFrame(
    {
        "a": [0.1, 0.4, 0.2, None, 0.9],
        "b": [0.3, 0.1, 0.2, 0.5, 0.1],
        "wer": [0.1, 0.4, 0.2, None, 0.9],
        "k": ["u", "u", "v", "v", "v"],
    }
)
SYSTEMS = {"old": "a", "new": "b"}


@pytest.mark.parametrize(
    ("options", "is_higher"),
    [
        ({"metrics": "f1"}, True),
        ({"metrics": "wer"}, False),
        ({"metrics": "WER"}, False),
        ({"metrics": "cer"}, False),
        ({"metrics": "cer_corpus"}, False),
        ({"metrics": "tesseract_cer"}, False),
        ({"metrics": "CER (corpus)"}, False),
        ({"metrics": "char_errors"}, False),
        ({"metrics": "n_errors"}, False),
        ({"metrics": "bag_of_words"}, False),
        ({"metrics": "levenshtein"}, False),
        ({"metrics": "certainty"}, True),
        ({"metrics": "terrors"}, True),
        ({"metrics": "time_added"}, True),
        ({"metrics": af.Metric(SYSTEMS, name="error_free", higher_is_better=True)}, True),
        ({"metrics": "answer_f1"}, True),
        ({"metrics": af.Metric(SYSTEMS, name="loss", higher_is_better=False)}, False),
        ({"metrics": af.Metric(SYSTEMS, name="wer", higher_is_better=True)}, True),
        ({}, True),
    ],
)
def test_comparison_has_the_name_and_the_direction(options: dict[str, Any], *, is_higher: bool) -> None:
    made = af.compare(FRAME, SYSTEMS, None, **options)
    given = options.get("metrics", "score")
    name = given.name if isinstance(given, af.Metric) else given
    shown = repr(made)
    assert shown.startswith(f"new against old: {name}\n")
    lower = "" if is_higher else ":lower"
    assert made.signature.startswith(f"{name}:new-old|{name}:a column of each system{lower}|missing")
    [metric] = made.settings["metrics"]
    assert (metric["name"], metric["higher_is_better"]) == (name, is_higher)
    assert (made.measures[0].name, made.measures[0].higher_is_better) == (name, is_higher)
    assert ("Lower is better" in shown) is not is_higher
    assert ("Higher is better" in shown) is is_higher
    rises = made.overall["wins" if is_higher else "losses"].item()
    assert (rises, made.overall["ties"].item()) == (1, 1)
    assert made.plot().get_xlabel() == name + ("" if is_higher else ", lower is better")


@pytest.mark.parametrize("better", [None, True, False])
@pytest.mark.parametrize("name", ["wer", "a"])
def test_worst_rows_and_order_of_slices_follow_the_direction(name: str, better: bool | None) -> None:  # noqa: FBT001
    is_higher = name == "a" if better is None else better
    metric = af.Metric(name, higher_is_better=better)
    made = af.report(FRAME, metrics=metric, by="k", worst=2)
    assert made.worst[name].to_list() == ([0.1, 0.2] if is_higher else [0.9, 0.4])
    slices = made.to_document(sort=name).main.frame
    assert slices["k"].to_list() == [None, *(["u", "v"] if is_higher else ["v", "u"])]
    assert ("Lower is better." in repr(made).splitlines()) is not is_higher
    assert made.signature.startswith(f"{name}{'' if is_higher else ':lower'}|")
    assert made.settings["metrics"][0]["higher_is_better"] is is_higher
    assert made.plot().get_xlabel().startswith(name + ("," if is_higher else ", lower is better,"))


@pytest.mark.parametrize("value", ["yes", 1, 0.5])
def test_direction_is_true_or_false(value: Any) -> None:
    with pytest.raises(TypeError, match="higher_is_better must be True or False, got"):
        af.Metric("a", higher_is_better=value)


def test_missing_scores_are_left_out_however_missing_predictions_are_scored() -> None:
    for missing in ("empty", "drop"):
        assert af.report(FRAME, metrics="a", missing=missing).overall["n"] == 4
        assert af.summarize(FRAME, metrics="a", missing=missing).settings.missing == "drop"
        assert af.compare(FRAME, SYSTEMS, None, missing=missing).overall["n"].item() == 4


def test_rows_are_without_a_score_and_not_without_a_prediction() -> None:
    # Nulls may be predictions that are missing, or questions that have no answer.
    one = "4 of 5 rows were used; 1 has no score and was left out."
    assert one in repr(af.report(FRAME, metrics="a")).splitlines()
    both = "4 of 5 rows were used; 1 has no score of a system (1 of old) and was left out."
    assert both in repr(af.compare(FRAME, SYSTEMS, None)).splitlines()
    texts = af.report(pl.DataFrame({"p": ["a", None], "t": ["a", "b"]}), "p", "t", missing="drop")
    note = '1 of 2 rows was used; 1 has no prediction and was left out: missing="empty" scores it.'
    assert note in repr(texts).splitlines()
