"""No figure of a report or comparison, and no end of its interval, is outside what it can be."""

from __future__ import annotations

import math
import os
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import anls_frame as af

COLUMNS = ("question_types", "lang", "doc_type", "profile", "difficulty", "font_kind", "answer_type")
SHARES = ("anls", "nls", "exact_match", "zeros")
RATES = ("cer_mean", "cer_corpus")
REPORTS = int(os.environ.get("ANLS_FRAME_REPORTS", "4"))
"""`.ci/heavy reports` makes a thousand."""
NUMBER = r"[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
INTERVAL = re.compile(rf"({NUMBER})\s+\[?({NUMBER})(?:, | to )({NUMBER})\b")


@pytest.fixture(scope="module")
def questions() -> pl.DataFrame:
    return af.sample()


def drawn(questions: pl.DataFrame, seed: int) -> tuple[pl.DataFrame, list[str]]:
    """Questions about two to eight documents, and one or two columns to slice them by."""
    random = np.random.default_rng(seed)
    documents = questions["doc_id"].unique(maintain_order=True).to_list()
    chosen = random.choice(documents, random.integers(2, 9), replace=False).tolist()
    by = random.choice(COLUMNS, random.integers(1, 3), replace=False).tolist()
    return questions.filter(pl.col("doc_id").is_in(chosen)), by


def check_ends(row: dict[str, Any], name: str, least: float, most: float) -> None:
    value, low, high = row[name], row[f"{name}_low"], row[f"{name}_high"]
    assert (low is None) == (high is None), (row, name)
    for number in (value, low, high):
        assert number is None or (least <= number <= most and math.copysign(1, number) >= (least and -1)), row
    if low is not None:
        assert low <= value <= high, (row, name)


def check_frame(frame: pl.DataFrame) -> None:
    for row in frame.iter_rows(named=True):
        for name in SHARES:
            check_ends(row, name, 0, 1)
        for name in RATES:
            check_ends(row, name, 0, math.inf)
            if row[f"{name}_high"] is not None:
                assert row[f"{name}_high"] <= 10 * max(row[name], 0.3), row


def check_text(text: str, least: float) -> None:
    """All intervals that are printed, of figures that cannot be below: there are some."""
    assert INTERVAL.search(text)
    assert not re.search(r"-0\.0+(?![0-9])|\b(?:nan|inf)\b", text, re.IGNORECASE)
    for found in INTERVAL.finditer(text):
        value, low, high = map(float, found.groups())
        assert least <= low <= value <= high <= 10 * max(abs(value), 0.3) + 0.01, found.group()


def text_of(page: Path) -> str:
    """Return the text of a page: coordinates of pictures are no figures, and bars have ranges beneath."""
    source = re.sub(r"<title>.*?</title>", " ", page.read_text(encoding="utf-8"))
    return re.sub(r"<[^>]*>", " ", re.sub(r"<(style|script).*?</\1>", " ", source, flags=re.DOTALL))


def check_report(questions: pl.DataFrame, seed: int, path: Path) -> None:
    rows, by = drawn(questions, seed)
    report = af.report(rows, "rapidocr" if seed % 2 else "tesseract", "answers", by=by, cluster="doc_id")
    check_frame(report.to_polars())
    check_text(repr(report), 0)
    check_text(text_of(report.write(path / "report.html")), 0)
    check_frame(pl.read_parquet(report.write(path / "report.parquet")))


def check_comparison(questions: pl.DataFrame, seed: int, path: Path) -> None:
    rows, by = drawn(questions, seed)
    systems = {"tesseract": "tesseract", "rapidocr": "rapidocr"}
    comparison = af.compare(rows, systems, "answers", by=by, cluster="doc_id", draws=100)
    written = pl.read_parquet(comparison.write(path / "comparison.parquet"))
    for frame in (comparison.to_polars(), written):
        for row in frame.iter_rows(named=True):
            check_ends(row, "difference", -1, 1)
    for text in (repr(comparison), text_of(comparison.write(path / "comparison.html"))):
        # Of two documents in two slices there may be no interval at all.
        if comparison.to_polars()["difference_low"].count():
            check_text(text, -1)


@pytest.mark.parametrize("seed", range(REPORTS))
def test_small_reports_stay_within_bounds(questions: pl.DataFrame, seed: int, tmp_path: Path) -> None:
    check_report(questions, seed, tmp_path)


@pytest.mark.parametrize("seed", range(REPORTS))
def test_small_comparisons_stay_within_bounds(questions: pl.DataFrame, seed: int, tmp_path: Path) -> None:
    check_comparison(questions, seed, tmp_path)


def test_all_columns_of_four_documents(questions: pl.DataFrame) -> None:
    """Where once one upper end had sixty digits."""
    documents = questions["doc_id"].unique(maintain_order=True)
    for start in range(0, 16, 4):
        rows = questions.filter(pl.col("doc_id").is_in(documents[start : start + 4].to_list()))
        check_frame(
            af.report(rows, "tesseract", "answers", by="question_types", cluster="doc_id").to_polars()
        )
