"""Figures of a page lead to their rows: a link selects as many rows as the figure counts."""

from __future__ import annotations

import html
import json
import re
from collections import Counter
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import polars as pl
import pytest
from hostile_texts import HOSTILE_TEXTS
from rows_pages import Linked

import anls_frame as af

QUESTIONS = af.sample()
SOME = QUESTIONS[::3]
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
    comparison = af.compare(SOME, systems, "answers", by="lang", details=True)
    page = af.browse(SOME, systems, "answers", by=["lang"])

    found = Linked(comparison.write(tmp_path / "comparison.html", rows=page).read_text("utf-8"))

    views = [(dict(parse_qsl(view)), view) for view in found.views]
    changed = comparison.transitions.select("lang", "system", "baseline_error_type", "error_type", "n")
    for key, system, old, new, n in changed.iter_rows():
        values = {"by_0": key, "type_0": old, f"type_{list(systems).index(system)}": new}
        wanted = {name: f'"{value}"' for name, value in values.items()}
        assert [found.count(view) for conditions, view in views if conditions == wanted] == [n]
    # A page may have its systems in another order.
    turned = af.browse(SOME, dict(reversed(systems.items())), "answers", by=["lang"])
    again = Linked(comparison.write(tmp_path / "comparison.html", rows=turned).read_text("utf-8"))
    of_types = [[view for view in one.views if "type_" in view] for one in (found, again)]
    assert [found.count(view) for view in of_types[0]] == [again.count(view) for view in of_types[1]]
    slices = [view for view in dict.fromkeys(found.views) if "score_" in view and "sort=" not in view]
    report = af.report(SOME, "tesseract", "answers", by="lang")
    assert [found.count(view) for view in slices] == [report.overall["n"], *report.by_group["n"]]


def test_slices_that_were_found_lead_to_their_rows(tmp_path: Path) -> None:
    columns = ["answer_type", "question_types", "n_words", "rapidocr_confidence", "severity", "doc_type"]
    found = af.find_slices(QUESTIONS, "rapidocr", "answers", columns, cluster="doc_id")
    texts = QUESTIONS["rapidocr"].fill_null("")
    faults = (
        # Numbers of which the page asks for the ends, and lists without entries.
        pl.col("severity").is_between(0.2, 0.4),
        (pl.col("doc_type") == "receipt") & (pl.col("question_types").list.len() == 0),
    )
    with_lists = QUESTIONS.with_columns(
        question_types=pl.when(pl.col("question_id") % 7 > 0).then("question_types").otherwise(pl.lit([]))
    )
    every = [(QUESTIONS, "rapidocr", found)]
    for fault in faults:
        rows = with_lists.with_columns(new=pl.when(fault).then(pl.lit("?")).otherwise(texts))
        systems = {"old": "rapidocr", "new": "new"}
        every.append((rows, systems, af.find_slices(rows, systems, "answers", columns, cluster="doc_id")))
    kinds = set()
    for rows, systems, slices in every:
        page = af.browse(rows, systems, "answers", by=columns)
        linked = Linked(slices.write(tmp_path / "slices.html", rows=page).read_text("utf-8"))
        assert [linked.count(view) for view in linked.views] == slices.frame["n"].to_list()
        kinds |= {condition.kind for conditions in slices.conditions for condition in conditions}
    assert kinds == {"equals", "contains", "is missing", "between"}
    # A page without the columns, or with other values under their names, leads nowhere.
    for other in (rows.drop("doc_type"), rows.with_columns(doc_type=pl.lit(1))):
        page = af.browse(other, systems, "answers", by=[name for name in columns if name in other.columns])
        assert not Linked(slices.write(tmp_path / "slices.html", rows=page).read_text("utf-8")).views


def test_slices_of_many_numbers_lead_to_their_rows(tmp_path: Path) -> None:
    rows = QUESTIONS.with_columns(
        page=pl.when(pl.col("question_id") % 9 > 0).then(pl.col("question_id") % 41)
    )
    report = af.report(rows, "rapidocr", "answers", by="page")
    page = af.browse(rows, "rapidocr", "answers", by="page")
    linked = Linked(report.write(tmp_path / "report.html", rows=page).read_text("utf-8"))
    counts = [linked.count(view) for view in dict.fromkeys(linked.views) if "type_" not in view]
    assert counts == [report.overall["n"], *report.by_group["n"]]


def test_slices_of_each_of_many_columns_lead_to_their_rows(tmp_path: Path) -> None:
    by = [f"k{place}" for place in range(40)]
    rows = QUESTIONS.with_columns(pl.col("lang").alias(name) for name in by)
    page = af.browse(rows, "rapidocr", "answers", by=by)
    report = af.report(rows, "rapidocr", "answers", by=by[-1])

    linked = Linked(report.write(tmp_path / "report.html", rows=page).read_text("utf-8"))

    views = [view for view in dict.fromkeys(linked.views) if "type_" not in view]
    assert [linked.count(view) for view in views] == [report.overall["n"], *report.by_group["n"]]


def test_comparisons_have_the_rows_as_a_page_alone_has_them(tmp_path: Path) -> None:
    page = af.browse(SOME, SYSTEMS, "answers")
    alone = page.write(tmp_path / "rows.html").read_text("utf-8")
    for details in (False, True):
        settings = af.compare(SOME, SYSTEMS, "answers", details=details).settings
        assert page.embedded(settings).html == alone


@pytest.mark.parametrize(
    "details", [True, {"min_nls": 0.3, "max_length": 2}], ids=["as the page counts", "otherwise"]
)
def test_substitutions_lead_to_the_rows_that_have_them(tmp_path: Path, details: Any) -> None:
    report = af.report(QUESTIONS, "tesseract", "answers", details=details)
    page = af.browse(QUESTIONS, "tesseract", "answers")

    found = Linked(report.write(tmp_path / "report.html", rows=page).read_text("utf-8"))

    options: dict[str, Any] = {"op": "replace", **({"min_nls": 0.5} if details is True else details)}
    # Each is in the matrix too.
    views = [view for view in found.views if "read_as" in view]
    assert sorted(views[:-30]) == sorted(views[-30:])
    every = af.confusions(QUESTIONS, "tesseract", "answers", **options)
    # Whitespace is left out.
    texts = [pl.col(name).str.contains(r"^\s+$") for name in ("reference_char", "predicted_char")]
    pairs = every.filter(~pl.any_horizontal(texts)).head(30)
    assert pairs.height == 30
    for view, pair in zip(views[-30::3], pairs[::3].iter_rows(named=True), strict=True):
        both = (
            pl.col("reference_char") == pair["reference_char"],
            pl.col("predicted_char") == pair["predicted_char"],
        )
        selected = found.selected(view)
        within, beyond = (
            af.confusions(rows, "tesseract", "answers", **options).filter(*both)["count"].sum()
            for rows in (QUESTIONS.filter(selected), QUESTIONS.filter(~pl.Series(selected)))
        )
        assert (within, beyond) == (pair["count"], 0)
        assert 0 < sum(selected) <= pair["count"]


def test_scores_of_a_heat_map_lead_to_the_rows_of_their_slice_with_the_worst_first(tmp_path: Path) -> None:
    systems = {**SYSTEMS, "again": "tesseract"}
    metrics = ["anls", "cer_mean"]
    comparison = af.compare(SOME, systems, "answers", by="lang", metrics=metrics)
    page = af.browse(SOME, systems, "answers", by="lang", metrics=metrics)

    found = Linked(comparison.write(tmp_path / "comparison.html", rows=page).read_text("utf-8"))

    views = [view for view in found.views if "sort=" in view]
    sorts = Counter(dict(parse_qsl(view))["sort"] for view in views)
    slices = af.report(SOME, "tesseract", "answers", by="lang").to_polars()["n"].to_list()
    places = [(sign, metric, system) for metric, sign in enumerate(("", "-")) for system in range(3)]
    assert sorts == {f"{sign}score_{metric}_{system}": len(slices) for sign, metric, system in places}
    assert Counter(found.count(view) for view in views) == Counter(slices * len(places))


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
    report = af.report(SOME, "tesseract", "answers", by="lang")
    without = af.browse(SOME, "tesseract", "answers")
    other = af.browse(SOME, "tesseract", "answers", protocol="anls_star")

    found = Linked(report.write(tmp_path / "report.html", rows=without).read_text("utf-8"))

    # The page cannot select languages: nothing promises it.
    assert found.views == []
    with pytest.raises(ValueError, match="the page of rows must be scored as the figures are, but protocol"):
        report.write(tmp_path / "report.html", rows=other)
    with pytest.raises(ValueError, match="rows can be written only to"):
        report.write(tmp_path / "report.csv", rows=without)


def test_a_page_without_rows_has_no_links(tmp_path: Path) -> None:
    report = af.report(QUESTIONS, "tesseract", "answers", by="lang", details=True)
    text = report.write(tmp_path / "report.html").read_text("utf-8")

    assert "data-view=" not in text
    assert "<iframe" not in text
    assert html.unescape(text).count("<script>") == 1
