"""Hostile texts through the writers of markup and back: GitHub's own Markdown, and a reader of LaTeX."""

from __future__ import annotations

import re
import string
from collections.abc import Mapping
from pathlib import Path

import cmarkgfm
import polars as pl
import pytest
from cmarkgfm.cmark import Options
from hostile_texts import HOSTILE_NAMES, HOSTILE_TEXTS, hostile_document, hostile_names
from html_pages import HtmlPage

import anls_frame as af
from anls_frame.export import Document, Table, write
from anls_frame.export.columns import of_kinds


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Write the hostile report in both formats."""
    folder = tmp_path_factory.mktemp("hostile")
    return {suffix: write(hostile_document(), folder / f"report{suffix}") for suffix in (".md", ".tex")}


# Markdown, rendered by GitHub's own library with raw HTML let through


class Rendered(HtmlPage):
    """A file of Markdown as a page."""

    def __init__(self, path: Path) -> None:
        source = path.read_bytes().decode()
        super().__init__(cmarkgfm.github_flavored_markdown_to_html(source, options=Options.CMARK_OPT_UNSAFE))
        # Numbers to the right is all the markup there is.
        assert all(one.attributes in ({}, {"align": "right"}) for one in self.inside)

    def codes(self, tag: str) -> list[str]:
        """Return what of the text of each such element is code."""
        return ["".join(text for around, text in one.pieces if around == "code") for one in self.find(tag)]


TAGS = {"h1", "h2", "table", "thead", "tbody", "tr", "th", "td", "strong", "em", "code", "ul", "li", "p"}
MARKS = (
    "\u00ad\u061c\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e"
    "\u2060\u2061\u2062\u2063\u2064\u2066\u2067\u2068\u2069\ufeff"
)


def symbol(letter: str, *, in_code: bool) -> str:
    code = ord(letter)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "\u2421"
    noncharacter = 0xFDD0 <= code <= 0xFDEF or code & 0xFFFE == 0xFFFE
    if code in range(0x80, 0xA0) or letter in "\u2028\u2029" or noncharacter:
        return f"\u27e8U+{code:04X}\u27e9"
    return f"\u27e8U+{code:04X}\u27e9" if in_code and letter in MARKS else letter


def with_symbols(text: str, *, in_code: bool = False) -> str:
    return "".join(symbol(letter, in_code=in_code) for letter in text)


def assert_shown(texts: list[str], codes: list[str], expected: tuple[str, ...]) -> None:
    for shown, code, text in zip(texts, codes, expected, strict=True):
        assert shown == (with_symbols(text, in_code=bool(code)) or "empty")
        assert code in ("", shown)


def test_markdown_texts_come_back(files: Mapping[str, Path]) -> None:
    page = Rendered(files[".md"])
    keys = slice(3, 3 + 3 * (len(HOSTILE_TEXTS) + 2), 3)
    assert page.tags == TAGS
    assert page.texts("td")[: keys.start] == ["all rows", "0", "0.500"]
    assert page.texts("td")[3] == "null"
    assert_shown(
        page.texts("td")[6 : keys.stop : 3][: len(HOSTILE_TEXTS)],
        page.codes("td")[6::3][: len(HOSTILE_TEXTS)],
        HOSTILE_TEXTS,
    )


def test_markdown_has_code_where_github_would_link(files: Mapping[str, Path]) -> None:
    linked = {"@somebody", "#1", "GH-1", "https://example.org/a?b=c&d=e#f", "www.example.org", ":smile:"}
    linked |= {"somebody@example.org", "mailto:somebody@example.org", "somebody@example.org\\|x"}
    page = Rendered(files[".md"])
    assert linked <= set(page.codes("td"))
    assert linked <= set(page.codes("li"))


def test_markdown_remarks_and_settings_come_back(files: Mapping[str, Path]) -> None:
    page = Rendered(files[".md"])
    count = len(HOSTILE_TEXTS)
    remarks, settings = page.texts("li")[:count], page.texts("li")[count:]
    for shown, code, text in zip(remarks, page.codes("li"), HOSTILE_TEXTS, strict=False):
        assert shown == with_symbols(text, in_code=bool(code))
    for shown, code, text in zip(settings, page.codes("li")[count:], HOSTILE_TEXTS, strict=True):
        assert shown.endswith(": " + (with_symbols(text, in_code=True) or "empty"))
        assert code.endswith(with_symbols(text, in_code=True))


def test_markdown_names_of_all_kinds_come_back(tmp_path: Path) -> None:
    for text in HOSTILE_NAMES:
        document = hostile_names(text)
        page = Rendered(write(document, tmp_path / "report.md"))
        check_markdown_names(page, text, document.main.frame.columns[1])


def check_markdown_names(page: Rendered, text: str, column: str) -> None:
    assert page.tags <= TAGS
    title, name = page.texts("h1") + page.texts("h2")[:1]
    code = bool(page.codes("h1")[0])
    assert title == name == with_symbols(text, in_code=code)
    assert page.texts("th")[0] == with_symbols(column, in_code=bool(page.codes("th")[0]))
    assert page.texts("p") == ([f"Signature: {with_symbols(text, in_code=True)}"] if text else [])


# LaTeX, read back by a small reader that knows the commands a table may hold and no others


LATEX_TOKEN = re.compile(
    r"""
    \\anlsframecode\{(?P<code>[0-9A-F]+)\}
    | \\anlsframechar\{(?P<decimal>[0-9]+)\}\{[0-9A-F]+\}\{(?P<letter>.)\}
    | \\anlsframetone\{[0-9A-F]+\}\{(?P<latin>.)\}
    | (?P<named>\\text[a-z]+\{\}|\{\\char34\}|\{\[\}|\{\*\}|\$\\[a-z]+\$|\\[{}$&%#_]|\\\ |~)
    | (?P<nothing>\\allowbreak\{\}|\{\})
    | (?P<plain>[^\\{}$&%#~^_])
    """,
    re.VERBOSE | re.DOTALL,
)
NAMED = {
    "\\textbackslash{}": "\\",
    "\\textasciitilde{}": "~",
    "\\textasciicircum{}": "^",
    "\\textless{}": "<",
    "\\textgreater{}": ">",
    "\\textbar{}": "|",
    "\\textquotesingle{}": "'",
    "\\textasciigrave{}": "`",
    "{\\char34}": '"',
    "{[}": "[",
    "{*}": "*",
    "$\\bullet$": "●",
    "$\\triangleleft$": "◂",
    "$\\leq$": "≤",
    "$\\geq$": "≥",
    "\\ ": " ",
    "~": "\u00a0",
}


def latex_text(source: str) -> str:
    text, position = "", 0
    while position < len(source):
        token = LATEX_TOKEN.match(source, position)
        assert token, source[position : position + 80]
        position = token.end()
        if token["code"]:
            text += chr(int(token["code"], 16))
        elif token["decimal"]:
            assert ord(token["letter"]) == int(token["decimal"])
            text += token["letter"]
        elif token["named"]:
            text += NAMED.get(token["named"]) or token["named"][1:]
        elif not token["nothing"]:
            text += token["latin"] or token["plain"]
    return text


def latex_rows(path: Path) -> list[list[str]]:
    source = path.read_bytes().decode()
    return [
        row.split(" & ")
        for row in re.findall(r"^(.*) \\tabularnewline$", source, re.MULTILINE)
        if not row.startswith("\\caption")
    ]


def assert_latex(source: str, text: str) -> None:
    """Equal, or cut with a mark that says how much is missing."""
    shown = latex_text(source.removeprefix("\\raggedright "))
    if shown != text:
        mark = re.fullmatch(r"(.*) \[\.\.\. and ([0-9,]+) more characters\]", shown, re.DOTALL)
        assert mark, (shown, text)
        assert text.startswith(mark[1])
        assert len(mark[1]) + int(mark[2].replace(",", "")) == len(text)
        assert len(text) > 12


def test_latex_texts_come_back(files: Mapping[str, Path]) -> None:
    rows = [row for row in latex_rows(files[".tex"]) if len(row) == 3]
    # The heading twice, for the first page and the others; then the overall row and the null one.
    keys = [row[0] for row in rows[4:]]
    assert rows[2][0] == "\\textbf{all rows}"
    assert rows[3][0] == "\\emph{null}"
    for source, text in zip(keys, HOSTILE_TEXTS, strict=True):
        if text:
            assert_latex(source, text)
        else:
            assert source == "\\emph{empty}"


def test_latex_prints_the_bounds_of_slices(tmp_path: Path) -> None:
    table = Table(
        "Slices", pl.DataFrame({"slice": ["1 < n_words ≤ 3", "length ≥ 7"]}), of_kinds({"slice": "key"})
    )
    path = write(Document("title", [table], {}, ""), tmp_path / "slices.tex")

    assert [latex_text(row) for (row,) in latex_rows(path)[1:]] == ["1 < n_words ≤ 3", "length ≥ 7"]
    assert "anlsframecode{2" not in path.read_text("utf-8")


def test_latex_holds_no_command_of_the_texts(files: Mapping[str, Path]) -> None:
    source = files[".tex"].read_bytes().decode()
    comments = [line for line in source.split("\n") if line.startswith("%")]
    code = "\n".join(line for line in source.split("\n") if not line.startswith("%"))
    for bad in (r"\input", r"\write", r"\def\par", r"\csname", r"\immediate", r"\verb", r"\end{document}"):
        assert bad not in code
    assert all(line.isascii() and line.isprintable() for line in comments)
    assert set(filter(str.isascii, code)) <= set(string.printable) - set("\t\r\x0b\x0c")
    assert not set(code) & set(MARKS)


def test_latex_names_of_all_kinds_come_back(tmp_path: Path) -> None:
    for text in HOSTILE_NAMES:
        document = hostile_names(text)
        path = write(document, tmp_path / "report.tex")
        check_latex_names(path, text, document.main.frame.columns[1])


def check_latex_names(path: Path, text: str, column: str) -> None:
    source = path.read_bytes().decode()
    caption = re.search(
        r"^\\caption\{(.*)\}\\label\{tab:([a-z0-9-]+)\}\\par\\smallskip$", source, re.MULTILINE
    )
    assert caption
    assert_latex(caption[1], f"{text}: {text}" if text else "")
    assert_latex(latex_rows(path)[0][0], column)
    if text:
        signature = re.search(r"^.*Signature: \\texttt\{(.*)\}$", source, re.MULTILINE)
        assert signature
        assert_latex(signature[1], text)


def test_blanks_within_a_key_stay_and_those_around_it_are_written_as_codes(tmp_path: Path) -> None:
    key = "  a" + " " * 50_000 + "b "
    frame = pl.DataFrame({"p": ["a"], "a": ["a"], "g": [key]})
    text = af.report(frame, "p", "a", by="g").write(tmp_path / "r.md").read_text(encoding="utf-8")

    assert f"&#32;&#32;a{' ' * 50_000}b&#32;" in text
