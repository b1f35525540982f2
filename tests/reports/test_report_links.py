"""Figures of a page lead to their rows: a link selects as many rows as the figure counts."""

from __future__ import annotations

import html
import json
import re
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl

import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS
from rows_pages import Linked

import anls_frame as af

if TYPE_CHECKING:
    from pathlib import Path

QUESTIONS = pl.read_parquet("data/ocr_qa.parquet")
SYSTEMS = {"old": "tesseract", "new": "rapidocr"}
BY = ["lang", "question_types", "difficulty"]


def test_slices_and_error_types_of_a_report_lead_to_their_rows(tmp_path: Path) -> None:
    report = af.report(
        QUESTIONS, "tesseract", "answers", by=[["lang"], ["question_types", "difficulty"]], details=True
    )
    page = af.browse(QUESTIONS, "tesseract", "answers", by=BY)

    found = Linked(report.write(tmp_path / "report.html", rows=page).read_text("utf-8"))

    counts = {view: found.count(view) for view in found.views}
    slices = [*report.tables["lang"]["n"], *report.tables["question_types,difficulty"]["n"]]
    types = dict(report.errors().select("error_type", "n").iter_rows())
    of_types = {view: count for view, count in counts.items() if view.startswith("type_0=")}
    of_slices = [count for view, count in counts.items() if "score_" in view]
    assert of_slices == [report.overall["n"], *slices]
    assert {json.loads(dict(parse_qsl(view))["type_0"]): count for view, count in of_types.items()} == {
        name: count for name, count in types.items() if count
    }
    assert 'by_0="ja"&type_0="near"' in {"&".join(f"{a}={b}" for a, b in parse_qsl(view)) for view in counts}


@pytest.mark.parametrize("systems", [SYSTEMS, {**SYSTEMS, "again": "tesseract"}])
def test_slices_and_transitions_of_a_comparison_lead_to_their_rows(
    tmp_path: Path, systems: dict[str, str]
) -> None:
    comparison = af.compare(QUESTIONS, systems, "answers", by="lang", details=True)
    page = af.browse(QUESTIONS, systems, "answers", by=["lang"])

    found = Linked(comparison.write(tmp_path / "comparison.html", rows=page).read_text("utf-8"))

    changed = comparison.transitions
    for key, system, old, new, n in changed.select(
        "lang", "system", "old_error_type", "new_error_type", "n"
    ).iter_rows():
        place = list(systems).index(system)
        values = {"by_0": key, "type_0": old, f"type_{place}": new}
        views = [
            view for view in found.views if dict(parse_qsl(view)) == {k: f'"{v}"' for k, v in values.items()}
        ]
        assert len(views) == 1
        assert found.count(views[0]) == n
    slices = [view for view in dict.fromkeys(found.views) if "score_" in view]
    counts = [found.count(view) for view in slices]
    assert counts == [1568, *af.report(QUESTIONS, "tesseract", "answers", by="lang").by_group["n"]]


def test_the_policies_allow_both_scripts_and_the_images(tmp_path: Path) -> None:
    report = af.report(QUESTIONS, "tesseract", "answers")
    page = af.browse(QUESTIONS, "tesseract", "answers", image="https://images.example/{doc_id}.png")

    found = Linked(report.write(tmp_path / "report.html", rows=page).read_text("utf-8"))

    assert found.rows is not None
    (inner,) = re.findall("script-src ('[^']*')", found.rows.policy)
    assert inner in re.findall("script-src ([^;]*)", found.policy)[0].split()
    assert re.findall("img-src ([^;]*)", found.policy) == ["data: https://images.example"]
    assert found.rows.html == page.write(tmp_path / "rows.html").read_text("utf-8")


def test_hostile_slices_are_texts(tmp_path: Path) -> None:
    texts = [text for text in HOSTILE_TEXTS if len(text) < 200]
    frame = pl.DataFrame({"a": texts, "b": texts, "</script><i>": texts})
    report = af.report(frame, "a", "b", by="</script><i>", details=True)
    page = af.browse(frame, "a", "b", by="</script><i>")

    found = Linked(report.write(tmp_path / "report.html", rows=page).read_text("utf-8"))

    slices = {view for view in found.views if view.startswith("by_0=") and "score_" in view}
    assert {found.count(view) for view in slices} == {1}
    assert {json.loads(dict(parse_qsl(view))["by_0"]) for view in slices} == set(texts)


def test_rows_must_fit_the_figures(tmp_path: Path) -> None:
    report = af.report(QUESTIONS, "tesseract", "answers", by="lang")
    without = af.browse(QUESTIONS, "tesseract", "answers")
    other = af.browse(QUESTIONS, "tesseract", "answers", protocol="anls_star")

    found = Linked(report.write(tmp_path / "report.html", rows=without).read_text("utf-8"))

    # The page cannot select languages: nothing promises it.
    assert found.views == []
    with pytest.raises(ValueError, match="the page of rows must be scored as the figures are, but protocol"):
        report.write(tmp_path / "report.html", rows=other)
    with pytest.raises(ValueError, match="rows can be written to"):
        report.write(tmp_path / "report.csv", rows=without)


def test_a_page_without_rows_has_no_links(tmp_path: Path) -> None:
    report = af.report(QUESTIONS, "tesseract", "answers", by="lang", details=True)
    text = report.write(tmp_path / "report.html").read_text("utf-8")

    assert "data-view=" not in text
    assert "<iframe" not in text
    assert html.unescape(text).count("<script>") == 1
