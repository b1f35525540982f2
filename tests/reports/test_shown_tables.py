"""Which tables of a result are shown and written, and whether with intervals."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import fastexcel
import polars as pl
import pytest
from html_pages import HtmlPage

import anls_frame as af
from anls_frame.export import SUFFIXES

FRAME = pl.DataFrame(
    {
        "old": ["a", "b", "c", "x"] * 10,
        "new": ["a", "b", "x", "x"] * 10,
        "answer": ["a", "b", "c", "d"] * 10,
        "lang": ["de", "en"] * 20,
        "kind": ["form", "form", "letter", "letter"] * 10,
        "doc": [f"d{number // 4}" for number in range(40)],
    }
)
BY = [["lang"], ["kind"], ["lang", "kind"]]
INTERVAL = re.compile(r"\[-?\+?[\d.]+, ")


def report() -> af.Report[Any]:
    return af.report(FRAME, "old", "answer", by=BY, cluster="doc")


def comparison() -> af.Comparison[Any]:
    return af.compare(FRAME, {"old": "old", "new": "new"}, "answer", by=BY, cluster="doc", draws=199)


def read(path: Path) -> str:
    """Return a written file as text: of a workbook and of Parquet, their names and cells."""
    if path.suffix == ".xlsx":
        book = fastexcel.read_excel(path)
        sheets = {name: book.load_sheet(name, header_row=None).to_polars() for name in book.sheet_names}
        return "\n".join(f"{name} {sheet.rows()}" for name, sheet in sheets.items() if name != "Settings")
    if path.suffix == ".parquet":
        return str(pl.read_parquet(path).columns)
    return path.read_text(encoding="utf-8")


def names_of(made: Any, **shown: Any) -> list[str]:
    return [table.name for table in made.to_document(**shown).tables]


def test_tables_are_chosen_by_their_slices_in_the_given_order() -> None:
    assert names_of(report(), tables=["kind", "lang"]) == ["By kind", "By lang"]
    assert names_of(report(), tables=["lang,kind"]) == ["By lang and kind"]
    assert names_of(report(), tables=["By kind", "kind"]) == ["By kind"]
    assert [name for name in names_of(comparison(), tables=["kind"]) if "kind" not in name] == []


@pytest.mark.parametrize("wrong", [["type"], [], "lang"])
def test_a_table_that_is_not_there_is_an_error_that_names_those_that_are(wrong: Any) -> None:
    with pytest.raises((ValueError, TypeError), match="tables must") as error:
        report().to_text(tables=wrong)
    if wrong == ["type"]:
        assert "'lang,kind'" in str(error.value)


@pytest.mark.parametrize("suffix", SUFFIXES)
@pytest.mark.parametrize("make", [report, comparison])
def test_every_format_holds_the_chosen_table_and_no_other(make: Any, suffix: str, tmp_path: Path) -> None:
    path = make().write(tmp_path / f"one{suffix}", tables=["kind"], title="One")
    text = read(path)
    if suffix in (".csv", ".tsv", ".jsonl", ".parquet"):
        head = text.splitlines()[0]
        assert "kind" in head
        assert "lang" not in head
    elif suffix == ".json":
        tables = json.loads(text)["tables"]
        assert all("kind" in name for name in tables)
    else:
        assert "By kind" in text or "by kind" in text
        assert "By lang" not in text
        assert "by lang" not in text


@pytest.mark.parametrize("suffix", [".md", ".tex"])
def test_a_text_for_a_paper_holds_the_first_table_and_names_the_others(suffix: str, tmp_path: Path) -> None:
    path = report().write(tmp_path / f"first{suffix}")
    text = path.read_text(encoding="utf-8")
    assert "urther tables, which tables= adds" in text
    after = text.partition("urther tables")[0] if suffix == ".md" else text.partition(r"\toprule")[2]
    assert "letter" not in after
    every = report().write(path, tables=["lang", "kind", "lang,kind"]).read_text(encoding="utf-8")
    assert "urther tables" not in every
    assert "letter" in every


@pytest.mark.parametrize("suffix", [".md", ".tex", ".html"])
@pytest.mark.parametrize("make", [report, comparison])
def test_intervals_false_shows_figures_alone(make: Any, suffix: str, tmp_path: Path) -> None:
    made = make()
    text = made.write(tmp_path / f"plain{suffix}", intervals=False).read_text(encoding="utf-8")
    # Settings have lists, and the head of a page is a sentence.
    cells = "".join(re.findall("<td.*?</td>", text)) if suffix == ".html" else re.sub("(?m)^%.*$", "", text)
    assert INTERVAL.search(cells.partition("Settings")[0]) is None
    assert INTERVAL.search(made.to_text(intervals=False)) is None
    assert INTERVAL.search(made.to_text()) is not None


def test_a_chosen_table_has_its_own_name_on_a_screen() -> None:
    assert report().to_text(tables=["kind"]).startswith("By kind\n")
    assert report().to_text(tables=["lang"]).startswith("Scores by lang, by kind, by lang and kind\n")


def sections(path: Path) -> list[str]:
    """Return the headings of a page."""
    return HtmlPage(path.read_text(encoding="utf-8")).texts("h2")


def test_a_page_has_the_charts_of_the_chosen_tables_alone(tmp_path: Path) -> None:
    made = af.report(FRAME.drop("doc"), "new", "answer", by="kind", details=True, worst=2)
    path = tmp_path / "page.html"
    assert {"Distribution", "Error types by slice", "Worst rows, aligned"} < {*sections(made.write(path))}
    assert sections(made.write(path, tables=["kind"])) == ["By kind", "Settings"]
    errors = ["Error types", "Error types by slice", "Settings"]
    assert sections(made.write(path, tables=["Error types"])) == errors
    worst = ["Worst rows", "Worst rows, aligned", "Settings"]
    assert sections(made.write(path, tables=["Worst rows"])) == worst


def test_a_page_explains_each_mark_once(tmp_path: Path) -> None:
    systems = {"old": "old", "new": "new", "answer": "answer"}
    made = af.compare(FRAME.with_columns(reference="answer"), systems, "reference", by="kind", draws=199)
    text = HtmlPage(made.write(tmp_path / "page.html").read_text(encoding="utf-8")).text
    assert text.count(": the systems with the best score of each slice") == 1
    assert "; best: " not in text
    assert text.count("few rows or documents") == len(re.findall(r"\*:", text))


def test_a_heat_map_without_intervals_has_scores_alone(tmp_path: Path) -> None:
    systems = {"old": "old", "new": "new", "answer": "answer"}
    made = af.compare(FRAME.with_columns(reference="answer"), systems, "reference", by="kind", draws=199)
    path = tmp_path / "page.html"

    def cells(**shown: Any) -> list[str]:
        page = HtmlPage(made.write(path, **shown).read_text(encoding="utf-8"))
        return page.find("table.heat")[0].texts("td")

    # Nine cells of three slices; the old system is right in three rows of four.
    assert sum("[" in cell for cell in cells()) == 9
    assert not any("[" in cell for cell in cells(intervals=False))
    assert "0.750" in cells(intervals=False)


@pytest.mark.parametrize("tables", [None, ["kind"], ["lang", "kind"]])
@pytest.mark.parametrize("n_systems", [2, 3])
@pytest.mark.parametrize("copies", [1, 30])
def test_notes_explain_marks_that_shown_tables_have_and_no_others(
    tmp_path: Path, tables: list[str] | None, n_systems: int, copies: int
) -> None:
    frame = pl.concat([FRAME.with_columns(doc=pl.col("doc") + f" {copy}") for copy in range(copies)])
    frame = frame.with_columns(third="old")
    systems = ["old", "new", "third"][:n_systems]
    result = af.compare(frame, systems, "answer", by=BY[:2], cluster="doc", draws=199)
    path = result.write(tmp_path / "result.md", tables=tables)
    written = path.read_text(encoding="utf-8").partition("## Settings")[0]
    cells = " ".join(line for line in written.splitlines() if line.startswith("|"))
    notes = [line.removeprefix("- ") for line in written.splitlines() if line.startswith("- ")]

    for mark, explained in (("●", "● "), ("◂", "◂ "), ("*", "\\* ")):
        is_shown = (mark in cells) if mark != "*" else bool(re.search(r"\d\*(?!\*)", cells))
        assert any(note.startswith(explained) for note in notes) == is_shown, (mark, written)


@pytest.mark.parametrize("suffix", ["html", "md", "json", "xlsx", "tex"])
def test_remarks_that_begin_with_a_mark_are_no_notes_on_marks(suffix: str, tmp_path: Path) -> None:
    many = pl.concat([FRAME] * 100)
    remarks = ["* without the pages of March", "◂ by hand", "● approved"]
    path = af.report(many, "new", "answer").write(tmp_path / f"report.{suffix}", remarks=remarks)
    if suffix == "xlsx":
        sheets = pl.read_excel(path, sheet_id=0, has_header=False, engine="openpyxl").values()
        written = " ".join(sheet.write_csv() for sheet in sheets)
    else:
        written = path.read_text(encoding="utf-8")
    for remark in remarks:
        assert remark[2:] in written
    assert "treat the interval as rough" not in written


def test_differences_that_rest_on_few_rows_are_not_marked_where_no_interval_shows_them() -> None:
    # Both systems fail in many documents, and the third differs from the first in a few.
    rows = pl.DataFrame({"n": range(400)}).with_columns(
        answer=pl.lit("right"),
        first=pl.when(pl.col("n") % 2 == 0).then(pl.lit("right")).otherwise(pl.lit("x")),
        second=pl.when(pl.col("n") % 3 == 0).then(pl.lit("right")).otherwise(pl.lit("x")),
    )
    rows = rows.with_columns(third=pl.when(pl.col("n") < 4).then(pl.lit("x")).otherwise("first"))
    result = af.compare(rows, ["first", "second", "third"], "answer", metrics="exact_match")
    assert result.overall["few_rows"].to_list() == [False, True]
    assert not result.ranking["few_rows"].any()
    assert "few rows" not in str(result)
    assert "few rows" not in result._repr_html_()
