"""The law of page readers: words that are read and words left out by a rule are all words of a file."""

from __future__ import annotations

import codecs
import gzip
import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_zoo import FILES

from anls_frame.readers import _page_account as account
from anls_frame.readers._page_files import PageFile, read_page_file

GAZETTE = Path(__file__).parent / "pages"
EVERY_FILE = [*FILES, *(path for path in GAZETTE.rglob("*.*"))]


def plain_count(path: Path) -> int | None:
    """Return the number of words in the texts of a file, without any rule; null for HTML that is no XML."""
    data = gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
    try:
        root = ET.fromstring(data)  # noqa: S314 - files of the tests
    except ET.ParseError:
        encoding = "utf-16" if data.startswith(codecs.BOM_UTF16_LE) else "utf-8-sig"
        return None if b"<html" in data else len(data.decode(encoding).split())
    kind = root.tag.rpartition("}")[2]
    if kind == "alto":
        return sum(len(string.get("CONTENT", "").split()) for string in root.iterfind(".//{*}String"))
    if kind == "PcGts":
        return sum(map(words_of_equivalent, root.iterfind(".//{*}TextEquiv")))
    return None


def words_of_equivalent(equivalent: ET.Element) -> int:
    texts = [equivalent.findtext(f"{{*}}{name}") or "" for name in ("Unicode", "PlainText")]
    return len((texts[0] if texts[0].strip() else texts[1]).split())


def total(read: PageFile) -> int:
    """Return the number of words in an account; letters and joined words are counted by their own tests."""
    return read.read + read.left_out.total() + read.n_unknown


@pytest.mark.parametrize("path", EVERY_FILE, ids=str)
def test_every_word_of_a_file_is_read_or_left_out_by_a_rule(path: Path) -> None:
    read = read_page_file(path)
    # Rules of ALTO leave out hyphens and alternatives, which are no words of the plain count.
    extra = read.left_out[account.HYPHENS] + (
        read.left_out[account.ALTERNATIVES] if b"ALTERNATIVE" in path.read_bytes() else 0
    )
    words = plain_count(path)

    assert set(read.left_out) <= set(account.RULES)
    assert not read.unknown
    if words is not None and not joins_parts(path):
        assert total(read) - extra == words


def joins_parts(path: Path) -> bool:
    """Return whether letters are joined to words, or Strings to words, so that their numbers differ."""
    data = path.read_bytes()
    return b"<SP" in data or b"Glyph" in data or b"HYP" in data or b'CONTENT=" "' in data


# Drawn trees. Each text is a new word, so that one that is lost, or read twice, is seen.


class Words:
    """Words that all differ."""

    def __init__(self) -> None:
        self.n = 0

    def __call__(self, n: int = 1) -> str:
        self.n += n
        return " ".join(f"w{number}" for number in range(self.n - n, self.n))


ORDERS = st.sampled_from(["", ' index="0"', ' index="1"', ' conf="0.3"', ' conf="0.9"'])


@st.composite
def page_files(draw: Any) -> str:
    """Draw a file of PAGE XML."""
    words, ids = Words(), iter(range(1000))

    def equivalents(most: int = 2) -> str:
        n = draw(st.integers(0, most))
        texts = [words(draw(st.integers(0, 2))) for _ in range(n)]
        return "".join(f"<TextEquiv{draw(ORDERS)}><Unicode>{text}</Unicode></TextEquiv>" for text in texts)

    def word() -> str:
        glyphs = "".join(f"<Glyph>{equivalents(1)}</Glyph>" for _ in range(draw(st.integers(0, 2))))
        return f"<Word><Coords/>{glyphs}{equivalents()}</Word>"

    def line() -> str:
        inner = "".join(word() for _ in range(draw(st.integers(0, 2))))
        return f'<TextLine id="i{next(ids)}"><Coords/>{inner}{equivalents()}</TextLine>'

    def region(depth: int) -> str:
        tag = draw(st.sampled_from(["TextRegion", "TableRegion", "TableCell", "MathsRegion", "Layer"]))
        parts = [part(depth - 1) for _ in range(draw(st.integers(0, 3)))] if depth else []
        return f'<{tag} id="i{next(ids)}">{"".join(parts)}{equivalents()}</{tag}>'

    def part(depth: int) -> str:
        return str(draw(st.sampled_from([line, word, lambda: region(depth)]))())

    def page() -> str:
        body = "".join(part(2) for _ in range(draw(st.integers(0, 4))))
        every = re.findall(r'id="(i\d+)"', body)
        refs = draw(st.lists(st.sampled_from(every), max_size=6)) if every else []
        indexed = "".join(f'<RegionRefIndexed index="{n}" regionRef="{ref}"/>' for n, ref in enumerate(refs))
        unordered = "".join(f'<RegionRef regionRef="{ref}"/>' for ref in refs)
        group = f'<OrderedGroup id="g">{indexed}</OrderedGroup>'
        order = draw(
            st.sampled_from(
                [
                    "",
                    f"<ReadingOrder>{group}</ReadingOrder>",
                    f"<ReadingOrder><UnorderedGroup>{unordered}{group}</UnorderedGroup></ReadingOrder>",
                ]
            )
        )
        return f"<Page>{order}{body}</Page>"

    pages = "".join(page() for _ in range(draw(st.integers(1, 2))))
    return f"<PcGts>{draw(st.sampled_from(['', f'<Metadata>{line()}</Metadata>']))}{pages}</PcGts>"


@st.composite
def alto_files(draw: Any) -> str:
    """Draw a file of ALTO."""
    words, ids = Words(), iter(range(1000))

    def string() -> str:
        return f'<String ID="i{next(ids)}" CONTENT="{words(draw(st.integers(0, 2)))}"/>'

    def line() -> str:
        strings = "".join(string() for _ in range(draw(st.integers(0, 3))))
        return f'<TextLine ID="i{next(ids)}">{strings}</TextLine>'

    def block(depth: int) -> str:
        tag = draw(st.sampled_from(["TextBlock", "ComposedBlock", "PrintSpace", "BottomMargin"]))
        inner = [part(depth - 1) for _ in range(draw(st.integers(0, 3)))] if depth else []
        return f'<{tag} ID="i{next(ids)}">{"".join(inner)}</{tag}>'

    def part(depth: int) -> str:
        return str(draw(st.sampled_from([line, string, lambda: block(depth), lambda: block(depth)]))())

    body = "".join(
        f"<Page>{''.join(part(2) for _ in range(draw(st.integers(0, 4))))}</Page>"
        for _ in range(draw(st.integers(1, 2)))
    )
    every = re.findall(r'ID="(i\d+)"', body)
    lists = st.lists(st.lists(st.sampled_from(every), min_size=1, max_size=3), max_size=4)
    refs = draw(lists) if every else []
    members = "".join(f'<ElementRef ID="r" REF="{" ".join(ids)}"/>' for ids in refs)
    groups = f"<OrderedGroup>{members}</OrderedGroup>"
    order = draw(st.sampled_from([groups, f"<UnorderedGroup>{groups}{groups}{members}</UnorderedGroup>"]))
    outside = draw(st.sampled_from(["", line()]))
    return f"<alto><ReadingOrder>{order}</ReadingOrder><Layout>{body}{outside}</Layout></alto>"


HOCR_CLASSES = st.sampled_from(
    [
        *(
            "ocr_carea",
            "ocr_par",
            "ocr_line",
            "ocr_header",
            "ocrx_word",
            "ocr_title",
            "ocr_table",
            "ocrx_block",
        ),
        *("ocr_textfloat", "other"),
    ]
)


@st.composite
def hocr_files(draw: Any) -> str:
    """Draw a file of hOCR, with words between spaces."""
    words = Words()

    def text() -> str:
        return draw(st.sampled_from(["", "\n "])) + (
            f" {words(draw(st.integers(1, 2)))} " if draw(st.booleans()) else ""
        )

    def element(depth: int) -> str:
        tag, name = draw(st.sampled_from(["div", "span", "p", "em"])), draw(HOCR_CLASSES)
        inner = [element(depth - 1) + text() for _ in range(draw(st.integers(0, 3)))] if depth else []
        return f"<{tag} class='{name}'>{text()}{''.join(inner)}</{tag}>"

    def page() -> str:
        inner = "".join(element(3) + text() for _ in range(draw(st.integers(0, 3))))
        return f"<div class='ocr_page'>{text()}{inner}</div>"

    inside = "".join(page() for _ in range(draw(st.integers(1, 2))))
    outside = draw(st.sampled_from([text(), f"<p class='ocr_par'>{text()}</p>", f"<h1>{text()}</h1>"]))
    title = words()
    return (
        f"<html xmlns='http://www.w3.org/1999/xhtml'><head><title>{title}</title></head>"
        f"<body>{inside}{outside}</body></html>"
    )


def read(folder: pytest.TempPathFactory, text: str) -> PageFile:
    path = folder.mktemp("pages") / "page.xml"
    path.write_text(text, "utf-8")
    return read_page_file(path)


def check_each_word_once(result: PageFile) -> None:
    counts = Counter(re.findall(r"w\d+", " ".join(result.pages)))
    assert max(counts.values(), default=1) == 1


@given(text=page_files())
def test_words_of_drawn_page_xml_are_accounted_for(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    result = read(tmp_path_factory, text)
    root = ET.fromstring(text)  # noqa: S314 - drawn

    check_each_word_once(result)
    # Glyphs of a word are joined, so the words that were read are counted by their names.
    n_read = len(re.findall(r"w\d+", " ".join(result.pages)))
    n_others = result.left_out.total() + result.n_unknown
    assert n_read + n_others == sum(map(words_of_equivalent, root.iter("TextEquiv")))
    # What a line itself says is read in any case, once, wherever the line stands.
    pages = "\n".join(result.pages).split("\n")
    for line in (line for page in root.iter("Page") for line in page.iter("TextLine")):
        texts = [text for text in map(unicode, best_first(line.findall("TextEquiv"))) if text]
        assert texts[:1] == [] or texts[0] in pages


def unicode(equivalent: ET.Element) -> str:
    return equivalent.findtext("Unicode") or ""


def best_first(equivalents: list[ET.Element]) -> list[ET.Element]:
    """Return texts by index, or without any by confidence, as the documentation says."""
    if any(equivalent.get("index") for equivalent in equivalents):
        return sorted(equivalents, key=lambda one: int(one.get("index", "9")))
    return sorted(equivalents, key=lambda one: -float(one.get("conf", "-1")))


@given(text=alto_files())
def test_words_of_drawn_alto_are_accounted_for(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    result = read(tmp_path_factory, text)
    root = ET.fromstring(text)  # noqa: S314 - drawn

    check_each_word_once(result)
    assert total(result) == sum(len(one.get("CONTENT", "").split()) for one in root.iter("String"))
    several = len(root.findall("Layout/Page")) > 1
    inside = root.findall("Layout/Page") if several else [root]
    lines = [line for page in inside for line in page.iter("TextLine")]
    assert result.read == sum(
        len(one.get("CONTENT", "").split()) for line in lines for one in line.findall("String")
    )


@given(text=hocr_files())
def test_words_of_drawn_hocr_are_accounted_for(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    result = read(tmp_path_factory, text)
    root = ET.fromstring(text)  # noqa: S314 - drawn

    check_each_word_once(result)
    assert total(result) == len("".join(root.itertext()).split())
    pages = [page for page in root.iter() if page.get("class") == "ocr_page"]
    assert result.read == sum(len("".join(page.itertext()).split()) for page in pages)
    assert len(result.pages) == len(pages)


@given(
    text=st.text(st.sampled_from("ab \u00e9\u3000\t\n\r\f\v\x1c<&"), max_size=40),
    mark=st.sampled_from(["", "\ufeff"]),
)
def test_every_character_of_a_text_is_read_except_ends_of_lines_and_pages(
    tmp_path_factory: pytest.TempPathFactory, text: str, mark: str
) -> None:
    path = tmp_path_factory.mktemp("pages") / "page.txt"
    path.write_bytes((mark + text).encode())
    result = read_page_file(path)

    def printed(part: str) -> str:
        return "".join(letter for letter in part if not letter.isspace())

    assert [printed(page) for page in result.pages] == [
        printed(page) for page in text.split("\f")[: len(result.pages)]
    ]
    assert not printed("".join(text.split("\f")[len(result.pages) :]))
    # Whitespace within a page stays as it is, but for the ends of lines of other systems.
    for page, given_page in zip(result.pages, text.split("\f"), strict=False):
        assert given_page.replace("\r\n", "\n").replace("\r", "\n").startswith(page)
