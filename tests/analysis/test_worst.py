"""The worst rows are those that sorting all scores gives, with what is needed to look at them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from cases import frame_of_parts
from polars.testing import assert_frame_equal
from rows_pages import ReadPage

import anls_frame as af

NEW = ["anls", "nls", "cer", "error_type", "nearest_answer", "alignment"]


def slow(frame: pl.DataFrame, n: int, missing: str) -> list[tuple[float, float]]:
    """Return the scores of the worst rows, in order."""
    predicted = pl.col("p").fill_null("") if missing == "empty" else pl.col("p")
    scored = frame.select(af.anls(predicted, "a"), af.nls(predicted, "a")).drop_nulls()
    return sorted(scored.rows())[:n]


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("n", [0, 1, 7, 10**6])
def test_the_worst_rows_are_the_first_of_all_rows_in_order(n: int, missing: Any) -> None:
    frame = frame_of_parts()
    table = af.worst(frame, "p", "a", n, missing=missing)
    assert table.select("anls", "nls").rows() == slow(frame, n, missing)
    assert table["id"].is_unique().all()
    assert table.columns == [*frame.columns, *NEW]
    assert_frame_equal(table.drop(NEW), frame[table["id"].to_list()])


@pytest.mark.parametrize("missing", ["empty", "drop"])
def test_each_slice_has_its_own_worst_rows(missing: Any) -> None:
    frame = frame_of_parts()
    table = af.worst(frame, "p", "a", 3, by=["tags", "part"], missing=missing)
    for tag in ("x", "y", None):
        for part in range(3):
            has = pl.col("tags").list.contains(tag) if tag else pl.col("tags").is_null()
            sliced = frame.filter(has & (pl.col("part") == part))
            found = table.filter(pl.col("tags").eq_missing(tag) & (pl.col("part") == part))
            assert found.select("anls", "nls").rows() == slow(sliced, 3, missing)
            assert found["id"].is_unique().all()
            assert found["id"].is_in(sliced["id"].implode()).all()
    assert table.height == 27


@pytest.mark.parametrize("missing", ["empty", "drop"])
@pytest.mark.parametrize("metric", ["anls", "cer"])
def test_reports_and_pages_have_the_same_rows_in_any_order(tmp_path: Path, metric: str, missing: Any) -> None:
    frame = frame_of_parts().unique(["p", "a"], keep="first", maintain_order=True)
    found = af.worst(frame, "p", "a", n=40, metrics=metric, missing=missing)
    for other in (frame, frame.reverse(), frame.sample(fraction=1, shuffle=True, seed=1)):
        again = af.worst(other, "p", "a", n=40, metrics=metric, missing=missing)
        assert again["id"].to_list() == found["id"].to_list()
        page = af.browse(other, "p", "a", n=40, metrics=metric, missing=missing, id="id")
        shown = ReadPage(page.write(tmp_path / "rows.html").read_text("utf-8"))
        assert sorted(shown.column("id")) == sorted(found["id"])
        chosen = {"anls": "anls", "cer": "cer_mean"}[metric]
        report = af.report(other, "p", "a", worst=40, keep=["id"], metrics=chosen, missing=missing)
        assert report.worst["id"].to_list() == found["id"].to_list()


@pytest.mark.parametrize("value", [float("inf"), float("-inf")])
@pytest.mark.parametrize("by", [None, "part"])
def test_a_score_that_is_no_number_is_an_error_that_names_it(value: float, by: str | None) -> None:
    frame = frame_of_parts().with_columns(judge=pl.when(pl.col("id") == 40).then(value).otherwise(0.5))
    with pytest.raises(ValueError, match=rf"metric 'judge' must be finite, got {value!r} in row 40 \("):
        af.worst(frame, "p", "a", n=1, metrics="judge", by=by)
    with pytest.raises(ValueError, match=rf"metric 'judge' must be finite, got {value!r} in row 40 \("):
        af.report(frame, "p", "a", metrics="judge")


def test_the_new_columns_are_those_of_the_functions() -> None:
    table = af.worst(frame_of_parts(), "p", "a", 50, missing="empty")
    text = pl.col("p").fill_null("")
    again = table.select(
        af.anls(text, "a"),
        af.nls(text, "a"),
        af.cer(text, "a"),
        af.error_type("p", "a").cast(pl.String),
        af.nearest_answer(text, "a"),
    )
    assert_frame_equal(table.select(NEW[:-1]), again)
    for prediction, answer, shown in table.select(text, "nearest_answer", "alignment").iter_rows():
        assert shown == af.pairs.alignment(prediction, answer).to_text(context=20)


def test_scores_that_are_there_already_give_way_and_the_frame_stays() -> None:
    frame = af.add_scores(frame_of_parts(), "p", "a")
    before = frame.clone()
    table = af.worst(frame, "p", "a", 5, protocol=af.PROTOCOLS["anls"].replace(threshold=0.9))
    assert table["anls"].to_list() == [0.0] * 5
    assert table.columns == [*frame.columns, *NEW[3:]]
    assert_frame_equal(frame, before)


def test_a_wrong_argument_is_an_error_that_names_it() -> None:
    frame = frame_of_parts()
    for n, error in ((-1, ValueError), (1.5, TypeError), (True, TypeError)):
        with pytest.raises(error, match="n must be an integer from 0 to"):
            af.worst(frame, "p", "a", n)  # type: ignore[arg-type]
    for by in (None, "part"):
        with pytest.raises(ValueError, match="n must be an integer from 0 to 4,294,967,295, got"):
            af.worst(frame, "p", "a", 2**62, by=by)
    with pytest.raises(af.exceptions.ColumnNotFoundError, match="'q'"):
        af.worst(frame, "q", "a")
    with pytest.raises(af.DTypeError, match="column 'part' has dtype Int64"):
        af.worst(frame, "part", "a")
    with pytest.raises(af.DuplicateColumnError, match="alignment"):
        af.worst(frame.with_columns(alignment=1), "p", "a", by="alignment")
    with pytest.raises(ValueError, match="missing"):
        af.worst(frame, "p", "a", missing="keep")  # type: ignore[arg-type]


def test_alignments_compare_what_the_protocol_compares() -> None:
    frame = pl.DataFrame({"p": ["a black cat"], "a": ["a block cat"]})
    words = af.PROTOCOLS["raw"].by("word")
    for options in (
        {"protocol": words.replace(threshold=0.5)},
        {"metrics": "cer_mean", "protocol": af.PROTOCOLS["anls"].replace(errors=words)},
    ):
        shown = af.worst(frame, "p", "a", **options)["alignment"].item()
        assert shown == af.pairs.alignment("a black cat", "a block cat", unit="word").to_text(context=20)
        assert shown != af.pairs.alignment("a black cat", "a block cat").to_text(context=20)
