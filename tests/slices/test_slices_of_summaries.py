"""`find_slices` finds in a summary, or in merged ones, what it finds in the rows."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from polars.testing import assert_frame_equal

import anls_frame as af

QUESTIONS = pl.read_parquet(Path(__file__).parents[2] / "data" / "ocr_qa.parquet")
COLUMNS = ["doc_type", "lang", "answer_type", "question_types", "n_words"]


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


def merged(frame: pl.DataFrame, *texts: str, **options: Any) -> af.Summary:
    """Return the summary of three parts that share documents."""
    ends = [0, frame.height // 5, frame.height // 2, frame.height]
    parts = [frame[start:end] for start, end in pairwise(ends)]
    return af.merge(
        [af.summarize(part, *texts, part=str(place), **options) for place, part in enumerate(parts)]
    )


def check_equal(of_summary: af.Slices, of_rows: af.Slices) -> None:
    assert of_rows.frame.height
    # Sums of rows are rounded, those of summaries are not.
    assert_frame_equal(of_summary.frame, of_rows.frame, rel_tol=0, abs_tol=1e-12)
    intervals = ["description", "n", "n_clusters", "score", "low", "high", "p_adjusted"]
    assert of_summary.frame.select(intervals).equals(of_rows.frame.select(intervals))
    for name in ("n_slices", "n_tests", "signature", "settings", "sentences", "conditions"):
        assert getattr(of_summary, name) == getattr(of_rows, name)


def test_texts_have_the_slices_of_their_rows() -> None:
    summary = merged(QUESTIONS, "rapidocr", "answers", by=COLUMNS, cluster="doc_id")
    assert summary.cells.height < QUESTIONS.height
    options: list[dict[str, Any]] = [
        {},
        {"holdout": 0.5},
        {"depth": 3},
        {"metrics": ["cer_mean", "anls"]},
        {"metrics": "exact_match", "confidence": 0.9},
        {"columns": ["n_words", "question_types"], "bins": 3},
    ]
    for one in options:
        of_rows = af.find_slices(
            QUESTIONS, "rapidocr", "answers", **{"columns": COLUMNS, **one}, cluster="doc_id"
        )
        of_summary = af.find_slices(summary, **one)
        check_equal(of_summary, of_rows)
        for place in range(of_rows.frame.height):
            rows = QUESTIONS.filter(of_rows.filter(place))
            assert QUESTIONS.filter(of_summary.filter(place)).equals(rows)


def test_own_scores_have_the_slices_of_their_rows() -> None:
    frame = scores()
    columns = ["kind", "pages", "tags"]
    for metric in ("score", af.Metric("score", higher_is_better=False, bounds=(0, 200))):
        summary = merged(frame, by=columns, cluster="doc", metrics=metric)
        for holdout in (0, 0.5):
            of_rows = af.find_slices(frame, columns=columns, cluster="doc", metrics=metric, holdout=holdout)
            of_summary = af.find_slices(summary, holdout=holdout)
            check_equal(of_summary, of_rows)
            rows = frame.filter(of_rows.filter(0))
            assert frame.filter(of_summary.filter(0)).equals(rows)


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
    with pytest.raises(ValueError, match="folded"):
        af.find_slices(summary.fold_clusters(), metrics="score")
    with pytest.raises(ValueError, match="must have clusters"):
        af.find_slices(af.summarize(frame, by=by, metrics="score"))
    with pytest.raises(ValueError, match="sliced by"):
        af.find_slices(af.summarize(frame, cluster="doc", metrics="score"))
    for option in ({"cluster": "doc"}, {"missing": "drop"}, {"features": True}, {"protocol": "raw"}):
        with pytest.raises(ValueError, match=rf"{next(iter(option))}.*must be left out"):
            af.find_slices(summary, metrics="score", **option)
    texts = af.summarize(
        QUESTIONS, "rapidocr", "answers", by="lang", cluster="doc_id", metrics=["cer_corpus", "zeros"]
    )
    for name in (None, "cer_corpus", "zeros"):
        with pytest.raises(ValueError, match="means of scores"):
            af.find_slices(texts, metrics=name)
    systems = af.summarize_systems(
        QUESTIONS, ["rapidocr", "tesseract"], "answers", by="lang", cluster="doc_id"
    )
    with pytest.raises(TypeError, match="does not have the squares"):
        af.find_slices(systems)
