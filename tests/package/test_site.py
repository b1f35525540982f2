"""The pages: every link leads somewhere, and the reference has every public name once."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from pathlib import Path
from urllib.parse import unquote

import pytest

import anls_frame as af
from anls_frame import exceptions, gec, pairs, plot, readers, repeats, statistics, words

ROOT = Path(__file__).parents[2]
_FENCED = re.compile(r"^(`{3,}|:{3,}).*?^\1", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"(?<!\\)\]\(([^()\s]+)\)")


def _pages() -> list[Path]:
    folders = (ROOT / name for name in ("benchmarks", "data", "docs", "examples", "tests"))
    pages = [*ROOT.glob("*.md"), *(page for folder in folders for page in folder.rglob("*.md"))]
    # Texts from engines, in Markdown, are no pages of this project.
    return [page for page in pages if "zoo" not in page.parts or page.name == "NOTE.md"]


def _anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub and MyST make them."""
    text = _FENCED.sub("", page.read_text(encoding="utf-8"))
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    plain = [re.sub(r"\[(.*?)\]\(.*?\)", r"\1", heading).lower() for heading in headings]
    return {re.sub(r"[^\w\- ]", "", heading).strip().replace(" ", "-") for heading in plain}


def test_every_link_of_every_page_leads_somewhere() -> None:
    broken, links = [], 0
    for page in _pages():
        text = _FENCED.sub("", page.read_text(encoding="utf-8"))
        for link in _LINK.findall(text):
            if "://" in link or link.startswith("mailto:"):
                continue
            links += 1
            path, _, anchor = unquote(link).partition("#")
            target = (page.parent / path) if path else page
            if not target.exists() or (anchor and anchor not in _anchors(target)):
                broken.append(f"{page.relative_to(ROOT)}: {link}")
    assert broken == []
    assert links > 100


def test_no_line_of_a_page_is_a_comment_for_sphinx() -> None:
    texts = {page: _FENCED.sub("", page.read_text(encoding="utf-8")) for page in _pages()}
    commented = [page.name for page, text in texts.items() if re.search(r"^\s*%", text, re.MULTILINE)]
    assert commented == []


def test_the_words_of_the_search_lead_to_pages_and_headings() -> None:
    broken = []
    for place in tomllib.loads((ROOT / "site/words.toml").read_text(encoding="utf-8")):
        path, _, anchor = place.partition("#")
        name = path.partition("/generated/anls_frame.")[2]
        page = ROOT / f"{path}.md"
        known = hasattr(af, name) if name else page.exists()
        if not known or (anchor and anchor not in _anchors(page)):
            broken.append(place)
    assert broken == []


def test_every_page_is_on_the_site() -> None:
    listed = {
        (page.parent / f"{line.rstrip('>').rpartition('<')[2]}.md").resolve()
        for page in ROOT.glob("docs/**/*.md")
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
        for line in block.splitlines()
    }
    pages = {page for page in _pages() if page.is_relative_to(ROOT / "docs")}
    assert pages - listed == {ROOT / "docs/index.md"}


def test_every_plot_has_a_section_with_a_picture_for_light_and_dark_pages() -> None:
    page = (ROOT / "docs/plots.md").read_text(encoding="utf-8")
    questions = re.findall(r"^\| ([^|]+\?) \|", page, re.MULTILINE)
    sections = dict(text.split("\n", 1) for text in re.split(r"^### ", page, flags=re.MULTILINE)[1:])
    pictures = {question: re.findall(r"images/(\w+)\.svg", sections[question]) for question in questions}
    assert all(pictures.values())
    assert len(pictures) == len(plot.__all__)
    drawn = [name for names in pictures.values() for name in names]
    files = [f"{name}{theme}.svg" for name in drawn for theme in ("", "-dark")]
    assert [file for file in files if not (ROOT / "docs/images" / file).exists()] == []


@pytest.mark.parametrize(
    ("module", "names"),
    [
        ("anls_frame", {*af.__all__} - {"__version__"}),
        ("anls_frame.exceptions", {*exceptions.__all__} - {*af.__all__, "Problem"}),
        ("anls_frame.gec", gec.__all__),
        ("anls_frame.pairs", {*pairs.__all__} - {*af.__all__}),
        ("anls_frame.plot", plot.__all__),
        ("anls_frame.readers", {*readers.__all__} - {*af.__all__}),
        ("anls_frame.repeats", repeats.__all__),
        ("anls_frame.statistics", statistics.__all__),
        ("anls_frame.words", {*words.__all__} - {*af.__all__}),
    ],
)
def test_the_reference_has_every_public_name_once(module: str, names: list[str]) -> None:
    found: Counter[str] = Counter()
    for page in ROOT.glob("docs/reference/*.md"):
        current = ""
        for line in page.read_text(encoding="utf-8").splitlines():
            if line.startswith(".. currentmodule:: "):
                current = line.split()[-1]
            elif re.fullmatch(r"   \w+", line) and current == module:
                found[line.strip()] += 1
    assert found == Counter(names)


def test_the_page_of_questions_or_a_guide_that_it_links_to_names_every_function() -> None:
    page = ROOT / "docs/which.md"
    text = page.read_text(encoding="utf-8")
    guides = {link.partition("#")[0] for link in _LINK.findall(text) if "reference" not in link}
    texts = [text, *((page.parent / guide).read_text(encoding="utf-8") for guide in guides)]
    named = {word for text in texts for word in re.findall(r"(?<!\w)[a-z]\w+(?=[(`])", text)}
    modules = (af, gec, pairs, readers, repeats, words)
    functions = {name for module in modules for name in module.__all__ if name.islower()} - {"__version__"}
    assert sorted(functions - named) == []


def test_the_page_of_questions_has_a_row_for_each_of_thirty() -> None:
    page, _, _ = (ROOT / "docs/which.md").read_text(encoding="utf-8").partition("\n## Notebooks\n")
    rows = re.findall(r"^\| (?!(?:question|task|file|score of a row) \|).*", page, re.MULTILINE)
    assert 25 <= len(rows) <= 30


def test_the_page_of_json_names_every_schema() -> None:
    named = re.findall(r"schemas/(\w+\.json)", (ROOT / "docs/reference/json.md").read_text(encoding="utf-8"))
    assert sorted(named) == sorted(path.name for path in (ROOT / "docs/schemas").iterdir())


def test_every_guide_is_read_in_one_sitting() -> None:
    # A catalogue, in which one looks up a plot, has a section for each.
    pages = {*ROOT.glob("docs/*.md")} - {ROOT / "docs/plots.md"}
    lines = {page.name: len(page.read_text("utf-8").splitlines()) for page in pages}
    assert {name: count for name, count in lines.items() if count > 350} == {}


@pytest.mark.parametrize(("page", "lines"), [("README.md", 90), ("anls_frame/SKILL.md", 150)])
def test_what_is_read_first_stays_short(page: str, lines: int) -> None:
    assert len((ROOT / page).read_text(encoding="utf-8").splitlines()) <= lines
