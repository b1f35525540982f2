"""Pages of OCR: kinds told apart by content, reading order, names that pair up, hostile and broken files."""

from __future__ import annotations

import codecs
import gzip
import shutil
import socket
import unicodedata
import warnings
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st

import anls_frame as af
from anls_frame.files.problems import Problems
from anls_frame.readers._page_files import read_page_file
from anls_frame.readers._page_names import by_page, page_of
from anls_frame.readers.pages import _NAMES, read_as_answers

# The text, ALTO and hOCR are as Tesseract 5.3.0 wrote them in one run; PAGE is written by hand.
GAZETTE = Path(__file__).parent / "pages"
PRINTED = """The Harbour Gazette
The council met on Tuesday to dis-
cuss the new bridge & its cost of
£42,000. Nobody said "yes".
Straße und Gemüse: the market
opens at 7.30 a.m. on Friday."""
READ = """The Harbour Gazette
The council met on Tuesday to dis-
cuss the new bridge & its cost of
£42,000. Nobody said "yes".
Strae und Gemiise: the market
opens. at\u20197.30. a.m. on Friday."""

PAGE = (
    '<PcGts xmlns="http://schema.primaresearch.org/PAGE/gts/pagecontent/2019-07-15"><Page>{}</Page></PcGts>'
)
ALTO = '<alto xmlns="http://www.loc.gov/standards/alto/ns-v4#"><Layout><Page><PrintSpace>{}</PrintSpace></Page></Layout></alto>'
HOCR = "<!DOCTYPE html><html><head><meta charset='utf-8'></head><body>{}</body></html>"


def text_of(folder: Path, content: str | bytes, name: str = "page.xml", **options: Any) -> str:
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    (text,) = read_page_file(path, **options).pages
    return text


def problem_of(folder: Path, content: str | bytes, name: str = "page.xml", **options: Any) -> str:
    with pytest.raises(af.InputError) as raised:
        text_of(folder, content, name, **options)
    (problem,) = raised.value.problems
    assert problem.file == str(folder / name)
    return f"{problem.place}: {problem.message}"


def equivalent(text: str) -> str:
    return f"<TextEquiv><Unicode>{text}</Unicode></TextEquiv>"


def line(text: str, **attributes: str) -> str:
    named = "".join(f' {name}="{value}"' for name, value in attributes.items())
    return f"<TextLine{named}>{equivalent(text)}</TextLine>"


def write(folder: Path, files: Iterable[str], text: str = "a\n") -> None:
    for name in files:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


# What Tesseract wrote


def test_the_files_of_one_reading_have_one_text() -> None:
    frame = af.read_pages(
        GAZETTE / "page",
        {name: GAZETTE / name for name in ("text", "alto", "hocr")},
        empty_lines="drop",
    )

    assert frame.to_dict(as_series=False) == {
        "page": ["gazette"],
        "reference": [PRINTED],
        **{name: [READ] for name in ("text", "alto", "hocr")},
    }


def test_empty_lines_are_kept_with_a_warning_where_others_have_none(tmp_path: Path) -> None:
    said = "'text' has more empty lines than 'reference': each counts as an error unless ignored by "
    with pytest.warns(af.InputWarning, match=f'{said}empty_lines="drop"'):
        frame = af.read_pages(GAZETTE / "page", {"text": GAZETTE / "text", "alto": GAZETTE / "alto"})

    assert frame["text"][0].count("\n") == frame["alto"][0].count("\n") + 2
    same = shutil.copy(GAZETTE / "text" / "gazette.txt", tmp_path)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        af.read_pages(GAZETTE / "text", same)


@pytest.mark.parametrize("by_truth", [True, False])
@pytest.mark.parametrize(
    ("layout", "what", "ignoring"),
    [
        ("\n\n", "empty lines", {"empty_lines": "drop"}),
        ("   ", "runs of spaces", {}),
    ],
)
def test_a_layout_that_only_one_side_has_is_told_with_what_ignores_it(
    tmp_path: Path, *, by_truth: bool, layout: str, what: str, ignoring: dict[str, Any]
) -> None:
    words = ["the", "rye", "and", "oats"] * 40
    for folder in ("gt", "ocr"):
        laid_out = (folder == "gt") == by_truth
        text = (layout if laid_out else layout[0]).join(words)
        write(tmp_path, [f"{folder}/{page}.txt" for page in range(3)], text)
    given = (tmp_path / "gt", {"ocr": tmp_path / "ocr"})
    few, many = ("ocr", "reference") if by_truth else ("reference", "ocr")

    with pytest.warns(af.InputWarning, match=f"'{many}' has more {what} than '{few}'") as warned:
        pages = af.read_pages(*given)
    assert len(warned) == 1
    rates = {"metrics": "cer_corpus", "protocol": "raw"}
    assert af.report(pages, "ocr", "reference", **rates).overall["cer_corpus"] > 0.15
    with warnings.catch_warnings():
        warnings.simplefilter("error" if ignoring else "ignore")
        without = af.read_pages(*given, **ignoring)
    if ignoring:
        assert af.report(without, "ocr", "reference", **rates).overall["cer_corpus"] == 0
    # The protocol is not known when pages are read, so the warning must hold under any.
    advice = str(warned[0].message).split("each counts as an error unless ignored by ")[1].split("`")[1]
    rates |= eval(f"dict({advice})", {"PROTOCOLS": af.PROTOCOLS})  # noqa: S307 - as a user would
    assert af.report(pages, "ocr", "reference", **rates).overall["cer_corpus"] == 0


# PAGE


def test_regions_come_in_reading_order_and_what_it_leaves_out_comes_last(tmp_path: Path) -> None:
    regions = "".join(
        f'<TextRegion id="r{name}">{line(name)}</TextRegion>' for name in ("a", "b", "c", "d", "e")
    )
    order = (
        "<ReadingOrder><OrderedGroup id='g'>"
        "<RegionRefIndexed index='10' regionRef='rb'/>"
        "<UnorderedGroupIndexed index='2' id='h'><RegionRef regionRef='re'/><RegionRef regionRef='rc'/>"
        "</UnorderedGroupIndexed></OrderedGroup></ReadingOrder>"
    )

    assert text_of(tmp_path, PAGE.format(regions)) == "a\nb\nc\nd\ne"
    assert text_of(tmp_path, PAGE.format(order + regions)) == "e\nc\nb\na\nd"


def test_regions_inside_others_are_read_once(tmp_path: Path) -> None:
    cells = "".join(f'<TextRegion id="{name}">{line(name)}</TextRegion>' for name in ("x", "y", "z"))
    table = f'<TextRegion id="last">{line("last")}</TextRegion><TableRegion id="t">{cells}</TableRegion>'
    order = "<ReadingOrder><OrderedGroup id='g'>{}</OrderedGroup></ReadingOrder>"
    of_table = order.format("<RegionRefIndexed index='0' regionRef='t'/>")
    of_cell = order.format(
        "<RegionRefIndexed index='1' regionRef='t'/><RegionRefIndexed index='0' regionRef='z'/>"
    )

    assert text_of(tmp_path, PAGE.format(of_table + table)) == "x\ny\nz\nlast"
    assert text_of(tmp_path, PAGE.format(of_cell + table)) == "z\nx\ny\nlast"


def test_lines_come_by_index_and_without_text_are_left_out(tmp_path: Path) -> None:
    lines = line("second", index="1") + "<TextLine/>" + line("", index="2") + line("first", index="0")

    assert text_of(tmp_path, PAGE.format(f"<TextRegion>{lines}</TextRegion>")) == "first\nsecond"


@pytest.mark.parametrize(
    ("region", "expected"),
    [
        ("<TextEquiv><Unicode>two\nlines</Unicode></TextEquiv>", "two\nlines"),
        ("<TextLine><TextEquiv><PlainText>plain</PlainText></TextEquiv></TextLine>", "plain"),
        (
            line("").replace(
                equivalent(""),
                f"<Word>{equivalent('a')}</Word>"
                f"<Word><Glyph>{equivalent('b')}</Glyph><Glyph>{equivalent('c')}</Glyph></Word>",
            ),
            "a bc",
        ),
        ("", ""),
    ],
)
def test_text_is_read_where_it_is(tmp_path: Path, region: str, expected: str) -> None:
    assert text_of(tmp_path, PAGE.format(f"<TextRegion>{region}</TextRegion>")) == expected


# ALTO


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        ('<String CONTENT="a"/><SP/><String CONTENT="b"/><String CONTENT="c"/><SP/>', "a bc"),
        ('<String CONTENT="a"/><String CONTENT="b"/>', "a b"),
        (
            '<String CONTENT="dis" SUBS_TYPE="HypPart1" SUBS_CONTENT="discuss"/><HYP CONTENT="\xad"/>',
            "dis-",
        ),
        ('<String CONTENT="cuss" SUBS_TYPE="HypPart2" SUBS_CONTENT="discuss"/>', "cuss"),
        ('<String CONTENT="exa-" SUBS_TYPE="HypPart1" SUBS_CONTENT="example"/><HYP CONTENT="-"/>', "exa-"),
        ('<String CONTENT="a"><ALTERNATIVE>o</ALTERNATIVE></String><HYP/>', "a-"),
    ],
)
def test_lines_of_alto_are_as_printed(tmp_path: Path, parts: str, expected: str) -> None:
    block = f'<ComposedBlock><TextBlock ID="b"><TextLine>{parts}</TextLine></TextBlock></ComposedBlock>'

    assert text_of(tmp_path, ALTO.format(block)) == expected


@pytest.mark.parametrize(
    ("left", "content", "expected"),
    [
        (30, "b", "x a b"),
        (21, "b", "x ab"),
        (20, "b", "x ab"),
        (15, "b", "x ab"),
        (-30, "b", "x a b"),
        (30, ",", "x a,"),
    ],
)
def test_a_gap_is_a_space_in_lines_that_have_only_some(
    tmp_path: Path, left: int, content: str, expected: str
) -> None:
    # The first word ends at 20, and is 20 high: a gap of 3 is a space, on either side.
    parts = (
        '<String CONTENT="x"/><SP/><String HPOS="10" WIDTH="10" HEIGHT="20" CONTENT="a"/>'
        f'<String HPOS="{left}" WIDTH="10" HEIGHT="20" CONTENT="{content}"/>'
    )

    assert text_of(tmp_path, ALTO.format(f"<TextLine>{parts}</TextLine>")) == expected


@pytest.mark.parametrize(("gap", "expected"), [(4, "x y ab"), (6, "x y a b"), (-14, "x y ab")])
def test_a_gap_narrower_than_half_of_the_usual_space_is_none(tmp_path: Path, gap: int, expected: str) -> None:
    # Words are 10 wide and 20 high; spaces are 10 and, once, 300 wide.
    words = [("x", 0), ("y", 20), ("a", 40), ("b", 50 + gap)]
    strings = [f'<String HPOS="{left}" WIDTH="10" HEIGHT="20" CONTENT="{text}"/>' for text, left in words]
    line = f"<TextLine>{'<SP/>'.join(strings[:3])}{strings[3]}</TextLine>"
    table = line.replace('HPOS="20"', 'HPOS="310"').replace('HPOS="40"', 'HPOS="330"')

    assert text_of(tmp_path, ALTO.format(line)) == expected
    first, _ = text_of(tmp_path, ALTO.format(line + table)).split("\n")
    assert first == expected


def test_alto_of_any_version_is_read(tmp_path: Path) -> None:
    block = '<TextBlock><TextLine><String CONTENT="a"/></TextLine></TextBlock>'
    for namespace in (
        "",
        ' xmlns="http://www.loc.gov/standards/alto/ns-v2#"',
        ' xmlns="http://schema.ccs-gmbh.com/ALTO"',
    ):
        assert text_of(tmp_path, f"<alto{namespace}><Layout>{block}</Layout></alto>") == "a"
    prefixed = '<a:alto xmlns:a="http://www.loc.gov/standards/alto/ns-v4#"><a:TextBlock><a:TextLine>'
    prefixed += '<a:String CONTENT="b"/></a:TextLine></a:TextBlock></a:alto>'
    assert text_of(tmp_path, prefixed) == "b"


# hOCR


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("<p class=ocr_par><span class=ocr_line>a  b<br></span><span class='ocr_line x'>c</span>", "a b\nc"),
        ("<div class=ocr_header><span class=ocr_line>a</span><span class=ocr_line>b</span></div>", "a\nb"),
        ("<span class=ocr_line><b class=ocrx_word>a</b><b class=ocrx_word>b</b></span>", "a b"),
        ("<p class=ocr_par>no &amp; lines&nbsp;here</p><p class=ocr_par>b", "no & lines\xa0here\nb"),
        (
            "<i class=ocr_line>a <i class=alternatives><ins class=alt>b</ins><del class=alt>c</del></i></i>",
            "a b",
        ),
        ("<div class=ocr_page></div>", ""),
    ],
)
def test_hocr_is_read_line_by_line(tmp_path: Path, body: str, expected: str) -> None:
    assert text_of(tmp_path, HOCR.format(body), "page.html") == expected


def test_xhtml_may_use_entities_that_it_does_not_declare(tmp_path: Path) -> None:
    page = (GAZETTE / "hocr" / "gazette.hocr").read_text("utf-8").replace(">Harbour<", ">Har&nbsp;bour<")

    assert "Har\xa0bour" in text_of(tmp_path, page)


# Encodings


@pytest.mark.parametrize("mark", [codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE])
def test_byte_order_marks_are_understood(tmp_path: Path, mark: bytes) -> None:
    encoding = {codecs.BOM_UTF8: "utf-8", codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}[
        mark
    ]
    page = PAGE.format(f"<TextRegion>{line('größer')}</TextRegion>")

    assert text_of(tmp_path, mark + "größer\r\n\r\nals\n\f".encode(encoding), "a.txt") == "größer\n\nals"
    assert text_of(tmp_path, mark + page.encode(encoding)) == "größer"
    declared = f'<?xml version="1.0" encoding="UTF-16"?>{page}'
    assert text_of(tmp_path, mark + declared.encode(encoding)) == "größer"


def test_utf_8_that_calls_itself_utf_16_is_read(tmp_path: Path) -> None:
    page = PAGE.format(f"<TextRegion>{line('größer')}</TextRegion>")
    page = f"<?xml version='1.0' encoding='utf-16'?>{page}"

    assert text_of(tmp_path, page.encode()) == "größer"
    assert "Invalid bytes in character encoding" in problem_of(tmp_path, page.encode("latin-1"))


def test_latin_1_is_an_error_that_says_what_to_do(tmp_path: Path) -> None:
    page = "\n" + PAGE.format(f"<TextRegion>{line('größer')}</TextRegion>")
    named = f'<?xml version="1.0" encoding="ISO-8859-1"?>{page}'

    assert (
        problem_of(tmp_path, "a\ngrößer".encode("latin-1"), "a.txt")
        == "line 2: byte 0xf6 is not valid UTF-8; if this is a text file, pass its encoding, such as "
        'encoding="cp1252"'
    )
    assert text_of(tmp_path, "größer".encode("latin-1"), "a.txt", encoding="latin-1") == "größer"
    # Of the files of a project, only some are in it.
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        assert text_of(tmp_path, "größer".encode(encoding), "a.txt", encoding="cp1252") == "größer"
    assert text_of(tmp_path, "größer".encode("utf-16-le"), "a.txt", encoding="utf-16-le") == "größer"
    assert text_of(tmp_path, "漢字".encode("iso2022_jp"), "a.txt", encoding="iso2022_jp") == "漢字"
    assert problem_of(tmp_path, page.encode("latin-1")).startswith(
        "line 2: not well-formed XML: Invalid bytes in character encoding; the first line"
    )
    assert text_of(tmp_path, named.encode("latin-1")) == "größer"


@pytest.mark.parametrize(
    ("encoding", "given"),
    [
        ("cp1252", {}),
        ("cp1252", {"encoding": "latin-1"}),
        ("utf-16-le", {}),
        ("utf-16-le", {"encoding": "cp1252"}),
        ("utf-16-be", {}),
    ],
)
def test_the_encoding_that_an_error_names_reads_the_text(
    tmp_path: Path, encoding: str, given: dict[str, str]
) -> None:
    text = "\u201cgrößer\u201d \u2013 ja"

    message = problem_of(tmp_path, text.encode(encoding), "a.txt", **given)
    assert message.endswith(f'encoding="{encoding}"')
    assert text_of(tmp_path, text.encode(encoding), "a.txt", encoding=encoding) == text


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("日本語のテキスト、1984年", "shift_jis"),
        ("\u6c49\u5b57 and \U00020000", "gb18030"),
        ("Сено и зерно", "cp1251"),
    ],
)
def test_errors_about_texts_in_other_scripts_name_their_encoding(
    tmp_path: Path, text: str, encoding: str
) -> None:
    message = problem_of(tmp_path, text.encode(encoding), "a.txt")
    assert message.endswith('encoding="shift_jis" (Japanese), gb18030 (Chinese) or cp1251 (Russian)')
    assert text_of(tmp_path, text.encode(encoding), "a.txt", encoding=encoding) == text


# Hostile and broken files


BOMB = "<!DOCTYPE x [<!ENTITY a 'aaaaaaaaaa'>{}]>".format(
    "".join(f"<!ENTITY {chr(98 + n)} '{f'&{chr(97 + n)};' * 10}'>" for n in range(20))
)


@pytest.mark.parametrize(
    "declared",
    [
        BOMB,
        "<!DOCTYPE x [<!ENTITY u SYSTEM 'file:///etc/hostname'>]>",
        "<!DOCTYPE x [<!ENTITY u SYSTEM 'http://127.0.0.1:{port}/'>]>",
        "<!DOCTYPE x [<!ENTITY % u SYSTEM 'http://127.0.0.1:{port}/'> %u;]>",
    ],
)
@pytest.mark.parametrize("wide", [False, True])
def test_entities_are_refused_and_nothing_is_loaded(tmp_path: Path, declared: str, wide: bool) -> None:  # noqa: FBT001
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        port = server.getsockname()[1]
        page = declared.replace("{port}", str(port)) + PAGE.format(f"<TextRegion>{line('&u;')}</TextRegion>")

        said = problem_of(tmp_path, page.encode("utf-16") if wide else page)

        with pytest.raises(BlockingIOError):
            server.accept()
    assert "declares an entity" in said or "not well-formed XML" in said


def test_an_external_definition_is_not_loaded(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0)
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.dtd"
        page = f'<!DOCTYPE PcGts SYSTEM "{address}">' + PAGE.format(f"<TextRegion>{line('a')}</TextRegion>")

        assert text_of(tmp_path, page) == "a"

        with pytest.raises(BlockingIOError):
            server.accept()


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (
            PAGE.format("\n<TextRegion>\n</TextLine>"),
            "line 3: not well-formed XML: Opening and ending tag mismatch",
        ),
        (PAGE.format("a")[:60], "line 1: not well-formed XML: "),
        ("<?xml version='1.0'?>\n<mets/>", ": the root element is 'mets'; pages are PAGE (PcGts)"),
        ("<html xmlns='http://www.w3.org/1999/xhtml'><p>a</p></html>", ": HTML without the classes of hOCR"),
        (HOCR.format("<p class=ocr_par>a")[:-8], "line 1: ends before </html>"),
        (
            HOCR.format(
                "<p class=ocr_line>a</p>\n" + "<div>" * 254 + "<p class=ocr_line>b</p>" + "</div>" * 254
            ),
            "line 2: cannot be read as a whole: tags are nested too deep",
        ),
        (
            HOCR.format(f"<p class=ocr_line title='{'x' * 10_000_001}'>a</p>"),
            "line 1: cannot be read as a whole: a text or a tag is too long",
        ),
        ("", ": the file is empty"),
        ("<TEI><text>a</text></TEI>", ": the root element is 'TEI'"),
        ("a plain text", "line 1: not well-formed XML: "),
        ("<?xml version='1.0'?>" + "<a>" * 100_000, "line 1: not well-formed XML: "),
    ],
)
def test_broken_files_are_named_with_the_line(tmp_path: Path, content: str, expected: str) -> None:
    assert problem_of(tmp_path, content).startswith(expected)


@pytest.mark.parametrize(
    ("files", "message"),
    [
        (
            ["ocr/1.tsv", "ocr/1.pdf"],
            "this folder contains no pages: files of .txt, .md, .xml, .hocr or .html",
        ),
        (["ocr/1.json"], "for documents of fields in JSON, use `anls-frame fields`"),
        (["ocr/1.xml", "ocr/2.xml"], "the root element is 'TEI'; pages are PAGE (PcGts), ALTO"),
        (["ocr/1.html"], "HTML without the classes of hOCR"),
    ],
)
def test_ocr_in_other_formats_is_an_error_that_says_how_to_score_it(
    tmp_path: Path, files: list[str], message: str
) -> None:
    content = "<html><p>a</p></html>" if files[0].endswith("html") else "<TEI><text>a</text></TEI>"
    write(tmp_path, ["gt/1.txt"])
    write(tmp_path, files, content)
    is_markup = files[0].endswith("ml")

    for name in ("ocr", files[0]) if is_markup else ("ocr",):
        with pytest.raises(af.InputError if is_markup else FileNotFoundError) as raised:
            af.read_pages(tmp_path / "gt/1.txt", tmp_path / name)
        assert message in str(raised.value)
        assert "to score OCR in another format, save the text of each page as a .txt file" in str(
            raised.value
        )
        assert "name the ground truth" not in str(raised.value)


OCR = "to score OCR in another format, save"
SPEECH = 'make a table with a row for each utterance, as the guide "Transcripts in text files" does'


@pytest.mark.parametrize(
    ("suffix", "advice"),
    [
        *[(suffix, OCR) for suffix in ("json", "jsonl", "tsv", "csv.gz", "pdf", "png", "TIF")],
        *[(suffix, SPEECH) for suffix in ("SRT", "vtt", "trn", "trn.txt", "stm", "ctm")],
        ("m2", "score it with `anls-frame gec`"),
    ],
)
def test_markup_of_other_formats_is_no_text_of_a_page(tmp_path: Path, suffix: str, advice: str) -> None:
    write(tmp_path, ["gt/1.txt", f"ocr/1.{suffix}", "ocr/1.ocr", "ocr/1"])
    if suffix == "csv.gz":
        (tmp_path / "ocr/1.csv.gz").write_bytes(gzip.compress(b"a", mtime=0))

    with pytest.raises(af.InputError, match=f"files are not read as pages\n{advice}"):
        af.read_pages(tmp_path / "gt/1.txt", tmp_path / "ocr" / f"1.{suffix}")
    # Texts may have any other name.
    write(tmp_path, ["ocr/1.pdf.txt", "ocr/1.zip.txt"])
    for name in ("1.ocr", "1", "1.pdf.txt", "1.zip.txt"):
        assert af.read_pages(tmp_path / "gt/1.txt", tmp_path / "ocr" / name).row(0) == ("1", "a", "a")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("WEBVTT\n\n00:00.000 --> 00:02.000\nHay\n", f"subtitles\n{SPEECH}"),
        ("\ufeff1\r\n00:00:00,000 --> 00:00:02,000\r\nHay\r\n", f"subtitles\n{SPEECH}"),
        ("1089-134686-0000 HAY\n1089-134686-0001 CORN\n", f"the transcripts of LibriSpeech\n{SPEECH}"),
        ('img/1.jpg\t[{"transcription": "Hay", "points": [[0, 0]]}]\n', "names of images and their texts"),
        ("crop/1.JPG\tHay\n", "names of images and their texts"),
        ("HAY (4t0c0201)\nCORN (4t0c0202)\n", f"utterances with an id at the end\n{SPEECH}"),
        (
            "S he go\r\nT0-A0 he goes\r\nA 1 2|||SVA|||goes|||",
            "the edits of sentences\nscore it with `anls-frame",
        ),
        ("S he\nA -1 -1|||noop|||", "the edits of sentences\nscore it with `anls-frame gec`"),
        (
            "".join(f"{number}\tHey\tHay\n" for number in range(1, 9)),
            "rows whose columns have no names\nput the names of the columns above them",
        ),
        (
            "s1-u1 hay\ns1-u2\ns2-u1\tcorn" + "\ns2-u2 oats" * 7,
            f"utterances with an id at the start\n{SPEECH}",
        ),
        ("BAC009S0764 a\n" * 10 + "\n", f"utterances with an id at the start\n{SPEECH}"),
        ("hay (s1-u1) \r\n(s1-u2)\r\n", f"utterances with an id at the end\n{SPEECH}"),
    ],
)
def test_texts_of_other_formats_are_no_pages(tmp_path: Path, text: str, message: str) -> None:
    write(tmp_path, ["gt/1.txt", "ocr/1.txt"])
    (tmp_path / "ocr/list.txt").write_bytes(text.encode())

    with pytest.raises(af.InputError, match="this is not the text of a page, but ") as raised:
        af.read_pages(tmp_path / "gt/1.txt", tmp_path / "ocr/list.txt")
    assert message in str(raised.value)
    with pytest.warns(af.InputWarning, match=r"skipped 1 file without pages: list\.txt: this is not"):
        assert af.read_pages(tmp_path / "gt", tmp_path / "ocr").rows() == [("1", "a", "a")]


@pytest.mark.parametrize(
    "text",
    [
        "(page 3 of 7)",
        "AB-121 hay\n" * 20 + "total 20",
        "AB-121 hay" + "\nAB-121 hay" * 8,
        "AB-121" + "\nAB-121" * 20,
        "1\n00:00:30 start --> end",
        "12-05-2024 Hay",
        "a.jpg is attached",
        "see: ref=[1]",
        "[OCR] Hay",
        "a01 ok 3",
        "x = y (3.1a)\nSee there.",
        "growth (1999)\nloss (2000)",
        "a (B2)\nb (B3)",
        "COVID-19 came.\nCOVID-19 went.",
        "S he go\nA 1 2",
        "1\tHay\n2\tCorn\n3\tRye\n4\tOats",
        "1\tHay\n2\tCorn\n\n3\tRye\n4\tOats\n5\tPeas",
    ],
)
def test_texts_that_begin_like_other_formats_are_pages(tmp_path: Path, text: str) -> None:
    assert text_of(tmp_path, text, "1.txt") == text


TAGS = st.sampled_from(
    ["<div>", "</div>", "<b>", "</b>", "<br>", "<!--", "-->", "<p class=x>", "&nbsp;", "<", "&", "\0"]
)
PARTS = st.one_of(
    TAGS, st.text("ab \n\u00e9\u202e", max_size=5), st.integers(1, 400).map(lambda n: "<span>" * n)
)


@drawn(
    before=st.lists(PARTS, max_size=8),
    after=st.lists(PARTS, max_size=8),
    data=st.sampled_from([b"", b"\0", b"\xff"]),
)
def test_any_hocr_that_is_no_xml_is_read_as_a_whole_or_named(
    tmp_path_factory: pytest.TempPathFactory, before: list[str], after: list[str], data: bytes
) -> None:
    folder = tmp_path_factory.mktemp("pages")
    line = "</script></style>--><span class='ocr_line'>the line</span>"
    page = HOCR.format("<p class=ocr_line>first</p>" + "".join(before) + line + "".join(after))
    path = folder / "page.html"
    path.write_bytes(page.encode("utf-8", "surrogatepass").replace(b"\0", data))
    try:
        text = "\n".join(read_page_file(path).pages)
    except af.InputError as error:
        text = None
        named = {problem.file for problem in error.problems}

    assert "the line" in text if text is not None else named == {str(path)}


# Which files are which pages


@pytest.mark.parametrize(
    ("name", "page"),
    [
        ("page_001.txt", "page_001"),
        ("page_001.gt.txt", "page_001"),
        ("page_001.GT.TXT", "page_001"),
        ("page_001.png.xml", "page_001"),
        ("0001.bin.png.gt.txt", "0001"),
        ("vol.2/p1.alto.xml.gz", "vol.2/p1"),
        ("report-1.5.txt", "report-1.5"),
        ("Mr. Smith.hocr", "Mr. Smith"),
        (".txt", ".txt"),
        ("README", "README"),
    ],
)
def test_the_name_of_a_page_has_no_suffixes_of_programs(name: str, page: str) -> None:
    assert page_of(Path("folder", name), Path("folder")) == page


def test_names_pair_up_however_a_file_system_stores_their_accents(tmp_path: Path) -> None:
    """A file that comes from macOS may have a decomposed name."""
    for form, folder, suffix in (("NFC", "gt", ".gt.txt"), ("NFD", "ocr", ".png.txt")):
        file = tmp_path / folder / unicodedata.normalize(form, f"Bücher/Märchen 1{suffix}")
        file.parent.mkdir(parents=True)
        file.write_text("Es war einmal", encoding="utf-8")
    assert af.read_pages(tmp_path / "gt", {"ocr": tmp_path / "ocr"})["page"].to_list() == ["Bücher/Märchen 1"]


def test_folders_patterns_lists_and_mappings_name_the_same_pages(tmp_path: Path) -> None:
    write(
        tmp_path,
        ["gt/a/1.gt.txt", "gt/b/1.gt.txt", "ocr/a/1.xml.txt", "ocr/b/1.txt", "ocr/b/1.png", "ocr/.x/2.txt"],
    )
    ocr = tmp_path / "ocr"
    files = {"a/1": ocr / "a/1.xml.txt", "b/1": str(ocr / "b/1.txt")}

    for given in (ocr, str(ocr), f"{ocr}/**/*.txt", f"{ocr}/?/1*.txt", list(files.values()), files):
        frame = af.read_pages(f"{tmp_path}/gt", {"ocr": given})
        assert frame["page"].to_list() == ["a/1", "b/1"]
    assert af.read_pages(f"{tmp_path}/gt", ocr).columns == ["page", "reference", "prediction"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("{collection}_{page}", ["x/box_1", "x/box_1", "y/box_2"]),
        ("{collection}/{page}", ["x", "x", "y"]),
        ("{page}_{collection}", ["1", "2", "1"]),
    ],
)
def test_a_pattern_of_names_says_what_collection_a_page_belongs_to(
    tmp_path: Path, pattern: str, expected: list[str]
) -> None:
    names = ["x/box_1_1", "x/box_1_2", "y/box_2_1"]
    write(tmp_path, [f"{folder}/{name}.txt" for folder in ("gt", "ocr") for name in names])
    given = tmp_path / "gt", {"ocr": tmp_path / "ocr"}

    pages = af.read_pages(*given, collection=pattern)
    assert pages.columns == ["page", "collection", "reference", "ocr"]
    assert pages["collection"].to_list() == expected
    read = read_as_answers(tmp_path / "ocr", gold=tmp_path / "gt", collection=pattern)
    assert read["doc_id"].to_list() == expected
    with pytest.raises(af.InputError, match=r"'\{collection\}-\{page\}' does not fit the names of 3 pages"):
        af.read_pages(*given, collection="{collection}-{page}")
    with pytest.raises(ValueError, match=r"collection must be a pattern with \{collection\} and \{page\}"):
        af.read_pages(*given, collection=pattern.replace("page", "leaf"))
    with pytest.raises(ValueError, match="other than 'page' and 'reference' and 'collection'"):
        af.read_pages(tmp_path / "gt", {"collection": tmp_path / "ocr"}, collection=pattern)


@pytest.mark.parametrize(
    ("files", "patterns"),
    [
        (["1.alto.xml", "1.page.xml"], ["*.alto.xml", "*.page.xml"]),
        (["1.txt", "1.ocr.txt"], ["*.ocr.txt"]),
        (["1.txt", "1.txt.gz"], ["*.txt", "*.txt.gz"]),
        (["a/1.md", "a/1.txt"], ["**/*.md", "**/*.txt"]),
    ],
)
def test_a_page_with_two_files_is_an_error_whose_patterns_choose_one(
    tmp_path: Path, files: list[str], patterns: list[str]
) -> None:
    write(tmp_path, [f"ocr/{file}" for file in files])

    with pytest.raises(af.InputError, match=r"page '(a/)?1' is also") as raised:
        af.read_pages(tmp_path / "ocr", tmp_path / "ocr")
    message = raised.value.problems[0].message
    advice = message.partition("choose one of them by a pattern, such as ")[2]
    assert advice.split(" or ") == [str(tmp_path / "ocr" / pattern) for pattern in patterns]
    for pattern in advice.split(" or "):
        assert len(by_page(pattern, Problems(), is_truth=False)) == 1


def test_two_files_whose_names_match_in_one_part_need_another_expression(tmp_path: Path) -> None:
    write(tmp_path, ["gt/1.txt", "ocr/a_1.txt", "ocr/b_1.txt"])

    with pytest.raises(af.InputError, match=r"a_1\.txt; match=\.\.\. must find a part of the names in which"):
        af.read_pages(tmp_path / "gt", tmp_path / "ocr", match=r"\d+")


@pytest.mark.parametrize("engine", ["{}.txt", "{}.pred.txt", "{}.xml.txt"])
@pytest.mark.parametrize("given", ["lines", "lines/*.txt"])
def test_ground_truth_lies_beside_the_texts_of_an_engine(tmp_path: Path, engine: str, given: str) -> None:
    for page, truth, read in (("01", "rye", "rve"), ("02", "oats", "0ats")):
        write(tmp_path, [f"lines/{page}.gt.txt"], truth)
        write(tmp_path, [f"lines/{engine.format(page)}"], read)
    folder = tmp_path / given

    pages = af.read_pages(tmp_path / "lines", folder)
    assert pages.rows() == [("01", "rye", "rve"), ("02", "oats", "0ats")]

    # Without its text of the engine, a page is missing, rather than its own ground truth.
    (tmp_path / "lines" / engine.format("02")).unlink()
    with pytest.raises(af.InputError, match="'prediction' lacks 1 page: '02'"):
        af.read_pages(tmp_path / "lines", folder)


def test_beside_ground_truth_an_engine_may_have_a_suffix_of_its_own(tmp_path: Path) -> None:
    for page, truth, read in (("a/01", "rye", "rve"), ("b/02", "oats", "0ats")):
        write(tmp_path, [f"{page}.gt.txt"], truth)
        write(tmp_path, [f"{page}.abbyy.txt"], read)

    with pytest.raises(af.InputError, match="'prediction' lacks 2 pages: 'a/01', 'b/02'"):
        af.read_pages(tmp_path, tmp_path)
    assert af.read_pages(tmp_path, tmp_path, match=r"[^.]+").rows() == [
        ("a/01", "rye", "rve"),
        ("b/02", "oats", "0ats"),
    ]


def test_what_does_not_pair_up_is_listed(tmp_path: Path) -> None:
    write(tmp_path, [*(f"gt/{n}.txt" for n in range(13)), "a/0.txt", "b/0.txt", "b/other.txt"])
    given: Any = (tmp_path / "gt", {"a": tmp_path / "a", "b": tmp_path / "b"})

    with pytest.raises(af.InputError) as raised:
        af.read_pages(*given)
    messages = [problem.message for problem in raised.value.problems]
    assert messages[0].startswith("'a' lacks 12 pages: '1', '10', '11'")
    assert messages[0].endswith("and 2 more")
    assert messages[2] == "'b' has 1 page without ground truth: 'other'"
    with pytest.warns(af.InputWarning, match="13 pages null in some columns, because 'a' lacks 12 pages"):
        filled = af.read_pages(*given, unmatched="null")
    with pytest.warns(af.InputWarning, match="13 pages left out, because 'a' lacks"):
        shared = af.read_pages(*given, unmatched="drop")

    assert filled.null_count().row(0) == (0, 1, 13, 12)
    assert shared.rows() == [("0", "a", "a", "a")]


@pytest.mark.parametrize("unmatched", ["error", "null", "drop"])
def test_an_engine_without_a_page_of_the_ground_truth_is_an_error(tmp_path: Path, unmatched: Any) -> None:
    pages = ["X1", "X2", "X3"]
    write(tmp_path, [f"gt/{page}.gt.txt" for page in pages])
    write(tmp_path, [f"good/{page}.txt" for page in pages])
    write(tmp_path, [f"ocr/{page}.ocr.txt" for page in ("oak", "elm", "ash")])

    with pytest.raises(af.InputError) as raised:
        af.read_pages(
            tmp_path / "gt", {"good": tmp_path / "good", "ocr": tmp_path / "ocr"}, unmatched=unmatched
        )
    assert [problem.message for problem in raised.value.problems] == [
        "'ocr' lacks 3 pages: 'X1', 'X2', 'X3'",
        "'ocr' has 3 pages without ground truth: 'ash', 'elm', 'oak'",
    ]
    assert raised.value.hints == (_NAMES,)


def test_pages_that_no_two_engines_share_cannot_be_all_that_stays(tmp_path: Path) -> None:
    write(tmp_path, ["gt/1.txt", "gt/2.txt", "a/1.txt", "b/2.txt"])

    with pytest.raises(af.InputError, match="'a' lacks 1 page: '2'\n'b' lacks 1 page: '1'\npages pair up"):
        af.read_pages(tmp_path / "gt", {"a": tmp_path / "a", "b": tmp_path / "b"}, unmatched="drop")


def test_an_empty_file_is_a_page_without_text(tmp_path: Path) -> None:
    write(tmp_path, ["gt/1.txt"])
    write(tmp_path, ["ocr/1.txt"], "")

    expected = pl.DataFrame({"page": ["1"], "reference": ["a"], "prediction": [""]})
    assert af.read_pages(tmp_path / "gt", tmp_path / "ocr").equals(expected)
    assert af.read_pages(tmp_path / "gt", tmp_path / "ocr" / "1.txt").equals(expected)


def test_a_text_may_begin_like_markup_but_not_be_binary(tmp_path: Path) -> None:
    assert text_of(tmp_path, "<p>1</p>", "page.txt") == "<p>1</p>"
    assert "not a text file: it has NUL characters" in problem_of(tmp_path, b"A\x03\x04\0\0a", "page.txt")


def test_all_broken_files_are_named_together(tmp_path: Path) -> None:
    write(tmp_path, ["gt/1.xml", "gt/2.xml", "ocr/1.xml", "ocr/2.xml"], "<alto>")

    with pytest.raises(af.InputError) as raised:
        af.read_pages(tmp_path / "gt", tmp_path / "ocr")
    assert raised.value.total == 4


@pytest.mark.parametrize(
    ("systems", "options", "error", "message"),
    [
        ({}, {}, ValueError, "systems must name at least one engine"),
        ({"page": "x"}, {}, ValueError, "an engine must have a name other than 'page' and 'reference'"),
        ({"": "x"}, {}, TypeError, "the name of an engine must be a string"),
        (3, {}, TypeError, "pages must be names of files, patterns or folders, got int"),
        ({"a": {1: "x"}}, {}, TypeError, "the name of a page must be a string"),
        ({"a": []}, {}, ValueError, "pages must name at least one file"),
        ("nowhere/*", {}, FileNotFoundError, "no file matches this pattern"),
        ({"a": {"gazette": "nowhere"}}, {"unmatched": "null"}, FileNotFoundError, "there is no such file"),
        (
            "tests/readers",
            {"unmatched": "keep"},
            ValueError,
            "unmatched must be one of 'error', 'null', 'drop'",
        ),
        ("tests/readers", {"empty_lines": "x"}, ValueError, "empty_lines must be one of 'keep', 'drop'"),
    ],
)
def test_wrong_arguments_are_named(systems: Any, options: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        af.read_pages(GAZETTE / "page", systems, **options)


# Files of several pages


def test_several_pages_in_one_file_are_several_rows(tmp_path: Path) -> None:
    write(tmp_path, ["gt/v.txt"], "one\n\f\fthree\n\f")
    body = "".join(f"<div class=ocr_page><p class=ocr_par>{text}</p></div>" for text in ("one", "", "thee"))
    write(tmp_path, ["hocr/v.hocr"], HOCR.format(body))
    pages = [
        f'<Page><TextBlock><TextLine><String CONTENT="{t}"/></TextLine></TextBlock></Page>' for t in "abc"
    ]
    write(tmp_path, ["alto/v.xml"], f"<alto><Layout>{''.join(pages)}</Layout></alto>")
    pages = [f"<Page><TextRegion>{line(text)}</TextRegion></Page>" for text in "xyz"]
    write(tmp_path, ["page/v.xml"], f"<PcGts>{''.join(pages)}</PcGts>")
    engines = {"hocr": tmp_path / "hocr", "alto": tmp_path / "alto", "page_xml": tmp_path / "page"}

    rows = af.read_pages(tmp_path / "gt", engines).rows()

    assert rows == [
        ("v#1", "one", "one", "a", "x"),
        ("v#2", "", "", "b", "y"),
        ("v#3", "three", "thee", "c", "z"),
    ]
    (row,) = af.read_pages(tmp_path / "gt", engines, split=False).rows()
    assert row == ("v", "one\nthree", "one\nthee", "a\nb\nc", "x\ny\nz")


@pytest.mark.parametrize(
    "names",
    [
        ["v_1", "v_2", "v_3"],
        ["v-0001", "v-0002", "v-0003"],
        ["v-0", "v-1", "v-2"],
        ["v/1", "v/2", "v/3"],
        ["v_page1", "v_page2", "v_page3"],
        ["v.p01", "v.p02", "v.p03"],
    ],
)
def test_pages_of_one_file_pair_with_files_of_single_pages(tmp_path: Path, names: list[str]) -> None:
    for name, text in zip(names, "abc", strict=True):
        write(tmp_path, [f"gt/{name}.gt.txt"], text)
    write(tmp_path, ["ocr/v.txt"], "x\fy\fz\f")
    write(tmp_path, ["ocr/alone.txt"])
    given = tmp_path / "gt", {"ocr": tmp_path / "ocr"}

    with pytest.warns(af.InputWarning, match="'ocr' has 1 page without ground truth: 'alone'"):
        frame = af.read_pages(*given, unmatched="drop")

    assert frame.rows() == list(zip(names, "abc", "xyz", strict=True))


def test_numbers_that_two_files_share_pair_with_no_page(tmp_path: Path) -> None:
    write(tmp_path, ["gt/v_1.txt", "gt/v_01.txt", "gt/v_2.txt"])
    write(tmp_path, ["ocr/v.txt"], "a\fb")

    with pytest.raises(af.InputError, match="'ocr' has 2 pages without ground truth: 'v#1', 'v#2'"):
        af.read_pages(tmp_path / "gt", {"ocr": tmp_path / "ocr"})


def test_a_file_of_several_pages_beside_one_page_says_how_to_go_on(tmp_path: Path) -> None:
    write(tmp_path, ["gt/v.txt"], "a b")
    write(tmp_path, ["ocr/v.txt"], "a\fb")
    given = tmp_path / "gt", {"ocr": tmp_path / "ocr"}

    with pytest.raises(af.InputError) as raised:
        af.read_pages(*given)
    assert (
        "'ocr' has 2 pages in the file 'v', which is one page of 'reference'; to read each file as one page, "
        "pass split=False"
    ) in raised.value.hints
    assert af.read_pages(*given, split=False).rows() == [("v", "a b", "a\nb")]


def test_the_pages_of_a_file_are_its_documents(tmp_path: Path) -> None:
    write(tmp_path, ["gt/book.txt", "ocr/book.txt"], "a\fb")
    write(tmp_path, ["gt/box/1.txt", "ocr/box/1.txt"], "c")

    read = read_as_answers(tmp_path / "ocr", gold=tmp_path / "gt")

    assert read.select("question_id", "doc_id").rows() == [
        ("book#1", "book"),
        ("book#2", "book"),
        ("box/1", "box"),
    ]


# Names and files that are no pages


@pytest.mark.parametrize(
    ("files", "match", "pages"),
    [
        (
            ["OCR-D-GT_0001.xml.txt", "OCR-D-GT_0002.txt", "OCR-D-TESS_0001.txt", "OCR-D-TESS_0002.txt"],
            r"\d+$",
            ["0001", "0002"],
        ),
        (["x.gt.txt", "y.gt.txt", "x.ocr.tesseract.alto.txt", "y.ocr.tesseract.txt"], "^[^.]+", ["x", "y"]),
        (["a 1 (scan).txt", "a 2 (scan).txt", "b_1.txt", "b_2.txt"], r"[ab][ _](\d)", ["1", "2"]),
    ],
)
def test_a_regular_expression_finds_the_page_in_the_name(
    tmp_path: Path, files: list[str], match: str, pages: list[str]
) -> None:
    write(tmp_path, [f"gt/{files[0]}", f"gt/{files[1]}", f"ocr/{files[2]}", f"ocr/{files[3]}"])
    given = tmp_path / "gt", {"ocr": tmp_path / "ocr"}

    assert af.read_pages(*given, match=match)["page"].to_list() == pages
    with pytest.raises(af.InputError, match=r'match="q\+" is not found in the names of 2 pages'):
        af.read_pages(*given, match="q+")
    with pytest.raises(ValueError, match=r"match must be a regular expression, got '\('"):
        af.read_pages(*given, match="(")
    with pytest.raises(af.InputError, match="page '' is also "):
        af.read_pages(*given, match="()")


def test_files_of_a_folder_that_are_no_pages_are_passed_over_with_a_note(tmp_path: Path) -> None:
    write(tmp_path, ["gt/page/1.txt", "ocr/page/1.md", "ocr/README.md", "ocr/LICENSE.txt"])
    write(tmp_path, ["gt/metadata.xml"], "<trpDocMetadata/>")
    write(tmp_path, ["gt/mets.xml"], "<mets/>")
    write(tmp_path, ["gt/index.html"], "<html><p>a</p></html>")

    with pytest.warns(af.InputWarning) as warned:
        frame = af.read_pages(tmp_path / "gt", {"ocr": tmp_path / "ocr"})

    assert frame.rows() == [("page/1", "a", "a")]
    of_truth, of_engine = (str(warning.message) for warning in warned)
    # Where only pages that pair up are read, such files are no pages without a partner.
    with pytest.warns(af.InputWarning) as dropped:
        assert af.read_pages(
            tmp_path / "gt/page", {"ocr": tmp_path / "ocr"}, match=r"[^/]+$", unmatched="drop"
        ).height
    assert [str(warning.message) for warning in dropped] == [of_engine]
    assert of_truth == (
        "'reference': skipped 3 files without pages: index.html: HTML without the classes of hOCR, "
        "such as ocr_line; metadata.xml: the root element is 'trpDocMetadata'; mets.xml: the root element is "
        "'mets'"
    )
    assert of_engine == (
        "'ocr': skipped 2 files without pages: LICENSE.txt: describes the folder, by its name; "
        "README.md: describes the folder, by its name"
    )
    # Named by itself, such a file must be a page, as must at least one file of a folder.
    with pytest.raises(af.InputError, match="the root element is 'mets'"):
        af.read_pages(tmp_path / "gt/page/1.txt", tmp_path / "gt/mets.xml")
    (tmp_path / "gt/page/1.txt").unlink()
    with pytest.raises(af.InputError, match="the root element is 'mets'"):
        af.read_pages(tmp_path / "gt", {"ocr": tmp_path / "ocr/page"})
    assert af.read_pages(tmp_path / "ocr/README.md", tmp_path / "ocr/page/1.md").row(0) == (
        "README",
        "a",
        "a",
    )


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.markdown", "a"])
@pytest.mark.parametrize(
    "text",
    [
        "<!-- Page 1 -->\nHay 9",
        "<!-- image -->",
        "<alto voice>\nSing it low.",
        "<html>\n<p>The page shows a tag.",
        "<!DOCTYPE html>\n<html><body>one</body></html>",
        '<?xml version="1.0"?>\n<note>two</note>',
        "<mets>",
        "<PcGts and so on",
    ],
)
def test_a_text_that_begins_with_markup_is_a_text(tmp_path: Path, text: str, name: str) -> None:
    assert text_of(tmp_path, f"{text}\n", name) == text


def test_markup_of_pages_is_read_whatever_its_suffix(tmp_path: Path) -> None:
    page = PAGE.format(f"<TextRegion>{line('Hay')}</TextRegion>")

    assert text_of(tmp_path, page, "a.txt") == "Hay"
    assert text_of(tmp_path, HOCR.format("<p class=ocr_par>Hay</p>"), "a.txt") == "Hay"
    assert "not well-formed XML" in problem_of(tmp_path, page[:-9], "a.txt")


# Texts of PAGE with several readings


SEVERAL = PAGE.format(
    "<TextRegion>"
    '<TextLine><TextEquiv index="1"><Unicode>Hav 9</Unicode></TextEquiv>'
    '<TextEquiv index="0"><Unicode>Hay 9</Unicode></TextEquiv></TextLine>'
    '<TextLine><TextEquiv index="1"><Unicode>Oats</Unicode></TextEquiv></TextLine>'
    "</TextRegion>"
)


def test_truth_and_engine_of_one_file_are_compared(tmp_path: Path) -> None:
    write(tmp_path, ["d/p.xml"], SEVERAL)
    folder = tmp_path / "d"

    engine, corrected = af.readers.Pages(folder, index=1), af.readers.Pages(folder, index=0)
    said = "the ground truth has no text with the index 0, that of corrected lines, in 1 of 2 lines: "
    right, left_out = f"{said}the engine's own text is read there", f"{said}these are left out"
    with pytest.warns(af.InputWarning, match=right):
        assert af.read_pages(folder, {"o": engine}).row(0) == ("p", "Hay 9\nOats", "Hav 9\nOats")
    with pytest.warns(af.InputWarning, match=left_out):
        assert af.read_pages(corrected, {"o": engine}).row(0) == ("p", "Hay 9", "Hav 9\nOats")
    with pytest.warns(af.InputWarning, match=right):
        read = read_as_answers(folder, gold=folder, index=1)
    assert read.row(0) == ("p", "Hav 9\nOats", "Hay 9\nOats")
    # All lines of an engine have its index, and none of a person's may have any.
    write(tmp_path, ["t/p.xml"], SEVERAL.replace(' index="0"', "").replace(' index="1"', ""))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        af.read_pages(engine, {"o": tmp_path / "t"})
        af.read_pages(tmp_path / "t", {"o": engine})
    with (
        pytest.warns(af.InputWarning, match=said),
        pytest.warns(af.InputWarning, match="'o' reads 1 file of the ground truth, .* index=1 reads that"),
    ):
        af.read_pages(folder, {"o": folder / "*.xml"})


def test_an_index_that_nothing_has_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, ["d/p.xml"], SEVERAL)
    write(tmp_path, ["none/p.xml"], PAGE.format(f"<TextRegion>{line('Hay')}</TextRegion>"))
    write(tmp_path, ["layout/p.xml"], PAGE.format("<TextRegion><TextLine/></TextRegion>"))
    write(tmp_path, ["text/p.txt"])
    write(tmp_path, ["alto/p.xml"], ALTO.format(""))
    write(tmp_path, ["hocr/p.xml"], HOCR.format("<p class=ocr_par>a</p>"))

    for name, index, message in [
        ("d", 7, "no TextEquiv has the index 7: only 0, 1"),
        ("none", 1, "no TextEquiv has the index 1: none has an index"),
        ("text", 1, "index= chooses a TextEquiv of PAGE XML, but this is plain text"),
        ("alto", 1, "index= chooses a TextEquiv of PAGE XML, but this is ALTO"),
        ("hocr", 0, "index= chooses a TextEquiv of PAGE XML, but this is hOCR"),
    ]:
        with pytest.raises(af.InputError, match=message):
            af.read_pages(tmp_path / "d", {"o": af.readers.Pages(tmp_path / name, index=index)})
    engine = af.readers.Pages(tmp_path / "d", index=1)
    blank = af.read_pages(engine, {"o": af.readers.Pages(tmp_path / "layout", index=1)})
    assert blank["o"].to_list() == [""]
    with pytest.raises(TypeError, match="index must be an integer, got '1'"):
        af.readers.Pages(tmp_path, index="1")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("equivalents", "expected"),
    [
        (['conf="0.3"', "Hav", 'conf="0.9"', "Hay"], "Hay"),
        (['conf="0.9"', "Hay", 'conf="0.3"', "Hav"], "Hay"),
        (['conf="0.3"', "Hav", "", "Hay"], "Hav"),
        (['index="1" conf="0.9"', "Hav", 'index="0" conf="0.1"', "Hay"], "Hay"),
        (["", "Hay", 'index="4"', "Hav"], "Hav"),
        (["", "Hay", "", "Hav"], "Hay"),
        (["", "", "", "Hay"], "Hay"),
        (['conf="1"', " ", 'conf="0.2"', "Hay"], "Hay"),
        (['index="0"', "", 'index="1"', "Hay"], "Hay"),
        (['conf="often"', "Hav", 'conf="0.1"', "Hay"], "Hay"),
    ],
)
def test_the_best_of_several_texts_is_read(tmp_path: Path, equivalents: list[str], expected: str) -> None:
    several = "".join(
        f"<TextEquiv {attributes}><Unicode>{text}</Unicode></TextEquiv>"
        for attributes, text in zip(equivalents[::2], equivalents[1::2], strict=True)
    )
    for body in (f"<TextLine>{several}</TextLine>", f"<TextLine><Word>{several}</Word></TextLine>", several):
        assert text_of(tmp_path, PAGE.format(f"<TextRegion>{body}</TextRegion>")) == expected


# Words that no rule knows


def test_words_where_pages_have_none_are_named(tmp_path: Path) -> None:
    strange = "<Comments>{}</Comments>"
    write(tmp_path, ["gt/1.txt", "gt/2.txt", "gt/3.txt"])
    for page, words in (("1", "x"), ("2", "x y z"), ("3", "")):
        body = f"<TextRegion>{line('a')}</TextRegion>\n{strange.format(equivalent(words))}"
        write(tmp_path, [f"ocr/{page}.xml"], PAGE.format(body))

    with pytest.warns(af.InputWarning) as warned:
        frame = af.read_pages(tmp_path / "gt", {"ocr": tmp_path / "ocr"})

    assert frame["ocr"].to_list() == ["a", "a", "a"]
    (warning,) = warned
    assert str(warning.message) == (
        f"'ocr': left out 3 words of {tmp_path / 'ocr' / '2.xml'}, which are not where pages have text "
        "(the first: Comments, line 2); there are such words in 2 files"
    )


@pytest.mark.parametrize(("region", "lines", "left"), [("a b c d", "a b", 0), ("a b c d e", "a b", 3)])
def test_a_region_with_far_more_text_than_its_lines_is_named(
    tmp_path: Path, region: str, lines: str, left: int
) -> None:
    texts = f"{line(lines[0])}\n{line(lines[2])}\n{line('')}{equivalent(region)}"
    write(tmp_path, ["gt/1.xml"], PAGE.format(f"\n<TextRegion>{texts}</TextRegion>"))
    write(tmp_path, ["ocr/1.txt"], "a")

    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        pages = af.read_pages(tmp_path / "gt", tmp_path / "ocr")
    assert pages["reference"].to_list() == ["a\nb"]
    said = (
        f"'reference': left out {left} words of {tmp_path / 'gt' / '1.xml'}, which are not where pages have "
        "text (the first: TextRegion, whose lines lack them, line 2)"
    )
    assert [str(warning.message) for warning in warned] == [said] * bool(left)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (PAGE.format(f"<Comments>{equivalent('x y')}</Comments>"), "none of its 2 words .* Comments, line 1"),
        (ALTO.format('<String CONTENT="x"/>'), "none of its 1 word is .* PrintSpace, line 1"),
        (
            HOCR.format("<div class=ocr_page></div><p class=ocr_par>x y</p>"),
            "none of its 2 words .* ocr_par, line 1",
        ),
    ],
)
def test_a_file_of_which_nothing_is_read_is_an_error(tmp_path: Path, content: str, message: str) -> None:
    write(tmp_path, ["gt/1.txt", "gt/2.txt", "ocr/2.txt"])
    write(tmp_path, ["ocr/1.xml"], content)
    given = tmp_path / "gt", {"ocr": tmp_path / "ocr"}

    with pytest.raises(
        af.InputError, match=message + '.*; to read it as a page without text, pass unknown="warn"'
    ):
        af.read_pages(*given)
    with pytest.warns(af.InputWarning, match="left out .* word"):
        assert af.read_pages(*given, unknown="warn")["ocr"].to_list() == ["", "a"]


def test_unread_pages_are_left_out_of_the_error(tmp_path: Path) -> None:
    write(tmp_path, ["gt/1.txt", "ocr/1.txt"])
    write(tmp_path, ["ocr/2.xml"], "<alto>")

    with pytest.warns(af.InputWarning, match="1 page left out, because 'ocr' has 1 page without"):
        assert af.read_pages(tmp_path / "gt", {"ocr": tmp_path / "ocr"}, unmatched="drop").height == 1


def test_ground_truth_without_text_is_counted(tmp_path: Path) -> None:
    write(tmp_path, ["gt/1.xml"], PAGE.format("<TextRegion><TextLine/></TextRegion>"))
    write(tmp_path, ["gt/2.txt", "ocr/1.txt", "ocr/2.txt"])

    pages = af.read_pages(tmp_path / "gt", tmp_path / "ocr")
    report = af.report(pages, "prediction", "reference", metrics="ocr")
    sentence = "The reference of 1 of 2 pages has no text: all text predicted there counts as errors."
    assert sentence in str(report).splitlines()
    assert report.to_document().head.endswith(sentence)
    blank = af.report(pages.head(1), "prediction", "reference", metrics=["cer_corpus"])
    assert blank.overall["cer_corpus"] is None
    assert "The reference of 1 of 1 page has no text: all text predicted there counts as errors." in str(
        blank
    )
