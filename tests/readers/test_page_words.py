"""No word of a page is lost in silence: it is read, its place is unknown, or another text has its place."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st
from page_zoo import FILES

from anls_frame.readers._page_files import PageFile, read_page_file

GAZETTE = Path(__file__).parent / "pages"
EVERY_FILE = [*FILES, *(path for path in GAZETTE.rglob("*.*"))]


@pytest.mark.parametrize("path", EVERY_FILE, ids=str)
def test_every_place_with_text_is_known(path: Path) -> None:
    assert not read_page_file(path).unknown


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


def words_of(pages: list[str]) -> list[str]:
    return re.findall(r"w\d+", " ".join(pages))


def check_each_word_once(result: PageFile) -> None:
    counts = Counter(words_of(result.pages))
    assert max(counts.values(), default=1) == 1


@given(text=page_files())
def test_words_of_drawn_page_xml_are_read_unless_another_text_has_their_place(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    result = read(tmp_path_factory, text)
    root = ET.fromstring(text)  # noqa: S314 - drawn

    check_each_word_once(result)
    # Only where another text has the place of a word may the word be lost without a count.
    lost = {*words_of([text])} - {*words_of(result.pages)}
    assert len(lost - {*replaced(root)}) <= result.n_unknown <= len(lost)
    # What a line itself says is read in any case, once, wherever the line stands.
    pages = "\n".join(result.pages).split("\n")
    for line in (line for page in root.iter("Page") for line in page.iter("TextLine")):
        texts = [text for text in map(unicode, best_first(line.findall("TextEquiv"))) if text]
        assert texts[:1] == [] or texts[0] in pages


def replaced(root: ET.Element) -> list[str]:
    """
    Return the words that another text replaces.

    This text is the best of the same element, one of a line or word that contains them, or what is in a
    region, as many words as it has or, if lines have them, twice as many.
    """
    words: list[str] = []
    for element in root.iter():
        own = [equivalent for equivalent in element.findall("TextEquiv") if unicode(equivalent)]
        best, *others = best_first(own) or [None]
        if best is None:
            continue
        for other in others:
            words += unicode(other).split()
        inside = [equivalent for equivalent in element.iter("TextEquiv") if equivalent not in own]
        if element.tag in {"TextLine", "Word", "Glyph"}:
            words += [word for equivalent in inside for word in unicode(equivalent).split()]
        else:
            n = sum(len(unicode(equivalent).split()) for equivalent in inside)
            are_lines = element.find("TextLine") is not None
            words += unicode(best).split()[: 2 * n if are_lines else n]
    return words


def unicode(equivalent: ET.Element) -> str:
    return equivalent.findtext("Unicode") or ""


def best_first(equivalents: list[ET.Element]) -> list[Any]:
    """Return texts by index, or without any by confidence, as the documentation says."""
    if any(equivalent.get("index") for equivalent in equivalents):
        return sorted(equivalents, key=lambda one: int(one.get("index", "9")))
    return sorted(equivalents, key=lambda one: -float(one.get("conf", "-1")))


@given(text=alto_files())
def test_words_of_drawn_alto_are_read_or_counted(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    result = read(tmp_path_factory, text)
    root = ET.fromstring(text)  # noqa: S314 - drawn

    check_each_word_once(result)
    several = len(root.findall("Layout/Page")) > 1
    inside = root.findall("Layout/Page") if several else [root]
    lines = [line for page in inside for line in page.iter("TextLine")]
    read_words = [one.get("CONTENT", "") for line in lines for one in line.findall("String")]
    assert sorted(words_of(result.pages)) == sorted(words_of(read_words))
    assert len(words_of([text])) == len(words_of(result.pages)) + result.n_unknown


@given(text=hocr_files())
def test_words_of_drawn_hocr_are_read_in_pages_and_counted_in_lines_outside(
    tmp_path_factory: pytest.TempPathFactory, text: str
) -> None:
    result = read(tmp_path_factory, text)
    root = ET.fromstring(text)  # noqa: S314 - drawn

    check_each_word_once(result)
    pages = [page for page in root.iter() if page.get("class") == "ocr_page"]
    outside = [part for part in root.iter() if part.tag.endswith("}p") and part.get("class") == "ocr_par"]
    outside = [part for part in outside if not any(part in page.iter() for page in pages)]
    assert sorted(words_of(result.pages)) == sorted(words_of(["".join(page.itertext()) for page in pages]))
    assert result.n_unknown == len(words_of(["".join(part.itertext()) for part in outside]))
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
