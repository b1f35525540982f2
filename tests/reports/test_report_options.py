"""What a report is asked for: sorting, columns of a roll-up, worst rows, settings; and what is refused."""

from __future__ import annotations

import json
from typing import Any

import polars as pl
import pytest
import report_oracle

import anls_frame as af
from anls_frame.reports.reports import Report, report
from anls_frame.summary.settings import Settings

FRAME = pl.DataFrame(
    {
        "p": ["a", "x", "cde", "x", "abcd", "ab", None, "a"],
        "a": ["a", "a", "cd", "a", "abcd", "ab", "ab", None],
        "k": ["t", "t", "t", "u", "u", None, None, "v"],
        "d": [1, 2, 3, 4, 5, 6, 7, 8],
    }
)


def slices_of(made: Report, **shown: Any) -> pl.DataFrame:
    """Return the slices as they are printed and written."""
    return made.to_document(**shown).main.frame.filter(slice="group")


def test_slices_are_sorted_by_the_column_asked_for() -> None:
    made = report(FRAME, "p", "a", by="k", cluster="d")
    for sort in report_oracle.TEXT_COLUMNS:
        slices = slices_of(made, sort=sort)
        values = slices[sort].drop_nulls().to_list()
        is_count = sort in (*report_oracle.COUNTS, "n_clusters")
        is_rate = sort.startswith(("cer_", "zeros"))
        assert values == sorted(values, reverse=is_count or is_rate), sort
        assert slices[sort].tail(slices[sort].null_count()).is_null().all(), sort


def test_slices_are_sorted_by_a_key() -> None:
    assert slices_of(report(FRAME, "p", "a", by="k"), sort="k")["k"].to_list() == ["t", "u", "v", None]
    crossed = report(FRAME, "p", "a", by=["k", "d"])
    assert slices_of(crossed, sort="d")["d"].to_list() == list(range(1, 9))
    several = report(FRAME, "p", "a", by=[["k"], ["d"]]).to_document(sort="d").tables
    assert several[0].frame["k"].to_list()[1:] == ["t", "u", "v", None]
    assert several[1].frame["d"].to_list()[1:] == list(range(1, 9))


def test_equals_are_sorted_by_their_keys() -> None:
    frame = pl.DataFrame({"p": ["a"] * 4, "a": ["a"] * 4, "k": ["c", None, "a", "b"], "l": [1, 1, 2, 1]})
    assert slices_of(report(frame, "p", "a", by="k"), sort="anls")["k"].to_list() == ["a", "b", "c", None]
    crossed = report(frame, "p", "a", by=["l", "k"]).by_group.select("l", "k").rows()
    assert crossed == [(1, "b"), (1, "c"), (1, None), (2, "a")]


@pytest.mark.parametrize("sort", ["kk", "", "slice", 3])
def test_unknown_sort_is_refused(sort: Any) -> None:
    with pytest.raises(ValueError, match="sort must be a column of the report"):
        report(FRAME, "p", "a", by="k").to_document(sort=sort)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"by": 3}, TypeError, "by must be a column name, an expression or a list of them, got 3"),
        ({"by": ["k", 3]}, TypeError, "by must be a column name, an expression or a list of them"),
        ({"by": b"k"}, TypeError, "by must be a column name, an expression or a list of them"),
        ({"by": ["k", "d", "k"]}, ValueError, "by must not name a column twice"),
        ({"cluster": 3}, TypeError, "a column name must be a string, got 3"),
        ({"cluster": ["d"]}, TypeError, "a column name must be a string"),
        ({"prediction": 3}, TypeError, "a column name must be a string, got 3"),
        ({"prediction": None}, ValueError, "pass both columns, prediction and answers, or neither"),
        ({"answers": None}, ValueError, "pass both columns, prediction and answers, or neither"),
        ({"missing": "skip"}, ValueError, "missing must be one of 'empty', 'drop', got 'skip'"),
        ({"protocol": "anlss"}, ValueError, r"unknown protocol 'anlss'.*; did you mean 'anls'\?"),
        ({"protocol": "jiewr"}, ValueError, r"unknown protocol 'jiewr'.*; did you mean 'jiwer'\?"),
        ({"protocol": None}, TypeError, "protocol must be a ScoreProtocol or a preset's name"),
        (
            {"protocol": "raw"},
            ValueError,
            "protocol must have a threshold for ANLS and error types, but raw has none",
        ),
        ({"worst": -1}, ValueError, "worst must be an integer from 0 to 4,294,967,295, got -1"),
        ({"worst": 2**32}, ValueError, "worst must be an integer from 0 to 4,294,967,295"),
    ],
    ids=str,
)
def test_arguments_outside_their_choices_are_refused(
    options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error, match=message):
        report(FRAME, **{"prediction": "p", "answers": "a", **options})


def test_roll_up_by_unknown_or_doubled_columns_is_refused() -> None:
    made = report(FRAME, "p", "a", by="k")
    with pytest.raises(ValueError, match=r"not sliced by \['d'\], only by \['k'\]; name the columns in by="):
        made.by("k", "d")
    with pytest.raises(ValueError, match="by must not name a column twice"):
        made.by("k", "k")
    with pytest.raises(ValueError, match=r"not sliced by \[3\]"):
        made.by(3)  # type: ignore[arg-type]


def test_worst_rows_are_the_lowest() -> None:
    made = report(FRAME, "p", "a", by="k", cluster="d", worst=4)
    columns = ["k", "d", "prediction", "answers", "nls", "anls", "cer", "exact_match"]
    assert made.worst.columns == columns
    # First of the lowest are the two that have nothing in common with the answer.
    assert set(made.worst["d"][:3]) == {2, 4, 7}
    assert made.worst.row(3)[:4] == ("t", 3, "cde", "cd")
    assert made.worst["anls"].is_sorted()
    missing = made.worst.row(by_predicate=pl.col("d") == 7, named=True)
    assert missing["prediction"] is None
    assert missing["cer"] == 1
    assert report(FRAME, "p", "a", worst=99).worst.height == 7
    assert report(FRAME, "p", "a", worst=99, missing="drop").worst["prediction"].null_count() == 0
    assert report(FRAME, "p", "a").worst.is_empty()


def test_worst_rows_name_a_cluster_that_slices_as_well_once() -> None:
    assert report(FRAME, "p", "a", by="d", cluster="d", worst=1).worst.columns[:2] == ["d", "prediction"]


def test_settings_say_what_the_numbers_depend_on() -> None:
    protocol = af.PROTOCOLS["rrc"].replace(threshold=0.25)
    made = report(FRAME, "p", "a", by="k", cluster="d", protocol=protocol, missing="drop", confidence=0.9)
    settings = made.settings
    assert settings["by"] == ["k"]
    assert (settings["cluster"], settings["missing"]) == ("d", "drop")
    assert settings["protocol"]["length"] == "raw_upper"
    assert (settings["protocol"]["threshold"], settings["protocol"]["errors"]) == (0.25, "raw")
    assert (settings["rows"], settings["confidence"], settings["version"]) == (8, 0.9, af.__version__)
    assert settings["digest"] == made.summary.digest
    assert json.loads(json.dumps(settings)) == settings
    again = {name: settings[name] for name in made.summary.settings.to_dict()}
    assert Settings.from_dict(json.loads(json.dumps(again))) == made.summary.settings
    settings.clear()
    assert made.settings["by"] == ["k"]  # each caller gets a dictionary of its own


def test_signature_is_one_line_that_tells_settings_apart() -> None:
    version = af.__version__
    default = report(FRAME, "p", "a", by="k", cluster="d").signature
    assert default == f"anls|protocol:anls|threshold:0.5|errors:raw|missing:empty|cluster:d|v:{version}"
    assert report(FRAME, metrics="d").signature == f"d|missing:drop|cluster:none|v:{version}"
    own = af.ScoreProtocol(unicode_form="NFKC", threshold=0.3)
    signatures = {
        default,
        *(
            report(FRAME, "p", "a", **options).signature
            for options in (
                {},
                {"protocol": "rrc"},
                {"protocol": own},
                {"protocol": af.PROTOCOLS["anls"].replace(threshold=0.25)},
                {"protocol": af.PROTOCOLS["anls"].replace(errors="jiwer")},
                {"missing": "drop"},
            )
        ),
    }  # fmt: skip
    assert len(signatures) == 7
    assert not any("\n" in signature for signature in signatures)
