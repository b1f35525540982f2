"""`find_slices` finds in a summary, or in merged ones, what it finds in the rows."""

from __future__ import annotations

import functools
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af
from anls_frame.slices.result import Slices

QUESTIONS = af.sample()
COLUMNS = ["doc_type", "lang", "answer_type", "question_types", "n_words"]
HONEST = af.SliceSearch(holdout=0.5)
FEW_DRAWS = af.SliceSearch(draws=39)
"""For results with equal p-values."""


@functools.cache
def scores() -> pl.DataFrame:
    """Rows of own scores, some without a score, with a fault, categories and a missing value."""
    random = np.random.default_rng(0)
    n = 3000
    kind = random.choice(["a", "b", "c"], n)
    pages = random.integers(1, 40, n)
    score = random.normal(100, 5, n) - 8 * ((kind == "b") & (pages > 30))
    return pl.DataFrame(
        {
            "doc": pl.Series([f"d{place}" for place in random.integers(0, 90, n)], dtype=pl.Categorical),
            "kind": pl.Series(kind, dtype=pl.Enum(["c", "b", "a"])),
            "pages": [None if page == 7 else int(page) for page in pages],
            "tags": [random.choice(["x", "y"], size).tolist() for size in random.integers(0, 3, n)],
            "score": [None if place % 11 == 0 else one for place, one in enumerate(score)],
        }
    )


def merged(frame: pl.DataFrame, *texts: Any, summarize: Any = af.summarize, **options: Any) -> Any:
    """Return the summary of three parts that share documents."""
    ends = [0, frame.height // 5, frame.height // 2, frame.height]
    parts = [frame[start:end] for start, end in pairwise(ends)]
    return af.merge(
        [summarize(part, *texts, part=str(place), **options) for place, part in enumerate(parts)][::-1]
    )


def check_equal(of_summary: Slices, of_rows: Slices, *, draws: int = 0) -> None:
    """Check that all is equal; p-values may differ by so many draws of 199, and what overlaps with it."""
    assert of_rows.frame.height
    unlike = ["p_adjusted", "overlapping"] if draws else ["p_adjusted"]
    # Sums of sums differ in the last digits.
    found, expected = (slices.frame.drop(unlike) for slices in (of_summary, of_rows))
    assert_frame_equal(found, expected, rel_tol=1e-11, abs_tol=1e-12)
    p_values = [one.frame["p_adjusted"].to_list() for one in (of_summary, of_rows)]
    assert p_values[0] == pytest.approx(p_values[1], abs=draws / 200 + 1e-12)
    for name in ("n_slices", "n_tests", "signature", "settings", "sentences", "conditions", "systems"):
        assert getattr(of_summary, name) == getattr(of_rows, name)


def test_texts_have_the_slices_of_their_rows() -> None:
    summary = merged(QUESTIONS, "rapidocr", "answers", by=COLUMNS, cluster="doc_id")
    assert summary.report_sums.cells[None].height < QUESTIONS.height
    options: list[dict[str, Any]] = [
        {},
        {"search": FEW_DRAWS.replace(holdout=0.5)},
        {"depth": 3},
        {"metrics": ["cer_mean", "anls"]},
        {"metrics": "exact_match", "confidence": 0.9},
        {"columns": ["n_words", "question_types"], "search": FEW_DRAWS.replace(bins=3)},
    ]
    for given in options:
        one: dict[str, Any] = {"search": FEW_DRAWS, **given}
        of_rows = af.find_slices(
            QUESTIONS, "rapidocr", "answers", **{"columns": COLUMNS, **one}, cluster="doc_id"
        )
        of_summary = af.find_slices(summary, **one)
        check_equal(of_summary, of_rows)
        for place in range(of_rows.frame.height):
            rows = QUESTIONS.filter(of_rows.filter(place))
            assert QUESTIONS.filter(of_summary.filter(place)).equals(rows)


def test_groups_of_folded_summaries_are_documents() -> None:
    """Each document of the sample data is a group of its own, but in another order."""
    options: dict[str, Any] = {"by": COLUMNS, "cluster": "doc_id"}
    for summary in (
        af.summarize(QUESTIONS, "rapidocr", "answers", **options),
        af.summarize(QUESTIONS, ["rapidocr", "tesseract"], "answers", **options),
    ):
        folded, whole = (af.find_slices(one).frame for one in (summary.fold_clusters(), summary))
        assert folded.height
        unlike = ["p_adjusted", "overlapping"]
        assert_frame_equal(folded.drop(unlike), whole.drop(unlike), rel_tol=1e-12)
        assert folded["p_adjusted"].to_list() == pytest.approx(whole["p_adjusted"].to_list(), abs=0.02)


def test_own_scores_have_the_slices_of_their_rows() -> None:
    frame = scores()
    columns = ["kind", "pages", "tags"]
    for metric in ("score", af.Metric("score", higher_is_better=False, bounds=(0, 200))):
        summary = merged(frame, by=columns, cluster="doc", metrics=metric)
        for search in (af.SliceSearch(), HONEST):
            of_rows = af.find_slices(frame, columns=columns, cluster="doc", metrics=metric, search=search)
            of_summary = af.find_slices(summary, search=search)
            # Of three rows and more the summary has the mean and the spread, but not their scores.
            check_equal(of_summary, of_rows, draws=2)
            rows = frame.filter(of_rows.filter(0))
            assert frame.filter(of_summary.filter(0)).equals(rows)


def test_what_the_second_system_lost_is_that_of_the_rows() -> None:
    systems = {"rapidocr": "rapidocr", "tesseract": "tesseract"}
    metrics = ["anls", "cer_mean"]
    summary = merged(
        *(QUESTIONS, systems, "answers"),
        summarize=af.summarize,
        by=COLUMNS,
        cluster="doc_id",
        metrics=metrics,
    )
    assert summary.sums.cells["anls"].height < QUESTIONS.height
    options: list[dict[str, Any]] = [
        {"metrics": metrics},
        {"search": HONEST},
        {"metrics": "cer_mean", "depth": 3, "confidence": 0.9},
        {"columns": ["n_words", "question_types"], "search": af.SliceSearch(bins=3)},
    ]
    for one in options:
        of_rows = af.find_slices(
            QUESTIONS, systems, "answers", **{"columns": COLUMNS, **one}, cluster="doc_id"
        )
        check_equal(af.find_slices(summary, **one), of_rows, draws=2)


def test_what_several_systems_lost_is_that_of_the_rows() -> None:
    cut = pl.when(pl.col("doc_type") == "form").then(pl.col("rapidocr").str.head(3)).otherwise("rapidocr")
    frame = QUESTIONS.with_columns(cut=cut)
    systems, metrics = ["rapidocr", "tesseract", "cut"], ["exact_match", "nls"]
    options: dict[str, Any] = {"cluster": "doc_id", "metrics": metrics}
    summary = merged(frame, systems, "answers", by=COLUMNS, **options)
    for search in (af.SliceSearch(), HONEST):
        of_rows = af.find_slices(frame, systems, "answers", COLUMNS, search=search, **options)
        assert of_rows.frame["system"].unique().sort().to_list() == ["cut", "tesseract"]
        check_equal(af.find_slices(summary, search=search), of_rows, draws=2)


def test_a_saved_summary_and_a_pandas_frame_give_the_same(tmp_path: Path) -> None:
    summary = af.summarize(scores(), by="kind", cluster="doc", metrics="score")
    summary.save(tmp_path / "cells.summary")
    loaded = af.Summary.load(tmp_path / "cells.summary")
    assert af.find_slices(loaded).frame.equals(af.find_slices(summary).frame)
    of_pandas = af.summarize(scores().to_pandas(), by="kind", cluster="doc", metrics="score")
    assert af.find_slices(of_pandas).frame["n"].tolist() == af.find_slices(summary).frame["n"].to_list()


def test_what_a_summary_cannot_answer_is_an_error() -> None:
    frame = scores().with_columns(other=pl.col("score").shift(1))
    by = ["kind", "pages"]
    summary = af.summarize(frame, by=by, cluster="doc", metrics=["score", "other"])
    with pytest.raises(ValueError, match="in the same rows"):
        af.find_slices(summary)
    with pytest.raises(ValueError, match="names of the summary's metrics"):
        af.find_slices(summary, metrics="anls")
    for columns in ("lang", ["kind", "lang"], pl.col("kind"), [pl.col("kind")]):
        with pytest.raises(ValueError, match="names of those that the summary is sliced by"):
            af.find_slices(summary, columns=columns, metrics="score")
    with pytest.raises(ValueError, match="twice"):
        af.find_slices(summary, columns=["kind", "kind"], metrics="score")
    with pytest.raises(ValueError, match="must have clusters"):
        af.find_slices(af.summarize(frame, by=by, metrics="score"))
    with pytest.raises(ValueError, match="sliced by the columns to search; name them in by="):
        af.find_slices(af.summarize(frame, cluster="doc", metrics="score"))
    for option in ({"cluster": "doc"}, {"missing": "drop"}, {"protocol": "raw"}):
        with pytest.raises(ValueError, match=rf"{next(iter(option))}.*must be left out"):
            af.find_slices(summary, metrics="score", **option)
    with pytest.raises(ValueError, match=r"features.*must be left out"):
        af.find_slices(summary, metrics="score", search=af.SliceSearch(features=True))
    texts = af.summarize(
        QUESTIONS, "rapidocr", "answers", by="lang", cluster="doc_id", metrics=["cer_corpus", "zeros"]
    )
    for name in (None, "cer_corpus", "zeros"):
        with pytest.raises(ValueError, match="means of scores"):
            af.find_slices(texts, metrics=name)


def test_what_a_summary_of_systems_cannot_answer_is_an_error() -> None:
    frame = scores().with_columns(old=pl.lit(100.0))
    options: dict[str, Any] = {"answers": None, "by": "kind", "cluster": "doc"}
    with pytest.raises(ValueError, match=r"prediction.*must be left out"):
        af.find_slices(af.summarize(frame, ["old", "score"], **options), {"old": "old", "new": "score"})
    many = frame.with_columns(old.alias(f"s{number}") for number, old in enumerate([pl.lit(1.0)] * 13))
    with pytest.raises(ValueError, match=r"must have at most 12 systems, .* got 13; summarize fewer"):
        af.find_slices(af.summarize(many, [f"s{number}" for number in range(13)], **options))
    rates = af.Metric({"a": "pages", "b": "old"}, denominator={"a": "old", "b": "old"}, name="rate")
    systems = {"a": "pages", "b": "old"}
    with pytest.raises(ValueError, match="means of scores"):
        af.find_slices(af.summarize(frame, systems, **options, metrics=rates))
