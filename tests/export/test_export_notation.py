"""One notation of intervals, thousands, percentages and documents, in texts for people and in guides."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from html_pages import HtmlPage

import anls_frame as af

ROOT = Path(__file__).parents[2]
GUIDES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))

NUMBER = r"[-+]?\d*\.\d+(?: %| pp)?"
FAULTS = {
    "an interval is [low, high]": re.compile(rf"{NUMBER} ?(?:to|[-–—]|\.\.\.?|±|\+/-) ?{NUMBER}"),  # noqa: RUF001
    "an interval follows its figure without brackets of its own": re.compile(
        rf"\d(?: %)? \((?:{NUMBER}(?:, ?|–){NUMBER}|\d+–\d+ %)\)"  # noqa: RUF001 - between numbers
    ),
    "the ends of an interval have a space between them": re.compile(rf"\[{NUMBER},{NUMBER}\]"),
    "thousands have a comma": re.compile(r"(?<![\d.,:\w])\d{1,3}(?:[ \u00a0\u202f'’_]\d{3})+(?![\d.,\w])"),  # noqa: RUF001
    "per cent has a space": re.compile(r"\d%(?![\w\d])"),
    "percentage points are pp": re.compile(r"\d ?(?:pts?|p\.p\.|%-points)\b"),
    "documents are no clusters": re.compile(r"\b\d[\d,]* clusters?\b"),
}


def faults(text: str) -> list[str]:
    """Return what is written in another notation, with the rule that it breaks."""
    return [f"{rule}: {found[0]}" for rule, pattern in FAULTS.items() for found in pattern.finditer(text)]


@pytest.mark.parametrize(
    "planted",
    [
        *("ANLS 0.785 to 0.840", "0.785–0.840", "0.785 ± 0.020", "CER 24.1 % (10–59 %)", "0.8 (0.7, 0.9)"),  # noqa: RUF001
        *("0.8 [0.7,0.9]", "5 465 characters", "1'568 rows", "12\u202f345 rows", "95% confidence"),
        *("5.2 pts better", "Intervals allow for 112 clusters."),
    ],
)
def test_another_notation_is_found(planted: str) -> None:
    assert len(faults(f"The score is {planted}")) == 1


@pytest.mark.parametrize(
    "right",
    [
        *(
            "0.785 [0.700, 0.840]",
            "24.1 % [9.8, 59.0]",
            "1,568 rows of 12,345",
            "95 % confidence",
            "rank 3 (1–4)",  # noqa: RUF001
        ),
        *(
            "+0.186 [+0.144, +0.229], 5.2 [1.6, 6.4] percentage points",
            "112 documents (doc_id)",
            "v1.2 3 0.5",
        ),
    ],
)
def test_the_notation_itself_is_no_fault(right: str) -> None:
    assert faults(right) == []


def results() -> Iterator[Any]:
    questions, pages = af.sample(), af.sample("pages")
    of_questions: dict[str, Any] = {"by": "doc_type", "cluster": "doc_id", "details": True}
    many = {f"system {number}": "rapidocr" if number % 2 else "tesseract" for number in range(4)}
    yield af.report(questions, "tesseract", "answers", worst=2, keep="lang", **of_questions)
    yield af.report(pages, "tesseract", "reference", metrics="ocr", by="lang", details=True, worst=1)
    yield af.compare(questions, ["tesseract", "rapidocr"], "answers", draws=199, **of_questions)
    yield af.compare(questions, many, "answers", draws=199, by="doc_type", cluster="doc_id")
    yield af.find_slices(questions, "rapidocr", "answers", ["doc_type", "lang", "profile"], cluster="doc_id")
    yield af.selective(questions, "rapidocr", "answers", "rapidocr_confidence", by="lang", cluster="doc_id")
    judged = questions.with_columns(
        judge=pl.int_range(pl.len()) % 5 > 0, human=(pl.int_range(pl.len()) % 4 > 0).cast(float)
    )
    yield af.corrected(judged.with_columns(pl.col("judge").cast(float)), "judge", "human", cluster="doc_id")
    yield af.overview(questions, "rapidocr", "answers")


@pytest.fixture(scope="module")
def made() -> list[Any]:
    return [*results()]


@pytest.mark.parametrize("percent", [False, True])
def test_results_have_one_notation(made: list[Any], *, percent: bool, tmp_path: Path) -> None:
    for result in made:
        assert faults(result.to_text(percent=percent)) == []
        path = result.write(tmp_path / "page.html", percent=percent)
        page = HtmlPage(path.read_text(encoding="utf-8"))
        # Texts of rows, aligned ones too, are those of the data.
        for part in [*page.find("p.head"), *page.find("td.n"), *page.find("div.val")]:
            assert faults(part.text) == []
            assert not re.search(r"(?<![\d.,])\d{4,}", part.text)
        notes = [item.text for section in page.find("ul.notes") for item in section.find("li")]
        assert faults("\n".join(notes)) == []
        markdown = result.write(tmp_path / "text.md", percent=percent).read_text(encoding="utf-8")
        assert faults(markdown.partition("\n- ")[0]) == []


def printed(source: str) -> str:
    """Return a page without code, links, and the frames of Polars and pandas, which write their own way."""
    lines = [line for line in source.splitlines() if not line.startswith((">>> ", "... ", "│", "|", "    "))]
    text = re.sub(r"(?s)```(?:python|sh|json|toml|text)\n.*?```", "", "\n".join(lines))
    return re.sub(r"`[^`]*`|\]\([^)]*\)", "", text)


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_guides_write_numbers_as_results_do(path: Path) -> None:
    named = ("an interval is [low, high]", "an interval follows its figure without brackets of its own")
    # A sentence may count from one number to another.
    found = [fault for fault in faults(printed(path.read_text("utf-8"))) if not fault.startswith(named)]
    assert found == []


@pytest.mark.parametrize("path", GUIDES, ids=lambda path: path.name)
def test_examples_of_guides_print_one_notation(path: Path) -> None:
    """Tables of results that an example prints; other frames have columns of their own."""
    source = path.read_text("utf-8")
    tables = re.findall(r"(?m)^│.*\d \[.*$|^\w.*\d\.\d+ \[.*$", source)
    assert [fault for line in tables for fault in faults(line)] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_print_one_notation(path: Path) -> None:
    cells = json.loads(path.read_text("utf-8"))["cells"]
    outputs = [output for cell in cells for output in cell.get("outputs", [])]
    texts = ["".join(output.get("data", {}).get("text/plain", [])) for output in outputs]
    assert [fault for text in texts if " ┆ " in text and "shape:" not in text for fault in faults(text)] == []
