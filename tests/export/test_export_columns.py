"""Columns of results: one place for them, their headings and definitions, names that metrics may not take."""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, get_args

import numpy as np
import openpyxl
import polars as pl
import pytest
from html_pages import HtmlPage

import anls_frame as af
from anls_frame.export import Kind, Table
from anls_frame.export.columns import COLUMNS, RESULTS, ends_of, figure_of, schema_of
from anls_frame.export.display import display_table
from anls_frame.export.document import result_table
from anls_frame.export.row_names import PAGES, of_rows
from anls_frame.reports.comparisons import Comparison
from anls_frame.reports.confidences import Selective
from anls_frame.reports.corrected_scores import Corrected
from anls_frame.reports.reports import Report
from anls_frame.slices.result import Slices
from anls_frame.summary.catalogue import NAMED

PACKAGE = Path(af.__file__).parent
HOMES = [PACKAGE / "export" / name for name in ("columns.py", "row_names.py")]
"""The columns, and what some rows call them."""
KINDS = get_args(Kind)
LEAST_WORDS = 7
"""Words of a meaning that nobody writes twice by chance."""
MEANINGS_OF_COLUMNS = {
    of_rows(column.meaning)
    for columns in RESULTS.values()
    for column in columns
    if len(column.meaning.split()) >= LEAST_WORDS
}
HEADINGS = {of_rows(column.heading) for column in COLUMNS.values()} - {""}
DICE = np.random.default_rng(3)
ROWS = 400
FRAME = pl.DataFrame({
    "doc": [row // 4 for row in range(ROWS)],
    "lang": ["de", "en"] * (ROWS // 2),
    "answer": ["total", "12 EUR", "Jackson", "yes"] * (ROWS // 4),
    "first": ["total", "12 EU", "Jackson", "no"] * (ROWS // 4),
    "second": ["totals", "12 EUR", "Jackson", "no"] * (ROWS // 4),
    "third": [None, "12 EUR", "J", "yes"] * (ROWS // 4),
    "sure": DICE.random(ROWS),
    "unsure": DICE.random(ROWS),
    "judge": [1.0, 0.5, 0.0, 1.0] * (ROWS // 4),
    "people": [1.0, None, 0.0, None, None] * (ROWS // 5),
})  # fmt: skip


BY: dict[str, Any] = {"by": "lang", "cluster": "doc"}
ONE = (FRAME, "third", "answer")
RESULTS_OF_KINDS: dict[str, Callable[[], Any]] = {
    "report": lambda: af.report(*ONE, details=True, worst=3, **BY),
    "pages": lambda: af.report(*ONE, metrics="ocr", worst=3, **BY),
    "fields": lambda: af.report(*ONE, metrics="fields", **BY),
    "two": lambda: af.compare(FRAME, ["first", "second"], "answer", details=True, draws=99, **BY),
    "many": lambda: af.compare(FRAME, ["first", "second", "third"], "answer", draws=99, **BY),
    "selective": lambda: af.selective(*ONE, model_confidence=["sure", "unsure"], **BY),
    "corrected": lambda: af.corrected(FRAME, "judge", "people", **BY),
    "slices": lambda: af.find_slices(FRAME, "first", "answer", ["lang", "answer"]),
}


@functools.cache
def result(kind: str) -> Any:
    """Return a result of a kind, with all the tables that it can have."""
    return RESULTS_OF_KINDS[kind]()


@functools.cache
def parsed(path: Path) -> list[ast.AST]:
    """Return all nodes of a module."""
    return [*ast.walk(ast.parse(path.read_text(encoding="utf-8")))]


def second_places(path: Path) -> Iterator[str]:
    """Yield what a module says of columns by their names: a heading or a kind."""
    for node in parsed(path):
        pairs: list[tuple[ast.expr | None, ast.expr]] = []
        if isinstance(node, ast.Dict):
            pairs = [*zip(node.keys, node.values, strict=True)]
        elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "fromkeys" and node.args[1:]:
            names = node.args[0]
            pairs = [(name, node.args[1]) for name in getattr(names, "elts", ())]
        for name, said in pairs:
            words = [part.value if isinstance(part, ast.Constant) else None for part in (name, said)]
            is_about_kinds = words[0] in KINDS and words[1] in KINDS
            if words[0] in COLUMNS and words[1] in {*HEADINGS, *KINDS} and not is_about_kinds:
                yield f"{path.relative_to(PACKAGE)}:{node.lineno}: {words[0]} is {words[1]}"


def meanings_and_ends(path: Path) -> Iterator[str]:
    """Yield the meanings of columns in a module or its docstrings, and intervals with both ends by name."""
    words = " ".join(re.sub("[`*#]", "", path.read_text(encoding="utf-8")).split())
    yield from (f"{path.name}: {meaning}" for meaning in MEANINGS_OF_COLUMNS if meaning in words)
    for node in parsed(path):
        parts = node.args if isinstance(node, ast.Call) else getattr(node, "elts", [])
        listed = {part.value for part in parts if isinstance(part, ast.Constant)}
        figures = {figure_of(name) for name in listed if isinstance(name, str)}
        yield from (f"{path.name}: ends of {name}" for name in figures if {*ends_of(name)} <= listed)


def test_headings_and_kinds_of_columns_stand_in_one_place() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if path not in HOMES]
    assert [place for path in modules for place in second_places(path)] == []


def test_meanings_and_intervals_of_columns_stand_in_one_place() -> None:
    modules = [path for path in PACKAGE.rglob("*.py") if path not in HOMES]
    assert [place for path in modules for place in meanings_and_ends(path)] == []


def test_a_second_meaning_or_interval_is_found(tmp_path: Path) -> None:
    module = tmp_path / "module.py"
    module.write_text(
        '"""Shows `n_empty_reference`, scored rows whose\nreference has no text."""\n'
        'A = ("score_low", "score_high", "score")\nB = select("rank_low", "x", "rank_high")\n',
        "utf-8",
    )
    found = [*meanings_and_ends(module)]
    assert found == [
        "module.py: scored rows whose reference has no text",
        "module.py: ends of score",
        "module.py: ends of rank",
    ]


@pytest.mark.parametrize(
    ("kind", "frame", "of"),
    [
        ("corrected", lambda made: made.by("lang"), "Corrected scores"),
        ("slices", lambda made: made.frame, "Found slices"),
        ("two", lambda made: made.by("lang"), "Scores and comparisons"),
    ],
)
def test_kinds_of_columns_give_the_dtypes_of_a_frame(kind: str, frame: Any, of: str) -> None:
    schema = dict(frame(result(kind)).schema)
    # Keys and lists are not described by a kind.
    names = [name for name in schema if name not in ("lang", "overlapping")]
    assert schema_of(*names, of=RESULTS[of]) == {name: schema[name] for name in names}


def test_a_second_place_is_found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(second_places.__globals__, "PACKAGE", tmp_path)
    module = tmp_path / "module.py"
    module.write_text(
        'A = {"p_value": "p", "own": "p"}\nB = dict.fromkeys(("wins", "x"), "count")\n', "utf-8"
    )
    assert [*second_places(module)] == ["module.py:1: p_value is p", "module.py:2: wins is count"]


@pytest.mark.parametrize("kind", RESULTS_OF_KINDS)
def test_every_column_of_a_result_has_a_heading_and_a_meaning(kind: str) -> None:
    # Keys, systems and texts speak for themselves.
    own = {
        "lang",
        "doc",
        "first",
        "second",
        "third",
        "answers",
        "prediction",
        "slice",
        "metric",
        "system",
        "baseline",
    }
    shown = {"macro": True} if "macro" in result(kind).display_options else {}
    for table in result(kind).to_document(**shown).tables:
        for name, heading in table.headings.items():
            if name in own or name.endswith("_n"):
                continue
            assert table.meaning(name), (table.name, name)
            assert "_" not in heading, (table.name, name)


@pytest.mark.parametrize(
    ("kind", "docstring", "frame"),
    [
        ("report", Report.by, lambda made: made.by("lang")),
        ("report", Report.macro, lambda made: made.macro()),
        ("report", Report.against_rest, lambda made: made.against_rest("lang")),
        ("two", Comparison.by, lambda made: made.by("lang")),
        ("two", Comparison.macro, lambda made: made.macro()),
        ("many", Comparison.ranking, lambda made: made.ranking),
        ("corrected", Corrected.by, lambda made: made.by("lang")),
        ("corrected", Corrected.differences, lambda made: made.differences),
        ("selective", Selective.by, lambda made: made.by("lang")),
        ("selective", Selective.differences, lambda made: made.differences),
        ("selective", Selective.threshold, lambda made: made.threshold(0.5)),
        ("slices", Slices.frame, lambda made: made.frame),
    ],
    ids=lambda value: getattr(value, "__qualname__", None) or getattr(value, "attrname", None),
)
def test_a_docstring_lists_the_columns_of_its_frame(kind: str, docstring: Any, frame: Any) -> None:
    listed = set(re.findall(r"`(\w+)`", docstring.__doc__))
    columns = [name for name in frame(result(kind)).columns if name not in ("slice", "lang", "anls")]
    # Intervals may be listed by their figure.
    assert [name for name in columns if name not in listed and figure_of(name) not in listed] == []


def test_every_score_of_a_report_has_a_meaning() -> None:
    assert [name for name, metric in NAMED.items() if not metric.meaning] == []


def test_no_result_describes_a_column_twice() -> None:
    for title, columns in RESULTS.items():
        names = [column.name for column in columns]
        assert len({*names}) == len(names), title


def test_a_page_defines_the_columns_below_each_table_and_at_their_headings(tmp_path: Path) -> None:
    path = result("report").write(tmp_path / "report.html")
    page = HtmlPage(path.read_text(encoding="utf-8"))
    (first, *_) = page.find("p.defs")
    assert "CER (corpus): all edits divided by all characters of the references" in first.text
    assert "documents: documents that the rows come from" in first.text
    assert "slice:" not in first.text
    titles = {cell.text: cell.attributes.get("title") for cell in page.find("th")}
    assert titles["CER (corpus)"] == "all edits divided by all characters of the references"
    assert titles["no prediction"] == "rows without a prediction"
    assert titles["lang"] is None


def test_definitions_speak_of_pages_where_rows_are_pages() -> None:
    table = result("pages").to_document().tables[0]
    assert table.definitions["pages"] == "scored pages"
    assert table.definitions["documents"] == "documents that the pages come from"


def test_a_word_for_rows_says_all_headings_and_meanings() -> None:
    frame = pl.DataFrame({"slice": ["overall"], "n": [3], "share_of_rows": [1.0], "question_id": ["a"]})
    table = result_table("t", frame, names={**PAGES, "row": "utterance", "question_id": "utterance"})
    columns, (row,) = display_table(table)
    assert [column.heading for column in columns] == ["slice", "utterances", "of the utterances", "utterance"]
    assert [cell.text for cell in row.cells] == ["all utterances", "3", "100 %", "a"]
    assert table.definitions["utterances"] == "scored utterances"


def test_a_mark_is_defined_where_it_occurs() -> None:
    table = result("report").to_document().tables[0]
    assert table.frame["few_rows"].any() == ("*" in table.definitions)
    without = Table("x", table.frame.with_columns(few_rows=False), COLUMNS, ["n"])
    assert without.definitions == {"rows": "scored rows"}


def test_a_workbook_has_a_sheet_of_its_columns(tmp_path: Path) -> None:
    path = result("two").write(tmp_path / "two.xlsx")
    book = openpyxl.load_workbook(path)
    assert book.sheetnames[-3:] == ["Columns", "Settings", "Notes"]
    (head, *lines) = book["Columns"].iter_rows(values_only=True)
    assert head == ("column", "meaning")
    meanings = dict(lines)
    assert meanings["first"] == "the score of the baseline"
    assert meanings["difference"] == "the score of the system minus that of the baseline"
    assert len(lines) == len({*lines})


@pytest.mark.parametrize("name", ["slice", "n", "n_missing", "n_unanswerable", "n_clusters", "few_rows"])
def test_a_metric_may_not_take_the_name_of_a_count(name: str) -> None:
    metric = af.Metric("judge", name=name)
    with pytest.raises(ValueError, match=rf"{name!r} is taken"):
        af.report(FRAME, metrics=[metric])


@pytest.mark.parametrize("kind", RESULTS_OF_KINDS)
def test_the_frame_of_a_view_is_what_data_formats_hold(kind: str, tmp_path: Path) -> None:
    written = pl.read_parquet(result(kind).write(tmp_path / "figures.parquet"))
    held = pl.DataFrame(result(kind))  # by Arrow, from the view
    assert held.columns == written.columns[: held.width]
    assert held.height == written.height


def test_a_column_that_is_left_out_has_its_heading_where_it_is_named() -> None:
    made = af.report(FRAME, "first", "answer")
    assert "no prediction" not in made.to_text()
    text = made.to_text(columns=["n_missing"])
    assert "no prediction" in text
    assert "n_missing" not in text


def test_slices_of_several_metrics_show_each_with_its_decimals() -> None:
    metrics = ["exact_match", "cer_mean"]
    found = af.find_slices(FRAME, "second", "answer", ["lang", "answer"], metrics=metrics)
    columns, rows = display_table(found.to_document().main)
    assert {row.cells[1].text for row in rows} == {"exact match", "CER (mean)"}
    at = [column.name for column in columns].index("score")
    for row, sentence in zip(rows, found.sentences, strict=True):
        assert row.cells[at].text in sentence


def test_axes_are_in_per_cent_where_figures_are(tmp_path: Path) -> None:
    written = result("many").write(tmp_path / "many.html", percent=True, title="t").read_text("utf-8")
    page = HtmlPage(written)
    assert page.find("span.ends")
    assert all("%" in ends.text or "pp" in ends.text for ends in page.find("span.ends"))


@pytest.mark.parametrize(
    ("metrics", "in_percent"), [(["cer_mean", "wer_mean"], True), (["cer_mean", "exact_match"], False)]
)
def test_an_axis_of_several_metrics_is_in_per_cent_if_all_figures_are(
    tmp_path: Path, metrics: list[str], *, in_percent: bool
) -> None:
    compared = af.compare(FRAME, ["first", "second"], "answer", metrics=metrics)
    ends = HtmlPage(compared.write(tmp_path / "compared.html").read_text("utf-8")).find("span.ends")
    assert ends
    assert all(("%" in one.text) == in_percent for one in ends)
