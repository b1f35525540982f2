"""Reports over the committed sample data are those of its own oracle."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sample import DATA

import anls_frame as af
from anls_frame.reports.reports import report

pytestmark = pytest.mark.usefixtures("each_default_engine")

QUESTIONS = af.sample()
PAGES = af.sample("pages")
ORACLE: dict[str, Any] = json.loads((DATA / "oracle_scores.json").read_text(encoding="utf-8"))
SYSTEMS = ["tesseract", "rapidocr"]
QUESTION_SLICES = [name.removeprefix("by_") for name in ORACLE["questions"]["tesseract"] if name != "overall"]
PAGE_SLICES = [name.removeprefix("by_") for name in ORACLE["pages"]["tesseract"] if name != "overall"]


def check(found: dict[str, Any], expected: dict[str, Any]) -> None:
    for name, value in expected.items():
        assert found[name] == (value if isinstance(value, int) else pytest.approx(value, rel=1e-12)), name


def test_slices_of_the_oracle_are_all_there() -> None:
    assert {"question_types", "lang", "doc_type"} <= set(QUESTION_SLICES)
    assert {"lang", "doc_type"} <= set(PAGE_SLICES)


@pytest.mark.parametrize("column", QUESTION_SLICES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_questions(system: str, column: str) -> None:
    made = report(QUESTIONS.lazy(), system, "answers", by=column, cluster="doc_id")
    expected = ORACLE["questions"][system][f"by_{column}"]
    found = {row[column]: row for row in made.by_group.iter_rows(named=True)}
    assert {key for key, row in found.items() if row["n"]} == expected.keys()
    for key, figures in expected.items():
        check(found[key], figures)
    check(made.overall, ORACLE["questions"][system]["overall"])
    assert made.overall["n_unanswerable"] == ORACLE["settings"]["n_unanswerable"]
    assert made.settings["rows"] == ORACLE["settings"]["n_questions"]


@pytest.mark.parametrize("column", PAGE_SLICES)
@pytest.mark.parametrize("system", SYSTEMS)
def test_pages(system: str, column: str) -> None:
    made = report(PAGES, system, "reference", by=column)
    names = ["n", "cer_mean", "cer_corpus"]
    expected = ORACLE["pages"][system][f"by_{column}"]
    found = {row[column]: row for row in made.by_group.iter_rows(named=True)}
    assert found.keys() == expected.keys()
    for key, figures in expected.items():
        check(found[key], {name: figures[name] for name in names})
    check(made.overall, {name: ORACLE["pages"][system]["overall"][name] for name in names})
    sums = made.summary.report_sums.cells[None].select("char_errors_sum", "reference_length_sum").sum().row(0)
    assert sums == tuple(
        ORACLE["pages"][system]["overall"][name] for name in ("char_errors", "reference_length")
    )
